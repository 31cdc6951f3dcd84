"""Conservative backfilling in plain Python, to be read beside MF section 2.1; and reservations for some jobs.

The profile is a list of steps [time, processors free from then until the next step]; the last one lasts for ever.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from . import rules
from .easy import sort_the_queue
from .system import Decisions, Job, Profile, Ranks, System


def conservative(system: System, compress: str = "arrival") -> Decisions:
    """Decide at an instant: Algorithm Conservative Backfill; `compress` as in `simlib.Conservative`."""
    profile, now = system.profile, system.now

    # Jobs leave; where some were expected to run longer, that leaves a gap.
    early = _leave(system)
    if system.ended:
        yield rules.jobs_end, None, system.ended, now, system.free, system.queue, compress
    if early and compress == "rebackfill":
        yield from _reserve_anew(system)
    elif early and compress != "none":
        by_reserved_start = sorted(system.queue, key=lambda job: (job.reserved, job.arrival))
        yield from _compress_schedule(system, by_reserved_start if compress == "start" else system.queue)

    # A new job arrives:
    for job in system.arrive():
        # 1. find its anchor point;
        job.reserved, too_short = anchor_point(profile, job)
        job.guarantee = job.reserved
        # 2. update the profile to reflect the allocation of processors to this job, starting from there.
        _take(profile, job)
        system.queue.append(job)
        yield rules.reserves, job, too_short, now

    # 3. If a job's anchor is the current time, start it.
    for job in [job for job in system.queue if job.reserved == now]:
        passed = [other for other in system.queue if other.arrival < job.arrival and other.reserved > now]
        system.start(job, backfilled=bool(passed))
        if passed:
            yield rules.passes, job, passed
        else:
            yield rules.reservation_is_due, job


def anchor_point(profile: Profile, job: Job) -> tuple[int, list[tuple[int, int]]]:
    """Find the earliest time at which a job fits, and the earlier gaps, which are too short."""
    anchor: int | None = None
    too_short: list[tuple[int, int]] = []
    for step, (time, free) in enumerate(profile):
        if free >= job.procs:
            # a. the first point where enough processors are available;
            if anchor is None:
                anchor = time
            # b. they remain available until the job's expected end;
            if step + 1 == len(profile) or profile[step + 1][0] >= anchor + job.estimate:
                return anchor, too_short
        elif anchor is not None:
            # c. if not, continue to the next possible anchor point.
            too_short.append((anchor, time))
            anchor = None
    raise ValueError(f"anchor_point: found no step with {job.procs} processors, expected the last one to have as many")


def _compress_schedule(system: System, jobs: Sequence[Job]) -> Decisions:
    """Remove each job in turn from the profile, and reinsert it at the earliest time, never later than it was."""
    for job in jobs:
        before = job.reserved
        _give(system.profile, before, before + job.estimate, job.procs)
        job.reserved = min(anchor_point(system.profile, job)[0], before)
        _take(system.profile, job)
        if job.reserved < before:
            yield rules.moves_forward, job, before, system.now
        else:
            yield rules.keeps, job


def _reserve_anew(system: System) -> Decisions:
    """Forget all reservations and make new ones in order of arrival; the paper warns of this (figure 2)."""
    before = {job: job.reserved for job in system.queue}
    for job in system.queue:
        _give(system.profile, job.reserved, job.reserved + job.estimate, job.procs)
        job.reserved = None
    for job in system.queue:
        job.reserved, _ = anchor_point(system.profile, job)
        _take(system.profile, job)
        yield rules.reserves_anew, job, before[job], system.now


# The profile


def _leave(system: System) -> list[Job]:
    """Let jobs leave, and the profile begin now; return the jobs that end early, which leave a gap in it."""
    profile, now = system.profile, system.now
    while len(profile) > 1 and profile[1][0] <= now:
        del profile[0]
    profile[0][0] = now
    profile[:] = joined(profile)
    early = [job for job in system.leave() if job.expected_end > now]
    for job in early:
        _give(profile, now, job.expected_end, job.procs)
    return early


def _take(profile: Profile, job: Job) -> None:
    """Take a job's processors from its reserved start until its expected end."""
    _give(profile, job.reserved, job.reserved + job.estimate, -job.procs)


def _give(profile: Profile, begin: int, end: int, procs: int) -> None:
    """Add `procs` free processors from `begin` until `end`; a negative number takes them."""
    first, last = _split(profile, begin), _split(profile, end)
    for step in range(first, last):
        profile[step][1] += procs


def _split(profile: Profile, time: int) -> int:
    """Split the step at `time`, unless a step begins then; return the place of the step that begins then."""
    place = len(profile)
    while profile[place - 1][0] > time:
        place -= 1
    if profile[place - 1][0] == time:
        return place - 1
    profile.insert(place, [time, profile[place - 1][1]])
    return place


