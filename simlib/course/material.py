"""The notebooks of the course: where they lie, which exercises they have, and what their links point to."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .. import paths

Notebook = dict[str, Any]
"""What a .ipynb file holds."""

_CHECK = re.compile(r"""\blessons\s*\.\s*check\(\s*["'](\w+\.\d+)["']""")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def lessons() -> list[Path]:
    """List the notebooks of the lessons, in their order, and that of the assignment."""
    return [*sorted(paths.TEACHING.glob("lesson*.ipynb")), paths.TEACHING / "assignment.ipynb"]


def solution(lesson: Path) -> Path:
    """Name the notebook that has a lesson's answers."""
    return lesson.parent / "solutions" / lesson.name


def read(path: Path) -> Notebook:
    """Read a notebook of ours."""
    return json.loads(path.read_text(encoding="utf-8"))


def text(cell: dict[str, Any]) -> str:
    """Give the source of a cell, which is kept as lines or as one string."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(line for line in source if isinstance(line, str))


def code(notebook: Notebook) -> Iterator[str]:
    """Go through the sources of a notebook's code cells."""
    for cell in notebook["cells"]:
        if cell.get("cell_type") == "code":
            yield text(cell)


def checked(source: str) -> list[str]:
    """List the numbers of the exercises that a cell checks.

    Examples
    --------
    >>> checked('lessons.check("2.4", may_backfill)')
    ['2.4']
    """
    return _CHECK.findall(source)


def exercises(notebook: Notebook) -> list[str]:
    """List the numbers of the exercises that a notebook checks."""
    return [number for source in code(notebook) for number in checked(source)]


def place(number: str) -> tuple[str, int]:
    """Give what exercises are sorted by: their lesson, the assignment last, then their number in it.

    Examples
    --------
    >>> sorted(["A.1", "2.10", "2.9"], key=place)
    ['2.9', '2.10', 'A.1']
    """
    lesson, _, its = number.partition(".")
    return lesson, int(its)


def relink(source: str, change: Callable[[str, str], str]) -> str:
    """Replace each relative link of a Markdown text by what `change` makes of its words and target.

    Examples
    --------
    >>> relink("see [there](../a.md) and [here](https://a.org)", lambda words, target: words)
    'see there and [here](https://a.org)'
    """

    def one(found: re.Match) -> str:
        outside = re.match(r"[a-z]+:|#|attachment:", found[2])
        return found[0] if outside else change(found[1], found[2])

    return _LINK.sub(one, source)
