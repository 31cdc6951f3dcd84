"""Tables 1 and 2, Figures 1 and 2: how inaccurate the users' estimates are (sections 3 and 4.1)."""

import numpy as np
import pandas as pd
import scipy

from ...analysis.stats import cluster_means
from ...core.estimates import did_not_complete
from ...policies import walltime
from .. import results
from ..claims import NOTHING, Measure
from . import KEY_NAMES, printed

WEEK = 7 * 86400
NEAR_1 = 0.99
"""From which on R is close to 1, which the paper does not say."""


def used(trace):
    """Work out R of each job (equation 1), as a Series."""
    jobs = trace.workload.jobs
    return pd.Series(walltime.used(jobs.run, jobs.estimate), jobs.index, name="R")


# Which log is most like the paper's, and by what (Table 1, section 3)


MONTH = 365.25 / 12 * 86400
CORES = 4
"""Of a node of Intrepid, a Blue Gene/P."""

FORMS = {
    "year": "{:.0f}",
    "processors": "{:,.0f}",
    "jobs a month": "{:,.0f}",
    "users": "{:.0f}",
    "mean requested time [h]": "{:.1f}",
    "mean run time [h]": "{:.1f}",
    "mean R": "{:.2f}",
    "jobs with R below 0.2": "{:.0%}",
    "jobs with R below 0.5": "{:.0%}",
    "jobs with R above 0.8": "{:.0%}",
    "largest distance of these three": "{:.0%}",
    "load": "{:.2f}",
}
"""What is compared, and how it is written. The paper does not print a load."""


def likeness(traces):
    """Lay out what logs are beside the paper's: one row per measure, one column per log, and the `nearest`; all text.

    The nearest is that of the least ratio to the paper's number, or of that to it.
    """
    ours = pd.DataFrame({one.name: _of(one) for one in traces}, FORMS)
    printed_of = printed("table1", "fig1", "fig2", "fig13")
    paper = {
        "year": 2010,  # in the middle of January 2009 to June 2011
        "processors": CORES * printed_of.nodes,
        "jobs a month": printed_of.jobs_a_month,
        "users": printed_of.users,
        "mean requested time [h]": printed_of.mean_requested / 3600,
        "mean run time [h]": printed_of.mean_run / 3600,
        "mean R": printed_of.mean_R,
        "jobs with R below 0.2": printed_of["share_R_below_0.2"],
        "jobs with R below 0.5": printed_of["share_R_below_0.5"],
        "jobs with R above 0.8": printed_of["share_R_above_0.8"],
    }
    paper = pd.Series(paper).reindex(ours.index)
    with np.errstate(divide="ignore"):  # of a log of which nothing is below a limit
        away = np.log(ours.div(paper, axis=0)).abs().dropna()
    every = pd.concat([paper.rename("Tang et al."), ours], axis=1)
    text = pd.DataFrame({name: results.written(of, FORMS[name]) for name, of in every.iterrows()}).T
    return text.assign(nearest=away.idxmin(axis=1)).fillna("").rename_axis("measure")


