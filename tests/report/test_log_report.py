"""The page of a log: the answer follows from the tables, whatever the log lacks, and the page stands alone."""

import re
import sys
import warnings
from dataclasses import replace
from html import unescape

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from exhibits import executed
from helpers import ROOT, listing, numbered, random_workload

import simlib
import simlib_report as report
from simlib import EASY, Workload, simulate
from simlib.__main__ import main
from simlib.logs import archive, swf
from simlib_report import losses, page
from simlib_report.answer import answer
from simlib_report.policies import what_if_said

SAMPLE = str(ROOT / "data" / "samples" / "sample.swf.gz")


def waited(rows, machine, waits, **fields):
    """A workload of (submit, run, estimate, procs) rows whose log has these waits, and what else is said of it."""
    made = numbered(rows, machine)
    log = made.log.assign(wait=waits, **fields)
    return Workload(swf.jobs_of(log), machine, "made up", log=log)


def busy(jobs=200, **fields):
    """A busy machine, whose jobs all waited for ten minutes by the log; of a single user and all requests known."""
    made = random_workload(3, jobs=jobs, machine=16, overrun=False, shortest=1).jobs
    rows = made[["submit", "run", "estimate", "procs"]].to_numpy() * [60, 60, 60, 1]
    return waited(rows, 16, **{"waits": 600} | fields)


# What is taken


def test_a_log_is_taken_by_its_path_or_by_its_name():
    by_path, by_name = report.taken(SAMPLE), report.taken("sample")
    assert by_path.equals(by_name) and len(by_path) == 6000
    assert len(report.taken("sample", first="2026-02-01", last="2026-03-01")) == 1892
    assert len(report.taken("sample", first="2026-02-01")) + len(report.taken("sample", last="2026-02-01")) == 6000


def test_a_machine_of_another_size_has_all_jobs_that_fit_it(tmp_path):
    path = tmp_path / "small.swf"
    swf.write_log([" MaxProcs: 4"], numbered([(0, 10, 10, 3), (1, 5, 8, 6)], 8).log.assign(status=1), path)
    assert len(report.taken(path)) == 1
    larger = report.taken(path, procs=8)
    assert (len(larger), larger.procs) == (2, 8)
    assert report.taken("sample", procs=300).procs == 300


def test_a_partition_needs_its_size_and_the_error_says_what_it_used(tmp_path):
    log = numbered([(0, 10, 10, 3), (1, 5, 8, 6), (2, 9, 9, 2)], 8).log.assign(partition=[1, 2, 1], wait=0)
    swf.write_log([" MaxProcs: 8"], log, tmp_path / "parts.swf")
    part = report.taken(tmp_path / "parts.swf", partition=1, procs=5)
    assert (part.jobs.index.to_list(), part.procs) == ([1, 3], 5)
    with pytest.raises(ValueError, match="partition 1: found no procs, .* used up to 5 of the machine's 8 at once"):
        report.taken(tmp_path / "parts.swf", partition=1)
    with pytest.raises(ValueError, match=r"found partition 7, expected one or several of 1 \(2 jobs\), 2 \(1 jobs\)"):
        report.taken(tmp_path / "parts.swf", partition=7, procs=5)
    swf.write_log([" MaxProcs: 8", " Partition: 1 cpu"], log, tmp_path / "named.swf")
    assert report.taken(tmp_path / "named.swf", partition="cpu", procs=5).jobs.equals(part.jobs)
    with pytest.raises(ValueError, match=r"found partition gpu, expected one or several of 1 cpu \(2 jobs\), 2 "):
        report.taken(tmp_path / "named.swf", partition="gpu", procs=5)


def test_of_a_part_of_the_time_only_what_lies_in_it_is_left_out(tmp_path):
    log = numbered([(day * 86400, 10, 10, 3) for day in range(6)], 8).log.assign(run=[10, -1, 10, -1, -1, 10])
    swf.write_log([" MaxProcs: 8", " UnixStartTime: 0"], log, tmp_path / "days.swf")
    part = report.taken(tmp_path / "days.swf", first="1970-01-01", last="1970-01-04")
    assert report.about(part).loc["left out: run time unknown", ""] == "1"


def test_the_page_says_what_the_conversion_said(tmp_path):
    header = [" MaxProcs: 8", " Conversion: simlib, from the output of sacct", " Note: waits count what was held"]
    swf.write_log(header, numbered([(0, 10, 10, 3)], 8).log, tmp_path / "mine.swf")
    assert "mine: waits count what was held." in report.doubtful(report.taken(tmp_path / "mine.swf"))


