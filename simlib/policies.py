"""What a scheduling policy is: its options, checked, and the kernel of `simlib.engine` that carries it out.

A policy is any object with a method `schedule(submit, run, estimate, size, machine)` over int64 arrays, jobs in order
of arrival, that returns a dict of one array a job: `start` in seconds, and if it likes `backfilled` (bool) and others.
"""

from dataclasses import dataclass
from functools import cache

import numba

from . import engine


@dataclass(frozen=True)
class FCFS:
    """First come, first served: a job starts only when all that arrived before it have started (MF section 1)."""

    def schedule(self, submit, run, estimate, size, machine):
        return {"start": engine.fcfs(submit, run, size, machine)}


@dataclass(frozen=True)
class EASY:
    """EASY backfilling: jobs may pass the head of the queue if they do not delay it (MF section 2.2).

    Parameters
    ----------
    reuse_extra : bool
        False, the text's rule: the processors that the head will leave free at its shadow time are given out once.
        True: each job that starts beside the head is held against all of them, so that several together can delay it.
    order : str or callable
        The order of the queue, sorted anew in each pass, ties by arrival: "fcfs" (arrival), "sjf" (shortest estimate
        first), "wfp" ((wait / estimate)^3 x size, Tang et al. 2013, equation 5), or a function of (wait, estimate,
        size), all floats, that numba can compile; the job with the largest value is the head.
    """

    reuse_extra: bool = False
    order: object = "fcfs"

    def __post_init__(self):
        if not callable(self.order) and self.order not in ORDERS:
            raise ValueError(
                f"EASY: found order={self.order!r}, expected one of {', '.join(map(repr, ORDERS))} "
                "or a function of (wait, estimate, size)"
            )

    def schedule(self, submit, run, estimate, size, machine):
        priority = _compiled(ORDERS.get(self.order, self.order))
        rules = self.reuse_extra, self.order != "fcfs", priority
        start, backfilled, shadow = engine.easy(submit, run, estimate, size, machine, *rules)
        return {"start": start, "backfilled": backfilled, "shadow": shadow}


@dataclass(frozen=True)
class Conservative:
    """Conservative backfilling: every job gets a reservation on arrival, and nobody may delay it (MF section 2.1).

    Parameters
    ----------
    compress : str
        When a job ends early, the queued jobs move forward one by one, in order of "arrival" (the text's rule) or of
        reserved "start". Two more show why that is done: "none" keeps every reservation as it was made, and leaves
        idle what early ends freed; "rebackfill" makes all reservations anew in order of arrival, and breaks guarantees.
    """

    compress: str = "arrival"

    def __post_init__(self):
        if self.compress not in COMPRESS:
            allowed = ", ".join(map(repr, COMPRESS))
            raise ValueError(f"Conservative: found compress={self.compress!r}, expected one of {allowed}")

    def schedule(self, submit, run, estimate, size, machine):
        start, guarantee, backfilled = engine.conservative(
            submit, run, estimate, size, machine, COMPRESS[self.compress]
        )
        return {"start": start, "backfilled": backfilled, "guarantee": guarantee}


COMPRESS = {
    "arrival": engine.BY_ARRIVAL,
    "start": engine.BY_START,
    "none": engine.NO_COMPRESSION,
    "rebackfill": engine.REBACKFILL,
}


# Queue orders: the job with the largest value is the head


def _arrival(wait, estimate, size):
    return 0.0


def _shortest_job_first(wait, estimate, size):
    return -estimate


def _wfp(wait, estimate, size):
    return (wait / max(estimate, 1.0)) ** 3 * size


ORDERS = {"fcfs": _arrival, "sjf": _shortest_job_first, "wfp": _wfp}


@cache
def _compiled(priority):
    """A function of (wait, estimate, size) as a function pointer, so that no kernel is compiled anew for it."""
    own = priority in ORDERS.values()
    function = getattr(priority, "py_func", priority)  # of one that numba has compiled already
    try:
        return numba.cfunc("float64(float64, float64, float64)", cache=own, error_model="numpy")(function)
    except numba.core.errors.NumbaError as error:
        raise ValueError(
            f"EASY: order {function.__name__!r} cannot be compiled: {str(error).strip().splitlines()[-1]}; "
            "expected a function of the floats (wait, estimate, size) that numba can compile"
        ) from error
