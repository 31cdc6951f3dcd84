"""Figure 6: run times by job size, of logs and models side by side (section 3.3)."""

from functools import cached_property, partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, PercentFormatter

from ... import plots
from ...analysis import size_classes
from ...analysis.size_classes import ALL, SECONDS, class_name, named
from ...analysis.stats import cluster_bootstrap
from ...core import sweeps
from ...models import feitelson96, jann97
from .. import results
from ..claims import HOLDS, HOLDS_NOT, INCONCLUSIVE, Measure, criteria, decide
from ..exhibit import LOGS, MODELS, Part
from ..parameters import RESAMPLES, SEED, WORDS, by_name, parameter, some_of, whole
from ..results import AS_IT_IS, bracketed
from ..verdicts import RESTORED, TEXT
from . import SP2, TRACES, feitelson_family, trace_of
from .on_traces import OnTraces
from .shared_pictures import DOT, INTERVAL

# Figure 6: run times and sizes of whole workloads, and how SP2 workloads differ from others (section 3.3).


SHOWN_LOGS, MODEL = (*SP2, "Par", "CM5"), "Feitelson"
OTHERS = ("Par", "CM5", MODEL)
"""What the text sets against the SP2 workloads."""

WEEK = 7 * 86400


def of_weeks(workloads, resamples=1000, seed=0, executor=None):
    """Work out mean and median of run time and size of whole workloads, and of ones put together from their weeks.

    Workloads come as a list of (label, Workload); their weeks are drawn by
    `simlib.analysis.stats.cluster_bootstrap`.

    Gives a Series, by (workload, replication, quantity, statistic). Quantities are `run` (seconds), `size`
    (processors) and `machine_share`, the same as a share of the machine; statistics `mean` and `median`.
    """
    tasks = [(workload, resamples, [seed, number]) for number, (_, workload) in enumerate(workloads)]
    tables = sweeps.sweep(_of_weeks, tasks, executor)
    return pd.concat(dict(zip([label for label, _ in workloads], tables, strict=True)), names=["workload"])


def _of_weeks(workload, resamples, seed):
    jobs = workload.jobs[["run", "procs"]].set_axis(["run", "size"], axis=1)
    week = (workload.jobs.submit - workload.jobs.submit.min()) // WEEK
    drawn = cluster_bootstrap(jobs, week, resamples, seed)
    medians = jobs.quantile(0.5, interpolation="lower")
    whole = {(name, "mean"): jobs[name].mean() for name in jobs} | {(name, "median"): medians[name] for name in jobs}
    table = pd.concat([pd.DataFrame(whole, [AS_IT_IS]), drawn.set_axis(drawn.index + AS_IT_IS + 1)])
    for statistic in ("mean", "median"):
        table["machine_share", statistic] = table["size", statistic] / workload.procs
    names = ["quantity", "statistic"]
    return table.rename_axis(index="replication", columns=names).stack(names, future_stack=True)


def compared(found, ones=SP2, others=OTHERS):
    """Divide each statistic of some workloads by that of others, as far as they are there.

    Returns the `results.summary` by (one, other, quantity, statistic); None where there is no pair.
    """
    there = list(found.index.unique("workload"))
    pairs = product((one for one in ones if one in there), (other for other in there if trace_of(other) in others))
    ratios = {(one, other): found.loc[one] / found.loc[other] for one, other in pairs}
    return results.summary(pd.concat(ratios, names=["one", "other"])) if ratios else None


def beside(table, forms):
    """Lay out numbers with their intervals as text, a column each quantity and statistic; `forms` are by quantity."""
    if table is None:
        return None
    columns = {
        quantity: results.with_intervals(table.xs(quantity, level="quantity"), form).unstack("statistic")
        for quantity, form in forms.items()
    }
    return pd.concat(columns, axis=1).reindex(table.index.droplevel(["quantity", "statistic"]).unique())


# The claims


