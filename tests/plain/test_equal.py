"""Each policy in plain Python makes the schedule of the compiled one, job by job, whether somebody listens or not."""

import os
import subprocess
import sys
from functools import partial
from math import inf

import numpy as np
import pandas as pd
import pytest
from helpers import BEYOND, POLICIES, RARE, RARE_WITH_FOLLOWERS, SLURM, numbered, plainly, with_gpus
from hypothesis import settings

from simlib import (
    EASY,
    FCFS,
    Conservative,
    Multifactor,
    Predictions,
    Selective,
    SlurmBackfill,
    Thresholded,
    Workload,
    compare,
    simulate,
)
from simlib._util.compiled import NotReady
from simlib.plain import decisions, easy
from simlib.policies.adjusting import Adjustment, Scheme
from simlib.policies.orders import BACKFILL, ORDERS

# Every policy and option


def mine(wait, procs, free, user, submit):
    return wait * procs - free + user


def fill(extra, window, procs, estimate):
    return min(extra, procs) * 100 + window - estimate


def infinite_at_first(wait, procs, window):
    return procs / wait + 1 / window


PAST = pd.DataFrame(
    {
        "submit": [-50, -40, -30, -20, -10],
        "run": [3, 9, 20, 8, 4],
        "estimate": [10, 10, 30, 8, 10],
        "user": [0, 1, 0, 2, 1],
        "group": [0, 1, 0, 0, 1],
        "end": [-40, -5, 3, 10, -2],
    }
)
FAST = Multifactor(procs=1.0, half_life_days=0.0002, max_age_days=0.0003, account="group")
THRESHOLDED = Thresholded("smallest area", 9), Thresholded("wfp", 15)
NAMED = POLICIES | BEYOND | SLURM
SCHEMES = [
    Scheme("user", None, 85, None, 1),
    Scheme("user", "1 hour", 50, 0.5, 2),
    Scheme("user+project", None, 100, None, 1),
    Scheme("user+project+estimate", "1 hour", 70, 0.5, 1),
    Scheme("user", None, 0, 0.3, 1),
]


def usual():
    """All policies but the rare ones, and adjusted estimates by each scheme."""
    yield from (policy for name, policy in NAMED.items() if name not in RARE)
    yield from (EASY(adjust=Adjustment(scheme, past=past)) for scheme in SCHEMES for past in (None, PAST))


def crossed():
    """All policies and options, crossed where they meet."""
    yield from NAMED.values()
    for order in [*ORDERS, Multifactor(), FAST, *THRESHOLDED, mine]:
        yield from [FCFS(order=order), EASY(order=order), EASY(True, order=order)]
    for order in ["sjf", "wfp", "unicef", "f4", FAST, mine]:
        yield from [Conservative(order=order), EASY(order=order, reservations=2), EASY(order=order, reservations=4)]
        yield from [Selective(1.5, order=order), Selective("adaptive", order=order)]
        yield SlurmBackfill(order, 3, 30, 5, 6)
    for order in [*BACKFILL, fill, infinite_at_first]:
        yield from [EASY(backfill=order, order=head) for head in ("fcfs", "sjf", "wfp")]
        yield EASY(True, backfill=order)
    yield from [EASY(backfill="lookahead", order=order) for order in ("sjf", "wfp")]
    yield from [EASY(reservations=most) for most in (2, 3, 5, inf)]
    yield from [Selective(threshold) for threshold in (1, 1.5, 5, inf)]
    for depth, window, resolution, interval in ((2, 20, 1, 1), (inf, 10, 7, 5), (4, 40, 3, 10), (1, 15, 4, 2)):
        yield SlurmBackfill(depth=depth, window=window, resolution=resolution, interval=interval)
    for kind in ("last two", "same estimate", "exact", "estimate"):
        uses = partial(Predictions, kind)
        yield from [EASY(adjust=uses(past=past), backfill=by) for past in (None, PAST) for by in (None, "sjf")]
        yield from [EASY(adjust=uses(correct=False), backfill=by) for by in (None, "sjf")]
        yield from [EASY(adjust=uses(running=False), order="sjf"), EASY(adjust=uses(), backfill="lookahead")]
        yield EASY(True, adjust=uses(queue=False), order="wfp", backfill="best-fit")
    for scheme in SCHEMES:
        uses = partial(Adjustment, scheme)
        for past in (None, PAST):
            yield EASY(order="wfp", adjust=uses(running=False, past=past))
            yield EASY(order="sjf", adjust=uses(past=past, overdue=3), backfill="sjf")
        yield from [EASY(adjust=uses(overdue=0)), EASY(adjust=uses(backfill=False))]
        yield EASY(adjust=uses(queue=False), order="sjf", backfill="lookahead")


