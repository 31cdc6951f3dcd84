"""Slurm's backfill: in each of its cycles it makes a plan for the first jobs of the queue, and then forgets it.

Users, and what is planned, may have limits; a run without them passes None, and what counts is compiled away.
"""

from typing import Any, NamedTuple

import numpy as np

from .._util.arrays import Bools, Floats, Int, Ints, Place, Places
from .events import (
    NEVER,
    ONE,
    Followers,
    followers_of,
    insert_end,
    next_end,
    next_job,
    next_submission,
    remove_end,
    small,
    submit_followers,
    uncounted,
)
from .outages import Outages, away, next_outage, plan_outages, taken_now
from .profile import FIRST, LAST, Profile, all_free, give
from .ranking import Facts, Order, note_end, note_start, refuse
from .reserving import Gpus, join, sort_waiting


class Users(NamedTuple):
    """What users may have, and what they have.

    Attributes
    ----------
    user : int64 array, by job; from 0 on
    jobs, procs, tested : int64 arrays, by user; what runs, and how many jobs this cycle has looked at
    most : int64 array; the limits of these three, and how many jobs a cycle plans
    """

    user: Ints
    jobs: Ints
    procs: Ints
    tested: Ints
    most: Ints


def limited_users(of_job: Ints, most: list[int]) -> Users:
    """Number the users of jobs, none of which runs yet. This is plain Python."""
    users, user = np.unique(of_job, return_inverse=True)
    jobs, procs, tested = np.zeros((3, users.size), np.int64)
    return Users(user.astype(np.int64), jobs, procs, tested, np.array(most, np.int64))


@small
def _over_limit(users: Users, job: Int, size: Ints) -> bool:
    """Tell whether a job must wait because of what its user's jobs have."""
    user = users.user[job]
    return users.jobs[user] >= users.most[0] or users.procs[user] + size[job] > users.most[1]


@small
def _note_use(users: Users | None, job: Int, jobs: Int, procs: Int) -> None:
    """Note that a user's job has started or ended."""
    if users is not None:
        user = users.user[job]
        users.jobs[user] += jobs
        users.procs[user] += procs


@small
def _rounded_up(time: Int, resolution: Int) -> Int:
    """The first multiple of the resolution at or after a second."""
    return time + -time % resolution


@small
def _draw_map(
    profile: Profile, by_expected_end: Places, running: Place, expected_end: Ints, now: Int, held: Ints, free: Int
) -> None:
    """Make the profile of what the running jobs hold, processors or GPUs; each holds it until its expected end."""
    last, i = np.uint64(0), running
    profile.times[0], profile.free[0] = now, free
    while i > 0:
        i -= ONE
        job = by_expected_end[i]
        end = max(expected_end[job], now + 1)  # one of no length has not left yet
        if end > profile.times[last]:
            last += ONE
            profile.times[last], profile.free[last] = end, profile.free[last - ONE]
        profile.free[last] += held[job]
    profile.at[FIRST], profile.at[LAST] = np.uint64(0), last + ONE
    profile.times[last + ONE] = NEVER


@uncounted
def _first_fit(profile: Profile, k: Place, time: Int, amount: Int, duration: Int, resolution: Int) -> tuple[Place, Int]:
    """Find the first second from `time` on, which is not before step k, from which on so much is free until the end.

    The end is rounded up to a second after it: a job may not end when a planned one begins. Returns the step in which
    the second lies, and the second.
    """
    times, free = profile.times, profile.free
    while times[k + ONE] <= time:
        k += ONE
    while True:
        while free[k] < amount:
            k += ONE
        time = max(time, times[k])
        end = _rounded_up(time + duration + 1, resolution)
        step = k
        while times[step] < end and free[step] >= amount:
            step += ONE
        if times[step] >= end:
            return k, time
        k = step


@small
def _earliest_start(
    profile: Profile, gpus: Gpus, job: Int, size: Ints, duration: Int, resolution: Int
) -> tuple[Place, Place, Int]:
    """Find the first second from which on enough processors and GPUs are free until the end, and its step in each."""
    first = profile.at[FIRST]
    k, time = _first_fit(profile, first, profile.times[first], size[job], duration, resolution)
    k_gpus = first
    if gpus is not None:
        needed, by_gpus = gpus
        later = time if needed[job] == 0 else NEVER
        while later != time:
            k_gpus, later = _first_fit(by_gpus, k_gpus, time, needed[job], duration, resolution)
            if later > time:
                k, time = _first_fit(profile, k, later, size[job], duration, resolution)
    return k, k_gpus, time


