"""Figure 5: how much is backfilled, and which jobs, on logs and on models (section 3.3)."""

from functools import cached_property
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from ...analysis.replicate import replicate
from ...analysis.size_classes import ALL, backfilled, named
from ...analysis.stats import mean_interval
from ...core import sweeps
from ...core.schedule import simulate
from ...models import feitelson96, jann97
from ...plots.panels import in_whole_per_cents, legend
from ...plots.style import COLOURS, scheduler_styles
from .. import results
from ..claims import NOTHING, PRINTED, Measure, decide
from ..exhibit import LOGS, MODELS, Part
from ..parameters import LOAD, SECONDS, SEED, SWITCH, WORDS, by_name, one_of, parameter, repeats, some, some_of, whole
from ..results import AS_IT_IS, with_intervals
from ..verdicts import LIKELY, RESTORED, TEXT, published
from . import METRICS, SCHEDULERS, TRACES, policies, trace_of, traces
from .on_traces import OnTraces, across
from .shared_pictures import DOT, DOTTED, INTERVAL

# What each scheduler backfills, and of which sizes: of logs, and of models by load (section 3.3).


def of_logs(workloads, policies, shakes=20, shake_s=60, seed=1, executor=None):
    """Simulate workloads as they are and shaken (see `replicate`); each shake is the same for all policies.

    Workloads come as pairs with their labels, by rule; policies by (scheduler, rule). Of one that is a function of a
    seed, a draw stands for the workload as it is. What is the same under two rules is simulated once.
    """
    made, found = {}, {}
    for (label, by_rule), ((scheduler, rule), policy) in product(workloads, policies.items()):
        if rule in by_rule:
            case = by_rule[rule], policy
            if case not in made:
                made[case] = _of_log(*case, shakes, shake_s, seed, executor)
            found[label, scheduler, rule] = made[case]
    return pd.concat(found, names=["workload", "scheduler", "rule"])


def _of_log(workload, policy, shakes, shake_s, seed, executor):
    """Simulate one workload, or draws of one, under one policy, by (replication, size class, metric)."""
    as_it_is = workload(seed) if callable(workload) else workload
    runs = [backfilled(simulate(as_it_is, policy)).stack(future_stack=True).to_frame().T]
    if shakes:
        settings = {"shakes": shakes, "seconds": shake_s, "seed": seed, "as_it_is": False, "keep": False}
        runs.append(across(replicate(workload, policy, measures=backfilled, executor=executor, **settings)))
    table, levels = pd.concat(runs, ignore_index=True), ["size_class", "metric"]  # the first is AS_IT_IS, or 0
    return table.rename_axis(index="replication", columns=levels).stack(levels, future_stack=True)


def of_models(models, loads, seeds, policies, feedback=(), executor=None):
    """Simulate several workloads of models at some loads; each is the same for all loads and policies.

    Models are, by label, functions of a seed that make the workload; `feedback` has the labels of those whose jobs come
    when the execution before has ended. Seeds make the replications 1, 2, ...; policies are by (scheduler, rule).
    """
    made = {(label, number): make(seed) for label, make in models.items() for number, seed in enumerate(seeds, 1)}
    cases = list(product(made, loads, policies))
    tasks = [(made[case], load, policies[key], case[0] in feedback) for case, load, key in cases]
    tables = sweeps.sweep(_backfilled_at, tasks, executor, label="simulations")
    found = {
        (label, load, *key, number): table.stack()
        for ((label, number), load, key), table in zip(cases, tables, strict=True)
    }
    return pd.concat(found, names=["workload", "load", "scheduler", "rule", "replication"])


def _backfilled_at(workload, load, policy, feedback):
    return backfilled(simulate(workload.scale_load(load), policy, feedback=feedback))


def compared(found):
    """Compare both schedulers on logs: `results.summary` by (metric, workload, rule, size_class, of), and `jobs`."""
    return _ordered(results.summary(changes(found)), found)


def compared_by_load(found):
    """Compare both schedulers on models by (metric, workload, load, rule, size_class, of), with `jobs`.

    Each `mean` has its 90 % interval `low` to `high`, by Student's t over the replications.
    """
    values = changes(found)
    intervals = mean_interval(values.unstack("replication").T)
    return _ordered(intervals.reindex(values.index.droplevel("replication").unique()), found)


def changes(found):
    """Put differences, replication by replication, beside both schedulers; level `of` in place of the scheduler."""
    found = found[found.index.get_level_values("metric") != "jobs"]
    easy, conservative = (found.xs(scheduler, level="scheduler") for scheduler in SCHEDULERS)
    difference = conservative - easy
    both = {"easy": easy, "conservative": conservative, "difference": difference}
    return pd.concat(both | {"relative": difference / easy.where(easy != 0)}, names=["of"])


