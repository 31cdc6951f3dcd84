"""The published numbers, the verdicts, and how closely Table 1 of Mu'alem & Feitelson is met."""

from itertools import product

import helpers
import numpy as np
import pandas as pd
import pytest

from simlib import archive, load, papers
from simlib.models import twin
from simlib.papers import judging, mualem2001
from simlib.papers.mualem2001 import table1, table1_claims
from simlib.papers.results import AS_IT_IS


def test_published_tables_are_copies():
    table = judging.published("mualem2001_table1")
    table.loc[0, "load"] = -1
    assert judging.published("mualem2001_table1")["load"][0] == 0.539


def test_a_share_of_months_comes_with_its_confidence_interval():
    wins = judging.share_of_wins(5, 10)
    assert (wins["share"], wins["low"], wins["high"]) == pytest.approx((0.5, 0.187, 0.813), abs=0.001)


def test_every_setting_names_a_log_of_the_catalogue_and_months_that_are_published():
    from simlib.archive import catalogue

    table = judging.published("mualem2001_table1")
    for setting in mualem2001.settings():
        assert setting["log"] in catalogue()["logs"]
        months = table[table.trace == setting["trace"]].month
        assert set(setting["months"]) <= set(months)


def test_unknown_traces_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="found LANL, expected names out of CTC, KTH, SDSC, Par, CM5"):
        mualem2001.traces(["LANL"])


@pytest.fixture
def no_logs(no_logs, monkeypatch):
    """Nor is the archive asked for one."""

    def fetch(*_):
        raise AssertionError("the archive was asked")

    monkeypatch.setattr(archive, "fetch", fetch)


@pytest.mark.slow
def test_without_a_log_all_twins_take_their_places_and_are_marked(no_logs):
    found, missing = mualem2001.traces(["KTH", "Par"])
    assert [trace.trace for trace in found] == ["KTH", "Par", "Par"]
    assert [trace.workload.source["file"] for trace in found] == [
        "twin of KTH-SP2",
        "twin of SDSC-Par-95",
        "twin of SDSC-Par-96",
    ]
    assert all(trace.workload.stand_in for trace in found)
    assert missing == []


@pytest.mark.slow
def test_twins_are_selected_and_estimated_as_the_logs_are(no_logs):
    (kth, _, par, cm5), _ = mualem2001.traces(["KTH", "Par", "CM5"])
    assert kth.months == ("1996-10", "1997-07") and kth.absent == {}
    assert (par.workload.jobs.status == 1).all() and par.workload.jobs.estimate.equals(par.workload.jobs.run)
    assert (cm5.workload.log.requested_time[cm5.workload.jobs.index] > 0).all()
    (cm5,), _ = mualem2001.traces(["CM5"], {"CM5": ""}, {"CM5": "exact"})
    assert len(cm5.workload) == len(twin.workload("LANL-CM5"))


def test_where_one_log_is_here_no_twin_is_used(no_logs, monkeypatch):
    here = {"KTH-SP2": twin.workload("KTH-SP2")}
    monkeypatch.setattr(archive, "find", lambda name, variant=None: here.get(name))
    monkeypatch.setattr(papers, "load", lambda name, variant=None: here[name])
    found, missing = mualem2001.traces(["KTH", "CTC", "Par"])
    assert [trace.trace for trace in found] == ["KTH"]
    assert missing == ["CTC: CTC-SP2", "Par: SDSC-Par-95", "Par: SDSC-Par-96"]


def made_up(differences, rules=("text", "likely"), runs=3):
    """Differences between the schedulers of all traces as given by (trace, metric), under every rule and shake."""
    metrics = ("response_s", "bounded_slowdown", "wait_s")
    places = product(mualem2001.TRACES, rules, range(runs + 1), range(20), metrics)
    found = {place: differences.get((place[0], place[-1]), [0.1] * 20)[place[3]] for place in places}
    return pd.Series(found).rename_axis(["trace", "rule", "replication", "month", "metric"])


def verdicts(differences):
    """On the claims of Table 1, whose printed numbers say what is found by the text."""
    printed = differences.xs(("text", AS_IT_IS), level=("rule", "replication")).unstack("metric")
    return helpers.verdicts(table1_claims.claims(differences, printed, ["text", "likely"]))


HALF = [0.1, -0.1] * 10


