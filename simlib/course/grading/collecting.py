"""Find the notebooks that were handed in, whose they are, and read them: any of them may be anything."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import handout

LARGEST = 50 * 2**20
"""Bytes of a notebook that are read."""

KEPT = "application/vnd.simlib.answer+json"
"""The kind of output in which an editor keeps the table that was typed in."""

_SPLIT = re.compile(r"[\s._-]*(?=lesson[\s_-]*\d|assignment)", re.IGNORECASE)
_LESSON = re.compile(r"(lesson[\s_-]*\d+[a-z]?|assignment)(?![a-z])", re.IGNORECASE)
_SKIPPED = re.compile(r"\.|__MACOSX$")


class CollectError(Exception):
    """What was handed in cannot be found."""


@dataclass
class HandedIn:
    """A file that a student handed in."""

    student: str
    name: str
    cells: list[str] = field(default_factory=list)
    typed: dict[str, Any] = field(default_factory=dict)
    lesson: str = ""
    digest: str = ""
    problem: str = ""


def collect(folder: str | Path) -> dict[str, list[HandedIn]]:
    """Read what lies in a folder: by student what he or she handed in, students and files in alphabetical order.

    In `handed-in/<student>/...` the folder is the student's name; a file beside such folders begins with it, as
    `<student>-lesson2-easy.ipynb`.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CollectError(f"{folder}: found no folder, expected one with a folder or a notebook a student")
    found: dict[str, list[HandedIn]] = {}
    for path in _visible(folder):
        if path.is_dir():
            files = [_read(file, path.name, folder) for file in _files(path)]
            _take(found, path.name, files)
        elif _counts(path):
            student = _SPLIT.split(path.stem)[0] or path.stem
            _take(found, student, [_read(path, student, folder)])
    if not found:
        raise CollectError(f"{folder}: found nothing that was handed in, expected a folder or a notebook a student")
    return dict(sorted(found.items()))


def _take(found: dict[str, list[HandedIn]], student: str, files: list[HandedIn]) -> None:
    """Add a student's files; a notebook counts, and what is no notebook only where there is none."""
    name = unicodedata.normalize("NFC", student)
    files = found.pop(name, []) + files
    notebooks = [one for one in files if one.name.endswith(".ipynb")]
    found[name] = notebooks or files


def _visible(folder: Path) -> list[Path]:
    """List what lies in a folder, but for what programs put there, and links, which may lead anywhere."""
    return sorted(path for path in folder.iterdir() if not _SKIPPED.match(path.name) and not path.is_symlink())


def _files(folder: Path) -> Iterator[Path]:
    for path in _visible(folder):
        if path.is_dir():
            yield from _files(path)
        elif _counts(path):
            yield path


def _counts(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in (".ipynb", ".zip", ".gz", ".7z", ".rar", ".py", ".pdf", ".html")


def _read(path: Path, student: str, folder: Path) -> HandedIn:
    one = HandedIn(unicodedata.normalize("NFC", student), unicodedata.normalize("NFC", str(path.relative_to(folder))))
    one.lesson = _lesson(path.stem)
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
        one.typed = {number: jobs for cell in cells for number, jobs in _kept(cell)}
    except (OSError, ValueError, RecursionError) as error:
        one.problem = f"the notebook cannot be read: {error}"
    return one


def _kept(cell: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Go through the tables that were kept in a cell's outputs."""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data") if isinstance(output, dict) else None
        kept = data.get(KEPT) if isinstance(data, dict) else None
        if isinstance(kept, dict) and isinstance(kept.get("exercise"), str):
            yield kept["exercise"], kept.get("jobs")


def _lesson(stem: str) -> str:
    """Find which lesson's notebook has such a name."""
    number = _LESSON.search(stem)
    if number is None:
        return ""
    plain = re.sub(r"[\s_-]", "", number[1].lower())
    fitting = [lesson.stem for lesson in handout.lessons() if lesson.stem.partition("-")[0] == plain]
    return fitting[0] if fitting else ""
