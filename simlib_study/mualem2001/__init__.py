"""Mu'alem & Feitelson, IEEE TPDS 2001: the traces, as far as they can be had; a module for each exhibit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.arrays import Ints
from simlib.analysis.replicate import Log
from simlib.core.schedule import MEANS, Schedule
from simlib.core.workload import Workload
from simlib.logs import archive

from ..judging import BACK, CALENDAR, INFERRED, OTHER_LOG, RESTORED, plain
from ..load_curves import bounded_slowdown
from ..loading import Logs, Setting, settings, take
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
    months: tuple[str, str] = ("0000-00", "9999-99")
    missing: dict[str, int] | None = None
    months_begin: float = 0.0
    begin_on: dict[str, str] = field(default_factory=dict)
    from_first_job: bool = False
    lost: Lost | None = None
    restored: bool = False
    on_calendar: bool = False

    def under(self, reading: str) -> "Trace":
        """Take this trace for a reading: with its lost jobs back under `RESTORED`, with months as on the calendar."""
        if reading == CALENDAR:
            return replace(self, on_calendar=True)
        return replace(self, restored=True) if reading == RESTORED and self.lost else self

    def draw(self, seed: int) -> Workload:
        """Draw the log with its lost jobs back, if it lost any."""
        return self.lost.whole(seed) if self.lost else self.workload

    @property
    def workloads(self) -> Log:
        """What is simulated: the workload, or of a restored trace a function of a seed that draws one."""
        return self.lost.drawn if self.restored and self.lost else self.workload

    @cached_property
    def month_edges(self) -> tuple[list[str], Ints]:
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
    def lines_missing(self) -> int:
        """How many job lines cleaning removed from this file, by the catalogue; 0 where it does not say."""
        if self.workload.source.get("variant") != "cleaned":
            return 0
        whole, kept = archive.files(self.workload.name)[0].lines, self.workload.log
        return 0 if whole is None or kept is None else whole - len(kept)

    def jobs_missing(self, month: str = WHOLE) -> tuple[int, float]:
        """Count the jobs of a month, or else job lines, that this file lacks, and which share they are."""
        if month == WHOLE or self.missing is None:
            lost, kept = self.lines_missing, self.workload.log
            return lost, 0.0 if kept is None or not lost else lost / (lost + len(kept))
        lost = self.missing.get(month, 0)
        return lost, lost / max(lost + self._submitted.get(month, 0), 1)

    @cached_property
    def _submitted(self) -> dict[str, int]:
        """How many jobs are submitted in each month."""
        months, edges = self.month_edges
        return dict(zip(months, np.histogram(self.workload.jobs.submit, edges)[0], strict=True))

    def complete(self, month: str = WHOLE) -> bool:
        """Whether a number of this month, or of the whole, is one of the paper's log, with nearly all its jobs."""
        return self.restored or self.jobs_missing(month)[1] <= MOST_MISSING

    def origin(self, month: str = WHOLE, reading: str = "", **of: str) -> dict[str, str]:
        """Why a number of this month is not judged, and what is missing, for `study.judge`."""
        lost, share = self.jobs_missing(month)
        what = "this file lacks" if month == WHOLE or self.missing is None else "of this month this file lacks"
        note = f"{what} {lost:,} jobs, {share:.1%}" if lost else ""
        inferred = reading == RESTORED and self.lost and self.lost.inferred_from({"month": month} | of)
        if inferred or (reading != CALENDAR and self._months_say(month, **of)):
            return {"unjudged": INFERRED, "note": note}
        return {"unjudged": "" if reading == RESTORED or self.complete(month) else OTHER_LOG, "note": note}

    def _months_say(self, month: str, metric: str = "", **_: str) -> bool:
        """Whether something about where months begin was inferred from this number."""
        if self.on_calendar or not (self.begin_on or self.from_first_job):
            return False
        months = self.month_edges[0]
        following = dict(zip(months, months[1:], strict=False))
        of_edges = metric == "jobs" and {month, following.get(month)} & set(self.begin_on)
        return bool(of_edges) or (metric == "load" and self.from_first_job and month == months[0])

    # Its months

    def by_month(self, schedule: Schedule) -> pd.DataFrame:
        """Means over the jobs that end in each of these months: see `Schedule.by_period`; slowdown by MF's formula."""
        months, edges = self.month_edges
        means = pd.DataFrame(schedule.means(edges, floor=None)[:-1], pd.Index(months, name="month"), MEANS)
        return means.astype({"jobs": int})

    @cached_property
    def calendars(self) -> dict[str, "Trace"]:
        """This trace by the name of its calendar, and by the other one where the same simulations do for both."""
        own = CALENDAR if self.on_calendar else SETTLED
        differ = self.months_begin != 0 or bool(self.begin_on) or self.from_first_job
        both = (SETTLED, CALENDAR) if differ else (own,)
        return {name: replace(self, on_calendar=name == CALENDAR) for name in both}


