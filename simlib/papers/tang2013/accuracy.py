"""Figures 4 to 11: how accurate adjusted walltimes are, and how many are too small (section 4.2)."""

from itertools import product

import numpy as np
import pandas as pd

from ... import walltime
from ...walltime import LEVELS, PERCENTILES, Scheme
from . import DOUBLE, KEY_NAMES, TRIPLE, draws, inaccuracy, resampled

MEASURES = ("accuracy", *LEVELS)
DIMENSIONS = ["key", "window", "percentile", "threshold"]
ALL = "all"
"""Stands for the window without limit."""

ORIGINAL = ("none", ALL, 100.0, 0.0)
"""Stands for the users' own estimates where a scheme is meant."""

LINES = {"original": None, "maximum": 100, "85th percentile": 85, "median": 50}
"""The lines of Figure 11 and their percentiles."""

STEPS = 1000
"""Medians of accuracy are found to 1 / STEPS."""


# Figures 4 to 10


def study(traces, keys, windows=(None,), percentiles=PERCENTILES, thresholds=(None,), resamples=1000, seed=0):
    """What schemes of these dimensions make of the estimates, as means over each trace's jobs.

    The spread is that of a bootstrap over users: jobs of one user are alike. Differences between schemes are to be
    taken resample by resample, in `samples`.

    Parameters
    ----------
    traces : sequence of Trace
    keys, windows, percentiles, thresholds : sequences
        Options of `walltime.Scheme`.
    resamples, seed : int

    Returns
    -------
    table : DataFrame
        By trace and `DIMENSIONS` (a threshold of 0 is none; `ORIGINAL` is the users' own estimates): `accuracy`
        (equation 3) and the shares of jobs by level, each with the ends of its 95 % interval, `_low` and `_high`.
    samples : DataFrame
        A row a resample; columns by trace, `DIMENSIONS` and measure.
    """
    values, samples = {}, {}
    options = list(product(keys, windows, percentiles, thresholds))
    for number, trace in enumerate(traces):
        sums, jobs = by_user(trace, [Scheme(*option, project=trace.project) for option in options])
        values[trace.name] = sums.sum() / jobs.sum()
        drawn = resampled(sums, jobs, resamples, [seed, number])
        samples[trace.name] = pd.DataFrame(drawn, columns=sums.columns)
    values, samples = pd.concat(values, names=["trace"]), pd.concat(samples, axis=1, names=["trace"])
    low, high = samples.quantile(0.025), samples.quantile(0.975)
    table = pd.concat({"": values, "_low": low, "_high": high}, axis=1).unstack("measure", sort=False)
    table.columns = [f"{measure}{end}" for end, measure in table.columns]
    return table[[f"{measure}{end}" for measure in MEASURES for end in ("", "_low", "_high")]], samples


def by_user(trace, schemes):
    """Sums over each user's jobs.

    Returns
    -------
    sums : DataFrame
        By user; columns by `DIMENSIONS` and measure, `ORIGINAL` first.
    jobs : Series
        By user, how many.
    """
    jobs, t_act = trace.workload.jobs, trace.t_act
    users, user = np.unique(jobs.user, return_inverse=True)
    a = walltime.parameters(jobs, trace.ends, schemes)
    columns = {}
    for scheme in (None, *schemes):
        scheduled = jobs.estimate if scheme is None else walltime.t_sched(jobs.estimate, a[scheme])
        level = walltime.levels(t_act, jobs.estimate, scheduled)
        measured = walltime.accuracy(t_act, scheduled), *(level == one for one in LEVELS)
        for name, value in zip(MEASURES, measured, strict=True):
            columns[*_place(scheme), name] = np.bincount(user, value)
    sums = pd.DataFrame(columns, index=users).rename_axis(columns=[*DIMENSIONS, "measure"])
    return sums, pd.Series(np.bincount(user), users)


def _place(scheme):
    """A scheme by `DIMENSIONS`."""
    if scheme is None:
        return ORIGINAL
    return scheme.key, scheme.window or ALL, float(scheme.percentile), float(scheme.threshold or 0)


