"""Conservative backfilling, and reservations only for the jobs that have become slow."""

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
    """Conservative backfilling: every job gets a reservation on arrival, and nobody may delay it (MF section 2.1).

    A job with an estimate of 0 gets the earliest time at which its processors are free, too, but takes none of them:
    others may reserve these for the same time, and then it starts beside them on a machine that is full.

    Where jobs need GPUs, too, a reservation takes both, from a time on at which both are free for the whole estimate.
    So do `Conservative()` and `Conservative("start")`; the other options refuse GPUs.

    Parameters
    ----------
    compress : str
        When a job ends early, the queued jobs move forward one by one, in order of "arrival" (the text's rule) or of
        reserved "start". Two more show why that is done: "none" keeps every reservation as it was made, and leaves
        idle what early ends freed; "rebackfill" makes all reservations again by arrival, and breaks guarantees.
    order : str or callable
        As for `simlib.EASY`: the order in which queued jobs move forward when a job ends early, in the place of that
        of arrival. It gives no job a worse reservation than it has. Of jobs that arrive at one instant the first in
        this order gets its reservation first.

    Raises
    ------
    ValueError
        For another `compress` or `order`, and for an order beside a `compress` that is not "arrival".

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
    """Backfilling with selective reservations: a job gets one when its expected slowdown passes a threshold.

    The expected slowdown is that of a job that starts now and runs for its estimate: (wait + estimate) /
    max(estimate, 10 s), at least 1, rounded to nine digits; the 10 seconds count in the divisor only. It is looked at
    in each scheduling pass, in which the jobs are gone through in the order of the queue. Who has come to the
    threshold, and has no reservation, gets the earliest, as under conservative backfilling, and keeps it until it
    starts; when a job ends early, reservations move forward one by one in the order of the queue. All others start if
    they can do so now, until their expected end, without touching a reservation. An estimate of 0 takes no processors,
    whether reserved or started, as under conservative backfilling.

    Parameters
    ----------
    threshold : float or "adaptive"
        At 1 every job gets a reservation on arrival, which is conservative backfilling; at infinity nobody does, and
        large jobs may starve. "adaptive": the mean bounded slowdown of all jobs that have ended so far, 1 at first.
    order : str or callable
        As for `simlib.EASY`.

    Raises
    ------
    ValueError
        For another threshold or order.

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
