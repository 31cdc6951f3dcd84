"""What tests of several modules set up and take down; what they build and compare is in `helpers.py`."""

import os
import warnings
from importlib.util import find_spec

import matplotlib.pyplot as plt
import pytest
from helpers import table
from hypothesis import settings

import simlib
from simlib import LogWarning
from simlib._util import paths
from simlib.logs import archive
from simlib_study import experiments

settings.register_profile("simlib", deadline=None, derandomize=True, max_examples=10)
settings.register_profile("thorough", settings.get_profile("simlib"), max_examples=20)
settings.load_profile("simlib")  # `make test-all` asks for the other one


NEEDED = {
    "test_cluster.py": "dask_jobqueue",
    "test_parameters.py": "papermill",
    "study/test_frozen.py": "nbconvert",
    "study/test_scoreboard.py": "nbclient",
}
"""Modules that are left out where what they need is not installed: `pip install -e .[test]` brings what others need."""

collect_ignore = [module for module, needed in NEEDED.items() if find_spec(needed) is None]


def pytest_report_header():
    """Say what is left out."""
    return [f"left out: {module}, which needs {NEEDED[module]}" for module in collect_ignore]


COMPILED = "conformance", "engine", "plain", "policies", "report"
"""Folders whose tests are of the compiled schedulers, or of weeks of jobs, for which plain Python takes long."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What is neither slow nor thorough is quick; who needs many kernels comes first: few are compiled twice."""
    items.sort(key=lambda item: item.path.parent.name not in COMPILED)
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("slow", "thorough")):
            item.add_marker("quick")


CACHE = "simlib._util.cache.FOLDER"


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """What tests work out is kept for other tests, and not for the study."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CACHE, tmp_path_factory.mktemp("cache"))
        yield


@pytest.fixture(scope="module", autouse=True)
def compiled(request):
    """In some folders schedules of few jobs are compiled, too, whether a kernel has been used before or not.

    Elsewhere they are as a user has them: where a kernel is not compiled, plain Python makes them.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.path.parent.name in COMPILED:
            patch.setattr("simlib.policies.easy.SMALL", -1)
        yield


@pytest.fixture
def forget(monkeypatch, tmp_path_factory):
    """A function after whose call nothing is kept: what is made next is made anew."""
    return lambda: monkeypatch.setattr(CACHE, tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def no_notebook(monkeypatch):
    """No notebook of the study runs, until one is begun."""
    monkeypatch.setattr(experiments, "_HERE", {})


@pytest.fixture(autouse=True)
def no_figures_left():
    """What a test drew is not open in the next, and whatever style a notebook set is gone."""
    plt.rcdefaults()
    yield
    plt.close("all")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A folder that stands for the repository: there records are written and read."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def log():
    """A function that loads a real log by catalogue name, or skips the test with a visible reason."""

    def load(name, variant=None):
        if archive.find(name, variant) is None:
            pytest.skip(f"the log {name} is not here (SIMLIB_TRACES={os.environ.get('SIMLIB_TRACES')})")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LogWarning)  # what is odd about the logs is known
            return simlib.load(name, variant)

    return load


@pytest.fixture
def no_logs(monkeypatch, tmp_path):
    """No log is on this machine, and the archive cannot be reached."""
    monkeypatch.setenv("SIMLIB_TRACES", str(tmp_path))
    monkeypatch.setattr(archive.paths, "TRACES", tmp_path)
    monkeypatch.setenv("SIMLIB_ARCHIVE", "http://127.0.0.1:9")


@pytest.fixture(scope="module")
def put(tmp_path_factory):
    """A function that writes a file and returns its path."""
    folder = tmp_path_factory.mktemp("files")

    def put(content, name="log.swf"):
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


@pytest.fixture
def workload():
    """A function that makes a Workload of (submit, run, estimate, procs) rows."""
    return table


@pytest.fixture
def no_figure_stays_open():
    """Fails where a test leaves a figure open, as a control would in a notebook that shows many."""
    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before
