"""Figure 8 and Table 2: how much of what users asked for was used (section 4.1).

These are counts over job lines, also over those left out of the simulations.
"""

import numpy as np
import pandas as pd
import scipy

from ... import archive
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, cell, claim, deviation, published
from . import TRACES

SHORT = 90
"""Seconds below which a job is taken not to have got going."""

SCATTER = 7200
"""The scatter plot and the row "<2hr jobs" are of jobs that requested up to two hours."""

CLASSES = ("completed", "completed, under 90 s", "killed", "status not recorded")


def lines(workload):
    """The job lines that ran, with what this exhibit needs of them.

    A job was *killed* if it has a known status other than 1 (completed). Restored jobs of the SDSC log have none.

    Returns
    -------
    DataFrame
        `run`, `estimate` (seconds, nan where the log has none), `used` = 100 run / estimate, `killed`, `unknown`
        (bool), `kind` out of `CLASSES`.
    """
    log = workload.log[workload.log.run >= 0]
    estimate = log.requested_time.where(log.requested_time > 0)
    killed = (log.status >= 0) & (log.status != 1)
    kind = np.select([killed, log.status < 0, log.run < SHORT], [CLASSES[2], CLASSES[3], CLASSES[1]], CLASSES[0])
    columns = {"run": log.run, "estimate": estimate, "used": 100 * log.run / estimate}
    return pd.DataFrame(columns | {"killed": killed, "unknown": log.status < 0, "kind": kind})


def in_peak(jobs):
    """The "100 % peak": 99 <= used < 102 per cent. Systems kill a little late, so that most of it lies above 100."""
    return jobs.used.between(99, 102, inclusive="left")


ROWS = {
    "total_jobs": lambda jobs: jobs.run >= 0,
    "killed_jobs": lambda jobs: jobs.killed,
    "peak_100pct": in_peak,
    "peak_100pct_killed": lambda jobs: in_peak(jobs) & jobs.killed,
    "peak_0pct": lambda jobs: jobs.used < 1,
    "zero_length_jobs": lambda jobs: jobs.run == 0,
    "shorter_than_90s": lambda jobs: jobs.run < SHORT,
    "requested_at_most_2h": lambda jobs: ~(jobs.estimate > SCATTER),
}
"""One definition a row of Table 2, the same for all logs; the last counts unknown estimates, in the log -1, too."""

UNSEEN = "zero_length_jobs"
"""The row whose jobs the public logs do not tell from others."""


NAMES = {
    "total_jobs": "total jobs",
    "killed_jobs": "killed jobs",
    "peak_100pct": "100 % peak",
    "peak_100pct_killed": "100 % peak, killed",
    "peak_0pct": "0 % peak",
    "shorter_than_90s": "under 90 s",
    "requested_at_most_2h": "requested up to 2 h",
}
"""The rows of Table 2 that the logs at hand can be held against."""


def table2(traces):
    """Table 2: the printed counts, ours, and what the file would allow.

    Returns
    -------
    DataFrame
        By trace and parameter: `published`, `ours`, `deviation`, and `low`, `high`: the least and the most that the
        complete log can have, given what this file lacks (see `bounds`).
    """
    printed = published("mualem2001_table2").set_index("parameter")
    tables = {}
    for trace in traces:
        jobs = lines(trace.workload)
        table = pd.DataFrame({"published": printed.get(trace.trace, np.nan)}, index=pd.Index(ROWS, name="parameter"))
        table["ours"] = {row: int(counted(jobs).sum()) for row, counted in ROWS.items()}
        table["deviation"] = deviation(table.ours, table.published)
        table[["low", "high"]] = [bounds(row, jobs, lines_absent(trace.workload)) for row in ROWS]
        table["file"] = ("SYNTHETIC " if trace.workload.synthetic else "") + trace.workload.source["file"]
        tables[trace.trace] = table
    return pd.concat(tables, names=["trace"])


def bounds(row, jobs, absent):
    """The least and the most that a row of Table 2 can be in the complete log.

    Three things are not known from the files at hand: the lines that cleaning removed (`absent`, any of which may
    count), the status of restored jobs (any may have been killed), and the run time of those restored jobs that fill
    their estimate exactly (it was cut there, so each may lie beyond the peak).
    """
    counted = ROWS[row](jobs)
    low = high = int(counted.sum())
    if row in ("killed_jobs", "peak_100pct_killed"):
        high += int(ROWS[row](jobs.assign(killed=jobs.unknown)).sum())
    if row == "peak_100pct":
        low -= int((counted & jobs.unknown & (jobs.run == jobs.estimate)).sum())
    return low, high + absent


