"""The profile of conservative backfilling: how many processors will be free from now on (MF section 2.1).

A profile of n steps is `free[k]` processors from `times[k]` until `times[k + 1]`, and `free[n - 1]` for ever after
`times[n - 1]`. The first step begins now; every function returns the new number of steps.
"""

from numba import njit


@njit(cache=True)
def advance(times, free, steps, now):
    """Drop what lies before `now`."""
    past = 0
    while past + 1 < steps and times[past + 1] <= now:
        past += 1
    if past > 0:
        for k in range(past, steps):
            times[k - past] = times[k]
            free[k - past] = free[k]
    times[0] = now
    return steps - past


@njit(cache=True)
def split(times, free, steps, at):
    """Make `at` (not before now) the beginning of a step. Returns that step and the new number of steps."""
    k = steps
    while times[k - 1] > at:
        k -= 1
    if times[k - 1] == at:
        return k - 1, steps
    for i in range(steps, k, -1):
        times[i] = times[i - 1]
        free[i] = free[i - 1]
    times[k] = at
    free[k] = free[k - 1]
    return k, steps + 1


@njit(cache=True)
def join(times, free, steps, k):
    """Merge step k with the one before where both have as many processors free."""
    if k == 0 or free[k] != free[k - 1]:
        return steps
    for i in range(k, steps - 1):
        times[i] = times[i + 1]
        free[i] = free[i + 1]
    return steps - 1


@njit(cache=True)
def give(times, free, steps, begin, end, procs):
    """Add `procs` free processors from `begin` until `end`; a negative number takes them."""
    if begin == end:
        return steps
    first, steps = split(times, free, steps, begin)
    last, steps = split(times, free, steps, end)
    for k in range(first, last):
        free[k] += procs
    steps = join(times, free, steps, last)
    return join(times, free, steps, first)


@njit(cache=True)
def anchor_point(times, free, steps, size, duration, reserved):
    """The earliest time at which `size` processors are free for `duration` seconds (MF 2.1, step 1).

    `reserved` is where the job stands in the profile already, or a time beyond all others for a new one. A scan that
    reaches it without a gap has found its answer: within its own reservation, lifted out, the job always fits. So a
    reservation need not be taken out of the profile to learn that it cannot move.
    """
    anchor = times[0]
    for k in range(steps):
        end = times[k + 1] if k + 1 < steps else reserved
        if free[k] < size:
            anchor = end  # not here: the next possible anchor is where this step ends
            if anchor >= reserved:
                return reserved
        elif end >= min(anchor + duration, reserved):
            return anchor
    return anchor
