"""Lesson 6: your own policy."""

import io
import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cache, wraps
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from simlib import plots
from simlib.core.schedule import Policy, Schedule, simulate
from simlib.core.workload import Workload
from simlib.explain import first_difference
from simlib.plain import Job, Machine, Queue
from simlib.policies import examples_own, orders
from simlib.policies.conservative import Conservative
from simlib.policies.easy import EASY, FCFS
from simlib.policies.own_policy import OwnPolicy

from ..answers import Judge, NotYet, Waiting, function, names, number, parts, refuse_own
from . import by_seed, drawn, january, seed, shaken

RUNS = 20
"""By so many shaken runs a policy is judged."""

SMALL = 20
"""On so many small workloads a pass is tried besides the month, for ends and sizes that are just equal."""

LOOKS = 19
"""So often `foresees` looks: 3, 19, 50 looks detect EASY with known run times in 13, 24, 26 of 30 weeks at KTH."""

LONGEST = 1.5
"""How many times EASY's longest wait a job may wait in exercise 6.4."""


@by_seed
def queue() -> Workload:
    """Make ten jobs on a busy machine; one is long and needs all of it: B, but in what a seed draws."""
    if seed():
        return drawn("lesson 6", _some_queue, _starves)
    return _ten(
        dict(zip("ABCDEFGHIJ", (60, 100, 50, 40, 80, 30, 40, 40, 30, 40), strict=True)), [3, 4, 2, 3, 1, 2, 3, 3, 4, 2]
    )


def _ten(runs: dict[str, int], sizes: list[int]) -> Workload:
    """Make ten jobs with these names, run times and sizes."""
    submits = (0, 5, 10, 15, 20, 25, 70, 100, 150, 180)
    rows = zip(runs, submits, sizes, strict=True)
    return Workload.of("A busy machine", 4, **{job: (at, runs[job], runs[job], size) for job, at, size in rows})


def _some_queue(draw: random.Random) -> Workload:
    """Draw such jobs, of which another one may be the long one."""
    long = draw.choice("BCDE")
    runs = {job: draw.randrange(20, 80) for job in "ABCDEFGHIJ"} | {long: draw.randrange(85, 150)}
    return _ten(runs, [4 if job == long else draw.randint(1, 3) for job in runs])


def _starves(jobs: Workload) -> bool:
    """Tell whether with the shortest first the long job waits far longer than others, and than in order of arrival."""
    first, fcfs = (simulate(jobs, EASY(order=order)).jobs for order in ("sjf", "fcfs"))
    job: Any = first.run.idxmax()
    return bool(
        first.wait[job] == first.wait.max() > 1.5 * first.wait.nlargest(2).iloc[1]
        and first.wait[job] > 2 * fcfs.wait[job]
    )


def small(seed: int) -> Workload:
    """Make 30 jobs of few sizes and lengths on a machine of 8, where many things happen in the same second."""
    rng = np.random.default_rng(seed)
    run, more = 10 * rng.integers(1, 5, 30), 10 * rng.integers(0, 3, 30)
    jobs = {"submit": np.sort(10 * rng.integers(0, 30, 30)), "run": run, "procs": rng.integers(1, 9, 30)}
    index = pd.RangeIndex(1, 31, name="job")
    return Workload(pd.DataFrame({**jobs, "estimate": run + more}, index), 8, name=f"lesson6.small({seed})")


PRINTED: dict[str, str | Callable[..., float]] = {
    "order of arrival": "fcfs",
    "shortest first": "sjf",
    "WFP": "wfp",
    "the narrow jobs first": lambda wait, estimate, procs: -procs,
}
"""The orders that stand on the page: by their names there."""


@cache
def printed(order: str) -> pd.Series:
    """Find when the jobs of the month start under an order that stands on the page."""
    return simulate(january(), EASY(order=PRINTED[order])).jobs.start


def waits(schedules: Mapping[str, Schedule]) -> Figure:
    """Draw which share of the jobs waits longer than so many hours, a line for each schedule."""
    figure, ax = plt.subplots(figsize=(7, 3))
    for name, schedule in schedules.items():
        hours = (schedule.jobs.wait / 3600).sort_values()
        ax.plot(hours, 1 - pd.Series(range(len(hours))) / len(hours), label=name)
    plots.mark(ax, schedule.workload)
    ax.set(xlabel="wait [h]", ylabel="share that waits longer", yscale="log")
    ax.legend()
    return figure


# What students hand in, and what it is worth


def an_order(answer: Any) -> Callable[..., float]:
    """Read an order: a function that can be compiled, and returns a number in every case."""
    order = refuse_own(function(answer))
    if ... in getattr(getattr(order, "__code__", None), "co_consts", ()):
        raise Waiting
    if hasattr(order, "schedule"):  # it runs in the box of `grading`, where it is compiled
        return order
    try:
        orders.check(order)
        orders.compiled(order)
    except ValueError as error:
        raise NotYet(f"{error}.") from None
    value(order, 60.0, 3600.0, 8.0)  # which raises what the compiled function passes over, such as 1 / 0
    return order


