"""Read and write the Standard Workload Format (SWF), version 2.2, of the Parallel Workloads Archive.

A log has a header of comment lines (`; Key: value`) and one line of 18 numbers for each job, -1 for unknown. Further
numbers behind these are kept: see `read_log`. A further field `gpus` has the GPUs that each job needs; a line such as
`; MaxGPUs: 32` has the machine's. Format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

import gzip
import hashlib
import io
import re
import shlex
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from .._util.arrays import Bytes
from .._util.compiled import compiled
from .._util.paths import replacing
from ..core.workload import Workload
from .doubts import LogWarning, doubts
from .files import LIMIT, PACKED, SWFError, memory_errors_name, read_bytes

if TYPE_CHECKING:
    from ..core.schedule import Schedule


# Read the lines of a log: its comments, and the 18 or more numbers of each job.


FIELDS = tuple(
    "job submit wait run procs cpu memory requested_procs requested_time requested_memory "
    "status user group app queue partition preceding think".split()
)
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


def _folded(text: Bytes) -> Bytes:
    """The job lines of a text (bytes), white space folded to single blanks, one line feed each."""
    folded = np.empty(text.size + 1, np.uint8)
    return folded[: _fold(text, folded)]


@compiled(_nrt=False)
def _fold(text: Bytes, folded: Bytes) -> int:
    """Write the job lines of a text into another array. Returns their size."""
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
    return size


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
        if not _NUMBER.fullmatch(values[0]):
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


# Read the header of a log: the size of its machine, its clock, and whether it is made up.


SYNTHETIC = "SYNTHETIC"
"""What a comment says where the jobs are made up, in whatever case and line; it sets `Workload.synthetic`."""

_MARK = re.compile(rf"^(?!\s*(?:Queue|Partition|User|Group):).*\b{SYNTHETIC}", re.I)  # the names of those may be any
_YEAR_10000 = 253402300800  # seconds since 1970; pandas has no local times from then on
_PLAIN = re.compile(r"([+-]?[0-9]{1,15})(\.0*)?(\s*[(\[{;].*)?")  # what stands in brackets behind a value is a note
_WORDS = r"\s+([-:;,]\s+)?[^\W\d_]{2}[^\d(\[{]*([(\[{;].*)?"
_SIZE = re.compile(rf"([+-]?[0-9]{{1,15}})(\s*[(\[{{;].*|{_WORDS})?")  # words may follow a size, too
_ZONE = re.compile(r"(\S+)(\s*[(\[{;].*)?")


def header_fields(header: Iterable[str]) -> dict[str, str]:
    """Collect the `Key: value` lines of a header in a dict; the values of a repeated key are joined with line feeds."""
    fields: dict[str, list[str]] = {}
    for line in header:
        key, colon, value = line.partition(":")
        if colon and re.fullmatch(r"\w+", key.strip()):
            fields.setdefault(key.strip(), []).append(value.strip())
    return {key: "\n".join(values) for key, values in fields.items()}


def machine_size(metadata: Mapping[str, str]) -> int:
    """Read the processors of the machine: MaxProcs, or MaxNodes if MaxProcs is missing, empty, 0 or -1.

    Only a whole number counts; words without digits, or brackets, may follow it.
    """
    for key in ("MaxProcs", "MaxNodes"):
        if size := _count_of(metadata, key):
            return size
    raise ValueError("header has no machine size: expected a line like '; MaxProcs: 128'")


def _count_of(metadata: Mapping[str, str], key: str) -> int:
    """Read a count from a line of the header; 0 if it is missing, empty, 0 or -1."""
    text = _value(metadata, key)
    if not text:
        return 0
    count = _SIZE.fullmatch(text)
    if not count or int(count[1]) < -1:
        raise ValueError(f"header line {key}: found {text[:40]!r}, expected a whole number such as 128")
    return max(int(count[1]), 0)


def start_time(metadata: Mapping[str, str]) -> pd.Timestamp | None:
    """Read the time of second 0 in the log's own zone; None if the header has no UnixStartTime."""
    text = _value(metadata, "UnixStartTime")
    if "UnixStartTime" not in metadata:
        return None
    key = "TimeZone" if _has_old_zone(metadata) else "TimeZoneString"
    zone = _value(metadata, key, "UTC")
    unusable = LookupError, ValueError, ArithmeticError, OSError, NotImplementedError
    try:
        known = _offset(zone) if key == "TimeZone" and _PLAIN.fullmatch(zone) else _first_group(_ZONE, zone)
        pd.Timestamp(0, tz=known)
    except (*unusable, TypeError):  # the last of what is no name at all
        expected = "a zone such as Europe/Stockholm" + ", or seconds such as 3600" * (key == "TimeZone")
        raise ValueError(f"header line {key}: found {zone[:40]!r}, expected {expected}") from None
    try:
        seconds = int(_first_group(_PLAIN, text))
        if seconds == -1:  # unknown
            return None
        if seconds >= _YEAR_10000:
            raise ValueError
        return pd.Timestamp(seconds, unit="s", tz="UTC").tz_convert(known)
    except (*unusable, TypeError):
        expected = "seconds since 1970 such as 843480031"
        raise ValueError(f"header line UnixStartTime: found {text[:40]!r}, expected {expected}") from None


