"""The logs of an exhibit, by name, as they can be had here: what a notebook hands to `simlib.replicate`."""

import importlib
import warnings

import pandas as pd

from ..core.workload import Workload
from ..logs.archive import load
from ..logs.swf import LogWarning


def log(name, variant=None):
    """Load a log of the catalogue, as `simlib.load`, without warnings of what is odd about it: the records say so.

    Examples
    --------
    >>> log("sample").name
    'sample'
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)
        return load(name, variant)


class Logs(dict):
    """Logs by the paper's names: workloads, or functions of a seed that draw one.

    `traces` has what the study knows of each, by the same names; `absent` the names of those that are not on this
    machine; `own` says that it is a log of the reader's, for which nothing is printed.
    """

    def __init__(self, logs, traces=(), absent=(), own=False):
        super().__init__(logs)
        self.traces, self.absent, self.own = dict(traces), list(absent), own

    def is_absent(self, **of):
        """Whether the log of a printed number, by what it is of, is not on this machine."""
        return False

    def origin(self, **of):
        """Why a printed number is not judged, and what is missing from its log, for `study.judge`."""
        return {}

    def matters(self, name, rule):
        """Whether a log comes out otherwise under a rule than under others."""
        return True

    @property
    def stand_in(self):
        """Whether any of them only stands in for a log."""
        return any(workload.stand_in for workload in self.workloads())

    def workloads(self, seed=0):
        """List the workloads; of a log that is drawn again for each run one draw."""
        return [each if isinstance(each, Workload) else self.traces[name].draw(seed) for name, each in self.items()]

    def drawn(self, seed):
        """Take the workloads by name; of a log that is drawn again for each run the draw of this seed."""
        return dict(zip(self, self.workloads(seed), strict=True))

    @property
    def table(self):
        """Which file or model each came from, and which of its jobs take part; what is absent is printed."""
        for name in self.absent:
            print(f"{name}: not on this machine, left out")
        return sources(self.workloads())


def logs(paper, names=None, own="", **settings):
    """Take the logs of a paper, "mualem2001" or "tang2013", as far as they are on this machine.

    Parameters
    ----------
    paper : str
    names : str or list of str, optional
        The paper's names of the logs; by default all.
    own : str
        A log of the reader's, by its path or its name in the catalogue, to be taken in their place; "" for none.
    **settings
        Of the paper's own `logs`, such as `jobs` and `estimates` for Mu'alem & Feitelson.

    Returns
    -------
    Logs
        Where none of them is on this machine, the synthetic twins of all.

    Examples
    --------
    >>> list(logs("mualem2001", own="sample"))
    ['sample']
    """
    module = importlib.import_module(f"{__package__}.{paper}")
    if own:
        return module.own_log(own)
    names = [names] if isinstance(names, str) else names  # papermill -p has no lists
    return module.logs(*([] if names is None else [names]), **settings)


def sources(workloads):
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
