"""Figures 4 to 10: how accurate schemes make the estimates, and how many too small (section 4.2)."""

from functools import cached_property, partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from ... import walltime
from ...plots import COLOURS, shades
from .. import results
from ..exhibit import LOGS, Part
from . import DOUBLE, KEY_NAMES, TRIPLE, accuracy_claims, printed
from .accuracy import ALL, ORIGINAL, OfSchemes, against_all, place, study, threshold_effect
from .inaccuracy import used
from .pictures import LEVEL_COLOURS, percentile_axis

BOTH = (TRIPLE, DOUBLE)
PANELS = {
    5: ((TRIPLE, False), (DOUBLE, False)),
    6: ((TRIPLE, False), (TRIPLE, True)),
    7: ((DOUBLE, False), (DOUBLE, True)),
}
"""By figure the key of each panel, and whether the threshold applies."""

WINDOWED = {
    8: ("accuracy", "mean accuracy"),
    9: ("BE_share", "share of jobs with bad estimates"),
    10: ("UE_share", "share of underestimated jobs"),
}
"""By figure its metric, and that one's name."""

SIMILARITY = {f"TG-{number:02}": LOGS for number in range(4, 10)}
RECENCY = {"TG-10": LOGS, "TG-11": LOGS}


class Figures47(OfSchemes, name="tang2013/figures4-7", section="4.2.2", seconds=25, claims=SIMILARITY):
    """How accurate do the schemes make the estimates, and how many too small?"""

    keys, windows = walltime.KEYS, (None,)

    @cached_property
    def comparison(self):
        """What the text says in numbers of Figures 4 to 6 beside ours, by (trace, quantity)."""
        fewer = threshold_effect(self.results, self.threshold).xs(("fewer", TRIPLE), axis=1, level=("metric", "key"))
        columns = {}
        for trace in fewer.columns.unique("trace"):
            of = self.results[trace]
            columns[trace, "base_accuracy"] = of[*ORIGINAL, "accuracy"]
            columns[trace, "best_accuracy_triple_p70"] = of[*place(TRIPLE, 70), "accuracy"]
            ranges = {"drop_underestimated": fewer[trace]}
            for share in ("BE_share", "UE_share"):
                ranges[f"{share}_p80_p90"] = of[[(*place(TRIPLE, p), share) for p in accuracy_claims.BALANCED]]
            for name, values in ranges.items():
                columns[trace, f"{name}_min"], columns[trace, f"{name}_max"] = values.min(axis=1), values.max(axis=1)
        table = results.summary(pd.DataFrame(columns).rename_axis(columns=["trace", "quantity"]))
        return results.against(table, printed("fig4", "fig5", "fig6"))

    @property
    def figure4(self):
        """Mean accuracy without threshold, as `table`."""
        return self.table.query("metric == 'accuracy' and threshold == 0")

    @property
    def bad_if_scaled(self):
        """The shares of bad estimates at the recommended percentiles, with all times scaled to the paper's mean run."""
        bad = {}
        for one, p in product(self.found, accuracy_claims.BALANCED):
            jobs = one.workload.jobs
            scheme = walltime.Scheme(window=None, percentile=p, project=one.project)
            scheduled = walltime.adjusted(jobs, one.ends, scheme).t_sched
            for times, factor in (("as they are", 1), ("scaled", printed("table1").mean_run / jobs.run.mean())):
                levels = walltime.levels(factor * one.t_act, factor * jobs.estimate, factor * scheduled)
                bad[one.name, times, p] = (levels == "BE").mean()
        return results.wide(pd.Series(bad))

    @property
    def below_threshold(self):
        """The share of the adjusted jobs for which A would be below the threshold, by trace, key and percentile."""
        below = {}
        for one in self.found:
            schemes = walltime.schemes(BOTH, [None], project=one.project)
            for scheme, a in walltime.parameters(one.workload.jobs, one.ends, schemes).items():
                below[one.name, KEY_NAMES[scheme.key], scheme.percentile] = (a.dropna() < self.threshold).mean()
        return results.wide(pd.Series(below))

    @cached_property
    def at_median(self):
        """What a threshold changes that is each log's own median of R, by threshold and as `threshold_effect`."""
        effects = {}
        for one in self.found:
            median = round(float(used(one).median()), 2)
            found = study([one], BOTH, thresholds=(None, median), resamples=0)
            effects[median] = threshold_effect(found, median).loc[results.AS_IT_IS]
        found = pd.concat(effects, names=["threshold"]).rename(index=KEY_NAMES, level="key")
        return found.rename("ours")

    def judge(self):
        return accuracy_claims.similarity(self.results)

    def parts(self):
        found = {
            "": Part(lambda: self.table, cells=self.cells),
            "median-threshold": Part(lambda: self.at_median.to_frame()),
            "figure4": Part(lambda: self.figure4, lambda: by_percentile(self.figure4.ours)),
        }
        for number in PANELS:
            found[f"figure{number}"] = Part(partial(self._levels, number), partial(self._draw_levels, number))
        return found

    def _levels(self, number):
        panels = [(key, ALL, limited * self.threshold) for key, limited in PANELS[number]]
        levels = ["key", "window", "threshold"]
        return pd.concat([self.table.xs(panel, level=levels, drop_level=False) for panel in panels])

    def _draw_levels(self, number):
        return level_shares(results.wide(self._levels(number).ours, "metric").droplevel("window"))


