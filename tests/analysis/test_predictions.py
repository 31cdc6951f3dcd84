"""How accurate predictions are, by hand and against those that are noted as they change."""

import numpy as np
import pytest
from helpers import busy_users, numbered, table
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, OwnPolicy, Predictions, simulate
from simlib.analysis import accuracy
from simlib.policies import examples_own
from simlib.policies.adjusting import Adjustment, Scheme


@given(seed=st.integers(0, 2**32), sjbf=st.booleans())
def test_corrected_predictions_count_for_as_long_as_they_hold(seed, sjbf):
    w = busy_users(seed, jobs=80)
    compiled = simulate(w, EASY(adjust=Predictions(), backfill="sjf" if sjbf else None))
    own = simulate(w, OwnPolicy(examples_own.easy_sjbf if sjbf else examples_own.easy, examples_own.LastTwo()))
    np.testing.assert_allclose(accuracy(compiled), accuracy(own))
    assert not np.allclose(accuracy(compiled), accuracy(simulate(w, EASY())))


def test_without_predictions_it_is_that_of_the_users_also_of_jobs_that_run_longer():
    w = table([(0, 10, 40, 1), (0, 40, 10, 1), (0, 0, 0, 1), (0, 0, 5, 1)], 4)
    assert accuracy(simulate(w, EASY())).to_list() == [0.25, 0.25, 1, 0]


def test_uncorrected_and_adjusted_ones_stay_as_they_were():
    w = numbered([(0, 10, 60, 1, 7, 0), (100, 40, 60, 1, 7, 0)], 4)
    assert accuracy(simulate(w, EASY(adjust=Predictions(correct=False)))).to_list() == [10 / 60, 10 / 40]
    assert accuracy(simulate(w, EASY(adjust=Predictions("exact")))).to_list() == [1, 1]
    scheme = Scheme("user", least=1, threshold=0)
    assert accuracy(simulate(w, EASY(adjust=Adjustment(scheme)))).to_list() == [10 / 60, 10 / 40]


def test_steps_beyond_the_estimate():
    mean = (10 * 10 + 50 * 60 + 60 * 120 + 80 * 420) / 200  # until second 10, 60, 120 and 200 of its run
    w = numbered([(0, 10, 60, 1, 7, 0), (100, 200, 60, 1, 7, 0)], 4)
    found = accuracy(simulate(w, EASY(adjust=Predictions())))
    assert found.iloc[1] == pytest.approx(200 / mean if mean > 200 else mean / 200)
