"""What is committed is in order: one test a kind of file, which names every file at fault and what is wrong with it."""

import nbformat
import pytest
from helpers import ROOT

from simlib_study import records
from simlib_study.mualem2001 import printed_means
from simlib_study.notebooks import notebook

FIGURES = ROOT / "figures"
VERSIONS = {"python", "simlib", "numpy", "pandas", "numba"}


def in_order(paths, faults):
    """Fail with all that `faults` finds wrong with files, a line each."""
    paths = sorted(paths)
    assert paths
    faulty = [f"{path.relative_to(ROOT).as_posix()}: {fault}" for path in paths for fault in faults(path)]
    if faulty:
        pytest.fail("\n".join(faulty), pytrace=False)


def of_notebook(path):
    notebook = nbformat.read(path, as_version=4)
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        yield str(error)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if sum("parameters" in cell.metadata.get("tags", []) for cell in code) != 1:
        yield "expected one cell that is tagged as parameters"
    if notebook.cells[0].cell_type != "markdown":
        yield "expected prose in the first cell"
    for cell in code:
        if cell.outputs or cell.execution_count is not None:
            yield f"cell {cell.id}: expected no output"
        if len(cell.source.splitlines()) > 25:
            yield f"cell {cell.id}: found {len(cell.source.splitlines())} lines, expected at most 25"


def of_record(path):
    try:
        record = records.read(path)
    except ValueError as error:  # it departs from the schema
        yield str(error).removeprefix(f"{path}: ")
        return
    if record["seed"] != record["parameters"].get("seed"):
        yield "has another seed than its parameters"
    if notebook(record["exhibit"]) is None:
        yield f"expected a notebook {record['exhibit']}.ipynb, or that it is frozen"
    if record["synthetic"] or not all(log["sha256"] or log["variant"] == "restored" for log in record["logs"]):
        yield "was not made from real logs, each with its digest"
    if missing := VERSIONS - set(record["versions"]):
        yield f"does not tell the version of {', '.join(sorted(missing))}"
    if not path.with_name("README.md").exists() or not list(path.parent.glob("*.csv")):
        yield "has no table or no executed notebook beside it"


def of_what_is_made(path):
    if not path.with_name(records.RECORD).exists() and path.parent.name != printed_means.FOLDER:
        yield "has no record beside it"


def test_notebooks_have_parameters_short_cells_and_no_outputs():
    in_order([path for of in ("notebooks", "docs") for path in (ROOT / of).rglob("[!.]*.ipynb")], of_notebook)


def test_records_follow_the_schema_are_named_after_their_exhibits_and_come_from_real_logs():
    in_order(FIGURES.rglob("*.json"), of_record)


def test_all_numbers_and_pictures_have_a_record():
    in_order([path for kind in ("csv", "png") for path in FIGURES.rglob(f"*.{kind}")], of_what_is_made)
