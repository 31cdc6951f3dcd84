"""Order the queue as clusters do: by age, size and what an account has had of late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

DAY = 86400
ACCOUNTS = "user", "group"


@dataclass(frozen=True)
class Multifactor:
    """Order a queue by a weighted sum of age, size and fair share, as Slurm's multifactor priority does.

    The priority of a job is `age` x min(wait / max_age, 1) + `procs` x processors / machine + `fair_share` x
    2 ** -usage. Here usage is what the job's account has had of the machine of late, in multiples of an equal share of
    what all accounts of the workload had: processor-seconds, up to this second, of which half are forgotten in each
    half-life. So the last factor is 1 for an account that has had nothing, and 1/2 for one that has had its share.
    Slurm works that out every five minutes; here it is right in each scheduling pass. Jobs of unknown accounts are
    those of one account.

    Parameters
    ----------
    age, procs, fair_share : float
        Weights, `procs` that of the size. Only their ratios count. A `procs` below zero favours small jobs (Slurm's
        PriorityFavorSmall).
    max_age_days : float
        Who waits for longer does not gain by it any more. Slurm's default is seven days.
    half_life_days : float
        Slurm's default is seven days (PriorityDecayHalfLife).
    account : str
        Whose use counts: the "user"'s or the "group"'s.

    Raises
    ------
    ValueError
        For weights that are no numbers, times that are not above zero, another account.

    References
    ----------
    Slurm Workload Manager, "Multifactor Priority Plugin" (PriorityType=priority/multifactor, the classic fair share).

    Examples
    --------
    Users 1 and 2 wait for user 1's first job. User 2 has had nothing yet, and comes first.

    >>> import simlib
    >>> rows = {"submit": [0, 1, 2], "run": 10, "procs": 4, "user": [1, 1, 2]}
    >>> import pandas as pd
    >>> w = simlib.Workload(pd.DataFrame(rows), 4)
    >>> simlib.simulate(w, simlib.EASY(order=simlib.Multifactor())).jobs.start.to_list()
    [0, 20, 10]
    """

    age: float = 1.0
    procs: float = 0.0
    fair_share: float = 1.0
    max_age_days: float = 7.0
    half_life_days: float = 7.0
    account: str = "user"

    def __post_init__(self) -> None:
        for name in ("age", "procs", "fair_share"):
            if not isinstance(getattr(self, name), (int, float)):
                raise ValueError(f"Multifactor: found {name}={getattr(self, name)!r}, expected a number")
        for name in ("max_age_days", "half_life_days"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0 < value < float("inf")):
                raise ValueError(f"Multifactor: found {name}={value!r}, expected a number of days above 0")
        if self.account not in ACCOUNTS:
            raise ValueError(f"Multifactor: found account={self.account!r}, expected 'user' or 'group'")

    @property
    def half_life_s(self) -> float:
        """The half-life in seconds."""
        return self.half_life_days * DAY

    @property
    def function(self) -> Callable[..., float]:
        """The order, as a function of what it asks for."""
        age_weight, procs_weight, share_weight = float(self.age), float(self.procs), float(self.fair_share)
        max_age = self.max_age_days * DAY

        def multifactor(wait: float, procs: float, fair_share: float, machine: float) -> float:
            return age_weight * min(wait / max_age, 1.0) + procs_weight * procs / machine + share_weight * fair_share

        return multifactor
