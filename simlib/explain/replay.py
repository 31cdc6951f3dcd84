"""Make a schedule again with the policies in plain Python, to explain why a job waited, or why schedules differ."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._util.arrays import Ints
from .._util.words import jobs, length, number, processors, sentence, series, verb
from ..core.schedule import Schedule
from ..policies.conservative import Conservative, Selective
from ..policies.easy import EASY, FCFS, Predictions
from . import rules
from .conservative import Entitled, conservative, reserving
from .easy import Predictor, best_set, easy, fcfs, in_order, one_by_one
from .system import Decisions, Job, Ranks, Scheduler, System, Usage, decisions

LIMIT = 5000
"""The most jobs that are scheduled a second time to learn what was decided on one of them while it waited."""


def check(policy: Any) -> None:
    """Check that a policy is known here."""
    if type(policy) in (FCFS, Conservative, Selective):
        return
    if type(policy) is EASY and isinstance(policy.adjust, Predictions | None):
        return
    raise ValueError(
        f"explain: found policy {policy!r}, expected FCFS(...), EASY(...) without an Adjustment, Conservative(...) or "
        "Selective(...)"
    )


def _refuse_gpus(schedule: Schedule) -> None:
    """Refuse a schedule of jobs that need GPUs: explanations do not cover them."""
    if schedule.workload.needs_gpus:
        raise ValueError(
            f"{schedule.workload.name}: explain: found jobs that need GPUs, expected jobs that need processors only; "
            "for their schedule without GPUs simulate workload.without_gpus()"
        )


def schedule_again(schedule: Schedule, first: int = 0, last: int | None = None) -> tuple[System, Decisions]:
    """Make a system before its first instant, and the decisions that lead to the schedule."""
    policy: Any = schedule.policy
    check(policy)
    _refuse_gpus(schedule)
    procs, facts = schedule.workload.procs, None
    orders = getattr(policy, "order", "fcfs"), getattr(policy, "backfill", None)
    if any(order not in ("fcfs", "lookahead", None) for order in orders):
        policy = policy.prepare(schedule.workload.jobs)
        facts = policy._facts(procs)
    adjust = getattr(policy, "adjust", None)
    places = np.argsort(schedule.column("submit"), kind="stable")
    system = System(procs, _jobs(schedule, facts, places[first:last], first), corrects=bool(adjust and adjust.correct))
    if reserves(policy):
        system.profile = [[0, procs]]

    # what jobs did that have ended before the first one, where that matters
    counts_usage = facts is not None and facts.usage.half_life > 0
    earlier: list[Job] = []
    if counts_usage or adjust or getattr(policy, "threshold", None) == "adaptive":
        earlier = _jobs(schedule, facts, places[:first], 0)
        for job, start in zip(earlier, schedule.column("start")[places[:first]].tolist(), strict=True):
            job.start = start
    if facts is not None:
        system.usage = Usage(len(facts.usage.had) - 1, facts.usage.half_life)
        starts = [(job.start, job.procs, job.account) for job in earlier]
        for now, held, account in sorted(starts + [(job.end, -job.procs, job.account) for job in earlier]):
            system.usage.hold(account, now, held)
    return system, decisions(system, _scheduler(policy, facts, earlier))


def reserves(policy: Any) -> bool:
    """Tell whether jobs other than the head of the queue may have reservations under a policy."""
    return type(policy) in (Conservative, Selective) or getattr(policy, "reservations", 1) != 1


def _scheduler(policy: Any, facts: Any, earlier: Sequence[Job]) -> Scheduler:
    """Choose the plain version of a policy that is prepared for its workload; some jobs have ended before."""

    def ranks(setting: str) -> Ranks:
        return Ranks(getattr(policy, setting), policy._pointer(setting, facts).ctypes)

    order = None if getattr(policy, "order", "fcfs") == "fcfs" else ranks("order")
    if type(policy) is FCFS:
        return partial(fcfs, order=order)
    if type(policy) is Conservative and order is None:
        return partial(conservative, compress=policy.compress)
    if reserves(policy):
        entitled = Entitled(most=getattr(policy, "reservations", np.inf))
        if type(policy) is Selective:
            entitled.threshold = None if policy.threshold == "adaptive" else float(policy.threshold)
        entitled.learn(earlier)
        return partial(reserving, entitled=entitled, order=order)
    find_backfill_jobs: Scheduler = partial(one_by_one, reuse_extra=policy.reuse_extra)
    if policy.backfill == "lookahead":
        find_backfill_jobs = best_set
    elif policy.backfill is not None:
        find_backfill_jobs = partial(in_order, order=ranks("backfill"), reuse_extra=policy.reuse_extra)
    predictor = None if policy.adjust is None else Predictor(policy.adjust, earlier)
    return partial(easy, order=order, find_backfill_jobs=find_backfill_jobs, predictor=predictor)


def _jobs(schedule: Schedule, facts: Any, places: Ints, first: int) -> list[Job]:
    """The jobs at these places of a schedule, with the facts that a scheduler may know."""
    run, submit, size = (schedule.column(name) for name in ("run", "submit", "procs"))
    estimate = np.maximum(schedule.column("estimate"), run)  # of a job that overran it was raised, or its run cut
    columns = {"submit": submit, "run": run, "estimate": estimate, "procs": size}
    if getattr(schedule.policy, "adjust", None) is not None:
        columns["requested"] = schedule.column("estimate")
    table = schedule.workload.jobs
    whose = {"user": "user", "group": "group", "log_queue": "queue"}
    columns |= {field: table[column].to_numpy() for field, column in whose.items() if column in table}
    if facts is not None:
        columns["account"] = facts.usage.account
    lists = (column[places].tolist() for column in columns.values())
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True))
    names = table.index[places].tolist()
    return [Job(name, first + k, **row) for k, (name, row) in enumerate(zip(names, rows, strict=True))]


# Why a job waited


class _Moment(NamedTuple):
    """A decision on a job: its time and rule, and the job's reservation and shadow time after it."""

    time: int
    rule: rules.Rule
    reserved: Any  # int; None for none
    shadow: Any


