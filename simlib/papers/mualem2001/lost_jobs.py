"""The lost jobs: what cleaning took out of three of the paper's logs, when, what it was like, and what it explains."""

from dataclasses import replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ...stats import shake
from ..exhibit import LOGS, Part
from ..judging import LIKELY, RESTORED, published
from ..parameters import SECONDS, SEED, parameter, repeats, some, some_of
from . import METRICS, SCHEDULERS, TRACES, lost_jobs_findings, lost_jobs_pictures, policies
from .on_traces import OnTraces
from .suspects import fit, monthly, printed

PROGRAMS = {scheduler: policy for (scheduler, _), policy in policies([LIKELY]).items()}
"""The likely program of each scheduler."""

WITHIN = 2.0
"""A setting whose log likelihood is not further below the best one's is as good."""

LENGTHS = (28, 30, 31, 31, 31)
"""The days of CM-5's first five months, in some order: October to February."""

FOLDS = ("odd months", "even months", *SCHEDULERS)
"""What a setting is inferred from; it is judged on what is left."""

AS_FILED, PUT_BACK, IN_MONTH = "as filed", "put back", "put back in their months"
ANYWHERE, UNCALLED = "put back at any time", "put into a log that lost none"
"""The cure, what it is held against, a weaker one, and two that must not do as well."""


class LostJobs(
    OnTraces,
    name="mualem2001/lost-jobs",
    section="5",
    seconds=30,
    after="mualem2001/table1",
    claims=dict.fromkeys(lost_jobs_findings.IDS, LOGS),
):
    """What cleaning took out of the logs, put back."""

    puts_back = True

    traces: tuple = parameter(("CTC", "KTH", "Par", "CM5"), some_of(TRACES))
    run_times: tuple = parameter((900, 1200, 1500, 1800, 2100, 2400, 2700, 3000), some(SECONDS))
    requests: tuple = parameter((7201, 10800, 14400, 21600, 43200, 64800), some(SECONDS))
    spacings: tuple = parameter((1, 9, 48), some(SECONDS))
    shakes: int = repeats(20)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(0, SEED)

    @property
    def by_name(self):
        """The traces at hand, by the paper's name; of two years the one that lost jobs."""
        return {trace.trace: trace for trace in sorted(self.found, key=lambda trace: bool(trace.lost))}

    # When

    @cached_property
    def counts(self):
        """The jobs of each month, by (trace, month): see `counted`."""
        found = {name: counted(trace, **self.settings) for name, trace in self.by_name.items() if trace.lost}
        return pd.concat(found, names=["trace"]) if found else pd.DataFrame(columns=["published"])

    @cached_property
    def orders(self):
        """How well each order of the lengths of CM-5's first months fits, from `orders`; None without its log."""
        trace = self.by_name.get("CM5")
        return orders(trace, LENGTHS, **self.settings) if trace and trace.begin_on else None

    # What they were like

    @cached_property
    def tried_par(self):
        """The Paragon's months with nightly jobs of each run time, from `tried`."""
        return self._tried("Par", 5, "run", {mean: {"mean": mean, "log_sd": 1.37} for mean in self.run_times})

    @cached_property
    def tried_ctc(self):
        """CTC's January with each requested time of the lost burst, from `tried`."""
        return self._tried("CTC", 135, "requested_time", {asked: asked for asked in self.requests})

    @cached_property
    def tried_spacings(self):
        """CTC's January with the lost burst so many seconds apart within each gap, from `tried`; 0: spread evenly."""
        return self._tried("CTC", 135, "every", {0: None} | {every: every for every in self.spacings})

    def _tried(self, name, user, field, values):
        trace = self.by_name.get(name)
        if trace is None or not trace.lost:
            return None
        settings = {name: trace.lost.with_setting(user, field, value) for name, value in values.items()}
        return tried(trace, settings, **self.settings)

    @cached_property
    def inferred(self):
        """What each half says, and how it does on the other, from `across`: by (trace, setting, inferred from)."""
        found = {}
        if self.tried_par is not None:
            found["Par", "run time of the nightly jobs [s]"] = across(self.tried_par, FOLDS)
        if self.tried_ctc is not None:
            january = self.tried_ctc.xs("1997-01", level="month", drop_level=False)
            found["CTC", "requested time of the burst [s]"] = across(january, SCHEDULERS)
        return pd.concat(found, names=["trace", "setting"]) if found else pd.DataFrame(columns=["best"])

    # What they explain

    @cached_property
    def cures(self):
        """How well printed numbers are met as filed, with the lost jobs back, and with two false cures.

        By (trace, scheduler, cure): `log_likelihood`, `inside`, `close`, `cells`, and the median absolute deviation of
        each metric, over the months that a file as filed can match least of all: all of them.
        """
        found = {}
        for name, trace in self.by_name.items():
            for cure, other in self._cures(trace).items():
                for scheduler, policy in PROGRAMS.items():
                    found[name, scheduler, cure] = met(other, policy, scheduler, **self.settings)
        index = pd.MultiIndex.from_tuples(list(found), names=["trace", "scheduler", "cure"])
        return pd.DataFrame(list(found.values()), index, None if found else ["log_likelihood", *METRICS])

    def _cures(self, trace):
        if trace.lost:
            submit = trace.lost.log.log.submit
            spans = {IN_MONTH: trace.month_edges[1], ANYWHERE: submit.agg(["min", "max"]).to_numpy()}
            spread = {cure: replace(trace.lost, gaps=spread_out(trace, edges)) for cure, edges in spans.items()}
            cures = {PUT_BACK: trace.lost} | spread
        elif trace.trace == "KTH" and "CTC" in self.by_name and self.by_name["CTC"].lost:
            cures = {UNCALLED: uncalled(trace, self.by_name["CTC"].lost)}
        else:
            return {}
        return {AS_FILED: trace} | {cure: replace(trace, lost=lost, restored=True) for cure, lost in cures.items()}

    # What it shows

    def judge(self):
        return lost_jobs_findings.findings(self)

    def parts(self):
        tables = {
            "": (self.counts, lost_jobs_pictures.counts),
            "inferred": (self.inferred, None),
            "cures": (self.cures, lost_jobs_pictures.cures),
            "run-times": (self.tried_par, lambda tried: lost_jobs_pictures.run_times(tried, FOLDS)),
            "requests": (self.tried_ctc, None),
            "spacings": (self.tried_spacings, None),
            "months": (self.orders, lost_jobs_pictures.orders),
        }
        return {suffix: _part(*of) for suffix, of in tables.items()}


