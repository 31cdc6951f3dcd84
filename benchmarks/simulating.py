"""One simulation: what it costs beside reading the log, making jobs, starting up; ratios of times measured by turns.

Every time is the best of several runs of one thing after another, so that a machine whose speed drifts does not favour
either.
"""

import subprocess
import sys
import time

import numpy as np
import pandas as pd

import simlib
from simlib import EASY, Conservative, simulate
from simlib.logs import archive
from simlib.models import feitelson96, jann97

RUNS = 7

LOGS = [
    "log",
    "jobs",
    "read_swf [ms]",
    "read / bare pandas",
    "EASY",
    "exact",
    "Conservative",
    "exact",
    "by start",
    "exact",
]
MODELS = ["model", "jobs", "seconds", "/ drawing and sorting as many numbers"]
STARTS = ["what", "seconds"]


LEFT_OUT = "RICC-2010"
"""With its 447,794 jobs, which wait in long queues, the benchmarks take very long."""


def recorded_logs():
    """The names of the recorded logs of the catalogue and what it says of them, without the one that is left out."""
    logs = archive.catalogue()["logs"].items()
    return {name: about for name, about in logs if not about.get("synthetic") and name != LEFT_OUT}


def best(*functions, clock=time.perf_counter):
    """The least seconds that each function took by a clock, all called in turn RUNS times."""
    least = [float("inf")] * len(functions)
    for _ in range(RUNS):
        for k, function in enumerate(functions):
            began = clock()
            function()
            least[k] = min(least[k], clock() - began)
    return least


def bare_pandas(path):
    """What reading the numbers costs at least with the same library."""
    return pd.read_csv(path, sep=r"\s+", comment=";", header=None)


def log_rows():
    """For each file of the catalogue that is here: the cost of reading and of simulating, as ratios to reading."""
    for name, about in recorded_logs().items():
        for file in archive.files(name):
            found = archive.find(name, file.variant)
            if found is None:
                continue
            path, procs = found[0], about["procs"]
            asked = simlib.read_swf(path, procs=procs)
            exact = asked.with_estimates("exact")
            cases = [
                (jobs, policy) for policy in (EASY(), Conservative(), Conservative("start")) for jobs in (asked, exact)
            ]
            for case in cases:
                simulate(*case)  # compiled by now
            bare, read, *simulated = best(
                lambda path=path: bare_pandas(path),
                lambda path=path, procs=procs: simlib.read_swf(path, procs=procs),
                *(lambda case=case: simulate(*case) for case in cases),
            )
            ratios = [f"{seconds / read:.2f}" for seconds in simulated]
            yield [path.name, f"{len(asked):,}", f"{read * 1000:.0f}", f"{read / bare:.2f}", *ratios]


def model_rows(jobs=1_000_000):
    """Making a million jobs of each model, beside drawing and sorting as many random numbers."""
    rng = np.random.default_rng(0)
    models = {"Jann '97": jann97.workload, "Feitelson '96": feitelson96.workload}
    sort, *made = best(
        lambda: np.sort(rng.exponential(size=jobs), kind="stable"),
        *(lambda model=model: model(jobs) for model in models.values()),
    )
    for name, seconds in zip(models, made, strict=True):
        yield [name, f"{jobs:,}", f"{seconds:.2f}", f"{seconds / sort:.1f}"]


def start_rows():
    """Starting up, each in a process of its own: importing, and a first simulation with the kernels on disk."""
    first = (
        "import time, simlib; w = simlib.load('sample'); t = time.perf_counter(); "
        "[simlib.simulate(w, p) for p in (simlib.EASY(), simlib.Conservative())]; print(time.perf_counter() - t)"
    )
    statements = {
        "python, nothing imported": "import time; t = time.perf_counter(); print(time.perf_counter() - t)",
        "import pandas": "import time; t = time.perf_counter(); import pandas; print(time.perf_counter() - t)",
        "import simlib": "import time; t = time.perf_counter(); import simlib; print(time.perf_counter() - t)",
        "first simulations, kernels cached": first,
    }
    for what, code in statements.items():
        seconds = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
        yield [what, f"{min(seconds):.2f}"]
