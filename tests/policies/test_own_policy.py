"""Policies of one small function: the event loop is the engine's, what cannot be is refused, the examples are known.

The known schedulers that are written so do what their descriptions say.
"""

import copy
import math
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from helpers import ROOT, differing, numbered, random_workload, small_workloads, table
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, Conservative, OwnPolicy, Workload, simulate
from simlib.explain import first_difference
from simlib.plain import Job, Machine, Note, Promise, Queue, Start, Wait
from simlib.policies import examples_own, in_plain


def test_without_preparation_it_schedules_arrays():
    submit, run, size = np.array([[0, 1, 2], [10, 5, 5], [3, 2, 1]])
    columns = OwnPolicy(examples_own.easy).schedule(submit, run, run, size, 4)
    assert {name: column.tolist() for name, column in columns.items()} == {
        "submit": [0, 1, 2],
        "start": [0, 10, 2],
        "backfilled": [False, False, True],
    }


def test_an_empty_workload_has_an_empty_schedule():
    assert len(simulate(table([], 4), OwnPolicy(examples_own.easy)).jobs) == 0


# What a function sees


def seen(what, rows=((0, 10, 20, 3), (5, 5, 5, 2)), machine=4):
    """What a function of the queue and the machine gives at each pass, in which all jobs start that fit."""
    told = []

    def watched(queue, machine):
        told.append(what(queue, machine))
        yield from machine.fitting(queue)

    simulate(table(rows, machine), OwnPolicy(watched))
    return told


def test_a_function_sees_whose_a_job_is_by_its_own_label_whatever_the_order():
    w = random_workload(7, jobs=50)
    w = w.derive(w.jobs.assign(user=range(50), group=range(100, 150), queue=range(200, 250)), "with users")
    w = w.shake(60, seed=1)
    wrong = []

    def watched(queue, machine):
        for job in queue:
            row = w.jobs.loc[job.number]
            own = job.submit, job.procs, job.user, job.group, job.queue
            wrong.extend([job] * (own != (row.submit, row.procs, row.user, row.group, row.queue)))
        return list(machine.fitting(queue))[:1]

    simulate(w, OwnPolicy(watched))
    assert not wrong


def test_nobody_knows_a_run_time_before_the_job_has_ended():
    with pytest.raises(AttributeError, match="job 0: found run read"):
        seen(lambda queue, machine: queue[0].run)
    with pytest.raises(AttributeError, match="job 0: found run read"):
        seen(lambda queue, machine: [job.run for job in machine.running])
    assert seen(lambda queue, machine: [job.run for job in machine.ended]) == [[], [], [10]]


def test_who_ended_while_nobody_waited_is_told_in_the_next_pass_and_once():
    rows = [(0, 3, 3, 1), (0, 1, 1, 1), (0, 3, 3, 1), (9, 1, 1, 1), (9, 1, 1, 4)]
    assert seen(lambda queue, machine: [job.number for job in machine.ended], rows) == [[], [1, 0, 2], [3]]


def test_of_those_given_the_ones_are_found_that_fit_when_it_is_their_turn():
    def widest(queue, machine):
        yield from machine.fitting(sorted(queue, key=lambda job: -job.procs))

    rows = [(0, 9, 9, 1), (0, 9, 9, 3), (0, 9, 9, 2), (0, 9, 9, 1)]
    assert simulate(table(rows, 5), OwnPolicy(widest)).jobs.start.to_list() == [9, 0, 0, 9]


def test_running_jobs_stand_in_order_of_their_expected_ends():
    rows = [(0, 9, 30, 1), (1, 9, 10, 1), (2, 9, 20, 1), (3, 1, 1, 1), (4, 1, 1, 4)]
    assert seen(lambda queue, machine: [job.expected_end for job in machine.running], rows)[3] == [11, 22, 30]


@given(drawn=small_workloads())
def test_the_queue_shows_those_that_have_not_started_in_order_of_arrival_also_within_a_pass(drawn):
    machine, rows = drawn

    def watched(queue, machine):
        before = list(queue)
        assert before == sorted(before, key=lambda job: (job.submit, job.number)) and len(queue) == len(before)
        for job in reversed(before):
            if job.procs <= machine.free:
                yield job
                before.remove(job)
                assert list(queue) == before and len(queue) == len(before) and bool(queue) == bool(before)
                assert not before or (queue[0], queue[-1], queue[1:]) == (before[0], before[-1], before[1:])
                assert job not in queue

    simulate(table(rows, machine), OwnPolicy(watched)).check()


