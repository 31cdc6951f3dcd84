"""Convert the accounting records of a Slurm cluster, as `sacct --parsable2` prints them, to SWF.

`COMMAND` is the command to run on the cluster. Users, accounts, job names, partitions, qualities of service and jobs
become numbers. The log has the names of partitions; it has other names only on request. Fields and formats:
https://slurm.schedmd.com/sacct.html
"""

import re
import zoneinfo
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd

from .._util import paths
from ..core.workload import Workload
from . import swf
from .tables import STATUS

COMMAND = (
    "SLURM_TIME_FORMAT=%s sacct --allusers --allocations --duplicates --parsable2 "
    "--starttime=2024-01-01 --endtime=2025-01-01 --format=JobID,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,"
    "State,AllocCPUS,ReqCPUS,NNodes,ReqNodes,AllocTRES,User,Account,QOS,Partition,JobName"
)
"""Prints all that is read. Times in seconds since 1970 have no doubtful hour where clocks are put back; job names come
last because they may hold the separator."""

_REQUIRED = "JobID Submit Start End ElapsedRaw|Elapsed TimelimitRaw|Timelimit State".split()
"""Columns without which there is no log; of two, the first that is there. Their capitals do not matter."""

_SIZE = {"cpus": "AllocCPUS|NCPUS|AllocTRES", "nodes": "NNodes|AllocNodes|AllocTRES"}
"""The column, required too, that says how much of the machine a job had."""

_RESOURCES = "AllocTRES|AllocGRES|ReqTRES|ReqGRES"
"""Columns of what else a job had; the first that is there."""

OPTIONAL = {"user": "User", "group": "Account", "app": "JobName", "queue": "QOS", "partition": "Partition"}
"""Columns of names for fields of the log."""

NAMED = {"user": "User", "group": "Group", "queue": "Queue", "partition": "Partition"}
"""What a line of the header begins with that gives a number of a field its name, as in `; Partition: 1 batch`."""

_NUMBERS = {
    name
    for names in (*_REQUIRED, *_SIZE.values(), _RESOURCES, "Eligible|ReqCPUS|ReqNodes")
    for name in names.lower().split("|")
}
"""Columns, in small letters, that hold no names, so that no | can be in them."""

_OTHERS = "licences or other resources"

_OTHER = r"(?:^|,)(?:gres/(?!gpu)|license/|bb/)[^,=]*=0*[1-9]|(?:^|,)(?!(?:gres:)?gpu:)[a-z][^,=]*:0*[1-9]"
"""How a job's resources tell those that no simulation counts."""

_GPUS = (
    r"(?:^|,)gres/gpu=(\d{1,9})(?=,|$)",
    r"(?:^|,)(?:gres/gpu:[^,=]*=|(?:gres:)?gpu:(?:[^,:]*:)?)(\d{1,9})(?=[,(]|$)",
)
"""How a job's resources tell its GPUs, such as cpu=8,gres/gpu=2: all of them; or, where that is missing, those of each
type, such as gres/gpu:a100=2 or of old gpu:tesla:2."""

_SUSTAINED = 1000
"""The machine is taken for what was in use in one second of so many, nine hours of a year, for that a job
has ended is often recorded late. Chosen out of six such rules on ten logs whose size is known. KTH-SP2 and
SDSC-Par-96 have their 100 and 400 processors by it, HPC2N, CEA-Curie and Sandia-Ross 2 to 6 % too few, SDSC-BLUE,
SDSC-DS, CTC-SP2 and SDSC-SP2 7 to 35 % too many (peaks: 34 to 75 %), LANL-CM5 2.4 times as many."""

