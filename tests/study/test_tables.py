"""Tables 1, 3 and 4 of Mu'alem & Feitelson and footnote 2: their notebooks, run and changed."""

import functools

import pandas as pd
import pytest
from described import table1, wins
from exhibits import code_cells, executed, verdict_by_id
from helpers import means

import simlib_study as study
from simlib import EASY, Conservative, Workload, estimates, replicate, simulate
from simlib_study import claims, judging, mualem2001
from simlib_study.claims import INCONCLUSIVE, REPRODUCED, UNTESTED

pytestmark = pytest.mark.slow

METRICS = ["response_s", "bounded_slowdown"]
FEW = {"shakes": 3, "other_shakes": 3}
TABLE3 = FEW | {"logs": ["KTH"], "draws": 3, "factors": [2, 11]}


# Titles


def test_a_number_is_counted_once_for_each_reading_and_not_in_all_of_them_together():
    policies = ["EASY", "EASY, extra shared", "conservative"]
    index = pd.MultiIndex.from_product([policies, ["KTH", "CTC"]], names=["policy", "log"])
    table = pd.DataFrame({"verdict": ["inside", "another log", "close", "another log", "off", "another log"]}, index)
    for either in (table, table[::-1]):  # the text's rules come first
        assert judging.in_bands(either) == "judged numbers inside our bands: text 1 of 2, likely 0 of 1"
    text = table.drop("EASY, extra shared", level="policy")
    assert judging.in_bands(text, of="a table") == "1 of 2 judged numbers of a table lie inside our bands"
    assert judging.in_bands(table.xs("CTC", level="log", drop_level=False)) == "no number is compared with print"


# Table 3


@functools.cache
def executed_once():
    """The variables of the notebook, which the small logs stay in."""
    return executed("mualem2001/table3", **TABLE3)


@pytest.fixture
def table3(small_logs):
    return executed_once()


def test_a_cell_of_table_3_is_the_log_as_it_is_or_the_mean_over_draws(table3):
    table, runs, w = table3["table"].sort_index(), table3["runs"], table3["logs"]["KTH"]
    exact = table.loc["conservative", "bounded_slowdown", "KTH", "f1"]
    assert exact.ours == means(w.with_estimates("exact"), Conservative())["bounded_slowdown"]
    assert exact.published == 68.7 and exact.deviation == exact.ours / 68.7 - 1
    drawn = table.loc["EASY", "response_s", "KTH", "f11"]
    f11 = runs.response_s.xs(("KTH", "f11", "EASY"), level=("log", "estimates", "policy"))
    assert (drawn.ours, drawn.sd) == (f11.mean(), f11.std()) and f11.index.tolist() == [1, 2, 3]
    third = w.with_estimates(estimates.Uniform(11, 2)).shake(60, 2)
    assert f11[3] == simulate(third, EASY()).jobs.response.mean()


def test_random_estimates_are_compared_with_their_mean_as_it_is_and_run_by_run_beside_the_others(table3):
    found, runs = table3["combinations"]["text"], table3["runs"]
    column = found["response_s", "KTH", "EASY", "f11"]
    f11 = runs.response_s.xs(("KTH", "f11", "EASY"), level=("log", "estimates", "policy"))
    assert column[0] == f11.mean() and column[1:].tolist() == f11.tolist()


def test_without_one_of_the_logs_there_are_no_twelve_combinations_and_print_is_judged_all_the_same(table3):
    claims = [table3["inaccurate"], table3["worse"]]
    assert {claim["verdict"] for claim in claims} == {UNTESTED}


def test_the_papers_own_tables_3_and_4_pass(small_logs):
    few = FEW | {"draws": 2}
    found = executed("mualem2001/table3", **few) | executed("mualem2001/table4", **FEW)
    said = {name: found[name]["readings"]["printed"] for name in ("inaccurate", "worse", "improves", "gains_most")}
    assert {one["verdict"] for one in said.values()} == {REPRODUCED}
    values = {part["part"]: part["value"] for one in said.values() for part in one["parts"]}
    assert (values["f = 2"], values["worse"]) == (pytest.approx(11 / 12), pytest.approx(68 / 72))


# Table 4


def test_table_4_compares_each_shaken_run_with_itself(small_logs):
    found = executed("mualem2001/table4", **FEW)
    runs = found["runs"].response_s.xs(("KTH", "EASY, extra shared"), level=("log", "policy")).unstack("quantity")
    change = runs.scaled / runs.original - 1
    row = found["table"].sort_index().loc["response_s", "KTH", "EASY, extra shared", "difference"]
    assert row.ours == pytest.approx(change[0]) and row["mean"] == pytest.approx(change.drop(0).mean())
    assert row.published == pytest.approx(-0.033)
    assert len(judging.cells(found["means"])) == 3 * 2 * 2 * 2


# Table 1


