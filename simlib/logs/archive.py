"""Find a log of the catalogue on this machine, or fetch it from the Parallel Workloads Archive.

A log is looked for in the folder `$SIMLIB_TRACES`, then among the downloads, then fetched. Whatever is found is
verified before use: the number and the digest of its job lines, as far as they are known, and that it is not made up.
`$SIMLIB_ARCHIVE` names a mirror to fetch from.
"""

import functools
import os
import re
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin

from .._util import paths
from ..core.workload import Workload
from . import swf

if TYPE_CHECKING:
    from requests import Response, Session

TIMEOUT = 20
"""Seconds without a byte after which a download is given up."""

LONGEST = 3600
"""Seconds after which it is given up, whatever comes."""

REDIRECTS = 10

UNPACKED = 10
"""How many times larger than its download may be the text of a log is expected to be at most."""

NOT_VERIFIED = "not verified: its digest is not known"


class ArchiveError(RuntimeError):
    """A log that is not known, not to be had, or not what the catalogue says."""


@dataclass(frozen=True)
class File:
    """Describe one file of a log.

    Attributes
    ----------
    file, variant : str
        Its name, and which of the log's variants it is.
    lines : int or None
        How many job lines it has, where that is known.
    sha256 : str or None
        Their digest, where that is known: see `simlib.logs.swf.job_lines`.
    download : bool
        Whether the archive has it.
    limit : int
        Bytes that it has at most.
    synthetic : bool
        Whether its log is made up.

    Examples
    --------
    >>> file = files("KTH-SP2")[0]
    >>> file.file, file.variant, file.lines
    ('KTH-SP2-1996-2.swf.gz', 'original', 28490)
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
        """Whether a file that is found can be told from any other, by its digest."""
        return self.sha256 is not None


@functools.cache
def catalogue() -> dict[str, Any]:
    """Read the catalogue `data/archive.toml` as a dict: `base`, `citation`, and `logs` by name.

    Examples
    --------
    >>> "KTH-SP2" in catalogue()["logs"]
    True
    """
    return tomllib.loads((paths.DATA / "archive.toml").read_text(encoding="utf-8"))


def entry(name: str) -> dict[str, Any]:
    """Look up a log's entry in the catalogue.

    Raises
    ------
    ArchiveError
        For an unknown name; the message lists the known ones.

    Examples
    --------
    >>> entry("KTH-SP2")["procs"]
    100
    """
    logs = catalogue()["logs"]
    if name not in logs:
        raise ArchiveError(f"no log {name!r} in the catalogue; known are {', '.join(logs)} (any file: simlib.read_swf)")
    return logs[name]


def files(name: str, variant: str | None = None) -> list[File]:
    """List the files of a log, best first; of one variant, if given.

    Raises
    ------
    ArchiveError
        For an unknown name or variant.

    Examples
    --------
    >>> [file.variant for file in files("SDSC-SP2")]
    ['original', 'reconstructed', 'cleaned']
    """
    about = entry(name)
    common = {"limit": about.get("limit", catalogue()["limit"]), "synthetic": about.get("synthetic", False)}
    every = [File(**common | file) for file in about["files"]]
    chosen = [file for file in every if variant in (None, file.variant)]
    if not chosen:
        raise ArchiveError(f"{name}: no variant {variant!r}; known are {', '.join(file.variant for file in every)}")
    return chosen


def find(name: str, variant: str | None = None) -> tuple[Path, File] | None:
    """Find the best file of a log on this machine and verify it; None where there is none.

    Raises
    ------
    ArchiveError
        For an unknown name or variant, or a file that is not the one that the catalogue describes.

    Examples
    --------
    >>> path, file = find("sample")
    >>> path.name, file.synthetic
    ('sample.swf.gz', True)
    """
    for file in files(name, variant):
        for folder in _folders():
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
        With one line that says why; no file is left behind.

    Examples
    --------
    >>> fetch("KTH-SP2")  # doctest: +SKIP
    PosixPath('data/traces/KTH-SP2-1996-2.swf.gz')
    """
    wanted = [file for file in files(name, variant) if file.download]
    if not wanted or "folder" not in entry(name):
        raise ArchiveError(f"{name}: {variant or 'this log'} cannot be downloaded; see {paths.DATA / 'archive.toml'}")
    file = wanted[0]
    url = f"{_base().rstrip('/')}/{entry(name)['folder']}/{file.file}"
    target = paths.TRACES / file.file
    try:
        with paths.replacing(target) as path:
            _download(name, url, path, file.limit, progress)
            if fault := _fault(path, file):
                raise ArchiveError(f"{name}: {_public(url)}: {fault}")
    except OSError as error:
        raise ArchiveError(f"{name}: {_public(url)}: cannot be kept in {paths.TRACES}: {error.strerror}") from None
    return target


