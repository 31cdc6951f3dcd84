"""One set of versions: pyproject.toml, constraints.txt and environment.yml agree; importing simlib is quick."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from helpers import ROOT
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import simlib

pytestmark = pytest.mark.slow


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def required(*extras):
    """What simlib needs, with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    texts = project["dependencies"] + [text for extra in extras for text in project["optional-dependencies"][extra]]
    return [Requirement(text) for text in texts]


def pinned(name="constraints.txt"):
    lines = (ROOT / name).read_text().splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    return {normal(name): version for name, version in pins}


def conda():
    text = (ROOT / "environment.yml").read_text()
    versions = re.findall(r"^ +- ([\w-]+)==?([\w.]+)$", text, re.M)
    return {normal(name): version for name, version in versions}


def test_what_the_project_requires_is_pinned_within_the_range_it_allows():
    pins = pinned()
    for requirement in required("study", "course", "grading", "test", "cluster", "bench", "docs", "lab", "publish"):
        assert requirement.specifier.contains(pins[normal(requirement.name)]), requirement


def test_the_oldest_versions_that_are_tested_are_the_lower_bounds():
    oldest = pinned("constraints-oldest.txt")
    for requirement in required():
        assert str(requirement.specifier) == f">={oldest[normal(requirement.name)]}", requirement


def test_conda_gets_the_same_versions_and_no_others():
    pins, versions = pinned(), conda()
    del versions["python"]
    assert versions == {
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


OTHER = {"fails": "import numpy as np\nnp.int", "is imported": "__version__ = '0.0.96'", "is gone": ""}
"""What stands in simlib/__init__.py when the other package of this name was installed last."""


@pytest.fixture
def site(tmp_path):
    """A function that runs code or a module in a folder where simlib-backfilling and then simlib were installed."""
    shutil.copytree(ROOT / "simlib", tmp_path / "simlib", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "simlib_backfilling.py", tmp_path)
    shutil.copytree(ROOT / "data", tmp_path / "data", ignore=lambda *_: ["traces"])
    (tmp_path / "simlib-0.0.96.dist-info").mkdir()
    (tmp_path / "simlib-0.0.96.dist-info" / "METADATA").write_text("Name: simlib\nVersion: 0.0.96\n")

    def run(*arguments):
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-P", *arguments]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)

    run.place = tmp_path
    return run


COMMAND = "import sys, simlib_backfilling; sys.argv = ['simlib', 'logs']; simlib_backfilling.command()"


@pytest.mark.parametrize("init", OTHER)
def test_the_command_says_that_another_simlib_was_installed_over_ours(site, init):
    (site.place / "simlib" / "__init__.py").write_text(OTHER[init])
    if init == "is gone":  # after pip uninstall simlib
        shutil.rmtree(site.place / "simlib-0.0.96.dist-info")
    ways = [["-c", COMMAND], ["-m", "simlib", "logs"]]
    for way in ways[: 1 if init == "fails" else 2]:  # -m runs what fails before any line of ours
        done = site(*way)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1 and "pip uninstall simlib simlib-backfilling" in done.stderr


@pytest.mark.thorough
def test_ours_warns_of_another_simlib_in_the_same_folder_and_works(site):
    for way in (["-c", "import simlib; print(simlib.EASY())"], ["-c", COMMAND], ["-m", "simlib", "logs"]):
        done = site(*way)
        assert done.returncode == 0 and done.stdout and "found simlib 0.0.96, another package" in done.stderr
    (site.place / "simlib-0.0.96.dist-info").rename(site.place / "simlib_backfilling-0.1.0.dist-info")
    done = site("-c", COMMAND)
    assert done.stdout.startswith("CTC-SP2") and done.stderr == ""


def test_an_error_of_our_own_is_not_taken_for_another_package(site):
    shutil.rmtree(site.place / "simlib-0.0.96.dist-info")
    (site.place / "pandas.py").write_text("raise ImportError('no wheel')")
    done = site("-c", COMMAND)
    assert done.returncode == 1 and "no wheel" in done.stderr and "another package" not in done.stderr


FLOORS = {"simlib.__main__": "simlib_study", "simlib_study.__main__": "simlib_course"}


@pytest.mark.thorough
def test_kernels_are_compiled_when_the_environment_is_made():
    code = (
        "import pkgutil, sys; from importlib import import_module; from numba.core.dispatcher import Dispatcher\n"
        f"for name, above in {FLOORS}.items():\n"
        "    here = import_module(name); here.main(['compile'])\n"
        "    print(above in sys.modules)\n"
        "    package = import_module(here.__package__)\n"
        "    of_study = package.__path__ if package.__name__ == 'simlib_study' else ()\n"
        "    [import_module(at.name) for at in pkgutil.walk_packages(of_study, 'simlib_study.')]\n"
        "    modules = [module for name, module in sys.modules.items() if name.startswith('simlib')]\n"
        "    found = {value for of in modules for value in vars(of).values() if isinstance(value, Dispatcher)}\n"
        "    used = lambda kernel: {kernel.py_func.__globals__.get(n) for n in kernel.py_func.__code__.co_names}\n"
        "    first = found - {one for kernel in found for one in used(kernel) if one in found and one is not kernel}\n"
        "    own = {kernel for kernel in first if kernel.py_func.__module__.startswith(here.__package__)}\n"
        "    fewest = 2 if here.__package__ == 'simlib' else 0  # the study has none of its own now\n"
        "    print(len(own) >= fewest, [kernel.__name__ for kernel in own if not kernel.signatures])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\nTrue []\n" * 2


@pytest.fixture
def read_only(tmp_path):
    """A function that runs code with a copy of the package, and a home, that nobody can write."""
    home, tree = tmp_path / "home", tmp_path / "tree"
    home.mkdir()
    shutil.copytree(ROOT / "simlib", tree / "simlib", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data" / "samples", tree / "data" / "samples")
    for table in ("archive.toml", "tables.toml"):
        shutil.copy(ROOT / "data" / table, tree / "data")
    folders = [home, tree, *(path for path in tree.rglob("*") if path.is_dir())]
    command = []
    if os.geteuid() == 0:  # who may write all folders, but not what is mounted read-only
        mount = (
            'for f in "$1" "$2"; do mount --bind "$f" "$f" && mount -o remount,ro,bind "$f" || exit 77; done; shift 2'
        )
        command = ["unshare", "--mount", "sh", "-c", f'{mount}; exec "$@"', "sh", home, tree]
        if not shutil.which("unshare") or subprocess.run([*command, "true"], capture_output=True).returncode:
            pytest.skip("root can write everywhere, and may not mount anything read-only here")
    for folder in folders:
        folder.chmod(0o555)

    def run(code, **environment):
        (tmp_path / "tmp").mkdir(exist_ok=True)
        given = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "XDG_"))}
        given |= {"HOME": str(home), "PYTHONPATH": str(tree), "TMPDIR": str(tmp_path / "tmp")} | environment
        asked = [*command, sys.executable, "-P", "-c", code]
        return subprocess.run(asked, env=given, cwd=tmp_path, capture_output=True, text=True)

    yield run
    for folder in folders:
        folder.chmod(0o755)


