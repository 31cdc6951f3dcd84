"""The lost jobs and what is left of Table 1: months' lengths, false cures, findings, reasons; and their notebooks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from as_in_study import executed
from helpers import lossy, random_workload, table, texts, trace_logs, verdict_by_id

from simlib import EASY, Conservative, Workload, load, simulate
from simlib._util import paths
from simlib.study import mualem2001, verdicts
from simlib.study.claims import HOLDS, OPEN, UNTESTED
from simlib.study.investigations import lost_jobs, unexplained
from simlib.study.investigations.lost_jobs import (
    ANYWHERE,
    AS_FILED,
    IN_MONTH,
    NEXT_MONTH,
    OTHERS,
    PUT_BACK,
    UNCALLED,
)
from simlib.study.investigations.unexplained import MONTH
from simlib.study.mualem2001 import METRICS, Trace
from simlib.study.verdicts import CLOSE, LIKELY, OFF, RESTORED, SCHEDULERS

PROGRAMS = {"easy": EASY(reuse_extra=True), "conservative": Conservative(compress="start")}
FOLDS = ["odd months", "even months", *SCHEDULERS]
FIRST = ["1994-10", "1994-11", "1994-12", "1995-01", "1995-02"]


@pytest.fixture(scope="module")
def trace():
    return lossy()


@pytest.fixture(scope="module")
def shaken(trace):
    return {"shakes": 5, "measures": trace_logs(trace).monthly}


@pytest.fixture
def prints(monkeypatch):
    """A function that has a trace's own numbers be what Table 1 prints."""

    def set_to(trace):
        found = {name: trace.by_month(simulate(trace.workload, policy)) for name, policy in PROGRAMS.items()}
        of_easy = found["easy"][["jobs", "utilization"]].rename(columns={"utilization": "load"})
        means = {f"{name}_{m}": of[column] for name, of in found.items() for m, column in METRICS.items()}
        of_print = of_easy.assign(trace=trace.trace, **means)
        monkeypatch.setattr(lost_jobs, "published", lambda name: of_print.reset_index())
        monkeypatch.setattr(lost_jobs, "printed", lambda trace: of_print)
        return of_print

    return set_to


# When


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
    found = lost_jobs.orders(trace, PROGRAMS, (30, 31, 31), shakes=5)
    assert list(found.index)[0] == "30 31 31" and sorted(found.index) == ["30 31 31", "31 30 31", "31 31 30"]
    assert found.index[found.calendar].tolist() == ["31 31 30"]
    for scheduler in SCHEDULERS:
        assert found[f"jobs_off_{scheduler}"].idxmin() == found[f"log_likelihood_{scheduler}"].idxmax() == "30 31 31"
        assert found[f"load_off_{scheduler}"].idxmin() == "30 31 31"
        assert found[f"jobs_off_{scheduler}"].iloc[0] < 5 < found[f"jobs_off_{scheduler}"].iloc[1]


def test_what_a_month_lacks_stands_beside_the_numbers_that_are_missing_in_it(trace, prints, shaken):
    of_print = prints(trace.drawn(0))
    gaps = trace.lost.known_gaps
    strangers = replace(trace.lost, gaps=pd.concat([gaps, gaps.assign(user=9, jobs=7)]))  # of whom nothing is known
    found = lost_jobs.counted({"CTC": replace(trace, lost=strangers)}, PROGRAMS["easy"], **shaken).loc["CTC"]
    assert found.published.tolist() == of_print.jobs.tolist()
    assert found.missing.to_dict() == {"1996-07": 0, "1996-08": 100, "1996-09": 0}
    assert (found.short - found.missing).abs().max() <= 3
    assert (found.published - found["median"]).abs().max() <= 3
    assert (found.low <= found["median"]).all() and (found["median"] <= found.high).all()


# What they were like


