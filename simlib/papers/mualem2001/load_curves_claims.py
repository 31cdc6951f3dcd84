"""Verdicts on what the text says of Figures 4 and 7: claims MF-05 to MF-07, MF-20 to MF-24 and MF-41 to MF-43.

A difference is what conservative has more than EASY, as a share of EASY's mean, taken job by job over several
independent replications, with its 90 % interval. Loads at which the ceiling stopped most replications of either
scheduler are left out, as the paper stopped there too. A claim is decided by the first rule; where another does not
bear it out as well it is reproduced in part only.

A decider gives a verdict, or the parts of the claim that hold, and its evidence.
"""

from functools import partial

import numpy as np

from ...confidence import mean_interval
from ...load_curves import over_runs
from ...stats import ks_distance
from ..judging import NOT, PARTLY, REPRODUCED, UNTESTED, claim
from ..results import bracketed, with_intervals
from . import METRICS

HIGH = (0.75, 0.90)
"""The loads, both included, that are called high."""

SAME = 0.05
"""Schedulers perform practically the same where they differ by less; the precision at which the paper stops a run."""

SLIGHT = 0.20
"""A difference is slight below this."""

SMALL = 0.10
"""A difference is small below this: what the paper's accuracy of 6 to 9 % can hardly show."""

ACCURACY = (0.06, 0.09)
"""What the paper says most runs achieved."""

SIMILAR = 0.10
"""Largest distance of two cumulative distributions that are called very similar."""

CANDIDATES = ("Fsl, no repetition", "Fsl, Jann's arrivals")
"""Labels of the models that MF-24 asks for; the second has no repetitions either."""

NAMES = {"response_s": "response time", "bounded_slowdown": "bounded slowdown"}


def _by_rule(id, decide, rules):
    """Decide by the first rule, with the evidence of all; PARTLY where only another denies it."""
    found = {rule: decide(rule) for rule in rules}
    verdicts = [_verdict(parts) for parts, _ in found.values()]
    if verdicts[0] == UNTESTED:
        return claim(id, UNTESTED, found[rules[0]][1])
    verdict = PARTLY if verdicts[0] == REPRODUCED and set(verdicts) != {REPRODUCED} else verdicts[0]
    return claim(id, verdict, "; ".join(f"{rule}: {text}" for rule, (_, text) in found.items()))


def _verdict(parts):
    """Reproduced where all parts hold, in part where some do; a verdict stays as it is."""
    return parts if isinstance(parts, str) else REPRODUCED if all(parts) else PARTLY if any(parts) else NOT


# Figure 4


def figure4(points, differences):
    """Decide claims MF-05, MF-06, MF-07 and MF-41 from `load_curves.curves` of the models "Feitelson" and "Jann"."""
    several = over_runs(differences, "relative")
    rules = list(several.index.unique("rule"))
    deciders = {"MF-05": _practically_the_same, "MF-06": _better_response, "MF-07": _slightly_worse_slowdown}
    decided = [_by_rule(id, partial(decide, points, several), rules) for id, decide in deciders.items()]
    return [*decided, _accuracy(points.xs(rules[0], level="rule"))]


def _practically_the_same(points, several, rule):
    """Ask two things of both metrics on the Feitelson model, at every load.

    The separate intervals of the two schedulers overlap, in most replications (the paper's test, which has one); the
    difference lies within +-SAME, with its whole interval.
    """
    parts, evidence = [], []
    for metric, name in NAMES.items():
        rows = _steady(several, "Feitelson", rule, metric)
        if rows.empty:
            return UNTESTED, "the ceiling stopped most runs at every load"
        overlap = _overlaps(points, "Feitelson", rule, metric, rows.index)
        close = (rows.low > -SAME) & (rows.high < SAME)
        parts += [(overlap.groupby("load").mean() > 0.5).all(), close.all()]
        ends = f"difference {_written(rows.iloc[[0, -1]])}, within {SAME:.0%} at {close.sum()} of {len(rows)} loads"
        evidence.append(f"{name}: separate intervals overlap in {overlap.sum()} of {len(overlap)} cases, {ends}")
    return parts, "; ".join(evidence)


def _better_response(points, several, rule):
    """Ask whether EASY is better on the Jann model: the interval of the difference above nought at every HIGH load.

    Separate intervals can overlap where a difference is clear, so those are evidence only.
    """
    rows = _high(_steady(several, "Jann", rule, "response_s"))
    if rows.empty:
        return UNTESTED, "the ceiling stopped most runs at every high load"
    overlap = _overlaps(points, "Jann", rule, "response_s", rows.index)
    text = f"separate intervals apart in {(~overlap).sum()} of {len(overlap)} cases"
    return rows.low > 0, f"difference at {_written(rows)}; {text}"


