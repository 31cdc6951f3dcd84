"""In which order jobs arrive: the open stream when the log says, followers when the job before them has ended.

A follower is submitted a think time after the end of the job that it follows (feedback; fields 17 and 18 of the
Standard Workload Format). So who arrives when is known in the simulation only.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .parts import part

NEVER = np.int64(2) ** 62

OPEN = np.empty(0, np.int64), np.empty(0, np.int64)
"""The `preceding` and `think` of a workload in which no job follows another."""


class Arrivals(NamedTuple):
    """The jobs that have arrived, and those to come.

    Attributes
    ----------
    order : int64 array
        All jobs known so far: `order[:arrived[0]]` have arrived, in this order; `order[coming[0]:]` are to come, sorted
        by submit time and, where it is equal, by their number. In between there is room for the followers whose
        submit time is not known yet.
    arrived, coming : int64 arrays of one number
    number : int64 array, by job that has arrived how many had before it
    submit : int64 array, seconds by job; that of a follower is set when the job before it ends
    think : int64 array, seconds by job
    first, others : int64 arrays
        The first follower of each job, and the next one of the same preceding job; -1 for none. Empty in an open
        stream.
    """

    order: np.ndarray
    arrived: np.ndarray
    coming: np.ndarray
    number: np.ndarray
    submit: np.ndarray
    think: np.ndarray
    first: np.ndarray
    others: np.ndarray


@compiled
def arrivals_of(submit, preceding, think):
    """Make the arrivals of a workload.

    Parameters
    ----------
    submit : int64 array, recorded submit times in seconds, in order; those of followers will be overwritten
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`

    Returns
    -------
    Arrivals
    """
    order = np.arange(submit.size)
    at = preceding.size
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


@part
def next_arrival(arrivals):
    """Tell when the next job arrives; `NEVER` where none is known of."""
    at = arrivals.coming[0]
    return arrivals.submit[arrivals.order[at]] if at < arrivals.order.size else NEVER


@part
def arrive(arrivals):
    """Let the next job arrive. Returns it."""
    at, arrived = arrivals.coming[0], arrivals.arrived[0]
    job = np.uint64(arrivals.order[at])  # job numbers are unsigned, see `profile`
    arrivals.order[arrived] = job
    arrivals.number[job] = arrived
    arrivals.coming[0], arrivals.arrived[0] = at + 1, arrived + 1
    return job


@part
def submit_followers(arrivals, job, end):
    """Set the submit times of those that follow `job`, which ends at `end`, and put them among those to come."""
    if arrivals.first.size > 0:
        follower = arrivals.first[job]
        while follower >= 0:
            arrivals.submit[follower] = end + arrivals.think[follower]
            _insert(arrivals.order, arrivals.coming, arrivals.submit, follower)
            follower = arrivals.others[follower]


@compiled
def _insert(order, coming, submit, follower):
    """Insert a follower among those to come, from the front, because few jobs arrive during a think time."""
    i = coming[0]
    while i < order.size and (
        submit[order[i]] < submit[follower] or (submit[order[i]] == submit[follower] and order[i] < follower)
    ):
        order[i - 1] = order[i]
        i += 1
    order[i - 1] = follower
    coming[0] -= 1
