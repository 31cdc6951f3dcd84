"""Adjust the users' run-time estimates as a system may (Tang et al. 2013, sections 3.2 and 4).

R = t_act / t_req is the share of the requested time that a job used, at most 1 (equation 1). When a job is submitted, a
`Scheme` takes the adjustment parameter A from the R values of similar jobs that have ended recently, and the scheduler
plans with t_sched = t_req x A (equation 2). Jobs are never killed at t_sched.

In the tables `estimate` is t_req and `run` is t_act; times are seconds.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._util import checks
from .._util.arrays import Floats, Ints
from ..core import threads
from ..core.estimates import ends_of
from ..core.jobs_table import checked_past
from ..engine import estimating
from ..plain.estimates import Adjusted
from ..plain.loop import Policy
from ..plain.machine import Job

KEYS = ("project", "user", "user+project", "user+project+estimate")
"""Similarity, by falling generality: what a job must have in common with an earlier one. The last is "triple"."""

WINDOWS = (None, "12 months", "6 months", "3 months", "2 months", "1 month")
"""Recency: how long ago, at most, an earlier job ended; None for no limit."""

METRICS = {"maximum": 100, "95th": 95, "90th": 90, "85th": 85, "80th": 80, "70th": 70, "median": 50}
"""Aggressiveness: which percentile of the earlier jobs' R values A is."""
PERCENTILES = tuple(METRICS.values())

LEVELS = ("NA", "OE", "UE", "BE")
"""No adjustment, overestimation, underestimation, bad estimation (section 4.2.2)."""

BAD = 1800
"""Seconds below the run time from which on an underestimate is a bad one (figure 5)."""

PARTS = ("user", "project", "estimate")
UNITS = {"hour": 3600, "day": 86400, "week": 7 * 86400, "month": 30 * 86400}


@dataclass(frozen=True)
class Scheme:
    """Set a walltime adjustment scheme: similarity, recency and aggressiveness (section 4.1).

    Parameters
    ----------
    key : str
        Similarity: the columns in which similar jobs agree, out of user, project and estimate, joined by "+".
    window : str or None
        Recency: how long ago an earlier job may have ended, such as "1 month" or "90 days"; None for any time. A month
        is 30 days here; the paper leaves this open.
    percentile : float
        Aggressiveness: A is this percentile of the R values, 100 their maximum and 50 their median.
    threshold : float or None
        A is no smaller than this (section 4.2.3); None for no limit.
    least : int
        The fewest earlier jobs with which an estimate is adjusted (section 4.2.5).
    project : str
        The column of the jobs table that serves as the project: "group"; "queue" for logs without groups; or "user",
        for logs that have neither.

    Raises
    ------
    ValueError
        For a setting out of range; the message names the range.

    Examples
    --------
    >>> scheme = Scheme("user", window="2 days", percentile=50)
    >>> scheme.window_s, scheme.columns
    (172800, ['user'])
    """

    key: str = "user+project+estimate"
    window: str | None = "1 month"
    percentile: float = 85
    threshold: float | None = None
    least: int = 10
    project: str = "group"

    def __post_init__(self) -> None:
        checks.settings(
            self,
            key=checks.Kind(_is_key, f"{', '.join(PARTS)}, joined by '+'"),
            window=checks.Kind(lambda window: _seconds(window) is not None, f"None or {_WINDOW_EXPECTED}"),
            percentile=checks.number("a number from 0 to 100", least=0, most=100),
            threshold=checks.or_none(checks.number("a number from 0 to 1", least=0, most=1)),
            least=checks.whole_number(1, checks.LATEST),
            project=checks.one_of("group", "queue", "user"),
        )

    @property
    def window_s(self) -> int:
        """The window in seconds."""
        seconds = _seconds(self.window)
        assert seconds is not None  # or the scheme would not have been made
        return seconds

    @property
    def columns(self) -> list[str]:
        """The columns of the jobs table that form the key."""
        return [self.project if part == "project" else part for part in self.key.split("+")]


_WINDOW_EXPECTED = "a whole number and a unit out of hour, day, week, month, such as '1 month' or '90 days'"


