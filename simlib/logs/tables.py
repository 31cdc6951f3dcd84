"""Read tables of jobs, CSV or Parquet, by a mapping of their columns to the fields of the Standard Workload Format.

`MAPPINGS` has the mappings of public sets: for each field the column, its unit, and the source of this information.
"""

import csv
import io
import itertools
import re
import tomllib
import warnings
import zoneinfo
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._util import paths
from ..core.workload import Workload
from . import swf
from .doubts import LogWarning, doubts
from .files import SWFError, read_bytes
from .swf import LARGEST

Unit = str | Mapping[Any, int] | Callable[[pd.Series], Any]
"""What the values of a column are: a name in `UNITS`, a format of dates, numbers by words, or a function that makes
numbers of them."""

Columns = Mapping[str, tuple[str, Unit]]
"""For each field of ours the name of a column and what its values are."""

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_TIMES = "submit", "start", "end"
_NAMES = "user", "group", "app", "queue", "partition"

UNITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_TIMES, ("time", "unix", *_SECONDS)),
    "run": (*_SECONDS,),
    "procs": ("count",),
    "requested_procs": ("count",),
    "requested_time": (*_SECONDS,),
    "status": ("count",),
    **dict.fromkeys(_NAMES, ("names", "count")),
}
"""The units of each field that may be mapped: dates with times; seconds since 1970; durations in seconds, minutes or
hours; whole numbers; names to be numbered."""

FIELDS = (*UNITS,)
"""The fields that may be mapped; a run time that is not is the end minus the start."""

_OTHERS = FIELDS[FIELDS.index("procs") + 1 :]

_NONE = "", "-1", "-1.0", "nan", "NaN", "NA", "N/A", "NULL", "null", "None", "NaT", "<NA>", "Unknown"
"""What stands where there is no value."""

_NO_LIMIT = "INFINITE", "UNLIMITED", "Partition_Limit", "4294967294", "4294967295"
"""What stands where a duration has no limit; the numbers are Slurm's."""

_TIME = (
    r"^([0-9]{4}[-/][0-9][0-9][-/][0-9][0-9][T ][0-9][0-9]:[0-9][0-9](?::[0-9][0-9](?:\.[0-9]+)?)?)"
    r" ?(?:(Z|UTC|GMT)|([+-](?:0[0-9]|1[0-4]))(?::?([0-5][0-9]))?)?$"
)
"""A date with a time, the year first, and its zone, if it is written."""

_DURATION = r"^(?:([0-9]+)(?:-| days?,? ))?([0-9]+):([0-5][0-9]):([0-5][0-9](?:\.[0-9]+)?)$"
"""A duration in days, hours, minutes and seconds, as Slurm, pandas and Python write it."""

_EXAMPLE = pd.Timestamp("2024-03-01 14:30:00")
_1980, _LAST = 315532800, 7258118400  # when 2200 begins


class Mapped(NamedTuple):
    """Describe how the columns of a public set are read: see `read_table`; zone, unit of processors, and source."""

    columns: Columns
    timezone: str
    unit: str
    source: str


STATUS = {"COMPLETED": 1, "CANCELLED": 5} | dict.fromkeys(
    "BOOT_FAIL DEADLINE FAILED LAUNCH_FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED REQUEUED TIMEOUT".split(), 0
)
"""The status in SWF by Slurm's state; -1 for any other."""


def _of_public_sets() -> dict[str, Mapped]:
    """Read `data/tables.toml`."""
    sets = {}
    for name, known in tomllib.loads((paths.DATA / "tables.toml").read_text(encoding="utf-8")).items():
        columns = {
            field: (column, STATUS if unit == "Slurm" else unit) for field, (column, unit) in known["columns"].items()
        }
        sets[name] = Mapped(**known | {"columns": columns})
    return sets


MAPPINGS = _of_public_sets()
"""Mappings of public sets by name, such as "PM100" (Marconi100)."""


class TableError(SWFError):
    """A table that cannot be read; the message names the file, the row and column, and what was expected."""


