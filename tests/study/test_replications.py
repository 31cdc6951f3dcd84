"""The paper's traces: their months, the jobs that they lost, drawn anew for each run, and what is judged of them."""

from dataclasses import replace

import numpy as np
import pytest
from exhibits import lossy, trace_logs
from helpers import first_days, means

import simlib_study as study
from simlib import EASY, Conservative, replicate, simulate
from simlib._util.cache import identity
from simlib_study import judging, loading, mualem2001
from simlib_study.judging import CALENDAR, CLOSE, INFERRED, INSIDE, OFF, OTHER_LOG, RESTORED
from simlib_study.mualem2001 import WHOLE, Trace, restored
from simlib_study.mualem2001.restored import POOL


@pytest.fixture(scope="module")
def kth():
    return Trace("KTH", first_days(20))


# Runs by month


def test_the_last_row_has_the_means_over_all_jobs(kth):
    schedule = simulate(kth.workload, Conservative())
    table = trace_logs(kth).monthly(schedule).loc["settled"]
    names = {name: quantity for quantity, name in mualem2001.QUANTITIES.items()}
    of_months = table.drop(index=WHOLE).rename(columns=names)
    assert of_months.equals(kth.by_month(schedule)[list(names.values())].astype(float))
    assert table.loc[WHOLE].tolist() == schedule.summary(floor=None)[list(names.values())].tolist()


def test_the_months_of_both_calendars_are_measured_in_the_same_runs(kth):
    moved = replace(kth, months_begin=8.0)
    runs = replicate(moved.workload, EASY(), shakes=1, measures=trace_logs(moved).monthly).loc[1]
    schedule = simulate(moved.workload.shake(60, 0), EASY())
    for calendar, one in (("settled", moved), ("calendar", moved.under(CALENDAR))):
        expected = one.by_month(schedule)
        assert runs.loc[calendar].response_s.drop(WHOLE).to_dict() == expected.mean_response.to_dict()
        assert runs.loc[calendar].load.drop(WHOLE).to_dict() == expected.utilization.to_dict()
    assert not runs.loc["settled"].equals(runs.loc["calendar"])


def test_each_run_of_a_restored_log_is_another_draw_and_their_median_stands_for_the_log(trace):
    def simulated(logs):
        return replicate(logs, EASY(), shakes=3, seed=4, measures=logs.monthly)

    logs = trace_logs(trace)
    runs = study.median_first(simulated(logs.restored)).loc["CTC, restored"].xs("settled", level="calendar")
    for run, seed in enumerate((4, 5, 6), 1):
        of_draw = means(trace.lost.whole(seed), EASY(), seed=seed)
        assert runs.loc[run, WHOLE][list(of_draw)].to_dict() == pytest.approx(of_draw, rel=1e-12)
    by_run = runs.unstack("month")
    assert by_run.loc[0].tolist() == by_run.drop(0).median().tolist()
    jobs = replicate(logs, EASY(), shakes=0, measures=logs.monthly).loc["CTC", 0, "settled"].jobs
    assert (by_run.jobs.loc[0] - jobs).to_dict() == {"1996-07": 0, "1996-08": 100, "1996-09": 0, WHOLE: 100}


def test_of_logs_that_lost_nothing_none_are_restored(trace, kth):
    assert not trace_logs(kth).restored and not trace_logs(kth).put_back(0)
    assert list(trace_logs(trace, kth).restored) == ["CTC, restored"]
    assert [each.name for each in trace_logs(trace, kth).restored.workloads()] == ["thinned, restored"]
    whole = trace_logs(trace, kth).put_back(0)
    assert {name: each.name for name, each in whole.items()} == {"CTC": "thinned, restored", "KTH": "sample"}


