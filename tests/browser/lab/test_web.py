"""Somebody steps through schedules on pages without a kernel: with mouse or keys, on a phone, in the dark, on paper."""

import statistics

import pytest

from simlib import EASY, FCFS, Conservative, simulate
from simlib.explain import explain
from simlib.models import examples
from simlib_course import views, widgets
from simlib_course.lessons import lesson2, lesson4

from .conftest import SHOTS

PAGE = """<!doctype html><html lang="en"{}><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Without a kernel</title><body>{}</body></html>"""


def stepper(*arguments, **options):
    return widgets.stepper(*arguments, **options).html()


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


def press(control, name):
    control.get_by_role("button", name=name, exact=True).click()


def go_to(control, number):
    """Move the slider to a decision, as the keys do."""
    slider = control.get_by_role("slider")
    slider.press("Home")
    for _ in range(number - 1):
        slider.press("ArrowRight")


def place(control):
    return int(control.get_by_role("slider").input_value())


def schedule_of(seen, procs):
    """A schedule as it is read from a chart."""
    return {job: (start, end, round(share * procs, 6), hatched) for job, (start, end, share, hatched) in seen.items()}


def schedule_from(kernel):
    rows = kernel.jobs[["start", "end", "procs", "backfilled"]].itertuples()
    return {str(job): (start, end, procs, hatched) for job, start, end, procs, hatched in rows}


@pytest.mark.parametrize("policy", [FCFS(), EASY(), EASY(order="sjf"), Conservative()], ids=str)
def test_the_last_frame_is_the_schedule_of_the_kernel(shown, policy):
    workloads = [examples.figure1(), examples.figure3(), lesson2.queue()]
    page = shown(*(stepper(each, policy) for each in workloads))
    steppers = page.locator(".simlib-stepper")
    for control, workload in zip(steppers.all(), workloads, strict=True):
        press(control, "Last")
        kernel = simulate(workload, policy)
        assert schedule_of(control.locator("svg[role=img]").evaluate(READ), workload.procs) == schedule_from(kernel)


def test_every_decision_says_its_sentence_and_shows_who_waits_and_runs(shown):
    explanation = explain(lesson2.queue(), EASY())
    control = shown(stepper(lesson2.queue(), EASY())).locator(".simlib-stepper")
    for number, seen in enumerate(explanation, 1):
        go_to(control, number)
        assert f"{seen.sentence}Rule: {seen.rule}." in control.evaluate(SPOKEN)
        label = control.locator("svg[role=img]").get_attribute("aria-label")
        assert f"Waiting: {', '.join(job.job for job in seen.queue) or 'no job'}." in label
        assert f"Running: {', '.join(job.job for job in seen.running) or 'no job'}." in label
        if seen.shadow is not None:
            assert f"Shadow time {seen.shadow}, {seen.extra or 'no'} extra processor" in label
            assert control.get_by_text(f"shadow time {seen.shadow}, {seen.extra or 'no'} extra", exact=True).count()
            box = [float(of) for of in control.locator("svg[role=img]").get_attribute("data-box").split(",")]
            for grey in control.locator("svg[role=img] .sw-extra").all():  # to the end of the chart
                assert float(grey.get_attribute("x")) + float(grey.get_attribute("width")) == pytest.approx(box[1])
        decided = control.locator(".simlib-decided td:first-child").all_inner_texts()
        assert decided == [job.job for job in (*seen.queue, *seen.running) if job.job in seen.jobs]


def test_buttons_slider_and_keys_go_where_they_say(shown):
    page = shown(stepper(lesson2.queue(), EASY()), stepper(examples.figure3(), FCFS()))
    control, other = page.locator(".simlib-stepper").all()
    steps = [place + 1 for place in views.news(explain(lesson2.queue(), EASY()))]
    places = []
    for name in ("Back", "Next", "Next", "Next start", "Back", "Last", "Next", "Back", "First"):
        press(control, name)
        places.append(place(control))
    assert places == [1, steps[1], steps[2], 12, steps[4], 35, 35, steps[-2], 1]
    control.focus()
    places = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft"):
        page.keyboard.press(key)
        places.append(place(control))
    assert places == [steps[1], steps[2], steps[1], 35, 35, 1, 1]
    press(control, "Last")
    for _ in range(len(steps)):
        press(control, "Back")
    spoken = []
    for _ in steps:
        spoken.append(control.evaluate(SPOKEN))
        press(control, "Next")
    assert "Job D" in spoken[5] and "arrives" in spoken[5] and "before the shadow time 30" in spoken[5]
    assert not any("still waits" in text for text in spoken)
    go_to(control, 7)
    assert control.evaluate(SPOKEN).startswith("Job H still waits at the head")
    assert place(other) == 1


