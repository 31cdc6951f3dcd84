"""The index over a long queue of EASY, which finds the jobs that may be backfilled without walking along the queue.

Groups of neighbouring places are the leaves of a binary tree. For each size class, a node knows the shortest estimate
of the jobs below it in this class or a smaller one. So one node tells whether any job below it may be small and short
enough; only then does the search go down. Because of this, EASY's passes do not grow with the queue when 100,000 jobs
wait in an overloaded system: for each job they look at two groups, and at about 20 nodes above them. If each class were
twice as large as the one before, they would look at 20 groups, because in many groups the jobs are slightly too large.
Where jobs need GPUs, a class is of a size and of a number of GPUs.
"""

import numpy as np

from .._util.arrays import Int, Ints, Place, Places
from .events import NEVER, ONE, TWO, part, uncounted

GROUP = np.uint64(16)

GONE = np.uint64(2**64 - 1)  # who waits at a place where nobody does

_LARGE = 2**16  # numbers of processors whose class is looked up; of larger ones, only the leading digits


Index = tuple[Ints, Places, np.uint64, Places, int, Places | None]
"""As `empty_index` makes it."""


def places_for(jobs: int) -> int:
    """How many places the queue of so many jobs has: those of a full tree of groups."""
    groups = 1
    while groups * int(GROUP) < jobs:
        groups *= 2
    return groups * int(GROUP)


def empty_index(size: Ints, gpus: Ints | None, places: int) -> Index:
    """Make the index of a queue of jobs of these sizes with so many places (`places_for`), in which nobody waits.

    Returns the shortest estimates by node and class, `NEVER` for none; the class of each job; how many sizes are told
    apart; by the leading digits of a number of processors its place among these; how many digits are left out; and by a
    number of GPUs its first class, or None. Sizes are up to 1, 2, 3, ..., 8, 10, 12, 15, 18, ...; each has a class for
    jobs with at most 0, 1, 2, 4, 8, ... GPUs.
    """
    largest, shift = int(size.max(initial=1)), 0
    while largest >> shift >= _LARGE:
        shift += 1
    bounds = [1]
    while bounds[-1] < largest >> shift:
        bounds.append(max(bounds[-1] + 1, bounds[-1] * 5 // 4))
    place_of = np.searchsorted(bounds, np.arange((largest >> shift) + 1)).astype(np.uint64)
    classes, class_of, by_gpus = len(bounds), place_of[size >> shift], None
    if gpus is not None:
        needed = np.arange(gpus.max(initial=0) + 1)
        by_gpus = np.ceil(np.log2(np.maximum(2 * needed, 1))).astype(np.uint64) * np.uint64(len(bounds))
        class_of, classes = class_of + by_gpus[gpus], int(by_gpus[-1]) + len(bounds)
    nothing = np.empty((0, classes), np.int64)
    return emptied((nothing, class_of, np.uint64(len(bounds)), place_of, shift, by_gpus), places)


def emptied(index: Index, places: int) -> Index:
    """Make the index of another queue of the same jobs, in which nobody waits. This is plain Python."""
    return np.full((2 * places // int(GROUP), index[0].shape[1]), NEVER), *index[1:]


@uncounted
def refresh(index: Index, queue: Places, estimate: Ints, place: Place) -> None:
    """Update the index after a job has taken or left this place."""
    shortest, class_of, sizes = index[0], index[1], index[2]
    groups, classes, group = np.uint64(shortest.shape[0]) // TWO, np.uint64(shortest.shape[1]), place // GROUP
    node = groups + group
    for c in range(classes):
        shortest[node, c] = NEVER
    for i in range(group * GROUP, (group + ONE) * GROUP):
        job = queue[i]
        if job != GONE:
            c = class_of[job]
            shortest[node, c] = min(shortest[node, c], estimate[job])
    for c in range(ONE, classes):
        if c % sizes > 0:
            shortest[node, c] = min(shortest[node, c], shortest[node, c - ONE])
        if c >= sizes:
            shortest[node, c] = min(shortest[node, c], shortest[node, c - sizes])
    node //= TWO
    changed = True
    while node > 0 and changed:
        changed = False
        for c in range(classes):
            least = min(shortest[TWO * node, c], shortest[TWO * node + ONE, c])
            changed |= least != shortest[node, c]
            shortest[node, c] = least
        node //= TWO


@part
def _class_of(place_of: Places, shift: int, by_gpus: Places | None, free: Int, free_gpus: Int) -> Place:
    """Find the class of the largest jobs for which so many processors and GPUs may be enough."""
    found = place_of[min(free >> shift, place_of.size - 1)]
    if by_gpus is not None:
        found += by_gpus[min(free_gpus, by_gpus.size - 1)]
    return found


@uncounted
def skip(
    index: Index, place: Place, free: Int, extra: Int, free_gpus: Int, extra_gpus: Int, time: Int, most: Int
) -> Place:
    """Find the first place from one that begins a group on, in whose group a job may be small and short enough.

    Such a job needs at most `free` processors and GPUs for at most `time`, or at most `extra` ones for at most `most`.
    Returns `GONE` for none.
    """
    shortest, _, _, place_of, shift, by_gpus = index
    small = _class_of(place_of, shift, by_gpus, free, free_gpus)
    smallest = _class_of(place_of, shift, by_gpus, min(free, extra), min(free_gpus, extra_gpus))
    groups = np.uint64(shortest.shape[0]) // TWO
    node = groups + place // GROUP
    while shortest[node, small] > time and (extra == 0 or shortest[node, smallest] > most):
        while node % TWO == ONE:  # all below the parent has been looked at
            node //= TWO
        if node == 0:
            return GONE
        node += ONE
    while node < groups:
        node *= TWO
        if shortest[node, small] > time and (extra == 0 or shortest[node, smallest] > most):
            node += ONE
    return (node - groups) * GROUP
