"""Tables 3 and 4: what the quality of users' estimates does to performance (sections 4.2 and 4.5)."""

from functools import cached_property, partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from ...core import estimates
from ...plots.panels import legend
from ...plots.style import COLOURS, scheduler_styles
from .. import claims, results
from ..claims import Measure, decide
from ..exhibit import LOGS, Part
from ..parameters import SECONDS, SEED, WORDS, parameter, real, repeats, some, some_of
from ..verdicts import LIKELY, RESTORED, TEXT, deviation, published
from . import CLOSE_TO, LABELS, METRICS, SCHEDULERS, SP2, TRACES
from .on_traces import OnTraces, means, of_rules
from .shared_pictures import AS_PRINTED, LINES, MARKERS, named_rules, numbers
from .table1 import DECIMALS

# Table 3: what the quality of user estimates does to performance (section 4.2).


FACTORS = (1, 2, 4, 11, 31, 101, 301)
AVERAGED = 10
"""How many measurements MF made of random estimates (section 4.2); the table has their means."""


class Table3(OnTraces, name="mualem2001/table3", section="4.2", seconds=60, claims={"MF-30": LOGS, "MF-31": LOGS}):
    """Are good estimates really needed?"""

    traces: tuple = parameter(SP2, some_of(TRACES))
    factors: tuple = parameter(FACTORS, some(real(1)))
    rules: tuple = parameter((TEXT, LIKELY, RESTORED), some_of((TEXT, LIKELY, RESTORED), first=(TEXT, LIKELY)))
    shakes: int = repeats(40)
    other_shakes: int = repeats(40)
    draws: int = repeats(20)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(0, SEED)
    log: str = parameter("", WORDS)

    @cached_property
    def results(self):
        """The means of every trace with estimates of every quality."""
        return of_qualities(
            self.found, qualities(self.factors), self.policies, self.counts, self.draws, self.shake_s, self.seed
        )

    @cached_property
    def comparison(self):
        """Table 3 beside the printed one, by (scheduler, metric, trace, estimates, rule)."""
        return self.against(spread(self.results), printed())

    @property
    def deviations(self):
        """The median absolute deviation of the cells by (scheduler, metric, trace).

        Under each rule, and `scaled` as if the jobs that the file lacks against Table 2 took no time at all.
        """
        total = published("mualem2001_table2").set_index("parameter").loc["total_jobs"]
        share = {each.trace: len(each.workload) / total.get(each.trace, np.nan) for each in self.found}
        table = self.comparison
        scaled = deviation(table.ours * table.index.get_level_values("trace").map(share), table.published)
        off = pd.DataFrame({"as it is": table.deviation, "scaled": scaled}).abs()
        return off.groupby(["scheduler", "metric", "trace", "rule"], sort=False).median().unstack("rule")

    def judge(self):
        found = of_replications(self.results) | {claims.PRINTED: as_it_is(printed())}
        measures = {"MF-30": somewhat_inaccurate, "MF-31": originals_worse}
        return [decide(id, {rule: measured(of) for rule, of in found.items()}) for id, measured in measures.items()]

    @cached_property
    def cells(self):
        """The verdicts on its printed numbers."""

        def about(of):
            decimals = 0 if of["metric"] == "response_s" else 2 if of["trace"] == "CTC" else 1
            return {"close": CLOSE_TO[of["metric"]], "decimals": decimals} | self.origin(**of)

        return results.cells(self.comparison, about)

    def parts(self):
        draw = lambda: against_estimates(self.comparison, self.followed)  # noqa: E731
        return {"": Part(lambda: self.comparison, draw, cells=lambda: self.cells)}


def qualities(factors):
    """Make the estimates of each quality: functions of a seed, by the columns of the published table."""
    random = {f"f{f}": partial(estimates.Uniform, f) for f in factors if f > 1}
    return {"original": None, "f1": lambda seed: "exact"} | random


