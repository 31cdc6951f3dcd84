"""Say which processors each job of a schedule may have had: a simulation says only how many."""

import numpy as np

from .._util.arrays import Ints
from .._util.compiled import compiled

FREE = np.iinfo(np.int64).min
"""Stands for no second at all."""


def most_at_once(start: Ints, end: Ints, procs: Ints) -> int:
    """Find how many processors jobs use at most at once."""
    times = np.concatenate([end, start])  # at the same second ends come first
    change = np.concatenate([-procs, procs])[np.argsort(times, kind="stable")]
    return int(np.cumsum(change).max(initial=0))


@compiled
def pieces(start: Ints, end: Ints, procs: Ints, rows: int) -> Ints:
    """Give each job the lowest free processors, in one piece or several."""
    # the machine is kept as segments of neighbours that are taken until the same second
    top, until, segments = np.full(rows + 1, rows), np.full(rows + 1, FREE), 1
    new_top, new_until = top.copy(), until.copy()
    found, count = np.empty((64, 3), np.int64), 0
    for job in range(start.size):
        needed, low, made = procs[job], 0, 0
        for segment in range(segments):
            busy = until[segment] if until[segment] > start[job] else FREE
            taken = min(needed, top[segment] - low) if busy == FREE else 0
            if taken > 0:
                if count == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                if count and found[count - 1, 0] == job and found[count - 1, 1] + found[count - 1, 2] == low:
                    found[count - 1, 2] += taken
                else:
                    found[count] = job, low, taken
                    count += 1
                needed -= taken
            for high, second in ((low + taken, end[job]), (top[segment], busy)):
                if high > low:
                    made += made == 0 or new_until[made - 1] != second
                    new_top[made - 1], new_until[made - 1] = high, second
                    low = high
        top, new_top, until, new_until, segments = new_top, top, new_until, until, made
    return found[:count]
