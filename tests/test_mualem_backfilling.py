"""Figure 5 of Mu'alem & Feitelson: how many jobs are backfilled, of which sizes, and the verdict on claim MF-16."""

import itertools

import numpy as np
import pandas as pd
import pytest

import simlib
from simlib import EASY, papers, plots
from simlib.papers import mualem2001
from simlib.papers.mualem2001 import backfilling, pictures
from simlib.papers.mualem2001.backfilling import QUANTITIES, RECORDED
from simlib.papers.mualem2001.distributions import ALL, named

plots.plt.switch_backend("Agg")


@pytest.fixture
def one_passes(workload):
    """On four processors, a job of three runs, one of four waits, and one of a single processor passes it."""
    return workload([(0, 10, 10, 3), (1, 10, 10, 4), (2, 5, 5, 1), (3, 5, 5, 2)], 4)


def test_the_amount_is_the_share_of_jobs_that_passed_a_waiting_one(one_passes):
    table = backfilling.amounts(one_passes, {"easy": EASY()}).loc["easy"]
    assert table.index.tolist() == [ALL, 1, 2, 4]
    assert table.jobs.tolist() == [4, 1, 1, 2]
    assert table.backfilled.tolist() == [0.25, 1, 0, 0]
    assert table.backfilled_work[ALL] == 5 / (30 + 40 + 5 + 10)
    assert table.size_ratio[ALL] == 1 / 2.5
    assert np.isnan(table.size_ratio[2])
    assert table.response_s[ALL] == (10 + 19 + 5 + 22) / 4


def test_amounts_agree_with_the_summary_of_a_schedule():
    w = simlib.load("sample")
    for policy in mualem2001.policies().values():
        table = backfilling.amounts(w, {"any": policy}).loc["any"]
        summary = simlib.simulate(w, policy).summary()
        assert table.backfilled[ALL] == pytest.approx(summary.backfilled_share)
        assert table.response_s[ALL] == pytest.approx(summary.mean_response)
        sizes = table.drop(ALL)
        assert sizes.jobs.sum() == len(w)
        assert (sizes.backfilled * sizes.jobs).sum() / len(w) == pytest.approx(summary.backfilled_share)


def test_all_schedulers_get_the_same_shakes(one_passes):
    rules = {name: EASY() for name in mualem2001.policies()}
    results = backfilling.runs([("made", one_passes)], shakes=3, shake_s=5, rules=rules)
    assert results.index.unique("seed").tolist() == [RECORDED, 1, 2, 3]
    table = backfilling.compared(results, "response_s")
    assert (table[["difference", "difference_low", "difference_high"]] == 0).all(axis=None)
    assert (table.easy_low < table.easy_high).any()


