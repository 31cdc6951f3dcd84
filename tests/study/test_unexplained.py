"""What is left of Table 1: every month that is off has a reason in words, and what is shown of it is worked out."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from helpers import of_traces, random_workload, table

from simlib import Conservative, simulate
from simlib._util import paths
from simlib.study import mualem2001, verdicts
from simlib.study.investigations import unexplained
from simlib.study.investigations.unexplained import MONTH, Leftovers
from simlib.study.verdicts import ABSENT, CLOSE, INFERRED, LIKELY, OFF, RESTORED

FEW = {"shakes": 4, "wide_shakes": 4, "fork_shakes": 4}

RECORD = paths.ROOT / "figures" / "mualem2001_what-is-left.csv"


def made_up(name="KTH", month="1997-03", jobs=500):
    """A trace whose jobs, numbered from 0, come and end in one month of the paper, in which nothing is as printed."""
    rows = random_workload(1, jobs=jobs).jobs.assign(submit=lambda of: of.submit * 100, run=lambda of: of.run * 60)
    rows = rows.assign(estimate=rows.estimate * 60)[["submit", "run", "estimate", "procs"]].to_numpy()
    start = pd.Timestamp(f"{month}-02", tz="Europe/Stockholm")
    return mualem2001.Trace(name, table(rows, 64, start=start), (month, month))


def cell(metric="response_s", published=100.0, **readings):
    """A cell of Table 1 with a median and a verdict by rule."""
    of = {"trace": "KTH", "month": "1997-03", "scheduler": "easy", "metric": metric}
    told = {rule: {"median": median, "verdict": verdict} for rule, (median, verdict) in readings.items()}
    return {"of": of, "published": published, "readings": told}


# Which months


def test_a_printed_mean_is_judged_on_the_restored_log_and_where_that_is_none_on_the_file():
    both = cell(**{LIKELY: (90, OFF), RESTORED: (98, CLOSE)})
    inferred = cell("bounded_slowdown", **{LIKELY: (80, OFF), RESTORED: (100, INFERRED)})
    found = unexplained.judged([both, inferred])
    assert found["median"].to_list() == [98, 80]
    assert found.verdict.to_list() == [CLOSE, OFF]


def test_loads_and_numbers_that_nobody_could_judge_are_no_leftovers():
    assert unexplained.judged([cell("load", **{LIKELY: (90, OFF)}), cell(**{LIKELY: (np.nan, ABSENT)})]).empty


def test_a_month_is_left_if_it_is_off_in_all_runs_or_in_those_of_table_1():
    exhibit = Leftovers()
    places = [("KTH", month, "easy", "response_s") for month in ("1997-01", "1997-02", "1997-03")]
    index = pd.MultiIndex.from_tuples(places)
    verdicts = {"verdict": [OFF, CLOSE, CLOSE], "verdict_in_table1": [CLOSE, OFF, CLOSE]}
    exhibit.judged = pd.DataFrame(verdicts, index)
    assert exhibit.off_months == [place[:3] for place in places[:2]]


# How far


@pytest.fixture(scope="module")
def made():
    return of_traces(Leftovers, made_up(), **FEW)


@pytest.mark.slow
def test_an_off_month_has_its_verdicts_its_ranks_and_its_reason(made, monkeypatch):
    monkeypatch.setattr(unexplained, "reasons", lambda: {("KTH", "1997-03", "easy"): "made up"})
    vars(made).pop("off", None)
    row = made.off.loc["KTH", "1997-03", "easy"]
    runs = made.runs(("KTH", "1997-03", "easy"))
    assert row.response_s_printed == 18333
    assert row.response_s_median == runs.response_s.median()
    assert row.response_s_verdict == OFF and row.both == row.wide_both == 0
    assert row.response_s_rank == (runs.response_s < 18333).mean()
    assert made.off.why.to_list() == ["made up", unexplained.INCONCLUSIVE]


@pytest.mark.slow
def test_the_wide_runs_are_shaken_further(made):
    spread = made.spread.xs(("easy", "response_s"), level=("scheduler", "metric")).droplevel(MONTH[:2])
    assert spread.index.to_list() == [60, 3600]
    assert not np.isclose(spread.low[60], spread.low[3600])
    assert (spread.low <= spread["median"]).all() and (spread["median"] <= spread.high).all()


@pytest.mark.slow
def test_every_off_month_has_a_row_in_the_picture(made):
    left, right = made.figure().axes
    assert [text.get_text() for text in left.get_yticklabels()] == ["KTH 1997-03 EASY", "KTH 1997-03 conservative"]


# Forks


def test_only_runs_that_are_close_in_both_metrics_are_near():
    runs = pd.DataFrame({"response_s": [104, 104, 106, 95], "bounded_slowdown": [10.9, 11.1, 10, 9.0]})
    assert unexplained.near(runs, {"response_s": 100, "bounded_slowdown": 10}).tolist() == [
        True,
        False,
        False,
        True,
    ]


def test_pairs_of_one_second_follow_one_another_within_the_time():
    jobs = table([(submit, 5, 5, 1) for submit in (0, 0, 3, 7, 7, 7, 9, 9)], 4).jobs
    assert unexplained.of_one_second(jobs, 1, 9) == [(3, 4), (4, 5)]


def test_swapped_jobs_of_one_second_are_taken_in_the_other_order():
    jobs = table([(0, 10, 10, 4), (0, 20, 20, 4), (1, 5, 5, 4)], 4)
    assert simulate(jobs, Conservative()).jobs.start.to_dict() == {0: 0, 1: 10, 2: 30}
    other = jobs.derive(unexplained.swapped(jobs.jobs, 0, 1), "swapped")
    assert simulate(other, Conservative()).jobs.start.to_dict() == {0: 20, 1: 0, 2: 30}


def test_branches_take_out_the_four_jobs_and_as_many_others_of_the_two_days(monkeypatch):
    trace = made_up()
    submit = trace.workload.jobs.submit
    days = submit.index[submit.between(3 * 86400, 5 * 86400 - 1)]  # of a log that begins on the second
    monkeypatch.setattr(unexplained, "BRANCHING", tuple(days[:2]))
    monkeypatch.setattr(unexplained, "CONTROLS", 3)
    monkeypatch.setattr(unexplained, "measured", lambda *of: set(submit.index) - set(of[-1].index))
    whole, first, second, others = unexplained.branches(trace, SimpleNamespace(seed=0)).values()
    assert [whole, first, second] == [[set()], [{days[0]}], [{days[1]}]]
    assert [len(taken) for taken in others] == [1, 1, 1]
    assert len(set.union(*others)) == 3 and set.union(*others) <= set(days[2:])


def test_variants_are_summed_up_beside_print_and_what_is_ours():
    name, columns = "KTH 1997-03 easy", [*unexplained.FORK_COLUMNS]
    places = [(name, "as it is", 0), *((name, "shaken", run) for run in range(3))]
    rows = [(100, 10, 50, 5, np.nan, np.nan), *((100, 10, 98 + k, 9.5 + k, 3 * k, np.nan) for k in range(3))]
    runs = pd.DataFrame(rows, pd.MultiIndex.from_tuples(places, names=unexplained.LEVELS), columns)
    found = unexplained.summed_up(runs)
    shaken = found.loc[name, "shaken"]
    assert (shaken.response_s_ours, shaken.response_s, shaken.runs) == (50, 99, 3)
    assert (shaken.both, shaken.correlation) == (pytest.approx(2 / 3), pytest.approx(1))
    assert np.isnan(found.correlation[name, "as it is"]) and found.both[name, "as it is"] == 0


def test_a_log_without_the_jobs_that_are_named_shows_no_fork():
    assert unexplained.known([made_up(), made_up("SDSC", "1999-12")]) == {}


@pytest.mark.slow
def test_on_kths_log_four_jobs_lead_to_the_printed_branch_and_no_others_do(log):
    log("KTH-SP2")
    (trace,), _ = mualem2001.traces(["KTH"])
    exhibit = of_traces(Leftovers, trace, **FEW)
    exhibit.judged = unexplained.judged([]).assign(verdict_in_table1=[])
    both = exhibit.forks.both.xs("KTH 1997-03 conservative")
    assert both.filter(regex="^without job").to_list() == [1, 1, 1, 1]
    assert both["the log as it is"] == both["without one of 20 other jobs"] == 0


# Reasons


def written():
    return set(verdicts.published("mualem2001_leftovers").set_index(MONTH).index)


def test_each_month_has_one_reason_and_is_one_of_table_1():
    rows = verdicts.published("mualem2001_leftovers")
    assert not rows.duplicated(MONTH).any()
    assert rows.why.str.endswith(".").all() and not rows.why.str.contains(unexplained.INCONCLUSIVE).any()
    months = verdicts.published("mualem2001_table1").set_index(["trace", "month"]).index
    assert pd.MultiIndex.from_frame(rows[["trace", "month"]]).isin(months).all()


def test_the_reasons_are_those_of_the_months_that_are_off_in_the_record():
    if not RECORD.exists():
        pytest.skip(f"{RECORD.name} is made by the notebook, which has not been run")
    assert set(pd.read_csv(RECORD).set_index(MONTH).index) == written()


@pytest.mark.slow
def test_on_kths_log_exactly_the_months_that_are_off_have_a_reason(log):
    log("KTH-SP2")
    exhibit = Leftovers(traces=("KTH",))
    assert set(exhibit.off_months) == {place for place in written() if place[0] == "KTH"}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["CTC", "SDSC", "Par", "CM5"])
def test_on_each_log_exactly_the_months_that_are_off_have_a_reason(log, name):
    for setting in mualem2001.settings():
        if setting["trace"] == name and setting["log"] != "SDSC-Par-95":  # of which nobody has a file
            log(setting["log"])
    assert set(Leftovers(traces=(name,)).off_months) == {place for place in written() if place[0] == name}


# Without logs


@pytest.mark.slow
def test_nothing_is_told_of_twins(no_logs, root):
    exhibit = Leftovers(traces=("KTH",), **FEW)
    assert exhibit.real == [] and [part.draw for part in exhibit.made.values()] == [None] * 4
    assert exhibit.off.empty and exhibit.off.columns.to_list() == unexplained.COLUMNS
    assert exhibit.fork_runs.empty and exhibit.spread.empty
    assert {"both", "correlation"} <= set(exhibit.forks.columns)
    exhibit.save()
    assert {path.suffix for path in (root / "build").rglob("*.*")} == {".csv", ".json"}
    assert not (root / "figures").exists()
