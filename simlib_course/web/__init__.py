"""What pages show without a kernel: the script that draws the stepper, and exercises that a page checks.

`simlib_course.widgets` makes the data that stepper.js draws; `simlib_course.web.exercises` makes the forms.
"""

import re
from functools import cache
from importlib import resources


@cache
def asset(name: str) -> str:
    """Read a file of this package, without indents and without lines that are comments."""
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return re.sub(r"^\s*//.*\n|^\s+", "", text, flags=re.MULTILINE).strip()
