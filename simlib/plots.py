"""Pictures, in one style, and saving an exhibit: picture, numbers and record together."""

import json
import platform
from importlib import metadata
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, MultipleLocator, NullFormatter, PercentFormatter

from . import paths

# Okabe and Ito's palette: told apart by readers with any colour vision, and in grey
EASY_COLOUR, CONSERVATIVE_COLOUR = "#0072B2", "#D55E00"
COLOURS = [EASY_COLOUR, CONSERVATIVE_COLOUR, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]

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
    if room >= 7 * len(str(job)) and height >= 0.07 * schedule.workload.procs:
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
