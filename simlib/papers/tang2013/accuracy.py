"""Figures 4 to 10: how accurate adjusted walltimes are, and how many are too small (section 4.2)."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from ... import walltime
from ...confidence import cluster_means
from ...walltime import LEVELS, PERCENTILES, Scheme
from .. import results
from ..parameters import RESAMPLES, SEED, WORDS, parameter, real, some, whole
from . import STAND_INS, TRACE, TRIPLE
from .on_traces import OnTraces

DIMENSIONS = ["key", "window", "percentile", "threshold"]
ALL = "all"
"""Stands for the window without limit."""

ORIGINAL = ("none", ALL, 100.0, 0.0)
"""Stands for the users' own estimates where a scheme is meant."""


@dataclass(eq=False)
class OfSchemes(OnTraces):
    """An exhibit that compares schemes with the threshold and without; it says of which `keys` and `windows`.

    It does so once for each of `least`, how many similar jobs there must be: the text's own reading is the first.
    """

    trace: tuple = parameter(STAND_INS, TRACE)
    threshold: float = parameter(0.5, real(0, 1, above=True))  # 0 is what it is held against
    least: tuple = parameter((1, 10), some(whole(1)))
    resamples: int = parameter(1000, RESAMPLES)
    seed: int = parameter(1, SEED)
    log: str = parameter("", WORDS)

    @cached_property
    def results(self):
        """What the schemes make of the estimates, from `study`, by least."""
        options = {"thresholds": (None, self.threshold), "resamples": self.resamples, "seed": self.seed}
        found = {least: study(self.found, self.keys, self.windows, least=least, **options) for least in self.least}
        return pd.concat(found, axis=1, names=["least"])

    @cached_property
    def table(self):
        """The same with its spread, by (least, trace, key, window, percentile, threshold, metric)."""
        return results.summary(self.results)


def similar(least):
    """Say in words how many similar jobs there must be."""
    return "any similar job" if least == 1 else f"at least {least} similar jobs"


def study(
    traces,
    keys,
    windows=(None,),
    percentiles=PERCENTILES,
    thresholds=(None,),
    least=1,
    resamples=1000,
    seed=0,
    parameters=walltime.parameters,
):
    """Adjust the estimates by schemes of these dimensions, options of `walltime.Scheme`, and average over all jobs.

    The spread is that of a bootstrap over users: jobs of one user are alike. Differences between schemes are to be
    taken resample by resample. The adjustment parameters A are those that `parameters` finds.

    Returns
    -------
    DataFrame
        By replication; columns by trace, `DIMENSIONS` (a threshold of 0 is none; `ORIGINAL` is the users' own
        estimates) and metric: `accuracy` (equation 3) and the shares of jobs by level, as `BE_share`.
    """
    found = {}
    for number, trace in enumerate(traces):
        jobs, t_act = trace.workload.jobs, trace.t_act
        users, user = np.unique(jobs.user, return_inverse=True)
        dimensions = product(keys, windows, percentiles, thresholds)
        schemes = [Scheme(*dims, least=least, project=trace.project) for dims in dimensions]
        scheduled = {ORIGINAL: jobs.estimate}
        for scheme, a in parameters(jobs, trace.ends, schemes).items():
            at = place(scheme.key, scheme.percentile, scheme.threshold, scheme.window)
            scheduled[at] = walltime.t_sched(jobs.estimate, a)
        sums = {}
        for at, times in scheduled.items():
            level = walltime.level_numbers(t_act, jobs.estimate, times)
            counts = np.bincount(user * len(LEVELS) + level, minlength=len(users) * len(LEVELS)).reshape(len(users), -1)
            sums[*at, "accuracy"] = np.bincount(user, walltime.accuracy(t_act, times))
            sums |= {(*at, f"{one}_share"): counts[:, number] for number, one in enumerate(LEVELS)}
        sums = pd.DataFrame(sums, index=users).rename_axis(columns=[*DIMENSIONS, "metric"])
        found[trace.name] = cluster_means(sums, np.bincount(user), resamples, [seed, number])
    return pd.concat(found, axis=1, names=["trace"]).rename_axis("replication")


def place(key, percentile, threshold=None, window=None):
    """Say where a scheme stands: by `DIMENSIONS`."""
    return key, window or ALL, float(percentile), float(threshold or 0)


def curve(found, metric, key=TRIPLE, threshold=None, window=None, at=PERCENTILES):
    """Take a metric out of what `study` found on one trace: by replication, a column a percentile."""
    return pd.DataFrame({p: found[*place(key, p, threshold, window), metric] for p in at})


def threshold_effect(found, key, threshold):
    """Work out what a threshold changes on one trace: two tables as from `curve`.

    The first is the share of the underestimated jobs (UE and BE) that no longer are; the second, by how much the mean
    accuracy changes.
    """
    free, limited = (
        {metric: curve(found, metric, key, limit) for metric in ("UE_share", "BE_share", "accuracy")}
        for limit in (None, threshold)
    )
    before, after = (of["UE_share"] + of["BE_share"] for of in (free, limited))
    return 1 - after / before, limited["accuracy"] - free["accuracy"]


def against_all(found):
    """Subtract from results of `study` those of all history, scheme by scheme and resample by resample."""
    schemes = found.drop(columns=ORIGINAL[0], level="key")
    window = schemes.columns.names.index("window")
    return schemes - schemes[[(*at[:window], ALL, *at[window + 1 :]) for at in schemes]].to_numpy()
