"""The lab's controls show what they should when they are pressed, and a picture with text where nobody can press."""

import base64
import io
import re
from types import SimpleNamespace

import nbformat
import pytest
from helpers import seen_picture, seen_text
from matplotlib.figure import Figure
from matplotlib.image import imread

import simlib
from simlib import EASY, FCFS, Conservative, plots, simulate
from simlib.course import views as measures
from simlib.course import widgets
from simlib.models import examples
from simlib.policies.walltime import Adjustment, Scheme

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_figure_stays_open")]


# The comparison


@pytest.fixture
def compare():
    return widgets.compare(examples.figure1(), [FCFS(), EASY(), Conservative("start")])


def test_the_comparison_shows_the_metrics_of_each_policy(compare):
    table = seen_text(compare.metrics)
    for name, wait in (("FCFS", "41.3 s"), ("EASY", "25.7 s"), ("Conservative, compress=start", "25.7 s")):
        assert f"{name} {wait}" in table
    assert [schedule.jobs.wait.mean() for schedule in compare.schedules] == pytest.approx(
        [41.333, 25.667, 25.667], abs=0.001
    )


def test_all_charts_of_the_comparison_share_the_time_axis(compare):
    figure = Figure()
    compare.draw(figure, now=6)
    assert {ax.get_xlim() for ax in figure.axes} == {(0, 150)}
    assert [ax.get_title().split(":")[0] for ax in figure.axes] == ["FCFS", "EASY", "Conservative, compress=start"]


def test_one_slider_moves_all_charts_to_the_events_of_any_policy(compare):
    events = {time for s in compare.schedules for column in ("submit", "start", "end") for time in s.jobs[column]}
    assert [value for _, value in compare.time.options] == sorted(events)
    assert compare.time.value == 150
    whole = seen_picture(compare)
    compare.back.click()
    assert compare.time.value == 125 and seen_picture(compare) != whole
    compare.next.click()
    compare.next.click()
    assert compare.time.value == 150 and seen_picture(compare) == whole


def test_a_job_that_starts_now_is_not_drawn_as_a_reservation():
    figure = Figure()
    ax = plots.gantt(simulate(examples.figure1(), EASY()), figure.add_subplot(), now=6)
    dashed = {patch.get_x() for patch in ax.patches if patch.get_linestyle() == "--"}
    assert dashed == {60, 100}


# The exploration


@pytest.fixture
def some_jobs():
    return simlib.load("sample").scale_load(0.7)


def test_each_slider_turns_one_screw(some_jobs):
    def as_given(explore):
        estimate = explore.workload.jobs.estimate
        return estimate.equals(some_jobs.jobs.estimate[estimate.index])

    explore = widgets.explore(some_jobs)
    assert explore.load.value == explore.workload.load
    explore.load.value = 0.9
    assert explore.workload.load == pytest.approx(0.9, abs=0.001)
    assert as_given(explore)
    explore.quality.value = 1
    assert (explore.workload.jobs.estimate == explore.workload.jobs.run).all()
    explore.quality.value = 10
    assert (explore.workload.jobs.estimate <= 10 * explore.workload.jobs.run).all()
    explore.machine.value = some_jobs.procs // 2
    assert explore.workload.procs == some_jobs.procs // 2
    assert explore.workload.load == pytest.approx(0.9, abs=0.001)
    explore.quality.value = 0
    assert as_given(explore)


def test_what_is_explored_is_what_is_simulated(some_jobs):
    explore = widgets.explore(some_jobs, [EASY(), EASY(order="sjf")])
    explore.load.value = 0.9
    expected = simulate(explore.workload, EASY(order="sjf")).summary()
    assert explore.schedules[1].summary().equals(expected)
    assert f"EASY, order=sjf {measures.seconds(expected.mean_wait)}" in seen_text(explore.metrics)


def test_jobs_larger_than_the_machine_are_dropped_and_counted(workload):
    w = workload([(0, 10, 10, 8), (10, 10, 10, 2), (20, 10, 10, 1), (30, 10, 10, 5)], 8)
    explore = widgets.explore(w)
    assert "larger" not in seen_text(explore.note)
    explore.machine.value = 4
    assert len(explore.workload) == 2
    assert "2 jobs on 4 processors" in seen_text(explore.note)
    assert "2 jobs larger than the machine dropped." in seen_text(explore.note)
    explore.machine.value = 6
    assert "1 job larger than the machine dropped." in seen_text(explore.note)


