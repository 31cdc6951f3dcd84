"""Compare policies on one log: by how much they differ, for whom, and how sure that is."""

from .comparison import Comparison
from .paired import compare

__all__ = ["Comparison", "compare"]
