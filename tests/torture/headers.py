"""Headers: machine sizes, clocks and the synthetic mark, right or refused, whatever their spelling."""

import os
import re
import warnings
from contextlib import contextmanager

import numpy as np
import pandas as pd

import simlib
from simlib import ArchiveError, SWFError, Workload, read_swf, write_swf
from simlib.logs import archive
from simlib.models import twin

from .attack import folder_for_files, try_each, try_random

JOB = "1 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
REFUSED = None

SIZES = {
    # the header's lines: what the machine's size may be read as
    "; MaxProcs: 128": {128},
    ";MaxProcs:128": {128},
    ";\tMaxProcs :\t128  ": {128},
    "; MaxProcs: 128 (some note)": {128},
    "; MaxProcs: 1024  nodes": {1024},
    "; MaxProcs: 338\n; MaxNodes: 400": {338},
    "; MaxNodes: 400 (352 in batch)": {400},
    "; MaxProcs: 0128": {128, REFUSED},
    "; MaxProcs: +128": {128, REFUSED},
    "; MaxProcs: 128(note)": {128, REFUSED},
    "; maxprocs: 128": {128, REFUSED},
    "; MaxProcs 128": {REFUSED},
    "; MaxProcs: 1,024": {REFUSED},
    "; MaxProcs: 1.024": {REFUSED},
    "; MaxProcs: 1 024": {REFUSED},
    "; MaxProcs: 1\t024": {REFUSED},
    "; MaxProcs: 1'024": {REFUSED},
    "; MaxProcs: 1_024": {1024, REFUSED},
    "; MaxProcs: 1\xa0024": {REFUSED},
    "; MaxProcs: 1\u2009024": {REFUSED},
    "; MaxProcs: 1e3": {REFUSED},
    "; MaxProcs: 1.5K": {REFUSED},
    "; MaxProcs: 2K": {REFUSED},
    "; MaxProcs: 2 K": {REFUSED},
    "; MaxProcs: 4x32": {REFUSED},
    "; MaxProcs: 4 x 32": {REFUSED},
    "; MaxProcs: 4 * 32": {REFUSED},
    "; MaxProcs: 4 nodes of 32": {REFUSED},
    "; MaxProcs: 4 (x 32)": {4, REFUSED},
    "; MaxProcs: 12.8": {REFUSED},
    "; MaxProcs: 128.0": {128, REFUSED},
    "; MaxProcs: 0x80": {REFUSED},
    "; MaxProcs: -1\n; MaxNodes: 64": {64, REFUSED},
    "; MaxProcs: 0\n; MaxNodes: 64": {64, REFUSED},
    "; MaxProcs: unknown\n; MaxNodes: 64": {REFUSED},
    "; MaxProcs: 1,024\n; MaxNodes: 64": {REFUSED},
    "; MaxProcs:\n; MaxNodes: 64": {64, REFUSED},
    "; MaxProcs: 64\n; MaxProcs: 128": {REFUSED},
    "; MaxProcs: 64\n; MaxProcs: 64": {64, REFUSED},
    "; MaxProcs: ١٢٨": {REFUSED},
    "; MaxProcs: 128²": {REFUSED},
    "; MaxProcs: 99999999999999999999": {REFUSED},
    "; MaxProcs: 9223372036854775808": {REFUSED},
    "; MaxProcs: <128": {REFUSED},
    "; MaxProcs: ~128": {REFUSED},
    "; MaxProcs: 100-128": {REFUSED},
    "; MaxProcs: 100 - 128": {REFUSED},
    "; MaxProcs: 100/128": {REFUSED},
    "; MaxProcs: 128 / 130": {REFUSED},
    "; MaxProcs: 128;": {128, REFUSED},
    "; MaxProcs: 128, since 1997": {128, REFUSED},
    "; Note: MaxProcs: 128": {REFUSED},
    "; MaxProcsPerJob: 128": {REFUSED},
    "; Computer: a; MaxProcs: 128": {REFUSED},
}


def size_of(text, folder):
    """What `read_swf` takes for the machine's size; REFUSED where an SWFError asks for procs."""
    path = folder / "log.swf"
    path.write_text(text + "\n" + JOB, encoding="utf-8")
    try:
        return read_swf(path).procs
    except SWFError as error:
        if str(path) not in str(error) or "procs" not in str(error):
            raise ValueError(f"the error does not name the file, or ask for procs=: {error}") from None
        return REFUSED


def machine_sizes(plan):
    """Machine sizes as people spell them."""

    def attempt(text, allowed):
        found = size_of(text, folder)
        if found not in allowed:
            return f"read as {found}, expected {' or '.join(map(_in_words, sorted(allowed, key=str)))}"

    with folder_for_files() as folder:
        cases = {repr(text): (text, allowed) for text, allowed in SIZES.items()}
        return try_each("machine sizes in headers, as people spell them", cases, attempt)


def _in_words(size):
    return "an error that asks for procs=" if size is REFUSED else str(size)


