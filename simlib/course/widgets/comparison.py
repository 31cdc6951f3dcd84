"""Compare policies on the same workload."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import FigureBase

from ... import plots
from ..._util.words import number
from ...core.policy import Policy
from ...core.schedule import Schedule, simulate
from ...core.workload import Workload
from .control import (
    Control,
    beside,
    button,
    html,
    html_table,
    ipywidgets,
    label,
    legend,
    png,
    seconds,
    summaries,
    summary_lines,
)

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
        from ..web.page import schedules_html  # which shows what these controls do, and so imports them

        return schedules_html(self.schedules)

    def lines(self) -> list[str]:
        workload = self.schedules[0].workload
        head = f"{workload.name}: {len(workload):,} jobs on {workload.procs:,} processors."
        return [head, *summary_lines(self.schedules)]
