"""Measure a schedule (MF section 3.1), and place its jobs on processors: arrays in and out; times are seconds."""

from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._util import checks
from .._util.arrays import Bools, Floats, Ints
from .._util.compiled import compiled

THRESHOLD = 10
"""Seconds that shorter run times count as in the bounded slowdown."""

ALL = 0
"""Stands for the jobs of all sizes where a size class is meant."""

_NEVER = np.iinfo(np.int64).min
"""Stands for no second at all."""


def response(wait: Ints, run: Ints) -> Ints:
    """Measure the time from submission to end."""
    return wait + run


def slowdown(wait: ArrayLike, run: ArrayLike) -> Floats:
    """Divide response time by run time; for a job of length zero infinite if it waited, else 1.

    Examples
    --------
    >>> slowdown([0, 60, 60], [60, 60, 0]).tolist()
    [1.0, 2.0, inf]
    """
    wait, run = (one.astype(float) for one in checks.side_by_side("slowdown", wait=wait, run=run))
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
    checks.check("bounded_slowdown", "threshold", threshold, checks.number("a positive number of seconds", above=0))
    checks.check("bounded_slowdown", "floor", floor, checks.or_none(checks.number("a number")))
    wait, run = checks.side_by_side("bounded_slowdown", wait=wait, run=run)
    ratio = cast(Floats, (wait.astype(float) + run) / np.maximum(run, float(threshold)))
    return ratio if floor is None else np.maximum(ratio, float(floor))


def totals(edges: Ints, submit: Ints, start: Ints, run: Ints, procs: Ints, backfilled: Bools, floor: float) -> Floats:
    """Add up the jobs of each period, and of all, in one pass over them and without an array for each measure.

    `edges` are the limits of the periods in rising order; the first period is before all of them, the last one after. A
    row of the result is a period, the last one all. The columns are, of the jobs that end in the period: their number,
    the sums of their waits, response times and bounded slowdowns, and how many were backfilled; then the
    processor-seconds executed in the period. Sums of whole numbers are exact up to 2^53.
    """
    sums = np.zeros((edges.size + 2, 6))
    _add_up(sums, edges, submit, start, run, procs, backfilled, floor)
    sums[-1] = sums[:-1].sum(axis=0)
    return sums


@compiled(_nrt=False)  # with arrays made inside, or sums of them, it takes ten times as long to compile
def _add_up(
    sums: Floats, edges: Ints, submit: Ints, start: Ints, run: Ints, procs: Ints, backfilled: Bools, floor: float
) -> None:
    """Add each job to the row of its period."""
    period = 0  # of a job's end; seldom another than that of the job before
    for i in range(start.size):
        end = start[i] + run[i]
        while period < edges.size and edges[period] <= end:
            period += 1
        while period > 0 and edges[period - 1] > end:
            period -= 1
        response = end - submit[i]
        sums[period, 0] += 1
        sums[period, 1] += start[i] - submit[i]
        sums[period, 2] += response
        sums[period, 3] += max(response / max(run[i], THRESHOLD), floor)  # see `bounded_slowdown`
        sums[period, 4] += backfilled[i]
        during = period  # back from the end to the start
        while during > 0 and edges[during - 1] > start[i]:
            sums[during, 5] += float(procs[i]) * (end - edges[during - 1])  # as whole numbers it may overflow
            end = edges[during - 1]
            during -= 1
        sums[during, 5] += float(procs[i]) * (end - start[i])


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
    checks.check("utilization", "machine", machine, checks.number("a positive number of processors", above=0))
    columns = checks.side_by_side("utilization", start=start, end=end, procs=procs)
    start, end, procs = (checks.whole_numbers("utilization", column) for column in columns)
    times, which = np.unique(np.concatenate([start, end]), return_inverse=True)
    change = np.bincount(which, weights=np.concatenate([procs, -procs]))
    return times, np.cumsum(change) / machine


