"""The lab's controls show what they should when they are moved, and a picture with text where nobody can press."""

import base64
import io
import re
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

import simlib
from simlib import EASY, FCFS, Conservative, plots, simulate
from simlib.course import views, widgets
from simlib.models import examples
from simlib.policies.walltime import Adjustment, Scheme

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_figure_stays_open")]


# The comparison


def test_the_comparison_has_the_metrics_of_each_policy_each_in_one_unit():
    compare = widgets.compare(examples.figure1(), [FCFS(), EASY(), Conservative("start")])
    assert [schedule.jobs.wait.mean() for schedule in compare.schedules] == pytest.approx(
        [41.333, 25.667, 25.667], 1e-4
    )
    assert re.search("mean wait \\[s\\] +41.3 +25.7 +25.7", repr(compare))
    assert "<td>mean wait [s]</td><td>41.3</td><td>25.7</td><td>25.7</td>" in compare.page
    assert [plan["wait"] for plan in compare.data["plans"]] == ["41.3 s", "25.7 s", "25.7 s"]
    figure = Figure()
    compare.draw(figure)
    assert {ax.get_xlim() for ax in figure.axes} == {(0, 150)}
    titles = [ax.get_title() for ax in figure.axes]
    assert [title.split(":")[0] for title in titles] == ["FCFS", "EASY", "Conservative, compress=start"]
    assert ["hatched" in title for title in titles] == [False, True, True]


@pytest.mark.parametrize(
    "values, name, texts",
    [
        ([41.33, 5], "wait [s]", ["41.3", "5.0"]),
        ([7199, 2], "wait [s]", ["7,199", "2"]),
        ([7200, 90], "wait [h]", ["2.0", "0.0"]),
        ([4 * 86400, 3600], "wait [days]", ["4.0", "0.0"]),
    ],
)
def test_a_column_of_times_has_one_unit(values, name, texts):
    column = views.times("wait", pd.Series(values))
    assert (column.name, list(column)) == (name, texts)


# The exploration


@pytest.fixture
def some_jobs():
    return simlib.load("sample").scale_load(0.7)


def move(explore, **values):
    """Move sliders to values, as the browser tells it."""
    places = {name: [of for _, of in explore.choices[name]].index(value) for name, value in values.items()}
    explore.hear({"do": "move", "places": places})


