"""Random numbers with given distributions: curves, scores that groups of jobs share, and places in an order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Floats, Ints

Curve = Sequence[float]
Table = dict[str, Any]
"""The table of a twin as TOML gives it; `simlib.models.twin` describes its fields."""

GRID = np.array([0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 99, 99.9, 100]) / 100
"""The probabilities at which a curve of the tables gives a distribution's values."""

NONE = -1
"""SWF for what is not known."""


def read(curve: Curve, probability: Sequence[float] | Floats) -> Floats:
    """Read a distribution's values at given probabilities off its curve, interpolated on a logarithmic scale.

    Examples
    --------
    >>> curve = [0] * 7 + [60] * 11  # the median and all above it are 60
    >>> read(curve, [0.0, 0.5, 0.9]).round(6).tolist()
    [0.0, 60.0, 60.0]
    """
    return np.expm1(np.interp(probability, GRID, np.log1p(curve)))


def score(noise: Floats, *parts: tuple[Ints, float]) -> Floats:
    """Draw a normal random number for each job, to which each of the job's groups contributes a share.

    Parameters
    ----------
    noise : float array, parts + 1 by jobs
        Normal random numbers.
    parts : (int array, float)
        The group that each job is in, and the share of the variance that a group has in common; what is left is each
        job's own.

    Returns
    -------
    float array, one a job

    Examples
    --------
    Two users with two jobs each, who share all of the variance: jobs of one user are alike.

    >>> noise = np.array([[0.5, 9.0, -1.5, 9.0], [9.0, 9.0, 9.0, 9.0]])
    >>> score(noise, (np.array([0, 0, 1, 1]), 1.0)).tolist()
    [0.5, 0.5, -1.5, -1.5]
    """
    own = 1 - sum(share for _, share in parts)
    total: Floats = np.sqrt(max(own, 0)) * noise[-1]
    for numbers, (group, share) in zip(noise[:-1], parts, strict=True):
        first, which = np.unique(group, return_index=True, return_inverse=True)[1:]
        total = total + np.sqrt(share) * numbers[first[which]]
    return total


def places(scores: Floats, group: Ints) -> Floats:
    """Spread the jobs of each group evenly over the probabilities from 0 to 1, in order of their scores.

    Examples
    --------
    >>> places(np.array([0.3, -1.0, 2.0, 0.0]), np.array([0, 0, 1, 1])).tolist()
    [0.75, 0.25, 0.75, 0.25]
    """
    order = np.argsort(scores, kind="stable")
    order = order[np.argsort(_short(group)[order], kind="stable")]
    size = np.bincount(group)
    before = np.cumsum(size) - size
    place = np.empty(len(scores))
    place[order] = (np.arange(len(scores)) - before[group[order]] + 0.5) / size[group[order]]
    return place


def _short(numbers: Ints) -> np.ndarray:
    """Convert whole numbers from 0 on to the shortest type that holds them: numpy sorts short ones digit by digit."""
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))
