"""Read and write the Standard Workload Format (SWF), version 2.2, of the Parallel Workloads Archive.

A log is a header of comment lines (`; Key: value`) and one line of 18 numbers a job, -1 for what is not known.
Format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

import codecs
import gzip
import hashlib
import io
import os
import re
import stat
import warnings
import zlib
from array import array
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from .compiled import compiled
from .doubts import LogWarning, doubts
from .paths import replacing
from .workload import Workload

FIELDS = (
    "job submit wait run procs cpu memory requested_procs requested_time requested_memory "
    "status user group app queue partition preceding think"
).split()
"""The 18 fields of a job line in order; `procs` are the allocated processors, `cpu` the mean CPU time used."""

_NEWLINE, _BLANK, _TAB, _SEMICOLON = b"\n \t;"
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_PLAIN = re.compile(r"([+-]?[0-9]{1,15})(\s*[(\[{;].*)?")  # what stands in brackets behind a value is a note
_WORDS = r"\s+([-:;,]\s+)?[^\W\d_]{2}[^\d(\[{]*([(\[{;].*)?"
_SIZE = re.compile(rf"([+-]?[0-9]{{1,15}})(\s*[(\[{{;].*|{_WORDS})?")  # words may follow a size, too
_ZONE = re.compile(r"(\S+)(\s*[(\[{;].*)?")

SYNTHETIC = "SYNTHETIC"
"""What a comment says where the jobs are made up, in whatever case and line; it sets `Workload.synthetic`."""

_MARK = re.compile(rf"\b{SYNTHETIC}", re.I)

LIMIT = 2 * 2**30
"""Bytes that a log may have once decompressed: three to four times the largest one of the archive."""

_BLOCK = 2**24  # bytes read at a time

_LARGEST = 2**53 - 1  # beyond it neighbouring whole numbers are no longer told apart in floating point


class SWFError(ValueError):
    """A log that cannot be read; the message names the file, the line and field, and what was expected."""


def read_swf(path, procs=None, name=None, limit=LIMIT):
    """Read a log in the Standard Workload Format.

    Parameters
    ----------
    path : str or Path
        A plain or gzip-compressed file, told apart by its content.
    procs : int, optional
        The machine's processors; by default the header's MaxProcs, else its MaxNodes.
    name : str, optional
        What to call the workload; by default the file's name without its endings.
    limit : int
        The largest size of the text in bytes, once it is decompressed. Two GiB by default, some twenty million jobs.

    Returns
    -------
    Workload
        A job's size is its allocated processors, or the requested ones where the log records no allocation at all.
        Its estimate is the requested time if that is positive, else its run time. Times are rounded to whole seconds.
        It is synthetic if any comment has the word "synthetic".

    Raises
    ------
    SWFError
        Where the file is not a log, is larger than the limit or the memory, or gives no machine size that makes sense
        and none was passed.

    Warns
    -----
    LogWarning
        Where what the log says of itself makes no sense, or it lacks estimates: see `simlib.doubts.doubts`. Where
        its time or zone cannot be read, so that it has no calendar.
    """
    workload, doubtful = read(path, procs, name, limit)
    for sentence in doubtful:
        warnings.warn(sentence, LogWarning, stacklevel=2)
    return workload


def read(path, procs=None, name=None, limit=LIMIT, known=None, source=None, synthetic=False):
    """As `read_swf`, but tells what is doubtful instead of warning of it.

    Parameters
    ----------
    path, procs, name, limit
        As for `read_swf`.
    known : dict of str to str, optional
        Fields of the header that are known better than the file has them.
    source : dict, optional
        What else is known of where it comes from.
    synthetic : bool
        Whether it is known to be made up, whatever the header says.

    Returns
    -------
    Workload
    doubtful : list of str
    """
    path = Path(path)
    with _memory_of(path):
        header, log = read_log(path, limit)
        metadata = header_fields(header) | (known or {})
        if procs is None:
            try:
                procs = machine_size(metadata)
            except ValueError as error:
                raise SWFError(f"{path}: {error}, or pass it: read_swf({path.name!r}, procs=128)") from None
        start, doubtful = None, []
        try:
            start = start_time(metadata)
        except ValueError as error:
            doubtful.append(f"{path}: the log has no calendar: {error}")
        if not log.job.is_unique:
            log.index = pd.RangeIndex(1, len(log) + 1, name="job")
        workload = Workload(
            jobs_of(log),
            procs,
            name=name or path.name.removesuffix(".gz").removesuffix(".swf"),
            start=start,
            header=header,
            log=log,
            source={"file": path.name, "path": str(path)} | (source or {}),
            synthetic=synthetic or says_synthetic(header),
        )
        return workload, [*doubtful, *doubts(workload)]


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
    the wait and run times are the simulated ones. Jobs whose index has names instead of numbers are numbered from 1. A
    path that ends in .gz is compressed. The file appears at once and whole; the same jobs give the same bytes.

    Parameters
    ----------
    workload : Workload or Schedule
    path : str or Path

    Raises
    ------
    SWFError
        Where it would not read back equal; nothing is written. The message names the job: an estimate of 0 that is not
        its run time, a number of 2**53 or more, a number that another job has, too. Or there is no job at all, the
        start is not a whole second in a zone that has a name, or a header line holds a line break.
    OSError
        Where the file cannot be written.
    """
    jobs, workload = workload.jobs, getattr(workload, "workload", workload)
    fields = pd.DataFrame(-1, index=jobs.index, columns=FIELDS)
    if workload.log is not None:
        _refuse_other_numbers(workload.log, jobs.index, path)
        fields = workload.log.loc[jobs.index]
    requested = fields.requested_time.where(fields.requested_time > 0, jobs.run)  # as reading derives the estimate
    fields = fields.assign(
        job=jobs.index if jobs.index.dtype.kind in "iuf" else range(1, len(jobs) + 1),  # names are no numbers
        wait=jobs.get("wait", fields.wait),
        requested_time=fields.requested_time.where(requested.round() == jobs.estimate, jobs.estimate),
        **{field: jobs[field] for field in ("submit", "run", "procs", "user", "group", "app", "queue", "status")},
    )
    _refuse(path, fields, ~fields.job.duplicated(keep=False), "job", "a number that no other job has")
    right = (jobs.estimate > 0) | (jobs.estimate == jobs.run)
    _refuse(path, fields, right, "requested_time", "an estimate of at least 1, for what is less reads as unknown")
    write_log(_header_of(workload, path), fields, path)


