"""The catalogue of logs, where one lies on this machine, and fetching it from the Parallel Workloads Archive.

A log is looked for in the folder `$SIMLIB_TRACES`, then among the downloads, then fetched. Whatever is found is
verified before use: the number and the digest of its job lines. `$SIMLIB_ARCHIVE` names a mirror to fetch from. A log
that cannot be had is replaced by its synthetic twin (`simlib.models.twin`), with a warning.
"""

import functools
import os
import tempfile
import tomllib
import warnings
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from . import paths, swf

TIMEOUT = 20
"""Seconds without a byte after which a download is given up."""


class ArchiveError(RuntimeError):
    """A log that is not known, not to be had, or not what the catalogue says."""


@dataclass(frozen=True)
class File:
    """One file of a log: the catalogue's `file`, `variant`, and where known the job `lines` and their `sha256`."""

    file: str
    variant: str
    lines: int | None = None
    sha256: str | None = None
    download: bool = True


@functools.cache
def catalogue():
    """The catalogue `data/archive.toml` as a dict: `base`, `citation`, and `logs` by name."""
    return tomllib.loads((paths.DATA / "archive.toml").read_text(encoding="utf-8"))


def entry(name):
    """A log's entry in the catalogue.

    Raises
    ------
    ArchiveError
        For an unknown name; the message lists the known ones.
    """
    logs = catalogue()["logs"]
    if name not in logs:
        raise ArchiveError(f"no log {name!r} in the catalogue; known are {', '.join(logs)} (any file: simlib.read_swf)")
    return logs[name]


def files(name, variant=None):
    """The files of a log, best first; of one variant, if given."""
    every = [File(**file) for file in entry(name)["files"]]
    chosen = [file for file in every if variant in (None, file.variant)]
    if not chosen:
        raise ArchiveError(f"{name}: no variant {variant!r}; known are {', '.join(file.variant for file in every)}")
    return chosen


def load(name, variant=None):
    """A log of the catalogue as a Workload, fetched from the archive where it is not at hand.

    Where it cannot be had at all, it is replaced by its twin, which is made up, with a UserWarning once a log. When the
    archive did not answer once, it is not asked again.

    Parameters
    ----------
    name : str
        A name in the catalogue, such as "KTH-SP2"; `python -m simlib logs` lists them.
    variant : str, optional
        "original", "cleaned", "reconstructed": this and nothing else. "twin": the synthetic one. By default the best
        log at hand.

    Returns
    -------
    Workload
        With the catalogue's machine size, which for some logs is not the header's.

    Raises
    ------
    ArchiveError
        Where the log is unknown, or a file is here that is not the one that the catalogue describes; where the variant
        that was asked for, or a log without a twin, cannot be fetched.
    """
    found = None if variant == "twin" else find(name, variant)
    if not found:
        from .models import twin  # which itself needs the catalogue

        if variant == "twin":
            return twin.workload(name)
        try:
            _fetch_if_reachable(name, variant)
        except ArchiveError as error:
            if variant or not twin.exists(name):
                raise
            _warn_of_twin(name, error)
            return twin.workload(name)
        found = find(name, variant)
    return _read(name, *found)


_out_of_reach = set()
_warned = set()


def _fetch_if_reachable(name, variant):
    base = _base()
    if base in _out_of_reach:
        raise Unreachable(f"{name}: {base}: the archive could not be reached before, and was not asked again")
    try:
        fetch(name, variant)
    except Unreachable:
        _out_of_reach.add(base)
        raise


def _warn_of_twin(name, reason):
    """Say, once, that a log is replaced by its twin."""
    if name not in _warned:
        _warned.add(name)
        best = files(name)[0].file
        message = (
            f"{name}: SYNTHETIC: using a made-up twin, for the log is not here and cannot be had ({reason}). "
            f"To use the log: python -m simlib fetch {name}, or put {best} into a folder that SIMLIB_TRACES names"
        )
        warnings.warn(message, UserWarning, stacklevel=3)


def find(name, variant=None):
    """The best file of a log on this machine and its path, verified; None where there is none."""
    for file in files(name, variant):
        for folder in _folders():
            path = folder / file.file
            if path.exists():
                verify(path, file)
                return path, file
    return None


