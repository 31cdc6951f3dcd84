"""A student's function is judged if it only computes; what can reach anything else is refused."""

import json

import numpy as np
import pandas as pd
import pytest

import simlib
from simlib import EASY
from simlib.course import lessons
from simlib.course.grading import judging, screening
from simlib.course.lessons import lesson1
from simlib.models import examples

DOES_MORE = {
    "open": "return open('x')",
    "import": "import os\n    return os.getcwd()",
    "from": "from simlib.course import lessons",
    "relative": "from . import lessons",
    "np.load": "import numpy as np\n    return np.load('x')",
    "numpy within numpy": "import numpy as np\n    return np.lib.npyio.load('x')",
    "a module as a value": "import numpy as np\n    return [np][0].load('x')",
    "another numpy": "import numpy as np\n    np = x\n    return np.load('x')",
    "dunder": "return x.__class__",
    "dunder name": "return __builtins__",
    "__import__": "return __import__('os')",
    "private": "return x._data",
    "eval": "return eval('1')",
    "getattr": "return getattr(x, 'eval')",
    "eval of a table": "return x.eval('1')",
    "query of a table": "return x.query('a > 1')",
    "pipe": "return x.pipe(print)",
    "apply by name": "return x.apply('to_pickle')",
    "to_csv": "x.to_csv('x')",
    "format": "return '{0.__class__}'.format(x)",
    "changes": "x.guarantee = 0",
    "global": "global y\n    y = 1",
    "try": "try:\n        pass\n    except Exception:\n        pass",
    "with": "with x:\n        pass",
    "raise": "raise x",
    "await": "yield (lambda: 0)()",
    "generator's frame": "return (1 for _ in x).gi_frame",
    "a decorator": "@x\n    def g():\n        pass\n    return g",
    "a class inside": "class A:\n        pass\n    return A",
    "a defined name": "def __eq__(a, b):\n        return True",
}


@pytest.mark.parametrize("body", DOES_MORE.values(), ids=DOES_MORE.keys())
def test_what_does_more_than_compute_is_refused(body):
    with pytest.raises(screening.Refused):
        screening.load(f"def f(x):\n    {body}\n", "f", {})


TRICKS = {
    "a base": "class A(list):\n    pass",
    "a metaclass": "class A(metaclass=print):\n    pass",
    "equal to all": "class A:\n    def __eq__(self, other):\n        return True",
    "a call in a class": "class A:\n    x = print(1)",
    "something as self": "class A:\n    def sum(self):\n        return self.eval('1')\ndef f(x):\n    return A.sum(x)",
    "another self": "class A:\n    def count(self, x):\n        self = x\n        return self.eval('1')",
    "self in a lambda": "class A:\n    def f(self, x):\n        return (lambda self: self.eval('1'), x)",
    "a class as a value": "class A:\n    def count(self):\n        return 1\ndef f(x):\n    return [A]",
    "a statement": "print(1)",
    "an assignment": "x = 1",
    "no function": "import math as _m",
    "no Python": "def f(x) return",
    "too long": "#" * 30_000,
}


@pytest.mark.parametrize("source", TRICKS.values(), ids=TRICKS.keys())
def test_tricks_with_classes_and_statements_are_refused(source):
    with pytest.raises(screening.Refused):
        screening.load(source, "f", {})


def test_a_function_has_no_built_ins_but_those_on_the_list():
    f = screening.load("def f():\n    return sum(range(3))\n", "f", {})
    assert f() == 3
    assert set(f.__builtins__) == {*screening.BUILTINS, "__build_class__", "__import__", "AssertionError"}


def test_what_is_not_defined_cannot_be_judged():
    with pytest.raises(screening.Refused, match="does not define `g`"):
        screening.load("def f():\n    pass\n", "g", {})


COMPUTES = """
import math
from heapq import heappush

class Fair:
    "Remembers who used how much."
    MOST = 3

    def __init__(self, rate):
        self.used, self.rate = {}, rate

    def value(self, job):
        return self.used.get(job, 0) * self.rate

    def __call__(self, queue, machine):
        heap = []
        for job in queue:
            heappush(heap, (self.value(job), job))
            self.used[job] = self.used.get(job, 0) + math.exp(0)
        while heap and len(heap) > self.MOST:
            heap.pop()
        return [f"{job}" for _, job in heap]

def f(queue):
    fair = Fair(2)
    return fair(queue, None)
"""


def test_classes_that_remember_and_helpers_may_compute():
    assert screening.load(COMPUTES, "f", {})([2, 1]) == ["1", "2"]


# Carrying


def carried(value):
    return judging.unpack(json.loads(json.dumps(judging.pack(value))))


