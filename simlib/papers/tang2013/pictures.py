"""The pictures of Tang et al.'s exhibits; each function draws a table, and computes nothing."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from ...plots import COLOURS, INK, shades

# Adjusted walltimes

LEVEL_COLOURS = {"NA": "#B0B0B0", "OE": COLOURS[2], "UE": COLOURS[4], "BE": COLOURS[1]}
"""No adjustment, overestimation, underestimation, bad estimation."""


def r_distribution(bins, printed):
    """How R is distributed: histograms on the left, cumulative on the right with what the paper prints as circles.

    Parameters
    ----------
    bins : DataFrame
        By the lower edge of bins of equal width from 0 to 1, a column a log, shares of its jobs.
    printed : dict
        By R, the share of jobs below it.

    Returns
    -------
    Figure
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6))
    edges = np.append(bins.index, 1.0)
    for name, colour in zip(bins, COLOURS, strict=False):
        left.stairs(bins[name], edges, color=colour, linewidth=1.6)
        right.plot(edges, np.append(0, bins[name].cumsum()), color=colour, label=name)
    circles = {"marker": "o", "linestyle": "", "color": "black", "fillstyle": "none", "markersize": 7}
    right.plot(list(printed), list(printed.values()), **circles, label="printed")
    left.set(xlabel="R = run time / requested time", xlim=(0, 1))
    left.set(ylabel=f"jobs, by steps of {edges[1]:g}", ylim=(0, None))
    right.set(ylabel="jobs up to here", xlim=(0, 1.01), ylim=(0, 1.01), xlabel="R")
    for ax in (left, right):
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    figure.legend(*right.get_legend_handles_labels(), loc="outside upper center", ncols=len(bins.columns) + 1)
    return figure


def by_quarter(table, printed):
    """Means of quarters with their intervals, a panel a trace; the grey band is the range that the paper prints.

    Parameters
    ----------
    table : DataFrame
        By (trace, quarter), columns `mean_R`, `low`, `high`.
    printed : (float, float, float)
        Lowest quarter, mean of all jobs, highest quarter.

    Returns
    -------
    Figure
    """
    traces = list(table.index.unique("trace"))
    widths = [2 + len(table.loc[trace]) for trace in traces]
    size = (1.6 + 0.55 * sum(widths), 3.4)
    figure, axes = plt.subplots(1, len(traces), figsize=size, sharey=True, squeeze=False, width_ratios=widths)
    lowest, mean, highest = printed
    for ax, trace in zip(axes[0], traces, strict=True):
        part = table.loc[trace]
        x = np.arange(len(part))
        band = ax.axhspan(lowest, highest, color="#EEEEEE", zorder=0, label="printed: range of the quarters")
        line = ax.axhline(mean, color="grey", linestyle="--", linewidth=1, label="printed: mean of all jobs")
        error = [part.mean_R - part.low, part.high - part.mean_R]
        style = {"color": COLOURS[0], "marker": "o", "linestyle": "", "capsize": 3}
        dots = ax.errorbar(x, part.mean_R, error, label="this log, with its 95 % interval", **style)
        ax.set_xticks(x, part.index, rotation=90)
        ax.set(xlim=(-0.7, len(part) - 0.3), ylim=(0, 0.7))
        ax.set_title(trace)
        ax.grid(False, axis="x")
    axes[0, 0].set_ylabel("mean R")
    figure.legend(handles=[dots, line, band], loc="outside upper center", ncols=3)
    return figure


