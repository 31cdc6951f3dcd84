"""Table 1: mean response time and bounded slowdown by month, under EASY and conservative backfilling.

And the numbers of jobs of the logs that section 3.1 prints.
"""

from functools import cached_property

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from ...plots.panels import legend, plain_log_axis
from ...plots.style import COLOURS, scheduler_styles
from .. import results
from ..claims import PRINTED, Measure, decide
from ..exhibit import LOGS, Part
from ..parameters import SECONDS, SEED, WORDS, by_name, one_of, parameter, repeats, some_of
from ..results import AS_IT_IS
from ..verdicts import CALENDAR, CLOSE, INSIDE, LIKELY, OFF, RESTORED, TEXT, deviation, published
from . import CLOSE_TO, LABELS, METRICS, SCHEDULERS, SP2, TRACES, WHOLE
from .on_traces import OnTraces, of_rules
from .shared_pictures import AS_PRINTED

# Table 1 as the paper prints it: its two halves and columns, our number below each printed one.


COLUMNS = {
    ("load", "easy"): "load",
    ("jobs", "easy"): "jobs",
    ("response_s", "easy"): "EASY",
    ("response_s", "conservative"): "cons",
    ("response_s", None): "difference",
    ("bounded_slowdown", "easy"): "EASY",
    ("bounded_slowdown", "conservative"): "cons",
    ("bounded_slowdown", None): "difference",
}
"""The paper's columns by metric and scheduler; None is the change from EASY to conservative."""

FORMS = {"load": "{:.3f}", "jobs": "{:.0f}", "response_s": "{:.0f}", "bounded_slowdown": "{:.1f}"}
GROUND = {INSIDE: "#CFE8D9", CLOSE: "#FBE6BF", OFF: "#F4C9BE"}
"""The colour behind a number that is judged."""

RIGHT = [2.7, 3.6, 4.8, 5.9, 7.1, 8.2, 9.2, 10.5]
"""Where the columns end; a row is one high."""


def as_printed(cells):
    """Draw Table 1 of judged cells, from `verdicts.cell`: half (a) has the SP2 logs, half (b) the others."""
    keys = "trace", "month", "metric", "scheduler"
    by_place = {tuple(one["of"].get(key) for key in keys): one for one in cells}
    months = sorted({place[:2] for place in by_place}, key=lambda place: (TRACES.index(place[0]), place[1]))
    halves = [[place for place in months if (place[0] in SP2) == sp2] for sp2 in (True, False)]
    rows = max(map(len, halves))
    figure, axes = plt.subplots(1, 2, figsize=(13.5, 0.9 + 0.27 * rows), layout="constrained")
    for ax, letter, half in zip(axes, "ab", halves, strict=True):
        _half(ax, letter, half, by_place)
        ax.set(xlim=(-0.1, RIGHT[-1] + 0.1), ylim=(rows + 0.1, -2.6))
        ax.axis("off")
    legend(figure, {f"{verdict}, by the text": {"facecolor": colour} for verdict, colour in GROUND.items()})
    return figure


def _half(ax, letter, half, by_place):
    """One half: its head, and a row a month."""
    ax.text(0, -2.1, f"({letter})", weight="bold", va="center")
    for metric, x in (("response time", 5.6), ("bounded slowdown", 9.1)):
        ax.text(x, -1.6, metric, ha="center", va="center", weight="bold", size=8)
    heads = [(0, "left", "trace"), (0.75, "left", "mon")]
    heads += [(x, "right", name) for x, name in zip(RIGHT, COLUMNS.values(), strict=True)]
    for x, side, name in heads:
        ax.text(x, -0.7, name, ha=side, va="center", size=8)
    before = None
    for y, (trace, month) in enumerate(half):
        if trace != before:
            ax.axhline(y - 0.02, color="black", linewidth=0.8)
            ax.text(0, y + 0.3, trace, va="center", weight="bold", size=8)
        before = trace
        ax.text(0.75, y + 0.3, month, va="center", size=7)
        for (metric, scheduler), right in zip(COLUMNS, RIGHT, strict=True):
            _number(ax, right, y, by_place.get((trace, month, metric, scheduler)), metric, scheduler)


def _number(ax, right, y, cell, metric, scheduler):
    """One number of the table, ours below it, on the colour of the verdict by the text."""
    if cell is None:
        return
    ours = cell["readings"][TEXT]
    form = "{:+.1f}%" if scheduler is None else FORMS[metric]
    if ground := GROUND.get(ours["verdict"]):
        ax.add_patch(Rectangle((right - 0.85, y + 0.03), 0.9, 0.94, facecolor=ground, linewidth=0))
    ax.text(right, y + 0.3, form.format(cell["published"]), ha="right", va="center", size=8)
    known = "" if ours["ours"] != ours["ours"] else form.format(ours["ours"])
    ax.text(right, y + 0.74, known, ha="right", va="center", size=6, color="#555555")


