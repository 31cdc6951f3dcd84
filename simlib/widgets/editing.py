"""Edit the jobs of a small workload and see the schedule change."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd
from matplotlib.figure import FigureBase

from .. import plots
from ..explain.words import length, number
from ..policies import Policy
from ..schedule import simulate
from ..workload import Workload
from .control import Control, beside, button, html, html_table, ipywidgets, png
from .summaries import label, summaries, summary_lines

LIMIT = 30
"""The most rows that a table to be edited can have."""

LONGEST = 10**9
"""The latest submit time and the longest time that can be typed in, seconds."""

FIELDS = {"submit": "submit [s]", "run": "run [s]", "procs": "processors", "estimate": "estimate [s]"}
"""The columns that can be edited, and their names on the page."""

WIDTH, NARROW = "96px", "84px"


def editor(workload: Workload, policy: Policy, overrun: str = "extend") -> "Editor":
    """Edit jobs in a table, and see the schedule that a policy makes of them.

    You see a row a job with its submit time, run time, processors and estimate, and beside it when it starts and how
    long it waits; under the table the Gantt chart and the metrics. Type a number and press Enter or Tab: the schedule
    changes at once. "Add a job" adds one like the last, "Delete" takes one out, "Start again" brings back the jobs
    that were there at first. Where a number is wrong, a sentence says which one and what would be right, and the last
    valid schedule stays.

    Parameters
    ----------
    workload : Workload
        Of at most `LIMIT` jobs.
    policy, overrun : as for `simlib.simulate`

    Returns
    -------
    Editor

    Raises
    ------
    ValueError
        For a workload without jobs or with too many.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> table = editor(two, simlib.FCFS())
    >>> table.take({"A": (0, 10, 3, 10), "B": (1, 5, 1, 8)})
    >>> table.schedule.jobs.start.tolist()
    [0, 1]
    """
    if not 0 < len(workload) <= LIMIT:
        raise ValueError(f"{workload.name}: editor: found {len(workload):,} jobs, expected 1 to {LIMIT}")
    return Editor(workload, policy, overrun)


class Editor(Control):
    """A control in which jobs are edited; see `editor`.

    Attributes
    ----------
    workload : Workload
        The last one that was valid.
    schedule : Schedule
        Of that workload.
    jobs : dict
        Of that workload, as `take` takes them.
    rows : list of Row
    taken : dict or None
        What `take` was given last.
    add, reset : Button
    message, picture, metrics : HTML, Image, HTML

    Examples
    --------
    >>> import simlib
    >>> control = editor(simlib.Workload.of("one job", 4, A=(0, 10, 10, 3)), simlib.EASY())
    >>> control.rows[0].run.value = "20"
    >>> control.jobs
    {'A': (0, 20, 3, 10)}
    """

    size = (11, 3.8)

    def __init__(self, workload: Workload, policy: Policy, overrun: str) -> None:
        self._given, self._policy, self._overrun = workload, policy, overrun
        self.taken: Mapping[Hashable, Sequence[object]] | None = None
        self._schedule(workload)
        super().__init__()

    @property
    def jobs(self) -> dict[Hashable, tuple[int, ...]]:
        """The last valid jobs, as `take` takes them."""
        return _in_rows(self.workload)

    def _schedule(self, workload: Workload) -> None:
        self.workload, self.schedule = workload, simulate(workload, self._policy, self._overrun)

    def build(self) -> list[Any]:
        self.message, self.metrics = html("message"), html("metrics")
        self.add = button("Add a job", "Add a job like the last one", self._add)
        self.reset = button("Start again", "Bring back the jobs that were there at first", self._reset)
        self._table = ipywidgets.VBox()
        self._fill(_in_rows(self._given))
        return [self._table, beside(self.add, self.reset), self.message, self.picture, self.metrics]

    # What is pressed and typed

    def _fill(self, jobs: Mapping[Hashable, Sequence[object]]) -> None:
        self.rows = [Row(self, job, numbers) for job, numbers in jobs.items()]

    def _reset(self) -> None:
        self._fill(_in_rows(self._given))
        self.edit()

    def _add(self) -> None:
        if len(self.rows) == LIMIT:
            self._tell([f"There are {LIMIT} jobs, the most that this table takes: delete one first."])
            return
        like = self.rows[-1].texts() if self.rows else ["0", "10", "1", "10"]
        self.rows.append(Row(self, _new_name([row.job for row in self.rows]), like))
        self.edit()

    def delete(self, row: "Row") -> None:
        """Take a job out of the table."""
        self.rows.remove(row)
        self.edit()

    def take(self, jobs: Mapping[Hashable, Sequence[object]]) -> None:
        """Put jobs into the table as if they had been typed in: what is typed is lost when the cell runs again.

        Parameters
        ----------
        jobs : dict
            By job its (submit, run, processors, estimate).
        """
        self.taken = jobs
        self._fill(jobs)
        self.edit()

    def edit(self) -> None:
        """Schedule the jobs as they stand in the table, or tell what is wrong."""
        numbers: dict[Hashable, list[int | None]] = {}
        wrong = [] if self.rows else ["There is no job: add one."]
        for row in self.rows:
            numbers[row.job], complaints = row.read(self._given.procs)
            wrong += complaints
        if not wrong:
            columns = pd.DataFrame.from_dict(numbers, orient="index", columns=list(FIELDS))
            self._schedule(Workload(columns, self._given.procs, self._given.name))
        self.show(wrong)

    # What is shown

    def show(self, wrong: Iterable[str] = ()) -> None:
        heads = _narrow("job"), *map(_cell, FIELDS.values()), _narrow("start [s]"), _narrow("wait")
        self._table.children = [_row(*heads), *(row.widget for row in self.rows)]
        if wrong:
            self._tell([*wrong, "The schedule is the last valid one."])
            return
        start, wait = self.schedule.jobs.start.to_dict(), self.schedule.jobs.wait.to_dict()
        for row in self.rows:
            row.start.value, row.wait.value = number(start[row.job]), length(wait[row.job])
        self._tell(self._notes())
        self.picture.value = png(self.draw, self.size)
        table = summaries([self.schedule])
        self.metrics.value = html_table("Over all jobs", table.columns, table.to_numpy().tolist())

    def _tell(self, sentences: Iterable[str]) -> None:
        self.message.value = '<div role="status">' + "<br>".join(map(escape, sentences)) + "</div>"

    def _notes(self) -> list[str]:
        """Tell what happens to jobs whose estimates are below their run times."""
        jobs = self.workload.jobs
        happens = "it is killed then" if self._overrun == "kill" else "the scheduler is told the run time"
        under = jobs[jobs.estimate < jobs.run]
        notes = [
            f"Job {job}: the estimate {row.estimate} is below the run time {row.run}: {happens}."
            for job, row in under.iterrows()
        ]
        return notes or ["All numbers are valid."]

    def draw(self, figure: FigureBase) -> None:
        ax = figure.add_axes((0.075, 0.18, 0.905, 0.7))
        plots.gantt(self.schedule, ax)

    def lines(self) -> list[str]:
        jobs = self.schedule.jobs[[*FIELDS, "start", "wait"]].rename(columns=FIELDS)
        head = f"{self.workload.name} under {label(self._policy)} on {number(self.workload.procs)} processors:"
        return [head, *jobs.to_string().splitlines(), *summary_lines([self.schedule])]


def _in_rows(workload: Workload) -> dict[Hashable, tuple[int, ...]]:
    """Write the jobs of a workload as `Editor.take` takes them."""
    jobs = workload.jobs[list(FIELDS)]
    return {job: tuple(numbers) for job, numbers in zip(jobs.index, jobs.to_numpy().tolist(), strict=True)}


class Row:
    """One job in the table.

    Attributes
    ----------
    job : its name
    submit, run, procs, estimate : Text
    start, wait : Label
        When it starts and how long it waits.
    delete : Button
    widget : HBox
    """

    def __init__(self, editor: Editor, job: Hashable, values: Iterable[object]) -> None:
        self.job = job
        for field, value in zip(FIELDS, values, strict=True):
            text = ipywidgets.Text(
                str(value),
                continuous_update=False,
                tooltip=f"{FIELDS[field]} of job {job}",
                layout={"width": WIDTH},
            )
            text.observe(lambda _: editor.edit(), "value")
            setattr(self, field, text)
        self.delete = button(f"Delete {job}", f"Take job {job} out", lambda: editor.delete(self))
        self.start, self.wait = _narrow(""), _narrow("")
        fields = [getattr(self, field) for field in FIELDS]
        self.widget = _row(_narrow(job), *fields, self.start, self.wait, self.delete)

    def texts(self) -> list[str]:
        """List what is typed into its fields."""
        return [getattr(self, field).value for field in FIELDS]

    def read(self, machine: int) -> tuple[list[int | None], list[str]]:
        """Read the numbers that are typed in; colour the field of each that is wrong, and write a sentence on it."""
        numbers: list[int | None] = []
        wrong = []
        for field, name in FIELDS.items():
            text = getattr(self, field)
            least, most = (1, machine) if field == "procs" else (0, LONGEST)
            value = _whole(text.value)
            right = value is not None and least <= value <= most
            text.style.background = None if right else "#F5C9A8"
            numbers.append(value)
            if not right:
                found = repr(text.value) if text.value.strip() else "nothing"
                limits = f"{number(least)} to {number(most)}"
                machine_size = ", the size of the machine" if field == "procs" else ""
                wrong.append(
                    f"Job {self.job}, {name}: found {found}, expected a whole number from {limits}{machine_size}."
                )
        return numbers, wrong


def _whole(text: str) -> int | None:
    """Read a whole number; None where it is none."""
    try:
        return int(text)
    except ValueError:
        return None


def _new_name(names: Sequence[Any]) -> Hashable:
    """Choose a name that no job has: the next number, where names are numbers."""
    if all(isinstance(name, int) for name in names):
        return max(names, default=0) + 1
    return next(name for name in (f"new{k}" for k in range(1, len(names) + 2)) if name not in names)


def _row(*cells: Any) -> Any:
    """Put cells beside one another, however little room there is."""
    return ipywidgets.HBox(cells, layout={"align_items": "center", "grid_gap": "4px"})


def _cell(text: object, width: str = WIDTH) -> Any:
    return ipywidgets.Label(str(text), layout={"width": width})


def _narrow(text: object) -> Any:
    return _cell(text, NARROW)
