"""Forks: small changes after which a month of Table 1 comes out otherwise, and others that change nothing."""

from functools import partial

import numpy as np
import pandas as pd

from ...schedule import simulate
from ...stats import shake
from ..judging import LIKELY, published
from . import CLOSE_TO, METRICS, SCHEDULERS, policies, programs
from .suspects import monthly

PROGRAMS = {scheduler: policy for (scheduler, _), policy in policies([LIKELY]).items()}
LATEST_FIRST = programs.program(SCHEDULERS[1], {"compressed in order of": "start, ties latest first"})
"""The likely conservative program, but jobs of equal reserved start are moved in the other order."""

LEVELS = ["name", "variant", "run"]
COLUMNS = [f"{metric}{of}" for of in ("_printed", "") for metric in METRICS] + ["cause", "cause_printed"]

BRANCHING = (13055, 13054, 13046, 13069)
"""KTH's jobs of the afternoon of 6 March 1997 on which the month hangs."""

CONTROLS = 20
"""Other jobs of these days that are taken out in their places, one at a time."""

SECOND = 62011, 62012
"""Jobs of one user that came in one second, 6 October 1999."""

DAYS_BEFORE = 40
"""How long before that November other jobs of one second are swapped."""

FLURRY = 328
"""The user who submitted 412 jobs on two days of December 1999."""

LIGHT = 0.9225
"""What February 2000 executed at most: .920 is printed."""

TIE_RUNS = 40
"""How many shaken runs show the order of ties, at most."""

LONG = 29465, 30028
"""The largest two, of user 4: all 128 processors for two days."""

LARGEST = 20
"""So many of the Paragon's jobs of September 1996 that did not complete are put in, one at a time."""

DAY = 86400

AS_IT_IS, SHAKEN, OTHER_TIES = "the log as it is", "shaken", "shaken, of equal starts the latest first"
OTHER_JOB, OTHER_PAIR = "without one of {} other jobs", "with one of {} other pairs swapped"
DRAWN = "one draw of the restored log"
WITH_JOB, WITH_OTHERS = "with job {}, which did not complete", "with one of the other large jobs that did not"
LEAST, MOST = "shaken, user 328 waits least (a tenth)", "shaken, the other nine tenths"
LIGHTER, HEAVIER = f"shaken, February's load at most {LIGHT}", "shaken, February's load higher"


# Which can be shown


def known(traces):
    """Which forks can be shown on these traces: by name, what makes its variants for an exhibit."""
    found = {}
    for trace in traces:
        jobs = trace.workload.jobs
        if trace.trace == "KTH" and jobs.index.isin(BRANCHING).sum() == len(BRANCHING):
            found[_name("KTH", "1997-03", "conservative")] = partial(branches, trace)
        if trace.trace == "SDSC" and jobs.index.isin(SECOND).sum() == len(SECOND):
            found[_name("SDSC", "1999-11", "conservative")] = partial(swaps, trace)
        if trace.trace == "SDSC" and (jobs.user == FLURRY).any():
            found[_name("SDSC", "1999-12", "easy")] = partial(flurry, trace)
            found[_name("SDSC", "2000-03", "easy")] = partial(light_february, trace)
        if trace.trace == "Par" and trace.lost and "1996-09" in trace.month_edges[0]:
            found |= {_name("Par", "1996-09", s): partial(uncompleted, trace, scheduler=s) for s in SCHEDULERS}
    return found


def _name(trace, month, scheduler):
    return f"{trace} {month} {scheduler}"


def runs(exhibit):
    """Make all runs of the forks that can be shown, and of the other order of ties in months that are off.

    Returns
    -------
    DataFrame
        By (name, variant, run), the name being trace, month and scheduler: what is printed of each metric, what comes
        out, and the `cause` that is thought to move it, where that is a number, and as printed where it is.
    """
    found = {name: make(exhibit) for name, make in known(exhibit.real).items()}
    for place in exhibit.off_months:
        if place[2] == "conservative":
            found[_name(*place)] = found.get(_name(*place), {}) | other_ties(exhibit, place)
    rows = [_rows(name, variant, made) for name, variants in found.items() for variant, made in variants.items()]
    empty = pd.DataFrame(columns=COLUMNS, index=pd.MultiIndex.from_tuples([], names=LEVELS), dtype=float)
    return pd.concat(rows) if rows else empty


