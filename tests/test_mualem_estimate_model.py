"""The model of user estimates against the logs': distances of histograms, scheduling results, the verdict."""

import numpy as np
import pandas as pd
import pytest
from helpers import of_traces

from simlib.estimates import Modelled
from simlib.models.sample import sample
from simlib.papers import judging, mualem2001
from simlib.papers.mualem2001 import estimate_model


def trace(name, workload):
    """A trace whose log has the estimates that the workload has."""
    workload.log = workload.jobs.assign(requested_time=workload.jobs.estimate)
    return mualem2001.Trace(name, workload)


def exhibit(trace, **parameters):
    return of_traces(estimate_model.EstimateModel, trace, factors=(2,), **parameters)


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
    found = exhibit(log, seeds=3).distances.loc["CTC"]
    distance = found["mean"].unstack("distance")
    assert distance.ks["model"] < 0.03
    assert distance.ks_estimate["model"] < 0.03
    assert distance.tv["model"] < distance.tv["f2"]
    assert distance.ks["f2"] > 0.3
    assert (found.sd["model"][["tv", "ks"]] > 0).all()


def distances(ks, tv=0.1):
    rows = [(trace, name) for trace in ("CTC", "KTH") for name in ("model", "f2")]
    index = pd.MultiIndex.from_tuples(rows, names=["trace", "estimates"])
    table = pd.DataFrame({"tv": [tv, 0.5] * 2, "ks": [ks, 0.5, 0.05, 0.5]}, index=index)
    return table.rename_axis(columns="distance").stack().to_frame("mean")


NEAR = pd.DataFrame({"off": [-0.2, 0.01], "spread": [0.02, 0.02], "nearest": ["f2", "model"]})


@pytest.mark.parametrize(
    "ks, tv, expected", [(0.09, 0.6, judging.REPRODUCED), (0.2, 0.3, judging.PARTLY), (0.2, 0.6, judging.NOT)]
)
def test_the_claim_hangs_on_the_farthest_log(ks, tv, expected):
    (verdict,) = estimate_model.claims(distances(ks, tv), NEAR)
    assert verdict["verdict"] == expected
    assert "1 of 2 combinations, the same within the spread in 1" in verdict["evidence"]


def test_scheduling_runs_every_kind_of_estimates_under_every_scheduler(small):
    made = exhibit(trace("sample", small), shakes=2, seeds=2)
    assert len(made.comparison) == 4 * 3 * 2  # schedulers and rules, kinds of estimates, metrics
    assert len(made.nearest) == 8
    for key, row in made.nearest.iterrows():
        assert row.off == pytest.approx(row.model / row.original - 1), key
    (claim,) = made.verdicts
    assert claim["verdict"] == judging.UNTESTED
    assert made.figure("scheduling")


def test_histograms_of_log_and_models_are_drawn(small):
    made = exhibit(trace("sample", small), seeds=2)
    assert made.shares.sum().tolist() == pytest.approx([100] * 3)
    assert made.steps.sum().tolist() == pytest.approx([100] * 3)
    assert made.histograms.loc["sample"].loc["log"].ours.sum() == pytest.approx(100)
    assert made.histograms.sd["sample"]["model"].max() > 0
    assert made.figure()


def test_without_uniform_estimates_the_model_is_the_nearest():
    far = distances(0.2).drop("f2", level="estimates")
    assert estimate_model.claims(far, NEAR)[0]["verdict"] == judging.PARTLY
