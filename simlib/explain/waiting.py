"""Tell why a job waited as long as it did, in one paragraph."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._util.words import jobs, length, number, processors, sentence, series, verb
from ..core.schedule import Schedule
from ..policies.predictions import Predictions
from . import rules
from .replay import check, replay, reserves
from .system import Job, System

LIMIT = 5000
"""The most jobs that are scheduled a second time to learn what was decided on one of them while it waited."""


class Moment(NamedTuple):
    """A decision on a job: when, by which rule, and the job's reservation and shadow time after it."""

    time: int
    rule: rules.Rule
    reserved: Any  # int; None for none
    shadow: Any


Story = Sequence[Moment]
"""All decisions on a job."""


def why(schedule: Schedule, job: Hashable) -> str:
    """Tell why a job waited as long as it did.

    Most of it is read off the schedule, of any size. How often the job was refused and how its reservation or shadow
    time moved is known to the scheduler only. The paragraph says it where the policy is one that `explain` knows, and
    at most `LIMIT` jobs have come since the machine was last empty.

    Parameters
    ----------
    schedule : Schedule
    job : a label of `schedule.jobs.index`

    Returns
    -------
    str

    Raises
    ------
    ValueError
        For a job that is not in the schedule, or one of several of that name.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> print(why(simlib.simulate(two, simlib.FCFS()), "A"))
    Job A (3 processors, estimate 10 s) did not wait: it arrived at 0 and started at once.
    """
    table = _by_arrival(schedule, job)
    place = _place(table, job)
    its: Any = table.iloc[place]
    name = f"{jobs([job])} ({processors(its.procs)}, estimate {length(max(its.estimate, its.run))})"
    if its.wait == 0:
        return sentence(f"{name} did not wait: it arrived at {number(its.submit)} and {_started(table, place)}")
    when = f"arrived at {number(its.submit)} and started at {number(its.start)}"
    story = _story(schedule, table, place)
    told = [
        f"{name} {when}: it waited {length(its.wait)}",
        _on_arrival(schedule, table, place),
        _prediction(its, schedule),
        _promise(its, schedule, story),
        _who_came_first(table, place),
        _who_passed(table, place),
        _refusals(story),
        f"it {_started(table, place)}{_against_promise(its, schedule)}",
    ]
    return " ".join(sentence(text) for text in told if text)


def _by_arrival(schedule: Schedule, job: Any) -> pd.DataFrame:
    """Sort the schedule's jobs by arrival, and make sure that one of them has this name."""
    table = schedule.jobs
    if (table.index == job).any():
        return table.sort_values("submit", kind="stable")
    name, dropped = schedule.workload.name, schedule.workload.dropped
    if job in dropped.index:
        raise ValueError(f"{name}: why: job {job!r} takes no part: {dropped[job]}")
    some = series(map(repr, table.index)) if len(table) else "none"
    raise ValueError(f"{name}: why: found no job {job!r}, expected one of the workload's: {some}")


def decided(schedule: Schedule, job: Hashable, now: int) -> list[str]:
    """Tell what a schedule's policy decided on a job at a second, in sentences.

    Parameters
    ----------
    schedule : Schedule
    job : a label of `schedule.jobs.index`
    now : int

    Returns
    -------
    list of str
        Empty where nothing was decided on the job then, or the policy is one that `explain` does not know.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> decided(simlib.simulate(two, simlib.FCFS()), "B", 1)
    ['Job B waits at the head: it needs 2 processors, 1 is free.']
    """
    table = _by_arrival(schedule, job)
    steps = _decisions_on(schedule, table, _place(table, job), now)
    return [
        rule.say([its] if rule.together else its, *facts) for system, rule, its, *facts in steps if system.now == now
    ]


def _place(table: pd.DataFrame, job: Hashable) -> int:
    return int(np.flatnonzero(table.index == job)[0])


