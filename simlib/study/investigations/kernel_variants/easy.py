"""EASY as its text can also be read: the details that MF section 2.2 leaves open, each as an option."""

from typing import NamedTuple

import numpy as np

from ...._util.compiled import compiled
from ....engine.running import (
    NEVER,
    arrivals_of,
    arrive,
    end_job,
    idle,
    next_arrival,
    next_end,
    part,
    start_job,
    uncounted,
)

ONE_PASS, ENDS_FIRST, ARRIVALS_FIRST = range(3)
CHARGE_LONG, CHARGE_NONE, CHARGE_ALL = range(3)
OLDEST, NEWEST, SHORTEST, LONGEST, NARROWEST, WIDEST = range(6)


class EasyReading(NamedTuple):
    """How the text is read; the defaults are how the engine does."""

    charge: int = CHARGE_LONG
    strict: bool = False
    first_only: bool = False
    in_past: bool = False
    events: int = ONE_PASS
    candidates: int = OLDEST
    once: bool = False
    held: bool = False


TEXT = EasyReading()


class Queue(NamedTuple):
    """The jobs that wait."""

    jobs: np.ndarray
    considered: np.ndarray
    count: np.ndarray


@part
def join(queue, job, estimate, size, candidates):
    """Put the job that arrived last into both orders of the queue."""
    considered, i = queue.considered, queue.count[0]
    queue.jobs[i] = job
    queue.count[0] = i + 1
    key = estimate if candidates == SHORTEST or candidates == LONGEST else size
    sign = -1 if candidates == LONGEST or candidates == WIDEST else 1
    while i > 0 and candidates != OLDEST and (candidates == NEWEST or sign * key[considered[i - 1]] > sign * key[job]):
        considered[i] = considered[i - 1]
        i -= 1
    considered[i] = job


@part
def drop_started(queue, start):
    """Take those out of the queue that have started."""
    those_waiting(queue.considered, queue.count[0], start)
    queue.count[0] = those_waiting(queue.jobs, queue.count[0], start)


@uncounted
def those_waiting(jobs, count, start):
    """Move those of `jobs[:count]` that have not started to the front. Returns how many they are."""
    waiting = np.uint64(0)  # places are unsigned, see `simlib.engine.profile`
    for i in range(np.uint64(count)):
        jobs[waiting] = jobs[i]
        waiting += np.uint64(start[jobs[i]] == NEVER)
    return np.int64(waiting)


@uncounted
def shadow_time(head_size, now, running, size, reading):
    """Find the head's shadow time and extra processors, see `EasyReading` for `first_only` and `in_past`."""
    expected = running.by_expected_end
    available = running.free[0]
    shadow = -NEVER if reading.in_past else now
    for i in range(expected.count[0] - 1, -1, -1):
        job = expected.jobs[i]
        if available >= head_size and (reading.first_only or expected.time[job] > shadow):
            break
        available += size[job]
        shadow = max(shadow, expected.time[job])
    return shadow, available - head_size


@part
def hold(first_shadow, head, shadow, now):
    """Find the shadow time that the head had when it first waited as head, or now if that has passed."""
    if first_shadow[head] == NEVER:
        first_shadow[head] = shadow
    return max(first_shadow[head], now)


@compiled
def easy_reading(submit, run, estimate, size, machine, reading):
    """Start times under EASY as the text is read."""
    n, nobody = submit.size, np.empty(0, np.int64)  # nobody follows another
    arrivals, running = arrivals_of(submit, nobody, nobody), idle(machine, n)
    queue = Queue(np.empty(n, np.uint64), np.empty(n, np.uint64), np.zeros(1, np.int64))
    start, backfilled, first_shadow = running.start, np.zeros(n, np.bool_), np.full(n, NEVER)
    start[:] = NEVER

    while True:
        now = min(next_arrival(arrivals), next_end(running.by_end))
        if now == NEVER:
            break

        more = True  # events: one, or all of this instant
        while more:
            arrival = next_arrival(arrivals) <= now
            if arrival and (reading.events == ARRIVALS_FIRST or next_end(running.by_end) > now):
                join(queue, arrive(arrivals), estimate, size, reading.candidates)
            else:
                end_job(running, size)
            more = reading.events == ONE_PASS and min(next_arrival(arrivals), next_end(running.by_end)) <= now

        place = np.uint64(0)
        while place < queue.count[0] and size[queue.jobs[place]] <= running.free[0]:
            start_job(running, queue.jobs[place], now, size, run, estimate)
            place += np.uint64(1)
        if place < queue.count[0]:
            head = queue.jobs[place]
            shadow, extra = shadow_time(size[head], now, running, size, reading)
            if reading.held:
                shadow = hold(first_shadow, head, shadow, now)
            for i in range(np.uint64(queue.count[0])):
                job = queue.considered[i]
                if size[job] > running.free[0] or start[job] == now:  # the head is too large, too
                    continue
                in_time = now + estimate[job] < shadow or (now + estimate[job] == shadow and not reading.strict)
                if not in_time and size[job] > extra:
                    continue
                if reading.charge == CHARGE_ALL or (reading.charge == CHARGE_LONG and not in_time):
                    extra -= size[job]
                backfilled[job] = True
                start_job(running, job, now, size, run, estimate)
                if reading.once:
                    break
        drop_started(queue, start)
    return start, backfilled
