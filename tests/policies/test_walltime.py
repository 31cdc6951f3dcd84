"""Adjusted walltimes: the schemes' A against their definition, the paper's equations, and settings that are refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.engine import estimating
from simlib.policies import walltime
from simlib.policies.walltime import Adjustment, Scheme

COLUMNS = ["submit", "run", "estimate", "end", "user", "group", "queue"]
DAY = 86400


def table(rows):
    """Jobs of (submit, run, estimate, end, user, group, queue) rows."""
    return pd.DataFrame(rows, columns=COLUMNS).astype("int64")


def similar(submit, run, **columns):
    """Jobs of one user, project and queue that ask for 100 s and end as soon as they were submitted and have run."""
    jobs = pd.DataFrame({"submit": submit, "run": run}).assign(user=1, group=1, queue=1, estimate=100)
    return jobs.assign(end=jobs.submit + jobs.run, **columns)


def a_of(jobs, **options):
    return walltime.adjusted(jobs, jobs.end, Scheme(**options)).a.tolist()


def by_definition(jobs, scheme):
    """A of each job by filtering and numpy.percentile, as section 4.1 says it."""
    for job in jobs.itertuples():
        known = all(getattr(job, column) != -1 for column in scheme.columns)
        same = np.logical_and.reduce([jobs[column] == getattr(job, column) for column in scheme.columns])
        earlier = jobs[same & (jobs.end < job.submit) & (jobs.end >= job.submit - scheme.window_s)]
        r = [min(run / estimate, 1) if estimate else 1 for run, estimate in earlier[["run", "estimate"]].to_numpy()]
        a = np.percentile(r, scheme.percentile) if known and len(r) >= scheme.least else np.nan
        yield a if scheme.threshold is None else max(a, scheme.threshold)


days = st.integers(0, 70)
few = st.sampled_from([-1, 1, 2])
job = st.tuples(days, st.integers(0, 120), st.sampled_from([0, 60, 100]), days, few, few, few)


@pytest.mark.slow
@given(
    rows=st.lists(job, min_size=1, max_size=40),
    key=st.sampled_from([*walltime.KEYS, "user+estimate"]),
    window=st.sampled_from([None, "1 month", "2 weeks", "1 day"]),
    percentile=st.sampled_from([0, 33.3, *walltime.METRICS.values()]),
    threshold=st.sampled_from([None, 0.5]),
    least=st.integers(1, 4),
    project=st.sampled_from(["group", "queue", "user"]),
)
def test_a_is_the_percentile_of_the_eligible_jobs(rows, **options):
    jobs = table(rows).sort_values("submit", kind="stable")
    jobs = jobs.assign(submit=jobs.submit * DAY, end=(jobs.submit + jobs.end) * DAY + jobs.run)
    scheme = Scheme(**options)
    if (jobs[scheme.columns] == -1).all().any():
        return
    found = walltime.adjusted(jobs, jobs.end, scheme)
    np.testing.assert_allclose(found.a, list(by_definition(jobs, scheme)), rtol=1e-12)


def test_all_schemes_at_once_give_what_each_gives_alone():
    rng = np.random.default_rng(1)
    submit, run = np.sort(rng.integers(0, 300 * DAY, 400)), rng.integers(0, 110, 400)
    jobs = similar(submit, run, user=rng.integers(1, 4, 400), group=rng.integers(1, 3, 400))
    chosen = walltime.schemes(threshold=0.4) + walltime.schemes(windows=["5 weeks"], least=3)
    together = walltime.parameters(jobs, jobs.end, chosen)
    assert list(together.columns) == chosen
    for scheme in chosen[::7]:
        pd.testing.assert_series_equal(together[scheme], walltime.adjusted(jobs, jobs.end, scheme).a, check_names=False)


def test_only_jobs_that_ended_before_the_submission_count():
    jobs = similar([0, 50, 51, 200], [50, 20, 30, 40])
    assert a_of(jobs, least=1, percentile=100) == pytest.approx([np.nan, np.nan, 0.5, 0.5], nan_ok=True)


def test_a_window_takes_jobs_that_ended_a_month_ago_but_not_a_second_more():
    jobs = similar([0, 30 + 30 * DAY, 31 + 30 * DAY], [30, 40, 50])
    assert a_of(jobs, least=1) == pytest.approx([np.nan, 0.3, np.nan], nan_ok=True)
    assert a_of(jobs, least=1, window="30 days") == pytest.approx([np.nan, 0.3, np.nan], nan_ok=True)
    assert a_of(jobs, least=1, window=None, percentile=100) == pytest.approx([np.nan, 0.3, 0.3], nan_ok=True)


def test_ten_similar_jobs_are_enough_and_nine_are_not():
    jobs = similar(np.arange(11) * 1000, [50] * 11)
    assert np.flatnonzero(~np.isnan(a_of(jobs))).tolist() == [10]


def test_jobs_without_a_user_have_no_history():
    jobs = similar(np.arange(6) * 1000, [50] * 6, user=[-1, -1, -1, 7, 7, 7])
    assert a_of(jobs, key="user", least=1) == pytest.approx([np.nan] * 4 + [0.5] * 2, nan_ok=True)


def test_a_log_without_projects_takes_the_queue():
    jobs = similar(np.arange(3) * 1000, [50, 80, 10], group=-1, queue=[1, 2, 1])
    assert a_of(jobs, key="project", project="queue", least=1) == pytest.approx([np.nan, np.nan, 0.5], nan_ok=True)
    with pytest.raises(ValueError, match="found key='project' with project='group', but the jobs have no group"):
        a_of(jobs, key="project", least=1)


def test_overruns_count_as_fully_used():
    assert walltime.used([50, 100, 130, 0, 0], [100, 100, 100, 0, 10]).tolist() == [0.5, 1, 1, 1, 0]


def test_the_scheduled_time_is_the_requested_times_a_and_without_a_the_requested():
    assert walltime.t_sched([100, 100, 1000], [0.5, np.nan, 0.0004]).tolist() == [50, 100, 0]


def test_accuracy_is_the_smaller_over_the_larger():
    assert walltime.accuracy([50, 100, 200, 0, 0, 7], [100, 100, 50, 0, 10, 0]).tolist() == [0.5, 1, 0.25, 1, 0, 0]


def test_levels_part_at_the_run_time_and_half_an_hour_below():
    run, estimate = 4000, 6000
    scheduled = [6000, 5999, 4000, 3999, 2200, 2199]
    assert walltime.levels(run, estimate, scheduled).tolist() == ["NA", "OE", "OE", "UE", "UE", "BE"]


def test_a_threshold_moves_underestimates_but_no_others():
    jobs = similar(np.arange(40) * 1000, [10, 90] * 20)
    low, high = (walltime.adjusted(jobs, jobs.end, Scheme(percentile=50, threshold=t)) for t in (None, 0.7))
    assert (high.a.dropna() >= 0.7).all() and high.a.isna().equals(low.a.isna())
    under = [(walltime.levels(jobs.run, jobs.estimate, of.t_sched) == "UE").sum() for of in (low, high)]
    assert under[1] <= under[0]


# History carried into a simulation


def test_an_adjustment_starts_from_the_past_and_learns_what_is_simulated():
    past = similar([0, 100, 200], [20, 40, 60])
    present = similar([1000, 2000], [80, 90])
    adjustment = Adjustment(Scheme(percentile=100, least=3), past=past)
    known, group, r = adjustment.history(present)
    assert r == pytest.approx([0.8, 0.9])
    estimating.advance(known, group[0], 1000, adjustment.scheme.window_s)
    assert estimating.metric(known, group[0], 100.0, 3) == pytest.approx(0.6)
    estimating.learn(known, group[0], 1080, r[0])
    estimating.advance(known, group[1], 1080, adjustment.scheme.window_s)
    assert estimating.metric(known, group[1], 100.0, 3) == pytest.approx(0.6)  # it has to have ended before
    estimating.advance(known, group[1], 1081, adjustment.scheme.window_s)
    assert estimating.metric(known, group[1], 100.0, 3) == pytest.approx(0.8)


def test_a_scheduler_that_learns_as_jobs_start_finds_the_a_of_the_study():
    rng = np.random.default_rng(1)
    submit = np.sort(rng.integers(0, 90 * DAY, 300))
    jobs = similar(submit, rng.integers(0, 110, 300), user=rng.choice([1, 2], 300))
    jobs = jobs.assign(end=jobs.end + rng.integers(0, DAY, 300))  # they wait
    scheme = Scheme("user", "2 weeks", 80, least=3)
    known, group, r = Adjustment(scheme).history(jobs)
    found = []
    for job, (now, end) in enumerate(zip(jobs.submit, jobs.end, strict=True)):
        estimating.advance(known, group[job], now, scheme.window_s)
        found.append(estimating.metric(known, group[job], 80.0, scheme.least))
        estimating.learn(known, group[job], end, r[job])
    np.testing.assert_array_equal(found, walltime.adjusted(jobs, jobs.end, scheme).a)


def test_past_jobs_that_end_later_wait_for_their_time():
    past = similar([0, 0], [10, 50]).assign(end=[500, 1500])
    known, group, r = Adjustment(Scheme(least=1), past=past).history(similar([0], [90]))
    estimating.learn(known, group[0], 1000, r[0])  # between the two
    for now, expected in ((400, np.nan), (501, 0.1), (1001, 0.9), (1501, 0.9)):
        estimating.advance(known, group[0], now, estimating.EVER)
        assert estimating.metric(known, group[0], 100.0, 1) == pytest.approx(expected, nan_ok=True)
    assert estimating.metric(known, group[0], 50.0, 1) == pytest.approx(0.5)


ends = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 1), st.integers(0, 10)), max_size=30)


@given(ends, st.integers(1, 60))
def test_jobs_learned_one_by_one_give_what_a_filled_history_gives(rows, window):
    end, group, r = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    one_by_one = estimating.empty(np.bincount(group, minlength=2))
    for row in rows:
        estimating.learn(one_by_one, row[1], row[0], row[2] / 10)
    filled = walltime._history_of(group, end, r / 10, np.concatenate([group, [0, 1]]))
    for now in (0, 20, 55):
        for number in (0, 1):
            values = []
            for of in (one_by_one, filled):
                estimating.advance(of, number, now, window)
                values.append([estimating.metric(of, number, percent, 1) for percent in (0.0, 50.0, 100.0)])
            np.testing.assert_array_equal(*values)


def test_an_adjustment_refuses_a_past_without_ends():
    with pytest.raises(ValueError, match="past: missing column end; expected run, estimate, end, user, group"):
        Adjustment(past=similar([0], [10]).drop(columns="end"))


# Settings


def test_the_enumeration_is_four_by_six_by_seven():
    every = walltime.schemes()
    assert len(every) == len(set(every)) == 4 * 6 * 7
    assert {scheme.percentile for scheme in every} == {100, 95, 90, 85, 80, 70, 50}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"percentile": 120}, "found percentile=120, expected a number from 0 to 100"),
        ({"percentile": "median"}, "found percentile='median', expected a number"),
        (
            {"window": "30"},
            "found window='30', expected None or a whole number and a unit out of hour, day, week, month",
        ),
        ({"window": 30}, "found window=30, expected None or a whole number and a unit"),
        ({"window": "0 days"}, "found window='0 days'"),
        ({"key": "account"}, r"found key='account', expected user, project, estimate, joined by '\+'"),
        ({"key": "user+user"}, r"found key='user\+user'"),
        ({"threshold": 1.5}, "found threshold=1.5, expected None or a number from 0 to 1"),
        ({"least": 0}, "found least=0, expected a whole number of at least 1"),
        ({"project": "app"}, "found project='app', expected 'group', 'queue' or 'user'"),
    ],
)
def test_settings_out_of_range_are_refused_with_what_is_allowed(options, message):
    with pytest.raises(ValueError, match=f"Scheme: {message}"):
        Scheme(**options)


def test_windows_have_units():
    seconds = [Scheme(window=window).window_s for window in ("1 month", "2 months", "30 days", "2 weeks", "36 hours")]
    assert seconds == [30 * DAY, 60 * DAY, 30 * DAY, 14 * DAY, 36 * 3600]
