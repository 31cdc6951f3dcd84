"""Pictures, in one style, and saving an exhibit: picture, numbers and record together."""

import json
import platform
from importlib import metadata
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, MultipleLocator, NullFormatter, PercentFormatter

from . import paths

# Okabe and Ito's palette: told apart by readers with any colour vision, and in grey
EASY_COLOUR, CONSERVATIVE_COLOUR = "#0072B2", "#D55E00"
COLOURS = [EASY_COLOUR, CONSERVATIVE_COLOUR, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]

KIND_COLOURS = [COLOURS[0], COLOURS[5], COLOURS[1], "#B0B0B0"]  # kinds of job in a stack

INK = ("white", "black")  # on solid and on pale ground

STYLE = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E5E5E5",
    "legend.frameon": False,
    "axes.prop_cycle": plt.cycler(color=COLOURS),
}

SYNTHETIC = "SYNTHETIC DATA - not a real log"


def use_style():
    """Switch matplotlib to the house style."""
    plt.rcParams.update(STYLE)


# Pictures of one schedule


def gantt(schedule, ax=None, labels=True, now=None):
    """Gantt chart of a small schedule: time to the right, processors upwards, one rectangle a job.

    A simulation says how many processors a job has, not which; here each job takes the lowest free ones, so one job
    can be drawn in several pieces.

    Parameters
    ----------
    schedule : Schedule
        Of up to some hundred jobs.
    ax : Axes, optional
    labels : bool
        Whether to write each job's name into its rectangle, where there is room.
    now : int, optional
        Draw what was known and planned at this second: what is expected after it, pale; reservations, dashed.

    Returns
    -------
    Axes
    """
    ax = ax or plt.subplots(figsize=(8, 3))[1]
    names = list(schedule.jobs.index)  # a job keeps its colour in the plan
    schedule = schedule if now is None else schedule.plan(now)
    jobs, procs = schedule.jobs, schedule.workload.procs
    taken = _processors(schedule)
    for job, row in jobs.iterrows():
        colour = COLOURS[names.index(job) % (len(COLOURS) - 1)]
        pieces = _runs(taken[job])
        for first, height in pieces:
            _rectangle(ax, row, first, height, colour, now)
        if labels and pieces:
            _label(ax, job, row, *max(pieces, key=lambda piece: piece[1]), schedule, now)
    ax.set(ylabel="processors", ylim=(0, procs), xlim=(jobs.submit.min(), jobs.end.max()))
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    time_axis(ax)
    if now is not None:
        ax.axvline(now, color="black", linewidth=1.5)
        ax.annotate("now", (now, 0), xytext=(3, 3), textcoords="offset points")
    ax.set_title(f"{schedule.workload.name}, {type(schedule.policy).__name__}; hatched: backfilled")
    ax.grid(False)
    return mark(ax, schedule.workload)


def _rectangle(ax, row, first, height, colour, now):
    """One piece of a job: what has happened by `now` solid, what is expected pale, a reservation dashed."""
    style = {"edgecolor": "white", "linewidth": 0.5, "hatch": "//" if row.backfilled else None, "facecolor": colour}
    past = row.run if now is None else min(max(now - row.start, 0), row.run)
    if past > 0:
        ax.barh(first, past, height, row.start, align="edge", **style)
    if past < row.run:
        style |= {"alpha": 0.35} | ({"edgecolor": "black", "linestyle": "--", "linewidth": 1} if past == 0 else {})
        ax.barh(first, row.run - past, height, row.start + past, align="edge", **style)


def _label(ax, job, row, first, height, schedule, now):
    """Write a job's name into its rectangle, into the larger of its past and its expected part, if it has room."""
    jobs = schedule.jobs
    begin, end = row.start, row.end
    solid = now is None or begin + end <= 2 * now
    if now is not None and begin < now < end:
        begin, end = (begin, now) if solid else (now, end)
    width = 72 * ax.figure.get_figwidth() * ax.get_position().width  # points for the whole length of time
    room = (end - begin) / (jobs.end.max() - jobs.submit.min()) * width
    if room >= 6.2 * len(str(job)) and height >= 0.07 * schedule.workload.procs:
        place = {"ha": "center", "va": "center", "weight": "bold", "color": INK[not solid]}
        ax.text((begin + end) / 2, first + height / 2, str(job), **place)