def of_qualities(traces, kinds, policies, counts, draws, shake_s=60, seed=0, executor=None):
    """Simulate every trace with estimates of every kind under every policy.

    The same seeds serve for every trace and kind, as in the paper; where estimates are random they draw these too, and
    there is no replication as it is.

    Gives a Series, by (trace, estimates, scheduler, rule, replication, metric).
    """
    found = {}
    for trace, (kind, model) in product(traces, kinds.items()):
        random = kind not in ("original", "f1")
        shakes = dict.fromkeys(counts, draws) if random else counts
        settings = {"shake_s": shake_s, "seed": seed, "estimates": model, "as_it_is": not random}
        found[trace.trace, kind] = means(of_rules(trace, policies, shakes, executor=executor, **settings), METRICS)
    return pd.concat(found, names=["trace", "estimates"])


def spread(found):
    """Work out how results of `of_qualities` spread, by (scheduler, metric, trace, estimates, rule)."""
    return results.by(results.summary(found, AVERAGED), "scheduler", "metric", "trace", "estimates", "rule")


def printed():
    """Table 3 as printed, by (scheduler, metric, trace, estimates)."""
    table = published("mualem2001_table3").set_index(["scheduler", "metric", "trace"])
    return table.rename_axis(columns="estimates").stack()


def beside(table, metric, printed=True):
    """Lay out one metric for reading: by (scheduler, trace) the printed numbers, if any, ours with its spread, off."""
    form = "{:,.0f}" if metric == "response_s" else "{:,.2f}"
    wide = results.beside(table.xs(metric, level="metric"), form, "estimates", sd=True, printed=printed)
    order = wide.columns.unique(0)
    return wide.stack(1, future_stack=True)[order]


# What the claims are about


def as_it_is(values):
    """Take numbers that have no replications for results of one, a row of it, a column a combination and estimates."""
    return pd.DataFrame({results.AS_IT_IS: values}).T.rename_axis(index="replication")


def of_replications(found):
    """Lay out results of `of_qualities` by rule: a row a replication, the first as it is, columns by the other levels.

    As it is, random estimates have the mean over all of their replications, as in print. There are as many rows as all
    estimates have replications.
    """
    wide = found.unstack("replication").T
    wide.loc[results.AS_IT_IS] = wide.loc[results.AS_IT_IS].fillna(wide.mean())
    return {rule: wide.xs(rule, axis=1, level="rule").dropna() for rule in found.index.unique("rule")}


def measure(values):
    """Take a number by replication; what is printed has only the first."""
    return Measure.spread(values) if len(values) > 1 else Measure.exactly(values.iloc[0])


def share(better):
    """Count in how many combinations, which are the columns, something is so, in each replication."""
    return measure(better.mean(axis=1))


def _estimates(found, column):
    """Those of one quality, a column a combination of scheduler, metric and trace."""
    return found.xs(column, axis=1, level="estimates")


def has_all(found):
    """Whether there is a column of each of the SP2 logs."""
    return set(SP2) <= set(found.columns.unique("trace"))


def somewhat_inaccurate(found):
    """Count the combinations in which somewhat inaccurate estimates are better than accurate ones."""
    if not has_all(found) or not {"f2", "f4"} <= set(found.columns.unique("estimates")):
        return None
    return {f"f = {f}": share(_estimates(found, f"f{f}") < _estimates(found, "f1")) for f in (2, 4)}


def originals_worse(found):
    """Count the combinations and f in which the original estimates are worse than random ones."""
    random = [name for name in found.columns.unique("estimates") if name not in ("original", "f1")]
    if not has_all(found) or not random:
        return None
    worse = [_estimates(found, name) < _estimates(found, "original") for name in random]
    return {"worse": share(pd.concat(worse, axis=1))}


# The picture


