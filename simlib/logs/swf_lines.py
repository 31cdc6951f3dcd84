"""Read the lines of a log: its comments, and the 18 or more numbers of each job."""

import hashlib
import io
import re
import shlex
from array import array
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._util.arrays import Bytes
from .._util.compiled import compiled
from .files import LIMIT, SWFError, memory_errors_name, read_bytes

FIELDS = (
    "job submit wait run procs cpu memory requested_procs requested_time requested_memory "
    "status user group app queue partition preceding think"
).split()
"""The 18 fields of a job line in order; `procs` are the allocated processors, `cpu` the mean CPU time used."""

_MOST = 2 * len(FIELDS) - 1
"""The most fields that a line may have: one with more is two lines that lack the line feed between them."""

_NAME_OF_FIELD = re.compile(rb"\s*Field (\d+): ([A-Za-z_]\w*)\s*")

LARGEST = 2**53 - 1
"""Beyond it neighbouring whole numbers are no longer told apart in floating point."""

_NEWLINE, _BLANK, _TAB, _SEMICOLON = b"\n \t;"
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
_EXACT: dict[str, Any] = {"float_precision": "round_trip"} if _PANDAS < (3, 1) else {}  # later ones are exact
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def read_log(path: str | Path, limit: int = LIMIT) -> tuple[tuple[str, ...], pd.DataFrame]:
    """Read all fields of all job lines, by job number, and the comments without their semicolon.

    A log may have further fields behind the 18 of the format, the same number on all lines. A comment such as `; Field
    19: energy` names one; without a comment its name is `field_19`. A field that has only whole numbers is int64.
    """
    with memory_errors_name(path):
        data = read_bytes(path, limit)
        comments, lines = _split_comments(data)
        fields = [*FIELDS, *_further(comments, _count(lines))]
        try:
            log = _parse_fast(lines, fields)
        except (ValueError, OverflowError) as error:  # pandas does not say where: the slow parser does
            if "out of memory" in str(error):
                raise MemoryError from None
            log = _parse_slowly(data, path, fields)
        log.index = pd.Index(log.job, name="job")
        return _decoded(comments), log


def job_lines(path: str | Path) -> tuple[int, str]:
    """Find the count and SHA-256 of a log's job lines, white space folded to single blanks, one line feed each.

    Comments, compression and layout do not change it, so it shows whether two files contain the same jobs.
    """
    return contents(path)[:2]


def contents(path: str | Path, limit: int = LIMIT) -> tuple[int, str, tuple[str, ...]]:
    """Find the count and digest of a log's job lines, as `job_lines`, and its comment lines without their semicolon."""
    with memory_errors_name(path):
        data = read_bytes(path, limit)
        folded = _folded(np.frombuffer(data, np.uint8))
        lines, digest = int((folded == _NEWLINE).sum()), hashlib.sha256(folded.data).hexdigest()
        return lines, digest, _decoded(_split_comments(data)[0])


def _decoded(comments: list[bytes]) -> tuple[str, ...]:
    return tuple(line.decode("utf-8", "replace") for line in comments)


@compiled
def _folded(text: Bytes) -> Bytes:
    """The job lines of a text (bytes), white space folded to single blanks, one line feed each."""
    folded = np.empty(text.size + 1, np.uint8)
    size = line = 0  # where the present line begins
    comment = apart = False
    for i in range(text.size + 1):
        byte = text[i] if i < text.size else _NEWLINE
        if byte == _NEWLINE:
            if size > line:
                folded[size] = _NEWLINE
                size += 1
                line = size
            comment = apart = False
        elif byte == _SEMICOLON:
            comment = True
        elif byte == _BLANK or byte == _TAB:
            apart = True
        elif not comment:
            if apart and size > line:
                folded[size] = _BLANK
                size += 1
            apart = False
            folded[size] = byte
            size += 1
    return folded[:size]


def _split_comments(data: bytes) -> tuple[list[bytes], bytes]:
    """The comment lines, and the bytes from the first job line on (which may hold further comments)."""
    body = re.search(rb"^[ \t]*[^;\s]", data, re.M)
    start = body.start() if body else len(data)
    rest = data[start:]
    later = re.findall(rb"^[ \t]*;[^\r\n]*", rest, re.M) if b";" in rest else []
    before = (line for line in io.BytesIO(data[:start]) if line.strip())
    return [line.strip()[1:] for line in (*before, *later)], rest


def _count(lines: bytes) -> int:
    """How many fields the first job line has."""
    first = lines[: lines.find(b"\n") if b"\n" in lines else None]
    return len(first.partition(b";")[0].split())


