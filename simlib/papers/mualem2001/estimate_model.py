"""Section 4.3's model of user estimates: does it give the logs' histogram, and the logs' scheduling results?"""

from functools import cached_property, partial

import numpy as np
import pandas as pd

from ... import estimates
from ...stats import ks_distance
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, claim
from ..exhibit import LOGS, Part, repeats
from . import SCHEDULERS, SP2, TRACES, pictures, table3
from .on_traces import OnTraces

BINS = np.arange(0, 112)
"""Edges of the histogram of 100 run / estimate, a bin a per cent; what is above the last one is put into it."""

SHARES = {"under 1 %": (0, 1), "1 to 10 %": (1, 10), "10 to 50 %": (10, 50), "50 to 99 %": (50, 99)}
SHARES |= {"99 to 102 %": (99, 102), "102 % and above": (102, np.inf)}


class EstimateModel(
    OnTraces,
    name="mualem2001/estimate-model",
    section="4.3",
    seconds=30,
    after="mualem2001/table3",
    claims={"MF-32": LOGS},
):
    """A model of what users ask for: its histogram, and what scheduling makes of it."""

    traces: tuple = SP2
    under: float = 0.10
    short: int = 90
    stretch: int = 10
    cap: int = 86400
    factors: tuple = (2, 11, 101)
    seeds: int = 10
    seed: int = 0
    shakes: int = repeats(20)
    shake_s: int = 60
    easy_reuse_extra: bool = False
    conservative_compress: str = "arrival"

    @cached_property
    def makers(self):
        """How estimates are made, from `makers`."""
        return makers(self.factors, under=self.under, short=self.short, stretch=self.stretch, cap=self.cap)

    @property
    def every_seed(self):
        """The seeds of the histograms."""
        return range(self.seed, self.seed + self.seeds)

    @cached_property
    def histograms(self):
        """The histograms of logs and models, from `histograms`."""
        return histograms(self.found, self.makers, self.every_seed)

    @cached_property
    def distances(self):
        """How far the models are from the logs, from `distances`."""
        return distances(self.found, self.makers, self.every_seed)

    @cached_property
    def results(self):
        """Every simulation, from `runs`."""
        return runs(self.found, self.makers, self.shakes, self.shake_s, self.seed, self.rules)

    @cached_property
    def scheduling(self):
        """Their means with each kind of estimates, from `table3.summary`."""
        return table3.summary(self.results)

    @cached_property
    def nearest(self):
        """Which estimates come nearest to the original ones in scheduling, from `nearest`."""
        return nearest(self.scheduling)

    def judge(self):
        return claims(self.distances, self.nearest)

    def parts(self):
        return {
            "": Part(self.histograms, self._draw_histograms),
            "distances": Part(self.distances),
            "scheduling": Part(self.scheduling, self._draw_scheduling),
        }

    def _draw_histograms(self):
        uniform = {f"f{f}": f"uniform in [r, {f} r]" for f in self.factors}
        return pictures.modelled_histograms(self.histograms, "log", "model", uniform)

    def _draw_scheduling(self):
        labels = {"response_s": "mean response time [s]", "bounded_slowdown": "mean bounded slowdown"}
        names = {"original": "orig.", "model": "model"} | {f"f{f}": f"f = {f}" for f in self.factors}
        return pictures.by_estimates(self.scheduling, labels, names)


def makers(factors=(2, 11, 101), **model):
    """How estimates are made, by name: a function of the seed that returns a model of `simlib.estimates`.

    Parameters
    ----------
    factors : sequence of int
        Of the uniform estimates (section 4.2) that the model is compared with.
    **model
        The options of `estimates.Modelled`.
    """
    uniform = {f"f{f}": partial(estimates.Uniform, f) for f in factors}
    return {"model": partial(estimates.Modelled, **model)} | uniform


# The histogram


def with_estimate(workload):
    """The jobs that take part, ran at all and have an estimate in the log."""
    jobs = workload.jobs
    asked = workload.log.requested_time.reindex(jobs.index) > 0
    return jobs[asked & (jobs.run > 0)]


def used(jobs, model=None):
    """100 run / estimate of each job, for the estimates of the log or of a model."""
    return (100 * jobs.run / (jobs.estimate if model is None else model(jobs))).to_numpy()


def histogram(values):
    """The share of jobs, in per cent, in each of `BINS`."""
    return 100 * np.histogram(np.minimum(values, BINS[-2]), BINS)[0] / len(values)


def histograms(traces, makers, seeds):
    """The histograms of the logs and of what each maker of estimates gives.

    Returns
    -------
    DataFrame
        By trace and percent (lower edge): `log`, and for each maker its mean over seeds, in per cent of the jobs;
        `model_sd`, the standard deviation over seeds.
    """
    tables = {}
    for trace in traces:
        jobs = with_estimate(trace.workload)
        table = pd.DataFrame({"log": histogram(used(jobs))}, index=pd.Index(BINS[:-1], name="percent"))
        for name, make in makers.items():
            every = [histogram(used(jobs, make(seed))) for seed in seeds]
            table[name] = np.mean(every, axis=0)
            if name == "model":
                table["model_sd"] = np.std(every, axis=0, ddof=1) if len(every) > 1 else np.nan
        tables[trace.trace] = table
    return pd.concat(tables, names=["trace"])


