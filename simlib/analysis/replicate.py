"""Simulate logs under policies many times: shaken, drawn again, with other estimates, at other loads.

Only this module shakes logs. `simlib.compare`, and all measures of the study over runs, use `schedules`.
"""

import pickle
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from .._util import cache, checks, paths
from .._util.arrays import Codes, Ints
from ..core import metrics
from ..core.schedule import Policy, Schedule, simulate
from ..core.sweeps import sweep
from ..core.workload import Workload, check_shaking
from .cases import Case, check_names, is_estimates, made

Log = Workload | Callable[[int], Workload]
"""A log, or of a run's seed what makes one: a draw of a model, or of what a log has lost."""

Measure = Callable[[Schedule], Any]
"""Takes of a schedule a number, or an array with one number for each job, of which the mean counts."""

MEASURES = ("mean_wait", "mean_response", "mean_bounded_slowdown")
"""What is measured unless something else is asked for."""

BLOCK = 20
"""So many runs are kept in one file."""


def replicate(
    logs: Log | Mapping[Any, Log],
    policies: Case | Mapping[Any, Case],
    *,
    estimates: Any = None,
    loads: float | Sequence[float] | None = None,
    shakes: int = 20,
    seconds: int = 60,
    seed: int = 0,
    by: str | Callable[[Schedule], Any] | None = None,
    measures: Sequence[str] | Mapping[str, str | Measure] | Measure | None = None,
    overrun: str = "extend",
    feedback: bool = False,
    as_it_is: bool = True,
    keep: bool = True,
    executor: Any = None,
) -> pd.DataFrame:
    """Simulate every log with every kind of estimates, at every load, under every policy, unchanged and shaken.

    Backfilling is chaotic: one job that comes a second later can change which jobs fit into which gaps from then on,
    and a month's mean by per cents. So the numbers of one simulation are one draw from a distribution: the numbers of
    the same log with every submit time moved at random within +-`seconds` (Tsafrir, Ouaknine & Feitelson, "Reducing
    performance evaluation sensitivity and variability by input shaking", MASCOTS 2007).

    Run 0 is the unchanged log; run k is shaken with seed `seed` + k - 1 for all policies, so you can compare policies
    run by run. In a checkout of the study, `build/cache/` keeps the runs by everything on which they depend; the same
    request reads them from there.

    Parameters
    ----------
    logs : Workload, callable, or dict of these
        A callable makes the workload of a run from the run's seed. By name where there are several.
    policies : policy, case, or dict of these
        A case is a policy with changes of the log, such as `(EASY(), "exact")`: see `simlib.compare`. Each case is
        measured over its jobs, which `jobs` counts.
    estimates : str, model, callable, or dict of these, optional
        As for `Workload.with_estimates`; a function makes one of them from the run's seed. None: the log's own.
    loads : float or sequence of float, optional
        As for `Workload.scale_load`. By default the log's own.
    shakes, seconds, seed : int
        The number of shaken runs, the largest shift in seconds, and the first seed.
    by : str or callable, optional
        Divide the jobs: by the "month" in which they end, by "size" class, by "user", "group", "queue" or "partition";
        or by the values that a function of the schedule gives to the jobs.
    measures : sequence of str, dict, or callable, optional
        By default mean wait, response time and bounded slowdown. Otherwise names of entries of `Schedule.summary`, or
        of columns of `Schedule.jobs`, which are averaged; or a dict that has, by column of the result, such a name, or
        a function of the schedule that gives one number, or one for each job, which are averaged. A callable gives all
        measures at once: a Series, or a DataFrame whose index has further levels; then `by` is not allowed.
    overrun, feedback
        As for `simulate`.
    as_it_is : bool
        Whether to include run 0.
    keep : bool
        Whether runs are kept in a checkout.
    executor : concurrent.futures.Executor or distributed.Client, optional
        By default threads, see `simlib.sweep`.

    Returns
    -------
    DataFrame
        One row per run, and with `by` per group of jobs; one column per measure. The index has the levels `log`,
        `estimates`, `load` and `policy`, each only if several were given by name or in a sequence; `run`; and the level
        of `by` ("group" for a function), or the levels of the DataFrame that a function gives.

    Raises
    ------
    ValueError
        If there is no policy, `shakes` is not a whole number of at least 0, `seconds` is out of range, the seed is
        below 0, or a measure is unknown; as from `simulate` and the changes of workloads.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> simlib.replicate(w, simlib.EASY(), shakes=2).mean_wait.round().tolist()
    [8654.0, 9013.0, 8714.0]
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> runs = simlib.replicate(w, policies, estimates={"own": None, "exact": "exact"}, shakes=2)
    >>> runs.groupby(["estimates", "policy"], sort=False).mean_wait.mean().round().to_dict()
    {('own', 'EASY'): 8794.0, ('own', 'FCFS'): 90014.0, ('exact', 'EASY'): 5764.0, ('exact', 'FCFS'): 90014.0}
    """
    where = "replicate"
    checks.whole(where, "shakes", shakes, 0)
    check_shaking(where, seconds, seed)
    if isinstance(policies, Mapping):
        check_names(where, policies)
    by_log, by_estimates, by_policy = map(_by_name, (logs, estimates, policies))
    several_loads = loads is not None and not isinstance(loads, int | float)
    by_load = list(loads) if several_loads else [loads]  # type: ignore[arg-type]
    named = [isinstance(logs, Mapping), isinstance(estimates, Mapping), several_loads, isinstance(policies, Mapping)]
    seeds = [*([None] if as_it_is else []), *range(seed, seed + shakes)]
    blocks = [seeds[place : place + BLOCK] for place in range(int(as_it_is), len(seeds), BLOCK)]
    blocks = [*([[None]] if as_it_is else []), *blocks]
    if callable(measures) and by is not None:
        raise ValueError(f"{where}: found by={by!r} with a function as measures, expected measures by name")
    if not (by is None or by in BY or callable(by)):
        expected = f"None, a function of a schedule, or one of {', '.join(map(repr, BY))}"
        raise ValueError(f"{where}: found by={by!r}, expected {expected}")
    measures = MEASURES if measures is None else measures
    columns = measures if callable(measures) or isinstance(measures, Mapping) else {name: name for name in measures}
    measured = partial(_measured, measures=columns, by=by)
    rows: list[tuple] = []
    tables: list[pd.DataFrame] = []
    for (log, estimate), load in product(product(by_log, by_estimates), by_load):
        case = by_log[log], by_estimates[estimate], load
        draws = not isinstance(by_log[log], Workload) or _drawn(by_estimates[estimate])
        depends = *case, seed if draws else None, seconds, overrun, feedback, measures, by
        key = _key(*depends) if keep and paths.CHECKOUT else None
        runs = _read_or_simulate(case, by_policy, blocks, (seed, seconds, overrun, feedback), measured, key, executor)
        for policy, of_policy in runs.items():
            for number, measured_of_run in enumerate(of_policy, int(not as_it_is)):
                rows.append((log, estimate, load, policy, number))
                tables.append(_table(measured_of_run))
    return _joined(rows, tables, [*named, True], by)


