"""Figures 4 to 10: how accurate schemes make the estimates, and how many too small (section 4.2)."""

from functools import cached_property, partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from ...plots.style import COLOURS, shades
from ...policies import walltime
from .. import results
from ..exhibit import LOGS, Part
from . import DOUBLE, KEY_NAMES, LEVEL_COLOURS, TRIPLE, accuracy, panels, percentile_axis, printed
from .accuracy import ALL, BALANCED, ORIGINAL, OfSchemes, against_all, curve, similar, study, threshold_effect
from .inaccuracy import used

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

LIGHT = {"alpha": 0.35, "linewidth": 1.2}
"""How a reading is drawn beside the first one."""


class Figures47(
    OfSchemes,
    name="tang2013/figures4-7",
    section="4.2.2",
    seconds=25,
    claims=dict.fromkeys(accuracy.SIMILARITY, LOGS),
):
    """How accurate do the schemes make the estimates, and how many too small?"""

    keys, windows = walltime.KEYS, (None,)

    @cached_property
    def comparison(self):
        """What the text says in numbers of Figures 4 to 6 beside ours, by (least, trace, quantity)."""
        places = product(self.least, [one.name for one in self.found])
        found = {(least, trace): self._numbers(self.results[least][trace]) for least, trace in places}
        columns = pd.concat(found, axis=1, names=["least", "trace", "quantity"])
        return self.beside_printed(results.against(results.summary(columns), printed("fig4", "fig5", "fig6")))

    def _numbers(self, found):
        """The quantities of the comparison on one trace: by replication, a column each."""
        users, best = found[*ORIGINAL, "accuracy"], curve(found, "accuracy")[70]
        balanced = curve(found, "accuracy", at=BALANCED)
        ranges = {
            "accuracy_p80_p90": balanced,
            "gain_p80_p90": balanced.div(users, axis=0) - 1,
            "drop_underestimated": threshold_effect(found, TRIPLE, self.threshold)[0],
        }
        for share in ("OE_share", "BE_share", "UE_share"):
            ranges[f"{share}_p80_p90"] = curve(found, share, at=BALANCED)
        columns = {"base_accuracy": users, "best_accuracy_triple_p70": best, "gain_triple_p70": best / users - 1}
        for name, values in ranges.items():
            columns |= {f"{name}_min": values.min(axis=1), f"{name}_max": values.max(axis=1)}
        return pd.DataFrame(columns)

    @property
    def figure4(self):
        """Mean accuracy without threshold, as `table`."""
        return self.table.query("metric == 'accuracy' and threshold == 0")

    @property
    def not_adjusted(self):
        """The share of jobs that the triple key leaves as they are, and why, by percentile."""
        found = {}
        for least, one in product(self.least, self.found):
            jobs, schemes = one.workload.jobs, walltime.schemes([TRIPLE], [None], least=least, project=one.project)
            for scheme, a in walltime.parameters(jobs, one.ends, schemes).items():
                same = walltime.t_sched(jobs.estimate, a) == jobs.estimate
                reasons = {"no history": a.isna(), "A is 1": same & a.notna()}
                found |= {(least, one.name, why, scheme.percentile): of.mean() for why, of in reasons.items()}
        return results.wide(pd.Series(found).rename_axis(["least", "trace", "why", "percentile"]))

    @property
    def bad_if_scaled(self):
        """The shares of bad estimates at the recommended percentiles, with all times scaled to the paper's mean run."""
        bad = {}
        for one, p in product(self.found, BALANCED):
            jobs = one.workload.jobs
            scheme = walltime.Scheme(window=None, percentile=p, least=self.least[0], project=one.project)
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
            schemes = walltime.schemes(BOTH, [None], least=self.least[0], project=one.project)
            for scheme, a in walltime.parameters(one.workload.jobs, one.ends, schemes).items():
                below[one.name, KEY_NAMES[scheme.key], scheme.percentile] = (a.dropna() < self.threshold).mean()
        return results.wide(pd.Series(below))

    @cached_property
    def at_median(self):
        """What a threshold changes that is each log's own median of R, by (threshold, trace, key, percentile, metric).

        `fewer` is the share of the underestimated jobs that no longer are; `accuracy` the change of the mean.
        """
        effects = {}
        for one in self.found:
            median = round(float(used(one).median()), 2)
            found = study([one], BOTH, thresholds=(None, median), least=self.least[0], resamples=0)
            for key in BOTH:
                for metric, effect in zip(
                    ("fewer", "accuracy"), threshold_effect(found[one.name], key, median), strict=True
                ):
                    effects[median, one.name, KEY_NAMES[key], metric] = effect.loc[results.AS_IT_IS]
        names = ["threshold", "trace", "key", "metric", "percentile"]
        return pd.concat(effects, names=names).rename("ours")

    def judge(self):
        return accuracy.similarity(self.results, self.threshold)

    def parts(self):
        found = {
            "": Part(lambda: self.table, cells=self.cells),
            "median-threshold": Part(lambda: self.at_median.to_frame()),
            "figure4": Part(
                lambda: self.figure4,
                lambda: by_percentile(self.figure4.ours, None if self.own else printed("fig4")),
            ),
        }
        for number in PANELS:
            found[f"figure{number}"] = Part(partial(self._levels, number), partial(self._draw_levels, number))
        return found

    def _levels(self, number):
        schemes = [(key, ALL, limited * self.threshold) for key, limited in PANELS[number]]
        levels = ["key", "window", "threshold"]
        return pd.concat([self.table.xs(scheme, level=levels, drop_level=False) for scheme in schemes])

    def _draw_levels(self, number):
        return level_shares(results.wide(self._levels(number).ours, "metric").droplevel("window"))


