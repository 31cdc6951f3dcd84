"""Somebody steps through schedules on pages without a kernel: with mouse or keys, on a phone, in the dark, on paper."""

import pytest

from simlib import EASY, FCFS, Conservative, simulate
from simlib.course import web
from simlib.course.lessons import lesson2
from simlib.explain import explain
from simlib.models import examples

from .conftest import SHOTS

PAGE = """<!doctype html><html lang="en"{}><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Without a kernel</title><body>{}</body></html>"""

# What each job's rectangles say: when it starts and ends, how many processors it has, and whether it is hatched.
READ = """chart => {
    const [first, last] = chart.dataset.time.split(',').map(Number)
    const [left, right, top, bottom] = chart.dataset.box.split(',').map(Number)
    const time = x => Math.round(first + (x - left) / (right - left) * (last - first))
    const found = {}
    for (const group of chart.querySelectorAll('[data-job]')) {
        const boxes = [...group.querySelectorAll('rect.sw-piece:not(.sw-expected)')]
            .map(box => ['x', 'width', 'height'].map(name => Number(box.getAttribute(name))))
        if (!boxes.length) continue
        const high = boxes.reduce((sum, [, , height]) => sum + height, 0)
        found[group.dataset.job] = [time(boxes[0][0]), time(boxes[0][0] + boxes[0][1]), high / (bottom - top),
            !!group.querySelector('.sw-lines')]
    }
    return found
}"""
TOO_WIDE = """() => [...document.querySelectorAll('body *')].filter(part => !part.closest('.sw-wide table, svg'))
    .filter(part => part.getBoundingClientRect().right > innerWidth + 1).map(part => part.outerHTML.slice(0, 80))"""
CUT_OFF = """() => [...document.querySelectorAll('.sw-state, .sw-wide, .sw-chart, .sw-controls')]
    .filter(part => part.scrollWidth > part.clientWidth).map(part => part.innerText)"""
SPOKEN = "stepper => stepper.querySelector('[role=status]').textContent"


@pytest.fixture
def shown(browser, tmp_path):
    """A function that shows fragments on one page; a page that says an error fails the test."""
    opened, errors = [], []

    def show(*fragments, width=1280, scheme="light", attributes=""):
        file = tmp_path / "page.html"
        file.write_text(PAGE.format(attributes, "\n".join(fragments)), encoding="utf-8")
        page = browser.new_page()
        opened.append(page)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: errors.append(request.url) if request.url != file.as_uri() else None)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.goto(file.as_uri())
        page.locator(".simlib-web svg").first.wait_for()
        return page

    yield show
    for page in opened:
        page.close()
    assert errors == []


def press(stepper, name):
    stepper.get_by_role("button", name=name, exact=True).click()


def place(stepper):
    return int(stepper.get_by_role("slider").input_value())


def schedule_of(seen, procs):
    """A schedule as it is read from a chart."""
    return {job: (start, end, round(share * procs, 6), hatched) for job, (start, end, share, hatched) in seen.items()}


def schedule_from(kernel):
    rows = kernel.jobs[["start", "end", "procs", "backfilled"]].itertuples()
    return {str(job): (start, end, procs, hatched) for job, start, end, procs, hatched in rows}


@pytest.mark.parametrize("policy", [FCFS(), EASY(), EASY(order="sjf"), Conservative()], ids=str)
def test_the_last_frame_is_the_schedule_of_the_kernel(shown, policy):
    workloads = [examples.figure1(), examples.figure3(), lesson2.queue()]
    page = shown(*(web.stepper_html(each, policy) for each in workloads))
    steppers = page.locator("simlib-stepper")
    for stepper, workload in zip(steppers.all(), workloads, strict=True):
        press(stepper, "Last")
        kernel = simulate(workload, policy)
        assert schedule_of(stepper.locator("svg").evaluate(READ), workload.procs) == schedule_from(kernel)


def test_the_comparison_ends_with_the_schedules_of_the_kernel_and_goes_back_in_time(shown):
    workload, policies = examples.figure3(), [FCFS(), EASY(), Conservative()]
    compare = shown(web.compare_html(workload, policies)).locator("simlib-compare")
    for chart, policy in zip(compare.locator("svg").all(), policies, strict=True):
        assert schedule_of(chart.evaluate(READ), 4) == schedule_from(simulate(workload, policy))
    press(compare, "First")
    assert [chart.evaluate(READ) for chart in compare.locator("svg").all()] == [{}, {}, {}]
    compare.get_by_role("slider").fill("3")
    assert "at second 2" in compare.locator("svg").first.get_attribute("aria-label")


