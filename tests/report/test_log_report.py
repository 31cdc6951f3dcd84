"""My cluster: any log gets its answers, a page too, and its sentences say what the numbers say."""

import os
import re
import signal
import subprocess
import sys
import warnings
from html import unescape

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers import ROOT, executed, listing, numbered, random_workload

import simlib
from simlib import EASY, FCFS, Conservative, Workload, plots, report, simulate
from simlib.__main__ import main
from simlib.logs import archive, swf
from simlib.report import page, sentences

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
    with pytest.raises(simlib.SWFError, match="Is a directory"):
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
    made = report.schedules(w, report.chosen(["EASY"]))
    table = report.waits(made)
    assert table["mean wait"].to_dict() == {"recorded": "4.2 min", "EASY": "17 s"}
    said = report.waits_said(made)
    assert said[0].startswith(
        "By the log's own times, jobs wait 4.2 min on average, half of them no longer than 1.7 min"
    )
    assert said[-1] == f"The mean wait under EASY is {100 - 100 * 50 / 750:.1f} % shorter than the recorded one."


def test_jobs_that_waited_beside_idle_processors_are_counted():
    w = waited([(0, 1000, 1000, 3), (10, 60, 60, 1), (20, 60, 60, 2), (30, 60, 60, 1)], 4, [0, 100, 980, 0])
    said = " ".join(report.why_recorded_differ(w))
    assert (
        "Of the 2 jobs that waited for more than a minute 50 % came when enough processors for them were idle" in said
    )
    as_one_ends = waited([(0, 60, 60, 4), (60, 60, 60, 4)], 4, [0, 100])
    assert "more than a minute 100 % came when" in " ".join(report.why_recorded_differ(as_one_ends))


def test_an_empty_machine_and_one_that_was_too_small_are_told():
    said = " ".join(report.why_recorded_differ(waited([(0, 60, 60, 3), (0, 60, 60, 3), (180, 60, 60, 1)], 4, 0)))
    assert "For 2.0 min, 50 % of the time, nothing ran at all." in said
    assert "up to 6 processors were in use at once, and the machine has 4: it was exceeded for 25 % of the time" in said


def test_waits_that_are_not_known_do_not_count():
    w = waited([(0, 60, 60, 4), (100, 60, 60, 4)], 4, [-1, 50])
    made = report.schedules(w, report.chosen(["EASY"]))
    assert made["recorded"].summary().mean_wait == 50 and len(made["EASY"].jobs) == 2
    assert "Of 1 of the 2 jobs the wait is not known" in " ".join(report.why_recorded_differ(w))


# The comparisons


@pytest.fixture(scope="module")
def sample():
    return report.taken("sample")


@pytest.fixture(scope="module")
def comparison(sample):
    return report.compared(sample, report.chosen(["EASY", "conservative", "FCFS"]), shakes=5)


def test_the_comparison_is_simlibs_and_its_sentences_have_its_numbers(sample, comparison):
    cases = {"EASY": EASY(), "conservative": Conservative(), "FCFS": FCFS()}
    same = simlib.compare(sample, cases, shakes=5, by=["all", "user", "size"])
    pd.testing.assert_frame_equal(comparison.table, same.table)
    row = comparison.table.loc["FCFS", "all", "all", "wait", "mean"]
    said = report.differences_said(comparison)
    assert len(said) == 4
    assert said[2] == (
        f"Under EASY jobs wait {row.base / 3600:.1f} h on average; under FCFS {row.value / 86400:.1f} days "
        f"(+{100 * row.difference / row.base:.1f} %), more than coincidence, and to be expected in another year, too."
    )


@pytest.mark.parametrize(
    ("low", "high", "year_low", "year_high", "expected"),
    [
        (-1, 3, 1, 3, "a difference that coincidence alone can make"),
        (1, 3, -1, 4, "more than coincidence on this log, but another year might bring none, or the opposite"),
        (1, 3, 0.5, 4, "more than coincidence, and to be expected in another year, too"),
        (1, 3, np.nan, np.nan, "more than coincidence; what another year would bring cannot be told from this log"),
    ],
)
def test_a_difference_is_believed_as_far_as_its_intervals_go(low, high, year_low, year_high, expected):
    ends = {"another_year_low": year_low, "another_year_high": year_high}
    assert (
        sentences.verdict(pd.Series({"difference": 2, "coincidence_low": low, "coincidence_high": high} | ends))
        == expected
    )


