"""Ready for the paper's own log: one of its form, made up, runs through all of Tang's exhibits."""

import json
import re

import intrepid
import pandas as pd
import pytest
from exhibits import executed, tang_trace
from helpers import ROOT

from simlib._util import paths
from simlib.logs import archive
from simlib_study import claims, loading, tang2013
from simlib_study.judging import TEXT
from simlib_study.tang2013 import PAPERS, accuracy

FEW = {"resamples": 20}
MONTHS = {"shakes": 2, "large_shakes": 2}
HOW = {
    "table1-figures1-2": FEW,
    "table2": FEW,
    "figures4-7": FEW,
    "figures8-10": FEW,
    "figure11": FEW,
    "figure13": FEW,
    "figures14-17": MONTHS,
    "beyond": MONTHS,
}
"""How often each exhibit repeats what rests on chance."""


PAGE = (ROOT / "docs" / "background" / "intrepid.md").read_text(encoding="utf-8")
ROWS = {
    re.search(r"tang2013/(\S+)\.ipynb", exhibit)[1]: (on_mira, with_it)
    for _, exhibit, on_mira, with_it, *_ in (line.split("|") for line in PAGE.splitlines() if line.startswith("| ["))
}
"""By exhibit what the page says of its claims: the verdicts on Mira, and those on which the log would give one."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder that has a log of Intrepid's form, and no other."""
    made = tmp_path_factory.mktemp("traces")
    intrepid.write(made / archive.files(PAPERS)[0].file)
    return made


@pytest.fixture
def here(folder, monkeypatch, root):
    """That log is on this machine, alone, as if it were Intrepid's."""
    monkeypatch.setenv("SIMLIB_TRACES", str(folder))
    monkeypatch.setattr(archive.paths, "TRACES", folder)
    monkeypatch.setattr(archive, "verify", lambda *_: None)  # it has fewer lines


def run(exhibit):
    """Run an exhibit on the log; give its variables, and its record."""
    variables = executed(f"tang2013/{exhibit}", logs=[PAPERS], **HOW[exhibit])
    (record,) = (paths.ROOT / "build" / "explorations" / "tang2013" / exhibit).glob("*/record.json")
    return variables, json.loads(record.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_papers_own_log_comes_first_with_cores_and_queues(here):
    logs = tang2013.logs()
    assert list(logs) == [PAPERS], "alone, with no twins beside it"
    trace = logs.traces[PAPERS]
    jobs = trace.workload.jobs
    assert trace.workload.procs == 163840 and trace.per_node == 4 and trace.project == "queue"
    assert (jobs.group == -1).all() and jobs.queue.nunique() == 3
    assert set(jobs.procs) == set(intrepid.CORES), "allocated cores, not processes"


def test_it_comes_before_the_machines_that_stand_in_for_it(monkeypatch):
    here = (PAPERS, "SDSC-DS", "ANL-Mira")
    jobs = pd.DataFrame({"submit": range(3), "run": 60, "estimate": 60})
    monkeypatch.setattr(tang2013.archive, "find", lambda name, variant=None: name in here or None)
    monkeypatch.setattr(loading, "log", lambda name, variant: tang_trace(jobs, name=name).workload)
    assert list(tang2013.logs()) == [PAPERS, "ANL-Mira", "SDSC-DS"]
    assert list(tang2013.logs(["SDSC-DS"])) == ["SDSC-DS"], "where others are asked for"


@pytest.mark.slow
def test_it_is_held_against_print_where_nine_months_tell_the_same(here, monkeypatch):
    variables, record = run("table1-figures1-2")
    own, quarters = variables["own"], variables["quarters"]
    jobs, means = variables["logs"][PAPERS].jobs, quarters.ours[PAPERS]
    assert list(means.index) == ["2009 Q1", "2009 Q2", "2009 Q3"]
    assert own.known.to_list() == [0.42, 0.59, 5199, accuracy.NINE_MONTHS, 0.335, 0.294]
    assert own.ours.to_list()[:4] == [means.min(), means.max(), jobs.run.mean(), jobs.run.mean()]
    assert own.agrees.to_list()[:2] == [means.min() >= 0.42, means.max() <= 0.59]
    assert not own.agrees["the same, as known of this log [s]"]
    monkeypatch.setattr(accuracy, "NINE_MONTHS", jobs.run.mean())
    as_known = accuracy.own_log(variables["logs"].traces, quarters, 20, 1)
    assert as_known.agrees["the same, as known of this log [s]"]
    assert accuracy.own_log({}, quarters, 20, 1) is None, "without the log"
    verdicts = record["verdicts"]
    assert {cell["note"] for cell in verdicts["cells"]} == {tang2013.PART_OF_IT}
    assert all(tang2013.PART_OF_IT in claim["evidence"] for claim in verdicts["claims"])
    (nodes,) = (cell for cell in verdicts["cells"] if cell["of"]["quantity"] == "nodes")
    assert nodes["published"] == nodes["readings"][0]["ours"] == 40960


@pytest.mark.thorough
@pytest.mark.parametrize("exhibit", HOW)
def test_every_exhibit_runs_on_it_and_gives_the_verdicts_that_the_page_names(exhibit, here):
    _, record = run(exhibit)
    known = [id for id, parts in on_log(record, PAPERS).items() if parts]
    assert sorted(known) == re.findall(r"TG-\d+", ROWS[exhibit][1])


def on_log(record, log):
    """The measurements of each claim of Tang's on one log, as far as there is something to measure."""
    of_text = {one["id"]: one.get("readings", {}).get(TEXT, {"parts": []}) for one in record["verdicts"]["claims"]}
    return {
        id: [part for part in of["parts"] if part["on"] == log and part["value"] is not None]
        for id, of in of_text.items()
        if id.startswith("TG-")
    }


def test_the_page_has_a_verdict_on_mira_or_none_for_every_claim():
    told = {exhibit: dict.fromkeys(re.findall(r"TG-\d+", words), "") for exhibit, (words, _) in ROWS.items()}
    for exhibit, (words, _) in ROWS.items():
        for group in words.split(";") if words.strip() else ():
            verdict, ids = group.split(":")
            told[exhibit] |= dict.fromkeys(ids.strip().split(", "), verdict.strip())
    found = {}
    for exhibit in ROWS:
        record = json.loads((ROOT / "figures" / "tang2013" / exhibit / "record.json").read_text(encoding="utf-8"))
        measured = on_log(record, "ANL-Mira")
        found[exhibit] = {id: claims.add_up(id, of) if of else claims.UNTESTED for id, of in measured.items()}
    assert told == found
    of_tang = {id for id in claims.claims() if id.startswith("TG-")}
    assert {id for of in found.values() for id in of} == of_tang - {"TG-13"}, "which needs no log"