class Figures810(
    OfSchemes,
    name="tang2013/figures8-10",
    section="4.2.4",
    seconds=40,
    claims=dict.fromkeys([*accuracy.RECENCY, "TG-37"], LOGS),
):
    """How much history is enough?"""

    keys, windows = BOTH, walltime.WINDOWS

    @cached_property
    def comparison(self):
        """What the text says in numbers of Figure 10 and in its summary beside ours, by (least, trace, quantity)."""
        columns = {}
        for least, trace in product(self.least, [one.name for one in self.found]):
            found = self.results[least][trace]
            ranges = {
                f"drop_UE_{name}": accuracy.fewer_underestimates(found, key)
                for name, key in (("triple", TRIPLE), ("double", DOUBLE))
            }
            for share in ("UE_share", "BE_share"):
                ranges[f"{share}_p85"] = curve(found, share, TRIPLE, self.threshold, "1 month", accuracy.HIGH)
            for name, values in ranges.items():
                columns[least, trace, f"{name}_min"] = values.min(axis=1)
                columns[least, trace, f"{name}_max"] = values.max(axis=1)
        table = pd.DataFrame(columns).rename_axis(columns=["least", "trace", "quantity"])
        return self.beside_printed(results.against(results.summary(table), printed("fig10", "section7")))

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
        return accuracy.recency(self.results, self.threshold)

    def parts(self):
        found = {"": Part(lambda: self.table, cells=self.cells)}
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


def split(table):
    """Take a table apart by its level `least`: the rows of the first, and a list of (least, rows) of the others."""
    (_, first), *others = ((least, table.xs(least, level="least")) for least in table.index.unique("least"))
    return first, others


def light_legend(others):
    """Make what a legend says of the readings that are drawn light, or nothing."""
    return [Line2D([], [], color="black", label=f"light: {similar(least)}", **LIGHT) for least, _ in others]


def by_percentile(accuracy, paper=None):
    """Draw mean accuracy by percentile, a line a key, a panel a trace; grey is what the `paper` prints, if given."""
    first, others = split(accuracy.droplevel(["window", "threshold", "metric"]))
    traces = list(first.index.unique("trace"))
    figure, axes = panels(len(traces), 2, (4.8, 3.3), sharex=True, sharey=True)
    for ax, trace in zip(axes, traces, strict=True):
        for (key, label), colour, marker in zip(KEY_NAMES.items(), COLOURS, "osv^", strict=False):
            values = first[trace, key]
            style = {"color": colour, "marker": marker, "markersize": 5}
            if key == "user":  # where no user has two projects, the double key is the same: both are to be seen
                style |= {"markersize": 9, "fillstyle": "none", "linestyle": (0, (3, 3)), "zorder": 3}
            ax.plot(range(len(values)), values, label=label, **style)
            for _, other in others:
                ax.plot(range(len(values)), other[trace, key], color=colour, zorder=1, **LIGHT)
        users = first[trace][ORIGINAL[0]].iloc[0]
        ax.axhline(users, color="black", linestyle="--", linewidth=1, label="users' estimates")
        if paper is not None:
            best = {"color": "grey", "fillstyle": "none", "markersize": 8, "label": "printed: best (triple key)"}
            ax.plot(list(values.index).index(70), paper.best_accuracy_triple_p70, "o", **best)
            label = "printed: users' estimates"
            ax.axhline(paper.base_accuracy, color="grey", linestyle=":", linewidth=1.2, label=label)
        percentile_axis(ax, values.index)
        ax.set(title=trace, ylabel="mean accuracy")
        ax.label_outer()
    handles, _ = axes[0].get_legend_handles_labels()
    figure.legend(handles=[*handles, *light_legend(others)], loc="outside right upper")
    return figure


