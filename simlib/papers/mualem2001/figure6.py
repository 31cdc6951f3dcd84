"""Figure 6: run times by job size, of logs and models side by side (section 3.3)."""

from functools import cached_property

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from ... import plots, size_classes
from ...models import feitelson96, feitelson_family, jann97
from ...size_classes import ALL, SECONDS, class_name, named
from .. import results
from ..exhibit import LOGS, MODELS, Part
from ..judging import RESTORED, TEXT
from ..parameters import RESAMPLES, SEED, WORDS, by_name, parameter, some_of, whole
from . import SP2, TRACES, distributions, over_family
from .on_traces import OnTraces
from .pictures import DOT, INTERVAL

TOLD_APART = [*plots.COLOURS, "#999999", "#7B4A8C"]
"""A colour for each workload."""

COMPARED = ("CTC", "Jann", "Feitelson", "Fsl")
"""The workloads of the paper's own picture."""

UPTO = [f"upto_{seconds}" for seconds in SECONDS]
BOTH = (LOGS, MODELS)
FORMS = {"run": "{:,.0f}", "size": "{:,.1f}", "machine_share": "{:.1%}"}


class Figure6(
    OnTraces, name="mualem2001/figure6", section="3.3", seconds=15, claims=dict.fromkeys(("MF-18", "MF-19"), BOTH)
):
    """Are jobs of SP2 machines longer and smaller than others?"""

    traces: tuple = parameter(TRACES, some_of(TRACES))
    rules: tuple = parameter((TEXT, RESTORED), some_of((TEXT, RESTORED), first=(TEXT,)))
    jobs: dict = parameter({}, by_name(TRACES, WORDS))
    least_jobs: int = parameter(100, whole(1))
    resamples: int = parameter(1000, RESAMPLES)
    seed: int = parameter(1, SEED)
    model_jobs: int = parameter(100_000, whole(1))
    model_seeds: int = parameter(5, whole(2))

    @cached_property
    def models(self):
        """The models' workloads, by label."""
        return {
            "Feitelson": feitelson96.workload(self.model_jobs, "F", self.seed),
            "Fsl": self._fsl(self.seed),
            "Jann": jann97.workload(self.model_jobs, seed=self.seed),
        }

    def _fsl(self, seed, about=None):
        return feitelson96.workload(self.model_jobs, "Fsl", seed, about=about)

    @property
    def workloads(self):
        """Logs, then models, with their labels, as pairs."""
        return [*self.labelled, *self.models.items()]

    def load(self):
        return super().load() | {MODELS: [*self.models.values(), *list(self.members.values())[1:]]}

    @cached_property
    def curves(self):
        """The cumulative distributions, by workload and size class."""
        return size_classes.curves(self.workloads, self.least_jobs)

    @cached_property
    def by_class(self):
        """Run times by workload and size class in numbers."""
        return size_classes.by_class(self.workloads)

    @property
    def table(self):
        """What of these numbers is shown."""
        return named(self.by_class.drop(columns=UPTO))

    @property
    def upto(self):
        """The other ones: the shares of jobs that ran for no longer than some times, by size class and workload."""
        return named(_by_size(self.by_class)).swaplevel()[["jobs", *UPTO]]

    @cached_property
    def apart(self):
        """How far each workload is from CTC, where that is at hand, and from the Jann model; tables by label."""
        return {
            label: size_classes.distances(self.workloads, label, self.least_jobs)
            for label in ("CTC", "Jann")
            if label in dict(self.workloads)
        }

    @cached_property
    def _of_weeks(self):
        return distributions.of_weeks(self.workloads, self.resamples, self.seed)

    @cached_property
    def means(self):
        """Mean and median of run time and size of whole workloads, by (workload, quantity, statistic)."""
        return results.by(results.summary(self._of_weeks), "workload", "quantity", "statistic")

    @cached_property
    def ratios(self):
        """The SP2 logs against others by these, by (one, other, quantity, statistic); None where there is no pair."""
        return distributions.compared(self._of_weeks)

    @cached_property
    def members(self):
        """F of each member of the family of Feitelson models, by name; the first is that of `models`."""
        members = feitelson_family.members().items()
        return {name: feitelson96.workload(self.model_jobs, seed=self.seed, about=about) for name, about in members}

    @cached_property
    def measured(self):
        """What was measured, by claim, rule, member or Fsl, and part."""
        of_rules = self.by_reading
        apart = {
            rule: distributions.sp2_against_each(each._of_weeks, self._of_members) for rule, each in of_rules.items()
        }
        return {"MF-18": apart, "MF-19": {rule: each._close() for rule, each in of_rules.items()}}

    @cached_property
    def _of_members(self):
        return distributions.of_weeks(list(self.members.items()), self.resamples, self.seed)

    def _close(self):
        ctc, seeds = dict(self.labelled).get("CTC"), range(self.seed, self.seed + self.model_seeds)
        if ctc is None:
            return {}
        jann = [jann97.workload(self.model_jobs, seed=seed) for seed in seeds]
        members = {label: feitelson_family.members()[name] for label, name in feitelson_family.fsl().items()}
        return {
            label: distributions.close([self._fsl(seed, about) for seed in seeds], ctc, jann, self.least_jobs)
            for label, about in members.items()
        }

    def judge(self):
        return [over_family.decided(id, found) for id, found in self.measured.items()]

    def parts(self):
        models = Part(
            lambda: pd.concat(self.apart, names=["from"]), lambda: by_size(self.curves, self._compared()), BOTH
        )
        return {
            "": Part(lambda: self.table, lambda: by_workload(self.curves), BOTH),
            "by_class": Part(lambda: self.upto, lambda: by_size(self.curves, self._lines()), BOTH),
            "models": models,
            "means": Part(lambda: self.means, lambda: means_and_medians(self.means, SP2), BOTH),
            "ratios": Part(lambda: self.ratios, on=BOTH),
        } | over_family.parts(self.measured, BOTH)

    def _lines(self):
        """Say how to draw each workload: SP2 logs solid, other logs dashed, models dotted."""
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


