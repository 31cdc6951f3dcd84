"""Slurm's backfill scheduler: each cycle makes a plan for the first jobs of the queue, and then forgets it."""

import numpy as np

from .._util.compiled import compiled
from .profile import all_free, give
from .ranking import note_end, note_start, refuse
from .reserving import sort_waiting
from .running import (
    NEVER,
    ONE,
    arrivals_of,
    arrive,
    end_job,
    idle,
    next_arrival,
    next_end,
    start_job,
    submit_followers,
    uncounted,
)


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
