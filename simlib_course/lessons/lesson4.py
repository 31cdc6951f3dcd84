"""Lesson 4: estimates, good and bad."""

import random
from collections.abc import Iterable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from simlib import plots
from simlib.core.estimates import Scaled
from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.explain import explain
from simlib.policies.easy import EASY

from ..answers import Judge, NotYet, names, number, parts, shown, with_numbers
from . import by_seed, drawn, is_share, january, seed

RUNS = {"A": 100, "B": 200, "wide": 200, "s1": 140, "s2": 80, "s3": 60, "s4": 30}
"""Run times of the jobs that show the heel-and-toe effect; they arrive in this order, and wide needs all processors."""


def heel_and_toe(factor: float = 1) -> Workload:
    """Make two running jobs, a wide one that doubled estimates delay, and four short ones that start before it then."""
    return _estimated(_runs(), factor)


def _estimated(runs: Any, factor: float) -> Workload:
    """Make the jobs with these run times, and estimates that are too long by a factor."""
    submits = (0, 0, 10, 20, 30, 40, 50)
    rows = zip(runs.items(), submits, strict=True)
    jobs = {job: (submit, run, round(factor * run), 4 if job == "wide" else 2) for (job, run), submit in rows}
    return Workload.of(f"Estimates x {factor}", 4, **jobs)


@by_seed
def _runs() -> Any:
    """Give the run times of the site, or draw those of a seed."""
    return drawn("lesson 4", _some_runs, _is_heel_and_toe).jobs.run.to_dict() if seed() else RUNS


def _some_runs(draw: random.Random) -> Workload:
    """Draw run times."""
    first, hole = draw.randrange(60, 140, 5), draw.randrange(60, 140, 5)
    short = sorted(draw.sample(range(20, hole + 10, 5), 3), reverse=True)
    runs = [first, first + hole, draw.randrange(100, 300, 20), hole + draw.randrange(10, 60, 10), *short]
    return _estimated(dict(zip(RUNS, runs, strict=True)), 1)


def _is_heel_and_toe(exact: Workload) -> bool:
    """Tell whether s2 alone passes with exact estimates, and all short jobs one after the other with doubled ones."""
    schedules = [simulate(_estimated(exact.jobs.run, factor), EASY()) for factor in (1, 2)]
    before, after = (schedule.jobs for schedule in schedules)
    chain = after.start[["s1", "s2", "s3", "s4"]].tolist() == after.end[["A", "B", "s1", "s2"]].tolist()
    means = [schedule.summary() for schedule in schedules]
    better = means[1].mean_wait < means[0].mean_wait and means[1].mean_bounded_slowdown < means[0].mean_bounded_slowdown
    return bool(chain and better and before.index[before.backfilled].tolist() == ["s2"])


def cautious(estimate: Any = None) -> Workload:
    """Make jobs with exact estimates, and one that asks for far more than it needs, or for what is given."""
    return with_numbers(_cautious(), {("mine", "estimate"): estimate})


@by_seed
def _cautious() -> Workload:
    """Give the jobs of the site, or draw those of a seed: job mine fits barely between the ends of A and B."""
    a, hole, run = drawn("lesson 4 hole", _some_hole) if seed() else (100, 100, 70)
    jobs = {"A": (0, a, a, 2), "B": (0, a + hole, a + hole, 2), "wide": (10, 200, 200, 4)}
    return Workload.of("A cautious user", 4, **jobs, mine=(20, run, 400, 2))


def _some_hole(draw: random.Random) -> tuple[int, int, int]:
    """Draw the end of A, how much later B ends, and a run time that is a little shorter."""
    hole = draw.randrange(60, 380)
    return draw.randrange(50, 150), hole, hole - draw.randrange(2, 6)


@by_seed
def part() -> float:
    """Give the share of their estimate that jobs used less than, in exercise 4.1."""
    return drawn("lesson 4 part", lambda draw: draw.randrange(100, 900) / 1000) if seed() else 0.5


