"""Reading and writing the Standard Workload Format: every field, every fault, and back again."""

import hashlib
import re
import time

import pandas as pd
import pytest
from helpers import listing
from hypothesis import given, settings
from hypothesis import strategies as st
from swf_lines import HEAD, JOB, fault, jobs, line

import simlib
from simlib import SWFError, Workload, read_swf, write_swf
from simlib.logs import swf

pytestmark = pytest.mark.filterwarnings("ignore::simlib.LogWarning")  # small logs lack much


def with_value(value, field="memory"):
    """A log of three jobs with a value in a field of the second."""
    rows = [JOB.split() for _ in range(3)]
    rows[1][swf.FIELDS.index(field)] = value
    return HEAD + "".join(" ".join(row) + "\n" for row in rows)


# Reading


def test_all_18_fields_are_read(put):
    w = read_swf(put(HEAD + JOB))
    assert w.log.loc[1].tolist() == list(range(1, 19))
    assert list(w.log) == list(swf.FIELDS)
    assert list(w.jobs) == ["submit", "run", "procs", "estimate", "user", "group", "app", "queue", "status"]
    assert w.jobs.loc[1].tolist() == [2, 4, 5, 9, 12, 13, 14, 15, 11]


FRONTIER = HEAD + "; Field 20: energy\n" + f"{JOB} 19 20.5 21\n" + f"{JOB} 22 23 24\n".replace("1 ", "2 ", 1)


def test_further_fields_are_kept_by_the_names_that_the_header_gives_or_by_position(put, tmp_path):
    w = read_swf(put(FRONTIER))
    assert list(w.log) == [*swf.FIELDS, "field_19", "energy", "field_21"]
    assert w.log[["field_19", "energy", "field_21"]].to_numpy().tolist() == [[19, 20.5, 21], [22, 23, 24]]
    assert w.jobs.equals(read_swf(put(HEAD + f"{JOB}\n" + JOB.replace("1 ", "2 ", 1))).jobs)
    assert w.select("energy > 21").jobs.index.tolist() == [2]
    swf.write_swf(w, tmp_path / "again.swf")
    again = read_swf(tmp_path / "again.swf")
    pd.testing.assert_frame_equal(again.log, w.log)
    assert again.header == w.header


@pytest.mark.parametrize("names", [("run", "estimate"), ("two words", "1st"), ("gpus", "gpus")])
def test_a_further_field_whose_name_is_none_or_taken_keeps_its_position(put, names):
    w = read_swf(put("; Field 19: {}\n; Field 20: {}\n".format(*names) + f"{HEAD}{JOB} 19 20\n"))
    assert list(w.log)[-2:] == ["field_19", "field_20"]


def test_the_values_of_a_repeated_header_key_are_joined():
    header = [" Note: one", " Note: two", "no key", " not a key: x", " Computer: IBM: SP2"]
    assert swf.header_fields(header) == {"Note": "one\ntwo", "Computer": "IBM: SP2"}


def swapped(number, submit, *statuses, log=""):
    """Lines of one job of 60 s on 4 processors: the whole job, then each of its parts, as SWF's usage note has them."""
    for place, status in enumerate(statuses):
        burst = {"run": 60, "wait": 5} if status in (0, 1, 5) else {"run": 20, "wait": 9}
        when = submit if place < 2 else -1  # only the first part has a submit time
        log += line(job=number, submit=when, procs=4, requested_procs=4, requested_time=90, status=status, **burst)
    return log


