"""Estimates in a running simulation: adjusted (Tang sections 4.1 and 5), or replaced by predicted run times.

Predictions follow Tsafrir, Etsion & Feitelson 2005, section 3: EASY+, EASY++, EASY-PCOR. Adjustment needs a history of
the sorted R values of each group (Tang section 4.1). A group learns each job with the second at which it ends, which
may still lie ahead. `advance` brings a group up to a second. Storage is flat, with room for all jobs that a group will
ever learn, so that the simulation allocates nothing.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._util.arrays import Floats, Int, Ints, Place, Places
from .._util.compiled import compiled
from .events import NEVER, ONE, insert_end, next_end, part, small
from .profile import TWO, make_room

_THREE, _FOUR = np.uint64(3), np.uint64(4)

EVER = 2**62
"""The window, in seconds, that forgets nothing."""


class History(NamedTuple):
    """The jobs of all groups; group g has the places `offset[g]` to `offset[g + 1]` of the three arrays of jobs.

    Attributes
    ----------
    offset : int64 array, one more than there are groups
    learned, taken, forgotten : int64 arrays, one number a group
        Of the group's jobs in order of end, so many are learned; the first `taken` have ended by the present, and the
        first `forgotten` of these are too old.
    end, r : int64 and float64 arrays
        The jobs of each group in order of end: seconds, and R (equation 1).
    eligible : float64 array
        The R values, sorted, of those that are taken and not forgotten.
    """

    offset: Ints
    learned: Ints
    taken: Ints
    forgotten: Ints
    end: Ints
    r: Floats
    eligible: Floats


def empty(capacity: Sequence[int] | Ints) -> History:
    """A history that knows nothing, with room for `capacity[g]` jobs in each group g."""
    offset = np.concatenate([[0], np.cumsum(capacity, dtype=np.int64)])
    learned, taken, forgotten = (np.zeros(len(capacity), np.int64) for _ in range(3))
    # of zeros: what memory had held before would be part of the key under which runs are kept
    end, r, eligible = np.zeros(offset[-1], np.int64), np.zeros(offset[-1]), np.zeros(offset[-1])
    return History(offset, learned, taken, forgotten, end, r, eligible)


@compiled
def learn(history: History, group: Int, end: Int, r: float) -> None:
    """Learn a job of a group: it ends at second `end`, which no `advance` of this group has passed yet, with R = `r`.

    The search begins at the back, because most jobs end after those that are already learned.
    """
    i = history.offset[group] + history.learned[group]
    while i > history.offset[group] and history.end[i - 1] > end:
        history.end[i] = history.end[i - 1]
        history.r[i] = history.r[i - 1]
        i -= 1
    history.end[i] = end
    history.r[i] = r
    history.learned[group] += 1


@compiled
def advance(history: History, group: Int, now: Int, window: Int) -> None:
    """Bring a group to second `now`, which never goes back: eligible are jobs with now - window <= end < now.

    First, jobs that are too old leave. If all jobs are too old, as after a user's absence, they leave at once, and jobs
    that have meanwhile become too old never enter.
    """
    first = history.offset[group]
    taken, forgotten, too_old = history.taken[group], history.forgotten[group], history.forgotten[group]
    while too_old < history.learned[group] and history.end[first + too_old] < now - window:
        too_old += 1
    if too_old >= taken:
        taken = forgotten = too_old
    while forgotten < too_old:
        _remove(history.eligible, first, first + taken - forgotten, history.r[first + forgotten])
        forgotten += 1
    while taken < history.learned[group] and history.end[first + taken] < now:
        _insert(history.eligible, first, first + taken - forgotten, history.r[first + taken])
        taken += 1
    history.taken[group], history.forgotten[group] = taken, forgotten


@compiled
def metric(history: History, group: Int, percent: float, least: Int) -> float:
    """A percentile of the eligible R values, by linear interpolation as `numpy.percentile`; nan if fewer than `least`.

    100 is the maximum and 50 the median; `least` is at least 1.
    """
    count = history.taken[group] - history.forgotten[group]
    if count < least:
        return np.nan
    place = (count - 1) * percent / 100
    below = int(place)
    lower = history.eligible[history.offset[group] + below]
    upper = history.eligible[history.offset[group] + min(below + 1, count - 1)]
    return lower + (place - below) * (upper - lower)


@compiled
def parameters(history: History, group: Ints, submit: Ints, window: Int, percents: Floats, least: Int) -> Floats:
    """The adjustment parameters A of jobs whose history is all learned beforehand.

    Parameters
    ----------
    history : History, used up
    group, submit : int64 arrays, jobs in order of submission; group -1 for none; seconds
    window : int, seconds; EVER for all
    percents : float64 array
    least : int, how many eligible jobs there must be

    Returns
    -------
    float64 array, one row per job, one column per percentile; nan where there is no adjustment
    """
    a = np.full((group.size, percents.size), np.nan)
    for job in range(group.size):
        if group[job] >= 0:
            advance(history, group[job], submit[job], window)
            for column in range(percents.size):
                a[job, column] = metric(history, group[job], percents[column], least)
    return a


@part
def _insert(values: Floats, first: Int, last: Int, value: float) -> None:
    """Insert a value into values[first:last], which is sorted."""
    place = _first_not_below(values, first, last, value)
    make_room(values, place, last)
    values[place] = value


@part
def _remove(values: Floats, first: Int, last: Int, value: float) -> None:
    """Remove a value from values[first:last], which is sorted and has it."""
    rest = values[np.int64(_first_not_below(values, first, last, value)) : last]
    for i in range(rest.size - 1):
        rest[i] = rest[i + 1]


@part
def _first_not_below(values: Floats, first: Int, last: Int, value: float) -> Place:
    """Find the first place in values[first:last], which is sorted, whose value is not below this one; `last` for none.

    A processor guesses wrong half the time in which half a bisection goes on. So each step looks at the ends of three
    quarters at once, and counts instead of branching.
    """
    place, count = np.uint64(first), np.uint64(last - first)
    while count >= _FOUR:
        quarter = count // _FOUR
        ends = place + quarter - ONE, place + TWO * quarter - ONE, place + _THREE * quarter - ONE
        below = (values[ends[0]] < value) + (values[ends[1]] < value) + (values[ends[2]] < value)
        place += np.uint64(below) * quarter
        count -= _THREE * quarter
    while count > 0 and values[place] < value:
        place += ONE
        count -= ONE
    return place


# Estimates in use


class Adjusting(NamedTuple):
    """The adjustment of estimates in a running simulation.

    Attributes
    ----------
    past : History
        The history of earlier jobs, with room for these.
    group, r : int64 and float64 arrays, the group of each job, -1 for none, and the R to be learned when it ends
    window : int, seconds
    percentile, least, threshold : as in `simlib.policies.adjusting.Scheme`; the threshold 0 for none
    queue, backfill, running : bool, where t_sched takes the estimate's place
    overdue : int, seconds from now at which a job is taken to end that runs at its expected end still
    """

    past: History
    group: Ints
    r: Floats
    window: int
    percentile: float
    least: int
    threshold: float
    queue: bool
    backfill: bool
    running: bool
    overdue: int


class Estimates(NamedTuple):
    """The estimates in use for each job, in seconds: the users', or t_sched where the adjustment says so.

    Attributes
    ----------
    user, t_sched, queue, backfill, running : int64 arrays
        t_sched is set when a job arrives.
    """

    user: Ints
    t_sched: Ints
    queue: Ints
    backfill: Ints
    running: Ints


def estimates_in_use(estimate: Ints, switches: "Adjusting | Predicting") -> Estimates:
    """Use t_sched, which will be set when a job arrives, where the switches say so."""
    t_sched = estimate.copy()
    return Estimates(
        estimate,
        t_sched,
        t_sched if switches.queue else estimate,
        t_sched if switches.backfill else estimate,
        t_sched if switches.running else estimate,
    )


@small
def adjust(adjusting: Adjusting | None, estimates: Any, job: Int, now: Int) -> None:  # of Estimates, if it adjusts
    """Set t_sched of a job submitted now, from the jobs of its group that ended before now."""
    if adjusting is not None:
        estimates.t_sched[job] = _adjusted(adjusting, job, now, estimates.user[job])


@compiled
def _adjusted(adjusting: Adjusting, job: Int, now: Int, t_req: Int) -> Int:
    """Equation 2: t_sched = t_req x A."""
    group = adjusting.group[job]
    if group < 0:
        return t_req
    advance(adjusting.past, group, now, adjusting.window)
    a = metric(adjusting.past, group, adjusting.percentile, adjusting.least)
    if np.isnan(a):
        return t_req
    return np.int64(np.rint(t_req * max(a, adjusting.threshold)))


@small
def remember(adjusting: Adjusting | None, job: Int, now: Int) -> None:
    """Learn from a job that ends now. It does not count for a job that is submitted now."""
    if adjusting is not None and adjusting.group[job] >= 0:
        learn(adjusting.past, adjusting.group[job], now, adjusting.r[job])


@small
def put_off(
    adjusting: Adjusting | None, jobs: Places, count: Place, time: Ints, start: Ints, estimate: Ints, now: Int
) -> None:
    """Expect the running jobs that have outlived their estimates to end in a while, `overdue` seconds from now.

    These include jobs whose expected end is exactly now: if they had ended, they would have left. All get the same new
    time. So one walk from the back of the list, over the jobs expected before that time, is enough: a job that is not
    put off changes places with the last one that is. `jobs`, `count` and `time` are as for `insert_end`.
    """
    if adjusting is not None:
        later = now + adjusting.overdue
        i = behind = np.uint64(count)  # from i to `behind` are those put off
        while i > 0 and time[jobs[i - ONE]] < later:
            i -= ONE
            job = jobs[i]
            if start[job] + estimate[job] > now:
                behind -= ONE
                jobs[i], jobs[behind] = jobs[behind], job
            else:
                time[job] = later


STEPS = tuple(60 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000))
"""The seconds that a job gets which outlives its estimate, one step after another; the last one again and again."""


class Predicting(NamedTuple):
    """The prediction of run times in a running simulation.

    Attributes
    ----------
    exact : bool, whether the run times are known; then only the switches matter
    correct : bool, whether what a running job outlives is corrected
    similar : bool, whether the last two predict only jobs with the same estimate as both of them
    estimate : int64 array, by job; the user's own estimate, which may be below the run time
    group : int64 array, by job; the jobs of a group predict each other, such as a user's; -1 for no group
    runs : int64 array, two columns by group; the run times of the two jobs that were submitted last of those that have
        ended, the last one first; -1 where there is none
    numbers : int64 array, likewise; how many jobs arrived before each, below 0 for jobs before the simulation
    `asked` : int64 array, likewise; their estimates, which matter only where they have to be similar
    queue, backfill, running : bool, where the prediction takes the estimate's place
    """

    exact: bool
    correct: bool
    similar: bool
    estimate: Ints
    group: Ints
    runs: Ints
    numbers: Ints
    asked: Ints
    queue: bool
    backfill: bool
    running: bool


@part
def predict(predicting: Predicting, estimates: Any, job: Int, run: Ints) -> None:  # of Estimates, as it predicts
    """Predict the run time of an arriving job: the mean of the last two of its group, if the user requested more."""
    estimates.t_sched[job] = predicting.estimate[job]
    group = predicting.group[job]
    if predicting.exact:
        estimates.t_sched[job] = run[job]
    elif group >= 0 and predicting.runs[group, 0] >= 0 and _are_similar(predicting, group, job):
        last, before = predicting.runs[group]
        mean = (last + before) // 2 if before >= 0 else last
        estimates.t_sched[job] = min(max(mean, 1), predicting.estimate[job])


@part
def _are_similar(predicting: Predicting, group: Int, job: Int) -> bool:
    """Tell whether there are two last jobs that have the estimate of this one, where that matters."""
    if not predicting.similar:
        return True
    last, before = predicting.asked[group]
    return predicting.runs[group, 1] >= 0 and last == before == predicting.estimate[job]


@part
def note_run(predicting: Predicting, job: Int, run: Ints, number: Ints) -> None:
    """Note that a job ends. `number` tells, by job, how many arrived before it."""
    group = predicting.group[job]
    if group >= 0:
        runs, numbers, asked = predicting.runs[group], predicting.numbers[group], predicting.asked[group]
        if number[job] > numbers[0]:
            runs[1], numbers[1], asked[1] = runs[0], numbers[0], asked[0]
            runs[0], numbers[0], asked[0] = run[job], number[job], predicting.estimate[job]
        elif number[job] > numbers[1]:
            runs[1], numbers[1], asked[1] = run[job], number[job], predicting.estimate[job]


@small
def next_correction(predicting: Predicting, jobs: Places, count: Place, time: Ints) -> Int:
    """Tell when the next job outlives its expected run time; `NEVER` if predictions are not corrected."""
    next_one = NEVER
    if predicting.correct:
        next_one = next_end(jobs, count, time)
    return next_one


@part
def correct(predicting: Predicting, jobs: Places, count: Place, time: Ints, start: Ints, now: Int) -> None:
    """Expect the jobs that have outlived their predictions to end later: see `_longer`."""
    while predicting.correct and next_end(jobs, count, time) <= now:
        job = jobs[count - ONE]
        longer = _longer(predicting.estimate[job], time[job] - start[job])
        insert_end(jobs, count - ONE, time, job, start[job] + longer)


@part
def reservation(
    predicting: Predicting,
    jobs: Places,
    count: Place,
    time: Ints,
    head_size: Int,
    free: Int,
    shadow: Int,
    size: Ints,
) -> Int:
    """The reserved start of the head: its shadow time, or without corrections the time by predictions."""
    if predicting.correct:
        return shadow
    while count > 0:
        count -= ONE
        free += size[jobs[count]]
        if free >= head_size:
            return time[jobs[count]]
    return shadow


@part
def _longer(estimate: Int, outlived: Int) -> Int:
    """The next expected run time of a job that has outlived the last: its estimate, then one more step each time."""
    if outlived < estimate:
        return estimate
    longer = estimate
    for step in STEPS:
        longer += step
        if longer > outlived:
            return longer
    return outlived + STEPS[-1]