def _slightly_worse_slowdown(points, several, rule):
    """Ask for an interval below nought, and a difference within SLIGHT, at every HIGH load; in part for the sign."""
    rows = _high(_steady(several, "Jann", rule, "bounded_slowdown"))
    if rows.empty:
        return UNTESTED, "the ceiling stopped most runs at every high load"
    below, slight = rows.high < 0, rows.relative.abs() < SLIGHT
    verdict = REPRODUCED if (below & slight).all() else PARTLY if below.any() else NOT
    return verdict, f"difference at {_written(rows)}"


def _accuracy(points):
    """Ask whether more than half of the simulations took 100 batches, and at a median accuracy within ACCURACY."""
    runs = points.xs("response_s", level="metric")
    long = runs[runs.stopped == "batches"]
    median = long.accuracy.median()
    parts = [len(long) > 0.5 * len(runs), ACCURACY[0] <= median <= ACCURACY[1]]
    stopped = ", ".join(f"{count} by {reason}" for reason, count in runs.stopped.value_counts().items())
    spread = bracketed("{:.1%}", median, *long.accuracy.quantile([0.25, 0.75]))
    text = f"accuracy of those that took all batches: median {spread}, the bracket holding the middle half"
    return claim("MF-41", _verdict(parts), f"{len(runs)} simulations stopped: {stopped}; {text}")


def _steady(several, label, rule, metric):
    """Take the differences of one model by load, where the ceiling did not stop most runs."""
    rows = several.xs((label, rule, metric), level=("workload", "rule", "metric"))
    return rows[~rows.ceiling]


def _high(rows):
    return rows[rows.index.to_series().between(*HIGH)]


def _overlaps(points, label, rule, metric, loads):
    """Tell whether both schedulers' own intervals overlap, by replication and load."""
    found = points.xs((label, rule, metric), level=("workload", "rule", "metric"))
    easy, conservative = (found.xs(scheduler, level="scheduler") for scheduler in ("easy", "conservative"))
    overlap = (easy.low <= conservative.high) & (conservative.low <= easy.high)
    return overlap[overlap.index.get_level_values("load").isin(loads)]


def _written(rows):
    """Write differences with their intervals, load by load."""
    texts = with_intervals(rows, "{:+.1%}", "relative")
    return ", ".join(f"load {load:.2f} {text}" for load, text in texts.items())


# Figure 7


def figure7(differences):
    """Decide claims MF-20 to MF-24 and MF-43, from the differences of F, Fs, Fl, Fsl, the CANDIDATES and Jann.

    All are about high load: see `_at_high_load`. Intervals are those over the replications, of models against one
    another replication by replication.
    """
    ceiling = over_runs(differences, "relative").ceiling
    all_left = ("Fsl", *CANDIDATES, "Jann")
    deciders = {
        "MF-20": (_longer_runs, ["response_s"], ("F", "Fl")),
        "MF-21": (_both_changes, ["response_s"], ("Fl", "Fsl")),
        "MF-22": (_smaller_sizes, ["bounded_slowdown"], ("F", "Fs")),
        "MF-23": (_short_of_jann, METRICS, ("Fsl", "Jann")),
        "MF-24": (_candidates, METRICS, all_left),
        "MF-43": (_both_needed, ["response_s"], ("Fl", "Fs", "Fsl")),
    }

    def decide(decider, metrics, labels, rule):
        high = {metric: _at_high_load(differences, ceiling, rule, metric, labels) for metric in metrics}
        if any(each.empty for each in high.values()):
            return UNTESTED, "the ceiling stopped most runs of one of the models at every load"
        return decider(high) if len(high) > 1 else decider(*high.values())

    rules = list(differences.index.unique("rule"))
    return [_by_rule(id, partial(decide, *asked), rules) for id, asked in deciders.items()]


def _at_high_load(differences, ceiling, rule, metric, labels):
    """Average the relative differences over the HIGH loads at which the ceiling stopped most runs of no model.

    Where there is none, take the difference at the highest load that all of these models bear. A row a replication, a
    column a model. The columns' name says which loads these are.
    """
    relative, stopped = (
        column.xs((rule, metric), level=("rule", "metric")).unstack("workload")[list(labels)]
        for column in (differences.relative, ceiling)
    )
    borne = stopped.index[~stopped.any(axis=1)]
    loads = [load for load in borne if HIGH[0] <= load <= HIGH[1]] or borne[borne < HIGH[0]][-1:]
    mean = relative[relative.index.isin(loads, level="load")].groupby("replication").mean()
    return mean.rename_axis(columns=f"at load {', '.join(f'{load:.2f}' for load in loads)}")


