"""How well means and medians are known: from independent runs, or from one log whose jobs come in clusters."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from .._util.arrays import Floats, Ints


def change(base: ArrayLike, value: ArrayLike) -> Floats:
    """Find by which share of the base values differ from it: no change where both are nought, inf where the base is."""
    base, value = np.asarray(base, float), np.asarray(value, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(base == value, 0.0, value / base - 1)


def interval_around(estimate: ArrayLike, values: ArrayLike, share: float = 0.95) -> Floats:
    """Find the interval of an estimate: it holds the middle share of the values that chance gives, and the estimate.

    Where chance is so skewed that the mean of the values is not among their middle share, the interval reaches to it.
    """
    ordered = np.sort(np.asarray(values, float))  # np.nanquantile would take seconds for many intervals; nan comes last
    last = np.maximum((~np.isnan(ordered)).sum(axis=-1, keepdims=True) - 1, 0)
    ends = []
    for at in ((1 - share) / 2, (1 + share) / 2):
        place = at * last
        below = np.floor(place).astype(np.int64)
        low, high = (np.take_along_axis(ordered, each, -1) for each in (below, np.minimum(below + 1, last)))
        with np.errstate(invalid="ignore"):
            ends.append(np.where((place == below) | (low == high), low, low + (place - below) * (high - low))[..., 0])
    return np.stack([np.minimum(ends[0], estimate), np.maximum(ends[1], estimate)], axis=-1)


def mean_interval(runs: pd.DataFrame, confidence: float = 0.90) -> pd.DataFrame:
    """Find the confidence interval for the mean of each column by Student's t."""
    if len(runs) < 2:
        raise ValueError(f"mean_interval: found {len(runs)} run, expected at least 2 to see how much they differ")
    mean = runs.mean()
    half_width = runs.sem() * scipy.special.stdtrit((runs.count() - 1).clip(lower=1), (1 + confidence) / 2)
    return pd.DataFrame({"low": mean - half_width, "mean": mean, "high": mean + half_width})


def cluster_draws(clusters: int, resamples: int, seed: int | Sequence[int] = 0) -> Ints:
    """Draw how often each cluster counts: once each in the first row, then with replacement, row by row."""
    drawn = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)
    return np.vstack([np.ones(clusters, drawn.dtype), drawn])


def cluster_means(
    sums: pd.DataFrame, counts: ArrayLike, resamples: int = 1000, seed: int | Sequence[int] = 0
) -> pd.DataFrame:
    """Average over clusters of alike jobs, such as those of a user or a week, as they are and resampled.

    Quicker than `cluster_bootstrap` for many columns.
    """
    each = np.asarray(counts)
    drawn = cluster_draws(len(each), resamples, seed)
    return pd.DataFrame((drawn @ sums.to_numpy(float)) / (drawn @ each)[:, None], columns=sums.columns)


def cluster_bootstrap(
    values: pd.DataFrame, clusters: ArrayLike, resamples: int = 1000, seed: int | Sequence[int] = 0
) -> pd.DataFrame:
    """Resample clusters of alike rows with replacement, and work out the means and medians.

    The jobs of one week of a log are alike, as users submit the same again and again. A bootstrap of single jobs would
    make the spread far too small; here a cluster counts as a whole, as often as it is drawn.

    Gives a DataFrame, a row a resample, the columns (name, "mean") and (name, "median") for each column of
    `values`. A median is a value that occurs: the smallest that at least half of the rows do not exceed.
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
    """Find the median for each row of `drawn`, how often each cluster counts; `rows` is by cluster and sorted value.

    Searched by bisection, for all resamples at once: there are as many values as there are different run times.
    """
    upto = np.cumsum(rows.T, axis=0)  # by value and cluster, the rows with no more
    low, high = np.zeros(len(drawn), int), np.full(len(drawn), len(values) - 1)
    half = drawn @ upto[-1] / 2
    while (low < high).any():
        middle = (low + high) // 2
        enough = (drawn * upto[middle]).sum(axis=1) >= half
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    return values[low]