def test_who_gains_and_who_loses_is_counted(comparison):
    table = comparison.who("FCFS", "size")
    said = next(one for one in report.gains_said(comparison) if one.startswith("FCFS") and "size classes" in one)
    assert f"of {len(table)} size classes 0 wait less than under EASY and {len(table)} longer" in said
    assert f"size class {table.index[0]} loses most" in said and "coincidence" not in said


def test_a_policy_that_is_far_off_is_left_out_of_the_picture_and_not_of_the_table(comparison):
    labels = [text.get_text() for text in report.forest(comparison).legends[0].get_texts()]
    assert "conservative" in labels and "FCFS" not in labels
    assert "FCFS" in report.overview(comparison).index


def test_long_logs_get_fewer_shaken_runs_and_it_is_said(comparison):
    assert [report.enough_shakes(range(n)) for n in (0, 6000, 300_000, 10**7)] == [20, 20, 10, 5]
    said = report.intervals_said(comparison)
    assert said[0].startswith("Coincidence is judged by 5 shaken runs") and "it held 84 to 99" in said[1]


# Estimates


def test_the_use_of_estimates_is_that_of_the_jobs_that_have_one():
    w = waited([(0, 10, 20, 1), (0, 30, 60, 1), (0, 99, 99, 1), (0, 5, 50, 1), (0, 7, -1, 1)], 4, 0)
    w = Workload(swf.jobs_of(w.log), 4, log=w.log)
    assert report.use(w).loc["all", ["jobs", "median share used", "use all"]].to_list() == ["4", "50 %", "25 %"]
    said = " ".join(report.use_said(w))
    assert (
        "ask for, a quarter no more than 40 %, a quarter 62 % or more" in said
        and "1 of 5 jobs (20 %) have no request" in said
    )
    heights = [bar.get_height() for bar in report.use_picture(w).axes[0].patches]
    assert sum(heights) == pytest.approx(1) and heights[-1] == pytest.approx(0.25)


def test_other_estimates_are_those_of_the_workload(sample):
    other = report.other_estimates(sample, shakes=4)
    expected = simlib.compare(sample, {"EASY": EASY(), "exact": (EASY(), "exact")}, shakes=4, by=["all"]).table
    key = "all", "all", "wait", "mean"
    assert other.table.loc["EASY, exact estimates", *key].value == expected.loc["exact", *key].value
    exact = simulate(sample.with_estimates("exact"), EASY()).summary().mean_wait
    assert report.schedules(sample, report.chosen(["EASY, exact estimates"]))["EASY, exact estimates"].summary()[
        "mean_wait"
    ] == pytest.approx(exact)


def test_adjusted_estimates_are_tangs(sample):
    policy = report.POLICIES["EASY, WFP, adjusted estimates"]
    scheme = policy.adjust.scheme
    assert (scheme.key, scheme.window, scheme.percentile, scheme.threshold) == ("user+estimate", "1 month", 85, 0.5)
    assert (policy.order, policy.adjust.queue, policy.adjust.backfill, policy.adjust.running) == (
        "wfp",
        True,
        True,
        False,
    )
    assert report.POLICIES["EASY, all adjusted"].adjust.running
    adjusted = report.adjusted(sample, shakes=4)
    assert list(adjusted) == ["EASY", "EASY, WFP"] and len(report.adjusted_table(adjusted)) == 8
    jobs = simulate(sample, report.POLICIES["EASY, adjusted estimates"]).jobs
    asked = (sample.log.requested_time > 0).loc[jobs.index]
    share = (jobs.adjusted < jobs.estimate)[asked].mean()
    assert f"{100 * share:.0f} % get a shorter estimate" in report.adjusted_said(sample, adjusted)[0]


def test_certainty_names_the_differences_that_stand(sample, comparison):
    said = " ".join(report.certainty_said(sample, [comparison, None], shakes=4))
    assert "Of the 2 differences in mean wait on this page" in said
    assert re.search(r"in another year, too: [^.]*FCFS", said)
    by_month = simulate(sample, EASY()).by_month().mean_wait.iloc[:3]
    assert f"({by_month.idxmin()}) to" in said and f"({by_month.idxmax()})" in said
    assert report.certainty_table([comparison]).index.to_list() == ["conservative", "FCFS"]


# Any log


def run(workload, policies=page.ASKED):
    """Ask a page for all its sections, also those that it leaves out where there is no queue; what they say."""
    asked = report.Page(workload, policies, shakes=4)
    names = ("about", "waits", "policies", "estimates", "adjusting", "certainty", "limits")
    return text(getattr(asked, name)() for name in names)


