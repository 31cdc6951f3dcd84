"""The pictures of Mu'alem & Feitelson's exhibits; each function draws a table, and computes nothing."""

from itertools import product
from string import ascii_lowercase

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ...plots.panels import legend
from ...plots.style import COLOURS, scheduler_styles
from ..verdicts import LIKELY, RESTORED, TEXT
from . import LABELS, METRICS, SCHEDULERS

KIND_COLOURS = [COLOURS[0], COLOURS[5], COLOURS[1], "#B0B0B0"]  # kinds of job in a stack

# in legends
DOT = {"marker": "o", "linestyle": ""}
DOTTED = {"color": "grey", "linestyle": ":"}
AS_PRINTED = DOT | {"color": "grey", "fillstyle": "none"}
INTERVAL = {"color": "grey", "linewidth": 3, "alpha": 0.4}

MARKERS = {TEXT: ".", LIKELY: "x", RESTORED: "^"}
HOLLOW = {TEXT: "o", LIKELY: "o", RESTORED: "^"}
LINES = {TEXT: "-", LIKELY: ":", RESTORED: "--"}
"""Of numbers under each rule."""

numbers = FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}")
"""Writes the numbers of an axis."""


def named_rules(rule):
    """Name a rule in a legend."""
    return "likely rules, lost jobs put back" if rule == RESTORED else f"{rule} rules"


def by_estimates(table, names):
    """Draw results under different kinds of estimates: a row of panels a metric, a column a trace or other case."""
    cases, rules = list(table.index.unique(2)), list(table.index.unique("rule"))
    size = (2.5 + 3.2 * len(cases), 0.8 + 3 * len(METRICS))
    figure, axes = plt.subplots(len(METRICS), len(cases), figsize=size, squeeze=False, sharex=True)
    for (row, metric), (column, case) in product(enumerate(METRICS), enumerate(cases)):
        ax = axes[row, column]
        for scheduler, colour, shift in zip(SCHEDULERS, COLOURS[:2], (-0.2, 0.1), strict=True):
            there = table.xs((scheduler, metric, case), level=(0, 1, 2)).index.unique("rule")
            for place, rule in ((place, rule) for place, rule in enumerate(rules) if rule in there):
                part = table.xs((scheduler, metric, case, rule), level=(0, 1, 2, "rule")).reindex(list(names))
                style = {"marker": HOLLOW[rule], "markersize": 5, "fillstyle": "none"} if place else {"markersize": 4}
                x = np.arange(len(part)) + shift + 0.1 * place
                ax.errorbar(x, part.ours, part.sd, color=colour, capsize=2, **DOT | style)
        ax.set_xticks(range(len(names)), list(names.values()))
        ax.set_xlim(-0.5, len(names) - 0.5)
        ax.grid(False, axis="x")
        ax.yaxis.set_major_formatter(numbers)
        axes[0, column].set_title(case)
        axes[row, 0].set_ylabel(LABELS[metric])
    entries = scheduler_styles(SCHEDULERS, **DOT)
    entries |= {named_rules(rule): AS_PRINTED | {"marker": HOLLOW[rule]} for rule in rules[1:]}
    legend(figure, entries, "outside upper right")
    return figure


def used_share(histogram, jobs, limit, highest=4):
    """Draw how much of their estimates jobs used: a row a group, its histogram, and run times against estimates.

    Panels have letters, row by row.
    """
    groups, top = list(histogram.index.unique(0)), histogram.index.get_level_values("percent").max()
    colours = dict(zip(histogram.columns, KIND_COLOURS, strict=False))
    unit, seconds = ("h", 3600) if limit > 4 * 3600 else ("min", 60)
    size = (10.5, 0.9 + 2.7 * len(groups))
    figure, axes = plt.subplots(len(groups), 2, figsize=size, width_ratios=(1.6, 1), squeeze=False, sharex="col")
    letters = iter(ascii_lowercase)
    for (left, right), group in zip(axes, groups, strict=True):
        bins, shown = histogram.loc[group], jobs.loc[group].query("estimate <= @limit")
        for kind, bottom in bins.cumsum(axis=1).shift(axis=1, fill_value=0).items():
            left.bar(bins.index, bins[kind], 1, bottom, align="edge", color=colours[kind])
        for percent, height in bins.sum(axis=1)[lambda heights: heights > highest].items():
            x, shift, side = (percent, -3, "right") if percent > 0.9 * top else (percent + 1, 8, "left")
            place = {"xytext": (shift, -9), "textcoords": "offset points", "ha": side, "size": 8}
            left.annotate(f"{height:.1f} %", (x, highest), **place)
        left.set(ylim=(0, highest), xlim=(0, top + 1), ylabel="jobs [%]", title=f"({next(letters)}) {group}")
        right.axline((0, 0), slope=1, linewidth=0.8, zorder=0, **DOTTED)
        for kind, colour in reversed(colours.items()):
            part = shown[shown.kind == kind]
            dots = {"s": 2, "alpha": 0.25, "linewidths": 0, "color": colour, "rasterized": True}
            right.scatter(part.estimate / seconds, part.run / seconds, **dots)
        right.set(xlim=(0, 1.02 * limit / seconds), ylim=(0, 1.15 * limit / seconds), ylabel=f"run time [{unit}]")
        right.set_title(f"({next(letters)}) {group}")
        for axis in (right.xaxis, right.yaxis):
            axis.set_major_locator(MaxNLocator(6, steps=(1, 2, 3, 6, 10)))
    left.set_xlabel(f"run time / estimate [%]; last bin: {top} % and above")
    right.set_xlabel(f"estimate [{unit}]")
    there = {kind: {"facecolor": colour} for kind, colour in colours.items() if histogram[kind].any()}
    legend(figure, there, "outside upper right")
    return figure
