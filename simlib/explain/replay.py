"""Make a schedule again to explain why a job waited, or why two schedules differ."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._util.words import jobs, length, number, processors, sentence, series, verb
from ..core.schedule import Schedule
from ..policies.easy import Predictions
from ..policies.in_plain import is_known, reserves
from . import rules
from .listening import Listener, Told, begin_of, listen


class _Moment(NamedTuple):
    """A decision on a job: its time, kind and rule, the promised or planned start if there is one, and in words."""

    time: int
    kind: str
    rule: str
    at: Any  # int; None for none
    sentence: str


_Story = Sequence[_Moment]
"""All decisions on a job."""


def why(schedule: Schedule, job: Hashable) -> str:
    """Explain why a job waited as long as it did.

    Most facts come from the schedule. Only the scheduler knows how often the job was refused, and how its reservation
    or shadow time moved: the policy decides again, from the job's arrival on, or from the last earlier arrival when no
    job waited if it promises starts. The text includes this for all policies of simlib and for your own
    `simlib.OwnPolicy`; one that remembers anything decides again from the first job on.

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
        For a job that is not in the schedule, or a label that several jobs have.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> print(why(simlib.simulate(two, simlib.FCFS()), "A"))
    Job A (3 processors, estimate 10 s) did not wait: it arrived at 0 and started at once.
    """
    table, place = _by_arrival(schedule, job)
    its: Any = table.iloc[place]
    name = _with_request(its)
    if its.wait == 0:
        return sentence(f"{name} did not wait: it arrived at {number(its.submit)} and {_started(table, place)}")
    when = f"arrived at {number(its.submit)} and started at {number(its.start)}"
    story = _decisions_on(schedule, its.name, its.start)
    predicted = isinstance(getattr(schedule.policy, "adjust", None), Predictions) and its.adjusted != its.estimate
    parts = [
        f"{name} {when}: it waited {length(its.wait)}",
        _on_arrival(schedule, table, place),
        f"it was predicted to run for {length(its.adjusted)}" if predicted else "",
        _promise(its, schedule, story),
        _who_came_first(table, place),
        _who_passed(table, place),
        _refusals(story),
        "what was decided on it cannot be told" if story is None and is_known(schedule.policy) else "",
        f"it {_started(table, place)}{_against_promise(its, schedule)}",
    ]
    return " ".join(sentence(text) for text in parts if text)


def _by_arrival(schedule: Schedule, job: Any) -> tuple[pd.DataFrame, int]:
    """Sort the schedule's jobs by arrival, and find the place of the job with this label."""
    table = schedule.jobs.sort_values("submit", kind="stable")
    name, dropped = schedule.workload.name, schedule.workload.dropped
    if (place := _place_of(job, table.index)) is not None:
        return table, place
    if _place_of(job, dropped.index) is not None:
        raise ValueError(f"{name}: why: job {job!r} takes no part: {dropped[job]}")
    some = series(map(repr, schedule.jobs.index)) if len(table) else "none"
    raise ValueError(f"{name}: why: found no job {job!r}, expected one of the workload's: {some}")


def _place_of(job: Any, labels: pd.Index) -> Any:
    """The place of a job's label, None if there is none; True is not job 1, and a list is no label."""
    if isinstance(job, bool | slice):
        return None
    try:
        return labels.get_loc(job)
    except (LookupError, TypeError, pd.errors.InvalidIndexError):
        return None


def decided(schedule: Schedule, job: Hashable, now: int) -> list[str]:
    """List the decisions of a schedule's policy on a job at a second, in sentences.

    Parameters
    ----------
    schedule : Schedule
    job : a label of `schedule.jobs.index`
    now : int

    Returns
    -------
    list of str
        Empty if there was no decision on the job then, or if `explain` does not know the policy.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> decided(simlib.simulate(two, simlib.FCFS()), "B", 1)
    ['Job B waits at the head: it needs 2 processors, 1 is free.']
    """
    table, place = _by_arrival(schedule, job)
    return [seen.sentence for seen in _decisions_on(schedule, table.index[place], now) or () if seen.time == now]