_out_of_reach: set[str] = set()  # addresses


def fetch_if_reachable(name: str, variant: str | None = None) -> None:
    """Fetch a log unless the archive did not answer before: then it is not asked again.

    Raises
    ------
    ArchiveError
        As `fetch`; `Unreachable` where the archive does not answer, or did not.

    Examples
    --------
    >>> fetch_if_reachable("KTH-SP2")  # doctest: +SKIP
    """
    base = _base()
    if base in _out_of_reach:
        raise Unreachable(f"{name}: {_public(base)}: the archive could not be reached before, and was not asked again")
    try:
        fetch(name, variant)
    except Unreachable:
        _out_of_reach.add(base)
        raise


def _base() -> str:
    """The address of the archive, or of the mirror in its place."""
    return os.environ.get("SIMLIB_ARCHIVE") or catalogue()["base"]


class Unreachable(ArchiveError):
    """No answer from the archive: it is of no use to ask for another log."""


def _public(url: str) -> str:
    """An address without the name and password that it may hold."""
    return re.sub(r"^(\w+://)?.*@", r"\1", url)


def _download(name: str, url: str, path: Path, limit: int, progress: bool) -> None:
    """Download a file of at most `limit` bytes, or say in an ArchiveError why not."""
    import requests  # slow to import, and seldom needed
    import urllib3

    shown = f"{name}: {_public(url)}"
    try:
        deadline = time.monotonic() + LONGEST
        _within(LONGEST, lambda: _receive(url, path, limit, deadline, progress))
    except TimeoutError:
        raise ArchiveError(f"{shown}: the download was not done after {LONGEST} s") from None
    except requests.HTTPError as error:
        status = getattr(error.response, "status_code", "with an error")
        raise ArchiveError(f"{shown}: the archive answered {status}") from None
    except requests.exceptions.ChunkedEncodingError:
        raise ArchiveError(f"{shown}: the archive broke off") from None
    except (requests.ConnectionError, requests.Timeout):
        raise Unreachable(f"{shown}: the archive cannot be reached, or does not answer") from None
    except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
        raise ArchiveError(f"{shown}: the download failed ({type(error).__name__})") from None
    if path.stat().st_size > limit:
        raise ArchiveError(f"{shown}: found more than {limit:,} bytes, expected a log that is smaller")


_Result = TypeVar("_Result")


def _within(seconds: float, action: Callable[[], _Result]) -> _Result:
    """Return what an action returns; after so many seconds raise TimeoutError, while it goes on in its own thread."""
    result: Future[_Result] = Future()

    def run() -> None:
        try:
            result.set_result(action())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return result.result(seconds)


def _receive(url: str, path: Path, limit: int, deadline: float, progress: bool) -> None:
    """Write what a server sends into a file, up to just above `limit` bytes, and until `deadline`."""
    import requests
    from tqdm import tqdm

    with requests.Session() as session, _answer(session, url) as answer, open(path, "wb") as file:
        answer.raise_for_status()
        length = answer.headers.get("content-length", "")
        total = int(length) if length.isdecimal() else None
        with tqdm(total=total, unit="B", unit_scale=True, disable=not progress) as bar:
            for block in answer.iter_content(1024):  # small ones, so that the time is looked at often
                if time.monotonic() > deadline:
                    raise TimeoutError
                file.write(block)
                bar.update(len(block))
                if file.tell() > limit:
                    break


