"""Run times and sizes of whole workloads, and how SP2 workloads and a model differ from others (section 3.3)."""

from itertools import product

import numpy as np
import pandas as pd

from ...analysis import size_classes
from ...analysis.stats import cluster_bootstrap
from ...core import sweeps
from .. import results
from ..claims import Measure
from ..results import AS_IT_IS
from . import SP2, trace_of

OTHERS = ("Par", "CM5")
"""The logs that the text sets against the SP2 ones."""

MODEL = "Feitelson"

WEEK = 7 * 86400


def of_weeks(workloads, resamples=1000, seed=0, executor=None):
    """Work out mean and median of run time and size of whole workloads, and of ones put together from their weeks.

    Weeks are drawn by `simlib.analysis.stats.cluster_bootstrap`.

    Gives a Series, by (workload, replication, quantity, statistic). Quantities are `run` (seconds), `size`
    (processors) and `machine_share`, the same as a share of the machine; statistics `mean` and `median`.
    """
    tasks = [(workload, resamples, [seed, number]) for number, workload in enumerate(workloads.values())]
    tables = sweeps.sweep(_of_weeks, tasks, executor)
    return pd.concat(dict(zip(workloads, tables, strict=True)), names=["workload"])


def _of_weeks(workload, resamples, seed):
    """Describe one workload, and those that are put together from its weeks."""
    jobs = workload.jobs[["run", "procs"]].set_axis(["run", "size"], axis=1)
    week = (workload.jobs.submit - workload.jobs.submit.min()) // WEEK
    drawn = cluster_bootstrap(jobs, week, resamples, seed)
    medians = jobs.quantile(0.5, interpolation="lower")
    whole = {(name, "mean"): jobs[name].mean() for name in jobs} | {(name, "median"): medians[name] for name in jobs}
    table = pd.concat([pd.DataFrame(whole, [AS_IT_IS]), drawn.set_axis(drawn.index + AS_IT_IS + 1)])
    for statistic in ("mean", "median"):
        table["machine_share", statistic] = table["size", statistic] / workload.procs
    names = ["quantity", "statistic"]
    return table.rename_axis(index="replication", columns=names).stack(names, future_stack=True)


def ratios(found, ones=SP2, others=(*OTHERS, MODEL)):
    """Divide each statistic of some workloads by that of others, as far as they are there.

    Gives the `results.summary` by (one, other, quantity, statistic); no rows where there is no pair.
    """
    there = list(found.index.unique("workload"))
    pairs = product((one for one in ones if one in there), (other for other in there if trace_of(other) in others))
    divided = {(one, other): found.loc[one] / found.loc[other] for one, other in pairs}
    made = pd.concat(divided, names=["one", "other"]) if divided else found[:0].rename_axis(index={"workload": "one"})
    return results.summary(made, resampled=True)


def beside(table, forms):
    """Write numbers with their intervals as text, a column each quantity and statistic; `forms` are by quantity."""
    columns = {
        quantity: results.with_intervals(table.xs(quantity, level="quantity"), form).unstack("statistic")
        for quantity, form in forms.items()
    }
    return pd.concat(columns, axis=1).reindex(table.index.droplevel(["quantity", "statistic"]).unique())


def sp2_against_others(found, of_models):
    """Measure how the SP2 logs differ from the others and each of several models: mean and median of run time and size.

    It is the mean of the one group over that of the other, both geometric, by model and part; nothing where a log is
    not available.
    """
    traces = found.index.get_level_values("workload").map(trace_of)
    if not {*SP2, *OTHERS} <= set(traces):
        return {}
    measured = {}
    for name in of_models.index.unique("workload"):
        both = pd.concat([found[traces.isin([*SP2, *OTHERS])], of_models.loc[[name]].rename({name: MODEL})])
        logs = np.log(both.unstack("workload")).T.groupby(trace_of).mean()  # two years of one trace count as one
        divided = np.exp(logs.loc[list(SP2)].mean() - logs.loc[[*OTHERS, MODEL]].mean())
        measured[name] = {
            f"{statistic} {word}": Measure.spread(divided.xs((quantity, statistic), level=("quantity", "statistic")))
            for statistic in ("mean", "median")
            for quantity, word in (("run", "run time"), ("size", "size"))
        }
    return measured


def gaps(made, ctc, jann, least_jobs=100):
    """Measure how far several workloads of a model are from the CTC log, and from as many of the Jann model.

    It is the largest gap between the distributions of run times, of all jobs, and within a size class, the median over
    the classes: the mean over the workloads.
    """
    found = []
    for one, other in zip(made, jann, strict=True):
        table = size_classes.distances([("made", one), ("CTC", ctc), ("Jann", other)], "made", least_jobs)
        of_all, by_size = table.loc["all"], table.drop(["sizes", "all"]).median()
        found.append(
            {f"{name}, all jobs": of_all[name] for name in table}
            | {f"{name}, by size": by_size[name] for name in table}
        )
    return {part: Measure.mean([each[part] for each in found]) for part in found[0]}
