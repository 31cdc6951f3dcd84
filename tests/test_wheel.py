"""What pip installs works in an empty folder: on each Python that is here, with the oldest and the newest versions."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest
from helpers import ROOT, listing, numbered

from simlib.logs import swf

pytestmark = pytest.mark.thorough

VERSIONS = {"oldest": "constraints-oldest.txt", "newest": "constraints.txt"}


def pythons():
    """The Pythons that can be called by a version of which the package says that it will do, this one among them."""
    pythons = {sys.version_info[1]: sys.executable}
    for minor in range(11, 20):
        path = shutil.which(f"python3.{minor}")
        if path and minor not in pythons and run(path, "-c", "", check=False).returncode == 0:
            pythons[minor] = path
    return dict(sorted(pythons.items()))


def run(*command, folder=None, check=True, **environment):
    """Run a command with nothing of this checkout or of a user's settings in its way."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MPLBACKEND")}
    made = subprocess.run(command, cwd=folder, env=clean | environment, capture_output=True, text=True)
    assert not check or made.returncode == 0, made.stdout + made.stderr
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    (made,) = folder.glob("simlib_backfilling-*.whl")
    names = zipfile.ZipFile(made).namelist()
    assert {f"simlib/data/{name}" for name in ("teaching/lesson1-fcfs.ipynb", "claims/claims.csv")} <= {*names}
    assert [name for name in names if "solutions" in name or "docs/" in name] == []
    return made


CASES = [(minor, versions) for minor in pythons() for versions in VERSIONS if versions == "newest" or minor == 11]
"""The oldest versions have wheels for the oldest Python alone."""


@pytest.fixture(scope="module", params=CASES, ids=[f"3.{minor}-{versions}" for minor, versions in CASES])
def installed(request, wheel, tmp_path_factory):
    """An environment with the package alone: its Python, and a function that installs what runs notebooks."""
    minor, versions = request.param
    place = tmp_path_factory.mktemp("environment")
    run(pythons()[minor], "-m", "venv", place)
    python = place / "bin" / "python"

    def install(*what):
        run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / VERSIONS[versions], *what)

    install(wheel)
    of_study = ["papermill", "ipykernel"] if versions == "oldest" else [f"{wheel}[study]"]  # which needs pandas 3
    return python, lambda: install(*of_study)


@pytest.fixture
def folder(tmp_path):
    """A folder that has nothing but a log."""
    rows = [(600 * n, 60 * (n % 7), 60 * (n % 9 + 1), n % 4 + 1, n % 3) for n in range(60)]
    swf.write_log([" MaxProcs: 4"], numbered(rows, 4).log.assign(status=1), tmp_path / "mine.swf")
    return tmp_path


def test_the_report_and_the_course_need_nothing_but_the_package(installed, folder):
    command = installed[0].with_name("simlib")
    run(command, "report", "mine.swf", folder=folder)
    run(command, "course", "course", folder=folder)
    assert listing(folder) == ["course", "mine.html", "mine.swf"]
    assert "</html>" in (folder / "mine.html").read_text("utf-8")
    assert (folder / "course" / "lesson1-fcfs.ipynb").exists()
    assert run(command, "logs", folder=folder).stdout.startswith("CTC-SP2")


def test_a_notebook_runs(installed, folder):
    python, install_what_runs_notebooks = installed
    install_what_runs_notebooks()
    notebook = ROOT / "notebooks" / "my-cluster.ipynb"
    run(python, "-m", "papermill", notebook, "out.ipynb", "-p", "logs", "mine.swf", "-p", "shakes", "4", folder=folder)
    assert listing(folder) == ["mine.swf", "out.ipynb"]
