"""What a policy yields: a decision is a rule with its facts; sentences are made by who listens."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .machine import Job

_NONE: Mapping[str, Any] = {}


class Start(NamedTuple):
    """Start a job now; a bare job means the same."""

    job: Job
    rule: str = "is started"
    facts: Mapping[str, Any] = _NONE


class Wait(NamedTuple):
    """Tell why a job waits; the first `until` of a job is its shadow time."""

    job: Job
    rule: str
    until: int | None = None
    facts: Mapping[str, Any] = _NONE


class Promise(NamedTuple):
    """Move the start that a job is promised; None where there is none before, or none any more."""

    job: Job
    was: int | None
    at: int | None
    rule: str
    facts: Mapping[str, Any] = _NONE


class Note(NamedTuple):
    """Tell what happens to some jobs, without effect on any."""

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
    # Slurm's backfill
    "delays no planned job": (),
    "is planned": ("at",),
    "cannot start within the window": ("at",),
    "waits for the next cycle": ("at",),
    # predicted and adjusted run times
    "predicts": ("runs", "known"),
    "does not predict": ("runs", "known"),
    "corrects": ("was",),
    "adjusts": ("a", "jobs"),
}
"""Each rule of the package's policies, and the facts that come with it."""
