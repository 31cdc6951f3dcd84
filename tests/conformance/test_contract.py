"""Under every policy the engine, the slow reference and the example make one schedule, job by job.

That of the explanations is held against the engine's in `explain/test_explain.py`.
"""

import numpy as np
import pytest
from helpers import (
    BEYOND,
    POLICIES,
    RARE,
    RARE_WITH_FOLLOWERS,
    SLURM,
    busy_users,
    crowded,
    differing,
    equals_the_reference,
    often,
    seeds,
    table,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import EASY, Conservative, OwnPolicy, simulate
from simlib.policies import examples_own

ALL = POLICIES | BEYOND
EXAMPLES = {
    "FCFS": OwnPolicy(examples_own.fcfs),
    "EASY": OwnPolicy(examples_own.easy),
    "EASY-SJBF": OwnPolicy(examples_own.easy_sjbf),
    "EASY, largest": OwnPolicy(examples_own.best_fit),
    "EASY, lookahead": OwnPolicy(examples_own.lookahead),
    "EASY++": OwnPolicy(examples_own.easy_sjbf, examples_own.LastTwo()),
}


def equals_the_example(example):
    def equals(schedule, **options):
        assert differing(schedule, simulate(schedule.workload, example, **options)) == []

    return equals


AGREES = {
    "reference": dict.fromkeys(ALL | SLURM, equals_the_reference),
    "example": {name: equals_the_example(example) for name, example in EXAMPLES.items()},
}


def contract(*others, policies=ALL | SLURM, rare=RARE):
    """Parametrise a test by policies, with all that says whether a schedule of each agrees with others."""
    cases = {name: [AGREES[other][name] for other in others if name in AGREES[other]] for name in policies}
    return pytest.mark.parametrize(
        "policy, checks",
        [
            pytest.param(policies[name], checks, id=name, marks=often(name, rare))
            for name, checks in cases.items()
            if checks
        ],
    )


def all_agree(checks, schedule, **options):
    for check in checks:
        check(schedule, **options)


def under_both_overruns(policy, checks, workload, **options):
    for overrun in ("extend", "kill"):
        all_agree(checks, simulate(workload, policy, overrun, **options), overrun=overrun, **options)


@contract("reference", "example")
@given(workload=crowded())
def test_on_crowded_machines(policy, checks, workload):
    under_both_overruns(policy, checks, workload)


@pytest.mark.slow
@contract("reference", "example", rare=RARE_WITH_FOLLOWERS)
@settings(max_examples=5)
@given(workload=crowded(chains=True))
def test_where_jobs_follow_others(policy, checks, workload):
    under_both_overruns(policy, checks, workload, feedback=True)


@pytest.mark.slow
@contract("reference")
@settings(max_examples=3)
@seeds
def test_with_longer_queues(policy, checks, seed):
    def made(jobs=60):
        w = busy_users(seed, jobs)
        return simulate(w.derive(w.jobs.assign(submit=w.jobs.submit // 2), "twice as busy"), policy)

    schedule = made()
    for check in checks:
        tries_all_sets = check is equals_the_reference and "lookahead" in repr(policy)
        check(made(jobs=14) if tries_all_sets else schedule)


@contract("example")
@given(seed=st.integers(0, 2**32), jobs=st.integers(5, 120))
def test_examples_with_longer_queues(policy, checks, seed, jobs):
    all_agree(checks, simulate(busy_users(seed, jobs=jobs), policy))


PREDICTING = {name: policy for name, policy in ALL.items() if getattr(policy, "adjust", None) is not None}


@contract("reference", "example", policies=PREDICTING)
@given(workload=crowded(), unit=st.sampled_from([20, 300, 4000, 60_000]))
def test_where_predictions_are_outlived_by_many_steps(policy, checks, workload, unit):
    times = {name: workload.jobs[name] * unit for name in ("submit", "run", "estimate")}
    all_agree(checks, simulate(workload.derive(workload.jobs.assign(**times), f"times {unit}"), policy))


@pytest.mark.parametrize("policy", [Conservative, lambda order: EASY(order=order, reservations=9)])
def test_where_all_is_free_and_all_is_reserved(policy):
    def small_unless_all_is_free(procs, free):
        return procs if free == 4 else -procs

    rows = [(0, 10, 10, 4), (1, 5, 5, 2), (10, 5, 5, 2), (10, 9, 9, 1)]
    schedule = simulate(table(rows, 4), policy(order=small_unless_all_is_free))
    assert schedule.jobs.start.to_list() == [0, 10, 10, 15]  # at second 10 job 1's reservation is due, and nothing runs
    equals_the_reference(schedule)


def widest(procs):
    """Jobs with many processors first: an order that does not change while jobs wait."""
    return procs


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(EASY(order="sjf"), id="EASY(order='sjf')"),
        pytest.param(EASY(order=widest), id="EASY(order=widest)", marks=pytest.mark.thorough),
    ],
)
def test_with_a_sorted_queue_of_hundreds_of_jobs(policy):
    """Such a queue has gaps, joins by binary search and is searched by an index; shorter ones have none of these."""
    rng, jobs = np.random.default_rng(5), 700
    run = rng.integers(1, 40, jobs) * 10
    submit, more = np.sort(rng.integers(0, 400, jobs)), rng.integers(0, 30, jobs) * 10
    schedule = simulate(table(np.column_stack([submit, run, run + more, rng.integers(1, 33, jobs)]), 64), policy)
    started = np.sort(schedule.jobs.start)
    assert max(np.arange(1, jobs + 1) - np.searchsorted(started, submit, side="right")) > 600  # jobs that wait
    equals_the_reference(schedule)
