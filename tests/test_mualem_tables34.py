"""Tables 3 and 4 of Mu'alem & Feitelson: which simulations they take, what their cells mean, how claims are decided."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from simlib import EASY, Workload, estimates, papers, simulate
from simlib.models.sample import sample
from simlib.papers import mualem2001
from simlib.papers.mualem2001 import table3, table4


@pytest.fixture(scope="module")
def trace():
    w = sample()
    return mualem2001.Trace("KTH", w.select((w.jobs.submit < 20 * 86400).to_numpy()))


FEW = {"kinds": table3.qualities((1, 2, 11)), "shakes": 3, "draws": 3}


@pytest.fixture(scope="module")
def results3(trace):
    return table3.runs([trace], **FEW)


@pytest.fixture(scope="module")
def results4(trace):
    return table4.runs([trace], shakes=4)


def test_table_3_has_runs_of_every_kind_and_the_log_as_it_is_where_estimates_are_not_random(trace, results3):
    runs = results3.query("scheduler == 'easy'")
    assert runs.estimates.value_counts().to_dict() == {"original": 4, "f1": 4, "f2": 3, "f11": 3}
    assert runs[runs.seed.isna()].estimates.tolist() == ["original", "f1"]
    made = table3.qualities((1, 2, 4))
    assert made["original"] is None and made["f1"](0) == "exact"
    f4 = [trace.workload.with_estimates(made["f4"](seed)).jobs for seed in range(10)]
    assert all((jobs.estimate <= 4 * jobs.run + 1).all() and (jobs.estimate >= jobs.run).all() for jobs in f4)
    assert len({tuple(jobs.estimate) for jobs in f4}) == 10


def test_a_shaken_run_of_table_3_has_its_seed_for_both_the_shaking_and_the_estimates(trace, results3):
    run = results3.query("scheduler == 'easy' and estimates == 'f11' and seed == 2").iloc[0]
    shaken = trace.workload.with_estimates(estimates.Uniform(11, 2)).shake(60, 2)
    assert run.response_s == simulate(shaken, EASY()).jobs.response.mean()


def test_random_estimates_are_judged_by_the_band_of_means_of_ten(trace):
    results = table3.runs([trace], kinds=table3.qualities((11,)), shakes=1, draws=30)
    cell = table3.summary(results).loc["easy", "response_s", "KTH", "f11"]
    runs = results.query("scheduler == 'easy' and estimates == 'f11'").response_s
    assert cell.high - cell.low == pytest.approx(2 * 1.96 * runs.std() / np.sqrt(10), rel=0.15)
    assert cell.low < runs.mean() < cell.high


def test_table_3_does_not_depend_on_what_executes_it(trace, results3, forget):
    forget()
    with ThreadPoolExecutor(1) as one:
        again = table3.runs([trace], **FEW, executor=one)
    pd.testing.assert_frame_equal(results3, again)


def test_a_cell_of_table_3_is_the_log_as_it_is_or_the_mean_over_seeds(trace, results3):
    table = table3.summary(results3)
    runs = results3.query("scheduler == 'easy' and estimates == 'f11'").response_s
    cell = table.loc["easy", "response_s", "KTH", "f11"]
    assert (cell.ours, cell.sd) == (runs.mean(), runs.std())
    exact = table.loc["conservative", "bounded_slowdown", "KTH", "f1"]
    assert (
        exact.ours
        == mualem2001.means(trace.workload.with_estimates("exact"), mualem2001.policies()["conservative"])[
            "bounded_slowdown"
        ]
    )
    assert exact.published == 68.7 and exact.deviation == exact.ours / 68.7 - 1
    order = table.loc["easy", "response_s", "KTH"].index.tolist()
    assert order == ["original", "f1", "f2", "f11"]


def test_an_absent_published_number_is_left_out_of_the_record(trace):
    results = table3.runs([mualem2001.Trace("sample", trace.workload)], kinds=table3.qualities((2,)), shakes=2, draws=2)
    table = table3.summary(results)
    assert table3.cells(table) == []
    assert {claim["verdict"] for claim in table3.claims(table)} == {papers.UNTESTED}
    assert table3.beside(table, "easy", "response_s").loc[("sample", "paper")].eq("").all()


def made_up_table3(values, sd=0.1):
    """The same numbers by kind of estimate for every combination."""
    keys = [(s, m, "CTC", column) for s in mualem2001.SCHEDULERS for m in mualem2001.METRICS for column in values]
    index = pd.MultiIndex.from_tuples(keys, names=["scheduler", "metric", "trace", "estimates"])
    return pd.DataFrame({"ours": [values[key[-1]] for key in keys], "sd": sd}, index=index)


@pytest.mark.parametrize(
    "values, sd, verdicts",
    [
        ({"original": 9, "f1": 5, "f2": 4, "f4": 3}, 0.1, (papers.REPRODUCED, papers.REPRODUCED)),
        ({"original": 1, "f1": 2, "f2": 4, "f4": 3}, 0.1, (papers.NOT, papers.NOT)),
        ({"original": 9, "f1": 5, "f2": 4, "f4": 3}, 50, (papers.NOT, papers.NOT)),  # lost in the spread
    ],
)
def test_the_claims_on_table_3_weigh_differences_against_their_spread(values, sd, verdicts):
    found = table3.claims(made_up_table3(values, sd))
    assert tuple(claim["verdict"] for claim in found) == verdicts


def test_missing_jobs_of_no_length_are_scaled_away():
    table = made_up_table3({"f2": 79296 / 77222 * 12000, "f4": 79296 / 77222 * 12000})
    table = table.assign(published=12000, deviation=0.1, variant=12000, variant_deviation=0.1)
    off = table3.deviations(table, {"CTC": 77222})
    assert np.allclose(off["rule, scaled"], 0)


def test_table_4_compares_each_shaken_run_with_itself(results4):
    table = table4.summary(results4)
    part = results4.query("scheduler == 'easy_variant'").set_index(["shake", "estimates"]).response_s.unstack()
    difference = part.scaled / part.original - 1
    row = table.loc["response_s", "KTH", "easy", "variant"]
    assert row.difference == difference[-1]
    assert row.difference_mean == pytest.approx(difference[difference.index >= 0].mean())
    assert row.difference_low <= row.difference_mean <= row.difference_high
    assert (row.original_published, row.scaled_published) == (15568, 15060)
    assert row.difference_published == pytest.approx(-0.0326, abs=1e-4)


def test_table_4_says_where_a_published_number_is_absent(trace):
    table = table4.summary(table4.runs([mualem2001.Trace("sample", trace.workload)], shakes=2))
    assert table4.cells(table) == []
    assert table4.beside(table, "response_s")[("original", "paper")].eq("").all()
    assert {claim["verdict"] for claim in table4.claims(table)} == {papers.UNTESTED}


def made_up_table4(easy, conservative):
    """A Table 4 of one log in which bounded slowdown changes by so much, with a band of +-1 %, response by a fifth."""
    keys = pd.MultiIndex.from_product(
        [list(mualem2001.METRICS), ["CTC"], list(mualem2001.SCHEDULERS), ["rule", "variant"]],
        names=["metric", "trace", "scheduler", "rule"],
    )
    mean = [(easy if key[2] == "easy" else conservative) / (1 if key[0] == "bounded_slowdown" else 5) for key in keys]
    table = pd.DataFrame({"difference_mean": mean, "difference_published": mean}, index=keys)
    return table.assign(difference_low=table.difference_mean - 0.01, difference_high=table.difference_mean + 0.01)


@pytest.mark.parametrize(
    "easy, conservative, verdicts",
    [
        (-0.1, -0.2, (papers.REPRODUCED, papers.REPRODUCED)),
        (-0.2, -0.1, (papers.REPRODUCED, papers.NOT)),
        (0.1, -0.2, (papers.PARTLY, papers.REPRODUCED)),
        (0.001, 0.002, (papers.NOT, papers.NOT)),
    ],
)
def test_the_claims_on_table_4_count_clear_changes_only(easy, conservative, verdicts):
    found = table4.claims(made_up_table4(easy, conservative))
    assert tuple(claim["verdict"] for claim in found) == verdicts


def test_the_mean_bounded_slowdown_is_the_papers_without_a_floor():
    w = Workload(pd.DataFrame({"submit": [0, 0], "run": [5, 20], "procs": [1, 1]}), 2)
    assert mualem2001.means(w, mualem2001.policies()["easy"]) == {"response_s": 12.5, "bounded_slowdown": 0.75}


@pytest.mark.parametrize("name, expected", [("KTH-SP2", 16098), ("SDSC-SP2", 23239)])
def test_exact_estimates_meet_the_published_conservative_response_time_within_one_per_cent(log, name, expected):
    w = log(name).with_estimates("exact")
    for rule in ("conservative", "conservative_variant"):
        assert mualem2001.means(w, mualem2001.policies()[rule])["response_s"] == pytest.approx(expected, rel=0.01)
