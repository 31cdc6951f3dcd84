"""Vary a workload's load, estimates and machine, and watch the metrics of several policies."""

from collections.abc import Sequence
from html import escape
from statistics import median
from typing import Any

import pandas as pd
from matplotlib.figure import FigureBase
from matplotlib.patheffects import withStroke

from ... import plots
from ..._util.words import number
from ...core.estimates import Uniform
from ...core.policy import Policy
from ...core.schedule import simulate
from ...core.workload import Workload
from ...policies.conservative import Conservative
from ...policies.easy import EASY, FCFS
from .control import Control, beside, html, html_table, ipywidgets, label, png, summaries, summary_lines

LIMIT = 5000
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
        Of more than `LIMIT` jobs only the first ones take part.
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
        self._taken = workload if len(workload) <= LIMIT else workload.derive(workload.jobs[:LIMIT], f"first {LIMIT:,}")
        self._machines = {procs: self._taken.with_procs(procs) for procs in _sizes(workload.procs)}
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
        load, _ = self._setting
        layout = {"flex": "1 1 300px"}
        shared: dict[str, Any] = {"layout": layout, "style": {"description_width": "90px"}}
        self.load = ipywidgets.SelectionSlider(
            options=_loads(load), value=load, description="load", tooltip="Offered load", **shared
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


def _loads(own: float) -> list[tuple[str, float]]:
    """List the loads to choose from: the workload's own, and multiples of 0.05 that are not nearly the same."""
    even = [round(0.05 * k, 2) for k in range(1, 25)]
    loads = sorted([own, *(load for load in even if abs(load - own) >= 0.01)])
    return [(f"{load:.2f}, its own" if load == own else f"{load:.2f}", load) for load in loads]


def _sizes(procs: int) -> list[int]:
    """List the sizes of machine to choose from."""
    return sorted({max(round(procs * factor), 1) for factor in MACHINE})
