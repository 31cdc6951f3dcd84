"""Conservative backfilling as its text can also be read: the details that MF section 2.1 leaves open, as options.

Like `easy_readings` this is for one purpose, to find out which program the authors of MF ran
(`simlib.papers.mualem2001.detective`), and it is kept apart from `conservative`, which stays as readable as the text;
with `TEXT` it gives the same schedules.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .arrivals import NEVER
from .conservative import compress
from .profile import advance, anchor_point, give, tidy
from .running import insert

ARRIVAL, START, START_LATEST, END, LATEST, SHORTEST, LONGEST, NARROWEST, WIDEST = range(9)


class ConservativeReading(NamedTuple):
    """How the text is read; the defaults are how the engine does.

    Attributes
    ----------
    order : int
        In which order the schedule is compressed: ARRIVAL; START, the reserved one, with ties by arrival, or with ties
        latest first (START_LATEST), as of a list into which each job is put before those of equal start; END, the
        expected one; LATEST arrival first; SHORTEST or LONGEST estimate first; NARROWEST or WIDEST first.
    repeat : bool
        Whether it is compressed until nothing moves.
    each : bool
        Whether it is compressed for each of several jobs that end early at one instant, or once for all.
    arrivals_first : bool
        Whether jobs that arrive when others end get their reservations before the schedule is compressed.
    """

    order: int = ARRIVAL
    repeat: bool = False
    each: bool = False
    arrivals_first: bool = False


TEXT = ConservativeReading()


@compiled
def sort_to_compress(queue, queued, order, start, estimate, size):
    """Sort `queue[:queued]` into the order of compression; ties by arrival, which is the order of the numbers."""
    for i in range(queued):
        job = queue[i]
        j = i
        while j > 0 and comes_before(job, queue[j - 1], order, start, estimate, size):
            queue[j] = queue[j - 1]
            j -= 1
        queue[j] = job


@compiled
def comes_before(job, other, order, start, estimate, size):
    if order == LATEST:
        return job > other
    if order == START or order == START_LATEST:
        one, two = start[job], start[other]
    elif order == END:
        one, two = start[job] + estimate[job], start[other] + estimate[other]
    elif order == SHORTEST or order == LONGEST:
        one, two = estimate[job], estimate[other]
    elif order == NARROWEST or order == WIDEST:
        one, two = size[job], size[other]
    else:
        one, two = job, other
    if one == two:
        return (job > other) == (order == START_LATEST)
    return (one < two) != (order == LONGEST or order == WIDEST)


@compiled
def compress_as_read(times, free, first, last, queue, queued, start, estimate, size, horizon, reading):
    """Compress the schedule in the order of the reading, once or until nothing moves. Returns what `compress` does."""
    again = True
    while again:
        sort_to_compress(queue, queued, reading.order, start, estimate, size)
        last, horizon = compress(times, free, first, last, queue[:queued], start, estimate, size, horizon)
        again = reading.repeat and horizon > -NEVER
    return last, horizon


@compiled
def conservative_reading(submit, run, estimate, size, machine, reading):
    """Start times under conservative backfilling as the text is read.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of submit times; seconds and processors. No
        estimate is below the run time.
    machine : int, processors; no job is larger
    reading : ConservativeReading

    Returns
    -------
    start, guarantee : int64 arrays, seconds
    """
    n = submit.size
    start = np.zeros(n, np.int64)
    guarantee = np.zeros(n, np.int64)
    end = np.zeros(n, np.int64)
    queue = np.empty(n, np.uint64)
    running = np.empty(n, np.int64)
    arrived, queued, count = 0, 0, 0
    times = np.empty(12 * n + 64, np.int64)
    free = np.empty(12 * n + 64, np.int64)
    times[0], free[0], times[1] = 0, machine, NEVER
    first, last = np.uint64(0), np.uint64(1)
    horizon = -NEVER

    while arrived < n or queued > 0 or count > 0:
        now = submit[arrived] if arrived < n else NEVER
        if count > 0:
            now = min(now, end[running[count - 1]])
        for i in range(queued):
            now = min(now, start[queue[i]])
        first, last = np.uint64(0), tidy(times, free, advance(times, first, now), last)

        for arrivals in (reading.arrivals_first, not reading.arrivals_first):
            while arrivals and arrived < n and submit[arrived] <= now:
                job = arrived
                k = anchor_point(times, free, first, size[job], estimate[job], NEVER, NEVER)
                start[job] = guarantee[job] = times[k]
                k, last = give(times, free, first, last, k, start[job], start[job] + estimate[job], -size[job])
                queue[queued] = job
                queued += 1
                arrived += 1
            early = False
            while not arrivals and count > 0 and end[running[count - 1]] <= now:
                count -= 1
                job = running[count]
                if start[job] + estimate[job] > now:
                    k, last = give(times, free, first, last, first, now, start[job] + estimate[job], size[job])
                    horizon = max(horizon, start[job] + estimate[job])
                    early = True
                more = count > 0 and end[running[count - 1]] <= now
                if early and (reading.each or not more):
                    jobs = queue, queued, start, estimate, size
                    last, horizon = compress_as_read(times, free, first, last, *jobs, horizon, reading)
                    early = False

        waiting = 0
        for i in range(queued):
            job = queue[i]
            if start[job] == now:
                end[job] = now + run[job]
                count = insert(running, count, job, end)
            else:
                queue[waiting] = job
                waiting += 1
        queued = waiting
    return start, guarantee
