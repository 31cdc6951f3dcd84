"""Policies under rising load: batch means, stopping rules, paired differences, and means over several runs."""

import numpy as np
import pandas as pd
import pytest
from helpers import random_jobs, unhurried
from scipy import stats

import simlib
from simlib import EASY, Conservative, metrics
from simlib.analysis.stats import batch_means
from simlib.logs.swf import FIELDS
from simlib_study import load_curves
from simlib_study.load_curves import at_load

ENDLESS = {"most": 100, "precision": None, "ceiling": None}
POLICIES = {"easy": EASY(), "conservative": Conservative()}


def test_a_point_is_the_batch_means_of_the_simulation_at_that_load():
    w = random_jobs()
    policies = {"easy": EASY(), "conservative": Conservative()}
    points, _ = at_load(w, 0.7, policies, 50, stopping=ENDLESS)
    for name, policy in policies.items():
        jobs = simlib.simulate(w.scale_load(0.7), policy).jobs.sort_values("end", kind="stable")
        slowdown = metrics.bounded_slowdown(jobs.wait, jobs.run, floor=None)
        for metric, values in (("response_s", jobs.response), ("bounded_slowdown", slowdown)):
            found, row = batch_means(values, 50), points.loc[name, metric]
            assert (row["mean"], row.low, row.high, row.lag1) == (found.mean, found.low, found.high, found.lag1)
            assert (row.batches, row.stopped, row.whole) == (39, "end", found.mean)
            assert row.accuracy == pytest.approx(found.half_width / found.mean)


def test_the_load_executed_is_that_of_the_batches_without_the_warm_up():
    w = unhurried([4, 4, 4, 4])  # on four processors; the first batch, of one job, ends at second 4, the last at 7
    points, _ = at_load(w, w.load, POLICIES, 1, stopping=ENDLESS)
    assert points.loc["easy", "response_s"].executed == (3 + 2 + 1) / (4 * 3)


def test_with_feedback_jobs_follow_the_simulated_end_of_others():
    runs = [4, 1, 1, 1]
    jobs = unhurried(runs).jobs
    log = pd.DataFrame(-1, index=jobs.index, columns=FIELDS).assign(job=jobs.index + 1, submit=jobs.submit, run=runs)
    log.loc[jobs.index[1:], ["preceding", "think"]] = [[1, 0], [2, 0], [3, 0]]
    w = simlib.Workload(jobs.assign(procs=4), 4, log=log)  # one after another, though recorded as overlapping
    for feedback, mean in ((False, 4), (True, 1)):
        points, _ = at_load(w, w.load, POLICIES, 1, stopping=ENDLESS, feedback=feedback)
        assert points.loc["easy", "response_s"]["mean"] == mean


@pytest.mark.parametrize(
    ("runs", "first_to_end"),
    [
        ([1000, 30, 60, 90], 1),
        ([1000, 31, 30, 90], 1),  # at the same second as the third
        ([1000, 90, 30, 60], 2),
    ],
)
def test_the_batches_are_cut_in_order_of_termination_ties_by_arrival(runs, first_to_end):
    w = unhurried(runs)
    points, _ = at_load(w, w.load, POLICIES, 1, stopping=ENDLESS)
    kept = np.delete(runs, first_to_end)  # the first batch, here of one job, is dropped
    assert points.loc["easy", "response_s"]["mean"] == np.mean(kept)


def test_the_response_time_decides_where_both_metrics_stop():
    w = random_jobs()
    stopping = {"most": 100, "precision": None, "ceiling": 3000}
    (high, above), (low, below) = (at_load(w, load, POLICIES, 20, stopping=stopping) for load in (0.95, 0.3))
    assert (high.stopped == "ceiling").all() and (low.stopped == "end").all()
    response, slowdown = (high.loc["easy", metric] for metric in ("response_s", "bounded_slowdown"))
    assert 20 <= response.batches == slowdown.batches < 99
    assert response["mean"] > 3000 and response["mean"] != response.whole
    assert above.ceiling.all() and not below.ceiling.any()


def test_the_difference_is_known_better_than_the_means():
    points, differences = at_load(random_jobs(), 0.7, POLICIES, 50, stopping=ENDLESS)
    pair = differences.loc["conservative", "response_s"]
    easy, conservative = (points.loc[name, "response_s"] for name in POLICIES)
    assert pair.relative == pytest.approx(pair.other / pair.one - 1)
    assert (pair.one, pair.other) == pytest.approx((easy["mean"], conservative["mean"]), rel=0.05)
    assert (pair.high - pair.low) < 0.5 * (easy.high - easy.low) / easy["mean"]


