"""Policies under rising load: batch means with stopping rules, and differences of policies (MF section 3.1).

To make a load curve, call `at_load` for each load; all calls may run at once (`simlib.sweep`).
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.arrays import Floats, in_order
from simlib._util.cache import identity
from simlib._util.compiled import COMPILED, during
from simlib.analysis.cases import named
from simlib.analysis.stats import mean_interval, mean_of_batches, means_of_batches
from simlib.core import metrics
from simlib.core.schedule import Policy, Schedule, simulate
from simlib.core.workload import Workload

Measure = Callable[[Schedule], Floats]
"""Gives one number for each job of a schedule, in the order of the workload."""


def response_time(schedule: Schedule) -> Floats:
    """Compute the response time of each job, in seconds.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
    >>> response_time(simlib.simulate(w, simlib.EASY())).tolist()
    [10.0, 14.0]
    """
    response: Floats = schedule.column("response").astype(float)
    return response


def bounded_slowdown(schedule: Schedule) -> Floats:
    """Compute the bounded slowdown of each job by MF's formula, without a lower limit of 1.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
    >>> bounded_slowdown(simlib.simulate(w, simlib.EASY())).tolist()
    [1.0, 1.4]
    """
    slowdown: Floats = metrics.bounded_slowdown(schedule.column("wait"), schedule.column("run"), floor=None)
    return slowdown


MEASURES: Mapping[str, Measure] = {"response_s": response_time, "bounded_slowdown": bounded_slowdown}

STOPPING: Mapping[str, float | None] = {"most": 100, "precision": 0.05, "ceiling": 30_000}
"""MF's rules: batches, half width as a share of the mean, seconds; as `batch_means` takes them."""


