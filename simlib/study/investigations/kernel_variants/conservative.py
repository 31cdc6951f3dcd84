"""Conservative backfilling as its text can also be read: the details that MF section 2.1 leaves open, as options."""

from typing import NamedTuple

import numpy as np

from ...._util.compiled import compiled
from ....engine.conservative import compress
from ....engine.profile import advance, all_free, anchor_point, give
from ....engine.running import (
    NEVER,
    arrivals_of,
    arrive,
    insert,
    next_arrival,
    next_end,
    no_ends,
    part,
    take_next,
    uncounted,
)

ARRIVAL, START, START_LATEST, END, LATEST, SHORTEST, LONGEST, NARROWEST, WIDEST = range(9)


class ConservativeReading(NamedTuple):
    """How the text is read; the defaults are how the engine does."""

    order: int = ARRIVAL
    repeat: bool = False
    each: bool = False
    arrivals_first: bool = False


TEXT = ConservativeReading()


class Queue(NamedTuple):
    """The jobs that wait, and when."""

    jobs: np.ndarray
    count: np.ndarray
    start: np.ndarray
    guarantee: np.ndarray


@part
def next_start(queue):
    """Tell when the next job is to start; `NEVER` where none waits."""
    time = NEVER
    for i in range(queue.count[0]):
        time = min(time, queue.start[queue.jobs[i]])
    return time


@uncounted
def arrivals_join(arrivals, queue, profile, now, estimate, size):
    """Reserve the earliest start for each job that has arrived by now."""
    while next_arrival(arrivals) <= now:
        job = arrive(arrivals)
        k = anchor_point(profile, profile.first[0], size[job], estimate[job], NEVER, NEVER)
        time = profile.times[k]
        give(profile, k, time, time + estimate[job], -size[job])
        queue.start[job] = queue.guarantee[job] = time
        queue.jobs[queue.count[0]] = job
        queue.count[0] += 1


@uncounted
def jobs_leave(by_end, queue, profile, now, estimate, size, horizon, reading):
    """End the jobs whose end has come, and compress the schedule after each or all. Returns the new horizon."""
    early = False
    while next_end(by_end) <= now:
        job = take_next(by_end)
        expected = queue.start[job] + estimate[job]
        if expected > now:
            give(profile, profile.first[0], now, expected, size[job])
            horizon = max(horizon, expected)
            early = True
        if early and (reading.each or next_end(by_end) > now):
            horizon = compress_as_read(profile, queue, estimate, size, horizon, reading)
            early = False
    return horizon


@uncounted
def compress_as_read(profile, queue, estimate, size, horizon, reading):
    """Compress the schedule in the order of the reading, once or until nothing moves. Returns what `compress` does."""
    again = True
    while again:
        sort_to_compress(queue.jobs, queue.count[0], reading.order, queue.start, estimate, size)
        horizon = compress(profile, queue.jobs[: queue.count[0]], queue.start, estimate, size, horizon)
        again = reading.repeat and horizon > -NEVER
    return horizon


@uncounted
def sort_to_compress(queue, queued, order, start, estimate, size):
    """Sort `queue[:queued]` into the order of compression."""
    for i in range(queued):
        job, j = queue[i], i
        while j > 0 and turn(job, order, start, estimate, size) < turn(queue[j - 1], order, start, estimate, size):
            queue[j] = queue[j - 1]
            j -= 1
        queue[j] = job


@uncounted
def turn(job, order, start, estimate, size):
    """Tell by which two numbers a job is sorted, the least first; the second is its own, which is that of arrival."""
    value, number = np.int64(0), np.int64(job)
    if order == START or order == START_LATEST:
        value = start[job]
    elif order == END:
        value = start[job] + estimate[job]
    elif order == SHORTEST or order == LONGEST:
        value = estimate[job]
    elif order == NARROWEST or order == WIDEST:
        value = size[job]
    latest_first, most_first = order == LATEST or order == START_LATEST, order == LONGEST or order == WIDEST
    return -value if most_first else value, -number if latest_first else number


@uncounted
def start_due(by_end, queue, now, run):
    """Start the jobs whose reserved time has come."""
    waiting = 0
    for i in range(queue.count[0]):
        job = queue.jobs[i]
        if queue.start[job] == now:
            insert(by_end, job, now + run[job])
        else:
            queue.jobs[waiting] = job
            waiting += 1
    queue.count[0] = waiting


@compiled
def conservative_reading(submit, run, estimate, size, machine, reading):
    """Start times under conservative backfilling as the text is read."""
    n, nobody = submit.size, np.empty(0, np.int64)  # nobody follows another
    arrivals, by_end, profile = arrivals_of(submit, nobody, nobody), no_ends(n, n), all_free(machine, n)
    queue = Queue(np.empty(n, np.uint64), np.zeros(1, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64))
    horizon = -NEVER

    while True:
        now = min(next_arrival(arrivals), next_end(by_end), next_start(queue))
        if now == NEVER:
            break
        advance(profile, now)
        if reading.arrivals_first:
            arrivals_join(arrivals, queue, profile, now, estimate, size)
        horizon = jobs_leave(by_end, queue, profile, now, estimate, size, horizon, reading)
        arrivals_join(arrivals, queue, profile, now, estimate, size)
        start_due(by_end, queue, now, run)
    return queue.start, queue.guarantee
