"""Damaged accounting records of Slurm against an independent reading: only an SacctError, or a log that agrees."""

import calendar
import itertools
import re
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from simlib import read_swf
from simlib.logs import sacct, swf

from .attack import folder_for_files, smallest, try_each, try_random

ZONE = "Europe/Berlin"
NOON = 1709290800
COLUMNS = (
    "JobID Submit Eligible Start End ElapsedRaw TimelimitRaw State AllocCPUS ReqCPUS NNodes ReqNodes User Account QOS "
    "Partition JobName"
).split()
STATUS = {"COMPLETED": 1, "CANCELLED": 5, "FAILED": 0, "TIMEOUT": 0, "NODE_FAIL": 0, "OUT_OF_MEMORY": 0, "PREEMPTED": 0}
UNFINISHED = {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING"}
UNKNOWN = {"", "Unknown", "None", "N/A"}
UNLIMITED = {"", "UNLIMITED", "Partition_Limit"}


LATEST = 7_258_118_400  # the year 2200


class Refused(Exception):
    """Records that are none."""


class Odd(Exception):
    """Records that may be refused, or be left out and counted: absurd times, lines broken by a name."""


# The independent reading


def expected(text, unit="cpus"):
    """The job lines that the records become, as rows of 18 numbers; Refused or Odd where they are none."""
    header, *lines = text.split("\n")
    columns = header.lower().split("|")
    lines = [line for line in lines if line.strip() and line != header]
    exact = [line.split("|") for line in lines if line.count("|") == len(columns) - 1]
    groups = [columns.index(name) for name in ("account", "qos", "partition")]
    shifted = [
        line
        for line in lines
        if line.count("|") >= len(columns)
        and any(line.split("|")[k] not in [words[k] for words in exact] for k in groups)
    ]
    if len(shifted) * 2 > len(lines):
        raise Odd
    records = []
    for line in lines:
        if line in shifted:
            continue
        words = line.split("|", len(columns) - 1)
        if len(words) != len(columns):
            raise Odd
        records.append(dict(zip(columns, words, strict=True)))
    if not records:
        raise Refused("no record")
    jobs = [job for job in map(_job_of(unit), _kept(records)) if job]
    if not jobs:
        raise Refused("no job")
    if any(not -1 <= job[name] < LATEST for job in jobs for name in ("submit", "start", "end", "eligible")):
        raise Odd
    if any(job[name] > 3 * 10**9 for job in jobs for name in ("elapsed", "size", "wanted", "limit")):
        raise Odd
    jobs = sorted((job for job in jobs if not job["backwards"]), key=lambda job: job["submit"])
    if not jobs:
        raise Refused("no job that ended after it started")
    first = jobs[0]["submit"]
    numbers = {name: {} for name in ("user", "account", "jobname", "qos", "partition")}
    rows = []
    for k, job in enumerate(jobs, start=1):
        names = {}
        for name, known in numbers.items():
            text = job[name]
            names[name] = known.setdefault(text, len(known) + 1) if text else -1
        rows.append(
            [k, job["submit"] - first, job["wait"], job["run"], job["size"], -1, -1, job["wanted"], job["limit"], -1]
            + [job["status"], *names.values(), -1, -1]
        )
    return rows


def _kept(records):
    """The records that are jobs that have ended, of the same job and submission the last."""
    kept = {}
    for record in records:
        state = _state(record)
        if "." in record["jobid"] or state in UNFINISHED or record["end"] in UNKNOWN or state == "REVOKED":
            continue
        key = record["jobid"], record["submit"]
        kept.pop(key, None)
        kept[key] = record
    return kept.values()


def _state(record):
    found = re.match(r"\s*(\w+)", record["state"])
    return found[1] if found else ""


def _job_of(unit):
    size, wanted = ("alloccpus", "reqcpus") if unit == "cpus" else ("nnodes", "reqnodes")

    def job(record):
        submit = _time(record["submit"])
        start = _time(record["start"]) if record["start"] not in UNKNOWN else -1
        end = _time(record["end"])
        run = _duration(record["elapsedraw"], 1)
        has = _count(record[size])
        status = STATUS.get(_state(record), -1)
        never = start < 0 or has <= 0 or (status == 5 and run == 0)
        if start >= 0 and end - start < run - 1:
            end = _time(record["end"], fold=1)
        eligible = -1 if record["eligible"] in UNKNOWN else _time(record["eligible"])
        submit = max(submit, min(eligible, end if never else start))
        wait = max((end if never else start) - submit, 0)
        limit = _duration(record["timelimitraw"], 60) if record["timelimitraw"] not in UNLIMITED else -1
        known = {
            "submit": submit,
            "eligible": eligible,
            "backwards": not never and end < start,
            "start": start,
            "elapsed": run,
            "end": end,
            "wait": wait,
            "run": -1 if never else run,
            "size": -1 if never else has,
        }
        known |= {"wanted": _count(record[wanted]), "limit": limit, "status": status}
        return known | {name: record[name] for name in ("user", "account", "qos", "partition", "jobname")}

    return job


def _time(text, fold=0):
    if re.fullmatch(r"[0-9]{1,11}", text):
        return int(text)
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}", text):
        raise Refused(text)
    year, month, day, hour, minute, second = map(int, re.split("[-T:]", text))
    if not (1 <= month <= 12 and hour < 24 and minute < 60 and second < 60 and year > 0):
        raise Refused(text)
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        raise Refused(text)
    if not 1970 < year < 2200:
        raise Odd
    local = pd.Timestamp(year, month, day, hour, minute, second).to_pydatetime()
    return int(local.replace(tzinfo=ZoneInfo(ZONE), fold=fold).timestamp())


