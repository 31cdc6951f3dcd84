"""Lesson 1: first come, first served, and fragmentation."""

import itertools
from collections.abc import Iterable
from functools import cache
from typing import Any

import pandas as pd

from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.policies.easy import FCFS

from ..answers import Judge, NotYet, edited, names, number, parts
from . import is_share

IDLE, LONG = 9, 100
"""Exercise 1.4 asks for so many idle processors (`IDLE`), for so many seconds (`LONG`)."""


@cache
def queue() -> Workload:
    """Make five jobs that come one after the other; job C would fit at once, but job B is before it."""
    return Workload.of(
        "Five jobs",
        10,
        A=(0, 40, 40, 6),
        B=(5, 30, 30, 6),
        C=(10, 20, 20, 4),
        D=(12, 10, 10, 10),
        E=(15, 50, 50, 2),
    )


@cache
def bag() -> Workload:
    """Make five jobs that arrive at once, and fill the machine without a gap in the right order."""
    return Workload.of(
        "A bag of jobs",
        10,
        P=(0, 40, 40, 6),
        Q=(0, 20, 20, 6),
        R=(0, 40, 40, 4),
        S=(0, 20, 20, 4),
        T=(0, 10, 10, 10),
    )


@cache
def packed() -> Workload:
    """Make three jobs that fill the machine."""
    return Workload.of("A full machine", 10, A=(0, 30, 30, 4), B=(0, 30, 30, 4), C=(0, 30, 30, 2))


def idle_while_waiting(schedule: Schedule) -> pd.Series:
    """Count the processors that are idle while at least one job waits."""
    jobs = schedule.jobs
    idle = {}
    for now in sorted({*jobs.submit, *jobs.start, *jobs.end}):
        used = jobs.procs[(jobs.start <= now) & (now < jobs.end)].sum()
        waits = ((jobs.submit <= now) & (now < jobs.start)).any()
        idle[now] = schedule.workload.procs - used if waits else 0
    return pd.Series(idle, name="idle while a job waits")


# The exercises


def reading(answer: Any) -> str:
    """Judge 1.1: when job C starts, and how many processors are free when it comes."""
    jobs, machine = _served().jobs, _served().workload.procs
    its = jobs.loc["C"]
    start, free = map(number, parts(answer, "start", "free"))
    truth = machine - jobs.procs[(jobs.start <= its.submit) & (its.submit < jobs.end)].sum()
    if start == its.submit:
        raise NotYet("that is when job C arrives. Look for the left edge of its rectangle.")
    if start != its.start:
        raise NotYet(f"job C does not start at {start}. It starts where its rectangle has its left edge.")
    if free == machine:
        raise NotYet("the start is right. But one job holds some of the processors at that time: which, and how many?")
    if free != truth:
        raise NotYet(
            f"the start is right, but not {free} processors are free at {its.submit} s. Job A runs then: take its "
            "processors from those of the machine."
        )
    return f"{truth} processors are free when job C comes, and it needs {its.procs}. It waits because job B waits."


@cache
def _served() -> Schedule:
    return simulate(queue(), FCFS())


@cache
def _use() -> tuple[float, int, int]:
    """Give the utilisation, the processors of the machine and the last end."""
    schedule = _served()
    return schedule.summary().utilization, schedule.workload.procs, int(schedule.jobs.end.max())


def utilization(answer: Any) -> str:
    """Judge 1.2: what share of the machine the jobs use."""
    if isinstance(answer, tuple):
        raise NotYet(f"found {len(answer)} numbers, expected one. Python writes it with a point, such as 0.75.")
    share, (truth, machine, makespan) = number(answer), _use()
    if is_share(share, truth):
        return f"of {machine} x {makespan} processor-seconds the jobs use {truth:.0%}; the rest is idle."
    if abs(share - machine * truth) <= 0.05:
        raise NotYet("that is how many processors are in use on average. What share of the machine is that?")
    if not 0 <= share <= 1:
        raise NotYet(f"found {share:g}, but a share of the machine lies between 0 and 1.")
    raise NotYet(
        f"it is not {share:g}. Above the line: run time x size, added up over the jobs. Below: the processors of the "
        "machine x the time from the first arrival to the last end."
    )


def order(answer: Any) -> str:
    """Judge 1.3: an order of jobs in which FCFS leaves no processor idle."""
    jobs = bag().jobs.index
    if isinstance(answer, set):
        raise NotYet("found a set, which has no order; expected a list, with square brackets.")
    given = names(answer, jobs)
    missing = [job for job in jobs if job not in given]
    if missing or len(given) != len(jobs):
        raise NotYet(f"name each job once; missing: {', '.join(missing) or 'none, but some are there twice'}.")
    makespan, best = _makespan(given), _shortest()
    if makespan > best:
        raise NotYet(
            f"in this order the last job ends at {makespan} s; it can end {makespan - best} s sooner. Which two jobs "
            "fill the machine together, and end together?"
        )
    return f"all is done after {best} s and no processor was idle: with FCFS that takes luck."


def _makespan(arrivals: Iterable[Any]) -> int:
    """Find when the last job of the bag ends, if the jobs arrive in this order."""
    jobs = bag()
    return int(simulate(jobs.derive(jobs.jobs.loc[list(arrivals)], "in another order"), FCFS()).jobs.end.max())


@cache
def _shortest() -> int:
    """Find the shortest makespan of the bag over all orders."""
    return min(map(_makespan, itertools.permutations(bag().jobs.index)))


def emptiness(answer: Any) -> str:
    """Judge 1.4: jobs of which one waits for long while nearly the whole machine is idle."""
    idle = idle_while_waiting(simulate(edited(answer, packed()), FCFS()))
    if idle.max() == 0:
        raise NotYet("in your schedule no processor is idle while a job waits. Let a job come that does not fit.")
    if idle.max() < IDLE:
        raise NotYet(
            f"at most {idle.max()} processors are idle while a job waits. How small can the job be that runs, and how "
            "large the one that waits for it?"
        )
    length_of = idle.index.to_series().diff().shift(-1)
    gaps = length_of[idle >= IDLE].groupby((idle < IDLE).cumsum()).sum().astype(int)
    if gaps.max() < LONG:
        raise NotYet(
            f"{IDLE} processors are idle for {gaps.max()} s, and {LONG} s without a break are wanted. What decides how "
            "long the others wait?"
        )
    return f"for {gaps.max()} s a small job keeps the rest of the machine idle: the head needs more than is free."


EXERCISES: dict[str, Judge] = {"1.1": reading, "1.2": utilization, "1.3": order, "1.4": emptiness}
