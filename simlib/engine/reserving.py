"""Backfilling with reservations for some of the waiting jobs: between EASY and conservative backfilling.

A job with a reservation keeps it, and can only move forward, as under conservative backfilling. Any other job may start
when it fits until its expected end without touching a reservation.
"""

import numpy as np

from .._util.compiled import compiled
from .conservative import compress
from .profile import advance, all_free, anchor_point, give
from .ranking import note_end, note_start, rank, refuse
from .running import (
    NEVER,
    arrivals_of,
    arrive,
    insert,
    next_arrival,
    next_end,
    no_ends,
    part,
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
