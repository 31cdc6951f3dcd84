"""Where jobs need GPUs besides processors: what is decided, by hand, by the reference, and where GPUs do not matter."""

import math

import pandas as pd
import pytest
import reference
from helpers import (
    BEYOND,
    POLICIES,
    SLURM,
    busy_users,
    crowded,
    equals_the_reference,
    often,
    plainly,
    random_workload,
    seeds,
    table,
    with_gpus,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import simlib
from simlib import EASY, FCFS, Conservative, Selective, SlurmBackfill, Workload, simulate
from simlib.core.estimates import Uniform
from simlib.logs.reading import _resized
from simlib.logs.swf import FIELDS, jobs_of
from simlib.models.users import resample_users
from simlib_report.partitions import together

ALL = POLICIES | BEYOND | SLURM
REFUSING = {name: policy for name, policy in ALL.items() if getattr(policy, "backfill", None) == "lookahead"}
"""The policies that refuse GPUs; only the reference does what they would do."""
OFTEN = ["FCFS", "EASY", "EASY reusing extra", "Conservative", "Conservative by start"]
OFTEN_TOO = ["EASY, wfp", "EASY, both orders one's own", "Conservative uncompressed", "Slurm with limits of users"]
NAMES = ["EASY, sjf", "EASY, wfp", "EASY++", "Conservative rebackfilled", "three reservations, shortest first"]
NAMES += ["selective, adaptive", "selective, by WFP", *SLURM]
one_of_each_kind = pytest.mark.parametrize(
    "policy",
    [
        pytest.param(ALL[name], id=name, marks=often(name, {*NAMES}.difference(OFTEN_TOO)))
        for name in dict.fromkeys([*OFTEN, *OFTEN_TOO, *NAMES])
    ],
)
the_papers = pytest.mark.parametrize("policy", [ALL[name] for name in OFTEN], ids=OFTEN)


def on_gpus(rows, machine, gpus):
    """A workload of (submit, run, estimate, procs, gpus) rows."""
    columns = ["submit", "run", "estimate", "procs", "gpus"]
    return Workload(pd.DataFrame(rows, columns=columns).assign(user=1), machine, gpus=gpus)


def starts(rows, machine, gpus, policy):
    return simulate(on_gpus(rows, machine, gpus), policy).jobs.start.tolist()


@one_of_each_kind
@given(workload=crowded(), seed=st.integers(0, 99))
def test_the_engine_is_the_reference_on_crowded_machines(policy, workload, seed):
    for overrun in ("extend", "kill"):
        equals_the_reference(simulate(with_gpus(workload, seed), policy, overrun), overrun=overrun)


@pytest.mark.slow
@the_papers
@seeds
def test_the_engine_is_the_reference_with_longer_queues(policy, seed):
    w = with_gpus(busy_users(seed), seed)
    equals_the_reference(simulate(w.derive(w.jobs.assign(submit=w.jobs.submit // 2), "twice as busy"), policy))


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy", [pytest.param(ALL[name], id=name, marks=often(name, {*OFTEN} - {"EASY"})) for name in OFTEN]
)
@given(workload=crowded(chains=True), seed=st.integers(0, 99))
def test_the_engine_is_the_reference_where_jobs_follow_others(policy, workload, seed):
    equals_the_reference(simulate(with_gpus(workload, seed), policy, feedback=True), feedback=True)


@pytest.mark.slow
@the_papers
@settings(max_examples=3)
@seeds
def test_gpus_that_suffice_for_all_change_nothing_and_so_do_as_many_as_processors(policy, seed):
    w = random_workload(seed, jobs=2000).scale_arrivals(0.5)  # a queue with an index, a long profile
    plain = simulate(w, policy).jobs
    plenty = Workload(w.jobs.assign(gpus=1), w.procs, gpus=len(w))
    as_many = Workload(w.jobs.assign(gpus=w.jobs.procs), w.procs, gpus=w.procs)
    for both in (plenty, as_many):
        pd.testing.assert_frame_equal(simulate(both, policy).jobs.drop(columns="gpus"), plain)
    few = Workload(w.jobs.assign(gpus=w.jobs.procs, procs=1), len(w), gpus=w.procs)  # the two change places
    assert simulate(few, policy).jobs.start.equals(plain.start)


# By hand: A holds one of two GPUs, and all but one of four processors until 10; B is the head


def test_a_job_waits_for_processors_and_for_gpus():
    rows = [(0, 10, 10, 1, 2), (1, 5, 5, 1, 1), (2, 5, 5, 1, 0)]
    assert starts(rows, 4, 2, FCFS()) == [0, 10, 10]
    assert starts(rows, 4, 2, EASY()) == [0, 10, 2]
    assert starts(rows, 4, 2, Conservative()) == [0, 10, 2]
    rows[2] = (2, 5, 5, 1, 1)
    for policy in (EASY(), Conservative()):
        assert starts(rows, 4, 2, policy) == [0, 10, 10]
    for policy in (EASY(order="wfp"), EASY(backfill="sjf")):
        assert [job.start for job in plainly(on_gpus(rows, 4, 2), policy)] == [0, 10, 10]


def test_extra_gpus_are_given_out_once_but_where_they_are_reused():
    rows = [(0, 10, 10, 1, 3), (1, 9, 9, 1, 3), (2, 90, 90, 1, 1), (2, 90, 90, 1, 1)]
    assert starts(rows, 9, 5, EASY()) == [0, 10, 2, 2]
    assert starts(rows[:3] + [(2, 90, 90, 1, 2)], 9, 5, EASY()) == [0, 10, 2, 19]
    assert starts(rows, 9, 4, EASY()) == [0, 10, 2, 19]
    rows[2] = (2, 90, 90, 1, 0)
    assert starts(rows, 9, 4, EASY()) == [0, 10, 2, 2]
    # four are free, but the head leaves one
    assert starts([(0, 10, 10, 1, 2), (1, 9, 9, 1, 5), *[(2, 90, 90, 1, 1)] * 2], 9, 6, EASY()) == [0, 10, 2, 19]


WAITING = [(0, 17, 17, 1, 4), (1, 13, 18, 1, 3), (2, 3, 15, 2, 4), (3, 23, 28, 2, 3), (4, 5, 17, 1, 3)]
WAITING += [(5, 8, 8, 1, 4), (6, 11, 16, 1, 2)]  # of 4 processors and 6 GPUs: jobs wait for the GPUs

KNOWN = {
    FCFS(): [0, 17, 30, 33, 33, 56, 56],
    FCFS(order="sjf"): [0, 33, 25, 36, 28, 17, 25],
    EASY(): [0, 17, 30, 33, 17, 56, 6],
    EASY(order="sjf"): [0, 28, 25, 33, 28, 17, 6],
    EASY(backfill="lookahead"): [0, 17, 30, 33, 17, 56, 6],
    EASY(reservations=2): [0, 17, 30, 33, 17, 56, 6],
    Conservative(): [0, 17, 30, 33, 17, 56, 22],
    Conservative("rebackfill"): [0, 17, 30, 33, 17, 56, 22],
    Conservative(order="sjf"): [0, 17, 30, 41, 17, 33, 22],
    Selective(2): [0, 17, 30, 41, 17, 33, 6],
    Selective(math.inf): [0, 17, 40, 17, 30, 43, 6],
    SlurmBackfill(interval=3, resolution=1): [0, 17, 30, 33, 17, 56, 23],
    SlurmBackfill(interval=1, resolution=1, depth=2): [0, 17, 30, 33, 33, 56, 38],
}
"""The starts of these jobs, on which two programs agree that share no code."""
COMPILED = [policy for policy in KNOWN if policy not in REFUSING.values()]
RARE_HERE = [policy for policy in COMPILED if policy not in (FCFS(), EASY(), Conservative())]


@pytest.mark.parametrize("policy, known", KNOWN.items(), ids=map(str, KNOWN))
def test_jobs_that_wait_for_gpus_start_when_they_are_known_to(policy, known):
    w = on_gpus(WAITING, 4, 6)
    assert reference.simulate(w, policy).jobs.start.tolist() == known
    if policy not in REFUSING.values():
        assert [job.start for job in plainly(w, policy)] == known


@pytest.mark.parametrize("policy", [pytest.param(one, id=str(one), marks=often(one, RARE_HERE)) for one in COMPILED])
def test_jobs_that_wait_for_gpus_start_then_under_the_engine(policy):
    assert simulate(on_gpus(WAITING, 4, 6), policy).jobs.start.tolist() == KNOWN[policy]


@one_of_each_kind
@settings(max_examples=3)
@given(workload=crowded())
def test_the_reference_asks_the_same_of_gpus_as_of_processors(policy, workload):
    jobs, known = workload.jobs, reference.simulate(workload, policy).jobs
    for gpus, machine in ((1, len(jobs)), (jobs.procs, workload.procs)):
        both = Workload(jobs.assign(gpus=gpus), workload.procs, gpus=machine, log=workload.log)
        pd.testing.assert_frame_equal(reference.simulate(both, policy).jobs.drop(columns="gpus"), known)


# What else follows


def test_what_knows_of_processors_only_refuses_them():
    w = on_gpus([(0, 10, 10, 1, 1)], 4, 2)
    for policy in REFUSING.values():
        with pytest.raises(ValueError, match="found jobs that need GPUs"):
            simulate(w, policy)
    assert simulate(w.without_gpus(), REFUSING["EASY, lookahead"]).jobs.start.tolist() == [0]


def test_predicted_starts_know_of_them():
    w = on_gpus([(0, 10, 20, 1, 2), (1, 9, 9, 1, 1)], 4, 2)
    for policy in (FCFS(), EASY(), Conservative()):
        assert simlib.predicted_starts(w, policy).predicted.tolist() == [0, 20]


def test_a_schedule_that_takes_more_gpus_than_there_are_is_refused():
    class AtOnce:
        def schedule(self, submit, run, estimate, procs, machine, gpus=None):
            return {"start": submit}

    rows = [(0, 10, 10, 1, 1), (1, 10, 10, 1, 2), (2, 0, 0, 1, 2)]
    with pytest.raises(ValueError, match="job 1 starts at second 1, when 3 GPUs"):
        simulate(on_gpus(rows, 4, 2), AtOnce())
    simulate(on_gpus(rows[:1] + rows[2:], 4, 2), AtOnce())


def test_a_summary_has_the_share_of_gpus_that_was_used():
    summary = simulate(on_gpus([(0, 10, 10, 1, 1), (0, 5, 5, 1, 2)], 4, 4), EASY()).summary()
    assert summary.gpu_utilization == 0.5
    assert "gpu_utilization" not in simulate(table([(0, 10, 10, 1)], 4), EASY()).summary()


LOG = pd.DataFrame(-1, index=range(1, 41), columns=[*FIELDS, "gpus"]).assign(
    job=range(1, 41), submit=[day * 86400 for day in range(40)], run=3600, procs=2, user=[1, 2] * 20, partition=1
)
LOG["gpus"] = [2, 0] * 20
WITH_GPUS = Workload(jobs_of(LOG), 8, gpus=4, log=LOG, start="2026-01-01")

FROM_ANOTHER = {
    "select": lambda w: w.select("gpus >= 0"),
    "months": lambda w: w.months("2026-01", "2026-02"),
    "between": lambda w: w.between(0, 100 * 86400),
    "partition": lambda w: w.partition(1, procs=8, gpus=4),
    "scale_arrivals": lambda w: w.scale_arrivals(2),
    "scale_load": lambda w: w.scale_load(0.5),
    "with_procs": lambda w: w.with_procs(16),
    "with_estimates": lambda w: w.with_estimates(Uniform(2)),
    "shake": lambda w: w.shake(60),
    "derive": lambda w: w.derive(w.jobs.assign(run=5), "shorter"),
    "resample_users": lambda w: resample_users(w, 1),
    "together": lambda w: together(w, {"1": w}),
    "_resized": lambda w: _resized(w, 16),
}
"""Every function that makes a workload from another."""


@pytest.mark.parametrize("change", FROM_ANOTHER.values(), ids=FROM_ANOTHER)
def test_a_workload_made_from_another_keeps_its_gpus(change):
    made = change(WITH_GPUS)
    assert (made.gpus, made.needs_gpus, len(made.dropped)) == (4, True, 0)
    assert set(made.jobs.gpus) == {0, 2} and made.log.gpus.loc[made.jobs.index].equals(made.jobs.gpus.rename("gpus"))
