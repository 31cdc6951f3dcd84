"""Read the records that Slurm's sacct printed, in whatever form, as a table of strings.

Forms are --parsable2 and --parsable, other separators, quoted fields, plain columns above a line of dashes, and --json.
Several outputs may stand one after another. Tables have at most `_BLOCK` records, so that a million take little memory.
"""

import csv
import json
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._util.arrays import Ints
from .files import SWFError, read_bytes

COMMAND = (
    "SLURM_TIME_FORMAT=%s sacct --allusers --allocations --duplicates --parsable2 "
    "--starttime=2024-01-01 --endtime=2025-01-01 --format=JobID,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,"
    "State,AllocCPUS,ReqCPUS,NNodes,ReqNodes,AllocTRES,Reason,Flags,User,Account,QOS,Partition,JobName"
)
"""Prints all that is read. Times in seconds since 1970 have no doubtful hour where clocks are put back; job names come
last because they may hold the separator."""

NUMBERS = (
    "jobid jobidraw submit eligible start end elapsed elapsedraw timelimit timelimitraw state alloccpus ncpus reqcpus "
    "nnodes allocnodes reqnodes alloctres allocgres reqtres reqgres reason flags"
).split()
"""The columns that are read and hold no names, so that no separator can be in them; in small letters, as all below."""

NAMES = "user account qos partition jobname cluster".split()
"""The columns of names that are read."""

KEPT = "reason", "flags", *NAMES
"""The columns whose values are kept as they are, and of which there are few."""

_SEPARATORS = "|", "\t", ";", ","  # or blanks, above a line of dashes
_RULER = re.compile(r"[-+|,;\s]*-[-+|,;\s]*")
_BEFORE = 50  # lines that may stand before the first header
_BLOCK = 20_000  # records of a table
_HANDFUL = 5  # wrong records are bearable in any file
_REMARK = "no record at the end, cut off or a remark?"


class SacctError(SWFError):
    """Records that cannot be converted; the message names the file, the line and field, and what was expected."""


def is_output(path: str | Path) -> bool:
    """Tell by its beginning whether a file is sacct's output, be it JSON or without the names of its columns."""
    beginning = read_bytes(path)[:100_000].decode("utf-8", "replace")
    lines = _Lines(beginning).texts[:_BEFORE]
    first = next((line for line in lines if not line.startswith("#")), "")
    if first.lstrip().startswith((";", "{")):
        return first.lstrip().startswith("{")
    return bool(re.search(r"\||\d-\d\d-\d\d", first)) or bool(_headers(lines))


Unread = dict[str, list[int]]
"""The lines of unreadable records by reason."""


def read(
    path: str | Path, required: Collection[str], unread: Unread, columns: str | Collection[str] | None = None
) -> Iterator[pd.DataFrame]:
    """Read the records as tables of strings, and note the lines of unreadable ones by reason.

    A table has all columns of `NUMBERS` and `NAMES`, with nan where an output lacks one. Its index is the line in the
    file. `required` are columns without which there is no log, of several joined by | any one; `columns` are the names
    where the file has none. After the last table SacctError is raised if there was no record, or too many were unread.
    """
    count, shared = 0, dict[str, str]()
    for table in _tables(read_bytes(path).decode("utf-8", "replace"), required, unread, columns):
        table = table.reindex(columns=[*NUMBERS, *NAMES]).astype(object)
        state = table.state.str.extract(r"^\s*(\w+)")[0]  # of "CANCELLED by 1000"
        for column in (names := table.assign(state=state)[["state", *KEPT]]):
            kept = [value if isinstance(value, float) else shared.setdefault(value, value) for value in names[column]]
            table[column] = pd.Series(kept, table.index, dtype=object)
        count += len(table)
        yield table
    broken = [(min(lines), why) for why, lines in unread.items() if why != _REMARK]
    wrong = sum(len(lines) for why, lines in unread.items() if why != _REMARK)
    if broken and not bearable(wrong, wrong + count):
        line, why = min(broken)
        raise SacctError(
            f"line {line}: found {why}; so it is with {wrong} of {wrong + count} records, "
            f"expected the output of\n{COMMAND}"
        )
    if not count:
        raise SacctError("found no record")


