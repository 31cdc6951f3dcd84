"""Figures 4 and 7: response time and slowdown of models against the load (sections 3.1 to 3.3)."""

import pandas as pd

from ... import load_curves, sweeps
from ...identity import identity
from .. import cache
from . import SCHEDULERS

LOADS = tuple(n / 20 for n in range(10, 20))
"""From 0.5 to 0.95."""


def share_backfilled(schedule):
    """Tell for each job whether it was backfilled, as 0 or 1."""
    return schedule.column("backfilled").astype(float)


MEASURED = load_curves.MEASURES | {"backfilled": share_backfilled}
"""What is measured of every simulation, whatever an exhibit shows of it: so one exhibit finds what another has made."""

POINT = ["replication", "workload", "load", "scheduler", "rule", "metric"]
PAIR = ["replication", "workload", "load", "rule", "metric"]


def curves(
    models,
    seeds,
    batch,
    policies,
    loads=LOADS,
    stopping=load_curves.STOPPING,
    feedback=(),
    measures=tuple(load_curves.MEASURES),
    executor=None,
):
    """Simulate several workloads of each model at every load under every policy: see `simlib.load_curves.at_load`.

    Models are, by label, functions of a seed that make the workload, and `batch` has their jobs a batch; `feedback` has
    the labels of those in which jobs follow others. Seeds make the replications 1, 2, ...; policies are by (scheduler,
    rule), and the schedulers are compared under each rule. Measures are some of `MEASURED`.

    Returns
    -------
    points : DataFrame
        By replication, workload, load, scheduler, rule and metric: as from `at_load`.
    differences : DataFrame
        By replication, workload, load, rule and metric: how much more `conservative` has than `easy`.
    """
    found = []
    for seed in seeds:
        workloads = {label: make(seed) for label, make in models.items()}
        found.append(_replication(workloads, batch, policies, loads, stopping, feedback, executor))
    numbers = range(1, len(found) + 1)
    points, differences = (pd.concat(tables, keys=numbers) for tables in zip(*found, strict=True))
    points, differences = points.rename_axis(POINT), differences.rename_axis(PAIR)
    named = dict(zip(("one", "other"), SCHEDULERS, strict=True))
    return _of(points, measures), _of(differences, measures).rename(columns=named)


def _of(table, measures):
    """Take the rows of some measures."""
    return table[table.index.isin(list(measures), level="metric")]


def _replication(workloads, batch, policies, loads, stopping, feedback, executor):
    """Simulate one workload of each model; the largest at the highest loads, which take longest, come first."""
    cases = [(label, load) for label in workloads for load in loads]
    longest_first = sorted(cases, key=lambda case: -len(workloads[case[0]]) * case[1])
    keys = {label: (cache.state_of(one, label in feedback), identity(policies)) for label, one in workloads.items()}
    tasks = [
        (keys[label], workloads[label], load, policies, batch[label], stopping, label in feedback)
        for label, load in longest_first
    ]
    once = cache.once(_at_load, "workload", "policies")
    made = dict(zip(longest_first, sweeps.sweep(once, tasks, executor, label="loads"), strict=True))
    return tuple(pd.concat({case: made[case][kind] for case in cases}) for kind in (0, 1))


def _at_load(key, workload, load, policies, batch, stopping, feedback):
    """Simulate one load; `key` stands for workload and policies in the cache, for figures 4 and 7 share models."""
    pairs = {rule: tuple((scheduler, rule) for scheduler in SCHEDULERS) for _, rule in policies}
    return load_curves.at_load(workload, load, policies, batch, pairs, MEASURED, stopping, feedback)
