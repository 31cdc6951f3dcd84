"""Mu'alem & Feitelson, IEEE TPDS 2001: the traces, as far as they can be had; a module for each exhibit."""

import tomllib
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from ... import archive, paths, sweeps
from ...policies import EASY, Conservative
from ...schedule import MEANS, simulate
from ...workload import Workload
from .. import log

TRACES = ("CTC", "KTH", "SDSC", "Par", "CM5")
SP2 = ("CTC", "KTH", "SDSC")
SCHEDULERS = ("easy", "conservative")
METRICS = {"response_s": "mean_response", "bounded_slowdown": "mean_bounded_slowdown"}
CLOSE_TO = {"response_s": 0.05, "bounded_slowdown": 0.10}
"""How far from the shaken runs' median a printed number outside their band may lie to be called close."""

WHOLE = "whole"
"""Stands for all months where the name of a month is expected."""


@dataclass(frozen=True)
class Trace:
    """A trace of the paper as it can be had here.

    Attributes
    ----------
    trace : str
        The paper's name: CTC, KTH, SDSC, Par, CM5.
    workload : Workload
    months : (str, str)
        First and last month that the published tables take from it.
    absent : dict
        Months for which this file lacks jobs, and why.
    months_begin : float
        By how many hours after local midnight the months of the published tables begin.
    """

    trace: str
    workload: Workload
    months: tuple = ("0000-00", "9999-99")
    absent: dict = field(default_factory=dict)
    months_begin: float = 0.0

    @cached_property
    def month_edges(self):
        """The months from the first to the last submit, as far as they are published.

        Returns
        -------
        months : list of str
        edges : int64 array
            The second at which each of them begins, and the last one ends.
        """
        submit = self.workload.jobs.submit
        months, edges = self.workload.month_starts(submit.iloc[0], submit.iloc[-1])
        inside = [self.months[0] <= month <= self.months[1] for month in months]
        first, last = inside.index(True), len(inside) - inside[::-1].index(True)
        return months[first:last], edges[first : last + 1] + round(3600 * self.months_begin)

    def by_month(self, schedule):
        """Means over the jobs that end in each of these months: see `Schedule.by_period`; slowdown by MF's formula."""
        return self.by_month_and_whole(schedule).drop(index=WHOLE).astype({"jobs": int})

    def by_month_and_whole(self, schedule):
        """`by_month`, and in a last row, WHOLE, the means over all jobs."""
        months, edges = self.month_edges
        return pd.DataFrame(schedule.means(edges, floor=None), pd.Index([*months, WHOLE], name="month"), MEANS)


def settings():
    """The rows of `data/published/mualem2001_logs.toml`: which jobs of which log, which estimates, and why."""
    return tomllib.loads((paths.DATA / "published" / "mualem2001_logs.toml").read_text(encoding="utf-8"))["trace"]


def traces(names=TRACES, jobs=None, estimates=None):
    """The paper's traces, as far as their logs are on this machine; the synthetic twins of all where none is.

    Parameters
    ----------
    names : sequence of str
        Out of `TRACES`.
    jobs, estimates : dict, optional
        By trace name, a condition on the jobs ("" for all) and "user" or "exact", in place of the settings'.

    Returns
    -------
    here : list of Trace
    missing : list of str
        What is left out, for it is not on this machine; nothing where twins take the place of all.

    Raises
    ------
    ValueError
        For a name that is not one of the paper's.
    """
    unknown = (set(names) | set(jobs or ()) | set(estimates or ())) - set(TRACES)
    if unknown:
        raise ValueError(f"traces: found {', '.join(sorted(unknown))}, expected names out of {', '.join(TRACES)}")
    asked = [setting for setting in settings() if setting["trace"] in names]
    absent = [setting for setting in asked if archive.find(setting["log"]) is None]
    if absent == asked:
        return [_trace(setting, "twin", jobs or {}, estimates or {}) for setting in asked], []
    here = [_trace(setting, None, jobs or {}, estimates or {}) for setting in asked if setting not in absent]
    return here, [f"{setting['trace']}: {setting['log']}" for setting in absent]


def _trace(setting, variant, jobs, estimates):
    """The trace of a setting, from a variant of its log."""
    name = setting["trace"]
    workload = log(setting["log"], variant)
    condition = jobs.get(name, setting.get("jobs", ""))
    workload = workload.select(condition) if condition else workload
    workload = workload.with_estimates(estimates.get(name, setting["estimates"]))
    absent = setting.get("absent", {}).get(workload.source["variant"], {})
    return Trace(name, workload, tuple(setting["months"]), absent, setting.get("months_begin", 0.0))


def labelled(traces):
    """The workloads of traces with their names, as pairs; the two years of one trace as "Par-95" and "Par-96"."""
    names = [trace.trace for trace in traces]
    return [
        (trace.trace + (trace.workload.name[-3:] if names.count(trace.trace) > 1 else ""), trace.workload)
        for trace in traces
    ]


def trace_of(label):
    """The paper's name of a trace, from a label of `labelled`."""
    return label.split("-")[0]


def policies(easy_reuse_extra=False, conservative_compress="arrival"):
    """Both schedulers by the rules followed, and as variants by the other ones.

    Returns
    -------
    dict
        `easy`, `easy_variant`, `conservative`, `conservative_variant`.
    """
    other_compress = "start" if conservative_compress == "arrival" else "arrival"
    return {
        "easy": EASY(reuse_extra=easy_reuse_extra),
        "easy_variant": EASY(reuse_extra=not easy_reuse_extra),
        "conservative": Conservative(compress=conservative_compress),
        "conservative_variant": Conservative(compress=other_compress),
    }


def means(workload, policy, overrun="extend", estimates=None, shake_s=60, seed=None):
    """Mean response time and bounded slowdown (MF's formula, no floor) over all jobs, by the keys of `METRICS`.

    Parameters
    ----------
    workload, policy, overrun
        As for `simulate`.
    estimates : optional
        As for `Workload.with_estimates`; by default the workload's own.
    shake_s : int
        By up to how many seconds submit times are moved,
    seed : int, optional
        and with which seed; None leaves them as they are.
    """
    if estimates is not None:
        workload = workload.with_estimates(estimates)
    if seed is not None:
        workload = workload.shake(shake_s, seed)
    summary = simulate(workload, policy, overrun).summary(floor=None)
    return {metric: float(summary[mean]) for metric, mean in METRICS.items()}


def simulations(cases, names, executor=None):
    """Simulate many cases at once.

    Parameters
    ----------
    cases : dict
        The arguments of `means`, by a tuple that tells what the case is.
    names : sequence of str
        What the parts of that tuple are called.
    executor : concurrent.futures.Executor, optional

    Returns
    -------
    DataFrame
        A row a case, in their order: the columns `names` and those of `METRICS`.
    """
    results = sweeps.sweep(means, cases.values(), executor, label="simulations")
    return pd.concat([pd.DataFrame(list(cases), columns=names), pd.DataFrame(results)], axis=1)
