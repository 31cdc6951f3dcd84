"""Show on any page, without a kernel, how a schedule comes about: in plain HTML and JavaScript.

    simlib.course.web.stepper_html(workload, simlib.EASY())
    simlib.course.web.compare_html(workload, [simlib.FCFS(), simlib.EASY()])

Each gives a piece of HTML that brings all it needs and reaches for nothing else: to be put into a page, to be shown in
a notebook by `IPython.display.HTML`, several of them on one page if you like.
"""

import json
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any, NotRequired, TypedDict

import numpy as np

from ... import plots
from ..._util.words import number, processors
from ...core.policy import Policy
from ...core.schedule import Schedule, pieces, simulate
from ...core.workload import Workload
from ...explain import explain
from ...explain.records import Decision, Explanation, promises
from ..views import html_table, label, legend, seconds, spans, summaries, time_limits

__all__ = ["compare_html", "explanation_html", "schedules_html", "stepper_html"]

# Decisions as plain data, to be kept as JSON and drawn where no kernel is.


Bars = dict[int, list[int]]
Row = tuple[int, int, int, int, int]
"""Of a bar: job, start, end, processors, looks."""
PLANNED, BACKFILLED = 1, 2


class Jobs(TypedDict):
    """The jobs of a workload, a list each: their names, processors, and in seconds their submit times and estimates."""

    name: list[str]
    procs: list[int]
    submit: list[int]
    estimate: list[int]


class Chart(TypedDict):
    """What all charts of a workload have in common.

    Its name, the processors of the machine, first and last second of the time axis, the jobs, the colours that they get
    in turn, and what is written across the chart (empty unless the workload stands in for a log).
    """

    workload: str
    procs: int
    time: list[int]
    jobs: Jobs
    colours: list[str]
    mark: str


class Frame(TypedDict):
    """A decision: what differs from the one before.

    Its fields are those of `simlib.explain.Decision`; `jobs`, `queue`, `running` and `done` are numbers of jobs. And
    `remembered` tells that the shadow time, the extra processors and the reservation are those of an earlier decision,
    which hold until the head is looked at again.
    """

    bars: dict[str, list[int] | None]
    time: NotRequired[int]
    kind: NotRequired[str]
    rule: NotRequired[str]
    sentence: NotRequired[str]
    jobs: NotRequired[list[int]]
    free: NotRequired[int]
    queue: NotRequired[list[int]]
    running: NotRequired[list[int]]
    done: NotRequired[list[int]]
    shadow: NotRequired[int | None]
    extra: NotRequired[int | None]
    remembered: NotRequired[bool]


class Stepping(Chart):
    """What a stepper shows: the policy, and a frame for each decision."""

    policy: str
    frames: list[Frame]


class Plan(TypedDict):
    """A schedule in a comparison: its policy, its mean wait as text, and a frame for each of the comparison's times."""

    policy: str
    wait: str
    frames: list[Frame]


class Comparing(Chart):
    """What a comparison shows: all times at which something happens under one of the policies, and their plans."""

    times: list[int]
    plans: list[Plan]


def stepping(explanation: Explanation) -> Stepping:
    """Turn the decisions of a policy into what a page needs to step through them."""
    schedule = explanation.schedule
    places = _places(schedule)
    states = [_state(seen, last, places) for seen, last in zip(explanation, promises(explanation), strict=True)]
    estimates = {job.job: job.estimate for seen in explanation for job in seen.queue}
    chart = _chart(schedule, [estimates[job] for job in schedule.jobs.index], int(time_limits(explanation)[1]))
    return {**chart, "policy": label(schedule.policy), "frames": folded(states)}


def comparing(schedules: Sequence[Schedule]) -> Comparing:
    """Turn schedules of one workload into what a page needs to show them beside one another, at any time."""
    tables = [schedule.jobs for schedule in schedules]
    times = np.unique([table[["submit", "start", "end"]] for table in tables]).tolist()
    chart = _chart(schedules[0], tables[0].estimate.tolist(), times[-1])
    plans: list[Plan] = [
        {
            "policy": label(schedule.policy),
            "wait": seconds(schedule.summary().mean_wait),
            "frames": folded([{"bars": _planned(schedule, time)} for time in times]),
        }
        for schedule in schedules
    ]
    return {**chart, "times": times, "plans": plans}


