"""A researcher changes an experiment in JupyterLab, in its cells alone, and looks at the table and the picture."""

import json
import re
import shutil
import time

import pytest

from simlib.logs import archive

from .conftest import ALL_RUN, IDLE, ROOT, SECONDS, SHOTS, opened, retype, run_all

FEW = {r"shakes = \d+": "shakes = 2"}
OTHERS = {r"other_shakes = \d+": "other_shakes = 2"}
BOTH = '"EASY": EASY(), "conservative": Conservative()'
THIRD = {rf"text = {{{re.escape(BOTH)}}}": f'text = {{{BOTH}, "SJF": EASY(backfill="sjf")}}'}

EXPERIMENTS = {
    "a third policy in Table 3": (
        "mualem2001/table3",
        FEW | OTHERS | {r'logs = \["CTC", "KTH", "SDSC"\]': 'logs = ["KTH"]', r"draws = \d+": "draws = 2"} | THIRD,
        "SJF",
        ["SJF"],
    ),
    "Table 1 of HPC2N with three schedulers": (
        "mualem2001/table1",
        FEW | OTHERS | {r'logs = \["CTC", .*?\]': 'logs = ["HPC2N"]'} | THIRD,
        "SJF",
        ["SJF"],
    ),
    "Table 4 with estimates tripled and a percentile": (
        "mualem2001/table4",
        FEW
        | OTHERS
        | {r'logs = \["KTH", "CTC", "SDSC"\]': 'logs = ["KTH"]', r"factor = 2": "factor = 3"}
        | {r"measures = MEASURES": 'measures = MEASURES | {"wait_95th": lambda of: of.jobs.wait.quantile(0.95)}'},
        "wait_95th",
        ["wait_95th"],
    ),
    "Figure 5 by user": (
        "mualem2001/figure5",
        {
            r"shakes = \d+": "shakes = 2",
            r"logs = \[.*?\]": 'logs = ["KTH"]',
            r"model_loads = \[.*?\]": "model_loads = [0.7]",
        }
        | {r"model_jobs = \S+": "model_jobs = 1000", r"model_seeds = \d+": "model_seeds = 2"}
        | {r'by = "size"': 'by = "user"'},
        "group",
        ["user"],
    ),
    "Figure 14 with another percentile and order": (
        "tang2013/figures14-17",
        FEW
        | {r"logs = None": 'logs = ["SDSC-DS"]', r"large_shakes = \d+": "large_shakes = 2"}
        | {r"percentiles = \[.*?\]": "percentiles = [95, 50]", r'14: \("wfp"': '14: ("sjf"'},
        "regular p50",
        ["regular p50"],
    ),
    "the family of Feitelson models with one more member": (
        "mualem2001/feitelson-family",
        {r"loads = \[0.5,.*\]": "loads = [0.6]", r"variant_loads = \[.*?\]": "variant_loads = [0.75]"}
        | {r"feitelson_jobs = \S+": "feitelson_jobs = 600", r"jann_jobs = \S+": "jann_jobs = 600"}
        | {r"feitelson_batch = \d+": "feitelson_batch = 100", r"jann_batch = \d+": "jann_batch = 100"}
        | {r"number_of_runs = \d+": "number_of_runs = 2"}
        | {
            r"members = feitelson_family.members\(\)": "members = feitelson_family.members()\n"
            'members["KTH, long"] = members["KTH"] | {"run": members["SDSC"]["run"]}'
        },
        "KTH, long",
        [],
    ),
}
"""By what is changed: the notebook, patterns in its cells and what takes their place, what stands in a table then, and
what pictures show."""


def edited(notebook, changes):
    """The code cells of a notebook that change: their number and their new text."""
    cells = json.loads((ROOT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    left = set(changes)
    for place, source in enumerate("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
        new = source
        for pattern, put in changes.items():
            typed = pattern.replace(" = ", r"(: [^=\n]+)? = ", 1)  # a parameter's type stays
            kept = rf"(?m)(?<!\w){typed if ' = ' in pattern else f'{pattern}()'}"
            new, count = re.subn(kept, lambda at, put=put: put.replace(" = ", f"{at[1] or ''} = ", 1), new)
            left -= {pattern} if count else set()
        if new != source:
            yield place, new
    assert not left, f"{notebook}: no cell has {left}"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_is_changed_in_its_cells_alone(name, browser, server, home):
    notebook, changes, in_table, shown = EXPERIMENTS[name]
    if "HPC2N" in name and archive.find("HPC2N") is None:
        pytest.skip("the log HPC2N is not here")
    page = opened(browser, server, f"{notebook}.ipynb")
    for place, new in edited(notebook, changes):
        cell = page.locator(".jp-CodeCell").nth(place)
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        retype(page, new)
        assert cell.locator(".cm-content").inner_text().split() == new.split()
    run_all(page)
    page.wait_for_function(ALL_RUN, timeout=SECONDS * 1000)
    page.get_by_text(IDLE).wait_for()
    folder = SHOTS / "experiments"
    folder.mkdir(parents=True, exist_ok=True)
    for number, picture in enumerate(page.locator(".jp-OutputArea-output img").all()):
        picture.scroll_into_view_if_needed()
        picture.screenshot(path=folder / f"{name}-{number}.png")
    failed = page.locator('.jp-RenderedText pre:has-text("Traceback")')
    assert [each.inner_text()[-500:] for each in failed.all()] == []
    said = page.locator(".jp-OutputArea-output").all_inner_texts()
    assert any("build/explorations" in text or "build/own" in text for text in said)
    assert any(in_table in text for text in said)  # in a table, too
    page.get_by_role("menuitem", name="File", exact=True).click()
    page.locator(".lm-Menu-item").filter(has_text="Save Notebook").first.click()
    described = " ".join(pictures_of(page, home / "notebooks" / f"{notebook}.ipynb"))
    assert [what for what in shown if what not in described] == [], described
    page.close()


def pictures_of(page, path, seconds=20):
    """What the pictures of a saved notebook show, as soon as it is saved with them."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        text = path.read_text(encoding="utf-8")
        cells = json.loads(text)["cells"] if text else []  # empty while it is written
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        found = [output["metadata"]["image/png"]["alt"] for output in outputs if "image/png" in output.get("data", {})]
        if found:
            return found
        page.wait_for_timeout(100)  # and not asleep: what the page asks the server goes through this process
    return []


@pytest.fixture(autouse=True, scope="module")
def nothing_is_left():
    """What explorations saved goes away again."""
    before = {path for of in ("explorations", "own") for path in (ROOT / "build" / of).glob("*")}
    yield
    for of in ("explorations", "own"):
        for path in set((ROOT / "build" / of).glob("*")) - before:
            shutil.rmtree(path)
