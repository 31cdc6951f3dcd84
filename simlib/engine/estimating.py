"""Estimates in the course of a simulation: adjusted (Tang sections 4.1 and 5), or run times that are predicted.

The latter are of Tsafrir, Etsion & Feitelson 2005, section 3: EASY+, EASY++, EASY-PCOR.
"""

from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .history import History, advance, learn, metric
from .running import NEVER, ONE, insert, next_end, part, take_next


class Adjusting(NamedTuple):
    """How estimates are adjusted in the course of a simulation.

    Attributes
    ----------
    past : History
        What is known of earlier jobs, with room for these.
    group, r : int64 and float64 arrays, the group of each job, -1 for none, and the R to be learned when it ends
    window : int, seconds
    percentile, least, threshold : as in `simlib.policies.walltime.Scheme`; the threshold 0 for none
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


STEPS = tuple(60 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000))
"""The seconds that a job gets which outlives its estimate, one step after another; the last one again and again."""


class Predicting(NamedTuple):
    """How run times are predicted in the course of a simulation.

    Attributes
    ----------
    exact : bool, whether the run times are known; then nothing else matters but the switches
    correct : bool, whether what a running job outlives is corrected
    estimate : int64 array, by job; the user's own estimate, which may be below the run time
    group : int64 array, by job; the jobs of a group predict each other, such as a user's; -1 for no group
    runs : int64 array, two columns by group; the run times of the two jobs that were submitted last of those that have
        ended, the last one first; -1 where there is none
    numbers : int64 array, likewise; how many jobs arrived before each, below 0 for jobs of before the simulation
    queue, backfill, running : bool, where the prediction takes the estimate's place
    """

    exact: bool
    correct: bool
    estimate: np.ndarray
    group: np.ndarray
    runs: np.ndarray
    numbers: np.ndarray
    queue: bool
    backfill: bool
    running: bool


@part
def predict(predicting, estimates, job, run):
    """Predict the run time of a job that arrives: the mean of the last two of its group, if the user asks for more."""
    if predicting is not None:
        estimates.t_sched[job] = predicting.estimate[job]
        group = predicting.group[job]
        if predicting.exact:
            estimates.t_sched[job] = run[job]
        elif group >= 0 and predicting.runs[group, 0] >= 0:
            last, before = predicting.runs[group]
            mean = (last + before) // 2 if before >= 0 else last
            estimates.t_sched[job] = min(max(mean, 1), predicting.estimate[job])


@part
def note_run(predicting, job, run, number):
    """Note that a job ends. `number` tells, by job, how many arrived before it."""
    if predicting is not None and predicting.group[job] >= 0:
        runs, numbers = predicting.runs[predicting.group[job]], predicting.numbers[predicting.group[job]]
        if number[job] > numbers[0]:
            runs[1], numbers[1] = runs[0], numbers[0]
            runs[0], numbers[0] = run[job], number[job]
        elif number[job] > numbers[1]:
            runs[1], numbers[1] = run[job], number[job]


@part
def next_correction(predicting, running):
    """Tell when the next job outlives what is expected of it; `NEVER` where that is not corrected."""
    if predicting is None:
        return NEVER
    return next_end(running.by_expected_end) if predicting.correct else NEVER


@part
def correct(predicting, running, now):
    """Expect the jobs that have outlived their predictions to end later: see `_longer`."""
    if predicting is not None:
        expected = running.by_expected_end
        while predicting.correct and next_end(expected) <= now:
            job = take_next(expected)
            start = running.start[job]
            insert(expected, job, start + _longer(predicting.estimate[job], expected.time[job] - start))


@part
def _longer(estimate, outlived):
    """How long a job is expected to run that has outlived that: for its estimate, then for a step more each time."""
    if outlived < estimate:
        return estimate
    longer = estimate
    for step in STEPS:
        longer += step
        if longer > outlived:
            return longer
    return outlived + STEPS[-1]