def joined(profile: Profile) -> Profile:
    """Copy the profile without superfluous steps."""
    return [list(step) for k, step in enumerate(profile) if k == 0 or step[1] != profile[k - 1][1]]


# Reservations for some of the waiting jobs: between EASY and conservative backfilling.

SHORTEST = 10
"""Seconds: a shorter job is as slow as one of this length, as for bounded slowdown."""


@dataclass
class Entitled:
    """Choose the jobs that get a reservation: the first `most` that wait and whose expected slowdown is high enough."""

    most: float = math.inf
    threshold: float | None = 0.0
    slowdowns: float = 0.0
    ended: int = 0

    @property
    def needed(self) -> float:
        """The expected slowdown from which on a job gets a reservation."""
        if self.threshold is not None:
            return self.threshold
        return round(self.slowdowns / self.ended * 1e9) / 1e9 if self.ended else 1.0

    def learn(self, ended: Sequence[Job]) -> None:
        """Learn the slowdowns of the jobs that have ended."""
        self.slowdowns += sum(_slowdown(job.start - job.submit, job.run) for job in ended)
        self.ended += len(ended)

    def why(self, job: Job, now: int) -> str:
        """Say in a clause why a job gets a reservation; empty if every job does."""
        if self.most < math.inf:
            return "which is the first in the queue" if self.most == 1 else f"among the first {self.most:g} that wait"
        if self.threshold == 0:
            return ""
        slow = f"{_slowdown(now - job.submit, job.estimate):.2f}"
        if self.threshold is not None:
            return f"whose expected slowdown has come to {slow}"
        return f"whose expected slowdown of {slow} has come to the mean so far, {self.needed:.2f}"


def _slowdown(wait: int, duration: int) -> float:
    """Divide wait and duration by the duration: bounded slowdown, to nine digits."""
    return round(max(1.0, (wait + duration) / max(duration, SHORTEST)) * 1e9) / 1e9


def reserving(system: System, entitled: Entitled, order: Ranks | None = None) -> Decisions:
    """Decide at an instant: see `simlib.EASY` for `reservations`, `simlib.Selective`, and `simlib.Conservative`."""
    # jobs leave and arrive
    to_compress = bool(_leave(system))
    entitled.learn(system.ended)
    system.queue += system.arrive()
    if system.ended or system.arrived:
        yield rules.jobs_end_or_arrive, None, system.ended, system.arrived, system.now, system.free, system.queue

    # who is not among the first any more gives its reservation up
    if order is not None:
        yield from sort_the_queue(system, order)
        first = int(min(entitled.most, len(system.queue)))
        for job in [job for job in system.queue[first:] if job.reserved is not None]:
            to_compress = True
            before, job.reserved = job.reserved, None
            _give(system.profile, before, before + job.estimate, job.procs)
            yield rules.gives_up, job, before, entitled.most
    if to_compress:
        yield from _compress_schedule(system, [job for job in system.queue if job.reserved is not None])
    yield from _go_through(system, entitled)


def _go_through(system: System, entitled: Entitled) -> Decisions:
    """Go through the queue: reserve for jobs that are entitled to it, and start jobs that can start."""
    now = system.now
    waiting: list[Job] = []
    for job in list(system.queue):
        was_reserved = job.reserved is not None
        if not was_reserved:
            anchor, too_short = anchor_point(system.profile, job)
            is_slow = _slowdown(now - job.submit, job.estimate) >= entitled.needed
            to_one = len(waiting) < entitled.most and is_slow
            if to_one or anchor == now:
                job.reserved = anchor
                _take(system.profile, job)
            if to_one and job.guarantee is None:
                job.guarantee = anchor
        if job.reserved != now:
            waiting.append(job)
            if job.reserved is None:
                yield _refusal(job, system)
            elif not was_reserved:
                yield rules.reserves_if_entitled, job, entitled.why(job, now), too_short, now
            continue
        free = system.free
        system.start(job, backfilled=bool(waiting))
        if was_reserved:
            yield rules.reserved_time_ahead if waiting else rules.reserved_time, job, list(waiting)
        elif waiting:
            yield rules.touches_no_reservation, job, list(waiting), free
        else:
            yield rules.head_starts, job, free


def _refusal(job: Job, system: System) -> tuple:
    """Say why a job without a reservation may not start."""
    if job.procs > system.free:
        return rules.too_large, job, system.free
    end = max(system.now + job.estimate, system.now + 1)  # one of no length is kept by those that are due
    when = next(time for time, free in system.profile if time < end and free < job.procs)
    reserved = [other for other in system.queue if other.reserved is not None]
    touched = [other for other in reserved if other.reserved <= when < other.reserved + other.estimate]
    return rules.would_touch, job, touched, system.now
