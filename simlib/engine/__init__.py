"""The event loops, compiled by numba: plain arrays in and out, no checks (see `simlib.simulate` for those)."""

import atexit
import hashlib
import os
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
from numba import config
from numba.misc.appdirs import AppDirs

from .. import paths

# Run after run asks for the same large arrays and frees them. In threads glibc would give their memory back to the
# system, and get it anew page by page, a fifth of the time of a shaken run of SDSC under EASY. It keeps twice as much
# as the largest block that was ever freed, up to 32 MiB (mallopt(3), M_MMAP_THRESHOLD); this one is never touched.
np.empty(31 * 2**20, np.uint8)


def _place():
    """The folder that compiled kernels are kept in: the first of numba's that can be written, else a temporary one.

    Without any numba refuses to compile. The temporary one is for the whole package, and vanishes with the process.
    """
    beside, home = _folder.parent / "__pycache__", AppDirs("numba", False).user_cache_dir
    for place in filter(None, (config.CACHE_DIR, beside, home)):
        with suppress(OSError):
            os.makedirs(place, exist_ok=True)
            tempfile.TemporaryFile(dir=place).close()
            return place
    warnings.warn(
        f"neither {beside} nor {home} can be written: simlib's kernels are compiled anew in every process, which takes "
        "half a minute; to keep them, let NUMBA_CACHE_DIR name a folder that can be written",
        stacklevel=2,
    )
    temporary = paths.temporary(tempfile.gettempdir(), "kernels")
    config.CACHE_DIR = str(temporary.__enter__())
    atexit.register(_remove, temporary, os.getpid())
    return config.CACHE_DIR


def _remove(temporary, owner):
    if os.getpid() == owner:  # and not a process that was forked from it
        temporary.__exit__(None, None, None)


# Numba keeps a compiled kernel until its own file changes, though not until a file does whose functions it calls. So
# every state of this folder has its kernels in a place of its own.
_folder = Path(__file__).parent
_state = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(_folder.glob("*.py")))).hexdigest()[:16]
_kernels = Path(_place()) / f"kernels-{_state}"
_usual, config.CACHE_DIR = config.CACHE_DIR, str(_kernels)
try:
    from . import conservative_readings, easy_readings
    from .adjusting import Adjusting
    from .arrivals import OPEN
    from .conservative import BY_ARRIVAL, BY_START, NO_COMPRESSION, REBACKFILL, conservative
    from .easy import easy
    from .fcfs import fcfs
finally:
    config.CACHE_DIR = _usual

__all__ = [
    "BY_ARRIVAL",
    "BY_START",
    "NO_COMPRESSION",
    "OPEN",
    "REBACKFILL",
    "Adjusting",
    "conservative",
    "conservative_readings",
    "easy",
    "easy_readings",
    "fcfs",
]
