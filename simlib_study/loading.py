"""The logs of an exhibit, by name, as they can be had here: what a notebook hands to `simlib.replicate`."""

import importlib
import tomllib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from simlib._util import paths
from simlib.analysis.replicate import Log
from simlib.core.workload import Workload
from simlib.logs import archive
from simlib.logs.archive import ArchiveError, load, path_or_name
from simlib.logs.doubts import LogWarning
from simlib.logs.reading import taken


def log(name: str | Path, variant: str | None = None) -> Workload:
    """Load a log of the catalogue, as `simlib.load`, without warnings of what is odd about it: the records say so.

    Examples
    --------
    >>> log("sample").name
    'sample'
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)
        return load(name, variant)


class Logs(dict[str, Log]):
    """Logs by the paper's names: workloads, or functions of a seed that draw one.

    `traces` has what the study knows of each, by the same names; `absent` the names of those that are not on this
    machine; `own` says that they are logs of the reader's, for which nothing is printed; `asked` has the names by which
    they were requested, None where these were not named; `left_out` says by name why a log of the catalogue takes no
    part.
    """

    asked: str | Sequence[str] | None = None
    left_out: Mapping[str, str] = {}

    def __init__(
        self, logs: Mapping[str, Log], traces: Any = (), absent: Iterable[str] = (), own: bool = False
    ) -> None:
        super().__init__(logs)
        self.traces, self.absent, self.own = dict(traces), list(absent), own

    def is_absent(self, log: str | None = None, **of: Any) -> bool:
        """Whether the log of a printed number, by what it is of, is not on this machine."""
        return log in self.absent

    def origin(self, **of: Any) -> dict[str, Any]:
        """Why a printed number is not judged, and what is missing from its log, for `study.judge`."""
        return {}

    @property
    def stand_in(self) -> bool:
        """Whether any of them only stands in for a log."""
        return any(workload.stand_in for workload in self.workloads())

    def workloads(self, seed: int = 0) -> list[Workload]:
        """List the workloads; of a log that is drawn again for each run one draw."""
        return [each if isinstance(each, Workload) else self.traces[name].draw(seed) for name, each in self.items()]

    def drawn(self, seed: int) -> dict[str, Workload]:
        """Take the workloads by name; of a log that is drawn again for each run the draw of this seed."""
        return dict(zip(self, self.workloads(seed), strict=True))

    @property
    def table(self) -> pd.DataFrame:
        """Which file or model each came from, and which of its jobs take part; what is absent is printed."""
        for name in self.absent:
            print(f"{name}: not on this machine, left out")
        for name, why in self.left_out.items():
            print(f"{name}: left out, because {why}")
        return sources(self.workloads())


Setting = Mapping[str, Any]
"""A row of settings."""

Taken = tuple[Setting, Workload, Workload]
"""A row of settings, the log that it names, and of this the jobs and estimates that it takes."""


@cache
def settings(paper: str) -> list[dict[str, Any]]:
    """Read `data/settings/<paper>_logs.toml`: which jobs of which logs stand behind a paper's, and why."""
    text = (paths.DATA / "settings" / f"{paper}_logs.toml").read_text(encoding="utf-8")
    return [{"name": row["log"]} | row for row in tomllib.loads(text)["log"]]


def take(rows: Iterable[Setting], twin: str | None = None) -> tuple[list[Taken], list[Setting]]:
    """Take what rows of settings say, as far as their logs are on this machine; and list the rows of the others.

    Of a log the first of the row's `variants` counts that is here, by default the best. Where none of the logs is here,
    their twins take their places, those of rows with `stands_in` if there are any; where none has a twin, that of the
    log `twin`, as a whole.
    """
    rows = list(rows)
    chosen = [
        next(([variant] for variant in row.get("variants", [None]) if archive.find(row["log"], variant)), [])
        for row in rows
    ]
    here = [(row, *variant) for row, variant in zip(rows, chosen, strict=True) if variant]
    if not here:  # a twin has no partitions, and not every log has one
        twins = [row for row in rows if "partition" not in row and archive.has_twin(row["log"])]
        here = [(row, "twin") for row in [row for row in twins if row.get("stands_in")] or twins]
    absent = [row for row in rows if all(row is not taken for taken, _ in here)]
    if not here and twin:
        here = [({"name": twin, "log": twin}, "twin")]
    if rows and not here:
        logs = ", ".join(dict.fromkeys(row["log"] for row in rows))
        raise ArchiveError(
            f"{', '.join(row['name'] for row in rows)}: not on this machine, and without a twin that could stand in; "
            f"expected the log of {logs} in the folder that SIMLIB_TRACES names"
        )
    loaded = cache(lambda name, variant: archive.twin_of(name) if variant == "twin" else log(name, variant))
    return [_taken(row, loaded(row["log"], variant)) for row, variant in here], absent


