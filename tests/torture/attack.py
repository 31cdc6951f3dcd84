"""What all attacks share: how many random cases, what was tried, the smallest case that fails, other processes."""

import os
import subprocess
import sys
import tempfile
import time
import warnings
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
"""The checkout that is attacked."""

SHOWN = 5
"""How many failures of an attack are told; the others are counted."""


@dataclass(frozen=True)
class Tried:
    """A row of the table: what was tried, how often, and what failed, each as a short text."""

    what: str
    times: int
    failures: list[str]
    skipped: str = ""  # why it was not tried at all


@dataclass(frozen=True)
class Plan:
    """How much is tried.

    Parameters
    ----------
    seed : int
        Of all that is random.
    share : float
        Of the usual number of random cases.
    case : int, optional
        Only this one of the random cases, to run a failure again.
    """

    seed: int = 1
    share: float = 1.0
    case: int | None = None

    def numbers(self, usual):
        """The numbers of the random cases to try."""
        return range(max(1, round(usual * self.share))) if self.case is None else [self.case]

    def rng(self, case):
        """The random numbers of a case, which hang on no other one."""
        return np.random.default_rng([self.seed, case])


@dataclass
class Findings:
    """Failures while they are found: the first `shown` as they are told, of one sort only once."""

    texts: list = field(default_factory=list)
    sorts: set = field(default_factory=set)
    more: int = 0
    shown: int = SHOWN

    def add(self, text, sort=None):
        """Add a failure; further ones of the same `sort` are only counted."""
        if len(self.texts) < self.shown and (sort is None or sort not in self.sorts):
            self.texts.append(text)
            self.sorts.add(sort)
        else:
            self.more += 1

    def told(self):
        """All as a list of texts."""
        return self.texts + ([f"and {self.more:,} more"] if self.more else [])


def try_random(what, plan, usual, attempt):
    """Call `attempt(rng)` for many cases; it returns None, or what failed: a text, or a text and its sort.

    Whatever it raises has failed as well. Each failure names its case.
    """
    found, numbers = Findings(), plan.numbers(usual)
    for number in numbers:
        text, sort = _outcome(attempt, plan.rng(number))
        if text:
            found.add(f"{text} (--case {number})", sort)
    return Tried(what, len(numbers), found.told())


def try_each(what, cases, attempt):
    """Call `attempt(*arguments)` for every named case; it returns None, or what failed."""
    found = Findings(shown=len(cases))
    for name, arguments in cases.items():
        text, _ = _outcome(attempt, *arguments)
        if text:
            found.add(f"{name}: {text}")
    return Tried(what, len(cases), found.told())


def _outcome(attempt, *arguments):
    """What failed as text and sort; a text alone is its own sort."""
    try:
        found = attempt(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300], type(error)
    return found if isinstance(found, tuple) else (found, found)


def smallest(pieces, fails):
    """The pieces (lines, bytes, jobs) without which `fails(pieces)` no longer holds; ever shorter runs are left out.

    It gives up after half a minute, with what it has by then.
    """
    pieces, length = list(pieces), max(len(pieces) // 2, 1)
    end = time.monotonic() + 30
    while True:
        k = 0
        while k < len(pieces) and time.monotonic() < end:
            shorter = pieces[:k] + pieces[k + length :]
            if shorter and fails(shorter):
                pieces = shorter
            else:
                k += length
        if length == 1:
            return pieces
        length //= 2


@contextmanager
def folder_for_files():
    """A temporary folder; what warns of a log's own words is not printed."""
    with tempfile.TemporaryDirectory(prefix="torture-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield Path(folder)


def python(code, *arguments, cwd=ROOT, timeout=120, before=(), **environment):
    """Run Python code in a process of its own, with the package of `cwd`.

    Parameters
    ----------
    code : str
    *arguments
        In `sys.argv`.
    cwd : Path
    timeout : float
        Seconds.
    before : sequence of str
        A command that runs Python, such as `unshare --mount`.
    **environment
        Variables to set; None takes one away.

    Returns
    -------
    CompletedProcess
        With return code 124 where it took too long.
    """
    command = [*before, sys.executable, "-c", code, *map(str, arguments)]
    try:
        return subprocess.run(
            command, cwd=cwd, env=environ(cwd, **environment), capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired as error:
        return subprocess.CompletedProcess(command, 124, _text(error.stdout), f"no end within {timeout} s")


def environ(root, **changes):
    """The environment of a process that uses the package of `root`; None takes a variable away."""
    known = os.environ | {"PYTHONPATH": str(root)} | changes
    return {name: str(value) for name, value in known.items() if value is not None}


def _text(output):
    return output.decode("utf-8", "replace") if isinstance(output, bytes) else output or ""


def last_line(process):
    """What a process said last, to tell a failure by."""
    said = (process.stderr or process.stdout or "").strip().splitlines()
    return f"exit {process.returncode}: {said[-1][:200] if said else 'nothing said'}"


def bomb(kind, mebibytes):
    """A small gzip file of a large content: a block of 1 MiB compressed once, and repeated."""
    block = {"blanks": b" " * 2**20, "zeros": bytes(2**20), "comments": b"; x\n" * 2**18, "lines": b"\n" * 2**20}[kind]
    press, check = zlib.compressobj(9, wbits=-15), 0
    once = press.compress(block) + press.flush(zlib.Z_FULL_FLUSH)  # from here on it begins anew
    for _ in range(mebibytes):
        check = zlib.crc32(block, check)
    size = mebibytes * 2**20 % 2**32
    head, tail = b"\x1f\x8b\x08" + bytes(6) + b"\xff", b"\x03\x00"  # tail: an empty last block
    return head + once * mebibytes + tail + check.to_bytes(4, "little") + size.to_bytes(4, "little")
