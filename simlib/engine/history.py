"""What is known of earlier jobs when a job is submitted: the R values of its group, sorted (Tang section 4.1).

Jobs are learned group by group with the second at which they end, which may still lie ahead. `advance` brings a group
to the present: it takes in what has ended since and forgets what is too old; `metric` then reads a percentile off.
Storage is flat, with room for all jobs that a group will ever learn, so that nothing is allocated on the way.
"""

from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .profile import TWO, make_room
from .running import ONE, part

THREE, FOUR = np.uint64(3), np.uint64(4)

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

    offset: np.ndarray
    learned: np.ndarray
    taken: np.ndarray
    forgotten: np.ndarray
    end: np.ndarray
    r: np.ndarray
    eligible: np.ndarray


def empty(capacity):
    """A history that knows nothing, with room for `capacity[g]` jobs in each group g."""
    offset = np.concatenate([[0], np.cumsum(capacity, dtype=np.int64)])
    counts = (np.zeros(len(capacity), np.int64) for _ in range(3))
    return History(offset, *counts, np.empty(offset[-1], np.int64), np.empty(offset[-1]), np.empty(offset[-1]))


@compiled
def learn(history, group, end, r):
    """Learn a job of a group: it ends at second `end`, which no `advance` of this group has passed yet, with R = `r`.

    Searched from the back, because most jobs end after those that are learned already.
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
def advance(history, group, now, window):
    """Bring a group to second `now`, which never goes back: eligible are jobs with now - window <= end < now.

    What is too old goes first. Where that is all there was, as after a user has been away, nothing is removed one by
    one, and what has become too old meanwhile never comes in.
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
def metric(history, group, percent, least):
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
def parameters(history, group, submit, window, percents, least):
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
    float64 array, a row a job, a column a percentile; nan where there is no adjustment
    """
    a = np.full((group.size, percents.size), np.nan)
    for job in range(group.size):
        if group[job] >= 0:
            advance(history, group[job], submit[job], window)
            for column in range(percents.size):
                a[job, column] = metric(history, group[job], percents[column], least)
    return a


@part
def _insert(values, first, last, value):
    """Insert a value into values[first:last], which is sorted."""
    place = _first_not_below(values, first, last, value)
    make_room(values, place, last)
    values[place] = value


@part
def _remove(values, first, last, value):
    """Remove a value from values[first:last], which is sorted and has it."""
    rest = values[np.int64(_first_not_below(values, first, last, value)) : last]
    for i in range(rest.size - 1):
        rest[i] = rest[i + 1]


@part
def _first_not_below(values, first, last, value):
    """Find the first place in values[first:last], which is sorted, whose value is not below this one; `last` for none.

    Which half to go on in is a toss-up, which a processor guesses wrong half the time. So each step looks at the ends
    of three quarters at once, and counts instead of branching.
    """
    place, count = np.uint64(first), np.uint64(last - first)
    while count >= FOUR:
        quarter = count // FOUR
        ends = place + quarter - ONE, place + TWO * quarter - ONE, place + THREE * quarter - ONE
        below = (values[ends[0]] < value) + (values[ends[1]] < value) + (values[ends[2]] < value)
        place += np.uint64(below) * quarter
        count -= THREE * quarter
    while count > 0 and values[place] < value:
        place += ONE
        count -= ONE
    return place