def _rows(name, variant, made):
    """The runs of a variant with what is printed, in the layout of `runs`."""
    trace, month, scheduler = name.split()
    table = published("mualem2001_table1").set_index(["trace", "month"]).loc[(trace, month)]
    made = pd.DataFrame(made).reindex(columns=[*METRICS, "cause", "cause_printed"])
    made = made.assign(**{f"{metric}_printed": table[f"{scheduler}_{metric}"] for metric in METRICS})
    places = [(name, variant, run) for run in range(len(made))]
    return made[COLUMNS].set_axis(pd.MultiIndex.from_tuples(places, names=LEVELS)).astype(float)


def summed_up(found):
    """Sum up the runs of each variant.

    Returns
    -------
    DataFrame
        By (name, variant): of each metric what is printed, `ours`, the median of the first variant, and the median of
        this one; how many `runs` it has; `both`, the share of them that are close to print in both metrics; the
        `correlation` of cause and response time over all runs of the name that have a cause.
    """
    rows = {}
    for (name, variant), part in found.groupby(level=["name", "variant"], sort=False):
        of_name = found.loc[name]
        first = of_name.loc[of_name.index[0][0]]
        printed = {metric: part[f"{metric}_printed"].iloc[0] for metric in METRICS}
        row = {f"{metric}_printed": value for metric, value in printed.items()}
        row |= {f"{metric}_ours": first[metric].median() for metric in METRICS}
        row |= {metric: part[metric].median() for metric in METRICS}
        row |= {"runs": len(part), "both": near(part, printed).mean()}
        caused = of_name.dropna(subset="cause") if part.cause.notna().any() else of_name.iloc[:0]
        rows[name, variant] = row | {"correlation": caused.cause.corr(caused.response_s) if len(caused) else np.nan}
    columns = [f"{metric}{of}" for of in ("_printed", "_ours", "") for metric in METRICS]
    index = pd.MultiIndex.from_tuples(list(rows), names=LEVELS[:2])
    return pd.DataFrame(list(rows.values()), index, [*columns, "runs", "both", "correlation"])


def near(runs, printed):
    """Which runs come close to what is printed, in all metrics at once: a bool a run."""
    return np.all([(runs[m] - printed[m]).abs() <= close * printed[m] for m, close in CLOSE_TO.items()], axis=0)


# What is known, or was tried


def branches(trace, exhibit):
    """March 1997 at KTH, conservative: without one of four jobs of 6 March, and without one of others of two days."""
    jobs, policy = trace.workload.jobs, PROGRAMS["conservative"]
    one = partial(measured, trace, policy, "1997-03")
    begin = trace.workload.second("1997-03-05")
    around = jobs.index[(jobs.submit >= begin) & (jobs.submit < begin + 2 * DAY)].difference(BRANCHING)
    others = np.random.default_rng(exhibit.seed).choice(around, min(CONTROLS, len(around)), replace=False)
    alone = {f"without job {job}": [one(jobs.drop(job))] for job in BRANCHING}
    return {AS_IT_IS: [one(jobs)]} | alone | {OTHER_JOB.format(len(others)): [one(jobs.drop(job)) for job in others]}


def swaps(trace, _):
    """November 1999 at SDSC, conservative: two jobs of one second in the other order, and other such pairs."""
    jobs, policy = trace.workload.jobs, PROGRAMS["conservative"]
    one = partial(measured, trace, policy, "1999-11")
    months, edges = trace.month_edges
    month = months.index("1999-11")
    pairs = [pair for pair in of_one_second(jobs, edges[month] - DAYS_BEFORE * DAY, edges[month + 1]) if pair != SECOND]
    first = {AS_IT_IS: [one(jobs)], "jobs {} and {} swapped".format(*SECOND): [one(swapped(jobs, *SECOND))]}
    return first | {OTHER_PAIR.format(len(pairs)): [one(swapped(jobs, *pair)) for pair in pairs]}


def flurry(trace, exhibit):
    """December 1999 at SDSC, EASY: shaken runs by how long user 328's jobs wait in all, in hours."""
    runs = exhibit.winter[["december_response_s", "december_bounded_slowdown", "wait_h"]].set_axis(
        [*METRICS, "cause"], axis=1
    )
    least = runs.cause <= runs.cause.quantile(0.1)
    return {AS_IT_IS: [measured(trace, PROGRAMS["easy"], "1999-12")], LEAST: runs[least], MOST: runs[~least]}


