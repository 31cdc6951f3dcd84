"""How far the scheme of section 6.1 reaches on a log."""

import pandas as pd

from ... import walltime
from . import scheduling


def reach(traces, percentile=85, least_jobs=scheduling.LEAST_JOBS, **options):
    """Work out how far a `scheduling.scheme` reaches on each log, in the log's own times, and under what load.

    The table has by trace its `project` column; the `jobs` and `months` that are simulated, and the mean `load` of
    these months. Of all jobs: `requested_h`, the mean estimate in hours; the mean `r`; the shares that are `lowered`,
    that have `no_history`, and whose A is `at_threshold`; mean `accuracy` before and `accuracy_after`;
    `underestimated`, the share below the run time after adjustment.
    """
    simulated, rows = scheduling.months(traces, least_jobs).query("simulated"), {}
    for trace in traces:
        jobs, own, of_scheme = (
            trace.workload.jobs,
            simulated.loc[trace.name],
            scheduling.scheme(trace, percentile, **options),
        )
        adjusted = walltime.adjusted(jobs, trace.ends, of_scheme)
        row = {"project": trace.project, "jobs": own.jobs.sum(), "months": len(own), "load": own.load.mean()}
        rows[trace.name] = row | {
            "requested_h": jobs.estimate.mean() / 3600,
            "r": walltime.used(jobs.run, jobs.estimate).mean(),
            "lowered": (adjusted.t_sched < jobs.estimate).mean(),
            "no_history": adjusted.a.isna().mean(),
            "at_threshold": (adjusted.a == of_scheme.threshold).mean(),
            "accuracy": walltime.accuracy(trace.t_act, jobs.estimate).mean(),
            "accuracy_after": walltime.accuracy(trace.t_act, adjusted.t_sched).mean(),
            "underestimated": (adjusted.t_sched < trace.t_act).mean(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("trace")
