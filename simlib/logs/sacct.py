"""Convert the accounting records of a Slurm cluster, as `sacct --parsable2` prints them, to SWF.

`COMMAND` is the command to run on the cluster. Users, accounts, job names, partitions, qualities of service and jobs
become numbers. The log has the names of partitions; it has other names only on request. Fields and formats:
https://slurm.schedmd.com/sacct.html
"""

import itertools
import re
import zoneinfo
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._util import paths
from .._util.words import duration
from ..core import metrics
from ..core.workload import Workload, names_of
from . import sacct_records, swf
from .sacct_records import COMMAND, SacctError
from .tables import STATUS

__all__ = ["COMMAND", "NAMED", "OPTIONAL", "SacctError", "convert", "in_use", "names"]

_REQUIRED = "JobID|JobIDRaw Submit Start End ElapsedRaw|Elapsed TimelimitRaw|Timelimit State".split()
"""Columns without which there is no log; of two, the first that says something. Their capitals do not matter."""

_SIZE = {"cpus": "AllocCPUS|NCPUS|AllocTRES", "nodes": "NNodes|AllocNodes|AllocTRES"}
"""The column, required too, that says how much of the machine a job had."""

_RESOURCES = "alloctres", "allocgres", "reqtres", "reqgres"
"""Columns of what else a job had; what was allocated counts before what was requested."""

OPTIONAL = {"user": "User", "group": "Account", "app": "JobName", "queue": "QOS", "partition": "Partition"}
"""Columns of names for fields of the log."""

NAMED = {"user": "User", "group": "Group", "queue": "Queue", "partition": "Partition", "reason": "Reason"}
"""What a line of the header begins with that gives a number of a field its name, as in `; Partition: 1 batch`."""

STARTED_BY = {"main": 1, "backfill": 2, "submit": 3}
"""Numbers in the field `started_by`: the main scheduler, the backfill scheduler, or the submission itself."""

_BY = {"main": "SchedMain|STARTED_ON_SCHEDULE", "backfill": "SchedBackfill|STARTED_ON_BACKFILL"}
_BY |= {"submit": "SchedSubmit|STARTED_ON_SUBMIT"}
"""How sacct's Flags say it, in columns and in JSON."""

_NO_REASON = "", "None", "Priority", "Resources"
"""What sacct's Reason says of a job that waited for nothing but its turn and its processors."""

_OTHERS = "licences or other resources"

_OTHER = r"(?:^|,)(?:gres/(?!gpu)|license/|bb/)[^,=]*=0*[1-9]|(?:^|,)(?!(?:gres:)?gpu:)[a-z][^,=]*:0*[1-9]"
"""How a job's resources tell those that no simulation counts."""

_GPUS = r"(?:^|,)gres/gpu=(\d{1,9})(?=,|$)"
_GPUS_OF_A_TYPE = r"(?:^|,)gres/gpu:[^,=]*=(\d{1,9})(?=,|$)"
_GPUS_GENERIC = r"(?:^|,)(?:gres:)?gpu(?::(?!\d{1,9}(?:[,(]|$))[^,:(]*)?(?::(\d{1,9}))?(?=[,(]|$)"
"""How a job's resources tell its GPUs, such as cpu=8,gres/gpu=2: all of them; or, where that is missing, those of each
type, such as gres/gpu:a100=2 or of old gpu:tesla:2."""

_SUSTAINED = 1000
"""The machine is taken for what was in use in one second of so many, nine hours of a year, for that a job
has ended is often recorded late. Chosen out of six such rules on ten logs whose size is known. KTH-SP2 and
SDSC-Par-96 have their 100 and 400 processors by it, HPC2N, CEA-Curie and Sandia-Ross 2 to 6 % too few, SDSC-BLUE,
SDSC-DS, CTC-SP2 and SDSC-SP2 7 to 35 % too many (peaks: 34 to 75 %), LANL-CM5 2.4 times as many."""

