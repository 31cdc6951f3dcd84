"""A student opens each teaching notebook in JupyterLab, runs it, presses and moves all there is, and types."""

import json
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parent.parent.parent / "notebooks" / "teaching"

DIGEST = """async image => {
    const bytes = await (await fetch(image.src)).arrayBuffer()
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).join()
}"""
SCROLL = """notebook => {
    const last = [...notebook.querySelectorAll('.jp-Cell')].at(-1)
    const more = last.getBoundingClientRect().bottom > notebook.getBoundingClientRect().bottom
    notebook.scrollTop += 0.9 * notebook.clientHeight
    return more
}"""  # and whether there was more to see below
CUT_OFF = """notebook => [...notebook.querySelectorAll('.cm-scroller, .jp-OutputArea-output:has(.simlib)')]
    .filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.innerText.slice(0, 200))"""


def notebooks(using=""):
    """Every notebook in which something is used; the fixture `page` opens it once for all tests."""
    names = [path.stem for path in sorted(NOTEBOOKS.glob("*.ipynb")) if using in code(path)]
    return pytest.mark.parametrize("page", names, indirect=True)


def code(path):
    """What stands in the code cells of a notebook."""
    cells = json.loads(path.read_text())["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


# What is seen on the page


def controls(page, kind):
    """All controls of a kind on the page, numbered from 1; each is scrolled to, since what is far away is not drawn."""
    found = page.locator(f".simlib-{kind}")
    found.first.wait_for(state="attached")
    for number, control in enumerate(found.all(), 1):
        control.evaluate("control => control.scrollIntoView()")
        control.wait_for()
        yield number, control


def seen(control, part):
    """The text of a part of a control, or a digest of its picture."""
    place = control.locator(f".simlib-{part}")
    return place.evaluate(DIGEST) if part == "picture" else place.inner_text()


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


def reads(slider, value):
    until(lambda: slider.inner_text() == str(value), f"the slider does not read {value}")


# What is done


def slider(control, label):
    """The slider with a label, and the number or words beside it."""
    whole = control.locator(".widget-slider").filter(has=control.page.get_by_text(label, exact=True))
    return whole.get_by_role("slider"), whole.locator(".widget-readout")


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


def button(control, name):
    return control.get_by_role("button", name=name, exact=True)


# The tests


@notebooks()
def test_every_cell_runs_without_an_error_and_nothing_is_cut_off(page, keep):
    assert keep_all(page, keep) == []
    page.keyboard.press("Control+s")
    page.locator(".lm-TabBar-tab.jp-mod-dirty").wait_for(state="detached")
    saved = page.request.get(page.url.replace("/lab/tree/", "/api/contents/")).json()["content"]
    code = [cell for cell in saved["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert [f"{of['ename']}: {of['evalue']}" for of in outputs if of["output_type"] == "error"] == []
    assert [cell["source"] for cell in code if not cell["execution_count"]] == [], "these cells did not run"


@notebooks("widgets.stepper(")
def test_the_buttons_of_a_stepper_lead_through_the_decisions(page, keep):
    for number, stepper in controls(page, "stepper"):
        handle, decision = slider(stepper, "decision")
        last = int(float(handle.get_attribute("aria-valuemax")))
        keep(stepper, f"stepper-{number}-before")
        for name, reached in [("Next", 2), ("Next", 3), ("Back", 2), ("Last", last), ("Back", last - 1), ("First", 1)]:
            with changing(stepper, "sentence", "picture"):
                button(stepper, name).click()
                reads(decision, reached)
        with changing(stepper, "sentence", "picture", "state"):
            button(stepper, "Next start").click()
        keep(stepper, f"stepper-{number}-next-start")
        with changing(stepper, "sentence", "picture", "state"):
            button(stepper, "Last").click()
        keep(stepper, f"stepper-{number}-last")


@notebooks("widgets.stepper(")
def test_a_stepper_obeys_the_keyboard_and_plays_by_itself(page):
    for _, stepper in controls(page, "stepper"):
        handle, decision = slider(stepper, "decision")
        button(stepper, "First").click()
        reads(decision, 1)
        button(stepper, "Next").focus()
        with changing(stepper, "sentence", "picture"):
            page.keyboard.press("Space")
            reads(decision, 2)
        handle.focus()
        with changing(stepper, "sentence", "picture"):
            page.keyboard.press("ArrowRight")
            reads(decision, 3)
        with changing(stepper, "sentence", "picture"):
            button(stepper, "Play").click()
        button(stepper, "Pause").click()
        button(stepper, "Play").wait_for()


@notebooks("widgets.stepper(")
def test_chart_sentence_queue_and_running_jobs_are_in_sight_together_on_a_small_screen(page, keep):
    large = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 800})
    for number, stepper in controls(page, "stepper"):
        button(stepper, "First").click()
        for start in range(1, 5):
            with changing(stepper, "sentence"):
                button(stepper, "Next start").click()
            stepper.evaluate("control => control.scrollIntoView()")
            place, notebook = stepper.bounding_box(), page.locator(".jp-WindowedPanel-outer").bounding_box()
            assert place["height"] <= notebook["height"]
            keep(page, f"stepper-{number}-small-screen-{start}")
    page.set_viewport_size(large)


@notebooks("widgets.compare(")
def test_a_comparison_goes_back_in_time_by_button_and_by_keyboard(page, keep):
    for number, compare in controls(page, "compare"):
        handle, time_shown = slider(compare, "time")
        end = time_shown.inner_text()
        whole = seen(compare, "picture")
        keep(compare, f"compare-{number}-before")
        with changing(compare, "picture"):
            button(compare, "Back").click()
        handle.focus()
        with changing(compare, "picture"):
            page.keyboard.press("ArrowLeft")
        keep(compare, f"compare-{number}-after")
        button(compare, "Next").click()
        button(compare, "Next").click()
        reads(time_shown, end)
        until(lambda: seen(compare, "picture") == whole, "the picture is not the one of before")  # noqa: B023


@notebooks("widgets.explore(")
@pytest.mark.parametrize("label", ["load", "estimates", "processors"])
def test_a_slider_moved_by_the_keyboard_changes_the_metrics(page, keep, label):
    for number, explore in controls(page, "explore"):
        handle, value = slider(explore, label)
        keep(explore, f"explore-{number}-{label}-before")
        before = value.inner_text()
        handle.focus()
        with changing(explore, "note", "metrics", "picture"):
            page.keyboard.press("ArrowRight")
        assert value.inner_text() != before
        keep(explore, f"explore-{number}-{label}-after")


@notebooks("widgets.editor(")
def test_an_edited_job_changes_the_schedule_and_a_wrong_number_is_named(page, keep):
    for number, editor in controls(page, "editor"):
        run = editor.get_by_title("run [s] of job ").last
        job = run.get_attribute("title").removeprefix("run [s] of job ")
        given = seen(editor, "metrics")
        keep(editor, f"editor-{number}-before")

        with changing(editor, "metrics", "picture"):
            run.fill(str(int(run.input_value()) // 2))
            run.press("Enter")
        keep(editor, f"editor-{number}-edited")

        edited = [seen(editor, part) for part in ("metrics", "picture")]
        with changing(editor, "message"):
            run.fill("ten")
            run.press("Enter")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        assert f"Job {job}, run [s]: found 'ten', expected a whole number" in seen(editor, "message")
        assert [seen(editor, part) for part in ("metrics", "picture")] == edited, "not the last valid schedule"
        keep(editor, f"editor-{number}-nonsense")

        button(editor, "Start again").click()
        until(lambda: seen(editor, "metrics") == given, "'Start again' has not brought the jobs back")  # noqa: B023
