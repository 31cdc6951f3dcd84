"""The exhibits of the lost jobs and of what is left of Table 1: months' lengths, false cures, findings, reasons."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from helpers import lossy, of_traces, random_workload, table, texts, verdict_by_id

from simlib import Conservative, Workload, load, simulate
from simlib._util import paths
from simlib.study import mualem2001, verdicts
from simlib.study.claims import HOLDS, HOLDS_NOT, UNTESTED
from simlib.study.investigations import lost_jobs, unexplained
from simlib.study.investigations.lost_jobs import (
    ANYWHERE,
    AS_FILED,
    FOLDS,
    IN_MONTH,
    LENGTHS,
    PROGRAMS,
    PUT_BACK,
    UNCALLED,
)
from simlib.study.investigations.unexplained import MONTH, Leftovers
from simlib.study.mualem2001 import METRICS, SCHEDULERS, Trace
from simlib.study.verdicts import ABSENT, CLOSE, INFERRED, LIKELY, OFF, RESTORED

SHAKEN = {"shakes": 5, "shake_s": 60, "seed": 0}
FIRST = ["1994-10", "1994-11", "1994-12", "1995-01", "1995-02"]


@pytest.fixture(scope="module")
def trace():
    return lossy()


def table1(trace, **others):
    """What Table 1 would print if it were made from this trace: by month, one run of each scheduler."""
    found = {name: trace.by_month(simulate(trace.workload, policy)) for name, policy in PROGRAMS.items()}
    of_easy = found["easy"][["jobs", "utilization"]].rename(columns={"utilization": "load"})
    means = {f"{name}_{m}": of[column] for name, of in found.items() for m, column in METRICS.items()}
    return of_easy.assign(trace=trace.trace, **means, **others)


@pytest.fixture
def prints(monkeypatch):
    """A function that has a trace's own numbers be what Table 1 prints."""

    def set_to(trace):
        table = table1(trace)
        monkeypatch.setattr(lost_jobs, "published", lambda name: table.reset_index())
        monkeypatch.setattr(lost_jobs, "printed", lambda trace: table)
        return table

    return set_to


# When


def test_every_order_of_the_lengths_is_there_once():
    found = lost_jobs.permuted(LENGTHS)
    assert len(found) == len(set(found)) == 20
    assert {tuple(sorted(one)) for one in found} == {tuple(sorted(LENGTHS))}
    assert lost_jobs.permuted((1, 2)) == [(1, 2), (2, 1)]


@pytest.mark.parametrize(
    "days, expected",
    [
        ((28, 31, 30, 31, 31), ["1994-10-29", "1994-11-29", "1994-12-29", "1995-01-29"]),
        ((31, 30, 31, 31, 28), ["1994-11-01", "1994-12-01", "1995-01-01", "1995-02-01"]),
    ],
)
def test_months_of_given_lengths_follow_on_one_another(days, expected):
    assert lost_jobs.begin_on(FIRST, days) == dict(zip(FIRST[1:], expected, strict=True))


def test_the_order_of_lengths_that_the_printed_months_have_fits_best(trace, prints):
    """August and September begin a day earlier than on the calendar."""
    months = trace.month_edges[0]
    prints(replace(trace, begin_on=lost_jobs.begin_on(months, (30, 31, 31))))
    found = lost_jobs.orders(trace, (30, 31, 31), **SHAKEN)
    assert list(found.index)[0] == "30 31 31" and sorted(found.index) == ["30 31 31", "31 30 31", "31 31 30"]
    assert found.index[found.calendar].tolist() == ["31 31 30"]
    for scheduler in SCHEDULERS:
        assert found[f"jobs_off_{scheduler}"].idxmin() == found[f"log_likelihood_{scheduler}"].idxmax() == "30 31 31"
        assert found[f"load_off_{scheduler}"].idxmin() == "30 31 31"
        assert found[f"jobs_off_{scheduler}"].iloc[0] < 5 < found[f"jobs_off_{scheduler}"].iloc[1]


def test_what_a_month_lacks_stands_beside_the_numbers_that_are_missing_in_it(trace, prints):
    printed = prints(trace.drawn(0))
    gaps = trace.lost.known_gaps
    strangers = replace(trace.lost, gaps=pd.concat([gaps, gaps.assign(user=9, jobs=7)]))  # of whom nothing is known
    found = lost_jobs.counted(replace(trace, lost=strangers), **SHAKEN)
    assert found.published.tolist() == printed.jobs.tolist()
    assert found.missing.to_dict() == {"1996-07": 0, "1996-08": 100, "1996-09": 0}
    assert (found.short - found.missing).abs().max() <= 3
    assert (found.published - found["median"]).abs().max() <= 3
    assert (found.low <= found["median"]).all() and (found["median"] <= found.high).all()


