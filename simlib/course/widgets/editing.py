"""Edit the jobs of a small workload and see the schedule change."""

import json
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.figure import FigureBase

from ... import plots
from ..._util.words import length, number
from ...core.policy import Policy
from ...core.schedule import simulate
from ...core.workload import Workload
from ..answers import FIELDS, KEPT_TABLE, LIMIT, as_workload, complaint, complaints, in_order
from ..views import html_table, label, summaries, summary_lines
from .control import Control, beside, button, display, html, in_batch, ipywidgets, live, png

# Keep what was typed into a table in the notebook's file, and find it there again.


Jobs = Mapping[Any, Sequence[object]]
"""By job what stands in its fields: submit time, run time, processors, estimate."""

_typed: dict[str, Jobs] = {}
"""By exercise what was typed since the kernel was started."""


class Keeper:
    """An output below a table that keeps what stands in it, and the verdict; a notebook's file keeps its outputs."""

    def __init__(self, exercise: str, table: Any, judge: Callable[[], str]) -> None:
        self.exercise, self._table, self._judge = exercise, table, judge
        self._output: Any = None

    def show(self) -> str:
        """Show the output below the cell that is running, with the verdict on the table; return the verdict."""
        from IPython.display import display

        sentence = self._judge()
        self._output = display(self._bundle(sentence), raw=True, display_id=True)
        return sentence

    def keep(self, jobs: Jobs) -> str:
        """Keep jobs that are not judged yet; return what to do about it."""
        _typed[self.exercise] = jobs
        return self._update("This table has changed and is not checked yet: press Check.")

    def judge(self) -> str:
        """Judge the table as it is now, and return the verdict."""
        return self._update(self._judge())

    def _update(self, sentence: str) -> str:
        if self._output:
            self._output.update(self._bundle(sentence), raw=True)
        return sentence

    def _bundle(self, sentence: str) -> dict[str, Any]:
        jobs = {str(job): [_plain(text) for text in texts] for job, texts in self._table.typed.items()}
        if not sentence.startswith(self.exercise):  # "1.4 is waiting for your answer."
            sentence = f"Kept in this notebook as your answer to {self.exercise}. {sentence}"
        return {"text/plain": sentence, KEPT_TABLE: {"exercise": self.exercise, "jobs": jobs}}


def kept(exercise: str, given: Workload) -> Jobs | None:
    """Find what was typed for an exercise: with this kernel, or earlier and saved in the notebook that now runs."""
    if exercise in _typed:
        return _typed[exercise]
    # Jupyter names the file of the notebook that runs, and nbgrader runs it alone in its folder.
    named, there = os.environ.get("JPY_SESSION_NAME"), list(Path().glob("*.ipynb"))
    running = Path(named) if named else there[0] if len(there) == 1 else Path()
    jobs = saved(running, exercise)
    return jobs and in_order(jobs, given)