def lines_absent(workload):
    """How many job lines cleaning removed from this file, by the catalogue."""
    if workload.source.get("variant") != "cleaned":
        return 0
    return archive.files(workload.name)[0].lines - len(workload.log)


def beside(table):
    """Table 2, ours beside the printed numbers, log by log; for reading, all text."""
    tables = {}
    for trace, rows in table.groupby("trace", sort=False):
        number = rows.map(lambda value: f"{value:,.0f}" if pd.notna(value) and not isinstance(value, str) else "")
        columns = {"paper": number.published, "ours": number.ours}
        columns["off"] = [
            "" if np.isnan(row.published) else "exact" if row.ours == row.published else f"{row.deviation:+.1%}"
            for row in rows.itertuples()
        ]
        columns["complete log"] = number.low.where(rows.low == rows.high, number.low + " to " + number.high)
        tables[trace] = pd.DataFrame(columns)
    return pd.concat(tables.values())


def cells(table, further):
    """Every printed count beside ours, judged, for the exhibit's record.

    Counts have no band. What the complete log can have, and a further count that is just the printed number, are noted.

    Parameters
    ----------
    table, further : DataFrame
        From `table2` and `further_counts`.
    """
    found = []
    for (trace, row), counted in table[table.published.notna()].iterrows():
        exact = counted.ours == counted.published
        others = further[(further.row == row) & (further.ours == counted.published)].query("trace == @trace")
        notes = [] if exact else [f"met by: {count}" for count in others.index.get_level_values("count")]
        if row == UNSEEN:
            notes.append("not judged: the public log lacks the times of single nodes, see MF-27")
        if counted.low < counted.high and not exact:
            within = "within" if counted.low <= counted.published <= counted.high else "beyond"
            notes.append(f"{within} what the complete log can have, {counted.low:,} to {counted.high:,}")
        of = {"trace": trace, "quantity": row}
        note = "; ".join(notes)
        found.append(cell(of, int(counted.published), counted.ours, same_log=row != UNSEEN, note=note))
    return found


# What lies behind the cells that differ


def run_by_local_clock(workload):
    """Run times as the difference of local clock readings, which is an hour out for jobs that ran across its change."""
    log = workload.log[workload.log.run >= 0]
    start = workload.start + pd.to_timedelta(log.submit + log.wait, unit="s")
    end = start + pd.to_timedelta(log.run, unit="s")
    return (end.dt.tz_localize(None) - start.dt.tz_localize(None)) // pd.Timedelta(1, "s")


def further_counts(traces):
    """Counts that bear on the cells that differ, and on the text's footnote 2.

    Returns
    -------
    DataFrame
        By trace and what was counted: `ours`, the `row` of Table 2 it bears on, and that row's `printed` number.
    """
    printed = published("mualem2001_table2").set_index("parameter")
    rows = []
    for trace in traces:
        jobs = lines(trace.workload)
        local = in_peak(jobs.assign(used=100 * run_by_local_clock(trace.workload) / jobs.estimate))
        known = jobs.estimate.notna()
        counts = {
            "lines with an estimate": (known, "total_jobs"),
            "100 % peak with run times by the local clock": (local, "peak_100pct"),
            "killed jobs of this peak": (local & jobs.killed, "peak_100pct_killed"),
            "under 90 s, not known to be killed, with an estimate": (
                (jobs.run < SHORT) & ~jobs.killed & known,
                "shorter_than_90s",
            ),
            "killed, having requested four hours": (jobs.killed & (jobs.estimate == 4 * 3600), ""),
        }
        for what, (counted, row) in counts.items():
            number = printed[trace.trace].get(row, np.nan) if trace.trace in printed else np.nan
            rows.append((trace.trace, what, int(counted.sum()), row, number))
    return pd.DataFrame(rows, columns=["trace", "count", "ours", "row", "printed"]).set_index(["trace", "count"])


# Figure 8


