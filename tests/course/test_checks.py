"""What the checks of lessons 1 to 6 say of answers: right, wrong, waited for, and of anything else."""

import functools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simlib
from simlib import EASY, FCFS, Conservative, OwnPolicy, Workload, replicate, simulate
from simlib.analysis.stats import batch_means
from simlib.core.estimates import Scaled, Uniform
from simlib.course import answers, lessons
from simlib.course.lessons import lesson1, lesson2, lesson4, lesson5, lesson6
from simlib.models import examples, twin
from simlib.policies import examples_own

EXERCISES = [number for number in lessons.LESSONS for number in lessons.exercises(number)]
FIGURE3 = examples.figure3()


@functools.cache
def month():
    return twin.workload("KTH-SP2").months("1997-01")


def forget():
    lesson6.easy_runs.cache_clear()
    lesson6.printed.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def the_twins_month():
    """In lessons 4 to 6 the same month on every machine, whether the log is there or not."""
    forget()
    with pytest.MonkeyPatch.context() as patch:
        for lesson in (lesson4, lesson5, lesson6):
            patch.setattr(lesson, "january", month)
        yield
    forget()


# Wrong answers to lessons 1 to 3


def changed(workload, job, **values):
    """The workload with other values of one job, as a student leaves it in the editor."""
    jobs = workload.jobs
    jobs.loc[job, list(values)] = list(values.values())
    return workload.derive(jobs, "changed")


def without(workload, job):
    return workload.derive(workload.jobs.drop(index=job), "one less")


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


# Wrong answers to lessons 4 and 5, made when they are asked for: the logs and models are slow


def estimate(seconds, job="mine", **others):
    """The workload of exercise 4.5 as the editor leaves it when the estimate of a job is changed, and perhaps more."""
    jobs = lesson4.cautious().jobs
    jobs.loc[job, ["estimate", *others]] = [seconds, *others.values()]
    return lesson4.cautious().derive(jobs, "edited")


def other_machine(workload):
    """The same jobs on twice the processors."""
    return Workload(workload.jobs, 2 * workload.procs, name=workload.name)


def share_used(of=lambda used: used < 0.5):
    return of(month().jobs.run / month().jobs.estimate).mean()


def shorter(than, column):
    """The share of a metric's sum that comes from the jobs shorter than so many seconds."""
    jobs = simulate(month(), EASY()).jobs
    return jobs[column][jobs.run < than].sum() / jobs[column].sum()


def shares(than=60, factor=1, response=0.5):
    return {"bounded": factor * shorter(than, "bounded_slowdown"), "response": response}


def differences(first, second, runs=10, metric="mean_bounded_slowdown", seed=0):
    one = replicate(month(), first, shakes=runs, as_it_is=False)
    return one[metric] - replicate(month(), second, shakes=runs, seed=seed, as_it_is=False)[metric]


def batches(size, values=None):
    return batch_means(lesson5.responses() if values is None else values, batch=size, most=1000)


