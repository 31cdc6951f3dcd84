"""Tables 3 and 4 of Mu'alem & Feitelson: which simulations they take, what their cells mean, how claims are decided."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from helpers import first_days, means, of_traces

from simlib import EASY, Workload, estimates, simulate
from simlib.papers import judging, mualem2001, results
from simlib.papers.judging import LIKELY, TEXT
from simlib.papers.mualem2001 import table3, table4


@pytest.fixture(scope="module")
def trace():
    return mualem2001.Trace("KTH", first_days(20))


FEW = {
    "kinds": table3.qualities((1, 2, 11)),
    "policies": mualem2001.policies(),
    "counts": dict.fromkeys((TEXT, LIKELY), 3),
    "draws": 3,
}


@pytest.fixture(scope="module")
def results3(trace):
    return table3.of_qualities([trace], **FEW)


@pytest.fixture(scope="module")
def exhibit4(trace):
    return of_traces(table4.Table4, trace, shakes=4, other_shakes=4)


def easy(found, **levels):
    """Some of the text's rules' results under EASY, by what is left of their index."""
    levels = {"scheduler": "easy", "rule": TEXT} | levels
    return found.xs(tuple(levels.values()), level=tuple(levels))


def test_table_3_has_runs_of_every_kind_and_the_log_as_it_is_where_estimates_are_not_random(trace, results3):
    runs = easy(results3, metric="response_s").droplevel("trace")
    assert {kind: len(runs[kind]) for kind in runs.index.unique("estimates")} == {
        "original": 4,
        "f1": 4,
        "f2": 3,
        "f11": 3,
    }
    assert runs.xs(results.AS_IT_IS, level="replication").index.tolist() == ["original", "f1"]
    made = table3.qualities((1, 2, 4))
    assert made["original"] is None and made["f1"](0) == "exact"
    f4 = [trace.workload.with_estimates(made["f4"](seed)).jobs for seed in range(10)]
    assert all((jobs.estimate <= 4 * jobs.run + 1).all() and (jobs.estimate >= jobs.run).all() for jobs in f4)
    assert len({tuple(jobs.estimate) for jobs in f4}) == 10


def test_a_shaken_run_of_table_3_has_its_seed_for_both_the_shaking_and_the_estimates(trace, results3):
    third = easy(results3, estimates="f11", replication=3, metric="response_s")["KTH"]
    shaken = trace.workload.with_estimates(estimates.Uniform(11, 2)).shake(60, 2)
    assert third == simulate(shaken, EASY()).jobs.response.mean()


def test_random_estimates_are_judged_by_the_band_of_means_of_ten(trace):
    few = FEW | {"kinds": table3.qualities((11,)), "counts": dict.fromkeys((TEXT, LIKELY), 1), "draws": 30}
    found = table3.of_qualities([trace], **few)
    cell = table3.comparison(found).sort_index().loc["easy", "response_s", "KTH", "f11", TEXT]
    runs = easy(found, estimates="f11", metric="response_s")
    assert cell.high - cell.low == pytest.approx(2 * 1.96 * runs.std() / np.sqrt(10), rel=0.15)
    assert cell.low < runs.mean() < cell.high


def test_table_3_does_not_depend_on_what_executes_it(trace, results3, forget):
    forget()
    with ThreadPoolExecutor(1) as one:
        again = table3.of_qualities([trace], **FEW, executor=one)
    pd.testing.assert_series_equal(results3, again)


def test_a_cell_of_table_3_is_the_log_as_it_is_or_the_mean_over_seeds(trace, results3):
    table = table3.comparison(results3)
    runs = easy(results3, estimates="f11", metric="response_s")
    places = table.sort_index()
    cell = places.loc["easy", "response_s", "KTH", "f11", TEXT]
    assert (cell.ours, cell.sd) == (runs.mean(), runs.std())
    exact = places.loc["conservative", "bounded_slowdown", "KTH", "f1", TEXT]
    policy = mualem2001.policies()["conservative", TEXT]
    assert exact.ours == means(trace.workload.with_estimates("exact"), policy)["bounded_slowdown"]
    assert exact.published == 68.7 and exact.deviation == exact.ours / 68.7 - 1
    order = table.xs(("easy", "response_s", "KTH"), level=(0, 1, 2)).index.unique("estimates").tolist()
    assert order == ["original", "f1", "f2", "f11"]


def test_an_absent_published_number_is_left_out_of_the_record(trace):
    few = {"factors": (2,), "shakes": 2, "other_shakes": 2, "draws": 2}
    exhibit = of_traces(table3.Table3, mualem2001.Trace("sample", trace.workload), **few)
    assert exhibit.parts()[""].cells() == []
    assert {claim["verdict"] for claim in exhibit.verdicts} == {judging.UNTESTED}
    table = table3.beside(exhibit.comparison, "response_s")
    assert table.loc[("easy", "sample", "paper")].eq("").all()


def made_up_table3(values, sd=0.1):
    """The same numbers by kind of estimate for every combination."""
    keys = [(s, m, "CTC", column) for s in mualem2001.SCHEDULERS for m in mualem2001.METRICS for column in values]
    index = pd.MultiIndex.from_tuples(keys, names=["scheduler", "metric", "trace", "estimates"])
    return pd.DataFrame({"ours": [values[key[-1]] for key in keys], "sd": sd}, index=index)


@pytest.mark.parametrize(
    "values, sd, verdicts",
    [
        ({"original": 9, "f1": 5, "f2": 4, "f4": 3}, 0.1, (judging.REPRODUCED, judging.REPRODUCED)),
        ({"original": 1, "f1": 2, "f2": 4, "f4": 3}, 0.1, (judging.NOT, judging.NOT)),
        ({"original": 9, "f1": 5, "f2": 4, "f4": 3}, 50, (judging.NOT, judging.NOT)),  # lost in the spread
    ],
)
def test_the_claims_on_table_3_weigh_differences_against_their_spread(values, sd, verdicts):
    found = table3.claims(made_up_table3(values, sd))
    assert tuple(claim["verdict"] for claim in found) == verdicts


def test_missing_jobs_of_no_length_are_scaled_away(trace):
    table = made_up_table3({"f2": 79296 / len(trace.workload) * 12000, "f4": 79296 / len(trace.workload) * 12000})
    exhibit = of_traces(table3.Table3, mualem2001.Trace("CTC", trace.workload))
    exhibit.comparison = pd.concat({TEXT: table.assign(published=12000, deviation=0.1)}, names=["rule"])
    assert np.allclose(exhibit.deviations["scaled"], 0)


def test_table_4_compares_each_shaken_run_with_itself(exhibit4):
    of = {"trace": "KTH", "scheduler": "easy", "rule": LIKELY, "metric": "response_s"}
    pairs = exhibit4.results.xs(tuple(of.values()), level=tuple(of)).unstack("quantity")
    difference = pairs.scaled / pairs.original - 1
    rows = exhibit4.comparison.sort_index().loc["response_s", "KTH", "easy"].xs(LIKELY, level="rule")
    row = rows.loc["difference"]
    assert row.ours == difference[results.AS_IT_IS]
    assert row["mean"] == pytest.approx(difference.drop(results.AS_IT_IS).mean())
    assert row.low <= row["mean"] <= row.high
    assert rows.published[["original", "scaled"]].tolist() == [15568, 15060]
    assert row.published == pytest.approx(-0.0326, abs=1e-4)


def test_table_4_judges_the_printed_means_and_shows_them_with_their_differences(exhibit4):
    assert len(exhibit4.cells) == 2 * 2 * 2
    assert {cell["of"]["quantity"] for cell in exhibit4.cells} == {"original", "scaled"}
    assert {tuple(cell["readings"]) for cell in exhibit4.cells} == {(TEXT, LIKELY)}
    shown = exhibit4.beside("response_s").loc["KTH", "easy"]
    assert (shown["original", "paper"], shown["difference", "paper"]) == ("15,568", "-3.3%")
    assert exhibit4.figure()


def test_table_4_says_where_a_published_number_is_absent(trace):
    sample = mualem2001.Trace("sample", trace.workload)
    exhibit = of_traces(table4.Table4, sample, traces=("sample",), shakes=2, other_shakes=2)
    assert exhibit.cells == []
    assert exhibit.beside("response_s")[("original", "paper")].eq("").all()
    assert {claim["verdict"] for claim in exhibit.verdicts} == {judging.UNTESTED}


def made_up_table4(easy, conservative):
    """Differences of one log: bounded slowdown changes by so much, response by a fifth of it, with bands of +-1 %."""
    keys = pd.MultiIndex.from_product(
        [list(mualem2001.METRICS), ["CTC"], list(mualem2001.SCHEDULERS), [TEXT, LIKELY]],
        names=["metric", "trace", "scheduler", "rule"],
    )
    mean = [(easy if key[2] == "easy" else conservative) / (1 if key[0] == "bounded_slowdown" else 5) for key in keys]
    table = pd.DataFrame({"mean": mean, "published": mean}, index=keys)
    return table.assign(low=table["mean"] - 0.01, high=table["mean"] + 0.01)


@pytest.mark.parametrize(
    "easy, conservative, verdicts",
    [
        (-0.1, -0.2, (judging.REPRODUCED, judging.REPRODUCED)),
        (-0.2, -0.1, (judging.REPRODUCED, judging.NOT)),
        (0.1, -0.2, (judging.PARTLY, judging.REPRODUCED)),
        (0.001, 0.002, (judging.NOT, judging.NOT)),
    ],
)
def test_the_claims_on_table_4_count_clear_changes_only(easy, conservative, verdicts):
    found = table4.claims(made_up_table4(easy, conservative))
    assert tuple(claim["verdict"] for claim in found) == verdicts


def test_the_mean_bounded_slowdown_is_the_papers_without_a_floor():
    w = Workload(pd.DataFrame({"submit": [0, 0], "run": [5, 20], "procs": [1, 1]}), 2)
    assert means(w, mualem2001.policies()["easy", TEXT]) == {"response_s": 12.5, "bounded_slowdown": 0.75}


@pytest.mark.parametrize("name, expected", [("KTH-SP2", 16098), ("SDSC-SP2", 23239)])
def test_exact_estimates_meet_the_published_conservative_response_time_within_one_per_cent(log, name, expected):
    w = log(name).with_estimates("exact")
    for rule in (TEXT, LIKELY):
        assert means(w, mualem2001.policies()["conservative", rule])["response_s"] == pytest.approx(expected, rel=0.01)