def test_errors_name_what_was_found_and_what_is_possible(tmp_path):
    with pytest.raises(archive.ArchiveError, match="nowhere.swf: found no such file.*KTH-SP2.*sample"):
        report.taken("nowhere.swf")
    with pytest.raises(simlib.SWFError, match="found a folder"):
        report.taken(tmp_path)
    with pytest.raises(ValueError, match="no job was submitted from 2030-01-01"):
        report.taken("sample", first="2030-01-01", last="2031-01-01")
    with pytest.raises(ValueError, match="submitted from 2026-01-01 01:36 to 2026-03-31"):
        report.taken("sample", first="2030-01-01")
    with pytest.raises(ValueError, match="found 'LIFO', expected some of 'EASY', 'conservative', 'FCFS'"):
        report.chosen(["EASY", "LIFO"])
    with pytest.raises(ValueError, match="found none"):
        report.chosen([])


def test_what_is_doubtful_is_said_and_not_warned_of(tmp_path):
    log = busy().log.assign(requested_time=-1)
    swf.write_log([" MaxProcs: 16"], log, tmp_path / "doubtful.swf")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = " ".join(report.doubtful(report.taken(tmp_path / "doubtful.swf")))
    assert "no calendar" in said and "200 of 200 jobs have no requested time" in said


# What was recorded


def test_recorded_waits_stand_beside_simulated_ones():
    w = waited([(0, 60, 60, 4), (10, 60, 60, 4), (500, 60, 60, 4)], 4, [0, 650, 100])
    table = report.overview(None, report.schedules(w, report.chosen(["EASY"])))
    assert table["mean wait"].to_dict() == {"recorded": "4.2 min", "EASY": "17 s"}
    assert table["wait at all"].to_dict() == {"recorded": "67 %", "EASY": "33 %"}


def test_jobs_that_waited_beside_idle_processors_are_counted():
    w = waited([(0, 1000, 1000, 3), (10, 60, 60, 1), (20, 60, 60, 2), (30, 60, 60, 1)], 4, [0, 100, 980, 0])
    said = " ".join(report.why_recorded_differ(w))
    assert "2 jobs waited for more than a minute by the log. 50 % of them came when enough processors were idle" in said
    a_minute = waited([(0, 1000, 1000, 3), (10, 60, 60, 1), (20, 60, 60, 2), (30, 60, 60, 1)], 4, [0, 160, 980, 60])
    assert "2 jobs waited for more than a minute" in " ".join(report.why_recorded_differ(a_minute))
    as_one_ends = waited([(0, 60, 60, 4), (60, 60, 60, 4)], 4, [0, 100])
    assert "100 % of them came when" in " ".join(report.why_recorded_differ(as_one_ends))


def test_an_empty_machine_is_told_and_waits_that_no_machine_allows_are_not_used():
    said = " ".join(report.why_recorded_differ(waited([(0, 60, 60, 3), (180, 60, 60, 1)], 4, 0)))
    assert "For 2 minutes, 50 % of the time, nothing ran at all." in said
    impossible = waited([(0, 60, 60, 3), (0, 60, 60, 3), (180, 60, 60, 1)], 4, 0)
    assert "impossible" in report.why_recorded_differ(impossible)[0]
    made = report.Page(impossible, ["EASY", "FCFS"], shakes=4)
    assert list(made.schedules) == list(made.cases) and "impossible" in made.answer["Compared with"]


def test_waits_that_are_not_known_do_not_count():
    w = waited([(0, 60, 60, 4), (100, 60, 60, 4)], 4, [-1, 50])
    made = report.schedules(w, report.chosen(["EASY"]))
    assert made["recorded"].summary().mean_wait == 50 and len(made["EASY"].jobs) == 2
    assert "The wait of 1 of the 2 jobs is not known" in " ".join(report.why_recorded_differ(w))


# The answer, on logs made by hand


def weeks(of_week, count=15, waits=-1, **fields):
    """A log of some weeks, each with the same jobs in another minute: (user, minute, minutes, asked, processors)."""
    rows = sorted(
        (week * 604800 + week * 97 + minute * 60, run * 60, asked * 60, procs, user)
        for week in range(count)
        for user, minute, run, asked, procs in of_week
    )
    log = waited([row[:4] for row in rows], 4, waits, user=[row[4] for row in rows], **fields).log
    return Workload(swf.jobs_of(log), 4, "made up", log=log, start=pd.Timestamp("2024-01-01"))


def asked(workload, *names, **options):
    """A page of these policies, without what-ifs of estimates."""
    made = report.Page(workload, names, shakes=5, **options)
    made.cases, made.what_ifs = {name: case for name, case in made.cases.items() if name in names}, []
    return made


def decision(made):
    """The first line of a page's answer."""
    return plain(made.answer)["Decision"]


