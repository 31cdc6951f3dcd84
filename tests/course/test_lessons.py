"""The notebooks of the course: lessons that run as they are, and solutions that pass the checks."""

import io
import re
import sys
from contextlib import redirect_stdout

import matplotlib.pyplot as plt
import nbformat
import pytest
from helpers import ROOT

from simlib_course import lessons
from simlib_course.grading import handout
from tools.solutions import solved

FOLDER = ROOT / "notebooks/teaching"
LESSONS = [pytest.param(path.name, id=path.stem) for path in sorted(FOLDER.glob("lesson*.ipynb"))]


def cells(path):
    return nbformat.read(path, as_version=4).cells


def tagged(cell, tag):
    return tag in cell.metadata.get("tags", [])


def lesson(name):
    """The number of a lesson, by the name of its notebook, such as lesson4a-heel-and-toe.ipynb."""
    return int(re.match(r"lesson(\d)", name)[1])


def exercises(name):
    """The numbers of the exercises in a notebook, in their order."""
    return handout.exercises(handout.read(FOLDER / name))


def said(cells):
    """What the checks say when cells are executed one after the other."""
    printed, names = [], {"__name__": "__main__"}
    with plt.rc_context():
        for cell in cells:
            if cell.cell_type == "code":
                output = io.StringIO()
                with redirect_stdout(output):
                    exec(compile(cell.source, cell.id, "exec"), names)
                if "lessons.check(" in cell.source:
                    printed.append(output.getvalue().strip())
        plt.close("all")
    return printed


def assert_it_passes_every_check(name):
    printed = said(solved(FOLDER / name).cells)
    assert [text for text in printed if not text.startswith("Right: ")] == []
    assert len(printed) == len(exercises(name))


@pytest.fixture
def forgetful():
    """Checks forget what they know of logs, before and after."""

    def forget():
        for name, module in list(sys.modules.items()):
            if name.startswith("simlib_course.lessons"):
                for function in vars(module).values():
                    getattr(function, "cache_clear", lambda: None)()

    forget()
    yield
    forget()


@pytest.fixture
def no_logs(forgetful, no_logs):
    """No log is here, and none is known of: twins stand in."""


# Notebooks


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_as_it_is_and_every_check_waits(name, no_logs):
    assert said(cells(FOLDER / name)) == [f"{number} is waiting for your answer." for number in exercises(name)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize(
    "name", [*LESSONS[:-1], pytest.param(*LESSONS[-1].values, marks=pytest.mark.thorough, id=LESSONS[-1].id)]
)
def test_a_solution_passes_every_check_without_logs(name, no_logs):
    assert_it_passes_every_check(name)


@pytest.mark.thorough
@pytest.mark.parametrize("name", LESSONS)
def test_a_solution_passes_every_check_on_the_real_log(name, log, forgetful):
    log("KTH-SP2")
    assert_it_passes_every_check(name)


@pytest.mark.parametrize("number", [number for number in lessons.LESSONS if number != "A"])
def test_each_exercise_is_in_one_notebook_of_its_lesson(number):
    found = [exercises(param.values[0]) for param in LESSONS if str(lesson(param.values[0])) == number]
    assert [number for numbers in found for number in numbers] == lessons.exercises(number)


@pytest.mark.parametrize("name", LESSONS)
def test_an_answer_and_its_check_stand_in_one_cell_below_the_task(name):
    lesson = cells(FOLDER / name)
    places = [place for place, cell in enumerate(lesson) if tagged(cell, "exercise")]
    numbers = []
    for place in places:
        task = re.findall(r"\*\*Exercise (\d\.\d)\*\* \(\d min\): ", lesson[place - 1].source)
        assert task == handout.checked(lesson[place].source)
        numbers += task
    assert numbers == exercises(name)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_aims_and_key_points(name):
    lesson = cells(FOLDER / name)
    first = lesson[0].source
    assert "**Aims.**" in first and "K4.1-B" in first
    assert tagged(lesson[1], "parameters")
    assert "## Key points" in lesson[-1].source and "**In the papers**" in lesson[-1].source


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_says_what_it_is_on_a_cluster(name):
    boxes = [
        cell.source for cell in cells(FOLDER / name) if cell.source.startswith("> **What this is on your cluster.")
    ]
    assert len(boxes) == 1 and "Slurm" in boxes[0]
