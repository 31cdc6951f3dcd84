"""By how much a policy, or an estimate, changes what jobs see on a log, with both intervals: tables with a row a log.

An effect is a change as a share of the base, -0.1 being a tenth less. Coincidence and another year are as in
`simlib.compare`: its `coincidence_low` to `coincidence_high` are `low` to `high` here.
"""

import numpy as np
import pandas as pd

from ...comparing import compare
from ...comparing.groups import blocks
from ...confidence import cluster_draws
from ...schedule import simulate
from ...sweeps import sweep
from .. import cache

LEVELS = ["log", "case", "measure"]

COLUMNS = ["base", "value", "effect", "low", "high", "year_low", "year_high"]

BACKFILLED = "backfilled"
"""The measure that `simlib.compare` does not have: the share of the jobs that were backfilled."""


def effects(machine, cases, base, settings):
    """Compare cases with one of them on a log, by mean wait, response time and bounded slowdown.

    Parameters
    ----------
    machine : Machine
    cases : dict
        As for `simlib.compare`.
    base : str
    settings : dict
        Of `simlib.compare`: `shakes`, `seconds`, `resamples`, `seed`.

    Returns
    -------
    DataFrame
        By (log, case, measure), the columns `COLUMNS`: means under the base and the case, the effect, its intervals.
    """
    table = cache.once(_effects, "workload")(_key(machine), machine.workload, cases, base, **settings)
    return pd.concat({machine.name: table}, names=LEVELS)


def _effects(key, workload, cases, base, **settings):
    """As `effects`; `key` stands for the workload where earlier results are looked for."""
    relative = compare(workload, cases, base, by=["all"], least=1, **settings).relative
    table = relative.xs(("all", "all", "mean"), level=("by", "group", "statistic")).drop(columns="jobs")
    return table.set_axis(COLUMNS, axis=1).rename_axis(LEVELS[1:])


def backfilled(machine, case, policies, settings):
    """Compare the share of the jobs that two policies backfill; parameters and result as of `effects`.

    Parameters
    ----------
    case : str
        What the row is called.
    policies : pair of policies
        The base, and what is held against it.
    """
    table = cache.once(_backfilled, "workload")(_key(machine), machine.workload, policies, **settings)
    return pd.concat({(machine.name, case): table}, names=LEVELS)


def _backfilled(key, workload, policies, shakes, seconds, resamples, seed):
    tasks = [(workload, policies, seconds, each) for each in [None, *range(seed, seed + shakes)]]
    flags = sweep(_flags, tasks, label="runs")
    shares = np.array([[of_policy.mean() for of_policy in run] for run in flags])
    week = blocks(workload)
    jobs, *others = (np.bincount(week, weights) for weights in (None, *flags[0]))
    drawn = cluster_draws(len(jobs), resamples, seed)[1:]
    years = np.array([drawn @ of_policy / (drawn @ jobs) for of_policy in others]).T
    base, value = shares.mean(axis=0)
    ends = [_middle(_change(each)) for each in (shares, years)]
    row = [base, value, value / base - 1 if base else np.nan, *ends[0], *ends[1]]
    return pd.DataFrame([row], pd.Index([BACKFILLED], name="measure"), COLUMNS)


def _flags(workload, policies, seconds, seed):
    """Which jobs each policy backfills, in the order of submission."""
    shaken = workload if seed is None else workload.shake(seconds, seed)
    return [simulate(shaken, policy).column("backfilled") for policy in policies]


def _change(pairs):
    """The second column as a change of the first; nan where that is nought."""
    base = np.where(pairs[:, 0] > 0, pairs[:, 0], np.nan)
    return pairs[:, 1] / base - 1


def _middle(values):
    """The ends of the interval that holds the middle 95 %."""
    return np.nanquantile(values, [0.025, 0.975])


def _key(machine):
    return cache.state_of(machine.workload)


def together(tables):
    """Put tables of effects one under the other; with none the columns are there all the same."""
    empty = pd.DataFrame(index=pd.MultiIndex.from_tuples([], names=LEVELS), columns=COLUMNS, dtype=float)
    return pd.concat(tables) if tables else empty


def of_case(table, case, measure):
    """Take the rows of a case and a measure, by log."""
    return table[table.index.isin([case], "case") & table.index.isin([measure], "measure")].droplevel(LEVELS[1:])
