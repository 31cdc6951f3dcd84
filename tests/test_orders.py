"""Orders of the queue that somebody wrote: compiled, told apart by all they hang on, or refused in clear words."""

import contextlib
import functools
import linecache
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


def nothing_for_four(wait, estimate, size):
    if size > 4:
        return 1.0
    if size < 4:
        return 2.0


def no_value(wait, estimate, size):
    if estimate < 600:
        value = 1.0
    return value


def text(wait, estimate, size):
    return "first"


def text_for_some(wait, estimate, size):
    return "first" if wait > 10 else 0.0


def unknown_name(wait, estimate, size):
    return waiting * size  # noqa: F821


def unknown_name_later(wait, estimate, size):
    if wait > 1e6:
        return waiting  # noqa: F821
    return size


def unknown_attribute(wait, estimate, size):
    return wait.seconds


def imports(wait, estimate, size):
    import math

    return math.sqrt(wait)


def prints(wait, estimate, size):
    print(wait)
    return wait


def shown(number):
    prints(number, number, number)
    return number


def prints_in_another(wait, estimate, size):
    return shown(wait)


aloud = print


def prints_by_another_name(wait, estimate, size):
    aloud(wait)
    return wait


def prints_inside(wait, estimate, size):
    return max([print(size) or size for _ in range(2)])


def prints_with_facts(user, wait):
    print(user)
    return wait


def asks(wait, estimate, size):
    return float(input("how urgent?"))


def by_name(wait, estimate, size):
    return {"a": object()}[wait]


def catches(wait, estimate, size):
    try:
        return wait / estimate
    except ZeroDivisionError:
        return 0.0


def keeps_count(wait, estimate, size):
    global count
    count = wait
    return count


def mixed_list(wait, estimate, size):
    return [wait, "none"][int(size) % 2]


def mixed_variable(wait, estimate, size):
    kind = "short" if estimate < 60 else 3
    return wait if kind == 3 else size


def reads_a_table(wait, estimate, size):
    return jobs["a"] * wait


def reads_a_list(wait, estimate, size):
    seen.append(wait)
    return wait


def opens(wait, estimate, size):
    with lock:
        return wait


def formats(wait, estimate, size):
    return float(f"{wait:.2f}")


def never_compiled(wait, estimate, size):
    return any([wait > 2, size > 2])


def gives(wait, estimate, size):
    yield wait


count, jobs, seen, lock = 0, {"a": 1.0, 2: 3}, [], contextlib.nullcontext()

REFUSED = [
    (nothing, "returns nothing; expected"),
    (nothing_in_some_case, r"returns nothing for wait=60, estimate=3600, size=8; expected .* in every case"),
    (nothing_for_four, "returns nothing for wait=60, estimate=3600, size=4; expected"),
    (no_value, "reads a variable that has no value yet for wait=60, estimate=3600, size=8; expected one in every case"),
    (text, "returns text"),
    (text_for_some, "a value that is sometimes a number and sometimes text; expected a number in every case"),
    (unknown_name, r"line \d+ \(`return waiting \* size .*`\): it reads 'waiting', which is not defined; .* misspelt"),
    (unknown_name_later, r"line \d+ .* it reads 'waiting', which is not defined"),
    (unknown_attribute, r"line \d+ .*, size=8 it raises AttributeError: 'float' object has no attribute 'seconds'"),
    (imports, r"line \d+ \(`import math`\): it imports math; expected the import above the function"),
    (
        prints,
        r"line \d+ \(`print\(wait\)`\): it prints; expected .* write print\(prints\(60.0, 3600.0, 8.0\)\) in a cell",
    ),
    (prints_in_another, r"line \d+ of 'prints', which it calls \(`print\(wait\)`\): it prints"),
    (prints_by_another_name, r"line \d+ \(`aloud\(wait\)`\): it prints"),
    (prints_inside, r"line \d+ .*: it prints"),
    (prints_with_facts, r"it prints; .* write print\(prints_with_facts\(7.0, 60.0\)\) in a cell"),
    (asks, r"line \d+ .*: it asks for input; expected"),
    (by_name, r"line \d+ .*, size=8 it raises KeyError: 60.0; expected a number"),
    (catches, r"line \d+ .*: a `try` block that catches ZeroDivisionError by its name; expected an `if`"),
    (keeps_count, r"line \d+ .*: it sets the global variable 'count'; expected"),
    (mixed_list, r"line \d+ .*; expected"),
    (mixed_variable, r"line \d+ .*: a value that is sometimes a number and sometimes text"),
    (reads_a_table, r"line \d+ .*: it reads 'jobs', which is of type dict; expected numbers"),
    (reads_a_list, r"line \d+ .*: it reads 'seen', .*list; expected numbers"),
    (opens, r"line \d+ .*: a `with` block; expected arithmetic"),
    (formats, r"line \d+ .*; expected arithmetic"),
    (never_compiled, r"line \d+ .*: it reads 'any', which cannot be compiled; expected arithmetic"),
    (gives, "returns its values by `yield`"),
    (lambda wait, estimate, size: (-size, wait), r"returns several values \(a tuple\)"),
    (lambda wait, estimate, size: [-size, wait], "returns a list"),
    (lambda wait, estimate, size: complex(wait), "returns a complex number"),
    (lambda *numbers: numbers[0], "expected arithmetic"),
]
NUMBAS = ["nopython", "numba", "typing", "Literal", "float64", "signature", "opcode", "IMPORT_NAME", "intrinsic", "$"]


@pytest.mark.parametrize("order, said", REFUSED, ids=[order.__name__ for order, _ in REFUSED])
def test_an_order_that_cannot_work_is_refused_before_the_run_in_plain_words_with_its_line(order, said, capfd):
    with pytest.raises(ValueError, match=said) as caught:
        starts([(0, 1, 1, 1)], 1, EASY(order=order))
    assert [word for word in NUMBAS if word in str(caught.value)] == []
    assert capfd.readouterr() == ("", "")


def test_an_order_typed_into_a_notebook_is_refused_with_its_line_there():
    cell = "def mine(wait, estimate, size):\n    again = helper(wait)\n    return again\n"
    other = "def helper(wait):\n    return undefined * wait\n"
    names = {}
    for source, file in ((other, "/tmp/ipykernel_1/1.py"), (cell, "/tmp/ipykernel_1/2.py")):
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), names)
    with pytest.raises(
        ValueError, match=r"line 2 of 'helper', which it calls \(`return undefined \* wait`\): it reads"
    ):
        starts([(0, 1, 1, 1)], 1, EASY(order=names["mine"]))


def test_what_is_raised_while_jobs_are_scheduled_prints_nothing_in_any_thread(capfd):
    def impatient(wait, estimate, size):
        if wait > 5:
            raise LookupError("waited for too long")
        return wait

    with pytest.raises(LookupError):
        shake(table([(0, 10, 10, 4), (1, 9, 9, 4)], 4), EASY(order=impatient), runs=4, seconds=0)
    assert capfd.readouterr().err.count("\n") < 2  # a progress bar at most


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
