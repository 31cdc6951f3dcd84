"""What a lecturer gets: pages on all exercises, sheets and slides with the lessons' own numbers, links that hold."""

import base64
import re

import nbformat
import pandas as pd
import pytest
from helpers import ROOT
from matplotlib.text import Text
from PIL import Image

import simlib
from simlib import EASY, FCFS, Conservative
from simlib.analysis.stats import batch_means
from simlib.course import lecture, lessons
from simlib.course.grading import handout
from simlib.course.lecture import DOCS, sheets, slides
from simlib.course.lessons import january, lesson4

NOTEBOOKS = ROOT / "notebooks" / "teaching"
LESSONS = [path for path in sorted(NOTEBOOKS.glob("lesson*.ipynb"))]
NAMES = [path.stem.split("-")[0] for path in LESSONS]  # such as lesson4a
SECTIONS = ["What to say", "What students believe, and what helps", "Where a class gets stuck"]
SECTIONS += ["Questions to discuss", "The answers, and why"]


def page(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def asked(text):
    """The exercises whose answers a page has."""
    return [number for numbers in re.findall(r"<!-- answers: ([A\d. ]+) -->", text) for number in numbers.split()]


def plan(text):
    """The minutes of a lesson's plan."""
    return re.findall(r"(?m)^\| (\d+-\d+) \|", text)


# Pages


def test_the_pages_have_the_answer_of_every_exercise_once():
    numbers = [number for path in sorted(DOCS.glob("*.md")) for number in asked(path.read_text("utf-8"))]
    assert sorted(numbers) == sorted(number for lesson in lessons.LESSONS for number in lessons.exercises(lesson))


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_a_page_follows_its_lesson(path):
    name = path.stem.split("-")[0]
    text, cells = page(name), nbformat.read(path, as_version=4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert asked(text) == list(dict.fromkeys(handout.checked(code)))
    assert plan(text) == plan(cells[0].source)
    assert re.findall(r"(?m)^## (.*)", text) == SECTIONS
    stuck = text.split(f"## {SECTIONS[2]}")[1].split("## ")[0]
    assert [number for number in asked(text) if f"**{number}**" not in stuck] == []
    assert f"notebooks/teaching/{path.name}" in text and f"slides/{name}.ipynb" in text


def test_the_links_of_the_pages_lead_somewhere():
    lost = {}
    for path in sorted(DOCS.glob("*.md")):
        links = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))
        gone = [link for link in links if "://" not in link and not (path.parent / link).exists()]
        lost |= {path.name: gone} if gone else {}
    assert lost == {}