def offered_load(submit: Ints, run: Ints, procs: Ints, machine: int) -> float:
    """Divide the processor-seconds of all jobs by those of the machine from the first submit to the last."""
    span = int(submit[-1]) - int(submit[0]) if len(submit) else 0
    most = len(run) * int(run.max(initial=0)) * int(procs.max(initial=0))
    work = int(run.astype(float) @ procs.astype(float)) if most >= 2**62 else 0
    if work < 2**62:  # of absurd logs the last digits do not matter, but it must not overflow
        work = int((run * procs).sum())
    return work / (machine * span) if span else float("nan")


# Divide jobs by size.


def size_class(procs: ArrayLike) -> Ints:
    """Find the size class of each job, by its upper end: 1, 2, 4 (sizes 3 and 4), 8 (5 to 8), and so on."""
    upper = 2 ** np.arange(63)
    return upper[np.searchsorted(upper, checks.whole_numbers("size_class", procs, most=2**62))]


def class_name(upper: int) -> str:
    """Write a size class for readers."""
    return "all" if upper == ALL else str(upper) if upper <= 2 else f"{upper // 2 + 1}-{upper}"


# Say which processors each job may have had: a simulation says only how many.


def most_at_once(start: ArrayLike, end: ArrayLike, procs: ArrayLike) -> int:
    """Find the largest number of processors that jobs use at once."""
    columns = checks.side_by_side("most_at_once", start=start, end=end, procs=procs)
    start, end, procs = (checks.whole_numbers("most_at_once", column) for column in columns)
    return int(in_use(start, end, procs)[1].max(initial=0))


def in_use(start: Ints, end: Ints, procs: Ints) -> tuple[Ints, Ints, Ints]:
    """Find the times at which jobs end and start, what is in use from each on, and the job's place in the arrays.

    At the same second ends come first: a job can take another one's processors.
    """
    times = np.concatenate([end, start])
    in_turn = np.argsort(times, kind="stable")
    return times[in_turn], np.cumsum(np.concatenate([-procs, procs])[in_turn]), in_turn % max(len(start), 1)


def pieces_by_job(jobs: pd.DataFrame, rows: int) -> list[list[tuple[int, int]]]:
    """Give each job of a table the lowest free processors of `rows`: (first, count); fewer if it does not fit."""
    in_turn = np.argsort(jobs.start.to_numpy(), kind="stable")
    in_turn = in_turn[jobs.run.to_numpy()[in_turn] > 0]
    start, end, procs = (jobs[name].to_numpy(np.int64)[in_turn] for name in ("start", "end", "procs"))
    of_job: list[list[tuple[int, int]]] = [[] for _ in range(len(jobs))]
    for job, first, count in pieces(start, end, procs, rows).tolist():
        of_job[in_turn[job]].append((first, count))
    return of_job


@compiled
def pieces(start: Ints, end: Ints, procs: Ints, rows: int) -> Ints:
    """Give each job the lowest free processors, in one piece or several."""
    # the machine is kept as segments of neighbours that are taken until the same second
    most = min(rows, start.size) + 2  # for each job splits one of them at most
    top, until, segments = np.full(most, rows), np.full(most, _NEVER), 1
    new_top, new_until = top.copy(), until.copy()
    placed, count = np.empty((64, 3), np.int64), 0
    for job in range(start.size):
        needed, low, new_segments = procs[job], 0, 0
        for segment in range(segments):
            busy = until[segment] if until[segment] > start[job] else _NEVER
            taken = min(needed, top[segment] - low) if busy == _NEVER else 0
            if taken > 0:
                if count == len(placed):
                    placed = np.concatenate((placed, np.empty_like(placed)))
                if count and placed[count - 1, 0] == job and placed[count - 1, 1] + placed[count - 1, 2] == low:
                    placed[count - 1, 2] += taken
                else:
                    placed[count] = job, low, taken
                    count += 1
                needed -= taken
            for high, second in ((low + taken, end[job]), (top[segment], busy)):
                if high > low:
                    new_segments += new_segments == 0 or new_until[new_segments - 1] != second
                    new_top[new_segments - 1], new_until[new_segments - 1] = high, second
                    low = high
        top, new_top, until, new_until, segments = new_top, top, new_until, until, new_segments
    return placed[:count]
