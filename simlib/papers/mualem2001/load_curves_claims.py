"""What the text says of models under rising load, measured: claims MF-05 to 07, 14, 20 to 24 and 41 to 43.

A difference is what conservative has more than EASY, as a share of EASY's mean, taken job by job in each of several
independent replications. Loads at which the ceiling stopped most replications of either scheduler are left out, as the
paper stopped there too; the others are steady.
"""

import numpy as np

from ...load_curves import over_runs
from ...stats import ks_distance
from ..judging import TEXT
from ..ledger import NOTHING, Measure, decide

HIGH = (0.75, 0.90)
"""The loads, both included, that are called high."""

CANDIDATES = ("Fsl, no repetition", "Fsl, Jann's arrivals")
"""Labels of the models that MF-24 asks for; the second has no repetitions either."""

NAMES = {"response_s": "response time", "bounded_slowdown": "bounded slowdown"}


# Figure 4


def figure4(differences):
    """Decide claims MF-06 and MF-07 from the differences of `load_curves.curves` on the model "Jann"."""
    rules = differences.index.unique("rule")
    response, slowdown = ({rule: on_jann(differences, rule, metric) for rule in rules} for metric in NAMES)
    return [
        decide("MF-06", {rule: {"response time": one} for rule, one in response.items()}),
        decide("MF-07", {rule: {"higher": one, "slightly": one} for rule, one in slowdown.items()}),
    ]


def on_jann(differences, rule, metric):
    """Measure the difference on the Jann model at high load."""
    return _mean(at_high_load(differences, rule, metric, ["Jann"])["Jann"])


# The Feitelson model and its variants, labelled F, Fs, Fl, Fsl, with the CANDIDATES and Jann


def same(points, differences, rule):
    """Measure both metrics' difference, each at the steady load at which it is the largest."""
    return {name: furthest(differences, rule, metric) for metric, name in NAMES.items()}


def backfilled(points, differences, rule):
    """Measure the difference in the share of backfilled jobs at the steady load at which it is the largest."""
    return {"share": furthest(differences, rule, "backfilled")}


def furthest(differences, rule, metric):
    """Measure the difference on F at the steady load at which it is the largest."""
    relative, steady = _by_load(differences, rule, metric, ["F"])
    by_load = relative["F"].unstack("load")[list(steady)]
    return _mean(by_load[by_load.mean().abs().idxmax()]) if len(steady) else NOTHING


def accuracy(points, differences, rule):
    """Measure, run by run, the share of simulations that take 100 batches, and the median accuracy of those.

    They are those of F and of the Jann model.
    """
    models = points.index.get_level_values("workload").isin(["F", "Jann"])
    found = points[models].xs((rule, "response_s"), level=("rule", "metric"))
    long = found.stopped == "batches"
    of_long = found.accuracy[long].groupby("replication").median()
    return {"batches": _mean(long.groupby("replication").mean()), "accuracy": _mean(of_long)}


def longer_runs(points, differences, rule):
    """Measure how much larger the difference in response time is where only run times change."""
    high = at_high_load(differences, rule, "response_s", ["F", "Fl"])
    return dict.fromkeys(("makes a difference", "small"), _mean(larger(high, "Fl", "F")))


def both_changes(points, differences, rule):
    """Measure how much larger the difference in response time is on Fsl than on Fl, and than twice that on Fl."""
    high = at_high_load(differences, rule, "response_s", ["Fl", "Fsl"])
    return {"enlarged": _mean(larger(high, "Fsl", "Fl")), "considerably": _mean(larger(high, "Fsl", "Fl", 2))}


def smaller_sizes(points, differences, rule):
    """Measure how much larger the difference in bounded slowdown is where only sizes change."""
    high = at_high_load(differences, rule, "bounded_slowdown", ["F", "Fs"])
    return {"makes a difference": _mean(larger(high, "Fs", "F"))}


