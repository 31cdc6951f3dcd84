"""The course without a kernel, by keyboard alone: Tab through each page, step to the end, and type every answer."""

import pytest

ANSWERS = {
    "lesson1-fcfs": {"1.1": ["40", "4"], "1.2": ["0.54"], "1.3": ["P R Q S T"], "1.4": ["100", "1", "10"]},
    "lesson2-easy": {
        "2.1": ["30", "2"],
        "2.2": ["no", "shadow", "extra", "no", "30"],
        "2.3": ["3", "197", "1"],
        "2.4": ["procs <= free and (now + estimate <= shadow or procs <= extra)"],
    },
    "lesson3-conservative": {
        "3.1": ["100", "6"],
        "3.2": ["17"],
        "3.3": ["90", "20"],
        "3.4": ["(jobs.start > jobs.guarantee).sum()"],
    },
    "lesson7-your-job": {
        "7.1": ["491", "45824"],
        "7.2": ["154"],
        "7.3": ["4", "long"],
        "7.4": ["dan ada cleo bob eva fay"],
        "7.5": ["113"],
        "7.6": ["12", "1295"],
    },
}
"""What is typed into the fields of each exercise, or chosen there."""

FOCUSED = "() => document.activeElement.tagName"
WITHIN = "part => part.contains(document.activeElement)"


def tab_to(tab, part):
    """Press Tab until the focus is in a part of the page."""
    for _ in range(300):
        if part.evaluate(WITHIN):
            return
        tab.keyboard.press("Tab")
    pytest.fail("300 times Tab do not come there")


def fill_in(tab, part, texts):
    """Type or choose what stands for each field, from one to the next by Tab."""
    for number, text in enumerate(texts):
        if number:
            tab.keyboard.press("Tab")
        if tab.evaluate(FOCUSED) == "SELECT":
            options = part.locator(":focus option").all_inner_texts()
            tab.keyboard.press("Home")
            for _ in range(options.index(text)):
                tab.keyboard.press("ArrowDown")
        else:
            tab.keyboard.type(text)
    tab.keyboard.press("Enter" if tab.evaluate(FOCUSED) != "SELECT" else "Tab")
    if tab.evaluate(FOCUSED) == "BUTTON":
        tab.keyboard.press("Enter")


@pytest.mark.parametrize("name", ANSWERS)
def test_a_lesson_is_gone_through_by_keyboard_alone(name, visit, keep):
    tab = visit(f"notebooks/teaching/{name}.html")
    article = tab.get_by_role("article")
    for part in article.locator("simlib-view, simlib-exercise").all():  # in the order of the page
        tab_to(tab, part)
        if number := part.get_attribute("data-number"):
            fill_in(tab, part, ANSWERS[name][number])
            part.get_by_role("status").filter(has_text="Right: ").wait_for()
        else:
            said = part.locator(".sw-sentence")
            first = said.inner_text()
            tab.keyboard.press("ArrowRight")
            second = said.inner_text()
            tab.keyboard.press("End")
            assert len({first, second, said.inner_text()}) == 3
    asked = [part.get_attribute("data-number") for part in article.locator("simlib-exercise").all()]
    assert asked == list(ANSWERS[name]) and tab.failed == []
    keep(tab, f"keyboard-{name}")
    tab_to(tab, article.locator("a").last)