def test_equal_schedulers_do_not_differ():
    _, differences = at_load(random_jobs(), 0.9, {"one": EASY(), "other": EASY(reuse_extra=False)}, 50)
    assert (differences[["relative", "low", "high"]] == 0).all(axis=None)


def test_equal_policies_are_simulated_once_and_any_two_can_be_compared(monkeypatch):
    found = []
    counted = lambda *args, **options: found.append(args) or simlib.simulate(*args, **options)  # noqa: E731
    monkeypatch.setattr(load_curves, "simulate", counted)
    policies = {("easy", "a"): EASY(), ("easy", "b"): EASY(), ("conservative", "a"): Conservative()}
    pairs = {"b": (("easy", "b"), ("conservative", "a"))}
    points, differences = at_load(random_jobs(), 0.7, policies, 50, pairs)
    assert len(found) == 2
    assert points.xs("a", level=1).loc["easy"].equals(points.xs("b", level=1).loc["easy"])
    assert differences.index.tolist() == [("b", "response_s"), ("b", "bounded_slowdown")]


def test_a_single_policy_has_points_and_nothing_to_be_compared_with():
    w = random_jobs()
    points, differences = at_load(w, 0.7, {"easy": EASY()}, 50)
    assert differences.empty
    assert points.equals(at_load(w, 0.7, POLICIES, 50)[0].loc[["easy"]])


@pytest.mark.parametrize("policies", [(EASY(),), {}])
def test_policies_without_names_are_refused(policies):
    with pytest.raises(ValueError, match="at_load: found policies=.*, expected a dict by name"):
        at_load(random_jobs(), 0.7, policies, 50)


def test_other_measures_can_be_taken_of_which_the_first_decides_when_to_stop():
    measures = {"wait_s": lambda schedule: schedule.column("wait").astype(float)} | load_curves.MEASURES
    stopping = {"most": 30, "precision": None, "ceiling": None}
    points, _ = at_load(random_jobs(), 0.7, POLICIES, 20, measures=measures, stopping=stopping)
    assert points.loc["easy"].index.tolist() == list(measures)
    assert (points.batches == 30).all()


@pytest.mark.slow
def test_intervals_of_the_relative_difference_cover_that_of_long_runs():
    runs = {seed: at_load(random_jobs(4000, seed), 0.7, POLICIES, 100)[1] for seed in range(40)}
    covered = load_curves.coverage(pd.concat(runs, names=["run"]).rename_axis(["run", "pair", "metric"]), "relative")
    assert stats.binomtest(int(covered.sum()), len(covered), 0.9).pvalue > 0.01


# Several runs


def made_up(relative=0.1, runs=5):
    """Made-up differences of several runs, one a thousandth above the mean, one below, the others between."""
    values = relative + 0.001 * np.linspace(-1, 1, runs)
    table = pd.DataFrame({"relative": values, "low": values - 0.0006, "high": values + 0.0006, "ceiling": False})
    index = pd.MultiIndex.from_product([range(runs), ["Jann"], ["response_s"]], names=["run", "workload", "metric"])
    return table.set_index(index)


def test_over_runs_gives_students_t_over_them():
    table = made_up()
    row = load_curves.over_runs(table, "relative").loc["Jann", "response_s"]
    assert (row.low, row.high) == pytest.approx(stats.t.interval(0.9, 4, 0.1, stats.sem(table.relative)))
    assert (row.relative, row.runs, row.ceiling) == (pytest.approx(0.1), 5, False)


def test_the_ceiling_counts_where_it_stopped_most_runs():
    table = made_up(runs=4)
    for stopped, most in (([True, True, False, False], False), ([True, True, True, False], True)):
        assert load_curves.over_runs(table.assign(ceiling=stopped), "relative").ceiling.tolist() == [most]


def test_a_single_run_cannot_tell_how_much_runs_differ():
    with pytest.raises(ValueError, match="found 1 run, expected at least 2"):
        load_curves.over_runs(made_up(runs=1), "relative")


def test_coverage_asks_whether_each_interval_holds_the_mean_of_all_runs():
    assert load_curves.coverage(made_up(), "relative").tolist() == [False, True, True, True, False]
