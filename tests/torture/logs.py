"""Damaged logs against an independent reader of the Standard Workload Format, slow and obvious.

`expected` is written from the format's definition and from what `simlib.logs.swf` says in its docstrings; it shares no
code with it. Either both read the same table, or `read_swf` raises an SWFError that names the file and the first bad
line.
"""

import gzip
import json
import math
import os
import re
import zlib

from simlib import SWFError, read_swf, write_swf
from simlib.logs import swf

from .attack import bomb, folder_for_files, last_line, python, smallest, try_each, try_random

FIELDS = 18
LARGEST = 2**53 - 1
MACHINE = 64

# Columns of a job line, from 0
JOB, SUBMIT, RUN, PROCS, REQUESTED_PROCS, REQUESTED_TIME = 0, 1, 3, 4, 7, 8
STATUS, USER, GROUP, APP, QUEUE = range(10, 15)


class BadLine(Exception):
    """A text that is no log; of its first bad line, 0 where it is not one line's fault."""

    def __init__(self, number):
        self.number = number


# The independent reader


def expected(data):
    """The comments and job lines of a text in bytes, each a list of 18 or more floats; BadLine where it is no log."""
    if b"\0" in data:
        raise BadLine(0)
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    comments, rows = [], []
    for number, line in enumerate(lines_of(data.decode("latin-1")), start=1):
        before, semicolon, _ = line.partition(";")
        words = words_of(before)
        if semicolon and not words:
            comments.append(line[line.index(";") + 1 :].rstrip(" \t"))
        if words:
            if len(words) != (len(rows[0]) if rows else min(max(len(words), FIELDS), 2 * FIELDS - 1)):
                raise BadLine(number)
            rows.append([number_of(word, number) for word in words])
    if not rows:
        raise BadLine(0)
    return [comment.encode("latin-1").decode("utf-8", "replace") for comment in comments], rows