QUEUE = [(1, 0, 600, 600, 3), (1, 5, 60, 60, 4), (2, 10, 30, 30, 1), (2, 12, 30, 30, 1)]
"""User 2's narrow jobs may pass user 1's wide one under EASY, and not under FCFS."""

SHORT_FIRST = [(1, 0, 100, 100, 4), (1, 5, 500, 500, 4), (2, 10, 10, 10, 4), (2, 15, 10, 10, 4)]
"""User 2's short jobs wait for user 1's long one, unless they go first; then the long one waits for them."""

LATER = [(3, 2000, 100, 100, 4), (3, 2005, 230, 230, 4), (2, 2010, 10, 10, 4)]
"""The same for user 3, whom one short job passes."""

STREAM = [(1, 0, 100, 100, 4), (1, 5, 300, 300, 4), *((2, 10 + 50 * k, 60, 60, 4) for k in range(10))]
"""User 1's second job waits until user 2 sends no more, if shorter ones go first: 695 minutes, not 95."""

FIRST = "EASY, shortest first"


@pytest.mark.parametrize(("jobs", "other"), [(QUEUE, "FCFS"), (SHORT_FIRST, "two reservations")])
def test_a_policy_that_is_worse_or_equal_is_not_recommended(jobs, other):
    lines = plain(asked(weeks(jobs), "EASY", other).answer)
    assert lines["Decision"].startswith("No: no policy") and lines["Decision"].endswith("Keep EASY.")
    assert lines["How sure"].startswith("Beyond chance") and lines["Who gains"] == "Nobody for sure."


def test_a_policy_that_is_better_only_for_some_names_those_who_lose_and_who_loses_most():
    lines = plain(asked(weeks([*SHORT_FIRST, *LATER]), "EASY", FIRST).answer)
    assert lines["Decision"].startswith(f"Yes: try {FIRST}: the mean wait falls from 4 to 1.2 hours.")
    assert lines["Who gains"].startswith("1 of 3 users, most user 2 (")
    assert lines["Who loses"].startswith("2 of 3 users, most user 1 (10 minutes longer)")
    assert "most likely another year, too" in lines["How sure"]


def test_a_policy_that_starves_a_job_is_recommended_only_if_the_reader_allows_it():
    made = asked(weeks(STREAM), "EASY", FIRST)
    lines = plain(made.answer)
    assert re.match(
        rf"No: with {FIRST} the mean wait .*, but the longest wait grows from .* to 11.6 hours", lines["Decision"]
    )
    table = report.overview(made.found, made.schedules)
    assert "longest wait" in table.loc[FIRST, "too much worse"] and table.loc[FIRST, "longest wait"] == "11.6 h"
    assert decision(asked(weeks(STREAM), "EASY", FIRST, allowed=2000)).startswith("Yes: ")
    with pytest.raises(ValueError, match="found allowed=-1"):
        report.Page(weeks(STREAM), allowed=-1)


def test_of_few_jobs_nothing_is_said_of_users_and_sizes():
    made = asked(weeks(QUEUE, count=5), "FCFS", "EASY")
    assert plain(made.answer)["Who gains"] == "jobs of all kinds, on average."
    assert page._about(made.workload) == "20 jobs on 4 processors (January 2024)"


def test_who_waits_how_long_is_told_by_request_and_by_size():
    made = asked(weeks(STREAM, count=30), "EASY", FIRST)
    tables = {part.attrs["caption"]: part for _, part in _section(made, "by request").kinds() if hasattr(part, "attrs")}
    row = tables["By request"].loc["jobs that request 4 to 12 hours"]
    assert (row["jobs"], row[f"half, {FIRST}"], row["half, EASY"]) == ("30", "11.6 h", "1.6 h")
    assert tables["By size"].index.to_list() == ["jobs of 3-4 processors"]
    assert "One in 20 jobs that request 4 to 12 hours waits over 11.6, not 1.6 hours" in plain(made.answer)["Who loses"]


def test_a_class_is_told_of_whose_late_wait_grows_by_more_than_ten_minutes_and_than_is_allowed():
    classes = pd.MultiIndex.from_product([["short", "long"], ["EASY", FIRST]], names=["class", "policy"])
    table = pd.DataFrame({"late": [0, 600, 6000, 6601]}, classes)
    assert losses.most_lost(table, "EASY", FIRST, 10) == ("long", 6000, 6601)
    assert losses.most_lost(table, "EASY", FIRST, 11) is None


