"""Measures of a schedule (MF section 3.1). All take and return plain numbers or arrays; times are seconds."""

import numpy as np
from numba import njit


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


def bounded_slowdown(wait, run, threshold=10, floor=1.0):
    """Response time / run time, with run times below `threshold` seconds counted as `threshold`.

    MF's formula is the ratio as it stands, so that a job of 1 s that does not wait has 0.1: `floor=None`. The usual
    definition does not let it fall below 1.
    """
    ratio = (np.asarray(wait, float) + run) / np.maximum(run, threshold)
    return ratio if floor is None else np.maximum(ratio, floor)


@njit(cache=True, nogil=True)
def sum_by(which, values, kinds):
    """The sum of the values of each kind, as from `numpy.bincount`, which would hold Python's lock.

    Parameters
    ----------
    which : int64 array
        Of what kind each value is, from 0 on.
    values : array
    kinds : int
        How many there are.
    """
    total = np.zeros(kinds)
    kind, sum_ = 0, 0.0  # the present one: jobs of a month come one after another
    for i in range(which.size):
        if which[i] != kind:
            total[kind] = sum_
            kind = which[i]
            sum_ = total[kind]
        sum_ += values[i]
    total[kind] = sum_
    return total


@njit(cache=True, nogil=True)
def period_of(edges, times):
    """How many of the `edges` (rising) each of `times` has reached, as from `numpy.searchsorted(side="right")`.

    Quick where most are in the period of the one before, or near it: the times of jobs in order of arrival.
    """
    found = np.empty(times.size, np.int64)
    period = 0
    for i in range(times.size):
        while period < edges.size and edges[period] <= times[i]:
            period += 1
        while period > 0 and edges[period - 1] > times[i]:
            period -= 1
        found[i] = period
    return found


def work_until(times, start, run, procs):
    """Processor-seconds executed before each of `times` (array of seconds, rising)."""
    start = np.asarray(start)
    return _held_until(times, start, procs) - _held_until(times, start + run, procs)


def _held_until(times, since, procs):
    """Processor-seconds before each of `times` if `procs` were held from `since` on, for ever."""
    times = np.asarray(times)
    since = since - times[0]  # small numbers, whose products with processors are exact
    held = period_of(times - times[0], since)
    begun, seconds = (
        sum_by(held, np.asarray(weights), len(times) + 1).cumsum()[:-1] for weights in (procs, since * procs)
    )
    return (times - times[0]) * begun - seconds


def load_by_period(edges, start, run, procs, machine):
    """Load of the periods between successive `edges`: processor-seconds executed / (machine x length)."""
    return np.diff(work_until(edges, start, run, procs)) / (machine * np.diff(edges))


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
