"""The queue of EASY: the jobs that wait, in order, with an index over them where they are many.

Groups of neighbouring places are the leaves of a binary tree. For each size class, a node knows the shortest estimate
of the jobs below it in this class or a smaller one. So one node tells whether any job below it may be small and short
enough; only then does the search go down. Because of this, EASY's passes do not grow with the queue when 100,000 jobs
wait in an overloaded system: for each job they look at two groups, and at about 20 nodes above them. If each class were
twice as large as the one before, they would look at 20 groups, because in many groups the jobs are slightly too large.
"""

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .running import NEVER, ONE, part, uncounted

GROUP = 16

GONE = np.uint64(2**64 - 1)  # who waits at a place where nobody does

_LARGE = 2**16  # numbers of processors whose class is looked up; of larger ones, only the leading digits

# the shortest estimates by node and class; by place, the processors (NEVER where nobody waits) and the estimate of its
# job; the processors of the largest job, how many of their binary digits are left out, and by what is left the class
_Index = namedtuple("_Index", "shortest size estimate largest shift classes")


@compiled
def _size_classes(largest):
    """The class of each number from 0 to the largest: those up to 1, 2, 3, ..., 8, 10, 12, 15, 18, ..."""
    classes = np.empty(largest + 1, np.int64)
    c, first, last = 0, 0, 1
    while first <= largest:
        classes[first : last + 1] = c
        c, first, last = c + 1, last + 1, max(last + 1, last * 5 // 4)
    return classes


@uncounted
def _class_of(index, procs):
    """The class of a number of processors; the largest class for more processors than any job has."""
    return index.classes[min(procs, index.largest) >> index.shift]


@uncounted
def groups_for(jobs):
    """How many groups there are for a queue of so many jobs, with room for as many more."""
    groups = 1
    while groups * GROUP < 2 * jobs:
        groups *= 2
    return groups


@compiled
def empty_index(size):
    """Room for the index of a queue of jobs of these sizes; `index_all` fills the part that is needed."""
    groups = groups_for(size.size)
    largest = 0
    for job in range(size.size):
        largest = max(largest, size[job])
    shift = 0
    while largest >> shift >= _LARGE:
        shift += 1
    classes = _size_classes(largest >> shift)
    shortest = np.empty((2 * groups, classes[-1] + 1), np.int64)
    places = np.empty(groups * GROUP, np.int64), np.empty(groups * GROUP, np.int64)
    return _Index(shortest, places[0], places[1], largest, shift, classes)


@uncounted
def index_all(index, queue, queued, size, estimate, groups=0):
    """Index `queue[:queued]`, in which a place that is `GONE` is empty. Returns the number of groups."""
    groups = groups if groups > 0 else groups_for(queued)
    index.size[: groups * GROUP] = NEVER
    for place in range(queued):
        if queue[place] != GONE:
            index.size[place] = size[queue[place]]
            index.estimate[place] = estimate[queue[place]]
    shortest = index.shortest
    for group in range(groups):
        _refresh_group(index, groups, group)
    for node in range(groups - 1, 0, -1):
        for c in range(shortest.shape[1]):
            shortest[node, c] = min(shortest[2 * node, c], shortest[2 * node + 1, c])
    return groups


@uncounted
def _refresh_group(index, groups, group):
    """Look again at all jobs of a group. Returns its node."""
    node = groups + group
    shortest = index.shortest
    shortest[node] = NEVER
    for place in range(group * GROUP, (group + 1) * GROUP):
        if index.size[place] != NEVER:
            c = _class_of(index, index.size[place])
            shortest[node, c] = min(shortest[node, c], index.estimate[place])
    for c in range(1, shortest.shape[1]):
        shortest[node, c] = min(shortest[node, c], shortest[node, c - 1])
    return node


@uncounted
def enter(index, groups, place, size, estimate):
    """Update the index after a job of this size and estimate takes a place."""
    index.size[place] = size
    index.estimate[place] = estimate
    shortest = index.shortest
    node = groups + place // GROUP
    smallest = _class_of(index, size)
    while node > 0 and shortest[node, smallest] > estimate:
        for c in range(smallest, shortest.shape[1]):
            shortest[node, c] = min(shortest[node, c], estimate)
        node //= 2


@uncounted
def leave(index, groups, place):
    """Update the index after a job leaves a place."""
    index.size[place] = NEVER
    refresh(index, groups, place // GROUP)


@uncounted
def refresh(index, groups, group):
    """Update the index for the jobs of a group."""
    shortest = index.shortest
    node = _refresh_group(index, groups, group) // 2
    changed = True
    while node > 0 and changed:
        changed = False
        for c in range(shortest.shape[1]):
            least = min(shortest[2 * node, c], shortest[2 * node + 1, c])
            changed |= least != shortest[node, c]
            shortest[node, c] = least
        node //= 2


@uncounted
def next_candidate(index, groups, i, queued, free, extra, time):
    """The first place from i on whose job needs at most `free` processors and at most `time` or `extra` processors.

    Returns `queued` if there is none.
    """
    shortest = index.shortest
    small, smallest = _class_of(index, free), _class_of(index, min(free, extra))
    while i < queued and free > 0:
        if i % GROUP == 0:
            node = groups + i // GROUP
            while shortest[node, small] > time and (extra == 0 or shortest[node, smallest] == NEVER):
                while node % 2 == 1:  # all below the parent has been looked at
                    node //= 2
                if node == 0:
                    return queued
                node += 1
            while node < groups:
                node *= 2
                node += shortest[node, small] > time and (extra == 0 or shortest[node, smallest] == NEVER)
            i = (node - groups) * GROUP
        if index.size[i] <= free and (index.estimate[i] <= time or index.size[i] <= extra):
            return i
        i += 1
    return queued


# The queue


LONG = 256  # jobs in a queue that is worth an index


class Queue(NamedTuple):
    """The jobs that wait, in order.

    Attributes
    ----------
    jobs : uint64 array
        The jobs at the places from `first[0]` to `end[0]`; `gone[0]` of these places are empty: `GONE`.
    first, end, gone : int64 arrays of one number
    index : _Index
        Of a long queue's places; parts that are never needed take no memory.
    groups : int64 array of one number
        How many groups the index has, 0 where the queue has none.
    considered : int64 array of three numbers
        A place, a shadow time and extra processors: the last pass could not backfill the jobs before this place, and
        left these two. The place is 0 if a job has left the machine since.
    """

    jobs: np.ndarray
    first: np.ndarray
    end: np.ndarray
    gone: np.ndarray
    index: _Index
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
            _close_up(queue)


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

    Such a job requires no more than the free processors and will terminate by the shadow time, or it requires no more
    than the free and the extra ones.
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
    """Find the first place whose job may be backfilled. Returns the place behind the head, or one further behind.

    If no job has left the machine since the last pass, and shadow time and extra processors have not changed, the jobs
    that the last pass refused must wait again: there are fewer free processors, and less time.
    """
    considered = queue.considered
    again = head < considered[0] and shadow == considered[1] and extra == considered[2]
    return considered[0] if again else head + 1


@part
def end_pass(queue, shadow, extra, size, estimate):
    """Tidy up after a pass, and remember its shadow time and extra processors."""
    if waiting(queue) == 0:  # as often after a pass
        count_from_front(queue, np.int64(0))
    elif queue.gone[0] > (queue.end[0] // 2 if queue.groups[0] > 0 else 0):
        _close_up(queue)
    if queue.groups[0] == 0 and queue.end[0] > LONG:
        queue.groups[0] = index_all(queue.index, queue.jobs, queue.end[0], size, estimate)
    remember_pass(queue, shadow, extra)


@part
def remember_pass(queue, shadow, extra):
    """Remember that the pass considered all jobs, with the shadow time and extra processors that it left."""
    queue.considered[0], queue.considered[1], queue.considered[2] = queue.end[0], shadow, extra


@uncounted
def _close_up(queue):
    """Move the waiting jobs to the front; this invalidates the index."""
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