def _ordered(table, found):
    """Order a comparison, and say how many jobs there are."""
    of_jobs = [name for name in found.index.names if name in ("workload", "load", "size_class")]
    jobs = found.xs("jobs", level="metric").groupby(of_jobs).mean()
    table = results.by(table, "metric", *of_jobs[:-1], "rule", "size_class", "of")
    table.insert(0, "jobs", jobs.reindex(table.index.droplevel(["metric", "rule", "of"])).to_numpy())
    return table


def beside(table, form="{:.1%}", points=False):
    """Lay out one metric of a comparison for reading: both schedulers and the difference, with their intervals.

    The difference is relative, or with `points` in percentage points.
    """
    value = "ours" if "ours" in table else "mean"
    forms = dict.fromkeys(SCHEDULERS, (form, 1))
    forms |= {"difference": ("{:+.1f}", 100)} if points else {"relative": ("{:+.1%}", 1)}
    columns = {"jobs": table.jobs.xs(SCHEDULERS[0], level="of").map("{:,.0f}".format)}
    for of, (written, unit) in forms.items():
        columns[of] = with_intervals(table.xs(of, level="of"), written, value, unit)
    return pd.DataFrame(columns)


# What the text says of Figure 5, measured: claims MF-15 to MF-17.


HIGH = 0.7
"""From this load on the load is called high."""

PERFORMANCE = dict(zip(METRICS, ("response time", "bounded slowdown"), strict=True))
"""The metrics, as parts of claims call them."""


def claim_of_logs(changes):
    """Decide claim MF-16 by how much more conservative has than EASY on the paper's logs; see `changes`."""
    changes = changes.xs(ALL, level="size_class")
    by_rule = {rule: changes.xs(rule, level="rule") for rule in changes.index.unique("rule")}
    first = next(iter(by_rule.values())).xs(("backfilled", AS_IT_IS), level=("metric", "replication"))
    shares = ", ".join(
        f"{log.Index} {log.easy:.1%} / {log.conservative:.1%}"
        for log in first.unstack("of").loc[_here(changes)].itertuples()
    )
    readings = {rule: amounts(of) for rule, of in by_rule.items()}
    return decide("MF-16", readings | {PRINTED: printed()}, f"EASY / conservative {shares}")


def amounts(changes):
    """Measure the amount on the log on which it differs most, and amount and performance on SDSC.

    None without the SDSC log or shaken runs.
    """
    found = changes.xs("relative", level="of").unstack("replication")
    share = found.xs("backfilled", level="metric").loc[_here(changes)]
    if "SDSC" not in share.index or list(found) == [AS_IT_IS]:
        return None
    most = share[AS_IT_IS].abs().idxmax()
    worse = {f"SDSC {name}": Measure.spread(found.loc["SDSC", metric]) for metric, name in PERFORMANCE.items()}
    both = {"similar": {most: Measure.spread(share.loc[most])}, "SDSC more": Measure.spread(share.loc["SDSC"])}
    return both | worse


def _here(changes):
    """The paper's logs that are there."""
    return [name for name in changes.index.unique("workload") if trace_of(name) in TRACES]


def printed():
    """Measure conservative's mean against EASY's on SDSC by the paper's Table 1, over all its jobs.

    Figure 5 is drawn without numbers.
    """
    table = published("mualem2001_table1").query("trace == 'SDSC'")
    found = {}
    for metric, name in PERFORMANCE.items():
        easy, conservative = (np.average(table[f"{each}_{metric}"], weights=table.jobs) for each in SCHEDULERS)
        found[f"SDSC {name}"] = Measure.exactly(conservative / easy - 1)
    return found


def claims_of_models(changes):
    """Decide claims MF-15 and MF-17 by what both schedulers backfill of the Jann model."""
    changes, more, selects = changes.xs(ALL, level="size_class"), {}, {}
    for rule in changes.index.unique("rule"):
        of_rule = changes.xs(rule, level="rule")
        more[rule] = dict.fromkeys(("larger", "slightly"), _at_high_load(of_rule, "backfilled", "relative"))
        ratio, difference = (_at_high_load(of_rule, "size_ratio", of) for of in ("easy", "relative"))
        selects[rule] = {"smaller": ratio, "than conservative's": difference}  # what EASY backfills than all jobs
    return [decide("MF-15", more), decide("MF-17", selects)]


def _at_high_load(changes, metric, of):
    """Measure the mean over the high loads of the Jann model."""
    runs = changes.xs(("Jann", metric, of), level=("workload", "metric", "of"))
    high = runs[runs.index.get_level_values("load") >= HIGH].groupby("replication").mean()
    return Measure.mean(high) if len(high) else NOTHING


ON = {"MF-16": LOGS, "MF-15": MODELS, "MF-17": MODELS}

