"""Figure 5: how much is backfilled, and which jobs, on logs and on models (section 3.3)."""

from functools import cached_property
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from ...models import feitelson96, jann97
from ...plots import COLOURS, legend, scheduler_styles
from ...plots.load_curves import in_whole_per_cents
from ...size_classes import ALL, named
from ..exhibit import LOGS, MODELS, Part
from ..judging import LIKELY, RESTORED, TEXT
from ..parameters import LOAD, SECONDS, SEED, SWITCH, WORDS, by_name, one_of, parameter, repeats, some, some_of, whole
from . import SCHEDULERS, TRACES, backfilling, backfilling_claims, policies, traces
from .on_traces import OnTraces
from .pictures import DOT, DOTTED, INTERVAL

ON = {"MF-16": LOGS, "MF-15": MODELS, "MF-17": MODELS}

OF_MODELS = {"backfilled": "share of jobs backfilled", "size_ratio": "size of backfilled jobs\nover that of all"}
"""The metrics that are shown of models, and how axes call them."""

OF = dict(zip((*SCHEDULERS, "relative", "difference"), [*COLOURS[:2], "#444444", "#444444"], strict=True))
"""The colours of what is compared."""


class Figure5(OnTraces, name="mualem2001/figure5", section="3.3", seconds=30, claims=ON):
    """Does EASY backfill more?"""

    traces: tuple = parameter(TRACES, some_of(TRACES))
    rules: tuple = parameter((TEXT, LIKELY, RESTORED), some_of((TEXT, LIKELY, RESTORED), first=(TEXT, LIKELY)))
    jobs: dict = parameter({}, by_name(TRACES, WORDS))
    estimates: dict = parameter({}, by_name(TRACES, one_of("user", "exact")))
    cm5_exact: bool = parameter(True, SWITCH)
    shakes: int = repeats(20)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(1, SEED)
    model_loads: tuple = parameter((0.5, 0.6, 0.7, 0.8, 0.9), some(LOAD))
    model_jobs: int = parameter(50_000, whole(1))
    model_seeds: int = parameter(10, whole(2))
    feedback: bool = parameter(True, SWITCH)

    @cached_property
    def logs(self):
        """The logs with their labels, as pairs; the CM-5 twice, if it is to be as the text describes it too."""
        logs = self.labelled
        if self.cm5_exact and "CM5" in dict(logs):
            (exact,), _ = traces(["CM5"], {"CM5": ""}, {"CM5": "exact"})
            logs.append(("CM5 exact", exact.workload))
        return logs

    @property
    def models(self):
        """By label, a function of a seed that makes the workload."""
        return {
            "Feitelson": lambda number: feitelson96.workload(self.model_jobs, seed=number),
            "Jann": lambda number: jann97.workload(self.model_jobs, seed=number),
        }

    def load(self):
        return {LOGS: [log for _, log in self.logs], MODELS: [make(self.seed) for make in self.models.values()]}

    @cached_property
    def _of_logs(self):
        as_filed = [rule for rule in self.followed if rule != RESTORED]
        workloads = {label: dict.fromkeys(as_filed, log) for label, log in self.logs}
        if self.restores:
            for label, trace in self._by_label.items():
                workloads[label][RESTORED] = trace.under(RESTORED).workloads
        return backfilling.of_logs(workloads.items(), self.policies, self.shakes, self.shake_s, self.seed)

    @property
    def _by_label(self):
        return dict(zip(dict(self.labelled), self.found, strict=True))

    @cached_property
    def comparison(self):
        """Both schedulers on the logs, by (metric, workload, rule, size_class, of)."""
        return backfilling.compared(self._of_logs)

    @property
    def totals(self):
        """What of it is about jobs of all sizes."""
        return self.comparison.xs(ALL, level="size_class")

    @property
    def by_size(self):
        """The share that is backfilled by (workload, rule, size_class, of)."""
        return named(self.comparison.loc["backfilled"].drop(ALL, level="size_class"))

    @cached_property
    def _of_models(self):
        seeds = range(self.seed, self.seed + self.model_seeds)
        repeating = ["Feitelson"] if self.feedback else []
        return backfilling.of_models(self.models, self.model_loads, seeds, policies(self.rules[:1]), repeating)

    @cached_property
    def modelled(self):
        """Both schedulers on the models under the first rule, by (metric, workload, load, rule, size_class, of)."""
        return backfilling.compared_by_load(self._of_models)

    @property
    def by_load(self):
        """What of it is about jobs of all sizes, by (metric, workload, load, of)."""
        return self.modelled.loc[list(OF_MODELS)].xs((self.rules[0], ALL), level=("rule", "size_class"))

    @property
    def jann_by_size(self):
        """The share that is backfilled of the Jann model at the highest load, by (size_class, of)."""
        return named(self.modelled.loc["backfilled", "Jann", self.model_loads[-1], self.rules[0]])

    def _on_files(self, table):
        """What pictures show: the logs as their files are."""
        return table[~table.index.isin([RESTORED], level="rule")]

    def judge(self):
        of_logs, of_models = (backfilling.changes(found) for found in (self._of_logs, self._of_models))
        return [backfilling_claims.of_logs(of_logs), *backfilling_claims.of_models(of_models)]

    def parts(self):
        return {
            "": Part(lambda: self.totals, lambda: amounts_drawn(self._on_files(self.totals).loc["backfilled"])),
            "by_size": Part(lambda: self.by_size, lambda: drawn_by_size(self._on_files(self.by_size))),
            "models": Part(lambda: self.by_load, lambda: drawn_by_load(self.by_load), on=(MODELS,)),
        }


