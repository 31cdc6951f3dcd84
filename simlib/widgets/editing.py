"""Edit the jobs of a small workload and see the schedule change."""

from html import escape

import pandas as pd

from .. import plots
from ..explain.words import length, number
from ..schedule import simulate
from ..workload import Workload
from .control import Control, beside, button, html, html_table, ipywidgets, png
from .summaries import label, summaries, summary_lines

LIMIT = 30
"""The most rows that a table to be edited can have."""

LONGEST = 10**9
"""The latest submit time and the longest time that can be typed in, seconds."""

FIELDS = {"submit": "submit [s]", "run": "run [s]", "procs": "processors", "estimate": "estimate [s]"}
"""The columns that can be edited, and how they are called on the page."""

WIDTH, NARROW = "96px", "84px"


def editor(workload, policy, overrun="extend"):
    """A table of jobs to edit, and the schedule that a policy makes of them.

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
    kept : dict or None
        What `take` was given at last.
    add, reset : Button
    message, picture, metrics : HTML, Image, HTML
    """

    size = (11, 3.8)

    def __init__(self, workload, policy, overrun):
        self._given, self._policy, self._overrun, self.kept = workload, policy, overrun, None
        self._schedule(workload)
        super().__init__()

    @property
    def jobs(self):
        return _in_rows(self.workload)

    def _schedule(self, workload):
        self.workload, self.schedule = workload, simulate(workload, self._policy, self._overrun)

    def build(self):
        self.message, self.metrics = html("message"), html("metrics")
        self.add = button("Add a job", "Add a job like the last one", self._add)
        self.reset = button("Start again", "Bring back the jobs that were there at first", self._reset)
        self._table = ipywidgets.VBox()
        self._fill(_in_rows(self._given))
        return [self._table, beside(self.add, self.reset), self.message, self.picture, self.metrics]

    # What is pressed and typed

    def _fill(self, jobs):
        self.rows = [Row(self, job, numbers) for job, numbers in jobs.items()]

    def _reset(self):
        self._fill(_in_rows(self._given))
        self.edit()

    def _add(self):
        if len(self.rows) == LIMIT:
            self._tell([f"There are {LIMIT} jobs, the most that this table takes: delete one first."])
            return
        like = self.rows[-1].texts() if self.rows else ["0", "10", "1", "10"]
        self.rows.append(Row(self, _new_name([row.job for row in self.rows]), like))
        self.edit()

    def delete(self, row):
        self.rows.remove(row)
        self.edit()

    def take(self, jobs):
        """Put jobs into the table as if they had been typed in: what is typed is lost when the cell runs again.

        Parameters
        ----------
        jobs : dict
            By job (submit, run, processors, estimate).
        """
        self.kept = jobs
        self._fill(jobs)
        self.edit()

    def edit(self):
        """Schedule the jobs as they stand in the table, or tell what is wrong."""
        numbers, wrong = {}, [] if self.rows else ["There is no job: add one."]
        for row in self.rows:
            numbers[row.job], found = row.read(self._given.procs)
            wrong += found
        if not wrong:
            columns = pd.DataFrame.from_dict(numbers, orient="index", columns=list(FIELDS))
            self._schedule(Workload(columns, self._given.procs, self._given.name))
        self.show(wrong)

    # What is shown

    def show(self, wrong=()):
        heads = _narrow("job"), *map(_cell, FIELDS.values()), _narrow("start [s]"), _narrow("wait")
        self._table.children = [_row(*heads), *(row.widget for row in self.rows)]
        if wrong:
            self._tell([*wrong, "The schedule is the last valid one."])
            return
        jobs = self.schedule.jobs
        for row in self.rows:
            row.start.value, row.wait.value = number(jobs.start[row.job]), length(jobs.wait[row.job])
        self._tell(self._notes())
        self.picture.value = png(self.draw, self.size)
        table = summaries([self.schedule])
        self.metrics.value = html_table("Over all jobs", table.columns, table.to_numpy().tolist())

    def _tell(self, sentences):
        self.message.value = '<div role="status">' + "<br>".join(map(escape, sentences)) + "</div>"

    def _notes(self):
        """What happens to jobs whose estimates are below their run times."""
        jobs = self.workload.jobs
        happens = "it is killed then" if self._overrun == "kill" else "the scheduler is told the run time"
        under = jobs[jobs.estimate < jobs.run]
        notes = [
            f"Job {job}: the estimate {job_.estimate} is below the run time {job_.run}: {happens}."
            for job, job_ in under.iterrows()
        ]
        return notes or ["All numbers are valid."]

    def draw(self, figure):
        ax = figure.add_axes((0.075, 0.18, 0.905, 0.7))
        plots.gantt(self.schedule, ax)

    def lines(self):
        jobs = self.schedule.jobs[[*FIELDS, "start", "wait"]].rename(columns=FIELDS)
        head = f"{self.workload.name} under {label(self._policy)} on {number(self.workload.procs)} processors:"
        return [head, *jobs.to_string().splitlines(), *summary_lines([self.schedule])]


def _in_rows(workload):
    """The jobs of a workload as `Editor.take` takes them."""
    jobs = workload.jobs[list(FIELDS)]
    return {job: tuple(numbers) for job, numbers in zip(jobs.index, jobs.to_numpy().tolist(), strict=True)}


class Row:
    """A job in the table.

    Attributes
    ----------
    job : its name
    submit, run, procs, estimate : Text
    start, wait : Label
        When it starts and how long it waits.
    delete : Button
    widget : HBox
    """

    def __init__(self, editor, job, values):
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

    def texts(self):
        return [getattr(self, field).value for field in FIELDS]

    def read(self, machine):
        """The numbers that were typed in, and a sentence for each that is wrong, whose field is coloured."""
        numbers, wrong = [], []
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


def _whole(text):
    try:
        return int(text)
    except ValueError:
        return None


def _new_name(names):
    """A name that no job has: the next number, where names are numbers."""
    if all(isinstance(name, int) for name in names):
        return max(names, default=0) + 1
    return next(name for name in (f"new{k}" for k in range(1, len(names) + 2)) if name not in names)


def _row(*cells):
    """Cells beside one another, however little room there is."""
    return ipywidgets.HBox(cells, layout={"align_items": "center", "grid_gap": "4px"})


def _cell(text, width=WIDTH):
    return ipywidgets.Label(str(text), layout={"width": width})


def _narrow(text):
    return _cell(text, NARROW)
