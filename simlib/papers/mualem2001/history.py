"""Figure 9: estimates made from earlier runs of the same job (section 4.4), and what scheduling would make of them."""

import numpy as np
import pandas as pd

from ...estimates import Historical, did_not_complete
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, cell, claim, published, share_of_wins
from . import METRICS, SCHEDULERS, policies, simulations
from .accuracy import histogram, lines_absent

COUNTS = ("jobs_not_killed", "jobs_with_history", "underestimated", "underestimated_with_history")

KINDS = ("two or more earlier runs", "one earlier run", "none: whole workload")


# The counts, by each reading of the text


def readings(workload):
    """Ways to read section 4.4: options of `estimates.Historical`, and whether the standard deviation is a sample's.

    Returns
    -------
    dict
        By name, a pair of `Historical` and bool.
    """
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
    """Section 4.4's counts over the jobs that were not killed.

    Parameters
    ----------
    jobs : DataFrame
    model : estimates.Historical
    sample : bool
        Whether standard deviations are those of a sample (divisor n - 1), or have the divisor n.

    Returns
    -------
    dict
        `COUNTS`, history being one earlier run or more, and `underestimated_with_two`: with two or more, so that
        there is a standard deviation at all.
    """
    past = model.past(jobs)
    narrow = [1, 1] if sample else [np.sqrt(1 - 1 / past[n].clip(lower=1)) for n in ("runs", "all_runs")]
    estimate = past["mean"] + model.deviations * narrow[0] * past["sd"]
    estimate = estimate.where(past["runs"] > 0, past["all_mean"] + model.deviations * narrow[1] * past["all_sd"])
    kept = ~did_not_complete(jobs)
    below = kept & (estimate < jobs.run) & (past["all_runs"] > 0)  # the first job has nothing to go by
    numbers = kept, kept & (past["runs"] > 0), below, below & (past["runs"] > 0), below & (past["runs"] > 1)
    return {name: int(of.sum()) for name, of in zip((*COUNTS, "underestimated_with_two"), numbers, strict=True)}


def printed_counts(workload):
    """The counts of section 4.4; nan where it is not the CTC log's."""
    numbers = published("mualem2001_section44").set_index("quantity").CTC
    return numbers if workload.name == "CTC-SP2" else numbers * np.nan


def candidates(workload):
    """Section 4.4's counts by every reading, and what the jobs that the file lacks would have to add.

    Returns
    -------
    DataFrame
        By reading: the counts; `add_<count>`, printed less ours (for `underestimated_with_two` the printed number is
        that of the underestimated jobs with history); `possible`: whether the jobs that the file lacks can add all of
        these but `underestimated_with_history`: none negative or more than there are jobs, and the same for those
        with and without history.
    """
    table = pd.DataFrame({name: counts(workload.jobs, *reading) for name, reading in readings(workload).items()}).T
    printed = printed_counts(workload)
    for name in table.columns:
        table[f"add_{name}"] = printed["underestimated_with_history" if name.endswith("two") else name] - table[name]
    jobs, history, under, two = (table[f"add_{name}"] for name in (*COUNTS[:3], "underestimated_with_two"))
    fits = [two.between(0, history), (under - two) >= 0, under <= jobs, history <= jobs, jobs <= lines_absent(workload)]
    return table.assign(possible=np.all(fits, axis=0)).rename_axis("reading")


# Figure 9


def described(jobs, deviations=(1.5, 3), model=Historical):
    """The jobs that were not killed under each kind of estimate, for histograms and scatter plots.

    Returns
    -------
    dict
        By name of the estimates, the users' last: a DataFrame with `run`, `estimate` (seconds), `used` (100 run /
        estimate; 100 for jobs of no length with an estimate of none), `kind` out of `KINDS`, `submit`.
    """
    kept = jobs[~did_not_complete(jobs)]
    past = model().past(jobs).loc[kept.index]
    kind = np.select([past["runs"] > 1, past["runs"] == 1], KINDS[:2], KINDS[2])
    made = {f"mean + {d:g} standard deviations": model(deviations=d)(jobs) for d in deviations}
    made["users' estimates"] = jobs.estimate
    tables = {}
    for name, estimate in made.items():
        estimate = estimate.loc[kept.index]
        used = np.where(kept.run > 0, np.inf, 100.0)
        used[estimate > 0] = (100 * kept.run / estimate)[estimate > 0]
        columns = {"submit": kept.submit, "run": kept.run, "estimate": estimate, "used": used, "kind": kind}
        tables[name] = pd.DataFrame(columns)
    return tables


