"""Lesson 2: EASY backfilling by hand."""

import itertools
import random
from functools import cache
from typing import Any

import pandas as pd

from simlib._util import words
from simlib.core.schedule import simulate
from simlib.core.workload import Workload
from simlib.explain import explain, rules
from simlib.explain.records import Explanation
from simlib.policies.easy import EASY

from ..answers import Judge, NotYet, choice, function, number, parts, refuse_own, truth, with_numbers
from . import by_seed, drawn, seed

PROCS = 10
"""The processors of the machine in exercises 2.1, 2.2 and 2.4."""

WAYS = {
    "shadow": rules.ends_by_the_shadow_time.name,
    "extra": rules.fits_the_extra_processors.name,
    "no": None,
}
"""The answers of exercise 2.2 on a job, and the rule by which such a job starts."""


@by_seed
def queue() -> Workload:
    """Make a queue with job H at its head: some jobs behind it may start by one of the rules, the others must wait."""
    if seed():
        return drawn("lesson 2", _some_jobs, _shows_all_ways)
    jobs = dict(zip("CDEF", [(4, 50, 50, 3), (6, 20, 20, 1), (8, 100, 100, 2), (9, 10, 10, 1)], strict=True))
    return Workload.of("Who may pass job H", PROCS, A=(0, 30, 30, 4), B=(0, 60, 60, 3), H=(2, 40, 40, 5), **jobs)


@by_seed
def _explained() -> Explanation:
    """Explain what EASY does with the jobs."""
    return explain(queue(), EASY())


def _some_jobs(draw: random.Random) -> Workload:
    """Draw seven jobs: their submit times stay, their run times and sizes change."""
    runs = [draw.randrange(20, 60), draw.randrange(60, 100)]
    runs = draw.sample(runs, 2) + [draw.randrange(10, 110, 10) for _ in range(5)]
    sizes = [draw.randint(2, 5), draw.randint(2, 4), draw.randint(4, 7), *(draw.randint(1, 3) for _ in range(3)), 1]
    rows = zip("ABHCDEF", (0, 0, 2, 4, 6, 8, 9), runs, sizes, strict=True)
    return Workload.of("Who may pass job H", PROCS, **{job: (at, run, run, size) for job, at, run, size in rows})


def _shows_all_ways(jobs: Workload) -> bool:
    """Tell whether H starts at the first end, jobs pass it by both conditions, and F waits though one of them ends.

    F needs one processor: where it waits beside idle ones, a job has used up the extra processors.
    """
    a, b, head = jobs.jobs.procs[["A", "B", "H"]]
    free, (first, last) = PROCS - a - b, (a, b) if jobs.jobs.run["A"] < jobs.jobs.run["B"] else (b, a)
    if not (2 <= free < head <= free + first - 1 and free + first - head not in (free, last)):
        return False
    ways = by_easy(explain(jobs, EASY()))
    found = simulate(jobs, EASY()).jobs
    gone = found.end[[job for job in "CDE" if ways[job] == "shadow"]].min() < found.start["H"] <= found.start["F"]
    return gone and ways["E"] != "no"


# The exercises


def shadow(answer: Any) -> str:
    """Judge 2.1: the shadow time and the extra processors of job H."""
    seen: Any = next(seen for seen in _explained() if seen.shadow is not None)
    head: Any = seen.queue[0]
    time, extra = map(number, parts(answer, "shadow", "extra"))
    if time > seen.shadow and time in [span.end for span in seen.running]:
        raise NotYet("by then enough processors are free for job H. Are there not enough even before?")
    if time != seen.shadow:
        raise NotYet(
            f"that is not the shadow time. Processors become free when jobs end: go through the running jobs in the "
            f"order of their ends, and add theirs to the {seen.free} free ones until job H has its {head.procs}."
        )
    if extra == seen.free:
        raise NotYet(f"the shadow time is right. {seen.free} processors are free now: how many are when job H starts?")
    if extra == head.procs + seen.extra:
        raise NotYet("the shadow time is right. So many processors are free then, but job H takes some of them.")
    if extra != seen.extra:
        raise NotYet(
            "the shadow time is right. Extra are the processors that are free at the shadow time, less those of job H."
        )
    return f"at {time} s {head.procs + seen.extra} processors are free, and job H leaves {seen.extra} of them."


def ways(answer: Any) -> str:
    """Judge 2.2: which jobs may pass job H, and by which rule, and when H starts."""
    true, start = by_easy(_explained()), _explained().schedule.jobs.start["H"]
    *ways, head = parts(answer, *true, "H")
    for (job, way), given in zip(true.items(), ways, strict=True):
        given = choice(given, WAYS)
        if given != way:
            raise NotYet(f"look at job {job} once more. {_hint(job, given, way)}")
    if number(head) != start:
        raise NotYet("the four jobs are right. But job H does not start then: what did EASY promise it?")
    passing = words.series(f"{job} ({way})" for job, way in true.items() if way != "no")
    waiting = words.series(job for job, way in true.items() if way == "no")
    return f"{passing} pass job H, and {waiting} wait. H starts at its shadow time, {start} s."


