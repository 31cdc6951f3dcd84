"""What a record of sacct becomes: jobs, times, the machine, numbers for names; what is left out is counted."""

import re

import pandas as pd
import pytest
from sacct_records import JOB, NOON, cancelled, fault, job, text

import simlib
from simlib.logs import sacct

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