_UNFINISHED = {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING"}
_NO_TIME = {"", "Unknown", "None", "N/A", "0"}
_NO_LIMIT = {"", "UNLIMITED", "Partition_Limit"}

_DIGITS = 10
_COUNT = r"(\d{1,10})|(\d{1,10}(?:\.\d{1,10})?)([KMG])"  # sacct shortens 2048 nodes to 2K
_TIME = r"(\d{1,10})|((?:19[7-9]|20\d|21\d)\d-\d\d-\d\dT\d\d:\d\d:[0-5]\d)"
_DURATION = r"(\d{1,10})|(?:(?:(\d{1,10})-)?(\d{1,10}):)?(\d{1,10}):(\d{1,10})"
_LAST = 7258118400  # 2200 begins
_LONGEST = 3155760000  # a hundred years
_LARGEST = 2**32 - 1  # of Slurm's own counts


Faults = dict[int, tuple[str, str, str]]
"""By lines of records, the first field whose value is wrong, this value and what was expected."""


def convert(
    source: str | Path,
    target: str | Path,
    *,
    unit: str = "cpus",
    procs: int | None = None,
    gpus: int | None = None,
    timezone: str = "UTC",
    names: bool = False,
    columns: str | Collection[str] | None = None,
    cluster: str | None = None,
) -> dict[str, int]:
    """Convert a file of sacct's output to a log.

    A job's size is its allocation, its estimate the time limit. A job that never started has run time and size -1, as
    in the logs of the archive, and its wait lasts until it was cancelled. Each run of a requeued job and each part of a
    heterogeneous one is a separate job. Its submit time is the time at which it became eligible, if recorded: a job
    that is held, depends on others or is to begin later does not wait for the machine. The run time of a suspended job
    is Slurm's elapsed time, which excludes the suspension, when other jobs may have used its processors: so in the log
    it ends earlier than it did. If any job had GPUs, the further field `gpus` has each job's. Memory and CPU time are
    not converted.

    Left out are records that ended before they started, and a few that cannot be read, for a value is none that sacct
    prints, or a name has a | or a line feed. If an export begins in the midst of the queue, as `--starttime` gives all
    jobs that were alive then, the log begins with those that were submitted from then on.

    Parameters
    ----------
    source : str or Path
        What sacct printed with `--parsable2`, other separators or `--json`, or in plain columns none of which is cut
        off; it may be compressed, and contain several outputs one after another.
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
    columns : str or sequence of str, optional
        The names of the columns, such as "JobID,Submit,Start"; of output that was printed with `--noheader`.
    cluster : str, optional
        Only the records of this cluster; needed if the column Cluster names several.

    Returns
    -------
    dict of str to int
        The numbers of records, by what became of them.

    Raises
    ------
    SacctError
        If the file is not such output, lacks a column, is of several clusters, or if more than a handful and one in a
        hundred of its records cannot be read; if the log would overwrite it.

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
        unread: sacct_records.Unread = {}
        faults: Faults = {}
        blocks = sacct_records.read(source, [*_REQUIRED, _SIZE[unit]], unread, columns)
        read: list[tuple[Any, Any, Any]] = []  # series and tables of pandas
        for records in blocks:
            why = _left_out(records)
            read.append((why, records.cluster.copy(), _jobs(records[why == ""], unit, zone, faults)))
        reason, clusters, jobs = (pd.concat(parts) for parts in zip(*read, strict=True))
        del read, records, why
        foreign = ~_of_cluster(clusters, cluster)
        reason = reason.mask(foreign, "of another cluster")
        jobs = jobs[reason[jobs.index] == ""]
        if jobs.empty:
            raise SacctError("found no job that has ended")
        jobs = jobs.sort_values("submit", kind="stable")
        _name_faults(reason, {line: fault for line, fault in faults.items() if not foreign[line]})
        again = jobs.loc[reason[jobs.index] == "", ["id", "submitted"]].sort_index().duplicated(keep="last")
        reason[again.index[again]] = "the same job again"
        reason[jobs.index[jobs.backwards & (reason[jobs.index] == "")]] = "ended before they started"
        jobs = jobs.drop(columns="id")[reason[jobs.index] == ""]
        if early := _before_window(jobs) if len(jobs) else 0:
            far = duration(jobs.submit.iloc[early] - jobs.submit.iloc[0])
            reason[jobs.index[:early]] = (
                f"submitted up to {far} before the others and alive when those began, as sacct prints them for "
                f"--starttime. See {jobs.index.name} {jobs.index[0]}"
            )
        jobs = jobs[early:]
        log, called = _log(jobs)
        left_out = {f"{why} See line {lines[0]}": len(lines) for why, lines in unread.items()}
        left_out |= {str(why): int(count) for why, count in reason[reason != ""].value_counts().items()}
        notes = _notes(jobs, timezone)
        notes += [f" Note: {count:,} records were left out: {why}" for why, count in left_out.items()]
        counts = {"records": len(reason) + sum(map(len, unread.values()))}
        counts |= {f"left out: {why}": count for why, count in left_out.items()} | {
            "jobs written": len(log),
            "of them never started": int(jobs.never.sum()),
            "of them held, or dependent on others, for a while": int((jobs.submit > jobs.submitted).sum()),
            "of them suspended for a while": int((~jobs.never & (jobs.end - jobs.start - jobs.run > 1)).sum()),
            "of them without time limit": int((jobs.limit <= 0).sum()),
            "of them with GPUs": int((jobs.gpus > 0).sum()),
            f"of them with {_OTHERS}": int(jobs[_OTHERS].sum()),
        }
        del jobs, reason, clusters, foreign  # a million jobs take as much again to be written
        header = _header(log, unit, procs, gpus, timezone)
        if "partition" in called:
            header.append(f" MaxPartitions: {len(called['partition'])}")
        for field in NAMED if names else ["partition", "reason"]:
            numbered = enumerate(called.get(field, ()), start=1)
            header += [f" {NAMED[field]}: {number} {' '.join(name.split())}" for number, name in numbered]
    except SacctError as error:
        raise SacctError(f"{source}: {error}") from None
    log["submit"] -= log.submit.min()
    swf.write_log([*header, *notes], log, target)
    return counts


def is_converted(workload: Workload) -> bool:
    """Tell whether a log was made of sacct's output."""
    return " Conversion: simlib, from the output of sacct" in workload.header


def names(workload: Workload) -> dict[str, dict[int, str]]:
    """Find the names of users, groups, queues and partitions by their numbers, if the log's header has them."""
    return {field: names_of(word, workload.header) for field, word in NAMED.items()}


# The records


def _of_cluster(clusters_of: pd.Series, cluster: str | None) -> pd.Series:
    """Whether each record is of the cluster; records that name none are, unless others name several."""
    named = clusters_of.fillna("")
    clusters = sorted({*named} - {""})
    if cluster is None and len(clusters) > 1:
        raise SacctError(
            f"found records of the clusters {', '.join(clusters)}, expected one: choose by --cluster {clusters[0]}, in "
            f"Python cluster={clusters[0]!r}"
        )
    if cluster is not None and cluster not in clusters:
        there = ", ".join(clusters) or "none, for no record names its cluster"
        raise SacctError(f"cluster: found {cluster!r}, expected one of those in the file: {there}")
    return named.isin(["", *clusters] if len(clusters) < 2 else [cluster])


def _left_out(records: pd.DataFrame) -> pd.Series:
    """The reason why each record is not a job of the log; empty if it is one."""
    unfinished = records.state.isin(_UNFINISHED) | records.end.isin(_NO_TIME)
    reason = pd.Series("", records.index).mask(unfinished, "had not ended")
    reason = reason.mask(records.state == "REVOKED", "ran elsewhere")
    return reason.mask(_first(records, "JobID|JobIDRaw").str.contains(".", regex=False), "job steps")


def _first(records: pd.DataFrame, columns: str) -> pd.Series:
    """The first of some columns that says something, by record; "" if none does."""
    names = columns.lower().split("|")
    first, *others = [name for name in names if records[name].notna().any()] or names[:1]
    values = records[first].fillna("")
    for name in others:
        values = values.where(values != "", records[name].fillna(""))
    return values


# Values; what is none of the expected ones is unknown, and a fault of the record


def _groups(
    text: pd.Series, pattern: str, expected: str, faults: Faults, unknown: Collection[str] = ()
) -> pd.DataFrame:
    """The groups of a pattern that each value of a column fully matches; missing if the value is one of `unknown`.

    The first group of each pattern is a whole number of up to `_DIGITS` digits: it comes as a number.
    """
    plain = np.array([value.isdecimal() and value.isascii() and len(value) <= _DIGITS for value in text], bool)
    rest = text[~plain & ~text.isin(unknown).to_numpy()]  # few, and a pattern takes long
    groups = rest.str.extract(f"^(?:{pattern})$", flags=re.ASCII)
    _note(rest, groups.isna().all(axis=1), expected, faults)
    groups = groups.reindex(text.index)
    groups[0] = text.where(plain).astype(float)
    return groups


def _note(text: pd.Series, wrong: pd.Series, expected: str, faults: Faults) -> None:
    """Note the lines whose value is wrong."""
    for line in text.index[wrong]:
        faults.setdefault(line, (str(text.name), text[line], expected))


def _times(
    text: pd.Series, zone: zoneinfo.ZoneInfo, faults: Faults, unknown: Collection[str] = ()
) -> tuple[pd.Series, pd.Series]:
    """Seconds since 1970, -1 if unknown, in the two readings of a time in the hour of a change of the clock.

    If the clock was put back, it showed the time twice, and the first reading is the earlier one. If it was put
    forward, it never showed the time, and the first reading, as if it had not been put yet, is the later one.
    """
    expected = "a time from 1970 to 2199 such as 2024-03-01T12:00:00 or 1709290800"
    groups = _groups(text, _TIME, expected, faults, unknown)
    local = pd.to_datetime(groups[1], format="%Y-%m-%dT%H:%M:%S", errors="coerce")
    _note(text, groups[1].notna() & local.isna(), expected, faults)
    readings = []
    for fold in (0, 1):
        moment = local.dt.tz_localize(zone, ambiguous=np.full(len(local), fold == 0), nonexistent="NaT")
        written = (moment - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(1, "s")
        never = local[local.notna() & moment.isna()].items()
        never_shown = {line: time.to_pydatetime().replace(tzinfo=zone, fold=fold).timestamp() for line, time in never}
        seconds = groups[0].fillna(written).fillna(pd.Series(never_shown, dtype=float))
        _note(text, (seconds < 0) | (seconds >= _LAST), expected, faults)
        readings.append(seconds.where(seconds.between(0, _LAST)).fillna(-1).astype("int64"))
    return readings[0], readings[1]


def _clock(times: dict[str, tuple[pd.Series, pd.Series]], run: pd.Series) -> pd.DataFrame:
    """The times of each job; where there are two readings, the one that makes sense with the job's other times.

    A job is submitted, becomes eligible, starts and ends, in this order, and runs no longer than from start to end;
    where several readings make sense, those with the least suspension, and then the first ones.
    """
    table = pd.DataFrame({name: first for name, (first, _) in times.items()})
    doubtful = pd.concat([first != second for first, second in times.values()], axis=1).any(axis=1)
    readings, costs = [], []
    for choice in itertools.product((0, 1), repeat=len(times)):
        reading = np.array([times[name][one][doubtful] for name, one in zip(times, choice, strict=True)], dtype=float)
        known = np.where(reading < 0, np.nan, reading)
        backwards = np.fmax.accumulate(known)[:-1] - known[1:]
        beyond = known[-1] - known[-2] - run[doubtful].to_numpy()
        wrong = np.nansum(backwards.clip(0), axis=0) + np.nan_to_num((-1 - beyond).clip(0))  # a second is rounded
        readings.append(reading)
        costs.append(wrong * _LONGEST + np.nan_to_num(beyond.clip(0)))
    best = np.argmin(costs, axis=0)
    table[doubtful] = np.array(readings)[best, :, np.arange(len(best))].astype("int64")
    return table


def _durations(text: pd.Series, unit: int, faults: Faults, unknown: Collection[str] = ()) -> pd.Series:
    """Seconds, -1 where unknown, from numbers of `unit` seconds or from [[days-]hours:]minutes:seconds."""
    expected = "a whole number or a duration such as 1-12:30:00, below a hundred years"
    groups = _groups(text, _DURATION, expected, faults, unknown).astype(float)
    written = groups[[1, 2]].fillna(0).join(groups[[3, 4]]).mul([86400, 3600, 60, 1]).sum(axis=1, skipna=False)
    seconds = groups[0].mul(unit).fillna(written)
    _note(text, seconds > _LONGEST, expected, faults)
    return seconds.where(seconds <= _LONGEST).fillna(-1).astype("int64")


def _counts(text: pd.Series, faults: Faults) -> pd.Series:
    """Whole numbers, -1 if there is none."""
    expected = f"a whole number up to {_LARGEST}"
    groups = _groups(text, _COUNT, expected, faults, unknown=("",))
    factor = groups[2].map({"K": 2**10, "M": 2**20, "G": 2**30})
    count = groups[0].fillna(groups[1].astype(float).mul(factor).round())
    _note(text, count > _LARGEST, expected, faults)
    return count.where(count <= _LARGEST).fillna(-1).astype("int64")


def _gpus(records: pd.DataFrame, nodes: pd.Series) -> pd.Series:
    """The GPUs of each record, by the first column that names some; those that ReqGRES requests are for each node."""
    gpus = pd.Series(np.nan, records.index)
    for column in _RESOURCES:
        text = _first(records, column)
        text = text[text.str.contains("gpu", regex=False)]  # most have none, and to extract takes long
        all_of_them = text.str.extractall(_GPUS)[0].astype(float).groupby(level=0).max().reindex(gpus.index)
        of_types = text.str.extractall(_GPUS_OF_A_TYPE)[0].astype(float).groupby(level=0).sum().reindex(gpus.index)
        generic = text.str.extractall(_GPUS_GENERIC)[0].fillna(1).astype(float).groupby(level=0).sum()
        generic = generic.reindex(gpus.index) * (nodes.clip(lower=1) if column == "reqgres" else 1)
        gpus = gpus.fillna(all_of_them).fillna(of_types).fillna(generic)
    return gpus.fillna(0).astype("int64")


# The log


def _jobs(records: pd.DataFrame, unit: str, zone: zoneinfo.ZoneInfo, faults: Faults) -> pd.DataFrame:
    """Convert records to numbers, but for names; times are in seconds since 1970, -1 if unknown."""
    run = _durations(_first(records, "ElapsedRaw|Elapsed"), 1, faults)
    times = {"submitted": _times(_first(records, "Submit"), zone, faults)}
    times |= {name: _times(_first(records, name), zone, faults, _NO_TIME) for name in ("eligible", "start", "end")}
    clock = _clock(times, run)
    submitted, start, end = clock.submitted, clock.start, clock.end
    procs = _counts(_first(records.assign(alloctres=_of_tres(records, unit)), _SIZE[unit]), faults)
    status = records.state.map(STATUS).fillna(-1).astype("int64")
    # Of a job that never started some versions print the wanted size as its size, and the end as its start.
    never = (start < 0) | (procs <= 0) | ((status == STATUS["CANCELLED"]) & (run == 0))
    begun = start.where(~never, end)
    eligible = clock.eligible.where(clock.eligible >= 0, submitted)
    jobs = pd.DataFrame(
        {
            # a number in place of each job's text, which would take more memory than all else: same job, same number
            "id": pd.util.hash_array(_first(records, "JobID|JobIDRaw").to_numpy(object), categorize=False),
            "submitted": submitted,
            "submit": np.maximum(submitted, np.minimum(eligible, begun)),
            "start": start,
            "begun": begun,
            "end": end,
            "run": run,
            "procs": procs,
            "requested_procs": _counts(_first(records, f"Req{unit}"), faults),
            "limit": _durations(_first(records, "TimelimitRaw|Timelimit"), 60, faults, _NO_LIMIT),
            "status": status,
            "never": never,
            "backwards": ~never & (end < start),
            "gpus": _gpus(records, _counts(_first(records, _SIZE["nodes"].removesuffix("|AllocTRES")), {})),
            "never_shown": pd.concat([first > second for first, second in times.values()], axis=1).any(axis=1),
            _OTHERS: pd.concat([_contains(_first(records, name), _OTHER) for name in _RESOURCES], axis=1).any(axis=1),
            "no_eligible": records.eligible.isna(),
            "no_resources": records[[*_RESOURCES]].isna().all(axis=1),
            "gres": records[["allocgres", "reqgres"]].notna().any(axis=1),
        }
    )
    return jobs.join(records[[*sacct_records.KEPT]])


def _of_tres(records: pd.DataFrame, unit: str) -> pd.Series:
    """The processors or nodes in AllocTRES, where no column of their own has them."""
    own, *_ = _SIZE[unit].lower().rsplit("|", 1)
    if (_first(records, own) != "").all():
        return pd.Series(np.nan, records.index, dtype=object)
    return _first(records, "AllocTRES").str.extract(rf"(?:^|,){unit.removesuffix('s')}=([^,]*)")[0]


def _contains(text: pd.Series, pattern: str) -> pd.Series:
    """Whether each value has a match; values are often the same."""
    codes, values = pd.factorize(text)
    return pd.Series(pd.Series(values, dtype=object).str.contains(pattern).to_numpy(bool)[codes], text.index)


def _name_faults(reason: pd.Series, faults: Faults) -> None:
    """Leave out a few records that have wrong values, by field; raise SacctError if there are many."""
    records = int((reason == "").sum())
    if faults and not sacct_records.bearable(len(faults), records):
        line = min(faults)
        field, found, expected = faults[line]
        raise SacctError(
            f"{reason.index.name} {line}: {field}: found {found[:40]!r}, expected {expected}; "
            f"{len(faults)} of {records} records have such values"
        )
    lines: dict[tuple[str, str], list[int]] = {}
    for line, (field, _, expected) in sorted(faults.items()):
        lines.setdefault((field, expected), []).append(line)
    for (field, expected), those in lines.items():
        reason[those] = f"{field}: expected {expected}. See {reason.index.name} {those[0]}"


def _before_window(jobs: pd.DataFrame) -> int:
    """Count the first jobs, in order of submission, that an export has only because they were alive when it began.

    Of the others submitted before then, which had ended, it has none. So the beginning of the log is empty: the rate of
    later jobs would bring 20 more than twice its jobs, and of all jobs only a handful end in it. Among such beginnings
    it is the shortest of those that lack most, but for chance. If it is shorter than a twentieth of the rest, it does
    little harm, and some logs of the archive begin like that. With windows of a month out of 15 logs of the archive the
    median error of the load is 1 to 36 % with these jobs, and at most 2 % without them; no whole log loses a job.
    """
    submit = jobs.submit.to_numpy()
    ended = np.sort(jobs[["submit", "end"]].max(axis=1).to_numpy())[min(5, len(jobs) // 100)]
    rate = (submit >= ended).sum() / max(submit[-1] - ended, 1)
    found = np.arange(1, len(submit))
    beginning, rest = submit[1:] - submit[0], submit[-1] - submit[1:]
    few = np.minimum(rate * beginning, len(submit) - found) >= 20 + 2 * found
    alive = (submit[:-1] < ended) & (submit[0] + 0.9 * beginning <= ended)
    lacking = np.where(few & alive & (beginning * 20 >= rest), rate * beginning / 2 - found, 0)
    return int((lacking > lacking.max() - 3).argmax()) + 1 if lacking.any() else 0


def _log(jobs: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """The fields, and the names that were numbered by field; submit times are still in seconds since 1970."""
    if jobs.empty:
        raise SacctError("found no job that ended after it started")
    numbers, called = {}, {}  # of names in order of first appearance, from 1 on; -1 for none
    for field, column in (OPTIONAL | {"reason": "Reason"}).items():
        names = jobs[column.lower()]
        codes, known = pd.factorize(names.where(~names.isin(_NO_REASON if field == "reason" else [""])))
        numbers[field], called[field] = np.where(codes < 0, -1, codes + 1), list(known)
    reasons = numbers.pop("reason")
    fields: dict[str, Any] = dict(
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
    further: dict[str, Any] = {"gpus": jobs.gpus} if jobs.gpus.any() else {}
    further |= {"reason": reasons} if jobs.reason.notna().any() else {}
    if jobs["flags"].notna().any():
        flags = jobs["flags"].fillna("")
        by = [_contains(flags, _BY[name]) for name in STARTED_BY]
        further["started_by"] = np.select(by, [*STARTED_BY.values()], -1)
    return pd.DataFrame({name: fields.get(name, -1) for name in swf.FIELDS} | further, jobs.index), called


def _header(log: pd.DataFrame, unit: str, procs: int | None, gpus: int | None, timezone: str) -> list[str]:
    """The comment lines of the log."""
    most, peak = in_use(log)
    if not (procs or most):
        raise SacctError("no job ever ran, so the machine's size is not known: expected --procs")
    ends = log.submit + log.wait + log.run.clip(lower=0)
    start, end = (pd.Timestamp(t, unit="s", tz=timezone) for t in (log.submit.min(), ends.max()))
    found = f"is what was in use for 1/{_SUSTAINED} of the time, or by the largest job"
    size = "was given" if procs else found
    further = enumerate(log.columns[len(swf.FIELDS) :], start=len(swf.FIELDS) + 1)
    fields, of_gpus = [f" Field {number}: {field}" for number, field in further], []
    if "gpus" in log:
        most_gpus, peak_gpus = in_use(log, "gpus")
        of_gpus = [
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
        *fields,
        *of_gpus,
    ]


def _notes(jobs: pd.DataFrame, timezone: str) -> list[str]:
    """The comment lines that say what the log lacks, or how it counts."""
    notes = [" Note: users, accounts (groups), job names (apps), QOS (queues) and partitions are numbered as they come"]
    ran = jobs[~jobs.never]
    if not jobs.no_eligible.all():
        held, waited = ran.submit - ran.submitted, (ran.begun - ran.submitted).clip(lower=0)
        notes.append(
            f" Note: submit times are when jobs became eligible; {(held > 0).sum()} jobs that ran were held, or "
            f"depended on others, for {_share(held.sum(), waited.sum())} of the time from submission to start of all"
        )
    if (without := jobs.no_eligible).any():
        notes.append(
            f" Note: there was no column Eligible{_for(without)}, so each job queues from its submission on: waits, "
            "recorded and simulated, may hide time in which jobs were held, or depended on others"
        )
    work = ran.run.astype(float) * ran.procs
    for which, what in ((ran.gpus > 0, "GPUs"), (ran[_OTHERS], f"{_OTHERS}, which no simulation counts")):
        if which.any():
            part = _share(work[which].sum(), work.sum())
            notes.append(f" Note: {which.sum()} jobs with {part} of the processor-seconds had {what}")
    if (without := jobs.no_resources).any():
        notes.append(f" Note: there was no column AllocTRES{_for(without)}, so it is not known which jobs had GPUs")
    elif not (jobs.gpus.any() or jobs.gres.any()):
        notes.append(
            " Note: no record names a GPU: there is none, or the cluster's AccountingStorageTRES lacks gres/gpu, so "
            "that it is not known which jobs had GPUs"
        )
    if len(jobs) > 1 and jobs.user.nunique() == 1 and (jobs.user.fillna("") != "").all():
        notes.append(" Note: all jobs are of one user, as sacct prints them without --allusers")
    if 0 < (unnamed := jobs.cluster.fillna("") == "").sum() < len(jobs):
        notes.append(f" Note: {unnamed.sum()} jobs name no cluster, and are taken for jobs of the one that others name")
    if jobs.never_shown.any():
        notes.append(
            f" Note: {jobs.never_shown.sum()} jobs have times that no clock in {timezone} showed when it was put "
            "forward; is this the time zone of the cluster?"
        )
    if (longer := ran.run > ran.end - ran.start + 1).any():
        notes.append(
            f" Note: {longer.sum()} jobs ran longer than from their start to their end; if these are local times, is "
            f"{timezone} the time zone of the cluster?"
        )
    return notes


def _for(which: pd.Series) -> str:
    """Say for how many jobs something is so, if not for all."""
    return "" if which.all() else f" for {which.sum()} jobs"


def _share(part: float, whole: float) -> str:
    """A share in per cent."""
    return f"{part / whole if whole else 0:.1%}".replace("%", " %")


def in_use(log: pd.DataFrame, column: str = "procs") -> tuple[int, int]:
    """Find a lower limit of the machine's size, by the times of its log, and the highest peak.

    The limit is the number that was in use for a thousandth of the time, without brief peaks, or the size of the
    largest job: see `_SUSTAINED`.
    """
    ran = log[(log.run >= 0) & (log[column] > 0)]
    if ran.empty:
        return 0, 0
    start, size = (ran.submit + ran.wait).to_numpy(), ran[column].to_numpy()
    times, used, _ = metrics.in_use(start, start + ran.run.to_numpy(), size)
    used, seconds = used[:-1], np.diff(times)
    highest_first = np.argsort(-used, kind="stable")
    so_long = seconds[highest_first].cumsum() * _SUSTAINED >= max(seconds.sum(), 1)
    sustained = used[highest_first][so_long][:1].max(initial=0)
    largest = size.max()
    return int(max(sustained, largest)), int(max(used.max(), largest))
