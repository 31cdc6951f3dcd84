"""Conservative backfilling (MF section 2.1).

Nearly all time goes into compression: when a job ends early, every queued job is looked at, and a few move a little.
Six things make that cheap, and change no schedule:

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

Where a hundred thousand jobs wait, `searches` tells where to begin to look for a gap, and `by_start` and `profile` see
to it that little is shifted.
"""

import numpy as np

from ..compiled import compiled
from .arrivals import NEVER, arrivals, submit_followers
from .by_start import RECENT, insert_by_start, merge, sort_by_start
from .profile import ONE, advance, anchor_point, give, tidy, when_to_tidy
from .running import insert
from .searches import VALID, first_gap, no_searches

BY_ARRIVAL, BY_START, NO_COMPRESSION, REBACKFILL = range(4)  # what is done when a job ends before it was expected to


@compiled
def compress(times, free, first, last, jobs, start, estimate, size, horizon):
    """Move each job in turn to the earliest time at which it fits; no job moves back (MF 2.1).

    `horizon` is until when processors have been given back since the jobs were looked at last. Returns the new last
    step, and until when processors are given back here; -NEVER if no job moves.
    """
    given_back = -NEVER
    size_before, estimate_before, start_before, begin = NEVER, NEVER, NEVER, first  # of the job before, and its step
    for job in jobs:
        reserved = start[job]
        no_sooner = (size[job] >= size_before) & (estimate[job] >= estimate_before) & (reserved >= start_before)
        begin = begin if no_sooner else first
        begin = anchor_point(times, free, begin, size[job], estimate[job], reserved, horizon)
        size_before, estimate_before, start_before = size[job], estimate[job], reserved
        anchor = times[begin]
        if anchor < min(reserved, horizon):
            given_back = max(given_back, reserved + estimate[job])
            horizon = max(horizon, given_back)
            end = anchor + estimate[job]
            k, last = give(times, free, first, last, begin, anchor, min(end, reserved), -size[job])
            k, last = give(times, free, first, last, k, max(end, reserved), reserved + estimate[job], size[job])
            start[job] = start_before = anchor
            while begin > first and times[begin - ONE] >= anchor:  # steps may have been shifted
                begin -= ONE
    return last, given_back


@compiled
def rebackfill(times, free, first, last, jobs, start, estimate, size):
    """Forget all reservations and make them anew, each job in turn: what MF 2.1 warns of (figure 2)."""
    for job in jobs:
        k, last = give(times, free, first, last, first, start[job], start[job] + estimate[job], size[job])
    for job in jobs:
        k = anchor_point(times, free, first, size[job], estimate[job], NEVER, NEVER)
        start[job] = times[k]
        k, last = give(times, free, first, last, k, start[job], start[job] + estimate[job], -size[job])
    return last


@compiled
def in_order_of_arrival(queue, oldest, arrived, waiting):
    """Move those of `queue[oldest:arrived]` that are waiting to the front. Returns how many they are."""
    queued = 0
    for i in range(oldest, arrived):
        queue[queued] = queue[i]
        queued += waiting[queue[i]]
    return queued


