"""Figures 5 and 6 of Mu'alem & Feitelson: what is backfilled of logs and models, and which jobs these have."""

import itertools

import numpy as np
import pandas as pd
import pytest

from simlib import EASY, Workload, plots
from simlib.analysis.replicate import replicate
from simlib.analysis.size_classes import ALL, named
from simlib.models import feitelson96, jann97
from simlib.study import claims, mualem2001, results
from simlib.study.claims import HOLDS, HOLDS_NOT, INCONCLUSIVE, PRINTED, REPRODUCED, UNTESTED
from simlib.study.mualem2001 import figure5, figure6
from simlib.study.mualem2001.figure6 import WEEK
from simlib.study.results import AS_IT_IS
from simlib.study.verdicts import LIKELY, RESTORED, TEXT

plots.plt.switch_backend("Agg")


@pytest.fixture
def one_passes(workload):
    """On four processors, a job of three runs, one of four waits, and one of a single processor passes it."""
    return workload([(0, 10, 10, 3), (1, 10, 10, 4), (2, 5, 5, 1), (3, 5, 5, 2)], 4)


def of_rules(workload, label="made"):
    """A workload with its label, the same by both rules."""
    return label, dict.fromkeys((TEXT, LIKELY), workload)


def compared(workload, **settings):
    """What both schedulers backfill of a workload called "made"."""
    return figure5.compared(figure5.of_logs([of_rules(workload)], mualem2001.policies(), **settings))


def test_all_policies_get_the_same_shakes(one_passes):
    easy_twice = dict(zip(mualem2001.policies(), 2 * [EASY(), EASY(backfill="arrival")], strict=True))
    assert len(set(easy_twice.values())) == 2
    found = figure5.of_logs([of_rules(one_passes)], easy_twice, 3, shake_s=5)
    assert found.index.unique("replication").tolist() == [AS_IT_IS, 1, 2, 3]
    table = figure5.compared(found).loc["response_s"]
    assert (table.xs("difference", level="of")[["ours", "low", "high"]] == 0).all(axis=None)
    easy = table.xs("easy", level="of")
    assert (easy.low < easy.high).any()


def test_what_is_the_same_by_two_rules_is_simulated_once_and_what_a_rule_lacks_not_at_all(one_passes, monkeypatch):
    shaken = []
    monkeypatch.setattr(figure5, "replicate", lambda *of, **more: shaken.append(of) or replicate(*of, **more))
    other, policies = one_passes.shake(1), mualem2001.policies((LIKELY, RESTORED))
    logs = [("same", dict.fromkeys((LIKELY, RESTORED), one_passes)), ("other", {LIKELY: one_passes, RESTORED: other})]
    found = figure5.of_logs([*logs, ("as filed", {LIKELY: other})], policies, shakes=2)
    assert len(shaken) == len(set(shaken)) == 4  # two workloads by two schedulers
    assert found["same", :, LIKELY].equals(found["same", :, RESTORED])
    assert not found["other", :, LIKELY].equals(found["other", :, RESTORED])
    assert found["as filed"].index.unique("rule").tolist() == [LIKELY]


