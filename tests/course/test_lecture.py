"""What a lecturer gets: pages on all exercises, sheets and slides with the lessons' own numbers, links that hold."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pytest
from click.testing import CliRunner
from helpers import ROOT
from PIL import Image
from test_lessons import cells, said

import simlib
from simlib import EASY, FCFS, Conservative
from simlib.analysis.stats import batch_means
from simlib_course import lessons
from simlib_course.grading import handout
from simlib_course.lecture import DOCS, sheets, slides
from simlib_course.lecture import __main__ as commands
from simlib_course.lessons import january, lesson1, lesson2, lesson3, lesson4, lesson5

NOTEBOOKS = ROOT / "notebooks" / "teaching"
LESSONS = [path for path in sorted(NOTEBOOKS.glob("lesson*.ipynb"))]
NAMES = [path.stem.split("-")[0] for path in LESSONS]  # such as lesson4a
SECTIONS = ["What to say", "What students believe, and what helps", "Where a class gets stuck"]
SECTIONS += ["Questions to discuss", "The answers, and why"]


def page(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def plan(text):
    """The minutes of a lesson's plan."""
    return re.findall(r"(?m)^\| (\d+-\d+) \|", text)


# Pages


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_a_page_follows_its_lesson(path):
    name = path.stem.split("-")[0]
    text, cells = page(name), nbformat.read(path, as_version=4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    asked = list(dict.fromkeys(handout.checked(code)))
    minutes = [tuple(map(int, row.split("-"))) for row in plan(text)]
    assert [start for start, _ in minutes] == [0, *(end for _, end in minutes[:-1])] and minutes[-1][1] <= 30
    assert re.findall(r"(?m)^## (.*)", text) == SECTIONS
    stuck = text.split(f"## {SECTIONS[2]}")[1].split("## ")[0]
    why = text.split(f"## {SECTIONS[4]}")[1]
    assert [number for number in asked if f"**{number}**" not in stuck or f"**{number}**" not in why] == []
    assert f"notebooks/teaching/{path.name}" in text and f"slides/{name}.ipynb" in text


def test_the_links_of_the_pages_lead_somewhere():
    lost = {}
    for path in sorted(DOCS.glob("*.md")):
        links = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))
        gone = [link for link in links if "://" not in link and not (path.parent / link).exists()]
        lost |= {path.name: gone} if gone else {}
    assert lost == {}


@pytest.mark.slow
def test_the_numbers_in_the_prose_are_those_of_a_run(log):
    log("KTH-SP2")
    month = january()
    easy, conservative = (simlib.simulate(month, policy).jobs for policy in (EASY(), Conservative()))
    narrow, wide = month.jobs.procs == 1, month.jobs.procs > 32
    slowdown, hours = easy.bounded_slowdown, {"EASY": easy.wait / 3600, "conservative": conservative.wait / 3600}
    low, high = (simlib.simulate(month.scale_load(load), FCFS()).jobs.wait.mean() for load in (0.25, 0.3))
    assert low < easy.wait.mean() < high
    heel = {type(policy): simlib.simulate(lesson4.heel_and_toe(2), policy).jobs for policy in (EASY(), Conservative())}
    short = (month.jobs.run / month.jobs.estimate)[month.jobs.run <= 60]
    work = simlib.simulate(month, EASY(order=work_first)).jobs.wait.max() / 3600
    hour = simlib.simulate(month, EASY(order=hour_first)).jobs.wait.max() / 3600
    said = {
        "lesson1": ["Between a load of 0.25 and one of 0.30", f"the month's own load, {month.load:.2f}"],
        "lesson3": [
            f"wait {hours['conservative'][wide].mean():.1f} h in the mean under",
            f"conservative and {hours['EASY'][wide].mean():.1f} h under EASY; jobs of one processor "
            f"{hours['conservative'][narrow].mean():.1f} h and {hours['EASY'][narrow].mean():.1f} h",
        ],
        "lesson4a": [
            f"long estimates: {heel[Conservative].guarantee['wide']} s",
            f"starts at {heel[Conservative].start['wide']} s",
            f"under EASY at {heel[EASY].start['wide']} s",
        ],
        "lesson4b": [f"jobs of up to a minute use {short.mean():.0%}".replace("%", " %")],
        "lesson5a": [
            f"slowdown of the month under EASY is {slowdown.mean():.1f}, the median {slowdown.median():.1f}, and "
            f"{(slowdown < slowdown.mean()).mean():.0%} of the jobs".replace("%", " %")
        ],
        "lesson6": [
            f"lets one job wait for {work:.1f} h; {1.5 * easy.wait.max() / 3600:.1f} h are allowed",
            f"with a longest wait of {hour:.1f} h",
        ],
    }
    flat = {name: " ".join(page(name).split()) for name in said}
    assert {
        name: lost for name, texts in said.items() if (lost := [text for text in texts if text not in flat[name]])
    } == {}