# What the text says of Table 1, measured by counting months: claims MF-08 to MF-13.


RESPONSE, SLOWDOWN = METRICS


def claims(differences, printed):
    """Decide claims MF-08 to MF-13."""
    months = {rule: months_of(differences.xs(rule, level="rule")) for rule in differences.index.unique("rule")}
    months[PRINTED] = months_of(pd.concat({AS_IT_IS: printed}, names=["replication"]))
    return [
        decide(id, {reading: measured(id, table) for reading, table in months.items()}, _wins(id, months))
        for id in CLAIMS
    ]


COUNTED = {
    "MF-08": {"response time": (SP2, RESPONSE), "bounded slowdown": (SP2, SLOWDOWN)},
    "MF-10": {"response time": (("Par", "CM5"), RESPONSE)},
    "MF-11": {"inconclusive": (("Par",), SLOWDOWN)},
    "MF-12": {"conservative": (("CM5",), SLOWDOWN)},
}
"""By claim and part: of which logs the months are counted in which EASY is better, and by which metric."""


def measured(id, months):
    """Measure the parts of a claim in months from `months_of`; None where a log is not at hand."""
    if id == "MF-13":  # in how many months wait and response time name the same scheduler
        same = months.get("wait_s")
        return None if same is None else {"same scheduler": share([(same > 0) == (months[RESPONSE] > 0)])}
    traces = {trace for of, _ in COUNTED[id].values() for trace in of} if id in COUNTED else set(SP2)
    if not traces <= set(months.index.unique("trace")):
        return None
    if id == "MF-09":  # KTH by bounded slowdown, against the other combinations of SP2 log and metric
        elsewhere = [*((["CTC", "SDSC"], metric) for metric in METRICS), (["KTH"], RESPONSE)]
        others = share([_easy_wins(months, *case) for case in elsewhere])
        return {"others": others, "contender": share([_easy_wins(months, ["KTH"], SLOWDOWN)]).minus(others)}
    return {part: share([_easy_wins(months, *case)]) for part, case in COUNTED[id].items()}


def months_of(differences):
    """Lay out by how much conservative exceeds EASY: by (replication, trace, month), a column a metric."""
    table = differences.unstack("metric").reorder_levels(["replication", "trace", "month"])
    return table.dropna(subset=list(METRICS))


def share(found):
    """Count the months in which something is so: of the log as it is, with the share in each replication."""
    by_run = pd.concat(found).groupby("replication").agg(["sum", "count", "mean"])
    as_it_is = by_run.loc[AS_IT_IS]
    return Measure.share(as_it_is["sum"], as_it_is["count"], by_run["mean"].drop(AS_IT_IS))


def _easy_wins(months, traces, metric):
    """Tell in which months of these traces EASY has less."""
    return months[metric][months.index.isin(traces, level="trace")] > 0


# What the verdict does not hang on

NOTED = {
    "MF-08": [(trace, metric) for trace in SP2 for metric in METRICS],
    "MF-10": [("Par", RESPONSE), ("CM5", RESPONSE)],
}
"""Of which claims the months are counted by log too."""


def _wins(id, months):
    """Write in how many months of each log EASY is better, by the text."""
    if id not in NOTED or TEXT not in months:
        return ""
    counts, as_it_is = [], months[TEXT].loc[[AS_IT_IS]]
    for trace, metric in NOTED[id]:
        if trace in as_it_is.index.unique("trace"):
            wins, words = _easy_wins(as_it_is, [trace], metric), metric.removesuffix("_s").replace("_", " ")
            counts.append(f"{trace} {words} {wins.sum()} of {len(wins)}")
    return f"{TEXT}, months in which EASY is better: {', '.join(counts)}"


CLAIMS = ("MF-08", "MF-09", "MF-10", "MF-11", "MF-12", "MF-13")

DECIMALS = {"load": 3, "jobs": 0, "response_s": 0, "bounded_slowdown": 1}
"""How many the table prints."""


