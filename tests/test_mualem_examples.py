"""Figures 1 to 3 of Mu'alem & Feitelson show what their captions say, and the promises on logs are counted right."""

import pandas as pd
import pytest
from helpers import verdicts

import simlib
from simlib import EASY, Conservative, simulate
from simlib import examples as small
from simlib.papers import judging
from simlib.papers.exhibit import LOGS
from simlib.papers.mualem2001 import figures1_3
from simlib.papers.mualem2001.figures1_3 import Figures1To3


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


def decide(kept):
    return verdicts([*figures1_3.of_logs(kept), figures1_3.of_figure3(Figures1To3(lengths=(10, 1000)).delays)])


def test_the_claims_follow_from_the_counts():
    kept = pd.concat({"CTC": small.promises(small.figure2())}, names=["trace"])
    assert set(decide(kept).values()) == {judging.REPRODUCED}
    kept.loc[("CTC", "conservative", "start"), "late"] = 1
    kept.loc[("CTC", "EASY", "textbook"), "late"] = 1
    kept.loc[("CTC", "conservative", "rebackfill"), "late_share"] = 0
    assert decide(kept) == {
        "MF-01": judging.NOT,
        "MF-02": judging.NOT,
        "MF-03": judging.REPRODUCED,
        "MF-04": judging.NOT,
    }


def test_on_stand_ins_only_the_example_decides():
    exhibit = Figures1To3(lengths=(10, 1000))
    exhibit.sources = {LOGS: [simlib.load("sample")]}
    exhibit.promises = pd.concat({"CTC": small.promises(small.figure2())}, names=["trace"])
    untested = {found["id"] for found in exhibit.verdicts if found["verdict"] == judging.UNTESTED}
    assert untested == {"MF-01", "MF-02", "MF-04"}
