"""Pictures of one schedule: Gantt chart and utilization."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba_array
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator, PercentFormatter

from .._util import checks
from .._util.arrays import Floats, Ints
from ..core.calendar import Moment
from ..core.metrics import most_at_once, pieces, pieces_by_job
from ..core.schedule import Schedule
from .panels import time_axis
from .style import COLOURS, INK, mark

# A part of the time of a large schedule as a Gantt chart, and what Gantt charts of all kinds need.


def _draw_part(ax: Axes, schedule: Schedule, begin: int, end: int, labels: bool = True) -> bool:
    """Draw the jobs that ran between two seconds of a schedule; all rectangles are one object, which is fast."""
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
    line: dict[str, Any] = {"edgecolor": "white", "linewidth": min(0.5, 300 / max(len(job), 1))}  # thin for many
    across = np.stack([left[job], left[job], right[job], right[job]])
    up = np.stack([first, first + height, first + height, first])
    rectangles = np.stack([across, up]).transpose(2, 1, 0)  # their corners
    ax.add_collection(PolyCollection(list(rectangles), facecolor=colours, **line))
    ax.add_collection(PolyCollection(list(rectangles[passed & seen]), facecolor="none", hatch="//", **line))
    if labels:
        _label_largest(ax, jobs.assign(start=left, end=right), job, first, height)
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    ax.grid(False)
    return bool(passed.any())


def _time_axis(ax: Axes, schedule: Schedule, begin: int, end: int, *seconds: Ints) -> list[Floats]:
    """Set the x axis to a part of the time, in the log's calendar if it has one. Returns where on it seconds are."""
    if schedule.workload.start is None:
        ax.set_xlim(begin, end)
        time_axis(ax)
        return [each.astype(float) for each in seconds]
    zero = schedule.workload.start.timestamp()
    ax.set_xlim(*((zero + second) / 86400 for second in (begin, end)))  # matplotlib's dates are days since 1970
    zone = schedule.workload.start.tz
    locator = AutoDateLocator(tz=zone)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=zone))
    ax.set_xlabel(f"time ({zone})")
    return [(zero + each) / 86400 for each in seconds]


def _label_largest(ax: Axes, jobs: pd.DataFrame, job: Ints, first: Ints, height: Ints) -> None:
    """Write the jobs' names into their highest pieces, if there is room."""
    highest = np.lexsort((-height, job))
    highest = highest[np.unique(job[highest], return_index=True)[1]]
    for row, place in zip(jobs.iloc[job[highest]].itertuples(), highest, strict=True):
        _write_label(ax, row.Index, row, first[place], height[place], None)


MORE = ["#7B3294", "#8C6D31", "#7F7F7F", "#B8DE29", "#8B1A1A", "#274E63"]
"""The colours of the seventh to the twelfth job."""


def job_colours(names: Iterable[Hashable]) -> dict[Hashable, str]:
    """Choose a colour for each job, by name: up to twelve jobs have a colour of their own."""
    names, few = list(names), COLOURS[:-1]
    palette = [*few, *MORE] if len(names) <= len(few) + len(MORE) else few
    return {job: palette[place % len(palette)] for place, job in enumerate(names)}


def _write_label(ax: Axes, job: Hashable, row: Any, first: int, height: int, now: int | None) -> None:
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
        place: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "color": INK[not solid]}
        place["rotation"] = 0 if across >= needed else 90
        outline = withStroke(linewidth=2.5, foreground=INK[solid])  # on hatches and on every colour
        ax.text((begin + end) / 2, first + height / 2, str(job), path_effects=[outline], **place)


def gantt(
    schedule: Schedule,
    first: Moment | int | Axes | None = None,
    last: Moment | int | None = None,
    ax: Axes | None = None,
    labels: bool = True,
    now: int | None = None,
) -> Axes:
    """Draw the Gantt chart of a schedule: time to the right, processors upwards, one rectangle for each job.

    A simulation knows how many processors a job has, but not which. Here each job takes the lowest free ones, so a job
    may have several pieces.

    Parameters
    ----------
    schedule : Schedule
        With up to a few hundred jobs; or with any number, if a part of the time is drawn in which a few thousand ran.
    first, last : str, date or int, optional
        The part of the full schedule's time to draw, as for `Schedule.between`, such as "2004-11-10", "2004-11-11"; its
        axis is the log's calendar. By default all of it. Axes given as `first` count as `ax`.
    ax : Axes, optional
    labels : bool
        Whether to write each job's name into its rectangle, if there is room.
    now : int, optional
        Draw the state and the plan at this second: expected run times after it are pale, reservations dashed.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        As from `Schedule.between`; for a part of the time together with `now`.

    Examples
    --------
    >>> import simlib
    >>> few = simlib.Workload.of("few", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2), C=(2, 6, 6, 1))
    >>> ax = gantt(simlib.simulate(few, simlib.EASY()))
    >>> ax.get_title()
    'few, EASY; hatched: backfilled'
    >>> plt.close(ax.figure)

    One day of a log:

    >>> ax = gantt(simlib.simulate(simlib.load("sample"), simlib.EASY()), "2026-02-10", "2026-02-11")
    >>> ax.get_xlabel()
    'time (UTC)'
    >>> plt.close(ax.figure)
    """
    if isinstance(first, Axes):
        first, ax = None, first
    if now is not None:
        checks.whole("gantt", "now", now, -checks.LATEST)
    ax = ax or plt.subplots(figsize=(8, 3))[1]
    if first is not None or last is not None:
        if now is not None:
            raise ValueError(f"gantt: found now={now!r} with {first} to {last}, expected one or the other")
        hatched = _draw_part(ax, schedule, *schedule.workload.period(first, last), labels)  # type: ignore[arg-type]
    else:
        hatched = _draw_all(ax, schedule, labels, now)
    said = "; hatched: backfilled" if hatched else ""
    ax.set_title(f"{schedule.workload.name}, {type(schedule.policy).__name__}{said}")
    return mark(ax, schedule.workload)


