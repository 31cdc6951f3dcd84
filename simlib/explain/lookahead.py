"""Lookahead in plain Python: the set of waiting jobs that fills the machine best (Shmueli & Feitelson 2005)."""

from collections.abc import Sequence
from functools import cache
from math import inf

from ..engine.lookahead import DEPTH
from . import rules_beyond
from .passing import may_pass, pass_the_head, refusal
from .system import Decisions, Job, System


def best_set(system: System) -> Decisions:
    """Start those of the first jobs behind the head that together take the most free processors.

    Examples
    --------
    Of three free processors C and D would take two, E alone takes all:

    >>> jobs = [Job(name, 0, 0, 5, 5, procs) for name, procs in (("B", 9), ("C", 1), ("D", 1), ("E", 3))]
    >>> system = System(9, [], free=3, queue=jobs, shadow=10, extra=0)
    >>> [(job.name, rule.kind) for rule, job, *_ in best_set(system)]
    [('E', 'choose'), ('C', 'refuse'), ('D', 'refuse'), ('E', 'backfill')]
    """
    head, *others = system.queue
    free = system.free
    near = others[:DEPTH]
    candidates = [job for job in near if may_pass(job, system)]
    own, chosen = easys_own(candidates, system), fullest(candidates, system)
    if chosen:
        yield rules_beyond.chooses, chosen[0], head, chosen, free, own
    for job in others:
        if job in chosen:
            yield from pass_the_head(job, system)
        elif job in candidates:
            yield rules_beyond.not_in_the_set, job, sum(one.procs for one in chosen)
        elif job in near:
            yield refusal(job, system)
        else:
            yield rules_beyond.not_looked_at, job, DEPTH


def easys_own(candidates: Sequence[Job], system: System) -> list[Job]:
    """List those whom EASY would take: each that fits beside those before it.

    Examples
    --------
    >>> jobs = [Job(name, 0, 0, 5, 5, procs) for name, procs in (("C", 2), ("D", 3), ("E", 1))]
    >>> [job.name for job in easys_own(jobs, System(9, [], free=3, shadow=10, extra=0))]
    ['C', 'E']
    """
    free, extra = system.free, system.extra
    found = []
    for job in candidates:
        if job.procs <= free and _past(job, system) <= extra:
            free, extra = free - job.procs, extra - _past(job, system)
            found.append(job)
    return found


def fullest(candidates: Sequence[Job], system: System) -> list[Job]:
    """List the set that takes the most free processors, and no more than the extra ones past the shadow time.

    Of equally good sets it is the one that has the first candidate, else not; then the second, and so on.

    Examples
    --------
    >>> jobs = [Job(name, 0, 0, 5, 5, procs) for name, procs in (("C", 2), ("D", 2), ("E", 3))]
    >>> [job.name for job in fullest(jobs, System(9, [], free=5, shadow=10, extra=0))]
    ['C', 'E']
    """

    own = easys_own(candidates, system)
    if sum(job.procs for job in own) == min(system.free, sum(job.procs for job in candidates)):
        return own  # no set takes more

    @cache
    def least(place: int, total: int) -> float:
        """Of sets of the candidates from a place on that take so many processors: how few past the shadow time."""
        if place == len(candidates):
            return 0 if total == 0 else inf
        procs, without = candidates[place].procs, least(place + 1, total)
        if procs > total:
            return without
        return min(without, least(place + 1, total - procs) + _past(candidates[place], system))

    left, extra = next(total for total in range(system.free, -1, -1) if least(0, total) <= system.extra), system.extra
    found = []
    for place, job in enumerate(candidates):
        past = _past(job, system)
        if job.procs <= left and least(place + 1, left - job.procs) + past <= extra:
            left, extra = left - job.procs, extra - past
            found.append(job)
    return found


def _past(job: Job, system: System) -> int:
    """The processors that a job holds past the shadow time."""
    return job.procs if system.now + job.to_backfill > system.shadow else 0
