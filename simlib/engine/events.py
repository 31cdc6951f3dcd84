"""The arrivals of jobs, and the running jobs in order of their ends and expected ends.

A follower is submitted a think time after the end of the job that it follows (feedback; fields 17 and 18 of the
Standard Workload Format). So only the simulation knows the submit times.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from .._util.arrays import Int, Ints, Place, Places
from .._util.compiled import compiled

_Function = TypeVar("_Function", bound=Callable)


class _Compiling(Protocol):
    """Compiles a function, which is called as before."""

    def __call__(self, function: _Function) -> _Function: ...


uncounted: _Compiling = partial(compiled, _nrt=False)
"""Compile a function that counts no references.

Numba counts the references to each array of a tuple that a function is given, by atomic instructions; around a few
lines that are run at every event this takes ten times as long as the lines. A function that does not count may neither
make an array nor return one, nor raise an exception with arguments, and the arrays that it is given must be held by who
calls it, as they are by a kernel.
"""

part: _Compiling = partial(compiled, _nrt=False, forceinline=True)
"""Compile a function that counts no references into those that call it."""

small: _Compiling = partial(compiled, _nrt=False, inline="always")
"""Compile a few lines as a part of the function that calls them, before its types are known; neither counts."""

NEVER: Int = np.int64(2) ** 62

ONE, TWO = np.uint64(1), np.uint64(2)  # places and job numbers are unsigned, see `profile`

OPEN = np.empty(0, np.int64), np.empty(0, np.int64)
"""The `preceding` and `think` of a workload in which no job follows another."""


Followers = tuple[Places, Places, Places, Ints] | None
"""As `followers_of` makes it."""


def followers_of(preceding: Ints, think: Ints) -> tuple[Followers, int]:
    """Make what an event loop is told of followers, and count them: so many places of the jobs to come are empty.

    None and 0 for `OPEN`; else the jobs to come, in order, behind empty places; all jobs by the one that they follow;
    where in these the followers of each job begin; and think times. This is plain Python.
    """
    if preceding.size == 0:
        return None, 0
    follows = np.flatnonzero(preceding >= 0)
    by_preceding = follows[np.argsort(preceding[follows], kind="stable")].astype(np.uint64)
    begin = np.concatenate([[0], np.cumsum(np.bincount(preceding[follows], minlength=preceding.size))]).astype(
        np.uint64
    )
    order = np.concatenate([np.zeros_like(follows), np.flatnonzero(preceding < 0)]).astype(np.uint64)
    return (order, by_preceding, begin, think), follows.size


@small
def next_job(coming: Place, followers: Followers) -> Int:
    """Tell which job is submitted next: that at a place of those to come, which are in order but for followers."""
    job = coming
    if followers is not None:
        job = followers[0][coming]
    return job


@small
def next_submission(coming: Place, submit: Ints, followers: Followers) -> Int:
    """Tell when the next job is submitted; `NEVER` if none is known."""
    time = NEVER
    if coming < np.uint64(submit.size):
        time = submit[next_job(coming, followers)]
    return time


@small
def submit_followers(followers: Followers, coming: Place, submit: Ints, job: Int, now: Int) -> Place:
    """Submit the followers of a job that ends now: insert them among the jobs to come.

    The search begins at the front, because few jobs arrive during a think time. Returns the place of the next to come.
    """
    if followers is not None:
        order, by_preceding, begin, think = followers
        for follower in by_preceding[begin[job] : begin[job + ONE]]:
            submit[follower] = time = now + think[follower]
            i = coming
            while i < order.size and (submit[order[i]] < time or (submit[order[i]] == time and order[i] < follower)):
                order[i - ONE] = order[i]
                i += ONE
            order[i - ONE] = follower
            coming -= ONE
    return coming


@small
def next_end(jobs: Places, count: Place, time: Ints) -> Int:
    """Tell when the next of the `count` running jobs ends, which are sorted as by `insert_end`; `NEVER`: none runs."""
    end = NEVER
    if count > 0:
        end = time[jobs[count - ONE]]
    return end


@small
def insert_end(jobs: Places, count: Place, time: Ints, job: Int, end: Int) -> None:
    """Insert a job that is to end at `end` into the `count` running ones, which are sorted, the next to end last."""
    time[job] = end
    i = count
    while i > 0 and time[jobs[i - ONE]] < end:
        jobs[i] = jobs[i - ONE]
        i -= ONE
    jobs[i] = job


@small
def remove_end(jobs: Places, left: Place, job: Int) -> None:
    """Take out a job, keeping the order of the others, of which so many are left."""
    i = left
    while jobs[i] != job:
        i -= ONE
    while i < left:
        jobs[i] = jobs[i + ONE]
        i += ONE