def read_table(
    path: str | Path,
    columns: str | Columns,
    procs: int,
    timezone: str | None = None,
    name: str | None = None,
) -> Workload:
    """Read a table of jobs, one row for each.

    Users, groups, applications, queues and partitions are numbered in the order in which they appear. A job that never
    started has no start or no end; it does not take part, and the log keeps it with run time and size -1. `write_swf`
    writes the workload as a log.

    Parameters
    ----------
    path : str or Path
        A text with column names in its first line, separated by commas, semicolons, tabs or vertical bars, plain or
        compressed; or a Parquet file, or a folder of them. Parquet needs pyarrow:
        `pip install "simlib-backfilling[parquet]"`.
    columns : str or dict
        A name in `simlib.logs.tables.MAPPINGS`, such as "PM100". Or a dict: for each field of the
        log (submit, procs, and run or start and end are needed) the table's column and its unit, one of those that
        `simlib.logs.tables.UNITS` has for the field:

        - "time": dates with times, the year first, such as 2024-03-01 12:00:00, perhaps with a zone: Z, +02:00;
        - a format of dates with times, such as "%d.%m.%Y %H:%M" or, with AM and PM, "%m/%d/%Y %I:%M %p";
        - "unix": seconds since 1970, or since the log began;
        - "s", "min", "h": durations, as numbers or as written in 1-12:30:00;
        - "count": whole numbers;
        - "names": names, to be numbered;
        - a dict of numbers by words, such as {"done": 1, "failed": 0}, or by numbers;
        - a function of the column, a Series, that returns a number for each row: seconds, or dates with times.

        No value is an empty field, -1, nan, NA, N/A, null, None or Unknown; no limit is INFINITE or UNLIMITED.
    procs : int
        Size of the machine, in the mapping's unit of processors.
    timezone : str, optional
        The zone of the log's calendar, and of times without a zone; by default the mapping's, or UTC. A time that
        clocks show twice, because they are put back, is the one that fits the job's other times, else the first.
    name : str, optional
        What to call the workload; by default the file's name without its endings.

    Returns
    -------
    Workload

    Raises
    ------
    TableError
        If the file is no such table, lacks a column, or has a value that is not of the column's unit. It is an
        SWFError.
    ValueError
        For an unknown mapping or zone.

    Warns
    -----
    LogWarning
        As `simlib.read_swf`, if the table lacks limits, or the machine must be larger. If a dict lacks some of the
        column's words; if times never were, because clocks skip them, or are in a wrong order.

    Examples
    --------
    >>> import simlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "jobs.csv")
    ...     _ = path.write_text("sent,began,hours,limit,nodes\\n2024-03-01 08:00,2024-03-01 09:00,0.5,60,2\\n")
    ...     columns = {"submit": ("sent", "time"), "start": ("began", "time"), "run": ("hours", "h")}
    ...     columns |= {"requested_time": ("limit", "min"), "procs": ("nodes", "count")}
    ...     w = simlib.read_table(path, columns, procs=4)
    >>> w.jobs[["submit", "run", "procs", "estimate"]].to_numpy().tolist(), str(w.start)
    ([[0, 1800, 2, 3600]], '2024-03-01 08:00:00+00:00')
    """
    known = _known(columns)
    try:
        zone = zoneinfo.ZoneInfo(known.timezone if timezone is None else timezone)
    except (LookupError, ValueError, OSError, TypeError):
        raise ValueError(f"read_table: found timezone={timezone!r}, expected a name such as Europe/Berlin") from None
    told: list[str] = []
    try:
        table = _read(Path(path), list(dict.fromkeys(column for column, _ in known.columns.values())))
        read = {
            field: _numbers(field, table[column], unit, zone, told) for field, (column, unit) in known.columns.items()
        }
        submitted = table[known.columns["submit"][0]]
        _refuse(submitted, read["submit"][0] == -1, "when the job was submitted")
    except TableError as error:
        raise TableError(f"{path}: {error}") from None
    except SWFError as error:
        raise TableError(str(error)) from None
    fields = {field: readings[0] for field, readings in read.items()}
    times = {field: (read[field][0], read[field][-1]) for field in _TIMES if field in read}
    run = fields.get("run") if {"start", "end"} <= {*times} else None
    fields |= dict(zip(times, fitting([*times.values()], run), strict=True))
    log, start = _log(fields, zone, told)
    title = name or Path(path).name.partition(".")[0]
    header = [" Version: 2.2", f" Conversion: simlib, from {Path(path).name}", f" Note: processors are {known.unit}"]
    header += [f" Note: columns as in {known.source}"] if known.source else []
    header += [f" Note: {sentence}" for sentence in told]
    source = {"file": Path(path).name, "path": str(path)}
    workload = Workload(swf.jobs_of(log), procs, title, start=start, header=header, log=log, source=source)
    for sentence in [f"{title}: {sentence}" for sentence in told] + doubts(workload):
        warnings.warn(sentence, LogWarning, stacklevel=2)
    return workload


