"""Results that several notebooks need are made once, and lie in `build/cache/` from then on.

They lie there by what it is made of, by the code of the function that makes it, and by the state of the library:
whatever changes makes it anew. Notebooks that run at once share what the other has finished, and run alone as well.
"""

import hashlib
import inspect
import pickle
from functools import cache, partial
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from .._util import paths
from .._util.fingerprint import identity

FOLDER = paths.ROOT / "build" / "cache"


def once(function, *ignored):
    """Make a function that calls the given one only for arguments it has not been called with before."""
    return partial(_read_or_made, function, ignored)


def _read_or_made(function, ignored, *args, **options):
    """Read what a function returned before; call it where there is nothing, or where the file is damaged."""
    given = inspect.signature(function).bind(*args, **options).arguments
    key = identity([function, {name: value for name, value in given.items() if name not in ignored}])
    path = FOLDER / function.__name__.strip("_") / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.pickle"
    content = paths.read_sealed(path)
    if content is None:
        content = pickle.dumps(function(*args, **options))
        paths.write_sealed(path, content)
    return pickle.loads(content)


def state_of(workload, feedback=False):
    """Make a key of what simulations of a workload hang on: its jobs, its machine and the library's code."""
    known = _States.keys.setdefault(workload, {})
    if feedback not in known:
        followed = workload.followed() if feedback else ()
        known[feedback] = identity(workload.jobs), identity(followed), workload.procs
    return _library(), *known[feedback]


class _States:
    """Keys by workload, which never changes; in a class, for what functions read of variables tells them apart."""

    keys = WeakKeyDictionary()


@cache
def _library():
    """A digest of the library, whose every change might be one of the numbers, and of NumPy, which draws at random."""
    package = Path(__file__).parents[1]
    others = ("study", "course", "report", "plots")
    files = [path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] not in others]
    return np.__version__, hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
