"""Tang, Desai, Buettner & Lan, JPDC 2013: the logs that stand in for its trace; a module for each group of exhibits."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from simlib.core.schedule import simulate
from simlib.core.workload import Workload
from simlib.logs import archive
from simlib.plots.style import COLOURS
from simlib.policies.adjusting import Scheme
from simlib.policies.easy import EASY

from .. import judging, loading
from ..claims import NOTHING, PRINTED, Measure, claim
from ..judging import AS_IT_IS
from ..loading import Logs

DOUBLE, TRIPLE = "user+project", "user+project+estimate"
KEY_NAMES = {"project": "project", "user": "user", DOUBLE: "double key", TRIPLE: "triple key"}
"""The paper's names of the keys."""

Parts = Mapping[str, Measure]
"""What is measured, by part of a claim."""

LEVEL_COLOURS = {"NA": "#B0B0B0", "OE": COLOURS[2], "UE": COLOURS[4], "BE": COLOURS[1]}
"""No adjustment, overestimation, underestimation, bad estimation."""


@dataclass(frozen=True)
class Trace:
    """A log of `settings`, or a partition of one, that stands in for the paper's; `project` is a column of its jobs.

    `waits` tells whether the recorded waits can be right; `about` has the rest of its row of `settings`.
    """

    name: str
    workload: Workload
    project: str
    waits: bool = True
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def ends(self) -> pd.Series:
        """When each job ended, in seconds: in the log's own times; where these are broken, under EASY by WFP."""
        if self.waits:
            return self.workload.ends
        jobs = simulate(self.workload, EASY(order="wfp")).jobs
        return jobs.start + jobs.run

    @property
    def per_node(self) -> int:
        """How many processors of the log a node has."""
        return int(self.about.get("per_node", 1))

    @property
    def t_act(self) -> pd.Series:
        """Run times, in seconds, cut at the requested time: "for simplicity", R is 1 at most (section 3.2)."""
        jobs = self.workload.jobs
        t_act: Any = np.minimum(jobs.run, jobs.estimate)
        return t_act


def settings() -> dict[str, dict[str, Any]]:
    """The rows of `data/settings/tang2013_logs.toml` by name: which jobs of which logs, and what is their project."""
    return {row["name"]: row for row in loading.settings("tang2013")}


PAPERS = "ANL-Intrepid"
"""The paper's own machine."""

PART_OF_IT = f"{PAPERS} is 9 of the paper's 30 months, with the queue in the project's place"
"""Is said wherever that log is judged."""

STAND_INS = tuple(name for name, row in settings().items() if row.get("stands_in"))
"""In the order of how like Intrepid they are."""


def machines(names: Iterable[str]) -> list[str]:
    """Leave out the partitions of logs that are there as a whole: what is counted are machines."""
    known = settings()
    return [name for name in names if "partition" not in known.get(name, {}) or known[name]["log"] not in names]


def own_logs(workloads: Mapping[str, Workload]) -> "TraceLogs":
    """Take logs of the reader's, whose groups are taken for projects."""
    found = {}
    for name, workload in workloads.items():
        lacks = {"user": not (workload.jobs.user >= 0).any(), "requested time": workload.unestimated == len(workload)}
        if missing := [what for what, lacking in lacks.items() if lacking]:
            raise ValueError(f"logs: {name}: found no job with a {missing[0]}, which the keys of adjustment need")
        found[name] = Trace(name, workload, "group" if (workload.jobs.group >= 0).any() else "user")
    return TraceLogs(workloads, found, own=True)


class TraceLogs(Logs):
    """The logs that stand in for the paper's, by their names."""

    def origin(self, log: str | None = None, **of: Any) -> dict[str, Any]:
        """Why a printed number is not judged: no log is the paper's."""
        note = PART_OF_IT if log == PAPERS else ""
        return {"unjudged": judging.OTHER_LOG, "note": note}

    @property
    def table(self) -> pd.DataFrame:
        """Which file or model each came from, and which of its jobs take part; what they stand in for is printed."""
        if not self.own:
            print(about(self.traces.values()))
        return super().table


def a_window(text: str) -> None:
    """Refuse what is no window of earlier jobs, for `study.parameters`."""
    Scheme(window=text)


def logs(names: str | Iterable[str] | None = None) -> TraceLogs:
    """Take the logs that stand in for the paper's by name; by default its own, if it is here, and all `STAND_INS`."""
    names = (*[PAPERS] * bool(archive.find(PAPERS)), *STAND_INS) if names is None else names
    known = settings()
    here, absent = loading.take(known[name] for name in ([names] if isinstance(names, str) else names))
    made = {
        row["name"]: Trace(row["name"], workload, row["project"], row.get("waits", True), row)
        for row, _, workload in here
    }
    return TraceLogs({name: one.workload for name, one in made.items()}, made, [row["name"] for row in absent])


def about(here: Iterable[Trace]) -> str:
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


# Measures: run 0 has the jobs as they are, 1, 2, ... are resamples


def decided(
    id: str,
    readings: Mapping[str, Mapping[str, Any] | pd.DataFrame],
    measure: Callable[[Any], Parts],
    logs: Logs,
    printed: Parts | None = None,
    note: str = "",
) -> dict[str, Any]:
    """Decide a claim, as `study.claim`, by what is measured on each machine under the first of several readings of it.

    `readings` are dicts by log, or tables whose columns have the level `log`; `measure` takes what there is of one
    log. What comes out under further readings is noted. `printed` is what the paper prints, by part.
    """

    def on_each(of: Any) -> Mapping[str, Measure | dict[str, Measure]]:
        if of is printed:
            return printed
        names = machines(of.columns.unique("log") if isinstance(of, pd.DataFrame) else of)
        measured = {name: measure(of[name]) for name in names}
        return {part: {name: measured[name][part] for name in names} for part in measured[names[0]]}

    (_, first), *others = readings.items()
    part = PART_OF_IT if PAPERS in logs else ""
    notes = [note, part, *(f"{name}: {claim(id, {judging.TEXT: of}, on_each)['verdict']}" for name, of in others)]
    rules = {judging.TEXT: first} | ({PRINTED: printed} if printed else {})
    return claim(id, rules, on_each, logs, note="; ".join(filter(None, notes)))


def smallest(values: pd.DataFrame) -> Measure:
    """Measure the column that is smallest as it is, of a table by run; where all are nan there is nothing."""
    return _chosen(values, values.loc[AS_IT_IS])


def largest(values: pd.DataFrame) -> Measure:
    """Measure the column that is largest as it is."""
    return _chosen(values, -values.loc[AS_IT_IS])


def farthest(values: pd.DataFrame) -> Measure:
    """Measure the column that is farthest from zero as it is."""
    return _chosen(values, -values.loc[AS_IT_IS].abs())


def _chosen(values: pd.DataFrame, order: Any) -> Measure:
    """Measure the column of the least in this order."""
    return Measure.spread(values[order.idxmin()]) if order.notna().any() else NOTHING


def between_groups(difference: pd.Series) -> Measure:
    """Measure a difference between two ways to group jobs; nothing where they make the same groups of all jobs."""
    return Measure.spread(difference) if difference.any() else NOTHING
