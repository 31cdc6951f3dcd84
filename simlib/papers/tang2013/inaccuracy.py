"""Tables 1 and 2, Figures 1 and 2: how inaccurate the users' estimates are (sections 3 and 4.1)."""

from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from ... import walltime
from .. import published
from ..exhibit import LOGS, Part
from . import KEY_NAMES, STAND_INS, beside, decide, pictures, real, resampled
from .on_traces import OnTraces

WEEK = 7 * 86400
SHARES = ("share_R_near_1", "share_R_above_0.8", "share_R_below_0.5", "share_R_below_0.2")
NEAR = 0.99
"""From which R on it counts as close to 1, which the paper leaves open."""


class Table1Figures12(
    OnTraces, name="tang2013/table1-figures1-2", section="3", seconds=15, claims={"TG-01": LOGS, "TG-02": LOGS}
):
    """How inaccurate are the users' estimates?"""

    trace: tuple = STAND_INS
    bins: int = 20
    least_jobs: int = 1000
    resamples: int = 1000
    seed: int = 1

    @cached_property
    def table(self):
        """Table 1, from `table1`."""
        return table1(self.found)

    @cached_property
    def shares(self):
        """The histogram of R, from `distribution`."""
        return distribution(self.found, self.bins)

    @cached_property
    def quarters(self):
        """Mean R by quarter, from `quarters`."""
        return quarters(self.found, self.resamples, self.seed, self.least_jobs)

    def judge(self):
        return claims(self.found, self.quarters)

    def parts(self):
        def judged(exhibit):
            return cells_figures(self.table, self.quarters, exhibit)

        return {
            "": Part(self.table, cells=judged("table1")),
            "figure1": Part(self.shares, self._figure1, cells=judged("fig1")),
            "figure2": Part(self.quarters, self._figure2, cells=judged("fig2")),
        }

    def _figure1(self):
        paper = printed("fig1")
        below = {0.2: paper["share_R_below_0.2"], 0.5: paper["share_R_below_0.5"], 0.8: 1 - paper["share_R_above_0.8"]}
        return pictures.r_distribution(self.shares, below)

    def _figure2(self):
        paper = printed("fig2")
        return pictures.by_quarter(self.quarters, (paper.quarter_mean_min, paper.mean_R, paper.quarter_mean_max))


class Table2(OnTraces, name="tang2013/table2", section="4.1", seconds=10, claims={"TG-03": LOGS}):
    """Do similar jobs use similar shares of their estimates?"""

    trace: tuple = STAND_INS
    least: int = 10

    @cached_property
    def table(self):
        """Table 2, from `table2`."""
        return table2(self.found, self.least)

    def judge(self):
        return claims_table2(self.found, self.table)

    def parts(self):
        cells = cells_table2(self.found, self.table)
        return {"": Part(self.table, lambda: pictures.spread_within_groups(self.table, KEY_NAMES), cells=cells)}


def printed(exhibit):
    """The paper's numbers of an exhibit, as a Series by quantity."""
    numbers = published("tang2013_numbers")
    return numbers[numbers.exhibit == exhibit].set_index("quantity").value


def used(trace):
    """R of each job (equation 1), as a Series."""
    jobs = trace.workload.jobs
    return pd.Series(walltime.used(jobs.run, jobs.estimate), jobs.index, name="R")


# Table 1 and Figure 1


def table1(traces):
    """What each log has: Table 1, the shares of Figure 1, and mean and standard deviation of R.

    Returns
    -------
    DataFrame
        By trace, the paper's first; times in seconds, `nodes` are processors but for the paper's.
    """
    paper = pd.concat([printed("table1"), printed("fig1"), printed("fig2")[["mean_R", "std_R"]]])
    rows = {"Tang et al.": {"time_span": "2009-01 to 2011-06", **paper}}
    for trace in traces:
        workload, r = trace.workload, used(trace)
        jobs = workload.jobs
        first, last = (workload.time(jobs.submit.iloc[place]) for place in (0, -1))
        rows[trace.name] = {
            "jobs": len(jobs),
            "time_span": f"{first:%Y-%m} to {last:%Y-%m}",
            "nodes": workload.procs,
            "mean_run": jobs.run.mean(),
            "mean_requested": jobs.estimate.mean(),
            "projects": jobs[trace.project].nunique(),
            "users": jobs.user.nunique(),
            **shares(r),
            "mean_R": r.mean(),
            "std_R": r.std(),
        }
    columns = ["jobs", "time_span", "nodes", "mean_run", "mean_requested", "projects", "users"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*columns, *SHARES, "mean_R", "std_R"])
    whole = ["jobs", "nodes", "projects", "users"]
    return table.astype(dict.fromkeys(whole, int)).rename_axis("trace")


