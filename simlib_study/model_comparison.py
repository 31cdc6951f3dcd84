"""Compare a twin with its log: distributions, and similarities of a user's jobs."""

from collections.abc import Collection, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from simlib.analysis.stats import ks_distance
from simlib.core.workload import Workload
from simlib.models.twin import NONE
from simlib.plots.panels import legend, plain_log_axis
from simlib.plots.style import COLOURS

DAY = 86400

KEYS = {
    "user": ["user"],
    "group": ["group"],
    "user and group": ["user", "group"],
    "user, group and requested time": ["user", "group", "requested"],
}
"""The keys by which Tang et al. (JPDC 2013, Table 2) group similar jobs."""


def described(workload: Workload) -> pd.DataFrame:
    """Add to the jobs the columns in which a twin has to resemble its log."""
    if workload.log is None:
        raise ValueError(f"{workload.name}: described: found no log, expected a workload that was read from one")
    jobs = workload.jobs
    requested = workload.log.requested_time.loc[jobs.index]
    local = workload.time(0) + pd.to_timedelta(jobs.submit, unit="s")
    jobs["requested"] = requested.where(requested > 0, NONE)
    jobs["used"] = (jobs.run / jobs.requested).where(requested > 0)
    jobs["month"] = workload.calendar_month(jobs.submit)
    jobs["hour"] = local.dt.day_of_week * 24 + local.dt.hour
    jobs["session"] = session(jobs)
    return jobs


def session(jobs: pd.DataFrame) -> pd.Series:
    """Number the sessions: a session is a user's jobs in a row that have the same size and requested time."""
    request = jobs.sort_values(["user", "submit"], kind="stable")[["user", "procs", "requested"]]
    return (request != request.shift()).any(axis=1).cumsum().loc[jobs.index]


def repeated(jobs: pd.DataFrame) -> float:
    """Compute the share of jobs that repeat the size and the requested time of the same user's job before."""
    return 1 - session(jobs).nunique() / len(jobs)


