"""What Slurm's sacct prints becomes a log without names; what is left out is counted, what is wrong is named."""

import csv
import gzip
import io
import json
import re
import shlex
import warnings

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib.__main__ import main
from simlib.logs import sacct
from simlib.logs.swf import LogWarning

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sacct")


@pytest.fixture(scope="module")
def convert(folder):
    """A function that converts records, or a text, and returns the workload and the counts."""

    def convert(records, **options):
        source, target = folder / "jobs.txt", folder / "jobs.swf"
        source.write_text(records if isinstance(records, str) else text(records))
        counts = sacct.convert(source, target, **options)
        with warnings.catch_warnings(action="ignore", category=LogWarning):  # of jobs without a time limit
            return simlib.read_swf(target), counts

    return convert


def fault(convert, records, **options):
    """What converting complains of, after the file's name."""
    with pytest.raises(sacct.SacctError) as error:
        convert(records, **options)
    return re.sub(r"^.*jobs\.txt: ", "", str(error.value))


# What a record becomes


def test_a_record_becomes_a_line_of_18_fields(convert):
    w, _ = convert([job(submit=0, run=7), job(2, 5, wait=10, run=100, AllocCPUS=8, State="TIMEOUT")])
    assert w.log.loc[2].to_dict() == {
        **{"job": 2, "submit": 5, "wait": 10, "run": 100, "procs": 8, "cpu": -1, "memory": -1},
        **{"requested_procs": 4, "requested_time": 3600, "requested_memory": -1, "status": 0},
        **{"user": 1, "group": 1, "app": 1, "queue": 1, "partition": 1, "preceding": -1, "think": -1},
    }


STATES = {"COMPLETED": 1, "CANCELLED": 5, "CANCELLED by 1234": 5, "CANCELLED+": 5, "SOME_STATE_TO_COME": -1}
STATES |= dict.fromkeys("FAILED TIMEOUT NODE_FAIL OUT_OF_MEMORY PREEMPTED DEADLINE".split(), 0)


def test_states_are_those_of_the_format(convert):
    w, _ = convert([job(number, State=state) for number, state in enumerate(STATES)])
    assert w.jobs.status.tolist() == list(STATES.values())


@pytest.mark.parametrize("limit, seconds", [("90", 5400), ("UNLIMITED", -1), ("Partition_Limit", -1), ("", -1)])
def test_time_limits_are_minutes_and_some_jobs_have_none(convert, limit, seconds):
    w, counts = convert([job(run=100, TimelimitRaw=limit)])
    assert w.log.requested_time.tolist() == [seconds]
    assert w.jobs.estimate.tolist() == [seconds if seconds > 0 else 100]
    assert counts["of them without time limit"] == (seconds < 0)


def test_dumps_without_raw_columns_have_written_durations(convert):
    records = [job(ElapsedRaw="2-03:00:01", TimelimitRaw="30:00"), job(2, ElapsedRaw="01:40", TimelimitRaw="01:00:00")]
    w, _ = convert(text(records).replace("ElapsedRaw", "Elapsed").replace("TimelimitRaw", "Timelimit"))
    assert w.jobs[["run", "estimate"]].values.tolist() == [[183601, 1800], [100, 3600]]


def test_jobs_are_numbered_in_order_of_submission(convert):
    w, _ = convert([job(900, submit=50), job("77_3", submit=0), job("88+1", submit=50)])
    assert w.log[["job", "submit"]].values.tolist() == [[1, 0], [2, 50], [3, 50]]


def test_nodes_can_be_counted_instead_of_cpus(convert):
    records = [job(AllocCPUS=256, NNodes="2", ReqNodes="2"), job(2, AllocCPUS=262144, NNodes="2K", ReqNodes="1.5K")]
    w, _ = convert(records, unit="nodes")
    assert w.log[["procs", "requested_procs"]].values.tolist() == [[2, 2], [2048, 1536]]
    assert any(line.startswith(" Note: processors are nodes; MaxProcs is what was in use") for line in w.header)


# Jobs that never ran


@pytest.mark.parametrize(
    "record",
    [
        cancelled(2, submit=5, waited=60),
        cancelled(2, submit=5, waited=60, AllocCPUS=4),
        cancelled(2, submit=5, waited=60, Start=NOON + 65),
        cancelled(2, submit=5, waited=60, Start=NOON + 65, AllocCPUS=4),
        cancelled(2, submit=5, waited=60, Start="Unknown", State="DEADLINE"),
        cancelled(2, submit=5, waited=60, Start=NOON + 65, State="DEADLINE"),
        cancelled("2_[3-9]", submit=5, waited=60),
    ],
    ids=["recent", "wanted CPUs as allocated", "end as start", "both", "deadline", "older deadline", "array"],
)
def test_what_never_started_is_kept_without_run_time_and_then_dropped_visibly(convert, record):
    w, counts = convert([job(), record])
    assert w.log.loc[2, ["submit", "wait", "run", "procs", "requested_procs"]].tolist() == [5, 60, -1, -1, 4]
    assert (len(w), w.dropped.tolist()) == (1, ["run time unknown"])
    assert (counts["jobs written"], counts["of them never started"]) == (2, 1)


def test_a_job_that_ended_within_its_first_second_did_run(convert):
    w, counts = convert([job(run=0, State="FAILED")])
    assert (w.jobs.run.tolist(), counts["of them never started"]) == ([0], 0)


def test_what_had_not_ended_steps_and_siblings_are_left_out_and_counted(convert):
    records = [
        job(1),
        job("1.batch", User="", TimelimitRaw=""),
        job("1.extern", State="CANCELLED"),
        job("7_2.0"),
        job("8+1.0"),
        job(2, State="RUNNING", End="Unknown"),
        job(3, State="RUNNING"),  # sacct --truncate ends it with the period asked for
        job("4_[5-10]", State="PENDING", Start="Unknown", End="Unknown", AllocCPUS=0),
        job(5, State="STAGE_OUT", End="Unknown"),
        job(6, State="REVOKED", End="Unknown"),
    ]
    w, counts = convert(records)
    assert len(w.log) == 1
    assert {what: count for what, count in counts.items() if "left out" in what} == {
        "left out: job steps": 4,
        "left out: had not ended": 4,
        "left out: ran elsewhere": 1,
    }


def test_every_run_of_a_requeued_job_is_a_job(convert):
    w, _ = convert([job(1, State="PREEMPTED", run=30), job(1, submit=50, State="REQUEUED"), job(1, submit=500)])
    assert w.jobs[["submit", "run", "status"]].values.tolist() == [[0, 30, 0], [50, 100, 0], [500, 100, 1]]