def test_equal_runs_give_equal_numbers(one_passes):
    one, two = (compared(one_passes, shakes=2) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def made_up(values):
    """Results of two shakes: `values` by (workload, scheduler, rule) hold each metric as it is and shaken."""
    rows = {
        (*key, k, ALL, metric): value
        for key, by_metric in values.items()
        for metric, numbers in ({"jobs": [100] * 3} | by_metric).items()
        for k, value in enumerate(numbers)
    }
    names = ["workload", "scheduler", "rule", "replication", "size_class", "metric"]
    return pd.Series(rows).rename_axis(names)


def test_differences_are_taken_shake_by_shake():
    numbers = {"easy": [0.5, 0.4, 0.6], "conservative": [0.52, 0.44, 0.63]}
    found = made_up({("KTH", scheduler, TEXT): {"backfilled": three} for scheduler, three in numbers.items()})
    table = figure5.compared(found).loc["backfilled", "KTH", TEXT, ALL]
    difference, easy = table.loc["difference"], table.loc["easy"]
    assert difference.ours == pytest.approx(0.02)
    assert 0.03 < difference.low < difference.high < 0.04
    assert easy.high - easy.low > 0.1
    assert difference.jobs == 100


SIMILAR_AND_WORSE = {"backfilled": 1.05, "response_s": 1.2, "bounded_slowdown": 1.1}


def with_sdsc(sdsc=SIMILAR_AND_WORSE, likely=SIMILAR_AND_WORSE, others=0.99):
    """Made-up results in which conservative has so many times what EASY has; shakes move it by a per cent."""
    values = {}
    for name, (rule, factors) in itertools.product(mualem2001.TRACES, ((TEXT, sdsc), (LIKELY, likely))):
        values[name, "easy", rule] = dict.fromkeys(SIMILAR_AND_WORSE, [0.5, 0.5, 0.5])
        ratio = factors if name == "SDSC" else dict.fromkeys(factors, others)
        noisy = {metric: [0.5 * r, 0.495 * r, 0.505 * r] for metric, r in ratio.items()}
        values[name, "conservative", rule] = noisy
    return made_up(values)


def decided(with_sdsc):
    return figure5.claim_of_logs(figure5.changes(with_sdsc))


def parts_of_logs(with_sdsc, rule=TEXT):
    """The verdicts on the parts of the claim."""
    return {one["part"]: one["verdict"] for one in decided(with_sdsc)["readings"][rule]["parts"]}


def test_the_claim_is_reproduced_by_amounts_as_the_paper_describes_them():
    found = decided(with_sdsc())
    assert [reading["verdict"] for reading in found["readings"].values()] == 3 * [REPRODUCED]
    assert found["sure"] == 1


def test_a_difference_within_the_spread_of_the_shakes_leaves_its_part_untold():
    unclear = with_sdsc(sdsc=SIMILAR_AND_WORSE | {"bounded_slowdown": 1.001})
    found = parts_of_logs(unclear)
    assert found.pop("SDSC bounded slowdown") == INCONCLUSIVE
    assert set(found.values()) == {HOLDS}
    assert set(parts_of_logs(unclear, LIKELY).values()) == {HOLDS}


def test_the_log_on_which_the_amounts_differ_most_decides_whether_they_are_similar():
    found = decided(with_sdsc(others=0.85))["readings"][TEXT]["parts"][0]
    assert (found["part"], found["on"], found["verdict"]) == ("similar", "CTC", HOLDS_NOT)
    assert found["value"] == pytest.approx(-0.15)


def test_each_part_is_denied_where_conservative_has_less():
    better = {"backfilled": 0.9, "response_s": 0.9, "bounded_slowdown": 0.9}
    assert set(parts_of_logs(with_sdsc(sdsc=better, others=0.8)).values()) == {HOLDS_NOT}


def test_the_printed_table_has_the_performance_and_not_the_amounts():
    assert parts_of_logs(with_sdsc(), PRINTED) == {"SDSC response time": HOLDS, "SDSC bounded slowdown": HOLDS}


def test_without_sdsc_or_shakes_the_claim_cannot_be_tested(one_passes):
    assert decided(with_sdsc().drop("SDSC", level="workload"))["verdict"] == UNTESTED
    assert decided(with_sdsc().drop([1, 2], level="replication"))["verdict"] == UNTESTED
    made = figure5.of_logs([of_rules(one_passes)], mualem2001.policies(), shakes=2)
    assert decided(made)["verdict"] == UNTESTED


def test_tables_for_reading_give_every_number_with_its_spread():
    table = figure5.compared(with_sdsc()).loc["backfilled"].xs(ALL, level="size_class")
    text = figure5.beside(table).loc["SDSC", TEXT]
    assert text.easy == "50.0% (50.0% to 50.0%)"
    assert text.relative == "+5.0% (+4.0% to +6.0%)"
    assert figure5.beside(table, points=True).loc[("SDSC", TEXT), "difference"] == "+2.5 (+2.0 to +3.0)"


def test_pictures_show_every_workload(one_passes):
    found = figure5.of_logs([of_rules(one_passes, name) for name in "ab"], mualem2001.policies(), shakes=2)
    shares = figure5.compared(found).loc["backfilled"]
    figure = figure5.amounts_drawn(shares.xs(ALL, level="size_class"))
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["a", "b"]
    figure = figure5.drawn_by_size(named(shares.drop(ALL, level="size_class")))
    assert [ax.get_title() for ax in figure.axes] == ["a", "b", "", ""]
    assert [text.get_text() for text in figure.axes[2].get_xticklabels()] == ["1", "2", "3-4"]
    plots.plt.close("all")


@pytest.mark.slow
def test_on_sdsc_conservative_backfills_more(log):
    log("SDSC-SP2")
    (trace,), _ = mualem2001.traces(["SDSC"])
    relative = compared(trace.workload, shakes=2).loc["backfilled"].xs((ALL, "relative"), level=("size_class", "of"))
    assert (relative.low > 0.03).all() and (relative.high < 0.1).all()


def weeks(workload, runs_and_sizes, jobs=20, machine=64):
    """A workload whose weeks each hold `jobs` like jobs: one (run, size) a week."""
    rows = [(w * WEEK + k, run, run, size) for w, (run, size) in enumerate(runs_and_sizes) for k in range(jobs)]
    return workload(rows, machine)


def test_whole_workloads_have_their_means_medians_and_shares_and_those_of_their_weeks(workload):
    found = figure6.of_weeks([("made", weeks(workload, [(10, 1), (1000, 8)]))], resamples=50, seed=3).loc["made"]
    whole, resampled = found.xs(AS_IT_IS), found.drop(AS_IT_IS).unstack(["quantity", "statistic"])
    assert whole["run"].to_dict() == {"mean": 505, "median": 10}
    assert whole["size"].to_dict() == {"mean": 4.5, "median": 1}
    assert whole["machine_share"].to_dict() == {"mean": 4.5 / 64, "median": 1 / 64}
    assert resampled.index.tolist() == list(range(1, 51))
    assert set(resampled["run", "mean"]) == {10, 505, 1000}  # a week counts not at all, once or twice, all of it


LONG_AND_NARROW = [(5000, 2), (6000, 2), (7000, 3)] * 3
SHORT_AND_WIDE = [(50, 16), (60, 20), (70, 30)] * 3


def sp2_parts(workload, sp2, others, model=SHORT_AND_WIDE):
    """The verdicts on the parts of MF-18 where all SP2 logs are alike, and the others, and one member of the family."""
    made = dict.fromkeys(("CTC", "KTH", "SDSC"), sp2) | dict.fromkeys(("Par-95", "Par-96", "CM5"), others)
    labelled = [(label, weeks(workload, made)) for label, made in made.items()]
    of_logs = figure6.of_weeks([*labelled, ("Jann", labelled[0][1])], resamples=100, seed=1)
    of_family = figure6.of_weeks([("KTH", weeks(workload, model))], resamples=100, seed=1)
    found = figure6.sp2_against_each(of_logs, of_family)["KTH"]
    return {part: claims.criteria()["MF-18"][part].judge(one) for part, one in found.items()}


def test_sp2_jobs_are_held_against_the_other_logs_and_a_member_of_the_family(workload):
    assert set(sp2_parts(workload, LONG_AND_NARROW, SHORT_AND_WIDE).values()) == {claims.HOLDS}
    assert set(sp2_parts(workload, SHORT_AND_WIDE, LONG_AND_NARROW, LONG_AND_NARROW).values()) == {claims.HOLDS_NOT}
    narrow = sp2_parts(
        workload, [(50, 2), (60, 2), (70, 3)] * 3, LONG_AND_NARROW, [(5000, 16), (6000, 20), (7000, 30)] * 3
    )
    assert narrow["mean run time"] == narrow["median run time"] == claims.HOLDS_NOT
    assert narrow["mean size"] == claims.HOLDS


def test_the_years_of_one_log_count_as_one_and_all_workloads_alike(workload):
    made = {"CTC": 2, "KTH": 2, "SDSC": 2, "Par-95": 4, "Par-96": 16, "CM5": 8}
    labelled = [(label, weeks(workload, [(10, size)] * 2)) for label, size in made.items()]
    member = figure6.of_weeks([("F", weeks(workload, [(10, 8)] * 2))], resamples=5)
    found = figure6.sp2_against_each(figure6.of_weeks(labelled, resamples=5), member)["F"]
    assert found["mean size"].value == pytest.approx(2 / 8)
    assert found["mean run time"].value == pytest.approx(1)


def test_where_a_log_is_absent_nothing_is_measured(workload):
    labelled = [(label, weeks(workload, SHORT_AND_WIDE)) for label in ("CTC", "KTH", "SDSC", "Par", "Feitelson")]
    of_logs = figure6.of_weeks(labelled, resamples=5)
    assert figure6.sp2_against_each(of_logs, of_logs.loc[["Feitelson"]]) == {}


def test_ratios_of_sizes_as_shares_take_the_machines_into_account(workload):
    labelled = [("CTC", weeks(workload, [(10, 4)] * 2)), ("Par", weeks(workload, [(10, 8)] * 2, machine=256))]
    ratios = figure6.compared(figure6.of_weeks(labelled, resamples=5)).loc["CTC", "Par"]
    assert ratios.ours["size", "mean"] == 0.5
    assert ratios.ours["machine_share", "mean"] == 2


def test_tables_for_reading_give_every_number_with_its_interval(workload):
    labelled = [("one", weeks(workload, [(10, 4)] * 2)), ("other", weeks(workload, [(20, 8)] * 2))]
    table = results.summary(figure6.of_weeks(labelled, resamples=5))
    text = figure6.beside(table, {"run": "{:.0f}", "machine_share": "{:.1%}"})
    assert text.index.tolist() == ["one", "other"]
    assert text.loc["other", ("run", "mean")] == "20 (20 to 20)"
    assert text.loc["one", ("machine_share", "median")] == "6.2% (6.2% to 6.2%)"


@pytest.mark.slow
def test_on_the_logs_sp2_jobs_use_fewer_processors(log):
    for name in ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "LANL-CM5"):
        log(name)
    found, _ = mualem2001.traces(["CTC", "KTH", "SDSC", "CM5"])
    labelled = [(trace.trace, trace.workload) for trace in found]
    ratios = figure6.compared(figure6.of_weeks(labelled, resamples=100))
    assert (ratios.high.xs("size", level="quantity") < 0.2).all()


