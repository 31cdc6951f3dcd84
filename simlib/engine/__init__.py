"""The event loops, compiled by numba: plain arrays in and out, no checks (see `simlib.simulate` for those)."""

from .conservative import BY_ARRIVAL, BY_START, NO_COMPRESSION, REBACKFILL, conservative
from .easy import easy, fcfs
from .estimating import Adjusting, Predicting
from .gaps import MANY, gaps_of
from .ranking import NOT_RANKED, RANKED_ANEW, RANKED_ONCE
from .reserving import ADAPTIVE, reserving, slurm_backfill
from .running import OPEN
from .two_resources import conservative_with_gpus, easy_with_gpus, fcfs_with_gpus
from .variants import BEST_SET, NOBODY, ONE_BY_ONE, easy_variants

__all__ = [
    "ADAPTIVE",
    "BEST_SET",
    "BY_ARRIVAL",
    "BY_START",
    "MANY",
    "NOBODY",
    "NOT_RANKED",
    "NO_COMPRESSION",
    "ONE_BY_ONE",
    "OPEN",
    "RANKED_ANEW",
    "RANKED_ONCE",
    "REBACKFILL",
    "Adjusting",
    "Predicting",
    "conservative",
    "conservative_with_gpus",
    "easy",
    "easy_variants",
    "easy_with_gpus",
    "fcfs",
    "fcfs_with_gpus",
    "gaps_of",
    "reserving",
    "slurm_backfill",
]
