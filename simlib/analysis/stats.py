"""Judge the accuracy of a simulation's numbers: intervals, and batch means (MF section 3.1)."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import scipy  # its parts come when they are first used: scipy.stats alone costs as much as all else here
from numpy.typing import ArrayLike

from .._util import checks
from .._util.arrays import Floats


def band(runs: pd.DataFrame, averaged: int = 1) -> pd.DataFrame:
    """Find Student's prediction interval: where many numbers would be in one more run in 95 of 100 cases.

    The range of the runs themselves is too narrow for this: in this study, the middle 95 % of 100 runs contained 93 %
    of further runs, that of 40 runs 90 %, of 20 runs 87 %, of 10 runs 78 %. This band contained 92 to 97 % in all
    cases.

    Parameters
    ----------
    runs : DataFrame
        One row per run, as from `simlib.replicate`, at least two. nan is left out.
    averaged : int
        The number of further runs whose mean the band is for.

    Returns
    -------
    DataFrame
        For each column of `runs`: `low`, `median`, `high`. The median is that of the runs.

    Examples
    --------
    >>> band(pd.DataFrame({"mean_wait": [9, 10, 11, 10, 10]})).round(2).loc["mean_wait"].to_dict()
    {'low': 7.85, 'median': 10.0, 'high': 12.15}
    """
    count, mean = runs.count(), runs.mean()
    reach = scipy.special.stdtrit((count - 1).clip(lower=1), 0.975) * np.sqrt(1 / averaged + 1 / count) * runs.std()
    equal = runs.min() == runs.max()  # to the last digit, so that nothing is lost by taking means
    ends = {"low": mean - reach, "median": runs.median(), "high": mean + reach}
    return pd.DataFrame({name: end.where(~equal, runs.min()) for name, end in ends.items()})


def ks_distance(one: ArrayLike, other: ArrayLike) -> float:
    """Measure the Kolmogorov-Smirnov distance of two samples: the largest gap between their distributions.

    nan if one of them is empty. (SciPy's function takes longer: it also computes how likely such a distance is.)

    Examples
    --------
    >>> ks_distance([1, 2, 3, 4], [3, 4, 5, 6])
    0.5
    """
    samples = np.sort(one), np.sort(other)
    if not all(map(len, samples)):
        return float("nan")
    values = np.concatenate(samples)
    shares = [np.searchsorted(sample, values, side="right") / len(sample) for sample in samples]
    return float(np.abs(shares[0] - shares[1]).max())


@dataclass(frozen=True)
class BatchMeans:
    """The mean of a correlated series, and its accuracy.

    Attributes
    ----------
    mean, half_width : float
        The confidence interval is mean +- half_width.
    batches : int
        Number of batches, without the warm-up.
    stopped : str
        The rule that stopped: "batches" (the requested number), "precision", "ceiling" or "end" (of the values).
    lag1 : float
        Autocorrelation of successive batch means. If it exceeds 2 / sqrt(batches), the batches are too small and the
        interval is too narrow. nan if all means are equal.

    Examples
    --------
    >>> means = BatchMeans(mean=10.0, half_width=1.5, batches=30, stopped="end", lag1=0.02)
    >>> means.low, means.high
    (8.5, 11.5)
    """

    mean: float
    half_width: float
    batches: int
    stopped: str
    lag1: float

    @property
    def low(self) -> float:
        """The lower end of the confidence interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the confidence interval."""
        return self.mean + self.half_width


def batch_means(
    values: ArrayLike,
    batch: int,
    confidence: float = 0.90,
    warmup: int = 1,
    most: int = 100,
    precision: float | None = None,
    ceiling: float | None = None,
    least: int = 20,
) -> BatchMeans:
    """Find a confidence interval for the mean of a simulation's output by the method of batch means.

    The series is cut into batches so long that their means are nearly independent, even if successive values are
    correlated. The interval is Student's t over these means. Batches are taken one after another, as in a running
    simulation, until the first of three rules holds (MF section 3.1): `most` batches, a half width below `precision` of
    the mean, a mean above `ceiling`.

    MF do not say from how many batches on the last two rules apply. Here the number is 20: a few means can be close
    together by chance, and a rule that stops then keeps intervals that are too narrow. For independent batches and a
    precision of 5 %, 90 % intervals cover the truth in 79 % of all cases if two batches are enough, in 88 % if ten are,
    and in 89 % with 20 (gamma-distributed means, the worst of coefficients of variation from 0.1 to 0.3). The ceiling
    applies from the same number on, so that one bad batch does not end a run.

    Parameters
    ----------
    values : array
        One number for each job, in order of termination.
    batch : int
        Values in a batch; values after the last full batch are left out.
    confidence : float
        Between 0 and 1.
    warmup : int
        The number of batches to drop from the beginning.
    most, least : int
        Numbers of batches, without the warm-up: `most` are always enough; the other rules apply from `least` on.
    precision : float, optional
        Half width as a share of the mean, such as 0.05.
    ceiling : float, optional
        In the unit of the values.

    Returns
    -------
    BatchMeans

    Raises
    ------
    ValueError
        For settings out of range, values that are not finite, or fewer than two batches after the warm-up.

    Examples
    --------
    >>> waits = np.random.default_rng(0).exponential(100, size=10_000)
    >>> means = batch_means(waits, batch=200)
    >>> means.batches, means.stopped, round(means.mean), round(means.half_width)
    (49, 'end', 99, 2)
    """
    _check_settings(confidence, min(most, least))
    means = means_of_batches(values, batch, warmup, most)
    return mean_of_batches(means, confidence, most, precision, ceiling, least)


def means_of_batches(values: ArrayLike, batch: int, warmup: int = 1, most: int = 100) -> Floats:
    """Take the means of the batches of `batch_means`, to use the same values several times."""
    values = np.asarray(values, float)
    _check_values(values, batch, warmup)
    full = min(len(values) // batch, warmup + most)
    with np.errstate(over="ignore", invalid="ignore"):
        means: Floats = values[: full * batch].reshape(full, batch).mean(axis=1)
        finite = np.isfinite(means.sum() + values[full * batch :].sum())
    if not finite and not np.isfinite(values).all():  # sums are quicker, but may overflow
        raise ValueError(_expected_finite(values))
    return means[warmup:]


def mean_of_batches(
    means: Floats,
    confidence: float = 0.90,
    most: int = 100,
    precision: float | None = None,
    ceiling: float | None = None,
    least: int = 20,
) -> BatchMeans:
    """Do as `batch_means`, from the result of `means_of_batches`."""
    means = means[:most]
    n = np.arange(2, len(means) + 1)  # of batches; one alone has no spread
    mean = means.cumsum()[1:] / n
    half_width = _quantiles(confidence, len(means)) * _deviation(means) / np.sqrt(n)
    rules = {
        "ceiling": (n >= least) & (mean > (np.inf if ceiling is None else ceiling)),
        "precision": (n >= least) & (half_width < (0 if precision is None else precision) * np.abs(mean)),
        "batches": n == most,
        "end": n == len(means),
    }
    last = np.any(list(rules.values()), axis=0).argmax()
    stopped = next(rule for rule, holds in rules.items() if holds[last])
    used = means[: last + 2]
    return BatchMeans(float(mean[last]), float(half_width[last]), len(used), stopped, _lag1(used))


@lru_cache
def _quantiles(confidence: float, count: int) -> Floats:
    """The half width of an interval in standard errors, for 2, 3, ... `count` means; cached, because it is slow."""
    return scipy.special.stdtrit(np.arange(1, count), (1 + confidence) / 2)


def _check_settings(confidence: float, fewest: int) -> None:
    """Raise ValueError for settings of `batch_means` out of range."""
    checks.whole("batch_means", "most and least", fewest, 2)
    if not 0 < confidence < 1:
        raise ValueError(f"batch_means: found confidence={confidence!r}, expected a share between 0 and 1, as 0.9")


def _check_values(values: Floats, batch: int, warmup: int) -> None:
    """Raise ValueError for invalid batches, or values that do not fit them; sums show whether all are finite."""
    checks.whole("batch_means", "batch", batch, 1)
    checks.whole("batch_means", "warmup", warmup, 0)
    if values.ndim != 1:
        raise ValueError(_expected_finite(values))
    if len(values) < (warmup + 2) * batch:
        raise ValueError(
            f"batch_means: found {len(values):,} values, expected at least {(warmup + 2) * batch:,}: "
            f"{warmup} batches of {batch:,} to warm up and two more"
        )


def _expected_finite(values: Floats) -> str:
    return f"batch_means: found values of shape {values.shape}, expected one row of finite numbers"


def _deviation(means: Floats) -> Floats:
    """Standard deviation of the first 2, 3, ... of the means."""
    away = means - means.mean()  # small numbers, so that their squares can be added up without loss
    n = np.arange(1, len(means) + 1)
    squares = np.cumsum(away**2) - np.cumsum(away) ** 2 / n
    return np.sqrt(np.maximum(squares[1:], 0) / (n[1:] - 1))


def _lag1(means: Floats) -> float:
    """Correlation of each batch mean with the next."""
    range_ = np.ptp(means)
    if range_ == 0:
        return float("nan")
    away = (means - means.mean()) / range_
    return float(away[1:] @ away[:-1] / (away @ away))


# Intervals of many numbers at once


def change(base: ArrayLike, value: ArrayLike) -> Floats:
    """Find the relative change of values from the base: 0 if both are zero, inf if only the base is."""
    base, value = np.asarray(base, float), np.asarray(value, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(base == value, 0.0, value / base - 1)


FEWEST_RUNS = 5
"""Of fewer runs it is not said how far another one would lie."""

PARTS = 5
"""A log is cut into so many consecutive parts, to see how its times differ."""


def relative_intervals(base: ArrayLike, value: ArrayLike, base_without: ArrayLike, value_without: ArrayLike) -> Floats:
    """Find the relative change of values from the base, with its intervals in one more run, and in another log.

    *One more run*: Student's prediction interval from these runs, on the last axis; nan for fewer than `FEWEST_RUNS`.
    *Another log*, of the same length, in one run: the jackknife over the parts of this log, each left out in turn,
    shows how far its mean lies from the truth; another log's mean has an independent error of the same size; the
    variation of one more run is added. Both intervals are computed on a logarithmic scale, so that no change is below
    -100 %, and base and value can be exchanged.
    """
    base, value = np.broadcast_arrays(np.asarray(base, float), np.asarray(value, float))
    first, second = base.mean(axis=-1, keepdims=True), value.mean(axis=-1, keepdims=True)
    first = np.where(first == 0, np.nan, first)
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = value / np.where(second == 0, 1, second) - base / first
        without = np.log(np.asarray(value_without, float) / base_without)
        return np.expm1(_with_intervals(np.log(second / first)[..., 0], moved, without))


def intervals(values: ArrayLike, values_without: ArrayLike) -> Floats:
    """Find the mean of runs, and its intervals in one more run and in another log: as `relative_intervals`."""
    values = np.asarray(values, float)
    return _with_intervals(values.mean(axis=-1), values, np.asarray(values_without, float))


def other_logs(estimate: ArrayLike, draws: ArrayLike) -> Floats:
    """Find the interval of a log's number on another log, from draws of logs that might have been recorded instead.

    Both logs have independent errors, as large as the variation of the draws; Student's t for this number of draws. nan
    if a draw is not finite.
    """
    draws = np.asarray(draws, float)
    draws = np.where(np.isfinite(draws), draws, np.nan)
    reach = scipy.special.stdtrit(draws.shape[-1] - 1, 0.975) * np.sqrt(2) * draws.std(axis=-1, ddof=1)
    return np.stack([estimate - reach, estimate + reach], axis=-1)


def _with_intervals(estimate: Floats, runs: Floats, without: Floats) -> Floats:
    """Append the ends of both intervals to an estimate."""
    parts, luck = without.shape[-1], prediction_reach(runs)
    away = without - without.mean(axis=-1, keepdims=True)
    error = np.sqrt((parts - 1) / parts * (away**2).sum(axis=-1))
    year = luck + scipy.special.stdtrit(parts - 1, 0.975) * np.sqrt(2) * error
    return np.stack([estimate, estimate - luck, estimate + luck, estimate - year, estimate + year], axis=-1)


def prediction_reach(runs: Floats) -> Floats:
    """Find how far one more run is from the mean of runs (last axis) in 95 of 100 cases at most, by Student's t."""
    count = runs.shape[-1]
    if count < FEWEST_RUNS:
        return np.full(runs.shape[:-1], np.nan)
    return scipy.special.stdtrit(count - 1, 0.975) * np.sqrt(1 + 1 / count) * runs.std(axis=-1, ddof=1)


def mean_interval(runs: pd.DataFrame, confidence: float = 0.90) -> pd.DataFrame:
    """Find the confidence interval for the mean of each column by Student's t.

    Parameters
    ----------
    runs : DataFrame
        One row for each independent run. A column's nan is left out.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    DataFrame
        For each column of `runs`: `low`, `mean`, `high`. If a column has a single value, only the mean is not nan.

    Raises
    ------
    ValueError
        For fewer than two runs.

    Examples
    --------
    >>> mean_interval(pd.DataFrame({"wait": [10, 12, 14]})).round(2)
           low  mean   high
    wait  8.63  12.0  15.37
    """
    if len(runs) < 2:
        raise ValueError(f"mean_interval: found {len(runs)} run, expected at least 2 to see how much they differ")
    mean = runs.mean()
    half_width = runs.sem() * scipy.special.stdtrit((runs.count() - 1).clip(lower=1), (1 + confidence) / 2)
    return pd.DataFrame({"low": mean - half_width, "mean": mean, "high": mean + half_width})