def _known(columns: str | Columns) -> Mapped:
    """Look up and check the mapping."""
    if not isinstance(columns, Mapping):
        if columns not in [*MAPPINGS]:
            names = ", ".join(map(repr, MAPPINGS))
            raise ValueError(f"read_table: found columns={columns!r}, expected one of {names}, or a dict")
        return MAPPINGS[columns]
    for field, pair in columns.items():
        if field not in FIELDS:
            raise ValueError(f"read_table: columns: found field {field!r}, expected some of {', '.join(FIELDS)}")
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)):
            raise ValueError(f"read_table: columns: {field}: found {pair!r}, expected a column's name and its unit")
        column, unit = pair
        if isinstance(unit, Mapping):
            wrong = [n for n in unit.values() if not (isinstance(n, int | np.integer) and -1 <= n <= LARGEST)]
            if wrong:
                expected = "whole numbers from -1 on"
                raise ValueError(f"read_table: columns: {field}: found {wrong[0]!r} in the dict, expected {expected}")
        if not (callable(unit) or isinstance(unit, Mapping) or unit in UNITS[field] or _is_format(field, unit)):
            expected = f"one of {', '.join(UNITS[field])}, a dict or a function"
            expected += ", or a format such as %d.%m.%Y %H:%M" if field in _TIMES else ""
            raise ValueError(f"read_table: columns: {field}: found unit {unit!r} of {column!r}, expected {expected}")
    missing = [field for field in ("submit", "procs") if field not in columns]
    missing += [] if "run" in columns or {"start", "end"} <= {*columns} else ["run, or start and end"]
    if missing:
        raise ValueError(f"read_table: columns: found no {' and no '.join(missing)}; expected a column for each")
    return Mapped(columns, "UTC", "as in the table", "")


def _is_format(field: str, unit: Unit) -> bool:
    """Whether a unit is a format of dates; not one with names of zones, of which several have the same."""
    if field not in _TIMES or not isinstance(unit, str) or "%" not in unit or "%Z" in unit:
        return False
    try:
        pd.to_datetime(pd.Series(["none"]), format=unit, errors="coerce")
    except ValueError:
        return False
    return True


# The file


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns of a table, those of a text as text, by rows from 1 on."""
    try:
        table = pd.read_parquet(path).reset_index() if _is_parquet(path) else _read_text(path, columns)
    except ImportError:
        raise TableError('a Parquet file needs pyarrow, expected pip install "simlib-backfilling[parquet]"') from None
    except OSError as error:
        raise TableError(f"cannot be read: {error.strerror or error}") from None
    except SWFError:
        raise
    except (ValueError, csv.Error) as error:  # whatever pandas says of a file that is no table
        raise TableError(f"found no table: {' '.join(str(error).split())}") from None
    _refuse_columns(columns, list(table.columns))
    if table.empty:
        raise TableError("found no row, expected one for each job")
    return table[columns].set_axis(pd.RangeIndex(1, len(table) + 1))


def _is_parquet(path: Path) -> bool:
    if not path.is_file():
        return path.is_dir()
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


def _read_text(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns of a text, separated by what separates these columns in its first line."""
    data = read_bytes(path).lstrip(b"\n")
    if not data.strip():
        raise TableError("found nothing, expected the names of columns in the first line")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    line = text.partition("\n")[0]
    headed = {by: [name.strip() for name in next(_rows(line, by, strict=False), [])] for by in ",;\t|"}
    separator = max(headed, key=lambda by: (len({*columns} & {*headed[by]}), len(headed[by])))
    names = headed[separator]
    _refuse_columns(columns, names)
    places = [*map(names.index, columns)]
    rows = _rows(text, separator)
    next(rows)
    kept = []
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names) and row[len(names) :] != [""]:  # a separator may end each line
            raise TableError(f"row {number}: found {len(row)} fields, expected {len(names)} as in the first line")
        kept.append([row[place] for place in places])
    return pd.DataFrame(kept, columns=columns, dtype=str)


