"""What the checks say of answers: a table a lesson, of right answers in all their forms and wrong ones with hints."""

import functools
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import EASY, FCFS, Conservative, OwnPolicy, Workload, replicate, simulate
from simlib.analysis.stats import batch_means
from simlib.core.estimates import Scaled, Uniform
from simlib.models import twin
from simlib.policies import examples_own
from simlib_course import lessons
from simlib_course.lessons import lesson1, lesson2, lesson3, lesson4, lesson5, lesson6

EXERCISES = [number for number in lessons.LESSONS for number in lessons.exercises(number)]


@functools.cache
def month():
    return twin.workload("KTH-SP2").months("1997-01")


@pytest.fixture(scope="module", autouse=True)
def the_twins_month():
    """In lessons 4 to 6 the same month on every machine, whether the log is there or not."""
    with pytest.MonkeyPatch.context() as patch:
        for lesson in (lesson4, lesson5, lesson6):
            patch.setattr(lesson, "january", month)
        for cached in (lesson6.easy_runs, lesson6.printed):
            cached.cache_clear()
        yield
    for cached in (lesson6.easy_runs, lesson6.printed):
        cached.cache_clear()


def assert_judged(right, wrong):
    """No right answer is refused; no wrong one is taken, and each is told what is wrong. All at fault are named."""
    fails = []
    for number, make in right:
        said = lessons.verdict(number, make() if callable(make) else make)
        fails += [] if said.status == "right" else [(number, str(said))]
    for number, make, hint in wrong:
        said = lessons.verdict(number, make() if callable(make) else make)
        fails += [] if said.status == "not yet" and hint in said.sentence else [(number, hint, str(said))]
    assert fails == []


def test_lesson_1():
    order = list("QSPRT")
    start, free = {"start": 40, "free": 4}, {"free": 4, "start": 40}
    gap = {"a_run": 100, "a_procs": 1, "b_procs": 10}
    right = [("1.1", start), ("1.1", free), ("1.1", {"start": np.int64(40), "free": 4.0})]
    right += [("1.1", {"start": "40 ", "free": " 4"}), ("1.1", {"start": pd.Series([40]), "free": np.array(4)})]
    right += [("1.2", share) for share in (0.54, 0.5385, 7 / 13, "0.54", "0,54", "54 %", "53,85%", np.float64(0.54))]
    right += [("1.3", kind(order)) for kind in (list, tuple, np.array, pd.Index, pd.Series, " ".join, ",".join)]
    right += [("1.3", ["q", " S", "p ", "R", "t"]), ("1.3", "[q, s, p, r, t]")]
    right += [("1.4", gap), ("1.4", {"a_run": "100 s", "a_procs": 1.0, "b_procs": "10 processors"})]
    wrong = [
        ("1.1", 40, "expected start=..., free=..."),
        ("1.1", {"start": "forty", "free": 4}, "expected a number"),
        ("1.1", {"start": 10, "free": 4}, "when job C arrives"),
        ("1.1", {"start": 60, "free": 4}, "does not start then"),
        ("1.1", {"start": 40, "free": 10}, "one job holds some"),
        ("1.1", {"start": 40, "free": 6}, "Job A runs then"),
        ("1.2", float("nan"), "expected a number"),
        ("1.2", "about half", "expected a number"),
        ("1.2", (0, 54), "with a point"),
        ("1.2", 54.0, "in per cent"),
        ("1.2", 5.385, "on average"),
        ("1.2", 3, "between 0 and 1"),
        ("1.2", "70 %", "Above the line"),
        ("1.3", 5, "expected a list"),
        ("1.3", None, "found None"),
        ("1.3", set(order), "no order"),
        ("1.3", list("PQRST"), "20 s sooner"),
        ("1.3", list("PRQS"), "missing: T"),
        ("1.3", list("PRQSTt"), "some are there twice"),
        ("1.3", list("PRQSU"), "no job 'U'"),
        ("1.4", 100, "expected a_run=..., a_procs=..., b_procs=..."),
        ("1.4", gap | {"b_procs": 6, "a_procs": 4}, "no processor is idle while a job waits"),
        ("1.4", gap | {"a_procs": 4}, "at most 6 processors"),
        ("1.4", gap | {"a_run": 30}, "for 30 s, not for 100 s"),
        ("1.4", gap | {"a_run": 101}, "for 101 s, not for 100 s"),
        ("1.4", gap | {"a_run": 99.5}, "job A, run: found 99.5, expected a whole number"),
        ("1.4", gap | {"b_procs": 11}, "processors: found 11, expected a whole number from 1 to 10"),
    ]
    assert_judged(right, wrong)


