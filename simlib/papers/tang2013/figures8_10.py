"""Figures 8 to 10: how much history is enough (section 4.2.4)."""

from functools import cached_property, partial

import pandas as pd

from ... import walltime
from ..exhibit import LOGS, Part
from . import DOUBLE, KEY_NAMES, STAND_INS, TRIPLE, accuracy, accuracy_claims, pictures
from .on_traces import OnTraces

FIGURES = {
    8: ("accuracy", "mean accuracy"),
    9: ("BE", "share of jobs with bad estimates"),
    10: ("UE", "share of underestimated jobs"),
}
"""The measure that each figure shows, and its name."""


class Figures810(
    OnTraces, name="tang2013/figures8-10", section="4.2.4", seconds=40, claims={"TG-10": LOGS, "TG-11": LOGS}
):
    """How much history is enough?"""

    trace: tuple = STAND_INS
    threshold: float = 0.5
    resamples: int = 1000
    seed: int = 1

    @cached_property
    def _study(self):
        options = {"thresholds": (None, self.threshold), "resamples": self.resamples, "seed": self.seed}
        return accuracy.study(self.found, (TRIPLE, DOUBLE), walltime.WINDOWS, **options)

    @property
    def table(self):
        """What the schemes make of the estimates, from `accuracy.study`."""
        return self._study[0]

    @property
    def samples(self):
        """The same of each resample."""
        return self._study[1]

    @cached_property
    def changes(self):
        """What each window changes against all history, from `accuracy.against_all`."""
        return accuracy.against_all(self.table, self.samples)

    @property
    def not_adjusted(self):
        """The share of jobs that the 85th percentile without threshold leaves as they are, a column a window."""
        shares = self.table.xs(85.0, level="percentile").xs(0.0, level="threshold").NA
        return shares.unstack("window", sort=False).rename(index=KEY_NAMES, level="key")

    def judge(self):
        return accuracy_claims.recency(self.found, self.table, self.samples)

    def parts(self):
        found = {"": Part(self.table)}
        for number, (measure, label) in FIGURES.items():
            for suffix, limit in (("", 0.0), ("_threshold", self.threshold)):
                changes = self.changes.xs((measure, limit), level=("measure", "threshold"))
                values = self.table.drop(index="none", level="key").xs(limit, level="threshold")[measure]
                draw = partial(pictures.by_window, _by_panel(values), _by_panel(changes), label)
                found[f"figure{number}{suffix}"] = Part(changes, draw)
        return found


def _by_panel(table):
    """A table by trace, key, window and percentile, with trace and key as one panel."""
    places = [(f"{trace}, {KEY_NAMES[key]}", window, p) for trace, key, window, p in table.index]
    return table.set_axis(pd.MultiIndex.from_tuples(places))
