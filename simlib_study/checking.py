"""Hold what a run left in figures/ against what is committed, exhibit by exhibit; also where names have changed since.

What is compared are the numbers and texts of tables (.csv) and records (.json), by where they stand: in a table by the
texts of their row and their column, in a record by the names that lead to them. Which versions of Python and its
packages made a record is left out.
"""

import csv
import io
import json
import subprocess
import tarfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from simlib._util import paths

LAST_DIGIT = 1.001e-4
"""Numbers are saved with four decimals: on another processor the last one may differ by one."""

FIGURES = "figures"


@dataclass(frozen=True)
class Moves:
    """New names, by old ones, of files, of columns and keys, and by new column or key of texts."""

    files: dict[str, str]
    columns: dict[str, str]
    texts: dict[str, dict[str, str]]

    def column(self, name: str) -> str:
        """The new name of a column, or of a key."""
        return self.columns.get(name, name)

    def text(self, column: str, text: str) -> str:
        """The new text in a column, or under a key, of this new name."""
        return self.texts.get(column, {}).get(text, text)


SAME = Moves({}, {}, {})


def moves(path: Path) -> Moves:
    """Read which names have changed: a TOML file with tables `files`, `columns` and `texts`."""
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    if unknown := set(read) - {"files", "columns", "texts"}:
        raise ValueError(f"{path}: found the table {min(unknown)}, expected files, columns or texts")
    return Moves(read.get("files", {}), read.get("columns", {}), read.get("texts", {}))


def committed(revision: str) -> dict[str, bytes]:
    """Read what is committed in figures/ at a revision: contents by path."""
    asked = ["git", "archive", revision, FIGURES]
    packed = subprocess.run(asked, cwd=paths.ROOT, capture_output=True)
    if packed.returncode:
        raise ValueError(f"check: {packed.stderr.decode().strip()}; expected a commit of this repository")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as tar:
        return {one.name: file.read() for one in tar if (file := tar.extractfile(one))}


def here() -> dict[str, bytes]:
    """Read what lies in figures/: contents by path."""
    files = (path for path in (paths.ROOT / FIGURES).rglob("*") if path.is_file())
    return {path.relative_to(paths.ROOT).as_posix(): path.read_bytes() for path in files}


def check(revision: str = "HEAD", exact: bool = False, moved: Moves | None = None) -> tuple[list[str], bool]:
    """Compare figures/ with a commit; returns a line an exhibit, and whether all is equal that was run.

    Parameters
    ----------
    revision : str
    exact : bool
        Whether the last digit must be equal, too.
    moved : Moves, optional
        The new names of what is committed; each file must have one then.
    """
    old, new, names = committed(revision), here(), moved or SAME
    if moved:
        if lost := [path for path in old if path not in names.files]:
            raise ValueError(f"check: found {len(lost)} files without a new name, such as {lost[0]}, expected none")
        old = {names.files[path]: content for path, content in old.items()}
    lines: dict[str, list[str]] = {}
    largest: dict[str, float] = {}
    exhibits = {_exhibit(path): "" for path in sorted({*old, *new}) if path.endswith((".csv", ".json"))}
    for path in sorted({*old, *new}):
        exhibit = _exhibit(path)
        found = lines.setdefault(exhibit, [])
        if path not in new or path not in old:
            found.append(f"{path} is {'not here' if path not in new else 'new'}")
        elif exhibit in exhibits and path.endswith((".csv", ".json")):
            differing, by = _compared(path, old[path], new[path], names, 0 if exact else LAST_DIGIT)
            found += differing
            largest[exhibit] = max(largest.get(exhibit, 0.0), by)
    said, good = [], True
    for exhibit in lines:
        why = _not_run(exhibit) if exhibit in exhibits and not moved else ""
        good &= not lines[exhibit]
        if lines[exhibit]:
            said += [f"{exhibit}: {line}" for line in lines[exhibit]]
        elif exhibit in exhibits:
            same = f"differs by at most {largest[exhibit]:.0e}" if largest.get(exhibit) else "equal"
            said.append(f"{exhibit}: {why or same}")
    return said, good


