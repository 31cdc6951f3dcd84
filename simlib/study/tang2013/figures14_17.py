"""Figures 14 to 17: what adjusted walltimes do to the schedule (section 6.2)."""

from functools import cached_property, partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...plots.panels import legend
from .. import results
from ..exhibit import LOGS, Part
from ..parameters import SECONDS, SEED, SHARE, WINDOW, WORDS, or_none, parameter, repeats, whole
from . import CASE_STYLES, STAND_INS, TRACE, month_axis, name_row, scheduling, years
from .scheduling import BASELINE, LEAST_JOBS, ORDERS, PERCENTILES, OfMonths, over_baseline, percent, spread

# What it changes that each month is simulated by itself, and not the log as one run (section 6.1).


CASE = "selective p85"

ALL = "all jobs"
"""Of all months that are simulated apart, beside these months."""

MEAN = "mean of the months"

APART, ONE = "months apart", "one run"


def beside(traces, apart, months, cases, **settings):
    """Put the gain in wait of `CASE` as one run beside that of months apart.

    Gives a DataFrame, by (trace, order, of), where `of` is each month, `ALL` jobs of these together, and the
    `MEAN` of the months' gains: `waited`, the part that a month has in all waits of the baseline; the gain
    `APART` and as `ONE` run, means over the shakes, each with `low` and `high`.
    """
    simulated = months.query("simulated")
    without_month = ["order", "replication", "case"]
    waits = apart.xs("wait", level="metric")  # of the jobs of each month, simulated by itself
    waits = waits[waits.index.isin([BASELINE, CASE], level="case")]
    waits = waits * simulated.jobs.reindex(waits.index.droplevel(without_month)).to_numpy()
    two = {one.name: {name: of for name, of in cases(one).items() if name in (BASELINE, CASE)} for one in traces}
    whole = scheduling.runs(traces, lambda one: two[one.name], _waits_by_month, apart=False, **settings)
    whole = whole.droplevel("month").rename_axis(index={"metric": "month"})
    waited = {APART: waits, ONE: whole[whole.index.droplevel(without_month).isin(simulated.index)]}
    found = pd.concat({way: spread(_gains(of))[["ours", "low", "high"]] for way, of in waited.items()}, axis=1)
    base = waited[APART].xs(BASELINE, level="case").groupby(["trace", "order", "month"]).mean()
    part = (base / base.groupby(["trace", "order"]).sum()).rename_axis(index={"month": "of"})
    found.insert(0, ("waited", ""), part.reindex(found.index.reorder_levels(part.index.names)).to_numpy())
    return found.loc[[one.name for one in traces]]


def _waits_by_month(schedule):
    """Add up the waits of the jobs of each month."""
    month = schedule.workload.calendar_month(schedule.column("submit"))
    return pd.Series(schedule.column("wait")).groupby(month).sum().to_dict()


def _gains(waited):
    """Work out gains from sums of waits, by (trace, order, of, replication)."""
    levels = ["trace", "order", "replication"]
    by_month = over_baseline(waited).droplevel("case")
    found = {month: of.droplevel("month") for month, of in by_month.groupby("month")}
    found[ALL] = over_baseline(waited.groupby([*levels, "case"]).sum()).droplevel("case")
    found[MEAN] = by_month.groupby(levels).mean()
    return results.by(pd.concat(found, names=["of"]), "trace", "order", "of", "replication")


def flat(found):
    """Name the columns of `beside` in one level, as they are saved."""
    return found.set_axis([" ".join(filter(None, name)).replace(" ours", "") for name in found], axis=1)


def told(found, of):
    """Lay out some rows of `beside` for reading, in per cent with 95 % of the shakes; all text."""
    rows = found[found.index.isin(of, level="of")]
    text = {way: results.with_intervals(rows[way], "{:+.0f}", unit=100) for way in (APART, ONE)}
    if rows["waited"].notna().any(axis=None):
        text = {"part of all waits": results.written(rows["waited", ""], "{:.0%}")} | text
    return pd.DataFrame(text)


FIGURES = {14: ("wfp", "regular"), 15: ("wfp", "selective"), 16: ("fcfs", "regular"), 17: ("fcfs", "selective")}

