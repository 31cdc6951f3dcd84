"""Other orders, predictions, sets and reservations are explained, too: equal to the engine, and in plain sentences."""

import pandas as pd
import pytest
from helpers import busy_users, crowded, numbered, seeds, table
from helpers import every_policy_beyond as every_policy
from hypothesis import given, settings
from hypothesis import strategies as st
from test_explain import adds_up, agrees, reads_well, sentences

import simlib
from simlib import EASY, FCFS, Conservative, Multifactor, Predictions, Selective, simulate
from simlib.explain import explain, why
from simlib.study.tang2013.examples import backfill_window


@pytest.mark.slow
@every_policy
@settings(max_examples=40)
@given(workload=crowded(), overrun=st.sampled_from(["extend", "kill"]))
def test_the_decisions_make_the_schedule_of_the_engine(policy, overrun, workload):
    assert agrees(explain(workload, policy, overrun))


@pytest.mark.thorough
@every_policy
@settings(max_examples=400)
@given(workload=crowded(), overrun=st.sampled_from(["extend", "kill"]))
def test_the_decisions_make_the_schedule_of_the_engine_in_many_cases(policy, overrun, workload):
    assert agrees(explain(workload, policy, overrun))


@pytest.mark.slow
@every_policy
@settings(max_examples=5)
@seeds
def test_the_decisions_make_the_schedule_of_the_engine_with_longer_queues(policy, seed):
    w = busy_users(seed)
    assert agrees(explain(w.derive(w.jobs.assign(submit=w.jobs.submit // 2), "twice as busy"), policy))


@pytest.mark.slow
@every_policy
@settings(max_examples=10)
@given(workload=crowded())
def test_every_record_is_a_picture_that_adds_up_and_a_whole_sentence(policy, workload):
    explanation = explain(workload, policy)
    assert adds_up(explanation) and reads_well(explanation)


# Who is tried first

PASSING = [(0, 10, 10, 3), (1, 5, 5, 4), (1, 9, 9, 1), (1, 4, 4, 1), (1, 6, 6, 1)]


def test_easy_tells_in_which_order_those_who_may_pass_are_tried():
    explanation = explain(table(PASSING, 4), EASY(backfill="sjf"))
    assert [seen.sentence for seen in explanation if seen.time == 1][2:] == [
        "Those that would not delay job 1 are tried by estimate, the shortest first: jobs 3 (4 s), 4 (6 s) and 2 "
        "(9 s).",
        "Job 3 starts now, ahead of job 1 at the head: it needs 1 processor and will end by 5, before the shadow time "
        "10.",
        "Jobs 2 and 4 are refused: no processor is free.",
    ]
    assert sentences(explain(table(PASSING, 4), EASY()), "try") == []


def test_an_order_that_hangs_on_what_is_free_is_told_anew_when_it_changes():
    def half_of_what_is_free(procs, free):
        return -abs(procs - free / 2)

    rows = [(0, 10, 10, 4), (1, 5, 5, 10), (1, 9, 9, 1), (1, 9, 9, 2), (1, 9, 9, 3)]
    assert sentences(explain(table(rows, 10), EASY(backfill=half_of_what_is_free)), "try") == [
        "Those that would not delay job 1 are tried by half_of_what_is_free: jobs 4 (-0), 3 (-1) and 2 (-2).",
        "Those that would not delay job 1 are tried by half_of_what_is_free: jobs 2 (-0.5) and 3 (-0.5).",
    ]


@pytest.mark.parametrize(
    "way, told",
    [
        ("largest", "processors, the most first: jobs 3 (2), 2 (1) and 4 (1)."),
        ("smallest area", "processors x estimate, the smallest first: jobs 4 (6), 3 (8) and 2 (9)."),
        (
            "best-fit",
            "what they fill of the window until the shadow time, the most processor-seconds first: jobs 2 (9), 3 (8) "
            "and 4 (6).",
        ),
        (
            "arrival",
            "arrival: jobs 2, 3 and 4.",
        ),
    ],
)
def test_each_order_of_those_who_may_pass_has_its_words(way, told):
    rows = [(0, 10, 10, 8), (1, 1, 1, 12), (1, 9, 9, 1), (1, 4, 4, 2), (1, 6, 6, 1)]
    policy = EASY(order=lambda wait, estimate, procs: procs * 100 - estimate, backfill=way)
    tried = sentences(explain(table(rows, 12), policy), "try")[:1]
    assert tried == [f"Those that would not delay job 1 are tried by {told}"]


def test_a_queue_with_an_order_and_no_backfilling_tells_the_order_and_who_would_fit():
    rows = [(0, 10, 10, 3), (1, 5, 5, 2), (2, 4, 4, 2), (3, 9, 9, 1)]
    told = explain(table(rows, 4), FCFS(order="sjf"))
    assert sentences(told, "sort") == ["The queue is sorted by estimate, the shortest first: jobs 2 (4 s) and 1 (5 s)."]
    assert sentences([seen for seen in told if seen.time == 3], "wait") == [
        "Job 2 waits at the head: it needs 2 processors, 1 is free. Nobody may pass it, not even job 3, which would "
        "fit."
    ]


# Reservations

RESERVED = [(0, 10, 20, 3), (1, 5, 5, 4), (2, 9, 9, 2), (3, 30, 30, 1), (4, 2, 2, 2)]


def told_at(time, policy, rows=RESERVED, machine=4):
    return [seen.sentence for seen in explain(table(rows, machine), policy) if seen.time == time]


def test_who_is_among_the_first_gets_a_reservation_and_others_must_not_touch_it():
    assert told_at(2, EASY(reservations=2))[1:] == [
        "Job 2, among the first 2 that wait, gets a reservation at 25: the first time at which 2 processors are free."
    ]
    assert told_at(3, EASY(reservations=2))[1:] == [
        "Job 3 is refused: it may run until 33, and would touch the reservation of job 1 at 20."
    ]
    assert told_at(10, EASY(reservations=2))[1:] == [
        "Compression moves the reservation of job 1 from 20 to 10: it can start at once.",
        "Compression moves the reservation of job 2 from 25 to 15.",
        "Job 1 starts at its reserved time, 10 s before the one reserved first.",
        "Job 3, among the first 2 that wait, gets a reservation at 15: the first time at which 1 processor is free.",
        "Job 4 is refused: no processor is free.",
    ]


def test_a_start_that_touches_no_reservation_says_until_when():
    rows = [*RESERVED[:3], (3, 4, 4, 1)]
    assert told_at(3, EASY(reservations=2), rows)[1:] == [
        "Job 3 starts now, ahead of jobs 1 and 2: it needs the one free processor and touches no reservation until 7, "
        "its expected end."
    ]


def test_who_is_not_among_the_first_any_more_gives_its_reservation_up():
    rows = [*RESERVED[:3], (4, 2, 2, 2)]
    assert told_at(4, EASY(reservations=2, order="sjf"), rows)[1:] == [
        "The queue is sorted by estimate, the shortest first: jobs 3 (2 s), 1 (5 s) and 2 (9 s).",
        "Job 2 gives up its reservation at 25: it is not among the first 2 any more.",
        "Job 1 keeps its reservation at 20: it fits no earlier.",
        "Job 3, among the first 2 that wait, gets a reservation at 25: the first time at which 2 processors are free.",
        "Job 2 is refused: it needs 2 processors, 1 is free.",
    ]


def test_a_job_that_has_become_slow_gets_a_reservation():
    rows = [(0, 20, 20, 3), (1, 10, 10, 4), (11, 15, 15, 1)]
    assert told_at(1, Selective(2), rows)[1:] == ["Job 1 is refused: it needs 4 processors, 1 is free."]
    assert told_at(11, Selective(2), rows)[1:] == [
        "Job 1, whose expected slowdown has come to 2.00, gets a reservation at 20: the first time at which 4 "
        "processors are free.",
        "Job 2 is refused: it may run until 26, and would touch the reservation of job 1 at 20.",
    ]
    assert told_at(1, Selective("adaptive"), rows)[1:] == [
        "Job 1, whose expected slowdown of 1.00 has come to the mean so far, 1.00, gets a reservation at 20: the first "
        "time at which 4 processors are free."
    ]


def test_everyone_gets_a_reservation_under_conservative_backfilling_in_any_order():
    rows = [*RESERVED[:3], (4, 2, 2, 2)]
    assert told_at(4, Conservative(order="sjf"), rows)[1:] == [
        "The queue is sorted by estimate, the shortest first: jobs 3 (2 s), 1 (5 s) and 2 (9 s).",
        "Job 3 gets a reservation at 25: the first time at which 2 processors are free.",
    ]


def test_why_tells_when_a_job_got_a_reservation_what_became_of_it_and_who_was_in_the_way():
    s = simulate(table([*RESERVED[:3], (4, 2, 2, 2)], 4), EASY(reservations=2, order="sjf"))
    told = why(s, 2)
    assert "It got a reservation for 25 (at 2), gave it up (at 4) and got a reservation for 17 (at 10)." in told
    assert told.endswith(
        "Job 3 came later and passed it. It was refused once because too few processors were free. It started the "
        "moment that job 1 ended, 8 s before its first reservation."
    )
    s = simulate(table(RESERVED, 4), EASY(reservations=2))
    assert "It got a reservation for 20 (at 1) and had it moved to 10 (at 10)." in why(s, 1)
    assert "It was refused twice because it would have touched a reservation." in why(s, 3)


# Predictions

PREDICTED = [(0, 10, 60, 2, 7), (0, 30, 60, 2, 7), (31, 90, 40, 3, 7), (32, 9, 30, 4, 1), (33, 9, 200, 1, 7)]


def test_predictions_tell_what_is_predicted_from_what_and_what_is_done_when_they_are_outlived():
    w = numbered([*PREDICTED, (60, 5, 5, 1, -1)], 4)
    explanation = explain(w, EASY(adjust=Predictions()))
    assert sentences(explanation, "predict", "correct") == [
        "Job 1 is expected to run for its estimate, 60 s: no job of user 7 has ended before.",
        "Job 2 is expected to run for its estimate, 60 s: no job of user 7 has ended before.",
        "Job 3 is predicted to run for 20 s: the last two jobs of user 7 that have ended ran for 10 s and 30 s; the "
        "estimate is 40 s.",
        "Job 4 is expected to run for its estimate, 30 s: no job of user 1 has ended before.",
        "Job 5 is predicted to run for 20 s: the last two jobs of user 7 that have ended ran for 10 s and 30 s; the "
        "estimate is 200 s.",
        "Job 3 should have ended by 51 and still runs: it is now expected to end by 71, as its user asked.",
        "Job 6 is expected to run for its estimate, 5 s: its user is not known.",
        "Job 3 should have ended by 71 and still runs: it is now expected to end by 131.",
    ]
    assert sentences(explanation, "refuse")[0] == (
        "Job 5 is refused: it should run until 53, past the shadow time 51, and needs 1 processor where none is extra."
    )
    assert sentences(explanation, "backfill")[0] == (
        "Job 5 starts now, ahead of job 4 at the head: it needs 1 processor and should end by the shadow time 71."
    )
    assert "It was predicted to run for 20 s." in why(explanation.schedule, 5)
    for now, end in [(40, 51), (60, 71), (71, 131), (100, 131)]:
        window = backfill_window(explanation.schedule, now, 4)
        assert window.start[4] == end and window.run[3] == 20
    with pytest.raises(ValueError, match="expected EASY, one reservation"):
        backfill_window(simulate(w, EASY(reservations=2)), 60, 4)


def test_a_prediction_from_a_single_earlier_job_and_jobs_of_the_same_estimate_are_told():
    rows = [(0, 10, 60, 2, 7), (11, 10, 60, 2, 7), (12, 10, 90, 2, 7)]
    explanation = explain(numbered(rows, 8), EASY(adjust=Predictions("same estimate")))
    assert sentences(explanation, "predict")[1:] == [
        "Job 2 is predicted to run for 10 s: the only earlier job of user 7 that has ended ran for 10 s; the estimate "
        "is 60 s.",
        "Job 3 is expected to run for its estimate, 90 s: no job of user 7 has ended before.",
    ]


def test_jobs_of_before_predict_in_explanations_as_in_the_engine():
    past = pd.DataFrame({"user": [7, 7, 8], "run": [10, 30, 9], "submit": [-9, -5, -2], "estimate": [60, 0, 60]})
    w = numbered([(0, 10, 60, 2, 7), (1, 10, 0, 2, 7), (2, 10, 1, 2, 7)], 8)
    for predictor, first in [("last two", 20), ("same estimate", 10)]:
        explanation = explain(w, EASY(adjust=Predictions(predictor, past=past)))
        assert explanation.schedule.jobs.adjusted.to_list() == [first, 1, 1]
        assert f"Job 1 is predicted to run for {first} s" in sentences(explanation, "predict")[0]


# Sets


def test_lookahead_tells_which_set_is_best_and_what_easy_would_have_taken():
    rows = [(0, 10, 10, 5), (1, 9, 9, 10), (2, 5, 5, 2), (2, 5, 5, 2), (2, 5, 5, 3), (2, 20, 20, 1)]
    assert told_at(2, EASY(backfill="lookahead"), rows, 10)[2:] == [
        "Jobs 2 and 4 take all 5 free processors, and no set that does not delay job 1 takes more; in the order of the "
        "queue, jobs 2 and 3 would take 4.",
        "Job 2 starts now, ahead of job 1 at the head: it needs 2 processors and will end by 7, before the shadow time "
        "10.",
        "Job 3 is refused: no set with it is better than the one that takes 5 processors.",
        "Job 4 starts now, ahead of job 1 at the head: it needs 3 processors and will end by 7, before the shadow time "
        "10.",
        "Job 5 is refused: no processor is free.",
    ]
    assert "once because a set without it took more processors" in why(
        simulate(table(rows, 10), EASY(backfill="lookahead")), 3
    )


def test_lookahead_looks_no_further_than_fifty_jobs_behind_the_head():
    rows = [(0, 10, 10, 3), (1, 9, 9, 4), *[(2, 20, 20, 1)] * 50, (2, 5, 5, 1), (2, 5, 5, 1)]
    assert told_at(2, EASY(backfill="lookahead"), rows)[-1] == (
        "Jobs 52 and 53 are not looked at: they are not among the first 50 behind the head."
    )
    assert told_at(2, EASY(), rows)[-2].startswith("Job 52 starts now")


# Priorities


def test_a_priority_that_clusters_use_is_taken_apart_where_few_wait():
    day = 86400
    rows = [(0, day, day, 4, 1), (1, 9, 9, 4, 1), (2, 9, 9, 2, 2)]
    policy = EASY(order=Multifactor(procs=0.5, max_age_days=1))
    assert sentences(explain(numbered(rows, 4), policy), "sort") == [
        "The queue is sorted by priority, age + procs + fair share: jobs 3 (1.250: age 0.000, procs 0.250, fair share "
        "1.000) and 2 (0.750: age 0.000, procs 0.500, fair share 0.250)."
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy", [EASY.plus_plus(), Selective("adaptive"), FCFS(order=Multifactor(half_life_days=0.1))], ids=str
)
@settings(max_examples=5)
@seeds
def test_why_knows_what_came_before_the_machine_was_empty(policy, seed):
    from simlib.explain import replay

    first, then = busy_users(seed, 20).jobs, busy_users(seed + 1, 40).jobs
    rows = pd.concat([first, then.assign(submit=then.submit + 10**7)], ignore_index=True)
    explanation = explain(simlib.Workload(rows, 16), policy)
    by_arrival = explanation.schedule.jobs
    others = "sort", "try", "correct"  # of several jobs, or of one that runs
    for place in range(20, 60, 6):
        story = replay._story(explanation.schedule, by_arrival, place)
        decided = [seen.kind for seen in explanation if place in seen.jobs and seen.kind not in others]
        assert [rule.kind for _, rule, *_ in story if rule.kind not in others] == decided