def _seconds(window: object) -> int | None:
    """A window in seconds; None if it cannot be read."""
    if window is None:
        return estimating.EVER
    match = re.fullmatch(rf"([1-9]\d{{0,8}}) ({'|'.join(UNITS)})s?", window) if isinstance(window, str) else None
    return int(match[1]) * UNITS[match[2]] if match else None


def _is_key(key: object) -> bool:
    """Tell whether something names parts of a key, each once."""
    parts = key.split("+") if isinstance(key, str) else [""]
    return set(parts) <= set(PARTS) and len(set(parts)) == len(parts)


def schemes(
    keys: Sequence[str] = KEYS,
    windows: Sequence[str | None] = WINDOWS,
    percentiles: Sequence[float] = PERCENTILES,
    **options: Any,
) -> list[Scheme]:
    """List the schemes of the paper's figure 3, or some of them.

    Parameters
    ----------
    keys, windows, percentiles : sequences
        Options of the three dimensions.
    **options
        Of `Scheme`: threshold, least, project.

    Examples
    --------
    >>> len(schemes()), len(schemes(keys=["user"], windows=[None]))
    (168, 7)
    """
    for name, given in (("keys", keys), ("windows", windows), ("percentiles", percentiles)):
        checks.check("schemes", name, given, _SEVERAL)
    return [Scheme(*dimensions, **options) for dimensions in product(keys, windows, percentiles)]


_SCHEMES = checks.Kind(
    lambda given: isinstance(given, list | tuple) and all(isinstance(one, Scheme) for one in given), "a list of Scheme"
)

_SEVERAL = checks.Kind(lambda given: isinstance(given, Iterable) and not isinstance(given, str), "a list")


# Equations


def used(run: ArrayLike, estimate: ArrayLike) -> Floats:
    """Divide run time by estimate: R, the used share of the estimate, at most 1 (equation 1).

    Examples
    --------
    >>> used([30, 90], [60, 60]).tolist()
    [0.5, 1.0]
    """
    run, estimate = (one.astype(float) for one in checks.side_by_side("used", run=run, estimate=estimate))
    return np.divide(run, estimate, out=np.ones_like(run), where=run < estimate)


def t_sched(estimate: ArrayLike, a: ArrayLike) -> Ints:
    """Multiply estimates by A: t_req x A in whole seconds (equation 2); the estimate itself if A is nan.

    Examples
    --------
    >>> t_sched([60, 60], [0.5, np.nan]).tolist()
    [30, 60]
    """
    estimate, a = checks.side_by_side("t_sched", estimate=estimate, a=a)
    adjusted = estimate * a.astype(float)
    return np.where(np.isnan(adjusted), estimate, np.rint(np.nan_to_num(adjusted))).astype(np.int64)


def accuracy(run: ArrayLike, estimate: ArrayLike) -> Floats:
    """Divide the smaller of run time and estimate by the larger, for each job (equation 3).

    It is 1 if they are equal, even if both are 0, and 0 if only one of them is 0.

    Examples
    --------
    >>> accuracy([30, 90, 0], [60, 60, 0]).round(2).tolist()
    [0.5, 0.67, 1.0]
    """
    run, estimate = (one.astype(float) for one in checks.side_by_side("accuracy", run=run, estimate=estimate))
    low, high = np.minimum(run, estimate), np.maximum(run, estimate)
    return np.divide(low, high, out=np.ones_like(low), where=high > 0)


def levels(run: ArrayLike, estimate: ArrayLike, scheduled: ArrayLike) -> np.ndarray:
    """Find the adjustment level of each job, out of `LEVELS` (section 4.2.2).

    NA: not adjusted, because there is too little history or A is 1. OE: at least the run time. UE: less than the run
    time, by up to 30 minutes. BE: less, by more than 30 minutes.
    """
    return np.array(LEVELS)[level_numbers(run, estimate, scheduled)]


def level_numbers(run: ArrayLike, estimate: ArrayLike, scheduled: ArrayLike) -> Ints:
    """Find the `levels` as places in `LEVELS`, which are faster to count than names."""
    run, scheduled = np.asarray(run), np.asarray(scheduled)
    too_short = (scheduled < run).astype(np.int64) + (scheduled < run - BAD)
    return np.where(scheduled == estimate, 0, 1 + too_short)


# Adjustment in the log's own times


