"""Every decision is explained: records add up, and sentences say what was decided and why."""

import re

import pandas as pd
import pytest
from helpers import BEYOND, POLICIES, crowded, numbered, small_workloads, table
from hypothesis import given, settings

import simlib
from simlib import EASY, FCFS, Conservative, Predictions, Selective, plots, simulate
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
@settings(max_examples=5)
@given(workload=crowded())
def test_every_record_is_a_picture_that_adds_up_and_a_whole_sentence(policy, workload):
    explanation = explain(workload, policy)
    adds_up(explanation)
    reads_well(explanation)


# What is decided, on schedules small enough to read; in which words is kept in `told.txt`


def decided(explanation, *kinds, at=None):
    """The rules and jobs of decisions of some kinds, or at a second."""
    return [(seen.rule, seen.jobs) for seen in explanation if seen.kind in kinds or seen.time == at]


def test_easy_says_who_may_pass_the_head_and_why_not():
    explanation = explain(examples.figure1(), EASY())
    assert decided(explanation, at=6) == [
        ("jobs end or arrive", ()),
        ("the head does not fit", ("first",)),
        ("more processors than are free", ("second",)),
        ("ends by the shadow time", ("third",)),
    ]
    assert decided(explanation, "refuse")[-1] == ("would delay the head", ("second",))
    assert {seen.shadow for seen in explanation if seen.job == "first" and seen.kind == "wait"} == {60}
    assert decided(explain(examples.figure1(), FCFS()), "backfill", "refuse") == []


# a head of 10 processors, twice 5 of 16 in use until 10: 6 are extra then, and three jobs of 50 s would like some
EXTRA = [(0, 10, 10, 5), (0, 10, 10, 5), (1, 10, 10, 10), (1, 50, 50, 4), (1, 50, 50, 3), (1, 50, 50, 2)]


@pytest.mark.parametrize("reuse_extra, extra", [(False, [2, 0]), (True, [6, 6])])
def test_easy_tells_how_many_extra_processors_are_left(reuse_extra, extra):
    started = [seen for seen in explain(table(EXTRA, 16), EASY(reuse_extra=reuse_extra)) if seen.kind == "backfill"]
    assert [(seen.jobs, seen.rule) for seen in started] == [((job,), "fits the extra processors") for job in (3, 5)]
    assert [seen.extra for seen in started] == extra


def test_a_shadow_time_moves_with_an_early_end():
    waits = [seen for seen in explain(examples.figure2(), EASY()) if seen.kind == "wait" and seen.job == "first"]
    assert [seen.shadow for seen in waits] == [100, 100, 40]


@pytest.mark.parametrize("order, first", [("sjf", [2, 3, 1]), ("wfp", [3, 1]), (lambda estimate: -estimate, [2, 3, 1])])
def test_a_queue_that_is_sorted_has_priorities_that_fall(order, first):
    rows = [(0, 10, 10, 4), (1, 9, 9, 4), (2, 5, 5, 4), (3, 7, 7, 4)]
    last = [seen for seen in explain(table(rows, 4), EASY(order=order)) if seen.kind == "sort"][-1]
    assert [job.job for job in last.queue] == first
    priority = [job.priority for job in last.queue]
    assert priority == sorted(priority, reverse=True)


@pytest.mark.parametrize(
    "rule, expected",
    [
        (
            "arrival",
            [("compression", "first", 90), ("compression", "second", 20), ("disturbs no reservation", "second")],
        ),
        ("start", [("compression", "second", 20), ("compression", "first", 70), ("disturbs no reservation", "second")]),
        ("none", []),
        ("rebackfill", [("all reservations anew", "first", 40), ("all reservations anew", "second", 90)]),
    ],
)
def test_conservative_tells_what_an_early_end_does_to_the_reservations(rule, expected):
    explanation = explain(examples.figure2(), Conservative(rule))
    seen_then = [seen for seen in explanation if seen.time == 20][1:]
    reserved = [{span.job: span.start for span in seen.reservations} for seen in seen_then]
    told = [(seen.rule, seen.job, at.get(seen.job)) for seen, at in zip(seen_then, reserved, strict=True)]
    assert [tuple(part for part in one if part is not None) for one in told] == expected
    jobs = explanation.schedule.jobs
    assert ((jobs.start <= jobs.guarantee).all()) == (rule != "rebackfill")


