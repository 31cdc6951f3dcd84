"""Decisions as plain data, to be kept as JSON and drawn where no kernel is.

What a page needs to draw a chart at one instant is a *state*; the states of a schedule are kept as *frames*. A frame
has only what differs from the one before, the first one has all; of its `bars` too only those that differ, and null for
one that is gone. `simlib/web/stepper.js` puts them together again.

A bar is a list of whole numbers: start, end, looks, and then first processor and how many of each piece of the job, as
`simlib.plots.gantt` draws it. Its looks are 0, plus 1 where the job has not started (a reservation), plus 2 where it is
backfilled. Jobs are numbered from 0, in the order of the workload; in `bars` these numbers are keys, so text. Times are
seconds of the workload.
"""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import numpy as np

from .. import plots
from ..allotment import pieces
from ..explain import Decision, Explanation, Span
from ..explain.promises import promises, reserved
from ..schedule import Schedule
from ..widgets.summaries import label, seconds

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
    """Turn the decisions of a policy into what a page needs to step through them.

    Parameters
    ----------
    explanation : Explanation
        Of at least one job, as `simlib.explain.explain` returns it.

    Returns
    -------
    Stepping
        A dictionary of plain values, for `dumps`.

    Examples
    --------
    >>> import simlib
    >>> one = simlib.Workload.of("one job", 4, A=(0, 10, 20, 3))
    >>> event, start, end = stepping(simlib.explain.explain(one, simlib.EASY()))["frames"]
    >>> start["kind"], start["queue"], start["running"], start["bars"]
    ('start', [], [0], {'0': [0, 20, 0, 0, 3]})
    >>> end["bars"]
    {'0': [0, 10, 0, 0, 3]}
    """
    schedule = explanation.schedule
    places = _places(schedule)
    states = [_state(seen, last, places) for seen, last in zip(explanation, promises(explanation), strict=True)]
    estimates = {job.job: job.estimate for seen in explanation for job in seen.queue}
    chart = _chart(schedule, [estimates[job] for job in schedule.jobs.index], _until(explanation))
    return {**chart, "policy": label(schedule.policy), "frames": folded(states)}


def comparing(schedules: Sequence[Schedule]) -> Comparing:
    """Turn schedules of one workload into what a page needs to show them beside one another, at any time.

    Parameters
    ----------
    schedules : sequence of Schedule
        Without adjusted estimates; see `simlib.Schedule.plan`.

    Returns
    -------
    Comparing
        A dictionary of plain values, for `dumps`.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2))
    >>> seen = comparing([simlib.simulate(two, simlib.FCFS())])
    >>> seen["times"], seen["plans"][0]["frames"][1]["bars"]
    ([0, 1, 10, 15], {'1': [20, 28, 1, 0, 2]})
    """
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
    """Write frames as JSON without blanks, such as may stand within a page; the same frames give the same text.

    Examples
    --------
    >>> dumps({"workload": "<A>"})
    '{"workload":"\\\\u003cA>"}'
    """
    return json.dumps(frames, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def folded(states: Iterable[Mapping[str, Any]]) -> list[Frame]:
    """Leave out of each state what is as in the one before.

    Examples
    --------
    >>> folded([{"bars": {0: [0, 9, 0], 1: [9, 12, 1]}, "free": 1}, {"bars": {0: [0, 5, 0]}, "free": 1}])[1]
    {'bars': {'0': [0, 5, 0], '1': None}}
    """
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


def _until(explanation: Explanation) -> int:
    """Where the time axis ends: the expected ends have room, unless they are far beyond all real ones."""
    jobs = explanation.schedule.jobs
    begin, end = int(jobs.submit.min()), int(jobs.end.max())
    expected = max(span.end for seen in explanation for span in (*seen.running, *seen.reservations))
    return max(end, min(expected, begin + 3 * (end - begin) // 2))


def _state(seen: Decision, promise: Decision | None, places: Mapping[Hashable, int]) -> dict[str, Any]:
    """Take from a decision all that a page shows of it."""
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
        "bars": _bars(_rows(seen, reserved(seen, promise), places), seen.procs),
    }


def _rows(seen: Decision, reserved: Iterable[Span], places: Mapping[Hashable, int]) -> list[Row]:
    """What the bars of a decision are made of."""
    spans = [(span, 0) for span in (*seen.done, *seen.running)] + [(span, PLANNED) for span in reserved]
    return [
        (places[span.job], span.start, span.end, span.procs, planned + BACKFILLED * bool(span.backfilled))
        for span, planned in spans
    ]


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
