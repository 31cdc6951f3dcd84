"""Pictures of load curves: means against the load, and how much two schedulers differ."""

from collections.abc import Mapping
from itertools import product
from string import ascii_lowercase
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from .panels import legend
from .style import COLOURS, scheduler_styles

MARKERS = [{"marker": marker, "linestyle": line} for marker, line in (("o", "-"), ("s", "--"), ("^", ":"))]
HOLLOW = {"color": "grey", "marker": "o", "linestyle": "", "markerfacecolor": "white"}
DOTTED = {"color": "grey", "linestyle": ":"}
DIFFERENCE_COLOURS = [*COLOURS[2:6], "#808080", "#8C510A", COLOURS[6]]


def against_load(
    points: pd.DataFrame,
    labels: Mapping[str, str],
    groups: list[list[str]] | None = None,
    value: str = "mean",
    limits: Mapping[str, float] | None = None,
) -> Figure:
    """Draw means against load with their intervals: metrics side by side, or of several groups one a column.

    Panels have letters, row by row.

    Parameters
    ----------
    points : DataFrame
        By (workload, load, scheduler, metric), columns `low`, `high` and that of the value; and `ceiling`, where the
        dot is hollow and the axis does not reach up for it.
    labels : dict
        Of the axes, by metric.
    groups : list of list of str
        Which workloads share a column; by default there is one group of all.
    value : str
        The column that is drawn.
    limits : dict
        How far the axis of a metric reaches; by default a little above the points that were not stopped.
    """
    groups = groups or [list(points.index.unique("workload"))]
    several, schedulers = len(groups) > 1, list(points.index.unique("scheduler"))
    shape, size = ((len(labels), len(groups)), (0.8 + 2.5 * len(groups), 0.9 + 2.9 * len(labels)))
    shape, size = (shape, size) if several else (shape[::-1], (5.2 * len(labels), 4.0))
    figure, axes = plt.subplots(*shape, figsize=size, squeeze=False, sharex=True, sharey="row" if several else False)
    axes = axes if several else axes.T
    for (row, metric), (column, group) in product(enumerate(labels), enumerate(groups)):
        _panel(axes[row, column], points.xs(metric, level="metric").loc[group], value)
        letter = ascii_lowercase[row * len(groups) + column]
        axes[row, column].set_title(f"({letter}) {', '.join(group)}" if several else f"({letter})")
        axes[row, column].set_ylabel(labels[metric] if column == 0 else "")
    ends = (1.15 * points[~points.ceiling].high.groupby("metric").max()).to_dict() | dict(limits or {})
    for row, metric in enumerate(labels):
        axes[row, 0].set_ylim(0, ends.get(metric))
    for ax in axes[-1] if several else axes[:, 0]:
        ax.set_xlabel("load")
    entries = scheduler_styles(schedulers)
    if not several:
        entries |= {name: {"color": "grey"} | style for name, style in zip(groups[0], MARKERS, strict=False)}
    legend(figure, entries | ({"stopped: too high": HOLLOW} if points.ceiling.any() else {}))
    return figure


def _panel(ax: Axes, points: Any, value: str) -> None:
    """Draw one metric of some workloads against load, a line each of these and each scheduler."""
    workloads = zip(points.index.unique("workload"), MARKERS, strict=False)
    schedulers = list(points.index.unique("scheduler"))
    shifts = ((place - (len(schedulers) - 1) / 2) * 0.003 for place in range(len(schedulers)))
    apart = zip(schedulers, COLOURS, shifts, strict=False)  # so that equal intervals are told apart
    for (workload, style), (scheduler, colour, shift) in product(workloads, apart):
        part = points.xs((workload, scheduler), level=("workload", "scheduler"))
        _with_intervals(ax, part.index + shift, part, part[value], {"color": colour, **style})
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _with_intervals(ax: Axes, x: pd.Index, part: Any, values: pd.Series, style: Mapping[str, Any]) -> None:
    """Draw a line with its intervals, dots hollow where the ceiling stopped the simulation."""
    error = [values - part.low, part.high - values]
    ax.errorbar(x, values, error, markersize=4, linewidth=1.3, elinewidth=0.9, capsize=2, **style)
    over = {"markersize": 4, "linestyle": "", "markerfacecolor": "white", "zorder": 3}
    ax.plot(x[part.ceiling], values[part.ceiling], **{**style, **over})


def differences_by_load(
    differences: pd.DataFrame, titles: Mapping[str, str], names: list[str] | None = None, label: str = ""
) -> Figure:
    """Draw how much more one scheduler has than another, by load: a panel a metric, a line a workload.

    Parameters
    ----------
    differences : DataFrame
        By (workload, load, rule, metric), columns `relative`, `low`, `high` and `ceiling`, where dots are hollow; the
        first rule is drawn solid, the others dotted and without intervals.
    titles : dict
        Of the panels, by metric.
    names : list of str
        The workloads to draw, by default all; each has its colour in any picture of the same table.
    label : str
        Of the axis.
    """
    figure, axes = plt.subplots(1, len(titles), figsize=(5.2 * len(titles), 4.2))
    colours = dict(zip(differences.index.unique("workload"), DIFFERENCE_COLOURS, strict=False))
    names = names or list(colours)
    first, *others = differences.index.unique("rule")
    for ax, (metric, title) in zip(axes, titles.items(), strict=True):
        ax.axhline(0, color="black", linewidth=1)
        for name in names:
            by_rule = differences.xs((name, metric), level=("workload", "metric"))
            part = by_rule.xs(first, level="rule")
            _with_intervals(ax, part.index, part, part.relative, {"color": colours[name], "marker": "o"})
            for rule in others:
                other = by_rule.xs(rule, level="rule").relative
                ax.plot(other.index, other, ":", color=colours[name], linewidth=1.2)
        in_whole_per_cents(ax.yaxis)
        ax.set(title=title, xlabel="load")
    axes[0].set_ylabel(label)
    entries = {name: {"color": colours[name], "marker": "o", "markersize": 4} for name in names}
    entries |= {f"{rule} rules": DOTTED for rule in others}
    legend(figure, entries | ({"stopped: too high": HOLLOW} if differences.loc[names].ceiling.any() else {}))
    return figure


def in_whole_per_cents(axis: Axis) -> None:
    """Label an axis of relative differences; nought is "equal"."""
    axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))  # no steps of 2.5, which labels would round
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}%" if value else "equal"))
