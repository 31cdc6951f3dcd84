"""simlib: simulate parallel job scheduling with backfilling, and reproduce two landmark papers about it.

>>> import simlib
>>> w = simlib.load("sample")  # or a log of the archive, such as "KTH-SP2"
>>> s = simlib.simulate(w, simlib.EASY())
>>> round(s.summary().mean_wait)  # seconds
8654
"""

import importlib
from types import ModuleType

from . import estimates, metrics
from .archive import ArchiveError
from .comparing import compare
from .doubts import LogWarning
from .exporting import write_evalys
from .loading import load
from .own_policy import OwnPolicy
from .policies import EASY, FCFS, Conservative, Multifactor, Predictions, Selective
from .recording import recorded
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
    "Multifactor",
    "OwnPolicy",
    "Predictions",
    "SWFError",
    "Schedule",
    "Selective",
    "Workload",
    "compare",
    "estimates",
    "load",
    "metrics",
    "read_swf",
    "recorded",
    "simulate",
    "sweep",
    "write_evalys",
    "write_swf",
]


_LATER = (
    "cluster", "examples_own", "explain", "lessons", "load_curves", "models", "orders", "papers", "plots", "reference",
    "restore", "stats", "walltime", "widgets",
)  # fmt: skip


def __getattr__(name: str) -> ModuleType:
    """Import a module that costs time, such as `simlib.plots`, when it is first used."""
    if name in _LATER:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what is public, for completion: also the modules that are imported when they are first used."""
    return sorted({*__all__, *_LATER, "__version__", "archive", "comparing", "swf"})
