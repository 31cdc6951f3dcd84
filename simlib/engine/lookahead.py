"""Lookahead: of the first jobs behind the head, the set that takes the most free processors (Shmueli & Feitelson 2005).

It is found by dynamic programming (section 3.2), where EASY's own set leaves processors free that another may take.
"""

from typing import NamedTuple

import numpy as np

from .._util.arrays import Int, Ints, Place, Places
from .events import NEVER, ONE, uncounted
from .index import GONE

DEPTH = 50
"""How many jobs behind the head are looked at, as in the paper."""


class Candidates(NamedTuple):
    """The jobs from which the best set is chosen, and a table of their sets.

    Attributes
    ----------
    places : uint64 array, in the queue; finally those of the best set
    size, past : int64 arrays, processors; and those of them that are held past the shadow time
    least : int64 array, (DEPTH + 1, processors + 1)
        `least[i, n]`: the fewest processors past the shadow time of any set of the candidates from i on that takes n
        processors; `NEVER` if there is no such set.
    """

    places: Places
    size: Ints
    past: Ints
    least: Ints


def no_candidates(machine: int) -> Candidates:
    """Make room for the candidates on a machine of so many processors. This is plain Python."""
    size, past = np.empty((2, DEPTH), np.int64)
    return Candidates(np.empty(DEPTH, np.uint64), size, past, np.empty((DEPTH + 1, machine + 1), np.int64))


@uncounted
def best_set(
    candidates: Candidates,
    queue: Places,
    place: Place,
    last: Place,
    given: tuple[Int, Int, Int, Int],
    size: Ints,
    estimate: Ints,
) -> int:
    """Find the set that takes the most free processors and no more than `extra` of them past the shadow time.

    The jobs stand in the queue from a place on. Ties: the set with the first candidate wins; then the set with the
    second, and so on. Returns the number of its jobs; their places are the first of `candidates.places`.
    """
    now, shadow, free, extra = given
    count, looked = 0, 0
    while place < last and looked < DEPTH and free > 0:
        job = queue[place]
        if job != GONE:
            past = size[job] if now + estimate[job] > shadow else 0
            if size[job] <= free and past <= extra:
                candidates.places[count], candidates.size[count], candidates.past[count] = place, size[job], past
                count += 1
            looked += 1
        place += ONE
    taken = _first_that_fit(candidates, count, free, extra)
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
def _first_that_fit(candidates: Candidates, count: Int, free: Int, extra: Int) -> Int:
    """Count the processors of EASY's set: each candidate that fits beside those before it."""
    taken, past = 0, 0
    for i in range(count):
        if taken + candidates.size[i] <= free and past + candidates.past[i] <= extra:
            taken += candidates.size[i]
            past += candidates.past[i]
    return taken


@uncounted
def _chosen_first(candidates: Candidates, count: Int, free: Int, extra: Int) -> int:
    """Keep the places of EASY's set. Returns their number."""
    chosen = 0
    for i in range(count):
        if candidates.size[i] <= free and candidates.past[i] <= extra:
            free -= candidates.size[i]
            extra -= candidates.past[i]
            candidates.places[chosen] = candidates.places[i]
            chosen += 1
    return chosen


@uncounted
def _least(candidates: Candidates, count: Int, free: Int) -> None:
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
def _chosen(candidates: Candidates, count: Int, most: Int, extra: Int) -> int:
    """Keep the places of the best set, which takes `most` processors. Returns their number."""
    chosen = 0
    for i in range(count):
        size, past = candidates.size[i], candidates.past[i]
        if size <= most and past <= extra and candidates.least[i + 1, most - size] <= extra - past:
            most -= size
            extra -= past
            candidates.places[chosen] = candidates.places[i]
            chosen += 1
    return chosen
