"""Measures of a schedule (MF section 3.1). All take and return plain numbers or arrays; times are seconds."""

import numpy as np

from .compiled import compiled

THRESHOLD = 10
"""Seconds that shorter run times count as in the bounded slowdown."""


def wait(submit, start):
    """Time from submission to start."""
    return start - submit


def response(wait, run):
    """Time from submission to end."""
    return wait + run


def slowdown(wait, run):
    """Response time / run time; infinite for a job of no length that waited, 1 for one that did not."""
    wait, run = np.asarray(wait, float), np.asarray(run, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(wait == 0, 1.0, (wait + run) / run)


def bounded_slowdown(wait, run, threshold=THRESHOLD, floor=1.0):
    """Response time / run time, with run times below `threshold` seconds counted as `threshold`.

    MF's formula is the ratio as it stands, so that a job of 1 s that does not wait has 0.1: `floor=None`. The usual
    definition does not let it fall below 1.
    """
    ratio = (np.asarray(wait, float) + run) / np.maximum(run, threshold)
    return ratio if floor is None else np.maximum(ratio, floor)


@compiled
def totals(edges, submit, start, run, procs, backfilled, floor):
    """What the jobs add up to in each period, and in all: one pass over them and no array for each of the measures.

    Parameters
    ----------
    edges : int64 array
        Between the periods, rising; the first period is what is before all of them, the last what is after.
    submit, start, run, procs : int64 arrays
    backfilled : bool array
    floor : float
        Of `bounded_slowdown`; -inf for none.

    Returns
    -------
    float array, shape (len(edges) + 2, 6)
        By period, the last row for all: of the jobs that end in it the number, the sums of waits, response times and
        bounded slowdowns, and how many were backfilled; and the processor-seconds executed in it. Sums of whole numbers
        are exact up to 2^53.
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
            sums[during, 5] += procs[i] * (end - edges[during - 1])
            end = edges[during - 1]
            during -= 1
        sums[during, 5] += procs[i] * (end - start[i])
    sums[-1] = sums[:-1].sum(axis=0)
    return sums


def utilisation(start, end, procs, machine):
    """The share of the machine in use over time, as steps.

    Returns
    -------
    times : int64 array
        Seconds at which the share may change, rising.
    share : float array
        From each of these times on until the next.
    """
    times, which = np.unique(np.concatenate([start, end]), return_inverse=True)
    change = np.bincount(which, weights=np.concatenate([procs, -np.asarray(procs)]))
    return times, np.cumsum(change) / machine
