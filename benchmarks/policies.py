"""What each policy costs beside EASY, and conservative backfilling beside reading: `python benchmarks/policies.py`.

It prints its two sections of RESULTS.md, in two minutes. Times are of the processor, for other programs may run.
"""

import math
import time
import warnings

from simulating import best, recorded_logs

import simlib
from simlib import EASY, FCFS, Conservative, Multifactor, Selective, SlurmBackfill, simulate
from simlib.logs import archive
from simlib.policies.adjusting import Adjustment, Scheme

LOGS = "KTH-SP2", "SDSC-SP2", "HPC2N"

POLICIES = {
    "`FCFS()`": FCFS(),
    "`Conservative()`": Conservative(),
    '`Conservative("start")`': Conservative("start"),
    '`Conservative(order="sjf")`': Conservative(order="sjf"),
    "`EASY(reservations=2)`": EASY(reservations=2),
    "`EASY(reservations=5)`": EASY(reservations=5),
    "`EASY(reservations=math.inf)`": EASY(reservations=math.inf),
    "`Selective(2)`": Selective(2),
    '`Selective("adaptive")`': Selective("adaptive"),
    "`SlurmBackfill()`": SlurmBackfill(),
    '`FCFS(order="sjf")`': FCFS(order="sjf"),
    '`EASY(order="sjf")`': EASY(order="sjf"),
    '`EASY(order="wfp")`': EASY(order="wfp"),
    "`EASY(order=Multifactor())`": EASY(order=Multifactor()),
    "`EASY(reuse_extra=True)`": EASY(reuse_extra=True),
    '`EASY(backfill="sjf")`': EASY(backfill="sjf"),
    '`EASY(backfill="best-fit")`': EASY(backfill="best-fit"),
    '`EASY(backfill="largest")`': EASY(backfill="largest"),
    '`EASY(backfill="smallest area")`': EASY(backfill="smallest area"),
    '`EASY(backfill="lookahead")`': EASY(backfill="lookahead"),
    "`EASY.plus_plus()`": EASY.plus_plus(),
    '`EASY(adjust=Adjustment(Scheme("user")))`': EASY(adjust=Adjustment(Scheme("user"))),
}

HEADER = ["time / EASY's", *LOGS]
READING = ["log", "jobs", "EASY / reading", "Conservative / reading"]


def policy_rows():
    """For each policy its time as a multiple of EASY's, a column a log; EASY's own in milliseconds at the end."""
    columns = [_of_log(simlib.load(name)) for name in LOGS if archive.find(name)]
    for place, name in enumerate(POLICIES):
        yield [name, *(f"{column[place + 1] / column[0]:.2f}" for column in columns)]
    yield ["`EASY()` [ms]", *(f"{1000 * column[0]:.1f}" for column in columns)]


def _of_log(workload):
    """Seconds on one log, EASY's first; what a policy prepares is part of it."""
    runs = [lambda policy=policy: simulate(workload, policy) for policy in (EASY(), *POLICIES.values())]
    for run in runs:
        run()  # compiled by now
    return best(*runs, clock=time.process_time)


def reading_rows():
    """For each log that is here, in its best file: EASY and conservative backfilling beside reading it."""
    for name, about in recorded_logs().items():
        found = archive.find(name)
        if found is None or archive.files(name)[0].synthetic:
            continue
        yield _beside_reading(found[0], about["procs"])


def _beside_reading(path, procs):
    workload = simlib.read_swf(path, procs=procs)
    runs = [lambda policy=policy: simulate(workload, policy) for policy in (EASY(), Conservative())]
    read, *simulated = best(lambda: simlib.read_swf(path, procs=procs), *runs, clock=time.process_time)
    return [path.name, f"{len(workload):,}", *(f"{seconds / read:.2f}" for seconds in simulated)]


def text(table):
    """The sections, `table` making one of a header and rows."""
    yield """## Every policy against EASY

The time to simulate the whole log, with what a policy prepares, as a multiple of EASY's, by turns."""
    yield table(HEADER, policy_rows())
    yield """At most twice EASY's time is the aim; what is between EASY and conservative backfilling may cost what the
latter does, and so may selective reservations, which are compressed when a job ends early. Beyond it are an
order by fair share, which asks in each pass what each account that waits has had, and adjusted estimates:
they need a percentile of what the user's jobs of a month did, on HPC2N of 1,006 sorted numbers on average,
into and out of which most jobs are put. Best fit, which asks for the rank of each job that fits, EASY++ and
wfp are near it."""
    yield """Conservative backfilling with users' estimates beside reading the log, processor time:"""
    yield table(READING, reading_rows())
    yield """Some logs take longer than reading. Whenever a job ends early each queued job is
looked at: 14.1 million looks at 325 million steps of the profile on Curie, 0.9 million of which
move a job, and 8.4 and 1.7 million on HPC2N. Two ways to do less were tried that change no
schedule. A job that lacks processors just before its start can only move into a gap that ends
there: that spares Curie six steps in ten, but to find out who lacks some makes SDSC-SP2 and HPC2N
slower by a tenth or more, and Curie faster by a twentieth at most. One loop with one exit in place of two
that alternate makes BLUE faster by a tenth, and Curie slower by a third."""


if __name__ == "__main__":
    from run import table

    warnings.simplefilter("ignore", simlib.LogWarning)
    for part in text(table):
        print(part, end="\n\n", flush=True)
