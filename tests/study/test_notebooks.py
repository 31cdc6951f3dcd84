"""Every notebook of the study shows its experiment, comes to its end on any logs, and saves what its record says."""

import ast
import json
import re
from collections import Counter
from itertools import chain

import pandas as pd
import pytest
from check_synthetic import complaints
from exhibits import code_cells, executed
from helpers import ROOT, texts
from matplotlib.figure import Figure

from simlib import plots
from simlib.logs import swf
from simlib_study import claims
from simlib_study.notebooks import COUNTS, PREVIEW, REPRODUCING, Notebook, notebooks
from simlib_study.pages import first_look
from simlib_study.records import outcomes

NOTEBOOKS = notebooks()

FEW = {"model_jobs": 1000, "feitelson_jobs": 600, "jann_jobs": 600, "feitelson_batch": 100, "jann_batch": 100}
FEW |= {"load_step": 0.4, "first_variant_load": 0.5, "least_jobs": 50, "number_of_runs": 2, "resamples": 20, "draws": 2}
QUICK = {"mualem2001/footnote2", "mualem2001/table4", "tang2013/table2", "tang2013/figure13"}


def each_notebook(quick, names=NOTEBOOKS):
    """Parametrise a test by notebooks, of which only the quick ones are left to `make test`."""
    marks = {name: pytest.mark.slow if name in quick else pytest.mark.thorough for name in names}
    return pytest.mark.parametrize("name", [pytest.param(name, marks=mark) for name, mark in marks.items()])


def few(name):
    """Parameters that make a notebook quick, of those that it has."""
    own = NOTEBOOKS[name].parameters
    return {each: FEW.get(each, 2) for each in own if each in FEW or each.endswith("shakes")}


def parts(name, folder):
    """The names of the tables that a notebook has in a folder, and in those in it."""
    return sorted(path.name for path in folder.rglob("*.csv") if f"/{name}/" in path.as_posix())


# What they are


def test_every_notebook_of_the_papers_is_an_exhibit_and_names_its_section():
    names = {
        path.relative_to(ROOT / "notebooks").with_suffix("").as_posix() for path in ROOT.glob("notebooks/*/*.ipynb")
    }
    assert {name for name in names if not name.startswith("teaching/")} == set(NOTEBOOKS)
    assert {one.after for one in NOTEBOOKS.values()} - {None} <= set(NOTEBOOKS)


NO_PROSE = r"(?s)\"[^\"]*\"|`[^`]*`|\$[^$]*\$|\]\([^)]*\)"
RESULT = r"(?<![\w.,])\d[\d,.]*(?:,? (?:to|and|or) [-+]?\d[\d.,]*)* ?(?:%|per cent|points)"
BOUND = r"(?:1|5|10|25|50|90|95|99|100|110) ?(?:%|per cent)"  # of definitions
OF_WHAT_RUN = r"(?:this|the) study's (?:run|`figures/`)|behind (?:this study's )?`figures/`"


