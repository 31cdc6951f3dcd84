"""Section 4.4's estimates from history: the printed counts, the profile, what scheduling would make of them."""

import numpy as np
import pandas as pd
import pytest

import simlib
from simlib import papers
from simlib.estimates import Historical
from simlib.models.sample import sample
from simlib.papers import mualem2001
from simlib.papers.mualem2001 import history, pictures


def workload(rows, name="log"):
    """Of (submit, run, app, status), estimates 100."""
    jobs = pd.DataFrame(rows, columns=["submit", "run", "app", "status"]).assign(estimate=100, user=1, procs=1)
    return simlib.Workload(jobs, 10, name, log=jobs.assign(wait=0), source={"file": "made-up.swf"})


ROWS = [(0, 10, 1, 1), (1, 20, 1, 1), (2, 60, 1, 1), (3, 90, 2, 1), (4, 999, 1, 0), (5, 15, 2, 1)]


def test_counts_are_over_jobs_not_killed_and_tell_one_earlier_run_from_two():
    # job 1 outlives its one earlier run, job 2 the two before (15 + 1.5 x 7.07), job 3 the whole workload (30 + 39.7)
    assert history.counts(workload(ROWS).jobs, Historical()) == {
        "jobs_not_killed": 5,
        "jobs_with_history": 3,
        "underestimated": 3,
        "underestimated_with_history": 2,
        "underestimated_with_two": 1,
    }


def test_a_population_s_deviation_is_smaller_and_underestimates_more():
    jobs = workload([(0, 10, 1, 1), (1, 20, 1, 1), (2, 24, 1, 1)]).jobs
    both = [history.counts(jobs, Historical(), sample)["underestimated_with_two"] for sample in (True, False)]
    assert both == [0, 1]


def test_every_reading_is_counted_and_only_ctc_has_printed_numbers():
    table = history.candidates(workload(ROWS))
    assert len(table) == 12
    assert table.filter(like="add_").isna().all(axis=None)
    assert not table.possible.any()


def test_accuracy_is_the_smaller_over_the_larger():
    assert history.accuracy(pd.Series([100, 50, 200, 0, np.inf])).tolist() == [1, 0.5, 0.5, 0, 0]


def test_the_profile_of_users_and_history():
    tables = history.described(workload(ROWS).jobs)
    assert list(tables) == ["mean + 1.5 standard deviations", "mean + 3 standard deviations", "users' estimates"]
    assert {len(jobs) for jobs in tables.values()} == {5}
    kinds = tables["users' estimates"].kind.tolist()
    assert [history.KINDS.index(kind) for kind in kinds] == [2, 1, 0, 2, 1]
    shape = history.profile(tables)
    assert shape.underestimated["users' estimates"] == 0
    assert shape.under_10.iloc[-1] == 0
    assert shape.over_50.iloc[-1] == pytest.approx(2 / 5)
    assert history.figure9(tables).groupby("estimates").sum().sum(axis=1).tolist() == pytest.approx([100] * 3)


def test_a_job_of_no_length_uses_all_of_an_estimate_of_none():
    tables = history.described(workload([(0, 0, 1, 1), (1, 0, 1, 1), (2, 5, 1, 1)]).jobs)
    assert tables["mean + 3 standard deviations"].used.tolist()[1:] == [100, np.inf]


def test_losses_count_jobs_cut_at_their_estimates():
    w = workload([(0, 50, 1, 1), (1, 150, 1, 1), (2, 200, 1, 0)])
    lost = history.losses({"user": w}).loc["user"]
    assert lost.to_dict() == pytest.approx(
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
    w.log = w.jobs.assign(wait=0)
    workloads = history.kinds_of_estimates(w)
    table = history.summary(history.runs(workloads, range(3)))
    assert len(table) == 2 * 2 * 2 * 3
    assert (table.xs("user", level="estimates")[["change", "change_sd"]] == 0).all(axis=None)
    extended = table.loc["easy"].loc["response_s"].loc["extend"]
    plain = simlib.simulate(w, simlib.EASY()).jobs.response.mean()
    assert extended.ours["user"] == pytest.approx(plain)
    assert pictures.by_estimates(table, {"response_s": "s"}, {name: name for name in workloads})


def shape(accuracy, over_50, underestimated, uneven):
    columns = {"accuracy": accuracy, "over_50": over_50, "underestimated": underestimated, "uneven": uneven}
    return pd.DataFrame(columns | {"under_10": 0.1})


GOOD = shape([0.5, 0.4, 0.3], [0.4, 0.35, 0.3], [0.2, 0.1, 0.0], [0.3, 0.2, 0.3])
BAD = shape([0.3, 0.2, 0.5], [0.3, 0.2, 0.4], [0.1, 0.2, 0.0], [0.2, 0.3, 0.3])


@pytest.mark.parametrize(
    "counts, table, wins, expected",
    [
        ((1000, 721, 192, 96, 90), GOOD, 12, papers.REPRODUCED),
        ((1000, 500, 400, 300, 90), BAD, 2, papers.NOT),
        ((1000, 721, 192, 170, 96), shape([0.5] * 3, [0.3] * 3, [0.2, 0.1, 0], [0.2, 0.3, 0.3]), 12, papers.PARTLY),
    ],
)
def test_verdicts(counts, table, wins, expected):
    names = (*history.COUNTS, "underestimated_with_two")
    w = workload(ROWS, "CTC-SP2")
    lost = pd.DataFrame({"killed_completed_share": [0.01, 0.2]})
    found = history.claims(w, dict(zip(names, counts, strict=True)), table, papers.share_of_wins(wins, 12), lost)
    assert [claim["verdict"] for claim in found[:3]] == [expected] * 3


@pytest.mark.parametrize(
    "user, own, expected", [(0.01, 0.2, papers.REPRODUCED), (0.01, 0.09, papers.NOT), (0.15, 0.2, papers.NOT)]
)
def test_historical_estimates_are_not_feasible_where_they_kill_many_more_jobs_than_users_own(user, own, expected):
    lost = pd.DataFrame({"killed_completed_share": [user, own]})
    names = (*history.COUNTS, "underestimated_with_two")
    numbers = dict(zip(names, (1000, 721, 192, 96, 90), strict=True))
    found = history.claims(workload(ROWS, "CTC-SP2"), numbers, GOOD, papers.share_of_wins(12, 12), lost)
    assert (found[3]["id"], found[3]["verdict"]) == ("MF-40", expected)


def test_only_the_ctc_log_can_decide():
    w = workload(ROWS, "KTH-SP2")
    assert {claim["verdict"] for claim in history.claims(w, {}, None, None, None)} == {papers.UNTESTED}
    assert history.cells(history.counts(w.jobs, Historical()), w) == []


def test_the_first_reading_leaves_to_the_missing_jobs_just_what_they_can_add(log):
    log("CTC-SP2")
    w = mualem2001.traces(["CTC"])[0][0].workload
    if w.source["variant"] != "cleaned":
        pytest.skip("the complete CTC log is here")
    table = history.candidates(w)
    first = table.iloc[0]
    assert first.possible
    assert 0 <= first.add_jobs_not_killed - first.add_jobs_with_history <= 20
    assert 0 <= first.add_underestimated <= 150
    assert (table.add_underestimated_with_history < 0).all()