def _refuse_other_numbers(log, index, path):
    """Raise SWFError where jobs would be written under other numbers than those that fields of the log refer to."""
    chosen = index.isin(log.index)
    if not chosen.all():
        raise SWFError(f"{path}: not written: job {index[~chosen][0]!r}: found no line of it in the workload's log")
    repeated = log.index.has_duplicates or log.job.duplicated().any()
    if repeated:
        numbers = log.job[log.job.duplicated()]
        which = numbers.iloc[0] if len(numbers) else log.index[log.index.duplicated()][0]
        raise SWFError(
            f"{path}: not written: job {which}: found jobs of the same number in the log, expected a number for every "
            "job; to number them anew, write Workload(w.jobs, w.procs, start=w.start)"
        )


def _refuse(path, fields, right, field, expected):
    """Raise SWFError that names the first job whose field is not right."""
    if not right.all():
        place = int(np.argmin(right.to_numpy()))
        job, found = (fields[name].iloc[place] for name in ("job", field))
        raise SWFError(f"{path}: not written: job {job}: field {field}: found {found}, expected {expected}")


def write_log(header, log, path):
    """Write comment lines and a table of the 18 fields such as `read_log` returns; see `write_swf`.

    Parameters
    ----------
    header : iterable of str
        Without their semicolon.
    log : DataFrame
        Columns `FIELDS`, one row a job line.
    path : str or Path

    Raises
    ------
    SWFError
        For a table without jobs, or numbers and comments that `read_log` would not read; nothing is written.
    """
    if "\0" in str(path):
        raise SWFError(f"{str(path)!r}: cannot be written: found a NUL in the path")
    if not len(log):
        raise SWFError(f"{path}: not written: found no job, expected one at least")
    log = log[list(FIELDS)]
    for field in FIELDS:
        _whole(log, field)
        _refuse(path, log, log[field].between(-_LARGEST, _LARGEST), field, "a number below 2**53")
    header = list(header)
    for number, line in enumerate(header, start=1):
        if found := re.search(r"[\0\n\r]", line):
            raise SWFError(f"{path}: not written: header line {number}: found {found[0]!r}, expected text in one line")
    lines = log.to_csv(sep=" ", header=False, index=False, lineterminator="\n")
    data = ("".join(f";{line}\n" for line in header) + lines).encode("utf-8", "replace")
    with replacing(path) as new:
        new.write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _header_of(workload, path):
    """The header lines to write: those read, with machine size, clock and mark as they are now.

    Raises
    ------
    SWFError
        Where they would not be read as they are.
    """
    header = list(_updated(workload))
    metadata, start = header_fields(header), workload.start
    try:
        if machine_size(metadata) != workload.procs:
            raise ValueError(f"machine size: found {workload.procs}, expected a number of at most 15 digits")
        again = start_time(metadata)
        if (again, str(again and again.tz)) != (start, str(start and start.tz)):
            raise ValueError(f"start: found {start}, expected a whole second in a zone such as Europe/Stockholm")
    except ValueError as error:
        raise SWFError(f"{path}: not written: {error}") from None
    return header


