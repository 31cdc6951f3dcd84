"""Which reading of Tang et al. meets what is printed: readings, scores, and the notebook, run and changed."""

import ast

import numpy as np
import pandas as pd
import pytest
from helpers import code_cells, executed, tang_trace

from simlib.policies import walltime
from simlib.study import claims
from simlib.study.investigations import tang_months
from simlib.study.investigations.tang_months import TEXT, Reading
from simlib.study.tang2013 import accuracy, figure11

DAY = 86400
FEW = {"logs": ["SDSC-SP2"], "resamples": 20}


def earlier(submit=31 * DAY, **columns):
    """Three earlier jobs, of 10, 20 and 90 of 100 s, of which the last runs still; and a fourth that is submitted."""
    jobs = pd.DataFrame({"submit": [submit - 40, submit - 30, submit - 20, submit], "run": [10, 20, 90, 50]})
    return tang_trace(jobs.assign(estimate=100, **columns))


def a_of(trace, reading, percentile=100, window="1 month", least=1):
    """The A of the last job, by the user's earlier ones."""
    scheme = walltime.Scheme("user", window, percentile, least=least)
    return reading.parameters(trace.workload.jobs, trace.ends, [scheme]).iloc[-1, 0]


# Readings


def test_earlier_jobs_have_ended_or_end_that_very_second_or_were_submitted():
    ends_now = tang_trace(pd.DataFrame({"submit": [0, 0, 10], "run": [5, 10, 50], "estimate": 100}))
    assert a_of(ends_now, Reading()) == 0.05
    assert a_of(ends_now, Reading(history="ended by then")) == 0.1
    assert a_of(earlier(), Reading()) == 0.2
    assert a_of(earlier(), Reading(history="submitted before")) == 0.9


def test_a_month_may_have_a_day_more():
    jobs = tang_trace(pd.DataFrame({"submit": [0, 30 * DAY + 100], "run": [50, 50], "estimate": 100}))
    longer = Reading(history="a month of 31 days")
    assert np.isnan(a_of(jobs, Reading()))
    assert a_of(jobs, longer) == a_of(jobs, longer, window=None) == 0.5


def test_a_percentile_may_be_one_of_the_values():
    jobs = tang_trace(pd.DataFrame({"submit": [0, 0, 50], "run": [10, 20, 90], "estimate": 100}))
    cobalt = Reading(percentile="as in Cobalt")
    assert a_of(jobs, Reading(), 50) == pytest.approx(0.15)
    assert a_of(jobs, cobalt, 50) == 0.2
    assert np.isnan(a_of(jobs, cobalt, 50, least=3))


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
    (chosen,) = Reading(jobs="completed").traces([trace])
    assert len(chosen.workload) == 3 and a_of(chosen, Reading()) == 0.1
    assert Reading().traces([trace]) == [trace]


def test_a_reading_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="found history='ended later', expected ended before, ended by then"):
        Reading(history="ended later")


# Scores


def measured(found):
    """Parts of claims as they were measured: from a dict by (least, floor), claim and part of values by replication."""
    columns = {
        (*place, *TEXT, "made up", *of): values for place, parts in found.items() for of, values in parts.items()
    }
    names = [*tang_months.PLACE, "trace", "claim", "part"]
    return pd.DataFrame(columns).rename_axis(index="replication", columns=names)


def scored(found):
    return tang_months.met(found).T.groupby(tang_months.PLACE, sort=False).mean().T


