"""Lesson 6: a policy of one's own."""

from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any

import pandas as pd

from .. import examples_own
from ..differences import first_difference
from ..own_machine import Job, Machine, Queue
from ..own_policy import OwnPolicy
from ..policies import EASY, FCFS, Conservative, Policy
from ..schedule import Schedule, simulate
from ..workload import Workload
from .answers import Judge, NotYet, Waiting, function, names, number, parts
from .month import january, shaken

RUNS = 20
"""By so many shaken runs a policy is judged."""

LONGEST = 1.5
"""How many times EASY's longest wait a job may wait in exercise 6.4."""


def queue() -> Workload:
    """Make ten jobs on a busy machine; B is long and needs all of it."""
    return Workload.of(
        "A busy machine",
        4,
        A=(0, 60, 60, 3),
        B=(5, 100, 100, 4),
        C=(10, 50, 50, 2),
        D=(15, 40, 40, 3),
        E=(20, 80, 80, 1),
        F=(25, 30, 30, 2),
        G=(70, 40, 40, 3),
        H=(100, 40, 40, 3),
        I=(150, 30, 30, 4),
        J=(180, 40, 40, 2),
    )


# What students hand in, and what it is worth


def policy(answer: Any) -> Policy:
    """Read a policy, or an order as a function of (wait, estimate, size), which EASY then gets."""
    if isinstance(answer, type):
        raise NotYet(f"found the class {answer.__name__}; give an object of it: {answer.__name__}().")
    if hasattr(answer, "schedule"):
        return answer
    value = function(answer)(1.0, 1.0, 1.0)
    if value is ...:
        raise Waiting
    if value is None:
        raise NotYet("your function returns nothing: it has to end with return and a value.")
    return EASY(order=answer)


def judged(answer: Any) -> Schedule:
    """Schedule the month under the policy that was handed in; refuse one that uses what no real scheduler can know."""
    try:
        schedule = simulate(january(), policy(answer))  # which checks what a policy of one's own returns
    except ValueError as error:
        raise NotYet(f"{error}.") from None
    if not isinstance(schedule.policy, (EASY, FCFS, Conservative)) and foresees(schedule):
        raise NotYet("your policy knows what no scheduler can: how long jobs will run, or which ones will come.")
    return schedule


def foresees(schedule: Schedule) -> bool:
    """Tell whether a policy uses what is still to come.

    At three seconds of the workload the jobs are scheduled again as they were known then: those that had not ended run
    until their estimates, and no others come. A policy that then starts the jobs at other times has looked ahead.
    """
    jobs = schedule.jobs
    for now in jobs.submit.quantile([0.25, 0.5, 0.75]).astype(int):
        started = jobs.index[jobs.start <= now]
        if not schedule.plan(now).jobs.start[started].equals(jobs.start[started]):
            return True
    return False


@cache
def easy_runs() -> pd.DataFrame:
    """Summarise what EASY achieves on the month in each shaken run."""
    return shaken(january(), EASY(), RUNS)


def gain(schedule: Schedule) -> str:
    """Tell how much lower than EASY's a policy's mean bounded slowdown is for certain.

    Raises
    ------
    NotYet
        If it does not lower it, or not in enough of the shaken runs to rule out luck.
    """
    easy, own = (found.summary().mean_bounded_slowdown for found in (simulate(january(), EASY()), schedule))
    compared = f"a mean bounded slowdown of {own:.1f} against EASY's {easy:.1f}"
    differences = (shaken(january(), schedule.policy, RUNS) - easy_runs()).mean_bounded_slowdown
    if (differences == 0).all():
        raise NotYet("that is EASY again: the same schedule.")
    low, high = differences.quantile([0.025, 0.975])
    lower = f"lower in {(differences < 0).sum()} of {RUNS} shaken runs"
    if high >= 0:
        raise NotYet(
            f"{compared}; {lower}, with 95 % of the differences from {low:.1f} to {high:.1f}: "
            f"{'that may be luck' if differences.median() < 0 else 'it is worse'}. Which jobs decide this metric?"
        )
    return f"{compared}; {lower}, by {-high:.1f} to {-low:.1f} in 95 % of them. That is not luck"


# The exercises