def figure9(tables, top=200):
    """The histograms of the used share of each kind of estimate; the last bin holds what is above."""
    every = {name: histogram(jobs, top).reindex(columns=KINDS, fill_value=0.0) for name, jobs in tables.items()}
    return pd.concat(every, names=["estimates"])


def accuracy(used):
    """How near an estimate is to the run time, 1 being exact: the smaller of the two over the larger."""
    share = used / 100
    return np.minimum(share, 1 / share.where(share > 0, np.inf))


def profile(tables):
    """What the histograms amount to.

    Returns
    -------
    DataFrame
        By estimates: mean `accuracy`; the shares of jobs that used `under_10`, `over_50` to 100, and more than 100
        per cent (`underestimated`); `uneven`, how far the jobs within 0 to 100 per cent are from an even spread over
        its tenths (total variation distance, 0 is flat).
    """
    rows = {}
    for name, jobs in tables.items():
        tenths = np.histogram(jobs.used, 10, (0, 100))[0] / (jobs.used <= 100).sum()
        rows[name] = {
            "accuracy": accuracy(jobs.used).mean(),
            "under_10": (jobs.used < 10).mean(),
            "over_50": jobs.used.between(50, 100).mean(),
            "underestimated": (jobs.used > 100).mean(),
            "uneven": np.abs(tenths - 0.1).sum() / 2,
        }
    return pd.DataFrame(rows).T.rename_axis("estimates")


def months_more_accurate(workload, one, other):
    """In how many months of submission one kind of estimate is more accurate on average than another."""
    month = workload.calendar_month(one.submit)
    means = pd.DataFrame({"one": accuracy(one.used), "other": accuracy(other.used)}).groupby(month).mean()
    return share_of_wins((means.one > means.other).sum(), len(means))


# Scheduling


def kinds_of_estimates(workload, deviations=(1.5, 3)):
    """The workload with the users' estimates and with historical ones, from runs that had ended in the log's times."""
    known = workload.ends
    made = {f"history {d:g} sd": workload.with_estimates(Historical(d, ends=known)) for d in deviations}
    return {"user": workload} | made


def losses(workloads):
    """What killing jobs at their estimates costs.

    Returns
    -------
    DataFrame
        By estimates: `killed` jobs, whose run time is above the estimate; `killed_completed`, those of them that
        completed in the log; both as shares `_share` of the jobs; `work_lost`, the share of all processor-seconds
        that the latter used until they were killed.
    """
    rows = {}
    for name, workload in workloads.items():
        jobs = workload.jobs
        killed = jobs.run > jobs.estimate
        in_vain = killed & ~did_not_complete(jobs)
        used = np.minimum(jobs.run, jobs.estimate.clip(lower=0)) * jobs.procs
        rows[name] = {
            "killed": killed.sum(),
            "killed_share": killed.mean(),
            "killed_completed": in_vain.sum(),
            "killed_completed_share": in_vain.sum() / (~did_not_complete(jobs)).sum(),
            "work_lost": used[in_vain].sum() / used.sum(),
        }
    return pd.DataFrame(rows).T.rename_axis("estimates")


def runs(workloads, seeds=range(10), shake_s=60, rules=None, executor=None):
    """Simulate with every kind of estimate, as the log is (seed None) and shaken, overruns extended and killed.

    Returns
    -------
    DataFrame
        A row a simulation: overrun, estimates, seed, scheduler (with its variants), response_s, bounded_slowdown.
    """
    rules = rules or policies()
    cases = {}
    for name, workload in workloads.items():
        for seed in (None, *seeds):
            shaken = workload if seed is None else workload.shake(shake_s, seed)
            for overrun in ("extend", "kill"):
                for scheduler, policy in rules.items():
                    cases[overrun, name, seed, scheduler] = shaken, policy, overrun
    return simulations(cases, ["overrun", "estimates", "seed", "scheduler"], executor)


def summary(results):
    """Scheduling results by kind of estimates, with their spread over shakes.

    Returns
    -------
    DataFrame
        By scheduler, metric, overrun and estimates: `ours` and `variant` (the log as it is), their standard
        deviations over shakes `sd`, `variant_sd`; `change` and `variant_change` against the users' estimates, the
        mean over shakes of the relative difference between runs with the same shake, and its standard deviation
        `change_sd`, `variant_change_sd`.
    """
    rows = {}
    for scheduler in SCHEDULERS:
        for prefix, name in (("", scheduler), ("variant_", f"{scheduler}_variant")):
            of = results[results.scheduler == name]
            for metric in METRICS:
                for overrun, part in of.groupby("overrun", sort=False):
                    for estimates, values in _by_seed(part, metric).items():
                        row = rows.setdefault((scheduler, metric, overrun, estimates), {})
                        row |= {f"{prefix}{key}": value for key, value in values.items()}
    index = pd.MultiIndex.from_tuples(rows, names=["scheduler", "metric", "overrun", "estimates"])
    return pd.DataFrame(list(rows.values()), index=index).rename(columns={"variant_ours": "variant"})