# What they were like


def test_the_setting_that_made_the_printed_numbers_is_found_by_either_scheduler(trace, prints):
    settings = {run: trace.lost.with_setting(7, "run", run) for run in (60, 10000, 30000)}
    prints(replace(trace, lost=settings[10000]).drawn(99))
    found = lost_jobs.tried(trace, settings, **SHAKEN)
    assert found.index.names == ["value", "scheduler", "month"] and len(found) == 3 * 2 * 3
    halves = lost_jobs.across(found, SCHEDULERS)
    assert halves[["best", "low", "high"]].to_numpy().tolist() == [[10000] * 3] * 2
    assert halves.cells.tolist() == [6, 6]
    assert (halves.inside + halves.close >= 5).all()


def tried(likelihood, values=(1, 2, 3)):
    """As from `lost_jobs.tried`, of four months: in odd ones two cells are inside, in even ones one, another is off."""
    months = [f"1996-{month:02}" for month in range(1, 5)]
    index = pd.MultiIndex.from_product([values, SCHEDULERS, months], names=["value", "scheduler", "month"])
    value, scheduler, month = (index.get_level_values(name) for name in index.names)
    odd = month.str[-1].astype(int) % 2 == 1
    table = pd.DataFrame({"inside": np.where(odd, 2, 1), "close": 0, "cells": 2}, index)
    table.loc[value != 2, "inside"] = 0
    return table.assign(log_likelihood=[likelihood(*place) for place in zip(value, scheduler, odd, strict=True)])


def test_every_half_finds_a_planted_setting_and_is_judged_by_the_other():
    found = lost_jobs.across(tried(lambda value, *_: 0 if value == 2 else -5), FOLDS)
    assert list(found.index) == list(FOLDS)
    assert found[["best", "low", "high"]].to_numpy().tolist() == [[2, 2, 2]] * 4
    assert found.loc["odd months", ["cells", "inside", "close", "off"]].tolist() == [8, 4, 0, 4]
    assert found.loc["even months", ["cells", "inside", "close", "off"]].tolist() == [8, 8, 0, 0]
    assert found.loc["easy", ["cells", "inside", "close", "off"]].tolist() == [8, 6, 0, 2]


def test_halves_that_say_different_things_are_seen():
    found = lost_jobs.across(tried(lambda value, _, odd: -5 * abs(value - (1 if odd else 3))), FOLDS[:2])
    assert found.best.tolist() == [1, 3]
    assert found.inside.tolist() == [0, 0]


def test_a_setting_from_which_nothing_follows_has_the_whole_range():
    found = lost_jobs.across(tried(lambda value, *_: 0.01 * value), FOLDS)
    assert found[["low", "high"]].to_numpy().tolist() == [[1, 3]] * 4


def test_the_halves_are_all_there_is_and_have_nothing_in_common():
    table = tried(lambda *_: 0)
    odd, even, easy, conservative = (lost_jobs.in_fold(table, fold) for fold in FOLDS)
    assert (odd ^ even).all() and (easy ^ conservative).all()
    assert set(table.index[odd].unique("month")) == {"1996-01", "1996-03"}
    assert set(table.index[easy].unique("scheduler")) == {"easy"}


# False cures


@pytest.mark.parametrize("by_month", [True, False])
def test_lost_jobs_may_be_spread_out_as_many_and_with_numbers_that_no_job_has(trace, by_month):
    log = trace.lost.log.log
    edges = trace.month_edges[1] if by_month else log.submit.agg(["min", "max"]).to_numpy()
    gaps = trace.lost.known_gaps
    gaps = pd.concat([gaps.assign(jobs=40), gaps.assign(user=9, jobs=60), gaps.assign(jobs=5, earliest=0, latest=9)])
    lost = replace(trace.lost, gaps=gaps)
    found = lost_jobs.spread_out(replace(trace, lost=lost), edges)
    assert found.groupby("user").jobs.sum().to_dict() == {7: 45, 9: 60}
    assert len(found) == (3 if by_month else 2)
    numbers = np.concatenate([np.arange(row["first"], row["last"] + 1) for _, row in found.iterrows()])
    assert len(numbers) == len(set(numbers)) == 105 and not set(numbers) & set(log.job)
    made = replace(lost, gaps=found).whole(1)
    back = made.jobs[~made.jobs.index.isin(log.job)]
    assert made.jobs.index.is_unique and made.jobs.submit.is_monotonic_increasing
    assert len(back) == 45  # of user 9 nothing is said
    august = back.submit.between(*trace.month_edges[1][1:3])
    assert august.sum() == 40 if by_month else 8 < august.sum() < 25