def spread_within_groups(table, names):
    """Mean standard deviation of R within groups by key, the printed one hollow; the dashed line is that of all jobs.

    Parameters
    ----------
    table : DataFrame
        By (trace, key), columns `std`, `low`, `high`, `groups`; the key "all" is all jobs, the first trace the paper.
    names : dict
        Label by key, in order.

    Returns
    -------
    Figure
    """
    traces = list(table.index.unique("trace"))
    size = (1 + 2.9 * len(traces), 2.9)
    figure, axes = plt.subplots(1, len(traces), figsize=size, sharex=True, sharey=True, squeeze=False)
    y = np.arange(len(names))
    for ax, trace, first in zip(axes[0], traces, [True] + [False] * len(traces), strict=False):
        part = table.loc[trace].loc[list(names)]
        colour = "black" if first else COLOURS[0]
        ax.hlines(y, part.low, part.high, color=colour, linewidth=3, alpha=0.4)
        ax.plot(part["std"], y, "o", color=colour, fillstyle="none" if first else "full")
        ax.axvline(table.loc[(trace, "all"), "std"], color=colour, linestyle="--", linewidth=1)
        for place, row in enumerate(part.itertuples()):
            text = {"xytext": (0, 8), "textcoords": "offset points", "ha": "center", "size": 8}
            ax.annotate(f"{row.groups:,.0f} groups", (row.std, place), **text)
        ax.margins(x=0.15)
        ax.set_xlabel("mean standard deviation of R")
        ax.set_title(trace)
        ax.grid(False, axis="y")
    axes[0, 0].set(yticks=y, yticklabels=list(names.values()), ylim=(len(names) - 0.5, -0.7))
    return figure


def scheme_dimensions(dimensions, chosen):
    """The options of each dimension of a scheme as boxes, a row a dimension, and one scheme as a path through them.

    Parameters
    ----------
    dimensions : dict
        By dimension a list of options.
    chosen : sequence
        An option of each dimension.

    Returns
    -------
    Figure
    """
    figure, ax = plt.subplots(figsize=(10, 0.85 * len(dimensions) + 0.1))
    path = []
    for row, ((name, options), choice) in enumerate(zip(dimensions.items(), chosen, strict=True)):
        ax.text(-0.02, -row, name, ha="right", va="center", weight="bold")
        width = 1 / len(options)
        for place, option in enumerate(options):
            middle = (place + 0.5) * width
            colour, ink = (COLOURS[0], INK[0]) if option == choice else ("#E4ECF4", INK[1])
            ax.barh(-row, width - 0.012, 0.5, left=middle - width / 2 + 0.006, color=colour)
            ax.text(middle, -row, option, ha="center", va="center", color=ink)
            if option == choice:
                path += [(middle, 0.25 - row), (middle, -0.25 - row)]  # where it enters and leaves the box
    for (x, y), (next_x, next_y) in zip(path[1:-1:2], path[2::2], strict=True):
        ax.plot([x, next_x], [y, next_y], color=COLOURS[0], linewidth=2.5, alpha=0.5)
    ax.set(xlim=(-0.17, 1), ylim=(-len(dimensions) + 0.6, 0.4))
    ax.set_axis_off()
    return figure


def accuracy_by_percentile(table, names, printed):
    """Mean accuracy by percentile, a line a key, a panel a trace; dashed: the users' own estimates.

    Parameters
    ----------
    table : DataFrame
        By (trace, key, percentile), column `accuracy`; the key "none" is the users' own estimates.
    names : dict
        Label by key.
    printed : (float, float, float)
        The paper's accuracy of the users' estimates; the percentile and the accuracy of its best scheme.

    Returns
    -------
    Figure
    """
    traces = list(table.index.unique("trace"))
    figure, axes = plt.subplots(1, len(traces), figsize=(1.2 + 4.2 * len(traces), 3.8), sharey=True, squeeze=False)
    base, at, best = printed
    for ax, trace in zip(axes[0], traces, strict=True):
        part = table.loc[trace, "accuracy"]
        for (key, label), colour, marker in zip(names.items(), COLOURS, "osv^", strict=False):
            values = part.loc[key]
            style = {"markersize": 5}
            if (
                key == "user"
            ):  # where no user has two projects, the double key makes the same groups: both are to be seen
                style = {"markersize": 9, "fillstyle": "none", "linestyle": (0, (3, 3)), "zorder": 3}
            ax.plot(range(len(values)), values, color=colour, marker=marker, label=label, **style)
        ax.axhline(part.loc["none"].iloc[0], color="black", linestyle="--", linewidth=1, label="users' estimates")
        place = list(values.index).index(at)
        ax.plot(place, best, "o", color="grey", fillstyle="none", markersize=8, label="printed: best (triple key)")
        ax.axhline(base, color="grey", linestyle=":", linewidth=1.2, label="printed: users' estimates")
        percentile_axis(ax, values.index)
        ax.set_title(trace)
    axes[0, 0].set_ylabel("mean accuracy")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def percentile_axis(ax, percentiles):
    """Label an x axis whose places 0, 1, ... are percentiles that A is set to."""
    names = {100: "max.", 50: "median"}
    ax.set_xticks(range(len(percentiles)), [names.get(p, f"{p:g}th") for p in percentiles], size=9)
    ax.set_xlabel("A: percentile of earlier jobs' R")