def _by_name(given: Any) -> dict[Any, Any]:
    """The arguments by name; a single one under None."""
    return dict(given) if isinstance(given, Mapping) else {None: given}


def schedules(
    log: Workload,
    cases: Sequence[tuple[Workload, Policy]],
    seconds: int,
    seed: int | None,
    overrun: str = "extend",
    feedback: bool = False,
) -> Iterator[Schedule]:
    """Simulate workloads of a log's jobs under policies, unchanged or shaken; a job moves equally in all workloads."""
    shaken = {id(workload): workload for workload, _ in cases}
    if seed is not None:
        shaken = {key: _shaken(log, workload, seconds, seed) for key, workload in shaken.items()}
    for workload, policy in cases:
        yield simulate(shaken[id(workload)], policy, overrun, feedback)


def _shaken(log: Workload, workload: Workload, seconds: int, seed: int) -> Workload:
    """Shake a workload of some of a log's jobs, in any order; each moves as in the shaken log."""
    jobs = workload.jobs
    if jobs.index.equals(log.jobs.index):
        return workload.shake(seconds, seed)
    moved = log.shake(seconds, seed)
    before, after = (each.jobs.submit.to_numpy()[places(each.jobs.index, jobs.index)] for each in (log, moved))
    return workload.derive(jobs.assign(submit=jobs.submit + after - before), f"shaken by +-{seconds} s, seed {seed}")