def shares(r):
    """The shares of jobs that Figure 1's text names."""
    values = (r >= NEAR).mean(), (r > 0.8).mean(), (r < 0.5).mean(), (r < 0.2).mean()
    return dict(zip(SHARES, map(float, values), strict=True))


def distribution(traces, bins=20):
    """The share of each log's jobs by R, in bins of equal width; the last takes R = 1 too.

    Returns
    -------
    DataFrame
        By the lower edge of the bin, a column a log.
    """
    edges = np.linspace(0, 1, bins + 1)
    columns = {trace.name: np.histogram(used(trace), edges)[0] / len(trace.workload) for trace in traces}
    return pd.DataFrame(columns, index=pd.Index(edges[:-1], name="R_from"))


# Figure 2


def quarters(traces, resamples=1000, seed=0, least_jobs=1000):
    """Mean R of the jobs submitted in each quarter, on the log's own calendar.

    Parameters
    ----------
    traces : sequence of Trace
    resamples, seed : int
        Of the bootstrap over the weeks of each quarter.
    least_jobs : int
        A quarter with fewer, of which the log has but some days, is left out.

    Returns
    -------
    DataFrame
        By (trace, quarter), such as "1998 Q3": `jobs`, `mean_R`, its 95 % interval `low`, `high`, and `std_R`.
    """
    rows = {}
    for trace in traces:
        jobs, r = trace.workload.jobs, used(trace)
        quarter = pd.PeriodIndex(trace.workload.calendar_month(jobs.submit), freq="M").asfreq("Q")
        week = (jobs.submit - jobs.submit.min()) // WEEK
        for number, (name, part) in enumerate(r.groupby(quarter)):
            if len(part) < least_jobs:
                continue
            weeks = part.groupby(week[part.index]).agg(["sum", "size"])
            means = resampled(weeks[["sum"]], weeks["size"], resamples, [seed, number])
            low, high = np.quantile(means, [0.025, 0.975])
            values = {"jobs": len(part), "mean_R": part.mean(), "low": low, "high": high, "std_R": part.std()}
            rows[trace.name, f"{name.year} Q{name.quarter}"] = values
    index = pd.MultiIndex.from_tuples(rows, names=["trace", "quarter"])
    return pd.DataFrame(list(rows.values()), index=index)


# Table 2


def table2(traces, least=10):
    """How far R scatters within groups of similar jobs.

    Parameters
    ----------
    traces : sequence of Trace
    least : int
        Smaller groups are left out, as in the paper.

    Returns
    -------
    DataFrame
        By (trace, key), "all" being all jobs in one group: `groups`, the mean `std` of R over them (each group counts
        once; divisor n - 1), its standard error over groups `se` and 95 % interval `low`, `high`; `jobs_share`, the
        share of the jobs that are in these groups.
    """
    rows = {}
    numbers = printed("table2")
    rows["Tang et al.", "all"] = {"groups": 1, "std": numbers["std_all"]}
    for key in KEY_NAMES:
        of_key = {"groups": int(numbers[f"groups_{_short(key)}"]), "std": numbers[f"std_{_short(key)}"]}
        rows["Tang et al.", key] = of_key
    for trace in traces:
        r = used(trace)
        rows[trace.name, "all"] = {"groups": 1, "std": r.std(), "jobs_share": 1.0}
        for key in KEY_NAMES:
            columns = walltime.Scheme(key, project=trace.project).columns
            groups = r.groupby([trace.workload.jobs[column] for column in columns]).agg(["std", "size"])
            groups = groups[groups["size"] >= least]
            mean, se = groups["std"].mean(), groups["std"].sem()
            row = {"groups": len(groups), "std": mean, "se": se, "low": mean - 1.96 * se, "high": mean + 1.96 * se}
            rows[trace.name, key] = row | {"jobs_share": groups["size"].sum() / len(r)}
    return pd.DataFrame(list(rows.values()), index=pd.MultiIndex.from_tuples(rows, names=["trace", "key"]))


def _short(key):
    """A key's name in the published numbers."""
    return KEY_NAMES[key].split()[0]


# Verdicts