def _draw_all(ax: Axes, schedule: Schedule, labels: bool, now: int | None) -> bool:
    """Draw all jobs of a small schedule, or of a plan; tell whether any job was backfilled."""
    colours = job_colours(schedule.jobs.index)  # a job keeps its colour in the plan
    schedule = schedule if now is None else schedule.plan(now)
    jobs, procs = schedule.jobs, schedule.workload.procs
    if ax.get_autoscalex_on():
        begin, end = (jobs.submit.min(), jobs.end.max()) if len(jobs) else (0, 0)
        ax.set_xlim(begin, max(end, begin + 1))
    ax.set(ylabel="processors", ylim=(0, procs))
    spans(ax, jobs.assign(planned=False if now is None else jobs.start > now), procs, colours, labels, now)
    if now is not None:
        ax.axvline(now, color="black", linewidth=1.5)
        ax.annotate("now", (now, 0), xytext=(3, 3), textcoords="offset points")
    return bool(jobs.backfilled.any())


def spans(
    ax: Axes,
    jobs: pd.DataFrame,
    procs: int,
    colours: Mapping[Hashable, str],
    labels: bool = True,
    now: int | None = None,
) -> None:
    """Draw the rectangles of a Gantt chart, on axes whose limits are set; `labels` and `now` are as in `gantt`.

    The table has for each job `start`, `run`, `end`, `procs`, `backfilled`, and whether it is `planned`, because it has
    not started by `now`.
    """
    taken = dict(zip(jobs.index, pieces_by_job(jobs, procs), strict=True))
    for job, row in jobs.iterrows():
        for first, height in taken[job]:
            draw_piece(ax, row, first, height, colours[job], now, row.planned)
        if labels and taken[job]:
            first, height = max(taken[job], key=lambda piece: piece[1])
            _write_label(ax, job, row, first, height, now)
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    time_axis(ax)
    ax.grid(False)


def draw_piece(ax: Axes, row: Any, first: int, height: int, colour: str, now: int | None, planned: bool = True) -> None:
    """Draw one piece of a job: the part before `now` solid, the expected part pale, a reservation dashed."""
    style: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.5, "facecolor": colour}
    style["hatch"] = "//" if row.backfilled else None
    past = row.run if now is None else min(max(now - row.start, 0), row.run)
    if past > 0:
        ax.add_artist(Rectangle((row.start, first), past, height, **style))  # quicker than a bar
    if past < row.run:
        dashed = {"edgecolor": "black", "linestyle": "--", "linewidth": 1} if planned and past == 0 else {}
        style |= {"alpha": 0.35} | dashed
        ax.add_artist(Rectangle((row.start + past, first), row.run - past, height, **style))


def utilization(schedule: Schedule, ax: Axes | None = None, every: str = "1D") -> Axes:
    """Draw the share of the machine in use over time.

    Parameters
    ----------
    schedule : Schedule
    ax : Axes, optional
    every : str
        Length of the intervals over which it averages, such as "1D" or "6h".

    Returns
    -------
    Axes

    Examples
    --------
    >>> import simlib
    >>> few = simlib.Workload.of("few", 4, A=(0, 10, 10, 2), B=(0, 5, 5, 2))
    >>> ax = utilization(simlib.simulate(few, simlib.FCFS()), every="5s")
    >>> ax.patches[0].get_data().values.tolist()
    [1.0, 0.5]
    >>> plt.close(ax.figure)
    """
    ax = ax or plt.subplots(figsize=(8, 3))[1]
    steps = schedule.utilization()
    try:
        length = int(pd.Timedelta(every).total_seconds())
    except (ValueError, TypeError):
        length = 0
    if length < 1:
        raise ValueError(f"utilization: found every={every!r}, expected a length of time such as '1D' or '6h'")
    steps = steps if len(steps) else pd.Series([0.0], [0])  # of no job
    first, last = steps.index[0], steps.index[-1]
    edges = np.arange(first, max(last, first + 1) + length, length)
    work = np.concatenate([[0.0], np.cumsum(steps.to_numpy()[:-1] * np.diff(steps.index))])
    mean = np.diff(np.interp(edges, steps.index, work)) / length
    if schedule.workload.start is None:
        ax.stairs(mean, edges / 86400, fill=True, alpha=0.8)
        ax.set_xlabel("days")
    else:
        days = [schedule.workload.time(edge).tz_localize(None) for edge in edges]
        ax.stairs(mean, days, fill=True, alpha=0.8)  # type: ignore[arg-type]  # matplotlib takes times
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.set(ylabel="processors in use", ylim=(0, 1))
    ax.set_title(f"{schedule.workload.name}, {type(schedule.policy).__name__}, mean over {every}")
    return mark(ax, schedule.workload)
