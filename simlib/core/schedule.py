"""Simulate a workload under a policy, and measure the schedule; what a policy is, and what it returns."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from html import escape
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._util import checks
from .._util.arrays import STATISTICS, Bools, Floats, Ints, statistics
from .._util.words import duration
from . import metrics
from .calendar import Moment
from .jobs_table import copied
from .threads import interruptible
from .workload import Workload

_OVERRUN = ("extend", "kill")

MEANS = ["utilization", "jobs", "mean_wait", "mean_response", "mean_bounded_slowdown", "backfilled_share"]
"""The measures of the jobs that end in a period: the columns of `Schedule.means` and `Schedule.by_period`."""

_COLUMNS = ["submit", "run", "start", "end", "wait", "response", "bounded_slowdown", "backfilled"]
"""What every Schedule adds to the columns of a workload's jobs, or has in their place."""

_SUMMARY = ["mean_wait", "mean_response", "mean_bounded_slowdown", "utilization", "backfilled_share", "jobs"]
_SUMMARY += ["makespan", "unestimated"]

_PERCENTILES = ("median", "p95", "p99")
"""What the percentiles of a measure are called, in the order of `STATISTICS`."""

Feedback = tuple[Ints, Ints]
"""For each job the place of the one that it follows, -1 for none, and its think time in seconds."""

_COMPUTED = ("run", "end", "wait", "response", "bounded_slowdown")
"""Columns of a schedule that follow from others, so that no policy returns them."""

WHOSE = ("user", "group", "queue")
"""Columns of the jobs table that an order or a policy of one's own may ask for, besides times and sizes."""

_FLOOR = checks.or_none(checks.number("a number"))
"""The least bounded slowdown."""


class Policy(Protocol):
    """An object that can be simulated: it has a method `schedule` (see `simlib.policies`). For annotations."""

    @property
    def schedule(self) -> Callable[..., Mapping[str, Any]]:
        """The method."""


def whose(jobs: pd.DataFrame) -> dict[str, Ints]:
    """Find the user, group and so on (`WHOSE`) of each job; -1 where the table has none."""
    return {name: jobs[name].to_numpy(np.int64) if name in jobs else np.full(len(jobs), -1) for name in WHOSE}


def simulate(workload: Workload, policy: Policy, overrun: str = "extend", feedback: bool = False) -> "Schedule":
    """Schedule a workload's jobs under a policy.

    Parameters
    ----------
    workload : Workload
    policy : FCFS, EASY, Conservative, OwnPolicy, or any object with their `schedule` method (see `simlib.policies`)
    overrun : {"extend", "kill"}
        What happens to a job that runs longer than its estimate: "extend" raises the estimate to the run time, "kill"
        ends the job after its estimate.
    feedback : bool
        Whether jobs follow others, by the log's fields 17 (the preceding job) and 18 (the think time). A job that has
        both is submitted its think time after the simulated end of the preceding job; its recorded submit time does not
        count. The preceding job must take part, and must have been submitted before by the log's own times (or on an
        earlier line, if they are equal). All other jobs are submitted at the workload's times. Jobs that are submitted
        at the same instant join the queue in the order of `workload.jobs`. If a job starts and ends at one instant,
        jobs that follow it at this instant join after the others.

    A simulation that takes longer than a second shows its progress (in terminals and JupyterLab, but not under
    papermill or in a file). It can be interrupted.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        For an unknown `overrun`, times so large that their sum overflows, or feedback if no job has a preceding one; if
        jobs need GPUs and the policy schedules only processors; if your own policy makes a schedule that the machine
        cannot run: see `Schedule.check`.
    TypeError
        For an object that is no policy, or for feedback with a policy that does not support it.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.EASY()).jobs[["start", "end", "wait", "backfilled"]]
       start  end  wait  backfilled
    A      0   10     0       False
    B     10   15     9       False
    C      2    7     0        True
    """
    checks.check("simulate", "workload", workload, checks.instance(Workload, "a Workload"))
    checks.check("simulate", "overrun", overrun, checks.one_of(*_OVERRUN))
    checks.check("simulate", "feedback", feedback, checks.FLAG)
    check_policy("simulate", policy)
    if feedback and not _has_parameter(policy, "feedback"):
        raise TypeError(
            f"simulate: found feedback with policy {policy!r}, whose schedule method has no parameter 'feedback'; "
            "expected one such as simlib.EASY()"
        )
    if workload.needs_gpus and not _has_parameter(policy, "gpus"):
        raise ValueError(
            f"simulate: found jobs that need GPUs with policy {policy!r}, which knows of processors only; expected one "
            "such as simlib.EASY(), or workload.without_gpus()"
        )
    jobs = workload.jobs
    submit, run, estimate, size = (jobs[c].to_numpy(copy=True) for c in ("submit", "run", "estimate", "procs"))
    if overrun == "kill":
        run = np.minimum(run, np.maximum(estimate, 0))
    estimate = np.maximum(estimate, run)
    options: dict[str, Any] = {}
    longest = estimate.sum(dtype=float)
    if feedback:
        options["feedback"] = place, think = tuple(column.copy() for column in workload.followed())
        longest += think.sum(dtype=float)
    if workload.needs_gpus:
        options["gpus"] = jobs.gpus.to_numpy(copy=True), workload.gpus
    if max(int(submit.max(initial=0)), -int(submit.min(initial=0))) + longest > 2.0**61:
        raise ValueError(f"{workload.name}: times are too large: all estimates after one another overflow 64 bits")
    prepared = policy.prepare(jobs) if hasattr(policy, "prepare") else policy
    own = is_own(prepared)
    given = submit, run if own else run.copy(), estimate, size  # others may do with all they get what they like
    schedule = partial(prepared.schedule, *given, workload.procs, **options)
    foreign = not own or callable(getattr(prepared, "order", None))  # code of somebody's, which may never return
    in_python = getattr(prepared, "in_python", False)
    watched = partial(interruptible, schedule, len(submit), foreign, in_python)
    columns = watched() if _has_parameter(prepared, "progress_and_stop") else schedule()
    if in_python:
        policy = prepared  # with what it remembers
    elif own:
        return Schedule(workload, policy, overrun, run, **columns, feedback=feedback)
    columns = _checked_columns(columns, policy, jobs)
    unchecked = Schedule(workload, policy, overrun, run, **columns, feedback=feedback)
    unchecked.check()
    return unchecked


