"""Figures 14 to 17: what adjusted walltimes do to the schedule (section 6.2)."""

from functools import cached_property, partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...plots import plain_log_axis
from .. import results
from ..exhibit import LOGS, Part, repeats
from . import STAND_INS, scheduling, scheduling_claims
from .pictures import CASE_COLOURS, month_axis
from .scheduling import BASELINE, LEAST_JOBS, ORDERS, PERCENTILES, OfMonths, percent

CLAIMS = ("TG-15", "TG-16", "TG-17", "TG-18", "TG-19", "TG-20")

FIGURES = {14: ("wfp", "regular"), 15: ("wfp", "selective"), 16: ("fcfs", "regular"), 17: ("fcfs", "selective")}

MEASURES = {"wait": ("mean wait", 100), "slowdown": ("mean slowdown", 10), "weighted_wait": ("weighted wait", 100)}
"""Their names, and what the paper sets the baseline to."""


class Figures1417(
    OfMonths, name="tang2013/figures14-17", section="6.2", seconds=100, claims=dict.fromkeys(CLAIMS, LOGS)
):
    """What do adjusted walltimes do to the schedule?"""

    trace: tuple = STAND_INS
    window: str | None = "1 month"
    threshold: float | None = 0.5
    least: int = 10
    least_jobs: int = LEAST_JOBS
    shakes: int = repeats(20)
    shake_s: int = 60
    seed: int = 1

    @cached_property
    def results(self):
        """Every simulation, from `scheduling.runs`."""
        settings = {name: getattr(self, name) for name in ("shakes", "shake_s", "seed", "least_jobs")}
        return scheduling.runs(self.found, partial(scheduling.cases, **self.options), **settings)

    @cached_property
    def gains(self):
        """What each case gains over the baseline, by month and replication."""
        return scheduling.gains(self.results)

    @cached_property
    def monthly(self):
        """How the gains of each month spread over the shakes."""
        return scheduling.spread(self.gains)

    @cached_property
    def comparison(self):
        """The average gains over the months beside the printed ones, by (trace, order, case, metric)."""
        return results.against(scheduling.averages(self.gains), scheduling.printed_gains())

    def judge(self):
        return scheduling_claims.claims(self.gains)

    def parts(self):
        return {"": Part(lambda: self.comparison, cells=self.cells), "months": Part(lambda: self.months)} | {
            f"figure{n}": Part(partial(self._monthly, n), partial(self._draw, n)) for n in FIGURES
        }

    def _monthly(self, figure):
        return of_figure(self.monthly, figure)

    def _draw(self, figure):
        return gains_by_month(self._monthly(figure), of_figure(self.comparison, figure))

    # For reading

    def averages(self, figure):
        """A figure's average gains: printed; ours with the range of the shakes, and how many months have a gain."""
        table = of_figure(self.comparison, figure).droplevel("order")
        ours = [f"{percent(row.ours, row)}, {row.better} of {row.months}" for row in table.itertuples()]
        text = pd.DataFrame({"printed": results.written(table.published, "{:+.0%}"), "ours": ours}, table.index)
        wide = text.unstack("case").swaplevel(axis=1).reindex(table.index.droplevel("case").unique())
        return wide[[(case, column) for case in table.index.unique("case") for column in text]]

    @property
    def worst(self):
        """The (trace, month) in which the selective 85th percentile does worst under WFP by slowdown."""
        rows = self.comparison.xs(("wfp", "selective p85", "slowdown"), level=("order", "case", "metric"))
        return rows.worst.idxmin(), rows.worst_month[rows.worst.idxmin()]

    @cached_property
    def changes_of_worst(self):
        """What it does there to each job, from `scheduling.changes`."""
        name, month = self.worst
        (trace,) = (one for one in self.found if one.name == name)
        return scheduling.changes(trace, month, "wfp", scheduling.cases(trace, **self.options)["selective p85"])

    @property
    def effective_jobs(self):
        """On how many jobs the weighted wait of the baseline rests, and how many there are a month, in the median."""
        found = self.results.xs((BASELINE, "effective_jobs"), level=("case", "metric"))
        table = found.groupby(["trace", "order"], sort=False).median().to_frame("effective jobs")
        jobs = self.months.query("simulated").jobs.groupby("trace").median()
        return table.join(jobs.rename("jobs a month"))

    @property
    def correlations(self):
        """Spearman's correlation over the months of the gain in wait of the selective 85th percentile."""
        gain = self.monthly.ours.xs(("selective p85", "wait"), level=("case", "metric")).unstack("order")[list(ORDERS)]
        columns = ["jobs", "load", "requested_h", "run_h", "r"]
        found = gain.join(self.months[columns]).groupby("trace", sort=False).corr(method="spearman")[columns]
        return found[found.index.isin(gain.columns, level=1)].rename_axis(["trace", "order"])


