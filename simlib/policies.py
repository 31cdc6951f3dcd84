"""Say what a scheduling policy is: its options, checked, and the kernel of `simlib.engine` that carries it out.

A policy is any object with a method `schedule(submit, run, estimate, size, machine)` over int64 arrays, jobs in order
of arrival, that returns a dict of one array a job: `start` in seconds, and if it likes `backfilled` (bool) and others.

To take part in `simulate(..., feedback=True)` the method has a further parameter `feedback=None`, which is then a pair
of int64 arrays: for each job the place of the one that it follows, -1 for none, and its think time in seconds. A job
that follows another is submitted its think time after the simulated end of that one; the dict has `submit` too.

To show how far it has come, and to be stopped when it takes long, the method has a parameter `watch=None`, an int64
array of two numbers: it writes how many jobs have started into the first, and returns when the second is not 0.

A policy that looks at more of the jobs than that has a method `prepare(jobs)` as well, which returns the policy to use
for this jobs table of a workload.

Examples
--------
A policy of one's own that lets each job start when all before it have ended:

>>> import simlib
>>> class OneByOne:
...     def schedule(self, submit, run, estimate, size, machine):
...         start, free = [], 0
...         for job in range(len(submit)):
...             start.append(max(submit[job], free))
...             free = start[job] + run[job]
...         return {"start": start}
>>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 2), B=(1, 5, 8, 2))
>>> simlib.simulate(w, OneByOne()).jobs.start.to_list()
[0, 10]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from . import engine, orders
from .arrays import Floats, Ints
from .engine.queue import NoRank

if TYPE_CHECKING:
    from .engine.history import History
    from .walltime import Adjustment

Feedback = tuple[Ints, Ints]
"""For each job the place of the one that it follows, -1 for none, and its think time in seconds."""


class Policy(Protocol):
    """Whatever can be simulated: an object with a method `schedule`, as this module says; for annotations."""

    @property
    def schedule(self) -> Callable[..., Mapping[str, Any]]:
        """The method."""


@dataclass(frozen=True)
class FCFS:
    """First come, first served: a job starts only when all that arrived before it have started (MF section 1).

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.FCFS()).jobs.start.to_list()
    [0, 10, 10]
    """

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        size: Ints,
        machine: int,
        feedback: Feedback | None = None,
        watch: Ints | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`."""
        start = engine.fcfs(submit, run, size, machine, *(feedback or engine.OPEN), _progress(watch))
        return {"submit": submit, "start": start}


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
        size), all floats, that numba can compile; the job with the largest value is the head. What the function reads
        of global variables is taken as it is when the simulation begins. One that never returns cannot be interrupted:
        Ctrl+C gives the prompt back, but the function goes on until the process ends, or the kernel is restarted. A
        second Ctrl+C ends a process that waits for it.
    adjust : simlib.walltime.Adjustment, optional
        Adjust the users' estimates when jobs arrive, by what is known of similar jobs that have ended in the simulation
        before, and use the adjusted ones for the order of the queue, for backfilling, for running jobs (Tang et al.
        2013, section 5). They are in the schedule's column `adjusted`. No job is killed for them.

    Raises
    ------
    ValueError
        For an option that is none of these.

    Examples
    --------
    The third job fits beside the first and ends before the second can start: it is backfilled.

    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.EASY()).jobs.start.to_list()
    [0, 10, 2]

    The narrowest job comes first by an order of one's own:

    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 4), B=(1, 5, 5, 3), C=(2, 5, 5, 2))
    >>> simlib.simulate(w, simlib.EASY(order=lambda wait, estimate, size: -size)).jobs.start.to_list()
    [0, 15, 10]
    """

    reuse_extra: bool = False
    order: orders.Order = "fcfs"
    adjust: Adjustment | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.reuse_extra, (bool, np.bool_)):
            raise ValueError(f"EASY: found reuse_extra={self.reuse_extra!r}, expected True or False")
        orders.check(self.order)
        if self.adjust is not None and not hasattr(self.adjust, "history"):
            raise ValueError(f"EASY: found adjust={self.adjust!r}, expected None or a simlib.walltime.Adjustment")

    def prepare(self, jobs: pd.DataFrame) -> EASY:
        """Give the policy for these jobs, whose users and habits `adjust` looks at.

        Examples
        --------
        >>> import simlib
        >>> policy = simlib.EASY()
        >>> policy.prepare(simlib.load("sample").jobs) is policy
        True
        """
        if self.adjust is None:
            return self
        past = self.adjust.history(jobs)
        return _Adjusting(self.reuse_extra, self.order, adjust=self.adjust, index=jobs.index, history=past)

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        size: Ints,
        machine: int,
        feedback: Feedback | None = None,
        watch: Ints | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`."""
        rules = bool(self.reuse_extra), self.order != "fcfs", orders.compiled(self.order), self._adjusting()
        try:
            start, backfilled, shadow, t_sched = engine.easy(
                submit, run, estimate, size, machine, *(feedback or engine.OPEN), _progress(watch), *rules
            )
        except NoRank as error:
            orders.failed(self.order, *error.args)
        adjusted = {} if self.adjust is None else {"adjusted": t_sched}
        return {"submit": submit, "start": start, "backfilled": backfilled, "shadow": shadow, **adjusted}

    def _adjusting(self) -> engine.Adjusting | None:
        """Tell the kernel how to adjust estimates; None where it does not."""
        if self.adjust is not None:
            raise ValueError("EASY: found adjust, which needs to know whose the jobs are: expected prepare(jobs) first")
        return None


