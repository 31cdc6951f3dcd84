"""The checklist of a release says no to each fault that it is there to find."""

import json
import subprocess

import pytest

from simlib._util import paths
from tools import release

pytestmark = pytest.mark.slow

FILES = {
    "pyproject.toml": '[project]\nname = "simlib-backfilling"\nversion = "0.2.0"\n',
    "simlib/__init__.py": '__version__ = "0.2.0"\n',
    "CITATION.cff": "version: 0.2.0\n",
    "codemeta.json": '{\n  "version": "0.2.0",\n  "author": [{"name": "The simlib authors"}]\n}\n',
    "CHANGELOG.md": "## 0.2.0, 2026-12-01\n\n- **Published numbers**: paper/table1\n\n## 0.1.0, 2026-01-01\n",
    "figures/paper/table1/numbers.csv": "log,wait\nKTH,1.0\n",
}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with a release, one commit later; returns a function that changes a file and commits."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)

    def git(*command):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *command], cwd=tmp_path, check=True)

    def write(name, old, new):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else old
        assert old in text
        path.write_text(text.replace(old, new))
        git("add", ".")
        git("-c", "commit.gpgsign=false", "commit", "-qm", name)

    git("init", "-q")
    for name, text in FILES.items():
        write(name, text, text)
    git("tag", "v0.1.0")
    write("figures/paper/table1/numbers.csv", "1.0", "2.0")
    write.git = git
    return write


CHECKS = (release.committed, release.one_version, release.changelog)


def test_a_release_with_all_that_it_needs_passes(repository):
    assert [check() for check in CHECKS] == ["", "", ""]
    assert len(list(release.undecided())) == 2  # authors and address: nobody can give them but their owner


@pytest.mark.parametrize("name, old, new, check", [
    ("simlib/__init__.py", "0.2.0", "0.1.0", release.one_version),
    ("CITATION.cff", "0.2.0", "0.2", release.one_version),
    ("codemeta.json", "0.2.0", "0.3.0", release.one_version),
    ("CHANGELOG.md", "## 0.2.0, 2026-12-01", "## Unreleased", release.changelog),
    ("CHANGELOG.md", "Published numbers", "Numbers", release.changelog),
    ("CHANGELOG.md", "paper/table1", "none", release.changelog),
])  # fmt: skip
def test_a_fault_is_named(repository, name, old, new, check):
    repository(name, old, new)
    fault = check()
    assert fault and (name in fault or "paper/table1" in fault)


def test_a_version_is_released_once(repository):
    repository.git("tag", "v0.2.0")
    assert "v0.2.0" in release.one_version()


def test_what_is_not_committed_is_no_release(repository):
    (paths.ROOT / "new.txt").write_text("")
    assert "new.txt" in release.committed()


def test_authors_and_address_are_asked_for_until_they_are_there(repository):
    about = json.loads((paths.ROOT / "codemeta.json").read_text()) | {"author": [{"name": "Ada Lovelace"}]}
    (paths.ROOT / "codemeta.json").write_text(json.dumps(about))
    assert [point.split(":")[0] for point in release.undecided()] == ["address of the code"]
