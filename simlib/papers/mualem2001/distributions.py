"""Figure 6: cumulative distributions of run time by job size, and how SP2 workloads differ from others (section 3.3).

Workloads come as a list of (label, Workload), so that logs and models can stand side by side.
"""

import numpy as np
import pandas as pd

from ... import sweeps
from ...stats import ks_distance
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, claim
from . import SP2, trace_of

ALL = 0
"""Stands for the jobs of all sizes where a size class is meant."""

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
SECONDS = (1, 10, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400)
"""Round times at which the tables give the cumulative distributions."""

OTHERS = ("Par", "CM5", "Feitelson")
"""What the text sets against the SP2 workloads; the last is a model."""

CLOSE = 0.1
"""Two distributions are called very close where they are nowhere further apart than this."""

WEEK = 7 * 86400
STATISTICS = ("run_mean", "run_median", "size_mean", "size_median")


def size_class(procs):
    """The size class of each job, by its upper end: 1, 2, 4 (sizes 3 and 4), 8 (5 to 8), and so on."""
    upper = 2 ** np.arange(31)
    return upper[np.searchsorted(upper, np.asarray(procs))]


def class_name(upper):
    """How a size class is written: 8 is "5-8"."""
    return "all" if upper == ALL else str(upper) if upper <= 2 else f"{upper // 2 + 1}-{upper}"


def groups(jobs):
    """The jobs of all sizes, then those of each size class: pairs of class and table."""
    return [(ALL, jobs), *jobs.groupby(size_class(jobs.procs))]


def by_class(workloads):
    """Run times by workload and size class.

    Parameters
    ----------
    workloads : list of (str, Workload)

    Returns
    -------
    DataFrame
        By workload and size class: `jobs`, `share` of the workload's jobs, `size_mean` (processors), `run_mean` and
        the quantiles `run_10` to `run_90` (seconds, each a run time that occurs), and `upto_<seconds>`, the share of
        jobs that ran for no longer.
    """
    rows = {}
    for label, workload in workloads:
        for upper, jobs in groups(workload.jobs):
            row = {"jobs": len(jobs), "share": len(jobs) / len(workload)}
            row |= {"size_mean": jobs.procs.mean(), "run_mean": jobs.run.mean()}
            quantiles = np.quantile(jobs.run, QUANTILES, method="inverted_cdf")
            row |= {f"run_{100 * q:.0f}": value for q, value in zip(QUANTILES, quantiles, strict=True)}
            shares = cumulative(jobs.run, SECONDS)
            row |= {f"upto_{seconds}": share for seconds, share in zip(SECONDS, shares, strict=True)}
            rows[label, upper] = row
    return pd.DataFrame(list(rows.values()), index=_index(rows))


def _index(keys):
    return pd.MultiIndex.from_tuples(keys, names=["workload", "size_class"])


def named(table):
    """The same table with size classes as they are written, for reading and saving."""
    return table.rename(index=class_name, level="size_class")


def cumulative(run, seconds):
    """The share of run times that are no longer than each of `seconds`."""
    return np.searchsorted(np.sort(run), seconds, side="right") / len(run)


def curves(workloads, least_jobs=100, points=300):
    """The cumulative distributions as curves, for drawing.

    Parameters
    ----------
    workloads : list of (str, Workload)
    least_jobs : int
        A size class with fewer is left out: its curve would be chance.
    points : int
        Where a curve is evaluated, evenly on the logarithmic scale from one second to the longest run.

    Returns
    -------
    DataFrame
        By workload and size class, a column a time (seconds): the share of jobs that ran for no longer.
    """
    longest = max((workload.jobs.run.max() for _, workload in workloads if len(workload)), default=1)
    seconds = np.unique(np.rint(np.geomspace(1, max(longest, 2), points)).astype(np.int64))
    rows = {}
    for label, workload in workloads:
        for upper, jobs in groups(workload.jobs):
            if len(jobs) >= least_jobs:
                rows[label, upper] = cumulative(jobs.run, seconds)
    return pd.DataFrame(list(rows.values()), index=_index(rows), columns=pd.Index(seconds, name="seconds"))


