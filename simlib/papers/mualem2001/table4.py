"""Table 4: the users' estimates multiplied by two (section 4.5)."""

from functools import cached_property

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import PercentFormatter

from ... import estimates
from ...plots import COLOURS, legend
from .. import ledger, results
from ..exhibit import LOGS, Part
from ..judging import LIKELY, RESTORED, TEXT, deviation, published
from ..ledger import decide
from ..parameters import SECONDS, SEED, parameter, real, repeats, some_of
from . import CLOSE_TO, METRICS, SCHEDULERS, TRACES
from .on_traces import OnTraces
from .pictures import MARKERS, PRINTED, named_rules
from .replications import means, of_rules
from .table1 import DECIMALS
from .table3 import as_it_is, has_all, measure, share


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
        readings[ledger.PRINTED] = as_it_is(_printed().xs("difference", level="quantity"))
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
    """Count the combinations of scheduler, metric and trace in which doubled estimates are better.

    Parameters
    ----------
    found : DataFrame
        By how much doubling changes the means, relatively: a row a replication, columns by metric, trace and scheduler.
    """
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
    legend(figure, entries | {"published": PRINTED})
    return figure
