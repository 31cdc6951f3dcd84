"""Mu'alem & Feitelson, IEEE TPDS 2001: the traces, as far as they can be had; a module for each exhibit."""

import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from simlib._util import paths
from simlib.core import metrics
from simlib.core.schedule import MEANS
from simlib.core.workload import Workload
from simlib.logs import archive

from ..judging import BACK, CALENDAR, INFERRED, OTHER_LOG, RESTORED, plain
from ..loading import Logs, log
from .restored import Lost

TRACES = ("CTC", "KTH", "SDSC", "Par", "CM5")
SP2 = ("CTC", "KTH", "SDSC")
METRICS = {"response_s": "mean_response", "bounded_slowdown": "mean_bounded_slowdown"}
LABELS = {"response_s": "mean response time [s]", "bounded_slowdown": "mean bounded slowdown"}
"""Of axes."""

CLOSE_TO = {"response_s": 0.05, "bounded_slowdown": 0.10}
"""How far from the shaken runs' median a printed number outside their band may lie to be called close."""

SETTLED = "settled"
"""The months of a trace as `settings` say, beside those of the `CALENDAR`."""

WHOLE = "whole"
"""Stands for all months where the name of a month is expected."""

MOST_MISSING = 0.01
"""The share of its jobs that may be missing of a month, or of a log, that is still called the paper's."""


@dataclass(frozen=True)
class Trace:
    """A trace of the paper as it can be had here."""

    name: str
    workload: Workload
    months: tuple = ("0000-00", "9999-99")
    missing: dict | None = None
    months_begin: float = 0.0
    begin_on: dict = field(default_factory=dict)
    from_first_job: bool = False
    lost: Lost | None = None
    restored: bool = False
    on_calendar: bool = False

    def under(self, reading):
        """Take this trace for a reading: with its lost jobs back under `RESTORED`, with months as on the calendar."""
        if reading == CALENDAR:
            return replace(self, on_calendar=True)
        return replace(self, restored=True) if reading == RESTORED and self.lost else self

    def draw(self, seed):
        """Draw the log with its lost jobs back."""
        return self.lost.whole(seed)

    def drawn(self, seed):
        """Take one draw of this trace for the log itself: with its lost jobs put back, if it lost any."""
        return replace(self, workload=self.lost.whole(seed), missing=None, lost=None) if self.lost else self

    @property
    def workloads(self):
        """What is simulated: the workload, or of a restored trace a function of a seed that draws one."""
        return self.lost.drawn if self.restored else self.workload

    @cached_property
    def month_edges(self):
        """The published months from the first to the last submit; none of a log without a calendar."""
        if self.workload.start is None:
            return [], np.empty(0, np.int64)
        submit = self.workload.jobs.submit
        months, edges = self.workload.month_starts(submit.iloc[0], submit.iloc[-1])
        inside = [self.months[0] <= month <= self.months[1] for month in months]
        first, last = inside.index(True), len(inside) - inside[::-1].index(True)
        months, edges = months[first:last], edges[first : last + 1]
        if self.on_calendar:
            return months, edges
        for month, day in self.begin_on.items():
            if month in months:
                edges[months.index(month)] = self.workload.second(day)
        edges += round(3600 * self.months_begin)
        if self.from_first_job:
            edges[0] = submit.iloc[0]
        return months, edges

    # Is it the paper's log, with all its jobs?

    @cached_property
    def lines_missing(self):
        """How many job lines cleaning removed from this file, by the catalogue."""
        if self.workload.source.get("variant") != "cleaned":
            return 0
        return archive.files(self.workload.name)[0].lines - len(self.workload.log)

    def jobs_missing(self, month=WHOLE):
        """Count the jobs of a month, or else job lines, that this file lacks, and which share they are."""
        if month == WHOLE or self.missing is None:
            lost = self.lines_missing
            return lost, lost / (lost + len(self.workload.log)) if lost else 0.0
        lost = self.missing.get(month, 0)
        return lost, lost / max(lost + self._submitted.get(month, 0), 1)

    @cached_property
    def _submitted(self):
        """How many jobs are submitted in each month."""
        months, edges = self.month_edges
        return dict(zip(months, np.histogram(self.workload.jobs.submit, edges)[0], strict=True))

    def complete(self, month=WHOLE):
        """Whether a number of this month, or of the whole, is one of the paper's log, with nearly all its jobs."""
        return self.restored or self.jobs_missing(month)[1] <= MOST_MISSING

    def origin(self, month=WHOLE, reading="", **of):
        """Why a number of this month is not judged, and what is missing, for `study.judge`.

        The log is read as it is, or `RESTORED`, or by the `CALENDAR`.
        """
        lost, share = self.jobs_missing(month)
        what = "this file lacks" if month == WHOLE or self.missing is None else "of this month this file lacks"
        note = f"{what} {lost:,} jobs, {share:.1%}" if lost else ""
        inferred = reading == RESTORED and self.lost and self.lost.inferred_from({"month": month} | of)
        if inferred or (reading != CALENDAR and self._months_say(month, **of)):
            return {"unjudged": INFERRED, "note": note}
        return {"unjudged": "" if reading == RESTORED or self.complete(month) else OTHER_LOG, "note": note}

    def _months_say(self, month, metric="", **_):
        """Whether something about where months begin was inferred from this number."""
        if self.on_calendar or not (self.begin_on or self.from_first_job):
            return False
        months = self.month_edges[0]
        following = dict(zip(months, months[1:], strict=False))
        of_edges = metric == "jobs" and {month, following.get(month)} & set(self.begin_on)
        return bool(of_edges) or (metric == "load" and self.from_first_job and month == months[0])

    # Its months

    def by_month(self, schedule):
        """Means over the jobs that end in each of these months: see `Schedule.by_period`; slowdown by MF's formula."""
        months, edges = self.month_edges
        means = pd.DataFrame(schedule.means(edges, floor=None)[:-1], pd.Index(months, name="month"), MEANS)
        return means.astype({"jobs": int})

    @cached_property
    def calendars(self):
        """This trace by the name of its calendar, and by the other one where the same simulations do for both.

        Restored or not, a log has the same: so its measures are the same, and runs of logs that lost no jobs are kept.
        """
        own = CALENDAR if self.on_calendar else SETTLED
        differ = self.months_begin != 0 or bool(self.begin_on) or self.from_first_job
        both = (SETTLED, CALENDAR) if differ else (own,)
        return {name: replace(self, on_calendar=name == CALENDAR) for name in both}


