"""What policies between and beyond EASY and conservative backfilling decide: where they meet, and by hand."""

import math
import os
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers import (
    busy_users,
    numbered,
    plainly,
    random_workload,
    seeds,
    starts,
    table,
    young_users_first,
)

import simlib
from simlib import EASY, FCFS, Conservative, Multifactor, Predictions, Selective, simulate
from simlib._util.paths import TRACES
from simlib.policies.adjusting import Adjustment

# One end and the other


@pytest.mark.parametrize("order", ["fcfs", "sjf"])
@seeds
def test_one_reservation_is_easy_in_any_order(order, seed):
    w = random_workload(seed, shortest=1)
    columns = [w.jobs[name].to_numpy(copy=True) for name in ("submit", "run", "estimate", "procs")]
    columns[2] = np.maximum(columns[1], columns[2])
    rules = {"most": 1, "priority": None if order == "fcfs" else simlib.policies.orders.compiled(order)}
    one = simlib.engine.reserving(*columns, w.procs, *simlib.engine.OPEN, np.zeros(2, np.int64), **rules)
    easy = simulate(w, EASY(order=order))
    assert (one[0] == easy.jobs.start).all()
    assert order != "fcfs" or (one[2] == easy.jobs.backfilled).all()


def longest_waiting_first(wait):
    return wait


@seeds
def test_reservations_for_all_are_conservative_backfilling(seed):
    w = random_workload(seed, shortest=1)
    conservative = simulate(w, Conservative())
    ranked = simulate(w, Conservative(order=longest_waiting_first))  # goes through the whole queue in each pass
    pd.testing.assert_frame_equal(ranked.jobs, conservative.jobs)
    everyone = simulate(w, EASY(reservations=math.inf))
    assert everyone.jobs.start.equals(conservative.jobs.start)
    assert everyone.shadow.equals(conservative.jobs.guarantee.rename("shadow"))
    assert simulate(w, Selective(1)).jobs.start.equals(conservative.jobs.start)


@seeds
def test_backfilling_in_the_order_of_the_queue_is_easy(seed):
    w = random_workload(seed)
    assert simulate(w, EASY(backfill="arrival")).jobs.equals(simulate(w, EASY()).jobs)
    first_come = EASY(backfill=lambda wait: wait)  # goes by another way through the kernel
    assert simulate(w, first_come).jobs.equals(simulate(w, EASY()).jobs)


@seeds
@pytest.mark.parametrize("most", [1, 2, 5])
def test_whoever_gets_a_reservation_starts_by_it(most, seed):
    s = simulate(random_workload(seed), EASY(reservations=most))
    reserved = s.shadow >= 0
    assert reserved.any()
    assert (s.jobs.start <= s.shadow)[reserved].all()


@seeds
def test_lookahead_takes_no_fewer_processors_in_its_first_pass_than_easy(seed):
    jobs = random_workload(seed, jobs=40).jobs
    full = simlib.Workload(jobs.assign(submit=0), 64)
    busy = [simulate(full, EASY(backfill=way)).jobs for way in ("lookahead", "arrival")]
    ours, easys = (one.procs[(one.start == 0) & (one.end > 0)].sum() for one in busy)
    assert ours >= easys


# By hand


def test_the_head_and_those_behind_it_may_be_in_different_orders():
    # A runs; the head B needs all; C and D fit beside A, one at a time
    rows = [(0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1), (3, 4, 4, 1)]
    assert starts(rows, 4, EASY()) == [0, 10, 2, 15]
    rows[2:] = [(3, 7, 7, 1), (3, 4, 4, 1)]
    assert starts(rows, 4, EASY()) == [0, 10, 3, 15]
    assert starts(rows, 4, EASY(backfill="sjf")) == [0, 10, 15, 3]
    assert starts(rows, 4, EASY(order="sjf")) == [0, 10, 15, 3]


