"""What several test modules build, compare and read; what needs setting up and taking down is in `conftest.py`."""

import functools
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from simlib import (
    EASY,
    FCFS,
    Conservative,
    Multifactor,
    Predictions,
    Selective,
    SlurmBackfill,
    Thresholded,
    Workload,
    load,
    simulate,
)
from simlib.explain import first_difference
from simlib.logs.swf import FIELDS, jobs_of
from simlib.models.sample import sample
from simlib.plain import loop
from simlib.policies import in_plain

ROOT = Path(__file__).parent.parent


PACKAGES = "simlib", "simlib_study", "simlib_report", "simlib_course"

API = [
    f"{package}.{name}"
    for package, names in re.findall(
        r"currentmodule:: (\w+)\n(.*?)(?=\n\.\. currentmodule|\Z)",
        (ROOT / "docs" / "reference" / "api.md").read_text("utf-8"),
        re.S,
    )
    for name in re.findall(r"^ {3}([a-z_.A-Z0-9]+)$", names, flags=re.M)
]
"""What is public; all else is private."""


def listing(folder):
    """The names of what lies in a folder, sorted; none where there is no folder."""
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


# Workloads


def table(rows, machine, **options):
    """A Workload of (submit, run, estimate, procs) rows."""
    return Workload(
        pd.DataFrame(rows, columns=["submit", "run", "estimate", "procs"], dtype="int64"), machine, **options
    )


def numbered(rows, machine, follows=None, **options):
    """Jobs 1, 2, ... of (submit, run, estimate, procs) and perhaps user and group, with the lines of their log.

    There `follows[job] = preceding job, think time`.
    """
    columns = ["submit", "run", "estimate", "procs", "user", "group"][: len(rows[0])]
    jobs = pd.DataFrame(rows, columns=columns, dtype="int64")
    jobs.index = pd.RangeIndex(1, len(jobs) + 1, name="job")
    log = pd.DataFrame(-1, index=jobs.index, columns=FIELDS)
    log = log.assign(job=jobs.index, requested_time=jobs.estimate, **jobs.drop(columns="estimate"))
    if follows:
        log.loc[list(follows), ["preceding", "think"]] = list(follows.values())
    return Workload(jobs, machine, log=log, **options)


def random_workload(seed, jobs=400, machine=64, exact=False, overrun=True, shortest=0):
    """A busy machine: a load near one, sizes and lengths of all kinds."""
    rng = np.random.default_rng(seed)
    run = np.maximum(np.where(rng.random(jobs) < 0.1, 0, rng.geometric(1 / 100, jobs)), shortest)
    size = np.minimum(rng.geometric(4 / machine, jobs), machine)
    factor = rng.choice([1, 1.5, 4, 50, 0.5 if overrun else 2], jobs)
    estimate = run if exact else (run * factor).astype(int)
    submit = np.cumsum(rng.integers(0, int(2 * run.mean() * size.mean() / machine) + 1, jobs))
    return table(np.column_stack([submit, run, estimate, size]), machine)


def busy_users(seed, jobs=60, machine=16):
    """A busy machine of three users, whose jobs run for hours."""
    made = random_workload(seed, jobs=jobs, machine=machine).jobs
    rng = np.random.default_rng(seed)
    rows = made[["submit", "run", "estimate"]].to_numpy() * 60
    return numbered(np.column_stack([rows, made.procs, rng.integers(1, 4, (jobs, 2))]), machine)


@st.composite
def small_workloads(draw):
    """Few jobs on a small machine, where ties, jobs of no length and full-machine jobs are frequent."""
    machine = draw(st.integers(1, 8))
    gap = st.sampled_from([0, 0, 0, 1, 2, 5, 9])
    run = st.sampled_from([0, 1, 2, 3, 5, 8, 13, 40])
    error = st.sampled_from([-4, -1, 0, 0, 0, 1, 2, 5, 10, 30, 1000])  # overruns, exact, loose and huge estimates
    size = st.one_of(st.integers(1, machine), st.just(machine))
    drawn = draw(st.lists(st.tuples(gap, run, error, size), min_size=1, max_size=12))
    submit = np.cumsum([gap for gap, *_ in drawn])
    return machine, [(int(s), r, max(r + e, 0), p) for s, (_, r, e, p) in zip(submit, drawn, strict=True)]


