"""What controls and pages show and ask: metrics in words, and decisions as data that one script draws."""

import dataclasses
from collections.abc import Hashable, Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from .. import plots
from ..core.metrics import pieces
from ..core.schedule import Schedule
from ..explain.records import Decision, Explanation, Span, promises, reserved

# Policies and metrics in words


def label(policy: Any) -> str:
    """Write a policy's name, with the options that are not the defaults."""
    name = type(policy).__name__
    if not dataclasses.is_dataclass(policy):
        return name
    options = [(field.name, getattr(policy, field.name), field.default) for field in dataclasses.fields(policy)]
    changed = [f"{key}={getattr(value, '__name__', value)}" for key, value, default in options if value != default]
    return ", ".join([name, *changed])  # where there is no room it breaks at a blank


def times(name: str, values: pd.Series) -> pd.Series:
    """Write lengths of time in the one unit that suits the largest, which the name tells."""
    most = values.max()
    unit, seconds = ("s", 1) if most < 7200 else ("h", 3600) if most < 2 * 86400 else ("days", 86400)
    decimals = 0 if unit == "s" and (most >= 100 or (values % 1 == 0).all()) else 1
    return (values / seconds).map(f"{{:,.{decimals}f}}".format).rename(f"{name} [{unit}]")


def summaries(schedules: Sequence[Schedule]) -> pd.DataFrame:
    """Write the metrics of schedules as text, a column a schedule."""
    found = pd.DataFrame([schedule.summary() for schedule in schedules]).reset_index(drop=True)
    columns = [
        pd.Series([label(schedule.policy) for schedule in schedules], name="policy"),
        times("mean wait", found.mean_wait),
        times("mean response", found.mean_response),
        found.mean_bounded_slowdown.map("{:,.1f}".format).rename("mean bounded slowdown"),
        found.utilization.map("{:.0%}".format).rename("processors in use"),
        found.backfilled_share.map("{:.0%}".format).rename("backfilled"),
        times("makespan", found.makespan),
    ]
    return pd.concat(columns, axis=1).set_index("policy").T.rename_axis(columns=None)


def summary_lines(schedules: Sequence[Schedule]) -> list[str]:
    """Write the same as lines of text."""
    return summaries(schedules).to_string().splitlines()


