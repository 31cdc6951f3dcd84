"""Every policy against EASY: who takes part, tails, how much of a change is there, pictures, nothing without logs."""

import math

import numpy as np
import pandas as pd
import pytest
from helpers import first_days, texts, verdict_by_id

from simlib import EASY, Conservative, load, simulate
from simlib.study import elsewhere
from simlib.study.claims import HOLDS, HOLDS_NOT, UNTESTED
from simlib.study.elsewhere import Machine, deciding, effects, pictures, policies
from simlib.study.elsewhere.policies import ACROSS, BY_ESTIMATE, CONSERVATIVE, Policies

SETTINGS = {"shakes": 2, "seconds": 60, "resamples": 20, "seed": 0}


@pytest.fixture(scope="module")
def made():
    """The exhibit of two made-up machines, the second without estimates and users."""
    log = first_days(20)
    bare = load("sample")
    bare._log = bare.log.assign(requested_time=-1)
    bare = bare.with_estimates("exact")
    bare = bare.derive(bare.jobs.assign(user=-1), "without users")
    exhibit = Policies(reservations=(2, 5), shakes=2, resamples=20)
    exhibit.found = [Machine("first", log, True), Machine("bare", bare)]
    return exhibit


def rows(*changes, half=0.01):
    effect = pd.Series(changes, [f"log {place}" for place in range(len(changes))], dtype=float)
    return pd.DataFrame({"effect": effect, "low": effect - half, "high": effect + half}).assign(
        year_low=np.nan, year_high=np.nan
    )


# Tails


def test_tails_are_those_of_the_schedules_run_by_run():
    log = first_days(20)
    cases = {"EASY": EASY(), CONSERVATIVE: Conservative()}
    machine, pairs = Machine("first", log), {CONSERVATIVE: (CONSERVATIVE, "EASY")}
    table = effects.effects(machine, cases, pairs, SETTINGS, tails=True).loc["first", CONSERVATIVE]
    runs = [log, *(log.shake(60, seed) for seed in range(2))]
    easy, other = ([simulate(run, policy).column("wait") for run in runs] for policy in cases.values())
    longer = [(one - base > 3600).mean() for one, base in zip(other, easy, strict=True)]
    assert table.effect[effects.HOUR_LONGER] == pytest.approx(np.mean(longer))
    for measure, of in {effects.WAIT_95TH: lambda wait: np.quantile(wait, 0.95), effects.LONGEST_WAIT: np.max}.items():
        assert table.base[measure] == pytest.approx(np.mean([of(wait) for wait in easy]))
        assert table.value[measure] == pytest.approx(np.mean([of(wait) for wait in other]))
    assert table.loc[[*effects.TAILS, effects.HOUR_LONGER], ["year_low", "year_high"]].isna().all(axis=None)
    without = effects.effects(machine, cases, pairs, SETTINGS).loc["first", CONSERVATIVE]
    pd.testing.assert_frame_equal(table.loc[without.index], without)


# Between EASY and conservative


@pytest.mark.slow
def test_one_reservation_is_easy_and_all_of_them_conservative_backfilling(made):
    ends = made.curve.xs("1", level="k")
    assert (ends[["effect", "low", "high", "year_low", "year_high"]] == 0).all(axis=None) and (
        ends.value == ends.base
    ).all()
    for machine in made.found:
        all_of_them, conservative = (
            simulate(machine.workload, policy).column("start")
            for policy in (EASY(reservations=math.inf), Conservative())
        )
        assert (all_of_them == conservative).all()


def test_how_much_is_there_is_told_where_conservative_clearly_differs():
    index = pd.MultiIndex.from_product([["log 0", "log 1"], ["1", "5", "all"]], names=["log", "k"])
    found = policies.arises(rows(0, 0.09, 0.1, 0, 0.1, 0.005).set_axis(index))
    assert found.index.to_list() == ["log 0"] and found.loc["log 0"].to_list() == pytest.approx([0, 0.9, 1])


@pytest.mark.parametrize(
    ("part", "whole", "verdict"),
    [
        ([0.05, 0.06, 0.07, 0.08, 0.0, 0.0], [0.1] * 6, HOLDS),
        ([0.05, 0.06, 0.07, -0.08, 0.0, 0.0], [0.1] * 6, HOLDS_NOT),  # the other sign is not there
        ([0.1] * 6, [0.1] * 5 + [0.0], UNTESTED),  # on five it clearly differs
    ],
)
def test_half_of_a_change_is_there_on_most_where_it_is_clear(part, whole, verdict):
    found = deciding.half_there(
        "OWN-35", {"response": (rows(*part), rows(*whole)), "slowdown": (rows(*part), rows(*whole))}
    )
    assert found["verdict"] == verdict


@pytest.mark.parametrize(("up", "verdict"), [(4, HOLDS), (3, HOLDS_NOT)])
def test_the_longest_wait_grows_on_most(up, verdict):
    found = deciding.longer("OWN-41", rows(*[0.5] * up, *[0.0] * (6 - up)))
    assert found["verdict"] == verdict and f"longer on {up} of 6" in found["evidence"]


# The exhibit


@pytest.mark.slow
def test_what_needs_users_or_estimates_is_left_out_where_there_are_none(made):
    run = made.effects.loc["bare"].index.unique("case")
    assert not set(run) & ({"fair share", "EASY++"} | BY_ESTIMATE) and "EASY, largest" in run
    assert set(ACROSS) <= set(made.effects.loc["first"].index.unique("case"))
    assert "bare, fair share: the log does not say whose the jobs are" in made.left_out


@pytest.mark.slow
def test_every_picture_is_drawn_and_nothing_is_decided_on_two_machines(made):
    assert set(verdict_by_id(made.judge()).values()) == {UNTESTED}
    for part in made.made:
        assert (made.figure(part) is None) == (part in ("arises", "effects", "logs"))
    assert len(made.figure("response").axes) == len(ACROSS)
    assert len(made.said()) == 2


def test_a_map_has_a_number_where_there_is_one_and_colour_where_it_is_clear():
    told = pd.DataFrame({"paper": [True, False], "year": "2001"}, ["log 0", "log 1"])
    index = pd.MultiIndex.from_tuples([("a", "log 0"), ("a", "log 1"), ("b", "log 0")], names=["policy", "log"])
    table = rows(-0.2, 0.1, 0.005).set_axis(index).assign(base=1.0)
    ax = pictures.maps({"wait": table}, told, {"a": "A", "b": "B"}, "change").axes[0]
    assert texts(ax) == ["-20", "+10", "0", "\N{EN DASH}"]
    assert [patch.get_alpha() > 0 for patch in ax.patches] == [True, True, False]


def test_without_a_log_nothing_is_drawn_decided_or_written_among_the_figures(no_logs, root):
    exhibit = Policies()
    assert exhibit.missing == elsewhere.names() and exhibit.left_out == []
    assert all(exhibit.figure(part) is None for part in exhibit.made)
    assert set(verdict_by_id(exhibit.judge()).values()) == {UNTESTED}
    assert len(exhibit.arises) == 0 and exhibit.said() == []
    exhibit.save()
    assert not (root / "figures").exists()