def level_shares(table):
    """Shares of jobs by how they were adjusted, stacked, and the mean accuracy as a line; a row a trace.

    Parameters
    ----------
    table : DataFrame
        By (trace, panel, percentile), columns `NA`, `OE`, `UE`, `BE` and `accuracy`; a column of panels a panel.

    Returns
    -------
    Figure
    """
    traces, panels = (list(table.index.unique(level)) for level in (0, 1))
    size = (1 + 4.3 * len(panels), 1.1 + 2.7 * len(traces))
    figure, axes = plt.subplots(len(traces), len(panels), figsize=size, sharex=True, sharey=True, squeeze=False)
    for (row, trace), (column, panel) in product(enumerate(traces), enumerate(panels)):
        ax, part = axes[row, column], table.xs((trace, panel), level=(0, 1))
        bottom = np.zeros(len(part))
        for level, colour in list(LEVEL_COLOURS.items())[::-1]:
            ax.bar(range(len(part)), part[level], 0.8, bottom, color=colour, label=level)
            bottom = bottom + part[level].to_numpy()
        ax.plot(range(len(part)), part.accuracy, "o-", color="black", markersize=4, label="mean accuracy")
        for x, accuracy in enumerate(part.accuracy):
            place = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center", "size": 8}
            ax.annotate(f"{accuracy:.2f}", (x, accuracy), **place)
        ax.set_title(f"{trace}, {panel}")
        ax.grid(False)
        percentile_axis(ax, part.index)
        ax.set_xlabel(ax.get_xlabel() if row == len(traces) - 1 else "")
    axes[0, 0].set_ylim(0, 1)
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for ax in axes[:, 0]:
        ax.set_ylabel("jobs")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside upper center", ncols=len(labels))
    return figure


def by_window(table, changes, label):
    """A measure by percentile, a line a window, and below it what the windows change; a column a panel.

    Parameters
    ----------
    table : Series
        By (panel, window, percentile).
    changes : DataFrame
        By (panel, window, percentile), columns `change`, `low`, `high` against the first window; intervals are drawn
        for the last one.
    label : str
        Of the measure.

    Returns
    -------
    Figure
    """
    panels, windows = (list(table.index.unique(level)) for level in (0, 1))
    size = (1.4 + 3.1 * len(panels), 6)
    figure, axes = plt.subplots(2, len(panels), figsize=size, sharex=True, sharey="row", squeeze=False)
    colours = shades(windows)
    for (upper, lower), panel in zip(axes.T, panels, strict=True):
        for window in windows:
            values = table.xs((panel, window), level=(0, 1))
            style = {"color": colours[window], "marker": ".", "linewidth": 1.4}
            upper.plot(range(len(values)), values, label=window, **style)
            if window != windows[0]:
                change = changes.xs((panel, window), level=(0, 1))
                lower.plot(range(len(values)), 100 * change.change, **style)
        band = changes.xs((panel, windows[-1]), level=(0, 1))
        lower.fill_between(range(len(band)), 100 * band.low, 100 * band.high, color=colours[windows[-1]], alpha=0.2)
        lower.axhline(0, color=colours[windows[0]], linewidth=1.4)
        percentile_axis(lower, values.index)
        lower.tick_params("x", labelrotation=90)
        upper.set_title(panel)
    axes[0, 0].set_ylabel(label)
    axes[1, 0].set_ylabel(f"change against {windows[0]} history\n[percentage points]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right upper", title="history")
    return figure


