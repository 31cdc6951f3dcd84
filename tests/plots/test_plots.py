"""Pictures show what they should, and exhibits are saved whole, marked where they are synthetic."""

import os
import re
import subprocess
import sys
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers import numbered, texts
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, Conservative, plots, simulate
from simlib.core.metrics import most_at_once, pieces
from simlib.models import examples
from simlib.plots import style

matplotlib.use("Agg")


def rectangles(ax):
    return sorted((p.get_x(), p.get_y(), p.get_width(), p.get_height()) for p in ax.patches)


def test_a_gantt_chart_has_each_job_at_its_time_with_its_processors(workload):
    s = simulate(workload([(0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1)], 4), EASY())
    ax = plots.gantt(s)
    assert rectangles(ax) == [(0, 0, 10, 3), (2, 3, 8, 1), (10, 0, 5, 4)]
    assert sorted(text.get_text() for text in ax.texts) == ["0", "1", "2"]
    assert [bool(p.get_hatch()) for p in ax.patches] == [False, False, True]


@pytest.mark.parametrize("procs, step", [(4, 1), (10, 2), (100, 20)])
def test_the_axis_of_processors_counts_in_steps_that_end_at_the_machines_size(workload, procs, step):
    ax = plots.gantt(simulate(workload([(0, 10, 10, 1)], procs), EASY()))
    assert [int(tick) for tick in ax.get_yticks() if tick <= procs] == list(range(0, procs + 1, step))


@pytest.mark.parametrize("width, rotations", [(8, [0, 0]), (2.5, [90, 90]), (1, [])])
def test_a_name_stands_upright_in_a_job_too_narrow_for_it_and_is_left_out_where_that_does_not_fit(width, rotations):
    schedule = simulate(examples.figure3(), Conservative())
    texts = plots.gantt(schedule, plt.subplots(figsize=(width, 3))[1]).texts
    assert [text.get_rotation() for text in texts if text.get_text() in ("first", "second")] == rotations


def test_of_jobs_that_do_not_fit_is_drawn_what_does():
    columns = {"start": [0, 0, 5], "run": 10, "end": [10, 10, 15], "procs": [3, 3, 2]}
    jobs = pd.DataFrame(columns | {"backfilled": False, "planned": False}, index=["A", "B", "C"])
    ax = plt.figure().add_subplot(xlim=(0, 20), ylim=(0, 4))
    plots.spans(ax, jobs, 4, dict.fromkeys("ABC", "blue"))
    assert rectangles(ax) == [(0, 0, 10, 3), (0, 3, 10, 1)] and texts(ax) == ["A", "B"]


