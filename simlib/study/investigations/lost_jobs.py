"""The lost jobs: what cleaning took out of three of the paper's logs, when, what it was like, and what it explains.

What is named OWN-07 or the like decides a finding of `data/findings.csv`: see `study.finding`.
"""

from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd

from ...analysis.replicate import replicate
from ...analysis.stats import band
from ...core.schedule import simulate
from ...core.workload import Workload
from ...logs.swf import jobs_of
from ..claims import OPEN, Measure
from ..mualem2001 import METRICS, MOST_MISSING, WHOLE, by_months
from ..mualem2001.restored import Lost
from ..verdicts import RESTORED, SCHEDULERS, published
from .suspects import LEAST, by_place, fit, monthly, printed, verdicts

# When were they submitted?


def counted(traces, policy, **how):
    """Count the jobs of months: printed, of the file, what it lacks, `missing` by their numbers, with them back."""
    back = {name: trace.under(RESTORED) for name, trace in traces.items()}
    of_file, of_restored = (monthly(of, {"jobs": policy}, ["jobs"], **how) for of in (traces, back))
    found = {}
    for name, trace in traces.items():
        months, edges = trace.month_edges
        ours, restored = (runs[name, "jobs"].droplevel("metric", axis=1) for runs in (of_file, of_restored))
        jobs = published("mualem2001_table1").query("trace == @trace.trace").set_index("month").jobs
        table = pd.DataFrame({"published": jobs.reindex(months), "ours": ours.median()})
        known = trace.lost.known_gaps.user.isin([user["user"] for user in trace.lost.users])
        missing = _by_month(trace.lost.known_gaps[known], edges)
        table = table.assign(short=table.published - table.ours, missing=missing)
        found[name] = table.join(band(restored)).rename_axis("month")
    return pd.concat(found, names=["trace"]) if found else pd.DataFrame(columns=["published"])


def _by_month(gaps, edges):
    """Count the lost jobs whose gaps in the numbers begin in each month."""
    return np.histogram(gaps.earliest, edges, weights=gaps.jobs)[0].astype(int)


def counts_are_met(counts, traces):
    """OWN-07: the missing numbers are the jobs that the printed months have and the files lack."""
    if counts.empty:
        return None, NO_CLEANED, {}
    lacking = counts[counts.missing > 0]
    before, after = (lacking[column].sub(lacking.published).abs() for column in ("ours", "median"))
    numbers = {"before": before.median(), "after": after.median()}
    text = "of {} months the median one is {before:.0f} jobs off as filed, and {after:.0f} with the lost jobs back"
    of_logs = {name.lower(): int(trace.lost.known_gaps.jobs.sum()) for name, trace in traces.items()}
    holds = bool((after / lacking.published).median() <= 0.02)
    return holds, text.format(len(lacking), **numbers), numbers | of_logs


NO_CLEANED = "the cleaned logs are missing"

# How long are CM-5's first months?


def orders(trace, policies, lengths=(28, 30, 31, 31, 31), **how):
    """Tell how well every order of the lengths of the first months fits the printed jobs, the best first, and means."""
    if trace is None:
        return None
    months = trace.month_edges[0][: len(lengths)]
    edges = {
        _written(days): (months, replace(trace, begin_on=begin_on(months, days)).month_edges[1][: len(months) + 1])
        for days in sorted(set(permutations(lengths)))
    }
    calendar = _written(pd.Period(month).days_in_month for month in months)
    measure = partial(by_months, {trace.workload.name: edges})
    runs = replicate(trace.workload, policies, measures=measure, as_it_is=False, **how).drop(WHOLE, level="month")
    table, found = printed(trace).loc[months], {}
    for (scheduler, order), part in runs.groupby(level=["policy", "calendar"]):
        by_month = part.droplevel(["policy", "calendar"]).unstack("month").swaplevel(axis=1)
        off = (by_month.mean().unstack() - table)[["jobs", "load"]].abs().sum().add_suffix("_off")
        likelihood = fit(by_month, table, scheduler).log_likelihood.sum()
        found[order, scheduler] = off.to_dict() | {"log_likelihood": likelihood}
    found = pd.DataFrame(found).T.unstack()
    found = found.set_axis(found.columns.map("_".join), axis=1).rename_axis("days")
    return found.assign(calendar=found.index == calendar).sort_values("jobs_off_easy")


def begin_on(months, days):
    """Find the days on which months begin that have so many days, the first on its first."""
    starts = pd.Timestamp(f"{months[0]}-01") + pd.to_timedelta(np.cumsum(days), unit="D")
    return {month: f"{start:%Y-%m-%d}" for month, start in zip(months[1:], starts[:-1], strict=True)}


def _written(days):
    return " ".join(map(str, days))


