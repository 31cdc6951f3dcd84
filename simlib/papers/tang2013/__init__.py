"""Tang, Desai, Buettner & Lan, JPDC 2013: the logs that stand in for its trace; a module for each group of exhibits."""

import tomllib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ... import archive, paths
from ...models import twin
from ...workload import Workload
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, cell, claim, log

STAND_INS = ("SDSC-SP2", "SDSC-DS")
DOUBLE, TRIPLE = "user+project", "user+project+estimate"
KEY_NAMES = {"project": "project", "user": "user", DOUBLE: "double key", TRIPLE: "triple key"}
"""The paper's names of the keys."""


@dataclass(frozen=True)
class Trace:
    """A log that stands in for the paper's.

    Attributes
    ----------
    name : str
        The log's name in the catalogue.
    workload : Workload
    project : str
        The column of the jobs table that is taken as the project.
    """

    name: str
    workload: Workload
    project: str

    @cached_property
    def ends(self):
        """When each job ended in the log's own times, in seconds."""
        return self.workload.ends

    @property
    def t_act(self):
        """Run times, in seconds, cut at the requested time: "for simplicity", R is 1 at most (section 3.2)."""
        jobs = self.workload.jobs
        return np.minimum(jobs.run, jobs.estimate)


def settings():
    """The rows of `data/published/tang2013_logs.toml`: which jobs of which logs, and what is their project."""
    return tomllib.loads((paths.DATA / "published" / "tang2013_logs.toml").read_text(encoding="utf-8"))["trace"]


def traces(names=STAND_INS):
    """The logs that stand in for the paper's, as far as they are on this machine; synthetic twins where none is.

    Parameters
    ----------
    names : str or sequence of str
        One log or several, out of those of `settings`.

    Returns
    -------
    here : list of Trace
    missing : list of str
        What is not on this machine.

    Raises
    ------
    ValueError
        For a log that has no setting.
    """
    names = [names] if isinstance(names, str) else list(names)
    known = {setting["log"]: setting for setting in settings()}
    if unknown := set(names) - set(known):
        raise ValueError(f"traces: found {', '.join(sorted(unknown))}, expected names out of {', '.join(known)}")
    loaded = {name: _load(name, known[name]["variants"]) for name in names}
    missing = [name for name, workload in loaded.items() if workload is None]
    if len(missing) == len(names):
        loaded = {name: twin.workload(name) for name in names}
    here = [
        Trace(name, workload.select(known[name]["jobs"]), known[name]["project"])
        for name, workload in loaded.items()
        if workload is not None
    ]
    return here, missing


def _load(name, variants):
    """The best of these variants of a log; None where none is on this machine."""
    here = [variant for variant in variants if archive.find(name, variant)]
    return log(name, here[0]) if here else None


def about(here):
    """Sentences that say what stands in for the paper's trace."""
    lines = [f"In place of the paper's log, which was never published: {', '.join(trace.name for trace in here)}"]
    for trace in here:
        if trace.project != "group":
            lines.append(f"{trace.name}: has no projects; the {trace.project} takes the project's place")
        if trace.workload.stand_in:
            lines.append(f"{trace.name}: a synthetic twin, made up; it proves nothing about the paper")
    return "\n".join(lines)


# Spread


def resampled(sums, counts, resamples=1000, seed=0):
    """Means over clusters of jobs, such as users or weeks, drawn with replacement.

    Jobs of one cluster are alike, so that a bootstrap of single jobs would make the spread far too small.

    Parameters
    ----------
    sums : array, a row a cluster
        What is to be averaged, summed over the cluster's jobs.
    counts : array, one number a cluster
        Its jobs.
    resamples : int
    seed : int or sequence of int

    Returns
    -------
    array, a row a resample, columns as `sums`
    """
    drawn = draws(len(counts), resamples, seed)
    return (drawn @ np.asarray(sums, float)) / (drawn @ np.asarray(counts))[:, None]


def draws(clusters, resamples, seed):
    """How often each cluster is drawn, a row a resample."""
    return np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)


# Verdicts


def decide(id, found):
    """The verdict on a claim from what holds on each log: reproduced if all, not if nothing, in part otherwise.

    Parameters
    ----------
    id : str
    found : dict
        By name of the log, a pair: a list of bool, whether each part of the claim holds; text with the numbers. Empty
        where there is no real log.
    """
    if not found:
        return claim(id, UNTESTED, "needs a real log: a synthetic twin proves nothing")
    holds = [part for parts, _ in found.values() for part in parts]
    verdict = REPRODUCED if all(holds) else PARTLY if any(holds) else NOT
    return claim(id, verdict, "; ".join(f"{name}: {text}" for name, (_, text) in found.items()))


def beside(trace, of, published, ours, low=None, high=None):
    """A printed number beside ours, for an exhibit's record: never judged, as no log is the paper's.

    Parameters
    ----------
    trace : str
    of : dict
        What else it is a number of.
    published, ours : float
    low, high : float, optional
        The spread of ours.
    """
    band = None if low is None else (low, ours, high)
    note = "the paper's machine, in other months" if trace == "ANL-Intrepid" else ""
    return cell({"trace": trace} | of, published, ours, band, same_log=False, note=note)


def real(here):
    """The traces that are logs, not twins."""
    return [trace for trace in here if not trace.workload.stand_in]
