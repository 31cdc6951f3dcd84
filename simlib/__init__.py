"""simlib: simulate parallel job scheduling with backfilling, and reproduce two landmark papers about it.

>>> import simlib
>>> w = simlib.load("KTH-SP2")
>>> s = simlib.simulate(w, simlib.EASY())
>>> s.summary()
"""

import importlib

from . import estimates, metrics
from .archive import ArchiveError
from .doubts import LogWarning
from .loading import load
from .policies import EASY, FCFS, Conservative
from .schedule import Schedule, simulate
from .sweeps import sweep
from .swf import SWFError, read_swf, write_swf
from .workload import Workload

__version__ = "0.1.0"

__all__ = [
    "EASY",
    "FCFS",
    "ArchiveError",
    "Conservative",
    "LogWarning",
    "SWFError",
    "Schedule",
    "Workload",
    "estimates",
    "load",
    "metrics",
    "read_swf",
    "simulate",
    "sweep",
    "write_swf",
]


def __getattr__(name):
    """Modules that cost time to import, such as `simlib.plots`, come when they are first used."""
    if name in ("explain", "lessons", "models", "papers", "plots", "reference", "stats", "walltime", "widgets"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
