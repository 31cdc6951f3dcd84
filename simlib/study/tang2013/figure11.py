"""Figure 11: the accuracy of single jobs (section 4.2.4)."""

from functools import cached_property
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, PercentFormatter

from ...analysis.stats import cluster_draws
from ...plots.style import COLOURS
from ...policies import walltime
from .. import results
from ..claims import Measure
from ..exhibit import LOGS, Part
from ..parameters import RESAMPLES, SEED, SHARE, WINDOW, or_none, parameter, some, whole
from ..verdicts import published
from . import DOUBLE, KEY_NAMES, STAND_INS, TRACE, TRIPLE, OnTraces, between_groups, smallest
from .accuracy import decided, measured, similar

LINES = {"original": None, "maximum": 100, "85th percentile": 85, "median": 50}
"""The lines of Figure 11 and their percentiles."""

STEPS = 1000
"""Quantiles of resampled accuracy are found to 1 / STEPS."""

QUANTILES = {"median" if q == 50 else f"q{q:02}": q / 100 for q in range(5, 100, 5)}
"""By metric the share of the jobs that are no more accurate: "q60" is the accuracy that 60 per cent do not exceed."""

CLAIMS = dict.fromkeys(("TG-12", "TG-26", "TG-27"), LOGS)


class Figure11(OnTraces, name="tang2013/figure11", section="4.2.4", seconds=20, claims=CLAIMS):
    """How is the accuracy of single jobs distributed?"""

    trace: tuple = parameter(STAND_INS, TRACE)
    window: str | None = parameter("1 month", WINDOW)
    threshold: float | None = parameter(0.5, or_none(SHARE))
    least: tuple = parameter((1, 10), some(whole(1)))
    resamples: int = parameter(1000, RESAMPLES)
    seed: int = parameter(1, SEED)

    @cached_property
    def results(self):
        """Means and quantiles, from `averages`, by least: how many similar jobs there must be."""
        options = {"resamples": self.resamples, "seed": self.seed}
        found = {
            least: averages(self.found, self.window, self.threshold, least=least, **options) for least in self.least
        }
        return pd.concat(found, axis=1, names=["least"])

    @cached_property
    def comparison(self):
        """The same with its spread beside what the text prints, by (least, trace, key, line, metric)."""
        paper = published("tang2013_figure11").set_index(["key", "line", "metric"]).value
        return results.against(results.summary(self.results), paper)

    @property
    def table(self):
        """What the text prints, and the same of the double key, for reading, by (trace, key, line): all text."""
        part = self.comparison.loc[self.least[0]]
        part = part[part.index.isin(("median", "q60", "gain"), level="metric")]
        texts = pd.DataFrame({"paper": results.written(part.published, "{:.2f}")})
        texts["ours"] = results.with_intervals(part, "{:.2f}")
        wide = results.wide(texts.rename(index=KEY_NAMES, level="key"), "metric").swaplevel(axis=1)
        return wide.sort_index(axis=1, level=0, sort_remaining=False)

    @cached_property
    def settings(self):
        """Median accuracy with the triple key, by least, window, threshold, trace and line."""
        found = {}
        for least, window, threshold in product(self.least, (None, "1 month"), (None, 0.5)):
            ours = averages(self.found, window, threshold, (TRIPLE,), least, resamples=0).loc[results.AS_IT_IS]
            medians = ours.xs(("median", TRIPLE), level=("metric", "key"))
            found[least, window or "all", f"{threshold or 'none'}"] = medians
        return pd.concat(found, names=["least", "window", "threshold"]).rename("ours")

    def judge(self):
        of = {f"with {similar(least)}": self.results[least] for least in self.least}
        printed = as_printed(published("tang2013_figure11").query("key == @TRIPLE").set_index(["line", "metric"]).value)
        return [
            decided(id, {name: measured(measure, one) for name, one in of.items()}, printed.get(id))
            for id, measure in MEASURES.items()
        ]

    def parts(self):
        return {
            "": Part(lambda: self.comparison, self._draw, cells=self.cells),
            "settings": Part(lambda: self.settings.to_frame()),
        }

    def _draw(self):
        options = {"window": self.window, "threshold": self.threshold, "least": self.least[0]}
        return distributions({one.name: dict(accuracies(one, **options)) for one in self.found})


