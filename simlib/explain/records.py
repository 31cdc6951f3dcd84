"""Record each decision, its rule, and the state at that instant."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, overload

from .._util.words import number
from ..core.schedule import Schedule
from ..plain.machine import Job, Needs
from .listening import Listener, Told, listen


class Waiting(NamedTuple):
    """A job in the queue; `priority` if the queue is sorted by one."""

    job: Hashable
    procs: int
    submit: int
    estimate: int
    priority: float | None


class Span(NamedTuple):
    """A job's processors from `start` until `end`: real, expected or reserved."""

    job: Hashable
    procs: int
    start: int
    end: int
    backfilled: bool


@dataclass(frozen=True)
class Decision:
    """A decision of a scheduler, and the state right after it.

    Jobs are named as in the workload's index. Times are seconds of the workload.

    Attributes
    ----------
    time : int
    kind : str
        "event" (jobs ended or arrived, nothing is decided yet), "sort" (the queue), "start", "backfill" (a start ahead
        of an earlier job, or of the head), "wait" (at the head), "refuse"; "try" (the order in which jobs may pass the
        head) and "choose" (the set that passes it); "predict" and "correct" (run times); and for reservations
        "reserve", "move", "keep" and "give up".
    rule : str
        The rule, in a few words.
    sentence : str
        The decision in plain English.
    jobs : tuple
        The jobs of the decision: one, or several in a row that were refused by the same rule; empty for an event.
    ended, arrived : tuple
        The jobs that have ended, and that have arrived, at this instant.
    procs, free : int
        Processors of the machine, and free processors.
    queue : tuple of Waiting
        In its order, the head first; in order of arrival if the queue is not sorted.
    running, done : tuple of Span
        The running jobs until their expected ends, and the jobs that have ended.
    reservations : tuple of Span
        The reservations of queued jobs; under EASY with one reservation that of the head, from its shadow time.
    shadow, extra : int or None
        Under EASY with one reservation, after the head has had to wait at this instant: its shadow time, and the
        remaining extra processors.
    profile : tuple of (int, int) or None
        If more jobs have reservations: times, and the number of processors that are free from each time until the next,
        beside running and reserved jobs.

    Examples
    --------
    >>> import simlib
    >>> one = simlib.Workload.of("one job", 4, A=(0, 10, 10, 3))
    >>> decision = simlib.explain.explain(one, simlib.FCFS())[1]
    >>> decision.kind, decision.job, decision.free, decision.rule
    ('start', 'A', 1, 'the head fits')
    """

    time: int
    kind: str
    rule: str
    sentence: str
    jobs: tuple[Hashable, ...]
    ended: tuple[Hashable, ...]
    arrived: tuple[Hashable, ...]
    procs: int
    free: int
    queue: tuple[Waiting, ...]
    running: tuple[Span, ...]
    done: tuple[Span, ...] = field(repr=False)
    reservations: tuple[Span, ...]
    shadow: int | None
    extra: int | None
    profile: tuple[tuple[int, int], ...] | None

    @property
    def job(self) -> Hashable:
        """The job of the decision; None if there is not exactly one."""
        return self.jobs[0] if len(self.jobs) == 1 else None

    def __str__(self) -> str:
        return f"{number(self.time):>11}  {self.sentence}"


@dataclass(frozen=True, repr=False)
class Explanation(Sequence[Decision]):
    """The decisions that lead to a schedule, in order; it prints one line for each.

    Attributes
    ----------
    decisions : tuple of Decision
    schedule : Schedule
        As from `simlib.simulate`.

    Examples
    --------
    >>> import simlib
    >>> one = simlib.Workload.of("one job", 4, A=(0, 10, 10, 3))
    >>> [decision.kind for decision in simlib.explain.explain(one, simlib.EASY())]
    ['event', 'start', 'event']
    """

    decisions: tuple[Decision, ...]
    schedule: Schedule

    def __len__(self) -> int:
        return len(self.decisions)

    @overload
    def __getitem__(self, place: int) -> Decision: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Decision, ...]: ...

    def __getitem__(self, place: int | slice) -> Decision | tuple[Decision, ...]:
        return self.decisions[place]

    def __repr__(self) -> str:
        name, policy = self.schedule.workload.name, self.schedule.policy
        return f"<Explanation of {name} under {policy}: {len(self):,} decisions>"

    def __str__(self) -> str:
        return "\n".join([repr(self)[1:-1], *map(str, self)])


