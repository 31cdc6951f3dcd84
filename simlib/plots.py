"""Pictures, in one style, and saving an exhibit: picture, numbers and record together."""

import json
import platform
from importlib import metadata
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patheffects import withStroke
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
UNTESTABLE = {"verdict": "cannot be tested", "evidence": SYNTHETIC}


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


def backfilled_by_load(tables, labels, schedulers=("easy", "conservative")):
    """What the schedulers backfill of models by load: a row a quantity, a column a model; bands: intervals.

    Parameters
    ----------
    tables : dict of DataFrame
        By quantity; each by model and load, with the columns `<scheduler>`, `<scheduler>_low` and `<scheduler>_high`.
    labels : dict
        Axis label by quantity.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    models = list(next(iter(tables.values())).index.unique("model"))
    size = (1.2 + 3.4 * len(models), 0.8 + 2.6 * len(tables))
    figure, axes = plt.subplots(len(tables), len(models), figsize=size, sharex=True, sharey="row", squeeze=False)
    for (row, (quantity, table)), (column, model) in product(enumerate(tables.items()), enumerate(models)):
        ax, values = axes[row, column], table.loc[model]
        for scheduler, colour in zip(schedulers, COLOURS, strict=False):
            low, high = values[f"{scheduler}_low"], values[f"{scheduler}_high"]
            ax.fill_between(values.index, low, high, color=colour, alpha=0.25, linewidth=0)
            ax.plot(values.index, values[scheduler], "o-", color=colour, markersize=3, label=scheduler)
        ax.set_title(model if row == 0 else "")
        ax.set_ylabel(labels[quantity] if column == 0 else "")
    for ax in axes[-1]:
        ax.set_xlabel("offered load")
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(schedulers))
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


# Results against load

LOAD_MARKERS = [{"marker": marker, "linestyle": line} for marker, line in (("o", "-"), ("s", "--"), ("^", ":"))]
DIFFERENCE_COLOURS = [*COLOURS[2:6], "#808080", "#8C510A", COLOURS[6]]
HOLLOW = {"marker": "o", "linestyle": "", "markerfacecolor": "white"}


def against_load(points, metrics, groups=None, value="mean", schedulers=("easy", "conservative")):
    """Means against load with their confidence intervals: metrics side by side, or of several groups one a column.

    Parameters
    ----------
    points : DataFrame
        By (workload, load, scheduler, metric), columns `low`, `high` and that of the value; and `ceiling`, where the
        dot is hollow and the axis does not reach up for it.
    metrics : dict
        Axis label by metric.
    groups : list of list of str
        Which workloads share a column; by default there is one group of all.
    value : str
        The column that is drawn.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    groups = groups or [list(points.index.unique("workload"))]
    several = len(groups) > 1
    shape, size = ((len(metrics), len(groups)), (0.8 + 2.5 * len(groups), 0.9 + 2.9 * len(metrics)))
    shape, size = (shape, size) if several else (shape[::-1], (5.2 * len(metrics), 4.0))
    figure, axes = plt.subplots(*shape, figsize=size, squeeze=False, sharex=True, sharey="row" if several else False)
    axes = axes if several else axes.T
    colours = dict(zip(schedulers, COLOURS, strict=False))
    markers = {name: style for group in groups for name, style in zip(group, LOAD_MARKERS, strict=False)}
    for (row, (metric, label)), (column, group) in product(enumerate(metrics.items()), enumerate(groups)):
        _panel(axes[row, column], points.xs(metric, level="metric").loc[group], value, colours, markers)
        axes[row, column].set_title(", ".join(group) if several and row == 0 else "")
        axes[row, column].set_ylabel(label if column == 0 else "")
    shown = points[~points.ceiling].high.groupby("metric").max()
    for row, metric in enumerate(metrics):
        axes[row, 0].set_ylim(0, 1.5 * shown[metric] if metric in shown else None)
    for ax in axes[-1] if several else axes[:, 0]:
        ax.set_xlabel("load")
    handles = [plt.Line2D([], [], color=colours[scheduler], label=scheduler) for scheduler in schedulers]
    if not several:
        handles += [plt.Line2D([], [], color="grey", label=name, **style) for name, style in markers.items()]
    if points.ceiling.any():
        handles.append(plt.Line2D([], [], color="grey", label="stopped: too high", **HOLLOW))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _panel(ax, points, value, colours, markers):
    """One metric of some workloads against load, a line each of these and each scheduler."""
    shifts = dict(zip(colours, (-0.0015, 0.0015), strict=True))  # so that equal intervals stay apart
    for workload, scheduler in product(points.index.unique("workload"), colours):
        part = points.xs((workload, scheduler), level=("workload", "scheduler"))
        style = {"color": colours[scheduler], **markers[workload]}
        _with_intervals(ax, part.index + shifts[scheduler], part, part[value], style)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _with_intervals(ax, x, part, values, style):
    """A line with its intervals, dots hollow where the ceiling stopped the simulation."""
    error = [values - part.low, part.high - values]
    ax.errorbar(x, values, error, markersize=4, linewidth=1.3, elinewidth=0.9, capsize=2, **style)
    over = {"markersize": 4, "linestyle": "", "markerfacecolor": "white", "zorder": 3}
    ax.plot(x[part.ceiling], values[part.ceiling], **style | over)


