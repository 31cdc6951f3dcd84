"""Write a copy of the course: for students without solutions, for instructors with them."""

import json
import re
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from ..._util import paths

# The notebooks of the course: where they lie, which exercises they have, and what their links point to.


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
    """List the numbers of the exercises that a cell checks."""
    return _CHECK.findall(source)


def exercises(notebook: Notebook) -> list[str]:
    """List the numbers of the exercises that a notebook checks."""
    return [number for source in code(notebook) for number in checked(source)]


def place(number: str) -> tuple[str, int]:
    """Give what exercises are sorted by: their lesson, the assignment last, then their number in it."""
    lesson, _, its = number.partition(".")
    return lesson, int(its)


def relink(source: str, change: Callable[[str, str], str]) -> str:
    """Replace each relative link of a Markdown text by what `change` makes of its words and target."""

    def one(found: re.Match) -> str:
        outside = re.match(r"[a-z]+:|#|attachment:", found[2])
        return found[0] if outside else change(found[1], found[2])

    return _LINK.sub(one, source)


# Write the course as the source of a course for nbgrader: an assignment a lesson.


SCHEMA = 3
"""The version of nbgrader's cell metadata."""

CONFIG = '''"""For nbgrader, which reads this file in the folder that it is started in."""

c = get_config()
c.CourseDirectory.course_id = "simlib"
c.ClearSolutions.code_stub = {"python": "# Run this cell again whenever you have changed it."}
c.ExecutePreprocessor.timeout = 120  # seconds a cell
# As nbgrader has it, but for ClearOutput: a notebook's outputs keep the tables that students typed.
steps = "DeduplicateIds", "OverwriteKernelspec", "OverwriteCells", "CheckCellMetadata"
c.Autograde.sanitize_preprocessors = [f"nbgrader.preprocessors.{step}" for step in steps]
'''

README = """# The course for nbgrader

    nbgrader generate_assignment {first}   # in this folder, with nbgrader's own programs on the PATH
    # release it, and collect what students hand in, as you do
    nbgrader autograde {first}
    nbgrader export

Every right answer is worth a point. `source/` has the solutions: students get what `generate_assignment` writes into
`release/`. nbgrader needs a kernel in which simlib is installed.

nbgrader runs each notebook anew and asks the checks in the student's own kernel. So a notebook that changes simlib
while it runs can give itself points; `python -m simlib grade submitted` cannot be cheated so. A table that was typed
into an editor is read from the notebook's outputs, which `nbgrader_config.py` therefore leaves in.
"""


def files() -> dict[str, str]:
    """Make the files of the course, by their names in its folder."""
    made = {"nbgrader_config.py": CONFIG, "README.md": README.format(first=lessons()[0].stem)}
    for lesson in lessons():
        text = json.dumps(source(lesson), indent=1, ensure_ascii=False) + "\n"
        made[f"source/{lesson.stem}/{lesson.name}"] = text
    return made


def source(lesson: Path) -> Notebook:
    """Make an assignment's source of a lesson and its solution."""
    notebook = read(lesson)
    solved = {cell["id"]: text(cell) for cell in read(solution(lesson))["cells"]}
    cells = []
    for cell in notebook["cells"]:
        source = text(cell)
        if cell["cell_type"] == "markdown":  # what it points to is no part of the assignment
            cell["source"] = _lines(relink(source, lambda words, target: words))
        if cell["cell_type"] == "code" and "exercise" in cell["metadata"].get("tags", ()):
            cell["metadata"] |= _nbgrader(f"answer-{cell['id']}", solution=True)
            cell["source"] = _lines(f"{source}\n\n### BEGIN SOLUTION\n{solved[cell['id']]}\n### END SOLUTION")
        cells.append(cell)
        if cell["cell_type"] == "code":
            cells += [_demand(number) for number in checked(source)]
    return notebook | {"cells": cells}


def _demand(number: str) -> dict[str, Any]:
    """Make the cell that gives a point for an exercise."""
    name = f"check-{number.replace('.', '-')}"
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": _nbgrader(name, grade=True, locked=True) | {"deletable": False, "editable": False},
        "outputs": [],
        "source": _lines(
            f'from simlib.course import lessons\n\nlessons.demand("{number}")  # gives the point: leave it as it is'
        ),
    }


def _nbgrader(name: str, grade: bool = False, solution: bool = False, locked: bool = False) -> dict[str, Any]:
    """Make the metadata by which nbgrader knows a cell."""
    of = {"grade": grade, "solution": solution, "locked": locked, "task": False, "grade_id": name}
    return {"nbgrader": of | {"schema_version": SCHEMA} | ({"points": 1} if grade else {})}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