def test_outputs_of_several_months_stand_one_after_the_other(convert):
    march, april = text([job(1), job(2, submit=5)]), text([job(2, submit=5), job(3, submit=9)])
    w, counts = convert(march + "\n" + april)
    assert w.jobs.submit.tolist() == [0, 5, 9]
    assert counts["left out: the same job again"] == 1


# Times


def test_times_without_zone_are_those_of_the_zone_given(convert):
    local = {
        "Submit": "2024-03-01T12:00:00",
        "Eligible": "2024-03-01T12:00:00",
        "Start": "2024-03-01T12:00:10",
        "End": "2024-03-01T12:01:50",
    }
    w, _ = convert([JOB | local], timezone="Europe/Berlin")
    plain, _ = convert([JOB], timezone="Europe/Berlin")
    assert w.equals(plain)
    assert w.start == pd.Timestamp("2024-03-01 12:00", tz="Europe/Berlin")
    assert " StartTime: Fri Mar 01 12:00:00 CET 2024" in w.header
    assert " EndTime: Fri Mar 01 12:01:50 CET 2024" in w.header


LOCAL = "JobID|Submit|Start|End|Elapsed|Timelimit|State|AllocCPUS\n1|{}|{}|{}|{}|05:00:00|COMPLETED|4\n"
BACK, FORTH = "2024-10-27T", "2024-03-31T"


@pytest.mark.parametrize(
    "day, submit, start, end, elapsed, zone, wait, submitted, doubts",
    [
        (BACK, "02:50:00", "02:10:00", "02:40:00", "00:30:00", "Europe/Berlin", 1200, "02:50+02:00", 0),
        (BACK, "01:50:00", "02:30:00", "02:10:00", "00:40:00", "Europe/Berlin", 2400, "01:50+02:00", 0),
        (BACK, "02:05:00", "02:06:00", "02:16:00", "00:10:00", "Europe/Berlin", 60, "02:05+02:00", 0),
        (BACK, "00:05:00", "00:06:00", "03:06:00", "04:00:00", "Europe/Berlin", 60, "00:05+02:00", 0),
        (BACK, "02:20:00", "02:30:00", "03:10:00", "00:40:00", "Europe/Berlin", 4200, "02:20+02:00", 0),
        (BACK, "01:50:00", "02:10:00", "02:11:40", "00:01:41", "Europe/Berlin", 1200, "01:50+02:00", 0),  # rounded
        (BACK, "01:50:00", "02:10:00", "02:50:00", "00:30:00", "Europe/Berlin", 1200, "01:50+02:00", 0),  # suspended
        ("2024-11-03T", "01:50:00", "01:10:00", "01:40:00", "00:30:00", "America/New_York", 1200, "01:50-04:00", 0),
        ("2024-04-07T", "01:50:00", "01:40:00", "02:00:00", "00:20:00", "Australia/Lord_Howe", 1200, "01:50+11:00", 0),
        (FORTH, "01:50:00", "02:10:00", "02:40:00", "00:30:00", "Europe/Berlin", 1200, "01:50+01:00", 1),
        (FORTH, "01:50:00", "01:55:00", "03:05:00", "00:10:00", "Europe/Berlin", 300, "01:50+01:00", 0),
        (FORTH, "01:50:00", "02:55:00", "03:05:00", "00:10:00", "Europe/Berlin", 300, "01:50+01:00", 1),
        (BACK, "00:05:00", "00:06:00", "03:06:00", "04:00:00", "UTC", 60, "00:05+00:00", 1),  # the wrong zone
    ],
)
def test_of_doubtful_times_the_reading_that_makes_sense_is_taken_and_what_no_clock_showed_is_told(
    convert, day, submit, start, end, elapsed, zone, wait, submitted, doubts
):
    w, counts = convert(LOCAL.format(day + submit, day + start, day + end, elapsed), timezone=zone)
    assert w.log.wait.tolist() == [wait]
    assert w.log.run.tolist() == [pd.Timedelta(elapsed).seconds]
    assert w.start == pd.Timestamp(day.replace("T", " ") + submitted)
    assert counts["of them suspended for a while"] == (submit + end == "01:50:0002:50:00")
    assert sum(zone in line for line in w.header if "Note" in line) == doubts


# The machine


def peaks(w):
    """What the header says of the machine's size and of the highest peak."""
    [line] = [line for line in w.header if "processors are" in line]
    return w.procs, int(re.search(r"at most (\d+) were in use at once", line)[1])


def test_the_machine_is_the_most_in_use_at_once(convert):
    records = [job(1, 0, run=100), job(2, 50, run=50), job(3, 100, run=10, AllocCPUS=5), job(4, 5, run=0)]
    assert peaks(convert(records)[0]) == (8, 8)  # job 3 takes what jobs 1 and 2 leave in that second
    assert peaks(convert(records, procs=128)[0]) == (128, 8)  # where it is given
    assert convert([job(run=0, AllocCPUS=64), job(2)])[0].procs == 64  # at least its largest job
    assert convert([cancelled()], procs=8)[0].procs == 8  # also where no job ever ran