def order_of_months(orders):
    """OWN-09: CM-5's first five months have 28, 31, 30, 31 and 31 days."""
    if orders is None:
        return None, "the log of CM-5 is missing", {}
    best, second, calendar = orders.iloc[0], orders.iloc[1], orders[orders.calendar].iloc[0]
    more = {name: best[f"log_likelihood_{name}"] - calendar[f"log_likelihood_{name}"] for name in SCHEDULERS}
    text = (
        f"{best.jobs_off_easy:.0f} jobs are off in all by the order {best.name}, {second.jobs_off_easy:.0f} by the "
        f"next best, {calendar.jobs_off_easy:.0f} by the calendar; the means, which had no say, are likelier by "
        f"{min(more.values()):.0f} or more"
    )
    numbers = {"jobs": best.jobs_off_easy, "calendar": calendar.jobs_off_easy}
    return best.name == "28 31 30 31 31" and min(more.values()) > LEAST, text, numbers


# What were they like?

BATCH, A_NIGHT = "user == 5 and queue == 19 and status == 1", 16
"""The Paragon's nightly jobs, as far as they are left, and how many there are a night."""


def nights(trace):
    """Work out the mean run time of the Paragon's nightly jobs, of every night of which some are left."""
    rows = {}
    if trace is not None and trace.lost:
        log = trace.lost.log.log
        begin = (log.submit + log.wait).sort_values()
        end = (begin + log.run.loc[begin.index]).cummax()
        still = pd.DataFrame({"since": end.iloc[:-1].to_numpy(), "until": begin.iloc[1:].to_numpy()})
        still = still[still.until - still.since > 600]  # seconds; less is a pause between jobs
        batch = log.query(BATCH)
        for _, of in batch.groupby((batch.submit.diff() > 12 * 3600).cumsum()):
            of = of.tail(A_NIGHT)
            # they run one after another: the lost ones until the first that is left, but while the machine stood
            lost, start = A_NIGHT - len(of), of.submit.iloc[0] + of.wait.iloc[0]
            first = of.submit.iloc[0] - lost * of.submit.diff().median()
            if lost and of.wait.iloc[0] < 3600:  # it has waited for none
                continue
            stood = (still.until - still.since)[(still.since >= first) & (still.until <= start)].sum() if lost else 0
            whole = of.run.sum() + (start - first - stood if lost else 0)
            night = f"{trace.lost.log.time(of.submit.iloc[0]):%Y-%m-%d}"
            rows[night] = {"left": len(of), "standstill_s": stood, "run_s": whole / A_NIGHT}
    return pd.DataFrame.from_dict(rows, "index", columns=["left", "standstill_s", "run_s"]).rename_axis("night")


def _put_back(trace, lost):
    """The trace with each of several descriptions of its lost jobs, by name."""
    return {name: replace(trace, lost=of, restored=True) for name, of in lost.items()}


def tried(trace, user, field, values, policies, **how):
    """Hold a trace against Table 1, its lost jobs put back by several settings of a user's, by name: `suspects.fit`."""
    if trace is None or not trace.lost:
        return by_place({}, ["value", "scheduler", "month"], ["log_likelihood", "inside", "close", "cells"])
    back = _put_back(trace, {name: trace.lost.with_setting(user, field, value) for name, value in values.items()})
    runs = monthly(back, policies, **how)
    found = {(value, scheduler): fit(of, printed(back[value]), scheduler) for (value, scheduler), of in runs.items()}
    return pd.concat(found, names=["value", "scheduler"])


def across(tried, folds):
    """Infer a setting from each half of the printed numbers, and judge the other half by its best value."""
    rows = {}
    for fold in folds:
        half = in_fold(tried, fold)
        if half.all() or not half.any():  # there is no other
            continue
        likelihood = by_value(tried, fold)
        best, as_good = likelihood.idxmax(), likelihood.index[likelihood > -2]  # nearly as likely
        counts = tried[~half].loc[best][["cells", "inside", "close"]].sum()
        rows[fold] = {"best": best, "low": as_good.min(), "high": as_good.max(), **counts}
    columns = ["best", "low", "high", "cells", "inside", "close"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns).astype(int).rename_axis("from")
    return table.assign(off=table.cells - table.inside - table.close)


def by_value(tried, fold):
    """Tell how likely a fold's printed numbers are by the value of the setting, below the best."""
    likelihood = tried.log_likelihood[in_fold(tried, fold)].groupby("value").sum()
    return likelihood - likelihood.max()


def in_fold(tried, fold):
    """Which rows of `tried` a fold has."""
    if fold not in ("odd months", "even months"):
        return tried.index.isin([fold], level="scheduler")
    odd = tried.index.get_level_values("month").str[-2:].astype(int) % 2 == 1
    return odd if fold == "odd months" else ~odd


