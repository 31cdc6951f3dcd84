"""Figure 5 of Mu'alem & Feitelson: how many jobs are backfilled, of which sizes, and what is measured for MF-16."""

import itertools

import pandas as pd
import pytest

from simlib import EASY, plots
from simlib.analysis.size_classes import ALL, named
from simlib.analysis.stats import shake
from simlib.study import mualem2001
from simlib.study.claims import HOLDS, HOLDS_NOT, INCONCLUSIVE, PRINTED, REPRODUCED, UNTESTED
from simlib.study.mualem2001 import figure5
from simlib.study.results import AS_IT_IS
from simlib.study.verdicts import LIKELY, RESTORED, TEXT

plots.plt.switch_backend("Agg")


@pytest.fixture
def one_passes(workload):
    """On four processors, a job of three runs, one of four waits, and one of a single processor passes it."""
    return workload([(0, 10, 10, 3), (1, 10, 10, 4), (2, 5, 5, 1), (3, 5, 5, 2)], 4)


def of_rules(workload, label="made"):
    """A workload with its label, the same by both rules."""
    return label, dict.fromkeys((TEXT, LIKELY), workload)


def compared(workload, **settings):
    """What both schedulers backfill of a workload called "made"."""
    return figure5.compared(figure5.of_logs([of_rules(workload)], mualem2001.policies(), **settings))


def test_all_policies_get_the_same_shakes(one_passes):
    easy_twice = dict(zip(mualem2001.policies(), 2 * [EASY(), EASY(backfill="arrival")], strict=True))
    assert len(set(easy_twice.values())) == 2
    found = figure5.of_logs([of_rules(one_passes)], easy_twice, 3, shake_s=5)
    assert found.index.unique("replication").tolist() == [AS_IT_IS, 1, 2, 3]
    table = figure5.compared(found).loc["response_s"]
    assert (table.xs("difference", level="of")[["ours", "low", "high"]] == 0).all(axis=None)
    easy = table.xs("easy", level="of")
    assert (easy.low < easy.high).any()


def test_what_is_the_same_by_two_rules_is_simulated_once_and_what_a_rule_lacks_not_at_all(one_passes, monkeypatch):
    shaken = []
    monkeypatch.setattr(figure5, "shake", lambda *given, **more: shaken.append(given[:2]) or shake(*given, **more))
    other, policies = one_passes.shake(1), mualem2001.policies((LIKELY, RESTORED))
    logs = [("same", dict.fromkeys((LIKELY, RESTORED), one_passes)), ("other", {LIKELY: one_passes, RESTORED: other})]
    found = figure5.of_logs([*logs, ("as filed", {LIKELY: other})], policies, shakes=2)
    assert len(shaken) == len(set(shaken)) == 4  # two workloads by two schedulers
    assert found["same", :, LIKELY].equals(found["same", :, RESTORED])
    assert not found["other", :, LIKELY].equals(found["other", :, RESTORED])
    assert found["as filed"].index.unique("rule").tolist() == [LIKELY]