def check_policy(where: str, policy: object) -> None:
    """Check that an object can be simulated; TypeError that says what to type, such as EASY() for the class."""
    if isinstance(policy, type) or not hasattr(policy, "schedule"):
        example = f"{getattr(policy, '__name__', '')}()" if hasattr(policy, "schedule") else "simlib.EASY()"
        raise TypeError(f"{where}: found policy {policy!r}, expected an object such as {example}")


def _checked_columns(returned: Any, policy: object, jobs: pd.DataFrame) -> dict[str, np.ndarray]:
    """Check the form of a policy's result, and make arrays of it."""
    if not isinstance(returned, dict) or "start" not in returned:
        keys = ", ".join(map(repr, returned)) if isinstance(returned, dict) else ""
        what = f"a dict of {keys or 'nothing'}" if isinstance(returned, dict) else repr(returned)[:80]
        raise ValueError(f"{policy}: schedule returned {what}, expected a dict with 'start', the jobs' start times")
    seconds = checks.whole_seconds
    kinds: dict[str, Callable] = {"start": seconds, "submit": seconds, "shadow": seconds, "backfilled": _flags}
    columns = {}
    for name, values in returned.items():
        if name not in kinds and (name in _COMPUTED or name in jobs.columns):
            raise ValueError(f"{policy}: schedule returned a column {name!r}, expected another name: this one is taken")
        values = checks.by_job(f"{policy}: {name}", values, jobs.index)
        columns[name] = kinds[name](f"{policy}: {name}", values, jobs.index) if name in kinds else values.copy()
    return columns


def _flags(where: str, values: np.ndarray, jobs: pd.Index) -> Bools:
    """Convert flags to bool; 1 and 0 are accepted."""
    if (wrong := ~np.isin(values, (0, 1))).any():
        place = int(wrong.argmax())
        raise ValueError(f"{where}: job {jobs[place]}: found {values[place]!r:.40}, expected True or False")
    return values.astype(bool)


def is_own(policy: object) -> bool:
    """Tell whether a policy is one of these packages; the tests compare their kernels with the reference."""
    return type(policy).__module__.startswith(("simlib.", "simlib_"))


def _has_parameter(policy: Any, name: str) -> bool:
    """Tell whether a policy's `schedule` method has a parameter."""
    return name in _signature(getattr(policy.schedule, "__func__", policy.schedule)).parameters


