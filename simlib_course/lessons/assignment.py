"""The assignment at the end of the course: a week of a real log, and your own policy that is argued for."""

import random
from functools import cache
from typing import Any

import pandas as pd

from simlib.analysis.comparison import compare
from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.logs.archive import load
from simlib.policies.conservative import Conservative
from simlib.policies.easy import EASY

from ..answers import MINUTES, Judge, NotYet, choice, number, parts, words
from . import LOG
from .lesson6 import LONGEST, policy, scheduled

FEWEST, LEAST_WAIT = 300, 1800
"""A week that is given out has at least so many jobs, and so long a mean wait under EASY in seconds."""

SHAKES = 20
"""By so many shaken runs a week is judged; the whole log by a quarter, for its other interval takes no shakes."""

CLAIMS = {"wait": ("wait", "mean"), "wait_95": ("wait", "95th"), "slowdown": ("bounded_slowdown", "mean")}
"""What is claimed of a policy in A.5, and where the comparison has it."""

SAID = "lower", "higher", "cannot tell"


def week(student: str) -> Workload:
    """Choose a week of the log by a student's name: another name, most likely another week."""
    name = " ".join(words(student)) if isinstance(student, str) else ""
    if not any(map(str.isalnum, name)):
        raise ValueError(f"week: found the name {student!r}, expected the student's own, such as 'Ada Lovelace'")
    return _of(name)


@cache
def _of(name: str) -> Workload:
    """Shuffle the days of the log by a name, and take the first one whose week can be given out."""
    log = _log()
    first, last = log.time(0).tz_localize(None), log.time(int(log.jobs.submit.max())).tz_localize(None)
    days = list(pd.date_range(first.normalize(), last - pd.Timedelta(days=7), inclusive="right"))
    random.Random(name).shuffle(days)
    return _from(next(filter(_can_be_given, days)))


def _can_be_given(day: pd.Timestamp) -> bool:
    """Tell whether the queue of a week is long enough to improve on, and a simple order passes A.4."""
    jobs = _from(day)
    if len(jobs) < FEWEST or simulate(jobs, EASY()).jobs.wait.mean() < LEAST_WAIT:
        return False
    try:
        _improved(simulate(jobs, EASY(order=_slowdown_first)))
    except NotYet:
        return False
    return True


def _slowdown_first(wait: float, estimate: float, procs: float) -> float:
    """Put first whose slowdown would be largest if it started now, by its estimate."""
    return (wait + estimate) / estimate


@cache
def _log() -> Workload:
    return load(LOG)


def _from(day: pd.Timestamp) -> Workload:
    return _log().between(f"{day:%Y-%m-%d}", f"{day + pd.Timedelta(days=7):%Y-%m-%d}")


def _asked(answer: Any, *keys: str) -> tuple[Workload, list[Any]]:
    """Read the student's name, and the other parts of an answer."""
    student, *others = parts(answer, "student", *keys)
    try:
        return week(student), others
    except ValueError as error:
        raise NotYet(f"{error}.") from None


def _close(given: float, truth: float, what: str, digits: int, hint: str) -> None:
    """Refuse a number that is not the truth, rounded to so many digits or not rounded."""
    if abs(given - truth) > 0.5001 * 10**-digits:
        per_cent = " That is the right number in per cent." if abs(given - 100 * truth) <= 0.51 else ""
        raise NotYet(f"{what}: it is not {given:g}.{per_cent} {hint}")


# The questions


def described(answer: Any) -> str:
    """Judge A.1: how many jobs the week has, its load, and the share of its large jobs."""
    jobs, (count, load, large) = _asked(answer, "jobs", "load", "large")
    size, (count, load, large) = jobs.jobs.procs, map(number, (count, load, large))
    if count != len(jobs):
        raise NotYet(f"jobs: your week does not have {count:g}. Is it the week of the name that you gave?")
    _close(load, jobs.load, "load", 2, "The week itself knows its load: week.load.")
    truth = float((size > jobs.procs / 4).mean())
    if abs(truth - large) > 0.005 and abs((size >= jobs.procs / 4).mean() - large) <= 0.005:
        raise NotYet(f"large: {large:g} is the share with a quarter or more; more than a quarter was asked for.")
    _close(large, truth, "large", 2, "Compare the column procs with a quarter of week.procs, and take the mean.")
    return f"{len(jobs)} jobs ask for {jobs.load:.0%} of the machine, and {truth:.0%} of them are large."