def test_the_setting_that_made_the_printed_numbers_is_found_by_either_scheduler(trace, prints, shaken):
    setting = trace, 7, "run", {run: run for run in (60, 10000, 30000)}
    prints(replace(trace, lost=trace.lost.with_setting(7, "run", 10000)).drawn(99))
    found = lost_jobs.tried(*setting, PROGRAMS, **shaken)
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


# The nights of the batch


def nightly(*nights, jobs=4):
    """A log whose user 5 has a batch on some nights: run times of all its jobs, how many are lost, a standstill."""
    rows, number, clock = [], 0, 0
    for night, (runs, lost, still) in enumerate(nights):
        clock = (night + 1) * 86400
        free = clock + 5
        for place, run in enumerate(runs):
            submit, number = clock + 20 * place, number + 1
            begin = max(free, submit)
            begin += still if place == lost else 0
            free = begin + run
            if place >= lost:
                rows.append((number, submit, begin - submit, run, 1, 5, 19, 1))
        if still:  # another user's job runs all the time but then
            before, after = clock, begin + sum(runs)
            stop = rows[-len(runs) + lost][1] + rows[-len(runs) + lost][2] - still
            rows += [
                (number + 1, before, 0, stop - before, 1, 6, 1, 1),
                (number + 2, stop + still, 0, after, 1, 6, 1, 1),
            ]
            number += 2
    names = ["job", "submit", "wait", "run", "procs", "user", "queue", "status"]
    log = pd.DataFrame(rows, columns=names).sort_values("submit").set_index("job", drop=False)
    start = pd.Timestamp("1996-01-01", tz="UTC")
    w = Workload(load("sample").jobs, 128, "batch", log=log, start=start)
    return replace(lossy(), lost=replace(lossy().lost, log=w))


@pytest.mark.parametrize("lost, still", [(0, 0), (2, 0), (3, 0), (2, 5000)])
def test_a_nights_mean_run_time_is_known_from_its_last_jobs_too(monkeypatch, lost, still):
    monkeypatch.setattr(lost_jobs, "A_NIGHT", 6)
    runs = [5000, 500, 4000, 60, 700, 90]
    found = lost_jobs.nights(nightly((runs, lost, still)))
    assert found.run_s.tolist() == pytest.approx([sum(runs) / 6], abs=2)
    assert found.left.tolist() == [6 - lost] and found.standstill_s.tolist() == [still]


def test_a_night_whose_last_jobs_never_came_tells_nothing(monkeypatch):
    monkeypatch.setattr(lost_jobs, "A_NIGHT", 6)
    found = lost_jobs.nights(nightly(([100] * 6, 0, 0), ([900] * 3, 0, 0)))
    assert found.index.tolist() == ["1996-01-02"] and lost_jobs.nights(None).empty


@pytest.mark.slow
def test_the_nights_that_are_left_are_those_that_the_settings_have(log):
    log("SDSC-Par-96", "cleaned")
    trace = next(trace for trace in mualem2001.traces(["Par"])[0] if trace.lost)
    user = next(one for one in trace.lost.users if one["user"] == 5)
    assert lost_jobs.nights(trace).run_s.round().tolist() == user["run"]["mean"]


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


def test_lost_jobs_may_come_in_the_next_month_after_the_last_one_in_the_first(trace):
    edges = trace.month_edges[1]
    gaps = trace.lost.known_gaps
    of_september = gaps.assign(earliest=edges[2] + 5, latest=edges[2] + 9)
    for lost, month in ((gaps, 2), (of_september, 0)):
        found = lost_jobs.spread_out(replace(trace, lost=replace(trace.lost, gaps=lost)), edges, later=1)
        assert found[["earliest", "latest"]].to_numpy().tolist() == [edges[month : month + 2].tolist()]
        assert found.jobs.sum() == 100


