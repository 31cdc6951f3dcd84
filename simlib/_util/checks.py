"""Check settings, and values that come beside jobs: each is of the expected kind, or refused by its name.

A truth value is no number, and a number is no truth value.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .arrays import Ints

LATEST = 2**61
"""Seconds beyond which sums of times might not fit 64 bits."""

_FINITE = float(np.finfo(float).max)

_NO_NUMBER = bool, np.timedelta64
"""What Python and numpy count as whole numbers."""

_SHOWN = 80
"""No more letters of a wrong value are shown."""


# Settings


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
        if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, _NO_NUMBER):
            return False
        with suppress(OverflowError):  # of whole numbers that no float can have
            return least <= float(value) <= most and float(value) > above
        return False

    return Kind(fits, expected)


_ANY = number("a number")


def whole_number(least: int, most: int | None = None, unit: str = "") -> Kind:
    """Allow whole numbers of a range."""

    def fits(value: Any) -> bool:
        right = isinstance(value, (int, np.integer)) and not isinstance(value, _NO_NUMBER)
        return bool(right and least <= value and (most is None or value <= most))

    expected = f" of at least {least:,}" if most is None or most >= LATEST else f", {least:,} to {most:,}"
    giant = f", and at most 2^{most.bit_length() - 1}" if most is not None and most >= LATEST else ""
    return Kind(fits, f"a whole number{unit}{expected}{giant}")


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


def settings(of: object, **kinds: Kind) -> None:
    """Check the settings of an object, each by its name."""
    for name, kind in kinds.items():
        check(type(of).__name__, name, getattr(of, name), kind)


def whole(where: str, name: str, value: Any, least: int, most: int | None = None, why: str = "") -> int:
    """Check that a setting is a whole number of a range, and give it as an int, which cannot overflow."""
    check(where, name, value, whole_number(least, most), why)
    return int(value)


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


def side_by_side(where: str, **values: Any) -> list[np.ndarray]:
    """Give values of the same jobs as arrays: where some are Series, these are matched by the first one's index."""
    first = next((one.index for one in values.values() if isinstance(one, pd.Series)), None)
    if first is None:
        return [np.asarray(one) for one in values.values()]
    return [
        by_job(f"{where}: {name}", one, first) if isinstance(one, pd.Series) else np.asarray(one)
        for name, one in values.items()
    ]


def whole_numbers(
    where: str,
    values: Any,
    jobs: pd.Index | None = None,
    least: int = -(2**63),
    most: int = 2**63 - 1,
    expected: str = "whole numbers",
) -> Ints:
    """Convert values to int64; ValueError that names the first which is no whole number, or out of range."""
    given = np.asarray(values)
    if given.dtype == np.int64 and least == -(2**63) and most == 2**63 - 1:
        return given
    if given.dtype.kind in "biuf":
        with np.errstate(invalid="ignore"):
            numbers = given.astype(np.int64)
        fits = (numbers == given) & (numbers >= least) & (numbers <= most)
        fits &= given < 2.0**63 if given.dtype.kind == "f" else True
    else:  # texts, times, nothing, and mixtures: seldom right
        fits = np.array([_ANY.fits(one) and one == int(one) and least <= one <= most for one in given.ravel()], bool)
        numbers = np.array([int(one) for one in given.ravel()[fits]], np.int64)
    if not fits.all():
        position = int(np.flatnonzero(~fits)[0])
        which = "" if jobs is None else f"job {jobs[position]}: "
        first = given.ravel()[position]
        shown = str(first) if given.dtype.kind in "iuf" else repr(given.ravel()[[position]].tolist()[0])[:_SHOWN]
        raise ValueError(f"{where}: {which}found {shown}, expected {expected}")
    return numbers.reshape(given.shape)


def whole_seconds(where: str, values: Any, jobs: pd.Index | None = None, least: int = -LATEST) -> Ints:
    """Convert times to int64, as `whole_numbers`; a truth value is no time."""
    given = np.asarray(values)
    expected = "whole seconds" + f", {least:,} to 2^61" * (least > -LATEST)
    return whole_numbers(where, given.astype(object) if given.dtype == bool else given, jobs, least, LATEST, expected)
