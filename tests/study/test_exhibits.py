"""Every exhibit is one thing: its parameters are its notebook's, its claims are decided once, its stand-ins marked."""

import dataclasses
from itertools import chain

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from helpers import ROOT, claimed, code_cells, listing, tagged_cell, texts

import simlib
from simlib import Workload, load, plots, study
from simlib.logs import swf
from simlib.logs.archive import ArchiveError
from simlib.models import jann97
from simlib.study import claims, exhibit, records, verdicts
from simlib.study.exhibit import EXAMPLES, LOGS, MODELS, Exhibit, Part
from simlib.study.mualem2001.table1 import Table1
from simlib.study.mualem2001.table2_figure8 import Table2Figure8
from simlib.study.mualem2001.tables3_4 import Table3
from simlib.study.parameters import parameter, repeats, some_of, whole
from simlib.study.tang2013.figures14_17 import Figures1417

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
def made(root, monkeypatch):
    """A function that makes an exhibit of one picture of logs and one of models, with a claim on each."""
    monkeypatch.setattr(exhibit, "REGISTRY", {})

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


def test_what_rests_on_stand_ins_is_saved_apart(made, root):
    made().save()
    ends = "csv", "json", "png"
    assert listing(root / "build" / "synthetic") == [f"mualem2001_table9.{end}" for end in ends]
    names = [f"models.{end}" for end in ends] + [f"numbers.{end}" for end in ends[:2]]
    assert listing(root / "figures") == [f"mualem2001_table9_{name}" for name in names]


def test_a_record_has_all_parameters_and_the_sources_that_its_claims_rest_on(made, root):
    made(shakes=5).save()
    record = records.read(root / "build" / "synthetic" / "mualem2001_table9.json")
    assert record["parameters"] == {"number": 3, "shakes": 5}
    assert [log["name"] for log in record["logs"]] == ["sample"]
    assert [model["name"] for model in record["models"]] == ["Jann"]
    of_models = records.read(root / "figures" / "mualem2001_table9_models.json")
    assert of_models["parameters"] == {"number": 3}  # how often logs are shaken does not matter to it


# What goes where


@pytest.fixture
def real(root, monkeypatch):
    """A function that makes an exhibit of the logs of some names, which are here, and none stands in for them."""
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


def test_a_run_with_other_parameters_goes_apart_and_says_so(real, root, capsys):
    real().save()
    before = all_files(root)
    assert {path.split("/")[0] for path in before} == {"figures"} and len(before) == 5
    real(number=5).save()
    real(number=6).save()
    after = all_files(root)
    assert {path: after[path] for path in before} == before
    folders = sorted({path.rpartition("/")[0] for path in after.keys() - before.keys()})
    assert len(folders) == 2 and all(folder.startswith("build/explorations/mualem2001_table9_") for folder in folders)
    said = capsys.readouterr().out
    assert all(folder in said for folder in folders) and "number is 5, in the notebook 3" in said


def test_a_run_of_fewer_logs_than_the_record_names_goes_apart_and_names_them(real, root, monkeypatch, capsys):
    real().save()
    before = all_files(root / "figures")
    monkeypatch.setattr(real, "here", ("KTH-SP2",))
    real().save()
    assert all_files(root / "figures") == before
    assert "without CTC-SP2" in capsys.readouterr().out
    assert len(all_files(root / "build" / "explorations")) == 5


def test_a_full_run_takes_the_place_of_what_fewer_logs_made(real, root, monkeypatch):
    monkeypatch.setattr(real, "here", ("KTH-SP2",))
    real().save()
    monkeypatch.setattr(real, "here", ("KTH-SP2", "CTC-SP2"))
    real().save()
    path = root / "figures" / "mualem2001_table9.json"
    assert [log["name"] for log in records.read(path)["logs"]] == ["KTH-SP2", "CTC-SP2"]


def test_a_list_and_a_whole_number_that_mean_the_same_are_no_exploration(real, root):
    real.of({"number": 3, "names": ["KTH-SP2", "CTC-SP2"]}).save()
    assert (root / "figures" / "mualem2001_table9.csv").exists() and not (root / "build").exists()


def test_an_exhibit_that_breaks_off_while_it_draws_leaves_no_part(real, root, monkeypatch):
    monkeypatch.setattr(real, "breaks", True)
    with pytest.raises(ArithmeticError):
        real().save()
    assert all_files(root) == {}


# What parameters may be


def test_one_value_stands_for_a_list_of_it(real):
    assert real(names="NASA").names == ("NASA",)


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


NOTHING = float("nan")

every_exhibit = pytest.mark.parametrize("name", list(EXHIBITS))