_signature = lru_cache(inspect.signature)  # which is slow


def _read_only(array: np.ndarray) -> np.ndarray:
    """Give a view of an array, through which nobody can change it."""
    view = np.asarray(array).view()
    view.setflags(write=False)
    return view


def _in_units(measure: str, value: float) -> str:
    """Write a measure of a summary as people read it."""
    if np.isnan(value):
        return "-"
    if measure in ("jobs", "unestimated"):
        return f"{value:,.0f}"
    if measure.endswith(("utilization", "_share")):
        return f"{100 * value:.1f} %"
    return f"{value:,.1f}" if measure.endswith("bounded_slowdown") else duration(value)


class _Summary(pd.Series):
    """Measures by name, in full precision, that are shown in units; what is computed from them is a plain Series."""

    def _shown(self) -> pd.DataFrame:
        return pd.DataFrame({self.name: [_in_units(str(name), value) for name, value in self.items()]}, self.index)

    def __repr__(self) -> str:
        return self._shown().to_string()

    def _repr_html_(self) -> str:
        return self._shown().to_html(border=0)


class Schedule:
    """Say when each job of a workload starts under a policy.

    Attributes
    ----------
    workload, policy, overrun, feedback
        The arguments of `simulate`. An `OwnPolicy` is the copy that ran: you can read what its function remembers.
    jobs : DataFrame
        `workload.jobs` and, with the same index and order, `start`, `end`, `wait`, `response` (seconds),
        `bounded_slowdown`, `backfilled` and the further columns of the policy: from Conservative the `guarantee`, the
        start time promised on arrival; from EASY the `adjusted` estimates, if it adjusts them. `submit` and `run` are
        the simulated times: feedback may move submissions, and "kill" may cut run times.
    shadow : Series or None
        Under EASY, each job's shadow time when it first waited at the head of the queue; -1 for a job that never did.
        If predictions are not corrected, it follows from them, and may lie in the past.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
    >>> simlib.simulate(w, simlib.EASY())
    <Schedule of two jobs under EASY(): mean wait 4 s>
    """

    _memory = ("_known",)  # for `cache.identity`: what follows from the rest

    def __init__(
        self,
        workload: Workload,
        policy: Policy,
        overrun: str,
        run: Ints,
        start: ArrayLike,
        submit: ArrayLike | None = None,
        backfilled: ArrayLike | None = None,
        shadow: Ints | None = None,
        feedback: bool = False,
        **others: np.ndarray,
    ) -> None:
        self.workload = workload
        self.policy = policy
        self.overrun = overrun
        self.feedback = feedback
        self._run = run
        self._start = np.asarray(start)  # a policy may return lists
        self._submit = workload.jobs.submit.to_numpy() if submit is None else np.asarray(submit)
        self._backfilled = np.zeros(len(self._start), bool) if backfilled is None else np.asarray(backfilled)
        self._shadow = shadow
        self._others = others
        given = {"submit": self._submit, "run": run, "start": self._start, "backfilled": self._backfilled}
        # the columns of `jobs` as far as worked out
        self._known = {name: _read_only(column) for name, column in (given | others).items()}

    @property
    def names(self) -> list[str]:
        """The names of the columns of `jobs`."""
        return list(dict.fromkeys([*self.workload.jobs, *_COLUMNS, *self._others]))

    @cached_property
    def _table(self) -> pd.DataFrame:
        columns = {name: self.column(name) for name in self.names}
        return pd.DataFrame(columns, self.workload.jobs.index)

    def column(self, name: str) -> np.ndarray:
        """Give a column of `jobs` as a read-only array.

        Raises
        ------
        ValueError
            For a name that is none of a column.

        Use it to measure many runs: `jobs` takes as long as a small simulation.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
        >>> simlib.simulate(w, simlib.EASY()).column("wait")
        array([0, 9])
        """
        if isinstance(name, str) and name in self._known:
            return self._known[name]
        column: np.ndarray
        if not isinstance(name, str) or name not in self.names:
            raise ValueError(f"{self}: found column {name!r}, expected one of {', '.join(self.names)}")
        if name == "end":
            column = self._start + self._run
        elif name == "wait":
            column = self._start - self._submit
        elif name == "response":
            column = metrics.response(self.column("wait"), self._run)
        elif name == "bounded_slowdown":
            column = metrics.bounded_slowdown(self.column("wait"), self._run)
        else:
            column = self.workload.jobs[name].to_numpy()
        self._known[name] = _read_only(column)
        return self._known[name]

    @property
    def jobs(self) -> pd.DataFrame:
        """The jobs table with the simulated columns, a copy: see above."""
        return copied(self._table)

    @property
    def shadow(self) -> pd.Series | None:
        """Each job's shadow time under EASY: see above."""
        if self._shadow is None:
            return None
        return pd.Series(self._shadow, self.workload.jobs.index, name="shadow", copy=True)

    def __repr__(self) -> str:
        return f"<Schedule of {self.workload.name} under {self.policy}: mean wait {self.summary().mean_wait:,.0f} s>"

    def check(self) -> None:
        """Check that the machine could have run this schedule.

        `simulate` calls it for every policy from outside the package.

        Raises
        ------
        ValueError
            If a job starts before it is submitted; if it is submitted at another time than the log says (with feedback:
            than its think time after the end of the job that it follows); or if more processors or GPUs are in use at
            once than the machine has. A job of length zero holds none. The message names the first such job and the
            time in seconds.

        Examples
        --------
        >>> import simlib
        >>> simlib.simulate(simlib.load("sample"), simlib.EASY()).check()
        """
        jobs, where = self.jobs, f"{self.workload.name} under {self.policy}"
        submit, start, end = (jobs[name].to_numpy() for name in ("submit", "start", "end"))
        if (early := start < submit).any():
            job = jobs[early].iloc[0]
            raise ValueError(
                f"{where}: job {job.name} starts at second {job.start:,}, before it is submitted; "
                f"expected {job.submit:,} or later"
            )
        due = self.workload.jobs.submit.to_numpy()
        if self.feedback:
            place, think = self.workload.followed()
            due = np.where(place >= 0, end[place] + think, due)
        if (moved := submit != due).any():
            first = int(np.flatnonzero(moved)[0])
            raise ValueError(
                f"{where}: job {jobs.index[first]} is submitted at second {submit[first]:,}, "
                f"expected {due[first]:,}" + (", the think time after the job it follows" * self.feedback)
            )
        jobs = jobs[jobs.run > 0]  # one of no length holds no processor
        for column, most, called in self._resources:
            times, used, of_job = metrics.in_use(*(jobs[name].to_numpy() for name in ("start", "end", column)))
            if (used > most).any():
                event = int(np.argmax(used > most))
                label = jobs.index[of_job[event]]
                raise ValueError(
                    f"{where}: job {label} starts at second {times[event]:,}, when {used[event]:,} {called} "
                    f"are in use with it: more {called} than the machine has; expected at most {most:,}"
                )

    @property
    def _resources(self) -> list[tuple[str, int, str]]:
        """The machine's resources: for each the column of the jobs' needs, its total, and its name."""
        with_gpus = [("gpus", self.workload.gpus, "GPUs")] * (self.workload.gpus > 0)
        return [("procs", self.workload.procs, "processors"), *with_gpus]

    @property
    def _makespan(self) -> float:
        """Seconds from the first submit to the last end."""
        return float((self._start + self._run).max() - self._submit.min()) if len(self._start) else 0.0

    def means(self, edges: Sequence[int] | Ints = (), floor: float | None = 1.0) -> Floats:
        """Measure as `by_period` and `summary` do, but return plain numbers, to measure thousands of runs.

        Parameters
        ----------
        edges : sequence of int
            Between the periods, in seconds, rising.
        floor : float or None
            Of the bounded slowdown; None for MF's formula.

        Raises
        ------
        ValueError
            For edges that are not rising whole seconds.

        Returns
        -------
        float array, shape (periods + 1, 6)
            The columns `MEANS` of each period. The last row is over all jobs; its utilization is from the first submit
            to the last end. nan if there is no job.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
        >>> simlib.simulate(w, simlib.EASY()).means()[-1, MEANS.index("mean_wait")]
        np.float64(4.5)
        """
        checks.check(str(self.policy), "floor", floor, _FLOOR)
        edges = checks.whole_seconds("edges of periods", edges)
        if edges.ndim != 1 or not (edges[1:] > edges[:-1]).all():
            raise ValueError(f"edges of periods: found {str(edges)[:80]}, expected a list of rising seconds")
        columns = self._submit, self._start, self._run, self.workload.jobs.procs.to_numpy(), self._backfilled
        sums = metrics.totals(edges, *columns, -np.inf if floor is None else float(floor))
        sums = sums[[*range(1, len(edges)), -1]]  # not what is before the first edge and after the last
        seconds = np.append(np.diff(edges), self._makespan)
        jobs, work = sums[:, :1], sums[:, -1:]
        with np.errstate(invalid="ignore"):
            return np.hstack([work / (self.workload.procs * seconds[:, None]), jobs, sums[:, 1:-1] / jobs])

    def summary(self, floor: float | None = 1.0, percentiles: bool = False) -> "pd.Series[float]":
        """Take the means over all jobs.

        Parameters
        ----------
        floor : float or None
            Of the bounded slowdown; None for MF's formula.
        percentiles : bool
            Whether to add the median, the 95th and the 99th percentile, which take longer than the means.

        Returns
        -------
        Series
            mean_wait, mean_response (seconds), mean_bounded_slowdown, utilization (the share of the machine that was
            used from the first submit to the last end; the offered load is `Workload.load`), backfilled_share, jobs,
            makespan (seconds), unestimated (the number of jobs without an estimate in the log, whose run time serves as
            a perfect estimate). On a machine with GPUs also gpu_utilization, the share of the GPUs that was used. With
            percentiles also median_wait, p95_wait, p99_wait, and the same for response and bounded_slowdown: each is
            the smallest value that at least this share of the jobs does not exceed. It is printed in minutes, hours and
            days; the numbers themselves are in seconds.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
        >>> schedule = simlib.simulate(w, simlib.EASY())
        >>> schedule.summary()[["mean_wait", "mean_response", "makespan"]].to_list()
        [4.5, 12.0, 15.0]
        >>> schedule.summary(percentiles=True)[["median_wait", "p95_wait"]].to_list()
        [0.0, 9.0]
        >>> print(simlib.simulate(simlib.load("sample"), simlib.EASY()).summary())
                                  EASY()
        mean_wait                  2.4 h
        mean_response              4.8 h
        mean_bounded_slowdown       24.7
        utilization               67.9 %
        backfilled_share          54.6 %
        jobs                       6,000
        makespan               90.6 days
        unestimated                  394
        """
        checks.check("summary", "percentiles", percentiles, checks.FLAG)
        used, jobs, wait, response, slowdown, backfilled = self.means(floor=floor)[-1]
        values = [wait, response, slowdown, used, backfilled, jobs, self._makespan, self.workload.unestimated]
        measures = dict(zip(_SUMMARY, values, strict=True))
        if gpus := self.workload.gpus:
            work = self.workload.jobs.gpus.to_numpy().astype(float) @ self._run
            measures["gpu_utilization"] = work / (gpus * self._makespan) if self._makespan else np.nan
        if percentiles:
            columns = {name: self.column(name) for name in ("wait", "response")}
            columns["bounded_slowdown"] = metrics.bounded_slowdown(columns["wait"], self._run, floor=floor)
            for name, column in columns.items():
                _, *quantiles = statistics(column)
                measures |= {f"{short}_{name}": value for short, value in zip(_PERCENTILES, quantiles, strict=True)}
        return _Summary(measures, name=str(self.policy))

    def _repr_html_(self) -> str:
        """Show in notebooks the measures that readers need first, such as the mean wait."""
        summary = self.summary(percentiles=True)
        rows = {}
        for name in ("wait", "response", "bounded_slowdown"):
            measures = [f"{statistic}_{name}" for statistic in ("mean", *_PERCENTILES)]
            rows[name.replace("_", " ")] = [_in_units(measure, summary[measure]) for measure in measures]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=list(STATISTICS))
        title = f"<b>{escape(self.workload.name)}</b> under {escape(str(self.policy))}"
        sentence = (
            f"{summary.jobs:,.0f} jobs in {duration(summary.makespan)} on {self.workload.procs:,} processors: "
            f"utilization {summary.utilization:.0%}, {summary.backfilled_share:.0%} backfilled"
        )
        if self.workload.synthetic:
            sentence += "; SYNTHETIC"
        return f"<p>{title}</p>{table.to_html(border=0)}<p>{escape(sentence)}</p>"

    def by_month(self, floor: float | None = 1.0) -> pd.DataFrame:
        """Take the means over the jobs that end in each calendar month of the log's own zone (as MF Table 1 does).

        Parameters
        ----------
        floor : float or None
            Of the bounded slowdown; None for MF's formula.

        Returns
        -------
        DataFrame
            One row for each month `YYYY-MM`: utilization (MF call it load), jobs, mean_wait, mean_response (seconds),
            mean_bounded_slowdown, backfilled_share.

        Raises
        ------
        ValueError
            Where there is no job, or the log has no calendar.

        Examples
        --------
        >>> import simlib
        >>> simlib.simulate(simlib.load("sample"), simlib.EASY()).by_month().jobs.to_dict()
        {'2026-01': 2007, '2026-02': 1889, '2026-03': 2096, '2026-04': 8}
        """
        if not len(self._start):
            raise ValueError(
                f"{self.workload.name}: by_month: found no job, expected at least one that ends in a month"
            )
        months, edges = self.workload.month_starts(self._start.min(), (self._start + self._run).max())
        return self.by_period(edges, floor).set_axis(pd.Index(months, name="month"))

    def by_period(self, edges: Sequence[int] | Ints, floor: float | None = 1.0) -> pd.DataFrame:
        """Take the means over the jobs that end in each of the periods between successive edges.

        Parameters
        ----------
        edges : sequence of int
            Seconds, rising.
        floor : float or None
            Of the bounded slowdown; None for MF's formula.

        Raises
        ------
        ValueError
            For edges that are not rising whole seconds.

        Returns
        -------
        DataFrame
            As from `by_month`, one row for each period; nan if no job ended in it.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
        >>> simlib.simulate(w, simlib.EASY()).by_period([0, 12, 24]).mean_wait.to_list()
        [0.0, 9.0]
        """
        return pd.DataFrame(self.means(edges, floor)[:-1], columns=MEANS).astype({"jobs": int})

    def between(self, first: Moment | int, last: Moment | int) -> pd.DataFrame:
        """Give the jobs that ran between two times, with the times and waits that they have in the full schedule.

        Parameters
        ----------
        first, last : str, date or int
            In the log's own zone, such as "2012-05-03" or "2012-05-03 14:30"; or seconds of the log. Jobs that end at
            `first` or start at `last` are left out. Jobs of length zero that start at `first` are included.

        Returns
        -------
        DataFrame
            Rows of `jobs`.

        Raises
        ------
        ValueError
            For a text that is no time, if the log has no calendar, and if `last` is not after `first`.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
        >>> simlib.simulate(w, simlib.EASY()).between(10, 12).wait.to_dict()
        {'B': 9}
        """
        begin, end = self.workload.period(first, last)
        jobs = self._table
        return jobs[(jobs.start < end) & ((jobs.end > begin) | (jobs.start >= begin))]

    def plan(self, now: int) -> "Schedule":
        """Show the plan of the scheduler at second `now`, from what it knew then.

        It contains the jobs submitted by then. Jobs that had not ended are expected to run for their estimates, and no
        job ends early after `now`. So under conservative backfilling the start times are the reservations held at
        `now`, and under EASY the head's start time is its shadow time.

        Returns
        -------
        Schedule

        Raises
        ------
        ValueError
            For adjusted estimates: only the simulation knows their later values.

        Examples
        --------
        Job A ends after 10 seconds; at second 5 it is expected to end after 20.

        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))
        >>> schedule = simlib.simulate(w, simlib.EASY())
        >>> schedule.jobs.start.to_list(), schedule.plan(5).jobs.start.to_list()
        ([0, 10], [0, 20])
        """
        if "adjusted" in self._table:
            raise ValueError(f"{self.workload.name}: plan: found adjusted estimates, expected a policy without adjust")
        checks.check("plan", "now", now, checks.number("a number of seconds"))
        jobs = self._table[self._table.submit <= now]
        estimate = np.maximum(jobs.estimate, jobs.run)
        run = jobs.run.where(jobs.end <= now, estimate)
        known = self.workload.derive(jobs.assign(run=run, estimate=estimate), f"as known at {now} s")
        return simulate(known, self.policy)

    def utilization(self) -> pd.Series:
        """Find the share of the machine that is in use, as a Series of steps by second.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
        >>> simlib.simulate(w, simlib.EASY()).utilization().to_dict()
        {0: 0.75, 10: 0.5, 15: 0.0}
        """
        jobs = self._table
        times, share = metrics.utilization(jobs.start, jobs.end, jobs.procs, self.workload.procs)
        return pd.Series(share, index=pd.Index(times, name="seconds"), name="utilization")
