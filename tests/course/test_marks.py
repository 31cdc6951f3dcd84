"""Marks that mean something: other answers for each name, and a class of thirty that is graded."""

import csv
import json
import os
import subprocess
import sys
import time
from collections import Counter

import by_name
import hand_ins
import pytest
from test_assignment import right, the_twin  # noqa: F401
from test_checks import the_twins_month  # noqa: F401

from simlib_course import lessons
from simlib_course.grading import box, handout
from simlib_course.lessons import assignment

FIRST = "Ada Grace Barbara Donald Edsger Alan Leslie Frances Margaret John".split()
NAMES = [f"{first} {last}" for first in FIRST for last in ("Lovelace", "Hopper", "Liskov")]
FUNCTIONS = {"2.4", "3.4", "6.1", "6.3", "6.4", "6.5", "A.4"}  # which have no number, order or name
CHOICES = {"A.5"}  # of a policy of one's own

pytestmark = pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")


@pytest.fixture(autouse=True)
def no_seed():
    yield
    lessons.use_seed("")


def assert_varied(answers, least, verdicts):
    """Of thirty right answers so many differ, and none is right for more than three."""
    texts = {name: json.dumps(answer, default=float) for name, answer in answers.items()}
    counts = Counter(texts.values())
    assert len(texts) == 30 and len(counts) >= least and max(counts.values()) <= 3, counts.most_common(3)
    some = dict(zip(texts.values(), answers.values(), strict=True))
    for answer in some.values() if verdicts else ():
        assert 1 <= sum(verdicts(name, answer) == "right" for name in NAMES) <= 3, answer


@pytest.mark.thorough
def test_of_thirty_names_twenty_have_other_answers_and_none_is_right_for_more_than_three():
    made = {}
    for name in NAMES:
        lessons.use_seed(name)
        made[name] = by_name.answers()
        for number, answer in made[name].items():
            assert lessons.verdict(number, answer).status == "right", (name, number, answer)
    exercises = {number for lesson in lessons.LESSONS for number in lessons.exercises(lesson)}
    marked = {number for number in exercises if handout.points(number) and not number.startswith("A")}
    assert marked - FUNCTIONS == set(made[NAMES[0]])

    def verdict(name, answer):
        lessons.use_seed(name)
        return lessons.verdict(number, answer).status

    for number in made[NAMES[0]]:
        slow = number in ("4.4", "5.5")  # whose answers are columns, and never the same
        assert_varied({name: made[name][number] for name in NAMES}, 20, None if slow else verdict)


@pytest.mark.thorough
def test_in_the_assignment_twenty_five_have_other_answers():
    weeks = {name: right(assignment.week(name)) for name in NAMES}
    assert set(weeks[NAMES[0]]) | FUNCTIONS & {"A.4"} | CHOICES == set(lessons.exercises("A"))
    for number in weeks[NAMES[0]]:
        assert_varied({name: weeks[name][number] for name in NAMES}, 25, None)


# A class


def solved(seed, more=""):
    """A notebook of lesson 2 with the right answers for a seed."""
    lessons.use_seed(seed)
    calls = [f"lessons.check({number!r}, **{answer!r})" for number, answer in by_name.lesson_2().items()]
    first = f"from simlib_course import lessons\nlessons.use_seed({seed!r})\n{more}"
    sources = [first, *calls, hand_ins.RULE.format(body=hand_ins.CORRECT)]
    return {"cells": [{"cell_type": "code", "source": source} for source in sources]}


HOSTILE = {"Alan Hopper": hand_ins.CHEATS, "Alan Liskov": hand_ins.SWALLOWS, "Alan Lovelace": hand_ins.BOMB}
COPIED = {"Grace Hopper": "Ada Lovelace", "Grace Liskov": "Ada Lovelace"}  # with their own names put in
FOREIGN = {"Barbara Hopper": "Barbara Liskov"}  # as it was handed out to somebody else


@pytest.mark.thorough
def test_a_class_of_thirty_with_copies_a_foreign_seed_and_hostile_ones_is_graded(tmp_path):
    try:
        box.refuse_without()
    except box.BoxError as error:
        pytest.skip(str(error))
    folder = tmp_path / "handed-in"
    for place, name in enumerate(NAMES):
        made = solved(COPIED.get(name) or FOREIGN.get(name) or name, HOSTILE.get(name, ""))
        text = json.dumps(made).replace(COPIED[name], name) if name in COPIED else json.dumps(made)
        path = folder / f"{name}_{10_000 + place}_assignsubmission_file_" / "lesson2-easy.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "names.txt").write_text("\n".join(NAMES))
    out = tmp_path / "grades.csv"
    command = [sys.executable, "-m", "simlib", "grade", str(folder), "--out", str(out), "--seconds", "60"]
    began = time.monotonic()
    done = subprocess.run(
        [*command, "--names", str(tmp_path / "names.txt")], capture_output=True, text=True, env=os.environ
    )
    print(f"thirty hand-ins: {time.monotonic() - began:.0f} s")
    assert done.returncode == 0, done.stderr
    with open(out, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    points, flags = Counter(), {row["student"]: row["flags"] for row in rows}
    for row in rows:
        points[row["student"]] += int(row["points"])
    few = {*COPIED, *FOREIGN, *HOSTILE}
    assert set(points) == set(NAMES) and {points[name] for name in NAMES if name not in few} == {4}
    assert all(points[name] <= 1 for name in (*COPIED, *FOREIGN)), points  # the rule, which is the same for all
    assert [points[name] for name in HOSTILE] == [4, 0, 0]
    assert "for the seed 'barbara liskov'" in flags["Barbara Hopper"]
    assert "lesson2.EXERCISES, which no lesson hands out" in flags["Alan Hopper"]
    assert not any(flags[name] for name in NAMES if name not in few)
