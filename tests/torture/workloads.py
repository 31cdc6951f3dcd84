"""Random workloads under every policy: held against the slow reference, against what must hold, against themselves."""

import math
from itertools import product

import numpy as np
import pandas as pd

from simlib import EASY, FCFS, Conservative, Multifactor, Predictions, Selective, Workload, simulate
from simlib.explain import reference
from simlib.logs.swf import FIELDS
from simlib.policies.easy import MOST_AHEAD
from simlib.policies.walltime import Adjustment, Scheme

from .attack import smallest, try_random

OVERRUN = "extend", "kill"
PLAIN = ["submit", "run", "estimate", "procs"]


def wide_and_waiting(wait, estimate, procs):
    return wait * procs - 3 * estimate


def last_come(wait, estimate, procs):
    return -wait


def by_owner(user, group, wait, free):
    return 10 * user - group + wait - free


def close_to_the_shadow(estimate, window, extra, procs, now):
    return min(estimate, window) - abs(extra - procs) + now % 3


ORDERS = ["fcfs", "sjf", "wfp", wide_and_waiting, last_come]
BACKFILL = ["arrival", "sjf", "best-fit", "largest", "smallest area", close_to_the_shadow]
FEW = 8  # jobs at most where the reference tries all sets of them

POLICIES = [
    FCFS(),
    *(EASY(reuse, order) for reuse, order in product([False, True], ORDERS)),
    *(Conservative(compress) for compress in ("arrival", "start", "none", "rebackfill")),
    *(EASY(order=order, backfill=backfill) for order, backfill in product(["fcfs", "wfp"], BACKFILL)),
    *(EASY(reservations=most, order=order) for most, order in product([2, 5, math.inf], ["fcfs", "sjf", last_come])),
    *(Selective(threshold, order) for threshold, order in product([1.5, 4, "adaptive"], ["fcfs", "wfp"])),
    *(of(order=order) for of, order in product([FCFS, Conservative], ["sjf", "wfp", by_owner])),
    *(of(order=Multifactor(1, 1, 1, 0.01)) for of in (FCFS, EASY, Conservative)),
    EASY(reuse_extra=True, order=Multifactor(account="group"), backfill="sjf"),
    EASY.plus_plus(),
    EASY(order="wfp", adjust=Predictions(running=False), backfill="best-fit"),
    *(EASY(order=order, backfill="lookahead") for order in ("fcfs", "sjf", "wfp")),
    EASY(adjust=Predictions(), backfill="lookahead"),
]


def workload(rows, machine, follows=None, owners=None):
    """Jobs 1, 2, ... of (submit, run, estimate, procs); `follows[job] = preceding, think`; `owners`: user, group."""
    numbers = pd.RangeIndex(1, len(rows) + 1, name="job")
    jobs = pd.DataFrame(np.array(rows, dtype=np.int64).reshape(-1, 4), numbers, PLAIN)
    if owners is not None:
        jobs[["user", "group"]] = owners
    log = pd.DataFrame(-1, numbers, FIELDS).assign(job=numbers, submit=jobs.submit, run=jobs.run, procs=jobs.procs)
    for job, link in (follows or {}).items():
        log.loc[job, ["preceding", "think"]] = link
    return Workload(jobs, machine, log=log)


# Against the reference


def small_case(rng):
    """Few jobs on a small machine, with many ties, jobs of no length, full-machine jobs, overruns, huge estimates.

    Returns
    -------
    rows : list
        Each with the job, what it follows, and its owners: (submit, run, estimate, procs), link or None, (user, group).
    machine : int
    """
    long = rng.random() < 0.2  # queues for which the engine keeps an index
    n = int(rng.integers(20, 45) if long else rng.integers(1, 13))
    machine = int(rng.integers(1, 9))
    times = 600 if rng.random() < 0.3 else 1
    submit = np.cumsum(rng.choice([0, 0, 0, 1, 2] if long else [0, 0, 0, 1, 2, 5, 9], n))
    run = rng.choice([0, 1, 2, 3, 5, 8, 13], n)
    estimate = np.maximum(run + rng.choice([-4, -1, 0, 0, 0, 1, 2, 5, 10, 1000], n), rng.choice([0, 0, -1]))
    size = np.where(rng.random(n) < 0.2, machine, rng.integers(1, machine + 1, n))
    if rng.random() < 0.1:  # absurd machines
        factor = int(rng.choice([10**3, 10**6, 10**9, 2**40]))
        size, machine = size * factor, machine * factor + int(rng.integers(factor))
    begin = int(rng.choice([0, 0, 0, -7, -(10**6), -(2**52), 2**52, 10**9]))
    owners = rng.choice([1, 1, 1, 2, 2, -1], (n, 2))
    owners[0] = 1
    follow = rng.random() < 0.3
    rows = []
    for k in range(n):
        link = (int(rng.integers(1, k + 1)), times * int(rng.choice([0, 0, 0, 1, 2, 20]))) if k and follow else None
        link = link if link and rng.random() < 0.7 else None
        job = (begin + times * int(submit[k]), times * int(run[k]), times * int(estimate[k]), int(size[k]))
        rows.append((job, link, tuple(map(int, owners[k]))))
    return rows, machine


