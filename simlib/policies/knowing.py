"""What a policy knows of the jobs besides what every scheduler sees: whose they are, and what earlier ones did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .. import orders
from ..engine.ranking import Facts, Usage
from .fair_share import DAY

if TYPE_CHECKING:
    from ..walltime import Adjustment
    from .predictions import Predictions

COLUMNS = "user", "group", "queue"

HALF_LIFE_S = 7 * DAY
"""Of what an order is told as `usage`, unless it is a `Multifactor` that says otherwise."""


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a workload's jobs.

    Attributes
    ----------
    index : Index
        Of the jobs, in order of arrival.
    by_job : list of arrays
        A number a job: the `COLUMNS`, then what `adjust` makes of them.
    past : object
        What `adjust` knows of earlier jobs before the first arrives.
    """

    index: pd.Index
    by_job: list[np.ndarray]
    past: Any = None

    @classmethod
    def of(cls, jobs: pd.DataFrame, adjust: Adjustment | Predictions | None = None) -> Known:
        """Look at the jobs of a workload.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 2), B=(1, 5, 8, 2))
        >>> [column.tolist() for column in Known.of(w.jobs).by_job]
        [[-1, -1], [-1, -1], [-1, -1]]
        """
        columns = [jobs[name].to_numpy(np.int64) if name in jobs else np.full(len(jobs), -1) for name in COLUMNS]
        past, *learned = adjust.history(jobs) if adjust is not None else (None,)
        return cls(jobs.index, [*columns, *learned], past)

    def of_same(self, jobs: pd.DataFrame) -> Known | None:
        """Give the same for the same jobs in another order, as shaken, at little cost; None for other jobs.

        For the same jobs in the same order it is the same object.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 2), B=(1, 5, 8, 2))
        >>> known = Known.of(w.jobs)
        >>> known.of_same(w.jobs[::-1]).index.to_list(), known.of_same(w.jobs[:1])
        (['B', 'A'], None)
        >>> known.of_same(w.jobs) is known
        True
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
        return Known(jobs.index, [column[place] for column in self.by_job], self.past)

    def facts(self, machine: int, account: str = "user", half_life_s: float = HALF_LIFE_S) -> Facts:
        """Collect what an order may ask for, with nothing used of the machine yet.

        Parameters
        ----------
        machine : int
            Processors.
        account : str
            Whose use counts: "user" or "group".
        half_life_s : float
            Seconds after which half of it is forgotten; 0 where nobody asks for it.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 2), B=(1, 5, 8, 2))
        >>> Known.of(w.jobs).facts(4).usage.account.tolist()
        [0, 0]
        """
        by_job = dict(zip(COLUMNS, self.by_job, strict=False))
        of_job, accounts = pd.factorize(by_job[account])
        had, since, share, fair_share = np.zeros((4, len(accounts) + 1))
        fair_share += 1
        held, told = np.zeros(len(accounts) + 1, np.int64), np.full(len(accounts) + 1, np.iinfo(np.int64).min)
        counted = had, held, since, np.full(3, -np.inf)
        usage = Usage(of_job.astype(np.int64), *counted, float(half_life_s), share, fair_share, told)
        return Facts(by_job["user"], by_job["group"], by_job["queue"], machine, usage)


def asks_for_more(given: Sequence[tuple[orders.Order, dict]]) -> bool:
    """Tell whether one of several orders, each with the names that it may have, asks for more than three numbers.

    Examples
    --------
    >>> asks_for_more([("wfp", orders.ORDERS)]), asks_for_more([("best-fit", orders.BACKFILL)])
    (False, True)
    """
    return any(not set(orders.asked_for(order, known)) <= set(orders.THREE) for order, known in given)
