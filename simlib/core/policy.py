"""The form of a policy, and what the policies of this package have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Protocol

from .._util.arrays import Ints

Feedback = tuple[Ints, Ints]
"""For each job the place of the one that it follows, -1 for none, and its think time in seconds."""


class Policy(Protocol):
    """Whatever can be simulated: an object with a method `schedule`, as `simlib.policies` says; for annotations."""

    @property
    def schedule(self) -> Callable[..., Mapping[str, Any]]:
        """The method."""


def shown(policy: Any) -> str:
    """Write a policy as it would be typed: its name, and the options that are not as they are by default."""
    given = {one.name: (getattr(policy, one.name), one.default) for one in fields(policy) if one.repr}
    options = [f"{name}={_written(value)}" for name, (value, default) in given.items() if not _same(value, default)]
    return f"{type(policy).__name__}({', '.join(options)})"


def _written(value: Any) -> str:
    name = getattr(value, "__name__", None)
    return repr(value) if name is None else name


def _same(value: Any, default: Any) -> bool:
    return default is not MISSING and type(value) is type(default) and bool(value == default)
