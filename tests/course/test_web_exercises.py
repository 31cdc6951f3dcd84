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

from simlib.course import lessons
from simlib.course.lessons import lesson1, lesson2
from simlib.course.web import asset
from simlib.course.web.exercises import OWN, asked, exercise_html, filled, packed, typed, worked_out_data

SCRIPT = ROOT / "simlib/course/web/exercise.js"
NODE = shutil.which("node")
ABSURD = ["", " ", "...", "abc", "ten", "0,5", "1e3", "1e400", "-1e400", "-5", "-0", "1e-7", "123456789012345678"]
ABSURD += ["1e22", "1_000", "٣", "'30'", '"30"', "it's", 'a "b" c\'d', "x" * 90, "back\\slash", "1.0", "0.1e1"]
ABSURD += ["+7", "--3", "nan", "inf", "0x10", "3 4", "☃"]
RULES = [
    "procs <= free and (now + estimate <= shadow or procs <= extra)",
    "procs <= free and now + estimate <= shadow or procs <= extra",
    "procs<=extra or procs <= free and now+estimate < shadow",
    "(procs <= free) & ((now + estimate <= shadow) | (procs <= extra))",
    "not procs > free and not (now + estimate > shadow and procs > extra)",
    "return procs <= free",
    "return(procs <= free)",
    "now < estimate < shadow",
    "procs <= free <= extra == extra",
    "True",
    "False",
    "procs",
    "procs and free",
    "procs - free * -1",
    "not not procs <= fre",
    "procs <= free and missing",
    "procs == procs or missing",
    "1",
    "now + True == 6",
]
COUNTS = [
    "(jobs.start > jobs.guarantee).sum()",
    'sum(jobs["start"] > jobs["guarantee"])',
    "(jobs.guarantee < jobs.start).sum() * 1",
    "(jobs.start != jobs.guarantee).sum()",
    "(jobs.start >= jobs.guarantee).sum()",
    "(~(jobs.start <= jobs.guarantee)).sum()",
    "((jobs.start > jobs.guarantee) & (jobs.procs > 0)).sum()",
    "((jobs.start - jobs.guarantee) > 0).sum()",
    "jobs.start > jobs.guarantee",
    "jobs.start",
    "jobs",
    "jobs.start and jobs.guarantee",
    "not jobs.start",
    "jobs.start < jobs.end < jobs.guarantee",
    "0",
    "1",
    "2 - 1",
    "-3",
    "True",
    "job.start",
    "jobs.start.sum() - jobs.guarantee.sum()",
]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not NODE, reason="node, which runs the pages' script, is not installed"),
]


@functools.cache
def table(number):
    """What pages hold to check an exercise."""
    return json.loads(json.dumps(worked_out_data(number, asked()[number])))


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
        for pair in zip(*[some(f"{number}{part}", 500) for part in parts], strict=True)
    ]
    said = table(number)["said"]
    if len(parts) == 2:  # the second part is looked at where the first is right
        ends = [end for end, _ in table(number)["ranges"][parts[0]]]
        right = [str(end) for end in ends if end == int(end) and end < 1e9]
        answers += [{parts[0]: first, parts[1]: second} for first in right for second in (*every, *ABSURD)]
    else:
        answers += [{parts[0]: text} for text in (*ABSURD, *(str(step / 500) for step in range(3500)))]

    def meant(given):
        values = {name: typed(text) for name, text in given.items()}
        if any(text.strip() in ("", "...") for text in given.values()):
            return ...
        return values if len(parts) == 2 else values[parts[0]]

    assert differing(on_the_page, number, answers, meant) == []
    statuses = {status for status, _ in on_the_page(number, answers)}
    assert statuses == {"right", "not yet", "waiting"} and said


@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
def test_loads_with_two_decimals_are_judged_as_the_check_does_and_no_others(on_the_page):
    answers = [
        {"load": text}
        for text in ("0.70", "1", "2", "1.5", "-1", "0", "abc", *(str(step / 100) for step in range(1, 160)))
    ]
    assert differing(on_the_page, "1.5", answers, lambda given: typed(given["load"])) == []
    low = lesson1.meeting_load()
    assert on_the_page("1.5", [{"load": str(low + 0.0123)}])[0][0] == "right"
    assert on_the_page("1.5", [{"load": "0.9123"}, {"load": "0.1001"}]) == [("outside", OWN["outside"])] * 2


