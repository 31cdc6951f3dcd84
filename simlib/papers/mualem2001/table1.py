"""Table 1: mean response time and bounded slowdown by month, under EASY and conservative backfilling."""

from dataclasses import field
from functools import cached_property

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...plots import COLOURS, legend, plain_log_axis, scheduler_styles
from .. import results
from ..exhibit import LOGS, Part, repeats
from ..judging import LIKELY, TEXT, deviation, published
from . import CLOSE_TO, LABELS, METRICS, SCHEDULERS, TRACES, WHOLE, table1_claims
from .on_traces import OnTraces
from .pictures import PRINTED
from .replications import of_rules

CLAIMS = ("MF-08", "MF-09", "MF-10", "MF-11", "MF-12", "MF-13")

DECIMALS = {"load": 3, "jobs": 0, "response_s": 0, "bounded_slowdown": 1}
"""How many the table prints."""


class Table1(OnTraces, name="mualem2001/table1", section="3.2", seconds=60, claims=dict.fromkeys(CLAIMS, LOGS)):
    """EASY against conservative backfilling, month by month."""

    traces: tuple = TRACES
    rules: tuple = (TEXT, LIKELY)
    jobs: dict = field(default_factory=dict)
    estimates: dict = field(default_factory=dict)
    shakes: int = repeats(100)
    other_shakes: int = repeats(40)
    shake_s: int = 60
    seed: int = 0

    @cached_property
    def results(self):
        """The months of every trace, by (trace, scheduler, rule, replication, month, metric)."""
        found = [
            of_rules(each, self.policies, self.counts, shake_s=self.shake_s, seed=self.seed) for each in self.found
        ]
        return pd.concat(found, keys=[each.trace for each in self.found], names=["trace"]).drop(WHOLE, level="month")

    @cached_property
    def comparison(self):
        """Table 1 beside the printed one, by (trace, month, scheduler, metric, rule)."""
        table = results.by(results.summary(self.results), "trace", "month", "scheduler", "metric", "rule")
        return results.against(table, printed())

    @cached_property
    def differences(self):
        """By how much conservative exceeds EASY, relatively, by (trace, rule, replication, month, metric)."""
        by_scheduler = self.results.unstack("scheduler")
        return deviation(by_scheduler.conservative, by_scheduler.easy)

    @property
    def notes(self):
        """What the files lack, by (trace, month)."""
        return {(each.trace, month): why for each in self.found for month, why in each.absent.items()}

    @cached_property
    def cells(self):
        """The verdicts on its printed numbers; load and jobs of a month are judged once, under the first policy."""
        return results.cells(self.comparison.drop(index=self._repeated), self._about)

    def _about(self, of):
        note, metric = self.notes.get((of["trace"], of["month"]), ""), of["metric"]
        return {"close": CLOSE_TO.get(metric, 0.05), "decimals": DECIMALS[metric], "same_log": not note, "note": note}

    @property
    def _repeated(self):
        places = self.comparison.index
        of_all = places.isin(["load", "jobs"], level="metric")
        of_first = places.isin(SCHEDULERS[:1], level="scheduler") & places.isin(self.rules[:1], level="rule")
        return places[of_all & ~of_first]

    # For reading

    @property
    def loads(self):
        """Load and number of jobs of each month."""
        of_first = self.comparison.xs((SCHEDULERS[0], self.rules[0]), level=("scheduler", "rule"), drop_level=False)
        forms = {"load": "{:.3f}", "jobs": "{:,.0f}"}
        parts = [
            results.beside(of_first.xs(m, level="metric").droplevel("scheduler"), form, []) for m, form in forms.items()
        ]
        return pd.concat(parts, axis=1, keys=forms)

    def beside(self, metric):
        """One metric as the paper lays it out, by (trace, month), and by how much the schedulers differ."""
        form = "{:,.0f}" if metric == "response_s" else "{:,.1f}"
        part = self.comparison.xs(metric, level="metric")
        table = results.beside(part, form, "scheduler")
        values = {"paper": part.published.xs(self.rules[0], level="rule")}
        values |= {rule: part.ours.xs(rule, level="rule") for rule in self.rules}
        for name, of in values.items():
            wide = of.unstack("scheduler")
            table["difference", name] = results.written(deviation(wide.conservative, wide.easy), "{:+.1%}")
        return table

    @property
    def deviations(self):
        """How far we are off, by trace, scheduler and metric, over the months whose jobs are all in the file."""
        off = self.comparison.deviation[lambda of: of.index.get_level_values("metric").isin(list(METRICS))]
        whole = [place[:2] not in self.notes for place in off.index]
        off = off[whole].dropna().groupby(["trace", "scheduler", "metric", "rule"], sort=False)
        return off.agg(
            months="size", median=lambda of: of.abs().median(), bias="median", worst=lambda of: of.abs().max()
        ).unstack("rule")

    @property
    def own_inside(self):
        """How many of our own numbers, of the log as it is, lie in their bands: the share by trace and metric."""
        table = self.comparison.xs(self.rules[0], level="rule")
        inside = table.ours.between(table.low, table.high).unstack("metric")[list(METRICS)]
        return inside.groupby(["trace", "scheduler"], sort=False).mean().unstack("scheduler")

    # What it shows

    def judge(self):
        return table1_claims.claims(self.differences, printed_differences(self.found), self.rules)

    def parts(self):
        return {"": Part(lambda: self.comparison, self._draw, cells=lambda: self.cells)}

    def _draw(self):
        return months_at_a_glance(self.comparison.xs(self.rules[0], level="rule"), self.notes)


