"""How the cost of a simulation grows: with the queue of an overloaded system, and to ten million jobs.

Above a load of 1 the queue grows as long as jobs arrive, to a tenth of them at 1.1 and a quarter at 1.3.
"""

import math
import subprocess
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from simlib import EASY, Conservative, Multifactor, Selective, Workload, plots, simulate
from simlib.core.estimates import Uniform
from simlib.models import jann97

PICTURE = Path(__file__).parent / "growth.png"
OVERLOAD = ["policy", "estimates", "load", "jobs: microseconds a job", "grows with exponent"]
TEN_MILLION = ["10 million jobs of Jann '97 at load 0.9", ""]

OVERLOAD_TEXT = """What would grow with the queue is left out: a pass of EASY finds whom to backfill in an index
(`simlib/engine/index.py`), and a new job's first gap is looked for where there can be one
(`simlib/engine/profile.py`). All numbers of steps here were counted once, by counters in the kernels that are not
kept. At load 1.3 and f = 10 EASY looks, for a job, at 0.7 groups of the queue and 4 nodes above them when there are
10,000 jobs, and at 1.6 groups and 19 nodes when there are 1,000,000. With exact estimates conservative backfilling
still scans the more steps of the profile the longer it is.

But with inexact estimates conservative backfilling must grow faster than the number of jobs, as long as each queued job
is to have its reservation at any time: whenever a job ends early many others move. The moves alone are 15 and 29 a job
for 10,000 jobs at the two loads, and 67 and 171 for 100,000: exponents of 1.64 and 1.77. To look at the other queued
jobs adds the rest: at load 1.3 it is 205 looks a job of 72 steps of the profile each for 10,000 jobs, 595 looks of 251
steps for 60,000."""

OTHERS = ["policy, f = 10, load 1.3", "jobs: microseconds a job", "grows with exponent"]

OTHERS_TEXT = """The same for policies between and beyond, up to 30,000 jobs. Who may pass the head is found in the
index as long as the order does not change while jobs wait, so that these grow like EASY; reservations for some are
looked at job by job in each pass. `Selective(2)` has a reservation for nearly all of an overloaded queue, and grows as
conservative backfilling does."""

AT_ONCE = ["policy, all jobs at once", "jobs", "seconds", "beside half as many jobs"]

AT_ONCE_TEXT = """All jobs come in the same second to a machine of 128 processors, and of 16 GPUs where jobs need up to
four of them. Whom EASY backfills is found in the index, in the order of the queue or where the shortest goes first; any
other order of backfilling ranks each job that fits. An order that changes ranks the queue in each pass; of more than
1,024 jobs only the blocks of 64 that may have the first."""

LARGEST = {("Conservative", "f = 10"): 100_000}


def _cases():
    for load in (1.1, 1.3):
        for estimates, model in (("exact", "exact"), ("f = 10", Uniform(10))):
            for policy in (EASY(), Conservative()):
                yield policy, estimates, model, load


def _sizes(policy, estimates):
    largest = LARGEST.get((type(policy).__name__, estimates), 1_000_000)
    return [jobs for jobs in (10_000, 30_000, 100_000, 300_000, 1_000_000) if jobs <= largest]


def overload_rows():
    """Seconds of processor time by number of jobs, and the slope of a line through their logarithms; a picture too."""
    curves = []
    for policy, estimates, model, load in _cases():
        name, jobs = type(policy).__name__, _sizes(policy, estimates)
        spent = np.array([_seconds(policy, model, load, n) for n in jobs])
        exponent = np.polyfit(np.log(jobs), np.log(spent), 1)[0]
        each = ", ".join(f"{n:,}: {seconds / n * 1e6:.1f}" for n, seconds in zip(jobs, spent, strict=True))
        curves.append((name, estimates, load, jobs, spent, exponent))
        yield [name, estimates, f"{load}", each, f"{exponent:.2f}"]
    _draw(curves)


def others_rows():
    """The same of other policies: each a row."""
    ways = [EASY(backfill=way) for way in ("sjf", "best-fit", "lookahead")]
    more = EASY(order="sjf"), EASY(reservations=2), Selective(2), Selective("adaptive"), Conservative(order="sjf")
    for policy in (EASY(), *ways, *more):
        jobs = 3_000, 10_000, 30_000
        spent = np.array([_seconds(policy, Uniform(10), 1.3, n) for n in jobs])
        each = ", ".join(f"{n:,}: {seconds / n * 1e6:.1f}" for n, seconds in zip(jobs, spent, strict=True))
        yield [f"`{policy}`", each, f"{np.polyfit(np.log(jobs), np.log(spent), 1)[0]:.2f}"]