MEASURES = {
    "wait": ("(a) average wait [min]", 100, (30, 160)),
    "slowdown": ("(b) average slowdown", 10, (2, 16)),
    "weighted_wait": ("(c) weighted wait [min]", 100, (40, 250)),
}
"""Titles of the panels; what the paper sets the baseline to; how far the axes reach."""

GAINS_SHOWN = (-40, 40)
"""How far the axis of average gains reaches, in per cent."""

BASELINE_STYLE = {"baseline": {"color": "black", "linewidth": 1.2}}
PRINTED = {"color": "black", "marker": "D", "linestyle": "", "markerfacecolor": "white", "markersize": 5}


class Figures1417(
    OfMonths,
    name="tang2013/figures14-17",
    section="6.2",
    seconds=100,
    claims=dict.fromkeys(scheduling.CLAIMS, LOGS),
):
    """What do adjusted walltimes do to the schedule?"""

    trace: tuple = parameter(STAND_INS, TRACE)
    window: str | None = parameter("1 month", WINDOW)
    threshold: float | None = parameter(0.5, or_none(SHARE))
    least: int = parameter(10, whole(1))
    least_jobs: int = parameter(LEAST_JOBS, whole(1))
    shakes: int = repeats(10)
    large_shakes: int = repeats(5)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(1, SEED)
    log: str = parameter("", WORDS)

    @cached_property
    def results(self):
        """Every simulation, from `scheduling.runs`."""
        return scheduling.runs(self.found, self._cases, **self._settings)

    def _cases(self, trace):
        return scheduling.cases(trace, **self.options)

    @property
    def _settings(self):
        return {name: getattr(self, name) for name in ("shakes", "large_shakes", "shake_s", "seed", "least_jobs")}

    @cached_property
    def one_run(self):
        """What it changes to simulate each log as one run, shaken as often as a large one, from `beside`."""
        settings = self._settings | {"shakes": self.large_shakes}
        return beside(self.found, self.results, self.months, self._cases, **settings)

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
        return self.beside_printed(scheduling.compared(self.gains))

    @cached_property
    def statistics(self):
        """What else the text prints of the gains beside ours, by (trace, order, case, metric, statistic)."""
        return self.beside_printed(scheduling.compared_statistics(self.gains))

    def cells(self):
        """List all printed numbers for the record."""
        tables = self.comparison, self.statistics
        return [cell for table in tables for cell in results.cells(table, scheduling.unjudged)]

    def judge(self):
        return scheduling.claims(self.gains)

    def parts(self):
        return {
            "": Part(lambda: self.comparison, cells=self.cells),
            "statistics": Part(lambda: self.statistics),
            "months": Part(lambda: self.months),
            "one-run": Part(lambda: flat(self.one_run)),
        } | {f"figure{n}": Part(partial(self._monthly, n), partial(self._draw, n)) for n in FIGURES}

    def _monthly(self, figure):
        return of_figure(self.monthly, figure)

    def _draw(self, figure):
        order, strategy = FIGURES[figure]
        title = f"Figure {figure}: {order.upper()}, {strategy} adjustment"
        return gains_by_month(self._monthly(figure), of_figure(self.comparison, figure), title)

    # For reading

    def averages(self, figure):
        """A figure's average gains: printed; ours with the range of the shakes, and how many months have a gain."""
        table = of_figure(self.comparison, figure).droplevel("order")
        ours = [f"{percent(row.ours, row)}, {row.better} of {row.months}" for row in table.itertuples()]
        text = pd.DataFrame({"printed": results.written(table.published, "{:+.0%}"), "ours": ours}, table.index)
        wide = text.unstack("case").swaplevel(axis=1).reindex(table.index.droplevel("case").unique())
        return wide[[(case, column) for case in table.index.unique("case") for column in text]]

    @property
    def stated(self):
        """What else is printed of the gains, and ours on each log with the range of the shakes, in per cent; text."""
        ours = results.wide(results.with_intervals(self.statistics, "{:+.0f}", unit=100), "trace")
        printed = scheduling.printed_table().loc[ours.index]
        if self.own:
            return ours
        ours.insert(0, "printed", printed.bound + " " + results.written(100 * printed.value, "{:+.0f}"))
        return ours

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
        return scheduling.changes(trace, month, "wfp", self._cases(trace)["selective p85"])

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