def light_february(trace, exhibit):
    """March 2000 at SDSC, EASY: shaken runs in which February executes as little as printed, and the others."""
    runs = exhibit.winter[["march_response_s", "march_bounded_slowdown", "february_load"]].set_axis(
        [*METRICS, "cause"], axis=1
    )
    table = published("mualem2001_table1").set_index(["trace", "month"])
    runs, light = runs.assign(cause_printed=table.load["SDSC", "2000-02"]), runs.cause <= LIGHT
    return {AS_IT_IS: [measured(trace, PROGRAMS["easy"], "2000-03")], LIGHTER: runs[light], HEAVIER: runs[~light]}


def uncompleted(trace, exhibit, scheduler):
    """September 1996 on the Paragon: one draw of the restored log, and with each large job that did not complete."""
    drawn, begin_end = trace.drawn(exhibit.seed), trace.month_edges[1][trace.month_edges[0].index("1996-09") :][:2]
    filed, jobs = trace.lost.log.jobs, drawn.workload.jobs
    others = filed[(filed.status != 1) & filed.submit.between(*begin_end)]
    others = others.loc[(others.run * others.procs).nlargest(LARGEST).index].assign(estimate=lambda of: of.run)
    one = partial(measured, drawn, PROGRAMS[scheduler], "1996-09")
    found = {DRAWN: [one()]}
    for job in others.index:
        name = WITH_JOB.format(job) if job in LONG else WITH_OTHERS
        found.setdefault(name, []).append(one(pd.concat([jobs, others.loc[[job]]])))
    return found


def other_ties(exhibit, place):
    """A conservative month that is off: jobs of equal reserved start compressed by arrival, or the latest first."""
    settings = exhibit.settings | {"shakes": min(TIE_RUNS, exhibit.shakes)}
    others = monthly(exhibit.trace_of(place), LATEST_FIRST, **settings)
    return {SHAKEN: exhibit.runs(place).iloc[: settings["shakes"]], OTHER_TIES: others[place[1]]}


# Their runs


def measured(trace, policy, month, jobs=None):
    """The means of a month with other jobs: a dict by metric."""
    workload = trace.workload if jobs is None else trace.workload.derive(jobs, "other jobs")
    means = trace.by_month(simulate(workload, policy)).loc[month]
    return {metric: means[quantity] for metric, quantity in METRICS.items()}


def of_one_second(jobs, begin, end):
    """Pairs of jobs that follow one another and came in one second, within a time: by their numbers."""
    submit, number = jobs.submit.to_numpy(), jobs.index
    places = np.flatnonzero((submit[1:] == submit[:-1]) & (submit[1:] >= begin) & (submit[1:] < end))
    return [(int(number[place]), int(number[place + 1])) for place in places]


def swapped(jobs, one, other):
    """The jobs with two of one second in the other order."""
    order = np.arange(len(jobs))
    places = jobs.index.get_indexer([one, other])
    order[places] = places[::-1]
    return jobs.iloc[order]


def watched(trace, **settings):
    """Shake SDSC under EASY: a row a run, with December's and March's means, and what they may hang on."""
    return shake(trace.workload, PROGRAMS["easy"], measure=_Winter(trace), **settings)


class _Winter:
    """Measures the winter of 1999 on SDSC, in a class, so that processes can be sent it."""

    def __init__(self, trace):
        months, edges = trace.month_edges
        self.trace, self.begin, self.end = trace, *edges[months.index("1999-12") :][:2]

    def __call__(self, schedule):
        months = self.trace.by_month(schedule)
        end, user = schedule.column("end"), schedule.column("user")
        of_flurry = (user == FLURRY) & (end >= self.begin) & (end < self.end)
        named = {"december": months.loc["1999-12"], "march": months.loc["2000-03"]}
        means = {f"{name}_{metric}": row[mean] for name, row in named.items() for metric, mean in METRICS.items()}
        wait = schedule.column("wait")[of_flurry].sum() / 3600
        return pd.Series(means | {"wait_h": wait, "february_load": months.utilization["2000-02"]})
