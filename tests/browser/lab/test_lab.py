"""A student opens each teaching notebook in JupyterLab, runs it, presses and moves all there is, and types."""

import json
import re
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import ALL_RUN, IDLE, run_all

ANSWER = "application/vnd.simlib.answer+json"
FOCUSED = re.compile("Next$|job ")
NOTEBOOKS = Path(__file__).parents[3] / "notebooks" / "teaching"

SCROLL = """notebook => {
    const last = [...notebook.querySelectorAll('.jp-Cell')].at(-1)
    const more = last.getBoundingClientRect().bottom > notebook.getBoundingClientRect().bottom
    notebook.scrollTop += 0.9 * notebook.clientHeight
    return more
}"""  # and whether there was more to see below
CUT_OFF = """notebook => [...notebook.querySelectorAll('.cm-scroller, .jp-OutputArea-output:has(.simlib-web)')]
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


PARTS = {"sentence": ".sw-sentence", "state": ".sw-state", "message": ".sw-message"}
PARTS |= {"metrics": ".sw-metrics", "chart": ".sw-chart", "verdict": ".sw-verdict"}


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


def enter(field, value, key):
    """Type a value into a field in the place of what stands there, then press a key."""
    field.click(click_count=3)
    field.page.keyboard.type(str(value))
    field.page.keyboard.press(key)


def restart_kernel(page):
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem").filter(has_text="Restart Kernel").first.click()
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    page.locator(".sw-dead").first.wait_for(state="attached")
    page.get_by_text(IDLE).wait_for()


def run_cell(page, cell):
    """Run one cell, as with Ctrl+Enter, and wait until it has run."""
    cell.locator(".jp-InputArea-editor").first.click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(ALL_RUN)
    page.get_by_text(IDLE).wait_for()


def saved(page):
    """The notebook as it is in the file when it has been saved."""
    page.keyboard.press("Control+s")
    page.locator(".lm-TabBar-tab.jp-mod-dirty").wait_for(state="detached")
    address = re.sub(r"/lab/(workspaces/[^/]+/)?tree/", "/api/contents/", page.url.partition("?")[0])
    answer = page.request.get(address)
    assert answer.ok and "json" in answer.headers.get("content-type", ""), f"{address}: {answer.text()[:300]}"
    return answer.json()["content"]


def button(control, name):
    return control.get_by_role("button", name=name, exact=True)


# The tests


@notebooks()
def test_every_cell_runs_without_an_error_and_nothing_is_cut_off(page, keep):
    large = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 800})  # with the list of files open
    assert page.locator(".jp-DirListing").is_visible()
    assert keep_all(page, keep) == []
    page.set_viewport_size(large)
    code = [cell for cell in saved(page)["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert [f"{of['ename']}: {of['evalue']}" for of in outputs if of["output_type"] == "error"] == []
    assert [cell["source"] for cell in code if not cell["execution_count"]] == [], "these cells did not run"


@pytest.mark.parametrize("page", ["lesson1-fcfs", "lesson2-easy"], indirect=True)
def test_what_is_said_to_readers_of_a_page_is_not_seen(page):
    shown = page.locator(".jp-RenderedMarkdown", has=page.locator(".in-lab"))
    shown.first.wait_for(state="attached")
    texts = " ".join(shown.all_inner_texts())
    path = NOTEBOOKS / f"{page.url.rsplit('/', 1)[1]}"
    source = " ".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])
    meant = re.findall("<!-- on the page: (.{40})", source)
    assert meant and not any(text in texts for text in meant)


@notebooks("widgets.stepper(")
def test_a_stepper_obeys_buttons_and_keys_and_is_in_sight_whole_on_a_small_screen(page, keep):
    large = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 800})  # with the list of files open
    for number, stepper in controls(page, "stepper"):
        decision = slider(stepper, "Decision")
        last = int(decision.get_attribute("max"))
        reached = [1]
        for name in ("Next", "Next", "Back", "Last", "Back", "First"):
            with changing(stepper, "sentence", "chart"):
                button(stepper, name).click()
            reached.append(int(decision.input_value()))
        assert 1 < reached[1] < reached[2] and reached[3] == reached[1]
        assert reached[4] == last > reached[5] > 1 == reached[6]
        stepper.focus()
        places = []
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"):
            with changing(stepper, "sentence", "chart"):
                page.keyboard.press(key)
            places.append(int(decision.input_value()))
        assert places == [reached[1], reached[2], reached[1], last, 1]
        for step in range(8):
            button(stepper, "Next").click()
            stepper.evaluate("control => control.scrollIntoView()")
            place, notebook = stepper.bounding_box(), page.locator(".jp-WindowedPanel-outer").bounding_box()
            assert place["height"] <= notebook["height"]
            keep(page, f"stepper-{number}-{step}")
        page.keyboard.press("Space")  # with the focus on Next
        button(stepper, "Play").click()
        button(stepper, "Pause").click()
        button(stepper, "Play").wait_for()
    page.set_viewport_size(large)


@notebooks("predict=True")
def test_the_question_who_starts_next_is_answered_by_the_keyboard(page, keep):
    for number, stepper in controls(page, "stepper:has([aria-pressed=true])"):
        button(stepper, "First").click()
        for asked in range(1, 4):
            if not stepper.get_by_role("button").filter(has_text="job ").count():
                button(stepper, "Next").click()
            stepper.get_by_role("button").filter(has_text="job ").first.focus()
            with changing(stepper, "sentence", "chart"):
                page.keyboard.press("Space")
            assert f"of {asked} right so far" in seen(stepper, "verdict")
            assert FOCUSED.match(page.evaluate("document.activeElement.innerText"))
            keep(page, f"stepper-{number}-predicted-{asked}")


ACTIVE = "control => control.closest('.jp-Cell').classList.contains('jp-mod-active')"
WITHIN = "control => control.contains(document.activeElement)"


@notebooks("predict=True")
def test_the_notebook_keeps_its_keys_while_a_stepper_has_the_focus_and_tab_leaves_it(page):
    _, stepper = next(controls(page, "stepper"))
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


@notebooks("widgets.editor(")
def test_an_edited_job_changes_the_schedule_and_a_wrong_number_is_named(page, keep):
    for number, editor in controls(page, "editor"):
        run = editor.get_by_title("run [s] of job ").last
        job = run.get_attribute("title").removeprefix("run [s] of job ")
        given = seen(editor, "metrics")
        keep(editor, f"editor-{number}-before")

        with changing(editor, "metrics", "chart"):
            enter(run, int(run.input_value()) // 2, "Enter")
        keep(editor, f"editor-{number}-edited")

        edited = [seen(editor, part) for part in ("metrics", "chart")]
        with changing(editor, "message"):
            enter(run, "ten", "Tab")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        assert f"Job {job}, run [s]: found 'ten', expected a whole number" in seen(editor, "message")
        assert [seen(editor, part) for part in ("metrics", "chart")] == edited, "not the last valid schedule"
        keep(editor, f"editor-{number}-nonsense")

        button(editor, "Start again").click()
        until(lambda: seen(editor, "metrics") == given, "'Start again' has not brought the jobs back")  # noqa: B023


# The answers to exercises in tables; by exercise what is typed, and what is said of it

TYPED = {
    "1.4": ({"A": {"run": 200, "processors": 1, "estimate": 200}, "B": {"processors": 10}}, "Right: for 200 s"),
    "2.3": ({"backfill": {"run": 250, "estimate": 250}}, "Right: the second job starts at 253"),
    "3.2": ({"backfill": {"run": 17, "estimate": 17}}, "Right: it ends just when"),
}
TABLES = [
    pytest.param(*pair, id="-".join(pair))
    for pair in zip(("lesson1-fcfs", "lesson2-easy", "lesson3-conservative"), TYPED, strict=True)
]


def fill(editor, jobs):
    for job, numbers in jobs.items():
        for field, value in numbers.items():
            title = f"{field} of job {job}" if field == "processors" else f"{field} [s] of job {job}"
            enter(editor.get_by_title(title, exact=True), value, "Tab")


def kept(page, exercise):
    """What the saved notebook keeps as the answer to an exercise: the jobs, and the text beside them."""
    outputs = [output for cell in saved(page)["cells"] for output in cell.get("outputs", [])]
    answers = [output["data"] for output in outputs if ANSWER in output.get("data", {})]
    found = [data for data in answers if data[ANSWER]["exercise"] == exercise]
    assert len(found) == 1
    return found[0][ANSWER]["jobs"], "".join(found[0]["text/plain"])


@pytest.mark.parametrize("page, exercise", TABLES, indirect=["page"])
def test_what_is_typed_is_checked_and_kept_in_the_file_and_survives_a_restart(page, keep, exercise):
    jobs, verdict = TYPED[exercise]
    cell = page.locator(".jp-CodeCell", has=page.locator(".simlib-editor"))
    _, editor = next(controls(page, "editor"))
    fill(editor, jobs)
    until(lambda: "press Check" in seen(editor, "message"), "the table does not say that it is not checked")
    button(editor, "Check").click()
    until(lambda: seen(editor, "message").startswith(verdict), "the verdict is not there")
    keep(page, f"check-{exercise}")
    typed, text = kept(page, exercise)
    for job, numbers in jobs.items():
        assert set(numbers.values()) <= set(typed[job])
    assert verdict in text

    restart_kernel(page)
    told = editor.evaluate("control => getComputedStyle(control, '::before').content")
    assert "The kernel was restarted" in told and "Run All Above" in told
    editor.evaluate("control => control.scrollIntoView()")
    keep(page, f"restarted-{exercise}")

    run_cell(page, cell)
    said = page.locator(".jp-Cell.jp-mod-selected .jp-OutputArea").inner_text()
    assert "Run > Run All Above Selected Cell" in said
    keep(page, f"restarted-{exercise}-cell")

    run_all(page)
    page.wait_for_function(ALL_RUN, timeout=60_000)
    page.get_by_text(IDLE).wait_for()
    _, editor = next(controls(page, "editor"))
    until(lambda: verdict in seen(editor, "message"), "what was typed is not there again")
