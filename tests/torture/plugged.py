"""What users plug in: policies that return impossible schedules, and order functions of every bad sort.

Each is refused with an error that says what was found, or the result is right.
"""

import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd

import simlib
from simlib import EASY, FCFS, Conservative, Schedule, Workload, estimates, simulate
from simlib.explain import reference

from .attack import ROOT, environ, try_each, try_random
from .workloads import broken_rule, large_case


def crowd():
    """A few jobs that cannot all run at once."""
    rows = {
        "submit": [0, 0, 5, 5, 7],
        "run": [10, 20, 0, 5, 30],
        "procs": [3, 3, 4, 1, 2],
        "estimate": [10, 40, 5, 5, 30],
    }
    return Workload(pd.DataFrame(rows), 4)


RIGHT = FCFS()


@dataclass
class Own:
    """A policy of a user's: a right schedule, to which something is done."""

    do: object

    def schedule(self, submit, run, estimate, procs, machine):
        given = tuple(map(np.copy, (submit, run, estimate, procs)))
        start = RIGHT.schedule(*given, machine)["start"]
        return self.do(start, submit, run, estimate, procs)


def put(array, value):
    array[:] = value
    return array


IMPOSSIBLE = {
    "all start when submitted": lambda start, submit, *_: {"start": submit},
    "all start before they are submitted": lambda start, submit, *_: {"start": submit - 100},
    "one starts a second early": lambda start, submit, *_: {"start": np.where(np.arange(5) == 4, submit - 1, start)},
    "one start for all": lambda start, *_: {"start": start[:1]},
    "a plain number": lambda start, *_: {"start": 7},
    "too few starts": lambda start, *_: {"start": start[:-1]},
    "too many starts": lambda start, *_: {"start": np.append(start, 10**6)},
    "two-dimensional": lambda start, *_: {"start": start[:, None]},
    "two-dimensional, square": lambda start, *_: {"start": np.tile(start, (5, 1))},
    "starts that are not whole": lambda start, *_: {"start": start + 0.5},
    "nan": lambda start, *_: {"start": np.where(np.arange(5) == 2, np.nan, start)},
    "infinite": lambda start, *_: {"start": np.where(np.arange(5) == 2, np.inf, start)},
    "words": lambda start, *_: {"start": start.astype(str)},
    "None among them": lambda start, *_: {"start": [*start[:-1].tolist(), None]},
    "None": lambda *_: None,
    "an empty dict": lambda *_: {},
    "a bare array": lambda start, *_: start,
    "a list of pairs": lambda start, *_: [("start", start)],
    "complex numbers": lambda start, *_: {"start": start + 0j},
    "dates": lambda start, *_: {"start": start.astype("datetime64[s]")},
    "truth values": lambda start, *_: {"start": start > 0},
    "beyond 64 bits": lambda start, *_: {"start": start.astype(float) + 1e30},
    "near the end of 64 bits": lambda start, *_: {"start": start + (2**63 - 1 - start.max())},
    "unsigned, wrapped": lambda start, *_: {"start": (start - 10**6).astype(np.uint64)},
    "backfilled of length 1": lambda start, *_: {"start": start, "backfilled": [True]},
    "backfilled: words": lambda start, *_: {"start": start, "backfilled": ["no"] * 5},
    "backfilled: 2": lambda start, *_: {"start": start, "backfilled": [2] * 5},
    "backfilled: nan": lambda start, *_: {"start": start, "backfilled": [np.nan] * 5},
    "submit of length 1": lambda start, submit, *_: {"start": start, "submit": submit[:1]},
    "submit moved": lambda start, submit, *_: {"start": start, "submit": submit - 50},
    "shadow of length 1": lambda start, *_: {"start": start, "shadow": start[:1]},
    "guarantee of length 2": lambda start, *_: {"start": start, "guarantee": start[:2]},
    "another run": lambda start, submit, run, *_: {"start": start, "run": run * 0},
    "another end": lambda start, *_: {"start": start, "end": start},
    "another procs": lambda start, *_: {"start": start, "procs": start * 0 + 1},
    "another wait": lambda start, *_: {"start": start, "wait": start * 0},
    "another estimate": lambda start, *_: {"start": start, "estimate": start * 0},
    "a job twice": lambda start, submit, *_: {"start": np.repeat(start, 2)},
    "a name that is no word": lambda start, *_: {"start": start, 7: start},
}
"""Each must be refused."""

