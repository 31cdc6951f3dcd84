"""`replicate` never gives the runs of before a change: what it keeps has a key of all that it depends on."""

import random
import sys
from types import ModuleType

import pandas as pd
import pytest

import simlib
from simlib import Workload, replicate
from simlib._util import cache

DEFINED = """
import functools
from dataclasses import dataclass, field
import numba
import numpy as np
import pandas as pd
import simlib
from simlib import EASY, OwnPolicy

policy, kinds, by, measures = EASY(), None, None, ["mean_wait", "mean_response"]

def later(schedule, seconds):
    return {"start": EASY().schedule(*schedule)["start"] + seconds}

def wait(schedule):
    return schedule.column("wait") + 1.0
"""

POLICY = """
class P:
    {inside}
    def schedule(self, submit, run, estimate, procs, machine):
        return later((submit, run, estimate, procs, machine), {seconds})
policy = P()
"""


def of_policy(inside, seconds, change):
    """A policy with something in its class that says how many seconds later jobs start, and a change of that."""
    inside = inside.replace("\n", "\n    ")
    return POLICY.format(inside=inside, seconds=seconds), change


def of_measure(before, value, change):
    """A measure that adds a value, and a change of what it reads."""
    return f"{before}\nmeasures = {{'m': lambda s: wait(s) + {value}}}", change