def _processors(schedule):
    """Which processors each job would have, taking the lowest free ones; an array of numbers by job."""
    jobs = schedule.jobs
    until = np.full(schedule.workload.procs, np.iinfo(np.int64).min)
    taken = {}
    for job, row in jobs.sort_values("start", kind="stable").iterrows():
        chosen = np.flatnonzero(until <= row.start)[: row.procs]
        until[chosen] = row.end
        taken[job] = chosen if row.run > 0 else chosen[:0]
    return taken


def _runs(numbers):
    """Neighbouring numbers as (first, how many) pairs."""
    if len(numbers) == 0:
        return []
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return [(part[0], len(part)) for part in parts]


def time_axis(ax):
    """Label an x axis that is in seconds by the unit that suits its length."""
    length = ax.get_xlim()[1] - ax.get_xlim()[0]
    unit, seconds = next(((u, s) for u, s in (("days", 86400), ("hours", 3600)) if length >= 4 * s), ("s", 1))
    ax.xaxis.set_major_locator(MultipleLocator(seconds * _nice_step(length / seconds)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / seconds:g}"))
    ax.set_xlabel(f"time [{unit}]")


def _nice_step(length):
    """The smallest of 1, 2, 5, 10, ... that divides a length into at most ten."""
    least = max(length / 10, 1)
    power = 10 ** np.floor(np.log10(least))
    return power * next(digit for digit in (1, 2, 5, 10) if digit * power >= least)


def utilisation(schedule, ax=None, every="1D"):
    """The share of the machine in use over time.

    Parameters
    ----------
    schedule : Schedule
    ax : Axes, optional
    every : str
        Length of the intervals that are averaged over, such as "1D" or "6h".

    Returns
    -------
    Axes
    """
    ax = ax or plt.subplots(figsize=(8, 3))[1]
    steps = schedule.utilisation()
    length = int(pd.Timedelta(every).total_seconds())
    edges = np.arange(steps.index[0], steps.index[-1] + length, length)
    work = np.concatenate([[0.0], np.cumsum(steps.to_numpy()[:-1] * np.diff(steps.index))])
    mean = np.diff(np.interp(edges, steps.index, work)) / length
    if schedule.workload.start is None:
        ax.stairs(mean, edges / 86400, fill=True, alpha=0.8)
        ax.set_xlabel("days")
    else:
        ax.stairs(mean, [schedule.workload.time(edge).tz_localize(None) for edge in edges], fill=True, alpha=0.8)
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.set(ylabel="processors in use", ylim=(0, 1))
    ax.set_title(f"{schedule.workload.name}, {type(schedule.policy).__name__}, mean over {every}")
    return mark(ax, schedule.workload)


# Pictures of a comparison


def published_against_ours(table, metrics, schedulers=("easy", "conservative")):
    """All months at a glance: a row of panels a metric, a column a trace; circles published, dots ours.

    Parameters
    ----------
    table : DataFrame
        By (trace, month), with the columns `<scheduler>_<metric>` and `<scheduler>_<metric>_published`, and `note`,
        which is not empty where a month cannot match.
    metrics : dict
        Axis label by metric.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    widths = [max(len(table.loc[trace]), 5) for trace in traces]
    size = (max(7, 2.5 + 0.14 * sum(widths)), 0.8 + 3.2 * len(metrics))
    figure, axes = plt.subplots(
        len(metrics), len(traces), figsize=size, width_ratios=widths, squeeze=False, sharex="col"
    )
    for column, trace in enumerate(traces):
        months = table.loc[trace]
        x = np.arange(len(months))
        for row, (metric, label) in enumerate(metrics.items()):
            ax = axes[row, column]
            for scheduler, colour, shift in zip(schedulers, COLOURS[:2], (-0.17, 0.17), strict=True):
                key = f"{scheduler}_{metric}"
                ax.vlines(x + shift, months[key], months[f"{key}_published"], color=colour, linewidth=1)
                ax.plot(x + shift, months[f"{key}_published"], "o", color=colour, fillstyle="none", markersize=6)
                ax.plot(x + shift, months[key], "o", color=colour, markersize=3, label=scheduler)
            plain_log_axis(ax)
            ax.set_xlim(-0.7, len(months) - 0.3)
            for x_noted in x[months.note != ""]:
                ax.axvspan(x_noted - 0.5, x_noted + 0.5, color="#EEEEEE", zorder=0)
            if row == 0:
                ax.set_title(trace)
            if column == 0:
                ax.set_ylabel(label)
        step = 2 if len(months) > 12 else 1
        axes[-1, column].set_xticks(x[::step], [str(month) for month in months.index[::step]], rotation=90)
    handles = [
        plt.Line2D([], [], marker="o", linestyle="", color=c, label=s)
        for s, c in zip(schedulers, COLOURS, strict=False)
    ]
    handles.append(plt.Line2D([], [], marker="o", linestyle="", color="grey", fillstyle="none", label="published"))
    if (table.note != "").any():
        handles.append(plt.Rectangle((0, 0), 1, 1, color="#EEEEEE", label="jobs missing from the file"))
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return figure


def against_estimates(table, metrics, schedulers=("easy", "conservative")):
    """A metric against the quality of estimates: a row of panels a metric, a column a trace.

    Parameters
    ----------
    table : DataFrame
        By (scheduler, metric, trace, estimates), columns `published`, `ours`, `sd`, `variant`.
    metrics : dict
        Axis label by metric.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    size = (2.5 + 3.2 * len(traces), 0.8 + 3 * len(metrics))
    figure, axes = plt.subplots(len(metrics), len(traces), figsize=size, squeeze=False, sharex=True)
    for (row, metric), (column, trace) in product(enumerate(metrics), enumerate(traces)):
        ax = axes[row, column]
        for scheduler, colour in zip(schedulers, COLOURS[:2], strict=True):
            part = table.loc[scheduler, metric, trace]
            x = np.arange(len(part))
            # the original estimates, first, stand apart from the series over f
            ax.errorbar(x[:1], part.ours[:1], part.sd[:1], color=colour, marker=".", capsize=2)
            ax.errorbar(x[1:], part.ours[1:], part.sd[1:], color=colour, marker=".", capsize=2)
            ax.plot(x[1:], part.variant[1:], color=colour, linestyle=":", linewidth=1.2)
            ax.plot(x[:1], part.variant[:1], color=colour, marker="x", linestyle="", markersize=5)
            ax.plot(x, part.published, "o", color=colour, fillstyle="none", markersize=7)
        ax.set_title(trace if row == 0 else "")
        ax.set_ylabel(metrics[metric] if column == 0 else "")
        ax.set_xticks(x, [name.replace("original", "orig.").removeprefix("f") for name in part.index])
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}"))
    for ax in axes[-1]:
        ax.set_xlabel("estimates: original, or uniform in [r, f r] by f")
    handles = [plt.Line2D([], [], marker=".", color=c, label=s) for s, c in zip(schedulers, COLOURS, strict=False)]
    handles.append(plt.Line2D([], [], linestyle=":", marker="x", color="grey", label="variant"))
    handles.append(plt.Line2D([], [], marker="o", linestyle="", color="grey", fillstyle="none", label="published"))
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return figure