@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted(lecture.SOLUTIONS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_answers_on_a_page_are_what_the_solution_says_on_the_real_log(path, log):
    log("KTH-SP2")
    text = page(path.stem.split("-")[0])
    assert lecture.with_answers(text, lecture.of_solution(path)) == text, "run python -m simlib.course.lecture answers"


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


def work_first(wait, estimate, procs):
    return -estimate * procs


def hour_first(wait, estimate, procs):
    return 1.0 if estimate <= 3600 else 0.0


@pytest.mark.slow
def test_the_batches_of_the_page_on_luck():
    from simlib.course.lessons.lesson5 import responses

    found = {size: batch_means(responses(), batch=size) for size in (1500, 2500, 5000, 9000, 10000)}
    alike = {size: batches.lag1 > 2 / batches.batches**0.5 for size, batches in found.items()}
    assert alike == {1500: True, 2500: False, 5000: False, 9000: False, 10000: False}
    assert found[9000].batches == 10 and found[10000].batches == 9
    assert "batches of 10,000 leave nine" in " ".join(page("lesson5b").split())


# Sheets


def in_words(figure):
    """All texts of a figure, also those of its tables."""
    cells = [cell for ax in figure.axes for table in ax.tables for cell in table.get_celld().values()]
    return [text.get_text() for text in [*figure.findobj(Text), *(cell.get_text() for cell in cells)]]


@pytest.mark.parametrize("number", ["2.1", "2.2", "3.1", "3.3"])
def test_a_sheet_has_the_jobs_of_its_exercise_and_its_solution_the_right_answer(number):
    sheet = next(sheet for sheet in sheets.sheets() if sheet.number == number)
    given, solved = in_words(sheets.page(sheet)), in_words(sheets.page(sheet, solved=True))
    for job, row in sheet.jobs.jobs.iterrows():
        assert {str(job), *map(str, row[["submit", "procs", "estimate"]])} <= set(given)
    words = [int(answer) if answer.isdigit() else answer for answer in sheet.answers]
    parts = dict(zip([blank.split()[0] for blank in sheet.blanks], words, strict=True))
    assert lessons.verdict(number, parts).status == "right"
    assert set(sheet.answers) <= set(solved) and given.count("________") == len(sheet.blanks)


def test_the_sheets_are_the_same_bytes_each_time(tmp_path):
    first = [path.read_bytes() for path in sheets.write(tmp_path)]
    assert [path.read_bytes() for path in sheets.write(tmp_path)] == first
    assert [text.count(b"/Type /Page ") + text.count(b"/Type /Page\n") for text in first] == [4, 4]


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


def test_a_deck_that_does_not_exist_is_an_error_that_says_which_do():
    with pytest.raises(ValueError, match="found lesson9, expected some of lesson1, "):
        slides.sources(["lesson9"])


@pytest.mark.slow
def test_a_deck_needs_no_network_and_shows_no_code(tmp_path, monkeypatch):
    monkeypatch.setattr(slides, "reveal", lambda: {"css": "", "reveal": "/* reveal */", "notes": ""})
    new = nbformat.v4
    cells = [new.new_markdown_cell("## One"), new.new_code_cell("answer = 6 * 7\nanswer")]
    cells[0].metadata["slideshow"] = {"slide_type": "slide"}
    nbformat.write(new.new_notebook(cells=cells), tmp_path / "few.ipynb")
    text = slides.write(tmp_path / "few.ipynb", tmp_path).read_text(encoding="utf-8")
    assert "/* reveal */" in text and ">One<" in text and "42" in text
    assert "answer" not in text and re.findall(r"(?:src|href)=.?(?:https?:)?//\S+", text) == []


# Glossary


def test_the_glossary_to_print_has_every_word_of_the_page(tmp_path):
    found = sheets.entries(sheets.GLOSSARY.read_text(encoding="utf-8"))
    text = sheets.write_glossary(tmp_path).read_text(encoding="utf-8")
    assert len(found) > 30 and text.count("<dt>") == len(found)
    assert pd.Series([word for word, _ in found]).is_unique
    assert "<dt>shadow time</dt>" in text and "| " not in text


# Thumbnails


def test_each_lesson_has_a_small_picture_that_the_page_of_lessons_shows():
    page = (ROOT / "docs" / "learn.md").read_text()
    for lesson in LESSONS:
        picture = lecture.THUMBNAILS / f"{lesson.stem}.png"
        with Image.open(picture) as small:
            assert small.size == lecture.SIZE
        assert f"(_static/lessons/{picture.name}) | [" in page and f"](../notebooks/teaching/{lesson.name})" in page


def test_a_thumbnail_is_the_first_picture_that_a_cell_draws_and_not_that_of_a_control(tmp_path):
    def shows(text, png):
        data = {"text/plain": text, "image/png": base64.b64encode(png).decode()}
        return nbformat.v4.new_code_cell(outputs=[nbformat.v4.new_output("display_data", data)])

    notebook = nbformat.v4.new_notebook(cells=[shows("Five jobs under FCFS", b"a control")])
    nbformat.write(notebook, tmp_path / "lesson.ipynb")
    with pytest.raises(ValueError, match=r"lesson.ipynb: found no picture, expected one that a cell draws"):
        lecture.first_picture(tmp_path / "lesson.ipynb")
    notebook.cells += [shows("<Figure size 800x300 with 1 Axes>", b"its own"), shows("<Figure size", b"another")]
    nbformat.write(notebook, tmp_path / "lesson.ipynb")
    assert lecture.first_picture(tmp_path / "lesson.ipynb") == b"its own"
