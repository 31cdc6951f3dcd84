"""Tang, Desai, Buettner & Lan, JPDC 2013: the logs that stand in for its trace; a module for each group of exhibits."""

import tomllib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ... import archive, paths
from ...models import twin
from ...stats import Interval
from ...workload import Workload
from .. import judging, log
from ..results import AS_IT_IS

STAND_INS = ("SDSC-SP2", "SDSC-DS")
DOUBLE, TRIPLE = "user+project", "user+project+estimate"
KEY_NAMES = {"project": "project", "user": "user", DOUBLE: "double key", TRIPLE: "triple key"}
"""The paper's names of the keys."""


@dataclass(frozen=True)
class Trace:
    """A log that stands in for the paper's: its `name` in the catalogue, and its column taken as the `project`."""

    name: str
    workload: Workload
    project: str

    @cached_property
    def ends(self):
        """When each job ended in the log's own times, in seconds."""
        return self.workload.ends

    @property
    def t_act(self):
        """Run times, in seconds, cut at the requested time: "for simplicity", R is 1 at most (section 3.2)."""
        jobs = self.workload.jobs
        return np.minimum(jobs.run, jobs.estimate)


def settings():
    """The rows of `data/published/tang2013_logs.toml`: which jobs of which logs, and what is their project."""
    return tomllib.loads((paths.DATA / "published" / "tang2013_logs.toml").read_text(encoding="utf-8"))["trace"]


def traces(names=STAND_INS):
    """Load the logs that stand in for the paper's, one name of `settings` or several, each in its best variant.

    Returns
    -------
    here : list of Trace
        Those on this machine; synthetic twins of all where none is.
    missing : list of str
        The names of those that are not on this machine.

    Raises
    ------
    ValueError
        For a log that has no setting.
    """
    names = [names] if isinstance(names, str) else list(names)
    known = {setting["log"]: setting for setting in settings()}
    if unknown := set(names) - set(known):
        raise ValueError(f"traces: found {', '.join(sorted(unknown))}, expected names out of {', '.join(known)}")
    variants = {name: [each for each in known[name]["variants"] if archive.find(name, each)] for name in names}
    missing = [name for name in names if not variants[name]]
    here = []
    for name in names if len(missing) == len(names) else [name for name in names if name not in missing]:
        workload = log(name, variants[name][0]) if variants[name] else twin.workload(name)
        here.append(Trace(name, workload.select(known[name]["jobs"]), known[name]["project"]))
    return here, missing


def about(here):
    """Say what stands in for the paper's trace, in sentences."""
    lines = [f"In place of the paper's log, which was never published: {', '.join(trace.name for trace in here)}"]
    for trace in here:
        if trace.project != "group":
            lines.append(f"{trace.name}: has no projects; the {trace.project} takes the project's place")
        if trace.workload.stand_in:
            lines.append(f"{trace.name}: a synthetic twin, made up; it proves nothing about the paper")
    return "\n".join(lines)


# The printed numbers


def printed(*exhibits):
    """Read the paper's numbers of some exhibits, such as "table1" or "fig2": a Series by quantity."""
    numbers = judging.published("tang2013_numbers")
    return numbers[numbers.exhibit.isin(exhibits)].set_index("quantity").value


def unjudged(of):
    """Say for a record's cell that no log is the paper's: options of `judging.cell`."""
    note = "the paper's machine, in other months" if of["trace"] == "ANL-Intrepid" else ""
    return {"same_log": False, "note": note}


# Spread: replication 0 has the jobs as they are, 1, 2, ... are resamples


def spread(values):
    """Tell a number, a Series by replication, and its Interval over the resamples."""
    return values[AS_IT_IS], Interval.of(values.drop(AS_IT_IS))


def said(value, interval, form="{:.2f}", factor=1):
    """Write a number with its 95 % interval, such as "0.32 (0.28 to 0.35)"."""
    value, low, high = (form.format(factor * each) for each in (value, interval.low, interval.high))
    return f"{value} ({low} to {high})"


# Verdicts


def decide(id, by_log):
    """Make the verdict on a claim from what holds on each log: reproduced if all, not if nothing, in part otherwise.

    `by_log` has by name of the log a list of bool, whether each part of the claim holds, and text with the numbers.
    """
    parts = [part for parts, _ in by_log.values() for part in parts]
    return judging.decide(id, parts, "; ".join(f"{name}: {text}" for name, (_, text) in by_log.items()))