def _decisions_on(schedule: Schedule, job: Any, until: int) -> _Story | None:
    """Find the decisions on a job up to a second; None if they cannot be known."""
    if not is_known(schedule.policy):
        return None
    submit = int(schedule.column("submit")[schedule.workload.jobs.index.get_loc(job)])
    story: list[_Moment] = []

    def use(told: Told, listener: Listener) -> None:
        facts = told.decision.facts
        at = getattr(told.decision, "at", facts.get("at", facts.get("shadow")))
        story.append(_Moment(listener.scene.now, told.rule.kind, told.rule.name, at, told.sentence))

    for begin in (begin_of(schedule, submit), None):
        story.clear()
        if listen(schedule, use, job, begin, until):
            return story
    return None


# The parts of the paragraph, in its order


def _on_arrival(schedule: Schedule, table: pd.DataFrame, place: int) -> str:
    its: Any = table.iloc[place]
    others = table.drop(table.index[place])
    running = others[(others.start <= its.submit) & (others.end > its.submit)]
    running = running.sort_values(["procs", "end"], ascending=[False, True], kind="stable")
    holders = [f"{job} ({procs} until {number(end)})" for job, procs, end in _rows(running, "procs", "end")]
    waiting = table.index[:place][table.start[:place] > its.submit]
    free = amount = schedule.workload.procs - running.procs.sum()
    text = processors(free)
    if schedule.workload.needs_gpus:
        gpus = schedule.workload.gpus - running.gpus.sum()
        amount, text = free + gpus, f"{text} and {processors(gpus, what='GPU')}"
    parts = [f"when it arrived, {text} {'were' if amount > 1 else 'was'} free"]
    parts += [f"{jobs(holders)} held the rest"] if holders else []
    parts += [f"{jobs(waiting)} {verb(waiting, 'was', 'were')} waiting already"] if len(waiting) else []
    return "; ".join(parts)


def _promise(its: Any, schedule: Schedule, story: _Story | None) -> str:
    if "guarantee" in its:
        moves = [(seen.time, seen.at) for seen in story or () if seen.kind == "move"]
        return f"it was guaranteed to start by {number(its.guarantee)}" + _moved("reservation", its.guarantee, moves)
    planned = [(seen.time, seen.at) for seen in story or () if seen.rule == rules.is_planned.name]
    if planned:
        first, at = planned[0]
        return f"a cycle planned it for {number(at)} (at {number(first)})" + _moved("planned start", at, planned)
    if schedule.shadow is None or schedule.shadow[its.name] < 0:
        return ""
    shadow = schedule.shadow[its.name]
    if reserves(schedule.policy):
        return _reserved(story) or f"its first reservation was for {number(shadow)}"
    heads = [(seen.time, seen.at) for seen in story or () if seen.rule == rules.head_waits.name]
    head = f"came to the head of the queue at {number(heads[0][0])}, with" if heads else "waited at the head, with"
    return f"it {head} the shadow time {number(shadow)}" + _moved("shadow time", shadow, heads)


def _reserved(story: _Story | None) -> str:
    """Describe a job's reservations, if not all jobs have one from the beginning."""
    changes = {"reserve": "got a reservation for", "move": "had it moved to", "give up": "gave it up"}
    seen = [(one.kind, one.at, one.time) for one in story or () if one.kind in changes]
    if not seen:
        return ""
    parts = [f"{changes[kind]} {'' if at is None else f'{number(at)} '}(at {number(now)})" for kind, at, now in seen]
    if len(parts) > 4:
        return f"it {parts[0]}; {len(parts) - 1} changes later it {parts[-1]}"
    return f"it {series(parts)}"


def _moved(what: str, first: int, moves: Sequence[tuple[int, int]]) -> str:
    """Describe how a promise moved; `moves` are times and the promises then."""
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


