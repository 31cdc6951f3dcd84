"""What is frozen is as it was, and so is the engine that it was made with; and it can be run again at its commit."""

import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from helpers import ROOT

from simlib_study import pages, records
from simlib_study.notebooks import frozen, notebook
from tools import freeze

FROZEN = frozen()
each_notebook = pytest.mark.parametrize("name", FROZEN["notebooks"])


@each_notebook
def test_a_commit_is_named_by_its_whole_id_and_has_the_notebook_that_is_gone(name):
    assert re.fullmatch("[0-9a-f]{40}", FROZEN["notebooks"][name]["commit"])
    assert not (ROOT / "notebooks" / f"{name}.ipynb").exists()


@each_notebook
def test_frozen_files_are_as_they_were_and_none_is_missing_or_new(name):
    digests = FROZEN["notebooks"][name]["sha256"]
    assert list(digests) == freeze.files(name)
    changed = [file for file, of in digests.items() if freeze.digest((freeze.FIGURES / file).read_bytes()) != of]
    assert not changed, f"frozen files were changed: {', '.join(changed)}"


@each_notebook
def test_a_frozen_notebook_has_a_record_numbers_pictures_and_a_place_among_the_others(name):
    folder = freeze.FIGURES / name
    assert records.read(folder / "record.json") and (folder / "numbers.csv").exists()
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {notebook(name).title}\n") and notebook(name).frozen
    assert [path.name for path in folder.glob("*.png") if f"]({path.name})" not in text] == []
    links = re.findall(r"\]\(([^):#]+)\)", text)
    assert [link for link in links if not (folder / link).exists()] == []


def test_the_engine_is_the_one_that_the_frozen_numbers_were_made_with(log):
    log("KTH-SP2", "original")
    assert freeze.sums() == FROZEN["starts"], "frozen with another engine: run again and freeze anew"


def test_a_page_has_the_pictures_of_its_folder_links_from_where_it_lies_and_no_styles(root):
    folder = root / "figures" / "tang2013" / "detective"
    folder.mkdir(parents=True)
    (folder / "a.png").write_bytes(b"picture")
    (root / "notebooks" / "mualem2001").mkdir(parents=True)
    shutil.copy(ROOT / "notebooks" / "mualem2001" / "table1.ipynb", root / "notebooks" / "mualem2001")
    links = "[1](qsim.ipynb#rules) [2](../mualem2001/table1.ipynb) [3](../../figures/README.md) [4](https://a.org/b)"
    cells = [nbformat.v4.new_markdown_cell(f"# Title\n{links}"), nbformat.v4.new_code_cell("x")]
    table = '<style scoped>td { color: red }</style><table class=\'t\'><td id="T_1" class="a b">7</td></table>'
    data = [{"image/png": "cGljdHVyZQ=="}, {"text/html": table}]
    warned = nbformat.v4.new_output("stream", name="stderr", text="/tmp/ipykernel_7/1.py:1: Warning: slow")
    parts = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in ("in one ", "piece\n")]
    cells[1].outputs = [parts[0], warned, parts[1], *(nbformat.v4.new_output("display_data", one) for one in data)]
    page = pages.markdown(nbformat.v4.new_notebook(cells=cells), "tang2013/detective", "as it was")
    assert page.startswith("# Title\n\nas it was\n") and "![a](a.png)" in page and "<td>7</td>" in page
    assert "    in one piece\n" in page
    there = "[1](../../../notebooks/tang2013/qsim.ipynb#rules) [2](../../mualem2001/table1/README.md)"
    assert f"{there} [3](../../README.md) [4](https://a.org/b)" in page and "Warning" not in page
    cells[1].outputs[1].data["image/png"] = "b3RoZXI="
    with pytest.raises(ValueError, match="tang2013/detective: found a picture that is not in"):
        pages.markdown(nbformat.v4.new_notebook(cells=cells), "tang2013/detective", "")


# Run again, of a small project in place of the study


def git(folder, *arguments):
    who = ["-c", "user.name=who", "-c", "user.email=who"]
    return subprocess.check_output(["git", *who, *arguments], cwd=folder, text=True).strip()


@pytest.fixture
def project(tmp_path):
    """A project whose finished notebook, a_b, was frozen at its first commit; and what runs it."""
    folder = tmp_path / "a project"
    (folder / "figures").mkdir(parents=True)
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "frozen.py", folder / "tools")
    (folder / "figures" / "a_b.csv").write_text("7\n")
    (folder / "fake").write_text("#!/bin/sh\ncase $SIMLIB_TRACES in /*) echo ${A:-7} >figures/a_b.csv ;; esac\n")
    (folder / "fake").chmod(0o755)
    (folder / "Makefile").write_text(".venv/ready:\n\tmkdir -p .venv/bin\n\tcp fake .venv/bin/python\n\ttouch $@\n")
    (folder / ".gitignore").write_text("build/\n.venv/\n")
    git(tmp_path, "init", "-q", folder)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "finished")
    commit = git(folder, "rev-parse", "HEAD")
    (folder / "figures" / "frozen.toml").write_text(f'[notebooks."a/b"]\ncommit = "{commit}"\n')
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "frozen")
    return folder


def again(folder, **environment):
    """The status and what is said."""
    command = [sys.executable, folder / "tools" / "frozen.py"]
    how = {"env": os.environ | environment, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, **how)
    return done.returncode, done.stdout


@pytest.mark.slow
def test_what_is_frozen_runs_in_a_worktree_and_is_held_against_the_numbers_of_its_commit(project):
    commit = frozen_at(project)
    for _ in range(2):  # the second time it is there already
        status, told = again(project)
        assert status == 0 and f"all numbers are those of commit {commit}" in told
    status, told = again(project, A="8")
    assert status == 1 and "figures/a_b.csv" in told and "not those of commit" in told
    assert git(project, "status", "--porcelain") == ""


@pytest.mark.slow
def test_numbers_that_are_not_made_again_are_not_taken_for_right(project):
    assert again(project)[0] == 0
    python = next((project / "build" / "frozen").glob("*/.venv/bin/python"))
    python.write_text("#!/bin/sh\n")
    status, told = again(project)
    assert status == 1 and "a log is missing" in told
    python.write_text("#!/bin/sh\nexit 3\n")
    status, told = again(project)
    assert status == 1 and told.endswith(": ended with 3\n")


@pytest.mark.slow
def test_a_clone_without_the_commit_is_told_what_to_fetch_and_a_copy_without_git_what_it_needs(project, tmp_path):
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", "shallow")
    status, told = again(tmp_path / "shallow")
    assert status == 1 and told.endswith(f"git fetch --depth 1 origin {frozen_at(project)}\n")
    shutil.rmtree(project / ".git")
    status, told = again(project)
    assert status == 1 and "found no git repository" in told


def frozen_at(project):
    return re.search('commit = "(.*)"', (project / "figures" / "frozen.toml").read_text())[1]
