"""Why a job waited as long as it did, in one paragraph."""

from collections import Counter

import numpy as np

from . import rules
from .replay import replay, scheduler
from .words import jobs, length, number, processors, sentence, series, verb

LIMIT = 5000
"""The most jobs that are scheduled once more to learn of one of them what was decided while it waited."""


def why(schedule, job):
    """Why a job waited as long as it did.

    Most of it is read off the schedule, of any size. How often the job was refused and how its reservation or shadow
    time moved is known to the scheduler only: it is told where the policy is one that `explain` knows, and at most
    `LIMIT` jobs have come since the machine was last empty.

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
    """
    table = _by_arrival(schedule, job)
    place = table.index.get_loc(job)
    its = table.iloc[place]
    name = f"{jobs([job])} ({processors(its.procs)}, estimate {length(max(its.estimate, its.run))})"
    if its.wait == 0:
        return sentence(f"{name} did not wait: it arrived at {number(its.submit)} and {_started(table, place)}")
    when = f"arrived at {number(its.submit)} and started at {number(its.start)}"
    story = _story(schedule, table, place)
    told = [
        f"{name} {when}: it waited {length(its.wait)}",
        _on_arrival(schedule, table, place),
        _promise(its, schedule, story),
        _who_came_first(table, place),
        _who_passed(table, place),
        _refusals(story),
        f"it {_started(table, place)}{_kept(its, schedule)}",
    ]
    return " ".join(sentence(text) for text in told if text)


def _by_arrival(schedule, job):
    """The schedule's jobs in order of arrival, in which the job is found once."""
    table = schedule.jobs
    found = (table.index == job).sum()
    if found == 1:
        return table.sort_values("submit", kind="stable")
    name, dropped = schedule.workload.name, schedule.workload.dropped
    if found > 1:
        raise ValueError(f"{name}: why: found {found} jobs named {job!r}, expected names that differ")
    if job in dropped.index:
        raise ValueError(f"{name}: why: job {job!r} takes no part: {dropped[job]}")
    some = series(map(repr, table.index)) if len(table) else "none"
    raise ValueError(f"{name}: why: found no job {job!r}, expected one of the workload's: {some}")


def decided(schedule, job, now):
    """What a schedule's policy decided on a job at a second, in sentences.

    Parameters
    ----------
    schedule : Schedule
    job : a label of `schedule.jobs.index`
    now : int

    Returns
    -------
    list of str
        Empty where nothing was decided on the job then, or the policy is one that `explain` does not know.
    """
    table = _by_arrival(schedule, job)
    steps = _decisions_on(schedule, table, table.index.get_loc(job), now)
    return [
        rule.say([its] if rule.together else its, *facts) for system, rule, its, *facts in steps if system.now == now
    ]


def _decisions_on(schedule, table, place, until):
    """The decisions on a job up to a second, as (system, rule, job, facts); none where they cannot be known."""
    try:
        scheduler(schedule.policy)
    except ValueError:
        return
    first, last = _first_since_the_machine_was_empty(table, place), table.submit.searchsorted(until, side="right")
    if last - first > LIMIT:
        return
    system, steps = replay(schedule, table[first:last])
    for rule, job, *facts in steps:
        if system.now > until:
            return
        if job is not None and job.name == table.index[place]:
            yield system, rule, job, *facts


def _story(schedule, table, place):
    """What was decided on the job: (time, rule, reservation, shadow time) of each decision; None where not known."""
    story, system = [], None
    for system, rule, job, *_ in _decisions_on(schedule, table, place, table.start.iloc[place]):
        story.append((system.now, rule, job.reserved, job.shadow))
        if job.start is not None:
            break
    if system is None:
        return None
    started = system.running + system.done
    starts = table.start[[job.name for job in started]]
    return story if starts.tolist() == [job.start for job in started] else None