def fetch(name, variant=None, progress=False):
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
    """
    wanted = [file for file in files(name, variant) if file.download]
    if not wanted or "folder" not in entry(name):
        raise ArchiveError(f"{name}: {variant or 'this log'} cannot be downloaded; see {paths.DATA / 'archive.toml'}")
    file = wanted[0]
    url = f"{_base().rstrip('/')}/{entry(name)['folder']}/{file.file}"
    try:
        paths.TRACES.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=paths.TRACES, prefix=".fetching-") as folder:
            path = Path(folder) / file.file
            _download(name, url, path, progress)
            if fault := _fault(path, file):
                raise ArchiveError(f"{name}: {url}: {fault}")
            os.replace(path, paths.TRACES / file.file)
    except OSError as error:
        raise ArchiveError(f"{name}: {url}: cannot be kept in {paths.TRACES}: {error.strerror}") from None
    return paths.TRACES / file.file


def _base():
    """The address of the archive, or of the mirror in its place."""
    return os.environ.get("SIMLIB_ARCHIVE") or catalogue()["base"]


class Unreachable(ArchiveError):
    """No answer from the archive: it is of no use to ask for another log."""


def _download(name, url, path, progress):
    """Download a file, or say in an ArchiveError why not."""
    import pooch  # both are slow to import, and seldom needed
    import requests

    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(progressbar=progress, timeout=TIMEOUT)
    try:
        pooch.retrieve(url, known_hash=None, fname=path.name, path=path.parent, downloader=downloader)
    except requests.HTTPError as error:
        error.response.close()  # pooch leaves it open
        raise ArchiveError(f"{name}: {url}: the archive answered {error.response.status_code}") from None
    except requests.exceptions.ChunkedEncodingError:
        raise ArchiveError(f"{name}: {url}: the archive broke off") from None
    except (requests.ConnectionError, requests.Timeout):
        raise Unreachable(f"{name}: {url}: the archive cannot be reached, or does not answer") from None
    except requests.RequestException as error:
        raise ArchiveError(f"{name}: {url}: the download failed ({type(error).__name__})") from None


def verify(path, file):
    """Hold a file against the catalogue.

    Raises
    ------
    ArchiveError
        Where the number or the digest of its job lines is another, or it is no log at all.
    """
    if fault := _fault(path, file):
        raise ArchiveError(f"{path}: {fault}; remove it")


def _fault(path, file):
    """What is wrong with a file by the catalogue; None where it is right."""
    stat = Path(path).stat()
    try:
        lines, digest = _job_lines(str(path), stat.st_size, stat.st_mtime_ns)
        if file.lines is None and file.sha256 is None:
            swf.read_log(path)  # nothing to hold it against, but a log it must be
    except swf.SWFError as error:
        return str(error).removeprefix(f"{path}: ")
    if file.lines is not None and lines != file.lines:
        return f"found {lines:,} job lines, expected {file.lines:,}: not the {file.variant} log"
    if file.sha256 is not None and digest != file.sha256:
        return f"job lines have SHA-256 {digest[:12]}..., expected {file.sha256[:12]}...: not the {file.variant} log"
    return None


@functools.lru_cache(maxsize=64)
def _job_lines(path, size, modified):
    return swf.job_lines(path)


def _read(name, path, file):
    about = entry(name)
    workload = swf.read_swf(path, procs=about["procs"], name=name)
    if "start" in about:
        workload.start = pd.Timestamp(about["start"], unit="s", tz="UTC").tz_convert(about["timezone"])
    elif workload.start is not None:
        workload.start = workload.start.tz_convert(about["timezone"])
    workload.synthetic = about.get("synthetic", False)
    stat = Path(path).stat()
    workload.source |= {"variant": file.variant, "sha256": _job_lines(str(path), stat.st_size, stat.st_mtime_ns)[1]}
    return workload


def _folders():
    """Where logs may lie, in the order they are looked for."""
    given = os.environ.get("SIMLIB_TRACES")
    if given:
        folder = next((f for f in (Path(given), paths.ROOT / given) if f.is_dir()), None)
        if folder is None:
            raise ArchiveError(f"SIMLIB_TRACES: found {given!r}, expected a folder that exists")
        yield folder
    yield paths.TRACES
    yield paths.DATA / "samples"