def test_of_two_that_are_as_short_the_first_to_arrive_passes_the_head_in_any_order_of_the_queue():
    # two are free from 21 on, when K ends, and the head H waits for all until 100: X was there before Y
    rows = [(0, 100, 100, 2), (0, 20, 20, 2), (1, 1, 1, 2), (1, 10, 10, 4), (2, 50, 50, 2), (3, 50, 50, 1)]
    assert starts(rows, 4, EASY(order="smallest area", backfill="sjf")) == [0, 0, 20, 100, 21, 110]


def test_the_names_of_backfill_orders_say_what_is_tried_first():
    # 4 of 12 processors are free until 100, when the head takes all; a job of each kind, no two of which fit together
    rows = [(0, 100, 100, 8), (0, 9, 9, 12), (1, 30, 30, 3), (1, 90, 90, 2), (1, 5, 5, 2), (1, 60, 60, 4), (1, 4, 4, 3)]

    first = {"arrival": 2, "sjf": 6, "largest": 5, "smallest area": 4, "best-fit": 5}
    for way, job in first.items():
        assert starts(rows, 12, EASY(backfill=way))[job] == 1
    rows[5] = (1, 20, 20, 4)  # the largest, but it leaves most of the window empty
    assert [starts(rows, 12, EASY(backfill=way))[5] for way in ("largest", "best-fit")] == [1, 109]
    # what runs past the shadow time fills the window only: 2 x 99 are less than 3 x 90
    past_it = [(0, 100, 100, 8), (0, 9, 9, 10), (1, 1000, 1000, 2), (1, 90, 90, 3)]
    assert starts(past_it, 12, EASY(backfill="best-fit")) == [0, 100, 91, 1]


SETS = {
    "ends exactly at the shadow time": ([(0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1)], 4, [0, 10, 2]),
    "the set with the first jobs of several that fill all": (
        [(0, 10, 10, 4), (1, 5, 5, 8), (2, 8, 8, 3), *[(2, 8, 8, 2)] * 3],
        8,
        [0, 10, 15, 2, 2, 15],
    ),
    "the fiftieth behind the head": ([(0, 10, 10, 1), (0, 5, 5, 2), *[(1, 99, 99, 1)] * 49, (1, 5, 5, 1)], 2, 1),
    "the next one": ([(0, 10, 10, 1), (0, 5, 5, 2), *[(1, 99, 99, 1)] * 50, (1, 5, 5, 1)], 2, 15 + 25 * 99),
}


@pytest.mark.parametrize("rows, machine, known", SETS.values(), ids=list(SETS))
def test_lookahead_starts_the_best_set(rows, machine, known):
    policy = EASY(backfill="lookahead")
    plain = [job.start for job in plainly(table(rows, machine), policy)]
    assert starts(rows, machine, policy) == plain
    assert (plain if isinstance(known, list) else plain[-1]) == known


@pytest.mark.parametrize("comes, known", [(15, [0, 115, 15]), (16, [0, 40, 45])])
def test_a_job_is_entitled_when_its_slowdown_comes_to_the_threshold_by_ten_seconds_at_least(comes, known):
    # B of 5 s has the slowdown (15 + 5) / 10 = 2 at second 16; from then on C must not delay it
    assert starts([(0, 40, 40, 3), (1, 5, 5, 4), (comes, 100, 100, 1)], 4, Selective(2)) == known


# Predictions (Tsafrir, Etsion & Feitelson 2005, section 3)


def adjusted(rows, **settings):
    return simulate(numbered(rows, 8), EASY(adjust=Predictions(**settings))).jobs.adjusted.to_list()


def test_a_job_is_predicted_from_the_two_that_were_submitted_last_of_those_that_have_ended():
    rows = [(0, 90, 200, 1, 1, 1), (1, 50, 200, 1, 1, 1), (2, 30, 200, 1, 1, 1), (95, 5, 200, 1, 1, 1)]
    assert adjusted(rows) == [200, 200, 200, 40]  # not 60, from the two that ended last