def of_figure(table, figure):
    """Take the rows of one of Figures 14 to 17."""
    order, strategy = FIGURES[figure]
    cases = [f"{strategy} p{p}" for p in PERCENTILES]
    return table[table.index.isin([order], level="order") & table.index.isin(cases, level="case")]


def gains_by_month(monthly, averages):
    """Draw what a figure shows of `Figures1417.monthly`, and of `comparison` as bars; a row a trace.

    All values are relative to the baseline, which is set to 100, to 10, to 100; equal ratios to it are equal distances.
    Bands and error bars: 95 % of the shaken runs.
    """
    traces, cases = (list(monthly.index.unique(level)) for level in ("trace", "case"))
    size = (14, 0.9 + 3 * len(traces))
    figure, axes = plt.subplots(len(traces), 4, figsize=size, squeeze=False, width_ratios=[1, 1, 1, 0.8])
    for first, *others in axes.T[:3]:
        for ax in others:
            ax.sharey(first)
    for row, trace in zip(axes, traces, strict=True):
        for ax, (metric, (name, base)) in zip(row, MEASURES.items(), strict=False):
            for case, colour in zip(cases, CASE_COLOURS, strict=True):
                gain = monthly.xs((trace, case, metric), level=("trace", "case", "metric"))[["ours", "low", "high"]]
                part = base * (1 - gain.droplevel("order"))
                ax.plot(part.ours.to_numpy(), color=colour, marker=".", linewidth=1.2, label=case)
                ax.fill_between(range(len(part)), part.low, part.high, color=colour, alpha=0.15, linewidth=0)
            ax.axhline(base, color="black", linewidth=1.2, label="baseline")
            month_axis(ax, part.index)
            ax.set_ylabel(f"{name}, baseline = {base}")
        row[0].set_title(trace)
        _average_gains(row[3], averages.xs(trace, level="trace"), cases)
    for ax, (_, base) in zip(axes[0], MEASURES.values(), strict=False):
        low, high = ax.get_ylim()
        ax.set_ylim(np.clip(low, base / 5, base / 1.6), np.clip(high, 1.6 * base, 5 * base))
        plain_log_axis(ax)
    handles, labels = (a + b for a, b in zip(*(ax.get_legend_handles_labels() for ax in axes[0, [0, 3]]), strict=True))
    found = dict(zip(labels, handles, strict=True))
    figure.legend(found.values(), found, loc="outside upper center", ncols=len(found))
    return figure


def _average_gains(ax, averages, cases):
    """Draw bars of the average gains in each measure, a colour a case; what the paper prints, as hollow marks."""
    width = 0.8 / len(cases)
    marks = {"color": "black", "markerfacecolor": "white", "markersize": 5, "label": "printed"}
    for number, (case, colour) in enumerate(zip(cases, CASE_COLOURS, strict=True)):
        part = averages.xs(case, level="case").droplevel("order").loc[list(MEASURES)]
        part = 100 * part[["published", "ours", "low", "high"]]
        x = np.arange(len(part)) + (number - (len(cases) - 1) / 2) * width
        error = [part.ours - part.low, part.high - part.ours]
        ax.bar(x, part.ours, 0.9 * width, yerr=error, color=colour, capsize=2, error_kw={"linewidth": 1})
        if part.published.notna().any():
            ax.plot(x, part.published, "D", **marks)
    ax.axhline(0, color="black", linewidth=1.2)
    ax.set_xticks(range(len(MEASURES)), [name.replace(" ", "\n", 1) for name, _ in MEASURES.values()], size=9)
    ax.set_ylabel("average gain [%]")
    ax.grid(False, axis="x")
