"""Figures 4 to 7: accuracy against underestimation (sections 4.2.2 and 4.2.3)."""

from functools import cached_property, partial
from itertools import product

import pandas as pd

from ... import walltime
from ..exhibit import LOGS, Part
from . import DOUBLE, KEY_NAMES, STAND_INS, TRIPLE, accuracy, accuracy_claims, inaccuracy, pictures
from .on_traces import OnTraces

SHOWN = ["accuracy", *walltime.LEVELS]
"""What Figures 5 to 7 show."""


class Figures47(
    OnTraces,
    name="tang2013/figures4-7",
    section="4.2.2",
    seconds=25,
    claims={f"TG-{number:02}": LOGS for number in range(4, 10)},
):
    """How accurate do the schemes make the estimates, and how many too small?"""

    trace: tuple = STAND_INS
    threshold: float = 0.5
    resamples: int = 1000
    seed: int = 1

    @cached_property
    def _study(self):
        thresholds = None, self.threshold
        options = {"resamples": self.resamples, "seed": self.seed}
        return accuracy.study(self.found, walltime.KEYS, thresholds=thresholds, **options)

    @property
    def table(self):
        """What the schemes make of the estimates, from `accuracy.study`."""
        return self._study[0]

    @property
    def samples(self):
        """The same of each resample."""
        return self._study[1]

    @cached_property
    def free(self):
        """The table without threshold, by trace, key and percentile."""
        return self._with(0.0)

    @cached_property
    def limited(self):
        """The table with the threshold."""
        return self._with(self.threshold)

    def _with(self, threshold):
        return self.table.xs(threshold, level="threshold").droplevel("window")

    @cached_property
    def bad_if_scaled(self):
        """The shares of bad estimates at the recommended percentiles, with all times scaled to the paper's mean run."""
        bad = {}
        for one, p in product(self.found, accuracy_claims.BALANCED):
            jobs, scale = one.workload.jobs, inaccuracy.printed("table1").mean_run / one.workload.jobs.run.mean()
            scheme = walltime.Scheme(window=None, percentile=p, project=one.project)
            scheduled = walltime.adjusted(jobs, one.ends, scheme).t_sched
            for times, factor in (("as they are", 1), ("scaled", scale)):
                levels = walltime.levels(factor * one.t_act, factor * jobs.estimate, factor * scheduled)
                bad[one.name, times, p] = (levels == "BE").mean()
        return pd.Series(bad).unstack(sort=False)

    @cached_property
    def below_threshold(self):
        """The share of the adjusted jobs for which A would be below the threshold, by trace, key and percentile."""
        below = {}
        for one in self.found:
            schemes = walltime.schemes([TRIPLE, DOUBLE], [None], project=one.project)
            for scheme, a in walltime.parameters(one.workload.jobs, one.ends, schemes).items():
                below[one.name, KEY_NAMES[scheme.key], scheme.percentile] = (a.dropna() < self.threshold).mean()
        return pd.Series(below).unstack(sort=False)

    @cached_property
    def at_median(self):
        """What a threshold changes that is each log's own median of R, from `accuracy.threshold_effect`."""
        effects = {}
        for one in self.found:
            median = round(float(inaccuracy.used(one).median()), 2)
            small, _ = accuracy.study([one], (TRIPLE, DOUBLE), thresholds=(None, median), resamples=1)
            effects[median] = accuracy.threshold_effect(small, median)
        return pd.concat(effects, names=["threshold"]).rename(index=KEY_NAMES, level="key")

    def beside(self, key):
        """The tables without and with the threshold of one key, by trace, panel and percentile."""
        panels = {"no threshold": self.free, f"A at least {self.threshold:g}": self.limited}
        return _panels({f"{KEY_NAMES[key]}, {name}": part.xs(key, level="key") for name, part in panels.items()})

    def judge(self):
        return accuracy_claims.similarity(self.found, self.table, self.samples)

    def parts(self):
        free, both = self.free, [TRIPLE, DOUBLE]
        figure5 = _panels({KEY_NAMES[key]: free.xs(key, level="key") for key in both})
        found = {
            "": Part(self.table, cells=accuracy.cells(self.found, self.table, self.threshold)),
            "median-threshold": Part(self.at_median),
            "figure4": Part(free[["accuracy", "accuracy_low", "accuracy_high"]], self._figure4),
            "figure5": Part(free.loc[pd.IndexSlice[:, both], SHOWN], partial(pictures.level_shares, figure5)),
        }
        for suffix, key in (("figure6", TRIPLE), ("figure7", DOUBLE)):
            beside = self.beside(key)
            found[suffix] = Part(beside[SHOWN], partial(pictures.level_shares, beside))
        return found

    def _figure4(self):
        printed = inaccuracy.printed("fig4")
        best = printed.base_accuracy, 70, printed.best_accuracy_triple_p70
        return pictures.accuracy_by_percentile(self.free, KEY_NAMES, best)


def _panels(tables):
    """Tables by trace and percentile as one by trace, panel and percentile."""
    return pd.concat(tables, names=["panel"]).reorder_levels(["trace", "panel", "percentile"])