def adjusted(jobs: pd.DataFrame, ends: pd.Series, scheme: Scheme) -> pd.DataFrame:
    """Adjust estimates by a scheme, from the jobs that had ended before each job's submission.

    Parameters
    ----------
    jobs : DataFrame
        As `Workload.jobs`, in order of submission.
    ends : Series
        By the index of the jobs, the second at which each ended.
    scheme : Scheme

    Returns
    -------
    DataFrame
        By the index of the jobs: `a`, the adjustment parameter, nan if there is too little history; `t_sched`.

    Examples
    --------
    >>> import simlib
    >>> table = pd.DataFrame({"submit": [0, 100, 200], "run": 30, "estimate": 60, "procs": 1, "user": 7})
    >>> w = simlib.Workload(table, 4)
    >>> adjusted(w.jobs, w.jobs.submit + w.jobs.run, Scheme("user", least=2)).t_sched.to_list()
    [60, 60, 30]
    """
    a = parameters(jobs, ends, [scheme])[scheme]
    return pd.DataFrame({"a": a, "t_sched": t_sched(jobs.estimate, a)})


def parameters(jobs: pd.DataFrame, ends: pd.Series, schemes: Sequence[Scheme], executor: Any = None) -> pd.DataFrame:
    """Find the adjustment parameters A of many schemes; those that differ in percentile and threshold share a pass.

    Parameters
    ----------
    jobs, ends
        As for `adjusted`.
    schemes : sequence of Scheme
    executor : concurrent.futures.Executor, optional
        See `simlib.sweep`.

    Returns
    -------
    DataFrame
        By the index of the jobs, one column for each scheme, in their order; nan if there is too little history.

    Examples
    --------
    >>> import simlib
    >>> table = pd.DataFrame({"submit": [0, 100, 200], "run": [30, 15, 60], "estimate": 60, "procs": 1, "user": 7})
    >>> w = simlib.Workload(table, 4)
    >>> two = [Scheme("user", percentile=percentile, least=2) for percentile in (50, 100)]
    >>> parameters(w.jobs, w.jobs.submit + w.jobs.run, two).loc[2].to_list()
    [0.375, 0.5]
    """
    checks.check("walltime", "jobs", jobs, checks.instance(pd.DataFrame, "a DataFrame"))
    checks.check("walltime", "schemes", schemes, _SCHEMES)
    pass_of = attrgetter("key", "project", "window_s", "least")
    passes = [list(part) for _, part in groupby(sorted(schemes, key=pass_of), pass_of)]
    columns: dict[Scheme, Floats] = {}
    for part in threads.sweep(_one_pass, [(jobs, ends, part) for part in passes], executor, label="passes"):
        columns |= part
    return pd.DataFrame({scheme: columns[scheme] for scheme in schemes}, index=jobs.index, copy=False)


def _one_pass(jobs: pd.DataFrame, ends: pd.Series, schemes: list[Scheme]) -> dict[Scheme, Floats]:
    """A by scheme, of schemes that differ only in percentile and threshold."""
    first = schemes[0]
    group = _groups([jobs], first)
    past = _history_of(group, ends_of(jobs, ends, "Scheme: ends"), used(jobs.run, jobs.estimate), group)
    percents = sorted({float(scheme.percentile) for scheme in schemes})
    submit = jobs.submit.to_numpy()
    a = estimating.parameters(past, group, submit, first.window_s, np.array(percents), int(first.least))
    return {s: np.maximum(a[:, percents.index(s.percentile)], s.threshold or 0) for s in schemes}


def _groups(tables: list[pd.DataFrame], scheme: Scheme) -> Ints:
    """Number the groups of jobs with the same key, the tables one after another; -1 if a part of a key is unknown."""
    count = sum(map(len, tables))
    group, known = np.zeros(count, np.int64), np.ones(count, bool)
    for column in scheme.columns:
        here = all(column in table for table in tables)
        values = np.concatenate([table[column].to_numpy() for table in tables]) if here else np.empty(0)
        if not here or (len(values) and (values == -1).all()):
            raise ValueError(
                f"Scheme: found key={scheme.key!r} with project={scheme.project!r}, but the jobs have no {column}; "
                "expected a key of columns that the log has, or another column as the project"
            )
        number, distinct = pd.factorize(values)  # small numbers, so that pairs of them are numbers too
        first = column == scheme.columns[0]
        group = number if first else pd.factorize(group * len(distinct) + number)[0]
        known &= values != -1
    return np.where(known, group, -1)