def at_load(
    workload: Workload,
    load: float,
    policies: Mapping[Any, Policy],
    batch: int,
    pairs: Mapping[Any, tuple[Any, Any]] | None = None,
    measures: Mapping[str, Measure] = MEASURES,
    stopping: Mapping[str, Any] = STOPPING,
    feedback: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate a workload at a load under some policies, and compare them job by job.

    All interarrival times are scaled to the load. Jobs are taken in order of termination, ties by arrival, and cut into
    batches. The first measure decides when to stop (see `simlib.analysis.stats.batch_means`); the others are averaged
    over the same batches. Differences are known far better than the means, because all policies get the same jobs. So
    they are averaged over all batches up to `most`, also beyond the point where a simulation was stopped.

    Parameters
    ----------
    workload, load, feedback
        As for `simulate` and `Workload.scale_load`.
    policies : dict
        By name; a name may be a tuple. Equal policies are simulated once.
    batch : int
        Jobs in a batch.
    pairs : dict, optional
        By name, the names of two policies to compare; by default each other policy with the first, by its name.
    measures : dict
        By name, see `Measure`; the response time in seconds comes first, because the ceiling applies to it.
    stopping : dict
        `most`, `precision` and `ceiling`, see `STOPPING`.

    Returns
    -------
    points : DataFrame
        By policy and measure: `mean`, `low`, `high` (90 % confidence), `accuracy` (half width as a share of the mean),
        `batches`, `stopped` and `lag1` as in `stats.BatchMeans`; `ceiling`, whether the ceiling stopped it. And over
        all batches up to `most`: `whole`, the mean, and `executed`, the executed load.
    differences : DataFrame
        By pair and measure: `one` and `other`, the means; `relative`, other / one - 1, with `low` and `high` (90 %
        confidence); `lag1` of the batch means; `ceiling`, whether the ceiling stopped either simulation. Empty without
        a pair, as with a single policy.

    Raises
    ------
    ValueError
        If `policies` is no dict, or empty; as from `Workload.scale_load` and `simlib.analysis.stats.batch_means`.

    Examples
    --------
    >>> from simlib import EASY, FCFS, load
    >>> points, differences = at_load(load("sample"), 0.8, {"easy": EASY(), "fcfs": FCFS()}, batch=100)
    >>> bool(differences.loc[("fcfs", "response_s"), "low"] > 0)
    True
    """
    policies = named("at_load", policies)
    pairs = {name: (next(iter(policies)), name) for name in list(policies)[1:]} if pairs is None else pairs
    scaled = workload.scale_load(load)
    keys = {name: _key(policy) for name, policy in policies.items()}
    made = {}
    for key, policy in {keys[name]: policy for name, policy in policies.items()}.items():
        with during(COMPILED, True):
            schedule = simulate(scaled, policy, feedback=feedback)
        values = {name: measure(schedule) for name, measure in measures.items()}
        means = {name: means_of_batches(of_jobs, batch, most=stopping["most"]) for name, of_jobs in values.items()}
        made[key] = _point(schedule, values, batch, stopping), means
    points = {name: made[key][0] for name, key in keys.items()}
    differences: dict[Any, Rows] = {}
    for pair, names in pairs.items():
        (rows, one), (other_rows, other) = (made[keys[name]] for name in names)
        ceiling = {"ceiling": any(row["ceiling"] for row in (*rows.values(), *other_rows.values()))}
        differences[pair] = {
            name: _relative_difference(one[name], other[name], stopping["most"]) | ceiling for name in one
        }
    return _table(points), _table(differences)


def _key(policy: Policy) -> str | int:
    """What equal policies have in common; nothing, if it is not known whether they are equal."""
    try:
        return identity(policy)
    except TypeError:
        return id(policy)


Rows = Mapping[str, Mapping[str, Any]]
"""By measure what was found, by column."""


def _table(measured: Mapping[Any, Rows]) -> pd.DataFrame:
    """Make one table of the rows of all policies or pairs, by their names and the measure; empty if there are none."""
    if not measured:
        return pd.DataFrame()
    rows = [row for of_measures in measured.values() for row in of_measures.values()]
    return pd.DataFrame(rows, _index(tuple(measured), tuple(next(iter(measured.values())))))


@lru_cache
def _index(names: tuple, measures: tuple) -> pd.Index:
    """Index rows by name, which may be a tuple, and measure; the same at every load, and slow to make."""
    table: pd.Series = pd.concat({name: pd.Series(0, list(measures)) for name in names})
    return table.index


def _point(schedule: Schedule, values: Mapping[str, Floats], batch: int, stopping: Mapping[str, Any]) -> Rows:
    """Compute one simulation's rows of `points`, by measure."""
    end = schedule.column("end")
    ended = in_order(end)[: batch * (1 + stopping["most"])]  # the others are in no batch
    in_turn = {name: of_jobs.take(ended) for name, of_jobs in values.items()}
    means = {name: means_of_batches(of_jobs, batch, most=stopping["most"]) for name, of_jobs in in_turn.items()}
    run = mean_of_batches(next(iter(means.values())), **stopping)
    rows: dict[str, dict[str, Any]] = {}
    for name, of_batches in means.items():
        overall = mean_of_batches(of_batches, most=run.batches)
        whole = mean_of_batches(of_batches, most=stopping["most"])
        rows[name] = {"mean": overall.mean, "low": overall.low, "high": overall.high}
        accuracy = overall.half_width / overall.mean if overall.mean else np.nan
        rows[name] |= {"accuracy": accuracy, "batches": run.batches, "stopped": run.stopped}
        rows[name] |= {"lag1": overall.lag1, "ceiling": run.stopped == "ceiling", "whole": whole.mean}
    begin, last = end[ended[[batch - 1, batch * (1 + whole.batches) - 1]]]
    within = np.minimum(end, last) - np.maximum(schedule.column("start"), begin)
    executed = within.clip(0) @ schedule.column("procs") / (schedule.workload.procs * (last - begin))
    return {name: row | {"executed": executed} for name, row in rows.items()}


def _relative_difference(one: Floats, other: Floats, most: int = 100) -> dict[str, float]:
    """Find the relative difference r of a policy's batch means from another's, with its interval (90 %).

    That is the mean of other - (1 + r) one, as a share of one's mean: the usual first-order interval of a ratio.
    """
    means = [mean_of_batches(of_batches, most=most).mean for of_batches in (one, other)]
    if means[0] == 0:  # nothing to compare with
        unknown = dict.fromkeys(("relative", "low", "high", "lag1"), np.nan)
        return {"one": means[0], "other": means[1]} | unknown
    relative = means[1] / means[0] - 1
    rest = mean_of_batches(other - (1 + relative) * one, most=most)
    half_width = rest.half_width / means[0]
    interval = {"relative": relative, "low": relative - half_width, "high": relative + half_width}
    return {"one": means[0], "other": means[1]} | interval | {"lag1": rest.lag1}


def over_runs(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Average points or differences over independent runs, and find confidence intervals.

    Parameters
    ----------
    table : DataFrame
        From `at_load`, with further index levels; the first level is the run.
    column : str
        The column that gets intervals: `whole` of points, `relative` of differences.

    Returns
    -------
    DataFrame
        By all levels except the first: the means of all numeric columns; `low` and `high` of the requested column (90 %
        confidence, Student's t over the runs, which are independent even if values within a run are correlated);
        `runs`, their number; `ceiling`, whether the ceiling stopped most of them.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([(1, 0.8), (2, 0.8)], names=["run", "load"])
    >>> over_runs(pd.DataFrame({"whole": [10.0, 12.0], "ceiling": False}, index), "whole").round(1).to_dict("index")
    {0.8: {'whole': 11.0, 'ceiling': False, 'low': 4.7, 'high': 17.3, 'runs': 2}}
    """
    levels = table.index.names[1:]
    cases = table.groupby(levels, sort=False)
    interval = mean_interval(table[column].unstack(levels))
    bounds = {"low": interval.low, "high": interval.high}
    return cases.mean(numeric_only=True).assign(**bounds, runs=cases.size(), ceiling=cases.ceiling.mean() > 0.5)


def coverage(table: pd.DataFrame, truth: str) -> pd.Series:
    """Tell whether the interval of each run contains the mean over all runs, to check the coverage of intervals.

    Parameters
    ----------
    table : DataFrame
        As for `over_runs`, with `low` and `high`.
    truth : str
        The column whose mean over the runs counts as the truth: `whole` of points, `relative` of differences.

    Returns
    -------
    Series of bool

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([(1, 0.8), (2, 0.8)], names=["run", "load"])
    >>> table = pd.DataFrame({"whole": [10.0, 12.0], "low": [9.0, 9.0], "high": [11.5, 10.0]}, index)
    >>> coverage(table, "whole").tolist()
    [True, False]
    """
    mean = table[truth].groupby(table.index.names[1:], sort=False).transform("mean")
    return (table.low <= mean) & (mean <= table.high)
