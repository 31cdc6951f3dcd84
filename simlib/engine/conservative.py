"""Conservative backfilling (MF section 2.1)."""

import numpy as np
from numba import njit

from .profile import advance, anchor_point, give
from .running import insert, remove

NEVER = np.int64(2) ** 62

BY_ARRIVAL, BY_START, NO_COMPRESSION, REBACKFILL = range(4)  # what is done when a job ends before it was expected to


@njit(cache=True)
def sort_by_start(queue, queued, start):
    """Sort `queue[:queued]` by reserved start, ties by arrival."""
    for i in range(queued):
        job = queue[i]
        j = i
        while j > 0 and (
            start[queue[j - 1]] > start[job] or (start[queue[j - 1]] == start[job] and queue[j - 1] > job)
        ):
            queue[j] = queue[j - 1]
            j -= 1
        queue[j] = job


@njit(cache=True)
def compress(times, free, steps, queue, queued, start, estimate, size):
    """Move each queued job in turn to the earliest time at which it fits; no job moves back (MF 2.1)."""
    for i in range(queued):
        job = queue[i]
        anchor = anchor_point(times, free, steps, size[job], estimate[job], start[job])
        if anchor < start[job]:
            steps = give(times, free, steps, start[job], start[job] + estimate[job], size[job])
            steps = give(times, free, steps, anchor, anchor + estimate[job], -size[job])
            start[job] = anchor
    return steps


@njit(cache=True)
def rebackfill(times, free, steps, queue, queued, start, estimate, size):
    """Forget all reservations and make them anew in the order of the queue: what MF 2.1 warns of (figure 2)."""
    for i in range(queued):
        job = queue[i]
        steps = give(times, free, steps, start[job], start[job] + estimate[job], size[job])
    for i in range(queued):
        job = queue[i]
        start[job] = anchor_point(times, free, steps, size[job], estimate[job], NEVER)
        steps = give(times, free, steps, start[job], start[job] + estimate[job], -size[job])
    return steps


@njit(cache=True, nogil=True)
def conservative(submit, run, estimate, size, machine, when_early):
    """Start times under conservative backfilling.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of arrival; seconds and processors.
        No estimate is below the run time.
    machine : int, processors; no job is larger
    when_early : int, what is done when a job ends before it was expected to: BY_ARRIVAL and BY_START compress the
        schedule in order of arrival, or of reserved start (ties by arrival); NO_COMPRESSION; REBACKFILL

    Returns
    -------
    start, guarantee : int64 arrays, seconds; the guarantee is the start that was reserved on arrival
    backfilled : bool array, whether the job started while one that had arrived earlier was left waiting
    """
    n = submit.size
    start = np.zeros(n, np.int64)  # reserved, and in the end real
    guarantee = np.zeros(n, np.int64)
    backfilled = np.zeros(n, np.bool_)
    end = np.zeros(n, np.int64)
    queue = np.empty(n, np.int64)
    running = np.empty(n, np.int64)  # by end
    queued, count, arrived = 0, 0, 0
    times = np.empty(2 * n + 3, np.int64)
    free = np.empty(2 * n + 3, np.int64)
    free[0], steps = machine, 1

    while arrived < n or queued > 0:
        now = submit[arrived] if arrived < n else NEVER
        if count > 0:
            now = min(now, end[running[0]])
        for i in range(queued):
            now = min(now, start[queue[i]])
        steps = advance(times, free, steps, now)

        early = False  # 1. jobs leave
        while count > 0 and end[running[0]] <= now:
            job = running[0]
            count = remove(running, count, job)
            if start[job] + estimate[job] > now:
                steps = give(times, free, steps, now, start[job] + estimate[job], size[job])
                early = True
        if early and when_early == REBACKFILL:
            steps = rebackfill(times, free, steps, queue, queued, start, estimate, size)
        elif early and when_early != NO_COMPRESSION:
            if when_early == BY_START:
                sort_by_start(queue, queued, start)
            steps = compress(times, free, steps, queue, queued, start, estimate, size)
        while arrived < n and submit[arrived] <= now:  # 2. jobs join the queue
            job = arrived
            start[job] = anchor_point(times, free, steps, size[job], estimate[job], NEVER)
            guarantee[job] = start[job]
            steps = give(times, free, steps, start[job], start[job] + estimate[job], -size[job])
            queue[queued] = job
            queued += 1
            arrived += 1

        oldest = n  # the first in order of arrival that is left waiting
        for i in range(queued):
            if start[queue[i]] > now:
                oldest = min(oldest, queue[i])
        waiting = 0
        for i in range(queued):
            job = queue[i]
            if start[job] == now:
                backfilled[job] = job > oldest
                end[job] = now + run[job]
                count = insert(running, count, job, end)
            else:
                queue[waiting] = job
                waiting += 1
        queued = waiting
    return start, guarantee, backfilled
