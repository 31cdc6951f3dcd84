"""The accuracy of the users' run-time estimates."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from .._util.words import time
from ..analysis.size_classes import class_name, size_class
from ..core.workload import Workload
from ..plots.style import COLOURS, stamp
from ..policies.walltime import used
from .policies import requested
from .sentences import share
from .wait_times import SIZE

_FEWEST = 30
"""Of a size class with fewer jobs quartiles would be single jobs."""

_FEW = 0.05

_FULL = 0.99
"""From this share of the request on a job used all of it, or was killed for it."""


def use(workload: Workload) -> pd.DataFrame | None:
    """Make a table of the share of the requested time that jobs use, over all and by size class.

    Returns
    -------
    DataFrame or None
        None where no job has a request.

    Examples
    --------
    >>> w = Workload.of("three jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 50, 2), C=(2, 8, 8, 2))
    >>> use(w)[["jobs", "median share used"]].to_dict("index")["all"]
    {'jobs': '3', 'median share used': '50 %'}
    """
    jobs = workload.jobs[requested(workload)]
    if jobs.empty:
        return None
    classes = size_class(jobs.procs)
    groups = {"all": jobs} | {class_name(int(upper)): jobs[classes == upper] for upper in np.unique(classes)}
    groups = {name: part for name, part in groups.items() if name == "all" or len(part) >= _FEWEST}
    table = pd.DataFrame.from_dict({name: _use(part) for name, part in groups.items()}, orient="index")
    return table.assign(**{"no estimate": [share(1 - len(jobs) / len(workload)), *[""] * (len(table) - 1)]})


def _use(jobs: pd.DataFrame) -> dict[str, str]:
    """A row of the table."""
    part = used(jobs.run, jobs.estimate)
    low, median, high = np.quantile(part, [0.25, 0.5, 0.75])
    return {
        "jobs": f"{len(jobs):,}",
        "median request": time(float(jobs.estimate.median()), short=True),
        "median run": time(float(jobs.run.median()), short=True),
        "a quarter uses at most": share(low),
        "median share used": share(median),
        "a quarter uses at least": share(high),
        "use all": share((part >= _FULL).mean()),
        "ran longer": share((jobs.run > jobs.estimate).mean()),
    }


def use_picture(workload: Workload) -> Figure | None:
    """Draw the distribution of the share of the requested time that jobs use; None if no job has a request.

    Examples
    --------
    >>> use_picture(Workload.of("one job", 4, A=(0, 10, 20, 3))).axes[0].get_xlabel()
    'share of the requested time that was used'
    """
    jobs = workload.jobs[requested(workload)]
    if jobs.empty:
        return None
    part = used(jobs.run, jobs.estimate)
    figure, ax = plt.subplots(figsize=SIZE)
    ax.hist(
        part,
        bins=np.linspace(0, 1, 21).tolist(),
        weights=np.full(len(part), 1 / len(part)),
        color=COLOURS[0],
        rwidth=0.9,
    )
    ax.axvline(float(np.median(part)), color="black", linestyle="--", linewidth=1.2)
    half = f"half of the jobs use no more than {share(float(np.median(part)))}"
    ax.set_title(f"{half} (dashed)")
    ax.set(xlim=(0, 1), xlabel="share of the requested time that was used", ylabel="jobs")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1, decimals=0))
    if workload.stand_in:
        stamp(figure)
    figure.set_label(f"{workload.name}: how jobs are spread over the share of their requested time; {half}")
    plt.close(figure)
    return figure


def use_said(workload: Workload) -> list[str]:
    """Say how good the estimates are.

    Examples
    --------
    >>> use_said(Workload.of("three jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 50, 2), C=(2, 8, 8, 2)))[0]
    'Half of the jobs use no more than 50 % of the time they ask for, a quarter no more than 30 %, ...'
    """
    if not len(workload):
        return ["Nothing can be said of estimates: no job takes part."]
    has = requested(workload)
    if not has.any():
        return [
            "The log has no estimates: each job's run time stands in as a perfect one. So nothing can be said of how "
            "good they are, and what backfills is judged as if users knew their run times."
        ]
    jobs = workload.jobs[has]
    part = used(jobs.run, jobs.estimate)
    low, median, high = (share(quartile) for quartile in np.quantile(part, [0.25, 0.5, 0.75]))
    longer = (jobs.run > jobs.estimate).mean()
    sentences = [
        f"Half of the jobs use no more than {median} of the time they ask for, a quarter no more than {low}, a "
        f"quarter {high} or more.",
        f"{share((part >= _FULL).mean())} use {share(_FULL)} or more of it; {share(longer)} ran longer than they had "
        "asked for, and here their run time counts as their estimate.",
    ]
    if not has.all():
        sentences.append(
            f"{(~has).sum():,} of {len(has):,} jobs ({share((~has).mean())}) have no request: their run time stands in "
            "as a perfect estimate."
        )
    return sentences


def missing(workload: Workload) -> list[str]:
    """Say how many jobs have no estimate, so that the run time replaces it, if they are more than a twentieth.

    Examples
    --------
    >>> missing(Workload.of("one job", 4, A=(0, 10, 10, 3)))
    ['100 % of the jobs have no estimate: their run time stands in, as if users knew it.']
    """
    without = float((~requested(workload)).mean()) if len(workload) else 0.0
    if without <= _FEW:
        return []
    return [f"{share(without)} of the jobs have no estimate: their run time stands in, as if users knew it."]
