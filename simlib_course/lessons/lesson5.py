"""Lesson 5: how to measure."""

import random
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from simlib import plots
from simlib.analysis.stats import batch_means
from simlib.core import metrics
from simlib.core.schedule import Policy, Schedule, simulate
from simlib.core.workload import Workload
from simlib.logs.archive import load
from simlib.models import jann97
from simlib.policies.conservative import Conservative
from simlib.policies.easy import EASY, FCFS

from ..answers import Judge, NotYet, number, parts, shown
from . import LOG, by_seed, drawn, is_share, january, seed, shaken

LOADS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Offered loads of exercise 5.3."""

MOST = 200
"""So many shaken runs at most are simulated to judge exercise 5.5."""

LOAD = 0.7
"""Offered load of exercise 5.4."""


@cache
def model() -> Workload:
    """Make jobs of the Jann model, as many as MF take of it for their curves over the load."""
    return jann97.workload(jobs=100_000, seed=0)


@cache
def responses() -> pd.Series:
    """Compute the response times of the model's jobs at `LOAD` under EASY, in order of termination."""
    return simulate(model().scale_load(LOAD), EASY()).jobs.sort_values("end", kind="stable").response


def four_jobs() -> pd.DataFrame:
    """Compute the metrics of four jobs, short and long, that wait for ten minutes each."""
    jobs = pd.DataFrame({"wait": 600, "run": [1, 10, 600, 36000]})
    for metric in (metrics.response, metrics.slowdown, metrics.bounded_slowdown):
        jobs[metric.__name__.replace("_", " ")] = metric(jobs.wait.to_numpy(), jobs.run.to_numpy())
    return jobs.round(2)


def over_load(policies: Iterable[Policy], loads: Iterable[float] = LOADS) -> pd.DataFrame:
    """Summarise the schedules of the model's jobs at several offered loads, a row for each policy and load."""
    rows = {
        (type(policy).__name__, load): simulate(model().scale_load(load), policy).summary()
        for load in loads
        for policy in policies
    }
    return pd.DataFrame(rows).T.rename_axis(["policy", "offered load"])


def first_days(month: Workload) -> pd.DataFrame:
    """Compute the mean wait of each of the first days, in seconds: in the whole log, and of the month alone."""
    whole = simulate(load(LOG), EASY()).jobs.loc[month.jobs.index]
    day = (month.jobs.submit - month.jobs.submit.min()) // 86400 + 1
    waits = {"in the whole log": whole.wait, "January alone": simulate(month, EASY()).jobs.wait}
    daily = {name: wait.groupby(day.rename("day")).mean() for name, wait in waits.items()}
    return pd.DataFrame(daily).head(8).round().astype(int)