def test_where_jobs_are_missing_the_restored_log_alone_decides(trace):
    kth = replace(trace, name="KTH", lost=None, missing={})
    logs, policies = trace_logs(trace, kth), {"EASY": EASY()}
    runs = replicate(logs | logs.restored, policies, shakes=3, measures=logs.monthly).xs("settled", level="calendar")
    table = study.judge(runs, "mualem2001_table1", logs).xs(("EASY", "response_s"), level=("policy", "metric"))
    august = table.verdict.xs("1996-08", level="month")
    assert august["CTC"] == OTHER_LOG and august["CTC, restored"] in (INSIDE, CLOSE, OFF)
    assert august["CTC, restored"] != august["CTC"] and list(august.index) == ["CTC", "KTH", "CTC, restored"]


BACK = range(3001, 3101)
"""The numbers of the jobs that `lossy` lacks."""


def values(of, seeds=1):
    """What is made of a field in the logs of several seeds."""
    return [restored._values(of, np.random.default_rng(seed)) for seed in range(seeds)]


# What a setting may say


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


def test_lost_jobs_may_resemble_lines_that_are_left_but_for_what_is_said():
    of = lossy(lines="app > 20", run=33).lost
    known, back = of.log.log.query("app > 20"), of.whole(1).log.loc[BACK]
    assert set(back.app) <= set(known.app) and back.app.nunique() > 10
    assert (set(back.run), set(back.user)) == ({33}, {7})


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


