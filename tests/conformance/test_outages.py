"""Processors that are away for some time: engine, plain Python and the reference agree, and by hand."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from helpers import crowded, equals_the_reference, plainly, starts, table
from hypothesis import given
from hypothesis import strategies as st

from simlib import Conservative, Selective, SlurmBackfill, compare, simulate
from simlib._util.cache import identity
from simlib.explain import why


def fullest_first(free, procs):
    return free * procs


POLICIES = [Conservative(), Conservative("start")]
POLICIES += [SlurmBackfill(interval=2, resolution=2, user_jobs=2)]
RARE = [Conservative("rebackfill"), Conservative(order=fullest_first), Selective("adaptive")]
RARE += [SlurmBackfill("wfp", depth=4, window=9, resolution=3, interval=4, reservations=1)]
POLICIES += [pytest.param(policy, marks=pytest.mark.thorough) for policy in RARE]


def drawn(seed, w):
    """One to four outages: foreseen from second 0, from some second, or not."""
    rng = np.random.default_rng(seed)
    n, latest = rng.integers(1, 5), int(w.jobs.submit.max() + w.jobs.run.sum() // w.procs + 2)
    start = rng.integers(0, latest, n)
    known = np.where(rng.random(n) < 0.4, start, rng.integers(0, start + 1) * rng.integers(0, 2, n))
    rows = start, start + rng.integers(1, latest, n), rng.integers(1, w.procs + 1, n), known
    return pd.DataFrame(dict(zip(("start", "end", "procs", "known"), rows, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@given(w=crowded(), seed=st.integers(0, 2**32))
def test_three_schedulers_agree_on_outages(policy, w, seed):
    schedule = simulate(w, replace(policy, outages=drawn(seed, w)))
    equals_the_reference(schedule)
    assert schedule.jobs.start.tolist() == [job.start for job in plainly(w, schedule.policy)]


IN_SLURM = partial(SlurmBackfill, interval=1, resolution=1, user_jobs=9)
PLANS = [Conservative, IN_SLURM, pytest.param(Selective, marks=pytest.mark.thorough)]


@pytest.mark.parametrize("planning", PLANS)
def test_a_job_that_would_run_into_an_outage_is_passed(planning):
    rows = [(0, 10, 11, 2), (0, 10, 10, 3), (0, 10, 10, 1), (0, 5, 5, 1)]
    assert starts(rows, 4, planning(outages=[(10, 50, 3)])) == [50, 0, 0, 10]  # known from second 0 on
    assert starts(rows, 4, planning(outages=[(10, 50, 3, 10)])) == [0, 50, 0, 0]


def test_an_outage_takes_what_jobs_leave_and_a_guarantee_gives_way():
    rows = [(0, 40, 40, 3), (1, 10, 10, 2), (2, 10, 10, 1)]
    schedule = simulate(table(rows, 4), Conservative(outages=[(5, 60, 3, 5)]))
    assert schedule.jobs.start.tolist() == [0, 60, 2] and schedule.jobs.guarantee.tolist() == [0, 40, 2]
    assert starts([*rows, (20, 9, 9, 1)], 4, Conservative(outages=[(5, 60, 3, 5)]))[3] == 40  # two were away too many
    assert starts(rows, 4, Conservative(outages=[(5, 30, 3, 5)])) == [0, 40, 2]


def test_why_names_the_outage(monkeypatch):
    monkeypatch.setattr("simlib.policies.easy.SMALL", 200)  # it is told in plain Python
    w = table([(0, 10, 11, 2), (0, 10, 10, 3)], 4)
    for policy in (Selective(9, outages=[(10, 50, 3)]), SlurmBackfill(user_jobs=9, outages=[(10, 50, 3)])):
        assert "would run into an outage" in str(why(simulate(w, policy), 0))


WRONG = [
    ([(0, 9)], r"columns start, end, expected a table or rows of start, end, procs"),
    (7, "found 7"),
    ([(0, 9, 2), (3, 3, 2)], r"row 1: found end=3, .* at least 4"),
    ([(0, 9, 0)], r"row 0: found procs=0"),
    ([(0.5, 9, 1)], r"row 0: found start=0.5"),
    ([(3, 9, 1, 4)], r"row 0: found known=4, .* 0 to 3"),
    (pd.DataFrame({"start": [0], "end": ["9"], "procs": [1]}, index=["node7"]), "row node7: found end='9'"),
    (pd.DataFrame({"start": [0], "procs": [1]}), "found columns start, procs"),
    ([(0, 9, 4), (0, 9, 5)], "row 1: found procs=5, .* at most 4"),
]


@pytest.mark.parametrize(("outages", "message"), WRONG)
def test_a_wrong_table_is_refused_by_row_and_column(outages, message):
    with pytest.raises(ValueError, match=f"^Selective: outages.*{message}"):
        starts([(0, 1, 1, 1)], 4, Selective(outages=outages))


def test_a_table_may_have_other_columns_and_lack_when_an_outage_is_known():
    known = pd.DataFrame({"start": [10.0, 30], "end": [20, 40], "procs": [1, 2], "known": [np.nan, 30], "node": "a"})
    assert Conservative(outages=known) == Conservative(outages=[(10, 20, 1, 0), (30, 40, 2, 30)])
    assert Conservative(outages=[]) == Conservative(outages=None) == Conservative()


def test_policies_with_other_outages_are_told_apart_though_only_their_number_is_shown():
    one, other = (Conservative(outages=[(10, 20, procs)]) for procs in (1, 2))
    assert repr(one) == repr(other) == "Conservative(outages=<1 row>)" and one != other
    assert identity(one) != identity(other)
    with pytest.raises(ValueError, match="twice in policies"):
        compare(table([(0, 1, 1, 1)], 4), [one, other])
