"""Estimates from earlier runs of the same job (MF section 4.4): how many jobs have them, and how good they are."""

import numpy as np
import pandas as pd

from ..core.estimates import Historical, did_not_complete
from ..policies.walltime import accuracy

# Which earlier runs count?


COUNTS = ("jobs_not_killed", "jobs_with_history", "underestimated", "underestimated_with_history")
"""What the text counts; history is one earlier run or more: information is there."""

WITH_TWO = {"jobs_with_two": COUNTS[1], "underestimated_with_two": COUNTS[3]}
"""The same counts if history is two earlier runs or more, so that there is a standard deviation."""

KINDS = ("two or more earlier runs", "one earlier run", "none: whole workload")

USERS = "users' estimates"


def readings(workload):
    """List ways to read section 4.4: by name, `Historical`, and whether the standard deviation is a sample's."""
    ended = {"ends": workload.ends}
    return {
        "earlier in the log, triple idle for a week": (Historical(), True),
        "... deviation with divisor n": (Historical(), False),
        "... killed jobs recorded too": (Historical(killed=True), True),
        "... a week since the triple's first run": (Historical(since="first"), True),
        "... that, and killed jobs recorded too": (Historical(since="first", killed=True), True),
        "... that, and divisor n": (Historical(since="first", killed=True), False),
        "... nothing discarded": (Historical(stale=np.inf), True),
        "ended before submission, triple idle for a week": (Historical(**ended), True),
        "... deviation with divisor n, ended before": (Historical(**ended), False),
        "... killed jobs recorded too, ended before": (Historical(killed=True, **ended), True),
        "... a week since the triple's first run, ended before": (Historical(since="first", **ended), True),
        "... nothing discarded, ended before": (Historical(stale=np.inf, **ended), True),
    }


def counts(jobs, model, sample=True):
    """Count section 4.4's jobs, with standard deviations of a `sample` (divisor n - 1) or with the divisor n."""
    past = model.past(jobs)
    narrow = [1, 1] if sample else [np.sqrt(1 - 1 / past[n].clip(lower=1)) for n in ("runs", "all_runs")]
    estimate = past["mean"] + model.deviations * narrow[0] * past["sd"]
    estimate = estimate.where(past["runs"] > 0, past["all_mean"] + model.deviations * narrow[1] * past["all_sd"])
    whole = ~did_not_complete(jobs)
    below = whole & (estimate < jobs.run) & (past["all_runs"] > 0)  # the first job has nothing to go by
    one, two = past["runs"] > 0, past["runs"] > 1
    numbers = whole, whole & one, below, below & one, whole & two, below & two
    return pd.Series({name: int(of.sum()) for name, of in zip((*COUNTS, *WITH_TWO), numbers, strict=True)})


def two_in_words(counted, printed):
    """Say how many jobs have history if that is two earlier runs or more."""
    jobs, under, history, own = counted[[COUNTS[0], COUNTS[2], *WITH_TWO]]
    return (
        f"if history is two earlier runs or more, {own:,} ({own / under:.0%}) of the underestimated jobs have it, as "
        f"printed, but {history:,} ({history / jobs:.0%}) of all, in place of {printed[COUNTS[1]]:,.0f}"
    )


def can_be_added(lacking, most):
    """Tell whether the jobs that a file lacks can add what is lacking, by reading and by what is taken for history.

    That is nowhere negative or more than there are jobs, `most`, nor for those without history. The last column takes
    one earlier run for history where jobs are counted, and two where underestimated ones are.
    """
    jobs, under = lacking[COUNTS[0]], lacking[COUNTS[2]]
    one, two = ([lacking[name] for name in names] for names in (WITH_TWO.values(), WITH_TWO))
    senses = {"one run or more": one, "two or more": two, "one, of underestimated ones two": [one[0], two[1]]}
    fits = {name: own.between(0, of) & (under >= own) & (of <= jobs) for name, (of, own) in senses.items()}
    return pd.DataFrame(fits).mul((under <= jobs) & (jobs <= most), axis=0)


