"""Orders of the queue that somebody wrote: compiled, told apart by all they hang on, or refused in clear words."""

import functools
import linecache
import math
import re
import signal
import subprocess
import sys
import textwrap
import time
import types

import numba
import numpy as np
import pytest
import reference
from helpers import ROOT, random_workload, starts, table
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, FCFS, Conservative, Multifactor, Thresholded, replicate, simulate
from simlib.policies import orders
from simlib.policies.orders import ORDERS, compiled


def test_an_order_may_be_a_function_that_numba_has_compiled_already():
    def smallest(wait, estimate, procs):
        return -procs

    rows = [(0, 10, 10, 4), (1, 9, 9, 4), (2, 5, 5, 3)]
    assert starts(rows, 4, EASY(order=numba.njit(smallest))) == starts(rows, 4, EASY(order=smallest)) == [0, 15, 10]


@pytest.mark.slow
def test_an_order_may_return_whole_numbers_or_truth_values():
    rows = [(0, 10, 10, 4), (1, 9, 9, 4), (2, 5, 5, 3)]
    assert starts(rows, 4, EASY(order=lambda wait, estimate, procs: 4 - int(procs))) == [0, 15, 10]
    assert starts(rows, 4, EASY(order=lambda wait, estimate, procs: procs < 4)) == [0, 15, 10]


@pytest.mark.slow
def test_an_order_that_divides_by_nothing_does_no_harm_but_nan_is_refused():
    rows = [(0, 10, 10, 4), (1, 0, 0, 4), (2, 5, 5, 4)]
    assert starts(rows, 4, EASY(order=lambda wait, estimate, procs: (wait + 1) / estimate)) == [0, 10, 10]
    with pytest.raises(ValueError, match="returned nan for wait=0, estimate=0, procs=4"):
        starts(rows, 4, EASY(order=lambda wait, estimate, procs: estimate / estimate))


def test_an_order_is_told_facts_by_name_whatever_their_turn_and_other_parameters_keep_their_defaults():
    w, now = random_workload(3), EASY(order=lambda wait, procs, now: now - wait - 5 * procs)
    for same in (
        lambda submit, procs: submit - 5 * procs,
        lambda procs, submit: submit - 5 * procs,
        lambda submit, weight=5.0, procs=1.0: submit - weight * procs,  # a fact is told, with a default or without
    ):
        schedule = simulate(w, EASY(order=same))
        assert schedule.jobs.start.equals(simulate(w, now).jobs.start)
        assert schedule.jobs.start.equals(reference.simulate(w, schedule.policy).jobs.start)