def random_sizes(plan):
    """Machine sizes of random characters: only a plain whole number counts, text may follow."""
    characters = list("00112345689   ,.'kKeExX()-+/*_\t")

    def attempt(rng):
        text = "".join(rng.choice(characters, rng.integers(1, 9))).strip()
        found = size_of(f"; MaxProcs: {text}\n; MaxNodes: 77", folder)
        number = re.match(r"[0-9]+(?=[^0-9]|$)", text)
        if found is REFUSED:
            plain = re.fullmatch(r"[0-9]{1,9}( \([^()]*\))?", text) and int(number[0]) > 0
            return (f"MaxProcs: {text!r} is refused", "refused") if plain else None
        if found == 77 and not (number and int(number[0]) == 77):
            return (
                None
                if re.match(r"$|[-+]?0+(\s|\(|$)|-[0-9]+(\s|\(|$)", text)
                else (f"MaxProcs: {text!r}: MaxNodes is taken, unsaid", 77)
            )
        right = re.match(r"[+]?([0-9]+)(\s+[^0-9\s].*|\(.*)?$", text)
        right = right and found == int(right[1])
        return None if right else (f"MaxProcs: {text!r} is read as {found}", "other")

    with folder_for_files() as folder:
        return try_random("machine sizes of random characters", plan, 4000, attempt)


CLOCKS = {
    # UnixStartTime, TimeZoneString: the second that the log begins at, and the zone; None for an error or a warning
    ("1072911600", "Europe/Berlin"): (1072911600, "Europe/Berlin"),
    ("1072911600 (approximately)", "US/Pacific"): (1072911600, "US/Pacific"),
    ("-86400", "UTC"): (-86400, "UTC"),
    ("0", "UTC"): (0, "UTC"),
    ("1,072,911,600", "UTC"): None,
    ("1 072 911 600", "UTC"): None,
    ("1.0729116e9", "UTC"): None,
    ("1072911600.5", "UTC"): None,
    ("Thu Jan  1 00:00:00 2004", "UTC"): None,
    ("2004-01-01", "UTC"): None,
    ("2004 January 1", "UTC"): None,
    ("unknown", "UTC"): None,
    ("", "UTC"): None,
    ("99999999999999999999", "UTC"): None,
    ("1_072_911_600", "UTC"): None,
    ("1072911600", "Europe/Berlni"): None,
    ("1072911600", "europe berlin"): None,
    ("1072911600", "Europe/ Berlin"): None,
    ("1072911600", "Mars/Phobos"): None,
    ("1072911600", "3600"): None,
    ("1072911600", "GMT plus one"): None,
    ("1072911600", "?"): None,
    ("1072911600", ""): None,
}


def clocks(plan):
    """Start times and zones: right, or said to be unreadable when the log is read."""

    def attempt(start, zone, right):
        path.write_text(f"; MaxProcs: 8\n; UnixStartTime: {start}\n; TimeZoneString: {zone}\n{JOB}", encoding="utf-8")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                begun = read_swf(path).start
            except SWFError:
                begun = "refused"
        if right and begun != (expected := pd.Timestamp(right[0], unit="s", tz=right[1])):
            return f"found {begun}, expected {expected}"
        if right and str(begun.tz) != str(expected.tz):
            return f"found the zone {begun.tz}, expected {expected.tz}"
        if right is None and begun != "refused" and not said:
            return f"read as {begun} without a word, expected a warning"

    with folder_for_files() as folder:
        path = folder / "log.swf"
        cases = {
            f"UnixStartTime {start!r}, TimeZoneString {zone!r}": (start, zone, right)
            for (start, zone), right in CLOCKS.items()
        }
        return try_each("start times and time zones in headers, as people spell them", cases, attempt)


# The synthetic mark

LINES = [
    " Computer: SYNTHETIC machine",
    " Note: made of nothing",
    " Note: SYNTHETIC. Made up.",
    " note: synthetic",
    " MaxProcs: 5 (small)",
    " MaxProcs: 5\n; MaxProcs: 6",
    " UnixStartTime: yesterday",
    " TimeZoneString: Mars/Phobos",
    " TimeZoneString: Europe/Berlin",
    " MaxNodes: 3",
    "",
    " :",
    " Note",
    " Note: two\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
    " Note: a return\r1 2 3",
    " Note: \x00",
    " Note: caf\xe9 \u20ac",
    " Note: \ud800",
    "; Note: twice",
    " Note: \x0bvertical",
]


