"""Table 2, Figures 8 and 9 of Mu'alem & Feitelson: what is counted, what is met to the job, estimates from history."""

import numpy as np
import pandas as pd
import pytest
from helpers import of_traces, verdict_by_id

import simlib
from simlib.core.estimates import Historical
from simlib.models.sample import sample
from simlib.study import claims, mualem2001, verdicts
from simlib.study.exhibit import cells_table
from simlib.study.mualem2001 import figure9, footnote2, table2_figure8
from simlib.study.mualem2001.table2_figure8 import Table2Figure8
from simlib.study.verdicts import LIKELY, TEXT


def trace(rows, name="KTH", variant="original", log="KTH-SP2", timezone="UTC"):
    """A trace of lines (submit, run, requested_time, status), the wait being none."""
    log_lines = pd.DataFrame(rows, columns=["submit", "run", "requested_time", "status"]).assign(wait=0, procs=1)
    start = pd.Timestamp("1996-10-01", tz=timezone)
    source = {"file": "made-up.swf", "variant": variant}
    jobs = log_lines[["submit", "run", "procs"]]
    return mualem2001.Trace(name, simlib.Workload(jobs, 10, log, log=log_lines, source=source, start=start))


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


def test_table_2_counts_every_line_that_ran():
    table = of_traces(Table2Figure8, trace(MIXED)).table
    assert table.ours.loc["KTH"].to_dict() == {
        "total_jobs": 7,
        "killed_jobs": 3,
        "peak_100pct": 2,
        "peak_100pct_killed": 1,
        "peak_0pct": 2,
        "zero_length_jobs": 1,
        "shorter_than_90s": 4,
        "requested_at_most_2h": 6,
    }
    assert table.published["KTH", "killed_jobs"] == 7948
    assert (table.ours == table.low).all() and (table.ours == table.high).all()


def test_what_a_file_lacks_bounds_what_the_complete_log_can_have():
    restored = [(0, 100, 100, -1), (0, 99, 100, -1), (0, 100, 100, 5), (0, 20, 100, 1)]
    table = of_traces(Table2Figure8, trace(restored, "SDSC", "reconstructed", "SDSC-SP2")).table.loc["SDSC"]
    assert table.loc["killed_jobs", ["low", "ours", "high"]].tolist() == [1, 1, 3]
    assert table.loc["peak_100pct", ["low", "ours", "high"]].tolist() == [2, 3, 3]
    assert table.loc["peak_100pct_killed", ["low", "ours", "high"]].tolist() == [1, 1, 3]
    cleaned = of_traces(Table2Figure8, trace(MIXED, "CTC", "cleaned", "CTC-SP2")).table.loc["CTC"]
    absent = 79302 - len(MIXED)
    assert (cleaned.high == cleaned.ours + absent).all()


def test_run_times_by_the_local_clock_are_an_hour_out_where_it_changes():
    october = [pd.Timestamp(f"1996-10-{day:02}", tz="Europe/Stockholm") for day in (1, 27)]
    change = int((october[1] - october[0]).total_seconds())
    rows = [(change - 7200, 1000, 1, 1), (change, 20_000, 1, 1), (change + 20_000, 500, 1, 1)]
    runs = table2_figure8.run_by_local_clock(trace(rows, timezone="Europe/Stockholm").workload)
    assert runs.tolist() == [1000, 20_000 - 3600, 500]


def test_the_histogram_has_a_bin_a_per_cent_and_one_for_what_is_above():
    jobs = pd.DataFrame({"used": [0.5, 0.99, 1, 57.3, 250, np.nan], "kind": list("aabaab")})
    bins = table2_figure8.histogram(pd.concat({"KTH": jobs}, names=["trace"]), ["a", "b", "c"], top=110).loc["KTH"]
    assert len(bins) == 111
    assert bins.to_numpy().sum() == pytest.approx(100)
    assert bins.a[[0, 57, 110]].tolist() == [40, 20, 20]
    assert bins.b[1] == 20
    assert (bins.c == 0).all()


