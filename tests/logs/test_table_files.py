"""Tables of jobs become workloads by a mapping of their columns; what is wrong is named by row and column."""

import gzip
import re

import pandas as pd
import pytest
from helpers import ROOT

import simlib
from simlib import read_swf, read_table, write_swf
from simlib.__main__ import main
from simlib.logs import tables

pytestmark = pytest.mark.filterwarnings("ignore::simlib.LogWarning")  # of made-up tables without limits

COLUMNS = {"submit": ("sent", "unix"), "run": ("took", "min"), "procs": ("nodes", "count")}


@pytest.fixture
def put(tmp_path):
    """A function that writes a file and returns its path."""

    def put(text, name="jobs.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def fault(path, columns=COLUMNS, error=simlib.SWFError, **options):
    with pytest.raises(error) as caught:
        read_table(path, columns, **{"procs": 8} | options)
    return str(caught.value).removeprefix(f"{path}: ")


# Public sets, in the form in which they come, made up.

PM100 = """job_id,submit_time,start_time,end_time,run_time,time_limit,num_nodes_alloc,num_nodes_req,num_cores_alloc,\
job_state,user_id,group_id,qos,partition,power_consumption
7,2020-05-02 10:00:00+00:00,2020-05-02 10:01:00+00:00,2020-05-02 10:11:00+00:00,600,20,2,2,256,COMPLETED,31,5,q1,p1,[]
8,2020-05-02 09:00:00+00:00,2020-05-02 09:00:00+00:00,2020-05-02 09:05:00+00:00,300,INFINITE,1,1,8,TIMEOUT,30,5,q,p2,[]
"""
FDATA = """jid,usr,jnam,cnumr,nnumr,nnuma,adt,qdt,sdt,edt,elpl,duration,exit state
j1,usr_4,jnam_1,48,1,1,2021-04-01 09:00:00+09:00,2021-04-01 09:00:01+09:00,2021-04-01 09:10:00+09:00,\
2021-04-01 09:20:30.5+09:00,3600.0,630.5,completed
j2,usr_4,jnam_2,96,2,4,2021-04-01 10:00:00,2021-04-01 10:00:00,2021-04-01 10:00:00,2021-04-01 10:01:00,120.0,60.0,failed
"""
ALCF = """JOB_NAME,COBALT_JOBID,QUEUED_TIMESTAMP,START_TIMESTAMP,END_TIMESTAMP,USERNAME_GENID,PROJECT_NAME_GENID,\
QUEUE_NAME,WALLTIME_SECONDS,RUNTIME_SECONDS,NODES_USED,NODES_REQUESTED,EXIT_STATUS
1.polaris,1,2024-01-01 00:00:10,2024-01-01 00:00:20,2024-01-01 00:10:20,11,22,prod,3600.0,600.0,10.0,10.0,0
2.polaris,2,2024-01-01 00:00:15,,,12,22,debug,3600.0,,,1.0,271
"""
EAGLE = """job_id,user,account,partition,qos,wallclock_req,nodes_req,processors_req,submit_time,start_time,end_time,\
run_time,state,name
9,user0014,account0003,partition001,normal,172800.0,10,10,2019-01-01 08:55:55,2019-01-01 08:55:56,2019-01-02 12:39:41,\
99825.0,COMPLETED,name1
10,user0002,account0003,partition001,high,60.0,1,36,2019-01-01 09:00:00,2019-01-01 09:00:00,2019-01-01 09:01:00,60.0,\
CANCELLED by 7,name2
"""
SETS = {
    "PM100": (PM100, [[0, 300, 1, 300, 0, 1], [3600, 600, 2, 1200, 1, 2]], "2020-05-02 09:00:00+00:00"),
    "F-DATA": (FDATA, [[0, 630, 1, 3600, 1, 1], [3600, 60, 4, 120, 0, 1]], "2021-04-01 09:00:00+09:00"),
    "ALCF": (ALCF, [[0, 600, 10, 3600, -1, 1]], "2024-01-01 00:00:10+00:00"),
    "Eagle": (EAGLE, [[0, 99825, 10, 172800, 1, 1], [245, 60, 1, 60, 5, 2]], "2019-01-01 08:55:55-07:00"),
}


@pytest.mark.parametrize("name", SETS)
def test_a_public_set_is_read_by_its_name(put, name):
    text, jobs, start = SETS[name]
    w = read_table(put(text), name, procs=16)
    columns = ["submit", "run", "procs", "estimate", "status"]
    assert w.jobs[columns].to_numpy().tolist() == [row[:5] for row in jobs]
    assert set(w.jobs.user) == {row[5] for row in jobs}
    assert (str(w.start), w.procs, w.name) == (start, 16, "jobs")


def test_every_set_has_a_test_and_maps_fields_that_there_are():
    assert set(SETS) == set(tables.MAPPINGS)
    for known in tables.MAPPINGS.values():
        assert tables._known(known.columns).columns == known.columns and known.source


def test_the_columns_in_the_documentation_are_those_that_are_read():
    rows = [line for line in (ROOT / "docs" / "logs.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    told = {row.split(" | ")[0].strip("| "): row.split(" | ")[1:] for row in rows}
    for place, known in enumerate(tables.MAPPINGS.values()):
        columns = {field: re.match("`(.+)`", told[field][place]) for field in tables.FIELDS}
        assert {field: match[1] for field, match in columns.items() if match} == {
            field: column for field, (column, _) in known.columns.items()
        }


def test_a_job_that_never_started_is_kept_in_the_log_and_takes_no_part(put):
    w = read_table(put(ALCF), "ALCF", procs=16)
    assert w.log[["wait", "run", "procs", "requested_procs"]].to_numpy().tolist() == [
        [10, 600, 10, 10],
        [-1, -1, -1, 1],
    ]
    assert w.dropped.index.tolist() == [2]


def test_what_is_written_as_a_log_reads_back_equal(put, tmp_path):
    w = read_table(put(EAGLE), "Eagle", procs=16)
    write_swf(w, tmp_path / "eagle.swf.gz")
    again = read_swf(tmp_path / "eagle.swf.gz", name="jobs")
    assert again.jobs.equals(w.jobs) and again.start == w.start


@pytest.mark.parametrize("name", SETS)
def test_a_parquet_table_is_the_same_as_its_csv(put, tmp_path, name):
    pytest.importorskip("pyarrow", reason='needs pip install "simlib-backfilling[parquet]"')
    table = pd.read_csv(put(SETS[name][0]))
    for column in table.columns.intersection([name for name, unit in tables.MAPPINGS[name].columns.values()]):
        if "+00:00" in str(table[column].iloc[0]):
            table[column] = pd.to_datetime(table[column])  # as pandas keeps them in the file
    table.to_parquet(tmp_path / "jobs.parquet")
    w = read_table(tmp_path / "jobs.parquet", name, procs=16)
    pd.testing.assert_frame_equal(w.log, read_table(put(SETS[name][0]), name, procs=16).log)


def test_lengths_of_time_are_read_as_such(tmp_path):
    pytest.importorskip("pyarrow", reason='needs pip install "simlib-backfilling[parquet]"')
    table = pd.DataFrame({"sent": [0], "took": pd.to_timedelta([90], unit="s"), "nodes": [1]})
    table.to_parquet(tmp_path / "jobs.parquet")
    assert read_table(tmp_path / "jobs.parquet", COLUMNS, procs=8).jobs.run.to_list() == [90]


def test_without_pyarrow_a_parquet_file_is_refused_with_what_to_install(put, monkeypatch):
    def absent(*given, **options):
        raise ImportError

    monkeypatch.setattr(pd, "read_parquet", absent)
    assert fault(put(b"PAR1", "jobs.parquet")) == (
        'a Parquet file needs pyarrow, expected pip install "simlib-backfilling[parquet]"'
    )


# Mappings of somebody's own


def test_units_are_those_that_the_mapping_says(put):
    text = "sent,took,nodes,limit,state,who\n100,1.5,2,1,ok,b\n40,2,4,,no,a\n"
    columns = COLUMNS | {"requested_time": ("limit", "h"), "status": ("state", {"ok": 1}), "user": ("who", "names")}
    w = read_table(put(text), columns, procs=8, timezone="Europe/Berlin")
    assert w.jobs[["submit", "run", "procs", "estimate", "status", "user"]].to_numpy().tolist() == [
        [0, 120, 4, 120, -1, 2],
        [60, 90, 2, 3600, 1, 1],
    ]
    assert str(w.start) == "1970-01-01 01:00:40+01:00"


def test_a_function_may_make_the_numbers(put):
    columns = COLUMNS | {"procs": ("nodes", lambda nodes: nodes.str.len())}
    assert read_table(put("sent,took,nodes\n0,1,abc\n"), columns, procs=8).jobs.procs.to_list() == [3]


def test_the_run_time_is_the_end_minus_the_start_where_it_is_not_mapped(put):
    columns = {"submit": ("a", "unix"), "start": ("b", "unix"), "end": ("c", "unix"), "procs": ("d", "count")}
    w = read_table(put("a,b,c,d\n0,5,9,1\n"), columns, procs=8)
    assert (w.jobs.run.to_list(), w.log.wait.to_list()) == ([4], [5])


def test_a_compressed_table_is_read(put):
    path = put(gzip.compress(b"sent,took,nodes\n0,1,1\n"), "jobs.csv.gz")
    assert read_table(path, COLUMNS, procs=8).name == "jobs"


# Faults


def test_a_machine_that_is_too_small_is_doubted(put):
    with pytest.warns(simlib.LogWarning, match="1 of 1 jobs are dropped, for they are larger than the machine"):
        read_table(put("sent,took,nodes\n0,1,9\n"), COLUMNS, procs=8)


@pytest.mark.parametrize(
    "text, message",
    [
        ("sent,took,nodes\n0,1,1\n5,x,1\n", "row 2: column took: found 'x', expected a number of min"),
        ("sent,took,nodes\n0,1,1.5\n", "row 1: column nodes: found '1.5', expected a whole number"),
        ("sent,took,nodes\n0,1e300,1\n", "row 1: column took: found '1e300', expected a number of min"),
        ("sent,took,nodes\nnever,1,1\n", "row 1: column sent: found 'never', expected seconds since 1970"),
        ("sent,took,nodes\n0,1,1\n,1,1\n", "row 2: column sent: found '', expected when the job was submitted"),
        ("sent,took,node\n0,1,1\n", "found no column nodes; expected them among sent, took, node"),
        ("sent,took,nodes\n", "found no row, expected one for each job"),
        ("", "found no table: No columns to parse from file"),
        (
            "sent,took,nodes\n0,1,1\n0,1,1,1\n",
            "found no table: Error tokenizing data. C error: Expected 3 fields in line 3, saw 4",
        ),
    ],
)
def test_what_is_wrong_with_a_table_is_named_with_its_place(put, text, message):
    assert fault(put(text)) == message


def test_a_time_that_is_none_is_named(put):
    columns = COLUMNS | {"submit": ("sent", "time")}
    assert fault(put("sent,took,nodes\n2024-13-01 00:00,1,1\n"), columns) == (
        "row 1: column sent: found '2024-13-01 00:00', expected a date with a time such as 2024-03-01 12:00:00"
    )


def test_a_file_that_is_not_there_is_named(tmp_path):
    assert fault(tmp_path / "none.csv") == "cannot be read: No such file or directory"


@pytest.mark.parametrize(
    "columns, said",
    [
        ("PM99", "found columns='PM99', expected one of 'PM100', 'F-DATA', 'ALCF', 'Eagle', or a dict"),
        (COLUMNS | {"size": ("x", "count")}, "found field 'size', expected some of submit, start, end, run, procs"),
        (COLUMNS | {"run": ("took", "days")}, "run: found unit 'days' of 'took', expected one of s, min, h, count"),
        ({"procs": ("n", "count"), "start": ("a", "time")}, "found no submit and no run, or start and end; expected"),
    ],
)
def test_a_mapping_that_is_none_is_refused(put, columns, said):
    assert said in fault(put("sent,took,nodes\n0,1,1\n"), columns, ValueError)


def test_a_zone_that_is_none_is_refused(put):
    said = fault(put("sent,took,nodes\n0,1,1\n"), error=ValueError, timezone="Mars")
    assert said == "read_table: found timezone='Mars', expected a name such as Europe/Berlin"


# The command


def test_the_command_writes_a_log_and_says_where_the_columns_are_explained(put, tmp_path, capsys):
    target = tmp_path / "eagle.swf"
    assert main(["from-table", str(put(EAGLE)), str(target), "--columns", "Eagle", "--procs", "2618"]) == 0
    assert "NREL/eagle-jobs" in capsys.readouterr().out
    assert (read_swf(target).procs, len(read_swf(target))) == (2618, 2)


def test_the_command_names_what_is_wrong_and_writes_nothing(put, tmp_path, capsys):
    target = tmp_path / "eagle.swf"
    assert main(["from-table", str(put(PM100)), str(target), "--columns", "Eagle", "--procs", "2618"]) == 1
    assert "found no column nodes_req, wallclock_req" in capsys.readouterr().err
    assert not target.exists()
