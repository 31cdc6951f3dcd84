"""What the parameters of a notebook may be.

Each parameter of an exhibit is declared with its kind. What is of another kind would break later, or give a number that
means nothing: it is refused where the exhibit is made, by name.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real

from ..policies.walltime import Scheme


@dataclass(frozen=True)
class Kind:
    """What a parameter may be: in words, after "expected", and what tells of a value whether it is so."""

    expected: str
    holds: Callable

    def is_of(self, value):
        """Tell whether a value is of this kind."""
        try:
            return bool(self.holds(value))
        except TypeError:  # of what cannot be compared, such as a list within a list
            return False


def parameter(default, kind, repeats=False):
    """Declare a parameter of an exhibit: an attribute of a dataclass."""
    metadata = {"kind": kind, "repeats": repeats}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


def repeats(count):
    """Declare how many runs of the logs there are; two are the fewest that spread."""
    return parameter(count, whole(2), repeats=True)


def whole(least):
    """A whole number of at least so much."""
    return Kind(f"a whole number of at least {least}", lambda value: _is(value, Integral) and value >= least)


def real(least=0, most=math.inf, above=False):
    """A number from one to another; `above` says that it must be more than the least."""
    words = f"above {least:g}" if above else f"of at least {least:g}"
    words = f"{words} and at most {most:g}" if most < math.inf else words

    def holds(value):
        return _is(value, Real) and math.isfinite(value) and least <= value <= most and not (above and value == least)

    return Kind(f"a number {words}", holds)


def _is(value, number):
    return isinstance(value, number) and not isinstance(value, bool)


def one_of(*values):
    """One of these."""
    return Kind(f"one of {', '.join(map(str, values))}", lambda value: value in values)


def some_of(names, first=(), among=()):
    """One or several of these names, each once; where it matters out of which the `first` is, or one `among` all."""
    words = f"one or several of {', '.join(names)}, each once"
    words += f", {' or '.join(first)} first" if first else f", one at least of {', '.join(among)}" if among else ""

    def holds(value):
        known = _distinct(value) and set(value) <= set(names)
        return known and value[0] in (first or names) and bool(set(value) & set(among or names))

    return Kind(words, holds)


def some(kind, least=1):
    """One value of a kind or several, all different; or several at `least`."""
    words = f"{kind.expected}, or several, all different" if least == 1 else f"{least} or more, each {kind.expected}"
    return Kind(words, lambda value: _distinct(value) and len(value) >= least and all(map(kind.holds, value)))


def _distinct(values):
    return isinstance(values, tuple) and 0 < len(values) == len(set(values))


def by_name(names, kind):
    """A dict of values of a kind by some of these names; empty for none."""

    def holds(value):
        return isinstance(value, dict) and set(value) <= set(names) and all(map(kind.holds, value.values()))

    return Kind(f"a dict by names out of {', '.join(names)}, each with {kind.expected}", holds)


def or_none(kind):
    """A value of a kind, or None."""
    return Kind(f"{kind.expected}, or None", lambda value: value is None or kind.holds(value))


def _is_window(value):
    try:
        Scheme(window=value)
    except ValueError:
        return False
    return True


WORDS = Kind("text", lambda value: isinstance(value, str))
SWITCH = Kind("True or False", lambda value: isinstance(value, bool))
SEED = whole(0)
SECONDS = whole(1)
RESAMPLES = whole(2)
SHARE = real(0, 1)
PERCENTILE = real(0, 100)
LOAD = real(0, 2, above=True)
WINDOW = Kind("None or a whole number and a unit, such as '1 month' or '90 days'", _is_window)
