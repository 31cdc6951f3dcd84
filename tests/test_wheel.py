"""What pip installs works in an empty folder: on each Python that is here, with the oldest and the newest versions."""

import os
import shutil
import subprocess
import sys

import pytest
from helpers import ROOT, numbered

from simlib import swf

pytestmark = pytest.mark.thorough

VERSIONS = {"oldest": "constraints-oldest.txt", "newest": "constraints.txt"}


def pythons():
    """The Pythons that can be called by a version of which the package says that it will do, this one among them."""
    found = {sys.version_info[1]: sys.executable}
    for minor in range(11, 20):
        path = shutil.which(f"python3.{minor}")
        if path and minor not in found and run(path, "-c", "", check=False).returncode == 0:
            found[minor] = path
    return dict(sorted(found.items()))


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
    (made,) = folder.glob("simlib-*.whl")
    return made


CASES = [(min(pythons()), "oldest"), *((minor, "newest") for minor in pythons())]


@pytest.mark.parametrize(("minor", "versions"), CASES, ids=[f"3.{minor}-{versions}" for minor, versions in CASES])
def test_the_installed_package_works_in_an_empty_folder(wheel, minor, versions, tmp_path):
    place, empty = tmp_path / "environment", tmp_path / "empty"
    empty.mkdir()
    run(pythons()[minor], "-m", "venv", place)
    python, simlib = place / "bin" / "python", place / "bin" / "simlib"
    install = (python, "-m", "pip", "install", "--quiet", "-c", ROOT / VERSIONS[versions])
    run(*install, wheel)
    rows = [(600 * n, 60 * (n % 7), 60 * (n % 9 + 1), n % 4 + 1, n % 3) for n in range(60)]
    swf.write_log([" MaxProcs: 4"], numbered(rows, 4).log.assign(status=1), empty / "mine.swf")
    run(simlib, "report", "mine.swf", folder=empty)
    assert "</html>" in (empty / "mine.html").read_text("utf-8")
    run(simlib, "course", "course", folder=empty)
    assert (empty / "course" / "lesson1-fcfs.ipynb").exists()
    assert run(python, "-m", "simlib", "logs", folder=empty).stdout.startswith("CTC-SP2")
    run(*install, f"{wheel}[study]")
    of_study = ROOT / "notebooks" / "my-cluster.ipynb", "out.ipynb", "-p", "log", "mine.swf", "-p", "shakes", "2"
    run(python, "-m", "papermill", *of_study, folder=empty)
    assert {path.name for path in empty.iterdir()} == {"mine.swf", "mine.html", "course", "out.ipynb"}
