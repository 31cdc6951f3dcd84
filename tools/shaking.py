"""Measure whether shaking is neutral: what changes beyond chance if submit times move singly, in order, or in bursts.

`SIMLIB_TRACES=... python tools/shaking.py` prints the numbers of docs/background/shaking.md after half an hour; with
names of logs, of these alone.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from scipy.stats import t as student

import simlib_study as study
from simlib import EASY, Conservative, Predictions, estimates, load, simulate
from simlib.analysis import accuracy
from simlib.policies.adjusting import Adjustment, Scheme

LOGS = "CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-BLUE", "HPC2N"
SECONDS, SHAKES = 60, 8
IN_ORDER = "each user's order kept"
WAYS = ["singly", IN_ORDER, *(f"bursts, {gap} s" for gap in (0, 30, 60, 120, 240, 600))]

CASES = {
    "users' estimates": (EASY(), None),
    "EASY+": (EASY(adjust=Predictions()), None),
    "EASY++": (EASY.plus_plus(), None),
    "same estimate": (EASY(adjust=Predictions("same estimate")), None),
    "historical": (EASY(), estimates.Historical()),
    "adjusted": (EASY(adjust=Adjustment(Scheme("user+estimate"))), None),
}


def moved(log, way, seed):
    """Move a log's submit times in one of the ways."""
    jobs, rng = log.jobs, np.random.default_rng(seed)
    user, submit = jobs.user.to_numpy(), jobs.submit.to_numpy()
    shift = rng.integers(-SECONDS, SECONDS, len(jobs), endpoint=True)
    by_user = np.lexsort((submit, user))
    if way.startswith("bursts"):
        first_of_user = (user[by_user] < 0) | (np.diff(user[by_user], prepend=-2) != 0)
        begins = first_of_user | (np.diff(submit[by_user], prepend=0) > int(way.split()[1]))
        shift[by_user] = shift[np.cumsum(begins) - 1]
    new = submit + shift
    if way == IN_ORDER:
        in_order = new[np.lexsort((new, user))]
        new[by_user] = np.where(user[by_user] < 0, new[by_user], in_order)
    return log.derive(jobs.assign(submit=new), way)


def measured(log, case):
    """Simulate a case; accuracy in points, mean wait and slowdown."""
    policy, model = case
    schedule = simulate(log.with_estimates(model) if model else log, policy)
    means = schedule.summary()
    return {
        "accuracy": 100 * accuracy(schedule).mean(),
        "wait": means.mean_wait,
        "slowdown": means.mean_bounded_slowdown,
    }


def predicted(name, pool):
    """What each way changes on a log: the mean over the shakes against the log as it is, and the standard deviation."""
    log, rows = load(name), {}
    for case, setting in CASES.items():
        as_it_is = pd.Series(measured(log, setting))
        for way in WAYS:
            runs = pool.map(
                lambda seed, way=way, setting=setting: measured(moved(log, way, seed), setting), range(SHAKES)
            )
            change = pd.DataFrame(runs) - as_it_is
            change[["wait", "slowdown"]] *= 100 / as_it_is[["wait", "slowdown"]]  # per cent
            rows[name, case, way] = pd.concat({"change": change.mean(), "sd": change.std()})
    return pd.DataFrame(rows).T


def table_1(pool, runs=24):
    """Of the months of Table 1: the bands' width relative to singly, and how many hold the log as it is."""
    logs, rows = study.logs("mualem2001", ["CTC", "KTH", "SDSC"]), {}
    reach = student.ppf(0.975, runs - 1) * np.sqrt(1 + 1 / runs)
    for name, policy in ((name, policy) for name in logs for policy in (EASY(), Conservative())):

        def monthly(workload, policy=policy):
            months = logs.monthly(simulate(workload, policy)).xs("settled", level="calendar").drop("whole")
            return months[["response_s", "bounded_slowdown"]].stack()

        as_it_is, singly = monthly(logs[name]), None
        for way in ("singly", IN_ORDER, f"bursts, {2 * SECONDS} s"):
            found = pd.DataFrame(
                pool.map(
                    lambda seed, of=logs[name], way=way, monthly=monthly: monthly(moved(of, way, seed)), range(runs)
                )
            )
            mean, sd = found.mean(), found.std()
            singly = sd if singly is None else singly
            off = (as_it_is - mean) / sd
            rows[name, type(policy).__name__, way] = {
                "width": (sd / singly).median(),
                "as logged, mean in sd": off.mean(),
                "as logged, inside": (off.abs() <= reach).mean(),
            }
    return pd.DataFrame(rows).T


if __name__ == "__main__":
    with ThreadPoolExecutor(2) as pool:
        for name in sys.argv[1:] or LOGS:
            print(predicted(name, pool).round(3).to_string(), flush=True)
        print(table_1(pool).round(2).to_string())
