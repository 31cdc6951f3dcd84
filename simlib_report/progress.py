"""Run a page's simulations so that a reader sees how far they are, and so that a killed report goes on where it was."""

import ctypes
import pickle
import shutil
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from simlib._util import cache, paths
from simlib._util.compiled import bar_shows
from simlib.core.threads import pool
from simlib.core.workload import Workload

_FIRST, _EVERY = 1, 10
"""Seconds until the first line, and between two others, where no terminal shows a bar."""

_MMAP_THRESHOLD = -3
"""The option M_MMAP_THRESHOLD of mallopt(3)."""

LONG = 100_000
"""Jobs from which on a run takes so long that its result is kept."""


def return_memory() -> None:
    """Let glibc give arrays back to the system when they are freed: kept, they would be half of a long log's memory."""
    with suppress(OSError, AttributeError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, 2**20)


class Progress:
    """Say on standard error what is done now: after a second, and then every ten; use it in a `with` block."""

    def __init__(self) -> None:
        self.doing, self.done, self.of = "", 0, 0
        self._began, self._ended = time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> "Progress":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def now(self, doing: str) -> None:
        """Name what is done from now on."""
        self.doing, self.done, self.of = doing, 0, 0

    def _tell(self) -> None:
        """Write a line from time to time; a terminal has bars for what is counted."""
        wait: float = _FIRST
        while not self._ended.wait(wait):
            counted = f": {self.done} of {self.of} runs" if self.of else ""
            if not (counted and bar_shows()):
                seconds = round(time.monotonic() - self._began)
                print(f"simlib report: {seconds} s, {self.doing}{counted}", file=sys.stderr, flush=True)
            wait = _EVERY - (time.monotonic() - self._began) % _EVERY


class Runs:
    """Run tasks on threads, count them, and keep their results, of a long log, in a folder until the page is written.

    An executor for `simlib.sweep`. The folder is beside the page; what others put there for other runs is removed.
    """

    def __init__(self, progress: Progress, page: Path, workload: Workload, *key: Any) -> None:
        self._progress, self._number = progress, 0
        self.folder = page.with_name(f".{page.name}.runs")
        known = cache.place("page", workload, *key) if len(workload) >= LONG else None
        self._place = self.folder / known.stem if known else None
        for other in self.folder.glob("*"):
            if other != self._place:
                shutil.rmtree(other, ignore_errors=True)
        self._threads = pool()

    def submit(self, function: Callable, *task: Any) -> Future:
        """Run a task, or read its result if it is kept: tasks come in the same order each time."""
        self._number, self._progress.of = self._number + 1, self._progress.of + 1
        return self._threads.submit(self._once, f"{self._number}.pickle", function, task)

    def _once(self, name: str, function: Callable, task: tuple) -> Any:
        """The result of a task."""
        path = self._place / name if self._place else None
        kept = paths.read_sealed(path) if path else None
        result = function(*task) if kept is None else pickle.loads(kept)
        if path and kept is None:
            paths.write_sealed(path, pickle.dumps(result))
        self._progress.done += 1
        return result

    def end(self, written: bool) -> None:
        """Stop, and remove what was kept if the page is written."""
        self._threads.shutdown(wait=written, cancel_futures=True)
        if written:
            shutil.rmtree(self.folder, ignore_errors=True)
