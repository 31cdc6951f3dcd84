"""Simulate the partitions of a log as separate machines in one run, with results for each part and in total.

A log does not say which nodes a partition has, nor whether partitions share nodes: you can tell `partitions`. Where all
together would be larger than the machine, some must share nodes, and are one machine.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.arrays import Ints
from simlib.analysis.cases import Case, policy_of
from simlib.analysis.replicate import places
from simlib.core.schedule import Policy, is_own
from simlib.core.workload import Workload
from simlib.logs import sacct

from .what_if import on_machine

SHARED = (
    "Whether partitions share nodes is not in a log: each partition is a machine of its own here, unless it is told "
    "which of them are one machine, or all together would be larger than the machine."
)
"""What a reader has to know."""

_MARGIN = 1.05
"""Estimated sizes may be larger than the machine together by this factor before partitions are taken to share nodes."""

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
        time by the log's own times, or the size of its largest job (`simlib.logs.sacct.in_use`). If these numbers add
        up to 5 % more than is left of the machine, the two partitions that were most in use at different times become
        one machine, and so on, until they fit: they must share nodes.

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
    told = {called: _machine(workload, log, called, *about) for called, about in machines.items()}
    rest = {names.get(number, str(number)): [number] for number in there if number not in named}
    return told | _fitting(workload, log, rest, workload.procs - sum(part.procs for part in told.values()))


def _fitting(workload: Workload, log: pd.DataFrame, numbers: dict[str, list[int]], most: int) -> dict[str, Workload]:
    """Machines of partitions by their own use; while they are larger than `most` together, two become one."""
    parts = {called: _machine(workload, log, called, own, None) for called, own in numbers.items()}
    while sum(part.procs for part in parts.values()) > _MARGIN * most and len(parts) > 1:
        joined = [(one, other) for place, one in enumerate(parts) for other in list(parts)[place + 1 :]]
        both = {
            pair: _machine(workload, log, "+".join(pair), [*numbers[pair[0]], *numbers[pair[1]]], None)
            for pair in joined
        }
        saved = {pair: parts[pair[0]].procs + parts[pair[1]].procs - part.procs for pair, part in both.items()}
        best = max(saved, key=saved.__getitem__)
        if saved[best] <= 0:
            break
        numbers = {"+".join(best): [*numbers[best[0]], *numbers[best[1]]]} | numbers
        parts = {"+".join(best): both[best]} | parts
        for one in best:
            del parts[one], numbers[one]
    return parts


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
    kept = _labels(parts)
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
    policy, changes = policy_of(case), list(case[1:]) if isinstance(case, tuple) else []
    if not is_own(policy) or getattr(policy, "in_python", False):
        raise ValueError(f"on_partitions: found {policy}, expected a policy of simlib; simulate the parts one by one")
    for place, change in enumerate(changes):
        if getattr(change, "func", None) is on_machine:
            parts = resized(parts, change.keywords["size"])
            changes[place] = only(parts)
    labels = _labels(parts)
    of_job = np.repeat(np.arange(len(parts)), [len(part) for part in parts.values()])
    machines = tuple((called, part.procs, part.gpus) for called, part in parts.items())
    divided = Partitioned((policy,) * len(parts), machines, pd.Series(of_job, labels))
    return (divided, *changes) if isinstance(case, tuple) else divided


def _labels(parts: Mapping[str, Workload]) -> pd.Index:
    """The labels of the jobs of all parts."""
    return pd.Index(np.concatenate([part.jobs.index.to_numpy() for part in parts.values()]))


def only(parts: Mapping[str, Workload]) -> Callable[[Workload], Workload]:
    """Make the change of a case that leaves the jobs of these parts, on a machine that has all their processors."""
    procs, gpus = (sum(getattr(part, what) for part in parts.values()) for what in ("procs", "gpus"))
    said = f"partitions of {', '.join(f'{part.procs:,}' for part in parts.values())} processors"
    return partial(_only, labels=_labels(parts), procs=procs, gpus=gpus, said=said)


def _only(workload: Workload, labels: pd.Index, procs: int, gpus: int, said: str) -> Workload:
    """Leave some jobs on a machine of another size."""
    return workload.derive(workload.jobs[workload.jobs.index.isin(labels)], said).with_procs(procs, gpus)


def resized(parts: Mapping[str, Workload], size: str) -> dict[str, Workload]:
    """Change the sizes of all partitions in proportion, so that together they have a size such as "+20%" or "512".

    Jobs that are larger than their partition then do not take part.

    Examples
    --------
    >>> from simlib import Workload
    >>> parts = {"a": Workload.of("a", 6, A=(0, 5, 5, 6)), "b": Workload.of("b", 4, B=(0, 5, 5, 1))}
    >>> [part.procs for part in resized(parts, "+20%").values()], [len(part) for part in resized(parts, "5").values()]
    ([7, 5], [0, 1])
    """
    before = np.array([part.procs for part in parts.values()])
    total = on_machine(next(iter(parts.values())).with_procs(int(before.sum())), size).procs
    exact = before * (total / before.sum())
    after = np.floor(exact).astype(int)
    after[np.argsort(after - exact, kind="stable")[: total - after.sum()]] += 1
    return {called: part.with_procs(max(int(n), 1)) for (called, part), n in zip(parts.items(), after, strict=True)}


def _merged(workload: Workload, parts: Mapping[str, Workload], names: str) -> dict[str, Workload]:
    """Make one machine of two or more of the parts, such as "batch+debug"; all others stay as they are."""
    chosen = [name.strip() for name in names.split("+")]
    if unknown := [name for name in chosen if name not in parts] or (["one partition"] if len({*chosen}) < 2 else []):
        raise ValueError(
            f"{workload.name}: merge: found {unknown[0]}, expected two or more of {', '.join(parts)}, as in 'merge a+b'"
        )
    procs, gpus = (sum(getattr(parts[name], what) for name in chosen) for what in ("procs", "gpus"))
    own = np.concatenate([parts[name].jobs.index.to_numpy() for name in chosen])
    one = workload.derive(workload.jobs[workload.jobs.index.isin(own)], f"partitions {', '.join(chosen)}")
    return {"+".join(chosen): one.with_procs(procs, gpus)} | {n: p for n, p in parts.items() if n not in chosen}


def _gpus_apart(workload: Workload) -> dict[str, Workload]:
    """Make two machines of one: the GPUs with as many processors as their jobs used, and the other processors."""
    needs = workload.jobs.gpus > 0 if workload.gpus else np.zeros(len(workload), bool)
    if workload.log is None or not 0 < needs.sum() < len(workload):
        raise ValueError(f"{workload.name}: found {needs.sum()} jobs with GPUs, expected some with and some without")
    procs = sacct.in_use(workload.log.loc[workload.jobs.index[needs]])[0]
    if procs >= workload.procs:
        raise ValueError(
            f"{workload.name}: jobs with GPUs used all {workload.procs:,} processors, expected some others"
        )
    sizes = {"with GPUs": (needs, procs, workload.gpus), "without GPUs": (~needs, workload.procs - procs, 0)}
    return {
        called: workload.derive(workload.jobs[which], f"jobs {called}").with_procs(procs, gpus)
        for called, (which, procs, gpus) in sizes.items()
    }


def divides(text: str) -> bool:
    """Tell whether a what-if divides the machine otherwise: "merge a+b" or "gpus apart"."""
    return text == "gpus apart" or text.startswith("merge ")


def division(text: str, workload: Workload, parts: Mapping[str, Workload], base: Case) -> Case:
    """Make the case of such a what-if; ValueError if the log does not allow it."""
    if text != "gpus apart":
        return on_partitions(base, _merged(workload, parts, text.removeprefix("merge ")))
    if parts:
        raise ValueError(f"{workload.name}: found 'gpus apart' with partitions, expected one machine")
    apart = _gpus_apart(workload)
    case = on_partitions(base, apart)
    return (*case, only(apart)) if isinstance(case, tuple) else (case, only(apart))


@dataclass(frozen=True, eq=False, repr=False)
class Partitioned:
    """A policy that runs another policy in each partition separately; `on_partitions` makes it."""

    policies: tuple[Policy, ...]
    machines: tuple[tuple[str, int, int], ...]
    of_job: pd.Series
    places: tuple[Ints, ...] = ()
    """The places of each part's jobs among all, once it is prepared."""

    def __repr__(self) -> str:
        return f"{self.policies[0]} in each of {', '.join(called for called, *_ in self.machines)}"

    def prepare(self, jobs: pd.DataFrame) -> "Partitioned":
        """Find the jobs of each part, and prepare the policies for them."""
        labels = self.of_job.index
        if not np.isin(jobs.index.to_numpy(), labels.to_numpy()).all():
            raise ValueError(f"{self}: found jobs of another log, expected those of the partitions")
        part = self.of_job.to_numpy()[places(labels, jobs.index)]
        of_parts = tuple(np.flatnonzero(part == number) for number in range(len(self.machines)))
        prepared = tuple(
            policy.prepare(jobs.iloc[place]) if hasattr(policy, "prepare") else policy
            for policy, place in zip(self.policies, of_parts, strict=True)
        )
        return replace(self, policies=prepared, places=of_parts)

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
        total = sum(size for _, size, _ in self.machines)
        if machine != total:
            raise ValueError(
                f"{self}: found a machine of {machine:,} processors, expected {total:,}, the sum of the partitions: "
                "another machine needs partitions of other sizes"
            )
        columns: list[tuple[Ints, dict[str, np.ndarray]]] = []
        for place, policy, (_, size, of_gpus) in zip(self.places, self.policies, self.machines, strict=True):
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
