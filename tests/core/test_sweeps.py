"""Sweeps give the same results in the same order on whatever executes them."""

import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import simlib
from simlib import EASY, Conservative, simulate
from simlib.core.sweeps import sweep

pytestmark = pytest.mark.slow


def mean_wait(seed, policy):
    return simulate(simlib.load("sample").shake(60, seed), policy).jobs.wait.mean()


TASKS = [(seed, policy) for seed in range(3) for policy in (EASY(), Conservative())]


def test_threads_processes_and_a_plain_loop_agree():
    plain = [mean_wait(*task) for task in TASKS]
    assert sweep(mean_wait, TASKS) == plain
    with ThreadPoolExecutor(1) as one, ProcessPoolExecutor(2, get_context("spawn")) as processes:
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