@by_seed
def factor() -> float:
    """Give the factor of exercise 4.4."""
    return drawn("lesson 4 factor", lambda draw: draw.randrange(120, 400) / 100) if seed() else 2


def by_factor(factors: Iterable[float]) -> pd.DataFrame:
    """Simulate `heel_and_toe` with estimates that are too long by several factors: a row each."""
    starts, waits = {}, {}
    for factor in factors:
        jobs = simulate(heel_and_toe(factor), EASY()).jobs
        starts[factor], waits[factor] = jobs.start["wide"], round(jobs.wait.mean())
    return pd.DataFrame({"wide starts at [s]": starts, "mean wait [s]": waits}).rename_axis("estimate / run time")


def used_by_length(month: Workload) -> pd.DataFrame:
    """Compute which share of the estimate jobs of several lengths used on average."""
    used = month.jobs.run / month.jobs.estimate
    lengths = ["up to 1 min", "to 10 min", "to 1 h", "to 4 h", "longer"]
    length = pd.cut(month.jobs.run, [-1, 60, 600, 3600, 4 * 3600, 10**9], labels=lengths).rename("run time")
    return used.groupby(length, observed=True).mean().round(2).to_frame("share that was used")


def wait_by_size(schedules: Mapping[str, Schedule]) -> pd.DataFrame:
    """Compute the mean wait in hours of jobs of several sizes, a column for each schedule of the same jobs."""
    jobs = next(iter(schedules.values())).jobs
    size = pd.cut(jobs.procs, [0, 1, 8, 32, 100], labels=["1", "2 to 8", "9 to 32", "33 to 100"]).rename("processors")
    hours = {
        name: schedule.jobs.wait.groupby(size, observed=True).mean() / 3600 for name, schedule in schedules.items()
    }
    return pd.DataFrame(hours).assign(jobs=size.value_counts()).round(2)


# The pictures


def used(month: Workload) -> Figure:
    """Draw how many jobs used which share of their estimate."""
    figure, ax = plt.subplots(figsize=(7, 2.6))
    share = (month.jobs.run / month.jobs.estimate).clip(upper=1)
    ax.hist(share, bins=20, range=(0, 1), color=plots.EASY_COLOUR, edgecolor="white")
    ax.set(xlabel="share of the estimate that was used", ylabel="jobs", xlim=(0, 1))
    plots.mark(ax, month)
    return figure


# The exercises


def used_less(answer: Any) -> str:
    """Judge 4.1: the share of jobs that used less than `part` of their estimate."""
    if isinstance(answer, (list, np.ndarray, pd.Series)) and np.size(answer) > 1:
        raise NotYet("found a column, with a value for each job. How many of them are true? Take its mean: `.mean()`.")
    jobs = january().jobs
    truth, share = (jobs.run / jobs.estimate < part()).mean(), number(answer)
    if is_share(share, truth):
        return f"{truth:.0%} of the jobs did not need {part():g} of what their users asked for."
    if abs(share - (1 - truth)) <= 0.005:
        raise NotYet(
            f"that is the share of the jobs that used {part():g} of their estimate or more: the others are wanted."
        )
    if abs(share - truth * len(jobs)) <= 1:
        raise NotYet("that is how many jobs they are. Which share of all jobs is that? Take the mean, not the sum.")
    raise NotYet(f"it is not {share:g}. `used < {part():g}` counts as 1 or 0 of each job: take its mean.")