def test_as_many_jobs_come_to_a_log_that_lost_none_in_its_middle_as_they_came_elsewhere(trace):
    w = load("sample")
    whole = Trace("KTH", Workload(w.jobs, 128, "KTH-SP2", log=w.log.assign(app=1)))
    found = lost_jobs.uncalled(whole, lossy("status == 1", lines="app > 20").lost)
    made, log = found.whole(1), whole.workload.log
    back = made.jobs[~made.jobs.index.isin(log.job)]
    assert len(back) == 100 and made.jobs.index.is_unique and made.jobs.index.isin(log.job).sum() == len(log)
    assert back.app.min() > 20
    middle = (log.submit.min() + log.submit.max()) / 2
    assert abs(back.submit.min() - middle) < 86400
    spans = [gaps.latest.max() - gaps.earliest.min() for gaps in (trace.lost.known_gaps, found.known_gaps)]
    assert spans[0] == spans[1]


def test_cures_are_held_against_the_files_and_against_false_ones(trace, prints):
    prints(trace.drawn(99))
    exhibit = of_traces(lost_jobs.LostJobs, trace, replace(lossy(), trace="KTH", lost=None), shakes=5)
    cures = {name: exhibit._cures(each) for name, each in exhibit.by_name.items()}
    assert {name: list(of) for name, of in cures.items()} == {
        "CTC": [AS_FILED, PUT_BACK, IN_MONTH, ANYWHERE],
        "KTH": [AS_FILED, UNCALLED],
    }
    assert not cures["CTC"][AS_FILED].restored and not cures["KTH"][AS_FILED].restored
    assert all(each.restored for of in cures.values() for name, each in of.items() if name != AS_FILED)
    assert Counter(len(each.workloads(0)) for each in cures["CTC"].values() if each.restored) == {6000: 3}
    assert len(cures["KTH"][UNCALLED].workloads(0)) == 6000
    met = lost_jobs.met(cures["CTC"][PUT_BACK], PROGRAMS["easy"], "easy", **SHAKEN)
    assert met["cells"] == 6 and met["inside"] + met["close"] >= 5 and met["response_s"] < 0.05


def test_of_a_trace_of_two_years_the_one_that_lost_jobs_is_taken(trace):
    whole = replace(trace, lost=None)
    for pair in ((trace, whole), (whole, trace)):
        assert of_traces(lost_jobs.LostJobs, *pair).by_name["CTC"] is trace


# The findings


def counts(back):
    """Months of which the file lacks 100 of 1,000 jobs; with the lost ones back they have so many. Others lack none."""
    table = pd.DataFrame({"published": 1000, "ours": 900.0, "missing": 100, "median": back})
    return pd.concat([table, pd.DataFrame({"published": [1000] * 4, "ours": 500.0, "missing": 0, "median": 500.0})])


@pytest.mark.parametrize(
    "back, verdict",
    [([1000.0, 980, 1015], HOLDS), ([1000.0, 970, 1030], HOLDS_NOT), ([900.0] * 3, HOLDS_NOT)],
)
def test_missing_numbers_are_the_lost_jobs_where_the_median_month_is_met_with_them(back, verdict):
    found = lost_jobs._counted(counts(back))
    assert (found["id"], found["verdict"]) == ("OWN-07", verdict)
    assert found["numbers"]["before"] == 100


def cures(**gains):
    """Log likelihoods: the cure 20 above the file, in another's month 15, at any time 5; a whole log loses 9."""
    gains = {PUT_BACK: 20, IN_MONTH: 15, ANYWHERE: 5, UNCALLED: -9} | {
        {"put_back": PUT_BACK, "anywhere": ANYWHERE, "uncalled": UNCALLED}[name]: gain for name, gain in gains.items()
    }
    rows = {
        (trace, scheduler, cure): {
            "log_likelihood": -50 + gains.get(cure, 0),
            "response_s": 0.02,
            "bounded_slowdown": 0.1,
        }
        for scheduler in SCHEDULERS
        for trace, of in {
            "CTC": (AS_FILED, PUT_BACK, IN_MONTH, ANYWHERE),
            "Par": (AS_FILED, PUT_BACK, IN_MONTH, ANYWHERE),
            "KTH": (AS_FILED, UNCALLED),
        }.items()
        for cure in of
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["trace", "scheduler", "cure"])


@pytest.mark.parametrize(
    "gains, verdict",
    [
        ({}, HOLDS),
        ({"put_back": 2, "anywhere": -5}, HOLDS_NOT),  # hardly likelier than the file
        ({"anywhere": 20}, HOLDS_NOT),  # jobs at any time do as well
        ({"anywhere": 18}, HOLDS_NOT),
        ({"uncalled": 0}, HOLDS_NOT),  # jobs that were never lost do no harm
        ({"uncalled": 9}, HOLDS_NOT),
    ],
)
def test_a_cure_is_one_only_where_false_ones_do_not_do_as_well(gains, verdict):
    found = lost_jobs._cured(cures(**gains))
    assert (found["id"], found["verdict"]) == ("OWN-08", verdict)


