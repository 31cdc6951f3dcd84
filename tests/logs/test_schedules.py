"""What happened on the machine, as a schedule."""

import warnings

import numpy as np
import pytest
from helpers import numbered
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, LogWarning, recorded, simulate
from simlib.logs.swf import read_swf, write_swf

JOBS = [(0, 50, 60, 4), (5, 90, 90, 2), (7, 10, 10, 6)]


def waited(*waits, machine=8, jobs=JOBS):
    """Jobs with these recorded waits."""
    w = numbered(jobs, machine, name="Seth")
    w._log["wait"] = waits
    return w


def test_a_job_starts_its_recorded_wait_after_its_submission():
    s = recorded(waited(0, 4, 88))
    assert s.jobs.start.tolist() == [0, 9, 95] and s.jobs.end.tolist() == [50, 99, 105]
    s.check()
    assert s.summary()[["mean_wait", "jobs", "makespan"]].tolist() == [92 / 3, 3, 105]
    assert s.utilization().to_dict() == {0: 0.5, 9: 0.75, 50: 0.25, 95: 1, 99: 0.75, 105: 0}
    assert s.shadow is None and repr(s) == "<Schedule of Seth under Recorded(): mean wait 31 s>"


def test_who_starts_while_an_earlier_one_waits_has_passed_it():
    assert recorded(waited(0, 60, 43)).jobs.backfilled.tolist() == [False, False, True]


def test_it_is_what_a_simulation_wrote(workload, tmp_path):
    s = simulate(workload([(0, 50, 60, 4), (5, 90, 95, 6), (7, 10, 12, 4)], 8), EASY())
    write_swf(s, tmp_path / "seth.swf")
    again = recorded(read_swf(tmp_path / "seth.swf"))
    assert again.jobs[["start", "end", "backfilled"]].to_numpy().tolist() == (
        s.jobs[["start", "end", "backfilled"]].to_numpy().tolist()
    )


def test_unknown_waits_count_as_none_and_are_told():
    with pytest.warns(LogWarning, match="Seth: recorded: 1 of 3 jobs") as told:
        s = recorded(waited(0, -1, 88))
    assert s.jobs.wait.tolist() == [0, 0, 88] and told[0].filename == __file__


def test_more_processors_than_there_are_are_told_with_the_numbers():
    expected = "up to 12 processors were in use at once, the machine has 8; it was exceeded for 10 s, 11 % of the time"
    with pytest.warns(LogWarning, match=expected):
        s = recorded(waited(0, 0, 0))
    with pytest.raises(ValueError, match="job 3 starts at second 7, when 12 processors"):
        s.check()


def test_more_gpus_than_there_are_are_told_with_the_numbers():
    w = waited(0, 4, 88)
    jobs = w.jobs.assign(gpus=[3, 2, 2])
    with pytest.warns(LogWarning, match="up to 5 GPUs were in use at once, the machine has 4"):
        recorded(simlib.Workload(jobs, 8, "Seth", log=w.log, gpus=4))
    recorded(simlib.Workload(jobs, 8, "Seth", log=w.log, gpus=5))


def test_nobody_knows_what_was_planned():
    s = recorded(waited(0, 4, 88))
    for action in (lambda: s.plan(20), lambda: simulate(s.workload, s.policy)):
        with pytest.raises(ValueError, match="recorded: "):
            action()


def test_what_is_not_the_log_any_more_did_not_happen(workload):
    w = waited(0, 4, 88)
    assert recorded(w.with_estimates("exact")).jobs.wait.tolist() == [0, 4, 88]
    assert recorded(w.select("procs > 2")).jobs.wait.tolist() == [0, 88]
    for changed in (w.shake(3), w.scale_arrivals(2)):
        with pytest.raises(ValueError, match="Seth: recorded: found other submit times than the log's .*; expected"):
            recorded(changed)
    with pytest.raises(ValueError, match="recorded: has no log"):
        recorded(workload(JOBS, 8))


def test_no_job_is_no_trouble():
    assert len(recorded(waited(0, 4, 88).select("procs > 9")).jobs) == 0


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.integers(1, 8)), min_size=1))
def test_means_are_those_of_the_recorded_times(jobs):
    submit, wait, run, procs = np.array(sorted(jobs)).T
    w = numbered(np.c_[submit, run, run, procs].tolist(), 8)
    w._log["wait"] = wait
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)
        s = recorded(w)
    assert s.summary().mean_wait == pytest.approx(wait.mean())
    assert (s.jobs.start == submit + wait).all() and (s.jobs.wait == wait).all()
    in_use = [procs[(s.jobs.start <= t) & (t < s.jobs.end)].sum() for t in range(300)]
    assert s.utilization().max() * 8 == pytest.approx(max(in_use))


WAITS = {"CEA-Curie": 7607, "SDSC-BLUE": 32410, "HPC2N": 54107, "Sandia-Ross": 19229, "KTH-SP2": 15390}


@pytest.mark.slow
@pytest.mark.parametrize("name, wait", WAITS.items())
@pytest.mark.filterwarnings("ignore::simlib.LogWarning")
def test_a_real_log_has_a_recorded_schedule(log, name, wait):
    s = recorded(log(name))
    assert s.summary().mean_wait == pytest.approx(wait, abs=0.5)
    assert s.by_month().jobs.sum() == len(s.workload)
    day = s.jobs.start.iloc[len(s.workload) // 2]
    assert s.between(day, day + 86400).start.lt(day + 86400).all()
