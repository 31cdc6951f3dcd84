"""Freeze finished notebooks: keep each as it was executed, and say at which commit it runs and what its files are.

`python tools/freeze.py COMMIT` after a full run at that commit writes the executed notebooks, from build/notebooks/,
into their exhibits' folders, and `figures/frozen.toml`: the commit, the command, sums that tell whether the engine is
still the same, and the digest of each frozen file. Without a commit it writes the digests anew, for renamed files.
`make frozen` runs what is frozen again: see `frozen.py`.
"""

import hashlib
import json
import subprocess
import sys

import nbformat

from simlib import EASY, Conservative, load, simulate
from simlib._util import paths
from simlib_study.notebooks import frozen
from simlib_study.pages import markdown

FIGURES = paths.ROOT / "figures"
FROZEN = ("mualem2001/detective", "mualem2001/lost-jobs", "mualem2001/what-is-left", "tang2013/detective")
"""The notebooks that are finished."""

POLICIES = {
    "EASY": EASY(),
    "EASY, extra processors shared": EASY(reuse_extra=True),
    "conservative": Conservative(),
    "conservative, by start": Conservative("start"),
}
"""Those of the text and the likely ones, on which the frozen numbers rest."""

HEADER = "# What is finished, and at which commit it runs: `make frozen`. tools/freeze.py writes this file.\n"
NOTE = "*This notebook is finished and frozen, and shown as it was executed. `make frozen` runs it again.*"


def freeze(commit):
    """Write the notebooks as Markdown, and the table."""
    commit = subprocess.check_output(["git", "rev-parse", f"{commit}^{{commit}}"], cwd=paths.ROOT, text=True).strip()
    executed = {name: paths.ROOT / "build" / "notebooks" / f"{name}.ipynb" for name in FROZEN}
    if missing := [str(path) for path in executed.values() if not path.exists()]:
        sys.exit(f"found no {', '.join(missing)}; expected executed notebooks, from a full run at commit {commit}")
    books = {name: nbformat.read(path, as_version=4) for name, path in executed.items()}
    about = {}
    for name, book in books.items():
        title = book.cells[0].source.splitlines()[0].lstrip("# ")
        about[name] = {"title": title, "section": book.metadata["simlib"]["section"]}
    for name, book in books.items():
        (FIGURES / name / "README.md").write_text(markdown(book, name, NOTE), encoding="utf-8")
    targets = " ".join(f"build/notebooks/{name}.ipynb" for name in FROZEN)
    command = f"snakemake --cores all --force {targets}"
    write({"commit": commit, "command": command, "starts": sums(), "notebooks": about})


def write(table):
    """Write `figures/frozen.toml`, with the digests of the files as they are."""
    lines = [HEADER, *(f"{key} = {quoted(table[key])}" for key in ("commit", "command"))]
    lines += ["", "# Sums of the start times of all jobs of KTH-SP2, in seconds", "[starts]"]
    lines += [f"{quoted(name)} = {total}" for name, total in table["starts"].items()]
    for name, about in table["notebooks"].items():
        lines += ["", f"[notebooks.{quoted(name)}]", *(f"{key} = {quoted(about[key])}" for key in ("title", "section"))]
        lines += ["", f"[notebooks.{quoted(name)}.sha256]"]
        lines += [f"{quoted(file)} = {quoted(digest((FIGURES / file).read_bytes()))}" for file in files(name)]
    (FIGURES / "frozen.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def quoted(text):
    """Write a text as TOML has it."""
    return json.dumps(text, ensure_ascii=False)


def digest(content):
    """Take the SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def files(name):
    """List the files of a frozen notebook, from `figures/`: the notebook itself, numbers, pictures and record."""
    return sorted(path.relative_to(FIGURES).as_posix() for path in (FIGURES / name).iterdir())


def sums():
    """Sum up the start times of KTH's jobs by each policy."""
    log = load("KTH-SP2", "original")
    return {name: int(simulate(log, policy).jobs.start.sum()) for name, policy in POLICIES.items()}


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: python tools/freeze.py [COMMIT]")
    freeze(sys.argv[1]) if sys.argv[1:] else write(frozen())
