"""Names for the types of arrays, in annotations."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
"""Seconds, processors, or places of jobs."""

Codes = NDArray[np.int32]
"""Small numbers that stand for groups."""

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Bytes = NDArray[np.uint8]