def test_where_something_else_makes_jobs_wait_that_comes_first():
    waits = [60 * 86400 + 60 * minutes for minutes in (0, 95, 590, 595)] * 15
    log = weeks(SHORT_FIRST, waits=waits, partition=[1, 1, 2, 2] * 15).log
    made = asked(Workload(swf.jobs_of(log), 4, "limits", log=log), "EASY", FIRST)
    lines = plain(made.answer)
    assert lines["Decision"].startswith("Cannot tell: look at limits, partitions and outages first.")
    assert "60.2 days (partition " in lines["Decision"] and lines["How sure"].startswith("Not sure")
    table = next(part for kind, part in _section(made, "recorded").kinds() if kind == "table")
    assert table.index.to_list() == ["all", "partition 1", "partition 2"] and table.recorded["partition 1"] == "60 days"
    assert "look at limits" in decision(report.Page(idle(waits=7200)))


def test_nothing_that_needs_estimates_is_recommended_where_they_are_missing():
    some = asked(weeks(SHORT_FIRST, requested_time=[-1, 30000, 600, 600] * 15), "EASY", FIRST)
    assert decision(some).startswith("Cannot tell: 25 % of the jobs have no estimate")
    narrow_first = [(1, 0, 100, 100, 4), (2, 5, 10, 10, 1), (2, 6, 10, 10, 1), (1, 10, 500, 500, 4)]
    none = asked(weeks(narrow_first, requested_time=-1), "Slurm, large jobs first", "FCFS")
    assert decision(none).startswith("Yes: try FCFS: ")  # which needs none


@pytest.mark.parametrize(
    ("change", "low", "high", "year_low", "year_high", "sure", "answer"),
    [
        (-0.5, -0.7, 0.3, -0.9, 0.4, "Not sure", "No: no policy that was tried is better beyond chance."),
        (-0.5, -0.7, -0.4, -0.9, 0.4, "another year may differ", "Cannot tell: "),
        (-0.5, -0.7, -0.4, np.nan, np.nan, "too short", "Cannot tell: "),
        (-0.5, -0.7, -0.4, -0.9, -0.1, "likely another year, too", "Yes: "),
        (-0.009, -0.012, -0.006, -0.02, -0.001, "Beyond chance", "No: no policy that was tried is better."),
    ],
)
def test_the_answer_is_as_sure_as_the_intervals(change, low, high, year_low, year_high, sure, answer):
    made = asked(weeks(SHORT_FIRST), "EASY", FIRST)
    ends = dict(coincidence_low=low, coincidence_high=high, another_year_low=year_low, another_year_high=year_high)
    of_all = made.found.relative.index.get_level_values("by") == "all"
    relative = made.found.relative.copy()
    relative.loc[of_all, ["difference", *ends]] = [change, *ends.values()]
    made.found = replace(made.found, relative=relative)
    lines = plain(made.answer)
    assert sure in lines["How sure"] and lines["Decision"].startswith(answer)


def test_without_a_queue_the_policy_does_not_matter():
    made = report.Page(idle())
    assert made.found is None and decision(made).startswith("No: there is no queue.")


def _section(made, word):
    """The section of a page whose title has a word."""
    return next(section for section in made.sections() if word in section.title)


def plain(lines):
    return {question: str(line.striptags()) for question, line in lines.items()}


def figures(text):
    """The numbers of a text that are no names, with units in short."""
    text = re.sub(r"user \d+|[(]\w+( \d+)? to \w+ \d+[)]|[(]\w+ \d{4}[)]", "", text)
    short = {"minute": "min", "hour": "h", "second": "s", "day": "days"}
    text = re.sub(r"(\d) (minute|hour|second|day)s?\b", lambda match: f"{match[1]} {short[match[2]]}", text)
    return re.findall(r"\d[\d,.]*\d(?: (?:min|h|s|days)\b)?|\d(?: (?:min|h|s|days)\b)?", text)


def test_every_number_of_the_answer_stands_in_a_table_and_it_is_short(sample):
    pages = [asked(weeks(jobs), "EASY", "FCFS", FIRST) for jobs in (QUEUE, SHORT_FIRST, STREAM)]
    pages += [report.Page(sample, ["EASY", "FCFS"], what_ifs=["procs +20%"], shakes=5), report.Page(idle())]
    for made in pages:
        tables = [part for section in made.sections() for kind, part in section.kinds() if kind == "table"]
        known = {number for table in tables for number in figures(table.to_string())}
        known |= {number for table in tables for number in figures(table.attrs["caption"])}
        lines = plain(made.answer)
        bare = {number.split()[0] for number in known}  # of "1.9 to 1.6 hours" the first has no unit
        said = {number for line in lines.values() for number in figures(line)} - {"20", "10"}  # one in 20, 10 % at most
        assert said <= known | bare, (said - known, lines)
        assert len(" ".join([*lines, *lines.values()]).split()) <= 90