def short_of_jann(points, differences, rule):
    """Measure how much larger both metrics' difference is on the Jann model than on Fsl."""
    high = {name: at_high_load(differences, rule, metric, ["Fsl", "Jann"]) for metric, name in NAMES.items()}
    return {name: _mean(larger(of, "Jann", "Fsl")) for name, of in high.items()}


def unexplained(points, differences, rule):
    """Measure how far each candidate stays below half of what both metrics' difference on Fsl lacks to Jann's.

    Repetitions are left out of Fsl, then Jann's interarrival times are put in. Nothing where Fsl lacks nothing.
    """
    found = {}
    for metric, name in NAMES.items():
        high = at_high_load(differences, rule, metric, ["Fsl", *CANDIDATES, "Jann"])
        lacking, sign = larger(high, "Jann", "Fsl"), np.sign(high["Jann"].mean())
        before = "Fsl"
        for step, after in zip(("no repetition", "Jann's arrivals"), CANDIDATES, strict=True):
            added = sign * (high[after] - high[before])
            found[f"{name}, {step}"] = _mean(lacking / 2 - added) if lacking.mean() > 0 else NOTHING
            before = after
    return found


def both_needed(points, differences, rule):
    """Measure how far each change alone stays below half of Fsl's difference in response time."""
    high = at_high_load(differences, rule, "response_s", ["Fl", "Fs", "Fsl"])
    return {label: _mean(larger(high, "Fsl", label, 2) / 2) for label in ("Fl", "Fs")}


OF_F = {
    "MF-05": same,
    "MF-14": backfilled,
    "MF-20": longer_runs,
    "MF-21": both_changes,
    "MF-22": smaller_sizes,
    "MF-43": both_needed,
    "MF-41": accuracy,
}
OF_FSL = {"MF-23": short_of_jann, "MF-24": unexplained}
"""What is measured for a claim on F and its variants, and on Fsl, in the points and differences under a rule."""


# Of differences


def at_high_load(differences, rule, metric, labels):
    """Average the differences over the HIGH loads that are steady on all of these models.

    Where there is none, take the difference at the highest load below them that is. A row a replication, a column a
    model; no rows where no load is steady.
    """
    relative, steady = _by_load(differences, rule, metric, labels)
    loads = [load for load in steady if HIGH[0] <= load <= HIGH[1]] or steady[steady < HIGH[0]][-1:]
    return relative[relative.index.isin(loads, level="load")].groupby("replication").mean()


def _by_load(differences, rule, metric, labels):
    """Lay out differences by replication and load, a column a model, and find those that are steady on all."""
    found = differences.xs((rule, metric), level=("rule", "metric"))
    stopped = over_runs(found, "relative").ceiling.astype(float).unstack("workload")[list(labels)]
    return found.relative.unstack("workload")[list(labels)], stopped.index[stopped.sum(axis=1, skipna=False) == 0]


def larger(high, one, other, times=1):
    """Work out, run by run, how much larger one model's difference is in size than so many times another's."""
    return np.sign(high[one].mean()) * (high[one] - times * high[other])


def _mean(runs):
    """Measure the mean over the replications that there are."""
    runs = runs.dropna()
    return Measure.mean(runs) if len(runs) > 1 else NOTHING


def interarrivals(pairs):
    """Decide claim MF-42 by the largest gap between the distributions of interarrival times of pairs of workloads.

    They are divided by their means, as the load is set by scaling them. A pair a replication.
    """
    gaps = [[np.diff(workload.jobs.submit) for workload in pair] for pair in pairs]
    distances = [ks_distance(*(each / each.mean() for each in both)) for both in gaps]
    names = [workload.name for workload in pairs[0]]
    spread = ", ".join(f"{name} {each.std() / each.mean():.1f}" for name, each in zip(names, gaps[0], strict=True))
    note = f"coefficients of variation {spread}"
    return decide("MF-42", {TEXT: {"interarrival times": Measure.mean(distances)}}, note)
