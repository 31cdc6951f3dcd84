"""Conservative backfilling (MF section 2.1), promises for some of the waiting jobs, and Slurm's backfill."""

from collections import Counter
from collections.abc import Sequence
from math import inf
from operator import attrgetter

from .decisions import Promise, Start, Wait
from .easy import Decisions
from .machine import Job, Machine, Profile, Queue
from .orders import Order, sort

SHORTEST = 10
"""Seconds: a shorter job is as slow as one of this length, as for bounded slowdown."""


def conservative(queue: Queue, machine: Machine, compress: str = "arrival") -> Decisions:
    """Algorithm Conservative Backfill (MF section 2.1): a promise on arrival; compression when a job ends early."""
    profile, now = machine.profile, machine.now
    waiting = [job for job in queue if job.promised is not None]
    if "becomes known" in machine.news or (machine.ended_early and compress == "rebackfill"):
        yield from promised_anew(waiting, profile)
    elif machine.ended_early and compress != "none":
        yield from compressed(
            waiting if compress == "arrival" else sorted(waiting, key=attrgetter("promised")), machine
        )
    # A new job arrives: 1. find its anchor point; 2. update the profile to reflect the allocation.
    for job in machine.arrived:
        yield Promise(job, None, profile.anchor(job.needs, job.estimate), "can start then at the earliest")
    # 3. If a job's anchor is the current time, start it.
    for job in queue:
        if job.promised == now:
            yield Start(job, "has been promised to start now")


def promised_anew(jobs: Sequence[Job], profile: Profile) -> Decisions:
    """Forget all promises, and give each job in turn the earliest start that is possible then."""
    for job in jobs:
        yield Promise(job, job.promised, None, "gives its promise up")
    for job in jobs:
        yield Promise(job, None, profile.anchor(job.needs, job.estimate), "gets another promise")


def compressed(jobs: Sequence[Job], machine: Machine) -> Decisions:
    """Give each job in turn the earliest start that is possible now, never later than it was."""
    for job in jobs:
        at = machine.profile.anchor(job.needs, job.estimate, job.promised)
        if at < job.promised:
            yield Promise(job, job.promised, at, "can start earlier")
        elif machine.heard:
            yield Wait(job, "can start no earlier", at)


def reserving(
    queue: Queue, machine: Machine, order: Order | None = None, most: float = inf, needed: float = 0.0
) -> Decisions:
    """Between EASY and conservative: promises for the first `most` of the queue whose slowdown has come to `needed`."""
    profile, now, freed = machine.profile, machine.now, bool(machine.ended_early)
    if order is not None:
        yield from sort(queue, machine, order)
        for job in queue[int(min(most, len(queue))) :]:
            if job.promised is not None:
                freed = True
                yield Promise(job, job.promised, None, "is not among the first any more", {"most": most})
    promised = [job for job in queue if job.promised is not None]
    if "becomes known" in machine.news:
        yield from promised_anew(promised, profile)
    elif freed:
        yield from compressed(promised, machine)
    waiting = 0
    for job in queue:
        had_one, expected = job.promised is not None, slowdown(now - job.submit, job.estimate)
        if not had_one and waiting < most and expected >= needed:
            facts = {"most": most, "needed": needed, "slowdown": expected}
            yield Promise(job, None, profile.anchor(job.needs, job.estimate), "is entitled to a promise", facts)
        if job.promised == now:
            yield Start(job, "has a promise for now" if had_one else "touches no promise")
        elif job.promised is None and profile.fits(job.needs, job.estimate):
            yield Start(job, "touches no promise")
        else:
            waiting += 1
            if machine.heard and job.promised is None:
                if not machine.fits(job):
                    yield Wait(job, "does not fit", facts={"free": machine.left})
                elif (at := machine.outage_ahead(job)) is not None:
                    yield Wait(job, "would run into an outage", facts={"at": at})
                else:
                    yield Wait(job, "would touch a promise")


