"""Table 2, Figures 8 and 9 of Mu'alem & Feitelson: what is counted, what is met to the job, estimates from history."""

import numpy as np
import pandas as pd
import pytest
from as_in_study import executed
from exhibits import lossy, of_word, trace_logs
from helpers import texts

import simlib
from simlib.core.estimates import Historical
from simlib.logs import swf
from simlib.models.sample import sample
from simlib_study import claims, judging, loading, mualem2001, records, used_shares
from simlib_study.judging import RESTORED, TEXT


def trace(rows, name="KTH", variant="original", log="KTH-SP2", timezone="UTC"):
    """A trace of lines (submit, run, requested_time, status), the wait being none."""
    log_lines = pd.DataFrame(rows, columns=["submit", "run", "requested_time", "status"]).assign(wait=0, procs=1)
    start = pd.Timestamp("1996-10-01", tz=timezone)
    source = {"file": "made-up.swf", "variant": variant}
    jobs = log_lines[["submit", "run", "procs"]]
    return mualem2001.Trace(name, simlib.Workload(jobs, 10, log, log=log_lines, source=source, start=start))


def of_traces(notebook, *traces, edits=None, absent=(), **parameters):
    """Run a notebook on these traces of the paper in place of those on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mualem2001, "logs", lambda *_: trace_logs(*traces, absent=absent))
        return executed(f"mualem2001/{notebook}", edits, **parameters)


def cells_of(*judged):
    return {one["of"]["quantity"]: one for table in judged for one in records.cells(table)}


def test_a_workload_without_job_lines_is_refused():
    w = simlib.Workload.of("made up", 4, A=(0, 10, 10, 1))
    with pytest.raises(ValueError, match="made up: found no job lines, expected a workload that was read from a log"):
        used_shares.lines(w)


MIXED = [
    (0, 99, 100, 0),  # in the peak, killed
    (0, 1017, 1000, 1),  # in the peak though it completed
    (0, 102, 100, 0),  # beyond it
    (0, 9, 1000, 1),  # 0 %, short
    (0, 10, 1000, 5),  # 1 %
    (0, 0, 8000, 1),  # of no length
    (0, 50, -1, 1),  # no estimate
    (0, -1, 100, 5),  # never ran
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What the notebook of Table 2 makes of some lines of KTH, while CTC's log is absent."""
    absent = [one for one in loading.settings("mualem2001") if one["name"] == "CTC"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records.paths, "ROOT", tmp_path_factory.mktemp("root"))
        return of_traces("table2-figure8", trace(MIXED), logs=["CTC", "KTH"], absent=absent)


def test_table_2_counts_every_line_that_ran(made):
    table = made["table"].loc["KTH"]
    assert table.ours.to_dict() == {
        "total_jobs": 7,
        "killed_jobs": 3,
        "peak_100pct": 2,
        "peak_100pct_killed": 1,
        "peak_0pct": 2,
        "zero_length_jobs": 1,
        "shorter_than_90s": 4,
        "requested_at_most_2h": 6,
    }
    assert table.published["killed_jobs"] == 7948
    assert (table.ours == table.low).all() and (table.ours == table.high).all()


def test_percentages_are_of_all_jobs_but_those_of_the_peak(made):
    table = made["per_cent"].loc["KTH"]
    assert (table.ours["killed_jobs"], table.ours["peak_100pct_killed"]) == (pytest.approx(300 / 7), 50)
    assert table.published["zero_length_jobs"] == 22.4


def test_an_absent_log_has_the_printed_numbers_alone(made):
    counts = [one for one in records.cells(made["of_counts"]) if one["of"]["log"] == "CTC"]
    shares = [one for one in records.cells(made["of_shares"]) if one["of"]["log"] == "CTC"]
    assert (len(counts), len(shares)) == (7, 6)
    assert {one["readings"][0]["verdict"] for one in counts + shares} == {judging.ABSENT}
    assert made["table"].published["CTC", "peak_0pct"] == 9027 and np.isnan(made["table"].ours["CTC", "peak_0pct"])
    kth = [one for one in records.cells(made["of_counts"]) if one["of"]["log"] == "KTH"]
    unseen = next(one for one in kth if one["of"]["quantity"] == "zero_length_jobs")
    assert unseen["readings"][0]["verdict"] == judging.OTHER_LOG and "MF-27" in unseen["note"]


