"""Verdicts on what the text says of Figures 4 and 7: claims MF-05 to MF-07, MF-20 to MF-24 and MF-41 to MF-43.

A difference is what conservative has more than EASY, as a share of EASY's mean, taken job by job over several
independent runs, with its 90 % interval (`load_curves.over_runs`). Loads at which the ceiling stopped most runs of
either scheduler are left out, as the paper stopped there too. A claim is decided by the rules followed; where the
variant of EASY does not bear it out as well it is reproduced in part only.
"""

import numpy as np

from ...stats import ks_distance
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, claim
from . import METRICS, SCHEDULERS
from .distributions import bracketed
from .load_curves import RULES, independent, over_runs

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

NAMES = {"response_s": "response time", "bounded_slowdown": "bounded slowdown"}


def figure4(points, differences, feitelson="Feitelson", jann="Jann"):
    """Decide claims MF-05, MF-06, MF-07 and MF-41.

    MF-05, practically identical on the Feitelson model: two halves, asked of both metrics at every load. The separate
    intervals of the two schedulers overlap, in most runs (the paper's test, which has one run); the difference lies
    within +-SAME, with its whole interval. Reproduced where both halves hold for both metrics, in part where some do.

    MF-06, EASY has lower response times on the Jann model under high load: the interval of the difference lies above
    nought at every HIGH load; in part, at some. Separate intervals can overlap where a difference is clear, so those
    are evidence only.

    MF-07, EASY has a slightly higher bounded slowdown there: the interval lies below nought at every HIGH load, and
    the difference is within SLIGHT; in part where one of the two fails at some loads; not where no load shows the sign.

    MF-41, most simulations took 100 batches at an accuracy of 6 to 9 %: two halves, over the runs of both schedulers by
    the rules followed. More than half took 100 batches; the median half width of those is within ACCURACY.

    Parameters
    ----------
    points, differences : DataFrame
        From `load_curves.runs`.
    feitelson, jann : str
        Labels of the models.
    """
    several = over_runs(differences, "relative")
    return [
        _by_rule("MF-05", lambda rule: _practically_the_same(points, several, feitelson, rule)),
        _by_rule("MF-06", lambda rule: _better_response(points, several, jann, rule)),
        _by_rule("MF-07", lambda rule: _slightly_worse_slowdown(several, jann, rule)),
        _accuracy(points),
    ]


def _by_rule(id, decide):
    """The verdict of the rules followed, with the evidence of both; PARTLY where only the variant denies it."""
    found = {rule: decide(rule) for rule in RULES}
    verdict, evidence = found["followed"]
    if verdict == UNTESTED:
        return claim(id, verdict, evidence)
    if verdict == REPRODUCED != found["variant"][0]:
        verdict = PARTLY
    return claim(id, verdict, "; ".join(f"{rule}: {text}" for rule, (_, text) in found.items()))


def _verdict(parts):
    """Reproduced where all parts hold, in part where some do."""
    return REPRODUCED if all(parts) else PARTLY if any(parts) else NOT


def _steady(several, label, rule, metric):
    """The differences of one model by load, where the ceiling did not stop most runs."""
    rows = several.xs((label, rule, metric), level=("workload", "rule", "metric"))
    return rows[~rows.ceiling]


def _high(rows):
    return rows[rows.index.to_series().between(*HIGH)]


def _overlaps(points, label, rule, metric, loads):
    """Whether both schedulers' own intervals overlap, by run and load."""
    easy, conservative = (_at(points, label, scheduler, metric) for scheduler in RULES[rule])
    overlap = (easy.low <= conservative.high) & (conservative.low <= easy.high)
    return overlap[overlap.index.get_level_values("load").isin(loads)]


def _at(points, label, scheduler, metric):
    return points.xs((label, scheduler, metric), level=("workload", "scheduler", "metric"))


def _written(rows):
    """Differences with their intervals, load by load."""
    texts = (f"load {load:.2f} {_percent(row)}" for load, row in rows.iterrows())
    return ", ".join(texts)


def _percent(found):
    return bracketed("{:+.1%}", found.relative, found.low, found.high)


def _practically_the_same(points, several, label, rule):
    parts, evidence = [], []
    for metric, name in NAMES.items():
        rows = _steady(several, label, rule, metric)
        if rows.empty:
            return UNTESTED, "the ceiling stopped most runs at every load"
        overlap = _overlaps(points, label, rule, metric, rows.index)
        close = (rows.low > -SAME) & (rows.high < SAME)
        parts += [(overlap.groupby("load").mean() > 0.5).all(), close.all()]
        ends = f"difference {_written(rows.iloc[[0, -1]])}, within {SAME:.0%} at {close.sum()} of {len(rows)} loads"
        evidence.append(f"{name}: separate intervals overlap in {overlap.sum()} of {len(overlap)} cases, {ends}")
    return _verdict(parts), "; ".join(evidence)