def _duration(text, unit):
    if re.fullmatch(r"[0-9]{1,11}", text):
        return int(text) * unit
    found = re.fullmatch(r"(?:(?:([0-9]+)-)?([0-9]+):)?([0-9]+):([0-9]+)", text)
    if not found:
        raise Refused(text)
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _count(text):
    if text == "":
        return -1
    found = re.fullmatch(r"([0-9]+)([KMG]?)", text)
    if not found:
        raise Refused(text)
    count = int(found[1]) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[found[2]]
    if count >= 2**32:  # more than Slurm can count, even where the job never started
        raise Refused(text)
    return count


# What is done to records

TIMES = (
    f"0 1 {NOON} {NOON}.5 -5 2024-03-01T12:00:00 2024-02-30T12:00:00 2024-10-27T02:30:00 2024-13-01T00:00:00 "
    "0001-01-01T00:00:00 9999-12-31T23:59:59 0000-01-01T00:00:00 1969-12-31T23:59:59 99999999999 999999999999 "
    "2024-03-01 Unknown None N/A now 2024-03-01T12:00:00Z 2024-03-01T24:00:00 2024-03-01T12:60:00 "
    "2262-04-12T00:00:00 2024-03-01T12:00:61 1677-01-01T00:00:00"
)
DURATIONS = (
    "0 1 59 60 1:00 01:02:03 1-00:00:00 400-12:30:00 9999999999-00:00:00 99999999999 999999999999 UNLIMITED INVALID "
)
DURATIONS += "Partition_Limit -1 1-2 1:2:3:4 1.5 00:00 0:99 99999999999999999999:00 1-99:99:99 NONE"
COUNTS = "0 1 7 2K 1M 1G 99999999999999999999 9223372036854775807 9223372036854775808 9007199254740993 "
COUNTS += "-1 1k 2T 1,024 x 3.7.1"
STATES = "COMPLETED FAILED TIMEOUT CANCELLED NODE_FAIL RUNNING PENDING SUSPENDED REVOKED RESIZING whatever"
NAMES = ["a", "b", "c", "", "caf\xe9", "a b", "\u20ac", "None", "nan", "1", "-1"]
NAMES += ["x" * 300, "a;b", "\x0b", "\x85", "\u2028", '"', "'"]
ODD = {
    "Submit": TIMES.split(),
    "Eligible": ["", *TIMES.split()],
    "Start": ["", *TIMES.split()],
    "End": ["", *TIMES.split()],
    "ElapsedRaw": ["", *DURATIONS.split()],
    "TimelimitRaw": ["", *DURATIONS.split()],
    "State": ["", "CANCELLED by 0", "CANCELLED+", " COMPLETED", *STATES.split()],
    "AllocCPUS": ["", *COUNTS.split()],
    "ReqCPUS": ["", *COUNTS.split()],
    "NNodes": ["", *COUNTS.split()],
    "ReqNodes": ["", *COUNTS.split()],
    "JobID": ["1", "2", "3", "1.batch", "1.0", "1_7", "1+2", "1_[2-9]", ""],
    "User": NAMES,
    "Account": NAMES,
    "QOS": NAMES,
    "Partition": NAMES,
    "JobName": [*NAMES, "a|b", "|", "a|b|c|"],
}


