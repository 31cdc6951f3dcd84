"""What the stepper shows and asks: decisions as data that one script draws."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from simlib import plots
from simlib.core.metrics import pieces
from simlib.core.schedule import Schedule
from simlib.explain.records import Decision, Explanation, Span, promises, reserved


def named(policy: Any) -> str:
    """Write a policy's name, with the options that are not the defaults."""
    return str(policy).removesuffix("()")


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
    places = {job: place for place, job in enumerate(schedule.jobs.index)}
    questions = [question(explanation, place) for place in range(len(explanation))]
    states = [
        _state(seen, last, places) | {"ask": asked and [places.get(asked[0]), asked[1]]}  # None stands for nobody
        for seen, last, asked in zip(explanation, promises(explanation), questions, strict=True)
    ]
    estimates = {job.job: job.estimate for seen in explanation for job in seen.queue}
    chart = _charted(schedule, [estimates[job] for job in schedule.jobs.index], _until(explanation))
    own = {"policy": named(schedule.policy), "predict": predict, "steps": news(explanation)}
    return chart | own | {"frames": _folded(states)}


def _charted(schedule: Schedule, estimates: list[int], until: int) -> dict[str, Any]:
    """Give what the chart of a workload needs: its machine, the time axis until a second, the jobs, their colours."""
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