def accuracy_distribution(curves, names):
    """Cumulative distributions of the accuracy of single jobs; a row a trace, a column a key.

    Parameters
    ----------
    curves : DataFrame
        By (trace, key, line), a column an accuracy: the share of jobs that are no more accurate.
    names : dict
        Label by key.

    Returns
    -------
    Figure
    """
    traces, keys, lines = (list(curves.index.unique(level)) for level in curves.index.names)
    size = (1 + 4.2 * len(keys), 1 + 3.1 * len(traces))
    figure, axes = plt.subplots(len(traces), len(keys), figsize=size, sharex=True, sharey=True, squeeze=False)
    colours = dict(zip(lines, ("black", COLOURS[0], COLOURS[2], COLOURS[1]), strict=True))
    for (row, trace), (column, key) in product(enumerate(traces), enumerate(keys)):
        ax = axes[row, column]
        for line, colour in colours.items():
            ax.plot(curves.columns, curves.loc[trace, key, line], color=colour, linewidth=1.4, label=line)
        ax.axhline(0.5, color="grey", linestyle=":", linewidth=1)
        ax.set_title(f"{trace}, {names[key]}")
    for ax in axes[-1]:
        ax.set_xlabel("accuracy of a job's estimate")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes[0, 0].set(xlim=(0, 1), ylim=(0, 1))
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for ax in axes[:, 0]:
        ax.set_ylabel("jobs that are no more accurate")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(lines))
    return figure


# Adjusted walltimes in scheduling

CASE_COLOURS = [COLOURS[0], COLOURS[2], COLOURS[1]]  # by rising aggressiveness
MEASURES = {"wait": ("mean wait", 100), "slowdown": ("mean slowdown", 10), "weighted_wait": ("weighted wait", 100)}
"""Their names, and what the paper sets the baseline to."""


def accuracy_by_month(table):
    """Mean accuracy by month, a line a column; a panel a trace.

    Parameters
    ----------
    table : DataFrame
        By (trace, month); the column `original` and one a scheme, by rising aggressiveness.

    Returns
    -------
    Figure
    """
    traces = list(table.index.unique("trace"))
    widths = [3 + len(table.loc[trace]) for trace in traces]
    size = (1.5 + 0.24 * sum(widths), 3.4)
    figure, axes = plt.subplots(1, len(traces), figsize=size, sharey=True, squeeze=False, width_ratios=widths)
    for ax, trace in zip(axes[0], traces, strict=True):
        part = table.loc[trace]
        for name, colour, marker in zip(part, ["black", *CASE_COLOURS], ".os^", strict=True):
            ax.plot(part[name].to_numpy(), color=colour, marker=marker, markersize=4, linewidth=1.2, label=name)
        _month_axis(ax, part.index)
        ax.set_title(trace)
    axes[0, 0].set(ylabel="mean accuracy", ylim=(0, 1))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(table.columns))
    return figure


def _month_axis(ax, months):
    """Label an x axis whose places 0, 1, ... are months; every second one where they are many."""
    step = 1 if len(months) <= 14 else 2
    ax.set_xticks(range(0, len(months), step), months[::step], rotation=90, size=8)
    ax.set_xlim(-0.6, len(months) - 0.4)


def gains_by_month(monthly, averages, printed):
    """Measures by month as the paper's Figures 14 to 17 show them, and average gains as bars; a row a trace.

    All values are relative to the baseline, which is set to 100, to 10, to 100; equal ratios to it are equal distances.
    Bands and error bars: 95 % of the shaken runs.

    Parameters
    ----------
    monthly : DataFrame
        By (trace, case, metric, month), columns `gain`, `low`, `high`: 1 - value / baseline; cases by rising
        aggressiveness.
    averages : DataFrame
        By (trace, case, metric), the same columns.
    printed : dict
        By (metric, case) the paper's average gain.

    Returns
    -------
    Figure
    """
    traces, cases = (list(monthly.index.unique(level)) for level in ("trace", "case"))
    size = (14, 0.9 + 3 * len(traces))
    figure, axes = plt.subplots(len(traces), 4, figsize=size, squeeze=False, width_ratios=[1, 1, 1, 0.8])
    for row, trace in zip(axes, traces, strict=True):
        for ax, (metric, (name, base)) in zip(row, MEASURES.items(), strict=False):
            for case, colour in zip(cases, CASE_COLOURS, strict=True):
                part = base * (1 - monthly.loc[trace].loc[case].loc[metric, ["gain", "low", "high"]])
                ax.plot(part.gain.to_numpy(), color=colour, marker=".", linewidth=1.2, label=case)
                ax.fill_between(range(len(part)), part.low, part.high, color=colour, alpha=0.15, linewidth=0)
            ax.axhline(base, color="black", linewidth=1.2, label="baseline")
            _month_axis(ax, part.index)
            ax.set_ylabel(f"{name}, baseline = {base}")
        row[0].set_title(trace)
        _average_gains(row[3], averages.loc[trace], cases, printed)
    for column, (_, base) in zip(axes.T, MEASURES.values(), strict=False):
        _ratio_axes(column, base)
    handles, labels = (a + b for a, b in zip(*(ax.get_legend_handles_labels() for ax in axes[0, [0, 3]]), strict=True))
    found = dict(zip(labels, handles, strict=True))
    figure.legend(found.values(), found, loc="outside upper center", ncols=len(found))
    return figure