def places(own: pd.Index, index: pd.Index) -> Ints:
    """Find the place of each job of an index in another index, which has all of them."""
    keys, wanted = own.to_numpy(), index.to_numpy()  # pandas' own search is not made for several threads at once
    by_key = np.argsort(keys, kind="stable")
    return by_key[np.searchsorted(keys, wanted, sorter=by_key)]


def _read_or_simulate(
    case: tuple,
    policies: Mapping[Any, Case],
    blocks: Sequence[Sequence[int | None]],
    settings: tuple[int, int, str, bool],
    measured: Measure,
    key: Any,
    executor: Any,
) -> dict[Any, list]:
    """Give the measures of all runs by policy: read kept runs, simulate the rest run by run, and keep it."""
    places = {}
    if key is not None:
        for (name, policy), block in product(policies.items(), blocks):
            with suppress(TypeError):  # of a policy that cannot be distinguished from another nothing is kept
                places[name, id(block)] = cache.place("runs", key, policy, block)
    kept = {place: paths.read_sealed(file) for place, file in places.items()}
    missing = {
        id(block): [name for name in policies if kept.get((name, id(block))) is None] for block in blocks
    }  # by block the policies that are to be simulated
    tasks = [
        (case, [policies[name] for name in missing[id(block)]], run, settings, measured)
        for block in blocks
        for run in block
        if missing[id(block)]
    ]
    simulated = iter(sweep(_replication, tasks, executor, label="runs"))
    tables: dict[Any, list] = {name: [] for name in policies}
    for block in blocks:
        new = list(zip(*(next(simulated) for _ in block), strict=True)) if missing[id(block)] else []
        of_block = dict(zip(missing[id(block)], new, strict=True))
        for name in policies:
            place = name, id(block)
            if name not in of_block:
                of_block[name] = pickle.loads(kept[place])  # type: ignore[arg-type]
            elif place in places:
                paths.write_sealed(places[place], pickle.dumps(of_block[name]))
            tables[name] += of_block[name]
    return tables


def _replication(
    case: tuple,
    policies: Sequence[Case],
    run: int | None,
    settings: tuple[int, int, str, bool],
    measured: Measure,
) -> list:
    """Simulate one run of a log with its estimates at its load under some policies, and measure each schedule."""
    (log, estimates, load), (first, seconds, overrun, feedback) = case, settings
    draw = first if run is None else run
    workload = log if isinstance(log, Workload) else log(draw)
    if estimates is not None:
        workload = workload.with_estimates(estimates(draw) if _drawn(estimates) else estimates)
    if load is not None:
        workload = workload.scale_load(load)
    cases = [
        (made(workload, str(policy), policy).workload, policy[0]) if isinstance(policy, tuple) else (workload, policy)
        for policy in policies
    ]
    return [measured(schedule) for schedule in schedules(workload, cases, seconds, run, overrun, feedback)]


def _drawn(estimates: Any) -> bool:
    """Whether estimates are a function of a run's seed, and not a name or a model."""
    return not (estimates is None or is_estimates(estimates))


