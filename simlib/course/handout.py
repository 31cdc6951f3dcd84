"""Write a copy of the course: for students without solutions, for instructors with them."""

import json
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from .. import paths
from . import for_nbgrader, material

GRADING = "teaching/grading.md"
"""The page that says how to hand out, collect and grade, in `docs`."""

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
    """Write a copy of the course into a folder.

    Parameters
    ----------
    folder : str or Path
        It is made where there is none. What else lies there stays.
    instructor : bool
        Whether with the solutions and the pages for those who teach.
    nbgrader : bool
        Whether as the source of a course for nbgrader instead.

    Returns
    -------
    list of Path
        The files of the copy.

    Raises
    ------
    HandoutError
        Where a file is there already and has another content. Then nothing is written.
    """
    made: Files = dict(for_nbgrader.files()) if nbgrader else _files(instructor)
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
    for lesson in material.lessons():
        files[lesson.name] = _notebook(lesson, "", pages)
        if instructor:
            files[f"solutions/{lesson.name}"] = _notebook(material.solution(lesson), "../", pages)
    if instructor:
        for page in sorted((paths.DOCS / "teaching").rglob("*")):
            if page.is_file():
                _take_page(page.relative_to(paths.DOCS).as_posix(), pages)
    return {"README.md": _readme(instructor), **files, **{f"docs/{name}": text for name, text in pages.items()}}


def _readme(instructor: bool) -> str:
    lines = []
    for lesson in material.lessons():
        first = material.text(material.read(lesson)["cells"][0])
        lines.append(f"- [{first.splitlines()[0].lstrip('# ')}]({lesson.name})")
    text = BEGIN.format(lessons="\n".join(lines), version=version("simlib"))
    return text + TEACH if instructor else text


def _notebook(path: Path, up: str, pages: Files) -> str:
    """Give a notebook as it is in the copy; the pages that it links to are added to `pages`.

    Links to the study's notebooks, which are no part of the copy, become words that say where to find them.
    """
    notebook = material.read(path)
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
            cell["source"] = material.relink(material.text(cell), change).splitlines(keepends=True)
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

    pages[name] = material.relink((paths.DOCS / name).read_text(encoding="utf-8"), change)


def _plain(path: PurePosixPath) -> PurePosixPath:
    """Take the `..` out of a path.

    Examples
    --------
    >>> _plain(PurePosixPath("notebooks/teaching/../../docs/a.md"))
    PurePosixPath('docs/a.md')
    """
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return PurePosixPath(*parts)