def test_the_numbers_of_exercises_in_the_prose_are_those_without_a_seed():
    lessons.use_seed("")
    first, head = lesson1.queue().jobs, lesson2.queue().jobs
    early = simlib.simulate(lesson3.early(), Conservative("rebackfill")).jobs.start["first"]
    exact, doubled = (simlib.simulate(lesson4.heel_and_toe(factor), EASY()).jobs for factor in (1, 2))
    said = {
        "lesson1": [f"some give {first.submit['C']} s, when C arrives", f"A holds {first.procs['A']} of 10 processors"],
        "lesson2": [
            f"some wait for job B and give {head.run['B']} s",
            f"or {10 - head.procs[['A', 'B']].sum()}, those",
        ],
        "lesson3": [
            f"*backfill* comes at {lesson2.passing().jobs.submit['backfill']} s",
            f"{early} s for the first job",
        ],
        "lesson4a": [
            f"{doubled.estimate['B']}, the shadow time before B ended; {doubled.end['s2']}, when s2 really ends",
            f"It started at {exact.start['s2']} s with exact estimates",
        ],
        "lesson5a": ["{wait} / {run}, the wait in the place".format(**lesson5.example())],
    }
    texts = {name: " ".join(page(name).split()) for name in said}
    assert [(name, text) for name, some in said.items() for text in some if text not in texts[name]] == []
    assert not re.search(r"\d+ s\b", page("lesson4b").partition("**4.5**")[2])


def work_first(wait, estimate, procs):
    return -estimate * procs


def hour_first(wait, estimate, procs):
    return 1.0 if estimate <= 3600 else 0.0


@pytest.mark.slow
def test_the_batches_of_the_page_on_luck():
    from simlib_course.lessons.lesson5 import responses

    found = {size: batch_means(responses(), batch=size) for size in (1500, 2500, 5000, 9000, 10000)}
    alike = {size: batches.lag1 > 2 / batches.batches**0.5 for size, batches in found.items()}
    assert alike == {1500: True, 2500: False, 5000: False, 9000: False, 10000: False}
    assert found[9000].batches == 10 and found[10000].batches == 9
    assert "batches of 10,000 leave nine" in " ".join(page("lesson5b").split())


# Sheets


@pytest.mark.parametrize("number", ["2.1", "2.2", "3.1", "3.3"])
def test_a_sheet_has_the_jobs_of_its_exercise_and_its_solution_the_right_answer(number):
    sheet = next(sheet for sheet in sheets.sheets() if sheet.number == number)
    with plt.rc_context(sheets.PRINTED):  # so that equal charts have equal names in them
        given, solved = sheets.html(sheet), sheets.html(sheet, solved=True)
        assert sheets._chart(sheet, "Room to draw", None) in given
    for job, row in sheet.jobs.jobs.iterrows():
        assert all(f"<td>{value}</td>" in given for value in (job, *row[["submit", "procs", "estimate"]]))
    words = [int(answer) if answer.isdigit() else answer for answer in sheet.answers]
    parts = dict(zip([blank.split()[0] for blank in sheet.blanks], words, strict=True))
    assert lessons.verdict(number, parts).status == "right"
    assert all(f"<b>{answer}</b>" in solved for answer in sheet.answers)
    assert given.count("________</b>") == len(sheet.blanks)
    assert number[0] == "3" or "H" not in sheet.given.jobs.index  # which is to be drawn