def _by_seed(part, metric):
    whole = part[part.seed.isna()].set_index("estimates")[metric]
    shaken = part[part.seed.notna()].pivot(index="seed", columns="estimates", values=metric)
    change = shaken.div(shaken.user, axis=0) - 1
    return {
        name: {
            "ours": whole[name],
            "sd": shaken[name].std(),
            "change": change[name].mean(),
            "change_sd": change[name].std(),
        }
        for name in whole.index
    }


# Verdicts


def claims(workload, numbers, shape, wins, lost):
    """Decide claims MF-33 to MF-35 and MF-40 from the CTC log.

    Parameters
    ----------
    workload : Workload
    numbers : dict
        From `counts`.
    shape : DataFrame
        From `profile`: historical estimates with 1.5 and 3 standard deviations, then the users'.
    wins : dict
        From `months_more_accurate`: historical against users' estimates.
    lost : DataFrame
        From `losses`: the users' estimates, then historical ones with 1.5 standard deviations.
    """
    if workload.name != "CTC-SP2":
        return [claim(f"MF-{number}", UNTESTED, "the CTC log is not at hand") for number in (33, 34, 35, 40)]
    return [_counts(numbers), _three(shape), _profile(shape, wins), _feasible(lost)]


def _feasible(lost):
    """Of the jobs that completed, more than a tenth would be killed, and more than twice as many as by users' own."""
    user, own = lost.killed_completed_share.iloc[:2]
    text = f"of the completed jobs {own:.1%} would be killed, with the users' estimates {user:.1%}"
    return claim("MF-40", REPRODUCED if own > 0.1 and own > 2 * user else NOT, text)


def _counts(numbers):
    """Both shares of the jobs within a percentage point, and 45 to 55 per cent of the underestimated have history."""
    jobs, history, under, own, two = numbers.values()
    shares = history / jobs, under / jobs
    printed = published("mualem2001_section44").set_index("quantity").CTC
    wanted = printed[["jobs_with_history", "underestimated"]] / printed.jobs_not_killed
    near = [abs(share - printed_share) <= 0.01 for share, printed_share in zip(shares, wanted, strict=True)]
    half = 0.45 <= own / under <= 0.55
    verdict = REPRODUCED if all(near) and half else PARTLY if any(near) else NOT
    text = (
        f"of {jobs:,} jobs {shares[0]:.1%} have history, {shares[1]:.1%} are underestimated; of these "
        f"{own / under:.0%} have one earlier run or more, {two / under:.0%} two or more"
    )
    return claim("MF-33", verdict, text)


def _three(shape):
    few, many = shape.iloc[0], shape.iloc[1]
    lower, flatter = many.underestimated < few.underestimated, many.uneven < few.uneven
    text = (
        f"underestimated {few.underestimated:.1%} with 1.5, {many.underestimated:.1%} with 3 standard deviations; "
        f"distance of the tenths from an even spread {few.uneven:.2f} and {many.uneven:.2f}; mean accuracy "
        f"{few.accuracy:.2f} and {many.accuracy:.2f}"
    )
    return claim("MF-34", REPRODUCED if lower and flatter else PARTLY if lower or flatter else NOT, text)


def _profile(shape, wins):
    """More accurate in more months than could be chance, and more jobs that use half of their estimate or more."""
    own, user = shape.iloc[0], shape.iloc[-1]
    better = [wins["low"] > 0.5, own.over_50 > user.over_50]
    text = (
        f"mean accuracy {own.accuracy:.2f} against {user.accuracy:.2f}, higher in {wins['wins']} of {wins['of']} "
        f"months; {own.over_50:.0%} of the jobs use 50 to 100 % of the estimate against {user.over_50:.0%}, "
        f"{own.under_10:.0%} less than 10 % against {user.under_10:.0%}; but {own.underestimated:.1%} outlive it "
        f"against {user.underestimated:.1%}"
    )
    return claim("MF-35", REPRODUCED if all(better) else PARTLY if any(better) else NOT, text)


def cells(numbers, workload):
    """The printed counts beside ours, judged, for the exhibit's record."""
    printed = printed_counts(workload).dropna()
    ours = numbers | {COUNTS[3]: numbers["underestimated_with_two"]}
    note = {COUNTS[3]: "two or more earlier runs", COUNTS[1]: "one earlier run or more"}
    return [
        cell({"trace": "CTC", "quantity": name}, int(printed[name]), ours[name], note=note.get(name, ""))
        for name in COUNTS
        if name in printed
    ]
