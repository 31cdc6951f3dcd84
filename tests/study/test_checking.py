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
    "exhibit": "paper/table1",
    "versions": {"numpy": "2.0"},
    "verdicts": {"cells": [{"of": {"trace": "CTC"}, "ours": 12.5, "verdict": "inside", "note": None}]},
}


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A repository with an exhibit of a table and a record, which was run."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    folder = tmp_path / "figures" / "paper" / "table1"
    folder.mkdir(parents=True)
    (folder / "numbers.csv").write_text(TABLE)
    (folder / "record.json").write_text(json.dumps(RECORD))
    (tmp_path / "figures" / "README.md").write_text("One exhibit.\n")
    (tmp_path / "build" / "notebooks" / "paper").mkdir(parents=True)
    (tmp_path / "build" / "notebooks" / "paper" / "table1.ipynb").write_text("{}")
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "figures"], [*settings, "commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return folder


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
    ("numbers.csv", "13.5", "13.6", "1 of 16 values differ, most of all policy=EASY trace=CTC #2 wait: found"),
    ("numbers.csv", "1e-05", "0.2", "found 0.2, expected 1e-05"),
    ("numbers.csv", "inf", "9", "found 9, expected inf"),
    ("numbers.csv", "0.6", "0.7", "load: found 0.7, expected 0.6"),
    ("numbers.csv", "KTH,FCFS,0.5,inf\n", "", "4 of 16 values are not here, such as policy=FCFS trace=KTH #1"),
    ("numbers.csv", "KTH,FCFS", "KTH,fcfs", "are new, such as policy=fcfs"),
    ("numbers.csv", "load,wait", "load,mean", "are not here, such as policy=EASY trace=CTC #1 wait"),
    ("record.json", "12.5", "12.4", "verdicts cells 0 ours: found 12.4, expected 12.5"),
    ("record.json", '"inside"', '"off"', "verdict: found off, expected inside"),
    ("record.json", "null", '"so"', "note: found so, expected None"),
])  # fmt: skip
def test_a_change_is_told_with_its_place(study, name, old, new, said):
    lines, good = changed(study, name, old, new)
    assert not good and said in "\n".join(lines)
    assert main(["check"]) == 1


def test_the_last_digit_may_be_another_processors_unless_it_is_asked_for(study):
    lines, good = changed(study, "numbers.csv", "13.5", "13.5001")
    assert good and lines == ["paper/table1: differs by at most 1e-04"]
    assert not checking.check(exact=True)[1] and main(["check", "--exact"]) == 1
    assert not changed(study, "numbers.csv", "13.5001", "13.5002")[1]


def test_other_versions_of_packages_are_no_change(study):
    assert changed(study, "record.json", '"2.0"', '"2.1"') == (["paper/table1: equal"], True)


def test_a_file_that_is_gone_or_new_is_told(study):
    (study / "numbers.csv").rename(study / "more.csv")
    lines, good = checking.check()
    assert not good and {"paper/table1: figures/paper/table1/numbers.csv is not here"} < {*lines}
    assert any("more.csv is new" in line for line in lines)


def test_what_the_last_run_did_not_make_is_not_called_equal(study):
    build = paths.ROOT / "build"
    (build / "synthetic" / "paper" / "table1").mkdir(parents=True)
    assert checking.check() == (["paper/table1: not run: a log is not on this machine"], True)
    (build / "notebooks" / "paper" / "table1.ipynb").unlink()
    assert checking.check() == (["paper/table1: not run"], True)
    assert not changed(study, "numbers.csv", "13.5", "13.6")[1]


def test_a_commit_that_is_none_is_refused(study):
    with pytest.raises(ValueError, match="nowhere.*expected a commit"):
        checking.check("nowhere")


def test_all_that_is_committed_can_be_compared():
    if not (ROOT / ".git").exists():
        pytest.skip("no repository: nothing is committed here")
    lines, _ = checking.check()  # also where a run has just changed numbers
    told = {line.partition(":")[0] for line in lines}
    exhibits = {json.loads(path.read_text(encoding="utf-8"))["exhibit"] for path in (ROOT / "figures").rglob("*.json")}
    assert told >= exhibits and len(exhibits) > 30
