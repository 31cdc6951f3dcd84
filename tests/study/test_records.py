"""Every exhibit's record follows its schema; results are one table, from which verdicts come."""

import copy
import json

import jsonschema
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from exhibits import claimed, judged_cell
from helpers import ROOT, listing, texts

import simlib
from simlib import plots
from simlib.models import jann97
from simlib_study import claims, judging, records
from simlib_study.judging import AS_IT_IS
from simlib_study.resampling import Interval

RECORDS = sorted((ROOT / "figures").glob("*/*/record.json"))
SCHEMA = json.loads((ROOT / "data" / "exhibit.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def complaints(record):
    """Where a record departs from the schema, and how."""
    return [f"{error.json_path}: {error.message[:200]}" for error in VALIDATOR.iter_errors(record)]


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_schema_is_one():
    VALIDATOR.check_schema(SCHEMA)


def test_every_claim_that_can_be_tested_has_one_record():
    found = [claim for path in RECORDS for claim in read(path)["verdicts"].get("claims", [])]
    rows = claims.claims()
    assert sorted(claim["id"] for claim in found) == sorted(rows.keys() - claims.untestable().keys())
    assert [claim["id"] for claim in found if claim["claim"] != rows[claim["id"]]["claim"]] == []


# A made-up exhibit, and what can be wrong with one


@pytest.fixture
def record(root, workload):
    """The record of a made-up exhibit with all that a record can have."""
    log = workload([(0, 10, 10, 3)], 4)
    log._source = {"file": "made-up.swf", "variant": "original", "sha256": "0123456789abcdef" * 4}
    readings = {"text": (1.1, Interval(0.9, 1.05, 1.2)), "likely": (1.4, Interval(1.2, 1.3, 1.5))}
    of = {"log": "CTC", "month": "1996-07", "quantity": "EASY_response_s"}
    cells = [
        judged_cell(of, 1.0, readings, decimals=1, note="so it is"),
        judged_cell(of | {"f": 2}, 0.0, 1.0, unjudged={judging.TEXT: judging.OTHER_LOG}),
    ]
    judged = {"cells": cells, "claims": [claimed("MF-01", claims.REPRODUCED, "all of 7", likely=claims.NOT)]}
    made_from = {"workloads": [log, jann97.workload(10)], "parameters": {"seed": 3, "traces": ("CTC",)}}
    return read(records.write("mualem2001/table9", {}, **made_from, **judged) / "record.json")


def test_what_an_exhibit_saves_follows_the_schema(record):
    assert complaints(record) == []
    assert record["seed"] == 3
    assert (record["logs"][0]["unestimated"], record["logs"][0]["verified"]) == (0, None)
    first, second = (cell["readings"] for cell in record["verdicts"]["cells"])
    assert [ours["policy"] for ours in first] == ["EASY", "EASY, differently"]
    assert [ours["verdict"] for ours in first] == [judging.INSIDE, judging.OFF]
    assert [ours["verdict"] for ours in second] == [judging.OTHER_LOG]


@pytest.mark.parametrize("key", SCHEMA["required"])
def test_a_record_that_lacks_something_is_refused(record, key):
    del record[key]
    assert complaints(record) == [f"$: '{key}' is a required property"]


WRONG = {
    "a verdict of no kind": lambda cell, claim, log: cell["readings"][0].update(verdict="nearly"),
    "a cell that the paper does not print": lambda cell, claim, log: cell.update(published=None),
    "a cell of nothing": lambda cell, claim, log: cell.pop("of"),
    "a cell that is printed nowhere": lambda cell, claim, log: cell.pop("exhibit"),
    "a cell with more to it": lambda cell, claim, log: cell.update(sd=0.1),
    "a reading without a verdict": lambda cell, claim, log: cell["readings"][1].pop("verdict"),
    "a reading with more to it": lambda cell, claim, log: cell["readings"][0].update(rule="text"),
    "a cell without a reading": lambda cell, claim, log: cell["readings"].clear(),
    "a claim of no paper": lambda cell, claim, log: claim.update(id="XY-01"),
    "a claim without evidence": lambda cell, claim, log: claim.pop("evidence"),
    "a reading of a claim without parts": lambda cell, claim, log: claim["readings"]["text"]["parts"].clear(),
    "a part without a number": lambda cell, claim, log: claim["readings"]["text"]["parts"][0].pop("value"),
    "a part of no verdict": lambda cell, claim, log: claim["readings"]["text"]["parts"][0].update(verdict="perhaps"),
    "a log without a digest": lambda cell, claim, log: log.pop("sha256"),
    "a log of which none knows whether it is verified": lambda cell, claim, log: log.update(verified="perhaps"),
    "a number of jobs without estimates that is none": lambda cell, claim, log: log.update(unestimated=-1),
    "a digest that is none": lambda cell, claim, log: log.update(sha256="0123"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_record_is_refused_for(record, wrong):
    changed = copy.deepcopy(record)
    judged = changed["verdicts"]
    WRONG[wrong](judged["cells"][0], judged["claims"][0], changed["logs"][0])
    assert complaints(changed)


# Files


TABLE = pd.DataFrame({"month": ["1996-10"], "value": [1 / 3]}).set_index("month")


def test_an_exhibit_is_a_folder_with_tables_pictures_and_a_record(root, workload):
    w = workload([(0, 10, 10, 3)], 4)
    one = judged_cell({"jobs": np.int64(3)}, 2.0, {"text": (np.float64(1.23456), Interval(1.0, float("nan"), 1.5))})
    files = {"numbers.csv": TABLE, "picture.png": plt.figure()}
    folder = records.write("mualem2001/table9", files, workloads=[w], parameters={"x": (1,)}, cells=[one])
    assert folder == root / "figures" / "mualem2001" / "table9"
    assert listing(folder) == ["numbers.csv", "picture.png", "record.json"]
    assert (folder / "numbers.csv").read_text() == "month,value\n1996-10,0.3333\n"
    record = read(folder / "record.json")
    (cell,) = record["verdicts"]["cells"]
    (ours,) = cell["readings"]
    assert (ours["ours"], ours["median"], cell["of"]) == (1.2346, None, {"jobs": 3})
    assert record["logs"][0]["jobs"] == 1 and record["parameters"] == {"x": [1]}
    assert record["versions"]["simlib"] == simlib.__version__


def test_saving_twice_gives_the_same_bytes(root, workload):
    def save():
        figure, ax = plt.subplots()
        ax.plot([1, 2])
        files = {"numbers.csv": TABLE, "picture.png": figure}
        folder = records.write("mualem2001/figure9", files, workloads=[workload([(0, 1, 1, 1)], 1)])
        return [path.read_bytes() for path in sorted(folder.iterdir())]

    assert save() == save()


def test_a_table_or_a_picture_that_is_no_longer_made_goes_and_the_page_stays(root):
    folder = records.write("mualem2001/table9", {"numbers.csv": TABLE, "more.csv": TABLE, "more.png": plt.figure()})
    (folder / "README.md").touch()
    assert records.write("mualem2001/table9", {"numbers.csv": TABLE}) == folder
    assert listing(folder) == ["README.md", "numbers.csv", "record.json"]


def test_a_synthetic_exhibit_never_goes_to_the_figures(root, capsys):
    figure = plt.figure()
    one = judged_cell({"log": "CTC"}, 1.0, {"text": (1.0, None), "likely": (1.0, None)})
    files = {"numbers.csv": TABLE, "picture.png": figure}
    folder = records.write("mualem2001/table9", files, workloads=[simlib.load("sample")], cells=[one])
    assert folder == root / "build" / "synthetic" / "mualem2001" / "table9"
    assert not (root / "figures").exists()
    record = read(folder / "record.json")
    assert record["synthetic"] is True
    (cell,) = record["verdicts"]["cells"]
    assert {ours["verdict"] for ours in cell["readings"]} == {judging.OTHER_LOG}
    assert plots.SYNTHETIC in texts(figure)
    assert "SYNTHETIC" in capsys.readouterr().out
    assert pd.read_csv(folder / "numbers.csv").data.tolist() == [plots.SYNTHETIC]


def test_a_save_that_breaks_off_leaves_what_was_there(root, workload):
    w = workload([(0, 1, 1, 1)], 1)
    folder = records.write("mualem2001/table9", {"numbers.csv": TABLE}, workloads=[w])
    before = (folder / "record.json").read_bytes()
    with pytest.raises(TypeError):
        records.write("mualem2001/table9", {}, workloads=[w], parameters={"x": object()})
    with pytest.raises(ValueError, match="mualem2001/table9: record.verdicts.claims.* must .*exhibit.schema.json says"):
        records.write("mualem2001/table9", {"numbers.csv": TABLE + 1}, workloads=[w], claims=[{"id": "MF-01"}])
    assert (folder / "record.json").read_bytes() == before
    assert listing(folder) == ["numbers.csv", "record.json"]


def test_a_record_in_another_folder_than_its_own_is_refused(root):
    folder = records.write("mualem2001/table9", {})
    folder.rename(folder.with_name("table8"))
    with pytest.raises(ValueError, match="table8.*found mualem2001/table9, expected the folder that it lies in"):
        records.read(folder.with_name("table8") / "record.json")


def test_what_stands_in_for_a_log_tests_no_claim(root):
    claims = [{"id": "MF-01", "claim": "so it is", "verdict": "reproduced", "evidence": "7 of 7"}]
    for workload, verdict in ((simlib.load("sample"), "cannot be tested"), (jann97.workload(10), "reproduced")):
        folder = records.write("mualem2001/table9", {"numbers.csv": TABLE}, workloads=[workload], claims=claims)
        record = read(folder / "record.json")
        assert [found["verdict"] for found in record["verdicts"]["claims"]] == [verdict]
    assert [model["name"] for model in record["models"]] == ["Jann"]
    assert not record["logs"]


@pytest.fixture
def found():
    """Two traces under two policies: 10 as they are, 1 to 101 in replications; the second has half as many."""
    values = {
        (trace, policy, number, "wait"): 10.0 if number == AS_IT_IS else float(number) * (2 if policy == "SJF" else 1)
        for trace in ("KTH", "CTC")
        for policy, count in (("EASY", 101), ("SJF", 51))
        for number in range(count + 1)
    }
    return pd.Series(values).rename_axis(["log", "policy", "run", "metric"])


def test_a_summary_has_ours_as_it_is_and_where_one_more_replication_would_lie(found):
    table = judging.spread(found)
    assert table.index.tolist() == [(t, r, "wait") for t in ("KTH", "CTC") for r in ("EASY", "SJF")]
    row = table.loc["CTC", "EASY", "wait"]
    expected = 10, 51, -7.4178, 51, 109.4178
    assert (row.ours, row["mean"], row.low, row["median"], row.high) == pytest.approx(expected, rel=1e-4)
    assert row.sd == pytest.approx(np.std(range(1, 102), ddof=1))
    assert table.loc["KTH", "SJF", "wait"]["median"] == 52  # of the 51 that there are


def test_where_none_is_as_it_is_ours_is_the_mean_and_the_band_that_of_averages(found):
    random = found.drop(AS_IT_IS, level="run")
    one, ten = (judging.spread(random, averaged=count).loc["KTH", "EASY", "wait"] for count in (1, 10))
    assert one.ours == ten.ours == 51
    assert ten.high - ten.low == pytest.approx((one.high - one.low) / np.sqrt(10), rel=0.3)
    assert judging.spread(random).ours.isna().all()


def test_levels_come_in_the_order_in_which_their_values_appear(found):
    table = judging.in_order(judging.spread(found), "metric", "log", "policy")
    assert table.index.tolist() == [("wait", t, r) for t in ("KTH", "CTC") for r in ("EASY", "SJF")]


def test_a_policy_that_is_read_differently_stands_beside_the_same_printed_number(found):
    found = found.rename({"SJF": "EASY, extra shared"}, level="policy")
    printed = pd.Series({("wait", "KTH", "EASY"): 20.0}).rename_axis(["metric", "log", "policy"])
    table = judging.against(judging.in_order(judging.spread(found), "log", "metric", "policy"), printed)
    text = judging.beside(table, "{:.0f}", "metric")
    for policy in ("EASY", "EASY, extra shared"):
        assert text.loc[("KTH", policy), "wait"].to_dict() == {"paper": "20", "ours": "10", "off": "-50.0%"}
        assert text.loc[("CTC", policy), "wait"].to_dict() == {"paper": "", "ours": "10", "off": ""}


def test_a_wide_table_keeps_its_names_where_others_were_filtered_away():
    index = pd.MultiIndex.from_product([["KTH", "CTC"], ["regular", "selective"]])
    values = pd.Series([1, 2, 3, 4], index)
    wide = judging.wide(values[index.get_level_values(1) == "selective"])
    assert wide.to_dict() == {"selective": {"KTH": 2, "CTC": 4}}
    assert judging.wide(values).columns.tolist() == ["regular", "selective"]