MODELS = {
    "Feitelson": lambda seed: feitelson96.workload(600, seed=seed),
    "Jann": lambda seed: jann97.workload(600, seed=seed),
}


def simulated(feedback):
    return figure5.of_models(MODELS, [0.6, 0.8], range(3), mualem2001.policies(), feedback)


@pytest.fixture(scope="module")
def of_models():
    return simulated(["Feitelson"])


def on_models(easy, conservative):
    """Results in which both schedulers have these values by replication at a load of 0.8, on both models."""
    rows = {
        (model, 0.8, scheduler, TEXT, number, ALL, metric): 100 if metric == "jobs" else value
        for model in MODELS
        for scheduler, values in (("easy", easy), ("conservative", conservative))
        for number, value in enumerate(values, 1)
        for metric in ("jobs", "backfilled", "size_ratio")
    }
    names = ["workload", "load", "scheduler", "rule", "replication", "size_class", "metric"]
    return pd.Series(rows).rename_axis(names)


def parts_of_models(of_models):
    """The verdicts on the parts of each claim."""
    found = figure5.claims_of_models(figure5.changes(of_models))
    return {claim["id"]: {one["part"]: one["verdict"] for one in claim["readings"][TEXT]["parts"]} for claim in found}


def test_every_model_load_and_seed_is_simulated_under_every_scheduler(of_models):
    assert list(of_models.index.unique("workload")) == list(MODELS)
    assert list(of_models.index.unique("load")) == [0.6, 0.8]
    assert list(of_models.index.unique("replication")) == [1, 2, 3]
    keys = set(
        zip(of_models.index.get_level_values("scheduler"), of_models.index.get_level_values("rule"), strict=True)
    )
    assert keys == set(mualem2001.policies())
    assert (of_models.xs((ALL, "jobs"), level=("size_class", "metric")) == 600).all()


