"""The assignment: a week for every name, questions that refuse wrong answers, and a solution that passes."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import ROOT
from test_lessons import cells, said

import simlib
from simlib import EASY, Conservative, OwnPolicy, simulate
from simlib.models import twin
from simlib.policies import examples_own
from simlib_course import lessons
from simlib_course.lessons import assignment
from tools.solutions import solved

FOLDER = ROOT / "notebooks/teaching"
STUDENT = "Ada Lovelace"


@pytest.fixture(scope="module", autouse=True)
def the_twin():
    """The same log on every machine, whether the real one is there or not."""
    assignment._log.cache_clear()
    assignment._of.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "load", twin.workload)
        patch.setattr(simlib, "load", twin.workload)
        yield
    assignment._log.cache_clear()
    assignment._of.cache_clear()


@pytest.fixture
def week():
    return assignment.week(STUDENT)


def verdict(number, **parts):
    return lessons.verdict(number, {"student": STUDENT} | parts)


# Weeks


SPELLINGS = ["  ADA   lovelace ", "Ada_Lovelace", "Lovelace, Ada", "Ada-Lovelace", "Ada Lovelace!", "Ada. Lovelace"]


def test_a_name_gives_the_same_week_however_it_is_typed(week):
    assert all(assignment.week(name) is week for name in SPELLINGS)
    assert assignment.week("Zo\u00eb M\u00fcller") is assignment.week("Zoe\u0308 Mu\u0308ller")
    assert assignment.week("Grace Hopper") is not week


@pytest.mark.parametrize("name", ["", "  ", "?!", ...])
def test_a_name_without_letters_is_refused(name):
    with pytest.raises(ValueError, match="expected the student's own"):
        assignment.week(name)
    assert lessons.verdict("A.1", {"student": "?!", "jobs": 1, "load": 1, "large": 1}).status == "not yet"


def test_a_week_is_seven_days_of_the_log_with_a_queue_to_improve_on(week):
    moments = [week.time(int(second)) for second in (week.jobs.submit.min(), week.jobs.submit.max())]
    assert (moments[1] - moments[0]).days <= 7
    assert len(week) >= assignment.FEWEST
    assert simulate(week, EASY()).jobs.wait.mean() >= assignment.LEAST_WAIT


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Ada Lovelace", "Grace Hopper", "Barbara Liskov"])
def test_a_week_that_is_given_out_can_be_solved(name):
    assert lessons.verdict("A.4", {"student": name, "policy": own_order}).status == "right"


def own_order(wait, estimate, procs):
    return (wait + estimate) / estimate


# Questions


def right(week):
    """The right answers to A.1, A.2 and A.3, worked out as a student would."""
    easy, conservative = simulate(week, EASY()).jobs, simulate(week, Conservative()).jobs
    job = easy.wait.idxmax()
    passed = (easy.submit > easy.submit[job]) & (easy.start < easy.start[job])
    waits = {"easy": easy.wait.mean() / 60, "conservative": conservative.wait.mean() / 60}
    return {
        "A.1": {"jobs": len(week), "load": round(week.load, 2), "large": (week.jobs.procs > 25).mean()},
        "A.2": waits | {"backfilled": easy.backfilled.mean()},
        "A.3": {"job": job, "wait": easy.wait[job], "passed_by": passed.sum()},
    }


@pytest.mark.parametrize("number", ["A.1", "A.2", "A.3"])
def test_right_answers_are_right_and_wrong_in_any_part_are_not(number, week):
    answer = right(week)[number]
    assert verdict(number, **answer).status == "right"
    for part, truth in answer.items():
        for wrong in (truth * 1.1 + 1, -truth - 1, "many", np.nan):
            found = verdict(number, **answer | {part: wrong})
            assert found.status == "not yet" and found.sentence, (part, wrong)
        assert verdict(number, **answer | {part: ...}).status == "waiting"


def test_numbers_are_answers_as_they_are_typed(week):
    its = right(week)
    large, easy, job = its["A.1"]["large"], its["A.2"]["easy"], its["A.3"]["job"]
    assert verdict("A.1", **its["A.1"] | {"large": f"{large:.2f}".replace(".", ",")}).status == "right"
    assert (
        verdict("A.1", **its["A.1"] | {"large": f"{100 * large:.0f} %", "jobs": f"{len(week)} jobs"}).status == "right"
    )
    assert verdict("A.2", **its["A.2"] | {"easy": f"{easy:.0f} min"}).status == "right"
    assert verdict("A.3", **its["A.3"] | {"job": str(job), "wait": f"{its['A.3']['wait']} s"}).status == "right"
    for number, part in (("A.1", "large"), ("A.2", "easy"), ("A.3", "job")):
        for wrong in ("0,50 of all", week.jobs.procs, [1, 2], None):
            found = verdict(number, **its[number] | {part: wrong})
            assert found.status == "not yet" and "expected a number" in found.sentence and "Error" not in found.sentence


@pytest.mark.parametrize(
    "number, part, change, hint",
    [
        ("A.1", "load", lambda share: 100 * share, "in per cent"),
        ("A.2", "easy", lambda minutes: 60 * minutes, "in seconds"),
        ("A.3", "wait", lambda wait: wait + 1, "start - submit"),
    ],
)
def test_a_common_mistake_is_named(number, part, change, hint, week):
    answer = right(week)[number]
    assert hint in verdict(number, **answer | {part: change(answer[part])}).sentence


def test_another_students_numbers_are_refused(week):
    other = next(name for name in map("student {}".format, range(99)) if not assignment.week(name).equals(week))
    for number, answer in right(assignment.week(other)).items():
        assert verdict(number, **answer).status == "not yet"


def arrival(wait, estimate, procs):
    return wait


def starves(wait, estimate, procs):
    return -estimate * procs


def worse(wait, estimate, procs):
    return estimate


class KnowsRunTimes:
    """Shortest first by what jobs will really take."""

    def schedule(self, submit, run, estimate, procs, machine):
        return EASY(order="sjf").schedule(submit, run, run, procs, machine)


@pytest.mark.parametrize(
    "policy, hint",
    [
        (KnowsRunTimes(), "what no scheduler can"),
        (arrival, "EASY again"),
        (EASY(), "comes with simlib"),
        (worse, "may be luck"),
        ("sjf", "expected a function"),
        (OwnPolicy(lambda queue, machine: []), "starves"),
    ],
    ids=["run times known", "arrival", "EASY", "worse", "a name", "nobody starts"],
)
def test_a_policy_that_does_not_improve_on_easy_is_refused(policy, hint):
    assert hint in verdict("A.4", policy=policy).sentence


def test_a_gain_that_may_be_luck_is_refused(week, monkeypatch):
    row = SimpleNamespace(value=9.0, base=10.0, coincidence_low=-2.0, coincidence_high=0.1)
    monkeypatch.setattr(assignment, "_compared", lambda schedule, shakes: {"slowdown": row})
    assert "from -2.0 to 0.1, so that may be luck" in verdict("A.4", policy=own_order).sentence


def test_a_policy_that_starves_somebody_is_refused(week, monkeypatch):
    monkeypatch.setattr(assignment, "LONGEST", 0.1)
    assert "Let the wait count for more" in verdict("A.4", policy=own_order).sentence


def test_a_whole_pass_is_judged_as_an_order_is():
    assert verdict("A.4", policy=OwnPolicy(examples_own.easy)).status == "not yet"


def test_claims_must_be_those_that_the_intervals_carry():
    said = dict.fromkeys([f"{of}_{claim}" for of in ("week", "year") for claim in assignment.CLAIMS], "lower")
    found = [verdict("A.5", policy=own_order, **said)]
    while found[-1].status == "not yet":  # as one who tries: each hint names the part that is wrong
        part = found[-1].sentence.partition(":")[0]
        said[part] = {"lower": "cannot tell", "cannot tell": "higher"}[said[part]]
        found.append(verdict("A.5", policy=own_order, **said))
    assert found[-1].status == "right"
    for part, truth in said.items():
        for other in {*assignment.SAID} - {truth}:
            assert verdict("A.5", policy=own_order, **said | {part: other}).status == "not yet"


# Notebooks


def test_the_rubric_and_the_checked_parts_make_a_hundred_points():
    text = cells(FOLDER / "assignment.ipynb")[0].source
    assert sum(map(int, re.findall(r"\| (\d+) \|", text))) == 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
def test_the_assignment_waits_for_answers_and_its_solution_passes():
    assert [text.splitlines()[-1] for text in said(cells(FOLDER / "assignment.ipynb"))] == [
        f"{number} is waiting for your answer." for number in lessons.exercises("A")
    ]
    assert all("Right: " in text for text in said(solved(FOLDER / "assignment.ipynb").cells))
