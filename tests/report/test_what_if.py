"""Cases that differ in the machine or the jobs: what is asked is what is simulated, and who takes part is counted."""

import re

import numpy as np
import pytest

import simlib
from simlib import EASY, FCFS, Conservative, SlurmBackfill, Workload, compare, replicate
from simlib.analysis import cases
from simlib.core.estimates import Scaled
from simlib_report.what_if import ADJUSTED, FORMS, what_if


@pytest.fixture(scope="module")
def sample():
    return simlib.load("sample")


def wait_of(found, case, by="all", group="all"):
    """The row of the mean wait."""
    return found.table.loc[case, by, group, "wait", "mean"]


@pytest.mark.parametrize(
    "text, procs",
    [
        ("512", 512),
        ("+20%", 154),
        ("-20%", 102),
        ("+64", 192),
        ("-64", 64),
        ("+0%", 128),
        ("+50.0%", None),
        ("20%", None),
    ],
)
def test_a_machine_has_the_size_that_is_asked_for(sample, text, procs):
    if procs is None:
        with pytest.raises(ValueError, match="what if: found 'procs .*, expected one of these.*:\n  procs 512 "):
            what_if(f"procs {text}")
    else:
        name, case = what_if(f"  procs   {text}")
        assert name == f"procs {text}" and cases.made(sample, name, case).workload.procs == procs


def test_a_limit_cuts_jobs_or_refuses_them():
    w = Workload.of("three", 4, A=(0, 90, 100, 3), B=(1, 50, 100, 2), C=(2, 5, 60, 1))
    cut, refused = (cases.made(w, *what_if(f"limit 1min {how}")).workload.jobs for how in ("cut", "refuse"))
    assert cut[["run", "estimate"]].to_numpy().tolist() == [[60, 60], [50, 60], [5, 60]]
    assert refused.index.to_list() == ["C"]


@pytest.mark.parametrize(
    "length, seconds", [("12h", 43200), ("2 days", 172800), ("1.5 hours", 5400), ("90min", 5400), ("30 s", 30)]
)
def test_times_have_units(length, seconds):
    assert what_if(f"limit {length} cut")[1][1].keywords["seconds"] == seconds


def test_estimates_and_options_of_the_policy_are_those_that_are_asked_for():
    assert what_if("estimates exact", FCFS())[1] == (FCFS(), "exact")
    assert what_if("estimates x2")[1] == (EASY(), Scaled(2))
    assert what_if("reservations 5", EASY(order="sjf"))[1] == EASY(order="sjf", reservations=5)
    assert what_if("adjusted")[1] == EASY(adjust=ADJUSTED)


@pytest.mark.parametrize(
    "text, option",
    [
        ("depth 100", {"depth": 100}),
        ("window 1 day", {"window": 86400}),
        ("resolution 300", {"resolution": 300}),
        ("interval 90", {"interval": 90}),
        ("per user 5", {"per_user": 5}),
        ("user jobs 10", {"user_jobs": 10}),
        ("user procs 512", {"user_procs": 512}),
    ],
)
def test_an_option_of_slurm_changes_what_is_set_and_any_other_base_becomes_slurms(text, option):
    assert what_if(text, SlurmBackfill(reservations=7))[1] == SlurmBackfill(reservations=7, **option)
    assert what_if(text, EASY(order="sjf"))[1] == SlurmBackfill(order="sjf", **option)
    assert what_if("reservations 5", SlurmBackfill(**option))[1] == SlurmBackfill(reservations=5, **option)


def test_one_question_is_put_after_another():
    _, refused = what_if("limit 1h refuse", (EASY(), "exact"))
    _, case = what_if("reservations 2", what_if("procs +4", refused)[1])
    w = Workload.of("two", 4, A=(0, 3000, 9000, 3), B=(1, 4000, 9000, 2))
    made = cases.made(w, "all", case)
    assert (made.policy, made.workload.procs, made.workload.jobs.index.to_list()) == (EASY(reservations=2), 8, ["A"])


@pytest.mark.parametrize(
    "text",
    ["", "more", "procs", "procs many", "limit 12 cut", "limit 12h", "limit 0h cut", "limit 9 parsecs cut", "estimates"]
    + ["estimates 2", "estimates x0", "reservations", "reservations -1", "adjusted twice", "window", "depth ten"],
)
def test_another_question_is_refused_with_all_that_can_be_asked(text):
    with pytest.raises(ValueError, match=f"what if: found {re.escape(repr(text))}, expected one of these") as error:
        what_if(text)
    assert all(form in str(error.value) for form in FORMS)


