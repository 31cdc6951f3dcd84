"""Figure 4: EASY against conservative on two workload models (sections 3.1 and 3.2)."""

from functools import cached_property

from ...load_curves import coverage
from ..exhibit import MODELS, Part
from . import load_curves, load_curves_claims
from .under_load import UnderLoad, as_text

ON = dict.fromkeys(["MF-06", "MF-07"], MODELS)


class Figure4(UnderLoad, name="mualem2001/figure4", section="3.2", seconds=15, after="mualem2001/figure7", claims=ON):
    """Do the schedulers differ on both models?"""

    repeating = ("Feitelson",)

    @property
    def models(self):
        return {"Feitelson": self.feitelson, "Jann": self.jann}

    @property
    def responses(self):
        """The response times of all simulations under the first rule."""
        return self.points.xs((self.rules[0], "response_s"), level=("rule", "metric"))

    @property
    def accuracy(self):
        """What stopped these simulations, and the accuracy of those that took all batches, by model."""
        stops = self.responses.groupby("workload").stopped.value_counts().unstack(fill_value=0)
        long = self.responses[self.responses.stopped == "batches"]
        quartiles = long.groupby("workload").accuracy.quantile([0.25, 0.5, 0.75]).unstack()
        return stops.join(quartiles.map("{:.1%}".format))

    @property
    def honesty(self):
        """How many intervals of single runs hold the mean over all, by model, metric and what stopped the run."""
        scheduler, rule = (self.points.index.get_level_values(level) for level in ("scheduler", "rule"))
        points = self.points[(scheduler == "easy") | (rule == self.rules[0])]  # conservative does not hang on the rule
        held = coverage(points, "whole").rename("intervals that hold the mean")
        runs = points.join(held)[~points.ceiling].groupby(["workload", "metric", "stopped"])
        shares = {"hold the mean": (held.name, "mean")}
        return runs.agg(intervals=("lag1", "size"), **shares, autocorrelation=("lag1", "mean"))

    @property
    def honesty_of_differences(self):
        """The same share for the relative difference, by model and metric."""
        return coverage(self.differences, "relative").groupby(["workload", "metric"]).mean()

    @cached_property
    def without_feedback(self):
        """The Feitelson model of the run shown, its repetitions at the times of an idle machine; text."""
        settings = self.settings | {"seeds": [self.seed], "feedback": ()}
        points, _ = load_curves.curves({"Feitelson": self.feitelson}, **settings)
        return as_text(points.loc[1].xs((self.rules[0], "response_s"), level=("rule", "metric")), "response_s")

    @property
    def largest(self):
        """The three jobs of the Feitelson model with the most work in all their executions."""
        jobs = self.workloads["Feitelson"].jobs.groupby("app")
        table = jobs.agg(times=("run", "size"), run_s=("run", "first"), procs=("procs", "first"))
        work = table.times * table.run_s * table.procs
        return table.assign(**{"share of all work": work / work.sum()}).nlargest(3, "share of all work")

    def judge(self):
        return load_curves_claims.figure4(self.differences)

    def parts(self):
        return {
            "": Part(lambda: self.shown, lambda: self.draw(self.shown), on=(MODELS,)),
            "differences": Part(lambda: self.several, self.draw_differences, on=(MODELS,)),
            "runs": Part(lambda: self.responses.drop(columns=["low", "high"]), on=(MODELS,)),
        }