def test_a_brief_peak_is_not_the_machine(convert):
    full = [job(n, submit=n // 4 * 86400, run=86400, AllocCPUS=16) for n in range(40)]  # 64 for ten days
    late = [job(100 + n, submit=40000, run=seconds, AllocCPUS=9) for n, seconds in enumerate([120, 100])]
    assert peaks(convert(full + late)[0]) == (64, 82)
    assert peaks(convert([*full, job(200, submit=40000, run=864, AllocCPUS=9)])[0]) == (73, 73)
    assert peaks(convert([*full, job(200, submit=864000, run=120, AllocCPUS=80)])[0]) == (80, 80)


@pytest.mark.parametrize("unit, size", [("cpus", 4), ("nodes", 1)])
def test_resources_tell_the_size_where_no_column_of_its_own_does(convert, unit, size):
    w, _ = convert(text([job()], without=["AllocCPUS", "NNodes"]), unit=unit)
    assert w.jobs.procs.tolist() == [size]


GPUS, LICENCES = "of them with GPUs", "of them with licences or other resources"


@pytest.mark.parametrize(
    "column, resources, gpus, licences",
    [
        ("AllocTRES", "billing=9,cpu=4,gres/gpu:a100=2,gres/gpu=2,mem=16G,node=1", 2, 0),
        ("AllocTRES", "cpu=4,gres/gpu=3,gres/gpu:a100=2,gres/gpu:h100=1", 3, 0),
        ("AllocTRES", "cpu=4,gres/gpu:a100=2,gres/gpu:h100=1", 3, 0),
        ("AllocTRES", "cpu=4,gres/gpu=0,mem=16G,fs/disk=7", 0, 0),
        ("AllocTRES", "cpu=4,gres/gpumem=40,node=1", 0, 0),
        ("ReqTRES", "bb/cray=5,cpu=4,license/matlab=1", 0, 1),
        ("AllocGRES", "gpu:tesla:2", 2, 0),
        ("AllocGRES", "gres:gpu:2(S:0-1)", 2, 0),
        ("ReqGRES", "gpu:0,mps:50", 0, 1),
        ("ReqGRES", "gpu", 1, 0),
        ("ReqGRES", "gpu:1g.5gb,mic:0", 1, 0),
    ],
)
def test_gpus_are_a_field_and_jobs_with_them_or_other_resources_are_counted(convert, column, resources, gpus, licences):
    records = [job(1, AllocTRES=resources, run=300), job(2, AllocTRES="", run=100)]
    w, counts = convert(text(records).replace("AllocTRES", column))
    assert w.log.get("gpus", pd.Series([0, 0])).tolist() == [gpus, 0]
    assert (counts[GPUS], counts[LICENCES]) == (gpus > 0, licences)
    said = [line for line in w.header if "1 jobs with 75.0 % of the processor-seconds had" in line]
    assert len(said) == (gpus > 0) + licences


def test_the_machine_s_gpus_are_found_as_its_processors_are_or_given(convert):
    records = [job(n, run=1000, AllocTRES="cpu=4,gres/gpu=3") for n in range(2)] + [job(3, submit=5000, run=9000)]
    assert " MaxGPUs: 6" in convert(records)[0].header
    assert " MaxGPUs: 8" in convert(records, gpus=8)[0].header
    assert fault(convert, records, gpus=0).startswith("GPUs of the machine: found 0")
    assert not any("GPUs:" in line for line in convert([job()])[0].header)


RESOURCES = ["AllocTRES", "AllocGRES", "ReqTRES", "ReqGRES"]


@pytest.mark.parametrize(
    "alloctres, allocgres, reqtres, reqgres, nodes, gpus",
    [
        ("", "", "billing=8,cpu=8,node=2", "gpu:2", 2, 4),  # ReqGRES is for each node
        ("", "", "billing=8,cpu=8,gres/gpu=2,mem=4G,node=1", "", 1, 2),
        ("cpu=8,node=1", "gpu:tesla:2", "", "", 1, 2),  # AccountingStorageTRES lacks gres/gpu
        ("cpu=8,node=2", "", "cpu=8,node=2", "gpu:a100:4(S:0-1)", 2, 8),
        ("cpu=8,gres/gpu=1", "gpu:2", "cpu=8,gres/gpu=3", "gpu:4", 1, 1),
        ("cpu=8", "gpu:2", "cpu=8,gres/gpu=3", "gpu:4", 1, 2),
        ("cpu=8", "", "cpu=8,gres/gpu=3", "gpu:4", 2, 3),
        ("cpu=8,gres/gpu=0", "", "cpu=8,gres/gpu=3", "gpu:4", 1, 0),
        (None, None, "cpu=8", "gpu:4", 2, 8),
        (None, "", None, "gpu:4", 3, 12),
        ("cpu=8", None, None, "", 1, 0),
    ],
)
def test_of_each_record_s_resources_those_count_that_name_gpus_allocated_before_requested(
    convert, alloctres, allocgres, reqtres, reqgres, nodes, gpus
):
    given = dict(zip(RESOURCES, (alloctres, allocgres, reqtres, reqgres), strict=True))
    given = {name: value for name, value in given.items() if value is not None}
    records = [job(1, **given, NNodes=nodes), job(2, **dict.fromkeys(given, ""))]
    w, _ = convert(text(records, without={*RESOURCES} - {*given}))
    assert w.log.get("gpus", pd.Series([0, 0])).tolist() == [gpus, 0]


@pytest.mark.parametrize(
    "resources, said",
    [
        ({"AllocTRES": "cpu=4,node=1"}, True),
        ({"AllocTRES": "cpu=4", "ReqTRES": ""}, True),
        ({"AllocTRES": "cpu=4,gres/gpu=1"}, False),
        ({"AllocTRES": "cpu=4", "AllocGRES": ""}, False),  # Slurm has this column without being told to
    ],
)
def test_where_no_record_can_name_gpus_it_is_said_that_they_are_not_known(convert, resources, said):
    w, _ = convert(text([{name: job()[name] for name in JOB if name != "AllocTRES"} | resources]))
    assert any("AccountingStorageTRES" in line and "not known" in line for line in w.header) == said


# Names


def test_names_become_numbers_in_order_of_first_appearance(convert):
    users = ["zoe", "adam", "", "zoe"]
    records = [job(number, submit=number, User=user) for number, user in enumerate(users)]
    assert convert(records[::-1])[0].jobs.user.tolist() == [1, 2, -1, 1]


def test_names_of_users_accounts_and_qualities_of_service_are_written_only_where_they_are_asked_for(convert):
    records = [job(User="alice"), job(2, User="bob  b")]
    lines = {" User: 1 alice", " User: 2 bob b", " Group: 1 physics", " Queue: 1 normal", " Partition: 1 batch"}
    assert lines <= {*convert(records, names=True)[0].header}
    assert lines & {*convert(records)[0].header} == {" Partition: 1 batch"}


def test_no_name_but_of_partitions_and_no_job_number_gets_into_the_log(convert, folder):
    names = {"User": "alice", "Account": "physics", "QOS": "hush", "Partition": "fermi", "JobName": "secret"}
    convert([job(987654, **names), cancelled(876543, 5, **names)], timezone="Europe/Berlin")
    written = (folder / "jobs.swf").read_text()
    assert not re.search("alice|physics|hush|secret|987654|876543|jobs.txt", written)


def test_partitions_are_numbered_and_keep_their_names(convert):
    names = ["gpu", "cpu", "", "synthetic\x85two", "gpu"]
    w, _ = convert([job(number, submit=number, Partition=name) for number, name in enumerate(names)])
    assert w.log.partition.tolist() == [1, 2, -1, 3, 1]
    assert [line for line in w.header if "artition:" in line] == [
        " Partition: 1 gpu",
        " Partition: 2 cpu",
        " Partition: 3 synthetic two",
    ]
    assert w.partition("cpu", procs=4).jobs.index.tolist() == [2]
    assert not w.synthetic


def test_job_names_may_hold_the_separator_and_quotes_where_they_come_last(convert):
    w, _ = convert([job(1, JobName='a|b "'), job(2, JobName="'|"), job(3, JobName='a|b "', User="bob"), job(4)])
    assert w.jobs.app.tolist() == [1, 2, 1, 3]


@pytest.mark.parametrize("column, name", [("User", "a|b"), ("Account", "|"), ("QOS", "a|physics"), ("User", "|||")])
def test_a_record_with_the_separator_in_another_name_is_left_out_and_counted(convert, column, name):
    w, counts = convert([job(1), job(2, submit=5, **{column: name}), job(3, submit=7)])
    assert w.log.submit.tolist() == [0, 7]
    assert w.log[[*sacct.OPTIONAL]].eq(1).all(axis=None)
    assert counts["left out: more fields than columns, a | in a name? See line 3"] == 1


def test_reasons_and_who_started_a_job_are_fields_where_they_are_exported(convert):
    told = {"Reason": "None", "Flags": "SchedMain"}, {"Reason": "QOSMaxJobsPerUserLimit", "Flags": "SchedBackfill"}
    told += {"Reason": "Priority", "Flags": ""}, {"Reason": "AssocGrpCpuLimit", "Flags": "StartReceived,SchedSubmit"}
    w, _ = convert([job(number, submit=number, **one) for number, one in enumerate(told, start=1)])
    assert w.log.reason.tolist() == [-1, 1, -1, 2] and w.log.started_by.tolist() == [1, 2, -1, 3]
    assert sacct.names(w)["reason"] == {1: "QOSMaxJobsPerUserLimit", 2: "AssocGrpCpuLimit"}
    w, _ = convert([job()])
    assert "reason" not in w.log and "started_by" not in w.log


def test_blocks_of_records_make_one_log(convert, monkeypatch):
    records = [job(n, submit=n % 7, wait=n, User=f"u{n % 3}", AllocTRES=f"gres/gpu={n % 2}") for n in range(1, 30)]
    records[4] |= {"JobName": "a|b"}
    records[9] |= {"User": "a|b"}
    records[14] |= {"JobName": "of two\nlines"}
    records[19] |= {"End": "?"}
    others = text([job(n, submit=n, Cluster="c", Reason="Licenses") for n in range(25, 40)])
    whole, counts = convert(text(records) + others)
    monkeypatch.setattr(sacct.sacct_records, "_BLOCK", 4)
    parts, same = convert(text(records) + others)
    assert parts.log.equals(whole.log) and same == counts and counts["jobs written"] == 29 - 3 + 15


def test_columns_of_names_are_not_needed(convert):
    optional = ["ReqCPUS", "NNodes", "ReqNodes", "Eligible", "AllocTRES", *sacct.OPTIONAL.values()]
    w, _ = convert(text([job()], without=optional))
    assert w.log[["requested_procs", *sacct.OPTIONAL]].iloc[0].tolist() == [-1] * 6


def parted(separator, quoting=csv.QUOTE_MINIMAL):
    """A function that separates the fields of sacct's output otherwise, and quotes them."""

    def parted(text):
        written = io.StringIO()
        rows = [line.split("|") for line in text.splitlines()]
        csv.writer(written, delimiter=separator, quoting=quoting, lineterminator="\n").writerows(rows)
        return written.getvalue()

    return parted


def aligned(text, gap=" "):
    """The output of plain sacct, whose columns are as wide as their values."""
    rows = [line.split("|") for line in text.splitlines()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    lines = [gap.join(f"{value:>{width}}" for value, width in zip(row, widths, strict=True)) for row in rows]
    return "".join(f"{line} \n" for line in lines)


def monthly(text, change=lambda text: text):
    """Two outputs one after another, of which the second is changed."""
    header, first, second = text.splitlines()
    return f"{header}\n{first}\n{change(f'{header}{chr(10)}{second}{chr(10)}')}"


def in_json(text, version=40, after="\n"):
    """The same as sacct --json prints it."""
    header, *rows = (line.split("|") for line in text.splitlines())
    jobs = [in_one_json(dict(zip(header, row, strict=True)), version) for row in rows]
    return json.dumps({"jobs": jobs, "meta": {"plugin": {"data_parser": f"data_parser/v0.0.{version}"}}}) + after


def in_one_json(record, version):
    """One record as JSON: of the old version numbers are plain, and a job has one state."""

    def number(text):
        """A number that may be missing or infinite."""
        if version < 40:
            return int(text) if text.isdigit() else None
        return {"set": text.isdigit(), "infinite": text == "UNLIMITED", "number": int(text) if text.isdigit() else 0}

    def tres(text):
        """A list of resources."""
        parts = [re.fullmatch("([^=/]*)/?(.*)=(.*)", part) for part in text.split(",") if part]
        return [{"type": part[1], "name": part[2], "id": 1, "count": part[3]} for part in parts]

    state = record["State"].split()[0]
    whose = {"association": {"user": record["User"], "cluster": "c"}} if version < 40 else {"user": record["User"]}
    times = {name.lower(): int(record[name]) for name in ("Eligible", "Start", "End")}
    return whose | {
        "job_id": int(record["JobID"]),
        "name": record["JobName"],
        "account": record["Account"],
        "qos": record["QOS"],
        "partition": record["Partition"],
        "allocation_nodes": int(record["NNodes"]),
        "required": {"CPUs": int(record["ReqCPUS"])},
        "state": {"current": [state] if version >= 40 else state, "reason": "None"},
        "steps": [{"time": {"elapsed": 3}}],
        "time": times
        | {"submission": int(record["Submit"]), "elapsed": int(record["ElapsedRaw"])}
        | {"limit": number(record["TimelimitRaw"]), "suspended": 0},
        "tres": {"allocated": tres(record["AllocTRES"]), "requested": tres(record["AllocTRES"])},
    }


LAYOUTS = {
    "parsable": lambda text: text.replace("\n", "|\n"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no final newline": lambda text: text.rstrip("\n"),
    "small letters": lambda text: text.replace("JobID|Submit", "jobid|submit"),
    "an older name": lambda text: text.replace("AllocCPUS", "NCPUS"),
    "an unknown column": lambda text: text.replace("JobID|", "Planet|JobID|").replace("\n1", "\nMars|1"),
    "a column twice": lambda text: text.replace("JobID|", "JobID|JobID|").replace("\n1", "\n9|1"),
    "the raw number": lambda text: text.replace("JobID|", "JobIDRaw|"),
    "an empty first line": lambda text: "\n\n" + text,
    "comments": lambda text: "# of our cluster, by user and partition\n#\n" + text,
    "a header in a comment": lambda text: "# " + text,
    "a message": lambda text: "sacct: warning: user, account and partition may be old\n" + text,
    "commas": parted(","),
    "semicolons": parted(";"),
    "tabs": parted("\t"),
    "quoted": parted("|", csv.QUOTE_ALL),
    "all quoted, with commas": parted(",", csv.QUOTE_ALL),
    "padded": lambda text: text.replace("|", " | "),
    "a database": lambda text: text.replace("|", " | ").replace("\n", "\n-----+----\n", 1) + "(2 rows)\n\n",
    "aligned": aligned,
    "two outputs": monthly,
    "two outputs, the second parsable": lambda text: monthly(text, lambda text: text.replace("\n", "|\n")),
    "two outputs, the second with commas": lambda text: monthly(text, parted(",")),
    "two outputs, the second aligned": lambda text: monthly(text, aligned),
    "two outputs with a remark each": lambda text: monthly(text, lambda text: "(1 rows affected)\n\n" + text + "end"),
    "JSON": in_json,
    "old JSON": lambda text: in_json(text, version=38),
    "two documents of JSON": lambda text: in_json(text, after="") + "\n" * 2000 + in_json(text),
}


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_layout_does_not_matter(convert, layout):
    written = text([job(1, TimelimitRaw="UNLIMITED"), job(11, submit=5, JobName="tide", State="CANCELLED by 7")])
    w, _ = convert(written)
    other, _ = convert(layout(written))
    assert other.log[[*w.log]].equals(w.log)  # JSON tells more


COLUMNS = [name for name in JOB if name != "AllocTRES"]


@pytest.mark.parametrize("separator", ["|", ",", ";", "\t"])
@pytest.mark.parametrize("tail", ["", "at the end, too"])
def test_output_without_a_header_is_read_if_its_columns_are_given(convert, separator, tail):
    written = text([job(1), job(2, submit=5, JobName="")], without=["AllocTRES"]).replace("|", separator)
    header, *rows = written.splitlines()
    rows = "".join(f"{row}{separator * bool(tail)}\n" for row in rows)
    for columns in ([name.lower() for name in COLUMNS], "%20, ".join(COLUMNS)):
        assert convert(rows, columns=columns)[0].log.equals(convert(written)[0].log)
    assert "2 fields" in fault(convert, rows, columns=["JobID", "Submit"])
    assert "line 1" in fault(convert, f"{header}\n{rows}", columns=COLUMNS)
    assert "line 1" in (message := fault(convert, rows)) and "--columns" in message and "--noheader" in message


def test_the_file_may_be_compressed(folder):
    (folder / "jobs.gz").write_bytes(gzip.compress(text([job()]).encode()))
    assert sacct.convert(folder / "jobs.gz", folder / "gz.swf.gz")["jobs written"] == 1
    assert len(simlib.read_swf(folder / "gz.swf.gz")) == 1


@pytest.mark.parametrize(
    "fields, refused",
    [
        ({"JobID": "1234567_12+"}, True),
        ({"AllocTRES": "billing=4+"}, True),
        ({"User": "averylong+"}, True),
        ({"Partition": "averylong+"}, True),
        ({"JobName": "averylong+"}, False),  # it becomes unknown
        ({"State": "CANCELLED+"}, False),
        ({"JobID": "1.ext+", "Partition": "averylong+"}, False),  # a step, which is left out
    ],
)
def test_plain_columns_are_read_if_no_value_that_counts_is_cut_off(convert, fields, refused):
    written = aligned(text([job(7), job(1, 5, **fields)]))
    if refused:
        [(name, value)] = fields.items()
        message = fault(convert, written)
        assert f"line 4: {name.lower()}: found {value!r}" in message and "--parsable2" in message
    else:
        w, counts = convert(written)
        assert w.log.app.tolist() == ([1, -1] if "JobName" in fields else [1, 1])[: len(w.log)]
        assert len(w.log) + counts.get("left out: job steps", 0) == 2


@pytest.mark.parametrize(
    "written, words",
    [
        ('{"jobs": [', "JSON"),
        ('{"jobs": 3}', "sacct --json"),
        ('{"nodes": []}', "sacct --json"),
        ('{"jobs": []}', "JobID"),
        ('{"jobs": [{"job_id": 1, "submit_time": {"number": 1}}]}', "Submit"),  # of squeue
        ("1;2;3\n", "line 1.*--columns"),
        ("{} this is no job\n", "JSON"),
        ("a report\nof nothing\n", "line 1: found 'a report'.*"),
        (text([job()]).replace("JobID|Submit|Eligible|Start|End", "JobID|a|b|c|d"), "line 1: .*Submit, Start, End"),
        ("7|8|9\n" + text([job()]), "line 1.*--columns"),  # the first of two outputs has no header
        (text([job()], without=["User"]) + text([job(2)], without=["End"]), "line 3: .*End"),
        (text([job(n) for n in range(9)]).replace("|", ","), "line 2: .*--parsable2"),  # commas in AllocTRES
    ],
)
def test_what_cannot_be_read_is_refused_with_the_line_and_what_is_expected(convert, written, words):
    assert re.search(words, fault(convert, written), re.DOTALL)


def test_values_in_json_may_be_missing(convert):
    started = {"submission": NOON, "start": NOON + 5, "end": NOON + 105, "elapsed": 100, "limit": {"set": False}}
    tres = {"allocated": [{"type": "cpu", "count": 8}, {"type": "gres", "name": "gpu:a100", "count": 2}]}
    whole = {"job_id": 1, "time": started, "state": {"current": ["FAILED", "PREEMPTED"]}, "tres": tres}
    running = whole | {"job_id": 2, "time": started | {"end": 0}}
    broken = whole | {"job_id": 3, "time": started | {"elapsed": None}}
    w, counts = convert(json.dumps({"jobs": [whole, running, broken, whole | {"job_id": 4, "user": None, "tres": []}]}))
    assert w.log[["wait", "run", "procs", "requested_time", "status", "gpus", "user"]].values.tolist() == [
        [5, 100, 8, -1, 0, 2, -1],
        [105, -1, -1, -1, 0, 0, -1],
    ]
    assert counts["left out: had not ended"] == 1 and sum("job 3" in what for what in counts) == 1


# All at once

jobs = st.builds(
    job,
    submit=st.integers(0, 10**8),
    wait=st.integers(0, 10**6),
    run=st.integers(0, 10**6),
    AllocCPUS=st.integers(1, 10**6),
    TimelimitRaw=st.one_of(st.just("UNLIMITED"), st.integers(1, 10**5)),
    JobName=st.text("ab|\"' ü,;", max_size=4),
)


def in_words(record):
    """The same record as sacct prints it without SLURM_TIME_FORMAT and raw columns."""
    days, seconds = divmod(record["ElapsedRaw"], 86400)
    elapsed = f"{days}-" * (days > 0) + f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    names = "Submit", "Eligible", "Start", "End"
    times = {name: f"{pd.Timestamp(record[name], unit='s'):%Y-%m-%dT%H:%M:%S}" for name in names}
    return record | times | {"ElapsedRaw": elapsed}


@pytest.mark.slow
@given(st.lists(jobs, min_size=1, max_size=8), st.booleans())
def test_what_ran_comes_back_as_it_was(convert, records, words):
    records[0]["JobName"] = "plain"  # without a separator, so that the others' groups are known
    records = [record | {"JobID": number} for number, record in enumerate(records)]
    w, counts = convert([in_words(record) for record in records] if words else records)
    records.sort(key=lambda record: record["Submit"])
    first = records[0]["Submit"]
    limits = [(r["ElapsedRaw"] if r["TimelimitRaw"] == "UNLIMITED" else r["TimelimitRaw"] * 60) for r in records]
    assert counts["jobs written"] == len(records)
    assert w.start.timestamp() == first
    assert w.jobs.submit.tolist() == [r["Submit"] - first for r in records]
    assert w.jobs.run.tolist() == [r["ElapsedRaw"] for r in records]
    assert w.jobs.procs.tolist() == [r["AllocCPUS"] for r in records]
    assert w.jobs.estimate.tolist() == limits
    assert w.log.wait.tolist() == [r["Start"] - r["Submit"] for r in records]


# Faults


def test_missing_columns_are_named_with_the_command_to_run(convert):
    first, command = fault(convert, text([job()], without=["End", "AllocCPUS", "AllocTRES", "TimelimitRaw"])).split(
        "\n"
    )
    assert first.startswith("line 1: ") and "End, TimelimitRaw or Timelimit, AllocCPUS or NCPUS or AllocTRES" in first
    assert command == sacct.COMMAND
    message = fault(convert, text([job()], without=["NNodes", "AllocTRES"]), unit="nodes")
    assert "NNodes or AllocNodes or AllocTRES" in message


def test_the_command_prints_all_that_is_read():
    command = shlex.split(sacct.COMMAND)
    columns = command[-1].removeprefix("--format=").split(",")
    assert [column for column in columns if column not in ("Reason", "Flags")] == list(JOB)
    assert columns.index("Reason") < columns.index("Flags") < columns.index("User")  # no name comes before them
    assert command[:2] == ["SLURM_TIME_FORMAT=%s", "sacct"]


TIME = "a time from 1970 to 2199 such as 2024-03-01T12:00:00 or 1709290800"
DURATION = "a whole number or a duration such as 1-12:30:00, below a hundred years"
COUNT = "a whole number up to 4294967295"
YEARS = ["0001-01-01T00:00:00", "9999-12-31T23:59:59", "7258118400", "99999999999", "1969-12-31T00:00:00"]
HUGE = "9" * 400


WRONG = [
    ("Submit", ["Unknown", ""], TIME),
    ("Submit", YEARS, TIME),
    ("Start", ["01 Mar 12:00", "1700-01-01T00:00:00", "2262-04-12T00:00:00"], TIME),
    ("End", ["2024-13-01T12:00:00", "9999999999", "1" * 40, "-1"], TIME),
    ("Eligible", ["soon"], TIME),
    ("ElapsedRaw", ["INVALID", "Unknown", "", "-5"], DURATION),
    ("ElapsedRaw", ["3155760001", HUGE, "36526-00:00:00", "1:2:3:4"], DURATION),
    ("TimelimitRaw", ["INVALID", "1 h", "52596001", "1" * 20, HUGE + ":00"], DURATION),
    ("AllocCPUS", ["four", "-4", "4294967296", "9223372036854775808"], COUNT),
    ("AllocCPUS", [HUGE, "5G", "1.5", "\u0664"], COUNT),
    ("ReqCPUS", ["4T", "18446744073709551616", HUGE + "K"], COUNT),
]


@pytest.mark.parametrize("field, values, expected", WRONG)
def test_a_record_with_an_impossible_value_is_left_out_and_counted_by_field_with_its_line(
    convert, field, values, expected
):
    good = [job(number, submit=9 * number) for number in range(len(values))]
    bad = [job(100 + number, 5, **{field: value}) for number, value in enumerate(values)]
    w, counts = convert([good[0], *bad, *good[1:], *(job(200 + n, 99 + n) for n in range(9))])
    assert len(w) == len(good) + 9 and counts["records"] == 2 * len(values) + 9
    assert counts[f"left out: {field.lower()}: expected {expected}. See line 3"] == len(values)


@pytest.mark.parametrize(
    "wrong, right, refused",
    [(1, 1, False), (1, 0, True), (2, 1, True), (5, 5, False), (6, 100, True), (6, 594, False), (7, 594, True)],
)
def test_more_wrong_values_than_a_handful_and_one_in_a_hundred_refuse_the_file(convert, wrong, right, refused):
    records = [job(n) for n in range(right)] + [job(1000 + n, ElapsedRaw="INVALID") for n in range(wrong)]
    if refused:
        assert f"line {right + 2}: elapsedraw: found 'INVALID'" in fault(convert, records)
    else:
        assert len(convert(records)[0]) == right


odd = st.sampled_from(["", "-1", "0", "1" * 11, "9" * 400, "0001-01-01T00:00:00", "9999-12-31T23:59:59", "2K", "1:2:3"])


@pytest.mark.slow
@given(st.lists(st.fixed_dictionaries({name: odd for name in list(JOB)[:12]}), min_size=1, max_size=3), st.data())
def test_odd_values_are_converted_or_refused_by_name(convert, records, data):
    kept = [data.draw(st.sets(st.sampled_from(list(JOB)[:12]))) for _ in records]
    w, counts = convert([JOB] * 4 + [job(n) | {name: r[name] for name in kept[n]} for n, r in enumerate(records)])
    assert (w.jobs >= -1).all(axis=None)
    assert counts["jobs written"] + sum(n for what, n in counts.items() if "left out" in what) == counts["records"]


def test_a_record_without_the_separator_at_the_end_that_all_others_have_is_left_out(convert):
    first = {"JobName": ""}  # it can hold a | as the last column only
    rows = [list(first | JOB), *([str(value) for value in (first | job(n)).values()] for n in (1, 2))]
    lines = ["|".join(row) + "|" for row in rows]
    lines[2] = "|" + lines[2].removesuffix("|")
    _, counts = convert("\n".join(lines) + "\n")
    assert [what for what in counts if "left out" in what and "line 3" in what] and counts["jobs written"] == 1


# Line feeds in names

BROKEN = [job(1), job(2, 5, JobName="two\nlines"), job(3, 9), job(4, 9, JobName="and\n\nthree\nof them"), job(5, 9)]


@pytest.mark.parametrize("tail", ["", "|"], ids=["parsable2", "parsable"])
@pytest.mark.parametrize("place", ["first", "amid", "last"])
def test_a_record_broken_over_several_lines_is_left_out_counted_and_named(convert, place, tail):
    names = [name for name in JOB if name != "JobName"]
    columns = {"first": ["JobName", *names], "amid": [*names[:5], "JobName", *names[5:]], "last": list(JOB)}[place]
    rows = [columns, *([record[name] for name in columns] for record in BROKEN)]
    w, counts = convert("".join("|".join(map(str, row)) + f"{tail}\n" for row in rows))
    assert w.log.submit.tolist() == [0, 9, 9]
    [(what, count)] = [(what, count) for what, count in counts.items() if "broken" in what]
    line = 4 if (place, tail) == ("last", "") else 3  # its first line looks like a record
    assert what == f"left out: broken over several lines, a line feed in a name? See line {line}"
    assert (count, counts["records"], counts["jobs written"]) == (2, 5, 3)


def test_a_file_that_is_broken_throughout_is_refused(convert):
    message = fault(convert, [job(n, JobName="a\nb") for n in range(9)])
    assert message.startswith("line 3: found broken") and "8 of 9 records" in message
    message = fault(convert, [job(n, JobName="a" + "\nb" * (n < 6)) for n in range(500)])
    assert message.startswith("line 3: found broken") and "6 of 500 records" in message


@pytest.mark.parametrize(
    "end, last, tail",
    [
        ("(1 rows affected)\n", "JobName", ""),
        ("\n(2 rows)\n\n", "AllocTRES", "|"),
        ("Completion time: 1\nBye\n", "AllocTRES", ""),
        ("Completion time: 1\nBye\n", "JobName", "|"),
        ("2|17092", "JobName", "|"),
        ("2|17092", "AllocTRES", ""),
    ],
)
def test_a_foreign_or_cut_last_line_is_left_out_alone(convert, end, last, tail):
    columns = [name for name in JOB if name != last] + [last]
    records = text([{name: job(n)[name] for name in columns} for n in (1, 2)]).replace("\n", f"{tail}\n")
    w, counts = convert(records + end)
    assert (len(w), counts["records"]) == (2, 3)
    line = 5 if end.startswith("\n") else 4
    assert sum(n for what, n in counts.items() if "left out" in what and f"line {line}" in what) == 1
    assert len(convert((records + end + "\n") * 9)[0]) == 2  # one remark for each output is not too many


# Jobs that stood still, were held, or went backwards


def test_suspended_jobs_are_counted_and_run_for_what_elapsed(convert):
    w, counts = convert([job(1, run=100, End=NOON + 400), job(2, run=100, End=NOON + 101), cancelled(3, 0, 50)])
    assert w.jobs.run.tolist() == [100, 100]
    assert counts["of them suspended for a while"] == 1


def test_a_job_is_submitted_when_it_became_eligible(convert):
    held = [job(1, submit=0, wait=90, Eligible=NOON + 60), job(2, submit=10, wait=30)]
    odd = [job(3, submit=70, wait=5, Eligible=NOON + 500), job(4, submit=80, Eligible="Unknown"), cancelled(5, 90, 9)]
    w, counts = convert([*held, *odd])
    assert w.log[["submit", "wait"]].values.tolist() == [[0, 30], [50, 30], [65, 0], [70, 0], [80, 9]]
    assert counts["of them held, or dependent on others, for a while"] == 2
    [said] = [line for line in w.header if "eligible" in line]
    assert "2 jobs that ran" in said and "52.0 %" in said  # 60 + 5 of 90 + 30 + 5 seconds


@pytest.mark.parametrize("column, wait", [("Eligible", 90), ("AllocTRES", 30), (None, 30)])
def test_without_a_column_it_is_said_what_is_not_known(convert, column, wait):
    w, counts = convert(text([job(1, wait=90, Eligible=NOON + 60)], without=[column]))
    assert w.log.wait.tolist() == [wait]
    assert counts["of them held, or dependent on others, for a while"] == (column != "Eligible")
    for name in ("Eligible", "AllocTRES"):
        assert any(f"no column {name}" in line for line in w.header) == (name == column)


def test_what_ended_before_it_started_is_left_out(convert):
    w, counts = convert([job(1), job(2, 5, run=100, End=NOON - 40), cancelled(3, 9, -5), job(4, 9)])
    assert w.log.submit.tolist() == [0, 9, 9]
    assert (counts["left out: ended before they started"], counts["of them suspended for a while"]) == (1, 0)
    assert fault(convert, [job(1, End=NOON - 40)]) == "found no job that ended after it started"
    put_back, _ = convert([job(1), job(2, 50, wait=-5)])  # the clock, meanwhile
    assert put_back.log.wait.tolist() == [0, 0]


# Two clusters, or one user


def of_clusters(*names):
    """A record of each cluster, the column amid the others; None for none."""
    return [{**job(7, submit=n), **({} if name is None else {"Cluster": name})} for n, name in enumerate(names)]


@pytest.mark.parametrize("first", [True, False])
def test_the_records_of_several_clusters_need_a_choice(convert, first):
    records = of_clusters("c1", "c2", "c1")
    records = [{"Cluster": r["Cluster"], **r} for r in records] if first else records
    assert re.search("c1.*c2.*--cluster", fault(convert, records))
    w, counts = convert(records, cluster="c1")
    assert w.jobs.submit.tolist() == [0, 2] and counts["left out: of another cluster"] == 1
    assert re.search("'c3'.*c1, c2", fault(convert, records, cluster="c3"))
    assert "column" not in fault(convert, [job()], cluster="c3")


@pytest.mark.parametrize(
    "clusters, cluster, submit",
    [
        (["c1", "c2"], None, None),
        (["c1", "c2", "c2"], "c2", [0, 1]),
        (["c1", "c1"], None, [0, 1]),
        (["c1", "c1"], "c1", [0, 1]),
        (["c1", ""], None, [0, 1]),
        (["c1", None], None, [0, 1]),
        ([None, "c1"], "c1", [0, 1]),
        (["c1", "c2", None], "c1", [0]),
    ],
)
def test_outputs_one_after_another_may_be_of_several_clusters(convert, clusters, cluster, submit):
    written = "".join(text([record]) for record in of_clusters(*clusters))
    if submit is None:
        assert "c1, c2" in fault(convert, written, cluster=cluster)
    else:
        w, _ = convert(written, cluster=cluster)
        assert w.jobs.submit.tolist() == submit
        assert any("name no cluster" in line for line in w.header) == (not all(clusters) and len(clusters) == 2)


@pytest.mark.parametrize(
    "users, one", [(["amy", "amy"], True), (["amy", "bob"], False), (["amy", ""], False), (["", ""], False)]
)
def test_a_dump_of_one_user_says_so(convert, users, one):
    w, _ = convert([job(n, submit=n, User=user) for n, user in enumerate(users)])
    assert any("one user" in line and "--allusers" in line for line in w.header) == one


# The period


def cluster_s_jobs(number=300, every=3600):
    """Records of as many jobs, one each hour; each fifth waits two hours."""
    return [job(n, submit=n * every, wait=7200 * (n % 5 == 0), run=3600) for n in range(number)]


DAY = 86400


@pytest.mark.parametrize(
    "early, left_out",
    [
        ([(-300, 300.5)], 1),
        ([(-300, 300.5), (-200, 201)], 2),
        ([(-300, 300.5)] * 3, 3),
        ([(-300, 300.5)] + [(-day, day + 0.2) for day in range(1, 20)], 20),
        ([(-300, 1)], 1),  # it had ended, but is alone, and far
        ([(-30, 1 + 0.1 * n) for n in range(40)], 0),  # the cluster was idle for a month
        ([(-5, 5.5)], 1),
        ([(-0.5, 0.7)], 0),  # so near it does no harm
        ([(-12.5 + n / 30, 12.5) for n in range(375)], 0),  # jobs came as often before
    ],
)
def test_a_few_jobs_far_before_all_others_are_left_out_counted_and_told(convert, early, left_out):
    days = [(int(start * DAY), int(run * DAY)) for start, run in early]
    records = cluster_s_jobs() + [job(1000 + n, submit=s, run=run) for n, (s, run) in enumerate(days)]
    w, counts = convert(records)
    assert len(w) == len(records) - left_out
    said = [what for what in counts if "before the others" in what]
    assert [counts[what] for what in said] == [left_out] * bool(left_out)
    for what in said:
        assert f"{-early[0][0]:.1f} days" in what and "line 302" in what
        assert any(what.removeprefix("left out: ") in line for line in w.header)


def test_a_small_log_keeps_its_jobs(convert):
    days = [0, 2, 3, 20, *range(21, 47)]
    assert len(convert([job(n, submit=day * DAY, run=DAY) for n, day in enumerate(days)])[0]) == 30


@pytest.mark.slow
def test_what_was_alive_in_a_month_becomes_the_log_of_that_month(convert):
    s = simlib.simulate(simlib.load("sample"), simlib.EASY())
    first = 45 * DAY
    alive = s.jobs[(s.jobs.start + s.jobs.run >= first) & (s.jobs.submit < first + 30 * DAY)]
    old = job(9999, submit=int(first - 90 * DAY), wait=0, run=95 * DAY)
    records = [job(j.Index, j.submit, j.start - j.submit, j.run, AllocCPUS=j.procs) for j in alive.itertuples()]
    w, _ = convert([old, *records], procs=128)
    month = s.workload.between(first, first + 30 * DAY)
    assert w.load == pytest.approx(month.load, rel=0.03)
    assert len(w) == pytest.approx(len(month), rel=0.02)


# Files and options


@pytest.mark.parametrize(
    "records, expected",
    [
        ("\n\n", "line 1: found ''"),
        (text([job()]).split("\n")[0] + "\n", "found no record"),
        ([job(State="PENDING")], "found no job that has ended"),
        ([cancelled()], "no job ever ran, so the machine's size is not known: expected --procs"),
    ],
)
def test_a_file_without_jobs_is_refused(convert, records, expected):
    assert fault(convert, records).startswith(expected)


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"timezone": "Mars"}, "time zone: found 'Mars', expected a name such as Europe/Berlin"),
        ({"timezone": ""}, "time zone: found '', expected a name such as Europe/Berlin"),
        ({"procs": 0}, "machine size: found 0, expected a number from 1 to 4294967295"),
    ],
)
def test_a_wrong_option_is_refused(convert, options, expected):
    assert fault(convert, [job()], **options) == expected


