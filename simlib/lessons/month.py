"""The month of a real log that lessons 4 to 6 look at."""

from functools import cache

import pandas as pd

from ..loading import load
from ..schedule import simulate


@cache
def january():
    """The jobs of January 1997 at KTH in Stockholm, or of its twin where the log is not here.

    In this month the effects that the lessons speak of are clear, and as clear with the twin: what estimates do, that
    two metrics disagree on two schedulers, that other queue orders beat EASY's.
    """
    return load("KTH-SP2").months("1997-01")


def shaken(month, policy, runs):
    """The rows of `simlib.stats.shake`, but without a progress bar, which is no part of a verdict."""
    found = [simulate(month.shake(60, run), policy).summary() for run in range(runs)]
    return pd.DataFrame(found, index=range(runs))
