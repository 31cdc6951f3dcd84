"""The known schedulers that are written as policies of one's own do what their descriptions say."""

import itertools
import re

import numpy as np
import pytest
from helpers import ROOT, differing, numbered, random_workload
from hypothesis import given, settings
from hypothesis import strategies as st

import simlib
from simlib import OwnPolicy, simulate
from simlib.policies import examples_own
from simlib.policies.own_policy import Job, Machine

KEEP_THE_HEADS_RESERVATION = [examples_own.easy, examples_own.easy_sjbf, examples_own.best_fit, examples_own.lookahead]
ALL = [examples_own.fcfs, *KEEP_THE_HEADS_RESERVATION, examples_own.EasyPlusPlus()]


@pytest.mark.parametrize("own", ALL, ids=lambda own: str(OwnPolicy(own)))
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_every_example_makes_schedules_that_the_machine_can_run(own, seed):
    simulate(random_workload(seed, jobs=80), OwnPolicy(own)).check()


@pytest.mark.parametrize("own", KEEP_THE_HEADS_RESERVATION, ids=lambda own: own.__name__)
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_every_head_starts_by_the_shadow_time_it_was_first_given(own, seed):
    promised = {}

    def watched(queue, machine):
        yield from own(queue, machine)
        if queue:
            promised.setdefault(queue[0].number, machine.shadow(queue[0])[0])

    start = simulate(random_workload(seed, jobs=80), OwnPolicy(watched)).jobs.start
    assert promised and all(start[number] <= shadow for number, shadow in promised.items())


def by_trying_all_sets(candidates, machine, shadow, extra):
    possible = []
    for chosen in itertools.product([False, True], repeat=len(candidates)):
        jobs = list(itertools.compress(candidates, chosen))
        needed = sum(job.procs for job in jobs)
        beyond = sum(job.procs for job in jobs if machine.now + job.estimate > shadow)
        if needed <= machine.free and beyond <= extra:
            possible.append((needed, chosen, jobs))
    return max(possible, key=lambda one: one[:2])[-1]


@given(
    jobs=st.lists(st.tuples(st.integers(1, 8), st.integers(1, 20)), max_size=8),
    free=st.integers(0, 20),
    extra=st.integers(0, 10),
)
def test_lookahead_finds_the_set_that_is_found_by_trying_all(jobs, free, extra):
    candidates = [Job(number, 0, procs, estimate) for number, (procs, estimate) in enumerate(jobs)]
    machine = Machine(free)
    found = examples_own.fullest(candidates, machine, 10, extra)
    assert found == by_trying_all_sets(candidates, machine, 10, extra)


@given(seed=st.integers(0, 2**32))
def test_where_no_user_is_known_easy_plus_plus_is_easy_that_backfills_the_shortest_first(seed):
    w = random_workload(seed, jobs=80, overrun=False, shortest=1)  # an estimate of 0 counts as 1 s
    assert (
        differing(*(simulate(w, OwnPolicy(own)) for own in (examples_own.easy_sjbf, examples_own.EasyPlusPlus()))) == []
    )


def test_easy_plus_plus_corrects_as_its_authors_do():
    seen = {}

    class Watched(examples_own.EasyPlusPlus):
        def __call__(self, queue, machine):
            yield from super().__call__(queue, machine)
            for job in machine.running:
                seen[machine.now, job.number] = self.expected_end(job, machine.now) - job.start

    waiting = (31, 1, 1, 64, 9, 0)
    rows = [(0, 10, 100, 1, 7, 0), (0, 21, 100, 1, 7, 0), (0, 1, 1, 1, 8, 0), (30, 3000, 200, 1, 7, 0), waiting]
    simulate(numbered(sorted(rows), 64), OwnPolicy(Watched()))
    passes = {second: length for (second, job), length in seen.items() if job == 4}
    assert passes == {30: 15, 31: 15, 45: 200, 230: 260, 290: 560, 590: 1460, 1490: 3260}


def test_what_the_documentation_shows_is_what_stands_in_the_examples(monkeypatch):
    monkeypatch.setattr(simlib, "load", lambda name: random_workload(5, jobs=200))
    shown = (ROOT / "docs/policies-of-ones-own.md").read_text("utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", shown, flags=re.S):
        exec(block, names)
    w = random_workload(6)
    w = w.derive(w.jobs.assign(user=np.arange(len(w)) % 5), "with users")
    names["EasyPlusPlus"] = names["EasyPlusPlus"]()
    for own in ALL:
        name = getattr(own, "__name__", type(own).__name__)
        assert (name, differing(simulate(w, OwnPolicy(own)), simulate(w, OwnPolicy(names[name])))) == (name, [])