def _rows(text: str, separator: str, strict: bool = True) -> Iterator[list[str]]:
    """The fields of each line that is not empty; csv.Error if a quotation mark is not closed at its field's end."""
    lines = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=strict)
    return (row for row in lines if row)


def _refuse_columns(columns: list[str], there: list[str]) -> None:
    """Raise TableError if a column is not there, or is there twice."""
    if missing := [column for column in columns if column not in there]:
        among = ", ".join(map(str, there[:30]))
        raise TableError(f"found no column {', '.join(missing)}; expected them among {among}")
    if doubled := [column for column in columns if there.count(column) > 1]:
        raise TableError(f"found column {doubled[0]} {there.count(doubled[0])} times, expected it once")


# The values of a column


def _numbers(
    field: str, column: pd.Series, unit: Unit, zone: zoneinfo.ZoneInfo, told: list[str]
) -> Sequence[pd.Series]:
    """The values of a column as whole numbers, -1 if there is none; times are seconds since 1970.

    Times that clocks may show twice are read in two ways.
    """
    text = column.astype(str).str.strip()
    absent = column.isna() | text.isin(_NONE)
    if isinstance(unit, str) and unit in _SECONDS:
        absent |= text.isin(_NO_LIMIT)
    if unit == "names":
        codes, _ = pd.factorize(text.where(~absent))
        return [pd.Series(np.where(codes < 0, -1, codes + 1), column.index)]
    if isinstance(unit, Mapping):
        return [_by_word(column, absent, unit, told)]
    if column.dtype.kind not in "iufbmM":
        column = text
    if callable(unit):
        column = _made(column.where(~absent), unit)
        absent &= column.isna()
        unit = "unix" if field in _TIMES else "s" if "s" in UNITS[field] else "count"
    readings, expected = _measured(field, column.where(~absent), unit, zone, told)
    most = _LAST if field in _TIMES else LARGEST
    for numbers in readings:
        right = (numbers >= 0) & (numbers <= most) | (numbers == -1)
        if unit == "count":
            right &= numbers == numbers.round()
        _refuse(column, ~absent & ~right, expected)
    return [numbers.where(~absent).round().fillna(-1).astype("int64") for numbers in readings]


def _refuse(column: pd.Series, wrong: pd.Series, expected: str) -> None:
    """Raise TableError that names the first row whose value is wrong."""
    if wrong.any():
        row = wrong.index[wrong][0]
        raise TableError(f"row {row}: column {column.name}: found {str(column[row])[:40]!r}, expected {expected}")


def _such_as(column: pd.Series, rows: pd.Series) -> str:
    """Name the first of some rows, and its value."""
    row, value = next(iter(column[rows].items()))
    return f"such as {str(value)[:40]!r} in row {row}"


def _by_word(column: pd.Series, absent: pd.Series, numbers: Mapping[Any, int], told: list[str]) -> pd.Series:
    """The numbers of words, -1 for words that have none; 0, 0.0 and "0" are one word."""
    known = {_word(key): int(number) for key, number in numbers.items()}
    words = {text: _word(text) for text in column.astype(str).unique()}
    # Slurm says who cancelled a job
    found = column.astype(str).map(
        {text: known.get(word, known.get(word.partition(" by ")[0])) for text, word in words.items()}
    )
    unknown = found.isna() & ~absent
    if found.isna().all():
        _refuse(column, unknown, f"one of {', '.join(known)}")
    if unknown.any():
        said = _such_as(column, unknown)
        told.append(
            f"column {column.name}: {unknown.sum():,} values are unknown to the mapping, {said}: they count as -1"
        )
    return found.fillna(-1).astype("int64")