def test_the_longest_answer_is_short():
    """All that gets worse gets worse, the names are long, and something is to be said of late jobs."""
    named = "Slurm's backfill, fair share"
    waits = [0, 95 * 60, *((390 + 10 * k) * 60 for k in range(10))] * 15
    made = asked(weeks(STREAM, waits=waits), "EASY", FIRST)
    more = {"by": "setting", "more": (FIRST, "1.3 hours", "script")}
    told = (
        made.decision
        | more
        | {"policy": FIRST, "worse": [(what, "13.1", "20.5 hours") for what in losses.MEASURES[:0:-1]]}
    )
    for kind in ("yes", "starves", "this log", "short"):
        lines = plain(answer(made.workload, made.schedules, made.found, told | {"kind": kind}))
        text = " ".join([*lines, *lines.values()]).replace(FIRST, named).replace("EASY", "Slurm's backfill")
        assert len(text.split()) <= 90, lines


# The comparisons


@pytest.fixture(scope="module")
def sample():
    return report.taken("sample")


def test_of_many_users_those_who_lose_and_gain_most_are_listed():
    found = asked(weeks([(user, 30 * user, 35, 35, 4) for user in range(25)], count=31), "EASY", FIRST).found
    ranked = [f"user {name}" for name in found.who(FIRST, "user").index]
    assert len(ranked) == 25 and report.by_group(found, "user").index.to_list() == ranked[:10] + ranked[-10:]


def test_users_are_called_by_name_only_where_that_is_asked():
    log = busy(user=[1, 2] * 100).log
    made = Workload(swf.jobs_of(log), 16, "named", log=log, header=[" User: 1 alice", " User: 2 bob"])
    for names in (False, True):
        text = report.Page(made, ["EASY", "FCFS"], names=names, shakes=4).html()
        assert ("alice" in text) is names and ("user 1" in text) is not names


def test_partitions_are_machines_of_their_own_and_named_only_where_that_is_asked():
    log = busy(user=1, partition=[1, 2] * 100).log
    made = Workload(swf.jobs_of(log), 16, "parts", log=log, header=[" Partition: 1 slim", " Partition: 2 fat"])
    for names, called in ((False, "partition 1"), (True, "slim")):
        page = report.Page(made, ["EASY", "FCFS"], partitions="slim=16, fat=20", names=names, shakes=4)
        table = next(section for section in page.sections() if "partitions" in section.title).parts[0]
        assert table.processors.to_list() == ["16", "20", "36"] and table.index[0] == called
        assert ("slim" in page.html()) is names
    assert "2 partitions are simulated as one machine" in " ".join(report.Page(made, ["EASY"]).left())
    with pytest.raises(ValueError, match="found 'slim:16', expected each, or sizes"):
        report.Page(made, partitions="slim:16")


def test_what_if_is_compared_with_the_base_and_never_recommended():
    made = report.Page(busy(user=[1, 2] * 100), ["EASY", "FCFS"], "FCFS", ["procs +100%"], shakes=4)
    assert list(made.cases)[:2] == ["FCFS", "EASY"] and made.found.base == "FCFS"
    assert _section(made, "What if").parts[0][0].startswith("procs +100%: the mean wait is ")
    assert report.best(made.found, made.what_ifs) == "EASY" and made.decision["policy"] == "EASY"
    with pytest.raises(ValueError, match="found 'more'"):
        report.Page(busy(), what_ifs=["more"])


def test_the_answer_has_every_what_if_that_was_asked_for_and_then_the_usual_ones():
    asked_for = ["procs +20%", "procs -1", "limit 3 h refuse", "estimates x2"]
    made = report.Page(busy(user=[1, 2] * 100), "EASY", what_ifs=asked_for, shakes=4)
    said = [line.partition(":")[0] for line in _section(made, "What if").parts[0]]
    assert said == [*asked_for, "adjusted estimates", "exact estimates"]
    exact = report.Page(busy(), what_ifs="estimates exact", shakes=4)
    assert exact.what_ifs == ["estimates exact"]  # the usual one is the same


def test_the_what_ifs_are_told_where_no_job_waits():
    made = report.Page(idle(jobs=300), ["EASY", "FCFS"], what_ifs=["procs 4", "procs 50"], shakes=4)
    few, many = _section(made, "What if").parts[0]
    assert "no queue" in decision(made) and few.startswith("procs 4: the mean wait is 4") and "no clear" in many
    assert made.found.others == ["procs 4", "procs 50"] and "procs 4" in made.html()


def test_a_what_if_whose_gain_may_be_chance_is_not_told_as_a_gain():
    found = asked(weeks(SHORT_FIRST), "EASY", FIRST).found
    by_chance = replace(found, relative=found.relative.assign(coincidence_low=-0.7, coincidence_high=0.3))
    assert what_if_said(by_chance, {}, [FIRST]) == [f"{FIRST}: no clear difference of the mean wait."]