def test_one_scheduler_that_denies_a_cure_is_enough():
    table = cures().sort_index()
    table.loc[("Par", "conservative", ANYWHERE), "log_likelihood"] = -30
    assert lost_jobs._cured(table)["verdict"] == HOLDS_NOT


def of_orders(best="28 31 30 31 31", **others):
    rows = {"31 30 31 31 28": (1800, -90, -80, True), "28 30 31 31 31": (600, -70, -60, False)}
    rows |= {"28 31 30 31 31": (700, -40, -50, False)} | {best: (100, -40, -50, False)}
    names = ["jobs_off_easy", "log_likelihood_easy", "log_likelihood_conservative", "calendar"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=names).assign(load_off_easy=0.1)
    table = table.assign(jobs_off_conservative=table.jobs_off_easy)
    table.loc[best, list(others)] = list(others.values())
    return table.sort_values("jobs_off_easy").rename_axis("days")


@pytest.mark.parametrize(
    "table, verdict",
    [
        (of_orders(), HOLDS),
        (of_orders("31 31 31 30 28"), HOLDS_NOT),  # another order fits better
        (of_orders(log_likelihood_conservative=-78), HOLDS_NOT),  # the means hardly say so
        (of_orders(log_likelihood_easy=-95), HOLDS_NOT),
    ],
)
def test_the_order_of_the_months_is_found_only_where_the_means_agree(table, verdict):
    found = lost_jobs._months(table)
    assert (found["id"], found["verdict"]) == ("OWN-09", verdict)


def test_without_the_logs_nothing_is_found():
    alone = [lost_jobs._counted(pd.DataFrame(columns=["published"])), lost_jobs._months(None)]
    alone += [lost_jobs._cured(cures().drop(trace, level="trace")) for trace in ("CTC", "Par", "KTH")]
    assert {one["verdict"] for one in alone} == {UNTESTED}


def test_an_exhibit_of_logs_that_lost_nothing_has_parts_and_finds_nothing():
    exhibit = of_traces(lost_jobs.LostJobs, replace(lossy(), trace="KTH", lost=None), shakes=2)
    assert verdict_by_id(exhibit.judge()) == dict.fromkeys(lost_jobs.IDS, UNTESTED)
    for part in exhibit.parts().values():
        assert part.draw is None
        assert part.table.empty


# The pictures


def test_the_counts_are_drawn_a_panel_a_trace():
    table = pd.concat({"CTC": counts([1000.0] * 3), "Par": counts([990.0] * 3)}, names=["trace", "month"])
    table = table.set_axis(pd.MultiIndex.from_product([["CTC", "Par"], list("1234567")], names=table.index.names))
    figure = lost_jobs.counts(table.assign(short=table.published - table.ours))
    assert [ax.get_title() for ax in figure.axes] == ["CTC", "Par"]
    assert [bar.get_height() for bar in figure.axes[0].patches] == [100] * 3 + [0] * 4
    short, left = (line.get_ydata().tolist() for line in figure.axes[1].lines[:2])
    assert short == [100] * 3 + [500] * 4 and left == [10] * 3 + [500] * 4


def test_run_times_are_drawn_a_line_each_half_that_is_highest_at_its_best():
    figure = lost_jobs.run_times(tried(lambda value, *_: -5 * abs(value - 2)), FOLDS)
    (ax,) = figure.axes
    assert [line.get_ydata().max() for line in ax.lines] == [0] * 4
    assert {line.get_xdata()[line.get_ydata().argmax()] for line in ax.lines} == {2}
    assert [text.get_text() for text in ax.get_legend().texts] == ["odd months", "even months", "EASY", "conservative"]


def test_orders_are_drawn_the_best_first_with_the_calendar_marked():
    left, right = lost_jobs.draw_orders(of_orders()).axes
    assert [label.get_text() for label in left.get_yticklabels()] == [
        "28 31 30 31 31",
        "28 30 31 31 31",
        "31 30 31 31 28, the calendar",
    ]
    assert left.yaxis_inverted() and len(left.lines) == len(right.lines) == 2


def test_cures_are_drawn_with_marks_of_their_own():
    figure = lost_jobs.cures(cures())
    assert len(figure.axes) == len(METRICS)
    marks = {(line.get_marker(), line.get_color()) for line in figure.axes[0].lines}
    assert len(marks) == 5 and len(figure.axes[0].lines) == 2 * (4 + 4 + 2)
    assert texts(figure.legends[0]) == [AS_FILED, PUT_BACK, IN_MONTH, ANYWHERE, UNCALLED]


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
