"""Do the papers' findings hold on other machines? The logs that are here, and what each is."""

import os
from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np
import pandas as pd

from simlib.core.estimates import requested
from simlib.core.workload import Workload
from simlib.logs import archive
from simlib.policies import adjusting

from .. import mualem2001, tang2013
from ..loading import Logs, log
from ..notebooks import PREVIEW, REPRODUCING

ENOUGH_ESTIMATES = 0.5
"""Logs of which a smaller share of the jobs has an estimate take no part where estimates matter."""

PARTITIONS = {"CEA-Curie, standard": ("CEA-Curie", 10, 80640)}
"""Partitions that are shown beside the whole: of which log, its number there, its processors."""

_Table = TypeVar("_Table", pd.DataFrame, pd.Series)

ABOUT = ["paper", "machine", "year", "procs", "jobs", "load", "estimated", "used", "serial"]

TWIN = "KTH-SP2"
"""Whose twin stands there where no log is."""

LIKELY = "conservative, likely programs"
"""What the notebook about backfilling calls conservative backfilling against EASY by the authors' likely programs."""


TOO_SLOW = {"RICC-2010": "up to 26,000 jobs wait there, and a run of conservative backfilling takes 100 seconds"}
"""Logs that take no part where every log is simulated dozens of times, and why."""

LARGE = dict.fromkeys(("LANL-CM5", "SDSC-BLUE", "HPC2N", "CEA-Curie"), "it has more than 100,000 jobs")
"""Logs that take no part in a first look either."""


def known() -> list[str]:
    """List the real logs of the catalogue."""
    return [name for name in archive.catalogue()["logs"] if not archive.files(name)[0].synthetic]


def logs(names: Iterable[str] | None = None, like: str = "mualem2001", simulated: bool = True) -> Logs:
    """Take the catalogue's logs that are here, a paper's first, with its jobs and estimates; a twin where none is.

    Those that are too slow to be `simulated` take part where nothing is, and where a name asks for them.
    """
    left_out = TOO_SLOW if names is None and simulated else {}
    if left_out and os.environ.get(REPRODUCING) == PREVIEW:
        left_out = TOO_SLOW | LARGE
    asked = [name for name in known() if name not in left_out] if names is None else list(names)
    here = [name for name in asked if on_machine(name)]
    found: dict[str, Workload] = {}
    of_paper: list[str] = []
    for name in here:
        workload, paper = _taken(name, like)
        of_log = {name: workload}
        for part, (of, number, procs) in PARTITIONS.items():
            if of == name and like == "tang2013":
                of_log[part] = workload.partition(number, procs=procs)
        found |= of_log
        of_paper += of_log if paper else []
    found = dict(sorted(found.items(), key=lambda item: item[0] not in of_paper)) or {TWIN: archive.twin_of(TWIN)}
    made = Logs(found, dict.fromkeys(of_paper), [name for name in asked if name not in found])
    made.left_out = left_out
    return made


def on_machine(name: str, variant: str | None = None) -> bool:
    """Tell whether a log is on this machine."""
    return archive.find(name, variant) is not None


def _taken(name: str, like: str) -> tuple[Workload, bool]:
    """Load a log, with the jobs and estimates with which the study of a paper takes it; tell if it is the paper's."""
    of_mualem = {one["log"]: one for one in mualem2001.settings()}
    setting = {"mualem2001": of_mualem, "tang2013": tang2013.settings()}[like].get(name, {})
    variant = next((one for one in setting.get("variants", ()) if on_machine(name, one)), None)
    workload = log(name, variant)
    workload = workload.select(setting["jobs"]) if setting.get("jobs") else workload
    estimates = setting.get("estimates", "user")
    workload = workload if estimates == "user" else workload.with_estimates(estimates)
    return workload, bool(setting) if like == "mualem2001" else name in tang2013.STAND_INS


def about(logs: Mapping[str, Workload]) -> pd.DataFrame:
    """Describe logs by name: the year of the middle job, the median share of requested times that jobs used, ..."""
    rows = {}
    for name, workload in logs.items():
        jobs, titles = workload.jobs, archive.catalogue()["logs"]
        asked = jobs[requested(workload)]
        used = float(np.median(adjusting.used(asked.run, asked.estimate))) if len(asked) else np.nan
        year = str(workload.calendar_month(jobs.submit)[len(jobs) // 2])[:4] if workload.start is not None else ""
        whole, *_ = PARTITIONS.get(name, (name,))
        title = titles.get(whole, {"title": whole})["title"].partition(",")[0]  # without its months
        numbers = workload.load, len(asked) / len(jobs), used, float((jobs.procs == 1).mean())
        rows[name] = name in getattr(logs, "traces", ()), title, year, workload.procs, len(jobs), *numbers
    return pd.DataFrame(list(rows.values()), pd.Index(list(rows), name="log"), ABOUT)


def machines(table: _Table) -> _Table:
    """Leave the rows of partitions out of a table whose last level are logs: what is counted are machines."""
    return table[~table.index.get_level_values(-1).isin(list(PARTITIONS))]