def differences_by_load(differences, metrics, names=None):
    """How much more conservative has than EASY, by load, with intervals: a panel a metric, a line a workload.

    Parameters
    ----------
    differences : DataFrame
        By (workload, load, rule, metric), columns `relative`, `low`, `high` and `ceiling`, where dots are hollow; the
        rule "followed" is drawn solid, "variant" dotted and without intervals.
    metrics : dict
        Panel title by metric.
    names : list of str
        The workloads to draw, by default all; each has its colour in any picture of the same table.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, len(metrics), figsize=(5.2 * len(metrics), 4.2))
    colours = dict(zip(differences.index.unique("workload"), DIFFERENCE_COLOURS, strict=False))
    names = names or list(colours)
    for ax, (metric, title) in zip(axes, metrics.items(), strict=True):
        ax.axhline(0, color="black", linewidth=1)
        for name in names:
            by_rule = differences.xs((name, metric), level=("workload", "metric"))
            part, other = (by_rule.xs(rule, level="rule") for rule in ("followed", "variant"))
            style = {"color": colours[name], "marker": "o"}
            _with_intervals(ax, part.index, part, part.relative, style)
            ax.plot(other.index, other.relative, ":", color=colours[name], linewidth=1.2)
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}%" if value else "equal"))
        ax.set(title=title, xlabel="load")
    axes[0].set_ylabel("conservative's mean against EASY's")
    handles = [plt.Line2D([], [], color=colours[name], marker="o", markersize=4, label=name) for name in names]
    handles.append(plt.Line2D([], [], color="grey", linestyle=":", label="variant"))
    if differences.loc[names].ceiling.any():
        handles.append(plt.Line2D([], [], color="grey", label="stopped: too high", **HOLLOW))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


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
            style = {"linestyle": "--"} if key == "user" else {}  # where it hides behind the double key
            ax.plot(range(len(values)), values, color=colour, marker=marker, markersize=5, label=label, **style)
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
MEASURES = {  # name, unit, and what the baseline is set to
    "wait": ("mean wait", " [min]", 100),
    "slowdown": ("mean slowdown", "", 10),
    "weighted_wait": ("weighted wait", " [min]", 100),
}


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

    The baseline is set to 100 minutes, to 10, to 100 minutes; equal ratios to it are equal distances. Bands and error
    bars: 95 % of the shaken runs.

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
        for ax, (metric, (name, unit, base)) in zip(row, MEASURES.items(), strict=False):
            for case, colour in zip(cases, CASE_COLOURS, strict=True):
                part = base * (1 - monthly.loc[trace].loc[case].loc[metric, ["gain", "low", "high"]])
                ax.plot(part.gain.to_numpy(), color=colour, marker=".", linewidth=1.2, label=case)
                ax.fill_between(range(len(part)), part.low, part.high, color=colour, alpha=0.15, linewidth=0)
            ax.axhline(base, color="black", linewidth=1.2, label="baseline")
            _month_axis(ax, part.index)
            ax.set_ylabel(f"{name}{unit}")
        row[0].set_title(trace)
        _average_gains(row[3], averages.loc[trace], cases, printed)
    for column, (_, _, base) in zip(axes.T, MEASURES.values(), strict=False):
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
    ax.set_xticks(range(len(MEASURES)), [name.replace(" ", "\n", 1) for name, _, _ in MEASURES.values()], size=9)
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


# Figure 12 of Tang et al.

WINDOW_COLOUR = "#FFF2B3"
CENTRED = {"ha": "center", "va": "center"}


def backfill_decisions(schedules, moments, now):
    """Above, what a scheduler went by at second `now`: who runs until when, the reservation of the head of the queue,
    the window before it, and the candidates for that; below, what then happened. A column a case.

    Parameters
    ----------
    schedules : dict
        By title, the Schedule.
    moments : dict
        By title, the jobs at second `now` as `simlib.papers.tang2013.examples.moment` has them.
    now : int

    Returns
    -------
    Figure
    """
    rows = {"sharex": True, "sharey": "row", "squeeze": False, "height_ratios": (1.4, 1)}
    figure, axes = plt.subplots(2, len(schedules), figsize=(1.2 + 3.4 * len(schedules), 7), **rows)
    last = max(schedule.jobs.end.max() for schedule in schedules.values())
    for (upper, lower), (title, schedule) in zip(axes.T, schedules.items(), strict=True):
        at, procs = moments[title], schedule.workload.procs
        colours = dict(zip(schedule.jobs.index, COLOURS, strict=False))
        head = _machine_at(upper, at, procs, now, colours)
        _candidates(upper, at[at.role == "candidate"], procs, now, colours)
        upper.set_title(title, size=12, weight="bold")
        upper.grid(False)
        _outcome(lower, schedule, head)
        lower.set(xlim=(0, last), ylabel="")
        time_axis(lower)
    for ax, label, y in zip(axes[:, 0], ("nodes, at the decision", "nodes, what happened"), (0.36, 0.5), strict=True):
        ax.set_yticks(range(0, procs + 1, 2))
        ax.set_ylabel(label, y=y, size=11)
    beside = axes[0, 0].get_yaxis_transform()
    axes[0, 0].text(-0.11, procs + 2.5, "candidates", transform=beside, rotation=90, size=11, **CENTRED)
    handles = _decision_legend()
    columns = len(handles) if len(schedules) > 2 else 3
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=11)
    return figure


def _clock(seconds):
    """Hours and minutes."""
    return f"{seconds // 3600:.0f}:{seconds % 3600 // 60:02.0f}"


def _machine_at(ax, at, procs, now, colours):
    """What runs, the reservation, and the window between them, with its length; returns the head."""
    used = 0
    for job, row in at[at.role == "running"].sort_values("start", kind="stable").iterrows():
        _rectangle(ax, row, used, row.procs, colours[job], now)
        ax.text((row.start + now) / 2, used + row.procs / 2, job, weight="bold", color=INK[0], **CENTRED)
        used += row.procs
    head = at[at.role == "reserved"].iloc[0]
    _rectangle(ax, head, 0, head.procs, colours[head.name], now)
    ax.text(head.start + head.run / 2, head.procs / 2, head.name, weight="bold", **CENTRED)
    ax.barh(used, head.start - now, procs - used, now, align="edge", color=WINDOW_COLOUR)
    ends = {"xy": (now, procs - 0.5), "xytext": (head.start, procs - 0.5)}
    ax.annotate("", **ends, arrowprops={"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0})
    ax.text((now + head.start) / 2, (used + procs - 0.7) / 2, f"window\n{_clock(head.start - now)}", **CENTRED)
    ax.axvline(now, color="black", linewidth=1.5)
    ax.axvline(head.start, color="black", linestyle="--", linewidth=1.5)
    return head.name


def _candidates(ax, waiting, procs, now, colours):
    """Above the machine, how long each candidate is taken to run; dotted what its user asked for."""
    for place, (job, row) in enumerate(waiting[::-1].iterrows()):
        y = procs + 2.6 + 1.2 * (place - len(waiting) / 2)
        ax.barh(y, row.estimate, 1, now, align="edge", facecolor="none", edgecolor="grey", linestyle=":", linewidth=1.2)
        style = {"hatch": "//"} if row.backfilled else {"alpha": 0.35}
        ax.barh(y, row.run, 1, now, align="edge", color=colours[job], edgecolor="white", **style)
        ax.text(now - 600, y + 0.5, job, ha="right", va="center", weight="bold")
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        ax.text(now + 900, y + 0.5, _clock(row.run), va="center", bbox=box, size=9)
    ax.set_ylim(0, procs + 4.5)


def _outcome(ax, schedule, head):
    """What happened, with the start that the head of the queue was promised first."""
    gantt(schedule, ax)
    for text in ax.texts:
        text.set_path_effects([withStroke(linewidth=2.5, foreground="black")])
    promised, started = schedule.shadow[head], schedule.jobs.start[head]
    ax.axvline(promised, color="black", linestyle="--", linewidth=1.5)
    late = started > promised
    text = f"job {head}: promised {_clock(promised)}, started {_clock(started)}\n"
    text += f"{_clock(started - promised)} late" if late else "not late"
    ax.set_title(text, color=COLOURS[1] if late else "black")


def _decision_legend():
    patch = plt.Rectangle
    return [
        patch((0, 0), 1, 1, color="#666666", label="has run"),
        patch((0, 0), 1, 1, color="#666666", alpha=0.35, label="expected or waiting"),
        patch((0, 0), 1, 1, facecolor="#666666", edgecolor="white", hatch="//", label="backfilled"),
        patch((0, 0), 1, 1, color=WINDOW_COLOUR, label="backfill window"),
        patch((0, 0), 1, 1, facecolor="none", edgecolor="grey", linestyle=":", label="the user's estimate"),
        plt.Line2D([], [], color="black", linestyle="--", label="reservation (below: the first)"),
    ]


# Marking and saving


def mark(ax, workload):
    """Say on a picture that what it shows only stands in for a log, if so."""
    if workload.stand_in:
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

    They go to `figures/`, or to `build/synthetic/`, marked, if any of the workloads only stands in for a log.

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
        `cells` and `claims`, each a list of dicts. What stands in for a log can test no claim.

    Returns
    -------
    Path
        The folder.
    """
    synthetic = any(workload.stand_in for workload in workloads)
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
    verdicts = verdicts or {}
    if synthetic and "claims" in verdicts:
        verdicts = verdicts | {"claims": [found | UNTESTABLE for found in verdicts["claims"]]}
    record = provenance(exhibit, workloads, parameters or {}) | {"verdicts": verdicts}
    with paths.replacing(folder / f"{exhibit}.json") as path:
        path.write_text(json.dumps(_plain(record, digits), indent=1) + "\n", encoding="utf-8")
    if synthetic:
        print(f"*** {SYNTHETIC}: {exhibit} says nothing about the paper ***")
    return folder


