"""The course: lessons that run as they are, solutions that pass the checks, and checks that say what is wrong."""

import io
import re
import sys
from contextlib import redirect_stdout

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from helpers import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

import simlib
from simlib import EASY
from simlib.course import answers, lessons
from simlib.course.lessons import lesson1, lesson2
from simlib.models import examples

FOLDER = ROOT / "notebooks/teaching"
LESSONS = [pytest.param(path.name, id=path.stem) for path in sorted(FOLDER.glob("lesson*.ipynb"))]


def cells(path):
    return nbformat.read(path, as_version=4).cells


def tagged(cell, tag):
    return tag in cell.metadata.get("tags", [])


CHECK = re.compile(r'lessons\.check\(\s*"(\d\.\d)"')


def lesson(name):
    """The number of a lesson, by the name of its notebook, such as lesson4a-heel-and-toe.ipynb."""
    return int(re.match(r"lesson(\d)", name)[1])


def exercises(name):
    """The numbers of the exercises in a notebook, in their order."""
    found = [CHECK.findall(cell.source) for cell in cells(FOLDER / name) if cell.cell_type == "code"]
    return list(dict.fromkeys(number for numbers in found for number in numbers))


EXERCISES = [number for number in lessons.LESSONS for number in lessons.exercises(number)]


def said(path):
    """What the checks say when a notebook's cells are executed one after the other."""
    printed, names = [], {"__name__": "__main__"}
    with plt.rc_context():
        for cell in cells(path):
            if cell.cell_type == "code":
                output = io.StringIO()
                with redirect_stdout(output):
                    exec(compile(cell.source, f"{path.name}:{cell.id}", "exec"), names)
                if "lessons.check(" in cell.source:
                    printed.append(output.getvalue().strip())
        plt.close("all")
    return printed


