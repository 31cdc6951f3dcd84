"""FCFS and EASY where jobs need GPUs besides processors: both have to be free.

The kernels are those of `easy`, but check GPUs wherever these check processors. EASY looks for candidates by their
processors, and then checks their GPUs.
"""

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
def _shadow_time_of_both(head, free, free_gpus, now, running, count, expected_end, size, gpus):
    """Find the latest start of the head, and the processors and GPUs that it will leave free then."""
    shadow = now
    for i in range(count - 1, -1, -1):
        job = running[i]
        if free >= size[head] and free_gpus >= gpus[head] and expected_end[job] > shadow:
            break
        free += size[job]
        free_gpus += gpus[job]
        shadow = max(shadow, expected_end[job])
    return shadow, free - size[head], free_gpus - gpus[head]


@compiled
def fcfs_with_gpus(submit, run, size, machine, preceding, think, progress_and_stop, gpus, machine_gpus):
    """Start times under FCFS where both resources have to be free; parameters as for `easy_with_gpus`."""
    n = submit.size
    start, started, free, free_gpus = np.zeros(n, np.int64), 0, machine, machine_gpus
    arrivals, by_end = arrivals_of(submit, preceding, think), no_ends(n, min(machine, n))

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(by_end))
        if now == NEVER:
            break
        progress_and_stop[0] = started

        while next_end(by_end) <= now:  # 1. jobs leave
            job = take_next(by_end)
            free += size[job]
            free_gpus += gpus[job]
            submit_followers(arrivals, job, now)
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            arrive(arrivals)
        while started < arrivals.arrived[0]:  # 3. one scheduling pass
            job = arrivals.order[started]
            if size[job] > free or gpus[job] > free_gpus:
                break
            started += 1
            start[job] = now
            free -= size[job]
            free_gpus -= gpus[job]
            insert(by_end, job, now + run[job])
    return start


@compiled
def easy_with_gpus(
    submit, run, estimate, size, machine, preceding, think, progress_and_stop, gpus, machine_gpus, reuse_extra
):
    """Start times under EASY backfilling where both resources have to be free.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop, reuse_extra
        As for `easy`; with it extra GPUs are reused, too.
    gpus : int64 array, the GPUs that each job needs, 0 or more
    machine_gpus : int, GPUs; no job needs more

    Returns
    -------
    start, backfilled, first_shadow
        As from `easy`.
    """
    arrivals, running, queue = arrivals_of(submit, preceding, think), idle(machine, submit.size), empty_queue(size)
    expected, first_shadow, free_gpus = running.by_expected_end, np.full(submit.size, -1), machine_gpus
    shadow, extra = np.int64(0), np.int64(0)

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(running.by_end))
        if now == NEVER:
            break
        progress_and_stop[0] = arrivals.arrived[0] - waiting(queue)

        while next_end(running.by_end) <= now:  # 1. jobs leave
            job = end_job(running, size)
            free_gpus += gpus[job]
            submit_followers(arrivals, job, now)
            queue.considered[0] = 0
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            join(queue, arrive(arrivals), size, estimate)

        head = first_waiting(queue, queue.first[0])  # 3. one scheduling pass
        while head < queue.end[0]:
            job = queue.jobs[head]
            if size[job] > running.free[0] or gpus[job] > free_gpus:
                break
            start_job(running, job, now, size, run, estimate)
            free_gpus -= gpus[job]
            take(queue, head)
            head = first_waiting(queue, head + 1)
        queue.first[0] = head
        if head < queue.end[0]:
            job, free = queue.jobs[head], running.free[0]
            shadow, extra, extra_gpus = _shadow_time_of_both(
                job, free, free_gpus, now, expected.jobs, expected.count[0], expected.time, size, gpus
            )
            if first_shadow[job] < 0:
                first_shadow[job] = shadow
            place = not_considered(queue, head, shadow, extra)
            while True:
                place = next_to_backfill(queue, place, running.free[0], shadow, extra, now, size, estimate)
                if place == queue.end[0]:
                    break
                job = queue.jobs[place]
                late = now + estimate[job] > shadow
                if gpus[job] <= free_gpus and not (late and gpus[job] > extra_gpus):
                    if late and not reuse_extra:
                        extra -= size[job]
                        extra_gpus -= gpus[job]
                    running.backfilled[job] = True
                    start_job(running, job, now, size, run, estimate)
                    free_gpus -= gpus[job]
                    take(queue, place)
                place += 1
        end_pass(queue, shadow, extra, size, estimate)
    return running.start, running.backfilled, first_shadow