class Figures810(OfSchemes, name="tang2013/figures8-10", section="4.2.4", seconds=40, claims=RECENCY):
    """How much history is enough?"""

    keys, windows = BOTH, walltime.WINDOWS

    @cached_property
    def changes(self):
        """What each window changes against all history, as `table`."""
        return results.summary(against_all(self.results))

    @property
    def not_adjusted(self):
        """The share of jobs that the 85th percentile without threshold leaves as they are, a column a window."""
        shares = self.table.query("metric == 'NA_share' and percentile == 85 and threshold == 0").ours
        shares = results.wide(shares.droplevel(["percentile", "threshold", "metric"]), "window")
        return shares.rename(index=KEY_NAMES, level="key")

    def judge(self):
        return accuracy_claims.recency(self.results)

    def parts(self):
        found = {"": Part(lambda: self.table)}
        for number, (suffix, limit) in product(WINDOWED, (("", 0.0), ("_threshold", self.threshold))):
            metric, name = WINDOWED[number]
            rows = f"metric == '{metric}' and threshold == {limit}"
            draw = partial(self._draw, rows, name)
            found[f"figure{number}{suffix}"] = Part(partial(self._changes, rows), draw)
        return found

    def _changes(self, rows):
        return self.changes.query(rows)

    def _draw(self, rows, name):
        return by_window(self.table.query(rows), self._changes(rows), name)


