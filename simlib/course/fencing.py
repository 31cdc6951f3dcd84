"""Limit what a process may use and reach: time, memory, files, and, where the system can, signals and the network.

The limits are those of setrlimit(2). Beyond them Linux has Landlock: a process gives up the right to write anywhere but
in its own folder (from Linux 5.13 on), to connect to others by TCP (6.7), and to send signals to others (6.12). No
privilege is needed, and its children have given up the same. Elsewhere there are only the limits.
"""

import ctypes
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from pathlib import Path

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
    """Give up the right to write outside of a folder, and as much more as the system knows of.

    Raises
    ------
    OSError
        Where the system has Landlock, and refuses it.
    """
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