def batch_table(values: pd.Series, sizes: Iterable[int]) -> pd.DataFrame:
    """Estimate a mean by batches of several sizes, a row each, with the limit for `lag1`."""
    rows = {}
    for size in sizes:
        found = batch_means(values, batch=size, most=len(values))
        rows[size] = {
            "mean [s]": found.mean,
            "+- [s]": found.half_width,
            "batches": found.batches,
            "lag1": found.lag1,
            "limit": 2 / np.sqrt(found.batches),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("batch size").round(2)


# The pictures


def who_decides(schedule: Schedule) -> Figure:
    """Draw which share of the sum of two metrics comes from the shortest jobs."""
    figure, ax = plt.subplots(figsize=(6, 3.4))
    row = schedule.jobs.sort_values("run")
    part = pd.Series(range(1, len(row) + 1)) / len(row)
    for column, name in {"bounded_slowdown": "bounded slowdown", "response": "response time"}.items():
        ax.plot(part, row[column].cumsum() / row[column].sum(), linewidth=2, label=name)
    ax.plot([0, 1], [0, 1], ":", color="black")
    ax.set(xlabel="share of the jobs, shortest first", ylabel="share of the sum", xlim=(0, 1), ylim=(0, 1))
    ax.legend()
    plots.mark(ax, schedule.workload)
    return figure


def draw_over_load(found: pd.DataFrame) -> Figure:
    """Draw the processors in use and the mean response time over the offered load: see `over_load`."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    for policy, rows in found.groupby(level="policy"):
        loads = rows.index.get_level_values("offered load")
        axes[0].plot(loads, rows.utilization, "o-", label=policy)
        axes[1].plot(loads, rows.mean_response / 3600, "o-", label=policy)
    axes[0].plot([0.4, 1], [0.4, 1], ":", color="black")
    axes[0].set(xlabel="offered load", ylabel="processors in use (share)")
    axes[1].set(xlabel="offered load", ylabel="mean response time [h]")
    plots.plain_log_axis(axes[1].yaxis)
    axes[0].legend()
    return figure


def pairs(runs: Mapping[str, pd.DataFrame], workload: Workload) -> Figure:
    """Draw two metrics of the same shaken runs under two policies, a line for each run."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    titles = {"mean_response": "mean response time [s]", "mean_bounded_slowdown": "mean bounded slowdown"}
    first, second = runs.values()
    for ax, (column, title) in zip(axes, titles.items(), strict=True):
        ax.plot([0, 1], [first[column], second[column]], color="grey", linewidth=0.8)
        ax.plot([0] * len(first), first[column], "o", [1] * len(second), second[column], "o")
        ax.set(xticks=[0, 1], xticklabels=list(runs), xlim=(-0.4, 1.4), title=title)
    plots.mark(axes[0], workload)
    return figure


# The exercises


@by_seed
def example() -> dict[str, int]:
    """Give the wait and the run time of the job of exercise 5.1."""
    return drawn("lesson 5 example", _some_example) if seed() else {"wait": 95, "run": 5}


def _some_example(draw: random.Random) -> dict[str, int]:
    """Draw a short run time, and a wait that is a multiple of it."""
    run = draw.choice([2, 4, 5, 8])
    return {"wait": run * draw.randrange(9, 80), "run": run}


@by_seed
def short() -> int:
    """Give the seconds below which a job is short, for exercise 5.2."""
    return drawn("lesson 5 short", lambda draw: round(900 * 60 ** draw.random())) if seed() else 60


@by_seed
def first_shake() -> int:
    """Give the seed of the first shaken run of exercise 5.5."""
    return drawn("lesson 5 shakes", lambda draw: draw.randrange(1, 10**6)) if seed() else 0


def by_hand(answer: Any) -> str:
    """Judge 5.1: slowdown and bounded slowdown of one job."""
    slowdown, bounded = map(number, parts(answer, "slowdown", "bounded"))
    its = example()
    truth = {of.__name__: float(of(**its)) for of in (metrics.slowdown, metrics.bounded_slowdown)}
    if slowdown == its["wait"] / its["run"]:
        raise NotYet("for the slowdown you divide the wait; the response time, wait and run time, is what counts.")
    if slowdown != truth["slowdown"]:
        raise NotYet(f"the slowdown is not {slowdown:g}: how many times its run time does the job take, wait and all?")
    if bounded == slowdown:
        raise NotYet("the slowdown is right. For the bounded one a run time below 10 s counts as 10 s.")
    if abs(bounded - truth["bounded_slowdown"]) > 1e-9:
        raise NotYet(f"the slowdown is right. The bounded one is not {bounded:g}: 10 s take the place of which number?")
    return f"what a job of {its['run']} s feels like after {its['wait']} s of waiting, you may judge yourself."


def who_dominates(answer: Any) -> str:
    """Judge 5.2: which share of each metric the short jobs make."""
    jobs = simulate(january(), EASY()).jobs
    few, shares = jobs.run < short(), []
    columns = {"bounded slowdown": jobs.bounded_slowdown, "response time": jobs.response}
    for (name, values), share in zip(columns.items(), map(number, parts(answer, "bounded", "response")), strict=True):
        truth = values[few].sum() / values.sum()
        if is_share(share, truth, f"{name}: "):
            shares.append(f"{truth:.0%}")
            continue
        if abs(share - values[few].mean() / values.mean()) <= 0.005:
            raise NotYet(f"{name}: that is a ratio of means. The share that is wanted is a ratio of sums.")
        raise NotYet(f"{name}: it is not {share:g}. Divide the sum over the short jobs by the sum over all jobs.")
    return f"{few.mean():.0%} of the jobs make {shares[0]} of the one metric, and {shares[1]} of the other."


def keeps_up(answer: Any) -> str:
    """Judge 5.3: the largest load at which FCFS keeps up."""
    load = number(answer)
    used = {offered: simulate(model().scale_load(offered), FCFS()).summary().utilization for offered in LOADS}
    truth = max(offered for offered in LOADS if used[offered] >= offered - 0.01)
    if load not in LOADS:
        most = max(used.values())
        about = " That is about as much as FCFS can ever use." if abs(load - most) <= 0.01 else ""
        raise NotYet(f"found {load:g}, expected one of the offered loads {', '.join(map(str, LOADS))}.{about}")
    if load > truth:
        raise NotYet(
            f"at an offered load of {load} FCFS uses {used[load]:.2f} of the machine: the queue grows for ever."
        )
    if load < truth:
        raise NotYet(f"at {load} FCFS keeps up, but there is a larger load at which it does, too.")
    return f"at {truth} it still uses {used[truth]:.2f}; beyond, the use stays at {max(used.values()):.2f}: saturation."


def long_enough(answer: Any) -> str:
    """Judge 5.4: the size of batches so long that their means are independent."""
    size = number(answer)
    values = responses()
    if size != int(size) or not 1 <= size <= len(values):
        raise NotYet(f"found {size:g}, expected a whole number of jobs, from 1 to {len(values):,}.")
    if size > len(values) // 11:
        batches = len(values) // int(size) - 1
        raise NotYet(f"{max(batches, 0)} batches are few to judge by, after the warm-up. Leave at least 10.")
    found = batch_means(values, batch=int(size), most=len(values))
    if found.lag1 > (limit := 2 / np.sqrt(found.batches)):
        raise NotYet(
            f"successive batches are still alike: lag1 is {found.lag1:.2f}, and with {found.batches} batches more "
            f"than {limit:.2f} is no coincidence. Take longer batches."
        )
    return (
        f"{found.mean:,.0f} +- {found.half_width:,.0f} s from {found.batches} batches with a lag-1 correlation of "
        f"{found.lag1:.2f}. Of 100,000 jobs that is all that is known."
    )


def pair_by_pair(answer: Any) -> str:
    """Judge 5.5: the differences of two policies over equal shaken runs."""
    if not isinstance(answer, (list, tuple, np.ndarray, pd.Series)):
        raise NotYet(
            f"found {shown(answer)}, expected one difference a run: subtract the column mean_bounded_slowdown of one "
            "from the other's."
        )
    given = np.array(list(map(number, answer)))
    if not 10 <= len(given) <= MOST:
        raise NotYet(f"found {len(given)} differences, expected one for each shaken run, of 10 runs to {MOST}.")
    first = first_shake()
    easy, conservative = (shaken(january(), policy, len(given), first) for policy in (EASY(), Conservative()))
    differences = conservative - easy
    wanted = differences.mean_bounded_slowdown
    if np.allclose(given, -wanted):
        raise NotYet("that is EASY minus conservative; the other way round is wanted.")
    if np.allclose(given, differences.mean_response) or np.allclose(given, differences.mean_wait):
        raise NotYet("these are differences of times; those of the mean bounded slowdown are wanted.")
    if not np.allclose(given, wanted):
        raise NotYet("these are not the differences of equal runs: in both, run k has to be shaken with the same seed.")
    low, high = wanted.quantile([0.025, 0.975])
    zero = "Zero is among them: one run proves nothing" if low <= 0 <= high else "Zero is not: that is not luck"
    better = f"in {(wanted < 0).sum()} of {len(wanted)} runs conservative has the lower one"
    return f"{better}, and 95 % of the differences lie from {low:.1f} to {high:.1f}. {zero}."


EXERCISES: dict[str, Judge] = {
    "5.1": by_hand,
    "5.2": who_dominates,
    "5.3": keeps_up,
    "5.4": long_enough,
    "5.5": pair_by_pair,
}