def sp2_against_each(found, of_family):
    """Measure for MF-18 how the paper's SP2 logs differ from its other logs and each member's F; see `of_weeks`.

    A dict by member; empty where a log is not at hand.
    """
    traces = found.index.get_level_values("workload").map(trace_of)
    if not set(SHOWN_LOGS) <= set(traces):
        return {}
    logs = found[traces.isin(SHOWN_LOGS)]
    members = {on: of_family.loc[[on]].rename({on: MODEL}) for on in of_family.index.unique("workload")}
    return {on: sp2_against_others(pd.concat([logs, member])) for on, member in members.items()}


def sp2_against_others(found):
    """Measure mean and median of run times and sizes of the SP2 logs over those of the others, by geometric means."""
    logs = np.log(found.unstack("workload")).T.groupby(trace_of).mean()  # two years of one trace count as one
    ratios = np.exp(logs.loc[list(SP2)].mean() - logs.loc[list(OTHERS)].mean())
    return {
        f"{statistic} {name}": Measure.spread(ratios.xs((quantity, statistic), level=("quantity", "statistic")))
        for statistic in ("mean", "median")
        for quantity, name in (("run", "run time"), ("size", "size"))
    }


def close(made, ctc, jann, least_jobs=100):
    """Measure for MF-19 how far several replications of Fsl are from the CTC log and from those of the Jann model."""
    found = [gaps(fsl, ctc, other, least_jobs) for fsl, other in zip(made, jann, strict=True)]
    return {part: Measure.mean([each[part] for each in found]) for part in found[0]}


def gaps(fsl, ctc, jann, least_jobs=100):
    """Find the largest gaps between the distributions of run times of Fsl and of CTC and Jann: of all jobs, by size."""
    table = size_classes.distances([("Fsl", fsl), ("CTC", ctc), ("Jann", jann)], "Fsl", least_jobs)
    of_all, by_size = table.loc["all"], table.drop(["sizes", "all"]).median()
    return {
        f"{name}, {of}": found[name] for name in table for of, found in (("all jobs", of_all), ("by size", by_size))
    }


# Answers over the family of Feitelson models: what was measured on each member, as a verdict, a table and a picture.


ABOUT = {"MF-20": "Fl", "MF-21": "Fl", "MF-22": "Fs"}
"""The variants that claims are about; those of MF-43 are the names of its parts."""

LEVELS = ["claim", "part", "rule", "member"]

NO_SAY = "no say"
COLOURS = {HOLDS: plots.COLOURS[0], HOLDS_NOT: plots.COLOURS[1], INCONCLUSIVE: "#808080", NO_SAY: "#808080"}
BOUNDS = {"facecolor": "#DDE8DD"}


def decided(id, measured):
    """Decide a claim by what was measured of its parts: a dict by rule, member and part."""
    readings = {
        rule: {
            part: {on: parts[part] for on, parts in members.items() if has_say(id, part, on)} for part in criteria()[id]
        }
        for rule, members in measured.items()
    }
    without = []
    for (on, parts), (part, criterion) in product(next(iter(measured.values())).items(), criteria()[id].items()):
        if not has_say(id, part, on):
            form, one = f"{{:{criterion.form}}}", parts[part]
            without.append(f"{part}, {on} {bracketed(form, one.value, one.low, one.high)}")
    note = f"without a say, for the variant does not do what its name says: {'; '.join(without)}" if without else ""
    return decide(id, readings, note)


def has_say(id, part, member):
    """Tell whether a member's variants do what their names say, as far as this part of a claim is about one."""
    return ABOUT.get(id, part) not in feitelson_family.members().get(member, {"unlike": ()})["unlike"]