def test_the_facts_in_the_documentation_are_those_that_there_are():
    page = (ROOT / "docs" / "how-to" / "own-policies.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    rows = rows[rows.index(next(row for row in rows if row.startswith("| `wait` "))) :]
    assert [row.split("`")[1] for row in rows] == list(orders.FACTS)
    assert [line for line in orders.__doc__.splitlines() if line.startswith("| `")] == rows


AUTHORS = {  # github.com/hpcsched/gen-sched-policies, sched-simulator-estimate-backfilling.c, lines 262 to 273: r, n, s
    "f1": lambda r, n, s: -0.0155183403 * np.log10(r) * -0.0005149209 * n + 0.0069596182 * np.log10(s),
    "f2": lambda r, n, s: 0.0000342717 * np.sqrt(r) * 0.0076562110 * n + 0.0067364626 * np.log10(s),
    "f3": lambda r, n, s: -0.2188093701 * r * -0.0000000049 * n + 0.0073580361 * np.log10(s),
    "f4": lambda r, n, s: 0.0056500287 * r * 0.0000024814 * np.sqrt(n) + 0.0074444355 * np.log10(s),
}


@given(st.integers(2, 10**6), st.integers(1, 10**5), st.integers(2, 10**8))
def test_f1_to_f4_are_the_scores_of_their_authors_program_up_to_a_factor(estimate, procs, submit):
    for name, score in AUTHORS.items():
        factor = -ORDERS[name](estimate, procs, 1.0) / score(estimate, procs, 1)
        assert -ORDERS[name](estimate, procs, submit) == pytest.approx(
            factor * score(estimate, procs, submit), rel=5e-3
        )


def test_what_waits_longest_for_its_size_comes_first_by_unicef_and_a_single_processor_before_all():
    unicef, day = ORDERS["unicef"], 86400.0
    assert unicef(600.0, 300.0, 8.0) == 600 / (3 * 300)
    assert unicef(600.0, 300.0, 1.0) > unicef(30 * day, 1.0, 2.0) > unicef(30 * day, 60.0, 2.0)
    assert unicef(600.0, 300.0, 1.0) > unicef(600.0, 301.0, 1.0)


def test_the_expansion_factor_is_what_the_slowdown_would_be():
    assert ORDERS["expansion factor"](30.0, 10.0, 4.0) == 4.0


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_by_name_ranks_jobs_of_no_length_of_one_processor_and_of_the_first_second(name):
    told = {"wait": 0.0, "estimate": 0.0, "procs": 1.0, "submit": 0.0}
    assert math.isfinite(ORDERS[name](**{fact: told[fact] for fact in orders.asked_for(name)}))


def test_who_has_waited_for_longer_than_the_threshold_goes_first_in_order_of_arrival():
    rows = [(0, 10, 10, 4), (1, 9, 9, 4), (2, 8, 8, 4), (5, 1, 1, 4), (5, 2, 2, 4)]
    assert starts(rows, 4, FCFS(order="sjf")) == [0, 21, 13, 10, 11]
    assert starts(rows, 4, FCFS(order=Thresholded("sjf", 9))) == [0, 11, 20, 10, 28]
    assert starts(rows, 4, FCFS(order=Thresholded("sjf", 8))) == [0, 10, 19, 27, 28]


@pytest.mark.slow
def test_an_order_with_a_threshold_may_be_somebodys_and_what_it_ranks_infinite_is_not_starved():
    def widest(weight=1.0, procs=1.0, estimate=0.0):
        return weight * procs / estimate

    rows = [(0, 10, 10, 4), (1, 9, 9, 4), (5, 0, 0, 4), (6, 1, 1, 4)]
    assert starts(rows, 4, FCFS(order=Thresholded(widest, 60))) == [0, 11, 10, 10]
    assert starts(rows, 4, FCFS(order=Thresholded(widest, 8))) == [0, 10, 19, 19]


@pytest.mark.parametrize(
    "given, said",
    [(Multifactor(), r"Thresholded: found order=Multifactor\("), (Thresholded("sjf", 5), "Thresholded: found order=")],
)
def test_a_threshold_needs_an_order_of_the_jobs_own_facts(given, said):
    with pytest.raises(ValueError, match=said):
        Thresholded(given, 5)


def test_a_wait_counts_no_more_than_the_greatest_age():
    priority = Multifactor(max_age_days=1).function
    assert [priority(days * 86400.0, 60.0, 1.0, 0.0, 4.0) for days in (0.5, 1, 2)] == [0.5, 1, 1]


def test_the_size_counts_as_a_share_of_the_machine():
    priority = Multifactor(age=0, procs=3).function
    assert [priority(0.0, 60.0, procs, 0.0, 8.0) for procs in (1.0, 4.0, 8.0)] == [0.375, 1.5, 3]


SHARES, PAIR = np.array([0.5, 0.3, 0.2]), (0.5, 0.3)


@numba.njit
def share_of(user):
    return SHARES[int(user)]


def first_of_those_that_pass(order):
    return EASY(backfill=lambda wait: wait, order=order)


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy, order, line",
    [
        (first_of_those_that_pass, lambda user: SHARES[int(user) * 10**9], "SHARES"),
        (Conservative, lambda user: PAIR[int(user)], "PAIR"),
        (EASY, lambda user: share_of(user), "of 'share_of', which it calls .*SHARES"),
    ],
)
def test_a_place_beyond_the_end_of_a_table_is_an_error_that_tells_line_and_job(policy, order, line):
    rows = [(0, 10, 10, 4, 0), (1, 9, 9, 4, 3), (2, 9, 9, 4, 3)]
    w = table([row[:4] for row in rows], 4)
    w = w.derive(w.jobs.assign(user=[row[4] for row in rows]), "with users")
    with pytest.raises(IndexError) as caught:
        simulate(w, policy(order=order))
    assert re.search(rf"line \d+ .*{line}.* raised this for .*user=3; expected", caught.value.__notes__[0])


