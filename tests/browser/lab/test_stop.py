"""Somebody begins a simulation that takes too long, watches its bar, and stops it."""

import nbformat

from .conftest import SECONDS, SHOTS, opened, run_all

LONG = """from simlib import Conservative, simulate
from simlib.core.estimates import Uniform
from simlib.models import jann97

workload = jann97.workload(100_000).scale_load(1.3).with_estimates(Uniform(10))
simulate(workload, Conservative())
"""


def test_the_stop_button_ends_a_long_simulation_whose_bar_is_shown(browser, server, home):
    cells = [nbformat.v4.new_code_cell(source) for source in (LONG, "print('the kernel', 'goes on')")]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), home / "notebooks" / "long.ipynb")
    page = opened(browser, server, "long.ipynb")
    run_all(page)
    page.get_by_text("simulate:").wait_for(timeout=SECONDS * 1000)
    page.wait_for_timeout(1000)
    page.screenshot(path=SHOTS / "long-simulation.png")
    page.get_by_role("button", name="Interrupt the kernel").click()
    page.get_by_text("KeyboardInterrupt", exact=False).first.wait_for(timeout=5000)
    page.screenshot(path=SHOTS / "long-simulation-stopped.png")
    page.locator(".jp-CodeCell").nth(1).click()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("the kernel goes on").wait_for()
    page.close()