def test_claims_are_reproduced_by_a_table_as_the_paper_describes_it():
    table = made_up(
        {
            ("KTH", "bounded_slowdown"): HALF,
            ("Par", "bounded_slowdown"): HALF,
            ("CM5", "bounded_slowdown"): [-0.1] * 20,
        }
    )
    assert set(verdicts(table).values()) == {judging.REPRODUCED}


def test_claims_are_not_reproduced_by_a_table_that_says_the_opposite():
    every = {
        (trace, metric): [-0.1] * 20 for trace in mualem2001.TRACES for metric in ("response_s", "bounded_slowdown")
    }
    other_months = {("CM5", "bounded_slowdown"): [0.1] * 20}
    found = verdicts(made_up(every | other_months))
    assert set(found.values()) == {judging.NOT}


def test_a_claim_that_hangs_on_the_rule_is_reproduced_in_part():
    one, other = (made_up({("CM5", "bounded_slowdown"): [value] * 20}) for value in (-0.1, 0.1))
    found = one.where(one.index.get_level_values("rule") == "text", other)
    assert verdicts(one)["MF-12"] == judging.REPRODUCED
    assert verdicts(found)["MF-12"] == judging.PARTLY


def test_a_claim_that_one_shaken_run_in_ten_denies_is_reproduced_in_part():
    says, denies = (made_up({("CM5", "bounded_slowdown"): [value] * 20}, runs=10) for value in (-0.1, 0.1))
    found = says.where(says.index.get_level_values("replication") != 10, denies)
    assert verdicts(says)["MF-12"] == judging.REPRODUCED
    assert verdicts(found)["MF-12"] == judging.PARTLY


def test_claims_about_logs_that_are_absent_cannot_be_tested():
    assert verdicts(made_up({}).drop("Par", level="trace"))["MF-11"] == judging.UNTESTED


# How closely the published Table 1 is met with the better-fitting variant: median absolute relative deviation of the
# response time over months, and what else the printed numbers pin down


@pytest.mark.slow
@pytest.mark.parametrize(
    "trace, logs, easy, conservative",
    [
        ("CTC", "CTC-SP2", 0.005, 0.006),
        ("KTH", "KTH-SP2", 0.013, 0.013),
        ("SDSC", "SDSC-SP2", 0.035, 0.050),
        ("CM5", "LANL-CM5", 0.017, 0.022),
    ],
)
def test_table_1_is_met(log, trace, logs, easy, conservative):
    log(logs)
    exhibit = table1.Table1(traces=(trace,), shakes=2, other_shakes=2)
    medians = exhibit.deviations["median"].min(axis=1)
    assert medians[trace, "easy", "response_s"] <= easy
    assert medians[trace, "conservative", "response_s"] <= conservative
    rows = exhibit.comparison.xs(("easy", "text"), level=("scheduler", "rule"))
    load, jobs = (rows.xs(metric, level="metric") for metric in ("load", "jobs"))
    if trace == "CTC":
        assert (load.ours - load.published).drop(list(exhibit.notes)).abs().max() <= 0.005
        assert list(exhibit.notes) == [("CTC", "1997-01")]
    if trace == "KTH":
        assert (jobs.ours == jobs.published).sum() >= 5
    if trace == "CM5":
        assert jobs.deviation.abs().median() <= 0.005
    assert np.isfinite(exhibit.comparison.drop(columns=["published", "deviation"]).to_numpy()).all()


def test_table_1_judges_each_printed_number_once_and_not_where_jobs_are_missing(log):
    log("CTC-SP2")
    exhibit = table1.Table1(traces=("CTC",), shakes=2, other_shakes=2)
    places = [tuple(cell["of"].values()) for cell in exhibit.cells]
    assert len(set(places)) == len(places) == judging.published("mualem2001_table1").trace.eq("CTC").sum() * 6
    january = [cell for cell in exhibit.cells if cell["of"]["month"] == "1997-01"]
    assert {ours["verdict"] for cell in january for ours in cell["readings"].values()} == {judging.OTHER_LOG}
    assert all("2,080" in cell["note"] for cell in january)


@pytest.mark.slow
def test_two_years_of_a_trace_are_told_apart_by_their_labels():
    both = [mualem2001.Trace("Par", load(f"SDSC-Par-{year}", "twin")) for year in (95, 96)]
    assert [label for label, _ in mualem2001.labelled(both)] == ["Par-95", "Par-96"]
    assert [label for label, _ in mualem2001.labelled(both[:1])] == ["Par"]
    assert {mualem2001.trace_of(label) for label, _ in mualem2001.labelled(both)} == {"Par"}
