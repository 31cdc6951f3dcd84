"""EASY as programs have it: the details in which they differ from MF section 2.2, each as an option."""

from typing import NamedTuple

import numpy as np

from simlib._util.arrays import Bools, Int, Ints, Places
from simlib._util.compiled import compiled
from simlib.engine.events import NEVER, ONE, part, uncounted
from simlib.engine.profile import FIRST, LAST, Profile, advance, give

from .room import (
    Ends,
    Running,
    arrivals_of,
    arrive,
    end_job,
    idle,
    insert,
    next_arrival,
    next_end,
    no_ends,
    remove,
    start_job,
)

ONE_PASS, ENDS_FIRST, ARRIVALS_FIRST = range(3)
CHARGE_LONG, CHARGE_NONE = range(2)
COUNTED, NOBODY, ANYBODY, PLACED = range(4)

FAR = 2**32  # seconds, later than any end: so an estimate and an end make one number, sorted by both


@compiled
def all_free(machine: int, jobs: int) -> Profile:
    """Make the profile of a machine of so many processors, on which so many jobs will run."""
    room = 12 * jobs + 64  # 3 steps a job before tidying, and 9 that the events of an instant may add
    times, free = np.empty(room, np.int64), np.empty(room, np.int64)
    times[0], free[0], times[1] = 0, machine, NEVER
    at = np.empty(3, np.uint64)
    at[0], at[1], at[2] = 0, 1, 32
    return Profile(times, free, at)


class EasyReading(NamedTuple):
    """How the text is read; the defaults are how the engine does."""

    charge: int = CHARGE_LONG  # which backfilled jobs use up extra processors
    strict: bool = False  # whether a backfilled job ends before the shadow time, not at it
    first_only: bool = False  # whether extra processors are counted as soon as the head has enough
    events: int = ONE_PASS  # whether there is one pass for all events of an instant, or one for each
    held: bool = False  # whether the head keeps the shadow time that it had first
    beyond: int = COUNTED  # who may run beyond the shadow time; `PLACED`: on those that the head's lowest numbers leave
    known: bool = False  # whether candidates are considered with their run times, not their estimates
    by_limit: bool = False  # whether running jobs are gone through in order of their estimates, not of their ends
    waits: bool = False  # whether the head starts no earlier than at the shadow time that it had first; with `held`
    recomputed: bool = False  # whether all is computed again after each backfilled job, from the first candidate on
    looked_at: int = 0  # how many jobs of the queue are looked at at a time, 0 for all
    least: int = 0  # seconds that a running job is taken to need at least


TEXT = EasyReading()


class Queue(NamedTuple):
    """The jobs that wait."""

    jobs: Places
    length: Ints


@part
def join(queue: Queue, job: Int) -> None:
    """Put the job that arrived last into the queue."""
    queue.jobs[queue.length[0]] = job
    queue.length[0] += 1


@uncounted
def drop_started(queue: Queue, start: Ints) -> None:
    """Take those out of the queue that have started."""
    waiting = np.uint64(0)  # places are unsigned, see `simlib.engine.profile`
    for i in range(np.uint64(queue.length[0])):
        queue.jobs[waiting] = queue.jobs[i]
        waiting += np.uint64(start[queue.jobs[i]] == NEVER)
    queue.length[0] = waiting


@uncounted
def shadow_time(
    head_size: Int, now: Int, running: Running, limits: Ends, size: Ints, reading: EasyReading
) -> tuple[Int, Int]:
    """Find the head's shadow time and the extra processors, counted, see `EasyReading`."""
    order = limits if reading.by_limit else running.by_expected_end
    available = running.free[0]
    shadow = now
    for i in range(order.length[0] - 1, -1, -1):
        job = order.jobs[i]
        end = running.by_expected_end.time[job]
        if reading.least > 0:
            end = max(end, now + reading.least)
        if available >= head_size and (reading.first_only or reading.by_limit or end > shadow):
            break
        available += size[job]
        shadow = end if reading.by_limit else max(shadow, end)
    return shadow, available - head_size


# Which processors a job gets: for programs that reserve processors by their numbers, not by how many they are. The
# machine is a profile over its processors, not over time: in place of how many are free it has who holds them.

FREE, BEYOND = 0, -1  # nobody; there is no such processor. Job j is the holder j + 1


@compiled
def machine_map(machine: int, jobs: int) -> Profile:
    """Map a machine of so many processors, all of them free, for so many jobs."""
    places = all_free(FREE, jobs)
    give(places, places.at[FIRST], machine, NEVER, BEYOND)
    return places


@uncounted
def occupy(places: Profile, job: Int, size: Int, lowest: Int) -> None:
    """Give a job the free processors of the lowest numbers, none of them below `lowest`."""
    k, lacking = places.at[FIRST], size
    while lacking > 0:
        begin, end = max(places.times[k], lowest), places.times[k + ONE]
        if places.free[k] == FREE and begin < end:
            until = min(end, begin + lacking)
            k = give(places, k, begin, until, np.int64(job) + 1)
            lacking -= until - begin
        else:
            k += ONE


@uncounted
def vacate(places: Profile, job: Int) -> None:
    """Free the processors of a job."""
    for k in range(places.at[FIRST], places.at[LAST]):
        if places.free[k] == np.int64(job) + 1:
            places.free[k] = FREE
    advance(places, 0)  # which tidies up


