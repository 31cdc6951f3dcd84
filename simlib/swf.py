"""Read and write the Standard Workload Format (SWF), version 2.2, of the Parallel Workloads Archive.

A log is a header of comment lines (`; Key: value`) and one line of 18 numbers a job, -1 for what is not known.
Format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

import codecs
import gzip
import hashlib
import io
import re
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from numba import njit

from .paths import replacing
from .workload import Workload

FIELDS = (
    "job submit wait run procs cpu memory requested_procs requested_time requested_memory "
    "status user group app queue partition preceding think"
).split()
"""The 18 fields of a job line in order; `procs` are the allocated processors, `cpu` the mean CPU time used."""

_NEWLINE, _BLANK, _TAB, _SEMICOLON = b"\n \t;"
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
SYNTHETIC = "SYNTHETIC"
"""What a note in the header says where the jobs are made up; it sets `Workload.synthetic`."""

_LARGEST = 2**53 - 1  # beyond it neighbouring whole numbers are no longer told apart in floating point


class SWFError(ValueError):
    """A log that cannot be read; the message names the file, the line and field, and what was expected."""


def read_swf(path, procs=None, name=None):
    """Read a log in the Standard Workload Format.

    Parameters
    ----------
    path : str or Path
        A plain or gzip-compressed file, told apart by its content.
    procs : int, optional
        The machine's processors; by default the header's MaxProcs, else its MaxNodes.
    name : str, optional
        What to call the workload; by default the file's name without its endings.

    Returns
    -------
    Workload
        A job's size is its allocated processors, or the requested ones where the log records no allocation at all.
        Its estimate is the requested time if that is positive, else its run time. Times are rounded to whole seconds.

    Raises
    ------
    SWFError
        Where the file is not a log, or gives no machine size and none was passed.
    """
    path = Path(path)
    header, log = read_log(path)
    metadata = header_fields(header)
    if procs is None:
        procs = machine_size(metadata)
        if procs is None:
            raise SWFError(
                f"{path}: header has no machine size: expected a line like '; MaxProcs: 128', "
                f"or pass it: read_swf({path.name!r}, procs=128)"
            )
    if not log.job.is_unique:
        log.index = pd.RangeIndex(1, len(log) + 1, name="job")
    return Workload(
        jobs_of(log),
        procs,
        name=name or path.name.removesuffix(".gz").removesuffix(".swf"),
        start=start_time(metadata),
        header=header,
        log=log,
        source={"file": path.name, "path": str(path)},
        synthetic=SYNTHETIC in metadata.get("Note", ""),
    )


def jobs_of(log):
    """The jobs table of a Workload from the 18 fields of a log (see `read_swf` for sizes and estimates)."""
    log = log.round() if (log.dtypes == np.float64).any() else log
    size = log.procs if (log.procs > 0).any() else log.requested_procs
    estimate = log.requested_time.where(log.requested_time > 0, log.run)
    same = log[["submit", "run", "user", "group", "app", "queue", "status"]]
    return same.assign(procs=size, estimate=estimate).astype("int64")


def write_swf(workload, path):
    """Write a Workload, or the Schedule of one, as SWF; it reads back equal.

    The jobs that take part are written, with the fields of the log they came from where they have one. Of a schedule,
    the wait and run times are the simulated ones. A path that ends in .gz is compressed. The file appears at once and
    whole; the same jobs give the same bytes.

    Parameters
    ----------
    workload : Workload or Schedule
    path : str or Path
    """
    jobs, workload = workload.jobs, getattr(workload, "workload", workload)
    fields = pd.DataFrame(-1, index=jobs.index, columns=FIELDS)
    if workload.log is not None:
        fields = workload.log.loc[jobs.index]
    requested = fields.requested_time.where(fields.requested_time > 0, jobs.run)  # as reading derives the estimate
    fields = fields.assign(
        job=jobs.index if jobs.index.dtype.kind in "iuf" else range(1, len(jobs) + 1),  # names are no numbers
        wait=jobs.get("wait", fields.wait),
        requested_time=fields.requested_time.where(requested.round() == jobs.estimate, jobs.estimate),
        **{field: jobs[field] for field in ("submit", "run", "procs", "user", "group", "app", "queue", "status")},
    )
    write_log(_header_of(workload), fields, path)


def write_log(header, log, path):
    """Write comment lines and a table of the 18 fields such as `read_log` returns; see `write_swf`.

    Parameters
    ----------
    header : iterable of str
        Without their semicolon.
    log : DataFrame
        Columns `FIELDS`, one row a job line.
    path : str or Path
    """
    log = log[list(FIELDS)]
    for field in FIELDS:
        _whole(log, field)
    lines = log.to_csv(sep=" ", header=False, index=False, lineterminator="\n")
    data = ("".join(f";{line}\n" for line in header) + lines).encode()
    with replacing(path) as new:
        new.write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _header_of(workload):
    """The header lines to write: those read, with machine size and clock as they are now."""
    values = {"MaxProcs": workload.procs}
    if workload.start is not None:
        values |= {"UnixStartTime": int(workload.start.timestamp()), "TimeZoneString": workload.start.tz}
    for line in workload.header:
        key = line.partition(":")[0].strip()
        yield f" {key}: {values.pop(key)}" if key in values and not _says(line, values[key]) else line
        values.pop(key, None)
    yield from (f" {key}: {value}" for key, value in values.items())
    if workload.synthetic and not any(SYNTHETIC in line for line in workload.header):
        yield f" Note: {SYNTHETIC}: not the log of any machine."


def _says(line, value):
    return line.partition(":")[2].split()[:1] == [str(value)]


# The header


def header_fields(header):
    """The `Key: value` lines of a header as a dict of strings, those of a repeated key joined by line feeds."""
    fields = {}
    for line in header:
        key, colon, value = line.partition(":")
        if colon and re.fullmatch(r"\s*\w+\s*", key):
            key, value = key.strip(), value.strip()
            fields[key] = f"{fields[key]}\n{value}" if key in fields else value
    return fields


def machine_size(metadata):
    """The processors of the machine: the first number of MaxProcs, else of MaxNodes; None where neither has one."""
    for key in ("MaxProcs", "MaxNodes"):
        number = re.match(r"\d{1,15}(?!\d)", metadata.get(key, ""))  # no machine has more digits
        if number and int(number[0]) > 0:
            return int(number[0])
    return None


def start_time(metadata):
    """The time of second 0 in the log's own zone as a Timestamp; None where the header has no UnixStartTime."""
    try:
        seconds = int(metadata["UnixStartTime"].split()[0])
        return pd.Timestamp(seconds, unit="s", tz="UTC").tz_convert(metadata.get("TimeZoneString", "UTC").split()[0])
    except (LookupError, ValueError, ArithmeticError, OSError, NotImplementedError):  # absent, or not a time or zone
        return None


