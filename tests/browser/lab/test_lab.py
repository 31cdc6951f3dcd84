"""A student opens each teaching notebook in JupyterLab, runs it, and presses all there is in the steppers."""

import re
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import IDLE

NOTEBOOKS = Path(__file__).parents[3] / "notebooks" / "teaching"

SCROLL = """notebook => {
    const last = [...notebook.querySelectorAll('.jp-Cell')].at(-1)
    const more = last.getBoundingClientRect().bottom > notebook.getBoundingClientRect().bottom
    notebook.scrollTop += 0.9 * notebook.clientHeight
    return more
}"""  # and whether there was more to see below
CUT_OFF = """notebook => [...notebook.querySelectorAll('.cm-scroller, .jp-OutputArea-output:has(.simlib-web)')]
    .filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.innerText.slice(0, 200))"""


# What is seen on the page


def controls(page):
    """All steppers on the page; each is scrolled to, since what is far away is not drawn."""
    found = page.locator(".simlib-stepper")
    found.first.wait_for(state="attached")
    for control in found.all():
        control.evaluate("control => control.scrollIntoView()")
        control.wait_for()
        yield control


PARTS = {"sentence": ".sw-sentence", "chart": ".sw-chart", "verdict": ".sw-verdict"}


def seen(control, part):
    """The text of a part of a control, or what its chart is made of."""
    place = control.locator(PARTS[part])
    # the hatching has another name in each chart
    return re.sub("sw-hatch-[a-z0-9]*", "", place.inner_html()) if part == "chart" else place.inner_text()


def until(condition, complaint, seconds=20):
    """Wait until a condition holds, or fail with a sentence."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"after {seconds} s {complaint}")
        time.sleep(0.02)


@contextmanager
def changing(control, *parts):
    """What is done within must change these parts of a control."""
    before = {part: seen(control, part) for part in parts}
    yield
    for part, was in before.items():
        until(lambda part=part, was=was: seen(control, part) != was, f"the {part} is still what it was: {was}")


# What is done


def slider(control, name):
    return control.get_by_role("slider", name=name)


def keep_all(page, keep):
    """Keep pictures of the whole notebook, screen by screen, and tell what one would have to scroll sideways for."""
    notebook = page.locator(".jp-WindowedPanel-outer")
    notebook.evaluate("notebook => { notebook.scrollTop = 0 }")
    number, more, cut_off = 1, True, []
    while more:
        page.wait_for_function("() => [...document.images].every(image => image.complete)")
        keep(page, f"page-{number:02}")
        cut_off += notebook.evaluate(CUT_OFF)
        number, more = number + 1, notebook.evaluate(SCROLL)
    return cut_off


def saved(page):
    """The notebook as it is in the file when it has been saved."""
    page.keyboard.press("Control+s")
    page.locator(".lm-TabBar-tab.jp-mod-dirty").wait_for(state="detached")
    address = re.sub(r"/lab/(workspaces/[^/]+/)?tree/", "/api/contents/", page.url.partition("?")[0])
    answer = page.request.get(address)
    for _ in range(50):  # the server refuses a file that it is still writing, as when JupyterLab saves by itself
        if answer.ok:
            break
        time.sleep(0.1)
        answer = page.request.get(address)
    assert answer.ok and "json" in answer.headers.get("content-type", ""), f"{address}: {answer.text()[:300]}"
    return answer.json()["content"]


def button(control, name):
    return control.get_by_role("button", name=name, exact=True)


# The tests


def assert_all_is_well(page, keep):
    """Every cell has run without an error, and nothing is cut off on a small screen."""
    large = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 800})  # with the list of files open
    assert page.locator(".jp-DirListing").is_visible()
    assert keep_all(page, keep) == []
    page.set_viewport_size(large)
    code = [cell for cell in saved(page)["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert [f"{of['ename']}: {of['evalue']}" for of in outputs if of["output_type"] == "error"] == []
    assert [cell["source"] for cell in code if cell["source"] and not cell["execution_count"]] == [], "did not run"


@pytest.mark.parametrize("page", ["assignment", "twins"], indirect=True)
def test_a_notebook_that_nobody_types_through_runs_from_the_menu(page, keep):
    assert_all_is_well(page, keep)


@pytest.mark.parametrize("page", ["lesson2-easy"], indirect=True)
def test_a_stepper_obeys_its_buttons_and_is_in_sight_whole_on_a_small_screen(page, keep):
    large = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 800})  # with the list of files open
    for number, stepper in enumerate(controls(page), 1):
        for step in range(8):
            with changing(stepper, "sentence", "chart"):
                button(stepper, "Next").click()
            stepper.evaluate("control => control.scrollIntoView()")
            place, notebook = stepper.bounding_box(), page.locator(".jp-WindowedPanel-outer").bounding_box()
            assert place["height"] <= notebook["height"]
            keep(page, f"stepper-{number}-{step}")
    page.set_viewport_size(large)


ACTIVE = "control => control.closest('.jp-Cell').classList.contains('jp-mod-active')"
WITHIN = "control => control.contains(document.activeElement)"


@pytest.mark.parametrize("page", ["lesson2-easy"], indirect=True)
def test_the_notebook_keeps_its_keys_while_a_stepper_has_the_focus_and_tab_leaves_it(page):
    stepper = next(controls(page))
    button(stepper, "Next").click()
    place = slider(stepper, "Decision").input_value()
    for key, active in (("Escape", True), ("j", False), ("k", True)):
        page.keyboard.press(key)
        until(lambda active=active: stepper.evaluate(ACTIVE) == active, f"{key} has not moved to the right cell")
    assert slider(stepper, "Decision").input_value() == place
    stepper.locator("summary").focus()
    page.keyboard.press("Tab")
    assert not stepper.evaluate(WITHIN)

    cell = page.locator(".jp-CodeCell", has=stepper)
    prompt = cell.locator(".jp-InputPrompt")
    before = prompt.inner_text()
    button(stepper, "Next").click()
    page.keyboard.press("Shift+Enter")
    until(lambda: re.search(r"\d", prompt.inner_text()) and prompt.inner_text() != before, "the cell has not run again")
    page.get_by_text(IDLE).wait_for()
