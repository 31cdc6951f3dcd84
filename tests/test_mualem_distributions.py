"""Figure 6 of Mu'alem & Feitelson: distributions of run time by size class, and the verdict on claim MF-18."""

import numpy as np
import pandas as pd
import pytest

from simlib import papers, plots
from simlib.papers import mualem2001
from simlib.papers.mualem2001 import distributions
from simlib.papers.mualem2001.distributions import ALL, WEEK

plots.plt.switch_backend("Agg")


def test_size_classes_end_at_powers_of_two():
    sizes = [1, 2, 3, 4, 5, 8, 9, 100, 1024]
    uppers = distributions.size_class(sizes)
    assert uppers.tolist() == [1, 2, 4, 4, 8, 8, 16, 128, 1024]
    names = ["1", "2", "3-4", "3-4", "5-8", "5-8", "9-16", "65-128", "513-1024"]
    assert [distributions.class_name(upper) for upper in uppers] == names
    assert distributions.class_name(ALL) == "all"


@pytest.fixture
def two_classes(workload):
    """Ten jobs of size 1 that run 1 to 10 s, and two of size 3 that run for an hour."""
    rows = [(0, run, run, 1) for run in range(1, 11)] + [(0, 3600, 3600, 3)] * 2
    return workload(rows, 4)


def test_each_size_class_has_its_share_quantiles_and_mean(two_classes):
    table = distributions.by_class([("made", two_classes)])
    assert table.index.tolist() == [("made", ALL), ("made", 1), ("made", 4)]
    assert table.jobs.tolist() == [12, 10, 2]
    small = table.loc["made", 1]
    assert small.share == pytest.approx(10 / 12)
    assert (small.run_10, small.run_50, small.run_90, small.run_mean) == (1, 5, 9, 5.5)
    assert (small.upto_1, small.upto_10) == (0.1, 1)
    assert table.loc[("made", 4), "upto_1800"] == 0 and table.loc[("made", 4), "upto_3600"] == 1
    assert distributions.named(table).index.tolist() == [("made", "all"), ("made", "1"), ("made", "3-4")]


def test_a_class_with_few_jobs_gets_no_curve(two_classes):
    curves = distributions.curves([("made", two_classes)], least_jobs=3)
    assert curves.index.tolist() == [("made", ALL), ("made", 1)]
    assert curves.loc[("made", 1)].is_monotonic_increasing
    assert curves.loc[("made", 1), 1] == 0.1 and curves.loc[("made", 1)].iloc[-1] == 1


def test_curves_of_several_workloads_share_their_times(two_classes, workload):
    other = workload([(0, 7200, 7200, 2)] * 3, 4)
    curves = distributions.curves([("a", two_classes), ("b", other)], least_jobs=1)
    assert curves.columns[0] == 1 and curves.columns[-1] == 7200
    assert not curves.isna().any(axis=None)


def test_distances_are_taken_class_by_class(two_classes, workload):
    other = workload([(0, run, run, 1) for run in range(1, 11)] + [(0, 60, 60, 3)] * 10, 4)
    table = distributions.distances([("CTC", two_classes), ("other", other)], least_jobs=2)
    assert table.other.to_dict() == pytest.approx({"sizes": 10 / 12 - 0.5, "all": 1 / 3, "1": 0, "3-4": 1})
    assert "3-4" not in distributions.distances([("CTC", two_classes), ("other", other)], least_jobs=3).index


def weeks(workload, runs_and_sizes, jobs=20, machine=64):
    """A workload whose weeks each hold `jobs` like jobs: one (run, size) a week."""
    rows = [(w * WEEK + k, run, run, size) for w, (run, size) in enumerate(runs_and_sizes) for k in range(jobs)]
    return workload(rows, machine)


def test_weeks_are_resampled_whole(workload):
    samples = distributions.resampled(weeks(workload, [(10, 1), (1000, 8)]), resamples=50, seed=3)
    assert set(samples.run_mean) == {10, 505, 1000}  # a week counts not at all, once or twice, all of it
    assert set(samples.run_median) <= {10, 1000}
    assert set(samples.size_mean) == {1, 4.5, 8}


