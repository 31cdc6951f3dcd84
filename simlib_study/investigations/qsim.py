"""Tang's own simulator, Qsim, rule by rule: a policy, logs as it would read them, and what each rule changes.

Its source is public: github.com/wtangiit/Qsim, here at commit 1d6bbf9. The notebook has file and line of each rule, and
what is assumed: aligned blocks of powers of two and the whole machine, no conflicts over wiring, ties by place and by
arrival, where Python 2's dictionaries decide.
"""

from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from simlib.policies import adjusting
from simlib.policies.adjusting import Adjustment
from simlib.policies.easy import EASY

from ..tang2013 import beyond, figures14_17, scheduling
from .kernel_variants import qsim as kernel
from .kernel_variants.qsim import Rules

QSIM, TEXT = Rules(), Rules(*[False] * len(Rules._fields))
"""All rules; and none, the study's EASY on the log as it is."""


@dataclass(frozen=True, repr=False)
class Qsim(EASY):
    """Schedule by Qsim's rules, or some of them; an EASY of which `order` ("wfp" or "fcfs") and `adjust` are kept."""

    rules: Rules = QSIM
    asked: np.ndarray | None = field(default=None, repr=False, compare=False)

    def __post_init__(self):
        super().__post_init__()
        for setting in fields(EASY):
            given, kept = getattr(self, setting.name), setting.name in ("order", "adjust", "known", "few")
            if not kept and given != setting.default:
                raise ValueError(f"Qsim: found {setting.name}={given!r}, expected it left as it is: Qsim has none")
        if self.order not in ("wfp", "fcfs"):
            raise ValueError(f"Qsim: found order={self.order!r}, expected 'wfp' or 'fcfs'")

    def prepare(self, jobs):
        """Give the policy for these jobs: with their estimates as they are, where these stand."""
        prepared = super().prepare(jobs)
        return replace(prepared, asked=jobs.estimate.to_numpy(np.int64)) if self.rules.overruns else prepared

    def _run(self, given, facts, **gpus):
        submit, run, estimate, size, machine, *others = given
        estimate = estimate if self.asked is None else self.asked
        if gpus:
            raise ValueError(
                "Qsim: found jobs that need GPUs, of which it knows nothing; expected workload.without_gpus()"
            )
        estimating = self._estimating()
        if "predicting" in estimating:
            raise ValueError(f"Qsim: found adjust={self.adjust!r}, expected an Adjustment")
        jobs = submit, run, estimate.copy(), size  # estimates are cut to minutes
        blocks = kernel.blocks_of(machine if self.rules.partitions else 1)
        how = self.order == "wfp", self.rules, blocks, estimating.get("adjusting")
        start, backfilled, t_sched = kernel.qsim(*jobs, machine, *others, *how)
        return {"start": start, "backfilled": backfilled} | ({} if self.adjust is None else {"adjusted": t_sched})


# Logs as Qsim reads them


def as_read(trace, rules=QSIM):
    """Take a trace as Qsim reads it: long runs cut, jobs of the whole machine or of no length dropped, on blocks."""
    w = trace.workload
    if rules.cut:  # a run of more than 1.1 times the walltime is the walltime (bqsim.py:362)
        run = w.jobs.run.where(w.jobs.run <= 1.1 * w.jobs.estimate.clip(lower=1), w.jobs.estimate)
        w = w.derive(w.jobs.assign(run=run), "long runs cut")
    if rules.drop:
        w = w.derive(w.jobs[(w.jobs.procs < w.procs) & (w.jobs.run > 0)], "jobs dropped")
    read = replace(trace, workload=w)
    return on_blocks(read) if rules.blocks else read


def on_blocks(trace, blocks=80):
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


def cases(trace, rules, percentiles=scheduling.PERCENTILES):
    """Make the cases of Figures 14 to 17 for a program, a policy each; of the percentiles one can be PERFECT."""
    policy = Qsim(rules=rules)
    before = {p: _adjusted(trace, p, rules.overruns) for p in percentiles if rules.beforehand or p == PERFECT}
    made = {scheduling.BASELINE: policy}
    for (strategy, running), p in product(scheduling.STRATEGIES.items(), percentiles):
        if p in before:
            adjust = beyond.Predicted(running=running, predicted=before[p])
        else:
            adjust = Adjustment(scheduling.scheme(trace, p), running=running)
        made[f"{strategy} {p}" if p == PERFECT else f"{strategy} p{p:g}"] = replace(policy, adjust=adjust)
    return made


def _adjusted(trace, percentile, overruns):
    """Adjust estimates beforehand, by the log's own ends; or take the run times themselves."""
    jobs = trace.workload.jobs
    raised = np.maximum(jobs.estimate, jobs.run)
    asked, known = jobs.estimate if overruns else raised, jobs.run
    if percentile != PERFECT:
        known = adjusting.adjusted(
            jobs.assign(estimate=asked), trace.ends, scheduling.scheme(trace, percentile)
        ).t_sched
    return known * (raised / asked.clip(lower=1))  # for `Predicted` takes it as a share of what is raised


def runs(traces, programs, percentiles=scheduling.PERCENTILES, **settings):
    """Simulate the months of logs by each program, its rules by name: as `scheduling.runs`, by program first."""
    found = {}
    for name, rules in programs.items():
        read = [as_read(trace, rules) for trace in traces]
        found[name] = scheduling.runs(read, partial(cases, rules=rules, percentiles=percentiles), **settings)
    return pd.concat(found, names=["program"])


def gained(found):
    """Work out the gains of each program from `runs`, by name: as `scheduling.gains`."""
    return {name: scheduling.gains(found.xs(name, level="program")) for name in found.index.unique("program")}


def halves(found):
    """Make months like those of logs with few months, from `runs`: by program as `scheduling.months_of_halves`."""
    programs = found.index.unique("program")
    return {name: scheduling.months_of_halves(found.xs(name, level="program")) for name in programs}


def added(gains, without):
    """Work out what rules add to gains: those of Qsim less those without each rule, from `gained`, by its words."""
    return {RULES[name]: gains.reindex(of.index) - of for name, of in without.items()}


def averages(of_programs, halves=None):
    """Average gains, or differences of gains, over the months: `scheduling.averages` by program first."""
    made = halves or {}
    found = {name: scheduling.averages(of, made.get(name)) for name, of in of_programs.items()}
    return pd.concat(found, names=["program"])


def points(added, metric):
    """Write what rules add to gains in a metric in points of a per cent, with a star where months like these agree."""
    part = added.xs(metric, level="metric")
    clear = (part.months_low > 0) | (part.months_high < 0)
    written = (100 * part.ours).map("{:+.1f}".format) + clear.map({True: " *", False: ""})
    return written.unstack(["log", "order", "case"], sort=False)


def verdicts(of_programs, logs, halves=None):
    """Tell what each program decides on the claims of Figures 14 to 17: a table by claim, one column per program."""
    made = halves or {}
    decided = {
        program: {id: figures14_17.claim(id, of, logs, made.get(program))["verdict"] for id in figures14_17.CLAIMS}
        for program, of in of_programs.items()
    }
    return pd.DataFrame(decided).rename_axis("claim")


def levels(found):
    """Average the baseline's wait over months and shakes: a table by (log, order), one column per program."""
    base = found.xs(("wait", scheduling.BASELINE), level=("metric", "case"))
    return base.groupby(["log", "order", "program"], sort=False).mean().unstack("program", sort=False)