def at_once_rows():
    """Policies with a queue of all jobs: seconds of processor time, and how many times those for half as many."""
    reserving = Conservative(), Conservative("start"), EASY(reservations=math.inf)
    ways = EASY(backfill="sjf"), EASY.plus_plus(), EASY(backfill="largest"), EASY(backfill="lookahead")
    orders = EASY(order="sjf"), EASY(order="wfp"), EASY(order=Multifactor())
    cases = [(policy, 3_200, False) for policy in reserving]
    cases += [(policy, 40_000, False) for policy in (EASY(), *ways, *orders)]
    for policy, jobs, gpus in [*cases, (EASY(), 40_000, True)]:
        half, whole = (_at_once(n, gpus) for n in (jobs // 2, jobs))
        half, whole = _spent(policy, half), _spent(policy, whole)
        name = f"`{policy}`{', GPUs' if gpus else ''}"
        yield [name, f"{jobs:,}", f"{whole:.2f}", f"{whole / half:.1f}"]


def _at_once(jobs, gpus):
    """Jobs of all sizes that come in the same second."""
    rng = np.random.default_rng(1)
    run, size = rng.integers(1, 20_000, jobs), 2 ** rng.integers(0, 7, jobs) + rng.integers(0, 2, jobs)
    table = {"submit": 0, "run": run, "estimate": run * rng.integers(1, 10, jobs), "procs": size}
    table["user"] = rng.integers(0, 50, jobs)
    if gpus:
        return Workload(pd.DataFrame(table | {"gpus": rng.integers(0, 5, jobs)}), 128, gpus=16)
    return Workload(pd.DataFrame(table), 128)


def _draw(curves):
    """The picture of `overload_rows`."""
    fig, axes = plt.subplots(1, 2, figsize=(9, 4.4), sharey=True, layout="constrained")
    colours = {"EASY": plots.EASY_COLOUR, "Conservative": plots.CONSERVATIVE_COLOUR}
    for name, estimates, load, jobs, spent, exponent in curves:
        axes[int(load > 1.2)].loglog(
            jobs,
            spent,
            marker="o" if estimates == "exact" else "s",
            linestyle="-" if name == "EASY" else "--",
            color=colours[name],
            label=f"{name}, {estimates}: {exponent:.2f}",
        )
    for ax, load in zip(axes, (1.1, 1.3), strict=True):
        ax.set(title=f"load {load}", xlabel="jobs")
        where = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.18), "ncols": 2}
        ax.legend(title="grows with exponent", fontsize="small", **where)
    axes[0].set_ylabel("processor time [s]")
    fig.savefig(PICTURE, dpi=150)
    plt.close(fig)


def _seconds(policy, model, load, jobs):
    return _spent(policy, jann97.workload(jobs).scale_load(load).with_estimates(model))


def _spent(policy, workload):
    """Seconds of processor time, the least of several runs, when all is compiled."""
    simulate(workload, policy)  # a long queue or profile may need another kernel than a short one
    spent = []
    while sum(spent) < 1:  # short ones more often, for an exponent rests on them as on the long ones
        began = time.process_time()
        simulate(workload, policy)
        spent.append(time.process_time() - began)
    return min(spent)


def ten_million_rows():
    """In a process of its own, which has made the jobs before; its largest memory counts them too."""
    code = (
        "import resource, time; from simlib import EASY, simulate; from simlib.models import jann97\n"
        "workload = jann97.workload(10_000_000).scale_load(0.9)\n"
        "for policy in (EASY(), EASY(order='sjf')):\n"
        "    simulate(jann97.workload(10), policy)\n"
        "    began = time.process_time(); simulate(workload, policy); print(time.process_time() - began)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)"
    )
    plain, sjf, memory = map(float, subprocess.check_output([sys.executable, "-c", code]).split())
    yield ["simulating EASY, processor time [s]", f"{plain:.1f}"]
    yield ["simulating EASY(order='sjf'), processor time [s]", f"{sjf:.1f}"]
    yield ["largest memory of the process, the jobs included [GiB]", f"{memory:.1f}"]