def _has_old_zone(metadata: Mapping[str, str]) -> bool:
    """Whether the zone is only in the header line that version 2.2 of SWF replaced: seconds to add to UTC."""
    return "TimeZone" in metadata and not metadata.get("TimeZoneString")


def _offset(seconds: str) -> timezone:
    """A zone of so many seconds, which are whole quarters of an hour."""
    offset = int(_first_group(_PLAIN, seconds))
    if offset % 900 or abs(offset) > 14 * 3600:
        raise ValueError
    return timezone(timedelta(seconds=offset))


def says_synthetic(header: Iterable[str]) -> bool:
    """Tell whether a comment has the word "synthetic", in capitals or small letters."""
    return any(map(_MARK.search, header))


def _first_group(pattern: re.Pattern[str], text: str) -> str:
    if match := pattern.fullmatch(text):
        return match[1]
    raise ValueError


def _value(metadata: Mapping[str, str], key: str, default: str = "") -> str:
    """Look up the value of a key; ValueError if the header has two that differ."""
    values = list(dict.fromkeys(filter(None, metadata.get(key, default).split("\n"))))
    if len(values) > 1:
        raise ValueError(f"header line {key}: found {values[0][:40]!r} and {values[1][:40]!r}, expected one value")
    return values[0] if values else ""


# Make a Workload of a log, and list what is doubtful of it.


PART = "part of a job, whose own line counts"
"""Why a line of status 2 to 4 does not take part where its job has a line of status 0 or 1."""


def read_swf(
    path: str | Path,
    procs: int | None = None,
    name: str | None = None,
    limit: int = LIMIT,
    gpus: int | None = None,
) -> Workload:
    """Read a log in the Standard Workload Format.

    Parameters
    ----------
    path : str or Path
        A plain or compressed file (gzip, bzip2, xz, or zstd with Python 3.14 or the package zstandard); its content
        decides, not its name.
    procs : int, optional
        The machine's processors; by default the header's MaxProcs, else its MaxNodes.
    name : str, optional
        Name of the workload; by default the file's name without its endings.
    limit : int
        The largest size of the decompressed text in bytes; by default two GiB, about twenty million jobs.
    gpus : int, optional
        The machine's GPUs; by default the header's MaxGPUs. They count only if the log has a field `gpus`.

    Returns
    -------
    Workload
        A job's size is its allocated processors, or the requested ones if the log records no allocation at all. Its
        estimate is the requested time if that is positive, else its run time. Times are rounded to whole seconds. The
        workload is synthetic if any comment has the word "synthetic". `Workload.log` has all fields of the log; further
        ones have the names that the header gives (`; Field 19: energy`), else `field_19` and so on. A line of status 2
        to 4 is part of a job if a line of status 0 or 1 has the same job number. It does not take part and is not in
        `Workload.log`; `Workload.dropped` has it under the job's number.

    Raises
    ------
    SWFError
        If the file is not a log (if it is known what it is instead, such as a zip archive or sacct's output, the
        message says what to do), or is larger than the limit or the memory; if it has no valid machine size and `procs`
        is not given; if jobs need GPUs, and neither the header nor `gpus` gives the machine's number.

    Warns
    -----
    LogWarning
        If more than one job in twenty is larger than the machine, or has no requested time; if more processors were in
        use than the machine has, by the recorded times: a fifth more for five minutes, or a twentieth more for an hour.
        If several jobs have the same number and submit time, or a job's submit time is -1, for unknown. Synthetic logs
        are not checked for all this. If the start time or zone cannot be read: then the log has no calendar. If the
        zone is only known in seconds (the old header line TimeZone): then the calendar has no summer time.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.read_swf(simlib._util.paths.DATA / "samples" / "sample.swf.gz")
    >>> len(w), w.procs
    (6000, 128)
    """
    workload, doubtful = read(path, procs, name, limit, gpus=gpus)
    for sentence in doubtful:
        warnings.warn(sentence, LogWarning, stacklevel=2)
    return workload


