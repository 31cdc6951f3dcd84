"""What was recorded, what policies would do, and why the two differ."""

import warnings
from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from .._util.words import duration, per_cent
from ..analysis.cases import Case
from ..analysis.size_classes import cumulative
from ..core.schedule import Schedule, simulate
from ..core.sweeps import sweep
from ..core.workload import Workload
from ..logs.schedules import excess, recorded
from ..logs.swf import LogWarning
from ..plots.panels import legend, log_time_axis
from ..plots.style import COLOURS, stamp
from .sentences import digits, share

RECORDED = "recorded"

_MINUTE = 60

_FEW = 0.05
"""Where no larger share of the jobs waits at all, and these so little that the mean is below a minute, is no queue."""


def schedules(workload: Workload, cases: Mapping[str, Case]) -> dict[str, Schedule]:
    """Take what was recorded as a schedule, and simulate policies.

    Returns
    -------
    dict of str to Schedule
        First `RECORDED`, of the jobs whose waits are known, where there are any; then the policies. Empty for no job.

    Examples
    --------
    >>> import simlib
    >>> list(schedules(simlib.load("sample"), {"EASY": simlib.EASY()}))
    ['EASY']
    """
    if not len(workload):
        return {}
    happened = _happened(workload)
    made = sweep(simulated, [(workload, case) for case in cases.values()], label="policies")
    return ({} if happened is None else {RECORDED: happened}) | dict(zip(cases, made, strict=True))


def _happened(workload: Workload) -> Schedule | None:
    """What was recorded of the jobs whose waits are known; None where no wait is."""
    known = _known(workload)
    if not known.any():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)  # why_recorded_differ says it
        return recorded(workload if known.all() else workload.select(known))


def _known(workload: Workload) -> np.ndarray:
    """Which jobs' waits are recorded."""
    if workload.log is None:
        return np.zeros(len(workload), bool)
    return (workload.log.wait.loc[workload.jobs.index] >= 0).to_numpy()


def simulated(workload: Workload, case: Case) -> Schedule:
    """Simulate a policy, or a policy with its estimates."""
    policy, how = case if isinstance(case, tuple) else (case, None)
    return simulate(workload if how is None else workload.with_estimates(how), policy)


def has_queue(schedule: Schedule) -> bool:
    """Tell whether jobs wait: more than `_FEW` of them, or so long that the mean wait is a minute or more.

    Examples
    --------
    >>> import simlib
    >>> two, one = {"A": (0, 10, 20, 3), "B": (1, 5, 8, 2)}, {"A": (0, 10, 20, 3)}
    >>> [has_queue(simulated(Workload.of("jobs", 4, **jobs), simlib.EASY())) for jobs in (two, one)]
    [True, False]
    """
    wait = schedule.column("wait")
    return bool(len(wait)) and bool((wait > 0).mean() > _FEW or wait.mean() >= _MINUTE)


def waits(made: Mapping[str, Schedule]) -> pd.DataFrame | None:
    """Tell how long jobs waited and would have waited, as a table for readers; None where there is nothing.

    Examples
    --------
    >>> import simlib
    >>> waits(schedules(simlib.load("sample"), {"EASY": simlib.EASY()})).loc["EASY", "mean wait"]
    '2.4 h'
    """
    rows = {}
    for name, schedule in made.items():
        summary = schedule.summary(percentiles=True)
        rows[name] = {
            "jobs": f"{summary.jobs:,.0f}",
            "mean wait": duration(summary.mean_wait),
            "median wait": duration(summary.median_wait),
            "95 % wait at most": duration(summary.p95_wait),
            "mean response": duration(summary.mean_response),
            "mean bounded slowdown": f"{summary.mean_bounded_slowdown:,.1f}",
        }
    return pd.DataFrame.from_dict(rows, orient="index") if rows else None


def waits_picture(made: Mapping[str, Schedule]) -> Figure | None:
    """Draw which share of the jobs waits for no longer than each time; None where there is nothing.

    Examples
    --------
    >>> import simlib
    >>> figure = waits_picture(schedules(simlib.load("sample"), {"EASY": simlib.EASY()}))
    >>> figure.axes[0].get_ylabel()
    'jobs that wait for no longer'
    """
    if not made:
        return None
    longest = max(int(schedule.column("wait").max(initial=0)) for schedule in made.values())
    seconds = np.unique(np.geomspace(1, max(longest, _MINUTE), 300).astype(np.int64))
    figure, ax = plt.subplots(figsize=(8, 4))
    policies = [name for name in made if name != RECORDED]
    styles: dict[str, dict[str, Any]] = {
        name: {"color": colour} for name, colour in zip(policies, COLOURS * 3, strict=False)
    }
    styles |= {RECORDED: {"color": "black", "linestyle": "--"}} if RECORDED in made else {}
    for name, schedule in made.items():
        ax.plot(seconds, cumulative(schedule.column("wait"), seconds), linewidth=1.6, **styles[name])
    ax.set(xlim=(1, seconds[-1]), ylim=(0, 1.01), xlabel="wait", ylabel="jobs that wait for no longer")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    log_time_axis(ax)
    legend(figure, {name: {"linewidth": 1.8, **styles[name]} for name in made}, ncols=min(len(made), 5))
    if next(iter(made.values())).workload.stand_in:
        stamp(figure)
    log = next(iter(made.values())).workload.name
    figure.set_label(f"{log}: which share of the jobs waits for no longer than each time, {', '.join(made)}")
    plt.close(figure)
    return figure


