"""Pieces of HTML that step through a schedule and compare schedules, wherever they are put."""

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources

from ..explain import Explanation, explain
from ..explain.words import number, processors
from ..policies import Policy
from ..schedule import Schedule, simulate
from ..widgets.control import html_table, legend
from ..widgets.summaries import label, summaries
from ..workload import Workload
from .frames import comparing, dumps, stepping


def stepper_html(workload: Workload, policy: Policy, predict: bool = False) -> str:
    """Make a piece of HTML that steps through the decisions of a scheduler, without a kernel.

    It shows what `simlib.widgets.stepper` shows: a Gantt chart that grows, the decision in a sentence, the queue and
    the running jobs. "Predict" asks who starts next before each start and keeps the score. Its keys are the arrows,
    Home, End, and the space bar, which plays. Where scripts do not run, all decisions stand there as a list.

    Parameters
    ----------
    workload : Workload
        Of up to some 200 jobs; its names of jobs are shown.
    policy : Policy
        As for `simlib.explain.explain`.
    predict : bool
        Whether it begins with "Predict" switched on.

    Returns
    -------
    str
        It needs no file and no network; with 30 decisions some 40 kB.

    Raises
    ------
    ValueError
        For a workload without jobs, and as `simlib.explain.explain`.

    Examples
    --------
    >>> import simlib
    >>> page = stepper_html(simlib.Workload.of("one job", 4, A=(0, 10, 10, 3)), simlib.EASY())
    >>> "Job A starts from the head of the queue" in page
    True
    """
    if len(workload) == 0:
        raise ValueError(f"{workload.name}: stepper_html: found no job, expected at least one")
    return explanation_html(explain(workload, policy), predict)


def explanation_html(explanation: Explanation, predict: bool = False) -> str:
    """Make the same from an explanation, so that nothing is simulated again.

    Examples
    --------
    >>> import simlib
    >>> one = simlib.Workload.of("one job", 4, A=(0, 10, 10, 3))
    >>> page = explanation_html(simlib.explain.explain(one, simlib.EASY()))
    >>> page == stepper_html(one, simlib.EASY())
    True
    """
    schedule = explanation.schedule
    told = "".join(f"<li>At {number(seen.time)}: {escape(seen.sentence)}</li>" for seen in explanation)
    head = _head(schedule.workload, label(schedule.policy))
    listed = f"<details open><summary>All {len(explanation)} decisions</summary><ol>{told}</ol></details>"
    attributes = _legend([schedule]) + " data-predict" * predict
    return _fragment("simlib-stepper", attributes, [head, listed], dumps(stepping(explanation)))


def compare_html(workload: Workload, policies: Sequence[Policy]) -> str:
    """Make a piece of HTML that compares policies on the same workload, without a kernel.

    It shows what `simlib.widgets.compare` shows: a Gantt chart for each policy over one time axis, at any time, and
    their metrics over all jobs. Where scripts do not run, there are the metrics and a table of the start times.

    Parameters
    ----------
    workload : Workload
        Of up to some 200 jobs.
    policies : sequence
        Two or more, as for `simlib.simulate`, without adjusted estimates.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        For no policy, no job, and adjusted estimates.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> "EASY: mean wait" in compare_html(two, [simlib.FCFS(), simlib.EASY()])
    False
    """
    if not policies or len(workload) == 0:
        found = f"{len(policies)} policies and {len(workload)} jobs"
        raise ValueError(f"{workload.name}: compare_html: found {found}, expected some of both")
    return schedules_html([simulate(workload, policy) for policy in policies])


def schedules_html(schedules: Sequence[Schedule]) -> str:
    """Make the same from schedules of one workload, so that nothing but their plans is simulated.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> page = schedules_html([simlib.simulate(two, simlib.FCFS())])
    >>> page == compare_html(two, [simlib.FCFS()])
    True
    """
    metrics = summaries(schedules)
    cells = metrics.set_index("policy").T.reset_index().to_numpy().tolist()
    table = html_table("Over all jobs", ["", *metrics.policy], cells)
    columns = ["job", *metrics.policy]
    starts = zip(*(schedule.jobs.start for schedule in schedules), strict=True)
    rows = [[job, *map(number, row)] for job, row in zip(schedules[0].jobs.index, starts, strict=True)]
    wide = '<div class="sw-wide">{}</div>'.format
    listed = f"<details open><summary>When each job starts</summary>{wide(html_table('', columns, rows))}</details>"
    head = _head(schedules[0].workload, ", ".join(metrics.policy))
    return _fragment("simlib-compare", _legend(schedules), [head, wide(table), listed], dumps(comparing(schedules)))


def _head(workload: Workload, policies: str) -> str:
    """Write what is shown."""
    machine = f"{len(workload)} job{'s' if len(workload) > 1 else ''} on {processors(workload.procs)}"
    return f'<p class="sw-head"><b>{escape(workload.name)}</b> under {escape(policies)}: {machine}</p>'


def _legend(schedules: Sequence[Schedule]) -> str:
    """Keep what the looks of jobs mean, for the script to show below its charts."""
    return f' data-legend="{escape(legend(schedules)).replace("   ", " &ensp;")}"'


def _fragment(tag: str, attributes: str, parts: Sequence[str], frames: str) -> str:
    """Put a piece of HTML together. The script comes last; a page needs it once, further ones do nothing."""
    data = f'<script type="application/json">{frames}</script>'
    body = "\n".join([*parts, data])
    style, script = _asset("stepper.css"), _asset("stepper.js")
    opening = f'<{tag} class="simlib-web"{attributes}>'
    return f"<style>{style}</style>\n{opening}\n{body}\n</{tag}>\n<script>{script}</script>\n"


@cache
def _asset(name: str) -> str:
    """Read a file of this package, without indents and without lines that are comments."""
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return re.sub(r"^\s*//.*\n|^\s+", "", text, flags=re.MULTILINE).strip()
