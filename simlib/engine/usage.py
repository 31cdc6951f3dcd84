"""What each account has had of the machine of late: processor-seconds, of which half are forgotten in each half-life.

A running job's use counts from second to second, so that nobody gains by jobs that have not ended yet.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from .parts import part, uncounted


class Usage(NamedTuple):
    """What each account has had, and the machine as a whole, which is the last of the accounts.

    Nothing fades here: a processor-second weighs twice as much as one of a half-life before, which comes to the same,
    for only ratios count. So one power an instant does for all accounts.

    Attributes
    ----------
    account : int64 array, by job
    had : float64 array, by account; processor-seconds x their weight, all in one unit
    held : int64 array, by account; processors that its jobs take now
    since : float64 array, by account; the weight of the second for which `had` is right
    clock : float64 array of three numbers
        A second, its weight, and the second whose weight is 1, no more than a half-life before; at first -inf.
    half_life : float, seconds; 0 where no order asks for it, and nothing is counted
    share, fair_share : float64 arrays, by account; what it has had in multiples of an equal share, and 2 ** -share
    told : int64 array, by account; the second for which these two are right
    """

    account: np.ndarray
    had: np.ndarray
    held: np.ndarray
    since: np.ndarray
    clock: np.ndarray
    half_life: float
    share: np.ndarray
    fair_share: np.ndarray
    told: np.ndarray


@part
def weight(usage, now):
    """Tell what a processor-second weighs now."""
    clock = usage.clock
    if clock[0] != now:
        clock[0] = now
        if now - clock[2] >= usage.half_life:
            let_fade(usage, now)
        clock[1] = 2.0 ** ((now - clock[2]) / usage.half_life)
    return clock[1]


@uncounted
def let_fade(usage, now):
    """Let the second whose weight is 1 be no more than a half-life before now, so that numbers stay small and exact."""
    clock = usage.clock
    if clock[2] == -np.inf:  # nothing has been counted
        clock[2] = now
    half_lives = np.floor((now - clock[2]) / usage.half_life)
    clock[2] += half_lives * usage.half_life
    rest = 0.5**half_lives
    for account in range(usage.had.size):
        usage.had[account] *= rest
        usage.since[account] *= rest


@part
def until_now(usage, account, now):
    """Tell what an account has had up to this second."""
    present = weight(usage, now)  # first, for all may fade with it
    return usage.had[account] + usage.held[account] * (present - usage.since[account])


@part
def hold(usage, job, now, procs):
    """Note that a job's account holds so many more processors from now on; a negative number gives them back."""
    if usage.half_life > 0:
        for account in (np.uint64(usage.account[job]), np.uint64(usage.had.size - 1)):
            usage.had[account] = until_now(usage, account, now)
            usage.since[account] = weight(usage, now)
            usage.held[account] += procs


@register_jitable(_nrt=False, forceinline=True)  # it is used by what numba chooses by type, see `ranking.told`
def account_told(usage, job, now):
    """Find a job's account, whose `share` and `fair_share` are then right for now.

    The share is 1 if it is fair, and 0 where nobody had any. It has nine digits, so that accounts that have had the
    same are equal.
    """
    account = np.uint64(usage.account[job])
    if usage.told[account] != now and usage.half_life > 0:
        everyone = np.uint64(usage.had.size - 1)
        everything = until_now(usage, everyone, now)
        if everything > 0:
            share = until_now(usage, account, now) / everything * np.int64(everyone)
            usage.share[account] = np.rint(share * 1e9) / 1e9
            usage.fair_share[account] = 0.5 ** usage.share[account]
        usage.told[account] = now
    return account
