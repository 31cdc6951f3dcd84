"""Backfilling that plans the start of some of the waiting jobs: between EASY and conservative backfilling.

With reservations for some, a job that has one keeps it, and can only move forward, as under conservative backfilling.
Any other job may start when it fits until its expected end without touching a reservation.

Slurm's backfill scheduler makes a plan for the first jobs of the queue in each of its cycles, and then forgets it.
"""

import numpy as np

from .._util.compiled import compiled
from .conservative import compress
from .profile import advance, all_free, anchor_point, give
from .ranking import note_end, note_start, rank, refuse
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
    part,
    start_job,
    submit_followers,
    take_next,
    uncounted,
)

ADAPTIVE = -1.0
"""The threshold that is the mean slowdown of the jobs that have ended."""

_SHORTEST = 10
"""Seconds: a shorter job is as slow as one of this length, as for bounded slowdown."""


@uncounted
def sort_waiting(queue, count, priorities, arrivals, now, free, estimate, size, priority, facts):
    """Sort waiting jobs by falling priority, ties by arrival. Returns the place of a job without a number, or `count`.

    Insertion sort: between two passes the order hardly changes.
    """
    for i in range(count):
        job = queue[i]
        own = rank(priority, facts, job, now, arrivals.submit, estimate, size, free, 0, 0)
        if np.isnan(own):
            return i
        priorities[job] = own
        j = i
        while j > 0 and (
            priorities[queue[j - 1]] < own
            or (priorities[queue[j - 1]] == own and arrivals.number[queue[j - 1]] > arrivals.number[job])
        ):
            queue[j] = queue[j - 1]
            j -= 1
        queue[j] = job
    return count


@uncounted
def _give_up(profile, queue, most, count, start, estimate, size):
    """Cancel the reservations of jobs that are no longer among the first. Returns until when this frees processors."""
    horizon = -NEVER
    for i in range(most, count):
        job = queue[i]
        if start[job] != NEVER:
            give(profile, profile.first[0], start[job], start[job] + estimate[job], size[job])
            horizon = max(horizon, start[job] + estimate[job])
            start[job] = NEVER
    return horizon


@uncounted
def _holders_of(queue, count, start, holders):
    """List the jobs that hold a reservation, in the order of the queue. Returns their number."""
    held = 0
    for i in range(count):
        if start[queue[i]] != NEVER:
            holders[held] = queue[i]
            held += 1
    return held


@part
def _expected_slowdown(wait, duration):
    """The bounded slowdown of a job with this wait, if it starts now and runs this long; to nine digits."""
    return np.rint(max(1.0, (wait + duration) / max(duration, _SHORTEST)) * 1e9) / 1e9


@part
def _is_slow(wait, duration, entitling):
    """Tell whether a job's expected slowdown reaches the threshold; if it is far away, without a division."""
    if entitling <= 1:
        return True
    near = entitling * (1 - 1e-9) - 1e-6
    return wait + duration >= near * max(duration, _SHORTEST) and _expected_slowdown(wait, duration) >= entitling


@part
def _slowdown_that_entitles(threshold, slowdowns, ended):
    """The threshold: the expected slowdown from which on a job gets a reservation."""
    if threshold != ADAPTIVE:
        return threshold
    return np.rint(slowdowns / ended * 1e9) / 1e9 if ended > 0 else 1.0


@compiled
def reserving(
    submit,
    run,
    estimate,
    size,
    machine,
    preceding,
    think,
    progress_and_stop,
    most,
    threshold,
    prioritised,
    priority,
    facts,
):
    """Start times under backfilling with reservations for some.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop
        As for `easy`; no estimate is below the run time.
    most : int, how many of the first jobs in the queue have a reservation
    threshold : float, the expected slowdown from which on a job gets one; `ADAPTIVE`; 0 for any
    prioritised : bool, whether the queue is sorted by `priority` before each pass, or kept in order of arrival
    priority : compiled function, as `ranking.rank` calls it
    facts : Facts, or None where the function needs none of them

    Returns
    -------
    start, reserved : int64 arrays, seconds; the start that was reserved first, -1 where there never was one
    backfilled : bool array, whether the job started while one before it in the queue still waited
    """
    n = submit.size
    arrivals, by_end = arrivals_of(submit, preceding, think), no_ends(n, n)  # jobs of no length take no room
    profile, start, reserved = all_free(machine, 2 * n), np.full(n, NEVER), np.full(n, -1)
    queue, holders, count = np.empty(n, np.uint64), np.empty(n, np.uint64), 0
    backfilled, priorities = np.zeros(n, np.bool_), np.empty(n)
    free, horizon, due, slowdowns, ended = machine, -NEVER, NEVER, 0.0, 0

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(by_end), due)
        if now == NEVER:
            break
        advance(profile, now)

        early = False  # 1. jobs leave
        while next_end(by_end) <= now:
            job = take_next(by_end)
            expected = start[job] + estimate[job]
            if expected > now:
                give(profile, profile.first[0], now, expected, size[job])
                horizon = max(horizon, expected)
                early = True
            free += size[job]
            slowdowns += _expected_slowdown(start[job] - submit[job], run[job])
            ended += 1
            submit_followers(arrivals, job, now)
            note_end(facts, job, now, size)

        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            queue[count] = arrive(arrivals)
            count += 1

        if prioritised:  # 3. one scheduling pass
            place = sort_waiting(queue, count, priorities, arrivals, now, free, estimate, size, priority, facts)
            if place < count:
                refuse(facts, queue[place], now, submit, estimate, size, free, 0, 0, False)
            given_back = _give_up(profile, queue, most, count, start, estimate, size)
            horizon, early = max(horizon, given_back), early or given_back > -NEVER
        if early:
            held = _holders_of(queue, count, start, holders)
            horizon = compress(profile, holders[:held], start, estimate, size, horizon)
        entitling, left, due = _slowdown_that_entitles(threshold, slowdowns, ended), 0, NEVER
        for i in range(count):
            job = queue[i]
            if start[job] == NEVER:
                slow = left < most and _is_slow(now - submit[job], estimate[job], entitling)
                until = NEVER if slow else now + 1
                if until == NEVER or size[job] <= profile.free[profile.first[0]]:
                    k = anchor_point(profile, profile.first[0], size[job], estimate[job], NEVER, until)
                    if profile.times[k] < until:
                        start[job] = profile.times[k]
                        give(profile, k, start[job], start[job] + estimate[job], -size[job])
                if until == NEVER and reserved[job] < 0:
                    reserved[job] = start[job]
            if start[job] == now:
                backfilled[job] = left > 0
                insert(by_end, job, now + run[job])
                free -= size[job]
                note_start(facts, job, now, size)
                progress_and_stop[0] += 1
            else:
                due = min(due, start[job])
                queue[left] = job
                left += 1
        count = left
    return start, reserved, backfilled


