"""Compiled functions are kept by what they were made of; what is damaged on the disk is compiled anew."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from helpers import PACKAGES, ROOT
from numba.core.dispatcher import Dispatcher

import simlib
from simlib._util import compiled

pytestmark = pytest.mark.slow


@pytest.fixture
def twice(tmp_path, monkeypatch):
    """A function that reads a module anew and calls its compiled one: what it gives and whether it was compiled."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    compiled.place.cache_clear()
    source = tmp_path / "doubling.py"
    source.write_text("from simlib._util.compiled import compiled\nF = 2\n@compiled\ndef twice(x):\n    return F * x\n")

    def run(x=21):
        compiled._sources.cache_clear()
        module = {"__name__": "doubling"}
        exec(compile(source.read_text(), source, "exec"), module)
        value, stats = module["twice"](x), module["twice"].stats
        hits, misses = (sum(of.values()) for of in (stats.cache_hits, stats.cache_misses))
        assert hits + misses == 1
        return value, misses == 1

    run.source = source
    run.files = lambda: sorted(path for path in (tmp_path / "kept" / "kernels").iterdir())
    yield run
    compiled.place.cache_clear()


def test_a_function_is_compiled_once_and_anew_when_a_constant_in_its_file_changes(twice):
    text = twice.source.read_text()
    assert [twice(), twice(4)] == [(42, True), (8, False)]
    assert len(twice.files()) == 1
    twice.source.write_text(text.replace("F = 2", "F = 3"))
    assert twice() == (63, True)
    twice.source.write_text(text)
    assert twice() == (42, False)  # the old one is found again


@pytest.mark.thorough
def test_a_process_that_compiles_a_scheduler_says_so_in_one_line_on_standard_error(tmp_path):
    source = tmp_path / "slow.py"
    source.write_text(
        "from simlib._util.compiled import compiled\n@compiled\ndef help(x):\n    return x\n"
        "@compiled\ndef loop(x, progress_and_stop):\n    return help(x) + progress_and_stop\n"
        "@compiled\ndef other(x, progress_and_stop):\n    return help(x) - progress_and_stop\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(simlib.__file__).parents[1])])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": path}

    def said(code):
        command = [sys.executable, "-B", "-c", f"import slow; {code}"]
        return subprocess.run(command, env=environment, stderr=subprocess.PIPE, check=True, text=True).stderr

    assert said("slow.help(1)") == ""  # what takes no time
    for code, lines in (("slow.loop(1, 2); slow.other(1, 2)", 1), ("slow.loop(1, 2)", 0), ("slow.loop(1, 2.5)", 1)):
        text = said(code)
        assert text.count("\n") == lines and ("simlib compile" in text) == bool(lines)


def test_a_damaged_file_is_never_run(twice):
    twice()
    for damage in (lambda data: b"", lambda data: data[:-1], lambda data: data[:99] + b"?" + data[100:]):
        (file,) = twice.files()
        file.write_bytes(damage(file.read_bytes()))
        assert twice() == (42, True)
    assert twice() == (42, False)


def test_a_kernel_calls_only_others_of_its_own_folder_and_of_the_engine():
    """For its key holds the sources of these alone."""
    written = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    for file in written:
        if "_util.compiled import" in file.read_text(encoding="utf-8"):
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    modules = [module for name, module in sys.modules.items() if name.startswith("simlib")]
    kernels = {value for module in modules for value in vars(module).values() if isinstance(value, Dispatcher)}
    assert len(kernels) > 40
    engine = ROOT / "simlib" / "engine"
    for kernel in kernels:
        own = Path(kernel.py_func.__code__.co_filename)
        named = (kernel.py_func.__globals__.get(name) for name in kernel.py_func.__code__.co_names)
        for other in (value for value in named if isinstance(value, Dispatcher)):
            file = Path(other.py_func.__code__.co_filename)
            assert file.parent in (own.parent, engine), f"{kernel.__name__} calls {other.__name__} of {file}"


@pytest.mark.skipif(os.name != "posix", reason="folders say who can write them on POSIX only")
def test_code_is_neither_read_from_nor_kept_in_a_folder_that_others_can_write(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    kernels = tmp_path / "kernels"
    place = compiled.place.__wrapped__  # as in a new process
    assert place() == kernels
    for folder, mode in ((kernels, 0o777), (kernels, 0o775), (tmp_path, 0o777)):
        usual = folder.stat().st_mode
        folder.chmod(mode)
        assert place() not in (kernels, tmp_path)
        folder.chmod(usual)
    tmp_path.chmod(0o1777)  # as /tmp, where nobody can put another folder in the place of ours
    assert place() == kernels
    monkeypatch.setattr(os, "getuid", lambda: kernels.stat().st_uid + 1)
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR"):
        assert place() != kernels


def test_importing_the_package_makes_no_folder_and_warns_of_nothing(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    code = "import simlib, simlib_study.pages"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr, list(tmp_path.iterdir())) == ("", "", [])


def test_a_function_that_is_typed_in_is_compiled_and_not_kept():
    scope = {}
    exec(compile("def f(x):\n    return x + 1", "<typed>", "exec"), scope)
    assert compiled.compiled(scope["f"])(1) == 2


IN_BOUNDS = """
import sys
sys.path.insert(0, sys.argv[1])
import helpers
from simlib import EASY, load, simulate
from simlib.policies import adjusting, easy

easy.SMALL = -1  # however few the jobs, no plain Python
workloads = [helpers.random_workload(seed, jobs) for seed, jobs in enumerate((1, 2, 60, 60, 300))]
workloads.append(helpers.random_workload(7, 2000).scale_arrivals(0.2))  # a queue that is long
for policy in helpers.POLICIES.values():
    for workload in workloads:
        simulate(workload, policy)
users = helpers.busy_users(2, jobs=60)
for name in ("EASY, both orders one's own", "EASY++", "EASY, lookahead, shortest first", "Slurm by fair share"):
    policy = (helpers.BEYOND | helpers.SLURM)[name]
    for workload in [users] if policy.__dict__.get("backfill") == "lookahead" else [users, helpers.with_gpus(users, 1)]:
        simulate(workload, policy)
for order in ("fcfs", "wfp"):
    simulate(load("sample"), EASY(order=order, adjust=adjusting.Adjustment(adjusting.Scheme())))
"""


@pytest.mark.thorough
def test_no_kernel_reads_or_writes_beside_its_arrays(tmp_path):
    """Numba checks indices where it is asked to; otherwise such a fault ends in garbage, or later in a crash."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_BOUNDSCHECK": "1"}
    command = [sys.executable, "-W", "ignore", "-c", IN_BOUNDS, str(Path(__file__).parents[1])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
