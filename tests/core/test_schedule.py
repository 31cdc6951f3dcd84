"""Metrics and summaries of a schedule, against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, FCFS, Conservative, Workload, metrics, simulate
from simlib.core.schedule import MEANS

HOUR, DAY = 3600, 86400
START = pd.Timestamp("1996-10-01", tz="Europe/Stockholm")


def test_slowdown_of_a_job_is_its_response_time_by_its_run_time():
    assert metrics.slowdown([0, 10, 5], [10, 10, 0]).tolist() == [1, 2, np.inf]


@pytest.mark.parametrize(
    "wait, run, floor, expected",
    [
        (90, 10, 1, 10.0),
        (90, 11, None, 101 / 11),
        (90, 5, 1, 9.5),
        (0, 5, 1, 1.0),
        (0, 5, None, 0.5),  # MF's formula has no floor
        (0, 0, None, 0.0),
    ],
)
def test_bounded_slowdown_counts_short_runs_as_ten_seconds(wait, run, floor, expected):
    assert metrics.bounded_slowdown(wait, run, floor=floor) == pytest.approx(expected)


def test_the_threshold_of_bounded_slowdown_is_a_parameter():
    assert metrics.bounded_slowdown(60, 30, threshold=60) == 1.5


def test_a_schedule_has_the_workloads_jobs_and_their_times(workload):
    w = workload([(0, 10, 20, 4), (5, 10, 20, 4)], 4)
    jobs = simulate(w, EASY()).jobs
    assert list(jobs) == [*w.jobs, "start", "end", "wait", "response", "bounded_slowdown", "backfilled"]
    assert jobs[list(w.jobs)].equals(w.jobs)
    assert jobs[["start", "end", "wait", "response"]].values.tolist() == [[0, 10, 0, 10], [10, 20, 5, 15]]
    assert jobs.bounded_slowdown.tolist() == [1.0, 1.5]
    assert list(simulate(w, Conservative()).jobs)[-1] == "guarantee"


def test_changing_the_table_does_not_change_the_schedule(workload):
    s = simulate(workload([(0, 10, 20, 4)], 4), EASY())
    jobs = s.jobs
    jobs["start"] = 99
    assert s.jobs.start.tolist() == [0]


def test_the_summary_of_a_small_schedule(workload):
    s = simulate(workload([(0, 10, 10, 3), (1, 10, 10, 4), (2, 8, 8, 1)], 4), EASY())
    assert s.summary().to_dict() == pytest.approx(
        {
            "mean_wait": 3,
            "mean_response": 37 / 3,
            "mean_bounded_slowdown": (1 + 1.9 + 1) / 3,
            "utilization": (30 + 40 + 8) / (4 * 20),
            "backfilled_share": 1 / 3,
            "jobs": 3,
            "makespan": 20,
            "unestimated": 0,
        }
    )


def test_a_month_has_the_jobs_that_end_in_it_and_the_work_done_in_it(workload):
    october = 31 * DAY + HOUR  # summer time ended in it
    rows = [(0, 10 * DAY, 10 * DAY, 2), (october - DAY, 3 * DAY, 3 * DAY, 4), (october - DAY, DAY, DAY, 1)]
    months = simulate(workload(rows, 4, start=START), FCFS()).by_month()
    assert months.jobs.to_dict() == {"1996-10": 1, "1996-11": 2}
    assert months.utilization["1996-10"] == pytest.approx((20 * DAY + 4 * DAY) / (4 * october))
    assert months.utilization["1996-11"] == pytest.approx((8 * DAY + DAY) / (4 * 30 * DAY))
    assert months.mean_wait.to_dict() == {"1996-10": 0, "1996-11": 1.5 * DAY}


def test_a_month_without_jobs_has_no_means(workload):
    rows = [(0, 1, 1, 1), (62 * DAY, 1, 1, 1)]
    months = simulate(workload(rows, 4, start=START), FCFS()).by_month()
    assert months.jobs.to_dict() == {"1996-10": 1, "1996-11": 0, "1996-12": 1}
    assert np.isnan(months.mean_wait["1996-11"])


def test_utilization_is_a_step_function_of_time(workload):
    steps = simulate(workload([(0, 10, 10, 2), (5, 10, 10, 1)], 4), FCFS()).utilization()
    assert steps.to_dict() == {0: 0.5, 5: 0.75, 10: 0.25, 15: 0}


times = st.integers(0, 50)


@pytest.mark.slow
@given(
    st.lists(st.tuples(times, times, times, st.integers(1, 5), st.booleans()), min_size=1),
    st.lists(st.integers(-10, 160), unique=True).map(sorted),
    st.sampled_from([1.0, -np.inf]),
)
def test_totals_are_sums_over_the_jobs_that_end_in_a_period_and_the_seconds_in_it(jobs, edges, floor):
    submit, wait, run, procs, backfilled = np.array(jobs).T
    start, end = submit + wait, submit + wait + run
    edges = np.array(edges, int)
    found = metrics.totals(edges, submit, start, run, procs, backfilled.astype(bool), floor)
    slowdown = metrics.bounded_slowdown(wait, run, floor=floor)
    seconds = np.arange(160)
    busy = ((start <= seconds[:, None]) & (seconds[:, None] < end)) @ procs
    ended, during = (np.searchsorted(edges, of, side="right") for of in (end, seconds))
    of_jobs = [np.ones_like(run), wait, wait + run, slowdown, backfilled]
    periods = range(len(edges) + 1)
    expected = [[*(of[ended == n].sum() for of in of_jobs), busy[during == n].sum()] for n in periods]
    np.testing.assert_allclose(found[:-1], expected, rtol=1e-6)
    np.testing.assert_allclose(found[-1], found[:-1].sum(axis=0), rtol=1e-6)


def test_means_are_those_of_the_periods_and_of_the_summary(workload):
    s = simulate(workload([(0, 10, 10, 3), (1, 10, 10, 4), (2, 8, 8, 1), (50, 5, 5, 2)], 4), EASY())
    for edges in ([0, 15, 30], [0, 30, 40, 100], []):
        means = s.means(edges, floor=None)
        assert np.array_equal(means[:-1], s.by_period(edges, floor=None), equal_nan=True)
        assert means[-1].tolist() == s.summary(floor=None)[MEANS].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("policy", [EASY(), Conservative(), Conservative("start")])
@given(st.integers(0, 2**32), st.integers(0, 60))
def test_a_plan_is_what_happened_so_far_and_what_is_expected_of_the_rest(policy, seed, now):
    rng = np.random.default_rng(seed)
    run = rng.integers(1, 20, 15)
    jobs = pd.DataFrame({"submit": rng.integers(0, 40, 15), "run": run, "procs": rng.integers(1, 5, 15)})
    s = simulate(Workload(jobs.assign(estimate=run + rng.integers(0, 30, 15)), 4), policy)
    plan = s.plan(now).jobs
    actual = s.jobs.loc[plan.index]
    assert (actual.submit <= now).all()
    started = actual.start <= now
    assert (plan.start == actual.start)[started].all()
    assert (plan.start > now)[~started].all()
    if isinstance(policy, Conservative):
        assert (actual.start <= plan.start).all() and (plan.start <= actual.guarantee).all()


@pytest.mark.parametrize("kind", [list, np.int32, float])
def test_a_policy_may_return_its_starts_in_any_kind_of_row(workload, kind):
    class Fixed:
        def schedule(self, submit, run, estimate, procs, machine):
            starts = [0, 10]
            return {"start": starts if kind is list else np.array(starts, kind), "backfilled": [False, True]}

    schedule = simulate(workload([(0, 10, 10, 1), (1, 10, 10, 1)], 4), Fixed())
    assert schedule.jobs.start.tolist() == [0, 10]
    assert schedule.summary()[["mean_wait", "backfilled_share"]].tolist() == [4.5, 0.5]


def test_a_policy_may_be_anything_with_a_schedule_method(workload):
    class OneAtATime:
        def schedule(self, submit, run, estimate, procs, machine):
            end = 0
            start = np.zeros_like(submit)
            for job in range(len(submit)):
                start[job] = max(end, submit[job])
                end = start[job] + run[job]
            return {"start": start}

    assert simulate(workload([(0, 10, 10, 1), (1, 10, 10, 1)], 4), OneAtATime()).jobs.start.tolist() == [0, 10]


def test_columns_are_those_of_the_table(workload):
    schedule = simulate(workload([(0, 10, 20, 2), (1, 5, 9, 2), (2, 3, 3, 1)], 3), Conservative())
    for name, column in schedule.jobs.items():
        assert schedule.column(name).tolist() == column.tolist()


def test_the_slowdown_of_a_summary_is_bounded_or_not(workload):
    schedule = simulate(workload([(0, 1, 1, 1), (0, 100, 100, 1)], 2), EASY())
    assert schedule.summary().mean_bounded_slowdown == 1
    assert schedule.summary(floor=None).mean_bounded_slowdown == pytest.approx((0.1 + 1) / 2)


def test_percentiles_are_values_that_so_many_jobs_do_not_exceed(workload):
    s = simulate(workload([(0, 10, 10, 4), (1, 20, 20, 4), (2, 8, 8, 4), (100, 1, 1, 1)], 4), FCFS())
    found = s.summary(percentiles=True)
    assert list(found.index)[:8] == list(s.summary().index) and found[s.summary().index].equals(s.summary())
    assert s.jobs.wait.tolist() == [0, 9, 28, 0]
    assert found[["median_wait", "p95_wait", "p99_wait"]].tolist() == [0, 28, 28]
    assert found[["median_response", "p95_response", "p99_response"]].tolist() == [10, 36, 36]
    assert found.p95_bounded_slowdown == 3.6 and found.median_bounded_slowdown == 1
    assert s.summary(floor=None, percentiles=True).median_bounded_slowdown == 1.0
    assert len(found) == 8 + 9


def test_percentiles_are_numpys_and_those_of_no_job_are_not_known(log):
    s = simulate(log("KTH-SP2"), EASY())
    found = s.summary(percentiles=True)
    for name in ("wait", "response", "bounded_slowdown"):
        expected = np.quantile(s.column(name), [0.5, 0.95, 0.99], method="inverted_cdf")
        assert found[[f"{short}_{name}" for short in ("median", "p95", "p99")]].tolist() == expected.tolist()
    none = simulate(log("KTH-SP2").select("procs > 999"), EASY())
    assert np.isnan(none.summary(percentiles=True).p99_wait) and "<td>-</td>" in none._repr_html_()


def test_a_schedule_shows_itself_in_notebooks(workload):
    s = simulate(workload([(0, 7200, 7200, 4), (1, 20, 20, 4)], 4, name="<few>"), EASY())
    html = s._repr_html_()
    assert "<b>&lt;few&gt;</b> under EASY(" in html and "<td>2.0 h</td>" in html
    assert "2 jobs in 2.0 h on 4 processors: utilization 100%, 0% backfilled" in html and "SYNTHETIC" not in html
    assert "SYNTHETIC" in simulate(simlib.load("sample"), EASY())._repr_html_()
