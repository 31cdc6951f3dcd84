"""Section 4.3's model of user estimates: does it give the logs' histogram, and the logs' scheduling results?"""

from functools import cached_property, partial
from itertools import cycle, product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...analysis.stats import ks_distance
from ...core import estimates
from ...plots.style import COLOURS
from ...report.policies import requested
from .. import results
from ..claims import NOTHING, Measure, decide
from ..exhibit import LOGS, Part
from ..parameters import SECONDS, SEED, SHARE, parameter, real, repeats, some, some_of, whole
from ..verdicts import LIKELY, RESTORED, TEXT, deviation
from . import SP2, TRACES, tables3_4
from .on_traces import OnTraces
from .shared_pictures import by_estimates

BINS = np.arange(0, 112)
"""Edges of the histogram of 100 run / estimate, a bin a per cent; what is above the last one is put into it."""


class EstimateModel(
    OnTraces,
    name="mualem2001/estimate-model",
    section="4.3",
    seconds=20,
    after="mualem2001/table3",
    claims={"MF-32": LOGS, "MF-46": LOGS, "MF-47": LOGS},
):
    """A model of what users ask for: its histogram, and what scheduling makes of it."""

    traces: tuple = parameter(SP2, some_of(TRACES))
    under: float = parameter(0.10, SHARE)
    short: int = parameter(90, whole(0))
    stretch: int = parameter(10, real(1))
    cap: int = parameter(86400, whole(1))
    factors: tuple = parameter((2, 11, 101), some(real(1)))
    rules: tuple = parameter((TEXT, LIKELY, RESTORED), some_of((TEXT, LIKELY, RESTORED), first=(TEXT, LIKELY)))
    seeds: int = parameter(10, whole(2))
    seed: int = parameter(0, SEED)
    shakes: int = repeats(20)
    shake_s: int = parameter(60, SECONDS)

    @property
    def makers(self):
        """How estimates are made, by name: functions of a seed."""
        model = {"under": self.under, "short": self.short, "stretch": self.stretch, "cap": self.cap}
        uniform = {f"f{f}": partial(estimates.Uniform, f) for f in self.factors}
        return {"model": partial(estimates.Modelled, **model)} | uniform

    # Histograms

    @cached_property
    def _drawn(self):
        """The histograms of logs and models and their distances, by (trace, estimates, replication, ...)."""
        bins, far = {}, {}
        for each in self.found:
            jobs = with_estimate(each.workload)
            own = 100 * jobs.run / jobs.estimate
            log = bins[each.trace, "log", results.AS_IT_IS] = histogram(own)
            for (name, make), replication in product(self.makers.items(), range(1, self.seeds + 1)):
                made = make(self.seed + replication - 1)(jobs)
                used = 100 * jobs.run / made
                place = each.trace, name, replication
                bins[place] = histogram(used)
                ks = {"ks": ks_distance(used, own), "ks_estimate": ks_distance(made, jobs.estimate)}
                far[place] = {"tv": np.abs(bins[place] - log).sum() / 200} | ks
        return _tidy(bins, "percent"), _tidy(far, "distance")

    @cached_property
    def histograms(self):
        """The per cent of jobs in each bin, `ours` of the log, `mean` of models: by (trace, estimates, percent)."""
        return results.summary(self._drawn[0])

    @property
    def shares(self):
        """The same by (trace, percent), a column each for the log and the models."""
        table = self.histograms.ours.fillna(self.histograms["mean"])
        return results.by(table, "trace", "percent", "estimates").unstack("estimates")[["log", *self.makers]]

    @property
    def steps(self):
        """The histograms in a few wide steps."""
        percent = self.shares.index.get_level_values("percent")
        steps = pd.cut(percent, [0, 1, 10, 50, 99, 102, 111], right=False)
        return self.shares.groupby(["trace", steps], sort=False, observed=True).sum()

    @cached_property
    def distances(self):
        """How far models are from the log, by (trace, estimates, distance).

        `tv` is the total variation distance over bins of 1 per cent (the share of jobs that would have to move), `ks`
        the Kolmogorov-Smirnov distance, for which bins do not count, and `ks_estimate` that of the estimates.
        """
        return results.summary(self._drawn[1]).drop(columns="ours")

    # Scheduling

    @cached_property
    def comparison(self):
        """The means with each kind of estimates, beside those that Table 3 prints."""
        kinds, counts = {"original": None} | self.makers, dict.fromkeys(self.followed, self.shakes)
        found = tables3_4.of_qualities(self.found, kinds, self.policies, counts, self.shakes, self.shake_s, self.seed)
        return self.against(tables3_4.spread(found), tables3_4.printed())

    @property
    def nearest(self):
        """Which made-up estimates come nearest to the original ones in scheduling.

        By (scheduler, metric, trace, rule): the means with `original` and `model` estimates, by how much the latter is
        `off`, the `spread` (standard deviation) of such a difference of two single runs, and the `nearest` estimates.
        """
        ours, sd = (self.comparison[column].unstack("estimates") for column in ("ours", "sd"))
        made = ours.drop(columns="original")
        table = ours[["original", "model"]].assign(
            off=deviation(ours.model, ours.original),
            spread=np.hypot(sd.original, sd.model) / ours.original,
            nearest=made.sub(ours.original, axis=0).abs().idxmin(axis=1),
        )
        return table.reindex(self.comparison.index.droplevel("estimates").unique())

    # What it shows

    def judge(self):
        found = {rule: each._measured for rule, each in self.by_reading.items()}
        near = self.nearest
        alike = (near.off.abs() <= 2 * near.spread).sum()
        note = (
            f"in simulations the model comes nearer to the original estimates than any uniform ones in "
            f"{(near.nearest == 'model').sum()} of {len(near)} combinations, the same within the spread in {alike}"
        )
        notes = {"MF-32": note}
        return [
            decide(id, {rule: measured[id] for rule, measured in found.items()}, notes.get(id, ""))
            for id in self.claims
        ]

    @property
    def _measured(self):
        logs = {each.trace: with_estimate(each.workload) for each in self.found}
        too_small = {trace: Measure.exactly(too_small_share(jobs)) for trace, jobs in logs.items()}
        short = {trace: Measure.exactly(stretched(jobs, self.short)) for trace, jobs in logs.items()}
        parts = {"MF-46": {"too small": too_small}, "MF-47": {"short jobs": short}}
        return {"MF-32": as_real_ones(self._drawn[1])} | parts

    def parts(self):
        names = {"original": "orig.", "model": "model"} | {f"f{f}": f"f = {f}" for f in self.factors}
        uniform = {f"f{f}": f"uniform in [r, {f} r]" for f in self.factors}
        return {
            "": Part(lambda: self.histograms, lambda: modelled_histograms(self.shares, uniform)),
            "distances": Part(lambda: self.distances),
            "scheduling": Part(lambda: self.comparison, lambda: by_estimates(self.comparison, names)),
        }


