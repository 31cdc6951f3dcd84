"""The jobs that a log lost to cleaning: what they were like, and the log with them back, drawn anew for each seed."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from ... import restore
from ...identity import identity
from ...workload import Workload

FIELDS = ("run", "procs", "requested_time", "status")
"""What a setting may say of a user's lost jobs: a number, or the lowest and highest that it may have been."""


@dataclass(frozen=True, eq=False)
class Lost:
    """The jobs that a cleaned log lost, as far as it is known what they were like.

    Attributes
    ----------
    log : Workload
        The cleaned log, with all its jobs.
    users : list of dict
        From `data/published/mualem2001_logs.toml`: a user, and what the lost jobs were like.
    condition : str
        On the jobs that are simulated; "" for all.
    estimates : str
        "user" or "exact".
    """

    log: Workload
    users: list
    condition: str
    estimates: str

    @cached_property
    def gaps(self):
        """When the lost jobs were submitted, from `restore.lost`."""
        return restore.lost(self.log)

    @cached_property
    def key(self):
        """What draws hang on but the seed and the log."""
        return identity((self.users, self.condition, self.estimates))

    def inferred_from(self, of):
        """Whether what is said of the lost jobs was inferred from this printed number, a dict of what it is of."""
        numbers = [number for user in self.users for number in user.get("inferred_from", [])]
        return any(all(of.get(key) == value for key, value in number.items()) for number in numbers)

    def whole(self, seed):
        """Draw the log with the lost jobs back: a Workload with its job lines, of the jobs that are simulated.

        What is the same for all lost jobs of a user, but not exactly known, is drawn once: one setting for the log.
        """
        rng = np.random.default_rng([seed, 1])
        pools = {user["user"]: self._pool(user, rng) for user in self.users}
        every = {user["user"]: user["every"] for user in self.users if "every" in user}
        drawn = restore.put_back(self.log, pools, seed, every, self.gaps)
        return (drawn.select(self.condition) if self.condition else drawn).with_estimates(self.estimates)

    def _pool(self, user, rng):
        """The lines that a user's lost jobs are drawn from: of other jobs of the user, or one."""
        lines = self.log.log.query(user["lines"]) if "lines" in user else pd.DataFrame(index=[0])
        given = {name: user[name] for name in FIELDS if name in user}
        return lines.assign(**{name: _chosen(value, rng) for name, value in given.items()})

    def drawn(self, seed):
        """Draw as `whole`, without the job lines; the last draws are kept, for several policies simulate the same."""
        return _drawn(self, seed)


@lru_cache(maxsize=64)
def _drawn(lost, seed):
    found = lost.whole(seed)
    found.log = None
    return found


def _chosen(value, rng):
    """A number, or one of a range."""
    return int(rng.integers(value[0], value[1], endpoint=True)) if isinstance(value, list) else value