@pytest.fixture
def forgetful():
    """Checks forget what they know of logs, before and after."""

    def forget():
        for name, module in list(sys.modules.items()):
            if name.startswith("simlib.course.lessons"):
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
    assert said(FOLDER / name) == [f"{number} is waiting for your answer." for number in exercises(name)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize("name", LESSONS)
def test_a_solution_passes_every_check_without_logs(name, no_logs):
    printed = said(FOLDER / "solutions" / name)
    assert [text for text in printed if not text.startswith("Right: ")] == []
    assert len(printed) == len(exercises(name))


@pytest.mark.thorough
@pytest.mark.parametrize("name", LESSONS)
def test_a_solution_passes_every_check_on_the_real_log(name, log, forgetful):
    log("KTH-SP2")
    printed = said(FOLDER / "solutions" / name)
    assert [text for text in printed if not text.startswith("Right: ")] == []
    assert len(printed) == len(exercises(name))


@pytest.mark.parametrize("name", LESSONS)
def test_a_solution_equals_its_lesson_in_all_but_the_exercises(name):
    lesson, solution = cells(FOLDER / name), cells(FOLDER / "solutions" / name)
    for asked, solved in zip(lesson, solution, strict=True):
        assert (asked.id, asked.cell_type, asked.metadata) == (solved.id, solved.cell_type, solved.metadata)
        same = asked.source == solved.source.replace("](../../", "](../")  # links from one folder further down
        assert same != tagged(asked, "exercise")


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
        assert task == CHECK.findall(lesson[place].source)
        numbers += task
    assert numbers == exercises(name)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_aims_at_most_thirty_minutes_of_plan_and_key_points(name):
    lesson = cells(FOLDER / name)
    first = lesson[0].source
    plan = [tuple(map(int, found)) for found in re.findall(r"(?m)^\| (\d+)-(\d+) \|", first)]
    assert "**Aims.**" in first and "K4.1-B" in first
    assert [start for start, _ in plan] == [0, *(end for _, end in plan[:-1])] and plan[-1][1] <= 30
    assert tagged(lesson[1], "parameters")
    assert "## Key points" in lesson[-1].source and "**In the papers**" in lesson[-1].source


@pytest.mark.parametrize("name", [param for param in LESSONS if lesson(param.values[0]) <= 3])
def test_a_lesson_says_what_it_is_on_a_cluster(name):
    boxes = [
        cell.source for cell in cells(FOLDER / name) if cell.source.startswith("> **What this is on your cluster.")
    ]
    assert len(boxes) == 1 and "Slurm" in boxes[0]


# Checks


def changed(workload, job, **values):
    """The workload with other values of one job, as a student leaves it in the editor."""
    jobs = workload.jobs
    jobs.loc[job, list(values)] = list(values.values())
    return workload.derive(jobs, "changed")


def without(workload, job):
    return workload.derive(workload.jobs.drop(index=job), "one less")


FIGURE3 = examples.figure3()

WRONG = [
    # a type that cannot be an answer
    ("1.1", 40, "expected start=..., free=..."),
    ("1.1", {"start": "40", "free": 4}, "without quotes"),
    ("1.2", True, "expected a number"),
    ("1.3", "PQRST", "expected a list"),
    ("1.4", "the editor", "expected a workload"),
    ("2.2", {"C": "No", "D": 1, "E": "extra", "F": "no"}, "expected one of 'shadow', 'extra', 'no'"),
    ("2.3", EASY(), "expected a workload"),
    ("2.4", True, "expected a function"),
    ("3.4", lambda jobs: jobs.shadow, "AttributeError"),
    # lesson 1
    ("1.1", {"start": 10, "free": 4}, "when job C arrives"),
    ("1.1", {"start": 60, "free": 4}, "does not start at 60"),
    ("1.1", {"start": 40, "free": 10}, "one job holds some"),
    ("1.1", {"start": 40, "free": 6}, "Job A is running"),
    ("1.2", 54.0, "in per cent"),
    ("1.2", 5.385, "on average"),
    ("1.2", 3, "between 0 and 1"),
    ("1.2", 0.7, "Above the line"),
    ("1.3", ["P", "Q", "R", "S", "T"], "20 s sooner"),
    ("1.3", ["P", "R", "Q", "S"], "missing: T"),
    ("1.3", ["P", "R", "Q", "S", "T", "T"], "some are there twice"),
    ("1.3", ["P", "R", "Q", "S", "U"], "no job 'U'"),
    ("1.4", changed(lesson1.packed(), "C", run=200), "no processor is idle while a job waits"),
    ("1.4", changed(lesson1.packed(), "B", procs=8), "at most 6 processors"),
    ("1.4", changed(changed(lesson1.packed(), "A", procs=1), "B", procs=10), "for 30 s only"),
    ("1.5", 76, "a share of the machine"),
    ("1.5", 0, "above 0"),
    ("1.5", 0.6, "further down"),
    ("1.5", 0.1, "a larger load"),
    # lesson 2
    ("2.1", {"shadow": 60, "extra": 5}, "even before"),
    ("2.1", {"shadow": 2, "extra": 2}, "order of their ends"),
    ("2.1", {"shadow": 30, "extra": 3}, "free now"),
    ("2.1", {"shadow": 30, "extra": 7}, "takes some of them"),
    ("2.1", {"shadow": 30, "extra": 4}, "less those of job H"),
    ("2.2", {"C": "extra", "D": "shadow", "E": "extra", "F": "no"}, "job C once more"),
    ("2.2", {"C": "no", "D": "extra", "E": "extra", "F": "no"}, "looked at first"),
    ("2.2", {"C": "no", "D": "shadow", "E": "shadow", "F": "no"}, "by when will it have ended"),
    ("2.2", {"C": "no", "D": "shadow", "E": "no", "F": "no"}, "job E once more"),
    ("2.2", {"C": "no", "D": "shadow", "E": "extra", "F": "extra"}, "free by now at all"),
    ("2.3", changed(FIGURE3, "first", run=500), 'the job "backfill" only'),
    ("2.3", without(FIGURE3, "backfill"), "keep it"),
    ("2.3", changed(FIGURE3, "backfill", run=250), "estimates are exact"),
    ("2.3", changed(FIGURE3, "backfill", run=250, estimate=250, procs=2), "passes nobody"),
    ("2.3", changed(FIGURE3, "backfill", submit=0, run=250, estimate=250), "passes nobody"),
    ("2.3", changed(FIGURE3, "backfill", submit=0, run=250, estimate=250, procs=2), "the first job starts at 250"),
    ("2.3", changed(FIGURE3, "backfill", run=100, estimate=100), "starts at 103"),
    ("2.3", {"A": [0, 10, 2, 10], "first": [1, "ten", 3, 10]}, "Job first, run [s]: found 'ten'"),
    ("2.3", {"A": [0, 10, 2]}, "expected submit, run, procs, estimate"),
    ("2.4", lambda now, procs, estimate, free, shadow, extra: procs <= free, "under EASY this job may not start"),
    ("2.4", lambda now, procs, estimate, free, shadow, extra: procs <= extra, "your rule says that it may not"),
    ("2.4", lambda now, procs, estimate, free, shadow, extra: now + estimate < shadow, "your rule says"),
    ("2.4", lambda now, procs: True, "TypeError"),
    ("2.4", lambda *case: None, "returns nothing for now=5, procs=1, estimate=10, free=2, shadow=25, extra=1"),
    ("2.4", lambda *case: print("yes"), "does it print where it should return?".capitalize()),
    ("2.4", lambda *case: 1, "returns 1 for now=5, procs=1"),
    ("2.4", lambda *case: "True", "returns 'True' for now=5"),
    (
        "2.4",
        lambda now, procs, estimate, free, shadow, extra: True if procs <= free else None,
        "nothing for now=5, procs=1, estimate=10, free=0",
    ),
    # lesson 3
    ("3.1", {"second": 30, "third": 6}, "it would run until 80"),
    ("3.1", {"second": 110, "third": 6}, "without a break"),
    ("3.1", {"second": 100, "third": 100}, "may pass others"),
    ("3.1", {"second": 100, "third": 30}, "until when is one free"),
    ("3.2", changed(FIGURE3, "second", run=5), 'the job "backfill" only'),
    ("3.2", changed(FIGURE3, "backfill", procs=2), "with size 1"),
    ("3.2", changed(FIGURE3, "backfill", run=17), "change both to the same number"),
    ("3.2", changed(FIGURE3, "backfill", run=17, estimate=5), "change both to the same number"),
    ("3.2", without(FIGURE3, "backfill"), "keep it"),
    ("3.2", changed(FIGURE3, "backfill", run=18, estimate=18), "waits until 30"),
    ("3.2", changed(FIGURE3, "backfill", run=16, estimate=16), "a few seconds more"),
    ("3.3", {"first": 100, "second": 20}, "was reserved"),
    ("3.3", {"first": 40, "second": 90}, "from 40 to 90 s"),
    ("3.3", {"first": 70, "second": 20}, "The order is that of arrival"),
    ("3.3", {"first": 20, "second": 20}, "cannot be put back at 20"),
    ("3.3", {"first": 90, "second": 40}, "an earlier time for it"),
    ("3.3", {"first": 90, "second": 30}, "The second needs 2 processors"),
    ("3.4", lambda jobs: jobs.start > jobs.guarantee, "one value a job"),
    ("3.4", lambda jobs: (jobs.start != jobs.guarantee).sum(), "with those that started before"),
    ("3.4", lambda jobs: (jobs.start >= jobs.guarantee).sum(), "with those that started just as guaranteed"),
    ("3.4", lambda jobs: 0, "1 of the jobs of Figure 2 under 'rebackfill' started after its guarantee"),
    ("3.4", lambda jobs: int((jobs.start > jobs.guarantee).any()), "2 of 40 other jobs started after their guarantees"),
    ("3.4", lambda jobs: None, "returns nothing for the jobs of Figure 2"),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize("number, answer, hint", WRONG, ids=[f"{number}, {hint}" for number, _, hint in WRONG])
def test_a_wrong_answer_is_told_what_is_wrong_with_it(number, answer, hint):
    status, sentence = lessons.verdict(number, answer)
    assert status == "not yet"
    assert hint in sentence


@pytest.mark.parametrize("answer", [..., [1, ...], {"start": ..., "free": 4}], ids=repr)
def test_an_open_answer_is_waited_for(answer, capsys):
    for number in EXERCISES:
        lessons.check(number, answer)
    assert capsys.readouterr().out.splitlines() == [f"{number} is waiting for your answer." for number in EXERCISES]


OTHERS = st.sampled_from([int, pd.DataFrame(), np.eye(2), FIGURE3, EASY()])
JUNK = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | OTHERS,
    lambda some: st.lists(some) | st.dictionaries(st.sampled_from(["start", "free", "shadow", "first", "C"]), some),
    max_leaves=5,
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", EXERCISES)
@settings(max_examples=20)
@given(answer=JUNK)
def test_no_answer_makes_a_check_raise(number, answer):
    assert lessons.verdict(number, answer).sentence


def test_means_say_their_units():
    schedule = simlib.simulate(lesson2.queue(), EASY())
    means = lessons.means({"EASY": schedule})
    assert means.loc["EASY"].to_dict() == {
        "mean wait [s]": round(schedule.jobs.wait.mean()),
        "mean response [s]": round(schedule.jobs.response.mean()),
        "mean bounded slowdown": round(schedule.jobs.bounded_slowdown.mean(), 1),
        "backfilled [%]": round(100 * schedule.jobs.backfilled.mean(), 1),
    }


def test_a_function_of_a_student_that_fails_is_not_yet_right():
    def fails(jobs):
        return 1 / 0

    assert "ZeroDivisionError: division by zero" in str(lessons.verdict("3.4", fails))


def test_nothing_is_no_answer_and_is_not_waited_for():
    assert "found None" in str(lessons.verdict("1.3", ["Q", "P"].sort()))


def test_a_number_that_is_none_is_refused():
    assert lessons.verdict("1.2", float("nan")).status == "not yet"


def test_a_right_answer_may_be_of_any_number_type():
    assert lessons.verdict("1.1", {"start": np.int64(40), "free": 4.0}).status == "right"


def test_a_workload_is_found_in_whatever_belongs_to_it():
    schedule = simlib.simulate(lesson2.queue(), EASY())
    assert answers.workload(schedule) is answers.workload(schedule.workload) is schedule.workload


@pytest.mark.parametrize(
    "number, expected", [("9.1", "1, 2, 3, 4, 5, 6, A"), ("1.9", "1.1, 1.2, 1.3, 1.4, 1.5"), (2, "2.1, 2.2")]
)
def test_an_exercise_that_does_not_exist_is_an_error_that_says_which_do(number, expected):
    with pytest.raises(ValueError, match=re.escape(expected)):
        lessons.check(number, 1)