def test_where_neither_package_nor_home_can_be_written_kernels_are_compiled_into_a_temporary_folder(
    read_only, tmp_path
):
    code = (
        "import os, simlib; print(simlib.__file__, simlib.logs.swf.job_lines('a.swf')[0]); "
        "place = simlib.logs.swf._fold.stats.cache_path; "
        "print(oct(os.stat(place).st_mode), any(name.endswith('.code') for name in os.listdir(place)))"
    )
    (tmp_path / "a.swf").write_text("1 2\n3\n")
    done = read_only(code)
    assert done.stdout.split("\n")[:2] == [f"{tmp_path}/tree/simlib/__init__.py 2", "0o40700 True"], done.stderr
    assert done.stderr.count("let NUMBA_CACHE_DIR name a folder that you alone can write") == 1
    assert list((tmp_path / "tmp").iterdir()) == []
    done = read_only(code, NUMBA_CACHE_DIR=str(tmp_path / "kept"))
    assert "py 2\n" in done.stdout and "True" in done.stdout and done.stderr == ""


MADE = """
import hashlib, sys
from pathlib import Path
import matplotlib.pyplot as plt
import simlib
from simlib import plots
from simlib._util import paths
from simlib_study import records

paths.ROOT = root = Path(sys.argv[1])
w = simlib.load("sample")
s = simlib.simulate(w, simlib.EASY())
plots.use_style()
figure, ax = plt.subplots(figsize=(5, 3))
plots.utilization(s, ax)
files = {"numbers.csv": s.by_month(), "picture.png": figure}
records.write("teaching/made", files, workloads=[w], parameters={"name": "caf\\u00e9"})
simlib.write_swf(s, root / "made.swf.gz")
(root / "texts.txt").write_text(s.summary().to_csv() + repr(w), encoding="utf-8")
for path in sorted(root.rglob("*.*")):
    print(path.relative_to(root), hashlib.sha256(path.read_bytes()).hexdigest())
"""

SETTINGS = [{}, {"TZ": "Asia/Kathmandu"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}, {"PYTHONHASHSEED": "4711"}]


@pytest.mark.thorough
def test_the_same_bytes_are_made_whatever_the_environment_says(tmp_path):
    made = []
    for number, setting in enumerate([*SETTINGS, {}]):
        folder = tmp_path / ("a folder  with blanks" if number == len(SETTINGS) else str(number))
        folder.mkdir()
        asked = [sys.executable, "-W", "ignore", "-c", MADE, folder]
        made.append(subprocess.check_output(asked, text=True, cwd=ROOT, env=os.environ | setting))
    assert made[0].count("\n") >= 5 and made == made[:1] * len(made)


def test_what_runs_here_is_what_is_pinned():
    from importlib import metadata

    pins = pinned()
    for requirement in required("study", "test", "cluster"):
        assert metadata.version(requirement.name) == pins[normal(requirement.name)]


def test_modules_that_cost_time_come_when_they_are_first_used():
    code = (
        "import sys, simlib; dir(simlib); slow = ['simlib.plots', 'scipy.stats', 'matplotlib', 'click']; "
        "assert not set(slow) & set(sys.modules), sorted(sys.modules); "
        "print(simlib.analysis.stats.batch_means.__name__, simlib.policies.adjusting.Scheme.__name__)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["batch_means", "Scheme"]
    with pytest.raises(AttributeError, match="module 'simlib' has no attribute 'statistics'"):
        simlib.statistics  # noqa: B018


def test_every_room_has_a_place_among_the_layers():
    _, contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = {name for layer in contract["layers"] for name in layer.split(" | ")}
    rooms = {f"simlib.{path.name}" for path in (ROOT / "simlib").iterdir() if path.is_dir()} - {"simlib.__pycache__"}
    assert layers == rooms | {"simlib.parameters"}
    assert contract["type"] == "layers" and len(contract["layers"]) == 9
    assert {path.name for path in (ROOT / "simlib").glob("*.py")} == {"__init__.py", "__main__.py", "parameters.py"}
