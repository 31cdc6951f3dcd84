"""Tang, Desai, Buettner & Lan, JPDC 2013: the logs that stand in for its trace; a module for each group of exhibits."""

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from ..._util import paths
from ...core.workload import Workload
from ...logs import archive
from ...report.taking import taken
from .. import log, verdicts
from ..claims import NOTHING, Measure
from ..parameters import some_of
from ..results import AS_IT_IS

STAND_INS = ("CEA-Curie", "Curie standard", "SDSC-SP2", "SDSC-DS")
DOUBLE, TRIPLE = "user+project", "user+project+estimate"
KEY_NAMES = {"project": "project", "user": "user", DOUBLE: "double key", TRIPLE: "triple key"}
"""The paper's names of the keys."""


@dataclass(frozen=True)
class Trace:
    """A log, or a partition of one, that stands in for the paper's; a column of its jobs is taken as the `project`.

    Its `name` is one of `settings`.
    """

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
    """The rows of `data/published/tang2013_logs.toml` by name: which jobs of which logs, and what is their project."""
    rows = tomllib.loads((paths.DATA / "published" / "tang2013_logs.toml").read_text(encoding="utf-8"))["trace"]
    return {row.get("name", row["log"]): row for row in rows}


TRACE = some_of(tuple(settings()))
"""What the parameter `trace` of an exhibit may be."""


def traces(names=STAND_INS):
    """Load the logs that stand in for the paper's, one name of `settings` or several, each in its best variant."""
    names = [names] if isinstance(names, str) else list(names)
    known = settings()
    if unknown := set(names) - set(known):
        raise ValueError(f"traces: found {', '.join(sorted(unknown))}, expected names out of {', '.join(known)}")
    variants = {name: _best_variant(known[name]) for name in names}
    missing = [name for name in names if not variants[name]]
    taken = [name for name in names if variants[name]] or [name for name in names if _has_twin(known[name])]
    if names and not taken:
        raise archive.ArchiveError(
            f"{', '.join(names)}: not on this machine, and without a twin that could stand in; expected the log of "
            f"{', '.join(dict.fromkeys(known[name]['log'] for name in names))} in the folder that SIMLIB_TRACES names"
        )
    # once for all its partitions
    load = cache(lambda of, variant: log(of, variant) if variant else archive.twin_of(of))
    return [_taken(name, known[name], load(known[name]["log"], variants[name])) for name in taken], missing


def _best_variant(setting):
    """The best variant of a log that is on this machine; None where there is none."""
    return next((each for each in setting["variants"] if archive.find(setting["log"], each)), None)


def _has_twin(setting):
    """Tell whether a twin can stand in: one has no partitions, and not every log has one."""
    return "partition" not in setting and archive.has_twin(setting["log"])


def _taken(name, setting, workload):
    """Take what a setting says of a log."""
    workload = workload.select(setting["jobs"])
    if "partition" in setting:
        workload = workload.partition(setting["partition"], procs=setting["procs"])
    return Trace(name, workload, setting["project"])


def own_trace(path):
    """Take a log of one's own, by its path or its name in the catalogue; its groups are taken for projects."""
    workload = taken(path)
    lacks = {"user": not (workload.jobs.user >= 0).any(), "requested time": workload.unestimated == len(workload)}
    if missing := [what for what, lacking in lacks.items() if lacking]:
        raise ValueError(f"{path}: found no job with a {missing[0]}, which the keys of walltime adjustment need")
    return Trace(workload.name, workload, "group" if (workload.jobs.group >= 0).any() else "user")


def about(here):
    """Say what stands in for the paper's trace, in sentences."""
    lines = [
        "In place of the paper's log (Intrepid, January 2009 to June 2011, of which only January to September 2009 are "
        f"public, as ANL-Intrepid): {', '.join(trace.name for trace in here)}"
    ]
    for trace in here:
        if trace.project != "group":
            lines.append(f"{trace.name}: has no projects; the {trace.project} takes the project's place")
        if trace.workload.stand_in:
            lines.append(f"{trace.name}: a synthetic twin, made up; it proves nothing about the paper")
    return "\n".join(lines)


# The printed numbers


def printed(*exhibits):
    """Read the paper's numbers of some exhibits, such as "table1" or "fig2": a Series by quantity."""
    numbers = verdicts.published("tang2013_numbers")
    return numbers[numbers.exhibit.isin(exhibits)].set_index("quantity").value


def unjudged(of):
    """Say for a record's cell that no log is the paper's: options of `judging.cell`."""
    note = "the paper's machine, 9 of its 30 months" if of["trace"] == "ANL-Intrepid" else ""
    return {"unjudged": {verdicts.TEXT: verdicts.OTHER_LOG}, "note": note}


# Measures: replication 0 has the jobs as they are, 1, 2, ... are resamples


def by_part(measured):
    """Turn what was measured by log and part round: by part and log, as `ledger.decide` takes it."""
    return {part: {log: of[part] for log, of in measured.items()} for part in next(iter(measured.values()))}


def smallest(values):
    """Measure the column that is smallest as it is, of a table by replication; where all are nan there is nothing."""
    return _chosen(values, values.loc[AS_IT_IS])


def largest(values):
    """Measure the column that is largest as it is."""
    return _chosen(values, -values.loc[AS_IT_IS])


def farthest(values):
    """Measure the column that is farthest from zero as it is."""
    return _chosen(values, -values.loc[AS_IT_IS].abs())


def _chosen(values, order):
    """Measure the column of the least in this order."""
    return Measure.spread(values[order.idxmin()]) if order.notna().any() else NOTHING


def between_groups(difference):
    """Measure a difference between two ways to group jobs; nothing where they make the same groups of all jobs."""
    return Measure.spread(difference) if difference.any() else NOTHING