def printed():
    """The printed numbers by (trace, month, scheduler, metric); load and jobs stand under both schedulers."""
    table = published("mualem2001_table1").set_index(["trace", "month"])
    columns = {
        (scheduler, metric): table[metric if metric in ("load", "jobs") else f"{scheduler}_{metric}"]
        for scheduler in SCHEDULERS
        for metric in DECIMALS
    }
    return pd.DataFrame(columns).rename_axis(columns=["scheduler", "metric"]).stack(["scheduler", "metric"])


def printed_differences(traces):
    """By how much conservative exceeds EASY in print: a table by (trace, month) of these traces, a column a metric."""
    by_scheduler = printed().unstack("scheduler")
    difference = deviation(by_scheduler.conservative, by_scheduler.easy).unstack("metric")[list(METRICS)]
    months = pd.MultiIndex.from_tuples([(each.trace, month) for each in traces for month in each.month_edges[0]])
    return difference[difference.index.isin(months)]


def months_at_a_glance(table, notes):
    """Draw all months: a row of panels a metric, a column a trace; circles published, bars our shaken bands.

    Parameters
    ----------
    table : DataFrame
        By (trace, month, scheduler, metric), as from `results.against`.
    notes : dict
        Why a month cannot match, by (trace, month).
    """
    traces = list(table.index.unique("trace"))
    months = {trace: list(table.loc[trace].index.unique("month")) for trace in traces}
    widths = [max(len(months[trace]), 5) for trace in traces]
    size = (max(7, 2.5 + 0.14 * sum(widths)), 0.8 + 3.2 * len(METRICS))
    figure, axes = plt.subplots(
        len(METRICS), len(traces), figsize=size, width_ratios=widths, squeeze=False, sharex="col"
    )
    for column, trace in enumerate(traces):
        x = np.arange(len(months[trace]))
        for row, metric in enumerate(METRICS):
            _panel(axes[row, column], x, table.loc[trace].xs(metric, level="metric"))
            for place in (place for place, month in zip(x, months[trace], strict=True) if (trace, month) in notes):
                axes[row, column].axvspan(place - 0.5, place + 0.5, color="#EEEEEE", zorder=0)
            axes[row, 0].set_ylabel(LABELS[metric])
        axes[0, column].set_title(trace)
        step = 2 if len(x) > 12 else 1
        axes[-1, column].set_xticks(x[::step], months[trace][::step], rotation=90)
    bars = scheduler_styles(SCHEDULERS, linewidth=3.5, alpha=0.45)
    entries = {f"{name}, 95 % of shaken runs": style for name, style in bars.items()}
    entries |= {"published": PRINTED, "ours, not shaken": PRINTED | {"marker": "_"}}
    legend(figure, entries | ({"jobs missing from the file": {"facecolor": "#EEEEEE"}} if notes else {}))
    return figure


def _panel(ax, x, table):
    """One trace and metric; the table is by (month, scheduler)."""
    for scheduler, colour, shift in zip(SCHEDULERS, COLOURS[:2], (-0.17, 0.17), strict=True):
        part = table.xs(scheduler, level="scheduler")
        ax.vlines(x + shift, part.low, part.high, color=colour, linewidth=3.5, alpha=0.45)
        ax.plot(x + shift, part.ours, "_", color=colour, markersize=5)
        ax.plot(x + shift, part.published, "o", color=colour, fillstyle="none", markersize=5)
    plain_log_axis(ax)
    ax.set_xlim(-0.7, len(x) - 0.3)
