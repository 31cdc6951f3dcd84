"""Predicted run times while scheduling (Tsafrir, Etsion & Feitelson, IEEE TPDS 18(6), 2007: EASY++)."""

from typing import NamedTuple

import numpy as np

from .parts import part, uncounted
from .running import insert, remove


class Predicting(NamedTuple):
    """How run times are predicted in the course of a simulation.

    Attributes
    ----------
    user : int64 array, by job; -1 where it is not known
    last, before : int64 arrays, by user; run times of the last job that has ended and of the one before; -1 for none
    ended, count, time : uint64 array and int64 arrays of one number
        The jobs that ended at second `time[0]`, `ended[:count[0]]`, by arrival. Who is submitted then does not know of
        them yet.
    steps : int64 array, seconds that are added to a prediction that was too short, one after the other
    queue, backfill, running : bool, where the prediction takes the estimate's place
    """

    user: np.ndarray
    last: np.ndarray
    before: np.ndarray
    ended: np.ndarray
    count: np.ndarray
    time: np.ndarray
    steps: np.ndarray
    queue: bool
    backfill: bool
    running: bool


@part
def predict(predicting, estimates, job, now, run):
    """Predict the run time of a job submitted now: the mean of the user's last two jobs.

    It is a second at least, and the estimate at most.
    """
    if predicting is not None:
        _learn(predicting, now, run)
        user = predicting.user[job]
        if user >= 0 and predicting.before[user] >= 0:
            mean = (predicting.last[user] + predicting.before[user]) // 2
            estimates.t_sched[job] = min(max(mean, 1), estimates.user[job])


@part
def note_run(predicting, job, now, run, number):
    """Note that a job ends now. `number` tells, by job, how many arrived before it."""
    if predicting is not None:
        _learn(predicting, now, run)
        ended, i = predicting.ended, predicting.count[0]
        while i > 0 and number[ended[i - 1]] > number[job]:
            ended[i] = ended[i - 1]
            i -= 1
        ended[i] = job
        predicting.count[0] += 1
        predicting.time[0] = now


@uncounted
def _learn(predicting, now, run):
    """Take in the jobs that ended before now."""
    if predicting.time[0] < now:
        for i in range(predicting.count[0]):
            job = predicting.ended[i]
            user = predicting.user[job]
            if user >= 0:
                predicting.before[user], predicting.last[user] = predicting.last[user], run[job]
        predicting.count[0] = 0


@part
def correct(predicting, running, estimates, now):
    """Raise the predictions that running jobs have outlived: to the first step beyond now, at last to the estimate."""
    if predicting is not None and predicting.running:
        expected = running.by_expected_end
        while expected.count[0] > 0:
            job = expected.jobs[np.uint64(expected.count[0] - 1)]
            if expected.time[job] > now:
                break
            end = _corrected(predicting, running.start[job], estimates.t_sched[job], estimates.user[job], now)
            remove(expected, job)
            insert(expected, job, end)


@uncounted
def _corrected(predicting, start, predicted, estimate, now):
    """When a job is expected to end that has outlived its prediction."""
    for step in predicting.steps:
        if start + min(predicted + step, estimate) > now:
            return start + min(predicted + step, estimate)
    return start + estimate
