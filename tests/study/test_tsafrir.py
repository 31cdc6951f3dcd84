"""What is measured for Tsafrir, Etsion & Feitelson: by hand, and which numbers are theirs."""

import numpy as np
import pandas as pd
import pytest
from helpers import numbered, table
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, FCFS, OwnPolicy, Predictions, simulate
from simlib.policies import examples_own
from simlib_study import Logs, judge, loading, printed, tsafrir2005
from simlib_study.tsafrir2005 import Window, by_estimates, counted, performance, reservations

USERS = Predictions("estimate", correct=False)


def test_the_first_hundredth_of_the_jobs_to_end_does_not_count():
    rows = [(0, 1000, 1000, 1), *[(10 * place, 5, 5, 1) for place in range(1, 200)]]
    left_out = np.flatnonzero(~counted(simulate(table(rows, 4), EASY())))
    assert left_out.tolist() == [1, 2]  # the first job ends last


def test_performance_is_in_minutes_and_per_cent():
    w = table([(0, 600, 1200, 4), (0, 600, 1200, 4)], 4)
    found = performance(simulate(w, EASY()))
    assert found.to_dict() == {"wait_min": 5, "bounded_slowdown": 1.5, "accuracy_pct": 50}


def test_who_waits_for_its_turn_has_a_reservation_and_who_passes_has_none():
    rows = [(0, 600, 1200, 3), (1, 60, 60, 4), (2, 60, 60, 1), (3, 60, 60, 4), (5000, 1, 1, 1)]
    found = reservations(simulate(table(rows, 4), EASY()))
    # job 1 is told 1200 and starts at 600, job 3 becomes first at 600, is told 660 and starts then; job 2 is backfilled
    assert found.loc["difference"].to_dict() == {"rate": 40, "average": 5, "median": 5, "sd": 5}
    assert found.loc["delay", "rate"] == 0 and np.isnan(found.loc["delay", "average"])


def test_a_job_that_becomes_first_and_starts_in_one_pass_has_a_reservation_for_that_moment():
    rows = [(0, 600, 600, 4), (1, 60, 60, 2), (2, 60, 60, 2)]
    schedule = simulate(table(rows, 4), EASY())
    assert schedule.shadow.to_list() == [-1, 600, -1]
    assert reservations(schedule).loc["difference", "rate"] == pytest.approx(100 * 2 / 3)


def test_a_schedule_without_reservations_is_refused():
    schedule = simulate(table([(0, 600, 600, 4)], 4), FCFS())
    with pytest.raises(ValueError, match=r"found a schedule under FCFS\(.*\), expected one under EASY"):
        reservations(schedule)


def test_a_reservation_by_an_estimate_that_was_outlived_stays_in_the_past():
    rows = [(0, 1200, 600, 4), (900, 60, 60, 4)]
    late = {
        name: reservations(simulate(table(rows, 4), EASY(adjust=adjust))).loc["delay"]
        for name, adjust in {"kept": USERS, "corrected": Predictions("estimate")}.items()
    }
    assert late["kept"].average == 10  # told 600, started at 1200
    assert late["corrected"].average == 4  # told 960, after one and five minutes more, at second 900


def test_a_second_reservation_is_what_easy_would_promise_by_the_users_estimates():
    rows = [(0, 10, 600, 4, 7, 0), (100, 600, 600, 4, 7, 0), (150, 60, 60, 4, 7, 0)]
    schedule = simulate(numbered(rows, 4), EASY.plus_plus())
    assert schedule.shadow.to_list() == [-1, -1, 700]  # corrected at once, for ten seconds were predicted
    assert by_estimates(schedule).tolist() == [-1, -1, 700]
    rows[2] = (105, 60, 60, 4, 7, 0)
    schedule = simulate(numbered(rows, 4), EASY.plus_plus())
    assert (schedule.shadow.iloc[2], by_estimates(schedule)[2]) == (110, 700)
    assert tsafrir2005.late_shares(schedule).to_dict() == {"first": pytest.approx(100 / 3), "second": 0}


def test_by_the_users_estimates_easy_has_its_own_reservations():
    rng = np.random.default_rng(3)
    rows = [np.sort(rng.integers(0, 9000, 300)), *rng.integers(1, 400, (2, 300)), rng.integers(1, 8, 300)]
    schedule = simulate(table(np.column_stack(rows), 8), EASY(adjust=USERS))
    made = schedule.shadow.to_numpy()
    assert by_estimates(schedule).tolist() == made.tolist() and (made >= 0).sum() > 50


def test_by_the_users_estimates_alone_the_second_proposal_is_easy_sjbf():
    rng = np.random.default_rng(4)
    rows = [np.sort(rng.integers(0, 9000, 300)), *rng.integers(1, 400, (2, 300)), rng.integers(1, 8, 300)]
    rows[1] = np.minimum(rows[1], rows[2])  # nothing is outlived, so that nothing is corrected
    nobody = numbered(np.column_stack([*rows, np.full(300, -1), np.zeros(300, int)]), 8)  # and nothing is predicted
    own = simulate(nobody, OwnPolicy(tsafrir2005.predicted_order, Window("all")))
    sjbf = simulate(nobody, EASY(adjust=USERS, backfill="sjf"))
    assert own.jobs.start.to_list() == sjbf.jobs.start.to_list()