def _surely(values):
    """Tell whether the interval of a mean over the replications lies above nought."""
    return mean_interval(values.to_frame()).low.item() > 0


def _listed(metric, high):
    """Write all columns with their intervals over the replications."""
    texts = with_intervals(mean_interval(high), "{:+.1%}", "mean")
    return f"{NAMES[metric]} {high.columns.name} " + ", ".join(f"{label} {text}" for label, text in texts.items())


def _longer_runs(high):
    """Ask whether run times alone (Fl) make a small difference: above nought by its interval, which is within SMALL."""
    low, _, upper = mean_interval(high).loc["Fl"]
    small = max(abs(low), abs(upper)) < SMALL
    return NOT if upper < 0 else [low > 0, small], _listed("response_s", high)


def _both_changes(high):
    """Ask whether both changes (Fsl) enlarge it considerably: surely, and to at least twice Fl's."""
    high = high.assign(**{"Fsl less Fl": high["Fsl"] - high["Fl"]})
    more = _surely(high["Fsl less Fl"])
    return [more, more and high["Fsl"].mean() >= 2 * high["Fl"].mean()], _listed("response_s", high)


def _smaller_sizes(high):
    """Ask whether sizes alone (Fs) make a difference in slowdown: surely larger than F's, and by at least SAME."""
    high = high.assign(**{"Fs less F": high["Fs"] - high["F"]})
    larger = high["Fs less F"] * np.sign(high["Fs"].mean())
    return [_surely(larger), _surely(larger) and larger.mean() >= SAME], _listed("bounded_slowdown", high)


def _behind(high):
    """Work out how much closer to nought Fsl's difference is than Jann's, replication by replication."""
    return (high["Jann"] - high["Fsl"]) * np.sign(high["Jann"].mean())


def _short_of_jann(by_metric):
    """Ask of either metric whether the differences on Fsl surely stay smaller than on the Jann model."""
    evidence = [_listed(metric, high) for metric, high in by_metric.items()]
    return [_surely(_behind(high)) for high in by_metric.values()], "; ".join(evidence)


def _candidates(by_metric):
    """Ask whether interarrival times and repetitions leave unexplained what remains where Fsl stays behind Jann.

    Fsl without repetitions against Fsl, the same with Jann's interarrival times against without them, and both changes
    together, each surely go less than half the way from Fsl to Jann.
    """
    parts, evidence = [], []
    for metric, high in by_metric.items():
        behind, sign = _behind(high), np.sign(high["Jann"].mean())
        if not _surely(behind):
            continue
        single, arrivals = (high[label] for label in CANDIDATES)
        ways = {"no repetition": single - high["Fsl"], "Jann's arrivals": arrivals - single}
        ways["both"] = arrivals - high["Fsl"]
        parts += [_surely(behind / 2 - sign * way) for way in ways.values()]
        shares = ", ".join(f"{name} {sign * way.mean() / behind.mean():.0%}" for name, way in ways.items())
        evidence.append(f"{_listed(metric, high)}; of the way to Jann's {shares}")
    return (parts, "; ".join(evidence)) if parts else (UNTESTED, "Fsl stays behind Jann in neither metric")


def _both_needed(high):
    """Ask whether neither Fl nor Fs surely has half of Fsl's difference in response time."""
    return [_surely(high["Fsl"] / 2 - high[label]) for label in ("Fl", "Fs")], _listed("response_s", high)


def interarrivals(one, other):
    """Decide claim MF-42, that the interarrival times of two workloads are distributed very similarly.

    Both are divided by their mean, as the load is set by scaling them. Reproduced where the largest distance between
    the two cumulative distributions is within SIMILAR, in part up to twice as much.
    """
    times = [np.diff(workload.jobs.submit) for workload in (one, other)]
    distance = ks_distance(*(gaps / gaps.mean() for gaps in times))
    cv = [f"{gaps.std() / gaps.mean():.1f}" for gaps in times]
    verdict = REPRODUCED if distance <= SIMILAR else PARTLY if distance <= 2 * SIMILAR else NOT
    text = f"largest distance {distance:.2f}; coefficients of variation {one.name} {cv[0]}, {other.name} {cv[1]}"
    return claim("MF-42", verdict, text)
