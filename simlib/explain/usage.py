"""What each account has had of the machine of late, in plain Python."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .system import Job


class Usage:
    """Processor-seconds by account, and of all together, of which half are forgotten in each half-life.

    Parameters
    ----------
    accounts : int
        How many there are in the workload.
    half_life : float
        Seconds; 0 where nobody asks what accounts have had, and nothing is counted.

    Examples
    --------
    Of two accounts one has held the machine for ten seconds, all that there was, twice its share:

    >>> usage = Usage(accounts=2, half_life=3600)
    >>> usage.hold(account=0, now=0, procs=4)
    >>> usage.times_its_share(account=0, now=10), usage.times_its_share(account=1, now=10)
    (2.0, 0.0)
    """

    def __init__(self, accounts: int, half_life: float) -> None:
        self.accounts, self.half_life = accounts, half_life
        self.had, self.held, self.at = [0.0] * (accounts + 1), [0] * (accounts + 1), [0] * (accounts + 1)

    def hold(self, account: int, now: int, procs: int) -> None:
        """Note that an account holds so many more processors from now on; a negative number gives them back."""
        if self.half_life > 0:
            for one in (account, self.accounts):  # the last is the machine as a whole
                self._settle(one, now)
                self.held[one] += procs

    def times_its_share(self, account: int, now: int) -> float:
        """Tell what an account has had, in multiples of an equal share of all, to nine digits."""
        if self.half_life == 0:
            return 0.0
        self._settle(account, now)
        self._settle(self.accounts, now)
        if self.had[self.accounts] <= 0:
            return 0.0
        return round(self.had[account] / self.had[self.accounts] * self.accounts * 1e9) / 1e9

    def _settle(self, account: int, now: int) -> None:
        """Bring what an account has had to the present: the old fades, and what its jobs took since is added."""
        if self.at[account] != now:
            fade = 0.5 ** ((now - self.at[account]) / self.half_life)
            recent = self.held[account] * self.half_life / math.log(2.0) * (1 - fade)
            self.had[account] = self.had[account] * fade + recent
            self.at[account] = now


def remember(usage: Usage, ended: "Sequence[Job]") -> None:
    """Count what jobs have had that ended before.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> usage = Usage(accounts=2, half_life=3600)
    >>> remember(usage, [Job("A", 0, 0, 10, 10, 3, start=0)])
    >>> usage.times_its_share(account=0, now=20)
    2.0
    """
    starts = [(job.start, job.procs, job.account) for job in ended]
    ends = [(job.end, -job.procs, job.account) for job in ended]
    for now, procs, account in sorted(starts + ends):
        usage.hold(account, now, procs)
