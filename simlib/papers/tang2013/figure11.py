"""Figure 11: the accuracy of single jobs (section 4.2.4)."""

from functools import cached_property
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, PercentFormatter

from ... import walltime
from ...confidence import cluster_draws
from ...plots import COLOURS
from .. import results
from ..exhibit import LOGS, Part
from ..judging import published
from . import DOUBLE, KEY_NAMES, STAND_INS, TRIPLE, decide, said, spread
from .accuracy_claims import points
from .on_traces import OnTraces

LINES = {"original": None, "maximum": 100, "85th percentile": 85, "median": 50}
"""The lines of Figure 11 and their percentiles."""

STEPS = 1000
"""Quantiles of resampled accuracy are found to 1 / STEPS."""


class Figure11(OnTraces, name="tang2013/figure11", section="4.2.4", seconds=20, claims={"TG-12": LOGS}):
    """How is the accuracy of single jobs distributed?"""

    trace: tuple = STAND_INS
    window: str | None = "1 month"
    threshold: float | None = 0.5
    resamples: int = 1000
    seed: int = 1

    @cached_property
    def results(self):
        """Means, medians and so on, from `averages`."""
        return averages(self.found, self.window, self.threshold, resamples=self.resamples, seed=self.seed)

    @cached_property
    def comparison(self):
        """The same with its spread beside what the text prints, by (trace, key, line, metric)."""
        paper = published("tang2013_figure11").set_index(["key", "line", "metric"]).value
        return results.against(results.summary(self.results), paper)

    @property
    def table(self):
        """The same for reading, without the means: all text."""
        part = self.comparison.drop("mean", level="metric")
        texts = pd.DataFrame({"paper": results.written(part.published, "{:.2f}")})
        texts["ours"] = [said(row.ours, row) for row in part.itertuples()]
        wide = results.wide(texts.rename(index=KEY_NAMES, level="key"), "metric").swaplevel(axis=1)
        return wide.sort_index(axis=1, level=0, sort_remaining=False)

    @cached_property
    def settings(self):
        """Median accuracy with the triple key, by window, threshold, trace and line."""
        found = {}
        for window, threshold in product((None, "1 month"), (None, 0.5)):
            ours = averages(self.found, window, threshold, (TRIPLE,), resamples=0).loc[results.AS_IT_IS]
            medians = ours.xs(("median", TRIPLE), level=("metric", "key"))
            found[window or "all", f"{threshold or 'none'}"] = medians
        return pd.concat(found, names=["window", "threshold"]).rename("ours")

    def judge(self):
        return [decide("TG-12", {one.name: _medians(self.results[one.name]) for one in self.found})]

    def parts(self):
        return {
            "": Part(lambda: self.comparison, self._draw, cells=self.cells),
            "settings": Part(lambda: self.settings.to_frame()),
        }

    def _draw(self):
        return distributions({one.name: dict(accuracies(one, self.window, self.threshold)) for one in self.found})


def accuracies(trace, window, threshold, keys=(TRIPLE, DOUBLE)):
    """Work out the accuracy of each job: pairs of (key, line) and array."""
    jobs, t_act = trace.workload.jobs, trace.t_act
    for key, (line, percentile) in product(keys, LINES.items()):
        scheduled = jobs.estimate
        if percentile is not None:
            scheme = walltime.Scheme(key, window, percentile, threshold, project=trace.project)
            scheduled = walltime.adjusted(jobs, trace.ends, scheme).t_sched
        yield (key, line), walltime.accuracy(t_act, scheduled)


def averages(traces, window="1 month", threshold=0.5, keys=(TRIPLE, DOUBLE), resamples=1000, seed=0):
    """Average the accuracy of single jobs before and after adjustment, with a bootstrap over users.

    Rows are replications; columns are by trace, key, line and metric: `mean`, `median`, and `q60`, the accuracy that
    60 per cent of the jobs do not exceed.
    """
    found = {}
    for number, trace in enumerate(traces):
        users, user = np.unique(trace.workload.jobs.user, return_inverse=True)
        drawn = cluster_draws(len(users), resamples, [seed, number]) * 1.0  # multiplied much faster than whole numbers
        for place, values in accuracies(trace, window, threshold, keys):
            found[trace.name, *place, "mean"] = drawn @ np.bincount(user, values) / (drawn @ np.bincount(user))
            below = drawn @ _below(values, user, len(users))
            for metric, share in (("median", 0.5), ("q60", 0.6)):
                resampled = ((below[1:] >= share * below[1:, -1:]).argmax(axis=1) + 0.5) / STEPS
                found[trace.name, *place, metric] = np.append(np.quantile(values, share), resampled)
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
    for ax, ((trace, found), key) in zip(axes.flat, product(by_trace.items(), keys), strict=True):
        for line, colour in colours.items():
            below = _below(found[key, line], 0, 1)[0] / len(found[key, line])
            ax.plot(edges, below, color=colour, linewidth=1.4, label=line)
        ax.axhline(0.5, color="grey", linestyle=":", linewidth=1)
        ax.set_title(f"{trace}, {KEY_NAMES[key]}")
    for ax in axes[-1]:
        ax.set_xlabel("accuracy of a job's estimate")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes[0, 0].set(xlim=(0, 1), ylim=(0, 1))
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for ax in axes[:, 0]:
        ax.set_ylabel("jobs that are no more accurate")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(LINES))
    return figure


def _medians(found):
    """Triple key: the 85th percentile has the highest median accuracy, at least 21 per cent (half of 42) above none."""
    medians = found[TRIPLE].xs("median", axis=1, level="metric")
    ours, best = medians.loc[results.AS_IT_IS], medians["85th percentile"]
    gain = spread(best / medians.original - 1)
    text = (
        ", ".join(f"{line} {value:.2f}" for line, value in ours.items())
        + f"; 85th against original {said(*gain, '{:+.0%}')}, against the median scheme "
        + points(*spread(best - medians["median"]))
    )
    return [ours["85th percentile"] == ours.max(), gain[0] >= 0.21], text
