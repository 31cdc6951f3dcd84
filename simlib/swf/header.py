"""Read the header of a log: the size of its machine, its clock, and whether it is made up."""

import re
from collections.abc import Iterable, Mapping

import pandas as pd

SYNTHETIC = "SYNTHETIC"
"""What a comment says where the jobs are made up, in whatever case and line; it sets `Workload.synthetic`."""

_MARK = re.compile(rf"^(?!\s*(?:Queue|Partition):).*\b{SYNTHETIC}", re.I)  # the names of those may be any
_YEAR_10000 = 253402300800  # seconds since 1970; pandas has no local times from then on
_PLAIN = re.compile(r"([+-]?[0-9]{1,15})(\s*[(\[{;].*)?")  # what stands in brackets behind a value is a note
_WORDS = r"\s+([-:;,]\s+)?[^\W\d_]{2}[^\d(\[{]*([(\[{;].*)?"
_SIZE = re.compile(rf"([+-]?[0-9]{{1,15}})(\s*[(\[{{;].*|{_WORDS})?")  # words may follow a size, too
_ZONE = re.compile(r"(\S+)(\s*[(\[{;].*)?")


def header_fields(header: Iterable[str]) -> dict[str, str]:
    """Collect the `Key: value` lines of a header in a dict; the values of a repeated key are joined by line feeds.

    Examples
    --------
    >>> header_fields([" Computer: IBM SP2", " MaxProcs: 128", " just a comment"])
    {'Computer': 'IBM SP2', 'MaxProcs': '128'}
    """
    fields: dict[str, list[str]] = {}
    for line in header:
        key, colon, value = line.partition(":")
        if colon and re.fullmatch(r"\w+", key.strip()):
            fields.setdefault(key.strip(), []).append(value.strip())
    return {key: "\n".join(values) for key, values in fields.items()}


def machine_size(metadata: Mapping[str, str]) -> int:
    """Read the processors of the machine: MaxProcs, else MaxNodes where that is missing, empty, 0 or -1.

    Only a whole number counts; words without digits, or brackets, may follow it.

    Parameters
    ----------
    metadata : dict of str to str
        From `header_fields`.

    Raises
    ------
    ValueError
        Where there is none, or another number such as 1,024 or 2K, or two that differ.

    Examples
    --------
    >>> machine_size({"MaxProcs": "-1", "MaxNodes": "128 (two of them down)"})
    128
    """
    for key in ("MaxProcs", "MaxNodes"):
        if text := _value(metadata, key):
            size = _SIZE.fullmatch(text)
            if not size or int(size[1]) < -1:
                raise ValueError(f"header line {key}: found {text[:40]!r}, expected a whole number such as 128")
            if int(size[1]) > 0:
                return int(size[1])
    raise ValueError("header has no machine size: expected a line like '; MaxProcs: 128'")


def start_time(metadata: Mapping[str, str]) -> pd.Timestamp | None:
    """Read the time of second 0 in the log's own zone; None where the header has no UnixStartTime.

    Parameters
    ----------
    metadata : dict of str to str
        From `header_fields`.

    Raises
    ------
    ValueError
        Where it, or the TimeZoneString, cannot be read.

    Examples
    --------
    >>> start_time({"UnixStartTime": "843480031", "TimeZoneString": "Europe/Stockholm"})
    Timestamp('1996-09-23 14:00:31+0200', tz='Europe/Stockholm')
    """
    if "UnixStartTime" not in metadata:
        return None
    text, zone = _value(metadata, "UnixStartTime"), _value(metadata, "TimeZoneString", "UTC")
    unusable = LookupError, ValueError, ArithmeticError, OSError, NotImplementedError
    try:
        known = _first_group(_ZONE, zone)
        pd.Timestamp(0, tz=known)
    except (*unusable, TypeError):  # the last of what is no name at all
        expected = "a zone such as Europe/Stockholm"
        raise ValueError(f"header line TimeZoneString: found {zone[:40]!r}, expected {expected}") from None
    try:
        seconds = int(_first_group(_PLAIN, text))
        if seconds >= _YEAR_10000:
            raise ValueError
        return pd.Timestamp(seconds, unit="s", tz="UTC").tz_convert(known)
    except (*unusable, TypeError):
        expected = "seconds since 1970 such as 843480031"
        raise ValueError(f"header line UnixStartTime: found {text[:40]!r}, expected {expected}") from None


def says_synthetic(header: Iterable[str]) -> bool:
    """Tell whether a comment says that the jobs are made up: in any line, in capitals or small letters.

    Examples
    --------
    >>> says_synthetic([" Computer: none", " Note: synthetic, drawn from a model"])
    True
    """
    return any(map(_MARK.search, header))


def line_says(line: str, value: object) -> bool:
    """Tell whether the value of a header line, without the note behind it, is this one: an int, or a zone.

    Examples
    --------
    >>> line_says(" MaxProcs: 128 (two of them down)", 128)
    True
    """
    text = line.partition(":")[2]
    found = (_SIZE if isinstance(value, int) else _ZONE).fullmatch(text.strip())
    return found is not None and found[1] == str(value)


def _first_group(pattern: re.Pattern[str], text: str) -> str:
    if match := pattern.fullmatch(text):
        return match[1]
    raise ValueError


def _value(metadata: Mapping[str, str], key: str, default: str = "") -> str:
    """Look up the value of a key; ValueError where the header has two that differ."""
    values = list(dict.fromkeys(filter(None, metadata.get(key, default).split("\n"))))
    if len(values) > 1:
        raise ValueError(f"header line {key}: found {values[0][:40]!r} and {values[1][:40]!r}, expected one value")
    return values[0] if values else ""