# The lines


def read_log(path):
    """Read all 18 fields of all job lines, and the comments.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    header : tuple of str
        The comment lines without their semicolon.
    log : DataFrame
        One row a job line in the order of the file, columns `FIELDS`, index the job number; whole numbers where a
        field has nothing else.

    Raises
    ------
    SWFError
    """
    data = read_bytes(path)
    if b"\0" in data:
        number = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise SWFError(f"{path}: line {number}: found binary data, expected text in the Standard Workload Format")
    comments, lines = _split_comments(data)
    try:
        log = _parse_fast(lines)
    except (ValueError, OverflowError):  # pandas does not say where: the slow parser does
        log = _parse_slowly(data, path)
    log.index = pd.Index(log.job, name="job")
    return tuple(line.decode("utf-8", "replace") for line in comments), log


def job_lines(path):
    """Count and SHA-256 of a log's job lines, white space folded to single blanks, one line feed each.

    Comments, compression and layout do not matter to it, so it tells whether two files hold the same jobs.

    Returns
    -------
    lines : int
    digest : str, hexadecimal
    """
    folded = _folded(np.frombuffer(read_bytes(path), np.uint8))
    return int((folded == _NEWLINE).sum()), hashlib.sha256(folded).hexdigest()


@njit(cache=True, nogil=True)
def _folded(text):
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


def read_bytes(path):
    """The bytes of a plain or gzip-compressed text, its lines ended by line feeds; SWFError where it cannot be read."""
    try:
        data = Path(path).read_bytes()
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SWFError(f"{path}: the gzip file is truncated or damaged ({error})") from None
    except OSError as error:
        raise SWFError(f"{path}: cannot be read: {error.strerror}") from None
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\v" in data or b"\f" in data:
        data = data.translate(bytes.maketrans(b"\v\f", b"  "))
    return data


def _split_comments(data):
    """The comment lines, and the bytes from the first job line on (which may hold further comments)."""
    body = re.search(rb"^[ \t]*[^;\s]", data, re.M)
    start = body.start() if body else len(data)
    rest = data[start:]
    later = re.findall(rb"^[ \t]*;[^\r\n]*", rest, re.M) if b";" in rest else []
    comments = [line.strip()[1:] for line in data[:start].splitlines() + later if line.strip()]
    return comments, rest


def _parse_fast(lines):
    """All fields by pandas' C parser. Raises ValueError for anything that is not clean: never a wrong table."""
    first = lines[: lines.find(b"\n") if b"\n" in lines else None]
    if len(first.partition(b";")[0].split()) != len(FIELDS):  # a longer first line would shift the columns
        raise ValueError
    if first.startswith(codecs.BOM_UTF8):  # that pandas would pass over
        raise ValueError
    log = pd.read_csv(
        io.BytesIO(lines),
        sep=r"\s+",
        header=None,
        names=FIELDS,
        comment=";",
        na_filter=False,
        quoting=3,
        low_memory=False,
    )
    for field, kind in log.dtypes.items():
        if kind == np.float64:
            _whole(log, field)
        elif kind != np.int64:
            raise ValueError
        if not (log[field].min() >= -_LARGEST and log[field].max() <= _LARGEST):
            raise ValueError
    return log


def _parse_slowly(data, path):
    """All fields line by line, or the first fault with its place."""
    rows = []
    for number, line in enumerate(data.splitlines(), start=1):
        values = line.partition(b";")[0].split()
        if not values:
            continue
        if len(values) != len(FIELDS):
            raise SWFError(f"{path}: line {number}: found {len(values)} fields, expected {len(FIELDS)}")
        for field, value in zip(FIELDS, values, strict=True):
            is_number = _NUMBER.fullmatch(value)
            if not is_number or abs(float(value)) > _LARGEST:
                found = value[:40].decode("utf-8", "replace")
                expected = "a number below 2**53" if is_number else "a number (-1 if unknown)"
                raise SWFError(f"{path}: line {number}: field {field}: found {found!r}, expected {expected}")
        rows.append([float(value) for value in values])
    if not rows:
        raise SWFError(f"{path}: found no job, expected lines of {len(FIELDS)} numbers")
    log = pd.DataFrame(rows, columns=FIELDS)
    for field in FIELDS:
        _whole(log, field)
    return log


def _whole(log, field):
    """Make a field of the table int64 where all its numbers are whole."""
    values = log[field].to_numpy()
    if np.isfinite(values).all() and (np.abs(values) <= _LARGEST).all():
        whole = values.astype(np.int64)
        if (whole == values).all():
            log[field] = whole