def made(rows, machine):
    """The workload of a small case, and whether it has feedback; what is followed is a job by its place."""
    links = {k: link for k, (_, link, _) in enumerate(rows, start=1) if link and link[0] < k}
    return workload([job for job, _, _ in rows], machine, links, [owner for _, _, owner in rows]), bool(links)


def some_policy(rng, jobs=0):
    """One of the policies, every fifth time with adjusted estimates; not lookahead for more jobs than `FEW`."""
    if rng.random() > 0.2:
        policy = POLICIES[rng.integers(len(POLICIES))]
        return POLICIES[0] if jobs > FEW and looks_ahead(policy) else policy
    scheme = Scheme(
        key=str(rng.choice(["user", "project", "user+project", "user+project+estimate"])),
        window=[None, "1 hour", "1 day"][rng.integers(3)],
        percentile=float(rng.choice([0, 25, 50, 70, 85, 100])),
        threshold=[None, 0.25, 0.5][rng.integers(3)],
        least=int(rng.integers(1, 4)),
    )
    switches = dict(zip(("queue", "backfill", "running"), map(bool, rng.integers(2, size=3)), strict=True))
    adjustment = Adjustment(scheme, **switches, overdue=int(rng.choice([0, 300, 3000])))
    backfill = [None, "sjf", "lookahead" if jobs <= FEW else "largest"][rng.integers(3)]
    reuse = bool(rng.integers(2)) and backfill != "lookahead"
    return EASY(reuse, str(rng.choice(["fcfs", "sjf", "wfp"])), adjustment, backfill)


def looks_ahead(policy):
    """Whether it is lookahead, of which the reference tries all sets of jobs."""
    return getattr(policy, "backfill", None) == "lookahead"


def parts(rows, machine, policy, overrun, simulate=simulate):
    """Where the engine and the reference part; None where they agree."""
    w, feedback = made(rows, machine)
    try:
        right = reference.simulate(w, policy, overrun, feedback)
    except ValueError:  # no log of which the owners are known: `simulate` refuses it too
        right = None
    try:
        found = simulate(w, policy, overrun, feedback)
    except ValueError as error:
        allowed = right is None or "owner" in str(error) or "user" in str(error)
        return None if allowed or (looks_ahead(policy) and machine > MOST_AHEAD) else f"refused: {error}"
    if right is None:
        return "not refused, as by the reference"
    for name in ("submit", "start", "end", "backfilled", "guarantee", "adjusted"):
        if name in right.jobs and found.jobs[name].tolist() != right.jobs[name].tolist():
            if _close_call(w, policy, overrun, feedback):
                return None
            return f"{name}: found {found.jobs[name].tolist()}, the reference has {right.jobs[name].tolist()}"
    return None


def _close_call(w, policy, overrun, feedback):
    """Whether rounding an adjusted estimate hung on the last digits of a product, so that both are right."""
    if getattr(policy, "adjust", None) is None:
        return False
    engine, slow = (run(w, policy, overrun, feedback).jobs.adjusted for run in (simulate, reference.simulate))
    apart = (engine - slow).abs()
    return bool(apart.max() == 1 and (slow[apart == 1] % 1 == 0).all())


def against_the_reference(plan, simulate=simulate):
    """Every policy, job by job."""
    shown = set()  # of each policy the smallest case is looked for once

    def attempt(rng):
        rows, machine = small_case(rng)
        policy, overrun = some_policy(rng, len(rows)), OVERRUN[rng.integers(2)]
        if not (found := parts(rows, machine, policy, overrun, simulate)) or str(policy) in shown:
            return found and (found, str(policy))
        shown.add(str(policy))
        rows = smallest(rows, lambda fewer: parts(fewer, machine, policy, overrun, simulate))
        found = parts(rows, machine, policy, overrun, simulate)
        return f"{policy}, overrun={overrun!r}, {machine} processors, jobs {rows}: {found}", str(policy)

    what = (
        "small random workloads under every policy, order, compression, overrun rule, with feedback and adjusted "
        "estimates, before second 0 and on absurd machines: job by job as simlib.explain.reference"
    )
    return try_random(what, plan, 40_000, attempt)


# What must hold


def large_case(rng):
    """A busy machine, hundreds of jobs."""
    n, machine = int(rng.integers(100, 1500)), int(rng.choice([16, 64, 100, 1000]))
    run = np.where(rng.random(n) < 0.1, 0, rng.geometric(1 / 100, n))
    size = np.minimum(rng.geometric(4 / machine, n), machine)
    estimate = (run * rng.choice([0.5, 1, 1.5, 4, 50], n)).astype(int)
    busy = rng.choice([0.3, 1, 1, 2])
    submit = np.cumsum(rng.integers(0, int(busy * 2 * run.mean() * size.mean() / machine) + 2, n))
    owners = rng.integers(1, 6, (n, 2))
    return workload(np.column_stack([submit, run, estimate, size]), machine, None, owners)