def _exhibit(path: str) -> str:
    """The exhibit of a file: the folder and the name of its notebook; of others the file's own name."""
    _, *folders, _ = PurePosixPath(path).parts
    parts = folders if len(folders) > 1 else PurePosixPath(path).stem.split("_")
    return "/".join(parts[:2]) if len(parts) > 1 else path


def _not_run(exhibit: str) -> str:
    """Why what lies in figures/ is not of the last run; "" where it is."""
    build = paths.ROOT / "build"
    if not (build / "notebooks" / f"{exhibit}.ipynb").exists():
        return "not run"
    stand_ins = (build / "synthetic").glob(f"{exhibit.replace('/', '_')}*.json")
    return "not run: a log is not on this machine" if any(stand_ins) else ""


def _compared(path: str, old: bytes, new: bytes, names: Moves, slack: float) -> tuple[list[str], float]:
    """Compare two contents of a file; returns what differs, and by how much numbers do that count as equal."""
    if old == new and names is SAME:
        return [], 0.0
    before, after = _values(path, old, names), _values(path, new, SAME)
    found = []
    for one, other, what in ((before, after, "not here"), (after, before, "new")):
        if gone := [place for place in one if place not in other]:
            found.append(f"{path}: {len(gone)} of {len(one)} values are {what}, such as {' '.join(gone[0])}")
    by, wrong = 0.0, []
    for place in before.keys() & after.keys():
        if (apart := _apart(before[place], after[place])) > slack:
            wrong.append((apart, place))
        else:
            by = max(by, apart)
    if wrong:
        _, place = max(wrong)
        found.append(
            f"{path}: {len(wrong)} of {len(before)} values differ, most of all {' '.join(place)}: found "
            f"{after[place]}, expected {before[place]}"
        )
    return found, by


def _apart(one: str, other: str) -> float:
    """How far apart two values are; texts, and what is no number, are equal or infinitely far apart."""
    if one == other:
        return 0.0
    try:
        apart = abs(float(one) - float(other))
    except ValueError:
        return float("inf")
    return apart if apart == apart else float("inf")


def _values(path: str, content: bytes, names: Moves) -> dict[tuple[str, ...], str]:
    """Lay out a table or a record by where each value stands, under its new names."""
    text = content.decode("utf-8")
    return _of_table(text, names) if path.endswith(".csv") else dict(_of_record(json.loads(text), (), names))


def _of_table(text: str, names: Moves) -> dict[tuple[str, ...], str]:
    """The values of a table, by the texts of their row, how many such rows came before, and their column."""
    head, *rows = csv.reader(io.StringIO(text))
    head = [names.column(name) for name in head]
    found: dict[tuple[str, ...], str] = {}
    before: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        row = [names.text(column, field) for column, field in zip(head, row, strict=True)]
        texts = tuple(sorted(f"{column}={field}" for column, field in zip(head, row, strict=True) if _is_text(field)))
        before[texts] += 1
        found |= {(*texts, f"#{before[texts]}", column): field for column, field in zip(head, row, strict=True)}
    return found


def _is_text(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return bool(field)
    return False


def _of_record(value: Any, place: tuple[str, ...], names: Moves) -> Iterator[tuple[tuple[str, ...], str]]:
    """The values of a record, by the names that lead to them."""
    if isinstance(value, dict):
        for key, one in value.items():
            if place or key != "versions":
                yield from _of_record(one, (*place, names.column(key)), names)
    elif isinstance(value, list):
        yield (*place, "length"), str(len(value))
        for number, one in enumerate(value):
            yield from _of_record(one, (*place, str(number)), names)
    else:
        said = str(value)
        yield place, names.text(place[-1] if place else "", said)