def windows(rows):
    """The predictions of each kind of window for jobs that come one after the other."""
    w = numbered(rows, 8)
    kinds = {kind: Window(kind) for kind in ("all", "extended", "immediate", "submitted")}
    kinds |= {f"{kind}, full": Window(kind, full=True) for kind in kinds}
    return {
        kind: simulate(w, OwnPolicy(examples_own.easy, window)).jobs.adjusted.iloc[-1] for kind, window in kinds.items()
    }


def test_the_windows_of_section_6_by_hand():
    rows = [(0, 10, 90, 1, 7, 0), (20, 20, 90, 1, 7, 0), (50, 30, 60, 1, 7, 0), (90, 500, 90, 1, 7, 0)]
    found = windows([*rows, (100, 5, 90, 1, 7, 0)])  # the fourth has not ended; the third asked for something else
    assert found == {
        "all": 25,  # of 20 and 30
        "extended": 15,  # of 10 and 20
        "immediate": 90,
        "submitted": 30,  # the one of the last two that has ended
        "all, full": 25,
        "extended, full": 15,
        "immediate, full": 90,
        "submitted, full": 90,
    }
    one = windows([(0, 10, 60, 1, 7, 0), (20, 20, 90, 1, 7, 0), (50, 5, 90, 1, 7, 0)])
    assert (one["immediate"], one["immediate, full"], one["extended, full"]) == (20, 90, 90)


def test_the_longest_job_of_a_window_may_predict():
    w = numbered([(0, 10, 90, 1, 7, 0), (20, 30, 90, 1, 7, 0), (60, 5, 90, 1, 7, 0), (70, 5, 20, 1, 7, 0)], 8)
    found = simulate(w, OwnPolicy(examples_own.easy, Window("all", longest=True)))
    assert found.jobs.adjusted.tolist() == [90, 10, 30, 20]


@given(seed=st.integers(0, 2**32))
def test_two_windows_are_predictors_of_the_library(seed):
    rng = np.random.default_rng(seed)
    run = rng.integers(1, 400, 60)
    asked = rng.choice([100, 200, 400], 60)
    rows = np.column_stack(
        [np.sort(rng.integers(0, 3000, 60)), run, asked, rng.integers(1, 5, 60), rng.integers(0, 3, 60)]
    )
    w = numbered(np.column_stack([rows, np.zeros(60, int)]), 8)
    for window, predictor in ((Window("all"), "last two"), (Window("immediate", full=True), "same estimate")):
        ours = simulate(w, EASY(adjust=Predictions(predictor))).jobs
        own = simulate(w, OwnPolicy(examples_own.easy, window)).jobs
        pd.testing.assert_frame_equal(own[["start", "adjusted"]], ours[["start", "adjusted"]])


def test_the_printed_means_are_those_with_most_decimals():
    found = printed("tsafrir2005_table2 table3 figure5")
    assert found["wait_min", "KTH-SP2", "EASY"] == 114.2 and found["wait_min", "KTH-SP2", "EASY++"] == 94
    assert found["accuracy_pct", "CTC-SP2", "predictions"] == 56 and found.index.is_unique and len(found) == 64


def test_printed_changes_are_those_of_the_printed_means():
    means = printed("tsafrir2005_table2 table3 figure5").unstack("policy")
    for name, within in (("table2", 0.7), ("table3", 3.5)):  # as far as whole minutes say
        changes = printed(f"tsafrir2005_{name}_changes").unstack("policy")
        ours = 100 * (means[changes.columns].div(means.EASY, axis=0) - 1).loc[changes.index]
        assert (ours - changes).abs().drop(index=("bounded_slowdown", "CTC-SP2")).max().max() < within


def test_an_unknown_log_is_refused():
    with pytest.raises(ValueError, match="logs: Intrepid: found no such file.*names out of SDSC-SP2, CTC-SP2"):
        loading.logs("tsafrir2005", ["Intrepid"])


@pytest.mark.slow
def test_the_authors_program_comes_out_on_kth():
    logs = tsafrir2005.logs(["KTH-SP2"])
    if logs.stand_in:
        pytest.skip("KTH-SP2 is not on this machine")
    table5 = printed("tsafrir2005_table5").xs("KTH-SP2", level="log")
    schedule = simulate(logs["KTH-SP2"], EASY(adjust=Predictions("same estimate")))
    ours, theirs = reservations(schedule).loc["difference"], table5.xs("EASY+", level="policy")
    assert (ours.round() - theirs).abs().drop("sd").max() <= 1


def test_the_printed_numbers_of_a_log_that_is_absent_are_counted():
    of_print = printed("tsafrir2005_table2")
    here = of_print[of_print.index.isin(["KTH-SP2"], level="log")]
    logs = Logs({}, absent=[name for name in tsafrir2005.TRACES if name != "KTH-SP2"])
    table = judge(here, "tsafrir2005_table2", logs)
    assert len(table) == len(of_print) > len(here) and (table.verdict == "log not at hand").any()
