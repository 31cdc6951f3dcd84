"""Every setting of a workload, a simulation, a policy or a model is right, or refused by its name."""

import functools
import inspect
from pkgutil import resolve_name

import numpy as np
import pandas as pd
import pytest
from helpers import API

import simlib
from simlib import (
    EASY,
    FCFS,
    Conservative,
    Multifactor,
    OwnPolicy,
    Predictions,
    Selective,
    SlurmBackfill,
    Thresholded,
    Workload,
    metrics,
    simulate,
    sweep,
)
from simlib.core.estimates import Historical, LastTwo, Modelled, Scaled, Uniform
from simlib.logs.swf import FIELDS, jobs_of
from simlib.models import examples, feitelson96, jann97, users
from simlib.models.sample import sample
from simlib.policies import adjusting
from simlib.policies.adjusting import Adjustment, Scheme
from simlib.policies.steps import Environment

GIVEN = {
    "true": True,
    "bool_": np.True_,
    "text": "no",
    "empty": "",
    "none": None,
    "nan": float("nan"),
    "inf": float("inf"),
    "minus": -1,
    "zero": 0,
    "huge": 2**70,
    "half": 0.5,
    "int8": np.int8(1),
    "float32": np.float32(1),
    "complex": 1 + 0j,
    "list": [],
    "dict": {},
    "array": np.array([1, 2]),
    "class": Predictions,
}
"""What somebody may give for a setting, by a word for it."""

LOG = pd.DataFrame(-1, index=[1, 2, 3], columns=FIELDS).assign(
    job=[1, 2, 3], submit=[0, 90, 95], run=60, procs=4, user=[1, 2, 1], preceding=[-1, 1, -1], think=[-1, 30, -1]
)
LOG["partition"] = 1
W = Workload(jobs_of(LOG), 8, log=LOG, start="1996-10-01")
S = simulate(W, EASY())
FIVE_WEEKS = Workload(pd.DataFrame({"submit": [0, 5 * 7 * 86400 - 1], "run": 1, "procs": 1, "user": [1, 2]}), 4)
FOLLOWING = Workload(FIVE_WEEKS.jobs, 4, log=FIVE_WEEKS.jobs.reindex(columns=FIELDS, fill_value=-1))

FLAG = "true bool_"
ABOVE_0 = "huge half int8 float32"
FROM_0 = "zero int8 huge"  # whole numbers, such as seeds
ANY = f"minus zero {ABOVE_0}"
FROM_1 = "int8 float32 huge inf"  # how many of something