def _better_response(points, several, label, rule):
    rows = _high(_steady(several, label, rule, "response_s"))
    if rows.empty:
        return UNTESTED, "the ceiling stopped most runs at every high load"
    overlap = _overlaps(points, label, rule, "response_s", rows.index)
    text = f"separate intervals apart in {(~overlap).sum()} of {len(overlap)} cases"
    return _verdict(rows.low > 0), f"difference at {_written(rows)}; {text}"


def _slightly_worse_slowdown(several, label, rule):
    rows = _high(_steady(several, label, rule, "bounded_slowdown"))
    if rows.empty:
        return UNTESTED, "the ceiling stopped most runs at every high load"
    below, slight = rows.high < 0, rows.relative.abs() < SLIGHT
    verdict = REPRODUCED if (below & slight).all() else PARTLY if below.any() else NOT
    return verdict, f"difference at {_written(rows)}"


def _accuracy(points):
    runs = points.xs("response_s", level="metric")
    runs = runs[runs.index.get_level_values("scheduler").isin(SCHEDULERS)]
    long = runs[runs.stopped == "batches"]
    median = long.accuracy.median()
    parts = [len(long) > 0.5 * len(runs), ACCURACY[0] <= median <= ACCURACY[1]]
    stopped = ", ".join(f"{count} by {rule}" for rule, count in runs.stopped.value_counts().items())
    spread = bracketed("{:.1%}", median, *long.accuracy.quantile([0.25, 0.75]))
    text = f"accuracy of those that took all batches: median {spread}, the bracket holding the middle half"
    return claim("MF-41", _verdict(parts), f"{len(runs)} simulations stopped: {stopped}; {text}")


# Figure 7


def figure7(differences, jann="Jann"):
    """Decide claims MF-20 to MF-24 and MF-43, all of them under high load.

    Each run gives the mean of its differences over the HIGH loads, those left out at which the ceiling stopped most
    runs of a model that is compared; where that leaves none, the difference at the highest load that all of these
    models bear. Intervals are those over the runs, of models against one another run by run.

    MF-20, changing run times alone (Fl) makes a small difference to the response time: the interval lies above nought,
    and it lies within +-SMALL; in part where one holds, not where it lies below nought.

    MF-21, both changes (Fsl) enlarge it considerably: by an interval above nought; to at least twice Fl's.

    MF-22, changing sizes alone (Fs) is enough for a difference in bounded slowdown: one that is larger than F's, by an
    interval above nought; and by at least SAME.

    MF-23, the differences on Fsl stay smaller than on the Jann model: by an interval that shows it, for either metric.

    MF-24, interarrival times and repetitions do not explain what remains in the metrics in which Fsl stays behind
    (MF-23). Fsl without repetitions against Fsl, the same with Jann's interarrival times against without them, and both
    changes together, each go less than half the way from Fsl to Jann, by an interval that shows it. Without such a
    metric there is nothing to explain, and no verdict.

    MF-43, both changes are needed: in response time, to which MF-20 and MF-21 speak, neither Fl nor Fs has half of
    Fsl's difference, by an interval that shows it.

    Parameters
    ----------
    differences : DataFrame
        From `load_curves.runs`; the workloads are F, Fs, Fl, Fsl, the CANDIDATES and Jann.
    jann : str
        Label of the Jann model.
    """
    ceiling = over_runs(differences, "relative").ceiling

    def high(rule, metric, *labels):
        return _at_high_load(differences, ceiling, rule, metric, labels)

    deciders = {
        "MF-20": lambda rule: _longer_runs(high(rule, "response_s", "F", "Fl")),
        "MF-21": lambda rule: _both_changes(high(rule, "response_s", "Fl", "Fsl")),
        "MF-22": lambda rule: _smaller_sizes(high(rule, "bounded_slowdown", "F", "Fs")),
        "MF-23": lambda rule: _short_of_jann({metric: high(rule, metric, "Fsl", jann) for metric in METRICS}),
        "MF-24": lambda rule: _candidates({metric: high(rule, metric, "Fsl", *CANDIDATES, jann) for metric in METRICS}),
        "MF-43": lambda rule: _both_needed(high(rule, "response_s", "Fl", "Fs", "Fsl")),
    }
    return [_by_rule(id, decide) for id, decide in deciders.items()]


CANDIDATES = ("Fsl, no repetition", "Fsl, Jann's arrivals")
"""Labels of the models that MF-24 asks for; the second has no repetitions either."""

NO_LOAD = UNTESTED, "the ceiling stopped most runs of one of the models at every load"