def test_a_job_is_predicted_from_a_single_earlier_one_and_from_one_that_ends_just_now():
    rows = [(0, 10, 90, 1, 1, 1), (0, 30, 90, 1, 1, 1), (10, 5, 90, 1, 1, 1), (30, 5, 90, 1, 1, 1), (31, 5, 6, 1, 1, 1)]
    assert adjusted(rows) == [90, 90, 10, 17, 6]


def test_the_last_two_predict_only_jobs_with_their_estimate_if_that_is_wanted():
    asked = [90, 90, 90, 60, 60, 90, 60]  # the third has two of 90 before it, the sixth two of 60, the last 90 and 60
    rows = [(50 * place, 10 + place, estimate, 1, 1, 1) for place, estimate in enumerate(asked)]
    assert adjusted(rows, predictor="same estimate") == [90, 90, 10, 60, 60, 90, 60]
    assert adjusted(rows[:5] + [(250, 9, 60, 1, 1, 1)], predictor="same estimate")[-1] == 13
    assert adjusted(rows) == [90, 10, 10, 11, 12, 13, 14]
    assert adjusted(rows, predictor="exact") == list(range(10, 17))
    assert adjusted(rows, predictor="estimate") == asked


def test_what_is_known_before_counts_less_than_what_is_learned():
    past = pd.DataFrame({"user": [1, 2, 1, 1], "run": [10, 7, 40, 20], "submit": [-30, -20, -9, -10], "estimate": 90})
    rows = [(0, 50, 90, 1, 1, 1), (60, 5, 90, 1, 1, 1), (60, 5, 90, 1, 3, 1)]
    assert adjusted(rows, past=past) == [30, 45, 90]
    assert adjusted(rows, predictor="same estimate", past=past) == [30, 45, 90]


PAST = pd.DataFrame({"submit": [-30, -20], "run": [10, 7], "user": 1, "estimate": 90, "end": [-20, -13], "group": 1})

WRONG_PAST = {
    "a run of no time known": ({"run": [10, -1]}, "column run: job 1: found -1"),
    "a half": ({"run": [100.9, 10]}, "column run: job 0: found 100.9"),
    "sums that overflow": ({"run": [2**62, 2**62]}, "column run: job 0: found 4611686018427387904"),
    "users not known": ({"user": [1, None]}, "column user: job 1: found nan"),
    "estimates of another kind": ({"estimate": [90, "1 h"]}, "column estimate: job 1: found '1 h'"),
}


@pytest.mark.parametrize("columns, said", WRONG_PAST.values(), ids=WRONG_PAST)
@pytest.mark.parametrize("make", [partial(Predictions, "same estimate"), Adjustment])
def test_earlier_jobs_that_no_workload_has_are_refused(make, columns, said):
    if make is Adjustment and columns == WRONG_PAST["a half"][0]:  # for R is a fraction anyway
        assert make(past=PAST.assign(**columns)).past.run.tolist() == columns["run"]
    else:
        with pytest.raises(ValueError, match=f"past: {said}"):
            make(past=PAST.assign(**columns))
    with pytest.raises(ValueError, match="past: found column run twice"):
        make(past=pd.concat([PAST, PAST[["run"]]], axis=1))
    make(past=PAST.astype(float))


def first_shadow(now, run, estimate, **settings):
    """When the head is promised to start that arrives at a second, behind a job that fills the machine."""
    past = pd.DataFrame({"user": [1, 1], "run": [10, 10], "submit": [-99, -99]})
    policy = EASY(adjust=Predictions(past=past, **settings))
    w = numbered([(0, run, estimate, 4, 1, 1), (now, 9, 9, 4, 2, 2)], 4)
    shadow = simulate(w, policy).shadow[2]
    assert plainly(w, policy)[1].first_promise == shadow
    return shadow


