"""What several test modules share."""

import os
import warnings

import pandas as pd
import pytest
from hypothesis import settings

import simlib
from simlib.doubts import LogWarning

settings.register_profile("simlib", deadline=None, derandomize=True)
settings.load_profile("simlib")


@pytest.fixture(scope="session", autouse=True)
def kept(tmp_path_factory):
    """What tests make is kept for other tests, and not for the study."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simlib.papers.mualem2001.kept.FOLDER", tmp_path_factory.mktemp("kept"))
        yield


@pytest.fixture
def forget(monkeypatch, tmp_path_factory):
    """A function after whose call nothing is kept: what is made next is made anew."""
    return lambda: monkeypatch.setattr("simlib.papers.mualem2001.kept.FOLDER", tmp_path_factory.mktemp("kept"))


@pytest.fixture
def log():
    """A function that loads a real log by catalogue name, or skips the test with a visible reason."""

    def load(name, variant=None):
        if simlib.archive.find(name, variant) is None:
            pytest.skip(f"the log {name} is not here (SIMLIB_TRACES={os.environ.get('SIMLIB_TRACES')})")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LogWarning)  # what is odd about the logs is known
            return simlib.load(name, variant)

    return load


@pytest.fixture
def workload():
    """A function that makes a Workload of (submit, run, estimate, procs) rows."""

    def make(rows, machine, **options):
        jobs = pd.DataFrame(rows, columns=["submit", "run", "estimate", "procs"], dtype="int64")
        return simlib.Workload(jobs, machine, **options)

    return make
