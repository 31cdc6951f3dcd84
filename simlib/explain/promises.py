"""Tell which promise to the head of the queue stands at each decision, also where nothing is said of it."""

from collections.abc import Sequence

from .records import Decision, Explanation, Span


def promises(explanation: Explanation) -> list[Decision | None]:
    """List for each decision the last one at which a shadow time was found, until the head of that one has started.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 9, 9, 2))
    >>> explanation = simlib.explain.explain(w, simlib.EASY())
    >>> [(seen.time, seen.kind, last.shadow) for seen, last in zip(explanation, promises(explanation)) if last]
    [(1, 'wait', 10), (2, 'event', 10), (2, 'wait', 10), (2, 'refuse', 10), (10, 'event', 10)]
    """
    found: list[Decision | None] = []
    last: Decision | None = None
    for seen in explanation:
        if seen.shadow is not None:
            last = seen
        elif last is not None and last.reservations[0].job not in [job.job for job in seen.queue]:
            last = None
        found.append(last)
    return found


def reserved(seen: Decision, promise: Decision | None) -> Sequence[Span]:
    """List what is reserved at a decision, or what was promised to the head before, as long as it can be held.

    It cannot where the queue has a new order, and somebody else has started in its place.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("four jobs", 1, A=(0, 1, 1, 1), B=(0, 2, 2, 1), C=(1, 1, 1, 1))
    >>> explanation = simlib.explain.explain(w, simlib.EASY(order="sjf"))
    >>> started = next(seen for seen in explanation if seen.kind == "start" and seen.job == "C")
    >>> waited = next(seen for seen in explanation if seen.shadow is not None)
    >>> [span.job for span in reserved(waited, waited)], reserved(started, waited)
    (['B'], [])
    """
    if seen.reservations or promise is None:
        return seen.reservations
    first = promise.reservations[0]
    used = sum(span.procs for span in seen.running if span.end > first.start)
    return [first] if used + first.procs <= seen.procs else []