def rule(condition):
    return lambda: eval(f"lambda now, procs, estimate, free, shadow, extra: {condition}")


def test_lesson_2():
    ways = {"C": "no", "D": "shadow", "E": "extra", "F": "no", "H": 30}
    late = {"submit": 3, "run": 197, "procs": 1}
    right = [("2.1", {"shadow": 30, "extra": 2}), ("2.1", {"shadow": "30", "extra": 2.0}), ("2.2", ways)]
    right += [("2.2", {job: f" {way} ".title() for job, way in ways.items()}), ("2.3", late)]
    right += [("2.3", {"submit": "5", "run": "195 s", "procs": 1})]
    right += [
        ("2.4", rule("procs <= free and (now + estimate <= shadow or procs <= extra)")),
        ("2.4", rule("int(procs <= free and (now + estimate <= shadow or procs <= extra))")),
        ("2.4", rule("not (procs > free or now + estimate > shadow and procs > extra)")),
        ("2.4", rule("np.bool_((procs <= free) & ((now + estimate <= shadow) | (procs <= extra)))")),
    ]
    wrong = [
        ("2.1", {"shadow": 60, "extra": 5}, "even before"),
        ("2.1", {"shadow": 2, "extra": 2}, "order of their ends"),
        ("2.1", {"shadow": 30, "extra": 3}, "free now"),
        ("2.1", {"shadow": 30, "extra": 7}, "takes some of them"),
        ("2.1", {"shadow": 30, "extra": 4}, "less those of job H"),
        ("2.2", ways | {"C": "No way"}, "expected one of 'shadow', 'extra', 'no'"),
        ("2.2", ways | {"C": "extra"}, "How many extra processors are left at 4 s"),
        ("2.2", ways | {"D": "extra"}, "the first condition first"),
        ("2.2", ways | {"E": "shadow"}, "by when will it have ended"),
        ("2.2", ways | {"E": "no"}, "How many extra processors are left at 8 s"),
        ("2.2", ways | {"F": "extra"}, "How many are free at 9 s"),
        ("2.2", ways | {"F": "shadow"}, "How many are free at 9 s"),  # none: the shadow time does not matter
        ("2.2", ways | {"H": 60}, "what did EASY promise"),
        ("2.3", EASY(), "expected submit=..., run=..., procs=..."),
        ("2.3", late | {"procs": 2}, "passes nobody"),
        ("2.3", late | {"submit": 0}, "passes nobody"),
        ("2.3", late | {"submit": 0, "procs": 2}, "the first job starts at 197"),
        ("2.3", late | {"run": 100}, "starts at 103; it has to start at 200"),
        ("2.3", late | {"run": 198}, "starts at 201; it has to start at 200"),
        ("2.3", late | {"run": "ten"}, "found 'ten', expected a number"),
        ("2.3", late | {"run": 10**10}, "expected a whole number from 0 to"),
        ("2.4", True, "expected a function"),
        ("2.4", rule("procs <= free"), "under EASY this job may not start"),
        ("2.4", rule("procs <= extra"), "your rule says that it may not"),
        ("2.4", rule("now + estimate < shadow"), "your rule says"),
        ("2.4", lambda: lambda now, procs: True, "TypeError"),
        ("2.4", rule("None"), "returns nothing for now=5, procs=1, estimate=10, free=2, shadow=25, extra=1"),
        ("2.4", rule("7"), "returns 7 for now=5, procs=1"),
        ("2.4", lambda: lesson2.backfills, "comes with simlib"),
        ("2.4", rule("'True'"), "returns 'True' for now=5"),
        ("2.4", rule("True if procs <= free else None"), "nothing for now=5, procs=1, estimate=10, free=0"),
    ]
    assert_judged(right, wrong)


