"""The detective of Tang et al.: what each reading of the text takes for history, and how readings are told apart."""

import numpy as np
import pandas as pd
import pytest
from helpers import tang_trace

from simlib.policies import walltime
from simlib.study import claims
from simlib.study.investigations import tang_months
from simlib.study.investigations.tang_months import (
    BY_THEN,
    COBALT,
    COMPLETED,
    DAYS_31,
    FIGURES,
    SUBMITTED,
    TEXT,
    Reading,
)
from simlib.study.tang2013 import accuracy, figure11

DAY = 86400


def earlier(submit=31 * DAY, **columns):
    """Three earlier jobs, of 10, 20 and 90 of 100 s, of which the last runs still; and a fourth that is submitted."""
    jobs = pd.DataFrame({"submit": [submit - 40, submit - 30, submit - 20, submit], "run": [10, 20, 90, 50]})
    return tang_trace(jobs.assign(estimate=100, **columns))


def a_of(trace, reading, percentile=100, window="1 month"):
    """The A of the last job, by the user's earlier ones."""
    jobs = trace.workload.jobs
    scheme = walltime.Scheme("user", window, percentile, least=reading.least)
    return reading.parameters(jobs, trace.ends, [scheme]).iloc[-1, 0]


def test_earlier_jobs_have_ended_or_end_that_very_second_or_were_submitted():
    ends_now = tang_trace(pd.DataFrame({"submit": [0, 0, 10], "run": [5, 10, 50], "estimate": 100}))
    assert a_of(ends_now, Reading(1)) == 0.05
    assert a_of(ends_now, Reading(1, history=BY_THEN)) == 0.1
    assert a_of(earlier(), Reading(1)) == 0.2
    assert a_of(earlier(), Reading(1, history=SUBMITTED)) == 0.9


def test_a_month_may_have_a_day_more():
    jobs = tang_trace(pd.DataFrame({"submit": [0, 30 * DAY + 100], "run": [50, 50], "estimate": 100}))
    assert np.isnan(a_of(jobs, Reading(1)))
    assert a_of(jobs, Reading(1, history=DAYS_31)) == 0.5
    assert a_of(jobs, Reading(1, history=DAYS_31), window=None) == 0.5


def test_a_percentile_may_be_one_of_the_values():
    jobs = tang_trace(pd.DataFrame({"submit": [0, 0, 50], "run": [10, 20, 90], "estimate": 100}))
    assert a_of(jobs, Reading(1), 50) == pytest.approx(0.15)
    assert a_of(jobs, Reading(1, percentile=COBALT), 50) == 0.2
    assert np.isnan(a_of(jobs, Reading(3, percentile=COBALT), 50))


@pytest.mark.parametrize("window", [None, "1 month"])
def test_without_interpolation_the_maximum_and_the_windows_are_the_same(window):
    rng = np.random.default_rng(1)
    submit = np.sort(rng.integers(0, 90 * DAY, 500))
    jobs = pd.DataFrame({"submit": submit, "run": rng.integers(1, 3 * DAY, 500), "estimate": 3 * DAY})
    trace = tang_trace(jobs.assign(user=rng.integers(0, 5, 500)))
    schemes = [walltime.Scheme("user", window, 100, threshold, least) for threshold in (None, 0.5) for least in (1, 10)]
    of = trace.workload.jobs, trace.ends, schemes
    pd.testing.assert_frame_equal(tang_months.without_interpolation(*of), walltime.parameters(*of))


def test_jobs_that_did_not_complete_may_not_count():
    trace = earlier(status=[1, 5, 1, 1])
    (chosen,) = Reading(1, jobs=COMPLETED).traces([trace])
    assert len(chosen.workload) == 3 and a_of(chosen, Reading(1)) == 0.1
    assert Reading(1).traces([trace]) == [trace]


def exhibit(measured):
    """A detective that has measured parts of claims: by (least, floor), claim and part the value, and resamples."""
    found = tang_months.Detective(least=tuple(dict.fromkeys(least for least, _ in measured)), resamples=3)
    columns = {
        (*place, *TEXT, "made up", *of): values for place, parts in measured.items() for of, values in parts.items()
    }
    names = [*tang_months.PLACE, "trace", "claim", "part"]
    found.results = pd.DataFrame(columns).rename_axis(index="replication", columns=names)
    return found


def test_a_score_is_the_share_of_the_claims_that_is_met():
    accuracy, under, over = ("TG-08", "accuracy"), ("TG-08", "UE"), ("TG-22", "above half")
    nothing = [np.nan] * 4
    found = exhibit(
        {
            (1, 0.0): {accuracy: [0.3] * 4, under: [0.1, 0.1, 0.1, 0.9], ("TG-08", "BE"): nothing, over: [0.6] * 4},
            (1, 0.5): {accuracy: [0.3] * 4, under: [0.1] * 4, ("TG-08", "BE"): nothing, over: [0.4] * 4},
        }
    )
    assert found.scores[1, 0.0, *TEXT].tolist() == [1, 1, 1, 0.75]
    assert found.scores[1, 0.5, *TEXT].tolist() == [0.5] * 4
    assert found.ranking.index.get_level_values("floor").tolist() == [0, 0.5]
    assert found.ranking.behind.tolist() == [0, 0.5] and found.ranking.behind_low.iloc[1] < 0.5
    change = found.comparisons.loc["floor"].iloc[0]
    assert change.ours == -0.5 and change.clear
    assert found.statements["has to be"].tolist()[0] == "above +20%"


def test_each_group_of_figures_speaks_for_itself():
    def measured(least):
        parts = {(claim, next(iter(claims.criteria()[claim]))): [0.5] * 4 for of in FIGURES.values() for claim in of}
        ten = least == 10
        return parts | {
            ("TG-22", "above half"): [0.4 if ten else 0.6] * 4,
            ("TG-10", "double key"): [0.1 * ten - 0.05] * 4,
        }

    found = exhibit({(least, floor): measured(least) for least in (1, 10) for floor in (0.0, 0.5)}).where
    changes = found.ours.xs((10, 0.0), level=("least", "floor")).to_dict()
    expected = dict.fromkeys(FIGURES, 0) | {"Figures 4 and 5": -1 / 8, "Figure 8": 0.5}
    assert changes == pytest.approx(expected)
    assert found.clear.groupby("figures").all().to_dict() == {name: change != 0 for name, change in expected.items()}


def test_each_claim_on_figures_4_to_11_belongs_to_one_group_of_figures():
    measures = accuracy.SIMILARITY | accuracy.RECENCY | figure11.MEASURES
    assert sorted(claim for claims in FIGURES.values() for claim in claims) == sorted(measures)
