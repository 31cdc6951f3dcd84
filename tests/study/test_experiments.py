"""Only the study's own experiment is judged; every other one is kept apart, under a name of all that it depends on."""

import json

import pytest
from helpers import texts

from simlib.plots.panels import title_of
from simlib_study import experiments, loading, notebooks, records, tang2013

CELLS = {
    "settings": "factor: float = 2\nshakes: int = 4\nseed: int = 0\nby: str = 'size'",
    "begin": """
import pandas as pd
import simlib_study as study
from simlib import EASY, Conservative, Workload, load, plots

study.parameters("mualem2001/table4", vars())
""",
    "logs": 'logs = study.Logs({"KTH": Workload(load("sample").jobs, 128, "KTH")})',
    "policies": 'policies = {"easy": EASY(), "conservative": Conservative()}',
    "measures": 'measures = ["response_s", "bounded_slowdown"]',
    "runs": """
printed = study.printed("mualem2001_table4").xs("KTH", level="log", drop_level=False).unstack("metric")
runs = pd.concat({run: printed * (1 + 0.01 * run) for run in range(shakes + 1)}, names=["run"])
""",
    "judge": 'table = study.judge(runs[measures], "mualem2001_table4", logs)',
    "tallies": 'counts = study.tallies(table, "metric")',
    "picture": 'picture = study.show(plots.plt.subplots()[1], logs, f"Doubled: {study.in_bands(table)}")',
    "claim": """
claim = study.claim("MF-36", -runs, lambda of: {"improves": (of.bounded_slowdown < 0).groupby("run").mean()}, logs)
""",
    "finding": 'finding = study.finding("OWN-01", True, logs=logs)',
    "save": "study.save(table, picture, logs=logs, claims=[claim, finding])",
}
"""A small notebook that does what those of the study do."""

FOLDER = "figures/mualem2001/table4"


@pytest.fixture
def run(root, monkeypatch, capsys):
    """A function that runs the small notebook as Jupyter does, some cells changed, and some more before others.

    The notebook's own file may have other cells, too.
    """
    path = root / "notebooks" / "mualem2001" / "table4.ipynb"
    path.parent.mkdir(parents=True)
    monkeypatch.setenv(records.REPRODUCING, "1")

    def run(*more, before=None, variables=None, own=CELLS, **changed):
        cells = [{"cell_type": "markdown", "source": "# Table 4: Doubled"}]
        for name, text in own.items():
            tags = {"tags": ["parameters"]} if name == "settings" else {}
            cells.append({"cell_type": "code", "metadata": tags, "source": text.strip()})
        path.write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf-8")
        variables = {"__name__": "__main__", "In": [""]} if variables is None else variables
        for name, text in own.items():
            for cell in [*(more if name == before else ()), changed.get(name, text).strip()]:
                variables["In"].append(cell)
                exec(cell, variables)
        variables["said"] = capsys.readouterr().out
        (line,) = (line for line in variables["said"].splitlines() if line.startswith("Saved in"))
        variables["place"] = root / line.split()[2].rstrip(",")
        variables["record"] = records.read(variables["place"] / "record.json")
        return variables

    return run


def test_an_unchanged_notebook_is_judged_and_writes_figures(run, root):
    found = run()
    assert found["place"] == root / FOLDER and "exploration" not in found["record"]
    assert "data" not in (found["place"] / "numbers.csv").read_text().partition("\n")[0]
    assert set(found["table"].verdict) == {"inside"} and found["counts"]["text", "cells"].sum() == 8
    assert (found["claim"]["verdict"], found["finding"]["verdict"]) == ("reproduced", "holds")
    assert texts(found["picture"]) == ["Doubled: 8 of 8 judged numbers lie inside our bands"]
    assert "judged" not in found["said"] and "preview" not in found["said"]
    assert run(runs=CELLS["runs"] + "  # a remark")["place"] == root / FOLDER


