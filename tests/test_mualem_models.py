"""The models' parts of Figures 5 and 6."""

import helpers
import numpy as np
import pandas as pd
import pytest

from simlib import Workload, size_classes
from simlib.models import feitelson96, jann97
from simlib.papers import judging, mualem2001
from simlib.papers.judging import LIKELY, TEXT
from simlib.papers.mualem2001 import backfilling, backfilling_claims, distributions, figure5
from simlib.size_classes import ALL

MODELS = {
    "Feitelson": lambda seed: feitelson96.workload(600, seed=seed),
    "Jann": lambda seed: jann97.workload(600, seed=seed),
}


def simulated(feedback):
    return backfilling.of_models(MODELS, [0.6, 0.8], range(3), mualem2001.policies(), feedback)


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


def verdicts(results):
    return helpers.verdicts(backfilling_claims.of_models(backfilling.compared_by_load(results)))


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
    found = backfilling.compared_by_load(made_up([0.5, 0.6, 0.7], [0.4, 0.5, 0.7]))
    table = found.loc["backfilled", "Jann", 0.8, TEXT, ALL]
    half = 2.919986 * 0.1 / np.sqrt(3)  # 95th percentile of Student's t with 2 degrees of freedom
    assert tuple(table.loc["easy", ["low", "mean", "high"]]) == pytest.approx((0.6 - half, 0.6, 0.6 + half))
    assert table.loc["relative", "mean"] == pytest.approx(np.mean([0.4 / 0.5, 0.5 / 0.6, 1]) - 1)


@pytest.mark.parametrize(
    ("easy", "conservative", "same", "larger"),
    [
        ([0.6, 0.61, 0.62], [0.6, 0.61, 0.62], judging.REPRODUCED, judging.NOT),
        ([0.6, 0.61, 0.62], [0.59, 0.6, 0.61], judging.REPRODUCED, judging.REPRODUCED),
        ([0.6, 0.61, 0.62], [0.56, 0.57, 0.58], judging.PARTLY, judging.REPRODUCED),
        ([0.6, 0.61, 0.62], [0.4, 0.41, 0.42], judging.NOT, judging.REPRODUCED),
        ([0.6, 0.61, 0.62], [0.8, 0.81, 0.82], judging.NOT, judging.NOT),
    ],
)
def test_the_verdicts_on_the_amount_follow_the_difference(easy, conservative, same, larger):
    found = verdicts(made_up(easy, conservative))
    assert found["MF-14"] == same
    assert found["MF-15"] == larger


@pytest.mark.parametrize(
    ("easy", "conservative", "verdict"),
    [
        ([0.6, 0.61, 0.62], [0.7, 0.71, 0.72], judging.REPRODUCED),
        ([0.6, 0.61, 0.62], [0.6, 0.61, 0.62], judging.PARTLY),  # small jobs, but no more so than conservative's
        ([1.2, 1.21, 1.22], [1.1, 1.11, 1.12], judging.NOT),
    ],
)
def test_the_verdict_on_selection_by_size_follows_the_mean_sizes(easy, conservative, verdict):
    assert verdicts(made_up(easy, conservative))["MF-17"] == verdict


def test_a_table_for_reading_has_every_value_with_its_interval(results):
    table = backfilling.compared_by_load(results).loc["backfilled"]
    text, easy = backfilling.beside(table), table["mean"].xs("easy", level="of")
    assert len(text) == len(easy)
    assert text.easy[easy.notna()].str.contains(" to ").all()


def test_the_picture_by_load_has_a_panel_each_quantity_and_model(results):
    table = backfilling.compared_by_load(results).xs((TEXT, ALL), level=("rule", "size_class"))
    figure = figure5.drawn_by_load(table)
    assert len(figure.axes) == 4
    assert all(len(ax.lines) == 2 for ax in figure.axes)


# Figure 6


def of_runs(run):
    jobs = pd.DataFrame({"submit": range(len(run)), "run": run, "procs": np.arange(len(run)) % 4 + 1})
    return Workload(jobs, 4)


def test_the_modified_model_is_very_close_only_if_all_curves_are():
    rng = np.random.default_rng(0)
    log = rng.integers(1, 10_000, 4000)
    cases = {
        judging.REPRODUCED: (log, log),
        judging.PARTLY: (log // 2, log),
        judging.NOT: (log // 8, log),
    }
    for verdict, (fsl, jann) in cases.items():
        made = {"CTC": log, "Feitelson": log // 4, "Fsl": fsl, "Jann": jann}
        workloads = [(name, of_runs(run)) for name, run in made.items()]
        apart = [size_classes.distances(workloads, to) for to in ("CTC", "Jann")]
        assert distributions.model_claim(*apart)["verdict"] == verdict
    assert distributions.model_claim(None, apart[1])["verdict"] == judging.UNTESTED
