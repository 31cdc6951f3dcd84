"""EASY backfilling, in plain Python (MF section 2.2)."""

from collections.abc import Callable

from . import rules
from .fcfs import start_from_the_head
from .passing import one_by_one
from .predicting import Predictor
from .ranking import Ranks, sort_the_queue
from .system import Decisions, Job, System, leave_and_join


def easy(
    system: System,
    order: Ranks | None = None,
    passing: Callable[[System], Decisions] = one_by_one,
    predictor: Predictor | None = None,
) -> Decisions:
    """Decide at an instant under EASY; steps 1 and 2 are the paper's.

    Parameters
    ----------
    system : System
    order : Ranks or None
        Of the queue; None for the order of arrival.
    passing : callable
        How it is decided who passes the head.
    predictor : Predictor or None
        None to go by the users' estimates.

    Examples
    --------
    Job A takes 3 of 4 processors, B needs all of them, and C has ended before A does.

    >>> from simlib.explain.system import decisions
    >>> jobs = [Job("A", 0, 0, 10, 10, 3), Job("B", 1, 0, 10, 10, 4), Job("C", 2, 0, 5, 5, 1)]
    >>> [rule.name for rule, *_ in decisions(System(4, jobs), easy)][1:4]
    ['the head fits', 'the head does not fit', 'ends by the shadow time']
    """
    yield from leave_and_join(system)
    if predictor is not None:
        yield from predictor.predict(system)
        yield from predictor.correct(system)
    if order is not None:
        yield from sort_the_queue(system, order)
    yield from start_from_the_head(system)
    if not system.queue:
        return
    head = system.queue[0]

    # 1. find the shadow time and the extra processors
    before = head.shadow
    system.shadow, system.extra, leaving = shadow_time(head, system)
    head.shadow = system.shadow
    yield rules.head_waits, head, system.free, leaving, before, system.extra, system.now

    # 2. start each job that does not delay the head
    yield from passing(system)


def shadow_time(head: Job, system: System) -> tuple[int, int, list[Job]]:
    """Find when the head can start at the latest, how many processors it leaves free then, and which jobs end before.

    Examples
    --------
    Job A holds 3 of 4 processors until second 10. The head needs 2, so 2 are left.

    >>> running = Job("A", arrival=0, submit=0, run=10, estimate=10, procs=3, start=0)
    >>> head = Job("B", arrival=1, submit=1, run=5, estimate=5, procs=2)
    >>> shadow, extra, leaving = shadow_time(head, System(4, [], now=1, free=1, queue=[head], running=[running]))
    >>> shadow, extra, [job.name for job in leaving]
    (10, 2, ['A'])
    """
    shadow, available, leaving = system.now, system.free, []
    for job in sorted(system.running, key=lambda job: job.expected_end):
        if available >= head.procs and job.expected_end > shadow:
            break
        available += job.procs
        shadow = max(shadow, job.expected_end)
        leaving.append(job)
    return shadow, available - head.procs, leaving