def test_every_step_says_its_sentence_and_shows_who_waits_and_runs(shown):
    explanation = explain(lesson2.queue(), EASY())
    stepper = shown(web.explanation_html(explanation)).locator("simlib-stepper")
    for seen in explanation:
        assert stepper.evaluate(SPOKEN).startswith(f"{seen.sentence}Rule: {seen.rule}.")
        label = stepper.locator("svg").get_attribute("aria-label")
        assert f"Waiting: {', '.join(job.job for job in seen.queue) or 'no job'}." in label
        assert f"Running: {', '.join(job.job for job in seen.running) or 'no job'}." in label
        if seen.shadow is not None:
            assert f"Shadow time {seen.shadow}, {seen.extra or 'no'} extra processor" in label
            assert stepper.get_by_text(f"shadow time {seen.shadow}, {seen.extra or 'no'} extra", exact=True).count()
        decided = stepper.locator(".simlib-decided td:first-child").all_inner_texts()
        assert decided == [job.job for job in (*seen.queue, *seen.running) if job.job in seen.jobs]
        press(stepper, "Next")


def test_buttons_slider_and_keys_go_where_they_say(shown):
    page = shown(web.stepper_html(examples.figure1(), EASY()), web.stepper_html(examples.figure3(), FCFS()))
    stepper, other = page.locator("simlib-stepper").all()
    places = []
    for name in ("Back", "Next", "Next", "Next start", "Next start", "Back", "Last", "Next", "First"):
        press(stepper, name)
        places.append(place(stepper))
    assert places == [1, 2, 3, 4, 13, 12, 26, 26, 1]
    stepper.focus()
    places = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft"):
        page.keyboard.press(key)
        places.append(place(stepper))
    assert places == [2, 3, 2, 26, 26, 1, 1]
    stepper.get_by_role("slider").fill("5")
    assert "Job first (8 processors" in stepper.evaluate(SPOKEN)
    assert place(other) == 1


def test_it_plays_and_pauses_by_button_and_space_bar(shown):
    page = shown(web.stepper_html(examples.figure1(), EASY()))
    stepper = page.locator("simlib-stepper")
    stepper.focus()
    page.keyboard.press(" ")
    page.wait_for_function("() => document.querySelector('input').value === '2'", timeout=4000)
    assert stepper.get_by_role("button", name="Pause").is_visible()
    press(stepper, "Pause")
    assert stepper.get_by_role("button", name="Play").is_visible()


def test_all_is_reached_by_tab_and_has_a_name(shown):
    page = shown(web.stepper_html(examples.figure1(), EASY()))
    names = []
    for _ in range(10):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent"))
    buttons = ["First", "Back", "Play", "Next", "Next start", "Last", "Predict"]
    head = "Figure 1 under EASY: 6 jobs on 10 processors"
    assert names == [head, *buttons, "Decision", "All 26 decisions"]
    seen = page.locator("simlib-stepper").aria_snapshot()
    assert 'slider "Decision"' in seen and "- status:" in seen and 'img "Gantt chart of Figure 1' in seen


def test_one_says_who_starts_next_and_then_sees_it(shown):
    page = shown(web.stepper_html(lesson2.queue(), EASY(), predict=True))
    stepper = page.locator("simlib-stepper")
    choices, score = stepper.get_by_role("group", name="Who starts next?"), stepper.locator(".sw-score")
    press(stepper, "Next start")  # jobs A and B have arrived
    assert stepper.evaluate(SPOKEN).endswith("Who starts next?")
    assert choices.get_by_role("button").all_inner_texts() == ["A", "B"]
    press(choices, "B")
    assert stepper.evaluate(SPOKEN).startswith(
        "No, A does, not B, which starts after it at the same second. Job A starts from the head of the queue"
    )
    assert (score.inner_text(), choices.count()) == ("0 of 1 right", 0)
    press(stepper, "Next start")  # nobody but B is there: not asked
    assert stepper.evaluate(SPOKEN).startswith("Job B starts")
    press(stepper, "Next start")
    assert choices.get_by_role("button").all_inner_texts() == ["H", "C", "D"]
    before = place(stepper)
    page.screenshot(path=SHOTS / "web" / "predict.png")
    choices.get_by_role("button", name="D").focus()
    page.keyboard.press("Enter")
    assert stepper.evaluate(SPOKEN).startswith("Right. Job D starts now, ahead of job H")
    assert (score.inner_text(), place(stepper)) == ("1 of 2 right", before + 1)
    assert page.evaluate("document.activeElement.textContent") == "Next"
    press(stepper, "Next start")
    press(stepper, "Next start")  # once more shows it, and is no answer
    assert stepper.evaluate(SPOKEN).startswith("Job E starts now") and score.inner_text() == "1 of 2 right"
    press(stepper, "First")
    press(stepper, "Next start")  # was answered
    assert stepper.evaluate(SPOKEN).startswith("Job A starts")
    press(stepper, "Predict")
    assert score.inner_text() == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1280, 390])