@pytest.mark.parametrize(
    "of, expected",
    [
        (
            trace([(0, 100, 100, -1), (0, 99, 100, -1), (0, 100, 100, 5), (0, 20, 100, 1)], "SDSC", "reconstructed"),
            {"killed_jobs": [1, 3], "peak_100pct": [2, 3], "peak_100pct_killed": [1, 3]},
        ),
        (
            trace(MIXED, "CTC", "cleaned", "CTC-SP2"),
            {"total_jobs": [7, 7 + 79302 - 8], "peak_0pct": [2, 2 + 79302 - 8]},
        ),
    ],
)
def test_what_a_file_lacks_bounds_what_the_complete_log_can_have(made, of, expected):
    logs = trace_logs(of)
    found = used_shares.possible(made["counts"], used_shares.lines_of(logs), logs).loc[of.name]
    assert found.loc[list(expected)].to_numpy().tolist() == list(expected.values())


def test_run_times_by_the_local_clock_are_an_hour_out_where_it_changes():
    october = [pd.Timestamp(f"1996-10-{day:02}", tz="Europe/Stockholm") for day in (1, 27)]
    change = int((october[1] - october[0]).total_seconds())
    rows = [(change - 7200, 1000, 1, 1), (change, 20_000, 1, 1), (change + 20_000, 500, 1, 1)]
    runs = used_shares.run_by_local_clock(trace(rows, timezone="Europe/Stockholm").workload)
    assert runs.tolist() == [1000, 20_000 - 3600, 500]


def test_the_histogram_has_a_bin_a_per_cent_and_one_for_what_is_above():
    jobs = pd.DataFrame({"used": [0.5, 0.99, 1, 57.3, 250, np.nan], "kind": list("aabaab")})
    bins = used_shares.histogram(pd.concat({"KTH": jobs}, names=["log"]), ["a", "b", "c"], top=110).loc["KTH"]
    assert len(bins) == 111
    assert bins.to_numpy().sum() == pytest.approx(100)
    assert bins.a[[0, 57, 110]].tolist() == [40, 20, 20]
    assert bins.b[1] == 20
    assert (bins.c == 0).all()
    assert used_shares.by_per_cent([0, 0.5, 42.1, 101.01, np.inf])[[0, 42, 101, 110]].tolist() == [40, 20, 20, 20]


def test_popular_estimates_come_with_the_quartiles_of_what_completed_jobs_used():
    rows = [(0, 60 * k, 600, 1) for k in range(1, 6)] + [(0, 60, 600, 0)] + [(0, 60, 1200, 1)] * 3 + [(0, 60, 60, 0)]
    jobs = used_shares.lines_of({"KTH": trace(rows).workload, "CTC": trace(rows[:8]).workload})
    popular = used_shares.popular_estimates(jobs, 2, 7200)
    assert popular.index.tolist() == [("KTH", 10), ("KTH", 20), ("CTC", 10), ("CTC", 20)]
    assert popular.iloc[0].tolist() == [6, 5, 20, 30, 40]


# The claims on Table 2 and Figure 8


def test_the_papers_own_table_2_passes_and_what_is_about_absent_logs_cannot_be_tested(made):
    for claim in (made["nearly_all"], made["few"]):
        assert claim["readings"]["printed"]["verdict"] == claims.REPRODUCED
    assert made["removed"]["verdict"] == made["many"]["verdict"] == claims.UNTESTED


def test_job_lines_are_counted_on_draws_too_but_not_judged_by_what_was_inferred_from_them(root):
    of = lossy(inferred_from=[{"quantity": "requested_at_most_2h"}])
    found = cells_of(of_traces("table2-figure8", of, logs=["CTC"])["of_counts"])
    more = {row: of_word(one, RESTORED)["ours"] - of_word(one, TEXT)["ours"] for row, one in found.items()}
    expected = {"total_jobs": 100, "requested_at_most_2h": 100, "shorter_than_90s": 100, "killed_jobs": 0}
    assert {row: more[row] for row in expected} == expected
    assert of_word(found["requested_at_most_2h"], RESTORED)["verdict"] == judging.INFERRED
    assert of_word(found["total_jobs"], RESTORED)["verdict"] == judging.OFF