class Selective:
    """Promise a start to jobs whose slowdown has come to a threshold; None is the mean so far.

    Srinivasan, Kettimuthu, Subramani & Sadayappan, "Selective reservation strategies for backfill job scheduling",
    JSSPP 2002, section 4.
    """

    def __init__(self, threshold: float | None = None, order: Order | None = None) -> None:
        self.threshold, self.order, self.slowdowns, self.ended = threshold, order, 0.0, 0

    def restore(self, past: Sequence[Job], present: Sequence[Job] = ()) -> None:
        """Remember the jobs that have ended."""
        self.slowdowns += sum(slowdown(job.start - job.submit, job.run) for job in past)
        self.ended += len(past)

    def __call__(self, queue: Queue, machine: Machine) -> Decisions:
        self.restore(machine.ended)
        mean = round(self.slowdowns / self.ended * 1e9) / 1e9 if self.ended else 1.0
        return reserving(queue, machine, self.order, needed=mean if self.threshold is None else self.threshold)


def slowdown(wait: int, duration: int) -> float:
    """Divide wait and duration by the duration, of at least 10 s: bounded slowdown, to nine digits."""
    return round(max(1.0, (wait + duration) / max(duration, SHORTEST)) * 1e9) / 1e9


class Slurm:
    """Slurm's backfill: a main scheduler as FCFS, and cycles that plan the first jobs and forget the plan.

    See `simlib.SlurmBackfill` for its sources.
    """

    def __init__(
        self,
        order: Order | None = None,
        depth: float = 500,
        window: float = 86400,
        resolution: int = 60,
        interval: int = 30,
        reservations: float = inf,
        per_user: float = inf,
        user_jobs: float = inf,
        user_procs: float = inf,
    ) -> None:
        self.order, self.depth, self.window, self.resolution, self.interval = order, depth, window, resolution, interval
        self.reservations, self.per_user = reservations, per_user
        self.user_jobs, self.user_procs = user_jobs, user_procs
        self.last_cycle, self.changed = -inf, False

    def __call__(self, queue: Queue, machine: Machine) -> Decisions:
        now = machine.now
        self.changed = self.changed or bool(machine.ended or machine.arrived or machine.news)
        if self.order is not None:
            yield from sort(queue, machine, self.order)
        for job in queue:  # the main scheduler
            if self.over_limit(job, machine):
                if machine.heard:
                    yield Wait(job, "is over a limit of its user")
            elif machine.fits(job):
                if (at := machine.outage_ahead(job)) is not None:
                    if machine.heard:
                        yield Wait(job, "would run into an outage", facts={"at": at})
                    continue
                rule = "is the head, and fits" if job is queue[0] else "fits, and those before it are held back"
                yield Start(job, rule)
            else:
                break
        if queue and self.changed and now >= self.last_cycle + self.interval:
            self.last_cycle, self.changed = now, False
            yield from self.cycle(queue, machine, machine.plan(), self.resolution)
        if queue and self.changed:
            machine.call_at(self.last_cycle + self.interval)
            if machine.heard:
                yield Wait(queue[0], "waits for the next cycle", facts={"at": self.last_cycle + self.interval})

    def cycle(self, queue: Queue, machine: Machine, plan: Profile, whole: int) -> Decisions:
        """Plan the first jobs, and start those whose plan is to start now."""
        now, planned, looked, tested = machine.now, 0, 0, Counter[int]()
        for job in queue:
            if looked == self.depth:
                break
            if self.over_limit(job, machine):
                continue
            if tested[job.user] >= self.per_user:
                if machine.heard:
                    yield Wait(job, "is not looked at, for others of its user are", facts={"most": self.per_user})
                continue
            tested[job.user] += 1
            looked += 1
            duration = max(job.estimate, 1)
            begin = plan.anchor(job.needs, duration + 1, whole=whole)  # it ends before a planned job begins
            end = begin + duration
            if begin == now:  # it holds its processors until its expected end, not rounded
                self.changed = True
                plan.give(now, end, -job.needs)
                yield Start(job, "delays no planned job")
            elif planned == self.reservations:
                if machine.heard:
                    yield Wait(job, "is not planned, for others are", facts={"most": self.reservations})
            elif begin // whole < (now + self.window) // whole:
                planned += 1
                plan.give(begin, end + -end % whole, -job.needs)
                if machine.heard:
                    yield Wait(job, "is planned", facts={"at": begin})
            elif machine.heard:
                yield Wait(job, "cannot start within the window", facts={"at": begin})

    def over_limit(self, job: Job, machine: Machine) -> bool:
        """Tell whether a job must wait because of what its user's jobs have."""
        if self.user_jobs == self.user_procs == inf:
            return False
        own = [other.procs for other in machine.running if other.user == job.user]
        return len(own) >= self.user_jobs or sum(own) + job.procs > self.user_procs
