"""Read the records that Slurm's sacct printed, in whatever form, as a table of strings.

Forms are --parsable2 and --parsable, other separators, quoted fields, plain columns above a line of dashes, and --json.
Several outputs may stand one after another.
"""

import csv
import json
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from .files import SWFError, read_bytes

COMMAND = (
    "SLURM_TIME_FORMAT=%s sacct --allusers --allocations --duplicates --parsable2 "
    "--starttime=2024-01-01 --endtime=2025-01-01 --format=JobID,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,"
    "State,AllocCPUS,ReqCPUS,NNodes,ReqNodes,AllocTRES,User,Account,QOS,Partition,JobName"
)
"""Prints all that is read. Times in seconds since 1970 have no doubtful hour where clocks are put back; job names come
last because they may hold the separator."""

NUMBERS = (
    "jobid jobidraw submit eligible start end elapsed elapsedraw timelimit timelimitraw state alloccpus ncpus reqcpus "
    "nnodes allocnodes reqnodes alloctres allocgres reqtres reqgres"
).split()
"""The columns that are read and hold no names, so that no separator can be in them; in small letters, as all below."""

NAMES = "user account qos partition jobname cluster".split()
"""The columns of names that are read."""

_SEPARATORS = "|", "\t", ";", ","  # or blanks, above a line of dashes
_RULER = re.compile(r"[-+|,;\s]*-[-+|,;\s]*")
_BEFORE = 50  # lines that may stand before the first header
_HANDFUL = 5  # wrong records are bearable in any file
_REMARK = "no record at the end, cut off or a remark?"


class SacctError(SWFError):
    """Records that cannot be converted; the message names the file, the line and field, and what was expected."""


def is_output(path: str | Path) -> bool:
    """Tell by its beginning whether a file is sacct's output, be it JSON or without the names of its columns."""
    beginning = read_bytes(path)[:100_000].decode("utf-8", "replace")
    lines = [line for _, line in _numbered(beginning)[:_BEFORE] if not line.startswith("#")] or [""]
    if lines[0].lstrip().startswith((";", "{")):
        return lines[0].lstrip().startswith("{")
    return bool(re.search(r"\||\d-\d\d-\d\d", lines[0])) or bool(_headers(_numbered(beginning)[:_BEFORE]))


def read(
    path: str | Path, required: Collection[str], columns: str | Collection[str] | None = None
) -> tuple[pd.DataFrame, dict[str, list[int]]]:
    """Read the records as a table of strings, and list the lines of unreadable ones by reason.

    The table has all columns of `NUMBERS` and `NAMES`, with nan where an output lacks one. Its index is the line in the
    file. `required` are columns without which there is no log, of several joined by | any one; `columns` are the names
    where the file has none.
    """
    text = read_bytes(path).decode("utf-8", "replace")
    unread: dict[str, list[int]] = {}
    if text[:1000].lstrip().startswith("{"):
        tables = [_from_json(text)]
        _refuse_missing(tables[0].columns, required, "the jobs' list")
    else:
        tables = []
        for line, names, separator, rows in _outputs(_numbered(text), columns):
            _refuse_missing(names, required, f"line {line}")
            table, wrong = _table(names, separator, rows)
            tables.append(table)
            for why, lines in wrong.items():
                unread[why] = [*unread.get(why, []), *lines]
    records = pd.concat(tables)
    broken = [(min(lines), why) for why, lines in unread.items() if why != _REMARK]
    count = sum(len(lines) for why, lines in unread.items() if why != _REMARK)
    if broken and not bearable(count, count + len(records)):
        line, why = min(broken)
        raise SacctError(
            f"line {line}: found {why}; so it is with {count} of {count + len(records)} records, "
            f"expected the output of\n{COMMAND}"
        )
    if records.empty:
        raise SacctError("found no record")
    records = records.reindex(columns=[*NUMBERS, *NAMES]).astype(object)
    return records.assign(state=records.state.str.extract(r"^\s*(\w+)")[0]), unread  # of "CANCELLED by 1000"


def bearable(wrong: int, records: int) -> bool:
    """Tell whether so few records are wrong that the others can be right: a handful, or one in a hundred."""
    return wrong <= max(_HANDFUL, records / 100) and wrong <= records / 2


def _refuse_missing(names: Collection[str], required: Collection[str], where: str) -> None:
    """Raise SacctError if columns are missing."""
    missing = [column for column in required if not {*column.lower().split("|")} & {*names}]
    if missing:
        columns = ", ".join(missing).replace("|", " or ")
        raise SacctError(f"{where}: found no column {columns}; expected the output of\n{COMMAND}")


# Lines


