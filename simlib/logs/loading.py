"""Load a log by its path or name: of the catalogue what is at hand, else from the archive, else its synthetic twin."""

import tomllib
import warnings
from functools import cache
from pathlib import Path

from .._util import paths
from ..core.workload import Workload
from . import archive, swf
from .sanity import LogWarning


def load(log: str | Path, variant: str | None = None) -> Workload:
    """Load a log as a Workload; one of the catalogue is fetched from the archive where it is not at hand.

    Where it cannot be had at all, it is replaced by its twin, which is made up, with a UserWarning once a log. When the
    archive did not answer once, it is not asked again.

    Parameters
    ----------
    log : str or Path
        A name in the catalogue, such as "KTH-SP2"; `python -m simlib logs` lists them. Or what the papers call such a
        log, "KTH": all of it, and not only the jobs that they took. Or the path of a file as for `simlib.read_swf`.
    variant : str, optional
        Of a log of the catalogue. "original", "cleaned", "reconstructed": this and nothing else. "twin": the synthetic
        one. By default the best log at hand.

    Returns
    -------
    Workload
        With the catalogue's machine size, which for some logs is not the header's.

    Raises
    ------
    ArchiveError
        Where the log is unknown, or the papers call several so; where a file is here that is not the one that the
        catalogue describes; where the variant that was asked for, or a log without a twin, cannot be fetched.
    SWFError
        Where the file is not a log.

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
    name = find(log)
    if isinstance(name, Path):
        if variant is not None:
            raise archive.ArchiveError(f"{log}: found variant {variant!r} of a file, expected none")
        workload, doubtful = swf.read(name)
    else:
        workload, doubtful = _of_catalogue(name, variant)
    for sentence in doubtful:
        warnings.warn(sentence, LogWarning, stacklevel=2)
    return workload


def find(log: str | Path) -> Path | str:
    """Find the file of a log by its path, or its name in the catalogue by this name or what the papers call it."""
    known, path = archive.catalogue()["logs"], Path(log).expanduser()
    called = [str(log)] if str(log) in known else [name for name in _called().get(str(log), ()) if name in known]
    if len(called) == 1:
        return called[0]
    if called:
        raise archive.ArchiveError(f"{log}: the papers call several logs so; expected one of {', '.join(called)}")
    if not path.exists():
        raise archive.ArchiveError(
            f"{log}: found no such file, and no such name in the catalogue; expected the path of a log in the Standard "
            f"Workload Format (.swf, .swf.gz), or one of {', '.join(known)}"
        )
    return path


@cache
def _called() -> dict[str, list[str]]:
    """The names in the catalogue of the logs behind each name of the papers."""
    names: dict[str, list[str]] = {}
    for table in sorted((paths.DATA / "published").glob("*_logs.toml")):
        for trace in tomllib.loads(table.read_text(encoding="utf-8"))["trace"]:
            if "trace" in trace:
                names.setdefault(trace["trace"], []).append(trace["log"])
    return names


def twin_of(name: str) -> Workload:
    """Make the twin of a log: `simlib` puts `models.twin.workload` here, from a room above this one."""
    raise archive.ArchiveError(f"{name}: found no maker of twins, expected `import simlib` before")


def has_twin(name: str) -> bool:
    """Tell whether there are the parameters of a twin."""
    return (paths.DATA / "models" / "twins" / f"{name}.toml").exists()


def _of_catalogue(name: str, variant: str | None) -> tuple[Workload, list[str]]:
    """Load a log of the catalogue, or its twin, and what is doubtful of it."""
    at_hand = None if variant == "twin" else archive.find(name, variant)
    if not at_hand:
        if variant == "twin":
            return twin_of(name), []
        try:
            archive.fetch_if_reachable(name, variant)
        except archive.ArchiveError as error:
            if variant or not has_twin(name):
                raise
            _warn_of_twin(name, error)
            return twin_of(name), []
        at_hand = archive.find(name, variant)
        if at_hand is None:
            raise archive.ArchiveError(f"{name}: was fetched, and is not here any more")
    return archive.read(name, *at_hand)


_warned: set[str] = set()  # names of logs


def _warn_of_twin(name: str, reason: Exception) -> None:
    """Say, once, that a log is replaced by its twin."""
    if name not in _warned:
        _warned.add(name)
        best = archive.files(name)[0].file
        message = (
            f"{name}: SYNTHETIC: using a made-up twin, for the log is not here and cannot be had ({reason}). "
            f"To use the log: python -m simlib fetch {name}, or put {best} into a folder that SIMLIB_TRACES names"
        )
        warnings.warn(message, UserWarning, stacklevel=4)
