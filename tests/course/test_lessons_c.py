"""Lesson 6: what its checks say of orders and policies handed in, right, wrong, and broken in every small way."""

import functools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutants import mutants

from simlib import EASY, FCFS, Conservative, OwnPolicy, Workload, simulate
from simlib.course import lessons
from simlib.course.lessons import lesson6
from simlib.models import twin
from simlib.policies import examples_own


@functools.cache
def month():
    return twin.workload("KTH-SP2").months("1997-01")


def forget():
    lesson6.easy_runs.cache_clear()
    lesson6.printed.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def the_twins_month():
    """The same month on every machine, whether the log is there or not."""
    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lesson6, "january", month)
        yield
    forget()


# Wrong answers


def arrival(wait, estimate, procs):
    return wait


def shortest(wait, estimate, procs):
    return -estimate


def last_first(wait, estimate, procs):
    return -wait


def wide(wait, estimate, procs):
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


WRONG = [
    ("6.1", lambda: wide, "use a minus sign"),
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
    ("6.3", lambda: wide, "it is worse"),
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


@pytest.mark.slow
@pytest.mark.parametrize("number, make, hint", WRONG, ids=[f"{number}, {hint}" for number, _, hint in WRONG])
def test_a_wrong_answer_is_told_what_is_wrong_with_it(number, make, hint):
    status, sentence = lessons.verdict(number, make())
    assert status == "not yet"
    assert hint in sentence


# Policies handed in


@pytest.mark.parametrize("number", ["6.1", "6.3", "6.4"])
def test_a_function_that_still_returns_dots_is_waited_for(number):
    assert lessons.verdict(number, lambda wait, estimate, procs: ...).status == "waiting"


def test_a_whole_policy_is_judged_as_an_order_is():
    verdict = lessons.verdict("6.3", Policy(lambda run, estimate: 2 * estimate))
    assert verdict.status == "right" and "20 of 20 shaken runs" in verdict.sentence


@pytest.mark.parametrize("number", ["6.1", "6.3", "6.4"])
def test_a_function_that_returns_dots_in_some_case_is_waited_for(number):
    def unfinished(wait, estimate, procs):
        if procs > 4:
            return -procs
        return ...

    assert lessons.verdict(number, unfinished).status == "waiting"


RIGHT = [
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


def narrow_first(wait, estimate, procs):
    return -procs


def best_fit(queue, machine):
    while queue and queue[0].procs <= machine.free:
        yield queue[0]
    if queue:
        shadow, extra = machine.shadow(queue[0])
        for job in sorted(queue, key=lambda job: -job.procs):
            if job.procs <= machine.free:
                if machine.now + job.estimate <= shadow:
                    yield job
                elif job.procs <= extra:
                    extra -= job.procs
                    yield job


BROKEN = [("6.1", narrow_first, ("wait", "estimate", "procs")), ("6.5", best_fit, ("shadow", "extra"))]


@pytest.mark.slow
@pytest.mark.parametrize("number, right, names", BROKEN, ids=["6.1", "6.5"])
def test_a_right_function_that_is_broken_in_any_small_way_is_refused(number, right, names):
    assert lessons.verdict(number, right).status == "right"
    broken = mutants(right, names)
    assert len(broken) >= 3
    assert [
        source for source, function in broken.items() if lessons.verdict(number, function).status != "not yet"
    ] == []


def test_of_what_a_pass_prints_only_the_first_lines_are_shown(capsys):
    def loud(queue, machine):
        for job in best_fit(queue, machine):
            print("start", job)
            yield job

    assert lessons.verdict("6.5", loud).status == "right"
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 11 and shown[-1].endswith("more lines were printed.)")


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
