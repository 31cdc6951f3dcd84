"""Tables of jobs become workloads by a mapping of their columns; what is wrong is named by row and column."""

import gzip
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from helpers import ROOT

import simlib
from simlib import read_swf, read_table
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
LUMOS = """,job,user,project,state,gpu_num,cpu_num,node_num,submit_time,wait_time,run_time,wall_time,node_hour,\
new_status
0,7,31,5,0,0,64.0,4.0,1535348017.0,99,17348.0,18000.0,1.0,Pass
1,9,31,5,1143,0,256.0,16.0,1535348077.0,2,3607.0,3600.0,1.0,Killed
2,8,32,6,1,0,16.0,1.0,1535348177.0,2,60.0,600.0,1.0,Failed
"""
SETS = {
    "PM100": (PM100, [[0, 300, 1, 300, 0, 1], [3600, 600, 2, 1200, 1, 2]], "2020-05-02 09:00:00+00:00"),
    "F-DATA": (FDATA, [[0, 630, 1, 3600, 1, 1], [3600, 60, 4, 120, 0, 1]], "2021-04-01 09:00:00+09:00"),
    "ALCF": (ALCF, [[0, 600, 10, 3600, -1, 1]], "2024-01-01 00:00:10+00:00"),
    "Eagle": (EAGLE, [[0, 99825, 10, 172800, 1, 1], [245, 60, 1, 60, 5, 2]], "2019-01-01 08:55:55-07:00"),
    "LUMOS": (
        LUMOS,
        [[0, 17348, 4, 18000, 1, 1], [60, 3607, 16, 3600, 5, 1], [160, 60, 1, 600, 0, 2]],
        "2018-08-27 00:33:37-05:00",
    ),
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
    page = (ROOT / "docs" / "reference" / "logs.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    told = {row.split(" | ")[0].strip("| "): row.split(" | ")[1:] for row in rows}
    for place, (name, known) in enumerate(tables.MAPPINGS.items()):  # the page has them in this order
        assert all(len(told[field]) > place for field in tables.FIELDS), f"docs/reference/logs.md: no column for {name}"
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


TIMES = {name: (name, "time") for name in ("submit", "start", "end")}


def read_of(put, field, unit, *texts, **options):
    """What is read of a field whose column, called x, has these texts; a submission in seconds since 1970."""
    columns = {"submit": ("sent", "unix"), "run": ("took", "s"), "procs": ("nodes", "count")} | {field: ("x", unit)}
    rows = [f'{number};60;1;"{text}"' for number, text in enumerate(texts)]
    w = read_table(put("\n".join(["sent;took;nodes;x", *rows])), columns, procs=2000, **options)
    values = w.log[field].to_list()
    return [int(value + w.start.timestamp()) for value in values] if field == "submit" else values


NOON = 1709294400  # 2024-03-01 12:00:00 UTC, in Berlin an hour later

READ = [
    ("submit", "time", ["2024-03-01 13:00", "2024-03-01T13:00:00.4", "2024/03/01 13:00:00"], [NOON] * 3),
    ("submit", "time", [f"2024-03-01 12:00:00{zone}" for zone in ("Z", " UTC", "+00", "-0000")], [NOON] * 4),
    ("submit", "time", [f"2024-03-01 14:30:00{zone}" for zone in ("+02:30", "+0230", " +02:30")], [NOON] * 3),
    ("submit", "time", ["2024-03-01 11:45-00:15", "2024-03-01 02:00:00 -10"], [NOON] * 2),
    ("submit", "%d/%m/%Y %H:%M", ["12/03/2024 13:00", "13/03/2024 13:00"], [NOON + 11 * 86400, NOON + 12 * 86400]),
    ("submit", "%H:%M %d-%m-%Y", ["13:00 01-03-2024"], [NOON]),
    ("submit", "%m/%d/%Y %I:%M %p", ["03/01/2024 01:00 PM", "03/01/2024 01:00 AM"], [NOON - 43200, NOON]),
    ("submit", "%Y%m%dT%H%M%S%z", ["20240301T140000+0200"], [NOON]),
    ("submit", "unix", [f"{NOON}.4", "1.7092944e9"], [NOON] * 2),
    ("submit", lambda x: x.astype(float) / 1000, [f"{NOON}000"], [NOON]),
    ("submit", lambda x: pd.to_datetime(x, dayfirst=True), ["01.03.2024 13:00"], [NOON]),
    ("submit", lambda x: pd.to_datetime(x).astype("datetime64[s]"), ["2024-03-01 13:00"], [NOON]),
    ("run", "s", ["90", "1e2", "00:01:30", "1-02:03:04", "0 days 00:10:00.0", "1 day, 0:00:01"],
     [90, 100, 90, 93784, 600, 86401]),
    ("run", "h", ["0.5", "36:00:00"], [1800, 129600]),
    ("run", pd.to_timedelta, ["90min"], [5400]),
    ("run", "s", ["", "-1", "NaN", "NA", "N/A", "NULL", "null", "Unknown"], [-1] * 8),
    ("requested_time", "min", ["30", "UNLIMITED", "INFINITE", "4294967295", "01:00:00"], [1800, -1, -1, -1, 3600]),
    ("procs", "count", ["16", "16.0", "1e3"], [16, 16, 1000]),
    ("procs", lambda x: x.str.len(), ["abc"], [3]),
    ("procs", lambda x: [3, 2], ["a", "b"], [3, 2]),
    ("procs", lambda x: x.str.len().sort_values(), ["abc", "ab"], [3, 2]),
    ("procs", lambda x: x.fillna("1").astype(int), ["", "2"], [1, 2]),
    ("status", lambda x: x == "done", ["done", "failed"], [1, 0]),
    ("status", {0: 1, 1: 0}, ["0", "1.0", "1", ""], [1, 0, 0, -1]),
    ("status", {0.0: 1, np.int64(7): 5}, ["0", "7"], [1, 5]),
    ("status", {"0": 1}, ["0.0"], [1]),
    ("status", {"ended by user": 0, "CANCELLED": 5}, ["ended by user", "CANCELLED by 7"], [0, 5]),
    ("user", "names", ["b", " b", "UNLIMITED", "a", "NA", "-1", ""], [1, 1, 2, 3, -1, -1, -1]),
    ("user", "count", ["7", "-1"], [7, -1]),
]  # fmt: skip


@pytest.mark.parametrize("field, unit, texts, expected", READ)
def test_values_are_read_by_the_unit_of_their_column(put, field, unit, texts, expected):
    assert sorted(read_of(put, field, unit, *texts, timezone="Europe/Berlin")) == sorted(expected)
    if field != "submit":  # which decides the order
        assert read_of(put, field, unit, *texts) == expected


REFUSED = [
    ("submit", "time", "12:00 01-03-2024", "format"),
    ("submit", "time", "13/03/2024 12:00", "format"),
    ("submit", "time", "2024-03-01 02:00 PM", "format"),
    *[("submit", "time", f"2024-03-01 12:00:00{zone}", "format") for zone in (" CET", "+25:00", "+01:75", " UTC+2")],
    *[("submit", "time", text, "date") for text in ("2024-02-30 12:00", "2024-03-01 24:00", "9999-12-31 00:00", "now")],
    *[("submit", "time", text, "date") for text in ("2024-03-01", "45352.5", "1709294400", "1960-01-01 00:00")],
    ("submit", "%d/%m/%Y %H:%M", "03/13/2024 12:00", "01/03/2024 14:30"),
    *[("submit", "unix", text, "seconds since 1970") for text in (f"{NOON}000", "-5", "12:00", "1e99")],
    ("submit", "unix", "NA", "submitted"),
    *[("run", "s", text, "a number of s") for text in ("-5", "1,5", "90:00", "1:2:3", "INVALID", "inf", "00:99:00")],
    ("run", lambda x: pd.to_datetime(x), "2024-03-01 12:00", "a number of s"),
    *[("procs", "count", text, "whole number") for text in ("1,024", "1 024", "1.5", "-4", "True", "0x10", "4x")],
    ("procs", lambda x: 1.5, "1", "whole number"),
    ("procs", lambda x: x.map({"a": 1}), "b", "whole number"),
    ("procs", pd.to_timedelta, "4s", "whole number"),
    ("status", {0: 1}, "COMPLETED", "one of 0"),
    ("user", "count", "alice", "whole number"),
]  # fmt: skip


@pytest.mark.parametrize("field, unit, text, expected", REFUSED)
def test_a_value_that_is_not_of_its_unit_is_named_with_its_row_and_column(put, field, unit, text, expected):
    with pytest.raises(tables.TableError) as caught:
        read_of(put, field, unit, text)
    found = repr(text) if not callable(unit) else "after the function: found"
    assert all(part in str(caught.value) for part in ("jobs.csv: row 1: column x", found, expected)), caught.value


def test_one_format_counts_for_a_whole_column(put):
    with pytest.raises(tables.TableError, match="row 2: column x: found '13/03/2024 12:00'"):
        read_of(put, "submit", "%m/%d/%Y %H:%M", "12/03/2024 12:00", "13/03/2024 12:00")


@pytest.mark.parametrize("function", [lambda x: x.reset_index(drop=True), lambda x: [1], lambda x: x[x != "1"]])
def test_what_a_function_gives_is_matched_by_its_index_or_refused(put, function):
    with pytest.raises(ValueError, match="the function of x: .* expected a number for each row"):
        read_of(put, "procs", function, "1", "2")


def test_words_that_the_mapping_lacks_are_counted(put):
    with pytest.warns(simlib.LogWarning, match="column x: 2 values .*'lost' in row 2"):
        assert read_of(put, "status", {"done": 1}, "done", "lost", "failed") == [1, -1, -1]


def test_the_run_time_is_the_end_minus_the_start_where_it_is_not_mapped(put):
    columns = {"submit": ("a", "unix"), "start": ("b", "unix"), "end": ("c", "unix"), "procs": ("d", "count")}
    w = read_table(put("a,b,c,d\n0,5,9,1\n0,5,5,1\n"), columns, procs=8)
    assert (w.jobs.run.to_list(), w.log.wait.to_list()) == ([4, 0], [5, 5])


def zoned(put, *rows, zone="Europe/Berlin", **run):
    """A table of jobs by their times in a zone, and perhaps with their run times in minutes."""
    columns = TIMES | {"procs": ("procs", "count")} | ({"run": ("run", "min")} if run else {})
    lines = [",".join([*times, "1", *map(str, run.get("run", []))]) for times in rows]
    return read_table(put("\n".join(["submit,start,end,procs,run"[: None if run else -4], *lines])), columns, 8, zone)


@pytest.mark.parametrize(
    "times, run, wait, took",
    [
        ("01:00 02:50 02:10", None, 110, 20),  # minutes
        ("02:50 02:10 02:40", None, 20, 30),
        ("01:50 02:10 02:40", 90, 20, 90),
        ("01:50 02:10 03:10", None, 20, 120),  # either fits
    ],
)
def test_a_time_that_clocks_show_twice_is_the_one_that_fits_the_others(put, times, run, wait, took):
    row = [f"2024-10-27 {time}" for time in times.split()]
    w = zoned(put, row, **({"run": [run]} if run else {}))
    assert (w.log.wait.to_list(), w.log.run.to_list()) == ([wait * 60], [took * 60])


def test_times_around_the_hour_that_comes_twice_stay_in_order_and_keep_their_lengths():
    begin = pd.Timestamp("2024-10-27 01:00", tz="Europe/Berlin")
    minutes = np.random.default_rng(1).integers(0, 200, (3, 2000)).cumsum(axis=0)
    times = [pd.Series(begin + pd.to_timedelta(each, unit="min")).dt.tz_localize(None) for each in minutes]
    readings = [tables._moments(local, begin.tz, []) for local in times]
    run = pd.Series(minutes[2] - minutes[1]) * 60
    submit, start, end = tables.fitting([(first, second) for first, second in readings], run)
    assert (submit <= start).all() and (end - start == run).all()
    assert any((first != second).any() for first, second in readings)


def test_a_time_that_never_was_is_told(put):
    with pytest.warns(simlib.LogWarning) as told:
        w = zoned(put, ["2024-03-31 01:50", "2024-03-31 02:20", "2024-03-31 02:50"])
    assert (w.log.wait.to_list(), w.log.run.to_list()) == ([1800], [1800])
    said = [str(warning.message) for warning in told if "never were" in str(warning.message)]
    assert len(said) == 2 and all("Europe/Berlin" in each and "in row 1" in each for each in said)
    assert sum("never were" in line for line in w.header) == 2


@pytest.mark.parametrize(
    "rows, run, said",
    [
        (["5,5,9", "5,4,9"], [4, 5], "start is before submit in 1 of 2 rows, such as row 2"),
        (["5,5,9", "5,6,5"], [4, -1], "end is before start in 1 of 2 rows, such as row 2"),
    ],
)
def test_times_in_a_wrong_order_are_counted(put, rows, run, said):
    columns = {name: (name, "unix") for name in TIMES} | {"procs": ("n", "count")}
    with pytest.warns(simlib.LogWarning, match=said):
        w = read_table(put("\n".join(["submit,start,end,n", *(f"{row},1" for row in rows)])), columns, procs=8)
    assert w.log.run.to_list() == run


def test_a_run_time_in_a_wrong_unit_is_told(put):
    columns = {"start": ("began", "unix"), "end": ("ended", "unix")} | COLUMNS
    with pytest.warns(simlib.LogWarning, match="run is longer .* row 2"):
        read_table(put("sent,began,ended,took,nodes\n0,0,60,2,1\n0,0,59,2,1\n"), columns, procs=8)


@pytest.mark.parametrize("row", [f"{NOON},0,{NOON},1", f"{NOON},,,1", f"{NOON},{NOON},,1", f"{NOON},-1,-1,1"])
def test_a_job_without_start_or_end_takes_no_part(put, row):
    columns = {name: (name, "unix") for name in TIMES} | {"procs": ("n", "count"), "run": ("n", "h")}
    w = read_table(put(f"submit,start,end,n\n{row}\n"), columns, procs=8)
    assert w.log[["run", "procs"]].to_numpy().tolist() == [[-1, -1]] and len(w.dropped) == 1


# Columns of a Parquet file have types.


def typed(put, monkeypatch, **columns):
    """A Parquet file with these columns beside those of `COLUMNS`, which pandas would read."""
    table = pd.DataFrame({"sent": [0, 1], "took": [1, 1], "nodes": [1, 2]} | columns)
    monkeypatch.setattr(pd, "read_parquet", lambda path: table)
    return put(b"PAR1")


@pytest.mark.parametrize(
    "field, unit, values, expected",
    [
        ("submit", "time", pd.to_datetime(["2024-03-01 13:00"] * 2), [NOON] * 2),
        ("submit", "unix", pd.to_datetime(["2024-03-01 13:00"] * 2).astype("datetime64[s]"), [NOON] * 2),
        ("submit", "time", pd.to_datetime(["2024-03-01 05:00"] * 2).tz_localize("America/Denver"), [NOON] * 2),
        ("run", "min", pd.to_timedelta([90, None], unit="s"), [90, -1]),
        ("run", "min", np.array([1.5, np.nan], np.float32), [90, -1]),
        ("procs", "count", pd.array([200, None], dtype="Int64"), [200, -1]),
        ("procs", "count", np.array([200, 2], np.uint8), [200, 2]),
        ("procs", "count", pd.Series([Decimal("4.0"), None], dtype=object), [4, -1]),
        ("procs", "count", pd.Categorical(["3", "2"]), [3, 2]),
        ("status", {True: 1, False: 0}, [True, False], [1, 0]),
        ("status", {"0": 1, 1: 0}, [0.0, 1.0], [1, 0]),
        ("user", "names", [31.0, np.nan], [1, -1]),
    ],
)
def test_a_column_with_a_type_is_read_as_its_text(put, monkeypatch, field, unit, values, expected):
    w = read_table(
        typed(put, monkeypatch, x=values), COLUMNS | {field: ("x", unit)}, procs=300, timezone="Europe/Berlin"
    )
    start = int(w.start.timestamp()) if field == "submit" else 0
    assert (w.log[field] + start).to_list() == expected


@pytest.mark.parametrize(
    "field, unit, values",
    [
        ("submit", "time", [NOON, NOON]),
        ("submit", "time", pd.to_datetime(["9999-12-31", "2024-03-01"]).astype("datetime64[s]")),
        ("run", "s", pd.to_datetime(["2024-03-01 13:00"] * 2).astype("datetime64[s]")),
        ("procs", "count", pd.to_timedelta([90, 30], unit="s")),
        ("procs", "count", [True, False]),
        ("procs", "count", pd.Series([True, None], dtype=object)),
        ("procs", "count", [2**60, 1]),
    ],
)
def test_a_column_of_another_type_is_refused(put, monkeypatch, field, unit, values):
    path = typed(put, monkeypatch, x=values)
    assert fault(path, COLUMNS | {field: ("x", unit)}, tables.TableError).startswith("row 1: column x: found ")


def test_a_column_may_be_the_index_of_the_table(put, monkeypatch):
    monkeypatch.setattr(
        pd, "read_parquet", lambda path: pd.DataFrame({"took": [1], "nodes": [2]}, pd.Index([7], name="sent"))
    )
    assert read_table(put(b"PAR1"), COLUMNS, procs=8).start.timestamp() == 7


# The file

SAME = {
    "semicolons": "sent;took;nodes\n0;1;2\n",
    "tabs": "sent\ttook\tnodes\n0\t1\t2\n",
    "parsable": "sent|took|nodes|\n0|1|2|\n",
    "blanks": " sent, took, nodes\n0, 1 , 2\n",
    "quoted": '"sent","took","nodes"\n"0","1","2"\n',
    "a comma in a name": '"a, b";sent;took;nodes\nx;0;1;2\n',
    "a quotation mark in a field": 'sent,took,nodes,name\n0,1,2,5" pipe\n',
    "a field of two lines": 'name,sent,took,nodes\n"a\nb",0,1,2\n',
    "Windows": "\ufeffsent,took,nodes\r\n0,1,2\r\n",
    "empty lines": "\n\nsent,took,nodes\n\n0,1,2\n\n",
    "the index of pandas": ",sent,took,nodes\n0,0,1,2\n",
    "a separator at the end": "sent,took,nodes\n0,1,2,\n",
    "latin-1": "sent,took,nodes,name\n0,1,2,J\xf6rg\n".encode("latin-1"),
    "gzip": gzip.compress(b"sent,took,nodes\n0,1,2\n"),
}


@pytest.mark.parametrize("file", SAME.values(), ids=SAME)
def test_a_text_is_read_however_it_is_written(put, file):
    w = read_table(put(file), COLUMNS, procs=8)
    assert w.jobs[["submit", "run", "procs"]].to_numpy().tolist() == [[0, 60, 2]] and w.name == "jobs"


def test_names_that_are_not_in_unicode_stay_apart(put):
    text = "sent,took,nodes,user\n0,1,2,J\xfcrg\n0,1,2,J\xf6rg\n"
    w = read_table(put(text.encode("latin-1")), COLUMNS | {"user": ("user", "names")}, procs=8)
    assert w.jobs.user.to_list() == [1, 2]


@pytest.mark.parametrize(
    "text, parts",
    [
        ("sent,took,node\n0,1,1\n", ["no column nodes", "sent, took, node"]),
        ("sent took nodes\n0 1 1\n", ["no column sent, took, nodes", "sent took nodes"]),
        ("sent,took,nodes,nodes\n0,1,1,2\n", ["column nodes 2 times"]),
        ("sent,took,nodes\n", ["no row"]),
        ("", ["expected"]),
        (" \n\n", ["nothing", "names of columns"]),
        ("sent,took,nodes\n0,1,1\n0,1,1,1\n", ["row 2", "4 fields", "3"]),
        ("sent,took,nodes\n0,1,1\n0,1\n", ["row 2", "2 fields", "3"]),
        ("sent,took,nodes\n7,0,1,1\n8,0,1,2\n", ["row 1", "4 fields", "3"]),  # as R writes names of rows
        ("sent,took,nodes\n0,1,1\n(1 row)\n", ["row 2", "1 field", "3"]),
        ("sent,took,nodes\n0,1,1\nsent,took,nodes\n", ["row 2", "column sent", "'sent'"]),
        ('sent,name,took,nodes\n0,"a,1,1\n1,b,1,1\n2,"c,1,1\n', ["no table", "expected"]),  # would swallow jobs
        ('sent,name,took,nodes\n0,"a,1,1\n1,b,1,1\n', ["no table", "end"]),
        ("sent,took,nodes\n5,1,1\n,1,1\n", ["row 2", "column sent", "''"]),
    ],
)
def test_what_is_wrong_with_a_table_is_named_with_its_place(put, text, parts):
    said = fault(put(text), error=tables.TableError)
    assert all(part in said for part in parts), said


def test_a_machine_that_is_too_small_is_doubted(put):
    with pytest.warns(simlib.LogWarning, match="1 of 1 jobs are dropped"):
        read_table(put("sent,took,nodes\n0,1,9\n"), COLUMNS, procs=8)


# The mapping


@pytest.mark.parametrize(
    "columns, parts",
    [
        ("PM99", ["'PM99'", "'PM100', 'F-DATA', 'ALCF', 'Eagle'"]),
        (None, ["None", "'PM100'"]),
        (COLUMNS | {"size": ("x", "count")}, ["'size'", "submit, start, end, run, procs"]),
        (COLUMNS | {"run": ("took", "days")}, ["run", "'days'", "'took'", "s, min, h"]),
        (COLUMNS | {"run": ("took", "%H:%M")}, ["run", "'%H:%M'", "s, min, h"]),
        (COLUMNS | {"status": ("nodes", "names")}, ["status", "'names'", "count"]),
        (COLUMNS | {"submit": ("sent", "%Q")}, ["submit", "'%Q'", "%d.%m.%Y %H:%M"]),
        (COLUMNS | {"submit": ("sent", "%Y %Z")}, ["submit", "'%Y %Z'", "%d.%m.%Y %H:%M"]),
        (COLUMNS | {"procs": "nodes"}, ["procs", "'nodes'", "column's name and its unit"]),
        (COLUMNS | {"procs": ("nodes", None)}, ["procs", "None", "count"]),
        (COLUMNS | {"status": ("nodes", {"a": 1.5})}, ["status", "1.5", "whole numbers"]),
        ({"procs": ("n", "count"), "start": ("a", "time")}, ["no submit and no run, or start and end"]),
    ],
)
def test_a_mapping_that_is_none_is_refused(put, columns, parts):
    said = fault(put("sent,took,nodes\n0,1,1\n"), columns, ValueError)
    assert all(part in said for part in parts), said


def test_a_zone_that_is_none_is_refused(put):
    said = fault(put("sent,took,nodes\n0,1,1\n"), error=ValueError, timezone="Mars")
    assert said.startswith("read_table: found timezone='Mars'")


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


def test_the_page_reads_torque_s_accounting_records(tmp_path):
    page = (ROOT / "docs/background/not-here.md").read_text("utf-8")
    shown = {}
    exec(re.search(r"```python\n(.*?)```", page, flags=re.S)[1], shown)
    begun = "user=ann group=g queue=batch ctime=1118087915 qtime=1118087915 etime={} start={} exec_host={} {}end={}"
    records = [
        "06/06/2005 14:04:25;D;408.host;requestor=ann@host\n",
        "06/06/2005 14:07:17;E;407.host;" + begun.format(15, 66, "n/0+n/1", "Resource_List.walltime=00:16:40 ", 137),
        "06/06/2005 14:08:17;E;409.host;" + begun.format(45, 76, "n/2", "", 177),
    ]
    shown["table_of_records"](records, tmp_path / "jobs.csv")
    w = simlib.read_table(tmp_path / "jobs.csv", shown["columns"], procs=4)
    assert w.jobs[["submit", "run", "procs", "estimate"]].to_numpy().tolist() == [[0, 71, 2, 1000], [30, 101, 1, 101]]
