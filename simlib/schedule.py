"""Simulate a workload under a policy, and what comes out."""

import inspect
from functools import cached_property, lru_cache, partial

import numpy as np
import pandas as pd

from . import checks, metrics
from .watching import watched

OVERRUN = ("extend", "kill")

MEANS = ["load", "jobs", "mean_wait", "mean_response", "mean_bounded_slowdown", "backfilled_share"]
"""What is said of the jobs that end in a period: the columns of `Schedule.means` and `Schedule.by_period`."""

_SUMMARY = pd.Index(
    ["mean_wait", "mean_response", "mean_bounded_slowdown", "load", "backfilled_share", "jobs", "makespan"]
    + ["unestimated"]
)


def simulate(workload, policy, overrun="extend", feedback=False):
    """Schedule a workload's jobs under a policy.

    Parameters
    ----------
    workload : Workload
    policy : FCFS, EASY, Conservative, or any object with their `schedule` method (see `simlib.policies`)
    overrun : {"extend", "kill"}
        What becomes of an estimate below the run time: it is raised to the run time, or the job is killed when it has
        run for its estimate.
    feedback : bool
        Whether the log's fields 17, the preceding job, and 18, the think time, hold: a job that has both is submitted
        its think time after the simulated end of the preceding job, whatever its recorded submit time. That job must
        take part, and have been submitted before by the log's own times (or on an earlier line, where they are
        equal). All others are submitted when the workload says. Jobs that are submitted at the same instant join the
        queue in the order of `workload.jobs`; those that follow a job which starts and ends at this instant join
        after its end, and so after the others.

    A simulation that takes longer than a second shows how far it has come (in terminals and JupyterLab; not under
    papermill, nor into a file), and can be interrupted.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        For an unknown `overrun`, times so large that their sum overflows, or feedback where no job has a preceding one;
        where a policy that is not the package's own returns what no machine can run: see `Schedule.check`.
    TypeError
        For what is no policy, or one that cannot do feedback.
    """
    if overrun not in OVERRUN:
        raise ValueError(f"simulate: found overrun={overrun!r}, expected 'extend' or 'kill'")
    if isinstance(policy, type) or not hasattr(policy, "schedule"):
        example = f"{policy.__name__}()" if hasattr(policy, "schedule") else "simlib.EASY()"
        raise TypeError(f"simulate: found policy {policy!r}, expected an object such as {example}")
    if feedback and "feedback" not in _parameters(policy):
        raise TypeError(
            f"simulate: found feedback with policy {policy!r}, whose schedule method has no parameter 'feedback'; "
            "expected one such as simlib.EASY()"
        )
    jobs = workload.jobs
    submit, run, estimate, size = (jobs[c].to_numpy(copy=True) for c in ("submit", "run", "estimate", "procs"))
    if overrun == "kill":
        run = np.minimum(run, np.maximum(estimate, 0))
    estimate = np.maximum(estimate, run)
    options = {"feedback": _followed(workload)} if feedback else {}
    longest = estimate.sum(dtype=float) + sum(think.sum(dtype=float) for _, think in options.values())
    if np.abs(submit).max(initial=0) + longest > 2.0**61:
        raise ValueError(f"{workload.name}: times are too large: all estimates after one another overflow 64 bits")
    prepared = policy.prepare(jobs) if hasattr(policy, "prepare") else policy
    own = checks.is_own(prepared)
    given = submit, run if own else run.copy(), estimate, size  # others may do with these what they like
    schedule = partial(prepared.schedule, *given, workload.procs, **options)
    foreign = not own or callable(getattr(prepared, "order", None))  # code of somebody's, which may never return
    columns = watched(schedule, len(submit), foreign) if "watch" in _parameters(prepared) else schedule()
    if own:
        return Schedule(workload, policy, overrun, run, **columns, feedback=feedback)
    made = Schedule(workload, policy, overrun, run, **checks.columns(columns, policy, jobs), feedback=feedback)
    made.check()
    return made


