"""Execute a notebook with nbclient: this is the first process of a box, and a program that imports nothing of simlib.

    python executing.py SECONDS MEMORY

The sources of the cells stand on standard input, as a JSON list. A line of JSON goes to standard output for each cell
that has been run: its place, and null or its error as [name, text].
"""

import json
import os
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

PATIENCE = 3
"""A cell may take the notebook's time divided by this."""

RESERVED = 4
"""GB of addresses, most of them never used, that Python takes with its libraries before it runs a notebook."""

BEGIN = "from simlib_course.grading.inside import begin\nbegin()\ndel begin"


class _Client(NotebookClient):
    """Execute a notebook and keep no output, for nobody reads it and it may be endless."""

    def output(self, *_: Any) -> None:
        """Pass over an output."""


def _report(cell: Any, cell_index: int, execute_reply: Any) -> None:
    """Say that a cell was run, and how it failed."""
    reply = execute_reply["content"]
    error = [str(reply.get(part, ""))[:500] for part in ("ename", "evalue")] if reply["status"] == "error" else None
    print(json.dumps([cell_index - 1, error]), flush=True)


def _link(source: str, pattern: str, target: Path) -> None:
    """Make a folder that can be written, with links to files that cannot."""
    target.mkdir(parents=True, mode=0o755)
    for path in Path(source).glob(pattern):
        (target / path.name).symlink_to(path)


def main(seconds: float, memory: float) -> None:
    """Execute the notebook within limits."""
    for which, most in ((resource.RLIMIT_AS, int((memory + RESERVED) * 2**30)), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # the system's own limit is lower
            resource.setrlimit(which, (most, most))
    _link(os.environ["SIMLIB_KERNELS"], "*.code", Path(os.environ["NUMBA_CACHE_DIR"], "kernels"))
    _link(os.environ["SIMLIB_FONTS"], "fontlist*.json", Path(os.environ["MPLCONFIGDIR"]))
    cells = [new_code_cell(source) for source in (BEGIN, *json.load(sys.stdin))]
    client = _Client(new_notebook(cells=cells), kernel_name="python3", allow_errors=True, store_widget_state=False)
    client.timeout, client.interrupt_on_timeout = max(1, round(seconds / PATIENCE)), True
    late = f"it takes more than {client.timeout} s"
    client.error_on_timeout = {"status": "error", "ename": "TimeUp", "evalue": late, "traceback": []}
    client.on_cell_executed = _report
    client.execute(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
