"""Conservative backfilling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import engine, orders
from ..engine.ranking import Facts
from .easy import EVERYONE
from .ordered import Given, Ordered

COMPRESS = {
    "arrival": engine.BY_ARRIVAL,
    "start": engine.BY_START,
    "none": engine.NO_COMPRESSION,
    "rebackfill": engine.REBACKFILL,
}


@dataclass(frozen=True, repr=False)
class Conservative(Ordered):
    """Conservative backfilling: every job gets a reservation on arrival, and nobody may delay it (MF section 2.1).

    A job with an estimate of 0 gets the earliest time at which its processors are free, too, but takes none of them:
    others may reserve these for the same time, and then it starts beside them on a machine that is full.

    Parameters
    ----------
    compress : str
        When a job ends early, the queued jobs move forward one by one, in order of "arrival" (the text's rule) or of
        reserved "start". Two more show why that is done: "none" keeps every reservation as it was made, and leaves
        idle what early ends freed; "rebackfill" makes all reservations anew in order of arrival, and breaks guarantees.
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
        if not (isinstance(self.compress, str) and self.compress in COMPRESS):
            allowed = ", ".join(map(repr, COMPRESS))
            raise ValueError(f"Conservative: found compress={self.compress!r}, expected one of {allowed}")
        super().__post_init__()
        if self.order != "fcfs" and self.compress != "arrival":
            raise ValueError(
                f"Conservative: found compress={self.compress!r} with order={self.order!r}, which says in which order "
                "jobs move forward; expected one of the two"
            )

    def _run(self, given: Given, facts: Facts | None) -> dict[str, np.ndarray]:
        if self.order == "fcfs":
            start, guarantee, backfilled = engine.conservative(*given, COMPRESS[self.compress])
        else:
            order = True, self._pointer("order", facts), facts
            start, guarantee, backfilled = engine.reserving(*given, EVERYONE, 0.0, *order)
        return {"start": start, "backfilled": backfilled, "guarantee": guarantee}
