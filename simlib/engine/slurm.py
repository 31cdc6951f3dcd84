"""Slurm's backfill: in each of its cycles it makes a plan for the first jobs of the queue, and then forgets it."""

import numpy as np

from .profile import FIRST, LAST, all_free, give
from .ranking import note_end, note_start, rank, refuse
from .reserving import join_by_rank, sort_waiting
from .running import (
    NEVER,
    ONE,
    Ends,
    Running,
    all_arrivals,
    arrive,
    end_job,
    next_arrival,
    next_end,
    small,
    start_job,
    submit_followers,
    uncounted,
)


@small
def _rounded_up(time, resolution):
    """The first multiple of the resolution at or after a second."""
    return time + -time % resolution


@small
def _draw_map(profile, running, now, held, free):
    """Make the profile of what the running jobs hold, processors or GPUs; each holds it until its expected end."""
    expected, last = running.by_expected_end, np.uint64(0)
    profile.times[0], profile.free[0] = now, free
    for i in range(expected.count[0] - 1, -1, -1):
        job = expected.jobs[i]
        end = max(expected.time[job], now + 1)  # one of no length has not left yet
        if end > profile.times[last]:
            last += ONE
            profile.times[last], profile.free[last] = end, profile.free[last - ONE]
        profile.free[last] += held[job]
    profile.at[FIRST], profile.at[LAST] = np.uint64(0), last + ONE
    profile.times[last + ONE] = NEVER


@small
def _first_fit(profile, k, time, amount, duration, resolution):
    """Find the first second from `time` on, which is not before step k, from which on so much is free until the end.

    The end is rounded up. Returns the step in which the second lies, and the second.
    """
    times, free = profile.times, profile.free
    while times[k + ONE] <= time:
        k += ONE
    while True:
        while free[k] < amount:
            k += ONE
        time = max(time, times[k])
        end = _rounded_up(time + duration, resolution)
        step = k
        while times[step] < end and free[step] >= amount:
            step += ONE
        if times[step] >= end:
            return k, time
        k = step


@small
def _earliest_start(profile, gpus, job, size, duration, resolution):
    """Find the first second from which on enough processors and GPUs are free until the end, and its step in each."""
    first = profile.at[FIRST]
    k, time = _first_fit(profile, first, profile.times[first], size[job], duration, resolution)
    k_gpus = first
    if gpus is not None:
        needed, by_gpus, _ = gpus
        later = time if needed[job] == 0 else NEVER
        while later != time:
            k_gpus, later = _first_fit(by_gpus, k_gpus, time, needed[job], duration, resolution)
            if later > time:
                k, time = _first_fit(profile, k, later, size[job], duration, resolution)
    return k, k_gpus, time


@small
def _may_start(job, size, running, gpus):
    """Tell whether enough processors and GPUs are free for a job."""
    enough = size[job] <= running.free[0]
    if gpus is not None:
        enough &= gpus[0][job] <= gpus[2][0]
    return enough


@small
def _take(gpus, job, sign):
    """Let a job take its GPUs, or with sign -1 give them back."""
    if gpus is not None:
        gpus[2][0] -= sign * gpus[0][job]


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
    priority=None,
    facts=None,
    changing=True,
    gpus=None,
    machine_gpus=0,
):
    """Start times under Slurm's backfill, as `simlib.SlurmBackfill` defines it. This is plain Python.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop
        As for `easy`; no estimate is below the run time.
    depth : int, how many waiting jobs a cycle looks at
    window, resolution, interval : int, seconds
    priority, facts, changing, gpus, machine_gpus
        As for `reserving`.

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job started in a cycle while one before it still waited
    """
    n = submit.size
    by_end, expected = (Ends(np.empty(n, np.uint64), np.zeros(n, np.int64), np.zeros(1, np.int64)) for _ in range(2))
    running = Running(by_end, expected, np.zeros(n, np.int64), np.zeros(n, np.bool_), np.full(1, machine))
    room = all_arrivals(submit, preceding, think), running, np.empty(n, np.uint64), all_free(machine, n)
    ranked = None if priority is None else (changing, np.empty(n))
    rules = depth, window, resolution, interval
    of_gpus = None if gpus is None else (gpus, all_free(machine_gpus, n), np.full(1, machine_gpus))
    job, now = _slurm(submit, run, estimate, size, progress_and_stop, rules, room, priority, facts, ranked, of_gpus)
    if job >= 0:
        refuse(facts, job, now, submit, estimate, size, running.free[0], 0, 0, False)
    return running.start, running.backfilled


