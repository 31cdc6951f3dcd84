"""Two values with the same key do the same: whatever a value hangs on is in its key."""

import functools
import os
import pickle
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pandas as pd
import pytest
from helpers import past

import simlib
from simlib import EASY, Thresholded, estimates
from simlib._util import cache, checks
from simlib._util.cache import identity, once, place
from simlib._util.paths import write_sealed
from simlib.policies.adjusting import Adjustment, Scheme


def adding(number):
    return lambda wait: wait + number


DIFFERENT = {
    "a whole number and a float": (1, 1.0),
    "a truth value": (1, True),
    "zeros of two signs": (0.0, -0.0),
    "arrays of two types": (np.array([1]), np.array([1.0])),
    "arrays of two shapes": (np.zeros((1, 2)), np.zeros((2, 1))),
    "a list and a tuple": ([1], (1,)),
    "named tuples of the package": (checks.Kind(len, "one"), checks.Kind(len, "other")),
    "tables with other names": (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
    "tables with another index": (pd.DataFrame({"a": [1]}, [0]), pd.DataFrame({"a": [1]}, [1])),
    "the jobs of before that adjust estimates": (
        EASY(adjust=Adjustment(Scheme(), past=past(1))),
        EASY(adjust=Adjustment(Scheme(), past=past(2))),
    ),
    "models whose seeds are equal": (estimates.Uniform(2), estimates.Uniform(3)),
    "models with other ends": (estimates.Historical(ends=pd.Series([1])), estimates.Historical(ends=pd.Series([2]))),
}


@pytest.mark.parametrize("one, other", DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs_has_another_key(one, other):
    assert identity(one) != identity(other)
    assert identity(one) == identity(one)


SAME = {
    "equal tables": (past(1), past(1)),
    "equal policies": (EASY(adjust=Adjustment(past=past(1))), EASY(adjust=Adjustment(past=past(1)))),
    "functions made twice": (adding(1), adding(1)),
    "functions of no module": (eval("lambda wait: wait + 1", {}), eval("lambda wait: wait + 1", {})),
    "functions made of settings": tuple(Thresholded("sjf", 60).function for _ in range(2)),
    "sets": ({"a", "b", "c"}, {"c", "b", "a"}),
    "parts of arrays": (np.arange(6)[::2], np.array([0, 2, 4])),
}


@pytest.mark.parametrize("one, other", SAME.values(), ids=SAME)
def test_what_is_equal_has_the_same_key(one, other):
    assert identity(one) == identity(other)


def test_a_function_that_calls_itself_has_a_key():
    def down(number):
        return down(number - 1) if number else 0

    assert identity(down) == identity(down)


UNKNOWN = {
    "a generator": (number for number in ()),
    "a lock": threading.Lock(),
    "an open file": sys.stdout,
    "a module": os,
    "an object of a class of one's own": type("Policy", (), {})(),
    "an object that refers to itself": types.SimpleNamespace(),
    "what raises when it is looked at": type("Raises", (), {"__reduce_ex__": property(lambda self: 1 / 0)})(),
    "a function of the time": lambda: time.time(),
    "a log by its name": lambda seed: simlib.load("KTH-SP2"),
    "nested a thousand times": functools.reduce(lambda inner, _: [inner], range(10_000), []),
}
UNKNOWN["an object that refers to itself"].me = UNKNOWN["an object that refers to itself"]


@pytest.mark.parametrize("value", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_known_completely_has_no_key(value):
    with pytest.raises(TypeError, match="identity: found"):
        identity(value)
    assert place("kind", value) is None


def test_a_result_is_read_unless_its_file_is_damaged(monkeypatch, tmp_path):
    def double(number):
        return 2 * number

    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    assert once(double)(21) == 42
    (path,) = tmp_path.rglob("*.pickle")
    write_sealed(path, pickle.dumps(41))
    assert once(double)(21) == 41  # it is read
    path.write_bytes(path.read_bytes()[:32] + pickle.dumps(7))
    assert once(double)(21) == 42


def test_of_what_is_not_known_completely_a_result_is_made_and_not_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    assert once(sum)(number for number in (1, 2)) == 3
    assert not list(tmp_path.rglob("*"))


@pytest.mark.slow
def test_another_process_has_the_same_keys():
    code = (
        "from simlib import EASY; from simlib._util.cache import identity; "
        "from simlib.policies.adjusting import Adjustment; "
        "print(identity([EASY(adjust=Adjustment()), {'a', 'b', 'c'}, lambda x: max(x, 2)]))"
    )
    printed = {
        subprocess.check_output([sys.executable, "-c", code], text=True, env=os.environ | {"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    }
    assert len(printed) == 1