def test_utilization_over_time_is_the_mean_of_each_interval(workload):
    day = 86400
    s = simulate(workload([(0, day, day, 2), (day, day // 2, day, 4)], 4), EASY())
    values = plots.utilization(s).patches[0].get_data().values
    assert values == pytest.approx([0.5, 0.5])


def test_pictures_of_made_up_workloads_say_so():
    s = simulate(simlib.load("sample"), EASY())
    assert plots.SYNTHETIC in texts(plots.utilization(s))


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
        pictures = list(threads.map(lambda case: picture(tmp_path / case[0][:3], *case), cases))
    assert pictures[0] == pictures[1] == pictures[2]


def test_a_notebook_shows_what_is_saved_with_more_pixels_than_it_takes_on_the_page(tmp_path):
    figure, ax = plt.subplots(figsize=(4, 3), dpi=60)
    shown, place = style.shown(figure)
    assert place == {
        "width": 240,
        "alt": "a picture without words",
    }  # on a narrow page a height would not shrink with it
    plots.save(figure, tmp_path / "figure9.png")
    saved = (tmp_path / "figure9.png").read_bytes()
    assert b64decode(shown) == saved and plt.imread(tmp_path / "figure9.png").shape[:2] == (450, 600)
    assert figure.dpi == 60


def test_what_changed_since_a_picture_was_shown_is_in_the_next_and_in_the_file(tmp_path):
    figure, ax = plt.subplots()
    (line,) = ax.plot([0, 1], label="EASY")
    before = style.shown(figure)
    for change in (lambda: line.set_ydata([1, 0]), lambda: ax.set_title("Figure 9"), lambda: plots.stamp(figure)):
        change()
        plots.save(figure, tmp_path / "figure9.png")
        after = style.shown(figure)
        assert after != before and b64decode(after[0]) == (tmp_path / "figure9.png").read_bytes()
        before = after


def test_a_figure_without_a_layout_engine_has_none_afterwards(tmp_path):
    with plt.rc_context({"figure.constrained_layout.use": True}):  # as in the house style
        figure = plt.figure(layout="none")
        plots.save(figure, tmp_path / "figure9.png")
    assert figure.get_layout_engine() is None


def test_an_axes_placed_by_hand_stays_where_it_is(tmp_path):
    figure, (ax, _) = plt.subplots(1, 2, layout="constrained")
    ax.set_position((0.1, 0.2, 0.3, 0.4))
    plots.save(figure, tmp_path / "figure9.png")
    assert ax.get_position().bounds == pytest.approx((0.1, 0.2, 0.3, 0.4))


BEGUN = pd.Timestamp("2004-10-31", tz="Europe/Stockholm")  # a day of 25 hours


def corners(ax):
    """The rectangles of a part of a schedule: (hours since the log began, first processor, hours, how many)."""
    places = []
    for path in ax.collections[0].get_paths():
        (left, low), (right, high) = path.vertices[:4].min(axis=0), path.vertices[:4].max(axis=0)
        left, right = (24 * day - BEGUN.timestamp() / 3600 for day in (left, right))
        places.append((round(left, 3), low, round(right - left, 3), high - low))
    return sorted(places)


def test_a_part_of_a_schedule_has_the_jobs_that_ran_then_where_they_are_in_the_full_one(workload):
    hour = 3600
    rows = [(0, 30 * hour, 30 * hour, 3), (hour, 5 * hour, 5 * hour, 2), (2 * hour, 8 * hour, 8 * hour, 1)]
    s = simulate(workload(rows, 4, start=BEGUN), EASY())
    ax = plots.gantt(s, "2004-11-01", "2004-11-02")
    assert corners(ax) == [(0, 0, 30, 3), (30, 0, 5, 2)]
    assert np.ptp(ax.get_xlim()) == pytest.approx(1) and ax.get_xlabel() == "time (Europe/Stockholm)"
    ax.figure.draw_without_rendering()
    assert [tick.get_text() for tick in ax.get_xticklabels()][:2] == ["Nov-01", "03:00"]
    assert texts(ax) == ["0", "1"] and "hatched" not in ax.get_title()
    assert "hatched" in plots.gantt(s, "2004-10-31", "2004-11-01").get_title()


def test_a_part_of_a_schedule_without_a_calendar_is_in_seconds(workload):
    s = simulate(workload([(0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1)], 4), EASY())
    ax = plots.gantt(s, 2, 12, labels=False)
    assert ax.get_xlim() == (2, 12) and ax.get_xlabel() == "time [s]" and not ax.texts
    assert len(ax.collections[0].get_paths()) == 3
    assert not plots.gantt(s, 20, 30).collections[0].get_paths()


def test_where_more_ran_than_fits_the_machine_its_size_is_a_line(workload):
    w = numbered([(0, 10, 10, 3), (1, 5, 5, 4)], 4)
    w._log["wait"] = 0
    with pytest.warns(simlib.LogWarning, match="up to 7 processors"):
        s = simlib.recorded(w)
    ax = plots.gantt(s, 0, 10)
    assert ax.get_ylim() == (0, 7) and ax.lines[0].get_ydata()[0] == 4


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("2004-11-01",), "found time None"),
        ((5, 5), "found the time from 5 to 5"),
        ((0, 5, None, True, 3), "gantt: found now=3 with 0 to 5"),
    ],
)
def test_a_part_that_is_none_is_refused(workload, arguments, message):
    s = simulate(workload([(0, 10, 10, 3)], 4, start=BEGUN), EASY())
    with pytest.raises(ValueError, match=message):
        plots.gantt(s, *arguments)


@given(
    st.lists(st.tuples(st.integers(-20, 60), st.integers(1, 30), st.integers(1, 8)), min_size=1).map(sorted),
    st.integers(0, 3),
)
def test_each_job_takes_the_lowest_free_processors(jobs, spare):
    start, run, procs = np.array(jobs).T.copy()  # in a row: for others another kernel is compiled
    rows = most_at_once(start, start + run, procs) + spare
    until, expected = np.full(rows, -99), []
    for job, begin in enumerate(start):
        chosen = np.flatnonzero(until <= begin)[: procs[job]]
        until[chosen] = begin + run[job]
        expected += [(job, processor) for processor in chosen]
    given = pieces(start, start + run, procs, rows)
    taken = [(job, processor) for job, first, height in given for processor in range(first, first + height)]
    assert taken == expected


def test_an_interval_is_drawn_where_it_is_also_beside_its_value():
    index = pd.MultiIndex.from_product([["EASY"], [1, 2]], names=["policy", "f"])
    ax = plots.plt.figure().add_subplot()
    plots.curves(ax, pd.DataFrame({"ours": [9.0, 5], "low": 4, "high": 6}, index), "f", "policy", bars=("low", "high"))
    (bars,) = ax.collections
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[4, 6], [4, 6]]
    assert ax.lines[-1].get_ydata().tolist() == [9, 5]


