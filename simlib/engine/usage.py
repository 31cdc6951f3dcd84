"""What each account has had of the machine of late: processor-seconds, of which half are forgotten in each half-life.

A running job's use counts from second to second, so that nobody gains by jobs that have not ended yet.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from .parts import part


class Usage(NamedTuple):
    """What each account has had, and the machine as a whole, which is the last of the accounts.

    Attributes
    ----------
    account : int64 array, by job
    had : float64 array, by account; processor-seconds that are not forgotten
    held : int64 array, by account; processors that its jobs take now
    at : int64 array, by account; the second for which `had` is right
    half_life : float, seconds; 0 where no order asks for it, and nothing is counted
    """

    account: np.ndarray
    had: np.ndarray
    held: np.ndarray
    at: np.ndarray
    half_life: float


@part
def settle(usage, account, now):
    """Bring what an account has had to the present: the old fades, and what its jobs took since is added."""
    if usage.at[account] != now:
        fade = 0.5 ** ((now - usage.at[account]) / usage.half_life)
        recent = usage.held[account] * usage.half_life / np.log(2.0) * (1 - fade)
        usage.had[account] = usage.had[account] * fade + recent
        usage.at[account] = now


@part
def hold(usage, job, now, procs):
    """Note that a job's account holds so many more processors from now on; a negative number gives them back."""
    if usage.half_life > 0:
        for account in (usage.account[job], usage.had.size - 1):
            settle(usage, account, now)
            usage.held[account] += procs


@register_jitable(_nrt=False, forceinline=True)  # it is used by what numba chooses by type, see `ranking.told`
def times_its_share(usage, job, now):
    """Tell what a job's account has had, in multiples of an equal share of all: 1 is fair; 0 where nobody had any.

    To nine digits, so that accounts that have had the same are equal.
    """
    if usage.half_life == 0:
        return 0.0
    account, everyone = usage.account[job], usage.had.size - 1
    settle(usage, account, now)
    settle(usage, everyone, now)
    if usage.had[everyone] <= 0:
        return 0.0
    return np.rint(usage.had[account] / usage.had[everyone] * everyone * 1e9) / 1e9
