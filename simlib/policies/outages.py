"""The table of outages that a policy is given: see `simlib.Conservative`."""

from typing import Any

import pandas as pd

from .._util import checks

Rows = tuple[tuple[int, int, int, int], ...]
"""Start, end, processors, and the second from which on an outage is known."""

_COLUMNS = ["start", "end", "procs", "known"]


def rows_of(outages: Any, policy: str) -> Rows | None:
    """Check a table of outages, and make rows of it; None for none. ValueError that names row and column."""
    if outages is None:
        return None
    where, expected = f"{policy}: outages", "expected a table or rows of start, end, procs, and perhaps known"
    table = outages
    if not isinstance(outages, pd.DataFrame):
        try:
            table = pd.DataFrame([dict(zip(_COLUMNS, row, strict=False)) for row in outages], dtype=object)
        except TypeError:
            raise ValueError(f"{where}: found {outages!r}, {expected}") from None
    if not set(_COLUMNS[:3]) <= set(table) and len(table):
        raise ValueError(f"{where}: found columns {', '.join(map(str, table))}, {expected}")
    return tuple(_row(f"{where}, row {label}", row) for label, row in table.to_dict("index").items()) or None


def _row(where: str, row: dict[Any, Any]) -> tuple[int, int, int, int]:
    """Check an outage: it takes processors, ends after it begins, and is known by then, from second 0 on by default."""

    def number(name: str, least: int, most: int = checks.LATEST) -> int:
        value = row.get(name)
        whole = int(value) if checks.number("").fits(value) and value == int(value) else value  # type: ignore[arg-type]
        return checks.whole(where, name, whole, least, most)

    start = number("start", 0)
    known = 0 if pd.isna(row.get("known")) else number("known", 0, start)
    return start, number("end", start + 1), number("procs", 1), known