def read(
    path: str | Path,
    procs: int | None = None,
    name: str | None = None,
    limit: int = LIMIT,
    known: Mapping[str, str] | None = None,
    source: Mapping[str, object] | None = None,
    synthetic: bool = False,
    gpus: int | None = None,
) -> tuple[Workload, list[str]]:
    """Read a log as `read_swf` does, but return the doubts instead of warning.

    `known` replaces fields of the header, `source` has further facts about the log's origin, and `synthetic` says that
    it is known to be made up.
    """
    path = Path(path)
    with memory_errors_name(path):
        header, log = read_log(path, limit)
        metadata = header_fields(header) | dict(known or {})
        if procs is None:
            try:
                procs = machine_size(metadata)
            except ValueError as error:
                call = f"read_swf({path.name!r}, procs=128)"
                raise SWFError(f"{path}: {error}, or pass it: {call}; on the command line --procs 128") from None
        try:
            gpus = _gpus_of(log, metadata, gpus)
        except ValueError as error:
            raise SWFError(f"{path}: {error}") from None
        start, doubtful = None, []
        try:
            start = start_time(metadata)
        except ValueError as error:
            doubtful.append(f"{path}: the log has no calendar: {error}")
        if start is not None and _has_old_zone(metadata) and _PLAIN.fullmatch(metadata["TimeZone"]):
            doubtful.append(
                f"{path}: the calendar is {start.tz} all year, without summer time: found the header line TimeZone: "
                f"{metadata['TimeZone']}, expected a line such as TimeZoneString: Europe/Stockholm"
            )
        log, parts = _apart(log)
        workload = Workload(
            jobs_of(log),
            procs,
            name=name or PACKED.sub("", path.name).removesuffix(".swf"),
            gpus=gpus,
            start=start,
            header=header,
            log=log,
            source={"file": path.name, "path": str(path)} | dict(source or {}),
            synthetic=synthetic or says_synthetic(header),
        )
        if len(parts):
            left_out = jobs_of(parts).assign(dropped=PART)
            workload._others = pd.concat([workload._others, left_out.reindex(columns=workload._others.columns)])
        return workload, [*doubtful, *doubts(workload)]


