"""Measure how often the intervals of `simlib.compare` hold what they are called, on made-up logs of known truth.

`python tools/interval_coverage.py` prints the numbers of docs/background/intervals.md after an hour or two; with a
share such as 0.1 it makes that share of the logs.
"""

import sys
from itertools import product

import numpy as np
import pandas as pd

from simlib import EASY, Conservative, Workload, compare, simulate

LOGS, FEWEST = 40, 20
"""So many logs for each load and length; a share of fewer users' logs says too little."""

WEEKS = 12, 40
WEEK = 7 * 86400
JOBS, PROCS = 300, 64
"""Jobs a week on the mean, processors."""

SIZES, SHARES = 2 ** np.arange(7), [0.25, 0.12, 0.13, 0.15, 0.15, 0.12, 0.08]
MEASURES = ["wait", "response", "bounded_slowdown"]
LUCK = "luck alone"
CASES = {"EASY": EASY(), "shortest first": EASY(order="sjf"), "conservative": Conservative()}


def held(low, high, values):
    """Which share of values lies within."""
    return float(((low <= values) & (values <= high)).mean())


def span(shares):
    """Write the range of shares, and the one in the middle."""
    return f"{shares.min():.0%} to {shares.max():.0%} (mostly {shares.median():.0%})"


def logs(make, load, weeks, place, count):
    """Make so many logs of a load and length; each has its own seed."""
    return [make(np.random.default_rng([1, 1000 * place + number]), load, weeks) for number in range(count)]


# Coincidence and another year

LOADS = 0.60, 0.75, 0.84, 0.97
SHAKES, FURTHER = 5, 5
"""Shaken runs of a comparison, as in README, and those after it that the intervals should hold."""


def made_up(rng, load, weeks):
    """Independent weeks, heavy-tailed in how many jobs they bring and how long these run; queues outlast them."""
    week = np.repeat(np.arange(weeks), rng.poisson(JOBS * rng.lognormal(-0.02, 0.2, weeks)))
    submit = np.sort(week * WEEK + rng.integers(0, WEEK, len(week)))
    mean = load * WEEK * PROCS / (JOBS * SIZES @ SHARES) * rng.lognormal(-0.02, 0.2, weeks)
    kind = rng.choice([0.15, 1, 5], len(week), p=[0.6, 0.3, 0.1]) / 0.89
    run = np.maximum(rng.exponential(mean[week] * kind), 1).astype(int)
    estimate = (run * rng.choice([1, 1.5, 2, 4, 10], len(week))).astype(int) + 60
    jobs = {"submit": submit, "run": run, "estimate": estimate, "procs": rng.choice(SIZES, len(week), p=SHARES)}
    return Workload(pd.DataFrame(jobs), PROCS, f"made up, load {load:g}")


def further(workload):
    """Changes against EASY in runs that a comparison has not seen: by run, case and measure."""
    cases = [(policy, workload) for policy in CASES.values()] + [(EASY(), workload.shake(60, 999))]
    runs = np.array(
        [
            [simulate(of.shake(60, seed), policy).jobs[MEASURES].mean() for policy, of in cases]
            for seed in range(SHAKES, SHAKES + FURTHER)
        ]
    )
    return runs[:, 1:] / runs[:, :1] - 1


def two_intervals(share):
    """Coincidence and another year, at several loads and lengths of logs, for two policies and luck alone."""
    rows, cases = [], CASES | {LUCK: (EASY(), lambda workload: workload.shake(60, 999))}
    for place, (load, weeks) in enumerate(product(LOADS, WEEKS)):
        made = logs(made_up, load, weeks, place, max(3, round(LOGS * share)))
        found = [compare(log, cases, shakes=SHAKES, by=["all"]).relative for log in made]
        runs = [further(log) for log in made]
        for (case, name), (measure, of) in product(enumerate(list(cases)[1:]), enumerate(MEASURES)):
            ends = [table.loc[name, "all", "all", of, "mean"] for table in found]
            of_log = [each[:, case, measure] for each in runs]
            others = [np.concatenate(of_log[:number] + of_log[number + 1 :]) for number in range(len(made))]
            shares = [
                (
                    held(row.coincidence_low, row.coincidence_high, own),
                    held(row.another_year_low, row.another_year_high, other),
                    row.coincidence_low > 0 or row.coincidence_high < 0,
                )
                for row, own, other in zip(ends, of_log, others, strict=True)
            ]
            rows.append((name, *np.mean(shares, axis=0)))
    table = pd.DataFrame(rows, columns=["case", "run", "log", "more"])
    luck = table.case == LUCK
    return (
        f"Coincidence held {span(table.run)} of further runs, another year {span(table.log[~luck])} of other logs, "
        f"{span(table.log[luck])} where luck alone differs; {table.more[luck].mean():.0%} of luck was called more."
    )


# Other users

USERS_LOADS = 0.60, 0.75, 0.85
USERS, STAY = 100, 6
"""How many users there are at a time, and weeks that a temporary user stays."""

MEAN_SIZE = np.mean([SIZES[np.clip(np.arange(len(SIZES)) + step, 0, len(SIZES) - 1)] @ SHARES for step in (-1, 0, 1)])
USERS_SHAKES, DRAWS, ONCE_MORE = 4, 10, 99
"""Shaken runs and draws of a comparison, and the seed of one more run of a log, which others' intervals should hold."""


def differ(rng, sigma, users):
    """By which factors users differ, one on the mean."""
    return rng.lognormal(-(sigma**2) / 2, sigma, users)


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


def other_users(share):
    """Other users, and another year beside it, at several loads and lengths of logs, for two policies."""
    rows = []
    for place, (load, weeks) in enumerate(product(USERS_LOADS, WEEKS)):
        made = logs(of_users, load, weeks, place, max(FEWEST, round(LOGS * share)))
        found = [compare(log, CASES, shakes=USERS_SHAKES, by=["all"], users=DRAWS).relative for log in made]
        once = np.array([changes(log.shake(60, ONCE_MORE)) for log in made])
        for (case, name), (measure, of) in product(enumerate(list(CASES)[1:]), enumerate(MEASURES)):
            ends = [table.loc[name, "all", "all", of, "mean"] for table in found]
            others = [np.delete(once[:, case, measure], log) for log in range(len(made))]
            shares = [
                [held(row[f"{kind}_low"], row[f"{kind}_high"], values) for kind in ("other_users", "another_year")]
                for row, values in zip(ends, others, strict=True)
            ]
            rows.append(np.mean(shares, axis=0))
    table = pd.DataFrame(rows, columns=["users", "year"])
    return (
        f"Other users held {span(table.users)} of logs of other users; another year, of the same, {span(table.year)}."
    )


if __name__ == "__main__":
    part = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    print(two_intervals(part), other_users(part), sep="\n")
