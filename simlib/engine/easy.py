"""EASY backfilling (MF section 2.2), and first come, first served, which it improves on (MF section 1)."""

import numpy as np

from .._util.compiled import compiled
from .queue import empty_queue, end_pass, first_waiting, join, next_to_backfill, not_considered, take, waiting
from .running import (
    NEVER,
    arrivals_of,
    arrive,
    end_job,
    idle,
    insert,
    next_arrival,
    next_end,
    no_ends,
    start_job,
    submit_followers,
    take_next,
    uncounted,
)


@uncounted
def shadow_time(head_size, free, now, running, count, expected_end, size):
    """Find the latest start of the head of the queue, and the processors that it will leave free (MF 2.2, step 1).

    Parameters
    ----------
    head_size, free, now : the head's processors; the free ones; seconds
    running : int64 array, the first `count` of which are the running jobs by `expected_end`, latest first

    Returns
    -------
    shadow, extra : the shadow time in seconds, never before now; processors
    """
    available = free
    shadow = now
    for i in range(count - 1, -1, -1):
        job = running[i]
        if available >= head_size and expected_end[job] > shadow:
            break
        available += size[job]
        shadow = max(shadow, expected_end[job])
    return shadow, available - head_size


@compiled
def easy(submit, run, estimate, size, machine, preceding, think, progress_and_stop, reuse_extra):
    """Start times under EASY backfilling.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of recorded submit times; seconds and
        processors. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    progress_and_stop : int64 array
        [0] is set to how many jobs have started; when [1] is not 0, the kernel returns what it has.
    reuse_extra : bool, whether several backfilled jobs may use the same extra processors

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job passed a waiting head
    first_shadow : int64 array, the job's shadow time when it first waited at the head; -1 where it never did
    """
    arrivals, running, queue = arrivals_of(submit, preceding, think), idle(machine, submit.size), empty_queue(size)
    expected, first_shadow = running.by_expected_end, np.full(submit.size, -1)
    shadow, extra = np.int64(0), np.int64(0)

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(running.by_end))
        if now == NEVER:
            break
        progress_and_stop[0] = arrivals.arrived[0] - waiting(queue)

        while next_end(running.by_end) <= now:  # 1. jobs leave
            job = end_job(running, size)
            submit_followers(arrivals, job, now)
            queue.considered[0] = 0
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            join(queue, arrive(arrivals), size, estimate)

        head = first_waiting(queue, queue.first[0])  # 3. one scheduling pass
        while head < queue.end[0] and size[queue.jobs[head]] <= running.free[0]:
            start_job(running, queue.jobs[head], now, size, run, estimate)
            take(queue, head)
            head = first_waiting(queue, head + 1)
        queue.first[0] = head
        if head < queue.end[0]:
            job, free = queue.jobs[head], running.free[0]
            shadow, extra = shadow_time(size[job], free, now, expected.jobs, expected.count[0], expected.time, size)
            if first_shadow[job] < 0:
                first_shadow[job] = shadow
            place = not_considered(queue, head, shadow, extra)
            while True:
                place = next_to_backfill(queue, place, running.free[0], shadow, extra, now, size, estimate)
                if place == queue.end[0]:
                    break
                job = queue.jobs[place]
                if now + estimate[job] > shadow and not reuse_extra:
                    extra -= size[job]
                running.backfilled[job] = True
                start_job(running, job, now, size, run, estimate)
                take(queue, place)
                place += 1
        end_pass(queue, shadow, extra, size, estimate)
    return running.start, running.backfilled, first_shadow


@compiled
def fcfs(submit, run, size, machine, preceding, think, progress_and_stop):
    """Start times under FCFS.

    Parameters
    ----------
    submit, run, size, machine, preceding, think, progress_and_stop
        As for `easy`.

    Returns
    -------
    start : int64 array, seconds
    """
    n = submit.size
    start = np.zeros(n, np.int64)
    arrivals, by_end = arrivals_of(submit, preceding, think), no_ends(n, min(machine, n))
    started = 0  # the queue is order[started:arrived]
    free = machine

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(by_end))
        if now == NEVER:
            break
        progress_and_stop[0] = started

        while next_end(by_end) <= now:  # 1. jobs leave
            job = take_next(by_end)
            free += size[job]
            submit_followers(arrivals, job, now)
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            arrive(arrivals)
        while started < arrivals.arrived[0] and size[arrivals.order[started]] <= free:  # 3. one scheduling pass
            job = arrivals.order[started]
            started += 1
            start[job] = now
            free -= size[job]
            insert(by_end, job, now + run[job])
    return start
