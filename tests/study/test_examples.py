"""The papers' small schedules show what their captions say, and what is counted on logs beside them."""

import helpers
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from as_in_study import executed
from exhibits import trace_logs
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, FCFS, Conservative, Workload, simulate
from simlib.models import examples as small
from simlib_study import claims, mualem2001, records
from simlib_study.mualem2001.ranks import beyond_rank, ranks
from simlib_study.tang2013 import examples
from simlib_study.tang2013.examples import backfill_decisions, backfill_window


def test_figure_1_reserves_for_the_first_passes_over_an_anchor_for_the_second_and_backfills_the_third():
    jobs = simulate(small.figure1(), Conservative()).jobs
    assert jobs.start[["first", "second", "third"]].tolist() == [60, 100, 6]
    assert jobs.backfilled[jobs.backfilled].index.tolist() == ["third"]


@pytest.mark.parametrize("rule, start", [("arrival", 20), ("start", 20), ("none", 40), ("rebackfill", 90)])
def test_figure_2_breaks_the_promise_only_when_all_reservations_are_made_anew(rule, start):
    second = simulate(small.figure2(), Conservative(compress=rule)).jobs.loc["second"]
    assert (second.guarantee, second.start) == (40, start)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What the notebook of Figures 1 to 3 makes of the jobs of Figure 2, as if they were CTC's log."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records.paths, "ROOT", tmp_path_factory.mktemp("root"))
        patch.setattr(mualem2001, "logs", lambda *_: trace_logs(mualem2001.Trace("CTC", ctc())))
        return executed("mualem2001/figures1-3", logs=["CTC"], lengths=[10, 100, 1000])


def ctc():
    jobs = small.figure2()
    return Workload(jobs.jobs, jobs.procs, "CTC-SP2", source={"file": "made-up.swf"})


def test_figure_3_delays_the_second_job_by_as_long_as_the_backfilled_one_runs(made):
    delay = made["delays"]
    assert delay.EASY.tolist() == [20, 103, 1003]
    assert delay.without.tolist() == delay.conservative.tolist() == [20, 20, 20]
    assert simulate(small.figure3(1000), EASY()).jobs.start["first"] == 10


def test_promises_are_counted_and_their_breach_measured(made):
    kept, known = made["promises"].loc["CTC"], small.promises(small.figure2())
    pd.testing.assert_frame_equal(kept.reset_index(drop=True), known.reset_index(drop=True), check_dtype=False)
    assert kept.promised.tolist()[:4] == [4, 4, 4, 4] and kept.late.tolist()[:4] == [0, 0, 0, 1]
    late = kept.loc["conservative, all made again"]
    assert (late.late_share, late.mean_late_s, late.worst_s) == (0.25, 50, 50)
    assert kept.promised[["EASY", "EASY, extra shared"]].max() <= 2  # only who waits at the head is promised something


def test_the_claims_follow_from_the_counts(made):
    names = ("on_time", "later", "unbounded", "heads", "bounded")
    assert [made[name]["verdict"] for name in names] == [claims.REPRODUCED] * 5


def test_a_rank_counts_the_earlier_jobs_that_go_on_waiting():
    submit, start = pd.Series([0, 1, 2, 2, 5, 9]), pd.Series([0, 5, 9, 2, 9, 9])
    assert ranks(submit, start).tolist() == [1, 1, 2, 3, 2, 1]


@pytest.mark.parametrize("wait, beyond, of_estimate", [(100, 0, 0), (150, 0, 1), (250, 1, 1)])
def test_waits_are_held_against_the_longest_that_a_job_may_run_times_the_rank(wait, beyond, of_estimate):
    jobs = {"submit": [0, 0], "start": [0, wait], "wait": [0, wait], "run": [200, 50], "estimate": [100, 100]}
    found = beyond_rank(pd.DataFrame(jobs))
    assert (found["limit"], found["beyond"], found["beyond_estimate"]) == (200, beyond, of_estimate)
    assert found["most"] == wait / 200


