"""Edit the jobs of a small workload and see the schedule change."""

import json
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.figure import FigureBase

from simlib import plots
from simlib._util.words import number
from simlib.core.schedule import Policy, simulate
from simlib.core.workload import Workload

from ..answers import FIELDS, KEPT_TABLE, LIMIT, as_workload, complaint, complaints, in_order, in_rows, whole
from ..views import at_end, charted, label
from ..web import asset
from .control import Control

# What was typed into a table before

Jobs = Mapping[Any, Sequence[object]]
"""By job what stands in its fields: submit time, run time, processors, estimate."""

_typed: dict[str, Jobs] = {}
"""By exercise what was typed since the kernel was started."""


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
    complete = all(isinstance(values, list) and len(values) == len(FIELDS) for values in jobs.values())
    return jobs if complete else None


def editor(workload: Workload, policy: Policy, overrun: str = "extend") -> "Editor":
    """Edit jobs in a table, and see the schedule that a policy makes of them.

    You see one row per job: its submit time, run time, processors and estimate, and beside them when it starts and how
    long it waits; under the table the Gantt chart and the metrics. Type a number and press Enter or Tab: the schedule
    changes at once. "Add a job" adds one like the last, "Delete" takes one out, "Start again" brings back the jobs
    that were there at first. Where a number is wrong, its field is marked, one sentence says what would be right, and
    the last valid schedule stays.

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
    """A control in which jobs are edited; see `editor`.

    `typed` has by job what stands in its fields now, `wrong` what is wrong with that, a sentence each; `workload` and
    `schedule` are the last valid ones.
    """

    size = (11, 3.8)

    def __init__(self, workload: Workload, policy: Policy, overrun: str) -> None:
        self._given, self._policy, self._overrun = workload, policy, overrun
        self._taken, self._exercise, self.said, self.shown = False, "", "", False
        self._judge: Callable[[], str]
        self._output: Any = None  # below the table, with what stands in it: a notebook's file keeps its outputs
        self.typed, self.wrong = _texts(in_rows(workload)), list[str]()
        self._schedule(workload)
        self.data = self._seen()
        made = widget_class()
        self.widget = made(data=self.data) if made else None
        if self.widget is not None:
            self.widget.on_msg(lambda _, message, buffers: self.hear(message))

    @property
    def jobs(self) -> dict[Hashable, tuple[int, ...]]:
        """The last valid jobs, as `take` takes them."""
        return in_rows(self.workload)

    def _schedule(self, workload: Workload) -> None:
        """Schedule valid jobs."""
        self.workload, self.schedule = workload, simulate(workload, self._policy, self._overrun)

    # What is typed and pressed

    def _put(self, jobs: Jobs) -> None:
        """Put jobs into the table, schedule them if they are valid, and keep them as the answer to the exercise."""
        self.typed = _texts(jobs)
        self.wrong = complaints(self.typed, self._given.procs)
        if not self.wrong:
            self._schedule(as_workload(self.typed, self._given))
        if self._exercise:
            _typed[self._exercise] = self.typed
            changed = (
                "has a number that cannot be used."
                if self.wrong
                else "has changed and is not checked yet: press Check."
            )
            self._say(f"This table {changed}")
        self._show()

    def take(self, jobs: Jobs) -> None:
        """Put jobs into the table as if they had been typed in."""
        self._taken = True
        self._put(jobs)

    def hear(self, message: dict[str, Any]) -> None:
        """Do what somebody typed or pressed, as web/live.js tells it."""
        match message:
            case {"do": "type", "rows": rows} if len(rows) == len(self.typed):
                self._put(dict(zip(self.typed, rows, strict=True)))
            case {"do": "delete", "row": row} if row < len(self.typed):
                self._put({job: texts for place, (job, texts) in enumerate(self.typed.items()) if place != row})
            case {"do": "reset"}:
                self._put(in_rows(self._given))
            case {"do": "add"} if len(self.typed) == LIMIT:
                self._show(f"There are {LIMIT} jobs, the most that this table takes: delete one first.")
            case {"do": "add"}:
                like = list(self.typed.values())[-1] if self.typed else ["0", "10", "1", "10"]
                self._put({**self.typed, self._new_name(): like})
            case {"do": "check"} if self._exercise and not self.wrong:
                self._say(self._judge())
                self._show()

    def _new_name(self) -> Hashable:
        """Name a job that is added."""
        names: list[Any] = list(self.typed)
        if all(isinstance(name, int) for name in names):
            return max(names, default=0) + 1
        return next(name for name in (f"new{k}" for k in range(1, len(names) + 2)) if name not in names)

    # As the answer to an exercise

    def ask(self, number: str, judge: Callable[[], str]) -> bool:
        """Become the answer to an exercise: show the table with a button "Check", and below it the verdict.

        The notebook's file keeps the jobs in the table, so they are there again when the cell runs again, even with a
        new kernel. Jobs that `take` put in are not replaced.
        """
        from IPython import display, get_ipython

        asked = self.widget is not None and live()
        again = ""
        if in_batch():  # as a program that grades runs it, with what the student's notebook keeps
            self._restore(number)
        elif asked and not self._exercise:
            self._exercise, self._judge = number, judge
            if self._restore(number):
                again = "These are the jobs that you typed before; Start again brings back the first ones. "
        if not self.shown and get_ipython() is not None:
            display.display(self)
        if asked:
            sentence = self._judge()
            self._output = display.display(self._kept(sentence), raw=True, display_id=True)
            self.said = again + sentence
            self._show()
        return asked

    def _say(self, sentence: str) -> None:
        """Say something of the answer, and keep both in the notebook's file."""
        self.said = sentence
        if self._output:
            self._output.update(self._kept(sentence), raw=True)

    def _kept(self, sentence: str) -> dict[str, Any]:
        """Give the output that keeps the table, with a sentence on it."""
        jobs = {
            str(job): [text if whole(text) is None else int(text) for text in row] for job, row in self.typed.items()
        }
        if not sentence.startswith(self._exercise):  # "1.4 is waiting for your answer."
            sentence = f"Kept in this notebook as your answer to {self._exercise}. {sentence}"
        return {"text/plain": sentence, KEPT_TABLE: {"exercise": self._exercise, "jobs": jobs}}

    def _restore(self, number: str) -> bool:
        """Bring back what was typed before, unless something was put into this table; tell whether there was any."""
        untouched = not self._taken and self.jobs == in_rows(self._given)
        before = kept(number, self._given) if untouched else None
        if before is None or _texts(before) == self.typed:
            return False
        self._put(before)
        return True

    # What is shown

    def _show(self, *sentences: str) -> None:
        """Show what is new, with sentences below the table."""
        self.data = self._seen(*sentences)
        if self.widget is not None:
            self.widget.data = self.data

    def _seen(self, *sentences: str) -> dict[str, Any]:
        """Give what web/live.js draws, with sentences below the table."""
        jobs = self.schedule.jobs
        start, wait = jobs.start.to_dict(), jobs.wait.to_dict()
        machine = self._given.procs
        rows = []
        for job, texts in self.typed.items():
            wrong = [complaint(job, field, text, machine) for field, text in zip(FIELDS, texts, strict=True)]
            rows.append(
                {
                    "job": str(job),
                    "typed": texts,
                    "invalid": [place for place, sentence in enumerate(wrong) if sentence],
                    "start": number(start[job]) if job in start else "",
                    "wait": number(wait[job]) if job in wait else "",
                }
            )
        if self.wrong:
            message = [*self.wrong, "The schedule is the last valid one."]
        else:
            happens = "it is killed then" if self._overrun == "kill" else "the scheduler is told the run time"
            under = self.workload.jobs[self.workload.jobs.estimate < self.workload.jobs.run]
            message = [self.said] if self.said else []
            message += [
                f"Job {job}: the estimate {row.estimate} is below the run time {row.run}: {happens}."
                for job, row in under.iterrows()
            ]
        end = int(jobs.end.max())
        return charted(self.schedule, jobs.estimate.tolist(), end) | {
            "policy": label(self._policy),
            "fields": list(FIELDS.values()),
            "rows": rows,
            "invalid": bool(self.wrong),
            "asked": bool(self._exercise),
            "message": [*sentences, *message],
            "bars": at_end(self.schedule),
            "metrics": self._means(),
        }

    def draw(self, figure: FigureBase) -> None:
        ax = figure.add_axes((0.075, 0.18, 0.905, 0.7))
        plots.gantt(self.schedule, ax)

    def lines(self) -> list[str]:
        jobs = self.schedule.jobs[[*FIELDS, "start", "wait"]].rename(columns=FIELDS)
        head = f"{self.workload.name} under {label(self._policy)} on {number(self.workload.procs)} processors:"
        return [head, *jobs.to_string().splitlines(), self._means()]

    def _means(self) -> str:
        """Tell the metrics of the schedule."""
        of = self.schedule.summary()
        return (
            f"Mean wait {of.mean_wait:,.1f} s, mean response {of.mean_response:,.1f} s, mean bounded slowdown "
            f"{of.mean_bounded_slowdown:,.1f}, {of.utilization:.0%} of the processors in use."
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        self.shown = True
        bundle = super()._repr_mimebundle_()
        if self.widget is None or in_batch():  # a page would show dead buttons in the place of the picture
            return bundle
        view = "application/vnd.jupyter.widget-view+json"
        return bundle | {view: {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}}


def _texts(jobs: Jobs) -> dict[Hashable, list[str]]:
    """Write jobs as they stand in the fields."""
    return {job: list(map(str, values)) for job, values in jobs.items()}


@cache
def widget_class() -> Any:
    """Make the class of the widget; None where anywidget is not installed."""
    try:
        from anywidget import AnyWidget
        from traitlets import Dict
    except ImportError:
        return None

    class Table(AnyWidget):
        _esm = f"{asset('stepper.js')}\n{asset('live.js')}"
        _css = asset("stepper.css")
        data = Dict().tag(sync=True)

    return Table


def in_batch() -> bool:
    """Tell whether a program executes this cell, such as papermill: then nobody can answer or press a button."""
    from IPython import get_ipython

    kernel: Any = getattr(get_ipython(), "kernel", None)
    request = kernel.get_parent("shell") if hasattr(kernel, "get_parent") else {}
    return request.get("content", {}).get("allow_stdin") is False


def live() -> bool:
    """Tell whether this cell is executed in a notebook for somebody who can press buttons."""
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None and not in_batch()