@pytest.mark.slow
def test_the_sheets_of_a_seed_are_the_same_each_time_and_ask_nothing_of_other_hosts(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "BUILT", tmp_path)
    printed = CliRunner().invoke(commands.commands, ["sheets", "--seed", "Ada Lovelace"]).output.split()
    first = [Path(path).read_text(encoding="utf-8") for path in printed]
    lessons.use_seed("Ada Lovelace")
    again = sheets.sheets()[0]
    with plt.rc_context(sheets.PRINTED):
        assert [sheets.html(again, solved) in text for solved, text in enumerate(first)] == [True, True]
    assert sheets._table(lesson2.queue()) in first[0]
    lessons.use_seed("")
    for text in first:
        assert text.count("<section>") == 4 and not re.search(r"<(script|img|link)|url\(h", text)


# Slides


def test_every_lesson_has_a_deck_of_six_slides_with_pictures():
    assert [path.stem for path in slides.sources()] == NAMES
    for path in slides.sources():
        cells = nbformat.read(path, as_version=4).cells
        kinds = [cell.metadata["slideshow"]["slide_type"] for cell in cells]
        heads = [cell.source for cell, kind in zip(cells, kinds, strict=True) if kind == "slide"]
        assert len(heads) == 6 and all(head.startswith("## ") for head in heads)
        code = [cell for cell in cells if cell.cell_type == "code"]
        assert kinds[0] == "skip" and len(code) >= 6 and not any(cell.outputs for cell in code)


@pytest.mark.parametrize("path", slides.sources(), ids=lambda path: path.stem)
def test_every_slide_has_notes_to_speak_from(path):
    notes = slides.notes(path.stem)
    assert len(notes) == 6 and all(note.startswith("**Minutes ") for note in notes)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize("path", slides.sources(), ids=lambda path: path.stem)
def test_the_cells_of_a_deck_run(path):
    assert said(cells(path)) == []  # no slide has a check


def test_the_command_writes_the_decks_that_are_asked_for(monkeypatch):
    monkeypatch.setattr(slides, "write", lambda source: source.name)
    assert CliRunner().invoke(commands.commands, ["slides", "lesson1"]).output == "lesson1.ipynb, 0 s\n"


def test_a_deck_that_does_not_exist_is_an_error_that_says_which_do():
    with pytest.raises(ValueError, match="found lesson9, expected some of lesson1, "):
        slides.sources(["lesson9"])


@pytest.mark.slow
def test_a_deck_needs_no_network_and_shows_neither_code_nor_warnings(tmp_path, monkeypatch):
    monkeypatch.setattr(slides, "DOCS", tmp_path)
    (tmp_path / "lesson7.md").write_text(
        "| minutes | slide | say |\n| --- | --- | --- |\n| 0-5 | 1 | Ask *who*. |\n| 5-9 | - | Wait. |\n"
    )
    new = nbformat.v4
    cells = [
        new.new_markdown_cell("## One"),
        new.new_code_cell("import warnings\nwarnings.warn('SYNTHETIC')\nanswer = 6 * 7\nanswer"),
    ]
    cells.append(new.new_code_cell("print('PREPARED')"))
    for cell, kind in zip(cells, ("slide", "-", "skip"), strict=True):
        cell.metadata["slideshow"] = {"slide_type": kind}
    nbformat.write(new.new_notebook(cells=cells), tmp_path / "lesson7.ipynb")
    text = slides.write(tmp_path / "lesson7.ipynb", tmp_path).read_text(encoding="utf-8")
    assert text.count("<section>") == 1 and ">One<" in text and "42" in text and "Lesson 7, slide" in text
    notes = text.split("<aside>")[1].split("</aside>")[0]
    assert "<em>who</em>" in notes and "Wait." in notes
    assert not any(word in text for word in ("answer", "SYNTHETIC", "PREPARED"))
    assert re.findall(r"(?:src|href)=.?(?:https?:)?//\S+", text) == []


# Thumbnails


def test_each_lesson_has_a_small_picture_that_the_page_of_lessons_shows():
    page = (ROOT / "docs" / "tutorials" / "lessons.md").read_text()
    for lesson in LESSONS:
        picture = ROOT / "docs/_static/lessons" / f"{lesson.stem}.png"
        with Image.open(picture) as small:
            assert small.size == (240, 130)
        assert (
            f"(../_static/lessons/{picture.name}) | [" in page and f"](../../notebooks/teaching/{lesson.name})" in page
        )
