"""Lessons 4 to 6: what their examples show, and what their checks say of wrong answers and of policies handed in."""

import functools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import EASY, FCFS, Conservative, Workload, examples_own, lessons, simulate
from simlib.estimates import Scaled, Uniform
from simlib.lessons import lesson4, lesson5, lesson6
from simlib.models import twin
from simlib.stats import batch_means, shake


@functools.cache
def month():
    return twin.workload("KTH-SP2").months("1997-01")


@pytest.fixture(scope="module", autouse=True)
def the_twins_month():
    """The same month on every machine, whether the log is there or not."""
    lesson6.easy_runs.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for lesson in (lesson4, lesson5, lesson6):
            patch.setattr(lesson, "january", month)
        yield
    lesson6.easy_runs.cache_clear()


# Lesson 4: heel and toe


def test_with_exact_estimates_the_wide_job_starts_in_time_and_one_short_job_is_backfilled():
    jobs = simulate(lesson4.heel_and_toe(), EASY()).jobs
    assert jobs.start["wide"] == jobs.end["B"]
    assert list(jobs.index[jobs.backfilled]) == ["s2"]


def test_with_doubled_estimates_each_short_job_steps_in_when_another_ends_and_the_machine_is_never_free():
    jobs = simulate(lesson4.heel_and_toe(2), EASY()).jobs
    short = ["s1", "s2", "s3", "s4"]
    assert jobs.start[short].tolist() == jobs.end[["A", "B", "s1", "s2"]].tolist()
    in_use = simulate(lesson4.heel_and_toe(2), EASY()).utilisation()
    assert in_use.loc[: jobs.start["wide"]].min() == 0.5


def test_the_longer_the_estimates_the_later_the_wide_job_starts_and_never_after_its_first_shadow_time():
    schedules = [simulate(lesson4.heel_and_toe(factor), EASY()) for factor in (1, 1.2, 1.5, 2, 3)]
    starts = pd.Series([schedule.jobs.start["wide"] for schedule in schedules])
    assert starts.is_monotonic_increasing and starts.iloc[-1] > starts.iloc[0]
    assert all(schedule.jobs.start["wide"] <= schedule.shadow["wide"] for schedule in schedules)
    assert schedules[-1].summary().mean_wait < schedules[0].summary().mean_wait


def estimate(seconds):
    """The workload of exercise 4.5 as the editor leaves it when the estimate of the job mine is changed."""
    jobs = lesson4.cautious().jobs
    jobs.loc["mine", "estimate"] = seconds
    return lesson4.cautious().derive(jobs, "edited")


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
    return {"bounded slowdown": factor * shorter(than, "bounded_slowdown"), "response time": response}


def differences(first, second, runs=10, metric="mean_bounded_slowdown", seed=0):
    return shake(month(), first, runs)[metric] - shake(month(), second, runs, seed=seed)[metric]


def batches(size, values=None):
    return batch_means(lesson5.responses() if values is None else values, batch=size, most=1000)


def arrival(wait, estimate, size):
    return wait


def shortest(wait, estimate, size):
    return -estimate


def last_first(wait, estimate, size):
    return -wait


def wide(wait, estimate, size):
    return size


def forgotten(wait, estimate, size):
    -size  # noqa: B018


class Policy:
    """EASY that was told other estimates, as students may write it."""

    def __init__(self, tell):
        self.tell = tell

    def schedule(self, submit, run, estimate, size, machine):
        return EASY(order="sjf").schedule(submit, run, np.maximum(self.tell(run, estimate), run), size, machine)


class Starts:
    """Whatever starts come out of a function of the submit times."""

    def __init__(self, of):
        self.of = of

    def schedule(self, submit, run, estimate, size, machine):
        return {"start": self.of(submit)}


def passes(beside_the_head, first=lambda job: -job.procs):
    """A pass that starts jobs from the head, and then those that fit as a function says of (job, machine, its two)."""

    def backfills(queue, machine):
        while queue and queue[0].procs <= machine.free:
            yield queue[0]
        if queue:
            shadow, extra = machine.shadow(queue[0])
            for job in sorted(queue, key=first):
                if job.procs <= machine.free and beside_the_head(job, machine, shadow, extra):
                    yield job

    return backfills