def even(jobs=10_000, killed=500):
    """A log as the text describes it: flat, but for killed jobs at 100 % and jobs that failed at once."""
    use = np.linspace(0.015, 0.985, jobs)
    requested = np.resize([1800, 3600, 7200, 14400], jobs)
    runs = np.maximum(np.rint(use * requested), 90).astype(int)  # none is short
    rows = [(0, run, estimate, 1) for run, estimate in zip(runs, requested, strict=True)]
    return rows + [(0, 10_020, 10_000, 0)] * killed + [(0, 5, 10_000, 0)] * killed


def decided(*traces):
    return {one["id"]: one for one in of_traces(Table2Figure8, *traces).judge()}


def measured(*traces):
    """The verdicts on the parts by the text, by claim and part."""
    readings = {id: one["readings"].get(verdicts.TEXT, {"parts": []}) for id, one in decided(*traces).items()}
    return {(id, part["part"]): part["verdict"] for id, found in readings.items() for part in found["parts"]}


def test_claims_hold_for_a_log_as_the_text_describes_it():
    found = decided(trace(even()))
    assert {id for id, one in found.items() if one["verdict"] == claims.REPRODUCED} == {
        "MF-25",
        "MF-26",
        "MF-29",
        "MF-39",
    }
    assert found["MF-28"]["verdict"] == found["MF-45"]["verdict"] == claims.UNTESTED  # about SDSC


def test_claims_fail_for_a_log_with_good_and_odd_estimates():
    rows = [(0, run, run + 7 + run % 10, status) for run in range(1000, 3000) for status in (1, 1, 0)]
    found = verdict_by_id(decided(trace(rows)).values())
    assert [found[id] for id in ("MF-25", "MF-26", "MF-29", "MF-39")] == [claims.NOT] * 4


@pytest.mark.parametrize(
    "rows, part",
    [
        ([(0, run, 7200, 1) for run in range(100, 3600)], ("MF-25", "flat")),  # they use less than half
        (even(killed=0), ("MF-25", "peak at 0")),
        (even(killed=0), ("MF-25", "peak at 100")),
        ([*even(), *[(0, 10_020, 10_000, 1)] * 200], ("MF-26", "killed")),
        ([(0, 100, estimate, 1) for estimate in (310, 620, 900)], ("MF-29", "rounded")),
        ([*even(), *[(0, 100, 7500, 1)] * 3000], ("MF-29", "longer ones rounded")),
        ([(0, run, 3600, 1) for run in range(1000, 1500)], ("MF-29", "equally inaccurate")),  # used alike
        ([*even(), *[(0, 10_020, 10_000, 0)] * 3000], ("MF-39", "killed")),
    ],
)
def test_each_part_is_told_from_a_false_one(rows, part):
    assert measured(trace(rows))[part] == claims.HOLDS_NOT
    assert measured(trace(even()))[part] == claims.HOLDS


@pytest.mark.parametrize("never, holds", [(7, claims.HOLDS_NOT), (8, claims.HOLDS), (9, claims.HOLDS_NOT)])
def test_the_lines_that_never_ran_are_counted_of_all_lines(never, holds):
    rows = [(0, 100, 200, 1)] * (100 - never) + [(0, -1, 200, 5)] * never
    assert measured(trace(rows, "SDSC", log="SDSC-SP2"))["MF-28", "removed"] == holds