def differences(table, metrics, bands=("difference_low", "difference_high")):
    """Relative differences with their shaken bands: a panel a metric, a group a trace and scheduler.

    Parameters
    ----------
    table : DataFrame
        By (metric, trace, scheduler, rule), columns `difference_mean`, `difference_published` and the two of `bands`.
    metrics : dict
        Panel title by metric.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, len(metrics), figsize=(5.2 * len(metrics), 4), sharex=True, sharey=True)
    for ax, (metric, title) in zip(axes, metrics.items(), strict=True):
        groups = list(dict.fromkeys((trace, scheduler) for trace, scheduler, _ in table.loc[metric].index))
        ax.axvline(0, color="black", linewidth=0.8)
        for y, (trace, scheduler) in enumerate(groups):
            colour = COLOURS[scheduler != "easy"]
            for rule, shift, marker in (("rule", -0.14, "."), ("variant", 0.14, "x")):
                row = table.loc[metric, trace, scheduler, rule]
                error = [[row.difference_mean - row[bands[0]]], [row[bands[1]] - row.difference_mean]]
                ax.errorbar(row.difference_mean, y + shift, xerr=error, color=colour, marker=marker, capsize=2)
            ax.plot(row.difference_published, y, "o", color=colour, fillstyle="none", markersize=9)
        ax.set_yticks(range(len(groups)), [f"{trace} {scheduler}" for trace, scheduler in groups])
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.set(title=title, xlabel="change when estimates are doubled")
    axes[0].invert_yaxis()
    handles = [
        plt.Line2D([], [], color="grey", marker=m, label=s) for s, m in (("rule followed", "."), ("variant", "x"))
    ]
    handles.append(plt.Line2D([], [], color="grey", marker="o", fillstyle="none", linestyle="", label="published"))
    figure.legend(handles=handles, loc="outside upper right", ncols=3)
    return figure


def backfilled_amounts(table, schedulers=("easy", "conservative")):
    """Shares of jobs backfilled by workload, and the difference between the schedulers; bars: 95 % of shaken runs.

    Parameters
    ----------
    table : DataFrame
        By workload and rule ("followed", drawn full, and "variant", hollow), with the columns `<scheduler>` and
        `relative` (the schedulers' relative difference), each with `_low` and `_high`.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    names = list(table.index.unique("workload"))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 1.8 + 0.6 * len(names)), sharey=True)
    y = np.arange(len(names))
    marks = [(left, schedulers[0], COLOURS[0], -0.25), (left, schedulers[1], COLOURS[1], 0.1)]
    for (rule, fill), (ax, key, colour, shift) in product(
        (("followed", "full"), ("variant", "none")), [*marks, (right, "relative", "#444444", -0.1)]
    ):
        row = table.xs(rule, level="rule").loc[names]
        place = y + shift + (0 if fill == "full" else 0.14)
        ax.hlines(place, row[f"{key}_low"], row[f"{key}_high"], color=colour, linewidth=3, alpha=0.4)
        ax.plot(row[key], place, "o", color=colour, markersize=5, fillstyle=fill)
    left.set(yticks=y, yticklabels=names, ylim=(len(names) - 0.4, -0.6))
    left.set(xlabel="share of jobs backfilled", xlim=(0, None))
    left.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    right.axvline(0, color="black", linewidth=1)
    right.set_xlabel("conservative's share against EASY's")
    right.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}%" if value else "equal"))
    for ax in (left, right):
        ax.grid(axis="y", visible=False)
    dot = {"marker": "o", "linestyle": ""}
    handles = [plt.Line2D([], [], color=c, label=s, **dot) for s, c in zip(schedulers, COLOURS, strict=False)]
    handles.append(plt.Line2D([], [], color="grey", label="variants", fillstyle="none", **dot))
    handles.append(plt.Line2D([], [], color="grey", linewidth=3, alpha=0.4, label="95 % of shaken runs"))
    figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return figure


