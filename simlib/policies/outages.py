"""The table of outages that a policy is given: see `simlib.Conservative`."""

from typing import Any

import numpy as np
import pandas as pd

from .._util import checks

_COLUMNS = ["start", "end", "procs", "known"]


class Rows(tuple[tuple[int, int, int, int], ...]):
    """Start, end, processors, and the second from which on it is known, of each outage; shown is how many there are."""

    def __repr__(self) -> str:
        return f"<{len(self):,} row{'s' * (len(self) != 1)}>"


def rows_of(outages: Any, policy: str) -> Rows | None:
    """Check a table of outages, and make rows of it; None for none. ValueError that names row and column."""
    if outages is None:
        return None
    where, expected = f"{policy}: outages", "expected a table or rows of start, end, procs, and perhaps known"
    if isinstance(outages, pd.DataFrame):
        table = outages
    elif isinstance(outages, list | tuple | np.ndarray) and all(map(np.iterable, outages)):
        table = pd.DataFrame([dict(zip(_COLUMNS, row, strict=False)) for row in outages], dtype=object)
    else:
        raise ValueError(f"{where}: found {outages!r}, {expected}")
    if not set(_COLUMNS[:3]) <= set(table) and len(table):
        raise ValueError(f"{where}: found columns {', '.join(map(str, table))}, {expected}")
    rows = zip(table.index, table.to_dict("records"), strict=True)
    return Rows(_row(f"{where}, row {label}", row) for label, row in rows) or None


def _row(where: str, row: dict[Any, Any]) -> tuple[int, int, int, int]:
    """Check an outage: it takes processors, ends after it begins, and is known by then, from second 0 on by default."""

    def number(name: str, least: int, most: int = checks.LATEST) -> int:
        value = row.get(name)
        whole = int(value) if checks.number("").fits(value) and value == int(value) else value  # type: ignore[arg-type]
        return checks.whole(where, name, whole, least, most)

    start = number("start", 0)
    known = 0 if pd.isna(row.get("known")) else number("known", 0, start)
    return start, number("end", start + 1), number("procs", 1), known
