"""Compare policies on one log: how much they differ, for which jobs, and how sure this is."""

from .._util import importing
from .cases import what_if
from .comparison import Comparison, compare
from .predictions import accuracy

__all__ = ["Comparison", "accuracy", "compare", "what_if"]

__getattr__ = importing(
    __name__, "cases", "load_curves", "model_comparison", "partitions", "predictions", "size_classes", "stats"
)
