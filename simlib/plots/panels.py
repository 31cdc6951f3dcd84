"""Parts that pictures share: axes of times and numbers, legends, and cumulative distributions."""

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    MultipleLocator,
    NullFormatter,
    PercentFormatter,
)

from .._util import checks


def title(figure: Figure, text: str) -> None:
    """Write a figure's title above it and its legend, in as many lines as its width needs.

    Examples
    --------
    >>> figure = Figure(figsize=(2, 2))
    >>> title(figure, "EASY starts more jobs early than FCFS")
    >>> figure.get_suptitle()
    'EASY starts more jobs\\nearly than FCFS'
    """
    lines = "\n".join(textwrap.wrap(text[:1].upper() + text[1:], int(11.5 * figure.get_figwidth())))
    if figure.legends:  # which would lie on a title of the figure
        figure.legends[0].set_title(lines, prop=FontProperties(weight="bold", size=10))
        figure.legends[0].set_alignment("left")
    else:
        figure.suptitle(lines, x=0.01, ha="left", weight="bold", size=10)


def title_of(figure: Figure) -> str:
    """The title that `title` has written."""
    return str(figure.legends[0].get_title().get_text() if figure.legends else figure.get_suptitle())


def month_axis(ax: Axes, months: Iterable[str], every: int = 3) -> None:
    """Label an x axis whose places 0, 1, ... are months; the year stands below the first label and each January.

    Parameters
    ----------
    ax : Axes
    months : iterable of str
        Such as "1996-07".
    every : int
        The number of months from one label to the next, from January on.

    Examples
    --------
    >>> ax = Figure().add_subplot()
    >>> month_axis(ax, ["1996-09", "1996-10", "1996-11", "1996-12", "1997-01"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['Oct\\n1996', 'Jan\\n1997']
    """
    dates = pd.PeriodIndex(list(months), freq="M")
    if not len(dates):
        raise ValueError("month_axis: found no months, expected at least one")
    checks.whole("month_axis", "every", every, 1)
    shown = [place for place, date in enumerate(dates) if (date.month - 1) % every == 0] or [0]
    with_year = {shown[0], *(place for place in shown if dates[place].month == 1)}
    texts = [f"{dates[place]:%b\n%Y}" if place in with_year else f"{dates[place]:%b}" for place in shown]
    ax.set_xticks(shown, texts, size=8)
    ax.set_xlim(-0.7, len(dates) - 0.3)


def time_axis(ax: Axes) -> None:
    """Label an x axis of seconds in the unit that suits its length."""
    length = ax.get_xlim()[1] - ax.get_xlim()[0]
    unit, seconds = next(((u, s) for u, s in (("days", 86400), ("hours", 3600)) if length >= 4 * s), ("s", 1))
    least = max(length / seconds / 10, 1)  # at most ten steps, each of 1, 2, 5, 10, ... units
    power = 10 ** np.floor(np.log10(least))
    step = power * next(digit for digit in (1, 2, 5, 10) if digit * power >= least)
    ax.xaxis.set_major_locator(MultipleLocator(seconds * step))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / seconds:g}"))
    ax.set_xlabel(f"time [{unit}]")


def in_whole_per_cents(axis: Axis) -> None:
    """Label an axis of relative differences; zero is "equal"."""
    axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))  # no steps of 2.5, which labels would round
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}%" if value else "equal"))


def bent_axis(axis: Axis, ticks: Sequence[float], linear: float = 0.05) -> None:
    """Make an axis of changes linear near zero and logarithmic beyond, so that small changes remain visible.

    Parameters
    ----------
    axis : Axis
        An axis on which everything is drawn already.
    ticks : sequence of float
        Labels; those outside the axis are left out.
    linear : float
        The change up to which the axis is nearly linear.

    Examples
    --------
    >>> ax = Figure().add_subplot(xlim=(-0.3, 2))
    >>> bent_axis(ax.xaxis, [-1, -0.1, 0, 0.1, 1])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['-10%', 'equal', '+10%', '+100%']
    """
    _scale(axis, "asinh", linear_width=linear)
    in_whole_per_cents(axis)
    low, high = axis.get_view_interval()
    axis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    axis.set_minor_locator(FixedLocator([]))


