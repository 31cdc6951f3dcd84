"""EASY backfilling (MF section 2.2), with the users' estimates or with adjusted ones (Tang section 5)."""

import numpy as np

from ..compiled import compiled
from .adjusting import adjust, estimates_in_use, put_off, remember
from .arrivals import NEVER, arrivals_of, arrive, next_arrival, submit_followers
from .parts import uncounted
from .queue import (
    empty_queue,
    end_pass,
    first_waiting,
    join,
    next_to_backfill,
    not_considered,
    refuse,
    sort_by_priority,
    take,
    waiting,
)
from .running import end_job, idle, next_end, start_job


@uncounted
def shadow_time(head_size, free, now, running, count, expected_end, size):
    """When the head of the queue can start at the latest, and what it will leave free (MF 2.2, step 1).

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
def easy(submit, run, estimate, size, machine, preceding, think, watch, reuse_extra, prioritised, priority, adjusting):
    """Start times under EASY backfilling.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of recorded submit times; seconds and
        processors. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    watch : int64 array, [0] is set to how many jobs have started; when [1] is not 0, the kernel returns what it has
    reuse_extra : bool, whether several backfilled jobs may use the same extra processors
    prioritised : bool, whether the queue is sorted by `priority` before each pass, or kept in order of arrival
    priority : compiled function of (wait, estimate, size) -> float64
    adjusting : Adjusting, or None to go by the estimates as they are, which is compiled separately and costs nothing

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job passed a waiting head
    first_shadow : int64 array, the job's shadow time when it first waited at the head; -1 where it never did
    t_sched : int64 array, the adjusted estimates in seconds; without adjustment the users'
    """
    n = submit.size
    arrivals, running, queue = arrivals_of(submit, preceding, think), idle(machine, n), empty_queue(size)
    estimates = estimates_in_use(estimate, adjusting)
    backfilled, first_shadow = np.zeros(n, np.bool_), np.full(n, -1)
    shadow, extra = np.int64(0), np.int64(0)

    while watch[1] == 0:
        now = min(next_arrival(arrivals), next_end(running.by_end))
        if now == NEVER:
            break
        watch[0] = arrivals.arrived[0] - waiting(queue)

        while next_end(running.by_end) <= now:  # 1. jobs leave
            job = end_job(running, size)
            submit_followers(arrivals, job, now)
            remember(adjusting, job, now)
            queue.considered[0] = 0
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            job = arrive(arrivals)
            adjust(adjusting, estimates, job, now)
            join(queue, job, size, estimates.backfill)

        put_off(adjusting, running, estimates.running, now)  # 3. one scheduling pass
        if prioritised:
            place = sort_by_priority(queue, arrivals, now, estimates.queue, size, priority)
            if place < queue.end[0]:
                refuse(queue.jobs[place], now, submit, estimates.queue, size)
        head = first_waiting(queue, queue.first[0])
        while head < queue.end[0] and size[queue.jobs[head]] <= running.free[0]:
            start_job(running, queue.jobs[head], now, size, run, estimates.running)
            take(queue, head)
            head = first_waiting(queue, head + 1)
        queue.first[0] = head
        if head < queue.end[0]:
            job, expected, needed = queue.jobs[head], running.by_expected_end, estimates.backfill
            shadow, extra = shadow_time(
                size[job], running.free[0], now, expected.jobs, expected.count[0], expected.time, size
            )
            if first_shadow[job] < 0:
                first_shadow[job] = shadow
            place = not_considered(queue, head, shadow, extra)
            place = next_to_backfill(queue, place, running.free[0], shadow, extra, now, size, needed)
            while place < queue.end[0]:
                job = queue.jobs[place]
                if now + needed[job] > shadow and not reuse_extra:
                    extra -= size[job]
                backfilled[job] = True
                start_job(running, job, now, size, run, estimates.running)
                take(queue, place)
                place = next_to_backfill(queue, place + 1, running.free[0], shadow, extra, now, size, needed)
        end_pass(queue, shadow, extra, size, estimates.backfill, not prioritised)
    return running.start, backfilled, first_shadow, estimates.t_sched
