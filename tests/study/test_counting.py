"""The headline: which numbers are counted, in which group, and what wrong numbers would do; and the recount of it."""

import importlib.util
from types import SimpleNamespace

import pandas as pd
import pytest
from exhibits import judged_cell, read_as

from simlib._util import paths
from simlib_study import judging
from simlib_study.judging import LIKELY, OTHER_LOG, RESTORED, TEXT
from simlib_study.mualem2001 import printed_means
from simlib_study.resampling import Interval

EASY = {"log": "KTH", "policy": "EASY", "metric": "response_s"}


def exhibit(name, *cells, paper="mualem2001"):
    return SimpleNamespace(paper=paper, cells=[one | {"exhibit": f"mualem2001_{name}"} for one in cells])


def cell(of, published, low, high, **readings):
    """A number under the text, and verdicts in place of other readings'."""
    made = judged_cell(EASY | of, published, {TEXT: ((low + high) / 2, Interval(low, (low + high) / 2, high))})
    text = made["readings"][0]
    made["readings"] += [text | read_as(word) | {"verdict": verdict} for word, verdict in readings.items()]
    return made


TABLE3 = [cell({"estimates": "f1"}, 15218.0, 15000, 15500), cell({"estimates": "f2"}, 15000.0, 5000, 25000)]
"""A narrow band and a wide one."""


@pytest.fixture
def found():
    """A mean of each kind, and what is none."""
    months = [cell({"month": month}, 100.0, 90, 110) for month in ("1996-10", "1996-11")]
    lost = cell({"log": "CTC", "month": "1997-01"}, 100.0, 90, 110)
    lost["readings"][0]["verdict"] = OTHER_LOG
    load = cell({"month": "1996-10", "metric": "load"}, 0.7, 0.69, 0.71)
    of = {"metric": "response_s", "month": "1996-10"}
    difference = cell(of, 4.0, 3, 5)
    twice = cell({"quantity": "original"}, 15568.0, 15000, 16000)
    return [
        exhibit("table1", *months, lost, load),
        exhibit("table1_differences", difference),
        exhibit("table3", *TABLE3),
        exhibit("table4", twice, cell({"quantity": "scaled"}, 15060.0, 1, 2)),
        exhibit("table1", *months, paper="tang2013"),
    ]


def test_a_number_is_in_one_group_and_only_first_printed_means_are_tests(found):
    sizes = printed_means.numbers(found).groupby("group").size().to_dict()
    assert sizes == {
        printed_means.PROGRAMS: 2,
        printed_means.SETTINGS: 1,
        printed_means.TEST: 3,
        "loads and counts of jobs": 1,
        "differences": 1,
        "printed twice": 1,
    }


def test_all_bars_of_a_policy_have_one_denominator_and_a_wide_band_is_a_weak_hit(found):
    table = printed_means.counts(printed_means.numbers(found))
    for place, of in table.groupby(level=["group", "policy"]):
        assert of.numbers.nunique() == 1, place
    assert (table[list(printed_means.COLOURS)].sum(axis=1) == table.numbers).all()
    by_text = table.xs((printed_means.TEST, "EASY", "by the text", "public log"))
    assert by_text[["inside", "inside, wide band", "off"]].tolist() == [1, 1, 1]
    assert table.xs(printed_means.SETTINGS)[printed_means.UNJUDGED].tolist() == [1]


def test_each_program_stands_apart_on_logs_as_they_are_and_restored():
    one = cell({"month": "1996-10"}, 100.0, 90, 110, **{LIKELY: judging.OFF, RESTORED: judging.INSIDE})
    table = printed_means.counts(printed_means.numbers([exhibit("table1", one)])).loc[printed_means.PROGRAMS, "EASY"]
    named = {place: row.idxmax() for place, row in table[list(printed_means.COLOURS)].iterrows()}
    assert named == {
        ("by the text", "public log"): "inside",
        ("differently", "public log"): "off",
        ("differently", "lost jobs put back"): "inside",
    }


def test_what_was_chosen_by_other_prints_is_no_free_mean(found):
    more = [cell(of, 100.0, 90, 110) for of in ({"log": "CTC", "estimates": "f1"}, {"estimates": "original"})]
    table = printed_means.with_tables(printed_means.numbers([*found, exhibit("table3", *more)]))
    sizes = table.groupby("group").size()
    names = printed_means.TABLES, printed_means.TEST, printed_means.LOST, printed_means.MONTHS
    assert [sizes[name] for name in names] == [5, 3, 1, 1]
    assert printed_means.rows(table) == (4, 5)  # but where 15060 is off
    assert printed_means.above(table) == (1, 1)


def test_wrong_numbers_are_inside_where_the_band_is_wide_enough(found):
    wrong = printed_means.controls(printed_means.numbers(found))
    assert wrong.loc[printed_means.TEST, "as printed"] == pytest.approx(2 / 3)
    assert wrong.loc[printed_means.TEST, ["-10%", "+10%", "+20%"]].tolist() == pytest.approx([1 / 3] * 3)
    assert wrong.loc[printed_means.PROGRAMS, ["as printed", "-10%", "+10%", "+20%"]].tolist() == [1, 1, 1, 0]
    assert wrong.loc[printed_means.PROGRAMS, "the next month's"] == 1  # of October; November's next is not there
    assert pd.isna(wrong.loc[printed_means.PROGRAMS, "the other policy's"])


def test_table_and_picture_are_saved_of_mualem_and_feitelson_alone(found, tmp_path):
    printed_means.save(found[-1:], tmp_path)
    assert not list(tmp_path.iterdir())
    printed_means.save(found, tmp_path)
    names = {path.name for path in (tmp_path / printed_means.FOLDER).iterdir()}
    assert names == {"picture.png", "numbers.csv", "controls.csv"}


# The recount


@pytest.fixture
def recount():
    spec = importlib.util.spec_from_file_location("recount", paths.ROOT / "tools" / "recount.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_script_that_shares_no_code_counts_the_same(recount, capsys):
    assert recount.main() is False
    text = (paths.ROOT / "tools" / "recount.py").read_text(encoding="utf-8")
    assert "import simlib" not in text and "from simlib" not in text


def test_the_recount_says_no_where_a_report_has_another_number(recount, monkeypatch, capsys):
    counts, controls, words = recount.stated()
    place = next(iter(counts))
    for wrong in (
        (counts | {place: (counts[place][0] + 1, counts[place][1])}, controls, words),
        (counts, controls | {next(iter(controls)): "0.5001"}, words),
        (counts, controls, words | {"MF-36": "not reproduced"}),
    ):
        monkeypatch.setattr(recount, "stated", lambda wrong=wrong: wrong)
        assert recount.main() is True


def test_it_recounts_what_the_findings_state(committed):
    assert set(printed_means.numbers(committed).group) == set(printed_means.GROUPS)