def _tables(
    text: str, required: Collection[str], unread: Unread, columns: str | Collection[str] | None
) -> Iterator[pd.DataFrame]:
    """Read the records as tables of strings, whatever their form."""
    if text[:1000].lstrip().startswith("{"):
        table = _from_json(text)
        _refuse_missing(table.columns, required, "the jobs' list")
        yield from (table[begin : begin + _BLOCK] for begin in range(0, len(table), _BLOCK))
        return
    lines = _Lines(text)
    del text
    for output in _outputs(lines, columns):
        _refuse_missing(output.names, required, f"line {output.line}")
        yield from _of_output(output, unread)


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


class _Lines:
    """The lines that are not blank, with their numbers."""

    def __init__(self, text: str) -> None:
        every = text.split("\n")
        self.numbers = np.array([number for number, line in enumerate(every, start=1) if line.strip()], np.int64)
        self.texts = every if len(self.numbers) == len(every) else [line for line in every if line.strip()]


class _Output(NamedTuple):
    """One output: its header's line, the columns' names, what separates them, and the lines of its records."""

    line: int
    names: list[str]
    separator: str
    split: Callable[[str], list[str]]
    numbers: Ints
    texts: list[str]


def _outputs(lines: _Lines, columns: str | Collection[str] | None) -> Iterator[_Output]:
    """Divide the lines at the headers."""
    texts, numbers = lines.texts, lines.numbers
    headers = _headers(texts)
    first = min(headers, default=_BEFORE)
    above = next((place for place, line in enumerate(texts[:first]) if not line.startswith("#")), None)
    where, found = (1, "") if above is None else (numbers[above], texts[above])
    if columns and headers:
        raise SacctError(f"line {numbers[first]}: found names of columns, expected none, for others were given")
    if columns:
        columns = columns.split(",") if isinstance(columns, str) else columns
        names = [column.partition("%")[0].strip().lower() for column in columns]  # without the width of --format
        headers = {-1: _given(names, texts)}
    elif found[:1].isdigit():
        raise SacctError(
            f"line {where}: found {found[:60]!r}, a record without names of columns above it; expected the "
            "output without --noheader, or the names: --columns JobID,Submit,..., in Python columns=[...]"
        )
    elif not headers:
        raise SacctError(f"line {where}: found {found[:60]!r}, expected the output of\n{COMMAND}")
    for begin, end in zip(headers, [*headers, len(texts)][1:], strict=True):
        names, separator = headers[begin]
        header = texts[begin] if begin >= 0 else ""
        split = _splitter(header, separator, texts[begin + 1] if begin + 1 < len(texts) else "")
        own = [place for place in range(begin + 1, end) if not _RULER.fullmatch(texts[place])]
        of_records = numbers[own], [texts[place] for place in own]
        del own
        yield _Output(int(numbers[max(begin, 0)]), names, separator, split, *of_records)


def _headers(lines: list[str]) -> dict[int, tuple[list[str], str]]:
    """Find the headers by their places: the names in small letters, and what separates them."""
    headers = {}
    for position, line in enumerate(lines):
        if position >= _BEFORE and "jobid" not in line.lower():
            continue
        below = lines[position + 1] if position + 1 < len(lines) else ""
        for separator in [*_SEPARATORS, *([" "] if set(below) == {"-", " "} else [])]:
            names = [name.lower() for name in _splitter('"', separator, "")(line.lstrip("# "))]
            known = {*NUMBERS, *NAMES} & {*names}
            if len(known) > 1 and not any(name[:1].isdigit() for name in names):
                headers[position] = names, separator
    return headers


def _given(columns: list[str], lines: list[str]) -> tuple[list[str], str]:
    """The names that were given, with the separator that divides one of the first lines into as many fields."""
    for line in lines[:_BEFORE]:
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