def waits_said(made: Mapping[str, Schedule]) -> list[str]:
    """Say how long jobs waited by the log, and under each policy, or that there is no queue under the first.

    Examples
    --------
    >>> waits_said({})
    ['Nothing was recorded, and nothing can be simulated: no job takes part.']
    """
    if not made:
        return ["Nothing was recorded, and nothing can be simulated: no job takes part."]
    summaries = {name: schedule.summary(percentiles=True) for name, schedule in made.items()}
    policies = [name for name in summaries if name != RECORDED]
    if policies and not has_queue(made[policies[0]]):
        wait = (made[policies[0]].column("wait") > 0).mean()
        return [
            *(f"{_under(name)}, {_wait(summaries[name])}." for name in summaries if name == RECORDED),
            f"This machine has no queue: under {policies[0]} {share(wait)} of the jobs wait at all, and the mean "
            f"wait is {duration(summaries[policies[0]].mean_wait)}. There is nothing that another policy, or other "
            "estimates, could make better, so none are compared.",
        ]
    sentences = [f"{_under(name)}, {_wait(one)}." for name, one in summaries.items()]
    if RECORDED in summaries and policies and summaries[RECORDED].mean_wait > 0:
        first = policies[0]
        longer = summaries[first].mean_wait / summaries[RECORDED].mean_wait - 1
        how = per_cent(abs(longer)).removeprefix("+") + (" shorter than" if longer < 0 else " longer than")
        how = "hardly anything of" if longer <= -0.9995 else how
        sentences.append(f"The mean wait under {first} is {how} the recorded one.")
    return sentences


def _under(name: str) -> str:
    return "By the log's own times" if name == RECORDED else f"Under {name}"


def _wait(summary: pd.Series) -> str:
    """Say mean and median of a summary."""
    half, most = (
        f"no longer than {duration(wait)}" if wait else "not at all" for wait in (summary.median_wait, summary.p95_wait)
    )
    return f"jobs wait {duration(summary.mean_wait)} on average, half of them {half} and 95 % {most}"


def why_recorded_differ(workload: Workload) -> list[str]:
    """Say why recorded waits are not those of a policy: in general, and what of it this log shows.

    Examples
    --------
    >>> why_recorded_differ(Workload.of("one job", 4, A=(0, 10, 20, 3)))
    ['No wait is recorded, so what happened cannot be held against the policies.']
    """
    known = _known(workload)
    if not known.any():
        return ["No wait is recorded, so what happened cannot be held against the policies."]
    sentences = [
        "Recorded and simulated waits are different things: limits of users and queues, holds, jobs that wait for "
        "others, reservations and outages are in the recorded ones, and in no log.",
    ]
    if not known.all():
        sentences.append(
            f"Of {(~known).sum():,} of the {len(known):,} jobs the wait is not known: what was recorded is said of "
            "the others."
        )
    happened = _happened(workload)
    assert happened is not None
    return sentences + _rules(workload) + _idle(happened) + _beyond(happened)


def _rules(workload: Workload) -> list[str]:
    """Of the queues and partitions that may have had limits."""
    assert workload.log is not None
    columns = {"queues": workload.jobs.queue, "partitions": workload.log.partition.loc[workload.jobs.index]}
    counts = {name: values[values >= 0].nunique() for name, values in columns.items()}
    several = [f"{count} {name}" for name, count in counts.items() if count > 1]
    return [f"The log has {' and '.join(several)}, and says nothing of their limits."] if several else []


def _idle(happened: Schedule) -> list[str]:
    """Of jobs that waited although there was room, and of a machine that stood empty."""
    jobs, steps = happened.jobs, happened.utilization()
    times, busy = steps.index.to_numpy(), steps.to_numpy()
    waited = (jobs.wait > _MINUTE).to_numpy()
    sentences = []
    if waited.any():
        at = np.searchsorted(times, jobs.submit.to_numpy(), side="right") - 1
        idle = np.where(at >= 0, 1 - busy[np.maximum(at, 0)], 1) * happened.workload.procs
        fits = (idle >= jobs.procs.to_numpy() - 1e-6)[waited].mean()
        sentences.append(
            f"Of the {waited.sum():,} jobs that waited for more than a minute {share(fits)} came when enough "
            "processors for them were idle, by the log's own times: they stood behind others, or something kept them "
            "that is not in the log."
        )
    empty, all_time = np.diff(times)[busy[:-1] < 1e-12].sum(), times[-1] - times[0]
    if all_time and empty / all_time >= 0.001:
        sentences.append(f"For {duration(empty)}, {share(empty / all_time)} of the time, nothing ran at all.")
    return sentences


def _beyond(happened: Schedule) -> list[str]:
    """Of a use above the machine's size."""
    most, above, seconds = excess(happened)
    if not above:
        return []
    return [
        f"By the log's own times up to {most:,.0f} processors were in use at once, and the machine has "
        f"{happened.workload.procs:,}: it was exceeded for {digits(100 * above / seconds)} % of the time. Where jobs "
        "shared processors, or the machine was larger than is said here, jobs of a simulation wait for what these had."
    ]