CHANGES = {
    "a setting": lambda of: lossy(run=61).lost,
    "the condition": lambda of: replace(of, condition="status == 1"),
    "the estimates": lambda of: replace(of, estimates="exact"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_draws_of_other_settings_have_another_key(trace, change):
    assert identity(trace.lost) == identity(lossy().lost)
    assert identity(change(trace.lost)) != identity(trace.lost)


def test_numbers_from_which_a_setting_was_inferred_are_told_by_what_they_are_of():
    of = lossy(inferred_from=[{"month": "1996-08", "metric": "load"}, {"quantity": "killed_jobs"}]).lost
    assert of.inferred_from({"log": "CTC", "month": "1996-08", "metric": "load"})
    assert of.inferred_from({"quantity": "killed_jobs"})
    for other in ({"month": "1996-08", "metric": "jobs"}, {"month": "1996-09", "metric": "load"}, {"month": "1996-08"}):
        assert not of.inferred_from(other)
    assert not lossy().lost.inferred_from({"month": "1996-08", "metric": "load"})
    of = lossy(inferred_from=[{"month": "1996-08", "policy": ""}]).lost  # a difference between the schedulers
    assert of.inferred_from({"month": "1996-08", "metric": "response_s"})
    assert not of.inferred_from({"month": "1996-08", "metric": "response_s", "policy": "EASY"})


def test_a_mean_that_was_measured_a_few_times_is_drawn_as_students_t_has_it():
    nights = [100, 500, 900, 1300]
    drawn = [restored._values(nights, np.random.default_rng(seed)) for seed in range(4000)]
    assert min(drawn) == 100 and np.median(drawn) == pytest.approx(700, rel=0.03)
    error = np.std(nights, ddof=1) / 2
    assert np.quantile(drawn, 0.975) == pytest.approx(700 + 3.182 * error, rel=0.1)


READINGS = "", RESTORED, CALENDAR
"""How a log may be read: as it is, or differently."""

# A trace that lost jobs


def test_only_a_trace_that_lost_jobs_has_them_back_and_only_where_that_is_asked_for(trace):
    whole = replace(trace, lost=None)
    assert [trace.under(reading).restored for reading in ("", RESTORED, CALENDAR)] == [False, True, False]
    assert whole.under(RESTORED) is whole


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
    assert list(moved.calendars) == ["settled", "calendar"] == list(replace(trace, months_begin=1.0).calendars)
    assert list(trace.calendars) == ["settled"]


def test_a_month_that_lacks_jobs_is_judged_with_these_back_alone(trace):
    august, july = trace.origin("1996-08", metric="response_s"), trace.origin("1996-07", metric="response_s")
    assert august["unjudged"] == trace.origin("1996-08", CALENDAR)["unjudged"] == OTHER_LOG
    assert trace.origin("1996-08", RESTORED)["unjudged"] == ""
    assert "100 jobs" in august["note"]
    assert july == {"unjudged": "", "note": ""}
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
    unjudged = {reading: moved.origin(month, reading, metric=metric)["unjudged"] for reading in READINGS}
    assert unjudged == {"": INFERRED, RESTORED: INFERRED, CALENDAR: ""} if inferred else not any(unjudged.values())


@pytest.mark.parametrize("month, metric, inferred", [("07", "load", 1), ("07", "jobs", 0), ("08", "load", 0)])
def test_the_load_that_says_that_the_first_month_begins_with_a_job_is_not_judged(month, metric, inferred):
    moved = replace(lossy(), missing={}, from_first_job=True)
    unjudged = {reading: moved.origin(f"1996-{month}", reading, metric=metric)["unjudged"] for reading in READINGS}
    assert unjudged == {"": INFERRED, RESTORED: INFERRED, CALENDAR: ""} if inferred else not any(unjudged.values())


def test_a_number_from_which_lost_jobs_were_inferred_is_not_judged_on_the_restored_log_alone():
    of = lossy(inferred_from=[{"month": "1996-07", "metric": "load"}])
    found = {reading: of.origin("1996-07", reading, metric="load")["unjudged"] for reading in READINGS}
    assert found == {"": "", RESTORED: INFERRED, CALENDAR: ""}
    assert of.origin("1996-07", RESTORED, metric="jobs")["unjudged"] == ""


# The settings


def test_every_setting_of_lost_jobs_says_why_and_names_fields_that_are_known():
    known = {"user", "lines", "every", "inferred_from", "why", *restored.FIELDS}
    settings = [one for trace in loading.settings("mualem2001") for one in trace.get("lost", [])]
    assert [one["user"] for one in settings] == [135, 5, 23]
    for one in settings:
        assert set(one) <= known and one["why"]


# On the logs of the paper


@pytest.fixture
def paragon(log):
    log("SDSC-Par-96", "cleaned")
    return next(trace for trace in mualem2001.logs(["Par"]).traces.values() if trace.lost)


def test_put_back_jobs_of_the_nightly_batch_are_within_the_hour_of_three(paragon):
    back = paragon.lost.whole(1)
    jobs = back.jobs[~back.jobs.index.isin(paragon.lost.log.jobs.index)]
    nightly = jobs[jobs.user == 5]
    hours = {back.time(second).hour for second in nightly.submit}
    assert (len(nightly), hours) == (5301, {3})


def test_with_its_lost_jobs_back_the_paragons_months_have_the_printed_number_of_jobs(paragon):
    printed = judging.printed("mualem2001_table1").unstack("metric").jobs["Par"].xs("EASY", level="policy")
    schedule = simulate(paragon.lost.drawn(0), EASY(reuse_extra=True))
    off = paragon.by_month(schedule).jobs - printed.loc["1996-01":"1996-12"]
    assert len(off) == 12 and off.abs().max() <= 30


def test_each_of_ctcs_lost_jobs_is_put_into_its_gap(log):
    log("CTC-SP2", "cleaned")
    (trace,) = mualem2001.logs(["CTC"]).traces.values()
    if trace.lost is None:
        pytest.skip("the complete CTC log is here")
    gaps, jobs = trace.lost.known_gaps, trace.lost.drawn(1).jobs
    assert gaps.jobs.sum() == 2080
    back = jobs[~jobs.index.isin(trace.workload.jobs.index)]
    gap = gaps.iloc[np.searchsorted(gaps["first"], back.index, side="right") - 1]
    assert len(back) == 2080 and (back.index <= gap["last"]).all()
    assert ((back.submit.to_numpy() >= gap.earliest) & (back.submit.to_numpy() <= gap.latest)).all()
    assert set(back.user) == {135}