LATER = [
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


# Wrong answers to lesson 6


def arrival(wait, estimate, procs):
    return wait


def shortest(wait, estimate, procs):
    return -estimate


def last_first(wait, estimate, procs):
    return -wait


def wide_first(wait, estimate, procs):
    return procs


def forgotten(wait, estimate, procs):
    -procs  # noqa: B018


def no_else(wait, estimate, procs):
    if procs < 4:
        return -procs
    if procs > 4:
        return -2 * procs


def prints(wait, estimate, procs):
    print(-procs)
    return -procs


def prints_in_another(wait, estimate, procs):
    return prints(wait, estimate, procs)


def wfp(wait, estimate, procs):
    return (wait / estimate) ** 3 * procs


class Policy:
    """EASY that was told other estimates, as students may write it."""

    def __init__(self, tell):
        self.tell = tell

    def schedule(self, submit, run, estimate, procs, machine):
        return EASY(order="sjf").schedule(submit, run, np.maximum(self.tell(run, estimate), run), procs, machine)


class Starts:
    """Whatever starts come out of a function of the submit times."""

    def __init__(self, of):
        self.of = of

    def schedule(self, submit, run, estimate, procs, machine):
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


LATER += [
    ("6.1", lambda: wide_first, "use a minus sign"),
    ("6.1", lambda: arrival, "The narrow job has to get the larger number"),
    ("6.1", lambda: lambda wait, estimate, procs: -procs * estimate, "whatever the wait and the estimate are"),
    ("6.1", lambda: lambda wait, estimate, procs: -min(procs, 4), "a job of 4 gets -4"),
    ("6.1", lambda: forgotten, "returns nothing"),
    ("6.1", lambda: no_else, "returns nothing for wait=60, estimate=3600, procs=4"),
    ("6.1", lambda: prints, "it prints; expected"),
    ("6.1", lambda: EASY(order="sjf"), "expected a function"),
    ("6.2", lambda: {"job": "C", "wait": 285}, "another one waits longer"),
    ("6.2", lambda: {"job": "B", "wait": 55}, "in order of arrival"),
    ("6.2", lambda: {"job": "B", "wait": 290}, "start minus its submit"),
    ("6.2", lambda: {"job": "K", "wait": 285}, "no job 'K'"),
    ("6.3", lambda: arrival, "EASY again"),
    ("6.3", lambda: wide_first, "it is worse"),
    ("6.3", lambda: EASY(order="sjf"), "comes with simlib"),
    ("6.3", Conservative, "comes with simlib"),
    ("6.3", lambda: OwnPolicy(examples_own.easy_sjbf), "comes with simlib"),
    ("6.3", lambda: lambda wait, estimate, procs: wait - 10 * procs, "that may be luck"),
    ("6.3", lambda: shortest, "with shortest first, and that order stands on the page"),
    ("6.3", lambda: lambda wait, estimate, procs: 1 / estimate, "with shortest first"),
    ("6.3", lambda: wfp, "with WFP, and that order stands on the page"),
    ("6.3", lambda: lambda wait, estimate, procs: 5 * wfp(wait, estimate, procs) + 1, "with WFP"),
    ("6.3", lambda: lambda wait, estimate, procs: 3 - procs, "with the narrow jobs first"),
    ("6.3", lambda: lambda wait, estimate, procs: 0.0, "EASY again"),
    ("6.3", lambda: forgotten, "returns nothing"),
    ("6.3", lambda: no_else, "returns nothing for wait=60, estimate=3600, procs=4"),
    ("6.3", lambda: prints, "it prints; expected"),
    ("6.3", lambda: prints_in_another, "of 'prints', which it calls"),
    ("6.3", lambda: "sjf", "expected a function"),
    ("6.3", lambda: Policy, "give an object of it: Policy()"),
    ("6.3", lambda: Policy(lambda run, estimate: run), "what no scheduler can"),
    ("6.3", lambda: Starts(lambda submit: submit - 1), "before it is submitted"),
    ("6.3", lambda: Starts(lambda submit: submit), "more processors than the machine has"),
    ("6.3", lambda: lambda wait, estimate, procs: 1 / (wait - wait), "ZeroDivisionError"),
    ("6.4", lambda: shortest, "stands on the page"),
    ("6.4", lambda: wfp, "stands on the page"),
    ("6.4", lambda: lambda wait, estimate, procs: min(wait, 3600) - estimate, "stands on the page"),
    ("6.4", lambda: lambda wait, estimate, procs: min(wait, 3600) / estimate, "without an end"),
    ("6.4", lambda: lambda wait, estimate, procs: -estimate * procs, "without an end"),
    ("6.4", lambda: last_first, "without an end"),
    ("6.4", lambda: lambda wait, estimate, procs: wait * procs, "it is worse"),
    ("6.4", lambda: lambda wait, estimate, procs: wait - 10 * procs, "that may be luck"),
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
    ("6.5", lambda: lambda queue, machine: [queue[1000]], "IndexError: list index out of range; OwnPolicy("),
    ("6.5", lambda: lambda queue, machine: None, "your pass returns nothing at second"),
]


CASES = [*((number, lambda answer=answer: answer, hint) for number, answer, hint in WRONG), *LATER]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize("number, make, hint", CASES, ids=[f"{number}, {hint}" for number, _, hint in CASES])
def test_a_wrong_answer_is_told_what_is_wrong_with_it(number, make, hint):
    status, sentence = lessons.verdict(number, make())
    assert status == "not yet" and hint in sentence


# Right and open answers


@pytest.mark.parametrize("seconds", [70, 85, 100])
def test_every_estimate_between_the_run_time_and_the_hole_is_right(seconds):
    assert lessons.verdict("4.5", estimate(seconds)).status == "right"


RIGHT = [
    ("1.1", {"start": np.int64(40), "free": 4.0}),
    ("6.1", lambda wait, estimate, procs: -procs),
    ("6.1", lambda wait, estimate, procs: 1 / procs),
    ("6.1", lambda wait, estimate, procs: -1e9 * procs - estimate),
    ("6.1", lambda procs: -procs),
    ("6.3", lambda wait, estimate, procs: -estimate * procs),
    ("6.3", lambda wait, estimate, procs: wait + (86400 if estimate <= 600 else 0)),
    ("6.4", lambda wait, estimate, procs: wait / estimate),
    ("6.4", lambda wait, estimate, procs: wait - 3 * estimate),
    ("6.4", lambda wait, estimate, procs: wait + (86400 if estimate <= 600 else 0)),
    ("6.5", examples_own.best_fit),
]


@pytest.mark.slow
@pytest.mark.parametrize("number, answer", RIGHT)
def test_other_right_answers_are_right(number, answer):
    assert str(lessons.verdict(number, answer)).startswith("Right: ")


def test_a_whole_policy_is_judged_as_an_order_is():
    verdict = lessons.verdict("6.3", Policy(lambda run, estimate: 2 * estimate))
    assert verdict.status == "right" and "20 of 20 shaken runs" in verdict.sentence


@pytest.mark.parametrize("answer", [..., [1, ...], {"start": ..., "free": 4}], ids=repr)
def test_an_open_answer_is_waited_for(answer, capsys):
    for number in EXERCISES:
        lessons.check(number, answer)
    assert capsys.readouterr().out.splitlines() == [f"{number} is waiting for your answer." for number in EXERCISES]


@pytest.mark.parametrize("number", ["6.1", "6.3", "6.4"])
@pytest.mark.parametrize(
    "unfinished",
    [lambda wait, estimate, procs: ..., lambda wait, estimate, procs: -procs if procs > 4 else ...],
    ids=["always", "sometimes"],
)
def test_a_function_that_returns_dots_is_waited_for(number, unfinished):
    assert lessons.verdict(number, unfinished).status == "waiting"


# Anything else


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


def test_what_fails_is_none_or_no_number_is_not_yet_right():
    assert "ZeroDivisionError: division by zero" in str(lessons.verdict("3.4", lambda jobs: 1 / 0))
    assert "found None" in str(lessons.verdict("1.3", ["Q", "P"].sort()))
    assert lessons.verdict("1.2", float("nan")).status == "not yet"


def test_a_workload_is_found_in_whatever_belongs_to_it():
    schedule = simlib.simulate(lesson2.queue(), EASY())
    assert answers.workload(schedule) is answers.workload(schedule.workload) is schedule.workload


@pytest.mark.parametrize(
    "number, expected", [("9.1", "1, 2, 3, 4, 5, 6, A"), ("1.9", "1.1, 1.2, 1.3, 1.4, 1.5"), (2, "2.1, 2.2")]
)
def test_an_exercise_that_does_not_exist_is_an_error_that_says_which_do(number, expected):
    with pytest.raises(ValueError, match=re.escape(expected)):
        lessons.check(number, 1)


def test_means_say_their_units():
    schedule = simlib.simulate(lesson2.queue(), EASY())
    means = lessons.means({"EASY": schedule})
    assert means.loc["EASY"].to_dict() == {
        "mean wait [s]": round(schedule.jobs.wait.mean()),
        "mean response [s]": round(schedule.jobs.response.mean()),
        "mean bounded slowdown": round(schedule.jobs.bounded_slowdown.mean(), 1),
        "backfilled [%]": round(100 * schedule.jobs.backfilled.mean(), 1),
    }


def test_of_what_a_pass_prints_only_the_first_lines_are_shown(capsys):
    def loud(queue, machine):
        for job in examples_own.best_fit(queue, machine):
            print("start", job)
            yield job

    assert lessons.verdict("6.5", loud).status == "right"
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 11 and shown[-1].endswith("more lines were printed.)")


ROWS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 30), st.integers(0, 60), st.integers(1, 4)), min_size=1, max_size=12
)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [FCFS(), EASY(), EASY(order="sjf"), Conservative(), Conservative("start")], ids=repr)
@settings(max_examples=25)
@given(rows=ROWS)
def test_no_scheduler_of_simlib_is_taken_to_foresee(policy, rows):
    jobs = pd.DataFrame(rows, columns=["submit", "run", "estimate", "procs"])
    assert not lesson6.foresees(simulate(Workload(jobs, 4), policy))


def test_a_policy_that_knows_who_will_come_is_found_out():
    jobs = pd.DataFrame({"submit": [0, 5, 20, 40, 90], "run": 10, "procs": 1})
    waits_for_the_last_one = Starts(lambda submit: submit + (submit[-1] > 50))
    assert lesson6.foresees(simulate(Workload(jobs, 5), waits_for_the_last_one))


# What the examples of lesson 4 show


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