def backfilled_by_size(table, schedulers=("easy", "conservative")):
    """Shares of jobs backfilled by size class: a column a workload, the schedulers above, their difference below.

    Parameters
    ----------
    table : DataFrame
        By workload, rule ("followed", drawn solid with a band that holds 95 % of shaken runs, and "variant", dotted)
        and size class, with the columns `jobs`, and `<scheduler>` and `difference`, each with `_low` and `_high`.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    names = list(table.index.unique("workload"))
    widths = [2 + len(table.loc[name].index.unique("size_class")) for name in names]
    size = (max(6, 1.2 + 0.24 * sum(widths)), 5.6)
    figure, axes = plt.subplots(
        2, len(names), figsize=size, sharex="col", sharey="row", squeeze=False, width_ratios=widths
    )
    curves = [(0, schedulers[0], COLOURS[0]), (0, schedulers[1], COLOURS[1]), (1, "difference", "#444444")]
    for column, name in enumerate(names):
        for rule, (row, key, colour) in product(("followed", "variant"), curves):
            values, ax = table.xs(name, level="workload").xs(rule, level="rule"), axes[row, column]
            x = np.arange(len(values))
            if rule == "followed":
                ax.fill_between(x, values[f"{key}_low"], values[f"{key}_high"], color=colour, alpha=0.25, linewidth=0)
            ax.plot(x, values[key], "o-" if rule == "followed" else ":", color=colour, markersize=3)
            axes[1, column].set_xticks(x, values.index, rotation=90)
        axes[0, column].set_title(name)
        axes[1, column].axhline(0, color="black", linewidth=1)
    axes[0, 0].set(ylabel="share of jobs backfilled", ylim=(0, 1))
    axes[1, 0].set_ylabel("conservative \N{MINUS SIGN} EASY\n[percentage points]")
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[1, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}" if value else "0"))
    figure.supxlabel("job size [processors]", size=10)
    handles = [plt.Line2D([], [], color=c, marker="o", markersize=3, label=s) for _, s, c in curves[:2]]
    handles.append(plt.Line2D([], [], color="grey", linestyle=":", label="variants"))
    handles.append(plt.Rectangle((0, 0), 1, 1, color="grey", alpha=0.25, label="95 % of shaken runs"))
    figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return figure


def cumulative_panels(curves, panel, line, styles, columns=3, title="{}"):
    """Cumulative distributions over a logarithmic time axis, a panel each value of one index level.

    Parameters
    ----------
    curves : DataFrame
        Two index levels, a column a time (seconds): the share that takes no longer.
    panel, line : str
        The level that divides the panels, and the one that divides the lines of a panel.
    styles : dict
        Arguments of `Axes.plot` by line, in the order of the legend.
    columns : int
        How many panels stand side by side.
    title : str
        Of a panel, by its value.

    Returns
    -------
    Figure
    """
    names = list(curves.index.unique(panel))
    columns = min(columns, len(names))
    rows = -(-len(names) // columns)
    size = (max(7, 1.2 + 3.2 * columns), 0.8 + 2.5 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, name in zip(axes.flat, names, strict=False):
        part = curves.xs(name, level=panel)
        for key in (key for key in styles if key in part.index):
            ax.plot(part.columns, part.loc[key], **{"linewidth": 1.4} | styles[key])
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
    handles = [plt.Line2D([], [], **{"linewidth": 1.8} | styles[key], label=str(key)) for key in there]
    figure.legend(handles=handles, loc="outside right upper", title=line.replace("_", " "))
    return figure


def shades(keys):
    """A colour for each of some ordered keys, from pale to dark."""
    scale = LinearSegmentedColormap.from_list("shades", ["#F0C24B", "#D55E00", "#7B4A8C", "#0B3C5D"])
    keys = list(keys)
    return dict(zip(keys, scale(np.linspace(0, 1, len(keys))), strict=True))


def log_time_axis(ax):
    """A logarithmic x axis of seconds, with ticks as people say times."""
    ticks = {1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h", 604800: "1 week"}
    low, high = ax.get_xlim()
    ax.set_xscale("log")
    ax.set_xlim(max(low, 1), high)
    shown = {second: text for second, text in ticks.items() if max(low, 1) <= second <= high}
    ax.set_xticks(list(shown), list(shown.values()), size=9)
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xticks([], minor=True)


def _subs(ratio):
    """Which multiples of ten to the n to write on a logarithmic axis, by the ratio of its ends."""
    return (1, 3) if ratio > 60 else (1, 2, 5) if ratio > 8 else (1, 1.5, 2, 3, 4, 6, 8)


def means_and_medians(table, quantities, highlighted=()):
    """Mean and median of some quantities by workload, with their intervals; a panel a quantity, logarithmic axes.

    Parameters
    ----------
    table : DataFrame
        By workload, with the columns `<quantity>_mean` and `<quantity>_median`, each with `_low` and `_high`.
    quantities : dict
        Axis label by quantity.
    highlighted : sequence of str
        Workloads whose names are set bold.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(
        1, len(quantities), figsize=(1 + 3.4 * len(quantities), 1.8 + 0.45 * len(table)), sharey=True, squeeze=False
    )
    y = np.arange(len(table))
    for ax, (quantity, label) in zip(axes[0], quantities.items(), strict=True):
        for statistic, colour, shift in (("mean", COLOURS[0], -0.12), ("median", COLOURS[1], 0.12)):
            key = f"{quantity}_{statistic}"
            ax.hlines(y + shift, table[f"{key}_low"], table[f"{key}_high"], color=colour, linewidth=3, alpha=0.4)
            ax.plot(table[key], y + shift, "o", color=colour, markersize=5)
        ax.set(xscale="log", xlabel=label)
        low, high = ax.get_xlim()
        ax.xaxis.set_major_locator(LogLocator(subs=_subs(high / low)))
        ax.xaxis.set_minor_formatter(NullFormatter())
        number = FuncFormatter(lambda value, _: f"{value:,.0f}")
        share = table[f"{quantity}_mean"].max() <= 1
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=1) if share else number)
        ax.grid(axis="y", visible=False)
    axes[0, 0].set_yticks(y, table.index)
    axes[0, 0].set_ylim(len(table) - 0.5, -0.5)
    for text in axes[0, 0].get_yticklabels():
        text.set_weight("bold" if text.get_text() in highlighted else "normal")
    dot = {"marker": "o", "linestyle": ""}
    handles = [plt.Line2D([], [], color=c, label=s, **dot) for s, c in zip(("mean", "median"), COLOURS, strict=False)]
    handles.append(plt.Line2D([], [], color="grey", linewidth=3, alpha=0.4, label="95 % interval"))
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


