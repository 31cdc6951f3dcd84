"""Facts of a log: how much of their requests jobs use, how long they waited, and why waits under policies differ."""

import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from simlib._util.words import time
from simlib.analysis import cases
from simlib.analysis.cases import Case
from simlib.core.estimates import requested
from simlib.core.metrics import class_name, size_class
from simlib.core.schedule import Schedule, simulate
from simlib.core.threads import sweep
from simlib.core.workload import Workload
from simlib.logs.doubts import LogWarning
from simlib.logs.schedules import excess, recorded
from simlib.plots.panels import legend, log_time_axis
from simlib.plots.style import COLOURS, stamp
from simlib.policies.adjusting import used

RECORDED = "recorded"

SIZE = (4.6, 3.4)
"""Width and height of a picture in inches: so wide that it can be read on a telephone."""

_MINUTE = 60

_FEW = 0.05
"""A share of the jobs that does not count: if no more of them wait, and the mean wait is below a minute, there is no
queue."""

_FEWEST = 30
"""Of a size class with fewer jobs quartiles would be single jobs."""

_MANY = 0.1
"""If more of the jobs than this share lack a request, nothing that needs estimates is recommended."""

_SMALL = 0.25
"""If the base's waits are a smaller part of the recorded ones, something else than the policy makes jobs wait."""

_TOO_MUCH = 0.01
"""Recorded waits are impossible if, by them, a larger share of the work runs beyond the machine."""

_FULL = 0.99
"""From this share of the request on a job used all of it, or was killed for it."""


def share(part: float) -> str:
    """Write a share; a small one has its first decimal."""
    return f"{100 * part:.0f} %" if part >= 0.0995 or not part else f"{100 * part:.1f} %"


def digits(value: float) -> str:
    """Write a number with two digits, as a whole number from ten on."""
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


# The requests of jobs


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
    return _finished(figure, workload, f"how jobs are spread over the share of their requested time; {half}")


def _finished(figure: Figure, workload: Workload, shown: str) -> Figure:
    """Stamp a picture of a stand-in, say what is shown for those who cannot see it, and close it."""
    if workload.stand_in:
        stamp(figure)
    figure.set_label(f"{workload.name}: {shown}")
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
    of_all = _use(workload.jobs[has])
    sentences = [
        f"Half of the jobs use no more than {of_all['median share used']} of the time they ask for, a quarter no more "
        f"than {of_all['a quarter uses at most']}, a quarter {of_all['a quarter uses at least']} or more.",
        f"{of_all['use all']} use {share(_FULL)} or more of it; {of_all['ran longer']} ran longer than they had asked "
        "for, and here their run time counts as their estimate.",
    ]
    if not has.all():
        sentences.append(
            f"{(~has).sum():,} of {len(has):,} jobs ({share((~has).mean())}) have no request: their run time stands in "
            "as a perfect estimate."
        )
    return sentences


def too_few_estimates(workload: Workload) -> bool:
    """Tell whether so many jobs have no estimate that policies which need them cannot be judged."""
    return unrequested(workload) > _MANY


def unrequested(workload: Workload) -> float:
    """The share of the jobs that have no estimate."""
    return float((~requested(workload)).mean()) if len(workload) else 0.0


# The waits of jobs


class Schedules(Mapping[str, Schedule]):
    """Schedules by name; of each only the start times stay in memory, for a log may have millions of jobs."""

    def __init__(self, made: Mapping[str, tuple[cases.Made, np.ndarray]], there: Mapping[str, Schedule]) -> None:
        self._made, self._there = made, there
        workloads = {id(one.workload): one.workload for one, _ in made.values()}
        self._times = {key: [w.jobs[name].to_numpy() for name in ("run", "submit")] for key, w in workloads.items()}

    def __getitem__(self, name: str) -> Schedule:
        if name in self._there:
            return self._there[name]
        one, start = self._made[name]
        run, submit = self._times[id(one.workload)]
        return Schedule(one.workload, one.policy, "extend", run, start, submit)

    def __iter__(self) -> Iterator[str]:
        return iter([*self._there, *self._made])

    def __len__(self) -> int:
        return len(self._there) + len(self._made)


def schedules(workload: Workload, asked: Mapping[str, Case], executor: Any = None) -> Mapping[str, Schedule]:
    """Make a schedule of the recorded waits of the jobs whose waits are known (`RECORDED`), and simulate policies.

    Recorded waits that are impossible are left out.
    """
    if not len(workload):
        return {}
    happened = _happened(workload)
    made = []
    for name, case in asked.items():
        with _named(workload, name):
            made.append(cases.made(workload, name, case))
    starts = sweep(_starts, [(one,) for one in made], executor, label="policies")
    there = {} if happened is None or _impossible(happened) else {RECORDED: happened}
    return Schedules({one.name: (one, start) for one, start in zip(made, starts, strict=True)}, there)


