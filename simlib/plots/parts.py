"""A part of the time of a large schedule as a Gantt chart, and what Gantt charts of all kinds need."""

from collections.abc import Hashable, Iterable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba_array
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from ..allotment import most_at_once, pieces
from ..arrays import Floats, Ints
from ..schedule import Schedule
from .panels import calendar_axis, time_axis
from .style import COLOURS, INK


def draw_part(ax: Axes, schedule: Schedule, begin: int, end: int, labels: bool = True) -> bool:
    """Draw the jobs that ran between two seconds of a schedule; all rectangles are one object, which is quick.

    Parameters
    ----------
    ax : Axes
    schedule : Schedule
    begin, end : int
        Seconds of the log.
    labels : bool
        Whether to write the jobs' names.

    Returns
    -------
    bool
        Whether jobs are hatched, for they were backfilled.

    Examples
    --------
    >>> import simlib
    >>> few = simlib.Workload.of("few", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2), C=(2, 6, 6, 1))
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> draw_part(ax, simlib.simulate(few, simlib.EASY()), 4, 8), len(ax.collections[0].get_paths())
    (True, 2)
    """
    jobs = schedule.between(begin, end)
    jobs = jobs[jobs.run > 0].sort_values("start", kind="stable")
    start, stop, procs = (jobs[column].to_numpy(copy=True) for column in ("start", "end", "procs"))
    rows = max(schedule.workload.procs, most_at_once(start, stop, procs))  # a recorded schedule may use more
    ax.set(ylabel="processors", ylim=(0, rows))
    if rows > schedule.workload.procs:
        ax.axhline(schedule.workload.procs, color="black", linewidth=1.5)
    left, right = _time_axis(ax, schedule, begin, end, start, stop)
    job, first, height = pieces(start, stop, procs, rows).T
    colours = to_rgba_array(list(job_colours(jobs.index).values()))[job] if len(jobs) else "none"
    passed = jobs.backfilled.to_numpy()[job]
    seen = (height > rows / 250) & ((right - left)[job] > np.ptp(ax.get_xlim()) / 250)  # hatches are slow to draw
    line: dict[str, Any] = {
        "edgecolor": "white",
        "linewidth": min(0.5, 300 / max(len(job), 1)),
    }  # of many jobs we want to see more
    rectangles = _rectangles(left[job], right[job], first, height)
    ax.add_collection(PolyCollection(list(rectangles), facecolor=colours, **line))
    ax.add_collection(PolyCollection(list(rectangles[passed & seen]), facecolor="none", hatch="//", **line))
    if labels:
        _label_largest(ax, jobs.assign(start=left, end=right), job, first, height)
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    ax.grid(False)
    return bool(passed.any())


def _time_axis(ax: Axes, schedule: Schedule, begin: int, end: int, *seconds: Ints) -> list[Floats]:
    """Set the x axis to a part of the time: the log's calendar, if it has one. Returns where on it seconds are."""
    if schedule.workload.start is None:
        ax.set_xlim(begin, end)
        time_axis(ax)
        return [each.astype(float) for each in seconds]
    zero = schedule.workload.start.timestamp()
    ax.set_xlim(*((zero + second) / 86400 for second in (begin, end)))  # matplotlib's dates are days since 1970
    calendar_axis(ax, schedule.workload.start.tz)
    return [(zero + each) / 86400 for each in seconds]


def _rectangles(left: Floats, right: Floats, first: Ints, height: Ints) -> Floats:
    """The corners of rectangles, shape (rectangles, 4, 2)."""
    across, up = np.stack([left, left, right, right]), np.stack([first, first + height, first + height, first])
    return np.stack([across, up]).transpose(2, 1, 0)


def _label_largest(ax: Axes, jobs: pd.DataFrame, job: Ints, first: Ints, height: Ints) -> None:
    """Write the jobs' names into their highest pieces, where there is room."""
    highest = np.lexsort((-height, job))
    highest = highest[np.unique(job[highest], return_index=True)[1]]
    for row, place in zip(jobs.iloc[job[highest]].itertuples(), highest, strict=True):
        write_label(ax, row.Index, row, first[place], height[place], None)


def job_colours(names: Iterable[Hashable]) -> dict[Hashable, str]:
    """Choose a colour for each job, by name.

    Examples
    --------
    >>> job_colours(["A", "B"])
    {'A': '#0072B2', 'B': '#D55E00'}
    """
    return {job: COLOURS[place % (len(COLOURS) - 1)] for place, job in enumerate(names)}


def write_label(ax: Axes, job: Hashable, row: Any, first: int, height: int, now: int | None) -> None:
    """Write a job's name into its rectangle, the larger of its past and its expected part, across or up if it fits.

    Parameters
    ----------
    ax : Axes
        Its limits are set.
    job : name
    row : Series or named tuple
        The job's `start` and `end`.
    first, height : int
        Of the piece.
    now : int or None
        As in `gantt`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot(xlim=(0, 20), ylim=(0, 4))
    >>> write_label(ax, "A", pd.Series({"start": 0, "end": 10}), 0, 3, None)
    >>> [float(place) for place in ax.texts[0].get_position()]
    [5.0, 1.5]
    """
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
        place: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "color": INK[not solid]}
        place["rotation"] = 0 if across >= needed else 90
        outline = withStroke(linewidth=2.5, foreground=INK[solid])  # on hatches and on every colour
        ax.text((begin + end) / 2, first + height / 2, str(job), path_effects=[outline], **place)
