"""Every decision is explained: the policies in plain Python equal the engine, and records and sentences are right."""

import re

import pytest
from helpers import POLICIES, every_policy, random_workload, small_workloads, table
from hypothesis import given, settings
from hypothesis import strategies as st

import simlib
from simlib import EASY, FCFS, Conservative, Workload, plots, simulate
from simlib.explain import explain, why
from simlib.models import examples
from simlib.policies.walltime import Adjustment, Scheme


def starts(explanation):
    return {job: seen.time for seen in explanation if seen.kind in ("start", "backfill") for job in seen.jobs}


def agrees(explanation):
    """Whether the decisions, replayed, are the engine's schedule."""
    schedule = explanation.schedule
    backfilled = {job for seen in explanation if seen.kind == "backfill" for job in seen.jobs}
    assert starts(explanation) == schedule.jobs.start.to_dict()
    assert backfilled == set(schedule.jobs.index[schedule.jobs.backfilled])
    return True


@pytest.mark.slow
@every_policy
@given(drawn=small_workloads(), overrun=st.sampled_from(["extend", "kill"]))
def test_the_decisions_make_the_schedule_of_the_engine(policy, overrun, drawn):
    machine, rows = drawn
    assert agrees(explain(table(rows, machine), policy, overrun))


@pytest.mark.slow
@every_policy
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32))
def test_the_decisions_make_the_schedule_of_the_engine_with_longer_queues(policy, seed):
    assert agrees(explain(random_workload(seed, jobs=60, machine=16), policy))


def adds_up(explanation):
    """Whether every record is a picture of the machine that adds up."""
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
    return True


@pytest.mark.slow
@every_policy
@settings(max_examples=15)
@given(drawn=small_workloads())
def test_every_record_is_a_picture_of_the_machine_that_adds_up(policy, drawn):
    machine, rows = drawn
    assert adds_up(explain(table(rows, machine), policy))


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
    """Whether every decision, and why each job waited, is told in whole sentences."""
    told = [seen.sentence for seen in explanation]
    told.append(why(explanation.schedule, explanation.schedule.jobs.wait.idxmax()))
    for text in told:
        assert re.fullmatch(r"[A-Z].*\.", text), text
        assert not re.search(r"None|nan|  | ,|\.\.|\b1 \w*processors|\b1 \w+ processors|-\d+ s|-\d+:", text), text
    return True


@pytest.mark.slow
@every_policy
@settings(max_examples=15)
@given(drawn=small_workloads())
def test_every_decision_and_every_wait_is_told_in_whole_sentences(policy, drawn):
    machine, rows = drawn
    assert reads_well(explain(table(rows, machine), policy))


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
    for policy, _ in POLICIES.values():
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


# Why a job waited


def test_why_tells_of_the_machine_the_head_the_refusals_and_the_start():
    assert why(simulate(examples.figure1(), EASY()), "second") == (
        "Job second (3 processors, estimate 50 s) arrived at 4 and started at 100: it waited 96 s. "
        "When it arrived, 1 processor was free; jobs A (4 until 30), B (3 until 60) and C (2 until 110) held the rest; "
        "job first was waiting already. "
        "It came to the head of the queue at 60, with the shadow time 100. "
        "Of those that were waiting, job first (at 60) started before it. "
        "Job third came later and passed it by backfilling. "
        "It was refused twice because too few processors were free and twice because it would have delayed the head. "
        "It started the moment that job first ended, exactly at its first shadow time."
    )


def test_why_tells_how_a_reservation_moved_and_whom_the_job_passed():
    assert why(simulate(examples.figure2(), Conservative()), "second").endswith(
        "It was guaranteed to start by 40; its reservation moved to 20 (at 20). "
        "It was backfilled the moment that job bottom ended, ahead of job first, 20 s before its guarantee."
    )
    assert why(simulate(examples.figure2(), Conservative("rebackfill")), "second").endswith("50 s after its guarantee.")


def test_why_tells_of_a_job_that_did_not_wait_how_it_could_start():
    assert why(simulate(examples.figure3(), EASY()), "backfill") == (
        "Job backfill (1 processor, estimate 30 s) did not wait: it arrived at 3 and was backfilled at once, ahead of "
        "jobs first and second."
    )


@pytest.mark.slow
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32))
def test_why_knows_the_same_of_a_job_when_only_the_jobs_since_the_machine_was_empty_are_scheduled_again(seed):
    from simlib.explain import replay

    w = random_workload(seed, jobs=80, machine=16)
    for policy in (EASY(order="wfp"), Conservative()):
        explanation = explain(w, policy)
        by_arrival = explanation.schedule.jobs
        for place in range(0, 80, 7):
            story = replay._story(explanation.schedule, by_arrival, place)
            refused = [rule for _, rule, *_ in story if rule.kind == "refuse"]
            job = by_arrival.index[place]
            assert len(refused) == sum(job in seen.jobs for seen in explanation if seen.kind == "refuse")


def test_why_works_for_any_schedule_and_tells_what_the_schedule_itself_knows(monkeypatch, workload):
    s = simulate(examples.figure2(), Conservative())
    with monkeypatch.context() as patch:
        patch.setattr("simlib.explain.replay.LIMIT", 1)  # as if too many jobs had come since the machine was empty
        text = why(s, "second")
    assert "guaranteed to start by 40. It was backfilled" in text
    adjusted = EASY(adjust=Adjustment(Scheme(key="user", window="1 month", percentile=85)))
    w = examples.figure1()
    w = w.derive(w.jobs.assign(user=1), "of a user")
    assert "It waited at the head, with the shadow time 100." in why(simulate(w, adjusted), "second")


def test_why_does_not_tell_decisions_where_a_replay_would_not_be_exact(monkeypatch):
    s = simulate(examples.figure1(), EASY())
    s._table.loc["third", "start"] += 1  # as feedback might have it: another order of arrival at one instant
    assert "refused" not in why(s, "second")


def test_why_names_the_jobs_there_are_when_there_is_no_such_job(workload):
    jobs = examples.figure1().jobs
    jobs.loc["huge"] = jobs.loc["A"].replace(4, 99)
    w = Workload(jobs, 10, "Figure 1")
    s = simulate(w, FCFS())
    with pytest.raises(ValueError, match="found no job 'D', expected one of the workload's: 'A', 'B', 'C' and 3 oth"):
        why(s, "D")
    with pytest.raises(ValueError, match="job 'huge' takes no part: larger than the machine"):
        why(s, "huge")


def test_why_is_quick_about_a_job_of_a_real_month(log):
    w = log("KTH-SP2", "original").months("1996-12")
    for policy in (EASY(), Conservative()):
        s = simulate(w, policy)
        assert "it waited" in why(s, s.jobs.wait.idxmax())


def test_explain_comes_with_simlib_when_it_is_asked_for():
    assert simlib.explain.why is why