@pytest.mark.thorough
def test_the_logs_that_are_absent_have_rows_and_cells_without_ours(small_logs):
    found = executed("mualem2001/table1", **FEW)  # of which Par's first year is not here
    table = found["table"]
    absent = table.loc["Par"].loc["1995-04"].dropna(subset="published")
    assert set(absent.verdict.dropna()) == {judging.ABSENT} and absent.ours.isna().all()
    cells = [
        cell for cell in judging.cells(table) if cell["of"]["month"].startswith("1995") and cell["of"]["log"] == "Par"
    ]
    assert len(cells) == 12 * 6
    totals = found["totals"].verdict
    assert (
        totals["Par", "total_jobs"] == judging.ABSENT
        and found["lines"]["KTH"] == (found["logs"]["KTH"].log.run >= 0).sum()
    )
    places = [tuple(cell["of"].values()) for cell in judging.cells(table)]
    assert len(set(places)) == len(places) == 88 * 6  # the small log of CM-5 lacks one month


def test_the_printed_differences_of_table_1_belong_to_its_printed_means():
    printed = study.printed("mualem2001_table1").unstack("policy")
    exact = (100 * printed.conservative / printed.EASY - 100).unstack("metric")
    off = study.printed("mualem2001_table1_differences").unstack("metric") - exact[METRICS]
    assert off.response_s.abs().max() < 0.051 and len(off) == 89


def of_table1(differences):
    """The records that the cells of Table 1 make by made-up differences, by id."""
    made_up = pd.concat({"conservative": differences}, names=["policy"])
    variables = {"study": study, "pd": pd, "SP2": mualem2001.SP2, "logs": study.Logs({}), "difference": made_up}
    for cell in code_cells("mualem2001/table1")[1]:
        if "study.claim(" in cell or "def easy_wins(" in cell:
            exec(cell, variables)
    found = (variables[name] for name in ("mf08", "mf09", "mf10", "mf11", "mf12", "mf13"))
    return {one["id"]: one for one in found}


def test_the_papers_own_table_1_passes():
    readings = {id: one["readings"] for id, one in of_table1(table1()).items()}
    passed = {id: of["printed"]["verdict"] for id, of in readings.items() if "printed" in of}
    assert passed == dict.fromkeys(["MF-08", "MF-09", "MF-10", "MF-11", "MF-12"], REPRODUCED)


def test_months_like_these_are_less_certain_than_these():
    changed = {("Par", "bounded_slowdown"): wins(5)}
    readings = of_table1(table1(changed))["MF-11"]["readings"]
    assert (readings["text"]["verdict"], readings[claims.LIKE_THESE]["verdict"]) == (REPRODUCED, INCONCLUSIVE)


@pytest.mark.parametrize(
    "trace, ids", [("Par", {"MF-10", "MF-11"}), ("CM5", {"MF-10", "MF-12"}), ("KTH", {"MF-08", "MF-09", "MF-13"})]
)
def test_claims_about_logs_that_are_absent_cannot_be_tested(trace, ids):
    found = verdict_by_id(of_table1(table1().drop(trace, level="log")).values())
    assert {id for id, verdict in found.items() if verdict == UNTESTED} == ids


@pytest.mark.parametrize(
    "trace, name, easy, conservative",
    [
        ("CTC", "CTC-SP2", 0.006, 0.006),
        ("KTH", "KTH-SP2", 0.013, 0.013),
        pytest.param("SDSC", "SDSC-SP2", 0.035, 0.050, marks=pytest.mark.thorough),
        pytest.param("CM5", "LANL-CM5", 0.017, 0.024, marks=pytest.mark.thorough),
    ],
)
def test_table_1_is_met(log, trace, name, easy, conservative, root):
    log(name)
    table = executed("mualem2001/table1", logs=[trace], shakes=2, other_shakes=2)["table"]
    of_means = table[table.index.isin(["response_s"], level="metric") & table.verdict.isin(["inside", "close", "off"])]
    medians = of_means.deviation.abs().groupby("policy").median().groupby(judging.plain).min()
    assert medians.EASY <= easy and medians.conservative <= conservative
    rows = table.xs((trace, "EASY"), level=("log", "policy"))
    load, jobs = (rows.xs(metric, level="metric") for metric in ("load", "jobs"))
    if trace == "CTC":
        judged = load[load.verdict != "another log"]
        assert (judged.ours - judged.published).abs().max() <= 0.005 and len(judged) == len(load) - 1
        january = table.xs("1997-01", level="month").dropna(subset="published")
        assert set(january.loc["CTC"].verdict.dropna()) == {judging.OTHER_LOG}
        back = january.loc["CTC, restored"]
        of_easy, of_conservative = (
            back[back.index.isin(names, level="policy")]
            for names in (["EASY", "EASY, extra shared"], ["conservative", "conservative, by start"])
        )
        assert set(of_easy.verdict.dropna()) <= {judging.INSIDE, judging.CLOSE, judging.OFF}
        assert set(of_conservative.verdict.dropna()) == {judging.INFERRED} and january.note.str.contains("2,080").all()
    if trace == "KTH":
        assert (jobs.ours == jobs.published).sum() >= 5
    if trace == "CM5":
        assert jobs.deviation.abs().median() <= 0.005


def test_the_mean_bounded_slowdown_is_the_papers_without_a_floor():
    w = Workload(pd.DataFrame({"submit": [0, 0], "run": [5, 20], "procs": [1, 1]}), 2)
    found = replicate(w, EASY(), shakes=0, measures=mualem2001.MEASURES).loc[0]
    assert found.to_dict() == {"response_s": 12.5, "bounded_slowdown": 0.75} == means(w, EASY())
