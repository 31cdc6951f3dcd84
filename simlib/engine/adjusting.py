"""Adjusted estimates while scheduling (Tang sections 4.1 and 5): when they are made, and what if they are too short."""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .history import History, advance, learn, metric
from .parts import part
from .profile import ONE


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


class Estimates(NamedTuple):
    """What each job is taken to need, in seconds: the users' estimates, or t_sched where the adjustment says so.

    Attributes
    ----------
    user, t_sched, queue, backfill, running : int64 arrays
        t_sched is set when a job arrives. Without adjustment all five are one, the users' estimates.
    """

    user: np.ndarray
    t_sched: np.ndarray
    queue: np.ndarray
    backfill: np.ndarray
    running: np.ndarray


@compiled
def estimates_in_use(estimate, adjusting, predicting):
    """Tell which estimates are used for what; `adjusting` and `predicting` are None to go by the users'."""
    if adjusting is not None:
        return _where_switched_on(estimate, adjusting)
    if predicting is not None:
        return _where_switched_on(estimate, predicting)
    return Estimates(estimate, estimate, estimate, estimate, estimate)


@compiled
def _where_switched_on(estimate, switches):
    """Use t_sched, which will be set when a job arrives, where the switches say so."""
    t_sched = estimate.copy()
    return Estimates(
        estimate,
        t_sched,
        t_sched if switches.queue else estimate,
        t_sched if switches.backfill else estimate,
        t_sched if switches.running else estimate,
    )


@part
def adjust(adjusting, estimates, job, now):
    """Set t_sched of a job submitted now, from the jobs of its group that ended before now."""
    if adjusting is not None:
        estimates.t_sched[job] = _adjusted(adjusting, job, now, estimates.user[job])


@compiled
def _adjusted(adjusting, job, now, t_req):
    """Equation 2: t_sched = t_req x A."""
    group = adjusting.group[job]
    if group < 0:
        return t_req
    advance(adjusting.past, group, now, adjusting.window)
    a = metric(adjusting.past, group, adjusting.percentile, adjusting.least)
    if np.isnan(a):
        return t_req
    return np.int64(np.rint(t_req * max(a, adjusting.threshold)))


@part
def remember(adjusting, job, now):
    """Learn from a job that ends now. Who is submitted now does not know of it yet."""
    if adjusting is not None and adjusting.group[job] >= 0:
        learn(adjusting.past, adjusting.group[job], now, adjusting.r[job])


@part
def put_off(adjusting, running, estimate, now):
    """Expect the running jobs that have outlived their estimates to end in a while, `overdue` seconds from now.

    Those whose expected end is just now are among them: had they ended, they would have left. None of them is expected
    later than the others put off. So they all get the same time, and one walk from the back of the list over the jobs
    expected before it does: a job that is not put off changes places with the last one that is.
    """
    if adjusting is not None:
        jobs, time = running.by_expected_end.jobs, running.by_expected_end.time
        later = now + adjusting.overdue
        i = behind = np.uint64(running.by_expected_end.count[0])  # from i to `behind` are those put off
        while i > 0 and time[jobs[i - ONE]] < later:
            i -= ONE
            job = jobs[i]
            if running.start[job] + estimate[job] > now:
                behind -= ONE
                jobs[i], jobs[behind] = jobs[behind], job
            else:
                time[job] = later
