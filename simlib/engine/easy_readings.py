"""EASY as its text can also be read: the details that MF section 2.2 leaves open, each as an option.

This is for one purpose, to find out which program the authors of MF ran (`simlib.papers.mualem2001.detective`). It is
kept apart from `easy`, which stays as readable as the text; with `TEXT` it gives the same schedules. No detail here is
a good idea for a scheduler of today.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .arrivals import NEVER
from .running import insert, remove

ONE_PASS, ENDS_FIRST, ARRIVALS_FIRST = range(3)
CHARGE_LONG, CHARGE_NONE, CHARGE_ALL = range(3)
OLDEST, NEWEST, SHORTEST, LONGEST, NARROWEST, WIDEST = range(6)


class EasyReading(NamedTuple):
    """How the text is read; the defaults are how the engine does.

    Attributes
    ----------
    charge : int
        Which backfilled jobs use up extra processors: CHARGE_LONG, those that will run beyond the shadow time;
        CHARGE_NONE, so that several can use the same ones; CHARGE_ALL.
    strict : bool
        Whether a backfilled job has to end before the shadow time, not at it.
    first_only : bool
        Whether the extra processors are counted as soon as there are enough for the head, leaving out other jobs that
        are expected to end at the very same time. So says the text's loop, if it is taken by the letter.
    in_past : bool
        Whether a job that outlives its estimate leaves its expected end in the past, so that the shadow time can be.
    events : int
        What is done with several events of one instant: ONE_PASS over the queue after all of them; or a pass after
        each, ENDS_FIRST or ARRIVALS_FIRST.
    candidates : int
        The order in which jobs are considered for backfilling: OLDEST, NEWEST, SHORTEST (estimate), LONGEST, NARROWEST
        (processors) or WIDEST first.
    once : bool
        Whether a pass backfills one job at most.
    held : bool
        Whether the head keeps the shadow time that it had when it first waited as head, unless that has passed.
    """

    charge: int = CHARGE_LONG
    strict: bool = False
    first_only: bool = False
    in_past: bool = False
    events: int = ONE_PASS
    candidates: int = OLDEST
    once: bool = False
    held: bool = False


TEXT = EasyReading()


@compiled
def shadow_time(head_size, free, now, running, count, expected_end, size, first_only, in_past):
    """As `easy.shadow_time`, but see `EasyReading` for `first_only` and `in_past`."""
    available = free
    shadow = -NEVER if in_past else now
    for i in range(count - 1, -1, -1):
        job = running[i]
        if available >= head_size and (first_only or expected_end[job] > shadow):
            break
        available += size[job]
        shadow = max(shadow, expected_end[job])
    return shadow, available - head_size


@compiled
def insert_candidate(considered, queued, job, estimate, size, candidates):
    """Insert the job that arrived last into `considered[:queued]`, the order in which jobs are considered."""
    key = estimate if candidates == SHORTEST or candidates == LONGEST else size
    sign = -1 if candidates == LONGEST or candidates == WIDEST else 1
    i = queued
    while i > 0 and candidates != OLDEST and (candidates == NEWEST or sign * key[considered[i - 1]] > sign * key[job]):
        considered[i] = considered[i - 1]
        i -= 1
    considered[i] = job


@compiled
def those_waiting(jobs, count, start):
    """Move those of `jobs[:count]` that have not started to the front. Returns how many they are."""
    waiting = np.uint64(0)  # places are unsigned, see `profile`
    for i in range(np.uint64(count)):
        jobs[waiting] = jobs[i]
        waiting += np.uint64(start[jobs[i]] == NEVER)
    return np.int64(waiting)


@compiled
def easy_reading(submit, run, estimate, size, machine, reading):
    """Start times under EASY as the text is read.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of submit times; seconds and processors.
        Estimates may be below the run times.
    machine : int, processors; no job is larger
    reading : EasyReading

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job passed a waiting head
    """
    n = submit.size
    start = np.full(n, NEVER)
    end = np.zeros(n, np.int64)
    expected_end = np.zeros(n, np.int64)
    backfilled = np.zeros(n, np.bool_)
    first_shadow = np.full(n, NEVER)
    queue = np.empty(n, np.uint64)  # in order of arrival
    considered = np.empty(n, np.uint64)  # the same jobs in the order in which they are considered
    by_end = np.empty(min(machine, n), np.uint64)
    by_expected_end = np.empty(min(machine, n), np.uint64)
    arrived, queued, running = 0, 0, 0
    free = machine

    while arrived < n or queued > 0 or running > 0:
        now = submit[arrived] if arrived < n else NEVER
        if running > 0:
            now = min(now, end[by_end[running - 1]])

        more = True  # events: one, or all of this instant
        while more:
            ends = running > 0 and end[by_end[running - 1]] <= now
            if arrived < n and submit[arrived] <= now and (reading.events == ARRIVALS_FIRST or not ends):
                queue[queued] = arrived
                insert_candidate(considered, queued, np.uint64(arrived), estimate, size, reading.candidates)
                queued += 1
                arrived += 1
            else:
                job = by_end[running - 1]
                free += size[job]
                running = remove(by_expected_end, running, job)
            more = reading.events == ONE_PASS and (
                (running > 0 and end[by_end[running - 1]] <= now) or (arrived < n and submit[arrived] <= now)
            )

        blocked = False
        head = queue[0]
        shadow, extra = now, 0
        i = 0
        while i < queued:
            job = considered[np.uint64(i)] if blocked else queue[np.uint64(i)]
            i += 1
            if blocked and (job == head or start[job] == now):
                continue
            starts = size[job] <= free
            if starts and blocked:
                if now + estimate[job] > shadow or (reading.strict and now + estimate[job] == shadow):
                    starts = size[job] <= extra
                    if starts and reading.charge == CHARGE_LONG:
                        extra -= size[job]
                if starts and reading.charge == CHARGE_ALL:
                    extra -= size[job]
                backfilled[job] = starts
            if starts:
                start[job] = now
                end[job] = now + run[job]
                expected_end[job] = now + estimate[job]
                free -= size[job]
                insert(by_end, running, job, end)
                running = insert(by_expected_end, running, job, expected_end)
                if blocked and reading.once:
                    break
            elif not blocked:
                blocked, head, i = True, job, 0
                shadow, extra = shadow_time(
                    size[job],
                    free,
                    now,
                    by_expected_end,
                    running,
                    expected_end,
                    size,
                    reading.first_only,
                    reading.in_past,
                )
                if reading.held:
                    if first_shadow[job] == NEVER:
                        first_shadow[job] = shadow
                    shadow = max(first_shadow[job], now)
        those_waiting(considered, queued, start)
        queued = those_waiting(queue, queued, start)
    return start, backfilled
