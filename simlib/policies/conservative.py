"""Conservative backfilling, and selective backfilling, which gives only slow jobs a reservation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import engine
from .._util.arrays import Ints
from ..engine.ranking import Facts
from . import orders
from .easy import EVERYONE, Given, Ordered

_COMPRESS = {
    "arrival": engine.BY_ARRIVAL,
    "start": engine.BY_START,
    "none": engine.NO_COMPRESSION,
    "rebackfill": engine.REBACKFILL,
}

_ADAPTIVE = "adaptive"


@dataclass(frozen=True, repr=False)
class Conservative(Ordered):
    """Conservative backfilling: every job gets a reservation on arrival, and no job may delay it (MF section 2.1).

    A job with an estimate of 0 gets the earliest time at which its processors are free, but takes none of them: other
    jobs may reserve them for the same time. Then it starts beside these jobs on a full machine.

    If jobs need GPUs, a reservation takes processors and GPUs, from the first time at which both are free for the whole
    estimate. `Conservative()` and `Conservative("start")` support GPUs; the other options refuse them.

    Parameters
    ----------
    compress : str
        When a job ends early, the queued jobs move forward one by one, in order of "arrival" (the text's rule) or of
        reserved "start". Two more options show why this is necessary: "none" keeps every reservation, and leaves
        processors idle that early ends freed; "rebackfill" makes all reservations again by arrival, and breaks
        guarantees.
    order : str or callable
        As for `simlib.EASY`: the order in which queued jobs move forward when a job ends early, instead of the order of
        arrival. It never gives a job a later reservation. Jobs that arrive at one instant get their reservations in
        this order.

    Raises
    ------
    ValueError
        For an unknown `compress` or `order`, and for an order with a `compress` other than "arrival".

    Examples
    --------
    When job A ends early, B starts 10 seconds before its guarantee.

    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))
    >>> simlib.simulate(w, simlib.Conservative()).jobs[["guarantee", "start"]].loc["B"].to_list()
    [20, 10]
    """

    compress: str = "arrival"
    order: orders.Order = "fcfs"

    def __post_init__(self) -> None:
        if not (isinstance(self.compress, str) and self.compress in _COMPRESS):
            allowed = ", ".join(map(repr, _COMPRESS))
            raise ValueError(f"Conservative: found compress={self.compress!r}, expected one of {allowed}")
        super().__post_init__()
        if self.order != "fcfs" and self.compress != "arrival":
            raise ValueError(
                f"Conservative: found compress={self.compress!r} with order={self.order!r}, which says in which order "
                "jobs move forward; expected one of the two"
            )

    def _run(self, given: Given, facts: Facts | None) -> dict[str, np.ndarray]:
        if self.order == "fcfs":
            start, guarantee, backfilled = engine.conservative(*given, _COMPRESS[self.compress])
        else:
            order = True, self._pointer("order", facts), facts
            start, guarantee, backfilled = engine.reserving(*given, EVERYONE, 0.0, *order)
        return {"start": start, "backfilled": backfilled, "guarantee": guarantee}

    def _run_with_gpus(self, given: Given, gpus: Ints, machine_gpus: int) -> dict[str, np.ndarray]:
        if self.order != "fcfs" or self.compress not in ("arrival", "start"):
            return super()._run_with_gpus(given, gpus, machine_gpus)
        rules = gpus, machine_gpus, _COMPRESS[self.compress]
        start, guarantee, backfilled = engine.conservative_with_gpus(*given, *rules)
        return {"start": start, "backfilled": backfilled, "guarantee": guarantee}


@dataclass(frozen=True, repr=False)
class Selective(Ordered):
    """Backfilling with selective reservations: a job gets one when its expected slowdown reaches a threshold.

    The expected slowdown is the slowdown of the job if it starts now and runs for its estimate: (wait + estimate) /
    max(estimate, 10 s), at least 1, rounded to nine digits; the 10 seconds count in the divisor only. Each scheduling
    pass goes through the jobs in the order of the queue. A job that has reached the threshold, and has no reservation,
    gets the earliest one, as under conservative backfilling, and keeps it until it starts. When a job ends early,
    reservations move forward one by one in the order of the queue. Any other job starts if it fits from now until its
    expected end without touching a reservation. A job with an estimate of 0 takes no processors, as under conservative
    backfilling.

    Parameters
    ----------
    threshold : float or "adaptive"
        At 1 every job gets a reservation on arrival, which is conservative backfilling. At infinity no job does, and
        large jobs may starve. "adaptive" is the mean bounded slowdown of all jobs that have ended so far, initially 1.
    order : str or callable
        As for `simlib.EASY`.

    Raises
    ------
    ValueError
        For an unknown threshold or order.

    References
    ----------
    S. Srinivasan, R. Kettimuthu, V. Subramani and P. Sadayappan, "Selective reservation strategies for backfill job
    scheduling", JSSPP 2002, LNCS 2537.

    Examples
    --------
    Job B has waited for its own length at second 11, and gets a reservation; C, which comes then, must not delay it.

    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 20, 20, 3), B=(1, 10, 10, 4), C=(11, 15, 15, 1))
    >>> simlib.simulate(w, simlib.Selective(2)).jobs.start.to_list()
    [0, 20, 30]
    """

    threshold: float | str = 2.0
    order: orders.Order = "fcfs"

    def __post_init__(self) -> None:
        number = isinstance(self.threshold, (int, float, np.number)) and self.threshold >= 1
        if not (number or self.threshold == _ADAPTIVE):
            raise ValueError(
                f"Selective: found threshold={self.threshold!r}, expected a number from 1 on or 'adaptive'"
            )
        super().__post_init__()

    def _run(self, given: Given, facts: Facts | None) -> dict[str, np.ndarray]:
        threshold = engine.ADAPTIVE if self.threshold == _ADAPTIVE else float(self.threshold)
        order = self.order != "fcfs", self._pointer("order", facts), facts
        start, shadow, backfilled = engine.reserving(*given, EVERYONE, threshold, *order)
        return {"start": start, "backfilled": backfilled, "shadow": shadow}
