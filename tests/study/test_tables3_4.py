"""Tables 3 and 4 of Mu'alem & Feitelson, and their model of estimates: simulations, cells and verdicts."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pandas as pd
import pytest
from helpers import executed, first_days, means, of_traces

from simlib import EASY, Workload, estimates, simulate, study
from simlib.core.estimates import Modelled
from simlib.models.sample import sample
from simlib.study import claims, mualem2001, records, results, verdicts
from simlib.study.mualem2001 import tables3_4
from simlib.study.verdicts import LIKELY, TEXT


@pytest.fixture(scope="module")
def trace():
    return mualem2001.Trace("KTH", first_days(20))


FEW = {
    "kinds": tables3_4.qualities((1, 2, 11)),
    "policies": mualem2001.policies(),
    "counts": dict.fromkeys((TEXT, LIKELY), 3),
    "draws": 3,
}


@pytest.fixture(scope="module")
def results3(trace):
    return tables3_4.of_qualities([trace], **FEW)


@pytest.fixture(scope="module")
def exhibit4(trace):
    return of_traces(tables3_4.Table4, trace, shakes=4, other_shakes=4)


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
    made = tables3_4.qualities((1, 2, 4))
    assert made["original"] is None and made["f1"](0) == "exact"
    f4 = [trace.workload.with_estimates(made["f4"](seed)).jobs for seed in range(10)]
    assert all((jobs.estimate <= 4 * jobs.run + 1).all() and (jobs.estimate >= jobs.run).all() for jobs in f4)
    assert len({tuple(jobs.estimate) for jobs in f4}) == 10


def test_a_shaken_run_of_table_3_has_its_seed_for_both_the_shaking_and_the_estimates(trace, results3):
    third = easy(results3, estimates="f11", replication=3, metric="response_s")["KTH"]
    shaken = trace.workload.with_estimates(estimates.Uniform(11, 2)).shake(60, 2)
    assert third == simulate(shaken, EASY()).jobs.response.mean()


def test_random_estimates_are_judged_by_the_band_of_means_of_ten(trace):
    few = FEW | {"kinds": tables3_4.qualities((11,)), "counts": dict.fromkeys((TEXT, LIKELY), 1), "draws": 30}
    found = tables3_4.of_qualities([trace], **few)
    cell = tables3_4.spread(found).sort_index().loc["easy", "response_s", "KTH", "f11", TEXT]
    runs = easy(found, estimates="f11", metric="response_s")
    assert cell.high - cell.low == pytest.approx(2 * 1.96 * runs.std() / np.sqrt(10), rel=0.15)
    assert cell.low < runs.mean() < cell.high


def test_table_3_does_not_depend_on_what_executes_it(trace, results3, forget):
    forget()
    with ThreadPoolExecutor(1) as one:
        again = tables3_4.of_qualities([trace], **FEW, executor=one)
    pd.testing.assert_series_equal(results3, again)


def test_a_cell_of_table_3_is_the_log_as_it_is_or_the_mean_over_seeds(trace, results3):
    table = results.against(tables3_4.spread(results3), tables3_4.printed())
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
    exhibit = of_traces(tables3_4.Table3, mualem2001.Trace("sample", trace.workload), **few)
    assert exhibit.parts()[""].cells() == []
    assert {claim["verdict"] for claim in exhibit.verdicts} == {claims.UNTESTED}
    table = tables3_4.beside(exhibit.comparison, "response_s")
    assert table.loc[("easy", "sample", "paper")].eq("").all()


def replicated(values, shift=0.0, runs=4):
    """The same numbers by quality of estimates for every combination, and replications that lie up to `shift` off."""
    combinations = product(mualem2001.SCHEDULERS, mualem2001.METRICS, mualem2001.SP2)
    columns = {(*of, name): value for of in combinations for name, value in values.items()}
    found = pd.DataFrame(columns, index=range(runs + 1)).rename_axis(
        columns=["scheduler", "metric", "trace", "estimates"]
    )
    found.loc[1:, found.columns[found.columns.isin(["f1", "original"], level="estimates")]] -= shift
    return found.rename_axis(index="replication")


GOOD = {"original": 9, "f1": 5, "f2": 4, "f4": 3}


@pytest.mark.parametrize(
    "values, shift, verdicts",
    [
        (GOOD, 0, (claims.REPRODUCED, claims.REPRODUCED)),
        ({"original": 1, "f1": 2, "f2": 4, "f4": 3}, 0, (claims.NOT, claims.NOT)),
        (GOOD | {"f4": 6}, 0, (claims.PARTLY, claims.REPRODUCED)),
        (GOOD, 7, (claims.INCONCLUSIVE, claims.INCONCLUSIVE)),  # some shaken runs say otherwise
    ],
)
def test_the_claims_on_table_3_are_told_from_false_ones(values, shift, verdicts):
    found = replicated(values).iloc[:3]
    found.loc[1] = replicated(values, shift).loc[1]
    measures = {"MF-30": tables3_4.somewhat_inaccurate, "MF-31": tables3_4.originals_worse}
    assert tuple(claims.decide(id, {TEXT: of(found)})["verdict"] for id, of in measures.items()) == verdicts


def test_without_one_of_the_logs_there_are_no_twelve_combinations():
    found = replicated(GOOD).drop(columns="KTH", level="trace")
    assert tables3_4.somewhat_inaccurate(found) is None and tables3_4.originals_worse(found) is None
    assert tables3_4.improving(found) is None and tables3_4.largest(found) is None


def test_random_estimates_count_with_their_mean_as_it_is_and_run_by_run_beside_the_others(results3):
    found = tables3_4.of_replications(results3)[TEXT]
    assert found.index.tolist() == [0, 1, 2, 3]
    runs = easy(results3, estimates="f11", metric="response_s")["KTH"]
    column = found["KTH", "f11", "easy", "response_s"]
    assert column[0] == runs.mean() and column[1:].tolist() == runs.tolist()


def test_the_papers_own_tables_pass():
    printed = tables3_4.as_it_is(tables3_4.printed())
    measures = {"MF-30": tables3_4.somewhat_inaccurate(printed), "MF-31": tables3_4.originals_worse(printed)}
    changes = tables3_4.as_it_is(tables3_4._printed().xs("difference", level="quantity"))
    measures |= {"MF-36": tables3_4.improving(changes), "MF-37": tables3_4.largest(changes)}
    verdicts = {id: claims.decide(id, {TEXT: parts})["verdict"] for id, parts in measures.items()}
    assert set(verdicts.values()) == {claims.REPRODUCED}
    assert measures["MF-30"]["f = 2"] == claims.Measure.exactly(11 / 12)
    assert measures["MF-31"]["worse"] == claims.Measure.exactly(68 / 72)


def test_missing_jobs_of_no_length_are_scaled_away(trace):
    scaled = 79296 / len(trace.workload) * 12000
    keys = [(s, m, "CTC", f) for s, m, f in product(mualem2001.SCHEDULERS, mualem2001.METRICS, ("f2", "f4"))]
    names = ["scheduler", "metric", "trace", "estimates"]
    table = pd.DataFrame({"ours": scaled}, pd.MultiIndex.from_tuples(keys, names=names))
    exhibit = of_traces(tables3_4.Table3, mualem2001.Trace("CTC", trace.workload))
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
    assert row.published == -0.033


def test_table_4_judges_the_printed_means_and_shows_them_with_their_differences(exhibit4):
    assert len(exhibit4.cells) == 2 * 2 * 3
    assert {cell["of"]["quantity"] for cell in exhibit4.cells} == {"original", "scaled", "difference"}
    (change,) = [
        cell for cell in exhibit4.cells if list(cell["of"].values()) == ["response_s", "KTH", "easy", "difference"]
    ]
    assert change["published"] == pytest.approx(-3.3)
    assert change["readings"][TEXT]["ours"] == 100 * exhibit4.differences.ours["response_s", "KTH", "easy", TEXT]
    assert {tuple(cell["readings"]) for cell in exhibit4.cells} == {(TEXT, LIKELY)}
    shown = exhibit4.beside("response_s").loc["KTH", "easy"]
    assert (shown["original", "paper"], shown["difference", "paper"]) == ("15,568", "-3.3%")
    assert exhibit4.figure()


@pytest.mark.parametrize(
    "cls, few, printed",
    [(tables3_4.Table3, {"draws": 2, "factors": (2,)}, 2 * 2 * 8), (tables3_4.Table4, {}, 2 * 2 * 3)],
)
def test_an_absent_log_has_the_printed_numbers_alone(trace, cls, few, printed):
    exhibit = of_traces(cls, trace, shakes=2, other_shakes=2, **few)
    exhibit._found = [trace], [one for one in mualem2001.settings() if one["trace"] == "CTC"]
    absent = [cell for cell in exhibit.cells if cell["of"]["trace"] == "CTC"]
    assert len(absent) == printed
    assert {one["verdict"] for cell in absent for one in cell["readings"].values()} == {verdicts.ABSENT}
    assert exhibit.figure()


def test_table_4_says_where_a_published_number_is_absent(trace):
    par = mualem2001.Trace("Par", trace.workload)
    exhibit = of_traces(tables3_4.Table4, par, traces=("Par",), shakes=2, other_shakes=2)
    assert exhibit.cells == []
    assert exhibit.beside("response_s")[("original", "paper")].eq("").all()
    assert {claim["verdict"] for claim in exhibit.verdicts} == {claims.UNTESTED}


def made_up_table4(easy, conservative, spread=0.001):
    """Bounded slowdown changes by so much, response time by a fifth of it, and replications lie a little about that."""
    columns = {}
    for metric, trace, scheduler in product(mualem2001.METRICS, mualem2001.SP2, mualem2001.SCHEDULERS):
        change = (easy if scheduler == "easy" else conservative) / (1 if metric == "bounded_slowdown" else 5)
        columns[metric, trace, scheduler] = [change, change - spread, change + spread]
    found = pd.DataFrame(columns).rename_axis(index="replication", columns=["metric", "trace", "scheduler"])
    return found


@pytest.mark.parametrize(
    "easy, conservative, spread, verdicts",
    [
        (-0.1, -0.2, 0.001, (claims.REPRODUCED, claims.REPRODUCED)),
        (-0.2, -0.1, 0.0, (claims.REPRODUCED, claims.NOT)),
        (0.1, -0.2, 0.001, (claims.INCONCLUSIVE, claims.REPRODUCED)),  # half of the combinations
        (-0.01, -0.05, 0.001, (claims.REPRODUCED, claims.PARTLY)),  # the largest, but not significant
        (0.1, 0.2, 0.001, (claims.NOT, claims.NOT)),
        (-0.01, -0.02, 0.1, (claims.INCONCLUSIVE, claims.INCONCLUSIVE)),  # lost in the spread
    ],
)
def test_the_claims_on_table_4_are_told_from_false_ones(easy, conservative, spread, verdicts):
    found = made_up_table4(easy, conservative, spread)
    measures = {"MF-36": tables3_4.improving, "MF-37": tables3_4.largest}
    assert tuple(claims.decide(id, {TEXT: of(found)})["verdict"] for id, of in measures.items()) == verdicts


def test_the_mean_bounded_slowdown_is_the_papers_without_a_floor():
    w = Workload(pd.DataFrame({"submit": [0, 0], "run": [5, 20], "procs": [1, 1]}), 2)
    assert means(w, mualem2001.policies()["easy", TEXT]) == {"response_s": 12.5, "bounded_slowdown": 0.75}


@pytest.mark.parametrize("name, expected", [("KTH-SP2", 16098), ("SDSC-SP2", 23239)])
def test_exact_estimates_meet_the_published_conservative_response_time_within_one_per_cent(log, name, expected):
    w = log(name).with_estimates("exact")
    for rule in (TEXT, LIKELY):
        assert means(w, mualem2001.policies()["conservative", rule])["response_s"] == pytest.approx(expected, rel=0.01)


@pytest.fixture(scope="module")
def small():
    return sample().select(np.arange(6000) < 400)


def modelled(root, workload, edits=None, trace="CTC", **parameters):
    """Run the notebook of the model of estimates on a log that has the estimates that the workload has."""
    workload._log = workload.jobs.assign(requested_time=workload.jobs.estimate, status=1)
    few = {"traces": [trace], "factors": [2], "seeds": 3, "shakes": 2} | parameters
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records.paths, "ROOT", root)
        patch.setattr(mualem2001, "traces", lambda *_: ([mualem2001.Trace(trace, workload)], []))
        return executed("mualem2001/estimate-model", edits, **few)


@pytest.fixture(scope="module")
def made(small, tmp_path_factory):
    return modelled(tmp_path_factory.mktemp("root"), small)


def test_jobs_without_estimate_or_run_time_take_no_part(made, small):
    few = small.select(np.arange(len(small)) < 10)
    few._log = few.jobs.assign(requested_time=few.jobs.estimate)
    few._log.iloc[:3, few._log.columns.get_loc("requested_time")] = -1
    assert len(made["with_estimate"](few)) == 7


def test_a_log_whose_estimates_were_modelled_is_met_and_uniform_ones_are_not(made):
    jobs = sample().with_estimates(Modelled(seed=99)).jobs
    far = made["compare"]({"CTC": jobs[jobs.run > 0]})[1]
    distance, sd = (far.loc["CTC"].groupby("estimates").agg(how) for how in ("mean", "std"))
    assert distance.ks["model"] < 0.03
    assert distance.ks_estimate["model"] < 0.03
    assert distance.tv["model"] < distance.tv["f2"]
    assert distance.ks["f2"] > 0.3
    assert (sd.loc["model", ["tv", "ks"]] > 0).all()


def distances(model, uniform, estimates=0.05, spread=0.001):
    """Distances of the model and of uniform estimates on two logs, on the second a little less, in three draws."""
    rows = {}
    for requested, less in (("CTC", 0), ("KTH", 0.01)):
        for draw in (1, 2, 3):
            shift = (draw - 2) * spread - less
            rows[requested, "model", draw] = {"tv": 0.1, "ks": model + shift, "ks_estimate": estimates + shift}
            rows[requested, "f2", draw] = {"tv": 0.5, "ks": uniform + shift, "ks_estimate": 0.5}
    return pd.DataFrame(rows).T.rename_axis(["trace", "estimates", "run"])


@pytest.mark.parametrize(
    "model, uniform, estimates, expected",
    [
        (0.09, 0.5, 0.05, claims.REPRODUCED),
        (0.2, 0.5, 0.05, claims.NOT),  # the headline
        (0.09, 0.5, 0.2, claims.PARTLY),
        (0.09, 0.08, 0.05, claims.PARTLY),
        (0.1, 0.5, 0.05, claims.INCONCLUSIVE),
    ],
)
def test_the_model_is_measured_on_the_log_that_is_farthest(made, model, uniform, estimates, expected):
    far = distances(model, uniform, estimates)
    assert study.claim("MF-32", {TEXT: far}, made["as_real_ones"])["verdict"] == expected


def test_without_uniform_estimates_there_is_nothing_to_compare_the_model_with(made):
    far = distances(0.05, 0.5).drop("f2", level="estimates")
    parts = study.claim("MF-32", {TEXT: far}, made["as_real_ones"])["readings"][TEXT]["parts"]
    assert parts[0]["high"] < 0.1 and np.isnan(parts[2]["value"])


@pytest.mark.parametrize(
    "too_small, factor, expected",
    [
        (10, 10, (claims.REPRODUCED, claims.REPRODUCED)),
        (3, 4, (claims.NOT, claims.NOT)),
        (30, 30, (claims.NOT, claims.NOT)),
    ],
)
def test_estimates_that_are_too_small_and_those_of_short_jobs_are_measured(made, too_small, factor, expected):
    runs = np.tile([60, 600], 50)
    estimate = runs * np.where(runs < 90, 2 * factor, 2)
    estimate[:too_small] = runs[:too_small]
    jobs = {"CTC": pd.DataFrame({"run": runs, "estimate": estimate})}
    measures = {"MF-46": made["too_small"], "MF-47": made["stretched"]}
    assert tuple(study.claim(id, {TEXT: jobs}, of)["verdict"] for id, of in measures.items()) == expected


def test_scheduling_runs_every_kind_of_estimates_under_every_scheduler(made):
    assert len(made["scheduling"]) == 4 * 3 * 2  # schedulers and rules, kinds of estimates, metrics
    assert len(made["near"]) == 8
    for key, row in made["near"].iterrows():
        assert row.off == pytest.approx(row.model / row.original - 1), key
    untested = {made[name]["verdict"] for name in ("statistics", "tenth", "ten_times")}
    assert untested == {claims.UNTESTED}, "the sample is made up"


def test_histograms_of_log_and_models_share_out_all_jobs(made):
    assert made["shares"].sum().tolist() == pytest.approx([100] * 3)
    assert list(made["shares"]) == ["log", "model", "f2"]
    assert made["histograms"].sd["CTC"]["model"].max() > 0


def test_another_model_and_a_third_policy_reach_tables_and_pictures(root, small):
    edits = {
        '"conservative": Conservative()}': '"conservative": Conservative(), "SJBF": EASY(backfill="sjf")}',
        "  # functions of a seed": '; models["tripled"] = lambda seed: estimates.Scaled(3)',
    }
    found = modelled(root, small, edits)
    assert list(found["shares"]) == ["log", "model", "f2", "tripled"]
    ours = found["scheduling"].xs(("SJBF", "response_s"), level=("scheduler", "metric")).ours
    assert ours.index.unique("estimates").tolist() == ["original", "model", "f2", "tripled"]
    by_users = simulate(small, EASY(backfill="sjf")).jobs.response.mean()
    assert ours.xs("original", level="estimates").tolist() == [pytest.approx(by_users)]
    entries = [[text.get_text() for text in found[name].legends[0].get_texts()] for name in ("picture", "picture2")]
    assert entries == [["log", "model", "f2", "tripled"], ["EASY", "conservative", "SJBF", "text", "likely"]]
