"""Tang's own simulator, Qsim, rule by rule: a policy, logs as it would read them, and what each rule changes.

Its source is public: github.com/wtangiit/Qsim, here at commit 1d6bbf9. The notebook has file and line of each rule, and
what is assumed: ties by place and by arrival, where Python 2's dictionaries decide; and where a machine's own blocks
are not given, aligned ones of powers of two and the whole machine, without conflicts over wiring.
"""

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from simlib._util import paths
from simlib._util.arrays import Ints
from simlib.engine.ranking import Facts
from simlib.policies import adjusting
from simlib.policies.adjusting import Adjustment
from simlib.policies.easy import EASY, Given

from ..loading import Logs
from ..tang2013 import Trace, beyond, figures14_17, scheduling
from . import qsim_kernel as kernel
from .qsim_kernel import Rules

QSIM, TEXT = Rules(), Rules(*[False] * len(Rules._fields))
"""All rules; and none, the study's EASY on the log as it is."""


MIDPLANE = 512
"""Nodes of the smallest block, on Intrepid and on Mira."""


class Layout(NamedTuple):
    """The blocks of a machine, the smallest first: the units of each, of so many nodes, and pairs that share a wire."""

    blocks: tuple[Collection[int], ...]
    wires: tuple[tuple[int, int], ...] = ()
    unit: int = MIDPLANE


@dataclass(frozen=True, repr=False)
class Qsim(EASY):
    """Schedule by Qsim's rules, or some of them; an EASY of which `order` ("wfp" or "fcfs") and `adjust` are kept."""

    rules: Rules = QSIM
    layout: Layout | None = None
    asked: Ints | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for setting in fields(EASY):
            given, kept = getattr(self, setting.name), setting.name in ("order", "adjust", "known", "few")
            if not kept and given != setting.default:
                raise ValueError(f"Qsim: found {setting.name}={given!r}, expected it left as it is: Qsim has none")
        if self.order not in ("wfp", "fcfs"):
            raise ValueError(f"Qsim: found order={self.order!r}, expected 'wfp' or 'fcfs'")

    def prepare(self, jobs: pd.DataFrame) -> Self:
        """Give the policy for these jobs: with their estimates as they are, where these stand."""
        prepared = super().prepare(jobs)
        return replace(prepared, asked=jobs.estimate.to_numpy(np.int64)) if self.rules.overruns else prepared

    def _run(self, given: Given, facts: Facts | None, **gpus: Any) -> dict[str, np.ndarray]:
        submit, run, estimate, size, machine, preceding, _, progress_and_stop = given
        estimate = estimate if self.asked is None else self.asked
        if gpus:
            raise ValueError(
                "Qsim: found jobs that need GPUs, of which it knows nothing; expected workload.without_gpus()"
            )
        estimating = self._estimating()
        if "predicting" in estimating:
            raise ValueError(f"Qsim: found adjust={self.adjust!r}, expected an Adjustment")
        if preceding.size:
            raise ValueError("Qsim: found jobs that follow others, which it does not know; expected feedback=False")
        jobs = submit, run, estimate.copy(), size  # estimates are cut to minutes
        layout = self.layout or Layout(kernel.aligned(machine if self.rules.partitions else 1, size.min()))
        if self.rules.partitions and size.max() > (largest := max(map(len, layout.blocks))):
            raise ValueError(
                f"Qsim: found a job of {size.max()} processors, expected at most {largest}, the largest block's"
            )
        how = self.order == "wfp", self.rules, kernel.lay_out(layout.blocks, layout.wires), estimating.get("adjusting")
        start, backfilled, t_sched = kernel.qsim(*jobs, machine, progress_and_stop, *how)
        return {"start": start, "backfilled": backfilled} | ({} if self.adjust is None else {"adjusted": t_sched})


# Logs as Qsim reads them


def as_read(trace: Trace, rules: Rules = QSIM, layout: Layout | None = None) -> Trace:
    """Take a trace as Qsim reads it: long runs cut, jobs of the whole machine or of no length dropped, on blocks.

    Where a log has a field for run times, runs are not cut, and jobs of no length stay (bqsim.py:356).
    """
    w = trace.workload
    if rules.cut and not rules.run_times:  # a run of more than 1.1 times the walltime is the walltime (bqsim.py:362)
        run = w.jobs.run.where(w.jobs.run <= 1.1 * w.jobs.estimate.clip(lower=1), w.jobs.estimate)
        w = w.derive(w.jobs.assign(run=run), "long runs cut")
    if rules.drop:
        w = w.derive(w.jobs[(w.jobs.procs < w.procs) & ((w.jobs.run > 0) | rules.run_times)], "jobs dropped")
    read = replace(trace, workload=w)
    if rules.blocks:
        return on_midplanes(read, layout) if layout else on_blocks(read)
    return read


