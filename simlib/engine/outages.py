"""Outages: processors that are taken away for some time, as the kernels of `reserving` and `slurm` know them.

A run without them passes None, and what asks for them is compiled away.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._util.arrays import Int, Ints, Places
from .events import NEVER, ONE, small
from .profile import FIRST, Profile, give


class Outages(NamedTuple):
    """When which processors are away.

    Attributes
    ----------
    start, end, procs, known : int64 arrays, by outage; seconds and processors; from `known` on schedulers know it
    seconds : int64 array, rising
        At which an outage becomes known, begins or ends; then `NEVER`.
    at : uint64 array of shape (1,)
        The place of the next of these seconds.
    """

    start: Ints
    end: Ints
    procs: Ints
    known: Ints
    seconds: Ints
    at: Places


def outages_of(rows: Sequence[Sequence[int]]) -> Outages:
    """Make outages of rows of start, end, procs and known, none of which is past. This is plain Python."""
    start, end, procs, known = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    seconds = np.unique([*start, *end, *known, NEVER])
    return Outages(start, end, procs, known, seconds, np.zeros(1, np.uint64))


@small
def next_outage(outages: Outages | None) -> Int:
    """Tell at which second an outage becomes known, begins or ends next; `NEVER` for none."""
    second = NEVER
    if outages is not None:
        second = outages.seconds[outages.at[0]]
    return second


@small
def taken_now(outages: Outages, now: Int) -> Int:
    """Count the processors that outages take now, less those that they give back; go on to the next second."""
    taken: Int = 0
    outages.at[0] += ONE
    for i in range(outages.procs.size):
        taken += ((outages.start[i] == now) - (outages.end[i] == now)) * outages.procs[i]
    return taken


@small
def away(outages: Outages, now: Int, second: Int) -> Int:
    """Count the processors that will be away at a second, as far as is known now."""
    procs: Int = 0
    for i in range(outages.procs.size):
        if outages.known[i] <= now and outages.start[i] <= second < outages.end[i]:
            procs += outages.procs[i]
    return procs


@small
def plan_outages(outages: Outages, profile: Profile, since: Int, now: Int) -> bool:
    """Take from a profile what outages will take that became known from `since` until now. Returns whether any did."""
    any_known = False
    for i in range(outages.procs.size):
        begin, end = max(outages.start[i], now), outages.end[i]
        if since <= outages.known[i] <= now < end:
            give(profile, profile.at[FIRST], begin, end, -outages.procs[i])
            any_known = True
    return any_known
