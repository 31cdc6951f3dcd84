"""First come, first served."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import engine
from ..engine.ranking import Facts
from . import orders
from .ordered import Given, Ordered


@dataclass(frozen=True, repr=False)
class FCFS(Ordered):
    """First come, first served: a job starts only when all before it in the queue have started (MF section 1).

    A job of no length starts only where its processors are free, like any other. It ends in the same instant, in which
    the queue is then looked at again.

    Parameters
    ----------
    order : str or callable
        The order of the queue, as for `simlib.EASY`; by default that of arrival.

    Raises
    ------
    ValueError
        For another order.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.FCFS()).jobs.start.to_list()
    [0, 10, 10]

    The shortest first, and nobody passes the head of the queue:

    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 9, 9, 4), C=(2, 5, 5, 1))
    >>> [simlib.simulate(w, simlib.FCFS(order=order)).jobs.start.to_list() for order in ("fcfs", "sjf")]
    [[0, 10, 19], [0, 10, 2]]
    """

    order: orders.Order = "fcfs"

    def _run(self, given: Given, facts: Facts | None) -> dict[str, np.ndarray]:
        if self.order == "fcfs":
            submit, run, _, procs, *others = given
            return {"start": engine.fcfs(submit, run, procs, *others)}
        rules = False, *self._ordering(facts), engine.NOBODY, None, facts, None, None
        return {"start": engine.easy_variants(*given, *rules)[0]}