def on_blocks(trace: Trace, blocks: int = 80) -> Trace:
    """Put a log on a machine of so many blocks or more: jobs rounded up to one, the machine enlarged by as much.

    Intrepid has 80 midplanes, its smallest blocks (bqsim.py:43).
    """
    machine, jobs = trace.workload.procs, trace.workload.jobs
    smallest = 2 ** int(np.log2(machine / blocks))
    rounded = 2 ** np.ceil(np.log2(np.ceil(jobs.procs / smallest))).astype(np.int64)
    grown = (rounded * smallest * jobs.run).sum() / (jobs.procs * jobs.run).sum()
    enlarged = round(machine / smallest * grown)
    derived = trace.workload.derive(jobs.assign(procs=rounded.clip(upper=enlarged)), f"blocks of {smallest} processors")
    return replace(trace, workload=derived.with_procs(enlarged))


def on_midplanes(trace: Trace, layout: Layout) -> Trace:
    """Put a log of nodes on a Blue Gene's own blocks: jobs in units, rounded up to a block of it.

    Jobs below the smallest block take one; the few that are larger than the machine are left out. On a smaller machine
    the times between submissions are stretched by as much, so that the load is the same.
    """
    sizes, unit = np.unique([len(block) for block in layout.blocks]), layout.unit * trace.per_node
    jobs, machine = trace.workload.jobs, trace.workload.procs
    kind = np.searchsorted(sizes, np.ceil(jobs.procs / unit))
    fits = kind < sizes.size
    stretched = jobs.submit * machine // (unit * sizes[-1])
    rounded = jobs[fits].assign(procs=sizes[kind[fits]], submit=stretched[fits])
    derived = trace.workload.derive(rounded, f"blocks of {layout.unit} nodes").with_procs(int(sizes[-1]))
    return replace(trace, workload=derived)


def shared(layout: Layout, midplanes: Iterable[int], unit: int = 64) -> Layout:
    """Let small jobs share midplanes: add blocks of 64, 128 and 256 nodes inside some of them."""
    parts, midplanes = MIDPLANE // unit, list(midplanes)
    sizes = [2**i for i in range(parts.bit_length() - 1)]
    places = [(of, parts * one + at) for of in sizes for one in midplanes for at in range(0, parts, of)]
    small = [frozenset(range(begin, begin + of)) for of, begin in places]
    whole = [frozenset(parts * one + at for one in block for at in range(parts)) for block in layout.blocks]
    wires = [(one + len(small), other + len(small)) for one, other in layout.wires]
    return Layout((*small, *whole), tuple(wires), unit)


@cache
def intrepid() -> Layout:
    """Read Intrepid's own 227 blocks of its 80 midplanes (`data/blocks/README.md`)."""
    with open(paths.DATA / "blocks" / "intrepid.csv", encoding="utf-8", newline="") as file:
        rows = {row["block"]: row["midplanes"].split() for row in csv.DictReader(file)}
    with open(paths.DATA / "blocks" / "intrepid-wires.csv", encoding="utf-8", newline="") as file:
        pairs = [(row["block"], row["other"]) for row in csv.DictReader(file)]
    midplanes = {name: place for place, name in enumerate(sorted(set().union(*rows.values())))}
    names = sorted(rows, key=lambda name: (len(rows[name]), name))
    places = {name: place for place, name in enumerate(names)}
    blocks = tuple(frozenset(midplanes[one] for one in rows[name]) for name in names)
    return Layout(blocks, tuple((places[one], places[other]) for one, other in pairs))


@cache
def mira() -> Layout:
    """Lay out blocks of Mira's 96 midplanes, of the sizes that Argonne lists; the three rows of 32 are assumed."""
    rows = (0, 32, 64)
    within = [range(row + at, row + at + of) for of in (1, 2, 4, 8, 16, 24, 32) for row in rows for at in _places(of)]
    over = [range(0, 48), range(48, 96), range(0, 64), range(32, 96), range(0, 96)]
    return Layout(tuple(sorted(map(frozenset, [*within, *over]), key=len)))


def _places(midplanes: int) -> range:
    """Where blocks of so many midplanes begin in a row."""
    return range(0, 32 - midplanes + 1, midplanes)


# Programs: each some of the rules


RULES = {
    "partitions": "partitions, not any processors",
    "all_drain": "each blocked job drains, not only the first",
    "inner_blocks": "inside a running one: free in five minutes",
    "least_blocking": "least blocking place, not the first",
    "backfill_last": "backfilling last, not in turn",
    "five_minutes": "busy for five minutes at least",
    "whole_minutes": "whole minutes",
    "single_events": "one event at a time",
    "overruns": "walltimes stand, not raised to the run",
    "beforehand": "adjusted beforehand, not in the simulation",
    "cut": "long runs cut",
    "drop": "jobs dropped",
}
"""What is switched off alone, in words; `each_start` changes nothing on partitions."""

PERFECT = "perfect"


