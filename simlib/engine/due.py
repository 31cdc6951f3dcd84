"""Jobs in order of their reserved starts: those that are due, next to next.

The order has two sorted parts: the last few to get their reservation, and all others. A job goes into the small part.
When this is full, or the whole order is needed, the two are merged. So a queue of 100,000 jobs is not shifted at each
arrival.
"""

from typing import NamedTuple

import numpy as np

from .._util.arrays import Bools, Int, Ints, Places
from .events import NEVER, small, uncounted
from .profile import make_room

_RECENT = 1024  # jobs of the small part
_FIRST, _LAST, _EARLIEST, _LATEST = range(4)


class Due(NamedTuple):
    """The jobs that wait, each with a start reserved for it, by start, ties by arrival.

    Attributes
    ----------
    jobs, recent : uint64 arrays
        `jobs[at[_FIRST] : at[_LAST]]`, and of the last to arrive `recent[at[_EARLIEST] : at[_LATEST]]`.
    at : int64 array of these four places
    start : int64 array, seconds by job; first reserved, finally real
    number : int64 array, by job, how many arrived before it
    waits : bool array, by job
    """

    jobs: Places
    recent: Places
    at: Ints
    start: Ints
    number: Ints
    waits: Bools


def nobody_due(start: Ints, number: Ints) -> Due:
    """Make room for the reservations of all jobs. This is plain Python."""
    jobs, recent = np.empty(start.size, np.uint64), np.empty(_RECENT, np.uint64)
    return Due(jobs, recent, np.zeros(4, np.int64), start, number, np.zeros(start.size, np.bool_))


@small
def next_due(due: Due) -> Int:
    """Tell when the next job is to start; `NEVER` if none waits."""
    first, earliest = due.at[_FIRST], due.at[_EARLIEST]
    time = due.start[due.jobs[np.uint64(first)]] if first < due.at[_LAST] else NEVER
    if earliest < due.at[_LATEST]:
        time = min(time, due.start[due.recent[np.uint64(earliest)]])
    return time


@small
def reserve(due: Due, job: Int, time: Int) -> None:
    """Reserve a start at `time` for the job that arrived last."""
    due.start[job] = time
    due.waits[job] = True
    if due.at[_LATEST] == _RECENT:
        merge(due)
    recent, start = due.recent, due.start
    low, high = due.at[_EARLIEST], due.at[_LATEST]
    while low < high:
        middle = (low + high) // 2
        if start[recent[middle]] <= time:
            low = middle + 1
        else:
            high = middle
    make_room(recent, low, due.at[_LATEST])
    recent[low] = job
    due.at[_LATEST] += 1


@small
def take_due(due: Due, now: Int, taken: Places) -> Int:
    """Take out the jobs that are to start now, and write them into `taken`. Returns how many they are."""
    start, jobs, recent, count = due.start, due.jobs, due.recent, 0
    while True:
        first, earliest = due.at[_FIRST], due.at[_EARLIEST]
        if first < due.at[_LAST] and start[jobs[first]] == now:
            job = jobs[first]
            due.at[_FIRST] += 1
        elif earliest < due.at[_LATEST] and start[recent[earliest]] == now:
            job = recent[earliest]
            due.at[_EARLIEST] += 1
        else:
            return count
        due.waits[job] = False
        taken[count] = job
        count += 1


@uncounted
def merge(due: Due) -> tuple[Int, Int]:
    """Merge the small part, whose jobs arrived after all others, into the large one: `jobs[begin:end]`."""
    start, jobs, recent = due.start, due.jobs, due.recent
    first, last = due.at[_FIRST], due.at[_LAST]
    begin, end = due.at[_EARLIEST], due.at[_LATEST]
    due.at[_LAST] = place = last + end - begin
    due.at[_EARLIEST] = due.at[_LATEST] = 0
    while end > begin:
        place -= 1
        if last > first and start[jobs[last - 1]] > start[recent[end - 1]]:
            last -= 1
            jobs[place] = jobs[last]
        else:
            end -= 1
            jobs[place] = recent[end]
    return first, due.at[_LAST]


@small
def sort_again(due: Due) -> None:
    """Sort the large part by start again, ties by arrival; it is nearly sorted, and holds all jobs."""
    jobs, start, number = due.jobs, due.start, due.number
    first = due.at[_FIRST]
    for i in range(first + 1, due.at[_LAST]):
        job = jobs[i]
        j = i
        while j > first and (
            start[jobs[j - 1]] > start[job] or (start[jobs[j - 1]] == start[job] and number[jobs[j - 1]] > number[job])
        ):
            jobs[j] = jobs[j - 1]
            j -= 1
        jobs[j] = job
