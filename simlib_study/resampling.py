"""Resample logs whose jobs come in clusters, and give the range of what may come out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
import scipy  # its parts come when they are first used
from numpy.typing import ArrayLike

from simlib._util.arrays import Floats, Ints
from simlib.analysis.stats import PARTS


@dataclass(frozen=True)
class Interval:
    """Give the range of a random number, and its middle: of shaken runs, of a bootstrap, or Student's t."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: ArrayLike, share: float = 0.95) -> Self:
        """Find the range that holds the middle `share` of many values."""
        return cls(*(float(q) for q in np.nanquantile(np.asarray(values), [(1 - share) / 2, 0.5, (1 + share) / 2])))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def middle(resamples: pd.DataFrame, share: float = 0.95) -> pd.DataFrame:
    """Find the `Interval` of many numbers at once, from their resamples: one row for each resample."""
    quantiles = resamples.quantile([(1 - share) / 2, 0.5, (1 + share) / 2])
    return quantiles.set_axis(["low", "median", "high"]).T


def clear_by_chance(runs: int) -> tuple[float, float]:
    """Find how often intervals of coincidence, and of another log, of so many runs exclude zero by chance alone."""
    of_runs, of_parts = (
        float(2 * scipy.special.stdtr(count - 1, -scipy.special.stdtrit(count - 1, 0.975) * reach))
        for count, reach in ((runs, np.sqrt(runs + 1)), (PARTS, np.sqrt(2)))
    )
    return of_runs, of_parts


def cluster_draws(clusters: int, resamples: int, seed: int | Sequence[int] = 0) -> Ints:
    """Draw how often each cluster counts: once each in the first row, then with replacement, row by row."""
    drawn = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)
    return np.vstack([np.ones(clusters, drawn.dtype), drawn])


def cluster_means(
    sums: pd.DataFrame, counts: ArrayLike, resamples: int = 1000, seed: int | Sequence[int] = 0
) -> pd.DataFrame:
    """Average over clusters, a row each of sums and counts, such as users: of all in row 0, then of each resample."""
    each = np.asarray(counts)
    drawn = cluster_draws(len(each), resamples, seed)
    return pd.DataFrame((drawn @ sums.to_numpy(float)) / (drawn @ each)[:, None], columns=sums.columns)


def cluster_bootstrap(
    values: pd.DataFrame, clusters: ArrayLike, resamples: int = 1000, seed: int | Sequence[int] = 0
) -> pd.DataFrame:
    """Resample clusters of similar rows, such as a week's jobs, and compute the means and medians.

    A median is a value of a row: the smallest that at least half of the rows do not exceed.
    """
    cluster = np.asarray(clusters)
    count = int(cluster.max()) + 1
    drawn = cluster_draws(count, resamples, seed)[1:]
    columns = {}
    for name in values:
        unique, which = np.unique(values[name].to_numpy(), return_inverse=True)
        rows = np.bincount(cluster * len(unique) + which, minlength=count * len(unique)).reshape(count, -1)
        columns[name, "mean"] = (drawn @ (rows @ unique)) / (drawn @ rows.sum(axis=1))
        columns[name, "median"] = _medians(unique, rows, drawn)
    return pd.DataFrame(columns)


def _medians(values: Floats, rows: Ints, drawn: Ints) -> Floats:
    """Find the median for each row of `drawn` by bisection; `rows` is by cluster and sorted value."""
    upto = np.cumsum(rows.T, axis=0)  # by value and cluster, the rows with no more
    low, high = np.zeros(len(drawn), int), np.full(len(drawn), len(values) - 1)
    half = drawn @ upto[-1] / 2
    while (low < high).any():
        middle = (low + high) // 2
        enough = (drawn * upto[middle]).sum(axis=1) >= half
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    return values[low]
