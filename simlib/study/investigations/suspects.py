"""Suspects of the detective: programs and selections of jobs that may stand behind Table 1, judged by their likelihood.

Each suspect is simulated many times with shaken submit times. The printed numbers are then held against what it does:
a suspect whose runs lie where the printed numbers are, and do not scatter more than they must, is likely to be the
program that printed them.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import scipy

from ...analysis.stats import Interval, band, means_of
from ...logs import archive
from .. import log
from ..mualem2001 import CLOSE_TO, METRICS, SP2, WHOLE, tables3_4
from ..mualem2001 import traces as as_settled
from ..mualem2001.on_traces import means, replications, wide
from ..verdicts import CLOSE, INSIDE, judge, published
from . import programs

DECIMALS = {"response_s": 0, "bounded_slowdown": 1}
"""How many of them Table 1 prints."""

FREEDOM = 4
"""Degrees of freedom of Student's t: one wild month must not decide."""

LEAST = 3.0
"""A log likelihood that is 3 higher makes a suspect 20 times as likely."""


def printed(trace):
    """Take the rows of Table 1 that this file can match, by month; all of them where it lacks jobs in every month."""
    table = published("mualem2001_table1").query("trace == @trace.trace").set_index("month")
    months = table.loc[trace.months[0] : trace.months[1]]
    complete = [trace.complete(month) for month in months.index]
    return months[complete] if any(complete) else months


# How likely


def monthly(trace, policy, **settings):
    """Simulate a trace many times, shaken: a row a run, columns by (month, metric).

    The settings are those of `replications`; a policy out of `programs` may say what becomes of overruns.
    """
    overrun = "kill" if getattr(policy, "overrun", None) == "kill" else "extend"
    found = wide(trace, policy, overrun=overrun, as_it_is=False, **settings)
    months, metrics = (found.columns.get_level_values(level) for level in ("month", "metric"))
    return found.loc[:, (months != WHOLE) & metrics.isin(list(METRICS))]


def fit(runs, printed, scheduler):
    """Tell how likely the printed numbers of each month are among the runs of a suspect, and whether in their bands.

    The two metrics of a month hang together, and are taken together: the logarithms of their printed values come from a
    bivariate t distribution with the runs' mean and covariance, widened by the rounding of what is printed.

    Gives a DataFrame, by month: `log_likelihood`; `inside`, `close` and `cells`, how many are.
    """
    bands, rows = band(runs), {}
    for month, *numbers in printed[[f"{scheduler}_{metric}" for metric in METRICS]].itertuples():
        values = dict(zip(METRICS, numbers, strict=True))
        rows[month] = {"log_likelihood": log_likelihood(runs[month], values), **verdicts(bands.loc[month], values)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("month")


def log_likelihood(runs, values):
    """Work out how likely these values are to come from where the runs do; `runs` has a column a metric."""
    logs = np.log(runs[list(values)].to_numpy())
    number = np.array(list(values.values()))
    rounded = np.array([0.5 * 10.0 ** -DECIMALS[metric] for metric in values]) / number
    spread = np.cov(logs.T) + np.diag(rounded**2 / 3)
    return scipy.stats.multivariate_t.logpdf(np.log(number), logs.mean(axis=0), spread, FREEDOM)


def verdicts(bands, values):
    """Count the values that are inside the bands of the runs, by metric, and those that are close."""
    ends = bands.loc[list(values)].to_numpy().tolist()
    found = [
        judge(value, Interval(*of_metric), CLOSE_TO[metric], DECIMALS[metric])
        for (metric, value), of_metric in zip(values.items(), ends, strict=True)
    ]
    return {"inside": found.count(INSIDE), "close": found.count(CLOSE), "cells": len(found)}


# Which program


def search(traces, scheduler, **settings):
    """Change the detail of the text's program that helps most, until none helps by more than `LEAST`."""
    steps, choices = [], {}
    while True:
        fits = {}  # of this program, and of all that differ from it in one detail
        for (detail, reading), other in programs.neighbours(scheduler, choices).items():
            for trace in traces:
                runs = monthly(trace, programs.program(scheduler, other), **settings)
                fits[detail, reading, trace.trace] = fit(runs, printed(trace), scheduler)
        table = ranking(pd.concat(fits, names=["detail", "reading", "trace"]))
        steps.append((choices, table))
        if table.more.iloc[0] <= LEAST:
            return steps
        detail, reading = table.index[0]
        choices = choices | {detail: reading}


def ranking(fits):
    """Rank the suspects of a line-up by how well they fit, from `fit`, the likeliest first.

    Gives a DataFrame, by (detail, reading): the log likelihood of each trace and in `all`, how much `more` that
    is than the program's itself, the share of cells `inside` their bands, and in which share of `resampled` sets
    of months it is the likeliest of all: what the ranking owes to a few months shows there.
    """
    likelihood = fits.log_likelihood.groupby(level=["detail", "reading", "trace"], sort=False).sum().unstack("trace")
    likelihood["all"] = likelihood.sum(axis=1)
    likelihood["more"] = likelihood["all"] - likelihood.loc[("", ""), "all"]
    counts = fits[["inside", "cells"]].groupby(level=["detail", "reading"], sort=False).sum()
    likelihood["inside"] = counts.inside / counts.cells
    likelihood["resampled"] = wins(fits)
    return likelihood.sort_values("all", ascending=False)


def wins(fits, draws=2000, seed=0):
    """Tell how often each suspect is the likeliest if months are drawn anew, with replacement: shares."""
    by_month = fits.log_likelihood.unstack(["trace", "month"])
    chosen = np.random.default_rng(seed).integers(by_month.shape[1], size=(draws, by_month.shape[1]))
    best = by_month.to_numpy()[:, chosen].sum(axis=2).argmax(axis=0)
    return pd.Series(np.bincount(best, minlength=len(by_month)) / draws, index=by_month.index)


def print_steps(steps):
    """Print what `search` did, a line a step."""
    for choices, table in steps:
        changes = "; ".join(f"{detail} {reading}" for detail, reading in choices.items()) or "the text"
        itself = table.loc[("", "")]
        print(f"{changes}: log likelihood {itself['all']:.0f}, {itself.inside:.0%} of the cells inside")


# Which jobs


def selections(traces, policy, **settings):
    """Tell how well each trace and its `alternatives` meet EASY's columns of Table 1.

    Gives a DataFrame, by (trace, what is other): how many `jobs` take part, the `log_likelihood`, how much `more`
    it is than as settled, the share of cells `inside` their bands.
    """
    rows = {}
    for trace in traces:
        for what, other in alternatives(trace).items():
            fits = fit(monthly(other, policy, **settings), printed(trace), "easy")
            likelihood = fits.log_likelihood.sum()
            rows[trace.trace, what] = {"jobs": len(other.workload), "log_likelihood": likelihood}
            rows[trace.trace, what]["more"] = likelihood - rows[trace.trace, "as settled"]["log_likelihood"]
            rows[trace.trace, what]["inside"] = fits.inside.sum() / fits.cells.sum()
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["trace", "with"])


