"""Conservative backfilling (MF section 2.1)."""

import numpy as np
from numba import njit

from .arrivals import NEVER, arrivals, submit_followers
from .profile import advance, anchor_point, give
from .running import insert

BY_ARRIVAL, BY_START, NO_COMPRESSION, REBACKFILL = range(4)  # what is done when a job ends before it was expected to


@njit(cache=True)
def sort_by_start(queue, queued, start, arrival):
    """Sort `queue[:queued]` by reserved start, ties by arrival."""
    for i in range(queued):
        job = queue[i]
        j = i
        while j > 0 and (
            start[queue[j - 1]] > start[job]
            or (start[queue[j - 1]] == start[job] and arrival[queue[j - 1]] > arrival[job])
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
def conservative(submit, run, estimate, size, machine, preceding, think, when_early):
    """Start times under conservative backfilling.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of recorded submit times; seconds and
        processors. No estimate is below the run time. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    when_early : int, what is done when a job ends before it was expected to: BY_ARRIVAL and BY_START compress the
        schedule in order of arrival, or of reserved start (ties by arrival); NO_COMPRESSION; REBACKFILL

    Returns
    -------
    start, guarantee : int64 arrays, seconds; the guarantee is the start that was reserved on arrival
    backfilled : bool array, whether the job started while one that had arrived earlier was left waiting
    """
    n = submit.size
    feedback = preceding.size > 0
    start = np.zeros(n, np.int64)  # reserved, and in the end real
    guarantee = np.zeros(n, np.int64)
    backfilled = np.zeros(n, np.bool_)
    end = np.zeros(n, np.int64)
    arrival = np.empty(n, np.int64)
    queue = np.empty(n, np.int64)
    running = np.empty(n, np.int64)  # by end, the next one last; jobs of no length take no room, so any number of them
    queued, count, arrived = 0, 0, 0
    order, at, first, others = arrivals(n, preceding)
    times = np.empty(2 * n + 3, np.int64)
    free = np.empty(2 * n + 3, np.int64)
    free[0], steps = machine, 1

    while at < n or queued > 0 or count > 0:
        now = submit[order[at]] if at < n else NEVER
        if count > 0:
            now = min(now, end[running[count - 1]])
        for i in range(queued):
            now = min(now, start[queue[i]])
        steps = advance(times, free, steps, now)

        early = False  # 1. jobs leave
        while count > 0 and end[running[count - 1]] <= now:
            count -= 1
            job = running[count]
            if start[job] + estimate[job] > now:
                steps = give(times, free, steps, now, start[job] + estimate[job], size[job])
                early = True
            if feedback:
                at = submit_followers(order, at, job, now, first, others, think, submit)
        if early and when_early == REBACKFILL:
            steps = rebackfill(times, free, steps, queue, queued, start, estimate, size)
        elif early and when_early != NO_COMPRESSION:
            if when_early == BY_START:
                sort_by_start(queue, queued, start, arrival)
            steps = compress(times, free, steps, queue, queued, start, estimate, size)
        while at < n and submit[order[at]] <= now:  # 2. jobs join the queue
            job = order[at]
            start[job] = anchor_point(times, free, steps, size[job], estimate[job], NEVER)
            guarantee[job] = start[job]
            steps = give(times, free, steps, start[job], start[job] + estimate[job], -size[job])
            queue[queued] = job
            arrival[job] = arrived
            queued += 1
            arrived += 1
            at += 1

        oldest = n  # the first in order of arrival that is left waiting
        for i in range(queued):
            if start[queue[i]] > now:
                oldest = min(oldest, arrival[queue[i]])
        waiting = 0
        for i in range(queued):
            job = queue[i]
            if start[job] == now:
                backfilled[job] = arrival[job] > oldest
                end[job] = now + run[job]
                count = insert(running, count, job, end)
            else:
                queue[waiting] = job
                waiting += 1
        queued = waiting
    return start, guarantee, backfilled
