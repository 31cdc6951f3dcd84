"""The course: lessons, controls, pages without a kernel, handing out, grading and slides."""
