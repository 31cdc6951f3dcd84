"""What a page without a kernel says of an answer is what the check says of it."""

import functools
import json
import random
import re
import shutil
import subprocess
from itertools import product

import pytest
from helpers import ROOT

from simlib_course import lessons
from simlib_course.answers import NotYet, number
from simlib_course.lessons import lesson2
from simlib_course.web import asset
from simlib_course.web.exercises import COUNTS, RULES, asked, exercise_html, filled, packed, returning, worked_out_data

SCRIPT = ROOT / "simlib_course/web/exercise.js"
NODE = shutil.which("node")
ABSURD = ["", " ", "...", "abc", "ten", "0,5", "1e3", "1e400", "-1e400", "-5", "-0", "1e-7", "123456789012345678"]
ABSURD += ["1e22", "1_000", "٣", "'30'", '"30"', "it's", 'a "b" c\'d', "x" * 90]
ABSURD += ["back\\slash", "1.0", "0.1e1", "54 %", "53,85%", "0,54 ", ",5", "5 %%", "1,000,000"]
ABSURD += ["+7", "--3", "nan", "inf", "0x10", "3 4", "☃"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not NODE, reason="node, which runs the pages' script, is not installed"),
]


def typed(text):
    """What was typed into a field for a number, as the page reads it: a number, or else the text itself."""
    try:
        value = float(number(text))
    except NotYet:
        return text.strip()
    return int(value) if abs(value) < 1e15 and value.is_integer() else value  # larger ones are not exact there


@functools.cache
def table(number):
    """What pages hold to check an exercise."""
    return json.loads(json.dumps(worked_out_data(number)))


@pytest.fixture
def on_the_page():
    """A function of an exercise and of what is typed, several times: what the page says."""

    def said(number, answers):
        script = f"""
            const {{ verdict }} = require({json.dumps(str(SCRIPT))});
            const [data, answers] = JSON.parse(require("fs").readFileSync(0, "utf8"));
            console.log(JSON.stringify(answers.map(answer => verdict(data, answer))));
        """
        given = json.dumps([table(number), answers])
        ran = subprocess.run([NODE, "-e", script], input=given, capture_output=True, text=True, check=True)
        return [tuple(one) for one in json.loads(ran.stdout)]

    return said


def differing(said, number, answers, meant):
    """The answers of which the page says another thing than the check."""
    found = zip(answers, said(number, answers), strict=True)
    return [(given, page) for given, page in found if page != tuple(lessons.verdict(number, meant(given)))]


def some(number, count):
    """Numbers as they are typed: those around the truths, others, and absurd ones."""
    draw = random.Random(f"{number} {count}")
    near = [str(value) for value in range(161)]
    kinds = [lambda: draw.choice(near), lambda: str(draw.randint(-500, 5000)), lambda: draw.choice(ABSURD)]
    kinds += [lambda: f"{draw.uniform(-2, 12):.{draw.randint(0, 9)}f}", lambda: repr(draw.uniform(-1e3, 1e7))]
    return [draw.choice(kinds)() for _ in range(count)]


@pytest.mark.parametrize("number", ["1.1", "1.2", "2.1", "3.1", "3.3"])
def test_numbers_are_judged_as_the_check_does(on_the_page, number):
    parts = list(table(number)["ranges"])
    every = [*map(str, range(161))]
    answers = [
        dict(zip(parts, pair, strict=True))
        for pair in zip(*[some(f"{number}{part}", 200) for part in parts], strict=True)
    ]
    said = table(number)["said"]
    if len(parts) == 2:  # the second part is looked at where the first is right
        ends = [end for end, _ in table(number)["ranges"][parts[0]]]
        right = [str(end) for end in ends if end == int(end) and end < 1e9]
        answers += [{parts[0]: first, parts[1]: second} for first in right for second in (*every, *ABSURD)]
    else:
        answers += [{parts[0]: text} for text in (*ABSURD, *(str(step / 20) for step in range(140)))]

    def meant(given):
        values = {name: typed(text) for name, text in given.items()}
        if any(text.strip() in ("", "...") for text in given.values()):
            return ...
        return values if len(parts) == 2 else values[parts[0]]

    assert differing(on_the_page, number, answers, meant) == []
    statuses = {status for status, _ in on_the_page(number, answers)}
    assert statuses == {"right", "not yet", "waiting"} and said


