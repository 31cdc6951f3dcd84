"""Table 4: the users' estimates multiplied by two (section 4.5)."""

from functools import cached_property

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import PercentFormatter

from ... import estimates
from ...plots import COLOURS, legend
from .. import results
from ..exhibit import LOGS, Part, repeats
from ..judging import LIKELY, NOT, PARTLY, REPRODUCED, TEXT, claim, decide, deviation, published
from . import CLOSE_TO, METRICS, SCHEDULERS
from .on_traces import OnTraces
from .pictures import PRINTED
from .replications import means, of_rules
from .table1 import DECIMALS


class Table4(OnTraces, name="mualem2001/table4", section="4.5", seconds=45, claims={"MF-36": LOGS, "MF-37": LOGS}):
    """Does it help to double the users' estimates?"""

    traces: tuple = ("KTH", "CTC", "SDSC")
    factor: float = 2
    rules: tuple = (TEXT, LIKELY)
    shakes: int = repeats(60)
    other_shakes: int = repeats(40)
    shake_s: int = 60
    seed: int = 0

    @property
    def found(self):
        """The traces at hand in the order of `traces`, which is the printed table's."""
        return sorted(super().found, key=lambda trace: self.traces.index(trace.trace))

    @cached_property
    def results(self):
        """The means with original and scaled estimates, and their relative `difference` in the same replication.

        By (quantity, trace, scheduler, rule, replication, metric).
        """
        original, scaled = self._means(None), self._means(lambda seed: estimates.Scaled(self.factor))
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
        table = results.against(table, _printed())
        return table.assign(deviation=table.deviation.drop("difference", level="quantity"))

    @cached_property
    def differences(self):
        """By how much scaling changes the means, relatively, by (metric, trace, scheduler, rule)."""
        return self.comparison.xs("difference", level="quantity").drop(columns="deviation")

    @cached_property
    def cells(self):
        """The verdicts on its printed numbers."""
        return results.cells(self.comparison.drop("difference", level="quantity"), _about)

    def beside(self, metric):
        """Lay out one metric for reading: the means by (trace, scheduler), and by how much scaling changes them."""
        of_means = self.comparison.xs(metric, level="metric").drop("difference", level="quantity")
        table = results.beside(of_means, f"{{:,.{DECIMALS[metric]}f}}", "quantity")
        for rule, part in self.differences.xs(metric, level="metric").groupby("rule", sort=False):
            text = part.droplevel("rule").apply(results.written, form="{:+.1%}")
            table["difference", "paper"] = text.published
            table["difference", rule] = text.ours
            table["difference", f"{rule}, 95 % band"] = text.low + " to " + text.high
        return table

    def judge(self):
        return claims(self.differences)

    def parts(self):
        return {"": Part(lambda: self.comparison, lambda: changes(self.differences), cells=lambda: self.cells)}


def _printed():
    """The printed numbers and their relative differences, by (metric, trace, scheduler, quantity)."""
    table = published("mualem2001_table4").set_index(["metric", "trace"])
    by_scheduler = {}
    for scheduler in SCHEDULERS:
        one = table[[f"{scheduler}_original", f"{scheduler}_x2"]].set_axis(["original", "scaled"], axis=1)
        by_scheduler[scheduler] = one.assign(difference=deviation(one.scaled, one.original))
    return pd.concat(by_scheduler, axis=1, names=["scheduler", "quantity"]).stack(["scheduler", "quantity"])


def _about(of):
    return {"close": CLOSE_TO[of["metric"]], "decimals": DECIMALS[of["metric"]]}


# Claims


def claims(differences):
    """Decide claims MF-36 and MF-37 from `Table4.differences`.

    A difference is clear where the 95 % band of the shaken runs does not hold zero. Doubling in general improves
    performance where at least three quarters of the combinations of metric, trace and scheduler clearly improve.
    """
    by_rule = {rule: part.droplevel("rule") for rule, part in differences.groupby("rule", sort=False)}
    verdicts, texts = zip(*(_improved(rule, part) for rule, part in by_rule.items()), strict=True)
    as_printed = next(iter(by_rule.values())).published.dropna()
    text = "; ".join([*texts, f"as printed: {(as_printed < 0).sum()} of {len(as_printed)} improve"])
    first = claim("MF-36", verdicts[0] if len(set(verdicts)) == 1 else PARTLY, text)
    most = {rule: part["mean"].groupby("trace", sort=False).idxmin() for rule, part in by_rule.items()}
    holds = [all(key[::2] == ("bounded_slowdown", "conservative") for key in keys) for keys in most.values()]
    gains = [f"{rule}: largest gain {', '.join(map(_words, keys))}" for rule, keys in most.items()]
    return [first, decide("MF-37", holds, "; ".join(gains))]


def _improved(rule, part):
    """Say what the combinations under a rule make of MF-36."""
    better, worse, of = (part.high < 0).sum(), (part.low > 0).sum(), len(part)
    verdict = REPRODUCED if better >= 0.75 * of else PARTLY if better >= 0.5 * of else NOT
    return verdict, f"{rule}: {better} of {of} clearly improve, {worse} clearly get worse"


def _words(key):
    metric, trace, scheduler = key
    return f"{trace} {scheduler} by {metric.removesuffix('_s').replace('_', ' ')}"


# The picture


def changes(differences):
    """Draw the changes with their shaken bands: a panel a metric, a group a trace and scheduler, a marker a rule."""
    panels = {"bounded_slowdown": "bounded slowdown", "response_s": "response time"}
    rules = dict(zip(differences.index.unique("rule"), ((-0.14, "."), (0.14, "x")), strict=False))
    figure, axes = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 4), sharex=True, sharey=True)
    for ax, (metric, title) in zip(axes, panels.items(), strict=True):
        groups = list(differences.loc[metric].groupby(["trace", "scheduler"], sort=False))
        ax.axvline(0, color="black", linewidth=0.8)
        for y, ((_, scheduler), part) in enumerate(groups):
            colour = COLOURS[scheduler != "easy"]
            for row, (shift, marker) in zip(part.itertuples(), rules.values(), strict=True):
                error = [[row.mean - row.low], [row.high - row.mean]]
                ax.errorbar(row.mean, y + shift, xerr=error, color=colour, marker=marker, capsize=2)
            ax.plot(row.published, y, "o", color=colour, fillstyle="none", markersize=9)
        ax.set_yticks(range(len(groups)), [" ".join(key).replace("easy", "EASY") for key, _ in groups])
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.set(title=title, xlabel="change when estimates are doubled")
    axes[0].invert_yaxis()
    entries = {f"{rule} rules": {"color": "grey", "marker": marker} for rule, (_, marker) in rules.items()}
    legend(figure, entries | {"published": PRINTED})
    return figure
