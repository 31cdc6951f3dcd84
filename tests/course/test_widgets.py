"""The stepper has a script where one runs, and a picture with text where none does."""

import base64
import io

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

import simlib
from simlib import EASY, plots
from simlib.models import examples
from simlib_course import widgets

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_figure_stays_open")]


def test_a_stepper_is_the_same_html_as_on_a_page_with_a_picture_and_text_for_where_no_script_runs():
    stepper = widgets.stepper(examples.figure1(), EASY())
    bundle = stepper._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/html"] == stepper.html() and set(bundle) == {"text/plain", "image/png", "text/html"}
    assert "Job third starts now, ahead of job first at the head" in bundle["text/plain"]
    assert imread(io.BytesIO(base64.b64decode(bundle["image/png"]))).shape[1] == 11 * 120


def test_made_up_workloads_say_so_in_the_picture():
    jobs = simlib.load("sample")
    figure = Figure()
    widgets.stepper(jobs.derive(jobs.jobs[:5], "few"), EASY()).draw(figure)
    assert plots.SYNTHETIC in [found.get_text() for ax in figure.axes for found in ax.texts]


@pytest.mark.parametrize(
    "jobs, found", [(0, "stepper: found no job, expected at least one"), (501, "found 501 jobs, expected at most 500")]
)
def test_what_a_stepper_cannot_show_is_refused_with_what_it_can(jobs, found, workload):
    with pytest.raises(ValueError, match=found):
        widgets.stepper(workload([(k, 1, 1, 1) for k in range(jobs)], 1), EASY())
