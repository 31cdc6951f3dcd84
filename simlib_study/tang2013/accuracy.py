"""How accurate the users' estimates are (Tables 1 and 2, Figures 1 and 2), and adjusted ones (Figures 4 to 10)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy

from simlib._util.arrays import Floats, Ints
from simlib.core.estimates import did_not_complete
from simlib.policies import adjusting
from simlib.policies.adjusting import KEYS, LEVELS, PERCENTILES, Scheme

from .. import judging
from ..claims import NOTHING, Measure
from ..judging import printed
from ..resampling import cluster_means
from . import DOUBLE, KEY_NAMES, PAPERS, TRIPLE, Parts, Trace, between_groups, farthest, largest, settings, smallest

spread = Measure.spread

# The users' estimates (sections 3 and 4.1)


WEEK = 7 * 86400
NEAR_1 = 0.99
"""From which on R is close to 1, which the paper does not say."""


def used(trace: Trace) -> pd.Series:
    """Work out R of each job (equation 1), as a Series."""
    jobs = trace.workload.jobs
    return pd.Series(adjusting.used(jobs.run, jobs.estimate), jobs.index, name="R")


# Which log is most like the paper's, and by what (Table 1, section 3)


MONTH = 365.25 / 12 * 86400
CORES = 4
"""Of a node of Intrepid, a Blue Gene/P."""


def likeness(traces: Sequence[Trace], counted: pd.DataFrame) -> pd.DataFrame:
    """Lay out, as text, what logs are beside the paper's, and which is `nearest`.

    That is the log of the least ratio; of distances that of the least; of names and blocks the first that has the
    paper's. `counted` has the numbers of Table 1, a column a log. The paper prints no load.
    """
    paper, jobs = printed("tang2013_table1 figure1 figure2 figure13"), [one.workload.jobs for one in traces]
    cores = [one.about.get("cores", one.per_node) for one in traces]
    months = [one.workload.calendar_month(of.submit) for one, of in zip(traces, jobs, strict=True)]
    shares = [f"share_R_{limit}" for limit in ("below_0.2", "below_0.5", "above_0.8")]
    rows: dict[Any, tuple[str, Any, Any]] = {  # how it is written; the paper's; ours
        "year": ("{:.0f}", 2010, [int(of[len(of) // 2][:4]) for of in months]),
        "processors": ("{:,.0f}", CORES * paper.nodes, counted.loc["nodes"] * cores),
        "jobs a month": ("{:,.0f}", paper.jobs_a_month, [len(of) / (np.ptp(of.submit) / MONTH) for of in jobs]),
        "users": ("{:.0f}", paper.users, counted.loc["users"]),
        "mean requested time [h]": ("{:.1f}", paper.mean_requested / 3600, counted.loc["mean_requested"] / 3600),
        "mean run time [h]": ("{:.1f}", paper.mean_run / 3600, counted.loc["mean_run"] / 3600),
        "mean R": ("{:.2f}", paper.mean_R, counted.loc["mean_R"]),
        **{f"jobs with R {of[8:].replace('_', ' ')}": ("{:.0%}", paper[of], counted.loc[of]) for of in shares},
        "largest distance of these three": ("{:.0%}", 0, [unlike(one) for one in traces]),
        "largest distance of the scatter by key": ("{:.3f}", 0, [unlike_by_key(one) for one in traces]),
        "load": ("{:.2f}", np.nan, [one.workload.load for one in traces]),
    }
    every = pd.DataFrame({name: [of_paper, *ours] for name, (_, of_paper, ours) in rows.items()}).T
    every.columns = ["Tang et al.", *counted]
    distances = every["Tang et al."] == 0
    with np.errstate(divide="ignore"):  # of a log of which nothing is below a limit
        ratios: Any = every[~distances].iloc[:, 1:].div(every["Tang et al."][~distances], axis=0)
        away = pd.concat([np.log(ratios).abs().dropna(), every[distances].iloc[:, 1:]])
    text = pd.DataFrame({name: judging.written(of, rows[name][0]) for name, of in every.iterrows()}).T
    text.loc[distances, "Tang et al."] = ""
    text = pd.concat([_machines(traces), text.assign(nearest=away.idxmin(axis=1))])
    return text.fillna("").rename_axis("measure")


def _machines(traces: Sequence[Trace]) -> pd.DataFrame:
    """Lay out, as `likeness`, what the settings say of the machines beside the paper's."""
    abouts = {"Tang et al.": settings()[PAPERS]} | {one.name: one.about for one in traces}
    rows = {"site": "site", "scheduler": "scheduler", "smallest block [nodes]": "block"}
    of = {name: [str(about.get(row, "")) for row in rows.values()] for name, about in abouts.items()}
    text = pd.DataFrame(of, list(rows))
    same = text.iloc[:, 1:].eq(text["Tang et al."], axis=0)
    return text.assign(nearest=same.idxmax(axis=1).where(same.any(axis=1)))