def _word(value: object) -> str:
    """How a key or a value of a table is compared: whole numbers without decimals."""
    return re.sub(r"^(-?[0-9]+)\.0*$", r"\1", str(value).strip())


def _made(column: pd.Series, function: Callable[[pd.Series], Any]) -> pd.Series:
    """What a function makes of a column; a Series is matched by its index, anything else by its order."""
    made = function(column.copy())
    try:
        if isinstance(made, pd.Series) and not made.index.sort_values().equals(column.index):
            raise ValueError("its index is another")
        made = pd.Series(made, column.index)
    except ValueError as error:
        expected = "a number for each row, or a Series with the column's index"
        raise ValueError(f"read_table: columns: the function of {column.name}: {error}; expected {expected}") from None
    made = made.astype(int) if made.dtype == bool else made
    return made.rename(f"{column.name} after the function")


def _measured(
    field: str, column: pd.Series, unit: str, zone: zoneinfo.ZoneInfo, told: list[str]
) -> tuple[Sequence[pd.Series], str]:
    """The values of a column as numbers, nan if they cannot be read, and a description of the expected values."""
    kind = column.dtype.kind
    text = column.astype(str)
    if "%" in unit:
        moments = pd.to_datetime(text, format=unit, errors="coerce", utc="%z" in unit)
        return _moments(moments, zone, told), f"a date with a time such as {_EXAMPLE.strftime(unit)}"
    if field in _TIMES and (kind == "M" or unit == "time"):
        expected = f"a date with a time such as {_EXAMPLE}; the unit of any other is its format, such as %d.%m.%Y %H:%M"
        return _moments(column if kind == "M" else text, zone, told), expected
    expected = {
        "count": "a whole number",
        "unix": "seconds since 1970, before 2200; a function can divide others",
    }.get(unit, f"a number of {unit}, or a duration such as 1-12:30:00")
    if kind == "m" and unit in _SECONDS:
        return [column.dt.total_seconds()], expected
    numbers = pd.Series(np.nan, column.index)
    if kind not in "mMb":
        numbers = pd.to_numeric(column if kind in "iuf" else text, errors="coerce")
        numbers = pd.Series(numbers.to_numpy(float, na_value=np.nan), column.index)
    if unit not in _SECONDS:
        return [numbers], expected
    written = text[numbers.isna()].str.extract(_DURATION).astype(float).fillna({0: 0.0})
    seconds = written.mul([86400, 3600, 60, 1]).sum(axis=1, skipna=False)
    return [(numbers * _SECONDS[unit]).fillna(seconds)], expected


def _moments(column: pd.Series, zone: zoneinfo.ZoneInfo, told: list[str]) -> Sequence[pd.Series]:
    """Seconds since 1970 of dates with times, nan if they cannot be read; those without a zone are in this one.

    A time that the zone's clocks show twice is the first in one answer, and the second in the other.
    """
    local: Any = column
    ahead = pd.Series(np.nan, column.index)  # of UTC, in seconds
    if column.dtype.kind == "M":
        if local.dt.tz is not None:
            local, ahead = local.dt.tz_convert(None), ahead.fillna(0)
    else:
        parts = column.str.extract(_TIME)
        local = pd.to_datetime(parts[0].str.replace("/", "-"), format="ISO8601", errors="coerce")
        hours, minutes = parts[2].astype(float), parts[3].astype(float).fillna(0)
        ahead = (hours.abs() * 3600 + minutes * 60) * np.where(parts[2].str.startswith("-"), -1, 1)
        ahead = ahead.mask(parts[1].notna(), 0.0)
    local = local.where(local.between("1969-12-31", "2200-01-01"))  # others may not fit into nanoseconds
    written = (local - pd.Timestamp(0)) / pd.Timedelta(1, "s") - ahead
    here = local.where(ahead.isna())
    first, second = (_in_zone(here, zone, first) for first in (True, False))
    if (never := here.notna() & first.isna()).any():
        day = pd.Timedelta(1, "D")
        skipped = _in_zone(here.where(never) - day, zone, True) + day.total_seconds()
        first, second = first.fillna(skipped), second.fillna(skipped)
        told.append(
            f"column {column.name}: {never.sum():,} times never were in {zone}, whose clocks skip them, "
            f"{_such_as(column, never)}: they count as if the clocks had not been put forward"
        )
    return [written.fillna(first), written.fillna(second)]


