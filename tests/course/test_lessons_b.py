"""Lessons 4 and 5: what their examples show, and what their checks say of wrong answers."""

import functools

import nbformat
import numpy as np
import pandas as pd
import pytest
from helpers import ROOT

from simlib import EASY, Conservative, Workload, simulate
from simlib.analysis.stats import batch_means, shake
from simlib.core.estimates import Scaled, Uniform
from simlib.course import lessons
from simlib.course.lessons import lesson4, lesson5
from simlib.models import twin

FOLDER = ROOT / "notebooks/teaching"


@functools.cache
def month():
    return twin.workload("KTH-SP2").months("1997-01")


@pytest.fixture(scope="module", autouse=True)
def the_twins_month():
    """The same month on every machine, whether the log is there or not."""
    with pytest.MonkeyPatch.context() as patch:
        for lesson in (lesson4, lesson5):
            patch.setattr(lesson, "january", month)
        yield


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("lesson[456]*.ipynb")))
def test_a_lesson_says_what_it_is_on_a_cluster(name):
    cells = nbformat.read(FOLDER / name, as_version=4).cells
    boxes = [cell.source for cell in cells if cell.source.startswith("> **What this is on your cluster.**")]
    assert len(boxes) == 1 and "Slurm" in boxes[0]


# Lesson 4: heel and toe


def test_with_exact_estimates_the_wide_job_starts_in_time_and_one_short_job_is_backfilled():
    jobs = simulate(lesson4.heel_and_toe(), EASY()).jobs
    assert jobs.start["wide"] == jobs.end["B"]
    assert list(jobs.index[jobs.backfilled]) == ["s2"]


def test_with_doubled_estimates_each_short_job_steps_in_when_another_ends_and_the_machine_is_never_free():
    jobs = simulate(lesson4.heel_and_toe(2), EASY()).jobs
    short = ["s1", "s2", "s3", "s4"]
    assert jobs.start[short].tolist() == jobs.end[["A", "B", "s1", "s2"]].tolist()
    in_use = simulate(lesson4.heel_and_toe(2), EASY()).utilization()
    assert in_use.loc[: jobs.start["wide"]].min() == 0.5


def test_the_longer_the_estimates_the_later_the_wide_job_starts_and_never_after_its_first_shadow_time():
    schedules = [simulate(lesson4.heel_and_toe(factor), EASY()) for factor in (1, 1.2, 1.5, 2, 3)]
    starts = pd.Series([schedule.jobs.start["wide"] for schedule in schedules])
    assert starts.is_monotonic_increasing and starts.iloc[-1] > starts.iloc[0]
    assert all(schedule.jobs.start["wide"] <= schedule.shadow["wide"] for schedule in schedules)
    assert schedules[-1].summary().mean_wait < schedules[0].summary().mean_wait


def estimate(seconds, job="mine", **others):
    """The workload of exercise 4.5 as the editor leaves it when the estimate of a job is changed, and perhaps more."""
    jobs = lesson4.cautious().jobs
    jobs.loc[job, ["estimate", *others]] = [seconds, *others.values()]
    return lesson4.cautious().derive(jobs, "edited")


def other_machine(workload):
    """The same jobs on twice the processors."""
    return Workload(workload.jobs, 2 * workload.procs, name=workload.name)


@pytest.mark.parametrize("seconds", [70, 85, 100])
def test_every_estimate_between_the_run_time_and_the_hole_is_right(seconds):
    assert lessons.verdict("4.5", estimate(seconds)).status == "right"


# Wrong answers


def share_used(of=lambda used: used < 0.5):
    return of(month().jobs.run / month().jobs.estimate).mean()


def shorter(than, column):
    """The share of a metric's sum that comes from the jobs shorter than so many seconds."""
    jobs = simulate(month(), EASY()).jobs
    return jobs[column][jobs.run < than].sum() / jobs[column].sum()


def shares(than=60, factor=1, response=0.5):
    return {"bounded": factor * shorter(than, "bounded_slowdown"), "response": response}


def differences(first, second, runs=10, metric="mean_bounded_slowdown", seed=0):
    return shake(month(), first, runs)[metric] - shake(month(), second, runs, seed=seed)[metric]


def batches(size, values=None):
    return batch_means(lesson5.responses() if values is None else values, batch=size, most=1000)


