"""A student answers exercises of lesson 2 in many wrong ways, and rightly: a verdict is on the answer that stands."""

import re
import shutil

import pytest

from .conftest import ALL_RUN, IDLE, SECONDS, SHOTS, opened, retype, run_all

RULE = """from simlib_course import lessons

def may_backfill(now, procs, estimate, free, shadow, extra):
    {}

lessons.check("2.4", may_backfill)"""
RIGHT = 'from simlib_course import lessons\n\nlessons.check("2.1", shadow=30, extra=2)'

TRIES = {
    "2.1": [
        (RIGHT, "Right: "),
        (RIGHT.replace("30", "2"), "Not yet: "),
        ('from simlib_course import lessons\n\nlessons.check("2.1", shadow=30 extra=2)', "SyntaxError"),
        ('from simlib_course import lessons\n\nlessons.check("2.1", shadow="thirty", extra=2)', "Not yet: "),
        ('from simlib_course import lessons\n\nlessons.check("2.1", shadow=print(30), extra=2)', "Not yet: "),
        ('from simlib_course import lessons\n\nlessons.check("2.1", 30)', "Not yet: "),
        (
            'from simlib_course import lessons\n\nlessons.check("2.1", shadow=..., extra=...)',
            "2.1 is waiting for your answer.",
        ),
    ],
    "2.4": [
        (RULE.format("return procs <= free and (estimate <= shadow or procs <= extra)"), "Not yet: "),
        (RULE.format("return procs <= free and (now + estimate < shadow or procs <= extra)"), "Not yet: "),
        (RULE.format("print(procs <= free)"), "returns nothing"),
        (RULE.format("if procs > free:\n        return False"), "returns nothing"),
        (RULE.format("return procs <= free and (now + estimate <= shadow or procs <= extra)"), "Right: "),
        (RULE.format("return procs <= free and"), "SyntaxError"),
        (RULE.format("return procs <= ree"), "NameError"),
    ],
}


@pytest.fixture(scope="module")
def page(browser, server, home):
    teaching = home / "notebooks" / "teaching"
    shutil.copy(teaching / "lesson2-easy.ipynb", teaching / "answers.ipynb")
    page = opened(browser, server, "teaching/answers.ipynb")
    run_all(page)
    page.wait_for_function(ALL_RUN, timeout=SECONDS * 1000)
    yield page
    page.close()


@pytest.mark.parametrize("exercise", TRIES)
def test_each_answer_gets_its_own_verdict_and_none_of_an_older_one(page, exercise):
    from playwright.sync_api import expect

    cell = page.locator(".jp-CodeCell").filter(has_text=f'"{exercise}"').first
    for number, (typed, told) in enumerate(TRIES[exercise]):
        cell.scroll_into_view_if_needed()
        runs = cell.locator(".jp-InputPrompt").first.inner_text()
        cell.locator(".cm-content").click()
        retype(page, typed)
        page.keyboard.press("Control+Enter")
        expect(cell.locator(".jp-InputPrompt").first).not_to_have_text(runs)
        expect(cell.locator(".jp-InputPrompt").first).to_have_text(re.compile(r"\[\d+\]"))
        page.get_by_text(IDLE).wait_for()
        said = cell.locator(".jp-OutputArea").inner_text()
        assert told in said and ("Right: " in said) == (told == "Right: "), said
        cell.screenshot(path=SHOTS / f"answers-{exercise}-{number}.png")
