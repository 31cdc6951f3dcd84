"""What is simulated again and again is one table; its spread, the printed numbers and the verdicts come from it."""

import numpy as np
import pandas as pd
import pytest

from simlib.study import results, verdicts
from simlib.study.results import AS_IT_IS


@pytest.fixture
def found():
    """Two traces under two rules: 10 as they are, 1 to 101 in replications; the second has half as many."""
    values = {
        (trace, rule, number, "wait"): 10.0 if number == AS_IT_IS else float(number) * (2 if rule == "likely" else 1)
        for trace in ("KTH", "CTC")
        for rule, count in (("text", 101), ("likely", 51))
        for number in range(count + 1)
    }
    return pd.Series(values).rename_axis(["trace", "rule", "replication", "metric"])


def test_a_summary_has_ours_as_it_is_and_the_middle_of_the_replications(found):
    table = results.summary(found)
    assert table.index.tolist() == [(t, r, "wait") for t in ("KTH", "CTC") for r in ("text", "likely")]
    row = table.loc["CTC", "text", "wait"]
    assert (row.ours, row["mean"], row.low, row["median"], row.high) == pytest.approx((10, 51, 3.5, 51, 98.5))
    assert row.sd == pytest.approx(np.std(range(1, 102), ddof=1))
    assert table.loc["KTH", "likely", "wait"]["median"] == 52  # of the 51 that there are


def test_where_none_is_as_it_is_ours_is_the_mean_and_the_band_that_of_averages(found):
    random = found.drop(AS_IT_IS, level="replication")
    one, ten = (results.summary(random, averaged=count).loc["KTH", "text", "wait"] for count in (1, 10))
    assert one.ours == ten.ours == 51
    assert ten.high - ten.low == pytest.approx((one.high - one.low) / np.sqrt(10), rel=0.3)
    assert results.summary(random).ours.isna().all()


def test_levels_come_in_the_order_in_which_their_values_appear(found):
    table = results.by(results.summary(found), "metric", "trace", "rule")
    assert table.index.tolist() == [("wait", t, r) for t in ("KTH", "CTC") for r in ("text", "likely")]


@pytest.fixture
def table(found):
    printed = pd.Series({("wait", "KTH"): 20.0}).rename_axis(["metric", "trace"])
    return results.against(results.by(results.summary(found), "trace", "metric", "rule"), printed)


def test_printed_numbers_stand_beside_ours_under_every_rule_and_nowhere_else(table):
    assert table.published.tolist()[:2] == [20, 20] and table.published.isna().tolist()[2:] == [True, True]
    assert table.deviation.iloc[0] == -0.5


def test_each_printed_number_is_one_cell_with_a_reading_by_rule(table):
    (cell,) = results.cells(table, lambda of: {"close": 0.1, "note": of["trace"]})
    assert (cell["of"], cell["published"], cell["note"]) == ({"trace": "KTH", "metric": "wait"}, 20, "KTH")
    assert {rule: ours["verdict"] for rule, ours in cell["readings"].items()} == {"text": "inside", "likely": "inside"}
    (cell,) = results.cells(table.assign(published=103.0).iloc[:2], lambda of: {"close": 0.5})
    assert {rule: ours["verdict"] for rule, ours in cell["readings"].items()} == {"text": "off", "likely": "close"}


def test_without_rules_and_intervals_a_cell_has_the_text_s_reading_and_has_to_be_exact(table):
    bare = table.xs("text", level="rule").assign(low=np.nan, median=np.nan, high=np.nan)
    (cell,) = results.cells(bare, lambda of: {})
    assert cell["readings"]["text"]["verdict"] == verdicts.OFF


def test_for_reading_every_further_rule_says_only_how_far_it_is_off(table):
    text = results.beside(table, "{:.0f}", "metric")
    assert text.loc["KTH", "wait"].to_dict() == {"paper": "20", "ours": "10", "off": "-50.0%", "likely off": "-50.0%"}
    assert text.loc["CTC", "wait"].to_dict() == {"paper": "", "ours": "10", "off": "", "likely off": ""}


def test_a_wide_table_keeps_its_names_where_others_were_filtered_away():
    index = pd.MultiIndex.from_product([["KTH", "CTC"], ["regular", "selective"]])
    values = pd.Series([1, 2, 3, 4], index)
    wide = results.wide(values[index.get_level_values(1) == "selective"])
    assert wide.to_dict() == {"selective": {"KTH": 2, "CTC": 4}}
    assert results.wide(values).columns.tolist() == ["regular", "selective"]
