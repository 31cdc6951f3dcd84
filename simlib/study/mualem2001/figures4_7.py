"""Figures 4 and 7: models under rising load, and which traits of a workload make the difference (section 3)."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ...analysis.load_curves import MEASURES, coverage, over_runs
from ...models import feitelson96, jann97
from ..exhibit import MODELS, Exhibit, Part
from ..parameters import LOAD, SEED, SWITCH, parameter, real, some_of, whole
from ..results import with_intervals
from ..verdicts import LIKELY, TEXT
from . import LABELS, METRICS, SCHEDULERS, load_curves, policies
from .load_curves import against_load, differences_by_load

# What the exhibits have in common that show models under rising load: Figures 4 and 7, and the Feitelson family.


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


# Figure 4: EASY against conservative on two workload models (sections 3.1 and 3.2).


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
        return load_curves.figure4(self.differences)

    def parts(self):
        return {
            "": Part(lambda: self.shown, lambda: self.draw(self.shown), on=(MODELS,)),
            "differences": Part(lambda: self.several, self.draw_differences, on=(MODELS,)),
            "runs": Part(lambda: self.responses.drop(columns=["low", "high"]), on=(MODELS,)),
        }


VARIANTS = ("F", "Fs", "Fl", "Fsl")
REST = ["Fsl", *load_curves.CANDIDATES, "Jann"]
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
        changes |= zip(load_curves.CANDIDATES, (once, once | {"arrivals": jann97.interarrivals}), strict=True)
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
        return [load_curves.interarrivals(pairs)]

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