def test_jobs_in_a_row_that_are_refused_alike_are_one_decision():
    rows = [(0, 10, 10, 3), (1, 10, 10, 4), (1, 10, 10, 2), (1, 10, 10, 3), (1, 5, 5, 1), (1, 5, 5, 1)]
    refused = [seen for seen in explain(table(rows, 4), EASY()) if seen.kind == "refuse" and seen.time == 1]
    assert [(seen.jobs, seen.job) for seen in refused] == [((2, 3), None), ((5,), 5)]


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
    assert repr(explanation) == "<Explanation of two jobs under EASY(): 7 decisions>"
    assert str(explanation).splitlines() == [repr(explanation)[1:-1], *map(str, explanation)]
    assert str(explanation[0]) == f"          0  {explanation[0].sentence}" and len(explanation[2:4]) == 2
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


def tried(rows, machine, policy):
    """The orders in which those who may pass the head are tried, each time that it changes."""
    return [
        re.findall(r"(\d+) \(", seen.sentence) or re.findall(r"\d+", seen.sentence.split("arrival")[1])
        for seen in explain(table(rows, machine), policy)
        if seen.kind == "try"
    ]


def test_an_order_that_hangs_on_what_is_free_is_told_anew_when_it_changes():
    rows = [(0, 10, 10, 4), (1, 5, 5, 10), (1, 9, 9, 1), (1, 9, 9, 2), (1, 9, 9, 3)]
    order = EASY(backfill=lambda procs, free: -abs(procs - free / 2))
    assert tried(rows, 10, order) == [["4", "3", "2"], ["2", "3"]]
    assert tried(rows, 10, EASY()) == []


@pytest.mark.parametrize(
    "way, first",
    [("sjf", "342"), ("largest", "324"), ("smallest area", "432"), ("best-fit", "234"), ("arrival", "234")],
)
def test_each_order_of_those_who_may_pass_is_told(way, first):
    rows = [(0, 10, 10, 8), (1, 1, 1, 12), (1, 9, 9, 1), (1, 4, 4, 2), (1, 6, 6, 1)]
    order = "fcfs" if way == "sjf" else lambda wait, estimate, procs: procs * 100 - estimate
    assert tried(rows, 12, EASY(order=order, backfill=way))[0] == list(first)


# Reservations

RESERVED = [(0, 10, 20, 3), (1, 5, 5, 4), (2, 9, 9, 2), (3, 30, 30, 1), (4, 2, 2, 2)]


def decided_at(time, policy, rows=RESERVED, machine=4):
    """The rules and jobs at a second, but for what happened then."""
    return decided(explain(table(rows, machine), policy), at=time)[1:]


def test_who_is_among_the_first_gets_a_reservation_and_others_must_not_touch_it():
    two = EASY(reservations=2)
    assert decided_at(2, two) == [("entitled to a reservation", (2,))]
    assert decided_at(3, two) == [("would touch a reservation", (3,))]
    assert decided_at(10, two) == [
        ("compression", (1,)),
        ("compression", (2,)),
        ("the reserved time has come", (1,)),
        ("entitled to a reservation", (3,)),
        ("more processors than are free", (4,)),
    ]
    assert decided_at(3, two, [*RESERVED[:3], (3, 4, 4, 1)]) == [("touches no reservation", (3,))]


def test_who_is_not_among_the_first_any_more_gives_its_reservation_up():
    rows = [*RESERVED[:3], (4, 2, 2, 2)]
    sorts = ("the queue is sorted by priority", (3,))
    assert decided_at(4, EASY(reservations=2, order="sjf"), rows) == [
        sorts,
        ("not among the first any more", (2,)),
        ("fits no earlier", (1,)),
        ("entitled to a reservation", (3,)),
        ("more processors than are free", (2,)),
    ]
    assert decided_at(4, Conservative(order="sjf"), rows) == [sorts, ("entitled to a reservation", (3,))]