@pytest.mark.parametrize(
    "killed, short, expected", [(3, 5, (True, True)), (2, 5, (False, True)), (3, 3, (True, False))]
)
def test_the_zero_peak_is_measured_on_the_log_that_has_less(killed, short, expected):
    def rows(killed, short):
        others = [(0, 80, 10_000, 1)] * short + [(0, 95, 10_000, 1)] * (10 - killed - short)
        return [(0, 5, 10_000, 0)] * killed + others + [(0, 5, 10_000, -1)] * 100 + even(100, 0)  # -1 is not known

    logs = trace(rows(killed, short), "CTC", log="CTC-SP2"), trace(rows(5, 5), "SDSC", log="SDSC-SP2")
    found = measured(*logs)
    assert tuple(found["MF-45", part] == claims.HOLDS for part in ("killed", "short")) == expected


def test_the_papers_own_table_2_passes():
    found = decided(trace(even()))
    assert {id: one["readings"]["printed"]["verdict"] for id, one in found.items() if "printed" in one["readings"]} == {
        "MF-26": claims.REPRODUCED,
        "MF-39": claims.REPRODUCED,
    }


def test_percentages_are_of_all_jobs_but_those_of_the_peak():
    exhibit = of_traces(Table2Figure8, trace(MIXED))
    ours = exhibit.percentages.ours["KTH"]
    assert (ours["killed_jobs"], ours["peak_100pct_killed"]) == (pytest.approx(300 / 7), 50)
    assert exhibit.percentages.published["KTH", "zero_length_jobs"] == 22.4
    cells = [cell for cell in exhibit.cells if cell["of"]["quantity"].endswith("[%]")]
    assert len(cells) == 7


def test_an_absent_log_has_the_printed_numbers_alone():
    exhibit = of_traces(Table2Figure8, trace(MIXED))
    exhibit._found = exhibit.found, [one for one in mualem2001.settings() if one["trace"] == "CTC"]
    absent = [cell for cell in exhibit.cells if cell["of"]["trace"] == "CTC"]
    assert {cell["readings"][verdicts.TEXT]["verdict"] for cell in absent} == {verdicts.ABSENT}
    assert len(absent) == 7 + 6
    assert exhibit.beside.loc["CTC", "peak_0pct"].tolist() == ["9,027", "", "", ""]
    assert exhibit.figure("table2")


@pytest.mark.parametrize(
    "at_limit, peak, verdict", [(1, 4, claims.REPRODUCED), (1, 6, claims.NOT), (2, 5, claims.NOT), (0, 5, claims.NOT)]
)
def test_footnote_2_divides_killed_jobs_of_the_daytime_limit_by_the_peak(at_limit, peak, verdict):
    rows = [(0, 14_300, 14_400, 0)] * at_limit + [(0, 1000, 1000, 1)] * (peak - at_limit) + [(0, 5, 1000, 0)]
    exhibit = of_traces(footnote2.Footnote2, trace(rows))
    assert exhibit.judge()[0]["verdict"] == verdict
    assert exhibit.judge()[0]["readings"]["printed"]["verdict"] == claims.REPRODUCED
    assert exhibit.table.published.tolist() == [793, 3215, 4]
    assert of_traces(footnote2.Footnote2, trace(rows), trace="CTC").judge()[0]["verdict"] == claims.UNTESTED


def test_made_up_logs_prove_nothing():
    w = sample()
    w._log = w.jobs.assign(wait=0, requested_time=w.jobs.estimate)
    exhibit = of_traces(Table2Figure8, mualem2001.Trace("sample", w))
    assert set(verdict_by_id(exhibit.verdicts).values()) == {claims.UNTESTED}
    assert exhibit.cells == []
    assert exhibit.beside.paper.eq("").all()
    assert [exhibit.figure(name) for name, part in exhibit.made.items() if part.draw]