class Table1(OnTraces, name="mualem2001/table1", section="3.2", seconds=25, claims=dict.fromkeys(CLAIMS, LOGS)):
    """EASY against conservative backfilling, month by month."""

    traces: tuple = parameter(TRACES, some_of(TRACES))
    rules: tuple = parameter(
        (TEXT, LIKELY, RESTORED, CALENDAR), some_of((TEXT, LIKELY, RESTORED, CALENDAR), first=(TEXT, LIKELY))
    )
    jobs: dict = parameter({}, by_name(TRACES, WORDS))
    estimates: dict = parameter({}, by_name(TRACES, one_of("user", "exact")))
    shakes: int = repeats(100)
    other_shakes: int = repeats(40)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(0, SEED)
    log: str = parameter("", WORDS)

    @cached_property
    def results(self):
        """The months of every trace, by (trace, scheduler, rule, replication, month, metric)."""
        for each in self.found:
            each.workload.time(0)  # refuses a log without a calendar
        found = [
            of_rules(each, self.policies, self.counts, shake_s=self.shake_s, seed=self.seed) for each in self.found
        ]
        return pd.concat(found, keys=[each.trace for each in self.found], names=["trace"]).drop(WHOLE, level="month")

    @cached_property
    def comparison(self):
        """Table 1 beside the printed one, by (trace, month, scheduler, metric, rule)."""
        table = results.by(results.summary(self.results), "trace", "month", "scheduler", "metric", "rule")
        return in_order(self.against(table, printed()))

    @cached_property
    def differences(self):
        """By how much conservative exceeds EASY, relatively, by (trace, rule, replication, month, metric)."""
        by_scheduler = results.wide(self.results, "scheduler")
        return deviation(by_scheduler.conservative, by_scheduler.easy)

    @cached_property
    def changes(self):
        """The same in per cent beside the printed differences, by (trace, month, metric, rule)."""
        of_means = self.differences[self.differences.index.isin(list(METRICS), level="metric")]
        table = results.by(results.summary(100 * of_means), "trace", "month", "metric", "rule")
        return in_order(self.against(table, printed_differences())).drop(columns="deviation")

    @cached_property
    def totals(self):
        """How many jobs each log has, lines that ran, beside the numbers of section 3.1, by (trace, metric)."""
        jobs = {}
        for each in self.found:
            if not self.is_absent(each.trace):  # one of Par's years is not Par
                jobs[each.trace] = jobs.get(each.trace, 0) + (each.workload.log.run >= 0).sum()
        index = pd.MultiIndex.from_product([jobs, ["total_jobs"]], names=["trace", "metric"])
        table = pd.DataFrame(np.nan, index, ["ours", "low", "median", "high"]).assign(ours=list(jobs.values()))
        return self.against(table, published("mualem2001_section31").set_index(["trace", "metric"]).value)

    @property
    def likely(self):
        """The comparison under the last rules that there are of likely program and restored log."""
        there = self.comparison.dropna(subset="ours")
        found = there[there.index.isin([LIKELY, RESTORED], level="rule")].droplevel("rule")
        return in_order(found[~found.index.duplicated(keep="last")])

    @cached_property
    def incomplete(self):
        """The months that are not judged, for jobs are missing, or the whole log: pairs (trace, month)."""
        months = self.comparison.index.droplevel(["scheduler", "metric", "rule"]).unique()
        return [of for of in months if self.is_absent(*of) or self.origin(*of)["unjudged"].get(TEXT)]

    @cached_property
    def cells(self):
        """The verdicts on its printed numbers; load and jobs of a month are judged once, under the first policy."""
        places = self.comparison.index
        of_all = places.isin(["load", "jobs"], level="metric")
        rules = [self.rules[0], RESTORED, CALENDAR]
        of_first = places.isin(SCHEDULERS[:1], level="scheduler") & places.isin(rules, level="rule")
        return results.cells(self.comparison[~of_all | of_first], self._about)

    @cached_property
    def cells_of_changes(self):
        """The verdicts on its printed differences."""
        points = {metric: 100 * close for metric, close in CLOSE_TO.items()}  # as the means may be off in per cent
        exactly = {"decimals": 1, "absolute": True}
        return results.cells(self.changes, lambda of: {"close": points[of["metric"]]} | exactly | self.origin(**of))

    def _about(self, of):
        return {"close": CLOSE_TO.get(of["metric"], 0.05), "decimals": DECIMALS[of["metric"]]} | self.origin(**of)

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
        part = self.comparison.xs(metric, level="metric").drop(CALENDAR, level="rule", errors="ignore")
        table = results.beside(part, form, "scheduler", printed=not self.own)
        changes = self.changes.xs(metric, level="metric")
        values = {"paper": changes.published.xs(self.rules[0], level="rule")}
        values |= {rule: changes.ours.xs(rule, level="rule") for rule in self.followed if rule != CALENDAR}
        for name, of in values.items():
            table["difference", name] = results.written(of, "{:+.1f}%")
        return table

    @property
    def deviations(self):
        """How far we are off, by trace, scheduler and metric, over the months whose jobs are all in the file."""
        off = self.comparison.deviation[lambda of: of.index.get_level_values("metric").isin(list(METRICS))]
        whole = [place[:2] not in self.incomplete for place in off.index]
        off = off[whole].dropna().groupby(["trace", "scheduler", "metric", "rule"], sort=False)
        return off.agg(
            months="size", median=lambda of: of.abs().median(), bias="median", worst=lambda of: of.abs().max()
        ).unstack("rule")

    @property
    def own_inside(self):
        """How many of our own numbers, of the log as it is, lie in their bands: the share by trace and metric."""
        table = self.comparison.xs(self.rules[0], level="rule").dropna(subset="ours")
        inside = table.ours.between(table.low, table.high).unstack("metric")[list(METRICS)]
        return inside.groupby(["trace", "scheduler"], sort=False).mean().unstack("scheduler")

    # What it shows

    def judge(self):
        of_programs = self.differences.drop(CALENDAR, level="rule", errors="ignore")
        return claims(of_programs, printed_differences() / 100)

    def parts(self):
        return {
            "": Part(lambda: self.comparison, self._draw, cells=lambda: self.cells),
            "likely": Part(lambda: self.likely, self._draw_likely if {LIKELY, RESTORED} & set(self.followed) else None),
            "differences": Part(
                lambda: self.changes,
                self._draw_as_printed if TEXT in self.rules and not self.own else None,  # its colours are by the text
                cells=lambda: self.cells_of_changes,
            ),
            "jobs": Part(lambda: self.totals, cells=lambda: results.cells(self.totals, lambda of: self.origin(**of))),
        }

    def _draw_as_printed(self):
        return as_printed(self.cells + self.cells_of_changes)

    def _draw_likely(self):
        return months_at_a_glance(self.likely, [], [each.trace for each in self.found if each.lost])

    def _draw(self):
        return months_at_a_glance(self.comparison.xs(self.rules[0], level="rule"), self.incomplete)