def test_who_ended_early_is_known_also_if_nobody_waited_then():
    rows = [(0, 3, 9, 1), (0, 5, 5, 1), (9, 1, 1, 1)]
    assert seen(lambda queue, machine: [job.number for job in machine.ended_early], rows) == [[], [0]]


def test_who_starts_first_in_a_pass_is_backfilled_only_past_a_job_that_still_waits():
    def last_first(queue, machine):
        yield from machine.fitting(list(queue)[::-1])

    rows = [(0, 9, 9, 1), (0, 9, 9, 1), (0, 9, 9, 9), (0, 9, 9, 1)]
    schedule = simulate(table(rows, 9), OwnPolicy(last_first))
    assert schedule.jobs.start.to_list() == [0, 0, 9, 0]
    assert schedule.jobs.backfilled.to_list() == [False, False, False, True]


def test_a_function_may_say_what_it_does_and_sort_the_queue():
    def talks(queue, machine):
        queue.sort(key=lambda job: job.estimate)
        yield Note("sorts", list(queue))
        for job in list(queue):
            yield Start(job, "fits", {"free": machine.free}) if machine.fits(job) else Wait(job, "does not fit")

    def shortest(queue, machine):
        yield from machine.fitting(sorted(queue, key=lambda job: job.estimate))

    first, second = (simulate(random_workload(5), OwnPolicy(own)).jobs.start for own in (talks, shortest))
    assert first.equals(second)


def test_a_call_and_the_deadlines_of_a_predictor_do_not_replace_each_other():
    passes = []

    def calls(queue, machine):
        passes.append(machine.now)
        if machine.now in (0, 4):
            machine.call_at(9.5)
            machine.call_at(machine.now + 2)  # the last one counts
        yield from machine.fitting(queue)

    rows = [(0, 30, 99, 4), (0, 1, 1, 4), (4, 1, 1, 4)]
    simulate(numbered(rows, 4), OwnPolicy(calls, Watched(start_1={1: 5}, deadline_missed_1={1: 20})))
    assert passes == [0, 2, 4, 5, 6, 20, 30, 31]


def test_a_function_schedules_gpus():
    rows = np.array([(0, 10, 20, 1, 2), (1, 9, 9, 1, 1), (2, 5, 5, 1, 0), (3, 5, 5, 4, 0)])
    names = ["submit", "run", "estimate", "procs", "gpus"]
    w = Workload(pd.DataFrame(rows, columns=names), 4, gpus=2)
    assert differing(simulate(w, OwnPolicy(examples_own.easy)), simulate(w, EASY())) == []
    said = "second 1: job 1 .* needs 1 processors and 1 GPUs, where 3 of 4 and 0 of 2 GPUs"
    with pytest.raises(ValueError, match=said):
        simulate(w, OwnPolicy(too_large))


# What is refused


def only_once(queue, machine):
    return list(queue)[:1] * 2


def too_large(queue, machine):
    return list(queue)


def unknown(queue, machine):
    return [job.number for job in queue]


def running(queue, machine):
    yield from machine.running
    yield queue[0]


def copied(queue, machine):
    return [Job(queue[0].number, place=0, submit=0, run=1, estimate=1, procs=1)]


def nobody(queue, machine):
    return []


def forgotten(queue, machine):
    list(machine.fitting(queue))


def one(queue, machine):
    return queue[0]


REFUSED = [
    (only_once, "second 0: job 0 is to start, which started at second 0"),
    (running, "second 5: job 0 is to start, which started at second 0"),
    (too_large, "second 5: job 1 is to start, which needs 2 processors, where 1 of 4 are free"),
    (unknown, "second 0: found 0 to start"),
    (copied, "second 0: found <job 0: 1 processor, estimate 1 s> to start"),
    (nobody, "second 5: job 0 starves"),
    (forgotten, "second 0: returned None"),
    (one, "second 0: returned <job 0: 3 processors, estimate 20 s>"),
]


# no function gets an impossible schedule by reaching into the machine, the jobs or the queue
def more_than_there_are(queue, machine):
    object.__setattr__(machine, "left", 1000)
    yield from queue


def narrower(queue, machine):
    for job in queue:
        object.__setattr__(job, "needs", 1)
        yield job


