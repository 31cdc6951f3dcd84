"""The exhibits that take any log: nothing of the papers stands beside it, and nothing is written over the study's."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import simlib
from simlib._util import paths
from simlib.logs import swf
from simlib.logs.archive import ArchiveError
from simlib.study import verdicts
from simlib.study.mualem2001.table1 import Table1
from simlib.study.mualem2001.table2_figure8 import Table2Figure8
from simlib.study.mualem2001.tables3_4 import Table3
from simlib.study.tang2013.figures4_10 import Figures47, Figures810
from simlib.study.tang2013.figures14_17 import Figures1417

FEW = {"shakes": 2, "other_shakes": 2}

EXHIBITS = {
    Table1: FEW,
    Table2Figure8: {},
    Table3: FEW | {"draws": 2, "factors": (1, 2)},
    Figures47: {"resamples": 20},
    Figures810: {"resamples": 20},
    Figures1417: {"shakes": 2, "least_jobs": 50},
}


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    """An empty root for what exhibits write; the papers' numbers stay where they are."""
    data = paths.DATA
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "DATA", data)
    return tmp_path


@pytest.fixture
def mine(tmp_path):
    """A log of three months that no test or catalogue has."""
    path = tmp_path / "mine.swf.gz"
    swf.write_swf(simlib.load("sample").between("2026-01-01", "2026-03-20"), path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.__name__)
def test_an_exhibit_of_a_log_of_ones_own_is_saved_in_a_folder_of_its_own_without_the_papers_numbers(
    exhibit, mine, root
):
    made = exhibit(log=str(mine), **EXHIBITS[exhibit])
    made.save()
    plt.close("all")
    assert not (root / "figures").exists()
    tables = [pd.read_csv(path) for path in (root / "build" / "own" / "mine").glob("*.csv")]
    assert tables and not any({"published", "deviation"} & set(table.columns) for table in tables)
    assert made.verdicts == [] and {one.name for one in made.found if hasattr(one, "name")} <= {"mine"}


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", [Figures47, Figures1417], ids=lambda exhibit: exhibit.__name__)
def test_users_take_the_projects_place_in_a_log_without_groups(exhibit, tmp_path):
    sample = simlib.load("sample").between("2026-01-01", "2026-03-20")
    path = tmp_path / "alone.swf"
    swf.write_swf(sample.derive(sample.jobs.assign(group=-1), "no groups"), path)
    made = exhibit(log=str(path), **EXHIBITS[exhibit])
    assert made.found[0].project == "user"
    made.save()
    plt.close("all")


@pytest.mark.slow
def test_table_1_of_ones_own_log_has_all_its_months_and_no_columns_of_the_paper(mine):
    made = Table1(log=str(mine), **FEW)
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
    "exhibit", [Table2Figure8, Table3, Figures47, Figures810], ids=lambda exhibit: exhibit.__name__
)
def test_what_is_not_by_month_is_made_of_a_log_without_a_calendar(exhibit, undated, root):
    made = exhibit(log=str(undated), **EXHIBITS[exhibit])
    made.save()
    plt.close("all")
    assert list((root / "build" / "own" / "undated").glob("*.csv"))


@pytest.mark.parametrize("exhibit", [Table1, Figures1417], ids=lambda exhibit: exhibit.__name__)
def test_what_is_by_month_refuses_a_log_without_a_calendar(exhibit, undated):
    made = exhibit(log=str(undated), **EXHIBITS[exhibit])
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
        _ = Figures47(log=str(path)).found