def test_under_easy_the_third_in_the_queue_waits_no_longer_than_three_limits():
    rows = {name: (0, 100, 100, 4) for name in "ABCD"}
    jobs = simulate(Workload.of("queue", 4, **rows), EASY()).jobs
    assert beyond_rank(jobs) | {"limit": 0} == {"limit": 0, "beyond": 0, "most": 1, "beyond_estimate": 0}


@pytest.mark.thorough
def test_on_stand_ins_only_the_example_decides(root, monkeypatch):
    sample = trace_logs(mualem2001.Trace("CTC", simlib.load("sample")))
    monkeypatch.setattr(mualem2001, "logs", lambda *_: sample)
    made = executed("mualem2001/figures1-3", logs=["CTC"], lengths=[10, 1000])
    verdicts = {name: made[name]["verdict"] for name in ("on_time", "later", "unbounded", "heads", "bounded")}
    assert verdicts == dict.fromkeys(verdicts, claims.UNTESTED) | {"unbounded": claims.REPRODUCED}


matplotlib.use("Agg")

HALF_PAST_TWO = 150 * examples.MINUTE


NOTEBOOK = "tang2013/table3-figure12"
with plt.rc_context():
    CASES = executed(NOTEBOOK, until="schedules =")["cases"]


@pytest.fixture(scope="module")
def notebook():
    """The variables of the notebook of Table 3 and Figure 12."""
    return executed(NOTEBOOK, lowest_share=0.95)


@pytest.fixture(scope="module")
def found(notebook):
    return notebook["found"]


def schedule(case, selective=False):
    job4, shares = CASES[case]
    return small.scheduled(small.figure12(job4), shares, selective)


@pytest.mark.parametrize(
    "case, adjusted, backfilled, window, late, later",
    [
        ("users' estimates", "", "5", 300, 0, 0),
        ("job 3 overestimated", "3 OE", "3, 5", 300, 0, 0),  # the left half: waiting jobs
        ("job 4 underestimated", "4 UE", "4, 5", 300, 15, 75),
        ("job 4 badly underestimated", "4 BE", "4, 5", 300, 60, 120),
        ("job 1 overestimated", "1 OE", "", 246, 0, 0),  # the right half: the running job
        ("job 1 underestimated", "1 UE", "", 228, 12, 0),
        ("job 1 badly underestimated", "1 BE", "", 156, 84, 0),
    ],
)
def test_waiting_jobs_that_are_adjusted_are_let_in_and_a_running_one_shortens_the_window(
    found, case, adjusted, backfilled, window, late, later
):
    row = found.loc["regular", case]
    assert (row.adjusted, row.backfilled, row.window_min) == (adjusted, backfilled, window)
    assert (row.late_min, row.later_min) == (late, later)


@pytest.mark.slow
def test_by_the_users_estimates_job_2_starts_before_it_is_promised_and_later_where_job_4_outlives_job_1(found):
    row = found.loc["regular", "users' estimates"]
    assert (row.promised_min, row.started_min) == (360, 300)
    for case in ("job 4 underestimated", "job 4 badly underestimated"):
        jobs = schedule(case).jobs
        assert jobs.end[1] < jobs.end[4] == jobs.start[2]


def test_with_two_running_jobs_an_underestimate_reserves_the_wrong_place_and_job_2_starts_later_than_without():
    workload = small.two_running()
    by_users, regular, selective = (
        examples.effects(small.scheduled(workload, *how)) for how in (({},), ({1: 0.6},), ({1: 0.6}, True))
    )
    assert (by_users["backfilled"], by_users["started_min"]) == ("", 180)
    assert (regular["backfilled"], regular["late_min"], regular["later_min"]) == ("3", 24, 60)
    assert {**selective, "adjusted": ""} == by_users


# Regular and selective adjustment


def test_selective_adjustment_leaves_the_running_job_alone(found):
    for case in ("overestimated", "underestimated", "badly underestimated"):
        assert found.loc["selective", f"job 1 {case}"].equals(found.loc["selective", "users' estimates"])
    assert found.loc["selective", "jobs 1, 3 and 4"].adjusted == "3 OE, 4 UE"
    assert found.loc["selective", "jobs 1, 3 and 4"].window_min == 300


