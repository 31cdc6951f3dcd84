"""simlib: simulate parallel job scheduling with backfilling.

>>> import simlib
>>> w = simlib.load("sample")  # or a log of the archive, such as "KTH-SP2"
>>> s = simlib.simulate(w, simlib.EASY())
>>> round(s.summary().mean_wait)  # seconds
8654
"""

import warnings as _warnings
from importlib import metadata as _metadata
from pathlib import Path as _Path

from ._util import importing as _importing
from .analysis.comparison import compare
from .analysis.predictions import predicted_starts
from .analysis.replicate import replicate
from .core import estimates, metrics
from .core.schedule import Schedule, simulate
from .core.threads import sweep
from .core.workload import Workload
from .logs import archive as _archive
from .logs.archive import ArchiveError, load
from .logs.doubts import LogWarning
from .logs.files import SWFError
from .logs.schedules import recorded
from .logs.swf import read_swf, write_swf
from .logs.tables import read_table
from .policies.conservative import Conservative, Selective, SlurmBackfill
from .policies.easy import EASY, FCFS, Predictions
from .policies.orders import Multifactor, Thresholded
from .policies.own_policy import OwnPolicy, Predictor


def _twin_of(name: str) -> Workload:
    """Make the twin of a log, for `load`."""
    from .models import twin  # slow to import, and seldom needed

    return twin.workload(name)


_archive.twin_of = _twin_of

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
    "Predictor",
    "SWFError",
    "Schedule",
    "Selective",
    "SlurmBackfill",
    "Thresholded",
    "Workload",
    "compare",
    "estimates",
    "load",
    "metrics",
    "predicted_starts",
    "read_swf",
    "read_table",
    "recorded",
    "replicate",
    "simulate",
    "sweep",
    "write_swf",
]

_LATER = "analysis core explain logs models parameters plain plots policies".split()


def _warn_of_the_other() -> None:
    """Warn if the distribution simlib, which is another package, was installed into the same folder."""
    try:
        other = _metadata.distribution("simlib")
    except _metadata.PackageNotFoundError:
        return
    if _Path(str(other.locate_file("simlib"))).resolve() == _Path(__file__).resolve().parent:
        _warnings.warn(
            f"simlib: found {other.metadata['Name']} {other.version}, another package, in the same folder as "
            "simlib-backfilling; the two overwrite each other's files, expected one of them: pip uninstall simlib "
            "simlib-backfilling, then install the one needed",
            stacklevel=3,
        )


_warn_of_the_other()


__getattr__ = _importing(__name__, *_LATER)


def __dir__() -> list[str]:
    """List what is public, for completion: also the modules that are imported when they are first used."""
    return sorted({*__all__, *_LATER, "__version__"})
