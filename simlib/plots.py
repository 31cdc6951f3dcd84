"""Pictures, in one style."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
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
    """Switch matplotlib to the house style, whatever one's own settings are, and notebooks to pictures as saved."""
    plt.rcdefaults()
    plt.rcParams.update(STYLE)
    if "inline" in plt.get_backend():
        from matplotlib_inline.config import InlineBackend

        InlineBackend.instance().print_figure_kwargs = {"bbox_inches": None}  # to crop them they would be drawn twice


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
    colours = job_colours(schedule.jobs.index)  # a job keeps its colour in the plan
    schedule = schedule if now is None else schedule.plan(now)
    jobs, procs = schedule.jobs, schedule.workload.procs
    if ax.get_autoscalex_on():
        ax.set_xlim(jobs.submit.min(), jobs.end.max())
    ax.set(ylabel="processors", ylim=(0, procs))
    spans(ax, jobs.assign(planned=False if now is None else jobs.start > now), procs, colours, labels, now)
    if now is not None:
        ax.axvline(now, color="black", linewidth=1.5)
        ax.annotate("now", (now, 0), xytext=(3, 3), textcoords="offset points")
    hatched = "; hatched: backfilled" if jobs.backfilled.any() else ""
    ax.set_title(f"{schedule.workload.name}, {type(schedule.policy).__name__}{hatched}")
    return mark(ax, schedule.workload)


def job_colours(names):
    """A colour for each job, by name."""
    return {job: COLOURS[place % (len(COLOURS) - 1)] for place, job in enumerate(names)}


def spans(ax, jobs, procs, colours, labels=True, now=None, marked=()):
    """The rectangles of a Gantt chart, on axes whose limits are set.

    Parameters
    ----------
    ax : Axes
    jobs : DataFrame
        By job: `start`, `run`, `end`, `procs`, `backfilled`, and `planned` of those that have not started by `now`.
    procs : int
        Processors of the machine.
    colours : dict
        By job.
    labels, now : as in `gantt`
    marked : sequence
        Jobs that get a black frame.
    """
    taken = _processors(jobs, procs)
    for job, row in jobs.iterrows():
        pieces = _runs(taken[job])
        for first, height in pieces:
            _rectangle(ax, row, first, height, colours[job], now, row.planned)
            if job in marked:
                frame = {"fill": False, "edgecolor": "black", "linewidth": 3, "zorder": 2}
                ax.add_artist(Rectangle((row.start, first), row.run, height, **frame))
        if labels and pieces:
            _label(ax, job, row, *max(pieces, key=lambda piece: piece[1]), now)
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    time_axis(ax)
    ax.grid(False)


def _rectangle(ax, row, first, height, colour, now, planned=True):
    """One piece of a job: what has happened by `now` solid, what is expected pale, a reservation dashed."""
    style = {"edgecolor": "white", "linewidth": 0.5, "hatch": "//" if row.backfilled else None, "facecolor": colour}
    past = row.run if now is None else min(max(now - row.start, 0), row.run)
    if past > 0:
        ax.add_artist(Rectangle((row.start, first), past, height, **style))  # quicker than a bar
    if past < row.run:
        dashed = {"edgecolor": "black", "linestyle": "--", "linewidth": 1} if planned and past == 0 else {}
        style |= {"alpha": 0.35} | dashed
        ax.add_artist(Rectangle((row.start + past, first), row.run - past, height, **style))


def _label(ax, job, row, first, height, now):
    """Write a job's name into its rectangle, the larger of its past and its expected part, across or up if it fits."""
    begin, end = row.start, row.end
    solid = now is None or begin + end <= 2 * now
    if now is not None and begin < now < end:
        begin, end = (begin, now) if solid else (now, end)
    left, right = ax.get_xlim()
    begin, end = max(begin, left), min(end, right)
    to_points, font = 72 / ax.figure.dpi, plt.rcParams["font.size"]
    across = (end - begin) / (right - left) * ax.bbox.width * to_points
    upward = height / ax.get_ylim()[1] * ax.bbox.height * to_points
    needed, line = 0.62 * font * len(str(job)), 1.1 * font
    if (across >= needed and upward >= line) or (across >= 1.4 * line and upward >= needed):
        place = {"ha": "center", "va": "center", "weight": "bold", "color": INK[not solid]}
        place["rotation"] = 0 if across >= needed else 90
        outline = withStroke(linewidth=2.5, foreground=INK[solid])  # on hatches and on every colour
        ax.text((begin + end) / 2, first + height / 2, str(job), path_effects=[outline], **place)


def _processors(jobs, procs):
    """Which processors each job would have, taking the lowest free ones; an array of numbers by job."""
    until = np.full(procs, np.iinfo(np.int64).min)
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
    entries = {str(key): {"linewidth": 1.8} | styles[key] for key in there}
    legend(figure, entries, "outside right upper", ncols=1, title=line.replace("_", " "))
    return figure


def legend(figure, entries, loc="outside upper center", **options):
    """A legend beside a figure's panels, in one row unless `ncols` says otherwise.

    Parameters
    ----------
    figure : Figure
    entries : dict
        By label the style of a line, as `Axes.plot` takes it, or of an area if it has a "facecolor".
    loc : str
    **options
        Of `Figure.legend`.
    """
    handles = [
        plt.Rectangle((0, 0), 1, 1, label=label, **style)
        if "facecolor" in style
        else plt.Line2D([], [], label=label, **style)
        for label, style in entries.items()
    ]
    figure.legend(handles=handles, loc=loc, **{"ncols": len(handles)} | options)


def scheduler_styles(schedulers, **style):
    """How the schedulers are named and coloured in legends: entries of `legend`."""
    names = [{"easy": "EASY"}.get(scheduler, scheduler) for scheduler in schedulers]
    return {name: {"color": colour} | style for name, colour in zip(names, COLOURS, strict=False)}


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


def stamp(figure):
    """Say across a picture that what it shows only stands in for a log."""
    place = {"ha": "center", "va": "center", "rotation": 20}
    figure.text(0.5, 0.5, SYNTHETIC, **place, size=30, color="red", alpha=0.35, zorder=9)


def save(figure, path):
    """Save a figure as PNG; its bytes do not hang on where it was shown before.

    Parameters
    ----------
    figure : Figure
    path : str or Path
        The file appears at once and whole.
    """
    with paths.replacing(path) as new:
        _lay_out(figure)
        figure.savefig(new)


def _lay_out(figure):
    """Lay a figure out as a notebook does that shows it once, so that its picture does not hang on where it was shown.

    A layout begins where the last one ended: it makes a difference whether, and by which measures of its texts, a
    figure was drawn before it is saved.
    """
    canvas, dpi = figure.canvas, figure.dpi
    FigureCanvasAgg(figure)  # PNGs are drawn on it
    figure.dpi = STYLE["figure.dpi"]
    for ax in figure.axes:
        if ax.get_in_layout() and (place := ax.get_subplotspec()):  # not where somebody placed it by hand
            ax.set_position(place.get_position(ax.figure))
            ax.set_in_layout(True)
    figure.draw_without_rendering()
    figure.dpi = dpi
    figure.set_canvas(canvas)
