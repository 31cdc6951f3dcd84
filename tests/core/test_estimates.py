"""Models of run-time estimates: from the run times and the present estimates to new ones."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.core.estimates import NAMES, Exact, Historical, Modelled, Scaled, Uniform, User, named

runs = st.lists(st.integers(0, 10**6), max_size=30)
factors = st.floats(1, 1000)


def table(run, estimate=-1):
    """A table of jobs as the models get it, with an index and order of its own."""
    jobs = pd.DataFrame({"run": run, "estimate": estimate}, dtype="int64")
    return jobs.set_axis(range(len(jobs), 0, -1))


@pytest.mark.slow
@given(run=runs, f=factors, seed=st.integers(0, 2**32))
def test_uniform_estimates_lie_between_the_run_time_and_f_times_it(run, f, seed):
    jobs = table(run)
    estimate = Uniform(f, seed)(jobs)
    assert estimate.dtype == np.int64
    assert estimate.index.equals(jobs.index)
    assert (jobs.run <= estimate).all()
    assert (estimate <= jobs.run * f).all()


@pytest.mark.parametrize("f", [1.5, 2, 11, 301])
def test_uniform_estimates_are_half_way_on_average_and_spread_evenly(f):
    ratio = Uniform(f, seed=1)(table([100_000] * 20_000)) / 100_000
    assert ratio.mean() == pytest.approx((1 + f) / 2, rel=0.02)
    quarters = np.histogram(ratio, bins=4, range=(1, f))[0] / len(ratio)
    assert quarters == pytest.approx([0.25] * 4, abs=0.02)


@pytest.mark.parametrize("factor, expected", [(2, [20, 0, 14]), (1, [10, 0, 7]), (0.5, [5, 0, 4]), (1.26, [13, 0, 9])])
def test_scaled_estimates_are_the_present_ones_times_a_factor_in_whole_seconds(factor, expected):
    jobs = table([1, 2, 3], [10, 0, 7])
    estimate = Scaled(factor)(jobs)
    assert estimate.tolist() == expected
    assert estimate.dtype == np.int64


@pytest.mark.parametrize("model", [partial(Uniform, 5), Modelled])
def test_the_same_seed_draws_the_same_and_another_something_else(model):
    jobs = table([1000] * 50)
    assert model(seed=3)(jobs).equals(model(seed=3)(jobs))
    assert not model(seed=3)(jobs).equals(model(seed=4)(jobs))
    assert not model()(jobs).equals(model(seed=4)(jobs))


def test_models_say_what_they_are_and_names_find_them():
    assert str(Modelled(3)) == "Modelled(seed=3, under=0.1, short=90, stretch=10, cap=86400)"
    assert "ends" not in str(Historical(ends=pd.Series([1])))  # of each job
    assert [named(name) for name in NAMES] == [User(), Exact()] and named(Uniform(2)) == Uniform(f=2)


# The model of user estimates (MF section 4.3)


@pytest.mark.slow
@given(run=runs, seed=st.integers(0, 2**32))
def test_modelled_estimates_are_below_the_run_time_only_by_a_hundredth(run, seed):
    jobs = table(run)
    estimate = Modelled(seed)(jobs)
    assert estimate.dtype == np.int64
    assert estimate.index.equals(jobs.index)
    below = estimate < jobs.run
    assert (estimate[below] == np.rint(0.99 * jobs.run[below])).all()
    assert (jobs.run[below] > 50).all()
    assert (estimate <= np.maximum(jobs.run, 86400)).all()


def test_modelled_estimates_make_the_used_share_even_beside_a_tenth_of_underestimates():
    estimate = Modelled(seed=1, cap=10**15)(table([100_000] * 20_000))
    below = estimate < 100_000
    assert below.mean() == pytest.approx(0.1, abs=0.01)
    assert set(estimate[below]) == {99_000}
    used = 100_000 / estimate[~below]
    assert np.histogram(used, bins=4, range=(0, 1))[0] / len(used) == pytest.approx([0.25] * 4, abs=0.02)


def test_modelled_estimates_of_short_jobs_are_ten_times_as_large():
    plain, stretched = (Modelled(3, under=0, stretch=k, cap=10**12)(table([60, 89, 90, 300])) for k in (1, 10))
    assert (stretched / plain).tolist() == pytest.approx([10, 10, 1, 1], rel=0.01)


def test_the_bound_does_not_push_a_modelled_estimate_below_the_run_time():
    estimate = Modelled(under=0, cap=3600)(table([10_000] * 100 + [3000] * 100))
    assert set(estimate[:100]) == {10_000}
    assert estimate[100:].max() == 3600


# Estimates from history (MF section 4.4)

WEEK = 7 * 86400


def history(rows):
    """Jobs of (submit, run, app) and, where given, (user, procs, status), else 1 each; all estimates are 5000."""
    rows = [(*row, *(1, 1, 1)[len(row) - 3 :]) for row in rows]
    jobs = pd.DataFrame(rows, columns=["submit", "run", "app", "user", "procs", "status"], dtype="int64")
    return jobs.assign(estimate=5000).set_axis(range(100, 100 + len(jobs)))


def test_an_estimate_is_the_mean_and_some_deviations_of_the_job_s_own_history_or_of_all():
    assert Historical()(history([(0, 100, 1), (1, 900, 2), (2, 7, 1)])).tolist() == [5000, 100, 100]
    jobs = history([(0, 100, 1), (1, 200, 1), (2, 300, 1), (3, 999, 9), (4, 7, 1)])
    assert [Historical(many)(jobs).iloc[-1] for many in (1.5, 3)] == [200 + 1.5 * 100, 200 + 3 * 100]
    assert Historical(0)(history([(0, 10, 1), (1, 11, 1), (2, 11, 1), (3, 12, 1)])).iloc[-1] == 10  # cut from 10.7
    past = Historical().past(jobs).iloc[-1]
    assert past[["runs", "mean", "sd", "all_runs"]].tolist() == [3, 200, 100, 4]
    assert past[["all_mean", "all_sd"]].tolist() == pytest.approx([399.75, np.std([100, 200, 300, 999], ddof=1)])


@pytest.mark.parametrize("other", [(1, 100, 2), (1, 100, 1, 2), (1, 100, 1, 1, 2)])
def test_another_application_user_or_size_is_another_history(other):
    jobs = history([(0, 50, 1), other])
    assert Historical().past(jobs)["runs"].tolist() == [0, 0]


def test_what_is_known_of_a_triple_is_given_up_when_its_last_run_is_more_than_a_week_old():
    jobs = history([(0, 100, 1), (5, 40, 2), (WEEK, 200, 1), (2 * WEEK, 1, 1), (3 * WEEK + 1, 1, 1)])
    assert Historical().past(jobs)["runs"].tolist() == [0, 0, 1, 2, 0]
    assert Historical(since="first").past(jobs)["runs"].tolist() == [0, 0, 1, 0, 0]
    assert Historical(stale=np.inf).past(jobs)["runs"].tolist() == [0, 0, 1, 2, 3]
    assert Historical().past(jobs)["all_runs"].tolist() == [0, 1, 2, 3, 4]


def test_runs_of_killed_jobs_are_recorded_only_on_demand():
    jobs = history([(0, 100, 1, 1, 1, 0), (1, 100, 1, 1, 1, 5), (2, 100, 1, 1, 1, -1), (3, 7, 1)])
    assert Historical().past(jobs)["runs"].tolist() == [0, 0, 0, 1]
    assert Historical(killed=True).past(jobs)["runs"].tolist() == [0, 1, 2, 3]


@pytest.mark.slow
def test_a_run_can_count_from_its_end_on():
    jobs = history([(0, 100, 1), (50, 60, 1), (110, 10, 1), (111, 10, 1), (121, 10, 1)])
    ends = jobs.submit + jobs.run
    assert Historical(ends=ends).past(jobs)["runs"].tolist() == [0, 0, 1, 2, 3]
    assert Historical(ends=ends.sample(frac=1, random_state=1)).past(jobs)["runs"].tolist() == [0, 0, 1, 2, 3]


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 90), st.integers(1, 2)), max_size=25),
    waits=st.lists(st.integers(0, 40), min_size=25, max_size=25),
    since=st.sampled_from(["last", "first"]),
    ended=st.booleans(),
)
def test_history_is_that_of_a_plain_loop(rows, waits, since, ended):
    jobs = history(sorted(rows, key=lambda row: row[0]))
    ends = jobs.submit + jobs.run + waits[: len(jobs)] if ended else None
    past = Historical(stale=100, since=since, ends=ends).past(jobs)
    for job in jobs.index:
        own = plain_history(jobs, job, since, ends)
        assert past["runs"][job] == len(own)
        if own:
            assert past["mean"][job] == pytest.approx(np.mean(own))
        if len(own) > 1:
            assert past["sd"][job] == pytest.approx(np.std(own, ddof=1))


def plain_history(jobs, job, since, ends):
    """Run times that a job's triple has recorded when it is submitted; 100 s make a record stale."""
    recorded = jobs.submit if ends is None else ends
    known = jobs.index < job if ends is None else ends < jobs.submit[job]
    mine = jobs[known & (jobs.app == jobs.app[job])]
    kept, mark = [], None
    for earlier in recorded[mine.index].sort_values(kind="stable").index:
        if kept and recorded[earlier] - mark > 100:
            kept = []
        if since == "last" or not kept:
            mark = recorded[earlier]
        kept.append(jobs.run[earlier])
    return [] if kept and jobs.submit[job] - mark > 100 else kept
