"""Figures 14 to 17: what is measured of the gains, what the text claims, months as one run, and pictures (section 6.2).

Gains are those of `scheduling.gains`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simlib import plots
from simlib._util import paths
from simlib.core.schedule import Schedule

from .. import judging
from ..claims import Measure
from ..judging import AS_IT_IS, TEXT
from ..loading import Logs
from ..resampling import cluster_means
from . import Parts, Trace, decided, machines, scheduling
from .scheduling import BASELINE, Cases, by_log, mean_of_months, over_baseline, printed_table, spread

# What is measured of what the text says on Figures 14 to 17: claims TG-15 to TG-20, TG-29 to TG-36, and others.


PAPERS = {"wait": "wait", "slowdown": "slowdown", "weighted_wait": "weighted wait"}
"""The paper's metrics, as they are written."""

ALL = " or ".join(PAPERS)


TESTS: Mapping[str, Callable[[pd.Series], pd.Series]] = {
    "better": lambda gains: gains > 0,
    "worse": lambda gains: gains < 0,
    "over a fifth": lambda gains: gains > 0.2,
    "within a tenth": lambda gains: gains.abs() < 0.1,
    "p95 best": lambda gains: gains.unstack("case").rank(axis=1, ascending=False, method="max")["regular p95"] == 1,
}
"""Tests of the gain of a month."""


def _measured(kind: str) -> dict[str, dict[str, list[tuple[str, ...]]]]:
    """Read which gains the parts of claims are about: by claim and part arguments of `share` or `statistic`."""
    rows = pd.read_csv(paths.DATA / "claims" / "tang2013_measured.csv").query("kind == @kind")
    found: dict[str, dict[str, list[tuple[str, ...]]]] = {}
    for id, part, _, *of in rows.itertuples(index=False):
        found.setdefault(id, {}).setdefault(part, []).append(tuple(of))
    return found


GAINS, SHARES = _measured("gain"), _measured("share")
"""By claim and part the gain that is measured, and others, whose best or whose share is subtracted."""

CLAIMS = tuple(sorted({*GAINS, *SHARES}))


def claim(id: str, gained: pd.Series, logs: Logs, halves: Mapping[str, pd.DataFrame] | None = None) -> dict[str, Any]:
    """Decide one of `CLAIMS` by gains from `scheduling.gains`, on each machine by itself, as `study.claim`.

    Months like these are made of `halves` on the logs that have them, from `scheduling.months_of_halves`.
    """

    def of_parts(of_log: tuple[pd.DataFrame, pd.DataFrame | None]) -> Parts:
        gains, made = of_log
        shares = {part: share(gains, *of, made=made) for part, of in SHARES.get(id, {}).items()}
        drawn = mean_of_months(gains, made)
        return shares | {part: gain(gains, drawn, *of) for part, of in GAINS.get(id, {}).items()}

    of_logs, halved = by_log(gained.drop(AS_IT_IS, level="run")), halves or {}
    on = {name: (of, halved.get(name)) for name, of in of_logs.items()}
    printed = _as_printed(GAINS.get(id, {}), printed_table().query("bound == ''").value)
    return decided(id, {TEXT: on}, of_parts, logs, printed)


def gain(gains: pd.DataFrame, drawn: pd.DataFrame, of: tuple[str, ...], *others: tuple[str, ...]) -> Measure:
    """Measure a `statistic` of the gains of one log, less the best of others, in the mean over the shakes.

    A mean is one of months like these: its interval is that of gains that are `drawn`; else it is that of the shakes.
    """
    ours = _lead(gains, of, *others)
    return replace(Measure.range(_lead(drawn, of, *others) if "mean" in of[-1] else ours), value=float(ours.mean()))


def _lead(gains: pd.DataFrame, of: tuple[str, ...], *others: tuple[str, ...]) -> pd.Series:
    """A statistic less the best of others, by run."""
    first, *rest = (statistic(gains, *one) for one in (of, *others))
    return first - np.max(rest, axis=0) if rest else first


def _as_printed(parts: Mapping[str, Sequence[tuple[str, ...]]], printed: pd.Series) -> Parts:
    """Take the same from the printed numbers, as far as they are printed."""
    found: dict[str, list[Any]] = {part: [printed.get(one) for one in of] for part, of in parts.items()}
    return {
        part: Measure.exactly(first - max(others, default=0))
        for part, (first, *others) in found.items()
        if None not in (first, *others)
    }


