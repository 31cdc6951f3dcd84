"""Read when which processors of a cluster were away: a table of one's own, or what sacctmgr and scontrol print.

Sources, in github.com/SchedMD/slurm: src/sacctmgr/common.c for the names of columns, src/api/reservation_info.c.
"""

import csv
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from simlib.analysis.cases import Case, policy_of
from simlib.core.workload import Workload
from simlib.logs.files import SWFError, read_bytes

_EXPECTED = (
    "expected a table with the columns start, end and procs; or what `sacctmgr -P show event "
    "format=NodeName,Start,End,TRES`, `sacctmgr -P show reservation format=Name,Start,End,TRES,Flags` or "
    "`scontrol show reservation` prints"
)

_PROCS = "procs", "cpus", "tres"
"""Columns that have the processors; of TRES the number behind cpu= counts."""


def outages(path: str | Path, workload: Workload) -> pd.DataFrame:
    """Read the outages of a log's machine.

    Parameters
    ----------
    path : str or Path
        A table in CSV with the columns `start` and `end` (times in the log's zone, or seconds since 1970), `procs`, and
        perhaps `known`, when it was announced. Or what Slurm prints: nodes that were down or drained (`sacctmgr -P show
        event format=NodeName,Start,End,TRES`), which nobody knows before, or reservations (`sacctmgr -P show
        reservation format=Name,Start,End,TRES,Flags`, `scontrol show reservation`), which are known from the log's
        start on. Of reservations only maintenance (MAINT in Flags) counts: in others jobs ran.
    workload : Workload

    Returns
    -------
    DataFrame
        One row for each outage: `start`, `end` and `known` in seconds since the log's start, and `procs`. What ended
        before the log begins, or began after its last job was submitted, is left out.

    Raises
    ------
    ValueError
        For a file that is none of these, and for a wrong value: the message has the file, line and column. For a log
        without a calendar.

    Examples
    --------
    >>> import tempfile
    >>> w = Workload({"submit": [0, 9000], "run": [60, 60], "procs": [3, 4]}, 4, start="2024-05-03 14:00")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "away.csv")
    ...     _ = path.write_text("start,end,procs\\n2024-05-03 15:00,2024-05-03 16:00,2\\n")
    ...     outages(path, w).to_dict("records")
    [{'start': 3600, 'end': 7200, 'procs': 2, 'known': 0}]
    """
    text = read_bytes(path).decode("utf-8", "replace")
    last = int(workload.jobs.submit.max()) if len(workload) else 0
    rows = []
    for line, row in _blocks(text) if "ReservationName=" in text else _lines(path, text):
        where = f"{path}: line {line}"
        if "MAINT" not in row.get("flags", "MAINT").upper() or ("nodename" in row and not row["nodename"]):
            continue
        start, end = (_second(where, name, row[name], workload, last) for name in ("start", "end"))
        if end <= start:
            raise SWFError(f"{where}: end: found {row['end']!r}, expected a time after {row['start']!r}")
        if end > 0 and start <= last:
            start = max(start, 0)
            known = start if "nodename" in row else 0
            if row.get("known"):
                known = min(max(_second(where, "known", row["known"], workload, last), 0), start)
            rows.append((start, end, _procs(where, row), known))
    if not rows:
        raise SWFError(f"{path}: found no outage in the time of {workload.name}, expected some")
    return pd.DataFrame(rows, columns=["start", "end", "procs", "known"])


def said(table: pd.DataFrame, workload: Workload) -> str:
    """Say how many outages there are, and what they take of the machine."""
    first, last = int(workload.jobs.submit.min()), int(workload.jobs.submit.max())
    away = int(((table.end.clip(upper=last) - table.start) * table.procs).sum())
    part = 100 * away / max((last - first) * workload.procs, 1)
    count, known = f"{len(table):,} outage{'s are' if len(table) != 1 else ' is'}", (table.known < table.start).sum()
    return f"{count} simulated: {part:.2g} % of the processor-hours; {known:,} of them were known before."


def planned_around(cases: Mapping[str, Case], table: pd.DataFrame, asked: Collection[str] = ()) -> dict[str, Case]:
    """Give the outages to the policies that plan around them, and leave out the others; ValueError if one is asked."""
    able = {name: case for name, case in cases.items() if hasattr(policy_of(case), "outages")}
    if refused := [name for name in asked if name not in able]:
        raise ValueError(
            f"outages: found {refused[0]}, which does not know them, expected one such as Slurm's backfill"
        )
    told = {name: replace(policy_of(case), outages=table) for name, case in able.items()}  # type: ignore[type-var]
    return {name: (told[name], *case[1:]) if isinstance(case, tuple) else told[name] for name, case in able.items()}


def _lines(path: str | Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table with their lines; the names of columns are small, and time is not in them."""
    lines = text.split("\n")
    reader = csv.reader(lines, delimiter="|" if "|" in lines[0] else ",")
    names = [_name(name) for name in next(reader)]
    if not ({"start", "end"} <= {*names} and {*_PROCS} & {*names}):
        raise SWFError(f"{path}: line 1: found {lines[0][:60]!r}, {_EXPECTED}")
    for values in reader:
        if values:
            if len(values) < len(names):
                raise SWFError(f"{path}: line {reader.line_num}: found {len(values)} fields, expected {len(names)}")
            yield reader.line_num, dict(zip(names, map(str.strip, values), strict=False))


def _blocks(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The reservations of `scontrol show reservation` with their lines."""
    for match in re.finditer(r"ReservationName=(?:(?!ReservationName=).)*", text, re.S):
        line = text.count("\n", 0, match.start()) + 1
        yield line, {_name(key): value for key, value in re.findall(r"(\w+)=(\S*)", match[0]) if key != "NodeName"}


def _name(name: str) -> str:
    """The name of a column: TimeStart, StartTime and Start are the same."""
    return re.sub("^time|time$", "", name.strip().lower())


def _second(where: str, name: str, text: str, workload: Workload, last: int) -> int:
    """The second of a time; what has not ended ends after the last submission."""
    if name == "end" and text.lower() in ("", "unknown", "none"):
        return last + 1
    with suppress(ValueError):
        known = pd.Timestamp(int(text), unit="s", tz="UTC") if text.isdecimal() else text
        return workload.second(known)
    raise SWFError(f"{where}: {name}: found {text!r}, expected a time such as 2012-05-03T14:30")


def _procs(where: str, row: dict[str, Any]) -> int:
    """The processors of an outage."""
    name = next(name for name in _PROCS if name in row)
    found = re.fullmatch(r"\d{1,12}" if name != "tres" else r"(?:.*,)?cpu=(\d{1,12})\b.*", row[name])
    if found and (count := int(found[found.re.groups])):
        return count
    raise SWFError(f"{where}: {name}: found {row[name]!r}, expected a number of processors, such as 128 or cpu=128")
