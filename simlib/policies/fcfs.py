"""First come, first served."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import engine, orders
from ..arrays import Ints
from ..engine.ranking import NoRank
from .form import Feedback, progress
from .ordered import Ordered


@dataclass(frozen=True, repr=False)
class FCFS(Ordered):
    """First come, first served: a job starts only when all before it in the queue have started (MF section 1).

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

    >>> simlib.simulate(w, simlib.FCFS(order="sjf")).jobs.start.to_list()
    [0, 10, 10]
    """

    order: orders.Order = "fcfs"

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
        arrivals = *(feedback or engine.OPEN), progress(watch)
        if self.order == "fcfs":
            return {"submit": submit, "start": engine.fcfs(submit, run, size, machine, *arrivals)}
        facts = self._facts(machine)
        rules = False, True, self._pointer("order", facts), engine.NOBODY, None, facts, None, None
        try:
            start, *_ = engine.easy(submit, run, estimate, size, machine, *arrivals, *rules)
        except NoRank as error:
            self._failed(*error.args)
        return {"submit": submit, "start": start}