OF_MODELS = {"backfilled": "share of jobs backfilled", "size_ratio": "size of backfilled jobs\nover that of all"}
"""The metrics that are shown of models, and how axes call them."""

OF = dict(zip((*SCHEDULERS, "relative", "difference"), [*COLOURS[:2], "#444444", "#444444"], strict=True))
"""The colours of what is compared."""


class Figure5(OnTraces, name="mualem2001/figure5", section="3.3", seconds=30, claims=ON):
    """Does EASY backfill more?"""

    traces: tuple = parameter(TRACES, some_of(TRACES))
    rules: tuple = parameter((TEXT, LIKELY, RESTORED), some_of((TEXT, LIKELY, RESTORED), first=(TEXT, LIKELY)))
    jobs: dict = parameter({}, by_name(TRACES, WORDS))
    estimates: dict = parameter({}, by_name(TRACES, one_of("user", "exact")))
    cm5_exact: bool = parameter(True, SWITCH)
    shakes: int = repeats(20)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(1, SEED)
    model_loads: tuple = parameter((0.5, 0.6, 0.7, 0.8, 0.9), some(LOAD))
    model_jobs: int = parameter(50_000, whole(1))
    model_seeds: int = parameter(10, whole(2))
    feedback: bool = parameter(True, SWITCH)

    @cached_property
    def logs(self):
        """The logs with their labels, as pairs; the CM-5 twice, if it is to be as the text describes it too."""
        logs = self.labelled
        if self.cm5_exact and "CM5" in dict(logs):
            (exact,), _ = traces(["CM5"], {"CM5": ""}, {"CM5": "exact"})
            logs.append(("CM5 exact", exact.workload))
        return logs

    @property
    def models(self):
        """By label, a function of a seed that makes the workload."""
        return {
            "Feitelson": lambda number: feitelson96.workload(self.model_jobs, seed=number),
            "Jann": lambda number: jann97.workload(self.model_jobs, seed=number),
        }

    def load(self):
        return {LOGS: [log for _, log in self.logs], MODELS: [make(self.seed) for make in self.models.values()]}

    @cached_property
    def _of_logs(self):
        as_filed = [rule for rule in self.followed if rule != RESTORED]
        workloads = {label: dict.fromkeys(as_filed, log) for label, log in self.logs}
        if self.restores:
            for (label, _), trace in zip(self.labelled, self.found, strict=True):
                workloads[label][RESTORED] = trace.under(RESTORED).workloads
        return of_logs(workloads.items(), self.policies, self.shakes, self.shake_s, self.seed)

    @cached_property
    def comparison(self):
        """Both schedulers on the logs, by (metric, workload, rule, size_class, of)."""
        return compared(self._of_logs)

    @property
    def totals(self):
        """What of it is about jobs of all sizes."""
        return self.comparison.xs(ALL, level="size_class")

    @property
    def by_size(self):
        """The share that is backfilled by (workload, rule, size_class, of)."""
        return named(self.comparison.loc["backfilled"].drop(ALL, level="size_class"))

    @cached_property
    def _of_models(self):
        seeds = range(self.seed, self.seed + self.model_seeds)
        repeating = ["Feitelson"] if self.feedback else []
        return of_models(self.models, self.model_loads, seeds, policies(self.rules[:1]), repeating)

    @cached_property
    def modelled(self):
        """Both schedulers on the models under the first rule, by (metric, workload, load, rule, size_class, of)."""
        return compared_by_load(self._of_models)

    @property
    def by_load(self):
        """What of it is about jobs of all sizes, by (metric, workload, load, of)."""
        return self.modelled.loc[list(OF_MODELS)].xs((self.rules[0], ALL), level=("rule", "size_class"))

    @property
    def jann_by_size(self):
        """The share that is backfilled of the Jann model at the highest load, by (size_class, of)."""
        return named(self.modelled.loc["backfilled", "Jann", self.model_loads[-1], self.rules[0]])

    def _on_files(self, table):
        """What pictures show: the logs as their files are."""
        return table[~table.index.isin([RESTORED], level="rule")]

    def judge(self):
        of_logs, of_models = (changes(found) for found in (self._of_logs, self._of_models))
        return [claim_of_logs(of_logs), *claims_of_models(of_models)]

    def parts(self):
        return {
            "": Part(lambda: self.totals, lambda: amounts_drawn(self._on_files(self.totals).loc["backfilled"])),
            "by_size": Part(lambda: self.by_size, lambda: drawn_by_size(self._on_files(self.by_size))),
            "models": Part(lambda: self.by_load, lambda: drawn_by_load(self.by_load), on=(MODELS,)),
        }


