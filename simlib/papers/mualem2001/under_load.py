"""What the exhibits have in common that show models under rising load: Figures 4 and 7, and the Feitelson family."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ...load_curves import MEASURES, over_runs
from ...models import feitelson96, jann97
from ...plots.load_curves import against_load, differences_by_load
from ..exhibit import MODELS, Exhibit
from ..judging import LIKELY, TEXT
from ..parameters import LOAD, SEED, SWITCH, parameter, real, some_of, whole
from ..results import with_intervals
from . import LABELS, METRICS, SCHEDULERS, load_curves, policies

TITLES = {"response_s": "Response time", "bounded_slowdown": "Bounded slowdown"}


@dataclass(eq=False)
class UnderLoad(Exhibit):
    """An exhibit of models under rising load.

    A subclass defines `models`, which gives by label a function of a seed that makes the workload, and `repeating`,
    the labels of those whose jobs are executed repeatedly; `measures` are some of `load_curves.MEASURED`.
    """

    measures = tuple(MEASURES)

    first_load: float = parameter(0.5, LOAD)
    last_load: float = parameter(0.95, LOAD)
    load_step: float = parameter(0.05, LOAD)
    feitelson_jobs: int = parameter(350_000, whole(1))
    jann_jobs: int = parameter(100_000, whole(1))
    feitelson_batch: int = parameter(3333, whole(1))
    jann_batch: int = parameter(990, whole(1))
    most: int = parameter(100, whole(2))
    precision: float = parameter(0.05, real(above=True))
    ceiling: float = parameter(30_000, real(above=True))
    seed: int = parameter(1, SEED)
    number_of_runs: int = parameter(10, whole(2))
    rules: tuple = parameter((TEXT, LIKELY), some_of((TEXT, LIKELY)))
    feedback: bool = parameter(True, SWITCH)

    def __post_init__(self):
        super().__post_init__()
        if self.last_load < self.first_load:
            self.refuse("last_load", f"first_load or more, which is {self.first_load:g}")
        for model in ("feitelson", "jann"):
            jobs = getattr(self, f"{model}_jobs")
            if 3 * getattr(self, f"{model}_batch") > jobs:
                self.refuse(
                    f"{model}_batch", f"a third of the {jobs:,} jobs at most: one batch to warm up, and two more"
                )

    def feitelson(self, seed, **changes):
        """Make a workload of the Feitelson model, or of one of its variants."""
        return feitelson96.workload(self.feitelson_jobs, seed=seed, **changes)

    def jann(self, seed):
        """Make a workload of the Jann model, which is labelled "Jann"."""
        return jann97.workload(self.jann_jobs, seed=seed)

    @cached_property
    def workloads(self):
        """The workloads of the run that is shown, by label."""
        return {label: make(self.seed) for label, make in self.models.items()}

    def load(self):
        return {MODELS: list(self.workloads.values())}

    @property
    def policies(self):
        """Both schedulers by (scheduler, rule).

        Conservative is the same under all rules: the models' estimates are exact, so no job ends early, and the order
        in which it compresses its schedule makes no difference.
        """
        all_of = policies(self.rules)
        return {key: all_of[key if key[0] == "easy" else (key[0], self.rules[0])] for key in all_of}

    @property
    def loads(self):
        """The loads that are simulated, the first and the last among them."""
        count = round((self.last_load - self.first_load) / self.load_step) + 1
        return [float(load) for load in np.linspace(self.first_load, self.last_load, count).round(6)]

    @property
    def settings(self):
        """The arguments of `load_curves.curves`."""
        return {
            "seeds": range(self.seed, self.seed + self.number_of_runs),
            "batch": dict.fromkeys(self.models, self.feitelson_batch) | {"Jann": self.jann_batch},
            "policies": self.policies,
            "loads": self.loads,
            "stopping": {"most": self.most, "precision": self.precision, "ceiling": self.ceiling},
            "feedback": self.repeating if self.feedback else (),
            "measures": self.measures,
        }

    @cached_property
    def _curves(self):
        return load_curves.curves(self.models, **self.settings)

    @property
    def points(self):
        """Each simulation: see `load_curves.curves`."""
        return self._curves[0]

    @property
    def differences(self):
        """The differences between the schedulers in each replication."""
        return self._curves[1]

    @property
    def shown(self):
        """The simulations of the run that is shown, the first replication."""
        return self.points.loc[1]

    @cached_property
    def several(self):
        """The differences over all replications, with the intervals that these give."""
        return over_runs(self.differences, "relative")

    def draw(self, points, groups=None, value="mean"):
        """Draw points under the first rule against load."""
        limits = {"response_s": self.ceiling}  # as in print: where simulations are stopped
        return against_load(points.xs(self.rules[0], level="rule"), LABELS, groups, value, limits)

    def draw_differences(self, names=None):
        """Draw the differences over all replications by load."""
        label = "conservative's mean against EASY's"
        return differences_by_load(self.several, TITLES, names, label)

    # For reading

    def beside(self, metric):
        """Lay out one metric of the run that is shown, under the first rule: see `as_text`."""
        return as_text(self.shown.xs((self.rules[0], metric), level=("rule", "metric")), metric)

    def apart(self, rule):
        """Lay out the differences under a rule, of the run that is shown and over all, by workload and load; text."""
        tables = {"one run": self.differences.loc[1], "all runs": self.several}
        columns = {
            (metric, name): with_intervals(table.xs((rule, metric), level=("rule", "metric")), "{:+.1%}", "relative")
            for metric in METRICS
            for name, table in tables.items()
        }
        return pd.DataFrame(columns)


def as_text(points, metric):
    """Lay out both schedulers: mean +- half width, the half width as a share, batches and why no more."""
    number = "{:,.0f}" if metric == "response_s" else "{:,.1f}"
    columns = {}
    for scheduler in SCHEDULERS:
        part = points.xs(scheduler, level="scheduler")
        half_width = (part.high - part["mean"]).map(number.format)
        columns[scheduler] = part["mean"].map(number.format) + " \u00b1 " + half_width
        columns[f"{scheduler} \u00b1"] = part.accuracy.map("{:.1%}".format)
        columns[f"{scheduler} batches"] = part.batches.map(str) + " (" + part.stopped + ")"
    return pd.DataFrame(columns)
