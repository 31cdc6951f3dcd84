"""The event loops, compiled by numba: plain arrays in and out, no checks (see `simlib.simulate` for those)."""

from .easy import easy, fcfs
from .estimating import Adjusting, Predicting
from .ranking import NOT_RANKED, RANKED_ANEW, places_in_order
from .reserving import ADAPTIVE, BY_ARRIVAL, BY_START, EVERYONE, NO_COMPRESSION, REBACKFILL, reserving
from .running import OPEN
from .slurm import slurm_backfill
from .variants import BEST_SET, NOBODY, ONE_BY_ONE, easy_variants

__all__ = [
    "ADAPTIVE",
    "BEST_SET",
    "BY_ARRIVAL",
    "BY_START",
    "EVERYONE",
    "NOBODY",
    "NOT_RANKED",
    "NO_COMPRESSION",
    "ONE_BY_ONE",
    "OPEN",
    "RANKED_ANEW",
    "REBACKFILL",
    "Adjusting",
    "Predicting",
    "easy",
    "easy_variants",
    "fcfs",
    "places_in_order",
    "reserving",
    "slurm_backfill",
]
