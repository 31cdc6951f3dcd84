"""Figure 6 of Mu'alem & Feitelson: run times and sizes of whole workloads, and the verdict on claim MF-18."""

import pytest

from simlib.papers import judging, mualem2001, results
from simlib.papers.mualem2001 import distributions
from simlib.papers.mualem2001.distributions import WEEK
from simlib.papers.results import AS_IT_IS


def weeks(workload, runs_and_sizes, jobs=20, machine=64):
    """A workload whose weeks each hold `jobs` like jobs: one (run, size) a week."""
    rows = [(w * WEEK + k, run, run, size) for w, (run, size) in enumerate(runs_and_sizes) for k in range(jobs)]
    return workload(rows, machine)


def test_whole_workloads_have_their_means_medians_and_shares_and_those_of_their_weeks(workload):
    found = distributions.of_weeks([("made", weeks(workload, [(10, 1), (1000, 8)]))], resamples=50, seed=3).loc["made"]
    whole, resampled = found.xs(AS_IT_IS), found.drop(AS_IT_IS).unstack(["quantity", "statistic"])
    assert whole["run"].to_dict() == {"mean": 505, "median": 10}
    assert whole["size"].to_dict() == {"mean": 4.5, "median": 1}
    assert whole["machine_share"].to_dict() == {"mean": 4.5 / 64, "median": 1 / 64}
    assert resampled.index.tolist() == list(range(1, 51))
    assert set(resampled["run", "mean"]) == {10, 505, 1000}  # a week counts not at all, once or twice, all of it


def verdict(workload, ones, others):
    labelled = [(label, weeks(workload, made)) for label, made in (ones | others).items()]
    found = distributions.of_weeks(labelled, resamples=100, seed=1)
    return distributions.sp2_claim(distributions.compared(found))["verdict"]


LONG_AND_NARROW = [(5000, 2), (6000, 2), (7000, 3)] * 3
SHORT_AND_WIDE = [(50, 16), (60, 20), (70, 30)] * 3


def test_longer_and_narrower_sp2_jobs_bear_the_claim_out_as_far_as_there_are_others(workload):
    sp2 = dict.fromkeys(mualem2001.SP2, LONG_AND_NARROW)
    assert verdict(workload, sp2, {"Par": SHORT_AND_WIDE, "CM5": SHORT_AND_WIDE}) == judging.PARTLY
    assert verdict(workload, sp2, {"Par": SHORT_AND_WIDE, "Feitelson": SHORT_AND_WIDE}) == judging.REPRODUCED


def test_shorter_or_wider_sp2_jobs_contradict_the_claim(workload):
    assert verdict(workload, {"CTC": SHORT_AND_WIDE}, {"CM5": LONG_AND_NARROW}) == judging.NOT
    assert verdict(workload, {"CTC": [(50, 2)] * 5}, {"CM5": [(50, 30)] * 5}) == judging.NOT


def test_without_both_kinds_of_logs_the_claim_cannot_be_tested(workload):
    assert verdict(workload, {"CTC": SHORT_AND_WIDE}, {}) == judging.UNTESTED
    assert verdict(workload, {}, {"sample": SHORT_AND_WIDE}) == judging.UNTESTED


def test_ratios_of_sizes_as_shares_take_the_machines_into_account(workload):
    labelled = [("CTC", weeks(workload, [(10, 4)] * 2)), ("Par", weeks(workload, [(10, 8)] * 2, machine=256))]
    ratios = distributions.compared(distributions.of_weeks(labelled, resamples=5)).loc["CTC", "Par"]
    assert ratios.ours["size", "mean"] == 0.5
    assert ratios.ours["machine_share", "mean"] == 2


def test_tables_for_reading_give_every_number_with_its_interval(workload):
    labelled = [("one", weeks(workload, [(10, 4)] * 2)), ("other", weeks(workload, [(20, 8)] * 2))]
    table = results.summary(distributions.of_weeks(labelled, resamples=5))
    text = distributions.beside(table, {"run": "{:.0f}", "machine_share": "{:.1%}"})
    assert text.index.tolist() == ["one", "other"]
    assert text.loc["other", ("run", "mean")] == "20 (20 to 20)"
    assert text.loc["one", ("machine_share", "median")] == "6.2% (6.2% to 6.2%)"


@pytest.mark.slow
def test_on_the_logs_sp2_jobs_use_fewer_processors(log):
    for name in ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "LANL-CM5"):
        log(name)
    found, _ = mualem2001.traces(["CTC", "KTH", "SDSC", "CM5"])
    labelled = [(trace.trace, trace.workload) for trace in found]
    ratios = distributions.compared(distributions.of_weeks(labelled, resamples=100))
    assert (ratios.high.xs("size", level="quantity") < 0.2).all()
