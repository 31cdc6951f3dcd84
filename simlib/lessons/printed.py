"""Keep what a student's function prints from filling the page: it is called thousands of times."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

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
    """Show the first `LINES` lines that are printed within, and say how many more there were.

    Examples
    --------
    >>> with few_lines():
    ...     for number in range(9_000):
    ...         print(number if number < 2 else "...")  # doctest: +ELLIPSIS
    0
    1
    ...
    (8,990 more lines were printed.)
    """
    first = _First()
    try:
        with redirect_stdout(first):
            yield
    finally:
        if first.lines > LINES:
            print(f"({first.lines - LINES:,} more lines were printed.)")
