"""Every decision is explained: records add up, and sentences say what was decided and why."""

import re

import pandas as pd
import pytest
from helpers import BEYOND, POLICIES, crowded, numbered, small_workloads, table
from hypothesis import given, settings

import simlib
from simlib import EASY, FCFS, Conservative, Multifactor, Predictions, Selective, plots, simulate
from simlib.explain import explain, why
from simlib.models import examples
from simlib.policies.walltime import Adjustment, Scheme
from simlib.study.tang2013.examples import backfill_window


def adds_up(explanation):
    """Every record is a picture of the machine that adds up."""
    machine = explanation.schedule.workload.procs
    for seen in explanation:
        in_use = sum(span.procs for span in seen.running if span.end > seen.time or seen.profile is None)
        assert seen.free == machine - in_use >= 0
        seen_jobs = [job.job for job in (*seen.done, *seen.running, *seen.queue)]
        assert len(seen_jobs) == len(set(seen_jobs))
        if seen.profile is not None:
            spans = (*seen.running, *seen.reservations)
            for time, free in seen.profile:
                assert free == machine - sum(span.procs for span in spans if span.start <= time < span.end)
    assert {span[:4] for span in explanation[-1].done} == {
        (job, row.procs, row.start, row.end) for job, row in explanation.schedule.jobs.iterrows()
    }


@settings(max_examples=30)
@given(drawn=small_workloads())
def test_promises_in_the_records_are_those_of_the_engine(drawn):
    machine, rows = drawn
    w = table(rows, machine)
    first = {}
    for seen in explain(w, EASY()):
        if seen.kind == "wait":
            first.setdefault(seen.job, seen.shadow)
    shadow = simulate(w, EASY()).shadow
    assert first == shadow[shadow >= 0].to_dict()
    conservative = explain(w, Conservative())
    reserved = {seen.job: at.start for seen in conservative if seen.kind == "reserve" for at in seen.reservations[-1:]}
    assert reserved == conservative.schedule.jobs.guarantee.to_dict()


def reads_well(explanation):
    """Every decision, and why the job that waits longest does, is told in whole sentences."""
    told = [seen.sentence for seen in explanation]
    told.append(why(explanation.schedule, explanation.schedule.jobs.wait.idxmax()))
    for text in told:
        assert re.fullmatch(r"[A-Z].*\.", text), text
        assert not re.search(r"None|nan|  | ,|\.\.|\b1 \w*processors|\b1 \w+ processors|-\d+ s|-\d+:", text), text


@pytest.mark.slow
@pytest.mark.parametrize("policy", (POLICIES | BEYOND).values(), ids=[*POLICIES, *BEYOND])
@settings(max_examples=15)
@given(workload=crowded())
def test_every_record_is_a_picture_that_adds_up_and_a_whole_sentence(policy, workload):
    explanation = explain(workload, policy)
    adds_up(explanation)
    reads_well(explanation)


# What is decided, on schedules small enough to read


def sentences(explanation, *kinds):
    return [seen.sentence for seen in explanation if seen.kind in kinds]


def test_fcfs_tells_who_would_fit_but_may_not_pass():
    assert sentences(explain(examples.figure1(), FCFS()), "wait")[:3] == [
        "Job first waits at the head: it needs 8 processors, 1 is free.",
        "Job first waits at the head: it needs 8 processors, 1 is free. Nobody may pass it.",
        "Job first waits at the head: it needs 8 processors, 1 is free. Nobody may pass it, not even job third, which "
        "would fit.",
    ]


def test_easy_tells_the_shadow_time_who_ends_by_it_and_who_is_refused():
    explanation = explain(examples.figure1(), EASY())
    assert [seen.sentence for seen in explanation if seen.time == 6] == [
        "Job third (1 processor, estimate 25 s) arrives: 1 processor is free.",
        "Job first still waits at the head: 1 processor is free, the shadow time remains 60, with no extra processor.",
        "Job second is refused: it needs 3 processors, 1 is free.",
        "Job third starts now, ahead of job first at the head: it needs 1 processor and will end by 31, before the "
        "shadow time 60.",
    ]
    assert sentences(explanation, "wait")[0] == (
        "Job first waits at the head: it needs 8 processors, 1 is free. "
        "Its shadow time is 60, when jobs A and B should have ended, with no extra processor."
    )
    assert sentences(explanation, "refuse")[-1] == (
        "Job second is refused: it may run until 81, past the shadow time 60, and needs 3 processors where none is "
        "extra."
    )


