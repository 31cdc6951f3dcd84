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
from . import STAND_INS
from .on_traces import OnTraces

DIMENSIONS = ["key", "window", "percentile", "threshold"]
ALL = "all"
"""Stands for the window without limit."""

ORIGINAL = ("none", ALL, 100.0, 0.0)
"""Stands for the users' own estimates where a scheme is meant."""


@dataclass(eq=False)
class OfSchemes(OnTraces):
    """An exhibit that compares schemes with the threshold and without; it says of which `keys` and `windows`."""

    trace: tuple = STAND_INS
    threshold: float = 0.5
    resamples: int = 1000
    seed: int = 1

    @cached_property
    def results(self):
        """What the schemes make of the estimates, from `study`."""
        thresholds = None, self.threshold
        options = {"resamples": self.resamples, "seed": self.seed}
        return study(self.found, self.keys, self.windows, thresholds=thresholds, **options)

    @cached_property
    def table(self):
        """The same with its spread, by (trace, key, window, percentile, threshold, metric)."""
        return results.summary(self.results)


def study(traces, keys, windows=(None,), percentiles=PERCENTILES, thresholds=(None,), resamples=1000, seed=0):
    """Adjust the estimates by schemes of these dimensions, options of `walltime.Scheme`, and average over all jobs.

    The spread is that of a bootstrap over users: jobs of one user are alike. Differences between schemes are to be
    taken resample by resample.

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
        schemes = [Scheme(*dims, project=trace.project) for dims in product(keys, windows, percentiles, thresholds)]
        scheduled = {ORIGINAL: jobs.estimate}
        for scheme, a in walltime.parameters(jobs, trace.ends, schemes).items():
            at = place(scheme.key, scheme.percentile, scheme.threshold, scheme.window)
            scheduled[at] = walltime.t_sched(jobs.estimate, a)
        sums = {}
        for at, times in scheduled.items():
            level = walltime.levels(t_act, jobs.estimate, times)
            sums[*at, "accuracy"] = np.bincount(user, walltime.accuracy(t_act, times))
            sums |= {(*at, f"{one}_share"): np.bincount(user, level == one) for one in LEVELS}
        sums = pd.DataFrame(sums, index=users).rename_axis(columns=[*DIMENSIONS, "metric"])
        found[trace.name] = cluster_means(sums, np.bincount(user), resamples, [seed, number])
    return pd.concat(found, axis=1, names=["trace"]).rename_axis("replication")


def place(key, percentile, threshold=None, window=None):
    """Say where a scheme stands: by `DIMENSIONS`."""
    return key, window or ALL, float(percentile), float(threshold or 0)


def against_all(found):
    """Subtract from results of `study` those of all history, scheme by scheme and resample by resample."""
    schemes = found.drop(columns=ORIGINAL[0], level="key")
    return schemes - schemes[[(*at[:2], ALL, *at[3:]) for at in schemes]].to_numpy()


def threshold_effect(found, threshold):
    """Work out what a threshold changes: by replication; columns by trace, key, percentile and metric.

    `fewer` is the share of the underestimated jobs (UE and BE) that no longer are; `accuracy` the change of the mean.
    """
    schemes = found.drop(columns=ORIGINAL[0], level="key").xs(ALL, axis=1, level="window")
    free, limited = (schemes.xs(limit, axis=1, level="threshold") for limit in (0.0, float(threshold)))
    before, after = (
        of.xs("UE_share", axis=1, level="metric") + of.xs("BE_share", axis=1, level="metric") for of in (free, limited)
    )
    change = (limited - free).xs("accuracy", axis=1, level="metric")
    effects = pd.concat({"fewer": 1 - after / before, "accuracy": change}, axis=1, names=["metric"])
    return effects.reorder_levels(["trace", "key", "percentile", "metric"], axis=1)
