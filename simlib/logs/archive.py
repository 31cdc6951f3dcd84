"""Load a log by its path or its name in the catalogue: from this machine, else from the archive, else its twin.

A log of the catalogue is looked for in the folder `$SIMLIB_TRACES`, then among the downloads, then in the Parallel
Workloads Archive. Each file is verified before use: the number and the digest of its job lines, if they are known, and
that it is not made up. `$SIMLIB_ARCHIVE` names a mirror of the archive.
"""

import copy
import functools
import io
import os
import re
import threading
import time
import tomllib
import warnings
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._util import paths
from ..core.workload import Workload
from . import swf
from .doubts import LogWarning
from .files import SWFError

TIMEOUT = 20
"""Seconds without a byte after which a download is given up."""

LONGEST = 3600
"""Seconds after which it is given up, whatever comes."""

_UNPACKED = 10
"""How many times larger than its download may be the text of a log is expected to be at most."""

NOT_VERIFIED = "not verified: its digest is not known"


class ArchiveError(RuntimeError):
    """A log that is unknown, not available, or different from the catalogue's description."""


@dataclass(frozen=True)
class File:
    """Describe one file of a log: its name and variant, and the number and digest of its job lines, if they are known.

    `download` is whether the archive has it, `limit` the largest number of bytes that it may have.
    """

    file: str
    variant: str
    lines: int | None = None
    sha256: str | None = None
    download: bool = True
    limit: int = 0
    synthetic: bool = False

    @property
    def verified(self) -> bool:
        """Whether a digest identifies the file."""
        return self.sha256 is not None


def load(log: str | Path, variant: str | None = None) -> Workload:
    """Load a log as a Workload; if a log of the catalogue is not on this machine, download it from the archive.

    If the download fails, the log's twin, which is made up, replaces it, with a UserWarning once for each log. If the
    archive does not answer once, later calls do not try it again.

    Parameters
    ----------
    log : str or Path
        A name in the catalogue, such as "KTH-SP2"; `python -m simlib logs` lists them. Or the papers' name of such a
        log, "KTH"; this loads the whole log, not only the jobs that the papers use. Or the path of a file as for
        `simlib.read_swf`.
    variant : str, optional
        The variant of a log of the catalogue: "original", "cleaned" or "reconstructed" load only this variant, "twin"
        the synthetic one. By default the best available file.

    Returns
    -------
    Workload
        It has the catalogue's machine size, which for some logs differs from the header's.

    Raises
    ------
    ArchiveError
        If the log is unknown, or the papers use the name for several logs; if a file on this machine differs from the
        catalogue's description; if the requested variant, or a log without a twin, cannot be downloaded.
    SWFError
        If the file is not a log.

    Warns
    -----
    LogWarning
        As `simlib.read_swf`.

    Examples
    --------
    >>> import simlib
    >>> simlib.load("sample").procs
    128
    """
    name = path_or_name(log)
    if isinstance(name, Path):
        if variant is not None:
            raise ArchiveError(f"{log}: found variant {variant!r} of a file, expected none")
        workload, doubtful = swf.read(name)
    else:
        workload, doubtful = _of_catalogue(name, variant)
    for sentence in doubtful:
        warnings.warn(sentence, LogWarning, stacklevel=2)
    return workload


def path_or_name(log: str | Path) -> Path | str:
    """Find the path of a log's file, or the log's name in the catalogue, by a path, this name or the papers' name."""
    known, path = catalogue()["logs"], Path(log).expanduser()
    called = [str(log)] if str(log) in known else [name for name in _called().get(str(log), ()) if name in known]
    if len(called) == 1:
        return called[0]
    if called:
        raise ArchiveError(f"{log}: the papers call several logs so; expected one of {', '.join(called)}")
    if not path.exists():
        raise ArchiveError(
            f"{log}: found no such file, and no such name in the catalogue; expected the path of a log in the Standard "
            f"Workload Format (.swf, .swf.gz), or one of {', '.join(known)}"
        )
    return path


@functools.cache
def _called() -> dict[str, list[str]]:
    """By each name of the papers, the names of these logs in the catalogue."""
    names: dict[str, list[str]] = {}
    for table in sorted((paths.DATA / "settings").glob("*_logs.toml")):
        for row in tomllib.loads(table.read_text(encoding="utf-8"))["log"]:
            if "name" in row and "partition" not in row:  # the whole log
                names.setdefault(row["name"], []).append(row["log"])
    return names


def twin_of(name: str) -> Workload:
    """Make the twin of a log: `simlib` puts `models.twin.workload` here, from a room above this one."""
    raise ArchiveError(f"{name}: found no maker of twins, expected `import simlib` before")


def twin_table(name: str) -> Path:
    """The file of the parameters of a log's twin, if it has one."""
    return paths.DATA / "models" / "twins" / f"{name}.toml"


def has_twin(name: str) -> bool:
    """Tell whether a log has a twin."""
    return twin_table(name).exists()


