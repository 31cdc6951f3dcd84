"""Run what is frozen once more, at its commit and in its own environment, and compare: `make frozen`.

`figures/frozen.toml` has the commit of each notebook. A run lies in build/frozen/, a worktree of the commit, whose
committed numbers it is held against. This file needs Python's own library only.
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = {"PYTHONPATH", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "VENV"}  # what would reach into the other environment


def run():
    """Run all that is frozen, commit by commit; ends where numbers are not those that were committed with them."""
    frozen = tomllib.loads((ROOT / "figures" / "frozen.toml").read_text(encoding="utf-8"))["notebooks"]
    for commit in dict.fromkeys(about["commit"] for about in frozen.values()):
        again(commit, [name for name, about in frozen.items() if about["commit"] == commit])


def again(commit, names):
    """Run the notebooks that were frozen at a commit."""
    place = ROOT / "build" / "frozen" / commit
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        sys.exit(f"{ROOT}: found no git repository, expected a clone: what is frozen runs at its commit {commit}")
    if git("cat-file", "-e", f"{commit}^{{commit}}", check=False, stderr=subprocess.DEVNULL).returncode:
        sys.exit(f"found no commit {commit} in this clone; fetch it: git fetch --depth 1 origin {commit}")
    if not place.exists():
        git("worktree", "prune")
        git("worktree", "add", "--detach", place, commit)
    environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    environment["SIMLIB_TRACES"] = str(Path(os.environ.get("SIMLIB_TRACES", ROOT / "data" / "traces")).resolve())
    began = time.monotonic()
    for name in names:
        for pattern in (f"{name}/*.csv", f"{name.replace('/', '_')}*.csv"):  # the latter at commits of before
            for path in (place / "figures").glob(pattern):
                path.unlink()  # so that what is not made again is missed
    subprocess.run(["make", "-C", place, ".venv/ready", f"PYTHON={sys.executable}"], env=environment, check=True)
    targets = [f"build/notebooks/{name}.ipynb" for name in names]
    command = [place / ".venv" / "bin" / "python", "-m", "snakemake", "--cores", "all", "--force", *targets]
    subprocess.run(command, cwd=place, env=environment, check=True)
    changed = git("-C", place, "status", "--porcelain", "--", "figures/*.csv", stdout=subprocess.PIPE).stdout
    took = f"{(time.monotonic() - began) / 60:.1f} minutes, in {place}"
    if changed:
        print(changed, end="")
        sys.exit(f"these numbers are not those of commit {commit}, or a log is missing to make them; {took}")
    print(f"all numbers are those of commit {commit}; {took}")


def git(*arguments, check=True, **options):
    """Call git in the repository."""
    return subprocess.run(["git", *arguments], cwd=ROOT, text=True, check=check, **options)


if __name__ == "__main__":
    try:
        run()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{shlex.join(map(str, error.cmd))}: ended with {error.returncode}")
