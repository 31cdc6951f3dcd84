"""The model of user estimates against the logs': distances of histograms, scheduling results, the verdict."""

import numpy as np
import pandas as pd
import pytest

from simlib import papers
from simlib.estimates import Modelled
from simlib.models.sample import sample
from simlib.papers import mualem2001
from simlib.papers.mualem2001 import estimate_model, pictures, table3


def trace(name, workload):
    """A trace whose log has the estimates that the workload has."""
    workload.log = workload.jobs.assign(requested_time=workload.jobs.estimate)
    return mualem2001.Trace(name, workload)


MAKERS = estimate_model.makers([2])


@pytest.fixture(scope="module")
def small():
    return sample().select(np.arange(6000) < 400)


def test_the_histogram_shares_out_all_jobs():
    bins = estimate_model.histogram(np.array([0, 0.5, 42.1, 101.01, 5000]))
    assert bins.sum() == pytest.approx(100)
    assert bins[[0, 42, 101, 110]].tolist() == [40, 20, 20, 20]


def test_jobs_without_estimate_or_run_time_take_no_part(small):
    log = trace("CTC", small.select(np.arange(len(small)) < 10)).workload
    log.log.iloc[:3, log.log.columns.get_loc("requested_time")] = -1
    assert len(estimate_model.with_estimate(log)) == 7


def test_a_log_whose_estimates_were_modelled_is_met_and_uniform_ones_are_not():
    log = trace("CTC", sample().with_estimates(Modelled(seed=99)))
    distance = estimate_model.distances([log], MAKERS, range(3)).loc["CTC"]
    assert distance.ks["model"] < 0.03
    assert distance.ks_estimate["model"] < 0.03
    assert distance.tv["model"] < distance.tv["f2"]
    assert distance.ks["f2"] > 0.3
    assert (distance.loc["model", ["tv_sd", "ks_sd"]] > 0).all()


def distances(ks, tv=0.1):
    rows = [(trace, name) for trace in ("CTC", "KTH") for name in ("model", "f2")]
    index = pd.MultiIndex.from_tuples(rows, names=["trace", "estimates"])
    return pd.DataFrame({"tv": [tv, 0.5] * 2, "ks": [ks, 0.5, 0.05, 0.5]}, index=index)


NEAR = pd.DataFrame({"off": [-0.2, 0.01], "spread": [0.02, 0.02], "nearest": ["f2", "model"]})


@pytest.mark.parametrize(
    "ks, tv, expected", [(0.09, 0.6, papers.REPRODUCED), (0.2, 0.3, papers.PARTLY), (0.2, 0.6, papers.NOT)]
)
def test_the_claim_hangs_on_the_farthest_log(ks, tv, expected):
    (verdict,) = estimate_model.claims(distances(ks, tv), NEAR)
    assert verdict["verdict"] == expected
    assert "1 of 2 combinations, the same within the spread in 1" in verdict["evidence"]


def test_scheduling_runs_every_kind_of_estimates_under_every_scheduler(small):
    found = [trace("sample", small)]
    results = estimate_model.runs(found, MAKERS, shakes=2)
    assert len(results) == 4 * (1 + 2 + 2 * 2)
    table = table3.summary(results)
    near = estimate_model.nearest(table)
    assert len(near) == 8
    for key, row in near.iterrows():
        assert row.off == pytest.approx(row.model / row.original - 1), key
    assert estimate_model.claims(distances(0.1).rename({"CTC": "sample", "KTH": "sample"}), near)[0]["verdict"] == (
        papers.UNTESTED
    )
    assert pictures.by_estimates(table, {"response_s": "s"}, {"original": "orig.", "model": "model"})


def test_histograms_of_log_and_models_are_drawn(small):
    table = estimate_model.histograms([trace("sample", small)], MAKERS, range(2))
    assert table.drop(columns="model_sd").sum().tolist() == pytest.approx([100] * 3)
    assert estimate_model.shares(table).sum().tolist() == pytest.approx([100] * 3)
    assert pictures.modelled_histograms(table, "log", "model", {"f2": "uniform"})
