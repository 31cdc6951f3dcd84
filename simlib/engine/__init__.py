"""The event loops, compiled by numba: plain arrays in and out, no checks (see `simlib.simulate` for those)."""

from .conservative import conservative
from .easy import easy
from .fcfs import fcfs

__all__ = ["conservative", "easy", "fcfs"]