def share(
    gains: pd.DataFrame, of: tuple[str, ...], *others: tuple[str, ...], made: pd.DataFrame | None = None
) -> Measure:
    """Measure a mean over the months, and over the shakes, of the share of gains for which something holds.

    Its interval is that of months drawn again, or that of months `made` of halves.
    """
    by_month = _share_by_month(gains, of, *others)
    if made is not None:
        drawn = Measure.range(_share_by_month(made, of, *others).mean())
        return replace(drawn, value=float(by_month.mean(axis=1).mean()), runs=tuple(by_month.mean()))
    means = by_month.mean(axis=1).to_frame()
    resampled = cluster_means(means, np.ones(len(means)))[0]
    return replace(Measure.spread(resampled), runs=tuple(by_month.mean()))


def _share_by_month(gains: pd.DataFrame, of: tuple[str, ...], *others: tuple[str, ...]) -> pd.DataFrame:
    """Take from the share of gains for which something holds those of others, by month, a column a run."""
    by_month = _by_month(gains, *of)
    for other in others:
        by_month = by_month - _by_month(gains, *other)
    return by_month


def _by_month(gains: pd.DataFrame, order: str, case: str, metric: str, holds: str) -> pd.DataFrame:
    """Work out of what share of the gains something holds, by month, a column a shake."""
    known: Any = chosen(gains, order, case, metric).stack(future_stack=True).dropna()
    return TESTS[holds](known).groupby(["month", "run"]).mean().unstack("run")


STATISTICS: Mapping[str, Callable[[pd.DataFrame], pd.Series]] = {
    "mean": lambda gains: gains.mean(),
    "best month": lambda gains: gains.max(),
    "worst month": lambda gains: gains.min(),
    "median month": lambda gains: gains.median(),
    "median change": lambda gains: gains.abs().median(),
    "largest mean": lambda gains: _means(gains).max(),
    "lowest mean but p70's slowdown": lambda gains: _means(gains).drop(("regular p70", "slowdown")).min(),
}
"""What the text prints of gains: functions of a table by (case, metric, month), a column a run."""


def _means(gains: pd.DataFrame) -> pd.DataFrame:
    return gains.groupby(["case", "metric"]).mean()


def chosen(gains: pd.DataFrame, order: str, case: str, metric: str) -> pd.DataFrame:
    """Choose gains of one log: of a case, or of all cases of a strategy, in a metric, or several with "or" between."""
    table: Any = gains.loc[order]
    cases, metrics = (table.index.get_level_values(level) for level in ("case", "metric"))
    found = table[((cases == case) | cases.str.startswith(f"{case} ")) & metrics.isin(metric.split(" or "))]
    if found.empty:
        raise KeyError(f"{order}, {case}, {metric}")
    return found


def statistic(gains: pd.DataFrame, order: str, case: str, metric: str, name: str) -> pd.Series:
    """Work out one of `STATISTICS` of gains that are `chosen`, by run."""
    return STATISTICS[name](chosen(gains, order, case, metric))


def printed_statistics(gained: pd.Series) -> pd.DataFrame:
    """Work out the printed statistics of gains but means, with `spread`; nan where one is not simulated."""
    found = {}
    places = printed_table().drop("mean", level="statistic").index
    for (name, gains), place in product(by_log(gained).items(), places):
        found[name, *place] = pd.Series(np.nan, gains.columns)
        with suppress(KeyError):
            found[name, *place] = statistic(gains, *place)
    return spread(pd.concat(found, names=["log", *places.names, "run"]))


def how_printed() -> pd.Series:
    """How the text puts each printed number, by (order, case, metric, statistic)."""
    table = printed_table()
    return (table.bound + "; " + table.note).str.strip("; ")


def beside_print(averages: pd.DataFrame) -> list[str]:
    """Say what is printed of averages from `scheduling.averages`, and what ours are with months like these."""
    if "published" not in averages:
        return []
    printed: Any = averages.dropna(subset="published")
    ours = _written(printed)
    return [
        f"{case}, {PAPERS[metric]}: printed {of.published.iloc[0]:+.0%}; "
        + ", ".join(f"{place[0]} {ours[place]} %" for place in of.index)
        for (case, metric), of in printed.groupby(["case", "metric"], sort=False)
    ]


FEW = ["months drawn again", "made of halves", "known to", "full months"]