def against_estimates(table, rules):
    """Draw each metric against the quality of estimates: a row of panels a metric, a column a trace."""
    traces = list(table.index.unique("trace"))
    size = (2.5 + 3.2 * len(traces), 0.8 + 3 * len(METRICS))
    figure, axes = plt.subplots(len(METRICS), len(traces), figsize=size, squeeze=False, sharex=True)
    for (row, metric), (column, trace) in product(enumerate(METRICS), enumerate(traces)):
        ax = axes[row, column]
        for scheduler, colour in zip(SCHEDULERS, COLOURS[:2], strict=True):
            of = table.xs((scheduler, metric, trace), level=(0, 1, 2))
            first, *others = (rule for rule in rules if rule in of.index.unique("rule"))
            others = {rule: of.ours.xs(rule, level="rule") for rule in others}
            first = of.xs(first, level="rule")
            x = np.arange(len(first))
            for part in (slice(1), slice(1, None)):  # the original estimates stand apart from the series over f
                ax.errorbar(x[part], first.ours[part], first.sd[part], color=colour, marker=".", capsize=2)
            for rule, ours in others.items():
                ax.plot(x[1:], ours[1:], color=colour, linestyle=LINES[rule], linewidth=1.2)
                ax.plot(x[:1], ours[:1], color=colour, marker=MARKERS[rule], linestyle="", markersize=5)
            ax.plot(x, first.published, "o", color=colour, fillstyle="none", markersize=7)
        ax.set_xticks(x, [name.replace("original", "orig.").removeprefix("f") for name in first.index])
        ax.yaxis.set_major_formatter(numbers)
        axes[row, 0].set_ylabel(LABELS[metric])
        axes[0, column].set_title(trace)
    for ax in axes[-1]:
        ax.set_xlabel("estimates: original, or uniform in [r, f r] by f")
    entries = scheduler_styles(SCHEDULERS, marker=".")
    for rule in rules[1:]:
        entries[named_rules(rule)] = {"color": "grey", "linestyle": LINES[rule], "marker": MARKERS[rule]}
    legend(figure, entries | ({"published": AS_PRINTED} if table.published.notna().any() else {}))
    return figure


class Table4(OnTraces, name="mualem2001/table4", section="4.5", seconds=20, claims={"MF-36": LOGS, "MF-37": LOGS}):
    """Does it help to double the users' estimates?"""

    traces: tuple = parameter(("KTH", "CTC", "SDSC"), some_of(TRACES))
    factor: float = parameter(2, real(1))
    rules: tuple = parameter((TEXT, LIKELY, RESTORED), some_of((TEXT, LIKELY, RESTORED), first=(TEXT, LIKELY)))
    shakes: int = repeats(60)
    other_shakes: int = repeats(40)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(0, SEED)

    @property
    def found(self):
        """The traces at hand in the order of `traces`, which is the printed table's."""
        return sorted(super().found, key=lambda trace: self.traces.index(trace.trace))

    @cached_property
    def results(self):
        """The means with original and scaled estimates, and their relative `difference` in the same replication.

        By (quantity, trace, scheduler, rule, replication, metric).
        """
        original, scaled = self._means(None), self._means(times(self.factor))
        quantities = {"original": original, "scaled": scaled, "difference": deviation(scaled, original)}
        return pd.concat(quantities, names=["quantity"])

    def _means(self, model):
        """Those of every trace with estimates of one kind."""
        settings = {"shake_s": self.shake_s, "seed": self.seed, "estimates": model}
        found = {each.trace: of_rules(each, self.policies, self.counts, **settings) for each in self.found}
        return means(pd.concat(found, names=["trace"]), METRICS)

    @cached_property
    def comparison(self):
        """Table 4 beside the printed one, by (metric, trace, scheduler, quantity, rule)."""
        table = results.by(results.summary(self.results), "metric", "trace", "scheduler", "quantity", "rule")
        table = self.against(table, _printed())
        return table.assign(deviation=table.deviation.drop("difference", level="quantity"))

    @cached_property
    def differences(self):
        """By how much scaling changes the means, relatively, by (metric, trace, scheduler, rule)."""
        return self.comparison.xs("difference", level="quantity").drop(columns="deviation")

    @cached_property
    def cells(self):
        """The verdicts on its printed numbers; differences are in per cent."""
        of_means = self.comparison.drop("difference", level="quantity")
        of_changes = 100 * self.comparison.xs("difference", level="quantity", drop_level=False)
        return [*results.cells(of_means, self._about), *results.cells(of_changes, self._about)]

    def _about(self, of):
        """As many points as the means may be off in per cent."""
        close = CLOSE_TO[of["metric"]]
        if of["quantity"] == "difference":
            return {"close": 100 * close, "decimals": 1, "absolute": True} | self.origin(**of)
        return {"close": close, "decimals": DECIMALS[of["metric"]]} | self.origin(**of)

    def beside(self, metric):
        """Lay out one metric for reading: the means by (trace, scheduler), and by how much scaling changes them."""
        of_means = self.comparison.xs(metric, level="metric").drop("difference", level="quantity")
        table = results.beside(of_means, f"{{:,.{DECIMALS[metric]}f}}", "quantity")
        for rule, part in self.differences.xs(metric, level="metric").groupby("rule", sort=False):
            text = part.droplevel("rule").apply(results.written, form="{:+.1%}")
            table["difference", "paper"] = text.published
            table["difference", rule] = text.ours
            table["difference", f"{rule}, 95 % band"] = (text.low + " to " + text.high).where(text.ours != "", "")
        return table

    def judge(self):
        found = self.results.xs("difference", level="quantity").unstack("replication").T
        readings = {rule: found.xs(rule, axis=1, level="rule").dropna() for rule in self.followed}
        readings[claims.PRINTED] = as_it_is(_printed().xs("difference", level="quantity"))
        measures = {"MF-36": improving, "MF-37": largest}
        return [decide(id, {rule: of(table) for rule, table in readings.items()}) for id, of in measures.items()]

    def parts(self):
        return {"": Part(lambda: self.comparison, lambda: changes(self.differences), cells=lambda: self.cells)}