def _answer(session: "Session", url: str) -> "Response":
    """Ask for a file, and follow the archive to where it is.

    The text that comes with a redirect is not read, for it may be endless.
    """
    import requests

    # else requests reads that text, to follow by itself or to say where to
    session.get_redirect_target = lambda answer: None  # type: ignore[method-assign, assignment]
    for _ in range(REDIRECTS):
        answer = session.get(url, stream=True, timeout=TIMEOUT, allow_redirects=False)
        if not answer.is_redirect:
            return answer
        answer.close()
        url = urljoin(url, answer.headers["location"])
    raise requests.TooManyRedirects


def verify(path: Path, file: File) -> None:
    """Compare a file with its description in the catalogue.

    Raises
    ------
    ArchiveError
        Where the number or the digest of its job lines is another, or it is no log at all, or says that it is made up.

    Examples
    --------
    >>> verify(*find("sample"))
    """
    if fault := _fault(path, file):
        raise ArchiveError(f"{path}: {fault}; remove it")


def _fault(path: Path, file: File) -> str | None:
    """What is wrong with a file by the catalogue; None where it is right."""
    try:
        lines, digest, header = _contents(path, file)
        if not file.verified:
            swf.read_log(path, UNPACKED * file.limit)  # little to hold it against, but a log it must be
    except swf.SWFError as error:
        return str(error).removeprefix(f"{path}: ")
    if swf.says_synthetic(header) and not file.synthetic:
        return f"its header says {swf.SYNTHETIC}, it is made up: not the {file.variant} log"
    if file.lines is not None and lines != file.lines:
        return f"found {lines:,} job lines, expected {file.lines:,}: not the {file.variant} log"
    if file.sha256 is not None and digest != file.sha256:
        return f"job lines have SHA-256 {digest[:12]}..., expected {file.sha256[:12]}...: not the {file.variant} log"
    return None


def _contents(path: Path, file: File) -> tuple[int, str, tuple[str, ...]]:
    """The number and digest of a file's job lines, and its comments; read again when the file has changed."""
    stat = os.stat(path)
    return _contents_as_of(str(path), stat.st_size, stat.st_mtime_ns, UNPACKED * file.limit)


@functools.lru_cache(maxsize=64)
def _contents_as_of(path: str, size: int, modified: int, limit: int) -> tuple[int, str, tuple[str, ...]]:
    return swf.contents(path, limit)


def read(name: str, path: Path, file: File) -> tuple[Workload, list[str]]:
    """Read a file that `find` found.

    Returns
    -------
    Workload
        With the catalogue's machine size and clock, and the file's variant and digest as its `source`.
    doubtful : list of str
        As from `simlib.logs.swf.read`.

    Examples
    --------
    >>> workload, doubtful = read("sample", *find("sample"))
    >>> workload.name, workload.source["variant"]
    ('sample', 'sample')
    """
    about = entry(name)
    known = {"TimeZoneString": about["timezone"]}
    if "start" in about:
        known["UnixStartTime"] = str(about["start"])
    source = {"variant": file.variant, "sha256": _contents(path, file)[1], "verified": file.verified}
    return swf.read(path, about["procs"], name, UNPACKED * file.limit, known, source, file.synthetic)


def _folders() -> Iterator[Path]:
    """Where logs may lie, in the order they are looked for."""
    given = os.environ.get("SIMLIB_TRACES")
    if given:
        folder = next((f for f in (Path(given), paths.ROOT / given) if os.path.isdir(f)), None)
        if folder is None:
            raise ArchiveError(f"SIMLIB_TRACES: found {given!r}, expected a folder that exists")
        yield folder
    yield paths.TRACES
    yield paths.DATA / "samples"