def test_places_counted_from_the_end_of_a_table_are_as_in_python():
    assert compiled(lambda wait: SHARES[-int(wait)]).ctypes(3.0, 0.0, 0.0) == 0.5


def test_what_an_order_raises_is_raised_with_the_job_it_was_asked_about_and_nothing_is_printed(capfd):
    def impatient(wait, estimate, procs):
        if wait > 5:
            raise LookupError("waited for too long")
        return wait

    rows = [(0, 10, 10, 4), (1, 9, 9, 4)]
    with pytest.raises(LookupError, match="waited for too long") as caught:
        starts(rows, 4, EASY(order=impatient))
    assert "`): raised this for wait=9, estimate=9, procs=4" in caught.value.__notes__[0]
    with pytest.raises(LookupError):  # in threads, where nobody holds Python's lock
        replicate(table(rows, 4), EASY(order=impatient), shakes=4, seconds=0)
    assert capfd.readouterr().err.count("\n") < 2  # a progress bar at most


@pytest.mark.parametrize(
    "order, said",
    [
        (lambda wait, time: wait, "asks for 'time', .* 'now' meant"),
        (lambda w, e, s: w, "asks for 'w', .* 'wait' meant"),
        (lambda wait, xyz: wait, "asks for 'xyz', which is no fact;"),
        (lambda wait, **more: wait, r"a parameter '\*\*more', which is variadic"),
        (lambda wait, *, user: wait, "a parameter 'user', which is keyword-only"),
        (lambda wait, /: wait, "a parameter 'wait', which is positional-only"),
        (lambda weight=1.0: weight, "asks for nothing"),
        (float, "'fcfs', 'sjf', "),
        (functools.partial(pow, 2), "found order=functools.partial"),
        (max, "found order=<built-in function max>"),
    ],
)
def test_what_cannot_be_an_order_is_refused_when_the_policy_is_made(order, said):
    with pytest.raises(ValueError, match=said):
        EASY(order=order)


def typed(source, names, file="/tmp/ipykernel_1/1.py"):
    """Run what somebody types into a cell of a notebook, whose lines Python then knows."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)


AROUND = """
import contextlib
import numpy as np
aloud, dice = print, np.random.default_rng(1)
count, jobs, lock = 0, {"a": 1.0, 2: 3}, contextlib.nullcontext()
def told(number):
    print(number)
    return number
def shown(number):
    return told(number)
def thrown():
    return np.random.rand()
def lost(number):
    return undefined * number