def _numbered(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    return [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]


def _outputs(
    lines: list[tuple[int, str]], columns: str | Collection[str] | None
) -> Iterator[tuple[int, list[str], str, dict[int, list[str]]]]:
    """Divide the lines at the headers: the header's line, its names, their separator, and the fields of each line."""
    headers = _headers(lines)
    first = min(headers, default=_BEFORE)
    above = next(((number, line) for number, line in lines[:first] if not line.startswith("#")), (1, ""))
    if columns and headers:
        raise SacctError(f"line {lines[first][0]}: found names of columns, expected none, for others were given")
    if columns:
        columns = columns.split(",") if isinstance(columns, str) else columns
        names = [column.partition("%")[0].strip().lower() for column in columns]  # without the width of --format
        headers = {-1: _given(names, lines)}
    elif above[1][:1].isdigit():
        raise SacctError(
            f"line {above[0]}: found {above[1][:60]!r}, a record without names of columns above it; expected the "
            "output without --noheader, or the names: --columns JobID,Submit,..., in Python columns=[...]"
        )
    elif not headers:
        raise SacctError(f"line {above[0]}: found {above[1][:60]!r}, expected the output of\n{COMMAND}")
    for begin, end in zip(headers, [*headers, len(lines)][1:], strict=True):
        names, separator = headers[begin]
        header = lines[begin][1] if begin >= 0 else ""
        split = _splitter(header, separator, lines[begin + 1][1] if begin + 1 < len(lines) else "")
        rows = {number: split(line) for number, line in lines[begin + 1 : end] if not _RULER.fullmatch(line)}
        yield lines[max(begin, 0)][0], names, separator, rows


def _headers(lines: list[tuple[int, str]]) -> dict[int, tuple[list[str], str]]:
    """Find the headers by their places: the names in small letters, and what separates them."""
    headers = {}
    for position, (_, line) in enumerate(lines):
        if position >= _BEFORE and "jobid" not in line.lower():
            continue
        below = lines[position + 1][1] if position + 1 < len(lines) else ""
        for separator in [*_SEPARATORS, *([" "] if set(below) == {"-", " "} else [])]:
            names = [name.lower() for name in _splitter('"', separator, "")(line.lstrip("# "))]
            known = {*NUMBERS, *NAMES} & {*names}
            if len(known) > 1 and not any(name[:1].isdigit() for name in names):
                headers[position] = names, separator
    return headers


def _given(columns: list[str], lines: list[tuple[int, str]]) -> tuple[list[str], str]:
    """The names that were given, with the separator that divides one of the first lines into as many fields."""
    for _, line in lines[:_BEFORE]:
        for separator in _SEPARATORS:
            fields = _splitter("", separator, "")(line)
            if len(fields) - (not fields[-1]) == len(columns):
                return [*columns, *fields[len(columns) :]], separator
            if len(fields) == len(columns):
                return columns, separator
    raise SacctError(f"found no line with {len(columns)} fields, expected the values of {', '.join(columns)}")


def _splitter(header: str, separator: str, below: str) -> Callable[[str], list[str]]:
    """A function that splits a line below this header; sacct itself never quotes, what others export may be quoted."""
    if separator == " ":
        spans = [dashes.span() for dashes in re.finditer("-+", below)]

        def columns(line: str) -> list[str]:
            """Cut a line into columns, but for one that crosses them."""
            crosses = any(above != " " and dash == " " for above, dash in zip(line, below, strict=False))
            return [line] if crosses else [line[begin:end].strip() for begin, end in spans]

        return columns if spans else str.split
    if separator == "|" and '"' not in header:
        padded = " |" in header or "| " in header
        return lambda line: [field.strip() for field in line.split("|")] if padded else line.split("|")

    def quoted(line: str) -> list[str]:
        """Split a line that may have quoted fields."""
        try:
            return [field.strip() for field in next(csv.reader([line], delimiter=separator, strict=True))]
        except csv.Error:
            return line.split(separator)

    return quoted


def _table(names: list[str], separator: str, rows: dict[int, list[str]]) -> tuple[pd.DataFrame, dict[str, list[int]]]:
    """The records of one output, and the lines of what is none, by reason."""
    tail = names[-1:] == [""]  # from --parsable, which ends each line with a separator
    columns = names[:-1] if tail else names
    whole, broken, last = _whole(rows, columns, tail, named_last=columns[-1] == "jobname" and separator != " ")
    shifted = _shifted(whole, columns)
    unread = {
        "broken over several lines, a line feed in a name?": broken,
        f"more fields than columns, a {separator} in a name?": sorted(shifted),
        _REMARK: last,
    }
    places = len(columns) - 1
    fields = [[*row[:places], separator.join(row[places:])] for number, row in whole.items() if number not in shifted]
    lines = [number for number in whole if number not in shifted]
    table = pd.DataFrame(fields, index=pd.Index(lines, name="line"), columns=columns, dtype=object)
    table = table.loc[:, ~table.columns.duplicated()]
    if separator == " ":
        _refuse_cut(table)
    return table, {why: those for why, those in unread.items() if those}


def _whole(
    rows: dict[int, list[str]], columns: list[str], tail: bool, named_last: bool
) -> tuple[dict[int, list[str]], list[int], list[int]]:
    """Separate the lines that are records from those that are broken over several, and from foreign ones at the end.

    A line feed in a job's name ends one line, and the rest of the name begins the next: both lack separators. Where the
    name is the last column, the first of the two lines has all separators, and looks like a record; where the name is
    the first column, the second line does. What follows the last record can be a remark of a database, or the beginning
    of a line that was still being written.
    """
    separators = len(columns) - 1 + tail
    whole: dict[int, list[str]] = {}
    broken: list[int] = []
    end = max((number for number, row in rows.items() if len(row) > separators), default=0)
    before: int | None = None  # the line of the record before
    parts: int | None = None  # the separators of a broken record's lines so far
    for number, row in rows.items():
        here = len(row) - 1
        if number > end:
            break
        if here >= separators and not (parts == 0 and columns[0] == "jobname"):
            if tail and row[-1]:
                broken.append(number)
            else:
                whole[number] = row[:-1] if tail else row
            before, parts = number, None
        elif named_last and not tail and before:
            if whole.pop(before, None):
                broken.append(number)
        else:
            if parts is None:
                broken.append(number)
            parts = (parts or 0) + here
            parts = None if parts >= separators else parts  # all are there: what follows is another record
    return whole, broken, [number for number in rows if number > end][:1]


def _shifted(whole: dict[int, list[str]], columns: list[str]) -> set[int]:
    """Find records with too many fields, except where the job's name surely contains the extra ones.

    It is sure if the job's name is the last column, only names come before it, and the names of each group (account,
    QOS, partition) also occur in a record without a separator in a name. A user's name need not occur there: there are
    many users.
    """
    surplus = {number for number, row in whole.items() if len(row) > len(columns)}
    names = [position for position, column in enumerate(columns) if column not in NUMBERS]
    if not surplus or columns[-1] != "jobname" or names != [*range(names[0], len(columns))]:
        return surplus
    groups = [group for group in names[:-1] if columns[group] != "user" or group == names[-2]]
    known = [(group, {row[group] for number, row in whole.items() if number not in surplus}) for group in groups]
    return {number for number in surplus if any(whole[number][group] not in values for group, values in known)}


def _refuse_cut(table: pd.DataFrame) -> None:
    """Raise SacctError if sacct cut a value to its column's width; a cut name of a job becomes unknown."""
    jobs = ~table.jobid.str.contains(".", regex=False) if "jobid" in table else pd.Series(True, table.index)
    for column in table.columns.intersection([*NUMBERS, *NAMES]).drop("state", errors="ignore"):
        cut = table[column].str.endswith("+") & jobs
        if column == "jobname":
            table[column] = table[column].mask(cut, "")
        elif cut.any():
            line = table.index[cut][0]
            raise SacctError(
                f"line {line}: {column}: found {table.at[line, column]!r}, which is cut off; expected the output with "
                "--parsable2"
            )


# JSON


def _from_json(text: str) -> pd.DataFrame:
    """Read what sacct --json printed, of any version."""
    decoder, jobs, rest = json.JSONDecoder(), [], text.lstrip()
    while rest:
        try:
            document, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError) as error:
            raise SacctError(f"found damaged JSON, {error}; expected what sacct --json prints") from None
        records = document.get("jobs") if isinstance(document, dict) else None
        if not isinstance(records, list):
            raise SacctError(f"found JSON without a list of jobs, {rest[:60]!r}; expected what sacct --json prints")
        jobs += records
        rest = rest[end:].lstrip()
    table = pd.DataFrame([_of_job(job) for job in jobs], pd.RangeIndex(1, len(jobs) + 1, name="job"), dtype=object)
    return table.dropna(axis=1, how="all")