@small
def _may_start(job: Int, size: Ints, gpus: Gpus, free: Ints) -> bool:
    """Tell whether enough processors and GPUs are free for a job."""
    enough = size[job] <= free[0]
    if gpus is not None:
        enough &= gpus[0][job] <= free[1]
    return enough


@small
def _runs_into(
    outages: Outages, job: Int, now: Int, size: Ints, estimate: Ints, jobs: tuple, running: Place, free: Int
) -> bool:
    """Tell whether a job that fits now would find too few processors when an outage begins that is known."""
    _, _, by_expected_end, expected_end = jobs
    runs_into = False
    for i in range(outages.procs.size):
        begin = outages.start[i]
        if outages.known[i] <= now < begin < now + estimate[job]:
            left = free + away(outages, now, now) - away(outages, now, begin)
            for other in by_expected_end[:running]:
                left += size[other] * (expected_end[other] <= begin)
            runs_into |= left < size[job]
    return runs_into


@uncounted
def _start(
    job: Int,
    now: Int,
    run: Ints,
    estimate: Ints,
    size: Ints,
    gpus: Gpus,
    jobs: tuple[Places, Ints, Places, Ints],
    running: Place,
    free: Ints,
    start: Ints,
    facts: Facts | None,
    users: Users | None,
) -> None:
    """Start a job: it takes its processors and GPUs for its run time, and is expected to take them for its estimate."""
    by_end, end, by_expected_end, expected_end = jobs
    insert_end(by_end, running, end, job, now + run[job])
    insert_end(by_expected_end, running, expected_end, job, now + estimate[job])
    start[job] = now
    free[0] -= size[job]
    if gpus is not None:
        free[1] -= gpus[0][job]
    note_start(facts, job, now, size)
    _note_use(users, job, 1, size[job])


@small
def _close_up(queue: Places, first: Int, kept: Int, i: Int) -> Any:
    """Move the jobs that wait, at `first` to `kept`, up to the rest of the queue, at i. Returns the new first place."""
    while kept > first:
        kept -= 1
        i -= 1
        queue[i] = queue[kept]
    return i


def slurm_backfill(
    submit: Ints,
    run: Ints,
    estimate: Ints,
    size: Ints,
    machine: int,
    preceding: Ints,
    think: Ints,
    progress_and_stop: Ints,
    depth: int,
    window: int,
    resolution: int,
    interval: int,
    places: Places | None = None,
    priority: Order | None = None,
    facts: Facts | None = None,
    gpus: Ints | None = None,
    machine_gpus: int = 0,
    users: Users | None = None,
    outages: Outages | None = None,
) -> tuple[Ints, Bools]:
    """Start times under Slurm's backfill, as `simlib.SlurmBackfill` defines it. This is plain Python.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop
        As for `easy`; no estimate is below the run time.
    depth : int, how many waiting jobs a cycle looks at
    window, resolution, interval : int, seconds
    places, priority, facts, gpus, machine_gpus
        As for `reserving`.
    users : Users, optional
    outages : Outages, optional

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job started while one before it still waited
    """
    n = submit.size
    start, backfilled, free = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.array([machine, machine_gpus])
    followers, followed = followers_of(preceding, think)
    running = *np.empty((2, n), np.uint64), *np.zeros((2, n), np.int64)
    profile = all_free(machine, n if outages is None else n + outages.procs.size)
    room = start, backfilled, free, np.arange(n), *running, np.empty(n, np.uint64), profile, followed
    ranks = None if priority is None else np.empty(n)
    rules = depth, window, resolution, interval
    of_gpus = None if gpus is None else (gpus, all_free(machine_gpus, n))
    given = submit, run, estimate, size, progress_and_stop, rules, room
    held_back = None if users is None and outages is None else True  # None: no job is, and what asks is not compiled
    job, now = _slurm(*given, followers, places, priority, facts, ranks, of_gpus, users, outages, held_back)
    if job >= 0:
        refuse(facts, job, now, submit, estimate, size, free[0], 0, 0, False)
    return start, backfilled