def unevenness(jobs: pd.DataFrame) -> float:
    """Compute the mean absolute deviation of a day's work from the mean day's, in units of the mean day's."""
    work = np.bincount((jobs.submit - jobs.submit.min()) // DAY, jobs.run * jobs.procs)
    return float(np.abs(work / work.mean() - 1).mean())


def by_month(jobs: pd.DataFrame) -> pd.DataFrame:
    """Count the jobs and the work (processor-hours) submitted in each month."""
    groups = jobs.assign(work=jobs.run * jobs.procs / 3600).groupby("month")
    return pd.DataFrame({"jobs": groups.size(), "work": groups.work.sum()})


# Distributions


def _marginals(jobs: pd.DataFrame) -> dict[str, pd.Series]:
    """List the distributions that a twin has to resemble, each as a Series of values."""
    by_user = jobs.sort_values(["user", "submit"], kind="stable")
    gap = by_user.submit.diff()[by_user.user == by_user.user.shift()]
    return {
        "size": jobs.procs,
        "run time": jobs.run,
        "requested time": jobs.requested[jobs.requested != NONE],
        "run / requested": jobs.used.dropna(),
        "hour of the week": jobs.hour,
        "between submissions": jobs.submit.diff().dropna(),
        "between those of a user": gap,
        "jobs of a user": jobs.groupby("user").size(),
        "jobs of a session": jobs.groupby("session").size(),
    }


def distances(one: pd.DataFrame, other: pd.DataFrame) -> pd.Series:
    """Compute the Kolmogorov-Smirnov distances of two workloads by distribution; nan where one has no values."""
    pairs = zip(_marginals(one).items(), _marginals(other).values(), strict=True)
    return pd.Series({name: ks_distance(values, others) for (name, values), others in pairs})


PANELS = {
    "size": "processors: share of jobs with no more",
    "requested": "requested time [h]: share of jobs with no more",
    "used": "run / requested [%]: % of jobs",
    "hour": "hour of the local week: % of jobs",
    "month_jobs": "jobs by month",
    "month_work": "work by month [1000 processor-hours]",
    "users": "users, the busiest first: share of jobs",
    "session": "jobs of a session: share with no more",
    "gap": "to a user's next job [h]: share with no more",
}
"""The curves that `curves` makes, each with the title of its panel."""


def curves(jobs: pd.DataFrame) -> dict[str, pd.Series]:
    """Make the curves of the distributions, for drawing: by the keys of `PANELS`, a Series of values over places."""
    marginals = _marginals(jobs)
    month = by_month(jobs)
    used = np.minimum(np.floor(100 * marginals["run / requested"]), 110).astype(int)
    return {
        "size": cumulative(marginals["size"]),
        "requested": cumulative(marginals["requested time"] / 3600),
        "used": 100 * used.value_counts(normalize=True).reindex(range(111), fill_value=0),
        "hour": 100 * jobs.hour.value_counts(normalize=True).reindex(range(7 * 24), fill_value=0),
        "month_jobs": month.jobs,
        "month_work": month.work / 1000,
        "users": jobs.user.value_counts(normalize=True).cumsum().set_axis(range(1, jobs.user.nunique() + 1)),
        "session": cumulative(marginals["jobs of a session"]),
        "gap": cumulative(marginals["between those of a user"].clip(lower=1) / 3600),
    }


def cumulative(values: pd.Series) -> pd.Series:
    """Compute the cumulative distribution of a sample, as a Series of shares over the values that occur."""
    return values.value_counts(normalize=True).sort_index().cumsum()


def users(jobs: pd.DataFrame) -> pd.Series:
    """Describe the users in a few numbers.

    The share of the jobs of the ten busiest users, the share of jobs repeated (see `repeated`), the unevenness of the
    days, and the mean standard deviation of R within groups of 10 jobs or more, by `KEYS`, and of all jobs.
    """
    used = jobs.used.clip(upper=1).dropna()
    numbers: dict[str, Any] = {
        "jobs of the ten busiest users": jobs.user.value_counts(normalize=True).head(10).sum(),
        "jobs that repeat the one before": repeated(jobs),
        "unevenness of days": unevenness(jobs),
        "standard deviation of R": used.std(),
    }
    for name, key in KEYS.items():
        groups = used.groupby([jobs.loc[used.index, column] for column in key])
        known = (jobs[key] != NONE).any().all()
        numbers[f"... within {name}"] = groups.std()[groups.size() >= 10].mean() if known else np.nan
    return pd.Series(numbers)


TWIN_STYLES = [{"color": COLOURS[6], "linewidth": 2.2}, {"color": COLOURS[1], "linewidth": 1.1}]
"""How the log and the twin are drawn."""


def distributions_compared(
    curves: Mapping[str, Mapping[str, pd.Series]], titles: Mapping[str, str], logarithmic: Collection[str] = ()
) -> Figure:
    """Draw the distributions of two workloads, a panel for each distribution."""
    rows = -(-len(titles) // 3)
    figure, axes = plt.subplots(rows, 3, figsize=(13, 0.5 + 2.9 * rows))
    for ax, (panel, title) in zip(axes.flat, titles.items(), strict=False):
        for curve, style in zip((parts[panel] for parts in curves.values()), TWIN_STYLES, strict=False):
            if curve.index.dtype.kind in "iuf":
                ax.plot(curve.index, curve.to_numpy(), drawstyle="steps-post", **style)
            else:
                every = slice(0, None, -(-len(curve) // 4))
                ax.plot(range(len(curve)), curve.to_numpy(), drawstyle="steps-mid", **style)
                ax.set_xticks(range(len(curve))[every], curve.index[every])
        if panel in logarithmic:
            plain_log_axis(ax.xaxis)
        ax.set_title(title, fontsize=10)
        ax.set_ylim(bottom=0)
    for ax in axes.flat[len(titles) :]:
        ax.set_axis_off()
    legend(figure, dict(zip(curves, TWIN_STYLES, strict=False)))
    return figure
