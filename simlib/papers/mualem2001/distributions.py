"""Figure 6: run times and sizes of whole workloads, and how SP2 workloads differ from others (section 3.3)."""

from itertools import product

import pandas as pd

from ... import sweeps
from ...confidence import cluster_bootstrap
from .. import results
from ..judging import NOT, PARTLY, REPRODUCED, UNTESTED, claim
from ..results import AS_IT_IS
from . import SP2, trace_of

OTHERS = ("Par", "CM5", "Feitelson")
"""What the text sets against the SP2 workloads; the last is a model."""

CLOSE = 0.1
"""Two distributions are called very close where they are nowhere further apart than this."""

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


def sp2_claim(ratios):
    """Decide claim MF-18: SP2 workloads have longer run times and less parallelism than others.

    A pair of an SP2 log and another workload bears one half of the claim out where both mean and median differ in its
    direction by more than their spread: the 95 % interval of the ratio lies wholly on one side of 1. Parallelism is
    the number of processors, as in the text; its share of the machine is reported beside it. Reproduced where every
    pair bears out both halves and the Feitelson model is among them, not reproduced where no pair bears out one of
    them, and in part otherwise. The ratios are from `compared`.
    """
    if ratios is None:
        return claim("MF-18", UNTESTED, "needs an SP2 log and another one")
    above, below = (
        clear.groupby(["quantity", "one", "other"]).all() for clear in (ratios.low > 1, ratios.high < 1)
    )  # of mean and median both
    model = "Feitelson" in ratios.index.unique("other")
    every, none = (above["run"] & below["size"]).all(), not above["run"].any() or not below["size"].any()
    verdict = NOT if none else REPRODUCED if every and model else PARTLY
    longer = _pairs(above["run"])
    text = "; ".join(
        [
            f"run times clearly longer by mean and median in {longer}, clearly shorter in {_pairs(below['run'])}",
            f"clearly fewer processors in {_pairs(below['size'])}, clearly more in {_pairs(above['size'])}",
            f"a clearly smaller share of the machine in {_pairs(below['machine_share'])}",
        ]
    )
    return claim("MF-18", verdict, text + ("" if model else "; the Feitelson model is not among them"))


def _pairs(votes):
    names = ", ".join(f"{one}/{other}" for one, other in votes.index[votes])
    return f"{votes.sum()} of {len(votes)} pairs" + (f" ({names})" if names else "")


def model_claim(to_ctc, to_jann):
    """Decide claim MF-19: with sizes and run times modified (Fsl), the Feitelson model is very close to CTC and Jann.

    What is compared are the run times of all jobs and, size class by size class, of those of like size. Reproduced
    where the distance of all and the median distance over the classes are at most CLOSE from both, in part where the
    median at least is smaller than that of the unmodified model from both, and not reproduced otherwise. The tables are
    from `simlib.size_classes.distances`; None where CTC is not at hand.
    """
    if to_ctc is None:
        return claim("MF-19", UNTESTED, "the CTC log is not at hand")
    close, closer, evidence = [], [], []
    for name, table in (("CTC", to_ctc), ("Jann", to_jann)):
        classes = table.drop(["sizes", "all"])[["Feitelson", "Fsl"]].dropna()
        before, after = classes.median()
        close += [after <= CLOSE, table.Fsl["all"] <= CLOSE]
        closer.append(after < before)
        evidence.append(
            f"largest gap between Fsl and {name}: {table.Fsl['all']:.2f} over all jobs, {after:.2f} in the median of "
            f"{len(classes)} size classes ({classes.Fsl.min():.2f} to {classes.Fsl.max():.2f}); unmodified "
            f"{table.Feitelson['all']:.2f} and {before:.2f}"
        )
    verdict = REPRODUCED if all(close) else PARTLY if all(closer) else NOT
    return claim("MF-19", verdict, "; ".join(evidence))