def test_the_slider_of_the_load_begins_at_the_workloads_own(some_jobs):
    some_jobs = some_jobs.derive(some_jobs.jobs[:1000], "some").scale_load(0.763)
    explore = widgets.explore(some_jobs, [EASY()])
    names, loads = zip(*explore.load.options, strict=True)
    assert names[14:17] == ("0.75", "0.76, its own", "0.80")
    assert explore.load.value == loads[15] == explore.workload.load
    assert explore.schedules[0].summary().equals(simulate(some_jobs, EASY()).summary())
    assert [name for name, _ in widgets.explore(some_jobs.scale_load(2.5), [EASY()]).load.options][-2:] == [
        "1.20",
        "2.50, its own",
    ]


def test_a_long_schedule_is_measured_in_days(some_jobs):
    table = measures.summaries([simulate(some_jobs, EASY())])
    assert re.fullmatch(r"\d+\.\d days", table.makespan[0])


def test_a_machine_on_which_no_load_can_be_made_is_not_offered(workload):
    explore = widgets.explore(workload([(0, 10, 10, 8), (10, 10, 10, 8), (20, 10, 10, 1)], 8))
    assert [procs for _, procs in explore.machine.options] == [8, 10, 12, 16, 32]


def test_of_a_long_log_only_the_first_jobs_take_part_and_it_says_so(monkeypatch, some_jobs):
    monkeypatch.setattr(widgets.comparison, "MOST_SIMULATED", 100)
    explore = widgets.explore(some_jobs)
    assert len(explore.workload) == 100
    assert f"100 jobs on {some_jobs.procs} processors" in seen_text(explore.note)
    assert f"These are the first of {len(some_jobs):,}" in seen_text(explore.note)


def test_the_bars_remember_where_they_were_and_a_huge_one_is_cut_off(some_jobs):
    explore = widgets.explore(some_jobs)
    before = explore.schedules[1].summary().mean_bounded_slowdown
    explore.load.value = 0.75
    figure = Figure()
    explore.draw(figure)
    slowdown = figure.axes[1]
    frames = [bar.get_width() for bar in slowdown.patches if not bar.get_fill()]
    assert frames[1] == before
    bars = [bar.get_width() for bar in slowdown.patches if bar.get_fill()]
    assert bars == [schedule.summary().mean_bounded_slowdown for schedule in explore.schedules]
    assert slowdown.get_xlim()[1] <= 1.35 * 3 * sorted(bars)[1]


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
    yield widgets.compare(jobs, [FCFS(), EASY()]), "41.3 s"
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


def test_hatched_is_explained_where_some_job_is_backfilled_and_only_there():
    jobs = examples.figure1()
    for policies, hatched in (([FCFS()], False), ([FCFS(), EASY()], True)):
        figure = Figure()
        widgets.compare(jobs, policies).draw(figure)
        assert ("hatched" in figure.texts[0].get_text()) == hatched
        title = plots.gantt(simulate(jobs, policies[-1]), Figure().add_subplot()).get_title()
        assert ("hatched" in title) == hatched


def test_in_a_batch_run_there_is_what_needs_no_kernel(monkeypatch):
    def asked(control, allow_stdin):
        kernel = SimpleNamespace(get_parent=lambda channel: {"content": {"allow_stdin": allow_stdin}})
        monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=kernel))
        return set(control._repr_mimebundle_())

    for control, _ in controls():
        assert asked(control, allow_stdin=True) == {"text/plain", "image/png", VIEW}
        steps = isinstance(control, widgets.stepping.Stepper | widgets.comparison.Compare)
        assert asked(control, allow_stdin=False) == {"text/plain", "image/png"} | ({"text/html"} if steps else set())


def test_without_ipywidgets_every_control_is_a_picture_with_text(monkeypatch):
    monkeypatch.setattr(widgets.control, "ipywidgets", None)
    for control, told in controls():
        assert control.widget is None
        assert set(control._repr_mimebundle_()) == {"text/plain", "image/png"}
        assert told in repr(control)


def test_a_notebook_that_is_executed_in_batch_shows_a_stepper_without_a_kernel_on_a_page():
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    code = "import simlib\nfrom simlib.models import examples\n"
    code += "simlib.course.widgets.stepper(examples.figure1(), simlib.EASY())"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, kernel_name="python3").execute()
    assert set(notebook.cells[0].outputs[0].data) == {"text/plain", "text/html", "image/png"}
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert "<simlib-stepper" in page