def lines_of(text):
    """The lines of a text: they end with LF, CR LF or CR; VT and FF are white space."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\v", " ").replace("\f", " ")
    return text.split("\n")


def words_of(text):
    return [word for word in text.replace("\t", " ").split(" ") if word]


def number_of(word, line):
    """A decimal number as people write it: digits, at most one point, at most one exponent."""
    if not re.fullmatch(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?", word):
        raise BadLine(line)
    value = float(word)
    if math.isinf(value) or abs(value) > LARGEST:
        raise BadLine(line)
    return value


def expected_jobs(rows, machine):
    """The jobs that take part, (number, submit, run, procs, estimate, user, group, app, queue, status) by arrival."""
    unique = len({row[JOB] for row in rows}) == len(rows)
    whole = [[round(value) for value in row] for row in rows]
    allocated = any(row[PROCS] > 0 for row in whole)
    jobs = []
    for line, row in enumerate(whole):
        size = row[PROCS] if allocated else row[REQUESTED_PROCS]
        estimate = row[REQUESTED_TIME] if row[REQUESTED_TIME] > 0 else row[RUN]
        number = rows[line][JOB] if unique else line + 1
        if row[RUN] >= 0 and 0 < size <= machine:
            named = (row[USER], row[GROUP], row[APP], row[QUEUE], row[STATUS])
            jobs.append((row[SUBMIT], line, (number, row[SUBMIT], row[RUN], size, estimate, *named)))
    return [job for _, _, job in sorted(jobs)]


def expected_text(data):
    """The text of a plain or gzip-compressed file; BadLine where the compression is damaged."""
    text = b""
    while data.startswith(b"\x1f\x8b"):
        member = zlib.decompressobj(wbits=31)
        try:
            text += member.decompress(data)
        except zlib.error:
            raise BadLine(0) from None
        if not member.eof:
            raise BadLine(0)
        data = member.unused_data.lstrip(b"\0")
        if data and not data.startswith(b"\x1f\x8b"):
            raise BadLine(0)
    return text or data


# What is compared


def difference(data, path, read=read_swf, read_log=swf.read_log):
    """What `read` makes of these bytes that it should not; None where it is right to read or to refuse them."""
    path.write_bytes(data)
    try:
        comments, rows = expected(text := expected_text(data))
        bad = None
    except BadLine as fault:
        bad = fault.number
    try:
        header, log = read_log(path)
        workload = read(path, procs=MACHINE)
    except SWFError as error:
        if bad is None:
            return f"a right log is refused: {str(error).removeprefix(str(path))}", "refused"
        return _wrongly_told(str(error), path, bad)
    except Exception as error:
        return f"{type(error).__name__} comes out: {str(error)[:100]}", type(error)
    if bad is not None:
        return f"line {bad} is bad, but the file is read: {log.to_numpy().tolist()}"[:300], "accepted"
    if list(header) != comments:
        return f"comments: found {header!r}, expected {comments!r}"[:300], "comments"
    found = log.to_numpy(dtype=float).tolist()
    if found != rows:
        return _first_difference(found, rows, text), "numbers"
    return _jobs_difference(workload, expected_jobs(rows, MACHINE))


def _wrongly_told(message, path, bad):
    if str(path) not in message:
        return f"the error does not name the file: {message[:200]}", "file not named"
    if bad and f"line {bad}:" not in message:
        return f"line {bad} is bad, the error says: {message.removeprefix(str(path))[:200]}", "other line"
    return None


def _first_difference(found, rows, text):
    if len(found) != len(rows):
        return f"found {len(found)} job lines, expected {len(rows)}"
    for line, (ours, theirs) in enumerate(zip(rows, found, strict=True), start=1):
        for field, (right, wrong) in enumerate(zip(ours, theirs, strict=True), start=1):
            if right != wrong:
                return f"job line {line} field {field}: found {wrong!r}, expected {right!r}"
    return "shapes differ"


def _jobs_difference(workload, jobs):
    table = workload.jobs
    columns = ["submit", "run", "procs", "estimate", "user", "group", "app", "queue", "status"]
    found = list(zip(table.index.tolist(), *(table[name].tolist() for name in columns), strict=True))
    if [tuple(map(float, job)) for job in found] != [tuple(map(float, job)) for job in jobs]:
        return f"jobs: found {found}, expected {jobs}"[:400], "jobs"
    return None


# What is done to logs

NUMBERS = """
0 -1 1 007 +7 -0 1.0 2.5 3.5 0.5 -0.5 .5 5. 1e3 1E+2 1e-2 25e-1 1.e1 9007199254740991 9007199254740992
-9007199254740991 9007199254740993 1e15 1e16 99999999999999999999 1e308 1e309 1e-400 0.1 123456.789 4.35
1234567890.123456789 0.49999999999999999 1.4999999999999999 4503599627370497.5 12345678901234567890.5
7.0000000000000001 3e0 nan NaN inf -inf Infinity NA N/A NULL None -nan 1_000 0x10 0b1 1,000 1,5 --3 +-1 - + .
e5 1e 1e+ 1.2.3 1d5 True False true "5" '5' 5L 1/2 1:2 5% $5 #5 1- 2147483648 4294967296 18446744073709551616
abc
\u00b2 \u0661
""".split()

NOISE = [b"\0", b"\t", b" ", b"  ", b"\n", b"\r", b"\r\n", b"\n\n", b"\v", b"\f", b";", b"; ", b"\xef\xbb\xbf", b"\x1a"]
NOISE += [b"\xff", b"\x85", b"\xa0", b"\x1c", b"\\", b'"', b"'", b",", b"#", b"-", b"+", b".", b"e", b"1", b"9" * 30]

COMMENTS = [b";", b"; Note: made up", b"  ; indented", b"\t;", b";;;", b"; MaxProcs: 5", b"; 1 2 3", b"; caf\xe9"]
COMMENTS += [
    b"; \xef\xbb\xbf",
    b'; "quoted',
    b";" + b"x" * 300,
    b"; Note: \xe2\x82\xac ",
    b"# no comment",
    b"% no comment",
]


def small_log(rng):
    """The lines of a small log, with a header of some lines."""
    header = [b"; Version: 2.2", b"; MaxProcs: 64", b"; UnixStartTime: 0"][: rng.integers(0, 4)]
    rows, submit = [], 0
    for number in range(1, rng.integers(1, 9) + 1):
        submit += int(rng.integers(0, 50))
        run, size = int(rng.integers(0, 200)), int(rng.integers(1, 80))
        known = [number, submit, int(rng.integers(-1, 30)), run, size, -1, -1, size, int(rng.choice([-1, 0, run, 300]))]
        names = rng.integers(-1, 9, 7).tolist()
        rows.append(" ".join(map(str, [*known, -1, *names, -1])).encode())
    return header + rows


def damaged(rng):
    """The bytes of a small log to which some things have happened."""
    lines = small_log(rng)
    for _ in range(rng.integers(0, 4)):
        rng.choice([odd_number, odd_number, other_field_count, comment, odd_line, doubled])(rng, lines)
    data = rng.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r"]).join(lines) + rng.choice([b"", b"\n", b"\n\n", b" "])
    for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
        data = damaged_bytes(rng, data)
    return rng.choice([b"", b"", b"", b"\xef\xbb\xbf", b" ", b"\n", b"\xef\xbb\xbf" * 2]) + data


def odd_number(rng, lines):
    k = rng.integers(len(lines))
    words = lines[k].split(b" ")
    words[rng.integers(len(words))] = str(rng.choice(NUMBERS)).encode()
    lines[k] = b" ".join(words)


def other_field_count(rng, lines):
    k = rng.integers(len(lines))
    words = lines[k].split(b" ")
    lines[k] = b" ".join(words[: rng.integers(len(words) + 1)] if rng.random() < 0.6 else [*words, b"7"])


def comment(rng, lines):
    text = COMMENTS[rng.integers(len(COMMENTS))]
    k = rng.integers(len(lines) + 1)
    if rng.random() < 0.5 and k < len(lines):
        lines[k] += rng.choice([b"", b" "]) + text
    else:
        lines.insert(k, text)


def odd_line(rng, lines):
    lines.insert(
        rng.integers(len(lines) + 1), rng.choice([b"", b" ", b"\t", b"\v", b"\f", b"\x1a", b"abc", b"1 2 3", b"-1"])
    )


def doubled(rng, lines):
    lines.append(lines[rng.integers(len(lines))])


def damaged_bytes(rng, data):
    """One byte changed, put in, taken out or moved."""
    at = int(rng.integers(len(data) + 1))
    noise = NOISE[rng.integers(len(NOISE))]
    kind = rng.integers(4)
    if kind == 0:
        return data[:at] + noise + data[at:]
    if kind == 1:
        return data[:at] + data[at + int(rng.integers(1, 6)) :]
    if kind == 2:
        return data[:at] + bytes([rng.integers(256)]) + data[at + 1 :]
    return data[:at] + noise + data[at + 1 :]


def damaged_gz(rng):
    """A small log, compressed, and the file damaged; or in several parts, which is right."""
    lines = small_log(rng)
    text = b"\n".join(lines) + b"\n"
    if rng.random() < 0.3:
        at = int(rng.integers(len(text)))
        data = gzip.compress(text[:at], mtime=0) + gzip.compress(text[at:], mtime=0)
        return data + rng.choice([b"", b"\0\0", b"rest"])
    data = gzip.compress(text, mtime=0)
    if rng.random() < 0.4:
        return data[: rng.integers(2, len(data) + 1)]
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(data)))
        data = data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]
    return data


# The attacks


def _reading(what, plan, usual, make):
    """Try many logs in a folder of their own; of each sort of failure the smallest case is looked for once."""
    shown = set()

    def attempt(rng):
        data = make(rng)
        found = difference(data, path)
        if found is None or found[1] in shown:
            return found
        shown.add(found[1])
        if data.startswith(b"\x1f\x8b"):
            return f"{found[0]}; file {data.hex()[:200]}", found[1]
        pieces = smallest(data.splitlines(keepends=True), _fails_alike(path, found[1]))
        data = b"".join(pieces)
        return f"{(difference(data, path) or found)[0]}; smallest case {data[:400]!r}", found[1]

    with folder_for_files() as folder:
        path = folder / "log.swf"
        return try_random(what, plan, usual, attempt)


def _fails_alike(path, sort):
    def fails(pieces):
        found = difference(b"".join(pieces), path)
        return found is not None and found[1] == sort

    return fails


def damaged_lines(plan):
    """Odd numbers, fields missing, comments anywhere, foreign bytes."""
    what = (
        "small logs with odd numbers, missing fields, comments anywhere, other line ends, foreign bytes, "
        "read by read_swf and by an independent reader"
    )
    return _reading(what, plan, 90_000, damaged)


def damaged_compression(plan):
    """Files cut short, with flipped bits, of several parts."""
    what = "gzip-compressed logs cut short, with flipped bits, in several parts, with a rest behind them"
    return _reading(what, plan, 10_000, damaged_gz)


def written_logs(plan):
    """What `write_swf` accepts reads back equal; otherwise nothing is written."""
    what = "workloads read from such logs, some with other estimates or a moved clock, written and read back"

    def attempt(rng):
        source.write_bytes(damaged(rng))
        target.unlink(missing_ok=True)
        try:
            workload = read_swf(source, procs=MACHINE)
        except SWFError:
            return None
        workload = changed(rng, workload)
        return round_trip(workload, target)

    with folder_for_files() as folder:
        source, target = folder / "log.swf", folder / "again.swf"
        return try_random(what, plan, 10_000, attempt)


def changed(rng, workload):
    """The workload, or one made from it."""
    kind = rng.integers(5)
    jobs = workload.jobs
    if kind == 0:
        return workload.with_estimates("exact")
    if kind == 1:
        return workload.derive(jobs.assign(estimate=rng.choice([-1, 0, 1, 50, 10**6], len(jobs))), "other estimates")
    if kind == 2:
        return workload.derive(jobs.assign(submit=jobs.submit + int(rng.choice([-(10**6), 2**53, 2**62]))), "moved")
    if kind == 3:
        return workload.select(rng.random(len(jobs)) < 0.5)
    return workload


def round_trip(workload, target):
    """What is wrong with how a workload is written; None where it reads back equal or is refused."""
    try:
        write_swf(workload, target)
    except ValueError as error:
        if list(target.parent.glob(f"*{target.name}*")):
            return f"refused ({error}), but a file is left", "left"
        return None
    except Exception as error:
        return f"{type(error).__name__} comes out of write_swf: {error}"[:200], type(error)
    try:
        again = read_swf(target)
    except SWFError as error:
        return f"written, and then refused by read_swf: {str(error).removeprefix(str(target))[:200]}", "refused"
    if not again.equals(workload) or len(again.dropped):
        found, right = (w.jobs.reset_index().head(3).to_dict("list") for w in (again, workload))
        differing = {name: (found[name], right[name]) for name in right if found.get(name) != right[name]}
        return f"reads back as another workload: found, expected {differing or again}"[:300], "another"
    return None


# Files that are none

OPENING = """
import json, resource, sys, warnings
warnings.simplefilter("ignore")
import simlib
path = sys.argv[1].replace("NUL", "\\0")
try:
    said = repr(simlib.read_swf(path, procs=4))
    kind = "taken"
