"""However sacct's output is written it is read, or refused with its line: layouts, faults, clusters, the command."""

import csv
import gzip
import io
import json
import re
import shlex

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacct_records import JOB, NOON, cancelled, fault, job, text

import simlib
from simlib.__main__ import main
from simlib.logs import sacct

# Layouts


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


TWO = text([job(1, TimelimitRaw="UNLIMITED"), job(11, submit=5, JobName="tide", State="CANCELLED by 7")])


@pytest.fixture(scope="module")
def log_of_two(convert):
    return convert(TWO)[0].log


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_layout_does_not_matter(convert, log_of_two, layout):
    other, _ = convert(layout(TWO))
    assert other.log[[*log_of_two]].equals(log_of_two)  # JSON tells more


COLUMNS = [name for name in JOB if name != "AllocTRES"]


@pytest.mark.parametrize("separator", ["|", ",", ";", "\t"])
@pytest.mark.parametrize("tail", ["", "at the end, too"])
def test_output_without_a_header_is_read_if_its_columns_are_given(convert, separator, tail):
    written = text([job(1), job(2, submit=5, JobName="")], without=["AllocTRES"]).replace("|", separator)
    header, *rows = written.splitlines()
    rows = "".join(f"{row}{separator * bool(tail)}\n" for row in rows)
    expected = convert(written)[0].log
    for columns in ([name.lower() for name in COLUMNS], "%20, ".join(COLUMNS)):
        assert convert(rows, columns=columns)[0].log.equals(expected)
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


@pytest.mark.parametrize("end", ["(1 rows affected)\n", "2|17092\n"])
def test_one_foreign_or_cut_line_for_each_output_is_not_too_many(convert, end):
    assert len(convert((text([job(1), job(2)]) + end) * 6)[0]) == 2


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