def _of(trace):
    """What is compared, of a log."""
    workload, jobs = trace.workload, trace.workload.jobs
    first, last = jobs.submit.iloc[[0, -1]]
    r = walltime.used(jobs.run, jobs.estimate)
    return {
        "year": int(workload.calendar_month(jobs.submit)[len(jobs) // 2][:4]),
        "processors": workload.procs,
        "jobs a month": len(jobs) / ((last - first) / MONTH),
        "users": jobs.user.nunique(),
        "mean requested time [h]": jobs.estimate.mean() / 3600,
        "mean run time [h]": jobs.run.mean() / 3600,
        "mean R": r.mean(),
        "jobs with R below 0.2": (r < 0.2).mean(),
        "jobs with R below 0.5": (r < 0.5).mean(),
        "jobs with R above 0.8": (r > 0.8).mean(),
        "largest distance of these three": unlike(trace),
        "load": workload.load,
    }


# Table 1, Figures 1 and 2


def quarter_of(trace):
    """The quarter of the log's calendar in which each job was submitted, such as "1998 Q3"."""
    number, months = pd.factorize(trace.workload.calendar_month(trace.workload.jobs.submit))  # jobs are many
    return pd.PeriodIndex(months, freq="M").asfreq("Q").strftime("%Y Q%q").take(number)


def quarter_means(trace, least_jobs, resamples, seed):
    """Average R over the jobs of each quarter, a column each, with a bootstrap over the log's weeks, a row a resample.

    A quarter with fewer jobs is left out.
    """
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


def _counted(r):
    """Which jobs count for which of the `SHARES`, by their R."""
    return pd.DataFrame({"below half": r < 0.5, "below a fifth": r < 0.2, "above 80 per cent": r > 0.8})


def shares_used(trace, resamples, seed):
    """Measure the shares of the jobs by how much of their requested time they use, with a bootstrap over users."""
    of = _counted(used(trace))
    by_user = of.groupby(trace.workload.jobs.user)
    shares = cluster_means(by_user.sum(), by_user.size(), resamples, seed)
    return {part: Measure.spread(shares[part]) for part in of}


def unlike(trace):
    """Tell how unlike Intrepid's users a log's are: the largest distance of its `SHARES` from the printed ones."""
    paper = printed("fig1")
    return max(abs(share - paper[SHARES[part]]) for part, share in _counted(used(trace)).mean().items())


def killed_near_1(trace, resamples, seed):
    """Measure which share of the jobs with R close to 1 did not complete; nothing where a log has no status."""
    jobs = trace.workload.jobs
    near = (used(trace) >= NEAR_1) & (jobs.status != -1)
    counts = pd.DataFrame({"killed": near & did_not_complete(jobs), "near": near}).groupby(jobs.user).sum()
    counts = counts[counts.near > 0]
    if counts.empty:
        return NOTHING
    return Measure.spread(cluster_means(counts[["killed"]], counts.near, resamples, seed)["killed"])


# Table 2


def groups(trace, key):
    """Take the jobs in groups with the same key, or "all": `std` of R, `size`, and the first of its `circles`."""
    jobs = trace.workload.jobs
    columns = [] if key == "all" else walltime.Scheme(key, project=trace.project).columns
    of = pd.DataFrame({"r": used(trace), "circle": circles(trace)}).groupby(
        [jobs[column] for column in columns] or np.zeros(len(jobs))
    )
    return of.r.agg(["std", "size"]).assign(circle=of.circle.first())


def scatter_within(trace, least, resamples, seed, keys=tuple(KEY_NAMES)):
    """Average the standard deviation of R over the groups of "all" and each key: by replication, a column each.

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
    return pd.DataFrame(found).rename_axis("replication")


def circles(trace):
    """Number the circles of users, by job: two who share a project are in one, and whoever shares one with either."""
    jobs = trace.workload.jobs
    user, project = (pd.factorize(jobs[column])[0].astype(np.int32) for column in ("user", trace.project))
    count = user.max() + project.max() + 2
    links = scipy.sparse.coo_array((np.ones(len(jobs)), (user, user.max() + 1 + project)), shape=(count, count))
    return pd.Series(scipy.sparse.csgraph.connected_components(links)[1][user], jobs.index, name="circle")


def mean_distance(trace, least, resamples, seed):
    """Work out how far the average of R over the similar earlier jobs is from its median, a mean over the jobs.

    Similar by the triple key, of which there must be `least`. By replication: a bootstrap over users.
    """
    jobs = trace.workload.jobs
    scheme = walltime.Scheme(window=None, percentile=50, least=least, project=trace.project)
    median = walltime.parameters(jobs, trace.ends, [scheme])[scheme]
    distance = (earlier_average(jobs, trace.ends, scheme.columns) - median).abs().groupby(jobs.user)
    return cluster_means(distance.sum().to_frame("mean"), distance.count(), resamples, seed)["mean"]


def earlier_average(jobs, ends, columns):
    """Average R over the jobs with the same key that had ended when a job was submitted; nan where there is none."""
    group, end = jobs.groupby(columns).ngroup().to_numpy(), ends.loc[jobs.index].to_numpy()
    span = end.max() + 1  # so that group and second make one number, in whose order the jobs of a group end
    ended = group * span + end
    order = np.argsort(ended)
    total = np.append(0, np.cumsum(walltime.used(jobs.run, jobs.estimate)[order]))
    first, past = (np.searchsorted(ended[order], group * span + second) for second in (0, jobs.submit.to_numpy()))
    with np.errstate(invalid="ignore"):
        return pd.Series((total[past] - total[first]) / (past - first), jobs.index)
