"""Hold what a run left in figures/ against what is committed, exhibit by exhibit.

What is compared are the numbers and texts of tables (.csv) and records (.json), by where they stand: in a table by the
texts of their row and their column, in a record by the names that lead to them. Which versions of Python and its
packages made a record is left out.
"""

import csv
import io
import json
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from simlib._util import paths

LAST_DIGIT = 1.001e-4
"""Numbers are saved with four decimals: on another processor the last one may differ by one."""

FIGURES = "figures"


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


def check(revision: str = "HEAD", exact: bool = False) -> tuple[list[str], bool]:
    """Compare figures/ with a commit; returns a line an exhibit, and whether all is equal that was run.

    `exact` asks for the last digit to be equal, too.
    """
    old, new = committed(revision), here()
    lines: dict[str, list[str]] = {}
    largest: dict[str, float] = {}
    numbers = {_exhibit(path) for path in {*old, *new} if path.endswith((".csv", ".json"))}
    for path in sorted({*old, *new}):
        exhibit = _exhibit(path)
        faults = lines.setdefault(exhibit, [])
        if path not in new or path not in old:
            faults.append(f"{path} is {'not here' if path not in new else 'new'}")
        elif path.endswith((".csv", ".json")):
            differing, by = _compared(path, old[path], new[path], 0 if exact else LAST_DIGIT)
            faults += differing
            largest[exhibit] = max(largest.get(exhibit, 0.0), by)
    said, good = [], True
    for exhibit in lines:
        why = _not_run(exhibit) if exhibit in numbers else ""
        good &= not lines[exhibit]
        if lines[exhibit]:
            said += [f"{exhibit}: {line}" for line in lines[exhibit]]
        elif exhibit in numbers:
            same = f"differs by at most {largest[exhibit]:.0e}" if largest.get(exhibit) else "equal"
            said.append(f"{exhibit}: {why or same}")
    return said, good


def _exhibit(path: str) -> str:
    """The exhibit of a file, which is the folder that it lies in; of others the file itself."""
    _, *folders, _ = PurePosixPath(path).parts
    return "/".join(folders) or path


def _not_run(exhibit: str) -> str:
    """Why what lies in figures/ is not of the last run; "" where it is."""
    build = paths.ROOT / "build"
    if not (build / "notebooks" / f"{exhibit}.ipynb").exists():
        return "not run"
    return "not run: a log is not on this machine" if (build / "synthetic" / exhibit).exists() else ""


def _compared(path: str, old: bytes, new: bytes, slack: float) -> tuple[list[str], float]:
    """Compare two contents of a file; returns what differs, and by how much numbers do that count as equal."""
    if old == new:
        return [], 0.0
    before, after = _values(path, old), _values(path, new)
    faults = []
    for one, other, what in ((before, after, "not here"), (after, before, "new")):
        if gone := [place for place in one if place not in other]:
            faults.append(f"{path}: {len(gone)} of {len(one)} values are {what}, such as {' '.join(gone[0])}")
    by, wrong = 0.0, []
    for place in before.keys() & after.keys():
        if (apart := _apart(before[place], after[place])) > slack:
            wrong.append((apart, place))
        else:
            by = max(by, apart)
    if wrong:
        _, place = max(wrong)
        faults.append(
            f"{path}: {len(wrong)} of {len(before)} values differ, most of all {' '.join(place)}: found "
            f"{after[place]}, expected {before[place]}"
        )
    return faults, by


def _apart(one: str, other: str) -> float:
    """How far apart two values are; texts, and what is no number, are equal or infinitely far apart."""
    if one == other:
        return 0.0
    try:
        apart = abs(float(one) - float(other))
    except ValueError:
        return float("inf")
    return apart if apart == apart else float("inf")


def _values(path: str, content: bytes) -> dict[tuple[str, ...], str]:
    """Lay out a table or a record by where each value stands."""
    text = content.decode("utf-8")
    return _of_table(text) if path.endswith(".csv") else dict(_of_record(json.loads(text), ()))


def _of_table(text: str) -> dict[tuple[str, ...], str]:
    """The values of a table, by the texts of their row, how many such rows came before, and their column."""
    head, *rows = csv.reader(io.StringIO(text))
    fields: dict[tuple[str, ...], str] = {}
    before: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        texts = tuple(sorted(f"{column}={field}" for column, field in zip(head, row, strict=True) if _is_text(field)))
        before[texts] += 1
        fields |= {(*texts, f"#{before[texts]}", column): field for column, field in zip(head, row, strict=True)}
    return fields


def _is_text(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return bool(field)
    return False


def _of_record(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The values of a record, by the names that lead to them."""
    if isinstance(value, dict):
        for key, one in value.items():
            if place or key != "versions":
                yield from _of_record(one, (*place, key))
    elif isinstance(value, list):
        yield (*place, "length"), str(len(value))
        for number, one in enumerate(value):
            yield from _of_record(one, (*place, str(number)))
    else:
        yield place, str(value)
