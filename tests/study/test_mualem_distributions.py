"""Figure 6 of Mu'alem & Feitelson: run times and sizes of whole workloads, and what is measured for MF-18."""

import pytest

from simlib.study import claims, mualem2001, results
from simlib.study.mualem2001 import figure6
from simlib.study.mualem2001.figure6 import WEEK
from simlib.study.results import AS_IT_IS


def weeks(workload, runs_and_sizes, jobs=20, machine=64):
    """A workload whose weeks each hold `jobs` like jobs: one (run, size) a week."""
    rows = [(w * WEEK + k, run, run, size) for w, (run, size) in enumerate(runs_and_sizes) for k in range(jobs)]
    return workload(rows, machine)


def test_whole_workloads_have_their_means_medians_and_shares_and_those_of_their_weeks(workload):
    found = figure6.of_weeks([("made", weeks(workload, [(10, 1), (1000, 8)]))], resamples=50, seed=3).loc["made"]
    whole, resampled = found.xs(AS_IT_IS), found.drop(AS_IT_IS).unstack(["quantity", "statistic"])
    assert whole["run"].to_dict() == {"mean": 505, "median": 10}
    assert whole["size"].to_dict() == {"mean": 4.5, "median": 1}
    assert whole["machine_share"].to_dict() == {"mean": 4.5 / 64, "median": 1 / 64}
    assert resampled.index.tolist() == list(range(1, 51))
    assert set(resampled["run", "mean"]) == {10, 505, 1000}  # a week counts not at all, once or twice, all of it


LONG_AND_NARROW = [(5000, 2), (6000, 2), (7000, 3)] * 3
SHORT_AND_WIDE = [(50, 16), (60, 20), (70, 30)] * 3


def parts(workload, sp2, others, model=SHORT_AND_WIDE):
    """The verdicts on the parts of MF-18 where all SP2 logs are alike, and the others, and one member of the family."""
    made = dict.fromkeys(("CTC", "KTH", "SDSC"), sp2) | dict.fromkeys(("Par-95", "Par-96", "CM5"), others)
    labelled = [(label, weeks(workload, made)) for label, made in made.items()]
    of_logs = figure6.of_weeks([*labelled, ("Jann", labelled[0][1])], resamples=100, seed=1)
    of_family = figure6.of_weeks([("KTH", weeks(workload, model))], resamples=100, seed=1)
    found = figure6.sp2_against_each(of_logs, of_family)["KTH"]
    return {part: claims.criteria()["MF-18"][part].judge(one) for part, one in found.items()}


def test_sp2_jobs_are_held_against_the_other_logs_and_a_member_of_the_family(workload):
    assert set(parts(workload, LONG_AND_NARROW, SHORT_AND_WIDE).values()) == {claims.HOLDS}
    assert set(parts(workload, SHORT_AND_WIDE, LONG_AND_NARROW, LONG_AND_NARROW).values()) == {claims.HOLDS_NOT}
    narrow = parts(workload, [(50, 2), (60, 2), (70, 3)] * 3, LONG_AND_NARROW, [(5000, 16), (6000, 20), (7000, 30)] * 3)
    assert narrow["mean run time"] == narrow["median run time"] == claims.HOLDS_NOT
    assert narrow["mean size"] == claims.HOLDS


def test_the_years_of_one_log_count_as_one_and_all_workloads_alike(workload):
    made = {"CTC": 2, "KTH": 2, "SDSC": 2, "Par-95": 4, "Par-96": 16, "CM5": 8}
    labelled = [(label, weeks(workload, [(10, size)] * 2)) for label, size in made.items()]
    member = figure6.of_weeks([("F", weeks(workload, [(10, 8)] * 2))], resamples=5)
    found = figure6.sp2_against_each(figure6.of_weeks(labelled, resamples=5), member)["F"]
    assert found["mean size"].value == pytest.approx(2 / 8)
    assert found["mean run time"].value == pytest.approx(1)


def test_where_a_log_is_absent_nothing_is_measured(workload):
    labelled = [(label, weeks(workload, SHORT_AND_WIDE)) for label in ("CTC", "KTH", "SDSC", "Par", "Feitelson")]
    of_logs = figure6.of_weeks(labelled, resamples=5)
    assert figure6.sp2_against_each(of_logs, of_logs.loc[["Feitelson"]]) == {}


def test_ratios_of_sizes_as_shares_take_the_machines_into_account(workload):
    labelled = [("CTC", weeks(workload, [(10, 4)] * 2)), ("Par", weeks(workload, [(10, 8)] * 2, machine=256))]
    ratios = figure6.compared(figure6.of_weeks(labelled, resamples=5)).loc["CTC", "Par"]
    assert ratios.ours["size", "mean"] == 0.5
    assert ratios.ours["machine_share", "mean"] == 2


def test_tables_for_reading_give_every_number_with_its_interval(workload):
    labelled = [("one", weeks(workload, [(10, 4)] * 2)), ("other", weeks(workload, [(20, 8)] * 2))]
    table = results.summary(figure6.of_weeks(labelled, resamples=5))
    text = figure6.beside(table, {"run": "{:.0f}", "machine_share": "{:.1%}"})
    assert text.index.tolist() == ["one", "other"]
    assert text.loc["other", ("run", "mean")] == "20 (20 to 20)"
    assert text.loc["one", ("machine_share", "median")] == "6.2% (6.2% to 6.2%)"


@pytest.mark.slow
def test_on_the_logs_sp2_jobs_use_fewer_processors(log):
    for name in ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "LANL-CM5"):
        log(name)
    found, _ = mualem2001.traces(["CTC", "KTH", "SDSC", "CM5"])
    labelled = [(trace.trace, trace.workload) for trace in found]
    ratios = figure6.compared(figure6.of_weeks(labelled, resamples=100))
    assert (ratios.high.xs("size", level="quantity") < 0.2).all()
