"""Figures 1 to 3 of Mu'alem & Feitelson show what their captions say, and the promises on logs are counted right."""

import pandas as pd
import pytest
from helpers import verdict_by_id

import simlib
from simlib import EASY, Conservative, Workload, simulate
from simlib.models import examples as small
from simlib.study import claims
from simlib.study.exhibit import LOGS
from simlib.study.mualem2001 import figures1_3
from simlib.study.mualem2001.figures1_3 import Figures1To3


def test_figure_1_reserves_for_the_first_passes_over_an_anchor_for_the_second_and_backfills_the_third():
    jobs = simulate(small.figure1(), Conservative()).jobs
    assert jobs.start[["first", "second", "third"]].tolist() == [60, 100, 6]
    assert jobs.backfilled[jobs.backfilled].index.tolist() == ["third"]


@pytest.mark.parametrize("rule, start", [("arrival", 20), ("start", 20), ("none", 40), ("rebackfill", 90)])
def test_figure_2_breaks_the_promise_only_when_all_reservations_are_made_anew(rule, start):
    second = simulate(small.figure2(), Conservative(compress=rule)).jobs.loc["second"]
    assert (second.guarantee, second.start) == (40, start)


def test_figure_3_delays_the_second_job_by_as_long_as_the_backfilled_one_runs():
    delay = Figures1To3(lengths=(10, 100, 1000)).delays
    assert delay.easy.tolist() == [20, 103, 1003]
    assert delay.without.tolist() == delay.conservative.tolist() == [20, 20, 20]
    assert simulate(small.figure3(1000), EASY()).jobs.start["first"] == 10


def test_promises_are_counted_and_their_breach_measured():
    kept = small.promises(small.figure2())
    assert kept.promised["conservative"].tolist() == [4, 4, 4, 4]
    assert kept.late["conservative"].to_dict() == {"arrival": 0, "start": 0, "none": 0, "rebackfill": 1}
    late = kept.loc["conservative", "rebackfill"]
    assert (late.late_share, late.mean_late_s, late.worst_s) == (0.25, 50, 50)
    assert kept.promised["EASY"].max() <= 2  # only who waits at the head is promised something


@pytest.fixture
def exhibit():
    """On the jobs of Figure 2, as if they were CTC's log."""
    made = Figures1To3(lengths=(10, 1000))
    made.promises = pd.concat({"CTC": small.promises(small.figure2())}, names=["trace"])
    made.waits = pd.DataFrame({"beyond": [0, 0], "most": [0.5, 0.6], "beyond_estimate": [0, 1]}, index=WAITS)
    return made


WAITS = pd.MultiIndex.from_tuples([("CTC", "text"), ("CTC", "likely")], names=["trace", "rule"])


def test_the_claims_follow_from_the_counts(exhibit):
    assert verdict_by_id(exhibit.judge()) == dict.fromkeys(
        ["MF-01", "MF-02", "MF-03", "MF-04", "MF-48"], claims.REPRODUCED
    )


def test_the_claims_are_told_from_false_ones(exhibit):
    exhibit.promises.loc[("CTC", "conservative", "start"), "late"] = 1
    exhibit.promises.loc[("CTC", "EASY", "textbook"), "late"] = 1
    exhibit.waits.loc[("CTC", "text"), "beyond"] = 1
    exhibit.second["rebackfill"] = exhibit.second["arrival"]
    exhibit.promises.loc[("CTC", "conservative", "rebackfill"), "late_share"] = 0
    exhibit.delays["easy"] = 20
    found = verdict_by_id(exhibit.judge())
    assert set(found.values()) == {claims.NOT}


def test_the_likely_program_is_judged_beside_the_text(exhibit):
    exhibit.promises.loc[("CTC", "EASY", "reuse_extra"), "late"] = 1
    heads = {one["id"]: one for one in exhibit.judge()}["MF-04"]
    assert (heads["verdict"], heads["readings"]["likely"]["verdict"]) == (claims.REPRODUCED, claims.NOT)


def test_a_rank_counts_the_earlier_jobs_that_go_on_waiting():
    submit, start = pd.Series([0, 1, 2, 2, 5, 9]), pd.Series([0, 5, 9, 2, 9, 9])
    assert figures1_3.ranks(submit, start).tolist() == [1, 1, 2, 3, 2, 1]


@pytest.mark.parametrize("wait, beyond, of_estimate", [(100, 0, 0), (150, 0, 1), (250, 1, 1)])
def test_waits_are_held_against_the_longest_that_a_job_may_run_times_the_rank(wait, beyond, of_estimate):
    jobs = {"submit": [0, 0], "start": [0, wait], "wait": [0, wait], "run": [200, 50], "estimate": [100, 100]}
    found = figures1_3.beyond_rank(pd.DataFrame(jobs))
    assert (found["limit"], found["beyond"], found["beyond_estimate"]) == (200, beyond, of_estimate)
    assert found["most"] == wait / 200


def test_under_easy_the_third_in_the_queue_waits_no_longer_than_three_limits():
    rows = {name: (0, 100, 100, 4) for name in "ABCD"}
    jobs = simulate(Workload.of("queue", 4, **rows), EASY()).jobs
    assert figures1_3.beyond_rank(jobs) | {"limit": 0} == {"limit": 0, "beyond": 0, "most": 1, "beyond_estimate": 0}


def test_on_stand_ins_only_the_example_decides(exhibit):
    exhibit.sources = {LOGS: [simlib.load("sample")]}
    untested = {found["id"] for found in exhibit.verdicts if found["verdict"] == claims.UNTESTED}
    assert untested == {"MF-01", "MF-02", "MF-04", "MF-48"}
