"""The model of users' estimates: its notebook, run and changed, and what it measures."""

import numpy as np
import pytest
from described import distances
from exhibits import executed, trace_logs

import simlib_study as study
from simlib.core.estimates import Modelled
from simlib.models.sample import sample
from simlib_study import claims, mualem2001, records
from simlib_study.judging import TEXT


@pytest.fixture(scope="module")
def small():
    return sample().select(np.arange(6000) < 400)


@pytest.fixture(scope="module")
def made(small, tmp_path_factory):
    """What the notebook of the model of estimates makes of a log that has the estimates that the sample has."""
    small._log = small.jobs.assign(requested_time=small.jobs.estimate, status=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records.paths, "ROOT", tmp_path_factory.mktemp("root"))
        patch.setattr(mualem2001, "logs", lambda *_: trace_logs(mualem2001.Trace("CTC", small)))
        return executed("mualem2001/estimate-model", logs=["CTC"], factors=[2], seeds=3, shakes=2)


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


def test_without_uniform_estimates_there_is_nothing_to_compare_the_model_with(made):
    far = distances(model=0.05).drop("f2", level="estimates")
    parts = study.claim("MF-32", {TEXT: far}, made["as_real_ones"])["readings"][TEXT]["parts"]
    assert parts[0]["high"] < 0.1 and np.isnan(parts[2]["value"])


def test_scheduling_runs_every_kind_of_estimates_under_every_scheduler(made):
    assert len(made["scheduling"]) == 4 * 3 * 2  # policies, kinds of estimates, metrics
    assert len(made["near"]) == 8
    for key, row in made["near"].iterrows():
        assert row.off == pytest.approx(row.model / row.original - 1), key
    untested = {made[name]["verdict"] for name in ("statistics", "tenth", "ten_times")}
    assert untested == {claims.UNTESTED}, "the sample is made up"


def test_histograms_of_log_and_models_share_out_all_jobs(made):
    assert made["shares"].sum().tolist() == pytest.approx([100] * 3)
    assert list(made["shares"]) == ["log", "model", "f2"]
    assert made["histograms"].sd["CTC"]["model"].max() > 0
