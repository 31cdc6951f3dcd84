"""Make a schedule again with the plain policies, from its beginning or from the middle, and hear each decision."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._util.arrays import Bools, Ints
from ..core.schedule import Schedule
from ..plain import loop
from ..plain.decisions import Decision, Note, Promise
from ..plain.machine import Job, Machine, Queue, _set
from ..plain.reserving import Slurm
from ..policies.in_plain import is_known, jobs_of, machine_of, reserves
from ..policies.own_policy import OwnPolicy
from .rules import Rule, Scene, rule_of

_OF_THE_FIRST = ("sort", "try", "choose")
"""The kinds of decisions on many jobs that are told of the first of them."""


class Told(NamedTuple):
    """A decision that was heard, right after it took effect."""

    decision: Decision
    rule: Rule
    jobs: list[Job]  # of whom it is told, with those before it if it is told together with them
    again: bool  # whether it is
    sentence: str


def check(policy: Any) -> None:
    """Check that a policy is known here."""
    if not is_known(policy):
        raise ValueError(
            f"explain: found policy {policy!r}, expected one of simlib: FCFS(...), EASY(...), Conservative(...), "
            "Selective(...), SlurmBackfill(...) or OwnPolicy(...)"
        )


class Listener:
    """Hear the decisions of a run, and put those into words that are about a job, or all of them."""

    def __init__(self, schedule: Schedule, machine: Machine, queue: Queue, about: Hashable = None) -> None:
        backfilled = dict(zip(schedule.workload.jobs.index, schedule.column("backfilled").tolist(), strict=True))
        self.scene = Scene(machine, queue, schedule.policy, backfilled)
        self.about = about
        self.shadow: Any = None  # of the head at this instant, and the extra processors
        self.extra: Any = None
        self._last: tuple = ()
        self._several: list[Job] = []

    def hear(self, decision: Decision) -> Told | None:
        """Hear a decision, right after it took effect."""
        scene, facts = self.scene, decision.facts
        if decision.rule == "jobs end or arrive":
            self.shadow = self.extra = None
        if "shadow" in facts and "extra" in facts:
            self.shadow, self.extra = facts["shadow"], facts.get("left", facts["extra"])
        told = self._told(decision)
        if isinstance(decision, Note):
            scene.order = scene.queue[:]
        elif decision.rule == "is the head, and does not fit":
            scene.before[decision.job] = facts["shadow"]
        elif isinstance(decision, Promise) and decision.at is not None:
            scene.before[decision.job] = decision.at
        scene.left = scene.machine.left
        return told

    def _told(self, decision: Decision) -> Told | None:
        """Tell the decision if anybody wants to know; together with those before it, if they are alike."""
        jobs = decision.jobs if isinstance(decision, Note) else [decision.job]
        if self.about is not None and self.about not in [job.number for job in jobs]:
            return None
        rule = rule_of(decision, self.scene)
        if rule is None:
            return None
        named = [] if rule.kind == "event" else jobs[:1] if rule.kind in _OF_THE_FIRST else jobs
        if self.about is not None and self.about not in [job.number for job in named]:
            return None
        alike = rule.name, self.scene.now, decision.facts
        again = rule.together and self._last == alike
        self._last = alike
        if rule.together:
            jobs = named = self._several = [*self._several, *jobs] if again else jobs
        of = jobs if rule.together or isinstance(decision, Note) else jobs[0]
        return Told(decision, rule, named, again, rule.say(of, self.scene, **decision.facts))


def listen(
    schedule: Schedule,
    use: Callable[[Told, Listener], None],
    about: Hashable = None,
    begin: int | None = None,
    until: float = inf,
) -> bool:
    """Make a schedule again, and use each decision; return whether the starts are those of the schedule.

    It begins just before second `begin`, and ends after second `until`.
    """
    own: Any = schedule.policy
    policy, workload = own.plain(), schedule.workload
    machine = machine_of(own, workload.jobs, workload.procs, workload.gpus if workload.needs_gpus else None)
    submit, start, run = (schedule.column(name) for name in ("submit", "start", "run"))
    first = submit.min(initial=0) if begin is None else begin
    remembers = machine.usage is not None or hasattr(policy, "restore")
    takes_part = (submit <= until) & (remembers | (start + run >= first))
    places = np.flatnonzero(takes_part)
    jobs, starts = _jobs(schedule, places), start[places].tolist()
    follows = _follows(schedule, places, jobs, start + run >= first)
    later = {job for followers in follows.values() for job, _ in followers}
    known = [(job, at) for job, at in zip(jobs, starts, strict=True) if job not in later]
    queue, coming = loop.restore(known, int(first), machine, policy)
    listener = Listener(schedule, machine, queue, about)

    def hear(decision: Decision) -> None:
        told = listener.hear(decision)
        if told is not None:
            use(told, listener)

    loop.simulate(coming, machine, policy, hear, queue, follows, until)
    return [job.start for job in jobs] == [at if at <= until else None for at in starts]


def _jobs(schedule: Schedule, places: Ints) -> list[Job]:
    """Make the jobs at some places of a schedule, as before they arrived."""
    workload = schedule.workload
    few = workload.jobs.iloc[places]
    submit, run, estimate, procs = (schedule.column(name)[places] for name in ("submit", "run", "estimate", "procs"))
    made = jobs_of(
        few, submit, run, np.maximum(estimate, run), procs, few.gpus.to_numpy() if workload.needs_gpus else None
    )
    if "adjusted" in schedule.names:
        for job, seconds in zip(made, schedule.column("adjusted")[places].tolist(), strict=True):
            _set(job, "adjusted", seconds)
    return made


def _follows(schedule: Schedule, places: Ints, jobs: Sequence[Job], to_end: Bools) -> dict[int, list[tuple[Job, int]]]:
    """Find, by place of a job that is `to_end`, the jobs that follow it with their think times."""
    follows: dict[int, list[tuple[Job, int]]] = defaultdict(list)
    if schedule.feedback:
        new = {place: job._place for place, job in zip(places.tolist(), jobs, strict=True)}
        preceding, think = (column[places].tolist() for column in schedule.workload.followed())
        for job, before, seconds in zip(jobs, preceding, think, strict=True):
            if before >= 0 and to_end[before]:
                follows[new[before]].append((job, seconds))
    return follows


def begin_of(schedule: Schedule, arrival: int) -> int:
    """Find the second from which on a schedule has to be made again to know what is decided on a job after its arrival.

    Up to that second everything that its policy remembers is known from the schedule. If it promises starts, or plans
    in cycles, nobody may wait then, or have waited for some seconds. A policy of one's own may remember anything.
    """
    own: Any = schedule.policy
    policy = own.plain()
    submit, start = schedule.column("submit"), schedule.column("start")
    if isinstance(own, OwnPolicy) and not hasattr(policy, "restore"):
        return int(submit.min())
    idle = policy.interval if isinstance(policy, Slurm) else 0 if reserves(own) else None
    if idle is None:
        return arrival
    in_turn = np.argsort(submit, kind="stable")
    alone = np.append(True, submit[in_turn][1:] > np.maximum.accumulate(start[in_turn])[:-1] + idle)
    begins = submit[in_turn][alone]
    return int(begins[np.searchsorted(begins, arrival, side="right") - 1])
