"""Measures of a schedule, against numbers worked out by hand; what the machine cannot have run is refused."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from helpers import random_workload, table
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, FCFS, Conservative, Workload, metrics, simulate
from simlib.core.schedule import MEANS
from simlib.logs.swf import FIELDS

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
    assert metrics.bounded_slowdown(60, 30, threshold=60) == 1.5


def test_a_schedule_has_the_workloads_jobs_and_their_times(workload):
    w = workload([(0, 10, 20, 4), (5, 10, 20, 4)], 4)
    jobs = simulate(w, EASY()).jobs
    assert list(jobs) == [*w.jobs, "start", "end", "wait", "response", "bounded_slowdown", "backfilled"]
    assert jobs[list(w.jobs)].equals(w.jobs)
    assert jobs[["start", "end", "wait", "response"]].values.tolist() == [[0, 10, 0, 10], [10, 20, 5, 15]]
    assert jobs.bounded_slowdown.tolist() == [1.0, 1.5]
    assert list(simulate(w, Conservative()).jobs)[-1] == "guarantee"


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


def test_a_summary_is_shown_in_units_and_keeps_its_numbers(workload):
    rows = [(0, 2 * DAY, 2 * DAY, 3), *((1, 90, 90, 4) for _ in range(1_199))]
    summary = simulate(workload(rows, 4), EASY()).summary()
    lines = [line.split(maxsplit=1) for line in str(summary).splitlines()[1:]]
    assert dict(lines) == {
        "mean_wait": "2.6 days",
        "mean_response": "2.6 days",
        "mean_bounded_slowdown": "2,517.9",
        "utilization": "84.6 %",
        "backfilled_share": "0.0 %",
        "jobs": "1,200",
        "makespan": "3.2 days",
        "unestimated": "0",
    }
    assert "<td>2.6 days</td>" in summary._repr_html_() and "EASY()" in summary._repr_html_()
    assert summary.makespan == 2 * DAY + 1_199 * 90
    assert "2.6" not in str(summary / 2) and (summary / 2).makespan == summary.makespan / 2


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


@pytest.mark.parametrize("kind", [int, np.uint8, np.int8, np.uint64, np.float32, object, list])
def test_use_of_a_machine_is_the_same_by_numbers_of_any_kind(kind):
    numbers = [0, 10], [10, 15], [120, 90]
    start, end, procs = numbers if kind is list else (np.array(one, kind) for one in numbers)
    times, share = metrics.utilization(start, end, procs, 200)
    assert (times.tolist(), share.tolist(), times.dtype) == ([0, 10, 15], [0.6, 0.45, 0], np.int64)
    assert metrics.most_at_once(start, end, procs) == 120
    assert metrics.most_at_once([0, 5], [10, 15], np.array([100, 100], np.int8)) == 200
    assert metrics.utilization([0, 5], [10, 15], np.array([True, True]), 2)[1].tolist() == [0.5, 1, 0.5, 0]


@pytest.mark.parametrize("wrong", [[0.5, 10], [None, 10], np.array([2**64 - 1, 1], np.uint64)])
def test_numbers_that_are_not_whole_are_no_use_of_a_machine(wrong):
    for measure, machine in ((metrics.utilization, [4]), (metrics.most_at_once, [])):
        with pytest.raises(ValueError, match="found .* whole numbers"):
            measure(wrong, [10, 15], [1, 1], *machine)


@pytest.mark.parametrize("edges", [[20, 0], [0, 10, 10], [0, 10.5], [[0, 10]]])
def test_edges_of_periods_are_rising_seconds(workload, edges):
    schedule = simulate(workload([(0, 10, 10, 2)], 4), FCFS())
    for measure in (schedule.by_period, schedule.means):
        with pytest.raises(ValueError, match="edges of periods: found"):
            measure(edges)
    assert schedule.by_period(np.array([0, 12, 20], np.float32)).jobs.tolist() == [1, 0]


@pytest.mark.parametrize("procs, upper", [(2**30, 2**30), (2**30 + 1, 2**31), (2**40, 2**40), (2**62, 2**62), (3, 4)])
def test_jobs_of_any_size_have_a_size_class(procs, upper):
    assert metrics.size_class([procs, 1]).tolist() == [upper, 1]
    w = Workload(pd.DataFrame({"submit": [0], "run": [1], "procs": [procs]}), 2**62)
    assert simlib.replicate(w, EASY(), shakes=0, by="size").index[0][-1] == metrics.class_name(upper)


times = st.integers(0, 50)


@pytest.mark.slow
@given(
    st.lists(st.tuples(times, times, times, st.integers(1, 5), st.booleans()), min_size=1),
    st.lists(st.integers(-10, 160), unique=True).map(sorted),
    st.sampled_from([1.0, -np.inf]),
)
def test_totals_are_sums_over_the_jobs_that_end_in_a_period_and_the_seconds_in_it(jobs, edges, floor):
    submit, wait, run, procs, backfilled = np.array(jobs).T.copy()
    start, end = submit + wait, submit + wait + run
    procs.setflags(write=False)  # as a schedule has it: for other arrays another kernel is compiled
    edges = np.array(edges, int)
    sums = metrics.totals(edges, submit, start, run, procs, backfilled.astype(bool), floor)
    slowdown = metrics.bounded_slowdown(wait, run, floor=None if floor == -np.inf else floor)
    seconds = np.arange(160)
    busy = ((start <= seconds[:, None]) & (seconds[:, None] < end)) @ procs
    ended, during = (np.searchsorted(edges, of, side="right") for of in (end, seconds))
    of_jobs = [np.ones_like(run), wait, wait + run, slowdown, backfilled]
    periods = range(len(edges) + 1)
    expected = [[*(of[ended == n].sum() for of in of_jobs), busy[during == n].sum()] for n in periods]
    np.testing.assert_allclose(sums[:-1], expected, rtol=1e-6)
    np.testing.assert_allclose(sums[-1], sums[:-1].sum(axis=0), rtol=1e-6)


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


def test_who_ends_in_the_second_of_a_plan_has_ended(workload):
    s = simulate(workload([(0, 10, 20, 4), (1, 5, 5, 4)], 4), EASY())
    assert [s.plan(now).jobs.start.tolist() for now in (9, 10)] == [[0, 20], [0, 10]]


def test_columns_are_those_of_the_table(workload):
    schedule = simulate(workload([(0, 10, 20, 2), (1, 5, 9, 2), (2, 3, 3, 1)], 3), Conservative())
    for name, column in schedule.jobs.items():
        assert schedule.column(name).tolist() == column.tolist()


def test_percentiles_are_numpys_and_those_of_no_job_are_not_known(log):
    s = simulate(log("KTH-SP2"), EASY())
    summary = s.summary(percentiles=True)
    for name in ("wait", "response", "bounded_slowdown"):
        expected = np.quantile(s.column(name), [0.5, 0.95, 0.99], method="inverted_cdf")
        assert summary[[f"{short}_{name}" for short in ("median", "p95", "p99")]].tolist() == expected.tolist()
    none = simulate(log("KTH-SP2").select("procs > 999"), EASY())
    assert np.isnan(none.summary(percentiles=True).p99_wait) and "<td>-</td>" in none._repr_html_()


def test_a_schedule_shows_itself_in_notebooks(workload):
    s = simulate(workload([(0, 7200, 7200, 4), (1, 20, 20, 4)], 4, name="<few>"), EASY())
    html = s._repr_html_()
    assert "<b>&lt;few&gt;</b> under EASY(" in html and "<td>2.0 h</td>" in html
    assert "2 jobs in 2.0 h on 4 processors: utilization 100%, 0% backfilled" in html and "SYNTHETIC" not in html
    assert "SYNTHETIC" in simulate(simlib.load("sample"), EASY())._repr_html_()


# What a policy may return: whatever made it

ROWS = [(0, 10, 10, 2), (1, 5, 5, 3), (2, 4, 6, 1)]  # on 4 processors EASY starts them at 0, 10, 2


@dataclass
class Returns:
    """Returns what it is told to, or what a function makes of the submit times."""

    columns: object = field(repr=False)

    def schedule(self, submit, run, estimate, size, machine, feedback=None):
        return self.columns(submit) if callable(self.columns) else self.columns


def scheduled(columns):
    return simulate(table(ROWS, 4), Returns(columns))


def test_a_possible_schedule_is_taken_as_lists_floats_or_small_integers():
    for kind in (list, np.float64, np.int16, np.uint64):
        start = [0, 10, 2] if kind is list else np.array([0, 10, 2], kind)
        jobs = scheduled({"start": start, "backfilled": [0, 0, 1], "colour": ["r", "g", "b"]}).jobs
        assert (jobs.start.tolist(), jobs.start.dtype) == ([0, 10, 2], np.int64)
        assert jobs.backfilled.tolist() == [False, False, True]
        assert jobs.colour.tolist() == ["r", "g", "b"]


IMPOSSIBLE = {
    "overlapping": ({"start": [0, 1, 2]}, "job 1 starts at second 1, when 5 processors"),
    "early": ({"start": [0, 10, 1]}, "job 2 starts at second 1, .* 2 or later"),
    "before the log": (lambda submit: {"start": submit - 100}, "job 0 starts at second -100"),
    "one start for all": ({"start": [10]}, "start: found 1 value"),
    "two dimensions": ({"start": [[0], [10], [2]]}, r"start: found an array of shape \(3, 1\)"),
    "one flag": ({"start": [0, 10, 2], "backfilled": [True]}, "backfilled: found 1 value"),
    "one submit": (lambda submit: {"start": [0, 10, 2], "submit": submit[:1]}, "submit: found 1 value"),
    "halves": ({"start": [0, 10.5, 2]}, "start: job 1: found 10.5"),
    "nan": ({"start": [0, np.nan, 2]}, "start: job 1: found nan"),
    "beyond 64 bits": ({"start": [0, 2**62, 2]}, "start: job 1: found 4611686018427387904"),
    "texts": ({"start": ["0", "10", "2"]}, "start: job 0: found '0'"),
    "nothing": ({"start": [0, None, 2]}, "start: job 1: found None"),
    "flags of another kind": ({"start": [0, 10, 2], "backfilled": ["no", "no", "yes"]}, "backfilled: .*True or False"),
    "moved submissions": ({"start": [0, 10, 2], "submit": [0, 0, 2]}, "job 1 is submitted at second 0, expected 1"),
    "a column that is there": ({"start": [0, 10, 2], "wait": [0, 0, 0]}, "a column 'wait'"),
    "a column of the jobs": ({"start": [0, 10, 2], "procs": [1, 1, 1]}, "a column 'procs'"),
    "no dict": ([0, 10, 2], r"schedule returned \[0, 10, 2\]"),
    "no start": ({"begin": [0, 10, 2]}, "a dict of 'begin', .* 'start'"),
}


@pytest.mark.parametrize("returned, said", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_an_impossible_schedule_is_refused_with_the_job_and_the_second(returned, said):
    with pytest.raises(ValueError, match=said):
        scheduled(returned)


def test_a_policy_that_changes_what_it_gets_changes_nothing_but_its_own_copies():
    class Shortening:
        def schedule(self, submit, run, estimate, size, machine):
            start = EASY().schedule(submit.copy(), run.copy(), estimate, size, machine)["start"]
            for column in (submit, run, estimate, size):
                column[:] = 1
            return {"start": start}

    w = random_workload(2)
    before = w.jobs.copy()
    ours, expected = (simulate(w, policy).jobs.drop(columns="backfilled") for policy in (Shortening(), EASY()))
    assert ours.equals(expected)
    assert w.jobs.equals(before)


def test_a_policy_that_returns_the_same_arrays_again_does_not_change_an_earlier_schedule():
    start, colour = np.array([0, 10, 2]), np.array([1, 2, 3])
    again = Returns(lambda submit: {"start": start, "colour": colour})
    before = simulate(table(ROWS, 4), again)
    start[1], colour[:] = 11, 0
    assert simulate(table(ROWS, 4), again).jobs.start.tolist() == [0, 11, 2]
    assert (before.jobs.start.tolist(), before.jobs.colour.tolist()) == ([0, 10, 2], [1, 2, 3])


def test_with_feedback_followers_are_submitted_a_think_time_after_the_job_that_they_follow():
    rows = table([(0, 10, 10, 1), (20, 5, 5, 1)], 1).jobs.set_axis([1, 2])
    log = pd.DataFrame(-1, index=rows.index, columns=FIELDS).assign(job=[1, 2], submit=rows.submit)
    log.loc[2, ["preceding", "think"]] = 1, 3
    w = Workload(rows, 1, log=log)

    assert simulate(w, Returns({"start": [0, 20], "submit": [0, 13]}), feedback=True).jobs.wait.tolist() == [0, 7]
    with pytest.raises(ValueError, match="job 2 is submitted at second 20, expected 13"):
        simulate(w, Returns({"start": [0, 20], "submit": [0, 20]}), feedback=True)


def test_jobs_of_no_length_hold_no_processor():
    w = table([(0, 5, 5, 4), (3, 0, 0, 4), (5, 2, 2, 4)], 4)
    assert simulate(w, Returns({"start": [0, 3, 5]})).jobs.end.tolist() == [5, 3, 7]


def test_a_schedule_that_was_tampered_with_does_not_pass_the_check():
    schedule = simulate(random_workload(3), EASY())
    schedule._start[7] = schedule._submit[7] - 1
    with pytest.raises(ValueError, match="job 7 starts at second"):
        schedule.check()