ALONE = [NAMED[name] for name in RARE_WITH_FOLLOWERS]
"""Where no job follows another but before a release."""
USUAL = list(dict.fromkeys(usual()))
ALL = list(dict.fromkeys([*USUAL, *crossed()]))
ON_GPUS = [FCFS(), EASY(), EASY(True), Conservative(), Conservative("start"), SLURM["Slurm with limits of users"]]
ON_GPUS += [EASY(order=FAST, backfill="best-fit")]
RARE_ON_GPUS = [EASY(order="sjf"), EASY(order="wfp"), EASY(backfill="sjf"), EASY.plus_plus(), Selective("adaptive")]
RARE_ON_GPUS += [Conservative("rebackfill"), EASY(reservations=2, order="wfp"), *SLURM.values()]


# Workloads, and how plain schedules of them differ


def crowded(seed):
    """Up to 40 jobs of few users on a small machine: ties, jobs of no length, overruns, and jobs that follow others."""
    rng = np.random.default_rng(seed)
    n, procs, longest = int(rng.integers(2, 40)), int(rng.integers(2, 12)), int(rng.choice([6, 30, 300]))
    run = rng.integers(0, longest, n) * (rng.random(n) < 0.93)
    estimate = np.where(rng.random(n) < 0.2, run, run + rng.integers(0, longest, n))
    estimate = np.where(rng.random(n) < 0.1, np.maximum(run - rng.integers(0, 5, n), 0), estimate)
    submit = np.sort(rng.integers(0, max(2, n * longest // 8), n))
    size = np.minimum(*rng.integers(1, procs + 1, (2, n)))
    user, group = rng.integers(-1, 4, n), rng.integers(0, 2, n)
    user[0] = 1  # somebody is known
    before = np.arange(1, n + 1) - rng.integers(1, 6, n)
    chained = (rng.random(n) < 0.3) & (before > 0)
    follows = {job + 1: (int(before[job]), int(rng.integers(0, 10))) for job in np.flatnonzero(chained)}
    return numbered(np.column_stack([submit, run, estimate, size, user, group]), procs, follows or {2: (1, 3)})


def differing(workload, policy, overrun="extend", feedback=False, listen=None):
    """The columns in which plain and compiled schedules differ."""
    schedule = simulate(workload, policy, overrun, feedback)
    made = plainly(workload, policy, overrun, feedback, listen)
    columns = {"submit": schedule.jobs.submit, "start": schedule.jobs.start, "backfilled": schedule.jobs.backfilled}
    columns |= {name: schedule.jobs[name] for name in ("guarantee", "adjusted") if name in schedule.jobs}
    columns |= {} if schedule.shadow is None else {"shadow": schedule.shadow}
    first = [-1 if job.first_promise is None else job.first_promise for job in made]
    found = {"guarantee": first, "shadow": first}
    return [
        name
        for name, column in columns.items()
        if column.tolist() != (found[name] if name in found else [getattr(job, name) for job in made])
    ]


class Told:
    """Hears decisions, and holds their facts against those that their rules have."""

    def __init__(self):
        self.rules = set()

    def __call__(self, decision, machine):
        assert set(decision.facts) == set(decisions.RULES[decision.rule]), decision
        self.rules.add(decision.rule)


def in_many_ways(seed):
    """Options of a simulation, drawn."""
    rng = np.random.default_rng(seed)
    options = {"overrun": "kill" if rng.random() < 0.3 else "extend", "feedback": bool(rng.integers(2))}
    return options | {"listen": Told() if rng.random() < 0.5 else None}


CASES = settings().max_examples // 10
"""Of each setting 1 case, in `make test-all` 2; of the most usual ones ten times as many."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, id=repr(policy)[:80], marks=() if policy in USUAL else pytest.mark.thorough)
        for place, policy in enumerate(ALL)
    ],
)
def test_plain_and_compiled_make_one_schedule(place):
    often = 10 if ALL[place] in (*POLICIES.values(), *SLURM.values()) else 1
    alone = {"feedback": False} if CASES == 1 and ALL[place] in ALONE else {}
    for seed in range(place, place + 1000 * CASES * often, 1000):
        assert (seed, differing(crowded(seed), ALL[place], **in_many_ways(seed) | alone)) == (seed, [])


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(policy, id=repr(policy), marks=() if policy in ON_GPUS else pytest.mark.thorough)
        for policy in dict.fromkeys([*ON_GPUS, *RARE_ON_GPUS])
    ],
)
def test_plain_and_compiled_make_one_schedule_on_gpus(policy):
    for seed in range(10 * CASES):
        assert (seed, differing(with_gpus(crowded(seed), seed), policy, listen=Told())) == (seed, [])


# Few jobs, where no kernel is compiled


@pytest.fixture
def not_ready(monkeypatch):
    """A function after whose call every kernel would have to be compiled."""

    def run(*given, **options):
        raise NotReady

    def forget():
        monkeypatch.setattr("simlib.policies.easy.SMALL", 200)
        for policy in (FCFS, EASY, Conservative, Selective, SlurmBackfill):
            monkeypatch.setattr(policy, "_run", run)

    return forget


@pytest.mark.parametrize("feedback", [False, True])
def test_few_jobs_are_scheduled_in_plain_python_where_no_kernel_is_compiled(feedback, not_ready):
    policies = [FCFS(), EASY(True), EASY(order="wfp"), EASY(order=FAST), Conservative("start"), Selective("adaptive")]
    policies += [
        EASY.plus_plus(),
        EASY(adjust=Adjustment(SCHEMES[0], past=PAST)),
        EASY(reservations=2),
        SLURM["Slurm"],
        SLURM["Slurm with limits of users"],
    ]
    compiled = [simulate(crowded(9), policy, feedback=feedback) for policy in policies]
    not_ready()
    for one in compiled:
        again = simulate(one.workload, one.policy, feedback=feedback)
        pd.testing.assert_frame_equal(again.jobs, one.jobs)
        assert again.shadow is one.shadow is None or again.shadow.equals(one.shadow)
    on_gpus = with_gpus(crowded(9), 9)
    assert simulate(on_gpus, EASY()).jobs.start.tolist() == [job.start for job in plainly(on_gpus, EASY())]


@pytest.mark.parametrize("policy", [EASY(order=FAST), EASY(backfill="sjf"), SLURM["Slurm by fair share"]], ids=repr)
def test_the_first_jobs_of_those_that_a_policy_knows_are_scheduled_alike(policy, not_ready):
    w = crowded(9)
    given = [w.jobs[name].to_numpy(copy=True)[: len(w) // 2] for name in ("submit", "run", "estimate", "procs")]
    given[2] = np.maximum(given[1], given[2])
    prepared = policy.prepare(w.jobs)
    compiled = prepared.schedule(*given, w.procs)
    not_ready()
    few = policy.prepare(w.jobs).schedule(*given, w.procs)
    assert few["start"].tolist() == compiled["start"].tolist()


def test_all_else_waits_for_the_compiler(not_ready):
    class Derived(EASY):
        """A policy that may do something else than EASY."""

    not_ready()
    many = Workload(pd.DataFrame({"submit": range(201), "run": 1, "estimate": 1, "procs": 1}), 4)
    for waits in (
        lambda: simulate(many, EASY()),
        lambda: simulate(crowded(9), EASY(order=mine)),
        lambda: simulate(crowded(9), Derived()),
        lambda: simulate(many, EASY().prepare(many.jobs[:9])),  # few jobs that it was prepared for before
        lambda: compare(crowded(9), {"EASY": EASY(), "FCFS": FCFS()}, shakes=4),
    ):
        with pytest.raises(NotReady):
            waits()
    assert len(simulate(many.select(many.jobs.index < 200), EASY()).jobs) == 200


def test_a_first_schedule_of_few_jobs_compiles_no_kernel(tmp_path):
    code = "import simlib; w = simlib.Workload.of('two jobs', 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))\n"
    code += (
        "for policy in (simlib.EASY(), simlib.Conservative()): print(simlib.simulate(w, policy).jobs.start.tolist())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "[0, 10]\n[0, 10]\n" and not ran.stderr
    assert not list(tmp_path.rglob("easy_loop*")) and not list(tmp_path.rglob("_reserving*"))


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
import simlib
from simlib import EASY, FCFS, Conservative, Multifactor, Selective, SlurmBackfill, compare, estimates, simulate
from simlib.policies import adjusting

sample = simlib.load("sample").with_estimates(estimates.Historical())
few = sample.select(sample.jobs.index <= 500)
adjusted = adjusting.adjusted(sample.jobs, sample.jobs.submit + sample.jobs.run, adjusting.Scheme())
print(sample.jobs.estimate.sum(), round(adjusted.a.sum(), 6))
policies = [EASY(), FCFS(order="wfp"), EASY(order=lambda wait, procs: wait * procs), EASY(order=Multifactor())]
for policy in [*policies, Conservative("start"), SlurmBackfill(), Selective(), EASY.plus_plus(), EASY(reservations=2)]:
    schedule = simulate(few, policy)
    print(schedule.jobs.start.sum(), *schedule.summary().round(6), *schedule.by_month().mean_wait.round(6))
print(compare(few, {"EASY": EASY(), "FCFS": FCFS()}, shakes=4))
"""


@pytest.mark.slow
def test_all_works_without_numba_too(capsys):
    ran = subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], capture_output=True, text=True, check=True)
    assert ran.stderr.startswith("simlib: ModuleNotFoundError: ") and ran.stderr.count("\n") == 1
    exec(WITHOUT_NUMBA.partition("import simlib")[2].join(["import simlib", ""]), {})
    assert capsys.readouterr().out == ran.stdout


@pytest.mark.slow
def test_every_rule_occurs():
    told = Told()
    near = partial(easy.easy, backfill=partial(easy.lookahead, depth=2))
    policies = [FCFS(), EASY(order="sjf"), EASY(backfill="largest"), EASY(backfill="lookahead"), EASY.plus_plus()]
    policies += [EASY(adjust=Adjustment(SCHEMES[0])), Conservative(), Conservative("rebackfill"), Selective(2)]
    policies += [Selective(9, outages=[(40, 90, 2)])]
    policies += [EASY(reservations=2, order="wfp"), SlurmBackfill(depth=5, window=20, resolution=2, interval=3)]
    policies += [SlurmBackfill(interval=2, resolution=2, reservations=1, per_user=1, user_jobs=2)]
    for seed in range(20):
        for policy in policies:
            plainly(crowded(seed), policy, listen=told)
        plainly(crowded(seed), EASY(), listen=told, plain=near)
    assert told.rules == set(decisions.RULES)


def test_a_rank_that_is_no_number_is_refused_by_both():
    def none_at_first(wait, procs):
        return (procs - procs) / wait

    for run in (simulate, plainly):
        with pytest.raises(ValueError, match="nan"):
            run(crowded(1), EASY(order=none_at_first))


# Promises, against a recount that goes through all jobs


def earliest(job, others, now, machine):
    """The first second from which on a job fits beside what others hold: their needs, by begin and end."""

    def fits(at):
        seconds = [at, *(begin for begin, _, _ in others if at < begin < at + job.estimate)]
        held = [sum(procs for begin, end, procs in others if begin <= second < end) for second in seconds]
        return max(held) + job.procs <= machine.procs

    return next(at for at in sorted({now, *(end for _, end, _ in others if end > now)}) if fits(at))


@pytest.mark.parametrize("compress", ["arrival", "start", "none", "rebackfill"])
def test_what_is_told_of_promises_is_what_a_recount_finds(compress):
    """A job that can start earlier is told so, and one that cannot is told that."""
    known, told = {}, []

    def recount(decision, machine):
        if decision.rule == "jobs end or arrive":
            known.update((job.number, job) for job in decision.jobs)
        elif isinstance(decision, decisions.Start | decisions.Note) or decision.rule == "gives its promise up":
            return
        else:
            job, now = decision.job, machine.now
            there = [one for one in known.values() if one.start is None and one.promised is not None and one is not job]
            others = [(now, one.expected_end, one.procs) for one in machine.running]
            others += [(one.promised, one.promised + one.estimate, one.procs) for one in there]
            found = earliest(job, others, now, machine)
            if isinstance(decision, decisions.Wait):  # others may have been put where one of no length is promised
                assert decision.rule == "can start no earlier" and decision.until == job.promised <= found
            else:
                assert decision.at == found and (decision.was is None or found < decision.was)
            told.append(decision.rule)

    for seed in range(30):
        known.clear()
        plainly(crowded(seed), Conservative(compress), listen=recount)
    moved = {"arrival": "can start earlier", "start": "can start earlier", "rebackfill": "gets another promise"}
    assert "can start then at the earliest" in told and (compress == "none" or moved[compress] in told)


# What no policy can do

CHANGES = {
    "job.start": lambda queue, machine: setattr(queue[0], "start", 0),
    "job.needs": lambda queue, machine: setattr(queue[0], "needs", 0),
    "job.mine": lambda queue, machine: setattr(queue[0], "mine", 0),
    "machine.left": lambda queue, machine: setattr(machine, "left", 9),
    "machine.free": lambda queue, machine: setattr(machine, "free", 9),
    "queue.mine": lambda queue, machine: setattr(queue, "mine", 9),
    "queue[0] =": lambda queue, machine: queue.__setitem__(0, queue[0]),
    "del queue[0]": lambda queue, machine: queue.__delitem__(0),
    "queue +=": lambda queue, machine: queue.__iadd__([]),
    "queue *=": lambda queue, machine: queue.__imul__(2),
    "append": lambda queue, machine: queue.append(queue[0]),
    "extend": lambda queue, machine: queue.extend(queue),
    "insert": lambda queue, machine: queue.insert(0, queue[0]),
    "pop": lambda queue, machine: queue.pop(),
    "remove": lambda queue, machine: queue.remove(queue[0]),
    "clear": lambda queue, machine: queue.clear(),
    "reverse": lambda queue, machine: queue.reverse(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_no_policy_changes_jobs_machine_or_queue(change):
    def changing(queue, machine):
        if not queue:
            return
        with pytest.raises(AttributeError, match="expected nobody to"):
            change(queue, machine)
        queue.sort(key=lambda job: -job.procs)
        yield from easy.fcfs(queue, machine)

    found = [job.start for job in plainly(crowded(3), None, plain=changing)]
    assert found == simulate(crowded(3), FCFS(order=lambda procs: procs)).jobs.start.tolist()


def test_a_loop_over_the_queue_leaves_out_who_has_started():
    def both_ways(queue, machine):
        for jobs in (queue, reversed(queue)):
            for job in jobs:
                assert job.start is None
                yield from machine.fitting([queue[0], job])

    assert all(job.start is not None for job in plainly(crowded(4), None, plain=both_ways))