def _happened(workload: Workload) -> Schedule | None:
    """The recorded schedule of the jobs whose waits are known; None if no wait is."""
    known = _known(workload)
    if not known.any():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)  # why_recorded_differ says it
        return recorded(workload if known.all() else workload.select(known))


def _impossible(happened: Schedule) -> bool:
    """Whether by the recorded times more than a small share of the work runs beyond the machine."""
    steps = happened.utilization()
    seconds, busy = np.diff(steps.index), steps.to_numpy()[:-1]
    return bool((np.maximum(busy - 1, 0) @ seconds) > _TOO_MUCH * (busy @ seconds))


def explained(made: Mapping[str, Schedule], base: str) -> pd.DataFrame | None:
    """Compare recorded waits with those under the base, of the same jobs, by partition; None if none are recorded."""
    if RECORDED not in made or base not in made:
        return None
    workload, index = made[base].workload, made[RECORDED].workload.jobs.index
    place = workload.jobs.index.get_indexer(index)
    table = pd.DataFrame({"recorded": made[RECORDED].column("wait"), "simulated": made[base].column("wait")[place]})
    assert workload.log is not None
    table["partition"] = workload.log.partition.loc[index].to_numpy()
    known = table[table.partition >= 0]
    groups = {"all": table} | ({number: part for number, part in known.groupby("partition")})
    if len(groups) == 2:
        del groups[next(number for number in groups if number != "all")]
    rows = {name: [len(part), part.recorded.mean(), part.simulated.mean()] for name, part in groups.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["jobs", "recorded", "simulated"])


def recorded_use(workload: Workload, made: Mapping[str, Schedule]) -> str:
    """Tell whether the recorded waits are "used", "impossible" or "unknown"."""
    return "used" if RECORDED in made else "impossible" if _known(workload).any() else "unknown"


def unexplained(table: pd.DataFrame | None) -> bool:
    """Tell whether the simulation explains only a small part of recorded waits that are not short."""
    if table is None:
        return False
    of_all: Any = table.loc["all"]
    return bool(of_all.recorded >= 10 * _MINUTE and of_all.simulated < _SMALL * of_all.recorded)


def _known(workload: Workload) -> np.ndarray:
    """Whether each job's wait is recorded."""
    if workload.log is None:
        return np.zeros(len(workload), bool)
    return (workload.log.wait.loc[workload.jobs.index] >= 0).to_numpy()


def _starts(made: cases.Made) -> np.ndarray:
    """Simulate a case, and keep of the schedule the start times alone."""
    with _named(made.workload, made.name):
        return simulate(made.workload, made.policy).column("start").copy()


@contextmanager
def _named(workload: Workload, name: str) -> Iterator[None]:
    """Give an error the name of the case that it is about."""
    try:
        yield
    except ValueError as error:
        raise error if name in str(error) else ValueError(f"{workload.name}: {name}: {error}") from None


def has_queue(schedule: Schedule) -> bool:
    """Tell whether jobs wait: more than `_FEW` of them, or with a mean wait of a minute or more."""
    wait = schedule.column("wait")
    return bool(len(wait)) and bool((wait > 0).mean() > _FEW or wait.mean() >= _MINUTE)


