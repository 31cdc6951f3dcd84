"""The workload model of Jann et al., made for one machine: the Cornell Theory Center's SP2 in the summer of 1996.

J. Jann, P. Pattanaik, H. Franke, F. Wang, J. Skovira and J. Riordan, "Modeling of workload in MPPs", JSSPP 1997
(Springer LNCS 1291), which MF section 3.1 simulates.

Jobs are divided by size into ranges that end at powers of two. In each range interarrival times and run times are
independent and hyper-Erlang of common order (`HyperErlang`), with the first three moments of the log. The ranges'
streams of jobs are independent of one another. Estimates are exact. The authors' numbers are not available; those in
`data/models/jann97.toml` are fitted in the same way to the same three months of the log (`tools/fit.py`).
"""

import tomllib
from dataclasses import dataclass
from math import isclose, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._util import checks, paths
from .._util.arrays import Floats
from ..core.workload import MOST_JOBS, MOST_PROCS, Workload

# Hyper-Erlang distributions of common order, found from their first three moments.


_LARGEST_ORDER = 1000
"""The largest order that is tried; a larger one is needed only where the values hardly vary."""


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

    def moments(self) -> tuple[float, float, float]:
        """Compute the first three raw moments."""
        k, (a, b) = self.order, self.means
        phases = np.cumprod([k, k + 1, k + 2])  # of an Erlang variable whose phases have mean 1
        m1, m2, m3 = (
            float(count * (self.chance * (a / k) ** m + (1 - self.chance) * (b / k) ** m))
            for m, count in enumerate(phases, 1)
        )
        return m1, m2, m3


def moments(values: ArrayLike) -> tuple[float, float, float]:
    """Compute the first three raw moments of some values."""
    values = np.asarray(values, float)
    m1, m2, m3 = (float((values**m).mean()) for m in (1, 2, 3))
    return m1, m2, m3


def match(m1: float, m2: float, m3: float) -> HyperErlang:
    """Find the hyper-Erlang distribution of the lowest order that has the three raw moments m1, m2, m3.

    An Erlang variable of order k has the moments k x, k (k+1) x^2, k (k+1) (k+2) x^3, where x is the mean of a phase.
    So the two means x must have the moments m1 / k, m2 / (k (k+1)) and m3 / (k (k+1) (k+2)): they are the roots of a
    quadratic. For the moments of any positive variable a solution exists from some order k on; the lowest such order is
    taken.
    """
    found = f"hyper_erlang.match: found the moments {m1:g}, {m2:g}, {m3:g}"
    if not (np.isfinite([m1, m2, m3]).all() and m1 > 0):
        raise ValueError(f"{found}, expected positive numbers")
    if m2 <= m1**2:
        raise ValueError(
            f"{found}, expected a second moment above the square of the first, {m1**2:g}: values that vary"
        )
    if m1 * m3 <= m2**2:
        raise ValueError(
            f"{found}, expected a third moment above m2^2 / m1, {m2**2 / m1:g}: no positive values have less"
        )
    for k in range(1, _LARGEST_ORDER + 1):
        u1, u2, u3 = m1 / k, m2 / (k * (k + 1)), m3 / (k * (k + 1) * (k + 2))
        if isclose(u2, u1**2) and isclose(u1 * u3, u2**2):  # an Erlang variable itself
            return HyperErlang(k, 1.0, (m1, m1))
        variance, room = u2 - u1**2, u1 * u3 - u2**2
        if variance > 0 and room > 0:
            b, c = (u3 - u1 * u2) / variance, room / variance  # the phases' means are the roots of x^2 - b x + c
            high = (b + sqrt(max(b**2 - 4 * c, 0))) / 2
            low = c / high
            return HyperErlang(k, (high - u1) / (high - low), (k * low, k * high))
    raise ValueError(f"{found}, expected a larger spread: they would take an order above {_LARGEST_ORDER}")


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
