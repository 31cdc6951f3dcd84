"""The work of a twin: what its jobs ask for, and how long they run."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...arrays import Floats, Ints
from .chance import GRID, NONE, Table, places, read, score

ROUNDS, STEP = 8, 0.4  # the work of months and users is approached in so many steps


class Asked(NamedTuple):
    """What each job asks for, and where its R = run time / requested time is in the distribution of R.

    Attributes
    ----------
    procs, requested : int arrays
        Processors; seconds, -1 for none.
    session : int array
        Sessions numbered anew, because neighbouring ones can have come out alike.
    cell : int array
        The class of size and requested time, whose curve of R the job has.
    place : float array
        The probability at which R is to be read off that curve.
    """

    procs: Ints
    requested: Ints
    session: Ints
    cell: Ints
    place: Floats


RunTimes = Callable[[Asked, Floats], tuple[Floats, Floats]]
"""A function of what jobs asked for and of probabilities: the run times in seconds; R in per mille, or the run time of
jobs that requested none."""


def add_work(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add `procs`, `requested` (seconds, or -1), `run` (seconds) and `used`.

    `used` is R in per mille, or the run time of jobs that requested none. `session` is numbered anew.

    The scores of a month's jobs, and of the jobs of users who are equally busy, are raised or lowered until their
    work is nearly the log's. The run times alone make up for what is left in a month.
    """
    months = np.array(table["months"]["work"], float) * 3600
    users = np.array(table["sessions"]["work"]) * months.sum()
    targets = [(jobs.month.to_numpy(), months), (jobs.busy.to_numpy(), users)]
    lifts = [np.zeros(len(target)) for _, target in targets]
    noise, likeness = rng.standard_normal((3, 4, len(jobs))), table["likeness"]
    user, request = jobs.user.to_numpy(), jobs.request.to_numpy()
    of_size, of_request = (
        score(numbers[:3], (user, likeness[what]), (request, 1 - likeness[what]))
        for what, numbers in zip(("size", "request"), noise[:2], strict=True)
    )
    run_times = run_times_of(table)
    for _ in range(ROUNDS):
        lift = sum(lift[group] for lift, (group, _) in zip(lifts, targets, strict=True))
        asked = _ask(table, user, lift + of_size, lift + of_request, noise[2], lift)
        work = asked.procs * run_times(asked, asked.place)[0]
        for lift, (group, target) in zip(lifts, targets, strict=True):
            lift += STEP * np.log(np.maximum(target, 1) / np.maximum(np.bincount(group, work, len(target)), 1))

    month = jobs.month.to_numpy()

    def work_by_month(power: Floats) -> Floats:
        work = asked.procs * run_times(asked, asked.place ** power[month])[0]
        return np.bincount(month, work).astype(float)

    run, used = run_times(asked, asked.place ** _power(work_by_month, months)[month])
    columns = {"session": asked.session, "procs": asked.procs, "requested": asked.requested}
    return jobs.assign(**columns, run=np.rint(run).astype(int), used=used)


def _ask(table: Table, user: Ints, size_scores: Floats, request_scores: Floats, noise: Floats, lift: Floats) -> Asked:
    """Deal sizes in order of one score, and requested times by class of size in order of another one.

    Parameters
    ----------
    table : dict
    user : int array
    size_scores, request_scores : float arrays
        Raised by `lift`.
    noise : float array, 4 by jobs
        Normal random numbers, for R.
    lift : float array
        Raises the scores by which R is dealt, by half as much: R has less of a range.

    Returns
    -------
    Asked
    """
    sizes = np.repeat(table["sizes"]["procs"], table["sizes"]["jobs"])
    procs = sizes[(places(size_scores, np.zeros_like(user)) * len(sizes)).astype(int)]
    size_class = np.searchsorted([part["upto"] for part in table["size_class"][:-1]], procs)
    times = [requested_times(part) for part in table["size_class"]]
    length = np.array([len(part) for part in times])
    begin = np.cumsum(length) - length
    place = (places(request_scores, size_class) * length[size_class]).astype(int)
    requested = np.concatenate(times)[begin[size_class] + place]

    new = (np.diff([user, procs, requested], prepend=-2) != 0).any(axis=0)
    session = np.cumsum(new) - 1
    pair = user * (requested.max() + 2) + requested + 1
    parts = zip((user, pair, session), table["likeness"]["used"], strict=True)
    cell = size_class * len(table["classes"]) + np.searchsorted(table["classes"][:-1], requested)
    return Asked(procs, requested, session, cell, places(lift / 2 + score(noise, *parts), cell))


def requested_times(part: Table) -> Ints:
    """List the requested times of a size class, sorted: each popular value as often as in the log.

    Parameters
    ----------
    part : dict
        One `size_class` of a twin's table.

    Examples
    --------
    >>> requested_times({"popular": [[600, 2], [3600, 1]], "rest": 1, "others": [1200] * 18}).tolist()
    [600, 600, 1200, 3600]
    """
    others = np.ceil(read(part["others"], (np.arange(part["rest"]) + 0.5) / max(part["rest"], 1)) / 60) * 60
    seconds, jobs = np.array(part["popular"], int).reshape(-1, 2).T
    return np.sort(np.concatenate([np.repeat(seconds, jobs), others.astype(int)]))


def run_times_of(table: Table) -> RunTimes:
    """Make the function that reads run times off the table's curves of R."""
    curves = [curve or [0] * len(GRID) for part in table["size_class"] for curve in part["used"]]
    steps = (np.arange(len(curves))[:, None] * 2 + GRID).ravel()  # all curves as one
    values = np.log1p(curves).ravel()

    def run_times(asked: Asked, place: Floats) -> tuple[Floats, Floats]:
        used, requested = np.expm1(np.interp(asked.cell * 2 + place, steps, values)), asked.requested
        return np.minimum(np.where(requested == NONE, used, used * requested / 1000), table["longest"]), used

    return run_times


def _power(work: Callable[[Floats], Floats], target: Floats) -> Floats:
    """Find for each month the power of the probabilities that gives the month its work, by bisection.

    Raised to a power, probabilities stay between 0 and 1, so that no run time leaves the log's range.
    """
    low, high = np.full(len(target), 1 / 64), np.full(len(target), 64.0)
    for _ in range(25):
        middle = np.sqrt(low * high)
        too_much = work(middle) > target
        low, high = np.where(too_much, middle, low), np.where(too_much, high, middle)
    return np.sqrt(low * high)
