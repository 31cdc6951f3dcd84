"""What a plain policy runs on: the jobs, the machine and the orders of a setting; see `simlib.plain`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from .._util.arrays import Ints
from ..core.schedule import Feedback, whose
from ..plain import orders
from ..plain.loop import Policy, refuse, simulate
from ..plain.machine import Job, Machine, Outage
from .orders import ORDERS, Multifactor
from .user_functions import in_python


def is_known(policy: object) -> bool:
    """Tell whether a policy has a plain version: its own class has, for one that is derived may do something else."""
    return "plain" in vars(type(policy))


def jobs_of(jobs: pd.DataFrame, submit: Ints, run: Ints, estimate: Ints, procs: Ints, gpus: Ints | None) -> list[Job]:
    """Make the jobs of a workload for one run; `estimate` is raised to the run time where nothing ends a job."""
    no_gpus = np.full(len(jobs), None)
    columns = submit, run, estimate, procs, jobs.estimate, no_gpus if gpus is None else gpus, *whose(jobs).values()
    rows = zip(jobs.index.tolist(), range(len(jobs)), *(np.asarray(one).tolist() for one in columns), strict=True)
    return [Job(*row) for row in rows]


def followers(jobs: list[Job], feedback: Feedback | None) -> tuple[list[Job], dict[int, list[tuple[Job, int]]]]:
    """Find the jobs that follow nobody, and by place of each other job who follows it, with their think times."""
    if feedback is None:
        return jobs, {}
    follows: dict[int, list[tuple[Job, int]]] = {}
    first = []
    for job, place, think in zip(jobs, *(column.tolist() for column in feedback), strict=True):
        if place < 0:
            first.append(job)
        else:
            follows.setdefault(place, []).append((job, think))
    return first, follows


def scheduled(
    policy: Any,
    plain: Policy,
    table: Any,
    submit: Ints,
    run: Ints,
    estimate: Ints,
    procs: Ints,
    machine: int,
    feedback: Feedback | None = None,
    gpus: tuple[Ints, int] | None = None,
    progress_and_stop: Any = None,
) -> dict[str, np.ndarray]:
    """Schedule the first jobs of a table under the plain version of a policy: the result of the method `schedule`."""
    of_jobs, of_machine = (None, None) if gpus is None else gpus
    jobs = jobs_of(table[: len(submit)], submit, run, estimate, procs, of_jobs)
    coming, follows = followers(jobs, feedback)
    run_on = machine_of(policy, table, machine, of_machine)
    stop = [0, 0] if progress_and_stop is None else progress_and_stop
    simulate(coming, run_on, plain, follows=follows, progress_and_stop=stop)
    if not stop[1] and (lost := next((job for job in jobs if job.start is None), None)):
        refuse(run_on, f"job {lost.number} was never started, and does not wait; expected each job to start once")
    columns = {
        "submit": np.array([job.submit for job in jobs], np.int64),
        "start": np.array([-1 if job.start is None else job.start for job in jobs], np.int64),  # -1: was stopped
        "backfilled": np.array([job.backfilled for job in jobs], bool),
    }
    if promise := getattr(policy, "promise", ""):
        columns[promise] = np.array([-1 if job.first_promise is None else job.first_promise for job in jobs], np.int64)
    if getattr(policy, "adjust", None):
        columns["adjusted"] = np.array([job.adjusted for job in jobs], np.int64)
    return columns


def machine_of(policy: Any, jobs: pd.DataFrame, procs: int, gpus: int | None) -> Machine:
    """Make the machine on which a policy schedules these jobs."""
    corrects = bool(getattr(getattr(policy, "adjust", None), "correct", False))
    corrects = corrects or getattr(policy, "predictor", None) is not None
    outages = [Outage(*row) for row in getattr(policy, "outages", None) or ()]
    return Machine(procs, gpus, _usage(policy, jobs), reserves(policy), corrects, outages)


def reserves(policy: Any) -> bool:
    """Tell whether jobs other than the head of the queue may be promised a start under a policy."""
    return bool(getattr(policy, "reserves", False))


def _usage(policy: Any, jobs: pd.DataFrame) -> orders.Usage | None:
    """Count the recent use of the machine by account, if an order asks for it."""
    settings = getattr(policy, "order", "fcfs"), getattr(policy, "backfill", None)
    for setting in settings:
        if callable(in_python(setting)) and not {"usage", "fair_share"}.isdisjoint(order(setting, ORDERS).names):
            account, half_life = "user", 7 * 86400.0
            if isinstance(setting, Multifactor):
                account, half_life = setting.account, setting.half_life_s
            return orders.Usage(jobs[account].nunique() if account in jobs else 1, half_life, account)
    return None


def order(setting: Any, known: dict[str, Callable[..., float]]) -> orders.Order:
    """Make the plain order of a setting: a name, a function, or what has one."""
    return orders.Order(known[setting] if isinstance(setting, str) else in_python(setting), setting)
