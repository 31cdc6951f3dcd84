"""Make a schedule a second time, by the policies in plain Python."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .._util.arrays import Ints
from ..core.schedule import Schedule
from ..policies.conservative import Conservative, Selective
from ..policies.easy import EASY, FCFS
from ..policies.predictions import Predictions
from .conservative import Entitled, conservative, reserving
from .easy import Predictor, best_set, easy, fcfs, in_order, one_by_one
from .ranking import Ranks
from .system import Decisions, Job, System, Usage, decisions, remember

Scheduler = Callable[[System], Decisions]
"""A function that decides at an instant."""


def check(policy: Any) -> None:
    """Check that a policy is known here."""
    if type(policy) in (FCFS, Conservative, Selective):
        return
    if type(policy) is EASY and isinstance(policy.adjust, Predictions | None):
        return
    raise ValueError(
        f"explain: found policy {policy!r}, expected FCFS(...), EASY(...) without an Adjustment, Conservative(...) or "
        "Selective(...)"
    )


def replay(schedule: Schedule, first: int = 0, last: int | None = None) -> tuple[System, Decisions]:
    """Make a system before its first instant, and the decisions by which it becomes the schedule."""
    check(schedule.policy)
    procs = schedule.workload.procs
    policy = schedule.policy.prepare(schedule.workload.jobs)  # type: ignore[attr-defined]
    facts = policy._facts(procs)
    places = np.argsort(schedule.column("submit"), kind="stable")
    to_come = _jobs(schedule, facts, places[first:last], first)
    earlier = _started(schedule, facts, places[:first]) if _remembers(policy, facts) else []
    system = System(procs, to_come, profile=[[0, procs]] if reserves(policy) else None)
    system.corrects = bool(getattr(getattr(policy, "adjust", None), "correct", False))
    if facts is not None:
        system.usage = Usage(len(facts.usage.had) - 1, facts.usage.half_life)
        remember(system.usage, earlier)
    return system, decisions(system, _scheduler(policy, facts, earlier))


def reserves(policy: Any) -> bool:
    """Tell whether more jobs than the head of the queue may have reservations under a policy."""
    return type(policy) in (Conservative, Selective) or getattr(policy, "reservations", 1) != 1


def _remembers(policy: Any, facts: Any) -> bool:
    """Whether it matters to a policy what jobs did that have ended."""
    counts_usage = facts is not None and facts.usage.half_life > 0
    return counts_usage or getattr(policy, "threshold", None) == "adaptive" or bool(getattr(policy, "adjust", None))


def _scheduler(policy: Any, facts: Any, earlier: Sequence[Job]) -> Scheduler:
    """Choose the plain version of a policy that was prepared for its workload; some jobs ended before."""

    def ranks(setting: str) -> Ranks:
        return Ranks(getattr(policy, setting), policy._pointer(setting, facts).ctypes)

    order = None if getattr(policy, "order", "fcfs") == "fcfs" else ranks("order")
    if type(policy) is FCFS:
        return partial(fcfs, order=order)
    if type(policy) is Conservative and order is None:
        return partial(conservative, compress=policy.compress)
    if reserves(policy):
        return partial(reserving, entitled=_entitled(policy, earlier), order=order)
    passing: Scheduler = partial(one_by_one, reuse_extra=policy.reuse_extra)
    if policy.backfill == "lookahead":
        passing = best_set
    elif policy.backfill is not None:
        passing = partial(in_order, order=ranks("backfill"), reuse_extra=policy.reuse_extra)
    predictor = None if policy.adjust is None else Predictor(policy.adjust, earlier)
    return partial(easy, order=order, passing=passing, predictor=predictor)


def _entitled(policy: Any, earlier: Sequence[Job]) -> Entitled:
    """Who gets a reservation under a policy."""
    if type(policy) is Selective:
        entitled = Entitled(threshold=None if policy.threshold == "adaptive" else float(policy.threshold))
    else:
        entitled = Entitled(most=getattr(policy, "reservations", np.inf))
    entitled.learn(earlier)
    return entitled


def _jobs(schedule: Schedule, facts: Any, places: Ints, first: int) -> list[Job]:
    """The jobs at these places of a schedule, with what may be known of them."""
    run, submit, size = (schedule.column(name) for name in ("run", "submit", "procs"))
    estimate = np.maximum(schedule.column("estimate"), run)  # of a job that overran it was raised, or its run cut
    columns = {"submit": submit, "run": run, "estimate": estimate, "procs": size}
    if getattr(schedule.policy, "adjust", None) is not None:
        columns["requested"] = schedule.column("estimate")
    jobs = schedule.workload.jobs
    whose = {"user": "user", "group": "group", "log_queue": "queue"}
    columns |= {field: jobs[column].to_numpy() for field, column in whose.items() if column in jobs}
    if facts is not None:
        columns["account"] = facts.usage.account
    lists = (column[places].tolist() for column in columns.values())
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True))
    names = jobs.index[places].tolist()
    return [Job(name, first + k, **row) for k, (name, row) in enumerate(zip(names, rows, strict=True))]


def _started(schedule: Schedule, facts: Any, places: Ints) -> list[Job]:
    """Jobs that have ended before those that are scheduled anew."""
    jobs, starts = _jobs(schedule, facts, places, 0), schedule.column("start")[places].tolist()
    for job, start in zip(jobs, starts, strict=True):
        job.start = start
    return jobs