# a head of 10 processors, twice 5 of 16 in use until 10: 6 are extra then, and three jobs of 50 s would like some
EXTRA = [(0, 10, 10, 5), (0, 10, 10, 5), (1, 10, 10, 10), (1, 50, 50, 4), (1, 50, 50, 3), (1, 50, 50, 2)]


@pytest.mark.parametrize(
    "reuse_extra, told, extra",
    [
        (False, ["4 of the 6 extra processors, which leaves 2.", "all 2 extra processors."], [2, 0]),
        (True, [f"{few} of the 6 extra processors, which are not used up." for few in (4, 2)], [6, 6]),
    ],
)
def test_easy_tells_how_many_extra_processors_are_used(reuse_extra, told, extra):
    started = [seen for seen in explain(table(EXTRA, 16), EASY(reuse_extra=reuse_extra)) if seen.kind == "backfill"]
    beginning = "starts now, ahead of job 2 at the head: it may run until 51, past the shadow time 10, but on"
    assert [seen.sentence for seen in started] == [
        f"Job {job} {beginning} {on}" for job, on in zip((3, 5), told, strict=True)
    ]
    assert [seen.extra for seen in started] == extra


def test_a_shadow_time_that_an_early_end_moves_is_told_with_both_times():
    assert sentences(explain(examples.figure2(), EASY()), "wait")[2] == (
        "Job first still waits at the head: it needs 4 processors, 2 are free. "
        "Its shadow time moves from 100 to 40, when job top should have ended, with no extra processor."
    )


@pytest.mark.parametrize(
    "order, told",
    [
        ("sjf", "estimate, the shortest first: jobs 2 (5 s), 3 (7 s) and 1 (9 s)."),
        ("wfp", "WFP, (wait / estimate)^3 x procs: jobs 3 (20.2) and 1 (15.1)."),
        (lambda wait, estimate, procs: -estimate, "the given function: jobs 2 (-5), 3 (-7) and 1 (-9)."),
    ],
)
def test_a_queue_that_is_sorted_says_by_what(order, told):
    rows = [(0, 10, 10, 4), (1, 9, 9, 4), (2, 5, 5, 4), (3, 7, 7, 4)]
    last = [seen for seen in explain(table(rows, 4), EASY(order=order)) if seen.kind == "sort"][-1]
    assert last.sentence == f"The queue is sorted by {told}"
    priority = [job.priority for job in last.queue]
    assert priority == sorted(priority, reverse=True)


def test_conservative_tells_why_a_reservation_is_no_earlier():
    told = sentences(explain(examples.figure1(), Conservative()), "reserve")
    assert told[3:] == [
        "Job first arrives (8 processors, estimate 40 s) and gets a reservation at 60, its guarantee: the first time "
        "at which 8 processors are free.",
        "Job second arrives (3 processors, estimate 50 s) and gets a reservation at 100, its guarantee: at 30 it would "
        "fit, but only until 60.",
        "Job third arrives (1 processor, estimate 25 s) and can start at once.",
    ]


@pytest.mark.parametrize(
    "rule, kept, told",
    [
        (
            "arrival",
            True,
            [
                "Job bottom ends 80 s earlier than expected: 2 processors are free. The schedule is compressed, in "
                "order of arrival.",
                "Compression moves the reservation of job first from 100 to 90.",
                "Compression moves the reservation of job second from 40 to 20: it can start at once.",
                "Job second starts ahead of job first, which came earlier: its reservation is not touched.",
            ],
        ),
        (
            "start",
            True,
            [
                "Job bottom ends 80 s earlier than expected: 2 processors are free. The schedule is compressed, in "
                "order of reserved start.",
                "Compression moves the reservation of job second from 40 to 20: it can start at once.",
                "Compression moves the reservation of job first from 100 to 70.",
                "Job second starts ahead of job first, which came earlier: its reservation is not touched.",
            ],
        ),
        (
            "none",
            True,
            ["Job bottom ends 80 s earlier than expected: 2 processors are free. All reservations stay as they are."],
        ),
        (
            "rebackfill",
            False,
            [
                "Job bottom ends 80 s earlier than expected: 2 processors are free. All reservations are forgotten and "
                "made anew, in order of arrival.",
                "The new reservation of job first is 40 instead of 100.",
                "The new reservation of job second is 90 instead of 40: its guarantee is broken.",
            ],
        ),
    ],
)
def test_conservative_tells_what_an_early_end_does_to_the_reservations(rule, kept, told):
    explanation = explain(examples.figure2(), Conservative(rule))
    assert [seen.sentence for seen in explanation if seen.time == 20] == told
    last = [seen for seen in explanation if seen.job == "second" and seen.kind in ("start", "backfill")]
    assert ("after its guarantee 40" in last[0].sentence) is not kept


