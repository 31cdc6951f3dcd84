"""The workload model of Jann et al., made for one machine: the Cornell Theory Center's SP2 in the summer of 1996.

J. Jann, P. Pattanaik, H. Franke, F. Wang, J. Skovira and J. Riordan, "Modeling of workload in MPPs", JSSPP 1997
(Springer LNCS 1291), which MF section 3.1 simulates.

Jobs are divided by size into ranges that end at powers of two. In each range interarrival times and run times are
independent and hyper-Erlang of common order (`hyper_erlang`), with the first three moments of the log. The ranges'
streams of jobs are independent of one another. Estimates are exact. The authors' numbers are not at hand; those in
`data/models/jann97.toml` come from doing the same with the same three months of the log (`fit.py`).
"""

import tomllib
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from .. import checks, paths
from ..arrays import Floats, Ints
from ..workload import Workload
from .hyper_erlang import HyperErlang

PROCS = 322
"""The largest job, and so the smallest machine that can run them all."""


@cache
def table() -> dict[str, Any]:
    """Read the fitted numbers, `data/models/jann97.toml`.

    Examples
    --------
    >>> [about["sizes"] for about in table()["range"]][:4]
    [[1, 1], [2, 2], [3, 4], [5, 8]]
    """
    return tomllib.loads((paths.DATA / "models" / "jann97.toml").read_text(encoding="utf-8"))


def workload(jobs: int = 100_000, procs: int = PROCS, seed: int = 0) -> Workload:
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
        Its load is what the model gives on such a machine; `Workload.scale_load` sets another one (MF section 3.1).

    Raises
    ------
    ValueError
        For a machine that is too small for the model's jobs, a number of jobs below 1, or a seed below 0.

    Examples
    --------
    >>> workload(jobs=1000)
    <Workload Jann: 1,000 jobs on 322 processors, SYNTHETIC>
    """
    if procs < PROCS:
        raise ValueError(f"jann97: found procs={procs!r}, expected at least {PROCS}, the largest job")
    checks.whole("jann97", "jobs", jobs, 1)
    checks.whole("jann97", "seed", seed, 0)
    rng = np.random.default_rng(seed)
    streams = [_stream(rng, about, jobs) for about in table()["range"]]
    submit, run, size = (np.concatenate(column) for column in zip(*streams, strict=True))
    first = np.argsort(submit, kind="stable")[:jobs]
    submit, run = (np.rint(seconds[first]).astype(np.int64) for seconds in (submit, run))
    columns = {"submit": submit, "run": run, "procs": size[first]}
    source = {"model": "Jann '97", "jobs": jobs, "seed": seed}
    index = pd.RangeIndex(1, jobs + 1, name="job")
    return Workload(pd.DataFrame(columns, index=index), procs, "Jann", source=source, synthetic=True)


def interarrivals(rng: np.random.Generator, n: int) -> Floats:
    """Draw the first n times between successive jobs of all ranges taken together, in seconds.

    Examples
    --------
    >>> interarrivals(np.random.default_rng(0), 3).round().tolist()
    [3.0, 230.0, 26.0]
    """
    submit = np.concatenate([_arrivals(rng, about, n) for about in table()["range"]])
    return np.diff(np.sort(submit)[:n], prepend=0.0)


def _stream(rng: np.random.Generator, about: dict[str, Any], jobs: int) -> tuple[Floats, Floats, Ints]:
    """Draw submit times, run times [s] and sizes of one range, more than a workload of so many jobs can need."""
    submit = _arrivals(rng, about, jobs)
    run = HyperErlang(**about["run"]).sample(rng, len(submit))
    # of a range's sizes only the power of two is common; the others count as equally likely
    size = rng.integers(about["sizes"][0], about["sizes"][1], len(submit), endpoint=True)
    size[rng.random(len(submit)) < about["at_the_end"]] = about["sizes"][1]
    return submit, run, size


def _arrivals(rng: np.random.Generator, about: dict[str, Any], jobs: int) -> Floats:
    """Draw submit times [s] of one range, up to a time by which all ranges together surely have so many jobs."""
    means = [_mean(other["interarrival"]) for other in table()["range"]]
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
