"""The slow scheduler is there for others to be held against: it tells where two schedules part, and why."""

import heapq

import numpy as np
import pandas as pd
import pytest
from helpers import busy_users, every_policy, random_workload, table
from simlib.explain import first_difference

from simlib import EASY, FCFS, Conservative, load, simulate
from simlib.explain import reference
from simlib.policies.walltime import Adjustment, Scheme


@every_policy
@pytest.mark.parametrize("overrun", ["extend", "kill"])
def test_it_takes_policies_and_workloads_as_simulate_does(policy, overrun):
    w = random_workload(5, jobs=60, machine=16)
    expected, found = (run(w, policy, overrun).jobs for run in (simulate, reference.simulate))
    pd.testing.assert_frame_equal(found, expected)


def test_it_takes_adjusted_estimates():
    w = busy_users(1)
    policy = EASY(order="wfp", adjust=Adjustment(Scheme("user", "1 day", 70, 0.5, least=2), running=False))
    expected, found = (run(w, policy).jobs for run in (simulate, reference.simulate))
    assert (found.adjusted != w.jobs.estimate).any()
    pd.testing.assert_frame_equal(found, expected)


def test_it_takes_feedback():
    from simlib.models import feitelson96

    w = feitelson96.workload(jobs=150, seed=1)
    expected, found = (run(w, EASY(), feedback=True).jobs for run in (simulate, reference.simulate))
    assert (found.submit != w.jobs.submit).any()
    pd.testing.assert_frame_equal(found, expected)


def test_a_policy_of_somebody_is_refused():
    with pytest.raises(ValueError, match="expected simlib.FCFS"):
        reference.simulate(table([(0, 1, 1, 1)], 1), object())


def test_equal_schedules_do_not_differ():
    w = random_workload(6, jobs=60)
    assert first_difference(simulate(w, EASY()), reference.simulate(w, EASY())) is None


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
    difference = first_difference(simulate(w, ForgetsTheShadowTime()), reference.simulate(w, EASY()))
    assert (difference.job, difference.time, difference.starts) == (3, 5, (5, 15))
    assert str(difference) == (
        "Until second 5 both schedules start the same 2 jobs at the same times. Then they part at job 3 (1 processor, "
        "estimate 20 s), submitted at 3: ForgetsTheShadowTime() starts it at 5, EASY() at "
        "15.\n"
        "EASY(): Job 3 is refused: it may run until 25, past the shadow "
        "time 10, and needs 1 processor where none is extra."
    )


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
