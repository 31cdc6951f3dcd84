"""Do the papers' findings hold on other machines? The logs that are here, and what each is."""

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from simlib.core.estimates import requested
from simlib.core.workload import Workload
from simlib.logs import archive
from simlib.policies import adjusting

from .. import tang2013
from ..loading import Logs, settings, take
from ..notebooks import PREVIEW, REPRODUCING

ENOUGH_ESTIMATES = 0.5
"""Logs of which a smaller share of the jobs has an estimate take no part where estimates matter."""

PARTITIONS = {"CEA-Curie, standard": "Curie standard"}
"""Partitions that are shown beside the whole, and how the settings of Tang et al. call them."""

_Table = TypeVar("_Table", pd.DataFrame, pd.Series)

ABOUT = ["paper", "machine", "year", "procs", "jobs", "load", "estimated", "used", "serial"]

TWIN = "KTH-SP2"
"""Whose twin stands there where no log is."""

LIKELY = "conservative, likely programs"
"""What the notebook about backfilling calls conservative backfilling against EASY by the authors' likely programs."""


TOO_SLOW = {"RICC-2010": "up to 26,000 jobs wait there, and a run of conservative backfilling takes 100 seconds"}
"""Logs that take no part where every log is simulated dozens of times, and why."""

LARGE = dict.fromkeys(("LANL-CM5", "SDSC-BLUE", "HPC2N", "CEA-Curie", "SDSC-DS"), "it has more than 80,000 jobs")
"""Logs that take no part in a first look either."""


def known() -> list[str]:
    """List the real logs of the catalogue."""
    return [name for name in archive.catalogue()["logs"] if not archive.files(name)[0].synthetic]


def logs(names: Iterable[str] | None = None, like: str = "mualem2001", simulated: bool = True) -> Logs:
    """Take the catalogue's logs that are here, a paper's first, with its jobs and estimates; a twin where none is.

    Those that are too slow to be `simulated` take part where nothing is, and where a name asks for them.
    """
    first_look = os.environ.get(REPRODUCING) == PREVIEW
    left_out: dict[str, str] = {}
    if names is None:
        left_out = (TOO_SLOW if simulated or first_look else {}) | (LARGE if first_look else {})
    asked = [name for name in known() if name not in left_out] if names is None else list(names)
    of_paper = {row["log"]: row for row in settings(like) if "partition" not in row}
    rows: list[dict[str, Any]] = []
    for name in filter(archive.find, asked):
        row = of_paper.get(name, {}) | {"name": name, "log": name}
        row["variants"] = [*row.get("variants", ()), None]
        if row.get("estimates") == "user":  # as they are in the log
            del row["estimates"]
        rows.append(row)
        if like == "tang2013":
            parts = {part: tang2013.settings()[of] for part, of in PARTITIONS.items()}
            rows += [of | {"name": part} for part, of in parts.items() if of["log"] == name]
    papers = tang2013.STAND_INS if like == "tang2013" else of_paper
    first = [row["name"] for row in rows if row["log"] in papers]
    here, _ = take(rows, twin=TWIN)
    workloads = {row["name"]: workload for row, _, workload in here}
    workloads = dict(sorted(workloads.items(), key=lambda item: item[0] not in first))
    made = Logs(workloads, dict.fromkeys(first), [name for name in asked if name not in workloads])
    made.left_out = left_out
    return made


def about(logs: Mapping[str, Workload]) -> pd.DataFrame:
    """Describe logs by name: the year of the middle job, the median share of requested times that jobs used, ..."""
    rows = {}
    for name, workload in logs.items():
        jobs, titles = workload.jobs, archive.catalogue()["logs"]
        asked = jobs[requested(workload)]
        used = float(np.median(adjusting.used(asked.run, asked.estimate))) if len(asked) else np.nan
        year = str(workload.calendar_month(jobs.submit)[len(jobs) // 2])[:4] if workload.start is not None else ""
        whole = workload.name if name in PARTITIONS else name
        title = titles.get(whole, {"title": whole})["title"].partition(",")[0]  # without its months
        numbers = workload.load, len(asked) / len(jobs), used, float((jobs.procs == 1).mean())
        rows[name] = name in getattr(logs, "traces", ()), title, year, workload.procs, len(jobs), *numbers
    return pd.DataFrame(list(rows.values()), pd.Index(list(rows), name="log"), ABOUT)


def machines(table: _Table) -> _Table:
    """Leave the rows of partitions out of a table whose last level are logs: what is counted are machines."""
    return table[~table.index.get_level_values(-1).isin(list(PARTITIONS))]
