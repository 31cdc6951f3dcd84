"""How good users' estimates are on a log, and which earlier jobs tell: tables by log, with a bootstrap over users."""

from itertools import pairwise, product

import pandas as pd

from ..tang2013 import TRIPLE, Trace, accuracy, inaccuracy
from ..verdicts import printed
from . import ENOUGH_ESTIMATES
from .effects import of_change

LEAST_JOBS = 10
"""Similar jobs that there have to be, as in the paper of Tang et al."""

FEWEST_PROJECTS = 10
"""Logs with fewer groups have no projects: HPC2N has three, and 98 % of its jobs are of one."""

NEAR = 0.1
"""How far from the printed ones shares of jobs may lie to be called the same, as in TG-01."""


def with_estimates(logs, about):
    """Take of the logs that have enough estimates the jobs that have one: by name a Trace, whose projects are groups.

    Where a log has none, the user stands in the project's place.
    """
    found = {}
    for name, workload in logs.items():
        if about.estimated[name] >= ENOUGH_ESTIMATES:
            log = workload.select("requested_time > 0")
            if log.jobs.group.nunique() < FEWEST_PROJECTS:
                log = log.derive(log.jobs.assign(group=log.jobs.user), "users for projects")
            found[name] = Trace(name, log, "group")
    return found


def shares_used(traces, **bootstrap):
    """Measure the shares of jobs by how much of their estimates they used, by (part of TG-01, log).

    The table has `ours` with its interval, what is `published` of Intrepid, and whether ours is `near` it.
    """
    rows, of_print = {}, printed("tang2013_numbers").loc["fig1"]
    for name, trace in traces.items():
        for part, of in inaccuracy.shares_used(trace, **bootstrap).items():
            rows[part, name] = {"ours": of.value, "low": of.low, "high": of.high}
    table = _by(rows, "part", "log")
    table["published"] = table.index.get_level_values("part").map(inaccuracy.SHARES).map(of_print)
    return table.assign(near=(table.ours - table.published).abs() <= NEAR)


def scatter(traces, **bootstrap):
    """Measure how much less R, the used share, scatters within groups by each key than by the one before, as effects.

    By (key, log); the first key is held against all jobs. A log without projects has two keys.
    """
    rows = {}
    for name, trace in traces.items():
        jobs, of = trace.workload.jobs, inaccuracy.scatter_within(trace, LEAST_JOBS, **bootstrap)
        projects = [] if jobs.group.equals(jobs.user) else ["project", "user", "user+project"]
        for before, key in pairwise(["all", *(projects or ["user"]), TRIPLE]):
            rows[key, name] = of_change(of[key], of[before])
    return _by(rows, "key", "log")


def by_percentile(traces, percentiles, best, others, **bootstrap):
    """Measure the accuracy of estimates that are adjusted by percentiles of earlier jobs with the same key, as effects.

    Gives two tables: by (key, log, percentile) against the users' own estimates; and of the triple key by (other, log)
    how much more accurate the `best` percentile is than others.
    """
    keys, rows, better = (TRIPLE, "user"), {}, {}
    asked = list(dict.fromkeys([*percentiles, best, *others]))
    for name, trace in traces.items():
        found = accuracy.study([trace], keys, (None,), asked, least=LEAST_JOBS, **bootstrap)[name]
        found = found.xs("accuracy", axis=1, level="metric").droplevel(["window", "threshold"], axis=1)
        for key, percentile in product(keys, percentiles):
            rows[key, name, percentile] = of_change(found[key, percentile], found[accuracy.ORIGINAL[0], 100])
        for other in others:
            better[other, name] = of_change(found[TRIPLE, best], found[TRIPLE, other])
    return _by(rows, "key", "log", "percentile"), _by(better, "other", "log")


def _by(rows, *levels):
    """Make a table of rows by their places."""
    return pd.DataFrame(rows).T.rename_axis(index=list(levels))
