"""Lesson 3: conservative backfilling and its guarantees."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ...core.schedule import Schedule, simulate
from ...core.workload import Workload
from ...models.examples import FIGURE2_EARLY_END, figure1, figure2, figure3
from ...policies.conservative import Conservative
from ..answers import Judge, NotYet, edited, function, number, parts, returned

RULES = ("rebackfill", "arrival", "none")
"""The ways to compress a schedule that exercise 3.4 has counted."""


def anchors(answer: Any) -> str:
    """Judge 3.1: when the second and the third job are reserved to start."""
    jobs = _planned(figure1).jobs
    second, third = map(number, parts(answer, "second", "third"))
    its, first = jobs.loc["second"], jobs.start["first"]
    if its.submit < second < first and second + its.estimate > first:
        raise NotYet(
            f"at {second} s the second job may fit, but it would run until {second + its.estimate} s, and from {first} "
            "s on the processors are reserved for the first."
        )
    if second != its.guarantee:
        raise NotYet(
            f"the second job's reservation is not at {second} s. It needs {its.procs} processors for {its.estimate} s "
            "without a break: where is the profile that high for that long?"
        )
    its = jobs.loc["third"]
    if third == second:
        raise NotYet("the second job is right. The third may pass others, if the profile has room for it earlier.")
    if third != its.guarantee:
        raise NotYet(
            f"the second job is right; the third's reservation is not at {third} s. It needs {its.procs} processor for "
            f"{its.estimate} s, from {its.submit} s on at the earliest: until when is one free?"
        )
    return "the second job fits only behind the first; the third has ended before anybody needs its processor."


@cache
def _planned(jobs: Callable[[], Workload], compress: str = "arrival") -> Schedule:
    return simulate(jobs(), Conservative(compress))


def longest(answer: Any) -> str:
    """Judge 3.2: the longest job that is still backfilled."""
    found, given = edited(answer, figure3()), figure3()
    others = given.jobs.drop(index="backfill")
    if not found.jobs.drop(index="backfill", errors="ignore").equals(others):
        raise NotYet('change the job "backfill" only; "Start again" brings the other jobs back as they were.')
    if "backfill" not in found.jobs.index:
        raise NotYet('the job "backfill" is the one to be made longer: keep it, and change it.')
    its = simulate(found, Conservative()).jobs.loc["backfill"]
    submit, size = given.jobs.loc["backfill", ["submit", "procs"]]
    if (its.submit, its.procs) != (submit, size):
        raise NotYet(f'let the job "backfill" come at {submit} s with size {size}; change run and estimate.')
    typed = found.jobs.estimate["backfill"]
    if typed != its.run:
        raise NotYet(f"the run time is {its.run} s, and the estimate {typed} s: change both to the same number.")
    if its.start > its.submit:
        raise NotYet(
            f"with {its.run} s it is not backfilled, but waits until {its.start} s. When does the second job need the "
            "whole machine, and how long is it until then?"
        )
    if its.run < _longest():
        raise NotYet(f"with {its.run} s it is backfilled, and with a few seconds more it still would be.")
    reserved = _planned(figure3).jobs.guarantee["second"]
    return f"it ends just when the second job's reservation begins, at {reserved} s."


@cache
def _longest() -> int:
    """Find the longest run time with which the job to be backfilled in figure 3 starts on arrival."""

    def starts_at_once(length: int) -> bool:
        its = simulate(figure3(length), Conservative()).jobs.loc["backfill"]
        return bool(its.start == its.submit)

    return max(filter(starts_at_once, range(1, int(figure3().jobs.estimate.sum()))))


def compression(answer: Any) -> str:
    """Judge 3.3: when the first and the second job start after compression."""
    truth = _planned(figure2).jobs
    first, second = map(number, parts(answer, "first", "second"))
    wrong = {rule: _planned(figure2, rule).jobs.start for rule in ("none", "rebackfill", "start")}
    reserved, until = truth.guarantee["second"], truth.guarantee["second"] + truth.estimate["second"]
    if first == wrong["none"]["first"]:
        raise NotYet("that is where the first job was reserved. Lift it out: which is the earliest time it fits now?")
    if first == wrong["rebackfill"]["first"]:
        raise NotYet(f"the second job is still reserved from {reserved} to {until} s when the first is put back.")
    if first == wrong["start"]["first"]:
        raise NotYet("that would be so if the second job were moved before the first. The order is that of arrival.")
    if first != truth.start["first"]:
        raise NotYet(
            f"the first job cannot be put back at {first} s, or can be earlier. It needs the whole machine; who has "
            "processors, or a reservation, and until when?"
        )
    if second == reserved:
        raise NotYet("the first job is right. Then the second is lifted out too: is there an earlier time for it now?")
    if second != truth.start["second"]:
        raise NotYet(f"the first job is right. The second needs 2 processors: are they free from {second} s for 50 s?")
    return (
        f"the early end at {FIGURE2_EARLY_END} s lets the second job start at once, and the first moves up a little. "
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
    few = {f"the jobs of Figure 2 under {rule!r}": simulate(figure2(), Conservative(rule)).jobs for rule in RULES}
    random = np.random.default_rng(0)
    submit, run = random.integers(0, 100, 40), random.integers(5, 60, 40)
    estimate, procs = run * random.integers(1, 10, 40), random.integers(1, 11, 40)  # many end early
    many = pd.DataFrame({"submit": submit, "run": run, "procs": procs, "estimate": estimate})
    return few | {"40 other jobs": simulate(Workload(many, 10, "many"), Conservative("rebackfill")).jobs}


EXERCISES: dict[str, Judge] = {"3.1": anchors, "3.2": longest, "3.3": compression, "3.4": late}
