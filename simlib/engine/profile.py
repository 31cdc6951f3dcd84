"""The profile of conservative backfilling: how many processors will be free from now on (MF section 2.1).

Of a profile `free[k]` processors are free from `times[k]` until `times[k + 1]`, for each of the steps
`first <= k < last`; the first one begins now, and `times[last]` is `NEVER`. A step with as many processors free as the
one before says nothing, and does no harm. It stays, as room for the next one that begins near it, so that the rest of
the profile is seldom shifted; `tidy` removes such steps when they have become too many. What is near in time is near
in the profile: so functions take and return a step to go on from, instead of searching.

Steps have unsigned numbers: at every look-up with a signed one numba asks whether it counts from the end, and these
scans do little else than looking up.
"""

import numpy as np

from ..compiled import compiled
from .arrivals import NEVER

ONE, TWO = np.uint64(1), np.uint64(2)
NEAR = np.uint64(16)  # steps within which room is looked for
LONG = np.uint64(512)  # steps of a profile in which room is made in advance


@compiled(forceinline=True)
def advance(times, first, now):
    """Drop what lies before `now`. Returns the new first step."""
    while times[first + ONE] <= now:
        first += ONE
    times[first] = now
    return first


@compiled
def tidy(times, free, first, last):
    """Remove the steps that say nothing; in a long profile make some anew, evenly. Returns the new last step.

    The first is then 0.
    """
    times[0], free[0] = times[first], free[first]
    kept = np.uint64(0)
    for k in range(first + ONE, last):
        if free[k] != free[kept]:
            kept += ONE
            times[kept], free[kept] = times[k], free[k]
    last = kept + ONE
    times[last] = NEVER
    return spread(times, free, last) if last > LONG else last


@compiled
def spread(times, free, last):
    """Double every second step: one of each pair says nothing, and is room. Returns the new last step."""
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


@compiled
def when_to_tidy(last):
    """At how many steps a profile that now has `last` is worth tidying: a long one soon, for its room is used up."""
    return last + last // np.uint64(8 if last < LONG else 32) + np.uint64(8)


@compiled(forceinline=True)
def insert_before(times, free, first, last, k, begin, procs):
    """A step that begins at `begin`, with `procs` free, before step k. Returns that step, and the new last one."""
    room = k - ONE
    nearest = max(first, max(k, NEAR) - NEAR)
    while room > nearest and free[room] != free[room - ONE]:
        room -= ONE
    if room > nearest:
        k -= ONE
        while room < k:
            times[room], free[room] = times[room + ONE], free[room + ONE]
            room += ONE
    else:
        room = k + ONE if last - k > LONG else last  # the rest is shifted, in a long profile to the next room only
        while room < last and free[room] != free[room - ONE]:
            room += ONE
        if room == last:
            last += ONE
            room = last
        make_room(times, k, room)
        make_room(free, k, room)
    times[k], free[k] = begin, procs
    return k, last


@compiled(forceinline=True)
def make_room(values, k, last):
    """Shift `values[k:last]` by one."""
    rest = values[np.int64(k) : np.int64(last) + 1]  # a loop over a view becomes one move of a block of memory
    for i in range(rest.size - 1, 0, -1):
        rest[i] = rest[i - 1]


@compiled(forceinline=True)
def give(times, free, first, last, k, begin, end, procs):
    """Add `procs` free processors from `begin`, which is not before step k, until `end`; a negative number takes them.

    Returns the step that begins at `end`, and the new last one.
    """
    if begin == end:
        return k, last
    while times[k] < begin:
        k += ONE
    if times[k] > begin:
        k, last = insert_before(times, free, first, last, k, begin, free[k - ONE])
    while times[k] < end:
        free[k] += procs
        k += ONE
    if times[k] > end:
        k, last = insert_before(times, free, first, last, k, end, free[k - ONE] - procs)
    return k, last


@compiled(forceinline=True)
def anchor_point(times, free, k, size, duration, reserved, horizon):
    """The first step from k on at whose beginning `size` processors are free for `duration` seconds (MF 2.1, step 1).

    `reserved` is where the job stands in the profile already, or `NEVER` for a new one. A scan that reaches it without
    a gap has found its answer: within its own reservation, lifted out, the job always fits. So a reservation need not
    be taken out of the profile to learn that it cannot move. Gaps that begin at `horizon` or later are not looked for;
    if there is none before, the answer is the first step at or after the horizon or the reservation.
    """
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


@compiled
def step_at(times, first, last, time):
    """The step in which `time` lies, the earlier one of a doubled step, or the first of all."""
    low, high = first, last
    while low < high:
        middle = (low + high) // TWO
        if times[middle] < time:
            low = middle + ONE
        else:
            high = middle
    return low if times[low] == time or low == first else low - ONE