def test_equal_runs_give_equal_numbers(one_passes):
    one, two = (compared(one_passes, shakes=2) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def made_up(values):
    """Results of two shakes: `values` by (workload, scheduler, rule) hold each metric as it is and shaken."""
    rows = {
        (*key, k, ALL, metric): value
        for key, by_metric in values.items()
        for metric, numbers in ({"jobs": [100] * 3} | by_metric).items()
        for k, value in enumerate(numbers)
    }
    names = ["workload", "scheduler", "rule", "replication", "size_class", "metric"]
    return pd.Series(rows).rename_axis(names)


def test_differences_are_taken_shake_by_shake():
    numbers = {"easy": [0.5, 0.4, 0.6], "conservative": [0.52, 0.44, 0.63]}
    found = made_up({("KTH", scheduler, TEXT): {"backfilled": three} for scheduler, three in numbers.items()})
    table = figure5.compared(found).loc["backfilled", "KTH", TEXT, ALL]
    difference, easy = table.loc["difference"], table.loc["easy"]
    assert difference.ours == pytest.approx(0.02)
    assert 0.03 < difference.low < difference.high < 0.04
    assert easy.high - easy.low > 0.1
    assert difference.jobs == 100


SIMILAR_AND_WORSE = {"backfilled": 1.05, "response_s": 1.2, "bounded_slowdown": 1.1}


def results(sdsc=SIMILAR_AND_WORSE, likely=SIMILAR_AND_WORSE, others=0.99):
    """Made-up results in which conservative has so many times what EASY has; shakes move it by a per cent."""
    values = {}
    for name, (rule, factors) in itertools.product(mualem2001.TRACES, ((TEXT, sdsc), (LIKELY, likely))):
        values[name, "easy", rule] = dict.fromkeys(SIMILAR_AND_WORSE, [0.5, 0.5, 0.5])
        ratio = factors if name == "SDSC" else dict.fromkeys(factors, others)
        noisy = {metric: [0.5 * r, 0.495 * r, 0.505 * r] for metric, r in ratio.items()}
        values[name, "conservative", rule] = noisy
    return made_up(values)


def decided(results):
    return figure5.claim_of_logs(figure5.changes(results))


def parts(results, rule=TEXT):
    """The verdicts on the parts of the claim."""
    return {one["part"]: one["verdict"] for one in decided(results)["readings"][rule]["parts"]}


def test_the_claim_is_reproduced_by_amounts_as_the_paper_describes_them():
    found = decided(results())
    assert [reading["verdict"] for reading in found["readings"].values()] == 3 * [REPRODUCED]
    assert found["sure"] == 1


def test_a_difference_within_the_spread_of_the_shakes_leaves_its_part_untold():
    unclear = results(sdsc=SIMILAR_AND_WORSE | {"bounded_slowdown": 1.001})
    found = parts(unclear)
    assert found.pop("SDSC bounded slowdown") == INCONCLUSIVE
    assert set(found.values()) == {HOLDS}
    assert set(parts(unclear, LIKELY).values()) == {HOLDS}


def test_the_log_on_which_the_amounts_differ_most_decides_whether_they_are_similar():
    found = decided(results(others=0.85))["readings"][TEXT]["parts"][0]
    assert (found["part"], found["on"], found["verdict"]) == ("similar", "CTC", HOLDS_NOT)
    assert found["value"] == pytest.approx(-0.15)


def test_each_part_is_denied_where_conservative_has_less():
    better = {"backfilled": 0.9, "response_s": 0.9, "bounded_slowdown": 0.9}
    assert set(parts(results(sdsc=better, others=0.8)).values()) == {HOLDS_NOT}


def test_the_printed_table_has_the_performance_and_not_the_amounts():
    assert parts(results(), PRINTED) == {"SDSC response time": HOLDS, "SDSC bounded slowdown": HOLDS}


def test_without_sdsc_or_shakes_the_claim_cannot_be_tested(one_passes):
    assert decided(results().drop("SDSC", level="workload"))["verdict"] == UNTESTED
    assert decided(results().drop([1, 2], level="replication"))["verdict"] == UNTESTED
    made = figure5.of_logs([of_rules(one_passes)], mualem2001.policies(), shakes=2)
    assert decided(made)["verdict"] == UNTESTED


def test_tables_for_reading_give_every_number_with_its_spread():
    table = figure5.compared(results()).loc["backfilled"].xs(ALL, level="size_class")
    text = figure5.beside(table).loc["SDSC", TEXT]
    assert text.easy == "50.0% (50.0% to 50.0%)"
    assert text.relative == "+5.0% (+4.0% to +6.0%)"
    assert figure5.beside(table, points=True).loc[("SDSC", TEXT), "difference"] == "+2.5 (+2.0 to +3.0)"


def test_pictures_show_every_workload(one_passes):
    found = figure5.of_logs([of_rules(one_passes, name) for name in "ab"], mualem2001.policies(), shakes=2)
    shares = figure5.compared(found).loc["backfilled"]
    figure = figure5.amounts_drawn(shares.xs(ALL, level="size_class"))
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["a", "b"]
    figure = figure5.drawn_by_size(named(shares.drop(ALL, level="size_class")))
    assert [ax.get_title() for ax in figure.axes] == ["a", "b", "", ""]
    assert [text.get_text() for text in figure.axes[2].get_xticklabels()] == ["1", "2", "3-4"]
    plots.plt.close("all")


@pytest.mark.slow
def test_on_sdsc_conservative_backfills_more(log):
    log("SDSC-SP2")
    (trace,), _ = mualem2001.traces(["SDSC"])
    relative = compared(trace.workload, shakes=2).loc["backfilled"].xs((ALL, "relative"), level=("size_class", "of"))
    assert (relative.low > 0.03).all() and (relative.high < 0.1).all()