def record(rng, number):
    """A record of a job that ran, or was cancelled before."""
    submit = NOON + int(rng.integers(0, 5000))
    start = submit + int(rng.integers(0, 500))
    run = int(rng.integers(0, 1000))
    cpus = str(rng.integers(1, 65))
    states = ["COMPLETED", "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED by 7"]
    names = [str(name) for name in rng.choice(["a", "b", "c", "d"], 5)]
    words = [
        number,
        submit,
        submit + int(rng.integers(0, 9)),
        start,
        start + run,
        run,
        rng.integers(1, 900),
        rng.choice(states),
        cpus,
        cpus,
        1,
        1,
        *names,
    ]
    return dict(zip(COLUMNS, map(str, words), strict=True))


def damaged(rng):
    """The lines of sacct's output, in which some values are odd."""
    records = [record(rng, k) for k in range(1, rng.integers(1, 9) + 1)]
    for _ in range(rng.integers(0, 5)):
        one, name = records[rng.integers(len(records))], COLUMNS[rng.integers(len(COLUMNS))]
        one[name] = ODD[name][rng.integers(len(ODD[name]))]
    if rng.random() < 0.1:
        records.append(records[rng.integers(len(records))] | {"State": str(rng.choice(STATES.split()))})
    lines = ["|".join(map(str, one.values())) for one in records]
    header = "|".join(COLUMNS)
    if rng.random() < 0.1:
        lines.insert(rng.integers(len(lines) + 1), header)
    if rng.random() < 0.05:
        lines.insert(rng.integers(len(lines) + 1), str(rng.choice(["", " ", "1|2|3", "sacct: error: no connection"])))
    return [header if rng.random() < 0.7 else header.upper(), *lines]


def difference(lines, unit, folder, convert=sacct.convert):
    """What `convert` makes of the lines that it should not; None where all is right."""
    source, target = folder / "jobs.txt", folder / "jobs.swf"
    text = "\n".join(lines) + "\n"
    source.write_text(text, encoding="utf-8", newline="")
    target.unlink(missing_ok=True)
    right = odd = None
    try:
        right = expected(text.replace("\v", " ").replace("\f", " "), unit)
    except Refused as fault:
        odd = f"{fault.args[0]!r} should be refused"
    except Odd:
        pass
    try:
        convert(source, target, unit=unit, timezone=ZONE)
    except sacct.SacctError as error:
        if target.exists():
            return "refused, but a log is left", "left"
        if not str(error).startswith(str(source)):
            return f"the error does not name the file: {error}"[:200], "unnamed"
        ran = right and any(row[3] >= 0 for row in right)
        return (f"right records are refused: {error}".replace(str(folder), "")[:250], "refused") if ran else None
    except Exception as error:
        return f"{type(error).__name__} comes out: {error}"[:250], type(error)
    try:
        header, log = swf.read_log(target)
        read_swf(target)
    except swf.SWFError as error:
        return f"the log that is written is refused when read: {error}"[:250], "unreadable"
    if odd:
        return f"taken, but {odd}"[:250], odd
    if right is not None and (found := log.to_numpy().tolist()) != right:
        rows = [(ours, theirs) for ours, theirs in zip(right, found, strict=False) if ours != theirs]
        return (
            f"{len(found)} jobs, expected {len(right)}; found, expected: {[pair[::-1] for pair in rows[:1]]}",
            "other",
        )
    return _size_fault(header, log)


