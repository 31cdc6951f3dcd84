"""Conservative backfilling where jobs need GPUs besides processors: both have to be free.

The kernel is that of `conservative`, but has a profile of each resource, and searches both in turn for a gap.
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
from .running import (
    NEVER,
    ONE,
    arrivals_of,
    arrive,
    insert,
    next_arrival,
    next_end,
    no_ends,
    submit_followers,
    take_next,
    uncounted,
)


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
        As for `easy`.
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
