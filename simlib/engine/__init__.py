"""The event loops, compiled by numba: plain arrays in and out, no checks (see `simlib.simulate` for those)."""

from .adjusting import Adjusting
from .arrivals import OPEN
from .conservative import BY_ARRIVAL, BY_START, NO_COMPRESSION, REBACKFILL, conservative
from .easy import easy
from .fcfs import fcfs

__all__ = [
    "BY_ARRIVAL",
    "BY_START",
    "NO_COMPRESSION",
    "OPEN",
    "REBACKFILL",
    "Adjusting",
    "conservative",
    "easy",
    "fcfs",
]