def _decisions_on(schedule: Schedule, table: pd.DataFrame, place: int, until: int) -> Iterator[tuple[Any, ...]]:
    """Find the decisions on a job up to a second, as (system, rule, job, facts); none where they cannot be known."""
    try:
        check(schedule.policy)
    except ValueError:
        return
    first, last = _first_since_the_machine_was_empty(table, place), table.submit.searchsorted(until, side="right")
    if last - first > LIMIT:
        return
    system, steps = replay(schedule, first, int(last))
    for rule, job, *facts in steps:
        if system.now > until:
            return
        if job is not None and job.name == table.index[place]:
            yield system, rule, job, *facts


def _story(schedule: Schedule, table: pd.DataFrame, place: int) -> Story | None:
    """Find what was decided on the job until it started; None where that is not known."""
    story: list[Moment] = []
    system: System | None = None
    rule: rules.Rule
    job: Job
    for system, rule, job, *_ in _decisions_on(schedule, table, place, table.start.iloc[place]):
        story.append(Moment(system.now, rule, job.reserved, job.shadow))
        if job.start is not None:
            break
    if system is None:
        return None
    started = system.running + system.done
    starts = table.start[[job.name for job in started]]
    return story if starts.tolist() == [job.start for job in started] else None


def _first_since_the_machine_was_empty(table: pd.DataFrame, place: int) -> int:
    """Find the last job up to this one that arrived when all before it had ended: no earlier job has any effect."""
    submit, end = table.submit.to_numpy()[: place + 1], table.end.to_numpy()[: place + 1]
    fresh = np.concatenate([[True], submit[1:] > np.maximum.accumulate(end)[:-1]])
    return int(np.flatnonzero(fresh)[-1])


# The parts of the paragraph, in its order


def _on_arrival(schedule: Schedule, table: pd.DataFrame, place: int) -> str:
    its: Any = table.iloc[place]
    others = table.drop(table.index[place])
    running = others[(others.start <= its.submit) & (others.end > its.submit)]
    running = running.sort_values(["procs", "end"], ascending=[False, True], kind="stable")
    holders = [f"{job} ({procs} until {number(end)})" for job, procs, end in _rows(running, "procs", "end")]
    waiting = [job for job, start in _rows(table[:place], "start") if start > its.submit]
    free = schedule.workload.procs - running.procs.sum()
    parts = [f"when it arrived, {processors(free)} {'were' if free > 1 else 'was'} free"]
    parts += [f"{jobs(holders)} held the rest"] if holders else []
    parts += [f"{jobs(waiting)} {verb(waiting, 'was', 'were')} waiting already"] if waiting else []
    return "; ".join(parts)


def _prediction(its: Any, schedule: Schedule) -> str:
    if not isinstance(getattr(schedule.policy, "adjust", None), Predictions) or its.adjusted == its.estimate:
        return ""
    return f"it was predicted to run for {length(its.adjusted)}"


def _promise(its: Any, schedule: Schedule, story: Story | None) -> str:
    if "guarantee" in its:
        moves = [
            (seen.time, seen.reserved) for seen in story or () if seen.rule.kind == "move" and seen.reserved is not None
        ]
        return f"it was guaranteed to start by {number(its.guarantee)}" + _moved("reservation", its.guarantee, moves)
    if schedule.shadow is None or schedule.shadow[its.name] < 0:
        return ""
    shadow = schedule.shadow[its.name]
    if reserves(schedule.policy):
        return _reserved(story) or f"its first reservation was for {number(shadow)}"
    heads = [(seen.time, seen.shadow) for seen in story or () if seen.rule is rules.head_waits]
    head = f"came to the head of the queue at {number(heads[0][0])}, with" if heads else "waited at the head, with"
    return f"it {head} the shadow time {number(shadow)}" + _moved("shadow time", shadow, heads)


