"""Step through the decisions of a scheduler, and compare the schedules of several."""

from collections.abc import Sequence
from html import escape

from matplotlib.figure import FigureBase

from ... import plots
from ..._util.words import number, processors
from ...core.schedule import Policy, Schedule, simulate
from ...core.workload import Workload
from ...explain import explain
from ...explain.records import Explanation
from ..views import comparing, html_table, label, metrics, stepping, summary_lines
from .control import Control

LIMIT = 500
"""The most jobs that a Gantt chart can show."""


def stepper(workload: Workload, policy: Policy, overrun: str = "extend", predict: bool = False) -> "Stepper":
    """Step through the decisions of a scheduler, forwards and backwards.

    You see a Gantt chart that grows: the line "now" divides what has happened, in full colour, from what the scheduler
    expects: running jobs until their estimates end, pale, and reservations, dashed. Backfilled jobs are hatched; the
    job that was just decided on has a thick frame; the extra processors are grey from the shadow time on. Beside it
    stand the processors that are free, the shadow time, the queue, head first, and the running jobs; under it the
    decision in a sentence, and its rule.

    The buttons go to the First decision, Back, on to the Next one, to the Next start of a job, and to the Last; Play
    goes on by itself. Next, Back and Play pass over decisions that tell nothing new, such as that the head still waits;
    the slider shows each. The keys are the arrows, Home, End, and the space bar, which plays.

    Parameters
    ----------
    workload : Workload
        Of up to about 200 jobs.
    policy, overrun : as for `simlib.explain.explain`
    predict : bool
        Whether to ask "Who starts next?" at each arrival and end after which somebody waits, and after each start, with
        a button a waiting job and one for nobody. It tells what was right, and keeps the score. Next goes on without an
        answer. The button Predict turns it on and off.

    Returns
    -------
    Stepper

    Raises
    ------
    ValueError
        For a workload without jobs, and as `simlib.explain.explain`.

    Examples
    --------
    >>> import simlib
    >>> stepper(simlib.Workload.of("one job", 4, A=(0, 10, 10, 3)), simlib.EASY())
    The starts among 3 decisions, by second:
              0  Job A starts from the head of the queue: it needs 3 of the 4 free processors.
    """
    if len(workload) == 0:
        raise ValueError(f"{workload.name}: stepper: found no job, expected at least one")
    return Stepper(explain(workload, policy, overrun), predict)


class Stepper(Control):
    """A control that steps through an `Explanation`; see `stepper`."""

    def __init__(self, explanation: Explanation, predict: bool = False) -> None:
        self.explanation = explanation
        told = "".join(f"<li>At {number(seen.time)}: {escape(seen.sentence)}</li>" for seen in explanation)
        listed = f"<details open><summary>All {len(explanation)} decisions</summary><ol>{told}</ol></details>"
        schedule = explanation.schedule
        super().__init__(
            stepping(explanation, predict), _head(schedule.workload, label(schedule.policy)) + "\n" + listed
        )

    def draw(self, figure: FigureBase) -> None:
        ax = figure.add_axes((0.075, 0.15, 0.905, 0.74))
        plots.gantt(self.explanation.schedule, ax)

    def lines(self) -> list[str]:
        starts = [str(seen) for seen in self.explanation if seen.kind in ("start", "backfill")]
        return [f"The starts among {len(self.explanation)} decisions, by second:", *starts]


def compare(workload: Workload, policies: Sequence[Policy]) -> "Compare":
    """Compare policies on the same workload: a Gantt chart each over one time axis, and their metrics.

    You see the whole schedules first. The slider goes back in time, to every second at which something happens under
    any of the policies: then each chart shows what has happened by "now", in full colour, and what its scheduler
    planned, pale, with reservations dashed. A job has the same colour in all of them; backfilled jobs are hatched.

    Parameters
    ----------
    workload : Workload
        Of up to about 200 jobs; at most `LIMIT`.
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
    return Compare([simulate(workload, policy) for policy in policies])


class Compare(Control):
    """A control that compares schedules of the same workload; see `compare`."""

    def __init__(self, schedules: Sequence[Schedule]) -> None:
        self.schedules = schedules
        self.size = (11, 0.7 + 2.4 * len(schedules))
        names = [label(schedule.policy) for schedule in schedules]
        starts = zip(*(schedule.jobs.start for schedule in schedules), strict=True)
        rows = [[job, *map(number, row)] for job, row in zip(schedules[0].jobs.index, starts, strict=True)]
        listed = (
            f"<details open><summary>When each job starts [s]</summary>{_wide(html_table('', ['job', *names], rows))}"
        )
        parts = [_head(schedules[0].workload, ", ".join(names)), _wide(metrics(schedules)), f"{listed}</details>"]
        super().__init__(comparing(schedules), "\n".join(parts))

    def draw(self, figure: FigureBase) -> None:
        axes = figure.subplots(len(self.schedules), sharex=True, squeeze=False)[:, 0]
        figure.subplots_adjust(left=0.075, right=0.98, bottom=0.65 / self.size[1], top=0.95, hspace=0.32)
        first, last = self.data["time"]
        for ax, schedule, plan in zip(axes, self.schedules, self.data["plans"], strict=True):
            ax.set_xlim(first, last)
            plots.gantt(schedule, ax)
            hatched = "; hatched: backfilled" if schedule.jobs.backfilled.any() else ""
            ax.set_title(f"{plan['policy']}: mean wait {plan['wait']} in the end{hatched}")
        for ax in axes[:-1]:
            ax.set_xlabel("")

    def lines(self) -> list[str]:
        workload = self.schedules[0].workload
        head = f"{workload.name}: {len(workload):,} jobs on {workload.procs:,} processors."
        return [head, *summary_lines(self.schedules)]


def _head(workload: Workload, policies: str) -> str:
    """Write what is shown, as HTML."""
    machine = f"{len(workload)} job{'s' if len(workload) > 1 else ''} on {processors(workload.procs)}"
    return f'<p class="sw-head"><b>{escape(workload.name)}</b> under {escape(policies)}: {machine}</p>'


def _wide(table: str) -> str:
    """Let a table be scrolled sideways where there is no room for it."""
    return f'<div class="sw-wide">{table}</div>'