def amounts_drawn(table):
    """Draw the shares of jobs backfilled by workload, and the difference; bars: 95 % of shaken runs.

    The table is by (workload, rule, of); the first rule is drawn full, the second hollow.
    """
    names, rules = list(table.index.unique("workload")), table.index.unique("rule")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 1.8 + 0.6 * len(names)), sharey=True)
    y = np.arange(len(names))
    marks = [(left, "easy", -0.25), (left, "conservative", 0.1), (right, "relative", -0.1)]
    for (rule, fill, lower), (ax, of, shift) in product(zip(rules, ("full", "none"), (0, 0.14), strict=False), marks):
        row = table.xs((rule, of), level=("rule", "of")).loc[names]
        place = y + shift + lower
        ax.hlines(place, row.low, row.high, color=OF[of], linewidth=3, alpha=0.4)
        ax.plot(row.ours, place, "o", color=OF[of], markersize=5, fillstyle=fill)
    left.set(yticks=y, yticklabels=names, ylim=(len(names) - 0.4, -0.6))
    left.set(xlabel="share of jobs backfilled", xlim=(0, None))
    left.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    right.axvline(0, color="black", linewidth=1)
    right.set_xlabel("conservative's share against EASY's")
    in_whole_per_cents(right.xaxis)
    for ax in (left, right):
        ax.grid(axis="y", visible=False)
    entries = scheduler_styles(SCHEDULERS, **DOT)
    entries |= {f"{rule} rules": {"color": "grey", "fillstyle": "none"} | DOT for rule in rules[1:]}
    legend(figure, entries | {"95 % of shaken runs": INTERVAL})
    return figure


def drawn_by_size(table):
    """Draw the shares of jobs backfilled by size class: a column a workload, the difference below the schedulers.

    The table is by (workload, rule, size_class, of); the first rule is drawn solid with a band that holds 95 % of the
    shaken runs, the second dotted.
    """
    names, (first, *others) = list(table.index.unique("workload")), table.index.unique("rule")
    widths = [2 + len(table.loc[name].index.unique("size_class")) for name in names]
    size = (max(6, 1.2 + 0.24 * sum(widths)), 5.6)
    shared = {"sharex": "col", "sharey": "row", "squeeze": False, "width_ratios": widths}
    figure, axes = plt.subplots(2, len(names), figsize=size, **shared)
    for (upper, lower), name in zip(axes.T, names, strict=True):
        for ax, of in ((upper, "easy"), (upper, "conservative"), (lower, "difference")):
            values = table.xs((name, of), level=("workload", "of"))
            part = values.xs(first, level="rule")
            x = np.arange(len(part))
            ax.fill_between(x, part.low, part.high, color=OF[of], alpha=0.25, linewidth=0)
            ax.plot(x, part.ours, "o-", color=OF[of], markersize=3)
            for rule in others:
                ax.plot(x, values.ours.xs(rule, level="rule"), ":", color=OF[of])
        upper.set_title(name)
        lower.set_xticks(x, part.index, rotation=90)
        lower.axhline(0, color="black", linewidth=1)
    axes[0, 0].set(ylabel="share of jobs backfilled", ylim=(0, 1))
    axes[1, 0].set_ylabel("conservative \N{MINUS SIGN} EASY\n[percentage points]")
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[1, 0].yaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))  # no steps of 2.5, to be rounded
    axes[1, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}" if value else "0"))
    figure.supxlabel("job size [processors]", size=10)
    entries = scheduler_styles(SCHEDULERS, marker="o", markersize=3) | {f"{rule} rules": DOTTED for rule in others}
    legend(figure, entries | {"95 % of shaken runs": {"facecolor": "grey", "alpha": 0.25}})
    return figure


def drawn_by_load(table):
    """Draw what the schedulers backfill of models by load: a row a metric, a column a model; bands: intervals.

    The table is by (metric, workload, load, of).
    """
    models = list(table.index.unique("workload"))
    size = (1.2 + 3.4 * len(models), 0.8 + 2.6 * len(OF_MODELS))
    figure, axes = plt.subplots(len(OF_MODELS), len(models), figsize=size, sharex=True, sharey="row", squeeze=False)
    for (row, metric), (column, model), of in product(enumerate(OF_MODELS), enumerate(models), SCHEDULERS):
        values = table.loc[metric, model].xs(of, level="of")
        axes[row, column].fill_between(values.index, values.low, values.high, color=OF[of], alpha=0.25, linewidth=0)
        axes[row, column].plot(values.index, values["mean"], "o-", color=OF[of], markersize=3)
        axes[row, 0].set_ylabel(OF_MODELS[metric])
        axes[0, column].set_title(model)
    for ax in axes[-1]:
        ax.set_xlabel("offered load")
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    legend(figure, scheduler_styles(SCHEDULERS, marker="o", markersize=3))
    return figure
