"""Measure a schedule (MF section 3.1): plain numbers or arrays in and out; times are seconds."""

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from .._util.arrays import Bools, Floats, Ints
from .._util.compiled import compiled

THRESHOLD = 10
"""Seconds that shorter run times count as in the bounded slowdown."""


def wait(submit: Ints, start: Ints) -> Ints:
    """Measure the time from submission to start.

    Examples
    --------
    >>> wait(5, 30)
    25
    """
    return start - submit


def response(wait: Ints, run: Ints) -> Ints:
    """Measure the time from submission to end.

    Examples
    --------
    >>> response(25, 60)
    85
    """
    return wait + run


def slowdown(wait: ArrayLike, run: ArrayLike) -> Floats:
    """Divide response time by run time; for a job of length zero infinite if it waited, else 1.

    Examples
    --------
    >>> slowdown([0, 60, 60], [60, 60, 0]).tolist()
    [1.0, 2.0, inf]
    """
    wait, run = np.asarray(wait, float), np.asarray(run, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(wait == 0, 1.0, (wait + run) / run)


def bounded_slowdown(
    wait: ArrayLike, run: ArrayLike, threshold: float = THRESHOLD, floor: float | None = 1.0
) -> Floats:
    """Divide response time by run time, with run times below `threshold` seconds counted as `threshold`.

    The usual definition has a lower limit of 1. MF's formula has none (`floor=None`): a job of 1 s that does not wait
    has 0.1.

    Examples
    --------
    >>> bounded_slowdown([0, 20], [1, 1]).tolist(), bounded_slowdown([0, 20], [1, 1], floor=None).tolist()
    ([1.0, 2.1], [0.1, 2.1])
    """
    ratio = cast(Floats, (np.asarray(wait, float) + run) / np.maximum(run, threshold))
    return ratio if floor is None else np.maximum(ratio, floor)


@compiled
def totals(edges: Ints, submit: Ints, start: Ints, run: Ints, procs: Ints, backfilled: Bools, floor: float) -> Floats:
    """Add up the jobs of each period, and of all, in one pass over them and without an array for each measure.

    Parameters
    ----------
    edges : int64 array
        Limits of the periods in rising order; the first period is before all of them, the last one after.
    submit, start, run, procs : int64 arrays
    backfilled : bool array
    floor : float
        Of `bounded_slowdown`; -inf for none.

    Returns
    -------
    float array, shape (len(edges) + 2, 6)
        A row for each period, the last one for all. The columns are, of the jobs that end in the period: their number,
        the sums of their waits, response times and bounded slowdowns, and how many were backfilled; then the
        processor-seconds executed in the period. Sums of whole numbers are exact up to 2^53.

    Examples
    --------
    Two jobs of 10 and 20 seconds on one and two processors, which end at 10 and 20; the period from 0 to 15:

    >>> none, both = np.array([False, False]), np.array([0, 0])
    >>> totals(np.array([0, 15]), both, both, np.array([10, 20]), np.array([1, 2]), none, 1.0)[1].tolist()
    [1.0, 0.0, 10.0, 1.0, 0.0, 40.0]
    """
    sums = np.zeros((edges.size + 2, 6))
    period = 0  # of a job's end; seldom another than that of the job before
    for i in range(start.size):
        end = start[i] + run[i]
        while period < edges.size and edges[period] <= end:
            period += 1
        while period > 0 and edges[period - 1] > end:
            period -= 1
        response = end - submit[i]
        of_end = sums[period]
        of_end[0] += 1
        of_end[1] += start[i] - submit[i]
        of_end[2] += response
        of_end[3] += max(response / max(run[i], THRESHOLD), floor)  # see `bounded_slowdown`
        of_end[4] += backfilled[i]
        during = period  # back from the end to the start
        while during > 0 and edges[during - 1] > start[i]:
            sums[during, 5] += float(procs[i]) * (end - edges[during - 1])  # as whole numbers it may overflow
            end = edges[during - 1]
            during -= 1
        sums[during, 5] += float(procs[i]) * (end - start[i])
    sums[-1] = sums[:-1].sum(axis=0)
    return sums


@compiled
def executed(begin: int, end: int, starts: Ints, ends: Ints, procs: Ints) -> float:
    """Add up the processor-seconds that are executed from one second to another.

    Parameters
    ----------
    begin, end : int
    starts, ends, procs : int64 arrays
        Of the jobs.

    Examples
    --------
    Two jobs on one and two processors, to the seconds 10 and 20; from 5 to 15:

    >>> executed(5, 15, starts=np.array([0, 0]), ends=np.array([10, 20]), procs=np.array([1, 2]))
    25.0
    """
    work = 0.0
    for i in range(starts.size):
        work += float(procs[i]) * max(min(ends[i], end) - max(starts[i], begin), 0)
    return work


def utilization(start: ArrayLike, end: ArrayLike, procs: ArrayLike, machine: int) -> tuple[Ints, Floats]:
    """Find the share of the machine that is in use over time, in steps.

    Returns
    -------
    times : int64 array
        Seconds at which the share may change, rising.
    share : float array
        From each of these times on until the next.

    Examples
    --------
    >>> times, share = utilization(start=[0, 10], end=[10, 15], procs=[3, 2], machine=4)
    >>> times.tolist(), share.tolist()
    ([0, 10, 15], [0.75, 0.5, 0.0])
    """
    start, end, procs = np.asarray(start), np.asarray(end), np.asarray(procs)
    times, which = np.unique(np.concatenate([start, end]), return_inverse=True)
    change = np.bincount(which, weights=np.concatenate([procs, -procs]))
    return times, np.cumsum(change) / machine