def _apart(log: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Separate parts of jobs from the lines that count, and label all by their job's number.

    A job that was swapped out or continued from a checkpoint may stand there twice: as a whole, with status 0 or 1, and
    in parts under the same number, with status 2 (to be continued), 3 or 4 (the last part).
    """
    status, part = log.status.round(), np.zeros(len(log), bool)
    if status.between(2, 4).any():
        whole = log.job[status.isin([0, 1]) & (log.job >= 0)]
        part = (status.between(2, 4) & log.job.isin(whole)).to_numpy()
    log, parts = log[~part] if part.any() else log, log[part]
    if not log.job.is_unique:
        log = log.set_axis(pd.RangeIndex(1, len(log) + 1, name="job"))
        first = log.job.drop_duplicates()
        parts = parts.set_axis(pd.Index(pd.Series(first.index, first).loc[parts.job], name="job"))
    return log, parts


def _gpus_of(log: pd.DataFrame, metadata: Mapping[str, str], gpus: int | None) -> int:
    """The GPUs of the machine if the log has the jobs' GPUs; else 0."""
    if "gpus" not in log:
        return 0
    machine = _count_of(metadata, "MaxGPUs") if gpus is None else gpus
    if gpus is None and machine == 0 and (log.gpus > 0).any():
        raise ValueError(
            "found jobs that need GPUs, and no line of the header with those of the machine; expected one like "
            "'; MaxGPUs: 32', or pass it: gpus=32"
        )
    return machine


def jobs_of(log: pd.DataFrame) -> pd.DataFrame:
    """Make the jobs table of a Workload from the fields of a log (see `read_swf` for sizes and estimates).

    A field `gpus` becomes a column of the same name; -1 (unknown) becomes 0.
    """
    log = log.round() if (log.dtypes == np.float64).any() else log
    size = log.procs if (log.procs > 0).any() else log.requested_procs
    estimate = log.requested_time.where(log.requested_time > 0, log.run)
    same = log[["submit", "run", "user", "group", "app", "queue", "status"]]
    needed = {"gpus": log.gpus.clip(lower=0)} if "gpus" in log else {}
    return same.assign(procs=size, estimate=estimate, **needed).astype("int64")


# Write a Workload or a Schedule as a log, which reads back equal.


def write_swf(workload: "Workload | Schedule", path: str | Path) -> None:
    """Write a Workload, or the Schedule of one, as SWF; it reads back equal.

    It writes the jobs that take part, with the fields of their log, if there is one. A schedule's wait and run times
    are the simulated ones. Jobs whose index has names instead of numbers are numbered from 1. A file whose path ends in
    .gz is compressed. The file appears at once and whole; the same jobs give the same bytes.

    Parameters
    ----------
    workload : Workload or Schedule
    path : str or Path

    Raises
    ------
    SWFError
        If it would not read back equal; nothing is written. The message names the job: its estimate is 0 but its run
        time is not, it has a number of 2**53 or more, or two jobs have the same number. Or there is no job at all, the
        start is not a whole second in a zone that has a name, a header line contains a line break, or the path ends in
        .bz2, .xz, .lzma or .zst.
    OSError
        Where the file cannot be written.

    Examples
    --------
    >>> import simlib, tempfile
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 15, 3), B=(1, 5, 8, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "two.swf")
    ...     simlib.write_swf(w, path)
    ...     print(path.read_text().strip())
    ; MaxProcs: 4
    1 0 -1 10 3 -1 -1 -1 15 -1 -1 -1 -1 -1 -1 -1 -1 -1
    2 1 -1 5 2 -1 -1 -1 8 -1 -1 -1 -1 -1 -1 -1 -1 -1
    """
    of = cast(Workload, getattr(workload, "workload", workload))
    jobs = workload.jobs
    fields = pd.DataFrame(-1, index=jobs.index, columns=FIELDS)
    if of.log is not None:
        # jobs must not be written under other numbers than those that fields of the log refer to
        here = jobs.index.isin(of.log.index)
        if not here.all():
            label = jobs.index[~here][0]
            raise SWFError(f"{path}: not written: job {label!r}: found no line of it in the workload's log")
        repeated = of.log.job[of.log.job.duplicated()]
        if len(repeated):
            raise SWFError(
                f"{path}: not written: job {repeated.iloc[0]}: found jobs of the same number in the log, expected a "
                "number for every job; to number them anew, write Workload(w.jobs, w.procs, start=w.start)"
            )
        fields = of.log.loc[jobs.index]
    requested = fields.requested_time.where(fields.requested_time > 0, jobs.run)  # as reading derives the estimate
    fields = fields.assign(
        job=jobs.index if jobs.index.dtype.kind in "iuf" else range(1, len(jobs) + 1),  # names are no numbers
        wait=jobs.get("wait", fields.wait),
        requested_time=fields.requested_time.where(requested.round() == jobs.estimate, jobs.estimate),
        **{field: jobs[field] for field in ("submit", "run", "procs", "user", "group", "app", "queue", "status")},
    )
    if of.gpus > 0 or "gpus" in fields:
        fields = fields.assign(gpus=jobs.gpus if of.gpus > 0 else -1)
    right = (jobs.estimate > 0) | (jobs.estimate == jobs.run)
    _refuse(path, fields, right, "requested_time", "an estimate of at least 1, for what is less reads as unknown")
    write_log(_header_of(of, path, fields), fields, path)


def write_log(header: Iterable[str], log: pd.DataFrame, path: str | Path) -> None:
    """Write comment lines and a table of fields such as `read_log` returns; see `write_swf`."""
    if "\0" in str(path):
        raise SWFError(f"{str(path)!r}: cannot be written: found a NUL in the path")
    if not len(log):
        raise SWFError(f"{path}: not written: found no job, expected one at least")
    if (packed := PACKED.search(str(path))) and packed[1] != "gz":
        raise SWFError(f"{path}: not written: found a name in {packed[0]}, expected one in .swf or .swf.gz")
    log = log[[*FIELDS, *log.columns.difference(list(FIELDS), sort=False)]]
    for field in map(str, log):
        make_whole(log, field)
        _refuse(path, log, log[field].between(-LARGEST, LARGEST), field, "a number below 2**53")
    header = list(header)
    for number, line in enumerate(header, start=1):
        if control := re.search(r"[\0\n\r]", line):
            raise SWFError(
                f"{path}: not written: header line {number}: found {control[0]!r}, expected text in one line"
            )
    lines = log.to_csv(sep=" ", header=False, index=False, lineterminator="\n")
    data = ("".join(f";{line}\n" for line in header) + lines).encode("utf-8", "replace")
    with replacing(path) as new:
        new.write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _refuse(path: str | Path, fields: pd.DataFrame, right: pd.Series, field: str, expected: str) -> None:
    """Raise SWFError that names the first job whose field is wrong."""
    if not right.all():
        place = int(np.argmin(right.to_numpy()))
        job, value = (fields[name].iloc[place] for name in ("job", field))
        raise SWFError(f"{path}: not written: job {job}: field {field}: found {value}, expected {expected}")


def _header_of(workload: Workload, path: str | Path, fields: pd.DataFrame) -> list[str]:
    """The header lines to write: those read, with the present machine size, clock and synthetic mark."""
    header = list(_updated(workload))
    if "gpus" in fields:
        number = 1 + len(FIELDS) + [field for field in fields if field not in FIELDS].index("gpus")
        if f"Field {number}: gpus" not in map(str.strip, header):
            header.append(f" Field {number}: gpus")
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


def _updated(workload: Workload) -> Iterator[str]:
    """The header lines that were read, with machine size, clock and synthetic mark replaced."""
    values: dict[str, object] = {"MaxProcs": workload.procs, "MaxGPUs": workload.gpus or None}
    values |= {"UnixStartTime": None, "TimeZoneString": None}
    if workload.start is not None:
        values |= {"UnixStartTime": int(workload.start.timestamp()), "TimeZoneString": workload.start.tz}
    written = set()
    for line in workload.header:
        key, colon, _ = line.partition(":")
        if not colon or (key := key.strip()) not in values:
            yield line
        elif values[key] is not None and key not in written:  # once, for two that differ say nothing
            written.add(key)
            pattern = _SIZE if isinstance(values[key], int) else _ZONE  # without the note behind it
            text = pattern.fullmatch(line.partition(":")[2].strip())
            yield line if text and text[1] == str(values[key]) else f" {key}: {values[key]}"
    yield from (f" {key}: {value}" for key, value in values.items() if value is not None and key not in written)
    if workload.synthetic and not says_synthetic(workload.header):
        yield f" Note: {SYNTHETIC}: not the log of any machine."