# The command line


def test_a_cluster_s_records_are_converted_and_simulated(tmp_path, capsys):
    source, target = tmp_path / "jobs.txt", tmp_path / "mine.swf.gz"
    records = [job(n, submit=20 * n, wait=n % 7, run=60 + 37 * n % 300, User=f"user{n % 5}") for n in range(200)]
    source.write_text(text([*records, job("3.batch"), cancelled(300, 50), job(301, State="RUNNING", End="Unknown")]))
    assert main(["from-sacct", str(source), str(target), "--procs", "64", "--timezone", "Europe/Berlin"]) == 0
    out, err = capsys.readouterr()
    *counts, last = out.splitlines()
    notes = [line for line in counts if line.startswith("Note: ")]
    counts = {what: int(count) for count, what in (line.split(maxsplit=1) for line in counts if line not in notes)}
    assert err == "" and list(counts.values()) == [203, 201, 1, 0, 0, 0, 0, 0] and counts["of them never started"] == 1
    assert {"Note: 1 records were left out: job steps", "Note: 1 records were left out: had not ended"} <= {*notes}
    assert "at most 48 were in use at once" in notes[0]
    assert last == "<Workload mine: 200 jobs on 64 processors, 2024-03-01 to 2024-03-01; 1 dropped (run time unknown)>"
    assert simlib.simulate(simlib.read_swf(target), simlib.EASY()).summary().jobs == 200