def test_a_score_is_the_share_of_the_claims_that_is_met():
    accurate, under, over = ("TG-08", "accuracy"), ("TG-08", "UE"), ("TG-22", "above half")
    nothing = [np.nan] * 4
    found = measured(
        {
            (1, 0.0): {accurate: [0.3] * 4, under: [0.1, 0.1, 0.1, 0.9], ("TG-08", "BE"): nothing, over: [0.6] * 4},
            (1, 0.5): {accurate: [0.3] * 4, under: [0.1] * 4, ("TG-08", "BE"): nothing, over: [0.4] * 4},
        }
    )
    scores = scored(found)
    assert scores[1, 0.0, *TEXT].tolist() == [1, 1, 1, 0.75]
    assert scores[1, 0.5, *TEXT].tolist() == [0.5] * 4
    ranking = tang_months.ranking(scores)
    assert ranking.index.get_level_values("floor").tolist() == [0, 0.5]
    assert ranking.behind.tolist() == [0, 0.5] and ranking.behind_low.iloc[1] < 0.5
    change = tang_months.changes(scores).loc["floor"].iloc[0]
    assert change.ours == -0.5 and change.clear


# The notebook


@pytest.fixture(scope="module")
def figures():
    """Which claims are made of which figures, as the notebook has it."""
    (cell,) = [cell for cell in code_cells("tang2013/detective")[1] if cell.startswith("figures = ")]
    return ast.literal_eval(cell.partition("= ")[2].partition("\n}")[0] + "}")


def test_each_claim_on_figures_4_to_11_belongs_to_one_group_of_figures(figures):
    measures = accuracy.SIMILARITY | accuracy.RECENCY | figure11.MEASURES
    assert sorted(claim for of in figures.values() for claim in of) == sorted(measures)


def test_each_group_of_figures_speaks_for_itself(figures):
    def parts(least):
        every = {(claim, next(iter(claims.criteria()[claim]))): [0.5] * 4 for of in figures.values() for claim in of}
        ten = least == 10
        return every | {
            ("TG-22", "above half"): [0.4 if ten else 0.6] * 4,
            ("TG-10", "double key"): [0.1 * ten - 0.05] * 4,
        }

    found = measured({(least, floor): parts(least) for least in (1, 10) for floor in (0.0, 0.5)})
    where = tang_months.where(tang_months.met(found), figures)
    changes = where.ours.xs((10, 0.0), level=("least", "floor")).to_dict()
    expected = dict.fromkeys(figures, 0) | {"Figures 4 and 5": -1 / 8, "Figure 8": 0.5}
    assert changes == pytest.approx(expected)
    assert where.clear.groupby("figures").all().to_dict() == {name: change != 0 for name, change in expected.items()}


@pytest.mark.slow
def test_every_reading_is_ranked_and_the_studys_own_is_what_figures_4_to_11_have(small_logs):
    found = executed("tang2013/detective", **FEW)
    assert len(found["ranking"]) == 6 * 2 * 2 and found["ranking"].ours.between(0, 1).all()
    trace = found["traces"][0]
    schemes = accuracy.study([trace], walltime.KEYS, resamples=0)
    gain = accuracy.SIMILARITY["TG-38"](schemes[trace.name])["at least"].value
    of_study = found["measured"].loc[0].to_dict()
    assert of_study[1, 0.0, *TEXT, trace.name, "TG-38", "at least"] == pytest.approx(gain)
    assert [text.get_text() for text in found["picture"].legends[0].get_texts()] == [
        "any A in Figures 8 to 10",
        "A at least 0.5 in Figures 8 to 10",
        "any similar job",
        "at least 10 similar jobs",
    ]


@pytest.mark.slow
def test_a_further_reading_and_other_thresholds_come_into_table_and_picture(small_logs):
    more = '("both", "31 days, completed"): Reading("a month of 31 days", jobs="completed"), '
    edits = {
        '("jobs", "completed")': more + '("jobs", "completed")',
        "floors = [0, 0.5]": "floors = [0, 0.3]",
    }
    found = executed("tang2013/detective", edits=edits, least=[2], **FEW)
    assert (2, 0.3, "both", "31 days, completed") in found["ranking"].index and len(found["ranking"]) == 7 * 2
    axes = found["picture"].axes[0]
    assert "both: 31 days, completed" in [text.get_text() for text in axes.get_yticklabels()]
    assert "A at least 0.3 in Figures 8 to 10" in [text.get_text() for text in found["picture"].legends[0].get_texts()]
    assert found["picture_of_figures"] is None and not len(found["where"])