def saved(notebook: Path, exercise: str) -> Jobs | None:
    """Find what a notebook's file keeps as the answer to an exercise."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        answers = [output["data"][KEPT_TABLE] for output in outputs if KEPT_TABLE in output.get("data", {})]
        found = [answer["jobs"] for answer in answers if answer["exercise"] == exercise]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # whatever else lies there
        return None
    jobs = found[-1] if found else None
    if not isinstance(jobs, dict) or not 0 < len(jobs) <= LIMIT:
        return None
    whole = all(isinstance(values, list) and len(values) == len(FIELDS) for values in jobs.values())
    return jobs if whole else None


def _plain(text: object) -> int | str:
    """The number that a text is, or the text."""
    try:
        return int(str(text))
    except ValueError:
        return str(text)


WIDTH, NARROW = "96px", "84px"


def editor(workload: Workload, policy: Policy, overrun: str = "extend") -> "Editor":
    """Edit jobs in a table, and see the schedule that a policy makes of them.

    You see a row a job with its submit time, run time, processors and estimate, and beside it when it starts and how
    long it waits; under the table the Gantt chart and the metrics. Type a number and press Enter or Tab: the schedule
    changes at once. "Add a job" adds one like the last, "Delete" takes one out, "Start again" brings back the jobs
    that were there at first. Where a number is wrong, a sentence says which one and what would be right, and the last
    valid schedule stays.

    As the answer to an exercise, in `lessons.check("1.4", widgets.editor(...))`, it has a button "Check", too: see
    `Editor.ask`.

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
    """A control in which jobs are edited; see `editor`."""

    size = (11, 3.8)

    def __init__(self, workload: Workload, policy: Policy, overrun: str) -> None:
        self._given, self._policy, self._overrun = workload, policy, overrun
        self.rows: list[Row] = []
        self.wrong: list[str] = []
        self._taken = False
        self._keeper: Keeper | None = None
        self._schedule(workload)
        super().__init__()

    @property
    def jobs(self) -> dict[Hashable, tuple[int, ...]]:
        """The last valid jobs, as `take` takes them."""
        return _in_rows(self.workload)

    @property
    def typed(self) -> dict[Hashable, list[str]]:
        """By job what stands in its fields now."""
        return {row.job: row.texts() for row in self.rows}

    def _schedule(self, workload: Workload) -> None:
        self.workload, self.schedule = workload, simulate(workload, self._policy, self._overrun)

    def build(self) -> list[Any]:
        self.message, self.verdict, self.metrics = html("message"), html("verdict"), html("metrics")
        self.add = button("Add a job", "Add a job like the last one", self._add)
        at_first = _in_rows(self._given)
        self.reset = button("Start again", "Bring back the jobs that were there at first", lambda: self._put(at_first))
        self.check = button("Check", "Tell whether this table answers the exercise", self._check)
        self.check.layout.display = "none"  # until there is an exercise
        fields = [_cell(name, WIDTH) for name in FIELDS.values()]
        self._head = _row(_cell("job"), *fields, _cell("start [s]"), _cell("wait"))
        self._table = ipywidgets.VBox()
        self._fill(at_first)
        buttons = beside(self.add, self.reset, self.check)
        return [self._table, buttons, self.verdict, self.message, self.picture, self.metrics]

    # What is pressed and typed

    def _fill(self, jobs: Mapping[Any, Sequence[object]]) -> None:
        self.rows = [Row(self, job, numbers) for job, numbers in jobs.items()]

    def _put(self, jobs: Mapping[Any, Sequence[object]]) -> None:
        self._fill(jobs)
        self.edit()

    def _add(self) -> None:
        if len(self.rows) == LIMIT:
            self._tell([f"There are {LIMIT} jobs, the most that this table takes: delete one first."])
            return
        like = self.rows[-1].texts() if self.rows else ["0", "10", "1", "10"]
        names: list[Any] = [row.job for row in self.rows]
        if all(isinstance(name, int) for name in names):
            new: Hashable = max(names, default=0) + 1
        else:
            new = next(name for name in (f"new{k}" for k in range(1, len(names) + 2)) if name not in names)
        self.rows.append(Row(self, new, like))
        self.edit()

    def delete(self, row: "Row") -> None:
        """Take a job out of the table."""
        self.rows.remove(row)
        self.edit()

    def take(self, jobs: Mapping[Any, Sequence[object]]) -> None:
        """Put jobs into the table as if they had been typed in."""
        self._taken = True
        self._put(jobs)

    def edit(self) -> None:
        """Schedule the jobs as they stand in the table, or tell what is wrong."""
        jobs = self.typed
        self.wrong = complaints(jobs, self._given.procs)
        if not self.wrong:
            self._schedule(as_workload(jobs, self._given))
        self.show()
        if self._keeper:
            self._say(self._keeper.keep(jobs))

    # As the answer to an exercise

    def ask(self, number: str, judge: Callable[[], str]) -> bool:
        """Become the answer to an exercise: show the table with a button "Check", and below it the verdict.

        What stands in the table is kept in the notebook's file, as it changes. So it is there again when the cell runs
        again, even with a new kernel: what `take` put in, though, is not replaced.
        """
        if self.widget is None or not live():
            if in_batch():  # as a program that grades runs it, with what the student's notebook keeps
                self._restore(number)
            if not self.shown:
                display(self)
            return False
        again = ""
        if self._keeper is None:
            self._keeper = Keeper(number, self, judge)
            self.check.layout.display = ""
            if self._restore(number):
                again = "These are the jobs that you typed before; Start again brings back the first ones. "
        if not self.shown:
            display(self)
        self._say(again + self._keeper.show())
        return True

    def _restore(self, number: str) -> bool:
        """Bring back what was typed before, unless something was put into this table; tell whether there was any."""
        untouched = not self._taken and self.jobs == _in_rows(self._given)
        before = kept(number, self._given) if untouched else None
        if before is None or {job: list(map(str, values)) for job, values in before.items()} == self.typed:
            return False
        self._put(before)
        return True

    def _check(self) -> None:
        if self._keeper:
            self._say(self._keeper.judge())

    def _say(self, verdict: str) -> None:
        self.verdict.value = f'<div role="status">{escape(verdict)}</div>'

    # What is shown

    def show(self) -> None:
        # A new head would make the browser draw all fields anew, and what is being typed into one would be lost.
        self._table.children = [self._head, *(row.widget for row in self.rows)]
        for row in self.rows:
            row.mark(self._given.procs)
        if self.wrong:
            self._tell([*self.wrong, "The schedule is the last valid one."])
            return
        start, wait = self.schedule.jobs.start.to_dict(), self.schedule.jobs.wait.to_dict()
        for row in self.rows:
            row.start.value, row.wait.value = number(start[row.job]), length(wait[row.job])
        happens = "it is killed then" if self._overrun == "kill" else "the scheduler is told the run time"
        jobs = self.workload.jobs
        under = jobs[jobs.estimate < jobs.run]
        self._tell(
            f"Job {job}: the estimate {row.estimate} is below the run time {row.run}: {happens}."
            for job, row in under.iterrows()
        )
        self.picture.value = png(self.draw, self.size)
        table = summaries([self.schedule])
        self.metrics.value = html_table("Over all jobs", table.columns, table.to_numpy().tolist())

    def _tell(self, sentences: Iterable[str]) -> None:
        self.message.value = '<div role="status">' + "<br>".join(map(escape, sentences)) + "</div>"

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
    """One job in the table."""

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
        self.start, self.wait = _cell(""), _cell("")
        fields = [getattr(self, field) for field in FIELDS]
        self.widget = _row(_cell(job), *fields, self.start, self.wait, self.delete)

    def texts(self) -> list[str]:
        """List what is typed into its fields."""
        return [getattr(self, field).value for field in FIELDS]

    def mark(self, machine: int) -> None:
        """Colour the field of each number that is wrong."""
        for field in FIELDS:
            text = getattr(self, field)
            wrong = complaint(self.job, field, text.value, machine)
            text.style.background = "#F5C9A8" if wrong else None


def _row(*cells: Any) -> Any:
    """Put cells beside one another, however little room there is."""
    return ipywidgets.HBox(cells, layout={"align_items": "center", "grid_gap": "4px"})


def _cell(text: object, width: str = NARROW) -> Any:
    return ipywidgets.Label(str(text), layout={"width": width})
