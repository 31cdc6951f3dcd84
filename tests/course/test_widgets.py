"""The lab's controls have a script where one runs, and a picture with text where none does."""

import base64
import io
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

import simlib
from simlib import EASY, plots
from simlib.models import examples
from simlib_course import widgets

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_figure_stays_open")]

VIEW = "application/vnd.jupyter.widget-view+json"
EVERYWHERE = {"text/plain", "image/png"}

CONTROLS = [
    pytest.param(widgets.stepper, "text/html", "Job third starts now, ahead of job first at the head", id="stepper"),
    pytest.param(widgets.editor, VIEW, "second           4       50", id="editor"),
]
"""What makes a control, what it has besides a picture and text, and what its text says of Figure 1."""


@pytest.fixture
def ask(monkeypatch):
    """A function that shows a control in a cell which somebody executes, or a program in a batch run."""

    def shown(control, somebody):
        kernel = SimpleNamespace(get_parent=lambda channel: {"content": {"allow_stdin": somebody}})
        monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=kernel))
        return control._repr_mimebundle_(include=None, exclude=None)

    return shown


@pytest.mark.parametrize("make, more, told", CONTROLS)
def test_every_control_has_a_picture_and_text_beside_what_one_can_press(make, more, told, ask):
    bundle = ask(make(examples.figure1(), EASY()), somebody=True)
    assert set(bundle) == EVERYWHERE | {more}
    assert told in bundle["text/plain"]
    assert imread(io.BytesIO(base64.b64decode(bundle["image/png"]))).shape[1] == 11 * 120


def test_a_stepper_needs_neither_a_kernel_nor_anywidget(ask, monkeypatch):
    monkeypatch.setattr(widgets.editing, "widget_class", lambda: None)
    stepper = widgets.stepper(examples.figure1(), EASY())
    for somebody in (True, False):
        assert ask(stepper, somebody)["text/html"] == stepper.html()


def test_an_editor_is_a_picture_with_text_in_a_batch_run_and_without_anywidget(ask, monkeypatch):
    assert set(ask(widgets.editor(examples.figure1(), EASY()), somebody=False)) == EVERYWHERE
    monkeypatch.setattr(widgets.editing, "widget_class", lambda: None)
    assert set(ask(widgets.editor(examples.figure1(), EASY()), somebody=True)) == EVERYWHERE


@pytest.mark.parametrize("make, more, told", CONTROLS)
def test_made_up_workloads_say_so_in_every_control(make, more, told):
    jobs = simlib.load("sample")
    figure = Figure()
    make(jobs.derive(jobs.jobs[:5], "few"), EASY()).draw(figure)
    assert plots.SYNTHETIC in [found.get_text() for ax in figure.axes for found in ax.texts]


@pytest.mark.parametrize(
    "make, jobs, found",
    [
        (widgets.stepper, 0, "stepper: found no job, expected at least one"),
        (widgets.stepper, 501, "found 501 jobs, expected at most 500"),
        (widgets.editor, 0, "editor: found 0 jobs, expected 1 to 30"),
        (widgets.editor, 501, "editor: found 501 jobs, expected 1 to 30"),
    ],
)
def test_what_a_control_cannot_show_is_refused_with_what_it_can(make, jobs, found, workload):
    with pytest.raises(ValueError, match=found):
        make(workload([(k, 1, 1, 1) for k in range(jobs)], 1), EASY())