def used_share(histogram, pairs, limit, highest=4):
    """How much of their estimates jobs used: a row a group, its histogram and the run times against the estimates.

    Parameters
    ----------
    histogram : DataFrame
        By (group, percent), the columns kinds of job, in per cent of the group's jobs; the last bin holds all above.
    pairs : dict
        By group a DataFrame with the columns `estimate`, `run` (seconds) and `kind`.
    limit : int
        Seconds up to which estimates are shown.
    highest : float
        Per cent of the jobs at which bars are cut; what those had is written beside them.

    Returns
    -------
    Figure
    """
    groups = list(dict.fromkeys(histogram.index.get_level_values(0)))
    colours = dict(zip(histogram.columns, KIND_COLOURS, strict=False))
    unit, seconds = ("h", 3600) if limit > 4 * 3600 else ("min", 60)
    size = (10.5, 0.9 + 2.7 * len(groups))
    figure, axes = plt.subplots(len(groups), 2, figsize=size, width_ratios=(1.6, 1), squeeze=False, sharex="col")
    for (left, right), group in zip(axes, groups, strict=True):
        bins = histogram.loc[group]
        top = bins.index.max()
        bottom = np.zeros(len(bins))
        for kind, colour in colours.items():
            left.bar(bins.index, bins[kind], 1, bottom, align="edge", color=colour, label=kind)
            bottom = bottom + bins[kind].to_numpy()
        for percent in bins.index[bottom > highest]:
            x, shift, side = (percent, -3, "right") if percent > 0.9 * top else (percent + 1, 8, "left")
            place = {"xytext": (shift, -9), "textcoords": "offset points", "ha": side, "size": 8}
            left.annotate(f"{bins.loc[percent].sum():.1f} %", (x, highest), **place)
        left.set(ylim=(0, highest), xlim=(0, top + 1), ylabel="jobs [%]")
        left.set_title(group)
        shown = pairs[group][pairs[group].estimate <= limit]
        for kind, colour in list(colours.items())[::-1]:
            part = shown[shown.kind == kind]
            dots = {"s": 2, "alpha": 0.25, "linewidths": 0, "color": colour, "rasterized": True}
            right.scatter(part.estimate / seconds, part.run / seconds, **dots)
        right.set(xlim=(0, 1.02 * limit / seconds), ylim=(0, 1.15 * limit / seconds), ylabel=f"run time [{unit}]")
        right.xaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 3, 6, 10)))
        right.yaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 3, 6, 10)))
    left.set_xlabel(f"run time / estimate [%]; last bin: {top} % and above")
    right.set_xlabel(f"estimate [{unit}]")
    there = {kind: colour for kind, colour in colours.items() if histogram[kind].any()}
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour, label=kind) for kind, colour in there.items()]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return figure