@pytest.mark.parametrize("dated", [True, False])
def test_a_log_of_ones_own_has_no_printed_numbers(dated, root, tmp_path):
    w = simlib.load("sample").between("2026-01-01", "2026-02-20")
    w = w if dated else simlib.Workload(swf.jobs_of(w.log), 128, "undated", log=w.log)
    swf.write_swf(w, tmp_path / "mine.swf")
    made = executed("mualem2001/table2-figure8", logs=[str(tmp_path / "mine.swf")])
    assert not {"published", "deviation"} & set(made["table"]) and made["of_table2"] is None
    assert ("100 % peak with run times by the local clock" in made["others"].index.unique("count")) == dated
    assert made["even"]["verdict"] == claims.UNTESTED


def test_footnote_2_divides_killed_jobs_of_the_daytime_limit_by_the_peak(root):
    rows = [(0, 14_300, 14_400, 0)] + [(0, 1000, 1000, 1)] * 3 + [(0, 5, 1000, 0)]
    made = of_traces("footnote2", trace(rows))
    assert made["pieces"]["verdict"] == made["pieces"]["readings"]["printed"]["verdict"] == claims.REPRODUCED
    assert made["table"].ours.tolist() == [1, 4, 4] and made["table"].published.tolist() == [793, 3215, 4]


# Figure 9


def workload(rows, name="CTC-SP2"):
    """Of (submit, run, app, status), estimates 100."""
    jobs = pd.DataFrame(rows, columns=["submit", "run", "app", "status"]).assign(estimate=100, user=1, procs=1)
    source, start = {"file": "made-up.swf"}, pd.Timestamp("1996-06-26", tz="US/Eastern")
    return simlib.Workload(jobs, 10, name, log=jobs.assign(wait=0), source=source, start=start)


ROWS = [(0, 10, 1, 1), (1, 20, 1, 1), (2, 60, 1, 1), (3, 90, 2, 1), (4, 999, 1, 0), (5, 15, 2, 1)]
BOTH = [1.5, 3]


