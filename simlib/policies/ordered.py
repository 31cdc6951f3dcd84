"""What policies have in common whose queue is kept in some order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, Self

import numpy as np
import pandas as pd
from numba.core.ccallback import CFunc

from .. import engine, orders
from ..arrays import Ints
from ..engine.ranking import Facts, NoRank
from .fair_share import Multifactor
from .form import Feedback, shown
from .knowing import Known, asks_for_more

Given = tuple[Ints, Ints, Ints, Ints, int, Ints, Ints, Ints]
"""What all kernels begin with: submit, run, estimate, procs, machine, preceding, think, watch."""


@dataclass(frozen=True, repr=False)
class Ordered:
    """A policy with an `order`; for those of this package to inherit from."""

    known: Known | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        for setting, (order, names) in self._orders.items():
            orders.check(order, names, f"{type(self).__name__}: {setting}")

    def __repr__(self) -> str:
        return shown(self)

    @property
    def _orders(self) -> dict[str, tuple[Any, dict[str, Callable]]]:
        """By setting the order that is set, and the names that there are."""
        order: Any = getattr(self, "order", None)
        return {"order": (order, orders.ORDERS)}

    def prepare(self, jobs: pd.DataFrame) -> Self:
        """Give the policy for these jobs, if it looks at more of them than their times and sizes.

        Examples
        --------
        >>> import simlib
        >>> policy = simlib.EASY()
        >>> policy.prepare(simlib.load("sample").jobs) is policy
        True
        """
        adjust = getattr(self, "adjust", None)
        if adjust is None and not asks_for_more(list(self._orders.values())):
            return self
        same = self.known.of_same(jobs) if self.known is not None else None
        return replace(self, known=same or Known.of(jobs, adjust))

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        procs: Ints,
        machine: int,
        feedback: Feedback | None = None,
        watch: Ints | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`.

        Examples
        --------
        >>> import numpy as np, simlib
        >>> submit, run, procs = np.array([0, 1]), np.array([10, 5]), np.array([2, 2])
        >>> simlib.FCFS().schedule(submit, run, run, procs, 3)["start"].tolist()
        [0, 10]
        """
        followed = feedback or engine.OPEN
        watched = np.zeros(2, np.int64) if watch is None else watch
        try:
            columns = self._run((submit, run, estimate, procs, machine, *followed, watched), self._facts(machine))
        except NoRank as error:
            self._failed(*error.args)
        return {"submit": submit, **columns}

    def _run(self, given: Given, facts: Facts | None) -> dict[str, np.ndarray]:
        """Call the kernel that carries the policy out; what it returns is by the name of a column."""
        raise NotImplementedError

    def _facts(self, machine: int) -> Facts | None:
        """What the orders are told besides three numbers; None where they need no more."""
        given = list(self._orders.values())
        if not asks_for_more(given):
            return None
        if self.known is None:
            raise ValueError(f"{self!r}: has to know whose the jobs are, expected prepare(jobs) first")
        if not any({"usage", "fair_share"}.intersection(orders.asked_for(order, names)) for order, names in given):
            return self.known.facts(machine, half_life_s=0)
        shares = [(one.account, one.half_life_s) for one, _ in given if isinstance(one, Multifactor)]
        return self.known.facts(machine, *(shares[0] if shares else ()))

    def _pointer(self, setting: str, facts: Facts | None) -> CFunc:
        """The compiled order of a setting."""
        order, names = self._orders[setting]
        return orders.compiled(order, facts is not None, names, f"{type(self).__name__}: {setting}")

    def _ordering(self, facts: Facts | None) -> tuple[int, CFunc]:
        """How the queue is kept in order, and by which function of all its jobs."""
        order = self._orders["order"][0]
        ranking = orders.compiled_for_queue(order, facts is not None, f"{type(self).__name__}: order")
        if order == "fcfs":
            return engine.NOT_RANKED, ranking
        return engine.RANKED_ANEW if orders.changes(order) else engine.RANKED_ONCE, ranking

    def _failed(self, numbers: tuple[float, ...], backfilling: bool) -> NoReturn:
        """Say why an order gave a job no number."""
        setting = "backfill" if backfilling else "order"
        order, names = self._orders[setting]
        orders.failed(order, *numbers, known=names, where=f"{type(self).__name__}: {setting}")
