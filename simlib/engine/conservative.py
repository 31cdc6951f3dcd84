"""Conservative backfilling (MF section 2.1): the queue, in which each job has a reservation, and the event loop.

The queue has the waiting jobs by arrival and by reserved start. The order by start has two sorted parts: the last few
to arrive, and all others. A new job goes into the small part. When this is full, or the whole order is needed, the two
are merged. So a queue of 100,000 jobs is not shifted at each arrival.

Compression takes nearly all the time: when a job ends early, every queued job is examined, and a few move a little. Six
techniques make this cheap, and change no schedule; `gaps` has another one for a long queue:

1. A job is not lifted out of the profile to learn whether it can move. It is looked for a gap before its reserved start
   only; from there on it fits in any case, for it stands there (see `anchor_point`).
2. A job that could not start earlier when it was looked at last, or when it arrived, can do so now only with processors
   that have been given back since: gaps are looked for up to the horizon until which there are such.
3. Where the job before it was no larger and no longer, as is often the case, for users submit the same job many times,
   a job is looked for a gap from where the search for that one ended. What kept the one from starting earlier, a time
   at which too few processors are free, lies before its start, and keeps the other from it too if that is not reserved
   to start sooner.
4. A job that moves takes and gives back processors only where its old and its new time do not overlap. In between the
   same number would be given and taken.
5. A step of the profile that has become superfluous stays as room for the next one near it (see `profile`).
6. In order of start one pass is enough, however often it were repeated: a move gives processors back from the job's
   old start on, and the jobs looked at before all start by then, so that none of them gains a gap before its start.

If a hundred thousand jobs wait, `first_gap` knows where the search for a gap can begin, and the queue and `profile`
shift little of their arrays.
"""

