"""Tang et al.'s exhibits of any log."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from helpers import tang_trace, texts

from simlib import plots
from simlib.study import claims, tang2013
from simlib.study.tang2013 import (
    figure11,
    figure13,
    figures4_10,
    figures14_17,
)

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
    """A function that says which traces are found, and which are missing."""

    def say(found, missing=()):
        monkeypatch.setattr(tang2013, "traces", lambda names: (found, list(missing)))

    return say


@pytest.mark.slow
@pytest.mark.parametrize(
    "make, options",
    [
        (figures4_10.Figures47, RESAMPLED),
        (figures4_10.Figures810, RESAMPLED),
        (figure11.Figure11, RESAMPLED),
        (figure13.Figure13, RESAMPLED),
        (figures14_17.Figures1417, SHAKEN),
    ],
)
def test_from_any_log_every_part_is_made_and_drawn_and_every_claim_is_judged(at_hand, make, options):
    at_hand([trace()])
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


@pytest.mark.slow
def test_where_a_twin_stands_in_pictures_are_stamped_when_made_and_no_claim_is_judged(at_hand):
    at_hand([trace(synthetic=True)])
    exhibit = figure13.Figure13()
    assert stamped(exhibit.figure())
    assert [claim["verdict"] for claim in exhibit.verdicts] == [claims.UNTESTED] * 2


@pytest.mark.slow
def test_a_log_is_named_as_missing_only_where_no_twin_takes_its_place(at_hand, capsys):
    at_hand([trace("one")], ["two"])
    assert list(figure13.Figure13().show_sources().index) == ["one"]
    assert "two: not on this machine, left out" in capsys.readouterr().out
    at_hand([trace("one", synthetic=True)], ["one"])
    figure13.Figure13().show_sources()
    said = capsys.readouterr().out
    assert "one: a synthetic twin" in said and "left out" not in said