def test_lesson_3():
    right = [("3.1", {"second": 100, "third": 6}), ("3.3", {"first": 90, "second": 20})]
    right += [("3.2", {"run": 17}), ("3.2", {"run": "17 s"})]
    right += [("3.4", lambda: lambda jobs: (jobs.start > jobs.guarantee).sum())]
    right += [("3.4", lambda: lambda jobs: len(jobs[jobs.guarantee < jobs.start]))]
    wrong = [
        ("3.1", {"second": 30, "third": 6}, "it would run for 50 s"),
        ("3.1", {"second": 110, "third": 6}, "without a break"),
        ("3.1", {"second": 100, "third": 100}, "may pass others"),
        ("3.1", {"second": 100, "third": 30}, "from 6 s on at the earliest"),
        ("3.2", 17, "expected run=..."),
        ("3.2", {"run": 18}, "waits until 30"),
        ("3.2", {"run": 16}, "a few seconds more"),
        ("3.3", {"first": 100, "second": 20}, "was reserved"),
        ("3.3", {"first": 40, "second": 90}, "from 40 to 90 s"),
        ("3.3", {"first": 70, "second": 20}, "The order is that of arrival"),
        ("3.3", {"first": 20, "second": 20}, "cannot be put back there"),
        ("3.3", {"first": 90, "second": 40}, "an earlier time for it"),
        ("3.3", {"first": 90, "second": 30}, "The second needs 2 processors for 50 s"),
        ("3.4", lambda: lambda jobs: jobs.start > jobs.guarantee, "one value a job"),
        ("3.4", lambda: lambda jobs: (jobs.start != jobs.guarantee).sum(), "with those that started before"),
        ("3.4", lambda: lambda jobs: (jobs.start >= jobs.guarantee).sum(), "that started just as guaranteed"),
        ("3.4", lambda: lambda jobs: 0, "1 of the jobs of Figure 2 under 'rebackfill' started after its guarantee"),
        ("3.4", lambda: lambda jobs: int((jobs.start > jobs.guarantee).any()), "2 of 40 other jobs started after"),
        ("3.4", lambda: lambda jobs: None, "returns nothing for the jobs of Figure 2"),
        ("3.4", lambda: lambda jobs: jobs.shadow, "AttributeError"),
        ("3.4", lambda: lambda jobs: 1 / 0, "ZeroDivisionError: division by zero"),
    ]
    assert_judged(right, wrong)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
def test_lesson_4():
    share = (month().jobs.run / month().jobs.estimate < 0.5).mean()
    exact, twice = (simulate(lesson4.heel_and_toe(factor), EASY()).jobs for factor in (1, 2))
    later = twice.index[twice.start > exact.start]
    right = [("4.1", share), ("4.1", f"{share:.3f}".replace(".", ",")), ("4.1", f"{100 * share:.1f} %")]
    right += [("4.2", {"shadow": 380, "s2_until": 360})]
    right += [
        ("4.3", later),
        ("4.3", later.to_numpy()),
        ("4.3", set(later)),
        ("4.3", ["S2", "Wide"]),
        ("4.3", "s2, wide"),
    ]
    column = 2 * month().jobs.estimate
    right += [("4.4", kind(column)) for kind in (pd.Series, list, np.array)]
    right += [
        ("4.4", month().with_estimates(Scaled(2)).jobs.estimate),
        *(("4.5", {"estimate": of}) for of in (70, 85, "100 s")),
    ]
    wrong = [
        ("4.1", 100 * share, "in per cent"),
        ("4.1", 1 - share, "0.5 of their estimate or more"),
        ("4.1", share * len(month()), "how many jobs"),
        ("4.1", 0.1, "take its mean"),
        ("4.1", "half", "expected a number"),
        ("4.2", 380, "expected shadow=..., s2_until=..."),
        ("4.2", {"shadow": 400, "s2_until": 360}, "before job B ended"),
        ("4.2", {"shadow": 310, "s2_until": 360}, "it goes by estimates"),
        ("4.2", {"shadow": 340, "s2_until": 360}, "job s1, still running"),
        ("4.2", {"shadow": 380, "s2_until": 280}, "nobody knows"),
        ("4.2", {"shadow": 380, "s2_until": 400}, "add its estimate to 200"),
        ("4.3", [], "your list is empty"),
        ("4.3", ["wide", "s1"], "job s1 starts at 400 with exact"),
        ("4.3", ["wide"], "right so far: wide. But 1 more"),
        ("4.3", ["wide", "s2", "wide"], "each job once; twice is there: wide"),
        ("4.3", ["wide", "B2"], "no job 'B2'"),
        ("4.4", month().jobs, "expected the column estimate of all"),
        ("4.4", month().jobs.estimate, "as they were"),
        ("4.4", 2 * month().jobs.run, "multiples of the run times"),
        ("4.4", month().with_estimates(Uniform(2)).jobs.estimate, "Uniform(f) draws lots"),
        ("4.4", column[1:], "expected the column estimate of all"),
        ("4.4", 3 * month().jobs.estimate, "not the users' ones times 2"),
        ("4.4", [math.nan] * len(month()), "expected a number"),
        ("4.1", month().jobs.run < 7, "Take its mean"),
        ("4.5", 90, "expected estimate=..."),
        ("4.5", {"estimate": 69}, "killed after 69 of its 70 s"),
        ("4.5", {"estimate": 101}, "still starts at 400"),
    ]
    assert_judged(right, wrong)


