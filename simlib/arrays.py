"""Names for the types of arrays, in annotations."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
"""Seconds, processors, or places of jobs."""

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Bytes = NDArray[np.uint8]