def says_of_what_run(texts):
    """Whether the prose of a notebook, without its first cell, types in no results, or says of what run they are."""
    prose = " ".join(re.sub(NO_PROSE, "", text) for text in texts[1:])
    results = [found for found in re.findall(RESULT, prose) if not re.fullmatch(BOUND, found)]
    return not results or re.search(OF_WHAT_RUN, " ".join(texts)) is not None


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_results_in_prose_are_of_the_study_s_run_and_the_notebook_says_so(name):
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    assert says_of_what_run(["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_first_cell_shows_a_committed_picture_of_the_exhibit_if_there_is_one(name):
    path = ROOT / "notebooks" / f"{name}.ipynb"
    first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
    shown = {(path.parent / link).resolve() for link in re.findall(r"!\[[^]]+\]\(([^)]+)\)", first)}
    pictures = set((ROOT / "figures" / name).glob("*.png"))
    assert shown <= pictures and len(shown) == bool(pictures)


def test_notebooks_are_in_the_papers_order():
    names = list(NOTEBOOKS)
    assert names.index("mualem2001/figure4") < names.index("mualem2001/figure5") < names.index("mualem2001/table3")
    assert (
        names.index("mualem2001/footnote2")
        < names.index("tang2013/figure3")
        < names.index("other-machines/backfilling")
    )
    one, other = (Notebook(f"tang2013/{name}", section="6.2") for name in ("figures8-10", "figure11"))
    assert one.place < other.place


def test_claims_and_findings_are_decided_by_one_exhibit_each():
    records = [json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "figures").rglob("*.json")]
    decided = Counter(claim["id"] for record in records for claim in record["verdicts"]["claims"])
    assert decided == Counter([*claims.criteria(), *claims.findings()])


def test_every_experiment_can_be_read():
    code = {name: [cell for cell in NOTEBOOKS[name].code] for name in NOTEBOOKS}
    lines = {
        name: sum(
            bool(line.strip()) and not line.startswith(("import ", "from "))
            for line in chain(*map(str.splitlines, cells))
        )
        for name, cells in code.items()
    }
    assert sum(lines.values()) <= 3200 and max(lines.values()) <= 135, lines
    hidden = [name for name, cells in code.items() if any("globals()" in cell for cell in cells)]
    assert hidden == []


def test_an_exhibit_needs_neither_the_page_nor_the_course():
    """So a change there runs none of them again."""
    code = {name: "".join(NOTEBOOKS[name].code) for name in NOTEBOOKS}
    assert [name for name in code if "simlib_report" in code[name] or "simlib_course" in code[name]] == []
    assert any("simlib_study" in of for of in code.values())


def test_no_two_notebooks_define_the_same_helper():
    defined = Counter()
    for notebook in NOTEBOOKS.values():
        for node in chain.from_iterable(ast.parse(cell).body for cell in notebook.code):
            if isinstance(node, ast.FunctionDef) and len(node.body) > 2:
                defined[ast.dump(ast.Module(node.body, []))] += 1
    assert max(defined.values()) == 1


# To the end


@each_notebook(QUICK)
def test_on_small_logs_it_comes_to_its_end_and_saves_all_that_its_record_has(name, small_logs):
    executed(name, **few(name))
    assert parts(name, small_logs) == parts(name, ROOT / "figures")


@each_notebook({"mualem2001/table4"}, [name for name, one in NOTEBOOKS.items() if one.quick])
def test_a_first_look_has_all_parts_is_marked_and_leaves_figures_alone(name, small_logs, monkeypatch):
    monkeypatch.setenv(REPRODUCING, PREVIEW)
    small_months = {each: FEW[each] for each in {"least_jobs"} & {*NOTEBOOKS[name].parameters}}
    executed(name, quick=True, **small_months)
    assert parts(name, small_logs / "build" / "preview") == parts(name, ROOT / "figures")
    assert not (small_logs / "figures").exists()
    (found,) = outcomes(small_logs / "build" / "preview")
    assert found.record["exploration"]["differs"]
    assert found.pictures and all(f"{name}/{picture}" in first_look([found]) for picture in found.pictures)


def another(name):
    """A parameter of what a notebook studies, with another value than its own."""
    studied = {
        each: value
        for each, value in NOTEBOOKS[name].parameters.items()
        if each not in ("logs", "seed", "quick", *FEW) and not COUNTS.fullmatch(each)
    }
    studied = studied or {"model_jobs": 1001}
    numbers = {each: value for each, value in studied.items() if type(value) in (int, float)}
    if numbers:
        each, value = [*numbers.items()][-1]
        if each == "percentile":  # of those that the scheme has
            return {each: 80}
        return {each: value - (1 if isinstance(value, int) else value / 10)}
    each, value = [*studied.items()][-1]
    return {each: value[:-1] if isinstance(value, list) else not value}


@each_notebook({"mualem2001/footnote2", "tang2013/table2"})
def test_another_experiment_comes_to_its_end_and_is_judged_by_nothing(name, small_logs, capsys):
    changed = another(name)
    found = executed(name, **few(name) | changed)
    assert parts(name, small_logs) == parts(name, ROOT / "figures") and not (small_logs / "figures").exists()
    for path in small_logs.rglob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        assert record["verdicts"]["cells"] == []
        assert {claim["verdict"] for claim in record["verdicts"]["claims"]} <= {claims.UNTESTED}
        assert any(difference.startswith(f"{[*changed][0]} is ") for difference in record["exploration"]["differs"])
    said = " ".join(text for figure in found.values() if isinstance(figure, Figure) for text in all_texts(figure))
    assert not re.search(r"our bands|reproduced|parts of the claims hold", said + capsys.readouterr().out.lower())


def all_texts(figure):
    """What is written in a figure, and above its legends."""
    return texts(figure) + [legend.get_title().get_text() for legend in figure.legends]


WITHOUT_LOGS = ["other-machines/estimates", "mualem2001/figures1-3", "mualem2001/footnote2", "tang2013/figure13"]
"""One of each kind; the study from a fresh clone, a part of `.ci/run`, makes them all without a log."""


@each_notebook({"mualem2001/footnote2", "tang2013/figure13"}, WITHOUT_LOGS)
def test_without_a_log_it_comes_to_its_end_and_nothing_is_told_of_the_papers_logs(name, no_logs, root):
    found = executed(name, **few(name))
    assert parts(name, root) == parts(name, ROOT / "figures")
    assert complaints(root, [name]) == []
    synthetic = [path for path in root.rglob("*.json") if json.loads(path.read_text(encoding="utf-8"))["synthetic"]]
    if synthetic and name != "mualem2001/figures1-3":  # whose pictures are of small examples
        shown = found.get("shown")
        values = [*found.values(), *(shown.values() if isinstance(shown, dict) else [])]
        stamped = [plots.SYNTHETIC in texts(each) for each in values if isinstance(each, Figure)]
        assert not stamped or (all if name.startswith("other-machines/") else any)(stamped)


def test_a_record_that_is_missing_or_unmarked_or_tells_of_a_log_is_complained_of(tmp_path):
    record = json.loads((ROOT / "figures" / "mualem2001" / "table3" / "record.json").read_text(encoding="utf-8"))
    for name, synthetic in (("real", False), ("telling", True)):
        (tmp_path / name).mkdir()
        text = json.dumps(record | {"exhibit": name, "synthetic": synthetic})
        (tmp_path / name / "record.json").write_text(text, encoding="utf-8")
    found = complaints(tmp_path, ["absent", "real", "telling"])
    assert {line.partition(":")[0] for line in found} == {"absent", "real", "telling"}
    assert len([line for line in found if "expected cannot be tested" in line]) == len(record["verdicts"]["claims"]) > 0
    assert any(line == "mualem2001/table1: found no record" for line in complaints(tmp_path))


OF_ANY_LOG = [name for name, one in NOTEBOOKS.items() if "own=True" in one.code[1]]
FOR_OTHERS = {"mualem2001/table1"}


@each_notebook(FOR_OTHERS, OF_ANY_LOG)
def test_of_a_log_of_ones_own_it_saves_tables_in_a_folder_of_its_own_without_the_papers_numbers(name, mine, root):
    executed(name, logs=[str(mine)], **few(name))
    assert not (root / "figures").exists()
    tables = [pd.read_csv(path) for path in (root / "build" / "own" / "mine").rglob("*.csv")]
    assert tables and not any(table[column].notna().any() for table in tables for column in {"published"} & set(table))
    records = [json.loads(path.read_text(encoding="utf-8"))["verdicts"] for path in root.rglob("*.json")]
    assert all(record == {"cells": [], "claims": []} for record in records)


@each_notebook(FOR_OTHERS, OF_ANY_LOG)
def test_a_log_without_a_calendar_is_taken_or_refused_by_name(name, tmp_path, root):
    from simlib import Workload, load

    log = load("sample").log.iloc[:800]
    swf.write_swf(Workload(swf.jobs_of(log), 128, "undated", log=log), tmp_path / "undated.swf")
    try:
        executed(name, logs=[str(tmp_path / "undated.swf")], **few(name))
    except ValueError as error:
        assert "undated: has no calendar: expected '; UnixStartTime:'" in str(error)
        assert name in ("mualem2001/table1", "tang2013/figures14-17")


def test_parameters_are_plain_values():
    for name in NOTEBOOKS:
        json.dumps(NOTEBOOKS[name].parameters)
        assert code_cells(name)[0] == NOTEBOOKS[name].tagged


@pytest.mark.parametrize("name", OF_ANY_LOG)
def test_a_log_that_is_not_there_is_named(name, root):
    with pytest.raises(Exception, match=r"none\.swf: found no such file.*expected the path of a log.*KTH-SP2"):
        executed(name, logs=["none.swf"])
