"""Limit what a process may use and reach: time, memory, files, and, where the system can, signals and the network.

The limits are those of setrlimit(2). Beyond them Linux has Landlock: a process gives up the right to write anywhere but
in its own folder (from Linux 5.13 on), to connect to others by TCP (6.7), and to send signals to others (6.12). No
privilege is needed, and its children have given up the same. Elsewhere there are only the limits.
"""

import ctypes
import gc
import os
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from ..._util import paths

# Run pieces of work in processes of their own, several at a time, within limits of time and memory.


MOST_PROCESSES = 64
"""So many processes may belong to a piece of work."""

SHARED = 0.5
"""GB that a process has from the beginning, at most."""

LOOK = 0.05
"""Seconds between two looks at what runs."""

Work = Callable[[Path], object]
"""What is done in the new process; its folder is the only place where it can leave something."""


class Limits(NamedTuple):
    """What a process may use: seconds by the clock, and GB of memory."""

    seconds: float
    memory: float


class Ended(NamedTuple):
    """How a process ended: `why` is "done", "out of time", "out of memory" or "failed"."""

    why: str
    sentence: str
    seconds: float


@dataclass
class _Running:
    folder: Path
    limits: Limits
    done: Callable[[Ended, Path], None]
    since: float
    killed: tuple[str, str] | None = None


class _Seen(NamedTuple):
    """What the system tells of a process."""

    parent: int
    session: int


class Pool:
    """Run pieces of work, at most `most` at a time; what they leave behind vanishes after `done` has looked at it."""

    def __init__(self, most: int, folder: Path) -> None:
        self._most, self._folder = most, folder
        self._known = {pid for pid, one in _seen().items() if one.parent == os.getpid()}  # none of ours
        self._waiting: deque[tuple[Work, Limits, Callable[[Ended, Path], None]]] = deque()
        self._running: dict[int, _Running] = {}

    def add(self, work: Work, limits: Limits, done: Callable[[Ended, Path], None], first: bool = False) -> None:
        """Let a piece of work be done, and `done` be called when it is; `first` before all that wait."""
        (self._waiting.appendleft if first else self._waiting.append)((work, limits, done))

    def run(self) -> None:
        """Do all that waits, and what `done` adds to it."""
        looked = 0.0
        try:
            while self._waiting or self._running:
                while self._waiting and len(self._running) < self._most:
                    self._start(*self._waiting.popleft())
                time.sleep(LOOK)
                if time.monotonic() - looked > 2 * LOOK:
                    self._look_around()
                    looked = time.monotonic()
                self._reap()
        finally:
            for pid in list(self._running):
                self._kill(pid)
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)
            self._running = {}
            self._kill_strays(_seen())

    def _start(self, work: Work, limits: Limits, done: Callable[[Ended, Path], None]) -> None:
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the threads of BLAS do nothing meanwhile
            pid = os.fork()
        if not pid:
            _work(work, folder, limits)
        self._running[pid] = _Running(folder, limits, done, time.monotonic())

    def _reap(self) -> None:
        """Take leave of the processes that have ended."""
        for pid, one in list(self._running.items()):
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                continue
            self._kill(pid)  # what it started; as long as nobody waited for it, its number is no other's
            status = os.waitpid(pid, 0)[1]
            del self._running[pid]
            why, sentence = one.killed or _ended(one.folder, status, one.limits)
            one.done(Ended(why, sentence, time.monotonic() - one.since), one.folder)
            shutil.rmtree(one.folder, ignore_errors=True)

    def _look_around(self) -> None:
        """End what has run too long, or has too much memory or too many processes; and what nobody owns any more."""
        seen, now = _seen(), time.monotonic()
        for pid, one in self._running.items():
            family = _family(pid, seen)
            if now - one.since > one.limits.seconds:
                one.killed = "out of time", f"it was stopped after {one.limits.seconds:g} s"
            elif len(family) > MOST_PROCESSES:
                one.killed = "failed", f"it started more than {MOST_PROCESSES} processes"
            elif sum(map(_memory, family)) > (one.limits.memory + SHARED) * GB:
                one.killed = "out of memory", f"it needed more than {one.limits.memory:g} GB"
            if one.killed:
                self._kill(pid)
        self._kill_strays(seen)

    def _kill(self, pid: int) -> None:
        """End a process with all that it started."""
        for _ in range(20):
            family = [each for each in _family(pid, _seen()) if each != os.getpid()]
            for number in (signal.SIGSTOP, signal.SIGKILL):  # who is stopped starts no others meanwhile
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, number)
                for each in family:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(each, number)
            if not set(family) - {pid}:
                return

    def _kill_strays(self, seen: dict[int, _Seen]) -> None:
        """End the processes that fell to us when their parents ended."""
        me = os.getpid()
        for pid, one in seen.items():
            if one.parent == me and pid not in self._running and pid not in self._known:
                for each in _family(pid, seen):
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(each, signal.SIGKILL)
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)


DONE = "done"
"""A file by which a process says that it has done all its work."""