LISTEN = """() => {
    heard = []
    document.addEventListener('keydown', event => heard.push(event.key), true)
}"""
USED = ["ArrowRight", "ArrowLeft", "Home", "End"]
LEFT = ["Escape", "j", "k", "Tab", "Shift+Enter", "Shift+ArrowDown", "Control+s"]


@pytest.mark.parametrize(
    "part, used, left",
    [
        (".simlib-stepper", [*USED, " "], [*LEFT, "Enter", "ArrowDown"]),
        ("button >> nth=3", [*USED, " ", "Enter"], [*LEFT, "ArrowDown"]),
        ("summary", [*USED, " ", "Enter"], [*LEFT, "ArrowDown"]),
        ("input", [*USED, " ", "ArrowDown", "PageUp"], [*LEFT, "Enter"]),
    ],
)
def test_a_page_that_has_shortcuts_hears_all_keys_but_those_that_the_stepper_uses(part, used, left, shown):
    page = shown(stepper(examples.figure1(), EASY()))
    page.evaluate(LISTEN)
    for key in [*used, *left]:
        page.locator(part).focus()
        page.keyboard.press(key)
    heard = page.evaluate("heard.filter(key => !['Shift', 'Control'].includes(key))")
    assert heard == [key.split("+")[-1] for key in left]


def test_it_plays_and_pauses_by_button_and_space_bar(shown):
    page = shown(stepper(examples.figure1(), EASY()))
    control = page.locator(".simlib-stepper")
    control.focus()
    page.keyboard.press(" ")
    page.wait_for_function("() => document.querySelector('input').value === '2'", timeout=4000)
    assert control.get_by_role("button", name="Pause").is_visible()
    press(control, "Pause")
    assert control.get_by_role("button", name="Play").is_visible()


def test_all_is_reached_by_tab_and_has_a_name(shown):
    page = shown(stepper(examples.figure1(), EASY()), "<a href=#>What comes after it</a>")
    names = []
    for _ in range(11):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent"))
    buttons = ["First", "Back", "Play", "Next", "Next start", "Last", "Predict"]
    head = "Figure 1 under EASY: 6 jobs on 10 processors"
    assert names == [head, *buttons, "Decision", "All 26 decisions", "What comes after it"]
    seen = page.locator(".simlib-stepper").aria_snapshot()
    assert 'slider "Decision"' in seen and "- status:" in seen and 'img "Gantt chart of Figure 1' in seen


def test_one_says_who_starts_next_or_that_nobody_does_and_then_sees_why(shown):
    page = shown(stepper(lesson2.queue(), EASY(), predict=True))
    control = page.locator(".simlib-stepper")
    choices, verdict = control.get_by_role("group", name="Who starts next?"), control.locator(".sw-verdict")
    nobody = "nobody until the next event"
    assert choices.get_by_role("button").all_inner_texts() == ["job A", "job B", nobody]
    press(choices, "job A")
    assert verdict.inner_text() == "Right: job A starts. 1 of 1 right so far." and place(control) == 2
    assert "Job A starts from the head of the queue" in control.evaluate(SPOKEN)
    press(choices, nobody)
    assert verdict.inner_text() == "Not right: job B starts. 1 of 2 right so far."
    assert choices.get_by_role("button").count() == 0
    assert page.evaluate("document.activeElement.textContent") == "Next"
    page.keyboard.press("Enter")
    assert verdict.count() == 0
    assert choices.get_by_role("button").all_inner_texts() == ["job H", nobody]
    go_to(control, 20)  # job D ends
    assert choices.get_by_role("button").all_inner_texts() == ["job H", "job C", "job F", nobody]
    page.screenshot(path=SHOTS / "web" / "predict.png")
    choices.get_by_role("button", name="job F").focus()
    page.keyboard.press("Enter")
    assert verdict.inner_text().startswith("Not right: nobody starts.")
    for reason in ("Job H still waits", "Job C is refused", "Job F is refused"):
        assert reason in control.evaluate(SPOKEN)
    go_to(control, 20)  # was answered
    assert choices.get_by_role("button").count() == 0
    press(control, "Predict")
    press(control, "Predict")  # a new game
    press(control, "First")
    explanation, last = explain(lesson2.queue(), EASY()), ""
    while place(control) < len(explanation):  # by answers and Next alone one comes to the end
        if choices.get_by_role("button").count():
            truth, _ = views.question(explanation, place(control) - 1)
            press(choices, nobody if truth is None else f"job {truth}")
            last = verdict.inner_text()
        else:
            press(control, "Next")
    assert last.endswith("13 of 13 right so far.")
    press(control, "Predict")
    assert not choices.is_visible()