def test_an_outlived_prediction_becomes_the_estimate_and_an_outlived_estimate_grows_by_the_steps():
    minute, hour = 60, 3600
    assert [first_shadow(now, 10**6, 500) for now in (5, 10, 499)] == [10, 500, 500]
    ends = 500 + np.cumsum(
        [minute * more for more in (1, 5, 15, 30)] + [hour * more for more in (1, 2, 5, 10, 20, 50, 100)]
    )
    promised = [first_shadow(now, 10**6, 500) for now in (500, *ends)]
    assert promised == [*ends, ends[-1] + 100 * hour]
    assert first_shadow(700, 10**6, 500, correct=False) == 10  # as predicted, though that is past
    assert first_shadow(700, 10**6, 500, running=False) == 10**6  # where it is switched off, as under EASY


def test_a_correction_lets_the_scheduler_act():
    rows = [(0, 300, 100, 3, 1, 1), (1, 9, 9, 4, 2, 2), (2, 150, 150, 1, 3, 3)]
    start = simulate(numbered(rows, 4), EASY(adjust=Predictions("estimate"))).jobs.start
    assert start[3] == 160  # when the head is promised 460 in place of 160, and nothing arrives or ends
    assert simulate(numbered(rows, 4), EASY()).jobs.start[3] == 2  # who knows that job 1 runs for 300 s


