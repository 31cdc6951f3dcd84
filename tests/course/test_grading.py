"""Grading what students hand in: each gets what the answers are worth, whatever the notebooks do."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import hand_ins
import pytest
from helpers import listing

import simlib
from simlib.__main__ import main
from simlib.course.grading import grading, judging, sandbox
from simlib.course.grading.grading import HandedIn, Row

needs_fence = pytest.mark.skipif(sandbox.version() < 1, reason="without Landlock a notebook can write anywhere")


def command(folder, *more):
    return [sys.executable, "-m", "simlib", "grade", str(folder), "--out", str(folder.parent / "grades.csv"), *more]


def graded(folder, *more):
    """Grade a folder in a process of its own; give the rows by student and exercise."""
    done = subprocess.run(
        command(folder, *more), capture_output=True, text=True, env=os.environ | {"HANDED_IN": str(folder)}
    )
    assert done.returncode == 0, done.stderr
    with open(folder.parent / "grades.csv", encoding="utf-8", newline="") as file:
        return {(row["student"].removeprefix("'"), row["exercise"]): row for row in csv.DictReader(file)}


def left_over(folder):
    """The processes that still work on a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in path.read_bytes():
                found.append(path)
        except OSError:
            pass
    return found


@pytest.fixture
def folder(tmp_path):
    """Where students hand in."""
    made = tmp_path / "handed-in"
    made.mkdir()
    return made


@pytest.mark.slow
def test_a_few_hand_ins_get_what_they_are_worth(folder):
    expected = hand_ins.write(folder, hand_ins.FEW)
    rows = graded(folder)
    assert {key: row["verdict"] for key, row in rows.items()} == expected
    assert list(rows) == sorted(rows)
    points = {"right": "1", "refused": ""}
    assert all(row["points"] == points.get(row["verdict"], "0") for row in rows.values())
    assert listing(folder.parent) == ["grades-mistakes.html", "grades.csv", "handed-in"]


@needs_fence
@pytest.mark.thorough
def test_thirty_hand_ins_good_bad_and_hostile_get_what_they_are_worth_within_five_minutes(folder):
    students = [name for name in hand_ins.MADE if name != "killer" or sandbox.version() >= 6]  # who sends signals
    assert len(students) >= 30
    expected = hand_ins.write(folder, students)
    before = {path: path.read_bytes() for path in folder.rglob("*.ipynb")}
    own = Path(simlib.__file__).parent.joinpath("course", "lessons", "lesson2.py").read_bytes()
    began = time.monotonic()
    rows = graded(folder, "--seconds", "45")
    assert time.monotonic() - began < 300
    found = {key: row["verdict"] for key, row in rows.items()}
    assert {key: of for key, of in found.items() if expected[key] != of} == {}
    assert set(found) == set(expected)
    assert left_over(folder) == []
    assert {path: path.read_bytes() for path in folder.rglob("*.ipynb")} == before
    assert Path(simlib.__file__).parent.joinpath("course", "lessons", "lesson2.py").read_bytes() == own
    page = (folder.parent / "grades-mistakes.html").read_text(encoding="utf-8")
    assert "2.4: " in page and "Ada" not in page


@pytest.mark.slow
def test_an_interrupted_run_leaves_no_grades_and_goes_on_when_it_is_started_again(folder):
    hand_ins.write(folder, ("Ada", "loop-that-swallows"))
    with subprocess.Popen(command(folder, "--seconds", "600"), stderr=subprocess.PIPE) as running:
        parts = folder.parent / "grades.csv.parts"
        deadline = time.monotonic() + 120
        while not list(parts.glob("[!.]*")) and time.monotonic() < deadline:
            time.sleep(0.1)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) != 0
    assert listing(folder.parent) == ["grades.csv.parts", "handed-in"]
    assert left_over(folder) == []
    kept = grading._Kept(parts, 600.0, 2.0)
    one = grading.collect(folder)["Ada"][0]
    done = grading.Graded(one, ["2.1", "2.2", "2.3", "2.4"])
    assert kept.read(done) and {judged.verdict for judged in done.verdicts.values()} == {"right"}


# Collecting


def notebook(path, cells=()):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]}))