def test_the_same_seed_gives_the_same_resamples(workload):
    made = weeks(workload, [(10, 1), (1000, 8), (50, 2)])
    one, two = (distributions.resampled(made, resamples=10, seed=5) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def test_medians_of_resamples_are_those_of_the_jobs_put_together(workload):
    rng = np.random.default_rng(1)
    submit, run = rng.integers(0, 5 * WEEK, 200), rng.integers(0, 50, 200)
    made = workload(np.stack([submit, run, run, np.ones(200, int)], axis=1), 4)
    jobs = made.jobs
    week = (jobs.submit - jobs.submit.min()) // WEEK
    drawn = np.random.default_rng(2).multinomial(week.max() + 1, np.full(week.max() + 1, 1 / (week.max() + 1)), size=8)
    expected = [np.quantile(np.repeat(jobs.run, times[week]), 0.5, method="inverted_cdf") for times in drawn]
    assert distributions.resampled(made, resamples=8, seed=2).run_median.tolist() == expected


def verdict(workload, ones, others):
    labelled = [(label, weeks(workload, made)) for label, made in (ones | others).items()]
    table, samples = distributions.comparison(labelled, resamples=100, seed=1)
    return distributions.claims(distributions.pairs(table, samples))[0]["verdict"]


LONG_AND_NARROW = [(5000, 2), (6000, 2), (7000, 3)] * 3
SHORT_AND_WIDE = [(50, 16), (60, 20), (70, 30)] * 3


def test_longer_and_narrower_sp2_jobs_bear_the_claim_out_as_far_as_there_are_others(workload):
    sp2 = dict.fromkeys(mualem2001.SP2, LONG_AND_NARROW)
    assert verdict(workload, sp2, {"Par": SHORT_AND_WIDE, "CM5": SHORT_AND_WIDE}) == papers.PARTLY
    assert verdict(workload, sp2, {"Par": SHORT_AND_WIDE, "Feitelson": SHORT_AND_WIDE}) == papers.REPRODUCED


def test_shorter_or_wider_sp2_jobs_contradict_the_claim(workload):
    assert verdict(workload, {"CTC": SHORT_AND_WIDE}, {"CM5": LONG_AND_NARROW}) == papers.NOT
    assert verdict(workload, {"CTC": [(50, 2)] * 5}, {"CM5": [(50, 30)] * 5}) == papers.NOT


def test_without_both_kinds_of_logs_the_claim_cannot_be_tested(workload):
    assert verdict(workload, {"CTC": SHORT_AND_WIDE}, {}) == papers.UNTESTED
    assert verdict(workload, {}, {"sample": SHORT_AND_WIDE}) == papers.UNTESTED


def test_ratios_of_sizes_as_shares_take_the_machines_into_account(workload):
    labelled = [("CTC", weeks(workload, [(10, 4)] * 2)), ("Par", weeks(workload, [(10, 8)] * 2, machine=256))]
    ratios = distributions.pairs(*distributions.comparison(labelled, resamples=5)).loc["CTC", "Par"]
    assert ratios.ratio["size_mean"] == 0.5
    assert ratios.ratio["machine_share_mean"] == 2


def test_the_picture_has_a_panel_a_workload_with_a_line_a_class(two_classes):
    curves = distributions.named(distributions.curves([("a", two_classes), ("b", two_classes)], least_jobs=1))
    styles = {name: {"color": shade} for name, shade in plots.shades(["all", "1", "3-4"]).items()}
    figure = plots.cumulative_panels(curves, "workload", "size_class", styles)
    assert [ax.get_title() for ax in figure.axes] == ["a", "b"]
    assert [len(ax.lines) for ax in figure.axes] == [3, 3]
    plots.plt.close(figure)


def test_on_the_logs_sp2_jobs_use_fewer_processors(log):
    for name in ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "LANL-CM5"):
        log(name)
    found, _ = mualem2001.traces(["CTC", "KTH", "SDSC", "CM5"])
    labelled = [(trace.trace, trace.workload) for trace in found]
    table, samples = distributions.comparison(labelled, resamples=100)
    ratios = distributions.pairs(table, samples).high.unstack("statistic")
    assert (ratios[["size_mean", "size_median"]] < 0.2).all(axis=None)
