"""What EASY goes by when it backfills: who runs until when, what is promised to the head of the queue, who may pass."""

from typing import Any

import numpy as np
import pandas as pd

from ..engine.easy import shadow_time
from ..policies import Predictions
from ..schedule import Schedule
from .predicting import corrected
from .replay import reserves


def expected_run(schedule: Schedule, now: int) -> pd.Series:
    """Tell how long EASY at second `now` takes each job to run, in seconds: adjusted, predicted, or as its user asked.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))
    >>> expected_run(simlib.simulate(w, simlib.EASY()), 5).to_dict()
    {'A': 20, 'B': 5}
    """
    jobs, adjust = schedule.jobs, getattr(schedule.policy, "adjust", None)
    if adjust is None:
        return jobs.estimate
    return jobs.adjusted.where(np.where(jobs.start < now, adjust.running, adjust.backfill), jobs.estimate)


def backfill_window(schedule: Schedule, now: int, head: int | str) -> pd.DataFrame:
    """Tell what EASY goes by at second `now`, when a job is the head of the queue.

    Parameters
    ----------
    schedule : Schedule
        Under `EASY` with one reservation, with adjusted or predicted estimates or without.
    now : int
    head
        The name of the job.

    Returns
    -------
    DataFrame
        By job that has not ended: its `role` ("running", "reserved", "candidate"), `start` and expected `run` in
        seconds (from its reservation for the head, from `now` for candidates), its `estimate`, `procs`, and whether it
        is `backfilled` now. The window lasts from `now` to the start of the head.

    Raises
    ------
    ValueError
        Where more jobs than the head have reservations.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2), C=(1, 9, 9, 1))
    >>> backfill_window(simlib.simulate(w, simlib.EASY()), 1, "B")[["role", "start", "run", "backfilled"]]
            role  start  run  backfilled
    A    running      0   20       False
    B   reserved     20    5       False
    C  candidate      1    9        True
    """
    if reserves(schedule.policy):
        raise ValueError(f"backfill_window: found a schedule under {schedule.policy}, expected EASY, one reservation")
    jobs = schedule.jobs.assign(run=expected_run(schedule, now))[schedule.jobs.end > now]
    jobs["role"] = np.select([jobs.start < now, jobs.index == head], ["running", "reserved"], "candidate")
    jobs["backfilled"] &= jobs.start == now
    running = jobs[jobs.role == "running"]
    end = _expected_end(running, now, getattr(schedule.policy, "adjust", None))
    latest_first, size = np.argsort(-end, kind="stable"), running.procs.to_numpy()
    free = schedule.workload.procs - size.sum()
    shadow, _ = shadow_time(jobs.procs[head], free, now, latest_first, len(end), end, size)
    jobs["start"] = np.select([jobs.role == "running", jobs.role == "reserved"], [jobs.start, shadow], now)
    return jobs[["role", "start", "run", "estimate", "procs", "backfilled"]]


def _expected_end(running: pd.DataFrame, now: int, adjust: Any) -> np.ndarray:
    """When running jobs are expected to end, those that have outlived their adjusted or predicted estimates later."""
    end = (running.start + running.run).to_numpy()
    if isinstance(adjust, Predictions):
        if not adjust.correct:
            return np.maximum(end, now)
        asked = running.estimate.clip(lower=1)  # as `Predictions` says
        rows = zip(running.run.tolist(), asked.tolist(), (now - running.start).tolist(), strict=True)
        return running.start.to_numpy() + [corrected(*row) for row in rows]
    return end if adjust is None else np.where(end <= now, now + adjust.overdue, end)
