"""Lesson 2: EASY backfilling by hand."""

import itertools
from collections.abc import Iterable
from functools import cache
from typing import Any

from ...core.schedule import Schedule, simulate
from ...core.workload import Workload
from ...explain import explain, rules
from ...models.examples import figure3
from ...policies.easy import EASY
from ..answers import Judge, NotYet, choice, edited, function, number, parts, truth

FAR = 200
"""Exercise 2.3 asks that the second queued job starts at this second or later."""

PROCS = 10
"""The processors of the machine in exercise 2.4."""

WAYS = {
    "shadow": rules.ends_by_the_shadow_time.name,
    "extra": rules.fits_the_extra_processors.name,
    "no": None,
}
"""The answers of exercise 2.2 on a job, and the rule by which such a job starts."""


def queue() -> Workload:
    """Make a queue in which job H waits at the head.

    Of the jobs behind it one ends in time, one takes the extra processors, and two must wait.
    """
    return Workload.of(
        "Who may pass job H",
        10,
        A=(0, 30, 30, 4),
        B=(0, 60, 60, 3),
        H=(2, 40, 40, 5),
        C=(4, 50, 50, 3),
        D=(6, 20, 20, 1),
        E=(8, 100, 100, 2),
        F=(9, 10, 10, 1),
    )


# The exercises


def shadow(answer: Any) -> str:
    """Judge 2.1: the shadow time and the extra processors of job H."""
    seen = _head_waits()
    head = seen.queue[0]
    ends = sorted(span.end for span in seen.running)
    time, extra = map(number, parts(answer, "shadow", "extra"))
    if time in ends and time > seen.shadow:
        raise NotYet(f"at {time} s there are enough processors for job H, but are there not enough even before?")
    if time != seen.shadow:
        raise NotYet(
            f"the shadow time is not {time}. Processors are freed when jobs end: go through the running jobs in the "
            f"order of their ends, and add theirs to the {seen.free} free ones until job H has its {head.procs}."
        )
    if extra == seen.free:
        raise NotYet(f"the shadow time is right. {extra} processors are free now: how many are when job H starts?")
    if extra == head.procs + seen.extra:
        raise NotYet(f"the shadow time is right. {extra} processors are free then, but job H takes some of them.")
    if extra != seen.extra:
        raise NotYet(
            "the shadow time is right. Extra are the processors that are free at the shadow time, less those of job H."
        )
    return f"when job A has ended {head.procs + extra} processors are free, and job H leaves {extra} of them."


@cache
def _head_waits() -> Any:
    """Find the decision at which job H gets its shadow time."""
    return next(seen for seen in explain(queue(), EASY()) if seen.shadow is not None)


def ways(answer: Any) -> str:
    """Judge 2.2: which jobs may pass job H, and by which rule."""
    true = by_easy()
    for (job, way), given in zip(true.items(), parts(answer, *true), strict=True):
        given = choice(given, WAYS)
        if given != way:
            raise NotYet(f"look at job {job} once more. {_hint(job, given, way)}")
    return "job D is gone by the shadow time; job E takes what job H leaves; there is nothing left for job F."


@cache
def by_easy() -> dict[Any, str]:
    """Find by which of `WAYS` EASY treats each job behind job H at the moment that it comes."""
    known = {rule: way for way, rule in WAYS.items()}
    ways: dict[Any, str] = {}
    for seen in explain(queue(), EASY()):
        if seen.kind in ("refuse", "backfill"):
            ways |= {job: known.get(seen.rule, "no") for job in seen.jobs if job not in ways}
    return ways


def _hint(job: Any, given: str, truth: str) -> str:
    its = queue().jobs.loc[job]
    if given == "shadow":
        return f"It comes at {its.submit} with an estimate of {its.estimate} s: by when will it have ended?"
    if truth == "shadow":
        where = "It may start, but by the condition that is looked at first. " if given == "extra" else ""
        return f"{where}It comes at {its.submit} with an estimate of {its.estimate} s."
    if truth == "extra":
        return f"It needs {its.procs} processors. How many are free, and how many of them does job H leave?"
    return f"It needs {its.procs}. How many processors are extra, and how many are free by now at all?"


