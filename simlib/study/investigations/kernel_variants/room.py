"""Arrivals and an idle machine, made within a kernel."""

import numpy as np

from ...._util.compiled import compiled
from ....engine.running import Arrivals, Ends, Running


@compiled
def arrivals_of(submit, preceding, think):
    """Make the arrivals of a workload.

    Parameters
    ----------
    submit : int64 array, recorded submit times in seconds, in order; those of followers will be overwritten
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`

    Returns
    -------
    Arrivals
    """
    order, at = np.empty(submit.size, np.int64), preceding.size
    for job in range(submit.size):
        order[job] = job
    first, others = np.full(at, -1), np.full(at, -1)
    for job in range(preceding.size - 1, -1, -1):
        if preceding[job] < 0:
            at -= 1
            order[at] = job
        else:
            others[job] = first[preceding[job]]
            first[preceding[job]] = job
    arrived, coming, number = np.zeros(1, np.int64), np.full(1, at), np.empty(submit.size, np.int64)
    return Arrivals(order, arrived, coming, number, submit, think, first, others)


@compiled
def no_ends(jobs, at_once):
    """Make room for the ends of so many jobs, and for so many that run at once."""
    return Ends(np.empty(at_once, np.uint64), np.zeros(jobs, np.int64), np.zeros(1, np.int64))


@compiled
def idle(machine, jobs):
    """Make a machine of so many processors, on which none of so many jobs runs yet."""
    at_once = min(machine, jobs)
    start, backfilled, free = np.zeros(jobs, np.int64), np.zeros(jobs, np.bool_), np.empty(1, np.int64)
    free[0] = machine
    return Running(no_ends(jobs, at_once), no_ends(jobs, at_once), start, backfilled, free)
