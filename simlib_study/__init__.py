"""The study: the papers' logs, their printed numbers and claims, and what a notebook does with them."""

from simlib._util import importing

from .claims import claim, finding, share
from .experiments import parameters
from .judging import beside, by_reading, in_bands, in_order, judge, over_draws, printed, spread, tallies, with_printed
from .loading import Logs, log, logs
from .records import save, show

__all__ = [
    "Logs",
    "beside",
    "by_reading",
    "claim",
    "finding",
    "in_bands",
    "in_order",
    "judge",
    "log",
    "logs",
    "over_draws",
    "parameters",
    "printed",
    "save",
    "share",
    "show",
    "spread",
    "tallies",
    "with_printed",
]

__getattr__ = importing(__name__, "load_curves", "restoring")
