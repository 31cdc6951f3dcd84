"""What a policy yields: a decision is a rule with its facts; sentences are made by who listens."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .machine import Job

_NONE: Mapping[str, Any] = {}


class Start(NamedTuple):
    """Start a job now, by a rule in your own words with its facts; a bare job means the same.

    Examples
    --------
    >>> import simlib
    >>> def at_once(queue, machine):
    ...     for job in machine.fitting(queue):
    ...         yield Start(job, "fits", {"free": machine.free})
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(at_once)).jobs.start.to_list()
    [0, 1]
    """

    job: Job
    rule: str = "is started"
    facts: Mapping[str, Any] = _NONE


class Wait(NamedTuple):
    """Tell why a job waits, and perhaps until which second; the first `until` of a job is its shadow time.

    Examples
    --------
    >>> import simlib
    >>> def one_at_a_time(queue, machine):
    ...     if machine.running:
    ...         yield Wait(queue[0], "another job runs", until=machine.running[-1].expected_end)
    ...     else:
    ...         yield Start(queue[0])
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(one_at_a_time)).jobs.start.to_list()
    [0, 10]
    """

    job: Job
    rule: str
    until: int | None = None
    facts: Mapping[str, Any] = _NONE


class Promise(NamedTuple):
    """Move the start that a job is promised; None where there is none before, or none any more.

    The policy needs an attribute `reserves = True`. Then `machine.profile` keeps free what is promised, `job.promised`
    is the second, and a pass takes place in it.

    Examples
    --------
    Conservative backfilling without compression: B keeps the second that it was promised, though A ends early.

    >>> import simlib
    >>> def promised(queue, machine):
    ...     for job in machine.arrived:
    ...         at = machine.profile.anchor(job.needs, job.estimate)
    ...         yield Promise(job, None, at, "can start then at the earliest")
    ...     for job in queue:
    ...         if job.promised == machine.now:
    ...             yield Start(job, "has been promised to start now")
    >>> promised.reserves = True
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 5, 10, 3), B=(1, 5, 5, 2), C=(2, 8, 8, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(promised)).jobs.start.to_list()
    [0, 10, 2]
    """

    job: Job
    was: int | None
    at: int | None
    rule: str
    facts: Mapping[str, Any] = _NONE


class Note(NamedTuple):
    """Tell what happens to some jobs, without effect on any.

    Examples
    --------
    >>> import simlib
    >>> def shortest(queue, machine):
    ...     queue.sort(key=lambda job: job.estimate)
    ...     yield Note("sorts by estimate", list(queue))
    ...     yield from machine.fitting(queue)
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 9, 9, 4), B=(1, 5, 5, 4), C=(2, 3, 3, 4))
    >>> simlib.simulate(w, simlib.OwnPolicy(shortest)).jobs.start.to_list()
    [0, 12, 9]
    """

    rule: str
    jobs: list[Job]
    facts: Mapping[str, Any] = _NONE


Decision = Start | Wait | Promise | Note

RULES: dict[str, tuple[str, ...]] = {
    # the loop
    "jobs end or arrive": (),
    # FCFS and EASY
    "is the head, and fits": (),
    "is the head, and nobody may pass it": (),
    "is the head, and does not fit": ("shadow", "extra"),
    "does not fit": ("free",),
    "ends by the shadow time": ("shadow", "extra", "left"),
    "fits the extra nodes": ("shadow", "extra", "left"),
    "would delay the head": ("shadow", "extra"),
    # orders, and the best set
    "sorts by an order": ("order",),
    "tries by an order": ("order", "ranks"),
    "this set fills best": ("free", "own"),
    "is not in the set": ("taken",),
    "is too far behind the head": ("depth",),
    # reservations
    "can start then at the earliest": (),
    "can start earlier": (),
    "can start no earlier": (),
    "gives its promise up": (),
    "gets another promise": (),
    "has been promised to start now": (),
    "has a promise for now": (),
    "is not among the first any more": ("most",),
    "is entitled to a promise": ("most", "needed", "slowdown"),
    "touches no promise": (),
    "would touch a promise": (),
    "would run into an outage": ("at",),
    # Slurm's backfill
    "delays no planned job": (),
    "is planned": ("at",),
    "cannot start within the window": ("at",),
    "waits for the next cycle": ("at",),
    "is over a limit of its user": (),
    "fits, and those before it are held back": (),
    "is not looked at, for others of its user are": ("most",),
    "is not planned, for others are": ("most",),
    # predicted and adjusted run times
    "predicts": ("runs", "known"),
    "does not predict": ("runs", "known"),
    "corrects": ("was",),
    "adjusts": ("a", "jobs"),
}
"""Each rule of the package's policies, and the facts that come with it."""