def test_lost_jobs_may_have_the_run_times_of_other_users_and_else_stay_as_they_were(trace):
    log = trace.lost.log.log
    made = lost_jobs.with_others_run_times(trace.lost).whole(1)
    back = made.jobs[~made.jobs.index.isin(log.job)]
    assert set(back.run) <= set(log.run[log.user != 7]) and back.run.nunique() > 20
    assert (back.procs == 2).all() and len(back) == 100


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
    kth = replace(lossy(), trace="KTH", lost=None)
    traces = {"CTC": trace, "KTH": kth}
    cured = {name: lost_jobs._cures(each, traces["CTC"]) for name, each in traces.items()}
    assert {name: list(of) for name, of in cured.items()} == {
        "CTC": [AS_FILED, PUT_BACK, IN_MONTH, ANYWHERE, NEXT_MONTH, OTHERS],
        "KTH": [AS_FILED, UNCALLED],
    }
    assert all(each.restored == (name != AS_FILED) for of in cured.values() for name, each in of.items())
    assert {len(each.workloads(0)) for of in cured.values() for each in of.values() if each.restored} == {6000}
    found = lost_jobs.cures({"CTC": trace}, PROGRAMS, shakes=5, measures=trace_logs(trace).monthly)
    back = found.loc["CTC", "easy", PUT_BACK]
    assert back.cells == 6 and back.inside + back.close >= 5 and back.response_s < 0.05


# The findings


def counts(back):
    """Months of which the file lacks 100 of 1,000 jobs; with the lost ones back they have so many. Others lack none."""
    table = pd.DataFrame({"published": 1000, "ours": 900.0, "missing": 100, "median": back})
    return pd.concat([table, pd.DataFrame({"published": [1000] * 4, "ours": 500.0, "missing": 0, "median": 500.0})])


@pytest.mark.parametrize(
    "back, holds", [([1000.0, 980, 1015], True), ([1000.0, 970, 1030], False), ([900.0] * 3, False)]
)
def test_missing_numbers_are_the_lost_jobs_where_the_median_month_is_met_with_them(back, holds):
    found = lost_jobs.counts_are_met(counts(back), {"CTC": lossy()})
    assert found[0] == holds and (found[2]["before"], found[2]["ctc"]) == (100, 100)


def cures(**gains):
    """Log likelihoods: the cure 20 above the file, in its month 15, at any time 5; a whole log loses 9."""
    names = {"put_back": PUT_BACK, "anywhere": ANYWHERE, "next_month": NEXT_MONTH, "others": OTHERS}
    gains = {PUT_BACK: 20, IN_MONTH: 15, ANYWHERE: 5, NEXT_MONTH: 10, OTHERS: 2, UNCALLED: -9} | {
        (names | {"uncalled": UNCALLED})[name]: gain for name, gain in gains.items()
    }
    rows = {
        (trace, scheduler, cure): {
            "log_likelihood": -50 + gains.get(cure, 0),
            "response_s": 0.02,
            "bounded_slowdown": 0.1,
        }
        for scheduler in SCHEDULERS
        for trace, of in {
            "CTC": (AS_FILED, PUT_BACK, IN_MONTH, ANYWHERE, NEXT_MONTH, OTHERS),
            "Par": (AS_FILED, PUT_BACK, IN_MONTH, ANYWHERE, NEXT_MONTH, OTHERS),
            "KTH": (AS_FILED, UNCALLED),
        }.items()
        for cure in of
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["trace", "scheduler", "cure"])


@pytest.mark.parametrize(
    "gains, holds",
    [
        ({}, True),
        ({"put_back": 2, "anywhere": -5}, False),  # hardly likelier than the file
        ({"anywhere": 20}, False),  # jobs at any time do as well
        ({"anywhere": 18}, False),
        ({"next_month": 18}, False),
        ({"others": 18}, False),
        ({"uncalled": 0}, False),  # jobs that were never lost do no harm
        ({"uncalled": 9}, False),
    ],
)
def test_a_cure_is_one_only_where_false_ones_do_not_do_as_well(gains, holds):
    assert lost_jobs.cured(cures(**gains))[0] == holds


def test_the_shares_of_the_gain_that_false_cures_bring_are_told():
    numbers = lost_jobs.cured(cures())[2]
    assert {name: numbers[name] for name in ("any_time", "next_month", "others")} == {
        "any_time": 5 / 20,
        "next_month": 10 / 20,
        "others": 2 / 20,
    }


