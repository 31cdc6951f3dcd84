"""Load a log by its name in the catalogue: what is at hand, else from the archive, else its synthetic twin."""

import warnings

from . import archive
from .doubts import LogWarning
from .workload import Workload


def load(name: str, variant: str | None = None) -> Workload:
    """Load a log of the catalogue as a Workload, fetched from the archive where it is not at hand.

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
    at_hand = None if variant == "twin" else archive.find(name, variant)
    if not at_hand:
        from .models import twin  # slow to import, and seldom needed

        if variant == "twin":
            return twin.workload(name)
        try:
            archive.fetch_if_reachable(name, variant)
        except archive.ArchiveError as error:
            if variant or not twin.exists(name):
                raise
            _warn_of_twin(name, error)
            return twin.workload(name)
        at_hand = archive.find(name, variant)
        if at_hand is None:
            raise archive.ArchiveError(f"{name}: was fetched, and is not here any more")
    workload, doubtful = archive.read(name, *at_hand)
    for sentence in doubtful:
        warnings.warn(sentence, LogWarning, stacklevel=2)
    return workload


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
        warnings.warn(message, UserWarning, stacklevel=3)