def _taken(row: Setting, whole: Workload) -> Taken:
    """Take the jobs, the partition and the estimates that a row of settings names."""
    workload = whole.select(row["jobs"]) if row.get("jobs") else whole
    if "partition" in row:
        workload = workload.partition(row["partition"], procs=row["procs"])
    if "estimates" in row:
        workload = workload.with_estimates(row["estimates"])
    if not len(workload):
        wrong = f"found {row.get('jobs')!r}, which no job meets, expected a condition that some do"
        raise ValueError(f"jobs: {row['name']}: {wrong}")
    return row, whole, workload


def known(paper: str) -> list[str]:
    """List a paper's names of its logs."""
    module = importlib.import_module(f"{__package__}.{paper}")
    return module.known() if hasattr(module, "known") else list(dict.fromkeys(row["name"] for row in settings(paper)))


def default_names(paper: str) -> list[str]:
    """List the logs that a paper's exhibits take where none are named: all, or all that stand in for the paper's."""
    module = importlib.import_module(f"{__package__}.{paper}")
    return list(getattr(module, "STAND_INS", ()) or known(paper))


def are_own(paper: str, names: Sequence[str], allowed: bool = True) -> bool:
    """Tell whether some names are those of logs of the reader's, and not a paper's; ValueError if neither is right."""
    of_paper = known(paper)
    foreign = [name for name in names if name not in of_paper]
    if foreign and (len(foreign) < len(names) or not allowed):
        more = ", or only logs of your own" if allowed else ""
        raise ValueError(f"logs: found {', '.join(foreign)}, expected names out of {', '.join(of_paper)}{more}")
    for name in foreign:
        try:
            path = path_or_name(name)
        except ArchiveError as error:
            raise ValueError(f"logs: {error}; or names out of {', '.join(of_paper)}") from None
        if not isinstance(path, str) and not path.is_file():
            raise ValueError(f"logs: {name}: found a folder, expected the path of a log")
    return bool(foreign)


def logs(paper: str, names: str | Sequence[str] | Logs | None = None, **settings: Any) -> Logs:
    """Take the logs of a paper, such as "mualem2001" or "tang2013", as far as they are on this machine.

    Parameters
    ----------
    paper : str
        Or "own", for a paper of the reader's.
    names : str or list of str, optional
        The paper's names of the logs; by default `default_names`. Or only logs of the reader's, by path or name in the
        catalogue.
    **settings
        Of the paper's own `logs`, such as `jobs` and `estimates` for Mu'alem & Feitelson.

    Returns
    -------
    Logs
        Where none of them is on this machine, the synthetic twins of all.

    Examples
    --------
    >>> list(logs("mualem2001", ["sample"]))
    ['sample']
    """
    asked: Any = getattr(names, "asked", names)
    names = [asked] if isinstance(asked, str) else list(asked or ())
    module = importlib.import_module(f"{__package__}.{paper}") if paper != "own" else None
    if module and asked is None:
        return module.logs(**settings)
    if module and not are_own(paper, names):
        made = module.logs(names, **settings)
    elif module and hasattr(module, "own_logs"):
        made = module.own_logs(by_name(names), **settings)
    else:
        made = Logs(by_name(names), own=True)
    made.asked = asked
    return made


def by_name(paths: Iterable[str]) -> dict[str, Workload]:
    """Load logs of the reader's, by their paths or their names in the catalogue, for the study of a paper."""
    workloads = [taken(path) for path in paths]
    names = [workload.name for workload in workloads]
    if doubled := [name for number, name in enumerate(names) if name in names[:number]]:
        raise ValueError(f"logs: found {doubled[0]} twice, expected logs with different names")
    return dict(zip(names, workloads, strict=True))


def sources(workloads: Iterable[Workload]) -> pd.DataFrame:
    """Lay out which file or model each workload came from, and which of its jobs take part, as a table."""
    rows = []
    for workload in workloads:
        dropped = [f"{count:,} {reason}" for reason, count in workload.dropped.value_counts(sort=False).items()]
        source = workload.source
        file = f"model: {source['model']}" if "model" in source else source.get("file", "none")
        file = f"SYNTHETIC {file}" if workload.stand_in else file
        sizes = f"{workload.procs:,}", f"{len(workload):,}"
        rows.append((workload.name, file, *sizes, "; ".join(dropped), "; ".join(workload.history)))
    return pd.DataFrame(rows, columns=["log", "file", "processors", "jobs", "dropped", "then"]).set_index("log")
