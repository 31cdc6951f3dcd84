"""Records of Slurm's accounting as sacct prints them, and what becomes of them."""

import re

import pytest

from simlib.logs import sacct

NOON = 1709290800  # 2024-03-01 12:00 in Berlin
JOB = {
    "JobID": "1",
    "Submit": f"{NOON}",
    "Eligible": f"{NOON}",
    "Start": f"{NOON + 10}",
    "End": f"{NOON + 110}",
    "ElapsedRaw": "100",
    "TimelimitRaw": "60",
    "State": "COMPLETED",
    "AllocCPUS": "4",
    "ReqCPUS": "4",
    "NNodes": "1",
    "ReqNodes": "1",
    "AllocTRES": "billing=4,cpu=4,mem=16G,node=1",
    "User": "alice",
    "Account": "physics",
    "QOS": "normal",
    "Partition": "batch",
    "JobName": "wave",
}


def job(number=1, submit=0, wait=0, run=100, **fields):
    """A record of a job that ran; times in seconds after noon, `fields` as sacct prints them."""
    start = NOON + submit + wait
    times = {"Submit": NOON + submit, "Eligible": NOON + submit, "Start": start, "End": start + run, "ElapsedRaw": run}
    return JOB | {"JobID": number} | times | fields


def cancelled(number=1, submit=0, waited=0, **fields):
    """A record of a job that was cancelled before it started, as recent versions print it."""
    unstarted = {"Start": "None", "End": NOON + submit + waited, "AllocCPUS": 0, "State": "CANCELLED by 1000"}
    return job(number, submit, run=0) | unstarted | fields


def text(records, without=()):
    """The output of sacct with the columns of the first record."""
    columns = [name for name in records[0] if name not in without]
    return "".join("|".join(map(str, row)) + "\n" for row in [columns, *([r[c] for c in columns] for r in records)])


def fault(convert, records, **options):
    """What converting complains of, after the file's name."""
    with pytest.raises(sacct.SacctError) as error:
        convert(records, **options)
    return re.sub(r"^.*jobs\.txt: ", "", str(error.value))
