"""What the package gives out is a copy or read-only: no caller changes what others get."""

from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

import simlib
from simlib import EASY, Predictions, Workload, simulate
from simlib.core.estimates import Historical
from simlib.logs.swf import FIELDS, jobs_of
from simlib.models import feitelson96, jann97, twin
from simlib.policies.adjusting import Adjustment, Scheme

LOG = pd.DataFrame(-1, index=[1, 2, 3], columns=FIELDS).assign(
    job=[1, 2, 3], submit=[0, 90, 95], run=60, procs=[4, 4, 9], user=[1, 2, 1], preceding=[-1, 1, -1], think=[-1, 9, -1]
)
W = Workload(jobs_of(LOG), 8, log=LOG, start="1996-10-01", source={"file": "a.swf", "found": ["x"]}, header=["one"])
S = simulate(W, EASY(adjust=Predictions()))
COLUMNS = [*S.names]

INSIDE = {
    "jobs": lambda: W.jobs,
    "log": lambda: W.log,
    "dropped": lambda: W.dropped,
    "ends": lambda: W.ends,
    "source": lambda: W.source,
    "source of a derived workload": lambda: W.select("procs > 3").source,
    "source of a part": lambda: W.source["found"],
    "followed, places": lambda: W.followed()[0],
    "followed, seconds": lambda: W.followed()[1],
    "months": lambda: W.month_starts(0, 10**7)[0],
    "edges of months": lambda: W.month_starts(0, 10**7)[1],
    "schedule": lambda: S.jobs,
    "part of a schedule": lambda: S.between(0, 10**6),
    "shadow": lambda: S.shadow,
    "means": lambda: S.means(),
    "names": lambda: S.names,
    **{f"column {name}": lambda name=name: S.column(name) for name in COLUMNS},
    "numbers of Feitelson's model": feitelson96.table,
    "part of these": lambda: feitelson96.table()["size"]["general"],
    "numbers of Jann's model": jann97.table,
    "numbers of a twin": lambda: twin.parameters("SDSC-Par-96")["months"],
}


def spoil(value):
    """Write into whatever it is, as far as it lets anybody."""
    if isinstance(value, pd.Series | pd.DataFrame):
        arrays = [value.to_numpy()] if isinstance(value, pd.Series) else [value[name].to_numpy() for name in value]
        for array in arrays:
            spoil(array)
        value.iloc[0] = value.iloc[-1]
        value[:] = value.iloc[-1]
    elif isinstance(value, np.ndarray):
        with suppress(ValueError):  # read-only
            value[:] = value[-1] if value.dtype == object else 77
    elif isinstance(value, dict):
        for key in list(value):
            value[key] = None
        value["more"] = 1
    else:
        value.append("more")
        value[0] = None


@pytest.mark.parametrize("give", INSIDE.values(), ids=INSIDE)
def test_writing_into_what_is_given_out_changes_nothing_for_the_next(give):
    before = repr(give())
    spoil(give())
    assert repr(give()) == before


def test_a_workload_and_a_policy_keep_the_numbers_that_they_were_made_of():
    numbers = {name: np.array([0, 5]) for name in ("submit", "run", "procs", "estimate", "user", "end", "group")}
    numbers["procs"][:] = 1
    table, log = pd.DataFrame(numbers, copy=False), pd.DataFrame(numbers, copy=False)
    source = {"file": "a.swf", "more": [1]}
    w = Workload(table, 4, log=log, source=source)
    derived = w.derive(table, "the same")
    policies = [EASY(adjust=Predictions(past=table)), EASY(adjust=Adjustment(Scheme("user", least=1), past=table))]
    before = [repr(one) for one in (w.jobs, w.log, w.source, derived.jobs)]
    starts = [simulate(w, policy).jobs.adjusted.tolist() for policy in policies]
    for column in numbers.values():
        column[:] = 1
    table["run"], source["more"][0] = 7, 2
    assert [repr(one) for one in (w.jobs, w.log, w.source, derived.jobs)] == before
    assert [simulate(w, policy).jobs.adjusted.tolist() for policy in policies] == starts


# A Series beside jobs is matched by its index, anything else by its order

NAMED = Workload.of("named", 4, A=(0, 10, 20, 1), B=(1, 10, 20, 2), C=(2, 10, 20, 3))
VALUES = pd.Series({"A": 7, "B": 8, "C": 9})


class Column:
    """A policy that starts jobs as FCFS does, and returns what it is told beside."""

    def __init__(self, **columns):
        self.columns = columns

    def schedule(self, submit, run, estimate, procs, machine):
        return {"start": np.array([0, 1, 11])} | self.columns


