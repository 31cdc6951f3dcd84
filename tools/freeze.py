"""Freeze finished notebooks: keep each as it was executed, and say at which commit it runs and what its files are.

`python tools/freeze.py COMMIT NAME...` freezes notebooks whose folders in figures/ have what a full run at this commit
made. It writes `figures/frozen.toml`: the commit of each, sums that tell whether the engine is still the same, and the
digest of each frozen file. Without arguments it writes the digests anew, for renamed files. `make frozen` runs what is
frozen again: see `frozen.py`.
"""

import hashlib
import json
import re
import subprocess
import sys

from simlib import EASY, Conservative, load, simulate
from simlib._util import paths
from simlib_study.notebooks import frozen

FIGURES = paths.ROOT / "figures"

POLICIES = {
    "EASY": EASY(),
    "EASY, extra processors shared": EASY(reuse_extra=True),
    "conservative": Conservative(),
    "conservative, by start": Conservative("start"),
}
"""Those of the text and the likely ones, on which the frozen numbers rest."""

HEADER = "# What is finished, and at which commit it runs: `make frozen`. tools/freeze.py writes this file.\n"
NOTE = "*This notebook is finished and frozen, and shown as it was executed. `make frozen` runs it again.*"


def freeze(commit, names):
    """Write the note into the executed notebooks, and add them to the table."""
    commit, table = git("rev-parse", f"{commit}^{{commit}}").strip(), frozen()
    for name in names:
        book, page = json.loads(git("show", f"{commit}:notebooks/{name}.ipynb")), FIGURES / name / "README.md"
        title = book["cells"][0]["source"][0].strip("# \n")
        about = {"title": title, "section": book["metadata"]["simlib"]["section"], "commit": commit}
        table["notebooks"][name] = about
        text = re.sub(r"^\*\[This notebook\].*", NOTE, page.read_text(encoding="utf-8"), count=1, flags=re.M)
        page.write_text(text, encoding="utf-8")
    write(table)


def git(*arguments):
    """What git answers."""
    return subprocess.check_output(["git", *arguments], cwd=paths.ROOT, text=True)


def write(table):
    """Write `figures/frozen.toml`, with the digests of the files as they are."""
    lines = [HEADER, "# Sums of the start times of all jobs of KTH-SP2, in seconds", "[starts]"]
    lines += [f"{quoted(name)} = {total}" for name, total in table["starts"].items()]
    for name, about in sorted(table["notebooks"].items()):
        lines += ["", f"[notebooks.{quoted(name)}]"]
        lines += [f"{key} = {quoted(about[key])}" for key in ("title", "section", "commit")]
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
    if len(sys.argv) == 2:
        sys.exit("usage: python tools/freeze.py [COMMIT NAME...]")
    freeze(sys.argv[1], sys.argv[2:]) if sys.argv[1:] else write(frozen())