def against_all(table, samples):
    """What each window changes against all history.

    Returns
    -------
    DataFrame
        By measure, trace and `DIMENSIONS`: `change` and its 95 % interval `low`, `high`.
    """
    order = ["measure", "trace", *DIMENSIONS]
    values = table[list(MEASURES)].rename_axis(columns="measure").stack().reorder_levels(order)
    drawn = samples.reorder_levels(order, axis=1)
    rows = {}
    for place in (place for place in values.index if ORIGINAL[0] not in place):
        measure, trace, key, _, percentile, threshold = place
        whole = measure, trace, key, ALL, percentile, threshold
        low, high = (drawn[place] - drawn[whole]).quantile([0.025, 0.975])
        rows[place] = {"change": values[place] - values[whole], "low": low, "high": high}
    return pd.DataFrame(list(rows.values()), index=pd.MultiIndex.from_tuples(rows, names=order))


def threshold_effect(table, threshold):
    """What a threshold changes, from a table of `study` with it and without it.

    Returns
    -------
    DataFrame
        By (trace, key, percentile): `fewer`, the share of the underestimated jobs (UE and BE) that no longer are, and
        the change of the mean `accuracy`.
    """
    schemes = table.drop(index=ORIGINAL[0], level="key")
    free, limited = (schemes.xs((ALL, limit), level=("window", "threshold")) for limit in (0.0, threshold))
    fewer = 1 - (limited.UE + limited.BE) / (free.UE + free.BE)
    return pd.DataFrame({"fewer": fewer, "accuracy": limited.accuracy - free.accuracy})


def cells(traces, table, threshold):
    """What the text prints of Figures 4 to 6 beside ours, for their record."""
    found = []
    for trace in traces:
        schemes = table.loc[trace.name]
        triple = schemes.xs((TRIPLE, ALL, 0.0), level=("key", "window", "threshold"))
        rows = {"base_accuracy": schemes.loc[ORIGINAL], "best_accuracy_triple_p70": triple.loc[70]}
        ours = {name: row.accuracy for name, row in rows.items()}
        spread = {name: (row.accuracy_low, row.accuracy_high) for name, row in rows.items()}
        found += inaccuracy.cells(trace.name, "fig4", ours, spread)
        middle = triple.loc[[90, 85, 80]]
        fewer = threshold_effect(table, threshold).fewer.xs((trace.name, TRIPLE), level=("trace", "key"))
        ranges = {"BE_share_p80_p90": middle.BE, "UE_share_p80_p90": middle.UE, "drop_underestimated": fewer}
        ours = {f"{name}_{end}": values.agg(end) for name, values in ranges.items() for end in ("min", "max")}
        found += inaccuracy.cells(trace.name, "fig5", ours) + inaccuracy.cells(trace.name, "fig6", ours)
    return found


# Figure 11


def cumulative(traces, keys=(TRIPLE, DOUBLE), window="1 month", threshold=0.5, resamples=1000, seed=0):
    """How the accuracy of single jobs is distributed before and after adjustment.

    Parameters
    ----------
    traces : sequence of Trace
    keys : sequence of str
    window, threshold
        Of all schemes; see `walltime.Scheme`.
    resamples, seed : int
        Of the bootstrap over users.

    Returns
    -------
    curves : DataFrame
        By (trace, key, line), a column an accuracy (0 to 1): the share of jobs that are less accurate.
    table : DataFrame
        By (trace, key, line): the `mean` accuracy, its `median` and `q60`, the accuracy that 60 per cent of the jobs
        do not exceed, each of the two with `_low` and `_high`.
    samples : DataFrame
        A row a resample; columns by (trace, key, line): the median.
    """
    curves, rows, medians = {}, {}, {}
    for number, trace in enumerate(traces):
        users, user = np.unique(trace.workload.jobs.user, return_inverse=True)
        drawn = draws(len(users), resamples, [seed, number])
        for (key, line), values in _accuracies(trace, keys, window, threshold):
            below = _below(values, user, len(users))
            place = trace.name, key, line
            medians[place], q60 = _quantiles(below, drawn, (0.5, 0.6))
            curves[place] = below.sum(axis=0) / len(values)
            rows[place] = {"mean": values.mean()}
            rows[place] |= _row("median", np.quantile(values, 0.5), medians[place])
            rows[place] |= _row("q60", np.quantile(values, 0.6), q60)
    edges = pd.Index(np.arange(1, STEPS + 1) / STEPS, name="accuracy")
    index = pd.MultiIndex.from_tuples(rows, names=["trace", "key", "line"])
    curves = pd.DataFrame(np.array(list(curves.values())), index=index, columns=edges)
    samples = pd.DataFrame(medians).rename_axis(columns=index.names)
    return curves, pd.DataFrame(list(rows.values()), index=index), samples