BEGIN = """# Parallel job scheduling: a course in notebooks

These are the lessons, in this order:

{lessons}

To begin:

1. Install what they need, as your lecturer tells you. They were made with simlib {version}.
2. Start `jupyter lab` in this folder and open the first lesson.
3. Run the cells from the top: press Shift+Enter in each one.
4. In an exercise, put your answer where the dots are (`...`) and run the cell. It says at once whether the answer is
   right, and if not, what to look at.

Save the notebook before you hand it in, and leave its name and the lines with `lessons.check` as they are. It is graded
by running it from the top, so first choose *Kernel > Restart Kernel and Run All Cells* and see whether all answers are
still right.
"""

TEACH = """
For the instructor: the answers are in [solutions](solutions), and [grading.md](docs/teaching/grading.md) says how to
collect and grade the notebooks. Give students the copy that `python -m simlib course FOLDER` writes, which has neither.
"""


Files = dict[str, str | bytes]
"""What files hold, by their names in a folder."""


class HandoutError(Exception):
    """A copy cannot be written."""


def write(folder: str | Path, instructor: bool = False, nbgrader: bool = False) -> list[Path]:
    """Write a copy of the course into a folder."""
    made: Files = dict(files()) if nbgrader else _files(instructor)
    content = {Path(folder, name): of.encode() if isinstance(of, str) else of for name, of in made.items()}
    for path, data in content.items():
        if path.is_symlink() or (path.exists() and (not path.is_file() or path.read_bytes() != data)):
            raise HandoutError(
                f"{path}: is there already and is not what would be written; expected nothing there, or the same. "
                "Name another folder, or move it away; nothing was written."
            )
    for path, data in content.items():
        if not path.exists():
            with paths.replacing(path) as new:
                new.write_bytes(data)
    return list(content)


def _files(instructor: bool) -> Files:
    """Make the files of a copy, by their names in the folder."""
    pages: Files = {}
    files: Files = {}
    for lesson in lessons():
        files[lesson.name] = _notebook(lesson, "", pages)
        if instructor:
            files[f"solutions/{lesson.name}"] = _notebook(solution(lesson), "../", pages)
    if instructor:
        for page in sorted((paths.DOCS / "teaching").rglob("*")):
            if page.is_file():
                _take_page(page.relative_to(paths.DOCS).as_posix(), pages)
    titles = [(text(read(lesson)["cells"][0]).splitlines()[0].lstrip("# "), lesson.name) for lesson in lessons()]
    listed = "\n".join(f"- [{title}]({name})" for title, name in titles)
    readme = BEGIN.format(lessons=listed, version=version("simlib")) + TEACH * instructor
    return {"README.md": readme, **files, **{f"docs/{name}": page for name, page in pages.items()}}


def _notebook(path: Path, up: str, pages: Files) -> str:
    """Give a notebook as it is in the copy; the pages that it links to are added to `pages`.

    Links to the study's notebooks, which are no part of the copy, become words that say where to find them.
    """
    notebook = read(path)
    here = path.parent.relative_to(paths.TEACHING)

    def change(words: str, target: str) -> str:
        name, hash_, place = target.partition("#")
        folder = "notebooks/teaching" / PurePosixPath(here.as_posix())
        full = _plain(folder / name)
        if full.parts[0] == "docs" and (paths.DOCS / full.relative_to("docs")).is_file():
            _take_page(full.relative_to("docs").as_posix(), pages)
            return f"[{words}]({up}{full}{hash_}{place})"
        if full.is_relative_to("notebooks/teaching"):
            return f"[{words}]({target})"
        return f"{words} (`{full}` in the repository of simlib)"

    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = relink(text(cell), change).splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _take_page(name: str, pages: Files) -> None:
    """Add a file of `docs` to `pages`, and those that a page links to; other links become words."""
    if name in pages:
        return
    if not name.endswith(".md"):
        pages[name] = (paths.DOCS / name).read_bytes()
        return
    pages[name] = ""  # on its way, should another page link back
    folder = PurePosixPath("docs") / PurePosixPath(name).parent

    def change(words: str, target: str) -> str:
        full = _plain(folder / target.partition("#")[0])
        if full.parts[:1] == ("docs",) and (paths.DOCS / full.relative_to("docs")).is_file():
            _take_page(full.relative_to("docs").as_posix(), pages)
            return f"[{words}]({target})"
        return f"{words} (`{full}` in the repository of simlib)"

    pages[name] = relink((paths.DOCS / name).read_text(encoding="utf-8"), change)


def _plain(path: PurePosixPath) -> PurePosixPath:
    """Take the `..` out of a path."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return PurePosixPath(*parts)