def few_months(found: pd.Series, gained: pd.Series, halves: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Put average gains on logs with `halves` side by side, in per cent; `known to` is half the range by halves."""
    if not halves:
        none: list[list[Any]] = [[] for _ in scheduling.AVERAGED]
        return pd.DataFrame(columns=FEW, index=pd.MultiIndex.from_arrays(none, names=scheduling.AVERAGED))
    few = gained[gained.index.isin(halves, level="log")]
    by_months, by_halves = scheduling.averages(few), scheduling.averages(few, halves)
    jobs: Any = found[found.index.get_level_values("metric").str.startswith("jobs, ")]
    full = jobs.groupby(["log", "month"]).min().loc[lambda least: least > 0].index
    monthly: Any = spread(few).ours
    of_full = monthly[monthly.index.droplevel(scheduling.AVERAGED[1:]).isin(full)].groupby(scheduling.AVERAGED).mean()
    known = 50 * (by_halves.months_high - by_halves.months_low)
    columns = [_written(by_months), _written(by_halves), known, 100 * of_full.reindex(known.index)]
    return pd.DataFrame(dict(zip(FEW, columns, strict=True)))


def _written(averages: pd.DataFrame) -> pd.Series:
    """Write averages with months like these, in per cent."""
    shown = averages[["ours", "months_low", "months_high"]].set_axis(["ours", "low", "high"], axis=1)
    return judging.with_intervals(shown, "{:+.0f}", unit=100)


# What it changes that each month is simulated by itself, and not the log as one run (section 6.1).


ALL_JOBS = "all jobs"
"""Of all months that are simulated apart, beside these months."""

MEAN = "mean of the months"

APART, ONE = "months apart", "one run"


def beside(
    traces: Sequence[Trace], apart: pd.Series, months: pd.DataFrame, cases: Cases, case: str, **settings: Any
) -> pd.DataFrame:
    """Put the gain in wait of a case as one run of each log beside that of months `apart`, from `scheduling.runs`.

    By (log, order, of), where `of` is each month, `ALL_JOBS` or the `MEAN` of the months' gains; `waited` is the part
    that a month has in all waits of the baseline.
    """
    simulated = months.query("simulated")
    without_month = ["order", "run", "case"]
    waits: Any = apart.xs("wait", level="metric")  # of the jobs of each month, simulated by itself
    waits = waits[waits.index.isin([BASELINE, case], level="case")]
    waits = waits * simulated.jobs.reindex(waits.index.droplevel(without_month)).to_numpy()
    two = {one.name: {name: of for name, of in cases(one).items() if name in (BASELINE, case)} for one in traces}
    whole: Any = scheduling.runs(traces, lambda one: two[one.name], _waits_by_month, apart=False, **settings)
    whole = whole.droplevel("month").rename_axis(index={"metric": "month"})
    waited = {APART: waits, ONE: whole[whole.index.droplevel(without_month).isin(simulated.index)]}
    found: Any = pd.concat({way: spread(_gains(of))[["ours", "low", "high"]] for way, of in waited.items()}, axis=1)
    base = waited[APART].xs(BASELINE, level="case").groupby(["log", "order", "month"]).mean()
    part: Any = (base / base.groupby(["log", "order"]).sum()).rename_axis(index={"month": "of"})
    found.insert(0, ("waited", ""), part.reindex(found.index.reorder_levels(part.index.names)).to_numpy())
    found = found.loc[[one.name for one in traces]]
    return found.set_axis([" ".join(filter(None, name)).replace(" ours", "") for name in found], axis=1)


def _waits_by_month(schedule: Schedule) -> dict[Any, float]:
    """Add up the waits of the jobs of each month."""
    month = schedule.workload.calendar_month(schedule.column("submit"))
    return pd.Series(schedule.column("wait")).groupby(month).sum().to_dict()


def _gains(waited: pd.Series) -> pd.Series:
    """Work out gains from sums of waits, by (log, order, of, run)."""
    levels = ["log", "order", "run"]
    by_month = over_baseline(waited).droplevel("case")
    found = {month: of.droplevel("month") for month, of in by_month.groupby("month")}
    found[ALL_JOBS] = over_baseline(waited.groupby([*levels, "case"]).sum()).droplevel("case")
    found[MEAN] = by_month.groupby(levels).mean()
    return judging.in_order(pd.concat(found, names=["of"]), "log", "order", "of", "run")


# Pictures


TICKS = [-2, -0.5, 0, 0.2]
PRINTED: dict[str, Any] = {"color": "black", "marker": "o", "linestyle": "", "fillstyle": "none", "markersize": 7}


def draw(monthly: pd.DataFrame, averages: pd.DataFrame, title: str) -> Figure:
    """Draw the gains of cases, side by side by metric: on average with months like these, then a row a log by month."""
    averages = averages.reindex(columns=["ours", "months_low", "months_high", "published"])  # of your log none is
    averages = averages.rename(columns={"ours": "average"}).droplevel("order")
    logs, cases = averages.index.unique("log"), list(averages.index.unique("case"))
    colours = plots.colours(cases)
    high = 0.3 + 0.13 * len(cases) * len(logs)
    figure = plt.figure(figsize=(plots.WIDEST, 1.4 + high + 0.7 * len(logs)))
    grid = figure.add_gridspec(1 + len(logs), len(PAPERS) * len(cases), height_ratios=[high, *[0.7] * len(logs)])
    tops: list[Axes] = []
    months: list[Axes] = []
    for column, (metric, label) in enumerate(PAPERS.items()):
        left = column * len(cases)
        shared = {"sharex": tops[0], "sharey": tops[0]} if tops else {}
        tops.append(figure.add_subplot(grid[0, left : left + len(cases)], title=f"gain in {label}", **shared))
        _draw_averages(tops[-1], averages.xs(metric, level="metric"), colours, named=column == 0)
        for row, log in enumerate(logs):
            for place, case in enumerate(cases):
                ax = figure.add_subplot(grid[1 + row, left + place], sharey=months[0] if months else None)
                months.append(ax)
                gains: Any = monthly.ours.xs((log, case, metric), level=("log", "case", "metric"))
                _draw_months(ax, gains.droplevel("order"), colours[case])
                ax.tick_params(labelleft=column == place == 0)
                if row == 0:
                    ax.set_title(case.split()[-1], size=8, loc="center", weight="normal")
                if column == place == 0:
                    first, last = (f"{pd.Period(month):%b %Y}" for month in gains.index.unique("month")[[0, -1]])
                    ax.set_ylabel(f"{log}\n{first} to\n{last}", size=8, rotation=0, ha="right")
                    ax.yaxis.label.set_verticalalignment("center")
    plots.bent_axis(tops[0].xaxis, TICKS, linear=0.1)
    plots.bent_axis(months[0].yaxis, TICKS, linear=0.1)
    entries: dict[str, Any] = {name: {"color": colour} for name, colour in colours.items()}
    entries |= {"average, months like these": {"color": "grey", "marker": "s"}}
    plots.legend(figure, entries | ({"average, printed": PRINTED} if averages.published.notna().any() else {}))
    case = cases[len(cases) // 2]
    waits: Any = averages.xs((case, "wait"), level=("case", "metric"))
    of_machines = waits.average.loc[machines(waits.index)]
    message = (
        f"{title}: {case} gains {of_machines.min():+.0%} to {of_machines.max():+.0%} of the mean wait on these machines"
    )
    plots.title(figure, message + ("".join(f"; printed {of:+.0%}" for of in waits.published.dropna().unique())))
    return figure


def _draw_averages(ax: Axes, table: Any, colours: Mapping[str, str], named: bool) -> None:
    """Draw the average gain of each case on each log, a row a log: the paper's panel (d)."""
    logs = list(table.index.unique("log"))
    for place, (case, colour) in enumerate(colours.items()):
        of = table.xs(case, level="case").reindex(logs)
        at = np.arange(len(logs)) + 0.25 * (place - (len(colours) - 1) / 2)
        ax.hlines(at, of.months_low, of.months_high, color=colour, linewidth=1.5)
        ax.plot(of.average, at, "s", color=colour, markersize=4)
        ax.plot(of.published, at, **PRINTED)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(range(len(logs)), logs)
    ax.set_ylim(len(logs) - 0.5, -0.5)
    ax.tick_params(labelsize=8, labelleft=named)
    ax.grid(False, axis="y")


def _draw_months(ax: Axes, gains: Any, colour: str) -> None:
    """Draw the gain of each month as one line, and fill what is between it and the baseline."""
    places = np.arange(len(gains))
    ax.fill_between(places, gains, 0, color=colour, alpha=0.3, linewidth=0)
    ax.plot(places, gains, color=colour, linewidth=1)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set_xticks([])
    ax.tick_params(labelsize=8)
