"""The printed numbers: files of `data/published/` in one form, and what is said of a file that is wrong."""

import re

import pytest
from helpers import ROOT

from simlib._util import paths
from simlib_study.judging import decimals, printed, published

FILES = sorted(path.stem for path in (ROOT / "data" / "published").iterdir())


@pytest.fixture
def put(tmp_path, monkeypatch):
    """A function that writes a file of printed numbers, and gives its path."""
    monkeypatch.setattr(paths, "DATA", tmp_path)
    (tmp_path / "published").mkdir()

    def written(text, name="paper2001_table1"):
        path = tmp_path / "published" / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize("name", FILES)
def test_every_file_can_be_read(name):
    assert len(printed(name)) == len(decimals(name)) == len(published(name)) > 0


def test_numbers_are_read_by_their_levels_with_their_decimals(put):
    put("log,quantity,value,note\nCTC,jobs,79296,\nCTC,share,6.10,about\nKTH,jobs,-1,\n", "paper2002_table1")
    found = printed("paper2002_table1")
    assert found.index.names == ["log", "quantity"]
    assert found.to_dict() == {("CTC", "jobs"): 79296, ("CTC", "share"): 6.1, ("KTH", "jobs"): -1}
    assert decimals("paper2002_table1").tolist() == [0, 2, 0]
    assert published("paper2002_table1").note.tolist() == ["", "about", ""]


def test_a_number_that_several_exhibits_print_is_that_of_the_first(put):
    put("log,value\nCTC,21.3\nKTH,114.2\n", "paper2003_table2")
    put("log,value\nCTC,21\nSDSC,363\n", "paper2003_figure5")
    assert printed("paper2003_table2 figure5").to_dict() == {"CTC": 21.3, "KTH": 114.2, "SDSC": 363}
    assert decimals("paper2003_table2 figure5").tolist() == [1, 1, 0]


def test_of_a_file_that_is_not_there_those_that_are_there_are_told(put):
    path = put("log,value\nCTC,1\n", "paper2004_table2")
    missing = path.with_name("paper2004_table1.csv")
    said = f"paper2004_table1: found no file {missing}; expected one of paper2004_table2"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        printed("paper2004_table1")


NUMBER = "expected a number as printed, such as -1.50"

WRONG = {
    "an empty file": ("", "line 1: found the columns ; expected levels, then value"),
    "no value": ("log,jobs\nCTC,5\n", "line 1: found the columns log, jobs; expected levels, then value"),
    "no level": ("value\n5\n", "line 1: found the columns value; expected levels, then value"),
    "a field too few": ("log,value,note\nCTC,5\n", "line 2: found 2 fields; expected 3, as in line 1"),
    "an empty line": ("log,value\nCTC,5\n\nKTH,6\n", "line 3: found 0 fields; expected 2, as in line 1"),
    "an empty level": ("log,month,value\nCTC,,5\n", "line 2: found no month; expected every level of a number"),
    "a comma": ('log,value\nCTC,"1,200"\n', f"line 2: found the value '1,200'; {NUMBER}"),
    "nothing": ("log,value\nCTC,5\nKTH,\n", f"line 3: found the value ''; {NUMBER}"),
    "not a number": ("log,value\nCTC,nan\n", f"line 2: found the value 'nan'; {NUMBER}"),
    "a row twice": (
        "log,month,value\nCTC,1996-07,5\nKTH,1996-07,6\nCTC,1996-07,5\n",
        "line 4: found CTC, 1996-07 again; expected it once, in line 2",
    ),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_refused_with_its_line(put, text, said):
    path = put(text)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}, {said}')}$"):
        printed("paper2001_table1")