PARTS = {
    "completed": (swapped(1, 0, 1, 2, 2, 3) + swapped(2, 9, 1, 2, 3), [1, 2], 5),
    "failed, killed": (swapped(1, 0, 0, 2, 4) + swapped(2, 9, 1), [1, 2], 2),
    "parts of a cancelled job": (swapped(1, 0, 5, 3), [1, 2], 0),
    "other statuses": (swapped(1, 0, 1) + line(job=1, submit=0, run=20, procs=4, status=12), [1, 2], 0),
    "with decimal points": (swapped(1, 0, 1, "2.0", "3.0"), [1], 2),
    "parts alone": (swapped(1, 0, 2) + swapped(2, 5, 3) + swapped(3, 9, 4), [1, 2, 3], 0),
    "other numbers": (swapped(1, 0, 1) + swapped(2, 0, 2) + swapped(3, 9, 3), [1, 2, 3], 0),
    "unknown numbers": (swapped(-1, 0, 1) + swapped(-1, 9, 3), [1, 2], 0),
    "a number twice": (swapped(1, 0, 1, 2, 3) + swapped(1, 7, 1, 2, 3), [1, 2], 4),
}


@pytest.mark.parametrize("text, jobs, parts", PARTS.values(), ids=PARTS)
def test_parts_of_a_job_do_not_count_beside_the_whole_one(put, tmp_path, text, jobs, parts):
    w = read_swf(put(HEAD + "; Field 19: gpus\n; MaxGPUs: 4\n" + text.replace("\n", " 1\n")))
    assert sorted(w.jobs.index) == sorted(w.log.index) == jobs
    assert w.dropped.tolist() == [swf.PART] * parts and set(w.dropped.index) <= set(jobs)
    for new in w, w.partition(-1, procs=128, gpus=4), w.with_procs(64):
        assert (len(new), len(new.dropped)) == (len(jobs), parts)
    assert f"{parts} dropped" in repr(w) or not parts
    write_swf(Workload(w.jobs, w.procs, gpus=w.gpus), tmp_path / "out.swf")
    assert len(read_swf(tmp_path / "out.swf")) == len(jobs)
    if parts and w.log.job.is_unique:
        assert reads_back_equal(w, tmp_path / "out.swf")


@pytest.mark.parametrize(
    "header, procs",
    [
        ("; MaxProcs: 100\n; MaxNodes: 25\n", 100),
        ("; MaxNodes: 25\n; MaxProcs: 100\n", 100),
        ("; MaxNodes: 338 (batch partition; 512 total)\n", 338),
        ("; MaxProcs: -1\n; MaxNodes: 25\n", 25),
        ("; MaxProcs:\n; MaxNodes: 25\n", 25),
        ("; MaxProcs: 1024  nodes\n", 1024),
        ("; MaxProcs: 128(some note)\n", 128),
        ("; MaxProcs: 128 - batch only\n", 128),
        (";MaxProcs:40\n", 40),
        ("; MaxProcs: 30\n; MaxProcs: 30\n", 30),
    ],
)
def test_the_machine_size_is_max_procs_or_else_max_nodes(put, header, procs):
    assert read_swf(put(header + JOB)).procs == procs


@pytest.mark.parametrize(
    "header, start",
    [
        ("; UnixStartTime: 843480031\n; TimeZoneString: Europe/Stockholm\n", "1996-09-23 14:00:31+02:00"),
        ("; UnixStartTime: 0\n", "1970-01-01 00:00:00+00:00"),
        ("; UnixStartTime: -3600 (an hour before)\n", "1969-12-31 23:00:00+00:00"),
        ("; UnixStartTime: 843480031.0\n; TimeZoneString: CET\n", "1996-09-23 14:00:31+02:00"),
        ("; UnixStartTime: 1000000000\n; TimeZone: -28800\n", "2001-09-08 17:46:40-08:00"),
        ("; UnixStartTime: 1000000000\n; TimeZone: 19800 (IST)\n; TimeZoneString:\n", "2001-09-09 07:16:40+05:30"),
        ("; UnixStartTime: 1000000000\n; TimeZone: US/Pacific\n", "2001-09-08 18:46:40-07:00"),
        ("; UnixStartTime: 1000000000\n; TimeZone: 0\n; TimeZoneString: US/Pacific\n", "2001-09-08 18:46:40-07:00"),
        ("; UnixStartTime: -1\n", "None"),
    ],
)
def test_second_zero_is_known_in_the_logs_own_zone(put, header, start):
    w = read_swf(put(HEAD + header + JOB))
    assert str(w.start) == start
    assert reads_back_equal(w, put(b"", "again.swf"))