def text(sections):
    """What sections say, without the bytes of their pictures."""
    return unescape(re.sub('base64,[^"]*', "", "\n".join(section.html() for section in sections)))


EVERY = ["EASY", "conservative", "FCFS", "EASY, WFP, adjusted estimates", "EASY, exact estimates"]

ODD = {
    "no job": (lambda: waited([(5, 60, 90, 9)], 4, 3), "no job takes part"),
    "one job": (lambda: waited([(5, 60, 90, 2)], 4, 3), "half of them no longer than 3 s"),
    "jobs that never wait": (lambda: waited([(9 * k, 1, 2, 1) for k in range(50)], 99, 0), "This machine has no queue"),
    "no users": (lambda: busy(), "the log does not say whose the jobs are"),
    "no estimates": (lambda: busy(user=1, requested_time=-1), "The log has no estimates"),
    "no waits": (lambda: busy(user=1, waits=-1), "No wait is recorded"),
    "some waits": (lambda: busy(user=1, waits=[-1, 5] * 100), "Of 100 of the 200 jobs the wait is not known"),
    "two users": (lambda: busy(user=[1, 2] * 100), "of 2 users"),
    "two users' estimates": (lambda: busy(user=[1, 2] * 100), "Under EASY, WFP jobs wait"),
    "few weeks": (lambda: busy(user=1), "two users of at least 30 jobs each"),
    "no log": (lambda: random_workload(5, jobs=100), "No wait is recorded"),
}


@pytest.mark.parametrize("name", ODD)
def test_whatever_a_log_lacks_is_said_and_no_error(name):
    make, expected = ODD[name]
    said = run(make(), EVERY)
    assert expected in said and "nan" not in said


def idle(waits=30, jobs=1500, queued=0):
    """A machine that uses an eighth of its 100 processors: jobs of an hour on four of them, of three users."""
    rows = [(1200 * k, 3600, 7200, 4) for k in range(jobs)]
    rows += [(1200 * jobs + 7200 + 30 * k, 60, 90, 100) for k in range(queued)]
    return waited(rows, 100, waits, user=[1 + k % 3 for k in range(len(rows))])


def test_a_machine_without_a_queue_is_said_to_have_none_and_nothing_is_compared():
    made = idle()
    assert made.load == pytest.approx(0.12, abs=0.01)
    cases = report.chosen(["EASY", "conservative"])
    assert report.compared(made, cases, shakes=4) is None and report.adjusted(made, shakes=1) == {}
    said = run(made)
    assert "This machine has no queue: under EASY 0 % of the jobs wait at all, and the mean wait is 0 s." in said
    assert "100.0 %" not in said and "no longer than 0 s" not in said and "times as wide" not in said


@pytest.mark.parametrize(("queued", "expected"), [(0, False), (60, False), (100, True)])
def test_where_more_than_one_job_in_twenty_waits_there_is_a_queue(queued, expected):
    made = idle(queued=queued)
    assert report.has_queue(simulate(made, EASY())) is expected
    said = " ".join(report.waits_said(report.schedules(made, report.chosen(["EASY"]))))
    assert ("This machine has no queue" in said) is not expected
    assert "half of them not at all" in said or not expected


def test_a_policy_that_changes_nothing_for_anybody_has_an_empty_panel_without_a_warning():
    comparison = simlib.compare(
        busy(user=[1, 2] * 100), {"EASY": EASY(), "again": EASY()}, shakes=4, by=["all", "user"]
    )
    assert plots.winners(comparison, by="user").axes[0].get_ylim() == (0.5, -0.5)


def test_one_interval_is_as_wide_as_another_only_once(comparison):
    one = simlib.compare(comparison.workload, {"EASY": EASY(), "FCFS": FCFS()}, shakes=4, by=["all"])
    assert " to " not in report.certainty_said(comparison.workload, [one], shakes=4)[-1]


def test_every_picture_says_what_it_shows(comparison):
    made = report.schedules(comparison.workload, report.chosen(["EASY"]))
    pictures = [report.waits_picture(made), report.use_picture(comparison.workload), report.forest(comparison)]
    pictures += [report.winners(comparison, "user"), report.winners(comparison, "size")]
    labels = [figure.get_label() for figure in pictures]
    assert len(set(labels)) == 5 and all(label.startswith(f"{comparison.workload.name}: ") for label in labels)


def test_a_single_month_is_said_to_be_one():
    made = busy()
    one = Workload(made.jobs, 16, "a month", log=made.log, start=pd.Timestamp("2024-03-01"))
    assert "a single month with at least 30 jobs" in run(one)


