"""Every exhibit is one thing: its parameters are its notebook's, its claims are decided once, its stand-ins marked."""

import dataclasses

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from helpers import ROOT, claimed, tagged_cell, texts

from simlib import Workload, load, plots
from simlib.models import jann97
from simlib.study import claims, exhibit, records
from simlib.study.exhibit import EXAMPLES, LOGS, MODELS, Exhibit, Part
from simlib.study.parameters import parameter, repeats, some_of, whole

EXHIBITS = exhibit.exhibits()


def test_every_notebook_of_the_papers_is_an_exhibit():
    names = {
        path.relative_to(ROOT / "notebooks").with_suffix("").as_posix() for path in ROOT.glob("notebooks/*/*.ipynb")
    }
    assert {name for name in names if not name.startswith("teaching/")} == set(EXHIBITS)


def test_an_exhibit_has_the_parameters_of_its_notebook():
    for name, declared in EXHIBITS.items():
        given = tagged_cell(name)
        for made in (declared(), declared.of(given | {"others": 1})):
            plain = {key: list(value) if isinstance(value, tuple) else value for key, value in made.parameters.items()}
            assert (name, list(plain.items())) == (name, list(given.items()))
            assert (name, made.changed) == (name, {})


def test_claims_and_findings_are_decided_by_one_exhibit_each():
    decided = [id for each in EXHIBITS.values() for id in each.claims]
    assert sorted(decided) == sorted([*claims.criteria(), *claims.findings()])
    known = {LOGS, MODELS, EXAMPLES}
    for each in EXHIBITS.values():
        for on in each.claims.values():
            assert set([on] if isinstance(on, str) else on) <= known


def test_what_is_made_after_another_exhibit_names_one_that_is_there():
    assert {each.after for each in EXHIBITS.values()} - {None} <= set(EXHIBITS)


def test_repeats_are_the_parameters_that_count_runs_of_chance():
    for each in EXHIBITS.values():
        assert set(each.repeats()) == {
            one.name for one in dataclasses.fields(each) if one.name.endswith("shakes") or one.name == "draws"
        }


# A made-up exhibit


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A function that makes an exhibit of one picture of logs and one of models, with a claim on each."""
    monkeypatch.setattr(records.paths, "ROOT", tmp_path)
    monkeypatch.setattr(exhibit, "REGISTRY", {})

    def drawn():
        return plt.subplots()[0]

    class Both(Exhibit, name="mualem2001/table9", section="9", claims={"MF-01": LOGS, "MF-02": MODELS}):
        number: int = parameter(3, whole(1))
        shakes: int = repeats(20)

        def load(self):
            return {LOGS: [load("sample")], MODELS: [jann97.workload(10)]}

        def judge(self):
            return [claimed(id, claims.REPRODUCED, "7 of 7") for id in ("MF-01", "MF-02")]

        def parts(self):
            table = pd.DataFrame({"x": [1.0]})
            draw = lambda: plt.subplots()[0]  # noqa: E731
            return {
                "": Part(table, draw),
                "models": Part(table, draw, on=(MODELS,)),
                "numbers": Part(table, on=(MODELS,)),
            }

    return Both


def test_a_claim_that_rests_on_stand_ins_cannot_be_tested_and_one_on_models_can(made):
    assert [one["verdict"] for one in made().verdicts] == [claims.UNTESTED, claims.REPRODUCED]


def test_a_picture_of_stand_ins_is_stamped_when_it_is_made_and_only_once(made):
    open_before = plt.get_fignums()
    one = made()
    assert texts(one.figure()) == texts(one.figure()) == [plots.SYNTHETIC]
    assert texts(one.figure("models")) == []
    assert plt.get_fignums() == open_before


def test_what_rests_on_stand_ins_is_saved_apart(made, tmp_path):
    made().save()
    assert {path.name for path in (tmp_path / "build" / "synthetic").iterdir()} == {
        f"mualem2001_table9.{end}" for end in ("png", "csv", "json")
    }
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"mualem2001_table9_{name}"
        for name in ("models.png", "models.csv", "models.json", "numbers.csv", "numbers.json")
    }


def test_a_record_has_all_parameters_and_the_sources_that_its_claims_rest_on(made, tmp_path):
    made(shakes=5).save()
    record = records.read(tmp_path / "build" / "synthetic" / "mualem2001_table9.json")
    assert record["parameters"] == {"number": 3, "shakes": 5}
    assert [log["name"] for log in record["logs"]] == ["sample"]
    assert [model["name"] for model in record["models"]] == ["Jann"]


def test_how_often_logs_are_shaken_is_no_parameter_of_what_rests_on_no_log(made, tmp_path):
    made(shakes=5).save()
    assert records.read(tmp_path / "figures" / "mualem2001_table9_models.json")["parameters"] == {"number": 3}


# What goes where


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A function that makes an exhibit of the logs of some names, which are here, and none stands in for them."""
    monkeypatch.setattr(records.paths, "ROOT", tmp_path)
    monkeypatch.setattr(exhibit, "REGISTRY", {})
    jobs = load("sample").jobs

    class Real(Exhibit, name="mualem2001/table9", section="9", claims={"MF-01": LOGS}):
        number: int = parameter(3, whole(1))
        names: tuple = parameter(("KTH-SP2", "CTC-SP2"), some_of(("KTH-SP2", "CTC-SP2", "NASA")))

        here = ("KTH-SP2", "CTC-SP2")
        breaks = False

        def load(self):
            return {LOGS: [Workload(jobs, 128, name) for name in self.names if name in self.here]}

        def judge(self):
            return [claimed("MF-01", claims.REPRODUCED, "7 of 7")]

        def parts(self):
            table = pd.DataFrame({"x": [self.number]})
            return {"": Part(table), "more": Part(table, self.draw)}

        def draw(self):
            if self.breaks:
                raise ArithmeticError("two and two make five")
            return plt.subplots()[0]

    return Real