def test_a_job_that_has_become_slow_gets_a_reservation():
    rows = [(0, 20, 20, 3), (1, 10, 10, 4), (11, 15, 15, 1)]
    assert decided_at(1, Selective(2), rows) == [("more processors than are free", (1,))]
    assert decided_at(11, Selective(2), rows) == [
        ("entitled to a reservation", (1,)),
        ("would touch a reservation", (2,)),
    ]
    assert decided_at(1, Selective("adaptive"), rows) == [("entitled to a reservation", (1,))]


# Predictions

PREDICTED = [(0, 10, 60, 2, 7), (0, 30, 60, 2, 7), (31, 90, 40, 3, 7), (32, 9, 30, 4, 1), (33, 9, 200, 1, 7)]


def test_what_is_predicted_and_what_is_done_when_predictions_are_outlived():
    w = numbered([*PREDICTED, (60, 5, 5, 1, -1)], 4)
    explanation = explain(w, EASY(adjust=Predictions()))
    two, none, more = (
        "the mean of the user's last two jobs",
        "the user's estimate",
        "it has run for longer than expected",
    )
    by_rule = [(none, 1), (none, 2), (two, 3), (none, 4), (two, 5), (more, 3), (none, 6), (more, 3)]
    assert decided(explanation, "predict", "correct") == [(rule, (job,)) for rule, job in by_rule]
    assert explanation.schedule.jobs.adjusted.to_list() == [60, 60, 20, 30, 20, 5]
    corrected = [seen.running for seen in explanation if seen.kind == "correct"]
    assert [span.end for running in corrected for span in running if span.job == 3] == [71, 131]
    assert decided(explanation, "refuse", "backfill")[:2] == [
        ("would delay the head", (5,)),
        ("ends by the shadow time", (5,)),
    ]
    with pytest.raises(ValueError, match="expected EASY, one reservation"):
        backfill_window(simulate(w, EASY(reservations=2)), 60, 4)


def test_jobs_of_before_predict_in_explanations_as_in_the_engine():
    past = pd.DataFrame({"user": [7, 7, 8], "run": [10, 30, 9], "submit": [-9, -5, -2], "estimate": [60, 60, 60]})
    w = numbered([(0, 10, 60, 2, 7), (1, 10, 0, 2, 7), (2, 10, 50, 2, 7)], 8)
    for predictor, known in [("last two", [20, 1, 20]), ("same estimate", [20, 1, 50])]:
        explanation = explain(w, EASY(adjust=Predictions(predictor, past=past)))
        assert explanation.schedule.jobs.adjusted.to_list() == known
        said = [seen.sentence for seen in explanation if seen.kind == "predict"]
        assert " 20 s" in said[0] and ("both asked for as much" in said[2]) == (known[2] == 50)


# Sets


def test_lookahead_tells_which_set_is_best():
    rows = [(0, 10, 10, 5), (1, 9, 9, 10), (2, 5, 5, 2), (2, 5, 5, 2), (2, 5, 5, 3), (2, 20, 20, 1)]
    assert decided_at(2, EASY(backfill="lookahead"), rows, 10)[1:] == [
        ("the set that takes the most processors", (2,)),
        ("ends by the shadow time", (2,)),
        ("a better set without it", (3,)),
        ("ends by the shadow time", (4,)),
        ("more processors than are free", (5,)),
    ]


def test_lookahead_looks_no_further_than_fifty_jobs_behind_the_head():
    rows = [(0, 10, 10, 3), (1, 9, 9, 4), *[(2, 20, 20, 1)] * 50, (2, 5, 5, 1), (2, 5, 5, 1)]
    assert decided_at(2, EASY(backfill="lookahead"), rows)[-1] == ("too far behind the head", (52, 53))
    assert decided_at(2, EASY(), rows)[-2] == ("ends by the shadow time", (52,))
