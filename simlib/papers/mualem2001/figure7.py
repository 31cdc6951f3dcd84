"""Figure 7: which traits of a workload make the difference between the schedulers (section 3.3)."""

from functools import cached_property, partial

import pandas as pd

from ...models import feitelson96, jann97
from ..exhibit import MODELS, Part
from . import load_curves, load_curves_claims, pictures
from .under_load import LABELS, TITLES, UnderLoad

VARIANTS = ("F", "Fs", "Fl", "Fsl")
REST = ["Fsl", *load_curves_claims.CANDIDATES, "Jann"]
"""The models that tell what is left."""

COLUMNS = ["whole", "low", "high", "runs", "ceiling", "executed"]
ON = dict.fromkeys(["MF-20", "MF-21", "MF-22", "MF-23", "MF-24", "MF-43", "MF-42"], MODELS)


class Figure7(UnderLoad, name="mualem2001/figure7", section="3.3", seconds=200, claims=ON):
    """Is it that jobs are small, or that they are long?"""

    last_load: float = 0.9
    number_of_runs: int = 6

    repeating = VARIANTS

    @property
    def models(self):
        single, arrivals = load_curves_claims.CANDIDATES
        once = {"variant": "Fsl", "repeat": False}
        changes = {variant: {"variant": variant} for variant in VARIANTS}
        changes |= {single: once, arrivals: once | {"arrivals": jann97.interarrivals}}
        made = {label: partial(self._feitelson, changed) for label, changed in changes.items()}
        return made | {"Jann": lambda number: jann97.workload(self.jann_jobs, seed=number)}

    def _feitelson(self, changed, number):
        return feitelson96.workload(self.feitelson_jobs, seed=number, **changed)

    @cached_property
    def means(self):
        """The curves over all runs, each taken over all its batches."""
        return load_curves.over_runs(self.points, "whole")

    @property
    def executed(self):
        """The load that is executed under EASY, by model and nominal load."""
        return self.means.executed.xs(("easy", "response_s"), level=("scheduler", "metric")).unstack()

    @property
    def interarrivals(self):
        """How the times between submissions vary, and whether short ones come together, by model."""
        gaps = {label: self.workloads[label].jobs.submit.diff().dropna() for label in REST}
        variation = {label: gap.std() / gap.mean() for label, gap in gaps.items()}
        successive = {label: gap.autocorr() for label, gap in gaps.items()}
        table = {"coefficient of variation": variation, "correlation of successive ones": successive}
        return pd.DataFrame(table).rename_axis("interarrival times")

    def judge(self):
        return load_curves_claims.figure7(self.differences) + load_curves_claims.interarrivals(
            self.workloads["Fsl"], self.workloads["Jann"]
        )

    def parts(self):
        panels = [[name] for name in (*VARIANTS, "Jann")]
        differences = partial(pictures.differences_by_load, self.several, TITLES)
        return {
            "": Part(
                self.means[COLUMNS],
                lambda: pictures.against_load(self.means, LABELS, panels, "whole"),
                on=(MODELS,),
            ),
            "differences": Part(self.several, lambda: differences([*VARIANTS, "Jann"]), on=(MODELS,)),
            "rest": Part(self.several.loc[REST], lambda: differences(REST), on=(MODELS,)),
            "run": Part(self.shown, on=(MODELS,)),
        }