def value(order: Callable[..., float], wait: float, estimate: float, procs: float) -> float:
    """Ask an order for the number of a job."""
    facts = orders.TYPICAL | {"wait": wait, "estimate": estimate, "procs": procs}
    return order(**{name: facts[name] for name in orders.asked_for(order)})


def policy(answer: Any) -> Policy:
    """Read a policy, or an order as a function of (wait, estimate, procs), which EASY then gets."""
    if isinstance(answer, type):
        raise NotYet(f"found the class {answer.__name__}; give an object of it: {answer.__name__}().")
    if not hasattr(answer, "schedule"):
        return EASY(order=an_order(answer))
    return refuse_own(answer)


def scheduled(given: Policy, workload: Workload) -> Schedule:
    """Schedule jobs under a policy that was handed in; refuse one that uses what no real scheduler can know."""
    try:
        schedule = simulate(workload, given)  # which checks what a policy of one's own returns
    except ValueError as error:
        raise NotYet(f"{error}.") from None
    if not isinstance(given, (EASY, FCFS, Conservative)) and foresees(schedule):
        raise NotYet("your policy knows what no scheduler can: how long jobs will run, or which ones will come.")
    return schedule


def judged(answer: Any) -> Schedule:
    """Schedule the month under the policy that was handed in; refuse an order that stands on the page."""
    given = policy(answer)
    schedule = scheduled(given, january())
    if schedule.jobs.start.equals(printed("order of arrival")):
        raise NotYet("that is EASY again: the same schedule.")
    for order in PRINTED:
        if schedule.jobs.start.equals(printed(order)):
            raise NotYet(
                f"every job starts when it does with {order}, and that order stands on the page. Find one of your own: "
                "what else can you make of wait, estimate and procs?"
            )
    return schedule


def foresees(schedule: Schedule) -> bool:
    """Tell whether a policy looks ahead: with what was known at some seconds it would have started other jobs."""
    jobs = schedule.jobs
    for now in jobs.submit.quantile(np.linspace(0, 1, LOOKS + 2)[1:-1]).astype(int).unique():
        started = jobs.index[jobs.start <= now]
        if not schedule.plan(now).jobs.start[started].equals(jobs.start[started]):
            return True
    return False


@cache
def easy_runs() -> pd.DataFrame:
    """Summarise what EASY achieves on the month in each shaken run."""
    return shaken(january(), EASY(), RUNS)


def gain(schedule: Schedule) -> str:
    """Tell how much lower than EASY's a policy's mean bounded slowdown is for certain."""
    easy, own = (found.summary().mean_bounded_slowdown for found in (simulate(january(), EASY()), schedule))
    compared = f"a mean bounded slowdown of {own:.1f} against EASY's {easy:.1f}"
    differences = (shaken(january(), schedule.policy, RUNS) - easy_runs()).mean_bounded_slowdown
    low, high = differences.quantile([0.025, 0.975])
    lower = f"lower in {(differences < 0).sum()} of {RUNS} shaken runs"
    if high >= 0:
        raise NotYet(
            f"{compared}; {lower}, with 95 % of the differences from {low:.1f} to {high:.1f}: "
            f"{'that may be luck' if differences.median() < 0 else 'it is worse'}. Which jobs decide this metric?"
        )
    return f"{compared}; {lower}, by {-high:.1f} to {-low:.1f} in 95 % of them. That is not luck"


LINES = 10
"""So many lines of what a student's function prints are shown: it is called thousands of times."""


@contextmanager
def few_lines() -> Iterator[None]:
    """Show the first `LINES` lines that are printed within, and say how many more there were."""
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        lines = printed.getvalue().splitlines()
        more = [f"({len(lines) - LINES:,} more lines were printed.)"] if len(lines) > LINES else []
        print(*lines[:LINES], *more, sep="\n", end="\n" if lines else "")


# The exercises


def narrow_first(answer: Any) -> str:
    """Judge 6.1: an order that puts the narrow jobs first."""
    order = an_order(answer)
    cases = list(itertools.product((0.0, 60.0, 1e5), (1.0, 600.0, 1e5)))
    for size in map(float, range(1, 100)):
        narrow, wide = ({case: value(order, *case, procs) for case in cases} for procs in (size, size + 1.0))
        least, most = min(narrow, key=narrow.__getitem__), max(wide, key=wide.__getitem__)
        if narrow[least] > wide[most]:
            continue
        if value(order, *cases[0], 1.0) < value(order, *cases[0], 2.0):
            raise NotYet("that puts wide jobs first. The job with the largest number is the head: use a minus sign.")
        raise NotYet(
            f"a job of {size:g} gets {narrow[least]:g} (wait={least[0]:g}, estimate={least[1]:g}), and one of "
            f"{size + 1:g} gets {wide[most]:g} (wait={most[0]:g}, estimate={most[1]:g}). The narrow job has to "
            "get the larger number, whatever the wait and the estimate are."
        )
    jobs = simulate(queue(), policy(answer)).jobs
    widest: Any = jobs.procs.idxmax()
    return f"the smallest job gets the largest number. Job {widest}, the widest, starts at {jobs.start[widest]}."