def html_table(caption: str, columns: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Write a table as HTML."""
    head = "".join(f"<th>{escape(str(column))}</th>" for column in columns)
    cells = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def metrics(schedules: Sequence[Schedule]) -> str:
    """Write the metrics of schedules as an HTML table, a column for each."""
    found = summaries(schedules).reset_index()
    return html_table("Over all jobs", ["", *found.columns[1:]], found.to_numpy().tolist())


# Where a stepper asks, and where it stops


def question(decisions: Sequence[Decision], place: int) -> tuple[Hashable | None, int] | None:
    """Find the job that starts next after an event or a start, None for nobody, and the place that shows it."""
    shown = decisions[place]
    if not shown.queue or shown.kind not in ("event", "start", "backfill"):
        return None
    last = place
    for later in range(place + 1, len(decisions)):
        seen = decisions[later]
        if seen.kind == "event" or seen.time != shown.time:
            break
        if seen.kind in ("start", "backfill"):
            return seen.job, later
        last = later
    return (None, last) if last > place else None


def news(decisions: Sequence[Decision]) -> list[int]:
    """List the places of the decisions that tell something new; the first and the last one are always among them."""
    told: set[int] = set()
    promise: tuple[int | None, int | None] | None = None
    ordered = ""
    waited: dict[Hashable, str] = {}
    refused: dict[Hashable, str] = {}
    for place, seen in enumerate(decisions):
        if seen.kind == "wait":  # the head still waits, and its shadow time and extra processors are the same
            again = seen.sentence == waited.get(seen.job)
            again |= seen.job in waited and seen.shadow is not None and (seen.shadow, seen.extra) == promise
            waited = {seen.job: seen.sentence}
        elif seen.kind == "refuse":  # each job is refused by the same rule as before
            again = all(refused.get(job) == seen.rule for job in seen.jobs)
            refused |= dict.fromkeys(seen.jobs, seen.rule)
        elif seen.kind == "sort":
            again = seen.sentence == ordered
            ordered = seen.sentence
        else:
            again = seen.kind == "event"
        if seen.shadow is not None:
            promise = seen.shadow, seen.extra
        if not again:
            told.add(place)
    merged: set[int] = set()  # no processor is free, and the next refusal names the same jobs and more
    for place, later in pairwise(sorted(told)):
        seen, after = decisions[place], decisions[later]
        full = seen.kind == after.kind == "refuse" and seen.free == after.free == 0
        if full and set(seen.jobs) <= set(after.jobs):
            merged.add(place)
    told -= merged
    events = [place for place, seen in enumerate(decisions) if seen.kind == "event"]
    for event, following in zip(events, [*events[1:], len(decisions)], strict=True):
        # an event is new only where no decision that follows from it is
        if told.isdisjoint(range(event, following)) and merged.isdisjoint(range(event, following)):
            told.add(event)
    return sorted(told | {0, len(decisions) - 1})


# The data that web/stepper.js draws. Jobs are numbers, places in the lists of `jobs`. A bar is [start, end, looks,
# first processor, how many, ...], with a pair for each piece; a frame has only what differs from the frame before.

Row = tuple[int, int, int, int, int]
"""Of a bar: job, start, end, processors, looks."""
PLANNED, BACKFILLED = 1, 2
"""The looks of a bar, added up."""


def stepping(explanation: Explanation, predict: bool = False) -> dict[str, Any]:
    """Turn the decisions of a policy into what is needed to step through them, a frame a decision."""
    schedule = explanation.schedule
    places = _places(schedule)
    questions = [question(explanation, place) for place in range(len(explanation))]
    states = [
        _state(seen, last, places) | {"ask": asked and [places.get(asked[0]), asked[1]]}  # None stands for nobody
        for seen, last, asked in zip(explanation, promises(explanation), questions, strict=True)
    ]
    estimates = {job.job: job.estimate for seen in explanation for job in seen.queue}
    chart = charted(schedule, [estimates[job] for job in schedule.jobs.index], _until(explanation))
    own = {"kind": "stepper", "policy": label(schedule.policy), "predict": predict, "steps": news(explanation)}
    return chart | own | {"frames": _folded(states)}


def comparing(schedules: Sequence[Schedule]) -> dict[str, Any]:
    """Turn schedules of one workload into what is needed to show them beside one another, at any time."""
    tables = [schedule.jobs for schedule in schedules]
    happens = np.unique([table[["submit", "start", "end"]] for table in tables]).tolist()
    waits = times("", pd.Series([table.wait.mean() for table in tables]))
    unit = str(waits.name).strip(" []")
    plans = [
        {
            "policy": label(schedule.policy),
            "wait": f"{wait} {unit}",
            "frames": _folded([{"bars": planned(schedule, time)} for time in happens]),
        }
        for schedule, wait in zip(schedules, waits, strict=True)
    ]
    chart = charted(schedules[0], tables[0].estimate.tolist(), happens[-1])
    return chart | {"kind": "compare", "times": happens, "plans": plans}


def charted(schedule: Schedule, estimates: list[int], until: int) -> dict[str, Any]:
    """Give what all charts of a workload need: its machine, the time axis until a second, the jobs, their colours."""
    jobs, workload = schedule.jobs, schedule.workload
    begin = int(jobs.submit.min())
    return {
        "workload": workload.name,
        "procs": int(workload.procs),
        "time": [begin, max(until, begin + 1)],
        "jobs": {"name": [str(job) for job in jobs.index], "procs": jobs.procs.tolist(), "estimate": estimates},
        "colours": list(dict.fromkeys(plots.job_colours(jobs.index).values())),
        "mark": plots.SYNTHETIC if workload.stand_in else "",
    }


def planned(schedule: Schedule, now: int) -> dict[int, list[int]]:
    """Give the bars of what is known and planned at a second."""
    plan, places = schedule.plan(now).jobs, _places(schedule)
    looks = PLANNED * (plan.start > now) + BACKFILLED * plan.backfilled
    columns = (plan.start, plan.end, plan.procs, looks)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return _bars(((places[job], *row) for job, row in zip(plan.index, rows, strict=True)), schedule.workload.procs)


def _places(schedule: Schedule) -> dict[Hashable, int]:
    """Number the jobs."""
    return {job: place for place, job in enumerate(schedule.jobs.index)}


def _until(explanation: Explanation) -> int:
    """Find the end of the time axis: the expected ends have room, unless they are far beyond all real ones."""
    jobs = explanation.schedule.jobs
    begin, end = int(jobs.submit.min()), int(jobs.end.max())
    expected = max(span.end for seen in explanation for span in (*seen.running, *seen.reservations))
    return max(end, int(min(expected, begin + 1.5 * (end - begin))))


def _state(seen: Decision, promise: Decision | None, places: Mapping[Hashable, int]) -> dict[str, Any]:
    """Take from a decision all that is shown of it."""

    def row(span: Span, looks: int) -> Row:
        return places[span.job], span.start, span.end, span.procs, looks + BACKFILLED * bool(span.backfilled)

    rows = [row(span, 0) for span in (*seen.done, *seen.running)]
    rows += [row(span, PLANNED) for span in reserved(seen, promise)]
    return {
        "time": seen.time,
        "kind": seen.kind,
        "rule": seen.rule,
        "sentence": seen.sentence,
        "jobs": [places[job] for job in seen.jobs],
        "free": seen.free,
        "queue": [places[job.job] for job in seen.queue],
        "running": [places[span.job] for span in seen.running],
        "shadow": promise.shadow if promise else None,
        "extra": promise.extra if promise else None,
        "remembered": promise is not None and seen.shadow is None,  # the promise is that of an earlier decision
        "bars": _bars(rows, seen.procs),
    }


def _bars(rows: Iterable[Row], procs: int) -> dict[int, list[int]]:
    """Choose each job's processors."""
    rows = sorted(rows, key=lambda row: (row[1], row[0]))
    bars = {job: [start, end, looks] for job, start, end, _, looks in rows}
    lasting = [row for row in rows if row[2] > row[1]]
    if lasting:
        _, start, end, size, _ = np.array(lasting, dtype=np.int64).T.copy()
        for place, first, count in pieces(start, end, size, procs).tolist():
            bars[lasting[place][0]] += [first, count]
    return bars


def _folded(states: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Leave out of each state what is as in the one before."""
    frames = []
    before: Mapping[str, Any] = {"bars": {}}
    for state in states:
        old, new = before["bars"], state["bars"]
        bars = {str(job): new.get(job) for job in sorted({*old, *new}) if old.get(job) != new.get(job)}
        rest = {key: of for key, of in state.items() if key != "bars" and (key not in before or before[key] != of)}
        frames.append({**rest, "bars": bars})
        before = state
    return frames