def test_orders_are_judged_as_the_check_does(on_the_page):
    draw = random.Random(3)
    lots = [draw.choices(["P", "Q", "R", "S", "T"], k=draw.randint(1, 7)) for _ in range(300)]
    lots += [draw.sample(["P", "Q", "R", "S", "T"], k=5) for _ in range(300)]
    lots += [["p"], ["P", "X"], ["P", "Q", "R", "S", "it"]]
    answers = [{"order": draw.choice([" ", ",", ", "]).join(lot)} for lot in lots] + [{"order": '["P", "Q"]'}]
    assert differing(on_the_page, "1.3", answers, lambda given: re.findall(r"\w+", given["order"])) == []
    assert on_the_page("1.3", [{"order": " "}])[0][0] == "waiting"


def test_choices_are_judged_as_the_check_does(on_the_page):
    answers = [dict(zip("CDEF", words, strict=True)) for words in product(["shadow", "extra", "no", ""], repeat=4)]
    assert differing(on_the_page, "2.2", answers, lambda given: ... if "" in given.values() else given) == []


@pytest.mark.parametrize("number", ["1.4", "2.3", "3.2"])
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
    for _ in range(700):
        answer = {name: value(name) for name in given}
        if "estimate" in answer and draw.random() < 0.9:
            answer["estimate"] = answer["run"]
        answers.append(answer)
    wild = ["abc", "-1", "", "1e3", "3.5", "1000000001", " 7 ", "1_0", "99", "it's"]
    wild = [text for text in wild if text.strip()]
    answers += [answers[place] | {draw.choice(list(given)): draw.choice(wild)} for place in range(150)]
    outside = on_the_page(number, answers)
    inside = [one for one, said in zip(answers, outside, strict=True) if said[0] != "outside"]
    assert len(answers) - len(inside) <= 50
    assert differing(on_the_page, number, inside, lambda typed: filled(number, typed)) == []


def test_rules_are_judged_as_the_check_does(on_the_page):
    def meant(given):
        names = ", ".join(lesson2.VALUES)
        return eval(f"lambda {names}: {given['rule'].removeprefix('return')}")

    draw = random.Random(0)
    names = [*lesson2.VALUES, "3", "25"]

    def drawn(depth=0):
        if depth > 2 or draw.random() < 0.2:
            left, right, more = draw.choices(names, k=3)
            return f"{left} {draw.choice(['<=', '<', '==', '>', '>=', '!='])} {right} {draw.choice('+-*')} {more}"
        shape = draw.choice(["({} and {})", "{} or {}", "not ({} or {})", "({}) and not {}"])
        return shape.format(drawn(depth + 1), drawn(depth + 1))

    answers = [{"rule": text} for text in (*RULES, *(drawn() for _ in range(300)))]
    assert differing(on_the_page, "2.4", answers, meant) == []


def test_functions_of_a_table_are_judged_as_the_check_does(on_the_page):
    def meant(given):
        return eval(f"lambda jobs: {given['count']}")

    assert differing(on_the_page, "3.4", [{"count": text} for text in COUNTS], meant) == []


@pytest.mark.parametrize(
    "text", ["procs <=", "(procs", "procs)", "procs free", "1.5", "procs = free", "@", "07", "a.b.", "procs <= free:"]
)
def test_what_is_no_expression_is_said_to_be_none(on_the_page, text):
    assert on_the_page("2.4", [{"rule": text}])[0] == ("not yet", OWN["unreadable"])


ONLY_PYTHON = ["True if procs <= free else False", "min(procs, free)", "globalThis.alert()", "procs.constructor"]


@pytest.mark.parametrize("text", [*ONLY_PYTHON, "1 .sum()", "9" * 16])
def test_what_only_python_can_judge_is_said_to_be_outside(on_the_page, text):
    assert on_the_page("2.4", [{"rule": text}])[0][0] in ("outside", "not yet")
    assert on_the_page("2.4", [{"rule": "procs if free else now"}])[0] == ("outside", OWN["outside"])


def test_an_empty_field_waits(on_the_page):
    assert on_the_page("2.4", [{"rule": ""}, {"rule": "..."}]) == [("waiting", "2.4 is waiting for your answer.")] * 2


def test_no_answer_can_be_read_and_all_is_small():
    for lesson in "123":
        pieces = [packed(table(number)) for number in asked() if number.startswith(lesson)]
        assert sum(map(len, pieces)) < 60_000
    assert len(asset("exercise.js")) + len(asset("exercise.css")) < 15_000
    assert not re.search(r"\beval\b|\bFunction\(|https?:|\bfetch\(", asset("exercise.js"))
    text = exercise_html("2.1", "solutions/lesson2-easy.html")
    assert "extra of them" not in text and "shadow time is right" not in text
