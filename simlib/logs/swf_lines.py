"""Read the lines of a log: its comments, and the 18 or more numbers of each job."""

import codecs
import hashlib
import io
import os
import re
import stat
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._util.arrays import Bytes
from .._util.compiled import compiled

# Read the text of a log's file, plain or compressed.


LIMIT = 2 * 2**30
"""Bytes that a log may have once decompressed: three to four times the largest one of the archive."""

_BLOCK = 2**24  # bytes read at a time


class SWFError(ValueError):
    """A log that cannot be read; the message names the file, the line and field, and what was expected."""

    __module__ = "simlib.logs.swf"  # where it is imported from, as tracebacks show it


def read_bytes(path: str | Path, limit: int = LIMIT) -> bytes:
    """Read a plain or gzip-compressed text as bytes, its lines ended by line feeds.

    SWFError if it cannot be read, is no file (reading a pipe could wait for ever), is larger than `limit`, or is no
    text.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
            raise SWFError(f"{path}: found a pipe or a device, expected a file; write it to one first")
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            blocks = _decompressed(file.read()) if packed else iter(lambda: file.read(_BLOCK), b"")
            data = _joined(blocks, path, limit)
    except (EOFError, zlib.error) as error:
        raise SWFError(f"{path}: the gzip file is truncated or damaged ({error})") from None
    except OSError as error:
        raise SWFError(f"{path}: cannot be read: {error.strerror}") from None
    except SWFError:
        raise
    except ValueError as error:  # a NUL in the path, or a character that no file system has
        raise SWFError(f"{str(path)!r}: cannot be read: {error}") from None
    return _with_line_feeds(data.removeprefix(codecs.BOM_UTF8))


def _decompressed(data: bytes) -> Iterator[bytes]:
    """Decompress a gzip file's bytes block by block; `gzip.open` takes one and a half times as long."""
    while data:
        part = zlib.decompressobj(wbits=31)
        while not part.eof:
            block = part.decompress(data, _BLOCK)
            data = part.unconsumed_tail
            if block:
                yield block
            elif not (data or part.eof):
                raise EOFError("it ended before the end-of-stream marker was reached")
        data = part.unused_data.lstrip(b"\0")


def _joined(parts: Iterable[bytes], path: str | Path, limit: int) -> bytes:
    """Join the blocks of a text; raise SWFError as soon as there are too many bytes, or a NUL."""
    blocks, size = [], 0
    for block in parts:
        blocks.append(block)
        size += len(block)
        if b"\0" in block:
            number = 1 + _with_line_feeds(b"".join(blocks).partition(b"\0")[0]).count(b"\n")
            raise SWFError(f"{path}: line {number}: found binary data, expected text")
        if size > limit:
            raise SWFError(f"{path}: found more than {limit:,} bytes of text, expected a log that is smaller")
    return b"".join(blocks)


def _with_line_feeds(data: bytes) -> bytes:
    """End each line of a text with a line feed, and replace rarer kinds of white space by blanks."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\v" in data or b"\f" in data:
        data = data.translate(bytes.maketrans(b"\v\f", b"  "))
    return data


@contextmanager
def memory_errors_name(path: str | Path) -> Iterator[None]:
    """Raise an SWFError that names the file if the block runs out of memory."""
    try:
        yield
    except MemoryError:
        raise SWFError(f"{path}: found more than this machine's memory holds, expected a log that is smaller") from None


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
    if lines.startswith(codecs.BOM_UTF8):  # that pandas would pass over
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
            if b"jobid" in line.lower():
                raise SWFError(
                    f"{path}: line {number}: found the output of Slurm's sacct, expected a log; convert it by "
                    "python -m simlib from-sacct JOBS.txt LOG.swf.gz"
                )
            alike = ", as on the first line" if len(fields) > len(FIELDS) else ""
            raise SWFError(f"{path}: line {number}: found {len(values)} fields, expected {len(fields)}{alike}")
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


def make_whole(log: pd.DataFrame, field: str) -> None:
    """Make a field of the table int64 if all its numbers are whole."""
    values = log[field].to_numpy()
    if np.isfinite(values).all() and (np.abs(values) <= LARGEST).all():
        whole = values.astype(np.int64)
        if (whole == values).all():
            log[field] = whole
