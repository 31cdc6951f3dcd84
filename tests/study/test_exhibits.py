"""What a notebook does with its runs: readings, printed numbers beside ours, claims, pictures, files."""

import json
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers import ROOT, listing, texts

import simlib_study as study
from simlib import EASY, Workload, load, plots, replicate
from simlib.models import jann97
from simlib_study import judging, records
from simlib_study.claims import INCONCLUSIVE, NOT, REPRODUCED, UNTESTED, Measure
from simlib_study.judging import cells


def runs(shift=0.0, traces=("KTH",), spread=0.01):
    """Runs around the printed numbers of Table 4, times 1 + `shift`; run 0 and ten others."""
    of_print = study.printed("mualem2001_table4")
    of_print = of_print[of_print.index.isin(traces, level="log")].unstack("metric")
    found = {run: of_print * (1 + shift + spread * (run - 5) / 5 * (run > 0)) for run in range(11)}
    return pd.concat(found, names=["run"])


# Readings


EVERY = pd.Series(
    {
        (policy, log): number
        for number, (policy, log) in enumerate(
            product(["EASY", "FCFS", "EASY, shared"], ["CTC", "KTH", "CTC, restored", "CTC, calendar"])
        )
    }
).rename_axis(["policy", "log"])
"""Every policy on every log, numbered."""


def test_a_summary_has_words_for_pairs_of_policy_and_log_and_leaves_others_out():
    found = study.in_words(EVERY)
    text, likely = ("EASY", "CTC", "text"), ("EASY", "CTC", "likely")
    assert (found[text], found[likely], found["EASY", "CTC", "restored"]) == (0, 8, 10)
    assert found["EASY", "CTC", "calendar"] == 3 and len(found) == len(EVERY) - 3  # on restored logs, by the calendar
    counted = EVERY.xs("EASY", level="policy")
    assert study.in_words(counted).to_dict() == {
        ("CTC", "text"): 0, ("KTH", "text"): 1, ("CTC", "restored"): 2, ("CTC", "calendar"): 3
    }  # fmt: skip


def test_what_is_not_read_differently_stands_under_every_reading():
    found = study.readings(EVERY)
    assert list(found) == ["text", "likely", "restored"]
    easy, fcfs = ({name: of[policy].to_dict() for name, of in found.items()} for policy in ("EASY", "FCFS"))
    assert easy == {"text": {"CTC": 0, "KTH": 1}, "likely": {"CTC": 8, "KTH": 9}, "restored": {"CTC": 10, "KTH": 9}}
    assert fcfs == {"text": {"CTC": 4, "KTH": 5}, "likely": {"CTC": 4, "KTH": 5}, "restored": {"CTC": 6, "KTH": 5}}
    assert list(study.readings(EVERY.loc[["EASY", "FCFS"], ["CTC", "KTH"]])) == ["text"]


def test_a_log_that_is_drawn_has_the_median_of_its_runs_for_the_log_as_it_is_and_others_keep_it():
    lost = lambda seed: load("sample").select(np.arange(6000) < 500 + 100 * seed)  # noqa: E731
    logs = {"drawn, restored": lost, "filed": load("sample")}
    found = study.median_first(replicate(logs, EASY(), shakes=5))
    drawn = found.loc["drawn, restored"]
    assert drawn.loc[0].equals(drawn.drop(0).median().rename(0))
    assert found.loc["filed"].equals(replicate(logs["filed"], EASY(), shakes=5))


# Printed numbers


def test_a_number_is_inside_close_or_off():
    for shift, expected in ((0, "inside"), (0.03, "close"), (0.2, "off")):
        table = study.judge(runs(shift), "mualem2001_table4")
        assert set(table.xs("response_s", level="metric").verdict) == {expected}
    row = table.xs(("response_s", "KTH", "EASY", "original"), level=(0, 1, 2, 3)).iloc[0]
    assert (row.published, row.ours, row.deviation) == (15568, pytest.approx(15568 * 1.2), pytest.approx(0.2))
    assert row.low < row["median"] < row.high


def test_a_printed_number_is_as_wide_as_its_last_digit():
    narrow = runs(0, spread=1e-9)
    for change, expected in ((0.049, "inside"), (0.051, "close")):
        moved = narrow.copy()
        moved["bounded_slowdown"] += change
        found = study.judge(moved, "mualem2001_table4").xs("bounded_slowdown", level="metric")
        assert set(found.verdict) == {expected}