def _in_zone(local: pd.Series, zone: zoneinfo.ZoneInfo, first: bool) -> pd.Series:
    """Seconds since 1970 of times in a zone, nan of those that it skips."""
    moments = local.dt.tz_localize(zone, ambiguous=np.full(len(local), first), nonexistent="NaT")
    return (moments - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(1, "s")


def fitting(times: Sequence[tuple[pd.Series, pd.Series]], run: pd.Series | None = None) -> list[pd.Series]:
    """Choose, of two readings of each time, those in the right order, the last two as far apart as the run time.

    The times are each job's, in order, -1 where unknown. Of readings that fit equally well the first counts.
    """
    chosen = [first.copy() for first, _ in times]
    twice = np.any([first != second for first, second in times], axis=0)
    least = np.full(twice.sum(), np.inf)
    for choice in itertools.product(*times):
        those = np.array([time[twice] for time in choice])
        wrong = np.zeros(len(least))  # seconds
        for before, after in itertools.combinations(those, 2):
            wrong += np.where((before >= 0) & (after >= 0), (before - after).clip(0), 0)
        if run is not None:
            *_, start, end = those
            known = (start >= 0) & (end >= 0) & (run[twice] >= 0)
            wrong += np.where(known, np.abs(end - start - run[twice]), 0)
        better = wrong < least
        least[better] = wrong[better]
        for time, other in zip(chosen, those, strict=True):
            time.loc[twice] = np.where(better, other, time[twice])
    return chosen


# The log


def _log(fields: dict[str, pd.Series], zone: zoneinfo.ZoneInfo, told: list[str]) -> tuple[pd.DataFrame, pd.Timestamp]:
    """The 18 fields in order of submission, and the time of second 0."""
    table = pd.DataFrame(fields).sort_values("submit", kind="stable")
    known = [name for name in ("start", "end") if name in table]
    for name in known:  # Slurm writes 0 where there is none
        table[name] = table[name].mask((table[name] == 0) & (table.submit >= _1980), -1)
    doubtful = {
        f"{after} is before {before}": (table[after] >= 0) & (table[after] < table[before])
        for before, after in itertools.pairwise(["submit", *known])
    }
    if {"start", "end", "run"} <= {*table}:
        ended = (table.start >= 0) & (table.end >= table.start)
        doubtful["run is longer than from start to end"] = ended & (table.run > table.end - table.start + 60)
    for said, wrong in doubtful.items():
        if wrong.any():
            told.append(f"{said} in {wrong.sum():,} of {len(wrong):,} rows, such as row {wrong.idxmax()}")
    start = table.get("start", pd.Series(-1, table.index))
    run = table["run"] if "run" in table else (table.end - start).where((start >= 0) & (table.end >= start), -1)
    never = (run < 0) | (table.procs <= 0) | (table[known] < 0).any(axis=1)
    first = int(table.submit.iloc[0])
    others = {name: table[name] for name in _OTHERS if name in table}
    numbers = pd.RangeIndex(1, len(table) + 1, name="job")
    log = pd.DataFrame(-1, index=table.index, columns=swf.FIELDS).assign(
        submit=table.submit - first,
        wait=(start - table.submit).clip(lower=0).where(start >= 0, -1),
        run=run.where(~never, -1),
        procs=table.procs.where(~never, -1),
        **others,
    )
    return log.assign(job=numbers).set_axis(numbers), pd.Timestamp(first, unit="s", tz="UTC").tz_convert(zone)
