"""The rank that an order gives a job, and what the order is told of it."""

from typing import NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload

from ..compiled import compiled
from .parts import part
from .usage import Usage, account_told, hold


class NoRank(ValueError):
    """The order gave no number for a job; the arguments are what it was told, a tuple, and whether it orders those
    who may be backfilled."""


class Facts(NamedTuple):
    """What an order may be told of a job besides its wait, estimate and size.

    Attributes
    ----------
    user, group, queue : int64 arrays, by job; -1 where it is not known
    machine : int, processors
    usage : Usage
    """

    user: np.ndarray
    group: np.ndarray
    queue: np.ndarray
    machine: int
    usage: Usage


def told(facts, job, now, submit, estimate, size, free, extra, window):
    """Collect what an order is told of a job that waits: all of `Facts`, or three numbers where `facts` is None."""


@overload(told, jit_options={"_nrt": False, "forceinline": True})
def _told(facts, job, now, submit, estimate, size, free, extra, window):
    def three(facts, job, now, submit, estimate, size, free, extra, window):
        return float(now - submit[job]), float(estimate[job]), float(size[job])

    def every(facts, job, now, submit, estimate, size, free, extra, window):
        of_job = float(now - submit[job]), float(estimate[job]), float(size[job])
        of_user = float(facts.user[job]), float(facts.group[job]), float(facts.queue[job])
        account = account_told(facts.usage, job, now)
        had = facts.usage.share[account], facts.usage.fair_share[account]
        return (*of_job, float(now), *of_user, *had, float(facts.machine), float(free), float(extra), float(window))

    return three if isinstance(facts, types.NoneType) else every


@part
def rank(order, facts, job, now, submit, estimate, size, free, extra, window):
    """Ask an order, a compiled function, for the rank of a job that waits."""
    return order(*told(facts, job, now, submit, estimate, size, free, extra, window))


@compiled
def refuse(facts, job, now, submit, estimate, size, free, extra, window, backfilling):
    """Say that an order has no place for a job: that of the queue, or that in which jobs are backfilled."""
    raise NoRank(told(facts, job, now, submit, estimate, size, free, extra, window), backfilling)


@part
def note_start(facts, job, now, size):
    """Note that a job takes its processors."""
    if facts is not None:
        hold(facts.usage, job, now, size[job])


@part
def note_end(facts, job, now, size):
    """Note that a job gives its processors back."""
    if facts is not None:
        hold(facts.usage, job, now, -size[job])
