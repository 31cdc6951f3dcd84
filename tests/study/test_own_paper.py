"""A paper of one's own: `simlib new` begins it, its notebook runs as it is, and `study.collect` reads all its runs."""

import json
import subprocess
import sys

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from click.testing import CliRunner

import simlib_study as study
from simlib_study import records
from simlib_study.new import new


@pytest.fixture
def paper(tmp_path, monkeypatch):
    """The folder of a new paper, which is the current one."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(new, ["night-jobs"]).exit_code == 0
    monkeypatch.chdir(tmp_path / "night-jobs")
    return tmp_path / "night-jobs"


def run(paper, **given):
    """Run the paper's notebook in this process, as papermill does with these parameters."""
    cells = json.loads((paper / "night-jobs.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    lines = [f"{name} = {value!r}" for name, value in given.items()]
    code.insert(1, "\n".join(["# Parameters", *lines]))
    variables = {"__name__": "__main__", "In": [""]}
    for cell in code:
        variables["In"].append(cell)
        exec(cell, variables)


@pytest.mark.slow
def test_a_sweep_of_a_new_paper_is_one_table(paper, capsys):
    for factor in (10.0, 2.0):
        run(paper, factor=factor, shakes=1)
    said = capsys.readouterr().out
    assert "figures/" not in said and "judged" not in said
    table = study.collect()
    assert table.factor.unique().tolist() == [2, 10] and set(table.exhibit) == {"night-jobs"}
    assert table.groupby(["factor", "policy"]).size().eq(2).all() and table.logs.eq("sample").all()
    easy = table[(table.policy == "EASY") & (table.run == 0)].set_index("factor")
    assert easy["mean wait [h]"].nunique() == 2  # the parameter has changed what was simulated
    folders = list((paper / "build" / "explorations" / "night-jobs").iterdir())
    kept = {"numbers.csv", "summary.csv", "table.tex", "picture.png", "picture.pdf", "record.json"}
    assert [{path.name for path in folder.iterdir()} for folder in folders] == [kept] * 2
    record = records.read(folders[0] / "record.json")
    assert record["verdicts"] == {"cells": [], "claims": []} and record["parameters"]["shakes"] == 1


def test_what_is_wrong_with_a_name_is_said_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    for name in ("there", "my paper", "tang2013"):
        done = CliRunner().invoke(new, [name])
        assert done.exit_code == 1 and repr(name)[1:-1] in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """A function that saves what a small notebook of an own paper makes, and gives the folder."""
    monkeypatch.chdir(tmp_path)

    def saved(tables, pictures=None, name="mine", parameters="shakes: int = 4", more=""):
        variables = {"In": ["", parameters, more]}
        exec(parameters, variables)
        study.parameters(name, variables)
        study.save(tables, pictures)
        return max((tmp_path / "build/explorations" / name).iterdir(), key=lambda path: path.stat().st_mtime_ns)

    return saved


TABLE = pd.DataFrame({"wait_%": [0.5, 1234.5]}, pd.Index(["EASY", "FCFS"], name="policy"))


def test_the_ending_of_a_name_says_what_is_written(saved):
    figure = plt.figure()
    figure.add_subplot().plot([0, 1])
    pictures = {"picture": figure, "picture.pdf": figure, "wide.svg": figure}
    folder = saved({"numbers": TABLE, "table.tex": TABLE}, pictures)
    begins = {"picture.png": b"\x89PNG", "picture.pdf": b"%PDF", "wide.svg": b"<?xml", "numbers.csv": b"policy,wait_%"}
    assert {name: (folder / name).read_bytes()[: len(text)] for name, text in begins.items()} == begins
    lines = (folder / "table.tex").read_text().splitlines()
    assert r"EASY & 0.50 \\" in lines and r"FCFS & 1,234.50 \\" in lines and any(r"wait\_\%" in line for line in lines)
    before = {name: (folder / name).read_bytes() for name in pictures if "." in name}
    assert saved({"numbers": TABLE, "table.tex": TABLE}, pictures) == folder
    assert {name: (folder / name).read_bytes() for name in before} == before
    with pytest.raises(ValueError, match="numbers.pdf"):
        saved({"numbers.pdf": TABLE})


def test_of_runs_with_the_same_parameters_the_last_counts(saved, capsys):
    saved(TABLE, parameters="shakes: int = 9\npolicy: list[str] = ['EASY', 'FCFS']")
    saved(TABLE, more="before = 1")
    last = saved(2 * TABLE, parameters="shakes: float = 4.0", more="after = 1")
    saved({"others": TABLE}, parameters="shakes: int = 7")
    table = study.collect("build/explorations/mine")
    assert "1 older" in capsys.readouterr().out
    assert table["wait_%"].tolist() == [1, 2469, 0.5, 1234.5] and table.shakes.tolist() == [4, 4, 9, 9]
    assert (
        table["parameter policy"].tolist()[2:] == ["EASY, FCFS"] * 2 and table.policy.tolist() == ["EASY", "FCFS"] * 2
    )
    assert study.collect(name="others.csv").shakes.tolist() == [7, 7]
    assert study.collect(last)["wait_%"].tolist() == [1, 2469]


@pytest.mark.thorough
def test_snakemake_runs_the_grid(paper):
    file = paper / "Snakefile"
    grid = file.read_text().replace("[1, 2, 4]", "[1, 2]").replace("[0, 100]", "[0]")
    file.write_text(grid)
    done = subprocess.run([sys.executable, "-m", "snakemake", "--cores", "2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert study.collect().groupby(["factor", "seed", "policy"]).size().eq(11).all()