@dataclass(frozen=True, kw_only=True)
class _Adjusting(EASY):
    """EASY that knows whose these jobs are, and can be prepared at little cost for them in another order, as shaken."""

    adjust: Adjustment
    index: pd.Index = field(repr=False, compare=False)
    history: tuple[History, Ints, Floats] = field(repr=False, compare=False)  # see `Adjustment.history`

    def prepare(self, jobs: pd.DataFrame) -> EASY:
        """Give the policy for the same jobs in another order."""
        index = self.index.to_numpy()  # pandas' own search is not made for several threads at once
        by_number = index.argsort(kind="stable")
        place = by_number[index.searchsorted(jobs.index.to_numpy(), sorter=by_number)]
        past, group, r = self.history
        return replace(self, index=jobs.index, history=(past, group[place], r[place]))

    def _adjusting(self) -> engine.Adjusting:
        """Tell the kernel how to adjust estimates, with a copy of the history, which the simulation changes."""
        past, group, r = self.history
        scheme = self.adjust.scheme
        return engine.Adjusting(
            type(past)(*(numbers.copy() for numbers in past)),
            group,
            r,
            window=scheme.window_s,
            percentile=float(scheme.percentile),
            least=scheme.least,
            threshold=float(scheme.threshold or 0),
            queue=self.adjust.queue,
            backfill=self.adjust.backfill,
            running=self.adjust.running,
            overdue=self.adjust.overdue,
        )


@dataclass(frozen=True)
class Conservative:
    """Conservative backfilling: every job gets a reservation on arrival, and nobody may delay it (MF section 2.1).

    Parameters
    ----------
    compress : str
        When a job ends early, the queued jobs move forward one by one, in order of "arrival" (the text's rule) or of
        reserved "start". Two more show why that is done: "none" keeps every reservation as it was made, and leaves
        idle what early ends freed; "rebackfill" makes all reservations anew in order of arrival, and breaks guarantees.

    Raises
    ------
    ValueError
        For another `compress`.

    Examples
    --------
    When job A ends early, B starts 10 seconds before its guarantee.

    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))
    >>> simlib.simulate(w, simlib.Conservative()).jobs[["guarantee", "start"]].loc["B"].to_list()
    [20, 10]
    """

    compress: str = "arrival"

    def __post_init__(self) -> None:
        if not (isinstance(self.compress, str) and self.compress in COMPRESS):
            allowed = ", ".join(map(repr, COMPRESS))
            raise ValueError(f"Conservative: found compress={self.compress!r}, expected one of {allowed}")

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        size: Ints,
        machine: int,
        feedback: Feedback | None = None,
        watch: Ints | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`."""
        when_early = COMPRESS[self.compress]
        start, guarantee, backfilled = engine.conservative(
            submit, run, estimate, size, machine, *(feedback or engine.OPEN), _progress(watch), when_early
        )
        return {"submit": submit, "start": start, "backfilled": backfilled, "guarantee": guarantee}


def _progress(watch: Ints | None) -> Ints:
    """The array that the kernel writes its progress into; a new one where nobody watches."""
    return np.zeros(2, np.int64) if watch is None else watch


COMPRESS = {
    "arrival": engine.BY_ARRIVAL,
    "start": engine.BY_START,
    "none": engine.NO_COMPRESSION,
    "rebackfill": engine.REBACKFILL,
}