def test_what_a_what_if_costs_is_told_in_processor_hours():
    w = Workload.of("three", 4, A=(0, 7200, 7200, 2), B=(0, 3600, 3600, 4), C=(7200, 3600, 3600, 1))
    base = simulate(w, EASY())  # which ends after four hours
    larger, cut = w.with_procs(5), w.derive(w.jobs.assign(run=w.jobs.run.clip(upper=3600)), "cut")
    (said,) = losses.cost(base, simulate(larger, EASY()))
    assert said == "1 more processor is 4 processor-hours in the time of the log."
    assert losses.cost(base, simulate(cut, EASY())) == ["2 processor-hours of work are not done, 22 %."]
    assert losses.cost(base, base) == []


def test_long_logs_get_fewer_shaken_runs():
    assert [report.enough_shakes(range(n)) for n in (0, 6000, 300_000, 10**7)] == [20, 20, 10, 5]


# Estimates


def test_the_use_of_estimates_is_that_of_the_jobs_that_have_one():
    w = waited([(0, 10, 20, 1), (0, 30, 60, 1), (0, 99, 99, 1), (0, 5, 50, 1), (0, 7, -1, 1)], 4, 0)
    w = Workload(swf.jobs_of(w.log), 4, log=w.log)
    assert report.use(w).loc["all", ["jobs", "median share used", "use all"]].to_list() == ["4", "50 %", "25 %"]
    assert report.use(w).loc["all", ["median request", "median run"]].to_list() == ["55 s", "20 s"]
    said = " ".join(report.use_said(w))
    assert "ask for, a quarter no more than 40 %, a quarter 62 % or more" in said
    assert "1 of 5 jobs (20 %) have no request" in said
    heights = [bar.get_height() for bar in report.use_picture(w).axes[0].patches]
    assert sum(heights) == pytest.approx(1) and heights[-1] == pytest.approx(0.25)


def test_adjusted_estimates_are_tangs():
    policy = report.POLICIES["EASY, WFP, adjusted estimates"]
    scheme = policy.adjust.scheme
    assert (scheme.key, scheme.window, scheme.percentile, scheme.threshold) == ("user+estimate", "1 month", 85, 0.5)
    assert (policy.order, policy.adjust.queue, policy.adjust.running) == ("wfp", True, False)
    assert report.POLICIES["EASY, all adjusted"].adjust.running


# Any log


def with_gpus():
    """Jobs of two users in two partitions; every second job needs a GPU."""
    log = busy(user=[1, 2] * 100, partition=[1, 2] * 100).log.assign(gpus=[0, 1] * 100)
    header = [" Partition: 1 slim", " Partition: 2 fat"]
    return Workload(swf.jobs_of(log), 16, "with GPUs", gpus=4, log=log, header=header)


NOT_TO_BE_HAD = [
    (busy, {"base": "fair share"}, "'fair share' .*whose"),
    (busy, {"policies": "EASY, fair share by group"}, "'fair share by group' .*which group"),
    (busy, {"policies": "EASY; EASY++"}, r"'EASY\+\+' .*whose"),
    (busy, {"base": "Slurm's backfill, fair share"}, 'backfill, fair share" .*whose'),
    (busy, {"what_ifs": ["procs +1", "adjusted"]}, "'adjusted' .*whose"),
    (busy, {"what_ifs": "limit 1s refuse"}, "limit 1s refuse: "),
    (busy, {"what_ifs": "procs -100%"}, "procs -100%: .*procs=0"),
    (busy, {"base": ""}, "found ''"),
    (busy, {"policies": ""}, "found none"),
    (busy, {"names": True}, "names=True"),
    (lambda: busy(user=1, requested_time=-1), {"what_ifs": ["adjusted"]}, "'adjusted' .*no estimates"),
    (with_gpus, {"policies": ["EASY", "EASY, lookahead"]}, "'EASY, lookahead' .*GPUs"),
    (with_gpus, {"base": "EASY, lookahead", "partitions": "each"}, "'EASY, lookahead' .*GPUs"),
]


@pytest.mark.parametrize(("make", "options", "expected"), NOT_TO_BE_HAD)
def test_what_is_asked_for_and_cannot_be_had_is_refused_by_name(make, options, expected):
    with pytest.raises(ValueError, match=expected):
        report.Page(make(), shakes=4, **options).answer  # noqa: B018


REFUSED = [
    ("--base", "EASY, lookahead", "GPUs"),
    ("--gpus", "-1", "gpus=-1"),
    ("--timezone", "UTC", "timezone='UTC'"),
    ("--nodes", "unit='nodes'"),
    ("--partition", "3", "partition 3"),
    ("--partition", "fat", "found no procs"),
    ("--partitions", "slim=16, fat=16:4", "--procs", "16", "found 32 procs in all, expected procs=16"),
    ("--partitions", "slim=16, fat=16:4", "--gpus", "2", "found 4 gpus in all, expected gpus=2"),
    ("--from", "2020-01-01", "no calendar"),
    ("--out", "", "a folder"),
]