@st.composite
def crowded(draw, chains=False):
    """As `small_workloads`, of a few users; with chains most jobs follow an earlier one, several perhaps the same."""
    machine, rows = draw(small_workloads())
    who = st.integers(-1, 2)
    rows = [(*row, draw(who), draw(who)) for row in rows]
    rows[0] = (*rows[0][:4], 0, 0)  # somebody is known
    follows = {}
    for job in range(2, len(rows) + 1) if chains else ():
        if draw(st.integers(0, 3)):
            follows[job] = draw(st.integers(1, job - 1)), draw(st.sampled_from([-1, 0, 0, 0, 1, 2, 5, 20]))
    if chains and not follows:
        follows = {2: (1, -1)} if len(rows) > 1 else {1: (7, 0)}
    return numbered(rows, machine, follows)


seeds = given(seed=st.integers(0, 2**32))


@functools.cache
def first_days(days):
    """What the sample has of its first days."""
    w = sample()
    return w.select((w.jobs.submit < days * 86400).to_numpy())


def with_gpus(w, seed):
    """The same jobs on a machine with one to six GPUs, of which half of the jobs need some."""
    rng = np.random.default_rng(seed)
    machine = int(rng.integers(1, 7))
    gpus = np.where(rng.random(len(w)) < 0.5, 0, rng.integers(0, machine + 1, len(w)))
    gpus[0] = 1
    return Workload(w.jobs.assign(gpus=gpus), w.procs, gpus=machine, log=w.log)


def past(end):
    """An earlier job that ended then, as adjusted estimates know it."""
    return pd.DataFrame({"user": [1], "group": [1], "run": [60], "estimate": [90], "end": [end]})


def random_jobs(jobs=2000, seed=1, procs=16):
    """A queue of parallel jobs with exact estimates, as the models give them."""
    rng = np.random.default_rng(seed)
    submit = np.cumsum(rng.exponential(100, jobs)).astype(int)
    run, size = 1 + rng.exponential(500, jobs).astype(int), 2 ** rng.integers(0, 5, jobs)
    return Workload(pd.DataFrame({"submit": submit, "run": run, "procs": size}), procs)


def unhurried(runs):
    """Jobs that never wait, one a second, on a machine as large as all together; response times are run times."""
    jobs = pd.DataFrame({"submit": np.arange(len(runs)), "run": runs, "procs": 1})
    return Workload(jobs, len(runs))


def thinned(keep, *header, start=None):
    """The sample without some jobs, with a header that says so."""
    log = load("sample").log
    log = log[keep(log)]
    return Workload(jobs_of(log), 128, "thinned", header=header, log=log, start=start)


BURST = "user=7 and (job>=3001 and job<=3100) (100 jobs removed)"
"""A line of a header that says that user 7's burst in the middle of August was taken out."""


# Policies


def starts(rows, machine, policy, **options):
    """The start times of (submit, run, estimate, procs) rows."""
    return simulate(table(rows, machine), policy, **options).jobs.start.tolist()


def plainly(workload, policy, overrun="extend", feedback=False, listen=None, plain=None):
    """The jobs of a workload after a run of the plain policy of a setting."""
    jobs = workload.jobs
    run = np.minimum(jobs.run, jobs.estimate) if overrun == "kill" else jobs.run
    times = jobs.submit, run, np.maximum(jobs.estimate, run)
    gpus = (jobs.gpus, workload.gpus) if workload.needs_gpus else (None, None)
    made = in_plain.jobs_of(jobs, *times, jobs.procs, gpus[0])
    coming, follows = in_plain.followers(made, workload.followed() if feedback else None)
    machine = in_plain.machine_of(policy, jobs, workload.procs, gpus[1])
    told = None if listen is None else functools.partial(listen, machine=machine)
    loop.simulate(coming, machine, plain or policy.plain(), told, follows=follows)
    return made


def differing(one, other):
    """The columns in which two schedules of the same jobs differ."""
    return [name for name in ("submit", "start", "backfilled") if not one.jobs[name].equals(other.jobs[name])]


