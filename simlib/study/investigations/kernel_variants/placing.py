"""Which processors a job gets: for programs that reserve processors by their numbers, not by how many they are."""

from typing import NamedTuple

import numpy as np

from ...._util.compiled import compiled
from ....engine.running import ONE, uncounted

FREE = -1


class Places(NamedTuple):
    """The machine as runs of neighbouring processors: run k has those from `first[k]` on, before `first[k + 1]`.

    Attributes
    ----------
    first : int64 array, numbers of processors
    owner : int64 array, by run the job that has it, `FREE` where none
    count : int64 array of one number, how many runs there are
    new_first, new_owner : int64 arrays in which the next state is written
    """

    first: np.ndarray
    owner: np.ndarray
    count: np.ndarray
    new_first: np.ndarray
    new_owner: np.ndarray


@compiled
def all_free(machine):
    """Make a machine of so many processors, all of them free."""
    at_most = machine + 2
    first, owner, count = np.zeros(at_most, np.int64), np.full(at_most, FREE), np.ones(1, np.int64)
    first[1] = machine
    return Places(first, owner, count, np.zeros(at_most, np.int64), np.full(at_most, FREE))


@uncounted
def _append(places, count, first, owner):
    """Append a run to the next state, or lengthen the last one, which has the same owner. Returns their number."""
    if count == 0 or places.new_owner[np.uint64(count - 1)] != owner:
        places.new_first[np.uint64(count)], places.new_owner[np.uint64(count)] = first, owner
        count += 1
    return count


@uncounted
def _renew(places, count):
    """Make the next state, of so many runs, the state."""
    end = places.first[np.uint64(places.count[0])]
    for k in range(np.uint64(count)):
        places.first[k], places.owner[k] = places.new_first[k], places.new_owner[k]
    places.first[np.uint64(count)], places.count[0] = end, count


@uncounted
def occupy(places, job, size, lowest):
    """Give a job the free processors of the lowest numbers, none of them below `lowest`."""
    count, lacking = 0, size
    for k in range(np.uint64(places.count[0])):
        begin, end, owner = places.first[k], places.first[k + ONE], places.owner[k]
        if owner == FREE and lacking > 0 and end > lowest:
            since = max(begin, lowest)
            until = min(end, since + lacking)
            lacking -= until - since
            if since > begin:
                count = _append(places, count, begin, FREE)
            count = _append(places, count, since, np.int64(job))
            begin = until
        if begin < end:
            count = _append(places, count, begin, owner)
    _renew(places, count)


@uncounted
def vacate(places, job):
    """Free the processors of a job."""
    count = 0
    for k in range(np.uint64(places.count[0])):
        owner = places.owner[k]
        count = _append(places, count, places.first[k], FREE if owner == job else owner)
    _renew(places, count)


@uncounted
def end_of_reserved(places, size, shadow, expected_end):
    """Reserve the lowest processors that are free by the shadow time. Returns the number after the last of them."""
    reserved = 0
    for k in range(np.uint64(places.count[0])):
        owner = places.owner[k]
        if owner == FREE or expected_end[np.uint64(owner)] <= shadow:
            reserved += places.first[k + ONE] - places.first[k]
            if reserved >= size:
                return places.first[k + ONE] - (reserved - size)
    return places.first[np.uint64(places.count[0])]


@uncounted
def free_from(places, lowest):
    """Count the free processors whose number is no lower."""
    free = 0
    for k in range(np.uint64(places.count[0])):
        if places.owner[k] == FREE:
            free += max(places.first[k + ONE] - max(places.first[k], lowest), 0)
    return free
