"""Distributions of run times by size class."""

import pytest

from simlib import plots
from simlib_study import size_classes
from simlib_study.size_classes import ALL

plots.plt.switch_backend("Agg")


@pytest.fixture
def two_classes(workload):
    """Ten jobs of size 1 that run 1 to 10 s, and two of size 3 that run for an hour."""
    rows = [(0, run, run, 1) for run in range(1, 11)] + [(0, 3600, 3600, 3)] * 2
    return workload(rows, 4)


def test_each_size_class_has_its_share_quantiles_and_mean(two_classes):
    table = size_classes.by_class([("made", two_classes)])
    assert table.index.tolist() == [("made", ALL), ("made", 1), ("made", 4)]
    assert table.jobs.tolist() == [12, 10, 2]
    small = table.loc["made", 1]
    assert small.share == pytest.approx(10 / 12)
    assert (small.run_10, small.run_50, small.run_90, small.run_mean) == (1, 5, 9, 5.5)
    assert (small.upto_1, small.upto_10) == (0.1, 1)
    assert table.loc[("made", 4), "upto_1800"] == 0 and table.loc[("made", 4), "upto_3600"] == 1
    assert size_classes.named(table).index.tolist() == [("made", "all"), ("made", "1"), ("made", "3-4")]


def test_a_class_with_few_jobs_gets_no_curve(two_classes):
    curves = size_classes.curves([("made", two_classes)], least_jobs=3)
    assert curves.index.tolist() == [("made", ALL), ("made", 1)]
    assert curves.loc[("made", 1)].is_monotonic_increasing
    assert curves.loc[("made", 1), 1] == 0.1 and curves.loc[("made", 1)].iloc[-1] == 1


def test_curves_of_several_workloads_share_their_times(two_classes, workload):
    other = workload([(0, 7200, 7200, 2)] * 3, 4)
    curves = size_classes.curves([("a", two_classes), ("b", other)], least_jobs=1)
    assert curves.columns[0] == 1 and curves.columns[-1] == 7200
    assert not curves.isna().any(axis=None)


def test_distances_are_taken_class_by_class(two_classes, workload):
    other = workload([(0, run, run, 1) for run in range(1, 11)] + [(0, 60, 60, 3)] * 10, 4)
    table = size_classes.distances([("CTC", two_classes), ("other", other)], "CTC", least_jobs=2)
    assert table.other.to_dict() == pytest.approx({"sizes": 10 / 12 - 0.5, "all": 1 / 3, "1": 0, "3-4": 1})
    assert "3-4" not in size_classes.distances([("CTC", two_classes), ("other", other)], "CTC", least_jobs=3).index


def test_the_picture_has_a_panel_a_workload_with_a_line_a_class(two_classes):
    curves = size_classes.named(size_classes.curves([("a", two_classes), ("b", two_classes)], least_jobs=1))
    styles = {name: {"color": shade} for name, shade in plots.shades(["all", "1", "3-4"]).items()}
    figure = plots.cumulative_panels(curves, "workload", "size_class", styles)
    assert [ax.get_title() for ax in figure.axes] == ["a", "b"]
    assert [len(ax.lines) for ax in figure.axes] == [3, 3]
    plots.plt.close(figure)
