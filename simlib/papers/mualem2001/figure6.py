"""Figure 6: run times by job size, of logs and models side by side (section 3.3)."""

from dataclasses import field
from functools import cached_property

import pandas as pd

from ... import plots
from ...models import feitelson96, jann97
from ..exhibit import LOGS, MODELS, Part
from . import SP2, TRACES, distributions, pictures
from .distributions import ALL, QUANTILES, class_name, named
from .on_traces import OnTraces

TOLD_APART = [*plots.COLOURS, "#999999", "#7B4A8C"]
"""A colour for each workload."""

COMPARED = ("CTC", "Jann", "Feitelson", "Fsl")
"""The workloads of the paper's own picture."""

ON = {"MF-18": (LOGS, MODELS), "MF-19": (LOGS, MODELS)}


class Figure6(OnTraces, name="mualem2001/figure6", section="3.3", seconds=20, claims=ON):
    """Are jobs of SP2 machines longer and smaller than others?"""

    traces: tuple = TRACES
    jobs: dict = field(default_factory=dict)
    least_jobs: int = 100
    resamples: int = 1000
    seed: int = 1
    model_jobs: int = 100_000

    @cached_property
    def models(self):
        """The models' workloads, by label."""
        return {
            "Feitelson": feitelson96.workload(self.model_jobs, "F", self.seed),
            "Fsl": feitelson96.workload(self.model_jobs, "Fsl", self.seed),
            "Jann": jann97.workload(self.model_jobs, seed=self.seed),
        }

    @property
    def workloads(self):
        """Logs, then models, with their labels, as pairs."""
        return [*self.labelled, *self.models.items()]

    def load(self):
        return super().load() | {MODELS: list(self.models.values())}

    @cached_property
    def curves(self):
        """The cumulative distributions, by workload and size class."""
        return distributions.curves(self.workloads, self.least_jobs)

    @cached_property
    def by_class(self):
        """Run times by workload and size class in numbers."""
        return distributions.by_class(self.workloads)

    @property
    def table(self):
        """What of these numbers is shown."""
        quantiles = [f"run_{100 * q:.0f}" for q in QUANTILES]
        return named(self.by_class)[["jobs", "share", "size_mean", "run_mean", *quantiles]]

    @cached_property
    def to_ctc(self):
        """How far each workload is from CTC; None where that is not at hand."""
        return distributions.distances(self.workloads, "CTC", self.least_jobs) if "CTC" in dict(self.labelled) else None

    @cached_property
    def to_jann(self):
        """How far each workload is from the Jann model."""
        return distributions.distances(self.workloads, "Jann", self.least_jobs)

    @cached_property
    def _comparison(self):
        return distributions.comparison(self.workloads, self.resamples, self.seed)

    @property
    def means(self):
        """Mean and median of run time and size of whole workloads."""
        return self._comparison[0]

    @cached_property
    def ratios(self):
        """The SP2 logs against others by these."""
        return distributions.pairs(*self._comparison)

    def judge(self):
        return distributions.claims(self.ratios) + distributions.model_claims(self.to_ctc, self.to_jann)

    def parts(self):
        both = (LOGS, MODELS)
        upto = named(_by_size(self.by_class)).filter(regex="^(jobs|upto_.*)$").swaplevel()
        apart = pd.concat({"CTC": self.to_ctc, "Jann": self.to_jann}, names=["from"])
        labels = {"run": "run time [s]", "size": "processors", "machine_share": "share of the machine"}
        return {
            "": Part(self.table, lambda: by_workload(self.curves), both),
            "by_class": Part(upto, lambda: by_size(self.curves, self._lines()), both),
            "models": Part(apart, lambda: by_size(self.curves, self._compared()), both),
            "means": Part(self.means, lambda: pictures.means_and_medians(self.means, labels, highlighted=SP2), both),
            "ratios": Part(self.ratios, on=both),
        }

    def _lines(self):
        """How to draw each workload: SP2 logs solid, other logs dashed, models dotted."""
        names = [name for name, _ in self.workloads]
        patterns = ["-" if name in SP2 else ":" if name in self.models else "--" for name in names]
        styles = zip(names, TOLD_APART, patterns, strict=False)
        return {name: {"color": colour, "linestyle": pattern} for name, colour, pattern in styles}

    def _compared(self):
        names = [name for name in COMPARED if name in dict(self.workloads)]
        return {name: {"color": colour} for name, colour in zip(names, plots.COLOURS, strict=False)}


def _by_size(table):
    return table.sort_index(level="size_class", sort_remaining=False)


def by_workload(curves):
    """Draw a panel for each workload, a line for each size class."""
    classes = [upper for upper in sorted(curves.index.unique("size_class")) if upper != ALL]
    styles = {class_name(upper): {"color": shade} for upper, shade in plots.shades(classes).items()}
    styles[class_name(ALL)] = {"color": "black", "linestyle": ":", "linewidth": 2}
    return plots.cumulative_panels(named(curves), "workload", "size_class", styles)


def by_size(curves, styles):
    """Draw a panel for each size class, a line for each of some workloads, in the styles given by label."""
    table = named(_by_size(curves))
    table = table[table.index.get_level_values("workload").isin(styles)]
    return plots.cumulative_panels(table, "size_class", "workload", styles, 4, "job size: {}")
