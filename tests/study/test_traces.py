"""The paper's traces, as far as their logs are here: which jobs, which months, what is missing."""

import tomllib
from dataclasses import replace

import pandas as pd
import pytest
from helpers import ROOT

from simlib import Workload, load
from simlib.logs import archive
from simlib.models import twin
from simlib_study import judging, loading, mualem2001


@pytest.mark.parametrize("missing, complete", [({}, True), ({"1996-10": 1}, True), ({"1996-10": 2}, False)])
def test_a_month_is_the_papers_if_at_most_one_job_in_a_hundred_is_missing(missing, complete):
    trace = months("KTH", {"1996-10": 120, "1996-11": 100}, missing)
    assert (trace.complete("1996-10"), trace.complete("1996-11")) == (complete, True)
    origin = trace.origin("1996-10")
    assert origin["unjudged"] == ("" if complete else judging.OTHER_LOG)
    share = {0: "", 1: " lacks 1 jobs, 0.8%", 2: " lacks 2 jobs, 1.6%"}[missing.get("1996-10", 0)]
    assert origin["note"].endswith(share) and bool(origin["note"]) == bool(missing)


def test_a_log_is_the_papers_if_the_catalogue_has_hardly_more_lines():
    assert months("KTH", {"1996-10": 10}).complete()
    cleaned = months("KTH", {"1996-10": 28_000}, variant="cleaned")
    assert cleaned.jobs_missing() == (490, 490 / 28_490)
    assert not cleaned.complete()
    assert not cleaned.complete("1996-10")  # of which nothing is known
    assert months("KTH", {"1996-10": 28_400}, variant="cleaned").complete()


def test_of_a_log_whose_job_lines_are_not_at_hand_none_are_called_missing():
    lines = months("KTH", {"1996-10": 10}, variant="cleaned")
    w = lines.workload
    without = replace(lines, workload=Workload(w.jobs, w.procs, w.name, source=w.source, start=w.start))
    assert without.jobs_missing() == (0, 0.0) and without.complete()


def months(name, jobs, missing=None, variant="original"):
    """A trace with so many jobs in each month."""
    submit = [pd.Timestamp(f"{month}-02", tz="UTC") for month, many in jobs.items() for _ in range(many)]
    start = pd.Timestamp("1996-10-01", tz="UTC")
    seconds = [int((each - start).total_seconds()) for each in submit]
    table = pd.DataFrame({"submit": seconds, "run": 60, "procs": 1, "estimate": 90})
    source = {"file": "made-up.swf", "variant": variant}
    w = Workload(table, 4, f"{name}-SP2", log=table, source=source, start=start)
    return mualem2001.Trace(name, w, ("1996-10", "1997-07"), missing)


@pytest.mark.parametrize("paper", ["mualem2001", "tang2013", "tsafrir2005"])
def test_settings_are_all_of_logs(paper):
    text = (ROOT / "data" / "settings" / f"{paper}_logs.toml").read_text(encoding="utf-8")
    assert set(tomllib.loads(text)) == {"log"}  # nothing reads a table of another name


def test_every_setting_names_a_log_of_the_catalogue_and_months_that_are_published():
    table = judging.published("mualem2001_table1")
    for setting in loading.settings("mualem2001"):
        assert setting["log"] in archive.catalogue()["logs"]
        months = table[table.log == setting["name"]].month
        assert set(setting["months"]) <= set(months)


@pytest.fixture
def no_logs(no_logs, monkeypatch):
    """Nor is the archive asked for one."""

    def fetch(*_):
        raise AssertionError("the archive was asked")

    monkeypatch.setattr(archive, "fetch", fetch)


@pytest.mark.slow
def test_without_a_log_all_twins_take_their_places_and_are_marked(no_logs):
    found = mualem2001.logs(["KTH", "Par"])
    assert [trace.name for trace in found.traces.values()] == ["KTH", "Par", "Par"]
    names = ["KTH-SP2", "SDSC-Par-95", "SDSC-Par-96"]
    assert [log.source["file"] for log in found.values()] == [f"twin of {name}" for name in names]
    assert all(log.stand_in for log in found.values()) and found.absent == []


@pytest.mark.thorough
def test_twins_are_selected_and_estimated_as_the_logs_are(no_logs):
    kth, _, par, cm5 = mualem2001.logs(["KTH", "Par", "CM5"]).traces.values()
    assert kth.months == ("1996-10", "1997-07") and kth.missing is None and kth.lost is None
    assert (par.workload.jobs.status == 1).all() and par.workload.jobs.estimate.equals(par.workload.jobs.run)
    assert (cm5.workload.log.requested_time[cm5.workload.jobs.index] > 0).all()
    cm5 = mualem2001.logs(["CM5"], {"CM5": ""}, {"CM5": "exact"})["CM5"]
    assert len(cm5) == len(twin.workload("LANL-CM5"))


def test_where_one_log_is_here_no_twin_is_used(no_logs, monkeypatch):
    here = {"KTH-SP2": twin.workload("KTH-SP2")}
    monkeypatch.setattr(archive, "find", lambda name, variant=None: here.get(name))
    monkeypatch.setattr(loading, "load", lambda name, variant=None: here[name])
    found = mualem2001.logs(["KTH", "CTC", "Par"])
    assert list(found) == ["KTH"]
    assert [one["log"] for one in found.absent_settings] == ["CTC-SP2", "SDSC-Par-95", "SDSC-Par-96"]


@pytest.mark.slow
def test_two_years_of_a_trace_are_told_apart_by_their_labels():
    years = {year: (f"19{year}-01", f"19{year}-12") for year in (95, 96)}
    both = [mualem2001.Trace("Par", load(f"SDSC-Par-{year}", "twin"), months) for year, months in years.items()]
    assert mualem2001.labels(both) == ["Par-95", "Par-96"]
    assert mualem2001.labels(both[:1]) == ["Par"]
    assert {mualem2001.trace_of(label) for label in mualem2001.labels(both)} == {"Par"}
