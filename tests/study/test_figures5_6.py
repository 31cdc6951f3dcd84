"""Figures 5 and 6 of Mu'alem & Feitelson: what is backfilled of logs and models, and which jobs these have."""

import numpy as np
import pandas as pd
import pytest
from as_in_study import executed
from helpers import texts

from simlib import EASY, Conservative, load, plots
from simlib_study import loading, records
from simlib_study.claims import UNTESTED
from simlib_study.judging import AS_IT_IS
from simlib_study.mualem2001 import figures5_6
from simlib_study.mualem2001.figures5_6 import WEEK

plots.plt.switch_backend("Agg")

POLICIES = {"EASY": EASY(), "conservative": Conservative()}
FEW = {"shakes": 2, "model_jobs": 600, "model_seeds": 2, "model_loads": [0.6, 0.8]}


# Figure 5


def runs_of(values):
    """Runs of a log with these values of one measure by policy."""
    rows = {("KTH", name, run, "all"): value for name, of in values.items() for run, value in enumerate(of)}
    runs = pd.DataFrame({"jobs": 100, "backfilled": pd.Series(rows)})
    return runs.rename_axis(["log", "policy", "run", "group"])


def test_differences_are_taken_run_by_run():
    changes = figures5_6.compared(runs_of({"EASY": [0.5, 0.4, 0.6], "conservative": [0.52, 0.44, 0.63]})).backfilled
    assert changes["difference"].tolist() == pytest.approx([0.02, 0.04, 0.03])
    assert changes["relative"].tolist() == pytest.approx([0.04, 0.1, 0.05])
    three = figures5_6.compared(runs_of({"EASY": [0.5], "conservative": [0.6], "FCFS": [0.0]})).backfilled
    assert three["relative of FCFS"].tolist() == [-1] and three["difference"].tolist() == pytest.approx([0.1])
    both = {"EASY": [0.5], "EASY, shared": [0.4], "conservative": [0.6], "conservative, by start": [0.7]}
    likely = figures5_6.compared(runs_of(both)).backfilled
    assert likely["difference"].tolist() == pytest.approx([0.1])
    assert likely["difference, by start"].tolist() == pytest.approx([0.3])  # against EASY, shared
    assert figures5_6.compared(runs_of({"EASY": [0.0], "SJF": [0.1]})).backfilled["relative"].isna().all()