def longest_waiting_first_of_small(wait, estimate, procs):
    return wait - 3 * procs


POLICIES = {
    "FCFS": FCFS(),
    "EASY": EASY(),
    "EASY reusing extra": EASY(reuse_extra=True),
    "EASY, sjf": EASY(order="sjf"),
    "EASY, wfp": EASY(order="wfp"),
    "EASY, own order, reusing extra": EASY(reuse_extra=True, order=longest_waiting_first_of_small),
    "Conservative": Conservative(),
    "Conservative by start": Conservative("start"),
    "Conservative uncompressed": Conservative("none"),
    "Conservative rebackfilled": Conservative("rebackfill"),
}
"""The policies of MF section 2, with their options."""

every_policy = pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))


def young_users_first(user, wait, procs):
    return user * 100 + wait - procs


def cosy(procs, estimate, window, extra, free, usage, machine, now, group, queue):
    return procs * min(estimate, window) - extra + usage + free / machine + now % 7 + group - queue


def widest_of_its_group(group, procs):
    return 100 * group + procs


BEYOND = {
    "FCFS, shortest first": FCFS(order="sjf"),
    "FCFS, fair": FCFS(order=Multifactor()),
    "EASY, shortest first, best fit": EASY(order="sjf", backfill="best-fit"),
    "EASY, widest of each group first": EASY(order=widest_of_its_group),
    "EASY, backfilling by arrival": EASY(order="wfp", backfill="arrival"),
    **{f"EASY, {order}": EASY(order=order) for order in ("unicef", "expansion factor", "f1", "f2", "f3", "f4")},
    "EASY, smallest area first": EASY(order="smallest area", backfill="expansion factor"),
    "EASY, smallest area first but for the starved": EASY(order=Thresholded("smallest area", 20)),
    "FCFS, by F4 but for the starved": FCFS(order=Thresholded("f4", 60)),
    "EASY-SJBF": EASY(backfill="sjf"),
    "EASY, best fit": EASY(backfill="best-fit"),
    "EASY, largest": EASY(backfill="largest"),
    "EASY, largest, by WFP": EASY(order="wfp", backfill="largest"),
    "EASY, smallest area, reusing extra": EASY(reuse_extra=True, backfill="smallest area"),
    "EASY, both orders one's own": EASY(order=young_users_first, backfill=cosy),
    "EASY, lookahead": EASY(backfill="lookahead"),
    "EASY, lookahead, shortest first": EASY(order="sjf", backfill="lookahead"),
    "EASY++": EASY.plus_plus(),
    "EASY, predictions, lookahead": EASY(adjust=Predictions(), backfill="lookahead"),
    "EASY, predictions for running jobs": EASY(order="sjf", adjust=Predictions(queue=False, backfill=False)),
    "EASY, predictions but for running jobs": EASY(order="wfp", adjust=Predictions(running=False)),
    "EASY+ by jobs of the same estimate": EASY(adjust=Predictions("same estimate")),
    "EASY+ without correction": EASY(adjust=Predictions(correct=False)),
    "EASY-PCOR": EASY(adjust=Predictions("estimate")),
    "EASY-PCOR, reusing extra": EASY(reuse_extra=True, adjust=Predictions("estimate")),
    "PERFECT++": EASY(adjust=Predictions("exact"), backfill="sjf"),
    "two reservations": EASY(reservations=2),
    "three reservations, shortest first": EASY(reservations=3, order="sjf"),
    "all reservations, one's own order": EASY(reservations=math.inf, order=young_users_first),
    "selective": Selective(2),
    "selective, adaptive": Selective("adaptive"),
    "selective, by WFP": Selective(3, order="wfp"),
    "conservative, shortest first": Conservative(order="sjf"),
    "conservative, fair": Conservative(order=Multifactor(half_life_days=0.01)),
    "fair share of groups": EASY(order=Multifactor(1, 2, 3, 0.01, 0.01, "group")),
}
"""The policies between and beyond EASY and conservative backfilling."""