def _part(table, draw):
    """A part of the record; of what no log here can tell, an empty table and no picture."""
    if table is None or table.empty:
        return Part(pd.DataFrame(columns=["nothing"]))
    return Part(table, partial(draw, table) if draw else None)


# When


def counted(trace, **settings):
    """Count a trace's jobs by month: printed, of the file, missing by their numbers, and with the lost ones back.

    Returns
    -------
    DataFrame
        By month: `published`; `ours`, the median of shaken runs under the likely EASY; `short`, what the file lacks of
        the printed number; `missing`, the lost jobs whose gaps in the numbers begin in this month; `low`, `median` and
        `high` of the restored log.
    """
    jobs = published("mualem2001_table1").query("trace == @trace.trace").set_index("month").jobs
    months, edges = trace.month_edges
    gaps = trace.lost.known_gaps
    gaps = gaps[gaps.user.isin([user["user"] for user in trace.lost.users])]
    missing = np.histogram(gaps.earliest, edges, weights=gaps.jobs)[0].astype(int)
    ours, back = (_jobs(each, **settings) for each in (trace, trace.under(RESTORED)))
    table = pd.DataFrame({"published": jobs.reindex(months), "ours": ours.median()})
    table["short"], table["missing"] = table.published - table.ours, missing
    return table.assign(low=back.quantile(0.025), median=back.median(), high=back.quantile(0.975)).rename_axis("month")


def _jobs(trace, shakes, shake_s, seed):
    """The number of jobs of each month, a row a shaken run."""
    runs = shake(trace.workloads, PROGRAMS["easy"], shakes, shake_s, seed, trace.by_month)
    return runs.xs("jobs", axis=1, level=1)


def orders(trace, lengths, shakes, shake_s, seed):
    """Tell how well every order of the lengths of the first months fits what is printed of them.

    The numbers of jobs choose; the loads and means have no part in that.

    Returns
    -------
    DataFrame
        By order, such as "28 31 30 31 31", the best first: `jobs_off` and `load_off`, summed over these months and the
        mean over runs; `log_likelihood` of the means under each scheduler.
    """
    months = trace.month_edges[0][: len(lengths)]
    variants = {_written(days): replace(trace, begin_on=begin_on(months, days)) for days in permuted(lengths)}
    calendar = _written(pd.Period(month).days_in_month for month in months)
    table = printed(trace).loc[months]
    found = {}
    for scheduler, policy in PROGRAMS.items():
        runs = shake(trace.workload, policy, shakes, shake_s, seed, _Months(variants, table.index))
        for order in variants:
            means = runs[order].rename(columns={name: metric for metric, name in METRICS.items()}, level=1)
            mean = means.mean().unstack()
            found[order, scheduler] = {
                "jobs_off": (mean.jobs - table.jobs).abs().sum(),
                "load_off": (mean.utilization - table.load).abs().sum(),
                "log_likelihood": fit(means, table, scheduler).log_likelihood.sum(),
            }
    found = pd.DataFrame.from_dict(found, orient="index").unstack()
    found.columns = [f"{what}_{scheduler}" for what, scheduler in found.columns]
    found["calendar"] = found.index == calendar
    return found.sort_values("jobs_off_easy").rename_axis("days")


