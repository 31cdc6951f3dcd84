"""EASY backfilling, in plain Python (MF section 2.2)."""

from collections.abc import Callable
from typing import Any

from . import rules
from .fcfs import start_from_the_head
from .system import Decisions, Job, System, leave_and_join

Priority = Callable[[float, float, float], float]
"""A function of a job's wait, estimate and size; the job with the largest value is the head of the queue."""


def easy(system: System, reuse_extra: bool = False, order: Any = "fcfs", priority: Priority | None = None) -> Decisions:
    """Decide at an instant under EASY; steps 1 and 2 are the paper's.

    Parameters
    ----------
    system : System
    reuse_extra, order : as in `simlib.EASY`
    priority : callable or None
        A function of (wait, estimate, size), the largest first; None for the order of arrival.

    Examples
    --------
    Job A takes 3 of 4 processors, B needs all of them, and C has ended before A does.

    >>> from simlib.explain.system import decisions
    >>> jobs = [Job("A", 0, 0, 10, 10, 3), Job("B", 1, 0, 10, 10, 4), Job("C", 2, 0, 5, 5, 1)]
    >>> [rule.name for rule, *_ in decisions(System(4, jobs), easy)][1:4]
    ['the head fits', 'the head does not fit', 'ends by the shadow time']
    """
    yield from leave_and_join(system)
    if priority is not None:
        yield from sort_the_queue(system, order, priority)
    yield from start_from_the_head(system)
    if not system.queue:
        return
    head, *others = system.queue

    # 1. find the shadow time and the extra processors
    before = head.shadow
    system.shadow, system.extra, leaving = shadow_time(head, system)
    head.shadow = system.shadow
    yield rules.head_waits, head, system.free, leaving, before, system.extra, system.now

    # 2. loop on the queued jobs in order, and start each one that does not delay the head
    for job in others:
        free, extra, end = system.free, system.extra, system.now + job.estimate
        if job.procs > free:
            yield rules.too_large, job, free
        elif end <= system.shadow:
            system.start(job, backfilled=True)
            yield rules.ends_by_the_shadow_time, job, head, system.shadow
        elif job.procs <= extra:
            system.start(job, backfilled=True)
            if not reuse_extra:
                system.extra -= job.procs
            yield rules.fits_the_extra_processors, job, head, system.shadow, extra, system.extra
        else:
            yield rules.would_delay_the_head, job, end, system.shadow, extra


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
        shadow = job.expected_end
        leaving.append(job)
    return shadow, available - head.procs, leaving


def sort_the_queue(system: System, order: Any, priority: Priority) -> Decisions:
    """Sort the queue by falling priority, ties by arrival.

    Examples
    --------
    >>> queue = [Job("long", 0, 0, 90, 90, 1), Job("short", 1, 0, 5, 5, 1)]
    >>> steps = list(sort_the_queue(System(4, [], queue=queue), "sjf", lambda wait, estimate, size: -estimate))
    >>> [job.name for job in queue]
    ['short', 'long']
    """
    before = list(system.queue)
    for job in system.queue:
        job.priority = priority(float(system.now - job.submit), float(job.estimate), float(job.procs))
    system.queue.sort(key=lambda job: (-job.priority, job.arrival))
    if system.queue != before:
        yield rules.sorts, system.queue[0], system.queue, order
