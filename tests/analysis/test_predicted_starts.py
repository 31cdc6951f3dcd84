"""What a job is told on arrival: held against the slow reference, which replays all that is known then."""

import numpy as np
import pandas as pd
import pytest
import reference
from helpers import BEYOND, POLICIES, busy_users, crowded, seeds, table, usually
from hypothesis import given, settings

import simlib
from simlib import EASY, FCFS, OwnPolicy, Predictions, predicted_starts, simulate
from simlib.analysis import predictions as module
from simlib.policies import examples_own


def told_slowly(workload, policy):
    """The same by the reference: for each job those up to it, what has ended as it ran, all others as expected."""
    whole = reference.simulate(workload, policy).jobs
    estimate = np.maximum(workload.jobs.estimate, workload.jobs.run)
    planned = whole.adjusted if "adjusted" in whole else estimate
    told = {}
    for now in workload.jobs.submit.unique():
        known = workload.jobs[workload.jobs.submit <= now].index
        has_ended = (whole.end < now) | ((whole.end == now) & (whole.start < now))
        expected = planned.where(whole.start + planned > now, estimate)
        run = workload.jobs.run.where(has_ended, expected)
        then = workload.derive(workload.jobs.assign(run=run).loc[known], "known")
        told |= reference.simulate(then, policy).jobs.start[then.jobs.submit == now].to_dict()
    return pd.Series(told).reindex(workload.jobs.index)


REMEMBERS_ACCOUNTS = [name for name in BEYOND if "fair" in name]  # the number of which is another among fewer jobs
TRIED = {name: policy for name, policy in (POLICIES | BEYOND).items() if name not in REMEMBERS_ACCOUNTS}


@pytest.mark.slow
@usually(TRIED)
@settings(max_examples=2)
@given(workload=crowded())
def test_what_is_told_is_what_the_reference_would_do_from_then_on(policy, workload):
    adjust = getattr(policy, "adjust", None)
    if isinstance(adjust, Predictions) and not (adjust.queue and adjust.backfill and adjust.running):
        # where it goes by the estimate it is raised to the run time, which the reference is not told
        jobs = workload.jobs
        workload = workload.derive(jobs.assign(estimate=jobs[["run", "estimate"]].max(axis=1).clip(lower=1)), "raised")
    told = predicted_starts(workload, policy)
    assert told.predicted.to_dict() == told_slowly(workload, policy).to_dict()
    assert told.start.equals(simulate(workload, policy).jobs.start)
    assert told.error.equals(told.start - told.predicted)


SMALL = {name: policy for name, policy in TRIED.items() if module._sees_no_more(policy)}


@pytest.mark.slow
@usually(SMALL)
@settings(max_examples=3)
@seeds
def test_to_go_on_from_who_runs_and_waits_is_the_same_as_to_begin_with_the_first_job(policy, seed):
    w = busy_users(seed, jobs=80)
    schedule = simulate(w, policy)
    ways = module._by_state(schedule), module._by_replay(schedule)
    submit = w.jobs.submit.to_numpy()
    for now in np.unique(submit):
        one, other = (way(now, np.flatnonzero(submit == now)).tolist() for way in ways)
        assert one == other


def test_orders_that_ask_for_no_more_than_the_kernels_tell_are_told_quickly():
    assert {"FCFS", "EASY", "EASY, wfp", "EASY, lookahead", "EASY, unicef"} <= set(SMALL)
    assert not {"Conservative", "EASY, f1", "EASY++", "two reservations", "selective"} & set(SMALL)


def test_an_early_end_and_a_later_job_make_errors_of_either_sign():
    rows = [(0, 10, 20, 3), (1, 9, 9, 4), (2, 5, 5, 4), (3, 6, 6, 4)]
    told = predicted_starts(table(rows, 4), FCFS(order="sjf"))
    assert (told.predicted.to_list(), told.error.to_list()) == ([0, 20, 20, 25], [0, 1, -10, -10])


def test_who_starts_at_once_because_a_job_ended_at_once_was_told_to_wait_for_its_estimate():
    assert predicted_starts(table([(0, 0, 10, 4), (0, 5, 5, 4)], 4), FCFS()).predicted.to_list() == [0, 10]


@pytest.mark.parametrize("last", [30, 40])
def test_a_job_that_outlives_its_prediction_is_expected_to_run_for_its_estimate(last):
    rows = [(0, 10, 100, 4, 7), (20, 50, 100, 4, 7), (25, 5, 5, 4, 8), (last, 5, 5, 4, 9)]  # the second: 10 s predicted
    w = table([row[:4] for row in rows], 4)
    w = w.derive(w.jobs.assign(user=[row[4] for row in rows]), "of users")
    assert predicted_starts(w, EASY.plus_plus()).predicted.to_list() == [0, 20, 30, 125]


def test_a_killed_job_ends_as_it_is_expected_to():
    rows = [(0, 30, 20, 4), (1, 5, 5, 4)]
    assert predicted_starts(table(rows, 4), EASY(), overrun="kill").error.to_list() == [0, 0]
    assert predicted_starts(table(rows, 4), EASY()).predicted.to_list() == [0, 30]


@pytest.mark.parametrize("order", ["fcfs", "sjf", simlib.Thresholded("sjf", 10**11)])
@pytest.mark.parametrize("long", [100, 10**9, 10**11, 2**52, 2**58])
def test_however_long_jobs_wait_they_are_told_what_the_reference_would_do(order, long):
    rows = [(0, long, long, 4), (1, long // 2, long, 4), (2, 9, 9, 4), (long, 5, 9, 3), (long + 1, 5, 5, 4)]
    w, policy = table(rows, 4), EASY(order=order)
    assert predicted_starts(w, policy).predicted.to_dict() == told_slowly(w, policy).to_dict()


def test_of_no_job_nothing_is_told():
    assert predicted_starts(table([(0, 1, 1, 1)], 1).select([False]), EASY()).empty


@given(workload=crowded())
def test_a_policy_of_somebody_is_asked_itself(workload):
    theirs, ours = (predicted_starts(workload, policy) for policy in (OwnPolicy(examples_own.easy), EASY()))
    pd.testing.assert_frame_equal(theirs, ours)


@pytest.mark.slow
def test_whose_jobs_have_had_what_counts_as_in_the_whole_workload():
    w = busy_users(3, jobs=30)
    fair = EASY(order=simlib.Multifactor(half_life_days=0.01))
    told = predicted_starts(w, fair)
    last = told.index[-1:]
    assert told.predicted[last].equals(told_slowly(w, fair)[last].rename("predicted"))
    assert (told.error != 0).any()