def differences(first, second, runs=10, metric="mean_bounded_slowdown", seed=0):
    one = replicate(month(), first, shakes=runs, as_it_is=False)
    return one[metric] - replicate(month(), second, shakes=runs, seed=seed, as_it_is=False)[metric]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
def test_lesson_5():
    jobs = simulate(month(), EASY()).jobs

    def shares(than=60, factor=1, response=None):
        short = jobs.run < than
        of = {name: jobs[name][short].sum() / jobs[name].sum() for name in ("bounded_slowdown", "response")}
        return {"bounded": factor * of["bounded_slowdown"], "response": response or of["response"]}

    gain = differences(Conservative(), EASY())
    right = [("5.1", {"slowdown": 20, "bounded": 10}), ("5.1", {"slowdown": "20,0", "bounded": 10.0})]
    right += [("5.2", shares()), ("5.2", {name: f"{100 * share:.1f} %" for name, share in shares().items()})]
    right += [
        ("5.3", 0.7),
        ("5.3", "0,7"),
        ("5.3", "70 %"),
        ("5.4", 5000),
        ("5.4", "2500"),
    ]
    right += [("5.5", gain), ("5.5", gain.to_numpy()), ("5.5", gain.tolist())]
    wrong = [
        ("5.1", {"slowdown": 19, "bounded": 10}, "you divide the wait"),
        ("5.1", {"slowdown": 18, "bounded": 10}, "wait and all"),
        ("5.1", {"slowdown": 20, "bounded": 20}, "counts as 10 s"),
        ("5.1", {"slowdown": 20, "bounded": 9.5}, "take the place of which number"),
        ("5.2", shares(factor=100), "bounded slowdown: that is the right number in per cent"),
        ("5.2", shares(than=600), "bounded slowdown: it is not"),
        ("5.2", shares(response=0.5), "response time: it is not 0.5"),
        ("5.3", 0.75, "as much as FCFS can ever use"),
        ("5.3", 0.9, "the queue grows for ever"),
        ("5.3", 0.5, "a larger load"),
        ("5.4", batch_means(lesson5.responses(), batch=5000), "expected a number"),
        *(("5.4", size, "still alike") for size in (1, 80, 100, 110, 200, 1000)),
        ("5.4", 20_000, "are few to judge by"),
        ("5.4", 0.5, "expected a whole number of jobs"),
        ("5.5", {"a": 1}, "one difference a run"),
        ("5.5", ["a"] * 10, "expected a number"),
        ("5.5", -9.0, "one difference a run"),
        ("5.5", gain[:5], "found 5 differences, expected one for each"),
        ("5.5", np.zeros(10_000), "found 10000 differences, expected one for each"),
        ("5.5", -gain, "the other way round"),
        ("5.5", differences(Conservative(), EASY(), metric="mean_response"), "differences of times"),
        ("5.5", differences(Conservative(), EASY(), seed=7), "the same seed"),
    ]
    assert_judged(right, wrong)


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

    return lambda: backfills


def own_best_fit(queue, machine):
    yield from examples_own.best_fit(queue, machine)


