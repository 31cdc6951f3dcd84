"""Compare policies on the same workload, as it is given, and as its load, estimates and machine are varied."""

from collections.abc import Sequence
from html import escape
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import FigureBase
from matplotlib.patheffects import withStroke

from ... import plots
from ..._util.words import number
from ...core.estimates import Uniform
from ...core.policy import Policy
from ...core.schedule import Schedule, simulate
from ...core.workload import Workload
from ...policies.conservative import Conservative
from ...policies.easy import EASY, FCFS
from ..views import html_table, label, legend, seconds, summaries, summary_lines
from ..web import schedules_html
from .control import Control, beside, button, html, ipywidgets, png

LIMIT = 500
"""The most jobs that a Gantt chart can show."""


def compare(workload: Workload, policies: Sequence[Policy]) -> "Compare":
    """Compare policies on the same workload: a Gantt chart each over one time axis, and their metrics.

    You see the whole schedules first. The slider goes back in time, to every second at which something happens under
    any of the policies: then each chart shows what has happened by "now", in full colour, and what its scheduler
    planned, pale, with reservations dashed. A job has the same colour in all of them; backfilled jobs are hatched.

    Parameters
    ----------
    workload : Workload
        Of up to some 200 jobs; at most `LIMIT`.
    policies : sequence
        Two or more, as for `simlib.simulate`, without adjusted estimates.

    Returns
    -------
    Compare

    Raises
    ------
    ValueError
        For no policy, no job or too many jobs, and for adjusted estimates.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> print(repr(compare(two, [simlib.FCFS(), simlib.EASY()])).splitlines()[0])
    two jobs: 2 jobs on 4 processors.
    """
    if not policies:
        raise ValueError("compare: found no policy, expected some, such as [FCFS(), EASY()]")
    if not 0 < len(workload) <= LIMIT:
        raise ValueError(f"{workload.name}: compare: found {len(workload):,} jobs, expected 1 to {LIMIT}")
    schedules = [simulate(workload, policy) for policy in policies]
    for schedule in schedules:
        schedule.plan(workload.jobs.submit.min())  # raises ValueError for adjusted estimates
    return Compare(schedules)


class Compare(Control):
    """A control that compares schedules of the same workload; see `compare`."""

    def __init__(self, schedules: Sequence[Schedule]) -> None:
        self.schedules = schedules
        self.size = (11, 0.7 + 2.4 * len(schedules))
        tables = [schedule.jobs for schedule in schedules]
        self._times = np.unique([table[["submit", "start", "end"]] for table in tables]).tolist()
        self._limits = self._times[0], max(self._times[-1], self._times[0] + 1)
        super().__init__()

    def build(self) -> list[Any]:
        options = [(number(time), time) for time in self._times]
        self.time = ipywidgets.SelectionSlider(
            options=options, value=self._times[-1], description="time", layout={"flex": "1 1 400px"}
        )
        self.time.observe(lambda _: self.show(), "value")
        self.back = button("Back", "To the event before", lambda: self._move(-1))
        self.next = button("Next", "To the next event", lambda: self._move(1))
        self.metrics = html("metrics")
        return [beside(self.back, self.next, self.time), self.picture, self.metrics]

    def _move(self, by: int) -> None:
        self.time.index = min(max(self.time.index + by, 0), len(self._times) - 1)

    def show(self) -> None:
        last = self.time.index == len(self._times) - 1
        now = None if last else self.time.value
        self.picture.value = png(lambda figure: self.draw(figure, now), self.size)
        table = summaries(self.schedules)
        self.metrics.value = html_table("Over all jobs", table.columns, table.to_numpy().tolist())

    def draw(self, figure: FigureBase, now: int | None = None) -> None:
        axes = figure.subplots(len(self.schedules), sharex=True, squeeze=False)[:, 0]
        height = self.size[1]
        figure.subplots_adjust(left=0.075, right=0.98, bottom=0.65 / height, top=1 - 0.35 / height, hspace=0.32)
        for ax, schedule in zip(axes, self.schedules, strict=True):
            ax.set_xlim(self._limits)
            plots.gantt(schedule, ax, now=now)
            ax.set_title(f"{label(schedule.policy)}: mean wait {seconds(schedule.summary().mean_wait)} in the end")
        for ax in axes[:-1]:
            ax.set_xlabel("")
        axes[-1].xaxis.set_label_coords(0.93, -0.2)
        figure.text(0.075, 0.1 / height, legend(self.schedules), size=13)

    def page(self) -> str:

        return schedules_html(self.schedules)

    def lines(self) -> list[str]:
        workload = self.schedules[0].workload
        head = f"{workload.name}: {len(workload):,} jobs on {workload.procs:,} processors."
        return [head, *summary_lines(self.schedules)]