def histogram(jobs, top=110):
    """The histogram of the used share of the estimate: the share of all jobs in each per cent, by kind of job.

    Parameters
    ----------
    jobs : DataFrame
        With the columns `used` (per cent; nan does not count) and `kind`.
    top : int
        The last bin, of this name, holds what is above.

    Returns
    -------
    DataFrame
        By `percent`, the lower edge of each bin; columns the kinds, in per cent of the jobs.
    """
    known = jobs[jobs.used.notna()]
    percent = np.minimum(np.floor(known.used), top).astype(int)
    counts = pd.crosstab(percent, known.kind).reindex(range(top + 1), fill_value=0)
    return (100 * counts / max(len(known), 1)).rename_axis("percent").rename_axis(columns=None)


def figure8(traces):
    """The histograms of all traces, by trace and per cent; the columns are `CLASSES`."""
    every = {trace.trace: histogram(lines(trace.workload)) for trace in traces}
    every = {name: one.reindex(columns=CLASSES, fill_value=0.0) for name, one in every.items()}
    return pd.concat(every, names=["trace"])


def flatness(traces):
    """How flat the histogram is between its peaks, for jobs of 90 s or more that completed.

    Returns
    -------
    DataFrame
        By trace: `jobs` used for 1 to 99 per cent; `lowest` and `highest` tenth of that range, relative to a flat
        histogram; `ks`, the largest distance between the distribution and a flat one; and of the histogram of all
        jobs the `zero` per cent bin and the highest bin of the `hundred` per cent peak, relative to the median bin
        between.
    """
    rows = {}
    for trace in traces:
        jobs = lines(trace.workload)
        used = jobs.used[(jobs.kind == CLASSES[0]) & jobs.used.between(1, 99, inclusive="left")]
        tenths = np.histogram(used, 10, (1, 99))[0] / max(len(used), 1) * 10
        bins = np.histogram(jobs.used, range(103))[0]
        between = max(np.median(bins[1:99]), 1)
        rows[trace.trace] = {
            "jobs": len(used),
            "lowest": tenths.min(),
            "highest": tenths.max(),
            "ks": scipy.stats.kstest((used - 1) / 98, "uniform").statistic,
            "zero": bins[0] / between,
            "hundred": bins[99:].max() / between,
        }
    return pd.DataFrame(rows).T.rename_axis("trace")


def popular(traces, most=10):
    """The estimates of up to two hours that are used most, and what share of them the completed jobs used.

    Returns
    -------
    DataFrame
        By trace and estimate in minutes: `jobs` that requested it, `completed` of them, and the quartiles
        `q25`, `q50`, `q75` of 100 run / estimate of these.
    """
    rows = {}
    for trace in traces:
        jobs = lines(trace.workload)
        jobs = jobs[jobs.estimate <= SCATTER]
        for seconds, count in jobs.estimate.value_counts().head(most).items():
            used = jobs.used[(jobs.estimate == seconds) & ~jobs.killed & ~jobs.unknown]
            quartiles = dict(zip(("q25", "q50", "q75"), used.quantile([0.25, 0.5, 0.75]), strict=True))
            rows[trace.trace, seconds / 60] = {"jobs": count, "completed": len(used)} | quartiles
    table = pd.DataFrame(rows).T.rename_axis(["trace", "minutes"]).astype({"jobs": int, "completed": int})
    return table.sort_index(level="minutes").reindex(list(dict.fromkeys(trace for trace, _ in rows)), level="trace")


def nice_values(traces):
    """The share of estimates that are multiples of 5 minutes, and of those above two hours, of 10 and 30 minutes."""
    rows = {}
    for trace in traces:
        estimate = lines(trace.workload).estimate.dropna()
        long = estimate[estimate > SCATTER]
        rows[trace.trace] = {
            "different values up to 2 h": estimate[estimate <= SCATTER].nunique(),
            "multiples of 5 min": (estimate % 300 == 0).mean(),
            "above 2 h: of 10 min": (long % 600 == 0).mean(),
            "above 2 h: of 30 min": (long % 1800 == 0).mean(),
        }
    return pd.DataFrame(rows).T.rename_axis("trace")


# Verdicts


