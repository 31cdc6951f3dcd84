"""What a lecturer prints and projects: pencil sheets, slides, answers for the pages of `docs/teaching/`, a glossary.

    python -m simlib.course.lecture sheets    # pencil sheets and the glossary on one page
    python -m simlib.course.lecture slides    # the slides of all lessons; or of some: slides lesson1 lesson4a
    python -m simlib.course.lecture answers   # the answers on the pages, from the solutions
    python -m simlib.course.lecture thumbnails   # the lessons' pictures on docs/learn.md, from the executed lessons

What it writes goes to `build/teaching/`, but for answers and thumbnails, which stand in the pages of `docs/`.
"""

from ..._util.paths import ROOT

DOCS = ROOT / "docs" / "teaching"
"""The pages for the lecturer, and the sources of the slides."""

BUILT = ROOT / "build" / "teaching"
"""Where sheets and slides go."""