# Vary a workload's load, estimates and machine, and watch the metrics of several policies.

MOST_SIMULATED = 5000
"""The most jobs that are simulated: a move of a slider then takes a tenth of a second, half a second at overload."""

QUALITY = [("as given", 0), ("exact", 1), *((f"f = {f:g}", f) for f in (1.5, 2, 3, 5, 10, 30, 100, 300))]
MACHINE = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 4)
SHOWN = {
    "mean_wait": ("mean wait [h]", 3600),
    "mean_bounded_slowdown": ("mean bounded slowdown", 1),
    "utilization": ("processors in use [%]", 0.01),
}
"""The metrics that have bars, each with its title and unit."""
OUTLINE: dict[str, Any] = {"path_effects": [withStroke(linewidth=3, foreground="white")]}


def explore(workload: Workload, policies: Sequence[Policy] | None = None, seed: int = 0) -> "Explore":
    """Vary a workload, a model's or a month of a log, and watch what becomes of the metrics.

    You see bars of the metrics of several policies; a thin frame shows where each bar was before the last move. Each
    slider changes one thing and leaves the others as they are:

    - load: the offered load of the machine, the workload's own at first; the times between arrivals are stretched or
      squeezed to it (MF 3.1);
    - estimates: as given by the workload, exact, or drawn at random from [r, f r], r being the run time (MF 4.2);
    - processors: the size of the machine. Jobs that are larger do not take part, and are counted. Since the load stays,
      jobs come faster on a larger machine.

    Parameters
    ----------
    workload : Workload
        Of more than `MOST_SIMULATED` jobs only the first ones take part.
    policies : sequence, optional
        As for `simlib.simulate`; FCFS, EASY and conservative unless said otherwise.
    seed : int
        Of the estimates.

    Returns
    -------
    Explore

    Raises
    ------
    ValueError
        For a workload of which the load is not known: fewer than two jobs, or all at once.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(20, 5, 8, 2))
    >>> print(repr(explore(two, [simlib.EASY()])).splitlines()[0])
    two jobs: 2 jobs on 4 processors at an offered load of 0.50 (its own: 0.50), estimates as given.
    """
    if not workload.load > 0:
        raise ValueError(
            f"{workload.name}: explore: found {len(workload)} jobs without a load, expected some over time"
        )
    return Explore(workload, policies or [FCFS(), EASY(), Conservative()], seed)


