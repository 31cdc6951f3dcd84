"""`replicate` gives what simulations one by one give, and reads what is kept."""

from threading import Lock

import numpy as np
import pandas as pd
import pytest
from helpers import random_workload

from simlib import EASY, FCFS, Conservative, OwnPolicy, Schedule, estimates, replicate, simulate
from simlib._util import cache
from simlib.analysis import replicate as module
from simlib.core.metrics import bounded_slowdown
from simlib.models import feitelson96
from simlib.models.sample import sample

POLICIES = {"EASY": EASY(), "FCFS": FCFS()}


@pytest.fixture(scope="module")
def busy():
    return sample().select("submit < 864000")


@pytest.fixture(scope="module")
def few(busy):
    return busy.select("submit < 86400")


@pytest.fixture
def simulated(monkeypatch, tmp_path):
    """The schedules that were made, in a folder in which nothing is kept yet."""
    seen = []
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    monkeypatch.setattr(module, "simulate", lambda *given: seen.append(given) or simulate(*given))
    return seen


def test_run_0_is_the_log_as_it_is_and_each_other_the_log_shaken_with_its_own_seed(busy):
    runs = replicate(busy, EASY(), shakes=2, seconds=30, seed=5)
    expected = [simulate(w, EASY()).summary() for w in (busy, busy.shake(30, 5), busy.shake(30, 6))]
    assert runs.index.tolist() == [0, 1, 2] and runs.index.name == "run"
    assert runs.mean_wait.tolist() == [each.mean_wait for each in expected]
    used = replicate(busy, EASY(), shakes=2, seconds=30, seed=5, measures=["utilization"]).utilization
    assert used.tolist() == [each.utilization for each in expected]
    alone = replicate(busy, EASY(), shakes=2, seconds=30, seed=5, as_it_is=False)
    pd.testing.assert_frame_equal(alone, runs.drop(0))


def test_every_combination_has_the_numbers_that_it_has_alone(busy):
    logs, kinds, loads = {"a": busy, "b": random_workload(3)}, {"users'": None, "exact": "exact"}, [0.6, 0.9]
    runs = replicate(logs, POLICIES, estimates=kinds, loads=loads, shakes=1)
    assert list(runs.index.names) == ["log", "estimates", "load", "policy", "run"] and len(runs) == 2**5
    for log, kind, load, policy in runs.index.droplevel("run").unique():
        workload = logs[log].with_estimates(kinds[kind] or "user").scale_load(load)
        for run, each in enumerate((workload, workload.shake(60, 0))):
            wait = simulate(each, POLICIES[policy]).column("wait").mean()
            assert runs.mean_wait[log, kind, load, policy, run] == pytest.approx(wait)


def test_a_level_is_there_only_where_several_were_given(busy):
    assert list(replicate(busy, POLICIES, shakes=0).index.names) == ["policy", "run"]
    assert list(replicate(busy, EASY(), loads=[0.7], shakes=0).index.names) == ["load", "run"]
    assert list(replicate(busy, EASY(), loads=0.7, estimates="exact", shakes=0).index.names) == ["run"]
    named_by_pairs = replicate(busy, {("easy", "text"): EASY()}, shakes=0)
    assert named_by_pairs.index.get_level_values("policy").tolist() == [("easy", "text")]


