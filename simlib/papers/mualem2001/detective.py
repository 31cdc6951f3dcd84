"""Which program, which months and which jobs stand behind the numbers of Table 1? Suspects judged by their likelihood.

Each suspect is simulated many times with shaken submit times. The printed numbers are then held against what it does:
a suspect whose runs lie where the printed numbers are, and do not scatter more than they must, is likely to be the
program that printed them.
"""

import copy
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from ... import estimates
from ...schedule import simulate
from ...stats import band, means_of, shake
from ...sweeps import sweep
from .. import published
from . import CLOSE_TO, METRICS, programs, simulations, table3

PRINTED = {"response_s": 0.5, "bounded_slowdown": 0.05}
"""Half a unit of the last digit that Table 1 prints."""

FREEDOM = 4
"""Degrees of freedom of Student's t: one wild month must not decide."""


def printed(trace):
    """The rows of Table 1 that this file can match, by month."""
    table = published("mualem2001_table1").query("trace == @trace.trace").set_index("month")
    months = table.loc[trace.months[0] : trace.months[1]]
    return months[~months.index.isin(list(trace.absent))]


# Which months


def month_edges(trace, hours=0.0):
    """The second at which each printed month begins, and the last one ends.

    Parameters
    ----------
    trace : Trace
    hours : float
        By how much later than local midnight months begin.

    Returns
    -------
    months : list of str
    edges : int64 array
    """
    months = published("mualem2001_table1").query("trace == @trace.trace").month
    first, last = (
        pd.Period(month) for month in (max(months.min(), trace.months[0]), min(months.max(), trace.months[1]))
    )
    zone = trace.workload.start.tz
    starts = pd.period_range(first, last + 1, freq="M").to_timestamp().tz_localize(zone)
    edges = ((starts - trace.workload.start) // pd.Timedelta(1, "s")).to_numpy(np.int64)
    return [f"{month:%Y-%m}" for month in starts[:-1]], edges + round(hours * 3600)


def counts_by_offset(trace, policy, hours, runs=40, seconds=60, seed=0):
    """How well the printed numbers of jobs a month fit if months begin so many hours after local midnight.

    Only counts are looked at, which hardly hang on the scheduler.

    Parameters
    ----------
    trace : Trace
    policy
        As for `simulate`.
    hours : sequence of float
    runs, seconds, seed : int
        Of the shaking.

    Returns
    -------
    DataFrame
        By hour: `log_likelihood`, and `off`, the median absolute deviation from the printed numbers in jobs.
    """
    ends = sweep(_ends, [(trace.workload, policy, seconds, seed + run) for run in range(runs)], label="shaken runs")
    jobs = printed(trace).jobs
    rows = []
    for hour in hours:
        months, edges = month_edges(trace, hour)
        counts = pd.DataFrame([np.diff(np.searchsorted(end, edges)) for end in ends], columns=months)[jobs.index]
        # one job more or less is nothing: a job that a file has or lacks, a second's difference at midnight
        scale = np.sqrt(counts.var() + 1)
        fit = stats.t.logpdf((jobs - counts.mean()) / scale, FREEDOM) - np.log(scale)
        rows.append({"log_likelihood": fit.sum(), "off": (counts.mean() - jobs).abs().median()})
    return pd.DataFrame(rows, index=pd.Index(hours, name="hours"))


def _ends(workload, policy, seconds, seed):
    return np.sort(simulate(workload.shake(seconds, seed), policy).jobs.end.to_numpy())


# Which program, which jobs


def monthly(trace, policy, hours=0.0, **settings):
    """The means of each printed month in many shaken runs.

    Parameters
    ----------
    trace : Trace
    policy
        As for `simulate`; one of `programs` may say `overrun`.
    hours : float
        As for `month_edges`.
    settings
        As for `simlib.stats.shake`.

    Returns
    -------
    DataFrame
        A row a run; columns (month, metric), metrics by the keys of `METRICS`.
    """
    months, edges = month_edges(trace, hours)

    def measure(schedule):
        means = schedule.by_period(edges, floor=None)[list(METRICS.values())]
        return means.set_axis(pd.Index(months, name="month")).set_axis(list(METRICS), axis=1)

    overrun = "kill" if getattr(policy, "overrun", None) == "kill" else "extend"
    return shake(trace.workload, policy, measure=measure, overrun=overrun, **settings)


def fit(runs, printed, scheduler):
    """How likely the printed numbers of each month are among the shaken runs of a suspect, and whether in their bands.

    The two metrics of a month hang together, and are taken together: the logarithms of their printed values come from a
    bivariate t distribution with the runs' mean and covariance, widened by the rounding of what is printed.

    Parameters
    ----------
    runs : DataFrame
        From `monthly`.
    printed : DataFrame
        From `printed`.
    scheduler : {"easy", "conservative"}

    Returns
    -------
    DataFrame
        By month: `log_likelihood`; `inside` and `close`, how many of the two cells are.
    """
    rows = {}
    for month, row in printed.iterrows():
        values = {metric: row[f"{scheduler}_{metric}"] for metric in METRICS}
        rows[month] = {"log_likelihood": log_likelihood(runs[month], values), **verdicts(runs[month], values)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("month")


def log_likelihood(runs, values, rounding=PRINTED):
    """That these values come from where the runs do, see `fit`. `runs` has a column a metric."""
    logs = np.log(runs[list(values)].to_numpy())
    number = np.array(list(values.values()))
    rounded = np.array([rounding[metric] for metric in values]) / number
    spread = np.cov(logs.T) + np.diag(rounded**2 / 3)
    return stats.multivariate_t.logpdf(np.log(number), logs.mean(axis=0), spread, FREEDOM)


def verdicts(runs, values, rounding=PRINTED):
    """How many of the values are inside the runs' bands, and how many close."""
    bands = band(runs)
    inside = close = 0
    for metric, value in values.items():
        low, median, high = bands.loc[metric]
        if low - rounding[metric] <= value <= high + rounding[metric]:
            inside += 1
        elif abs(value - median) <= CLOSE_TO[metric] * value:
            close += 1
    return {"inside": inside, "close": close, "cells": len(values)}


def line_up(traces, scheduler, choices, offsets, **settings):
    """A program and all that differ from it in one detail, held against Table 1.

    Parameters
    ----------
    traces : list of Trace
    scheduler : {"easy", "conservative"}
    choices : dict
        See `programs.program`.
    offsets : dict
        Hours after local midnight at which months begin, by trace.
    settings
        As for `simlib.stats.shake`.

    Returns
    -------
    DataFrame
        By (detail, reading, trace, month) as from `fit`; ("", "") is the program itself.
    """
    found = {}
    for (detail, reading), other in programs.neighbours(scheduler, choices).items():
        for trace in traces:
            runs = monthly(trace, programs.program(scheduler, other), offsets[trace.trace], **settings)
            found[detail, reading, trace.trace] = fit(runs, printed(trace), scheduler)
    return pd.concat(found, names=["detail", "reading", "trace"])


def ranking(fits):
    """The suspects of a line-up, the likeliest first.

    Returns
    -------
    DataFrame
        By (detail, reading): the log likelihood of each trace and in `all`, how much `more` that is than the program's
        itself, the share of cells `inside` their bands, and in how many per cent of `resampled` sets of months it is
        the likeliest of all: what the ranking owes to a few months shows there.
    """
    likelihood = fits.log_likelihood.groupby(level=["detail", "reading", "trace"], sort=False).sum().unstack("trace")
    likelihood["all"] = likelihood.sum(axis=1)
    likelihood["more"] = likelihood["all"] - likelihood.loc[("", ""), "all"]
    counts = fits[["inside", "cells"]].groupby(level=["detail", "reading"], sort=False).sum()
    likelihood["inside"] = counts.inside / counts.cells
    likelihood["resampled"] = wins(fits)
    return likelihood.sort_values("all", ascending=False)


def wins(fits, draws=2000, seed=0):
    """How often each suspect is the likeliest if months are drawn anew, with replacement: shares."""
    by_month = fits.log_likelihood.unstack(["trace", "month"])
    chosen = np.random.default_rng(seed).integers(by_month.shape[1], size=(draws, by_month.shape[1]))
    best = by_month.to_numpy()[:, chosen].sum(axis=2).argmax(axis=0)
    return pd.Series(np.bincount(best, minlength=len(by_month)) / draws, index=by_month.index)


def search(traces, scheduler, offsets, least=3.0, **settings):
    """From the text's program on, change the detail that helps most, until none helps by more than `least`.

    A log likelihood that is 3 higher makes a suspect 20 times as likely.

    Returns
    -------
    list of (dict, DataFrame)
        The choices of each step, and the ranking around them.
    """
    steps, choices = [], {}
    while True:
        table = ranking(line_up(traces, scheduler, choices, offsets, **settings))
        steps.append((choices, table))
        if table.more.iloc[0] <= least:
            return steps
        detail, reading = table.index[0]
        choices = choices | {detail: reading}


def selected(trace, jobs=None, procs=None, estimates=None, workload=None):
    """A trace with other jobs, another machine, other estimates or another file of its log."""
    changed = trace.workload if workload is None else workload
    if estimates is not None:
        changed = changed.with_estimates(estimates)
    if procs is not None:
        changed = copy.copy(changed.select((changed.jobs.procs <= procs).to_numpy()))
        changed.procs = procs
    if jobs is not None:
        changed = changed.select(jobs)
    return type(trace)(trace.trace, changed, trace.months, trace.absent)


# Tables 3 and 4, which had no say in the choice


def witnesses(traces, suspects, factors=(1, 2, 4, 11, 31, 101, 301), runs=40, shake_s=60, seed=0):
    """How well each suspect meets Tables 3 and 4, where estimates are others than the users'.

    Parameters
    ----------
    traces : list of Trace
        Only such as lack no jobs: these tables have means over whole logs.
    suspects : dict
        Policies by (scheduler, name).
    factors : sequence of int
        Of Table 3.
    runs, shake_s, seed : int
        Of the shaking.

    Returns
    -------
    DataFrame
        By (scheduler, suspect, trace, estimates): `log_likelihood`, `inside`, `close`, `cells`.
    """
    kinds = [(f"f{f}", "exact" if f == 1 else lambda seed, f=f: estimates.Uniform(f, seed)) for f in factors]
    kinds.append(("x2", estimates.Scaled(2)))
    cases = {}
    for (scheduler, name), policy in suspects.items():
        for trace, (kind, model), run in product(traces, kinds, range(seed, seed + runs)):
            given = model(run) if kind not in ("f1", "x2") else model
            cases[scheduler, name, trace.trace, kind, run] = trace.workload, policy, "extend", given, shake_s, run
    results = simulations(cases, ["scheduler", "suspect", "trace", "estimates", "run"])
    found = {}
    for key, part in results.groupby(["scheduler", "suspect", "trace", "estimates"], sort=False):
        scheduler, _, trace, kind = key
        measured = part[list(METRICS)]
        measured = measured if kind in ("f1", "x2") else means_of(measured, table3.SEEDS)
        values = _printed_elsewhere(scheduler, trace, kind)
        found[key] = {"log_likelihood": log_likelihood(measured, values), **verdicts(measured, values)}
    return pd.DataFrame.from_dict(found, orient="index").rename_axis(["scheduler", "suspect", "trace", "estimates"])


def _printed_elsewhere(scheduler, trace, kind):
    """The numbers of Table 3, or of Table 4 for doubled estimates, by metric."""
    if kind == "x2":
        table = published("mualem2001_table4").set_index(["metric", "trace"])
        return {metric: table.loc[(metric, trace), f"{scheduler}_x2"] for metric in METRICS}
    table = published("mualem2001_table3").set_index(["scheduler", "metric", "trace"])
    return {metric: table.loc[(scheduler, metric, trace), kind] for metric in METRICS}


# What it changes


def months_won(easy, conservative):
    """How many months EASY is better than conservative backfilling, in each shaken run.

    Parameters
    ----------
    easy, conservative : DataFrame
        From `monthly`, of the same runs.

    Returns
    -------
    DataFrame
        A row a run, a column a metric.
    """
    better = easy < conservative
    return better.T.groupby(level="metric", sort=False).sum().T
