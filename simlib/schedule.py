"""Simulate a workload under a policy, and what comes out."""

from functools import cached_property

import numpy as np
import pandas as pd

from . import metrics

OVERRUN = ("extend", "kill")


def simulate(workload, policy, overrun="extend"):
    """Schedule a workload's jobs under a policy.

    Parameters
    ----------
    workload : Workload
    policy : FCFS, EASY, Conservative, or any object with their `schedule` method (see `simlib.policies`)
    overrun : {"extend", "kill"}
        What becomes of an estimate below the run time: it is raised to the run time, or the job is killed when it has
        run for its estimate.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        For an unknown `overrun`, or times so large that their sum overflows.
    """
    if overrun not in OVERRUN:
        raise ValueError(f"simulate: found overrun={overrun!r}, expected 'extend' or 'kill'")
    if not hasattr(policy, "schedule"):
        raise TypeError(f"simulate: found policy {policy!r}, expected one such as simlib.EASY()")
    jobs = workload.jobs
    submit, run, estimate, size = (jobs[c].to_numpy(copy=True) for c in ("submit", "run", "estimate", "procs"))
    if overrun == "kill":
        run = np.minimum(run, np.maximum(estimate, 0))
    estimate = np.maximum(estimate, run)
    if np.abs(submit).max(initial=0) + estimate.sum(dtype=float) > 2.0**61:
        raise ValueError(f"{workload.name}: times are too large: all estimates after one another overflow 64 bits")
    columns = policy.schedule(submit, run, estimate, size, workload.procs)
    return Schedule(workload, policy, overrun, run, **columns)


class Schedule:
    """When each job of a workload starts under a policy.

    Attributes
    ----------
    workload, policy, overrun
        What was simulated.
    jobs : DataFrame
        `workload.jobs` and, by the same index and order, `start`, `end`, `wait`, `response` (seconds),
        `bounded_slowdown`, `backfilled` and what else the policy tells: Conservative the `guarantee`, the start time
        promised on arrival. `run` is the time the job ran, which killing may have cut.
    shadow : Series or None
        Under EASY, each job's shadow time when it first waited at the head of the queue; -1 where it never did.
    """

    def __init__(self, workload, policy, overrun, run, start, backfilled=None, shadow=None, **others):
        self.workload = workload
        self.policy = policy
        self.overrun = overrun
        self._run = run
        self._start = start
        self._backfilled = np.zeros(len(start), bool) if backfilled is None else backfilled
        self.shadow = None if shadow is None else pd.Series(shadow, index=workload.jobs.index, name="shadow")
        self._others = others

    @cached_property
    def _table(self):
        jobs, run, start = self.workload.jobs, self._run, self._start
        wait = metrics.wait(jobs.submit.to_numpy(), start)
        return jobs.assign(
            run=run,
            start=start,
            end=start + run,
            wait=wait,
            response=metrics.response(wait, run),
            bounded_slowdown=metrics.bounded_slowdown(wait, run),
            backfilled=self._backfilled,
            **self._others,
        )

    @property
    def jobs(self):
        return self._table.copy(deep=False)

    def __repr__(self):
        return f"<Schedule of {self.workload.name} under {self.policy}: mean wait {self.summary().mean_wait:,.0f} s>"

    def summary(self):
        """Means over all jobs.

        Returns
        -------
        Series
            mean_wait, mean_response (seconds), mean_bounded_slowdown, load (of the machine from first submit to last
            end), backfilled_share, jobs, makespan (seconds).
        """
        jobs = self._table
        makespan = float(jobs.end.max() - jobs.submit.min()) if len(jobs) else 0.0
        work = float((jobs.run * jobs.procs).sum())
        return pd.Series(
            {
                "mean_wait": jobs.wait.mean(),
                "mean_response": jobs.response.mean(),
                "mean_bounded_slowdown": jobs.bounded_slowdown.mean(),
                "load": work / (self.workload.procs * makespan) if makespan else float("nan"),
                "backfilled_share": jobs.backfilled.mean(),
                "jobs": float(len(jobs)),
                "makespan": makespan,
            },
            name=str(self.policy),
        )

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
        jobs = self._table
        months, edges = self.workload.month_starts(jobs.start.min(), jobs.end.max())
        table = pd.DataFrame(
            {
                "wait": jobs.wait,
                "response": jobs.response,
                "bounded_slowdown": metrics.bounded_slowdown(jobs.wait, jobs.run, floor=floor),
                "backfilled": jobs.backfilled,
            }
        )
        groups = table.groupby(np.searchsorted(edges, jobs.end, side="right") - 1)
        means = groups.mean().reindex(range(len(months)))
        return pd.DataFrame(
            {
                "load": metrics.load_by_period(edges, jobs.start, jobs.run, jobs.procs, self.workload.procs),
                "jobs": groups.size().reindex(range(len(months)), fill_value=0).to_numpy(),
                "mean_wait": means.wait.to_numpy(),
                "mean_response": means.response.to_numpy(),
                "mean_bounded_slowdown": means.bounded_slowdown.to_numpy(),
                "backfilled_share": means.backfilled.to_numpy(),
            },
            index=pd.Index(months, name="month"),
        )

    def plan(self, now):
        """What the scheduler knew and planned at second `now`.

        The jobs submitted by then; those that had not ended are expected to run for their estimates. Nothing ends
        early any more, so under conservative backfilling the start times are the reservations held at `now`, and
        under EASY the head's is its shadow time.

        Returns
        -------
        Schedule
        """
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
