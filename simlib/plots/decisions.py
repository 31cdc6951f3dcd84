"""Pictures of what EASY went by when it let jobs pass the head of the queue, and of what came of it."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..explain.window import backfill_window
from ..schedule import Schedule
from .panels import legend, time_axis
from .schedules import draw_piece, gantt, job_colours
from .style import COLOURS, INK

WINDOW_COLOUR = "#FFF2B3"
LEGEND: dict[str, dict[str, Any]] = {
    "has run": {"facecolor": "#666666"},
    "expected or waiting": {"facecolor": "#666666", "alpha": 0.35},
    "backfilled": {"facecolor": "#666666", "edgecolor": "white", "hatch": "//"},
    "backfill window": {"facecolor": WINDOW_COLOUR},
    "the user's estimate": {"facecolor": "none", "edgecolor": "grey", "linestyle": ":"},
    "reservation (below: the first)": {"color": "black", "linestyle": "--"},
}
CENTRED: dict[str, Any] = {"ha": "center", "va": "center"}


def backfill_decisions(schedules: Mapping[str, Schedule], now: int, head: int | str) -> Figure:
    """Draw what EASY went by at second `now`, and below it what then happened; a column a schedule, by title.

    Above: who runs until when, the reservation of the head of the queue, the window before it, and over the machine
    the candidates for that window, each as long as it is taken to run, dotted as its user asked.

    Parameters
    ----------
    schedules : dict
        By title; small ones, under `EASY`, all on machines of one size.
    now : int
    head
        The name of the job that heads the queue at that second.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        For a schedule under another policy.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 3600, 7200, 3), B=(60, 600, 900, 2), C=(60, 900, 900, 1))
    >>> figure = backfill_decisions({"EASY": simlib.simulate(w, simlib.EASY())}, 60, "B")
    >>> figure.axes[1].get_title()
    'job B: promised 2:00, started 1:00\\nnot late'
    >>> plt.close(figure)
    """
    rows: dict[str, Any] = {"sharex": True, "sharey": "row", "squeeze": False, "height_ratios": (1.4, 1)}
    figure, axes = plt.subplots(2, len(schedules), figsize=(1.2 + 3.4 * len(schedules), 7), **rows)
    last = max(schedule.jobs.end.max() for schedule in schedules.values())
    procs = max(schedule.workload.procs for schedule in schedules.values())
    for (upper, lower), (title, schedule) in zip(axes.T, schedules.items(), strict=True):
        at, colours = backfill_window(schedule, now, head), job_colours(schedule.jobs.index)
        _machine(upper, at, procs, now, colours)
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
    columns = len(LEGEND) if len(schedules) > 2 else 3
    legend(figure, LEGEND, "outside lower center", ncols=columns, fontsize=11)
    return figure


def _clock(seconds: float) -> str:
    """Write seconds as hours and minutes."""
    return f"{seconds // 3600:.0f}:{seconds % 3600 // 60:02.0f}"


def _machine(ax: Axes, at: pd.DataFrame, procs: int, now: int, colours: Mapping[Any, Any]) -> None:
    """Draw what runs, the reservation, and the window between them, with its length."""
    used = 0
    for job, row in at[at.role == "running"].sort_values("start", kind="stable").iterrows():
        draw_piece(ax, row, used, row.procs, colours[job], now)
        ax.text((row.start + now) / 2, used + row.procs / 2, str(job), weight="bold", color=INK[0], **CENTRED)
        used += row.procs
    head = at[at.role == "reserved"].iloc[0]
    draw_piece(ax, head, 0, head.procs, colours[head.name], now)
    ax.text(head.start + head.run / 2, head.procs / 2, str(head.name), weight="bold", **CENTRED)
    ax.barh(used, head.start - now, procs - used, now, align="edge", color=WINDOW_COLOUR)
    arrow = {"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=(now, procs - 0.5), xytext=(head.start, procs - 0.5), arrowprops=arrow)
    ax.text((now + head.start) / 2, (used + procs - 0.7) / 2, f"window\n{_clock(head.start - now)}", **CENTRED)
    ax.axvline(now, color="black", linewidth=1.5)
    ax.axvline(head.start, color="black", linestyle="--", linewidth=1.5)


def _candidates(ax: Axes, waiting: pd.DataFrame, procs: int, now: int, colours: Mapping[Any, Any]) -> None:
    """Draw above the machine how long each candidate is taken to run; dotted what its user asked for."""
    for place, (job, row) in enumerate(waiting[::-1].iterrows()):
        y = procs + 2.6 + 1.2 * (place - len(waiting) / 2)
        ax.barh(y, row.estimate, 1, now, align="edge", facecolor="none", edgecolor="grey", linestyle=":", linewidth=1.2)
        style: dict[str, Any] = {"hatch": "//"} if row.backfilled else {"alpha": 0.35}
        ax.barh(y, row.run, 1, now, align="edge", color=colours[job], edgecolor="white", **style)
        ax.text(now - 600, y + 0.5, str(job), ha="right", va="center", weight="bold")
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        ax.text(now + 900, y + 0.5, _clock(row.run), va="center", bbox=box, size=9)
    ax.set_ylim(0, procs + 4.5)


def _outcome(ax: Axes, schedule: Schedule, head: int | str) -> None:
    """Draw what happened, with the start that the head of the queue was promised first."""
    if schedule.shadow is None:
        raise ValueError(f"backfill_decisions: found a schedule under {schedule.policy}, expected one under EASY")
    gantt(schedule, ax)
    promised, started = schedule.shadow[head], schedule.jobs.start[head]
    ax.axvline(promised, color="black", linestyle="--", linewidth=1.5)
    late = started > promised
    text = f"job {head}: promised {_clock(promised)}, started {_clock(started)}\n"
    text += f"{_clock(started - promised)} late" if late else "not late"
    ax.set_title(text, color=COLOURS[1] if late else "black")