@pytest.mark.parametrize("words", REFUSED, ids=lambda words: " ".join(words[:-1]))
def test_the_command_refuses_what_does_not_suit_the_log(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    swf.write_swf(with_gpus(), "mine.swf")
    assert main(["report", "mine.swf", *words[:-1]]) == 1
    assert words[-1] in capsys.readouterr().err and listing(tmp_path) == ["mine.swf"]


def test_a_log_takes_another_number_of_gpus_where_it_says_which_jobs_need_them(tmp_path):
    swf.write_swf(with_gpus(), tmp_path / "gpus.swf")
    assert report.taken(tmp_path / "gpus.swf", gpus=8).gpus == 8
    with pytest.raises(ValueError, match="sample: found gpus=8"):
        report.taken("sample", gpus=8)


def test_without_gpus_the_partitions_have_none():
    made = report.Page(with_gpus().without_gpus(), "fair share, EASY", partitions="each", shakes=4)
    assert made.base == "fair share" and {part.gpus for part in made.parts.values()} == {0}


def test_of_a_single_partition_nothing_is_said_of_several():
    of_one = with_gpus().partition("slim", procs=16)
    assert "partitions are simulated" not in " ".join(report.Page(of_one, ["EASY"]).left())
    waits = [60 * minutes for minutes in (0, 595, 0, 28)] * 15
    assert asked(weeks(QUEUE, waits=waits, partition=1), "EASY")._explained().index.to_list() == ["all"]


ODD = {
    "no job": (lambda: waited([(5, 60, 90, 9)], 4, 3), "no job of the log can be simulated"),
    "one job": (lambda: waited([(5, 60, 90, 2)], 4, 3), "there is no queue"),
    "no users": (lambda: busy(), "Not compared: fair share: the log does not say whose the jobs are"),
    "GPUs": (with_gpus, "and 4 GPUs"),
    "no estimates": (lambda: busy(user=1, requested_time=-1), "100 % of the jobs have no estimate"),
    "no waits": (lambda: busy(user=1, waits=-1), "does not record how long jobs waited"),
    "some waits": (lambda: busy(user=1, waits=[-1, 5] * 100), "The wait of 100 of the 200 jobs is not known"),
    "one user": (lambda: busy(user=1), "nothing is known of users"),
    "few weeks": (lambda: busy(user=[1, 2] * 100), "not known"),
    "no log": (lambda: random_workload(5, jobs=100), "does not record how long jobs waited"),
}


ALL_POLICIES = {"no job", "one job", "no users", "no estimates"}
"""With which the page has all its policies each time; with the others some, and all before a release."""
SOME = [(name, None if name in ALL_POLICIES else ["EASY", "FCFS", FIRST]) for name in ODD]
EVERY = [pytest.param(name, None, marks=pytest.mark.thorough) for name in ODD if name not in ALL_POLICIES]


@pytest.mark.parametrize(("name", "policies"), SOME + EVERY)
def test_whatever_a_log_lacks_is_said_and_no_error(name, policies):
    make, expected = ODD[name]
    said = unescape(report.Page(make(), policies, shakes=4).html())
    assert expected in said and not re.search(r"\bnan\b", said)


def idle(waits=30, jobs=1500, queued=0):
    """A machine that uses an eighth of its 100 processors: jobs of an hour on four of them, of three users."""
    rows = [(1200 * k, 3600, 7200, 4) for k in range(jobs)]
    rows += [(1200 * jobs + 7200 + 30 * k, 60, 90, 100) for k in range(queued)]
    return waited(rows, 100, waits, user=[1 + k % 3 for k in range(len(rows))])


def test_where_few_jobs_wait_for_long_there_is_a_queue():
    rows = [(0, 86400, 86400, 4), (0, 60, 60, 4), *((200_000 + 100 * k, 60, 60, 4) for k in range(98))]
    made = simulate(waited(rows, 4, 0), EASY())
    assert (made.jobs.wait > 0).sum() == 1 and report.has_queue(made)


@pytest.mark.parametrize(("queued", "expected"), [(0, False), (60, False), (100, True)])
def test_where_more_than_one_job_in_twenty_waits_there_is_a_queue(queued, expected):
    assert report.has_queue(simulate(idle(queued=queued), EASY())) is expected


def test_one_policy_has_nothing_to_be_compared_with():
    assert "there is no second policy" in decision(asked(busy(user=1, waits=-1), "EASY"))


# The page


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page that the command makes of the sample, in a folder of its own."""
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SIMLIB_TRACES", str(folder))
        assert main(["report", SAMPLE, "--to", "2026-03-01"]) == 0
    assert listing(folder) == ["sample.html"]
    return (folder / "sample.html").read_text("utf-8")


@pytest.mark.slow
def test_the_page_is_short_and_stands_alone_and_all_on_it_has_words(made):
    assert made.startswith("<!DOCTYPE html>") and made.rstrip().endswith("</html>")
    assert re.findall(r'(?:src|href)="(?!#)|https?://(?!www.w3.org)', made) == [] and str(ROOT) not in made
    is_open = re.sub(r"(?s)<(details|script|style|svg).*?</\1>|<[^>]*>", " ", made)
    assert len(is_open.split()) < 1000
    pictures = re.findall(r'<svg role="img" aria-label="([^"]*)"', made)
    assert len(pictures) == made.count("<svg") >= 4 and all(re.search(r"\d", label) for label in pictures)
    names = re.findall(r'\bid="([^"]*)"', made)
    assert len(names) == len(set(names))
    assert "title=" not in made and made.count("<h2>") == made.count("<details") and made.count("<h1>") == 1
    tables = re.findall(r"(?s)<table>(.*?)</table>", made)
    assert all(re.match(r"\s*<caption>\w", table) and "<th>" not in table for table in tables) and len(tables) > 5


def test_the_notebook_answers_as_the_page_does_whatever_the_log_lacks(monkeypatch, capsys):
    for made in (busy(user=[1, 2] * 100), waited([(5, 60, 90, 9)], 4, 3), idle(jobs=50)):
        monkeypatch.setattr(report, "taken", lambda *_, made=made: made)
        with plt.rc_context():
            executed("my-cluster", shakes=4)
        said = capsys.readouterr().out
        for question, line in report.Page(made, shakes=4).answer.items():
            assert f"{question}: {line.striptags()}" in said


def test_a_page_needs_no_notebook_and_has_the_same_bytes_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "papermill", None)  # to import it is an error
    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # which another test may have brought
    swf.write_swf(with_gpus(), tmp_path / "mine.swf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", simlib.LogWarning)
        for out in ("one.html", "two.html"):
            assert report.report("mine.swf", out, shakes=4, policies="EASY, FCFS", gpus=0).name == out
    assert listing(tmp_path) == ["mine.swf", "one.html", "two.html"]
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    assert "4 GPUs left out" in (tmp_path / "one.html").read_text("utf-8")


def test_the_log_is_not_overwritten_whatever_it_is_called(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    swf.write_swf(busy(jobs=3), "keep.swf")
    (tmp_path / "link.html").symlink_to("keep.swf")
    before = (tmp_path / "keep.swf").read_bytes()
    for out in ("keep.swf", "./keep.swf", "link.html"):
        assert main(["report", "keep.swf", "--out", out]) == 1
        assert "the one that is read" in capsys.readouterr().err
    assert (tmp_path / "keep.swf").read_bytes() == before and listing(tmp_path) == ["keep.swf", "link.html"]


@pytest.mark.slow
def test_what_cannot_be_written_is_told_before_anything_is_asked(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(page, "Page", None)
    (tmp_path / "file").touch()
    for out in (tmp_path, tmp_path / "file" / "page.html"):
        assert main(["report", "sample", "--out", str(out)]) == 1
        assert capsys.readouterr().err.count("\n") == 1
    assert listing(tmp_path) == ["file"]


# A real log


@pytest.mark.thorough
def test_hpc2n_waits_are_not_explained_by_a_policy(log):
    w = log("HPC2N")
    made = report.schedules(w, report.chosen(["EASY"]))
    assert made["recorded"].summary().mean_wait == pytest.approx(54107, abs=1)
    assert made["EASY"].summary().mean_wait == pytest.approx(11259, abs=1)
    said = " ".join(report.why_recorded_differ(w))
    assert "The wait of 1 of the 202,871 jobs is not known" in said
    assert "up to 248 processors were in use at once, and the machine has 240" in said
    assert report.use_said(w)[0].startswith("Half of the jobs use no more than 48 % of the time they ask for")
    assert report.Page(w, ["EASY", "EASY-SJBF"], shakes=4).decision["kind"] == "unexplained"


@pytest.mark.slow
def test_kth_is_not_told_to_let_jobs_starve(log):
    made = report.Page(log("KTH-SP2"), ["EASY", FIRST, "EASY-SJBF"])
    assert (made.decision["kind"], made.decision["policy"]) == ("yes", "EASY-SJBF")
    assert made.decision["tempting"] == {FIRST: ["longest wait", "wait weighted by work"]}
