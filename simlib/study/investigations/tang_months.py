"""Which reading of sections 4.1 and 4.2 meets best what is printed there, and where? (sections 4.2.2 to 4.2.5)

The notebook has the readings. Each is held against the claims on Figures 4 to 11.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd

from ..._util.compiled import compiled
from ...engine.estimating import advance
from ...policies import walltime
from .. import claims, results
from ..tang2013 import DOUBLE, TRIPLE, accuracy, figure11
from ..tang2013.accuracy import ORIGINAL, similar, study

OPTIONS = {
    "history": ("ended before", "ended by then", "a month of 31 days", "submitted before"),
    "percentile": ("interpolated", "as in Cobalt"),
    "jobs": ("all", "completed"),
}
"""How the text can be read; the first of each is how the study does."""

PLACE = ["least", "floor", "choice", "option"]
"""What tells readings apart: how many similar jobs, the lowest A of Figures 8 to 10 (0 is any), a further choice."""

TEXT = "none", "as the study"
"""The choice and option of a reading that differs from the study's own in nothing else."""

THRESHOLD = 0.5
"""On A, in Figures 6, 7 and 11."""


@dataclass(frozen=True)
class Reading:
    """A reading of the text: one of the `OPTIONS` for each."""

    history: str = "ended before"
    percentile: str = "interpolated"
    jobs: str = "all"

    def __post_init__(self):
        for name, options in OPTIONS.items():
            if getattr(self, name) not in options:
                raise ValueError(f"Reading: found {name}={getattr(self, name)!r}, expected {', '.join(options)}")

    def traces(self, traces):
        """Choose the jobs that count."""
        if self.jobs == "all":
            return traces
        return [replace(trace, workload=trace.workload.select("status in (1, -1)")) for trace in traces]

    def parameters(self, jobs, ends, schemes):
        """Find adjustment parameters, as `walltime.parameters`."""
        ends = {"ended by then": ends - 1, "submitted before": jobs.submit}.get(self.history, ends)
        month = "31 days" if self.history == "a month of 31 days" else "1 month"
        asked = [replace(scheme, window=scheme.window and month) for scheme in schemes]
        find = walltime.parameters if self.percentile == "interpolated" else without_interpolation
        return find(jobs, ends, asked)[asked].set_axis(pd.Index(schemes), axis=1)


# What do the claims say under each reading?


def measured(traces, readings, least, floors=(0, THRESHOLD), resamples=200, seed=1):
    """Measure each part of each claim on Figures 4 to 11 under each reading, by choice and option, on each log.

    Each is taken with each number of similar jobs of `least` and each lowest A of `floors` in Figures 8 to 10, 0 for
    any. Gives one row for each replication of a bootstrap over users, the first for the users as they are.
    """
    found = {}
    for similar_jobs, (name, reading) in product(least, readings.items()):
        how = {"least": similar_jobs, "resamples": resamples, "seed": seed, "parameters": reading.parameters}
        for floor, log, claim, measures in _of_claims(reading.traces(traces), floors, **how):
            for part, measure in measures.items():
                runs = measure.runs or [np.nan] * resamples
                found[similar_jobs, float(floor), *name, log, claim, part] = [measure.value, *runs]
    return pd.DataFrame(found).rename_axis(index="replication", columns=[*PLACE, "trace", "claim", "part"])


def _of_claims(traces, floors, **how):
    """Measure the claims under a reading: tuples of floor, log, claim and Measure by part."""
    thresholds = list(dict.fromkeys([None, THRESHOLD, *(floor or None for floor in floors)]))
    schemes = study(traces, walltime.KEYS, thresholds=thresholds, **how)
    recent = study(traces, (TRIPLE, DOUBLE), ("1 month",), thresholds=thresholds, **how)
    schemes = pd.concat([schemes, recent.drop(columns=ORIGINAL[0], level="key")], axis=1)
    jobs = figure11.averages(traces, "1 month", THRESHOLD, **how)
    for log in (one.name for one in traces):
        found = {claim: measure(schemes[log]) for claim, measure in accuracy.SIMILARITY.items()}
        found |= {claim: measure(jobs[log]) for claim, measure in figure11.MEASURES.items()}
        for floor in floors:
            recency = {claim: measure(schemes[log], floor or None) for claim, measure in accuracy.RECENCY.items()}
            for claim, measures in (found | recency).items():
                yield floor, log, claim, measures


# Which claims are met?


