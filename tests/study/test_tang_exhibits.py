"""Tang et al.'s exhibits: from any log every part is made, drawn and judged; from stand-ins nothing is judged."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from helpers import tang_trace, texts

from simlib import plots
from simlib.study import claims
from simlib.study.exhibit import LOGS
from simlib.study.investigations import tang_months
from simlib.study.tang2013 import (
    beyond,
    examples,
    figure11,
    figure13,
    figures4_10,
    figures14_17,
    inaccuracy,
    on_traces,
    table3_figure12,
)

pytestmark = pytest.mark.slow

matplotlib.use("Agg")
HOUR, DAY = 3600, 86400
RESAMPLED, SHAKEN = {"resamples": 20}, {"shakes": 2}


def trace(name="made up", synthetic=False, n=1800):
    """Three months of jobs of six users who use a part of their requests that is their habit."""
    rng = np.random.default_rng(1)
    user = rng.integers(0, 6, n)
    jobs = pd.DataFrame({"submit": np.sort(rng.integers(0, 90 * DAY, n)), "user": user, "group": user // 2})
    jobs["estimate"] = np.array([2 * HOUR, 6 * HOUR])[rng.integers(0, 2, n)]
    used = np.array([0.05, 0.1, 0.3, 0.5, 0.6, 0.9])[user] + rng.uniform(-0.04, 0.04, n)
    jobs = jobs.assign(run=(used * jobs.estimate).astype(int), procs=2 ** rng.integers(0, 4, n))
    return tang_trace(jobs, name=name, synthetic=synthetic)


@pytest.fixture
def at_hand(monkeypatch):
    """A function that says which traces are found, which are missing, and which all logs are."""

    def say(found, missing=(), every=()):
        monkeypatch.setattr(on_traces, "traces", lambda names: (found, list(missing)))
        monkeypatch.setattr(beyond, "traces", lambda names: ([*every], []))

    return say


@pytest.mark.parametrize(
    "make, options",
    [
        (inaccuracy.Table1Figures12, RESAMPLED | {"least_jobs": 500}),
        (inaccuracy.Table2, RESAMPLED),
        (figures4_10.Figures47, RESAMPLED),
        (figures4_10.Figures810, RESAMPLED),
        (figure11.Figure11, RESAMPLED),
        (figure13.Figure13, RESAMPLED),
        (tang_months.Detective, RESAMPLED),
        (figures14_17.Figures1417, SHAKEN),
        (beyond.Beyond, SHAKEN),
    ],
)
def test_from_any_log_every_part_is_made_and_drawn_and_every_claim_is_judged(at_hand, make, options):
    at_hand([trace()], every=[trace(), trace("other")])
    exhibit = make(**options)
    assert [claim["id"] for claim in exhibit.verdicts] == list(exhibit.claims)
    assert claims.UNTESTED not in {claim["verdict"] for claim in exhibit.verdicts}
    for suffix, part in exhibit.made.items():
        assert len(made(part.table))
        if part.draw:
            assert not stamped(exhibit.figure(suffix))


def made(table):
    return table() if callable(table) else table


def stamped(figure):
    return plots.SYNTHETIC in texts(figure)


def test_where_a_twin_stands_in_pictures_are_stamped_when_made_and_no_claim_is_judged(at_hand):
    at_hand([trace(synthetic=True)])
    exhibit = figure13.Figure13()
    assert stamped(exhibit.figure())
    assert [claim["verdict"] for claim in exhibit.verdicts] == [claims.UNTESTED] * 2


def test_a_log_is_named_as_missing_only_where_no_twin_takes_its_place(at_hand, capsys):
    at_hand([trace("one")], ["two"])
    assert list(figure13.Figure13().show_sources().index) == ["one"]
    assert "two: not on this machine, left out" in capsys.readouterr().out
    at_hand([trace("one", synthetic=True)], ["one"])
    figure13.Figure13().show_sources()
    said = capsys.readouterr().out
    assert "one: a synthetic twin" in said and "left out" not in said


def test_all_logs_are_compared_without_those_that_only_stand_in(at_hand):
    at_hand([trace("one")], every=[trace("one"), trace("two")])
    exhibit = beyond.Beyond(shakes=2)
    assert {group: [one.name for one in of] for group, of in exhibit.sources.items()} == {
        LOGS: ["one"],
        beyond.OTHER_LOGS: ["two"],
    }
    assert exhibit.made["logs"].on == exhibit.made["reach"].on == (LOGS, beyond.OTHER_LOGS)
    at_hand([trace("one", synthetic=True)], every=[trace("two")])
    exhibit = beyond.Beyond(shakes=2)
    assert list(exhibit.logs.index.unique("trace")) == ["two"]
    assert not exhibit.synthetic(exhibit.made["logs"].on) and exhibit.synthetic(exhibit.made["switches"].on)


def test_figure_3_marks_the_scheme_of_its_parameters_among_all():
    exhibit = table3_figure12.Figure3(percentile=50)
    assert exhibit.table.nunique().tolist() == [4, 6, 7] and len(exhibit.made[""].table) == 168
    marked = [text.get_text() for text in exhibit.figure().axes[0].texts if text.get_color() == "white"]
    assert marked == ["triple key", "1 month", "median"]


def test_table_3_and_figure_12_rest_on_no_log():
    exhibit = table3_figure12.Table3Figure12(lowest_share=0.95)
    (claim,) = exhibit.verdicts
    assert claim["verdict"] == claims.REPRODUCED
    assert list(exhibit.made) == ["", "figure12", "left", "right", "between", "moved"]
    assert exhibit.made["left"].table.index.tolist() == list(table3_figure12.LEFT)
    assert exhibit.made["right"].table.index.tolist() == list(table3_figure12.RIGHT)
    assert len(exhibit.figure("moved").axes) == 4


def test_starts_and_promises_are_drawn_in_hours_over_the_levels():
    sweep = examples.by_share(1, [1, 0.9, 0.8])
    waits, runs = table3_figure12.by_share({"job 4 waits": sweep, "job 1 runs": sweep}).axes
    assert (waits.get_title(), runs.get_title()) == ("job 4 waits", "job 1 runs")
    assert waits.lines[0].get_ydata().tolist() == [6, 5.4, 4.8]
    assert [patch.get_label() for patch in runs.patches] == ["NA", "OE", "UE"]
