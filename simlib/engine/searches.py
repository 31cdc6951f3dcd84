"""Searches in a long profile: what earlier ones have found tells later ones where to begin.

As long as no processors are given back, gaps only shrink. So before the time at which a job found its gap there is
none for a job that is as large and as long, or larger and longer. Sizes and durations are put into classes; what was
found goes to the classes at or above the job's, what is known comes from those at or below it. The table `found` is a
Fenwick tree both ways: a look at 20,000 pairs of classes is a look at some ten of its entries.
"""

import numpy as np

from ..compiled import compiled
from .arrivals import NEVER
from .parts import part, uncounted
from .profile import LONG, anchor_point, step_at

SIZES, DURATIONS = 8, 32  # classes to an octave; there are more different durations
VALID = 0, 0  # an entry that the tree does not use: whether the table holds anything


@compiled
def no_searches(machine, longest):
    """A table for jobs of up to that many processors and seconds, in which nothing is known."""
    found = np.empty((class_of(machine, SIZES) + 3, class_of(longest, DURATIONS) + 3), np.int64)
    found[VALID] = False
    return found


@part
def forget(found):
    """Forget what is known, for processors have been given back."""
    found[VALID] = False


@part
def first_gap(found, profile, size, duration):
    """Find the first step at whose beginning there is a gap for a new job, with what is known, and remember it."""
    first = profile.first[0]
    if profile.last[0] - first < LONG:
        return anchor_point(profile, first, size, duration, NEVER, NEVER)
    if not found[VALID]:
        found[:] = -NEVER
        found[VALID] = True
    k = step_at(profile, no_gap_before(found, size, duration))
    k = anchor_point(profile, k, size, duration, NEVER, NEVER)
    remember(found, size, duration, profile.times[k])
    return k


@uncounted
def class_of(x, classes):
    """The class of a size or duration, so many to an octave. Of two numbers the larger one's is not lower."""
    octave = 0
    while x >> octave >= 2 * classes:
        octave += 1
    return classes * octave + (x >> octave)


@uncounted
def no_gap_before(found, size, duration):
    """A time before which there is no gap of that size and duration."""
    time = -NEVER
    i = class_of(size, SIZES) + 1
    while i > 0:
        j = class_of(duration, DURATIONS) + 1
        while j > 0:
            time = max(time, found[i, j])
            j &= j - 1
        i &= i - 1
    return time


@uncounted
def remember(found, size, duration, time):
    """Enter that there is no gap of that size and duration, or more, before `time`."""
    i = class_of(size - 1, SIZES) + 2  # the first class that has no smaller ones
    while i < found.shape[0]:
        j = class_of(duration - 1, DURATIONS) + 2 if duration > 0 else 1
        while j < found.shape[1]:
            found[i, j] = max(found[i, j], time)
            j += j & -j
        i += i & -i