class TraceLogs(Logs):
    """The paper's logs by its names, which the tables call traces; two years of one are "Par-95" and "Par-96"."""

    @property
    def restored(self):
        """Those that lost jobs, as functions of a seed that draws them back, with `BACK` behind their names."""
        lost = {f"{name}{BACK}": trace.under(RESTORED) for name, trace in self.traces.items() if trace.lost}
        return TraceLogs({name: trace.workloads for name, trace in lost.items()}, lost)

    def put_back(self, seed):
        """Take the workloads by name, with the lost jobs back in those that lost some; none if none did."""
        drawn = {plain(name): workload for name, workload in self.restored.drawn(seed).items()}
        return {name: drawn.get(name, self[name]) for name in self.traces} if drawn else {}

    @property
    def monthly(self):
        """A measure for `replicate`: means by the paper's months, and by the calendar's; slowdown without a floor.

        By `calendar`, "settled" or "calendar", and `month`, the last being `WHOLE`, all jobs.
        """
        for trace in self.traces.values():
            trace.workload.time(0)  # refuses a log without a calendar
        months = {
            trace.workload.name: {
                calendar: (tuple(one.month_edges[0]), tuple(one.month_edges[1].tolist()))
                for calendar, one in trace.calendars.items()
            }
            for trace in self.traces.values()
        }
        return partial(by_months, months)

    def is_absent(self, log=None, month=WHOLE, **_):
        """Whether the log of a printed number, or one of its logs, is not on this machine."""
        return any(one["name"] == log and covers(one["months"], month) for one in self.absent_settings)

    def origin(self, log=None, month=WHOLE, **of):
        """Why a printed number is not judged, and what is missing from its log, for `study.judge`."""
        name, _, reading = (log or "").partition(", ")
        traces = [each for each in self.traces.values() if each.name == name and covers(each.months, month)]
        origins = [trace.origin(month, reading, **of) for trace in traces]
        unjudged = next((one["unjudged"] for one in reversed(origins)), "")
        return {"unjudged": unjudged, "note": "; ".join(one["note"] for one in origins if one["note"])}

    absent_settings = ()


def known():
    """List the paper's names of its logs."""
    return TRACES