def wrong(default):
    """What a parameter cannot be that has this default in its notebook."""
    if isinstance(default, bool):
        return [0, 1, "yes", None]
    if isinstance(default, dict):
        return [[], "KTH", {"bogus": ""}, {"KTH": 1}, None]
    if isinstance(default, list):
        twice = [default[0], default[0]]
        return [[], "bogus", ["bogus"], [-1], [None], None, [default], [True], twice, {default[0]: 1}]
    if isinstance(default, str):
        return [0, -1, [default], True]
    return [-1, "bogus", True, NOTHING, float("inf"), [default], []]


@every_exhibit
def test_what_a_parameter_cannot_be_is_refused_by_name_where_the_exhibit_is_made(name):
    own, taken = tagged_cell(name), []
    for key, default in own.items():
        for value in wrong(default):
            try:
                EXHIBITS[name].of(own | {key: value})
            except ValueError as error:
                assert str(error).startswith(f"{name}: {key}: found ") and ", expected " in str(error)
            else:
                taken.append((key, value))
    assert taken == []


@pytest.mark.parametrize(
    "name, wrong",
    [
        ("mualem2001/table1", {"rules": ["restored"]}),  # which is the likely program where nothing was lost
        ("mualem2001/figure5", {"rules": ["bogus"]}),
        ("mualem2001/figure6", {"resamples": 0}),
        ("mualem2001/table4", {"shakes": 1}),
        ("mualem2001/detective", {"traces": ["Par"]}),  # programs are searched on SP2 logs
        ("mualem2001/figure4", {"last_load": 0.4}),
        ("mualem2001/figure4", {"feitelson_batch": 200_000}),
        ("mualem2001/feitelson-family", {"last_variant_load": 0.1}),
        ("elsewhere/adjusted-estimates", {"other_percentiles": [85]}),
        ("tang2013/figure3", {"percentile": 42}),
        ("tang2013/figure11", {"window": "1 fortnight"}),
        ("tang2013/table3-figure12", {"order": "bogus"}),
    ],
)
def test_what_would_break_later_is_refused(name, wrong):
    (parameter,) = wrong
    with pytest.raises(ValueError, match=f"{name}: {parameter}: found .*, expected "):
        EXHIBITS[name].of(tagged_cell(name) | wrong)


# To the end, on small logs

FEW = {"model_jobs": 1000, "feitelson_jobs": 600, "jann_jobs": 600, "feitelson_batch": 100, "jann_batch": 100}
FEW |= {"load_step": 0.4, "first_variant_load": 0.5, "least_jobs": 50, "number_of_runs": 2, "fork_shakes": 2}


def least(cls, parameter, default):
    """The smallest that a parameter may be; one entry of a list, which is here."""
    first = -2 if parameter == "trace" else 0  # Curie has no small log
    values = [default[first : first + 1]] if isinstance(default, tuple) else [0, 1, 2]
    return _first_taken(cls, parameter, values)


def other(cls, parameter, default):
    """Another edge: the last entry of a list, or the second; nothing, another name, the other way."""
    values = [default[-1:], default[1:2]] if isinstance(default, tuple) else [None, "CTC", "user", "sjf"]
    values = [not default] if isinstance(default, bool) else values
    return _first_taken(cls, parameter, values) or least(cls, parameter, default)


def _first_taken(cls, parameter, values):
    for value in values:
        try:
            cls(**few(cls) | {parameter: value})
        except ValueError:
            continue
        return {parameter: value}
    return {}


def few(cls):
    """What makes an exhibit small, of its parameters."""
    return {each.name: FEW[each.name] for each in dataclasses.fields(cls) if each.name in FEW}


SHOWN = "display.max_rows", "display.max_colwidth", "display.float_format"
"""The settings of pandas that notebooks change."""

QUICK = "mualem2001/footnote2", "mualem2001/table3", "mualem2001/table4", "tang2013/table2", "tang2013/figure13"
"""Those that take a second or two, which `make test` tries."""


@pytest.mark.parametrize("edge", [least, other])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in QUICK else pytest.mark.thorough) for name in EXHIBITS]
)
def test_all_parameters_at_an_edge_come_to_the_end(name, edge, small_logs):
    cls = EXHIBITS[name]
    found = {}
    for key, default in cls().parameters.items():
        if key not in FEW and key != "log":
            found |= edge(cls, key, default)
    variables = tagged_cell(name) | few(cls) | found | {"display": repr}
    with plt.rc_context(), pd.option_context(*chain.from_iterable((option, None) for option in SHOWN)):
        for cell in code_cells(name)[1]:
            exec(cell, variables)
    made = variables["exhibit"]
    folder = next((small_logs / "build" / "explorations").glob("*")) if made.changed else small_logs / "figures"
    assert len([file for file in listing(folder) if file.endswith(".json")]) == len(made.made)
    assert [path.name for path in small_logs.iterdir()] == ["build" if made.changed else "figures"]


