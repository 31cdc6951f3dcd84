"""Pictures for slides: those of the lessons, large enough to be read from the back of a lecture hall."""

from collections.abc import Iterable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from ... import plots
from ...core.schedule import Schedule
from ..widgets.control import LARGE

SLIDE: dict[Any, Any] = LARGE | {
    "figure.constrained_layout.use": True,
    "figure.figsize": (12, 4.9),
    "font.size": 19,
    "axes.titlesize": 21,
}


def use_slide_style() -> None:
    """Switch matplotlib to the style of slides."""
    plots.use_style()
    plt.rcParams.update(SLIDE)


def on_a_slide(figure: Figure) -> None:
    """Give a picture of a lesson the size of a slide; in the style of slides its text grows with it."""
    figure.set_size_inches(SLIDE["figure.figsize"])


def charts(schedules: Mapping[str, Schedule], until: int | None = None, now: int | None = None) -> list[Axes]:
    """Draw Gantt charts one below the other, on one axis of time."""
    last = max(schedule.jobs.end.max() for schedule in schedules.values()) if until is None else until
    axes: list[Axes] = list(plt.subplots(len(schedules), squeeze=False)[1][:, 0])
    for ax, (title, schedule) in zip(axes, schedules.items(), strict=True):
        ax.set_xlim(0, last)
        plots.gantt(schedule, ax, now=now).set_title(title)
        procs = schedule.workload.procs
        ax.yaxis.set_major_locator(MultipleLocator(procs / 2 if len(schedules) > 1 else max(procs // 5, 1)))
    for ax in axes[:-1]:
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
    return axes


def bars(panels: Mapping[str, pd.Series], digits: Iterable[int] = (), stand_in: Any = None) -> list[Axes]:
    """Draw a panel of bars for each of some rows of numbers, with the numbers on the bars."""
    axes: list[Axes] = list(plt.subplots(1, len(panels), squeeze=False)[1][0])
    shown = list(digits) or [0] * len(panels)
    for ax, (title, row), places in zip(axes, panels.items(), shown, strict=True):
        drawn = ax.bar([str(name) for name in row.index], row, color=plots.COLOURS[: len(row)], width=0.6)
        ax.bar_label(drawn, [f"{value:,.{places}f}" for value in row], padding=3)
        ax.set(title=title, yticks=[])
        ax.margins(y=0.15)
        ax.grid(False)
        ax.spines["left"].set_visible(False)
    if stand_in is not None:
        plots.mark(axes[0], stand_in)
    return axes