def logs(names=TRACES, jobs=None, estimates=None):
    """Take the paper's logs, as `traces`, by name, in the order in which they are requested."""
    found, absent = traces(names, jobs, estimates)
    found.sort(key=lambda trace: list(names).index(trace.name))
    by_label = dict(zip(labels(found), found, strict=True))
    made = TraceLogs(
        {label: trace.workload for label, trace in by_label.items()},
        by_label,
        [f"{setting['name']}: {setting['log']}" for setting in absent],
    )
    made.absent_settings = absent
    return made


def own_logs(workloads, jobs=None, estimates=None):
    """Take logs of the reader's: all their jobs, all their months."""
    if settings := jobs or estimates:
        what = "jobs" if jobs else "estimates"
        raise ValueError(f"{what}: found {settings!r}, expected none with logs of your own")
    return TraceLogs(workloads, {name: Trace(name, each, missing={}) for name, each in workloads.items()}, own=True)


def covers(months, month):
    """Whether a month lies between two, or is the whole."""
    return month == WHOLE or months[0] <= month <= months[1]


def by_months(months, schedule):
    """Measure a schedule by months: by the name of its log the months and edges of each calendar."""
    of_log = months[schedule.workload.name.removesuffix(BACK)]
    rows = [(calendar, month) for calendar, (names, _) in of_log.items() for month in (*names, WHOLE)]
    means = np.vstack([schedule.means(edges, floor=None) for _, edges in of_log.values()])
    table = pd.DataFrame(means, pd.MultiIndex.from_tuples(rows, names=["calendar", "month"]), MEANS)
    return table.rename(columns=QUANTITIES)[list(QUANTITIES.values())]


QUANTITIES = {
    "utilization": "load",
    "jobs": "jobs",
    "mean_wait": "wait_s",
    "mean_response": "response_s",
    "mean_bounded_slowdown": "bounded_slowdown",
}
"""The metrics of the tables, by the quantities of `Schedule.means`; MF call a machine's utilization its load."""


def slowdown(schedule):
    """Work out each job's bounded slowdown by MF's formula, which has no floor of 1."""
    return metrics.bounded_slowdown(schedule.column("wait"), schedule.column("run"), floor=None)


MEASURES = {"response_s": "mean_response", "bounded_slowdown": slowdown}
"""What the tables have of whole logs, for `replicate`."""


def settings():
    """The rows of `data/settings/mualem2001_logs.toml`: which jobs of which log, which estimates, and why."""
    return tomllib.loads((paths.DATA / "settings" / "mualem2001_logs.toml").read_text(encoding="utf-8"))["log"]


def traces(names=TRACES, jobs=None, estimates=None):
    """The paper's traces, as far as their logs are on this machine; the synthetic twins of all where none is."""
    for what, of in (("jobs", jobs), ("estimates", estimates)):
        if unknown := set(of or ()) - set(names):
            raise ValueError(f"{what}: found {', '.join(unknown)}, expected names out of the logs {', '.join(names)}")
    asked = [setting for setting in settings() if setting["name"] in names]
    absent = [setting for setting in asked if archive.find(setting["log"]) is None]
    if absent == asked:
        return [_trace(setting, "twin", jobs or {}, estimates or {}) for setting in asked], []
    here = [_trace(setting, None, jobs or {}, estimates or {}) for setting in asked if setting not in absent]
    return here, absent


def _trace(setting, variant, jobs, estimates):
    """The trace of a setting, from a variant of its log."""
    name = setting["name"]
    whole = log(setting["log"], variant)
    condition, kind = jobs.get(name, setting.get("jobs", "")), estimates.get(name, setting["estimates"])
    workload = (whole.select(condition) if condition else whole).with_estimates(kind)
    if not len(workload):
        raise ValueError(f"jobs: {name}: found {condition!r}, which no job meets, expected a condition that some do")
    missing = setting.get("missing", {}).get(workload.source["variant"])
    begin, days = setting.get("months_begin", 0.0), setting.get("begin_on", {})
    lost, from_first_job = None, setting.get("from_first_job", False)
    if workload.source["variant"] == "cleaned" and "lost" in setting:
        lost = Lost(whole, setting["lost"], condition, kind)
    return Trace(name, workload, tuple(setting["months"]), missing, begin, days, from_first_job, lost)


def labels(traces):
    """Name traces; the two years of one are "Par-95" and "Par-96"."""
    names = [trace.name for trace in traces]
    return [one.name + (f"-{one.months[0][2:4]}" if names.count(one.name) > 1 else "") for one in traces]


def trace_of(label):
    """The paper's name of a trace, from one of its `labels`; what is read differently stays behind it."""
    return re.sub("^Par-9[56]", "Par", label)
