"""Pictures with a panel a log, in rows of four; each function draws tables, and computes nothing but sides."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedLocator, PercentFormatter

from ...plots import legend
from ...plots.load_curves import in_whole_per_cents
from ..mualem2001.pictures import KIND_COLOURS
from .deciding import AGAINST, sides
from .pictures import LINEAR, LOOKS, OF_PAPER, SAID, TICKS, rows

ACROSS = 4

STYLES = [("-", "o"), ("--", "s"), (":", "^"), ("-.", "D")]
"""Of the lines of one panel, dash and marker; colours say on which side of nought a point is."""

CROSS = {"marker": "x", "markersize": 6, "color": "black", "linestyle": ""}
"""Of exact estimates."""

MANY = 0.5
"""A panel is shaded where more of its points are on the side that the claim denies."""

SHADE = "#FBE9DD"

TALLEST = 4
"""Per cent of the jobs at which bars are cut."""


def panels(about, logs, height=2.1, paper=OF_PAPER, **options):
    """Make a panel for each of these logs, the paper's first: a figure, and axes by log."""
    places, labels = rows(about)
    named = {log: label for log, label in zip(places, labels, strict=True) if log in logs}
    down = -(-len(named) // ACROSS)
    figure, axes = plt.subplots(
        down, ACROSS, figsize=(11, 1.1 + height * down), sharex=True, sharey=True, squeeze=False, **options
    )
    found = dict(zip(named, axes.flat, strict=False))
    for log, ax in found.items():
        ax.set_title(named[log], size=9.5)
    for ax in axes.flat[len(found) :]:
        ax.remove()
    for column in range(ACROSS):  # the lowest panel of a column has the labels
        last = max((place for place in range(len(found)) if place % ACROSS == column), default=None)
        if last is not None:
            axes.flat[last].tick_params(labelbottom=True)
    return figure, found


def of_effects(lines, about, sign, x, y, paper=OF_PAPER, said=SAID):
    """Draw effects against something, with coincidence: a panel a log, a line a measure or case.

    Parameters
    ----------
    lines : dict of DataFrame
        By title, rows as from `effects` by (log, place on the x axis). The first may have a column `exact`, of one run
        with exact estimates.
    about : DataFrame
        From `about`.
    sign : int
        1 where the claim is that something grows, -1 where it falls.
    x, y : str
        What the axes are called.
    paper : str
        What the logs are called that `about` has as the paper's.
    said : dict
        What the sides are called.
    """
    figure, found, entries = _lines(lines, about, sign, said)
    title, first = next(iter(lines.items()))
    for log, ax in found.items():
        names = first.index.unique(1)
        ax.set_xticks(range(len(names)), names)
        ax.margins(x=0.1)
        if "exact" in first:
            ax.plot(range(len(names)), first.loc[log].exact, **CROSS)
            entries[f"{title}, exact estimates, one run"] = CROSS
    _axes(figure, next(iter(found.values())), x, y)
    legend(figure, entries | {f"* {paper}": {"linestyle": ""}}, ncols=4)
    return figure


def by_load(lines, about, sign, y, said, paper=OF_PAPER):
    """Draw effects against the load, as `of_effects`; each log's own load is marked, and what exact estimates do."""
    figure, found, entries = _lines(lines, about, sign, said, True)
    own = {"color": "#777777", "linewidth": 1, "linestyle": ":"}
    for log, ax in found.items():
        ax.axvline(about.load[log], **own)
        for table in list(lines.values())[:1]:
            ax.plot(table.loc[log].index, table.loc[log].exact, **CROSS)
        ax.set_xticks(table.index.unique("load"))
    _axes(figure, next(iter(found.values())), "load; dotted is the log's own", y)
    title = f"{next(iter(lines))}, exact estimates, one run"
    legend(figure, entries | {title: CROSS, f"* {paper}": {"linestyle": ""}}, ncols=4)
    return figure


def _lines(lines, about, sign, said, numeric=False):
    """Draw the lines of each panel, and shade it; return the figure, axes by log, and entries of the legend."""
    logs = {log for table in lines.values() for log in table.index.unique("log")}
    figure, found = panels(about, logs)
    seen = set()
    for log, ax in found.items():
        of = [table.loc[log] for table in lines.values() if log in table.index.unique("log")]
        each = [_line(ax, table, sign, style, numeric) for table, style in zip(of, STYLES, strict=False)]
        points = np.concatenate(each)
        seen |= set(points)
        if (points == AGAINST).mean() > MANY:
            ax.set_facecolor(SHADE)
        ax.axhline(0, color="black", linewidth=1)
    entries = {title: {"color": "grey", "linestyle": dash, "marker": mark} for title, (dash, mark) in _styled(lines)}
    entries |= {said[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in seen}
    return figure, found, entries


def _styled(lines):
    return zip(lines, STYLES, strict=False)


def _line(ax, table, sign, style, numeric):
    """Draw one line of a panel; return the sides of its points."""
    places = table.index.to_numpy() if numeric else np.arange(len(table))
    of = sides(table, sign)
    ax.plot(places, table.effect, linestyle=style[0], color="#AAAAAA", linewidth=1.2, zorder=1)
    ax.vlines(places, table.low, table.high, color=of.map(LOOKS), linewidth=3, alpha=0.45)
    ax.scatter(places, table.effect, c=list(of.map(LOOKS)), marker=style[1], s=22, zorder=3)
    return of.to_numpy()


def _axes(figure, ax, x, y):
    ax.set_yscale("asinh", linear_width=LINEAR)
    in_whole_per_cents(ax.yaxis)
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(FixedLocator([tick for tick in TICKS if low <= tick <= high and abs(tick) != 0.02]))
    ax.yaxis.set_minor_locator(FixedLocator([]))
    figure.supxlabel(x, size=10)
    figure.supylabel(y, size=10)


def of_used(histogram, about, clear, paper=OF_PAPER):
    """Draw which share of their estimates jobs used: a panel a log, bars by per cent, kinds of job stacked.

    Parameters
    ----------
    histogram : DataFrame
        By (log, percent), from `table2_figure8.histogram`; the last bin holds all above.
    about : DataFrame
    clear : Series of bool
        By log, whether it is as the claim has it: other panels are shaded.
    paper : str
    """
    figure, found = panels(about, set(histogram.index.unique("log")), 1.8)
    colours = dict(zip(histogram.columns, KIND_COLOURS, strict=False))
    for log, ax in found.items():
        bins = histogram.loc[log]
        for kind, bottom in bins.cumsum(axis=1).shift(axis=1, fill_value=0).items():
            ax.bar(bins.index, bins[kind], 1, bottom, align="edge", color=colours[kind])
        for percent, height in bins.sum(axis=1)[lambda heights: heights > TALLEST].items():
            left = percent < 5
            place = {"xytext": (4 if left else -3, -8), "textcoords": "offset points", "size": 7.5}
            if percent in (0, 99, 100, 101, bins.index[-1]):
                ax.annotate(f"{height:.0f}%", (percent, TALLEST), **place, ha="left" if left else "right")
        if not clear[log]:
            ax.set_facecolor(SHADE)
        ax.set(ylim=(0, TALLEST), xlim=(0, bins.index[-1] + 1))
        ax.yaxis.set_major_formatter(PercentFormatter(decimals=0))
    figure.supxlabel("run time / estimate [%]; the last bar is all above", size=10)
    figure.supylabel(f"jobs; bars are cut at {TALLEST} %", size=10)
    there = {kind: {"facecolor": colour} for kind, colour in colours.items() if histogram[kind].any()}
    legend(figure, there | {"not as the claim has it": {"facecolor": SHADE}, f"* {paper}": {"linestyle": ""}}, ncols=4)
    return figure