# Table 1, Figures 1 and 2


def quarter_of(trace: Trace) -> pd.Index:
    """The quarter of the log's calendar in which each job was submitted, such as "1998 Q3"."""
    number, months = pd.factorize(trace.workload.calendar_month(trace.workload.jobs.submit))  # jobs are many
    return pd.PeriodIndex(months, freq="M").asfreq("Q").strftime("%Y Q%q").take(number)


def quarter_means(trace: Trace, least_jobs: int, resamples: int, seed: int) -> pd.DataFrame:
    """Average R over each quarter that has enough jobs, with a bootstrap over the log's weeks, a row a resample."""
    jobs, r, means = trace.workload.jobs, used(trace), {}
    week = (jobs.submit - jobs.submit.min()) // WEEK
    for number, (name, part) in enumerate(r.groupby(quarter_of(trace))):
        if len(part) >= least_jobs:
            weeks = part.groupby(week[part.index]).agg(["sum", "size"])
            means[name] = cluster_means(weeks[["sum"]], weeks["size"], resamples, [seed, number])["sum"]
    return pd.DataFrame(means)


SHARES = {
    "below half": "share_R_below_0.5",
    "below a fifth": "share_R_below_0.2",
    "above 80 per cent": "share_R_above_0.8",
}
"""By part of TG-01 the printed number."""


def _counted(r: pd.Series) -> pd.DataFrame:
    """Which jobs count for which of the `SHARES`, by their R."""
    return pd.DataFrame({"below half": r < 0.5, "below a fifth": r < 0.2, "above 80 per cent": r > 0.8})


def shares_used(trace: Trace, resamples: int, seed: int) -> dict[str, Measure]:
    """Measure the shares of the jobs by how much of their requested time they use, with a bootstrap over users."""
    of = _counted(used(trace))
    by_user = of.groupby(trace.workload.jobs.user)
    shares = cluster_means(by_user.sum(), by_user.size(), resamples, seed)
    return {part: Measure.spread(shares[part]) for part in SHARES}


def mean_and_deviation(trace: Trace, resamples: int, seed: int) -> dict[str, Measure]:
    """Measure the mean and the standard deviation of R, and the share of jobs with R close to 1, as `shares_used`."""
    r = used(trace)
    of = pd.DataFrame({"near 1": r >= NEAR_1, "mean": r, "square": r**2}).groupby(trace.workload.jobs.user)
    found = cluster_means(of.sum(), of.size(), resamples, seed)
    found["deviation"] = np.sqrt((found.square - found["mean"] ** 2).clip(lower=0))
    return {part: Measure.spread(found[part]) for part in ("near 1", "mean", "deviation")}


def unlike(trace: Trace) -> float:
    """Tell how unlike Intrepid's users a log's are: the largest distance of its `SHARES` from the printed ones."""
    paper, shares = printed("tang2013_figure1"), _counted(used(trace)).mean()
    return max(abs(shares[part] - paper[of_print]) for part, of_print in SHARES.items())


def unlike_by_key(trace: Trace) -> float:
    """Tell how far R scatters from what Table 2 prints: the largest distance, of all jobs and within groups of ten."""
    paper = printed("tang2013_table2").xs("std", level="metric")
    scatter: Any = scatter_within(trace, 10, resamples=0, seed=0).loc[0]
    return float((scatter - paper).abs().max())