CHANGING = {
    "run in place": lambda start, submit, run, estimate, procs: (put(run, 0), {"start": start})[1],
    "submit in place": lambda start, submit, run, estimate, procs: (put(submit, 0), {"start": start})[1],
    "procs in place": lambda start, submit, run, estimate, procs: (put(procs, 1), {"start": start})[1],
    "estimate in place": lambda start, submit, run, estimate, procs: (put(estimate, 1), {"start": start})[1],
    "all in place, sorted": lambda start, submit, run, estimate, procs: (
        [array.sort() for array in (submit, run, estimate, procs)],
        {"start": start},
    )[1],
    "lists": lambda start, *_: {"start": start.tolist()},
    "floats": lambda start, *_: {"start": start.astype(float)},
    "a Series by another index": lambda start, *_: {"start": pd.Series(start, index=range(5, 0, -1))},
    "a read-only array": lambda start, *_: {"start": np.lib.stride_tricks.as_strided(start, writeable=False)},
    "a view backwards": lambda start, *_: {"start": start[::-1].copy()[::-1]},
}
"""Each must be refused, or the schedule be that without it."""


def impossible_schedules(plan, simulate=simulate):
    """Each is an error that says what was found; policies that write into what they get change nothing."""

    def refused(do):
        try:
            found = simulate(crowd(), Own(do))
        except (ValueError, TypeError) as error:
            return None if _says(error) else f"an error without words: {error!r}"
        return f"taken: starts {found.jobs.start.tolist()}"[:200]

    def right_or_refused(do):
        w = crowd()
        try:
            found = simulate(w, Own(do)).jobs
        except (ValueError, TypeError) as error:
            return None if _says(error) else f"an error without words: {error!r}"
        if not found.equals(expected) or not w.jobs.equals(crowd().jobs):
            return f"changes the schedule: {found.to_dict('list')}"[:300]

    expected = simulate(crowd(), Own(lambda start, *_: {"start": start})).jobs
    cases = {name: (refused, do) for name, do in IMPOSSIBLE.items()}
    cases |= {name: (right_or_refused, do) for name, do in CHANGING.items()}
    return try_each(
        "policies that return impossible schedules or write into their arguments",
        cases,
        lambda check, do: check(do),
    )


def _says(error):
    return len(str(error)) > 10 and "\n" not in str(error)


def wrong_starts(plan, simulate=simulate):
    """A right schedule of a random workload with one start moved: right still, or refused; judged on its own here."""

    def attempt(rng):
        w = large_case(rng)
        right = simulate(w, EASY()).jobs.start.to_numpy().copy()
        k = int(rng.integers(len(right)))
        right[k] += int(rng.choice([-(10**6), -100, -1, 1, 100, -int(right[k]), 2**40]))
        fixed = Own(lambda *_: {"start": right})
        broken = broken_rule(_unchecked(w, fixed, right))
        try:
            simulate(w, fixed)
        except ValueError as error:
            return None if broken else f"{w!r}, job {w.jobs.index[k]} at {right[k]}: refused, but possible: {error}"
        return broken and f"{w!r}: taken, although {broken}"

    return try_random(
        "right schedules with one start moved: taken if still possible, else refused", plan, 3000, attempt
    )


def _unchecked(w, policy, start):
    run = w.jobs.run.to_numpy()
    return Schedule(w, policy, "extend", run, start)


# Order functions


def _raises(wait, estimate, procs):
    if wait > 3:
        raise ValueError("no order")
    return wait


def _raises_at_once(wait, estimate, procs):
    raise RuntimeError("never")


SHARES = np.array([0.5, 0.3, 0.2])


async def _waits(wait):
    return wait


BAD_ORDERS = {
    "raises now and then": _raises,
    "raises at once": _raises_at_once,
    "a string": lambda wait, estimate, procs: "first",
    "None": lambda wait, estimate, procs: None,
    "nothing": lambda wait, estimate, procs: print,
    "a pair": lambda wait, estimate, procs: (wait, procs),
    "a complex number": lambda wait, estimate, procs: wait + 1j,
    "nan": lambda wait, estimate, procs: np.nan,
    "nan now and then": lambda wait, estimate, procs: wait if procs > 2 else np.nan,
    "0 / 0": lambda wait, estimate, procs: (wait - wait) / (procs - procs),
    "another word for a fact": lambda wait, estimate, size: wait,
    "other names": lambda procs, est, waited: -procs * est,
    "letters": lambda w, e, s: w,
    "one name that is no fact": lambda wait, project: wait,
    "as many as come": lambda *numbers: numbers[0],
    "by keyword only": lambda wait, *, procs: wait,
    "no argument": lambda: 1.0,
    "a table read beyond its end": lambda procs: SHARES[int(procs)],
    "a table read far beyond its end": lambda procs: SHARES[int(procs) * 10**9],
    "a table read before its beginning": lambda wait, procs: SHARES[-int(procs)],
    "numbers at random": lambda wait: np.random.rand(),
    "a coroutine": _waits,
    "a list that is no order": [],
    "a number": 3,
    "an unknown name": "lifo",
    "a builtin": max,
    "a class": dict,
    "what numba cannot compile": lambda wait, estimate, procs: len({str(wait): [procs, estimate]}.__class__.__name__),
}
"""Each must be refused."""


