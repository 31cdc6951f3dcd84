"""Vary a workload's load, estimates and machine, and watch the metrics of several policies."""

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import FigureBase

from ... import plots
from ..._util.words import number
from ...core.estimates import Uniform
from ...core.schedule import Policy, simulate
from ...core.workload import Workload
from ...policies.conservative import Conservative
from ...policies.easy import EASY, FCFS
from ..views import label, metrics, summary_lines
from .control import Control

MOST_SIMULATED = 5000
"""The most jobs that are simulated: a move of a slider then takes a tenth of a second, half a second at overload."""

QUALITY = [("as given", 0.0), ("exact", 1.0), *((f"f = {f:g}", f) for f in (1.5, 2, 3, 5, 10, 30, 100, 300))]
MACHINE = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 4)
SHOWN = {
    "mean_wait": ("mean wait [h]", 3600),
    "mean_bounded_slowdown": ("mean bounded slowdown", 1),
    "utilization": ("processors in use [%]", 0.01),
}
"""The metrics that have bars, each with its title and unit."""


def explore(workload: Workload, policies: Sequence[Policy] | None = None, seed: int = 0) -> "Explore":
    """Vary a workload, a model's or a month of a log, and watch what becomes of the metrics.

    You see bars of the metrics of several policies; a hollow frame shows where each bar was before the last move. Each
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
        As for `simlib.simulate`; FCFS, EASY and conservative by default.
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
    """A control that simulates a workload again at each move of a slider; see `explore`.

    `choices` has by slider the texts and values that it offers, `places` where it stands.
    """

    size = (11, 3.4)

    def __init__(self, workload: Workload, policies: Sequence[Policy], seed: int) -> None:
        self._given, self._policies, self._seed = workload, policies, seed
        self._colours = [plots.COLOURS[place % len(plots.COLOURS)] for place in range(len(policies))]
        few = workload.jobs[:MOST_SIMULATED]
        self._taken = workload if len(few) == len(workload) else workload.derive(few, f"first {MOST_SIMULATED:,}")
        sizes = sorted({max(round(workload.procs * factor), 1) for factor in MACHINE})
        machines = {procs: self._taken.with_procs(procs) for procs in sizes}
        self._machines = {procs: there for procs, there in machines.items() if there.load > 0}
        own = self._taken.load  # the others are multiples of 0.05 that are not nearly the same
        even = [round(0.05 * k, 2) for k in range(1, 25)]
        loads = [(f"{other:.2f}", other) for other in even if abs(other - own) >= 0.01]
        self.choices: dict[str, list[tuple[str, float]]] = {
            "load": sorted([(f"{own:.2f}, its own", own), *loads], key=lambda option: option[1]),
            "estimates": QUALITY,
            "processors": [(number(procs), procs) for procs in self._machines],
        }
        at_first = {"load": own, "estimates": 0, "processors": workload.procs}
        self.places = {
            name: [value for _, value in options].index(at_first[name]) for name, options in self.choices.items()
        }
        self._simulate()
        self._before = self._bars()
        super().__init__(self._seen())

    def _simulate(self) -> None:
        """Simulate the workload as the sliders stand."""
        load, f, procs = (self.choices[name][place][1] for name, place in self.places.items())
        there = self._machines[int(procs)].scale_load(load)
        self.workload = there if f == 0 else there.with_estimates(Uniform(f, self._seed))
        self._setting = load, "as given" if f == 0 else "exact" if f == 1 else f"uniform in [r, {f:g} r]"
        self.schedules = [simulate(self.workload, policy) for policy in self._policies]

    def hear(self, message: dict[str, Any]) -> None:
        self._before = self._bars()
        self.places |= message["places"]
        self._simulate()
        self.update(self._seen())

    def _bars(self) -> dict[str, list[float]]:
        """Give by metric the length of each policy's bar."""
        found = [schedule.summary() for schedule in self.schedules]
        return {metric: [float(seen[metric] / unit) for seen in found] for metric, (_, unit) in SHOWN.items()}

    def _seen(self) -> dict[str, Any]:
        """Give what web/live.js draws."""
        bars = [
            {
                "title": SHOWN[metric][0],
                "rows": [
                    {"policy": label(policy), "value": value, "before": before, "text": _short(value), "colour": colour}
                    for policy, value, before, colour in zip(
                        self._policies, values, self._before[metric], self._colours, strict=True
                    )
                ],
            }
            for metric, values in self._bars().items()
        ]
        return {
            "kind": "explore",
            "choices": {name: [text for text, _ in options] for name, options in self.choices.items()},
            "places": dict(self.places),
            "bars": bars,
            "note": self._note(),
            "mark": plots.SYNTHETIC if self.workload.stand_in else "",
            "metrics": metrics(self.schedules),
        }

    def draw(self, figure: FigureBase) -> None:
        axes = figure.subplots(1, len(SHOWN), sharey=True)
        figure.subplots_adjust(left=0.24, right=0.97, bottom=0.1, top=0.86, wspace=0.18)
        names = [label(policy).replace(", ", ",\n") for policy in self._policies]
        for ax, (metric, values) in zip(axes, self._bars().items(), strict=True):
            bars = ax.barh(range(len(values)), values, 0.6, color=self._colours)
            ax.bar_label(bars, [_short(value) for value in values], padding=3)
            ax.set_title(SHOWN[metric][0], size=14)
            ax.set_xlim(0, 1.35 * max(values) or 1)
            ax.grid(axis="y", visible=False)
        axes[0].set_yticks(range(len(names)), names)
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


def _short(value: float) -> str:
    """Write a number with three digits."""
    return f"{value:,.3g}" if value < 100 else f"{value:,.0f}"