def by_easy(explanation: Explanation) -> dict[Any, str]:
    """Find by which of `WAYS` EASY treats each job behind job H at the moment that it comes."""
    known = {rule: way for way, rule in WAYS.items()}
    ways: dict[Any, str] = {}
    for seen in explanation:
        if seen.kind in ("refuse", "backfill"):
            ways |= {job: known.get(seen.rule, "no") for job in seen.jobs if job not in ways}
    return ways


def _hint(job: Any, given: str, truth: str) -> str:
    """Point to what decides about a job, first of all to the processors that are free."""
    jobs = _explained().schedule.jobs
    its, others = jobs.loc[job], jobs.drop(index=job)
    free = PROCS - others.procs[(others.start <= its.submit) & (its.submit < others.end)].sum()
    needs = f"It needs {words.processors(int(its.procs))}."
    if its.procs > free:
        return f"{needs} How many are free at {its.submit} s, after those that passed before it?"
    if given == "shadow":
        return f"It comes at {its.submit} s with an estimate of {its.estimate} s: by when will it have ended?"
    if truth == "shadow":
        where = "It may start, but look at the first condition first. " if given == "extra" else ""
        return f"{where}It comes at {its.submit} s with an estimate of {its.estimate} s."
    return f"{needs} How many extra processors are left at {its.submit} s?"


def delay(answer: Any) -> str:
    """Judge 2.3: a backfilled job that delays the second queued job for long."""
    jobs: Any = simulate(passing(*parts(answer, "submit", "run", "procs")), EASY()).jobs
    its, late = jobs.loc["backfill"], far()
    start, before = jobs.start, _before()
    if start["first"] != before["first"]:
        raise NotYet(
            f"the first job starts at {start['first']}; it has to start at {before['first']}, as before. The "
            'job "backfill" must not take a processor from it: when does it come, and how many does it take?'
        )
    if not jobs.backfilled["backfill"]:
        raise NotYet(
            f'the job "backfill" comes at {its.submit} and starts at {start["backfill"]}, but passes nobody. It has to '
            "be backfilled: to start ahead of jobs that came before it."
        )
    if start["second"] != late:
        raise NotYet(
            f"the second job starts at {start['second']}; it has to start at {late}. When the first one ends, "
            'the second waits for the job "backfill" only.'
        )
    return (
        f"the second job starts at {late}, the first still at {start['first']}: EASY protects the head of "
        "the queue only, and a backfilled job can hold up those behind it for as long as it runs."
    )


def passing(submit: Any = None, run: Any = None, procs: Any = None) -> Workload:
    """Make the jobs of exercises 2.3 and 3.2, or with other numbers of the job "backfill"; its estimate is exact."""
    answers = {"submit": submit, "run": run, "estimate": run, "procs": procs}
    return with_numbers(_passing(), {("backfill", field): answer for field, answer in answers.items()})


@by_seed
def _passing() -> Workload:
    """Give the jobs of the paper's figure 3, or others of their kind."""
    runs = drawn("lesson 2 passing", lambda draw: [draw.randrange(8, 90) for _ in range(3)]) if seed() else [10] * 3
    jobs = dict(zip(("A", "first", "second"), zip((0, 1, 2), runs, runs, (2, 3, 4), strict=True), strict=True))
    return Workload.of(
        "Figure 3" if not seed() else "As Figure 3", 4, **jobs, backfill=(3, 3 * max(runs), 3 * max(runs), 1)
    )


@by_seed
def _before() -> pd.Series:
    """Find when the jobs of 2.3 start as they are given."""
    return simulate(passing(), EASY()).jobs.start


@by_seed
def far() -> int:
    """Give the second at which exercise 2.3 wants the second queued job to start."""
    return drawn("lesson 2 far", lambda draw: draw.randrange(300, 900)) if seed() else 200


def rule(answer: Any) -> str:
    """Judge 2.4: a function that says whether EASY may backfill a job."""
    may_backfill = refuse_own(function(answer))
    for case in cases():
        its = dict(zip(VALUES, case, strict=True))
        given = truth(may_backfill(*case), ", ".join(f"{name}={value}" for name, value in its.items()))
        if given != backfills(*case):
            job = "procs={procs}, estimate={estimate} at now={now}, with free={free}, shadow={shadow} and extra={extra}"
            wanted, got = ("may not", "may") if given else ("may", "may not")
            raise NotYet(f"take {job.format(**its)}: under EASY this job {wanted} start, your rule says that it {got}.")
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
    """List the cases of 2.4: each combination of `VALUES` in which the head needs more processors than are free."""
    free, extra = map(list(VALUES).index, ("free", "extra"))  # free < size of the head <= PROCS - extra
    return [case for case in itertools.product(*VALUES.values()) if case[free] + case[extra] < PROCS]


def backfills(now: int, procs: int, estimate: int, free: int, shadow: int, extra: int) -> bool:
    """Tell whether EASY starts a job behind the head; the tests ask the scheduler itself."""
    return procs <= free and (now + estimate <= shadow or procs <= extra)


EXERCISES: dict[str, Judge] = {"2.1": shadow, "2.2": ways, "2.3": delay, "2.4": rule}