def test_orders_are_judged_as_the_check_does(on_the_page):
    draw = random.Random(3)
    lots = [draw.choices(["P", "Q", "R", "S", "T"], k=draw.randint(1, 7)) for _ in range(300)]
    lots += [draw.sample(["P", "Q", "R", "S", "T"], k=5) for _ in range(300)]
    lots += [["p"], list("qsprt"), ["P", "X"], ["P", "Q", "R", "S", "it"]]
    answers = [{"order": draw.choice([" ", ",", ", "]).join(lot)} for lot in lots] + [{"order": '["P", "Q"]'}]
    assert differing(on_the_page, "1.3", answers, lambda given: re.findall(r"\w+", given["order"])) == []
    assert on_the_page("1.3", [{"order": " "}])[0][0] == "waiting"


def test_choices_are_judged_as_the_check_does(on_the_page):
    answers = [dict(zip("CDEF", words, strict=True)) for words in product(["shadow", "extra", "no", ""], repeat=4)]
    assert differing(on_the_page, "2.2", answers, lambda given: ... if "" in given.values() else given) == []


LONG = [pytest.param(number, marks=pytest.mark.thorough) for number in ("1.4", "2.3")]  # to work out the page's table


@pytest.mark.parametrize("number", [*LONG, "3.2"])
def test_tables_are_judged_as_the_check_does(on_the_page, number):
    draw = random.Random(number)
    fields = asked()[number].fields
    given = {field.name: field.given for field in fields}

    def value(name):
        if "procs" in name:
            return str(draw.randint(1, 10 if number == "1.4" else 4))
        if name == "submit":
            return str(draw.randint(0, 25))
        return str(draw.choice([draw.randint(0, 25), draw.randint(0, 320), 10**9]))

    answers = [given]
    for _ in range(60):
        answer = {name: value(name) for name in given}
        if "estimate" in answer and draw.random() < 0.9:
            answer["estimate"] = answer["run"]
        answers.append(answer)
    wild = ["abc", "-1", "", "1e3", "3.5", "1000000001", " 7 ", "1_0", "99", "it's"]
    wild = [text for text in wild if text.strip()]
    answers += [answers[place] | {draw.choice(list(given)): draw.choice(wild)} for place in range(20)]
    outside = on_the_page(number, answers)
    inside = [one for one, said in zip(answers, outside, strict=True) if said[0] != "outside"]
    assert len(answers) - len(inside) <= 16
    assert differing(on_the_page, number, inside, lambda typed: filled(number, typed)) == []


@pytest.mark.parametrize("number, lines", [("2.4", RULES), ("3.4", COUNTS)])
def test_the_line_that_is_chosen_is_judged_as_the_check_does_and_one_is_right(on_the_page, number, lines):
    parameters = {"2.4": lesson2.VALUES, "3.4": ["jobs"]}[number]
    (part,) = [field.name for field in asked()[number].fields]
    answers = [{part: text} for text in ("", *lines)]
    assert (
        differing(
            on_the_page, number, answers, lambda given: returning(parameters, given[part]) if given[part] else ...
        )
        == []
    )
    statuses = [status for status, _ in on_the_page(number, answers)]
    assert statuses[0] == "waiting" and statuses.count("right") == 1


@pytest.mark.thorough
def test_no_answer_can_be_read_and_all_is_small():
    for lesson in "123":
        pieces = [packed(table(number)) for number in asked() if number.startswith(lesson)]
        assert sum(map(len, pieces)) < 60_000
    assert len(asset("exercise.js")) + len(asset("exercise.css")) < 15_000
    assert not re.search(r"\beval\b|\bFunction\(|https?:|\bfetch\(", asset("exercise.js"))
    assert not re.search("[Ss]lider|quotes", str([table(number)["said"] for number in asked()]))  # a page has none
    text = exercise_html("2.1", "solutions/lesson2-easy.html")
    assert "extra of them" not in text and "shadow time is right" not in text