def _work(work: Work, folder: Path, limits: Limits) -> NoReturn:
    """Do a piece of work in the new process, and end it whatever happens."""
    try:
        die_with_parent()
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        _close_all()
        os.chdir(folder)
        os.environ.update(HOME=str(folder), TMPDIR=str(folder), IPYTHONDIR=str(folder))
        tempfile.tempdir = str(folder)
        limit(limits.seconds, limits.memory)
        enclose(folder)
        mine = os.getpid()
        work(folder)
        if os.getpid() == mine:
            (folder / DONE).touch()
    finally:
        os._exit(0)


def _close_all() -> None:
    """Close what the parent has open; nothing is read, and nothing that is printed is kept."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in range(3):
        os.dup2(nothing, handle)
    os.closerange(3, 1024)
    sys.stdin, sys.stdout, sys.stderr = (open(0), open(1, "w"), open(2, "w"))


def _seen() -> dict[int, _Seen]:
    """Ask the system for all processes, by their numbers; where it does not tell, for none."""
    found = {}
    with suppress(OSError), os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    with open(f"/proc/{entry.name}/stat", "rb") as file:
                        told = file.read().rpartition(b")")[2].split()
                    if told[0] not in b"ZX":
                        found[int(entry.name)] = _Seen(int(told[1]), int(told[3]))
    return found


def _memory(pid: int) -> int:
    """Ask how many bytes a process has to itself; what it shares counts in part."""
    with suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/smaps_rollup", "rb") as file:
        return 1024 * int(file.read().partition(b"\nPss:")[2].split()[0])
    return 0


def _ended(folder: Path, status: int, limits: Limits) -> tuple[str, str]:
    """Tell how a process ended that nobody stopped."""
    if (folder / DONE).exists():
        return "done", ""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return "out of time", f"it was stopped after {limits.seconds:g} s"
    return "failed", "its process ended before the notebook did"


def _family(pid: int, seen: dict[int, _Seen]) -> set[int]:
    """Find a process, its session, and all that descend from them."""
    family = {each for each, one in seen.items() if each == pid or one.session == pid}
    while True:
        more = {each for each, one in seen.items() if one.parent in family} - family
        if not more:
            return family
        family |= more


@contextmanager
def pool(most: int) -> Iterator[Pool]:
    """Give a pool with a folder that vanishes with it."""
    adopt_orphans()
    gc.collect()
    gc.freeze()  # so that the children share the memory of what is here
    with paths.temporary(tempfile.gettempdir(), "grading") as folder:
        yield Pool(most, folder)


GB = 2**30

UNFENCED = (
    "This system cannot keep notebooks from all that they could do with your rights, such as writing files or ending "
    "programs: see docs/teaching/grading.md."
)
"""What is said where Landlock is missing or old."""

FILE = 64 * 2**20
"""Bytes that a file may have which the process writes."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NO_NEW_PRIVILEGES, _DIE_WITH_PARENT, _ADOPT_ORPHANS = 38, 1, 36
_WRITE_FILE, _READS = 1 << 1, (1 << 0) | (1 << 2) | (1 << 3)  # execute, read a file, read a folder
_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""From which version of Landlock on it knows how many rights of files."""


def limit(seconds: float, memory: float) -> None:
    """Limit this process and each of its children to twice as many seconds of processor time, for those by the clock
    are counted elsewhere, and to so much more memory, in GB."""
    _lower(resource.RLIMIT_CPU, int(2 * seconds) + 1)
    _lower(resource.RLIMIT_FSIZE, FILE)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_AS, _address_space() + int(memory * GB))


def _lower(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with suppress(ValueError, OSError):  # macOS knows some by name only
        resource.setrlimit(which, (value, value))


def _address_space() -> int:
    """How much this process has already: what it shares with its parent, most of it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def die_with_parent() -> None:
    """Let the system end this process when its parent ends, however that does."""
    _prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def adopt_orphans() -> None:
    """Let this process become the parent of its children's children whose parents ended, so that it can end them."""
    _prctl(_ADOPT_ORPHANS, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def version() -> int:
    """Ask the system for its version of Landlock: 0 for none, from 4 on for TCP, from 6 on for signals too."""
    if sys.platform != "linux":
        return 0
    return max(0, ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, 1))


def enclose(folder: Path) -> None:
    """Give up the right to write outside of a folder, and as much more as the system knows of."""
    known, system = version(), ctypes.CDLL(None, use_errno=True)
    if not known:
        return
    every = (1 << max(count for since, count in _RIGHTS.items() if since <= known)) - 1
    ruled = struct.pack("=QQQ", every & ~_READS, 3 if known >= 4 else 0, 3 if known >= 6 else 0)
    ruled = ruled[: 24 if known >= 6 else 16 if known >= 4 else 8]
    rules = system.syscall(_CREATE_RULESET, ruled, ctypes.c_size_t(len(ruled)), 0)
    if rules < 0:
        raise OSError(ctypes.get_errno(), "Landlock refuses its rules")
    for path, rights in ((folder, every & ~_READS), (Path(os.devnull), _WRITE_FILE)):
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        system.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", rights, handle), 0)
        os.close(handle)
    system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if system.syscall(_RESTRICT_SELF, rules, 0):
        raise OSError(ctypes.get_errno(), "Landlock is refused")
    os.close(rules)