def amounts_drawn(table):
    """Draw the shares of jobs backfilled by workload, and the difference; bars: 95 % of shaken runs.

    The table is by (workload, rule, of); the first rule is drawn full, the second hollow.
    """
    names, rules = list(table.index.unique("workload")), table.index.unique("rule")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 1.8 + 0.6 * len(names)), sharey=True)
    y = np.arange(len(names))
    marks = [(left, "easy", -0.25), (left, "conservative", 0.1), (right, "relative", -0.1)]
    for (rule, fill, lower), (ax, of, shift) in product(zip(rules, ("full", "none"), (0, 0.14), strict=False), marks):
        row = table.xs((rule, of), level=("rule", "of")).loc[names]
        place = y + shift + lower
        ax.hlines(place, row.low, row.high, color=OF[of], linewidth=3, alpha=0.4)
        ax.plot(row.ours, place, "o", color=OF[of], markersize=5, fillstyle=fill)
    left.set(yticks=y, yticklabels=names, ylim=(len(names) - 0.4, -0.6))
    left.set(xlabel="share of jobs backfilled", xlim=(0, None))
    left.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    right.axvline(0, color="black", linewidth=1)
    right.set_xlabel("conservative's share against EASY's")
    in_whole_per_cents(right.xaxis)
    for ax in (left, right):
        ax.grid(axis="y", visible=False)
    entries = scheduler_styles(SCHEDULERS, **DOT)
    entries |= {f"{rule} rules": {"color": "grey", "fillstyle": "none"} | DOT for rule in rules[1:]}
    legend(figure, entries | {"95 % of shaken runs": INTERVAL})
    return figure


def drawn_by_size(table):
    """Draw the shares of jobs backfilled by size class: a column a workload, the difference below the schedulers.

    The table is by (workload, rule, size_class, of); the first rule is drawn solid with a band that holds 95 % of the
    shaken runs, the second dotted.
    """
    names, (first, *others) = list(table.index.unique("workload")), table.index.unique("rule")
    widths = [2 + len(table.loc[name].index.unique("size_class")) for name in names]
    size = (max(6, 1.2 + 0.24 * sum(widths)), 5.6)
    shared = {"sharex": "col", "sharey": "row", "squeeze": False, "width_ratios": widths}
    figure, axes = plt.subplots(2, len(names), figsize=size, **shared)
    for (upper, lower), name in zip(axes.T, names, strict=True):
        for ax, of in ((upper, "easy"), (upper, "conservative"), (lower, "difference")):
            values = table.xs((name, of), level=("workload", "of"))
            part = values.xs(first, level="rule")
            x = np.arange(len(part))
            ax.fill_between(x, part.low, part.high, color=OF[of], alpha=0.25, linewidth=0)
            ax.plot(x, part.ours, "o-", color=OF[of], markersize=3)
            for rule in others:
                ax.plot(x, values.ours.xs(rule, level="rule"), ":", color=OF[of])
        upper.set_title(name)
        lower.set_xticks(x, part.index, rotation=90)
        lower.axhline(0, color="black", linewidth=1)
    axes[0, 0].set(ylabel="share of jobs backfilled", ylim=(0, 1))
    axes[1, 0].set_ylabel("conservative \N{MINUS SIGN} EASY\n[percentage points]")
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[1, 0].yaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))  # no steps of 2.5, to be rounded
    axes[1, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}" if value else "0"))
    figure.supxlabel("job size [processors]", size=10)
    entries = scheduler_styles(SCHEDULERS, marker="o", markersize=3) | {f"{rule} rules": DOTTED for rule in others}
    legend(figure, entries | {"95 % of shaken runs": {"facecolor": "grey", "alpha": 0.25}})
    return figure


def drawn_by_load(table):
    """Draw what the schedulers backfill of models by load: a row a metric, a column a model; bands: intervals.

    The table is by (metric, workload, load, of).
    """
    models = list(table.index.unique("workload"))
    size = (1.2 + 3.4 * len(models), 0.8 + 2.6 * len(OF_MODELS))
    figure, axes = plt.subplots(len(OF_MODELS), len(models), figsize=size, sharex=True, sharey="row", squeeze=False)
    for (row, metric), (column, model), of in product(enumerate(OF_MODELS), enumerate(models), SCHEDULERS):
        values = table.loc[metric, model].xs(of, level="of")
        axes[row, column].fill_between(values.index, values.low, values.high, color=OF[of], alpha=0.25, linewidth=0)
        axes[row, column].plot(values.index, values["mean"], "o-", color=OF[of], markersize=3)
        axes[row, 0].set_ylabel(OF_MODELS[metric])
        axes[0, column].set_title(model)
    for ax in axes[-1]:
        ax.set_xlabel("offered load")
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    legend(figure, scheduler_styles(SCHEDULERS, marker="o", markersize=3))
    return figure
