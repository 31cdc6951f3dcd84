"""One set of versions: pyproject.toml, constraints.txt and environment.yml agree; importing simlib is quick."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import simlib

ROOT = Path(__file__).parent.parent


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def required(*extras):
    """What simlib needs, with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    texts = project["dependencies"] + [text for extra in extras for text in project["optional-dependencies"][extra]]
    return [Requirement(text) for text in texts]


def pinned():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    return {normal(name): version for name, version in pins}


def conda():
    text = (ROOT / "environment.yml").read_text()
    found = re.findall(r"^ +- ([\w-]+)==?([\w.]+)$", text, re.M)
    return {normal(name): version for name, version in found}


def test_what_the_project_requires_is_pinned_within_the_range_it_allows():
    pins = pinned()
    for requirement in required("study", "test", "cluster", "bench", "lab"):
        assert requirement.specifier.contains(pins[normal(requirement.name)]), requirement


def test_conda_gets_the_same_versions_and_no_others():
    pins, found = pinned(), conda()
    del found["python"]
    assert found == {
        normal(requirement.name): pins[normal(requirement.name)] for requirement in required("study", "test", "cluster")
    }


def test_conda_gets_one_version_of_python_as_binder_reads_no_range():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert re.fullmatch(r"\d+\.\d+", conda()["python"])
    assert SpecifierSet(project["requires-python"]).contains(conda()["python"])


def test_what_is_compiled_for_binder_is_compiled_for_any_processor():
    for script in ("postBuild", "start"):
        assert os.access(ROOT / script, os.X_OK)
    code = "import numba; print(numba.config.CPU_NAME, numba.config.CPU_FEATURES or 'none')"
    assert subprocess.check_output([ROOT / "start", sys.executable, "-c", code], text=True) == "generic none\n"


def test_kernels_are_compiled_when_the_environment_is_made():
    code = (
        "import sys; from numba.core.dispatcher import Dispatcher; from simlib.__main__ import main\n"
        "main(['compile'])\n"
        "modules = [module for name, module in sys.modules.items() if name.startswith('simlib')]\n"
        "found = {value for module in modules for value in vars(module).values() if isinstance(value, Dispatcher)}\n"
        "called = [kernel for kernel in found if kernel.targetoptions.get('nogil')]\n"  # by Python, not by a kernel
        "print(len(called) > 5, [kernel.__name__ for kernel in called if not kernel.signatures])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "True []\n"


def test_what_runs_here_is_what_is_pinned():
    from importlib import metadata

    pins = pinned()
    for requirement in required("study", "test", "cluster"):
        assert metadata.version(requirement.name) == pins[normal(requirement.name)]


def test_modules_that_cost_time_come_when_they_are_first_used():
    code = (
        "import sys, simlib; slow = ['simlib.plots', 'simlib.stats', 'scipy.stats', 'matplotlib']; "
        "assert not set(slow) & set(sys.modules), sorted(sys.modules); "
        "print(simlib.stats.batch_means.__name__, simlib.walltime.Scheme.__name__)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["batch_means", "Scheme"]
    with pytest.raises(AttributeError, match="module 'simlib' has no attribute 'statistics'"):
        simlib.statistics  # noqa: B018
