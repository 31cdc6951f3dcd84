"""The event loops, compiled by numba: plain arrays in and out, no checks (see `simlib.simulate` for those)."""

import hashlib
from pathlib import Path

import numpy as np
from numba import config

# Run after run asks for the same large arrays and frees them. In threads glibc would give their memory back to the
# system, and get it anew page by page, a fifth of the time of a shaken run of SDSC under EASY. It keeps twice as much
# as the largest block that was ever freed, up to 32 MiB (mallopt(3), M_MMAP_THRESHOLD); this one is never touched.
np.empty(31 * 2**20, np.uint8)

# Numba keeps a compiled kernel until its own file changes, though not until a file does whose functions it calls. So
# every state of this folder has its kernels in a place of its own.
_folder = Path(__file__).parent
_state = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(_folder.glob("*.py")))).hexdigest()[:16]
_usual = config.CACHE_DIR
config.CACHE_DIR = str(Path(_usual or _folder / "__pycache__") / f"kernels-{_state}")
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
