"""EASY backfilling, and what is made of it by other orders, reservations, and other estimates than the users'."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import engine
from ..engine.ranking import Facts
from . import orders
from .ordered import Given, Ordered
from .predictions import Predictions

if TYPE_CHECKING:
    from .walltime import Adjustment

LOOKAHEAD = "lookahead"

MOST_AHEAD = 5_000_000
"""Processors of a machine on which lookahead is possible: its table, of 2 GB then, has a column for each."""

EVERYONE = np.iinfo(np.int64).max
"""More than any queue has jobs."""


@dataclass(frozen=True, repr=False)
class EASY(Ordered):
    """EASY backfilling: jobs may pass the head of the queue if they do not delay it (MF section 2.2).

    A job of no length, the head or behind it, starts only where its processors are free, like any other. It ends in the
    same instant, in which the queue is then looked at again.

    Parameters
    ----------
    reuse_extra : bool
        False, the text's rule: the processors that the head will leave free at its shadow time are given out once.
        True: each job that starts beside the head is held against all of them, so that several together can delay it.
    order : str or callable
        The order of the queue, sorted anew in each pass, ties by arrival: "fcfs" (arrival), "sjf" (shortest estimate
        first), "wfp" ((wait / estimate)^3 x procs, Tang et al. 2013, equation 5; an estimate below 1 s counts as 1 s),
        `simlib.Multifactor` (age, size and fair share), or a function that numba can compile, such as one of (wait,
        estimate, procs), all floats; the job with the largest value is the head. A function asks by the names of its
        parameters for what it is told: see `simlib.policies.orders`. What it reads of global variables is taken as it
        is when the simulation begins. One that never returns cannot be interrupted: Ctrl+C gives the prompt back, but
        the function goes on until the process ends, or the kernel is restarted. A second Ctrl+C ends a process that
        waits for it.
    adjust : simlib.policies.walltime.Adjustment or simlib.Predictions, optional
        Adjust the users' estimates when jobs arrive, by what is known of similar jobs that have ended in the simulation
        before, or predict run times, and use these for the order of the queue, for backfilling, for running jobs (Tang
        et al. 2013, section 5). They are in the schedule's column `adjusted`. No job is killed for them.
    backfill : str or callable, optional
        The order in which the jobs behind the head are tried, each as long as it does not delay the head; ties by
        arrival. None: that of the queue. "arrival"; "sjf", the shortest estimate first, which is called SJBF (Tsafrir
        et al. 2005); "largest", the most processors first; "smallest area", the fewest processor-seconds; "best-fit",
        what fills most of the backfill window, processors x the seconds until the shadow time at most; or a function
        as for `order`, which may ask for `extra` and `window` too. Those that fit change with each start, so the best
        of those left is looked for anew. "lookahead": no order, but of the first 50 jobs behind the head those that
        together take the most free processors (Shmueli & Feitelson 2005, section 3); of equally good sets the one
        with the first candidate in it, else the second, and so on.
    reservations : int or float
        How many of the first jobs in the queue have a reservation: 1 is EASY, `math.inf` gives one to all. In a pass
        the jobs are gone through in the order of the queue. Who is among the first so many that wait, and has no
        reservation, gets one: the earliest time from which on there are enough processors for its whole estimate beside
        the running jobs and the other reservations. Who has one keeps it until it starts; when a job ends early, they
        move forward one by one in the order of the queue, as under conservative backfilling. All others start if they
        can do so now, until their expected end, without touching a reservation. With an order of its own a job that is
        not among the first any more gives its reservation up at the beginning of a pass, and the others move forward.
        So all reservations in order of arrival are conservative backfilling, and an estimate of 0 takes no processors,
        reserved or started, as there. Maui calls the number RESERVATIONDEPTH.

    Raises
    ------
    ValueError
        For an option that is none of these; for several reservations with `reuse_extra`, `adjust` or `backfill`; in a
        simulation with lookahead, for a machine of more than 5 million processors.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using runtime predictions rather than user estimates",
    technical report, Hebrew University, 2005; later in IEEE TPDS 18(6), 2007. SJBF: section 3.5.
    E. Shmueli and D. G. Feitelson, "Backfilling with lookahead to optimize the packing of parallel jobs", J. Parallel
    Distrib. Comput. 65(9), 2005.

    Examples
    --------
    The third job fits beside the first and ends before the second can start: it is backfilled.

    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.EASY()).jobs.start.to_list()
    [0, 10, 2]

    The narrowest job comes first by an order of one's own:

    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 4), B=(1, 5, 5, 3), C=(2, 5, 5, 2))
    >>> simlib.simulate(w, simlib.EASY(order=lambda wait, estimate, procs: -procs)).jobs.start.to_list()
    [0, 15, 10]
    """

    reuse_extra: bool = False
    order: orders.Order = "fcfs"
    adjust: Adjustment | Predictions | None = None
    backfill: orders.Order | None = None
    reservations: float = 1

    def __post_init__(self) -> None:
        if not isinstance(self.reuse_extra, (bool, np.bool_)):
            raise ValueError(f"EASY: found reuse_extra={self.reuse_extra!r}, expected True or False")
        super().__post_init__()
        if self.adjust is not None and not hasattr(self.adjust, "history"):
            raise ValueError(
                f"EASY: found adjust={self.adjust!r}, expected None, "
                "a simlib.policies.walltime.Adjustment or simlib.Predictions"
            )
        self._refuse_reservations()
        if self.backfill == LOOKAHEAD and self.reuse_extra:
            raise ValueError("EASY: found reuse_extra=True with backfill='lookahead', which gives extra out once")

    def _refuse_reservations(self) -> None:
        most = self.reservations
        whole = isinstance(most, (int, float, np.integer)) and not isinstance(most, bool) and most >= 1
        if not (whole and (most == np.inf or most == int(most))):
            raise ValueError(f"EASY: found reservations={most!r}, expected a whole number of at least 1, or math.inf")
        others = {"reuse_extra": self.reuse_extra, "adjust": self.adjust, "backfill": self.backfill}
        if most != 1 and (given := [name for name, value in others.items() if value]):
            raise ValueError(f"EASY: found reservations={most!r} with {given[0]}, expected one of the two")

    @classmethod
    def plus_plus(cls) -> EASY:
        """Make EASY++: run times are predicted, and the job of the shortest prediction is backfilled first.

        The queue and its head are in order of arrival, and all else goes by `simlib.Predictions` (Tsafrir, Etsion &
        Feitelson 2005, sections 3.2 to 3.5). Its relatives there: EASY-PCOR is `EASY(adjust=Predictions("estimate"))`,
        EASY+ is `EASY(adjust=Predictions())`, EASY-SJBF is `EASY(backfill="sjf")`, and PERFECT++ is
        `EASY(adjust=Predictions("exact"), backfill="sjf")`.

        Examples
        --------
        >>> EASY.plus_plus()
        EASY(adjust=Predictions(predictor='last two', queue=True, ...), backfill='sjf')
        """
        return cls(adjust=Predictions(), backfill="sjf")

    @property
    def _orders(self) -> dict[str, tuple[Any, dict[str, Callable]]]:
        found = super()._orders
        if self.backfill is not None and self.backfill != LOOKAHEAD:
            found["backfill"] = self.backfill, orders.BACKFILL | {LOOKAHEAD: orders.BACKFILL["arrival"]}
        return found

    def _run(self, given: Given, facts: Facts | None) -> dict[str, np.ndarray]:
        if self.reservations != 1:
            most = EVERYONE if self.reservations == np.inf else int(self.reservations)
            order = self.order != "fcfs", self._pointer("order", facts), facts
            start, shadow, backfilled = engine.reserving(*given, most, 0.0, *order)
            return {"start": start, "backfilled": backfilled, "shadow": shadow}
        if self.order == "fcfs" and self.adjust is None and self._backfills_in_order:
            start, backfilled, shadow = engine.easy(*given, bool(self.reuse_extra))
            return {"start": start, "backfilled": backfilled, "shadow": shadow}
        machine = given[4]
        if self.backfill == LOOKAHEAD and machine > MOST_AHEAD:
            raise ValueError(
                f"EASY: found a machine of {machine:,} processors with backfill='lookahead', expected at most "
                f"{MOST_AHEAD:,}"
            )
        rules = bool(self.reuse_extra), *self._ordering(facts), *self._passing(facts), facts
        start, backfilled, shadow, t_sched = engine.easy_variants(*given, *rules, self._adjusting(), self._predicting())
        adjusted = {} if self.adjust is None else {"adjusted": t_sched}
        return {"start": start, "backfilled": backfilled, "shadow": shadow, **adjusted}

    def _passing(self, facts: Facts | None) -> tuple[int, Any]:
        """Who may pass the head, and in which order they are tried; None for the queue's."""
        if self.backfill == LOOKAHEAD:
            return engine.BEST_SET, None
        return engine.ONE_BY_ONE, None if self._backfills_in_order else self._pointer("backfill", facts)

    @property
    def _backfills_in_order(self) -> bool:
        """Whether those who may pass the head are tried in the order of the queue."""
        return self.backfill is None or (self.backfill == "arrival" and self.order == "fcfs")

    def _known(self) -> Any:
        if self.known is None:
            raise ValueError("EASY: found adjust, which needs to know whose the jobs are: expected prepare(jobs) first")
        return self.known

    def _adjusting(self) -> engine.Adjusting | None:
        """Tell the kernel how to adjust estimates, with a copy of the history, which the simulation changes."""
        if self.adjust is None or isinstance(self.adjust, Predictions):
            return None
        past, (group, r) = self._known().past, self._known().by_job[-2:]
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

    def _predicting(self) -> engine.Predicting | None:
        """Tell the kernel how to predict run times, with a copy of what is known, which the simulation changes."""
        if not isinstance(self.adjust, Predictions):
            return None
        (runs, numbers), (group, estimate) = self._known().past, self._known().by_job[-2:]
        switches = bool(self.adjust.queue), bool(self.adjust.backfill), bool(self.adjust.running)
        rules = self.adjust.predictor == "exact", bool(self.adjust.correct)
        return engine.Predicting(*rules, estimate, group, runs.copy(), numbers.copy(), *switches)
