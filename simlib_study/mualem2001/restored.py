"""The jobs that a log lost to cleaning: what they were like, and the log with them back, drawn again for each seed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd

from simlib.core.workload import Workload

from .. import restoring

FIELDS = ("run", "procs", "requested_time", "status")
"""What a setting may say of a user's lost jobs, see `_values`."""

POOL = 1000
"""How many jobs are made up of a user in a draw, for the lost ones to be drawn from."""


@dataclass(frozen=True, eq=False)
class Lost:
    """The jobs that a cleaned log lost, as far as it is known what they were like."""

    log: Workload
    users: list[dict[str, Any]]
    condition: str
    estimates: str

    @cached_property
    def known_gaps(self) -> pd.DataFrame:
        """When the lost jobs were submitted, as from `restore.lost`."""
        return restoring.lost(self.log)

    def inferred_from(self, of: Mapping[str, Any]) -> bool:
        """Whether the description was inferred from this printed number, a dict of its levels; "" stands for none."""
        numbers = [number for user in self.users for number in user.get("inferred_from", [])]
        return any(all(of.get(key, "") == value for key, value in number.items()) for number in numbers)

    def whole(self, seed: int) -> Workload:
        """Draw the log with the lost jobs back, as simulated; what is the same for a user's jobs is drawn once."""
        rng = np.random.default_rng([seed, 1])
        pools = {user["user"]: self._pool(user, rng) for user in self.users}
        every = {user["user"]: user["every"] for user in self.users if user.get("every")}
        drawn = restoring.put_back(self.log, pools, seed, every, self.known_gaps)
        return (drawn.select(self.condition) if self.condition else drawn).with_estimates(self.estimates)

    @cached_property
    def _like(self) -> dict[int, pd.DataFrame]:
        """The log's lines that each user's lost jobs resemble, by user; many draws are made of them."""
        lines = self.log.log
        if lines is None:
            raise ValueError(f"{self.log.name}: found no job lines, expected a cleaned log read from SWF")
        return {one["user"]: lines.query(one["lines"]) for one in self.users if "lines" in one}

    def _pool(self, user: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
        """The lines that a user's lost jobs are drawn from: of other jobs of the user, or one."""
        lines = self._like.get(user["user"], pd.DataFrame(index=[0]))
        if not len(lines):
            raise ValueError(f"{self.log.name}: user {user['user']}: found no job line with {user['lines']!r}")
        lines = lines.iloc[rng.integers(len(lines), size=POOL)]
        return lines.assign(**{name: _values(user[name], rng) for name in FIELDS if name in user})

    def drawn(self, seed: int) -> Workload:
        """Draw as `whole`, without the job lines; the last draws are kept, for several policies simulate the same."""
        return _drawn(self, seed)


@lru_cache(maxsize=100)  # as many as a notebook draws of a log, so that one policy finds what another has drawn
def _drawn(lost: Lost, seed: int) -> Workload:
    drawn = lost.whole(seed)
    drawn._log = None
    return drawn


def _values(of: Any, rng: np.random.Generator) -> Any:
    """Make the values of a field: a number; or one number for all jobs, of a range, or of more measurements than two.

    The latter is what their true mean may be (Student's t), not below the least. Of a `mean`, which may be these too,
    and an `sd` normal values, with a `log_sd` lognormal ones, at least 1.
    """
    if isinstance(of, list) and len(of) > 2:
        error = np.std(of, ddof=1) / len(of) ** 0.5
        return max(np.mean(of) + error * rng.standard_t(len(of) - 1), min(of))
    if isinstance(of, list):
        least, most = of
        return int(rng.integers(least, most, endpoint=True))
    if not isinstance(of, dict):
        return of
    mean = _values(of["mean"], rng)
    if "log_sd" in of:
        drawn = rng.lognormal(np.log(mean) - of["log_sd"] ** 2 / 2, of["log_sd"], POOL)
    else:
        drawn = rng.normal(mean, of["sd"], POOL)
    return np.maximum(drawn.round(), 1).astype(int)