def test_one_scheduler_that_denies_a_cure_is_enough():
    table = cures().sort_index()
    table.loc[("Par", "conservative", ANYWHERE), "log_likelihood"] = -30
    assert not lost_jobs.cured(table)[0]


@pytest.mark.parametrize("back, holds", [(398, True), (360, OPEN), (300, False)])
def test_bands_hold_the_truth_where_the_interval_of_the_share_says_so(back, holds):
    table = pd.DataFrame({"missing": [0.1], "cells": [400], "thinned": [200], "back": [back], "whole": [390]})
    found = lost_jobs.bands_hold(table)
    assert found[0] == holds and found[2]["share"] == back / 400
    assert lost_jobs.bands_hold(table[:0])[0] is None


def test_of_a_log_of_known_truth_jobs_are_taken_out_and_come_back_in_number_and_time():
    w = load("sample")
    start = pd.Timestamp("1996-07-01", tz="US/Eastern")
    whole = Trace("KTH", Workload(w.jobs, 128, "KTH-SP2", log=w.log, start=start), ("1996-07", "1996-09"))
    found = lost_jobs.thinned(whole)
    assert {name.split(", ")[1] for name in found} == {"hour", "five days"} and lost_jobs.thinned(None) == {}
    for one in found.values():
        lacking = w.log[~w.log.job.isin(one.workload.log.job)]
        gaps, back = one.lost.known_gaps, one.lost.whole(1)
        assert gaps.jobs.sum() == len(lacking) == len(back) - len(one.workload) and lacking.user.nunique() == 1
        made = back.jobs[~back.jobs.index.isin(one.workload.log.job)].submit.to_numpy()
        assert np.abs(np.sort(made) - np.sort(lacking.submit)).max() < 5 * 86400


def of_orders(best="28 31 30 31 31", **others):
    rows = {"31 30 31 31 28": (1800, -90, -80, True), "28 30 31 31 31": (600, -70, -60, False)}
    rows |= {"28 31 30 31 31": (700, -40, -50, False)} | {best: (100, -40, -50, False)}
    names = ["jobs_off_easy", "log_likelihood_easy", "log_likelihood_conservative", "calendar"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=names).assign(load_off_easy=0.1)
    table = table.assign(jobs_off_conservative=table.jobs_off_easy)
    table.loc[best, list(others)] = list(others.values())
    return table.sort_values("jobs_off_easy").rename_axis("days")


@pytest.mark.parametrize(
    "table, holds",
    [
        (of_orders(), True),
        (of_orders("31 31 31 30 28"), False),  # another order fits better
        (of_orders(log_likelihood_conservative=-78), False),  # the means hardly say so
        (of_orders(log_likelihood_easy=-95), False),
    ],
)
def test_the_order_of_the_months_is_found_only_where_the_means_agree(table, holds):
    assert lost_jobs.order_of_months(table)[0] == holds


def test_without_the_logs_nothing_is_found():
    alone = [lost_jobs.counts_are_met(pd.DataFrame(columns=["published"]), {}), lost_jobs.order_of_months(None)]
    alone += [lost_jobs.cured(cures().drop(trace, level="trace")) for trace in ("CTC", "Par", "KTH")]
    assert [one[0] for one in alone] == [None] * 5


# The notebook of the lost jobs