CHANGES = {
    # policies; of an object of a class of one's own nothing is known for certain, whatever the class is like
    "an attribute of the object": of_policy("extra = 0", "self.extra", "policy.extra = 7"),
    "an attribute of the class": of_policy("extra = 0", "self.extra", "P.extra = 7"),
    "a field that is not compared": (
        "@dataclass(frozen=True)\nclass P:\n  e: list = field(compare=False, repr=False, default_factory=lambda: [0])\n"
        "  def schedule(self, *given): return later(given, self.e[0])\npolicy = P()",
        "policy.e[0] = 7",
    ),
    "an object that pretends to be compiled": of_policy("e, py_func = 0, EASY()", "self.e", "policy.e = 7"),
    "a name of the library": of_policy("e = 0\n__module__ = 'simlib.policies.easy'", "self.e", "P.e = 7"),
    "a policy of the library with a method of one's own": (
        "policy = EASY()",
        "policy = EASY(order=lambda wait, procs: procs)",
    ),
    "what an order reads": (
        "sign = 1\ndef order(wait, estimate): return sign * estimate\npolicy = EASY(order=order)",
        "sign = -1",
    ),
    "what a function of an order reads": (
        "sign = 1\n@numba.njit\ndef of(x): return sign * x\ndef order(wait, estimate): return of(estimate)\n"
        "policy = EASY(order=order)",
        "sign = -1",
    ),
    "what a policy's function reads": (
        "at_most = 99\ndef f(queue, machine):\n  for job in machine.fitting(queue):\n    if job.procs <= at_most or "
        "not machine.running: yield job\npolicy = OwnPolicy(f)",
        "at_most = 1",
    ),
    # functions: measures, estimates, groups
    "a variable": of_measure("n = 0", "n", "n = 7"),
    "a variable in a nested function": of_measure("n = 0\ndef f():\n  def g(): return n\n  return g()", "f()", "n = 7"),
    "a variable in a lambda of a default": of_measure("n = 0\ndef f(g=lambda: n): return g()", "f()", "n = 7"),
    "a default": of_measure("def f(n=0): return n", "f()", "f.__defaults__ = (7,)"),
    "a default by name": of_measure("def f(*, n=0): return n", "f()", "f.__kwdefaults__ = {'n': 7}"),
    "the code of a function": of_measure("def f(): return 0", "f()", "f.__code__ = (lambda: 7).__code__"),
    "how arguments are taken": of_measure("def f(a=0, b=0): return b", "f(7)", "def f(b=0, a=0): return b"),
    "which errors are caught": of_measure(
        "def f():\n  try: return 1 // 0\n  except ZeroDivisionError: return 0",
        "f()",
        "def f():\n  try: return 1 // 0\n  except (ZeroDivisionError, KeyError): return 7",
    ),
    "a closure": of_measure("def make():\n  n = [0]\n  return n, lambda: n[0]\ncell, f = make()", "f()", "cell[0] = 7"),
    "a variable that appears": of_measure("def f():\n  try: return n\n  except NameError: return 0", "f()", "n = 7"),
    "a builtin in another's place": of_measure("", "min(7, 8)", "min = max"),
    "an attribute of a function": of_measure("def f(): return f.n\nf.n = 0", "f()", "f.n = 7"),
    "a class that is read": of_measure("class Settings: limit = 0", "Settings.limit", "Settings.limit = 7"),
    "a function behind a cache": of_measure(
        "n = 0\n@functools.cache\ndef f(): return n", "f()", "n = 7; f.cache_clear()"
    ),
    "a wrapper by the name of the library's": of_measure(
        "def of(n):\n  @functools.wraps(simlib.metrics.slowdown)\n  def g(): return n\n  return g\nf = of(0)",
        "f()",
        "f = of(7)",
    ),
    "a partial": of_measure("f = functools.partial(max, 0)", "f(-1)", "f = functools.partial(max, 7)"),
    "a compiled function": of_measure("@numba.njit\ndef f(): return 0", "f()", "@numba.njit\ndef f(): return 7"),
    "a bound builtin": of_measure("f = {1: 0}.get", "f(1)", "f = {1: 7}.get"),
    "a ufunc of one's own": of_measure(
        "f = np.frompyfunc(lambda x: 0, 1, 1)", "float(f(1))", "f = np.frompyfunc(lambda x: 7, 1, 1)"
    ),
    "a masked array": of_measure(
        "a = np.ma.array([0.0, 7.0], mask=[0, 1])", "a.sum()", "a = np.ma.array([0.0, 7.0], mask=[0, 0])"
    ),
    "a field of an array": of_measure(
        "a = np.array([(0, 7)], [('x', int), ('y', int)])",
        "a['x'][0]",
        "a = np.array([(0, 7)], [('y', int), ('x', int)])",
    ),
    "what a table says beside its numbers": of_measure(
        "t = pd.DataFrame({'a': [1]})", "t.attrs.get('n', 0)", "t.attrs['n'] = 7"
    ),
    "columns of the same names": of_measure(
        "t = pd.DataFrame({1: [0]})", "t.get(1, 7)[0]", "t = pd.DataFrame({'1': [0]})\nt[1] = 7"
    ),
    "a category": of_measure(
        "c = pd.Series(['a']).astype(pd.CategoricalDtype(['a', 'b']))",
        "c.cat.categories.size",
        "c = c.cat.remove_unused_categories()",
    ),
    "variables by text": of_measure("n = 0", "len(s.jobs.query('wait >= @n'))", "n = 10**6"),
    "variables by name": of_measure("n = 0", "globals()['n']", "n = 7"),
    "variables through a function": of_measure("n = 0", "wait.__globals__['n']", "n = 7"),
    "numpy's own random state": of_measure("np.random.seed(1)", "np.random.random()", "np.random.seed(7)"),
    "a module's variable": of_measure("import settings; settings.n = 0", "settings.n", "settings.n = 7"),
    "a module in a function": of_measure(
        "def f():\n  import settings\n  return settings.n", "f()", "import settings; settings.n = 7"
    ),
    "a file": of_measure("open(name, 'w').write('0')", "int(open(name).read())", "open(name, 'w').write('7')"),
    "a file that numpy reads": of_measure(
        "open(name, 'w').write('0')", "np.loadtxt(name)", "open(name, 'w').write('7')"
    ),
    "a file that pandas reads": of_measure(
        "open(name, 'w').write('0')", "pd.read_csv(name, header=None).iloc[0, 0]", "open(name, 'w').write('7')"
    ),
    "the environment": of_measure("import os; os.environ['N'] = '0'", "int(os.environ['N'])", "os.environ['N'] = '7'"),
    "estimates": ("n = 1\ndef kinds(jobs, rng): return jobs.run + n\nmeasures = ['estimate']", "n = 7"),
    "groups": ("n = 1\nby = lambda s: s.column('procs') > n", "n = 3"),
    "a log that is drawn": ("n = 0\nlog = lambda seed: tiny.scale_arrivals(1 + n)", "n = 7"),
    "a log's column": ("log, measures = tiny, {'m': lambda s: s.workload.log.wait.sum()}", "log = noted(wait=7)"),
    "a log's requests": ("log, measures = tiny, ['unestimated']", "log = noted(requested_time=9)"),
    "a log's header": ("log, measures = tiny, {'m': lambda s: len(s.workload.header)}", "log = noted(['; Note: 7'])"),
    "a log's source": (
        "log, measures = tiny, {'m': lambda s: len(s.workload.source)}",
        "log = noted(source={'file': '7'})",
    ),
    "a log's name": ("log, measures = tiny, {'m': lambda s: len(s.workload.name)}", "log = noted(name='another name')"),
    "a log's GPUs": ("log, measures = tiny, {'m': lambda s: s.workload.gpus}", "log = noted(gpus=7)"),
    "a log's history": (
        "log, measures = tiny, {'m': lambda s: len(s.workload.history)}",
        "log = tiny.derive(tiny.jobs, 'nothing was done')",
    ),
    "a log's dropped jobs": (
        "log, measures = tiny, {'m': lambda s: len(s.workload.dropped)}",
        "log = with_one_dropped",
    ),
    "a log's time": (
        "log, measures = tiny, {'m': lambda s: s.workload.time(0).year}",
        "log = noted(start='2001-01-01')",
    ),
    "whether it is made up": (
        "log, measures = tiny, {'m': lambda s: s.workload.synthetic}",
        "log = noted(synthetic=True)",
    ),
}


