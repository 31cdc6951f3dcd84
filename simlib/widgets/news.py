"""Find the decisions of a scheduler that tell something new: at those a stepper stops."""

from collections.abc import Hashable, Sequence

from ..explain import Decision


def news(decisions: Sequence[Decision]) -> list[int]:
    """List the places of the decisions that tell something new; the first and the last one are always among them.

    It is nothing new

    - that the head still waits, if its shadow time and the extra processors are those that were told last;
    - that the queue is sorted as it was;
    - that jobs are refused again by the rule that was told of each of them last;
    - that another job finds no processor free, if the next refusal names all of them;
    - that jobs have ended or arrived, if the decision that follows from it is told with it.

    Examples
    --------
    >>> import simlib
    >>> jobs = simlib.Workload.of("jobs", 4, A=(0, 9, 9, 3), B=(1, 5, 5, 2), C=(2, 9, 9, 2))
    >>> decisions = simlib.explain.explain(jobs, simlib.EASY())
    >>> [decisions[place].kind for place in news(decisions)]
    ['event', 'start', 'wait', 'refuse', 'start', 'start', 'event', 'event']
    """
    told = _told(decisions)
    merged = {place for place in told if _is_told_later(decisions, told, place)}
    told -= merged
    events = [place for place, seen in enumerate(decisions) if seen.kind == "event"]
    for event, following in zip(events, [*events[1:], len(decisions)], strict=True):
        if told.isdisjoint(range(event, following)) and merged.isdisjoint(range(event, following)):
            told.add(event)
    return sorted(told | {0, len(decisions) - 1})


def event_before(decisions: Sequence[Decision], places: Sequence[int], place: int) -> Decision | None:
    """Find the event from which the decision at one of the `places` follows, if it is not told at a place of its own.

    Examples
    --------
    >>> import simlib
    >>> one = simlib.Workload.of("one job", 4, A=(5, 10, 10, 3), B=(6, 10, 10, 3))
    >>> decisions = simlib.explain.explain(one, simlib.FCFS())
    >>> event_before(decisions, news(decisions), 3).sentence
    'Job B (3 processors, estimate 10 s) arrives: 1 processor is free.'
    """
    for before in range(place - 1, -1, -1):
        if before in places or decisions[before].time != decisions[place].time:
            return None
        if decisions[before].kind == "event":
            return decisions[before]
    return None


def _told(decisions: Sequence[Decision]) -> set[int]:
    """Find the decisions that do not only say again what was said before, but for events."""
    told: set[int] = set()
    promise: tuple[int | None, int | None] | None = None
    ordered = ""
    waited: dict[Hashable, str] = {}
    refused: dict[Hashable, str] = {}
    for place, seen in enumerate(decisions):
        if seen.kind == "wait":
            again = seen.sentence == waited.get(seen.job)
            again |= seen.job in waited and seen.shadow is not None and (seen.shadow, seen.extra) == promise
            waited = {seen.job: seen.sentence}
        elif seen.kind == "refuse":
            again = all(refused.get(job) == seen.rule for job in seen.jobs)
            refused |= dict.fromkeys(seen.jobs, seen.rule)
        elif seen.kind == "sort":
            again = seen.sentence == ordered
            ordered = seen.sentence
        else:
            again = seen.kind == "event"
        if seen.shadow is not None:
            promise = seen.shadow, seen.extra
        if not again:
            told.add(place)
    return told


def _is_told_later(decisions: Sequence[Decision], told: set[int], place: int) -> bool:
    """Tell whether a later decision says the same of the same jobs and more, with nothing new in between."""
    later = min((other for other in told if other > place), default=None)
    if later is None:
        return False
    seen, after = decisions[place], decisions[later]
    return seen.kind == after.kind == "refuse" and seen.free == after.free == 0 and set(seen.jobs) <= set(after.jobs)
