"""Find the study's files, in a checkout beside the package or else in the installed package and the user's cache.

And write files so that they appear at once and whole.
"""

import errno
import hashlib
import os
import platform
import shutil
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

_PACKAGE = Path(__file__).resolve().parent.parent
CHECKOUT = _PACKAGE.parent if (_PACKAGE.parent / "data" / "archive.toml").exists() else None

ROOT = CHECKOUT or Path.cwd()
"""The folder that `figures/` and `build/` are written to: the checkout, else the current folder."""

DATA = CHECKOUT / "data" if CHECKOUT else _PACKAGE / "data"
"""The catalogue, the published numbers, fitted parameters and samples."""

TEACHING = CHECKOUT / "notebooks" / "teaching" if CHECKOUT else _PACKAGE / "data" / "teaching"
"""The notebooks of the course."""

if CHECKOUT:
    TRACES = CHECKOUT / "data" / "traces"
else:
    from pooch import os_cache  # slow to import

    TRACES = Path(os_cache("simlib"))
"""Where downloaded logs are kept: in a checkout beside the data, else in the user's cache, as the system has it."""

OLD = 86400
"""Seconds after which a temporary folder is left over that may be another machine's."""

_SUFFIX = ".simlib"
_OWNER = ".simlib-owner"


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; its file replaces `path` when the block succeeds, else it is removed.

    So nobody ever sees half a file. A replaced file keeps its mode; a new one gets the mode that the umask allows. If
    `path` is a link, the file that it points to is replaced. The file is on the disk before it appears.
    """
    target = Path(os.path.realpath(path))
    _stat(path)  # rather now than when all is computed
    target.parent.mkdir(parents=True, exist_ok=True)
    with temporary(target.parent, target.name) as folder:
        new = folder / Path(path).name  # not the name of what a link points to, for endings have a meaning
        yield new
        _match_and_flush(new, _stat(target) or (folder / _OWNER).stat())
        os.replace(new, target)
        with suppress(OSError):  # wait until the name is on the disk, too, where the system can do that
            handle = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def refuse_unwritable(target: str | Path, *sources: str | Path) -> None:
    """Raise if a file cannot be written later, or would overwrite one of its sources; leave nothing behind."""
    for source in sources:
        with suppress(OSError):
            if os.path.samefile(source, target):
                raise ValueError(f"{target}: found the file to write to be the one that is read, expected another")
    _stat(target)
    folder = Path(os.path.realpath(target)).parent
    while not folder.exists():
        folder = folder.parent
    tempfile.TemporaryFile(dir=folder).close()


def _stat(path: str | Path) -> os.stat_result | None:
    """Ask the system about a file; None if there is none, OSError if it is not a file."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "found a folder or a device, expected a file or nothing", str(path))
    return status


def _match_and_flush(new: Path, model: os.stat_result) -> None:
    """Give a new file the mode of another, and its owner if permitted, and wait until it is on the disk."""
    with open(new, "rb+") as file:
        for owner in ((-1, model.st_gid), (model.st_uid, -1)):
            with suppress(OSError, AttributeError):  # Windows has no such thing
                os.chown(new, *owner)
        os.chmod(new, stat.S_IMODE(model.st_mode))
        os.fsync(file)


def write_sealed(path: str | Path, content: bytes) -> None:
    """Write a file for `read_sealed`: its first bytes are a digest of the rest."""
    with replacing(path) as new:
        new.write_bytes(hashlib.sha256(content).digest() + content)


def read_sealed(path: str | Path) -> bytes | None:
    """Read a file of `write_sealed`; None if there is none, or if it has changed since."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    size = hashlib.sha256().digest_size
    return data[size:] if hashlib.sha256(data[size:]).digest() == data[:size] else None


# Temporary folders


@contextmanager
def temporary(parent: str | Path, name: str) -> Iterator[Path]:
    """Give a new folder in `parent`; it is removed with its contents when the block ends, also by an error.

    First, it removes the temporary folders that killed processes of ours left there. A file in the folder names the
    machine on which the block runs, and is locked until the block ends. So the same machine recognises a left-over
    folder at once. Other machines, which may not see locks, recognise it after a day.
    """
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(_SUFFIX) and _is_left_over(entry):
                shutil.rmtree(entry.path, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=f".{name[:50]}.", suffix=_SUFFIX))  # names end at 255 bytes
    try:
        with open(folder / _OWNER, "xb", buffering=0) as owner:  # a network's file system keeps what is open
            if _locked(owner.fileno()):  # else another process is checking the folder: it counts as another machine's
                owner.write(_machine())
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_left_over(folder: os.DirEntry) -> bool:
    """Tell whether a temporary folder is ours and no process uses it; False where that is not known."""
    old = False
    try:
        status = folder.stat(follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        old = time.time() - status.st_mtime > OLD
        handle = os.open(Path(folder, _OWNER), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:  # killed before it was made, or about to make it, or gone meanwhile
        return old
    except (OSError, AttributeError):
        return False
    try:
        locked = _locked(handle)
        here = os.read(handle, 100) == _machine()
    finally:
        os.close(handle)
    return old if locked is None else locked and (here or old)


def _locked(handle: int) -> bool | None:
    """Lock an open file; False where another process has, None where files cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@cache
def _machine() -> bytes:
    """An identity of this machine since its start; no other machine has the same."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    except OSError:
        return platform.node().encode()


def end_tidily() -> None:
    """Let SIGTERM end the process as `sys.exit` does, so that no temporary folder remains; for command lines."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
