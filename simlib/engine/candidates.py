"""Who of a long queue could be backfilled, found without walking it: an index over the queue's places.

Groups of neighbouring places are the leaves of a binary tree. Each of its nodes knows the shortest estimate of the jobs
below it that are of a class or a smaller one, classes being sizes up to 1, 2, 4, 8, ... processors. So a question to
one node tells whether a job below it may be small and short enough; only then is it worth to look closer. In an
overloaded system with 100,000 jobs waiting this is what keeps a pass of EASY from growing with the queue.
"""

import numpy as np
from numba import njit

from .arrivals import NEVER

GROUP = 16
NONE = np.uint64(2**63)  # in a place of the queue whose job has started


@njit(cache=True)
def size_class(procs):
    """The smallest c with 2^c processors or more."""
    c = 0
    while (1 << c) < procs:
        c += 1
    return c


@njit(cache=True)
def empty_index(places, machine):
    """Room for the index of a queue of so many places; `index_all` fills as much of it as is needed."""
    groups = 1
    while groups * GROUP < 2 * places:
        groups *= 2
    return np.empty((2 * groups, size_class(machine) + 1), np.int64)


@njit(cache=True)
def index_all(shortest, queue, queued, size, estimate):
    """Index `queue[:queued]`, with room for twice as many places. Returns the number of groups."""
    groups = 1
    while groups * GROUP < 2 * queued:
        groups *= 2
    shortest[: 2 * groups] = NEVER
    for i in range(0, queued, GROUP):
        refresh_group(shortest, groups, queue, i, queued, size, estimate)
    for node in range(groups - 1, 0, -1):
        for c in range(shortest.shape[1]):
            shortest[node, c] = min(shortest[2 * node, c], shortest[2 * node + 1, c])
    return groups


@njit(cache=True)
def without_gone(queue, queued):
    """Move the jobs that wait to the front of `queue[:queued]`. Returns how many they are."""
    waiting = 0
    for i in range(queued):
        if queue[i] != NONE:
            queue[waiting] = queue[i]
            waiting += 1
    return waiting


@njit(cache=True)
def refresh_group(shortest, groups, queue, i, queued, size, estimate):
    """Look again at all jobs of the group of place i. Returns its node."""
    begin = i - i % GROUP
    node = groups + begin // GROUP
    shortest[node] = NEVER
    for place in range(begin, min(begin + GROUP, queued)):
        job = queue[place]
        if job != NONE:
            c = size_class(size[job])
            shortest[node, c] = min(shortest[node, c], estimate[job])
    for c in range(1, shortest.shape[1]):
        shortest[node, c] = min(shortest[node, c], shortest[node, c - 1])
    return node


@njit(cache=True)
def enter(shortest, groups, i, procs, estimate):
    """Bring the index up to date when a job of so many processors and such an estimate has come to place i."""
    node = groups + i // GROUP
    smallest = size_class(procs)
    while node > 0 and shortest[node, smallest] > estimate:
        for c in range(smallest, shortest.shape[1]):
            shortest[node, c] = min(shortest[node, c], estimate)
        node //= 2


@njit(cache=True)
def refresh(shortest, groups, queue, i, queued, size, estimate):
    """Bring the index up to date when a job has left place i."""
    node = refresh_group(shortest, groups, queue, i, queued, size, estimate) // 2
    changed = True
    while node > 0 and changed:
        changed = False
        for c in range(shortest.shape[1]):
            least = min(shortest[2 * node, c], shortest[2 * node + 1, c])
            changed |= least != shortest[node, c]
            shortest[node, c] = least
        node //= 2


@njit(cache=True)
def next_candidate(shortest, groups, queue, i, queued, size, estimate, free, extra, time):
    """The first place from i on whose job needs at most `free` processors and at most `time` or `extra` processors.

    Returns `queued` if there is none.
    """
    small, smallest = size_class(free), size_class(extra)
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
        job = queue[i]
        if job != NONE and size[job] <= free and (estimate[job] <= time or size[job] <= extra):
            return i
        i += 1
    return queued