def test_feedback_changes_what_is_backfilled_of_a_model_that_repeats_its_jobs(of_models):
    of = (0.8, ALL, "backfilled")
    share, without = (each.xs(of, level=("load", "size_class", "metric")) for each in (of_models, simulated([])))
    assert not share["Feitelson"].equals(without["Feitelson"])
    assert share["Jann"].equals(without["Jann"])


def test_intervals_are_those_of_student_over_the_seeds():
    found = figure5.compared_by_load(on_models([0.5, 0.6, 0.7], [0.4, 0.5, 0.7]))
    table = found.loc["backfilled", "Jann", 0.8, TEXT, ALL]
    half = 2.919986 * 0.1 / np.sqrt(3)  # 95th percentile of Student's t with 2 degrees of freedom
    assert tuple(table.loc["easy", ["low", "mean", "high"]]) == pytest.approx((0.6 - half, 0.6, 0.6 + half))
    assert table.loc["relative", "mean"] == pytest.approx(np.mean([0.4 / 0.5, 0.5 / 0.6, 1]) - 1)


@pytest.mark.parametrize(
    ("conservative", "larger", "slightly"),
    [
        ([0.59, 0.6, 0.61], HOLDS, HOLDS),
        ([0.4, 0.41, 0.42], HOLDS, HOLDS_NOT),
        ([0.7, 0.71, 0.72], HOLDS_NOT, HOLDS),
        ([0.3, 0.6, 0.9], INCONCLUSIVE, INCONCLUSIVE),
    ],
)
def test_the_amount_is_told_by_the_difference_workload_by_workload(conservative, larger, slightly):
    found = parts_of_models(on_models([0.6, 0.61, 0.62], conservative))
    assert found["MF-15"] == {"larger": larger, "slightly": slightly}