from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .gaps import anything_opened, compress_by_gaps, note_gaps
from .profile import advance, all_free, anchor_point, first_gap, forget, give, make_room, no_searches
from .running import (
    NEVER,
    ONE,
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

# The queue


_RECENT = 1024  # jobs of the small part


class _Reservations(NamedTuple):
    """The jobs that wait, each with a start reserved for it.

    Attributes
    ----------
    start : int64 array, seconds by job; first reserved, finally real
    by_start, recent : uint64 arrays
        By start, ties by arrival: `by_start[first[0]:last[0]]`, and of the last to arrive
        `recent[earliest[0]:latest[0]]`.
    first, last, earliest, latest : int64 arrays of one number
    by_arrival : uint64 array
        `by_arrival[oldest[0]:newest[0]]`, of which some have started.
    oldest, newest : int64 arrays of one number
    waits : bool array, by job
    number : int64 array, by job, see `running.arrivals_of`
    """

    start: np.ndarray
    by_start: np.ndarray
    recent: np.ndarray
    first: np.ndarray
    last: np.ndarray
    earliest: np.ndarray
    latest: np.ndarray
    by_arrival: np.ndarray
    oldest: np.ndarray
    newest: np.ndarray
    waits: np.ndarray
    number: np.ndarray


@compiled
def no_reservations(number):
    """Make room for the reservations of all jobs; `number` will be by job how many arrived before it."""
    n = number.size
    start, by_start, by_arrival = np.zeros(n, np.int64), np.empty(n, np.uint64), np.empty(n, np.uint64)
    first, last, earliest, latest, oldest, newest = np.zeros((6, 1), np.int64)
    recent, waits = np.empty(_RECENT, np.uint64), np.zeros(n, np.bool_)
    return _Reservations(
        start, by_start, recent, first, last, earliest, latest, by_arrival, oldest, newest, waits, number
    )


@part
def next_start(reserved):
    """Tell when the next job is to start; `NEVER` if none waits."""
    start, first, earliest = reserved.start, reserved.first[0], reserved.earliest[0]
    time = start[reserved.by_start[np.uint64(first)]] if first < reserved.last[0] else NEVER
    if earliest < reserved.latest[0]:
        time = min(time, start[reserved.recent[np.uint64(earliest)]])
    return time


@part
def reserve(reserved, job, time):
    """Reserve a start at `time` for the job that arrived last."""
    reserved.start[job] = time
    reserved.by_arrival[np.uint64(reserved.newest[0])] = job
    reserved.newest[0] += 1
    reserved.waits[job] = True
    if reserved.latest[0] == _RECENT:
        merge(reserved)
    recent, start = reserved.recent, reserved.start
    low, high = reserved.earliest[0], reserved.latest[0]
    while low < high:
        middle = (low + high) // 2
        if start[recent[middle]] <= time:
            low = middle + 1
        else:
            high = middle
    make_room(recent, low, reserved.latest[0])
    recent[low] = job
    reserved.latest[0] += 1


@part
def take_due(reserved, now, due):
    """Take out the jobs that are to start now, and write them into `due`. Returns how many they are."""
    start, by_start, recent, count = reserved.start, reserved.by_start, reserved.recent, 0
    while True:
        first, earliest = reserved.first[0], reserved.earliest[0]
        if first < reserved.last[0] and start[by_start[first]] == now:
            job = by_start[first]
            reserved.first[0] += 1
        elif earliest < reserved.latest[0] and start[recent[earliest]] == now:
            job = recent[earliest]
            reserved.earliest[0] += 1
        else:
            break
        reserved.waits[job] = False
        due[count] = job
        count += 1
    while reserved.oldest[0] < reserved.newest[0] and not reserved.waits[reserved.by_arrival[reserved.oldest[0]]]:
        reserved.oldest[0] += 1
    return count


@part
def passed_another(reserved, job):
    """Tell whether a job that arrived before this one still waits."""
    oldest = reserved.oldest[0]
    return oldest < reserved.newest[0] and reserved.number[reserved.by_arrival[oldest]] < reserved.number[job]


@part
def anybody_waits(reserved):
    """Tell whether there is a reservation."""
    return reserved.oldest[0] < reserved.newest[0]


@uncounted
def merge(reserved):
    """Merge the small part, whose jobs arrived after all others, into the large one."""
    start, by_start, recent = reserved.start, reserved.by_start, reserved.recent
    first, last = reserved.first[0], reserved.last[0]
    begin, end = reserved.earliest[0], reserved.latest[0]
    reserved.last[0] = place = last + end - begin
    reserved.earliest[0] = reserved.latest[0] = 0
    while end > begin:
        place -= 1
        if last > first and start[by_start[last - 1]] > start[recent[end - 1]]:
            last -= 1
            by_start[place] = by_start[last]
        else:
            end -= 1
            by_start[place] = recent[end]


@uncounted
def drop_started(reserved):
    """Move the jobs that wait to the front of `by_arrival`. Returns how many they are."""
    jobs, count = reserved.by_arrival, 0
    for i in range(reserved.oldest[0], reserved.newest[0]):
        jobs[count] = jobs[i]
        count += reserved.waits[jobs[i]]
    reserved.oldest[0], reserved.newest[0] = 0, count
    return count


@uncounted
def sort_by_start(reserved):
    """Sort the large part by start again, ties by arrival; it is nearly sorted, and holds all jobs."""
    by_start, start, number = reserved.by_start, reserved.start, reserved.number
    first = reserved.first[0]
    for i in range(first + 1, reserved.last[0]):
        job = by_start[i]
        j = i
        while j > first and (
            start[by_start[j - 1]] > start[job]
            or (start[by_start[j - 1]] == start[job] and number[by_start[j - 1]] > number[job])
        ):
            by_start[j] = by_start[j - 1]
            j -= 1
        by_start[j] = job


# The loop


BY_ARRIVAL, BY_START, NO_COMPRESSION, REBACKFILL = range(4)  # what is done when a job ends before it was expected to


@uncounted
def compress(profile, jobs, start, estimate, size, horizon):
    """Move each job in turn to the earliest time at which it fits; no job moves back (MF 2.1).

    Since the jobs were last examined, processors have been given back until `horizon`. Returns until when this call
    gives processors back; -NEVER if no job moves.
    """
    given_back = -NEVER
    times, first = profile.times, profile.first[0]
    size_before, estimate_before, start_before, begin = NEVER, NEVER, NEVER, first  # of the job before, and its step
    for job in jobs:
        reserved = start[job]
        no_sooner = (size[job] >= size_before) & (estimate[job] >= estimate_before) & (reserved >= start_before)
        begin = begin if no_sooner else first
        begin = anchor_point(profile, begin, size[job], estimate[job], reserved, horizon)
        size_before, estimate_before, start_before = size[job], estimate[job], reserved
        anchor = times[begin]
        if anchor < min(reserved, horizon):
            given_back = max(given_back, reserved + estimate[job])
            horizon = max(horizon, given_back)
            end = anchor + estimate[job]
            k = give(profile, begin, anchor, min(end, reserved), -size[job])
            k = give(profile, k, max(end, reserved), reserved + estimate[job], size[job])
            start[job] = start_before = anchor
            while begin > first and times[begin - ONE] >= anchor:  # steps may have been shifted
                begin -= ONE
    return given_back


@uncounted
def _rebackfill(profile, jobs, start, estimate, size):
    """Forget all reservations and make new ones, each job in turn; MF 2.1 warns of this (figure 2)."""
    first = profile.first[0]
    for job in jobs:
        give(profile, first, start[job], start[job] + estimate[job], size[job])
    for job in jobs:
        k = anchor_point(profile, first, size[job], estimate[job], NEVER, NEVER)
        start[job] = profile.times[k]
        give(profile, k, start[job], start[job] + estimate[job], -size[job])


@uncounted
def _move_forward(profile, reserved, estimate, size, horizon, when_early, gaps, noting, many):
    """Use the processors of jobs that ended early. Returns the next horizon, and whether gaps are noted from now on.

    Since the last call, processors have been given back until `horizon`. The next one is until when this call gives
    some back, `NEVER` if that is not known, -NEVER if no job moves.
    """
    merge(reserved)
    jobs = reserved.by_start[reserved.first[0] : reserved.last[0]]
    if when_early != BY_START:
        jobs = reserved.by_arrival[: drop_started(reserved)]
    by_gaps = jobs.size >= many and when_early != REBACKFILL
    if when_early == REBACKFILL:
        _rebackfill(profile, jobs, reserved.start, estimate, size)
    elif by_gaps:
        if not noting:
            anything_opened(gaps)
        horizon = NEVER if compress_by_gaps(profile, jobs, reserved.start, estimate, size, gaps) else -NEVER
    else:
        horizon = compress(profile, jobs, reserved.start, estimate, size, horizon)
    if horizon > -NEVER:
        sort_by_start(reserved)
    return horizon, by_gaps


@compiled
def conservative(submit, run, estimate, size, machine, preceding, think, progress_and_stop, when_early, gaps, many):
    """Start times under conservative backfilling.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop
        As for `easy`; no estimate is below the run time.
    when_early : int, what is done when a job ends before it was expected to: BY_ARRIVAL and BY_START compress the
        schedule in order of arrival, or of reserved start (ties by arrival); NO_COMPRESSION; REBACKFILL
    gaps : Gaps, for these jobs
    many : int, how many waiting jobs are compressed with their help; `gaps.MANY` is the fastest

    Returns
    -------
    start, guarantee : int64 arrays, seconds; the guarantee is the start that was reserved on arrival
    backfilled : bool array, whether the job started while an earlier job still waited
    """
    n = submit.size
    arrivals, by_end = arrivals_of(submit, preceding, think), no_ends(n, n)  # jobs of no length take no room
    profile, reserved = all_free(machine, n), no_reservations(arrivals.number)
    searches = no_searches(machine, estimate.max() if n > 0 else 0)
    start, guarantee, backfilled = reserved.start, np.zeros(n, np.int64), np.zeros(n, np.bool_)
    starting = np.empty(n, np.uint64)
    horizon = -NEVER  # until when processors have been given back since the queued jobs were looked at last
    noting = False  # whether `gaps` has what was given back since

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(by_end), next_start(reserved))
        if now == NEVER:
            break
        advance(profile, now)

        early = False  # 1. jobs leave
        while next_end(by_end) <= now:
            job = take_next(by_end)
            expected = start[job] + estimate[job]
            if expected > now:
                k = give(profile, profile.first[0], now, expected, size[job])
                horizon = max(horizon, expected)
                if noting:
                    note_gaps(gaps, profile, k, now, size[job])
                early = True
            submit_followers(arrivals, job, now)
        if early:
            forget(searches)
            if anybody_waits(reserved) and when_early != NO_COMPRESSION:
                horizon, noting = _move_forward(
                    profile, reserved, estimate, size, horizon, when_early, gaps, noting, many
                )

        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            job = arrive(arrivals)
            k = first_gap(searches, profile, size[job], estimate[job])
            guarantee[job] = profile.times[k]
            give(profile, k, guarantee[job], guarantee[job] + estimate[job], -size[job])
            reserve(reserved, job, guarantee[job])

        count = take_due(reserved, now, starting)  # 3. those start whose time has come
        for i in range(count):
            job = starting[i]
            backfilled[job] = passed_another(reserved, job)
            insert(by_end, job, now + run[job])
        progress_and_stop[0] += count
    return start, guarantee, backfilled