"""

REFUSED = {
    "wait * procs": "returns nothing; expected",
    "if procs > 4: return 1.0\nif procs < 4: return 2.0": "returns nothing for wait=60, estimate=3600, procs=4; exp",
    "if estimate < 600: value = 1.0\nreturn value": "reads a variable that has no value yet for wait=60, .*; exp",
    "return 'first'": "returns text",
    "return 'first' if wait > 10 else 0.0": "a value that is sometimes a number and sometimes text; exp",
    "return waiting * procs": r"line 2 \(`return waiting \* procs`\): it reads 'waiting', .* misspelt",
    "return wait.seconds": "line 2 .*, procs=8 it raises AttributeError: 'float' object has no attribute 'seconds'",
    "import math\nreturn math.sqrt(wait)": r"line 2 \(`import math`\): it imports math; expected the import above the",
    "print(wait)\nreturn wait": r"line 2 \(`print\(wait\)`\): it prints; .* print\(mine\(wait=60.0, .*, procs=8.0\)\)",
    "return shown(wait)": r"line 7 of 'told', which it calls \(`print\(number\)`\): it prints",
    "aloud(wait)\nreturn wait": r"line 2 \(`aloud\(wait\)`\): it prints",
    "def mine(user, wait):\n print(user)\n return wait": r"it prints; .* print\(mine\(user=7.0, wait=60.0\)\)",
    "return float(input('how urgent?'))": "line 2 .*: it asks for input; expected",
    "return {'a': object()}[wait]": "line 2 .*, procs=8 it raises KeyError: 60.0; expected a number",
    "try:\n return wait / estimate\nexcept ZeroDivisionError:\n return 0.0": "line [24] .*: a `try` block that catches "
    "ZeroDivisionError by its name; expected an `if`",
    "global count\ncount = wait\nreturn count": "line 3 .*: it sets the global variable 'count'; expected",
    "return [wait, 'none'][int(procs) % 2]": "line 2 .*; expected",
    "kind = 'short' if estimate < 60 else 3\nreturn wait if kind == 3 else procs": "line [23] .*: a value that is "
    "sometimes a number and sometimes text",
    "return jobs['a'] * wait": "line 2 .*: it reads 'jobs', which is of type dict; expected numbers",
    "with lock:\n return wait": "line 2 .*: a `with` block; expected arithmetic",
    "return any([wait > 2, procs > 2])": "line 2 .*: it reads 'any', which cannot be compiled; expected arithmetic",
    "yield wait": "returns its values by `yield`",
    "return np.random.rand()": r"line 2 \(`return np.random.rand\(\)`\): it draws a number at random; expected",
    "return thrown()": "line 12 of 'thrown', which it calls .*: it draws a number at random",
    "return dice.random()": "line 2 .*: it draws a number at random",
    "async def mine(wait, estimate, procs):\n return wait": "line 1 .*: it is written with `async`",
    "return (-procs, wait)": r"returns several values \(a tuple\)",
    "return [-procs, wait]": "returns a list",
    "return complex(wait)": "returns a complex number",
    "again = lost(wait)\nreturn again": r"line 14 of 'lost', which it calls \(`return undefined \* number`\): it reads",
}
"""What cannot be an order, as somebody writes it below `def mine(wait, estimate, procs):`, and what it is told."""

NUMBAS = ["nopython", "numba", "typing", "Literal", "float64", "signature", "opcode", "IMPORT_NAME", "intrinsic", "$"]


@pytest.mark.parametrize("text, said", REFUSED.items(), ids=REFUSED)
def test_an_order_that_cannot_work_is_refused_before_the_run_in_plain_words_with_its_line(text, said, capfd):
    names = {}
    typed(AROUND, names)
    whole = text if "def " in text else "def mine(wait, estimate, procs):\n" + textwrap.indent(text, " ")
    typed(whole, names, "/tmp/ipykernel_1/2.py")
    with pytest.raises(ValueError, match=said) as caught:
        starts([(0, 1, 1, 1)], 1, EASY(order=names["mine"]))
    assert [word for word in NUMBAS if word in str(caught.value)] == []
    assert capfd.readouterr() == ("", "")


weight = 1.0


@pytest.mark.slow
def test_an_order_that_reads_a_variable_around_it_or_a_module_or_another_function_follows_their_changes():
    settings, step = types.ModuleType("settings"), 1.0
    settings.sign = 1.0

    def by_size(procs):
        return settings.sign * procs

    def order(wait, estimate, procs):
        return by_size(procs) if step > 0 else math.floor(-procs)

    def value():
        return compiled(order).ctypes(0.0, 0.0, 3.0)

    assert value() == 3.0
    settings.sign = 2.0
    assert value() == 6.0
    step = -1.0
    assert value() == -3.0


def test_an_order_is_compiled_once_as_long_as_nothing_changes():
    def order(wait, estimate, procs):
        return np.float64(weight) * wait

    assert compiled(order) is compiled(order)


ENDLESS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests' own process does with it
import pandas as pd
from simlib import EASY, Workload, simulate
from simlib.policies.orders import compiled

def endless(wait, estimate, procs):
    while procs > 0:
        procs = procs % 7 + 1
    return procs

w = Workload(pd.DataFrame({"submit": [0, 0], "run": [9, 9], "procs": [1, 1]}), 1)
simulate(w, EASY(order=lambda wait, estimate, procs: procs))
compiled(endless)
print("begun", flush=True)
simulate(w, EASY(order=endless))
"""


@pytest.mark.slow
def test_an_order_that_never_returns_does_not_keep_the_process_from_ending():
    command = [sys.executable, "-c", ENDLESS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        time.sleep(1.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == -signal.SIGINT
        assert "KeyboardInterrupt" in process.stderr.read()
    finally:
        process.kill()
        process.communicate()