@pytest.fixture(scope="module")
def ctc(tmp_path_factory):
    """What the notebook of Figure 9 makes of these jobs, as if they were CTC's log."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records.paths, "ROOT", tmp_path_factory.mktemp("root"))
        return of_traces("figure9", mualem2001.Trace("CTC", workload(ROWS)), shakes=3)


def test_counts_are_over_jobs_not_killed_and_tell_one_earlier_run_from_two():
    # job 1 outlives its one earlier run, job 2 the two before (15 + 1.5 x 7.07), job 3 the whole workload (30 + 39.7)
    assert used_shares.counts(workload(ROWS).jobs, Historical()).to_dict() == {
        "jobs_not_killed": 5,
        "jobs_with_history": 3,
        "underestimated": 3,
        "underestimated_with_history": 2,
        "jobs_with_two": 1,
        "underestimated_with_two": 1,
    }


def test_a_population_s_deviation_is_smaller_and_underestimates_more():
    jobs = workload([(0, 10, 1, 1), (1, 20, 1, 1), (2, 24, 1, 1)]).jobs
    both = [used_shares.counts(jobs, Historical(), sample).underestimated_with_two for sample in (True, False)]
    assert both == [0, 1]


def test_printed_counts_and_shares_are_judged_by_one_sense_of_history(ctc):
    assert len(ctc["readings"]) == 12 * 6
    cells = cells_of(ctc["judged"])
    ours = {name: of_word(cell, TEXT)["ours"] for name, cell in cells.items()}
    assert len(cells) == 7
    assert (ours["jobs_with_history"], ours["underestimated_with_history"]) == (3, 2)
    assert (ours["jobs_with_history_pct"], ours["underestimated_with_history_pct"]) == (60, 40)
    assert cells["underestimated_with_history"]["note"] == "one earlier run or more; two or more: 1"
    assert cells["underestimated_with_history_pct"]["published"] == 10
    for claim in (ctc["data"], ctc["not_feasible"]):
        assert claim["readings"]["printed"]["verdict"] == claims.REPRODUCED


def test_the_profile_of_users_and_history(ctc):
    names = ["mean + 1.5 standard deviations", "mean + 3 standard deviations", "users' estimates"]
    jobs = ctc["jobs"]
    assert jobs.groupby("estimates", sort=False).size().to_dict() == dict.fromkeys(names, 5)
    assert [used_shares.KINDS.index(kind) for kind in jobs.kind["users' estimates"]] == [2, 1, 0, 2, 1]
    users = ctc["profile"].loc["users' estimates"]
    assert list(ctc["profile"].index) == names
    assert (users.underestimated, users.under_10, users.over_50) == (0, 0, pytest.approx(2 / 5))
    assert users.accuracy == pytest.approx(np.mean([0.1, 0.2, 0.6, 0.9, 0.15]))
    assert ctc["histogram"].groupby("estimates").sum().sum(axis=1).tolist() == pytest.approx([100] * 3)


def test_a_job_of_no_length_uses_all_of_an_estimate_of_none():
    jobs = used_shares.described(workload([(0, 0, 1, 1), (1, 0, 1, 1), (2, 5, 1, 1)]), BOTH)
    assert jobs.used["mean + 3 standard deviations"].tolist()[1:] == [100, np.inf]


def test_losses_count_jobs_cut_at_their_estimates():
    losses = used_shares.losses(workload([(0, 50, 1, 1), (1, 150, 1, 1), (2, 200, 1, 0)]), {"user": None})
    expected = {"killed": 2, "killed_share": 2 / 3, "killed_completed": 1, "killed_completed_share": 1 / 2}
    assert losses.loc["user"].to_dict() == pytest.approx(expected | {"work_lost": 100 / 250})


@pytest.mark.thorough
def test_scheduling_results_come_with_their_change_and_spread(root):
    w = sample().select(np.arange(6000) < 300)
    w._log = w.jobs.assign(wait=0)
    edits = {'{"EASY": EASY(), "conservative": Conservative()}': '{"EASY": EASY(), "SJBF": EASY(backfill="sjf")}'}
    made = of_traces("figure9", mualem2001.Trace("CTC", w), edits=edits, shakes=3)
    table, runs = made["scheduling"].sort_index(), made["runs"]
    assert (table.xs(("change", "user"), level=("quantity", "estimates"))[["ours", "mean", "sd"]] == 0).all(axis=None)
    ours = table.loc["mean", "SJBF", "response_s", "extend", "user"].ours
    assert ours == pytest.approx(simlib.simulate(w, simlib.EASY(backfill="sjf")).jobs.response.mean())
    pairs = runs.response_s.xs(("kill", "SJBF"), level=("overrun", "policy")).unstack("estimates")
    change = (pairs["history 3 sd"] / pairs["user"] - 1).drop(0).mean()
    assert table.loc["change", "SJBF", "response_s", "kill", "history 3 sd"]["mean"] == pytest.approx(change)
    assert made["flatter"]["verdict"] == claims.UNTESTED and "SYNTHETIC DATA - not a real log" in texts(made["picture"])


@pytest.mark.thorough
def test_only_the_ctc_log_can_decide_and_has_printed_numbers(root):
    made = of_traces("figure9", mualem2001.Trace("KTH", workload(ROWS, "KTH-SP2")), logs="KTH", shakes=2)
    names = ("data", "flatter", "better_profile", "not_feasible")
    assert {made[name]["verdict"] for name in names} == {claims.UNTESTED}
    assert records.cells(made["judged"]) == [] and made["readings"].published.isna().all()
    assert not made["possible"].any(axis=None)


@pytest.mark.thorough
def test_the_counts_of_jobs_with_history_have_those_that_were_put_back(root):
    found = cells_of(of_traces("figure9", lossy(), shakes=2)["judged"])
    both = {name: [of_word(one, word)["ours"] for word in (TEXT, RESTORED)] for name, one in found.items()}
    jobs, back = both["jobs_not_killed"]
    assert back == jobs + 100
    ours, with_history = both["jobs_with_history"]
    assert ours + 90 <= with_history <= ours + 100  # user 7 comes again and again with the same request
    assert both["jobs_with_history_pct"][1] == pytest.approx(100 * with_history / back)


@pytest.mark.thorough
def test_the_first_reading_leaves_to_the_missing_jobs_just_what_they_can_add(log, root):
    log("CTC-SP2")
    made = executed("mualem2001/figure9", shakes=2)
    if made["workload"].source["variant"] != "cleaned":
        pytest.skip("the complete CTC log is here")
    possible, lacking = made["possible"], made["lacking"]
    assert possible.iloc[0].tolist() == [False, False, True]
    assert not possible.iloc[:, :2].any(axis=None)  # no sense of history meets both printed numbers
    assert {of_word(one, TEXT)["verdict"] for one in cells_of(made["judged"]).values()} == {judging.OTHER_LOG}
    assert 0 <= (lacking.jobs_not_killed - lacking.jobs_with_history).iloc[0] <= 20
    assert 0 <= lacking.underestimated.iloc[0] <= 150
    assert (lacking.underestimated_with_history < 0).all()