except simlib.SWFError as error:
    said, kind = str(error), "SWFError"
print(json.dumps([kind, said, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024]))
"""

MEMORY = 3000
"""MiB that refusing a file may take."""


def odd_files(plan):
    """Paths that are no files, and files that unpack to gigabytes."""

    def attempt(path, make):
        make(path)
        process = python(OPENING, path, timeout=100)
        if process.returncode:
            return last_line(process)
        kind, said, peak = json.loads(process.stdout.splitlines()[-1])
        if kind == "taken" or "\n" in said:
            return f"{kind}: {said}"[:200]
        return f"takes {peak} MiB before it is refused" if peak > MEMORY else None

    def packed(kind):
        return lambda path: path.write_bytes(bomb(kind, 6000))

    def sparse(path):
        with open(path, "wb") as file:
            file.truncate(8 * 2**30)

    with folder_for_files() as folder:
        cases = {
            "a FIFO that nobody writes to": (folder / "fifo", os.mkfifo),
            "a folder": (folder / "folder", os.mkdir),
            "a link to itself": (folder / "link", lambda path: path.symlink_to(path)),
            "no file": (folder / "none", lambda path: None),
            "a NUL in the path": (folder / "aNULb", lambda path: None),
            "a name of 300 letters": (folder / ("x" * 300), lambda path: None),
            "a file as a folder": (folder / "file" / "log", lambda path: path.parent.write_bytes(b"")),
            "/dev/zero": ("/dev/zero", lambda path: None),
            "/dev/null": ("/dev/null", lambda path: None),
            "an empty file": (folder / "empty", lambda path: path.write_bytes(b"")),
            "8 GiB of zeros": (folder / "zeros", sparse),
            "6 GiB of blanks, packed": (folder / "blanks.gz", packed("blanks")),
            "6 GiB of comments, packed": (folder / "comments.gz", packed("comments")),
        }
        return try_each(
            "paths that are no files, files of gigabytes: refused in one line and little memory", cases, attempt
        )