def distances(workloads, to="CTC", least_jobs=100):
    """How far the distributions are from those of one workload, size class by size class.

    The distance is Kolmogorov and Smirnov's: the largest vertical gap between two cumulative distributions, 0 where
    they are the same and 1 where they do not overlap.

    Parameters
    ----------
    workloads : list of (str, Workload)
    to : str
        Label of the one.
    least_jobs : int
        Size classes with fewer jobs on either side are left out.

    Returns
    -------
    DataFrame
        By size class as it is written, "all" for all jobs, a column each other workload; the row "sizes" is the
        distance between the distributions of size.
    """
    jobs = {label: workload.jobs for label, workload in workloads}
    runs = {label: {upper: part.run for upper, part in groups(table)} for label, table in jobs.items()}
    columns = {}
    for label in jobs:
        if label != to:
            columns[label] = {"sizes": ks_distance(jobs[to].procs, jobs[label].procs)} | {
                upper: ks_distance(run, runs[label][upper])
                for upper, run in runs[to].items()
                if upper in runs[label] and min(len(run), len(runs[label][upper])) >= least_jobs
            }
    table = pd.DataFrame(columns, index=["sizes", *runs[to]]).dropna(how="all")
    names = ["sizes" if key == "sizes" else class_name(key) for key in table.index]
    return table.set_axis(pd.Index(names, name="size_class"))


# Whole workloads, with the spread over their weeks


def statistics(workload):
    """Mean and median of run time (seconds) and size (processors) of all jobs, by the names of `STATISTICS`."""
    run, size = workload.jobs.run, workload.jobs.procs
    medians = [np.quantile(values, 0.5, method="inverted_cdf") for values in (run, size)]
    return dict(zip(STATISTICS, (run.mean(), medians[0], size.mean(), medians[1]), strict=True))


