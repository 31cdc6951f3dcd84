"""The compiled engine keeps the promises of MF section 2; it equals the reference in `conformance/test_contract.py`."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers import POLICIES, every_policy, plainly, random_workload, seeds, starts, table
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, Conservative, Selective, engine, simulate
from simlib._util import paths
from simlib.engine.index import GONE, empty_index, places_for, refresh
from simlib.policies import orders
from simlib.policies.easy import JobFacts

loop = importlib.import_module("simlib.engine.easy")  # its function `easy` has the same name


def overloaded(seed, jobs=2500, exact=False):
    """Nearly all jobs wait at once."""
    w = random_workload(seed, jobs, machine=128, exact=exact, overrun=False)
    return w.scale_arrivals(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_a_long_queue_is_scheduled_as_by_walking_it(exact):
    w = overloaded(3, exact=exact)
    walked = plainly(w, EASY())  # goes through the whole queue in every pass
    assert simulate(w, EASY()).jobs.start.tolist() == [job.start for job in walked]


@pytest.mark.slow
@every_policy
@seeds
def test_it_makes_no_difference_when_the_clock_began(policy, seed):
    w = random_workload(seed)
    before = w.derive(w.jobs.assign(submit=w.jobs.submit - 10**6), "a million seconds earlier")
    assert (simulate(before, policy).jobs.start + 10**6).equals(simulate(w, policy).jobs.start)


sizes, needed, estimates, places = st.integers(1, 64), st.integers(0, 9), st.integers(1, 50), st.integers(0, 60)
job = st.tuples(sizes, needed, estimates)
change = st.tuples(st.just("comes"), job) | st.tuples(st.just("goes"), places)
free = st.tuples(sizes, st.integers(0, 64), needed, needed)  # processors, those that are extra, GPUs, extra ones
question = st.tuples(free, st.integers(0, 50), st.integers(0, 50))  # until the shadow time, and the most seconds of all


@pytest.mark.parametrize("with_gpus", [False, True])
@given(jobs=st.lists(job, min_size=17, max_size=50), events=st.lists(st.tuples(change, question)))
def test_the_index_of_a_long_queue_finds_whom_a_walk_finds(with_gpus, jobs, events):
    known = np.array(jobs + [what for (event, what), _ in events if event == "comes"])
    size, needed, estimate = known.T.copy()
    gpus, needed = (needed, needed) if with_gpus else (None, 0 * needed)
    queue, last, waits = np.full(places_for(len(known)), GONE), np.uint64(len(jobs)), list(range(len(jobs)))
    queue[: len(jobs)] = waits
    index = empty_index(size, gpus, len(queue))
    loop.index_all(index, queue, last, estimate)
    for (event, what), ((free, extra, free_gpus, extra_gpus), time, most) in events:
        if event == "comes":
            queue[last] = len(waits)
            waits.append(len(waits))
            refresh(index, queue, estimate, last)
            last += np.uint64(1)
        elif what < len(waits):
            queue[what], waits[what] = GONE, None
            refresh(index, queue, estimate, np.uint64(what))
        fit = [
            j
            for j in waits
            if j is not None
            and size[j] <= free
            and needed[j] <= free_gpus
            and (estimate[j] <= time or (size[j] <= extra and needed[j] <= extra_gpus))
            and estimate[j] <= most
        ]
        given, found, place = (np.int64(0), time, free, free_gpus, extra, extra_gpus), [], np.uint64(0)
        rest = last, given, size, estimate, gpus, index, True, most
        while (place := loop.next_candidate(queue, place, *rest)) < last:
            found.append(place)
            place += np.uint64(1)
        assert found == fit


USES = ["", "followers", "places", "sjf", "wfp", "Thresholded"]
RARE = ["gpus", "gpus places", "best-fit", "lookahead", "Multifactor"]  # each a kernel that nobody has yet
RARE += ["followers gpus", "lookahead places", "places best-fit", "wfp gpus followers", "wfp best-fit"]
RANKED = {"wfp": "wfp", "Thresholded": simlib.Thresholded("smallest area", 99)}
RANKED |= {"Multifactor": simlib.Multifactor(procs=0.3, max_age_days=0.002, half_life_days=0.002)}


@pytest.mark.slow
@pytest.mark.parametrize("uses", USES + [pytest.param(uses, marks=pytest.mark.thorough) for uses in RARE])
@given(seed=st.integers(0, 2**32), most=st.sampled_from([0, 1, 2, 7, 20]), reuse_extra=st.booleans())
def test_it_makes_no_difference_when_an_index_takes_over(uses, seed, most, reuse_extra):
    order = next((order for name, order in RANKED.items() if name in uses), None)
    rng, n = np.random.default_rng(seed), 1500 if order else 150  # several blocks of one kind
    jobs = (
        random_workload(seed, n, machine=64)
        .scale_arrivals(0.001 if order else 0.4)
        .jobs.assign(user=rng.integers(0, 3, n))
    )
    columns = jobs[["submit", "run", "estimate", "procs"]].to_numpy().T.copy()
    needed, follows = rng.integers(0, 4, n), np.append(False, rng.random(n - 1) < 0.3)
    feedback = (
        np.where(follows, rng.integers(0, np.arange(n).clip(1)), -1),
        np.where(follows, rng.integers(0, 99, n), 0),
    )
    more = {"gpus": needed, "machine_gpus": 3} if "gpus" in uses else {}
    more |= {"places": rng.permutation(n).astype(np.uint64)} if "places" in uses else {}
    facts = order is RANKED["Multifactor"]
    if order:
        more |= {"priority": orders.compiled_for_queue(order, facts), "rise": orders.rise(order)}
    if uses.split(" ")[-1] in orders.BACKFILL:
        backfill = orders.compiled(uses.split(" ")[-1], known=orders.BACKFILL)
        more |= {"backfill": backfill, "shortest": uses == "sjf"}
    more |= {"passing": engine.BEST_SET} if "lookahead" in uses else {}
    reuse_extra &= "lookahead" not in uses

    def schedule(most):
        submit, *others = columns.copy()
        given = submit, *others, 64, *(feedback if "followers" in uses else engine.OPEN), np.zeros(2, np.int64)
        known = JobFacts.of(jobs).facts(64, "user", order.half_life_s) if facts else None
        return *engine.easy(*given, reuse_extra, **more, facts=known, most=most), submit

    for without, index in zip(schedule(n), schedule(most), strict=True):
        assert np.array_equal(without, index)


def test_in_a_long_profile_every_job_gets_the_first_gap_of_all():
    jobs = simulate(w := overloaded(4, exact=True), Conservative()).jobs
    times, free = np.array([-1, 2**40]), np.array([w.procs])  # free[k] from times[k] on
    for submit, run, size, start in jobs[["submit", "run", "procs", "start"]].itertuples(index=False, name=None):
        assert start == first_gap(times, free, submit, run, size)
        for time in (start, start + run):
            k = np.searchsorted(times, time)
            if times[k] != time:
                times, free = np.insert(times, k, time), np.insert(free, k, free[k - 1])
        free[np.searchsorted(times, start) : np.searchsorted(times, start + run)] -= size


def test_in_a_long_profile_what_was_found_before_a_job_ended_early_is_forgotten(monkeypatch):
    monkeypatch.setitem(engine.reserving.__globals__, "MANY", engine.EVERYONE)  # without the table of gaps
    # 600 jobs in a row leave a processor free in every second one; who asks for it first comes behind the last of them
    row = [(1, 10, 10, 4 - i % 2) for i in range(600)]
    jobs = simulate(table([(0, 10, 10_000, 4), *row, (2, 10, 10, 1), (11, 10, 10, 1)], 4), Conservative()).jobs
    assert jobs.guarantee.tolist()[-2:] == [10_010, 40]
    assert jobs.start.tolist()[-2:] == [20, 40]


RESERVING = {
    "Conservative": Conservative(),
    "Conservative by start": Conservative("start"),
    "Conservative, shortest first": Conservative(order="sjf"),
    "three reservations": EASY(reservations=3),
    "nine reservations, WFP": EASY(reservations=9, order="wfp"),
    "selective": Selective(2),
    "selective, adaptive, shortest first": Selective("adaptive", order="sjf"),
}


@pytest.mark.slow
@pytest.mark.parametrize("policy", RESERVING.values(), ids=list(RESERVING))
@given(seed=st.integers(0, 2**32), many=st.sampled_from([1, 7]), jobs=st.integers(1, 200))
def test_compression_by_gaps_makes_the_same_schedule_and_promises(policy, seed, many, jobs):
    w = random_workload(seed, jobs).scale_arrivals(0.5)
    same_with_and_without_gaps(w, policy, many)
    same_with_and_without_gaps(w.derive(w.jobs.assign(submit=w.jobs.submit // 100), "in bursts"), policy, many)


@pytest.mark.slow
@pytest.mark.parametrize("policy", RESERVING.values(), ids=list(RESERVING))
def test_compression_of_a_long_queue_makes_the_same_schedule_and_promises(policy):
    same_with_and_without_gaps(overloaded(5, jobs=800), policy, many=300)


def same_with_and_without_gaps(w, policy, many):
    told = []
    for bound in (many, engine.EVERYONE):
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(engine.reserving.__globals__, "MANY", bound)
            patch.setitem(engine.reserving.__globals__, "FAR", -1)
            s = simulate(w, policy)
            told.append(s.jobs if "guarantee" in s.jobs else s.jobs.assign(shadow=s.shadow))
    pd.testing.assert_frame_equal(*told)


def first_gap(times, free, submit, run, size):
    """Where a job fits first, by trying all steps."""
    first = np.searchsorted(times, submit, side="right") - 1
    enough = free[first:] >= size
    begin = np.maximum(times[first:-1], submit)
    too_few = np.append(np.where(enough, 2**40, begin), 2**40)  # where the step begins that ends each one's gap
    until = np.minimum.accumulate(too_few[::-1])[::-1][:-1]
    return begin[enough & (until >= begin + run)][0]


@pytest.mark.slow
@every_policy
@seeds
def test_the_machine_can_run_every_schedule_and_all_work_is_done(policy, seed):
    w = random_workload(seed)
    s = simulate(w, policy)
    s.check()
    assert ((s.jobs.end - s.jobs.start) == w.jobs.run).all()
    steps = s.utilization()
    assert steps.max() <= 1
    work = (steps.to_numpy()[:-1] * np.diff(steps.index)).sum() * w.procs
    assert work == pytest.approx((w.jobs.run * w.jobs.procs).sum())


@pytest.mark.slow
@pytest.mark.parametrize("compress", ["arrival", "start", "none"])
@seeds
def test_conservative_starts_no_job_after_its_guarantee(compress, seed):
    jobs = simulate(random_workload(seed), Conservative(compress)).jobs
    assert (jobs.start <= jobs.guarantee).all()


@seeds
def test_with_exact_estimates_conservative_keeps_every_reservation_in_either_order(seed):
    w = random_workload(seed, exact=True)
    by_arrival, by_start = (simulate(w, Conservative(order)).jobs for order in ("arrival", "start"))
    assert by_arrival.equals(by_start)
    assert (by_arrival.start == by_arrival.guarantee).all()


@pytest.mark.slow
@seeds
def test_the_head_never_starts_after_its_shadow_time_under_the_textbook_rule(seed):
    # without jobs of no length an instant has one pass, and the numbers tell who started before the head was looked at
    s = simulate(random_workload(seed, shortest=1), EASY())
    jobs = s.jobs
    start, size = jobs.start.to_numpy(), jobs.procs.to_numpy()
    expected_end = start + np.maximum(jobs.estimate, jobs.run).to_numpy()
    for head in range(1, len(jobs)):
        became_head = max(jobs.submit.iloc[head], start[:head].max())
        if start[head] <= became_head:
            continue
        before = (start < became_head) | ((start == became_head) & (np.arange(len(jobs)) < head))
        running = before & (jobs.end.to_numpy() > became_head)
        needed = size[head] - (64 - size[running].sum())
        order = np.argsort(expected_end[running], kind="stable")
        enough = np.searchsorted(np.cumsum(size[running][order]), needed)
        assert start[head] <= expected_end[running][order][enough] == s.shadow[head]


# The rules one by one, on schedules small enough to check by hand


@pytest.mark.parametrize("compress", ["arrival", "start"])
def test_who_moves_past_another_starts_before_it(compress):
    # the first ends three seconds early: the last takes its place, and the third, which needs all, waits for the second
    rows = [(0, 10, 13, 2), (0, 13, 13, 2), (1, 1, 1, 4), (2, 1, 1, 2)]
    jobs = simulate(table(rows, 4), Conservative(compress)).jobs
    assert jobs.start.tolist() == [0, 0, 13, 10]
    assert jobs.guarantee.tolist() == [0, 0, 13, 14]
    assert jobs.backfilled.tolist() == [False, False, False, True]


def test_killing_cuts_the_run_at_the_estimate():
    s = simulate(table([(0, 100, 40, 4), (0, 10, 10, 4)], 4), EASY(), overrun="kill")
    assert s.jobs.run.tolist() == [40, 10]
    assert s.jobs.start.tolist() == [0, 40]
    assert s.jobs.response.tolist() == [40, 50]


def test_any_number_of_jobs_of_no_length_pass_through_the_smallest_machine_in_an_instant():
    for policy in POLICIES.values():
        assert starts([(5, 0, 0, 1)] * 1000, 1, policy) == [5] * 1000


def test_an_empty_workload_has_an_empty_schedule():
    for policy in POLICIES.values():
        assert len(simulate(table([], 4), policy).jobs) == 0


def test_what_cannot_be_simulated_is_refused():
    w = table([(0, 1, 1, 1)], 1)
    for policy, expected in (("EASY", "simlib.EASY"), (EASY, r"EASY\(\)")):
        with pytest.raises(TypeError, match=f"expected an object such as {expected}"):
            simulate(w, policy)
    with pytest.raises(ValueError, match="too large"):
        simulate(table([(0, 2**61, 2**61, 1), (0, 2**61, 2**61, 1)], 1), EASY())


# Sums that an independent prototype measured on a real log


@pytest.mark.parametrize(
    "policy, sum_of_starts, mean_wait",
    [
        (EASY(), 433108427870, 6855.640),
        (EASY(reuse_extra=True), 433096820835, 6448.219),
        (Conservative("arrival"), 433121904955, 7328.703),
        (Conservative("start"), 433119074742, 7229.359),
    ],
)
def test_the_sums_on_the_kth_log(log, policy, sum_of_starts, mean_wait):
    w = log("KTH-SP2", "original")
    assert (len(w), w.procs, len(w.dropped)) == (28489, 100, 1)
    jobs = simulate(w, policy).jobs
    assert jobs.start.sum() == sum_of_starts
    assert jobs.wait.mean() == pytest.approx(mean_wait, abs=0.0005)


@pytest.mark.thorough
def test_a_kernel_is_compiled_anew_when_a_function_that_it_calls_changes(tmp_path):
    shutil.copytree(Path(simlib.__file__).parent, tmp_path / "simlib", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "simlib" / "data").symlink_to(paths.DATA)
    rows = "[(0, 9, 3), *[(1, 5, 4)] * 16, (2, 7, 1)]"  # submit, run, size: the last ends just by the shadow time
    code = (
        "import numpy as np; from simlib.engine import OPEN, easy; "
        f"submit, run, size = np.array({rows}).T.copy(); "
        "print(*easy(submit, run, run, size, 4, *OPEN, np.zeros(2, int), most=0)[0][-1:])"
    )

    def starts():
        here = os.environ | {"PYTHONPATH": str(tmp_path)}
        return subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, env=here, text=True).split()

    assert starts() == starts() == ["2"]
    index = tmp_path / "simlib" / "engine" / "index.py"
    by_then, before = "shortest[node, small] > time", "shortest[node, small] >= time"
    assert by_then in index.read_text()
    index.write_text(index.read_text().replace(by_then, before))
    assert starts() != ["2"]  # the index misses it now
