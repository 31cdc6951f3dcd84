"""The study: the papers' logs, their printed numbers and claims, and what a notebook does with them."""

from simlib._util import importing

from .claims import claim, finding, share
from .experiments import parameters
from .judging import (
    beside,
    in_bands,
    in_order,
    in_words,
    judge,
    median_first,
    over_draws,
    printed,
    readings,
    spread,
    tallies,
    with_printed,
)
from .loading import Logs, log, logs
from .records import collect, save, show

__all__ = [
    "Logs",
    "beside",
    "claim",
    "collect",
    "finding",
    "in_bands",
    "in_order",
    "in_words",
    "judge",
    "log",
    "logs",
    "median_first",
    "over_draws",
    "parameters",
    "printed",
    "readings",
    "save",
    "share",
    "show",
    "spread",
    "tallies",
    "with_printed",
]

__getattr__ = importing(__name__, "load_curves", "restoring")
