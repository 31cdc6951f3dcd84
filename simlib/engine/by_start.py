"""Queued jobs by reserved start, in two sorted parts: few that arrived last, and all others.

A new job goes into the small part. When that is full, or its order is needed, the two are merged; so a queue of 100,000
is not shifted for each job that arrives.
"""

from ..compiled import compiled
from .profile import make_room

RECENT = 1024  # jobs of the small part


@compiled
def insert_by_start(recent, begin, end, job, start):
    """Insert `job`, the last one to arrive, into `recent[begin:end]`."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if start[recent[middle]] <= start[job]:
            low = middle + 1
        else:
            high = middle
    make_room(recent, low, end)
    recent[low] = job


@compiled
def merge(by_start, started, reserved, recent, begin, end, start):
    """Merge `recent[begin:end]` into `by_start[started:reserved]`, whose jobs all arrived before. Returns its end."""
    place = merged = reserved + end - begin
    while end > begin:
        place -= 1
        if reserved > started and start[by_start[reserved - 1]] > start[recent[end - 1]]:
            reserved -= 1
            by_start[place] = by_start[reserved]
        else:
            end -= 1
            by_start[place] = recent[end]
    return merged


@compiled
def sort_by_start(by_start, started, reserved, start, arrival):
    """Sort `by_start[started:reserved]` by start, ties by arrival; they nearly are already."""
    for i in range(started + 1, reserved):
        job = by_start[i]
        j = i
        while j > started and (
            start[by_start[j - 1]] > start[job]
            or (start[by_start[j - 1]] == start[job] and arrival[by_start[j - 1]] > arrival[job])
        ):
            by_start[j] = by_start[j - 1]
            j -= 1
        by_start[j] = job