def facet_table():
    names = ["log", "policy", "f"]
    index = pd.MultiIndex.from_product([["KTH", "CTC"], ["easy", "SJF", "conservative"], [1, 2]], names=names)
    return pd.DataFrame({"ours": range(12), "published": 3.0}, index)


def test_every_panel_has_the_colours_of_the_whole_table_and_an_empty_one_is_blank():
    table = facet_table()[lambda of: ~((of.index.isin(["KTH"], "log")) & of.index.isin(["SJF"], "policy"))]
    drawn = {}
    for ax, part in plots.facets(table, column="log"):
        entries = plots.curves(ax, part, "f", "policy", whole=table)
        drawn[ax.get_title() or ax.get_title("left")] = [line.get_color() for line in ax.lines if len(line.get_xdata())]
    assert set(entries) == {"EASY", "conservative", "SJF"}
    assert drawn["KTH"][0] == drawn["CTC"][0] == plots.EASY_COLOUR and len(drawn["CTC"]) == 3
    crossed = pd.concat({"x": table.loc[["KTH"]], "y": table.loc[["CTC"]]}, names=["row"])
    shown = [(ax, part) for ax, part in plots.facets(crossed, "row", "log")]
    assert len(shown) == 2 and sum(not ax.axison for ax in shown[0][0].figure.axes) == 2


def test_names_on_an_x_axis_have_the_places_of_the_whole_table_or_where_it_lacks_them_the_panel_s_own():
    index = pd.MultiIndex.from_tuples([("KTH", "EASY", "a"), ("KTH", "EASY", "b"), ("CTC", "EASY", "b")])
    table = pd.DataFrame({"ours": [1.0, 2, 3]}, index.set_names(["log", "policy", "group"]))
    for whole, expected in ((table, 1), (table.droplevel("group"), 0)):
        for ax, part in plots.facets(table, column="log"):
            plots.curves(ax, part, "group", "policy", whole=whole)
        assert ax.lines[0].get_xdata().tolist() == [expected]
        assert ax.get_xticklabels()[expected].get_text() == "b"


def test_any_number_of_names_has_a_colour_and_known_policies_keep_theirs():
    names = [f"policy {number}" for number in range(20)]
    chosen = plots.colours([*names, "conservative", "EASY"])
    assert (
        len(chosen) == 22
        and chosen["EASY"] == plots.EASY_COLOUR
        and chosen["conservative"] == plots.CONSERVATIVE_COLOUR
    )
    assert not {plots.EASY_COLOUR, plots.CONSERVATIVE_COLOUR} & {chosen[name] for name in names}


def test_what_is_printed_is_a_hollow_circle_and_nothing_where_nothing_is():
    ax = plots.plt.figure().add_subplot()
    assert list(plots.circles(ax, facet_table().loc["KTH"], "f", "policy")) == ["published"]
    assert {line.get_fillstyle() for line in ax.lines} == {"none"}
    beside = plots.plt.figure().add_subplot()
    plots.circles(beside, facet_table().loc["KTH"], "f", "policy", shift=0.2)  # of three policies the second is amid
    assert [line.get_xdata()[0] for line in beside.lines] == pytest.approx([0.8, 1, 1.2])
    assert plots.circles(ax, facet_table().loc["KTH"].drop(columns="published"), "f", "policy") == {}


def test_a_legend_takes_as_few_rows_as_its_width_allows():
    rows = []
    for width in (4, 12):
        figure = plots.plt.figure(figsize=(width, 3))
        plots.legend(figure, {f"a long name {number}": {"color": "red"} for number in range(6)})
        rows.append(figure.legends[0]._ncols)
    assert rows[0] < 6 == rows[1]


def test_a_legend_has_what_is_printed_in_any_panel():
    table = facet_table()
    table["published"] = table.published.mask(table.index.isin(["CTC"], level="log"))  # the last panel
    for ax, part in plots.facets(table, column="log"):
        assert list(plots.circles(ax, part, "f", "policy", whole=table)) == ["published"]
        entries = plots.intervals(ax, part.assign(low=0, high=9), ["f"], "policy", whole=table, value="ours")
        assert "published" in entries
    assert len(ax.get_lines()) and not any(
        line.get_fillstyle() == "none" for line in ax.get_lines() if line.get_xdata().size
    )


