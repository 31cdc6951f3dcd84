"""Lesson 1: first come, first served, and fragmentation."""

import random
from collections.abc import Iterable
from typing import Any

import pandas as pd

from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.policies.easy import FCFS

from ..answers import Judge, NotYet, names, number, parts, with_numbers
from . import by_seed, drawn, is_share, seed

PROCS = 10
"""The processors of the machine in exercises 1.1 to 1.3."""


@by_seed
def queue() -> Workload:
    """Make five jobs that come one after the other; job C would fit at once, but job B is before it."""
    if seed():
        return drawn("lesson 1 queue", _some_queue, _blocks)
    return _five([40, 30, 20, 10, 50], [6, 6, 4, 10, 2])


def _five(runs: Iterable[int], sizes: Iterable[int]) -> Workload:
    """Make jobs A to E, which come one after the other."""
    rows = zip("ABCDE", (0, 5, 10, 12, 15), runs, sizes, strict=True)
    return Workload.of("Five jobs", PROCS, **{job: (at, run, run, size) for job, at, run, size in rows})


def _some_queue(draw: random.Random) -> Workload:
    """Draw the run times and sizes of jobs A to E."""
    runs = draw.randrange(25, 100, 5), *(draw.randrange(10, 100, 5) for _ in "BCD"), draw.randrange(10, 300, 5)
    return _five(
        runs, [draw.randint(4, 8), draw.randint(3, 9), *(draw.randint(*of) for of in ((1, 6), (5, 10), (1, 4)))]
    )


def _blocks(jobs: Workload) -> bool:
    """Tell whether job B waits for A alone, and C waits though it fits."""
    a, b, c = jobs.jobs.procs[["A", "B", "C"]]
    return a + b > PROCS >= a + c and a != 5  # else what A holds and what it leaves were the same


@by_seed
def bag() -> Workload:
    """Make five jobs that arrive at once, and fill the machine without a gap in the right order."""
    if seed():
        return drawn("lesson 1 bag", _some_bag, lambda bag: _makespan(bag, bag.jobs.index) > _shortest(bag))
    return _bag("PRQST", (40, 20, 10), (6, 6))


def _bag(letters: str, runs: Iterable[int], sizes: Iterable[int]) -> Workload:
    """Make two pairs of jobs that fill the machine, and one that fills it alone, in the order of their letters."""
    first, second, alone = runs
    lengths = dict(zip(letters, (first, first, second, second, alone), strict=True))
    procs = [part for size in sizes for part in (size, PROCS - size)] + [PROCS]
    jobs = {job: (0, lengths[job], lengths[job], size) for job, size in zip(letters, procs, strict=True)}
    return Workload.of("A bag of jobs", PROCS, **dict(sorted(jobs.items())))


def _some_bag(draw: random.Random) -> Workload:
    """Draw such jobs, and their letters."""
    letters = "".join(draw.sample("FGJKLMNPQRSTUVWXYZ", 5))
    return _bag(letters, draw.sample(range(10, 100, 10), 3), draw.sample([6, 7, 8, 9], 2))


def packed(a_run: Any = None, a_procs: Any = None, b_procs: Any = None) -> Workload:
    """Make three jobs that fill the machine, or with other numbers in the place of some."""
    answers = {("A", "run"): a_run, ("A", "estimate"): a_run, ("A", "procs"): a_procs, ("B", "procs"): b_procs}
    return with_numbers(_packed(), answers)


@by_seed
def _packed() -> Workload:
    """Give three jobs that fill a machine, in the sizes of the site or of a seed."""
    procs, longest = drawn("lesson 1 machine", _some_machine) if seed() else (10, 100)
    half = 2 * procs // 5
    jobs = {"A": (0, 30, 30, half), "B": (0, 30, 30, half), "C": (0, longest, longest, procs - 2 * half)}
    return Workload.of("A full machine", procs, **jobs)


def _some_machine(draw: random.Random) -> tuple[int, int]:
    """Draw how many processors a machine has, and for how long it is to be idle."""
    return draw.randint(8, 64), draw.randrange(40, 400, 5)


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
        raise NotYet("job C does not start then. It starts where its rectangle has its left edge.")
    if free == machine:
        raise NotYet("the start is right. But one job holds some of the processors at that time: which, and how many?")
    if free != truth:
        raise NotYet(
            f"the start is right, but not so many processors are free at {its.submit} s. Job A runs then: take its "
            "processors from those of the machine."
        )
    return f"{truth} processors are free when job C comes, and it needs {its.procs}. It waits because job B waits."


@by_seed
def _served() -> Schedule:
    return simulate(queue(), FCFS())


@by_seed
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
        raise NotYet("a share of the machine lies between 0 and 1.")
    raise NotYet(
        "that is not it. Above the line: run time x size, added up over the jobs. Below: the processors of the "
        "machine x the time from the first arrival to the last end."
    )


def order(answer: Any) -> str:
    """Judge 1.3: an order of jobs in which FCFS leaves no processor idle."""
    jobs = bag().jobs.index
    if isinstance(answer, set):
        raise NotYet("found a set, which has no order; expected a list, with square brackets.")
    given = names(answer, jobs)
    missing = [job for job in jobs if job not in given]
    if len(set(given)) < len(given):
        raise NotYet("name each job once; some are there twice.")
    if missing:
        raise NotYet(f"name each job once; missing: {', '.join(missing)}.")
    makespan, best = _makespan(bag(), given), _shortest(bag())
    if makespan > best:
        raise NotYet(
            f"in this order the last job ends at {makespan} s; it can end {makespan - best} s sooner. Which two jobs "
            "fill the machine together, and end together?"
        )
    return f"all is done after {best} s and no processor was idle: with FCFS that takes luck."


def _makespan(bag: Workload, arrivals: Iterable[Any]) -> int:
    """Find when the last job of a bag ends, if the jobs arrive in this order."""
    return int(simulate(bag.derive(bag.jobs.loc[list(arrivals)], "in another order"), FCFS()).jobs.end.max())


def _shortest(bag: Workload) -> int:
    """Find the shortest makespan of a bag over all orders: its jobs fill the machine."""
    return int((bag.jobs.run * bag.jobs.procs).sum()) // PROCS


def emptiness(answer: Any) -> str:
    """Judge 1.4: jobs of which one waits for long while nearly the whole machine is idle."""
    jobs = packed(*parts(answer, "a_run", "a_procs", "b_procs"))
    idle, (most, long) = idle_while_waiting(simulate(jobs, FCFS())), (jobs.procs - 1, int(jobs.jobs.run["C"]))
    if idle.max() <= 0:
        raise NotYet("in your schedule no processor is idle while a job waits. Let B be a job that does not fit.")
    if idle.max() < most:
        raise NotYet(
            f"at most {idle.max()} processors are idle while a job waits. How small can job A be, which runs, and how "
            "large job B, which waits for it?"
        )
    length_of = idle.index.to_series().diff().shift(-1)
    found = int(length_of[idle >= most].sum())
    if found != long:
        raise NotYet(f"{most} processors are idle for {found} s, not for {long} s. What decides how long B waits?")
    return f"for {long} s a small job keeps the rest of the machine idle: the head needs more than is free."


EXERCISES: dict[str, Judge] = {"1.1": reading, "1.2": utilization, "1.3": order, "1.4": emptiness}
