"""What the controls in JupyterLab and the pages without a kernel both show and ask."""

import dataclasses
from collections.abc import Collection, Hashable, Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from .._util.words import length
from ..core.schedule import Schedule
from ..explain.records import Decision, Explanation, Span, reserved


def label(policy: Any) -> str:
    """Write a policy's name, with the options that are not the defaults."""
    name = type(policy).__name__
    if not dataclasses.is_dataclass(policy):
        return name
    options = [(field.name, getattr(policy, field.name), field.default) for field in dataclasses.fields(policy)]
    changed = [f"{key}={getattr(value, '__name__', value)}" for key, value, default in options if value != default]
    return ", ".join([name, *changed])  # where there is no room it breaks at a blank


def summaries(schedules: Sequence[Schedule]) -> pd.DataFrame:
    """Write the metrics of schedules as text, a row a schedule."""
    rows = {}
    for place, schedule in enumerate(schedules):
        seen: Any = schedule.summary()
        days = seen.makespan / 86400
        rows[place] = {
            "policy": label(schedule.policy),
            "mean wait": seconds(seen.mean_wait),
            "mean response": seconds(seen.mean_response),
            "mean bounded slowdown": f"{seen.mean_bounded_slowdown:,.1f}",
            "processors in use": f"{seen.utilization:.0%}",
            "backfilled": f"{seen.backfilled_share:.0%}",
            "makespan": f"{days:,.1f} days" if days >= 2 else length(round(seen.makespan)),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def summary_lines(schedules: Sequence[Schedule]) -> list[str]:
    """Write the same as lines of text, a column for each schedule, so that the lines are short."""
    return summaries(schedules).set_index("policy").T.rename_axis(columns=None).to_string().splitlines()


def seconds(value: float) -> str:
    """Write a mean length of time: with a decimal below 100 s, else whole."""
    return f"{value:.1f} s" if value < 100 else length(round(value))


def legend(schedules: Iterable[Schedule]) -> str:
    """Write what the looks of jobs mean in the charts of these schedules."""
    hatched = "   hatched: backfilled" if any(schedule.jobs.backfilled.any() for schedule in schedules) else ""
    return f"full colour: past   pale: expected   dashed: reserved{hatched}"


def html_table(
    caption: str, columns: Iterable[object], rows: Sequence[Sequence[object]], decided: Collection[object] = ()
) -> str:
    """Write a table as HTML; the rows whose first cell is in `decided` stand out."""
    head = "".join(f"<th>{escape(str(column))}</th>" for column in columns)
    marks = [' class="simlib-decided"' if cells[0] in decided else "" for cells in rows]
    body = "".join(
        f"<tr{mark}>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
        for mark, cells in zip(marks, rows, strict=True)
    )
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


# A decision: what is asked, and what is seen


class Question(NamedTuple):
    """Who starts next, as it can be asked when a decision is shown."""

    jobs: tuple[Hashable, ...]
    answer: Hashable | None
    place: int


def question(decisions: Sequence[Decision], place: int) -> Question | None:
    """Find what can be asked when the decision at a place is shown; None where nobody waits, or nothing is decided."""
    shown = decisions[place]
    if not shown.queue or shown.kind not in ("event", "start", "backfill"):
        return None
    answer, last = None, place
    for later in range(place + 1, len(decisions)):
        seen = decisions[later]
        if seen.kind == "event" or seen.time != shown.time:
            break
        last = later
        if seen.kind in ("start", "backfill"):
            answer = seen.job
            break
    return Question(tuple(job.job for job in shown.queue), answer, last) if last > place else None


# Find the decisions of a scheduler that tell something new: at those a stepper stops.


def news(decisions: Sequence[Decision]) -> list[int]:
    """List the places of the decisions that tell something new; the first and the last one are always among them.

    It is nothing new

    - that the head still waits, if its shadow time and the extra processors are those that were told last;
    - that the queue is sorted as it was;
    - that jobs are refused again by the rule that was told of each of them last;
    - that another job finds no processor free, if the next refusal names all of them;
    - that jobs have ended or arrived, if the decision that follows from it is told with it.
    """
    told: set[int] = set()  # all that does not only say again what was said before, but for events
    promise: tuple[int | None, int | None] | None = None
    ordered = ""
    waited: dict[Hashable, str] = {}
    refused: dict[Hashable, str] = {}
    for place, seen in enumerate(decisions):
        if seen.kind == "wait":
            again = seen.sentence == waited.get(seen.job)
            again |= seen.job in waited and seen.shadow is not None and (seen.shadow, seen.extra) == promise
            waited = {seen.job: seen.sentence}
        elif seen.kind == "refuse":
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
    merged: set[int] = set()  # what the next one says, too, of the same jobs and more
    for place, later in pairwise(sorted(told)):
        seen, after = decisions[place], decisions[later]
        full = seen.kind == after.kind == "refuse" and seen.free == after.free == 0
        if full and set(seen.jobs) <= set(after.jobs):
            merged.add(place)
    told -= merged
    events = [place for place, seen in enumerate(decisions) if seen.kind == "event"]
    for event, following in zip(events, [*events[1:], len(decisions)], strict=True):
        if told.isdisjoint(range(event, following)) and merged.isdisjoint(range(event, following)):
            told.add(event)
    return sorted(told | {0, len(decisions) - 1})


def event_before(decisions: Sequence[Decision], places: Sequence[int], place: int) -> Decision | None:
    """Find the event that the decision at one of the `places` follows, if it has no place of its own."""
    for before in range(place - 1, -1, -1):
        if before in places or decisions[before].time != decisions[place].time:
            return None
        if decisions[before].kind == "event":
            return decisions[before]
    return None


# What is seen at a place


def time_limits(explanation: Explanation) -> tuple[int, float]:
    """Give the ends of the time axis: the expected ends have room, unless they are far beyond all real ones."""
    jobs = explanation.schedule.jobs
    begin, end = int(jobs.submit.min()), int(jobs.end.max())
    expected = max(span.end for seen in explanation for span in (*seen.running, *seen.reservations))
    return begin, max(end, min(expected, begin + 1.5 * (end - begin)), begin + 1)


def spans(seen: Decision, promise: Decision | None) -> list[tuple[Span, bool]]:
    """List what a chart shows at a decision: the jobs that have started, and those that are planned (True)."""
    started, planned = (*seen.done, *seen.running), reserved(seen, promise)
    return [*((span, False) for span in started), *((span, True) for span in planned)]
