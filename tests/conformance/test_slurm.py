"""Slurm's cycles, by hand and where they meet other policies; `test_contract.py` holds them to the reference."""

import math

import pytest
from helpers import random_workload, seeds, starts
from hypothesis import settings

from simlib import FCFS, Conservative, SlurmBackfill, simulate

HELD = [(0, 100, 100, 3), (1, 10, 10, 4)]  # until 100 three of four processors run, and the head needs all


@settings(max_examples=40)
@seeds
def test_cycles_at_every_event_over_all_the_future_are_reservations_made_anew(seed):
    w = random_workload(seed, shortest=1)
    always = simulate(w, SlurmBackfill(depth=math.inf, window=2**40, resolution=1, interval=1)).jobs
    anew = simulate(w, Conservative("rebackfill")).jobs
    assert always.start.equals(anew.start)
    assert always.backfilled.equals(anew.backfilled)


@settings(max_examples=40)
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


def test_a_rounded_end_must_not_touch_a_planned_start():
    def start(estimate, resolution):
        rows = [*HELD, (5, 5, estimate, 1)]
        return starts(rows, 4, SlurmBackfill(interval=1, resolution=resolution))[2]

    assert [start(95, 1), start(96, 1)] == [5, 110]
    assert [start(55, 60), start(56, 60)] == [5, 110]  # by 60 or by 120, where the head is planned at 100


def test_what_is_planned_holds_its_processors_until_its_rounded_end():
    # B is planned until 110, by 60 until 120, and C, which needs all, behind it; D would end at 115
    rows = [(0, 100, 100, 3), (1, 10, 10, 3), (1, 10, 10, 4), (2, 100, 113, 1)]
    assert starts(rows, 4, SlurmBackfill(interval=1, resolution=60)) == [0, 100, 110, 2]
    assert starts(rows, 4, SlurmBackfill(interval=1, resolution=10)) == [0, 100, 110, 120]


def test_what_starts_holds_its_processors_until_its_end_not_rounded():
    # C runs until 8, from when on D is planned; by its rounded end, 10, E would touch that
    rows = [(0, 100, 100, 2), (1, 10, 10, 5), (2, 6, 6, 2), (2, 50, 50, 3), (2, 5, 5, 1)]
    assert starts(rows, 5, SlurmBackfill(interval=1, resolution=5)) == [0, 100, 2, 8, 58]


@pytest.mark.parametrize(
    "settings, said",
    [
        ({"depth": 0}, "SlurmBackfill: found depth=0, expected a whole number of at least 1"),
        ({"window": 0.5}, "SlurmBackfill: found window=0.5, expected"),
        ({"resolution": 0}, "SlurmBackfill: found resolution=0, expected"),
        ({"interval": math.inf}, "SlurmBackfill: found interval=inf, expected"),
        ({"order": "lifo"}, "SlurmBackfill: found order='lifo', expected one of 'fcfs'"),
    ],
)
def test_settings_that_slurm_would_not_take_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        SlurmBackfill(**settings)