def record(schedule: Schedule) -> tuple[Decision, ...]:
    """Record the decisions that lead to a schedule, each with the state right after it."""
    records: list[Decision] = []
    done: list[Span] = []

    def use(told: Told, listener: Listener) -> None:
        said: dict[str, Any] = {"jobs": tuple(job.number for job in told.jobs), "sentence": told.sentence}
        if told.again:
            records[-1] = replace(records[-1], **said)
            return
        if told.rule.kind == "event":
            done.extend(_span(job, job.start, job.end, listener) for job in listener.scene.machine.ended)
        seen = _seen(listener) | {"done": tuple(done)}
        if records:  # memory holds what is equal once
            seen |= {name: old for name in seen if (old := getattr(records[-1], name)) == seen[name]}
        records.append(Decision(kind=told.rule.kind, rule=told.rule.name, **said, **seen))

    listen(schedule, use)
    return tuple(records)


def _span(job: Job, start: int, end: int, listener: Listener) -> Span:
    return Span(job.number, job.procs, start, end, listener.scene.backfilled[job.number])


def _seen(listener: Listener) -> dict[str, Any]:
    """Record the state of queue and machine."""
    queue, machine = listener.scene.queue, listener.scene.machine
    profile = None
    if machine.reserves:
        steps = [(time, _procs(free)) for time, free in zip(machine.profile.times, machine.profile.free, strict=True)]
        profile = tuple(step for k, step in enumerate(steps) if k == 0 or step[1] != steps[k - 1][1])
    promised = [(job, job.promised) for job in queue if job.promised is not None]
    if listener.shadow is not None and queue:
        promised = [(queue[0], listener.shadow)]
    reserved = (Span(job.number, job.procs, at, at + job.while_running, False) for job, at in promised)
    return {
        "time": machine.now,
        "ended": tuple(job.number for job in machine.ended),
        "arrived": tuple(job.number for job in machine.arrived),
        "procs": machine.procs,
        "free": machine.free,
        "queue": tuple(Waiting(job.number, job.procs, job.submit, job.given, job.rank) for job in queue),
        "running": tuple(_span(job, job.start, job.expected_end, listener) for job in machine.running),
        "reservations": tuple(reserved),
        "shadow": listener.shadow,
        "extra": _procs(listener.extra),
        "profile": profile,
    }


def _procs(free: Needs) -> Any:
    """Take the processors of what is free."""
    return getattr(free, "procs", free)


# Tell which promise to the head of the queue stands at each decision, also where nothing is said of it.


def promises(explanation: Explanation) -> list[Decision | None]:
    """For each decision, list the last one that set a shadow time, until its head has started."""
    standing: list[Decision | None] = []
    last: Decision | None = None
    for seen in explanation:
        if seen.shadow is not None:
            last = seen
        elif last is not None and last.reservations[0].job not in [job.job for job in seen.queue]:
            last = None
        standing.append(last)
    return standing


def reserved(seen: Decision, promise: Decision | None) -> Sequence[Span]:
    """List the reservations at a decision, or the earlier promise to the head, if it can still be kept.

    It cannot be kept if the queue has a new order and another job has started in its place.
    """
    if seen.reservations or promise is None:
        return seen.reservations
    first = promise.reservations[0]
    used = sum(span.procs for span in seen.running if span.end > first.start)
    return [first] if used + first.procs <= seen.procs else []