def test_a_step_of_a_lesson_takes_less_than_30_ms(shown):
    control = shown(stepper(lesson4.heel_and_toe(2), EASY())).locator(".simlib-stepper")
    press(control, "Last")
    took = """stepper => {
        const back = [...stepper.querySelectorAll('button')].find(button => button.textContent === 'Back')
        return Array.from({ length: 15 }, () => {
            const begin = performance.now()
            back.click()
            stepper.getBoundingClientRect()
            return performance.now() - begin
        })
    }"""
    assert statistics.median(control.evaluate(took)) < 30


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_cut_off_on_any_screen(shown, width, scheme):
    """Pictures are kept in build/lab/web/."""
    workload = lesson2.queue()
    fragments = [stepper(workload, EASY()), stepper(examples.figure1(), Conservative(), predict=True)]
    page = shown(*fragments, stepper(examples.figure1(), EASY()), width=width, scheme=scheme)
    control, asking, long_names = page.locator(".simlib-stepper").all()
    for _ in range(8):
        press(control, "Next")
        press(long_names, "Next")
    press(asking, "Next start")
    assert page.evaluate(TOO_WIDE) == page.evaluate(CUT_OFF) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.screenshot(path=SHOTS / "web" / f"{width}-{scheme}.png", full_page=True)


GROUND = "() => getComputedStyle(document.querySelector('.simlib-stepper')).backgroundColor"


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
    page = shown(stepper(examples.figure3(), EASY()), scheme=scheme, attributes=attributes)
    assert page.evaluate(GROUND) == ("rgb(22, 24, 28)" if dark else "rgb(255, 255, 255)")


def test_on_paper_stand_the_whole_schedule_and_all_sentences(shown):
    page = shown(stepper(examples.figure1(), EASY()))
    control = page.locator(".simlib-stepper")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert not control.get_by_role("button", name="Next", exact=True).is_visible()
    assert control.locator("li").last.is_visible()
    assert schedule_of(control.locator("svg[role=img]").evaluate(READ), 10) == schedule_from(
        simulate(examples.figure1(), EASY())
    )
    page.screenshot(path=SHOTS / "web" / "print.png", full_page=True)
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert (place(control), control.locator("li").last.is_visible()) == (1, False)


def test_nothing_moves_where_one_asked_for_no_motion(shown):
    page = shown(stepper(examples.figure1(), EASY()))
    press(page.locator(".simlib-stepper"), "Next start")
    animation = "() => getComputedStyle(document.querySelector('.sw-frame')).animationName"
    assert page.evaluate(animation) == "none"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(animation) == "sw-appear"


def test_without_scripts_all_sentences_are_there(browser, tmp_path):
    context = browser.browser.new_context(java_script_enabled=False)
    file = tmp_path / "plain.html"
    file.write_text(PAGE.format("", stepper(examples.figure1(), EASY())), encoding="utf-8")
    page = context.new_page()
    page.goto(file.as_uri())
    told = page.locator("li").all_inner_texts()
    assert told == [f"At {seen.time}: {seen.sentence}" for seen in explain(examples.figure1(), EASY())]
    page.screenshot(path=SHOTS / "web" / "plain.png", full_page=True)
    context.close()
