"""Write a Workload or a Schedule as a log, which reads back equal."""

import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from ..paths import replacing
from ..workload import Workload
from .header import SYNTHETIC, header_fields, line_says, machine_size, says_synthetic, start_time
from .lines import FIELDS, LARGEST, make_whole
from .text import SWFError

if TYPE_CHECKING:
    from ..schedule import Schedule


def write_swf(workload: "Workload | Schedule", path: str | Path) -> None:
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
        _refuse_other_numbers(of.log, jobs.index, path)
        fields = of.log.loc[jobs.index]
    requested = fields.requested_time.where(fields.requested_time > 0, jobs.run)  # as reading derives the estimate
    fields = fields.assign(
        job=jobs.index if jobs.index.dtype.kind in "iuf" else range(1, len(jobs) + 1),  # names are no numbers
        wait=jobs.get("wait", fields.wait),
        requested_time=fields.requested_time.where(requested.round() == jobs.estimate, jobs.estimate),
        **{field: jobs[field] for field in ("submit", "run", "procs", "user", "group", "app", "queue", "status")},
    )
    right = (jobs.estimate > 0) | (jobs.estimate == jobs.run)
    _refuse(path, fields, right, "requested_time", "an estimate of at least 1, for what is less reads as unknown")
    write_log(_header_of(of, path), fields, path)


def write_log(header: Iterable[str], log: pd.DataFrame, path: str | Path) -> None:
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

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> log = pd.DataFrame(-1, index=[0], columns=FIELDS).assign(job=1, submit=0, run=60, procs=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "one.swf")
    ...     write_log([" MaxProcs: 8"], log, path)
    ...     print(path.read_text().strip())
    ; MaxProcs: 8
    1 0 -1 60 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
    """
    if "\0" in str(path):
        raise SWFError(f"{str(path)!r}: cannot be written: found a NUL in the path")
    if not len(log):
        raise SWFError(f"{path}: not written: found no job, expected one at least")
    log = log[list(FIELDS)]
    for field in FIELDS:
        make_whole(log, field)
        _refuse(path, log, log[field].between(-LARGEST, LARGEST), field, "a number below 2**53")
    header = list(header)
    for number, line in enumerate(header, start=1):
        if found := re.search(r"[\0\n\r]", line):
            raise SWFError(f"{path}: not written: header line {number}: found {found[0]!r}, expected text in one line")
    lines = log.to_csv(sep=" ", header=False, index=False, lineterminator="\n")
    data = ("".join(f";{line}\n" for line in header) + lines).encode("utf-8", "replace")
    with replacing(path) as new:
        new.write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _refuse_other_numbers(log: pd.DataFrame, index: pd.Index, path: str | Path) -> None:
    """Raise SWFError where jobs would be written under other numbers than those that fields of the log refer to."""
    chosen = index.isin(log.index)
    if not chosen.all():
        raise SWFError(f"{path}: not written: job {index[~chosen][0]!r}: found no line of it in the workload's log")
    repeated = log.job[log.job.duplicated()]
    if len(repeated):
        raise SWFError(
            f"{path}: not written: job {repeated.iloc[0]}: found jobs of the same number in the log, expected a number "
            "for every job; to number them anew, write Workload(w.jobs, w.procs, start=w.start)"
        )


def _refuse(path: str | Path, fields: pd.DataFrame, right: pd.Series, field: str, expected: str) -> None:
    """Raise SWFError that names the first job whose field is not right."""
    if not right.all():
        place = int(np.argmin(right.to_numpy()))
        job, found = (fields[name].iloc[place] for name in ("job", field))
        raise SWFError(f"{path}: not written: job {job}: field {field}: found {found}, expected {expected}")


def _header_of(workload: Workload, path: str | Path) -> list[str]:
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


def _updated(workload: Workload) -> Iterator[str]:
    """The header lines that were read, where machine size, clock and mark take the place of what they said before."""
    values: dict[str, object] = {"MaxProcs": workload.procs, "UnixStartTime": None, "TimeZoneString": None}
    if workload.start is not None:
        values |= {"UnixStartTime": int(workload.start.timestamp()), "TimeZoneString": workload.start.tz}
    written = set()
    for line in workload.header:
        key, colon, _ = line.partition(":")
        if not colon or (key := key.strip()) not in values:
            yield line
        elif values[key] is not None and key not in written:  # once, for two that differ say nothing
            written.add(key)
            yield line if line_says(line, values[key]) else f" {key}: {values[key]}"
    yield from (f" {key}: {value}" for key, value in values.items() if value is not None and key not in written)
    if workload.synthetic and not says_synthetic(workload.header):
        yield f" Note: {SYNTHETIC}: not the log of any machine."