def _key(log: Log, *depends: Any) -> Any:
    """The key of a group of runs, without policy and seeds; None if it cannot be known."""
    state = _whole_state_of(log) if isinstance(log, Workload) else (cache.library(), log)
    try:
        return cache.identity([state, *depends])
    except TypeError:
        return None  # something that cannot be distinguished from another


def state_of(workload: Workload, feedback: bool = False) -> tuple[Hashable, ...]:
    """Make a key of everything on which simulations of a workload depend: its jobs, its machine, the library's code."""
    known = _States.keys.setdefault(workload, {})
    if feedback not in known:
        followed = workload.followed() if feedback else ()
        known[feedback] = cache.identity(workload.jobs), cache.identity(followed), workload.procs, workload.gpus
    return cache.library(), *known[feedback]


def _whole_state_of(workload: Workload) -> tuple[Hashable, ...]:
    """Make a key of everything that measures of schedules may read: also the calendar, and the fields of the log."""
    known = _States.keys.setdefault(workload, {})
    if "whole" not in known:
        known["whole"] = cache.identity([workload.log, str(workload.start), workload.name, workload.synthetic])
    return *state_of(workload), *known["whole"]


class _States:
    """Keys by workload, which never changes; in a class, because global variables are part of a function's key."""

    keys: WeakKeyDictionary[Workload, dict[Any, tuple]] = WeakKeyDictionary()


def _measured(schedule: Schedule, measures: Any, by: Any) -> Any:
    """Measure a schedule: the groups of jobs, and by measure a number for each; or the result of a callable."""
    if not isinstance(measures, Mapping):  # all of it at once
        return measures(schedule)
    if by is None:
        summary = dict(schedule.summary())
        of_all = {
            name: summary.get(measure) if isinstance(measure, str) else None for name, measure in measures.items()
        }
        for name, value in of_all.items():
            of_all[name] = _of_jobs(schedule, measures[name]).mean() if value is None else value
        return pd.RangeIndex(1), of_all
    groups, code = _groups(schedule, by)
    known = code >= 0
    columns: dict[str, np.ndarray] = {}
    jobs = np.bincount(code[known], minlength=len(groups))
    for name, measure in measures.items():
        of_jobs = np.ones(len(code)) if measure == "jobs" else _of_jobs(schedule, measure)
        if of_jobs.ndim == 0:
            expected = f"expected one number for each job, to take the means by {by}"
            raise ValueError(f"replicate: measures: {name}: found one number for all jobs, {expected}")
        with np.errstate(invalid="ignore"):
            columns[name] = jobs if measure == "jobs" else np.bincount(code[known], of_jobs[known], len(groups)) / jobs
    return groups, columns


def _table(measured: Any) -> pd.DataFrame:
    """Make a table of the results of `_measured`; only at the end, because pandas would delay the threads."""
    if isinstance(measured, tuple):
        groups, columns = measured
        return pd.DataFrame(columns, index=groups)
    if isinstance(measured, pd.DataFrame):
        return measured if any(measured.index.names) else measured.rename_axis("group")
    return pd.DataFrame([pd.Series(measured)])


def _of_jobs(schedule: Schedule, measure: str | Measure) -> np.ndarray:
    """One number for each job, or the one number that a function gives for all."""
    if callable(measure):
        return np.asarray(measure(schedule), float)
    if (column := measure.removeprefix("mean_")) not in schedule.names:
        known = ", ".join(schedule.summary().index)
        expected = f"a function, a column of Schedule.jobs such as 'wait', or, without by, one of {known}"
        raise ValueError(f"replicate: found measure {measure!r}, expected {expected}")
    return schedule.column(column).astype(float)


