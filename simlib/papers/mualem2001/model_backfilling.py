"""The models' part of Figure 5: how much each scheduler backfills by load, and of which sizes (section 3.3)."""

import numpy as np
import pandas as pd
import scipy

from ... import sweeps
from .. import NOT, PARTLY, REPRODUCED, claim
from . import SCHEDULERS, policies
from .backfilling import RECORDED, amounts
from .distributions import ALL, bracketed

SAME = 0.05
"""Two amounts are called the same where they differ by less than this share of EASY's."""

HIGH = 0.7
"""From this load on the load is called high."""

QUANTITIES = ("backfilled", "size_ratio")


def runs(models, loads, seeds, rules=None, feedback=(), executor=None):
    """Simulate models at some loads with several seeds under both schedulers.

    Parameters
    ----------
    models : dict
        By label, a function of a seed that makes the workload.
    loads : sequence of float
    seeds : sequence of int
        The workload of a seed is the same for all loads and schedulers, so that differences are paired.
    rules : dict
        From `mualem2001.policies`.
    feedback : collection of str
        The labels of those models whose jobs come when the execution before has ended (see `simulate`).
    executor : concurrent.futures.Executor, optional

    Returns
    -------
    DataFrame
        What `backfilling.amounts` gives, by model, load, seed, scheduler and size class.
    """
    keys = [(label, load, seed) for label in models for load in loads for seed in seeds]
    made = {(label, seed): make(seed) for label, make in models.items() for seed in seeds}
    tasks = [(made[label, seed], load, rules or policies(), label in feedback) for label, load, seed in keys]
    results = sweeps.sweep(_amounts, tasks, executor, label="simulations")
    return pd.concat(dict(zip(keys, results, strict=True)), names=["model", "load", "seed", "scheduler", "size_class"])


def _amounts(workload, load, rules, feedback):
    return amounts(workload.scale_load(load), rules, seed=RECORDED, feedback=feedback)


def compared(results, quantity="backfilled"):
    """Both schedulers, and the relative difference between them, as means over the seeds with their 90 % intervals.

    Parameters
    ----------
    results : DataFrame
        From `runs`.
    quantity : str
        One of its columns.

    Returns
    -------
    DataFrame
        By model, load and size class: `jobs`; `easy`, `conservative` and `relative` (conservative / EASY - 1, seed by
        seed), each with `_low` and `_high`, by Student's t over the seeds.
    """
    wide = results[quantity].unstack("scheduler")
    values = wide[list(SCHEDULERS)].copy()
    values["relative"] = values.conservative / values.easy.where(values.easy != 0) - 1
    by = values.groupby(["model", "load", "size_class"], sort=False)
    mean, error, count = by.mean(), by.std() / np.sqrt(by.count()), by.count()
    half = error * scipy.special.stdtrit((count - 1).clip(lower=1), 0.95)  # Student's t
    table = {"jobs": results.jobs.groupby(["model", "load", "size_class"], sort=False).mean()}
    for name in values:
        table |= {name: mean[name], f"{name}_low": mean[name] - half[name], f"{name}_high": mean[name] + half[name]}
    return pd.DataFrame(table)


def beside(table, form="{:.1%}"):
    """A table of `compared` for reading: values with their intervals in brackets, all text."""
    columns = {"jobs": table.jobs.map("{:,.0f}".format)}
    for name, written in (*((scheduler, form) for scheduler in SCHEDULERS), ("relative", "{:+.1%}")):
        rows = table[[name, f"{name}_low", f"{name}_high"]].to_numpy()
        columns[name] = [bracketed(written, *row) for row in rows]
    return pd.DataFrame(columns)


def claims(results):
    """Decide claims MF-14, MF-15 and MF-17 by the 90 % intervals of the relative difference over the seeds.

    - MF-14, the same amount on the Feitelson model: reproduced where at every load the whole interval lies within
      +-SAME, in part where all of them lie within twice that.
    - MF-15, EASY backfills a slightly larger share on the Jann model: reproduced where at every high load the whole
      interval lies below nought, in part where at some it does and at none above; not reproduced otherwise.
    - MF-17, EASY is selective by size on the Jann model: reproduced where at every high load the jobs that EASY
      backfills are smaller than the average job, and clearly smaller than those of conservative; in part where only
      one of both holds everywhere.

    Parameters
    ----------
    results : DataFrame
        From `runs`, with the models "Feitelson" and "Jann".
    """
    share, ratio = (compared(results, quantity).xs(ALL, level="size_class") for quantity in QUANTITIES)
    return [_same(share.loc["Feitelson"]), _larger(_high(share)), _selective(_high(ratio))]


def _high(table):
    jann = table.loc["Jann"]
    return jann[jann.index >= HIGH]


def _same(share):
    widest = share[["relative_low", "relative_high"]].abs().to_numpy().max()
    verdict = REPRODUCED if widest <= SAME else PARTLY if widest <= 2 * SAME else NOT
    return claim("MF-14", verdict, _evidence(share, "relative difference of the shares"))


def _larger(share):
    below, above = share.relative_high < 0, share.relative_low > 0
    verdict = REPRODUCED if below.all() else PARTLY if below.any() and not above.any() else NOT
    return claim("MF-15", verdict, _evidence(share, "relative difference of the shares"))


def _selective(ratio):
    smaller, than_conservative = (ratio.easy_high < 1).all(), (ratio.relative_low > 0).all()
    verdict = REPRODUCED if smaller and than_conservative else PARTLY if smaller or than_conservative else NOT
    return claim("MF-17", verdict, _evidence(ratio, "mean size of the backfilled jobs over that of all", form="{:.2f}"))


def _evidence(table, what, form="{:.1%}"):
    parts = [
        f"load {load:.2f}: EASY {form.format(row.easy)}, conservative {form.format(row.conservative)}, "
        f"{row.relative:+.1%} ({row.relative_low:+.1%} to {row.relative_high:+.1%})"
        for load, row in table.iterrows()
    ]
    return f"{what}: " + "; ".join(parts)