def gains_by_month(monthly, averages, title):
    """Draw what a figure shows of `Figures1417.monthly`, and of `comparison` as bars: the paper's panels (a) to (d).

    A row has twelve months of a log; (d) is of the whole log. All panels of a column have one scale, in all figures;
    what lies beyond it is written at its end. Thin lines: 95 % of the shaken runs.
    """
    rows = [(trace, months) for trace in monthly.index.unique("trace") for months in years(monthly.loc[trace])]
    figure, axes = plt.subplots(len(rows), 4, figsize=(14, 0.8 + 2.5 * len(rows)), squeeze=False)
    shown = set()
    for (*by_month, bars), (trace, months) in zip(axes, rows, strict=True):
        for ax, metric in zip(by_month, MEASURES, strict=True):
            _lines(ax, monthly.xs((trace, metric), level=("trace", "metric")), months, *MEASURES[metric])
        name_row(by_month[0], trace)
        if trace in shown:
            bars.set_axis_off()
        else:
            _bars(bars, averages.xs(trace, level="trace"))
        shown.add(trace)
    cases = dict(zip(monthly.index.unique("case"), CASE_STYLES, strict=True))
    entries = BASELINE_STYLE | cases
    entries |= {"printed in the paper": PRINTED} if averages.published.notna().any() else {}
    legend(figure, entries, title=title, title_fontproperties={"weight": "bold", "size": 13})
    return figure


def _lines(ax, monthly, months, title, base, limits):
    """Draw one metric of some months, a line a case; the baseline is set to `base`."""
    ax.axhline(base, **BASELINE_STYLE["baseline"])
    for place, (case, style) in enumerate(zip(monthly.index.unique("case"), CASE_STYLES, strict=True)):
        part = base * (1 - monthly.xs(case, level="case").droplevel("order").loc[months, ["ours", "low", "high"]])
        x = np.arange(len(months)) + 0.15 * (place - 1)
        ax.vlines(x, part.low, part.high, color=style["color"], alpha=0.35, linewidth=1.2)
        ax.plot(x, part.ours, **style)
        _beyond(ax, x, part.ours, limits, 10 * place, color=style["color"])
    month_axis(ax, months)
    ax.set(title=title, ylim=limits)


def _bars(ax, averages):
    """Draw the average gains in each metric, a bar a case; what the paper prints, as hollow marks."""
    for place, (case, style) in enumerate(zip(averages.index.unique("case"), CASE_STYLES, strict=True)):
        part = averages.xs(case, level="case").droplevel("order").loc[list(MEASURES)]
        part, x = 100 * part[["published", "ours", "low", "high"]], np.arange(len(MEASURES)) + 0.27 * (place - 1)
        ax.bar(x, part.ours, 0.25, color=style["color"])
        ax.vlines(x, part.low, part.high, color="black", linewidth=1)
        ax.plot(x, part.published, **PRINTED)
        _beyond(ax, x, part.ours, GAINS_SHOWN, 0)
    ax.axhline(0, **BASELINE_STYLE["baseline"])
    ax.set_xticks(range(len(MEASURES)), ["wait", "slowdown", "weighted wait"])
    ax.set(title=f"(d) average gain, {averages.months.max()} months [%]", ylim=GAINS_SHOWN)
    ax.grid(False, axis="x")


def _beyond(ax, x, values, limits, down, color="black"):
    """Write values that lie beyond the limits of an axis at its end, so many points further inside."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
    for place, value in zip(x, values, strict=True):
        if not limits[0] <= value <= limits[1]:
            above = value > limits[1]
            at, shift, va = (limits[1], -down - 2, "top") if above else (limits[0], down + 2, "bottom")
            options = {"color": color, "size": 8, "ha": "center", "va": va, "bbox": box, "annotation_clip": False}
            ax.annotate(f"{value:.3g}", (place, at), (0, shift), textcoords="offset points", **options)