_out_of_reach: set[str] = set()  # addresses
_warned: set[str] = set()  # names of logs


def _of_catalogue(name: str, variant: str | None) -> tuple[Workload, list[str]]:
    """Load a log of the catalogue, or its twin, and list what is doubtful about it."""
    if variant == "twin":
        return twin_of(name), []
    if here := find(name, variant):
        return read(name, *here)
    base = _base()
    try:
        if base in _out_of_reach:
            reason = "the archive could not be reached before, and was not asked again"
            raise Unreachable(f"{name}: {_public(base)}: {reason}")
        fetch(name, variant)
    except ArchiveError as error:
        if isinstance(error, Unreachable):
            _out_of_reach.add(base)
        if variant or not has_twin(name):
            raise
        if name not in _warned:
            _warned.add(name)
            best = files(name)[0].file
            message = (
                f"{name}: SYNTHETIC: using a made-up twin, for the log is not here and cannot be had ({error}). "
                f"To use the log: python -m simlib fetch {name}, or put {best} into a folder that SIMLIB_TRACES names"
            )
            warnings.warn(message, UserWarning, stacklevel=3)
        return twin_of(name), []
    if here := find(name, variant):
        return read(name, *here)
    raise ArchiveError(f"{name}: was fetched, and is not here any more")


# The catalogue, and its files on this machine and in the archive.


def catalogue() -> dict[str, Any]:
    """Read the catalogue `data/archive.toml` as a new dict: `base`, `citation`, and `logs` by name.

    Examples
    --------
    >>> "KTH-SP2" in catalogue()["logs"]
    True
    """
    return copy.deepcopy(_catalogue())


@functools.cache
def _catalogue() -> dict[str, Any]:
    return tomllib.loads((paths.DATA / "archive.toml").read_text(encoding="utf-8"))


def entry(name: str) -> dict[str, Any]:
    """Look up a log's entry in the catalogue; ArchiveError, which lists the known names, for an unknown one."""
    logs = catalogue()["logs"]
    if name not in logs:
        raise ArchiveError(f"no log {name!r} in the catalogue; known are {', '.join(logs)} (any file: simlib.read_swf)")
    return logs[name]


def files(name: str, variant: str | None = None) -> list[File]:
    """List the files of a log, best first; of one variant, if given."""
    about = entry(name)
    common = {"limit": about.get("limit", catalogue()["limit"]), "synthetic": about.get("synthetic", False)}
    every = [File(**common | file) for file in about["files"]]
    chosen = [file for file in every if variant in (None, file.variant)]
    if not chosen:
        raise ArchiveError(f"{name}: no variant {variant!r}; known are {', '.join(file.variant for file in every)}")
    return chosen


def find(name: str, variant: str | None = None) -> tuple[Path, File] | None:
    """Find the best file of a log on this machine and verify it; None if there is none.

    Raises
    ------
    ArchiveError
        For an unknown name or variant, or a file that differs from the catalogue's description.

    Examples
    --------
    >>> path, file = find("sample")
    >>> path.name, file.synthetic
    ('sample.swf.gz', True)
    """
    wanted, folders = files(name, variant), [paths.TRACES, paths.DATA / "samples"]
    if given := os.environ.get("SIMLIB_TRACES"):
        own = next((folder for folder in (Path(given), paths.ROOT / given) if os.path.isdir(folder)), None)
        if own is None:
            raise ArchiveError(f"SIMLIB_TRACES: found {given!r}, expected a folder that exists")
        folders.insert(0, own)
    for file in wanted:
        for folder in folders:
            path = folder / file.file
            if path.exists():
                verify(path, file)
                return path, file
    return None


def fetch(name: str, variant: str | None = None, progress: bool = False) -> Path:
    """Download the best file of a log from the archive, verify it, and keep it.

    Parameters
    ----------
    name, variant : str
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Path

    Raises
    ------
    ArchiveError
        With one line that gives the reason; no file is left behind.

    Examples
    --------
    >>> fetch("KTH-SP2")  # doctest: +SKIP
    PosixPath('data/traces/KTH-SP2-1996-2.swf.gz')
    """
    wanted, about = [file for file in files(name, variant) if file.download], entry(name)
    if not wanted or "folder" not in about:
        by_hand = "page" in about
        where = f"get it from {about['page']}: {about['how']}" if by_hand else f"see {paths.DATA / 'archive.toml'}"
        raise ArchiveError(f"{name}: {variant or 'this log'} cannot be downloaded; {where}")
    file = wanted[0]
    url = f"{_base().rstrip('/')}/{about['folder']}/{file.file}"
    target = paths.TRACES / file.file
    try:
        with paths.replacing(target) as path:
            _download(name, url, path, file.limit, progress)
            if fault := _fault(path, file):
                raise ArchiveError(f"{name}: {_public(url)}: {fault}")
    except OSError as error:
        raise ArchiveError(f"{name}: {_public(url)}: cannot be kept in {paths.TRACES}: {error.strerror}") from None
    return target


