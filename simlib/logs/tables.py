"""Read tables of jobs, CSV or Parquet, by a mapping of their columns to the fields of the Standard Workload Format.

`MAPPINGS` has the mappings of public sets: for each field the column, its unit, and the source of this information.
"""

import warnings
import zoneinfo
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core.workload import Workload
from . import swf
from .swf_lines import LARGEST

Unit = str | Mapping[str, int] | Callable[[pd.Series], pd.Series]
"""What the values of a column are: a name in `UNITS`, numbers by words, or a function that makes numbers of them."""

Columns = Mapping[str, tuple[str, Unit]]
"""For each field of ours the name of a column and what its values are."""

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}

UNITS = (*_SECONDS, "count", "time", "unix", "names")
"""Durations in seconds, minutes or hours; whole numbers; dates with times; seconds since 1970; names to be numbered."""

_TIMES = "submit", "start", "end"
_OTHERS = "requested_procs", "requested_time", "status", "user", "group", "app", "queue", "partition"
FIELDS = (*_TIMES, "run", "procs", *_OTHERS)
"""The fields that may be mapped; a run time that is not is the end minus the start."""

_NONE = "", "nan", "None", "NaT", "<NA>", "INFINITE", "UNLIMITED"
"""What stands where there is no value, or no limit."""


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

MAPPINGS = {
    "PM100": Mapped(
        {
            "submit": ("submit_time", "time"),
            "start": ("start_time", "time"),
            "end": ("end_time", "time"),
            "run": ("run_time", "s"),
            "procs": ("num_nodes_alloc", "count"),
            "requested_procs": ("num_nodes_req", "count"),
            "requested_time": ("time_limit", "min"),
            "status": ("job_state", STATUS),
            "user": ("user_id", "names"),
            "group": ("group_id", "names"),
            "queue": ("qos", "names"),
            "partition": ("partition", "names"),
        },
        "UTC",
        "nodes",
        "github.com/francescoantici/PM100-data, documentation/job_features.md; the zone is not written there",
    ),
    "F-DATA": Mapped(
        {
            "submit": ("adt", "time"),
            "start": ("sdt", "time"),
            "end": ("edt", "time"),
            "run": ("duration", "s"),
            "procs": ("nnuma", "count"),
            "requested_procs": ("nnumr", "count"),
            "requested_time": ("elpl", "s"),
            "status": ("exit state", {"completed": 1, "failed": 0}),
            "user": ("usr", "names"),
            "app": ("jnam", "names"),
        },
        "Asia/Tokyo",
        "nodes",
        "github.com/francescoantici/F-DATA, docs/feature_list.md; that elpl is in seconds, and the zone: "
        "github.com/ExaDigiT/RAPS, raps/dataloaders/fugaku.py, lines 112 and 191",
    ),
    "ALCF": Mapped(
        {
            "submit": ("QUEUED_TIMESTAMP", "time"),
            "start": ("START_TIMESTAMP", "time"),
            "end": ("END_TIMESTAMP", "time"),
            "run": ("RUNTIME_SECONDS", "s"),
            "procs": ("NODES_USED", "count"),
            "requested_procs": ("NODES_REQUESTED", "count"),
            "requested_time": ("WALLTIME_SECONDS", "s"),
            "user": ("USERNAME_GENID", "names"),
            "group": ("PROJECT_NAME_GENID", "names"),
            "queue": ("QUEUE_NAME", "names"),
        },
        "UTC",
        "nodes",
        "of Polaris and Aurora: github.com/SPEAR-UIC/HPC-workload-analysis, README.md, Raw Job Log CSV; the zone is "
        "not written there, and that Theta's tables have these columns is not known",
    ),
    "Eagle": Mapped(
        {
            "submit": ("submit_time", "time"),
            "start": ("start_time", "time"),
            "end": ("end_time", "time"),
            "run": ("run_time", "s"),
            "procs": ("nodes_req", "count"),
            "requested_procs": ("nodes_req", "count"),
            "requested_time": ("wallclock_req", "s"),
            "status": ("state", STATUS),
            "user": ("user", "names"),
            "group": ("account", "names"),
            "app": ("name", "names"),
            "queue": ("qos", "names"),
            "partition": ("partition", "names"),
        },
        "America/Denver",
        "nodes",
        "github.com/NREL/eagle-jobs, data/sample_eagle_data.csv, whose run_time is end_time - start_time in seconds; "
        "allocated nodes are not recorded, so those requested count; the zone is that of the place",
    ),
}
"""Mappings of public sets by name; of PM100 (Marconi100), F-DATA (Fugaku), ALCF (Polaris, Aurora) and Eagle (NREL)."""


