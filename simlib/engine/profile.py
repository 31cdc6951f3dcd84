"""The profile of conservative backfilling: how many processors will be free from now on (MF section 2.1).

A step with as many free processors as the step before is superfluous, and does no harm. It stays, as room for the next
step that begins near it, so that the rest of the profile is seldom shifted. `_tidy` removes such steps when there are
too many. Steps near in time are near in the profile: so functions take and return a step from which to continue,
instead of searching.

In a long profile, the results of earlier searches tell later ones where to begin. While no processors are given back,
gaps only shrink. So if a job's gap begins at some time, no job that is at least as large and as long has an earlier
gap. Sizes and durations are divided into classes. A result holds for all classes at or above the job's; a search uses
the results of the classes at or below it. The table `searches` is a Fenwick tree in both dimensions: a query over
20,000 pairs of classes reads about ten entries.

Steps have unsigned numbers: for a signed index numba checks at every look-up whether it counts from the end, and these
scans consist mostly of look-ups.
"""

from typing import Any, NamedTuple

import numpy as np

from .._util.arrays import Floats, Int, Ints, Place, Places
from .events import NEVER, ONE, TWO, part, small, uncounted

_NEAR = np.uint64(16)  # steps within which room is looked for
_LONG = np.uint64(512)  # steps of a profile in which room is made in advance
FIRST, LAST, _MANY = range(3)


class Profile(NamedTuple):
    """How many processors will be free, in steps.

    Attributes
    ----------
    times, free : int64 arrays
        `free[k]` processors are free from second `times[k]` until `times[k + 1]`, for each of the steps
        `at[FIRST] <= k < at[LAST]`; the first one begins now, and `times[at[LAST]]` is `NEVER`.
    at : uint64 array
        The first and the last step, and the number of steps from which on tidying is worth while.
    """

    times: Ints
    free: Ints
    at: Places


def all_free(machine: Int, jobs: int) -> Profile:
    """Make the profile of a machine of so many processors, on which so many jobs will run. This is plain Python."""
    times, free = np.empty((2, 12 * jobs + 64), np.int64)  # 3 steps a job before `_tidy`, and 9 within an instant
    times[0], free[0], times[1] = 0, machine, NEVER
    return Profile(times, free, np.array([0, 1, 32], np.uint64))


@small
def advance(profile: Profile, now: Int) -> None:
    """Drop the part before `now`; tidy up a profile that has become too long."""
    times, first = profile.times, profile.at[FIRST]
    while times[first + ONE] <= now:
        first += ONE
    times[first] = now
    profile.at[FIRST] = first
    if profile.at[LAST] > profile.at[_MANY]:
        _tidy(profile)


@uncounted
def _tidy(profile: Profile) -> None:
    """Remove superfluous steps; in a long profile spread some new ones evenly. The first step is then 0.

    Sets the number of steps from which tidying is worth while again: soon in a long profile, because its room is used
    up.
    """
    times, free, first = profile.times, profile.free, profile.at[FIRST]
    times[0], free[0] = times[first], free[first]
    kept = np.uint64(0)
    for k in range(first + ONE, profile.at[LAST]):
        if free[k] != free[kept]:
            kept += ONE
            times[kept], free[kept] = times[k], free[k]
    last = kept + ONE
    times[last] = NEVER
    if last > _LONG:
        last = _spread(times, free, last)
    profile.at[FIRST], profile.at[LAST] = np.uint64(0), last
    profile.at[_MANY] = last + last // np.uint64(8 if last < _LONG else 32) + np.uint64(8)


@small
def _spread(times: Ints, free: Ints, last: Place) -> Place:
    """Double every second step: one of each pair is superfluous, and so is room. Returns the new last step."""
    k = new_last = last + last // TWO
    times[k] = NEVER
    while last > 0:
        last -= ONE
        k -= ONE
        times[k], free[k] = times[last], free[last]
        if last % TWO == 0 and k > last:
            k -= ONE
            times[k], free[k] = times[last], free[last]
    return new_last


@uncounted
def _insert_before(profile: Profile, k: Place, begin: Int, procs: Int) -> Place:
    """Insert a step that begins at `begin`, with `procs` free, before step k. Returns that step."""
    times, free = profile.times, profile.free
    room = k - ONE
    nearest = max(profile.at[FIRST], max(k, _NEAR) - _NEAR)
    while room > nearest and free[room] != free[room - ONE]:
        room -= ONE
    if room > nearest:
        k -= ONE
        while room < k:
            times[room], free[room] = times[room + ONE], free[room + ONE]
            room += ONE
    else:
        last = profile.at[LAST]
        room = k + ONE if last - k > _LONG else last  # the rest is shifted, in a long profile to the next room only
        while room < last and free[room] != free[room - ONE]:
            room += ONE
        if room == last:
            room = profile.at[LAST] = last + ONE
        make_room(times, k, room)
        make_room(free, k, room)
    times[k], free[k] = begin, procs
    return k