def _accuracies(trace, keys, window, threshold):
    """The accuracy of each job, by key and line of Figure 11."""
    jobs, t_act = trace.workload.jobs, trace.t_act
    options = {"window": window, "threshold": threshold, "project": trace.project}
    for key, (line, percentile) in product(keys, LINES.items()):
        scheduled = jobs.estimate
        if percentile is not None:
            scheme = Scheme(key, percentile=percentile, **options)
            scheduled = walltime.adjusted(jobs, trace.ends, scheme).t_sched
        yield (key, line), walltime.accuracy(t_act, scheduled)


def _below(values, user, users):
    """How many jobs of each user have an accuracy of at most that of each of `STEPS` bins; the last takes 1 too."""
    bins = np.minimum((values * STEPS).astype(int), STEPS - 1)
    counts = np.bincount(user * STEPS + bins, minlength=users * STEPS).reshape(users, STEPS)
    return np.cumsum(counts, axis=1)


def _quantiles(below, drawn, shares):
    """Quantiles of the accuracy, for each row of `drawn`, how often each user counts; to 1 / STEPS."""
    below = drawn.astype(float) @ below.astype(float)  # whole numbers all the same, but multiplied much faster
    return [((below >= q * below[:, -1:]).argmax(axis=1) + 0.5) / STEPS for q in shares]


def _row(name, value, spread):
    low, high = np.quantile(spread, [0.025, 0.975])
    return {name: value, f"{name}_low": low, f"{name}_high": high}


PRINTED_LINES = {
    "original": ("median_accuracy_original", "triple_60th_percentile_accuracy_original"),
    "maximum": (None, "triple_60th_percentile_accuracy_maximum"),
    "85th percentile": ("median_accuracy_p85", "triple_60th_percentile_accuracy_p85"),
    "median": ("median_accuracy_median", "triple_60th_percentile_accuracy_median"),
}
"""What the text prints of Figure 11's lines, triple key: the median, and the accuracy at 60 per cent of the jobs."""


def printed_lines():
    """The numbers that the text prints of Figure 11, as a DataFrame by line; nan where there is none."""
    numbers = inaccuracy.printed("fig11")
    rows = [[numbers.get(name, np.nan) for name in names] for names in PRINTED_LINES.values()]
    return pd.DataFrame(rows, index=list(PRINTED_LINES), columns=["median", "q60"])


def beside_printed(table):
    """The table of `cumulative` for reading, with the printed numbers as the first rows."""
    printed = printed_lines()

    def bracketed(row, name):
        return f"{row[name]:.2f} ({row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f})"

    texts = printed.map("{:.2f}".format).replace("nan", "").to_dict("index")
    rows = {("Tang et al.", TRIPLE, line): text for line, text in texts.items()}
    rows |= {place: {name: bracketed(row, name) for name in printed} for place, row in table.iterrows()}
    index = pd.MultiIndex.from_tuples(rows, names=table.index.names)
    return pd.DataFrame(list(rows.values()), index=index).rename(index=KEY_NAMES, level="key")


def cells_figure11(traces, table):
    """What the text prints of Figure 11 beside ours, for its record."""
    found = []
    for trace in traces:
        ours, spread = {}, {}
        for line, names in PRINTED_LINES.items():
            row = table.loc[trace.name, TRIPLE, line]
            for name, measure in zip(names, ("median", "q60"), strict=True):
                ours[name], spread[name] = row[measure], (row[f"{measure}_low"], row[f"{measure}_high"])
        found += inaccuracy.cells(trace.name, "fig11", ours, spread)
    return found