def resampled(workload, resamples=1000, seed=0):
    """The same statistics of workloads put together from the log's weeks, drawn with replacement.

    Jobs of one week are alike (users submit the same again and again), so a bootstrap of single jobs would make the
    spread far too small; weeks are kept whole.

    Returns
    -------
    DataFrame
        A row a resample, columns `STATISTICS`.
    """
    jobs = workload.jobs
    week = ((jobs.submit - jobs.submit.min()) // WEEK).to_numpy()
    weeks = week.max() + 1
    drawn = np.random.default_rng(seed).multinomial(weeks, np.full(weeks, 1 / weeks), size=resamples)
    columns = {}
    for name, values in (("run", jobs.run), ("size", jobs.procs)):
        unique, which = np.unique(values, return_inverse=True)
        counts = np.bincount(week * len(unique) + which, minlength=weeks * len(unique)).reshape(weeks, -1)
        columns[f"{name}_mean"] = (drawn @ (counts @ unique)) / (drawn @ counts.sum(axis=1))
        columns[f"{name}_median"] = _medians(unique, counts, drawn)
    return pd.DataFrame(columns)


def _medians(values, counts, drawn):
    """The median for each row of `drawn`, how often each week counts; `counts` is by week and (sorted) value.

    Searched by bisection, for all rows at once: there are as many values as there are different run times.
    """
    upto = np.cumsum(counts.T, axis=0)  # by value and week, the jobs with no more
    low, high = np.zeros(len(drawn), int), np.full(len(drawn), len(values) - 1)
    half = drawn @ upto[-1] / 2
    while (low < high).any():
        middle = (low + high) // 2
        enough = (drawn * upto[middle]).sum(axis=1) >= half
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    return values[low]


def comparison(workloads, resamples=1000, seed=0, executor=None):
    """Mean and median of run time and size of whole workloads, with 95 % intervals over their weeks.

    Parameters
    ----------
    workloads : list of (str, Workload)
    resamples, seed : int
    executor : concurrent.futures.Executor, optional

    Returns
    -------
    table : DataFrame
        By workload: `jobs`, `machine` (processors), each statistic with `_low` and `_high`, and those of size also as
        shares of the machine, `machine_share_mean` and `machine_share_median`.
    samples : dict of DataFrame
        By label, what `resampled` gave.
    """
    tasks = [(workload, resamples, [seed, number]) for number, (_, workload) in enumerate(workloads)]
    samples = dict(zip([label for label, _ in workloads], sweeps.sweep(resampled, tasks, executor), strict=True))
    rows = {}
    for label, workload in workloads:
        row = {"jobs": len(workload), "machine": workload.procs}
        low, high = (samples[label].quantile(q) for q in (0.025, 0.975))
        for name, value in statistics(workload).items():
            row |= {name: value, f"{name}_low": low[name], f"{name}_high": high[name]}
        shares = {key: value / workload.procs for key, value in row.items() if key.startswith("size_")}
        rows[label] = row | {key.replace("size_", "machine_share_"): value for key, value in shares.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("workload"), samples


def pairs(table, samples, ones=SP2, others=OTHERS):
    """Each of some workloads against each of others: the ratio of each statistic, with its 95 % interval.

    Parameters
    ----------
    table, samples : from `comparison`
    ones, others : sequences of str
        Labels; those that are not there are left out.

    Returns
    -------
    DataFrame
        By one, other and statistic (with `machine_share_*`): `ratio`, `low`, `high`.
    """
    rows = {}
    for one in (label for label in ones if label in samples):
        for other in (label for label in samples if trace_of(label) in others):
            ratios = samples[one] / samples[other]
            machines = table.machine[other] / table.machine[one]
            for name in STATISTICS:
                ratio = table[name][one] / table[name][other], *ratios[name].quantile([0.025, 0.975])
                rows[one, other, name] = ratio
                if name.startswith("size_"):
                    rows[one, other, name.replace("size_", "machine_share_")] = tuple(r * machines for r in ratio)
    index = pd.MultiIndex.from_tuples(rows, names=["one", "other", "statistic"])
    return pd.DataFrame(list(rows.values()), index=index, columns=["ratio", "low", "high"])


def text(table):
    """The table of `comparison` for reading: values with their intervals in brackets."""
    forms = {"run": "{:,.0f}", "size": "{:,.1f}", "machine_share": "{:.1%}"}
    columns = {"jobs": table.jobs.map("{:,.0f}".format), "machine": table.machine.map("{:,.0f}".format)}
    for quantity, form in forms.items():
        for statistic in ("mean", "median"):
            key = f"{quantity}_{statistic}"
            rows = table[[key, f"{key}_low", f"{key}_high"]].to_numpy()
            columns[f"{quantity} {statistic}".replace("_", " ")] = [bracketed(form, *row) for row in rows]
    return pd.DataFrame(columns, index=table.index)


def ratios_text(ratios):
    """The table of `pairs` for reading, a row each pair."""
    rows = [bracketed("{:.2f}", *row) for row in ratios.to_numpy()]
    return pd.Series(rows, index=ratios.index).unstack("statistic")[ratios.index.unique("statistic")]


def bracketed(form, value, low, high):
    """A value and its range as text; empty for nan."""
    return f"{form.format(value)} ({form.format(low)} to {form.format(high)})" if value == value else ""


# The claim


def claims(ratios):
    """Decide claim MF-18: SP2 workloads have longer run times and less parallelism than others.

    A pair of an SP2 log and another workload bears one half of the claim out where both mean and median differ in its
    direction by more than their spread: the 95 % interval of the ratio lies wholly on one side of 1. Parallelism is
    the number of processors, as in the text; its share of the machine is reported beside it. Reproduced where every
    pair bears out both halves and the Feitelson model is among them, not reproduced where no pair bears out one of
    them, and in part otherwise.

    Parameters
    ----------
    ratios : DataFrame
        From `pairs`.
    """
    if not len(ratios):
        return [claim("MF-18", UNTESTED, "needs an SP2 log and another one")]
    longer, shorter = _votes(ratios, "run", above=True), _votes(ratios, "run", above=False)
    smaller, larger = _votes(ratios, "size", above=False), _votes(ratios, "size", above=True)
    model = "Feitelson" in ratios.index.get_level_values("other")
    every, none = longer.all() and smaller.all(), not longer.any() or not smaller.any()
    verdict = NOT if none else REPRODUCED if every and model else PARTLY
    share = _votes(ratios, "machine_share", above=False)
    text = "; ".join(
        [
            f"run times clearly longer by mean and median in {_text(longer)}, clearly shorter in {_text(shorter)}",
            f"clearly fewer processors in {_text(smaller)}, clearly more in {_text(larger)}",
            f"a clearly smaller share of the machine in {_text(share)}",
        ]
    )
    missing = "" if model else "; the Feitelson model is not among them"
    return [claim("MF-18", verdict, text + missing)]


def _votes(ratios, quantity, above):
    """Of each pair, whether mean and median both are clearly above (below) 1."""
    clear = ratios.low > 1 if above else ratios.high < 1
    both = clear.unstack("statistic")[[f"{quantity}_mean", f"{quantity}_median"]].all(axis=1)
    return both


def _text(votes):
    names = ", ".join(f"{one}/{other}" for one, other in votes.index[votes])
    return f"{votes.sum()} of {len(votes)} pairs" + (f" ({names})" if names else "")


def model_claims(to_ctc, to_jann):
    """Decide claim MF-19: with sizes and run times modified (Fsl), the Feitelson model is very close to CTC and Jann.

    What is compared are the run times of all jobs and, size class by size class, of those of like size. Reproduced
    where the distance of all and the median distance over the classes are at most CLOSE from both, in part where the
    median at least is smaller than that of the unmodified model from both, and not reproduced otherwise.

    Parameters
    ----------
    to_ctc, to_jann : DataFrame
        From `distances`, with the columns "Feitelson" and "Fsl"; None where CTC is not at hand.
    """
    if to_ctc is None:
        return [claim("MF-19", UNTESTED, "CTC is not at hand")]
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
    return [claim("MF-19", verdict, "; ".join(evidence))]
