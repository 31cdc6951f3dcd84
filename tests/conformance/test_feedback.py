"""Feedback: a job that follows another is submitted its think time after that one has ended in the simulation."""

import numpy as np
import pytest
from helpers import numbered, random_workload

from simlib import EASY, FCFS, Conservative, read_swf, simulate, write_swf

# The rules one by one


def submits(rows, machine, follows, policy=EASY(), **options):  # noqa: B008
    return simulate(numbered(rows, machine, follows, **options), policy, feedback=True).jobs.submit.tolist()


@pytest.mark.parametrize("policy", [FCFS(), EASY(), EASY(order="sjf"), Conservative("start")], ids=str)
def test_who_follows_a_job_of_no_length_joins_after_all_others_of_that_instant(policy):
    rows = [(0, 10, 10, 4), (1, 0, 0, 4), (2, 3, 3, 4), (10, 3, 3, 4)]
    jobs = simulate(numbered(rows, 4, {2: (1, 0), 3: (2, 0)}), policy, feedback=True).jobs
    assert jobs.submit.tolist() == [0, 10, 10, 10]
    assert jobs.start.tolist() == [0, 10, 13, 10]


def test_a_job_that_is_killed_is_followed_from_its_real_end():
    w = numbered([(0, 100, 40, 1), (1, 1, 1, 1)], 1, {2: (1, 7)})
    assert simulate(w, EASY(), "kill", feedback=True).jobs.submit.tolist() == [0, 47]
    assert simulate(w, EASY(), "extend", feedback=True).jobs.submit.tolist() == [0, 107]


@pytest.mark.parametrize(
    "follows",
    [{3: (2, -1)}, {3: (1, 5)}, {3: (4, 5)}, {3: (3, 5)}, {3: (9, 5)}],
    ids=["no think time", "a job that takes no part", "a later job", "itself", "a job that is not in the log"],
)
def test_what_cannot_be_followed_leaves_a_job_in_the_open_stream(follows):
    rows = [(0, -1, 10, 1), (0, 10, 10, 1), (3, 1, 1, 1), (4, 1, 1, 1)]
    assert submits(rows, 4, follows) == [0, 3, 4]


def test_of_jobs_submitted_at_the_same_second_the_later_line_may_follow_the_earlier():
    rows = [(0, 10, 10, 1), (0, 1, 1, 1)]
    assert submits(rows, 4, {2: (1, 0)}) == [0, 10]
    assert submits(rows, 4, {1: (2, 0)}) == [0, 0]


def test_shaking_and_scaling_leave_the_chains_as_they_are():
    w = numbered([(0, 10, 10, 1), (20, 1, 1, 1), (40, 1, 1, 1)], 4, {2: (1, 5), 3: (2, 5)})
    for changed in (w.shake(60, seed=1), w.scale_arrivals(0.001)):
        jobs = simulate(changed, EASY(), feedback=True).jobs
        first = changed.jobs.submit[1]
        assert jobs.submit.loc[[1, 2, 3]].tolist() == [first, first + 15, first + 21]


def test_who_follows_whom_is_found_once_for_all_that_have_the_same_jobs():
    w = numbered([(0, 10, 10, 1), (20, 1, 1, 1), (40, 1, 1, 1)], 4, {2: (1, 5), 3: (2, 7)})
    assert w.scale_load(0.5).followed() is w.followed()
    assert [column.tolist() for column in w.followed()] == [[-1, 0, 1], [0, 5, 7]]
    assert [column.tolist() for column in w.select("index != 1").followed()] == [[-1, 0], [0, 7]]


def test_a_schedule_is_written_with_the_submit_times_of_the_simulation(tmp_path):
    s = simulate(numbered([(0, 10, 10, 4), (1, 10, 10, 4), (2, 5, 5, 4)], 4, {3: (1, 7)}), EASY(), feedback=True)
    write_swf(s, tmp_path / "out.swf")
    again = read_swf(tmp_path / "out.swf")
    assert again.jobs.submit.tolist() == [0, 1, 17]
    assert simulate(again, EASY(), feedback=True).jobs.equals(simulate(again, EASY()).jobs)


def test_a_plan_has_the_followers_that_have_been_submitted_by_then():
    s = simulate(numbered([(0, 10, 30, 4), (1, 10, 10, 4)], 4, {2: (1, 7)}), EASY(), feedback=True)
    assert s.plan(16).jobs.index.tolist() == [1]
    assert s.plan(17).jobs.start.tolist() == [0, 17]


def test_feedback_without_jobs_that_follow_others_is_refused():
    message = "no job with a preceding one"
    with pytest.raises(ValueError, match=message):
        simulate(random_workload(1), EASY(), feedback=True)
    with pytest.raises(ValueError, match=message):
        simulate(numbered([(0, 1, 1, 1), (0, 1, 1, 1)], 1, {}), EASY(), feedback=True)


def test_feedback_needs_numbers_that_name_one_job(tmp_path):
    lines = ["1 0 -1 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1", "1 1 -1 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 1 5"]
    (tmp_path / "twice.swf").write_text("; MaxProcs: 4\n" + "\n".join(lines) + "\n")
    with pytest.raises(ValueError, match="twice: feedback: found jobs of the same number"):
        simulate(read_swf(tmp_path / "twice.swf"), EASY(), feedback=True)


def test_think_times_that_overflow_are_refused():
    w = numbered([(0, 1, 1, 1), (1, 1, 1, 1)], 1, {2: (1, 2**62)})
    with pytest.raises(ValueError, match="too large"):
        simulate(w, EASY(), feedback=True)


class OneAfterAnother:
    def schedule(self, submit, run, estimate, procs, machine):
        return {"start": submit[0] + np.cumsum(run) - run}


class OneAfterAnotherWithFeedback:
    def schedule(self, submit, run, estimate, procs, machine, feedback=None):
        preceding, think = feedback
        end = np.cumsum(run)
        return {"start": end - run, "submit": np.where(preceding >= 0, end[preceding] + think, submit)}


def test_a_policy_of_ones_own_does_feedback_if_it_has_the_parameter():
    w = numbered([(0, 10, 10, 1), (1, 10, 10, 1)], 1, {2: (1, 0)})
    assert simulate(w, OneAfterAnotherWithFeedback(), feedback=True).jobs.wait.tolist() == [0, 0]
    assert simulate(w, OneAfterAnother()).jobs.wait.tolist() == [0, 9]
    with pytest.raises(TypeError, match="has no parameter 'feedback'"):
        simulate(w, OneAfterAnother(), feedback=True)