@uncounted
def end_of_reserved(places: Profile, size: Int, shadow: Int, expected_end: Ints) -> Int:
    """Reserve the lowest processors that are free by the shadow time. Returns the number after the last of them."""
    k, reserved = places.at[FIRST], 0
    while places.free[k] != BEYOND:
        if places.free[k] == FREE or expected_end[places.free[k] - 1] <= shadow:
            reserved += places.times[k + ONE] - places.times[k]
            if reserved >= size:
                return places.times[k + ONE] - (reserved - size)
        k += ONE
    return places.times[k]


@uncounted
def free_from(places: Profile, lowest: Int) -> Int:
    """Count the free processors whose number is no lower."""
    free = 0
    for k in range(places.at[FIRST], places.at[LAST]):
        if places.free[k] == FREE:
            free += max(places.times[k + ONE] - max(places.times[k], lowest), 0)
    return free


@part
def hold(first_shadow: Ints, head: Int, shadow: Int, now: Int) -> Int:
    """Find the shadow time that the head had when it first waited as head, or now if that has passed."""
    if first_shadow[head] == NEVER:
        first_shadow[head] = shadow
    return max(first_shadow[head], now)


@compiled
def easy_reading(
    submit: Ints, run: Ints, estimate: Ints, size: Ints, machine: int, reading: EasyReading
) -> tuple[Ints, Bools]:
    """Start times under EASY as the text is read."""
    n, nobody = submit.size, np.empty(0, np.int64)  # nobody follows another
    arrivals, running = arrivals_of(submit, nobody, nobody), idle(machine, n)
    queue = Queue(np.empty(n, np.uint64), np.zeros(1, np.int64))
    limits, places = no_ends(n, min(machine, n)), machine_map(machine, n if reading.beyond == PLACED else 0)
    expected_end = running.by_expected_end.time
    start, backfilled, first_shadow = running.start, np.zeros(n, np.bool_), np.full(n, NEVER)
    start[:] = NEVER

    while True:
        now = min(next_arrival(arrivals), next_end(running.by_end))
        if now == NEVER:
            if queue.length[0] == 0:
                break
            now = first_shadow[queue.jobs[0]]  # waits, on an idle machine

        more = min(next_arrival(arrivals), next_end(running.by_end)) <= now  # events: one, or all of this instant
        while more:
            arrival = next_arrival(arrivals) <= now
            if arrival and (reading.events == ARRIVALS_FIRST or next_end(running.by_end) > now):
                join(queue, arrive(arrivals))
            else:
                job = end_job(running, size)
                if reading.by_limit:
                    remove(limits, job)
                if reading.beyond == PLACED:
                    vacate(places, job)
            more = reading.events == ONE_PASS and min(next_arrival(arrivals), next_end(running.by_end)) <= now

        again = True
        while again:
            waiting = queue.length[0]
            looked_at = min(waiting, reading.looked_at) if reading.looked_at > 0 else waiting
            place = np.uint64(0)
            while place < looked_at:
                job = queue.jobs[place]
                too_early = reading.waits and first_shadow[job] != NEVER and first_shadow[job] > now
                if size[job] > running.free[0] or too_early:
                    break
                start_job(running, job, now, size, run, estimate)
                if reading.by_limit:
                    insert(limits, job, estimate[job] * FAR + expected_end[job])
                if reading.beyond == PLACED:
                    occupy(places, job, size[job], 0)
                place += np.uint64(1)
            if place < looked_at:
                head, known, shadow = queue.jobs[place], False, now
                extra: Int = np.int64(0)
                lowest: Int = np.int64(0)
                i = np.uint64(0)
                while i < looked_at:
                    if not known:
                        shadow, extra = shadow_time(size[head], now, running, limits, size, reading)
                        if reading.held:
                            shadow = hold(first_shadow, head, shadow, now)
                        if reading.beyond == NOBODY:
                            extra = np.int64(0)
                        elif reading.beyond == ANYBODY:
                            extra = NEVER
                        elif reading.beyond == PLACED:
                            lowest = end_of_reserved(places, size[head], shadow, expected_end)
                            extra = free_from(places, lowest)
                        known = True
                    job = queue.jobs[i]
                    i += np.uint64(1)
                    if size[job] > running.free[0] or start[job] != NEVER or job == head:
                        continue
                    end = now + (run[job] if reading.known else estimate[job])
                    in_time = end < shadow or (end == shadow and not reading.strict)
                    if not in_time and size[job] > extra:
                        continue
                    backfilled[job] = True
                    start_job(running, job, now, size, run, estimate)
                    if reading.by_limit:
                        insert(limits, job, estimate[job] * FAR + expected_end[job])
                    if reading.beyond == PLACED:
                        occupy(places, job, size[job], 0 if in_time else lowest)
                        extra = free_from(places, lowest)
                    elif reading.charge == CHARGE_LONG and not in_time:
                        extra -= size[job]
                    if reading.recomputed:
                        i, known = np.uint64(0), False
            drop_started(queue, start)
            again = looked_at < waiting and queue.length[0] < waiting
    return start, backfilled