def log_time_axis(ax: Axes) -> None:
    """Make an x axis of seconds logarithmic, with ticks in words such as 10 min."""
    ticks = {1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h", 604800: "1 week"}
    low, high = ax.get_xlim()
    ax.set_xscale("log")
    ax.set_xlim(max(low, 1), high)
    shown = {second: text for second, text in ticks.items() if max(low, 1) <= second <= high}
    ax.set_xticks(list(shown), list(shown.values()), size=9)
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xticks([], minor=True)


def plain_log_axis(axis: Axis) -> None:
    """Make an axis logarithmic, with plain numbers: 2,000 rather than 2 x 10^3.

    Examples
    --------
    >>> ax = Figure().add_subplot(ylim=(1, 5000))
    >>> plain_log_axis(ax.yaxis)
    >>> ax.yaxis.get_major_formatter()(2000)
    '2,000'
    """
    _scale(axis, "log")
    low, high = axis.get_view_interval()
    steps = {1e5: (1,), 5: (1, 2, 5), 1: (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)}  # by how far the axis reaches
    subs = next((steps[least] for least in steps if high / low > least), steps[1])
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _scale(axis: Axis, scale: str, **options: Any) -> None:
    """Change the scale of an x or y axis."""
    ax = axis.axes
    (ax.set_xscale if axis is ax.xaxis else ax.set_yscale)(scale, **options)


def legend(
    figure: Figure, entries: Mapping[str, Mapping[str, Any]], loc: str = "outside upper left", **options: Any
) -> None:
    """Put a legend beside a figure's panels, in as few rows as its width allows, or in `ncols` columns.

    Parameters
    ----------
    figure : Figure
    entries : dict
        By label the style of a line, in the form of `Axes.plot`, or of an area if it has a "facecolor".
    loc : str
    **options
        Of `Figure.legend`.

    Examples
    --------
    >>> figure = Figure()
    >>> legend(figure, {"EASY": {"color": "blue"}, "band": {"facecolor": "grey"}})
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['EASY', 'band']
    """
    handles: list[Artist] = [
        plt.Rectangle((0, 0), 1, 1, label=label, **style)
        if "facecolor" in style
        else plt.Line2D([], [], label=label, **style)
        for label, style in entries.items()
    ]
    inches = sum(0.6 + 0.078 * len(str(label)) for label in entries)  # in one row
    rows = max(1, math.ceil(inches / figure.get_figwidth()))
    options = {"loc": loc, "ncols": math.ceil(len(handles) / rows), **options}
    figure.legend(handles=handles, **options)


def refuse_unknown(table: pd.DataFrame | pd.Series, *levels: str | None) -> None:
    """Raise ValueError if a table has no row, or lacks a level."""
    if not len(table):
        raise ValueError("plots: found a table without rows, expected one for each number that is drawn")
    for level in levels:
        if level is not None and level not in table.index.names:
            there = ", ".join(map(str, table.index.names))
            raise ValueError(f"plots: found no level {level!r} in the table, expected one of {there}")


def cumulative_panels(
    curves: pd.DataFrame,
    panel: str,
    line: str,
    styles: Mapping[Any, Mapping[str, Any]],
    columns: int = 3,
    title: str = "{}",
) -> Figure:
    """Draw cumulative distributions over a logarithmic time axis, a panel for each value of one index level.

    Parameters
    ----------
    curves : DataFrame
        Two index levels, one column for each time (seconds): the share that takes no longer.
    panel, line : str
        The level of the panels, and the level of the lines in a panel.
    styles : dict
        Arguments of `Axes.plot` by line, in the order of the legend.
    columns : int
        The number of panels side by side.
    title : str
        The title of each panel, by its value.

    Returns
    -------
    Figure

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["log", "twin"], ["short", "long"]], names=["workload", "jobs"])
    >>> curves = pd.DataFrame([[0.5, 1], [0, 1], [0.4, 1], [0, 1]], index, columns=[10, 1000])
    >>> figure = cumulative_panels(curves, "workload", "jobs", {"short": {"color": "red"}, "long": {}})
    >>> [ax.get_title() for ax in figure.axes]
    ['log', 'twin']
    >>> plt.close(figure)
    """
    refuse_unknown(curves, panel, line)
    names = list(curves.index.unique(panel))
    columns = min(checks.whole("cumulative_panels", "columns", columns, 1), len(names))
    rows = -(-len(names) // columns)
    size = (max(7, 1.2 + 3.2 * columns), 0.8 + 2.5 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, name in zip(axes.flat, names, strict=False):
        part = curves.xs(name, level=panel)
        for key in (key for key in styles if key in part.index):
            ax.plot(part.columns, part.loc[key], **{"linewidth": 1.4, **styles[key]})
        ax.set_title(title.format(name))
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    for column in range(columns):
        lowest = axes[(len(names) - 1 - column) // columns, column]
        lowest.tick_params(labelbottom=True)
        log_time_axis(lowest)
    axes[0, 0].set_ylim(0, 1)
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    figure.supylabel("jobs that run for no longer", size=10)
    there = [key for key in styles if key in curves.index.unique(line)]
    entries = {str(key): {"linewidth": 1.8, **styles[key]} for key in there}
    legend(figure, entries)
    return figure