def _ratio_axes(column, base):
    """One logarithmic y axis for panels of values beside `base`, so that equal ratios are equal distances."""
    limits = np.array([ax.get_ylim() for ax in column])
    for ax in column:
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.set_ylim(
            np.clip(limits[:, 0].min(), base / 5, base / 1.6), np.clip(limits[:, 1].max(), 1.6 * base, 5 * base)
        )


def _average_gains(ax, averages, cases, printed):
    """Bars of the average gains in each measure, a colour a case; what the paper prints, as hollow marks."""
    width = 0.8 / len(cases)
    for number, (case, colour) in enumerate(zip(cases, CASE_COLOURS, strict=True)):
        part = 100 * averages.loc[case].loc[list(MEASURES), ["gain", "low", "high"]]
        x = np.arange(len(part)) + (number - (len(cases) - 1) / 2) * width
        error = [part.gain - part.low, part.high - part.gain]
        ax.bar(x, part.gain, 0.9 * width, yerr=error, color=colour, capsize=2, error_kw={"linewidth": 1})
        marks = [
            (place, 100 * printed[metric, case])
            for place, metric in zip(x, part.index, strict=True)
            if (metric, case) in printed
        ]
        if marks:
            style = {"color": "black", "markerfacecolor": "white", "markersize": 5, "label": "printed"}
            ax.plot(*zip(*marks, strict=True), "D", **style)
    ax.axhline(0, color="black", linewidth=1.2)
    ax.set_xticks(range(len(MEASURES)), [name.replace(" ", "\n", 1) for name, _ in MEASURES.values()], size=9)
    ax.set_ylabel("average gain [%]")
    ax.grid(False, axis="x")


def gains_by_row(table, label="gain [%]", columns=2):
    """Gains as dots with the middle 95 % of the shaken runs, rows below each other.

    Parameters
    ----------
    table : DataFrame
        By (panel, row, mark), columns `gain`, `low`, `high`; a colour a mark.
    label : str
        Of the x axis.
    columns : int
        Of panels.

    Returns
    -------
    Figure
    """
    panels, rows, marks = (list(table.index.unique(level)) for level in range(3))
    lines = -(-len(panels) // columns)
    size = (3 + 3.6 * columns, 1.2 + lines * (0.5 + 0.32 * len(rows)))
    figure, axes = plt.subplots(lines, columns, figsize=size, sharex="row", sharey=True, squeeze=False)
    offsets = np.linspace(-0.2, 0.2, len(marks))
    for ax, panel in zip(axes.flat, panels, strict=True):
        for name, offset, colour, shape in zip(marks, offsets, COLOURS, "os^Dv", strict=False):
            part = 100 * table.loc[panel].xs(name, level=1).reindex(rows)[["gain", "low", "high"]]
            y = np.arange(len(rows)) + offset
            ax.hlines(y, part.low, part.high, color=colour, linewidth=2, alpha=0.45)
            ax.plot(part.gain, y, shape, color=colour, markersize=5, label=name)
        ax.axvline(0, color="black", linewidth=1)
        ax.set_title(panel)
        ax.grid(False, axis="y")
    for ax in axes[-1]:
        ax.set_xlabel(label)
    axes[0, 0].set(yticks=range(len(rows)), yticklabels=rows, ylim=(len(rows) - 0.5, -0.5))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(marks))
    return figure
