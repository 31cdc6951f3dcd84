"""Find the notebooks that were handed in, and whose they are, and read them: any of them may be anything."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .. import lessons
from . import handout

LARGEST = 50 * 2**20
"""Bytes of a notebook that are read."""

_SPLIT = re.compile(r"[\s._-]*(?=lesson[\s_-]*\d|assignment)", re.IGNORECASE)
_LESSON = re.compile(r"(lesson[\s_-]*\d+[a-z]?|assignment)(?![a-z])", re.IGNORECASE)
_SKIPPED = re.compile(r"\.|__MACOSX$")


class CollectError(Exception):
    """There is no folder or notebook to grade."""


@dataclass
class HandedIn:
    """A file that a student handed in: the sources of its cells, of its texts too."""

    student: str
    name: str
    cells: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lesson: str = ""
    digest: str = ""
    problem: str = ""


def collect(folder: str | Path) -> dict[str, list[HandedIn]]:
    """Read the notebooks in a folder by student: those in `<student>/`, and those like `<student>-lesson2.ipynb`."""
    folder = Path(folder)
    if not folder.is_dir():
        raise CollectError(f"{folder}: found no folder, expected one with a folder or a notebook a student")
    students: dict[str, list[HandedIn]] = {}
    for path in _visible(folder):
        student = path.name if path.is_dir() else _SPLIT.split(path.stem)[0] or path.stem
        if path.is_dir() or _counts(path):
            name = unicodedata.normalize("NFC", student)
            students.setdefault(name, []).extend(_read(file, name, folder) for file in _files(path))
    if not students:
        raise CollectError(f"{folder}: found nothing that was handed in, expected a folder or a notebook a student")
    for student, files in students.items():  # what is no notebook counts only where there is none
        students[student] = [one for one in files if one.name.endswith(".ipynb")] or files
    return dict(sorted(students.items()))


def _visible(folder: Path) -> list[Path]:
    """List what lies in a folder, but for what programs put there, and links, which may lead anywhere."""
    return sorted(path for path in folder.iterdir() if not _SKIPPED.match(path.name) and not path.is_symlink())


def _files(path: Path) -> Iterator[Path]:
    """Go through a file, or the files in a folder and in those within it."""
    if path.is_dir():
        for inside in _visible(path):
            yield from _files(inside)
    elif _counts(path):
        yield path


def _counts(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in (".ipynb", ".zip", ".gz", ".7z", ".rar", ".py", ".pdf", ".html")


def _read(path: Path, student: str, folder: Path) -> HandedIn:
    one = HandedIn(student, unicodedata.normalize("NFC", str(path.relative_to(folder))))
    if (named := _LESSON.search(path.stem)) is not None:
        plain = re.sub(r"[\s_-]", "", named[1].lower())
        one.lesson = next((each.stem for each in handout.lessons() if each.stem.partition("-")[0] == plain), "")
    if path.suffix.lower() != ".ipynb":
        one.problem = f"found a {path.suffix} file, expected a notebook (.ipynb)"
        return one
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST // 2**20} MB")
        content = path.read_bytes()
        one.digest = hashlib.sha256(content).hexdigest()
        if content[:4] == b"PK\x03\x04":
            raise ValueError("it is a zip file with another name")
        notebook = json.loads(content)
        if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
            raise ValueError("it is no notebook of version 4")
        cells = [cell for cell in notebook["cells"] if isinstance(cell, dict) and cell.get("cell_type") == "code"]
        one.cells = list(map(handout.text, cells))
        one.texts = [handout.text(cell) for cell in notebook["cells"] if isinstance(cell, dict)]
    except (OSError, ValueError, RecursionError) as error:
        one.problem = f"the notebook cannot be read: {error}"
    return one


def numbers(one: HandedIn) -> list[str]:
    """List the exercises of a notebook: those of its lesson, else those that it checks."""
    for lesson in handout.lessons():
        if lesson.stem == one.lesson:
            return handout.exercises(handout.read(lesson))
    known = {number for lesson in lessons.LESSONS for number in lessons.exercises(lesson)}
    found = {number for source in one.cells for number in handout.checked(source)}
    return sorted(found & known, key=handout.place)