def with_estimate(workload):
    """Take the jobs that take part, ran at all and have an estimate in the log."""
    return workload.jobs[requested(workload) & (workload.jobs.run > 0)]


def histogram(used):
    """Work out the share of jobs, in per cent, in each of `BINS`."""
    bins = np.histogram(np.minimum(used, BINS[-2]), BINS)[0]
    return pd.Series(100 * bins / len(used), BINS[:-1])


def _tidy(rows, level):
    """Make one Series of rows by (trace, estimates, replication)."""
    index = pd.MultiIndex.from_tuples(rows, names=["trace", "estimates", "replication"])
    return pd.DataFrame(list(rows.values()), index).rename_axis(columns=level).stack(future_stack=True)


# What the claims are about


def as_real_ones(distances):
    """Measure how far the model is from the logs, over all of them, and how much further uniform estimates are."""
    table = distances.unstack("distance")
    model = table.xs("model", level="estimates").groupby("replication").max()
    uniform = table.ks.drop("model", level="estimates").groupby(["trace", "replication"]).min()
    further = (uniform - table.ks.xs("model", level="estimates")).dropna().groupby("replication").min()
    parts = {"used share": model.ks, "estimates": model.ks_estimate, "better than uniform": further}
    return {part: Measure.range(values) if len(values) else NOTHING for part, values in parts.items()}


def too_small_share(jobs):
    """Count the jobs that run for their estimate or longer."""
    return (jobs.run >= jobs.estimate).mean()


def stretched(jobs, short):
    """Compare how many times their run time short jobs ask for, and the others."""
    times, is_short = jobs.estimate / jobs.run, jobs.run < short
    return times[is_short].median() / times[~is_short].median()


# The picture


def modelled_histograms(shares, uniform, highest=4):
    """Draw the model's histogram on the log's, cut at `highest`, and below all as cumulative distributions."""
    traces = list(shares.index.unique("trace"))
    size = (max(9, 1.5 + 3.6 * len(traces)), 5.8)
    figure, axes = plt.subplots(2, len(traces), figsize=size, squeeze=False, sharex=True, sharey="row")
    for (upper, lower), trace in zip(axes.T, traces, strict=True):
        bins = shares.loc[trace]
        edges = np.append(bins.index, bins.index.max() + 1)
        upper.stairs(bins.log, edges, fill=True, color="#B0B0B0")
        upper.stairs(bins.model, edges, color=COLOURS[0], linewidth=1.2)
        for column, colour, y in (("log", "#606060", -9), ("model", COLOURS[0], -20)):
            cut = bins[column][bins[column] > highest]
            for part, x, side in ((cut[cut.index < 50], 4, "left"), (cut[cut.index >= 50], 98, "right")):
                style = {"textcoords": "offset points", "ha": side, "color": colour, "size": 8}
                upper.annotate(f"{part.sum():.1f} %" if len(part) else "", (x, highest), (0, y), **style)
        upto = bins.cumsum()
        lower.plot(edges[1:], upto.log, color="#808080", linewidth=2.5, label="log")
        lower.plot(edges[1:], upto.model, color=COLOURS[0], linewidth=1.2, label="model")
        for (column, label), line in zip(uniform.items(), cycle((":", "--", "-."))):
            lower.plot(edges[1:], upto[column], color=COLOURS[4], linestyle=line, linewidth=1, label=label)
        upper.set(ylim=(0, highest), xlim=(0, edges[-1]), title=trace)
        lower.set(xlabel="run time / estimate [%]", ylim=(0, 100))
    axes[0, 0].set_ylabel("jobs [%]")
    axes[1, 0].set_ylabel("jobs up to here [%]")
    handles, labels = axes[1, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    return figure