def by_percentile(accuracy):
    """Draw mean accuracy by percentile, a line a key, a panel a trace; grey is what the paper prints."""
    traces, paper = list(accuracy.index.unique("trace")), printed("fig4")
    figure, axes = plt.subplots(1, len(traces), figsize=(1.2 + 4.2 * len(traces), 3.8), sharey=True, squeeze=False)
    for ax, trace in zip(axes[0], traces, strict=True):
        for (key, label), colour, marker in zip(KEY_NAMES.items(), COLOURS, "osv^", strict=False):
            values = accuracy.xs((trace, key), level=("trace", "key")).droplevel(["window", "threshold", "metric"])
            style = {"color": colour, "marker": marker, "markersize": 5}
            if key == "user":  # where no user has two projects, the double key is the same: both are to be seen
                style |= {"markersize": 9, "fillstyle": "none", "linestyle": (0, (3, 3)), "zorder": 3}
            ax.plot(range(len(values)), values, label=label, **style)
        users = accuracy[trace, *ORIGINAL, "accuracy"]
        ax.axhline(users, color="black", linestyle="--", linewidth=1, label="users' estimates")
        best = {"color": "grey", "fillstyle": "none", "markersize": 8, "label": "printed: best (triple key)"}
        ax.plot(list(values.index).index(70), paper.best_accuracy_triple_p70, "o", **best)
        ax.axhline(paper.base_accuracy, color="grey", linestyle=":", linewidth=1.2, label="printed: users' estimates")
        percentile_axis(ax, values.index)
        ax.set_title(trace)
    axes[0, 0].set_ylabel("mean accuracy")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def level_shares(table):
    """Draw shares of jobs by how they were adjusted, stacked, and the mean accuracy as a line.

    The table is by (trace, key, percentile, threshold): a row of panels a trace, a column a key and threshold.
    """
    traces = table.index.unique("trace")
    panels = table.index.droplevel(["trace", "percentile"]).unique()
    size = (1 + 4.3 * len(panels), 1.1 + 2.7 * len(traces))
    figure, axes = plt.subplots(len(traces), len(panels), figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, (trace, (key, threshold)) in zip(axes.flat, product(traces, panels), strict=True):
        part = table.xs((trace, key, threshold), level=("trace", "key", "threshold"))
        bottom = np.zeros(len(part))
        for level, colour in list(LEVEL_COLOURS.items())[::-1]:
            ax.bar(range(len(part)), part[f"{level}_share"], 0.8, bottom, color=colour, label=level)
            bottom = bottom + part[f"{level}_share"].to_numpy()
        ax.plot(range(len(part)), part.accuracy, "o-", color="black", markersize=4, label="mean accuracy")
        for x, accuracy in enumerate(part.accuracy):
            style = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center", "size": 8}
            ax.annotate(f"{accuracy:.2f}", (x, accuracy), **style)
        limit = f"A at least {threshold:g}" if threshold else "no threshold"
        ax.set_title(f"{trace}, {KEY_NAMES[key]}, {limit}")
        ax.grid(False)
        percentile_axis(ax, part.index)
        ax.label_outer()
    axes[0, 0].set_ylim(0, 1)
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for ax in axes[:, 0]:
        ax.set_ylabel("jobs")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside upper center", ncols=len(labels))
    return figure


def by_window(table, changes, label):
    """Draw a metric by percentile, a line a window, and below it what the windows change; a column a trace and key.

    Both tables are as from `results.summary`; intervals are drawn for the last window.
    """
    windows, panels = changes.index.unique("window"), list(changes.index.droplevel([2, 3, 4, 5]).unique())
    size = (1.4 + 3.1 * len(panels), 6)
    figure, axes = plt.subplots(2, len(panels), figsize=size, sharex=True, sharey="row", squeeze=False)
    colours = shades(windows)
    for (upper, lower), (trace, key) in zip(axes.T, panels, strict=True):
        for window in windows:
            place = {"key": (trace, key, window), "level": ("trace", "key", "window")}
            values, change = table.xs(**place).ours, 100 * changes.xs(**place)
            style = {"color": colours[window], "marker": ".", "linewidth": 1.4}
            upper.plot(range(len(values)), values, label=window, **style)
            if window != windows[0]:
                lower.plot(range(len(change)), change.ours, **style)
        lower.fill_between(range(len(change)), change.low, change.high, color=colours[window], alpha=0.2)
        lower.axhline(0, color=colours[windows[0]], linewidth=1.4)
        percentile_axis(lower, change.index.get_level_values("percentile"))
        lower.tick_params("x", labelrotation=90)
        upper.set_title(f"{trace}, {KEY_NAMES[key]}")
    axes[0, 0].set_ylabel(label)
    axes[1, 0].set_ylabel(f"change against {windows[0]} history\n[percentage points]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right upper", title="history")
    return figure
