"""Record each decision, its rule, and the state at that instant."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, overload

from .._util.words import number
from ..core.schedule import Schedule
from .conservative import joined
from .rules import Rule
from .system import Decisions, Job, System


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


def record(system: System, steps: Decisions) -> tuple[Decision, ...]:
    """Record the decisions of `simlib.explain.system.decisions`, each before the next one is made."""
    records: list[Decision] = []
    last: tuple[Rule, int, list[Any]] | None = None
    several: list[Job] = []
    for rule, job, *facts in steps:
        alike = rule.together and last == (rule, system.now, facts)
        several = [*several, job] if alike else [job]
        last = rule, system.now, facts
        said: dict[str, Any] = {
            "jobs": tuple(job.name for job in several if job is not None),
            "sentence": rule.say(several if rule.together else job, *facts),
        }
        if alike:
            records[-1] = replace(records[-1], **said)
        else:
            seen = _seen(system, records[-1] if records else None)
            records.append(Decision(time=system.now, kind=rule.kind, rule=rule.name, **said, **seen))
    return tuple(records)


def _seen(system: System, before: Decision | None) -> dict[str, Any]:
    """Record the state of a system; tuples that are equal in the record before are shared with it."""
    if system.shadow is not None:
        head = system.queue[0]
        reservations = [Span(head.name, head.procs, system.shadow, system.shadow + head.while_running, False)]
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
    seen: dict[str, Any] = {name: tuple(values) for name, values in lists.items()}
    seen["profile"] = None if system.profile is None else tuple(map(tuple, joined(system.profile)))
    if before is not None:  # memory holds what is equal once
        seen |= {name: old for name in seen if (old := getattr(before, name)) == seen[name]}
    return seen | {name: getattr(system, name) for name in ("procs", "free", "shadow", "extra")}


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
