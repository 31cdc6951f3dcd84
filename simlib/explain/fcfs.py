"""First come, first served, in plain Python (MF section 1)."""

from . import rules
from .system import leave_and_join


def fcfs(system):
    """An instant under FCFS: a job starts only when all that arrived before it have started."""
    yield from leave_and_join(system)
    yield from start_from_the_head(system)
    if system.queue:
        head, *others = system.queue
        yield rules.head_blocks, head, others, system.free


def start_from_the_head(system):
    """Start jobs from the head of the queue while they fit."""
    while system.queue and system.queue[0].procs <= system.free:
        head = system.queue[0]
        free = system.free
        system.start(head)
        yield rules.head_starts, head, free
