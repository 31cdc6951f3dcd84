"""Backfilling that plans the start of waiting jobs: conservative (MF section 2.1), selective, several reservations.

A job that has a reservation keeps it, and can only move forward. Any other job may start when it fits until its
expected end without touching a reservation. Conservative backfilling is the case in which every job gets a reservation
when it arrives. Then a pass looks at the jobs that arrive, and at those that are due. In the other cases it goes
through the whole queue.

Compression takes nearly all the time: when a job ends early, every job with a reservation is examined, and a few move a
little. Six techniques make this cheap, and change no schedule; `gaps` has another one for a long queue:

1. A job is not lifted out of the profile to learn whether it can move. It is looked for a gap before its reserved start
   only; from there on it fits in any case, for it stands there (see `anchor_point`).
2. A job that could not start earlier when it was looked at last, or when it got its reservation, can do so now only
   with processors that have been given back since: gaps are looked for up to the horizon until which there are such.
3. Where the job before it was no larger and no longer, as is often the case, for users submit the same job many times,
   a job is looked for a gap from where the search for that one ended. What kept the one from starting earlier, a time
   at which too few processors are free, lies before its start, and keeps the other from it too if that is not reserved
   to start sooner.
4. A job that moves takes and gives back processors only where its old and its new time do not overlap. In between the
   same number would be given and taken.
5. A step of the profile that has become superfluous stays as room for the next one near it (see `profile`).
6. In order of start one pass is enough, however often it were repeated: a move gives processors back from the job's
   old start on, and the jobs looked at before all start by then, so that none of them gains a gap before its start.

If a hundred thousand jobs wait, `first_gap` knows where the search for a gap can begin, and `due` and `profile` shift
little of their arrays. What only a long profile or queue needs is compiled when there is one: the kernel returns, and
is called again.

Where jobs need GPUs, there is a profile of each resource, and both are searched in turn for a gap.

An outage takes its processors from the profile when it becomes known; while jobs run on them, less than none is free.
Then all reservations are made anew, for some may have become impossible.
"""

from typing import Any

import numpy as np

from .._util.arrays import Bools, Floats, Int, Ints, Place, Places
from .due import Due, merge, next_due, nobody_due, reserve, sort_again, take_due
from .events import (
    NEVER,
    ONE,
    Followers,
    followers_of,
    insert_end,
    next_end,
    next_job,
    next_submission,
    small,
    submit_followers,
    uncounted,
)
from .gaps import FAR, MANY, Gaps, anything_opened, compress_by_gaps, gaps_of, note_gaps
from .outages import Outages, next_outage, plan_outages, taken_now
from .profile import (
    FIRST,
    LAST,
    Profile,
    advance,
    all_free,
    anchor_point,
    first_gap,
    forget,
    give,
    make_room,
    no_searches,
)
from .ranking import Facts, Order, note_end, note_start, rank, refuse

BY_ARRIVAL, BY_START, NO_COMPRESSION, REBACKFILL = range(4)  # what is done when a job ends before it was expected to

EVERYONE = np.iinfo(np.int64).max
"""More than any queue has jobs."""

ADAPTIVE = -1.0
"""The threshold that is the mean slowdown of the jobs that have ended."""

_SHORTEST = 10
"""Seconds: a shorter job is as slow as one of this length, as for bounded slowdown."""

_AT_ONCE, _LONG = 512, np.uint64(4096)
"""Jobs that join in one second, and steps of a profile, from which on earlier searches help: see `first_gap`."""

Gpus = tuple[Ints, Profile] | None
"""How many each job needs, and their profile; None where there are none."""

# The queue


@small
def join(queue: Places, first: Int, last: Int, places: Places | None, job: Int) -> None:
    """Let the job that arrived last join a queue, `queue[first:last]`: at its end, or where its place among all is."""
    low = last
    if places is not None:
        low, high = first, last
        while low < high:
            middle = (low + high) // 2
            if places[queue[middle]] < places[job]:
                low = middle + 1
            else:
                high = middle
        make_room(queue, low, last)
    queue[low] = job