def order(of):
    return lambda: eval(f"lambda wait, estimate, procs: {of}")


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


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
def test_lesson_6():
    right = [("6.1", order(of)) for of in ("-procs", "-1e9 * procs - estimate")]
    right += [("6.1", lambda: lambda procs: -procs), ("6.5", lambda: own_best_fit)]
    right += [("6.2", {"job": "B", "wait": 285}), ("6.2", {"job": " b", "wait": "285"})]
    right += [("6.3", order("-estimate * procs")), ("6.3", lambda: Policy(lambda run, estimate: 2 * estimate))]
    for number in ("6.3", "6.4"):
        right += [(number, order("wait + (86400 if estimate <= 600 else 0)")), (number, order("wait - 3 * estimate"))]
    right += [("6.3", order("1.0 if estimate <= 3600 else 0.0")), ("6.4", order("wait / estimate"))]
    wrong = [
        ("6.1", order("procs"), "use a minus sign"),
        ("6.1", order("wait"), "The narrow job has to get the larger number"),
        ("6.1", order("-procs * estimate"), "whatever the wait and the estimate are"),
        ("6.1", order("-min(procs, 4)"), "a job of 4 gets -4"),
        ("6.1", lambda: forgotten, "returns nothing"),
        ("6.1", lambda: no_else, "returns nothing for wait=60, estimate=3600, procs=4"),
        ("6.1", lambda: prints, "it prints; expected"),
        ("6.1", EASY(order="sjf"), "expected a function"),
        ("6.2", {"job": "C", "wait": 285}, "another one waits longer"),
        ("6.2", {"job": "B", "wait": 55}, "in order of arrival"),
        ("6.2", {"job": "B", "wait": 290}, "start minus its submit"),
        ("6.2", {"job": "K", "wait": 285}, "no job 'K'"),
        ("6.3", order("wait"), "EASY again"),
        ("6.3", order("procs"), "it is worse"),
        ("6.3", EASY(order="sjf"), "comes with simlib"),
        ("6.3", Conservative(), "comes with simlib"),
        ("6.3", OwnPolicy(examples_own.easy_sjbf), "comes with simlib"),
        ("6.3", order("wait - 10 * procs"), "that may be luck"),
        ("6.3", order("-estimate"), "with shortest first, and that order stands on the page"),
        ("6.3", order("5 * (wait / estimate) ** 3 * procs + 1"), "with WFP, and that order stands on the page"),
        ("6.3", order("3 - procs"), "with the narrow jobs first"),
        ("6.3", lambda: forgotten, "returns nothing"),
        ("6.3", lambda: prints_in_another, "of 'prints', which it calls"),
        ("6.3", "sjf", "expected a function"),
        ("6.3", lambda: Policy, "give an object of it: Policy()"),
        ("6.3", lambda: Policy(lambda run, estimate: run), "what no scheduler can"),
        ("6.3", lambda: Starts(lambda submit: submit - 1), "before it is submitted"),
        ("6.3", lambda: Starts(lambda submit: submit), "more processors than the machine has"),
        ("6.3", order("1 / (wait - wait)"), "ZeroDivisionError"),
        ("6.4", order("-estimate"), "stands on the page"),
        ("6.4", order("min(wait, 3600) / estimate"), "without an end"),
        ("6.4", order("-estimate * procs"), "without an end"),
        ("6.4", order("wait * procs"), "it is worse"),
        ("6.5", passes(lambda *those: False), "that is FCFS"),
        ("6.5", lambda: examples_own.best_fit, "comes with simlib"),
        ("6.5", lambda: OwnPolicy(examples_own.best_fit), "comes with simlib"),
        ("6.5", lambda: lambda queue, machine: examples_own.easy(queue, machine), "that is EASY"),
        ("6.5", passes(lambda *those: True), "it may delay the head"),
        ("6.5", passes(lambda job, machine, shadow, extra: job.procs <= extra), "of lesson6.small("),
        ("6.5", passes(lambda job, machine, shadow, extra: machine.now + job.estimate <= shadow), "start sooner"),
        ("6.5", lambda: lambda queue, machine: list(queue), "expected one that fits"),
        ("6.5", lambda: lambda queue, machine: [], "starves"),
        ("6.5", lambda: lambda queue: [], "cannot be called with a queue and a machine"),
        ("6.5", passes(lambda job, *those: job.run < 60), "no scheduler knows"),
        ("6.5", "best fit", "expected a function"),
        ("6.5", lambda: lambda queue, machine: [queue[1000]], "IndexError: list index out of range; OwnPolicy("),
        ("6.5", lambda: lambda queue, machine: None, "your pass returns nothing at second"),
    ]
    assert_judged(right, wrong)


# Open answers, and anything else


@pytest.mark.parametrize("answer", [..., [1, ...], {"start": ..., "free": 4}], ids=repr)
def test_an_open_answer_is_waited_for(answer, capsys):
    for number in EXERCISES:
        lessons.check(number, answer)
    assert capsys.readouterr().out.splitlines() == [f"{number} is waiting for your answer." for number in EXERCISES]


def test_what_is_unfinished_is_waited_for(capsys):
    for number, unfinished in [
        (number, order(of)()) for number in ("6.1", "6.3", "6.4") for of in ("...", "procs or ...")
    ]:
        assert lessons.verdict(number, unfinished).status == "waiting"