# Slurm's backfill


@uncounted
def _rounded_up(time, resolution):
    """The first multiple of the resolution at or after a second."""
    return time + -time % resolution


@uncounted
def _draw_map(profile, running, now, size):
    """Make the profile of the running jobs; each holds its processors until its expected end."""
    expected, last = running.by_expected_end, np.uint64(0)
    profile.times[0], profile.free[0] = now, running.free[0]
    for i in range(expected.count[0] - 1, -1, -1):
        job = expected.jobs[i]
        end = max(expected.time[job], now + 1)  # one of no length has not left yet
        if end > profile.times[last]:
            last += ONE
            profile.times[last], profile.free[last] = end, profile.free[last - ONE]
        profile.free[last] += size[job]
    profile.first[0], profile.last[0] = np.uint64(0), last + ONE
    profile.times[last + ONE] = NEVER


@uncounted
def _earliest_start(profile, size, duration, resolution):
    """Find the first step at whose beginning a job fits until its end, rounded up."""
    times, free, k = profile.times, profile.free, profile.first[0]
    while True:
        while free[k] < size:
            k += ONE
        anchor = k
        end = _rounded_up(times[anchor] + duration, resolution)
        while times[k] < end and free[k] >= size:
            k += ONE
        if times[k] >= end:
            return anchor


@compiled
def slurm_backfill(
    submit,
    run,
    estimate,
    size,
    machine,
    preceding,
    think,
    progress_and_stop,
    depth,
    window,
    resolution,
    interval,
    prioritised,
    priority,
    facts,
):
    """Start times under Slurm's backfill, as `simlib.SlurmBackfill` defines it.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop
        As for `easy`; no estimate is below the run time.
    depth : int, how many waiting jobs a cycle looks at
    window, resolution, interval : int, seconds
    prioritised, priority, facts
        As for `reserving`.

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job started in a cycle while one before it still waited
    """
    n = submit.size
    arrivals, running = arrivals_of(submit, preceding, think), idle(machine, n)
    queue, priorities, first, last = np.empty(n, np.uint64), np.empty(n), 0, 0  # queue[first:last] waits
    profile = all_free(machine, n)
    last_cycle, changed = -NEVER, False

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(running.by_end))
        if changed and first < last:
            now = min(now, last_cycle + interval)
        if now == NEVER:
            break
        progress_and_stop[0] = first

        while next_end(running.by_end) <= now:  # 1. jobs leave
            job = end_job(running, size)
            submit_followers(arrivals, job, now)
            note_end(facts, job, now, size)
            changed = True
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            queue[last] = arrive(arrivals)
            last += 1
            changed = True

        if prioritised:  # 3. the main scheduler
            waiting = queue[first:last]
            place = sort_waiting(
                waiting, last - first, priorities, arrivals, now, running.free[0], estimate, size, priority, facts
            )
            if place < last - first:
                refuse(facts, waiting[place], now, submit, estimate, size, running.free[0], 0, 0, False)
        while first < last and size[queue[first]] <= running.free[0]:
            start_job(running, queue[first], now, size, run, estimate)
            note_start(facts, queue[first], now, size)
            first += 1

        if first == last or not changed or now - last_cycle < interval:
            continue
        last_cycle, changed = now, False  # 4. a backfill cycle
        _draw_map(profile, running, now, size)
        left = looked_at = min(first + depth, last)  # first, the number of those left waiting
        kept = first
        for i in range(first, looked_at):
            job = queue[i]
            duration = max(estimate[job], 1)
            k = _earliest_start(profile, size[job], duration, resolution)
            begin = profile.times[k]
            if begin == now:
                give(profile, k, now, now + duration, -size[job])
                running.backfilled[job] = True
                start_job(running, job, now, size, run, estimate)
                note_start(facts, job, now, size)
                changed = True
                continue
            if begin // resolution < (now + window) // resolution:
                give(profile, k, begin, _rounded_up(begin + duration, resolution), -size[job])
            queue[kept] = job
            kept += 1
        while kept > first:  # those that wait move up to the rest of the queue
            kept -= 1
            left -= 1
            queue[left] = queue[kept]
        first = left
    return running.start, running.backfilled