def _groups(schedule: Schedule, by: Any) -> tuple[pd.Index, np.ndarray]:
    """The groups of a schedule's jobs, and the place of each job's among them, -1 for none."""
    if callable(by):
        code, called = pd.factorize(np.asarray(by(schedule)), sort=True)
        return pd.Index(called, name="group"), code
    if by == "month":
        code, months = pd.factorize(schedule.workload.calendar_month(schedule.column("end")), sort=True)
        return pd.Index(months, name=by), code
    names, code = divided(schedule.workload, by)
    return pd.Index(names, name=by), code


def _joined(rows: list[tuple], tables: list[pd.DataFrame], named: list[bool], by: Any) -> pd.DataFrame:
    """Concatenate the tables of all runs, with index levels that distinguish them."""
    levels = ["log", "estimates", "load", "policy", "run"]
    lengths = [len(table) for table in tables]
    index: dict[Any, pd.Index] = {
        level: pd.Index([row[place] for row in rows], tupleize_cols=False).repeat(lengths)
        for place, level in enumerate(levels)
        if named[place]
    }
    joined = pd.concat(tables)
    if any(joined.index.names):
        index |= {str(name): joined.index.get_level_values(str(name)) for name in joined.index.names}
    arrays = list(index.values())
    new = pd.MultiIndex.from_arrays(arrays, names=list(index)) if len(arrays) > 1 else arrays[0].rename("run")
    return joined.set_axis(new)


# Divide the jobs of a workload by when they were submitted, who submitted them, where they ran and their size.


ALL = "all"

BY = (ALL, "month", "user", "group", "queue", "partition", "size")
"""How jobs can be divided: not at all, by the month of their submission, by whom and where, by size class."""

WEEK = 7 * 86400


@dataclass(frozen=True)
class Groups:
    """The group of each job, for each way to divide them."""

    index: pd.MultiIndex
    code: Codes
    jobs: Ints


def grouped(workload: Workload, by: Sequence[str] = BY, least: int = 30) -> Groups:
    """Divide a workload's jobs."""
    if isinstance(by, str) or not by or not all(way in BY for way in by):
        raise ValueError(f"{workload.name}: found by={by!r}, expected a list of some of {', '.join(map(repr, BY))}")
    rows: list[tuple[str, str]] = []
    codes, sizes = [], []
    for way in dict.fromkeys([ALL, *by]):
        names, of_job = divided(workload, way)
        jobs = np.bincount(of_job[of_job >= 0], minlength=len(names))
        large = jobs >= (1 if way == ALL else least)
        if way != ALL and large.sum() < 2:
            continue
        row = np.where(large, len(rows) + np.cumsum(large) - 1, -1)
        codes.append(np.where(of_job >= 0, row[of_job], -1))
        rows += [(way, str(name)) for name, kept in zip(names, large, strict=True) if kept]
        sizes.append(jobs[large])
    index = pd.MultiIndex.from_tuples(rows, names=["by", "group"])
    code = np.array(codes, np.int32).reshape(len(codes), len(workload))
    return Groups(index, np.ascontiguousarray(code.T), np.concatenate(sizes))


def divided(workload: Workload, way: str) -> tuple[list, Ints]:
    """The names of the groups, in order, and each job's place among them, -1 if it is not known."""
    jobs = workload.jobs
    if way == ALL:
        return [ALL], np.zeros(len(jobs), np.int64)
    if way == "month":
        if workload.start is None:
            return [], np.full(len(jobs), -1)
        code, names = pd.factorize(workload.calendar_month(jobs.submit), sort=True)
        return list(names), code
    if way == "size":
        code, classes = pd.factorize(metrics.size_class(jobs.procs), sort=True)
        return [metrics.class_name(int(upper)) for upper in classes], code
    if way == "partition":
        values = -np.ones(len(jobs)) if workload.log is None else workload.log.partition.loc[jobs.index].to_numpy()
    else:
        values = jobs[way].to_numpy()
    code, names = pd.factorize(np.where(values >= 0, values, np.nan), sort=True)
    return [f"{name:.0f}" for name in names], code
