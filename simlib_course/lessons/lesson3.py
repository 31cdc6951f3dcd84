"""Lesson 3: conservative backfilling and its guarantees."""

import random
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.words import processors
from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.explain import explain
from simlib.models.examples import figure1, figure2
from simlib.policies.conservative import Conservative

from ..answers import Judge, NotYet, function, number, parts, returned
from . import by_seed, drawn, seed
from .lesson2 import passing


@by_seed
def plan() -> Workload:
    """Make the jobs of exercise 3.1: those of the paper's figure 1, or others of their kind."""
    return drawn("lesson 3 plan", _some_plan, _is_plan) if seed() else figure1()


@by_seed
def early() -> Workload:
    """Make the jobs of exercise 3.3: those of the paper's figure 2, or others of their kind."""
    return drawn("lesson 3 early", _some_early, _is_early) if seed() else figure2()


def _some_plan(draw: random.Random) -> Workload:
    """Draw three jobs that run, and three that come after them."""
    runs = [*draw.sample(range(20, 130), 3), *(draw.randrange(20, 80) for _ in range(3))]
    sizes = [draw.randint(*least_and_most) for least_and_most in ((2, 4), (2, 4), (1, 3), (6, 9), (2, 5), (1, 3))]
    rows = zip(("A", "B", "C", "first", "second", "third"), (0, 0, 0, 2, 4, 6), runs, sizes, strict=True)
    return Workload.of("A plan", 10, **{job: (at, run, run, size) for job, at, run, size in rows})


def _is_plan(jobs: Workload) -> bool:
    """Tell whether the second job fits before the first, but not for long enough, and the third does."""
    if not 0 < (free := 10 - jobs.jobs.procs[["A", "B", "C"]].sum()) < jobs.jobs.procs["second"]:
        return False
    planned = simulate(jobs, Conservative()).jobs
    first, second, third = planned.start[["first", "second", "third"]]
    ends = jobs.jobs.run[["A", "B", "C"]].sort_values()
    fits = (free + jobs.jobs.procs[ends.index].cumsum() >= jobs.jobs.procs["second"]) & (ends < first)
    return bool(fits.any() and third < first < second)


def _some_early(draw: random.Random) -> Workload:
    """Draw two jobs that run, of which one ends early, and two that come after them."""
    procs, half = draw.choice([(4, 2), (6, 3), (8, 4), (6, 2), (8, 3)])
    top, first, second = draw.randrange(30, 60), draw.randrange(30, 70, 10), draw.randrange(20, 60, 10)
    until, end = top + second + draw.randrange(10, 40, 5), draw.randrange(10, top - 5)
    running = {"bottom": (0, end, until, half), "top": (0, top, top, procs - half)}
    return Workload.of(
        "An early end", procs, **running, first=(1, first, first, procs), second=(2, second, second, half)
    )


def _is_early(jobs: Workload) -> bool:
    """Tell whether second is reserved before first, starts at the early end, and is late if all is planned again."""
    kept, anew = (simulate(jobs, Conservative(rule)).jobs for rule in ("arrival", "rebackfill"))
    second = kept.loc["second"]
    at_once = second.start == kept.end["bottom"] < second.guarantee < kept.guarantee["first"]
    return bool(at_once and kept.start["first"] < kept.guarantee["first"] and anew.start["second"] > second.guarantee)


def profile(jobs: Workload, job: str) -> pd.Series:
    """Find how many processors are free from which second on, once a job has its reservation."""
    seen: Any = next(seen for seen in explain(jobs, Conservative()) if seen.job == job)
    return pd.Series(dict(seen.profile), name="free processors").rename_axis("from [s]")


# The exercises


@by_seed
def _planned() -> Schedule:
    """Simulate the jobs of 3.1."""
    return simulate(plan(), Conservative())


@by_seed
def _compressed() -> dict[str, pd.DataFrame]:
    """Simulate the jobs of 3.3 under each rule of compression."""
    return {rule: simulate(early(), Conservative(rule)).jobs for rule in ("arrival", "none", "rebackfill", "start")}


