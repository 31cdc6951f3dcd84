"""What the exhibits have in common that show models under rising load: Figures 4 and 7."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..exhibit import MODELS, Exhibit
from . import load_curves, policies

LABELS = {"response_s": "mean response time [s]", "bounded_slowdown": "mean bounded slowdown"}
TITLES = {"response_s": "Response time", "bounded_slowdown": "Bounded slowdown"}


@dataclass(eq=False)
class UnderLoad(Exhibit):
    """An exhibit of models under rising load.

    A subclass defines `models`, which gives by label a function of a seed that makes the workload, and `repeating`,
    the labels of those whose jobs are executed repeatedly. The Jann model is labelled "Jann".
    """

    first_load: float = 0.5
    last_load: float = 0.95
    load_step: float = 0.05
    feitelson_jobs: int = 350_000
    jann_jobs: int = 100_000
    feitelson_batch: int = 3333
    jann_batch: int = 990
    most: int = 100
    precision: float = 0.05
    ceiling: float = 30_000
    seed: int = 1
    number_of_runs: int = 10
    easy_reuse_extra: bool = False
    conservative_compress: str = "arrival"
    feedback: bool = True

    @cached_property
    def workloads(self):
        """The workloads of the run that is shown, by label."""
        return {label: make(self.seed) for label, make in self.models.items()}

    def load(self):
        return {MODELS: list(self.workloads.values())}

    @property
    def settings(self):
        """The arguments of `load_curves.curves`."""
        count = round((self.last_load - self.first_load) / self.load_step) + 1
        return {
            "batch": dict.fromkeys(self.models, self.feitelson_batch) | {"Jann": self.jann_batch},
            "loads": [float(load) for load in np.linspace(self.first_load, self.last_load, count).round(6)],
            "rules": policies(self.easy_reuse_extra, self.conservative_compress),
            "stopping": {"most": self.most, "precision": self.precision, "ceiling": self.ceiling},
            "feedback": self.repeating if self.feedback else (),
        }

    @cached_property
    def _runs(self):
        return load_curves.runs(self.models, range(self.seed, self.seed + self.number_of_runs), **self.settings)

    @property
    def points(self):
        """Each simulation: see `load_curves.curves`, by seed."""
        return self._runs[0]

    @property
    def shown(self):
        """The simulations of the run that is shown."""
        return self.points.loc[self.seed]

    @property
    def differences(self):
        """The differences between the schedulers in each run."""
        return self._runs[1]

    @cached_property
    def several(self):
        """The differences over all runs, with the intervals that these give."""
        return load_curves.over_runs(self.differences, "relative")

    @property
    def apart(self):
        """The differences over all runs, beside those of the run that is shown; text."""
        return load_curves.differences_beside(self.differences.loc[self.seed], self.several)