@uncounted
def _slurm(submit, run, estimate, size, progress_and_stop, rules, room, priority, facts, ranked, gpus):
    """The event loop. Returns a job without a number, -1 if there is none, and the second."""
    depth, window, resolution, interval = rules
    arrivals, running, queue, profile = room
    first = last = 0  # queue[first:last] waits
    last_cycle, changed, now = -NEVER, False, NEVER

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(running.by_end))
        if changed and first < last:
            now = min(now, last_cycle + interval)
        if now == NEVER:
            break
        progress_and_stop[0] = first

        while next_end(running.by_end) <= now:  # 1. jobs leave
            job = end_job(running, size)
            _take(gpus, job, -1)
            submit_followers(arrivals, job, now)
            note_end(facts, job, now, size)
            changed = True
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            job = arrive(arrivals)
            queue[last] = job
            if ranked is not None:
                if not ranked[0]:
                    own = rank(priority, facts, job, now, submit, estimate, size, running.free[0], 0, 0)
                    if np.isnan(own):
                        return np.int64(job), now
                    join_by_rank(queue, first, last, ranked[1], job, own)
            last += 1
            changed = True

        if ranked is not None:  # 3. the main scheduler
            if ranked[0]:
                waiting, free = queue[first:last], running.free[0]
                place = sort_waiting(waiting, ranked[1], arrivals, now, free, estimate, size, priority, facts)
                if place < last - first:
                    return np.int64(waiting[place]), now
        while first < last and _may_start(queue[first], size, running, gpus):
            start_job(running, queue[first], now, size, run, estimate)
            _take(gpus, queue[first], 1)
            note_start(facts, queue[first], now, size)
            first += 1

        if first == last or not changed or now - last_cycle < interval:
            continue
        last_cycle, changed = now, False  # 4. a backfill cycle
        i = kept = first
        end, drawn = min(first + depth, last), False
        while True:
            while end > i and not _may_start(
                queue[end - 1], size, running, gpus
            ):  # no job behind can start: its plan is not needed
                end -= 1
            if i == end:
                break
            if not drawn:
                _draw_map(profile, running, now, size, running.free[0])
                if gpus is not None:
                    _draw_map(gpus[1], running, now, gpus[0], gpus[2][0])
                drawn = True
            job = queue[i]
            i += 1
            duration = max(estimate[job], 1)
            k, k_gpus, begin = _earliest_start(profile, gpus, job, size, duration, resolution)
            planned = begin == now or begin // resolution < (now + window) // resolution
            end_of_it = now + duration if begin == now else _rounded_up(begin + duration, resolution)
            if planned:
                give(profile, k, begin, end_of_it, -size[job])
                if gpus is not None:
                    if gpus[0][job] > 0:
                        give(gpus[1], k_gpus, begin, end_of_it, -gpus[0][job])
            if begin == now:
                running.backfilled[job] = True
                start_job(running, job, now, size, run, estimate)
                _take(gpus, job, 1)
                note_start(facts, job, now, size)
                changed = True
                continue
            queue[kept] = job
            kept += 1
        while kept > first:  # those that wait move up to the rest of the queue
            kept -= 1
            i -= 1
            queue[i] = queue[kept]
        first = i
    return np.int64(-1), now
