"""A made-up log of the form of ANL-Intrepid-2009-1: its header, its fields, and what is public of its marginals.

It proves nothing about Intrepid. It shows that the study can read that log and run on it.
"""

import gzip

import numpy as np

HEADER = """\
; Version: 2.2
; Computer: Blue Gene/P
; Installation: Argonne National Laboratory, Intrepid
; MaxJobs: {jobs}
; MaxRecords: {jobs}
; UnixStartTime: 1231135224
; TimeZoneString: America/Chicago
; StartTime: Mon Jan 05 00:00:24 CST 2009
; EndTime: Tue Sep 01 00:00:00 CDT 2009
; MaxNodes: 40960
; MaxProcs: 163840
; Note: made up for a test
"""

START, MONTHS = 1231135224, 8  # to the end of August
CORES = {256: 27, 512: 1, 1024: 2, 2048: 28, 4096: 29, 8192: 7, 16384: 3, 32768: 2, 65536: 1, 163840: 0.2}
"""Cores of a job, and how many jobs of a hundred have them, as of jobs 10,000 to 19,999 of the log."""


def write(path, jobs=4800, users=40, seed=1):
    """Write so many jobs over eight months: two busy half days in each, so that jobs wait."""
    rng = np.random.default_rng(seed)
    month, day = rng.integers(0, MONTHS, jobs), rng.choice([3, 18], jobs)
    submit = np.sort((30 * month + day) * 86400 + rng.integers(0, 43200, jobs))
    user = (users * rng.random(jobs) ** 2).astype(int)  # a few submit most
    hours = rng.choice([0.5, 1, 2, 3, 6, 12], (users, 2), p=[0.2, 0.3, 0.2, 0.15, 0.1, 0.05])
    requested = (3600 * hours[user, rng.integers(0, 2, jobs)]).astype(int)
    habit = rng.random(users)
    r = np.clip(habit[user] + rng.normal(0, 0.25, jobs), 0.01, 1.02)
    run = np.maximum((r * requested).astype(int), 1)
    cores = rng.choice(list(CORES), jobs, p=np.array([*CORES.values()]) / sum(CORES.values()))
    asked = cores // rng.choice([1, 1, 2, 4], jobs)  # processes, of which a node has four or fewer
    queue, status = (user + (rng.random(jobs) < 0.3)) % 3, np.where(r > 1, 0, 1)
    fields = {0: np.arange(1, jobs + 1), 1: submit, 2: rng.integers(0, 7200, jobs), 3: run, 4: cores, 7: asked}
    fields |= {8: requested, 10: status, 11: user + 1, 14: queue}
    table = np.full((jobs, 18), -1)
    table[:, list(fields)] = np.column_stack([*fields.values()])
    with gzip.open(path, "wt", encoding="ascii") as file:
        file.write(HEADER.format(jobs=jobs))
        np.savetxt(file, table, "%d")
    return path