def broken_rule(schedule):
    """What must hold of every schedule, and of this policy's, and does not; None where all does."""
    jobs, policy, machine = schedule.jobs, schedule.policy, schedule.workload.procs
    start, end, size = (jobs[name].to_numpy() for name in ("start", "end", "procs"))
    if (start < jobs.submit).any():
        return f"job {jobs.index[start < jobs.submit][0]} starts before it is submitted"
    if ((end - start) != jobs.run).any() or (jobs.wait != start - jobs.submit).any():
        return "times do not add up"
    most = most_in_use(start, end, size)
    if most > machine:
        return f"{most} processors in use of {machine}"
    if policy == FCFS() and (np.diff(start) < 0).any():
        return "FCFS starts a job before an earlier one"
    if isinstance(policy, Conservative) and policy.compress != "rebackfill" and (jobs.start > jobs.guarantee).any():
        return f"job {jobs.index[jobs.start > jobs.guarantee][0]} starts after its guarantee"
    if policy == EASY() and ((schedule.shadow >= 0) & (start > schedule.shadow)).any():
        return "a head starts after its shadow time"
    return None


def most_in_use(start, end, size):
    """The most processors in use at once, counted second by second where something begins or ends."""
    times = np.unique(np.concatenate([start, end]))
    change = np.zeros(len(times))
    np.add.at(change, np.searchsorted(times, start), size)
    np.subtract.at(change, np.searchsorted(times, end), size)
    return int(change.cumsum().max(initial=0))


def what_must_hold(plan, simulate=simulate):
    """Capacity, order, guarantees, on workloads of hundreds of jobs."""

    def attempt(rng):
        w, policy, overrun = large_case(rng), some_policy(rng), OVERRUN[rng.integers(2)]
        found = broken_rule(simulate(w, policy, overrun))
        return found and (f"{policy}, overrun={overrun!r}, {w!r}: {found}", found)

    what = (
        "random workloads of up to 1,500 jobs: no processor twice, no job too early, guarantees and shadow times kept"
    )
    return try_random(what, plan, 5000, attempt)


# Against themselves


def later(w, rng):
    by = int(rng.choice([-(10**9), 12345, 2**40]))
    return w.derive(w.jobs.assign(submit=w.jobs.submit + by), "later"), lambda start: start + by


def wider(w, rng):
    by = int(rng.choice([2, 7, 10**6, 10**9]))
    jobs = w.jobs.assign(procs=w.jobs.procs * by)
    return Workload(jobs, w.procs * by + int(rng.integers(by)), log=w.log), lambda start: start


def slower(w, rng):
    by = int(rng.choice([2, 3, 1000]))
    times = {name: w.jobs[name] * by for name in ("submit", "run", "estimate")}
    return w.derive(w.jobs.assign(**times), "slower"), lambda start: start * by


def renamed(w, rng):
    names = rng.permutation(1000)
    owners = {name: names[w.jobs[name]] + 1 for name in ("user", "group")}
    return w.derive(w.jobs.assign(**owners), "renamed"), lambda start: start


def cut(w, rng):
    """Jobs that come later change nothing before."""
    return w.select(np.arange(len(w)) < rng.integers(1, len(w))), None


CHANGES = {
    later: "the clock moved",
    wider: "all sizes and the machine times a factor",
    slower: "all times times a factor",
    renamed: "users renamed",
    cut: "the last jobs left out",
}


EXACT = {None, "fcfs", "arrival", "sjf", last_come}
"""Orders that are the same of sizes or times that are multiplied."""


def adjusts(policy):
    """Whether estimates are adjusted or predicted."""
    return getattr(policy, "adjust", None) is not None


def against_themselves(plan, simulate=simulate):
    """Changes that must not change a schedule, or change it in a known way."""

    def attempt(rng):
        w, policy, overrun = large_case(rng), some_policy(rng), OVERRUN[rng.integers(2)]
        change = list(CHANGES)[rng.integers(len(CHANGES))]
        orders = {getattr(policy, name, None) for name in ("order", "backfill")}
        if change is wider and not orders <= EXACT | {"largest"}:
            policy = EASY()  # sums of floats are others, or what is free is, or there is no table so large
        if change is slower and (not orders <= EXACT | {"lookahead"} or type(policy) is Selective or adjusts(policy)):
            policy = EASY()  # what is at least a second, ten or five minutes is that still
        if change is renamed and by_owner in orders:
            policy = EASY()
        if change is wider and w.procs * 10**9 > 2**52:
            return None
        changed, expected = change(w, rng)
        before, after = (simulate(one, policy, overrun).jobs.start for one in (w, changed))
        if expected is None:
            end = w.jobs.submit.iloc[len(changed)]
            before = before.iloc[: len(changed)]
            same = (before == after) | ((before >= end) & (after >= end))
        else:
            same = expected(before) == after
        if not same.all():
            return f"{policy}, overrun={overrun!r}, {w!r}: other starts with {CHANGES[change]}", CHANGES[change]

    what = (
        "the same with the clock moved, sizes and machine or all times multiplied, users renamed, the last jobs cut off"
    )
    return try_random(what, plan, 4000, attempt)