@pytest.mark.parametrize("start, submit", [(0, 9007199254740991), (253402300799, 5)])
def test_times_that_no_calendar_has_can_be_shown(put, start, submit):
    w = read_swf(
        put(f"{HEAD}; UnixStartTime: {start}\n; TimeZoneString: Asia/Tokyo\n" + JOB.replace("1 2", f"1 {submit}"))
    )
    assert repr(w) == "<Workload log: 1 jobs on 128 processors>"


# Faults


SHORT, LONG = JOB.rsplit(" ", 1)[0] + "\n", JOB + " 19\n"
EXPECTED = "expected a number (-1 if unknown)"
BINARY = "found binary data, expected text"


@pytest.mark.parametrize(
    "text, message",
    [
        (HEAD + JOB + "\n1 2 3\n" + JOB, "line 3: found 3 fields, expected 18"),
        (HEAD + SHORT + JOB, "line 2: found 17 fields, expected 18"),
        (HEAD + JOB + "\n" + SHORT.rstrip(), "line 3: found 17 fields, expected 18"),
        (HEAD + JOB + "\n" + LONG, "line 3: found 19 fields, expected 18"),
        (HEAD + LONG + JOB, "line 3: found 18 fields, expected 19, as on the first line"),
        (HEAD + LONG.replace(" 19", " x") * 2, f"line 2: field field_19: found 'x', {EXPECTED}"),
        (HEAD + "\n;\n" + JOB.replace(" 9 ", " 9;"), "line 4: found 9 fields, expected 18"),
        (HEAD + f"{JOB} {JOB}\n", "line 2: found 36 fields, expected 18"),
        ("\r" + HEAD.replace("\n", "\r\n") + JOB + "\r1 2", "line 4: found 2 fields, expected 18"),
        (HEAD, "found no job, expected lines of 18 numbers"),
        ("\n \n", "found no job, expected lines of 18 numbers"),
        (HEAD + JOB + "\n" + JOB[:9] + "\0" + JOB[9:], "line 3: " + BINARY),
        (HEAD + JOB + "\n" + "\0" * 9000, "line 3: " + BINARY),
        (f"{HEAD}{JOB}\n" * 400 + "; \0", "line 801: " + BINARY),
    ],
)
def test_a_file_that_is_no_log_is_refused_with_line_and_expectation(put, text, message):
    assert fault(put(text)) == message


@pytest.mark.parametrize(
    "word",
    'x NaN Infinity NA None False 1,0 1d5 1e 1e5e --1 +-1 . - "1" # 1.2.3 1j 1L 1% \u0663'.split(" ")
    + ["1" * 100_000 + "x"],
    ids=lambda word: word[:40],
)
def test_a_word_in_a_numbers_place_is_refused_with_its_place(put, word):
    assert fault(put(with_value(word))) == f"line 3: field memory: found {word[:40]!r}, {EXPECTED}"


@pytest.mark.parametrize("field", swf.FIELDS)
def test_the_field_of_a_fault_is_named(put, field):
    assert fault(put(with_value("?", field))) == f"line 3: field {field}: found '?', {EXPECTED}"


@pytest.mark.parametrize("number", ["-9223372036854775807", "9007199254740992", "9007199254740993.0", "1e999"])
def test_a_number_too_large_for_exact_arithmetic_is_refused(put, number):
    message = f"line 3: field memory: found {number[:40]!r}, expected a number below 2**53"
    assert fault(put(with_value(number))) == message


def test_text_in_no_known_encoding_is_refused_in_a_field_and_read_in_a_comment(put):
    data = with_value("\xff").encode("latin-1")
    assert fault(put(data)) == f"line 3: field memory: found '\ufffd', {EXPECTED}"
    assert read_swf(put(b"; \xff\n" + (HEAD + JOB).encode())).header[0] == " \ufffd"