WRONG = [
    ("4.1", lambda: 100 * share_used(), "in per cent"),
    ("4.1", lambda: 1 - share_used(), "half of their estimate or more"),
    ("4.1", lambda: share_used() * len(month()), "how many jobs"),
    ("4.1", lambda: 0.1, "take its mean"),
    ("4.1", lambda: "half", "expected a number"),
    ("4.2", lambda: 380, "expected shadow=..., s2_until=..."),
    ("4.2", lambda: {"shadow": 400, "s2_until": 360}, "before job B ended"),
    ("4.2", lambda: {"shadow": 310, "s2_until": 360}, "it goes by estimates"),
    ("4.2", lambda: {"shadow": 340, "s2_until": 360}, "job s1, still running"),
    ("4.2", lambda: {"shadow": 380, "s2_until": 280}, "nobody knows"),
    ("4.2", lambda: {"shadow": 380, "s2_until": 400}, "add its estimate"),
    ("4.3", lambda: ["wide", "s1"], "job s1 starts at 400 with exact"),
    ("4.3", lambda: ["wide"], "2 jobs start later, and you named 1"),
    ("4.3", lambda: ["wide", "B2"], "no job 'B2'"),
    ("4.4", month, "as they were"),
    ("4.4", lambda: month().with_estimates(lambda jobs: 2 * jobs.run), "run times doubled"),
    ("4.4", lambda: month().with_estimates(Uniform(2)), "Uniform(f) draws lots"),
    ("4.4", lambda: month().select("procs > 1").with_estimates(Scaled(2)), "other jobs"),
    ("4.4", lambda: 2 * month().jobs.estimate, "expected a workload"),
    ("4.4", lambda: month().with_estimates(Scaled(3)), "not twice"),
    ("4.4", lambda: other_machine(month().with_estimates(Scaled(2))), "other jobs"),
    ("4.5", lambda: estimate(69), "killed after 69 of its 70 s"),
    ("4.5", lambda: estimate(101), "still starts at 400"),
    ("4.5", lambda: estimate(90).select("procs == 2"), "nothing but the estimate"),
    ("4.5", lambda: other_machine(estimate(90)), "nothing but the estimate"),
    ("4.5", lambda: estimate(90, run=60), "nothing but the estimate"),
    ("4.5", lambda: estimate(90, job="A"), "nothing but the estimate"),
    ("5.1", lambda: {"slowdown": 19, "bounded": 10}, "you divide the wait"),
    ("5.1", lambda: {"slowdown": 18, "bounded": 10}, "wait and all"),
    ("5.1", lambda: {"slowdown": 20, "bounded": 20}, "counts as 10 s"),
    ("5.1", lambda: {"slowdown": 20, "bounded": 9.5}, "take the place of which number"),
    ("5.2", lambda: shares(factor=100), "bounded slowdown: that is the right number in per cent"),
    ("5.2", lambda: shares(than=600), "bounded slowdown: it is not"),
    ("5.2", lambda: shares(), "response time: it is not 0.5"),
    ("5.3", lambda: 0.75, "as much as FCFS can ever use"),
    ("5.3", lambda: 0.9, "the queue grows for ever"),
    ("5.3", lambda: 0.5, "a larger load"),
    ("5.4", lambda: 5000, "what batch_means(response, batch=...) returns"),
    ("5.4", lambda: batches(1000), "still alike"),
    ("5.4", lambda: batches(20_000), "are few to judge by"),
    ("5.4", lambda: batches(5000, lesson5.responses() / 60), "is not that of `response`"),
    ("5.4", lambda: batches(1000, lesson5.responses().sample(frac=1, random_state=1)), "into another order"),
    ("5.4", lambda: batches(5000, lesson5.responses().sort_index()), "into another order"),
    ("5.5", lambda: -9.0, "one difference a run"),
    ("5.5", lambda: differences(Conservative(), EASY(), runs=5), "found 5 differences, expected one for each"),
    ("5.5", lambda: np.zeros(10_000), "found 10000 differences, expected one for each"),
    ("5.5", lambda: differences(EASY(), Conservative()), "the other way round"),
    ("5.5", lambda: differences(Conservative(), EASY(), metric="mean_response"), "differences of times"),
    ("5.5", lambda: differences(Conservative(), EASY(), seed=7), "the same seed"),
]


@pytest.mark.slow
@pytest.mark.parametrize("number, make, hint", WRONG, ids=[f"{number}, {hint}" for number, _, hint in WRONG])
def test_a_wrong_answer_is_told_what_is_wrong_with_it(number, make, hint):
    status, sentence = lessons.verdict(number, make())
    assert status == "not yet"
    assert hint in sentence
