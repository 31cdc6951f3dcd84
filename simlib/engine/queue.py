"""The queue of EASY: the jobs that wait, in order, with an index over them where they are many (see `candidates`)."""

from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .candidates import GONE, GROUP, Index, empty_index, enter, index_all, leave, next_candidate
from .running import ONE, part, uncounted

LONG = 256  # jobs in a queue that is worth an index


class Queue(NamedTuple):
    """The jobs that wait, in order.

    Attributes
    ----------
    jobs : uint64 array
        The jobs at the places from `first[0]` to `end[0]`; `GONE` where nobody waits, which are `gone[0]` places.
    first, end, gone : int64 arrays of one number
    index : Index
        Of a long queue's places; what is never needed of it takes no memory.
    groups : int64 array of one number
        How many groups the index has, 0 where the queue has none.
    considered : int64 array of three numbers
        The jobs before this place could not be backfilled in the last pass, which left this shadow time and these extra
        processors; 0 places where a job has left the machine since.
    """

    jobs: np.ndarray
    first: np.ndarray
    end: np.ndarray
    gone: np.ndarray
    index: Index
    groups: np.ndarray
    considered: np.ndarray


@compiled
def empty_queue(size):
    """Make room for the queue of jobs of these sizes."""
    index = empty_index(size)
    first, end, gone = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
    groups, considered = np.zeros(1, np.int64), np.zeros(3, np.int64)
    return Queue(np.empty(index.size.size, np.uint64), first, end, gone, index, groups, considered)


@part
def join(queue, job, size, estimate):
    """Put a job at the end of the queue."""
    place, groups = queue.end[0], queue.groups[0]
    queue.jobs[np.uint64(place)] = job
    queue.end[0] = place + 1
    if groups > 0:
        enter(queue.index, groups, place, size[job], estimate[job])
        if place + 1 == groups * GROUP:
            close_up(queue)


@part
def waiting(queue):
    """Count the jobs that wait."""
    return queue.end[0] - queue.gone[0]


@part
def first_waiting(queue, place):
    """Find the first job that waits at this place or behind it. Returns its place, `end[0]` for none."""
    while place < queue.end[0] and queue.jobs[np.uint64(place)] == GONE:
        place += 1
    return place


@part
def take(queue, place):
    """Take out the job at a place."""
    queue.jobs[np.uint64(place)] = GONE
    queue.gone[0] += 1
    if queue.groups[0] > 0:
        leave(queue.index, queue.groups[0], place)


@part
def next_to_backfill(queue, place, free, shadow, extra, now, size, estimate):
    """Find the first job from a place on that can be backfilled (MF 2.2, step 2). Returns its place; `end[0]`: none.

    That is one that requires no more than the free processors and will terminate by the shadow time, or that requires
    no more than the free and the extra ones.
    """
    if queue.groups[0] > 0:
        return next_candidate(queue.index, queue.groups[0], place, queue.end[0], free, extra, shadow - now)
    if free == 0:
        return queue.end[0]
    jobs, end, i = queue.jobs, np.uint64(queue.end[0]), np.uint64(place)
    while i < end:
        job = jobs[i]
        if size[job] <= free and (now + estimate[job] <= shadow or size[job] <= extra):
            break
        i += ONE
    return np.int64(i)


@part
def not_considered(queue, head, shadow, extra):
    """Find where those begin that may be backfilled. Returns the place behind the head, or one further behind.

    Where nobody has left since the last pass, and the shadow time and extra processors are what it left them, those
    that it refused have to wait again: there are fewer processors free, and there is less time.
    """
    considered = queue.considered
    again = head < considered[0] and shadow == considered[1] and extra == considered[2]
    return considered[0] if again else head + 1


@part
def end_pass(queue, shadow, extra, size, estimate):
    """Tidy up after a pass, and remember what it has left."""
    if waiting(queue) == 0:  # as often after a pass
        count_from_front(queue, np.int64(0))
    elif queue.gone[0] > (queue.end[0] // 2 if queue.groups[0] > 0 else 0):
        close_up(queue)
    if queue.groups[0] == 0 and queue.end[0] > LONG:
        queue.groups[0] = index_all(queue.index, queue.jobs, queue.end[0], size, estimate)
    remember_pass(queue, shadow, extra)


@part
def remember_pass(queue, shadow, extra):
    """Remember that all have been considered, with what a pass has left."""
    queue.considered[0], queue.considered[1], queue.considered[2] = queue.end[0], shadow, extra


@uncounted
def close_up(queue):
    """Move the jobs that wait to the front; the index is no longer right then."""
    jobs = queue.jobs
    left = np.uint64(0)
    for i in range(np.uint64(queue.end[0])):
        jobs[left] = jobs[i]
        left += np.uint64(jobs[left] != GONE)
    count_from_front(queue, np.int64(left))


@part
def count_from_front(queue, left):
    """Say that so many jobs wait, all at the front, and that there is no index over them."""
    queue.end[0] = left
    queue.first[0] = queue.gone[0] = queue.groups[0] = queue.considered[0] = 0