def test_a_log_without_machine_size_says_how_to_pass_it(put):
    assert fault(put("; Computer: SP2\n" + JOB, "cluster.swf")) == (
        "header has no machine size: expected a line like '; MaxProcs: 128', "
        "or pass it: read_swf('cluster.swf', procs=128); on the command line --procs 128"
    )


# Whatever the bytes


NUMBERS = ["0", "1", "17", "3600", "-1", "2.5", ".5", "7.", "1e3", "-0", "007", "9007199254740991", "0.1", "+3", "00"]
NUMBERS += ["33.333333333333336", "1e-320"]
WORDS = [*NUMBERS, "nan", "-inf", "x", "0x1", "1_0", "True", "1e999", "99999999999999999999", "\ufeff1", "\x1c", "\xa0"]
BLANKS = [" ", " ", "  ", "\t", "\v", "\f", " \t"]
BREAKS = ["\n", "\n", "\r\n", "\r", "\n\n", " \n", "; 1\n", "\n  ; c\n", "\n\ufeff"]
COMMENTS = ["; MaxProcs: 64", "; MaxNodes: 8 (of 9)", "; UnixStartTime: 8e8", "; UnixStartTime: 836000000", ";"]
COMMENTS += ["; a:: b;", "; TimeZoneString: US/Pacific", "; TimeZoneString: Europe", "; MaxProcs: -1", "; \xe9: \x85"]
COMMENTS += ["\ufeff", " ;;"]

odd_lines = st.lists(st.sampled_from(WORDS), min_size=15, max_size=20)


@st.composite
def swf_texts(draw):
    """A text of comments and lines of 18 or 19 fields in all layouts; a few lines are odd."""
    fields = draw(st.sampled_from([18, 18, 19]))
    words = st.lists(st.sampled_from(NUMBERS), min_size=fields, max_size=fields)
    lines = st.builds(lambda words, blank: blank.join(words), words, st.sampled_from(BLANKS))
    odd = st.builds(lambda words, blank: blank.join(words), odd_lines, st.sampled_from(BLANKS))
    line = st.sampled_from(COMMENTS) | lines | lines | lines | (odd if draw(st.integers(0, 2)) == 0 else lines)
    begin = draw(st.sampled_from(["", "", "\n", " \n", "\ufeff"]))
    ended = st.lists(st.tuples(line, st.sampled_from(BREAKS)).map("".join), max_size=8)
    return begin + HEAD + "".join(draw(ended)).rstrip(draw(st.sampled_from(["", "\n"])))


