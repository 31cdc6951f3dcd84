"""The whole course by keyboard alone: somebody runs every cell, steps through schedules, and types every answer."""

import re
import shutil

import pytest

from tools.solutions import solved

from .conftest import ALL_RUN, IDLE, SECONDS, SHOTS, opened, retype
from .test_lab import NOTEBOOKS, WITHIN, assert_all_is_well, saved, seen, until

LESSONS = sorted(NOTEBOOKS.glob("lesson*.ipynb"))
IN_COMMAND_MODE = """() => document.querySelector('.jp-Notebook.jp-mod-commandMode')
    ?.contains(document.activeElement)"""


def step_through(page, stepper):
    """Come into the stepper of the active cell by Tab, go to its end and answer a question; leave it by Escape."""
    for _ in range(60):
        if stepper.evaluate(WITHIN):
            break
        page.keyboard.press("Tab")
    assert stepper.evaluate(WITHIN), "Tab does not come to the stepper"
    first = seen(stepper, "sentence")
    page.keyboard.press("ArrowRight")
    until(lambda: seen(stepper, "sentence") != first, "the arrow does not go on")
    choices = stepper.get_by_role("button").filter(has_text="job ")
    if stepper.locator("[aria-pressed=true]").count():  # it asks who starts next
        for _ in range(30):
            if choices.count():
                break
            page.keyboard.press("ArrowRight")
        for _ in range(30):
            if page.evaluate("document.activeElement.textContent").startswith("job "):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Space")
        until(lambda: "of 1 right so far" in seen(stepper, "verdict"), "the answer is not heard")
    page.keyboard.press("End")
    until(lambda: seen(stepper, "sentence") != first, "End does not go to the end")
    page.keyboard.press("Escape")
    page.wait_for_function(IN_COMMAND_MODE)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_gone_through_by_keyboard_alone(path, browser, server, home):
    copy = f"teaching/typed-{path.name}"  # the answers are saved, and other tests open the lesson as it is
    shutil.copy(NOTEBOOKS / path.name, home / "notebooks" / copy)
    page = opened(browser, server, copy)
    page.wait_for_function(IN_COMMAND_MODE)
    cells = solved(path).cells
    for cell in cells:
        if "exercise" in cell.metadata.get("tags", []):
            page.keyboard.press("Enter")
            retype(page, cell.source)
            page.keyboard.press("Escape")
        if "widgets.stepper(" in cell.source:
            page.keyboard.press("Control+Enter")
            stepper = page.locator(".jp-Cell.jp-mod-active .simlib-stepper")
            stepper.wait_for(timeout=SECONDS * 1000)
            step_through(page, stepper)
            page.keyboard.press("j")
        else:
            page.keyboard.press("Shift+Enter")
    page.wait_for_function(ALL_RUN, timeout=SECONDS * 1000)
    page.get_by_text(IDLE).wait_for()
    assert_all_is_well(page, lambda what, name: what.screenshot(path=SHOTS / path.stem / f"{name}.png"))
    shown = " ".join(page.locator(".jp-RenderedMarkdown", has=page.locator(".in-lab")).all_inner_texts())
    for_pages = re.findall("<!-- on the page: (.{40})", "\n".join(cell.source for cell in cells))
    assert [text for text in for_pages if text in shown] == []
    after = [cell for cell in saved(page)["cells"] if cell["cell_type"] == "code"]
    texts = {
        cell["source"]: "".join(
            output.get("text", output.get("evalue", ""))
            for output in cell["outputs"]
            if output.get("name") != "stderr"  # where the machine is slow: a progress bar
        )
        for cell in after
        if "exercise" in cell["metadata"].get("tags", [])
    }
    typed = [cell.source for cell in cells if "exercise" in cell.metadata.get("tags", [])]
    assert list(texts) == typed
    assert [text for text in texts.values() if not text.startswith("Right: ")] == []
    page.close()
