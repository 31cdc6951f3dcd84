"""EASY against conservative backfilling at other loads than a log's own (MF section 3.1).

The load is changed as in the paper: all interarrival times are multiplied by one factor.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from ...policies import EASY, Conservative
from .effects import LEVELS, effects, minus

LOADS = 0.6, 0.7, 0.8, 0.9

SHORTEST, LONGEST = 3 / 4, 3 / 2
"""A load is in reach where interarrival times need not be multiplied by less or more."""

CASES = {"EASY": EASY(), "conservative": Conservative()}

EXACT = "exact"
"""The column of the highest load: the same effect with exact estimates, from one run."""


def in_reach(load):
    """List the loads that a log of this load comes to.

    >>> in_reach(0.55)
    [0.6, 0.7]
    """
    return [to for to in LOADS if SHORTEST <= load / to <= LONGEST]


def of_machine(machine, settings):
    """Work out what conservative changes against EASY on one log at the loads in reach; None where there is none.

    Returns
    -------
    DataFrame
        As from `effects`, the cases being loads; and `EXACT`.
    """
    rows = {}
    for load in in_reach(machine.workload.load):
        scaled = replace(machine, workload=machine.workload.scale_load(load))
        pairs = {load: ("conservative", "EASY")}
        rows[load] = effects(scaled, CASES, pairs, settings, shared=False).assign(**{EXACT: np.nan})
    if not rows:
        return None
    exact = {name: (policy, EXACT) for name, policy in CASES.items()}
    one_run = effects(scaled, exact, pairs, settings | {"shakes": 0}, shared=False)
    rows[load][EXACT] = one_run.effect
    return pd.concat(rows.values())


def line(table, measure):
    """Take a measure at all loads, by (log, load)."""
    return table[table.index.isin([measure], "measure")].droplevel("measure").rename_axis([LEVELS[0], "load"])


def growth(table, measure="response"):
    """Subtract the effect at the lowest load in reach from that at the highest, by log: see `effects.minus`."""
    of = line(table, measure)
    several = of[of.groupby("log").effect.transform("size") > 1].groupby("log", sort=False)
    return minus(*(several.nth(place).droplevel("load") for place in (-1, 0)))
