"""Lookahead: the waiting jobs that together fill the machine best (Shmueli & Feitelson, JPDC 65(9), 2005)."""

from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .queue import first_waiting
from .running import NEVER, uncounted

DEPTH = 50
"""How many jobs behind the head are looked at, as in the paper."""


class Candidates(NamedTuple):
    """The jobs among which the best set is looked for, and what is known of their sets.

    Attributes
    ----------
    places : int64 array, in the queue; in the end those of the best set
    size, past : int64 arrays, processors; and those of them that are held past the shadow time
    least : int64 array, (DEPTH + 1, processors + 1)
        `least[i, n]`: sets of the candidates from i on that take n processors take at least so many past the shadow
        time; `NEVER` where there is no such set.
    """

    places: np.ndarray
    size: np.ndarray
    past: np.ndarray
    least: np.ndarray


@compiled
def no_candidates(machine):
    """Make room for the candidates on a machine of so many processors; for none where it has none."""
    depth = DEPTH if machine > 0 else 0
    places, size, past = np.empty((3, depth), np.int64)
    return Candidates(places, size, past, np.empty((depth + 1, machine + 1), np.int64))


@uncounted
def best_set(candidates, queue, head, free, shadow, extra, now, size, estimate):
    """Find the set that takes the most free processors and no more than `extra` of them past the shadow time.

    Of equally good sets it is the one that has the first candidate, else not; then the second, and so on. Returns how
    many jobs it has, whose places in the queue are the first of `candidates.places`.
    """
    count = _candidates(candidates, queue, head, free, shadow, extra, now, size, estimate)
    taken, taken_past = _first_that_fit(candidates, count, free, extra)
    total = candidates.size[:count].sum()
    if taken < min(free, total):  # else no set takes more
        _least(candidates, count, free)
        most = free
        while candidates.least[0, most] > extra:
            most -= 1
        if most > taken:
            return _chosen(candidates, count, most, extra)
    return _chosen_first(candidates, count, free, extra)


@uncounted
def _candidates(candidates, queue, head, free, shadow, extra, now, size, estimate):
    """List those of the first `DEPTH` jobs behind the head that could be backfilled alone. Returns how many."""
    count, looked, place = 0, 0, first_waiting(queue, head + 1)
    while place < queue.end[0] and looked < DEPTH and free > 0:
        job = queue.jobs[np.uint64(place)]
        past = size[job] if now + estimate[job] > shadow else 0
        if size[job] <= free and past <= extra:
            candidates.places[count], candidates.size[count], candidates.past[count] = place, size[job], past
            count += 1
        looked += 1
        place = first_waiting(queue, place + 1)
    return count


@uncounted
def _first_that_fit(candidates, count, free, extra):
    """How many processors EASY's own set takes, which has each candidate that fits beside those before it."""
    taken, past = 0, 0
    for i in range(count):
        if taken + candidates.size[i] <= free and past + candidates.past[i] <= extra:
            taken += candidates.size[i]
            past += candidates.past[i]
    return taken, past


@uncounted
def _chosen_first(candidates, count, free, extra):
    """Keep the places of that set. Returns how many they are."""
    chosen = 0
    for i in range(count):
        if candidates.size[i] <= free and candidates.past[i] <= extra:
            free -= candidates.size[i]
            extra -= candidates.past[i]
            candidates.places[chosen] = candidates.places[i]
            chosen += 1
    return chosen


@uncounted
def _least(candidates, count, free):
    """Fill the table, from the last candidate to the first (the paper's dynamic programming, section 3.2)."""
    least = candidates.least
    least[count, : free + 1] = NEVER
    least[count, 0] = 0
    for i in range(count - 1, -1, -1):
        size, past = candidates.size[i], candidates.past[i]
        for n in range(size):
            least[i, n] = least[i + 1, n]
        for n in range(size, free + 1):
            least[i, n] = min(least[i + 1, n], least[i + 1, n - size] + past)


@uncounted
def _chosen(candidates, count, most, extra):
    """Keep the places of the best set, which takes `most` processors. Returns how many they are."""
    chosen = 0
    for i in range(count):
        size, past = candidates.size[i], candidates.past[i]
        if size <= most and past <= extra and candidates.least[i + 1, most - size] <= extra - past:
            most -= size
            extra -= past
            candidates.places[chosen] = candidates.places[i]
            chosen += 1
    return chosen