def test_of_all_three_adjusted_jobs_selective_adjustment_lets_in_two_and_regular_adjustment_shuts_out_all(found):
    regular, selective = (found.loc[strategy, "jobs 1, 3 and 4"] for strategy in ("regular", "selective"))
    assert (regular.backfilled, selective.backfilled) == ("", "3, 4, 5")
    by_users = found.loc["regular", "users' estimates"]
    assert selective.mean_wait_min < by_users.mean_wait_min < regular.mean_wait_min


def test_selective_adjustment_moves_the_reservation_when_a_job_let_in_early_is_taken_to_run_for_its_users_estimate():
    case = "job 3 overestimated"
    regular, selective = schedule(case), schedule(case, selective=True)
    assert regular.shadow[2] == selective.shadow[2] == 360 * examples.MINUTE
    assert backfill_window(regular, HALF_PAST_TWO, examples.HEAD).start[2] == 360 * examples.MINUTE
    assert backfill_window(selective, HALF_PAST_TWO, examples.HEAD).start[2] == 540 * examples.MINUTE
    assert backfill_window(selective, HALF_PAST_TWO, examples.HEAD).backfilled[4]
    assert selective.jobs.start[2] == selective.jobs.end[4] == 465 * examples.MINUTE


def test_several_reservations_have_no_one_window():
    with pytest.raises(ValueError, match="expected EASY, one reservation"):
        backfill_window(simulate(small.two_running(), EASY(reservations=2)), HALF_PAST_TWO, examples.HEAD)


# How it is made, and decided


def test_adjusted_estimates_come_from_what_earlier_jobs_of_the_user_took():
    jobs = schedule("jobs 1, 3 and 4").jobs
    assert (jobs.adjusted / jobs.estimate).to_dict() == pytest.approx({1: 0.8, 2: 1, 3: 0.5, 4: 0.8, 5: 1})
    assert jobs.user.is_unique
    past = small.past(jobs, {3: 0.5})
    assert past.groupby("user").size().eq(10).all() and (past.end < 0).all()


def test_a_history_that_says_nothing_new_changes_nothing():
    unadjusted = schedule("users' estimates").jobs
    assert "adjusted" not in unadjusted
    told = small.scheduled(small.figure12(), {3: 1.0}).jobs
    assert told.drop(columns="adjusted").equals(unadjusted)