def all_files(folder):
    """What lies in a folder and in those in it: the bytes by path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}


def test_a_run_with_other_parameters_goes_apart_and_says_so(study, tmp_path, capsys):
    study().save()
    before = all_files(tmp_path)
    assert {path.split("/")[0] for path in before} == {"figures"} and len(before) == 5
    study(number=5).save()
    study(number=6).save()
    after = all_files(tmp_path)
    assert {path: after[path] for path in before} == before
    folders = sorted({path.rpartition("/")[0] for path in after.keys() - before.keys()})
    assert len(folders) == 2 and all(folder.startswith("build/explorations/mualem2001_table9_") for folder in folders)
    said = capsys.readouterr().out
    assert all(folder in said for folder in folders) and "number is 5, in the notebook 3" in said


def test_a_run_of_fewer_logs_than_the_record_names_goes_apart_and_names_them(study, tmp_path, monkeypatch, capsys):
    study().save()
    before = all_files(tmp_path / "figures")
    monkeypatch.setattr(study, "here", ("KTH-SP2",))
    study().save()
    assert all_files(tmp_path / "figures") == before
    assert "without CTC-SP2" in capsys.readouterr().out
    assert len(all_files(tmp_path / "build" / "explorations")) == 5


def test_a_full_run_takes_the_place_of_what_fewer_logs_made(study, tmp_path, monkeypatch):
    monkeypatch.setattr(study, "here", ("KTH-SP2",))
    study().save()
    monkeypatch.undo()
    monkeypatch.setattr(records.paths, "ROOT", tmp_path)
    study().save()
    path = tmp_path / "figures" / "mualem2001_table9.json"
    assert [log["name"] for log in records.read(path)["logs"]] == ["KTH-SP2", "CTC-SP2"]


def test_a_list_and_a_whole_number_that_mean_the_same_are_no_exploration(study, tmp_path):
    study.of({"number": 3, "names": ["KTH-SP2", "CTC-SP2"]}).save()
    assert (tmp_path / "figures" / "mualem2001_table9.csv").exists() and not (tmp_path / "build").exists()


def test_an_exhibit_that_breaks_off_while_it_draws_leaves_no_part(study, tmp_path, monkeypatch):
    monkeypatch.setattr(study, "breaks", True)
    with pytest.raises(ArithmeticError):
        study().save()
    assert all_files(tmp_path) == {}


# What parameters may be


def test_one_value_stands_for_a_list_of_it(study):
    assert study(names="NASA").names == ("NASA",)


def test_a_parameter_without_a_kind_is_refused(monkeypatch):
    monkeypatch.setattr(exhibit, "REGISTRY", {})
    with pytest.raises(TypeError, match="Own declares number without"):

        class Own(Exhibit, name="mualem2001/table9"):
            number: int = 3


def test_a_missing_parameter_is_named(made):
    with pytest.raises(ValueError, match="mualem2001/table9: found no parameter number, shakes"):
        made.of({"count": 3})


def test_verdicts_on_other_claims_than_declared_are_refused(made, monkeypatch):
    monkeypatch.setattr(made, "judge", lambda self: [claimed("MF-03", claims.NOT, "0 of 7")])
    with pytest.raises(ValueError, match="judge.. decides MF-03, expected MF-01, MF-02"):
        _ = made().verdicts


def test_what_is_the_same_for_all_exhibits_cannot_be_defined_anew(monkeypatch):
    monkeypatch.setattr(exhibit, "REGISTRY", {})
    with pytest.raises(TypeError, match="Own defines of, which is the same for all exhibits"):

        class Own(Exhibit, name="mualem2001/table9"):
            def of(self, metric):
                return metric


def test_an_exhibit_without_sources_shows_an_empty_table(monkeypatch):
    monkeypatch.setattr(exhibit, "REGISTRY", {})

    class ByHand(Exhibit, name="mualem2001/table9"):
        pass

    assert ByHand().show_sources().empty