def two_schedulers(answer: Any) -> str:
    """Judge A.2: the mean waits under EASY and conservative backfilling, and how many jobs EASY backfills."""
    jobs, (easy, conservative, backfilled) = _asked(answer, "easy", "conservative", "backfilled")
    found = {"easy": simulate(jobs, EASY()), "conservative": simulate(jobs, Conservative())}
    for (name, schedule), given in zip(found.items(), (easy, conservative), strict=True):
        wait, given = float(schedule.jobs.wait.mean()), number(given, MINUTES)
        if abs(given - wait) <= 0.5:
            raise NotYet(f"{name}: {given:g} is the mean wait in seconds. Give it in minutes.")
        _close(given, wait / 60, name, 0, "Simulate the week, take the mean of the column wait, and divide by 60.")
    truth = float(found["easy"].jobs.backfilled.mean())
    _close(
        number(backfilled), truth, "backfilled", 2, "The schedule under EASY has a column backfilled: take its mean."
    )
    return f"EASY backfills {truth:.0%} of the jobs of your week."


def one_job(answer: Any) -> str:
    """Judge A.3: the job that waits longest under EASY, and how many jobs passed it."""
    workload, (job, wait, passed) = _asked(answer, "job", "wait", "passed_by")
    jobs = simulate(workload, EASY()).jobs
    job, wait, passed, longest = number(job), number(wait), number(passed), jobs.wait.max()
    if job not in jobs.index:
        raise NotYet(f"job: there is no job {job:g} in your week. The index of the table has the jobs' numbers.")
    if jobs.wait[job] != longest:
        raise NotYet(f"job: job {job} waits {jobs.wait[job]} s under EASY; another one waits longer.")
    if wait != longest:
        raise NotYet(f"wait: job {job} is right, but it does not wait {wait} s. The wait is start - submit.")
    later = (jobs.submit > jobs.submit[job]) & (jobs.start < jobs.start[job])
    truth = int(later.sum())
    if passed != truth:
        raise NotYet(
            f"passed_by: it is not {passed}. Count the jobs that were submitted after job {job} and started before it."
        )
    return f"{truth} jobs passed job {job} while it waited {longest / 3600:.1f} h."


def own_policy(answer: Any) -> str:
    """Judge A.4: a policy with a lower mean bounded slowdown than EASY on the week, under which nobody starves."""
    jobs, (own,) = _asked(answer, "policy")
    return _improved(scheduled(policy(own), jobs))


def _improved(schedule: Schedule) -> str:
    """Tell by how much a policy improves on EASY, or raise where that may be luck or somebody starves."""
    row = _compared(schedule, SHAKES)["slowdown"]
    longest, easy = (found.jobs.wait.max() / 3600 for found in (schedule, simulate(schedule.workload, EASY())))
    compared = f"a mean bounded slowdown of {row.value:.1f} against EASY's {row.base:.1f}"
    if row.coincidence_high >= 0:
        raise NotYet(
            f"{compared}; 95 % of the differences in shaken runs lie from {row.coincidence_low:.1f} to "
            f"{row.coincidence_high:.1f}, so that may be luck. Which jobs decide this metric?"
        )
    if longest > LONGEST * easy:
        raise NotYet(
            f"{compared}. But the longest wait is {longest:.1f} h, under EASY {easy:.1f} h, and at most "
            f"{LONGEST} times as long is allowed. Let the wait count for more."
        )
    return f"{compared}, and nobody waits longer than {longest:.1f} h."


def claims(answer: Any) -> str:
    """Judge A.5: claims on the policy, for the week and for another year of the log."""
    keys = [f"{of}_{claim}" for of in ("week", "year") for claim in CLAIMS]
    jobs, (own, *said) = _asked(answer, "policy", *keys)
    of_week = _compared(scheduled(policy(own), jobs), SHAKES)
    of_year = _compared(scheduled(policy(own), _log()), SHAKES // 4)
    intervals = [(row.coincidence_low, row.coincidence_high) for row in of_week.values()]
    intervals += [(row.another_year_low, row.another_year_high) for row in of_year.values()]
    for key, given, (low, high) in zip(keys, said, intervals, strict=True):
        truth = "lower" if high < 0 else "higher" if low > 0 else "cannot tell"
        if choice(given, SAID) != truth:
            contains = "contains 0" if truth == "cannot tell" else "does not contain 0"
            raise NotYet(
                f"{key}: the interval of the difference, from {low:.4g} to {high:.4g}, {contains}. What does that say?"
            )
    return "your claims are those that the intervals carry. Now argue: what would you tell who runs the machine?"


def _compared(schedule: Schedule, shakes: int) -> dict[str, Any]:
    """Compare a schedule's policy with EASY on its jobs: by claim the row of the comparison."""
    jobs = schedule.workload
    if schedule.jobs.start.equals(simulate(jobs, EASY()).jobs.start):
        raise NotYet("policy: that is EASY again: the same schedule.")
    policies = {"EASY": EASY(), "own": schedule.policy}
    table: Any = compare(jobs, policies, base="EASY", shakes=shakes, by=["all"]).table
    return {claim: table.loc[("own", "all", "all", *measure)] for claim, measure in CLAIMS.items()}


EXERCISES: dict[str, Judge] = {
    "A.1": described,
    "A.2": two_schedulers,
    "A.3": one_job,
    "A.4": own_policy,
    "A.5": claims,
}
