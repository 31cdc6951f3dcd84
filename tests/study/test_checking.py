"""What a run left in figures/ is held against what is committed, and every change of a number is found."""

import json
import subprocess

import pytest
from helpers import ROOT

from simlib._util import paths
from simlib_study import checking
from simlib_study.__main__ import main

TABLE = "trace,policy,load,wait\nCTC,EASY,0.5,12.5\nCTC,EASY,0.6,13.5\nKTH,EASY,0.5,1e-05\nKTH,FCFS,0.5,inf\n"
RECORD = {
    "exhibit": "paper_table1",
    "versions": {"numpy": "2.0"},
    "verdicts": {"cells": [{"of": {"trace": "CTC"}, "ours": 12.5, "verdict": "inside", "note": None}]},
}


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A repository with an exhibit of a table and a record, which was run."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    figures = tmp_path / "figures"
    figures.mkdir()
    (figures / "paper_table1.csv").write_text(TABLE)
    (figures / "paper_table1.json").write_text(json.dumps(RECORD))
    (figures / "README.md").write_text("One exhibit.\n")
    (tmp_path / "build" / "notebooks" / "paper").mkdir(parents=True)
    (tmp_path / "build" / "notebooks" / "paper" / "table1.ipynb").write_text("{}")
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "figures"], [*settings, "commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return figures


def changed(study, name, old, new):
    path = study / name
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return checking.check()


def test_what_has_not_changed_is_equal(study):
    assert checking.check(exact=True) == (["paper/table1: equal"], True)
    assert main(["check"]) == 0


@pytest.mark.parametrize("name, old, new, said", [
    ("paper_table1.csv", "13.5", "13.6", "1 of 16 values differ, most of all policy=EASY trace=CTC #2 wait: found"),
    ("paper_table1.csv", "1e-05", "0.2", "found 0.2, expected 1e-05"),
    ("paper_table1.csv", "inf", "9", "found 9, expected inf"),
    ("paper_table1.csv", "0.6", "0.7", "load: found 0.7, expected 0.6"),
    ("paper_table1.csv", "KTH,FCFS,0.5,inf\n", "", "4 of 16 values are not here, such as policy=FCFS trace=KTH #1"),
    ("paper_table1.csv", "KTH,FCFS", "KTH,fcfs", "are new, such as policy=fcfs"),
    ("paper_table1.csv", "load,wait", "load,mean", "are not here, such as policy=EASY trace=CTC #1 wait"),
    ("paper_table1.json", "12.5", "12.4", "verdicts cells 0 ours: found 12.4, expected 12.5"),
    ("paper_table1.json", '"inside"', '"off"', "verdict: found off, expected inside"),
    ("paper_table1.json", "null", '"so"', "note: found so, expected None"),
])  # fmt: skip
def test_a_change_is_told_with_its_place(study, name, old, new, said):
    lines, good = changed(study, name, old, new)
    assert not good and said in "\n".join(lines)
    assert main(["check"]) == 1


def test_the_last_digit_may_be_another_processors_unless_it_is_asked_for(study):
    lines, good = changed(study, "paper_table1.csv", "13.5", "13.5001")
    assert good and lines == ["paper/table1: differs by at most 1e-04"]
    assert not checking.check(exact=True)[1] and main(["check", "--exact"]) == 1
    assert not changed(study, "paper_table1.csv", "13.5001", "13.5002")[1]


def test_other_versions_of_packages_are_no_change(study):
    assert changed(study, "paper_table1.json", '"2.0"', '"2.1"') == (["paper/table1: equal"], True)


def test_a_file_that_is_gone_or_new_is_told(study):
    (study / "paper_table1.csv").rename(study / "paper_table2.csv")
    lines, good = checking.check()
    assert not good and {"paper/table1: figures/paper_table1.csv is not here"} < {*lines}
    assert any("paper_table2.csv is new" in line for line in lines)


def test_what_the_last_run_did_not_make_is_not_called_equal(study):
    synthetic = study.parent / "build" / "synthetic"
    synthetic.mkdir()
    (synthetic / "paper_table1.json").write_text("{}")
    assert checking.check() == (["paper/table1: not run: a log is not on this machine"], True)
    (study.parent / "build" / "notebooks" / "paper" / "table1.ipynb").unlink()
    assert checking.check() == (["paper/table1: not run"], True)
    assert not changed(study, "paper_table1.csv", "13.5", "13.6")[1]


MOVES = """
[files]
"figures/paper_table1.csv" = "figures/paper/table1/numbers.csv"
"figures/paper_table1.json" = "figures/paper/table1/record.json"
"figures/README.md" = "figures/README.md"
[columns]
trace = "log"
[texts.log]
CTC = "CTC-SP2"
"""


@pytest.fixture
def moved(study):
    """The same exhibit under new names; gives the folder and the file that tells them."""
    folder = study / "paper" / "table1"
    folder.mkdir(parents=True)
    table = TABLE.replace("trace", "log").replace("CTC", "CTC-SP2").splitlines(keepends=True)
    (folder / "numbers.csv").write_text("".join(table))
    record = json.dumps(RECORD).replace("trace", "log").replace("CTC", "CTC-SP2")
    (folder / "record.json").write_text(record)
    (study / "paper_table1.csv").unlink()
    (study / "paper_table1.json").unlink()
    (study.parent / "moves.toml").write_text(MOVES)
    return folder, study.parent / "moves.toml"


def exactly(moves):
    return checking.check("HEAD", True, checking.moves(moves))


def test_under_new_names_all_numbers_are_found_again(moved):
    folder, moves = moved
    assert exactly(moves) == (["paper/table1: equal"], True)
    assert main(["check", "--exact", "--moves", str(moves)]) == 0


@pytest.mark.parametrize("name, old, new", [
    ("numbers.csv", "13.5", "13.50001"), ("numbers.csv", "KTH,EASY,0.5,1e-05\n", ""), ("numbers.csv", "log,", "trace,"),
    ("numbers.csv", "FCFS", "CTC-SP2"), ("record.json", '"log"', '"trace"'), ("record.json", "12.5", "12.51"),
])  # fmt: skip
def test_one_altered_digit_a_missing_row_and_a_name_that_is_none_are_found(moved, name, old, new):
    folder, moves = moved
    assert exactly(moves)[1]
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))
    assert not exactly(moves)[1]


def test_a_text_that_should_have_a_new_name_and_has_not_is_found(moved):
    folder, moves = moved
    (folder / "record.json").write_text(json.dumps(RECORD))
    assert not exactly(moves)[1]


def test_a_file_without_a_new_name_is_refused(moved):
    _, moves = moved
    moves.write_text(MOVES.replace('"figures/README.md" = "figures/README.md"\n', ""))
    with pytest.raises(ValueError, match="found 1 files without a new name, such as figures/README.md"):
        exactly(moves)


def test_settings_that_are_none_are_refused(study, tmp_path):
    with pytest.raises(ValueError, match="nowhere.*expected a commit"):
        checking.check("nowhere")
    (tmp_path / "moves.toml").write_text("[folders]\na = 'b'\n")
    with pytest.raises(ValueError, match="table folders, expected files, columns or texts"):
        checking.moves(tmp_path / "moves.toml")


def test_all_that_is_committed_can_be_compared():
    if not (ROOT / ".git").exists():
        pytest.skip("no repository: nothing is committed here")
    lines, _ = checking.check()  # also where a run has just changed numbers
    told = {line.partition(":")[0] for line in lines}
    stems = [path.stem.split("_") for path in (ROOT / "figures").glob("*.json")]
    assert told >= {"/".join(stem[:2]) for stem in stems} and len(stems) > 100
