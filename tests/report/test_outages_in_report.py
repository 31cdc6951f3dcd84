"""Outages are read by row from what people and Slurm write, and policies plan around them."""

import pytest
from test_log_report import QUEUE, weeks

from simlib import Workload
from simlib_report import Page
from simlib_report.outages import outages, said

W = Workload({"submit": [0, 90_000], "run": [60, 60], "procs": [3, 4]}, 4, start="2024-05-03 14:00+02:00")
"""Two jobs, of which the last one comes at 15:00 on 4 May."""


def read(folder, text):
    """The rows of a file with this text."""
    (folder / "away.txt").write_text(text)
    return outages(folder / "away.txt", W).to_numpy().tolist()


EVENTS = """NodeName|TimeStart|TimeEnd|TRES
n1|2024-05-03T15:00:00|2024-05-03T16:00:00|billing=2,cpu=2,mem=8G
n2|2024-05-02T10:00:00|Unknown|cpu=1
|2024-05-03T15:00:00|2024-05-03T16:00:00|cpu=4
n3|2024-05-01T15:00:00|2024-05-01T16:00:00|cpu=2
"""

RESERVATIONS = """Name|Start|End|TRES|Flags
service|2024-05-03T15:00:00|2024-05-03T16:00:00|cpu=4|MAINT,SPEC_NODES
course|2024-05-03T15:00:00|2024-05-03T16:00:00|cpu=4|SPEC_NODES
"""

SHOWN = """ReservationName=service StartTime=2024-05-03T15:00:00 EndTime=2024-05-03T16:00:00 Duration=01:00:00
   Nodes=n[1-2] NodeCnt=2 CoreCnt=4 Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES
     NodeName=n1 CoreIDs=0-1
   TRES=cpu=4
   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE

ReservationName=course StartTime=2024-05-03T15:00:00 EndTime=2024-05-03T16:00:00 Duration=01:00:00
   Nodes=n1 NodeCnt=1 CoreCnt=2 Features=(null) PartitionName=(null) Flags=SPEC_NODES
   TRES=cpu=2
"""


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("start,end,procs\n2024-05-03 15:00,1714741500,2\n", [[3600, 3900, 2, 0]]),
        ("Start, End, Procs, Known\n2024-05-03 15:00,2024-05-03 16:00,2,2024-05-03 14:30\n", [[3600, 7200, 2, 1800]]),
        ("start,end,procs,known\n2024-05-03 15:00,2024-05-03 16:00,2,2024-05-03 15:30\n", [[3600, 7200, 2, 3600]]),
        (EVENTS, [[3600, 7200, 2, 3600], [0, 90_001, 1, 0]]),
        (RESERVATIONS, [[3600, 7200, 4, 0]]),
        (SHOWN, [[3600, 7200, 4, 0]]),
    ],
)
def test_outages_are_read_from_a_table_and_from_what_slurm_prints(tmp_path, text, rows):
    assert read(tmp_path, text) == rows


def test_of_an_outage_that_lasts_beyond_the_log_the_part_within_it_is_told(tmp_path):
    (tmp_path / "away.csv").write_text("start,end,procs\n2024-05-04 02:30+02:00,2024-06-04,4\n")  # half of the log
    assert said(outages(tmp_path / "away.csv", W), W).startswith("1 outage is simulated: 50 % of the processor-hours")


def test_of_nodes_that_went_down_none_is_told_as_known_before(tmp_path):
    (tmp_path / "away.txt").write_text(EVENTS)
    assert said(outages(tmp_path / "away.txt", W), W).endswith("; 0 of them were known before.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NodeName|TimeStart|TimeEnd|State\n", "line 1: found 'NodeName.*, expected a table .* format=NodeName,Start,"),
        ("start,end,procs\n\nsoon,2024-05-03,2\n", "line 3: start: found 'soon', expected a time"),
        ("start,end,procs\n2024-05-04,2024-05-03,2\n", "line 2: end: found '2024-05-03', expected a time after"),
        ("start,end,procs\n2024-05-04,2024-05-05,0\n", "line 2: procs: found '0', expected a number of processors"),
        (EVENTS.replace("cpu=2,", ""), "line 2: tres: found 'billing=2,mem=8G', expected .* cpu=128"),
        ("start,end,procs\n2024-05-04,2024-05-05\n", "line 2: found 2 fields, expected 3"),
        ("start,end,procs\n2023-05-04,2023-05-05,1\n", "found no outage in the time of workload"),
    ],
)
def test_a_wrong_table_is_refused_by_line_and_column(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"away\.txt: {message}"):
        read(tmp_path, text)


def test_policies_that_plan_around_outages_are_compared_and_others_are_not(tmp_path):
    path, w = tmp_path / "away.csv", weeks(QUEUE, count=3)
    path.write_text("start,end,procs\n2024-01-08,2024-01-08 06:00,4\n")
    made = Page(w, outages=path, shakes=4)
    start = made.schedules["Slurm's backfill"].column("start")
    assert made.base == "Slurm's backfill" and not ((start >= 7 * 86400) & (start < 7.25 * 86400)).any()
    said = " ".join(made.left())
    assert "1 outage is simulated: 1.8 % of the processor-hours; 1 of them were known before." in said
    assert "Not compared: EASY, shortest first: not made for outages." in said
    with pytest.raises(ValueError, match="found outages with partitions"):
        Page(weeks(QUEUE, waits=0, partition=1), outages=path, partitions="each")
    with pytest.raises(ValueError, match="found EASY, which does not know them"):
        Page(w, base="EASY", outages=path)