def claims(traces, flat, values, nice):
    """Decide claims MF-25 to MF-29, and MF-39.

    Parameters
    ----------
    traces : list of Trace
    flat, values, nice : DataFrame
        From `flatness`, `popular`, `nice_values`.
    """
    if not {trace.trace for trace in traces} & set(TRACES):
        return [claim(f"MF-{number}", UNTESTED, "no real log at hand") for number in (*range(25, 30), 39)]
    kth, sdsc = ({trace.trace: trace for trace in traces}.get(name) for name in ("KTH", "SDSC"))
    return [
        _flat(flat),
        _peak_killed(traces),
        _zero_length(kth),
        _removed(sdsc),
        _popular(values, nice),
        _bound(traces),
    ]


def _flat(flat):
    """Both peaks have twice the median bin; between them ks is at most 0.1, or for "partly" no tenth is out by 2."""
    peaks = (flat[["zero", "hundred"]] > 2).all(axis=None)
    rough = ((flat.lowest >= 0.5) & (flat.highest <= 2)).all()
    verdict = REPRODUCED if peaks and (flat.ks <= 0.1).all() else PARTLY if peaks and rough else NOT
    text = "; ".join(
        f"{trace}: tenths of the range between the peaks hold {row.lowest:.2f} to {row.highest:.2f} of a flat "
        f"histogram's share, distance from flat {row.ks:.2f}; peaks {row.zero:.0f} and {row.hundred:.0f} median bins"
        for trace, row in flat.iterrows()
    )
    return claim("MF-25", verdict, f"completed jobs of {SHORT} s or more: {text}")


def _peak_killed(traces):
    """At least 90 per cent of the peak's jobs of known status were killed, on every log."""
    share = {}
    for trace in traces:
        jobs = lines(trace.workload)
        share[trace.trace] = jobs.killed[in_peak(jobs) & ~jobs.unknown].mean()
    nearly_all = [value >= 0.9 for value in share.values()]
    verdict = REPRODUCED if all(nearly_all) else PARTLY if any(nearly_all) else NOT
    return claim("MF-26", verdict, "killed: " + ", ".join(f"{name} {value:.1%}" for name, value in share.items()))


def _zero_length(kth):
    if kth is None:
        return claim("MF-27", UNTESTED, "the KTH log is not at hand")
    jobs = lines(kth.workload)
    text = (
        f"zero-length jobs are those whose first node was freed before the last was allocated; the public log has no "
        f"such field. Run times of zero: {(jobs.run == 0).sum()}, under {SHORT} s: {(jobs.run < SHORT).sum():,}"
    )
    return claim("MF-27", UNTESTED, text)


def _removed(sdsc):
    if sdsc is None:
        return claim("MF-28", UNTESTED, "the SDSC log is not at hand")
    never, every = int((sdsc.workload.log.run < 0).sum()), len(sdsc.workload.log)
    verdict = REPRODUCED if round(100 * never / every) == 8 else NOT
    return claim("MF-28", verdict, f"{never:,} of {every:,} lines ({never / every:.1%}) never ran")


def _bound(traces):
    """At most a sixth of the jobs were killed when they had used up their estimates, on every log."""
    share = {}
    for trace in traces:
        jobs = lines(trace.workload)
        share[trace.trace] = (jobs.killed & (jobs.used >= 99)).mean()
    few = [value <= 1 / 6 for value in share.values()]
    text = "killed at 99 % or beyond: " + ", ".join(f"{name} {value:.1%}" for name, value in share.items())
    return claim("MF-39", REPRODUCED if all(few) else PARTLY if any(few) else NOT, text)


def _popular(values, nice):
    """Most estimates are nice, and completed jobs that share one spread at least half as far as evenly spread ones."""
    spread = values.q75 - values.q25
    wide = int((spread >= 25).sum())
    rounded = ((nice.iloc[:, 1] > 0.5) & (nice.iloc[:, 2] > 0.5)).all()
    verdict = REPRODUCED if rounded and wide == len(spread) else PARTLY if rounded else NOT
    text = ", ".join(f"{trace} {row.iloc[1]:.0%}" for trace, row in nice.iterrows())
    return claim(
        "MF-29",
        verdict,
        f"multiples of 5 minutes: {text}. The middle half of the completed jobs spans 25 per cent of the estimate or "
        f"more for {wide} of {len(spread)} popular values (evenly spread jobs would span 50), from {spread.min():.0f} "
        f"to {spread.max():.0f}; their medians lie between {values.q50.min():.0f} and {values.q50.max():.0f} per cent",
    )