def seen_at_the_end_of_b(answer: Any) -> str:
    """Judge 4.2: what the scheduler knows when job B ends and job s2 starts."""
    jobs = heel_and_toe(2)
    steps = explain(jobs, EASY())
    at = next(seen for seen in steps if seen.kind == "backfill" and seen.job == "s2")
    before = next(seen for seen in steps if seen.shadow is not None)
    expected = next(span.end for span in at.running if span.job == "s2")
    shadow, end = map(number, parts(answer, "shadow", "s2_until"))
    if shadow == before.shadow != at.shadow:
        raise NotYet(f"{before.shadow} was the shadow time before job B ended. Whom does job wide wait for now?")
    if shadow in (at.time, steps.schedule.jobs.start["wide"]) and shadow != at.shadow:
        raise NotYet(f"at {shadow} s something happens, but the scheduler cannot know it: it goes by estimates.")
    if shadow != at.shadow:
        raise NotYet(f"the shadow time is not {shadow}. When does the scheduler expect job s1, still running, to end?")
    if end == at.time + jobs.jobs.run["s2"]:
        raise NotYet("the shadow time is right. But that is when job s2 really ends, which nobody knows yet.")
    if end != expected:
        raise NotYet(
            f"the shadow time is right, but job s2 is not expected to end at {end}: add its estimate to {at.time}."
        )
    return f"job s2 may run until {end}, and the shadow time is {shadow}. So it may start, and job wide waits on."


def who_pays(answer: Any) -> str:
    """Judge 4.3: which jobs start later when estimates are doubled."""
    exact, doubled = (simulate(heel_and_toe(factor), EASY()).jobs.start for factor in (1, 2))
    later = list(exact.index[doubled > exact])
    given = names(answer, exact.index)
    if not given:
        raise NotYet("your list is empty, but some jobs start later.")
    if len(set(given)) < len(given):
        raise NotYet(f"name each job once; twice is there: {next(job for job in given if given.count(job) > 1)}.")
    for job in given:
        if job not in later:
            raise NotYet(f"job {job} starts at {exact[job]} with exact estimates, at {doubled[job]} with doubled ones.")
    if missing := len(later) - len(given):
        raise NotYet(f"right so far: {', '.join(given)}. But {missing} more of the jobs start later.")
    sooner = (doubled < exact).sum()
    return f"{len(later)} jobs start later, {sooner} sooner. Job wide pays: it waits for both halves of the machine."


def scaled(answer: Any) -> str:
    """Judge 4.4: the month's estimates, multiplied by `factor`."""
    month = january()
    if not isinstance(answer, (list, tuple, np.ndarray, pd.Series)) or len(answer) != len(month):
        raise NotYet(f"found {shown(answer)}, expected the column estimate of all {len(month):,} jobs: .jobs.estimate")
    asked = month.jobs.estimate.to_numpy()
    found = np.array(list(map(number, answer)))
    if (found == asked).all():
        raise NotYet("these are the users' estimates as they were.")
    if (found == np.rint(factor() * month.jobs.run)).all():
        raise NotYet("these are multiples of the run times. What the users asked for is what shall be multiplied.")
    if (found != np.rint(factor() * asked)).any():
        raise NotYet(
            f"these estimates are not the users' ones times {factor():g}. Scaled(factor) multiplies, Uniform(f) draws "
            "lots."
        )
    other = month.with_estimates(Scaled(factor()))
    before, after = (simulate(jobs, EASY()).summary().mean_bounded_slowdown for jobs in (month, other))
    change = "falls" if after < before else "rises"
    return (
        f"under EASY the mean bounded slowdown {change} from {before:.0f} to {after:.0f}. Is that luck? See lesson 5b."
    )


def as_short_as_it_is_safe(answer: Any) -> str:
    """Judge 4.5: an estimate with which job mine is backfilled and not killed."""
    (estimate,) = parts(answer, "estimate")
    given, schedule = _cautious().jobs, simulate(cautious(estimate), EASY(), overrun="kill").jobs.loc["mine"]
    wanted = given.run["mine"]
    if schedule.run < wanted:
        raise NotYet(f"job mine starts at {schedule.start}, but is killed after {schedule.run} of its {wanted} s.")
    if schedule.start > given.run["A"]:
        raise NotYet(f"job mine still starts at {schedule.start}. How long is the hole between the ends of A and B?")
    return (
        f"it starts at {schedule.start} and is done. Any estimate from {wanted} s to the length of the hole is right."
    )


EXERCISES: dict[str, Judge] = {
    "4.1": used_less,
    "4.2": seen_at_the_end_of_b,
    "4.3": who_pays,
    "4.4": scaled,
    "4.5": as_short_as_it_is_safe,
}
