"""Slurm's cycles, by hand and where they meet other policies; `test_contract.py` holds them to the reference."""

import numpy as np
import pytest
from helpers import equals_the_reference, numbered, random_workload, seeds, starts

from simlib import FCFS, SlurmBackfill, simulate

HELD = [(0, 100, 100, 3), (1, 10, 10, 4)]  # until 100 three of four processors run, and the head needs all


@seeds
def test_a_depth_of_one_job_is_first_come_first_served(seed):
    w = random_workload(seed)
    assert simulate(w, SlurmBackfill(depth=1)).jobs.start.equals(simulate(w, FCFS()).jobs.start)


def test_a_job_that_could_pass_waits_for_the_next_cycle():
    rows = [*HELD, (6, 5, 5, 1)]
    assert starts(rows, 4, SlurmBackfill(resolution=1)) == [0, 100, 31]
    assert starts(rows, 4, SlurmBackfill(resolution=1, interval=4)) == [0, 100, 6]
    assert starts(rows, 4, SlurmBackfill(resolution=1, interval=10800)) == [0, 100, 110]


def test_the_main_scheduler_does_not_wait_for_a_cycle():
    assert starts([(0, 100, 100, 3), (1, 10, 10, 4), (101, 5, 5, 4)], 4, SlurmBackfill(interval=9999)) == [0, 100, 110]


def test_a_job_behind_the_depth_is_not_looked_at_before_others_have_started():
    rows = [(0, 200, 200, 3), (1, 10, 10, 4), (1, 10, 10, 4), (1, 5, 5, 1)]
    assert starts(rows, 4, SlurmBackfill(resolution=1, depth=3)) == [0, 200, 210, 1]
    assert starts(rows, 4, SlurmBackfill(resolution=1, depth=2)) == [0, 200, 210, 220]
    # the cycle that starts two jobs lets the next one look at a third
    rows = [(0, 100, 100, 2), (1, 9, 90, 1), (1, 9, 90, 3), (1, 9, 90, 1), (1, 9, 9, 4)]
    assert starts(rows, 4, SlurmBackfill(resolution=1, depth=1))[3] > 1


def test_the_head_is_delayed_where_it_cannot_start_within_the_window():
    rows = [*HELD, (2, 300, 300, 1)]
    assert starts(rows, 4, SlurmBackfill(interval=1, resolution=1, window=99)) == [0, 100, 110]
    assert starts(rows, 4, SlurmBackfill(interval=1, resolution=1, window=98)) == [0, 302, 2]
    # the window ends at a multiple of the resolution: from second 2 on at 110, or at 100 already
    assert starts(rows, 4, SlurmBackfill(interval=1, resolution=10, window=108)) == [0, 100, 110]
    assert starts(rows, 4, SlurmBackfill(interval=1, resolution=10, window=107)) == [0, 302, 2]


def test_a_job_must_end_before_the_slot_in_which_a_planned_one_starts():
    def start(estimate, resolution):
        rows = [*HELD, (5, 5, estimate, 1)]
        return starts(rows, 4, SlurmBackfill(interval=1, resolution=resolution))[2]

    assert [start(94, 1), start(95, 1)] == [5, 110]
    assert [start(54, 60), start(55, 60)] == [5, 110]  # the head is planned at 100, so in the slot from 60 on


def test_what_is_planned_holds_its_processors_until_its_rounded_end():
    # B is planned until 110, by 60 until 120, and C, which needs all, behind it; D would end at 115
    rows = [(0, 100, 100, 3), (1, 10, 10, 3), (1, 10, 10, 4), (2, 100, 113, 1)]
    assert starts(rows, 4, SlurmBackfill(interval=1, resolution=60)) == [0, 100, 110, 2]
    assert starts(rows, 4, SlurmBackfill(interval=1, resolution=10)) == [0, 100, 110, 120]


def test_what_starts_holds_its_processors_until_its_end_not_rounded():
    # C runs until 8, from when on D is planned; by its rounded end, 10, E would touch that
    rows = [(0, 100, 100, 2), (1, 10, 10, 5), (2, 6, 6, 2), (2, 50, 50, 3), (2, 5, 5, 1)]
    assert starts(rows, 5, SlurmBackfill(interval=1, resolution=5)) == [0, 100, 2, 8, 58]


def test_only_the_first_jobs_are_planned_where_reservations_are_few():
    # B leaves one processor, C needs all, and D delays C
    rows = [(0, 100, 100, 3), (1, 10, 10, 4), (1, 10, 10, 5), (2, 300, 300, 1)]
    assert starts(rows, 5, SlurmBackfill(interval=1, resolution=1)) == [0, 100, 110, 120]
    assert starts(rows, 5, SlurmBackfill(interval=1, resolution=1, reservations=1)) == [0, 100, 302, 2]


def test_a_cycle_looks_at_no_more_jobs_of_a_user():
    rows = [(0, 100, 100, 3, 1), (1, 9, 9, 4, 1), (2, 9, 9, 1, 2), (2, 9, 9, 1, 1)]

    def started(**options):
        return simulate(numbered(rows, 4), SlurmBackfill(interval=1, **options)).jobs.start.to_list()

    assert started() == [0, 100, 2, 11]
    assert started(per_user=1) == [0, 100, 2, 109]  # the head is the one job of user 1 that is looked at


def test_jobs_over_a_limit_of_their_user_are_passed_and_hold_nothing():
    rows = [(0, 50, 50, 1, 1), (1, 50, 50, 3, 1), (2, 50, 50, 3, 2), (3, 10, 10, 2, 3)]

    def started(**options):
        return simulate(numbered(rows, 4), SlurmBackfill(interval=1, resolution=1, **options)).jobs.start.to_list()

    assert started() == [0, 1, 51, 101]
    assert started(user_jobs=1) == started(user_procs=3) == [0, 52, 2, 102]


@seeds
def test_limits_of_users_in_processors_are_those_of_the_reference(seed):
    w = random_workload(seed, jobs=60, machine=16)
    jobs = w.jobs.assign(user=np.random.default_rng(seed).integers(1, 5, len(w)), procs=w.jobs.procs.clip(upper=6))
    policy = SlurmBackfill("sjf", depth=4, interval=5, resolution=7, reservations=2, per_user=2, user_procs=7)
    equals_the_reference(simulate(w.derive(jobs, "of users"), policy))


def test_a_job_that_no_limit_ever_lets_run_is_refused():
    with pytest.raises(ValueError, match="user_procs=3.*found a job of 4 processors"):
        simulate(numbered([(0, 5, 5, 4, 1)], 4), SlurmBackfill(user_procs=3))