SLURM = {
    "Slurm": SlurmBackfill(),
    "Slurm to a depth of two, short cycles": SlurmBackfill(depth=2, interval=3, resolution=5),
    "Slurm with a short window, shortest first": SlurmBackfill("sjf", window=20, interval=1, resolution=3),
    "Slurm by fair share": SlurmBackfill(Multifactor(half_life_days=0.01), depth=3, interval=10),
    "Slurm by priorities of whole numbers": SlurmBackfill(
        Multifactor(900, -50, 40, 0.01, 0.01, per_minute=True, whole=True), interval=5
    ),
    "Slurm with one reservation": SlurmBackfill(reservations=1, interval=2, resolution=4),
    "Slurm with two jobs of a user": SlurmBackfill("sjf", depth=3, interval=5, per_user=2, user_jobs=2),
    "Slurm with limits of users": SlurmBackfill(interval=1, resolution=2, reservations=2, per_user=1, user_jobs=1),
}
"""Slurm's cycles."""

RARE = {
    "FCFS, fair",
    "FCFS, by F4 but for the starved",
    "EASY, shortest first, best fit",
    "EASY, both orders one's own",
    "EASY, predictions, lookahead",
    "Slurm with a short window, shortest first",
    "Slurm with two jobs of a user",
}
"""Policies each of which needs a kernel of its own that no command compiles; their rules are those of others."""


ONCE = "Conservative", "two reservations", "Slurm"
RARE_WITH_FOLLOWERS = RARE | {
    name
    for name, policy in (POLICIES | BEYOND | SLURM).items()
    if isinstance(policy, Conservative | Selective | SlurmBackfill) or getattr(policy, "reservations", 1) != 1
}.difference(ONCE)
"""Of those that plan ahead one of a kind is tried each time: with followers, too, each needs a kernel of its own."""

IN_WORDS = ["FCFS", "EASY", "EASY, wfp", "EASY-SJBF", "EASY, lookahead", "EASY++", "EASY-PCOR", "fair share of groups"]
IN_WORDS += ["Conservative", "Conservative by start", "Conservative rebackfilled", "conservative, fair"]
IN_WORDS += ["two reservations", "three reservations, shortest first", "selective", "selective, adaptive"]
IN_WORDS += ["Slurm", "Slurm by fair share", "Slurm with limits of users", "adjusted"]
"""One policy for each way of deciding: the others differ in which order they go by."""


def often(name, rare=RARE):
    """The marks of a case: what is rare is tried before a release."""
    return pytest.mark.thorough if name in rare else ()


def usually(policies):
    """Parametrise a test by policies, of which one for each way of deciding is tried each time."""
    rare = {*policies}.difference(IN_WORDS)
    return pytest.mark.parametrize(
        "policy", [pytest.param(policy, id=name, marks=often(name, rare)) for name, policy in policies.items()]
    )


def equals_the_reference(schedule, **options):
    """Hold the engine's schedule against the reference's in all that both tell."""
    slow = reference.simulate(schedule.workload, schedule.policy, **options)
    if not schedule.jobs.equals(slow.jobs):
        assert (difference := first_difference(schedule, slow)) is None, difference
        pd.testing.assert_frame_equal(schedule.jobs, slow.jobs)
    assert (schedule.shadow is None) if slow.shadow is None else schedule.shadow.equals(slow.shadow)


# The study


def texts(of):
    """What is written in a figure, or in its axes."""
    return [text.get_text() for text in of.texts]


def legend(figure):
    """The entries of a figure's first legend."""
    return texts(figure.legends[0])


def words(figure):
    """What stands in a figure's legends, above its panels and at their axes."""
    labels = [text for one in figure.legends for text in one.texts]
    labels += [text for ax in figure.axes for text in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    return {text.get_text() for text in labels} | {ax.get_title("left") for ax in figure.axes}


def means(workload, policy, estimates=None, shake_s=60, seed=None):
    """Mean response time and bounded slowdown (MF's formula) of a workload, shaken if there is a seed, by metric."""
    workload = workload if estimates is None else workload.with_estimates(estimates)
    workload = workload if seed is None else workload.shake(shake_s, seed)
    summary = simulate(workload, policy).summary(floor=None)
    return {"response_s": summary["mean_response"], "bounded_slowdown": summary["mean_bounded_slowdown"]}


# Verdicts
