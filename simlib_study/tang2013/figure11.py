"""Figure 11: the accuracy of single jobs (section 4.2.4)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from simlib._util.arrays import Floats, Ints
from simlib.policies import adjusting

from ..claims import Measure
from ..judging import printed
from ..resampling import cluster_draws
from . import DOUBLE, TRIPLE, Parts, Trace, between_groups, smallest

LINES: Mapping[str, float | None] = {"original": None, "maximum": 100, "85th percentile": 85, "median": 50}
"""The lines of Figure 11 and their percentiles."""

STEPS = 1000
"""Quantiles of resampled accuracy are found to 1 / STEPS."""

QUANTILES = {"median" if q == 50 else f"q{q:02}": q / 100 for q in range(5, 100, 5)}
"""By metric the share of the jobs that are no more accurate: "q60" is the accuracy that 60 per cent do not exceed."""


def accuracies(
    trace: Trace,
    window: str | None,
    threshold: float | None,
    keys: Sequence[str] = (TRIPLE, DOUBLE),
    least: int = 1,
    lines: Mapping[str, float | None] = LINES,
) -> Iterator[tuple[tuple[str, str], Floats]]:
    """Work out the accuracy of each job by (key, line); a line is a percentile, or None, the users' own estimates."""
    jobs, t_act = trace.workload.jobs, trace.t_act
    schemes = {
        (key, line): adjusting.Scheme(key, window, percentile, threshold, least, trace.project)
        for key, (line, percentile) in product(keys, lines.items())
        if percentile is not None
    }
    a = adjusting.parameters(jobs, trace.ends, list(schemes.values()))
    for place in product(keys, lines):
        scheduled = adjusting.t_sched(jobs.estimate, a[schemes[place]]) if place in schemes else jobs.estimate
        yield place, adjusting.accuracy(t_act, scheduled)


def averages(
    traces: Iterable[Trace],
    window: str | None = "1 month",
    threshold: float | None = 0.5,
    keys: Sequence[str] = (TRIPLE, DOUBLE),
    least: int = 1,
    resamples: int = 1000,
    seed: int = 0,
    lines: Mapping[str, float | None] = LINES,
) -> pd.DataFrame:
    """Average the accuracy of single jobs before and after adjustment, a row a resample of the users."""
    found = {}
    for number, trace in enumerate(traces):
        users, user = np.unique(trace.workload.jobs.user, return_inverse=True)
        drawn = cluster_draws(len(users), resamples, [seed, number]) * 1.0  # multiplied much faster than whole numbers
        for place, values in accuracies(trace, window, threshold, keys, least, lines):
            at = trace.name, *place
            found[*at, "mean"] = drawn @ np.bincount(user, values) / (drawn @ np.bincount(user))
            below = drawn @ _below(values, user, len(users))
            ours = np.quantile(values, list(QUANTILES.values()))
            for (metric, share), value in zip(QUANTILES.items(), ours, strict=True):
                resampled = ((below[1:] >= share * below[1:, -1:]).argmax(axis=1) + 0.5) / STEPS
                found[*at, metric] = np.append(value, resampled)
            if place[1] != "original":
                found[*at, "gain"] = found[*at, "median"] / found[*at[:2], "original", "median"] - 1
    names = ["log", "key", "line", "metric"]
    return pd.DataFrame(found).rename_axis(index="run", columns=names)


def _below(values: Floats, user: Ints, users: int) -> Floats:
    """How many jobs of each user have an accuracy of at most that of each of `STEPS` bins; the last takes 1 too."""
    bins = np.minimum((values * STEPS).astype(int), STEPS - 1)
    counts = np.bincount(user * STEPS + bins, minlength=users * STEPS).reshape(users, STEPS)
    return np.cumsum(counts, axis=1, dtype=float)


# What is measured of the text: claims TG-12, TG-26, TG-27 and TG-44


def line(found: pd.DataFrame, key: str, name: str) -> pd.DataFrame:
    """Take a line out of `averages` of one log: by run, a column each of `QUANTILES`."""
    return pd.DataFrame({share: found[key, name, metric] for metric, share in QUANTILES.items()})


def _above(found: pd.DataFrame, low: float, high: float) -> Measure:
    """Measure how far the median scheme is above the 85th percentile's between two quantiles of the jobs."""
    more = line(found, TRIPLE, "median") - line(found, TRIPLE, "85th percentile")
    return Measure.spread(more.loc[:, low:high].mean(axis=1))


def _away(found: pd.DataFrame, key: str) -> pd.DataFrame:
    """Work out how far each adjusted line is from the users' own on average: by run, a column each."""
    lines = {name: line(found, key, name) for name in LINES}
    users = lines.pop("original")
    return pd.DataFrame({name: (of - users).abs().mean(axis=1) for name, of in lines.items()})


def _behind(found: pd.DataFrame, name: str) -> pd.DataFrame:
    """Work out how far below a line's median accuracy those of the others are: by run, a column each."""
    others = [other for other in LINES if other != name]
    return pd.DataFrame({other: found[TRIPLE, name, "median"] - found[TRIPLE, other, "median"] for other in others})


MEASURES: Mapping[str, Callable[[pd.DataFrame], Parts]] = {
    "TG-12": lambda of: {
        "best": smallest(_behind(of, "85th percentile")),
        "than the original": Measure.spread(of[TRIPLE, "85th percentile", "gain"]),
    },
    "TG-26": lambda of: {"below 0.4": _above(of, 0.1, 0.35), "above 0.4": _above(of, 0.45, 0.9)},
    "TG-27": lambda of: {"nearer": between_groups(_away(of, TRIPLE).mean(axis=1) - _away(of, DOUBLE).mean(axis=1))},
    "TG-44": lambda of: {
        "nearest": smallest(_away(of, TRIPLE).pipe(lambda away: away.sub(away.pop("maximum"), axis=0)))
    },
}


CIRCLES: Mapping[str, Any] = {"marker": "o", "fillstyle": "none", "linestyle": ""}
"""How printed numbers are drawn."""


def mark(ax: Axes, colours: Mapping[str, str]) -> None:
    """Draw what is printed of the triple key on lines of these colours: medians, and the accuracy at 60 per cent."""
    values: Any = printed("tang2013_figure11").xs(TRIPLE, level="key")
    for (line, metric), value in values.items():
        if line in colours and metric in QUANTILES:
            ax.plot(value, QUANTILES[metric], color=colours[line], zorder=3, **CIRCLES)