def test_a_draw_hangs_on_the_seed_of_its_run(busy):
    def half(seed):
        return busy.select(np.arange(len(busy)) < len(busy) // 2 + seed)

    runs = replicate(half, EASY(), shakes=2, seed=5, measures=["jobs"])
    assert runs.jobs.tolist() == [len(busy) // 2 + seed for seed in (5, 5, 6)]
    drawn = replicate(busy, EASY(), estimates=estimates.Uniform(4), shakes=2, seconds=0)
    assert drawn.mean_wait[1] == drawn.mean_wait[0] != drawn.mean_wait[2]


def test_jobs_are_divided_by_month_and_other_ways(busy):
    schedule = simulate(busy, EASY())
    months = replicate(busy, EASY(), by="month", shakes=0, measures=["jobs", "mean_wait"])
    expected = schedule.by_month()
    assert months.index.get_level_values("month").tolist() == expected.index.tolist()
    assert months.jobs.tolist() == expected.jobs.tolist()
    assert months.mean_wait.tolist() == pytest.approx(expected.mean_wait.tolist())
    users = replicate(busy, EASY(), by="user", shakes=0, measures=["mean_wait"]).mean_wait.loc[0]
    expected = schedule.jobs.groupby("user").wait.mean()
    assert users.tolist() == pytest.approx(expected.tolist()) and list(users.index) == [str(u) for u in expected.index]
    wide = replicate(busy, EASY(), by=lambda s: s.column("procs") > 8, shakes=0, measures=["mean_wait"])
    assert wide.mean_wait[0, True] == pytest.approx(schedule.jobs.wait[schedule.jobs.procs > 8].mean())


def test_what_is_given_for_each_job_is_matched_by_index_or_is_in_order(busy):
    schedule = simulate(busy, EASY())
    expected = schedule.jobs.groupby("user").wait.mean()
    forms = {"array": lambda s: s.column("wait"), "list": lambda s: s.column("wait").tolist()}
    forms |= {"Series": lambda s: s.jobs.wait, "moved": lambda s: s.jobs.wait.sort_values()}
    forms |= {"more": lambda s: pd.concat([s.jobs.wait, pd.Series({-1: 10**9})]).sample(frac=1, random_state=1)}
    found = replicate(busy, EASY(), shakes=0, measures=forms, by=lambda s: s.jobs.sort_values("wait").user).loc[0]
    for form in forms:
        assert found[form].tolist() == pytest.approx(expected.tolist())


def test_estimates_are_the_same_function_here_and_for_one_workload(busy):
    def drawn(jobs, rng):
        return (jobs.run * rng.uniform(1, 3, len(jobs))).round().sample(frac=1, random_state=1)

    models = {"function": drawn, "model": estimates.Uniform(3), "seeded": estimates.Uniform(3, seed=7)}
    found = replicate(busy, EASY(), estimates=models, shakes=1, seconds=0, seed=5, measures=["estimate"]).estimate
    for name, model in models.items():
        alone = [busy.with_estimates(model, seed).jobs[["estimate", "run"]].max(axis=1).mean() for seed in (5, 5)]
        assert found[name].tolist() == pytest.approx(alone)
    more = replicate(busy, EASY(), estimates=models, shakes=2, seconds=0, seed=5, measures=["estimate"]).estimate
    assert [more[name].nunique() for name in models] == [2, 2, 1]
    case = replicate(busy, (EASY(), estimates.Uniform(3)), shakes=2, seconds=0, seed=5, measures=["estimate"]).estimate
    assert case.equals(more["model"])


def test_measures_are_names_functions_or_all_at_once(busy):
    schedule = simulate(busy, EASY())
    measures = {
        "slowdown": lambda s: bounded_slowdown(s.column("wait"), s.column("run"), floor=None),
        "longest": lambda s: s.column("wait").max(),
        "makespan": "makespan",
    }
    row = replicate(busy, EASY(), shakes=0, measures=measures).loc[0]
    assert row.slowdown == pytest.approx(schedule.summary(floor=None).mean_bounded_slowdown)
    assert (row.longest, row.makespan) == (schedule.jobs.wait.max(), schedule.summary().makespan)
    table = replicate(busy, EASY(), shakes=1, measures=lambda s: s.by_period([0, 5 * 86400, 10 * 86400]))
    assert table.index.names == ["run", "group"] and len(table) == 4
    assert table.mean_wait[0, 0] == schedule.by_period([0, 5 * 86400]).mean_wait[0]
    killed = replicate(busy, EASY(), shakes=0, overrun="kill", measures=Schedule.summary)
    assert killed.loc[0].equals(simulate(busy, EASY(), "kill").summary().rename(0))


@pytest.mark.slow
def test_jobs_follow_others_where_that_is_asked_for(simulated):
    w = feitelson96.workload(600, seed=1)
    apart, following = (replicate(w, EASY(), shakes=0, feedback=wanted).mean_wait[0] for wanted in (False, True))
    waits = (simulate(w, EASY(), feedback=wanted).summary().mean_wait for wanted in (False, True))
    assert [apart, following] == pytest.approx(list(waits)) and apart != following
    of_seeds = replicate(
        lambda seed: feitelson96.workload(600, seed=seed), EASY(), shakes=1, seconds=0, seed=1, feedback=True
    )
    assert of_seeds.mean_wait.tolist() == [following, following]  # drawn again, not shaken


# What is kept


def test_runs_that_are_kept_are_read_and_only_the_others_are_simulated(busy, simulated):
    first = replicate(busy, EASY(), shakes=2)
    assert len(simulated) == 3
    assert replicate(busy, EASY(), shakes=2).equals(first) and len(simulated) == 3
    both = replicate(busy, {"EASY": EASY(), "conservative": Conservative()}, shakes=2)
    assert len(simulated) == 6 and both.xs("EASY", level="policy").equals(first)
    more = replicate(busy, EASY(), shakes=45)
    assert replicate(busy, EASY(), shakes=60).loc[:45].equals(more)
    assert len(simulated) == 6 + 45 + 20  # the last 5 of 45 are no whole block


@pytest.mark.parametrize(
    "other",
    [
        {"seconds": 30},
        {"seed": 1},
        {"overrun": "kill"},
        {"loads": 0.7},
        {"estimates": "exact"},
        {"by": "user"},
        {"measures": ["jobs"]},
        {"measures": {"wait": lambda s: 2 * s.column("wait")}},
        {"policies": EASY(reuse_extra=True)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_other_settings_have_runs_of_their_own(busy, simulated, other):
    settings = {"policies": EASY(), "shakes": 1} | other
    kept = replicate(busy, EASY(), shakes=1)
    again = replicate(busy, **settings)
    assert not again.equals(kept) or "overrun" in other
    assert len(simulated) == 4 - ("seed" in other)  # run 0 of a log that draws nothing is the same


def test_a_damaged_file_is_made_anew(busy, simulated, tmp_path):
    first = replicate(busy, EASY(), shakes=1)
    for path in tmp_path.rglob("*.pickle"):
        path.write_bytes(path.read_bytes()[:-1])
    assert replicate(busy, EASY(), shakes=1).equals(first) and len(simulated) == 4


def test_of_a_policy_that_cannot_be_told_from_another_nothing_is_kept(busy, simulated, tmp_path):
    class Holder:
        def __init__(self):
            self.lock = Lock()

        def __call__(self, queue, machine):
            return queue[:1] if queue[0].procs <= machine.free else []

        def __deepcopy__(self, memo):
            return Holder()

    few = busy.select(np.arange(len(busy)) < 5)
    assert len(replicate(few, OwnPolicy(Holder()), shakes=1)) == 2 and list(tmp_path.rglob("*.pickle")) == []


# What is refused


NAN = float("nan")

REFUSED = {
    "shakes": [-1, 2.5, True, "2", None],
    "seconds": [-1, 1.5, True, 10**10, NAN],
    "seed": [-1, 2.5, True, "2"],
    "feedback": ["no", 1, None],
    "as_it_is": [1],
    "keep": ["no"],
    "by": ["colour", "", True, ["user"], {}, NAN],
    "measures": [[], {}, "mean_wait", ["wait", "wait"], [3], [["wait"]], {"wait": None}, True, NAN],
    "loads": [[], [0.7, 0.7], [0.7, NAN], [[0.7]], "0.7", ["0.7"], 0, True],
    "estimates": [{}, "perfect", {"x": "perfect"}, [None], estimates.Uniform, max],
    "logs": [{}, None, "KTH-SP2", {"a": "KTH-SP2"}, [1], FCFS],
    "policies": [{}],
    "overrun": ["stop", True],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values])
def test_a_setting_that_cannot_be_meant_is_refused_by_name(few, name, value):
    with pytest.raises(ValueError, match=f"{name}.*found |found {name}=|{name}: found "):
        replicate(**{"logs": few, "policies": EASY(), "shakes": 1} | {name: value})


TOGETHER = [
    ({"measures": ["mean_weight"]}, "mean_weight"),
    ({"measures": ["makespan"], "by": "user"}, "makespan"),
    ({"measures": Schedule.summary, "by": "user"}, "by='user'"),
    ({"shakes": 0, "as_it_is": False}, "shakes=0"),
    ({"logs": lambda seed: None}, "seed 0.*None"),
]


@pytest.mark.parametrize(("settings", "named"), TOGETHER)
def test_settings_that_do_not_go_together_are_refused_by_name(few, settings, named):
    with pytest.raises(ValueError, match=f"(?s){named}"):
        replicate(**{"logs": few, "policies": EASY(), "shakes": 1} | settings)


ONE_OF_EACH = {
    "the first jobs": lambda s: s.jobs.wait.head(3),
    "an array of the first jobs": lambda s: s.column("wait")[:3],
    "a column": lambda s: s.jobs[["wait"]],
    "twice": lambda s: pd.concat([s.jobs.wait, s.jobs.wait]),
    "jobs of another log": lambda s: s.jobs.wait.set_axis(range(-len(s.jobs), 0)),
    "a dict": lambda s: {"wait": 1},
    "texts": lambda s: ["a"] * len(s.jobs),
    "a text": lambda s: "a",
    "nothing": lambda s: None,
    "a complex number": lambda s: 1j,
}


@pytest.mark.parametrize("function", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
@pytest.mark.parametrize("by", [None, "user"])
def test_a_measure_that_is_no_number_for_each_job_is_refused_by_name(few, function, by):
    with pytest.raises(ValueError, match="measures: mine: found"):
        replicate(few, EASY(), shakes=0, measures={"mine": function}, by=by)


@pytest.mark.parametrize("function", [one for name, one in ONE_OF_EACH.items() if name != "texts"])
def test_groups_that_are_none_of_each_job_are_refused_by_name(few, function):
    with pytest.raises(ValueError, match="by: found"):
        replicate(few, EASY(), shakes=0, by=function)


ALL_AT_ONCE = {
    "a number": lambda s: 1,
    "nothing": lambda s: None,
    "an array": lambda s: s.column("wait"),
    "one for each job": lambda s: s.jobs.wait,
    "a level of ours": lambda s: s.by_period([0, 1]).rename_axis("run"),
    "a level without a name": lambda s: s.by_period([0, 1]).set_axis(pd.MultiIndex.from_tuples([(1, 2)])),
}


@pytest.mark.parametrize("function", ALL_AT_ONCE.values(), ids=ALL_AT_ONCE)
def test_what_is_no_table_of_measures_is_refused(few, function):
    with pytest.raises(ValueError, match="measures: found"):
        replicate(few, EASY(), shakes=0, measures=function)