def _refusals(story: _Story | None) -> str:
    counts = Counter(seen.rule for seen in story or () if seen.kind == "refuse" and seen.rule != rules.is_planned.name)
    because = {
        rules.too_large.name: "too few processors were free",
        rules.would_delay_the_head.name: "it would have delayed the head",
        rules.would_touch.name: "it would have touched a reservation",
        rules.not_in_the_set.name: "a set without it took more processors",
        rules.not_looked_at.name: "it was too far behind the head",
        rules.beyond_the_window.name: "its start was beyond the window",
    }
    times = {1: "once", 2: "twice"}
    names = [*(name for name in because if counts[name]), *(name for name in counts if name not in because)]
    reasons = [
        f"{times.get(counts[name], f'{counts[name]} times')} because {because.get(name, f'it {name}')}"
        for name in names
    ]
    return f"it was refused {series(reasons)}" if reasons else ""


def _started(table: pd.DataFrame, place: int) -> str:
    """Describe the start: which jobs ended then, and which jobs it passed."""
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
    """Compare the start with the promise."""
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


def _with_request(its: Any) -> str:
    """Name a job of a table with its request."""
    needs = processors(its.procs) + (f" and {processors(its.gpus, what='GPU')}" if its.get("gpus", 0) > 0 else "")
    return f"{jobs([its.name])} ({needs}, estimate {length(max(its.estimate, its.run))})"


def _rows(table: pd.DataFrame, *columns: str) -> Iterable[tuple[Any, ...]]:
    return table[list(columns)].itertuples(name=None)


# Where two schedules part


@dataclass(frozen=True)
class Difference:
    """Say where two schedules of the same jobs begin to differ, and why; it prints a text."""

    job: object
    time: int
    starts: tuple[int, int]
    text: str

    def __str__(self) -> str:
        return self.text


def first_difference(one: Schedule, other: Schedule) -> Difference | None:
    """Find the first job that two schedules start at different times, and explain why.

    Use it to compare your own policy with one of this package that should do the same.

    Parameters
    ----------
    one, other : Schedule
        Of the same jobs on the same machine.

    Returns
    -------
    Difference or None
        With the attributes `job`, `time` (the earlier of its two starts), `starts` (in one and in the other) and
        `text`, which it prints. None if both start all jobs at the same times.

    Raises
    ------
    ValueError
        For schedules of other jobs, run times or estimates.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> mine = simlib.OwnPolicy(simlib.policies.examples_own.easy)
    >>> print(first_difference(simlib.simulate(w, mine), simlib.simulate(w, simlib.EASY())))
    None
    """
    a, b, given = one.jobs, other.jobs, ["run", "estimate", "procs"]
    same = a.index.equals(b.index) and a[given].equals(b[given]) and one.workload.procs == other.workload.procs
    if not same:
        raise ValueError(
            f"first_difference: found schedules of {one.workload!r} and {other.workload!r}, "
            "expected two of the same jobs and run times on the same machine"
        )
    differ = np.flatnonzero(a.start.to_numpy() != b.start.to_numpy())
    if not len(differ):
        return None
    earlier = np.minimum(a.start.to_numpy(), b.start.to_numpy())
    place = differ[earlier[differ].argmin()]  # the first of them by arrival
    time, job = int(earlier[place]), a.index[place]
    starts = int(a.start.iloc[place]), int(b.start.iloc[place])

    names = [str(schedule.policy) for schedule in (one, other)]
    names = names if names[0] != names[1] else ["the first", "the second"]
    until = int((a.start < time).sum())
    lines = [
        f"Until second {number(time)} both schedules start the same {until:,} jobs at the same times. Then they part "
        f"at {_with_request(a.iloc[place])}, submitted at {number(a.submit.iloc[place])}: "
        f"{names[0]} starts it at {number(starts[0])}, {names[1]} at {number(starts[1])}."
    ]
    for name, schedule in zip(names, (one, other), strict=True):
        lines += [f"{name}: {decision}" for decision in decided(schedule, job, time)]
    return Difference(job, time, starts, "\n".join(lines))
