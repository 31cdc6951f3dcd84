"""Simulations show how far they are and end at once when interrupted; many give the same results whatever runs them."""

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import simlib
from simlib import EASY, Conservative, OwnPolicy, simulate
from simlib.core import threads
from simlib.core.estimates import Uniform
from simlib.core.threads import sweep
from simlib.models import jann97

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def overloaded():
    """Takes conservative backfilling many seconds: its queue grows, and nearly all of it moves when a job ends."""
    return jann97.workload(60_000).scale_load(1.3).with_estimates(Uniform(10))


@pytest.fixture(autouse=True)
def signals():
    """What Python does with an interrupt, whatever a library has made of it that another test uses."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_once_jobs_have_started(simulations=1):
    """Interrupt the main thread in a moment; never where no simulation begins, for a later test would be hit."""

    def progress_and_stop():
        if soon(lambda: sum(w[0] > 0 for w in list(threads._running.values())) >= simulations):
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=progress_and_stop, daemon=True).start()


def soon(holds):
    """Whether something holds within ten seconds: a thread that is to end may have a last line to run."""
    deadline = time.monotonic() + 10
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def test_an_interrupt_ends_a_simulation_and_leaves_nothing_running(overloaded):
    simulate(jann97.workload(threads.LONG), Conservative())  # compiled by now, and tqdm's own thread is there
    before = threading.active_count()
    interrupt_once_jobs_have_started()
    with pytest.raises(KeyboardInterrupt):
        simulate(overloaded, Conservative())
    assert soon(lambda: threading.active_count() == before)
    assert not threads._running


def test_an_interrupt_does_not_wait_for_numba_to_compile():
    compiled, ended = threading.Event(), threading.Event()

    def deaf(progress_and_stop):
        progress_and_stop[0] = 1
        compiled.wait(20)
        ended.set()

    interrupt_once_jobs_have_started()
    with pytest.raises(KeyboardInterrupt):
        threads.interruptible(deaf, jobs=threads.LONG)
    assert not ended.is_set()
    compiled.set()


@pytest.mark.parametrize("jobs", [1000, threads.LONG])
def test_an_interrupt_ends_a_function_in_plain_python_that_never_returns(jobs):
    def endless(queue, machine):
        yield queue[0]
        while len(machine.running) > 1:
            pass

    before = threading.active_count()
    interrupt_once_jobs_have_started()
    with pytest.raises(KeyboardInterrupt):
        simulate(jann97.workload(jobs), OwnPolicy(endless))
    assert soon(lambda: threading.active_count() <= before)
    assert not threads._running


def test_an_interrupt_ends_all_simulations_of_a_sweep(overloaded):
    interrupt_once_jobs_have_started(simulations=2)
    with pytest.raises(KeyboardInterrupt):
        sweep(simulate, [(overloaded, Conservative("start"))] * 20)
    assert soon(lambda: not threads._running)


def test_an_interrupt_of_a_sweep_ends_simulations_that_are_just_about_to_begin_and_begins_no_others(overloaded):
    begun = []

    def late(workload):
        begun.append(threading.get_ident())
        os.kill(os.getpid(), signal.SIGINT) if len(begun) == 1 else None
        time.sleep(0.2)
        return simulate(workload, Conservative("start"))

    with pytest.raises(KeyboardInterrupt):
        sweep(late, [(overloaded,)] * 20)
    assert soon(lambda: not threads._running)
    time.sleep(0.3)
    assert len(begun) <= 3 and not threads._running


def test_a_simulation_that_was_interrupted_can_be_begun_again():
    workload = jann97.workload(threads.LONG)
    threads.stop_all()
    assert simulate(workload, EASY()).jobs.wait.min() == 0


@pytest.mark.parametrize("somebody, plain", [(True, True), (True, False), (False, False)])
def test_a_bar_shows_how_many_jobs_have_started_if_somebody_sees_it(somebody, plain, monkeypatch, capsys):
    monkeypatch.setattr(threads, "bar_shows", lambda: somebody)

    def slow(progress_and_stop):
        progress_and_stop[0] = 12_000
        time.sleep(1.5)
        return "found"

    assert threads.interruptible(slow, jobs=24_000, plain=plain) == "found"
    shown = capsys.readouterr().err
    assert ("simulate: 100%" in shown and "12.0k/24.0k" in shown) if somebody else shown == ""


def test_papermills_log_has_lines_with_the_time_that_is_left_of_all_sweeps_together(monkeypatch, capsys):
    monkeypatch.setattr(threads, "lines_show", lambda: True)
    seconds = iter([0, 10, 60, 85, 120])
    monkeypatch.setattr(threads.time, "monotonic", lambda: next(seconds))
    bar = threads.counted(6, "runs")
    bar.total -= 1  # was kept
    with ThreadPoolExecutor(1) as one:
        sweep(pow, [(2, 3)] * 2, one, bar)  # after 10 and 60 seconds
    bar.update(2)
    bar.update()  # the last one
    assert capsys.readouterr().err == "runs: 2 of 5, about 1.5 minutes left\n"


def test_an_error_in_the_thread_of_a_long_simulation_reaches_the_caller():
    with pytest.raises(ValueError, match="nan"):
        simulate(jann97.workload(threads.LONG), EASY(order=lambda wait, estimate, procs: 0.0 * wait / 0.0))


# Many at once


def mean_wait(seed, policy):
    return simulate(simlib.load("sample").shake(60, seed), policy).jobs.wait.mean()


TASKS = [(seed, policy) for seed in range(3) for policy in (EASY(), Conservative())]


def test_threads_processes_and_a_plain_loop_agree():
    plain = [mean_wait(*task) for task in TASKS]
    assert sweep(mean_wait, TASKS) == plain
    with ThreadPoolExecutor(1) as one, ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert sweep(mean_wait, TASKS, one) == plain
        assert sweep(mean_wait, TASKS, processes) == plain


def test_results_are_in_the_order_of_the_tasks_whichever_ends_first():
    def slow_first(k):
        time.sleep(0.05 if k == 0 else 0)
        return k

    assert sweep(slow_first, [(k,) for k in range(5)]) == [0, 1, 2, 3, 4]


def test_the_first_failure_is_raised_and_what_has_not_begun_is_cancelled():
    begun = []
    gate = threading.Event()

    def fail(k):
        begun.append(k)
        if k == 0:
            raise ArithmeticError("task 0")
        gate.wait(1)

    with ThreadPoolExecutor(2) as two:
        with pytest.raises(ArithmeticError, match="task 0"):
            sweep(fail, [(k,) for k in range(50)], two)
        gate.set()
    assert len(begun) < 10


def test_no_tasks_give_no_results():
    assert sweep(mean_wait, []) == []


def test_the_bar_is_shown_when_asked_for_and_quiet_in_a_file(capsys):
    sweep(pow, [(2, 3)], progress=True, label="powers")
    assert "powers: 100%" in capsys.readouterr().err
    sweep(pow, [(2, 3)])
    assert capsys.readouterr().err == ""
