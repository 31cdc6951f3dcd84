"""Compression of a long queue: a job that could not move looks only for gaps that were opened since.

A gap is a longest stretch of steps of the profile with enough free processors. When a waiting job has been examined, it
stands at the earliest time at which it fits. Later it can move only into a gap of which some processors were given back
in the meantime, or into the one that ends at its own reservation; there less room is enough, because the job takes its
own place.

So a table keeps the earliest beginning of the gaps that were opened since the last compression began, by class of size
and class of duration. A job looks no earlier. If it finds no gap before some time, no job that is at least as large and
as long has one, and the entries of their classes rise to this time. In a row, which is a class of sizes, the beginnings
rise with the duration. So both lowering and raising stop early.

The table costs more than it saves where few jobs wait, or a job finds its gap near now: it is used where `MANY` jobs
looked `FAR`, on average, when they were last examined without it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._util.arrays import Int, Ints, Place, Places
from .events import NEVER, ONE, small, uncounted
from .profile import FIRST, LAST, Profile, class_of, first_not_below, give, step_at

MANY, FAR = 256, 128
"""Reservations, and steps of the profile for each: on HPC2N up to 2,400 jobs look at 0.2 to 10, and the table does not
save time; where all come at once, 256 jobs look at 90 to 150, and more at more."""

_DURATIONS = 16  # classes to an octave; sizes have one


class Gaps(NamedTuple):
    """The gaps that were opened, by class.

    Attributes
    ----------
    opened, before : int64 arrays of shape (sizes, durations)
        The earliest beginning of a gap opened since this compression began, and between the last one and this; or a
        later second, before which there is no such gap any more. `NEVER` for none.
    sizes, durations : int64 arrays
        The least number of each class, and of one more.
    of_size, of_duration : uint8 and uint16 arrays, the classes by job
    step : uint64 array, by job; near the step at which its reservation begins: where that was last
    """

    opened: Ints
    before: Ints
    sizes: Ints
    durations: Ints
    of_size: NDArray[np.uint8]
    of_duration: NDArray[np.uint16]
    step: Places


def gaps_of(size: Ints, estimate: Ints) -> Gaps:
    """Make a table for jobs of these sizes and estimates. This is plain Python."""
    sizes, durations = _classes(size.max(initial=1), 1)[1:], _classes(estimate.max(initial=1), _DURATIONS)
    opened = np.full((sizes.size - 1, durations.size - 1), NEVER)
    of_size = (np.searchsorted(sizes, size, "right") - 1).astype(np.uint8)
    of_duration = (np.searchsorted(durations, estimate, "right") - 1).astype(np.uint16)
    return Gaps(opened, opened.copy(), sizes, durations, of_size, of_duration, np.zeros(size.size, np.uint64))


def _classes(largest: Int, to_octave: int) -> Ints:
    """The least number of each class, so many to an octave, up to the first one that is larger than the largest."""
    bounds, octave = list(range(to_octave)), 0
    while bounds[-1] <= largest:
        bounds += [mantissa << octave for mantissa in range(to_octave, 2 * to_octave)]
        octave += 1
    return np.array(bounds, np.int64)


@small
def anything_opened(gaps: Gaps) -> None:
    """Note that a gap may have been opened anywhere, because none was noted while few jobs waited."""
    gaps.opened[:] = -NEVER


@uncounted
def note_gaps(gaps: Gaps, profile: Profile, k: Place, begin: Int, procs: Int) -> None:
    """Note the gaps that were opened by giving back `procs` from `begin` until step k begins."""
    times, free, first, last = profile.times, profile.free, profile.at[FIRST], profile.at[LAST]
    low, least, most = k, NEVER, np.int64(0)
    while low > first and times[low] > begin:  # the step at `begin` may have gone as room for another
        low -= ONE
        least, most = min(least, free[low] - procs), max(most, free[low])
    for c in range(np.uint64(gaps.opened.shape[0])):
        opened, enough, largest = gaps.opened[c], gaps.sizes[c], gaps.sizes[c + ONE] - 1
        if least >= largest or most < enough:
            continue
        end = low
        while end < k:
            if free[end] < enough or free[end] - procs >= largest:
                end += ONE
                continue
            begins = end
            while begins > first and free[begins - ONE] >= enough:
                begins -= ONE
            while end < last and free[end] >= enough:
                end += ONE
            d = np.uint64(opened.size - 1)
            if end < last:
                d = min(d, np.uint64(class_of(times[end] - times[begins], _DURATIONS)))
            while opened[d] > times[begins]:
                opened[d] = times[begins]
                d -= np.uint64(d > 0)


@uncounted
def compress_by_gaps(profile: Profile, jobs: Places, start: Ints, estimate: Ints, size: Ints, gaps: Gaps) -> bool:
    """Move each job in turn to the earliest time at which it fits, as `reserving` does without a table.

    Returns whether a job moves.
    """
    times, free, first, moved = profile.times, profile.free, profile.at[FIRST], False
    opened, before = gaps.opened, gaps.before
    for i in range(opened.shape[0]):
        for j in range(opened.shape[1]):
            before[i, j], opened[i, j] = opened[i, j], NEVER
    for job in jobs:
        procs, duration, reserved = size[job], estimate[job], start[job]
        c, d = np.uint64(gaps.of_size[job]), np.uint64(gaps.of_duration[job])
        if min(opened[c, 0], before[c, 0]) >= reserved:
            continue
        anchor = _step_near(profile, gaps.step[job], reserved)
        while anchor > first and free[anchor - ONE] >= procs:  # the gap that ends at its reservation
            anchor -= ONE
        since = min(opened[c, d], before[c, d])
        if since < times[anchor] and anchor > first:
            anchor = _first_gap_between(profile, step_at(profile, since), anchor, procs, duration)
            c += np.uint64(gaps.sizes[c] < procs)
            d += np.uint64(gaps.durations[d] < duration)
            _raise(gaps, c, d, min(times[anchor], reserved))
        gaps.step[job], time = anchor, times[anchor]
        if time < reserved:
            moved = True
            end = time + duration
            k = give(profile, anchor, time, min(end, reserved), -procs)
            k = give(profile, k, max(end, reserved), reserved + duration, procs)
            start[job] = time
            if duration > 0:
                note_gaps(gaps, profile, k, max(end, reserved), procs)
    return moved


@small
def _step_near(profile: Profile, k: Place, time: Int) -> Place:
    """Find the first step that does not begin before a time, in ever wider circles around step k."""
    times, first, last, width = profile.times, profile.at[FIRST], profile.at[LAST], ONE
    low = high = min(max(k, first), last)
    while times[high] < time:
        low, high, width = high + ONE, min(high + width, last), width + width
    while low > first and times[low - ONE] >= time:
        high, low, width = low - ONE, max(low, first + width) - width, width + width
    return first_not_below(times, low, high, time)


@small
def _first_gap_between(profile: Profile, k: Place, anchor: Place, procs: Int, duration: Int) -> Place:
    """Find the first step from k on at which a gap begins; `anchor`, which has too few before it, if none does."""
    times, free = profile.times, profile.free
    while k < anchor:
        while k < anchor and free[k] < procs:
            k += ONE
        begins = k
        while k < anchor and times[k] < times[begins] + duration and free[k] >= procs:
            k += ONE
        if times[k] >= times[begins] + duration:
            return begins
    return anchor


@small
def _raise(gaps: Gaps, c: Place, d: Place, time: Int) -> None:
    """Note that no gap of these classes, or larger and longer ones, begins before `time`."""
    opened, before = gaps.opened, gaps.before
    for larger in range(c, np.uint64(opened.shape[0])):
        for longer in range(d, np.uint64(opened.shape[1])):
            if opened[larger, longer] >= time and before[larger, longer] >= time:
                break
            opened[larger, longer] = max(opened[larger, longer], time)
            before[larger, longer] = max(before[larger, longer], time)