@pytest.mark.parametrize("text", ["adjusted", "reservations 3"])
def test_what_only_easy_can_do_is_refused_with_another_policy(text):
    with pytest.raises(ValueError, match=f"what if: found '{text}' with Conservative.*, expected EASY"):
        what_if(text, Conservative())


# Compared


def test_twice_the_machine_brings_what_can_be_worked_out_by_hand():
    """Ten pairs of jobs, each as large as the machine: the second one waits, and on twice the machine nobody does."""
    rows = {f"{n}{place}": (1000 * n, 100, 100, 4) for n in range(10) for place in "ab"}
    found = compare(Workload.of("pairs", 4, **rows), {"EASY": EASY()} | dict([what_if("procs 8")]), shakes=4, seconds=0)
    row = wait_of(found, "procs 8")
    assert (row.base, row.value, row.coincidence_low, row.coincidence_high) == (50, 0, -50, -50)
    assert found.taking_part.loc["procs 8"].to_list() == [20, 0, 0, 0]


def test_the_same_machine_is_equal_and_a_larger_one_better(sample):
    found = compare(sample, {"EASY": EASY()} | dict(map(what_if, ("procs 128", "procs +20%"))), shakes=4)
    assert set(found.who("procs 128", "size").holds) == {"equal"}
    larger = found.relative.loc["procs +20%", "all", "all", "wait", "mean"]
    assert larger.difference < -0.5 and larger.coincidence_high < 0
    assert found.policies["procs +20%"] == "EASY(), on 154 processors instead of 128"


def test_the_difference_is_of_the_jobs_that_take_part_in_both_each_shaken_alike(sample):
    limit = 4 * 3600
    short = (sample.jobs.estimate <= limit).to_numpy()
    questions = dict(map(what_if, ("limit 4h refuse", "limit 4h cut")))
    found = compare(sample, {"EASY": EASY()} | questions, shakes=4, by=["size"])
    logs = [sample, *(sample.shake(60, seed) for seed in range(4))]
    for side, waits in (
        ("base", [simlib.simulate(w, EASY()).jobs.wait for w in logs]),
        ("value", [simlib.simulate(w.select(w.jobs.estimate <= limit), EASY()).jobs.wait for w in logs]),
    ):
        mean = np.mean([each.loc[sample.jobs.index[short]].mean() for each in waits])
        assert wait_of(found, "limit 4h refuse")[side] == pytest.approx(mean)
    assert wait_of(found, "limit 4h refuse").jobs == short.sum()
    shorter = (sample.jobs.run > limit).sum()
    assert found.taking_part.to_numpy().tolist() == [[short.sum(), (~short).sum(), 0, 0], [6000, 0, 0, shorter]]
    assert f"limit 4h refuse: {short.sum():,} jobs compared; {(~short).sum():,} take part under EASY only" in repr(
        found
    )
    assert f"{shorter:,} run shorter than under EASY" in found._repr_html_()


def test_where_the_base_has_fewer_jobs_the_others_are_counted_and_groups_without_a_pair_are_named(sample):
    few = {"small": (EASY(), lambda w: w.select(w.jobs.procs <= 8)), "all": EASY()}
    found = compare(sample, few, shakes=4, by=["size"], users=5)
    small = (sample.jobs.procs <= 8).sum()
    assert found.taking_part.loc["all"].to_list() == [small, 0, 6000 - small, 0]
    assert set(found.overview("size").loc["all", "65-128", "mean wait"]) == {"no job"}
    assert "65-128" not in found.who(by="size").index and found.who(by="size").jobs.sum() == small
    assert wait_of(found, "all").difference > 0


def test_cases_are_replicated_over_their_own_jobs(sample):
    questions = {"EASY": EASY()} | dict([what_if("limit 4h refuse")]) | {"exact": (EASY(), "exact")}
    runs = replicate(sample, questions, shakes=1, measures=["mean_wait", "jobs"])
    shaken = sample.shake(60, 0)
    for name, w in (
        ("EASY", shaken),
        ("limit 4h refuse", shaken.select(shaken.jobs.estimate <= 4 * 3600)),
        ("exact", shaken.with_estimates("exact")),
    ):
        summary = simlib.simulate(w, EASY()).summary()
        assert runs.loc[(name, 1)].to_list() == [summary.mean_wait, summary.jobs]
    assert replicate(sample, questions["exact"], shakes=1).equals(
        replicate(sample, EASY(), estimates="exact", shakes=1)
    )