def _first_since_the_machine_was_empty(table, place):
    """The place of the first job that arrived after all before it had ended: no earlier one touches the schedule."""
    submit, end = table.submit.to_numpy()[: place + 1], table.end.to_numpy()[: place + 1]
    fresh = np.concatenate([[True], submit[1:] > np.maximum.accumulate(end)[:-1]])
    return int(np.flatnonzero(fresh)[-1])


# The parts of the paragraph, in its order


def _on_arrival(schedule, table, place):
    its = table.iloc[place]
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


def _promise(its, schedule, story):
    if "guarantee" in its:
        moves = [(now, at) for now, rule, at, _ in story or () if rule.kind == "move" and at is not None]
        return f"it was guaranteed to start by {number(its.guarantee)}" + _moved("reservation", its.guarantee, moves)
    if schedule.shadow is None or schedule.shadow[its.name] < 0:
        return ""
    shadow = schedule.shadow[its.name]
    heads = [(now, at) for now, rule, _, at in story or () if rule is rules.head_waits]
    head = f"came to the head of the queue at {number(heads[0][0])}, with" if heads else "waited at the head, with"
    return f"it {head} the shadow time {number(shadow)}" + _moved("shadow time", shadow, heads)


def _moved(what, first, moves):
    """Where a promise moved; `moves` are times and what was promised then."""
    befores = [first, *(at for _, at in moves)]
    steps = [
        f"{number(at)} (at {number(now)})" for before, (now, at) in zip(befores, moves, strict=False) if at != before
    ]
    if len(steps) > 4:
        return f"; its {what} moved {len(steps)} times, at last to {steps[-1]}"
    return f"; its {what} moved to {series(steps)}" if steps else ""


def _who_came_first(table, place):
    its, before = table.iloc[place], table[:place]
    started = before[(before.start > its.submit) & (before.start < its.start)].sort_values("start", kind="stable")
    names = [f"{job} (at {number(start)})" for job, start in _rows(started, "start")]
    return f"of those that were waiting, {jobs(names)} started before it" if names else ""


def _who_passed(table, place):
    later = table[place + 1 :]
    passed = later[later.start < table.start.iloc[place]].sort_values("start", kind="stable")
    if passed.empty:
        return ""
    backfilled = passed.backfilled.sum()
    some = f", {backfilled} of them" if backfilled < len(passed) else ""
    return f"{jobs(passed.index)} came later and passed it" + (f"{some} by backfilling" if backfilled else "")


def _refusals(story):
    counts = Counter(rule.name for _, rule, *_ in story or () if rule.kind == "refuse")
    why = {
        rules.too_large.name: "too few processors were free",
        rules.would_delay_the_head.name: "it would have delayed the head",
    }
    reasons = [f"{_times(counts[name])} because {why[name]}" for name in why if counts[name]]
    return f"it was refused {series(reasons)}" if reasons else ""


def _started(table, place):
    """How it started: when whose processors became free, ahead of whom."""
    its, before = table.iloc[place], table[:place]
    ended = table.index[(table.end == its.start) & (table.start < its.start)]
    when = (
        f"the moment that {jobs(ended)} ended" if len(ended) else f"at {number(its.start)}" if its.wait else "at once"
    )
    ahead = before.index[before.start > its.start]
    passed = f", ahead of {jobs(ahead)}" if len(ahead) else ""
    return f"{'was backfilled' if its.backfilled else 'started'} {when}{passed}"


def _kept(its, schedule):
    """How its start compares with what was promised."""
    if "guarantee" in its:
        promised, what = its.guarantee, "guarantee"
    elif schedule.shadow is not None and schedule.shadow[its.name] >= 0:
        promised, what = schedule.shadow[its.name], "first shadow time"
    else:
        return ""
    late = its.start - promised
    than = f"{length(abs(late))} {'after' if late > 0 else 'before'}" if late else "exactly at"
    return f", {than} its {what}"


def _rows(table, *columns):
    return table[list(columns)].itertuples(name=None)


def _times(count):
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