@pytest.mark.parametrize(
    "draw, name",
    [
        (lambda ax, table: list(plots.facets(table, "lag")), "'lag'"),
        (lambda ax, table: plots.curves(ax, table, "f", "police"), "'police'"),
        (lambda ax, table: plots.curves(ax, table, "f", "policy", "lag"), "'lag'"),
        (lambda ax, table: plots.circles(ax, table, "g", "policy"), "'g'"),
        (lambda ax, table: plots.intervals(ax, table, ["lag"], "policy"), "'lag'"),
        (lambda ax, table: plots.stacked(ax, table, "lag", {"ours": "red"}), "'lag'"),
        (lambda ax, table: plots.cumulative_panels(table, "lag", "f", {}), "'lag'"),
        (lambda ax, table: plots.cumulative_panels(table, "log", "f", {}, columns=0), "columns=0"),
        (lambda ax, table: list(plots.facets(table, "log", "log")), "as row and as column"),
        (lambda ax, table: plots.month_axis(ax, []), "no months"),
        (lambda ax, table: plots.month_axis(ax, ["1996-07"], every=0), "every=0"),
        (lambda ax, table: plots.gantt(simulate(simlib.load("sample"), EASY()), now="x"), "now='x'"),
        (lambda ax, table: plots.cumulative_panels(table[:0], "log", "f", {}), "without rows"),
        (lambda ax, table: plots.curves(ax, table[:0], "f", "policy"), "without rows"),
    ],
)
def test_a_level_or_a_setting_that_cannot_be_drawn_is_named(draw, name):
    with pytest.raises(ValueError, match=name):
        draw(plots.plt.figure().add_subplot(), facet_table())


@pytest.mark.parametrize("rows", [[], [(5, 0, 0, 4)], [(5, 0, 0, 4), (5, 0, 0, 4)], [(0, 5, 5, 1)]])
@pytest.mark.parametrize("start", [None, BEGUN])
def test_a_schedule_of_no_job_or_of_no_length_has_pictures(workload, rows, start):
    s = simulate(workload(rows, 4, start=start), EASY())
    for ax in (plots.gantt(s), plots.gantt(s, 0, 9), plots.gantt(s, now=3), plots.utilization(s)):
        ax.figure.draw_without_rendering()
    assert len(ax.patches[0].get_data().values) > 0


@pytest.mark.parametrize("procs", [1, 2**31, 2**40])
def test_a_machine_of_any_size_has_pictures(workload, procs):
    s = simulate(workload([(0, 10, 10, procs), (1, 5, 5, 1), (1, 5, 5, procs)], procs), EASY())
    assert rectangles(plots.gantt(s)) == [(0, 0, 10, procs), (10, 0, 5, 1), (15, 0, 5, procs)]
    assert plots.utilization(s, every="5s").patches[0].get_data().values.tolist() == [1, 1, 1 / procs, 1]


@pytest.mark.parametrize("every", ["0s", "often", None])
def test_a_length_of_time_that_is_none_is_refused(workload, every):
    with pytest.raises(ValueError, match=f"every={every!r}"):
        plots.utilization(simulate(workload([(0, 5, 5, 1)], 4), EASY()), every=every)


@pytest.fixture(scope="module")
def compared():
    one = simlib.Workload.of("one job", 4, A=(0, 10, 10, 3))
    return simlib.compare(one, {"EASY": EASY(), "FCFS": simlib.FCFS()}, shakes=4, by=["all", "size"])


@pytest.mark.parametrize("draw", [plots.forest, plots.changes])
def test_a_comparison_of_one_job_has_pictures(compared, draw):
    draw(compared).draw_without_rendering()


@pytest.mark.parametrize(
    "draw, setting",
    [
        *[(plots.forest, {"statistics": value}) for value in ("mean", (), ("mode",))],
        (plots.forest, {"by": "month"}),
        *[(plots.changes, {"policy": "FCFS", "by": "size", "most": value}) for value in (0, 2.5)],
        (plots.changes, {"policy": "SJF", "by": "all"}),
    ],
)
def test_a_setting_of_a_picture_that_makes_no_sense_is_refused(compared, draw, setting):
    name, value = next((name, value) for name, value in setting.items() if value not in ("FCFS", "size", "all"))
    with pytest.raises(ValueError, match=rf"{name}=\W*{re.escape(str(value))}"):
        draw(compared, **setting)
