"""Which log is most like the paper's, and by what (Table 1, section 3)."""

import numpy as np
import pandas as pd

from ... import walltime
from .. import results
from . import printed

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
    "load": "{:.2f}",
}
"""What is compared, and how it is written. The paper does not print a load."""


def likeness(traces):
    """Lay out what logs are beside the paper's: by measure, a column a log, and which of them is `nearest`; all text.

    The nearest is that of the least ratio to the paper's number, or of that to it.
    """
    ours = pd.DataFrame({one.name: _of(one) for one in traces}, FORMS)
    paper = pd.Series(_of_paper()).reindex(ours.index)
    away = np.log(ours.div(paper, axis=0)).abs().dropna()
    every = pd.concat([paper.rename("Tang et al."), ours], axis=1)
    text = pd.DataFrame({name: results.written(of, FORMS[name]) for name, of in every.iterrows()}).T
    return text.assign(nearest=away.idxmin(axis=1)).fillna("")


def _of(trace):
    workload, jobs = trace.workload, trace.workload.jobs
    first, last = jobs.submit.iloc[[0, -1]]
    return {
        "year": int(workload.calendar_month(jobs.submit)[len(jobs) // 2][:4]),
        "processors": workload.procs,
        "jobs a month": len(jobs) / ((last - first) / MONTH),
        "users": jobs.user.nunique(),
        **_of_times(jobs.estimate.mean(), jobs.run.mean()),
        **_of_r(walltime.used(jobs.run, jobs.estimate)),
        "load": workload.load,
    }


def _of_paper():
    paper = printed("table1", "fig1", "fig2", "fig13")
    return {
        "year": 2010,  # in the middle of January 2009 to June 2011
        "processors": CORES * paper.nodes,
        "jobs a month": paper.jobs_a_month,
        "users": paper.users,
        **_of_times(paper.mean_requested, paper.mean_run),
        "mean R": paper.mean_R,
        "jobs with R below 0.2": paper["share_R_below_0.2"],
        "jobs with R below 0.5": paper["share_R_below_0.5"],
        "jobs with R above 0.8": paper["share_R_above_0.8"],
    }


def _of_times(requested, run):
    return {"mean requested time [h]": requested / 3600, "mean run time [h]": run / 3600}


def _of_r(r):
    shares = {"below 0.2": (r < 0.2).mean(), "below 0.5": (r < 0.5).mean(), "above 0.8": (r > 0.8).mean()}
    return {"mean R": r.mean()} | {f"jobs with R {name}": share for name, share in shares.items()}