# What do they explain?

AS_FILED, PUT_BACK, IN_MONTH = "as filed", "put back", "put back in their months"
ANYWHERE, NEXT_MONTH = "put back at any time", "put back in the next month"
OTHERS, UNCALLED = "put back with other users' run times", "put into a log that lost none"
FALSE = {ANYWHERE: "any_time", NEXT_MONTH: "next_month", OTHERS: "others", UNCALLED: "uncalled"}
"""The cure, what it is held against, a weaker one, and some that must not do as well."""


def cures(traces, policies, **how):
    """Tell how well all printed numbers of months are met as filed, cured and falsely cured."""
    found = {}
    for name in sorted(traces, key=lambda name: bool(traces[name].lost)):  # those that lost none first
        of_trace = _cures(traces[name], traces.get("CTC"))
        runs = monthly(of_trace, policies, **how)
        found |= {(name, s, cure): met(traces[name], s, runs[cure, s]) for cure in of_trace for s in policies}
    return by_place(found, ["trace", "scheduler", "cure"], ["log_likelihood", "inside", "close", "cells", *METRICS])


def _cures(trace, ctc):
    """A trace as filed, and cured; nothing of one that there is nothing to say of."""
    if trace.lost:
        submit = trace.lost.log.log.submit
        spans = {IN_MONTH: trace.month_edges[1], ANYWHERE: submit.agg(["min", "max"]).to_numpy()}
        lost = {PUT_BACK: trace.lost}
        lost |= {cure: replace(trace.lost, gaps=spread_out(trace, edges)) for cure, edges in spans.items()}
        lost[NEXT_MONTH] = replace(trace.lost, gaps=spread_out(trace, trace.month_edges[1], later=1))
        lost[OTHERS] = with_others_run_times(trace.lost)
    elif trace.trace == "KTH" and ctc is not None and ctc.lost:
        lost = {UNCALLED: uncalled(trace, ctc.lost)}
    else:
        return {}
    return {AS_FILED: trace} | _put_back(trace, lost)


def met(trace, scheduler, runs):
    """Tell how well runs meet the printed months of a scheduler, all of them."""
    table = published("mualem2001_table1").query("trace == @trace.trace").set_index("month")
    table = table.loc[trace.months[0] : trace.months[1]]
    medians = runs.median().unstack("metric")
    off = {metric: (medians[metric] / table[f"{scheduler}_{metric}"] - 1).abs().median() for metric in METRICS}
    return fit(runs, table, scheduler).sum().to_dict() | off


def with_others_run_times(lost):
    """Draw the run times of each user's lost jobs from those of all other users' jobs in the log."""
    log = lost.log.log.query(lost.condition) if lost.condition else lost.log.log
    for user in lost.users:
        lost = lost.with_setting(user["user"], "run", log.run[(log.user != user["user"]) & (log.run >= 0)].to_numpy())
    return lost


def spread_out(trace, edges, later=0):
    """Forget when lost jobs were submitted, but for the span between two edges in which that was, or a later one."""
    gaps, log = trace.lost.known_gaps, trace.lost.log.log
    span = np.clip(np.searchsorted(edges, gaps.earliest, side="right") - 1, 0, len(edges) - 2)
    found = gaps.groupby(["user", span]).jobs.sum().rename_axis(["user", "span"]).reset_index()
    first = log.job.max() + 1 + found.jobs.cumsum() - found.jobs  # numbers that no job has
    span = (found.span + later) % (len(edges) - 1)
    times = {"earliest": edges[span], "latest": edges[span + 1]}
    return found.drop(columns="span").assign(first=first, last=first + found.jobs - 1, **times)


def uncalled(trace, lost):
    """Give a log that lost nothing the lost jobs of another one, in the middle of it, as they came there."""
    log, gaps = trace.workload.log, lost.known_gaps
    middle = (log.submit.min() + log.submit.max()) // 2 - gaps.earliest.min()
    first = log.job.max() + 1 + gaps.jobs.cumsum() - gaps.jobs
    moved = gaps.assign(first=first, last=first + gaps.jobs - 1)
    moved[["earliest", "latest"]] = gaps[["earliest", "latest"]] + middle
    return replace(lost, log=trace.workload, gaps=moved, lines=lost.log.log, condition="")