@pytest.mark.parametrize(
    "value",
    [40, 0.5, "B", True, None, ..., [1, ["a", ...]], (1, 2), {"shadow": 30, "extra": ...}, {1, 2}, np.float64(0.1) / 3],
    ids=repr,
)
def test_data_comes_out_as_it_went_in(value):
    found = carried(value)
    assert found == value and (type(found) is type(value) or isinstance(value, float))


def test_numbers_in_series_and_arrays_are_the_same_to_the_last_bit():
    values = np.random.default_rng(0).random(100)
    assert (carried(values) == values).all() and (carried(pd.Series(values)) == values).all()
    assert np.isnan(carried(float("nan"))) and carried(float("-inf")) == float("-inf")


@pytest.mark.parametrize("make", [examples.figure3, lesson1.packed, lambda: simlib.load("sample")])
def test_a_workload_comes_out_equal(make):
    workload = make()
    assert carried(workload).equals(workload)


def test_a_schedule_a_policy_of_simlib_and_batch_means_come_out():
    schedule = simlib.simulate(examples.figure3(), EASY())
    assert carried(schedule).equals(schedule.workload)
    assert carried(EASY(order="sjf")) == EASY(order="sjf")
    means = simlib.analysis.stats.batch_means(np.arange(1000.0), batch=10)
    assert carried(means) == means


def test_what_no_exercise_asks_for_is_called_what_it_is():
    assert "found <object object" in lessons.verdict("1.2", carried(object())).sentence


def defined(source, name="f"):
    """What a cell of a notebook defines, with its source where Python looks for it."""
    import linecache

    file = f"<cell {hash(source)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    names = {}
    exec(compile(source, file, "exec"), names)
    return names[name]


HELPED = """
import math as m
K = [1, 2]
def g(x: int) -> int:
    return x + K[1]
def f(x):
    return m.floor(g(x))
"""

REMEMBERS = """
class A:
    def __init__(self, k):
        self.k = k
    def __call__(self, x):
        return x * self.k
f = A(3)
"""

COMES_OUT = {
    "with helpers and constants": (HELPED, 1, 3),
    "with a helper of two names": ("def g(x):\n    return x + 1\nh = g\ndef f(x):\n    return h(x)", 1, 2),
    "that calls itself": ("def f(x):\n    return x and x + f(x - 1)", 3, 6),
    "an object that remembers": (REMEMBERS, 2, 6),
}


@pytest.mark.parametrize("source, given, expected", COMES_OUT.values(), ids=COMES_OUT.keys())
def test_a_function_comes_out_and_computes_the_same(source, given, expected):
    assert carried(defined(source))(given) == expected


REFUSED = {
    "simlib's own": lambda: simlib.logs.archive.load,
    "a built-in": lambda: len,
    "uses open": lambda: defined("def f(x):\n    return open(x)"),
    "uses a global object": lambda: defined("class B: pass\nb = B()\ndef f(x):\n    return b"),
    "made in a function": lambda: defined("def g(y):\n    def h(x):\n        return x + y\n    return h\nf = g(1)"),
    "decorated": lambda: defined("import functools\n@functools.cache\ndef f(x):\n    return x"),
    "two in a line": lambda: defined("f, g = (lambda x: 1), (lambda x: 2)"),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_read_is_refused_and_says_why(make):
    found = judging.judged(judging.Answer("2.4", judging.pack(make())))
    assert found.verdict == "refused" and found.sentence.startswith("look at it yourself: ")


CODE = {"is": "code", "source": "def f(x):\n    return x", "name": "f", "constants": {}, "state": None}
HOSTILE = [
    CODE | {"source": "import os", "name": "os"},
    CODE | {"constants": {"__builtins__": {"is": "dict", "of": []}}},
    CODE | {"constants": {"sum": CODE}},
    CODE | {"state": {"is": "dict", "of": []}},
    {"is": "code", "source": "def f(x):\n    return x", "name": "f"},
    {"is": "policy", "kind": "__class__", "of": {}},
    {"is": "unknown"},
    {"is": "workload", "procs": -1},
    {"of": 1},
    [1],
    {"is": "array", "of": 7},
]


@pytest.mark.parametrize("packed", HOSTILE, ids=str)
def test_what_was_not_packed_by_simlib_is_refused(packed):
    assert judging.judged(judging.Answer("2.4", packed)).verdict == "refused"


def test_a_table_that_is_changed_by_a_function_is_not_the_one_that_is_judged():
    cheat = defined("def f(jobs):\n    jobs.clip(upper=0, inplace=True)\n    return 0")
    assert judging.judged(judging.Answer("3.4", judging.pack(cheat))).verdict == "not yet"


def test_gathering_says_what_was_not_found():
    with pytest.raises(screening.Unreadable, match="was not found"):
        names = {}
        exec("def f(x): return x", names)
        screening.Source().take(names["f"])