@part
def make_room(values: Ints | Floats | Places, k: Int, last: Int) -> None:
    """Shift `values[k:last]` by one."""
    rest = values[np.int64(k) : np.int64(last) + 1]  # a loop over a view becomes one move of a block of memory
    for i in range(rest.size - 1, 0, -1):
        rest[i] = rest[i - 1]


@part
def give(profile: Profile, k: Place, begin: Int, end: Int, procs: Int) -> Place:
    """Add `procs` free processors from `begin`, which is not before step k, until `end`; a negative number takes them.

    Returns the step that begins at `end`.
    """
    times, free = profile.times, profile.free
    if begin == end:
        return k
    while times[k] < begin:
        k += ONE
    if times[k] > begin:
        k = _insert_before(profile, k, begin, free[k - ONE])
    while times[k] < end:
        free[k] += procs
        k += ONE
    if times[k] > end:
        k = _insert_before(profile, k, end, free[k - ONE] - procs)
    return k


@part
def anchor_point(profile: Profile, k: Place, size: Int, duration: Int, reserved: Int, horizon: Int) -> Place:
    """Find the first step from k on at whose beginning `size` processors are free for `duration` (MF 2.1, step 1).

    `reserved` is the start that the job already has in the profile, or `NEVER` for a new job. If a scan reaches it
    without a gap, it is the answer: without its own reservation the job always fits there. So a reservation need not be
    taken out of the profile to learn that it cannot move. The scan does not look for gaps that begin at `horizon` or
    later; if there is none before, the answer is the first step at or after the horizon or the reservation.
    """
    times, free = profile.times, profile.free
    until = min(reserved, horizon)
    while True:
        # The next anchor is where a step with enough of them begins. `&` looks at both: a branch less to guess wrong.
        while (free[k] < size) & (times[k] < until):
            k += ONE
        if times[k] >= until:
            return k
        anchor = k
        end = min(times[k] + duration, reserved)
        while times[k] < end and free[k] >= size:
            k += ONE
        if times[k] >= end:
            return anchor


@uncounted
def step_at(profile: Profile, time: Int) -> Place:
    """Find the step in which `time` lies, the earlier one of a doubled step, or the first of all."""
    times, first = profile.times, profile.at[FIRST]
    step = first_not_below(times, first, profile.at[LAST], time)
    return step if times[step] == time or step == first else step - ONE


@uncounted
def first_not_below(values: Ints, low: Place, high: Place, value: Int) -> Place:
    """Find the first place from `low` on whose value is not below this one, in values that rise; `high` for none."""
    while low < high:
        middle = (low + high) // TWO
        if values[middle] < value:
            low = middle + ONE
        else:
            high = middle
    return low


_SIZES, _DURATIONS = 8, 32  # classes to an octave; there are more different durations
_VALID = 0, 0  # an entry that the tree does not use: whether the table holds anything


def no_searches(machine: Int, longest: Int) -> Ints:
    """Make an empty table for jobs of up to that many processors and seconds. This is plain Python."""
    compiled: Any = class_of  # which mypy does not know
    classes = (compiled.py_func(x, of) for x, of in ((int(machine), _SIZES), (int(longest), _DURATIONS)))
    searches = np.empty([number + 3 for number in classes], np.int64)
    searches[_VALID] = False
    return searches


@small
def forget(searches: Ints) -> None:
    """Forget all results, because processors have been given back."""
    searches[_VALID] = False


@small
def first_gap(searches: Ints, profile: Profile, size: Int, duration: Int) -> Place:
    """Find the first step at which a gap for a new job begins, with the help of earlier results, and remember it."""
    first = profile.at[FIRST]
    if profile.at[LAST] - first < _LONG:
        return anchor_point(profile, first, size, duration, NEVER, NEVER)
    if not searches[_VALID]:
        searches[:] = -NEVER
        searches[_VALID] = True
    k = step_at(profile, _no_gap_before(searches, size, duration))
    k = anchor_point(profile, k, size, duration, NEVER, NEVER)
    _remember(searches, size, duration, profile.times[k])
    return k


@uncounted
def class_of(x: Int, classes: Int) -> Int:
    """The class of a size or duration, so many to an octave. A larger number never has a lower class."""
    octave = 0
    while x >> octave >= 2 * classes:
        octave += 1
    return classes * octave + (x >> octave)


@small
def _no_gap_before(searches: Ints, size: Int, duration: Int) -> Int:
    """A time before which there is no gap of this size and duration."""
    time = -NEVER
    i = class_of(size, _SIZES) + 1
    while i > 0:
        j = class_of(duration, _DURATIONS) + 1
        while j > 0:
            time = max(time, searches[i, j])
            j &= j - 1
        i &= i - 1
    return time


@small
def _remember(searches: Ints, size: Int, duration: Int, time: Int) -> None:
    """Remember that there is no gap of this size and duration, or more, before `time`."""
    i = class_of(size - 1, _SIZES) + 2  # the first class that has no smaller ones
    while i < searches.shape[0]:
        j = class_of(duration - 1, _DURATIONS) + 2 if duration > 0 else 1
        while j < searches.shape[1]:
            searches[i, j] = max(searches[i, j], time)
            j += j & -j
        i += i & -i
