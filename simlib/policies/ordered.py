"""What policies have in common whose queue is kept in some order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import pandas as pd
from numba.core.ccallback import CFunc

from .. import engine
from .._util.arrays import Ints
from ..core.policy import Feedback
from ..engine.ranking import Facts, NoRank, Usage
from . import orders
from .fair_share import DAY, Multifactor

if TYPE_CHECKING:
    from .predictions import Predictions
    from .walltime import Adjustment


# What a policy knows of the jobs besides what every scheduler sees: whose they are, and what earlier ones did.


COLUMNS = "user", "group", "queue"

HALF_LIFE_S = 7 * DAY
"""Of what an order is told as `usage`, unless it is a `Multifactor` that says otherwise."""


@dataclass(frozen=True, eq=False)
class JobFacts:
    """What is known of a workload's jobs."""

    index: pd.Index
    by_job: list[np.ndarray]
    past: Any = None

    @classmethod
    def of(cls, jobs: pd.DataFrame, adjust: Adjustment | Predictions | None = None) -> JobFacts:
        """Look at the jobs of a workload."""
        columns = [jobs[name].to_numpy(np.int64) if name in jobs else np.full(len(jobs), -1) for name in COLUMNS]
        past, *learned = adjust.history(jobs) if adjust is not None else (None,)
        return cls(jobs.index, [*columns, *learned], past)

    def of_same(self, jobs: pd.DataFrame) -> JobFacts | None:
        """Give the same for the same jobs in another order, as shaken, at little cost; None for other jobs.

        For the same jobs in the same order it is the same object.
        """
        if len(jobs) != len(self.index):
            return None
        index, wanted = self.index.to_numpy(), jobs.index.to_numpy()  # pandas' own search is not made for threads
        if np.array_equal(index, wanted):
            return self
        by_number = index.argsort(kind="stable")
        found = np.minimum(index.searchsorted(wanted, sorter=by_number), max(len(index) - 1, 0))
        place = by_number[found]
        if not np.array_equal(index[place], wanted):
            return None
        return JobFacts(jobs.index, [column[place] for column in self.by_job], self.past)

    def facts(self, machine: int, account: str = "user", half_life_s: float = HALF_LIFE_S) -> Facts:
        """Collect what an order may ask for, with nothing used of the machine yet."""
        by_job = dict(zip(COLUMNS, self.by_job, strict=False))
        of_job, accounts = pd.factorize(by_job[account])
        had, since, share, fair_share = np.zeros((4, len(accounts) + 1))
        fair_share += 1
        held, told = np.zeros(len(accounts) + 1, np.int64), np.full(len(accounts) + 1, np.iinfo(np.int64).min)
        counted = had, held, since, np.full(3, -np.inf)
        usage = Usage(of_job.astype(np.int64), *counted, float(half_life_s), share, fair_share, told)
        return Facts(by_job["user"], by_job["group"], by_job["queue"], machine, usage)


def asks_for_more(given: Sequence[tuple[orders.Order, dict]]) -> bool:
    """Tell whether one of several orders, each with the names that it may have, asks for more than three numbers."""
    return any(not set(orders.asked_for(order, known)) <= set(orders.THREE) for order, known in given)


Given = tuple[Ints, Ints, Ints, Ints, int, Ints, Ints, Ints]
"""What all kernels begin with: submit, run, estimate, procs, machine, preceding, think, progress_and_stop."""


@dataclass(frozen=True, repr=False)
class Ordered:
    """A policy with an `order`; for those of this package to inherit from."""

    known: JobFacts | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        for setting, (order, names) in self._orders.items():
            orders.check(order, names, f"{type(self).__name__}: {setting}")

    def __repr__(self) -> str:
        """Write it as it would be typed: its name, and the options that are not as they are by default."""
        options = []
        for one in fields(self):
            value = getattr(self, one.name)
            if one.repr and not (type(value) is type(one.default) and value == one.default):
                options.append(f"{one.name}={getattr(value, '__name__', None) or repr(value)}")
        return f"{type(self).__name__}({', '.join(options)})"

    @property
    def _orders(self) -> dict[str, tuple[Any, dict[str, Callable]]]:
        """By setting the order that is set, and the names that there are."""
        order: Any = getattr(self, "order", None)
        return {"order": (order, orders.ORDERS)}

    def prepare(self, jobs: pd.DataFrame) -> Self:
        """Give the policy for these jobs, if it looks at more of them than their times and sizes."""
        adjust = getattr(self, "adjust", None)
        if adjust is None and not asks_for_more(list(self._orders.values())):
            return self
        same = self.known.of_same(jobs) if self.known is not None else None
        return replace(self, known=same or JobFacts.of(jobs, adjust))

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        procs: Ints,
        machine: int,
        feedback: Feedback | None = None,
        progress_and_stop: Ints | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`."""
        followed = feedback or engine.OPEN
        watched = np.zeros(2, np.int64) if progress_and_stop is None else progress_and_stop
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