# How good are they?


def described(workload, deviations):
    """Describe the jobs that were not killed, by (estimates, job), the users' last: `submit`, `run`, `estimate` [s].

    `used` is 100 run / estimate, and 100 for jobs of no length with an estimate of none; `kind` is out of `KINDS`.
    """
    past = Historical().past(workload.jobs)
    jobs = workload.jobs.assign(kind=np.select([past.runs > 1, past.runs == 1], KINDS[:2], KINDS[2]))
    made = {f"mean + {d:g} standard deviations": Historical(d)(jobs) for d in deviations}
    tables = {name: jobs.assign(estimate=estimate) for name, estimate in made.items()} | {USERS: jobs}
    table = pd.concat(tables, names=["estimates"])[lambda table: ~did_not_complete(table)]
    used = (100 * table.run / table.estimate).where(table.estimate > 0, np.where(table.run > 0, np.inf, 100))
    return table[["submit", "run", "estimate", "kind"]].assign(used=used)


def profile(jobs):
    """Work out what `described` estimates amount to.

    The mean `accuracy`, the smaller over the larger of run time and estimate; the shares of jobs that used
    `under_10`, `over_50` to 100, and more than 100 per cent (`underestimated`); `uneven`, how far the jobs within
    0 to 100 per cent are from an even spread over its tenths (total variation distance, 0 is flat).
    """
    rows = {}
    for name, of in jobs.groupby("estimates", sort=False):
        tenths = np.histogram(of.used, 10, (0, 100))[0] / (of.used <= 100).sum()
        rows[name] = {
            "accuracy": accuracy(of.run, of.estimate).mean(),
            "under_10": (of.used < 10).mean(),
            "over_50": of.used.between(50, 100).mean(),
            "underestimated": (of.used > 100).mean(),
            "uneven": np.abs(tenths - 0.1).sum() / 2,
        }
    return pd.DataFrame(rows).T.rename_axis("estimates")


def profile_in_words(of):
    """Say how the first kind of estimates compares with the users'."""
    own, user = of.iloc[0], of.iloc[-1]
    return (
        f"mean accuracy {own.accuracy:.2f} against {user.accuracy:.2f}; {own.under_10:.0%} of the jobs use less than "
        f"10 % of the estimate against {user.under_10:.0%}; {own.underestimated:.1%} outlive it against "
        f"{user.underestimated:.1%}"
    )


def months_won(workload, jobs):
    """Tell in which months of submission the first kind of estimates is more accurate on average than the users'."""
    month = workload.calendar_month(jobs.submit)
    of_jobs = jobs.assign(accuracy=accuracy(jobs.run, jobs.estimate)).accuracy
    by_month = of_jobs.groupby(["estimates", month]).mean().unstack("estimates")
    return by_month[jobs.index[0][0]] > by_month[USERS]


def losses(workload, kinds):
    """Work out what killing jobs at their estimates costs, by kind of estimates, as `Workload.with_estimates` takes it.

    How many jobs are `killed`, how many of them completed in the log, both also as shares of such jobs; and
    `work_lost`, the share of all processor-seconds that the latter used until they were killed.
    """
    rows = {}
    for name, kind in kinds.items():
        jobs = workload.jobs if kind is None else workload.with_estimates(kind).jobs
        completed, killed = ~did_not_complete(jobs), jobs.run > jobs.estimate
        used = np.minimum(jobs.run, jobs.estimate.clip(lower=0)) * jobs.procs
        rows[name] = {
            "killed": killed.sum(),
            "killed_share": killed.mean(),
            "killed_completed": (killed & completed).sum(),
            "killed_completed_share": killed[completed].mean(),
            "work_lost": used[killed & completed].sum() / used.sum(),
        }
    return pd.DataFrame(rows).T.rename_axis("estimates")