def marks(plan):
    """Headers of all sorts, synthetic or not, with clocks, written and read back."""
    zones = ["UTC", "Europe/Berlin", "US/Pacific", "America/St_Johns", "+01:00", None]
    seconds = [0, -(10**9), 1072911600, 1072911600.25, 2**33]

    def attempt(rng):
        header = [LINES[k] for k in rng.integers(len(LINES), size=rng.integers(0, 4))]
        start = pd.Timestamp(rng.choice(seconds), unit="s", tz="UTC")
        zone = zones[rng.integers(len(zones))]
        start = start.tz_convert(zone) if zone else None
        jobs = pd.DataFrame({"submit": [0, 5], "run": [10, 0], "procs": [1, 3]})
        made_up = bool(rng.integers(2))
        workload = Workload(jobs, int(rng.integers(3, 9)), start=start, header=header, synthetic=made_up)
        said = f"header {header}, synthetic {made_up}, start {start}"
        try:
            write_swf(workload, path)
        except ValueError:
            return None
        except Exception as error:
            return f"{said}: {type(error).__name__} comes out of write_swf: {error}", type(error)
        try:
            again = read_swf(path)
        except SWFError as error:
            return f"{said}: written, and refused when read: {str(error).removeprefix(str(path))}", "refused"
        if made_up and not again.synthetic:
            return f"{said}: the mark has come off", "mark"
        if not again.equals(workload):
            return f"{said}: found {again!r} from {again.start}, expected {workload!r}", "another"

    with folder_for_files() as folder:
        path = folder / "log.swf"
        return try_random(
            "headers of all sorts, half of them of made-up jobs, written and read back", plan, 2000, attempt
        )


def made_up_logs(plan):
    """What is made up stays so through what can be done with it, and through files."""
    made = sample_workload()
    steps = {
        "as it is": lambda w: w,
        "selected": lambda w: w.select("procs > 1"),
        "scaled": lambda w: w.scale_load(0.9),
        "shaken": lambda w: w.shake(60, 1),
        "other estimates": lambda w: w.with_estimates("exact"),
        "derived": lambda w: w.derive(w.jobs.head(9), "first"),
        "simulated": lambda w: simlib.simulate(w, simlib.EASY()),
        "a month": lambda w: w.months("2026-01"),
    }
    sources = {"sample": simlib.load("sample"), "made": made}
    sources |= {name: twin.workload(name) for name in _twins()[:2]}

    def attempt(workload, step):
        for ending in ("swf", "swf.gz"):
            path = folder / f"log.{ending}"
            try:
                changed = step(workload)
            except ValueError:  # no such month
                continue
            write_swf(changed, path)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                again = read_swf(path)
                write_swf(again, path)
                twice = read_swf(path)
            if not (again.synthetic and again.stand_in and twice.synthetic):
                return f"the mark has come off in .{ending}"

    with folder_for_files() as folder:
        cases = {f"{name}, {how}": (w, step) for name, w in sources.items() for how, step in steps.items()}
        return try_each("made-up workloads, changed, written and read back: the mark stays", cases, attempt)


def sample_workload():
    """A few made-up jobs that know of no file."""
    jobs = pd.DataFrame({"submit": np.arange(30) * 60, "run": 100, "procs": np.arange(30) % 5 + 1})
    return Workload(jobs, 8, "few", synthetic=True, start=pd.Timestamp("2026-01-01", tz="UTC"))


def _twins():
    return [name for name in archive.catalogue()["logs"] if name != "sample" and archive.has_twin(name)]


def impostors(plan):
    """A twin in the place of each file of the catalogue, under its name in a SIMLIB_TRACES folder, is refused."""

    def attempt(name, file, layout):
        path = folder / file.file
        workload = twin.workload(name)
        lines = file.lines or 200
        jobs = workload.log.iloc[np.arange(lines) % len(workload.log)] if lines < 100_000 else None
        if jobs is None:
            return None  # too long to write for every file
        jobs = jobs.assign(job=np.arange(1, lines + 1), submit=np.sort(jobs.submit.to_numpy()))
        text = jobs[list(simlib.logs.swf.FIELDS)].to_csv(sep=" ", header=False, index=False, lineterminator="\n")
        path.write_text(layout.format(procs=workload.procs, jobs=text), encoding="utf-8")
        with _traces(folder):
            try:
                found = simlib.load(name, file.variant)
            except ArchiveError as error:
                return (
                    None if str(path) in str(error) and "\n" not in str(error) else f"refused in other words: {error}"
                )
            finally:
                path.unlink()
        return f"taken for the {file.variant} log: {found!r}"

    layouts = {
        "mark above the jobs": "; Note: SYNTHETIC, a twin\n; MaxProcs: {procs}\n{jobs}",
        "mark below the jobs": "; MaxProcs: {procs}\n{jobs}; Note: SYNTHETIC, a twin\n",
        "mark in the second note": "; Note: a log\n;Note:SYNTHETIC\n; MaxProcs: {procs}\n{jobs}",
    }
    with folder_for_files() as folder:
        cases = {}
        for name in _twins():
            for file in archive.files(name):
                usual = file.lines is not None and file.sha256 is not None
                for how, layout in list(layouts.items())[: 1 if usual else None]:
                    cases[f"{name}, {file.variant}, {how}"] = (name, file, layout)
        return try_each("twins under the names of real logs, in a SIMLIB_TRACES folder, are refused", cases, attempt)


@contextmanager
def _traces(folder):
    """Let SIMLIB_TRACES name a folder."""
    before = os.environ.get("SIMLIB_TRACES")
    os.environ["SIMLIB_TRACES"] = str(folder)
    try:
        yield
    finally:
        os.environ.pop("SIMLIB_TRACES")
        if before is not None:
            os.environ["SIMLIB_TRACES"] = before