def _base() -> str:
    """The address of the archive, or of its mirror."""
    return os.environ.get("SIMLIB_ARCHIVE") or catalogue()["base"]


class Unreachable(ArchiveError):
    """The archive does not answer: trying another log is useless."""


def _public(url: str) -> str:
    """An address without name and password."""
    return re.sub(r"^(\w+://)?.*@", r"\1", url)


class _Bounded(io.BufferedWriter):
    """A new file that accepts slightly more than `limit` bytes, for at most `LONGEST`; then writing fails."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__(io.FileIO(path, "w"))
        self._limit, self._deadline = limit, time.monotonic() + LONGEST

    def write(self, block: Any) -> int:
        if time.monotonic() > self._deadline:
            raise TimeoutError
        size = super().write(block)
        if self.tell() > self._limit:
            raise _TooLarge
        return size


class _TooLarge(Exception):
    """The file is larger than a log may be."""


def _download(name: str, url: str, path: Path, limit: int, progress: bool) -> None:
    """Download a file of at most `limit` bytes; ArchiveError with the reason if that fails.

    A server can delay a header byte by byte. So a thread does all the work, and is abandoned after `LONGEST`.
    """
    import requests  # slow to import, and seldom needed
    import urllib3
    from pooch import HTTPDownloader

    shown = f"{name}: {_public(url)}"
    result: Future[None] = Future()

    def run() -> None:
        def heed(answer: requests.Response, **_: Any) -> None:
            answers.callback(answer.close)  # where it fails pooch leaves it open
            if answer.is_redirect:  # requests would read the text that comes with it, which may be endless
                answer.close()
                answer.raw = io.BytesIO()

        try:
            with _Bounded(path, limit) as file, ExitStack() as answers:
                HTTPDownloader(progress, timeout=TIMEOUT, hooks={"response": heed})(url, file, None)
            result.set_result(None)
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        result.result(LONGEST)
    except TimeoutError:
        raise ArchiveError(f"{shown}: the download was not done after {LONGEST} s") from None
    except _TooLarge:
        raise ArchiveError(f"{shown}: found more than {limit:,} bytes, expected a log that is smaller") from None
    except requests.HTTPError as error:
        status = getattr(error.response, "status_code", "with an error")
        raise ArchiveError(f"{shown}: the archive answered {status}") from None
    except requests.exceptions.ChunkedEncodingError:
        raise ArchiveError(f"{shown}: the archive broke off") from None
    except (requests.ConnectionError, requests.Timeout):
        raise Unreachable(f"{shown}: the archive cannot be reached, or does not answer") from None
    except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
        raise ArchiveError(f"{shown}: the download failed ({type(error).__name__})") from None


def verify(path: Path, file: File) -> None:
    """Compare a file with its description in the catalogue.

    ArchiveError if the number or the digest of its job lines differs, if it is no log, or if it says that it is made
    up.
    """
    if fault := _fault(path, file):
        raise ArchiveError(f"{path}: {fault}; remove it")


def _fault(path: Path, file: File) -> str | None:
    """Describe how a file differs from the catalogue; None if it does not."""
    try:
        lines, digest, header = _contents(path, file)
        if not file.verified:
            swf.read_log(path, _UNPACKED * file.limit)  # little to hold it against, but a log it must be
    except SWFError as error:
        return str(error).removeprefix(f"{path}: ")
    if swf.says_synthetic(header) and not file.synthetic:
        return f"its header says {swf.SYNTHETIC}, it is made up: not the {file.variant} log"
    if file.lines is not None and lines != file.lines:
        return f"found {lines:,} job lines, expected {file.lines:,}: not the {file.variant} log"
    if file.sha256 is not None and digest != file.sha256:
        return f"job lines have SHA-256 {digest[:12]}..., expected {file.sha256[:12]}...: not the {file.variant} log"
    return None


def _contents(path: Path, file: File) -> tuple[int, str, tuple[str, ...]]:
    """The number and digest of a file's job lines, and its comments; read again after the file has changed."""
    stat = os.stat(path)
    return _contents_as_of(str(path), stat.st_size, stat.st_mtime_ns, _UNPACKED * file.limit)


@functools.lru_cache(maxsize=64)
def _contents_as_of(path: str, size: int, modified: int, limit: int) -> tuple[int, str, tuple[str, ...]]:
    return swf.contents(path, limit)


def read(name: str, path: Path, file: File) -> tuple[Workload, list[str]]:
    """Read a file that `find` found, with the catalogue's machine size and clock; return the doubts about it, too."""
    about = entry(name)
    known = {"TimeZoneString": about["timezone"]}
    if "start" in about:
        known["UnixStartTime"] = str(about["start"])
    source = {"variant": file.variant, "sha256": _contents(path, file)[1], "verified": file.verified}
    return swf.read(path, about["procs"], name, _UNPACKED * file.limit, known, source, file.synthetic)