@pytest.mark.parametrize("selective", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_window_of_the_picture_is_the_one_that_the_simulation_used(case, selective):
    made = schedule(case, selective)
    at = backfill_window(made, examples.DECISION, examples.HEAD)
    assert at.start[2] == made.shadow[2]
    let_in = (at.role == "candidate") & (examples.DECISION + at.run <= at.start[2])
    assert at.backfilled.equals(let_in.rename("backfilled"))


def test_an_overdue_running_job_is_expected_to_end_in_five_minutes():
    made = schedule("job 1 badly underestimated")
    now = 240 * examples.MINUTE  # job 1 was expected to end at 216 min
    assert backfill_window(made, now, examples.HEAD).start[2] == now + 300


requests = st.integers(30, 600)
shares = st.floats(0.2, 1)


@pytest.mark.slow
@given(st.lists(st.tuples(requests, shares, shares), min_size=5, max_size=5))
def test_under_regular_adjustment_job_2_is_late_by_no_more_than_the_largest_underestimate(drawn):
    jobs = small.figure12().jobs
    jobs["estimate"] = [examples.MINUTE * request for request, _, _ in drawn]
    jobs["run"] = [int(examples.MINUTE * request * r) for request, r, _ in drawn]
    jobs.loc[1, ["run", "estimate"]] += 90 * examples.MINUTE  # it runs at the decision
    made = small.scheduled(Workload(jobs, 8), {job: a for job, (_, _, a) in zip(jobs.index, drawn, strict=True)})
    underestimate = np.maximum(made.jobs.run - made.jobs.adjusted, 0).max()
    assert made.jobs.start[2] - made.shadow[2] <= underestimate


def test_each_cell_of_table_3_is_as_printed_under_regular_adjustment(found):
    table = examples.table3(found).loc["regular"]
    assert list(table.index) == [(job, level) for job in ("waiting", "running") for level in ("OE", "UE", "BE")]
    assert table.as_printed.all()
    for (job, level), case in table.case.items():
        number, how = found.loc[("regular", case), "adjusted"].split()
        assert how == level and (number == "1") == (job == "running")
    assert table.ours["waiting", "UE"] == "job 4 let in as well, delay of 15 min"
    assert table.ours["running", "OE"] == "window 246 min instead of 300, no delay"


def test_under_selective_adjustment_an_overestimated_waiting_job_delays_job_2_after_all(found):
    table = examples.table3(found).loc["selective"]
    assert table.as_printed["waiting"].to_dict() == {"OE": False, "UE": True, "BE": True}
    assert table.ours["waiting", "OE"] == "job 3 let in as well, delay of 105 min"
    assert table.index.unique("job").tolist() == ["waiting"], "running jobs are left alone"


@pytest.mark.slow
def test_the_order_of_the_queue_does_not_matter_to_the_example(found):
    assert executed(NOTEBOOK, until="figure12 =", order="sjf")["found"].equals(found)


def test_the_claim_is_about_regular_adjustment_alone(notebook):
    claim = notebook["effects"]
    assert claim["verdict"] == claims.REPRODUCED
    assert "by selective adjustment 2 of 3 cells are as printed" in claim["evidence"]


@pytest.mark.thorough
def test_a_case_that_is_changed_in_the_notebook_is_in_table_claim_and_pictures():
    made = executed(NOTEBOOK, {'"job 4 underestimated": (315, {4: 0.8})': '"job 4 underestimated": (315, {4: 0.9})'})
    assert not made["table"].as_printed["regular", "waiting", "UE"]
    assert made["effects"]["readings"]["text"]["counts"] == {"shown": 5, "open": 0, "contradicted": 1}
    assert "\u2717 UE: no further job let in, no delay" in helpers.texts(made["picture"].axes[0])
    assert "5:24" in helpers.texts(made["left_half"].axes[2])


def test_the_notebook_draws_table_3_and_both_halves_of_figure_12(notebook):
    texts = helpers.texts(notebook["picture"].axes[0])
    assert {"chance increased, may delay", "\u2713 UE: job 4 let in as well, delay of 15 min"} <= set(texts)
    left, right, *_ = notebook["figure12"].axes
    assert "window\n5:00" in helpers.texts(left) and "window\n3:48" in helpers.texts(right)
    waits, runs = notebook["between_picture"].axes
    assert (waits.get_title("left"), runs.get_title("left")) == ("job 4 waits", "job 1 runs")
    assert runs.lines[0].get_ydata()[[0, -1]].tolist() == pytest.approx([6, 5.7])


def test_the_effects_change_with_the_share_where_they_should():
    waiting, running = (examples.by_share(job, [1, 0.9, 0.85, 0.8, 0.6]) for job in (4, 1))
    assert waiting.level.tolist() == ["NA", "OE", "UE", "UE", "BE"]
    assert waiting.late_min.tolist() == [0, 0, 0, 15, 15], "underestimated, but let in only when it seems to fit"
    assert running.level.tolist() == ["NA", "OE", "OE", "UE", "BE"]
    assert running.promised_min.tolist() == [360, 324, 306, 288, 216]


def test_decisions_are_drawn_of_schedules_that_promise_a_start():
    first_come = simulate(small.figure12(), FCFS())
    with pytest.raises(ValueError, match=r"found a schedule under FCFS\(.*\), expected one under EASY"):
        backfill_decisions({"FCFS": first_come}, examples.DECISION, examples.HEAD)
    plt.close("all")


def test_figure_3_marks_the_scheme_of_its_parameters_among_all():
    made = executed("tang2013/figure3", percentile=50)
    assert made["table"].nunique().tolist() == [4, 6, 7] and len(made["table"]) == 168
    marked = [text.get_text() for text in made["picture"].axes[0].texts if text.get_color() == "white"]
    assert marked == ["triple key", "1 month", "median"]
