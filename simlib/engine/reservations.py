"""The queue of conservative backfilling: the waiting jobs, by arrival and by reserved start.

The order by start has two sorted parts: the last few to arrive, and all others. A new job goes into the small part.
When this is full, or the whole order is needed, the two are merged. So a queue of 100,000 jobs is not shifted at each
arrival.
"""

from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .profile import make_room
from .running import NEVER, part, uncounted

_RECENT = 1024  # jobs of the small part


class _Reservations(NamedTuple):
    """The jobs that wait, each with a start reserved for it.

    Attributes
    ----------
    start : int64 array, seconds by job; first reserved, finally real
    by_start, recent : uint64 arrays
        By start, ties by arrival: `by_start[first[0]:last[0]]`, and of the last to arrive
        `recent[earliest[0]:latest[0]]`.
    first, last, earliest, latest : int64 arrays of one number
    by_arrival : uint64 array
        `by_arrival[oldest[0]:newest[0]]`, of which some have started.
    oldest, newest : int64 arrays of one number
    waits : bool array, by job
    number : int64 array, by job, see `running.arrivals_of`
    """

    start: np.ndarray
    by_start: np.ndarray
    recent: np.ndarray
    first: np.ndarray
    last: np.ndarray
    earliest: np.ndarray
    latest: np.ndarray
    by_arrival: np.ndarray
    oldest: np.ndarray
    newest: np.ndarray
    waits: np.ndarray
    number: np.ndarray


@compiled
def no_reservations(number):
    """Make room for the reservations of all jobs; `number` will be by job how many arrived before it."""
    n = number.size
    start, by_start, by_arrival = np.zeros(n, np.int64), np.empty(n, np.uint64), np.empty(n, np.uint64)
    first, last, earliest, latest, oldest, newest = np.zeros((6, 1), np.int64)
    recent, waits = np.empty(_RECENT, np.uint64), np.zeros(n, np.bool_)
    return _Reservations(
        start, by_start, recent, first, last, earliest, latest, by_arrival, oldest, newest, waits, number
    )


@part
def next_start(reserved):
    """Tell when the next job is to start; `NEVER` if none waits."""
    start, first, earliest = reserved.start, reserved.first[0], reserved.earliest[0]
    time = start[reserved.by_start[np.uint64(first)]] if first < reserved.last[0] else NEVER
    if earliest < reserved.latest[0]:
        time = min(time, start[reserved.recent[np.uint64(earliest)]])
    return time


@part
def reserve(reserved, job, time):
    """Reserve a start at `time` for the job that arrived last."""
    reserved.start[job] = time
    reserved.by_arrival[np.uint64(reserved.newest[0])] = job
    reserved.newest[0] += 1
    reserved.waits[job] = True
    if reserved.latest[0] == _RECENT:
        merge(reserved)
    recent, start = reserved.recent, reserved.start
    low, high = reserved.earliest[0], reserved.latest[0]
    while low < high:
        middle = (low + high) // 2
        if start[recent[middle]] <= time:
            low = middle + 1
        else:
            high = middle
    make_room(recent, low, reserved.latest[0])
    recent[low] = job
    reserved.latest[0] += 1


@part
def take_due(reserved, now, due):
    """Take out the jobs that are to start now, and write them into `due`. Returns how many they are."""
    start, by_start, recent, count = reserved.start, reserved.by_start, reserved.recent, 0
    while True:
        first, earliest = reserved.first[0], reserved.earliest[0]
        if first < reserved.last[0] and start[by_start[first]] == now:
            job = by_start[first]
            reserved.first[0] += 1
        elif earliest < reserved.latest[0] and start[recent[earliest]] == now:
            job = recent[earliest]
            reserved.earliest[0] += 1
        else:
            break
        reserved.waits[job] = False
        due[count] = job
        count += 1
    while reserved.oldest[0] < reserved.newest[0] and not reserved.waits[reserved.by_arrival[reserved.oldest[0]]]:
        reserved.oldest[0] += 1
    return count


@part
def passed_another(reserved, job):
    """Tell whether a job that arrived before this one still waits."""
    oldest = reserved.oldest[0]
    return oldest < reserved.newest[0] and reserved.number[reserved.by_arrival[oldest]] < reserved.number[job]


@part
def anybody_waits(reserved):
    """Tell whether there is a reservation."""
    return reserved.oldest[0] < reserved.newest[0]


@uncounted
def merge(reserved):
    """Merge the small part, whose jobs arrived after all others, into the large one."""
    start, by_start, recent = reserved.start, reserved.by_start, reserved.recent
    first, last = reserved.first[0], reserved.last[0]
    begin, end = reserved.earliest[0], reserved.latest[0]
    reserved.last[0] = place = last + end - begin
    reserved.earliest[0] = reserved.latest[0] = 0
    while end > begin:
        place -= 1
        if last > first and start[by_start[last - 1]] > start[recent[end - 1]]:
            last -= 1
            by_start[place] = by_start[last]
        else:
            end -= 1
            by_start[place] = recent[end]


@uncounted
def drop_started(reserved):
    """Move the jobs that wait to the front of `by_arrival`. Returns how many they are."""
    jobs, count = reserved.by_arrival, 0
    for i in range(reserved.oldest[0], reserved.newest[0]):
        jobs[count] = jobs[i]
        count += reserved.waits[jobs[i]]
    reserved.oldest[0], reserved.newest[0] = 0, count
    return count


@uncounted
def sort_by_start(reserved):
    """Sort the large part by start again, ties by arrival; it is nearly sorted, and holds all jobs."""
    by_start, start, number = reserved.by_start, reserved.start, reserved.number
    first = reserved.first[0]
    for i in range(first + 1, reserved.last[0]):
        job = by_start[i]
        j = i
        while j > first and (
            start[by_start[j - 1]] > start[job]
            or (start[by_start[j - 1]] == start[job] and number[by_start[j - 1]] > number[job])
        ):
            by_start[j] = by_start[j - 1]
            j -= 1
        by_start[j] = job