def test_one_policy_has_nothing_to_be_compared_with():
    assert "two policies that suit the log" in run(busy(), ["EASY"])


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
def test_the_page_has_pictures_and_no_code_and_needs_no_other_file(made):
    assert made.startswith("<!DOCTYPE html>") and made.rstrip().endswith("</html>")
    assert len(re.findall(r'src="data:image/png;base64,[^"]+" width="\d+" alt="[^"]+"', made)) >= 7
    assert made.count("<h1>") == 1 and made.count("<h2>") == 6
    assert re.findall(r'(?:src|href)="(?!data:|#)', made) == [] and "<script" not in made


@pytest.mark.slow
def test_the_sentences_of_the_page_are_those_of_the_numbers(made):
    said = [unescape(one) for one in re.findall(r'<p class="finding">(.*?)</p>', made, re.S)]
    workload = report.taken("sample", last="2026-03-01")
    easy = simulate(workload, EASY()).summary()
    assert any(f"Under EASY, jobs wait {easy.mean_wait / 3600:.1f} h on average" in one for one in said)
    cases = report.chosen(["EASY", "conservative", "FCFS", "EASY, shortest first"])
    comparison = report.compared(workload, cases)
    for sentence in [*report.differences_said(comparison), *report.gains_said(comparison)]:
        assert sentence in said
    assert f"<td>{len(workload):,}</td>" in made


def test_the_notebook_says_what_the_page_says_whatever_the_log_lacks(monkeypatch, capsys):
    for made in (busy(jobs=40), busy(user=[1, 2] * 100), waited([(5, 60, 90, 9)], 4, 3), idle(jobs=50)):
        monkeypatch.setattr(report, "taken", lambda *_, made=made: made)
        with plt.rc_context():
            assert tuple(executed("my-cluster", shakes=4)["policies"]) == page.ASKED
        said = capsys.readouterr().out.split("\n")
        of_page = re.findall(r'<p class="finding">(.*?)</p>', run(made), re.S)
        assert all(sentence in " ".join(of_page) or not sentence for sentence in said)
        assert len([sentence for sentence in said if sentence]) >= len(of_page) - 2


def test_a_page_needs_no_notebook_and_has_the_same_bytes_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "papermill", None)  # to import it is an error
    monkeypatch.setitem(sys.modules, "IPython", None)
    swf.write_swf(busy(jobs=40), tmp_path / "mine.swf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", simlib.LogWarning)
        for out in ("one.html", "two.html"):
            assert report.report("mine.swf", out, shakes=4).name == out
    assert listing(tmp_path) == ["mine.swf", "one.html", "two.html"]
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


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


@pytest.mark.slow
def test_an_error_is_told_in_a_line_and_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["report", "sample", "--from", "2030-01-01", "--to", "2030-02-01", "--out", "new/page.html"]) == 1
    assert "no job was submitted from 2030-01-01 to before 2030-02-01" in capsys.readouterr().err
    assert listing(tmp_path) == []


def test_a_log_that_is_not_there_is_told_at_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["report", "mine.swf.gz"]) == 1
    assert "mine.swf.gz: found no such file" in capsys.readouterr().err
    assert listing(tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_report_that_is_killed_leaves_nothing(tmp_path):
    code = "import os, signal\nfrom simlib.report import page\n"
    code += "page.Page.certainty = lambda self: os.kill(os.getpid(), signal.SIGKILL)\n"
    code += "page.report('sample', last='2026-01-05', shakes=4)"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment).returncode == -signal.SIGKILL
    assert listing(tmp_path) == []


# A real log


@pytest.mark.slow
def test_hpc2n_waits_differ_from_recorded_ones_and_shortest_first_helps(log):
    w = log("HPC2N")
    made = report.schedules(w, report.chosen(["EASY"]))
    assert made["recorded"].summary().mean_wait == pytest.approx(54107, abs=1)
    assert made["EASY"].summary().mean_wait == pytest.approx(11259, abs=1)
    said = " ".join(report.why_recorded_differ(w))
    assert "Of 1 of the 202,871 jobs the wait is not known" in said
    assert "up to 248 processors were in use at once, and the machine has 240" in said
    assert report.use_said(w)[0].startswith("Half of the jobs use no more than 48 % of the time they ask for")
    comparison = report.compared(w, report.chosen(["EASY", "EASY, shortest first"]), shakes=4, by=["all"])
    assert report.differences_said(comparison)[0].endswith(
        "more than coincidence, and to be expected in another year, too."
    )
