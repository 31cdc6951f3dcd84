"""Kernel, papermill and Snakemake killed at random moments, and run again: the same figures, and nothing left over."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time

import psutil

from .attack import environ, folder_for_files, try_random
from .places import copy_of_the_tree

TREE = "simlib", "data", "notebooks", "profiles", "Snakefile", "pyproject.toml"
EXHIBITS = "tang2013/figure3", "tang2013/table2"
"""The quickest, one without logs, the other from a twin."""

WHOM = {"Snakemake": "-m snakemake", "papermill": "papermill.cli", "the kernel": "ipykernel_launcher"}
SIGNALS = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}
PATIENCE = 120
SHORTEST = 0.3
"""Seconds after which something is killed, at the earliest."""


def start(root):
    """Snakemake, in a session of its own."""
    targets = [f"build/notebooks/{name}.ipynb" for name in EXHIBITS]
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "2", *targets],
        cwd=root,
        env=environ(root, SIMLIB_TRACES=None, SIMLIB_ARCHIVE="http://127.0.0.1:9/", NO_PROXY="*"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def finish(root):
    """Run to the end; its exit status."""
    process = start(root)
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        end(family(process))
        return "no end"


def family(process):
    """A process and all that it started."""
    try:
        parent = psutil.Process(process.pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def end(processes):
    """Kill those of them that are still there."""
    for one in processes:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            pass
    psutil.wait_procs(processes, timeout=10)


def pictures(root):
    """The digests of what is to be the same: numbers and pictures."""
    places = [root / "figures", root / "build" / "synthetic"]
    files = sorted(path for place in places for path in place.glob("*") if path.suffix in (".csv", ".png"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def left_over(root):
    """What should not be there when all is done."""
    places = [root / "figures", root / "build", root / "data"]
    return [str(path.relative_to(root)) for place in places for path in place.rglob(".*")]


def clean(root):
    for name in ("figures", "build", ".snakemake"):
        shutil.rmtree(root / name, ignore_errors=True)


def killed(plan):
    """Kills at random moments."""

    def attempt(rng):
        whom, sign = str(rng.choice(list(WHOM))), str(rng.choice(list(SIGNALS)))
        moment = float(rng.uniform(SHORTEST, max(lasts, SHORTEST)))
        said = f"{whom}, {sign}, after {moment:.1f} s"
        began = family(process := start(root))
        try:
            time.sleep(moment)
            began = family(process)
            _send(process, began, WHOM[whom], SIGNALS[sign], whole=sign == "SIGINT" and whom == "Snakemake")
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                return f"{said}: Snakemake does not end"
            if rng.random() < 0.5:  # what goes on alone may be at work still when all is started again
                psutil.wait_procs(began, timeout=30)
            status = finish(root)
            still = psutil.wait_procs(began, timeout=30)[1]
            if status:
                return f"{said}: run again, it ends with {status}"
            if still:
                return f"{said}: {still[0]} is at work still, half a minute later"
            if (found := pictures(root)) != right:
                other = sorted(name for name in {*found, *right} if found.get(name) != right.get(name))
                return f"{said}: other bytes in {', '.join(other)}"
            if left := left_over(root):
                return f"{said}: left over: {', '.join(left)}"
        finally:
            end(began)
            clean(root)

    with folder_for_files() as folder:
        root = copy_of_the_tree(folder, TREE)
        if status := finish(root):
            raise RuntimeError(f"an undisturbed run ends with {status}: {said_last(root)}")
        clean(root)
        began = time.monotonic()
        finish(root)
        lasts = time.monotonic() - began
        right = pictures(root)
        clean(root)
        what = "Snakemake, papermill or a kernel killed (SIGKILL, SIGTERM, SIGINT) at a random moment, and run again"
        done = try_random(what, plan, 12, attempt)
    return done


def said_last(root):
    """The end of what papermill said."""
    logs = sorted((root / "build" / "logs").rglob("*.log"))
    return " / ".join(path.read_text(errors="replace")[-200:] for path in logs)


def _send(process, processes, words, number, whole):
    """Send a signal to the one whose command line has these words, or to Snakemake; Ctrl+C goes to a whole group."""
    if whole:
        os.killpg(process.pid, number)
        return
    for one in processes:
        try:
            if words in " ".join(one.cmdline()):
                one.send_signal(number)
                return
        except psutil.NoSuchProcess:
            continue
    process.send_signal(number)
