"""The workload model of Jann et al., made for one machine: the Cornell Theory Center's SP2 in the summer of 1996.

J. Jann, P. Pattanaik, H. Franke, F. Wang, J. Skovira and J. Riordan, "Modeling of workload in MPPs", JSSPP 1997
(Springer LNCS 1291), which MF section 3.1 simulates.

Jobs are divided by size into ranges that end at powers of two. In each range interarrival times and run times are
independent and hyper-Erlang of common order (`HyperErlang`), with the first three moments of the log. The ranges'
streams of jobs are independent of one another. Estimates are exact. By the Parallel Workloads Archive's page on the
model, the paper's tables and a program of the archive have all numbers; we looked for copies of either in public
repositories and found none. Those in `data/models/jann97.toml` are fitted in the same way to the same three months of
the log (`tools/fit.py`).
"""

import tomllib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .._util import checks, paths
from .._util.arrays import Floats
from ..core.workload import MOST_JOBS, MOST_PROCS, Workload


@dataclass(frozen=True)
class HyperErlang:
    """An Erlang variable of mean `means[0]` with chance `chance`, else of mean `means[1]`; both of the same order.

    An Erlang variable of order k is the sum of k exponential ones, each of mean `means[i]` / k.
    """

    order: int
    chance: float
    means: tuple[float, float]

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n independent values."""
        mean = np.where(rng.random(n) < self.chance, *self.means)
        return rng.standard_gamma(self.order, n) * (mean / self.order)


_PROCS = 322
"""The largest job, and so the smallest machine that can run them all."""


def table() -> dict[str, Any]:
    """Read the fitted numbers, `data/models/jann97.toml`."""
    return tomllib.loads((paths.DATA / "models" / "jann97.toml").read_text(encoding="utf-8"))


def workload(jobs: int = 100_000, procs: int = _PROCS, seed: int = 0) -> Workload:
    """Make a workload of the model.

    Parameters
    ----------
    jobs : int
    procs : int
        Processors of the machine, at least 322.
    seed : int

    Returns
    -------
    Workload
        Its load is the model's on such a machine; `Workload.scale_load` sets another one (MF section 3.1).

    Raises
    ------
    ValueError
        For a machine that is too small for the model's jobs, a number of jobs below 1, or a seed below 0.

    Examples
    --------
    >>> workload(jobs=1000)
    <Workload Jann: 1,000 jobs on 322 processors, SYNTHETIC>
    """
    checks.whole("jann97", "procs", procs, _PROCS, MOST_PROCS, why=", because the largest job has 322")
    jobs = checks.whole("jann97", "jobs", jobs, 1, MOST_JOBS)
    checks.whole("jann97", "seed", seed, 0)
    rng = np.random.default_rng(seed)
    streams = []  # of the ranges, each more than a workload of so many jobs can need
    ranges = table()["range"]
    for about in ranges:
        arrivals = _arrivals(rng, about, ranges, jobs)
        run_times = HyperErlang(**about["run"]).sample(rng, len(arrivals))
        # of a range's sizes only the power of two is common; the others count as equally likely
        sizes = rng.integers(about["sizes"][0], about["sizes"][1], len(arrivals), endpoint=True)
        sizes[rng.random(len(arrivals)) < about["at_the_end"]] = about["sizes"][1]
        streams.append((arrivals, run_times, sizes))
    submit, run, size = (np.concatenate(column) for column in zip(*streams, strict=True))
    first = np.argsort(submit, kind="stable")[:jobs]
    seconds = {"submit": submit, "run": run}
    columns = {name: np.rint(value[first]).astype(np.int64) for name, value in seconds.items()} | {"procs": size[first]}
    source = {"model": "Jann '97", "jobs": jobs, "seed": seed}
    index = pd.RangeIndex(1, jobs + 1, name="job")
    return Workload(pd.DataFrame(columns, index=index), procs, "Jann", source=source, synthetic=True)


def interarrivals(rng: np.random.Generator, n: int) -> Floats:
    """Draw the first n times between successive jobs of all ranges taken together, in seconds."""
    ranges = table()["range"]
    submit = np.concatenate([_arrivals(rng, about, ranges, n) for about in ranges])
    return np.diff(np.sort(submit)[:n], prepend=0.0)


def _arrivals(rng: np.random.Generator, about: dict[str, Any], ranges: list[dict[str, Any]], jobs: int) -> Floats:
    """Draw submit times [s] of one range, up to a time by which all ranges together surely have enough jobs."""
    means = [_mean(other["interarrival"]) for other in ranges]
    until = 1.1 * jobs / sum(1 / mean for mean in means) + 100 * max(means)
    interarrival = HyperErlang(**about["interarrival"])
    submit = np.zeros(1)
    while submit[-1] < until:
        more = int(1.05 * (until - submit[-1]) / _mean(about["interarrival"])) + 100
        submit = np.append(submit, submit[-1] + np.cumsum(interarrival.sample(rng, more)))
    return submit[1 : np.searchsorted(submit, until)]


def _mean(about: dict[str, Any]) -> float:
    """Compute the mean of a hyper-Erlang distribution of the table."""
    return about["chance"] * about["means"][0] + (1 - about["chance"]) * about["means"][1]
