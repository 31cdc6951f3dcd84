"""Say what to do when a notebook's cell needs what no cell has made since the kernel was started.

Importing `simlib.course.lessons` in a notebook is enough: from then on a `NameError` is followed by a sentence. The
cells of the exercises import it themselves, so that they can say so even when nothing else has run.
"""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from types import TracebackType
from typing import Any

# Keep what a student's function prints from filling the page: it is called thousands of times.


LINES = 10
"""So many lines are shown."""


class _First(io.TextIOBase):
    """Write the first lines to where they would go, and count the rest."""

    def __init__(self) -> None:
        self.shown, self.lines = sys.stdout, 0

    def write(self, text: str) -> int:
        if self.lines < LINES:
            self.shown.write(text)
        self.lines += text.count("\n")
        return len(text)


@contextmanager
def few_lines() -> Iterator[None]:
    """Show the first `LINES` lines that are printed within, and say how many more there were."""
    first = _First()
    try:
        with redirect_stdout(first):
            yield
    finally:
        if first.lines > LINES:
            print(f"({first.lines - LINES:,} more lines were printed.)")


ADVICE = """
What is called {name!r} is not known. Is it misspelt? Or was the kernel started anew since the cell that makes it ran?
Then choose Run > Run All Above Selected Cell in the menu, and run this cell again."""


def watch() -> None:
    """Follow each `NameError` of this notebook by `ADVICE`; does nothing elsewhere."""
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython

    shell: Any = get_ipython()
    if shell is not None:
        shell.set_custom_exc((NameError,), _tell)


def _tell(
    shell: Any, kind: type[NameError], error: NameError, trace: TracebackType, tb_offset: int | None = None
) -> None:
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    print(ADVICE.format(name=error.name))