class TableError(swf.SWFError):
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
        A CSV file with column names in its first line, which may be compressed; or a Parquet file, if its name ends in
        .parquet. Parquet needs pyarrow: `pip install "simlib-backfilling[parquet]"`.
    columns : str or dict
        A name in `simlib.logs.tables.MAPPINGS`: "PM100", "F-DATA", "ALCF" or "Eagle". Or a dict: for each field of the
        log (see `simlib.logs.tables.FIELDS`; submit, procs, and run or start and end are needed) the table's column and
        its kind of values: "s", "min" or "h", durations, also as lengths of time; "count", whole numbers; "time", dates
        with times; "unix", seconds since 1970; "names"; a dict of numbers by words; or a function of the column, a
        Series, that gives numbers.
    procs : int
        Size of the machine, in the mapping's unit of processors.
    timezone : str, optional
        The zone of the log's calendar, and of times without a zone; by default the mapping's, or UTC.
    name : str, optional
        What to call the workload; by default the file's name without its endings.

    Returns
    -------
    Workload

    Raises
    ------
    TableError
        If the file is no such table, lacks a column, or has a value that is not of the column's kind. It is an
        SWFError.
    ValueError
        For an unknown mapping or zone.

    Warns
    -----
    LogWarning
        As `simlib.read_swf`, if the table lacks limits, or the machine must be larger.

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
        zone = zoneinfo.ZoneInfo(timezone or known.timezone)
    except (LookupError, ValueError, OSError):
        raise ValueError(f"read_table: found timezone={timezone!r}, expected a name such as Europe/Berlin") from None
    table = _read(Path(path), list(dict.fromkeys(column for column, _ in known.columns.values())))
    try:
        fields = {field: _numbers(table[column], unit, zone) for field, (column, unit) in known.columns.items()}
        _refuse(table[known.columns["submit"][0]], fields["submit"] == -1, "when the job was submitted")
    except TableError as error:
        raise TableError(f"{path}: {error}") from None
    log, start = _log(fields, zone)
    title = name or Path(path).name.partition(".")[0]
    header = [" Version: 2.2", f" Conversion: simlib, from {Path(path).name}", f" Note: processors are {known.unit}"]
    header += [f" Note: columns as in {known.source}"] if known.source else []
    source = {"file": Path(path).name, "path": str(path)}
    workload = Workload(swf.jobs_of(log), procs, title, start=start, header=header, log=log, source=source)
    for sentence in swf.doubts(workload):
        warnings.warn(sentence, swf.LogWarning, stacklevel=2)
    return workload


