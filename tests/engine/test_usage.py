"""A user's share of the usage keeps its digits, however short jobs are against the half-life."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from simlib._util.compiled import compiled
from simlib.engine.ranking import Usage, _account_told, _hold
from simlib.policies.easy import JobFacts


@compiled
def shares(usage: Usage, held, told) -> None:
    """Let the jobs of two users take or give back processors, and write what the first has used a second later."""
    for i in range(held.shape[0]):
        now, user, procs = held[i]
        _hold(usage, np.uint64(user), now, procs)
        told[i] = usage.share[_account_told(usage, np.uint64(0), now + 1)]


def exact(jobs, now, half_life):
    """The share of the first of two users in what jobs have used, by the same rule with 28 digits."""
    used = [Decimal(0)] * 2
    for user, begin, end, procs in jobs:
        first, last = ((-Decimal(2).ln() * (now - second) / half_life).exp() for second in (begin, min(end, now)))
        used[user] += procs * (last - first)
    return float(2 * used[0] / sum(used))


@pytest.mark.slow
@pytest.mark.parametrize("days", [30.0, 0.0002])
def test_shares_are_exact_to_nine_digits(days):
    rng, half_life = np.random.default_rng(1), Decimal(days * 86400.0)
    for _ in range(50):
        jobs, free_from = [], [0, 2]  # seconds that are multiples of 4, and of the other user those between
        for _ in range(20):
            user = int(rng.integers(0, 2))
            begin = free_from[user] + 4 * int(rng.integers(1, 4))
            free_from[user] = end = begin + 4 * int(rng.integers(1, 4))
            jobs.append((user, begin, end, int(rng.integers(1, 9))))
        held = [(begin, user, procs) for user, begin, _, procs in jobs]
        held = sorted(held + [(end, user, -procs) for user, _, end, procs in jobs])
        facts = JobFacts(pd.Index([1, 2]), [np.arange(2)] * 3, None).facts(9, "user", float(half_life))
        told = np.zeros(len(held))
        shares(facts.usage, np.array(held), told)
        known = [exact([job for job in jobs if job[1] <= now], now + 1, half_life) for now, *_ in held]
        assert told.tolist() == [round(share * 1e9) / 1e9 for share in known]