@uncounted
def sort_waiting(
    queue: Places,
    priorities: Floats,
    submit: Ints,
    number: Ints,
    now: Int,
    free: Int,
    estimate: Ints,
    size: Ints,
    priority: Order,
    facts: Facts | None,
) -> Int:
    """Sort waiting jobs by falling priority, ties by arrival. Returns the place of a job without a number, or the end.

    Insertion sort: between two passes the order hardly changes.
    """
    for i in range(queue.size):
        job = queue[i]
        own = rank(priority, facts, job, now, submit, estimate, size, free, 0, 0)
        if np.isnan(own):
            return i
        priorities[job] = own
        j = i
        while j > 0 and (
            priorities[queue[j - 1]] < own or (priorities[queue[j - 1]] == own and number[queue[j - 1]] > number[job])
        ):
            queue[j] = queue[j - 1]
            j -= 1
        queue[j] = job
    return queue.size


@small
def _drop_started(queue: Places, first: Int, new: Int, last: Int, waits: Bools) -> Int:
    """Move the jobs that wait, and those from `new` on, to the front of a queue. Returns how many they are."""
    count: Int = 0
    for i in range(first, last):
        queue[count] = queue[i]
        count += waits[queue[i]] or i >= new
    return count


@small
def _holders_of(queue: Places, count: Int, start: Ints, holders: Places) -> Int:
    """List the jobs that hold a reservation, in the order of the queue. Returns their number."""
    held = 0
    for i in range(count):
        if start[queue[i]] != NEVER:
            holders[held] = queue[i]
            held += 1
    return held


# Whose turn it is to get a reservation


@small
def _expected_slowdown(wait: Int, duration: Int) -> float:
    """The bounded slowdown of a job with this wait, if it starts now and runs this long; to nine digits."""
    return np.rint(max(1.0, (wait + duration) / max(duration, _SHORTEST)) * 1e9) / 1e9


@small
def _is_slow(wait: Int, duration: Int, entitling: float) -> bool:
    """Tell whether a job's expected slowdown reaches the threshold; if it is far away, without a division."""
    if entitling <= 1:
        return True
    near = entitling * (1 - 1e-9) - 1e-6
    return wait + duration >= near * max(duration, _SHORTEST) and _expected_slowdown(wait, duration) >= entitling


@small
def _slowdown_that_entitles(threshold: float, slowdowns: float, ended: Int) -> float:
    """The threshold: the expected slowdown from which on a job gets a reservation."""
    if threshold != ADAPTIVE:
        return threshold
    return np.rint(slowdowns / ended * 1e9) / 1e9 if ended > 0 else 1.0


# Processors, and GPUs beside them


@uncounted
def _gap(
    profile: Profile, k: Place, time: Int, size: Int, duration: Int, reserved: Int, horizon: Int
) -> tuple[Place, Int]:
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
def _gap_in_both(
    by_procs: Profile,
    by_gpus: Profile,
    k: Place,
    k_gpus: Place,
    time: Int,
    size: Int,
    gpus: Int,
    duration: Int,
    reserved: Int,
    horizon: Int,
) -> tuple[Place, Place, Int]:
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
def _earliest(
    profile: Profile, k: Place, until: Int, job: Int, estimate: Ints, size: Ints, gpus: Gpus
) -> tuple[Place, Place, Int]:
    """Find where a new job fits first, from step k on and before `until`.

    Returns the step, that of the profile of GPUs, which is the first one where there are none, and the second.
    """
    if gpus is None:
        k = anchor_point(profile, k, size[job], estimate[job], NEVER, until)
        return k, k, profile.times[k]
    needed, by_gpus = gpus
    time = profile.times[k]
    return _gap_in_both(
        profile, by_gpus, k, by_gpus.at[FIRST], time, size[job], needed[job], estimate[job], NEVER, until
    )


