"""Results that several notebooks need are computed once, and then kept in `build/cache/` of the checkout.

Their key depends on the inputs, the code of the function that makes them, and the state of the library: after any
change they are computed again. Notebooks that run at once share finished results; each can also run alone. Outside a
checkout nothing is kept.
"""

import hashlib
import inspect
import pickle
from collections.abc import Callable, Hashable
from functools import cache, partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .._util import paths
from .._util.fingerprint import identity
from ..core.workload import Workload

FOLDER = paths.ROOT / "build" / "cache"


def once(function: Callable, *ignored: str) -> Callable:
    """Make a function that calls the given one only for new arguments; arguments that are `ignored` do not count.

    It must be possible to pickle the function's result, which may depend only on its arguments and the library.
    """
    return partial(_read_or_made, function, ignored)


def _read_or_made(function: Callable, ignored: tuple[str, ...], *args: Any, **options: Any) -> Any:
    """Read a function's earlier result; if there is none, or the file is damaged, call the function."""
    given = inspect.signature(function).bind(*args, **options).arguments
    path = place(function.__name__.strip("_"), function, {k: value for k, value in given.items() if k not in ignored})
    content = paths.read_sealed(path)
    if content is None:
        content = pickle.dumps(function(*args, **options))
        paths.write_sealed(path, content)
    return pickle.loads(content)


def place(kind: str, *key: Any) -> Path:
    """Find the path of a result of a kind, by everything on which it depends."""
    return FOLDER / kind / f"{hashlib.sha256(repr(identity(list(key))).encode()).hexdigest()[:32]}.pickle"


def state_of(workload: Workload, feedback: bool = False) -> tuple[Hashable, ...]:
    """Make a key of everything on which simulations of a workload depend: its jobs, its machine, the library's code."""
    known = _States.keys.setdefault(workload, {})
    if feedback not in known:
        followed = workload.followed() if feedback else ()
        known[feedback] = identity(workload.jobs), identity(followed), workload.procs, workload.gpus
    return library(), *known[feedback]


def whole_state_of(workload: Workload) -> tuple[Hashable, ...]:
    """Make a key of everything that measures of schedules may read: also the calendar, and the fields of the log."""
    known = _States.keys.setdefault(workload, {})
    if "whole" not in known:
        known["whole"] = identity([workload.log, str(workload.start), workload.name, workload.synthetic])
    return *state_of(workload), *known["whole"]


class _States:
    """Keys by workload, which never changes; in a class, because global variables are part of a function's key."""

    keys: WeakKeyDictionary[Workload, dict[Any, tuple]] = WeakKeyDictionary()


@cache
def library() -> tuple[str, str]:
    """A digest of the library, because any change may change numbers, and of NumPy, which draws random numbers."""
    package = Path(__file__).parents[1]
    others = ("study", "course", "report", "plots")
    files = [path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] not in others]
    return np.__version__, hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
