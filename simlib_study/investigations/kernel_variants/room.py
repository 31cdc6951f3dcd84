"""The arrivals of jobs, as the engine had them when this kernel was written; the machine is that of Qsim's."""

from typing import NamedTuple

import numpy as np

from simlib._util.arrays import Int, Ints, Place
from simlib._util.compiled import compiled
from simlib.engine.events import NEVER, part

from .qsim import Ends, Running, end_job, idle, insert, next_end, no_ends, remove, start_job

__all__ = ["Ends", "Running", "end_job", "idle", "insert", "next_end", "no_ends", "remove", "start_job"]


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
