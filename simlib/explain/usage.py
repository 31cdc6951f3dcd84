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
        self.accounts, self.half_life, self.begin = accounts, half_life, -math.inf
        self.had, self.held, self.since = [0.0] * (accounts + 1), [0] * (accounts + 1), [0.0] * (accounts + 1)

    def hold(self, account: int, now: int, procs: int) -> None:
        """Note that an account holds so many more processors from now on; a negative number gives them back."""
        if self.half_life > 0:
            for one in (account, self.accounts):  # the last is the machine as a whole
                self.had[one] = self._until(one, now)
                self.since[one] = self._weight(now)
                self.held[one] += procs

    def times_its_share(self, account: int, now: int) -> float:
        """Tell what an account has had, in multiples of an equal share of all, to nine digits."""
        if self.half_life == 0:
            return 0.0
        everything = self._until(self.accounts, now)
        if everything <= 0:
            return 0.0
        return round(self._until(account, now) / everything * self.accounts * 1e9) / 1e9

    def _until(self, account: int, now: int) -> float:
        """What an account has had up to this second, each processor-second times its weight."""
        weight = self._weight(now)  # first, for all may fade with it
        return self.had[account] + self.held[account] * (weight - self.since[account])

    def _weight(self, now: int) -> float:
        """What a processor-second weighs now: twice as much as one of a half-life before. Only ratios count."""
        if self.begin == -math.inf:
            self.begin = now
        half_lives = math.floor((now - self.begin) / self.half_life)
        if half_lives > 0:  # those before weigh less, instead of those from now on more and more
            self.begin += half_lives * self.half_life
            rest = 0.5**half_lives
            self.had = [had * rest for had in self.had]
            self.since = [since * rest for since in self.since]
        return 2.0 ** ((now - self.begin) / self.half_life)


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