def test_nothing_is_cut_off_on_any_screen(shown, width, scheme):
    """Pictures are kept in build/lab/web/."""
    workload = lesson2.queue()
    fragments = [web.stepper_html(workload, EASY()), web.compare_html(workload, [FCFS(), EASY()])]
    fragments.append(web.stepper_html(examples.figure1(), Conservative(), predict=True))
    fragments.append(web.stepper_html(examples.figure1(), EASY()))
    page = shown(*fragments, width=width, scheme=scheme)
    stepper, asking, long_names = page.locator("simlib-stepper").all()
    for _ in range(13):
        press(stepper, "Next")
        press(long_names, "Next")
    for _ in range(3):
        press(page.locator("simlib-compare"), "Back")
    press(asking, "Next start")
    assert page.evaluate(TOO_WIDE) == page.evaluate(CUT_OFF) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.screenshot(path=SHOTS / "web" / f"{width}-{scheme}.png", full_page=True)


GROUND = "() => getComputedStyle(document.querySelector('simlib-stepper')).backgroundColor"


@pytest.mark.parametrize(
    "attributes, scheme, dark",
    [
        ("", "light", False),
        ("", "dark", True),
        (' data-theme="light"', "dark", False),
        (' data-theme="dark"', "light", True),
        (' data-jp-theme-light="true"', "dark", False),
        (' data-jp-theme-light="false"', "light", True),
    ],
)
def test_a_page_s_own_theme_goes_before_the_system_s(shown, attributes, scheme, dark):
    page = shown(web.stepper_html(examples.figure3(), EASY()), scheme=scheme, attributes=attributes)
    assert page.evaluate(GROUND) == ("rgb(22, 24, 28)" if dark else "rgb(255, 255, 255)")


def test_on_paper_stand_the_whole_schedule_and_all_sentences(shown):
    page = shown(web.stepper_html(examples.figure1(), EASY()))
    stepper = page.locator("simlib-stepper")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert not stepper.get_by_role("button", name="Next", exact=True).is_visible()
    assert stepper.locator("li").last.is_visible()
    assert schedule_of(stepper.locator("svg").evaluate(READ), 10) == schedule_from(simulate(examples.figure1(), EASY()))
    page.screenshot(path=SHOTS / "web" / "print.png", full_page=True)
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert (place(stepper), stepper.locator("li").last.is_visible()) == (1, False)


def test_nothing_moves_where_one_asked_for_no_motion(shown):
    page = shown(web.stepper_html(examples.figure1(), EASY()))
    press(page.locator("simlib-stepper"), "Next start")
    animation = "() => getComputedStyle(document.querySelector('.sw-frame')).animationName"
    assert page.evaluate(animation) == "none"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(animation) == "sw-appear"


def test_without_scripts_all_sentences_are_there(browser, tmp_path):
    context = browser.browser.new_context(java_script_enabled=False)
    file = tmp_path / "plain.html"
    html = web.stepper_html(examples.figure1(), EASY()) + web.compare_html(examples.figure1(), [FCFS(), EASY()])
    file.write_text(PAGE.format("", html), encoding="utf-8")
    page = context.new_page()
    page.goto(file.as_uri())
    told = page.locator("li").all_inner_texts()
    assert told == [f"At {seen.time}: {seen.sentence}" for seen in explain(examples.figure1(), EASY())]
    assert page.locator("tr", has_text="third").locator("td").all_inner_texts() == ["third", "100", "6"]
    page.screenshot(path=SHOTS / "web" / "plain.png", full_page=True)
    context.close()
