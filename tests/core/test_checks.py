"""What a policy that somebody wrote returns is checked: impossible schedules are refused, whatever made them."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from helpers import every_policy, random_workload, seeds, table
from hypothesis import settings

from simlib import EASY, Workload, simulate
from simlib.logs.swf import FIELDS

ROWS = [(0, 10, 10, 2), (1, 5, 5, 3), (2, 4, 6, 1)]  # on 4 processors EASY starts them at 0, 10, 2


@dataclass
class Returns:
    """Returns what it is told to, or what a function makes of the submit times."""

    found: object = field(repr=False)

    def schedule(self, submit, run, estimate, size, machine):
        return self.found(submit) if callable(self.found) else self.found


def scheduled(found):
    return simulate(table(ROWS, 4), Returns(found))


def test_a_possible_schedule_is_taken_as_lists_floats_or_small_integers():
    for kind in (list, np.float64, np.int16, np.uint64):
        start = [0, 10, 2] if kind is list else np.array([0, 10, 2], kind)
        jobs = scheduled({"start": start, "backfilled": [0, 0, 1], "colour": ["r", "g", "b"]}).jobs
        assert (jobs.start.tolist(), jobs.start.dtype) == ([0, 10, 2], np.int64)
        assert jobs.backfilled.tolist() == [False, False, True]
        assert jobs.colour.tolist() == ["r", "g", "b"]


IMPOSSIBLE = {
    "overlapping": (
        {"start": [0, 1, 2]},
        "job 1 starts at second 1, when 5 processors are in use with it: .* expected at most 4",
    ),
    "early": ({"start": [0, 10, 1]}, "job 2 starts at second 1, before it is submitted; expected 2 or later"),
    "before the log": (lambda submit: {"start": submit - 100}, "job 0 starts at second -100, before it is submitted"),
    "one start for all": ({"start": [10]}, "start: found 1 value, expected one for each of the 3 jobs"),
    "two dimensions": ({"start": [[0], [10], [2]]}, r"found an array of shape \(3, 1\)"),
    "one flag": ({"start": [0, 10, 2], "backfilled": [True]}, "backfilled: found 1 value, expected one for each"),
    "one submit": (lambda submit: {"start": [0, 10, 2], "submit": submit[:1]}, "submit: found 1 value, expected one"),
    "halves": ({"start": [0, 10.5, 2]}, "start: job 1: found 10.5, expected whole seconds"),
    "nan": ({"start": [0, np.nan, 2]}, "start: job 1: found nan, expected whole seconds"),
    "infinite": ({"start": [0, np.inf, 2]}, "start: job 1: found inf, expected whole seconds"),
    "beyond 64 bits": ({"start": [0, 2**62, 2]}, "start: job 1: found 4611686018427387904, expected whole seconds"),
    "far beyond": ({"start": [0, 2**70, 2]}, "expected whole seconds"),
    "texts": ({"start": ["0", "10", "2"]}, "start: found values such as '0', expected whole seconds"),
    "nothing": ({"start": [0, None, 2]}, "expected whole seconds"),
    "flags of another kind": ({"start": [0, 10, 2], "backfilled": ["no", "no", "yes"]}, "expected True or False"),
    "moved submissions": ({"start": [0, 10, 2], "submit": [0, 0, 2]}, "job 1 is submitted at second 0, expected 1"),
    "a column that is there": ({"start": [0, 10, 2], "wait": [0, 0, 0]}, "a column 'wait', expected another name"),
    "a column of the jobs": ({"start": [0, 10, 2], "procs": [1, 1, 1]}, "a column 'procs', expected another name"),
    "no dict": ([0, 10, 2], r"schedule returned \[0, 10, 2\], expected a dict with 'start'"),
    "no start": ({"begin": [0, 10, 2]}, "a dict of 'begin', expected a dict with 'start'"),
}


@pytest.mark.parametrize("found, said", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_an_impossible_schedule_is_refused_with_the_job_and_the_second(found, said):
    with pytest.raises(ValueError, match=said):
        scheduled(found)


def test_a_policy_that_changes_what_it_gets_changes_nothing_but_its_own_copies():
    class Shortening:
        def schedule(self, submit, run, estimate, size, machine):
            start = EASY().schedule(submit.copy(), run.copy(), estimate, size, machine)["start"]
            for column in (submit, run, estimate, size):
                column[:] = 1
            return {"start": start}

    w = random_workload(2)
    before = w.jobs.copy()
    assert (
        simulate(w, Shortening())
        .jobs.drop(columns="backfilled")
        .equals(simulate(w, EASY()).jobs.drop(columns="backfilled"))
    )
    assert w.jobs.equals(before)


def test_a_policy_that_returns_the_same_arrays_again_does_not_change_an_earlier_schedule():
    start, colour = np.array([0, 10, 2]), np.array([1, 2, 3])
    again = Returns(lambda submit: {"start": start, "colour": colour})
    before = simulate(table(ROWS, 4), again)
    start[1], colour[:] = 11, 0
    assert simulate(table(ROWS, 4), again).jobs.start.tolist() == [0, 11, 2]
    assert (before.jobs.start.tolist(), before.jobs.colour.tolist()) == ([0, 10, 2], [1, 2, 3])


def test_with_feedback_followers_are_submitted_a_think_time_after_the_job_that_they_follow():
    rows = table([(0, 10, 10, 1), (20, 5, 5, 1)], 1).jobs.set_axis([1, 2])
    log = pd.DataFrame(-1, index=rows.index, columns=FIELDS).assign(job=[1, 2], submit=rows.submit)
    log.loc[2, ["preceding", "think"]] = 1, 3
    w = Workload(rows, 1, log=log)

    class Returns:
        def __init__(self, submit):
            self.submit = submit

        def schedule(self, submit, run, estimate, size, machine, feedback=None):
            return {"start": [0, 20], "submit": self.submit}

    assert simulate(w, Returns([0, 13]), feedback=True).jobs.wait.tolist() == [0, 7]
    with pytest.raises(ValueError, match="job 2 is submitted at second 20, expected 13, the think time after the job"):
        simulate(w, Returns([0, 20]), feedback=True)


def test_jobs_of_no_length_hold_no_processor():
    w = table([(0, 5, 5, 4), (3, 0, 0, 4), (5, 2, 2, 4)], 4)
    assert simulate(w, Returns({"start": [0, 3, 5]})).jobs.end.tolist() == [5, 3, 7]


@pytest.mark.slow
@every_policy
@settings(max_examples=20)
@seeds
def test_every_policy_of_the_package_passes_the_check(policy, seed):
    simulate(random_workload(seed), policy).check()


def test_a_schedule_that_was_tampered_with_does_not_pass_the_check():
    simulate(random_workload(3), EASY()).check()
    schedule = simulate(random_workload(3), EASY())
    schedule._start[7] = schedule._submit[7] - 1
    with pytest.raises(ValueError, match="job 7 starts at second"):
        schedule.check()