def waits_picture(made: Mapping[str, Schedule], shown: Collection[str] | None = None) -> Figure | None:
    """Draw the share of the jobs that have started after each wait; None if there is nothing.

    Parameters
    ----------
    made : dict of str to Schedule
    shown : collection of str, optional
        The policies to colour; the others are grey. By default all are coloured.

    Examples
    --------
    >>> import simlib
    >>> figure = waits_picture(schedules(simlib.load("sample"), {"EASY": simlib.EASY()}))
    >>> figure.axes[0].get_ylabel()
    'jobs that have started'
    """
    if not made:
        return None
    longest = max(int(schedule.column("wait").max(initial=0)) for schedule in made.values())
    seconds = np.unique(np.geomspace(1, max(longest, _MINUTE), 200).astype(np.int64))
    figure, ax = plt.subplots(figsize=SIZE)
    coloured = [name for name in made if name != RECORDED and (shown is None or name in shown)]
    styles: dict[str, dict[str, Any]] = dict.fromkeys(made, {"color": "#999999", "linewidth": 0.9, "zorder": 1})
    lines = [*zip(COLOURS, ("-", (0, (6, 1.5))), strict=False), *((colour, "-.") for colour in COLOURS[2:] * 3)]
    for name, (colour, line) in zip(coloured, lines, strict=False):
        styles[name] = {"color": colour, "linestyle": line, "linewidth": 2}
    styles |= {RECORDED: {"color": "black", "linestyle": ":", "linewidth": 1.8}} if RECORDED in made else {}
    for name, schedule in made.items():
        waits = np.sort(schedule.column("wait"))
        ax.plot(seconds, np.searchsorted(waits, seconds, side="right") / len(waits), **styles[name])
    ax.set(xlim=(1, seconds[-1]), ylim=(0, 1.01), xlabel="wait", ylabel="jobs that have started")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    log_time_axis(ax)
    named = [name for name in made if name == RECORDED or name in coloured]
    entries = {name: styles[name] for name in named}
    legend(figure, entries | ({"others": styles[others[0]]} if (others := [n for n in made if n not in named]) else {}))
    hour = {name: share(float((schedule.column("wait") <= 3600).mean())) for name, schedule in made.items()}
    said = ", ".join(f"{hour[name]} of the jobs by {name}" for name in named)
    return _finished(figure, next(iter(made.values())).workload, f"within an hour start {said}")


def why_recorded_differ(workload: Workload) -> list[str]:
    """Say why recorded waits differ from a policy's: in general, and with the evidence of this log.

    Examples
    --------
    >>> why_recorded_differ(Workload.of("one job", 4, A=(0, 10, 20, 3)))
    ['The log does not record how long jobs waited.']
    """
    known = _known(workload)
    if not known.any():
        return ["The log does not record how long jobs waited."]
    happened = _happened(workload)
    assert happened is not None
    sentences = []
    if not known.all():
        sentences.append(
            f"The wait of {(~known).sum():,} of the {len(known):,} jobs is not known; the recorded waits are those of "
            "the others."
        )
    if _impossible(happened):
        most = excess(happened)[0]
        return [
            f"The recorded waits are impossible, and this page does not use them: by them up to {most:,.0f} processors "
            f"were in use at once, and the machine has {workload.procs:,}. Check the machine's size and the times.",
            *sentences,
        ]
    sentences.insert(
        0,
        "Recorded and simulated waits are different things. Limits of users and queues, holds, jobs that wait for "
        "others, reservations and outages lengthen the recorded waits, and no log describes them.",
    )
    return sentences + _rules(workload) + _idle(happened) + _beyond(happened)


def _rules(workload: Workload) -> list[str]:
    """A sentence on queues and partitions that may have had limits."""
    assert workload.log is not None
    columns = {"queues": workload.jobs.queue, "partitions": workload.log.partition.loc[workload.jobs.index]}
    counts = {name: values[values >= 0].nunique() for name, values in columns.items()}
    several = [f"{count} {name}" for name, count in counts.items() if count > 1]
    return [f"The log has {' and '.join(several)}, and does not describe their limits."] if several else []


def _idle(happened: Schedule) -> list[str]:
    """Sentences on jobs that waited although there was room, and on times with an empty machine."""
    jobs, steps = happened.jobs, happened.utilization()
    times, busy = steps.index.to_numpy(), steps.to_numpy()
    waited = (jobs.wait > _MINUTE).to_numpy()
    sentences = []
    if waited.any():
        at = np.searchsorted(times, jobs.submit.to_numpy(), side="right") - 1
        idle = np.where(at >= 0, 1 - busy[np.maximum(at, 0)], 1) * happened.workload.procs
        fits = (idle >= jobs.procs.to_numpy() - 1e-6)[waited].mean()
        sentences.append(
            f"{waited.sum():,} jobs waited for more than a minute by the log. {share(fits)} of them came when enough "
            "processors were idle: other jobs were before them, or something that the log does not have kept them."
        )
    empty, all_time = np.diff(times)[busy[:-1] < 1e-12].sum(), times[-1] - times[0]
    if all_time and empty / all_time >= 0.001:
        sentences.append(f"For {time(empty)}, {share(empty / all_time)} of the time, nothing ran at all.")
    return sentences


def _beyond(happened: Schedule) -> list[str]:
    """A sentence on a use above the machine's size."""
    most, above, seconds = excess(happened)
    if not above:
        return []
    return [
        f"By the log's own times up to {most:,.0f} processors were in use at once, and the machine has "
        f"{happened.workload.procs:,}: it was exceeded for {digits(100 * above / seconds)} % of the time. Where jobs "
        "shared processors, or the machine was larger than is said here, jobs of a simulation wait for what these had."
    ]
