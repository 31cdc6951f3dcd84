"""A report says how far it is, and goes on where it was ended."""

import pytest
from helpers import listing
from test_log_report import busy

from simlib.logs import swf
from simlib_report import facts, page, progress


def test_what_is_done_is_said_where_no_terminal_is(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_FIRST", 0.01)
    monkeypatch.setattr(progress, "_EVERY", 0.02)
    with progress.Progress() as telling:
        telling.now("reading mine.swf")
        while "reading mine.swf" not in (said := capsys.readouterr().err):
            pass
        telling.now("simulating")
        telling.of = 8
        while ": 0 of 8 runs" not in said:
            said += capsys.readouterr().err
    assert all(line.startswith("simlib report: 0 s, ") for line in said.splitlines())


def test_a_report_that_was_ended_goes_on_with_the_runs_that_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "LONG", 1)
    swf.write_swf(busy(jobs=60, user=[1, 2] * 30), tmp_path / "mine.swf")
    given = tmp_path / "mine.swf", tmp_path / "mine.html"
    with monkeypatch.context() as killed:
        killed.setattr(page.Page, "html", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            page.report(*given, shakes=4)
    assert listing(tmp_path) == [".mine.html.runs", "mine.swf"]
    with monkeypatch.context() as again:
        again.setattr(facts, "_starts", lambda made: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            page.report(*given, shakes=5)  # another report, with runs of its own
    with monkeypatch.context() as killed:
        killed.setattr(page.Page, "html", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            page.report(*given, shakes=4)
    monkeypatch.setattr(facts, "_starts", lambda made: 1 / 0)
    page.report(*given, shakes=4)
    assert listing(tmp_path) == ["mine.html", "mine.swf"]