def counts_against_published(table, names):
    """Counts relative to the printed ones: a column a trace, a line a count; bars are what the complete log can have.

    Parameters
    ----------
    table : DataFrame
        By (trace, count), columns `published`, `ours`, `low`, `high`.
    names : dict
        Label by count, in order; counts that are not named are left out.

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    size = (max(7, 2.5 + 2.6 * len(traces)), 1.2 + 0.32 * len(names))
    figure, axes = plt.subplots(1, len(traces), figsize=size, squeeze=False, sharex=True, sharey=True)
    y = np.arange(len(names))
    for ax, trace in zip(axes[0], traces, strict=True):
        counts = table.loc[trace].reindex(list(names))
        ours, low, high = (100 * (counts[of] / counts.published - 1) for of in ("ours", "low", "high"))
        bars = ax.hlines(y, low, high, color=COLOURS[5], linewidth=5, label="possible for the complete log")
        exact = counts.ours == counts.published
        dots = ax.plot(ours[~exact], y[~exact], "o", color=COLOURS[0], fillstyle="none", label="ours")[0]
        same = ax.plot(ours[exact], y[exact], "o", color=COLOURS[0], label="ours, exact")[0]
        ax.axvline(0, color="black", linewidth=1)
        ax.set(xlim=(-30, 30), ylim=(len(names) - 0.5, -0.5), xlabel="off the printed count [%]")
        ax.set_title(trace)
    axes[0, 0].set_yticks(y, list(names.values()))
    figure.legend(handles=[same, dots, bars], loc="outside upper right", ncols=3)
    return figure


def quartiles_by_value(table):
    """Which share of popular estimates was used: median and middle half, a panel a trace, beside an even spread.

    Parameters
    ----------
    table : DataFrame
        By (trace, minutes), columns `q25`, `q50`, `q75` in per cent.

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    size = (max(7, 1.5 + 3.2 * len(traces)), 3.2)
    figure, axes = plt.subplots(1, len(traces), figsize=size, squeeze=False, sharey=True)
    for ax, trace in zip(axes[0], traces, strict=True):
        values = table.loc[trace]
        x = np.arange(len(values))
        even = ax.axhspan(25, 75, color="#EEEEEE", zorder=0, label="middle half, if spread evenly")
        middle = ax.vlines(x, values.q25, values.q75, color=COLOURS[0], linewidth=4, alpha=0.5, label="middle half")
        median = ax.plot(x, values.q50, "o", color=COLOURS[0], markersize=5, label="median")[0]
        ax.set_xticks(x, [f"{minutes:g}" for minutes in values.index])
        ax.set(xlabel="estimate [min]", ylim=(0, 100))
        ax.set_title(trace)
        ax.grid(False, axis="x")
    axes[0, 0].set_ylabel("run time / estimate [%]")
    figure.legend(handles=[median, middle, even], loc="outside upper right", ncols=3)
    return figure


