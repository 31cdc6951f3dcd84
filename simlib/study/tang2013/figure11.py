"""Figure 11: the accuracy of single jobs (section 4.2.4)."""

from itertools import product

import numpy as np
import pandas as pd

from ...analysis.stats import cluster_draws
from ...policies import walltime
from ..claims import Measure
from . import DOUBLE, TRIPLE, between_groups, smallest

LINES = {"original": None, "maximum": 100, "85th percentile": 85, "median": 50}
"""The lines of Figure 11 and their percentiles."""

STEPS = 1000
"""Quantiles of resampled accuracy are found to 1 / STEPS."""

QUANTILES = {"median" if q == 50 else f"q{q:02}": q / 100 for q in range(5, 100, 5)}
"""By metric the share of the jobs that are no more accurate: "q60" is the accuracy that 60 per cent do not exceed."""


def accuracies(trace, window, threshold, keys=(TRIPLE, DOUBLE), least=1, parameters=walltime.parameters, lines=LINES):
    """Work out the accuracy of each job by (key, line); a line is a percentile, or None, the users' own estimates."""
    jobs, t_act = trace.workload.jobs, trace.t_act
    schemes = {
        (key, line): walltime.Scheme(key, window, percentile, threshold, least, trace.project)
        for key, (line, percentile) in product(keys, lines.items())
        if percentile is not None
    }
    a = parameters(jobs, trace.ends, list(schemes.values()))
    for place in product(keys, lines):
        scheduled = walltime.t_sched(jobs.estimate, a[schemes[place]]) if place in schemes else jobs.estimate
        yield place, walltime.accuracy(t_act, scheduled)


def averages(
    traces,
    window="1 month",
    threshold=0.5,
    keys=(TRIPLE, DOUBLE),
    least=1,
    resamples=1000,
    seed=0,
    parameters=walltime.parameters,
    lines=LINES,
):
    """Average the accuracy of single jobs before and after adjustment, a row a resample of the users."""
    found = {}
    for number, trace in enumerate(traces):
        users, user = np.unique(trace.workload.jobs.user, return_inverse=True)
        drawn = cluster_draws(len(users), resamples, [seed, number]) * 1.0  # multiplied much faster than whole numbers
        for place, values in accuracies(trace, window, threshold, keys, least, parameters, lines):
            at = trace.name, *place
            found[*at, "mean"] = drawn @ np.bincount(user, values) / (drawn @ np.bincount(user))
            below = drawn @ _below(values, user, len(users))
            ours = np.quantile(values, list(QUANTILES.values()))
            for (metric, share), value in zip(QUANTILES.items(), ours, strict=True):
                resampled = ((below[1:] >= share * below[1:, -1:]).argmax(axis=1) + 0.5) / STEPS
                found[*at, metric] = np.append(value, resampled)
            if place[1] != "original":
                found[*at, "gain"] = found[*at, "median"] / found[*at[:2], "original", "median"] - 1
    names = ["trace", "key", "line", "metric"]
    return pd.DataFrame(found).rename_axis(index="replication", columns=names)


def _below(values, user, users):
    """How many jobs of each user have an accuracy of at most that of each of `STEPS` bins; the last takes 1 too."""
    bins = np.minimum((values * STEPS).astype(int), STEPS - 1)
    counts = np.bincount(user * STEPS + bins, minlength=users * STEPS).reshape(users, STEPS)
    return np.cumsum(counts, axis=1, dtype=float)


# What is measured of the text: claims TG-12, TG-26, TG-27 and TG-44


def line(found, key, name):
    """Take a line out of `averages` of one trace: by replication, a column each of `QUANTILES`."""
    return pd.DataFrame({share: found[key, name, metric] for metric, share in QUANTILES.items()})


def medians(found):
    """Measure how far the 85th percentile's median accuracy is above those of the other lines, by the triple key."""
    of = pd.DataFrame({name: found[TRIPLE, name, "median"] for name in LINES})
    best = of.pop("85th percentile")
    return {
        "best": smallest(-of.sub(best, axis=0)),
        "than the original": Measure.spread(found[TRIPLE, "85th percentile", "gain"]),
    }


def crossing(found):
    """Measure how far the median scheme is above the 85th percentile's, below the 0.4 quantile of jobs and above it."""
    more = line(found, TRIPLE, "median") - line(found, TRIPLE, "85th percentile")
    spans = {"below 0.4": (0.1, 0.35), "above 0.4": (0.45, 0.9)}
    return {part: Measure.spread(more.loc[:, low:high].mean(axis=1)) for part, (low, high) in spans.items()}


def _distances(found, key):
    """How far each adjusted line is from the users' own on average: by replication, a column each."""
    adjusted = [name for name in LINES if name != "original"]
    return pd.DataFrame(
        {name: (line(found, key, name) - line(found, key, "original")).abs().mean(axis=1) for name in adjusted}
    )


def nearer(found):
    """Measure by how much farther from the users' own line the adjusted ones are with the triple key, on average."""
    triple, double = (_distances(found, key).mean(axis=1) for key in (TRIPLE, DOUBLE))
    return {"nearer": between_groups(triple - double)}


def nearest(found):
    """Measure by how much farther from the users' own line the other adjusted ones are than that of the maximum."""
    others = _distances(found, TRIPLE)
    maximum = others.pop("maximum")
    return {"nearest": smallest(others.sub(maximum, axis=0))}


MEASURES = {"TG-12": medians, "TG-26": crossing, "TG-27": nearer, "TG-44": nearest}