def dumps(frames: Stepping | Comparing) -> str:
    """Write frames as JSON without blanks, such as may stand within a page; the same frames give the same text."""
    return json.dumps(frames, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def folded(states: Iterable[Mapping[str, Any]]) -> list[Frame]:
    """Leave out of each state what is as in the one before."""
    frames: list[Any] = []
    before: Mapping[str, Any] = {"bars": {}}
    for state in states:
        old, new = before["bars"], state["bars"]
        bars = {str(job): new.get(job) for job in sorted({*old, *new}) if old.get(job) != new.get(job)}
        rest = {key: of for key, of in state.items() if key != "bars" and (key not in before or before[key] != of)}
        frames.append({**rest, "bars": bars})
        before = state
    return frames


# The parts


def _places(schedule: Schedule) -> dict[Hashable, int]:
    return {job: place for place, job in enumerate(schedule.jobs.index)}


def _chart(schedule: Schedule, estimates: list[int], until: int) -> Chart:
    jobs, workload = schedule.jobs, schedule.workload
    begin = int(jobs.submit.min())
    columns: Jobs = {
        "name": [str(job) for job in jobs.index],
        "procs": jobs.procs.tolist(),
        "submit": jobs.submit.tolist(),
        "estimate": estimates,
    }
    return {
        "workload": workload.name,
        "procs": int(workload.procs),
        "time": [begin, max(until, begin + 1)],
        "jobs": columns,
        "colours": list(dict.fromkeys(plots.job_colours(jobs.index).values())),
        "mark": plots.SYNTHETIC if workload.stand_in else "",
    }


def _state(seen: Decision, promise: Decision | None, places: Mapping[Hashable, int]) -> dict[str, Any]:
    """Take from a decision all that a page shows of it."""
    rows = [
        (places[span.job], span.start, span.end, span.procs, PLANNED * planned + BACKFILLED * bool(span.backfilled))
        for span, planned in spans(seen, promise)
    ]
    return {
        "time": seen.time,
        "kind": seen.kind,
        "rule": seen.rule,
        "sentence": seen.sentence,
        "jobs": [places[job] for job in seen.jobs],
        "free": seen.free,
        "queue": [places[job.job] for job in seen.queue],
        "running": [places[span.job] for span in seen.running],
        "done": [places[span.job] for span in seen.done],
        "shadow": promise.shadow if promise else None,
        "extra": promise.extra if promise else None,
        "remembered": promise is not None and seen.shadow is None,
        "bars": _bars(rows, seen.procs),
    }


def _planned(schedule: Schedule, now: int) -> Bars:
    """The bars of what was known and planned at a second."""
    plan, places = schedule.plan(now).jobs, _places(schedule)
    looks = PLANNED * (plan.start > now) + BACKFILLED * plan.backfilled
    columns = (plan.start, plan.end, plan.procs, looks)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return _bars(((places[job], *row) for job, row in zip(plan.index, rows, strict=True)), schedule.workload.procs)


def _bars(rows: Iterable[Row], procs: int) -> Bars:
    """Choose each job's processors."""
    rows = sorted(rows, key=lambda row: (row[1], row[0]))
    bars = {job: [start, end, looks] for job, start, end, _, looks in rows}
    lasting = [row for row in rows if row[2] > row[1]]
    if lasting:
        _, start, end, size, _ = np.array(lasting, dtype=np.int64).T.copy()
        for place, first, count in pieces(start, end, size, procs).tolist():
            bars[lasting[place][0]] += [first, count]
    return bars


def stepper_html(workload: Workload, policy: Policy, predict: bool = False) -> str:
    """Make a piece of HTML that steps through the decisions of a scheduler, without a kernel.

    It shows what `simlib.course.widgets.stepper` shows: a Gantt chart that grows, the decision in a sentence, the
    queue and the running jobs. "Predict" asks who starts next before each start and keeps the score. Its keys are the
    arrows, Home, End, and the space bar, which plays. Where scripts do not run, all decisions stand there as a list.
    """
    if len(workload) == 0:
        raise ValueError(f"{workload.name}: stepper_html: found no job, expected at least one")
    return explanation_html(explain(workload, policy), predict)


def explanation_html(explanation: Explanation, predict: bool = False) -> str:
    """Make the same from an explanation, so that nothing is simulated again."""
    schedule = explanation.schedule
    told = "".join(f"<li>At {number(seen.time)}: {escape(seen.sentence)}</li>" for seen in explanation)
    head = _head(schedule.workload, label(schedule.policy))
    listed = f"<details open><summary>All {len(explanation)} decisions</summary><ol>{told}</ol></details>"
    attributes = _legend([schedule]) + " data-predict" * predict
    return _fragment("simlib-stepper", attributes, [head, listed], dumps(stepping(explanation)))


def compare_html(workload: Workload, policies: Sequence[Policy]) -> str:
    """Make a piece of HTML that compares policies on the same workload, without a kernel.

    It shows what `simlib.course.widgets.compare` shows: a Gantt chart for each policy over one time axis, at any time,
    and their metrics over all jobs. Where scripts do not run, there are the metrics and a table of the start times.
    """
    if not policies or len(workload) == 0:
        found = f"{len(policies)} policies and {len(workload)} jobs"
        raise ValueError(f"{workload.name}: compare_html: found {found}, expected some of both")
    return schedules_html([simulate(workload, policy) for policy in policies])


def schedules_html(schedules: Sequence[Schedule]) -> str:
    """Make the same from schedules of one workload, so that nothing but their plans is simulated."""
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
    style, script = asset("stepper.css"), asset("stepper.js")
    opening = f'<{tag} class="simlib-web"{attributes}>'
    return f"<style>{style}</style>\n{opening}\n{body}\n</{tag}>\n<script>{script}</script>\n"


@cache
def asset(name: str) -> str:
    """Read a file of this package, without indents and without lines that are comments."""
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return re.sub(r"^\s*//.*\n|^\s+", "", text, flags=re.MULTILINE).strip()
