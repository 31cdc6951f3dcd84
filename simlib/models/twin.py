"""Twins: for each log of the catalogue a synthetic stand-in that resembles it, for when the log is not at hand.

A twin has the log's machine, calendar, and number of jobs and load by month; its sizes, requested times and run times,
its daily and weekly cycle, and its users, who repeat their jobs. Everything comes from a small table,
`data/models/twins/<name>.toml`, that `tools.fit_twins` makes from the real log.

Each job gets a *score*, a normal random number to which its user, its request and its session contribute their shares.
The jobs are put in order of their scores, and the log's own distribution is dealt to them in that order: so the
distribution is the log's, and the shares make the jobs of one user alike. Raising the scores of a group of jobs, such
as a month's, gives it more work and others less, and the distribution stays the log's.

A job runs for a part R of its requested time. R is dealt by size and requested time out of the log's distribution,
which is nearly flat with peaks at 0 and 100 %. This is the model of Mu'alem & Feitelson (TPDS 2001, section 4.3),
T_e = T_r / u, turned round: there u is uniform and the estimate T_e follows from the run time T_r; here T_e is one of
the log's popular values, and T_r follows.

A table has these fields; a *curve* is a list of the values that a distribution has at the probabilities
`simlib.models.twin_parts.GRID`.

    start               UnixStartTime
    first, last         seconds of the first and the last submission
    longest             no run is longer, seconds
    removed             how many further lines there are, of jobs that were removed before they ran
    waits               curve of the recorded wait times, seconds
    week                submissions by hour of the week in local time, a row a day from Monday
    [months]            name; jobs that ran; work: processor-hours of the jobs submitted in it
    [users]             of each user, the busiest first: jobs, and in how many months (effective number: 1 / sum of
                        squared shares); groups: how many users each has; second: share of the jobs that are under
                        another group than their user's first
    [sessions]          in a session a user repeats a request (size and requested time)
        length          curve of the number of jobs
        shorten         factor on these numbers less one; neighbouring sessions that are alike by chance make up for it
        returns, lag    share of sessions that return to an earlier request of the user; curve of how many sessions ago
        busy            classes of users in a month, by the number of their jobs in it: upper ends, but for the last
        work            share of the work of each of these classes
        span            by class, curve of the part of the month from the first to the last job of a user; time is
                        counted by submissions, here and in the next two fields (see `twins.times.Clock`)
        again, next     by class, curves of the time from one job of a user to the next, within a session and between
                        sessions, in units of the mean time in that month
        span_work       correlation of the span with the work of the user in that month
        after_work      correlation of the time from one job to the next with the work of the first of the two
        choices         of so many random times a user's month begins at the least busy one
    [likeness]          shares that the scores of jobs have in common: size, request, queue: within a user; used (R):
                        within a user, his requested time and a session
    [sizes], [queues]   how many jobs each size, each queue has
    [apps]              one_off: share of the jobs with an application of their own
    classes             upper ends of the classes of requested times, seconds; -1 for jobs that requested none
    [[size_class]]      upto: upper end; popular: [seconds, jobs] of popular requested times; rest, others: how many
                        jobs requested other times, and their curve; used: for each of `classes`, empty where there is
                        no job, the curve of R in per mille, for jobs that requested none of the run time in seconds
    [[status]]          of jobs that requested a time, or none: by classes of R in per mille, or of run time in
                        seconds, `upto` being their upper ends but for the last, how many jobs have each status
"""

import tomllib
from datetime import tzinfo
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from .._util import paths
from .._util.arrays import whole
from ..core.workload import Workload
from ..logs import archive
from ..logs.loading import has_twin
from ..logs.swf import jobs_of
from .twin_parts import Clock, Table, add_names, add_sessions, add_times, add_users, add_work, swf_fields


def workload(name: str, seed: int = 0) -> Workload:
    """Make the twin of a log of the catalogue."""
    about, table = archive.entry(name), parameters(name)
    whole(name, "seed", seed, 0)
    rng = np.random.default_rng(seed)
    log = swf_fields(table, generate(table, about["timezone"], rng), rng)
    header = (
        " Version: 2.2",
        f" Computer: none; made to resemble {about['title']}",
        f" Note: SYNTHETIC. Made up by simlib.models.twin, seed {seed}; not the log of any machine.",
        f" MaxProcs: {about['procs']}",
        f" UnixStartTime: {table['start']}",
        f" TimeZoneString: {about['timezone']}",
    )
    start = pd.Timestamp(table["start"], unit="s", tz="UTC").tz_convert(about["timezone"])
    source = {"file": f"twin of {name}", "variant": "twin"}
    return Workload(
        jobs_of(log), about["procs"], name, start=start, header=header, log=log, source=source, synthetic=True
    )


@cache
def parameters(name: str) -> Table:
    """Read the table of a twin, `data/models/twins/<name>.toml`."""
    if not has_twin(name):
        raise archive.ArchiveError(f"{name}: has no twin: expected a file {_path(name)}")
    return tomllib.loads(_path(name).read_text(encoding="utf-8"))


def _path(name: str) -> Path:
    return paths.DATA / "models" / "twins" / f"{name}.toml"


def generate(table: Table, zone: str | tzinfo | None, rng: np.random.Generator) -> pd.DataFrame:
    """Make the jobs of a twin: who submits in which month, what is repeated, what is asked for and used, and when.

    Gives a DataFrame, a row a job, by user and in the order of his jobs.
    """
    jobs = add_users(table, rng)
    jobs = add_sessions(table, jobs, rng)
    jobs = add_work(table, jobs, rng)
    jobs = add_times(table, Clock(table, zone), jobs, rng)
    return add_names(table, jobs, rng)