@compiled
def conservative(submit, run, estimate, size, machine, preceding, think, watch, when_early):
    """Start times under conservative backfilling.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of recorded submit times; seconds and
        processors. No estimate is below the run time. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    watch : int64 array, [0] is set to how many jobs have started; when [1] is not 0, the kernel returns what it has
    when_early : int, what is done when a job ends before it was expected to: BY_ARRIVAL and BY_START compress the
        schedule in order of arrival, or of reserved start (ties by arrival); NO_COMPRESSION; REBACKFILL

    Returns
    -------
    start, guarantee : int64 arrays, seconds; the guarantee is the start that was reserved on arrival
    backfilled : bool array, whether the job started while one that had arrived earlier was left waiting
    """
    n = submit.size
    feedback = preceding.size > 0
    start = np.zeros(n, np.int64)  # reserved, and in the end real
    guarantee = np.zeros(n, np.int64)
    backfilled = np.zeros(n, np.bool_)
    end = np.zeros(n, np.int64)
    arrival = np.zeros(n, np.int64)
    waiting = np.zeros(n, np.bool_)
    queue = np.empty(n, np.uint64)  # by arrival, from `oldest` to `queued`, some of which have started
    by_start = np.empty(n, np.uint64)  # by reserved start, from `started` to `reserved`
    recent = np.empty(RECENT, np.uint64)  # likewise, the last to arrive, from `earliest` to `latest`
    begun = np.empty(n, np.uint64)  # by real start
    running = np.empty(n, np.uint64)  # by end, the next one last; jobs of no length take no room, so any number of them
    oldest, queued, started, reserved, earliest, latest, arrived, begins, count = 0, 0, 0, 0, 0, 0, 0, 0, 0
    horizon = -NEVER  # until when processors have been given back since the queued jobs were looked at last
    found = no_searches(machine, estimate.max() if n > 0 else 0)
    order, at, first_follower, others = arrivals(n, preceding)
    # 3 n steps before `tidy`, and 9 n that the events of an instant may add
    times = np.empty(12 * n + 64, np.int64)
    free = np.empty(12 * n + 64, np.int64)
    times[0], free[0], times[1] = 0, machine, NEVER
    first, last, many = np.uint64(0), np.uint64(1), np.uint64(32)

    while (at < n or begins < arrived or count > 0) and watch[1] == 0:
        watch[0] = begins
        now = submit[order[at]] if at < n else NEVER
        if count > 0:
            now = min(now, end[running[count - 1]])
        if started < reserved:
            now = min(now, start[by_start[started]])
        if earliest < latest:
            now = min(now, start[recent[earliest]])
        first = advance(times, first, now)
        if last > many:
            last = tidy(times, free, first, last)
            first = np.uint64(0)
            many = when_to_tidy(last)

        early = False  # 1. jobs leave
        while count > 0 and end[running[count - 1]] <= now:
            count -= 1
            job = running[count]
            if start[job] + estimate[job] > now:
                k, last = give(times, free, first, last, first, now, start[job] + estimate[job], size[job])
                horizon = max(horizon, start[job] + estimate[job])
                early = True
                found[VALID] = False
            if feedback:
                at = submit_followers(order, at, job, now, first_follower, others, think, submit)
        if early and begins < arrived and when_early != NO_COMPRESSION:
            reserved = merge(by_start, started, reserved, recent, earliest, latest, start)
            earliest = latest = 0
            if when_early == BY_START:
                in_turn = by_start[started:reserved].copy()
            else:
                oldest, queued = 0, in_order_of_arrival(queue, oldest, queued, waiting)
                in_turn = queue[:queued]
            if when_early == REBACKFILL:
                last = rebackfill(times, free, first, last, in_turn, start, estimate, size)
            else:
                last, horizon = compress(times, free, first, last, in_turn, start, estimate, size, horizon)
            if horizon > -NEVER:  # else nothing has moved
                sort_by_start(by_start, started, reserved, start, arrival)
        while at < n and submit[order[at]] <= now:  # 2. jobs join the queue
            job = np.uint64(order[at])
            k = first_gap(found, times, free, first, last, size[job], estimate[job])
            start[job] = guarantee[job] = times[k]
            k, last = give(times, free, first, last, k, start[job], start[job] + estimate[job], -size[job])
            if latest == RECENT:
                reserved = merge(by_start, started, reserved, recent, earliest, latest, start)
                earliest = latest = 0
            insert_by_start(recent, earliest, latest, job, start)
            latest += 1
            queue[queued] = job
            waiting[job] = True
            arrival[job] = arrived
            queued += 1
            arrived += 1
            at += 1

        before = begins  # 3. those start whose time has come
        while True:
            if started < reserved and start[by_start[started]] == now:
                job = by_start[started]
                started += 1
            elif earliest < latest and start[recent[earliest]] == now:
                job = recent[earliest]
                earliest += 1
            else:
                break
            waiting[job] = False
            begun[begins] = job
            begins += 1
        while oldest < queued and not waiting[queue[oldest]]:
            oldest += 1
        for job in begun[before:begins]:
            backfilled[job] = oldest < queued and arrival[queue[oldest]] < arrival[job]
            end[job] = now + run[job]
            count = insert(running, count, job, end)
    return start, guarantee, backfilled