def _further(comments: list[bytes], count: int) -> list[str]:
    """The names of the fields behind the 18, if the first line has a plausible number of them."""
    if not len(FIELDS) < count <= _MOST:
        return []
    named = [(int(match[1]), match[2].decode()) for line in comments if (match := _NAME_OF_FIELD.fullmatch(line))]
    times = Counter(name for _, name in named) + Counter([*FIELDS, "estimate"])  # which the jobs table has
    by_number = {number: name for number, name in named if times[name] == 1}
    return [by_number.get(number, f"field_{number}") for number in range(len(FIELDS) + 1, count + 1)]


def _parse_fast(lines: bytes, fields: list[str]) -> pd.DataFrame:
    """Parse all fields with pandas' C parser; ValueError for any text that is not clean, so that no table is wrong."""
    if _count(lines) != len(fields):  # a longer first line would shift the columns
        raise ValueError
    log = pd.read_csv(
        io.BytesIO(lines),
        sep=r"\s+",
        header=None,
        names=fields,
        comment=";",
        na_filter=False,
        quoting=3,
        low_memory=False,
        **_EXACT,
    )
    for field in fields:
        kind = log[field].dtype
        if kind == np.float64:
            make_whole(log, field)
        elif kind != np.int64:
            raise ValueError
        if not (log[field].min() >= -LARGEST and log[field].max() <= LARGEST):
            raise ValueError
    return log


def _parse_slowly(data: bytes, path: str | Path, fields: list[str]) -> pd.DataFrame:
    """Parse all fields line by line, or raise an SWFError that names the first fault."""
    numbers = array("d")  # a list of them would take four times the memory
    for number, line in enumerate(io.BytesIO(data), start=1):
        values = line.partition(b";")[0].split()
        if not values:
            continue
        if len(values) != len(fields):
            _refuse_foreign(line, path, number)
            alike = ", as on the first line" if len(fields) > len(FIELDS) else ""
            raise SWFError(f"{path}: line {number}: found {len(values)} fields, expected {len(fields)}{alike}")
        if not any(map(_NUMBER.fullmatch, values)):
            _refuse_foreign(line, path, number)
        for field, value in zip(fields, values, strict=True):
            is_number = _NUMBER.fullmatch(value)
            if not is_number or abs(float(value)) > LARGEST:
                text = value[:40].decode("utf-8", "replace")
                expected = "a number below 2**53" if is_number else "a number (-1 if unknown)"
                raise SWFError(f"{path}: line {number}: field {field}: found {text!r}, expected {expected}")
        numbers.extend(map(float, values))
    if not numbers:
        raise SWFError(f"{path}: found no job, expected lines of {len(FIELDS)} numbers")
    log = pd.DataFrame(np.array(numbers).reshape(-1, len(fields)), columns=fields)
    for field in fields:
        make_whole(log, field)
    return log


_TABLE = "read it by simlib.read_table; a public set: simlib from-table {file} NEW.swf.gz"
_SACCT = "simlib from-sacct {file} NEW.swf.gz"

_FOREIGN = (
    (rb".*[\0-\x08\x0e-\x1f]", "binary data", "unpack or convert it"),
    (rb"\s*(#|%|//)", "a comment that begins with {mark}", "sed 's|^ *{mark}|;|' {file} > NEW.swf"),
    (rb"\s*[{\[]", "JSON", "if sacct --json wrote it, " + _SACCT),
    (rb".*\bjobid(raw)?\b", "the output of Slurm's sacct", _SACCT),
    (rb".*\b(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)\b", "the output of Slurm's sacct, without header", _SACCT),
    (rb"\s*[-+.\d]+(\s*,\s*[-+.\d]+){17}", "commas between the numbers", "tr , ' ' < {file} > NEW.swf"),
    (
        rb"(\d+/){2}\d+ [\d:]+;[A-Z];|\"JOB_[A-Z]+\" ",
        "accounting records of PBS or LSF",
        "make them a table, and " + _TABLE,
    ),
    (rb"([^,]*,){3}|([^|]*\|){3}|([^;\s]*;){3}|(?=.*[a-z])([^\t]*\t){3}", "a table", _TABLE),
    (rb"\s*([a-z]\S*\s+){17}[a-z]", "names of columns", "a line that holds no job begins with a semicolon"),
)
"""How a line begins that is of no log, what it is, and what to do."""


def _refuse_foreign(line: bytes, path: str | Path, number: int) -> None:
    """Raise an SWFError if a line with a fault tells that the file is no log, but something else that is known."""
    for pattern, what, right in _FOREIGN:
        if match := re.match(pattern, line, re.I):
            mark = match[0].decode("utf-8", "replace").strip()
            found = f"found {what}, expected a log in SWF; {right}".format(mark=mark, file=shlex.quote(str(path)))
            raise SWFError(f"{path}: line {number}: {found}")


def make_whole(log: pd.DataFrame, field: str) -> None:
    """Make a field of the table int64 if all its numbers are whole."""
    values = log[field].to_numpy()
    if np.isfinite(values).all() and (np.abs(values) <= LARGEST).all():
        whole = values.astype(np.int64)
        if (whole == values).all():
            log[field] = whole
