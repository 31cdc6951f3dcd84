"""Find hyper-Erlang distributions of common order from their first three moments, as Jann et al. fitted their model."""

from math import isclose, sqrt

import numpy as np
from numpy.typing import ArrayLike

from simlib.models.jann97 import HyperErlang

_LARGEST_ORDER = 1000
"""The largest order that is tried; a larger one is needed only where the values hardly vary."""


def moments_of(distribution: HyperErlang) -> tuple[float, float, float]:
    """Compute the first three raw moments of a distribution."""
    k, chance, (a, b) = distribution.order, distribution.chance, distribution.means
    phases = np.cumprod([k, k + 1, k + 2])  # of an Erlang variable whose phases have mean 1
    m1, m2, m3 = (
        float(count * (chance * (a / k) ** m + (1 - chance) * (b / k) ** m)) for m, count in enumerate(phases, 1)
    )
    return m1, m2, m3


def moments(values: ArrayLike) -> tuple[float, float, float]:
    """Compute the first three raw moments of some values."""
    values = np.asarray(values, float)
    m1, m2, m3 = (float((values**m).mean()) for m in (1, 2, 3))
    return m1, m2, m3


def match(m1: float, m2: float, m3: float) -> HyperErlang:
    """Find the hyper-Erlang distribution of the lowest order that has the three raw moments m1, m2, m3.

    An Erlang variable of order k has the moments k x, k (k+1) x^2, k (k+1) (k+2) x^3, where x is the mean of a phase.
    So the two means x must have the moments m1 / k, m2 / (k (k+1)) and m3 / (k (k+1) (k+2)): they are the roots of a
    quadratic. For the moments of any positive variable a solution exists from some order k on; the lowest such order is
    taken.
    """
    found = f"hyper_erlang.match: found the moments {m1:g}, {m2:g}, {m3:g}"
    if not (np.isfinite([m1, m2, m3]).all() and m1 > 0):
        raise ValueError(f"{found}, expected positive numbers")
    if m2 <= m1**2:
        raise ValueError(
            f"{found}, expected a second moment above the square of the first, {m1**2:g}: values that vary"
        )
    if m1 * m3 <= m2**2:
        raise ValueError(
            f"{found}, expected a third moment above m2^2 / m1, {m2**2 / m1:g}: no positive values have less"
        )
    for k in range(1, _LARGEST_ORDER + 1):
        u1, u2, u3 = m1 / k, m2 / (k * (k + 1)), m3 / (k * (k + 1) * (k + 2))
        if isclose(u2, u1**2) and isclose(u1 * u3, u2**2):  # an Erlang variable itself
            return HyperErlang(k, 1.0, (m1, m1))
        variance, room = u2 - u1**2, u1 * u3 - u2**2
        if variance > 0 and room > 0:
            b, c = (u3 - u1 * u2) / variance, room / variance  # the phases' means are the roots of x^2 - b x + c
            high = (b + sqrt(max(b**2 - 4 * c, 0))) / 2
            low = c / high
            return HyperErlang(k, (high - u1) / (high - low), (k * low, k * high))
    raise ValueError(f"{found}, expected a larger spread: they would take an order above {_LARGEST_ORDER}")
