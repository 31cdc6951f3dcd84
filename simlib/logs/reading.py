"""Read a log by its path or its name in the catalogue, or a part of it; also what Slurm's sacct printed."""

import copy
import re
import tempfile
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from ..core.calendar import Moment
from ..core.metrics import utilization
from ..core.workload import Workload
from . import sacct, sacct_records, swf
from .archive import load, path_or_name
from .doubts import LogWarning
from .files import PACKED, SWFError, read_bytes


def taken(
    log: str | Path,
    procs: int | None = None,
    partition: int | str | Sequence[int | str] | None = None,
    first: Moment | int | None = None,
    last: Moment | int | None = None,
    *,
    unit: str | None = None,
    timezone: str | None = None,
    gpus: int | None = None,
    names: bool = False,
    columns: str | Sequence[str] | None = None,
    cluster: str | None = None,
) -> Workload:
    """Read a log, whichever it is, or the jobs of a part of its machine or time.

    Parameters
    ----------
    log : str or Path
        As for `simlib.load`: a path, or a name. Or the path of sacct's output, which is converted.
    procs : int, optional
        Processors of the machine, or of the partition; by default as in the header or the catalogue.
    partition : int or str, or sequence of them, optional
        Only the jobs of this partition (field 16), by its number, or its name if the log's header has it. `procs` is
        needed, because logs do not say how large a partition is.
    first, last : str, date or int, optional
        Only the jobs submitted from `first` to just before `last`: see `Workload.between`.
    unit, timezone, gpus, names, columns, cluster
        Options for sacct's output: see `simlib.logs.sacct.convert`. A log that has the jobs' GPUs takes `gpus`, too.

    Returns
    -------
    Workload
        There are no warnings of doubts: see `simlib.logs.doubts`.

    Raises
    ------
    ArchiveError
        If there is neither such a file nor such a name.
    SWFError
        If the file is neither a log nor sacct's output; the message has the command that prints it.
    ValueError
        For a partition, a size or dates that the log does not have; the message lists those that it has. For options of
        sacct's output with another log; for GPUs of a log that does not say which jobs need them.

    Examples
    --------
    >>> taken("sample", first="2026-02-01", last="2026-03-01")
    <Workload sample: 1,892 jobs on 128 processors, 2026-02-01 to 2026-02-28, SYNTHETIC; 104 without ...>
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)
        options = {"unit": unit, "timezone": timezone, "gpus": gpus, "columns": columns, "cluster": cluster}
        options = {name: value for name, value in options.items() if value is not None}
        workload = _read(log, procs, partition is not None, options, names)
    if gpus and not workload.gpus:
        raise ValueError(f"{workload.name}: found gpus={gpus}, but the log does not say which jobs need GPUs")
    if partition is not None:
        chosen = [partition] if isinstance(partition, (int, str)) else partition
        workload = _part_of_machine(workload, chosen, procs, gpus)
    return workload if first is None and last is None else _part_of_time(workload, first, last)


def with_fields(workload: Workload, fields: Collection[str]) -> Workload:
    """Leave out all fields of the log but some, and further ones: of millions of jobs they take most of the memory."""
    if workload.log is None:
        return workload
    new = copy.copy(workload)
    new._log = workload.log[[name for name in workload.log if name in fields or name not in swf.FIELDS]]
    return new


def _read(log: str | Path, procs: int | None, whole: bool, options: dict[str, Any], names: bool) -> Workload:
    """Read a log; with `whole`, the machine is the header's, if it has one, and `procs` is a part of it."""
    path = path_or_name(log)
    if isinstance(path, Path) and ("columns" in options or _is_dump(path)):
        return _converted(path, None if whole else procs, options, names)
    gpus = options.pop("gpus", None)
    if options:
        given = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise ValueError(f"{log}: found {given}, which only sacct's output takes, expected a log without it")
    if isinstance(path, str):
        workload = load(path)
        return workload if procs is None or whole else _resized(workload, procs)
    if whole:
        try:
            return swf.read_swf(path)
        except SWFError:
            if procs is None:
                raise
    return swf.read_swf(path, procs, gpus=gpus)


def _is_dump(path: Path) -> bool:
    """Tell by its beginning whether a file is sacct's output; SWFError if it is no log either."""
    if sacct_records.is_output(path):
        return True
    first = read_bytes(path)[:10_000].decode("utf-8", "replace").lstrip().partition("\n")[0].strip()
    if not re.match(r";|[-+.\d]|$", first):
        raise SWFError(
            f"{path}: line 1: found {first[:60]!r}, expected a log in the Standard Workload Format, or what "
            f"this prints on a Slurm cluster, run by one who may see all jobs:\n{sacct.COMMAND}"
        )
    return False


def _converted(path: Path, procs: int | None, options: dict[str, Any], names: bool) -> Workload:
    """Convert sacct's output to a temporary log, and read it."""
    name = PACKED.sub("", path.name).partition(".")[0]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, f"{name}.swf")
        sacct.convert(path, target, procs=procs, names=names, **options)
        workload, _ = swf.read(target, name=name, source={"file": path.name, "path": str(path)})
    return workload


def _resized(workload: Workload, procs: int) -> Workload:
    """Put all lines of a log on a machine of another size; `Workload.with_procs` would leave out dropped jobs."""
    log = workload.log
    if log is None:
        return workload.with_procs(procs)
    return Workload(
        swf.jobs_of(log),
        procs,
        workload.name,
        gpus=workload.gpus,
        start=workload.start,
        header=workload.header,
        log=log,
        source=workload.source,
        synthetic=workload.synthetic,
    )


def _part_of_machine(
    workload: Workload, partition: Sequence[int | str], procs: int | None, gpus: int | None
) -> Workload:
    """Select the jobs of partitions; by default these have as many GPUs as their jobs used."""
    of_part = workload.partition(*partition, procs=workload.procs, gpus=workload.gpus)
    if procs is None:
        jobs, start = of_part.jobs, of_part.ends - of_part.jobs.run
        times, share = utilization(start, of_part.ends, jobs.procs, of_part.procs)
        raise ValueError(
            f"{workload.name}: partition {', '.join(map(str, partition))}: found no procs, expected how many "
            f"processors it has, which no log says; by the log's own times its jobs used up to "
            f"{share.max(initial=0) * of_part.procs:,.0f} of the machine's {workload.procs:,} at once"
        )
    if gpus is None and of_part.log is not None and of_part.needs_gpus:
        gpus = sacct.in_use(of_part.log.loc[of_part.jobs.index], "gpus")[0]
    return workload.partition(*partition, procs=procs, gpus=gpus)


def _part_of_time(workload: Workload, first: Moment | int | None, last: Moment | int | None) -> Workload:
    """Select the jobs submitted from one time on, up to another, or between both."""
    submit = workload.jobs.submit
    if submit.empty:
        raise ValueError(f"{workload.name}: found no job, expected some to select by date")
    try:
        return workload.between(
            int(submit.iloc[0]) if first is None else first, int(submit.iloc[-1]) + 1 if last is None else last
        )
    except ValueError as error:
        if workload.start is None or "no job was submitted" in str(error):
            raise
        span = " to ".join(f"{workload.time(second):%Y-%m-%d %H:%M}" for second in (submit.iloc[0], submit.iloc[-1]))
        raise ValueError(f"{error}; the log's jobs were submitted from {span}") from None
