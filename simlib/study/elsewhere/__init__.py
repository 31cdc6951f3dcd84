"""Do the papers' findings hold on other machines? The logs that are here, what each is; a module for each exhibit."""

import os
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ..._util import paths
from ...core.workload import Workload
from ...logs import archive
from ...models.sample import sample
from ...policies import walltime
from ...report.policies import requested
from .. import log, mualem2001, tang2013
from ..exhibit import LOGS, Exhibit

ENOUGH_ESTIMATES = 0.5
"""Logs of which a smaller share of the jobs has an estimate take no part where estimates matter."""

PARTITIONS = {"CEA-Curie": ("CEA-Curie, standard", 10, 80640)}
"""By log a partition that is shown beside the whole: what it is called, its number in the log, its processors."""

ABOUT = ("paper", "machine", "year", "procs", "jobs", "load", "estimated", "used", "serial")
"""What is told of each log: see `about`."""


@dataclass(frozen=True)
class Machine:
    """A log of the catalogue with the jobs that take part."""

    name: str
    workload: Workload
    paper: bool = False
    part: bool = False

    @cached_property
    def requested(self):
        """Which jobs have an estimate of their user's, by their index."""
        return requested(self.workload)

    @property
    def estimated(self):
        """The share of the jobs that have one."""
        return float(self.requested.mean())


def about(machines):
    """Describe logs, by name.

    The table has `paper`, whether the paper rests on it; the `machine`; the `year` of the middle one of its jobs;
    processors and jobs; `load`, the offered one; the share of jobs that are `estimated`, for the user asked for a time;
    `used`, the median share of that time that they ran; the share that is `serial`, on one processor.
    """
    rows = {machine.name: _about(machine) for machine in machines}
    return pd.DataFrame(list(rows.values()), pd.Index(list(rows), name="log"), list(ABOUT))


def _about(machine):
    workload = machine.workload
    jobs = workload.jobs
    asked = jobs[machine.requested]
    used = float(np.median(walltime.used(asked.run, asked.estimate))) if len(asked) else np.nan
    year = str(workload.calendar_month(jobs.submit)[len(jobs) // 2])[:4] if workload.start is not None else ""
    numbers = workload.procs, len(jobs), workload.load, machine.estimated, used, float((jobs.procs == 1).mean())
    name = next((log for log, (called, *_) in PARTITIONS.items() if called == machine.name), machine.name)
    title = archive.catalogue()["logs"].get(name, {"title": name})["title"].partition(",")[0]  # without its months
    return machine.paper, title, year, *numbers


# The logs that are here


def names():
    """List the logs of the catalogue that were recorded on a machine."""
    return [name for name in archive.catalogue()["logs"] if not archive.files(name)[0].synthetic]


def on_machine(name, variant=None):
    """Tell whether a log is on this machine; none is where `$SIMLIB_TRACES` names no folder."""
    given = os.environ.get("SIMLIB_TRACES")
    if given and not any(os.path.isdir(folder) for folder in (given, paths.ROOT / given)):
        return False
    return archive.find(name, variant) is not None


def of_backfilling(name):
    """Take a log as MF: of theirs the jobs and estimates that meet their numbers, of others all."""
    setting = next((one for one in mualem2001.settings() if one["log"] == name), {})
    return _taken(name, None, setting.get("jobs"), setting.get("estimates", "user"), bool(setting))


def of_adjusting(name):
    """Take a log as for Tang et al.: variant and jobs as in the study of their paper, where it knows the log."""
    setting = tang2013.settings().get(name, {})
    variant = next((one for one in setting.get("variants", ()) if on_machine(name, one)), None)
    return _taken(name, variant, setting.get("jobs"), "user", name in tang2013.STAND_INS)


def _taken(name, variant, condition, estimates, paper):
    workload = log(name, variant)
    workload = workload.select(condition) if condition else workload
    return Machine(name, workload if estimates == "user" else workload.with_estimates(estimates), paper)


def partitions(whole):
    """List the partitions of a Machine that are shown beside it, a list of Machine."""
    if whole.name not in PARTITIONS:
        return []
    name, number, procs = PARTITIONS[whole.name]
    return [Machine(name, whole.workload.partition(number, procs=procs), whole.paper, True)]


class OnMachines(Exhibit):
    """An exhibit of all logs of the catalogue that are on this machine; it has no stand-ins.

    A subclass has `taken`, which makes a Machine of a name, and the parameters that `settings` names.
    """

    with_partitions = False
    """Whether `PARTITIONS` have rows of their own."""

    @property
    def settings(self):
        """How runs are shaken and logs resampled, as `effects` takes it."""
        return {"shakes": self.shakes, "seconds": self.shake_s, "resamples": self.resamples, "seed": self.seed}

    @cached_property
    def found(self):
        """The logs that are here: a list of Machine, those of the paper first."""
        here = [type(self).taken(name) for name in names() if on_machine(name)]
        if self.with_partitions:
            here = [machine for whole in here for machine in (whole, *partitions(whole))]
        return sorted(here, key=lambda machine: not machine.paper)

    def whole(self, rows):
        """Leave the rows of partitions out of a table by log: what is counted are machines."""
        parts = [machine.name for machine in self.found if machine.part]
        return rows[~rows.index.get_level_values("log").isin(parts)]

    @property
    def missing(self):
        """The names of the others."""
        return [name for name in names() if name not in {machine.name for machine in self.found}]

    @cached_property
    def about(self):
        """What the logs are, from `about`."""
        return about(self.found)

    @property
    def left_out(self):
        """The logs that have too few estimates to take part where these matter, a sentence each."""
        few = [machine for machine in self.found if machine.estimated < ENOUGH_ESTIMATES]
        return [f"{one.name}: {one.estimated:.0%} of the jobs have an estimate" for one in few]

    def _drawn(self, draw, *of):
        """What draws a picture; None where no log takes part in it."""
        return partial(draw, *of) if self.taking_part else None

    @property
    def taking_part(self):
        """The logs that pictures are of."""
        return self.found

    def load(self):
        """With no log at all the sample stands there, though nothing is made of it: so the record goes apart."""
        return {LOGS: [machine.workload for machine in self.found] or [sample()]}

    @property
    def nothing(self):
        """What is said in the place of a picture where no log is here."""
        return "No log of the catalogue is on this machine, so there is nothing to compare."
