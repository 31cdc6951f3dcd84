"""What a lecturer prints and projects: pencil sheets and slides, written to `build/teaching/`.

python -m simlib_course.lecture sheets    # pencil sheets; with --seed NAME, other jobs
python -m simlib_course.lecture slides    # the slides of all lessons; or of some: slides lesson1 lesson4a
"""

from simlib._util import paths

DOCS = paths.ROOT / "docs" / "how-to" / "teaching"
"""The pages for the lecturer, and the sources of the slides."""

BUILT = paths.ROOT / "build" / "teaching"
"""Where sheets and slides go."""