def starving(answer: Any) -> str:
    """Judge 6.2: the job that waits longest with the shortest first."""
    first, fcfs = (simulate(queue(), EASY(order=order)).jobs.wait for order in ("sjf", "fcfs"))
    job, wait = parts(answer, "job", "wait")
    found, wait = names(job if isinstance(job, (str, list, tuple)) else [job], first.index), number(wait)
    if len(found) != 1:
        raise NotYet(f"found {len(found)} jobs, expected one job.")
    (job,) = found
    if job != first.idxmax():
        raise NotYet(f"job {job} waits {first[job]} s with the shortest first; another one waits longer.")
    if wait == fcfs[job]:
        raise NotYet(f"{job} is the right job, but {wait} s is its wait in order of arrival.")
    if wait != first[job]:
        raise NotYet(f"{job} is the right job. Its wait is its start minus its submit time, not {wait}.")
    return f"job {job} waits until no shorter one is left. If they kept coming, it would never start: it starves."


@few_lines()
def beats_easy(answer: Any) -> str:
    """Judge 6.3: an order with a lower mean bounded slowdown than EASY."""
    return gain(judged(answer)) + "."


@few_lines()
def beats_easy_without_starving(answer: Any) -> str:
    """Judge 6.4: the same, without any job that waits very long."""
    schedule = judged(answer)
    longest, easy = (found.jobs.wait.max() / 3600 for found in (schedule, simulate(january(), EASY())))
    if longest > LONGEST * easy:
        raise NotYet(
            f"the longest wait is {longest:.1f} h, and {LONGEST * easy:.1f} h are allowed, for under EASY it is "
            f"{easy:.1f} h. The longer a job waits the larger its number has to get, without an end, until it is the "
            "largest."
        )
    return f"{gain(schedule)}. And nobody waits longer than {longest:.1f} h, under EASY {easy:.1f} h."


@few_lines()
def best_fit(answer: Any) -> str:
    """Judge 6.5: a scheduling pass that backfills the largest job first."""
    given = passes(answer)
    month = january()
    found, easy, fcfs = _own(month, given), simulate(month, EASY()), simulate(month, FCFS())
    if found.jobs.start.equals(fcfs.jobs.start):
        raise NotYet("that is FCFS: nobody passes the head. Who may, by the shadow time or by the extra processors?")
    if found.jobs.start.equals(easy.jobs.start):
        raise NotYet("that is EASY: it backfills in order of arrival. Try the largest job first.")
    for jobs in [*(small(k) for k in range(SMALL)), month]:  # the small ones first: their hints are short
        _compare(_own(jobs, given))
    waits = [schedule.jobs.wait.mean() / 3600 for schedule in (found, easy)]
    return (
        f"these are best fit's start times, job by job. The mean wait is {waits[0]:.2f} h, under EASY {waits[1]:.2f} h."
    )


def passes(answer: Any) -> Policy:
    """Read a scheduling pass as a policy."""
    refuse_own(function(answer) if not hasattr(answer, "schedule") else answer)
    return answer if hasattr(answer, "schedule") else OwnPolicy(_answered(answer))


def _own(jobs: Workload, policy: Policy) -> Schedule:
    try:
        return simulate(jobs, policy)
    except (NotYet, Waiting):
        raise
    except ValueError as error:
        raise NotYet(f"{error}.") from None
    except Exception as error:
        where = "; ".join(getattr(error, "__notes__", []))
        raise NotYet(f"{type(error).__name__}: {error}; {where}.") from None


def _compare(found: Schedule) -> None:
    """Raise where a schedule is not best fit's."""
    jobs = found.workload
    difference = first_difference(found, simulate(jobs, OwnPolicy(examples_own.best_fit)))
    if difference is None:
        return
    hint = "It may start sooner: it ends by the shadow time, or extra processors are left; and it is large."
    if difference.starts[0] < difference.starts[1]:
        hint = "By then it may delay the head, or has a larger one to be tried first. Are extra processors left?"
    where = f" of {jobs.name}" if jobs.name.startswith("lesson6.") else " of the month"
    starts, best = difference.starts
    raise NotYet(f"job {difference.job}{where} starts at {starts}, under best fit at {best}. {hint}")


def _answered(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, for which is waited as long as it gives dots."""

    @wraps(function)
    def asked(queue: Queue, machine: Machine) -> Iterator[Job]:
        found = function(queue, machine)
        if found is None:
            raise NotYet(f"your pass returns nothing at {machine}. Each job that starts now needs its `yield job`.")
        for job in found:
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
