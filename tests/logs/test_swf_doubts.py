"""What a log in the Standard Workload Format says of itself: its machine, its clock, and what is odd about its jobs."""

import os
import re
import tracemalloc
import warnings
from pathlib import Path

import pytest
from swf_lines import HEAD, JOB, fault, jobs, line

from simlib import LogWarning, read_swf, write_swf

pytestmark = pytest.mark.filterwarnings("ignore::simlib.LogWarning")  # small logs lack much


def doubts_of(path, **options):
    """What reading a log warns of, and the workload."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        w = read_swf(path, **options)
    assert all(one.category is LogWarning and one.filename == __file__ for one in caught)
    return [str(one.message) for one in caught], w


NO_SIZES = ["1,024", "1e3", "2K", "4x32", "12.", "128,", "unknown", "0x80", "-5", "1_000", "~100", "\uff11\uff12"]
NO_SIZES += ["1 024", "2 K", "4 nodes of 32", "9" * 16, "1024\u00a0512"]


@pytest.mark.parametrize("key, text", [*(("MaxProcs", text) for text in NO_SIZES), ("MaxNodes", "2K")])
def test_a_machine_size_that_is_no_plain_whole_number_is_refused(put, key, text):
    path = put(f"; {key}: {text}\n" + "; MaxNodes: 25\n" * (key == "MaxProcs") + JOB)
    expected = f"header line {key}: found {text!r}, expected a whole number such as 128, "
    assert fault(path) == expected + "or pass it: read_swf('log.swf', procs=128); on the command line --procs 128"
    assert read_swf(path, procs=9).procs == 9


START, ZONE, OLD = "UnixStartTime", "TimeZoneString", "TimeZone"
CLOCKS = [
    *((START, f"; {START}: {text}\n", text) for text in ["843 480 031", "2004 January 1", ""]),
    *((START, f"; {START}: {text}\n; {ZONE}: CET\n", text) for text in ["836000000118", "9" * 5000]),
    *((ZONE, f"; {START}: 0\n; {ZONE}: {text}\n", text) for text in ["America", "", "../../etc/passwd", "a" * 300]),
    *((OLD, f"; {START}: 0\n; {OLD}: {text}\n", text) for text in ["-8", "54000", "3601", "PST8", "1 2", "9" * 5000]),
]


@pytest.mark.parametrize("key, header, text", CLOCKS)
def test_a_clock_that_cannot_be_read_is_warned_of_and_the_log_has_no_calendar(put, key, header, text):
    path = put(HEAD + header + JOB)
    (message,), w = doubts_of(path)
    complaint = f"{path}: the log has no calendar: header line {key}: found {text[:40]!r}, expected "
    assert message.startswith(complaint) and w.start is None
    assert message.endswith("843480031" if key == START else "Europe/Stockholm" if key == ZONE else "3600")
    assert repr(w) == "<Workload log: 1 jobs on 128 processors>"


@pytest.mark.parametrize("header", ["", f"; {ZONE}: UTC\n", f"; {ZONE}: Europe/Paris\n", f"; {START}: 0\n"])
def test_a_log_without_a_clock_is_not_warned_of(put, header):
    messages, w = doubts_of(put(HEAD + header + JOB))
    assert messages == [] and (w.start is None) == (START not in header)


@pytest.mark.parametrize("old", ["-28800", "0", "19800 (IST)"])
def test_a_zone_in_seconds_has_no_summer_time_which_is_warned_of(put, old):
    (message,), w = doubts_of(put(f"{HEAD}; {START}: 1000000000\n; {OLD}: {old}\n{JOB}"))
    assert f"{OLD}: {old}" in message and str(w.start.tz) in message and ZONE in message
    assert doubts_of(put(f"{HEAD}; {START}: 0\n; {OLD}: {old}\n; {ZONE}: UTC\n{JOB}"))[0] == []


ASKED = {"requested_time": 9, "run": 5, "procs": 1, "submit": 0}


@pytest.mark.parametrize("large, warned", [(1, False), (2, True)])
def test_more_than_one_job_in_twenty_that_is_larger_than_the_machine_is_warned_of(put, large, warned):
    rows = [line(job=job, **ASKED | {"procs": 129 if job <= large else 1}) for job in range(1, 21)]
    messages, _ = doubts_of(put(HEAD + "".join(rows)))
    expected = "log: 2 of 20 jobs are dropped, for they are larger than the machine; are its 128 processors right?"
    assert [message.startswith(expected) for message in messages] == [True] * warned


@pytest.mark.parametrize("without, warned", [(0, False), (1, False), (2, True), (20, True)])
def test_more_than_one_job_in_twenty_without_an_estimate_is_warned_of(put, without, warned):
    rows = [line(job=job, **ASKED | {"requested_time": -1 if job <= without else 9}) for job in range(1, 21)]
    messages, w = doubts_of(put(HEAD + "".join(rows)))
    expected = f"log: {without} of 20 jobs have no requested time, and their run time serves as a perfect estimate"
    assert [message.startswith(expected) for message in messages] == [True] * warned
    assert w.unestimated == without


@pytest.mark.parametrize(
    "rows, warned",
    [
        ([(1, 0, 1), (1, 0, 1)], "1 of 2 jobs have the number and the submit time of another"),
        ([(1, 0, 1), (1, 0, 2)], None),
        ([(1, 0, 5), (1, 0, 2)], "1 of 2 jobs have the number and the submit time of another"),
        ([(1, 0, 1), (2, 9, 1), (1, 0, 1), (2, 9, 1)], "2 of 4 jobs have the number and the submit time of another"),
        ([(1, 0, 1), (1, 9, 1), (-1, 0, 1), (-1, 0, 1), (2, 0, 1)], None),
        ([(1, 0, 1), (2, -1, 1), (3, -1, 4)], "2 of 3 jobs have the submit time -1"),
    ],
)
def test_jobs_that_stand_twice_or_have_no_submit_time_are_warned_of(put, rows, warned):
    text = "".join(line(**ASKED | {"job": job, "submit": when, "status": of}) for job, when, of in rows)
    messages, w = doubts_of(put(HEAD + text))
    assert [message.startswith(f"log: {warned}") for message in messages] == [True] * bool(warned)
    if warned:
        how = re.search(r"(?:w\.)?(select\(.*\))$", messages[0])[1]
        assert len(eval(f"w.{how}", {"w": w})) == len(rows) - int(warned[0])


@pytest.mark.parametrize(
    "jobs, seconds, warned",
    [
        (5, 9000, "up to 1.25 times its 4 processors (mean of 5 min)"),
        (5, 300, "up to 1.25 times its 4 processors (mean of 5 min)"),
        (5, 200, None),  # one job ends a little after the next has begun
        (4, 9000, None),
    ],
)
def test_a_recorded_use_above_the_machine_is_warned_of(put, jobs, seconds, warned):
    rows = [line(job=job, **ASKED | {"submit": 600, "wait": 0, "run": seconds}) for job in range(1, jobs + 1)]
    messages, _ = doubts_of(put("; MaxProcs: 4\n" + "".join(rows)))
    assert len(messages) == bool(warned) and (not warned or warned in messages[0])


def test_use_a_little_above_the_machine_is_warned_of_where_it_lasts(put):
    def use(seconds, wait=0):
        row = ASKED | {"wait": wait, "run": seconds, "procs": 110}
        return doubts_of(put("; MaxProcs: 200\n" + line(job=1, **row) + line(job=2, **row)))[0]

    assert "up to 1.10 times its 200 processors (mean of 60 min)" in use(3600)[0]
    assert use(1800) == []
    assert use(3600, wait=-1) == []  # nobody knows when they ran


@pytest.mark.parametrize("far", [10**7, 2**52])
def test_absurd_times_are_doubted_within_a_bounded_memory(put, far):
    text = "; MaxProcs: 4\n" + line(job=1, **ASKED | {"wait": 0}) + line(job=2, **ASKED | {"wait": far, "run": far})
    tracemalloc.start()
    assert doubts_of(put(text))[0] == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


def test_what_is_made_up_is_not_doubted(put):
    assert doubts_of(put(HEAD + "; Note: SYNTHETIC\n" + jobs((0, 1, 1))))[0] == []


MARKS = ["; Computer: SYNTHETIC", ";Synthetic", "; made up: a synthetically made log"]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_log_that_says_that_it_is_made_up_is_synthetic_wherever_it_says_so(put, mark, place):
    lines = [HEAD.strip(), JOB]
    lines.insert(place, mark)
    w = read_swf(put("\n".join(lines) + "\n"))
    assert w.synthetic and w.stand_in
    path = put(b"", "again.swf")
    write_swf(w, path)
    assert read_swf(path).synthetic
    assert path.read_text().lower().count("synthetic") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["SDSC-BLUE-2000-4.2-cln", "Sandia-Ross-2001-1.1-cln", "KTH-SP2-1996-2", "HPC2N-2002-2.2-cln"]
)
def test_real_logs_whose_use_exceeds_the_machine_are_warned_of_and_no_others(name):
    path = Path(os.environ.get("SIMLIB_TRACES", "."), f"{name}.swf.gz")
    if not path.exists():
        pytest.skip(f"{path.name} is not here (SIMLIB_TRACES={os.environ.get('SIMLIB_TRACES')})")
    messages, _ = doubts_of(path)
    expected = {"SDSC-BLUE-2000-4.2-cln": "1.26 times its 1,152", "Sandia-Ross-2001-1.1-cln": "1.27 times its 1,524"}
    assert len(messages) == (name in expected) and all(expected[name] in message for message in messages)