def shares(table):
    """The histograms in a few steps, in per cent of the jobs."""
    percent = table.index.get_level_values("percent")
    names = pd.cut(percent, [low for low, _ in SHARES.values()] + [np.inf], right=False, labels=list(SHARES))
    return table.drop(columns="model_sd").groupby(["trace", names], sort=False, observed=True).sum()


def distances(traces, makers, seeds):
    """How far the histogram of each maker of estimates is from the log's.

    Returns
    -------
    DataFrame
        By trace and maker, each the mean over seeds and its standard deviation `_sd`: `tv`, the total variation
        distance over bins of 1 per cent (the share of jobs that would have to move); `ks`, the Kolmogorov-Smirnov
        distance, for which only the distribution counts, not the bins; `ks_estimate`, that of the estimates.
    """
    rows = {}
    for trace in traces:
        jobs = with_estimate(trace.workload)
        own = used(jobs)
        for name, make in makers.items():
            found = []
            for seed in seeds:
                made = make(seed)(jobs).to_numpy()
                share = (100 * jobs.run / made).to_numpy()
                tv = np.abs(histogram(share) - histogram(own)).sum() / 200
                found.append((tv, ks_distance(share, own), ks_distance(made, jobs.estimate.to_numpy())))
            found = pd.DataFrame(found, columns=["tv", "ks", "ks_estimate"])
            rows[trace.trace, name] = found.mean().to_dict() | found.std().add_suffix("_sd").to_dict()
    return pd.DataFrame(rows).T.rename_axis(["trace", "estimates"])


# Scheduling


def runs(traces, makers, shakes=20, shake_s=60, seed=0, rules=None, executor=None):
    """Simulate every trace with the original estimates and with those of every maker, under every scheduler.

    Parameters
    ----------
    traces : list of Trace
    makers : dict
        From `makers`.
    shakes : int
        How many shaken versions there are under every rule, each with estimates of its own.
    shake_s, seed, rules, executor
        As for `table3.runs`.

    Returns
    -------
    DataFrame
        As from `table3.runs`.
    """
    counts = dict.fromkeys(("shakes", "variant_shakes", "draws"), shakes)
    kinds = {"original": None} | makers
    return table3.runs(traces, kinds, **counts, shake_s=shake_s, seed=seed, rules=rules, executor=executor)


def nearest(table):
    """Which made-up estimates give the result that is nearest to the original estimates'.

    Parameters
    ----------
    table : DataFrame
        From `table3.summary`, over the results of `runs`.

    Returns
    -------
    DataFrame
        By scheduler (with its variants), metric and trace: `original`, `model`, `off` (model / original - 1),
        `spread` (standard deviation of the difference of two single runs, relative to the original) and `nearest`.
    """
    rows = {}
    for scheduler in SCHEDULERS:
        for rule, (value, sd) in {"": ("ours", "sd"), "_variant": ("variant", "variant_sd")}.items():
            for (metric, trace), cells in table.loc[scheduler].groupby(["metric", "trace"], sort=False):
                cells = cells.droplevel(["metric", "trace"])
                original, model = cells.loc["original"], cells.loc["model"]
                rows[scheduler + rule, metric, trace] = {
                    "original": original[value],
                    "model": model[value],
                    "off": model[value] / original[value] - 1,
                    "spread": np.hypot(original[sd], model[sd]) / original[value],
                    "nearest": (cells[value].drop("original") - original[value]).abs().idxmin(),
                }
    index = pd.MultiIndex.from_tuples(rows, names=["scheduler", "metric", "trace"])
    return pd.DataFrame(list(rows.values()), index=index)


def claims(distance, near):
    """Decide claim MF-32: reproduced if the used shares are within a KS distance of 0.1 of every log's.

    In part if they are at least nearer to every log's, by both distances, than any uniform estimates.

    Parameters
    ----------
    distance, near : DataFrame
        From `distances` and `nearest`.
    """
    traces = list(distance.index.get_level_values("trace").unique())
    if not set(traces) & set(TRACES):
        return [claim("MF-32", UNTESTED, "no real log at hand")]
    model, uniform = distance.xs("model", level="estimates"), distance.drop("model", level="estimates")
    best = uniform[["tv", "ks"]].groupby("trace").min() if len(uniform) else model[["tv", "ks"]] + 1
    nearer = (model[["tv", "ks"]] < best).all(axis=None)
    verdict = REPRODUCED if (model.ks <= 0.1).all() else PARTLY if nearer else NOT
    text = "; ".join(
        f"{trace}: total variation {model.tv[trace]:.2f} (best uniform {best.tv[trace]:.2f}), Kolmogorov-Smirnov "
        f"{model.ks[trace]:.2f} ({best.ks[trace]:.2f})"
        for trace in traces
    )
    alike = (near.off.abs() <= 2 * near.spread).sum()
    text += (
        f". Scheduling results nearer to the original estimates' than with any uniform ones in "
        f"{(near.nearest == 'model').sum()} of {len(near)} combinations, the same within the spread in {alike}"
    )
    return [claim("MF-32", verdict, text)]
