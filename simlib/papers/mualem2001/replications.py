"""Replications of the traces, which most exhibits need: as they are, and with submit times shaken.

Shaken runs lie in `cache`, in blocks of `BLOCK`, by the jobs, the policy, the estimates and the seeds.
"""

import pandas as pd

from ...identity import identity
from ...schedule import simulate
from ...stats import shake
from .. import cache
from ..results import AS_IT_IS
from . import WHOLE

BLOCK = 20
"""Runs that lie together: all numbers of shakes that the notebooks ask for are multiples of it."""

QUANTITIES = {
    "utilization": "load",
    "jobs": "jobs",
    "mean_wait": "wait_s",
    "mean_response": "response_s",
    "mean_bounded_slowdown": "bounded_slowdown",
}
"""The metrics of results, by the quantities of `Schedule.means`; MF call a machine's utilization its load."""


def replications(trace, policy, shakes, **settings):
    """Simulate a trace as it is and shaken, and work out the means of each month.

    Returns
    -------
    Series
        What `wide` has, by (replication, month, metric).
    """
    table = wide(trace, policy, shakes, **settings)
    # As `stack` does, which takes a thousand times as long: every replication has the same months and metrics.
    values, columns = table.to_numpy(), table.columns
    months, metrics = columns.unique("month"), columns.unique("metric")
    return pd.Series(values.ravel(), pd.MultiIndex.from_product([table.index, months, metrics]))


def wide(trace, policy, shakes, shake_s=60, seed=0, overrun="extend", estimates=None, as_it_is=True, executor=None):
    """Simulate a trace as it is and shaken, and work out the means of each month.

    Parameters
    ----------
    trace : Trace
    policy, overrun
        As for `simulate`.
    shakes, shake_s, seed, estimates, executor
        As `runs`, `seconds` and so on for `simlib.stats.shake`.
    as_it_is : bool
        Whether there is a replication that is not shaken; there is none where estimates are drawn at random.

    Returns
    -------
    DataFrame
        A row a replication, columns by (month, metric): metrics are those of `QUANTITIES`, slowdown by MF's formula;
        the last month, WHOLE, has all jobs. A restored trace is nowhere as it is: for that stands the median of its
        replications.
    """
    block = cache.once(_block, "trace", "policy", "estimates", "executor")
    key = _key(trace, policy, estimates)
    blocks = [
        block(key, trace, policy, min(BLOCK, seed + shakes - first), shake_s, first, overrun, estimates, executor)
        for first in range(seed, seed + shakes, BLOCK)
    ]
    runs = pd.RangeIndex(AS_IT_IS + 1, AS_IT_IS + 1 + shakes)
    found = [pd.concat([each[trace.calendar] for each in blocks]).set_axis(runs)] if blocks else []
    if as_it_is and trace.restored and found:
        found.insert(0, found[0].median().to_frame(AS_IT_IS).T)
    elif as_it_is:
        workload = trace.lost.drawn(seed) if trace.restored else trace.workload
        workload = workload.with_estimates(estimates(seed)) if estimates else workload
        months = trace.by_month_and_whole(simulate(workload, policy, overrun)).stack()
        found.insert(0, months.to_frame(AS_IT_IS).T)
    table = pd.concat(found).rename_axis(index="replication", columns=["month", "metric"])
    table = table.loc[:, table.columns.get_level_values("metric").isin(list(QUANTITIES))]
    return table.rename(columns=QUANTITIES, level="metric")


def of_rules(trace, policies, shakes, **settings):
    """Simulate a trace under several policies.

    Parameters
    ----------
    trace : Trace
    policies : dict
        By (scheduler, rule).
    shakes : dict
        How many shaken runs, by rule.
    settings
        As for `replications`.

    Returns
    -------
    Series
        By (scheduler, rule, replication, month, metric).
    """
    found = {
        (scheduler, rule): replications(trace.under(rule), policy, shakes[rule], **settings)
        for (scheduler, rule), policy in policies.items()
    }
    return pd.concat(found, names=["scheduler", "rule"])


def means(results, metrics):
    """Take some metrics of the whole traces, without those of the months."""
    whole = results.xs(WHOLE, level="month")
    return whole[whole.index.get_level_values("metric").isin(list(metrics))]


def _block(key, trace, policy, runs, seconds, seed, overrun, estimates, executor):
    """Some runs; `key` stands for what is not looked at when they are looked for."""
    return shake(trace.workloads, policy, runs, seconds, seed, trace.by_calendars, overrun, estimates, executor)


def _key(trace, policy, estimates):
    """What these runs hang on but their seeds."""
    jobs = cache.state_of(trace.workload), trace.lost.key if trace.restored else ()
    months = {name: (tuple(one.month_edges[0]), tuple(one.month_edges[1])) for name, one in trace.calendars.items()}
    return *jobs, identity(policy), identity(estimates), months