class Explore(Control):
    """A control that simulates a workload again at each move of a slider; see `explore`."""

    size = (11, 3.4)

    def __init__(self, workload: Workload, policies: Sequence[Policy], seed: int) -> None:
        self._given, self._policies, self._seed = workload, policies, seed
        self._taken = (
            workload
            if len(workload) <= MOST_SIMULATED
            else workload.derive(workload.jobs[:MOST_SIMULATED], f"first {MOST_SIMULATED:,}")
        )
        sizes = sorted({max(round(workload.procs * factor), 1) for factor in MACHINE})
        self._machines = {procs: self._taken.with_procs(procs) for procs in sizes}
        self._machines = {procs: there for procs, there in self._machines.items() if there.load > 0}
        self._before: list[pd.Series] | None = None
        self._simulate(self._taken.load, 0, workload.procs)
        super().__init__()

    def _simulate(self, load: float, f: float, procs: int) -> None:
        there = self._machines[procs].scale_load(load)
        self.workload = there if f == 0 else there.with_estimates(Uniform(f, self._seed))
        self._setting = load, "as given" if f == 0 else "exact" if f == 1 else f"uniform in [r, {f:g} r]"
        self.schedules = [simulate(self.workload, policy) for policy in self._policies]

    def build(self) -> list[Any]:
        load, _ = self._setting  # the workload's own; the others are multiples of 0.05 that are not nearly the same
        even = [round(0.05 * k, 2) for k in range(1, 25)]
        loads = [(f"{other:.2f}", other) for other in even if abs(other - load) >= 0.01]
        loads = sorted([(f"{load:.2f}, its own", load), *loads], key=lambda option: option[1])
        layout = {"flex": "1 1 300px"}
        shared: dict[str, Any] = {"layout": layout, "style": {"description_width": "90px"}}
        self.load = ipywidgets.SelectionSlider(
            options=loads, value=load, description="load", tooltip="Offered load", **shared
        )
        self.quality = ipywidgets.SelectionSlider(
            options=QUALITY, description="estimates", tooltip="Quality of the estimates", **shared
        )
        self.machine = ipywidgets.SelectionSlider(
            options=[(number(procs), procs) for procs in self._machines],
            value=self._given.procs,
            description="processors",
            tooltip="Size of the machine",
            **shared,
        )
        for slider in (self.load, self.quality, self.machine):
            slider.observe(lambda _: self._move(), "value")
        self.metrics, self.note = html("metrics"), html("note")
        return [beside(self.load, self.quality, self.machine), self.note, self.picture, self.metrics]

    def _move(self) -> None:
        self._before = [schedule.summary() for schedule in self.schedules]
        self._simulate(self.load.value, self.quality.value, self.machine.value)
        self.show()

    def show(self) -> None:
        self.picture.value = png(self.draw, self.size)
        self.note.value = f'<div role="status">{escape(self._note())}</div>'
        table = summaries(self.schedules)
        self.metrics.value = html_table("Over all jobs", table.columns, table.to_numpy().tolist())

    def draw(self, figure: FigureBase) -> None:
        axes = figure.subplots(1, len(SHOWN), sharey=True)
        names = [label(policy).replace(", ", ",\n") for policy in self._policies]
        longest = max(len(line) for name in names for line in name.splitlines())
        figure.subplots_adjust(left=max(0.16, 0.025 + 0.0115 * longest), right=0.95, bottom=0.1, top=0.86, wspace=0.18)
        now = [schedule.summary() for schedule in self.schedules]
        places = range(len(now))
        colours = [plots.COLOURS[place % len(plots.COLOURS)] for place in places]
        for ax, (metric, (title, unit)) in zip(axes, SHOWN.items(), strict=True):
            values = [seen[metric] / unit for seen in now]
            before = [seen[metric] / unit for seen in self._before or now]
            most = min(max(*values, *before), 3 * median(values)) or 1  # a bar beyond it is cut off
            ax.barh(places, values, 0.6, color=colours)
            ax.barh(places, before, 0.75, fill=False, edgecolor="black", linewidth=1.2)
            for place, value in zip(places, values, strict=True):
                text = f"{value:,.3g}" if value < 100 else f"{value:,.0f}"
                if value > most:
                    ax.text(1.33 * most, place, f"{text} >>", ha="right", va="center", **OUTLINE)
                else:
                    ax.text(value, place, f" {text}", va="center", **OUTLINE)
            ax.set_title(title, size=14)
            ax.set_xlim(0, 1.35 * most)
            ax.xaxis.set_major_locator(plots.MaxNLocator(4))
            ax.grid(axis="y", visible=False)
        axes[0].set_yticks(places, names)
        axes[0].invert_yaxis()
        plots.mark(axes[1], self.workload)

    def lines(self) -> list[str]:
        return [self._note(), *summary_lines(self.schedules)]

    def _note(self) -> str:
        """Tell what is simulated, and what is not."""
        load, estimates = self._setting
        jobs, given = len(self.workload), len(self._given)
        text = f"{self._given.name}: {jobs:,} jobs on {number(self.workload.procs)} processors at an offered load of "
        text += f"{load:.2f} (its own: {self._taken.load:.2f}), estimates {estimates}."
        larger = len(self._taken) - jobs
        if larger:
            text += f" {larger:,} job{'s' if larger > 1 else ''} larger than the machine dropped."
        if len(self._taken) < given:
            text += f" These are the first of {given:,}, so that each move takes well under a second."
        return text