@uncounted
def _slurm(
    submit: Ints,
    run: Ints,
    estimate: Ints,
    size: Ints,
    progress_and_stop: Ints,
    rules: tuple[int, int, int, int],
    room: tuple[Any, ...],
    followers: Followers,
    places: Places | None,
    priority: Any,  # Order wherever there are ranks, which mypy cannot know
    facts: Facts | None,
    ranks: Floats | None,
    gpus: Gpus,
    users: Users | None,
    outages: Outages | None,
    held_back: bool | None,
) -> tuple[Int, Int]:
    """The event loop. Returns a job without a number, -1 if there is none, and the second."""
    depth, window, resolution, interval = rules
    start, backfilled, free, number, by_end, by_expected_end, end, expected_end, queue, profile, followed = room
    jobs = by_end, end, by_expected_end, expected_end
    coming, running, arrived = np.uint64(followed), np.uint64(0), 0
    first = last = 0  # queue[first:last] waits
    last_cycle, changed, now = -NEVER, False, NEVER

    while progress_and_stop[1] == 0:
        now = min(next_submission(coming, submit, followers), next_end(by_end, running, end), next_outage(outages))
        if changed and first < last:
            now = min(now, last_cycle + interval)
        if now == NEVER:
            break
        progress_and_stop[0] = arrived - (last - first)

        while next_end(by_end, running, end) <= now:  # 1. jobs leave
            running -= ONE
            job = by_end[running]
            remove_end(by_expected_end, running, job)
            free[0] += size[job]
            if gpus is not None:
                free[1] += gpus[0][job]
            coming = submit_followers(followers, coming, submit, job, now)
            note_end(facts, job, now, size)
            _note_use(users, job, -1, -size[job])
            changed = True
        while next_submission(coming, submit, followers) <= now:  # 2. jobs join the queue
            job = next_job(coming, followers)
            coming += ONE
            number[job] = arrived
            arrived += 1
            join(queue, first, last, places, job)
            last += 1
            changed = True
        if outages is not None:
            if next_outage(outages) == now:
                free[0] -= taken_now(outages, now)
                changed = True

        if ranks is not None:  # 3. the main scheduler
            waiting = queue[first:last]
            place = sort_waiting(waiting, ranks, submit, number, now, free[0], estimate, size, priority, facts)
            if place < last - first:
                return np.int64(waiting[place]), now
        if held_back is None:
            while first < last and _may_start(queue[first], size, gpus, free):
                _start(queue[first], now, run, estimate, size, gpus, jobs, running, free, start, facts, users)
                running += ONE
                first += 1
        else:
            i = kept = first
            while i < last:
                job = queue[i]
                passed = False
                if users is not None:
                    passed = _over_limit(users, job, size)
                if outages is not None:
                    passed |= _may_start(job, size, gpus, free) and _runs_into(
                        outages, job, now, size, estimate, jobs, running, free[0]
                    )
                if passed:
                    queue[kept] = job
                    kept += 1
                elif _may_start(job, size, gpus, free):
                    backfilled[job] = kept > first
                    _start(job, now, run, estimate, size, gpus, jobs, running, free, start, facts, users)
                    running += ONE
                else:
                    break
                i += 1
            first = _close_up(queue, first, kept, i)

        if first == last or not changed or now - last_cycle < interval:
            continue
        last_cycle, changed = now, False  # 4. a backfill cycle
        i = kept = first
        behind, drawn, looked, planned = min(first + depth, last), False, 0, 0
        if users is not None:
            behind, users.tested[:] = last, 0
        while True:
            while behind > i and not _may_start(queue[behind - 1], size, gpus, free):
                behind -= 1  # it cannot start: its plan is not needed
            if i == behind:
                break
            job = queue[i]
            passed = False
            if users is not None:
                if looked == depth:
                    break
                user = users.user[job]
                passed = _over_limit(users, job, size) or users.tested[user] >= users.most[2]
                if not passed:
                    users.tested[user] += 1
                    looked += 1
                    passed = planned == users.most[3] and not _may_start(job, size, gpus, free)
            i += 1
            if passed:
                queue[kept] = job
                kept += 1
                continue
            if not drawn:
                down: Int = np.int64(0)
                if outages is not None:
                    down = away(outages, now, now)
                _draw_map(profile, by_expected_end, running, expected_end, now, size, free[0] + down)
                if outages is not None:
                    plan_outages(outages, profile, -NEVER, now)
                if gpus is not None:
                    _draw_map(gpus[1], by_expected_end, running, expected_end, now, gpus[0], free[1])
                drawn = True
            duration = max(estimate[job], 1)
            k, k_gpus, begin = _earliest_start(profile, gpus, job, size, duration, resolution)
            end_of_it = now + duration if begin == now else _rounded_up(begin + duration, resolution)
            held = begin == now or begin // resolution < (now + window) // resolution
            if users is not None:
                held = begin == now or (held and planned < users.most[3])
            if held:
                give(profile, k, begin, end_of_it, -size[job])
                if gpus is not None:
                    if gpus[0][job] > 0:
                        give(gpus[1], k_gpus, begin, end_of_it, -gpus[0][job])
            if begin == now:
                backfilled[job] = True
                _start(job, now, run, estimate, size, gpus, jobs, running, free, start, facts, users)
                running += ONE
                changed = True
                continue
            if held:
                planned += 1
            queue[kept] = job
            kept += 1
        first = _close_up(queue, first, kept, i)
    return np.int64(-1), now