def plain_number(word):
    """A decimal number as people write it; None for what is none, or cannot be exact."""
    if re.fullmatch(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?", word) and abs(float(word)) <= 2**53 - 1:
        return float(word)
    return None


def plainly_read(text):
    """The comments, and the fields of each job line, of a log; None if it is not one. Slow and obvious."""
    comments, rows = [], []
    for one in re.split("\r\n|\r|\n", text):
        fields, semicolon, comment = one.lstrip("\ufeff").partition(";")
        words = re.findall("[^ \t\v\f]+", fields)
        if semicolon and not words:
            comments.append(re.sub("[\v\f]", " ", comment).rstrip(" \t"))
        if words:
            rows.append([plain_number(word) for word in words])
    right = rows and len({len(row) for row in rows}) == 1 and 18 <= len(rows[0]) < 36
    return (comments, rows) if right and not any(None in row for row in rows) else None


def plain_jobs(rows, machine):
    """The jobs that take part by arrival, each a dict, and how many lines are parts of other jobs."""
    lines = [dict(zip(swf.FIELDS, row, strict=False)) for row in rows]
    whole = {line["job"] for line in lines if round(line["status"]) in (0, 1)}
    parts = [line for line in lines if round(line["status"]) in (2, 3, 4) and 0 <= line["job"] and line["job"] in whole]
    lines = [line for line in lines if line not in parts]
    unique = len({line["job"] for line in lines}) == len(lines)
    size = "procs" if any(round(line["procs"]) > 0 for line in lines) else "requested_procs"
    jobs = []
    for number, one in enumerate(lines, start=1):
        job = {name: round(one[name]) for name in ("submit", "run", "user", "group", "app", "queue", "status")}
        job |= {"label": one["job"] if unique else number, "procs": round(one[size])}
        job["estimate"] = max(round(one["requested_time"]), 0) or job["run"]
        if job["run"] >= 0 and 0 < job["procs"] <= machine:
            jobs.append(job)
    return sorted(jobs, key=lambda job: job["submit"]), len(parts)


def read_or_refuse(path, **options):
    """The workload in a file, or None where it is refused as it should be."""
    try:
        w = read_swf(path, **options)
    except SWFError as error:
        assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
        return None
    assert repr(w).startswith("<Workload log: ")
    return w


@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(put, data):
    read_or_refuse(put(data))


@pytest.mark.slow
@settings(max_examples=100)
@given(text=swf_texts())
def test_a_text_is_read_as_a_plain_reader_does_or_refused(put, text):
    path, expected = put(text), plainly_read(text)
    w = read_or_refuse(path, procs=64)
    assert (w is None) == (expected is None)
    if w is not None:
        comments, rows = expected
        jobs, parts = plain_jobs(rows, 64)
        assert list(w.header) == comments
        assert len(w.log) == len(rows) - parts and (parts or w.log.to_numpy(float).tolist() == rows)
        table = w.jobs.assign(label=w.jobs.index)
        assert [dict(zip(table, row, strict=True)) for row in table.to_numpy().tolist()] == jobs
        assert (w.dropped == swf.PART).sum() == parts and len(w.dropped) == len(rows) - len(jobs)


def test_clean_logs_take_the_fast_way(put):
    data = swf.read_bytes(put(HEAD + jobs((0, 1.5, 1), (2, 1, 1)) + ";\n" + jobs((3, 1, 2))))
    assert len(swf._parse_fast(swf._split_comments(data)[1], swf.FIELDS)) == 3


# Writing


whole = st.integers(-1, 10**6)
fraction = whole | st.floats(0, 1e6)
log_fields = [
    fraction if field in ("cpu", "memory", "run", "requested_time", "think") else whole for field in swf.FIELDS
]


@pytest.mark.slow
@settings(max_examples=30)
@given(rows=st.lists(st.tuples(*log_fields), max_size=6), packed=st.booleans(), procs=st.sampled_from([None, 99]))
def test_a_written_log_reads_back_equal(put, rows, packed, procs):
    text = "; Note: kept\n; MaxProcs: 1000\n" + "".join(" ".join(map(str, row)) + "\n" for row in [range(1, 19), *rows])
    w = read_swf(put(text), procs=procs)
    path = put(b"", "out.swf.gz" if packed else "out.swf")
    try:
        write_swf(w, path)
    except SWFError as error:
        assert "found jobs of the same number" in str(error) and path.read_bytes() == b""
        assert not w.log.job.is_unique
        return
    again = read_swf(path)
    assert again.equals(w) and not len(again.dropped)
    kept = ["job", "cpu", "memory", "requested_procs", "requested_memory", "partition", "preceding", "think"]
    assert (again.log[kept].values == w.log.assign(job=w.log.index).loc[w.jobs.index, kept].values).all()
    assert again.header == (" Note: kept", f" MaxProcs: {w.procs}")
    first = path.read_bytes()
    write_swf(again, path)
    assert path.read_bytes() == first


NUMBERED = [*range(1, 60), 0, -3, 2**53 - 1, 2**53, 2**62]
USUAL = {"submit": st.integers(0, 10**9), "run": st.integers(0, 10**6), "estimate": st.integers(1, 10**6)}
USUAL |= dict.fromkeys(["user", "queue", "status"], st.integers(-1, 9))
usual_jobs = st.lists(
    st.fixed_dictionaries(USUAL | {"procs": st.integers(1, 50), "number": st.sampled_from(NUMBERED)}),
    max_size=6,
    unique_by=lambda row: row["number"],
)
odd_values = st.integers(-5, 5) | st.sampled_from([2**53 - 1, 2**53, -(2**53), 2**62])


def reads_back_equal(w, path):
    """Whether a workload was written and reads back equal; else it has to be refused, and nothing written."""
    path.unlink(missing_ok=True)
    try:
        write_swf(w, path)
    except SWFError as error:
        assert str(error).startswith(f"{path}: not written: ") and "\n" not in str(error)
        assert not path.exists()
        return False
    again = read_swf(path)
    assert again.equals(w) and not len(again.dropped)
    assert str(again.start) == str(w.start) and again.synthetic == w.synthetic
    return True


@pytest.mark.slow
@settings(max_examples=50)
@given(
    rows=usual_jobs,
    odd=st.none() | st.tuples(st.sampled_from(list(USUAL)), odd_values),
    zone=st.sampled_from([None, "UTC", "US/Pacific", "+05:30", "Europe/Stockholm"]),
    header=st.lists(
        st.sampled_from([" MaxProcs: 50 64", " UnixStartTime: 7 8", " TimeZoneString: CET", " MaxProcs: 4"])
    ),
    synthetic=st.booleans(),
)
def test_any_workload_reads_back_equal_or_is_refused(put, rows, odd, zone, header, synthetic):
    start = None if zone is None else pd.Timestamp("1996-10-01 02:03:04", tz=zone)
    jobs = pd.DataFrame(rows, columns=[*USUAL, "procs", "number"], dtype="int64").set_index("number")
    if odd and rows:
        jobs.loc[rows[0]["number"], odd[0]] = odd[1]
    reads_back_equal(Workload(jobs, 50, start=start, header=header, synthetic=synthetic), put(b"", "out.swf"))


def small(index=(1, 2), **options):
    """A workload of two jobs."""
    columns = {"submit": [0, 1], "run": 5, "procs": 1} | options.pop("columns", {})
    return Workload(pd.DataFrame(columns, index=index), options.pop("procs", 4), **options)


@pytest.mark.parametrize(
    "w, message",
    [
        (small(columns={"estimate": [5, 0]}), "job 2: field requested_time: found 0, expected an estimate of at least"),
        (small(columns={"estimate": [-1, 5]}), "job 1: field requested_time: found -1, expected"),
        (small(columns={"submit": [0, 2**53]}), "job 2: field submit: found 9007199254740992, expected a number below"),
        (small(columns={"user": [-(2**63), 0]}), "job 1: field user: found -9223372036854775808, expected a number"),
        (small().select([False, False]), "found no job, expected one at least"),
        (small(procs=10**15), "header line MaxProcs: found '1000000000000000', expected a whole number"),
        (
            small(start="2020-01-01 00:00:00.5"),
            "start: found 2020-01-01 00:00:00.500000+00:00, expected a whole second",
        ),
        (small(header=["a", "b\n1 2"]), r"header line 2: found '\n', expected text in one line"),
        (small(header=["a\0"]), r"header line 1: found '\x00', expected text in one line"),
    ],
)
def test_what_would_not_read_back_equal_is_refused_with_the_job_and_nothing_is_written(tmp_path, w, message):
    with pytest.raises(SWFError) as error:
        write_swf(w, tmp_path / "out.swf")
    assert str(error.value).startswith(f"{tmp_path / 'out.swf'}: not written: {message}")
    assert listing(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "w",
    [
        small(columns={"run": 0, "estimate": 0}),
        small(header=[" MaxProcs: 4 8", " MaxProcs: 2K", " UnixStartTime: 9"]),
        small(start="1960-01-01", header=[" UnixStartTime: 1 2 3", " TimeZoneString: Nowhere"]),
        small(start=pd.Timestamp(0, tz="dateutil/Europe/Paris").tz_convert("Europe/Paris")),
        small([3, 1]),
        small([0.5, -1]),
    ],
)
def test_a_small_workload_reads_back_equal(tmp_path, w):
    assert reads_back_equal(w, tmp_path / "out.swf")


def test_a_log_whose_job_numbers_repeat_is_not_written_under_others(put, tmp_path):
    w = read_swf(put(HEAD + line(job=4, submit=0, run=1, procs=1) * 2))
    with pytest.raises(SWFError, match="not written: job 4: found"):
        write_swf(w, tmp_path / "out.swf")
    assert listing(tmp_path) == []
    assert reads_back_equal(Workload(w.jobs, w.procs, start=w.start), tmp_path / "out.swf")


# Bounded


@pytest.mark.slow
def test_a_header_of_many_lines_is_read_in_a_time_that_grows_with_it(put):
    path = put(HEAD + "; Note: x\n" * 200_000 + JOB)
    begun = time.process_time()
    w = read_swf(path)
    write_swf(w, put(b"", "again.swf"))
    assert time.process_time() - begun < 5  # it took 20 s where every line was joined to all before it
    assert len(w.header) == 200_001 and swf.header_fields(w.header)["Note"].count("x") == 200_000


def test_a_text_that_the_memory_does_not_hold_is_refused(put, monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(swf, "jobs_of", full)
    expected = "found more than this machine's memory holds, expected a log that is smaller"
    assert fault(put(HEAD + JOB)) == expected
    monkeypatch.setattr(swf, "_split_comments", full)
    assert fault(put(HEAD + JOB)) == expected
    with pytest.raises(SWFError, match="memory"):
        swf.job_lines(put(HEAD + JOB))


def test_a_nul_in_a_path_to_write_is_refused(put):
    with pytest.raises(SWFError, match="cannot be written: found a NUL in the path"):
        write_swf(read_swf(put(HEAD + JOB)), "a\0b.swf")


@pytest.mark.parametrize("index", [["a", "b"], pd.date_range("2020-01-01", periods=2)], ids=type)
def test_jobs_that_have_names_instead_of_numbers_are_counted(tmp_path, index):
    w = Workload(pd.DataFrame({"submit": [0, 1], "run": 5, "procs": 1}, index=index), 4)
    write_swf(w, tmp_path / "out.swf")
    again = read_swf(tmp_path / "out.swf")
    assert again.jobs.index.tolist() == [1, 2]
    assert (again.jobs.values == w.jobs.values).all()


def test_the_header_says_the_machine_size_and_clock_as_they_are_now(put, tmp_path):
    w = read_swf(
        put("; Computer: SP2\n; MaxProcs: 338 (of 512)\n;\n; UnixStartTime: 5\n" + JOB + "\n; end\n"), procs=512
    )
    w.start = w.start.tz_convert("US/Eastern")
    write_swf(w, tmp_path / "out.swf")
    text = (tmp_path / "out.swf").read_text()
    head = "; Computer: SP2\n; MaxProcs: 512\n;\n; UnixStartTime: 5\n; end\n; TimeZoneString: US/Eastern\n"
    assert text == head + JOB + "\n"


@pytest.mark.parametrize("key", ["MaxProcs", "MaxNodes"])
def test_two_machine_sizes_that_differ_are_refused(put, key):
    complaint = fault(put(f"; {key}: 64\n; {key}: 128\n" + JOB))
    assert complaint.startswith(f"header line {key}: found '64' and '128', expected one value, or pass it")
    assert read_swf(put(f"; {key}: 64\n; {key}: 64\n; {key}:\n" + JOB)).procs == 64


def test_a_header_that_is_right_already_is_not_touched(put, tmp_path):
    header = "; MaxNodes: 184\n; MaxProcs: 1664 (72, 1368, 224)\n; UnixStartTime: 5 (or so)\n; TimeZoneString: UTC\n"
    write_swf(read_swf(put(header + JOB)), tmp_path / "out.swf")
    assert (tmp_path / "out.swf").read_text() == header + JOB + "\n"


def test_jobs_that_were_dropped_or_not_selected_are_not_written(put, tmp_path):
    w = read_swf(put(HEAD + jobs((0, 1, 1), (1, -1, 1), (2, 3, 1), (3, 3, 0)))).select("run == 3")
    write_swf(w, tmp_path / "out.swf")
    assert (tmp_path / "out.swf").read_text() == HEAD + line(job=3, submit=2, run=3, procs=1)


def test_changed_estimates_are_written_and_others_left_unknown(put, tmp_path):
    rows = line(job=1, submit=0, run=9, procs=1, requested_time=50.4) + line(job=2, submit=0, run=9, procs=1)
    w = read_swf(put(HEAD + rows))
    write_swf(w, tmp_path / "out.swf")
    assert read_swf(tmp_path / "out.swf").log.requested_time.tolist() == [50.4, -1]
    write_swf(w.with_estimates(lambda jobs, rng: jobs.estimate + 1), tmp_path / "out.swf")
    assert read_swf(tmp_path / "out.swf").log.requested_time.tolist() == [51, 10]


def test_a_schedule_is_written_with_the_simulated_waits_and_the_times_that_killed_jobs_ran(put, tmp_path):
    rows = (
        line(job=job, submit=0, wait=7, run=10, procs=100, requested_time=asked) for job, asked in ((1, 4), (2, 20))
    )
    w = read_swf(put(HEAD + "".join(rows)))
    for overrun, waits, runs in ("extend", [0, 10], [10, 10]), ("kill", [0, 4], [4, 10]):
        write_swf(simlib.simulate(w, simlib.FCFS(), overrun=overrun), tmp_path / "out.swf")
        again = read_swf(tmp_path / "out.swf")
        assert (again.log.wait.tolist(), again.jobs.run.tolist()) == (waits, runs)
        assert again.equals(w) == (overrun == "extend")


@pytest.mark.parametrize("name", ["out.swf", "out.swf.gz"])
def test_the_same_jobs_give_the_same_bytes_and_gzip_goes_by_name(put, tmp_path, name):
    w = read_swf(put(HEAD + jobs((0, 1.5, 1), (2, 1, 1))))
    for folder in ("one", "two"):
        write_swf(w, tmp_path / folder / name)
    first = (tmp_path / "one" / name).read_bytes()
    assert first == (tmp_path / "two" / name).read_bytes()
    assert first.startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_a_name_says_no_compression_that_is_not_written(put, tmp_path):
    with pytest.raises(SWFError, match=r"\.xz, .*\.swf\.gz"):
        write_swf(read_swf(put(HEAD + jobs((0, 1, 1)))), tmp_path / "out.swf.xz")
    assert not listing(tmp_path)


@pytest.mark.parametrize("target", ["file/out.swf", "folder"])
def test_writing_below_a_file_or_over_a_folder_leaves_nothing_behind(put, tmp_path, target):
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        write_swf(read_swf(put(HEAD + JOB)), tmp_path / target)
    assert listing(tmp_path) == ["file", "folder"] and listing(tmp_path / "folder") == []
    assert (tmp_path / "file").read_text() == "kept"


def test_a_full_disk_leaves_the_old_file_alone(put, tmp_path):
    resource = pytest.importorskip("resource")  # not on Windows
    w = read_swf(put(HEAD + jobs(*[(1, 1, 1)] * 300)))
    (tmp_path / "out.swf").write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(OSError):
            write_swf(w, tmp_path / "out.swf")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert listing(tmp_path) == ["out.swf"]
    assert (tmp_path / "out.swf").read_text() == "old"


# Digests and the real logs


@given(st.text("1 2\t;\n", min_size=1).map(str.encode))
def test_the_digest_is_that_of_the_folded_lines(put, text):
    lines = [b" ".join(line.partition(b";")[0].split()) + b"\n" for line in text.split(b"\n")]
    expected = [line for line in lines if line != b"\n"]
    assert swf.job_lines(put(text)) == (len(expected), hashlib.sha256(b"".join(expected)).hexdigest())


def test_a_real_log_reads_back_equal(log, tmp_path):
    w = log("KTH-SP2")
    write_swf(w, tmp_path / "out.swf.gz")
    assert read_swf(tmp_path / "out.swf.gz").equals(w)