def test_differences_are_judged_by_points_and_have_no_relative_deviation():
    of_print = study.printed("mualem2001_table4_differences").unstack("metric")
    for points, expected in ((0, "inside"), (4.9, "close"), (12, "off")):
        made = pd.concat({run: of_print + points for run in range(3)}, names=["run"])
        table = study.judge(made, "mualem2001_table4_differences", points=True)
        assert set(table.xs("response_s", level="metric").verdict) == {expected} and "deviation" not in table


def test_numbers_of_absent_logs_stand_alone_and_those_that_are_not_printed_are_not_judged():
    class Logs(study.Logs):
        def is_absent(self, log, **_):
            return log == "CTC"

        def origin(self, **of):
            return {"unjudged": judging.INFERRED}

    table = study.judge(runs(), "mualem2001_table4", Logs({}))
    absent = table.xs("CTC", level="log")
    assert absent.ours.isna().all() and set(absent.verdict) == {judging.ABSENT} and absent.published.notna().all()
    more = runs().rename(index={"KTH": "mine"}, level="log")
    found = study.judge(more, "mualem2001_table4")
    assert found.verdict.isna().all() and found.published.isna().all() and cells(found) == []


def named(made, policy="", log=""):
    """Runs with something behind the names of their policies and logs."""
    made = made.rename(lambda name: f"{name}{policy}", level="policy")
    return made.rename(lambda name: f"{name}{log}", level="log")


def test_a_log_that_lacks_jobs_is_shown_and_not_judged_unless_they_are_put_back():
    class Logs(study.Logs):
        def origin(self, log, **of):
            why = {"KTH": judging.OTHER_LOG, "KTH, calendar": judging.INFERRED}
            return {"unjudged": why.get(log, ""), "note": "lacks 7 jobs"}

    made = pd.concat([runs(), named(runs(), log=", restored"), named(runs(), log=", calendar")])
    table = study.judge(made, "mualem2001_table4", Logs({}))
    found = {log: set(table.xs(log, level="log").verdict) for log in table.index.unique("log")}
    assert found == {"KTH": {judging.OTHER_LOG}, "KTH, restored": {"inside"}, "KTH, calendar": {judging.INFERRED}}
    assert set(table.note) == {"lacks 7 jobs"}


def test_tallies_have_a_column_of_their_own_for_restored_logs_where_others_count_as_under_likely():
    both = ["KTH", "CTC"]
    likely = named(runs(0.03, both), ", differently")
    made = pd.concat([runs(0.2, both), likely, named(runs(0, ["KTH"]), ", differently", ", restored")])
    table = study.judge(made, "mualem2001_table4").query("metric == 'response_s'")
    found = study.tallies(table, "log").sort_index()
    assert list(found.columns.unique(0)) == ["text", "likely", "restored"]
    shown = ["cells", "inside", "close", "off"]
    counts = {word: found[word][shown].to_numpy().tolist() for word in found.columns.unique(0)}
    assert counts["text"] == [[4, 0, 0, 4]] * 2 and counts["likely"] == [[4, 0, 4, 0]] * 2
    assert counts["restored"] == [[4, 0, 4, 0], [4, 4, 0, 0]]  # CTC has only the programs


def test_drawn_estimates_are_judged_by_the_band_of_means_of_ten():
    made = pd.concat([runs(spread=0.1 * (1 + k / 7)) for k in range(3)]).drop(0, level="run")
    made = made.groupby(made.index.names).mean()
    one, ten = (study.judge(made, "mualem2001_table4", averaged=averaged) for averaged in (None, 10))
    assert one.ours.isna().all() and np.allclose(ten.ours, ten["mean"])
    narrower = ((ten.high - ten.low) / (one.high - one.low)).dropna()
    assert narrower.between(0.2, 0.5).all()


def test_cells_have_every_policy_and_log_and_are_taken_from_judged_numbers():
    made = pd.concat([runs(), named(runs(0.2), ", differently"), named(runs(), log=", restored")])
    table = study.judge(made, "mualem2001_table4")
    (cell,) = [one for one in cells(table) if list(one["of"].values()) == ["response_s", "KTH", "EASY", "scaled"]]
    verdicts = {(one["policy"], one["log"]): one["verdict"] for one in cell["readings"]}
    expected = {("EASY", "KTH"): "inside", ("EASY, differently", "KTH"): "off", ("EASY", "KTH, restored"): "inside"}
    assert cell["published"] == 15060 and verdicts == expected
    assert judging.tally(cells(table), "restored")["cells"] == 0  # the text's policies on restored logs are no summary
    table.loc[table.index.isin(["scaled"], level="quantity"), "verdict"] = None
    assert {one["of"]["quantity"] for one in cells(table)} == {"original"}