@pytest.mark.thorough
def test_the_notebook_has_the_cures_of_a_log_that_lost_jobs_and_of_one_program_if_the_other_is_taken_out(root, trace):
    w = load("sample")
    start = pd.Timestamp("1996-10-01", tz="Europe/Stockholm")
    kth = Workload(w.jobs, 128, "KTH-SP2", log=w.log, start=start)
    logs = trace_logs(trace, Trace("KTH", kth, ("1996-10", "1996-11")))
    given = {"logs": logs, "by_month": lambda how: how | {"measures": logs.monthly}}
    alone = {', "conservative": Conservative(compress="start")}': "}"}
    made = executed("mualem2001/lost-jobs", alone, given, logs=["CTC", "KTH"], shakes=3, control_shakes=2)
    assert list(made["cures"].index.unique("scheduler")) == ["easy"]
    cures = {AS_FILED, PUT_BACK, IN_MONTH, ANYWHERE, NEXT_MONTH, OTHERS}
    shown = {text.get_text() for ax in made["picture_of_cures"].axes for text in ax.get_yticklabels()}
    assert shown >= cures, "a row for each cure"
    assert {"KTH", "CTC"} <= {ax.get_ylabel().split(",")[0] for ax in made["picture_of_cures"].axes}
    assert [ax.get_title("left") for ax in made["picture"].axes] == ["CTC"]
    assert list(made["counts"].loc["CTC"].missing) == [0, 100, 0]
    assert made["inferred"].index.unique("trace").empty  # one scheduler has no other to be judged by
    assert verdict_by_id(made["found"])["OWN-08"] == UNTESTED
    assert len(list(root.rglob("mualem2001_lost-jobs*.json"))) == 9


@pytest.mark.thorough
def test_the_notebook_of_the_lost_jobs_comes_to_its_end_where_none_are_lost(small_logs):
    made = executed("mualem2001/lost-jobs", shakes=2, control_shakes=2)
    assert made["counts"].empty and made["cures"].empty and made["picture_of_cures"] is None
    found = verdict_by_id(made["found"])
    assert found.pop("OWN-09") != HOLDS and found.pop("OWN-51") != HOLDS and set(found.values()) == {UNTESTED}
    assert made["orders"].jobs_off_easy.idxmin() == made["orders"].index[0]


# Which months are left, and how far off


def made_up(name="KTH", month="1997-03", jobs=500):
    """A trace whose jobs, numbered from 0, come and end in one month of the paper, in which nothing is as printed."""
    rows = random_workload(1, jobs=jobs).jobs.assign(submit=lambda of: of.submit * 100, run=lambda of: of.run * 60)
    rows = rows.assign(estimate=rows.estimate * 60)[["submit", "run", "estimate", "procs"]].to_numpy()
    start = pd.Timestamp(f"{month}-02", tz="Europe/Stockholm")
    return mualem2001.Trace(name, table(rows, 64, start=start), (month, month))


def of_table1(*rows):
    """Numbers of Table 1 with ours and their verdicts, as from `study.judge`: metric, rule, median, verdict."""
    index = [("KTH", "1997-03", "easy", metric, rule) for metric, rule, *_ in rows]
    index = pd.MultiIndex.from_tuples(index, names=[*MONTH, "metric", "rule"])
    table = pd.DataFrame([row[2:] for row in rows], index, ["median", "verdict"])
    return table.assign(published=100.0)


def test_a_printed_mean_is_judged_on_the_restored_log_and_where_that_is_none_on_the_file():
    rows = [("response_s", LIKELY, 90, OFF), ("response_s", RESTORED, 98, CLOSE)]
    rows += [("bounded_slowdown", LIKELY, 80, OFF), ("bounded_slowdown", RESTORED, 100, "inferred from")]
    rows += [("load", LIKELY, 90, OFF), ("wait_s", LIKELY, 90, None)]
    found = unexplained.judged(of_table1(*rows))
    assert found["median"].to_list() == [98, 80] and found.verdict.to_list() == [CLOSE, OFF]


def test_a_month_is_left_if_it_is_off_in_all_runs_or_in_those_of_table_1():
    places = [("KTH", month, "easy", "response_s") for month in ("1997-01", "1997-02", "1997-03")]
    verdicts = {"verdict": [OFF, CLOSE, CLOSE], "verdict_in_table1": [CLOSE, OFF, CLOSE]}
    found = unexplained.off_months(pd.DataFrame(verdicts, pd.MultiIndex.from_tuples(places)))
    assert found == [place[:3] for place in places[:2]]