def noted(header=(), name="tiny", gpus=0, start="2000-01-01", source=None, synthetic=False, procs=4, **columns):
    """Twelve jobs that wait, with a log."""
    rng = random.Random(1)
    jobs = {"submit": range(12), "run": [rng.randint(5, 50) for _ in range(12)]}
    jobs |= {"procs": [rng.randint(1, 4) for _ in range(12)], "user": [1, 2] * 6}
    jobs = pd.DataFrame(jobs)
    log = pd.DataFrame(-1, jobs.index, simlib.logs.swf.FIELDS).assign(**columns)
    more = {"gpus": gpus, "start": pd.Timestamp(start), "source": source, "synthetic": synthetic}
    return Workload(jobs, procs, name, header=header, log=log, **more)


@pytest.fixture
def space(monkeypatch, tmp_path):
    """The variables of somebody who tries things, in a folder in which nothing is kept yet."""
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "cache")
    settings = ModuleType("settings")
    settings.n, settings.inner = 0, ModuleType("settings.inner")
    settings.inner.n = 0
    monkeypatch.setitem(sys.modules, "settings", settings)
    one_more = pd.concat([noted().jobs, noted().jobs.iloc[:1].assign(procs=5)], ignore_index=True)
    log = pd.DataFrame(-1, one_more.index, simlib.logs.swf.FIELDS)
    given = {"tiny": noted(), "noted": noted, "name": str(tmp_path / "file"), "log": noted()}
    given["with_one_dropped"] = Workload(one_more, 4, "tiny", start=pd.Timestamp("2000-01-01"), log=log)
    exec(DEFINED, given)
    return given


def runs(space, keep=True):
    """The runs as the variables say, simulated one after another."""
    names = {"logs": "log", "policies": "policy", "estimates": "kinds", "measures": "measures", "by": "by"}
    return replicate(**{name: space[of] for name, of in names.items()}, shakes=0, keep=keep)


def compiles(name):
    """Whether a change is of an order, which takes a second to compile."""
    return [pytest.mark.slow] if "order" in CHANGES[name][0] else []


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("defined", "change"), [pytest.param(*CHANGES[name], id=name, marks=compiles(name)) for name in CHANGES]
)
def test_after_a_change_the_runs_are_those_of_the_change(space, defined, change):
    exec(defined, space)
    before = runs(space)
    exec(change, space)
    after = runs(space)
    exec(change, space)  # again, for what has gone on since
    assert after.equals(runs(space, keep=False))
    assert not after.equals(before)