def test_what_was_counted_is_judged_without_a_spread():
    ours = pd.Series({("KTH", "killed_at_daytime_limit"): 793, ("KTH", "peak_100pct"): 3610})
    table = study.judge(ours.rename_axis(["log", "quantity"]), "mualem2001_footnote2")
    assert table.verdict.tolist() == ["inside", "off"]
    assert cells(table)[0]["readings"][0]["low"] == 793


def test_of_a_log_of_ones_own_nothing_is_printed():
    table = study.judge(runs(), "mualem2001_table4", study.Logs({}, own=True))
    assert table.verdict.isna().all() and not {"published", "deviation"} & set(table)


# Claims


def change(value, logs=("CTC", "KTH")):
    rows = {(log, run): value for log in logs for run in range(4)}
    return pd.Series(rows, name="x").rename_axis(["log", "run"])


def improving(of):
    return {"improves": (of < 0).groupby("run").mean()}


def test_a_claim_is_decided_under_each_reading_and_by_that_of_the_text():
    found = study.claim("MF-36", {"text": change(-1), "likely": change(1)}, improving)
    assert (found["verdict"], found["readings"]["likely"]["verdict"]) == (REPRODUCED, NOT)
    assert repr(found).startswith(
        "MF-36  REPRODUCED, shown 1, open 0, contradicted 0 (likely program: not reproduced): "
    )
    json.dumps(found)


def test_a_claim_without_its_logs_cannot_be_tested_and_print_is_asked_all_the_same():
    made = {"text": change(-1), "likely": change(-1), "printed": change(-1, ("SDSC", "KTH"))}
    found = study.claim("MF-36", made, improving, needs=["KTH", "SDSC"])
    assert found["verdict"] == UNTESTED and list(found["readings"]) == ["printed"]


def test_a_claim_on_stand_ins_or_on_a_log_of_ones_own_is_not_decided():
    twins = study.Logs({"KTH": load("KTH-SP2", "twin")})
    for logs in (twins, study.Logs({}, own=True)):
        found = study.claim("MF-36", change(-1), improving, logs)
        assert (found["verdict"], found["readings"]) == (UNTESTED, {})


def test_numbers_series_and_measures_count_as_what_they_are():
    for value, expected in ((0.9, REPRODUCED), (pd.Series([0.9]), REPRODUCED), (Measure(0.9, 0.4, 1), INCONCLUSIVE)):
        assert study.claim("MF-36", {"text": 1}, lambda of, value=value: {"improves": value})["verdict"] == expected
    without_first = pd.Series([0.4, 0.9, 0.9], [1, 2, 3])
    (part,) = study.claim("MF-36", {"text": 1}, lambda of: {"improves": without_first})["readings"]["text"]["parts"]
    assert part["value"] == pytest.approx(without_first.mean())


def test_a_share_of_cases_has_the_interval_of_so_many():
    once = pd.Series([True, True, False, True], [0] * 4).rename_axis("run")
    found = study.share(once)
    assert found.value == found.low == found.high == 0.75  # of these cases nothing is unsure
    assert found.like_these.low < 0.3 and found.like_these.high > 0.95
    shaken = study.share(pd.concat([once, once.set_axis([1] * 4), (~once).set_axis([2] * 4)]).rename_axis("run"))
    assert shaken.value == 0.5 and 0.25 <= shaken.low < 0.3 and 0.7 < shaken.high <= 0.75
    assert shaken.like_these == found.like_these


def test_printed_numbers_are_a_reading_of_one_run():
    made = runs()
    both = study.with_printed(study.readings(made), "mualem2001_table4")
    assert both["text"].equals(made)
    of_print = both["printed"].response_s
    assert of_print.index.names == made.index.names and of_print.index.unique("run").tolist() == [0]
    assert of_print.xs(("KTH", "EASY", "original"), level=("log", "policy", "quantity")).tolist() == [15568]


def test_a_finding_is_withdrawn_where_logs_are_stood_in_for():
    made = study.finding("OWN-01", True, "so it is", {"x": 1})
    assert made["verdict"] == "holds" and made["numbers"] == {"x": 1}
    twins = study.Logs({"KTH": load("KTH-SP2", "twin")})
    assert study.finding("OWN-01", True, "so it is", {}, twins)["verdict"] == UNTESTED


# Pictures and files


def test_a_picture_of_stand_ins_is_stamped_once_and_none_stays_open(no_figure_stays_open):
    twins = study.Logs({"KTH": load("KTH-SP2", "twin")})
    figure = study.show(plt.subplots()[1], twins)
    assert texts(study.show(figure, twins)) == [plots.SYNTHETIC]
    assert texts(study.show(plt.subplots()[0], study.Logs({}))) == []


