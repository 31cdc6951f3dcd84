"""Lesson 2: EASY backfilling by hand."""

import itertools
from collections.abc import Iterator
from typing import Any

from ..examples import figure3
from ..explain import Decision, explain, rules
from ..policies import EASY
from ..schedule import simulate
from ..workload import Workload
from .answers import Judge, NotYet, Waiting, choice, edited, function, is_open, number, parts

FAR = 200
"""Exercise 2.3 asks that the second queued job starts at this second or later."""

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
    seen: Any = next(seen for seen in explain(queue(), EASY()) if seen.shadow is not None)
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


def ways(answer: Any) -> str:
    """Judge 2.2: which jobs may pass job H, and by which rule."""
    first: dict[Any, Decision] = {}
    for seen in explain(queue(), EASY()):
        if seen.kind in ("refuse", "backfill"):
            first |= {job: seen for job in seen.jobs if job not in first}
    known = {rule: way for way, rule in WAYS.items()}
    for (job, seen), given in zip(first.items(), parts(answer, *first), strict=True):
        truth, given = known.get(seen.rule, "no"), choice(given, WAYS)
        if given != truth:
            raise NotYet(f"look at job {job} once more. {_hint(job, given, truth)}")
    return "job D is gone by the shadow time; job E takes what job H leaves; there is nothing left for job F."


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
    start, before = simulate(found, EASY()).jobs.start, simulate(given, EASY()).jobs.start
    if start["backfill"] > before["first"]:
        raise NotYet(f'the job "backfill" now waits until {start["backfill"]}: what kept it from passing?')
    if start["second"] < FAR:
        raise NotYet(
            f"the second job starts at {start['second']}; it is to be {FAR} or later. When the first one ends, the "
            'second waits for the job "backfill" only.'
        )
    return (
        f"the second job starts at {start['second']} now, the first still at {start['first']}: EASY protects the head "
        "of the queue only, and a backfilled job can hold up those behind it for as long as it runs."
    )


def rule(answer: Any) -> str:
    """Judge 2.4: a function that says whether EASY may backfill a job."""
    may_backfill = function(answer)
    for now, procs, estimate, free, shadow, extra in _cases():
        given = may_backfill(now, procs, estimate, free, shadow, extra)
        if is_open(given):
            raise Waiting
        if bool(given) != _backfills(now, procs, estimate, free, shadow, extra):
            wanted, got = ("may not", "may") if given else ("may", "may not")
            raise NotYet(
                f"take procs={procs}, estimate={estimate} at now={now}, with free={free}, shadow={shadow} and "
                f"extra={extra}: under EASY this job {wanted} start, your rule says that it {got}."
            )
    return f"your rule decides {len(list(_cases()))} cases as EASY does. You have written the heart of a scheduler."


def _cases() -> Iterator[tuple[int, ...]]:
    return itertools.product([5], range(1, 6), [10, 20, 30], [2, 4], [25], [1, 3])


def _backfills(now: int, procs: int, estimate: int, free: int, shadow: int, extra: int) -> bool:
    """Tell whether EASY starts such a job at once; one running job keeps the head waiting until the shadow time."""
    jobs = Workload.of(
        "a case",
        10,
        running=(0, shadow, shadow, 10 - free),
        head=(now, 10, 10, 10 - extra),
        candidate=(now, estimate, estimate, procs),
    )
    return bool(simulate(jobs, EASY()).jobs.start["candidate"] == now)


EXERCISES: dict[str, Judge] = {"2.1": shadow, "2.2": ways, "2.3": delay, "2.4": rule}
