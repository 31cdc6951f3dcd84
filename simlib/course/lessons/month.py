"""The month of a real log that lessons 4 to 6 look at."""

from functools import cache

import pandas as pd

from ...core.policy import Policy
from ...core.schedule import simulate
from ...core.workload import Workload
from ...logs.archive import load

LOG = "KTH-SP2"


@cache
def january() -> Workload:
    """Load the jobs of January 1997 at KTH in Stockholm, or of its twin where the log is not here.

    The effects that the lessons show are clear in this month, and as clear with the twin: what estimates do, that two
    metrics rank two schedulers differently, and that other queue orders beat EASY's.
    """
    return load(LOG).months("1997-01")


def shaken(month: Workload, policy: Policy, runs: int) -> pd.DataFrame:
    """Summarise shaken runs as `stats.shake` does, but without a progress bar, which is no part of a verdict."""
    summaries = [simulate(month.shake(60, run), policy).summary() for run in range(runs)]
    return pd.DataFrame(summaries, index=range(runs))