SETTINGS = [
    # callable, settings, and what of the above is right
    (EASY, "reuse_extra", FLAG),
    (EASY, "reservations", FROM_1),
    (EASY, "order", ""),
    (EASY, "backfill", "none"),
    (EASY, "adjust", "none"),
    (FCFS, "order", ""),
    (Conservative, "compress order", ""),
    *((policy, "outages", "none list") for policy in (Conservative, Selective, SlurmBackfill)),
    (Selective, "threshold", "huge int8 float32 inf"),
    (Selective, "order", ""),
    (SlurmBackfill, "order", ""),
    (SlurmBackfill, "depth reservations per_user user_jobs user_procs", FROM_1),
    (SlurmBackfill, "window resolution interval", "int8"),
    (Predictions, "predictor", ""),
    (Predictions, "queue backfill running correct", FLAG),
    (Predictions, "past", "none"),
    (Multifactor, "age procs fair_share", ANY),
    (Multifactor, "max_age_days half_life_days", ABOVE_0),
    (Multifactor, "account", ""),
    (Multifactor, "per_minute whole", FLAG),
    (functools.partial(Thresholded, "sjf"), "seconds", f"zero {ABOVE_0} inf"),
    (functools.partial(Thresholded, seconds=5), "order", ""),
    (OwnPolicy, "function", ""),
    (functools.partial(OwnPolicy, lambda queue, machine: []), "predictor", "none"),
    (functools.partial(Environment, observe=len, reward=len), "workload", ""),
    (functools.partial(Environment, W, reward=len), "observe", ""),
    (functools.partial(Environment, W, len), "reward", ""),
    (functools.partial(Environment, W, len, len), "backfill", "none"),
    (Scheme, "key project", ""),
    (Scheme, "window", "none"),
    (Scheme, "percentile", "zero half int8 float32"),
    (Scheme, "threshold", "none zero half int8 float32"),
    (Scheme, "least", "int8"),
    (adjusting.schemes, "keys windows", "list dict"),
    (adjusting.schemes, "percentiles", "list dict array"),
    (Adjustment, "scheme", ""),
    (Adjustment, "queue backfill running", FLAG),
    (Adjustment, "overdue", "zero int8"),
    (Adjustment, "past", "none"),
    (functools.partial(adjusting.adjusted, W.jobs, scheme=Scheme("user")), "ends", ""),
    (functools.partial(adjusting.adjusted, W.jobs, W.ends), "scheme", ""),
    (functools.partial(adjusting.parameters, W.jobs, schemes=[Scheme("user")]), "ends", ""),
    (functools.partial(adjusting.parameters, W.jobs, W.ends), "schemes", "list"),
    (Uniform, "f", "huge int8 float32"),
    (functools.partial(Uniform, 2), "seed", f"{FROM_0} none"),
    (Scaled, "factor", ABOVE_0),
    (Modelled, "seed", f"{FROM_0} none"),
    (Modelled, "under", "zero half int8 float32"),
    (Modelled, "short", f"zero {ABOVE_0} inf"),
    (Modelled, "stretch", "huge int8 float32"),
    (Modelled, "cap", ABOVE_0),
    (Historical, "deviations", f"zero {ABOVE_0}"),
    (Historical, "stale", f"{ABOVE_0} inf"),
    (Historical, "since", ""),
    (Historical, "killed", FLAG),
    (Historical, "ends", "none"),
    (LastTwo, "ends", ""),
    (functools.partial(simulate, policy=EASY()), "workload", ""),
    (functools.partial(simulate, W, EASY()), "overrun", ""),
    (functools.partial(simulate, W, EASY()), "feedback", FLAG),
    (functools.partial(Workload, procs=4), "jobs", ""),
    (functools.partial(Workload, W.jobs), "procs", "int8"),
    (functools.partial(Workload, W.jobs, 4), "gpus", "zero int8"),
    (functools.partial(Workload, W.jobs, 4), "name", "text empty"),
    (functools.partial(Workload, W.jobs, 4), "start log", "none"),
    (functools.partial(Workload, W.jobs, 4), "header", "list"),
    (functools.partial(Workload, W.jobs, 4), "source", "none dict"),
    (functools.partial(Workload, W.jobs, 4), "synthetic", FLAG),
    (functools.partial(Workload.of, "by hand", 4), "job", ""),
    (W.equals, "other", ""),
    (functools.partial(W.derive, step="none"), "jobs", ""),
    (functools.partial(W.derive, W.jobs), "step", "text empty"),
    (W.with_procs, "procs", "int8"),
    (functools.partial(W.with_procs, 8), "gpus", "none zero int8"),
    (functools.partial(W.partition, 1, procs=8), "gpus", "none zero int8"),
    (functools.partial(W.partition, 1), "procs", "int8"),
    (lambda partition: W.partition(partition, procs=4), "partition", "int8"),
    (W.shake, "seconds", "zero int8"),
    (W.shake, "seed", FROM_0),
    (W.scale_arrivals, "factor", "half int8 float32"),
    (W.scale_load, "to", ABOVE_0),
    (W.select, "which", ""),
    (W.time, "seconds", "minus zero half int8 float32"),
    (functools.partial(W.between, last=10**6), "first", "minus zero int8"),
    (functools.partial(W.between, -9), "last", "int8"),
    (W.months, "first", ""),
    (functools.partial(W.months, "1996-10"), "last", "none"),
    (S.summary, "percentiles", FLAG),
    (S.summary, "floor", f"none {ANY}"),
    (functools.partial(S.by_period, [0, 9]), "floor", f"none {ANY}"),
    (S.by_month, "floor", f"none {ANY}"),
    (S.means, "floor", f"none {ANY}"),
    (S.by_period, "edges", "list array"),
    (S.means, "edges", "list array"),
    (S.column, "name", ""),
    (S.plan, "now", ANY),
    (functools.partial(S.between, last=10**6), "first", "minus zero int8"),
    (functools.partial(metrics.bounded_slowdown, [1], [1]), "threshold", ABOVE_0),
    (functools.partial(metrics.bounded_slowdown, [1], [1]), "floor", f"none {ANY}"),
    (functools.partial(metrics.utilization, [0], [1], [1]), "machine", ABOVE_0),
    (functools.partial(sweep, max, [(1, 2)]), "executor", "none"),
    (functools.partial(sweep, max, []), "progress", f"none dict {FLAG}"),  # a bar is what can be updated
    (functools.partial(sweep, tasks=[(1, 2)]), "function", ""),
    (functools.partial(sweep, max), "tasks", "list dict"),
    (functools.partial(feitelson96.workload, 9), "variant", ""),
    (feitelson96.workload, "jobs", "int8"),
    (functools.partial(feitelson96.workload, 9), "seed", FROM_0),
    (functools.partial(feitelson96.workload, 9), "repeat", FLAG),
    (functools.partial(feitelson96.workload, 9), "arrivals about", "none"),
    (jann97.workload, "jobs", "int8"),
    (functools.partial(jann97.workload, 9), "procs", ""),
    (functools.partial(jann97.workload, 9), "seed", FROM_0),
    (sample, "seed", FROM_0),
    (functools.partial(users.resample_users, FIVE_WEEKS), "seed", FROM_0),
    (functools.partial(users.resample_users, FOLLOWING), "feedback", FLAG),
    (users.resample_users, "workload", ""),
    (examples.figure3, "length", "zero int8"),
    (examples.promises, "workload", ""),
]
SAID = {
    "first": ("found time", "found month"),
    "last": ("found time", "found month", "no job was submitted"),
    "name": ("found column",),
    "which": ("select: found", "cannot select"),
    "keys": ("found key",),
    "windows": ("found window",),
    "percentiles": ("found percentile",),
    "function": ("found predictor",),  # by the class that is called
    "arrivals": ("found predictor",),
}
"""Settings that errors call otherwise."""


