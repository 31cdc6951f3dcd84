"""Many runs, and the whole study: how shaken runs scale with threads, and where the time of `make reproduce` goes.

What was done about the largest parts. Simulating is most of it. What several notebooks need is simulated once: in
build/cache/ lie the shaken runs of the logs, with their own and with made-up estimates, for Tables 1, 3, 4 and the
model of estimates, by both calendars at once where two are asked for, and those of the models for Figures 4 and 7. What
is the same by two rules, or comes to the same in two cases, is simulated once, and a log that many policies get is
shaken once for all of them. There are as many runs as the verdicts need: with a hundred shakes in place of 200, 12 of
the 462 cells of Table 1 have another verdict (7 a worse, 5 a better one); with 20 random draws, twice as many as the
authors', in place of 40, three of the 96 of Table 3; with 60 shakes in place of 100, one of the 24 of Table 4; with 40
in place of 100, none of Table 3; and no claim has, nor any of those of Figures 14 to 17 with 10 shakes in place of 20,
or of Figure 7 with five runs in place of six. Still fewer runs hide how much there is of chance: with two of the
policies on other logs, or with four of `tang2013/beyond`, more seems to differ clearly; with three of adjusted
estimates a mean wait of Curie moves by five points; with ten of Figure 5 a part of a claim holds that cannot be
decided. Figure 7 ends at a load of 0.9, where the means are above the ceiling at which the authors stopped. A shaken
run makes no table but that of its jobs: it is moved as plain arrays, measured by a kernel in one pass over its jobs,
and collected when all are done, which leaves Python's lock to the other threads; its memory is kept for the next. What
Tang's scheduler knows of earlier jobs is prepared once a month for all shakes, and cases that come to the same are
simulated once. Starting was the rest: kernels are compiled when the environment is made, not by several notebooks at
once; scipy.stats, as slow to import as all else together,
comes when it is used, as does what downloads logs;
papermill saves a notebook at its end, not after every cell; a log's digest is taken by a
kernel. A picture is laid out and drawn once: a notebook shows what is saved. The longest notebooks,
and those that they wait for, begin first, so that none is left to run alone. There is one more at once than there are
cores, for there is always one that starts or waits for a file.
"""

import ast
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import nbformat

import simlib
from simlib import EASY, Conservative, replicate
from simlib._util import paths

SHAKEN = ["1,000 shaken runs of KTH-SP2", "one thread [s]", "two threads [s]", "times as fast"]
STUDY = ["what", "seconds", "share"]

IMPORTING, SIMULATING, DRAWING, ELSE = "importing", "reading logs, simulating, measuring", "drawing, saving", "all else"

DRAW = {"facets", "subplots", "show", "save"}
"""What draws and saves, in all notebooks."""


def shaken_rows(runs=1000, parts=10):
    """The same shaken runs on one thread and on two, by turns, so that a machine whose speed drifts favours neither."""
    workload = simlib.load("KTH-SP2")
    seconds = {}
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        for first in range(0, runs, runs // parts):
            for policy in (EASY(), Conservative()):
                for threads in (one, two):
                    began = time.perf_counter()
                    replicate(workload, policy, shakes=runs // parts, seed=first, executor=threads, keep=False)
                    place = type(policy).__name__, threads
                    seconds[place] = seconds.get(place, 0) + time.perf_counter() - began
        for name, of in (("EASY", ["EASY"]), ("Conservative", ["Conservative"]), ("both", ["EASY", "Conservative"])):
            alone, together = (sum(seconds[policy, threads] for policy in of) for threads in (one, two))
            yield [name, f"{alone:.1f}", f"{together:.1f}", f"{alone / together:.2f}"]


def study_rows(folder=paths.ROOT / "build" / "notebooks"):
    """Where the time of the last `make reproduce` went, from what papermill wrote into the notebooks it executed.

    Seconds are added over all notebooks, of which two or more ran at once.
    """
    notebooks = {path: nbformat.read(path, as_version=4) for path in sorted(folder.rglob("*.ipynb"))}
    spent = {"papermill's own start": len(notebooks) * _best([sys.executable, "-m", "papermill", "--version"])}
    spent |= dict.fromkeys(["starting the kernel", IMPORTING, SIMULATING, DRAWING, ELSE], 0.0)
    for notebook in notebooks.values():
        cells = [cell for cell in notebook.cells if cell.metadata.get("papermill", {}).get("start_time")]
        of = notebook.metadata.papermill
        code = [cell for cell in cells if cell.cell_type == "code"]
        starting = _seconds(of.start_time, cells[0].metadata.papermill.start_time)
        seconds = [cell.metadata.papermill.duration for cell in code]
        spent["starting the kernel"] += starting
        for kind, duration in zip(kinds([cell.source for cell in code]), seconds, strict=True):
            spent[kind] += duration
        spent[ELSE] += of.duration - starting - sum(seconds)
    total = sum(spent.values())
    for what, seconds in spent.items():
        yield [what, f"{seconds:.0f}", f"{seconds / total:.0%}"]
    yield [f"{len(notebooks)} notebooks", f"{total:.0f}", "100%"]


def kinds(cells):
    """Say of each code cell what it is counted as; one that does several things counts as the first of them.

    Parameters
    ----------
    cells : list of str

    Returns
    -------
    list of str
    """
    return [_kind(ast.parse(source)) for source in cells]


def _kind(tree):
    names = {getattr(node, "attr", None) or getattr(node, "id", None) for node in ast.walk(tree)}
    if any(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body):
        return IMPORTING
    return (
        DRAWING if names & DRAW else SIMULATING if any(isinstance(node, ast.Call) for node in ast.walk(tree)) else ELSE
    )


def _seconds(first, last):
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def _best(command, runs=5):
    least = float("inf")
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        least = min(least, time.perf_counter() - began)
    return least


if __name__ == "__main__":
    for header, rows in ((SHAKEN, shaken_rows()), (STUDY, study_rows())):
        for row in (header, *rows):
            print(" | ".join(row))