def waiting_crowd():
    """Jobs of which several wait at once, so that their order counts."""
    n = 30
    k = np.arange(n)
    jobs = {"submit": k // 4, "run": 5 + k % 7, "procs": 1 + k % 5, "estimate": 6 + 3 * (k % 11)}
    return Workload(pd.DataFrame(jobs), 6)


def bad_orders(plan, simulate=simulate):
    """Order functions that raise, return no number, ask for what is no fact, or read tables beyond their ends."""

    def attempt(order):
        said = []
        before, sys.unraisablehook = sys.unraisablehook, lambda what: said.append(what)
        try:
            found = simulate(waiting_crowd(), EASY(order=order))
        except (ValueError, TypeError, RuntimeError, ArithmeticError, IndexError) as error:
            return None if len(str(error)) > 3 else f"an error without words: {error!r}"
        finally:
            sys.unraisablehook = before
        return f"{'an exception is ignored, and it is ' if said else ''}taken: starts {found.jobs.start.tolist()}"[:160]

    return try_each("order functions that raise, return no number, take other arguments", _ones(BAD_ORDERS), attempt)


def _ones(cases):
    return {name: (value,) for name, value in cases.items()}


def _order_from(lines, names):
    """An order function defined as in a notebook's cell, whose names are in a namespace."""
    exec(lines, names)
    return names["order"]


CELLS = {
    # what a cell defines, and how a later cell changes what the function refers to
    "a global number": (
        "weight = 1.0\ndef order(estimate):\n    return weight * estimate",
        "weight = -1.0",
    ),
    "a global array": (
        "import numpy as np\nfactors = np.array([1.0, 0.0])\ndef order(estimate):\n    return factors[0] * estimate",
        "factors[0] = -1.0",
    ),
    "a global tuple": ("t = (1.0, 2.0)\ndef order(estimate):\n    return t[0] * estimate", "t = (-1.0, 2.0)"),
    "a function that it calls": (
        "import numba\n@numba.njit\ndef part(e):\n    return e\ndef order(estimate):\n    return part(estimate)",
        "@numba.njit\ndef part(e):\n    return -e",
    ),
    "a global of a function that it calls": (
        "import numba\nweight = 1.0\n@numba.njit\ndef part(e):\n    return weight * e\n"
        "def order(estimate):\n    return part(estimate)",
        "weight = -1.0",
    ),
    "a value enclosed": (
        "def make():\n    weight = 1.0\n    def order(estimate):\n        return weight * estimate\n"
        "    def change():\n        nonlocal weight\n        weight = -1.0\n"
        "    return order, change\norder, change = make()",
        "change()",
    ),
    "a default": ("def order(estimate, weight=1.0):\n    return weight * estimate", "order.__defaults__ = (-1.0,)"),
    "the function itself": (
        "def order(estimate):\n    return estimate",
        "def other(estimate):\n    return -estimate\norder.__code__ = other.__code__",
    ),
    "defined again": (
        "def order(estimate):\n    return estimate",
        "def order(estimate):\n    return -estimate",
    ),
    "a function that numba has compiled": (
        "import numba\nweight = 1.0\n@numba.njit\ndef order(estimate):\n    return weight * estimate",
        "weight = -1.0",
    ),
}


def changed_orders(plan, simulate=simulate):
    """What an order function refers to changes between two runs: the second is as in a fresh session, or refused."""

    def starts(order):
        return simulate(waiting_crowd(), EASY(order=order)).jobs.start.tolist()

    def attempt(cell, change):
        names = {}
        try:
            before = starts(_order_from(cell, names))
            exec(change, names)
            after = starts(names["order"])
        except (ValueError, TypeError):
            return None
        right = reference_starts(names["order"])
        if after != right:
            return "the first result comes again" if after == before else f"found {after}, expected {right}"

    def reference_starts(order):
        return reference.simulate(waiting_crowd(), EASY(order=getattr(order, "py_func", order))).jobs.start.tolist()

    return try_each("what an order function refers to changes, as when a cell is run again", CELLS, attempt)


def policies_misspelt(plan, simulate=simulate):
    """Options and arguments that are none, settings at and beyond their edges, labels that repeat."""
    empty, sample = crowd().select("procs > 99"), simlib.load("sample")
    both, twice = {"EASY": EASY(), "FCFS": FCFS()}, pd.concat([crowd().jobs, crowd().jobs])
    calls = {
        "EASY without brackets": lambda: simulate(crowd(), EASY),
        "Conservative without brackets": lambda: simulate(crowd(), Conservative),
        "EASY(order=[])": lambda: EASY(order=[]),
        "EASY(order=None)": lambda: EASY(order=None),
        "EASY(order=np.array)": lambda: EASY(order=np.array(["sjf", "wfp"])),
        'EASY(reuse_extra="no")': lambda: EASY(reuse_extra="no"),
        "EASY(reuse_extra=2)": lambda: EASY(reuse_extra=2),
        'EASY("sjf")': lambda: EASY("sjf"),
        "EASY(adjust=3)": lambda: EASY(adjust=3),
        'Conservative("early")': lambda: Conservative("early"),
        "Conservative([])": lambda: Conservative([]),
        "by_month of no job": lambda: simulate(empty, EASY()).by_month(),
        "by_month without a calendar": lambda: simulate(crowd(), EASY()).by_month(),
        "overrun": lambda: simulate(crowd(), EASY(), overrun="ignore"),
        "overrun, a list": lambda: simulate(crowd(), EASY(), overrun=["kill"]),
        "feedback where none is": lambda: simulate(crowd(), EASY(), feedback=True),
        "a name": lambda: simulate(crowd(), "EASY"),
        "labels that repeat": lambda: Workload(twice, 4),
        "a label that is nan": lambda: Workload(crowd().jobs.set_axis([1, 2, np.nan, 4, 5]), 4),
        "estimates that overflow": lambda: sample.with_estimates(estimates.Scaled(1e18)),
        "a predictor that is none": lambda: simlib.Predictions("last three"),
        "an absurd shake": lambda: sample.shake(2**63 - 1),
        "three shakes": lambda: simlib.compare(sample, both, shakes=3),
        "shakes of minus five seconds": lambda: simlib.compare(sample, both, shakes=4, seconds=-5),
        "a seed below 0": lambda: simlib.compare(sample, both, shakes=4, seed=-1),
        "by nothing": lambda: simlib.compare(sample, both, shakes=4, by=[]),
        "policies in a list": lambda: simlib.compare(sample, list(both.values()), shakes=4),
    }

    def attempt(call):
        try:
            found = call()
        except (ValueError, TypeError) as error:
            return None if _says(error) else f"not one line: {error!r}"
        except Exception as error:
            return f"{type(error).__name__} comes out: {error}"
        return f"taken: {found!r}"[:200]

    return try_each("policies and options misspelt", _ones(calls), attempt)


def reused_arrays(plan, simulate=simulate):
    """A policy that gives the same array again and again does not change the schedules it made before."""

    class Keeping:
        def __init__(self):
            self.kept, self.more = np.zeros(5, np.int64), np.zeros(5)

        def schedule(self, submit, run, estimate, procs, machine):
            self.kept[:] = RIGHT.schedule(submit, run, estimate, procs, machine)["start"]
            self.more += 1
            return {"start": self.kept, "rank": self.more}

    def attempt(which):
        policy = Keeping()
        first = simulate(crowd(), policy)
        if which == "tables":
            before = first.jobs.copy()
        else:
            before = None
        w = crowd()
        simulate(w.derive(w.jobs.assign(submit=w.jobs.submit + 1000), "later"), policy)
        start, rank = first.jobs.start, first.jobs["rank"]
        if start.min() >= 1000 or (rank != rank.iloc[0]).any() or rank.iloc[0] != 1:
            return f"the first schedule has become the second: {start.tolist()}, {rank.tolist()}"
        if before is not None and not first.jobs.equals(before):
            return "the first schedule's table has changed"

    return try_each(
        "a policy that returns the same arrays again", {"unread": ("unread",), "read": ("tables",)}, attempt
    )


ENDLESS = """
import sys, numpy as np, pandas as pd, simlib
def endless(wait, estimate, procs):
    x = 0.0
    while x >= 0.0:
        x += wait + procs + 1.0
        if x > 1e300:
            x = 0.0
    return x
k = np.arange(int(sys.argv[1]))
jobs = pd.DataFrame({"submit": k // 9, "run": 50, "procs": 1 + k % 4, "estimate": 60})
print("begins", flush=True)
simlib.simulate(simlib.Workload(jobs, 4), simlib.EASY(order=endless))
"""


MOMENTS = 5, 2, 12
"""Seconds until the first interrupt, until the second, and within which the process must have ended."""


def endless_orders(plan):
    """An order function without end: the second Ctrl+C ends the process."""

    def attempt(jobs):
        process = subprocess.Popen(
            [sys.executable, "-c", ENDLESS, str(jobs)],
            cwd=ROOT,
            env=environ(ROOT),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.stdout.readline()
            until, between, after = MOMENTS
            time.sleep(until)
            process.send_signal(signal.SIGINT)
            time.sleep(between)
            process.send_signal(signal.SIGINT)
            process.wait(after)
        except subprocess.TimeoutExpired:
            return "runs on after two interrupts"
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    return try_each(
        "an endless order function, interrupted twice", {"30,000 jobs": (30_000,), "100 jobs": (100,)}, attempt
    )
