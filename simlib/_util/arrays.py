"""Arrays: names of types for annotations, quick sorting, checks of settings, means and percentiles of groups."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .compiled import compiled

Ints = NDArray[np.int64]
"""Seconds, processors, or places of jobs."""

Codes = NDArray[np.int32]
"""Small numbers that stand for groups."""

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Bytes = NDArray[np.uint8]


def in_order(values: Ints) -> Ints:
    """Find the order that sorts whole numbers; equal ones keep their order.

    A stable `argsort` gives the same. This takes a fifth of its time: it packs each number with its place, and sorts
    numbers that all differ.
    """
    bits = len(values).bit_length()
    if max(int(values.max(initial=0)), -int(values.min(initial=0))) >= 2 ** (62 - bits):
        return np.argsort(values, kind="stable")
    keys: Ints = (values << bits) | np.arange(len(values))
    keys.sort()
    return keys & (2**bits - 1)


_FINITE = float(np.finfo(float).max)

_SHOWN = 80
"""No more letters of a wrong value are shown."""


# Settings: what kind of value each may have. A truth value is no number, and a number is no truth value.


class Kind(NamedTuple):
    """What a setting may be: a test of a value, and the same in words."""

    fits: Callable[[Any], bool]
    expected: str


FLAG = Kind(lambda value: isinstance(value, (bool, np.bool_)), "True or False")


def one_of(*names: str | None) -> Kind:
    """Allow some names."""
    shown = ", ".join(repr(name) for name in names)
    expected = f"one of {shown}" if len(names) > 3 else " or ".join(shown.rsplit(", ", 1))
    return Kind(lambda value: isinstance(value, str | None) and value in names, expected)


def number(expected: str, least: float = -np.inf, above: float = -np.inf, most: float = _FINITE) -> Kind:
    """Allow real numbers of a range; infinity only with `most=numpy.inf`."""

    def fits(value: Any) -> bool:
        if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
            return False
        with suppress(OverflowError):  # of whole numbers that no float can have
            return least <= float(value) <= most and float(value) > above
        return False

    return Kind(fits, expected)


_ANY = number("a number")


def whole_number(least: int, most: int | None = None, unit: str = "") -> Kind:
    """Allow whole numbers of a range."""

    def fits(value: Any) -> bool:
        right = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        return bool(right and least <= value and (most is None or value <= most))

    expected = f"of at least {least:,}" if most is None else f"{least:,} to {most:,}"
    return Kind(fits, f"a whole number{unit}{' ' if most is None else ', '}{expected}")


def instance(kind: Any, expected: str) -> Kind:
    """Allow objects of a class."""
    return Kind(lambda value: isinstance(value, kind), expected)


def either(one: Kind, other: Kind) -> Kind:
    """Allow what is of one kind or another."""
    return Kind(lambda value: one.fits(value) or other.fits(value), f"{one.expected} or {other.expected}")


def or_none(kind: Kind) -> Kind:
    """Allow None, too."""
    return either(one_of(None), kind)


def check(where: str, name: str, value: object, kind: Kind, why: str = "") -> None:
    """Check a setting; ValueError that names it, what was found, and what is expected."""
    if not kind.fits(value):
        found = " ".join(repr(value).split())
        found = found if len(found) <= _SHOWN else f"{found[: _SHOWN - 3]}..."
        raise ValueError(f"{where}: found {name}={found}, expected {kind.expected}{why}")


def whole(where: str, name: str, value: object, least: int, most: int | None = None, why: str = "") -> None:
    """Check that a setting is a whole number of a range."""
    right = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not (right and least <= value and (most is None or value <= most)):  # type: ignore[operator]
        expected = f"a whole number of at least {least:,}" if most is None else f"a whole number, {least:,} to {most:,}"
        raise ValueError(f"{where}: found {name}={value!r}, expected {expected}{why}")


def check_settings(of: object, **settings: tuple[object, str]) -> None:
    """Check the settings of an object: for each by name whether it is right, and what is expected."""
    for name, (right, expected) in settings.items():
        if not right:
            found = f"{type(of).__name__}: found {name}={getattr(of, name)!r}"
            raise ValueError(f"{found}, expected {expected}")


# Values beside jobs: one for each, as an array in the order of the jobs.


def by_job(where: str, values: Any, jobs: pd.Index) -> np.ndarray:
    """Give one value for each job: a Series is matched by its index, anything else by its order.

    ValueError for a Series that lacks a job or has one twice, and for another number of values.
    """
    if isinstance(values, pd.Series) and not values.index.equals(jobs):
        if not values.index.is_unique:
            twice = values.index[values.index.duplicated()][0]
            raise ValueError(f"{where}: found several values for job {twice}, expected one for each job")
        place = values.index.get_indexer(jobs)
        if (place < 0).any():
            absent = jobs[int((place < 0).argmax())]
            raise ValueError(f"{where}: found no value for job {absent}, expected one for each of the {len(jobs)} jobs")
        return values.to_numpy()[place]
    array = np.asarray(values)
    if array.shape != (len(jobs),):
        shape = f"an array of shape {array.shape}"
        if array.ndim == 1:
            shape = f"{len(array):,} value{'s' * (len(array) != 1)}"
        if array.ndim == 0:
            shape = repr(values)[:_SHOWN]
        raise ValueError(f"{where}: found {shape}, expected one for each of the {len(jobs)} jobs")
    return array


# Means and percentiles of many groups at once, original and resampled: the values are sorted once. A percentile is a
# value that occurs: the smallest that at least this share of the values does not exceed.

SHARES = (0.5, 0.95, 0.99)
"""Of the percentiles: median, 95th and 99th."""

STATISTICS = ("mean", "median", "95th", "99th")

_CHUNK = 32
"""So many jobs are counted before anyone asks whether a percentile has been passed."""


def statistics(values: ArrayLike) -> Floats:
    """Find mean, median, 95th and 99th percentile of some values; nan where there is none."""
    ordered = np.sort(np.asarray(values, float))
    if not (count := len(ordered)):
        return np.full(len(STATISTICS), np.nan)
    ranks = np.maximum(np.ceil(np.multiply(count, SHARES) - 1e-9), 1).astype(np.int64)
    return np.array([np.cumsum(ordered)[-1] / count, *ordered[ranks - 1]])


def block_sums(values: Floats | None, code: Codes, rows: int, block: Ints, blocks: int) -> Floats:
    """Add up the values of each group's jobs by block, such as a week; without values count the jobs."""
    sums = np.zeros(rows * blocks)
    for of_job in code.T.astype(np.int64):
        known = of_job >= 0
        place = of_job[known] * blocks + block[known]
        sums += np.bincount(place, None if values is None else values[known], minlength=rows * blocks)
    return sums.reshape(rows, blocks)


