"""Orders of the queue that somebody wrote: compiled, told apart by all they hang on, or refused in clear words."""

import functools
import math
import signal
import subprocess
import sys
import time
import types

import numba
import numpy as np
import pytest
from helpers import random_workload, starts, table

from simlib import EASY, simulate
from simlib.orders import compiled
from simlib.stats import shake


def test_an_order_may_be_a_function_that_numba_has_compiled_already():
    def smallest(wait, estimate, size):
        return -size

    rows = [(0, 10, 10, 4), (1, 9, 9, 4), (2, 5, 5, 3)]
    assert starts(rows, 4, EASY(order=numba.njit(smallest))) == starts(rows, 4, EASY(order=smallest)) == [0, 15, 10]


@pytest.mark.slow
def test_an_order_may_return_whole_numbers_or_truth_values():
    rows = [(0, 10, 10, 4), (1, 9, 9, 4), (2, 5, 5, 3)]
    assert starts(rows, 4, EASY(order=lambda wait, estimate, size: 4 - int(size))) == [0, 15, 10]
    assert starts(rows, 4, EASY(order=lambda wait, estimate, size: size < 4)) == [0, 15, 10]


@pytest.mark.slow
def test_an_order_that_divides_by_nothing_does_no_harm_but_nan_is_refused():
    rows = [(0, 10, 10, 4), (1, 0, 0, 4), (2, 5, 5, 4)]
    assert starts(rows, 4, EASY(order=lambda wait, estimate, size: (wait + 1) / estimate)) == [0, 10, 10]
    with pytest.raises(ValueError, match="returned nan for wait=0, estimate=0, size=4; expected a function of"):
        starts(rows, 4, EASY(order=lambda wait, estimate, size: estimate / estimate))


def test_what_an_order_raises_is_raised_with_the_job_it_was_asked_about():
    def impatient(wait, estimate, size):
        if wait > 5:
            raise LookupError("waited for too long")
        return wait

    rows = [(0, 10, 10, 4), (1, 9, 9, 4)]
    with pytest.raises(LookupError, match="waited for too long") as caught:
        starts(rows, 4, EASY(order=impatient))
    assert "'impatient' raised this for wait=9, estimate=9, size=4" in caught.value.__notes__[0]
    with pytest.raises(LookupError):  # in threads, where nobody holds Python's lock
        shake(table(rows, 4), EASY(order=impatient), runs=4, seconds=0)


@pytest.mark.parametrize(
    "order, said",
    [
        (lambda wait, time: wait, "cannot be called with three numbers: .*'time' is none of them"),
        (lambda: 1.0, "cannot be called with three numbers"),
        (float, "expected one of 'fcfs', 'sjf', 'wfp' or a function"),
        (functools.partial(pow, 2), "found order=functools.partial.*, expected one of"),
        (max, "found order=<built-in function max>, expected one of"),
        (3, "found order=3, expected one of"),
        (None, "found order=None, expected one of"),
    ],
)
def test_what_cannot_be_an_order_is_refused_when_the_policy_is_made(order, said):
    with pytest.raises(ValueError, match=said):
        EASY(order=order)


def nothing(wait, estimate, size):
    wait * size


def nothing_in_some_case(wait, estimate, size):
    if wait > 1e9:
        return 1.0


def text(wait, estimate, size):
    return "first"


def unknown_name(wait, estimate, size):
    return waiting * size  # noqa: F821


def unknown_attribute(wait, estimate, size):
    return wait.seconds


def imports(wait, estimate, size):
    import math

    return math.sqrt(wait)


def prints(wait, estimate, size):
    print(wait)
    return wait


def by_name(wait, estimate, size):
    return {"a": object()}[wait]


@pytest.mark.parametrize(
    "order, said",
    [
        (nothing, "returns nothing; expected"),
        (nothing_in_some_case, "returns sometimes nothing; expected .* in every case"),
        (text, "returns a string"),
        (unknown_name, r"line \d+: NameError: name 'waiting' is not defined"),
        (unknown_attribute, r"line \d+: AttributeError: 'float' object has no attribute 'seconds'"),
        (imports, "cannot be compiled .*IMPORT_NAME.*imported outside of it"),
        (prints, r"prints, .* such as print\(prints\(60.0, 3600.0, 8.0\)\), and take the print out"),
        (by_name, "by_name.*KeyError"),
        (lambda wait, estimate, size: complex(wait), "returns complex"),
        (lambda *numbers: numbers[0], "cannot be compiled"),
    ],
)
def test_an_order_that_cannot_work_is_refused_before_the_run_in_plain_words(order, said):
    with pytest.raises(ValueError, match=said):
        starts([(0, 1, 1, 1)], 1, EASY(order=order))


weight = 1.0


def weighted(wait, estimate, size):
    return weight * wait - (1 - weight) * estimate


@pytest.mark.slow
def test_an_order_that_reads_a_global_variable_follows_its_changes(monkeypatch):
    w = random_workload(1)
    for value, same in ((0.0, "sjf"), (1.0, "fcfs"), (0.0, "sjf")):
        monkeypatch.setitem(globals(), "weight", value)
        ours, expected = (simulate(w, EASY(order=order)).jobs.start for order in (weighted, same))
        assert ours.equals(expected)


@pytest.mark.slow
def test_an_order_that_reads_a_variable_around_it_or_a_module_or_another_function_follows_their_changes():
    settings, step = types.ModuleType("settings"), 1.0
    settings.sign = 1.0

    def by_size(size):
        return settings.sign * size

    def order(wait, estimate, size):
        return by_size(size) if step > 0 else math.floor(-size)

    def value():
        return compiled(order).ctypes(0.0, 0.0, 3.0)

    assert value() == 3.0
    settings.sign = 2.0
    assert value() == 6.0
    step = -1.0
    assert value() == -3.0


def test_an_order_is_compiled_once_as_long_as_nothing_changes():
    def order(wait, estimate, size):
        return np.float64(weight) * wait

    assert compiled(order) is compiled(order)


ENDLESS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests' own process does with it
import pandas as pd
from simlib import EASY, Workload, simulate
from simlib.orders import compiled
from simlib.stats import shake

def endless(wait, estimate, size):
    while size > 0:
        size = size % 7 + 1
    return size

w = Workload(pd.DataFrame({"submit": [0, 0], "run": [9, 9], "procs": [1, 1]}), 1)
simulate(w, EASY(order=lambda wait, estimate, size: size))
compiled(endless)
print("begun", flush=True)
simulate(w, EASY(order=endless)) if sys.argv[1] == "once" else shake(w, EASY(order=endless), runs=2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("many, presses", [("once", 1), ("many", 2)])
def test_an_order_that_never_returns_does_not_keep_the_process_from_ending(many, presses):
    command = [sys.executable, "-c", ENDLESS, many]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        for _ in range(presses):
            time.sleep(1.5)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
        assert process.wait(20) == -signal.SIGINT
        assert "KeyboardInterrupt" in process.stderr.read()
    finally:
        process.kill()
        process.communicate()