def saved(root, **options):
    """Save a small table as Table 4's notebook does; gives the folders of what was written."""
    study.parameters("mualem2001/table4", dict(PARAMETERS))
    study.save(pd.DataFrame({"x": [1.5]}), **options)
    return sorted({path.parent.relative_to(root).as_posix() for path in root.rglob("record.json")})


PARAMETERS = {"logs": ["KTH", "CTC", "SDSC"], "factor": 2, "shakes": 60, "other_shakes": 40, "shake_s": 60, "seed": 0}


@pytest.fixture
def here(root, monkeypatch):
    """A repository with the notebook of Table 4, whose whole study is being made."""
    (root / "notebooks" / "mualem2001").mkdir(parents=True)
    (root / "notebooks/mualem2001/table4.ipynb").write_bytes((ROOT / "notebooks/mualem2001/table4.ipynb").read_bytes())
    monkeypatch.setenv(records.REPRODUCING, "1")
    return root


def real(*names):
    """Logs that are none, and none stands in for them."""
    jobs = load("sample").jobs
    return study.Logs({name: Workload(jobs, 128, name) for name in names})


FOLDER = "figures/mualem2001/table4"
APART = "build/explorations/mualem2001/table4/"


def test_only_the_whole_study_writes_figures(here, monkeypatch, capsys):
    assert saved(here, logs=real("KTH-SP2")) == [FOLDER]
    record = records.read(here / FOLDER / "record.json")
    assert record["parameters"] == PARAMETERS and [log["name"] for log in record["logs"]] == ["KTH-SP2"]
    monkeypatch.delenv(records.REPRODUCING)
    before = (here / FOLDER / "numbers.csv").read_bytes()
    folder, figures = saved(here, logs=real("KTH-SP2"))
    assert folder.startswith(APART) and figures == FOLDER
    assert (here / FOLDER / "numbers.csv").read_bytes() == before
    assert f"Saved in {folder}" in capsys.readouterr().out


def test_a_printed_number_counts_once(here):
    ours = pd.Series({("KTH", "killed_at_daytime_limit"): 793, ("KTH", "peak_100pct"): 3610})
    table = study.judge(ours.rename_axis(["log", "quantity"]), "mualem2001_footnote2")
    both = {"numbers": table, "again": table}
    study.parameters("mualem2001/table4", dict(PARAMETERS))
    with pytest.raises(
        ValueError, match="found 2 printed numbers judged twice, such as mualem2001_footnote2, quantity killed"
    ):
        study.save(both, logs=real("KTH-SP2"))
    study.save(both, logs=real("KTH-SP2"), judged=[table])
    cells = records.read(here / FOLDER / "record.json")["verdicts"]["cells"]
    assert {cell["exhibit"] for cell in cells} == {"mualem2001_footnote2"} and len(cells) == 2
    assert {path.name for path in (here / FOLDER).iterdir()} == {"numbers.csv", "again.csv", "record.json"}


def test_other_parameters_go_apart_each_set_in_a_folder_of_its_own(here, monkeypatch, capsys):
    for factor in (3, 4):
        monkeypatch.setitem(PARAMETERS, "factor", factor)
        folders = saved(here, logs=real("KTH-SP2"))
    assert len(folders) == 2 and all(name.startswith(APART) for name in folders)
    assert "factor is 4, in the study 2" in capsys.readouterr().out


def test_fewer_logs_than_the_record_names_go_apart(here, capsys):
    saved(here, logs=real("KTH-SP2", "CTC-SP2"))
    assert len(saved(here, logs=real("KTH-SP2"))) == 2
    assert "without CTC-SP2" in capsys.readouterr().out


def test_stand_ins_and_logs_of_ones_own_go_apart(here, capsys):
    twins = study.Logs({"KTH": load("KTH-SP2", "twin")})
    assert saved(here, logs=twins) == ["build/synthetic/mualem2001/table4"]
    assert "SYNTHETIC" in (here / "build/synthetic/mualem2001/table4/numbers.csv").read_text()
    own = study.Logs({"mine": load("sample")}, own=True)
    own.asked = ["some/mine.swf.gz"]
    study.save(pd.DataFrame({"x": [1]}), logs=own, claims=[1])
    (folder,) = (here / "build" / "own" / "mine" / "mualem2001" / "table4").iterdir()
    assert listing(folder) == ["numbers.csv", "record.json"]


def test_how_often_logs_are_shaken_does_not_matter_to_what_is_of_models(here):
    assert saved(here, logs=[jann97.workload(10)]) == [FOLDER]
    record = records.read(here / FOLDER / "record.json")
    assert record["parameters"] == {"logs": PARAMETERS["logs"], "factor": 2, "shake_s": 60, "seed": 0}
    assert [model["name"] for model in record["models"]] == ["Jann"]
