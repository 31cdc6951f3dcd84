"""EASY backfilling (MF section 2.2), with the users' estimates or with adjusted ones (Tang section 5)."""

import numpy as np

from ..compiled import compiled
from .adjusting import adjust, estimates_in_use, put_off, remember
from .arrivals import NEVER, arrivals, submit_followers
from .candidates import GROUP, empty_index, enter, index_all, leave, next_candidate, without_gone
from .running import insert, remove, sort_by_priority

LONG = 256  # jobs in a queue that is worth an index


@compiled
def shadow_time(head_size, free, now, running, count, expected_end, size):
    """When the head of the queue can start at the latest, and what it will leave free (MF 2.2, step 1).

    Parameters
    ----------
    head_size, free, now : the head's processors; the free ones; seconds
    running : int64 array, the first `count` of which are the running jobs by `expected_end`, latest first

    Returns
    -------
    shadow, extra : the shadow time in seconds, never before now; processors
    """
    available = free
    shadow = now
    for i in range(count - 1, -1, -1):
        job = running[i]
        if available >= head_size and expected_end[job] > shadow:
            break
        available += size[job]
        shadow = max(shadow, expected_end[job])
    return shadow, available - head_size


@compiled
def easy(submit, run, estimate, size, machine, preceding, think, watch, reuse_extra, prioritised, priority, adjusting):
    """Start times under EASY backfilling.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of recorded submit times; seconds and
        processors. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    watch : int64 array, [0] is set to how many jobs have started; when [1] is not 0, the kernel returns what it has
    reuse_extra : bool, whether several backfilled jobs may use the same extra processors
    prioritised : bool, whether the queue is sorted by `priority` before each pass, or kept in order of arrival
    priority : compiled function of (wait, estimate, size) -> float64
    adjusting : Adjusting, or None to go by the estimates as they are, which is compiled separately and costs nothing

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job passed a waiting head
    first_shadow : int64 array, the job's shadow time when it first waited at the head; -1 where it never did
    t_sched : int64 array, the adjusted estimates in seconds; without adjustment the users'
    """
    n = submit.size
    feedback = preceding.size > 0
    start = np.zeros(n, np.int64)
    end = np.zeros(n, np.int64)
    expected_end = np.zeros(n, np.int64)
    backfilled = np.zeros(n, np.bool_)
    first_shadow = np.full(n, -1)
    arrival = np.empty(n, np.int64)
    queue = np.empty(n, np.uint64)  # job numbers are unsigned, see `profile`
    rank = np.empty(n, np.float64)
    by_end = np.empty(min(machine, n), np.uint64)  # the running jobs, by end and by expected end
    by_expected_end = np.empty(min(machine, n), np.uint64)
    oldest, queued, gone, running, arrived = 0, 0, 0, 0, 0  # gone from the queue's places, which still hold them
    groups, index = 0, empty_index(size)  # of a long queue; what is never needed of it takes no memory
    shadow, extra, seen = np.int64(0), np.int64(0), 0  # seen in the last pass, since which nobody has left
    order, at, first, others = arrivals(n, preceding)
    t_sched, for_queue, for_backfilling, for_running = estimates_in_use(estimate, adjusting)
    free = machine

    while (at < n or queued > gone or running > 0) and watch[1] == 0:
        watch[0] = arrived - (queued - gone)
        now = submit[order[at]] if at < n else NEVER
        if running > 0:
            now = min(now, end[by_end[running - 1]])

        while running > 0 and end[by_end[running - 1]] <= now:  # 1. jobs leave
            job = by_end[running - 1]
            free += size[job]
            seen = 0
            running = remove(by_expected_end, running, job)  # and it was the last one by end
            if feedback:
                at = submit_followers(order, at, job, now, first, others, think, submit)
            if adjusting is not None:
                remember(adjusting, job, now)
        while at < n and submit[order[at]] <= now:  # 2. jobs join the queue
            job = np.uint64(order[at])
            queue[queued] = job
            arrival[job] = arrived
            queued += 1
            arrived += 1
            at += 1
            if adjusting is not None:
                t_sched[job] = adjust(adjusting, job, now, estimate)
            if groups > 0:
                enter(index, groups, queued - 1, size[job], for_backfilling[job])
                if queued == groups * GROUP:
                    queued, oldest, gone, groups, seen = without_gone(queue, queued, index), 0, 0, 0, 0

        if adjusting is not None:  # 3. one scheduling pass
            put_off(by_expected_end, running, expected_end, start, for_running, now, adjusting.overdue)
        if prioritised:
            sort_by_priority(queue, queued, now, submit, arrival, for_queue, size, priority, rank)
        blocked = False  # whether the head of the queue has to wait
        last_shadow, last_extra = shadow, extra
        i, waiting = oldest, 0
        while i < queued:
            job = queue[np.uint64(i)]  # places are unsigned where it matters, see `profile`
            starts = size[job] <= free
            if starts and blocked:
                if now + for_backfilling[job] > shadow:
                    starts = size[job] <= extra
                    if starts and not reuse_extra:
                        extra -= size[job]
                backfilled[job] = starts
            if starts:
                start[job] = now
                end[job] = now + run[job]
                expected_end[job] = now + for_running[job]
                free -= size[job]
                insert(by_end, running, job, end)
                running = insert(by_expected_end, running, job, expected_end)
                if groups > 0:
                    leave(index, groups, i)
                    gone += 1
            else:
                if not blocked:
                    blocked = True
                    shadow, extra = shadow_time(size[job], free, now, by_expected_end, running, expected_end, size)
                    if first_shadow[job] < 0:
                        first_shadow[job] = shadow
                    if i < seen and shadow == last_shadow and extra == last_extra:
                        i = waiting = seen - 1  # with less free and less time they have to wait again
                        job = queue[i]
                if groups == 0:
                    queue[np.uint64(waiting)] = job
                    waiting += 1
            i += 1
            if groups > 0:
                if blocked:
                    time = shadow - now
                    i = next_candidate(index, groups, i, queued, free, extra, time)
                else:
                    while i < queued and index.size[i] == NEVER:
                        i += 1
                    oldest = i
        if groups == 0:
            queued = waiting
            if queued > LONG and not prioritised:
                groups = index_all(index, queue, queued, size, for_backfilling)
        elif gone > queued // 2:
            queued, oldest, gone, groups = without_gone(queue, queued, index), 0, 0, 0
        seen = 0 if prioritised else queued
    return start, backfilled, first_shadow, t_sched
