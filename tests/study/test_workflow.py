"""The workflow that executes the notebooks: resumable runs, failures that show."""

import importlib
import os
import shutil
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from helpers import ROOT

from simlib._util import paths
from simlib_study import records
from simlib_study.notebooks import notebooks

pytestmark = pytest.mark.slow


def test_the_benchmark_knows_where_each_exhibit_imports_simulates_and_draws(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    study = importlib.import_module("study")
    for name, notebook in notebooks().items():
        assert (name, {study.IMPORTING, study.SIMULATING, study.DRAWING} - set(study.kinds(notebook.code))) == (
            name,
            set(),
        )


# The workflow, with small notebooks of its own


@pytest.fixture
def project(tmp_path):
    """A function that lays out a project of small notebooks, each given by its code, around the real Snakefile.

    Its folder has blanks and braces in its name, and so has the one that the interpreter is called from.
    """

    def lay_out(**notebooks):
        folder = tmp_path / "{a} b"
        folder.mkdir()
        shutil.copytree(ROOT / "workflow", folder / "workflow")
        (folder / "notebooks").mkdir()
        (folder / "environment").symlink_to(sys.prefix)
        for name, source in notebooks.items():
            parameters = nbformat.v4.new_code_cell("x = 1", metadata={"tags": ["parameters"]})
            book = nbformat.v4.new_notebook(cells=[parameters, nbformat.v4.new_code_cell(source)])
            book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
            book.metadata["simlib"] = {"section": "1"}
            path = folder / "notebooks" / f"{name}.ipynb"
            path.parent.mkdir(exist_ok=True)
            nbformat.write(book, path)
        return folder

    return lay_out


SNAKEMAKE = "exec ./environment/bin/python -m snakemake --cores 1"
COUNTING = "open('runs', 'a').write('{}\\n')"


def snakemake(folder, more=""):
    return subprocess.run(
        SNAKEMAKE + more,
        shell=True,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )


def runs(folder):
    path = folder / "runs"
    return path.read_text().split() if path.exists() else []


@pytest.mark.thorough
def test_a_failing_notebook_shows_its_traceback_and_leaves_nothing_while_the_others_run(project):
    folder = project(a="raise ArithmeticError('two and two make five')", b=COUNTING.format("b"))
    done = snakemake(folder)
    assert done.returncode != 0
    assert "ArithmeticError: two and two make five" in done.stdout
    assert not (folder / "build/notebooks/a.ipynb").exists()
    assert (folder / "build/notebooks/b.ipynb").exists()
    assert "ArithmeticError" in (folder / "build/logs/a.log").read_text()


@pytest.mark.thorough
def test_a_killed_run_goes_on_where_it_was(project):
    once = "import os, time; first = not os.path.exists('seen'); open('seen', 'w'); time.sleep(100 if first else 0); "
    folder = project(a=COUNTING.format("a"), z=once + COUNTING.format("z"))
    process = subprocess.Popen(
        SNAKEMAKE, shell=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while not ((folder / "seen").exists() and (folder / "build/notebooks/a.ipynb").exists() and runs(folder) == ["a"]):
        if runs(folder) == [] and (folder / "seen").exists():
            break  # z came first: then a is what is left
        assert time.monotonic() < deadline
        time.sleep(0.1)
    finished = runs(folder)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = snakemake(folder)
    assert done.returncode == 0, done.stdout
    assert sorted(runs(folder)) == ["a", "z"]
    assert runs(folder)[: len(finished)] == finished
    assert "Nothing to be done" in snakemake(folder).stdout
    (folder / "notebooks" / "a.ipynb").write_text(
        (folder / "notebooks" / "a.ipynb").read_text().replace("x = 1", "x = 2")
    )
    assert "1 notebooks: about" in snakemake(folder).stdout


@pytest.mark.thorough
def test_of_what_is_committed_only_what_has_changed_is_made_again(project, monkeypatch):
    names = {name: COUNTING.format(name) for name in ("mualem2001/table3", "tang2013/beyond", "tang2013/table2")}
    folder = project(**names)  # called as exhibits of the study that take long
    assert snakemake(folder).returncode == 0 and sorted(runs(folder)) == sorted(names)
    for name in names:
        (folder / "figures" / name).mkdir(parents=True)
        (folder / "figures" / name / "record.json").touch()
    os.utime(folder / "figures" / "tang2013" / "table2" / "record.json", (0, 0))  # it is of a run before
    monkeypatch.setattr(paths, "ROOT", folder)
    records.note_what_is_made_of_what()
    shutil.rmtree(folder / "build")
    book = folder / "notebooks" / "tang2013" / "beyond.ipynb"
    book.write_text(book.read_text().replace("x = 1", "x = 2"))
    (folder / "runs").unlink()
    assert snakemake(folder, " --config changed=1").returncode == 0
    assert sorted(runs(folder)) == ["tang2013/beyond", "tang2013/table2"]
    (folder / "constraints.txt").write_text("numpy==3.0")
    assert snakemake(folder, " --config changed=1").returncode == 0
    assert runs(folder).count("mualem2001/table3") == 1
