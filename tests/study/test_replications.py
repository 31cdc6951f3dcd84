"""Replications of a trace are made once, and are what `shake` gives; lost jobs are drawn anew for each of them."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from helpers import first_days, lossy, means, of_traces, past

from simlib import EASY, Conservative, simulate
from simlib.analysis import cache
from simlib.analysis.replicate import replicate
from simlib.core.estimates import Uniform
from simlib.policies.walltime import Adjustment, Scheme
from simlib.study import mualem2001
from simlib.study.mualem2001 import (
    METRICS,
    WHOLE,
    Trace,
    on_traces,
    policies,
    restored,
    table1,
    tables3_4,
)
from simlib.study.mualem2001.restored import POOL
from simlib.study.results import AS_IT_IS
from simlib.study.verdicts import CALENDAR, CLOSE, INFERRED, INSIDE, LIKELY, OFF, OTHER_LOG, RESTORED, TEXT


@pytest.fixture(scope="module")
def kth():
    return Trace("KTH", first_days(20))


@pytest.fixture
def simulated(monkeypatch, tmp_path):
    """An empty place for runs, and a list that grows by the seed of each shaken one that is simulated."""
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    found = []
    note = found.extend  # what the list holds must not tell one run's function from another's

    def counting(workload, policy, *, shakes, seed, **more):
        note(range(seed, seed + shakes))
        return replicate(workload, policy, shakes=shakes, seed=seed, **more)

    monkeypatch.setattr(on_traces, "replicate", counting)
    return found


def shaken(kth, policy, shakes, **settings):
    """The replications that are not the workload as it is."""
    return on_traces.replications(kth, policy, shakes, as_it_is=False, **settings)


def of_all_jobs(found):
    """The means of each replication, as `means` gives them."""
    return on_traces.means(found, METRICS).unstack("metric")[list(METRICS)].to_dict("records")


def test_replications_are_the_workload_as_it_is_and_shaken(kth, simulated):
    found = on_traces.replications(kth, EASY(), 25, shake_s=30, seed=7)
    settings = {"shakes": 25, "seconds": 30, "seed": 7, "as_it_is": False}
    expected = replicate(kth.workload, EASY(), measures=kth.by_month_and_whole, **settings)
    expected = expected.rename(columns=on_traces.QUANTITIES, level=1).set_axis(range(1, 26))
    wide = found.unstack(["month", "metric"]).drop(index=AS_IT_IS)
    assert set(wide.columns.unique("metric")) == set(on_traces.QUANTITIES.values())
    assert wide.to_numpy().tolist() == expected[list(wide.columns)].to_numpy().tolist()
    seeds = {AS_IT_IS: None, 1: 7, 2: 8}
    assert of_all_jobs(found.loc[:2]) == [means(kth.workload, EASY(), shake_s=30, seed=seed) for seed in seeds.values()]


def test_what_was_simulated_once_is_not_simulated_again(kth, simulated):
    first = shaken(kth, EASY(), 40)
    assert simulated == list(range(40))
    pd.testing.assert_series_equal(shaken(kth, EASY(), 20), first.loc[:20], check_exact=True)
    pd.testing.assert_series_equal(shaken(kth, EASY(), 60).loc[:40], first, check_exact=True)
    assert simulated == list(range(60))


def test_the_months_of_both_calendars_are_measured_in_the_same_runs(kth, simulated):
    moved = replace(kth, months_begin=8.0)
    settled, calendar = (shaken(one, EASY(), 2) for one in (moved, moved.under(CALENDAR)))
    assert simulated == [0, 1]
    assert of_all_jobs(settled) == of_all_jobs(calendar)
    assert not settled.equals(calendar)
    pd.testing.assert_series_equal(calendar, shaken(kth, EASY(), 2), check_exact=True)
    assert simulated == [0, 1, 0, 1]


OTHER_RUNS = {
    "policy": lambda kth: shaken(kth, EASY(reuse_extra=True), 1),
    "estimates": lambda kth: shaken(replace(kth, workload=kth.workload.with_estimates("exact")), EASY(), 1),
    "jobs": lambda kth: shaken(replace(kth, workload=kth.workload.select("procs > 1")), EASY(), 1),
    "months": lambda kth: shaken(replace(kth, months_begin=8.0), EASY(), 1),
    "shaking": lambda kth: shaken(kth, EASY(), 1, shake_s=59),
    "seed": lambda kth: shaken(kth, EASY(), 1, seed=1),
    "overruns": lambda kth: shaken(kth, EASY(), 1, overrun="kill"),
}


@pytest.mark.parametrize("change", OTHER_RUNS.values(), ids=OTHER_RUNS)
def test_whatever_is_different_is_simulated(kth, simulated, change):
    shaken(kth, EASY(), 1)
    change(kth)
    assert len(simulated) == 2


def test_each_run_may_have_its_own_made_up_estimates(kth, simulated):
    def drawn(model):
        return of_all_jobs(shaken(kth, EASY(), 3, estimates=model))

    found = drawn(partial(Uniform, 11))
    assert found == [means(kth.workload, EASY(), estimates=Uniform(11, seed), seed=seed) for seed in range(3)]
    assert drawn(partial(Uniform, 2)) != found
    assert drawn(lambda seed: "exact") != found
    assert drawn(partial(Uniform, 11)) == found
    assert simulated == [*range(3)] * 3


def test_policies_and_estimates_that_look_alike_are_told_apart(kth, simulated):
    one, other = (EASY(adjust=Adjustment(Scheme("user"), past=past(end))) for end in (1, 2))
    assert repr(one) == repr(other)
    shaken(kth, one, 1)
    shaken(kth, other, 1)
    assert simulated == [0, 0]

    def from_the_second_run_on(seed):
        return Uniform(11, max(seed - 1, 0))

    shaken(kth, EASY(), 2, estimates=partial(Uniform, 11))
    shaken(kth, EASY(), 2, estimates=from_the_second_run_on)  # the first run's estimates are equal
    assert simulated == [0, 0, 0, 1, 0, 1]


def test_the_users_of_the_jobs_count_too(kth, simulated):
    w = kth.workload
    strangers = replace(kth, workload=w.derive(w.jobs.assign(user=range(len(w))), "each by a user of its own"))
    for each in (kth, strangers):
        shaken(each, EASY(adjust=Adjustment(Scheme("user"))), 1)
    assert simulated == [0, 0]


def test_another_state_of_the_library_makes_all_anew(kth, simulated, monkeypatch):
    shaken(kth, EASY(), 1)
    monkeypatch.setattr(cache, "library", lambda: ("2.0", "other"))
    shaken(kth, EASY(), 1)
    assert simulated == [0, 0]


def test_the_last_row_has_the_means_over_all_jobs(kth):
    schedule = simulate(kth.workload, Conservative())
    table = kth.by_month_and_whole(schedule)
    assert table.drop(index=WHOLE).equals(kth.by_month(schedule).astype(float))
    assert table.loc[WHOLE].tolist() == schedule.summary(floor=None)[table.columns].tolist()


def test_the_tables_share_their_runs(kth, simulated):
    few = {"rules": (TEXT,), "shakes": 2}
    found = of_traces(tables3_4.Table4, kth, **few).results
    assert len(of_traces(tables3_4.Table3, kth, factors=(1,), **few).results) == 2 * 2 * 3 * 2
    assert len(simulated) == (2 + 1) * 2 * 2  # scaled, exact, and the log's own once; two schedulers, two shakes
    levels = {"quantity": "original", "trace": "KTH", "scheduler": "conservative", "rule": TEXT, "replication": 2}
    again = means(kth.workload, Conservative(), seed=1)
    assert found.xs(tuple(levels.values()), level=tuple(levels))[list(again)].to_dict() == again


# Restored logs


def test_each_replication_of_a_restored_trace_is_another_draw_and_their_median_stands_for_the_log(simulated):
    kth = lossy().under(RESTORED)
    found = on_traces.replications(kth, EASY(), 3, seed=4).unstack(["month", "metric"])
    runs = found.drop(index=AS_IT_IS)
    assert found.loc[AS_IT_IS].tolist() == runs.median().tolist()
    for number, seed in zip(runs.index, (4, 5, 6), strict=True):
        of_draw = means(kth.lost.whole(seed), EASY(), seed=seed)
        assert runs.loc[number, WHOLE][list(of_draw)].to_dict() == pytest.approx(of_draw, rel=1e-12)
    assert runs["1996-08"].jobs.tolist() == [runs["1996-08"].jobs.iloc[0]] * 3
    assert simulated == [4, 5, 6]


def test_draws_differ_even_where_nothing_is_shaken(simulated):
    found = shaken(lossy().under(RESTORED), EASY(), 3, shake_s=0).xs((WHOLE, "response_s"), level=("month", "metric"))
    assert found.nunique() == 3
    as_filed = shaken(lossy(), EASY(), 3, shake_s=0).xs((WHOLE, "response_s"), level=("month", "metric"))
    assert as_filed.nunique() == 1


def test_restored_traces_share_no_runs_with_the_file_nor_with_other_settings(simulated):
    kth = lossy()
    other = replace(kth, lost=kth.lost.with_setting(7, "run", 61))
    for each in (kth, other, kth.under(RESTORED), other.under(RESTORED), lossy().under(RESTORED)):
        shaken(each, EASY(), 1)
    assert simulated == [0, 0, 0]  # as filed both are one; a restored one made again is the same


def test_a_trace_that_lost_nothing_is_the_same_under_the_likely_program_and_restored(kth, simulated):
    found = on_traces.of_rules(kth, policies([LIKELY, RESTORED]), dict.fromkeys((LIKELY, RESTORED), 2))
    likely, restored = (found.xs(rule, level="rule") for rule in (LIKELY, RESTORED))
    pd.testing.assert_series_equal(likely, restored, check_exact=True)
    assert simulated == [0, 1] * 2  # once by each scheduler


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:40] + b"x" + data[41:], lambda data: b""]
)
def test_a_damaged_file_of_the_cache_is_made_anew(kth, simulated, damage):
    first = shaken(kth, EASY(), 1)
    (path,) = cache.FOLDER.rglob("*.pickle")
    path.write_bytes(damage(path.read_bytes()))
    pd.testing.assert_series_equal(shaken(kth, EASY(), 1), first, check_exact=True)
    assert simulated == [0, 0]


BACK = range(3001, 3101)
"""The numbers of the jobs that `lossy` lacks."""


def values(of, seeds=1):
    """What is made of a field in the logs of several seeds."""
    return [restored._values(of, np.random.default_rng(seed)) for seed in range(seeds)]


# What a setting may say


def test_a_number_stands_for_itself():
    assert values(60) == [60]


def test_of_a_range_one_number_is_drawn_for_a_log_either_end_too():
    found = values([3, 5], 60)
    assert set(found) == {3, 4, 5} and all(isinstance(one, int) for one in found)


def test_normal_values_have_the_mean_and_the_spread_that_are_said():
    (found,) = values({"mean": 48, "sd": 4})
    assert len(found) == POOL
    assert (found.mean(), found.std()) == (pytest.approx(48, abs=0.5), pytest.approx(4, abs=0.4))


def test_lognormal_values_have_the_mean_that_is_said_and_not_as_their_median():
    found = np.concatenate(values({"mean": 1500, "log_sd": 1.37}, 40))
    assert found.mean() == pytest.approx(1500, rel=0.05)
    assert np.log(found).std() == pytest.approx(1.37, rel=0.05)
    assert np.median(found) == pytest.approx(1500 * np.exp(-(1.37**2) / 2), rel=0.05)


def test_the_mean_may_be_a_range_too():
    found = [set(one) for one in values({"mean": [1000, 1999], "sd": 0}, 20)]
    assert all(len(one) == 1 and 1000 <= min(one) <= 1999 for one in found)
    assert len(set.union(*found)) > 10


@pytest.mark.parametrize("spread", [{"sd": 9}, {"log_sd": 3}])
def test_no_drawn_value_is_below_one(spread):
    (found,) = values({"mean": 2} | spread)
    assert found.min() == 1 and found.dtype == int


# A draw


@pytest.fixture(scope="module")
def trace():
    return lossy()


def test_a_draw_has_every_job_of_the_file_and_the_lost_ones_within_their_gap(trace):
    jobs, (gap,) = trace.lost.whole(1).jobs, trace.lost.known_gaps.itertuples()
    assert jobs.drop(BACK).equals(trace.workload.jobs)
    back = jobs.loc[BACK]
    assert back.submit.between(gap.earliest, gap.latest).all() and back.submit.nunique() > 90
    assert (set(back.user), set(back.run), set(back.procs)) == ({7}, {60}, {2})
    assert back.estimate.nunique() == 1 and 600 <= back.estimate.iloc[0] <= 700


def test_one_seed_is_one_draw_and_others_are_others(trace):
    one, again, other = (lossy().lost.whole(seed).jobs for seed in (1, 1, 2))
    assert one.equals(again)
    assert not one.submit.equals(other.submit)
    assert one.estimate[BACK[0]] != other.estimate[BACK[0]]


def test_lost_jobs_may_resemble_lines_that_are_left_but_for_what_is_said():
    of = lossy(lines="app > 20", run=33).lost
    known, back = of.log.log.query("app > 20"), of.whole(1).log.loc[BACK]
    assert set(back.app) <= set(known.app) and back.app.nunique() > 10
    assert (set(back.run), set(back.user)) == ({33}, {7})


@pytest.mark.parametrize("every, even", [(5, True), (None, False)])
def test_lost_jobs_may_have_come_one_after_the_other(every, even):
    steps = np.diff(lossy(every=every).lost.whole(1).jobs.submit[BACK])
    assert ((steps >= 4) & (steps <= 6)).all() == even


@pytest.mark.parametrize("status, count", [(1, 100), (0, 0)])
def test_the_condition_on_jobs_and_the_estimates_are_those_of_the_trace(status, count):
    of = lossy("status == 1", "exact", status=status)
    jobs = of.lost.whole(0).jobs
    assert jobs.index.isin(BACK).sum() == count
    assert len(jobs) == len(of.workload) + count
    assert (jobs.estimate == jobs.run).all() and (jobs.status == 1).all()


def test_a_draw_that_is_simulated_is_the_whole_one_without_its_lines_and_is_kept(trace):
    drawn, whole = trace.lost.drawn(3), trace.lost.whole(3)
    assert drawn.log is None and whole.log is not None
    assert drawn.jobs.equals(whole.jobs)
    assert trace.lost.drawn(3) is drawn
    assert trace.lost.with_setting(7, "run", 61).drawn(3) is not drawn


def test_a_draw_is_marked_as_restored_and_says_its_seed(trace):
    drawn = trace.lost.drawn(3)
    assert drawn.name == "thinned, restored" and drawn.source["variant"] == "restored"
    assert any("100 lost jobs put back, drawn with seed 3" in step for step in drawn.history)


def test_another_setting_is_another_users_or_this_ones_and_leaves_the_first_as_it_was(trace):
    other = trace.lost.with_setting(7, "run", 61)
    assert set(other.whole(1).jobs.run[BACK]) == {61}
    assert set(trace.lost.whole(1).jobs.run[BACK]) == {60}
    assert trace.lost.with_setting(8, "run", 61).users == trace.lost.users


CHANGES = {
    "a setting": lambda of: of.with_setting(7, "run", 61),
    "the condition": lambda of: replace(of, condition="status == 1"),
    "the estimates": lambda of: replace(of, estimates="exact"),
    "the gaps": lambda of: replace(of, gaps=of.known_gaps.assign(latest=of.known_gaps.latest - 1)),
    "the lines": lambda of: replace(of, lines=of.log.log),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_draws_of_other_settings_have_another_key(trace, change):
    assert trace.lost.key == lossy().lost.key
    assert change(trace.lost).key != trace.lost.key


def test_numbers_from_which_a_setting_was_inferred_are_told_by_what_they_are_of():
    of = lossy(inferred_from=[{"month": "1996-08", "metric": "load"}, {"quantity": "killed_jobs"}]).lost
    assert of.inferred_from({"trace": "CTC", "month": "1996-08", "metric": "load"})
    assert of.inferred_from({"quantity": "killed_jobs"})
    for other in ({"month": "1996-08", "metric": "jobs"}, {"month": "1996-09", "metric": "load"}, {"month": "1996-08"}):
        assert not of.inferred_from(other)
    assert not lossy().lost.inferred_from({"month": "1996-08", "metric": "load"})


# A trace that lost jobs


def test_only_a_trace_that_lost_jobs_has_them_back_and_only_where_that_is_asked_for(trace):
    whole = replace(trace, lost=None)
    assert [trace.under(rule).restored for rule in (TEXT, LIKELY, RESTORED, CALENDAR)] == [False, False, True, False]
    assert whole.under(RESTORED) is whole and not whole.matters(RESTORED)
    assert trace.matters(RESTORED) and trace.matters(TEXT) and trace.matters(LIKELY)


def test_what_is_simulated_of_a_restored_trace_is_drawn_by_seed(trace):
    assert trace.workloads is trace.workload
    assert trace.under(RESTORED).workloads(2) is trace.lost.drawn(2)


def test_one_draw_may_stand_for_the_log_and_lacks_nothing(trace):
    drawn = trace.drawn(2)
    assert drawn.workload.jobs.equals(trace.lost.whole(2).jobs) and drawn.workload.log is not None
    assert drawn.complete("1996-08") and not drawn.matters(RESTORED)
    assert drawn.drawn(3) is drawn


def test_months_may_begin_on_another_day_which_moves_one_edge_alone(trace):
    months, edges = trace.month_edges
    assert months == ["1996-07", "1996-08", "1996-09"]
    moved = replace(trace, begin_on={"1996-08": "1996-08-03", "1997-01": "1997-01-02"})
    assert moved.month_edges[0] == months
    assert (moved.month_edges[1] - edges).tolist() == [0, 2 * 86400, 0, 0]
    later = replace(moved, months_begin=1.5).month_edges[1]
    assert (later - edges).tolist() == [5400, 2 * 86400 + 5400, 5400, 5400]


def test_the_first_month_may_begin_with_the_first_job(trace):
    edges = trace.month_edges[1]
    first = replace(trace, from_first_job=True, months_begin=-3).month_edges[1]
    assert first[0] == trace.workload.jobs.submit.iloc[0] > edges[0]
    assert (first[1:] == edges[1:] - 3 * 3600).all()


def test_with_the_calendars_months_all_begin_on_the_first_at_midnight(trace):
    moved = replace(trace, begin_on={"1996-08": "1996-08-03"}, months_begin=-2.5, from_first_job=True)
    assert (moved.under(CALENDAR).month_edges[1] == trace.month_edges[1]).all()
    assert moved.matters(CALENDAR) and not trace.matters(CALENDAR)
    assert replace(trace, months_begin=1.0).matters(CALENDAR)


def test_the_months_edges_do_not_hang_on_the_draw(trace):
    assert (trace.under(RESTORED).month_edges[1] == trace.month_edges[1]).all()


def test_a_month_that_lacks_jobs_is_judged_with_these_back_alone(trace):
    august, july = trace.origin("1996-08", metric="response_s"), trace.origin("1996-07", metric="response_s")
    assert august["unjudged"] == dict.fromkeys((TEXT, LIKELY, CALENDAR), OTHER_LOG)
    assert "100 jobs" in august["note"]
    assert july == {"unjudged": {}, "note": ""}
    assert not trace.complete("1996-08") and trace.under(RESTORED).complete("1996-08")


@pytest.mark.parametrize(
    "month, metric, inferred",
    [
        ("1996-08", "jobs", True),
        ("1996-07", "jobs", True),  # it ends where the other begins
        ("1996-09", "jobs", False),
        ("1996-08", "response_s", False),
        ("1996-08", "load", False),
    ],
)
def test_numbers_of_jobs_that_say_when_a_month_begins_are_not_judged_but_by_the_calendar(month, metric, inferred):
    moved = replace(lossy(), missing={}, begin_on={"1996-08": "1996-08-03"})
    unjudged = moved.origin(month, metric=metric)["unjudged"]
    assert unjudged == (dict.fromkeys((TEXT, LIKELY, RESTORED), INFERRED) if inferred else {})


@pytest.mark.parametrize("month, metric, inferred", [("07", "load", 1), ("07", "jobs", 0), ("08", "load", 0)])
def test_the_load_that_says_that_the_first_month_begins_with_a_job_is_not_judged(month, metric, inferred):
    moved = replace(lossy(), missing={}, from_first_job=True)
    unjudged = moved.origin(f"1996-{month}", metric=metric)["unjudged"]
    assert unjudged == (dict.fromkeys((TEXT, LIKELY, RESTORED), INFERRED) if inferred else {})


def test_a_number_from_which_lost_jobs_were_inferred_is_not_judged_on_the_restored_log_alone():
    of = lossy(inferred_from=[{"month": "1996-07", "metric": "load"}])
    assert of.origin("1996-07", metric="load")["unjudged"] == {RESTORED: INFERRED}
    assert of.origin("1996-07", metric="jobs")["unjudged"] == {}


# An exhibit of one trace that lost jobs, and one that lost none


@pytest.fixture(scope="module")
def table():
    whole = replace(lossy(), trace="KTH", lost=None, missing={}, months=("1996-10", "1996-11"))
    start = pd.Timestamp("1996-10-01", tz="Europe/Stockholm")
    jobs = type(whole.workload)(whole.workload.jobs, 128, "KTH-SP2", log=whole.workload.log, start=start)
    return of_traces(table1.Table1, lossy(), replace(whole, workload=jobs), shakes=2, other_shakes=2)


def test_printed_numbers_have_a_reading_on_the_restored_log_only_where_a_log_lost_jobs(table):
    assert table.followed == (TEXT, LIKELY, RESTORED)
    rules = {trace: set(part.index.unique("rule")) for trace, part in table.comparison.groupby("trace")}
    assert rules == {"CTC": {TEXT, LIKELY, RESTORED}, "KTH": {TEXT, LIKELY}}


def test_where_jobs_are_missing_the_restored_log_alone_decides(table):
    of = {"trace": "CTC", "month": "1996-08", "scheduler": "easy", "metric": "response_s"}
    (cell,) = [cell for cell in table.cells if cell["of"] == of]
    verdicts = {rule: ours["verdict"] for rule, ours in cell["readings"].items()}
    assert verdicts.pop(RESTORED) in (INSIDE, CLOSE, OFF)
    assert verdicts == {TEXT: OTHER_LOG, LIKELY: OTHER_LOG}
    assert table.incomplete == [("CTC", "1996-08")]


def test_a_restored_log_is_named_beside_the_files_that_an_exhibit_is_made_from(table):
    assert [w.name for w in table.load()["logs"]] == ["thinned", "KTH-SP2", "thinned, restored"]
    assert type(table)(rules=(TEXT, LIKELY)).parameters["rules"] == (TEXT, LIKELY)
    without = of_traces(table1.Table1, *table.found, rules=(TEXT, LIKELY))
    assert [w.name for w in without.load()["logs"]] == ["thinned", "KTH-SP2"] and without.draws == []


def test_the_months_of_a_restored_log_have_the_lost_jobs_in_their_gap(table):
    jobs = table.comparison.ours.xs(("CTC", "easy", "jobs"), level=("trace", "scheduler", "metric")).unstack("rule")
    assert (jobs[RESTORED] - jobs[LIKELY]).to_dict() == {"1996-07": 0, "1996-08": 100, "1996-09": 0}


def test_an_exhibit_on_a_draw_takes_it_for_the_log(table):
    draw = table.drawn(1)
    (ctc, kth) = draw.found
    assert ctc.workload.name == "thinned, restored" and kth is table.found[1]
    assert not draw.restores and draw.parameters == table.parameters
    assert [len(each.found[0].workload) for each in table.draws] == [6000] * len(table.draws)


# The settings


def test_every_setting_of_lost_jobs_says_why_and_names_fields_that_are_known():
    known = {"user", "lines", "every", "inferred_from", "why", *restored.FIELDS}
    settings = [one for trace in mualem2001.settings() for one in trace.get("lost", [])]
    assert [one["user"] for one in settings] == [135, 5, 23]
    for one in settings:
        assert set(one) <= known and one["why"]


# On the logs of the paper


@pytest.fixture
def paragon(log):
    log("SDSC-Par-96", "cleaned")
    found, _ = mualem2001.traces(["Par"])
    return next(trace for trace in found if trace.lost)


def test_put_back_jobs_of_the_nightly_batch_are_within_the_hour_of_three(paragon):
    back = paragon.lost.whole(1)
    jobs = back.jobs[~back.jobs.index.isin(paragon.lost.log.jobs.index)]
    nightly = jobs[jobs.user == 5]
    hours = {back.time(second).hour for second in nightly.submit}
    assert (len(nightly), hours) == (5301, {3})


def test_with_its_lost_jobs_back_the_paragons_months_have_the_printed_number_of_jobs(paragon):
    printed = table1.published("mualem2001_table1").query("trace == 'Par'").set_index("month").jobs
    schedule = simulate(paragon.lost.drawn(0), EASY(reuse_extra=True))
    off = paragon.by_month(schedule).jobs - printed.loc["1996-01":"1996-12"]
    assert len(off) == 12 and off.abs().max() <= 30


def test_each_of_ctcs_lost_jobs_is_put_into_its_gap(log):
    log("CTC-SP2", "cleaned")
    (trace,), _ = mualem2001.traces(["CTC"])
    if trace.lost is None:
        pytest.skip("the complete CTC log is here")
    gaps, jobs = trace.lost.known_gaps, trace.lost.drawn(1).jobs
    assert gaps.jobs.sum() == 2080
    back = jobs[~jobs.index.isin(trace.workload.jobs.index)]
    gap = gaps.iloc[np.searchsorted(gaps["first"], back.index, side="right") - 1]
    assert len(back) == 2080 and (back.index <= gap["last"]).all()
    assert ((back.submit.to_numpy() >= gap.earliest) & (back.submit.to_numpy() <= gap.latest)).all()
    assert set(back.user) == {135}