def test_popular_estimates_come_with_the_quartiles_of_what_completed_jobs_used():
    rows = [(0, 60 * k, 600, 1) for k in range(1, 6)] + [(0, 60, 600, 0)] + [(0, 60, 1200, 1)] * 3 + [(0, 60, 60, 0)]
    exhibit = of_traces(Table2Figure8, trace(rows), trace(rows[:8], "CTC"), popular_values=2)
    assert exhibit.popular.index.tolist() == [("KTH", 10), ("KTH", 20), ("CTC", 10), ("CTC", 20)]
    assert exhibit.popular.iloc[0].tolist() == [6, 5, 20, 30, 40]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, log_name, exact",
    [
        ("CTC", "CTC-SP2", ["peak_100pct", "peak_100pct_killed"]),
        (
            "KTH",
            "KTH-SP2",
            ["total_jobs", "killed_jobs", "peak_0pct", "shorter_than_90s", "requested_at_most_2h"],
        ),
        ("SDSC", "SDSC-SP2", ["total_jobs", "peak_0pct", "requested_at_most_2h"]),
    ],
)
def test_printed_counts_are_met_to_the_job(log, name, log_name, exact):
    log(log_name)
    cells = cells_table(Table2Figure8(traces=(name,)).cells).set_index("quantity")
    cells = cells[~cells.index.str.endswith("[%]")]
    assert (cells.ours[exact] == cells.published[exact]).all()
    assert cells.index[cells.verdict == verdicts.INSIDE].tolist() == (exact if name != "CTC" else [])
    others = cells.note.drop(exact)
    if name == "CTC":
        assert others.str.startswith("within what the complete log can have").all()
    if name == "KTH":
        assert others[["peak_100pct", "peak_100pct_killed"]].str.startswith("met by: ").all()
    if name == "SDSC":
        inside = others.str.startswith("within")
        assert inside[~inside].index.tolist() == ["shorter_than_90s"]


def workload(rows, name="log"):
    """Of (submit, run, app, status), estimates 100."""
    jobs = pd.DataFrame(rows, columns=["submit", "run", "app", "status"]).assign(estimate=100, user=1, procs=1)
    source, start = {"file": "made-up.swf"}, pd.Timestamp("1996-06-26", tz="US/Eastern")
    return simlib.Workload(jobs, 10, name, log=jobs.assign(wait=0), source=source, start=start)


def exhibit(workload, trace="CTC", **parameters):
    return of_traces(figure9.Figure9, mualem2001.Trace(trace, workload), trace=trace, **parameters)


ROWS = [(0, 10, 1, 1), (1, 20, 1, 1), (2, 60, 1, 1), (3, 90, 2, 1), (4, 999, 1, 0), (5, 15, 2, 1)]


def test_counts_are_over_jobs_not_killed_and_tell_one_earlier_run_from_two():
    # job 1 outlives its one earlier run, job 2 the two before (15 + 1.5 x 7.07), job 3 the whole workload (30 + 39.7)
    assert figure9.counts(workload(ROWS).jobs, Historical()) == {
        "jobs_not_killed": 5,
        "jobs_with_history": 3,
        "underestimated": 3,
        "underestimated_with_history": 2,
        "jobs_with_two": 1,
        "underestimated_with_two": 1,
    }


def test_a_population_s_deviation_is_smaller_and_underestimates_more():
    jobs = workload([(0, 10, 1, 1), (1, 20, 1, 1), (2, 24, 1, 1)]).jobs
    both = [figure9.counts(jobs, Historical(), sample)["underestimated_with_two"] for sample in (True, False)]
    assert both == [0, 1]


def test_every_reading_is_counted_and_only_ctc_has_printed_numbers():
    made = exhibit(workload(ROWS), "KTH")
    table = made.readings
    assert len(table) == 12 * 6
    assert table.ours.xs("jobs_not_killed", level="quantity").eq(5).all()
    assert table[["published", "lacking"]].isna().all(axis=None)
    assert not made.possible.any(axis=None)


