"""The table of a workload's jobs: its columns, what people give in its place, which jobs take part, their order."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .._util import checks
from .._util.arrays import Ints, in_order

COLUMNS = ["submit", "run", "procs", "estimate", "user", "group", "app", "queue", "status"]
"""The columns of `Workload.jobs`, all int64: seconds since the log's start, seconds, processors, seconds, and numbers
that stand for names; -1 where not known. `status` is SWF's: 1 completed, 0 failed, 5 cancelled."""

NO_RUN = "run time unknown"
_NO_PROCS = "no processors recorded"
TOO_LARGE = "larger than the machine"
_TOO_MANY_GPUS = "more GPUs than the machine has"

# What people give: a DataFrame, columns or rows; seconds, or times.


_GIVEN = checks.Kind(
    lambda jobs: (
        isinstance(jobs, pd.DataFrame | Mapping)
        or (isinstance(jobs, list) and all(isinstance(row, Mapping) for row in jobs))
    ),
    "a DataFrame, a dict of columns or a list of dicts, one for each job",
)


def own(jobs: Any, name: str, start: pd.Timestamp | None) -> tuple[pd.DataFrame, pd.Timestamp | None]:
    """Make a table of seconds of what somebody gives, which shares no numbers with it; and the time of second 0.

    That is `start`, or else the first submission if submissions are times. Times without a zone are in that of `start`,
    or else in UTC.
    """
    checks.check(name, "jobs", jobs, _GIVEN)
    where = f"{name}: jobs"
    try:
        table = jobs.copy() if isinstance(jobs, pd.DataFrame) else pd.DataFrame(jobs)
    except (ValueError, TypeError):
        found = ", ".join(f"{np.size(values):,} in {column}" for column, values in jobs.items())
        expected = "a list of values in each column, all of one length"
        raise ValueError(f"{where}: found {found}, expected {expected}") from None
    for column in table.columns.intersection(["submit", "run", "estimate"]) if table.columns.is_unique else []:
        kind, of_column = pd.api.types.infer_dtype(table[column]), f"{where}: column {column}"
        if kind.startswith("timedelta"):
            lengths = pd.to_timedelta(table[column])
            _check_times(of_column, lengths, lengths.dt.floor("s"))
            table[column] = _seconds(lengths)
        elif column == "submit" and kind.startswith("date"):
            moments = _moments(of_column, table[column], start)
            first = moments.min() if start is None else start
            table[column] = _seconds(moments - first)
            start = first if len(table) else start
    return table, start


def _moments(where: str, times: pd.Series, start: pd.Timestamp | None) -> pd.Series:
    """Times with a zone, each at a whole second; of a time that a clock shows twice the first."""
    try:
        moments = pd.to_datetime(times)
        zone: Any = moments.dt.tz
    except (ValueError, TypeError, AttributeError):  # pandas 2 gives the objects that it was given
        expected = "times of one zone, such as from pd.to_datetime(times, utc=True)"
        raise ValueError(f"{where}: found times of several zones, expected {expected}") from None
    _check_times(where, moments, moments.dt.floor("s"))
    if zone is None:
        zone = "UTC" if start is None else start.tz
        moments = moments.dt.tz_localize(zone, ambiguous=np.ones(len(moments), bool), nonexistent="shift_forward")
    return moments


def _seconds(lengths: pd.Series) -> pd.Series:
    """Lengths of time in seconds, rounded down."""
    return lengths.dt.floor("s").astype("timedelta64[s]").astype("int64")


def _check_times(where: str, given: pd.Series, whole: pd.Series) -> None:
    """Check that no time lacks, and that all are whole seconds."""
    if (wrong := (given != whole).to_numpy()).any():  # what lacks equals nothing
        job, value = next(given[wrong].items())
        expected = "a time" if pd.isna(value) else "whole seconds, such as from .dt.round('s')"
        raise ValueError(f"{where}: job {job}: found {value}, expected {expected}")


# Check a table, and give it all columns.


TABLE = checks.instance(pd.DataFrame, "a DataFrame")

_NAMES = "whole numbers, such as from pd.factorize(names)[0]"

_LENGTHS = "whole seconds or lengths of time, such as from pd.to_timedelta(texts)"

_EXPECTED = dict.fromkeys(["user", "group", "app", "queue"], _NAMES) | {
    "submit": "whole seconds or times, such as from pd.to_datetime(texts)",
    "run": _LENGTHS,
    "estimate": _LENGTHS,
    "gpus": "whole numbers of at least 0",
}
"""What is right in a column; whole numbers in the others."""


def check_columns(table: pd.DataFrame, where: str, needed: Sequence[str]) -> None:
    """Check that a table has some columns, and each column once."""
    if missing := [column for column in needed if column not in table]:
        raise ValueError(f"{where}: missing column {', '.join(missing)}; expected {', '.join(needed)}")
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise ValueError(f"{where}: found column {twice} twice, expected each once")


