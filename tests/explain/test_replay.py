"""A schedule is made again: why a job waited, and where two schedules part."""

import heapq

import numpy as np
import pytest
from helpers import BEYOND, POLICIES, SLURM, busy_users, crowded, numbered, random_workload, table, usually, with_gpus
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import EASY, FCFS, Conservative, SlurmBackfill, Workload, load, simulate
from simlib.explain import explain, first_difference, listening, why
from simlib.models import examples
from simlib.plain.decisions import Start, Wait
from simlib.policies.adjusting import Adjustment, Scheme

ADJUSTED = {"adjusted": EASY(order="wfp", adjust=Adjustment(Scheme("user", "1 hour", 70, 0.3, least=1), running=True))}

# Why a job waited; in which words is kept in `told.txt`


def told(schedule, job, begin):
    """What is told of a job until it starts, and whether the starts up to then are those of the schedule."""
    heard = []
    until = schedule.jobs.start[job]
    agrees = listening.listen(
        schedule, lambda told, _: heard.append((told.rule.kind, told.sentence)), job, begin, until
    )
    return agrees, heard


def the_middle_tells_what_the_beginning_does(schedule, every=1):
    begins = set()
    for job, submit in schedule.jobs.submit.iloc[::every].items():
        begins.add(begin := listening.begin_of(schedule, submit))
        assert told(schedule, job, begin) == (True, told(schedule, job, None)[1])
    return begins


@pytest.mark.slow
@usually(POLICIES | BEYOND | SLURM | ADJUSTED)
@settings(max_examples=2)
@given(workload=crowded(chains=True), feedback=st.booleans(), seed=st.integers(0, 99))
def test_why_knows_the_same_from_the_middle_of_a_schedule_as_from_its_beginning(policy, workload, feedback, seed):
    the_middle_tells_what_the_beginning_does(simulate(workload, policy, feedback=feedback))
    the_middle_tells_what_the_beginning_does(simulate(busy_users(seed, jobs=40), policy), every=7)


@pytest.mark.parametrize("policy", [FCFS(), EASY(), Conservative()], ids=str)
def test_the_middle_where_jobs_need_gpus(policy):
    w = with_gpus(busy_users(4, jobs=40), 4)
    assert len(the_middle_tells_what_the_beginning_does(simulate(w, policy), every=3)) > 4


def test_a_job_that_follows_one_of_no_length_joins_behind_others_of_its_instant_so_why_begins_with_the_first_job():
    rows = [(0, 10, 10, 4), (0, 0, 0, 1), (0, 5, 5, 4), (0, 9, 9, 4), (10, 5, 5, 4), (12, 5, 5, 4)]
    schedule = simulate(numbered(rows, 4, {3: (2, 0)}), FCFS(), feedback=True)
    assert schedule.jobs.submit.tolist() == [0, 0, 10, 0, 10, 12]
    assert schedule.jobs.start.tolist() == [0, 10, 24, 10, 19, 29]
    assert not told(schedule, 6, listening.begin_of(schedule, 12))[0]
    assert told(schedule, 6, None)[0] and "cannot be told" not in why(schedule, 6)


@pytest.mark.parametrize(
    "policy", [EASY(), EASY(order="wfp"), EASY.plus_plus(), Conservative(), SlurmBackfill()], ids=str
)
def test_why_is_quick_about_a_job_of_a_real_log(log, policy):
    s = simulate(log("KTH-SP2", "original"), policy)
    assert "it waited" in why(s, s.jobs.wait.idxmax())


class OwnRules:
    """FCFS in its own words."""

    def __init__(self, starts=True):
        self.starts = starts

    def __call__(self, queue, machine):
        for job in queue:
            if job.procs > machine.free or not self.starts:
                yield Wait(job, "is too wide", facts={"free": machine.free})
                return
            yield job if job.number else Start(job, "is the first", {"of": len(queue)})


def test_a_policy_of_ones_own_is_told_in_its_own_words(monkeypatch, workload):
    s = simulate(workload([(0, 5, 5, 3), (1, 5, 5, 2)], 4), FCFS())
    monkeypatch.setattr(FCFS, "plain", lambda _: OwnRules())
    starts = [seen for seen in explain(s.workload, FCFS()) if seen.kind != "event"]
    assert [(seen.kind, seen.rule, seen.sentence) for seen in starts] == [
        ("start", "is the first", "Job 0 starts: it is the first (of 1)."),
        ("refuse", "is too wide", "Job 1 waits: it is too wide (free 1)."),
        ("start", "is started", "Job 1 starts: it needs 2 of the 4 free processors."),
    ]
    assert "It was refused once because it is too wide." in why(s, 1)


def test_why_says_so_where_the_policy_decides_otherwise_than_the_schedule(monkeypatch):
    s = simulate(examples.figure1(), EASY())
    assert "refused" in why(s, "third") or "refused" in why(s, "second")
    monkeypatch.setattr(EASY, "plain", lambda _: OwnRules(starts=False))
    text = why(s, "second")
    assert "what was decided on it cannot be told" in text.lower() and "refused" not in text


class Foreign:
    def schedule(self, submit, run, estimate, procs, machine):
        return {"start": submit + np.arange(len(submit)) * 1000}


def test_why_tells_what_the_schedule_itself_knows_of_a_foreign_policy():
    s = simulate(examples.figure2(), Foreign())
    assert "it waited" in why(s, "second") and "cannot be told" not in why(s, "second")


def test_why_names_the_jobs_there_are_when_there_is_no_such_job(workload):
    jobs = examples.figure1().jobs
    jobs.loc["huge"] = jobs.loc["A"].replace(4, 99)
    w = Workload(jobs, 10, "Figure 1")
    s = simulate(w, FCFS())
    with pytest.raises(ValueError, match="found no job 'D'"):
        why(s, "D")
    with pytest.raises(ValueError, match="job 'huge'"):
        why(s, "huge")


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
    with pytest.raises(ValueError, match="the same jobs"):
        first_difference(simulate(w, EASY()), simulate(w.with_estimates("exact"), EASY()))


@pytest.mark.parametrize("job", [True, None, float("nan"), -1, "1", [1, 2], (1,), slice(None)])
def test_what_is_no_label_of_a_job_is_refused(workload, job):
    w = workload([(0, 5, 5, 1), (1, 5, 5, 1)], 1)
    schedule = simulate(w.derive(w.jobs.set_axis([1, 2]), "named"), FCFS())
    with pytest.raises(ValueError, match="found no job .*"):
        why(schedule, job)