def modelled_histograms(table, log, model, others=(), highest=4):
    """A model's histogram on that of the logs, and below it both as cumulative distributions; a column a trace.

    Parameters
    ----------
    table : DataFrame
        By (trace, percent), columns in per cent of the jobs; the last bin holds all above.
    log, model : str
        Columns.
    others : dict
        Label by column of further models, for the cumulative distributions.
    highest : float
        Per cent of the jobs at which the histograms are cut; what the bins cut had together is written beside them.

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    size = (max(9, 1.5 + 3.6 * len(traces)), 5.8)
    figure, axes = plt.subplots(2, len(traces), figsize=size, squeeze=False, sharex=True, sharey="row")
    styles = dict(zip(others, (":", "--", "-.", (0, (5, 1))), strict=False))
    for (upper, lower), trace in zip(axes.T, traces, strict=True):
        bins = table.loc[trace]
        edges = np.append(bins.index, bins.index.max() + 1)
        upper.stairs(bins[log], edges, fill=True, color="#B0B0B0")
        upper.stairs(bins[model], edges, color=COLOURS[0], linewidth=1.2)
        for column, colour, y in ((log, "#606060", -9), (model, COLOURS[0], -20)):
            cut = bins[column][bins[column] > highest]
            for part, x, side in ((cut[cut.index < 50], 4, "left"), (cut[cut.index >= 50], 98, "right")):
                style = {"textcoords": "offset points", "ha": side, "color": colour, "size": 8}
                upper.annotate(f"{part.sum():.1f} %" if len(part) else "", (x, highest), (0, y), **style)
        for column, style in styles.items():
            lower.plot(edges[1:], bins[column].cumsum(), color=COLOURS[4], linestyle=style, linewidth=1)
        lower.plot(edges[1:], bins[log].cumsum(), color="#808080", linewidth=2.5)
        lower.plot(edges[1:], bins[model].cumsum(), color=COLOURS[0], linewidth=1.2)
        upper.set(ylim=(0, highest), xlim=(0, edges[-1]))
        upper.set_title(trace)
        lower.set(xlabel="run time / estimate [%]", ylim=(0, 100))
    axes[0, 0].set_ylabel("jobs [%]")
    axes[1, 0].set_ylabel("jobs up to here [%]")
    handles = [plt.Line2D([], [], color="#808080", linewidth=2.5, label=log)]
    handles.append(plt.Line2D([], [], color=COLOURS[0], label=model))
    handles += [plt.Line2D([], [], color=COLOURS[4], linestyle=styles[c], label=others[c]) for c in styles]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return figure


def by_estimates(table, metrics, names, schedulers=("easy", "conservative")):
    """Results under different kinds of estimates: a row of panels a metric, a column a trace or other case.

    Parameters
    ----------
    table : DataFrame
        By (scheduler, metric, trace or other case, estimates), columns `ours`, `sd`, `variant`, `variant_sd`.
    metrics, names : dict
        Axis label by metric; label by estimates.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    cases = list(dict.fromkeys(table.index.get_level_values(2)))
    size = (2.5 + 3.2 * len(cases), 0.8 + 3 * len(metrics))
    figure, axes = plt.subplots(len(metrics), len(cases), figsize=size, squeeze=False, sharex=True)
    for (row, metric), (column, case) in product(enumerate(metrics), enumerate(cases)):
        ax = axes[row, column]
        for scheduler, colour, shift in zip(schedulers, COLOURS[:2], (-0.2, 0.1), strict=True):
            part = table.xs((scheduler, metric, case), level=(0, 1, 2)).reindex(list(names))
            x = np.arange(len(part)) + shift
            style = {"color": colour, "linestyle": "", "capsize": 2}
            ax.errorbar(x, part.ours, part.sd, marker="o", markersize=4, **style)
            ax.errorbar(x + 0.1, part.variant, part.variant_sd, marker="o", markersize=5, fillstyle="none", **style)
        ax.set_title(case if row == 0 else "")
        ax.set_ylabel(metrics[metric] if column == 0 else "")
        ax.set_xticks(range(len(names)), list(names.values()))
        ax.set_xlim(-0.5, len(names) - 0.5)
        ax.grid(False, axis="x")
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}"))
    marks = {"linestyle": "", "marker": "o"}
    handles = [plt.Line2D([], [], color=c, label=s, **marks) for s, c in zip(schedulers, COLOURS, strict=False)]
    handles.append(plt.Line2D([], [], color="grey", fillstyle="none", label="variant", **marks))
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return figure


