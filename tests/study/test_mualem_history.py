"""Section 4.4's estimates from history: the printed counts, the profile, what scheduling would make of them."""

import numpy as np
import pandas as pd
import pytest
from helpers import of_traces

import simlib
from simlib.core.estimates import Historical
from simlib.models.sample import sample
from simlib.study import claims, mualem2001, verdicts
from simlib.study.mualem2001 import figure9
from simlib.study.verdicts import LIKELY, TEXT


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