def starts_again(queue, machine):
    job = queue[0]
    yield job
    object.__setattr__(job, "start", None)
    yield job


def loses_one(queue, machine):
    yield queue[0]
    list.clear(queue)


def promises(was, at, reserves=True):
    def promising(queue, machine):
        yield Promise(queue[0], was, at, "is promised")

    promising.reserves = reserves
    return promising


def promised_twice(queue, machine):
    yield Promise(queue[0], None, machine.now, "is promised")
    yield queue[0]
    yield Promise(queue[0], None, machine.now, "is promised")
    yield queue[0]


promised_twice.reserves = True


def calls_back(second):
    def calling(queue, machine):
        machine.call_at(second)
        yield from queue

    return calling


PROMISES = [
    (promises(None, 9, reserves=False), "second 0: job 0 is promised second 9, .* reserves = True", 5),
    (promises(3, 9), "second 0: job 0: found a promise that was 3, .* None", 5),
    (promises(None, -1), "second 0: job 0 is promised second -1", 5),
    (promises(None, 2.5), "second 0: job 0 is promised second 2.5", 5),
    (promised_twice, "second 0: job 1 is to start, which needs 2 processors", 0),
    *((calls_back(at), "call_at: found second ", 5) for at in (0, "6", True, math.nan)),
]


@pytest.mark.parametrize("function, said, submit", PROMISES)
def test_promises_and_calls_that_cannot_be_are_refused(function, said, submit):
    with pytest.raises(ValueError, match=said):
        simulate(table([(0, 10, 20, 3), (submit, 5, 5, 2)], 4), OwnPolicy(function))


REACHES_IN = [
    (more_than_there_are, "job 1 starts at second 0, when 5 processors are in use with it"),
    (narrower, "job 1 starts at second 0, when 5 processors are in use with it"),
    (starts_again, "second 0: found <job 0: 3 processors, estimate 20 s> to start"),
    (loses_one, "job 1 was never started"),
]
BY_SUBMIT = [(*case, 5) for case in REFUSED] + [(*case, 0) for case in REACHES_IN]


@pytest.mark.parametrize("function, said, submit", BY_SUBMIT, ids=[function.__name__ for function, *_ in BY_SUBMIT])
def test_what_cannot_be_is_refused_with_the_function_the_second_and_the_job(function, said, submit):
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        simulate(table([(0, 10, 20, 3), (submit, 5, 5, 2)], 4), OwnPolicy(function))
    assert f"OwnPolicy({function.__name__})" in str(error.value)


def test_what_a_function_raises_has_a_note_with_the_second_and_who_waits():
    def fails(queue, machine):
        yield from machine.fitting(queue)
        machine.now // machine.ended

    with pytest.raises(TypeError) as error:
        simulate(table([(0, 10, 20, 3), (5, 5, 5, 2)], 4), OwnPolicy(fails))
    assert error.value.__notes__ == [
        "OwnPolicy(fails) raised this at second 0, 1 of 4 processors free; 1 waited when the pass began"
    ]


@pytest.mark.parametrize(
    "function, said",
    [
        (examples_own.LastTwo, "found the class LastTwo, .* an object of it"),
        (EASY(), "OwnPolicy: found EASY"),
        (lambda queue: [], "cannot be called with a queue and a machine"),
    ],
)
def test_what_is_no_function_of_a_queue_and_a_machine_is_refused(function, said):
    with pytest.raises(ValueError, match=said):
        OwnPolicy(function)


# A memory


def with_users(seed=8):
    w = random_workload(seed)
    return w.derive(w.jobs.assign(user=np.arange(len(w)) % 7), "with users")


def test_each_simulation_begins_with_the_memory_that_was_given():
    predictor = examples_own.LastTwo()
    w, policy = with_users(), OwnPolicy(examples_own.easy_sjbf, predictor)
    first = simulate(w, policy)
    assert differing(first, simulate(w, policy)) == []
    assert predictor.last_two == predictor.number == {}
    assert len(first.policy.predictor.number) == len(w)


def test_policies_have_the_names_of_their_functions():
    named = [OwnPolicy(examples_own.easy, examples_own.LastTwo()), OwnPolicy(Counting())]
    assert list(map(str, named)) == ["OwnPolicy(easy, LastTwo())", "OwnPolicy(Counting())"]