def plain_log_axis(ax):
    """A logarithmic y axis with numbers as people write them: 2,000 rather than 2 x 10^3."""
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    subs = (1, 2, 5) if high / low > 5 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
    ax.yaxis.set_major_locator(LogLocator(subs=subs))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


# Marking and saving


def mark(ax, workload):
    """Say on a picture that what it shows is not a real log, if so."""
    if workload.synthetic:
        ax.text(
            0.5,
            0.5,
            SYNTHETIC,
            transform=ax.transAxes,
            ha="center",
            va="center",
            color="red",
            alpha=0.5,
            size=12,
            zorder=9,
        )
    return ax


def save(exhibit, figure=None, table=None, *, workloads=(), parameters=None, verdicts=None, digits=4):
    """Save an exhibit: `<exhibit>.png`, `<exhibit>.csv`, and `<exhibit>.json` with where it comes from.

    They go to `figures/`, or to `build/synthetic/`, marked, if any of the workloads is synthetic.

    Parameters
    ----------
    exhibit : str
        Folder and notebook, and a suffix where a notebook makes several: "mualem2001_table1".
    figure : Figure, optional
    table : DataFrame, optional
        The numbers behind the picture; floats are rounded to `digits` decimals, so that equal runs give equal bytes.
    workloads : sequence of Workload
        What the numbers were made from.
    parameters : dict
        The notebook's parameters.
    verdicts : dict
        `cells` and `claims`, each a list of dicts.

    Returns
    -------
    Path
        The folder.
    """
    synthetic = any(workload.synthetic for workload in workloads)
    folder = paths.ROOT / "build" / "synthetic" if synthetic else paths.ROOT / "figures"
    if figure is not None:
        if synthetic:
            figure.text(
                0.5, 0.5, SYNTHETIC, ha="center", va="center", rotation=20, size=30, color="red", alpha=0.35, zorder=9
            )
        with paths.replacing(folder / f"{exhibit}.png") as path:
            figure.savefig(path)
    if table is not None:
        table = table.assign(data=SYNTHETIC) if synthetic else table
        with paths.replacing(folder / f"{exhibit}.csv") as path:
            table.round(digits).to_csv(path, lineterminator="\n")
    record = provenance(exhibit, workloads, parameters or {}) | {"verdicts": verdicts or {}}
    with paths.replacing(folder / f"{exhibit}.json") as path:
        path.write_text(json.dumps(_plain(record, digits), indent=1) + "\n", encoding="utf-8")
    if synthetic:
        print(f"*** {SYNTHETIC}: {exhibit} says nothing about the paper ***")
    return folder


def provenance(exhibit, workloads, parameters):
    """Where an exhibit comes from: logs with their digests, parameters, versions."""
    return {
        "exhibit": exhibit,
        "synthetic": any(workload.synthetic for workload in workloads),
        "logs": [
            {
                "name": workload.name,
                **{key: workload.source.get(key) for key in ("file", "variant", "sha256")},
                "procs": workload.procs,
                "jobs": len(workload),
                "dropped": {reason: int(count) for reason, count in workload.dropped.value_counts(sort=False).items()},
                "history": list(workload.history),
            }
            for workload in workloads
        ],
        "parameters": parameters,
        "versions": {
            "python": platform.python_version(),
            **{
                package: metadata.version(package)
                for package in ("simlib", "numpy", "pandas", "numba", "scipy", "matplotlib")
            },
        },
    }


def _plain(value, digits):
    """What JSON can hold: plain numbers, rounded; None for nan."""
    if isinstance(value, dict):
        return {str(key): _plain(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, digits) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if value != value else round(value, digits)
    return value
