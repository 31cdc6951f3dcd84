"""Figure 6: run times and sizes of whole workloads, and how SP2 workloads differ from others (section 3.3)."""

from itertools import product

import numpy as np
import pandas as pd

from ... import size_classes, sweeps
from ...confidence import cluster_bootstrap
from .. import results
from ..ledger import Measure
from ..results import AS_IT_IS
from . import SP2, trace_of

LOGS, MODEL = (*SP2, "Par", "CM5"), "Feitelson"
OTHERS = ("Par", "CM5", MODEL)
"""What the text sets against the SP2 workloads."""

WEEK = 7 * 86400


def of_weeks(workloads, resamples=1000, seed=0, executor=None):
    """Work out mean and median of run time and size of whole workloads, and of ones put together from their weeks.

    Workloads come as a list of (label, Workload); their weeks are drawn by `simlib.confidence.cluster_bootstrap`.

    Returns
    -------
    Series
        By (workload, replication, quantity, statistic). Quantities are `run` (seconds), `size` (processors) and
        `machine_share`, the same as a share of the machine; statistics `mean` and `median`.
    """
    tasks = [(workload, resamples, [seed, number]) for number, (_, workload) in enumerate(workloads)]
    tables = sweeps.sweep(_of_weeks, tasks, executor)
    return pd.concat(dict(zip([label for label, _ in workloads], tables, strict=True)), names=["workload"])


def _of_weeks(workload, resamples, seed):
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


def compared(found, ones=SP2, others=OTHERS):
    """Divide each statistic of some workloads by that of others, as far as they are there.

    Returns the `results.summary` by (one, other, quantity, statistic); None where there is no pair.
    """
    there = list(found.index.unique("workload"))
    pairs = product((one for one in ones if one in there), (other for other in there if trace_of(other) in others))
    ratios = {(one, other): found.loc[one] / found.loc[other] for one, other in pairs}
    return results.summary(pd.concat(ratios, names=["one", "other"])) if ratios else None


def beside(table, forms):
    """Lay out numbers with their intervals as text, a column each quantity and statistic; `forms` are by quantity."""
    if table is None:
        return None
    columns = {
        quantity: results.with_intervals(table.xs(quantity, level="quantity"), form).unstack("statistic")
        for quantity, form in forms.items()
    }
    return pd.concat(columns, axis=1).reindex(table.index.droplevel(["quantity", "statistic"]).unique())


# The claims


def sp2_against_each(found, of_family):
    """Measure for MF-18 how the paper's SP2 logs differ from its other logs and each member's F; see `of_weeks`.

    A dict by member; empty where a log is not at hand.
    """
    traces = found.index.get_level_values("workload").map(trace_of)
    if not set(LOGS) <= set(traces):
        return {}
    logs = found[traces.isin(LOGS)]
    members = {on: of_family.loc[[on]].rename({on: MODEL}) for on in of_family.index.unique("workload")}
    return {on: sp2_against_others(pd.concat([logs, member])) for on, member in members.items()}


def sp2_against_others(found):
    """Measure mean and median of run times and sizes of the SP2 logs over those of the others, by geometric means."""
    logs = np.log(found.unstack("workload")).T.groupby(trace_of).mean()  # two years of one trace count as one
    ratios = np.exp(logs.loc[list(SP2)].mean() - logs.loc[list(OTHERS)].mean())
    return {
        f"{statistic} {name}": Measure.spread(ratios.xs((quantity, statistic), level=("quantity", "statistic")))
        for statistic in ("mean", "median")
        for quantity, name in (("run", "run time"), ("size", "size"))
    }


def close(made, ctc, jann, least_jobs=100):
    """Measure for MF-19 how far several replications of Fsl are from the CTC log and from those of the Jann model."""
    found = [gaps(fsl, ctc, other, least_jobs) for fsl, other in zip(made, jann, strict=True)]
    return {part: Measure.mean([each[part] for each in found]) for part in found[0]}


def gaps(fsl, ctc, jann, least_jobs=100):
    """Find the largest gaps between the distributions of run times of Fsl and of CTC and Jann: of all jobs, by size."""
    table = size_classes.distances([("Fsl", fsl), ("CTC", ctc), ("Jann", jann)], "Fsl", least_jobs)
    of_all, by_size = table.loc["all"], table.drop(["sizes", "all"]).median()
    return {
        f"{name}, {of}": found[name] for name in table for of, found in (("all jobs", of_all), ("by size", by_size))
    }