def _history_of(group: Ints, end: Ints, r: Floats, every: Ints) -> estimating.History:
    """A history that has learned jobs (their group, end and R), with room for all jobs of the groups in `every`."""
    known = group >= 0
    order = np.flatnonzero(known)[np.lexsort((end[known], group[known]))]
    past = estimating.empty(np.bincount(every[every >= 0]))
    past.learned[:] = np.bincount(group[known], minlength=len(past.learned))
    place = past.offset[group[order]] + np.arange(len(order)) - (np.cumsum(past.learned) - past.learned)[group[order]]
    past.end[place], past.r[place] = end[order], r[order]
    return past


# Adjustment while scheduling


@dataclass(frozen=True)
class Adjustment:
    """Set where a scheduler uses adjusted estimates (section 5.2).

    *Regular* adjustment switches all three on: queue, backfill and running. *Selective* adjustment switches on the
    first two.

    Parameters
    ----------
    scheme : Scheme
    queue, backfill, running : bool
        Whether t_sched replaces the estimate in the order of the queue, for candidates of backfilling, and for running
        jobs.
    past : DataFrame, optional
        Earlier jobs, such as those of months simulated before: the columns of the key, `run`, `estimate` and `end`, in
        seconds of the same clock; whole numbers as in `Workload.jobs`, but `run` and `estimate` may have fractions. A
        job that ends after a submission does not count for it. The adjustment keeps a copy.
    overdue : int
        A job that still runs at its expected end is expected to end after this many seconds. The paper does not say;
        the authors' simulator has five minutes.

    Examples
    --------
    Selective adjustment:

    >>> import simlib
    >>> policy = simlib.EASY(order="wfp", adjust=Adjustment(Scheme("user"), running=False))
    >>> "adjusted" in simlib.simulate(simlib.load("sample"), policy).jobs
    True
    """

    scheme: Scheme = Scheme()
    queue: bool = True
    backfill: bool = True
    running: bool = True
    past: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    overdue: int = 300

    def __post_init__(self) -> None:
        scheme, seconds = checks.instance(Scheme, "a Scheme"), checks.whole_number(0, checks.LATEST, " of seconds")
        checks.settings(
            self, scheme=scheme, queue=checks.FLAG, backfill=checks.FLAG, running=checks.FLAG, overdue=seconds
        )
        needed = ["run", "estimate", "end", *self.scheme.columns]
        object.__setattr__(self, "past", checked_past(self.past, needed, "Adjustment", ["run", "estimate"]))

    def history(self, jobs: pd.DataFrame) -> tuple[estimating.History, Ints, Floats]:
        """Make the history with which a simulation of `jobs` begins; with it each job's group, -1 for none, and its R.

        The history has learned the past jobs and has room for these, whose R it learns when they end. A simulation
        changes it.
        """
        tables = [jobs] if self.past is None else [self.past, jobs]
        every = _groups(tables, self.scheme)
        before = len(every) - len(jobs)
        early, group = every[:before], every[before:]
        end, r = np.empty(0, np.int64), np.empty(0)
        if self.past is not None and before:
            end, r = self.past.end.to_numpy(np.int64), used(self.past.run, self.past.estimate)
        return _history_of(early, end, r, every), group, used(jobs.run, jobs.estimate)

    def plain(self, policy: Policy) -> Policy:
        """Make the plain policy that plans with adjusted estimates."""
        scheme = self.scheme
        names = ["requested" if column == "estimate" else column for column in scheme.columns]

        def key(job: Job) -> tuple | None:
            values = tuple(getattr(job, name) for name in names)
            return None if -1 in values else values

        rows = [] if self.past is None else self.past.to_dict("records")
        past = [(tuple(row[name] for name in scheme.columns), row["end"], row["run"], row["estimate"]) for row in rows]
        known = [one for one in past if -1 not in one[0]]
        window = math.inf if scheme.window is None else scheme.window_s
        rules = window, float(scheme.percentile), scheme.threshold, scheme.least
        return Adjusted(policy, key, *rules, (self.queue, self.backfill, self.running), self.overdue, known)
