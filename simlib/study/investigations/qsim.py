"""Tang's own simulator, Qsim, rule by rule: a policy, logs as it would read them, and what each rule changes.

Its source is public: github.com/wtangiit/Qsim, here at commit 1d6bbf9 of 7 July 2011, "after walltime prediction
simulation", a week after the paper's log ends. RULES names file and line of each rule. Four days later, 8ce400b, the
switch for running jobs lost its effect there, so that regular adjustment would be selective (bgsched.py:873 of today).

Known from the source are the rules. Known too is that blocks begin at multiples of their size, from a midplane of 512
nodes up to the whole machine: so the only configuration that comes with it, two racks (misc/partitions.xml), and the
picture of 5 x 8 racks x 2 midplanes (bqsim.py:1666-1680). The file with Intrepid's own partitions is not there, nor in
the later Cobalt (github.com/ido/cobalt, 45b9961). *Assumed* are therefore: contiguous blocks of powers of two and the
whole machine, without those of 24,576 nodes, and no conflicts over wiring; ties between blocks, and between jobs of
equal priority, by place and by arrival, where Python 2's dictionaries decide.
"""

from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np
import pandas as pd

from ...core.schedule import simulate
from ...policies import walltime
from ...policies.easy import EASY
from ..tang2013 import beyond, scheduling
from .kernel_variants import qsim as kernel
from .kernel_variants.qsim import Rules

ALL, NONE = Rules(), Rules(*[False] * len(Rules._fields))
"""Qsim, and the study's EASY."""


@dataclass(frozen=True, repr=False)
class Qsim(EASY):
    """Schedule by Qsim's rules, or some of them; an EASY of which `order` ("wfp" or "fcfs") and `adjust` are kept."""

    rules: Rules = ALL

    def __post_init__(self):
        super().__post_init__()
        for setting in fields(EASY):
            given, kept = getattr(self, setting.name), setting.name in ("order", "adjust", "known")
            if not kept and given != setting.default:
                raise ValueError(f"Qsim: found {setting.name}={given!r}, expected it left as it is: Qsim has none")
        if self.order not in ("wfp", "fcfs"):
            raise ValueError(f"Qsim: found order={self.order!r}, expected 'wfp' or 'fcfs'")

    def _run(self, given, facts):
        submit, run, estimate, *others = given
        adjusting, predicting = self._estimating()
        if predicting is not None:
            raise ValueError(f"Qsim: found adjust={self.adjust!r}, expected an Adjustment")
        times = submit, run, estimate.copy()  # which are cut to minutes
        start, backfilled, t_sched = kernel.qsim(*times, *others, self.order == "wfp", self.rules, adjusting)
        return {"start": start, "backfilled": backfilled} | ({} if self.adjust is None else {"adjusted": t_sched})


# Logs as Qsim reads them


OVER = 1.1
"""How many times its walltime a job may have run; else its run time is the walltime (bqsim.py:362)."""

BLOCKS = 80
"""Intrepid's midplanes, the smallest blocks (bqsim.py:43)."""


def as_read(trace, cut=True, drop=True):
    """Take a trace as Qsim reads it: run times cut that exceed the walltime by a tenth, jobs dropped that it drops.

    These are the jobs of the whole machine and those without a run time.
    """
    jobs, steps = trace.workload.jobs, []
    if cut:
        jobs = jobs.assign(run=jobs.run.where(jobs.run <= OVER * jobs.estimate.clip(lower=1), jobs.estimate))
        steps.append("long runs cut")
    if drop:
        jobs = jobs[(jobs.procs < trace.workload.procs) & (jobs.run > 0)]
        steps.append("jobs dropped")
    return replace(trace, workload=trace.workload.derive(jobs, ", ".join(steps))) if steps else trace


def on_blocks(trace, blocks=BLOCKS):
    """Put a log on a machine of blocks: one processor is the smallest block.

    The machine is divided into `blocks` of a power of two processors, or somewhat more. Users of these logs asked for
    any number of processors, where Intrepid's asked for partitions; so each job is rounded up to a block that there
    is, and the machine enlarged by as much as the work grows: the load stays what it was.
    """
    machine, jobs = trace.workload.procs, trace.workload.jobs
    smallest = 2 ** int(np.log2(machine / blocks))
    rounded = 2 ** np.ceil(np.log2(np.ceil(jobs.procs / smallest))).astype(np.int64)
    grown = (rounded * smallest * jobs.run).sum() / (jobs.procs * jobs.run).sum()
    enlarged = round(machine / smallest * grown)
    derived = trace.workload.derive(jobs.assign(procs=rounded.clip(upper=enlarged)), f"blocks of {smallest} processors")
    return replace(trace, workload=derived.with_procs(enlarged))


def sizes(traces):
    """Tell how logs fit on blocks: how many there are, how much more work that is, and which jobs Qsim drops or cuts."""
    rows = {}
    for trace in traces:
        jobs, read = trace.workload.jobs, as_read(trace)
        made, machine = on_blocks(read), trace.workload.procs
        smallest = 2 ** int(np.log2(machine / BLOCKS))
        rows[trace.name] = {
            "processors": machine,
            "in a block": smallest,
            "blocks": made.workload.procs,
            "more work": made.workload.procs * smallest / machine - 1,
            "dropped": len(jobs) - len(read.workload),
            "cut": int((jobs.run > OVER * jobs.estimate.clip(lower=1)).sum()),
            "powers of two": float((jobs.procs & (jobs.procs - 1) == 0).mean()),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


# Cases and gains


def beforehand(trace, adjusted=None, running=True, percentile=85, perfect=False):
    """Adjust estimates as Qsim has them: made before the simulation, by the log's own ends, and read with the log."""
    jobs = trace.workload.jobs
    if perfect:
        return beyond.Predicted(running=running, predicted=jobs.run)
    if adjusted is None:
        adjusted = walltime.adjusted(jobs, trace.ends, scheduling.scheme(trace, percentile))
    return beyond.Predicted(running=running, predicted=adjusted.t_sched)
