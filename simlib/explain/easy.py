"""EASY backfilling, in plain Python (MF section 2.2)."""

from . import rules
from .fcfs import start_from_the_head
from .system import leave_and_join


def easy(system, reuse_extra=False, order="fcfs", priority=None):
    """An instant under EASY, whose steps 1 and 2 are the paper's.

    Parameters
    ----------
    system : System
    reuse_extra, order : as in `simlib.EASY`
    priority : callable or None
        Of (wait, estimate, size), the largest first; None for the order of arrival.
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


def shadow_time(head, system):
    """When the head can start at the latest, how many processors it will leave free, and who must have left by then."""
    shadow, available, leaving = system.now, system.free, []
    for job in sorted(system.running, key=lambda job: job.expected_end):
        if available >= head.procs and job.expected_end > shadow:
            break
        available += job.procs
        shadow = job.expected_end
        leaving.append(job)
    return shadow, available - head.procs, leaving


def sort_the_queue(system, order, priority):
    """Sort the queue by falling priority, ties by arrival."""
    before = list(system.queue)
    for job in system.queue:
        job.priority = priority(float(system.now - job.submit), float(job.estimate), float(job.procs))
    system.queue.sort(key=lambda job: (-job.priority, job.arrival))
    if system.queue != before:
        yield rules.sorts, system.queue[0], system.queue, order