# Forks


def test_only_runs_that_are_close_in_both_metrics_are_near():
    runs = pd.DataFrame({"response_s": [104, 104, 106, 95], "bounded_slowdown": [10.9, 11.1, 10, 9.0]})
    assert unexplained.near(runs, {"response_s": 100, "bounded_slowdown": 10}).tolist() == [True, False, False, True]


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
    whole, first, second, others = unexplained.branches(trace, EASY()).values()
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
    for trace in (None, made_up(), made_up("SDSC", "1999-12")):
        found = [each(trace, EASY()) for each in (unexplained.branches, unexplained.swaps, unexplained.uncompleted)]
        assert [*found, unexplained.winter(trace, EASY())] == [{}] * 4
    assert unexplained.fork_runs({("KTH", "1997-03", "easy"): {}}).empty


@pytest.mark.slow
def test_on_kths_log_four_jobs_lead_to_the_printed_branch_and_no_others_do(log):
    log("KTH-SP2")
    (trace,), _ = mualem2001.traces(["KTH"])
    variants = {("KTH", "1997-03", "conservative"): unexplained.branches(trace, PROGRAMS["conservative"])}
    both = unexplained.summed_up(unexplained.fork_runs(variants)).both.xs("KTH 1997-03 conservative")
    assert both.filter(regex="^without job").to_list() == [1, 1, 1, 1]
    assert both["the log as it is"] == both["without one of 20 other jobs"] == 0


# Reasons

RECORD = paths.ROOT / "figures" / "mualem2001_what-is-left.csv"


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


# The notebook of what is left

FEW = {"shakes": 4, "wide_shakes": 3, "fork_shakes": 3, "logs": ["KTH"]}


@pytest.mark.slow
def test_the_notebook_lists_the_months_that_are_off_and_a_third_way_of_shaking_if_one_is_added(root):
    """A month in which nothing is as printed."""
    way = "wide_s: by_an_hour, 600: of_months(simulate(whole, shakes=3, seconds=600), places)}"
    made = executed("mualem2001/what-is-left", {"wide_s: by_an_hour}": way}, {"logs": trace_logs(made_up())}, **FEW)
    off, runs = made["off"], made["by_a_minute"]["KTH", "1997-03", "easy"]
    row = off.loc["KTH", "1997-03", "easy"]
    assert row.response_s_printed == 18333 and row.response_s_median == runs.response_s.median()
    assert row.response_s_verdict == OFF and row.both == row.wide_both == 0
    assert row.response_s_rank == (runs.response_s < 18333).mean()
    why = verdicts.published("mualem2001_leftovers").set_index(MONTH).why
    assert off.why.to_list() == [why["KTH", "1997-03", each] for each in SCHEDULERS]
    spread = made["spread"].xs(("easy", "response_s"), level=("scheduler", "metric")).droplevel(MONTH[:2])
    assert spread.index.to_list() == [60, 3600, 600] and not np.isclose(spread.low[60], spread.low[3600])
    labels = [text.get_text() for text in made["picture"].axes[0].get_yticklabels()]
    assert labels == ["KTH 1997-03 EASY", "KTH 1997-03 conservative"]
    assert "shaken by ±600 s" in texts(made["picture"].legends[0])
    ties = made["summed_up"].loc["KTH 1997-03 conservative"]
    assert list(ties.index) == ["shaken", "shaken, of equal starts the latest first"]
    assert len(list(root.rglob("mualem2001_what-is-left*.csv"))) == 4


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KTH", "CTC", "SDSC", "Par", "CM5"])
def test_on_each_log_exactly_the_months_that_are_off_have_a_reason(log, root, name):
    for setting in mualem2001.settings():
        if setting["trace"] == name and setting["log"] != "SDSC-Par-95":  # of which nobody has a file
            log(setting["log"])
    made = executed("mualem2001/what-is-left", until="def of_months", logs=[name])
    assert set(made["places"]) == {place for place in written() if place[0] == name}
