"""Hyper-Erlang distributions of common order, found from their first three moments.

M. A. Johnson and M. R. Taaffe, "Matching moments to phase distributions: mixtures of Erlang distributions of common
order", Stochastic Models 5(4), 1989; Jann et al., JSSPP 1997, use them for interarrival and run times.
"""

from dataclasses import dataclass
from math import isclose, sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats

LARGEST_ORDER = 1000
"""The largest order that is tried; a larger one is needed only where the values hardly vary."""


@dataclass(frozen=True)
class HyperErlang:
    """With chance `chance` an Erlang variable of mean `means[0]`, else of mean `means[1]`; both of the same order.

    An Erlang variable of order k is the sum of k exponential ones, each of mean `means[i]` / k.

    Examples
    --------
    >>> HyperErlang(1, 0.5, (10.0, 30.0)).moments()[0]  # the mean
    20.0
    """

    order: int
    chance: float
    means: tuple[float, float]

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n independent values.

        Examples
        --------
        >>> HyperErlang(2, 0.5, (10.0, 30.0)).sample(np.random.default_rng(0), 3).round(1).tolist()
        [27.1, 10.9, 16.1]
        """
        mean = np.where(rng.random(n) < self.chance, *self.means)
        return rng.standard_gamma(self.order, n) * (mean / self.order)

    def moments(self) -> tuple[float, float, float]:
        """Compute the first three raw moments.

        Examples
        --------
        >>> HyperErlang(1, 1.0, (2.0, 2.0)).moments()  # an exponential variable of mean 2
        (2.0, 8.0, 48.0)
        """
        k, (a, b) = self.order, self.means
        phases = np.cumprod([k, k + 1, k + 2])  # of an Erlang variable whose phases have mean 1
        m1, m2, m3 = (
            float(count * (self.chance * (a / k) ** m + (1 - self.chance) * (b / k) ** m))
            for m, count in enumerate(phases, 1)
        )
        return m1, m2, m3


def moments(values: ArrayLike) -> tuple[float, float, float]:
    """Compute the first three raw moments of some values.

    Examples
    --------
    >>> moments([1, 3])
    (2.0, 5.0, 14.0)
    """
    values = np.asarray(values, float)
    m1, m2, m3 = (float((values**m).mean()) for m in (1, 2, 3))
    return m1, m2, m3


def match(m1: float, m2: float, m3: float) -> HyperErlang:
    """Find the hyper-Erlang distribution of the lowest order that has the three raw moments m1, m2, m3.

    An Erlang variable of order k has the moments k x, k (k+1) x^2, k (k+1) (k+2) x^3, x being the mean of a phase. So
    what is left to find is a distribution over two positive numbers x with the moments m1 / k, m2 / (k (k+1)) and
    m3 / (k (k+1) (k+2)): they are the roots of a quadratic. Whatever positive variable the moments belong to, it exists
    from some order k on; the lowest such order is taken.

    Returns
    -------
    HyperErlang

    Raises
    ------
    ValueError
        Where no positive variable has these moments (m2 <= m1^2 or m1 m3 <= m2^2), or where the values vary so little
        that an order above `LARGEST_ORDER` would be needed.

    Examples
    --------
    >>> match(2.0, 8.0, 48.0)  # those of an exponential variable of mean 2
    HyperErlang(order=1, chance=1.0, means=(2.0, 2.0))
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
    for k in range(1, LARGEST_ORDER + 1):
        u1, u2, u3 = m1 / k, m2 / (k * (k + 1)), m3 / (k * (k + 1) * (k + 2))
        if isclose(u2, u1**2) and isclose(u1 * u3, u2**2):  # an Erlang variable itself
            return HyperErlang(k, 1.0, (m1, m1))
        variance, room = u2 - u1**2, u1 * u3 - u2**2
        if variance > 0 and room > 0:
            return _two_points(k, u1, u2, u3, variance, room)
    raise ValueError(f"{found}, expected a larger spread: they would take an order above {LARGEST_ORDER}")


def _two_points(k: int, u1: float, u2: float, u3: float, variance: float, room: float) -> HyperErlang:
    """Solve for the two phase means, whose distribution has the moments u1, u2, u3: the roots of x^2 - b x + c."""
    b, c = (u3 - u1 * u2) / variance, room / variance
    high = (b + sqrt(max(b**2 - 4 * c, 0))) / 2
    low = c / high
    return HyperErlang(k, (high - u1) / (high - low), (k * low, k * high))
