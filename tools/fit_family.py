"""Fit the Feitelson model in several ways: `python -m tools.fit_family` writes its `data/models/*.toml`.

It is run by hand when the fit changes; see `feitelson_family`, which reads what it writes.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.arrays import Floats
from simlib.core.workload import Workload
from simlib.logs.archive import load
from simlib_study.mualem2001 import feitelson_family

from .fit import GENERAL, MACHINE, ORDER, entry, powers_of_two, run_times, write

LOGS = ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-Par-96", "LANL-CM5")

PARTITION = {"LANL-CM5": 8}
"""What sizes are divided by: the CM-5 has 1,024 processors and hands out 32 at least, as if 128 and 4."""

EVENLY = dict.fromkeys(LOGS, 1 / len(LOGS))

MEMBERS: dict[str, tuple[Mapping[str, float], Mapping[str, float] | int]] = {
    "mostly Paragon": (GENERAL, GENERAL),
    "Paragon": ({"SDSC-Par-96": 1}, {"SDSC-Par-96": 1}),
    "Paragon and CTC": ({"SDSC-Par-96": 0.5, "CTC-SP2": 0.5}, {"SDSC-Par-96": 0.5, "CTC-SP2": 0.5}),
    "five logs": (EVENLY, EVENLY),
    "five logs, runs of CM-5": (EVENLY, {"LANL-CM5": 1}),
    "recalled form, 5 min": (GENERAL, 300),
    "recalled form, 20 min": (GENERAL, 1200),
    "SDSC": ({"SDSC-SP2": 1}, {"SDSC-SP2": 1}),
    "KTH": ({"KTH-SP2": 1}, {"KTH-SP2": 1}),
}
"""By name, how much each log counts for the sizes, and for the run times; or, where these are of the published form as
it is recalled, the mean of the short branch [s]."""

UNLIKE = {"KTH": ["Fs", "Fl"]}
"""The variants that do not do what their names say."""

HEADER = """\
# Other ways to make the Feitelson '96 model (simlib_study/mualem2001/feitelson_family.py), made by
# `python -m tools.fit_family` from
{files}
# The original's constants are not at hand, so what the study finds on the model is asked of all of these. Whatever is
# not here is as in feitelson96.toml, which says what the numbers mean.
#
# ctc              run times of the CTC log in the form of the model: two branches whose chances are linear in the size.
#                  All members' Fl and Fsl have them. (Those of feitelson96.toml have three branches, and chances for
#                  each power of two.)
# member.size      fitted to the logs that its name tells, each log's jobs of up to {machine} processors; those of the
#                  CM-5 are divided by 8, as it hands out 32 of 1,024 processors at least. "Mostly Paragon": it counts
#                  five sixths, and CTC one; so too where the run times are recalled
# member.run       fitted to these logs, in the form of the model; or as the published form is recalled, but could not
#                  be checked: the chance of the short branch is 0.95 - 0.20 n / {machine}, and the long branch is seven
#                  times as long. In which unit is not known: the name tells the mean of the short branch
# member.unlike    variants that do not do what their names say: Fs has smaller jobs, Fl longer ones
#
# CTC alone is left out: all its variants would be the same. KTH and SDSC are SP2 machines, which the original was made
# without; they are kept as extremes.
"""


def family(logs: Mapping[str, Workload]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Fit the run times of CTC in the form of the model, and the `MEMBERS`, to `LOGS`, given by name."""
    jobs = {name: _jobs(log, PARTITION.get(name, 1)) for name, log in logs.items()}
    members = []
    for name, (sizes, runs) in MEMBERS.items():
        share = np.sum([weight * _shares(jobs[log]) for log, weight in sizes.items()], axis=0)
        size = {"order": ORDER, "powers_of_two": powers_of_two(share, ORDER)}
        run = recalled(runs) if isinstance(runs, int) else _run_times(jobs, runs)
        members.append({"name": name, "unlike": UNLIKE.get(name, []), "size": size, "run": run})
    return _run_times(jobs, {"CTC-SP2": 1}), members


def recalled(short: int) -> dict[str, Any]:
    """Give run times in the published form as it is recalled, by the mean of the short branch in seconds."""
    chances = [0.95 - 0.20 * n / MACHINE for n in (1, MACHINE)]
    return {"means": [short, 7 * short], "sizes": [1, MACHINE], "chances": [[each, 1 - each] for each in chances]}


def _jobs(log: Workload, partition: int) -> pd.DataFrame:
    """Take the jobs that fit the model's machine."""
    size = log.jobs.procs // partition
    return pd.DataFrame({"run": log.jobs.run, "size": size})[size.between(1, MACHINE)]


def _shares(jobs: pd.DataFrame) -> Floats:
    """Count what share of the jobs each size has."""
    return np.bincount(jobs["size"], minlength=MACHINE + 1)[1:] / len(jobs)


def _run_times(jobs: Mapping[str, pd.DataFrame], weights: Mapping[str, float]) -> dict[str, Any]:
    """Fit run times in the form of the model: two branches whose chances are linear in the size."""
    both = pd.concat([jobs[name] for name in weights])
    weight = np.concatenate([np.full(len(jobs[name]), each / len(jobs[name])) for name, each in weights.items()])
    return run_times(both.run.to_numpy(), both["size"].to_numpy(), weight, [1, MACHINE], 2)


def main() -> None:
    """Fit the family to the logs on this machine, and write its table."""
    logs = {name: load(name) for name in LOGS}
    if absent := [name for name, log in logs.items() if log.stand_in]:
        raise ValueError(f"fit_family: found only twins of {', '.join(absent)}, expected the logs in SIMLIB_TRACES")
    ctc, members = family(logs)
    tables = [("[ctc]", ctc), *(("[[member]]", member) for member in members)]
    lines = [line for title, about in tables for line in (title, *map(entry, about, about.values()), "")]
    files = "\n".join(f"#   {log.source['file']}" for log in logs.values())
    write("feitelson_family", HEADER.format(files=files, machine=MACHINE), lines[:-1])
    feitelson_family.members()


if __name__ == "__main__":
    main()
