"""Figures 14 to 17: what is measured of the gains, what the text claims, months as one run, and pictures (section 6.2).

Gains are those of `scheduling.gains`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
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
from .scheduling import BASELINE, Cases, by_log, over_baseline, printed_table, redrawn, spread

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


def claim(id: str, gained: pd.Series, logs: Logs) -> dict[str, Any]:
    """Decide one of `CLAIMS` by gains from `scheduling.gains`, on each machine by itself, as `study.claim`."""

    def of_parts(gains: pd.DataFrame) -> Parts:
        shares = {part: share(gains, *of) for part, of in SHARES.get(id, {}).items()}
        drawn = redrawn(gains)
        return shares | {part: gain(gains, drawn, *of) for part, of in GAINS.get(id, {}).items()}

    on = by_log(gained.drop(AS_IT_IS, level="run"))
    printed = _as_printed(GAINS.get(id, {}), printed_table().query("bound == ''").value)
    return decided(id, {TEXT: on}, of_parts, logs, printed)


def gain(gains: pd.DataFrame, drawn: pd.DataFrame, of: tuple[str, ...], *others: tuple[str, ...]) -> Measure:
    """Measure a `statistic` of the gains of one log, less the best of others, in the mean over the shakes.

    A mean is one of months like these: its interval is that of gains that are `redrawn`; else it is that of the shakes.
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


def share(gains: pd.DataFrame, of: tuple[str, ...], *others: tuple[str, ...]) -> Measure:
    """Measure a mean over the months, and over the shakes, of the share of gains for which something holds."""
    by_month = _by_month(gains, *of)
    for other in others:
        by_month = by_month - _by_month(gains, *other)
    means = by_month.mean(axis=1).to_frame()
    resampled = cluster_means(means, np.ones(len(means)))[0]
    return replace(Measure.spread(resampled), runs=tuple(by_month.mean()))


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


TICKS = [-2, -0.5, -0.2, 0, 0.2, 0.5]


def draw(monthly: pd.DataFrame, averages: pd.DataFrame, title: str) -> Figure:
    """Draw the gains of some cases by month, and on average with months like these: a row a log, a column a metric."""
    averages = averages.reindex(columns=["ours", "months_low", "months_high", "published"])  # of your log none is
    averages = averages.rename(columns={"ours": "average"}).droplevel("order")
    both = monthly[monthly.index.isin(PAPERS, level="metric")].droplevel("order").join(averages)
    shown: dict[str, Any] = {"size": (2.1, 1.5), "labels": PAPERS, "sharex": "row", "sharey": True}
    cases, of_all_months = (
        plots.colours(both.index.unique("case")),
        both.droplevel("month"),
    )  # of which each log has own
    for ax, part in plots.facets(both, "log", "metric", **shown):
        months = list(part.index.unique("month"))
        entries = plots.curves(ax, part, "month", "case", whole=of_all_months, bars=("low", "high"), shift=0.2)
        for line in ax.lines:
            line.set(markersize=3, linewidth=0.8)
        for bars in ax.collections:
            bars.set_linewidth(1.2)
        for order, (case, colour) in enumerate(cases.items()):
            at, row = len(months) * (1.07 + 0.07 * order), part.xs(case, level="case").iloc[0]
            ax.vlines(at, row.months_low, row.months_high, color=colour, linewidth=1.5)
            ax.plot(at, row.average, "s", color=colour, markersize=5)
            ax.plot(at, row.published, "o", color="black", fillstyle="none", markersize=7)
        plots.month_axis(ax, months, 3 if len(months) <= 12 else 6)
        ax.axvspan(len(months) * 1.02, len(months) * 1.26, color="#F3F3F3", zorder=0)
        ax.set_xlim(-0.7, len(months) * 1.26)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.grid(False, axis="x")
    assert isinstance(ax.figure, Figure)  # and no part of one
    plots.bent_axis(ax.yaxis, TICKS, linear=0.1)
    ax.figure.supylabel("gain against the users' estimates", size=9)
    entries |= {"average, resampled months": {"color": "grey", "marker": "s"}}
    printed = {"color": "black", "marker": "o", "linestyle": "", "fillstyle": "none"}
    plots.legend(ax.figure, entries | {"average, printed": printed})
    case = list(cases)[len(cases) // 2]
    gains = averages.xs((case, "wait"), level=("case", "metric"))
    gains = gains.loc[machines(gains.index)]
    least, most = gains.average.min(), gains.average.max()
    message = f"{title}: {case} gains {least:+.0%} to {most:+.0%} of the mean wait on these machines"
    plots.title(ax.figure, message + ("".join(f"; printed {of:+.0%}" for of in gains.published.dropna().unique())))
    return ax.figure