def _updated(workload):
    values = {"MaxProcs": workload.procs, "UnixStartTime": None, "TimeZoneString": None}
    if workload.start is not None:
        values |= {"UnixStartTime": int(workload.start.timestamp()), "TimeZoneString": workload.start.tz}
    written = set()
    for line in workload.header:
        key, colon, _ = line.partition(":")
        if not colon or (key := key.strip()) not in values:
            yield line
        elif values[key] is not None and key not in written:  # once, for two that differ say nothing
            written.add(key)
            yield line if _says(line, values[key]) else f" {key}: {values[key]}"
    yield from (f" {key}: {value}" for key, value in values.items() if value is not None and key not in written)
    if workload.synthetic and not says_synthetic(workload.header):
        yield f" Note: {SYNTHETIC}: not the log of any machine."


def _says(line, value):
    text = line.partition(":")[2]
    found = (_SIZE if isinstance(value, int) else _ZONE).fullmatch(text.strip())
    return bool(found) and found[1] == str(value)


# The header


def header_fields(header):
    """The `Key: value` lines of a header as a dict of strings, those of a repeated key joined by line feeds."""
    fields = {}
    for line in header:
        key, colon, value = line.partition(":")
        if colon and re.fullmatch(r"\w+", key.strip()):
            fields.setdefault(key.strip(), []).append(value.strip())
    return {key: "\n".join(values) for key, values in fields.items()}


def machine_size(metadata):
    """The processors of the machine: MaxProcs, else MaxNodes where that is missing, empty, 0 or -1.

    Only a whole number counts; words without digits, or brackets, may follow it.

    Raises
    ------
    ValueError
        Where there is none, or another number such as 1,024 or 2K, or two that differ.
    """
    for key in ("MaxProcs", "MaxNodes"):
        if text := _value(metadata, key):
            size = _SIZE.fullmatch(text)
            if not size or int(size[1]) < -1:
                raise ValueError(f"header line {key}: found {text[:40]!r}, expected a whole number such as 128")
            if int(size[1]) > 0:
                return int(size[1])
    raise ValueError("header has no machine size: expected a line like '; MaxProcs: 128'")


def start_time(metadata):
    """The time of second 0 in the log's own zone as a Timestamp; None where the header has no UnixStartTime.

    Raises
    ------
    ValueError
        Where it, or the TimeZoneString, cannot be read.
    """
    if "UnixStartTime" not in metadata:
        return None
    text, zone = _value(metadata, "UnixStartTime"), _value(metadata, "TimeZoneString", "UTC")
    unusable = LookupError, ValueError, ArithmeticError, OSError, NotImplementedError
    try:
        known = _ZONE.fullmatch(zone)[1]
        pd.Timestamp(0, tz=known)
    except (*unusable, TypeError):  # the last of what is no name at all
        expected = "a zone such as Europe/Stockholm"
        raise ValueError(f"header line TimeZoneString: found {zone[:40]!r}, expected {expected}") from None
    try:
        return pd.Timestamp(int(_PLAIN.fullmatch(text)[1]), unit="s", tz="UTC").tz_convert(known)
    except (*unusable, TypeError):
        expected = "seconds since 1970 such as 843480031"
        raise ValueError(f"header line UnixStartTime: found {text[:40]!r}, expected {expected}") from None


def says_synthetic(header):
    """Whether a comment says that the jobs are made up: in any line, in capitals or small letters."""
    return any(map(_MARK.search, header))


def _value(metadata, key, default=""):
    """The value of a key; ValueError where the header has two that differ."""
    values = list(dict.fromkeys(filter(None, metadata.get(key, default).split("\n"))))
    if len(values) > 1:
        raise ValueError(f"header line {key}: found {values[0][:40]!r} and {values[1][:40]!r}, expected one value")
    return values[0] if values else ""


