"""Distributions of run time and size by size class.

Workloads come as a list of (label, Workload), so that logs and models can stand side by side.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from simlib._util.arrays import Floats
from simlib.analysis.stats import ks_distance
from simlib.core.metrics import ALL, class_name, size_class
from simlib.core.workload import Workload

Labelled = Sequence[tuple[str, Workload]]

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
SECONDS = (1, 10, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400)
"""Round times at which tables give the cumulative distributions."""


def _groups(jobs: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """List the jobs of all sizes, then those of each size class: pairs of class and table."""
    return [(ALL, jobs), *jobs.groupby(size_class(jobs.procs))]


def by_class(workloads: Labelled) -> pd.DataFrame:
    """Describe run times by workload and class: means, quantiles that occur, shares `upto_<seconds>` and no longer."""
    rows = {}
    for label, workload in workloads:
        for upper, jobs in _groups(workload.jobs):
            row = {"jobs": len(jobs), "share": len(jobs) / len(workload)}
            row |= {"size_mean": jobs.procs.mean(), "run_mean": jobs.run.mean()}
            quantiles = np.quantile(jobs.run, QUANTILES, method="inverted_cdf")
            row |= {f"run_{100 * q:.0f}": value for q, value in zip(QUANTILES, quantiles, strict=True)}
            shares = cumulative(jobs.run, SECONDS)
            row |= {f"upto_{seconds}": share for seconds, share in zip(SECONDS, shares, strict=True)}
            rows[label, upper] = row
    return pd.DataFrame(list(rows.values()), index=_index(rows))


def _index(keys: Iterable[tuple[str, int]]) -> pd.MultiIndex:
    return pd.MultiIndex.from_tuples(list(keys), names=["workload", "size_class"])


def named(table: pd.DataFrame) -> pd.DataFrame:
    """Write the size classes of a table for readers."""
    return table.rename(index=class_name, level="size_class")


def cumulative(run: ArrayLike, seconds: ArrayLike) -> Floats:
    """Find the share of run times that are no longer than each of `seconds`."""
    ordered = np.sort(run)
    return np.searchsorted(ordered, seconds, side="right") / len(ordered)


def curves(workloads: Labelled, least_jobs: int = 100, points: int = 300) -> pd.DataFrame:
    """Compute cumulative distributions of run times for drawing: by workload and class, a column each time."""
    longest = max((workload.jobs.run.max() for _, workload in workloads if len(workload)), default=1)
    seconds = np.unique(np.rint(np.geomspace(1, max(longest, 2), points)).astype(np.int64))
    rows = {}
    for label, workload in workloads:
        for upper, jobs in _groups(workload.jobs):
            if len(jobs) >= least_jobs:
                rows[label, upper] = cumulative(jobs.run, seconds)
    return pd.DataFrame(list(rows.values()), index=_index(rows), columns=pd.Index(seconds, name="seconds"))


def distances(workloads: Labelled, to: str, least_jobs: int = 100) -> pd.DataFrame:
    """Measure how far distributions are from those of one workload (Kolmogorov-Smirnov): by class, a column another.

    The row "sizes" is the distance between the distributions of size.
    """
    jobs = {label: workload.jobs for label, workload in workloads}
    runs = {label: {upper: part.run for upper, part in _groups(table)} for label, table in jobs.items()}
    columns: dict[str, dict[str | int, float]] = {}
    for label in jobs:
        if label != to:
            columns[label] = {"sizes": ks_distance(jobs[to].procs, jobs[label].procs)} | {
                upper: ks_distance(run, runs[label][upper])
                for upper, run in runs[to].items()
                if upper in runs[label] and min(len(run), len(runs[label][upper])) >= least_jobs
            }
    table = pd.DataFrame(columns, index=["sizes", *runs[to]]).dropna(how="all")
    names = ["sizes" if key == "sizes" else class_name(key) for key in table.index]
    return table.set_axis(pd.Index(names, name="size_class"))