def completed(jobs: pd.DataFrame, name: str, gpus: int) -> pd.DataFrame:
    """Give a jobs table all `COLUMNS`, as int64, and `gpus` if the machine has some or a job needs some."""
    where = f"{name}: jobs"
    check_columns(jobs, where, ["submit", "run", "procs"])
    check_labels(jobs.index, where)
    needed = gpus > 0 or ("gpus" in jobs and bool((jobs.gpus != 0).any()))
    columns = [*COLUMNS, "gpus"] if needed else COLUMNS
    if list(jobs) == COLUMNS == columns and all(dtype == np.int64 for dtype in jobs.dtypes):  # as of most derived ones
        return copied(jobs)  # a reader of `jobs` may change them
    default: dict[str, Any] = {"estimate": jobs.run, "gpus": 0}
    numbers = {}
    for column in columns:
        values = jobs[column] if column in jobs else default.get(column, -1)
        values = values if isinstance(values, pd.Series) else np.full(len(jobs), values)
        least, expected = 0 if column == "gpus" else -(2**63), _EXPECTED.get(column, "whole numbers")
        of_column = f"{where}: column {column}"
        numbers[column] = checks.whole_numbers(of_column, values, jobs.index, least, expected=expected)
    return pd.DataFrame(numbers, jobs.index)


def check_labels(labels: pd.Index, where: str) -> None:
    """Check that each job has its own label: results are joined to jobs by label."""
    absent = np.any([labels.get_level_values(level).isna() for level in range(labels.nlevels)], axis=0)
    if labels.is_unique and not absent.any():
        return
    first = int((absent if absent.any() else labels.duplicated(keep=False)).argmax())
    of_label = labels.factorize()[0]
    label, same = labels[first], np.flatnonzero(of_label == of_label[first])
    places = f"position{'s' * (len(same) > 1)} {' and '.join(map(str, same[:2]))}{' and others' * (len(same) > 2)}"
    raise ValueError(
        f"{where}: found label {label} at {places}, expected one for each job; number them anew, with "
        "pd.concat([...], ignore_index=True) or jobs.reset_index(drop=True), and the lines of a log with them"
    )


def taking_part(jobs: pd.DataFrame, name: str, procs: int, gpus: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Complete a jobs table, and take out the jobs that the machine cannot run, with the reason of each."""
    jobs = completed(jobs, name, gpus)
    too_many = jobs.gpus > gpus if "gpus" in jobs else False
    out = ((jobs.run < 0) | (jobs.procs <= 0) | (jobs.procs > procs) | too_many).to_numpy()
    others = jobs[out]  # few, for words take long
    causes = [others.run < 0, others.procs <= 0, others.procs > procs]
    reason = np.select(causes, [NO_RUN, _NO_PROCS, TOO_LARGE], default=_TOO_MANY_GPUS)
    left = jobs[~out] if out.any() else jobs
    left = left if gpus > 0 or "gpus" not in left else left[COLUMNS]
    return left, others.assign(dropped=pd.Series(reason, others.index, dtype=object))


def by_arrival(jobs: pd.DataFrame) -> pd.DataFrame:
    """Put jobs in order of submit time; jobs with equal times keep their order."""
    submit = jobs.submit.to_numpy()
    return jobs if (submit[1:] >= submit[:-1]).all() else jobs.iloc[in_order(submit)]


def following(log: pd.DataFrame | None, jobs: pd.Index, name: str) -> tuple[Ints, Ints]:
    """Find which job each job follows, and its think time, by the fields of a log: see `Workload.followed`."""
    if log is None or not (log.preceding.loc[jobs] > 0).any():
        raise ValueError(
            f"{name}: found no job with a preceding one, so there is no feedback; expected a log with fields "
            "17 (number of the preceding job) and 18 (think time in seconds)"
        )
    line = log.index.get_indexer(jobs)
    log = log.iloc[line]
    if not log.job.is_unique:
        raise ValueError(f"{name}: feedback: found jobs of the same number, expected a number for every job")
    preceding = pd.Index(log.job).get_indexer(log.preceding)
    submit, think = log.submit.to_numpy(), log.think.round().to_numpy(np.int64)
    before = (submit[preceding] < submit) | ((submit[preceding] == submit) & (line[preceding] < line))
    follows = (log.preceding > 0).to_numpy() & (think >= 0) & (preceding >= 0) & before
    return np.where(follows, preceding, -1), np.where(follows, think, 0)


def copied(table: pd.DataFrame) -> pd.DataFrame:
    """Copy a table, so that changes to the copy do not change the table; free with pandas 3."""
    return table.copy(deep=int(pd.__version__.split(".")[0]) < 3)  # before, writing into a shallow copy changed both


def checked_past(
    past: pd.DataFrame | None, needed: Sequence[str], of: str, fractions: Sequence[str] = ()
) -> pd.DataFrame | None:
    """Check a table of earlier jobs as a workload's, and copy it; each has run, for a time of which two fit 64 bits.

    Some columns may have `fractions`.
    """
    checks.check(of, "past", past, checks.or_none(TABLE))
    if past is None:
        return None
    check_columns(past, f"{of}: past", needed)
    columns = {}
    for column in needed:
        has_fractions = column in fractions and past[column].dtype.kind == "f"
        values = np.floor(past[column]) if has_fractions else past[column]
        bounds: tuple = (0, checks.LATEST, "whole seconds, 0 to 2^61") if column == "run" else ()
        whole = checks.whole_numbers(f"{of}: past: column {column}", values, past.index, *bounds)
        columns[column] = past[column] if has_fractions else whole
    return past.assign(**columns)
