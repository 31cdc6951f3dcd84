"""Write the jobs of lesson 7 as Slurm's commands write jobs; forms by the manuals of Slurm 26.05."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from .lesson7 import (
    CPUS,
    HOUR,
    MINUTE,
    NODES,
    USERS,
    account,
    array,
    cluster,
    factors,
    out_of_the_queue,
    partitions,
    planned,
    users,
)


def clock(second: int) -> str:
    """Write a second after the midnight of `cluster` as a time."""
    return (pd.Timestamp("2026-03-02") + pd.Timedelta(seconds=int(second))).isoformat()


def _length(seconds: int, whole: bool = False) -> str:
    """Write a length of time as squeue does, such as 40:00, 5:40:00 or 1-05:40:00; `whole` as scontrol does."""
    days, rest = divmod(int(seconds), 24 * HOUR)
    hours, minutes = rest // HOUR, rest % HOUR // MINUTE
    if days or whole:
        return f"{f'{days}-' if days else ''}{hours:02}:{minutes:02}:00"
    return f"{hours}:{minutes:02}:00" if hours else f"{minutes}:00"


def _table(columns: Mapping[str, int], rows: Iterable[Iterable[Any]]) -> str:
    """Write rows below the names of columns of these widths, on the right; on the left where a width is below zero."""
    lines = []
    for row in ([*columns], *rows):
        cells = [
            f"{value!s:>{width}}" if width > 0 else str(value)
            for value, width in zip(row, columns.values(), strict=True)
        ]
        lines.append(" ".join(cells))
    return "\n".join(lines)


def squeue() -> str:
    """Write who runs in the partition, with the time that is left."""
    jobs, now = cluster().jobs[:-2], cluster().jobs.submit.iloc[-1]
    columns = {"JOBID": 8, "PARTITION": 9, "USER": 8, "ST": 2, "TIME_LEFT": 11, "NODES": 6}
    left = [_length(end - now) for end in jobs.submit + jobs.run]
    return _table(columns, zip(jobs.index, ["cpu"] * 4, USERS[1:5], ["R"] * 4, left, jobs.procs, strict=True))


def squeue_start() -> str:
    """Write who waits, in order of planned starts, without the column SCHEDNODES."""
    columns = {"JOBID": 8, "PARTITION": 9, "NAME": 8, "USER": 8, "ST": 2, "START_TIME": 19, "NODES": 6}
    head, mine = (its for _, its in planned().jobs[-2:].iterrows())
    rows = [(head, "climate", "eva", "Resources"), (mine, "cfd", "ada", "Priority")]
    waiting = [
        (its.name, "cpu", name, user, "PD", clock(its.start), its.procs, f"({why})") for its, name, user, why in rows
    ]
    for (job, why), user, nodes in zip(out_of_the_queue().items(), ("bob", "dan"), (40, 8), strict=True):
        waiting.append((job, "cpu", "test", user, "PD", "N/A", nodes, f"({why})"))
    return _table(columns | {"NODELIST(REASON)": -1}, waiting)


def scontrol_show_job() -> str:
    """Write of your job what counts here."""
    its = planned().jobs.iloc[-1]
    cpus = its.procs * CPUS
    return f"""JobId={its.name} JobName=cfd
   UserId=ada(1001) GroupId=physics(2001) MCS_label=N/A
   Priority=10432 Nice=0 Account=physics QOS=normal
   JobState=PENDING Reason=Priority Dependency=(null)
   RunTime=00:00:00 TimeLimit={_length(its.estimate, whole=True)} TimeMin=N/A
   SubmitTime={clock(its.submit)} EligibleTime={clock(its.submit)}
   StartTime={clock(its.start)} EndTime={clock(its.end)} Deadline=N/A
   Partition=cpu AllocNode:Sid=login1:2211
   NumNodes={its.procs}-{its.procs} NumCPUs={cpus} NumTasks={cpus} CPUs/Task=1"""


def sinfo() -> str:
    """Write the other partitions in short, without the names of nodes."""
    rows = [
        (name, its.avail, _length(its.hours * HOUR), f"{its.allocated}/{its.idle}/{its.other}/{its[2:].sum()}")
        for name, its in partitions().iterrows()
    ]
    return _table({"PARTITION": 9, "AVAIL": 5, "TIMELIMIT": 10, "NODES(A/I/O/T)": 16}, rows)


def sprio() -> str:
    """Write the weighted factors of those who wait, but not their sum."""
    rows = [(52_110 + 3 * at, user, *row[1:]) for at, (user, *row) in enumerate(factors(users()).itertuples())]
    return _table({"JOBID": 8, "USER": 8, "AGE": 10, "FAIRSHARE": 10}, rows)


def squeue_of_the_account() -> str:
    """Write the jobs of the account with their CPUs."""
    jobs, rows, first = account().jobs, [], 1
    for (job, its), user in zip(jobs.iterrows(), [*USERS[1:5], USERS[0]], strict=True):
        last = first + its.procs // CPUS - 1
        nodes = f"cn{first:03}" if first == last else f"cn[{first:03}-{last:03}]"
        mine, first = job == jobs.index[-1], last + 2
        state, where = ("PD", "(AssocGrpCpuLimit)") if mine else ("R", nodes)
        rows.append((job, user, state, _length(its.run), its.procs, where))
    return _table({"JOBID": 8, "USER": 8, "ST": 2, "TIME_LEFT": 11, "CPUS": 6, "NODELIST(REASON)": -1}, rows)


def scontrol_show_reservation() -> str:
    """Write of the maintenance of `array` what counts here."""
    its, now = array(), cluster().jobs.submit.iloc[-1]
    begin, end = (now + minutes * MINUTE for minutes in (its.until, its.until + its.down))
    return f"""ReservationName=maint StartTime={clock(begin)} EndTime={clock(end)}
   Nodes=cn[001-{NODES}] NodeCnt={NODES} CoreCnt={NODES * CPUS} Features=(null) PartitionName=cpu
   Flags=MAINT,IGNORE_JOBS,SPEC_NODES Users=root Accounts=(null) State=INACTIVE"""


def squeue_of_the_array() -> str:
    """Write the array and the job that depends on it."""
    its = array()
    rows = [
        (f"53001_[1-{its.tasks}%{its.at_once}]", "scan", "ada", "PD", 1, "(ReqNodeNotAvail, Reserved for maintenance)"),
        ("53002", "merge", "ada", "PD", 1, "(Dependency)"),
    ]
    return _table({"JOBID": 18, "NAME": 8, "USER": 8, "ST": 2, "NODES": 6, "NODELIST(REASON)": -1}, rows)