CHANGED = {
    "a parameter": ({"more": ["# Parameters\nfactor = 3"], "before": "begin"}, "factor is 3, in the study 2"),
    "another kind": ({"settings": CELLS["settings"].replace("size", "user")}, "by is 'user', in the study 'size'"),
    "a policy of the same name": ({"policies": CELLS["policies"].replace("EASY()", "EASY(reuse_extra=True)")}, "reuse"),
    "a policy that was left out": ({"policies": 'policies = {"easy": EASY()}'}, "'policies = "),
    "a policy twice": ({"policies": CELLS["policies"].replace("}", ', "easy": EASY(order="sjf")}')}, "sjf"),
    "a measure": ({"measures": 'measures = ["bounded_slowdown", "response_s"]'}, "measures = "),
    "what is judged": ({"judge": CELLS["judge"].replace("runs[measures]", "1.01 * runs[measures]")}, "1.01"),
    "a cell more": ({"more": ["policies.clear()"], "before": "runs"}, "policies.clear()"),
    "parameters set late": ({"more": ["factor = 3", "factor = 2"], "before": "judge"}, "factor = 3"),
    "an entry that may stand for another": ({"policies": CELLS["policies"].replace("}", ", **{})")[:-1] + "}"}, "**"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_another_experiment_is_judged_by_nothing_and_says_why(run, root, name):
    options, why = CHANGED[name]
    found = run(*options.pop("more", ()), **options)
    assert found["place"].is_relative_to(root / "build" / "explorations") and not (root / "figures").exists()
    assert found["table"].verdict.isna().all() and not len(found["counts"])
    assert {found[one]["verdict"] for one in ("claim", "finding")} == {"cannot be tested"}
    lines = [found["said"], found["claim"]["evidence"], found["finding"]["evidence"], found["picture"].get_suptitle()]
    assert all("not judged: " in line.lower() and why in " ".join(line.split()) for line in lines)
    assert found["record"]["verdicts"]["cells"] == [] and not {"REPRODUCED", "HOLDS"} & {*found["said"].split()}
    assert why in " ".join(found["record"]["exploration"]["differs"])


ADDED = {
    "SJF": {"policies": CELLS["policies"].replace("}", ', "SJF": EASY(backfill="sjf")}')},
    "wait": {
        "own": CELLS | {"runs": CELLS["runs"].strip() + '\nruns["wait"] = 1.0'},
        "judge": CELLS["judge"].replace("[measures]", '[[*measures, "wait"]]'),
    },
}


@pytest.mark.parametrize("name", ADDED)
def test_what_is_added_leaves_the_numbers_of_the_others_judged_and_no_claim(run, name):
    found = run(**ADDED[name])
    assert set(found["table"].verdict.dropna()) == {"inside"} and "8 of 8" in texts(found["picture"])[0]
    assert found["claim"]["verdict"] == "cannot be tested" and f"{name!r} is not in" in found["claim"]["evidence"]
    assert "explorations" in found["place"].as_posix()


@pytest.mark.parametrize("setting", ["shakes = 2", "shakes = 9", "seed = 5"])
def test_other_runs_are_judged_and_marked_as_a_preview(run, setting):
    found = run(f"# Parameters\n{setting}", before="begin")
    assert set(found["table"].verdict) == {"inside"} and "explorations" in found["place"].as_posix()
    why = f"preview: {setting.replace('=', 'is')}, in the study"
    for line in (found["said"], found["claim"]["evidence"], found["picture"].get_suptitle(), repr(found["finding"])):
        assert why in " ".join(line.split())
    figure = found["plots"].plt.figure()
    found["plots"].legend(figure, {"EASY": {}})
    found["plots"].title(figure, "what the curves show")
    title = title_of(records.show(figure, found["logs"]))
    assert " ".join(title.split()).startswith(f"What the curves show ({why}")
    assert found["claim"].headline.startswith("MF-36  PREVIEW, REPRODUCED")
    assert why in (found["place"] / "numbers.csv").read_text()


def test_a_first_look_has_few_runs_but_for_what_is_set_otherwise(run):
    own = CELLS | {"settings": CELLS["settings"] + "\nquick: bool = False"}
    for given, shakes in (("", 2), ("\nshakes = 3", 3)):
        found = run(f"# Parameters\nquick = True{given}", before="begin", own=own)
        assert found["shakes"] == shakes and set(found["table"].verdict) == {"inside"}
        assert found["record"]["exploration"]["differs"] == [f"shakes is {shakes}, in the study 4"]


@pytest.mark.slow
def test_each_experiment_has_a_folder_and_its_record_the_cells_and_again_the_same(run, root):
    """Five at least: what is edited, a parameter, more jobs, and another state of the package."""
    changes = [
        {},
        {"policies": 'policies = {"easy": EASY(reuse_extra=True)}'},
        {"policies": 'policies = {"easy": EASY(order="sjf")}'},
        {"more": ["# Parameters\nfactor = 3"], "before": "begin"},
        {"logs": CELLS["logs"].replace('load("sample")', 'load("sample").between("2026-01-01", "2026-02-01")')},
        {"logs": CELLS["logs"].replace("128", "256")},
        {"save": CELLS["save"].replace("table, picture", "table.assign(ours=2 * table.ours), picture")},
    ]
    folders = [run(*change.pop("more", ()), **change)["place"] for change in map(dict, changes)]
    assert len(set(folders)) == len(changes)
    again = run(policies='policies = {"easy": EASY(order="sjf")}')
    assert again["place"] == folders[2]
    source = again["record"]["exploration"]["source"]
    assert source[0] == CELLS["settings"] and 'policies = {"easy": EASY(order="sjf")}' in source


def test_cells_that_were_run_before_the_parameters_were_set_do_not_count(run, root):
    found = run(policies='policies = {"easy": EASY(order="sjf")}')
    assert run(variables=found)["place"] == root / FOLDER


def test_a_cell_may_be_run_again(run, root):
    assert run(CELLS["policies"], CELLS["runs"].strip(), before="judge")["place"] == root / FOLDER


def test_runs_that_are_not_simulated_again_are_not_judged_by_the_parameters_of_now(run):
    found = run("# Parameters\nfactor = 3", before="begin")
    for cell in (CELLS["settings"], CELLS["judge"]):
        found["In"].append(cell)
        exec(cell, found)
    assert found["table"].verdict.isna().all()


def test_a_notebook_that_is_none_of_the_studys_is_not_judged(run):
    found = run(begin=CELLS["begin"].replace("mualem2001/table4", "mualem2001/table5"))
    assert "no notebook of the study" in found["said"] and found["table"].verdict.isna().all()


def test_a_notebook_that_does_not_say_which_it_is_saves_nothing(run, root):
    with pytest.raises(ValueError, match="save: found no notebook that runs, expected study.parameters"):
        run(begin=CELLS["begin"].replace("study.parameters(", "print("))
    assert not (root / "figures").exists() and not (root / "build").exists()


@pytest.mark.parametrize("key", ["CTC", "KHT"])
def test_a_log_that_was_not_requested_is_told_and_every_other_key_error_is_raised(run, key):
    claim = f'claim = study.claim("MF-36", runs, lambda of: {{"improves": of.xs("{key}", level="log")}}, logs)'
    finding = CELLS["finding"].replace("True", f"lambda: {{'KTH': (True, '', {{}})}}['{key}']")
    own = CELLS | {"settings": CELLS["settings"] + '\nlogs: list[str] = ["KTH", "CTC"]'}
    own |= {"claim": claim, "finding": finding, "logs": f"asked = logs\n{CELLS['logs']}\nlogs.asked = asked"}
    one_log = {"more": ['# Parameters\nlogs = ["KTH"]'], "before": "begin", "own": own}
    if key == "CTC":
        found = run(*one_log.pop("more"), **one_log)
        for one in ("claim", "finding"):
            assert found[one]["verdict"] == "cannot be tested" and "'CTC'" in found[one]["evidence"]
        assert set(found["table"].verdict) == {"inside"} and "preview" not in found["said"]
        assert "logs is ['KTH']" in " ".join(found["record"]["exploration"]["differs"])
    else:
        with pytest.raises(KeyError, match=key):
            run(*one_log.pop("more"), **one_log)


def test_where_a_notebook_names_no_logs_its_own_are_those_of_the_settings_and_fewer_are_told(monkeypatch):
    tagged = "from typing import Optional\n\nlogs: Optional[list[str]] = None"
    own = notebooks.Notebook("tang2013/mine", code=(tagged,), tagged=tagged)
    monkeypatch.setattr(experiments, "notebook", {"tang2013/mine": own}.get)
    monkeypatch.setattr(tang2013, "STAND_INS", ("SDSC-DS", "SDSC-SP2", "KTH-SP2"))

    def running(logs):
        monkeypatch.setattr(experiments, "_HERE", {"tang2013/mine": {"In": [tagged], "logs": logs}})
        return experiments.running()

    loaded = loading.Logs({"SDSC-SP2": None})
    for logs in (None, loaded, ["SDSC-DS", "SDSC-SP2", "KTH-SP2"]):
        found = running(logs)
        assert found.parameters["logs"] == ["SDSC-DS", "SDSC-SP2", "KTH-SP2"], "its record names them"
        assert not (found.changed or found.fewer) and found.absent(["SDSC-DS", "KTH-SP2"]) == {"SDSC-SP2"}
    loaded.asked = ["SDSC-SP2"]
    for logs in (["SDSC-SP2"], loaded):
        assert running(logs).fewer and not running(logs).changed
    assert running(["HPC2N"]).changed and not running(["HPC2N"]).fewer
    assert loading.default_names("mualem2001") == ["CTC", "KTH", "SDSC", "Par", "CM5"]