def test_it_is_compared_planned_and_explained_as_others_are():
    w = Workload.of("three jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    schedule = simulate(w, OwnPolicy(examples_own.fcfs))
    assert schedule.plan(5).jobs.start.to_list() == [0, 20, 20]
    difference = first_difference(schedule, simulate(w, EASY()))
    assert (difference.job, difference.starts) == ("C", (10, 2))
    assert "OwnPolicy(fcfs) at 10" in difference.text or "OwnPolicy(fcfs) starts it at 10" in difference.text


# What a policy remembers


class Counting:
    """First come, first served; counts its passes."""

    def __init__(self):
        self.passes = 0

    def __call__(self, queue, machine):
        self.passes += 1
        yield from examples_own.fcfs(queue, machine)


def test_what_a_policy_remembers_is_read_from_its_schedule_and_not_known_to_the_next():
    w, given = table([(0, 10, 10, 3), (1, 5, 5, 2), (2, 5, 5, 2)], 4), OwnPolicy(Counting())
    schedule = simulate(w, given)
    assert schedule.policy.function.passes == 4  # at seconds 0, 1, 2, 10
    assert given.function.passes == 0
    again = simulate(w, schedule.policy)
    assert again.policy.function.passes == schedule.policy.function.passes == 4
    assert str(schedule.policy) == str(given) and type(schedule.policy) is OwnPolicy
    assert schedule.plan(1).policy.function.passes == 3  # at seconds 0, 1, 10


class Keeping:
    """Starts all that fit, and keeps what it sees."""

    def __call__(self, queue, machine):
        self.jobs, self.queue, self.machine = list(queue), queue, machine
        yield from machine.fitting(queue)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_policy_that_remembers_jobs_can_be_copied(copied):
    kept = simulate(table([(0, 10, 20, 3), (5, 5, 5, 2)], 4), OwnPolicy(Keeping())).policy.function
    for name in ("jobs", "queue", "machine"):
        assert repr(getattr(copied(kept), name)) == repr(getattr(kept, name)) or name == "queue"


def test_for_another_run_a_policy_has_its_first_memory_and_says_whether_it_can_restore_it():
    class Restoring(Counting):
        def restore(self, past, present):
            self.passes = len(past)

    for own, restores in ((Counting(), False), (Restoring(), True)):
        ran = simulate(table([(0, 10, 10, 3)], 4), OwnPolicy(own)).policy
        plain = ran.plain()
        assert hasattr(plain, "restore") == restores
        list(plain(Queue(), Machine(4)))
        assert (ran.function.passes, own.passes) == (1, 0)
    plain.restore([None] * 7, [])
    assert plain.policy.function.passes == 7
    assert in_plain.is_known(ran)


# Predictions


class Watched(simlib.Predictor):
    """Notes what happens, and predicts as it is told."""

    def __init__(self, **predicted):
        self.seen, self.predicted = [], predicted

    def note(self, event, job, now):
        self.seen.append((event, job.number, now, job.estimate))
        return self.predicted.get(f"{event}_{job.number}")

    def arrival(self, job, now):
        return self.note("arrival", job, now)

    def start(self, job, now):
        return self.note("start", job, now)

    def deadline_missed(self, job, now):
        return self.note("deadline_missed", job, now)

    def finish(self, job, now):
        return self.note("finish", job, now)


def watched(rows, function=examples_own.easy, machine=4, **predicted):
    schedule = simulate(numbered(rows, machine), OwnPolicy(function, Watched(**predicted)))
    return schedule, schedule.policy.predictor.seen


@given(seed=st.integers(0, 2**32))
def test_a_predictor_that_predicts_the_estimates_changes_nothing(seed):
    w = random_workload(seed, jobs=80, overrun=False)
    one, other = (simulate(w, OwnPolicy(examples_own.easy, each)) for each in (None, simlib.Predictor()))
    assert differing(one, other) == []
    assert other.jobs.adjusted.equals(w.jobs.estimate) and (other.jobs.mean_prediction == w.jobs.estimate).all()


def test_a_predictor_hears_what_happens_to_each_job_and_when():
    _, seen = watched([(0, 30, 10, 4), (5, 10, 20, 1)], deadline_missed_1={1: 25})
    assert seen == [
        ("arrival", 1, 0, 10),
        ("start", 1, 0, 10),
        ("arrival", 2, 5, 20),
        ("deadline_missed", 1, 10, 10),
        ("deadline_missed", 1, 25, 25),  # and then never again, for it was not corrected
        ("finish", 1, 30, 25),
        ("start", 2, 30, 20),
        ("finish", 2, 40, 20),
    ]


def test_a_correction_causes_a_pass_that_may_start_jobs():
    rows = [(0, 30, 10, 3), (1, 5, 5, 4), (2, 9, 9, 1)]  # job 3 may pass job 2 as soon as job 1 is expected to last
    kept, _ = watched(rows)
    corrected, _ = watched(rows, deadline_missed_1={1: 40})
    assert (kept.jobs.start.to_list(), corrected.jobs.start.to_list()) == ([0, 30, 35], [0, 30, 10])


def test_one_event_may_change_what_is_predicted_of_others():
    schedule, seen = watched([(0, 10, 10, 4), (0, 50, 50, 4), (0, 60, 60, 1)], finish_1={2: 20, 3: 5})
    assert ("start", 2, 10, 20) in seen and ("deadline_missed", 2, 30, 20) in seen and ("start", 3, 60, 5) in seen
    assert schedule.jobs.mean_prediction.to_list() == [10, (10 * 50 + 50 * 20) / 60, (10 * 60 + 110 * 5) / 120]


def test_a_deadline_that_is_moved_and_comes_back_is_missed_once():
    rows = [(0, 30, 99, 2), (5, 1, 1, 1), (6, 1, 1, 1)]
    _, seen = watched(rows, start_1={1: 15}, arrival_2={1: 12}, arrival_3={1: 15})
    assert [one[:3] for one in seen if one[0] == "deadline_missed"] == [("deadline_missed", 1, 15)]


@pytest.mark.parametrize(
    "predicted, said",
    [
        ({"arrival_1": {9: 5}}, "second 0: arrival of job 1: predicted job 9"),
        ({"finish_1": {1: 5}}, "second 10: finish of job 1: predicted job 1"),
        ({"arrival_1": {1: 2.5}}, "predicted 2.5 for job 1"),
        ({"arrival_1": {1: -1}}, "predicted -1 for job 1"),
        ({"start_1": 5}, "start of job 1: returned 5"),
    ],
)
def test_predictions_that_cannot_be_are_refused(predicted, said):
    with pytest.raises(ValueError, match=said):
        watched([(0, 10, 10, 4)], **predicted)


def test_what_a_predictor_raises_says_where():
    class Fails(simlib.Predictor):
        def finish(self, job, now):
            return 1 / 0

    with pytest.raises(ZeroDivisionError) as error:
        simulate(table([(0, 10, 20, 3)], 4), OwnPolicy(examples_own.easy, Fails()))
    assert "finish of job 0 raised this at second 10, 4 of 4 processors free" in error.value.__notes__[0]


def test_what_is_no_predictor_is_refused():
    with pytest.raises(ValueError, match="predictor: found <class .*LastTwo'>"):
        OwnPolicy(examples_own.easy, examples_own.LastTwo)
    with pytest.raises(ValueError, match="found a predictor for a function that reserves"):
        OwnPolicy(promised_twice, simlib.Predictor())


def test_what_the_documentation_shows_is_what_stands_in_the_examples(monkeypatch):
    monkeypatch.setattr(simlib, "load", lambda name: random_workload(5, jobs=200))
    shown = (ROOT / "docs/how-to/own-policies.md").read_text("utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", shown, flags=re.S):
        exec(block.replace("(256, 1024)", "(9,)"), names)
    w = with_users(6)
    kept = examples_own.fcfs, examples_own.easy, examples_own.easy_sjbf, examples_own.best_fit, examples_own.lookahead
    known = {own.__name__: own for own in kept} | {"easy_with_reasons": examples_own.easy}
    for name in known.keys() & names.keys():
        assert (name, differing(simulate(w, OwnPolicy(known[name])), simulate(w, OwnPolicy(names[name])))) == (name, [])
    assert known.keys() - names.keys() == {"lookahead"}
    promised, compiled = simulate(w, OwnPolicy(names["conservative"])), simulate(w, Conservative("none"))
    assert differing(promised, compiled) == []
    there, shown = (OwnPolicy(examples_own.easy_sjbf, one) for one in (examples_own.LastTwo(), names["LastTwo"]()))
    assert differing(simulate(w, there), simulate(w, shown)) == []