def printed():
    """The printed numbers by (trace, month, scheduler, metric); load and jobs stand under both schedulers."""
    table = published("mualem2001_table1").set_index(["trace", "month"])
    columns = {
        (scheduler, metric): table[metric if metric in ("load", "jobs") else f"{scheduler}_{metric}"]
        for scheduler in SCHEDULERS
        for metric in DECIMALS
    }
    return pd.DataFrame(columns).rename_axis(columns=["scheduler", "metric"]).stack(["scheduler", "metric"])


def printed_differences():
    """By how much conservative exceeds EASY in print, in per cent, by (trace, month, metric)."""
    table = published("mualem2001_table1").set_index(["trace", "month"])
    columns = {metric: table[f"{metric.removesuffix('_s')}_difference_pct"] for metric in METRICS}
    return pd.DataFrame(columns).rename_axis(columns="metric").stack()


def in_order(table):
    """The rows of a table by trace, in the paper's order, and by month."""
    return table.sort_index(level=["trace", "month"], key=_place, sort_remaining=False)


def _place(level):
    places = {trace: place for place, trace in enumerate(TRACES)}
    return level.map(lambda trace: places.get(trace, len(places))) if level.name == "trace" else level


def months_at_a_glance(table, incomplete, restored=()):
    """Draw all months: a row of panels a metric, a column a trace; circles published, bars our shaken bands."""
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
            for place in (place for place, month in zip(x, months[trace], strict=True) if (trace, month) in incomplete):
                axes[row, column].axvspan(place - 0.5, place + 0.5, color="#EEEEEE", zorder=0)
            axes[row, 0].set_ylabel(LABELS[metric])
        axes[0, column].set_title(f"{trace}, restored" if trace in restored else trace)
        step = 2 if len(x) > 12 else 1
        axes[-1, column].set_xticks(x[::step], months[trace][::step], rotation=90)
    bars = scheduler_styles(SCHEDULERS, linewidth=3.5, alpha=0.45)
    entries = {f"{name}, 95 % of shaken runs": style for name, style in bars.items()}
    entries |= {"published": AS_PRINTED} if table.published.notna().any() else {}
    entries |= {"ours, not shaken": AS_PRINTED | {"marker": "_"}}
    legend(figure, entries | ({"not judged: jobs are missing": {"facecolor": "#EEEEEE"}} if incomplete else {}))
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