def met(measured):
    """Tell which share of each claim each reading meets: the share of its parts, of a part the share of the logs."""
    criteria = [claims.criteria()[claim][part] for *_, claim, part in measured]
    above, below = (np.array([getattr(one, bound) for one in criteria]) for bound in ("above", "below"))
    inside = (measured > above) & (measured < below)
    found = inside.astype(float).where(measured.notna()).T  # nan where there was nothing to measure
    for level in ("trace", "part"):
        found = found.groupby([name for name in found.index.names if name != level], sort=False).mean()
    return found.T


# Which reading meets most?


def ranking(scores):
    """Rank readings by their scores by replication, the best first, with how far each is `behind` it."""
    table = results.spread(scores, resampled=True).sort_values("ours", ascending=False, kind="stable")
    behind = results.spread(scores.rsub(scores[table.index[0]], axis=0), resampled=True)[["ours", "low", "high"]]
    return table.join(behind.set_axis(["behind", "behind_low", "behind_high"], axis=1))


# What does each choice change by itself?


def changes(scores):
    """Work out what each choice alone changes in the score, by the reading it is made in; `clear` of zero or not."""
    found, (first, *_), (lowest, *floors) = {}, *(list(scores.columns.unique(level)) for level in ("least", "floor"))
    for least, floor, choice, option in scores:
        base = scores[least, floor, *TEXT]
        if (choice, option) != TEXT:
            found[choice, option, least, floor] = scores[least, floor, choice, option] - base
        elif least != first:
            found["least", similar(least), least, floor] = base - scores[first, floor, *TEXT]
    for least, floor in product(scores.columns.unique("least"), floors):
        found["floor", of_floor(floor), least, floor] = scores[least, floor, *TEXT] - scores[least, lowest, *TEXT]
    return differences(found, ["choice", "option", "least", "floor"])


def differences(found, names):
    """Summarize differences by replication, Series by what they are of; `clear` where 95 % lie on one side of zero."""
    if not found:
        return pd.DataFrame(index=pd.MultiIndex.from_arrays([[]] * len(names), names=names))
    table = results.spread(pd.DataFrame(found).rename_axis(index="replication", columns=names), resampled=True)
    return table.assign(clear=(table.low > 0) | (table.high < 0))


# Where does it change?


def where(met, figures):
    """Work out, by figures that have claims, what it changes that there must be more similar jobs; as `changes`."""
    (first, *others), found = list(met.columns.unique("least")), {}
    for (name, ids), least, floor in product(figures.items(), others, met.columns.unique("floor")):
        of, before = (met[[(one, floor, *TEXT, id) for id in ids]].mean(axis=1) for one in (least, first))
        found[name, least, floor] = of - before
    return differences(found, ["figures", "least", "floor"])


def of_floor(floor):
    """Say in words how low A may be."""
    return f"{f'A at least {floor:g}' if floor else 'any A'} in Figures 8 to 10"


# Percentiles without interpolation


def without_interpolation(jobs, ends, schemes):
    """Find adjustment parameters as `walltime.parameters`, each one of the earlier jobs' R values: see `Reading`."""
    past, submit, found, passes = jobs.assign(end=ends), jobs.submit.to_numpy(), {}, {}
    for scheme in schemes:
        passes.setdefault((tuple(scheme.columns), scheme.window_s, scheme.least), []).append(scheme)
    for (_, window, least), part in passes.items():
        history, group, _ = walltime.Adjustment(part[0], past=past).history(jobs)
        shares = sorted({scheme.percentile / 100 for scheme in part})
        a = _earlier(history, group, submit, window, np.array(shares), least)
        found |= {one: np.maximum(a[:, shares.index(one.percentile / 100)], one.threshold or 0) for one in part}
    return pd.DataFrame({scheme: found[scheme] for scheme in schemes}, index=jobs.index)


@compiled
def _earlier(history, group, submit, window, shares, least):
    """Find A of each job, a column a share."""
    a = np.full((group.size, shares.size), np.nan)
    for job in range(group.size):
        one = group[job]
        if one >= 0:
            advance(history, one, submit[job], window)
            count = history.taken[one] - history.forgotten[one]
            for column in range(shares.size if count >= least else 0):
                a[job, column] = history.eligible[history.offset[one] + min(int(shares[column] * count), count - 1)]
    return a


def compile_kernel():
    """Use the kernel once."""
    jobs = pd.DataFrame({"submit": [0], "run": 1, "estimate": 1, "user": 1})
    without_interpolation(jobs, jobs.submit, [walltime.Scheme("user")])