def test_a_decimal_comma_in_a_call_does_not_fail(capsys):
    lessons.check("1.2", 0, 54)
    assert "with a point, such as 0.75" in " ".join(capsys.readouterr().out.split())


OTHERS = st.sampled_from([int, pd.DataFrame(), np.eye(2), lesson1.queue(), EASY()])
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


@pytest.mark.parametrize(
    "number, expected", [("9.1", ", ".join(lessons.LESSONS)), ("1.9", "1.1, 1.2, 1.3, 1.4"), (2, "2.1, 2.2")]
)
def test_an_exercise_that_does_not_exist_is_an_error_that_says_which_do(number, expected):
    with pytest.raises(ValueError, match=re.escape(expected)):
        lessons.check(number, 1)


def test_of_what_a_pass_prints_only_the_first_lines_are_shown(capsys):
    def loud(queue, machine):
        for job in own_best_fit(queue, machine):
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


# Seeds


@pytest.fixture
def seeded():
    yield lessons.use_seed
    lessons.use_seed("")


def shown():
    """What exercises 2.1, 2.2, 3.1, 3.3 and 4.2 are about, and their answers, found by the schedulers themselves."""
    jobs = lesson2.queue(), lesson3.plan(), lesson3.early(), lesson4.heel_and_toe(2)
    at = simulate(jobs[0].select("submit <= 2"), EASY())
    easy, plan, early = simulate(jobs[0], EASY()), simulate(jobs[1], Conservative()), simulate(jobs[2], Conservative())
    heel = simulate(jobs[3], EASY()).jobs
    shadow, head, size = int(at.shadow["H"]), at.jobs.start["H"], at.jobs.procs
    extra = 10 - int(size[(at.jobs.start <= head) & (at.jobs.end > head)].sum())
    ways = {}
    for job in "CDEF":
        its = easy.jobs.loc[job]
        ways[job] = "no" if its.start > its.submit else "shadow" if its.end <= shadow else "extra"
    ways["H"] = int(head)
    first = plan.jobs.guarantee[["second", "third"]].to_dict()
    second = early.jobs.start[["first", "second"]].to_dict()
    until = int(heel.start["s2"] + heel.estimate["s2"])
    last = {"shadow": int(heel.start["s1"] + heel.estimate["s1"]), "s2_until": until}  # s1 holds the other half
    answers = {"2.1": {"shadow": shadow, "extra": extra}, "2.2": ways, "3.1": first, "3.3": second, "4.2": last}
    return [one.jobs for one in jobs], answers


def test_a_seed_gives_other_jobs_whose_answers_are_worked_out(seeded):
    own, truths = shown()
    assert_judged(truths.items(), [])
    others = set()
    for name in ("Ada Lovelace", "Grace Hopper", "Barbara Liskov", "7", "Ågot"):
        seeded(name)
        jobs, answers = shown()
        assert_judged(answers.items(), [])
        for number, of in zip(("2.1", "3.1", "3.3", "4.2"), jobs, strict=True):
            assert lessons.verdict(number, truths[number]).status == "not yet", (name, number)
            assert not of.equals(own[("2.1", "3.1", "3.3", "4.2").index(number)])
        others.add(str(answers))
        seeded(f" {name.upper()}  ")  # case and blanks do not count
        assert [of.equals(same) for of, same in zip(shown()[0], jobs, strict=True)] == [True] * 4
    assert len(others) == 5


@pytest.mark.slow
def test_a_seed_shows_what_the_lesson_says(seeded):
    for name in ["", *map(str, range(12))]:
        seeded(name)
        jobs = simulate(lesson2.queue(), EASY()).jobs
        assert (
            jobs.start["H"] == simulate(lesson2.queue(), FCFS()).jobs.start["H"] and jobs.start["F"] > jobs.start["H"]
        )
        early, anew = (simulate(lesson3.early(), Conservative(rule)).jobs for rule in ("arrival", "rebackfill"))
        assert (early.start <= early.guarantee).all() and (anew.start > anew.guarantee).sum() == 1
        exact, twice = (simulate(lesson4.heel_and_toe(factor), EASY()) for factor in (1, 2))
        assert list(exact.jobs.index[exact.jobs.backfilled]) == ["s2"]
        assert exact.jobs.start["wide"] == exact.jobs.end["B"] < twice.jobs.start["wide"] <= twice.shadow["wide"]
        assert twice.summary().mean_wait < exact.summary().mean_wait
        assert twice.utilization().loc[: twice.jobs.start["wide"]].min() >= 0.5  # never the whole machine free
