"""The study: the papers' logs, their printed numbers and claims, and what a notebook does with them."""

from .judging import (
    beside,
    by_reading,
    claim,
    finding,
    in_bands,
    judge,
    over_draws,
    share,
    show,
    spread,
    tallies,
    with_printed,
)
from .loading import Logs, log, logs
from .printed import printed
from .records import save_exhibit as save
from .results import by as in_order

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
    "printed",
    "save",
    "share",
    "show",
    "spread",
    "tallies",
    "with_printed",
]
