"""The event loops, compiled by numba: plain arrays in and out, no checks (see `simlib.simulate` for those)."""

from .easy import BEST_SET, NOBODY, easy
from .estimating import Adjusting, Predicting
from .events import OPEN
from .outages import Outages, outages_of
from .ranking import places_in_order
from .reserving import ADAPTIVE, BY_ARRIVAL, BY_START, EVERYONE, NO_COMPRESSION, REBACKFILL, reserving
from .slurm import limited_users, slurm_backfill

__all__ = [
    "ADAPTIVE",
    "BEST_SET",
    "BY_ARRIVAL",
    "BY_START",
    "EVERYONE",
    "NOBODY",
    "NO_COMPRESSION",
    "OPEN",
    "REBACKFILL",
    "Adjusting",
    "Outages",
    "Predicting",
    "easy",
    "places_in_order",
    "reserving",
    "limited_users",
    "outages_of",
    "slurm_backfill",
]
