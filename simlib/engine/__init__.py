"""The event loops, compiled by numba: plain arrays in and out, no checks (see `simlib.simulate` for those)."""

from .easy import easy, fcfs
from .estimating import Adjusting, Predicting
from .ranking import NOT_RANKED, RANKED_ANEW, RANKED_ONCE
from .reserving import ADAPTIVE, BY_ARRIVAL, BY_START, EVERYONE, NO_COMPRESSION, REBACKFILL, reserving
from .running import OPEN
from .slurm import slurm_backfill
from .two_resources import easy_with_gpus, fcfs_with_gpus
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
    "RANKED_ONCE",
    "REBACKFILL",
    "Adjusting",
    "Predicting",
    "easy",
    "easy_variants",
    "easy_with_gpus",
    "fcfs",
    "fcfs_with_gpus",
    "reserving",
    "slurm_backfill",
]
