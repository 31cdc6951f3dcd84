"""Simulate the partitions of a log as separate machines in one run, with results for each part and in total.

A log does not say which nodes a partition has, nor whether partitions share nodes: you can tell `partitions`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.arrays import Ints
from simlib.analysis.cases import Case, policy_of
from simlib.analysis.replicate import places
from simlib.core.schedule import Policy, is_own
from simlib.core.workload import Workload
from simlib.logs import sacct

SHARED = (
    "Whether partitions share nodes is not in a log: each partition is a machine of its own here, unless it is told "
    "which of them are one machine."
)
"""What a reader has to know."""

_NONE = "no partition"
"""What the jobs are called of which the log has no partition."""

Size = int | tuple[int, int]
"""Processors, or processors and GPUs."""


def partitions(workload: Workload, sizes: Mapping[str, Size] | None = None) -> dict[str, Workload]:
    """Divide a log into machines: one for each partition, or for several that share nodes.

    Parameters
    ----------
    workload : Workload
        Read from a log with partitions (field 16).
    sizes : dict, optional
        Processors, or processors and GPUs, by the name or number of a partition. "batch+debug" are two partitions that
        share nodes: one machine. A partition that is not named gets the number that was in use for a thousandth of the
        time by the log's own times, or the size of its largest job (`simlib.logs.sacct.in_use`).

    Returns
    -------
    dict of str to Workload
        First the named ones, then the others in the order of their numbers. A job that is larger than its machine does
        not take part (see `Workload.dropped`).

    Raises
    ------
    ValueError
        If the log has no partitions, no partition of a name, or no waits from which to estimate a size; for a partition
        that is named twice.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> log = w.log.assign(partition=w.log.user % 2 + 1, wait=0)
    >>> w = simlib.Workload(w.jobs, 128, header=[" Partition: 1 cpu", " Partition: 2 test"], log=log)
    >>> [(name, part.procs, len(part)) for name, part in partitions(w, {"test": 48}).items()]
    [('test', 48, 3270), ('cpu', 184, 2560)]
    """
    if workload.log is None or not (workload.log.partition >= 0).any():
        raise ValueError(f"{workload.name}: found no partition, expected a log with field 16")
    log = workload.log
    names: dict[int, str] = {-1: _NONE} | sacct.names(workload)["partition"]
    there = [int(number) for number in sorted(log.partition.loc[workload.jobs.index].unique())]
    by_name = {str(number): number for number in there} | {names[n]: n for n in there if n in names}
    machines: dict[str, tuple[list[int], Size | None]] = {}
    for called, size in (sizes or {}).items():
        parts = [part.strip() for part in str(called).split("+")]
        if unknown := [part for part in parts if part not in by_name]:
            known = ", ".join(names.get(number, str(number)) for number in there)
            raise ValueError(f"{workload.name}: found partition {unknown[0]!r}, expected some of {known}")
        machines[called] = [by_name[part] for part in parts], size
    named = [number for numbers, _ in machines.values() for number in numbers]
    if twice := {number for number in named if named.count(number) > 1}:
        raise ValueError(f"{workload.name}: found partition {names.get(*[twice.pop()] * 2)} twice, expected it once")
    machines |= {names.get(number, str(number)): ([number], None) for number in there if number not in named}
    return {called: _machine(workload, log, called, *about) for called, about in machines.items()}


def _machine(workload: Workload, log: pd.DataFrame, called: str, numbers: list[int], size: Size | None) -> Workload:
    """The jobs of some partitions on a separate machine."""
    own = log[log.partition.isin(numbers)]
    if size is None:
        if (own.wait[own.run >= 0] < 0).any():
            expected = f"expected the size of its machine, such as {{{called!r}: 512}}"
            raise ValueError(f"{workload.name}: partition {called}: found jobs without a recorded wait, {expected}")
        size = sacct.in_use(own)[0]
    procs, gpus = (
        size
        if isinstance(size, tuple)
        else (size, sacct.in_use(own, "gpus")[0] if workload.gpus and "gpus" in own else 0)
    )
    part = workload.partition(*numbers, procs=procs, gpus=gpus)
    part.name = f"{workload.name}, {called}"
    return part


def together(workload: Workload, parts: Mapping[str, Workload]) -> Workload:
    """Put the jobs of all parts into one workload, for cases from `on_partitions`; its machine has all processors.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> w = simlib.Workload(w.jobs, 128, log=w.log.assign(partition=w.log.user % 2 + 1))
    >>> together(w, partitions(w, {"1": 96, "2": 48}))
    <Workload workload: 5,810 jobs on 144 processors...; partitions: 1 96, 2 48; 190 larger than their partition>
    """
    procs = sum(part.procs for part in parts.values())
    whole = workload.with_procs(procs, gpus=sum(part.gpus for part in parts.values()))
    kept = np.concatenate([part.jobs.index.to_numpy() for part in parts.values()])
    steps = [
        *workload.history,
        "partitions: " + ", ".join(f"{called} {part.procs:,}" for called, part in parts.items()),
    ]
    if too_large := len(workload) - len(kept):
        whole = whole.derive(whole.jobs[whole.jobs.index.isin(kept)], "")
        steps.append(f"{too_large:,} larger than their partition")
    whole.history = tuple(steps)
    return whole


def on_partitions(case: Case, parts: Mapping[str, Workload]) -> Case:
    """Turn a case into one that runs its policy in each part separately.

    Use it with `together(workload, parts)`: then `simlib.compare` with `by=["partition"]` finds the differences in each
    partition, and over the jobs of all. A fair share counts only a user's use of the same partition.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> w = simlib.Workload(w.jobs, 128, log=w.log.assign(partition=w.log.user % 2 + 1))
    >>> parts = partitions(w, {"1": 96, "2": 48})
    >>> whole, policy = together(w, parts), on_partitions(simlib.EASY(), parts)
    >>> waits = simlib.simulate(whole, policy).jobs.wait
    >>> all((waits[part.jobs.index] == simlib.simulate(part, simlib.EASY()).jobs.wait).all() for part in parts.values())
    True
    """
    policy = policy_of(case)
    if not is_own(policy) or getattr(policy, "in_python", False):
        raise ValueError(f"on_partitions: found {policy}, expected a policy of simlib; simulate the parts one by one")
    labels = pd.Index(np.concatenate([part.jobs.index.to_numpy() for part in parts.values()]))
    of_job = np.repeat(np.arange(len(parts)), [len(part) for part in parts.values()])
    machines = tuple((called, part.procs, part.gpus) for called, part in parts.items())
    divided = Partitioned((policy,) * len(parts), machines, pd.Series(of_job, labels))
    return (divided, *case[1:]) if isinstance(case, tuple) else divided


@dataclass(frozen=True, eq=False, repr=False)
class Partitioned:
    """A policy that runs another policy in each partition separately; `on_partitions` makes it."""

    policies: tuple[Policy, ...]
    machines: tuple[tuple[str, int, int], ...]
    of_job: pd.Series

    def __repr__(self) -> str:
        return f"{self.policies[0]} in each of {', '.join(called for called, *_ in self.machines)}"

    def prepare(self, jobs: pd.DataFrame) -> "_Placed":
        """Find the jobs of each part, and prepare the policies for them."""
        labels = self.of_job.index
        if not np.isin(jobs.index.to_numpy(), labels.to_numpy()).all():
            raise ValueError(f"{self}: found jobs of another log, expected those of the partitions")
        part = self.of_job.to_numpy()[places(labels, jobs.index)]
        of_parts = [np.flatnonzero(part == number) for number in range(len(self.machines))]
        prepared = [
            policy.prepare(jobs.iloc[place]) if hasattr(policy, "prepare") else policy
            for policy, place in zip(self.policies, of_parts, strict=True)
        ]
        return _Placed(replace(self, policies=tuple(prepared)), of_parts)

    def schedule(self, *jobs: Any, gpus: Any = None) -> dict[str, np.ndarray]:
        """Refuse to schedule jobs without their parts."""
        raise ValueError(f"{self}: found no jobs table, expected prepare(jobs) first")


@dataclass(frozen=True, eq=False)
class _Placed:
    """Policies prepared for the jobs of each part, and the places of these jobs among all."""

    of: Partitioned
    places: list[Ints]

    def prepare(self, jobs: pd.DataFrame) -> "_Placed":
        """Find the jobs again in a table of another order."""
        return self.of.prepare(jobs)

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        procs: Ints,
        machine: int,
        progress_and_stop: Ints | None = None,
        gpus: tuple[Ints, int] | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule each part on its machine, and join the results."""
        total = sum(size for _, size, _ in self.of.machines)
        if machine != total:
            raise ValueError(
                f"{self.of}: found a machine of {machine:,} processors, expected {total:,}, the sum of the partitions: "
                "another machine needs partitions of other sizes"
            )
        columns: list[tuple[Ints, dict[str, np.ndarray]]] = []
        for place, policy, (_, size, of_gpus) in zip(self.places, self.of.policies, self.of.machines, strict=True):
            if not len(place):
                continue
            given = (np.ascontiguousarray(column[place]) for column in (submit, run, estimate, procs))
            options: Any = {} if gpus is None or not of_gpus else {"gpus": (gpus[0][place], of_gpus)}
            scheduled: Any = policy.schedule
            columns.append((place, scheduled(*given, size, progress_and_stop=progress_and_stop, **options)))
        of_all: dict[str, np.ndarray] = {} if columns else {"start": submit}  # of no job
        for name in (
            name for name in (columns[0][1] if columns else ()) if all(name in of_part for _, of_part in columns)
        ):
            of_all[name] = np.empty(len(submit), columns[0][1][name].dtype)
            for place, of_part in columns:
                of_all[name][place] = of_part[name]
        return of_all
