"""The arrivals of jobs and the machine, as the engine had them when these kernels were written."""

from typing import NamedTuple

import numpy as np

from simlib._util.arrays import Bools, Int, Ints, Place, Places
from simlib._util.compiled import compiled
from simlib.engine.events import NEVER, insert_end, part, remove_end


class Arrivals(NamedTuple):
    """The jobs that have arrived, and those to come.

    `order[:arrived[0]]` have arrived, `order[coming[0]:]` are to come by submit time and number; in between is room for
    followers, whose submit time is set when the job before them ends.
    """

    order: Ints
    arrived: Ints
    coming: Ints
    number: Ints
    submit: Ints
    think: Ints
    first: Ints
    others: Ints


@part
def next_arrival(arrivals: Arrivals) -> Int:
    """Tell when the next job arrives; `NEVER` if none is known."""
    at = arrivals.coming[0]
    return arrivals.submit[arrivals.order[at]] if at < arrivals.order.size else NEVER


@part
def arrive(arrivals: Arrivals) -> Place:
    """Let the next job arrive. Returns it."""
    at, arrived = arrivals.coming[0], arrivals.arrived[0]
    job = np.uint64(arrivals.order[at])  # job numbers are unsigned, see `profile`
    arrivals.order[arrived] = job
    arrivals.number[job] = arrived
    arrivals.coming[0], arrivals.arrived[0] = at + 1, arrived + 1
    return job


@part
def submit_followers(arrivals: Arrivals, job: Int, end: Int) -> None:
    """Set the submit times of the followers of `job`, which ends at `end`, and add them to the jobs to come."""
    if arrivals.first.size > 0:
        follower = arrivals.first[job]
        while follower >= 0:
            arrivals.submit[follower] = end + arrivals.think[follower]
            _insert(arrivals.order, arrivals.coming, arrivals.submit, follower)
            follower = arrivals.others[follower]


@compiled
def _insert(order: Ints, coming: Ints, submit: Ints, follower: Int) -> None:
    """Insert a follower among the jobs to come, from the front, because few jobs arrive during a think time."""
    i = coming[0]
    while i < order.size and (
        submit[order[i]] < submit[follower] or (submit[order[i]] == submit[follower] and order[i] < follower)
    ):
        order[i - 1] = order[i]
        i += 1
    order[i - 1] = follower
    coming[0] -= 1


class Ends(NamedTuple):
    """Running jobs by their ends, or expected ends: `jobs[:length[0]]` run, the next one to end last."""

    jobs: Places
    time: Ints
    length: Ints


class Running(NamedTuple):
    """The machine under EASY: its running jobs, and its free processors."""

    by_end: Ends
    by_expected_end: Ends
    start: Ints
    backfilled: Bools
    free: Ints


@part
def next_end(ends: Ends) -> Int:
    """Tell when the next job ends; `NEVER` if none runs."""
    count = ends.length[0]
    return ends.time[ends.jobs[np.uint64(count - 1)]] if count > 0 else NEVER


@part
def insert(ends: Ends, job: Int, time: Int) -> None:
    """Insert a job that is to end at `time`."""
    insert_end(ends.jobs, np.uint64(ends.length[0]), ends.time, job, time)  # places are unsigned, see `profile`
    ends.length[0] += 1


@part
def take_next(ends: Ends) -> Place:
    """Take out the next job to end. Returns it."""
    ends.length[0] -= 1
    return ends.jobs[np.uint64(ends.length[0])]


@part
def remove(ends: Ends, job: Int) -> None:
    """Take out a job, keeping the order of the others."""
    ends.length[0] -= 1
    remove_end(ends.jobs, np.uint64(ends.length[0]), job)


@part
def start_job(running: Running, job: Int, now: Int, size: Ints, run: Ints, estimate: Ints) -> None:
    """Start a job now: it takes its processors for its run time, and is expected to take them for its estimate."""
    running.start[job] = now
    running.free[0] -= size[job]
    insert(running.by_end, job, now + run[job])
    insert(running.by_expected_end, job, now + estimate[job])


@part
def end_job(running: Running, size: Ints) -> Place:
    """End the next job to end: it frees its processors. Returns it."""
    job = take_next(running.by_end)
    remove(running.by_expected_end, job)
    running.free[0] += size[job]
    return job


@compiled
def arrivals_of(submit: Ints, preceding: Ints, think: Ints) -> Arrivals:
    """Make the arrivals of a workload; the submit times of followers will be overwritten."""
    order, at = np.empty(submit.size, np.int64), preceding.size
    for job in range(submit.size):
        order[job] = job
    first, others = np.full(at, -1), np.full(at, -1)
    for job in range(preceding.size - 1, -1, -1):
        if preceding[job] < 0:
            at -= 1
            order[at] = job
        else:
            others[job] = first[preceding[job]]
            first[preceding[job]] = job
    arrived, coming, number = np.zeros(1, np.int64), np.full(1, at), np.empty(submit.size, np.int64)
    return Arrivals(order, arrived, coming, number, submit, think, first, others)


@compiled
def no_ends(jobs: int, at_once: int) -> Ends:
    """Make room for the ends of so many jobs, and for so many that run at once."""
    return Ends(np.empty(at_once, np.uint64), np.zeros(jobs, np.int64), np.zeros(1, np.int64))


@compiled
def idle(machine: int, jobs: int) -> Running:
    """Make a machine of so many processors, on which none of so many jobs runs yet."""
    at_once = min(machine, jobs)
    start, backfilled, free = np.zeros(jobs, np.int64), np.zeros(jobs, np.bool_), np.empty(1, np.int64)
    free[0] = machine
    return Running(no_ends(jobs, at_once), no_ends(jobs, at_once), start, backfilled, free)
