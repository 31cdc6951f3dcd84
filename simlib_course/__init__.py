"""The course: lessons, controls, pages without a kernel, handing out, grading and slides."""

from simlib._util import importing

__getattr__ = importing(__name__, "grading", "lecture", "lessons", "web", "widgets")
