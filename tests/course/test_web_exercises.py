"""What a page without a kernel says of an answer is what the check says of it."""

import functools
import json
import re
import shutil
import subprocess

import nbformat
import pytest
from click.testing import CliRunner
from helpers import ROOT

from simlib_course import lessons
from simlib_course.web import asset
from simlib_course.web.__main__ import put_in
from simlib_course.web.exercises import asked, exercise_html, worked_out

SCRIPT = ROOT / "simlib_course/web/exercise.js"
NODE = shutil.which("node")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not NODE, reason="node, which runs the pages' script, is not installed"),
]


@functools.cache
def table(number):
    """What pages hold to check an exercise."""
    return json.loads(json.dumps(worked_out(number)))


def on_the_page(number, answers):
    """What the page says of what is typed, several times."""
    script = f"""
        const {{ verdict }} = require({json.dumps(str(SCRIPT))});
        const [data, answers] = JSON.parse(require("fs").readFileSync(0, "utf8"));
        console.log(JSON.stringify(answers.map(answer => verdict(data, answer))));
    """
    ran = subprocess.run(
        [NODE, "-e", script], input=json.dumps([table(number), answers]), capture_output=True, text=True, check=True
    )
    return [tuple(one) for one in json.loads(ran.stdout)]


TYPED = {
    "1.1": [
        ("40", "4"),
        ("40 s", "4"),
        ("10", "4"),
        ("999", "4"),
        ("-3", "4"),
        ("40", "10"),
        ("40", "6"),
        ("40", "99"),
    ],
    "1.2": "0.54 0,54 .54 53,8% 53.8 54 27/50 7/13 0.5385 0.5334 0.5335 0.5434 0.5435 0 1 1.1 5.38 -2 100 7e4".split()
    + ["54 %", "53.85 %", " 0.54 ", "half", "0,0,54", "1 000"],
    "1.3": ["PRQST", "P R Q S T", "q,s, p r; t", "P>R>Q>S>T", "P-R-Q-S-T", "P R Q S T.", "job P, job R, Q and S then T"]
    + ['["P", "R", "Q", "S", "T"]', "P Q R S T", "P R Q S", "P R Q S T T", "P P", "R S"],
    "2.1": [("30", "2"), ("30 s", "2 processors"), ("60", "5"), ("30", "3"), ("30", "7"), ("12", "2")],
    "3.2": ["17", "17 s", "18", "16", "0", "999"],
    "3.3": [("90", "20"), ("100", "20"), ("70", "20"), ("90", "40")],
}
"""What is typed into the fields of a page; where the page has another sentence its verdict is the same."""


@pytest.mark.parametrize("number", [*list(TYPED)[:-1], pytest.param("3.3", marks=pytest.mark.thorough)])
def test_what_is_typed_on_a_page_gets_the_verdict_of_the_check(number):
    names = [field.name for field in asked()[number].fields]
    answers = [dict(zip(names, [typed] if isinstance(typed, str) else typed, strict=True)) for typed in TYPED[number]]
    alone = number in ("1.2", "1.3")
    expected = [
        lessons.verdict(number, *answer.values()) if alone else lessons.verdict(number, answer) for answer in answers
    ]
    found = on_the_page(number, answers)
    assert [status for status, _ in found] == [status for status, _ in expected]
    read = [(page, check) for page, check in zip(found, expected, strict=True) if "found " not in check.sentence]
    assert len(read) >= 4 and [page for page, _ in read] == [tuple(check) for _, check in read]
    assert {status for status, _ in found} == {"right", "not yet"}


@pytest.mark.parametrize("number", ["2.4", "3.4"])
def test_of_the_lines_that_can_be_chosen_one_is_right_and_an_empty_field_waits(number):
    (field,) = asked()[number].fields
    found = on_the_page(number, [{field.name: line} for line in ["", *field.values]])
    assert found[0] == ("waiting", f"{number} is waiting for your answer.")
    assert [status for status, _ in found].count("right") == 1


def test_on_a_page_the_cell_of_an_exercise_is_hidden_and_its_form_shown(tmp_path):
    new, path = nbformat.v4, tmp_path / "lesson1.ipynb"
    cells = [new.new_code_cell(source) for source in ('lessons.check("1.1", start=..., free=...)', "1 + 1")]
    nbformat.write(new.new_notebook(cells=cells), path)
    assert CliRunner().invoke(put_in, [str(path)]).exit_code == 0
    asked, other = nbformat.read(path, as_version=4).cells
    assert "remove-input" in asked.metadata.tags and 'data-number="1.1"' in asked.outputs[0].data["text/html"]
    assert "tags" not in other.metadata and other.outputs == []


@pytest.mark.thorough
def test_every_exercise_has_a_right_answer_and_no_answer_can_be_read_and_all_is_small():
    pieces = {number: exercise_html(number, "solutions/lesson.html", assets=False) for number in asked()}
    assert all("right" in dict(table(number)["said"]) for number in asked())
    assert all(sum(len(piece) for number, piece in pieces.items() if number[0] == lesson) < 20_000 for lesson in "123")
    assert len(asset("exercise.js")) + len(asset("exercise.css")) < 12_000
    assert not re.search(r"\beval\b|\bFunction\(|https?:|\bfetch\(", asset("exercise.js"))
    assert all("Right" not in piece and "shadow time is right" not in piece for piece in pieces.values())