class TraceLogs(Logs):
    """The paper's logs by its names, which the tables call traces; two years of one are "Par-95" and "Par-96"."""

    @property
    def restored(self) -> "TraceLogs":
        """Those that lost jobs, as functions of a seed that draws them back, with `BACK` behind their names."""
        lost = {f"{name}{BACK}": trace.under(RESTORED) for name, trace in self.traces.items() if trace.lost}
        return TraceLogs({name: trace.workloads for name, trace in lost.items()}, lost)

    def put_back(self, seed: int) -> dict[str, Workload]:
        """Take the workloads by name, with the lost jobs back in those that lost some; none if none did."""
        drawn = {plain(name): workload for name, workload in self.restored.drawn(seed).items()}
        return self.drawn(seed) | drawn if drawn else {}

    @property
    def monthly(self) -> partial[pd.DataFrame]:
        """A measure for `replicate`: means by (calendar, month), the last being `WHOLE`."""
        for trace in self.traces.values():
            trace.workload.time(0)  # refuses a log without a calendar
        months = {
            trace.workload.name: {
                calendar: (tuple(by_calendar.month_edges[0]), tuple(by_calendar.month_edges[1].tolist()))
                for calendar, by_calendar in trace.calendars.items()
            }
            for trace in self.traces.values()
        }
        return partial(by_months, months)

    def is_absent(self, log: str | None = None, month: str = WHOLE, **_: Any) -> bool:
        """Whether the log of a printed number, or one of its logs, is not on this machine."""
        return any(setting["name"] == log and covers(setting["months"], month) for setting in self.absent_settings)

    def origin(self, log: str | None = None, month: str = WHOLE, **of: str) -> dict[str, str]:
        """Why a printed number is not judged, and what is missing from its log, for `study.judge`."""
        name, _, reading = (log or "").partition(", ")
        traces = [each for each in self.traces.values() if each.name == name and covers(each.months, month)]
        origins = [trace.origin(month, reading, **of) for trace in traces]
        unjudged = next((origin["unjudged"] for origin in reversed(origins)), "")
        return {"unjudged": unjudged, "note": "; ".join(origin["note"] for origin in origins if origin["note"])}

    absent_settings: Sequence[Setting] = ()


Settings = Mapping[str, str] | None
"""Of some logs, by name."""


def logs(names: Sequence[str] = TRACES, jobs: Settings = None, estimates: Settings = None) -> TraceLogs:
    """Take the paper's logs by name, in the order in which they are requested.

    By name conditions on the `jobs`, and `estimates`, may be others than those of `data/settings/mualem2001_logs.toml`.
    """
    others = {"jobs": jobs or {}, "estimates": estimates or {}}
    for what, given in others.items():
        if unknown := set(given) - set(names):
            raise ValueError(f"{what}: found {', '.join(unknown)}, expected names out of the logs {', '.join(names)}")
    rows = [row for name in dict.fromkeys(names) for row in settings("mualem2001") if row["name"] == name]
    here, absent = take(
        row | {what: of[row["name"]] for what, of in others.items() if row["name"] in of} for row in rows
    )
    traces = [_trace(*taken) for taken in here]
    by_label = dict(zip(labels(traces), traces, strict=True))
    workloads = {label: trace.workload for label, trace in by_label.items()}
    made = TraceLogs(workloads, by_label, [f"{setting['name']}: {setting['log']}" for setting in absent])
    made.absent_settings = absent
    return made


def own_logs(workloads: Mapping[str, Workload], jobs: Settings = None, estimates: Settings = None) -> TraceLogs:
    """Take logs of the reader's: all their jobs, all their months."""
    if settings := jobs or estimates:
        what = "jobs" if jobs else "estimates"
        raise ValueError(f"{what}: found {settings!r}, expected none with logs of your own")
    return TraceLogs(workloads, {name: Trace(name, each, missing={}) for name, each in workloads.items()}, own=True)


def covers(months: Sequence[str], month: str) -> bool:
    """Whether a month lies between two, or is the whole."""
    return month == WHOLE or months[0] <= month <= months[1]


Months = Mapping[str, Mapping[str, tuple[Sequence[str], Sequence[int]]]]
"""By log, of each calendar, the names of months and the edges between them."""


def by_months(months: Months, schedule: Schedule) -> pd.DataFrame:
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


MEASURES = {"response_s": "mean_response", "bounded_slowdown": bounded_slowdown}
"""What the tables have of whole logs, for `replicate`."""


def _trace(setting: Setting, whole: Workload, workload: Workload) -> Trace:
    """The trace of what is taken of a log."""
    variant, months = workload.source["variant"], tuple(setting["months"])
    more = {name: setting[name] for name in ("months_begin", "begin_on", "from_first_job") if name in setting}
    if variant == "cleaned" and "lost" in setting:
        more["lost"] = Lost(whole, setting["lost"], setting.get("jobs", ""), setting["estimates"])
    return Trace(setting["name"], workload, months, setting.get("missing", {}).get(variant), **more)


def labels(traces: Iterable[Trace]) -> list[str]:
    """Name traces; the two years of one are "Par-95" and "Par-96"."""
    names = [trace.name for trace in traces]
    return [trace.name + (f"-{trace.months[0][2:4]}" if names.count(trace.name) > 1 else "") for trace in traces]


def trace_of(label: str) -> str:
    """The paper's name of a trace, from one of its `labels`; what is read differently stays behind it."""
    return re.sub("^Par-9[56]", "Par", label)