def narrow_first(answer: Any) -> str:
    """Judge 6.1: an order that puts the narrow jobs first."""
    policies = policy(answer), EASY(order=_narrow_first), EASY(order=_wide_first)
    found, wanted, opposite = (simulate(queue(), of).jobs.start for of in policies)
    if found.equals(opposite):
        raise NotYet("that puts the wide jobs first. The job with the largest value is the head: use a minus sign.")
    if not found.equals(wanted):
        job = found.index[found != wanted][0]
        raise NotYet(f"job {job} starts at {found[job]}, and with the narrow jobs first at {wanted[job]}.")
    return f"the largest value is that of the smallest job. Job B, which needs all processors, starts at {found['B']}."


def _narrow_first(wait: float, estimate: float, size: float) -> float:
    return -size


def _wide_first(wait: float, estimate: float, size: float) -> float:
    return size


def starving(answer: Any) -> str:
    """Judge 6.2: the job that waits longest with the shortest first."""
    first, fcfs = (simulate(queue(), EASY(order=order)).jobs.wait for order in ("sjf", "fcfs"))
    job, wait = parts(answer, "job", "wait")
    names([job], first.index), number(wait)
    if job != first.idxmax():
        raise NotYet(f"job {job} waits {first[job]} s with the shortest first; another one waits longer.")
    if wait == fcfs[job]:
        raise NotYet(f"{job} is the right job, but {wait} s is its wait in order of arrival.")
    if wait != first[job]:
        raise NotYet(f"{job} is the right job. Its wait is its start minus its submit time, not {wait}.")
    return f"job {job} waits until no shorter one is left. If they kept coming, it would never start: it starves."


def beats_easy(answer: Any) -> str:
    """Judge 6.3: a policy with a lower mean bounded slowdown than EASY."""
    schedule = judged(answer)
    if isinstance(schedule.policy, EASY) and isinstance(schedule.policy.order, str):
        raise NotYet("that order comes with simlib. Write one of your own: a function of wait, estimate and size.")
    return gain(schedule) + "."


def beats_easy_without_starving(answer: Any) -> str:
    """Judge 6.4: the same, without any job that waits very long."""
    schedule = judged(answer)
    longest, easy = (found.jobs.wait.max() / 3600 for found in (schedule, simulate(january(), EASY())))
    if longest > LONGEST * easy:
        raise NotYet(
            f"the longest wait is {longest:.1f} h, and {LONGEST * easy:.1f} h are allowed, for under EASY it is "
            f"{easy:.1f} h. A job that has waited long must come to the head at last: let `wait` count."
        )
    return f"{gain(schedule)}. And nobody waits longer than {longest:.1f} h, under EASY {easy:.1f} h."


def best_fit(answer: Any) -> str:
    """Judge 6.5: a scheduling pass that backfills the largest job first."""
    month = january()
    wanted, easy, fcfs = (simulate(month, of) for of in (OwnPolicy(examples_own.best_fit), EASY(), FCFS()))
    try:
        found = simulate(month, OwnPolicy(_answered(function(answer))))
    except ValueError as error:
        raise NotYet(f"{error}.") from None
    if found.jobs.start.equals(fcfs.jobs.start):
        raise NotYet("that is FCFS: nobody passes the head. Who may, by the shadow time or by the extra processors?")
    if found.jobs.start.equals(easy.jobs.start):
        raise NotYet("that is EASY: it backfills in order of arrival. Try the largest job first.")
    if difference := first_difference(found, wanted):
        hint = "It may start sooner: it ends by the shadow time, or extra processors are left; and it is large."
        if difference.starts[0] < difference.starts[1]:
            hint = "By then it may delay the head, or has a larger one to be tried first. Are extra processors left?"
        raise NotYet(
            f"job {difference.job} starts at {difference.starts[0]}, under best fit at {difference.starts[1]}. {hint}"
        )
    waits = [schedule.jobs.wait.mean() / 3600 for schedule in (found, easy)]
    return (
        f"these are best fit's start times, job by job. The mean wait is {waits[0]:.2f} h, under EASY {waits[1]:.2f} h."
    )


def _answered(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, for which is waited as long as it gives dots."""

    @wraps(function)
    def asked(queue: Queue, machine: Machine) -> Iterator[Job]:
        for job in function(queue, machine):
            if job is ...:
                raise Waiting
            yield job

    return asked


EXERCISES: dict[str, Judge] = {
    "6.1": narrow_first,
    "6.2": starving,
    "6.3": beats_easy,
    "6.4": beats_easy_without_starving,
    "6.5": best_fit,
}