UTC = "no --timezone: the log's days and months, and times without a zone, are UTC\n"


@pytest.mark.parametrize(
    "record, options", [(job(), ["--nodes"]), (job(TimelimitRaw="UNLIMITED"), ["--timezone", "UTC"])]
)
def test_what_is_doubtful_is_said_in_a_line(tmp_path, capsys, record, options):
    (tmp_path / "jobs.txt").write_text(text([record]))
    assert main(["from-sacct", str(tmp_path / "jobs.txt"), str(tmp_path / "mine.swf"), *options]) == 0
    out, err = capsys.readouterr()
    assert err.count("\n") == 1 and (err == UTC) == ("--timezone" not in options)
    assert ("processors are nodes" in out) == ("--nodes" in options)


def test_a_fault_leaves_nothing_behind(tmp_path, capsys):
    (tmp_path / "jobs.txt").write_text(text([job(AllocCPUS="?")]))
    for source in ("jobs.txt", "absent.txt"):
        assert main(["from-sacct", str(tmp_path / source), str(tmp_path / "mine.swf"), "--timezone", "UTC"]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["jobs.txt"]
    assert capsys.readouterr() == (
        "",
        f"{tmp_path}/jobs.txt: line 2: alloccpus: found '?', expected a whole number up to 4294967295; "
        "1 of 1 records have such values\n"
        f"{tmp_path}/absent.txt: cannot be read: No such file or directory\n",
    )


def test_a_log_that_cannot_be_written_is_one_line_of_complaint(tmp_path, capsys):
    source, link = tmp_path / "jobs.txt", tmp_path / "link.swf"
    source.write_text(text([job()]))
    link.symlink_to(source)
    for target in (source, link, source / "mine.swf"):  # itself, by another name, and in a folder that is a file
        assert main(["from-sacct", str(source), str(target), "--timezone", "UTC"]) == 1
        err = capsys.readouterr().err
        assert err.count("\n") == 1 and ("the one that is read" in err) == (target != source / "mine.swf")
    assert source.read_text() == text([job()])


def test_help_shows_the_command_to_run_on_the_cluster(capsys):
    assert main(["from-sacct", "--help"]) == 0
    assert sacct.COMMAND in capsys.readouterr().out