def _at_high_load(differences, ceiling, rule, metric, labels):
    """The relative difference by seed and model, mean over the high loads that all of these models bear.

    Or at the highest load that they do. The columns' name says which loads these are.
    """
    relative = _rows_of(differences.relative, rule, metric)[list(labels)]
    steady = ~_rows_of(ceiling, rule, metric)[list(labels)].any(axis=1)
    borne = steady.index[steady]
    loads = [load for load in borne if HIGH[0] <= load <= HIGH[1]] or borne[borne < HIGH[0]][-1:]
    mean = relative[relative.index.isin(loads, level="load")].groupby("seed").mean()
    return mean.rename_axis(columns=f"at load {', '.join(f'{load:.2f}' for load in loads)}")


def _rows_of(column, rule, metric):
    """One column of `differences`, a row a load, a column a model."""
    return column.xs((rule, metric), level=("rule", "metric")).unstack("workload")


def _listed(metric, high):
    """All columns with their intervals over the runs."""
    found = {label: independent(values) for label, values in high.items()}
    texts = (f"{label} {bracketed('{:+.1%}', row.mean, row.low, row.high)}" for label, row in found.items())
    return f"{NAMES[metric]} {high.columns.name} {', '.join(texts)}"


def _longer_runs(high):
    if high.empty:
        return NO_LOAD
    found = independent(high["Fl"])
    small = max(abs(found.low), abs(found.high)) < SMALL
    return NOT if found.high < 0 else _verdict([found.low > 0, small]), _listed("response_s", high)


def _both_changes(high):
    if high.empty:
        return NO_LOAD
    high = high.assign(**{"Fsl less Fl": high["Fsl"] - high["Fl"]})
    more = independent(high["Fsl less Fl"]).low > 0
    return _verdict([more, more and high["Fsl"].mean() >= 2 * high["Fl"].mean()]), _listed("response_s", high)


def _smaller_sizes(high):
    if high.empty:
        return NO_LOAD
    high = high.assign(**{"Fs less F": high["Fs"] - high["F"]})
    larger = independent(high["Fs less F"] * np.sign(high["Fs"].mean()))
    return _verdict([larger.low > 0, larger.low > 0 and larger.mean >= SAME]), _listed("bounded_slowdown", high)


def _behind(high):
    """How much closer to nought Fsl's difference is than Jann's, the last column, run by run."""
    jann = high.iloc[:, -1]
    return (jann - high["Fsl"]) * np.sign(jann.mean())


def _short_of_jann(by_metric):
    parts, evidence = [], []
    for metric, high in by_metric.items():
        if high.empty:
            return NO_LOAD
        parts.append(independent(_behind(high)).low > 0)
        evidence.append(_listed(metric, high))
    return _verdict(parts), "; ".join(evidence)


def _candidates(by_metric):
    parts, evidence = [], []
    for metric, high in by_metric.items():
        if high.empty:
            return NO_LOAD
        behind, sign = _behind(high), np.sign(high.iloc[:, -1].mean())
        if independent(behind).low <= 0:
            continue
        single, arrivals = (high[label] for label in CANDIDATES)
        ways = {"no repetition": single - high["Fsl"], "Jann's arrivals": arrivals - single}
        ways["both"] = arrivals - high["Fsl"]
        parts += [independent(behind / 2 - sign * way).low > 0 for way in ways.values()]
        shares = ", ".join(f"{name} {sign * way.mean() / behind.mean():.0%}" for name, way in ways.items())
        evidence.append(f"{_listed(metric, high)}; of the way to Jann's {shares}")
    return (_verdict(parts), "; ".join(evidence)) if parts else (UNTESTED, "Fsl stays behind Jann in neither metric")


def _both_needed(high):
    if high.empty:
        return NO_LOAD
    parts = [independent(high["Fsl"] / 2 - high[label]).low > 0 for label in ("Fl", "Fs")]
    return _verdict(parts), _listed("response_s", high)


def interarrivals(one, other):
    """Decide claim MF-42, that the models' interarrival times are distributed very similarly.

    Both are divided by their mean, as the load is set by scaling them. Reproduced where the largest distance between
    the two cumulative distributions is within SIMILAR, in part up to twice as much.

    Parameters
    ----------
    one, other : Workload
    """
    times = [np.diff(workload.jobs.submit) for workload in (one, other)]
    distance = ks_distance(*(gaps / gaps.mean() for gaps in times))
    cv = [f"{gaps.std() / gaps.mean():.1f}" for gaps in times]
    verdict = REPRODUCED if distance <= SIMILAR else PARTLY if distance <= 2 * SIMILAR else NOT
    text = f"largest distance {distance:.2f}; coefficients of variation {one.name} {cv[0]}, {other.name} {cv[1]}"
    return [claim("MF-42", verdict, text)]
