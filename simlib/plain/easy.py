"""FCFS and EASY (MF sections 1 and 2.2), and who passes the head: one by one, by another order, or the best set."""

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any

from .decisions import Decision, Note, Start, Wait
from .machine import Job, Machine, Needs, Queue
from .orders import Order, sort

DEPTH = 50
"""How many jobs behind the head lookahead chooses from."""

Decisions = Iterator[Decision]


def fcfs(queue: Queue, machine: Machine, order: Order | None = None) -> Decisions:
    """Start jobs from the head of the queue while they fit; nobody passes it (MF section 1).

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(fcfs)).jobs.start.to_list()
    [0, 10, 10]
    """
    yield from from_the_head(queue, machine, order)
    if queue and machine.heard:
        yield Wait(queue[0], "is the head, and nobody may pass it")


def from_the_head(queue: Queue, machine: Machine, order: Order | None = None) -> Decisions:
    """Sort the queue, if there is an order, and start jobs from its head while they fit."""
    if order is not None:
        yield from sort(queue, machine, order)
    while queue and machine.fits(queue[0]):
        yield Start(queue[0], "is the head, and fits")


def easy(
    queue: Queue,
    machine: Machine,
    order: Order | None = None,
    backfill: Callable[..., Decisions] | None = None,
    **options: Any,
) -> Decisions:
    """Start the head while it fits, then jobs that do not delay it: algorithm EASY Backfill (MF section 2.2).

    `order` sorts the queue first. `backfill` is one of the functions below, with its options, or one like them: by
    default `one_by_one`.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(easy)).jobs.start.to_list()
    [0, 10, 2]
    """
    yield from from_the_head(queue, machine, order)
    if not queue:
        return
    # 1. Find the shadow time and extra nodes.
    head, others = queue[0], queue[1:]
    shadow, extra = machine.shadow(head)
    if machine.heard or head.first_promise is None:
        yield Wait(head, "is the head, and does not fit", machine.due(head), {"shadow": shadow, "extra": extra})
    # 2. Find backfill jobs.
    yield from (backfill or one_by_one)(others, machine, shadow, extra, **options)


def one_by_one(
    jobs: Sequence[Job], machine: Machine, shadow: int, extra: Needs, reuse_extra: bool = False
) -> Decisions:
    """Start each job in order that fits, and ends by the shadow time or needs only extra processors.

    Examples
    --------
    >>> import simlib
    >>> def never_long(queue, machine):
    ...     yield from one_by_one(queue, machine, machine.now + 3600, 0)
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 60, 60, 3), B=(1, 3600, 3600, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(never_long)).jobs.start.to_list()
    [0, 1]
    """
    for job in machine.fitting(jobs):
        rule, facts = passes(job, machine, shadow, extra), {"shadow": shadow, "extra": extra}
        if rule != "would delay the head":
            if rule == "fits the extra nodes" and not reuse_extra:
                extra -= job.needs
            yield Start(job, rule, facts | {"left": extra})
        elif machine.heard:
            yield Wait(job, rule, facts=facts)


def passes(job: Job, machine: Machine, shadow: int, extra: Needs) -> str:
    """Tell by which rule a job that fits may pass the head, or that it may not."""
    # a. it requires no more than the free nodes, and will terminate by the shadow time, or
    if machine.now + job.estimate <= shadow:
        return "ends by the shadow time"
    # b. it requires no more than the minimum of the free and the extra nodes
    return "fits the extra nodes" if job.needs <= extra else "would delay the head"


def best_first(
    jobs: Sequence[Job], machine: Machine, shadow: int, extra: Needs, by: Order, reuse_extra: bool = False
) -> Decisions:
    """Again and again start the best job, by an order, of those that may pass the head."""
    tried, waiting = list(jobs), list(jobs)
    while True:
        waiting = [job for job in waiting if job.start is None]
        may = [
            job
            for job in waiting
            if machine.fits(job) and passes(job, machine, shadow, extra) != "would delay the head"
        ]
        if not may:
            break
        left = extra if machine.gpus is None else extra.procs
        ranks = {job: by.rank(job, machine, job.estimate, left, shadow - machine.now) for job in may}
        may.sort(key=lambda job: (-ranks[job], job.arrival))
        if machine.heard and may != [job for job in tried if job in ranks]:
            tried = may
            yield Note("tries by an order", may, {"order": by, "ranks": ranks})
        rule, facts = passes(may[0], machine, shadow, extra), {"shadow": shadow, "extra": extra}
        if rule == "fits the extra nodes" and not reuse_extra:
            extra -= may[0].needs
        yield Start(may[0], rule, facts | {"left": extra})
    if machine.heard:
        yield from one_by_one(waiting, machine, shadow, extra)


def lookahead(jobs: Sequence[Job], machine: Machine, shadow: int, extra: int, depth: int = DEPTH) -> Decisions:
    """Start the set of the first jobs that fills the machine best (Shmueli & Feitelson 2005, section 3.2).

    Ties: the set with the first job wins; then the set with the second, and so on.
    """
    free = machine.free
    rules = {job: passes(job, machine, shadow, extra) for job in jobs[:depth]}
    late = {job: 0 if rule == "ends by the shadow time" else job.procs for job, rule in rules.items()}
    near = [job for job in rules if machine.fits(job) and rules[job] != "would delay the head"]
    least: list[list[float]] = [[0] + [inf] * free]  # least[i][n]: of sets of near[i:] that take n, the fewest late
    for job in reversed(near):
        after, n = least[0], job.procs
        least.insert(0, after[:n] + [min(a, b + late[job]) for a, b in zip(after[n:], after, strict=False)])
    taken = left = max(n for n in range(free + 1) if least[0][n] <= extra)
    chosen, spare = [], extra
    for i, job in enumerate(near):
        if job.procs <= left and least[i + 1][left - job.procs] + late[job] <= spare:
            left, spare = left - job.procs, spare - late[job]
            chosen.append(job)
    if machine.heard and chosen:
        yield Note("this set fills best", chosen, {"free": free, "own": in_turn(near, late, free, extra)})
    for job in jobs:
        facts = {"shadow": shadow, "extra": extra}
        if job in chosen:
            extra -= late[job]
            yield Start(job, rules[job], facts | {"left": extra})
        elif machine.heard and job in near:
            yield Wait(job, "is not in the set", facts={"taken": taken})
        elif machine.heard and job in rules:
            fits = machine.fits(job)
            yield Wait(job, rules[job] if fits else "does not fit", facts=facts if fits else {"free": machine.left})
        elif machine.heard:
            yield Wait(job, "is too far behind the head", facts={"depth": depth})


def in_turn(near: Sequence[Job], late: dict[Job, int], free: int, extra: int) -> list[Job]:
    """List the jobs that EASY would start in place of the best set: each that fits beside those before it."""
    own = []
    for job in near:
        if job.procs <= free and late[job] <= extra:
            free, extra = free - job.procs, extra - late[job]
            own.append(job)
    return own