def means_and_medians(table, highlighted=()):
    """Draw mean and median of each quantity by workload, with their intervals; names of some workloads are bold."""
    labels = {"run": "run time [s]", "size": "processors", "machine_share": "share of the machine"}
    names = list(table.index.unique("workload"))
    size = (1 + 3.4 * len(labels), 1.8 + 0.45 * len(names))
    figure, axes = plt.subplots(1, len(labels), figsize=size, sharey=True)
    y = np.arange(len(names))
    for ax, (quantity, label) in zip(axes, labels.items(), strict=True):
        for statistic, colour, shift in (("mean", plots.COLOURS[0], -0.12), ("median", plots.COLOURS[1], 0.12)):
            part = table.xs((quantity, statistic), level=("quantity", "statistic"))
            ax.hlines(y + shift, part.low, part.high, color=colour, linewidth=3, alpha=0.4)
            ax.plot(part.ours, y + shift, "o", color=colour, markersize=5)
        ax.set(xscale="log", xlabel=label)
        low, high = ax.get_xlim()
        ax.xaxis.set_major_locator(LogLocator(subs=_subs(high / low)))
        ax.xaxis.set_minor_formatter(NullFormatter())
        share, number = PercentFormatter(1, decimals=1), FuncFormatter(lambda value, _: f"{value:,.0f}")
        ax.xaxis.set_major_formatter(share if quantity == "machine_share" else number)
        ax.grid(axis="y", visible=False)
    axes[0].set_yticks(y, names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    for text in axes[0].get_yticklabels():
        text.set_weight("bold" if text.get_text() in highlighted else "normal")
    dots = {name: {"color": colour} | DOT for name, colour in zip(("mean", "median"), plots.COLOURS, strict=False)}
    plots.legend(figure, dots | {"95 % interval": INTERVAL})
    return figure


def _subs(ratio):
    """Which multiples of ten to the n to write on a logarithmic axis, by the ratio of its ends."""
    return (1, 3) if ratio > 60 else (1, 2, 5) if ratio > 8 else (1, 1.5, 2, 3, 4, 6, 8)
