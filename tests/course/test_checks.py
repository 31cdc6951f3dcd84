"""What the checks say of answers that need a month, a model or a policy; all others are in `test_answers`."""

import functools
import math
import re

import by_name
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
from simlib_course.answers import NotYet
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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
def test_lesson_4():
    share = (month().jobs.run / month().jobs.estimate < 0.5).mean()
    right = [("4.1", share), ("4.1", f"{share:.3f}".replace(".", ",")), ("4.1", f"{100 * share:.1f} %")]
    column = 2 * month().jobs.estimate
    right += [("4.4", kind(column)) for kind in (pd.Series, list, np.array)]
    right += [("4.4", month().with_estimates(Scaled(2)).jobs.estimate)]
    wrong = [
        ("4.1", 100 * share, "in per cent"),
        ("4.1", 1 - share, "0.5 of their estimate or more"),
        ("4.1", share * len(month()), "how many jobs"),
        ("4.1", 0.1, "take its mean"),
        ("4.1", "half", "expected a number"),
        ("4.4", month().jobs, "expected the column estimate of all"),
        ("4.4", month().jobs.estimate, "as they were"),
        ("4.4", 2 * month().jobs.run, "multiples of the run times"),
        ("4.4", month().with_estimates(Uniform(2)).jobs.estimate, "Uniform(f) draws lots"),
        ("4.4", column[1:], "expected the column estimate of all"),
        ("4.4", 3 * month().jobs.estimate, "not the users' ones times 2"),
        ("4.4", [math.nan] * len(month()), "expected a number"),
        ("4.1", month().jobs.run < 7, "Take its mean"),
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
    right = [("5.2", shares()), ("5.2", {name: f"{100 * share:.1f} %" for name, share in shares().items()})]
    right += [("5.4", 5000), ("5.4", "2500"), ("5.5", gain), ("5.5", gain.to_numpy()), ("5.5", gain.tolist())]
    wrong = [
        ("5.2", shares(factor=100), "bounded slowdown: that is the right number in per cent"),
        ("5.2", shares(than=600), "bounded slowdown: it is not"),
        ("5.2", shares(response=0.5), "response time: it is not 0.5"),
        ("5.4", batch_means(lesson5.responses(), batch=5000), "expected a number"),
        *(("5.4", size, "still alike") for size in (1, 80, 100, 110, 200, 1000)),
        ("5.4", 20_000, "are few to judge by"),
        ("5.4", 0.5, "expected a whole number of jobs"),
        ("5.5", ["a"] * 10, "expected a number"),
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


@pytest.mark.parametrize(("values", "said"), [([-9.0] * 15 + [1.0] * 5, "may be luck"), ([1.0] * 20, "it is worse")])
def test_a_policy_that_is_better_in_most_runs_alone_may_be_lucky(values, said, monkeypatch):
    monkeypatch.setattr(lesson6, "shaken", lambda *_: pd.DataFrame({"mean_bounded_slowdown": values}))
    monkeypatch.setattr(lesson6, "easy_runs", lambda: pd.DataFrame({"mean_bounded_slowdown": [0.0] * 20}))
    with pytest.raises(NotYet, match=said):
        lesson6.gain(simulate(month(), EASY()))


@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
def test_a_policy_under_which_somebody_waits_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(lesson6, "LONGEST", 0.1)
    assert "without an end" in lessons.verdict("6.4", Policy(lambda run, estimate: 2 * estimate)).sentence


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
@settings(max_examples=5)
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
@settings(max_examples=5)
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


def test_a_seed_gives_other_jobs_whose_answers_are_worked_out(seeded):
    def answers():
        return by_name.lesson_1() | by_name.lesson_2() | by_name.lesson_3()

    own, others = answers(), set()
    for name in ("Ada Lovelace", "Grace Hopper", "Barbara Liskov", "7", "Ågot"):
        seeded(name)
        found = answers()
        assert_judged(found.items(), [])
        assert {lessons.verdict(number, own[number]).status for number in ("2.1", "3.1", "3.3")} == {"not yet"}
        others.add(str(found))
        seeded(f" {name.upper()}  ")  # case and blanks do not count
        assert answers() == found
    assert len(others) == 5


@pytest.mark.slow
def test_a_seed_shows_what_the_lesson_says(seeded):
    for name in ["", *map(str, range(4))]:
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
