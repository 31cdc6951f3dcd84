"""The index over a long queue of EASY, which finds the jobs that may be backfilled without walking along the queue.

Groups of neighbouring places are the leaves of a binary tree. For each size class, a node knows the shortest estimate
of the jobs below it in this class or a smaller one. So one node tells whether any job below it may be small and short
enough; only then does the search go down. Because of this, EASY's passes do not grow with the queue when 100,000 jobs
wait in an overloaded system: for each job they look at two groups, and at about 20 nodes above them. If each class were
twice as large as the one before, they would look at 20 groups, because in many groups the jobs are slightly too large.
"""

import numpy as np

from .running import NEVER, ONE, TWO, uncounted

GROUP = np.uint64(16)

GONE = np.uint64(2**64 - 1)  # who waits at a place where nobody does

_LARGE = 2**16  # numbers of processors whose class is looked up; of larger ones, only the leading digits


def places_for(jobs):
    """How many places the queue of so many jobs has: those of a full tree of groups."""
    groups = 1
    while groups * int(GROUP) < jobs:
        groups *= 2
    return groups * int(GROUP)


def empty_index(size):
    """Make the index of a queue of jobs of these sizes, in which nobody waits.

    Returns the shortest estimates by node and class, `NEVER` for none; the class of each job; by the leading digits of
    a number of processors its class; and how many digits are left out. The classes are the sizes up to 1, 2, 3, ..., 8,
    10, 12, 15, 18, ...
    """
    largest, shift = int(size.max(initial=1)), 0
    while largest >> shift >= _LARGE:
        shift += 1
    bounds = [1]
    while bounds[-1] < largest >> shift:
        bounds.append(max(bounds[-1] + 1, bounds[-1] * 5 // 4))
    class_of = np.searchsorted(bounds, np.arange((largest >> shift) + 1)).astype(np.uint64)
    shortest = np.full((2 * places_for(size.size) // int(GROUP), len(bounds)), NEVER)
    return shortest, class_of[size >> shift], class_of, shift


@uncounted
def refresh(index, queue, estimate, place):
    """Update the index after a job has taken or left this place."""
    shortest, size_class = index[0], index[1]
    groups, classes, group = np.uint64(shortest.shape[0]) // TWO, np.uint64(shortest.shape[1]), place // GROUP
    node = groups + group
    for c in range(classes):
        shortest[node, c] = NEVER
    for i in range(group * GROUP, (group + ONE) * GROUP):
        job = queue[i]
        if job != GONE:
            c = size_class[job]
            shortest[node, c] = min(shortest[node, c], estimate[job])
    for c in range(ONE, classes):
        shortest[node, c] = min(shortest[node, c], shortest[node, c - ONE])
    node //= TWO
    changed = True
    while node > 0 and changed:
        changed = False
        for c in range(classes):
            least = min(shortest[TWO * node, c], shortest[TWO * node + ONE, c])
            changed |= least != shortest[node, c]
            shortest[node, c] = least
        node //= TWO


@uncounted
def skip(index, place, free, extra, time):
    """Find the first place from one that begins a group on, in whose group a job may be small and short enough.

    Such a job needs at most `free` processors, and at most `time` or `extra` processors. Returns `GONE` for none.
    """
    shortest, class_of, shift = index[0], index[2], index[3]
    most = class_of.size - 1
    small, smallest = class_of[min(free >> shift, most)], class_of[min(min(free, extra) >> shift, most)]
    groups = np.uint64(shortest.shape[0]) // TWO
    node = groups + place // GROUP
    while shortest[node, small] > time and (extra == 0 or shortest[node, smallest] == NEVER):
        while node % TWO == ONE:  # all below the parent has been looked at
            node //= TWO
        if node == 0:
            return GONE
        node += ONE
    while node < groups:
        node *= TWO
        if shortest[node, small] > time and (extra == 0 or shortest[node, smallest] == NEVER):
            node += ONE
    return (node - groups) * GROUP