def level_shares(table):
    """Draw shares of jobs by how they were adjusted, stacked, and the mean accuracy as a line; light: other readings.

    The table is by (least, trace, key, percentile, threshold): a row of panels a trace, a column a key and threshold.
    """
    first, others = split(table)
    traces = first.index.unique("trace")
    schemes = first.index.droplevel(["trace", "percentile"]).unique()
    size = (1 + 4.6 * len(schemes), 1.1 + 2.7 * len(traces))
    figure, axes = plt.subplots(len(traces), len(schemes), figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, (trace, (letter, (key, threshold))) in zip(
        axes.flat, product(traces, zip("ab", schemes, strict=True)), strict=True
    ):
        of_panel = {"key": (trace, key, threshold), "level": ("trace", "key", "threshold")}
        part = first.xs(**of_panel)
        x = np.arange(len(part))
        stacked(ax, x - 0.14, part, 0.56)
        ax.plot(x - 0.14, part.accuracy, "o-", color="black", markersize=4, label="mean accuracy")
        for place, share in zip(x - 0.14, part.accuracy, strict=True):
            style = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center", "size": 8}
            ax.annotate(f"{share:.2f}", (place, share), **style)
        for _, other in others:
            stacked(ax, x + 0.29, other.xs(**of_panel), 0.22, alpha=0.5)
        limit = f"A at least {threshold:g}" if threshold else "no threshold"
        ax.set_title(f"({letter}) {trace}, {KEY_NAMES[key]}, {limit}")
        ax.grid(False)
        percentile_axis(ax, part.index)
        ax.label_outer()
    axes[0, 0].set_ylim(0, 1)
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for ax in axes[:, 0]:
        ax.set_ylabel("jobs")
    handles, _ = axes[0, 0].get_legend_handles_labels()
    handles += [Patch(color="grey", alpha=0.5, label=f"narrow, light: {similar(least)}") for least, _ in others]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def stacked(ax, x, part, width, alpha=1.0):
    """Draw the shares of the levels as stacked bars; those that are not light have labels."""
    bottom = np.zeros(len(part))
    for level, colour in list(LEVEL_COLOURS.items())[::-1]:
        label = level if alpha == 1 else None
        ax.bar(x, part[f"{level}_share"], width, bottom, color=colour, alpha=alpha, label=label)
        bottom = bottom + part[f"{level}_share"].to_numpy()


def by_window(table, changes, label):
    """Draw a metric by percentile, a line a window, and below it what the windows change; two panels a trace and key.

    Both tables are as from `results.summary`; intervals are drawn for the last window. Of other readings than the first
    only the first and the last window are drawn.
    """
    (first, others), (change, other_changes) = split(table), split(changes)
    windows, shown = change.index.unique("window"), list(change.index.droplevel([2, 3, 4, 5]).unique())
    across, colours = min(4, len(shown)), shades(windows)
    figure, axes = panels(2 * across * -(-len(shown) // across), across, (3.1, 2.8), sharex=True, sharey="row")
    uppers = [2 * place - place % across for place in range(len(shown))]
    pairs = [(axes[place], axes[place + across]) for place in uppers]
    for (upper, lower), (trace, key) in zip(pairs, shown, strict=True):

        def values(of, window, place=(trace, key)):
            return of.xs((*place, window), level=("trace", "key", "window"))

        x = range(len(values(change, windows[-1])))
        for window in windows:
            style = {"color": colours[window], "marker": ".", "linewidth": 1.4}
            upper.plot(x, values(first, window).ours, label=window, **style)
            if window != windows[0]:
                lower.plot(x, 100 * values(change, window).ours, **style)
        for (_, other), (_, other_change) in zip(others, other_changes, strict=True):
            for window in windows[[0, -1]]:
                upper.plot(x, values(other, window).ours, color=colours[window], **LIGHT)
            lower.plot(x, 100 * values(other_change, windows[-1]).ours, color=colours[windows[-1]], **LIGHT)
        band = 100 * values(change, windows[-1])
        lower.fill_between(x, band.low, band.high, color=colours[windows[-1]], alpha=0.2)
        lower.axhline(0, color=colours[windows[0]], linewidth=1.4)
        percentile_axis(lower, band.index.get_level_values("percentile"))
        lower.tick_params("x", labelrotation=90, labelbottom=True)
        upper.set_title(f"({'ab'[BOTH.index(key)]}) {trace}, {KEY_NAMES[key]}")
    for ax in set(axes) - {ax for pair in pairs for ax in pair}:
        ax.set_axis_off()
    for upper, lower in pairs[::across]:
        upper.set_ylabel(label)
        lower.set_ylabel(f"change against {windows[0]} history\n[percentage points]")
    handles, _ = axes[0].get_legend_handles_labels()
    figure.legend(handles=[*handles, *light_legend(others)], loc="outside right upper", title="history")
    return figure
