"""Make a Workload of a log, and list what is doubtful of it."""

import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ..doubts import LogWarning, doubts
from ..workload import Workload
from .header import header_fields, machine_size, says_synthetic, start_time
from .lines import read_log
from .text import LIMIT, SWFError, memory_errors_name


def read_swf(path: str | Path, procs: int | None = None, name: str | None = None, limit: int = LIMIT) -> Workload:
    """Read a log in the Standard Workload Format.

    Parameters
    ----------
    path : str or Path
        A plain or gzip-compressed file, told apart by its content.
    procs : int, optional
        The machine's processors; by default the header's MaxProcs, else its MaxNodes.
    name : str, optional
        What to call the workload; by default the file's name without its endings.
    limit : int
        The largest size of the text in bytes, once it is decompressed. Two GiB by default, some twenty million jobs.

    Returns
    -------
    Workload
        A job's size is its allocated processors, or the requested ones where the log records no allocation at all.
        Its estimate is the requested time if that is positive, else its run time. Times are rounded to whole seconds.
        It is synthetic if any comment has the word "synthetic".

    Raises
    ------
    SWFError
        Where the file is not a log, is larger than the limit or the memory, or gives no machine size that makes sense
        and none was passed.

    Warns
    -----
    LogWarning
        Where what the log says of itself makes no sense, or it lacks estimates: see `simlib.doubts.doubts`. Where
        its time or zone cannot be read, so that it has no calendar.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.read_swf(simlib.paths.DATA / "samples" / "sample.swf.gz")
    >>> len(w), w.procs
    (6000, 128)
    """
    workload, doubtful = read(path, procs, name, limit)
    for sentence in doubtful:
        warnings.warn(sentence, LogWarning, stacklevel=2)
    return workload


def read(
    path: str | Path,
    procs: int | None = None,
    name: str | None = None,
    limit: int = LIMIT,
    known: Mapping[str, str] | None = None,
    source: Mapping[str, object] | None = None,
    synthetic: bool = False,
) -> tuple[Workload, list[str]]:
    """Read a log as `read_swf` does, but return what is doubtful instead of warning of it.

    Parameters
    ----------
    path, procs, name, limit
        As for `read_swf`.
    known : dict of str to str, optional
        Fields of the header that are known better than the file has them.
    source : dict, optional
        What else is known of where it comes from.
    synthetic : bool
        Whether it is known to be made up, whatever the header says.

    Returns
    -------
    Workload
    doubtful : list of str

    Examples
    --------
    >>> from simlib import paths
    >>> workload, doubtful = read(paths.DATA / "samples" / "sample.swf.gz", name="sample")
    >>> workload.name, doubtful
    ('sample', [])
    """
    path = Path(path)
    with memory_errors_name(path):
        header, log = read_log(path, limit)
        metadata = header_fields(header) | dict(known or {})
        if procs is None:
            try:
                procs = machine_size(metadata)
            except ValueError as error:
                call = f"read_swf({path.name!r}, procs=128)"
                raise SWFError(f"{path}: {error}, or pass it: {call}; on the command line --procs 128") from None
        start, doubtful = None, []
        try:
            start = start_time(metadata)
        except ValueError as error:
            doubtful.append(f"{path}: the log has no calendar: {error}")
        if not log.job.is_unique:
            log.index = pd.RangeIndex(1, len(log) + 1, name="job")
        workload = Workload(
            jobs_of(log),
            procs,
            name=name or path.name.removesuffix(".gz").removesuffix(".swf"),
            start=start,
            header=header,
            log=log,
            source={"file": path.name, "path": str(path)} | dict(source or {}),
            synthetic=synthetic or says_synthetic(header),
        )
        return workload, [*doubtful, *doubts(workload)]


def jobs_of(log: pd.DataFrame) -> pd.DataFrame:
    """Make the jobs table of a Workload from the 18 fields of a log (see `read_swf` for sizes and estimates).

    Examples
    --------
    >>> import simlib
    >>> log = simlib.load("sample").log
    >>> jobs_of(log)[["submit", "run", "procs", "estimate"]].loc[1].to_list()
    [5790, 5930, 4, 21600]
    """
    log = log.round() if (log.dtypes == np.float64).any() else log
    size = log.procs if (log.procs > 0).any() else log.requested_procs
    estimate = log.requested_time.where(log.requested_time > 0, log.run)
    same = log[["submit", "run", "user", "group", "app", "queue", "status"]]
    return same.assign(procs=size, estimate=estimate).astype("int64")