def delay(answer: Any) -> str:
    """Judge 2.3: a backfilled job that delays the second queued job for long."""
    given = figure3()
    found = edited(answer, given)
    others = given.jobs.drop(index="backfill")
    if not found.jobs.drop(index="backfill", errors="ignore").equals(others):
        raise NotYet('change the job "backfill" only; "Start again" brings the other jobs back as they were.')
    if "backfill" not in found.jobs.index:
        raise NotYet('the job "backfill" is what delays the second job: keep it, and change it.')
    its = found.jobs.loc["backfill"]
    if its.run != its.estimate:
        raise NotYet(
            f'the job "backfill" has run {its.run} and estimate {its.estimate}. In this lesson estimates are exact: '
            "make both the same, so that nobody is late because of a wrong estimate."
        )
    jobs, before = simulate(found, EASY()).jobs, _before().jobs
    start = jobs.start
    if start["first"] != before.start["first"]:
        raise NotYet(
            f"the first job starts at {start['first']} now; it is to start at {before.start['first']}, as before. The "
            'head must not lose a processor to the job "backfill": when does that come, and how many does it take?'
        )
    if not jobs.backfilled["backfill"]:
        raise NotYet(
            f'the job "backfill" comes at {its.submit} and starts at {start["backfill"]}, but passes nobody. It has to '
            "be backfilled: to start ahead of jobs that came before it."
        )
    if start["second"] < FAR:
        raise NotYet(
            f"the second job starts at {start['second']}; it is to be {FAR} or later. When the first one ends, the "
            'second waits for the job "backfill" only.'
        )
    return (
        f"the second job starts at {start['second']} now, the first still at {start['first']}: EASY protects the head "
        "of the queue only, and a backfilled job can hold up those behind it for as long as it runs."
    )


@cache
def _before() -> Schedule:
    """Simulate the jobs of 2.3 as they are given."""
    return simulate(figure3(), EASY())


def rule(answer: Any) -> str:
    """Judge 2.4: a function that says whether EASY may backfill a job."""
    may_backfill = function(answer)
    for case in cases():
        given = truth(may_backfill(*case), named(case))
        if given != backfills(*case):
            raise NotYet(differs(case, given))
    return f"your rule decides {len(cases()):,} cases as EASY does. You have written the heart of a scheduler."


VALUES = {
    "now": [5, 20, 12, 0],
    "procs": range(1, 7),
    "estimate": [10, 20, 30, 13],
    "free": [2, 4, 0, 5],
    "shadow": [25, 30, 42],
    "extra": [1, 3, 0, 4],
}
"""The parameters of the rule of 2.4, and their values in its cases."""


@cache
def cases() -> list[tuple[int, ...]]:
    """List the cases of 2.4: each combination of `VALUES` in which the head waits.

    It needs more processors than are free, and gets them at the shadow time, which is to come.
    """
    return [case for case in itertools.product(*VALUES.values()) if head_waits(*case)]


def head_waits(now: int, procs: int, estimate: int, free: int, shadow: int, extra: int) -> bool:
    """Tell whether a combination is a case: at the shadow time the head leaves some of the processors."""
    return free + extra < PROCS


def backfills(now: int, procs: int, estimate: int, free: int, shadow: int, extra: int) -> bool:
    """Tell whether EASY starts a job behind the head; the tests ask the scheduler itself."""
    return procs <= free and (now + estimate <= shadow or procs <= extra)


def named(case: Iterable[object]) -> str:
    """Write a case as it stands in hints."""
    return ", ".join(f"{name}={value}" for name, value in zip(VALUES, case, strict=True))


def differs(case: Iterable[object], given: bool) -> str:
    """Write the hint for a case that a student's rule decides in another way than EASY."""
    now, procs, estimate, free, shadow, extra = case
    wanted, got = ("may not", "may") if given else ("may", "may not")
    return (
        f"take procs={procs}, estimate={estimate} at now={now}, with free={free}, shadow={shadow} and "
        f"extra={extra}: under EASY this job {wanted} start, your rule says that it {got}."
    )


EXERCISES: dict[str, Judge] = {"2.1": shadow, "2.2": ways, "2.3": delay, "2.4": rule}
