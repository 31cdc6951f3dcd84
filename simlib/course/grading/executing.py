"""Execute a student's notebook in this process, and write its answers down as data.

Cells that fail are skipped, as a student would do. Nothing that the notebook says of itself is used, and nothing that
its code does to this process matters to others.
"""

import json
import os
import signal
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from ... import policies
from ...core.schedule import simulate
from ...core.workload import Workload
from .. import lessons
from . import judging

ANSWERS = "answers.json"
"""The file that has the answers by exercise, what went wrong by cell, and how many cells were run."""

LARGEST = 16 * 2**20
"""Bytes of that file that are read."""

PATIENCE = 3
"""A cell may take the notebook's time divided by this."""


class TimeUp(BaseException):
    """A cell has taken too long; no `except Exception` of a student keeps it."""


def execute(cells: Sequence[str], seconds: float) -> Callable[[Path], None]:
    """Give the work of executing these cells, each for `seconds` at most."""

    def work(folder: Path) -> None:
        notebook = _Notebook(folder)
        for source in cells:
            notebook.run(source, seconds)

    return work


def warm() -> None:
    """Load, once for all, what notebooks load: simlib's controls, and the fonts of pictures.

    A process that finds no list of fonts, and may write none, makes one for itself, which takes long.
    """
    import matplotlib

    matplotlib.use("agg")
    import IPython.core.interactiveshell  # noqa: F401
    import matplotlib.pyplot as plt

    from ... import plots
    from .. import widgets

    jobs = Workload.of("one job", 4, A=(0, 10, 20, 3))
    with plt.rc_context():
        plots.use_style()
        for policy in (policies.FCFS(), policies.EASY(), policies.Conservative()):
            plots.gantt(simulate(jobs, policy)).figure.canvas.draw()
            repr(widgets.stepper(jobs, policy))
        plt.close("all")


class _Notebook:
    """A notebook that is being executed, without a kernel and without anybody who looks at it."""

    def __init__(self, folder: Path) -> None:
        from IPython.core.interactiveshell import InteractiveShell  # which only those need who grade
        from traitlets.config import Config

        set_ = Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"autocall": 0}})
        self._shell = InteractiveShell.instance(config=set_)
        self._shell.enable_gui = lambda gui=None: None  # type: ignore[method-assign]
        self._file, self._owner = folder / ANSWERS, os.getpid()
        self._touched: set[str] = set()
        self._found: dict[str, Any] = {"answers": {}, "failed": [], "cells": 0}
        given = lessons.given
        given.clear()

        def record(number: str, answer: Any = ..., /, **parts: Any) -> None:
            """Take the place of `lessons.check`, which would judge here."""
            given[str(number)] = parts or answer
            self._touched.add(str(number))

        lessons.check = record
        lessons.demand = lambda number: None
        warnings.simplefilter("ignore")

    def run(self, source: str, seconds: float) -> None:
        """Run a cell, and write down which exercises it answers."""
        before, self._touched = dict(lessons.given), set()
        with _alarm(seconds):
            error = self._run_cell(source)
        if error is not None:
            self._found["failed"].append([self._found["cells"], type(error).__name__, str(error)[:500]])
        with _alarm(seconds):
            self._pack(before)
        self._found["cells"] += 1
        if os.getpid() == self._owner:  # and no process that the notebook started
            new = self._file.with_suffix(".new")
            new.write_text(json.dumps(self._found), encoding="utf-8")
            os.replace(new, self._file)

    def _run_cell(self, source: str) -> BaseException | None:
        try:
            done = self._shell.run_cell(source, store_history=True)
        except BaseException as error:
            return error
        return done.error_before_exec or done.error_in_exec

    def _pack(self, before: dict[str, Any]) -> None:
        """Pack the answers that the last cell gave."""
        for number, answer in list(lessons.given.items()):
            if number in self._touched or number not in before or before[number] is not answer:
                packed: Any = {"is": "strange", "text": "what cannot be carried"}
                with suppress(BaseException):
                    packed = judging.pack(answer)
                    json.dumps(packed)
                self._found["answers"][str(number)] = packed


class _alarm:
    """Raise `TimeUp` in a block that takes too long, and again each second."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, self._seconds, 1)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> bool:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return kind is TimeUp  # should it ring on the way out

    def _ring(self, number: int, frame: FrameType | None) -> None:
        raise TimeUp(f"it takes more than {self._seconds:g} s")


def read(folder: Path) -> dict[str, Any]:
    """Read what a notebook's process wrote, and believe none of it: a dict of the right form, whatever is there."""
    found: dict[str, Any] = {"answers": {}, "failed": [], "cells": 0}
    path = folder / ANSWERS
    with suppress(OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return found
        told = json.loads(path.read_bytes())
        answers = {str(number): packed for number, packed in told["answers"].items()}
        failed = [[int(cell), str(kind)[:100], str(text)[:500]] for cell, kind, text in told["failed"]]
        return {"answers": answers, "failed": failed, "cells": int(told["cells"])}
    return found