PRINTED = {  # catalogue name: file, mean wait in minutes and bounded slowdown by an independent program
    "KTH-SP2": ("KTH-SP2-1996-2.1-cln", 91.6, 55.0),
    "CTC-SP2": ("CTC-SP2-1996-3.1-cln", 13.9, 2.8),
    "SDSC-SP2": ("SDSC-SP2-1998-4.2-cln", 322.7, 68.9),
    "SDSC-BLUE": ("SDSC-BLUE-2000-4.2-cln", 90.7, 18.2),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::simlib.LogWarning")
@pytest.mark.parametrize("name", PRINTED)
def test_easy_plus_plus_of_the_reports_logs_is_that_of_an_independent_program(name):
    file, wait, slowdown = PRINTED[name]
    path = Path(os.environ.get("SIMLIB_TRACES", TRACES), f"{file}.swf.gz")
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    w = simlib.read_swf(path, procs=512 if name == "CTC-SP2" else None)
    if name == "SDSC-BLUE":  # there the report has jobs without an allocation, too
        procs = w.log.procs.where(w.log.procs > 0, w.log.requested_procs)
        estimate = w.log.requested_time.where(w.log.requested_time > 0, w.log.run)
        jobs = w.log[["submit", "run", "user"]].assign(procs=procs, estimate=estimate)
        w = simlib.Workload(jobs, w.procs, "SDSC-BLUE")
    jobs = simulate(w, EASY.plus_plus()).jobs.sort_values("end", kind="stable")[len(w) // 100 :]
    assert (jobs.wait.mean() / 60, jobs.bounded_slowdown.mean()) == pytest.approx((wait, slowdown), rel=0.03)


def test_who_has_had_much_of_late_comes_later_and_half_of_it_is_forgotten_in_a_half_life():
    day = 86400  # user 1 has the machine for a day, user 2 for half a day after it; then both wait for it
    rows = [(0, day, day, 4, 1, 1), (1, day // 2, day // 2, 4, 2, 2), (day, 9, 9, 4, 1, 1), (day, 9, 9, 4, 2, 2)]

    def next_user(half_life):
        order = Multifactor(age=0, half_life_days=half_life)
        return simulate(numbered(rows, 4), EASY(order=order)).jobs[2:].sort_values("start").user.iloc[0]

    assert (next_user(100), next_user(0.1)) == (2, 1)


def least_used(usage):
    return -usage


@pytest.mark.parametrize("first, second", [(1, 2), (2, 1)])
@pytest.mark.parametrize("parts, seconds", [(2, 3600), (3, 7), (7, 60), (7, 1000), (5, 1_000_000)])
@pytest.mark.parametrize("order", [Multifactor(age=0), least_used], ids=["fair share", "usage"])
def test_users_who_have_had_as_much_come_in_order_of_arrival(order, parts, seconds, first, second):
    # each has half the machine, user 1 in one job, user 2 in several: their shares differ only in the last digit
    # in plain Python after a few seconds, compiled where much has been forgotten meanwhile: the last case
    end = parts * seconds
    rows = [(0, end, end, 2, 1, 1), *((part * seconds, seconds, seconds, 2, 2, 1) for part in range(parts))]
    w = numbered([*rows, (end - 1, 1, 1, 4, first, 1), (end - 1, 1, 1, 4, second, 1)], 4)
    assert simulate(w, FCFS(order=order)).jobs.start.tolist()[-2:] == [end, end + 1]
    assert [job.start for job in plainly(w, FCFS(order=order))][-2:] == [end, end + 1]


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: EASY(reservations=2, backfill="sjf"), "reservations=2 with backfill"),
        (lambda: EASY(reservations=2, adjust=Predictions()), "reservations=2 with adjust"),
        (lambda: EASY(reuse_extra=True, backfill="lookahead"), "reuse_extra=True with backfill='lookahead'"),
        (lambda: EASY(order=lambda window: window), "asks for window"),
        (lambda: Conservative("start", order="sjf"), "compress='start' with order='sjf'"),
        (lambda: Predictions(past=pd.DataFrame({"user": [1]})), "past: missing column submit, run"),
    ],
)
def test_what_no_policy_can_do_is_refused_with_what_it_can(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_lookahead_is_refused_on_a_machine_that_is_too_large_for_its_table():
    jobs = [(0, 10, 10, 1)]
    assert starts(jobs, 100, EASY(backfill="lookahead")) == [0]
    with pytest.raises(ValueError, match="found a machine of 5,000,001 processors"):
        simulate(table(jobs, 5_000_001), EASY(backfill="lookahead"))


def test_predictions_need_to_know_whose_the_jobs_are():
    with pytest.raises(ValueError, match="no job with a user"):
        simulate(table([(0, 10, 10, 1)], 4), EASY.plus_plus())


def test_an_order_that_gives_no_number_while_backfilling_is_named():
    rows = [(0, 10, 10, 3), (1, 5, 5, 4), (2, 5, 5, 1)]
    with pytest.raises(ValueError, match="EASY: backfill '<lambda>' returned nan for extra=0, window=8"):
        starts(rows, 4, EASY(backfill=lambda extra, window: extra / 0.0 * 0.0))
    with pytest.raises(ValueError, match="Conservative: order '<lambda>' returned nan for wait=0"):
        starts(rows, 4, Conservative(order=lambda wait, estimate, procs: wait / 0.0 * 0.0))


def test_a_policy_shows_the_options_that_were_set():
    assert repr(EASY()) == "EASY()"
    assert repr(EASY(order="sjf", reservations=math.inf)) == "EASY(order='sjf', reservations=inf)"
    assert repr(EASY(order=young_users_first)) == "EASY(order=young_users_first)"
    assert repr(Conservative("start")) == "Conservative(compress='start')"
    assert repr(Selective()) == "Selective()"


@pytest.mark.slow
@pytest.mark.parametrize("backfill", [None, "best-fit", "lookahead"])
@seeds
def test_to_rank_jobs_once_or_anew_in_each_pass_is_the_same_where_ranks_do_not_change(backfill, seed):
    jobs = busy_users(seed, jobs=400)
    once, anew = EASY(order="sjf", backfill=backfill), EASY(order=shortest_as_if_it_waited, backfill=backfill)
    schedules = [simulate(jobs, policy).jobs for policy in (once, anew)]
    pd.testing.assert_frame_equal(*schedules)


def shortest_as_if_it_waited(wait, estimate, procs):
    return -estimate