def of_few_jobs(w):
    """The first jobs of a workload, which last for as many months by a slower clock."""
    few = w.select(np.arange(len(w)) < 3000)
    return few.scale_arrivals(w.jobs.submit.max() / few.jobs.submit.max())


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """The notebook of Figure 5 on the models and twins of the logs, whose functions take made-up runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records.paths, "ROOT", tmp_path_factory.mktemp("root"))
        patch.setattr("simlib.logs.archive.find", lambda name, variant=None: None)
        patch.setattr(loading, "load", lambda *of: of_few_jobs(load(*of)))
        made = executed("mualem2001/figure5", logs=["SDSC"], **FEW)
    return made


def test_the_printed_table_has_the_performance_and_not_the_amounts(notebook):
    changes = figures5_6.compared(
        runs_of({"EASY": [0.5], "conservative": [0.5]}).assign(response_s=1, bounded_slowdown=1)
    )
    of_print = figures5_6.with_printed(changes)["printed"]
    assert list(notebook["amounts"](of_print)) == ["SDSC response time", "SDSC bounded slowdown"]
    assert (of_print[["response_s", "bounded_slowdown"]] > 0.1).all(axis=None)


def test_what_stands_in_for_logs_is_not_judged_and_models_are(notebook):
    assert notebook["similar"]["verdict"] == UNTESTED
    assert notebook["more"]["readings"] and notebook["selects"]["readings"]
    assert plots.SYNTHETIC in texts(notebook["picture"]) + texts(notebook["picture_by_group"])


def test_intervals_on_models_are_those_of_student_over_the_seeds():
    changes = figures5_6.compared(runs_of({"EASY": [0.5, 0.6, 0.7], "conservative": [0.4, 0.5, 0.7]}))
    table = figures5_6.intervals(changes).xs("backfilled", level="metric")
    half = 2.919986 * 0.1 / np.sqrt(3)  # 95th percentile of Student's t with 2 degrees of freedom
    easy = table.xs("EASY", level="of").iloc[0]
    assert tuple(easy[["low", "mean", "high"]]) == pytest.approx((0.6 - half, 0.6, 0.6 + half))
    relative = table.xs("relative", level="of")["mean"].iloc[0]
    assert relative == pytest.approx(np.mean([0.4 / 0.5, 0.5 / 0.6, 1]) - 1)


def test_the_amount_is_the_share_of_jobs_that_passed_a_waiting_one(notebook, workload):
    """On four processors, a job of three runs, one of four waits, and one of a single processor passes it."""
    one_passes = workload([(0, 10, 10, 3), (1, 10, 10, 4), (2, 5, 5, 1), (3, 5, 5, 2)], 4)
    table = notebook["simulate"](one_passes, EASY(), "size", shakes=0).loc[0]
    assert table.index.tolist() == ["all", "1", "2", "3-4"]
    assert table.jobs.tolist() == [4, 1, 1, 2]
    assert table.backfilled.tolist() == [0.25, 1, 0, 0]
    assert table.backfilled_work["all"] == 5 / (30 + 40 + 5 + 10)
    assert table.size_ratio["all"] == 1 / 2.5
    assert np.isnan(table.size_ratio["2"])
    assert table.response_s["all"] == (10 + 19 + 5 + 22) / 4


def test_only_the_model_that_repeats_its_jobs_has_feedback(notebook):
    with_it, policies, how = notebook["of_models"], notebook["text"], notebook["how"]
    without = notebook["simulate"](notebook["models"], policies, **how)
    assert not with_it.loc["Feitelson"].equals(without.loc["Feitelson"])
    assert with_it.loc["Jann"].equals(without.loc["Jann"])
    assert (with_it.jobs.xs("all", level="group") == FEW["model_jobs"]).all()


@pytest.mark.thorough
def test_figure_5_by_user_draws_those_with_most_jobs(small_logs):
    made = executed("mualem2001/figure5", logs=["KTH"], by="user", **FEW)
    users = made["by_group"].xs(("EASY", "KTH"), level=("of", "workload"))
    jobs = made["logs"]["KTH"].jobs
    assert users.jobs.to_dict() == jobs.user.astype(str).value_counts().to_dict()
    assert made["picture_by_group"].get_supxlabel() == "user"
    ticks = [text.get_text() for text in made["picture_by_group"].axes[1].get_xticklabels()]
    assert len(ticks) == 12 and users.jobs[ticks].min() >= users.jobs.drop(ticks).max()
    (saved,) = small_logs.rglob("figure5/**/by_size.csv")
    assert "user" in pd.read_csv(saved).columns


# Figure 6


def weeks(workload, runs_and_sizes, jobs=20, machine=64):
    """A workload whose weeks each hold `jobs` like jobs: one (run, size) a week."""
    rows = [(w * WEEK + k, run, run, size) for w, (run, size) in enumerate(runs_and_sizes) for k in range(jobs)]
    return workload(rows, machine)


def test_whole_workloads_have_their_means_medians_and_shares_and_those_of_their_weeks(workload):
    found = figures5_6.of_weeks({"made": weeks(workload, [(10, 1), (1000, 8)])}, resamples=50, seed=3).loc["made"]
    whole, resampled = found.xs(AS_IT_IS), found.drop(AS_IT_IS).unstack(["quantity", "statistic"])
    assert whole["run"].to_dict() == {"mean": 505, "median": 10}
    assert whole["size"].to_dict() == {"mean": 4.5, "median": 1}
    assert whole["machine_share"].to_dict() == {"mean": 4.5 / 64, "median": 1 / 64}
    assert resampled.index.tolist() == list(range(1, 51))
    assert set(resampled["run", "mean"]) == {10, 505, 1000}  # a week counts not at all, once or twice, all of it


def test_the_years_of_one_log_count_as_one_all_workloads_alike_and_without_one_nothing_is_measured(workload):
    made = {"CTC": 2, "KTH": 2, "SDSC": 2, "Par-95": 4, "Par-96": 16, "CM5": 8}
    of_logs = figures5_6.of_weeks(
        {label: weeks(workload, [(10, size)] * 2) for label, size in made.items()}, resamples=5
    )
    member = figures5_6.of_weeks({"F": weeks(workload, [(10, 8)] * 2)}, resamples=5)
    found = figures5_6.sp2_against_others(of_logs, member)["F"]
    assert found["mean size"].value == pytest.approx(2 / 8)
    assert found["mean run time"].value == pytest.approx(1)
    assert figures5_6.sp2_against_others(of_logs.drop("CM5", level="workload"), member) == {}


def test_ratios_of_sizes_as_shares_take_the_machines_into_account(workload):
    logs = {"CTC": weeks(workload, [(10, 4)] * 2), "Par": weeks(workload, [(10, 8)] * 2, machine=256)}
    ratios = figures5_6.ratios(figures5_6.of_weeks(logs, resamples=5)).loc["CTC", "Par"]
    assert (ratios.ours["size", "mean"], ratios.ours["machine_share", "mean"]) == (0.5, 2)


SMALL = {"resamples": 20, "model_jobs": 2000, "least_jobs": 50}


@pytest.mark.thorough
def test_figure_6_comes_to_its_end_without_some_logs(small_logs):
    made = executed("mualem2001/figure6", logs=["KTH", "Par"], **SMALL)
    assert made["answers"].empty and made["verdict"]["verdict"] == UNTESTED