@pytest.mark.parametrize(
    ("easy", "conservative", "smaller", "than"),
    [
        ([0.6, 0.61, 0.62], [0.7, 0.71, 0.72], HOLDS, HOLDS),
        ([0.6, 0.61, 0.62], [0.5, 0.51, 0.52], HOLDS, HOLDS_NOT),
        ([1.2, 1.21, 1.22], [1.3, 1.31, 1.32], HOLDS_NOT, HOLDS),
        ([0.6, 0.61, 0.62], [0.4, 0.61, 0.8], HOLDS, INCONCLUSIVE),
    ],
)
def test_selection_by_size_is_told_by_the_mean_sizes(easy, conservative, smaller, than):
    assert parts_of_models(on_models(easy, conservative))["MF-17"] == {"smaller": smaller, "than conservative's": than}


def test_only_high_loads_decide():
    low = on_models([0.6, 0.61, 0.62], [0.9, 0.91, 0.92]).rename({0.8: 0.5}, level="load")
    found = parts_of_models(pd.concat([low, on_models([0.6, 0.61, 0.62], [0.59, 0.6, 0.61])]))
    assert found["MF-15"]["larger"] == HOLDS


def test_a_table_for_reading_has_every_value_with_its_interval(of_models):
    table = figure5.compared_by_load(of_models).loc["backfilled"]
    text, easy = figure5.beside(table), table["mean"].xs("easy", level="of")
    assert len(text) == len(easy)
    assert text.easy[easy.notna()].str.contains(" to ").all()


def test_the_picture_by_load_has_a_panel_each_quantity_and_model(of_models):
    table = figure5.compared_by_load(of_models).xs((TEXT, ALL), level=("rule", "size_class"))
    figure = figure5.drawn_by_load(table)
    assert len(figure.axes) == 4
    assert all(len(ax.lines) == 2 for ax in figure.axes)


# Figure 6


def of_runs(run):
    jobs = pd.DataFrame({"submit": range(len(run)), "run": run, "procs": np.arange(len(run)) % 4 + 1})
    return Workload(jobs, 4)


def test_the_modified_model_is_very_close_where_its_curves_are():
    rng = np.random.default_rng(0)
    log = rng.integers(1, 10_000, 4000)
    cases = ((log, log, HOLDS, HOLDS), (log // 2, log, HOLDS_NOT, HOLDS_NOT), (log, log // 8, HOLDS, HOLDS_NOT))
    for fsl, jann, to_ctc, to_jann in cases:
        found = figure6.close([of_runs(fsl)] * 2, of_runs(log), [of_runs(jann)] * 2)
        told = {part: claims.criteria()["MF-19"][part].judge(one) for part, one in found.items()}
        assert {told["CTC, all jobs"], told["CTC, by size"]} == {to_ctc}
        assert {told["Jann, all jobs"], told["Jann, by size"]} == {to_jann}