def times(factor):
    """Multiply the users' estimates; a function of a seed, as estimates of shaken runs are, which draws nothing."""
    return lambda seed: estimates.Scaled(factor)


def _printed():
    """The printed numbers and relative differences, by (metric, trace, scheduler, quantity)."""
    table = published("mualem2001_table4").set_index(["metric", "trace"])
    by_scheduler = {}
    for scheduler in SCHEDULERS:
        columns = {"original": "original", "scaled": "x2", "difference": "difference_pct"}
        one = pd.DataFrame({quantity: table[f"{scheduler}_{column}"] for quantity, column in columns.items()})
        by_scheduler[scheduler] = one.assign(difference=one.difference / 100)
    return pd.concat(by_scheduler, axis=1, names=["scheduler", "quantity"]).stack(["scheduler", "quantity"])


# What the claims are about


def improving(found):
    """Count the combinations of scheduler, metric and trace in which doubled estimates are better."""
    return {"improves": share(found < 0)} if has_all(found) else None


def largest(found):
    """Compare what conservative gains by bounded slowdown, as a mean over the traces, with all other gains."""
    if not has_all(found):
        return None
    gains = found.T.groupby(["scheduler", "metric"]).mean().T
    most = ("conservative", "bounded_slowdown")
    others = gains.drop(columns=[most]).min(axis=1)
    return {"largest": measure(gains[most] - others), "significant": measure(gains[most])}


# The picture


def changes(differences):
    """Draw the changes with their shaken bands: a panel a metric, a group a trace and scheduler, a marker a rule."""
    panels = {"bounded_slowdown": "bounded slowdown", "response_s": "response time"}
    shifts = dict(zip(MARKERS, (-0.2, 0, 0.2), strict=True))
    figure, axes = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 4), sharex=True, sharey=True)
    for ax, (metric, title) in zip(axes, panels.items(), strict=True):
        groups = list(differences.loc[metric].groupby(["trace", "scheduler"], sort=False))
        ax.axvline(0, color="black", linewidth=0.8)
        for y, ((_, scheduler), part) in enumerate(groups):
            colour = COLOURS[scheduler != "easy"]
            for rule, row in zip(part.index.get_level_values("rule"), part.itertuples(), strict=True):
                error = [[row.mean - row.low], [row.high - row.mean]]
                ax.errorbar(row.mean, y + shifts[rule], xerr=error, color=colour, marker=MARKERS[rule], capsize=2)
            ax.plot(row.published, y, "o", color=colour, fillstyle="none", markersize=9)
        ax.set_yticks(range(len(groups)), [" ".join(key).replace("easy", "EASY") for key, _ in groups])
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.set(title=title, xlabel="change when estimates are doubled")
    axes[0].invert_yaxis()
    rules = differences.index.unique("rule")
    entries = {named_rules(rule): {"color": "grey", "marker": MARKERS[rule]} for rule in rules}
    legend(figure, entries | {"published": AS_PRINTED})
    return figure
