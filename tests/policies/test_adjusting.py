"""Adjusted walltimes: the schemes' A and the paper's equations, and EASY with them against the reference."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from helpers import busy_users, equals_the_reference, numbered, plainly, random_workload
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, Predictions, simulate
from simlib.core.estimates import LastTwo
from simlib.engine import estimating
from simlib.policies import adjusting
from simlib.policies.adjusting import Adjustment, Scheme

COLUMNS = ["submit", "run", "estimate", "end", "user", "group", "queue"]
DAY = 86400


def table(rows):
    """Jobs of (submit, run, estimate, end, user, group, queue) rows."""
    return pd.DataFrame(rows, columns=COLUMNS).astype("int64")


def similar(submit, run, **columns):
    """Jobs of one user, project and queue that ask for 100 s and end as soon as they were submitted and have run."""
    jobs = pd.DataFrame({"submit": submit, "run": run}).assign(user=1, group=1, queue=1, estimate=100)
    return jobs.assign(end=jobs.submit + jobs.run, **columns)


def a_of(jobs, **options):
    return adjusting.adjusted(jobs, jobs.end, Scheme(**options)).a.tolist()


def by_definition(jobs, scheme):
    """A of each job by filtering and numpy.percentile, as section 4.1 says it."""
    for job in jobs.itertuples():
        known = all(getattr(job, column) != -1 for column in scheme.columns)
        same = np.logical_and.reduce([jobs[column] == getattr(job, column) for column in scheme.columns])
        earlier = jobs[same & (jobs.end < job.submit) & (jobs.end >= job.submit - scheme.window_s)]
        r = [min(run / estimate, 1) if estimate else 1 for run, estimate in earlier[["run", "estimate"]].to_numpy()]
        a = np.percentile(r, scheme.percentile) if known and len(r) >= scheme.least else np.nan
        yield a if scheme.threshold is None else max(a, scheme.threshold)


days = st.integers(0, 70)
few = st.sampled_from([-1, 1, 2])
job = st.tuples(days, st.integers(0, 120), st.sampled_from([0, 60, 100]), days, few, few, few)


@pytest.mark.slow
@given(
    rows=st.lists(job, min_size=1, max_size=40),
    key=st.sampled_from([*adjusting.KEYS, "user+estimate"]),
    window=st.sampled_from([None, "1 month", "2 weeks", "1 day"]),
    percentile=st.sampled_from([0, 33.3, *adjusting.METRICS.values()]),
    threshold=st.sampled_from([None, 0.5]),
    least=st.integers(1, 4),
    project=st.sampled_from(["group", "queue", "user"]),
)
def test_a_is_the_percentile_of_the_eligible_jobs(rows, **options):
    jobs = table(rows).sort_values("submit", kind="stable")
    jobs = jobs.assign(submit=jobs.submit * DAY, end=(jobs.submit + jobs.end) * DAY + jobs.run)
    scheme = Scheme(**options)
    if (jobs[scheme.columns] == -1).all().any():
        return
    made = adjusting.adjusted(jobs, jobs.end, scheme)
    np.testing.assert_allclose(made.a, list(by_definition(jobs, scheme)), rtol=1e-12)


def test_all_schemes_at_once_give_what_each_gives_alone():
    rng = np.random.default_rng(1)
    submit, run = np.sort(rng.integers(0, 300 * DAY, 400)), rng.integers(0, 110, 400)
    jobs = similar(submit, run, user=rng.integers(1, 4, 400), group=rng.integers(1, 3, 400))
    chosen = adjusting.schemes(threshold=0.4) + adjusting.schemes(windows=["5 weeks"], least=3)
    together = adjusting.parameters(jobs, jobs.end, chosen)
    assert list(together.columns) == chosen
    for scheme in chosen[::7]:
        pd.testing.assert_series_equal(
            together[scheme], adjusting.adjusted(jobs, jobs.end, scheme).a, check_names=False
        )


def test_only_jobs_that_ended_before_the_submission_count():
    jobs = similar([0, 50, 51, 200], [50, 20, 30, 40])
    assert a_of(jobs, least=1, percentile=100) == pytest.approx([np.nan, np.nan, 0.5, 0.5], nan_ok=True)


def test_a_window_takes_jobs_that_ended_a_month_ago_but_not_a_second_more():
    jobs = similar([0, 30 + 30 * DAY, 31 + 30 * DAY], [30, 40, 50])
    assert a_of(jobs, least=1) == pytest.approx([np.nan, 0.3, np.nan], nan_ok=True)
    assert a_of(jobs, least=1, window="30 days") == pytest.approx([np.nan, 0.3, np.nan], nan_ok=True)
    assert a_of(jobs, least=1, window=None, percentile=100) == pytest.approx([np.nan, 0.3, 0.3], nan_ok=True)


def test_a_simulation_and_the_logs_own_times_treat_the_second_of_an_end_alike():
    w = numbered([(0, 100, 200, 1, 7, 0), (100, 50, 200, 1, 7, 0), (150, 10, 200, 1, 7, 0)], 8)
    scheme = Scheme("user", least=1, percentile=100)
    own = adjusting.adjusted(w.jobs, w.ends, scheme).t_sched, w.with_estimates(LastTwo(w.ends)).jobs.estimate
    for adjust, alike in zip((Adjustment(scheme), Predictions()), own, strict=True):
        assert simulate(w, EASY(adjust=adjust)).jobs.adjusted.to_list() == alike.to_list()
    assert [each.to_list() for each in own] == [[200, 200, 100], [200, 100, 75]]  # the end counts for a prediction


def test_a_log_without_projects_takes_the_queue():
    jobs = similar(np.arange(3) * 1000, [50, 80, 10], group=-1, queue=[1, 2, 1])
    assert a_of(jobs, key="project", project="queue", least=1) == pytest.approx([np.nan, np.nan, 0.5], nan_ok=True)
    with pytest.raises(ValueError, match="key='project' with project='group', .* no group"):
        a_of(jobs, key="project", least=1)


def test_overruns_count_as_fully_used():
    assert adjusting.used([50, 100, 130, 0, 0], [100, 100, 100, 0, 10]).tolist() == [0.5, 1, 1, 1, 0]


def test_the_scheduled_time_is_the_requested_times_a_and_without_a_the_requested():
    assert adjusting.t_sched([100, 100, 1000], [0.5, np.nan, 0.0004]).tolist() == [50, 100, 0]


def test_accuracy_is_the_smaller_over_the_larger():
    assert adjusting.accuracy([50, 100, 200, 0, 0, 7], [100, 100, 50, 0, 10, 0]).tolist() == [0.5, 1, 0.25, 1, 0, 0]


def test_levels_part_at_the_run_time_and_half_an_hour_below():
    run, estimate = 4000, 6000
    scheduled = [6000, 5999, 4000, 3999, 2200, 2199]
    assert adjusting.levels(run, estimate, scheduled).tolist() == ["NA", "OE", "OE", "UE", "UE", "BE"]


# History carried into a simulation


def test_a_scheduler_that_learns_as_jobs_start_finds_the_a_of_the_study():
    rng = np.random.default_rng(1)
    submit = np.sort(rng.integers(0, 90 * DAY, 300))
    jobs = similar(submit, rng.integers(0, 110, 300), user=rng.choice([1, 2], 300))
    jobs = jobs.assign(end=jobs.end + rng.integers(0, DAY, 300))  # they wait
    scheme = Scheme("user", "2 weeks", 80, least=3)
    known, group, r = Adjustment(scheme).history(jobs)
    learned = []
    for job, (now, end) in enumerate(zip(jobs.submit, jobs.end, strict=True)):
        estimating.advance(known, group[job], now, scheme.window_s)
        learned.append(estimating.metric(known, group[job], 80.0, scheme.least))
        estimating.learn(known, group[job], end, r[job])
    np.testing.assert_array_equal(learned, adjusting.adjusted(jobs, jobs.end, scheme).a)


ends = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 1), st.integers(0, 10)), max_size=30)


@given(ends, st.integers(1, 60))
def test_jobs_learned_one_by_one_give_what_a_filled_history_gives(rows, window):
    end, group, r = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    one_by_one = estimating.empty(np.bincount(group, minlength=2))
    for row in rows:
        estimating.learn(one_by_one, row[1], row[0], row[2] / 10)
    filled = adjusting._history_of(group, end, r / 10, np.concatenate([group, [0, 1]]))
    for now in (0, 20, 55):
        for number in (0, 1):
            values = []
            for of in (one_by_one, filled):
                estimating.advance(of, number, now, window)
                values.append([estimating.metric(of, number, percent, 1) for percent in (0.0, 50.0, 100.0)])
            np.testing.assert_array_equal(*values)


# Settings


def test_the_enumeration_is_four_by_six_by_seven():
    every = adjusting.schemes()
    assert len(every) == len(set(every)) == 4 * 6 * 7
    assert {scheme.percentile for scheme in every} == {100, 95, 90, 85, 80, 70, 50}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"window": "30"}, "found window='30', .*hour, day, week, month"),
        ({"window": "0 days"}, "found window='0 days'"),
        ({"key": "user+user"}, r"found key='user\+user'"),
        ({"project": "app"}, "found project='app'"),
    ],
)
def test_settings_out_of_range_are_refused_with_what_is_allowed(options, message):
    with pytest.raises(ValueError, match=f"Scheme: {message}"):
        Scheme(**options)


def test_windows_have_units():
    seconds = [Scheme(window=window).window_s for window in ("1 month", "2 months", "30 days", "2 weeks", "36 hours")]
    assert seconds == [30 * DAY, 60 * DAY, 30 * DAY, 14 * DAY, 36 * 3600]


# EASY with adjusted estimates: who is adjusted by what, and what becomes of jobs that outlive their estimates

SWITCHES = list(product([False, True], repeat=3))
EARLIER = ["user", "group", "run", "estimate", "end"]


users = st.sampled_from([1, 1, 1, 2, 2, -1])
schemes = st.builds(
    Scheme,
    key=st.sampled_from(["user", "user", "project", "user+project", "user+project+estimate"]),
    window=st.sampled_from([None, "1 hour", "3 hours", "1 day"]),
    percentile=st.sampled_from([0, 25, 50, 70, 75, 85, 95, 100]),
    threshold=st.sampled_from([None, 0.25, 0.5]),
    least=st.integers(1, 3),
)


def crowd(seed):
    """A busy machine of two users in two groups, and jobs of theirs that ended before or end in the meantime.

    Times are multiples of ten minutes, so that jobs come, end and outlive their estimates at the same instants. In
    every third workload half of the jobs follow earlier ones.
    """
    rng = np.random.default_rng(seed)
    machine, n = rng.integers(4, 9), rng.integers(15, 40)
    run = 1200 * rng.choice([0, 1, 2, 3, 4, 6, 8, 12], n)
    estimate = (run * rng.choice([0.5, 1, 1, 1.5, 2, 2, 4], n)).astype(int)
    size = np.where(rng.random(n) < 0.5, 1, rng.integers(1, machine + 1, n))
    submit = 1200 * np.cumsum(rng.choice([0, 0, 1, 2, 3], n))
    owner = rng.choice([1, 1, 1, 2, 2, -1], (n, 2))
    owner[0] = 1  # a log in which no owner is known is refused
    followers = range(2, n + 1, 2) if rng.integers(3) == 0 else ()
    follows = {job: (int(rng.integers(1, job)), 1200 * int(rng.choice([0, 0, 1, 4]))) for job in followers}
    k = rng.integers(0, 13)
    earlier = rng.choice([1, 1, 2, -1], k), rng.choice([1, 2], k), rng.choice([300, 600, 600, 900, 1200], k)
    end = np.where(rng.random(k) < 0.7, -1, rng.integers(-9999, 20_000, k) // 600 * 600)
    past = pd.DataFrame(np.column_stack([*earlier, np.full(k, 1200), end]), columns=EARLIER)
    return numbered(np.column_stack([submit, run, estimate, size, owner]), int(machine), follows), past, follows


@pytest.mark.slow
@given(
    seed=st.integers(0, 2**32),
    scheme=schemes,
    switches=st.sampled_from(SWITCHES),
    overdue=st.sampled_from([0, 300, 600, 3000]),
    reuse_extra=st.booleans(),
    overrun=st.sampled_from(["extend", "kill"]),
)
@pytest.mark.parametrize("order", ["fcfs", "sjf", "wfp"])
def test_the_engine_equals_the_reference(order, seed, scheme, switches, overdue, reuse_extra, overrun):
    w, past, follows = crowd(seed)
    policy = EASY(reuse_extra, order, Adjustment(scheme, *switches, past=past, overdue=overdue))
    options = {"overrun": overrun, "feedback": bool(follows)}
    equals_the_reference(simulate(w, policy, **options), **options)
    usual = Adjustment(Scheme("user", "1 day", scheme.percentile, 0.5, least=2), *switches)
    equals_the_reference(simulate(busy_users(seed), EASY(order=order, adjust=usual)))


# The rules one by one: user 1 uses half of what he asks for, or whatever the test says


def past(*r, end=-1, user=1):
    """Earlier jobs of a user with these shares of their estimates used."""
    return pd.DataFrame([(user, 1, round(1000 * share), 1000, end) for share in r], columns=EARLIER, dtype="int64")


def easy(known=None, order="fcfs", overdue=300, switches=(True, True, True), **scheme):
    scheme = Scheme(**{"key": "user", "window": None, "least": 1} | scheme)
    return EASY(order=order, adjust=Adjustment(scheme, *switches, past=known, overdue=overdue))


def both(rows, policy, column):
    """A column of the compiled schedule, which is that of the plain one, too."""
    w = numbered(rows, 8)
    found = simulate(w, policy).jobs[column].tolist()
    assert [getattr(job, column) for job in plainly(w, policy)] == found
    return found


def adjusted(rows, policy):
    return both(rows, policy, "adjusted")


def test_an_estimate_is_multiplied_by_the_percentile_of_what_its_group_used():
    job = (0, 500, 1000, 1, 1, 1)
    assert adjusted([job], easy(past(0.2, 0.4, 0.8), percentile=50)) == [400]
    assert adjusted([job], easy(past(0.2, 0.4, 0.8), percentile=100)) == [800]
    assert adjusted([job], easy(past(0.2, 0.4, 0.8), percentile=50, threshold=0.5)) == [500]
    assert adjusted([job], easy(past(0.2, 0.4, 0.8), percentile=50, least=4)) == [1000]
    assert adjusted([job], easy(past(0.2, 0.4, 0.8, user=2), percentile=50)) == [1000]


def test_a_job_without_a_key_is_neither_adjusted_nor_learned_from():
    rows = [(0, 500, 1000, 1, -1, 1), (600, 500, 1000, 1, -1, 1), (700, 500, 1000, 1, 1, 1)]
    assert adjusted(rows, easy()) == [1000, 1000, 1000]


# half of the machine is in use until 1000, a head that wants all of it waits, and a third job would fill the gap
GAP = [(0, 1000, 1000, 4, 2, 2), (1, 100, 100, 8, 2, 2)]


def starts(rows, policy):
    return both(rows, policy, "start")


def test_an_adjusted_job_fits_the_gap_before_the_head():
    rows = [*GAP, (2, 800, 2000, 4, 1, 1)]
    assert starts(rows, EASY()) == [0, 1000, 1100]
    assert starts(rows, easy(past(0.4))) == [0, 1000, 2]
    assert starts(rows, easy(past(0.4), switches=(True, False, True))) == [0, 1000, 1100]


def test_a_job_that_was_adjusted_too_far_delays_the_head():
    rows = [*GAP, (2, 1500, 2000, 4, 1, 1)]
    assert starts(rows, easy(past(0.4))) == [0, 1502, 2]


def test_running_jobs_that_are_adjusted_shorten_the_gap():
    rows = [(0, 1000, 2000, 4, 1, 1), (1, 100, 100, 8, 2, 2), (2, 900, 900, 4, 2, 2)]
    assert starts(rows, EASY()) == [0, 1000, 2]
    assert starts(rows, easy(past(0.4))) == [0, 1000, 1100]
    assert starts(rows, easy(past(0.4), switches=(True, True, False))) == [0, 1000, 2]


def test_the_queue_is_sorted_by_the_adjusted_estimates():
    rows = [(0, 1000, 1000, 8, 2, 2), (1, 600, 600, 8, 2, 2), (2, 400, 1000, 8, 1, 1)]
    assert starts(rows, easy(past(0.4), "sjf")) == [0, 1400, 1000]
    assert starts(rows, easy(past(0.4), "sjf", switches=(False, True, True))) == [0, 1000, 1600]


@pytest.mark.parametrize("submit, start", [(799, 799), (800, 800), (801, 801)])
def test_a_job_that_outlives_its_estimate_is_taken_to_end_in_five_minutes(submit, start):
    # the first is expected at 800 and runs on; whoever comes then and takes 300 s is let pass, at any later time again
    rows = [(0, 2000, 2000, 4, 1, 1), (1, 100, 100, 8, 2, 2)]
    expected_in_time = submit < 800
    late = [2000 + 100 if expected_in_time else start, 2000 + 100]
    for length, begins in zip((300, 301), late, strict=True):
        assert starts([*rows, (submit, length, length, 4, 2, 2)], easy(past(0.4)))[2] == begins
    assert starts([*rows, (1500, 300, 300, 4, 2, 2)], easy(past(0.4)))[2] == 1500
    assert starts([*rows, (1500, 300, 300, 4, 2, 2)], easy(past(0.4), overdue=299))[2] == 2100


def test_an_overdue_job_may_be_expected_after_one_that_is_in_time():
    # at 900 the first is overdue and expected at 1200, the second at 1000: it alone makes room for a head of 4
    rows = [(0, 2000, 2000, 2, 1, 1), (0, 1000, 1000, 4, 2, 2), (900, 100, 100, 4, 2, 2)]
    policy = easy(past(0.4))
    assert simulate(numbered(rows, 8), policy).shadow[3] == 1000
    rows[2] = (900, 100, 100, 7, 2, 2)
    assert simulate(numbered(rows, 8), policy).shadow[3] == 1200


def test_settings_of_an_adjustment_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="past: missing column end"):
        Adjustment(past=similar([0], [10]).drop(columns="end"))
    with pytest.raises(ValueError, match="the jobs have no user"):
        simulate(random_workload(1), EASY(adjust=Adjustment(Scheme("user"))))
    with pytest.raises(ValueError, match=r"expected prepare\(jobs\) first"):
        EASY(adjust=Adjustment()).schedule(*np.ones((4, 1), np.int64), 1)


def test_a_plan_with_adjusted_estimates_is_refused():
    s = simulate(numbered([(0, 500, 1000, 1, 1, 1)], 8), easy(past(0.4)))
    with pytest.raises(ValueError, match="found adjusted estimates"):
        s.plan(0)


def test_a_policy_is_prepared_for_the_jobs_if_it_can_be():
    class InOrderOfUsers:
        def prepare(self, jobs):
            self.user = jobs.user.to_numpy()
            return self

        def schedule(self, submit, run, estimate, procs, machine):
            order = np.argsort(self.user, kind="stable")
            start = np.empty_like(submit)
            start[order] = submit.max() + np.cumsum(run[order]) - run[order]
            return {"start": start}

    rows = [(0, 10, 10, 1, 2, 1), (5, 10, 10, 1, 1, 1)]
    assert simulate(numbered(rows, 8), InOrderOfUsers()).jobs.start.tolist() == [15, 5]