def _known(columns: str | Columns) -> Mapped:
    """Look up and check the mapping."""
    if isinstance(columns, str):
        if columns not in MAPPINGS:
            names = ", ".join(map(repr, MAPPINGS))
            raise ValueError(f"read_table: found columns={columns!r}, expected one of {names}, or a dict")
        return MAPPINGS[columns]
    for field, (column, unit) in columns.items():
        if field not in FIELDS:
            raise ValueError(f"read_table: columns: found field {field!r}, expected some of {', '.join(FIELDS)}")
        if not (callable(unit) or isinstance(unit, Mapping) or unit in UNITS):
            expected = f"one of {', '.join(UNITS)}, a dict or a function"
            raise ValueError(f"read_table: columns: {field}: found unit {unit!r} of {column!r}, expected {expected}")
    missing = [field for field in ("submit", "procs") if field not in columns]
    missing += [] if "run" in columns or {"start", "end"} <= {*columns} else ["run, or start and end"]
    if missing:
        raise ValueError(f"read_table: columns: found no {' and no '.join(missing)}; expected a column for each")
    return Mapped(columns, "UTC", "as in the table", "")


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns of a table, those of a CSV file as text, by rows from 1 on."""
    try:
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding_errors="replace")
    except ImportError:
        raise TableError(
            f'{path}: a Parquet file needs pyarrow, expected pip install "simlib-backfilling[parquet]"'
        ) from None
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # whatever pandas says of a file that is no table
        raise TableError(f"{path}: found no table: {' '.join(str(error).split())}") from None
    if missing := [column for column in columns if column not in table]:
        there = ", ".join(map(str, table.columns[:30]))
        raise TableError(f"{path}: found no column {', '.join(missing)}; expected them among {there}")
    if table.empty:
        raise TableError(f"{path}: found no row, expected one for each job")
    return table[columns].set_axis(pd.RangeIndex(1, len(table) + 1))


def _numbers(column: pd.Series, unit: Unit, zone: zoneinfo.ZoneInfo) -> pd.Series:
    """The values of a column as whole numbers, -1 if there is none; times are seconds since 1970."""
    text = column.astype(str).str.strip()
    absent = column.isna() | text.isin(_NONE)
    if unit == "names":
        codes, _ = pd.factorize(text.where(~absent))
        return pd.Series(np.where(codes < 0, -1, codes + 1), column.index)
    if isinstance(unit, Mapping):
        words = text.str.replace(r" by .*", "", regex=True)  # Slurm says who cancelled a job
        return words.map(dict(unit)).fillna(-1).astype("int64")
    numbers, expected = _measured(column.where(~absent), unit, zone)
    wrong = ~absent & ~((numbers.abs() <= LARGEST) & ((unit != "count") | (numbers == numbers.round())))
    _refuse(column, wrong, expected)
    return numbers.where(~absent).round().fillna(-1).astype("int64")


def _refuse(column: pd.Series, wrong: pd.Series, expected: str) -> None:
    """Raise TableError that names the first row whose value is wrong."""
    if wrong.any():
        row = wrong.index[wrong][0]
        raise TableError(f"row {row}: column {column.name}: found {str(column[row])[:40]!r}, expected {expected}")


def _measured(column: pd.Series, unit: Unit, zone: zoneinfo.ZoneInfo) -> tuple[pd.Series, str]:
    """The values of a column as numbers, nan if they cannot be read, and a description of the expected values."""
    if callable(unit):
        return pd.to_numeric(unit(column), errors="coerce").astype(float), "what the function makes a number of"
    if unit == "time":
        return _moments(column, zone), "a date with a time such as 2024-03-01 12:00:00"
    if column.dtype.kind == "m":
        return column.dt.total_seconds(), "a length of time"
    expected = {"count": "a whole number", "unix": "seconds since 1970"}.get(str(unit), f"a number of {unit}")
    return pd.to_numeric(column, errors="coerce").astype(float) * _SECONDS.get(str(unit), 1.0), expected


def _moments(column: pd.Series, zone: zoneinfo.ZoneInfo) -> pd.Series:
    """Seconds since 1970 of dates with times, nan if they cannot be read; times without a zone are in this one."""
    text = column.astype(str)
    with_zone = text.str.contains(r"(?:Z|[+-]\d\d:?\d\d)$", regex=True)
    seconds = pd.Series(np.nan, column.index)
    for here, utc in ((with_zone, True), (~with_zone, False)):
        moments = pd.to_datetime(text.where(here & column.notna()), errors="coerce", utc=utc, format="mixed")
        if not utc:
            moments = moments.dt.tz_localize(zone, ambiguous=np.ones(len(text), bool), nonexistent="shift_forward")
        seconds = seconds.fillna((moments - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(1, "s"))
    return seconds


def _log(fields: dict[str, pd.Series], zone: zoneinfo.ZoneInfo) -> tuple[pd.DataFrame, pd.Timestamp]:
    """The 18 fields in order of submission, and the time of second 0."""
    table = pd.DataFrame(fields).sort_values("submit", kind="stable")
    start = table.get("start", pd.Series(-1, table.index))
    run = table["run"] if "run" in table else (table.end - start).where((start >= 0) & (table.end >= start), -1)
    never = (run < 0) | ((start < 0) & ("start" in table)) | (table.procs <= 0)
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
