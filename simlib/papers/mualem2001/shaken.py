"""Shaken runs of the traces, which Tables 1, 3 and 4 and the detective all need: kept on disk once made.

See `kept`; they lie there in blocks of `BLOCK` runs, by the jobs, the policy, the estimates and the seeds.
"""

import pandas as pd

from ...identity import identity
from ...stats import shake
from . import METRICS, WHOLE, kept

BLOCK = 20
"""Runs that are kept together: all numbers of shakes that the notebooks ask for are multiples of it."""


def runs(trace, policy, runs=200, seconds=60, seed=0, overrun="extend", estimates=None, executor=None):
    """The means of each month, and of the whole trace, in many shaken runs.

    Parameters
    ----------
    trace : Trace
    policy, runs, seconds, seed, overrun, estimates, executor
        As for `simlib.stats.shake`.

    Returns
    -------
    DataFrame
        A row a run, columns (month, quantity of `Schedule.by_period`); the last month is WHOLE.
    """
    block = kept.once(_block, "trace", "policy", "estimates", "executor")
    key = _key(trace, policy, estimates)
    blocks = [
        block(key, trace, policy, min(BLOCK, seed + runs - first), seconds, first, overrun, estimates, executor)
        for first in range(seed, seed + runs, BLOCK)
    ]
    return pd.concat(blocks).set_axis(pd.RangeIndex(runs, name="run"))


def by_month(*args, **settings):
    """`runs` without the whole trace."""
    return runs(*args, **settings).drop(columns=WHOLE, level="month")


def whole(*args, **settings):
    """Of `runs` only the whole trace: a dict by the keys of `METRICS` a run, as from `mualem2001.means`."""
    found = runs(*args, **settings)[WHOLE]
    return found[list(METRICS.values())].set_axis(list(METRICS), axis=1).to_dict("records")


def _block(key, trace, policy, runs, seconds, seed, overrun, estimates, executor):
    """Some runs; `key` stands for what is not looked at when they are looked for."""
    return shake(trace.workload, policy, runs, seconds, seed, trace.by_month_and_whole, overrun, estimates, executor)


def _key(trace, policy, estimates):
    """What tells these runs from others: all that they hang on but their seeds."""
    months, edges = trace.month_edges
    return kept.state_of(trace.workload), identity(policy), identity(estimates), tuple(months), tuple(edges.tolist())
