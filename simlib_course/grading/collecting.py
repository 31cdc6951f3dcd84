"""Find the notebooks that were handed in, and whose they are, and read them: any of them may be anything."""

import ast
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from pathlib import Path

from .. import lessons
from ..answers import words
from . import handout

LARGEST = 50 * 2**20
"""Bytes of a notebook that are read."""

_MOODLE = re.compile(r"(.+?)_(\d+)_assignsubmission_(?:file|onlinetext)")
_CANVAS = re.compile(r"([^_]+?)(?:_LATE)?_(\d+)_\d+_")
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
    id: str = ""
    """The number that Moodle or Canvas put into the file's name."""
    cells: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lesson: str = ""
    digest: str = ""
    problem: str = ""


def collect(folder: str | Path, names: Iterable[str] = ()) -> dict[str, list[HandedIn]]:
    """Read the notebooks in a folder by student: those in `<student>/`, and those like `<student>-lesson2.ipynb`.

    Files of Moodle and of Canvas are understood. However a name is typed, it is one student: the one of `names`, where
    they are given; a student of them who handed nothing in is there, too.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CollectError(f"{folder}: found no folder, expected one with a folder or a notebook a student")
    students: dict[str, list[HandedIn]] = {name: [] for name in names}
    known = {spelled: name for name in students for spelled in _spellings(name)}
    for path in _visible(folder):
        if path.is_dir() or _counts(path):
            name, number = _student(path)
            name = known.setdefault(" ".join(words(name)) or name, name)
            students.setdefault(name, []).extend(_read(file, name, number, folder) for file in _files(path))
    if not students:
        raise CollectError(f"{folder}: found nothing that was handed in, expected a folder or a notebook a student")
    for student, files in students.items():  # what is no notebook counts only where there is none
        students[student] = [one for one in files if one.name.endswith(".ipynb")] or files
        for lesson in sorted({one.lesson for one in files}):
            if len(ids := sorted({one.id for one in files if one.lesson == lesson} - {""})) > 1:
                raise CollectError(
                    f"{folder}: found {student!r} with the numbers {' and '.join(ids)} in {lesson or 'one lesson'}, "
                    f"expected one person of a name. If they are two, call one of them {student} 2, here and in the "
                    "list of names"
                )
    return dict(sorted(students.items()))


def _spellings(name: str) -> list[str]:
    """List how a name of the class may be found: its words in alphabetical order, and as Canvas has it, in one word."""
    its = words(name)
    return [" ".join(its), *map("".join, permutations(its) if len(its) <= 5 else [its])]


def _student(path: Path) -> tuple[str, str]:
    """Find whose a folder or a file is, and the number that Moodle or Canvas gave."""
    name = unicodedata.normalize("NFC", path.name if path.is_dir() else path.stem)
    if found := _MOODLE.match(name) or _CANVAS.match(name):
        return found[1], found[2]
    if path.is_dir():
        return name, ""
    for lesson in handout.lessons():  # lesson2-easy-Ada.ipynb
        if name.startswith(lesson.stem) and (rest := name.removeprefix(lesson.stem).strip(" ._-")):
            return rest, ""
    return _SPLIT.split(name)[0] or name, ""


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


def _read(path: Path, student: str, number: str, folder: Path) -> HandedIn:
    one = HandedIn(student, unicodedata.normalize("NFC", str(path.relative_to(folder))), number)
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


_OURS = ("simlib_course", "simlib.policies.examples_own")


def foreign(one: HandedIn) -> list[str]:
    """List the names of the course's own modules that a notebook uses, and that no lesson hands out."""
    return sorted(set(_used(one.cells)) - _handed_out())


@cache
def _handed_out() -> frozenset[str]:
    return frozenset(name for lesson in handout.lessons() for name in _used(handout.code(handout.read(lesson))))


def _used(cells: Iterable[str]) -> Iterator[str]:
    """Go through the names of the course's own modules in some cells, such as `lesson2.queue`."""
    for source in cells:
        try:
            nodes = list(ast.walk(ast.parse(source)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(_OURS):
                yield from (f"{str(node.module).rpartition('.')[2]}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name.startswith(_OURS))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if re.fullmatch(r"lessons?\d*|assignment|answers|examples_own", node.value.id):
                    yield f"{node.value.id}.{node.attr}"
