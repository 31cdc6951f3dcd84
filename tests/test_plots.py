"""Pictures show what they should, and exhibits are saved whole, marked where they are synthetic."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import matplotlib
import matplotlib.pyplot as plt
import pytest
from helpers import texts

import simlib
from simlib import EASY, Conservative, examples, plots, simulate

matplotlib.use("Agg")


def rectangles(ax):
    return sorted((p.get_x(), p.get_y(), p.get_width(), p.get_height()) for p in ax.patches)


def test_a_gantt_chart_has_each_job_at_its_time_with_its_processors(workload):
    s = simulate(workload([(0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1)], 4), EASY())
    ax = plots.gantt(s)
    assert rectangles(ax) == [(0, 0, 10, 3), (2, 3, 8, 1), (10, 0, 5, 4)]
    assert sorted(text.get_text() for text in ax.texts) == ["0", "1", "2"]
    assert [bool(p.get_hatch()) for p in ax.patches] == [False, False, True]


@pytest.mark.parametrize("width, rotations", [(8, [0, 0]), (2.5, [90, 90]), (1, [])])
def test_a_name_stands_upright_in_a_job_too_narrow_for_it_and_is_left_out_where_that_does_not_fit(width, rotations):
    schedule = simulate(examples.figure3(), Conservative())
    texts = plots.gantt(schedule, plt.subplots(figsize=(width, 3))[1]).texts
    assert [text.get_rotation() for text in texts if text.get_text() in ("first", "second")] == rotations


def test_a_legend_has_lines_and_areas_in_the_order_given():
    figure = plt.figure()
    plots.legend(figure, plots.scheduler_styles(["easy"], marker="o") | {"band": {"facecolor": "grey"}})
    line, area = figure.legends[0].legend_handles
    assert (line.get_label(), line.get_color(), area.get_label()) == ("EASY", plots.EASY_COLOUR, "band")


def test_a_job_in_a_gantt_chart_may_lie_in_pieces(workload):
    s = simulate(workload([(0, 10, 10, 1), (0, 20, 20, 1), (0, 10, 10, 1), (10, 5, 5, 2)], 3), EASY())
    assert rectangles(plots.gantt(s))[-2:] == [(10, 0, 5, 1), (10, 2, 5, 1)]


def test_utilisation_over_time_is_the_mean_of_each_interval(workload):
    day = 86400
    s = simulate(workload([(0, day, day, 2), (day, day // 2, day, 4)], 4), EASY())
    values = plots.utilisation(s).patches[0].get_data().values
    assert values == pytest.approx([0.5, 0.5])


def test_pictures_of_made_up_workloads_say_so():
    s = simulate(simlib.load("sample"), EASY())
    assert plots.SYNTHETIC in texts(plots.utilisation(s))


def picture(folder, backend, shown):
    """The bytes of a picture that a process with a backend of its own saves, after it was shown so often."""
    code = (
        "import io, matplotlib.pyplot as plt; from simlib import plots\n"
        "plots.use_style()\n"
        "figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6))\n"
        "for ax in axes: ax.plot([0, 1000], [0, 0.7], label='EASY'); ax.set(xlabel='R', ylabel='jobs up to here')\n"
        "figure.legend(*ax.get_legend_handles_labels(), loc='outside upper center')\n"
        f"for _ in range({shown}): figure.savefig(io.BytesIO(), dpi=figure.dpi)\n"
        f"plots.save(figure, {str(folder / 'figure9.png')!r})\n"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"MPLBACKEND": backend}, check=True)
    return (folder / "figure9.png").read_bytes()


@pytest.mark.thorough
def test_a_picture_is_the_same_whatever_backend_showed_it_and_how_often(tmp_path):
    cases = [("agg", 0), ("svg", 1), ("module://matplotlib_inline.backend_inline", 2)]
    with ThreadPoolExecutor() as threads:
        found = list(threads.map(lambda case: picture(tmp_path / case[0][:3], *case), cases))
    assert found[0] == found[1] == found[2]


def test_an_axes_placed_by_hand_stays_where_it_is(tmp_path):
    figure, (ax, _) = plt.subplots(1, 2, layout="constrained")
    ax.set_position((0.1, 0.2, 0.3, 0.4))
    plots.save(figure, tmp_path / "figure9.png")
    assert ax.get_position().bounds == pytest.approx((0.1, 0.2, 0.3, 0.4))