def killed_near_1(trace: Trace, resamples: int, seed: int) -> Measure:
    """Measure which share of the jobs with R close to 1 did not complete; nothing where a log has no status."""
    jobs = trace.workload.jobs
    near = (used(trace) >= NEAR_1) & (jobs.status != -1)
    counts = pd.DataFrame({"killed": near & did_not_complete(jobs), "near": near}).groupby(jobs.user).sum()
    counts = counts[counts.near > 0]
    if counts.empty:
        return NOTHING
    return Measure.spread(cluster_means(counts[["killed"]], counts.near, resamples, seed)["killed"])


# What can be held against print where the paper's own log is here: a part of it, which has no projects


NINE_MONTHS = 5176.35
"""Mean run time of ANL-Intrepid-2009-1 in seconds, by the README of hxwang/DataCenterWorkloads."""


def own_log(traces: Mapping[str, Trace], quarters: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame | None:
    """Compare the paper's own log with print, where these nine months allow it; None where the log is not here.

    The lowest and the highest quarter of `quarters`, which has `ours` by log and quarter, have to be within the printed
    range. Of the mean run time and of the scatter without a project the printed number has to be in our interval.
    """
    if PAPERS not in traces:
        return None
    trace, paper = traces[PAPERS], printed("tang2013_table1 figure2")
    means = quarters.ours[PAPERS]
    jobs, std = trace.workload.jobs, printed("tang2013_table2").xs("std", level="metric")
    by_user = jobs.run.groupby(jobs.user).agg(["sum", "size"])
    run = spread(cluster_means(by_user[["sum"]], by_user["size"], resamples, seed)["sum"])
    rows = {
        "mean R, lowest quarter": (paper.quarter_mean_min, means.min(), means.min() >= paper.quarter_mean_min),
        "mean R, highest quarter": (paper.quarter_mean_max, means.max(), means.max() <= paper.quarter_mean_max),
        "mean run time [s]": (paper.mean_run, run.value, run.low <= paper.mean_run <= run.high),
        "the same, as known of this log [s]": (NINE_MONTHS, run.value, abs(run.value / NINE_MONTHS - 1) < 0.001),
    }
    scatter = scatter_within(trace, 10, resamples, seed, ["user"])
    for key in ("all", "user"):
        measured = spread(scatter[key])
        rows[f"std of R, {key}"] = std[key], measured.value, measured.low <= std[key] <= measured.high
    return pd.DataFrame(rows, ["known", "ours", "agrees"]).T.rename_axis("quantity")


# Table 2


def groups(trace: Trace, key: str) -> pd.DataFrame:
    """Take the jobs in groups with the same key, or "all": `std` of R, `size`, and the first of its `circles`."""
    jobs = trace.workload.jobs.assign(all=0, r=used(trace), circle=circles(trace))
    of = jobs.groupby("all" if key == "all" else Scheme(key, project=trace.project).columns)
    return of.r.agg(["std", "size"]).assign(circle=of.circle.first())


def scatter_within(
    trace: Trace, least: int, resamples: int, seed: int, keys: Iterable[str] = tuple(KEY_NAMES)
) -> pd.DataFrame:
    """Average the standard deviation of R over the groups of "all" and each key: by run, a column each.

    A bootstrap over users, of whom those that share a project stay together: else two copies of a user would share it,
    and R would scatter less within projects.
    """
    circle = circles(trace)
    moments = pd.DataFrame({"r": used(trace), "square": used(trace) ** 2})
    sums, counts = moments.groupby(circle).sum(), circle.value_counts(sort=False).sort_index()
    means = cluster_means(sums, counts, resamples, seed)
    found = {"all": np.sqrt((means.square - means.r**2) * len(circle) / (len(circle) - 1))}
    for key in keys:
        of_key = groups(trace, key)
        of_key = of_key[of_key["size"] >= least].groupby("circle")["std"].agg(["sum", "size"])
        of_key = of_key.reindex(sums.index, fill_value=0)
        found[key] = cluster_means(of_key[["sum"]], of_key["size"], resamples, seed)["sum"]
    return pd.DataFrame(found).rename_axis("run")


def circles(trace: Trace) -> pd.Series:
    """Number the circles of users, by job: two who share a project are in one, and whoever shares one with either."""
    jobs = trace.workload.jobs
    user, project = (pd.factorize(jobs[column])[0].astype(np.int32) for column in ("user", trace.project))
    count = user.max() + project.max() + 2
    links = scipy.sparse.coo_array((np.ones(len(jobs)), (user, user.max() + 1 + project)), shape=(count, count))
    return pd.Series(scipy.sparse.csgraph.connected_components(links)[1][user], jobs.index, name="circle")


def mean_distance(trace: Trace, least: int, resamples: int, seed: int) -> pd.Series:
    """Work out the mean distance of the average of R over `least` similar earlier jobs from its median, by resample."""
    jobs = trace.workload.jobs
    scheme = Scheme(window=None, percentile=50, least=least, project=trace.project)
    median = adjusting.parameters(jobs, trace.ends, [scheme])[scheme]
    distance = (earlier_average(jobs, trace.ends, scheme.columns) - median).abs().groupby(jobs.user)
    return cluster_means(distance.sum().to_frame("mean"), distance.count(), resamples, seed)["mean"]


def earlier_average(jobs: pd.DataFrame, ends: pd.Series, columns: list[str]) -> pd.Series:
    """Average R over the jobs with the same key that had ended when a job was submitted; nan where there is none."""
    group, end = jobs.groupby(columns).ngroup().to_numpy(), ends.loc[jobs.index].to_numpy()
    span = end.max() + 1  # so that group and second make one number, in whose order the jobs of a group end
    ended = group * span + end
    order = np.argsort(ended)
    total = np.append(0, np.cumsum(adjusting.used(jobs.run, jobs.estimate)[order]))
    first, past = (np.searchsorted(ended[order], group * span + second) for second in (0, jobs.submit.to_numpy()))
    with np.errstate(invalid="ignore"):
        return pd.Series((total[past] - total[first]) / (past - first), jobs.index)


# Figures 4 to 10: schemes of every key, window and percentile


BALANCED = (90, 85, 80)
"""The percentiles that the text recommends."""

BELOW_90 = (85, 80, 70, 50)
HIGH = (100, 95, 90, 85)
"""The 85th percentile or above."""

DIMENSIONS = ["key", "window", "percentile", "threshold"]
ALL = "all"
"""Stands for the window without limit."""

Place = tuple[str, str, float, float]
"""By `DIMENSIONS`."""

ORIGINAL: Place = ("none", ALL, 100.0, 0.0)
"""Stands for the users' own estimates where a scheme is meant."""


def similar(least: int) -> str:
    """Say in words how many similar jobs there must be."""
    return "any similar job" if least == 1 else f"at least {least} similar jobs"


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Give the keys, the numbers of similar jobs and the percentiles of a table in words, for pictures."""
    percentiles = {number: name for name, number in adjusting.METRICS.items()}
    words: dict[str, Any] = {"key": KEY_NAMES, "least": similar, "percentile": lambda p: percentiles.get(p, f"{p:g}th")}
    for level, names in words.items():
        table = table.rename(names, level=level)
    return table


def study(
    traces: Iterable[Trace],
    keys: Sequence[str],
    windows: Sequence[str | None] = (None,),
    percentiles: Sequence[float] = PERCENTILES,
    thresholds: Sequence[float | None] = (None,),
    least: int = 1,
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Adjust the estimates by schemes of these dimensions, options of `adjusting.Scheme`, and average over all jobs.

    By run of a bootstrap over users, for jobs of one user are alike; columns by log, `DIMENSIONS` (a
    threshold of 0 is none) and metric: `accuracy` (equation 3) and the shares of jobs by level, as `BE_share`.
    """
    found = {}
    for number, trace in enumerate(traces):
        jobs, t_act = trace.workload.jobs, trace.t_act
        users, user = np.unique(jobs.user, return_inverse=True)
        dimensions = product(keys, windows, percentiles, thresholds)
        schemes = [Scheme(*dims, least=least, project=trace.project) for dims in dimensions]
        scheduled: dict[Place, Any] = {ORIGINAL: jobs.estimate}
        by_scheme: Iterable[Any] = adjusting.parameters(jobs, trace.ends, schemes).items()
        for scheme, a in by_scheme:
            at = place(scheme.key, scheme.percentile, scheme.threshold, scheme.window)
            scheduled[at] = adjusting.t_sched(jobs.estimate, a)
        sums: dict[Any, Ints | Floats] = {}
        for at, times in scheduled.items():
            level = adjusting.level_numbers(t_act, jobs.estimate, times)
            counts = np.bincount(user * len(LEVELS) + level, minlength=len(users) * len(LEVELS)).reshape(len(users), -1)
            sums[*at, "accuracy"] = np.bincount(user, adjusting.accuracy(t_act, times))
            sums |= {(*at, f"{one}_share"): counts[:, number] for number, one in enumerate(LEVELS)}
        of_users = pd.DataFrame(sums, index=users).rename_axis(columns=[*DIMENSIONS, "metric"])
        found[trace.name] = cluster_means(of_users, np.bincount(user), resamples, [seed, number])
    return pd.concat(found, axis=1, names=["log"]).rename_axis("run")


def place(key: str, percentile: float, threshold: float | None = None, window: str | None = None) -> Place:
    """Say where a scheme stands: by `DIMENSIONS`."""
    return key, window or ALL, float(percentile), float(threshold or 0)


def curve(
    found: pd.DataFrame,
    metric: str,
    key: str = TRIPLE,
    threshold: float | None = None,
    window: str | None = None,
    at: Sequence[float] = PERCENTILES,
) -> pd.DataFrame:
    """Take a metric out of what `study` found on one log: by run, one column per percentile."""
    return pd.DataFrame({p: found[*place(key, p, threshold, window), metric] for p in at})


def saved(found: pd.DataFrame, key: str, threshold: float | None, at: Sequence[float] = PERCENTILES) -> pd.DataFrame:
    """Work out which share of the underestimated jobs (UE and BE) a threshold saves, as `curve`."""
    free, limited = (
        curve(found, "UE_share", key, limit, at=at) + curve(found, "BE_share", key, limit, at=at)
        for limit in (None, threshold)
    )
    return 1 - limited / free


def fewer_underestimates(
    found: pd.DataFrame, key: str, threshold: float | None = None, at: Sequence[float] = BELOW_90
) -> pd.DataFrame:
    """Work out which share of the underestimated jobs (UE) one month saves against all history, as `curve`."""
    month, ever = (curve(found, "UE_share", key, threshold, window, at) for window in ("1 month", None))
    return 1 - month / ever


def change(
    found: pd.DataFrame, metric: str, new: tuple[Any, ...], old: tuple[Any, ...] = (), at: Sequence[float] = PERCENTILES
) -> pd.DataFrame:
    """Work out what a scheme changes against another, each given as for `curve`; the old is the triple key."""
    of: Callable[..., pd.DataFrame] = partial(curve, found, metric, at=at)
    return of(*new) - of(*old)


def by_month(
    found: pd.DataFrame, metric: str, key: str, threshold: float | None, at: Sequence[float] = PERCENTILES
) -> pd.DataFrame:
    """Work out what one month changes against all history, as `curve`."""
    return change(found, metric, (key, threshold, "1 month"), (key, threshold), at)


def above(found: pd.DataFrame, metric: str, percentile: float) -> pd.DataFrame:
    """Work out how far a metric of the triple key is above that at one percentile, as `curve`."""
    by_percentile = curve(found, metric)
    return by_percentile.sub(by_percentile[percentile], axis=0)


def gain(found: pd.DataFrame, at: Sequence[float] = PERCENTILES) -> pd.DataFrame:
    """Work out by which share the triple key is more accurate than the users, as `curve`."""
    return curve(found, "accuracy", at=at).div(found[*ORIGINAL, "accuracy"], axis=0) - 1


def _mean(found: pd.DataFrame, key: str) -> pd.Series:
    """The accuracy by a key, averaged over the percentiles."""
    return curve(found, "accuracy", key).mean(axis=1)


def _of_keys(work: Callable[[str], pd.DataFrame], keys: Iterable[str] = (TRIPLE, DOUBLE)) -> pd.DataFrame:
    """What is worked out of each key, side by side."""
    return pd.concat({key: work(key) for key in keys}, axis=1)


# What is measured of the text, by claim and part, of what `study` found on one log: `data/claims/criteria.csv`
# says it in words. Claims on a threshold or on a window take that threshold too.

SIMILARITY: Mapping[str, Callable[..., Parts]] = {
    "TG-04": lambda of: {
        "every scheme": smallest(
            _of_keys(lambda key: curve(of, "accuracy", key).sub(of[*ORIGINAL, "accuracy"], axis=0), KEYS)
        )
    },
    "TG-05": lambda of: {
        "triple over double": between_groups(_mean(of, TRIPLE) - _mean(of, DOUBLE)),
        "double over user": between_groups(_mean(of, DOUBLE) - _mean(of, "user")),
        "double over project": between_groups(_mean(of, DOUBLE) - _mean(of, "project")),
    },
    "TG-06": lambda of: {
        "rises": spread(above(of, "accuracy", 100)[70]),
        "step by step": smallest(curve(of, "accuracy").drop(columns=50).diff(axis=1).drop(columns=100)),
        "best at the 70th": spread(above(of, "accuracy", 50)[70]),
    },
    "TG-07": lambda of: {
        "UE grows": spread(above(of, "UE_share", 100)[50]),
        "BE grows": spread(above(of, "BE_share", 100)[50]),
        "NA falls": spread(above(of, "NA_share", 100)[50]),
        "OE grows first": largest(above(of, "OE_share", 100).drop(columns=[100, 50])),
        "then falls": largest(above(of, "OE_share", 50).drop(columns=[100, 50])),
    },
    "TG-08": lambda of: {
        "accuracy": smallest(gain(of, BALANCED)),
        "BE": largest(curve(of, "BE_share", at=BALANCED)),
        "UE": largest(curve(of, "UE_share", at=BALANCED)),
    },
    "TG-09": lambda of, limit=0.5: {
        "triple key": smallest(saved(of, TRIPLE, limit)),
        "triple key, most": largest(saved(of, TRIPLE, limit)),
        "double key": smallest(saved(of, DOUBLE, limit)),
        "cost": smallest(_of_keys(lambda key: change(of, "accuracy", (key, limit), (key,)))),
    },
    "TG-22": lambda of: {"above half": smallest(curve(of, "OE_share", at=BALANCED))},
    "TG-23": lambda of: {
        "more OE": smallest(change(of, "OE_share", (DOUBLE,), at=BELOW_90)),
        "similar UE": farthest(change(of, "UE_share", (DOUBLE,))),
        "similar BE": farthest(change(of, "BE_share", (DOUBLE,))),
    },
    "TG-24": lambda of, limit=0.5: {
        "NA unchanged": farthest(change(of, "NA_share", (TRIPLE, limit))),
        "goes to OE": smallest(
            -change(of, "OE_share", (TRIPLE, limit))
            / (change(of, "UE_share", (TRIPLE, limit)) + change(of, "BE_share", (TRIPLE, limit)))
        ),
    },
    "TG-38": lambda of: dict.fromkeys(("at least", "size"), spread(gain(of)[70])),
}
"""Of Figures 4 to 7: all history."""

RECENCY: Mapping[str, Callable[..., Parts]] = {
    "TG-10": lambda of, limit=None: {
        "triple key, high percentiles": spread(by_month(of, "accuracy", TRIPLE, limit)[[100, 95]].mean(axis=1)),
        "triple key": smallest(by_month(of, "accuracy", TRIPLE, limit).drop(columns=70)),
        "double key": smallest(by_month(of, "accuracy", DOUBLE, limit)),
        "slightly": largest(
            _of_keys(lambda key: by_month(of, "accuracy", key, limit) / curve(of, "accuracy", key, limit))
        ),
    },
    "TG-11": lambda of, limit=None: {
        "BE, triple key": largest(by_month(of, "BE_share", TRIPLE, limit)),
        "BE, double key": largest(by_month(of, "BE_share", DOUBLE, limit, (80, 70, 50))),
        "UE, triple key": largest(by_month(of, "UE_share", TRIPLE, limit, BELOW_90)),
        "UE, double key": largest(by_month(of, "UE_share", DOUBLE, limit, BELOW_90)),
    },
    "TG-25": lambda of, limit=None: {
        "triple key": spread(fewer_underestimates(of, TRIPLE, limit).mean(axis=1)),
        "double key": largest(fewer_underestimates(of, DOUBLE, limit)),
    },
}
"""Of Figures 8 to 10: one month against all history, with a threshold or without."""


def recommended(found: pd.DataFrame, limit: float = 0.5) -> dict[str, Measure]:
    """Measure TG-37: the largest shares of underestimated jobs with the scheme that the summary recommends."""
    return {level: largest(curve(found, f"{level}_share", TRIPLE, limit, "1 month", HIGH)) for level in ("UE", "BE")}


# What the text says in numbers, and why jobs are adjusted so little or so much: over all history


def in_numbers(found: pd.DataFrame, threshold: float = 0.5, at: Sequence[float] = PERCENTILES) -> pd.DataFrame:
    """Measure the numbers that the text gives of Figures 4 to 6 of the triple key, on one log: by run."""
    users, recommended = found[*ORIGINAL, "accuracy"], [p for p in at if 80 <= p <= 90]
    accurate, gains = curve(found, "accuracy", at=at), gain(found, at)
    best = {"best_accuracy_triple_p70": accurate.get(70, np.nan), "gain_triple_p70": gains.get(70, np.nan)}
    ranges = {"accuracy_p80_p90": accurate[recommended], "gain_p80_p90": gains[recommended]}
    ranges |= {"drop_underestimated": saved(found, TRIPLE, threshold, at)}
    ranges |= {f"{name}_p80_p90": curve(found, name, at=recommended) for name in ("OE_share", "BE_share", "UE_share")}
    return pd.DataFrame({"base_accuracy": users} | best | least_and_largest(ranges))


def least_and_largest(ranges: Mapping[str, pd.DataFrame]) -> dict[str, pd.Series]:
    """Take the least and the largest column of each of several tables, by run."""
    ends = {"min": pd.DataFrame.min, "max": pd.DataFrame.max}
    return {f"{name}_{end}": take(of, axis=1) for name, of in ranges.items() for end, take in ends.items()}


def reasons(
    traces: Mapping[str, Trace], least: int, threshold: float, mean_run: float, at: Sequence[float] = PERCENTILES
) -> pd.DataFrame:
    """Work out why schemes over all history do little, or too much: shares of jobs by (log, key, percentile)."""
    shares = {}
    for name, trace in traces.items():
        jobs, scale = trace.workload.jobs, mean_run / trace.workload.jobs.run.mean()
        schemes = adjusting.schemes([TRIPLE, DOUBLE], [None], at, least=least, project=trace.project)
        by_scheme: Iterable[Any] = adjusting.parameters(jobs, trace.ends, schemes).items()
        for scheme, a in by_scheme:
            times = np.array([trace.t_act, jobs.estimate, adjusting.t_sched(jobs.estimate, a)])
            shares[name, scheme.key, scheme.percentile] = {
                "no history": a.isna().mean(),
                "A is 1": ((times[2] == times[1]) & a.notna()).mean(),
                "A too low": (a.dropna() < threshold).mean(),
                "bad": (adjusting.levels(*times) == "BE").mean(),
                "bad if scaled": (adjusting.levels(*(scale * times)) == "BE").mean(),
            }
    return pd.DataFrame(shares).T.rename_axis(["log", "key", "percentile"])


def at_median(traces: Mapping[str, Trace], least: int, at: Sequence[float] = PERCENTILES) -> pd.Series:
    """Work out which share of the underestimated jobs a threshold of a log's median of R saves, and what it changes."""
    effects: dict[Any, pd.Series] = {}
    for name, trace in traces.items():
        median = round(float(used(trace).median()), 2)
        found: Any = study([trace], (TRIPLE, DOUBLE), (None,), at, (None, median), least, resamples=0)[name]
        for key in (TRIPLE, DOUBLE):
            fewer: Any = saved(found, key, median, at)
            cost: Any = change(found, "accuracy", (key, median), (key,), at)
            effects[median, name, key] = pd.concat({"fewer": fewer.loc[0], "accuracy": cost.loc[0]})
    return pd.concat(effects, names=["threshold", "log", "key", "metric", "percentile"]).rename("ours")
