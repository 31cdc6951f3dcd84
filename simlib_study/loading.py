"""The logs of an exhibit, by name, as they can be had here: what a notebook hands to `simlib.replicate`."""

import importlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from simlib.analysis.replicate import Log
from simlib.core.workload import Workload
from simlib.logs.archive import ArchiveError, load, path_or_name
from simlib.logs.reading import taken
from simlib.logs.swf import LogWarning


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


def default_names(paper: str) -> list[str]:
    """List the logs that a paper's exhibits take where none are named: all, or all that stand in for the paper's."""
    module = importlib.import_module(f"{__package__}.{paper}")
    return list(getattr(module, "STAND_INS", ()) or module.known())


def are_own(paper: str, names: Sequence[str], allowed: bool = True) -> bool:
    """Tell whether some names are those of logs of the reader's, and not a paper's; ValueError if neither is right."""
    known = importlib.import_module(f"{__package__}.{paper}").known()
    foreign = [name for name in names if name not in known]
    if foreign and (len(foreign) < len(names) or not allowed):
        more = ", or only logs of your own" if allowed else ""
        raise ValueError(f"logs: found {', '.join(foreign)}, expected names out of {', '.join(known)}{more}")
    for name in foreign:
        try:
            path = path_or_name(name)
        except ArchiveError as error:
            raise ValueError(f"logs: {error}; or names out of {', '.join(known)}") from None
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
    if paper == "own":
        made = Logs(by_name(names), own=True)
    else:
        module = importlib.import_module(f"{__package__}.{paper}")
        if asked is None:
            return module.logs(**settings)
        own = are_own(paper, names)
        made = module.own_logs(by_name(names), **settings) if own else module.logs(names, **settings)
    made.asked = asked
    return made


def by_name(paths: Iterable[str]) -> dict[str, Workload]:
    """Load logs of the reader's, by their paths or their names in the catalogue, for the study of a paper."""
    workloads = [taken(path) for path in paths]
    names = [workload.name for workload in workloads]
    if doubled := [name for place, name in enumerate(names) if name in names[:place]]:
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