def claims(traces, quarterly):
    """Decide claims TG-01 and TG-02."""
    found = [(trace.name, shares(used(trace))) for trace in real(traces)]
    by_quarter = {trace.name: quarterly.loc[trace.name] for trace in real(traces)}
    return [
        decide("TG-01", {name: _overestimation(values) for name, values in found}),
        decide("TG-02", {name: _varies(part) for name, part in by_quarter.items()}),
    ]


def _overestimation(ours):
    """Half the jobs or more use less than half, and a quarter or less more than 80 per cent; each share within 0.1."""
    paper = printed("fig1")
    half, fifth, most = (ours[f"share_R_{which}"] for which in ("below_0.5", "below_0.2", "above_0.8"))
    near = [abs(ours[name] - paper[name]) <= 0.1 for name in SHARES[1:]]
    text = f"{half:.0%} of the jobs use less than half, {fifth:.0%} less than a fifth, {most:.0%} more than 80 %"
    return [half >= 0.5, most <= 0.25, all(near)], text


def _varies(part):
    """Highest less lowest quarter, relative to the mean, at least half the paper's; clear of each other's intervals."""
    paper = printed("fig2")
    wanted = (paper.quarter_mean_max - paper.quarter_mean_min) / paper.mean_R / 2
    lowest, highest = part.loc[part.mean_R.idxmin()], part.loc[part.mean_R.idxmax()]
    width = (highest.mean_R - lowest.mean_R) / np.average(part.mean_R, weights=part.jobs)
    low, high = (f"{row.mean_R:.2f} ({row.low:.2f} to {row.high:.2f})" for row in (lowest, highest))
    text = f"from {low} in {lowest.name} to {high} in {highest.name}, {width:.0%} of the mean"
    return [width >= wanted, lowest.high < highest.low], text


def claims_table2(traces, table):
    """Decide claim TG-03."""
    return [decide("TG-03", {trace.name: _order(table.loc[trace.name]) for trace in real(traces)})]


def _order(table):
    """Every key's mean is clearly below all jobs' standard deviation; the keys are in the paper's order.

    Where two keys make the same groups, as user and user+project do if no user has two projects, there is no order.
    """
    std, keys = table["std"], list(KEY_NAMES)
    below = bool((table.high[keys] < std["all"]).all())
    steps = [(one, other) for one, other in pairwise(keys) if not table.loc[one].equals(table.loc[other])]
    texts = [f"{KEY_NAMES[key]} {std[key]:.3f} +- {1.96 * table.se[key]:.3f}" for key in keys]
    text = f"all jobs {std['all']:.3f}; " + ", ".join(texts)
    return [below, *(bool(std[one] > std[other]) for one, other in steps)], text


def cells(trace, exhibit, ours, spread=None):
    """Numbers of ours beside the printed ones of an exhibit, for its record.

    Parameters
    ----------
    trace, exhibit : str
    ours : mapping
        By the name of the quantity; those that are not printed are left out.
    spread : dict, optional
        By the name of the quantity: the ends of its 95 % interval, where there is one.
    """
    paper, spread = printed(exhibit), spread or {}
    names = [name for name in paper.index if name in ours]
    return [beside(trace, {"quantity": name}, paper[name], ours[name], *spread.get(name, ())) for name in names]


def cells_figures(table, quarterly, exhibit):
    """Numbers of Table 1 or Figures 1 or 2 ("table1", "fig1", "fig2") beside the printed ones, for its record."""
    found = []
    for trace in table.index[1:]:
        means = quarterly.loc[trace].sort_values("mean_R")
        ends = {"quarter_mean_min": means.iloc[0], "quarter_mean_max": means.iloc[-1]}
        ours = {**table.loc[trace]} | {name: quarter.mean_R for name, quarter in ends.items()}
        found += cells(trace, exhibit, ours, {name: (quarter.low, quarter.high) for name, quarter in ends.items()})
    return found


def cells_table2(traces, table):
    """Table 2's numbers of groups and mean standard deviations beside the printed ones, for its record."""
    found = []
    for trace in traces:
        ours = table.loc[trace.name]
        numbers = {"std_all": ours["std"]["all"]} | {f"std_{_short(key)}": ours["std"][key] for key in KEY_NAMES}
        numbers |= {f"groups_{_short(key)}": ours.groups[key] for key in KEY_NAMES}
        spread = {f"std_{_short(key)}": (ours.low[key], ours.high[key]) for key in KEY_NAMES}
        found += cells(trace.name, "table2", numbers, spread)
    return found
