"""Every decision is explained: records add up, and sentences say what was decided and why."""

import re

import pytest
from helpers import BEYOND, POLICIES, SLURM, busy_users, crowded, small_workloads, table, usually, with_gpus
from hypothesis import given, settings

import simlib
from simlib import EASY, FCFS, Conservative, plots, simulate
from simlib.explain import explain, why
from simlib.models import examples
from simlib.policies.adjusting import Adjustment, Scheme

ADJUSTED = {"adjusted": EASY(order="sjf", adjust=Adjustment(Scheme("user", "1 day", 70, 0.3, least=1)))}


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
    jobs = explanation.schedule.jobs
    assert {span[:4] for span in explanation[-1].done} == {
        (job, row.procs, row.start, row.end) for job, row in jobs.iterrows()
    }
    starts = [seen for seen in explanation if seen.kind in ("start", "backfill")]
    started = {job: (seen.time, seen.kind == "backfill") for seen in starts for job in seen.jobs}
    assert started == {job: (row.start, row.backfilled) for job, row in jobs.iterrows()}


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
        assert not re.search(r"None|nan|  | ,|\.\.|Both|\b1 (\w+ )?(processors|GPUs)|-\d+ s|-\d+:", text), text


@pytest.mark.slow
@usually(POLICIES | BEYOND | SLURM | ADJUSTED)
@settings(max_examples=3)
@given(workload=crowded())
def test_every_record_is_a_picture_that_adds_up_and_a_whole_sentence(policy, workload):
    explanation = explain(workload, policy)
    adds_up(explanation)
    reads_well(explanation)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [FCFS(), EASY(), EASY(reuse_extra=True), Conservative()], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_where_jobs_need_gpus_too(policy, seed):
    explanation = explain(with_gpus(busy_users(seed, jobs=20, machine=8), seed), policy)
    adds_up(explanation)
    reads_well(explanation)
    assert any("GPU" in seen.sentence for seen in explanation if seen.kind == "refuse" or seen.kind == "wait") or (
        policy == Conservative()
    )


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
    for policy in (object(), type("MyEASY", (EASY,), {})()):
        with pytest.raises(ValueError, match="FCFS"):
            explain(few, policy)
    with pytest.raises(ValueError, match="workload: explain: found 501 jobs"):
        explain(workload([(0, 1, 1, 1)] * 501, 1), FCFS())


def test_explain_comes_with_simlib_when_it_is_asked_for():
    assert simlib.explain.why is why
