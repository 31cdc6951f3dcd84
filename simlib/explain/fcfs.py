"""First come, first served, in plain Python (MF section 1)."""

from . import rules
from .ranking import Ranks, sort_the_queue
from .system import Decisions, System, leave_and_join


def fcfs(system: System, order: Ranks | None = None) -> Decisions:
    """Decide at an instant under FCFS: a job starts only when all before it in the queue have started.

    The queue is in order of arrival, unless it has an order of its own.

    Examples
    --------
    >>> from simlib.explain.system import Job, decisions
    >>> system = System(4, [Job("A", 0, 0, 10, 10, 3), Job("B", 1, 0, 10, 10, 4)])
    >>> [(system.now, rule.name) for rule, *_ in decisions(system, fcfs)][:3]
    [(0, 'jobs end or arrive'), (0, 'the head fits'), (0, 'nobody may pass the head')]
    """
    yield from leave_and_join(system)
    if order is not None:
        yield from sort_the_queue(system, order)
    yield from start_from_the_head(system)
    if system.queue:
        head, *others = system.queue
        yield rules.head_blocks, head, others, system.free


def start_from_the_head(system: System) -> Decisions:
    """Start jobs from the head of the queue while they fit.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> queue = [Job(name, place, 0, 10, 10, 3) for place, name in enumerate("AB")]
    >>> [job.name for _, job, _ in start_from_the_head(System(4, [], free=4, queue=queue))]
    ['A']
    """
    while system.queue and system.queue[0].procs <= system.free:
        head = system.queue[0]
        free = system.free
        system.start(head)
        yield rules.head_starts, head, free
