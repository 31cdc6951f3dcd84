"""Figure 7: which traits of a workload make the difference between the schedulers (section 3.3)."""

from functools import cached_property, partial

import pandas as pd

from ...load_curves import over_runs
from ...models import jann97
from ..exhibit import MODELS, Part
from ..parameters import LOAD, parameter, whole
from . import load_curves_claims
from .under_load import UnderLoad

VARIANTS = ("F", "Fs", "Fl", "Fsl")
REST = ["Fsl", *load_curves_claims.CANDIDATES, "Jann"]
"""The models that tell what is left."""

COLUMNS = ["whole", "low", "high", "runs", "ceiling", "executed"]


class Figure7(
    UnderLoad,
    name="mualem2001/figure7",
    section="3.3",
    seconds=65,
    after="mualem2001/feitelson-family",
    claims={"MF-42": MODELS},
):
    """Is it that jobs are small, or that they are long?"""

    last_load: float = parameter(0.9, LOAD)
    number_of_runs: int = parameter(5, whole(2))

    repeating = VARIANTS

    @property
    def models(self):
        once = {"variant": "Fsl", "repeat": False}
        changes = {variant: {"variant": variant} for variant in VARIANTS}
        changes |= zip(load_curves_claims.CANDIDATES, (once, once | {"arrivals": jann97.interarrivals}), strict=True)
        return {label: partial(self.feitelson, **change) for label, change in changes.items()} | {"Jann": self.jann}

    @cached_property
    def means(self):
        """The curves over all runs, each taken over all its batches."""
        return over_runs(self.points, "whole")[COLUMNS]

    @property
    def executed(self):
        """The load that is executed under EASY, by model and nominal load."""
        of = ("easy", self.rules[0], "response_s")
        return self.means.executed.xs(of, level=("scheduler", "rule", "metric")).unstack()

    @property
    def interarrivals(self):
        """How the times between submissions vary, and whether short ones come together, by model."""
        gaps = {label: self.workloads[label].jobs.submit.diff().dropna() for label in REST}
        variation = {label: gap.std() / gap.mean() for label, gap in gaps.items()}
        successive = {label: gap.autocorr() for label, gap in gaps.items()}
        table = {"coefficient of variation": variation, "correlation of successive ones": successive}
        return pd.DataFrame(table).rename_axis("interarrival times")

    def judge(self):
        seeds = self.settings["seeds"]
        pairs = [[self.models[label](seed) for label in ("Fsl", "Jann")] for seed in seeds]
        return [load_curves_claims.interarrivals(pairs)]

    def parts(self):
        framed = [*VARIANTS, "Jann"]
        return {
            "": Part(
                lambda: self.means, lambda: self.draw(self.means, [[name] for name in framed], "whole"), on=(MODELS,)
            ),
            "differences": Part(lambda: self.several, lambda: self.draw_differences(framed), on=(MODELS,)),
            "rest": Part(lambda: self.several.loc[REST], lambda: self.draw_differences(REST), on=(MODELS,)),
            "run": Part(lambda: self.shown, on=(MODELS,)),
        }
