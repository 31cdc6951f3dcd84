"""Simulate logs under policies many times: shaken, drawn again, with other estimates, at other loads.

Only this module shakes logs. `simlib.compare`, and all measures of the study over runs, use `schedules`.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._util import cache, checks, paths
from .._util.arrays import Codes, Floats, Ints
from .._util.compiled import COMPILED, during
from ..core import estimates as models
from ..core import metrics
from ..core.schedule import Policy, Schedule, simulate
from ..core.threads import counted, sweep
from ..core.workload import Workload, check_shaking
from .cases import Case, made, named

Log = Workload | Callable[[int], Workload]
"""A log, or of a run's seed what makes one: a draw of a model, or of what a log has lost."""

Measure = Callable[[Schedule], Any]
"""Takes of a schedule a number, or one number for each job, of which the mean counts: see `by_job`."""

MEASURES = ("mean_wait", "mean_response", "mean_bounded_slowdown")
"""What is measured unless something else is asked for."""

LEVELS = ["log", "estimates", "load", "policy", "run"]
"""The levels of the result, each only if several were given."""

BLOCK = 20
"""So many runs are kept in one file."""


def replicate(
    logs: Log | Mapping[Any, Log],
    policies: Case | Mapping[Any, Case] | list[Case],
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
    the same log with submit times moved at random within +-`seconds`, as by `Workload.shake` (Tsafrir, Ouaknine &
    Feitelson, "Reducing performance evaluation sensitivity and variability by input shaking", MASCOTS 2007).

    Run 0 is the unchanged log; run k is shaken with seed `seed` + k - 1 for all policies, so you can compare policies
    run by run. In a checkout of the study, `build/cache/` keeps the runs by everything on which they depend, such as
    the code of your functions and the variables that it reads; the same request reads them from there. Where that is
    not known completely, as of a class of your own or a function that reads a file, nothing is kept.

    Parameters
    ----------
    logs : Workload, callable, or dict of these
        A callable makes the workload of a run from the run's seed. By name where there are several.
    policies : policy, case, or dict or list of these
        Those of a list are called as they are written, such as `EASY()`. A case is a policy with changes of the log,
        such as `(EASY(), "exact")`: see `simlib.compare`. Each case is measured over its jobs, which `jobs` counts.
    estimates : str, model, callable, or dict of these, optional
        As for `Workload.with_estimates`: a name, a model, or a function of the jobs and of a generator of the run's
        seed. A model that draws and has no own seed, such as `Uniform(2)`, draws anew in each run. None: the log's own.
    loads : float or sequence of float, optional
        As for `Workload.scale_load`. By default the log's own.
    shakes, seconds, seed : int
        The number of shaken runs, the largest shift in seconds, and the first seed.
    by : str or callable, optional
        Divide the jobs: by the "month" in which they end, by "size" class, by "user", "group", "queue" or "partition";
        or by the values that a function of the schedule gives to the jobs. A Series is matched by the index of the
        jobs, an array by their order.
    measures : sequence of str, dict, or callable, optional
        By default mean wait, response time and bounded slowdown. Otherwise names of entries of `Schedule.summary`, or
        of columns of `Schedule.jobs`, which are averaged; or a dict that has, by column of the result, such a name, or
        a function of the schedule that gives one number, or one for each job, as for `by`, which are averaged. A
        callable gives all measures at once: a Series or dict by name, or a DataFrame whose index has further levels;
        then `by` is not allowed.
    overrun, feedback
        As for `simulate`.
    as_it_is : bool
        Whether to include run 0.
    keep : bool
        Whether runs are kept in a checkout. Changes of the library itself are seen in its files only.
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
        If there is no log, policy, kind of estimates, load, measure or run; for a setting of another kind or out of
        range; for an unknown measure, or one that gives something else than is said above; as from `simulate` and the
        changes of workloads.
    TypeError
        For an object that is no policy, such as the class `EASY` in place of `EASY()`.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> simlib.replicate(w, simlib.EASY(), shakes=2).mean_wait.round().tolist()
    [8654.0, 8687.0, 8696.0]
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> runs = simlib.replicate(w, policies, estimates={"own": None, "exact": "exact"}, shakes=2)
    >>> runs.groupby(["estimates", "policy"], sort=False).mean_wait.mean().round().to_dict()
    {('own', 'EASY'): 8679.0, ('own', 'FCFS'): 90661.0, ('exact', 'EASY'): 5778.0, ('exact', 'FCFS'): 90661.0}

    Estimates of your own, drawn anew in each run: users request up to three times what they need.

    >>> def generous(jobs, rng):
    ...     return (jobs.run * rng.uniform(1, 3, size=len(jobs))).round()
    >>> runs = simlib.replicate(w, simlib.EASY(), estimates={"exact": "exact", "generous": generous}, shakes=2)
    >>> runs.groupby("estimates", sort=False).mean_wait.mean().round().to_dict()
    {'exact': 5778.0, 'generous': 6193.0}
    """
    where = "replicate"
    checks.whole(where, "shakes", shakes, 0)
    check_shaking(where, seconds, seed)
    for name, flag in (("feedback", feedback), ("as_it_is", as_it_is), ("keep", keep)):
        checks.check(where, name, flag, checks.FLAG)
    _expect(shakes or as_it_is, "shakes", shakes, "at least 1 without the log as it is")
    _expect(by is None or callable(by) or by in BY, "by", by, f"None, a function of a schedule, or one of {BY}")
    several_policies = isinstance(policies, Mapping | list)
    by_policy = named(where, policies if several_policies else {None: policies})
    by_log, by_estimates = _named(logs), _named(estimates)
    _expect(by_log and all(map(_is_log, by_log.values())), "logs", logs, _LOGS)
    _expect(by_estimates, "estimates", estimates, "some kind of estimates")
    by_estimates = {name: kind if kind is None else models.named(kind) for name, kind in by_estimates.items()}
    several_loads = np.ndim(loads) > 0  # type: ignore[arg-type]
    by_load: list[Any] = list(loads) if several_loads else [loads]  # type: ignore[arg-type]
    if loads is not None:
        for load in by_load:
            checks.check(where, "loads", load, checks.number("a positive number such as 0.8", above=0))
        _expect(len({*by_load}) == len(by_load) > 0, "loads", loads, "some different numbers")
    if callable(measures):
        _expect(by is None, "by", by, "None with a function as measures, or measures by name")
    columns = measures if callable(measures) else by_name(where, MEASURES if measures is None else measures)
    several = [isinstance(logs, Mapping), isinstance(estimates, Mapping), several_loads, several_policies]
    seeds = [*([None] if as_it_is else []), *range(seed, seed + shakes)]
    blocks = [seeds[begin : begin + BLOCK] for begin in range(int(as_it_is), len(seeds), BLOCK)]
    blocks = [*([[None]] if as_it_is else []), *blocks]
    measured = partial(_measured, measures=columns, by=by)
    rows: list[tuple] = []
    tables: list[pd.DataFrame] = []
    cases = [*product(by_log, by_estimates, by_load)]
    with closing(counted(len(cases) * len(seeds), "runs")) as bar:
        for log, estimate, load in cases:
            case, settings = (by_log[log], by_estimates[estimate], load), (seed, seconds, overrun, feedback)
            depends = (columns, by) if keep and paths.CHECKOUT else None
            runs = _read_or_simulate(case, by_policy, blocks, settings, measured, depends, executor, bar)
            for policy, of_policy in runs.items():
                for run, measured_of_run in enumerate(of_policy, int(not as_it_is)):
                    rows.append((log, estimate, load, policy, run))
                    tables.append(_table(measured_of_run))
    return _joined(rows, tables, [*several, True], by)


_LOGS = "a Workload, a function that makes one of a seed, or a dict of some of these by name"


def _is_log(log: Any) -> bool:
    return isinstance(log, Workload) or (callable(log) and not isinstance(log, type))


def by_name(where: str, measures: Any) -> dict[Any, str | Measure]:
    """The measures by column of the result, or by row of a comparison."""
    checks.check(where, "measures", measures, _MEASURES)
    return dict(measures) if isinstance(measures, Mapping) else {name: name for name in measures}


def _are_measures(given: Any) -> bool:
    named = isinstance(given, Mapping)
    if not named and (isinstance(given, str) or not isinstance(given, Sequence)):
        return False
    right = all(isinstance(one, str) or (named and callable(one)) for one in (given.values() if named else given))
    return right and len({*given}) == len(given) > 0


_MEASURES = checks.Kind(
    _are_measures, "some different names of measures, a dict of such names and functions, or a function"
)


def _expect(right: Any, name: str, found: object, expected: str) -> None:
    """Refuse a setting that is not right."""
    if not right:
        raise ValueError(f"replicate: found {name}={found!r}, expected {expected}")


def _named(given: Any) -> dict[Any, Any]:
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
    last = {id(workload): place for place, (workload, _) in enumerate(cases)}
    shaken: dict[int, Workload] = {}  # while they are needed: a log may have millions of jobs
    for place, (workload, policy) in enumerate(cases):
        key = id(workload)
        if key not in shaken:
            shaken[key] = workload if seed is None else _shaken(log, workload, seconds, seed)
        with during(COMPILED, True):
            schedule = simulate(shaken[key], policy, overrun, feedback)
        if last[key] == place:
            del shaken[key]
        yield schedule
        del schedule


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
    depends: tuple | None,
    executor: Any,
    bar: Any,
) -> dict[Any, list]:
    """Give the measures of all runs by policy: read kept runs, simulate the rest run by run, and keep it."""
    files = _files(case, policies, blocks, settings, depends)
    kept = {policy_and_block: paths.read_sealed(file) for policy_and_block, file in files.items()}
    # by block the policies that are to be simulated
    missing = [[name for name in policies if kept.get((name, number)) is None] for number in range(len(blocks))]
    tasks = [
        (case, [policies[name] for name in names], run, settings, measured)
        for names, block in zip(missing, blocks, strict=True)
        for run in block
        if names
    ]
    bar.total -= sum(map(len, blocks)) - len(tasks)
    simulated = iter(sweep(_replication, tasks, executor, bar))
    tables: dict[Any, list] = {name: [] for name in policies}
    for block_number, block in enumerate(blocks):
        new = list(zip(*(next(simulated) for _ in block), strict=True)) if missing[block_number] else []
        of_block = dict(zip(missing[block_number], new, strict=True))
        for name in policies:
            policy_and_block = name, block_number
            if name not in of_block:
                of_block[name] = pickle.loads(kept[policy_and_block])  # type: ignore[arg-type]
            elif policy_and_block in files:
                paths.write_sealed(files[policy_and_block], pickle.dumps(of_block[name]))
            tables[name] += of_block[name]
    return tables


def _files(
    case: tuple,
    policies: Mapping[Any, Case],
    blocks: Sequence[Sequence[int | None]],
    settings: tuple[int, int, str, bool],
    depends: tuple | None,
) -> dict[tuple[Any, int], Path]:
    """The files of runs by policy and block, named by everything on which they depend; none of what is not known."""
    (log, kind, _), (seed, *others) = case, settings
    try:
        common = cache.identity([case, others, depends]) if depends is not None else None
    except TypeError:
        common = None
    files = {}
    for (name, policy), (block_number, block) in product(policies.items(), enumerate(blocks) if common else ()):
        changes = policy[1:] if isinstance(policy, tuple) else ()
        draws = not isinstance(log, Workload) or any(map(models.draws, (kind, *changes)))
        if file := cache.place("runs", common, policy, block, seed if draws else None):
            files[name, block_number] = file
    return files


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
    checks.check("replicate", f"log of seed {draw}", workload, checks.instance(Workload, "a Workload"))
    if estimates is not None:
        workload = workload.with_estimates(estimates, draw)
    if load is not None:
        workload = workload.scale_load(load)
    cases = [
        (made(workload, str(policy), policy, draw).workload, policy[0])
        if isinstance(policy, tuple)
        else (workload, policy)
        for policy in policies
    ]
    return [measured(schedule) for schedule in schedules(workload, cases, seconds, run, overrun, feedback)]


def _measured(schedule: Schedule, measures: Any, by: Any) -> Any:
    """Measure a schedule: the groups of jobs, and by measure a number for each; or the result of a callable."""
    if not isinstance(measures, Mapping):  # all of it at once
        return _all_at_once(schedule, measures)
    if by is None:
        summary = dict(schedule.summary())
        of_all = {
            name: summary.get(measure) if isinstance(measure, str) else None for name, measure in measures.items()
        }
        for name, value in of_all.items():
            of_all[name] = _numbers("replicate", schedule, name, measures[name]).mean() if value is None else value
        return pd.RangeIndex(1), of_all
    groups, code = _groups(schedule, by)
    known = code >= 0
    columns: dict[str, np.ndarray] = {}
    jobs = np.bincount(code[known], minlength=len(groups))
    for name, measure in measures.items():
        if measure == "jobs":
            columns[name] = jobs
            continue
        values = of_jobs("replicate", schedule, name, measure)
        with np.errstate(invalid="ignore"):
            columns[name] = np.bincount(code[known], values[known], len(groups)) / jobs
    return groups, columns


def _all_at_once(schedule: Schedule, measures: Measure) -> Any:
    """What a function gives that measures all at once."""
    measured = measures(schedule)
    right = isinstance(measured, Mapping | pd.DataFrame | pd.Series)
    if isinstance(measured, pd.Series):
        right = not measured.index.equals(schedule.workload.jobs.index)
    if isinstance(measured, pd.DataFrame):
        index = measured.index
        right = not {*index.names} & {*LEVELS} and (index.nlevels == 1 or None not in index.names)
    if not right:
        expected = (
            "a Series or dict of numbers by the names of measures, or a DataFrame with such columns, whose index has "
            f"other names than {', '.join(LEVELS)}; a measure by name may give one number for each job"
        )
        raise ValueError(f"replicate: measures: found {' '.join(repr(measured).split())[:80]}, expected {expected}")
    return measured


def _table(measured: Any) -> pd.DataFrame:
    """Make a table of the results of `_measured`; only at the end, because pandas would delay the threads."""
    if isinstance(measured, tuple):
        groups, columns = measured
        return pd.DataFrame(columns, index=groups)
    if isinstance(measured, pd.DataFrame):
        return measured if any(measured.index.names) else measured.rename_axis("group")
    return pd.DataFrame([pd.Series(measured)])


def of_jobs(where: str, schedule: Schedule, name: Any, measure: str | Measure) -> Floats:
    """One number for each job, to take the means of groups."""
    values = _numbers(where, schedule, name, measure)
    if values.ndim == 0:
        expected = "expected one number for each job, to take the means of groups"
        raise ValueError(f"{where}: measures: {name}: found one number for all jobs, {expected}")
    return values


def _numbers(where: str, schedule: Schedule, name: Any, measure: str | Measure) -> Floats:
    """One number for each job, or the one number that a function gives for all."""
    if callable(measure):
        where, given = f"{where}: measures: {name}", measure(schedule)
        values = np.asarray(given) if np.ndim(given) == 0 else checks.by_job(where, given, schedule.workload.jobs.index)
        if values.dtype.kind in "biuf":
            return values.astype(float)
        raise ValueError(f"{where}: found {' '.join(repr(given).split())[:80]}, expected numbers")
    if (column := measure.removeprefix("mean_")) not in schedule.names:
        known = ", ".join(schedule.summary().index)
        expected = f"a function, a column of Schedule.jobs such as 'wait', or, of all jobs, one of {known}"
        raise ValueError(f"{where}: found measure {measure!r}, expected {expected}")
    return schedule.column(column).astype(float)


def _groups(schedule: Schedule, by: Any) -> tuple[pd.Index, np.ndarray]:
    """The groups of a schedule's jobs, and the place of each job's among them, -1 for none."""
    if callable(by):
        values = checks.by_job("replicate: by", by(schedule), schedule.workload.jobs.index)
        code, called = pd.factorize(values, sort=True)
        return pd.Index(called, name="group"), code
    names, code = _divided(schedule.workload, by, schedule.column("end"))
    return pd.Index(names, name=by), code


def _joined(rows: list[tuple], tables: list[pd.DataFrame], named: list[bool], by: Any) -> pd.DataFrame:
    """Concatenate the tables of all runs, with index levels that distinguish them."""
    lengths = [len(table) for table in tables]
    index: dict[Any, pd.Index] = {
        level: pd.Index([row[place] for row in rows], tupleize_cols=False).repeat(lengths)
        for place, level in enumerate(LEVELS)
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


@dataclass(frozen=True)
class Groups:
    """The group of each job, for each way to divide them."""

    index: pd.MultiIndex
    code: Codes
    jobs: Ints


def grouped(workload: Workload, by: Sequence[str] = BY, least: int = 30) -> Groups:
    """Divide a workload's jobs."""
    right = isinstance(by, Sequence) and not isinstance(by, str) and by and all(by.count(way) == 1 for way in by)
    if not (right and all(way in BY for way in by)):
        expected = f"a list of some different ones of {', '.join(map(repr, BY))}"
        raise ValueError(f"{workload.name}: found by={by!r}, expected {expected}")
    rows: list[tuple[str, str]] = []
    codes, sizes = [], []
    for way in dict.fromkeys([ALL, *by]):
        if way == "month" and workload.start is None:
            continue
        names, of_job = _divided(workload, way, workload.jobs.submit)
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


def _divided(workload: Workload, way: str, second: Any) -> tuple[list, Ints]:
    """The names of the groups, in order, and each job's place among them, -1 if not known; its month by a second."""
    jobs = workload.jobs
    if way == ALL:
        return [ALL], np.zeros(len(jobs), np.int64)
    if way == "month":
        code, names = pd.factorize(workload.calendar_month(second), sort=True)
        return list(names), code
    if way == "size":
        code, classes = pd.factorize(metrics.size_class(jobs.procs), sort=True)
        return [metrics.class_name(int(upper)) for upper in classes], code
    if way == "partition":
        values = -np.ones(len(jobs)) if workload.log is None else workload.log.partition.loc[jobs.index].to_numpy()
    else:
        values = jobs[way].to_numpy()
    code = np.full(len(values), -1)
    code[values >= 0], names = pd.factorize(values[values >= 0], sort=True)
    return [str(int(name)) for name in names], code
