"""FCFS, EASY and conservative backfilling where jobs need GPUs besides processors: both have to be free.

The kernels are those of `easy` and `conservative`, but check GPUs wherever these check processors. EASY looks for
candidates by their processors, and then checks their GPUs. Conservative backfilling has a profile of each resource, and
searches both in turn for a gap.
"""

import numpy as np

from .._util.compiled import compiled
from .conservative import (
    BY_START,
    anybody_waits,
    drop_started,
    merge,
    next_start,
    no_reservations,
    passed_another,
    reserve,
    sort_by_start,
    take_due,
)
from .profile import advance, all_free, anchor_point, first_gap, forget, give, no_searches
from .queue import empty_queue, end_pass, first_waiting, join, next_to_backfill, not_considered, take, waiting
from .running import (
    NEVER,
    ONE,
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


@uncounted
def _gap(profile, k, time, size, duration, reserved, horizon):
    """Find the first second from `time` on at which a gap begins in one profile; `time` is not before step k.

    `reserved` and `horizon` are those of `anchor_point`. Returns the step in which the second lies, and the second.
    """
    times, free = profile.times, profile.free
    while times[k + ONE] <= time:
        k += ONE
    if time >= min(reserved, horizon):
        return k, time
    if free[k] >= size:  # then the gap may begin within the step
        end = min(time + duration, reserved)
        step = k
        while times[step] < end and free[step] >= size:
            step += ONE
        if times[step] >= end:
            return k, time
        k = step
    k = anchor_point(profile, k, size, duration, reserved, horizon)
    return k, times[k]


@uncounted
def _gap_in_both(by_procs, by_gpus, k, k_gpus, time, size, gpus, duration, reserved, horizon):
    """Find the first second from `time` on at which a gap begins in both profiles.

    Returns the steps of both profiles in which the second lies, and the second.
    """
    while True:
        k, time = _gap(by_procs, k, time, size, duration, reserved, horizon)
        if gpus == 0 or time >= min(reserved, horizon):
            return k, k_gpus, time
        k_gpus, later = _gap(by_gpus, k_gpus, time, gpus, duration, reserved, horizon)
        if later == time:
            return k, k_gpus, time
        time = later


@uncounted
def _step_back(profile, k, time):
    """Find the last step, from k back, that begins at or before `time`; steps may have been shifted."""
    while k > profile.first[0] and profile.times[k] > time:
        k -= ONE
    return k


@uncounted
def _move(profile, k, reserved, anchor, duration, amount):
    """Move a reservation to an earlier second; where the old and the new one overlap, the profile does not change."""
    end = anchor + duration
    k = give(profile, k, anchor, min(end, reserved), -amount)
    give(profile, k, max(end, reserved), reserved + duration, amount)


@uncounted
def _compress_both(by_procs, by_gpus, jobs, start, estimate, size, gpus, horizon):
    """Move each job in turn to the earliest time at which it fits both profiles: see `conservative.compress`."""
    given_back = -NEVER
    now = by_procs.times[by_procs.first[0]]
    k, k_gpus, time = by_procs.first[0], by_gpus.first[0], now  # where the search for the job before ended
    size_before, gpus_before, estimate_before, start_before = NEVER, NEVER, NEVER, NEVER
    for job in jobs:
        reserved = start[job]
        no_sooner = (size[job] >= size_before) & (gpus[job] >= gpus_before)
        no_sooner &= (estimate[job] >= estimate_before) & (reserved >= start_before)
        if not no_sooner:
            k, k_gpus, time = by_procs.first[0], by_gpus.first[0], now
        k, k_gpus, time = _gap_in_both(
            by_procs, by_gpus, k, k_gpus, time, size[job], gpus[job], estimate[job], reserved, horizon
        )
        size_before, gpus_before, estimate_before, start_before = size[job], gpus[job], estimate[job], reserved
        if time < min(reserved, horizon):
            given_back = max(given_back, reserved + estimate[job])
            horizon = max(horizon, given_back)
            _move(by_procs, k, reserved, time, estimate[job], size[job])
            k = _step_back(by_procs, k, time)
            if gpus[job] > 0:
                _move(by_gpus, k_gpus, reserved, time, estimate[job], gpus[job])
                k_gpus = _step_back(by_gpus, k_gpus, time)
            start[job] = start_before = time
    return given_back


@compiled
def conservative_with_gpus(
    submit, run, estimate, size, machine, preceding, think, progress_and_stop, gpus, machine_gpus, when_early
):
    """Start times under conservative backfilling where both resources have to be free.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop
        As for `conservative`.
    gpus, machine_gpus
        As for `easy_with_gpus`.
    when_early : int, BY_ARRIVAL or BY_START

    Returns
    -------
    start, guarantee, backfilled
        As from `conservative`.
    """
    n = submit.size
    arrivals, by_end = arrivals_of(submit, preceding, think), no_ends(n, n)
    by_procs, by_gpus, reserved = all_free(machine, n), all_free(machine_gpus, n), no_reservations(arrivals.number)
    searches = no_searches(machine, estimate.max() if n > 0 else 0)
    start, guarantee, backfilled = reserved.start, np.zeros(n, np.int64), np.zeros(n, np.bool_)
    starting = np.empty(n, np.uint64)
    horizon = -NEVER  # until when either has been given back since the queued jobs were looked at last

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(by_end), next_start(reserved))
        if now == NEVER:
            break
        advance(by_procs, now)
        advance(by_gpus, now)

        early = False  # 1. jobs leave
        while next_end(by_end) <= now:
            job = take_next(by_end)
            expected = start[job] + estimate[job]
            if expected > now:
                give(by_procs, by_procs.first[0], now, expected, size[job])
                if gpus[job] > 0:
                    give(by_gpus, by_gpus.first[0], now, expected, gpus[job])
                horizon = max(horizon, expected)
                early = True
            submit_followers(arrivals, job, now)
        if early:
            forget(searches)
            if anybody_waits(reserved):
                merge(reserved)
                jobs = reserved.by_start[reserved.first[0] : reserved.last[0]]
                if when_early != BY_START:
                    jobs = reserved.by_arrival[: drop_started(reserved)]
                horizon = _compress_both(by_procs, by_gpus, jobs, start, estimate, size, gpus, horizon)
                if horizon > -NEVER:
                    sort_by_start(reserved)

        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            job = arrive(arrivals)
            k = first_gap(searches, by_procs, size[job], estimate[job])
            k, k_gpus, time = _gap_in_both(
                by_procs,
                by_gpus,
                k,
                by_gpus.first[0],
                by_procs.times[k],
                size[job],
                gpus[job],
                estimate[job],
                NEVER,
                NEVER,
            )
            guarantee[job] = time
            give(by_procs, k, time, time + estimate[job], -size[job])
            if gpus[job] > 0:
                give(by_gpus, k_gpus, time, time + estimate[job], -gpus[job])
            reserve(reserved, job, time)

        count = take_due(reserved, now, starting)  # 3. those start whose time has come
        for i in range(count):
            job = starting[i]
            backfilled[job] = passed_another(reserved, job)
            insert(by_end, job, now + run[job])
        progress_and_stop[0] += count
    return start, guarantee, backfilled
