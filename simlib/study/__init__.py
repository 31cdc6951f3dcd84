"""The study: the papers' logs, their printed numbers and claims, and what a notebook does with them."""

from .judging import beside, by_reading, claim, finding, judge, over_draws, show, spread, tallies, with_printed
from .loading import Logs, log, logs
from .printed import printed
from .results import by as in_order
from .records import save_exhibit as save

__all__ = [
    "Logs",
    "beside",
    "by_reading",
    "claim",
    "finding",
    "judge",
    "log",
    "logs",
    "over_draws",
    "printed",
    "save",
    "show",
    "spread",
    "tallies",
    "with_printed",
]