class Program(NamedTuple):
    """Rules, on a machine with a layout, or one for each log by name; without it on aligned blocks."""

    rules: Rules
    layout: Layout | Mapping[str, Layout] | None = None

    def on(self, log: str) -> Layout | None:
        """Give the layout of a log's machine, if there is one."""
        return self.layout.get(log) if isinstance(self.layout, Mapping) else self.layout


def cases(trace: Trace, program: Program, percentiles: Sequence[Any] = scheduling.PERCENTILES) -> dict[str, EASY]:
    """Make the cases of Figures 14 to 17 for a program, a policy each; of the percentiles one can be PERFECT."""
    rules = program.rules
    policy = Qsim(rules=rules, layout=program.on(trace.name) if rules.partitions else None)
    before = {p: _adjusted(trace, p, rules.overruns) for p in percentiles if rules.beforehand or p == PERFECT}
    made: dict[str, EASY] = {scheduling.BASELINE: policy}
    for (strategy, running), p in product(scheduling.STRATEGIES.items(), percentiles):
        adjust: Adjustment
        if p in before:
            adjust = beyond.Predicted(running=running, predicted=before[p])
        else:
            adjust = Adjustment(scheduling.scheme(trace, p), running=running)
        made[f"{strategy} {p}" if p == PERFECT else f"{strategy} p{p:g}"] = replace(policy, adjust=adjust)
    return made


def _adjusted(trace: Trace, percentile: Any, overruns: bool) -> pd.Series:
    """Adjust estimates beforehand, by the log's own ends; or take the run times themselves."""
    jobs: Any = trace.workload.jobs
    raised = np.maximum(jobs.estimate, jobs.run)
    asked, known = jobs.estimate if overruns else raised, jobs.run
    if percentile != PERFECT:
        known = adjusting.adjusted(
            jobs.assign(estimate=asked), trace.ends, scheduling.scheme(trace, percentile)
        ).t_sched
    return known * (raised / asked.clip(lower=1))  # for `Predicted` takes it as a share of what is raised


def runs(
    traces: Sequence[Trace],
    programs: Mapping[str, Rules | Program],
    percentiles: Sequence[Any] = scheduling.PERCENTILES,
    **settings: Any,
) -> pd.Series:
    """Simulate the months of logs by each program, its rules by name: as `scheduling.runs`, by program first."""
    of_programs = {}
    for name, program in programs.items():
        program = program if isinstance(program, Program) else Program(program)
        read = [as_read(trace, program.rules, program.on(trace.name)) for trace in traces]
        of_programs[name] = scheduling.runs(read, partial(cases, program=program, percentiles=percentiles), **settings)
    return pd.concat(of_programs, names=["program"])


def gained(runs: pd.Series) -> dict[str, pd.Series]:
    """Work out the gains of each program from `runs`, by name: as `scheduling.gains`."""
    return {name: scheduling.gains(runs.xs(name, level="program")) for name in runs.index.unique("program")}


def halves(runs: pd.Series) -> dict[str, Any]:
    """Make months like those of logs with few months, from `runs`: by program as `scheduling.months_of_halves`."""
    programs = runs.index.unique("program")
    return {name: scheduling.months_of_halves(runs.xs(name, level="program")) for name in programs}


def added(gains: pd.Series, without: Mapping[str, pd.Series]) -> dict[str, pd.Series]:
    """Work out what rules add to gains: those of Qsim less those without each rule, from `gained`, by its words."""
    return {RULES[name]: gains.reindex(of.index) - of for name, of in without.items()}


def averages(of_programs: Mapping[str, pd.Series], halves: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Average gains, or differences of gains, over the months: `scheduling.averages` by program first."""
    made = halves or {}
    found = {name: scheduling.averages(of, made.get(name)) for name, of in of_programs.items()}
    return pd.concat(found, names=["program"])


def points(added: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Write what rules add to gains in a metric in points of a per cent, with a star where months like these agree."""
    part = added.xs(metric, level="metric")
    clear = (part.months_low > 0) | (part.months_high < 0)
    written = (100 * part.ours).map("{:+.1f}".format) + clear.map({True: " *", False: ""})
    return written.unstack(["log", "order", "case"], sort=False)


def verdicts(of_programs: Mapping[str, pd.Series], logs: Logs, halves: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Tell what each program decides on the claims of Figures 14 to 17: a table by claim, one column per program."""
    made = halves or {}
    decided = {
        program: {id: figures14_17.claim(id, of, logs, made.get(program))["verdict"] for id in figures14_17.CLAIMS}
        for program, of in of_programs.items()
    }
    return pd.DataFrame(decided).rename_axis("claim")


def levels(runs: pd.Series) -> pd.DataFrame:
    """Average the baseline's wait over months and shakes: a table by (log, order), one column per program."""
    base: Any = runs.xs(("wait", scheduling.BASELINE), level=("metric", "case"))
    return base.groupby(["log", "order", "program"], sort=False).mean().unstack("program", sort=False)