def _parameters(policy):
    """The parameters of a policy's `schedule` method, by name."""
    return _signature(getattr(policy.schedule, "__func__", policy.schedule)).parameters


_signature = lru_cache(inspect.signature)  # which is slow


def _followed(workload):
    """The place of the job that each job follows, -1 for none, and the think time in between: two int64 arrays."""
    return tuple(column.copy() for column in workload.followed())  # a policy may do with them what it likes


class Schedule:
    """When each job of a workload starts under a policy.

    Attributes
    ----------
    workload, policy, overrun, feedback
        What was simulated.
    jobs : DataFrame
        `workload.jobs` and, by the same index and order, `start`, `end`, `wait`, `response` (seconds),
        `bounded_slowdown`, `backfilled` and what else the policy tells: Conservative the `guarantee`, the start time
        promised on arrival; EASY the `adjusted` estimates where it makes some. `submit` and `run` are the simulated
        ones, which feedback may have moved and killing may have cut.
    shadow : Series or None
        Under EASY, each job's shadow time when it first waited at the head of the queue; -1 where it never did.
    """

    def __init__(
        self,
        workload,
        policy,
        overrun,
        run,
        start,
        submit=None,
        backfilled=None,
        shadow=None,
        feedback=False,
        **others,
    ):
        self.workload = workload
        self.policy = policy
        self.overrun = overrun
        self.feedback = feedback
        self._run = run
        self._start = np.asarray(start)  # a policy may return lists
        self._submit = workload.jobs.submit.to_numpy() if submit is None else np.asarray(submit)
        self._backfilled = np.zeros(len(start), bool) if backfilled is None else np.asarray(backfilled)
        self._shadow = shadow
        self._others = others

    @cached_property
    def _columns(self):
        wait = metrics.wait(self._submit, self._start)
        return {
            "submit": self._submit,
            "run": self._run,
            "start": self._start,
            "end": self._start + self._run,
            "wait": wait,
            "response": metrics.response(wait, self._run),
            "bounded_slowdown": metrics.bounded_slowdown(wait, self._run),
            "backfilled": self._backfilled,
            **self._others,
        }

    @cached_property
    def _table(self):
        jobs = self.workload.jobs
        columns = {column: jobs[column].to_numpy() for column in jobs} | self._columns
        return pd.DataFrame(columns, jobs.index, copy=False)

    def column(self, name):
        """A column of `jobs` as an array. To measure many runs, for `jobs` costs as much as a small simulation."""
        return self._columns[name] if name in self._columns else self.workload.jobs[name].to_numpy()

    @property
    def jobs(self):
        return self._table.copy(deep=False)

    @property
    def shadow(self):
        return None if self._shadow is None else pd.Series(self._shadow, self.workload.jobs.index, name="shadow")

    def __repr__(self):
        return f"<Schedule of {self.workload.name} under {self.policy}: mean wait {self.summary().mean_wait:,.0f} s>"

    def check(self):
        """Check that the machine could have run this schedule, whatever policy made it.

        `simulate` calls it for every policy that is not the package's own.

        Raises
        ------
        ValueError
            Where a job starts before it is submitted, is submitted at another time than the log says (with feedback:
            than its think time after the end of the job that it follows), or where more processors are in use at once
            than the machine has. A job of no length holds none. The message names the first such job and the second.

        Examples
        --------
        >>> import simlib
        >>> simlib.simulate(simlib.load("sample"), simlib.EASY()).check()
        """
        checks.possible(self)

    @property
    def _makespan(self):
        """Seconds from the first submit to the last end."""
        return float((self._start + self._run).max() - self._submit.min()) if len(self._start) else 0.0

    def means(self, edges=(), floor=1.0):
        """What `by_period` and `summary` say, as plain numbers: for measuring thousands of runs.

        Parameters
        ----------
        edges : sequence of int
            Between the periods, in seconds, rising.
        floor : float or None
            Of the bounded slowdown; None for MF's formula.

        Returns
        -------
        float array, shape (periods + 1, 6)
            The columns `MEANS` of each period and, in the last row, over all jobs, whose load is that from the first
            submit to the last end; nan where there is no job.
        """
        columns = self._submit, self._start, self._run, self.workload.jobs.procs.to_numpy(), self._backfilled
        sums = metrics.totals(np.asarray(edges, np.int64), *columns, -np.inf if floor is None else float(floor))
        sums = sums[[*range(1, len(edges)), -1]]  # not what is before the first edge and after the last
        seconds = np.append(np.diff(edges), self._makespan)
        jobs, work = sums[:, :1], sums[:, -1:]
        with np.errstate(invalid="ignore"):
            return np.hstack([work / (self.workload.procs * seconds[:, None]), jobs, sums[:, 1:-1] / jobs])

    def summary(self, floor=1.0):
        """Means over all jobs.

        Parameters
        ----------
        floor : float or None
            Of the bounded slowdown; None for MF's formula.

        Returns
        -------
        Series
            mean_wait, mean_response (seconds), mean_bounded_slowdown, load (of the machine from first submit to last
            end), backfilled_share, jobs, makespan (seconds), unestimated: of how many jobs the run time serves as a
            perfect estimate, for the log has none.
        """
        load, jobs, wait, response, slowdown, backfilled = self.means(floor=floor)[-1]
        values = [wait, response, slowdown, load, backfilled, jobs, self._makespan, self.workload.unestimated]
        return pd.Series(values, _SUMMARY, name=str(self.policy))

    def by_month(self, floor=1.0):
        """Means over the jobs that end in each calendar month of the log's own zone (as MF Table 1 counts them).

        Parameters
        ----------
        floor : float or None
            Of the bounded slowdown; None for MF's formula.

        Returns
        -------
        DataFrame
            By month `YYYY-MM`: load, jobs, mean_wait, mean_response (seconds), mean_bounded_slowdown,
            backfilled_share.
        """
        if not len(self._start):
            raise ValueError(
                f"{self.workload.name}: by_month: found no job, expected at least one that ends in a month"
            )
        months, edges = self.workload.month_starts(self._start.min(), (self._start + self._run).max())
        return self.by_period(edges, floor).set_axis(pd.Index(months, name="month"))

    def by_period(self, edges, floor=1.0):
        """Means over the jobs that end in each of the periods between successive `edges` (seconds, rising).

        Returns
        -------
        DataFrame
            As from `by_month`, a row a period; nan where no job ended.
        """
        return pd.DataFrame(self.means(edges, floor)[:-1], columns=MEANS).astype({"jobs": int})

    def plan(self, now):
        """What the scheduler knew and planned at second `now`.

        The jobs submitted by then; those that had not ended are expected to run for their estimates. Nothing ends
        early any more, so under conservative backfilling the start times are the reservations held at `now`, and
        under EASY the head's is its shadow time.

        Returns
        -------
        Schedule

        Raises
        ------
        ValueError
            For adjusted estimates: what they will be is known to the simulation only.
        """
        if "adjusted" in self._table:
            raise ValueError(f"{self.workload.name}: plan: found adjusted estimates, expected a policy without adjust")
        jobs = self._table[self._table.submit <= now]
        estimate = np.maximum(jobs.estimate, jobs.run)
        run = jobs.run.where(jobs.end <= now, estimate)
        known = self.workload.derive(jobs.assign(run=run, estimate=estimate), f"as known at {now} s")
        return simulate(known, self.policy)

    def utilisation(self):
        """The share of the machine in use, as a Series of steps over seconds."""
        jobs = self._table
        times, share = metrics.utilisation(jobs.start, jobs.end, jobs.procs, self.workload.procs)
        return pd.Series(share, index=pd.Index(times, name="seconds"), name="utilisation")