@uncounted
def _plan(
    profile: Profile, k: Place, k_gpus: Place, begin: Int, job: Int, estimate: Ints, size: Ints, gpus: Gpus
) -> None:
    """Let a job take its processors and GPUs from `begin`, which is in step k, until its expected end."""
    give(profile, k, begin, begin + estimate[job], -size[job])
    if gpus is not None:
        needed, by_gpus = gpus
        if needed[job] > 0:
            give(by_gpus, k_gpus, begin, begin + estimate[job], -needed[job])


@uncounted
def _give_back(
    profile: Profile, begin: Int, end: Int, job: Int, size: Ints, gpus: Gpus, gaps: Gaps | None, noting: bool
) -> None:
    """Give back what a job had from `begin`, and note the gaps that this opens, if they are noted."""
    k = give(profile, profile.at[FIRST], begin, end, size[job])
    if gaps is not None:
        if noting and begin < end:
            note_gaps(gaps, profile, k, begin, size[job])
    if gpus is not None:
        needed, by_gpus = gpus
        if needed[job] > 0:
            give(by_gpus, by_gpus.at[FIRST], begin, end, needed[job])


@small
def _move(profile: Profile, k: Place, reserved: Int, anchor: Int, duration: Int, amount: Int) -> None:
    """Move a reservation to an earlier second; where the old and the new one overlap, the profile does not change."""
    end = anchor + duration
    k = give(profile, k, anchor, min(end, reserved), -amount)
    give(profile, k, max(end, reserved), reserved + duration, amount)


@small
def _step_back(profile: Profile, k: Place, time: Int) -> Place:
    """Find the first step, from k back, that begins at `time` or holds it; steps may have been shifted."""
    while k > profile.at[FIRST] and (profile.times[k] > time or profile.times[k - ONE] >= time):
        k -= ONE
    return k


# Compression


@small
def _compress(
    profile: Profile, jobs: Places, start: Ints, estimate: Ints, size: Ints, gpus: Gpus, horizon: Int
) -> tuple[Int, Int]:
    """Move each job in turn to the earliest time at which it fits; no job moves back (MF 2.1).

    Since the jobs were last examined, processors have been given back until `horizon`. Returns until when this call
    gives processors back, -NEVER if no job moves; and how many steps were looked at, where there are no GPUs.
    """
    given_back, looked, first = -NEVER, np.uint64(0), profile.at[FIRST]
    now = profile.times[first]
    k = k_gpus = first  # where the search for the job before ended
    size_before, estimate_before, start_before, gpus_before, time = NEVER, NEVER, NEVER, NEVER, now
    for job in jobs:
        reserved = start[job]
        no_sooner = (size[job] >= size_before) & (estimate[job] >= estimate_before) & (reserved >= start_before)
        if gpus is None:
            k = k if no_sooner else first
            looked -= k
            k = anchor_point(profile, k, size[job], estimate[job], reserved, horizon)
            looked += k
            time = profile.times[k]
        else:
            needed, by_gpus = gpus
            if not (no_sooner and needed[job] >= gpus_before):
                k, k_gpus, time = first, by_gpus.at[FIRST], now
            k, k_gpus, time = _gap_in_both(
                profile, by_gpus, k, k_gpus, time, size[job], needed[job], estimate[job], reserved, horizon
            )
            gpus_before = needed[job]
        size_before, estimate_before, start_before = size[job], estimate[job], reserved
        if time < min(reserved, horizon):
            given_back = max(given_back, reserved + estimate[job])
            horizon = max(horizon, given_back)
            _move(profile, k, reserved, time, estimate[job], size[job])
            k = _step_back(profile, k, time)
            if gpus is not None:
                if needed[job] > 0:
                    _move(by_gpus, k_gpus, reserved, time, estimate[job], needed[job])
                    k_gpus = _step_back(by_gpus, k_gpus, time)
            start[job] = start_before = time
    return given_back, np.int64(looked)


