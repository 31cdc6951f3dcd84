"""Adjusted estimates while scheduling (Tang sections 4.1 and 5): when they are made, and what if they are too short."""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .history import History, advance, learn, metric
from .running import insert, remove


class Adjusting(NamedTuple):
    """How estimates are adjusted in the course of a simulation.

    Attributes
    ----------
    past : History
        What is known of earlier jobs, with room for these.
    group, r : int64 and float64 arrays, the group of each job, -1 for none, and the R to be learned when it ends
    window : int, seconds
    percentile, least, threshold : as in `simlib.walltime.Scheme`; the threshold 0 for none
    queue, backfill, running : bool, where t_sched takes the estimate's place
    overdue : int, seconds from now at which a job is taken to end that runs at its expected end still
    """

    past: History
    group: np.ndarray
    r: np.ndarray
    window: int
    percentile: float
    least: int
    threshold: float
    queue: bool
    backfill: bool
    running: bool
    overdue: int


@compiled
def estimates_in_use(estimate, adjusting):
    """t_sched, to be set when a job arrives, and the estimates for the queue, for backfilling and for running jobs.

    Without adjustment all four are the users' estimates.
    """
    if adjusting is None:
        return estimate, estimate, estimate, estimate
    t_sched = estimate.copy()
    return (
        t_sched,
        t_sched if adjusting.queue else estimate,
        t_sched if adjusting.backfill else estimate,
        t_sched if adjusting.running else estimate,
    )


@compiled
def adjust(adjusting, job, now, estimate):
    """t_sched = t_req x A of a job submitted now (equation 2), from the jobs of its group that ended before now."""
    group = adjusting.group[job]
    if group < 0:
        return estimate[job]
    advance(adjusting.past, group, now, adjusting.window)
    a = metric(adjusting.past, group, adjusting.percentile, adjusting.least)
    if np.isnan(a):
        return estimate[job]
    return np.int64(np.rint(estimate[job] * max(a, adjusting.threshold)))


@compiled
def remember(adjusting, job, now):
    """Learn from a job that ends now. Who is submitted now does not know of it yet."""
    if adjusting.group[job] >= 0:
        learn(adjusting.past, adjusting.group[job], now, adjusting.r[job])


@compiled
def put_off(by_expected_end, running, expected_end, start, estimate, now, overdue):
    """Expect the running jobs that have outlived their estimates to end in a while, `overdue` seconds from now.

    Those whose expected end is just now are among them: had they ended, they would have left. None of them is expected
    later than the others put off, so that all stand among the last of the list, the jobs to end by then.
    """
    i = running - 1
    while i >= 0 and expected_end[by_expected_end[i]] < now + overdue:
        job = by_expected_end[i]
        if start[job] + estimate[job] > now:
            i -= 1
        else:
            expected_end[job] = now + overdue
            insert(by_expected_end, remove(by_expected_end, running, job), job, expected_end)
