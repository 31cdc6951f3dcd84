"""Write a copy of the course for students."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from simlib import __version__
from simlib._util import paths

Notebook = dict[str, Any]
"""What a .ipynb file holds."""

_CHECK = re.compile(r"""\blessons\s*\.\s*check\(\s*["'](\w+\.\d+)["']""")
_LINK = re.compile(r"\[([^\]]*)\]\((?:\.\./)+([^)\s]+)\)")  # out of the folder of the lessons
_SEED = 'seed: str = ""'


def lessons() -> list[Path]:
    """List the notebooks of the lessons, in their order, and that of the assignment."""
    return [*sorted(paths.TEACHING.glob("lesson*.ipynb")), paths.TEACHING / "assignment.ipynb"]


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
    """List the numbers of the exercises that a cell checks."""
    return _CHECK.findall(source)


def exercises(notebook: Notebook) -> list[str]:
    """List the numbers of the exercises that a notebook checks."""
    return [number for source in code(notebook) for number in checked(source)]


def place(number: str) -> tuple[str, int]:
    """Give what exercises are sorted by: their lesson, the assignment last, then their number in it."""
    lesson, _, its = number.partition(".")
    return lesson, int(its)


POINTS = {"A.1": 5, "A.2": 10, "A.3": 10, "A.4": 15, "A.5": 20} | dict.fromkeys(("4.3", "5.3", "5.4"), 0)
"""What right answers count that do not count 1: those that are the same for everybody are not marked."""


def points(number: str) -> int:
    """Tell what a right answer counts."""
    return POINTS.get(number, 1)


# Copies for students

BEGIN = """# Parallel job scheduling: a course in notebooks

These are the lessons, in this order:

{lessons}

To begin:

1. Install what they need, as your lecturer tells you: simlib-backfilling {version}, which is not the package
   simlib of PyPI.
2. Start `jupyter lab` in this folder and open the first lesson.
3. Run the cells from the top: press Shift+Enter in each one.
4. In an exercise, put your answer where the dots are (`...`) and run the cell. It says at once whether the answer is
   right, and if not, what to look at.
5. If a cell says NameError, choose *Run > Run All Above Selected Cell* and run it again.

Save the notebook before you hand it in, and leave its name and the lines with `lessons.check` as they are. It is graded
by running it from the top, so first choose *Kernel > Restart Kernel and Run All Cells* and see whether all answers are
still right.
"""


class HandoutError(Exception):
    """A copy cannot be written."""


def write(folder: str | Path, seed: str = "", names: Iterable[str] = ()) -> list[Path]:
    """Write the course into a folder, with the numbers of a seed; for each of some names into a separate folder."""
    made: dict[Path, str] = {}
    for name in names or [""]:
        if name != Path(name).name or name == "..":
            raise HandoutError(f"course: found the name {name!r}, expected one that a folder can have")
        made |= {Path(folder, name, file): text for file, text in _files(name or seed).items()}
    for path, text in made.items():
        if path.is_symlink() or (path.exists() and (not path.is_file() or path.read_bytes() != text.encode())):
            raise HandoutError(
                f"{path}: is there already and is not what would be written; expected nothing there, or the same. "
                "Name another folder, or move it away; nothing was written."
            )
    for path, text in made.items():
        if not path.exists():
            with paths.replacing(path) as new:
                new.write_bytes(text.encode())
    return list(made)


def _files(seed: str) -> dict[str, str]:
    """Make the files of a copy, by their names in the folder."""
    made = {lesson.name: _json(_prepared(lesson, seed)) for lesson in lessons()}
    titles = [(text(read(lesson)["cells"][0]).splitlines()[0].lstrip("# "), lesson.name) for lesson in lessons()]
    listed = "\n".join(f"- [{title}]({name})" for title, name in titles)
    return {"README.md": BEGIN.format(lessons=listed, version=__version__), **made}


def _prepared(lesson: Path, seed: str) -> Notebook:
    """Read a lesson, put the seed into it, and replace links to what is no part of the copy by words."""
    notebook = read(lesson)
    for cell in notebook["cells"]:
        source = text(cell)
        if cell["cell_type"] == "markdown":
            source = _LINK.sub(r"\1 (`\2` in the repository of simlib)", source)
        elif "parameters" in cell["metadata"].get("tags", ()):
            source = source.replace(_SEED, f"seed: str = {seed!r}" if seed else _SEED)
        cell["source"] = source.splitlines(keepends=True)
    return notebook


def _json(notebook: Notebook) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