def provenance(exhibit, workloads, parameters):
    """Where an exhibit comes from: logs with their digests, models, parameters, versions."""
    models = [workload for workload in workloads if "model" in workload.source]
    return {
        "exhibit": exhibit,
        "synthetic": any(workload.stand_in for workload in workloads),
        "models": [
            {"name": model.name, **model.source, "procs": model.procs, "history": list(model.history)}
            for model in models
        ],
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
            if "model" not in workload.source
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


# Twins against logs

TWIN_STYLES = [{"color": COLOURS[6], "linewidth": 2.2}, {"color": COLOURS[1], "linewidth": 1.1}]


def distributions_compared(curves, titles, logarithmic=()):
    """Distributions of several workloads, a panel each.

    Parameters
    ----------
    curves : dict of dict of Series
        By workload and panel, values over numbers, or over names such as months.
    titles : dict
        Title by panel.
    logarithmic : sequence of str
        Panels with a logarithmic horizontal axis.

    Returns
    -------
    Figure
    """
    rows = -(-len(titles) // 3)
    figure, axes = plt.subplots(rows, 3, figsize=(13, 0.5 + 2.9 * rows))
    for ax, (panel, title) in zip(axes.flat, titles.items(), strict=False):
        for curve, style in zip((parts[panel] for parts in curves.values()), TWIN_STYLES, strict=False):
            if curve.index.dtype.kind in "iuf":
                ax.plot(curve.index, curve.to_numpy(), drawstyle="steps-post", **style)
            else:
                every = slice(0, None, -(-len(curve) // 4))
                ax.plot(range(len(curve)), curve.to_numpy(), drawstyle="steps-mid", **style)
                ax.set_xticks(range(len(curve))[every], curve.index[every])
        if panel in logarithmic:
            _log_x(ax, (1,))
        ax.set_title(title, fontsize=10)
        ax.set_ylim(bottom=0)
    for ax in axes.flat[len(titles) :]:
        ax.set_axis_off()
    handles = [plt.Line2D([], [], label=name, **style) for name, style in zip(curves, TWIN_STYLES, strict=False)]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return figure


def scheduled_compared(table, metrics, schedulers=("easy", "conservative")):
    """Scheduling results of logs and of their twins: a panel a metric, a row a log and scheduler.

    Parameters
    ----------
    table : DataFrame
        By log, kind (two of them, such as "log" and "twin") and run, with the columns `<scheduler>_<metric>`.
    metrics : dict
        Title by metric.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    logs, kinds = (list(table.index.unique(level)) for level in ("log", "kind"))
    rows = list(product(logs, schedulers))
    figure, axes = plt.subplots(1, len(metrics), figsize=(5.6 * len(metrics), 1.2 + 0.42 * len(rows)), sharey=True)
    for ax, (metric, title) in zip(axes, metrics.items(), strict=True):
        for y, (log, scheduler) in enumerate(rows):
            for kind, style, shift in zip(kinds, TWIN_STYLES, (-0.16, 0.16), strict=True):
                values = table.xs((log, kind), level=("log", "kind"))[f"{scheduler}_{metric}"]
                ax.hlines(y + shift, values.min(), values.max(), color=style["color"], linewidth=1)
                ax.plot(values, np.full(len(values), y + shift), "|", color=style["color"], markersize=6)
                ax.plot(values.mean(), y + shift, "o", color=style["color"], markersize=5)
        _log_x(ax, (1, 2, 5))
        ax.set_yticks(range(len(rows)), [f"{log} {scheduler}" for log, scheduler in rows])
        ax.set_title(title)
    axes[0].invert_yaxis()
    handles = [
        plt.Line2D([], [], color=style["color"], marker="o", label=f"{kind}: runs and mean")
        for kind, style in zip(kinds, TWIN_STYLES, strict=True)
    ]
    figure.legend(handles=handles, loc="outside upper right", ncols=2)
    return figure


def _log_x(ax, subs):
    """A logarithmic x axis with plain numbers, at `subs` times powers of ten."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