@uncounted
def _rebackfill(profile: Profile, jobs: Places, start: Ints, estimate: Ints, size: Ints, gpus: Gpus) -> None:
    """Forget all reservations and make new ones, each job in turn; MF 2.1 warns of this (figure 2)."""
    for job in jobs:
        _give_back(profile, start[job], start[job] + estimate[job], job, size, gpus, None, False)
    for job in jobs:
        k, k_gpus, time = _earliest(profile, profile.at[FIRST], NEVER, job, estimate, size, gpus)
        _plan(profile, k, k_gpus, time, job, estimate, size, gpus)
        start[job] = time


# The loop

_COMING, _ARRIVED, _RUNNING, _BEGIN, _END, _DUE, _HORIZON, _ENDED, _REFUSED, _NOW, _FREE = range(11)
"""What outlives a return of the kernel, by its place in `state`."""


def reserving(
    submit: Ints,
    run: Ints,
    estimate: Ints,
    size: Ints,
    machine: int,
    preceding: Ints,
    think: Ints,
    progress_and_stop: Ints,
    when_early: int = BY_ARRIVAL,
    most: int = EVERYONE,
    threshold: float = 0.0,
    places: Places | None = None,
    priority: Order | None = None,
    facts: Facts | None = None,
    gpus: Ints | None = None,
    machine_gpus: int = 0,
    outages: Outages | None = None,
) -> tuple[Ints, Ints, Bools]:
    """Start times under backfilling with reservations. This is plain Python, which calls the kernel.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop
        As for `easy`; no estimate is below the run time.
    when_early : int, what is done when a job ends before it was expected to: BY_ARRIVAL compresses the schedule in the
        order of the queue; if every job gets a reservation on arrival, BY_START in order of reserved start (ties by
        arrival), NO_COMPRESSION and REBACKFILL are possible, too
    most : int, how many of the first jobs in the queue have a reservation
    threshold : float, the expected slowdown from which on a job gets one; `ADAPTIVE`; 0 for any
    places : uint64 array, an order of the queue that never changes: for each job its place among all; or None
    priority : compiled function, as `ranking.rank` calls it, by which the queue is sorted in each pass; None for order
        of arrival, or of `places`
    facts : Facts, or None where the function needs none of them
    gpus : int64 array, the GPUs that each job needs, 0 or more; None if there are none
    machine_gpus : int, GPUs; no job needs more
    outages : Outages, optional

    Returns
    -------
    start, reserved : int64 arrays, seconds; the start that was reserved first, -1 where there never was one
    backfilled : bool array, whether the job started while one before it in the queue still waited
    """
    n = submit.size
    followers, followed = followers_of(preceding, think)
    number = np.arange(n)  # how many jobs arrived before each
    everyone = most == EVERYONE and 0 <= threshold <= 1 and places is None and priority is None
    start, reserved, backfilled = np.full(n, NEVER), np.full(n, -1), np.zeros(n, np.bool_)
    state, slowdowns = np.zeros(11, np.int64), np.zeros(1)
    state[[_COMING, _DUE, _HORIZON, _REFUSED, _FREE]] = followed, NEVER, -NEVER, -1, machine
    by_end, end = np.empty(n, np.uint64), np.zeros(n, np.int64)  # not by the machine: some may take no processors
    steps = 2 * n if outages is None else 2 * n + outages.procs.size
    ranks = None if priority is None else np.empty(n)
    by_gaps = gpus is None and when_early in (BY_ARRIVAL, BY_START)
    rules = when_early, most, threshold, MANY if by_gaps else EVERYONE, FAR
    room = state, slowdowns, number, by_end, end, all_free(machine, steps), *np.empty((2, n), np.uint64)
    due = nobody_due(start, number) if everyone else None
    anew = None if outages is None and when_early != REBACKFILL else True  # None: not compiled
    some = None if everyone else True  # `every` alone would not do: only what asks whether None is None is left out
    of_gpus = None if gpus is None else (gpus, all_free(machine_gpus, 2 * n))
    results = start, reserved, backfilled
    given = submit, run, estimate, size, *results, progress_and_stop, rules, room, followers
    options = due, some, anew, places, priority, facts, ranks, of_gpus, outages
    at_once = everyone and (submit[_AT_ONCE:] == submit[:-_AT_ONCE]).any()
    if at_once or _reserving(*given, *options, None, None):
        searches = no_searches(machine, estimate.max(initial=0)) if everyone else None
        _reserving(*given, *options, searches, gaps_of(size, estimate) if by_gaps else None)
    if state[_REFUSED] >= 0:
        job, now, free = state[[_REFUSED, _NOW, _FREE]]
        refuse(facts, job, now, submit, estimate, size, free, 0, 0, False)
    return results


