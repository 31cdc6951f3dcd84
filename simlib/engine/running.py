"""The running jobs, in order of the times at which they end or are expected to."""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .arrivals import NEVER
from .parts import part
from .profile import ONE


class Ends(NamedTuple):
    """Running jobs in order of a time, that of their end or that of the expected one.

    Attributes
    ----------
    jobs : uint64 array, `jobs[:count[0]]` run, the next one to end last
    time : int64 array, seconds by job
    count : int64 array of one number
    """

    jobs: np.ndarray
    time: np.ndarray
    count: np.ndarray


class Running(NamedTuple):
    """The machine under EASY: who runs on it, and how much of it is free.

    Attributes
    ----------
    by_end, by_expected_end : Ends
    start : int64 array, seconds by job
    backfilled : bool array, by job
    free : int64 array of one number, processors
    """

    by_end: Ends
    by_expected_end: Ends
    start: np.ndarray
    backfilled: np.ndarray
    free: np.ndarray


@compiled
def no_ends(jobs, at_once):
    """Make room for the ends of so many jobs, of which so many run at once at most."""
    return Ends(np.empty(at_once, np.uint64), np.zeros(jobs, np.int64), np.zeros(1, np.int64))


@compiled
def idle(machine, jobs):
    """Make a machine of so many processors, on which none of so many jobs runs yet."""
    at_once = min(machine, jobs)
    start, backfilled, free = np.zeros(jobs, np.int64), np.zeros(jobs, np.bool_), np.full(1, machine, np.int64)
    return Running(no_ends(jobs, at_once), no_ends(jobs, at_once), start, backfilled, free)


@part
def next_end(ends):
    """Tell when the next job ends; `NEVER` where none runs."""
    count = ends.count[0]
    return ends.time[ends.jobs[np.uint64(count - 1)]] if count > 0 else NEVER


@part
def insert(ends, job, time):
    """Insert a job that is to end at `time`."""
    jobs, key = ends.jobs, ends.time
    key[job] = time
    i = np.uint64(ends.count[0])  # places are unsigned, see `profile`
    while i > 0 and key[jobs[i - ONE]] < time:
        jobs[i] = jobs[i - ONE]
        i -= ONE
    jobs[i] = job
    ends.count[0] += 1


@part
def take_next(ends):
    """Take out the next job to end. Returns it."""
    ends.count[0] -= 1
    return ends.jobs[np.uint64(ends.count[0])]


@part
def remove(ends, job):
    """Take out a job, keeping the order of the others."""
    jobs = ends.jobs
    i = last = np.uint64(ends.count[0] - 1)
    while jobs[i] != job:
        i -= ONE
    while i < last:
        jobs[i] = jobs[i + ONE]
        i += ONE
    ends.count[0] -= 1


@part
def start_job(running, job, now, size, run, estimate):
    """Start a job now: it takes its processors, for its run time, and is expected to for its estimate."""
    running.start[job] = now
    running.free[0] -= size[job]
    insert(running.by_end, job, now + run[job])
    insert(running.by_expected_end, job, now + estimate[job])


@part
def end_job(running, size):
    """End the next job to end: it frees its processors. Returns it."""
    job = take_next(running.by_end)
    remove(running.by_expected_end, job)
    running.free[0] += size[job]
    return job