def test_the_student_is_the_folder_or_what_the_name_begins_with(folder):
    notebook(folder / "ada" / "lesson1-fcfs.ipynb")
    notebook(folder / "bob" / "assignment" / "lesson2-easy.ipynb")  # as nbgrader's submitted/
    notebook(folder / "carl-lesson2-easy.ipynb")
    notebook(folder / "Dora_D_Lesson 2.ipynb")
    notebook(folder / "eve.ipynb")
    notebook(folder / "ada" / ".ipynb_checkpoints" / "lesson1-fcfs-checkpoint.ipynb")
    found = grading.collect(folder)
    assert {student: [one.lesson for one in files] for student, files in found.items()} == {
        "Dora_D": ["lesson2-easy"],
        "ada": ["lesson1-fcfs"],
        "bob": ["lesson2-easy"],
        "carl": ["lesson2-easy"],
        "eve": [""],
    }


def test_one_name_written_in_two_ways_is_one_student(folder):
    notebook(folder / "Zoe\u0308" / "lesson1-fcfs.ipynb")
    notebook(folder / "Zo\u00eb-lesson2-easy.ipynb")
    assert list(grading.collect(folder)) == ["Zo\u00eb"]


def test_links_are_not_followed(folder, tmp_path):
    notebook(tmp_path / "secret" / "lesson1-fcfs.ipynb")
    (folder / "ada").mkdir()
    (folder / "ada" / "lesson1-fcfs.ipynb").symlink_to(tmp_path / "secret" / "lesson1-fcfs.ipynb")
    (folder / "bob").symlink_to(tmp_path / "secret")
    assert grading.collect(folder) == {"ada": []}


def test_a_folder_that_is_not_there_or_empty_is_an_error_that_names_it(folder, capsys):
    for where in (folder, folder / "no"):
        assert main(["grade", str(where), "--out", str(folder.parent / "grades.csv")]) == 1
        assert str(where) in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--jobs", "--seconds", "--memory"])
def test_no_limit_is_zero_or_less(option, folder, capsys):
    for value in ("0", "-1", "nan", "inf"):
        assert main(["grade", str(folder), "--out", "grades.csv", f"{option}={value}"]) == 2
        assert f"'{option}'" in capsys.readouterr().err


def test_a_notebook_without_a_lesson_in_its_name_has_the_exercises_that_it_checks(folder):
    checks = 'lessons.check("2.4", f)\nlessons.check(\n    "1.1", start=1)', 'lessons.check("9.9", 1)'
    notebook(folder / "ada" / "homework.ipynb", checks)
    assert grading._numbers(*grading.collect(folder)["ada"]) == ["1.1", "2.4"]


# What is written


def test_of_several_notebooks_the_best_counts():
    first, second = HandedIn("ada", "a.ipynb"), HandedIn("ada", "b.ipynb")
    said = [grading.Graded(first, ["1.1"]), grading.Graded(second, ["1.1"])]
    said[0].verdicts = {"1.1": judging.Judged("not yet", "no.")}
    said[1].verdicts = {"1.1": judging.Judged("right", "yes.")}
    assert grading._row("ada", "1.1", said, [first, second]) == ("ada", "1.1", 1, "right", "yes.", "b.ipynb", 0.0)


def test_no_spreadsheet_takes_a_text_for_a_formula():
    row = Row("=1+1", "1.1", 0, "failed", "+a\nb \udc80", "-x", 0.0)
    assert [grading._harmless(value) for value in row] == ["'=1+1", "1.1", 0, "failed", "'+a b ?", "'-x", 0.0]


def test_the_page_of_mistakes_counts_sentences_and_escapes_them():
    rows = [Row(student, "2.10", 0, "not yet", "found <b>.", "", 0.0) for student in ("ada", "bob")]
    rows += [Row("eve", "2.10", 0, "not yet", "another.", "", 0.0), Row("eve", "2.9", 1, "right", "why.", "", 0.0)]
    page = grading.page(rows)
    assert page.index(">2<") < page.index("found &lt;b&gt;.") < page.index("another.")
    assert page.index("2.9: 1 of 1 right") < page.index("2.10: 0 of 3 right")
    assert "ada" not in page and "why." not in page
