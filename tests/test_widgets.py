"""The lab's controls show what they should when they are pressed, and a picture with text where nobody can press."""

import base64
import io
import re
from html import unescape
from types import SimpleNamespace

import matplotlib.pyplot as plt
import nbformat
import pytest
from helpers import busy_users
from matplotlib.figure import Figure
from matplotlib.image import imread
from test_policies import every_policy

import simlib
from simlib import EASY, FCFS, Conservative, examples, plots, simulate, widgets
from simlib.walltime import Adjustment, Scheme

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before


def text(html):
    """What a reader sees of HTML, cells of tables apart."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", html.value)).split())


def picture(control):
    return bytes(control.picture.value)


# The stepper


@pytest.fixture
def stepper():
    return widgets.stepper(examples.figure1(), EASY())


def test_the_stepper_begins_with_the_first_decision_and_shows_its_sentence(stepper):
    assert stepper.decision is stepper.explanation[0]
    assert text(stepper.sentence) == ("Jobs A, B and C arrive: 10 processors are free. Rule: jobs end or arrive.")


def test_the_buttons_of_the_stepper_go_forwards_and_backwards_and_stay_within(stepper):
    places = []
    for button in ("back", "next", "next", "back", "last", "next", "back", "first"):
        getattr(stepper, button).click()
        places.append(stepper.slider.value)
    last = len(stepper.explanation)
    assert places == [1, 2, 3, 2, last, last, last - 1, 1]


def test_next_start_passes_over_waits_and_refusals_and_ends_at_the_last_decision(stepper):
    started = []
    for _ in range(7):
        stepper.next_start.click()
        started.append(stepper.decision.job)
    assert started == ["A", "B", "C", "third", "first", "second", None]
    assert stepper.decision is stepper.explanation[-1]


def test_every_decision_has_its_sentence_and_a_picture_of_its_own():
    stepper = widgets.stepper(examples.figure3(), EASY())
    seen = set()
    for place, decision in enumerate(stepper.explanation, 1):
        stepper.slider.value = place
        assert text(stepper.sentence).startswith(decision.sentence)
        seen.add(picture(stepper))
    assert len(seen) >= 12
    assert imread(io.BytesIO(picture(stepper))).shape[1] == 11 * 120


@every_policy
def test_the_stepper_shows_one_decision_of_each_kind_under_every_policy(policy):
    stepper = widgets.stepper(busy_users(3, jobs=12, machine=8), policy)
    for place in {seen.kind: place for place, seen in enumerate(stepper.explanation, 1)}.values():
        stepper.slider.value = place
        assert text(stepper.sentence).startswith(stepper.decision.sentence)
        if stepper.decision.kind == "reserve":
            assert "reserved" in text(stepper.state)


def test_beside_the_chart_stand_time_free_processors_shadow_time_queue_and_running_jobs(stepper):
    place = next(place for place, seen in enumerate(stepper.explanation, 1) if seen.kind == "backfill")
    stepper.slider.value = place
    assert text(stepper.state) == (
        "Time 6 0 of 10 processors free shadow time 60, no extra processor "
        "Queue: 2 jobs job processors estimate reserved first 8 40 s 60 second 3 50 s "
        "Running: 4 jobs job processors until, expected A 4 30 B 3 60 C 2 110 third 1 31"
    )
    assert re.findall('class="simlib-decided"><td>(.*?)<', stepper.state.value) == ["third"]


def test_the_last_shadow_time_stays_pale_until_the_head_is_looked_at_again(stepper):
    told = []
    for place, seen in [*enumerate(stepper.explanation[:12], 1), (26, stepper.explanation[-1])]:
        stepper.slider.value = place
        shown = text(stepper.state)
        told.append((seen.kind, "shadow time" in shown and ("so far" if "(so far)" in shown else "now")))
    first = [kind for kind, _ in told].index("wait")
    assert set(told[:first]) == {("event", False), ("start", False)}
    assert {("wait", "now"), ("event", "so far"), ("refuse", "now")} <= set(told[first:])
    assert told[-1] == ("event", False)


def test_a_reservation_that_is_only_remembered_is_drawn_until_its_job_starts(stepper):
    for place, seen in enumerate(stepper.explanation):
        ax = Figure().add_subplot()
        drawn = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plots, "spans", lambda _, jobs, *args, into=drawn, **options: into.append(jobs))
            patch.setattr(Figure, "add_axes", lambda *_, ax=ax: ax)
            stepper._draw_instant(Figure(), seen, stepper._promises[place])
        planned = list(drawn[0].index[drawn[0].planned])
        queued = [job.job for job in seen.queue]
        assert set(planned) <= set(queued)
        assert ("first" in planned) == ("first" in queued and seen.time >= 2 and stepper._promises[place] is not None)


def test_conservative_shows_every_reservation_in_the_queue():
    stepper = widgets.stepper(examples.figure1(), Conservative())
    queues = [[job.job for job in seen.queue] for seen in stepper.explanation]
    stepper.slider.value = queues.index(["first", "second"]) + 1
    assert "first 8 40 s 60 second 3 50 s 100" in text(stepper.state)


def test_a_long_queue_is_cut_but_not_the_job_that_is_decided_on(workload):
    stepper = widgets.stepper(
        workload([(0, 100, 100, 4)] + [(1, 10, 10, 1 + k % 4) for k in range(30)], 4), Conservative()
    )
    stepper.slider.value = max(place for place, seen in enumerate(stepper.explanation, 1) if seen.kind == "reserve")
    assert "and 17 more" in text(stepper.state)
    assert re.findall('class="simlib-decided"><td>(.*?)<', stepper.state.value) == ["30"]


def test_play_can_be_paused_and_its_button_says_what_it_will_do(stepper):
    assert stepper.play.description == "Play"
    stepper.play.click()
    assert stepper._clock.playing and stepper.play.description == "Pause"
    stepper.play.click()
    assert not stepper._clock.playing and stepper.play.description == "Play"


def test_names_of_jobs_cannot_break_the_page(workload):
    w = workload([(0, 10, 10, 1)], 1)
    w = w.derive(w.jobs.rename(index={0: "<b>x</b>"}), "renamed")
    stepper = widgets.stepper(w, FCFS())
    assert "<b>x" not in stepper.sentence.value + stepper.state.value
    assert "&lt;b&gt;x" in stepper.sentence.value


# The comparison


@pytest.fixture
def compare():
    return widgets.compare(examples.figure1(), [FCFS(), EASY(), Conservative("start")])


def test_the_comparison_shows_the_metrics_of_each_policy(compare):
    table = text(compare.metrics)
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
    whole = picture(compare)
    compare.back.click()
    assert compare.time.value == 125 and picture(compare) != whole
    compare.next.click()
    compare.next.click()
    assert compare.time.value == 150 and picture(compare) == whole


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
    assert explore.load.value == 0.7
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
    assert f"EASY, order=sjf {widgets.summaries.seconds(expected.mean_wait)}" in text(explore.metrics)


def test_jobs_larger_than_the_machine_are_dropped_and_counted(workload):
    w = workload([(0, 10, 10, 8), (10, 10, 10, 2), (20, 10, 10, 1), (30, 10, 10, 5)], 8)
    explore = widgets.explore(w)
    assert "larger" not in text(explore.note)
    explore.machine.value = 4
    assert len(explore.workload) == 2
    assert "2 jobs on 4 processors" in text(explore.note)
    assert "2 jobs larger than the machine dropped." in text(explore.note)
    explore.machine.value = 6
    assert "1 job larger than the machine dropped." in text(explore.note)


def test_a_machine_on_which_no_load_can_be_made_is_not_offered(workload):
    explore = widgets.explore(workload([(0, 10, 10, 8), (10, 10, 10, 8), (20, 10, 10, 1)], 8))
    assert [procs for _, procs in explore.machine.options] == [8, 10, 12, 16, 32]


def test_of_a_long_log_only_the_first_jobs_take_part_and_it_says_so(monkeypatch, some_jobs):
    monkeypatch.setattr(widgets.exploration, "LIMIT", 100)
    explore = widgets.explore(some_jobs)
    assert len(explore.workload) == 100
    assert f"100 jobs on {some_jobs.procs} processors" in text(explore.note)
    assert f"These are the first of {len(some_jobs):,}" in text(explore.note)


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


# The editor


@pytest.fixture
def editor():
    return widgets.editor(examples.figure1(), EASY())


def starts(editor):
    return editor.schedule.jobs.start.to_dict()


def test_the_editor_shows_the_jobs_and_when_they_start(editor):
    assert [row.texts() for row in editor.rows[:2]] == [["0", "30", "4", "30"], ["0", "60", "3", "60"]]
    shown = [(row.start.value, row.wait.value) for row in editor.rows[3:]]
    assert shown == [("60", "58 s"), ("100", "96 s"), ("6", "0 s")]
    assert text(editor.message) == "All numbers are valid."


def test_an_edited_number_changes_the_schedule_at_once(editor):
    before = picture(editor)
    editor.rows[1].run.value = editor.rows[1].estimate.value = "20"
    assert starts(editor)["first"] == 30
    assert (editor.rows[3].start.value, editor.rows[3].wait.value) == ("30", "28 s")
    assert picture(editor) != before
    assert editor.workload.jobs.run["B"] == 20


@pytest.mark.parametrize(
    "field, typed, told",
    [
        (
            "procs",
            "twelve",
            "Job B, processors: found 'twelve', expected a whole number from 1 to 10, the size of the machine.",
        ),
        (
            "procs",
            "11",
            "Job B, processors: found '11', expected a whole number from 1 to 10, the size of the machine.",
        ),
        ("procs", "0", "Job B, processors: found '0', expected a whole number from 1 to 10, the size of the machine."),
        ("run", "-5", "Job B, run [s]: found '-5', expected a whole number from 0 to 1,000,000,000."),
        ("submit", "1.5", "Job B, submit [s]: found '1.5', expected a whole number from 0 to 1,000,000,000."),
        ("estimate", " ", "Job B, estimate [s]: found nothing, expected a whole number from 0 to 1,000,000,000."),
    ],
)
def test_a_wrong_number_is_told_in_a_sentence_and_the_last_valid_schedule_stays(editor, field, typed, told):
    before, shown = starts(editor), picture(editor)
    getattr(editor.rows[1], field).value = typed
    assert text(editor.message) == told + " The schedule is the last valid one."
    assert (starts(editor), picture(editor)) == (before, shown)
    assert getattr(editor.rows[1], field).style.background
    assert not editor.rows[0].procs.style.background
    getattr(editor.rows[1], field).value = "5"
    assert "expected" not in text(editor.message)
    assert not getattr(editor.rows[1], field).style.background


def test_an_estimate_below_the_run_time_is_told(editor):
    editor.rows[0].estimate.value = "10"
    assert (
        text(editor.message) == "Job A: the estimate 10 is below the run time 30: the scheduler is told the run time."
    )
    killed = widgets.editor(examples.figure1(), EASY(), overrun="kill")
    killed.rows[0].estimate.value = "10"
    assert text(killed.message) == "Job A: the estimate 10 is below the run time 30: it is killed then."
    assert killed.schedule.jobs.end["A"] == 10


def test_jobs_are_added_and_deleted_and_brought_back(editor):
    editor.add.click()
    assert editor.rows[-1].job == "new1" and editor.rows[-1].texts() == editor.rows[-2].texts()
    assert len(editor.schedule.jobs) == 7
    editor.rows[3].delete.click()
    assert "first" not in starts(editor)
    assert len(editor._table.children) == 1 + 6
    editor.reset.click()
    assert starts(editor) == simulate(examples.figure1(), EASY()).jobs.start.to_dict()


def test_what_is_taken_is_as_if_it_were_typed(editor):
    editor.take({"A": (0, 20, 4, 30), "new": (5, 1, 1, 1)})
    assert [row.texts() for row in editor.rows] == [["0", "20", "4", "30"], ["5", "1", "1", "1"]]
    assert starts(editor) == {"A": 0, "new": 5}
    assert editor.taken == editor.jobs
    editor.reset.click()
    assert starts(editor) == simulate(examples.figure1(), EASY()).jobs.start.to_dict()


def test_a_new_job_gets_the_next_number_where_names_are_numbers(workload):
    editor = widgets.editor(workload([(0, 1, 1, 1), (0, 1, 1, 1)], 1), FCFS())
    editor.add.click()
    editor.rows[0].delete.click()
    editor.add.click()
    assert [row.job for row in editor.rows] == [1, 2, 3]


def test_without_a_job_the_last_schedule_stays_until_one_is_added(workload):
    editor = widgets.editor(workload([(0, 1, 1, 1)], 1), FCFS())
    editor.rows[0].delete.click()
    assert text(editor.message) == "There is no job: add one. The schedule is the last valid one."
    assert len(editor.schedule.jobs) == 1
    editor.add.click()
    assert text(editor.message) == "All numbers are valid."


def test_the_table_does_not_grow_beyond_its_limit(workload):
    editor = widgets.editor(workload([(k, 1, 1, 1) for k in range(30)], 1), FCFS())
    editor.add.click()
    assert len(editor.rows) == 30
    assert text(editor.message) == "There are 30 jobs, the most that this table takes: delete one first."


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


def test_in_a_batch_run_there_is_only_the_picture_and_the_text(monkeypatch):
    def asked(allow_stdin):
        kernel = SimpleNamespace(get_parent=lambda channel: {"content": {"allow_stdin": allow_stdin}})
        monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=kernel))
        return set(next(controls())[0]._repr_mimebundle_())

    assert asked(allow_stdin=True) == {"text/plain", "image/png", VIEW}
    assert asked(allow_stdin=False) == {"text/plain", "image/png"}


def test_without_ipywidgets_every_control_is_a_picture_with_text(monkeypatch):
    monkeypatch.setattr(widgets.control, "ipywidgets", None)
    for control, told in controls():
        assert control.widget is None
        assert set(control._repr_mimebundle_()) == {"text/plain", "image/png"}
        assert told in repr(control)


def test_a_notebook_that_is_executed_in_batch_shows_the_picture_on_a_page():
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    code = "import simlib\nfrom simlib import examples\n"
    code += "simlib.widgets.stepper(examples.figure1(), simlib.EASY())"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, kernel_name="python3").execute()
    assert set(notebook.cells[0].outputs[0].data) == {"text/plain", "image/png"}
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert re.search('<img [^>]*src="data:image/png;base64,', page)