def anchors(answer: Any) -> str:
    """Judge 3.1: when the second and the third job are reserved to start."""
    jobs = _planned().jobs
    second, third = map(number, parts(answer, "second", "third"))
    its: Any = jobs.loc["second"]
    first = jobs.start["first"]
    if its.submit < second < first and second + its.estimate > first:
        raise NotYet(
            f"there the second job may fit, but it would run for {its.estimate} s, and from {first} s on the "
            "processors are reserved for the first."
        )
    if second != its.guarantee:
        raise NotYet(
            f"the second job's reservation is not there. It needs {processors(int(its.procs))} for {its.estimate} s "
            "without a break: where is the profile that high for that long?"
        )
    its = jobs.loc["third"]
    if third == second:
        raise NotYet("the second job is right. The third may pass others, if the profile has room for it earlier.")
    if third != its.guarantee:
        raise NotYet(
            "the second job is right; the third's reservation is not there. It needs "
            f"{processors(int(its.procs))} for {its.estimate} s, from {its.submit} s on at the earliest: when are they "
            "free for so long?"
        )
    return "the second job fits only behind the first; the third has ended before anybody else needs its place."


def longest(answer: Any) -> str:
    """Judge 3.2: the longest job that is still backfilled."""
    (run,) = parts(answer, "run")
    its = simulate(passing(run=run), Conservative()).jobs.loc["backfill"]
    reserved = simulate(passing(), Conservative()).jobs.guarantee["second"]  # "backfill" comes after it
    if its.start > its.submit:
        raise NotYet(
            f"so long it is not backfilled, but waits until {its.start} s. When does the second job need the "
            "whole machine, and how long is it until then?"
        )
    if its.end < reserved:
        raise NotYet("it is backfilled, and with a few seconds more it still would be.")
    return f"it ends just when the second job's reservation begins, at {reserved} s."


def compression(answer: Any) -> str:
    """Judge 3.3: when the first and the second job start after compression."""
    truth = _compressed()["arrival"]
    first, second = map(number, parts(answer, "first", "second"))
    wrong = {rule: jobs.start for rule, jobs in _compressed().items()}
    reserved, until = truth.guarantee["second"], truth.guarantee["second"] + truth.estimate["second"]
    if first == wrong["none"]["first"]:
        raise NotYet("that is where the first job was reserved. Lift it out: which is the earliest time it fits now?")
    if first == wrong["rebackfill"]["first"]:
        raise NotYet(f"the second job is still reserved from {reserved} to {until} s when the first is put back.")
    if first == wrong["start"]["first"]:
        raise NotYet("that would be so if the second job were moved before the first. The order is that of arrival.")
    if first != truth.start["first"]:
        raise NotYet(
            "the first job cannot be put back there, or can be earlier. It needs the whole machine; who has "
            "processors, or a reservation, and until when?"
        )
    if second == reserved:
        raise NotYet("the first job is right. Then the second is lifted out too: is there an earlier time for it now?")
    if second != truth.start["second"]:
        needs = f"{processors(int(truth.procs['second']))} for {truth.estimate['second']} s"
        raise NotYet(f"the first job is right. The second needs {needs}: are they free from then on?")
    return (
        f"the early end at {truth.end['bottom']} s lets the second job start at once, and the first moves up a little. "
        "Nobody starts later than was promised."
    )


def late(answer: Any) -> str:
    """Judge 3.4: a function that counts broken guarantees."""
    count = function(answer)
    for name, jobs in tables().items():
        given, late = returned(count(jobs.copy()), name), int((jobs.start > jobs.guarantee).sum())
        if np.ndim(given):
            raise NotYet("your function returns one value a job. Count those that are True: .sum() does it.")
        given = number(given)
        if given == late:
            continue
        text = f"{late} of {name} started after {'its guarantee' if late == 1 else 'their guarantees'}"
        if given == (jobs.start != jobs.guarantee).sum():
            raise NotYet(f"{text}. Your function counts {given}, with those that started before. Are they late?")
        if given == (jobs.start >= jobs.guarantee).sum():
            raise NotYet(f"{text}. Your function counts {given}, with those that started just as guaranteed.")
        raise NotYet(f"{text}; your function says {given}.")
    return "one guarantee is broken where all reservations are made anew, none where the schedule is compressed."


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Make the tables of jobs that exercise 3.4 has counted; of the last one two are late."""
    rules = "rebackfill", "arrival", "none"
    few = {f"the jobs of Figure 2 under {rule!r}": simulate(figure2(), Conservative(rule)).jobs for rule in rules}
    rng = np.random.default_rng(0)
    submit, run = rng.integers(0, 100, 40), rng.integers(5, 60, 40)
    estimate, procs = run * rng.integers(1, 10, 40), rng.integers(1, 11, 40)  # many end early
    many = pd.DataFrame({"submit": submit, "run": run, "procs": procs, "estimate": estimate})
    return few | {"40 other jobs": simulate(Workload(many, 10, "many"), Conservative("rebackfill")).jobs}


EXERCISES: dict[str, Judge] = {"3.1": anchors, "3.2": longest, "3.3": compression, "3.4": late}