WRONG = [
    ("4.1", lambda: 100 * share_used(), "in per cent"),
    ("4.1", lambda: 1 - share_used(), "half of their estimate or more"),
    ("4.1", lambda: share_used() * len(month()), "how many jobs"),
    ("4.1", lambda: 0.1, "take its mean"),
    ("4.1", lambda: "half", "expected a number"),
    ("4.2", lambda: 380, '"shadow time": ...'),
    ("4.2", lambda: {"shadow time": 400, "s2 may run until": 360}, "before job B ended"),
    ("4.2", lambda: {"shadow time": 310, "s2 may run until": 360}, "it goes by estimates"),
    ("4.2", lambda: {"shadow time": 340, "s2 may run until": 360}, "job s1, still running"),
    ("4.2", lambda: {"shadow time": 380, "s2 may run until": 280}, "nobody knows"),
    ("4.2", lambda: {"shadow time": 380, "s2 may run until": 400}, "add its estimate"),
    ("4.3", lambda: ["wide", "s1"], "job s1 starts at 400 with exact"),
    ("4.3", lambda: ["wide"], "2 jobs start later, and you named 1"),
    ("4.3", lambda: ["wide", "B2"], "no job 'B2'"),
    ("4.4", month, "as they were"),
    ("4.4", lambda: month().with_estimates(lambda jobs: 2 * jobs.run), "run times doubled"),
    ("4.4", lambda: month().with_estimates(Uniform(2)), "Uniform(f) draws lots"),
    ("4.4", lambda: month().select("procs > 1").with_estimates(Scaled(2)), "other jobs"),
    ("4.4", lambda: 2 * month().jobs.estimate, "expected a workload"),
    ("4.5", lambda: estimate(69), "killed after 69 of its 70 s"),
    ("4.5", lambda: estimate(101), "still starts at 400"),
    ("4.5", lambda: estimate(90).select("procs == 2"), "nothing but the estimate"),
    ("5.1", lambda: {"slowdown": 19, "bounded slowdown": 10}, "you divide the wait"),
    ("5.1", lambda: {"slowdown": 18, "bounded slowdown": 10}, "wait and all"),
    ("5.1", lambda: {"slowdown": 20, "bounded slowdown": 20}, "counts as 10 s"),
    ("5.1", lambda: {"slowdown": 20, "bounded slowdown": 9.5}, "take the place of which number"),
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
    ("5.5", lambda: -9.0, "one difference a run"),
    ("5.5", lambda: differences(Conservative(), EASY(), runs=5), "at least 10 runs"),
    ("5.5", lambda: differences(EASY(), Conservative()), "the other way round"),
    ("5.5", lambda: differences(Conservative(), EASY(), metric="mean_response"), "differences of times"),
    ("5.5", lambda: differences(Conservative(), EASY(), seed=7), "the same seed"),
    ("6.1", lambda: wide, "use a minus sign"),
    ("6.1", lambda: arrival, "with the narrow jobs first at"),
    ("6.1", lambda: forgotten, "end with return"),
    ("6.2", lambda: {"job": "C", "wait": 285}, "another one waits longer"),
    ("6.2", lambda: {"job": "B", "wait": 55}, "in order of arrival"),
    ("6.2", lambda: {"job": "B", "wait": 290}, "start minus its submit"),
    ("6.2", lambda: {"job": "K", "wait": 285}, "no job 'K'"),
    ("6.3", lambda: arrival, "EASY again"),
    ("6.3", lambda: wide, "it is worse"),
    ("6.3", lambda: EASY(order="sjf"), "comes with simlib"),
    ("6.3", Conservative, "may be luck"),
    ("6.3", lambda: "sjf", "expected a function"),
    ("6.3", lambda: Policy, "give an object of it: Policy()"),
    ("6.3", lambda: Policy(lambda run, estimate: run), "what no scheduler can"),
    ("6.3", lambda: Starts(lambda submit: submit - 1), "before it is submitted"),
    ("6.3", lambda: Starts(lambda submit: submit), "more processors than the machine has"),
    ("6.3", lambda: lambda wait, estimate, size: 1 / (wait - wait), "ZeroDivisionError"),
    ("6.4", lambda: shortest, "let `wait` count"),
    ("6.4", lambda: last_first, "let `wait` count"),
    ("6.4", lambda: arrival, "EASY again"),
    ("6.5", lambda: passes(lambda *those: False), "that is FCFS"),
    ("6.5", lambda: examples_own.easy, "that is EASY"),
    ("6.5", lambda: passes(lambda *those: True), "it may delay the head"),
    ("6.5", lambda: passes(lambda job, machine, shadow, extra: job.procs <= extra), "may delay the head"),
    ("6.5", lambda: passes(lambda job, machine, shadow, extra: machine.now + job.estimate <= shadow), "start sooner"),
    ("6.5", lambda: lambda queue, machine: list(queue), "expected one that fits"),
    ("6.5", lambda: lambda queue, machine: [], "starves"),
    ("6.5", lambda: lambda queue: [], "cannot be called with a queue and a machine"),
    ("6.5", lambda: passes(lambda job, *those: job.run < 60), "no scheduler knows"),
    ("6.5", lambda: "best fit", "expected a function"),
]


@pytest.mark.slow
@pytest.mark.parametrize("number, make, hint", WRONG, ids=[f"{number}, {hint}" for number, _, hint in WRONG])
def test_a_wrong_answer_is_told_what_is_wrong_with_it(number, make, hint):
    status, sentence = lessons.verdict(number, make())
    assert status == "not yet"
    assert hint in sentence


# Policies handed in


@pytest.mark.parametrize("number", ["6.1", "6.3", "6.4"])
def test_a_function_that_still_returns_dots_is_waited_for(number):
    assert lessons.verdict(number, lambda wait, estimate, size: ...).status == "waiting"


def test_a_whole_policy_is_judged_as_an_order_is():
    verdict = lessons.verdict("6.3", Policy(lambda run, estimate: 2 * estimate))
    assert verdict.status == "right" and "20 of 20 shaken runs" in verdict.sentence


def test_an_order_that_lets_the_wait_count_beats_easy_without_starving_anybody():
    assert lessons.verdict("6.4", lambda wait, estimate, size: (wait / estimate) ** 3 * size).status == "right"


JOBS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 30), st.integers(0, 60), st.integers(1, 4)), min_size=1, max_size=12
)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [FCFS(), EASY(), EASY(order="sjf"), Conservative(), Conservative("start")], ids=repr)
@settings(max_examples=25)
@given(rows=JOBS)
def test_no_scheduler_of_simlib_is_taken_to_foresee(policy, rows):
    jobs = pd.DataFrame(rows, columns=["submit", "run", "estimate", "procs"])
    assert not lesson6.foresees(simulate(Workload(jobs, 4), policy))


def test_a_policy_that_knows_who_will_come_is_found_out():
    jobs = pd.DataFrame({"submit": [0, 5, 20, 40, 90], "run": 10, "procs": 1})
    waits_for_the_last_one = Starts(lambda submit: submit + (submit[-1] > 50))
    assert lesson6.foresees(simulate(Workload(jobs, 5), waits_for_the_last_one))
