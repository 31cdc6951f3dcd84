"""Backfilling with reservations for some of the waiting jobs, in plain Python: between EASY and conservative."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from . import rules, rules_beyond
from .conservative import anchor_point, forget_the_past, give, move_forward, take
from .ranking import Ranks, sort_the_queue
from .system import Decisions, Job, System

SHORTEST = 10
"""Seconds: a shorter job is as slow as one of this length, as for bounded slowdown."""


@dataclass
class Entitled:
    """Who gets a reservation: the first `most` jobs that wait, once their expected slowdown has come to a threshold.

    Attributes
    ----------
    most : float
    threshold : float or None
        None for the mean bounded slowdown of the jobs that have ended.
    slowdowns, ended : float, int
        The sum of these, and how many they are.

    Examples
    --------
    >>> job = Job("A", 0, submit=0, run=10, estimate=10, procs=3)
    >>> Entitled(most=2).to_one(job, waiting=1, now=0), Entitled(threshold=2).to_one(job, waiting=0, now=0)
    (True, False)
    """

    most: float = math.inf
    threshold: float | None = 0.0
    slowdowns: float = 0.0
    ended: int = 0

    def to_one(self, job: Job, waiting: int, now: int) -> bool:
        """Tell whether a job gets a reservation before which so many wait in the queue."""
        return waiting < self.most and slowdown(now - job.submit, job.estimate) >= self.needed

    @property
    def needed(self) -> float:
        """The expected slowdown from which on a job gets a reservation."""
        if self.threshold is not None:
            return self.threshold
        return round(self.slowdowns / self.ended * 1e9) / 1e9 if self.ended else 1.0

    def learn(self, ended: Sequence[Job]) -> None:
        """Take in how slow the jobs were that have ended."""
        self.slowdowns += sum(slowdown(job.start - job.submit, job.run) for job in ended)
        self.ended += len(ended)

    def why(self, job: Job, now: int) -> str:
        """Say why a job gets a reservation, in a clause; empty where everyone does."""
        if self.most < math.inf:
            return "which is the first in the queue" if self.most == 1 else f"among the first {self.most:g} that wait"
        if self.threshold == 0:
            return ""
        slow = f"{slowdown(now - job.submit, job.estimate):.2f}"
        if self.threshold is not None:
            return f"whose expected slowdown has come to {slow}"
        return f"whose expected slowdown of {slow} has come to the mean so far, {self.needed:.2f}"


def slowdown(wait: int, duration: int) -> float:
    """Divide wait and duration by the duration: bounded slowdown, to nine digits.

    Examples
    --------
    >>> slowdown(10, 20), slowdown(0, 1)
    (1.5, 1.0)
    """
    return round(max(1.0, (wait + duration) / max(duration, SHORTEST)) * 1e9) / 1e9


def reserving(system: System, entitled: Entitled, order: Ranks | None = None) -> Decisions:
    """Decide at an instant: see `simlib.EASY` for `reservations`, `simlib.Selective`, and `simlib.Conservative`.

    Examples
    --------
    Job B gets a reservation, C would touch it, and D ends before.

    >>> from functools import partial
    >>> from simlib.explain.system import decisions
    >>> rows = {"A": (0, 10, 3), "B": (1, 10, 4), "C": (2, 10, 1), "D": (2, 5, 1)}
    >>> jobs = [Job(name, place, at, run, run, size) for place, (name, (at, run, size)) in enumerate(rows.items())]
    >>> steps = decisions(System(4, jobs, profile=[[0, 4]]), partial(reserving, entitled=Entitled(most=1)))
    >>> [(job.name, rule.kind) for rule, job, *_ in steps if job is not None][:4]
    [('A', 'start'), ('B', 'reserve'), ('C', 'refuse'), ('D', 'backfill')]
    """
    profile, now = system.profile, system.now
    forget_the_past(profile, now)

    # jobs leave; those that were expected to run longer leave a gap; jobs arrive
    ended = system.leave()
    early = [job for job in ended if job.expected_end > now]
    for job in early:
        give(profile, now, job.expected_end, job.procs)
    entitled.learn(ended)
    system.queue += system.arrive()
    if ended or system.arrived:
        yield rules.jobs_end_or_arrive, None, ended, system.arrived, now, system.free, system.queue

    if order is not None:
        yield from sort_the_queue(system, order)
        first = int(min(entitled.most, len(system.queue)))
        given_up = [job for job in system.queue[first:] if job.reserved is not None]
        for job in given_up:
            before, job.reserved = job.reserved, None
            give(profile, before, before + job.estimate, job.procs)
            yield rules_beyond.gives_up, job, before, entitled.most
        early += given_up
    if early:
        yield from move_forward(system, [job for job in system.queue if job.reserved is not None])
    yield from go_through(system, entitled)


def go_through(system: System, entitled: Entitled) -> Decisions:
    """Go through the queue: who is entitled to a reservation gets one, and who can start does.

    Examples
    --------
    >>> queue = [Job("wide", 0, 0, 10, 10, 4), Job("narrow", 1, 0, 10, 10, 1)]
    >>> system = System(4, [], free=1, queue=queue, profile=[[0, 1], [20, 4]])
    >>> [(job.name, rule.kind) for rule, job, *_ in go_through(system, Entitled())], queue[0].reserved
    ([('wide', 'reserve'), ('narrow', 'backfill')], 20)
    """
    now = system.now
    waiting: list[Job] = []
    for job in list(system.queue):
        was_reserved = job.reserved is not None
        if not was_reserved:
            anchor, too_short = anchor_point(system.profile, job)
            to_one = entitled.to_one(job, len(waiting), now)
            if to_one or anchor == now:
                job.reserved = anchor
                take(system.profile, job)
            if to_one and job.guarantee is None:
                job.guarantee = anchor
        if job.reserved == now:
            yield from _start(system, job, waiting, was_reserved)
        else:
            waiting.append(job)
            if job.reserved is None:
                yield _refusal(job, system)
            elif not was_reserved:
                yield rules_beyond.reserves, job, entitled.why(job, now), too_short, now


def _start(system: System, job: Job, waiting: Sequence[Job], was_reserved: bool) -> Decisions:
    free = system.free
    system.start(job, backfilled=bool(waiting))
    if was_reserved:
        rule = rules_beyond.reserved_time_ahead if waiting else rules_beyond.reserved_time
        yield rule, job, list(waiting)
    elif waiting:
        yield rules_beyond.touches_no_reservation, job, list(waiting), free
    else:
        yield rules.head_starts, job, free


def _refusal(job: Job, system: System) -> tuple:
    if job.procs > system.free:
        return rules.too_large, job, system.free
    end = max(system.now + job.estimate, system.now + 1)  # one of no length is kept by those that are due
    when = next(time for time, free in system.profile if time < end and free < job.procs)
    touched = [
        other
        for other in system.queue
        if other.reserved is not None and other.reserved <= when < other.reserved + other.estimate
    ]
    return rules_beyond.would_touch, job, touched, system.now
