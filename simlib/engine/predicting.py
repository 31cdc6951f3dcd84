"""Predicted run times while scheduling (Tsafrir, Etsion & Feitelson 2005, section 3): EASY+, EASY++, EASY-PCOR."""

from typing import NamedTuple

import numpy as np

from .arrivals import NEVER
from .parts import part
from .running import insert, next_end, take_next

STEPS = tuple(60 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000))
"""The seconds that a job gets which outlives its estimate, one step after another; the last one again and again."""


class Predicting(NamedTuple):
    """How run times are predicted in the course of a simulation.

    Attributes
    ----------
    exact : bool, whether the run times are known; then nothing else matters but the switches
    correct : bool, whether what a running job outlives is corrected
    estimate : int64 array, by job; the user's own estimate, which may be below the run time
    group : int64 array, by job; the jobs of a group predict each other, such as a user's; -1 for no group
    runs : int64 array, two columns by group; the run times of the two jobs that were submitted last of those that have
        ended, the last one first; -1 where there is none
    numbers : int64 array, likewise; how many jobs arrived before each, below 0 for jobs of before the simulation
    queue, backfill, running : bool, where the prediction takes the estimate's place
    """

    exact: bool
    correct: bool
    estimate: np.ndarray
    group: np.ndarray
    runs: np.ndarray
    numbers: np.ndarray
    queue: bool
    backfill: bool
    running: bool


@part
def predict(predicting, estimates, job, run):
    """Predict the run time of a job that arrives: the mean of the last two of its group, if the user asks for more."""
    if predicting is not None:
        estimates.t_sched[job] = predicting.estimate[job]
        group = predicting.group[job]
        if predicting.exact:
            estimates.t_sched[job] = run[job]
        elif group >= 0 and predicting.runs[group, 0] >= 0:
            last, before = predicting.runs[group]
            mean = (last + before) // 2 if before >= 0 else last
            estimates.t_sched[job] = min(max(mean, 1), predicting.estimate[job])


@part
def note_run(predicting, job, run, number):
    """Note that a job ends. `number` tells, by job, how many arrived before it."""
    if predicting is not None and predicting.group[job] >= 0:
        runs, numbers = predicting.runs[predicting.group[job]], predicting.numbers[predicting.group[job]]
        if number[job] > numbers[0]:
            runs[1], numbers[1] = runs[0], numbers[0]
            runs[0], numbers[0] = run[job], number[job]
        elif number[job] > numbers[1]:
            runs[1], numbers[1] = run[job], number[job]


@part
def next_correction(predicting, running):
    """Tell when the next job outlives what is expected of it; `NEVER` where that is not corrected."""
    if predicting is None:
        return NEVER
    return next_end(running.by_expected_end) if predicting.correct else NEVER


@part
def correct(predicting, running, now):
    """Expect the jobs that have outlived their predictions to end later: see `_longer`."""
    if predicting is not None:
        expected = running.by_expected_end
        while predicting.correct and next_end(expected) <= now:
            job = take_next(expected)
            start = running.start[job]
            insert(expected, job, start + _longer(predicting.estimate[job], expected.time[job] - start))


@part
def _longer(estimate, outlived):
    """How long a job is expected to run that has outlived that: for its estimate, then for a step more each time."""
    if outlived < estimate:
        return estimate
    longer = estimate
    for step in STEPS:
        longer += step
        if longer > outlived:
            return longer
    return outlived + STEPS[-1]
