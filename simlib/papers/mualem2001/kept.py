"""What several notebooks need is made once and kept in `build/kept/`.

It lies there by what it is made of, by the code of the function that makes it, and by the state of the library:
whatever changes makes it anew. Notebooks that run at once share what the other has finished, and run alone as well.
"""

import hashlib
import inspect
import pickle
from functools import cache, partial
from pathlib import Path

import numpy as np

from ... import paths
from ...identity import identity

FOLDER = paths.ROOT / "build" / "kept"


def once(function, *ignored):
    """The function, which is called only when it was not called before with the same arguments but the ignored ones."""
    return partial(_kept, function, ignored)


def _kept(function, ignored, *args, **options):
    """What a function returns, as it was kept; made anew where it was not, or where the file is damaged."""
    given = inspect.signature(function).bind(*args, **options).arguments
    key = identity([function, {name: value for name, value in given.items() if name not in ignored}])
    path = FOLDER / function.__name__.strip("_") / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.pickle"
    content = _undamaged(path)
    if content is None:
        content = pickle.dumps(function(*args, **options))
        with paths.replacing(path) as new:
            new.write_bytes(hashlib.sha256(content).digest() + content)
    return pickle.loads(content)


def _undamaged(path):
    """What was kept in a file; None where there is none, or not what was written."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    digest, content = data[:32], data[32:]
    return content if hashlib.sha256(content).digest() == digest else None


def state_of(workload, feedback=False):
    """What tells simulations of a workload from others, in place of the workload itself: jobs, machine and library."""
    followed = workload.followed() if feedback else ()
    return _library(), identity(workload.jobs), identity(followed), workload.procs


@cache
def _library():
    """A digest of the library, whose every change might be one of the numbers, and of NumPy, which draws at random."""
    package = Path(__file__).parents[2]
    others = ("papers", "lessons", "widgets")
    files = [path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] not in others]
    return np.__version__, hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
