"""The models' parts of Figures 5 and 6."""

import numpy as np
import pandas as pd
import pytest

from simlib import Workload
from simlib.analysis.size_classes import ALL
from simlib.models import feitelson96, jann97
from simlib.study import claims, mualem2001
from simlib.study.claims import HOLDS, HOLDS_NOT, INCONCLUSIVE
from simlib.study.mualem2001 import figure5, figure6
from simlib.study.verdicts import LIKELY, TEXT

MODELS = {
    "Feitelson": lambda seed: feitelson96.workload(600, seed=seed),
    "Jann": lambda seed: jann97.workload(600, seed=seed),
}


def simulated(feedback):
    return figure5.of_models(MODELS, [0.6, 0.8], range(3), mualem2001.policies(), feedback)


@pytest.fixture(scope="module")
def results():
    return simulated(["Feitelson"])


def made_up(easy, conservative):
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


def parts(results):
    """The verdicts on the parts of each claim."""
    found = figure5.claims_of_models(figure5.changes(results))
    return {claim["id"]: {one["part"]: one["verdict"] for one in claim["readings"][TEXT]["parts"]} for claim in found}


def test_every_model_load_and_seed_is_simulated_under_every_scheduler(results):
    assert list(results.index.unique("workload")) == list(MODELS)
    assert list(results.index.unique("load")) == [0.6, 0.8]
    assert list(results.index.unique("replication")) == [1, 2, 3]
    keys = set(zip(results.index.get_level_values("scheduler"), results.index.get_level_values("rule"), strict=True))
    assert keys == set(mualem2001.policies())
    assert (results.xs((ALL, "jobs"), level=("size_class", "metric")) == 600).all()


def test_with_exact_estimates_the_order_of_compression_changes_nothing(results):
    wide = results.xs(("conservative", "backfilled"), level=("scheduler", "metric")).unstack("rule")
    assert (wide[TEXT] == wide[LIKELY]).all()


def test_feedback_changes_what_is_backfilled_of_a_model_that_repeats_its_jobs(results):
    of = (0.8, ALL, "backfilled")
    share, without = (each.xs(of, level=("load", "size_class", "metric")) for each in (results, simulated([])))
    assert not share["Feitelson"].equals(without["Feitelson"])
    assert share["Jann"].equals(without["Jann"])


def test_intervals_are_those_of_student_over_the_seeds():
    found = figure5.compared_by_load(made_up([0.5, 0.6, 0.7], [0.4, 0.5, 0.7]))
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
    found = parts(made_up([0.6, 0.61, 0.62], conservative))
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
    assert parts(made_up(easy, conservative))["MF-17"] == {"smaller": smaller, "than conservative's": than}


def test_only_high_loads_decide():
    low = made_up([0.6, 0.61, 0.62], [0.9, 0.91, 0.92]).rename({0.8: 0.5}, level="load")
    found = parts(pd.concat([low, made_up([0.6, 0.61, 0.62], [0.59, 0.6, 0.61])]))
    assert found["MF-15"]["larger"] == HOLDS


def test_a_table_for_reading_has_every_value_with_its_interval(results):
    table = figure5.compared_by_load(results).loc["backfilled"]
    text, easy = figure5.beside(table), table["mean"].xs("easy", level="of")
    assert len(text) == len(easy)
    assert text.easy[easy.notna()].str.contains(" to ").all()


def test_the_picture_by_load_has_a_panel_each_quantity_and_model(results):
    table = figure5.compared_by_load(results).xs((TEXT, ALL), level=("rule", "size_class"))
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
