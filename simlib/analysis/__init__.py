"""Compare policies on one log: how much they differ, for which jobs, and how sure this is."""

from .._util import importing
from .comparison import Comparison, compare
from .predictions import accuracy

__all__ = ["Comparison", "accuracy", "compare"]

__getattr__ = importing(__name__, "cases", "predictions", "stats")