def test_equal_runs_give_equal_numbers(one_passes):
    one, two = (backfilling.runs([("made", one_passes)], shakes=2) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def made_up(values, quantities=QUANTITIES):
    """What `runs` gives, of two shakes: `values` by (workload, scheduler) hold each quantity as recorded and shaken."""
    index = ["workload", "seed", "scheduler", "size_class"]
    rows = [
        (name, seed, scheduler, ALL, 100, *[values[name, scheduler][quantity][k] for quantity in quantities])
        for name, scheduler in values
        for k, seed in enumerate((RECORDED, 1, 2))
    ]
    return pd.DataFrame(rows, columns=[*index, "jobs", *quantities]).set_index(index)


def test_differences_are_taken_shake_by_shake():
    easy, conservative = [0.5, 0.4, 0.6], [0.52, 0.44, 0.63]
    values = {}
    for name, numbers in (("easy", easy), ("conservative", conservative)):
        for suffix in ("", "_variant"):
            values["KTH", name + suffix] = dict.fromkeys(QUANTITIES, numbers)
    row = backfilling.compared(made_up(values)).loc["KTH", "followed", ALL]
    assert row.difference == pytest.approx(0.02)
    assert 0.03 < row.difference_low < row.difference_high < 0.04
    assert row.easy_high - row.easy_low > 0.1


SIMILAR_AND_WORSE = {"backfilled": 1.05, "response_s": 1.2, "bounded_slowdown": 1.1}


def results(sdsc=SIMILAR_AND_WORSE, variant=SIMILAR_AND_WORSE, others=0.99):
    """Made-up results in which conservative has so many times what EASY has; shakes move it by a per cent."""
    values = {}
    for name, (suffix, factors) in itertools.product(mualem2001.TRACES, (("", sdsc), ("_variant", variant))):
        values[name, f"easy{suffix}"] = dict.fromkeys(QUANTITIES, [0.5, 0.5, 0.5])
        ratio = {quantity: factors.get(quantity, 1) if name == "SDSC" else others for quantity in QUANTITIES}
        noisy = {quantity: [0.5 * r, 0.495 * r, 0.505 * r] for quantity, r in ratio.items()}
        values[name, f"conservative{suffix}"] = noisy
    return made_up(values)


def verdict(results):
    return backfilling.claims(backfilling.totals(results))[0]["verdict"]


def test_the_claim_is_reproduced_by_amounts_as_the_paper_describes_them():
    assert verdict(results()) == papers.REPRODUCED


def test_a_difference_within_the_spread_of_the_shakes_bears_out_only_part_of_the_claim():
    unclear = SIMILAR_AND_WORSE | {"bounded_slowdown": 1.001}
    assert verdict(results(sdsc=unclear)) == papers.PARTLY
    assert verdict(results(variant=unclear)) == papers.PARTLY


def test_amounts_that_differ_by_more_than_a_tenth_are_not_similar():
    assert verdict(results(others=0.85)) == papers.PARTLY
    better = {"backfilled": 0.9, "response_s": 0.9, "bounded_slowdown": 0.9}
    assert verdict(results(sdsc=better, variant=better, others=0.8)) == papers.NOT


def test_the_evidence_names_other_logs_on_which_conservative_backfills_more():
    (found,) = backfilling.claims(backfilling.totals(results(others=1.04)))
    assert "conservative clearly backfills more on CTC, KTH, Par, CM5 too" in found["evidence"]


def test_without_sdsc_or_shakes_the_claim_cannot_be_tested(one_passes):
    assert verdict(results().drop("SDSC", level="workload")) == papers.UNTESTED
    assert verdict(results().drop([1, 2], level="seed")) == papers.UNTESTED
    assert verdict(backfilling.runs([("sample", one_passes)], shakes=2)) == papers.UNTESTED


def test_tables_for_reading_give_every_number_with_its_spread():
    table = backfilling.totals(results()).loc["backfilled"]
    text = backfilling.beside(table).loc["SDSC", "followed"]
    assert text.easy == "50.0% (50.0% to 50.0%)"
    assert text.difference == "+5.0% (+4.0% to +6.0%)"
    assert backfilling.beside(table, points=True).loc[("SDSC", "followed"), "points"] == "+2.5 (+2.0 to +3.0)"


def test_pictures_show_every_workload(one_passes):
    found = backfilling.runs([("a", one_passes), ("b", one_passes)], shakes=2)
    figure = pictures.backfilled_amounts(backfilling.totals(found).loc["backfilled"])
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["a", "b"]
    by_size = named(backfilling.compared(found).drop(ALL, level="size_class"))
    figure = pictures.backfilled_by_size(by_size)
    assert [ax.get_title() for ax in figure.axes] == ["a", "b", "", ""]
    assert [text.get_text() for text in figure.axes[2].get_xticklabels()] == ["1", "2", "3-4"]
    plots.plt.close("all")


def test_on_sdsc_conservative_backfills_more(log):
    log("SDSC-SP2")
    (trace,), _ = mualem2001.traces(["SDSC"])
    share = backfilling.compared(backfilling.runs([("SDSC", trace.workload)], shakes=2))
    whole = share.xs(ALL, level="size_class")
    assert (whole.relative_low > 0.03).all() and (whole.relative_high < 0.1).all()