_IN_JSON = {
    "jobid": "job_id",
    "cluster": "cluster",
    "submit": "time/submission",
    "eligible": "time/eligible",
    "start": "time/start",
    "end": "time/end",
    "elapsedraw": "time/elapsed",
    "timelimitraw": "time/limit",
    "state": "state/current",
    "reqcpus": "required/CPUs",
    "nnodes": "allocation_nodes",
    "alloctres": "tres/allocated",
    "reqtres": "tres/requested",
    "user": "user",
    "account": "account",
    "qos": "qos",
    "partition": "partition",
    "jobname": "name",
}
"""Where the value of a column stands in JSON."""


def _of_job(job: Any) -> dict[str, str | None]:
    """One job's values as sacct prints them in columns."""

    def at(path: str) -> Any:
        """What stands at a path; None where there is nothing."""
        value = job
        for key in path.split("/"):
            value = value.get(key) if isinstance(value, dict) else None
        return value

    columns = {column: at(path) for column, path in _IN_JSON.items()}
    columns["user"] = columns["user"] or at("association/user")  # of old versions
    return {column: _printed(value) for column, value in columns.items()}


def _printed(value: Any) -> str | None:
    """A value as sacct prints it; newer versions have structures for numbers, and lists of states."""
    if isinstance(value, dict):
        return "UNLIMITED" if value.get("infinite") else _printed(value.get("number")) if value.get("set") else ""
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        kinds = ("/".join(str(tres[key]) for key in ("type", "name") if tres.get(key)) for tres in value)
        return ",".join(f"{kind}={tres.get('count')}" for kind, tres in zip(kinds, value, strict=True))
    if isinstance(value, list):
        return _printed(value[0])
    return None if value is None else str(value)