def at(values):
    """The present use, from sizes beside starts and ends by job."""
    times = pd.Series({"A": 0, "B": 20, "C": 40})
    return (simlib.metrics.utilization(times, times + 10, values, 10)[1] * 10).round().astype(int)[::2].tolist()


def historical(ends):
    jobs = NAMED.jobs.assign(submit=[0, 100, 200], run=[10, 20, 30], user=1, app=1, procs=1)
    return Historical(0, ends=ends).past(jobs)["runs"].astype(int).tolist()


def known(ends):
    jobs = NAMED.jobs.assign(submit=[0, 100, 200], run=[10, 20, 30], user=1)
    return simlib.policies.adjusting.adjusted(jobs, ends, Scheme("user", least=1)).t_sched.tolist()


BESIDE = {
    "select": (lambda given: NAMED.select(given > 7).jobs.index.tolist(), ["B", "C"]),
    "with_estimates": (lambda given: NAMED.with_estimates(lambda *_: given).jobs.estimate.tolist(), [7, 8, 9]),
    "column of one's own policy": (lambda given: simulate(NAMED, Column(mine=given)).jobs.mine.tolist(), [7, 8, 9]),
    "starts": (lambda given: simulate(NAMED, Column(start=100 * given)).jobs.start.tolist(), [700, 800, 900]),
    "flags": (
        lambda given: simulate(NAMED, Column(backfilled=given > 8)).jobs.backfilled.tolist(),
        [False, False, True],
    ),
    "utilization": (at, [7, 8, 9]),
    "ends, for a history": (lambda given: historical(100 * given - 690), [0, 1, 2]),
    "ends, for adjustments": (lambda given: known(100 * given - 690), [20, 10, 18]),
    "slowdown": (lambda given: simlib.metrics.slowdown(VALUES, given).tolist(), [2, 2, 2]),
    "bounded_slowdown": (lambda given: simlib.metrics.bounded_slowdown(VALUES, given, 1).tolist(), [2, 2, 2]),
    "used": (lambda given: simlib.policies.adjusting.used(VALUES, given).tolist(), [1, 1, 1]),
    "accuracy": (lambda given: simlib.policies.adjusting.accuracy(VALUES, given).tolist(), [1, 1, 1]),
    "t_sched": (lambda given: simlib.policies.adjusting.t_sched(VALUES, given * 1.0).tolist(), [49, 64, 81]),
}


@pytest.mark.parametrize("use, right", BESIDE.values(), ids=BESIDE)
def test_a_series_beside_jobs_is_matched_by_its_index_or_refused(use, right):
    assert use(VALUES) == right
    assert use(VALUES[["C", "A", "B"]]) == right
    assert use(pd.concat([VALUES, pd.Series({"D": 4})])[::-1]) == right  # one of more jobs
    for wrong, job in (
        (VALUES[:2], "C"),
        (pd.concat([VALUES, VALUES])[::-1], "several"),
        (VALUES.reset_index(drop=True), "A"),
    ):
        with pytest.raises(ValueError, match=rf"found .*{job}"):
            use(wrong)


@pytest.mark.parametrize("use, right", [row for name, row in BESIDE.items() if not name.startswith("ends")])
def test_an_array_beside_jobs_is_taken_by_its_order(use, right):
    assert use(VALUES.to_numpy()) == right


@pytest.mark.parametrize(
    "which",
    [
        [2, 0, 1],  # places
        [0, 1, 1],
        [1.0, 0.0, 1.0],
        ["yes", "no", "yes"],
        [True, None, False],
        [True, False],
        [[True, False, True]],
        NAMED.jobs.procs.map({1: True, 2: False}),  # nan of C
        pd.Series([True, pd.NA, False], NAMED.jobs.index, dtype="boolean"),
        NAMED.jobs,
        lambda jobs: jobs.run > 5,
        {"A": True, "B": True, "C": False},
        np.array(True),
    ],
)
def test_what_is_not_true_or_false_of_each_job_selects_none(which):
    with pytest.raises(ValueError, match="select: found"):
        NAMED.select(which)


@pytest.mark.parametrize("kind", [list, np.array, lambda flags: np.array(flags, object), lambda flags: pd.array(flags)])
def test_flags_of_any_kind_select(kind):
    assert NAMED.select(kind([True, False, True])).jobs.index.tolist() == ["A", "C"]
    assert len(NAMED.select("run > 99").select([])) == 0