def _of_output(output: _Output, unread: Unread) -> Iterator[pd.DataFrame]:
    """Make tables of the records of an output, and note the lines of what is none, by reason."""
    names, separator, split = output.names, output.separator, output.split
    tail = names[-1:] == [""]  # from --parsable, which ends each line with a separator
    columns = names[:-1] if tail else names
    whole, broken, last = _whole(output, columns, tail)
    shifted = _shifted(output, whole, columns, tail)
    for why, those in (
        ("broken over several lines, a line feed in a name?", broken),
        (f"more fields than columns, a {separator} in a name?", sorted(shifted)),
        (_REMARK, last),
    ):
        if those:
            unread[why] = [*unread.get(why, []), *output.numbers[those].tolist()]
    kept, most = [place for place in whole if place not in shifted], len(columns) - 1
    for begin in range(0, len(kept), _BLOCK):
        places = kept[begin : begin + _BLOCK]
        rows = [split(output.texts[place])[: -1 if tail else None] for place in places]
        rows = [row if len(row) == most + 1 else [*row[:most], separator.join(row[most:])] for row in rows]
        index = pd.Index(output.numbers[places], name="line")
        values = dict(reversed([*zip(columns, zip(*rows, strict=True), strict=True)]))  # the first of the same name
        table = pd.DataFrame({name: np.array(values[name], object) for name in dict.fromkeys(columns)}, index)
        if separator == " ":
            _refuse_cut(table)
        yield table


def _whole(output: _Output, columns: list[str], tail: bool) -> tuple[list[int], list[int], list[int]]:
    """Separate the lines that are records from those that are broken over several, and from foreign ones at the end.

    A line feed in a job's name ends one line, and the rest of the name begins the next: both lack separators. Where the
    name is the last column, the first of the two lines has all separators, and looks like a record; where the name is
    the first column, the second line does. What follows the last record can be a remark of a database, or the beginning
    of a line that was still being written.
    """
    texts, split, separators = output.texts, output.split, len(columns) - 1 + tail
    named_last = columns[-1] == "jobname" and output.separator != " " and not tail
    whole: list[int] = []
    broken: list[int] = []
    end = next((place for place in range(len(texts) - 1, -1, -1) if len(split(texts[place])) > separators), -1)
    before: int | None = None  # the place of the record before
    parts: int | None = None  # the separators of a broken record's lines so far
    for place in range(end + 1):
        row = split(texts[place])
        here = len(row) - 1
        if here >= separators and not (parts == 0 and columns[0] == "jobname"):
            (broken if tail and row[-1] else whole).append(place)
            before, parts = place, None
        elif named_last and before is not None:
            if whole[-1:] == [before]:
                whole.pop()
                broken.append(place)
        else:
            if parts is None:
                broken.append(place)
            parts = (parts or 0) + here
            parts = None if parts >= separators else parts  # all are there: what follows is another record
    return whole, broken, [*range(end + 1, len(texts))][:1]


def _shifted(output: _Output, whole: list[int], columns: list[str], tail: bool) -> set[int]:
    """Find records with too many fields, except where the job's name surely contains the extra ones.

    It is sure if the job's name is the last column, only names come before it, and the names of each group (account,
    QOS, partition) also occur in a record without a separator in a name. A user's name need not occur there: there are
    many users.
    """
    texts, split = output.texts, output.split
    surplus = {place for place in whole if len(split(texts[place])) > len(columns) + tail}
    names = [position for position, column in enumerate(columns) if column not in NUMBERS]
    if not surplus or columns[-1] != "jobname" or names != [*range(names[0], len(columns))]:
        return surplus
    groups = [group for group in names[:-1] if columns[group] != "user" or group == names[-2]]
    others = [split(texts[place])[names[0] :] for place in whole if place not in surplus]
    known = [(group, {row[group - names[0]] for row in others}) for group in groups]
    return {place for place in surplus if any(split(texts[place])[group] not in values for group, values in known)}


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
    "reason": "state/reason",
    "flags": "flags",
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
    if isinstance(columns["flags"], list):
        columns["flags"] = " ".join(map(str, columns["flags"]))
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
