"""Write times, shares and verdicts for people who do not know the field."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..analysis.comparison import holds

SURE = {
    "equal": "no change",
    "coincidence": "may be chance",
    "this log": "clear on this log",
    "unknown": "clear on this log",
    "another year": "clear, likely again",
}
"""How sure a difference is, in words for a table; of "unknown" the log is too short to judge another year."""


def share(part: float) -> str:
    """Write a share; a small one has its first decimal."""
    return f"{100 * part:.0f} %" if part >= 0.0995 or not part else f"{100 * part:.1f} %"


def digits(value: float) -> str:
    """Write a number with two digits, as a whole number from ten on."""
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def sure(row: Any) -> str:
    """Tell how sure a row of `Comparison.shown` is: a key of `SURE`."""
    held = holds(row)
    return "unknown" if held == "this log" and np.isnan(row.another_year_low) else held


def called(by: str, name: str, names: Mapping[str, Mapping[int, str]] | None = None) -> str:
    """Name a group of jobs: by its number, or by its name if names are shown.

    Examples
    --------
    >>> called("user", "12"), called("size", "3-4"), called("user", "12", {"user": {12: "alice"}})
    ('user 12', '3-4 processors', 'alice')
    """
    if by == "size":
        return f"{name} processor{'' if name == '1' else 's'}"
    if by == "month":
        return name
    if not name.replace("+", "").isdecimal():
        return name
    return (names or {}).get(by, {}).get(int(name) if name.isdecimal() else -1, f"{by} {name}")