def test_each_slider_turns_one_screw_and_what_is_explored_is_simulated(some_jobs):
    def as_given(explore):
        estimate = explore.workload.jobs.estimate
        return estimate.equals(some_jobs.jobs.estimate[estimate.index])

    explore = widgets.explore(some_jobs, [EASY(), EASY(order="sjf")])
    load, place = explore.choices["load"][explore.places["load"]]
    assert place == explore.workload.load and load.endswith("its own")
    move(explore, load=0.9)
    assert explore.workload.load == pytest.approx(0.9, abs=0.001) and as_given(explore)
    move(explore, estimates=1)
    assert (explore.workload.jobs.estimate == explore.workload.jobs.run).all()
    move(explore, estimates=10)
    assert (explore.workload.jobs.estimate <= 10 * explore.workload.jobs.run).all()
    move(explore, processors=some_jobs.procs // 2)
    assert explore.workload.procs == some_jobs.procs // 2
    assert explore.workload.load == pytest.approx(0.9, abs=0.001)
    move(explore, estimates=0)
    assert as_given(explore)
    expected = simulate(explore.workload, EASY(order="sjf")).summary()
    assert explore.schedules[1].summary().equals(expected)
    waits = explore.widget.data["bars"][0]
    assert waits["title"] == "mean wait [h]" and waits["rows"][1]["value"] == expected.mean_wait / 3600


def test_jobs_larger_than_the_machine_are_dropped_and_counted(workload):
    w = workload([(0, 10, 10, 8), (10, 10, 10, 2), (20, 10, 10, 1), (30, 10, 10, 5)], 8)
    explore = widgets.explore(w)
    assert "larger" not in explore.data["note"]
    move(explore, processors=4)
    assert len(explore.workload) == 2
    assert "2 jobs on 4 processors" in explore.data["note"]
    assert "2 jobs larger than the machine dropped." in explore.data["note"]
    move(explore, processors=6)
    assert "1 job larger than the machine dropped." in explore.data["note"]


def test_the_slider_of_the_load_has_the_workloads_own(some_jobs):
    some_jobs = some_jobs.derive(some_jobs.jobs[:1000], "some").scale_load(0.763)
    explore = widgets.explore(some_jobs, [EASY()])
    assert explore.data["choices"]["load"][14:17] == ["0.75", "0.76, its own", "0.80"]
    assert explore.data["places"]["load"] == 15
    assert explore.schedules[0].summary().equals(simulate(some_jobs, EASY()).summary())
    assert widgets.explore(some_jobs.scale_load(2.5), [EASY()]).data["choices"]["load"][-2:] == [
        "1.20",
        "2.50, its own",
    ]


def test_a_machine_on_which_no_load_can_be_made_is_not_offered(workload):
    explore = widgets.explore(workload([(0, 10, 10, 8), (10, 10, 10, 8), (20, 10, 10, 1)], 8))
    assert [procs for _, procs in explore.choices["processors"]] == [8, 10, 12, 16, 32]


def test_of_a_long_log_only_the_first_jobs_take_part_and_it_says_so(monkeypatch, some_jobs):
    monkeypatch.setattr(widgets.exploring, "MOST_SIMULATED", 100)
    explore = widgets.explore(some_jobs)
    assert len(explore.workload) == 100
    assert f"100 jobs on {some_jobs.procs} processors" in explore.data["note"]
    assert f"These are the first of {len(some_jobs):,}" in explore.data["note"]


def test_the_bars_remember_where_they_were(some_jobs):
    explore = widgets.explore(some_jobs)
    before = [row["value"] for row in explore.data["bars"][1]["rows"]]
    move(explore, load=0.75)
    rows = explore.data["bars"][1]["rows"]
    assert [row["before"] for row in rows] == before
    assert [row["value"] for row in rows] == [each.summary().mean_bounded_slowdown for each in explore.schedules]


def test_made_up_workloads_say_so_in_every_control(some_jobs):
    few = some_jobs.derive(some_jobs.jobs[:5], "few")
    for control in (
        widgets.stepper(few, EASY()),
        widgets.compare(few, [EASY()]),
        widgets.explore(some_jobs),
        widgets.editor(few, EASY()),
    ):
        figure = Figure()
        control.draw(figure)
        assert plots.SYNTHETIC in [found.get_text() for ax in figure.axes for found in ax.texts]
        assert control.data["mark"] == plots.SYNTHETIC


# What is refused


def test_what_a_control_cannot_show_is_refused_with_what_it_can(workload):
    none, many = workload([], 1), workload([(k, 1, 1, 1) for k in range(501)], 1)
    adjusted = EASY(adjust=Adjustment(Scheme(key="user", window="1 month", percentile=85)))
    few = examples.figure1()
    few = few.derive(few.jobs.assign(user=1), "of a user")
    for make, message in (
        (lambda: widgets.stepper(none, EASY()), "stepper: found no job, expected at least one"),
        (lambda: widgets.stepper(many, EASY()), "found 501 jobs, expected at most 500"),
        (lambda: widgets.compare(few, []), "compare: found no policy, expected some"),
        (lambda: widgets.compare(many, [EASY()]), "compare: found 501 jobs, expected 1 to 500"),
        (lambda: widgets.compare(few, [adjusted]), "plan: found adjusted estimates, expected a policy without adjust"),
        (lambda: widgets.explore(none), "explore: found 0 jobs without a load, expected some over time"),
        (lambda: widgets.editor(many, EASY()), "editor: found 501 jobs, expected 1 to 30"),
        (lambda: widgets.editor(none, EASY()), "editor: found 0 jobs, expected 1 to 30"),
    ):
        with pytest.raises(ValueError, match=message):
            make()


# Where nobody can press buttons


def controls():
    jobs = examples.figure1()
    yield widgets.stepper(jobs, EASY()), "Job third starts now, ahead of job first at the head"
    yield widgets.compare(jobs, [FCFS(), EASY()]), "41.3"
    yield widgets.explore(jobs, [FCFS(), EASY()]), "6 jobs on 10 processors at an offered load of"
    yield widgets.editor(jobs, EASY()), "second           4       50"


VIEW = "application/vnd.jupyter.widget-view+json"


def test_every_control_has_a_picture_and_text_beside_its_widgets():
    for control, told in controls():
        bundle = control._repr_mimebundle_(include=None, exclude=None)
        assert set(bundle) == {"text/plain", "image/png", VIEW}
        assert told in bundle["text/plain"]
        assert imread(io.BytesIO(base64.b64decode(bundle["image/png"]))).shape[1] == 11 * 120
        assert bundle[VIEW]["model_id"] == control.widget.model_id


def test_the_text_is_no_wider_than_the_picture_even_where_policies_have_long_names():
    policies = [EASY(), EASY(order="sjf"), Conservative(compress="rebackfill")]
    for make in (widgets.compare, widgets.explore):
        lines = repr(make(examples.figure1(), policies)).splitlines()[1:]
        assert max(map(len, lines)) <= widgets.control.COLUMNS


def test_in_a_batch_run_there_is_what_needs_no_kernel(monkeypatch):
    def asked(control, allow_stdin):
        kernel = SimpleNamespace(get_parent=lambda channel: {"content": {"allow_stdin": allow_stdin}})
        monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=kernel))
        return set(control._repr_mimebundle_())

    for control, _ in controls():
        assert asked(control, allow_stdin=True) == {"text/plain", "image/png", VIEW}
        steps = isinstance(control, widgets.stepping.Stepper | widgets.stepping.Compare)
        assert asked(control, allow_stdin=False) == {"text/plain", "image/png"} | ({"text/html"} if steps else set())


def test_without_anywidget_every_control_is_a_picture_with_text(monkeypatch):
    monkeypatch.setattr(widgets.control, "widget_class", lambda: None)
    for control, told in controls():
        assert control.widget is None
        assert set(control._repr_mimebundle_()) == {"text/plain", "image/png"}
        assert told in repr(control)