def called(make):
    """The function or class of a row."""
    return make.func if isinstance(make, functools.partial) else make


ROWS = [(make, name, right.split()) for make, names, right in SETTINGS for name in names.split()]


@pytest.mark.parametrize("make, name, right", ROWS, ids=[f"{called(row[0]).__name__}-{row[1]}" for row in ROWS])
def test_a_setting_is_right_or_refused_by_its_name(make, name, right):
    wrong = []
    for word, value in GIVEN.items():
        try:
            make(**{name: value})
            outcome = "taken"
        except (ValueError, TypeError) as error:
            named = any(word in str(error) for word in (name, *SAID.get(name, ())))
            outcome = "refused" if named else f"{type(error).__name__}: {error}"
        if outcome != ("taken" if word in right else "refused"):
            wrong.append(f"{word}: {outcome}")
    assert wrong == []


NO_SETTINGS = set("wait run start end procs estimate a jobs".split())
"""Parameters that are columns of jobs."""

ELSEWHERE = {
    ("simulate", "policy"),  # as of orders and of policies of one's own
    ("with_estimates", "model"),
    ("with_estimates", "seed"),
    ("workload", "name"),  # of a twin: as of the catalogue
    ("partition", "partitions"),  # tried as `partition`
    ("of", "name"),
    ("of", "procs"),
    ("schemes", "options"),
    ("parameters", "executor"),
    ("sweep", "label"),
}
"""Those that other rows or other tests try."""


ROOMS = "simlib.core.", "simlib.models.", "simlib.policies."


def settings():
    """All settings of what is public in these rooms, each by the name of its owner and its own."""
    for name in API:
        value = resolve_name(name.replace(".", ":", 1))
        if not value.__module__.startswith(ROOMS) or value is simlib.Predictor:
            continue
        if value.__module__.endswith("examples_own"):
            continue
        owners = {} if value is simlib.Schedule else {value.__name__: value}
        if value in (Workload, simlib.Schedule):
            owners |= {key: one for key, one in vars(value).items() if not key.startswith("_") and callable(one)}
        for owner, one in owners.items():
            for parameter in inspect.signature(one).parameters.values():
                if parameter.name not in ("self", "known", "few") and parameter.name not in NO_SETTINGS:
                    yield owner, parameter.name


def test_every_setting_of_what_is_public_is_tried():
    tried = {(called(make).__name__, name) for make, name, _ in ROWS}
    untried = set(settings()) - tried - ELSEWHERE
    assert untried == set(), f"{untried}: expected a row of SETTINGS for each"
