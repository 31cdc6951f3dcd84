"""A schedule is made again: why a job waited, and where two schedules part."""

import heapq

import numpy as np
import pandas as pd
import pytest
from helpers import busy_users, random_workload, seeds, table
from hypothesis import settings

from simlib import EASY, FCFS, Conservative, Multifactor, Selective, Workload, load, simulate
from simlib.explain import explain, first_difference, replay, why
from simlib.models import examples
from simlib.policies.walltime import Adjustment, Scheme

# Why a job waited; in which words is kept in `told.txt`


@pytest.mark.slow
@settings(max_examples=5)
@seeds
def test_why_knows_the_same_of_a_job_when_only_the_jobs_since_the_machine_was_empty_are_scheduled_again(seed):
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
    s._table = s._table.copy()
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy", [EASY.plus_plus(), Selective("adaptive"), FCFS(order=Multifactor(half_life_days=0.1))], ids=str
)
@settings(max_examples=5)
@seeds
def test_why_knows_what_came_before_the_machine_was_empty(policy, seed):
    first, then = busy_users(seed, 20).jobs, busy_users(seed + 1, 40).jobs
    rows = pd.concat([first, then.assign(submit=then.submit + 10**7)], ignore_index=True)
    explanation = explain(Workload(rows, 16), policy)
    by_arrival = explanation.schedule.jobs
    others = "sort", "try", "correct"  # of several jobs, or of one that runs
    for place in range(20, 60, 6):
        story = replay._story(explanation.schedule, by_arrival, place)
        decided = [seen.kind for seen in explanation if place in seen.jobs and seen.kind not in others]
        assert [rule.kind for _, rule, *_ in story if rule.kind not in others] == decided


# Where two schedules part


def test_equal_schedules_do_not_differ():
    w = random_workload(6, jobs=60)
    assert first_difference(simulate(w, EASY()), simulate(w, EASY(backfill="arrival"))) is None


class ForgetsTheShadowTime:
    """EASY as students write it at first: whoever fits, starts."""

    def __repr__(self):
        return "ForgetsTheShadowTime()"

    def schedule(self, submit, run, estimate, procs, machine):
        start, free, queue, running, coming = np.zeros_like(submit), machine, [], [], 0
        while coming < len(submit) or queue:
            now = min([*submit[coming : coming + 1], *(end for end, _ in running)])
            while running and running[0][0] <= now:
                free += procs[heapq.heappop(running)[1]]
            while coming < len(submit) and submit[coming] <= now:
                queue.append(coming)
                coming += 1
            for job in list(queue):
                if procs[job] <= free:
                    queue.remove(job)
                    start[job], free = now, free - procs[job]
                    heapq.heappush(running, (now + run[job], job))
        return {"start": start}


def test_the_first_difference_is_told_with_the_reason():
    w = table([(0, 10, 10, 3), (1, 5, 5, 4), (2, 3, 3, 1), (3, 20, 20, 1)], 4)
    difference = first_difference(simulate(w, ForgetsTheShadowTime()), simulate(w, EASY()))
    assert (difference.job, difference.time, difference.starts) == (3, 5, (5, 15))
    one, reason = str(difference).splitlines()
    assert "starts it at 5, EASY() at 15" in one
    assert reason.startswith("EASY(): Job 3 is refused: ")


@pytest.mark.parametrize("one, other", [(EASY(), EASY(reuse_extra=True)), (EASY(), Conservative()), (FCFS(), EASY())])
def test_before_the_first_difference_there_is_none(one, other):
    w = load("sample")
    w = w.select(np.arange(len(w)) < 200)
    a, b = simulate(w, one), simulate(w, other)
    difference = first_difference(a, b)
    assert (a.jobs.start[a.jobs.start < difference.time]).equals(b.jobs.start[b.jobs.start < difference.time])
    assert difference.time == min(difference.starts) == min(a.jobs.start[difference.job], b.jobs.start[difference.job])
    assert difference.starts[0] != difference.starts[1]


def test_schedules_of_other_jobs_cannot_be_compared():
    w = random_workload(7, jobs=30)
    with pytest.raises(ValueError, match="expected two of the same jobs and run times on the same machine"):
        first_difference(simulate(w, EASY()), simulate(w.with_estimates("exact"), EASY()))


@pytest.mark.parametrize("job", [True, None, float("nan"), -1, "1", [1, 2], (1,), slice(None)])
def test_what_is_no_label_of_a_job_is_refused(workload, job):
    w = workload([(0, 5, 5, 1), (1, 5, 5, 1)], 1)
    schedule = simulate(w.derive(w.jobs.set_axis([1, 2]), "named"), FCFS())
    with pytest.raises(ValueError, match="found no job .*, expected one of the workload's: 1 and 2"):
        why(schedule, job)