SHAKEN = {"shakes": 2, "other_shakes": 2}

OF_ANY_LOG = {
    Table1: SHAKEN,
    Table2Figure8: {},
    Table3: SHAKEN | {"draws": 2, "factors": (1, 2)},
    Figures1417: {"shakes": 2, "least_jobs": 50},
}


@pytest.fixture
def mine(tmp_path):
    """A log of three months that no test or catalogue has."""
    path = tmp_path / "mine.swf.gz"
    swf.write_swf(simlib.load("sample").between("2026-01-01", "2026-03-20"), path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", OF_ANY_LOG, ids=lambda exhibit: exhibit.__name__)
def test_an_exhibit_of_a_log_of_ones_own_is_saved_in_a_folder_of_its_own_without_the_papers_numbers(
    exhibit, mine, root
):
    made = exhibit(log=str(mine), **OF_ANY_LOG[exhibit])
    made.save()
    plt.close("all")
    assert not (root / "figures").exists()
    tables = [pd.read_csv(path) for path in (root / "build" / "own" / "mine").glob("*.csv")]
    assert tables and not any({"published", "deviation"} & set(table.columns) for table in tables)
    assert made.verdicts == [] and {one.name for one in made.found if hasattr(one, "name")} <= {"mine"}


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", [Figures1417], ids=lambda exhibit: exhibit.__name__)
def test_users_take_the_projects_place_in_a_log_without_groups(exhibit, root):
    sample = simlib.load("sample").between("2026-01-01", "2026-03-20")
    path = root / "alone.swf"
    swf.write_swf(sample.derive(sample.jobs.assign(group=-1), "no groups"), path)
    made = exhibit(log=str(path), **OF_ANY_LOG[exhibit])
    assert made.found[0].project == "user"
    made.save()
    plt.close("all")


@pytest.mark.slow
def test_table_1_of_ones_own_log_has_all_its_months_and_no_columns_of_the_paper(mine):
    made = Table1(log=str(mine), **SHAKEN)
    assert made.cells == [] and verdicts.tallies(made.cells, "trace").empty
    table = made.beside("response_s")
    assert list(table.index.unique("month")) == ["2026-01", "2026-02", "2026-03"]
    assert {column[1] for column in table.columns if column[0] in ("easy", "conservative")} == {"ours", "likely ours"}
    assert made.figure("differences") is None


def test_a_log_that_is_not_there_is_named_with_what_is_possible():
    with pytest.raises(ArchiveError, match=r"none\.swf: found no such file.*expected the path of a log.*KTH-SP2"):
        _ = Table1(log="none.swf").found


@pytest.fixture
def undated(tmp_path):
    """A log whose header says nothing of a calendar."""
    log = simlib.load("sample").log.iloc[:2000]
    path = tmp_path / "undated.swf"
    swf.write_swf(simlib.Workload(swf.jobs_of(log), 128, "undated", log=log), path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "exhibit", [Table2Figure8, Table3], ids=lambda exhibit: exhibit.__name__
)
def test_what_is_not_by_month_is_made_of_a_log_without_a_calendar(exhibit, undated, root):
    made = exhibit(log=str(undated), **OF_ANY_LOG[exhibit])
    made.save()
    plt.close("all")
    assert list((root / "build" / "own" / "undated").glob("*.csv"))


@pytest.mark.parametrize("exhibit", [Table1, Figures1417], ids=lambda exhibit: exhibit.__name__)
def test_what_is_by_month_refuses_a_log_without_a_calendar(exhibit, undated, root):
    made = exhibit(log=str(undated), **OF_ANY_LOG[exhibit])
    with pytest.raises(ValueError, match="undated: has no calendar: expected '; UnixStartTime:'"):
        made.save()


def test_table_2_of_a_log_without_a_calendar_has_no_run_times_by_the_clock(undated, mine):
    counts = [Table2Figure8(log=str(path)).further.index.unique("count") for path in (mine, undated)]
    assert list(counts[0].difference(counts[1], sort=False)) == [
        "100 % peak with run times by the local clock",
        "killed jobs of this peak",
    ]


@pytest.mark.parametrize("column, what", [("user", "user"), ("requested_time", "requested time")])
def test_a_log_without_what_keys_are_made_of_is_refused(column, what, tmp_path):
    log = simlib.load("sample").log.iloc[:50].assign(**{column: -1})
    path = tmp_path / "poor.swf"
    swf.write_swf(simlib.Workload(swf.jobs_of(log), 128, "poor", log=log), path)
    with pytest.raises(ValueError, match=f"poor.swf: found no job with a {what}"):
        study.tang2013.own_log(str(path))