def cured(cures):
    """OWN-08: the cure is likelier than the file, and than false ones."""
    if not {"CTC", "Par", "KTH"} <= set(cures.index.unique("trace")):
        return None, NO_CLEANED, {}
    likelihood = cures.log_likelihood.unstack("cure")
    lost, whole = likelihood.loc[["CTC", "Par"]], likelihood.loc["KTH"]
    gains, worse = lost[PUT_BACK] - lost[AS_FILED], whole[UNCALLED] - whole[AS_FILED]
    of_false = lost[[cure for cure in FALSE if cure != UNCALLED]]
    parts = [gains > LEAST, (-of_false).add(lost[PUT_BACK], axis=0).min(axis=1) > LEAST, -worse > LEAST]
    off = cures.loc["Par"].response_s.groupby("cure").mean()
    shares = of_false.sub(lost[AS_FILED], axis=0).loc["Par"].sum() / gains.loc["Par"].sum()
    numbers = {"before": off[AS_FILED], "after": off[PUT_BACK]} | shares.rename(FALSE).to_dict()
    gained = ", ".join(f"{trace} {scheduler} {gain:+.0f}" for (trace, scheduler), gain in gains.items())
    text = (
        f"log likelihood {gained}; Par's response times are off by {off[AS_FILED]:.1%} as filed, {off[PUT_BACK]:.1%} "
        f"with the jobs back; of Par's gain bring jobs {', '.join(f'{c} {share:.0%}' for c, share in shares.items())}; "
        f"KTH with jobs that it did not lose {', '.join(f'{name} {gain:+.0f}' for name, gain in worse.items())}"
    )
    return all(part.all() for part in parts), text, numbers


# Do the bands of a restored log hold the truth?


def thinned(trace):
    """Take jobs out of a log that lost none, of an hour of the day or of five days, and put them back.

    In either way they are those of the five users who have most then, if five other jobs of theirs are left.
    """
    found = {}
    if trace is None or not len(trace.month_edges[0]):
        return found
    whole, log = trace.workload, trace.workload.log
    hours = pd.Series([whole.time(second).hour for second in log.submit], log.index)
    for name, when in {"hour": hours, "five days": log.submit // (5 * 86400)}.items():
        counts = log.groupby(["user", when.rename("when")]).size()
        fullest = counts.groupby("user").idxmax()
        left = log.user.value_counts() - counts.groupby("user").max()
        most = counts[fullest].droplevel("when")[left >= 5].nlargest(5)
        for user, jobs in most.items():
            place = fullest[user][1]
            out = log[(log.user == user) & (when == place)]
            numbers = f"job>={out.job.min()} and job<={out.job.max()}"
            line = f"user={user} and ({numbers if name != 'hour' else f'hour>={place} and hour<={place}'})"
            kept = log.drop(out.index)
            header = [f"{line} ({jobs} jobs removed)"]
            how = {"start": whole.start, "source": whole.source, "synthetic": whole.synthetic}
            w = Workload(jobs_of(kept), whole.procs, whole.name, header=header, log=kept, **how)
            lost = Lost(w, [{"user": user, "lines": f"user == {user}"}], "", "user")
            found[f"user {user}, {name}"] = replace(trace, workload=w, lost=lost)
    return found


def controls(trace, policies, **how):
    """Count how many true means of months that lack jobs lie in the bands of the log `thinned`, restored, and whole."""
    known, rows = thinned(trace), {}
    kinds = {("", "whole"): trace} if known else {}
    for name, one in known.items():
        kinds |= {(name, "thinned"): one, (name, "back"): one.under(RESTORED)}
    bands = {place: band(of) for place, of in monthly(kinds, policies, **how).items()}
    for scheduler, policy in policies.items() if known else ():
        truth = trace.by_month(simulate(trace.workload, policy))
        for name, one in known.items():
            missing = _by_month(one.lost.known_gaps, trace.month_edges[1]) / truth.jobs
            for month, share in missing[missing > MOST_MISSING].items():
                means = {metric: truth.loc[month, mean] for metric, mean in METRICS.items()}
                row = rows[name, month, scheduler] = {"missing": share, "cells": len(METRICS)}
                for kind, of in {"thinned": name, "back": name, "whole": ""}.items():
                    row[kind] = verdicts(bands[(of, kind), scheduler].loc[month], means)["inside"]
    return by_place(rows, ["taken out", "month", "scheduler"], ["missing", "cells", "thinned", "back", "whole"])


def bands_hold(controls):
    """OWN-51: the bands of restored logs hold nine in ten of the true means, or more."""
    if controls.empty:
        return None, "no log that lost none is at hand", {}
    total = controls.sum(numeric_only=True)
    found = Measure.share(total.back, total.cells)
    holds = True if found.low > 0.9 else False if found.high < 0.9 else OPEN
    text = (
        f"with the jobs back {found.value:.0%} of {total.cells:.0f} true means lie in the bands ({found.low:.0%} to "
        f"{found.high:.0%}); {total.thinned:.0f} in those of the thinned logs, {total.whole:.0f} in those of the log"
    )
    return holds, text, {"share": found.value}