def accuracies(trace, window, threshold, keys=(TRIPLE, DOUBLE), least=1, parameters=walltime.parameters):
    """Work out the accuracy of each job: pairs of (key, line) and array. What A is `parameters` finds."""
    jobs, t_act = trace.workload.jobs, trace.t_act
    schemes = {
        (key, line): walltime.Scheme(key, window, percentile, threshold, least, trace.project)
        for key, (line, percentile) in product(keys, LINES.items())
        if percentile is not None
    }
    a = parameters(jobs, trace.ends, list(schemes.values()))
    for place in product(keys, LINES):
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
):
    """Average the accuracy of single jobs before and after adjustment, with a bootstrap over users.

    Rows are replications; columns are by trace, key, line and metric: `mean`, the `QUANTILES`, and `gain`, by which
    share the median is above that of the original line.
    """
    found = {}
    for number, trace in enumerate(traces):
        users, user = np.unique(trace.workload.jobs.user, return_inverse=True)
        drawn = cluster_draws(len(users), resamples, [seed, number]) * 1.0  # multiplied much faster than whole numbers
        for place, values in accuracies(trace, window, threshold, keys, least, parameters):
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


def distributions(by_trace):
    """Draw cumulative distributions of each job's accuracy, by trace and (key, line); a row a trace, a column a key."""
    keys = list(dict.fromkeys(key for key, _ in next(iter(by_trace.values()))))
    size = (1 + 4.2 * len(keys), 1 + 3.1 * len(by_trace))
    figure, axes = plt.subplots(len(by_trace), len(keys), figsize=size, sharex=True, sharey=True, squeeze=False)
    edges = np.arange(1, STEPS + 1) / STEPS
    colours = dict(zip(LINES, ("black", COLOURS[0], COLOURS[2], COLOURS[1]), strict=True))
    for ax, ((trace, found), (letter, key)) in zip(
        axes.flat, product(by_trace.items(), zip("ab", keys, strict=False)), strict=True
    ):
        for line, colour in colours.items():
            below = _below(found[key, line], 0, 1)[0] / len(found[key, line])
            ax.plot(edges, below, color=colour, linewidth=1.4, label=line)
        ax.axhline(0.5, color="grey", linestyle=":", linewidth=1)
        ax.set_title(f"({letter}) {trace}, {KEY_NAMES[key]}")
    for ax in axes[-1]:
        ax.set_xlabel("accuracy of a job's estimate")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes[0, 0].set(xlim=(0, 1), ylim=(0, 1))
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for ax in axes[:, 0]:
        ax.set_ylabel("jobs that are no more accurate")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(LINES))
    return figure


# What is measured of the text: claims TG-12, TG-26 and TG-27


def line(found, key, name):
    """Take a line out of `averages` of one trace: by replication, a column each of `QUANTILES`."""
    return pd.DataFrame({share: found[key, name, metric] for metric, share in QUANTILES.items()})


def medians(found):
    """Measure how far the 85th percentile's median accuracy is above those of the other lines, by the triple key."""
    of = pd.DataFrame({name: found[TRIPLE, name, "median"] for name in LINES})
    best = of.pop("85th percentile")
    return {
        "best": smallest(-of.sub(best, axis=0)),
        "than the median scheme": Measure.spread(best - of["median"]),
        "than the original": Measure.spread(found[TRIPLE, "85th percentile", "gain"]),
    }


def crossing(found):
    """Measure how far the median scheme is above the 85th percentile's, below the 0.4 quantile of jobs and above it."""
    more = line(found, TRIPLE, "median") - line(found, TRIPLE, "85th percentile")
    spans = {"below 0.4": (0.1, 0.35), "above 0.4": (0.45, 0.9)}
    return {part: Measure.spread(more.loc[:, low:high].mean(axis=1)) for part, (low, high) in spans.items()}


def nearer(found):
    """Measure by how much farther from the users' own line the adjusted ones are with the triple key, on average."""
    adjusted = [name for name in LINES if name != "original"]
    distance = {
        key: sum((line(found, key, name) - line(found, key, "original")).abs().mean(axis=1) for name in adjusted)
        for key in (TRIPLE, DOUBLE)
    }
    return {"nearer": between_groups((distance[TRIPLE] - distance[DOUBLE]) / len(adjusted))}


MEASURES = {"TG-12": medians, "TG-26": crossing, "TG-27": nearer}


def as_printed(paper):
    """Take the same from the printed numbers, by (line, metric), as far as they are printed."""
    above = [paper["median", metric] - paper["85th percentile", metric] for metric in ("median", "q60")]
    best = paper["85th percentile", "median"] - paper["median", "median"]
    return {
        "TG-12": {
            "best": Measure.exactly(best),
            "than the median scheme": Measure.exactly(best),
            "than the original": Measure.exactly(paper["85th percentile", "gain"]),
        },
        "TG-26": {"above 0.4": Measure.exactly(np.mean(above))},
    }