@uncounted
def _reserving(
    submit: Ints,
    run: Ints,
    estimate: Ints,
    size: Ints,
    start: Ints,
    reserved: Ints,
    backfilled: Bools,
    progress_and_stop: Ints,
    rules: tuple[int, int, float, int, int],
    room: tuple[Any, ...],
    followers: Followers,
    every: Due | None,
    some: bool | None,
    anew: bool | None,
    places: Places | None,
    priority: Any,  # Order wherever there are ranks, which mypy cannot know
    facts: Facts | None,
    ranks: Floats | None,
    gpus: Gpus,
    outages: Outages | None,
    searches: Ints | None,
    gaps: Gaps | None,
) -> bool | np.bool_:
    """Go on until all jobs have started; or until something is long without `searches` and `gaps`: then return True."""
    when_early, most, threshold, many, far = rules
    state, slowdowns, number, by_end, end, profile, queue, holders = room
    coming, arrived, running = np.uint64(state[_COMING]), state[_ARRIVED], np.uint64(state[_RUNNING])
    first, last, due, horizon, ended = state[_BEGIN], state[_END], state[_DUE], state[_HORIZON], state[_ENDED]
    free, noting = state[_FREE], False
    by_gaps: bool | np.bool_ = False
    more: bool | np.bool_ = False

    while progress_and_stop[1] == 0 and not more:
        now = min(next_submission(coming, submit, followers), next_end(by_end, running, end), due)
        if outages is not None:
            now = min(now, next_outage(outages))
        if now == NEVER:
            break
        advance(profile, now)
        if gpus is not None:
            advance(gpus[1], now)

        early = False  # 1. jobs leave
        while next_end(by_end, running, end) <= now:
            running -= ONE
            job = by_end[running]
            expected = start[job] + estimate[job]
            if expected > now:
                _give_back(profile, now, expected, job, size, gpus, gaps, noting)
                horizon = max(horizon, expected)
                early = True
            free += size[job]
            if threshold == ADAPTIVE:
                slowdowns[0] += _expected_slowdown(start[job] - submit[job], run[job])
                ended += 1
            coming = submit_followers(followers, coming, submit, job, now)
            note_end(facts, job, now, size)

        impossible = False  # what is reserved may be, for an outage has become known
        if outages is not None:
            if next_outage(outages) == now:
                free -= taken_now(outages, now)
                impossible = plan_outages(outages, profile, now, now)

        new = last  # 2. jobs join the queue
        while next_submission(coming, submit, followers) <= now:
            job = next_job(coming, followers)
            coming += ONE
            number[job] = arrived
            arrived += 1
            join(queue, first, last, places, job)
            last += 1
        if ranks is not None:
            place = sort_waiting(queue[:last], ranks, submit, number, now, free, estimate, size, priority, facts)
            if place < last:
                state[_REFUSED], state[_NOW], state[_FREE] = queue[place], now, free
                return False

        if places is not None or ranks is not None:  # 3. the first so many of the queue keep their reservations
            for i in range(most, last):
                job = queue[i]
                if start[job] != NEVER:
                    _give_back(profile, start[job], start[job] + estimate[job], job, size, gpus, gaps, noting)
                    horizon, early = max(horizon, start[job] + estimate[job]), True
                    start[job] = NEVER

        if impossible or (early and when_early != NO_COMPRESSION):  # 4. reservations move forward
            if every is not None:
                if searches is not None:
                    forget(searches)
                begin, behind = merge(every)
                count = _drop_started(queue, first, new, last, every.waits)
                first, new, last = 0, count - (last - new), count
                jobs = every.jobs[begin:behind] if when_early == BY_START and not impossible else queue[:new]
            if some is not None:
                jobs = holders[: _holders_of(queue, last, start, holders)]
            again = impossible or when_early == REBACKFILL
            if again:
                if anew is not None:
                    _rebackfill(profile, jobs, start, estimate, size, gpus)
                horizon, noting = -NEVER, False
            elif gaps is None:
                horizon, looked = _compress(profile, jobs, start, estimate, size, gpus, horizon)
                more = jobs.size >= many and looked > far * jobs.size
            elif by_gaps and jobs.size >= many:
                if not noting:
                    anything_opened(gaps)
                horizon = NEVER if compress_by_gaps(profile, jobs, start, estimate, size, gaps) else -NEVER
                noting = True
            else:
                horizon, looked = _compress(profile, jobs, start, estimate, size, gpus, horizon)
                by_gaps, noting = looked > far * jobs.size, False
            if every is not None:
                if horizon > -NEVER or again:  # else nothing has moved
                    sort_again(every)

        if every is not None:  # 5. those who join get a reservation, and those start whose time has come
            for i in range(new, last):
                job = queue[i]
                k = profile.at[FIRST]
                if searches is None:
                    k = anchor_point(profile, k, size[job], estimate[job], NEVER, NEVER)
                else:
                    k = first_gap(searches, profile, size[job], estimate[job])
                k_gpus = k
                time = profile.times[k]
                if gpus is not None:
                    k, k_gpus, time = _earliest(profile, k, NEVER, job, estimate, size, gpus)
                reserved[job] = time
                _plan(profile, k, k_gpus, time, job, estimate, size, gpus)
                reserve(every, job, time)
            count = take_due(every, now, holders)
            while first < last and not every.waits[queue[first]]:
                first += 1
            for i in range(count):
                job = holders[i]
                backfilled[job] = first < last and number[queue[first]] < number[job]
                insert_end(by_end, running, end, job, now + run[job])
                running += ONE
            progress_and_stop[0] += count
            due = next_due(every)
            if searches is None:
                more |= profile.at[LAST] - profile.at[FIRST] >= _LONG
        if some is None:
            continue
        entitling, left, due = _slowdown_that_entitles(threshold, slowdowns[0], ended), 0, NEVER
        for i in range(last):
            job = queue[i]
            if start[job] == NEVER:
                slow = left < most and _is_slow(now - submit[job], estimate[job], entitling)
                until = NEVER if slow else now + 1
                if until == NEVER or size[job] <= profile.free[profile.at[FIRST]]:
                    k, k_gpus, time = _earliest(profile, profile.at[FIRST], until, job, estimate, size, gpus)
                    if time < until:
                        start[job] = time
                        _plan(profile, k, k_gpus, time, job, estimate, size, gpus)
                if until == NEVER and reserved[job] < 0:
                    reserved[job] = start[job]
            if start[job] == now:
                backfilled[job] = left > 0
                insert_end(by_end, running, end, job, now + run[job])
                running += ONE
                free -= size[job]
                note_start(facts, job, now, size)
                progress_and_stop[0] += 1
            else:
                due = min(due, start[job])
                queue[left] = job
                left += 1
        last = left
    state[_BEGIN], state[_END], state[_DUE], state[_HORIZON], state[_ENDED] = first, last, due, horizon, ended
    state[_FREE], state[_COMING], state[_ARRIVED], state[_RUNNING] = free, coming, arrived, running
    return more