_UNFINISHED = {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING"}
_NO_TIME = {"", "Unknown", "None", "N/A"}
_NO_LIMIT = {"", "UNLIMITED", "Partition_Limit"}

_COUNT = r"(\d{1,10})|(\d{1,10}(?:\.\d{1,10})?)([KMG])"  # sacct shortens 2048 nodes to 2K
_TIME = r"(\d{1,10})|((?:19[7-9]|20\d|21\d)\d-\d\d-\d\dT\d\d:\d\d:[0-5]\d)"
_DURATION = r"(\d{1,10})|(?:(?:(\d{1,10})-)?(\d{1,10}):)?(\d{1,10}):(\d{1,10})"
_LAST = 7258118400  # 2200 begins
_LONGEST = 3155760000  # a hundred years
_LARGEST = 2**32 - 1  # of Slurm's own counts


class SacctError(swf.SWFError):
    """Records that cannot be converted; the message names the file, the line and field, and what was expected."""


def convert(
    source: str | Path,
    target: str | Path,
    *,
    unit: str = "cpus",
    procs: int | None = None,
    gpus: int | None = None,
    timezone: str = "UTC",
    names: bool = False,
) -> dict[str, int]:
    """Convert a file of sacct's output to a log.

    A job's size is its allocation, its estimate the time limit. A job that never started has run time and size -1, as
    in the logs of the archive, and its wait lasts until it was cancelled. Each run of a requeued job and each part of a
    heterogeneous one is a separate job. Its submit time is the time at which it became eligible, if recorded: a job
    that is held, depends on others or is to begin later does not wait for the machine. The run time of a suspended job
    is Slurm's elapsed time, which excludes the suspension, when other jobs may have used its processors: so in the log
    it ends earlier than it did. If any job had GPUs, the further field `gpus` has each job's. Memory and CPU time are
    not converted. Left out are records that ended before they started, and records whose fields cannot be separated,
    because a name has a | or a line feed.

    Parameters
    ----------
    source : str or Path
        Plain or gzip-compressed; it may contain several outputs one after another.
    target : str or Path
        The log; a path that ends in .gz is compressed.
    unit : {"cpus", "nodes"}
        The unit of processors: nodes for a cluster that allocates whole nodes.
    procs : int, optional
        Size of the machine; by default the largest number that was in use for at least a thousandth of the time, or the
        size of the largest job, if larger.
    gpus : int, optional
        The machine's GPUs; by default estimated in the same way.
    timezone : str
        The zone of the log's calendar, and of times that are not in seconds since 1970; such as Europe/Berlin.
    names : bool
        Whether the header has the names of users, accounts and qualities of service, in addition to those of
        partitions.

    Returns
    -------
    dict of str to int
        The numbers of records, by what became of them.

    Raises
    ------
    SacctError
        If the file is not such output, lacks a column, or has a value that sacct does not print; if the log would
        overwrite it.

    Examples
    --------
    >>> import simlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source, target = Path(folder, "sacct.txt"), Path(folder, "cluster.swf")
    ...     _ = source.write_text(
    ...         "JobID|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|AllocCPUS\\n"
    ...         "17|1709290800|1709290860|1709291460|600|60|COMPLETED|8\\n"
    ...     )
    ...     counts = convert(source, target)
    ...     counts["jobs written"], simlib.read_swf(target).jobs[["run", "procs", "estimate"]].to_numpy().tolist()
    (1, [[600, 8, 3600]])
    """
    if procs is not None and not 0 < procs <= _LARGEST:
        raise SacctError(f"machine size: found {procs}, expected a number from 1 to {_LARGEST}")
    if gpus is not None and not 0 < gpus <= _LARGEST:
        raise SacctError(f"GPUs of the machine: found {gpus}, expected a number from 1 to {_LARGEST}")
    try:
        zone = zoneinfo.ZoneInfo(timezone)
    except (LookupError, ValueError, OSError):
        raise SacctError(f"time zone: found {timezone!r}, expected a name such as Europe/Berlin") from None
    try:
        paths.refuse_unwritable(target, source)
    except ValueError as error:
        raise SacctError(str(error)) from None
    try:
        records, unread = _read(source, [*_REQUIRED, _SIZE[unit]])
        reason = _left_out(records)
        jobs = _jobs(records[reason == ""], unit, zone)
        reason[jobs.index[jobs.backwards]] = "ended before they started"
        jobs = jobs[~jobs.backwards]
        log, called = _log(records.loc[jobs.index], jobs)
        header = _header(log, unit, procs, gpus, timezone)
        if "partition" in called:
            header.append(f" MaxPartitions: {len(called['partition'])}")
        for field in NAMED if names else ["partition"]:
            numbered = enumerate(called.get(field, ()), start=1)
            header += [f" {NAMED[field]}: {number} {' '.join(name.split())}" for number, name in numbered]
        header += _notes(jobs, records)
    except SacctError as error:
        raise SacctError(f"{source}: {error}") from None
    swf.write_log(header, log.assign(submit=log.submit - log.submit.min()), target)
    counts = {"records": len(records) + sum(map(len, unread.values()))}
    counts |= {f"left out: {why} See line {lines[0]}": len(lines) for why, lines in unread.items() if lines}
    counts |= {f"left out: {why}": int(count) for why, count in reason[reason != ""].value_counts().items()}
    return counts | {
        "jobs written": len(log),
        "of them never started": int(jobs.never.sum()),
        "of them held, or dependent on others, for a while": int((jobs.submit > jobs.submitted).sum()),
        "of them suspended for a while": int((~jobs.never & (jobs.end - jobs.start - jobs.run > 1)).sum()),  # rounded
        "of them without time limit": int((jobs.limit <= 0).sum()),
        "of them with GPUs": int((jobs.gpus > 0).sum()),
        f"of them with {_OTHERS}": int(jobs[_OTHERS].sum()),
    }


def names(workload: Workload) -> dict[str, dict[int, str]]:
    """Find the names of users, groups, queues and partitions by their numbers, if the log's header has them."""
    found: dict[str, dict[int, str]] = {field: {} for field in NAMED}
    for field, word in NAMED.items():
        for line in workload.header:
            if match := re.match(rf"\s*{word}:\s*(\d{{1,9}})\s+(\S.*?)\s*(?:[(\[].*)?$", line):
                found[field][int(match[1])] = match[2]
    return found


# The records


def _read(path: str | Path, required: list[str]) -> tuple[pd.DataFrame, dict[str, list[int]]]:
    """Read the records as a table of strings, and list the lines of unreadable ones by reason.

    The table's columns are in small letters; its index is the line in the file.
    """
    header, *lines = swf.read_bytes(path).decode("utf-8", "replace").split("\n")
    tail = "|" if header.endswith("|") else ""  # from --parsable
    columns = [name.strip().lower() for name in header.removesuffix(tail).split("|")]
    missing = [names for names in required if not {*names.lower().split("|")} & {*columns}]
    if missing:
        names = ", ".join(missing).replace("|", " or ")
        raise SacctError(f"line 1: found no column {names}; expected the output of\n{COMMAND}")
    numbered = {n: line for n, line in enumerate(lines, start=2) if line.strip() and line != header}
    whole, broken = _whole(numbered, columns, tail)
    shifted = _shifted(whole, columns, tail)
    whole = {number: line for number, line in whole.items() if number not in shifted}
    unread = {
        "broken over several lines, a line feed in a name?": broken,
        "more fields than columns, a | in a name?": sorted(shifted),
    }
    lines_unread = [*broken, *sorted(shifted)]
    if len(lines_unread) > len(whole):
        fields = numbered[lines_unread[0]].removesuffix(tail).count("|") + 1
        raise SacctError(
            f"line {lines_unread[0]}: found {fields} fields, expected {len(columns)}; so it is with "
            f"{len(lines_unread)} of {len(lines_unread) + len(whole)} records"
        )
    if not whole:
        raise SacctError("found no record")
    splits = len(columns) - 1 if columns[-1] == "jobname" else -1
    rows = {number: line.removesuffix(tail).split("|", splits) for number, line in whole.items()}
    for number, row in rows.items():
        if len(row) != len(columns):
            raise SacctError(
                f"line {number}: found {len(row)} fields, expected {len(columns)}, and a | at the end as in line 1"
            )
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    table = table.loc[:, ~table.columns.duplicated()]
    return table.assign(state=table.state.str.extract(r"^\s*(\w+)")[0]), unread  # of "CANCELLED by 1000"


def _whole(lines: dict[int, str], columns: list[str], tail: str) -> tuple[dict[int, str], list[int]]:
    """Separate lines that are records from the lines of records that are broken over several.

    A line feed in a job's name ends one line, and the rest of the name begins the next: both lack separators. Where the
    name is the last column, the first of the two lines has all separators, and looks like a record; where the name is
    the first column, the second line does.
    """
    separators, last = len(columns) - 1 + len(tail), columns[-1] == "jobname"
    whole: dict[int, str] = {}
    broken: list[int] = []
    before: int | None = None  # the line of the record before
    parts: int | None = None  # the separators of a broken record's lines so far
    for number, line in lines.items():
        here = line.count("|")
        if here >= separators and not (parts == 0 and columns[0] == "jobname"):
            whole[number] = line
            before, parts = number, None
        elif last and not tail and before:
            if whole.pop(before, None):
                broken.append(number)
        else:
            if parts is None:
                broken.append(number)
            parts = (parts or 0) + here
            parts = None if parts >= separators else parts  # all are there: what follows is another record
    return whole, broken


def _shifted(whole: dict[int, str], columns: list[str], tail: str) -> set[int]:
    """Find records with too many fields, except where the job's name surely contains the extra ones.

    It is sure if the job's name is the last column, only names come before it, and the names of each group (account,
    QOS, partition) also occur in a record without a | in a name. A user's name need not occur there: there are many
    users.
    """
    separators = len(columns) - 1 + len(tail)
    surplus = {number for number, line in whole.items() if line.count("|") > separators}
    names = [place for place, column in enumerate(columns) if column not in _NUMBERS]
    if not surplus or columns[-1] != "jobname" or names != [*range(names[0], len(columns))]:
        return surplus
    groups = [place for place in names[:-1] if columns[place] != "user" or place == names[-2]]
    rows = {number: line.split("|") for number, line in whole.items()}
    known = [(place, {row[place] for number, row in rows.items() if number not in surplus}) for place in groups]
    return {number for number in surplus if any(rows[number][place] not in values for place, values in known)}


def _left_out(records: pd.DataFrame) -> pd.Series:
    """The reason why each record is not a job of the log; empty if it is one."""
    unfinished = records.state.isin(_UNFINISHED) | records.end.isin(_NO_TIME)
    reason = pd.Series("", records.index).mask(unfinished, "had not ended")
    reason = reason.mask(records.state == "REVOKED", "ran elsewhere")
    reason = reason.mask(records.jobid.str.contains(".", regex=False), "job steps")
    again = records[reason == ""].duplicated(["jobid", "submit"], keep="last")  # a requeued job is submitted anew
    return reason.mask(again.reindex(records.index, fill_value=False), "the same job again")


def _column(records: pd.DataFrame, names: str) -> pd.Series:
    """The first of some columns that is there."""
    return next(records[name] for name in names.lower().split("|") if name in records)


def _groups(text: pd.Series, pattern: str, expected: str, unknown: Collection[str] = ()) -> pd.DataFrame:
    """The groups of a pattern that each value of a column fully matches; missing if the value is one of `unknown`."""
    known = ~text.isin(unknown)
    groups = text.where(known).str.extract(f"^(?:{pattern})$", flags=re.ASCII)
    _refuse(text, known & groups.isna().all(axis=1), expected)
    return groups


def _refuse(text: pd.Series, wrong: pd.Series, expected: str) -> None:
    """Raise SacctError that names the first line whose value is wrong."""
    if wrong.any():
        line = wrong.index[wrong].min()
        raise SacctError(f"line {line}: {text.name}: found {text[line][:40]!r}, expected {expected}")


def _times(text: pd.Series, zone: zoneinfo.ZoneInfo, unknown: Collection[str] = (), first: bool = True) -> pd.Series:
    """Seconds since 1970, -1 if unknown. `first`: whether a time that the clock shows twice is the first one."""
    expected = "a time from 1970 to 2199 such as 2024-03-01T12:00:00 or 1709290800"
    groups = _groups(text, _TIME, expected, unknown)
    local = pd.to_datetime(groups[1], format="%Y-%m-%dT%H:%M:%S", errors="coerce")
    _refuse(text, groups[1].notna() & local.isna(), expected)
    moment = local.dt.tz_localize(zone, ambiguous=np.full(len(local), first), nonexistent="shift_forward")
    written = (moment - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(1, "s")
    seconds = groups[0].astype(float).fillna(written)
    _refuse(text, (seconds < 0) | (seconds >= _LAST), expected)
    return seconds.fillna(-1).astype("int64")


def _durations(text: pd.Series, unit: int, unknown: Collection[str] = ()) -> pd.Series:
    """Seconds, -1 where unknown, from numbers of `unit` seconds or from [[days-]hours:]minutes:seconds."""
    expected = "a whole number or a duration such as 1-12:30:00, below a hundred years"
    groups = _groups(text, _DURATION, expected, unknown).astype(float)
    written = groups[[1, 2]].fillna(0).join(groups[[3, 4]]).mul([86400, 3600, 60, 1]).sum(axis=1, skipna=False)
    seconds = groups[0].mul(unit).fillna(written)
    _refuse(text, seconds > _LONGEST, expected)
    return seconds.fillna(-1).astype("int64")


def _counts(text: pd.Series) -> pd.Series:
    """Whole numbers, -1 if there is none."""
    expected = f"a whole number up to {_LARGEST}"
    groups = _groups(text, _COUNT, expected, unknown=("",))
    factor = groups[2].map({"K": 2**10, "M": 2**20, "G": 2**30})
    count = groups[0].astype(float).fillna(groups[1].astype(float).mul(factor).round())
    _refuse(text, count > _LARGEST, expected)
    return count.fillna(-1).astype("int64")


# The log


def _jobs(records: pd.DataFrame, unit: str, zone: zoneinfo.ZoneInfo) -> pd.DataFrame:
    """Convert the records to numbers, in order of submit times; times are in seconds since 1970, -1 if unknown."""
    if records.empty:
        raise SacctError("found no job that has ended")
    submitted = _times(records.submit, zone)
    start, end = (_times(records[name], zone, _NO_TIME) for name in ("start", "end"))
    run = _durations(_column(records, "ElapsedRaw|Elapsed"), 1)
    end = end.where((start < 0) | (end - start >= run - 1), _times(records.end, zone, _NO_TIME, first=False))
    size, wanted = _column(records, _SIZE[unit]), records.get(f"req{unit}")
    if size.name == "alloctres":
        size = size.str.extract(rf"(?:^|,){unit.removesuffix('s')}=([^,]*)")[0].fillna("").rename(size.name)
    procs = _counts(size)
    status = records.state.map(STATUS).fillna(-1).astype("int64")
    # Of a job that never started some versions print the wanted size as its size, and the end as its start.
    never = (start < 0) | (procs <= 0) | ((status == STATUS["CANCELLED"]) & (run == 0))
    begun = start.where(~never, end)
    eligible = _times(records.eligible, zone, _NO_TIME) if "eligible" in records else submitted
    jobs = pd.DataFrame(
        {
            "submitted": submitted,
            "submit": np.maximum(submitted, np.minimum(eligible, begun)),
            "start": start,
            "begun": begun,
            "end": end,
            "run": run,
            "procs": procs,
            "requested_procs": -1 if wanted is None else _counts(wanted),
            "limit": _durations(_column(records, "TimelimitRaw|Timelimit"), 60, _NO_LIMIT),
            "status": status,
            "never": never,
            "backwards": ~never & (end < start),
        }
    )
    given = [records[name] for name in _RESOURCES.lower().split("|") if name in records]
    resources = given[0] if given else pd.Series("", records.index)
    jobs[_OTHERS] = resources.str.contains(_OTHER)
    all_of_them, of_types = (resources.str.extractall(pattern)[0].astype("int64") for pattern in _GPUS)
    jobs["gpus"] = all_of_them.groupby(level=0).max().reindex(jobs.index)
    jobs["gpus"] = jobs.gpus.fillna(of_types.groupby(level=0).sum()).fillna(0).astype("int64")
    return jobs.sort_values("submit", kind="stable")


def _log(records: pd.DataFrame, jobs: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """The fields, and the names that were numbered by field; submit times are still in seconds since 1970."""
    if jobs.empty:
        raise SacctError("found no job that ended after it started")
    numbers, called = {}, {}  # of names in order of first appearance, from 1 on; -1 for none
    for field, column in OPTIONAL.items():
        if (names := records.get(column.lower())) is not None:
            codes, known = pd.factorize(names.where(names != ""))
            numbers[field], called[field] = np.where(codes < 0, -1, codes + 1), list(known)
    log = pd.DataFrame(-1, index=jobs.index, columns=swf.FIELDS).assign(
        job=np.arange(1, len(jobs) + 1),
        submit=jobs.submit,
        wait=(jobs.begun - jobs.submit).clip(lower=0),  # below 0 where a clock was put back
        run=jobs.run.where(~jobs.never, -1),
        procs=jobs.procs.where(~jobs.never, -1),
        requested_procs=jobs.requested_procs,
        requested_time=jobs.limit,
        status=jobs.status,
        **numbers,
    )
    return (log.assign(gpus=jobs.gpus) if jobs.gpus.any() else log), called


def _header(log: pd.DataFrame, unit: str, procs: int | None, gpus: int | None, timezone: str) -> list[str]:
    """The comment lines of the log."""
    most, peak = in_use(log)
    if not (procs or most):
        raise SacctError("no job ever ran, so the machine's size is not known: expected --procs")
    ends = log.submit + log.wait + log.run.clip(lower=0)
    start, end = (pd.Timestamp(t, unit="s", tz=timezone) for t in (log.submit.min(), ends.max()))
    found = f"is what was in use for 1/{_SUSTAINED} of the time, or by the largest job"
    size = "was given" if procs else found
    of_gpus = []
    if "gpus" in log:
        most_gpus, peak_gpus = in_use(log, "gpus")
        of_gpus = [
            f" Field {len(swf.FIELDS) + 1}: gpus",
            f" MaxGPUs: {gpus or most_gpus}",
            f" Note: MaxGPUs {'was given' if gpus else found}; at most {peak_gpus} were in use at once",
        ]
    return [
        " Version: 2.2",
        " Computer: Slurm cluster",
        " Conversion: simlib, from the output of sacct",
        f" MaxJobs: {len(log)}",
        f" MaxRecords: {len(log)}",
        f" UnixStartTime: {log.submit.min()}",
        f" TimeZoneString: {timezone}",
        f" StartTime: {start:%a %b %d %H:%M:%S %Z %Y}",
        f" EndTime: {end:%a %b %d %H:%M:%S %Z %Y}",
        f" MaxProcs: {procs or most}",
        f" Note: processors are {unit}; MaxProcs {size}; at most {peak} were in use at once",
        *of_gpus,
    ]


def _notes(jobs: pd.DataFrame, records: pd.DataFrame) -> list[str]:
    """The comment lines that say what the log lacks, or how it counts."""
    notes = [" Note: users, accounts (groups), job names (apps), QOS (queues) and partitions are numbered as they come"]
    ran = jobs[~jobs.never]
    if "eligible" in records:
        held, waited = ran.submit - ran.submitted, (ran.begun - ran.submitted).clip(lower=0)
        notes.append(
            f" Note: submit times are when jobs became eligible; {(held > 0).sum()} jobs that ran were held, or "
            f"depended on others, for {_share(held.sum(), waited.sum())} of the time from submission to start of all"
        )
    else:
        notes.append(
            " Note: there was no column Eligible, so each job queues from its submission on: waits, recorded and "
            "simulated, may hide time in which jobs were held, or depended on others"
        )
    work = ran.run.astype(float) * ran.procs
    for which, what in ((ran.gpus > 0, "GPUs"), (ran[_OTHERS], f"{_OTHERS}, which no simulation counts")):
        if which.any():
            part = _share(work[which].sum(), work.sum())
            notes.append(f" Note: {which.sum()} jobs with {part} of the processor-seconds had {what}")
    if not {*_RESOURCES.lower().split("|")} & {*records}:
        notes.append(" Note: there was no column AllocTRES, so it is not known which jobs had GPUs")
    return notes


def _share(part: float, whole: float) -> str:
    """A share in per cent."""
    return f"{part / whole if whole else 0:.1%}".replace("%", " %")


def in_use(log: pd.DataFrame, column: str = "procs") -> tuple[int, int]:
    """Find a lower limit of the machine's size, by the times of its log, and the highest peak.

    The limit is the number that was in use for a thousandth of the time, without brief peaks, or the size of the
    largest job: see `_SUSTAINED`. Another job can take a job's processors in the second of its end.
    """
    ran = log[(log.run >= 0) & (log[column] > 0)]
    if ran.empty:
        return 0, 0
    start, size = (ran.submit + ran.wait).to_numpy(), ran[column].to_numpy()
    times, change = np.concatenate([start + ran.run, start]), np.concatenate([-size, size])  # ends first
    order = np.argsort(times, kind="stable")
    used, seconds = change[order].cumsum()[:-1], np.diff(times[order])
    highest_first = np.argsort(-used, kind="stable")
    so_long = seconds[highest_first].cumsum() * _SUSTAINED >= max(seconds.sum(), 1)
    sustained = used[highest_first][so_long][:1].max(initial=0)
    largest = size.max()
    return int(max(sustained, largest)), int(max(used.max(), largest))