def resampled(values: Floats, code: Codes, rows: int, block: Ints, drawn: Ints, order: Ints | None = None) -> Floats:
    """Find the `statistics` of each group if each block of jobs counts as often as it is drawn."""
    result = np.empty((rows, len(STATISTICS), drawn.shape[1]))
    jobs, sums = (block_sums(each, code, rows, block, len(drawn)) for each in (None, values))
    times = np.rint(jobs @ drawn)  # how many jobs are drawn
    with np.errstate(invalid="ignore"):
        result[:, 0] = (sums @ drawn) / times
    needed = np.ceil(np.multiply.outer(SHARES, times) - 1e-9).astype(np.int64)
    weights: Any = np.ascontiguousarray(drawn, np.int32)  # small numbers are added up many at once
    order = np.argsort(values) if order is None else order
    _resampled(values, order, code, jobs.sum(axis=1).astype(np.int64), block, weights, needed, result)
    result[:, 1:][np.broadcast_to((times == 0)[:, None], result[:, 1:].shape)] = np.nan
    return result


@compiled
def _resampled(
    values: Floats, order: Ints, code: Codes, jobs: Ints, block: Ints, weights: Ints, needed: Ints, result: Floats
) -> None:
    """Fill the percentiles into `result`; `needed` is how many drawn jobs each has at or below it."""
    offset = np.cumsum(jobs) - jobs
    of_row = np.empty(jobs.sum(), np.int64)  # jobs by row, and in order of value
    seen = offset.copy()
    for job in order:
        for row in code[job]:
            if row >= 0:
                of_row[seen[row]] = job
                seen[row] += 1
    below = np.empty(weights.shape[1], weights.dtype)  # how many jobs were drawn so far
    passed = np.empty(weights.shape[1], np.int64)  # how many percentiles are found
    for row in range(jobs.size):
        below[:] = 0
        passed[:] = 0
        last = offset[row] + jobs[row]
        for first in range(offset[row], last, _CHUNK):
            after = min(first + _CHUNK, last)
            for place in range(first, after):
                drawn = weights[block[of_row[place]]]
                for draw in range(below.size):
                    below[draw] += drawn[draw]
            for draw in range(below.size):
                while passed[draw] < needed.shape[0] and below[draw] >= needed[passed[draw], row, draw]:
                    before, place = below[draw], after
                    while before >= needed[passed[draw], row, draw] and place > first:
                        place -= 1
                        before -= weights[block[of_row[place]], draw]
                    result[row, 1 + passed[draw], draw] = values[of_row[place]]
                    passed[draw] += 1
