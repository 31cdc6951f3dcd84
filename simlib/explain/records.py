"""One record a decision: what was decided, by which rule, and the picture of that instant."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..schedule import Schedule
from .conservative import joined
from .words import number


class Waiting(NamedTuple):
    """A job in the queue; `priority` where the queue is sorted by one."""

    job: object
    procs: int
    submit: int
    estimate: int
    priority: float | None


class Span(NamedTuple):
    """A job's processors from `start` until `end`: real, expected or reserved."""

    job: object
    procs: int
    start: int
    end: int
    backfilled: bool


@dataclass(frozen=True)
class Decision:
    """A decision of a scheduler, and all that can be seen at that instant when it has been made.

    Jobs are named as in the workload's index. Times are seconds of the workload.

    Attributes
    ----------
    time : int
    kind : str
        "event" (jobs ended or arrived, nothing is decided yet), "sort" (the queue), "start", "backfill" (a start ahead
        of a job that came earlier, or of the head), "wait" (at the head), "refuse", and of reservations "reserve",
        "move" and "keep".
    rule : str
        By which rule, in a few words.
    sentence : str
        The decision in plain English.
    jobs : tuple
        The jobs decided on: one, or several in a row that were refused alike; empty for an event.
    ended, arrived : tuple
        The jobs that have ended and arrived at this instant.
    procs, free : int
        Processors of the machine, and those that are free.
    queue : tuple of Waiting
        In its order, the head first; under conservative backfilling in order of arrival.
    running, done : tuple of Span
        The running jobs until their expected ends, and those that have ended.
    reservations : tuple of Span
        Under conservative backfilling, of each queued job that has one; under EASY the head's, from its shadow time.
    shadow, extra : int or None
        Under EASY, once the head has had to wait at this instant: its shadow time, and the extra processors left.
    profile : tuple of (int, int) or None
        Under conservative backfilling: times, and how many processors are free from then until the next one, running
        and reserved jobs counted.
    """

    time: int
    kind: str
    rule: str
    sentence: str
    jobs: tuple
    ended: tuple
    arrived: tuple
    procs: int
    free: int
    queue: tuple
    running: tuple
    done: tuple = field(repr=False)
    reservations: tuple
    shadow: int | None
    extra: int | None
    profile: tuple | None

    @property
    def job(self):
        """The job decided on, or None where it is not a single one."""
        return self.jobs[0] if len(self.jobs) == 1 else None

    def __str__(self):
        return f"{number(self.time):>11}  {self.sentence}"


@dataclass(frozen=True, repr=False)
class Explanation(Sequence):
    """The decisions that lead to a schedule, in order; printed, one line each.

    Attributes
    ----------
    decisions : tuple of Decision
    schedule : Schedule
        As `simlib.simulate` returns it.
    """

    decisions: tuple
    schedule: Schedule

    def __len__(self):
        return len(self.decisions)

    def __getitem__(self, place):
        return self.decisions[place]

    def __repr__(self):
        name, policy = self.schedule.workload.name, self.schedule.policy
        return f"<Explanation of {name} under {policy}: {len(self):,} decisions>"

    def __str__(self):
        return "\n".join([repr(self)[1:-1], *map(str, self)])


def record(system, steps):
    """The decisions of `simlib.explain.system.decisions` as records, each taken before the next one is made."""
    records, last, several = [], None, []
    for rule, job, *facts in steps:
        alike = rule.together and last == (rule, system.now, facts)
        several = [*several, job] if alike else [job]
        last = rule, system.now, facts
        said = {
            "jobs": tuple(job.name for job in several if job is not None),
            "sentence": rule.say(several if rule.together else job, *facts),
        }
        if alike:
            records[-1] = replace(records[-1], **said)
        else:
            seen = _picture(system, records[-1] if records else None)
            records.append(Decision(time=system.now, kind=rule.kind, rule=rule.name, **said, **seen))
    return tuple(records)


def _picture(system, before):
    """What can be seen in a system; what has not changed since the record before is kept once for both."""
    if system.shadow is not None:
        head = system.queue[0]
        reservations = [Span(head.name, head.procs, system.shadow, system.shadow + head.estimate, False)]
    else:
        reserved = [job for job in system.queue if job.reserved is not None]
        reservations = [Span(job.name, job.procs, job.reserved, job.reserved + job.estimate, False) for job in reserved]
    lists = {
        "ended": [job.name for job in system.ended],
        "arrived": [job.name for job in system.arrived],
        "queue": [Waiting(job.name, job.procs, job.submit, job.estimate, job.priority) for job in system.queue],
        "running": [Span(job.name, job.procs, job.start, job.expected_end, job.backfilled) for job in system.running],
        "done": [Span(job.name, job.procs, job.start, job.end, job.backfilled) for job in system.done],
        "reservations": reservations,
    }
    seen = {name: _shared(tuple(found), before and getattr(before, name)) for name, found in lists.items()}
    profile = None if system.profile is None else tuple(map(tuple, joined(system.profile)))
    return seen | {
        "procs": system.procs,
        "free": system.free,
        "shadow": system.shadow,
        "extra": system.extra,
        "profile": _shared(profile, before and before.profile),
    }


def _shared(new, old):
    return old if new == old else new
