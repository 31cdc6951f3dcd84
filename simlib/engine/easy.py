"""EASY backfilling (MF section 2.2)."""

import numpy as np
from numba import njit

from .running import insert, remove, sort_by_priority


@njit(cache=True)
def shadow_time(head_size, free, now, running, count, expected_end, size):
    """When the head of the queue can start at the latest, and what it will leave free (MF 2.2, step 1).

    Parameters
    ----------
    head_size, free, now : the head's processors; the free ones; seconds
    running : int64 array, the first `count` of which are the running jobs sorted by `expected_end`

    Returns
    -------
    shadow, extra : the shadow time in seconds, never before now; processors
    """
    available = free
    shadow = now
    for i in range(count):
        job = running[i]
        if available >= head_size and expected_end[job] > shadow:
            break
        available += size[job]
        shadow = max(shadow, expected_end[job])
    return shadow, available - head_size


@njit(cache=True, nogil=True)
def easy(submit, run, estimate, size, machine, reuse_extra, prioritised, priority):
    """Start times under EASY backfilling.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of arrival; seconds and processors
    machine : int, processors; no job is larger
    reuse_extra : bool, whether several backfilled jobs may use the same extra processors
    prioritised : bool, whether the queue is sorted by `priority` before each pass, or kept in order of arrival
    priority : compiled function of (wait, estimate, size) -> float64

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job passed a waiting head
    first_shadow : int64 array, the job's shadow time when it first waited at the head; -1 where it never did
    """
    n = submit.size
    start = np.zeros(n, np.int64)
    end = np.zeros(n, np.int64)
    expected_end = np.zeros(n, np.int64)
    backfilled = np.zeros(n, np.bool_)
    first_shadow = np.full(n, -1)
    queue = np.empty(n, np.int64)
    rank = np.empty(n, np.float64)
    by_end = np.empty(machine, np.int64)  # the running jobs, by end and by expected end
    by_expected_end = np.empty(machine, np.int64)
    queued, running, arrived = 0, 0, 0
    free = machine

    while arrived < n or queued > 0:
        if running > 0 and (arrived == n or end[by_end[0]] <= submit[arrived]):
            now = end[by_end[0]]
        else:
            now = submit[arrived]

        while running > 0 and end[by_end[0]] <= now:  # 1. jobs leave
            job = by_end[0]
            free += size[job]
            remove(by_end, running, job)
            running = remove(by_expected_end, running, job)
        while arrived < n and submit[arrived] <= now:  # 2. jobs join the queue
            queue[queued] = arrived
            queued += 1
            arrived += 1

        if prioritised:  # 3. one scheduling pass
            sort_by_priority(queue, queued, now, submit, estimate, size, priority, rank)
        blocked = False  # whether the head of the queue has to wait
        shadow, extra = now, 0
        waiting = 0
        for i in range(queued):
            job = queue[i]
            starts = size[job] <= free
            if starts and blocked:
                if now + estimate[job] > shadow:
                    starts = size[job] <= extra
                    if starts and not reuse_extra:
                        extra -= size[job]
                backfilled[job] = starts
            if starts:
                start[job] = now
                end[job] = now + run[job]
                expected_end[job] = now + estimate[job]
                free -= size[job]
                insert(by_end, running, job, end)
                running = insert(by_expected_end, running, job, expected_end)
            else:
                if not blocked:
                    blocked = True
                    shadow, extra = shadow_time(size[job], free, now, by_expected_end, running, expected_end, size)
                    if first_shadow[job] < 0:
                        first_shadow[job] = shadow
                queue[waiting] = job
                waiting += 1
        queued = waiting
    return start, backfilled, first_shadow