def _reserved(story: Story | None) -> str:
    """Tell of a job's reservations, where not all jobs have one from the beginning."""
    changes = {"reserve": "got a reservation for", "move": "had it moved to", "give up": "gave it up"}
    seen = [(one.rule.kind, one.reserved, one.time) for one in story or () if one.rule.kind in changes]
    if not seen:
        return ""
    parts = [f"{changes[kind]} {'' if at is None else f'{number(at)} '}(at {number(now)})" for kind, at, now in seen]
    if len(parts) > 4:
        return f"it {parts[0]}; {len(parts) - 1} changes later it {parts[-1]}"
    return f"it {series(parts)}"


def _moved(what: str, first: int, moves: Sequence[tuple[int, int]]) -> str:
    """Tell where a promise moved; `moves` are times and what was promised then."""
    befores = [first, *(at for _, at in moves)]
    steps = [
        f"{number(at)} (at {number(now)})" for before, (now, at) in zip(befores, moves, strict=False) if at != before
    ]
    if len(steps) > 4:
        return f"; its {what} moved {len(steps)} times, at last to {steps[-1]}"
    return f"; its {what} moved to {series(steps)}" if steps else ""


def _who_came_first(table: pd.DataFrame, place: int) -> str:
    its: Any = table.iloc[place]
    before = table[:place]
    started = before[(before.start > its.submit) & (before.start < its.start)].sort_values("start", kind="stable")
    names = [f"{job} (at {number(start)})" for job, start in _rows(started, "start")]
    return f"of those that were waiting, {jobs(names)} started before it" if names else ""


def _who_passed(table: pd.DataFrame, place: int) -> str:
    later = table[place + 1 :]
    passed = later[later.start < table.start.iloc[place]].sort_values("start", kind="stable")
    if passed.empty:
        return ""
    backfilled = passed.backfilled.sum()
    some = f", {backfilled} of them" if backfilled < len(passed) else ""
    return f"{jobs(passed.index)} came later and passed it" + (f"{some} by backfilling" if backfilled else "")


def _refusals(story: Story | None) -> str:
    counts = Counter(seen.rule.name for seen in story or () if seen.rule.kind == "refuse")
    why = {
        rules.too_large.name: "too few processors were free",
        rules.would_delay_the_head.name: "it would have delayed the head",
        rules.would_touch.name: "it would have touched a reservation",
        rules.not_in_the_set.name: "a set without it took more processors",
        rules.not_looked_at.name: "it was too far behind the head",
    }
    reasons = [f"{_times(counts[name])} because {why[name]}" for name in why if counts[name]]
    return f"it was refused {series(reasons)}" if reasons else ""


def _started(table: pd.DataFrame, place: int) -> str:
    """Tell how it started: when which jobs ended, and ahead of which others."""
    its: Any = table.iloc[place]
    before = table[:place]
    ended = table.index[(table.end == its.start) & (table.start < its.start)]
    when = (
        f"the moment that {jobs(ended)} ended" if len(ended) else f"at {number(its.start)}" if its.wait else "at once"
    )
    ahead = before.index[before.start > its.start]
    passed = f", ahead of {jobs(ahead)}" if len(ahead) else ""
    return f"{'was backfilled' if its.backfilled else 'started'} {when}{passed}"


def _against_promise(its: Any, schedule: Schedule) -> str:
    """Compare its start with what was promised."""
    if "guarantee" in its:
        promised, what = its.guarantee, "guarantee"
    elif schedule.shadow is not None and schedule.shadow[its.name] >= 0:
        what = "first reservation" if reserves(schedule.policy) else "first shadow time"
        promised = schedule.shadow[its.name]
    else:
        return ""
    late = its.start - promised
    than = f"{length(abs(late))} {'after' if late > 0 else 'before'}" if late else "exactly at"
    return f", {than} its {what}"


def _rows(table: pd.DataFrame, *columns: str) -> Iterable[tuple[Any, ...]]:
    return table[list(columns)].itertuples(name=None)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