def _size_fault(header, log):
    """Whether the machine's size is the most in use for a thousandth of the time, counted between starts and ends."""
    ran = [(s + w, s + w + r, p) for _, s, w, r, p, *_ in log.to_numpy().tolist() if r >= 0]
    times = sorted({time for begin, end, _ in ran for time in (begin, end)})
    use = [(sum(p for b, e, p in ran if b <= begin < e), end - begin) for begin, end in itertools.pairwise(times)]
    span = sum(seconds for _, seconds in use)
    long_enough = [n for n, _ in use if sum(seconds for m, seconds in use if m >= n) * 1000 >= span]
    most = max([*long_enough, *(p for _, _, p in ran)])
    stated = int(next(line.split()[1] for line in header if "MaxProcs:" in line))
    return None if stated == most else (f"MaxProcs {stated}, but {most} were in use at once", "size")


# The attacks


def damaged_records(plan):
    """Odd values in every column."""
    shown = set()  # of each sort the smallest case is looked for once

    def attempt(rng):
        lines, unit = damaged(rng), str(rng.choice(["cpus", "nodes"]))
        found = difference(lines, unit, folder)
        if not found or found[1] in shown:
            return found
        shown.add(found[1])

        def fails(fewer):
            again = difference([lines[0], *fewer], unit, folder)
            return again is not None and again[1] == found[1]

        fewest = [lines[0], *smallest(lines[1:], fails)]
        return f"{(difference(fewest, unit, folder) or found)[0]}; records {fewest[1:]}"[:900], found[1]

    what = "sacct's output with odd values in every column, converted and by an independent reading"
    with folder_for_files() as folder:
        return try_random(what, plan, 6000, attempt)


def damaged_bytes(plan):
    """Bytes of the output changed, cut off, doubled: an SacctError or a log that can be read."""
    noise = [b"\n", b"|", b"\r", b"\r\n", b"\0", b"\xff", b"-", b":", b"9", b"T", b" ", b"\t", b"\v", b"\xef\xbb\xbf"]

    def attempt(rng):
        data = ("\n".join(damaged(rng)) + "\n").encode()
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(len(data)))
            data = data[:at] + noise[rng.integers(len(noise))] + data[at + int(rng.integers(0, 3)) :]
        source.write_bytes(data[: rng.integers(len(data))] if rng.random() < 0.1 else data)
        try:
            sacct.convert(source, target, timezone=ZONE)
        except swf.SWFError:  # as SacctError is one: what is no text is told by the reader of logs
            return None
        except Exception as error:
            return f"{type(error).__name__} comes out: {error}; output {data!r}"[:700], type(error)
        read_swf(target)

    with folder_for_files() as folder:
        source, target = folder / "jobs.txt", folder / "jobs.swf"
        return try_random("bytes of sacct's output changed, put in or cut off", plan, 4000, attempt)


def broken_names(plan):
    """A line feed in a job name: the record is left out and counted, the others are there; all broken is an error."""

    def attempt(broken, total, place):
        rng = np.random.default_rng(1)
        records = [record(rng, k) for k in range(1, total + 1)]
        columns = COLUMNS if place == "last" else ["JobName", *COLUMNS[:-1]]
        for one in records[:broken]:
            one["JobName"] = "first\nsecond line"
        lines = ["|".join(one[name] for name in columns) for one in records]
        source.write_text("\n".join(["|".join(columns), *lines]) + "\n")
        target.unlink(missing_ok=True)
        try:
            counts = sacct.convert(source, target, timezone=ZONE)
        except sacct.SacctError as error:
            return None if broken == total else f"refused: {error}".replace(str(folder), "")[:300]
        jobs = len(read_swf(target).log)
        if jobs not in ((total, total - broken) if place == "last" else (total - broken,)):
            return f"{jobs} jobs written of {total}, of which {broken} are broken"
        if broken and not any("line" in what for what in counts):
            return f"nothing is said of the broken records: {counts}"

    cases = {
        f"{broken} of {total} records, name {place}": (broken, total, place)
        for broken, total in ((0, 3), (1, 20), (2, 20), (3, 3))
        for place in ("first", "last")
    }
    with folder_for_files() as folder:
        source, target = folder / "jobs.txt", folder / "jobs.swf"
        return try_each("a line feed in job names", cases, attempt)