class _Months:
    """Measures the months of a schedule under several divisions of the time."""

    def __init__(self, variants, months):
        self.variants, self.months = variants, months

    def __call__(self, schedule):
        return pd.concat({order: each.by_month(schedule).loc[self.months] for order, each in self.variants.items()})


def begin_on(months, days):
    """Find the days on which months begin that have so many days, the first on its first."""
    starts = pd.Timestamp(f"{months[0]}-01") + pd.to_timedelta(np.cumsum(days), unit="D")
    return {month: f"{start:%Y-%m-%d}" for month, start in zip(months[1:], starts[:-1], strict=True)}


def permuted(lengths):
    """List all different orders of some numbers."""
    if not lengths:
        return [()]
    return [(one, *rest) for one in sorted(set(lengths)) for rest in permuted(_without(lengths, one))]


def _without(lengths, one):
    place = list(lengths).index(one)
    return (*lengths[:place], *lengths[place + 1 :])


def _written(days):
    return " ".join(map(str, days))


# What they were like


def tried(trace, settings, **shaken):
    """Hold restored logs of several settings against Table 1, from `suspects.fit`.

    Parameters
    ----------
    trace : Trace
    settings : dict
        By value, a `Lost`.
    shaken
        As for `replications`.

    Returns
    -------
    DataFrame
        By (value, scheduler, month).
    """
    found = {}
    for value, lost in settings.items():
        other = replace(trace, lost=lost, restored=True)
        for scheduler, policy in PROGRAMS.items():
            found[value, scheduler] = fit(monthly(other, policy, **shaken), printed(other), scheduler)
    return pd.concat(found, names=["value", "scheduler"])


def across(tried, folds):
    """Infer a setting from one half of the printed numbers, and judge it on the other; and turn that round.

    Parameters
    ----------
    tried : DataFrame
        From `tried`.
    folds : sequence of str
        Out of `FOLDS`.

    Returns
    -------
    DataFrame
        By what it is inferred `from`: the `best` value, and the `low`est and `high`est that are as good; of the other
        half `cells`, and how many are `inside`, `close` and `off` under the best.
    """
    rows = {}
    for fold in folds:
        half = in_fold(tried, fold)
        likelihood = tried.log_likelihood[half].groupby("value").sum()
        best, as_good = likelihood.idxmax(), likelihood.index[likelihood > likelihood.max() - WITHIN]
        counts = tried[~half].loc[best][["cells", "inside", "close"]].sum()
        counts["off"] = counts.cells - counts.inside - counts.close
        rows[fold] = {"best": best, "low": as_good.min(), "high": as_good.max(), **counts}
    return pd.DataFrame.from_dict(rows, orient="index").astype(int).rename_axis("from")


def in_fold(tried, fold):
    """Which rows of `tried` a fold has."""
    if fold in SCHEDULERS:
        return tried.index.isin([fold], level="scheduler")
    odd = tried.index.get_level_values("month").str[-2:].astype(int) % 2 == 1
    return odd if fold == "odd months" else ~odd


# What they explain


def met(trace, policy, scheduler, **shaken):
    """Tell how well the printed months of a scheduler are met, all of them."""
    runs = monthly(trace, policy, **shaken)
    table = published("mualem2001_table1").query("trace == @trace.trace").set_index("month")
    table = table.loc[trace.months[0] : trace.months[1]]
    fits, medians = fit(runs, table, scheduler), runs.median().unstack("metric")
    off = {metric: (medians[metric] / table[f"{scheduler}_{metric}"] - 1).abs().median() for metric in METRICS}
    return fits[["log_likelihood", "inside", "close", "cells"]].sum().to_dict() | off


def spread_out(trace, edges):
    """Forget when lost jobs were submitted, but for the span between two edges in which that was.

    Returns
    -------
    DataFrame
        As from `restore.lost`, a row a user and span; what came before the first or after the last span is in these.
    """
    gaps, log = trace.lost.known_gaps, trace.lost.log.log
    span = np.clip(np.searchsorted(edges, gaps.earliest, side="right") - 1, 0, len(edges) - 2)
    found = gaps.groupby(["user", span]).jobs.sum().rename_axis(["user", "span"]).reset_index()
    first = log.job.max() + 1 + found.jobs.cumsum() - found.jobs  # numbers that no job has
    times = {"earliest": edges[found.span], "latest": edges[found.span + 1]}
    return found.drop(columns="span").assign(first=first, last=first + found.jobs - 1, **times)


def uncalled(trace, lost):
    """Give a log that lost nothing the lost jobs of another one, in the middle of it, as they came there."""
    log, gaps = trace.workload.log, lost.known_gaps
    middle = (log.submit.min() + log.submit.max()) // 2 - gaps.earliest.min()
    first = log.job.max() + 1 + gaps.jobs.cumsum() - gaps.jobs
    moved = gaps.assign(first=first, last=first + gaps.jobs - 1)
    moved[["earliest", "latest"]] = gaps[["earliest", "latest"]] + middle
    return replace(lost, log=trace.workload, gaps=moved, lines=lost.log.log, condition="")