def test_the_profile_of_users_and_history():
    made = exhibit(workload(ROWS))
    names = ["mean + 1.5 standard deviations", "mean + 3 standard deviations", "users' estimates"]
    assert made.described.groupby("estimates", sort=False).size().to_dict() == dict.fromkeys(names, 5)
    kinds = made.described.kind["users' estimates"].tolist()
    assert [figure9.KINDS.index(kind) for kind in kinds] == [2, 1, 0, 2, 1]
    shape = made.profile
    assert list(shape.index) == names
    assert shape.underestimated["users' estimates"] == 0
    assert shape.under_10.iloc[-1] == 0
    assert shape.over_50.iloc[-1] == pytest.approx(2 / 5)
    assert shape.accuracy.iloc[-1] == pytest.approx(np.mean([0.1, 0.2, 0.6, 0.9, 0.15]))
    assert made.histogram.groupby("estimates").sum().sum(axis=1).tolist() == pytest.approx([100] * 3)
    assert made.figure()


def test_a_job_of_no_length_uses_all_of_an_estimate_of_none():
    made = exhibit(workload([(0, 0, 1, 1), (1, 0, 1, 1), (2, 5, 1, 1)]))
    assert made.described.used["mean + 3 standard deviations"].tolist()[1:] == [100, np.inf]


def test_losses_count_jobs_cut_at_their_estimates():
    made = exhibit(workload([(0, 50, 1, 1), (1, 150, 1, 1), (2, 200, 1, 0)]))
    assert made.losses.loc["user"].to_dict() == pytest.approx(
        {
            "killed": 2,
            "killed_share": 2 / 3,
            "killed_completed": 1,
            "killed_completed_share": 1 / 2,
            "work_lost": 100 / 250,
        }
    )


def test_scheduling_results_come_with_their_change_and_spread():
    w = sample().select(np.arange(6000) < 300)
    w._log = w.jobs.assign(wait=0)
    made = exhibit(w, shakes=3)
    table = made.scheduling
    assert len(table) == 2 * 2 * 2 * 2 * 3 * 2
    assert (table.xs(("change", "user"), level=("quantity", "estimates"))[["ours", "mean", "sd"]] == 0).all(axis=None)
    levels = {"quantity": "mean", "scheduler": "easy", "metric": "response_s", "overrun": "extend", "rule": TEXT}
    extended = table.xs(tuple(levels.values()), level=tuple(levels)).ours
    assert extended["user"] == pytest.approx(simlib.simulate(w, simlib.EASY()).jobs.response.mean())
    pairs = made.results.xs(("mean", "kill", "conservative", LIKELY), level=[0, 1, 3, 4]).unstack("estimates")
    change = (pairs["history 3 sd"] / pairs["user"] - 1).drop(0, level="replication").groupby("metric").mean()
    shown = table.sort_index().loc["change", "conservative", "response_s", "kill", "history 3 sd", LIKELY]
    assert shown["mean"] == pytest.approx(change["response_s"])
    assert made.changes.columns.tolist() == [TEXT, LIKELY]
    assert made.figure("scheduling")


def shape(accuracy, over_50, underestimated, uneven):
    columns = {"accuracy": accuracy, "over_50": over_50, "underestimated": underestimated, "uneven": uneven}
    return pd.DataFrame(columns | {"under_10": 0.1})


GOOD = shape([0.5, 0.4, 0.3], [0.4, 0.35, 0.3], [0.2, 0.1, 0.0], [0.3, 0.2, 0.3])
BAD = shape([0.3, 0.2, 0.5], [0.3, 0.2, 0.4], [0.1, 0.2, 0.0], [0.2, 0.3, 0.3])


def verdict(id, parts):
    return claims.decide(id, {TEXT: parts})["verdict"]


@pytest.mark.parametrize(
    "jobs, expected",
    [
        ((1000, 721, 192, 96), claims.REPRODUCED),
        ((1000, 721, 192, 170), claims.PARTLY),  # most of the underestimated have history
        ((1000, 500, 400, 300), claims.NOT),
    ],
)
def test_shares_are_held_against_the_printed_ones(jobs, expected):
    assert verdict("MF-33", figure9.shares(pd.Series(jobs, list(figure9.COUNTS)))) == expected


