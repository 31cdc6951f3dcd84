"""What several notebooks need is made once and kept in `build/kept/`.

It lies there by what it is made of, by the code of the function that makes it, and by the state of the library:
whatever changes makes it anew. Notebooks that run at once share what the other has finished, and run alone as well.
"""

import hashlib
import warnings
from functools import cache
from pathlib import Path

import joblib
import numpy as np

from ... import paths
from ...identity import identity

FOLDER = paths.ROOT / "build" / "kept"

# joblib warns when a busy disk lets it wait, which harms nothing
warnings.filterwarnings("ignore", "Persisting input arguments", UserWarning)


def once(function, *ignored):
    """The function, which is called only when it was not called before with the same arguments but the ignored ones."""
    code = hashlib.sha256(repr(identity(function)).encode()).hexdigest()[:16]
    return joblib.Memory(FOLDER / code, verbose=0).cache(function, ignore=list(ignored))


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
