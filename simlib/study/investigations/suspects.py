"""The method of the investigations: which suspect, a program or other jobs, is likely to stand behind Table 1.

A suspect is likely whose shaken runs lie where the printed numbers are, and do not scatter more than they must.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import scipy

from ...analysis.replicate import replicate
from ...analysis.stats import Interval, band
from ...logs import archive
from .. import log
from ..mualem2001 import CLOSE_TO, METRICS, SETTLED, SP2, WHOLE
from ..mualem2001 import traces as as_settled
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
    months = months[months.index.isin(trace.month_edges[0])]  # a log may be shorter than the paper's
    complete = [trace.complete(month) for month in months.index]
    return months[complete] if any(complete) else months


def monthly(traces, suspects, metrics=tuple(METRICS), **how):
    """Simulate traces under suspects, both by name: by (trace, suspect) a row for each run, by (month, metric)."""
    logs = {name: trace.workloads for name, trace in traces.items()}
    found, kills = {}, {name: getattr(policy, "overrun", "") == "kill" for name, policy in suspects.items()}
    for overrun in ("extend", "kill"):  # what becomes of jobs that exceed their estimates
        policies = {name: policy for name, policy in suspects.items() if kills[name] == (overrun == "kill")}
        if logs and policies:
            runs = replicate(logs, policies, overrun=overrun, as_it_is=False, **how)
            runs = runs.xs(SETTLED, level="calendar")[list(metrics)].drop(WHOLE, level="month")
            for place, part in runs.groupby(level=["log", "policy"], sort=False):
                wide = part.droplevel(["log", "policy"]).unstack("month").swaplevel(axis=1)
                wide = wide[pd.MultiIndex.from_product([wide.columns.unique(0), metrics])]
                found[place] = wide.rename_axis(columns=["month", "metric"])
    return found


def by_place(rows, names, columns=None):
    """Make a table of rows, dicts by place; of none too."""
    return pd.DataFrame(list(rows.values()), pd.MultiIndex.from_tuples(list(rows), names=names), columns)


# How likely


def fit(runs, printed, scheduler):
    """Tell how likely the printed numbers of each month are among a suspect's runs, and how many are in their bands.

    The two metrics of a month are correlated, so they are taken together: the logarithms of their printed values come
    from a bivariate t distribution with the runs' mean and covariance, widened by the rounding of the printed values.
    """
    bands, rows = band(runs), {}
    for month, *numbers in printed[[f"{scheduler}_{metric}" for metric in METRICS]].itertuples():
        values = dict(zip(METRICS, numbers, strict=True))
        rows[month] = {"log_likelihood": log_likelihood(runs[month], values), **verdicts(bands.loc[month], values)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("month")


def log_likelihood(runs, values):
    """Work out how likely these values are to come from where the runs do; `runs` has one column per metric."""
    logs = np.log(runs[list(values)].to_numpy())
    number = np.array(list(values.values()))
    rounded = np.array([0.5 * 10.0 ** -DECIMALS[metric] for metric in values]) / number
    spread = np.cov(logs.T) + np.diag(rounded**2 / 3)
    return scipy.stats.multivariate_t.logpdf(np.log(number), logs.mean(axis=0), spread, FREEDOM)


def verdicts(bands, values):
    """Count the values that are inside the bands of the runs, by metric, and those that are close."""
    found = [judge(value, Interval(*bands.loc[m]), CLOSE_TO[m], DECIMALS[m]) for m, value in values.items()]
    return {"inside": found.count(INSIDE), "close": found.count(CLOSE), "cells": len(found)}


# Which program


def search(traces, scheduler, **how):
    """Change the detail that helps most, from the text's program on, until none does: choices and ranking by step."""
    traces = {name: trace for name, trace in traces.items() if name in SP2} or traces
    steps, choices = [], {}
    while not steps or steps[-1][1].more.iloc[0] > LEAST:
        if steps:
            detail, reading = steps[-1][1].index[0]
            choices = choices | {detail: reading}
        suspects = programs.neighbours(scheduler, choices)
        runs = monthly(traces, {name: programs.program(scheduler, of) for name, of in suspects.items()}, **how)
        fits = {(*name, trace): fit(of, printed(traces[trace]), scheduler) for (trace, name), of in runs.items()}
        steps.append((choices, ranking(pd.concat(fits, names=["detail", "reading", "trace"]))))
    return steps


def ranking(fits):
    """Rank the suspects of a line-up by `fit`, the likeliest first, with how often they win if months are resampled."""
    groups = fits.groupby(level=["detail", "reading"], sort=False)
    likelihood = fits.log_likelihood.groupby(level=fits.index.names[:3], sort=False).sum().unstack("trace", sort=False)
    likelihood["all"] = likelihood.sum(axis=1)
    likelihood["more"] = likelihood["all"] - likelihood.loc[("", ""), "all"]
    likelihood["inside"] = groups.inside.sum() / groups.cells.sum()
    likelihood["resampled"] = wins(fits)
    return likelihood.sort_values("all", ascending=False)


def wins(fits, draws=2000, seed=0):
    """Tell how often each suspect is the likeliest if months are drawn again, with replacement: shares."""
    by_month = fits.log_likelihood.unstack(["trace", "month"])
    chosen = np.random.default_rng(seed).integers(by_month.shape[1], size=(draws, by_month.shape[1]))
    best = by_month.to_numpy()[:, chosen].sum(axis=2).argmax(axis=0)
    return pd.Series(np.bincount(best, minlength=len(by_month)) / draws, index=by_month.index)


def ranked(searches):
    """Lay out the rankings of all steps of `search`, by (scheduler, changes before, detail, reading)."""
    found = {(name, len(choices)): one for name, steps in searches.items() for choices, one in steps}
    return pd.concat(found, names=["scheduler", "changes before", "detail", "reading"])


# Which jobs


def selections(traces, policy, **how):
    """Tell how well each trace and its `alternatives` meet EASY's columns of Table 1."""
    rows = {}
    for name, trace in traces.items():
        others = alternatives(trace)
        for (what, _), runs in monthly(others, {"easy": policy}, **how).items():
            fits = fit(runs, printed(others[what]), "easy").sum()
            told = {"log_likelihood": fits.log_likelihood, "inside": fits.inside / fits.cells}
            rows[name, what] = {"jobs": len(others[what].workload)} | told
    table = by_place(rows, ["trace", "with"])
    settled = table.log_likelihood.xs("as settled", level="with")
    table.insert(2, "more", table.log_likelihood.sub(settled, level="trace"))
    return table


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