@pytest.mark.parametrize(
    "id, table, expected",
    [
        ("MF-34", GOOD, claims.REPRODUCED),
        ("MF-34", BAD, claims.NOT),
        ("MF-34", shape([0.5] * 3, [0.3] * 3, [0.2, 0.1, 0], [0.2, 0.3, 0.3]), claims.PARTLY),
        ("MF-35", GOOD, claims.REPRODUCED),
        ("MF-35", BAD, claims.PARTLY),
    ],
)
def test_profiles_are_compared(id, table, expected):
    parts = figure9.cautious(table) if id == "MF-34" else figure9.better(table, pd.Series([True] * 12))
    assert verdict(id, parts) == expected


@pytest.mark.parametrize("wins, expected", [(12, claims.REPRODUCED), (8, claims.INCONCLUSIVE), (1, claims.PARTLY)])
def test_more_accurate_in_most_months_is_told_from_chance(wins, expected):
    months = pd.Series([True] * wins + [False] * (12 - wins))
    assert verdict("MF-35", figure9.better(GOOD, months)) == expected


@pytest.mark.parametrize(
    "user, own, expected",
    [
        (0.01, 0.2, claims.REPRODUCED),
        (0.01, 0.09, claims.PARTLY),
        (0.15, 0.2, claims.PARTLY),
        (0.05, 0.06, claims.NOT),
        (0.0, 0.2, claims.INCONCLUSIVE),
    ],
)
def test_jobs_killed_at_historical_estimates_are_held_against_those_at_users_own(user, own, expected):
    losses = pd.DataFrame({"killed_completed_share": [user, own]})
    assert verdict("MF-40", figure9.killed(losses)) == expected


def test_the_papers_own_numbers_pass():
    made = exhibit(workload(ROWS, "CTC-SP2"))
    made.wins = pd.Series([True])
    found = made.judge()
    printed = {one["id"]: one["readings"]["printed"]["verdict"] for one in found if "printed" in one["readings"]}
    assert printed == {"MF-33": claims.REPRODUCED, "MF-40": claims.REPRODUCED}


def test_only_the_ctc_log_can_decide():
    made = exhibit(workload(ROWS, "KTH-SP2"), "KTH")
    assert {claim["verdict"] for claim in made.judge()} == {claims.UNTESTED}
    assert made.cells == []


def test_printed_counts_and_shares_are_judged_by_one_sense_of_history():
    cells = {cell["of"]["quantity"]: cell for cell in exhibit(workload(ROWS, "CTC-SP2")).cells}
    ours = {name: cell["readings"][TEXT]["ours"] for name, cell in cells.items()}
    assert (ours["jobs_with_history"], ours["underestimated_with_history"]) == (3, 2)
    assert (ours["jobs_with_history_pct"], ours["underestimated_with_history_pct"]) == (60, 40)
    assert cells["underestimated_with_history"]["note"] == "one earlier run or more; two or more: 1"
    assert [cells[name]["published"] for name in list(cells)[-2:]] == [6240, 10.0]


@pytest.mark.slow
def test_the_first_reading_leaves_to_the_missing_jobs_just_what_they_can_add(log):
    log("CTC-SP2")
    made = figure9.Figure9()
    if made.workload.source["variant"] != "cleaned":
        pytest.skip("the complete CTC log is here")
    first = made.counted
    assert made.possible.iloc[0].tolist() == [False, False, True]
    assert not made.possible.iloc[:, :2].any(axis=None)  # no sense of history meets both printed numbers
    assert {cell["readings"][TEXT]["verdict"] for cell in made.cells} == {verdicts.OTHER_LOG}
    assert 0 <= first.lacking["jobs_not_killed"] - first.lacking["jobs_with_history"] <= 20
    assert 0 <= first.lacking["underestimated"] <= 150
    assert (made.readings.lacking.xs("underestimated_with_history", level="quantity") < 0).all()
