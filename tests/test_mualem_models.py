"""The models' parts of Figures 5 and 6."""

import numpy as np
import pandas as pd
import pytest

from simlib import Workload, papers
from simlib.models import feitelson96, jann97
from simlib.papers.mualem2001 import distributions, model_backfilling, pictures
from simlib.papers.mualem2001.distributions import ALL

MODELS = {
    "Feitelson": lambda seed: feitelson96.workload(600, seed=seed),
    "Jann": lambda seed: jann97.workload(600, seed=seed),
}


@pytest.fixture(scope="module")
def results():
    return model_backfilling.runs(MODELS, [0.6, 0.8], range(3), feedback=["Feitelson"])


def made_up(easy, conservative):
    """Results in which both schedulers have these values by seed at a load of 0.8, on both models."""
    rows = {}
    for model in MODELS:
        for seed, values in enumerate(zip(easy, conservative, strict=True)):
            for scheduler, value in zip(("easy", "conservative"), values, strict=True):
                rows[model, 0.8, seed, scheduler, ALL] = {"jobs": 100, "backfilled": value, "size_ratio": value}
    index = pd.MultiIndex.from_tuples(rows, names=["model", "load", "seed", "scheduler", "size_class"])
    return pd.DataFrame(list(rows.values()), index=index)


def verdicts(results):
    return {claim["id"]: claim["verdict"] for claim in model_backfilling.claims(results)}


def test_every_model_load_and_seed_is_simulated_under_every_scheduler(results):
    assert list(results.index.unique("model")) == list(MODELS)
    assert list(results.index.unique("load")) == [0.6, 0.8]
    assert set(results.index.unique("scheduler")) == {
        "easy",
        "easy_variant",
        "conservative",
        "conservative_variant",
    }
    assert (results.xs(ALL, level="size_class").jobs == 600).all()


def test_with_exact_estimates_the_order_of_compression_changes_nothing(results):
    wide = results.backfilled.unstack("scheduler")
    assert (wide.conservative.dropna() == wide.conservative_variant.dropna()).all()


def test_feedback_changes_what_is_backfilled_of_a_model_that_repeats_its_jobs(results):
    without = model_backfilling.runs(MODELS, [0.8], range(3))
    share = {
        name: found.backfilled.xs((0.8, ALL), level=("load", "size_class"))
        for name, found in (("with", results), ("without", without))
    }
    assert not share["with"].loc["Feitelson"].equals(share["without"].loc["Feitelson"])
    assert share["with"].loc["Jann"].equals(share["without"].loc["Jann"])


def test_intervals_are_those_of_student_over_the_seeds():
    table = model_backfilling.compared(made_up([0.5, 0.6, 0.7], [0.4, 0.5, 0.7])).loc["Jann", 0.8, ALL]
    assert table.easy == pytest.approx(0.6)
    half = 2.919986 * 0.1 / np.sqrt(3)  # 95th percentile of Student's t with 2 degrees of freedom
    assert (table.easy_low, table.easy_high) == pytest.approx((0.6 - half, 0.6 + half))
    assert table.relative == pytest.approx(np.mean([0.4 / 0.5, 0.5 / 0.6, 1]) - 1)


@pytest.mark.parametrize(
    ("easy", "conservative", "same", "larger"),
    [
        ([0.6, 0.61, 0.62], [0.6, 0.61, 0.62], papers.REPRODUCED, papers.NOT),
        ([0.6, 0.61, 0.62], [0.59, 0.6, 0.61], papers.REPRODUCED, papers.REPRODUCED),
        ([0.6, 0.61, 0.62], [0.56, 0.57, 0.58], papers.PARTLY, papers.REPRODUCED),
        ([0.6, 0.61, 0.62], [0.4, 0.41, 0.42], papers.NOT, papers.REPRODUCED),
        ([0.6, 0.61, 0.62], [0.8, 0.81, 0.82], papers.NOT, papers.NOT),
    ],
)
def test_the_verdicts_on_the_amount_follow_the_difference(easy, conservative, same, larger):
    found = verdicts(made_up(easy, conservative))
    assert found["MF-14"] == same
    assert found["MF-15"] == larger


@pytest.mark.parametrize(
    ("easy", "conservative", "verdict"),
    [
        ([0.6, 0.61, 0.62], [0.7, 0.71, 0.72], papers.REPRODUCED),
        ([0.6, 0.61, 0.62], [0.6, 0.61, 0.62], papers.PARTLY),  # small jobs, but no more so than conservative's
        ([1.2, 1.21, 1.22], [1.1, 1.11, 1.12], papers.NOT),
    ],
)
def test_the_verdict_on_selection_by_size_follows_the_mean_sizes(easy, conservative, verdict):
    assert verdicts(made_up(easy, conservative))["MF-17"] == verdict


def test_a_table_for_reading_has_every_value_with_its_interval(results):
    table = model_backfilling.compared(results)
    text = model_backfilling.beside(table)
    assert len(text) == len(table)
    assert (text.easy[table.easy.notna()].str.contains(" to ")).all()


def test_the_picture_by_load_has_a_panel_each_quantity_and_model(results):
    tables = {
        quantity: model_backfilling.compared(results, quantity).xs(ALL, level="size_class")
        for quantity in model_backfilling.QUANTITIES
    }
    figure = pictures.backfilled_by_load(tables, dict.fromkeys(tables, "share"))
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
        papers.REPRODUCED: (log, log),
        papers.PARTLY: (log // 2, log),
        papers.NOT: (log // 8, log),
    }
    for verdict, (fsl, jann) in cases.items():
        made = {"CTC": log, "Feitelson": log // 4, "Fsl": fsl, "Jann": jann}
        workloads = [(name, of_runs(run)) for name, run in made.items()]
        apart = [distributions.distances(workloads, to) for to in ("CTC", "Jann")]
        assert distributions.model_claims(*apart)[0]["verdict"] == verdict
    assert distributions.model_claims(None, apart[1])[0]["verdict"] == papers.UNTESTED