def alternatives(trace):
    """Make the trace with other jobs, another machine, other estimates or another file of its log, by what is other."""
    name, w = trace.trace, trace.workload
    found = {"as settled": w}
    if name in ("Par", "CM5"):
        found["all jobs"] = next(t.workload for t in as_settled([name], {name: ""})[0] if t.workload.name == w.name)
    else:
        found["completed jobs only"] = w.select("status == 1")
    if name == "CM5":
        found["exact estimates, as the text says"] = w.with_estimates("exact")
    for procs in {"CTC": (430, 511, 513), "KTH": (99, 101), "SDSC": (127, 129), "Par": (400,)}.get(name, ()):
        found[f"{procs} processors"] = w.with_procs(procs)
    for file in archive.files(w.name):
        if file.variant != w.source["variant"] and archive.find(w.name, file.variant) is not None and name in SP2:
            found[f"the {file.variant} log"] = log(w.name, file.variant).with_procs(w.procs)
    return {what: replace(trace, workload=jobs) for what, jobs in found.items() if len(jobs)}


# Tables 3 and 4, which had no say in the choice


def witnesses(traces, suspects, factors=tables3_4.FACTORS, shakes=40, shake_s=60, seed=0):
    """Tell how well each suspect meets Tables 3 and 4, where estimates are others than the users'.

    Gives a DataFrame, by (scheduler, suspect, trace, estimates): `log_likelihood`, `inside`, `close`, `cells`.
    """
    kinds = tables3_4.qualities(factors) | {"x2": tables3_4.times(2)}
    kinds.pop("original")
    found = {}
    for ((scheduler, name), policy), trace, (kind, model) in product(suspects.items(), traces, kinds.items()):
        settings = {"shakes": shakes, "shake_s": shake_s, "seed": seed, "estimates": model}
        runs = replications(trace, policy, as_it_is=False, **settings)
        measured = means(runs, METRICS).unstack("metric")[list(METRICS)]
        measured = measured if kind in ("f1", "x2") else means_of(measured, tables3_4.AVERAGED)
        values = _printed_elsewhere(scheduler, trace.trace, kind)
        likelihood = {"log_likelihood": log_likelihood(measured, values)}
        found[scheduler, name, trace.trace, kind] = likelihood | verdicts(band(measured), values)
    return pd.DataFrame.from_dict(found, orient="index").rename_axis(["scheduler", "suspect", "trace", "estimates"])


def _printed_elsewhere(scheduler, trace, kind):
    """The numbers of Table 3, or of Table 4 for doubled estimates, by metric."""
    if kind == "x2":
        table = published("mualem2001_table4").set_index(["metric", "trace"])
        return {metric: table.loc[(metric, trace), f"{scheduler}_x2"] for metric in METRICS}
    table = published("mualem2001_table3").set_index(["scheduler", "metric", "trace"])
    return {metric: table.loc[(scheduler, metric, trace), kind] for metric in METRICS}
