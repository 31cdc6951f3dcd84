"""The model of user estimates against the logs': distances of histograms, scheduling results, the verdict."""

import numpy as np
import pandas as pd
import pytest
from helpers import of_traces, verdict_by_id

from simlib.core.estimates import Modelled
from simlib.models.sample import sample
from simlib.study import claims, mualem2001
from simlib.study.mualem2001 import estimate_model
from simlib.study.verdicts import TEXT


def trace(name, workload):
    """A trace whose log has the estimates that the workload has."""
    workload._log = workload.jobs.assign(requested_time=workload.jobs.estimate)
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
    log._log.iloc[:3, log._log.columns.get_loc("requested_time")] = -1
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


def distances(model, uniform, estimates=0.05, spread=0.001):
    """Distances of the model and of uniform estimates on two logs, on the second a little less, in three draws."""
    rows = {}
    for trace, less in (("CTC", 0), ("KTH", 0.01)):
        for draw in (1, 2, 3):
            shift = (draw - 2) * spread - less
            rows[trace, "model", draw] = {"tv": 0.1, "ks": model + shift, "ks_estimate": estimates + shift}
            rows[trace, "f2", draw] = {"tv": 0.5, "ks": uniform + shift, "ks_estimate": 0.5}
    index = pd.MultiIndex.from_tuples(rows, names=["trace", "estimates", "replication"])
    return pd.DataFrame(list(rows.values()), index).rename_axis(columns="distance").stack()


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
def test_the_model_is_measured_on_the_log_that_is_farthest(model, uniform, estimates, expected):
    parts = estimate_model.as_real_ones(distances(model, uniform, estimates))
    assert claims.decide("MF-32", {TEXT: parts})["verdict"] == expected


def test_without_uniform_estimates_there_is_nothing_to_compare_the_model_with():
    parts = estimate_model.as_real_ones(distances(0.05, 0.5).drop("f2", level="estimates"))
    assert parts["better than uniform"] == claims.NOTHING
    assert parts["used share"].high < 0.1


@pytest.mark.parametrize(
    "too_small, factor, expected",
    [
        (10, 10, (claims.REPRODUCED, claims.REPRODUCED)),
        (3, 4, (claims.NOT, claims.NOT)),
        (30, 30, (claims.NOT, claims.NOT)),
    ],
)
def test_estimates_that_are_too_small_and_those_of_short_jobs_are_measured(small, too_small, factor, expected):
    runs = np.tile([60, 600], 50)
    estimate = runs * np.where(runs < 90, 2 * factor, 2)
    estimate[:too_small] = runs[:too_small]
    jobs = pd.DataFrame({"run": runs, "estimate": estimate})
    parts = {"MF-46": ("too small", estimate_model.too_small_share(jobs))}
    parts["MF-47"] = ("short jobs", estimate_model.stretched(jobs, 90))
    found = [claims.decide(id, {TEXT: {part: claims.Measure.exactly(n)}}) for id, (part, n) in parts.items()]
    assert tuple(verdict_by_id(found).values()) == expected


def test_scheduling_runs_every_kind_of_estimates_under_every_scheduler(small):
    made = exhibit(trace("sample", small), shakes=2, seeds=2)
    assert len(made.comparison) == 4 * 3 * 2  # schedulers and rules, kinds of estimates, metrics
    assert len(made.nearest) == 8
    for key, row in made.nearest.iterrows():
        assert row.off == pytest.approx(row.model / row.original - 1), key
    assert verdict_by_id(made.verdicts) == dict.fromkeys(["MF-32", "MF-46", "MF-47"], claims.UNTESTED)
    parts = made.judge()[1]["readings"][TEXT]["parts"]
    assert [part["on"] for part in parts] == ["sample"]
    assert made.figure("scheduling")


def test_histograms_of_log_and_models_are_drawn(small):
    made = exhibit(trace("sample", small), seeds=2)
    assert made.shares.sum().tolist() == pytest.approx([100] * 3)
    assert made.steps.sum().tolist() == pytest.approx([100] * 3)
    assert made.histograms.loc["sample"].loc["log"].ours.sum() == pytest.approx(100)
    assert made.histograms.sd["sample"]["model"].max() > 0
    assert made.figure()