# The lines


def read_log(path, limit=LIMIT):
    """Read all 18 fields of all job lines, and the comments.

    Parameters
    ----------
    path : str or Path
    limit : int
        The largest size of the text in bytes, once it is decompressed.

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
    with _memory_of(path):
        data = read_bytes(path, limit)
        comments, lines = _split_comments(data)
        try:
            log = _parse_fast(lines)
        except (ValueError, OverflowError) as error:  # pandas does not say where: the slow parser does
            if "out of memory" in str(error):
                raise MemoryError from None
            log = _parse_slowly(data, path)
        log.index = pd.Index(log.job, name="job")
        return _decoded(comments), log


def job_lines(path):
    """Count and SHA-256 of a log's job lines, white space folded to single blanks, one line feed each.

    Comments, compression and layout do not matter to it, so it tells whether two files hold the same jobs.

    Returns
    -------
    lines : int
    digest : str, hexadecimal
    """
    return contents(path)[:2]


def contents(path, limit=LIMIT):
    """As `job_lines`, and the comment lines without their semicolon as a third: what is known of a file unparsed."""
    with _memory_of(path):
        data = read_bytes(path, limit)
        folded = _folded(np.frombuffer(data, np.uint8))
        lines, digest = int((folded == _NEWLINE).sum()), hashlib.sha256(folded).hexdigest()
        return lines, digest, _decoded(_split_comments(data)[0])


def _decoded(comments):
    return tuple(line.decode("utf-8", "replace") for line in comments)


@compiled
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


def read_bytes(path, limit=LIMIT):
    """The bytes of a plain or gzip-compressed text, its lines ended by line feeds.

    Parameters
    ----------
    path : str or Path
    limit : int
        The largest size of the text, once it is decompressed.

    Raises
    ------
    SWFError
        Where it cannot be read, is no file (a pipe without a writer would be waited for), larger, or no text.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
            raise SWFError(f"{path}: found a pipe or a device, expected a file; write it to one first")
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            data = _text(_unpacked(file.read()) if packed else iter(lambda: file.read(_BLOCK), b""), path, limit)
    except (EOFError, zlib.error) as error:
        raise SWFError(f"{path}: the gzip file is truncated or damaged ({error})") from None
    except OSError as error:
        raise SWFError(f"{path}: cannot be read: {error.strerror}") from None
    except SWFError:
        raise
    except ValueError as error:  # a NUL in it, or a character that no file system has
        raise SWFError(f"{str(path)!r}: cannot be read: {error}") from None
    return _with_line_feeds(data.removeprefix(codecs.BOM_UTF8))


def _unpacked(data):
    """What a gzip file's bytes hold, a block at a time; `gzip.open` does the same in one and a half times the time."""
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


def _text(parts, path, limit):
    """All bytes of a text that comes in blocks; SWFError as soon as there are too many, or a NUL."""
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


def _with_line_feeds(data):
    """The same text with a line feed at the end of each line, and blanks for the rarer kinds of white space."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\v" in data or b"\f" in data:
        data = data.translate(bytes.maketrans(b"\v\f", b"  "))
    return data


@contextmanager
def _memory_of(path):
    """Turn the want of memory for a file into an SWFError."""
    try:
        yield
    except MemoryError:
        raise SWFError(f"{path}: found more than this machine's memory holds, expected a log that is smaller") from None


def _split_comments(data):
    """The comment lines, and the bytes from the first job line on (which may hold further comments)."""
    body = re.search(rb"^[ \t]*[^;\s]", data, re.M)
    start = body.start() if body else len(data)
    rest = data[start:]
    later = re.findall(rb"^[ \t]*;[^\r\n]*", rest, re.M) if b";" in rest else []
    before = (line for line in io.BytesIO(data[:start]) if line.strip())
    return [line.strip()[1:] for line in (*before, *later)], rest


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
    numbers = array("d")  # a list of them would take four times the memory
    for number, line in enumerate(io.BytesIO(data), start=1):
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
        numbers.extend(map(float, values))
    if not numbers:
        raise SWFError(f"{path}: found no job, expected lines of {len(FIELDS)} numbers")
    log = pd.DataFrame(np.array(numbers).reshape(-1, len(FIELDS)), columns=FIELDS)
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