_Story = Sequence[_Moment]
"""All decisions on a job."""


def why(schedule: Schedule, job: Hashable) -> str:
    """Explain why a job waited as long as it did.

    Most facts come from the schedule, which may be of any size. Only the scheduler knows how often the job was refused,
    and how its reservation or shadow time moved. The text includes this if `explain` knows the policy, and at most
    `LIMIT` jobs have arrived since the machine was last empty.

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
    _refuse_gpus(schedule)
    table, place = _by_arrival(schedule, job)
    its: Any = table.iloc[place]
    name = _with_request(its)
    if its.wait == 0:
        return sentence(f"{name} did not wait: it arrived at {number(its.submit)} and {_started(table, place)}")
    when = f"arrived at {number(its.submit)} and started at {number(its.start)}"
    story = _story(schedule, table, place)
    predicted = isinstance(getattr(schedule.policy, "adjust", None), Predictions) and its.adjusted != its.estimate
    parts = [
        f"{name} {when}: it waited {length(its.wait)}",
        _on_arrival(schedule, table, place),
        f"it was predicted to run for {length(its.adjusted)}" if predicted else "",
        _promise(its, schedule, story),
        _who_came_first(table, place),
        _who_passed(table, place),
        _refusals(story),
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
    steps = _decisions_on(schedule, *_by_arrival(schedule, job), now)
    return [
        rule.say([its] if rule.together else its, *facts) for system, rule, its, *facts in steps if system.now == now
    ]


def _decisions_on(schedule: Schedule, table: pd.DataFrame, place: int, until: int) -> Iterator[tuple[Any, ...]]:
    """Find the decisions on a job up to a second, as (system, rule, job, facts); none if they cannot be known."""
    try:
        check(schedule.policy)
        _refuse_gpus(schedule)
    except ValueError:
        return
    # from the last job up to this one that arrived when all before it had ended: no earlier job has any effect
    submit, end = table.submit.to_numpy()[: place + 1], table.end.to_numpy()[: place + 1]
    fresh = np.concatenate([[True], submit[1:] > np.maximum.accumulate(end)[:-1]])
    first, last = int(np.flatnonzero(fresh)[-1]), int(table.submit.searchsorted(until, side="right"))
    if last - first > LIMIT:
        return
    system, steps = schedule_again(schedule, first, last)
    for rule, job, *facts in steps:
        if system.now > until:
            return
        if job is not None and job.name == table.index[place]:
            yield system, rule, job, *facts


def _story(schedule: Schedule, table: pd.DataFrame, place: int) -> _Story | None:
    """Find the decisions on the job until it started; None if they are not known."""
    story: list[_Moment] = []
    system: System | None = None
    rule: rules.Rule
    job: Job
    for system, rule, job, *_ in _decisions_on(schedule, table, place, table.start.iloc[place]):
        story.append(_Moment(system.now, rule, job.reserved, job.shadow))
        if job.start is not None:
            break
    if system is None:
        return None
    started = system.running + system.done
    starts = table.start[[job.name for job in started]]
    return story if starts.tolist() == [job.start for job in started] else None


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


def _promise(its: Any, schedule: Schedule, story: _Story | None) -> str:
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


def _reserved(story: _Story | None) -> str:
    """Describe a job's reservations, if not all jobs have one from the beginning."""
    changes = {"reserve": "got a reservation for", "move": "had it moved to", "give up": "gave it up"}
    seen = [(one.rule.kind, one.reserved, one.time) for one in story or () if one.rule.kind in changes]
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
    counts = Counter(seen.rule.name for seen in story or () if seen.rule.kind == "refuse")
    because = {
        rules.too_large.name: "too few processors were free",
        rules.would_delay_the_head.name: "it would have delayed the head",
        rules.would_touch.name: "it would have touched a reservation",
        rules.not_in_the_set.name: "a set without it took more processors",
        rules.not_looked_at.name: "it was too far behind the head",
    }
    times = {1: "once", 2: "twice"}
    reasons = [
        f"{times.get(counts[name], f'{counts[name]} times')} because {reason}"
        for name, reason in because.items()
        if counts[name]
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
    return f"{jobs([its.name])} ({processors(its.procs)}, estimate {length(max(its.estimate, its.run))})"


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