def test_jobs_in_a_row_that_are_refused_alike_are_told_in_one_sentence():
    rows = [(0, 10, 10, 3), (1, 10, 10, 4), (1, 10, 10, 2), (1, 10, 10, 3), (1, 5, 5, 1), (1, 5, 5, 1)]
    refused = [seen for seen in explain(table(rows, 4), EASY()) if seen.kind == "refuse" and seen.time == 1]
    assert [(seen.jobs, seen.job) for seen in refused] == [((2, 3), None), ((5,), 5)]
    assert [seen.sentence for seen in refused] == [
        "Jobs 2 and 3 are refused: they need 2 and 3 processors, 1 is free.",
        "Job 5 is refused: no processor is free.",
    ]


def test_a_record_has_all_that_a_picture_of_its_instant_needs():
    explanation = explain(examples.figure3(), EASY())
    seen = next(seen for seen in explanation if seen.kind == "backfill")
    assert (seen.time, seen.rule, seen.job) == (3, "fits the extra processors", "backfill")
    assert (seen.procs, seen.free, seen.shadow, seen.extra) == (4, 1, 10, 0)
    assert seen.running == (("A", 2, 0, 10, False), ("backfill", 1, 3, 33, True))
    assert seen.reservations == (("first", 3, 10, 20, False),)
    assert [job.job for job in seen.queue] == ["first", "second"]
    assert (seen.ended, seen.arrived, seen.done, seen.profile) == ((), ("backfill",), (), None)
    seen = explain(examples.figure3(), Conservative())[3]
    assert seen.profile == ((2, 2), (10, 1), (20, 0), (30, 4))
    assert [span.job for span in seen.reservations] == ["first", "second"]


def test_a_job_of_no_length_has_a_further_round_at_the_same_second():
    explanation = explain(table([(5, 0, 0, 4), (5, 3, 3, 4)], 4), EASY())
    assert [(seen.time, seen.kind, seen.jobs) for seen in explanation[:5]] == [
        (5, "event", ()),
        (5, "start", (0,)),
        (5, "wait", (1,)),
        (5, "event", ()),
        (5, "start", (1,)),
    ]


def test_an_explanation_prints_a_line_a_decision_and_has_the_schedule(workload):
    explanation = explain(workload([(0, 7200, 7200, 3), (10, 5, 20_000, 4)], 4, name="two jobs"), EASY())
    assert repr(explanation) == ("<Explanation of two jobs under EASY(): 7 decisions>")
    assert str(explanation).splitlines()[1:5] == [
        "          0  Job 0 (3 processors, estimate 2:00 h) arrives: 4 processors are free.",
        "          0  Job 0 starts from the head of the queue: it needs 3 of the 4 free processors.",
        "         10  Job 1 (4 processors, estimate 5:33:20 h) arrives: 1 processor is free.",
        "         10  Job 1 waits at the head: it needs 4 processors, 1 is free. Its shadow time is 7200 (in 1:59:50 "
        "h), when job 0 should have ended, with no extra processor.",
    ]
    assert len(explanation[2:4]) == 2
    assert [seen.time for seen in explanation] == sorted(seen.time for seen in explanation)
    assert len(plots.gantt(explanation.schedule).patches) == 2


def test_an_empty_workload_needs_no_decision(workload):
    for policy in POLICIES.values():
        assert len(explain(workload([], 4), policy)) == 0


def test_what_cannot_be_explained_is_refused_with_what_can(workload):
    few = workload([(0, 1, 1, 1)], 1)
    adjusted = EASY(adjust=Adjustment(Scheme(key="user", window="1 month", percentile=85)))
    for policy in (adjusted, object()):
        with pytest.raises(ValueError, match=r"expected FCFS\(...\), EASY\(...\) without an Adjustment, Conserv"):
            explain(few, policy)
    with pytest.raises(ValueError, match="workload: explain: found 501 jobs, expected at most 500; select some first"):
        explain(workload([(0, 1, 1, 1)] * 501, 1), FCFS())
    with pytest.raises(ValueError, match="overrun='cut'"):
        explain(few, FCFS(), overrun="cut")


def test_explain_comes_with_simlib_when_it_is_asked_for():
    assert simlib.explain.why is why


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