def answers(measured):
    """Lay out what was measured by (claim, part, rule, member): `value`, `low`, `high`, and the verdict on it."""
    rows = {}
    for id, rules in measured.items():
        for (part, criterion), (rule, members) in product(criteria()[id].items(), rules.items()):
            for on, parts in members.items():
                one = parts[part]
                verdict = criterion.judge(one) if has_say(id, part, on) else NO_SAY
                rows[id, part, rule, on] = {"value": one.value, "low": one.low, "high": one.high, "verdict": verdict}
    return pd.DataFrame(list(rows.values()), pd.MultiIndex.from_tuples(list(rows), names=LEVELS))


def parts(measured, on):
    """Make the parts of an exhibit that show the answers: on the members, and on the Fsl that they share."""
    table = answers(measured)
    of_fsl = table.index.get_level_values("member").isin(feitelson_family.fsl())
    tables = {"family": table[~of_fsl], "fsl": table[of_fsl]}
    return {suffix: Part(rows, partial(drawn, rows), on) for suffix, rows in tables.items() if len(rows)}


def drawn(table, columns=4):
    """Draw the answers under the first rule: a panel each part of a claim, a dot with its interval each member.

    Where a part has to lie is shaded.
    """
    table = table.xs(table.index.unique("rule")[0], level="rule")
    panels, members = list(table.index.droplevel("member").unique()), list(table.index.unique("member"))
    columns = min(columns, len(panels))
    shape = -(-len(panels) // columns), columns
    size = (2.6 + 2.3 * columns, 0.9 + shape[0] * (0.85 + 0.21 * len(members)))
    figure, axes = plt.subplots(*shape, figsize=size, sharey=True, squeeze=False)
    for ax, (id, part) in zip(axes.flat, panels, strict=False):
        _panel(ax, table.xs((id, part), level=("claim", "part")), criteria()[id][part])
        ax.set_title(f"{id}\n{part}", fontsize="medium")
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    axes[0, 0].set(yticks=range(len(members)), yticklabels=members, ylim=(len(members) - 0.5, -0.5))
    dots = {verdict: {"color": colour, **DOT} | _filled(verdict) for verdict, colour in COLOURS.items()}
    there = {verdict: style for verdict, style in dots.items() if (table.verdict == verdict).any()}
    plots.legend(figure, there | {"has to lie here": BOUNDS})
    return figure


def _panel(ax, rows, criterion):
    for place, row in enumerate(rows.itertuples()):
        ax.hlines(place, row.low, row.high, color=COLOURS[row.verdict], linewidth=3, alpha=0.4)
        ax.plot(row.value, place, color=COLOURS[row.verdict], markersize=5, **DOT, **_filled(row.verdict))
    bounds = np.array([criterion.above, criterion.below])
    finite = bounds[np.isfinite(bounds)]
    ends = np.nanmin([*rows.low, *finite]), np.nanmax([*rows.high, *finite])
    margin = 0.06 * (ends[1] - ends[0]) or 0.06
    ax.set_xlim(ends[0] - margin, ends[1] + margin)
    ax.axvspan(*np.clip(bounds, *ax.get_xlim()), zorder=0, **BOUNDS)
    unit, sign = (100, "%") if "%" in criterion.form else (1, "")
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{unit * value:.3g}{sign}"))
    ax.grid(axis="y", visible=False)


def _filled(verdict):
    return {"fillstyle": "none" if verdict == NO_SAY else "full"}


TOLD_APART = [*plots.COLOURS, "#999999", "#7B4A8C"]
"""A colour for each workload."""

COMPARED = ("CTC", "Jann", "Feitelson", "Fsl")
"""The workloads of the paper's own picture."""

UPTO = [f"upto_{seconds}" for seconds in SECONDS]
BOTH = (LOGS, MODELS)
FORMS = {"run": "{:,.0f}", "size": "{:,.1f}", "machine_share": "{:.1%}"}


class Figure6(
    OnTraces, name="mualem2001/figure6", section="3.3", seconds=15, claims=dict.fromkeys(("MF-18", "MF-19"), BOTH)
):
    """Are jobs of SP2 machines longer and smaller than others?"""

    traces: tuple = parameter(TRACES, some_of(TRACES))
    rules: tuple = parameter((TEXT, RESTORED), some_of((TEXT, RESTORED), first=(TEXT,)))
    jobs: dict = parameter({}, by_name(TRACES, WORDS))
    least_jobs: int = parameter(100, whole(1))
    resamples: int = parameter(1000, RESAMPLES)
    seed: int = parameter(1, SEED)
    model_jobs: int = parameter(100_000, whole(1))
    model_seeds: int = parameter(5, whole(2))

    @cached_property
    def models(self):
        """The models' workloads, by label."""
        return {
            "Feitelson": feitelson96.workload(self.model_jobs, "F", self.seed),
            "Fsl": self._fsl(self.seed),
            "Jann": jann97.workload(self.model_jobs, seed=self.seed),
        }

    def _fsl(self, seed, about=None):
        return feitelson96.workload(self.model_jobs, "Fsl", seed, about=about)

    @property
    def workloads(self):
        """Logs, then models, with their labels, as pairs."""
        return [*self.labelled, *self.models.items()]

    def load(self):
        return super().load() | {MODELS: [*self.models.values(), *list(self.members.values())[1:]]}

    @cached_property
    def curves(self):
        """The cumulative distributions, by workload and size class."""
        return size_classes.curves(self.workloads, self.least_jobs)

    @cached_property
    def by_class(self):
        """Run times by workload and size class in numbers."""
        return size_classes.by_class(self.workloads)

    @property
    def table(self):
        """What of these numbers is shown."""
        return named(self.by_class.drop(columns=UPTO))

    @property
    def upto(self):
        """The other ones: the shares of jobs that ran for no longer than some times, by size class and workload."""
        return named(_by_size(self.by_class)).swaplevel()[["jobs", *UPTO]]

    @cached_property
    def apart(self):
        """How far each workload is from CTC, where that is at hand, and from the Jann model; tables by label."""
        return {
            label: size_classes.distances(self.workloads, label, self.least_jobs)
            for label in ("CTC", "Jann")
            if label in dict(self.workloads)
        }

    @cached_property
    def _of_weeks(self):
        return of_weeks(self.workloads, self.resamples, self.seed)

    @cached_property
    def means(self):
        """Mean and median of run time and size of whole workloads, by (workload, quantity, statistic)."""
        return results.by(results.summary(self._of_weeks), "workload", "quantity", "statistic")

    @cached_property
    def ratios(self):
        """The SP2 logs against others by these, by (one, other, quantity, statistic); None where there is no pair."""
        return compared(self._of_weeks)

    @cached_property
    def members(self):
        """F of each member of the family of Feitelson models, by name; the first is that of `models`."""
        members = feitelson_family.members().items()
        return {name: feitelson96.workload(self.model_jobs, seed=self.seed, about=about) for name, about in members}

    @cached_property
    def measured(self):
        """What was measured, by claim, rule, member or Fsl, and part."""
        of_members = of_weeks(list(self.members.items()), self.resamples, self.seed)
        of_rules = self.by_reading
        apart = {rule: sp2_against_each(each._of_weeks, of_members) for rule, each in of_rules.items()}
        return {"MF-18": apart, "MF-19": {rule: each._close() for rule, each in of_rules.items()}}

    def _close(self):
        ctc, seeds = dict(self.labelled).get("CTC"), range(self.seed, self.seed + self.model_seeds)
        if ctc is None:
            return {}
        jann = [jann97.workload(self.model_jobs, seed=seed) for seed in seeds]
        members = {label: feitelson_family.members()[name] for label, name in feitelson_family.fsl().items()}
        return {
            label: close([self._fsl(seed, about) for seed in seeds], ctc, jann, self.least_jobs)
            for label, about in members.items()
        }

    def judge(self):
        return [decided(id, found) for id, found in self.measured.items()]

    def parts(self):
        models = Part(
            lambda: pd.concat(self.apart, names=["from"]), lambda: by_size(self.curves, self._compared()), BOTH
        )
        return {
            "": Part(lambda: self.table, lambda: by_workload(self.curves), BOTH),
            "by_class": Part(lambda: self.upto, lambda: by_size(self.curves, self._lines()), BOTH),
            "models": models,
            "means": Part(lambda: self.means, lambda: means_and_medians(self.means, SP2), BOTH),
            "ratios": Part(lambda: self.ratios, on=BOTH),
        } | parts(self.measured, BOTH)

    def _lines(self):
        """Say how to draw each workload: SP2 logs solid, other logs dashed, models dotted."""
        names = [name for name, _ in self.workloads]
        patterns = ["-" if name in SP2 else ":" if name in self.models else "--" for name in names]
        styles = zip(names, TOLD_APART, patterns, strict=False)
        return {name: {"color": colour, "linestyle": pattern} for name, colour, pattern in styles}

    def _compared(self):
        names = [name for name in COMPARED if name in dict(self.workloads)]
        return {name: {"color": colour} for name, colour in zip(names, plots.COLOURS, strict=False)}


def _by_size(table):
    return table.sort_index(level="size_class", sort_remaining=False)


def by_workload(curves):
    """Draw a panel for each workload, a line for each size class."""
    classes = [upper for upper in sorted(curves.index.unique("size_class")) if upper != ALL]
    styles = {class_name(upper): {"color": shade} for upper, shade in plots.shades(classes).items()}
    styles[class_name(ALL)] = {"color": "black", "linestyle": ":", "linewidth": 2}
    return plots.cumulative_panels(named(curves), "workload", "size_class", styles)


def by_size(curves, styles):
    """Draw a panel for each size class, a line for each of some workloads, in the styles given by label."""
    table = named(_by_size(curves))
    table = table[table.index.get_level_values("workload").isin(styles)]
    return plots.cumulative_panels(table, "size_class", "workload", styles, 4, "job size: {}")


def means_and_medians(table, highlighted=()):
    """Draw mean and median of each quantity by workload, with their intervals; names of some workloads are bold."""
    labels = {"run": "run time [s]", "size": "processors", "machine_share": "share of the machine"}
    names = list(table.index.unique("workload"))
    size = (1 + 3.4 * len(labels), 1.8 + 0.45 * len(names))
    figure, axes = plt.subplots(1, len(labels), figsize=size, sharey=True)
    y = np.arange(len(names))
    for ax, (quantity, label) in zip(axes, labels.items(), strict=True):
        for statistic, colour, shift in (("mean", plots.COLOURS[0], -0.12), ("median", plots.COLOURS[1], 0.12)):
            part = table.xs((quantity, statistic), level=("quantity", "statistic"))
            ax.hlines(y + shift, part.low, part.high, color=colour, linewidth=3, alpha=0.4)
            ax.plot(part.ours, y + shift, "o", color=colour, markersize=5)
        ax.set(xscale="log", xlabel=label)
        low, high = ax.get_xlim()
        few, more, most = (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 6, 8)  # multiples of ten to the n that are written
        ax.xaxis.set_major_locator(LogLocator(subs=few if high / low > 60 else more if high / low > 8 else most))
        ax.xaxis.set_minor_formatter(NullFormatter())
        share, number = PercentFormatter(1, decimals=1), FuncFormatter(lambda value, _: f"{value:,.0f}")
        ax.xaxis.set_major_formatter(share if quantity == "machine_share" else number)
        ax.grid(axis="y", visible=False)
    axes[0].set_yticks(y, names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    for text in axes[0].get_yticklabels():
        text.set_weight("bold" if text.get_text() in highlighted else "normal")
    dots = {name: {"color": colour} | DOT for name, colour in zip(("mean", "median"), plots.COLOURS, strict=False)}
    plots.legend(figure, dots | {"95 % interval": INTERVAL})
    return figure
