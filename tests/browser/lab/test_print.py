"""A student prints in an order and in a pass of lesson 6: the page stays short, and the next try works."""

import nbformat

from tools.solutions import solved

from .conftest import SECONDS, SHOTS, opened, retype, run_all

HELPER = """

def shown(number):
    print("number", number)
    return number


def my_order(wait, estimate, procs):
    return shown(-estimate * procs)


lessons.check("6.3", my_order)
"""
LOUD = "            if job.procs <= machine.free:\n                print(job)\n"
RIGHT = """def my_order(wait, estimate, procs):
    return -estimate * procs

lessons.check("6.3", my_order)"""
LONGEST = 20_000  # letters that the outputs of a cell may have


def printing(lesson):
    """Lesson 6 solved, but with prints in the order of 6.3, which calls another function, and in the pass of 6.5."""
    for cell in lesson["cells"]:
        source = "".join(cell["source"])
        if 'check("6.3"' in source:
            cell["source"] = "from simlib_course import lessons\n" + HELPER
        if 'check("6.5"' in source:
            cell["source"] = source.replace("            if job.procs <= machine.free:\n", LOUD)
    return lesson


def cell_with(page, text):
    return page.locator(".jp-CodeCell").filter(has_text=text)


def test_a_print_in_an_order_or_a_pass_does_not_fill_the_page_and_the_next_try_works(browser, server, home):
    lesson = solved(home / "notebooks/teaching/lesson6-own-policy.ipynb")
    nbformat.write(printing(lesson), home / "notebooks/teaching/printing.ipynb")
    page = opened(browser, server, "teaching/printing.ipynb")
    run_all(page)
    page.get_by_text("it prints; expected", exact=False).first.wait_for(timeout=SECONDS * 1000)
    page.get_by_text("more lines were printed", exact=False).first.wait_for(timeout=SECONDS * 1000)
    page.get_by_text("these are best fit's start times", exact=False).first.wait_for(timeout=SECONDS * 1000)
    outputs = page.locator(".jp-OutputArea").all_inner_texts()
    assert max(map(len, outputs)) < LONGEST
    assert not any("Environment" in text or "nopython" in text for text in outputs)
    cell = cell_with(page, "def my_order")
    cell.scroll_into_view_if_needed()
    page.screenshot(path=SHOTS / "print-in-an-order.png")

    cell.locator(".cm-content").click()
    retype(page, "from simlib_course import lessons\n" + RIGHT)
    page.keyboard.press("Shift+Enter")
    cell.get_by_text("Right: a mean bounded slowdown", exact=False).wait_for(timeout=SECONDS * 1000)
    page.screenshot(path=SHOTS / "print-taken-out.png")
    page.close()
