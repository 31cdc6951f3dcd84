"""Table 2 and Figure 8: how much of what users asked for was used (section 4.1).

These are counts over job lines, also over those left out of the simulations.
"""

from functools import cached_property

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy

from ... import archive
from ...estimates import did_not_complete
from ...plots import COLOURS
from .. import results
from ..exhibit import LOGS, Part
from ..judging import NOT, PARTLY, REPRODUCED, UNTESTED, cell, claim, decide, published
from . import SP2
from .on_traces import OnTraces
from .pictures import used_share

CLAIMS = ("MF-25", "MF-26", "MF-27", "MF-28", "MF-29", "MF-39")

SHORT = 90
"""Seconds below which a job is taken not to have got going."""

SCATTER = 7200
"""The scatter plot and the row "<2hr jobs" are of jobs that requested up to two hours."""

CLASSES = ("completed", "completed, under 90 s", "killed", "status not recorded")


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


class Table2Figure8(
    OnTraces, name="mualem2001/table2-figure8", section="4.1", seconds=15, claims=dict.fromkeys(CLAIMS, LOGS)
):
    """How good are users' estimates?"""

    traces: tuple = SP2
    popular_values: int = 10

    @cached_property
    def lines(self):
        """The job lines that ran, by (trace, line)."""
        return pd.concat({each.trace: lines(each.workload) for each in self.found}, names=["trace"])

    @cached_property
    def table(self):
        """Table 2 by (trace, parameter): the printed counts, ours, and `low` and `high` of the complete log.

        Not known are the lines that cleaning removed, any of which may count; the status of restored jobs, any of which
        may have been killed; and their run time where it was cut at the estimate: each may lie beyond the peak.
        """
        ours, jobs = _counts(self.lines), self.lines
        low, high = ours.copy(), ours.add([lines_absent(each.workload) for each in self.found], axis=0)
        of_killed = ["killed_jobs", "peak_100pct_killed"]
        high[of_killed] += _counts(jobs.assign(killed=jobs.unknown))[of_killed]
        cut = jobs.unknown & (jobs.run == jobs.estimate)
        low["peak_100pct"] -= _counts(jobs.assign(used=jobs.used.where(cut))).peak_100pct
        table = pd.DataFrame({"ours": ours.stack(), "low": low.stack(), "high": high.stack()})
        return results.against(table, _printed())

    @property
    def beside(self):
        """Lay out Table 2 for reading, ours beside the printed numbers."""
        table = self.table
        number = table[["published", "ours", "low", "high"]].apply(results.written, form="{:,.0f}")
        off = results.written(table.deviation, "{:+.1%}").mask(table.ours == table.published, "exact")
        complete = number.low.where(table.low == table.high, number.low + " to " + number.high)
        return pd.DataFrame({"paper": number.published, "ours": number.ours, "off": off, "complete log": complete})

    @property
    def cells(self):
        """The verdicts on the printed counts. They have no band; what may explain a difference is noted."""
        found = []
        for (trace, row), counts in self.table[self.table.published.notna()].iterrows():
            exact = counts.ours == counts.published
            others = self.further.loc[trace].query("parameter == @row and ours == published")
            notes = [] if exact else [f"met by: {count}" for count in others.index]
            if row == UNSEEN:
                notes.append("not judged: the public log lacks the times of single nodes, see MF-27")
            if counts.low < counts.high and not exact:
                within = "within" if counts.low <= counts.published <= counts.high else "beyond"
                notes.append(f"{within} what the complete log can have, {counts.low:,.0f} to {counts.high:,.0f}")
            place = {"trace": trace, "quantity": row}
            numbers = int(counts.published), int(counts.ours)
            found.append(cell(place, *numbers, same_log=row != UNSEEN, note="; ".join(notes)))
        return found

    @cached_property
    def further(self):
        """Counts that bear on the cells that differ, by (trace, count)."""
        jobs, known = self.lines, self.lines.estimate.notna()
        clock = pd.concat({each.trace: run_by_local_clock(each.workload) for each in self.found})
        local = in_peak(jobs.assign(used=100 * clock / jobs.estimate))
        short = (jobs.run < SHORT) & ~jobs.killed & known
        counted = {
            ("lines with an estimate", "total_jobs"): known,
            ("100 % peak with run times by the local clock", "peak_100pct"): local,
            ("killed jobs of this peak", "peak_100pct_killed"): local & jobs.killed,
            ("under 90 s, not known to be killed, with an estimate", "shorter_than_90s"): short,
        }
        table = pd.DataFrame(counted).rename_axis(columns=["count", "parameter"]).groupby("trace", sort=False).sum()
        table = table.stack(["count", "parameter"], future_stack=True).to_frame("ours")
        return results.against(table, _printed())[["ours", "published"]].reset_index("parameter")

    @cached_property
    def histogram(self):
        """The histograms of Figure 8 by (trace, percent), a column each of `CLASSES`."""
        return histogram(self.lines, CLASSES)

    @cached_property
    def flat(self):
        """How flat they are, by trace, for jobs of 90 s or more that completed.

        `jobs` used for 1 to 99 per cent; the `lowest` and `highest` tenth of that range, relative to a flat histogram;
        `ks`, the largest distance between the distribution and a flat one; and of all jobs the `zero` per cent bin
        and the highest bin of the `hundred` per cent peak, relative to the median bin between.
        """
        rows = {}
        for trace, jobs in self.lines.groupby("trace", sort=False):
            used = jobs.used[(jobs.kind == CLASSES[0]) & jobs.used.between(1, 99, inclusive="left")]
            tenths = np.histogram(used, 10, (1, 99))[0] / max(len(used), 1) * 10
            bins = np.histogram(jobs.used, range(103))[0]
            between = max(np.median(bins[1:99]), 1)
            ks = scipy.stats.kstest((used - 1) / 98, "uniform").statistic
            peaks = {"zero": bins[0] / between, "hundred": bins[99:].max() / between}
            rows[trace] = {"jobs": len(used), "lowest": tenths.min(), "highest": tenths.max(), "ks": ks} | peaks
        return pd.DataFrame(rows).T.rename_axis("trace")

    @cached_property
    def popular(self):
        """The most frequent estimates of up to two hours, by (trace, minutes).

        How many `jobs` requested it, `completed` of them, and the quartiles of 100 run / estimate of these.
        """
        jobs = self.lines[self.lines.estimate <= SCATTER].assign(minutes=lambda jobs: jobs.estimate / 60)
        asked = jobs.groupby(["trace", "minutes"]).size()
        most = asked.groupby("trace", sort=False).nlargest(self.popular_values).index.droplevel(0)
        used = jobs[~jobs.killed & ~jobs.unknown].groupby(["trace", "minutes"]).used
        table = pd.DataFrame({"jobs": asked, "completed": used.size().reindex(asked.index, fill_value=0)})
        table = table.join(used.quantile([0.25, 0.5, 0.75]).unstack().set_axis(["q25", "q50", "q75"], axis=1))
        return table[table.index.isin(most)].reindex(self.lines.index.unique("trace"), level="trace")

    @cached_property
    def nice(self):
        """The share of estimates that are multiples of 5 minutes, and of those above two hours, of 10 and 30."""
        known = self.lines.estimate.dropna()
        short, long = known[known <= SCATTER], known[known > SCATTER]
        columns = {
            "different values up to 2 h": short.groupby("trace").nunique(),
            "multiples of 5 min": (known % 300 == 0).groupby("trace").mean(),
            "above 2 h: of 10 min": (long % 600 == 0).groupby("trace").mean(),
            "above 2 h: of 30 min": (long % 1800 == 0).groupby("trace").mean(),
        }
        return pd.DataFrame(columns).reindex(self.lines.index.unique("trace"))

    def judge(self):
        sdsc = next((each.workload for each in self.found if each.trace == "SDSC"), None)
        return [
            _flat(self.flat),
            _peak_killed(self.lines),
            _zero_length(self.lines.query("trace == 'KTH'")),
            _removed(sdsc),
            _popular(self.popular, self.nice),
            _bound(self.lines),
        ]

    def parts(self):
        return {
            "": Part(lambda: self.histogram, lambda: used_share(self.histogram, self.lines, SCATTER)),
            "popular": Part(lambda: self.popular, lambda: quartiles_by_value(self.popular)),
            "table2": Part(lambda: self.table, lambda: against_printed(self.table), cells=lambda: self.cells),
        }


def _printed():
    """Table 2 as printed, by (parameter, trace)."""
    return published("mualem2001_table2").set_index("parameter").rename_axis(columns="trace").stack()


def lines(workload):
    """Take the job lines that ran, with what this exhibit needs of them.

    `run`, `estimate` (seconds, nan where the log has none), `used` = 100 run / estimate, `killed`, `unknown` (bool; the
    status of restored jobs of the SDSC log is), `kind` out of `CLASSES`.
    """
    log = workload.log[workload.log.run >= 0]
    estimate = log.requested_time.where(log.requested_time > 0)
    killed, unknown = did_not_complete(log), log.status < 0
    kind = np.select([killed, unknown, log.run < SHORT], [CLASSES[2], CLASSES[3], CLASSES[1]], CLASSES[0])
    columns = {"run": log.run, "estimate": estimate, "used": 100 * log.run / estimate}
    return pd.DataFrame(columns | {"killed": killed, "unknown": unknown, "kind": kind})


def lines_absent(workload):
    """Work out how many job lines cleaning removed from this file, by the catalogue."""
    if workload.source.get("variant") != "cleaned":
        return 0
    return archive.files(workload.name)[0].lines - len(workload.log)


def run_by_local_clock(workload):
    """Work out run times by local clock readings, which is an hour out for jobs that ran across its change."""
    log = workload.log[workload.log.run >= 0]
    start = workload.start + pd.to_timedelta(log.submit + log.wait, unit="s")
    end = start + pd.to_timedelta(log.run, unit="s")
    return (end.dt.tz_localize(None) - start.dt.tz_localize(None)) // pd.Timedelta(1, "s")


def _counts(jobs):
    """How many jobs there are of each row of Table 2, a row a trace."""
    table = pd.DataFrame({row: counted(jobs) for row, counted in ROWS.items()})
    return table.rename_axis(columns="parameter").groupby("trace", sort=False).sum()


def histogram(jobs, kinds, top=110):
    """Work out how many per cent of a group's jobs used each per cent of their estimates, a column a kind of job.

    Parameters
    ----------
    jobs : DataFrame
        By (group, job), with the columns `used` (per cent; nan does not count) and `kind`.
    kinds : sequence of str
    top : int
        The last bin, of this name, holds what is above.
    """
    group = jobs.index.names[0]
    known = jobs[jobs.used.notna()]
    percent = np.minimum(np.floor(known.used), top).astype(int).rename("percent")
    bins = known.groupby([group, percent, "kind"]).size().unstack("kind")
    places = pd.MultiIndex.from_product([jobs.index.unique(group), range(top + 1)], names=[group, "percent"])
    bins = bins.reindex(index=places, columns=pd.Index(kinds)).fillna(0)
    return 100 * bins.div(known.groupby(group).size(), axis=0, level=group)


# Claims


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


def _peak_killed(lines):
    """At least 90 per cent of the peak's jobs of known status were killed, on every log."""
    shares = lines.killed[in_peak(lines) & ~lines.unknown].groupby("trace", sort=False).mean()
    return decide("MF-26", shares >= 0.9, f"killed: {_by_trace(shares)}")


def _zero_length(kth):
    if kth.empty:
        return claim("MF-27", UNTESTED, "the KTH log is not at hand")
    text = (
        f"zero-length jobs are those whose first node was freed before the last was allocated; the public log has no "
        f"such field. Run times of zero: {(kth.run == 0).sum()}, under {SHORT} s: {(kth.run < SHORT).sum():,}"
    )
    return claim("MF-27", UNTESTED, text)


def _removed(sdsc):
    """Of all lines, 8 per cent never ran."""
    if sdsc is None:
        return claim("MF-28", UNTESTED, "the SDSC log is not at hand")
    never, every = (sdsc.log.run < 0).sum(), len(sdsc.log)
    text = f"{never:,} of {every:,} lines ({never / every:.1%}) never ran"
    return decide("MF-28", [round(100 * never / every) == 8], text)


def _popular(values, nice):
    """Most estimates are nice, and completed jobs that share one spread at least half as far as evenly spread ones."""
    spread = values.q75 - values.q25
    wide = (spread >= 25).sum()
    rounded = ((nice.iloc[:, 1] > 0.5) & (nice.iloc[:, 2] > 0.5)).all()
    verdict = REPRODUCED if rounded and wide == len(spread) else PARTLY if rounded else NOT
    text = ", ".join(f"{trace} {share:.0%}" for trace, share in nice.iloc[:, 1].items())
    return claim(
        "MF-29",
        verdict,
        f"multiples of 5 minutes: {text}. The middle half of the completed jobs spans 25 per cent of the estimate or "
        f"more for {wide} of {len(spread)} popular values (evenly spread jobs would span 50), from {spread.min():.0f} "
        f"to {spread.max():.0f}; their medians lie between {values.q50.min():.0f} and {values.q50.max():.0f} per cent",
    )


def _bound(lines):
    """At most a sixth of the jobs were killed when they had used up their estimates, on every log."""
    shares = (lines.killed & (lines.used >= 99)).groupby("trace", sort=False).mean()
    return decide("MF-39", shares <= 1 / 6, f"killed at 99 % or beyond: {_by_trace(shares)}")


def _by_trace(shares):
    return ", ".join(f"{trace} {share:.1%}" for trace, share in shares.items())


# Pictures


def against_printed(table):
    """Draw Table 2's counts relative to the printed ones: a column a trace; bars are what the complete log can have."""
    traces, rows = list(table.index.unique("trace")), [row for row in ROWS if row != UNSEEN]
    size = (max(7, 2.5 + 2.6 * len(traces)), 1.2 + 0.32 * len(rows))
    figure, axes = plt.subplots(1, len(traces), figsize=size, squeeze=False, sharex=True, sharey=True)
    y = np.arange(len(rows))
    for ax, trace in zip(axes[0], traces, strict=True):
        counts = table.loc[trace].loc[rows]
        off = 100 * counts[["ours", "low", "high"]].div(counts.published, axis=0) - 100
        exact = counts.ours == counts.published
        ax.plot(off.ours[exact], y[exact], "o", color=COLOURS[0], label="ours, exact")
        ax.plot(off.ours[~exact], y[~exact], "o", color=COLOURS[0], fillstyle="none", label="ours")
        ax.hlines(y, off.low, off.high, color=COLOURS[5], linewidth=5, zorder=1, label="possible for the complete log")
        ax.axvline(0, color="black", linewidth=1)
        ax.set(xlim=(-30, 30), ylim=(len(rows) - 0.5, -0.5), xlabel="off the printed count [%]", title=trace)
    axes[0, 0].set_yticks(y, [row.replace("_", " ").replace("pct", " %") for row in rows])
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    return figure


def quartiles_by_value(table):
    """Draw which share of popular estimates was used: median and middle half, a panel a trace."""
    traces = list(table.index.unique("trace"))
    size = (max(7, 1.5 + 3.2 * len(traces)), 3.2)
    figure, axes = plt.subplots(1, len(traces), figsize=size, squeeze=False, sharey=True)
    for ax, trace in zip(axes[0], traces, strict=True):
        values = table.loc[trace]
        x = np.arange(len(values))
        ax.plot(x, values.q50, "o", color=COLOURS[0], markersize=5, label="median")
        ax.vlines(x, values.q25, values.q75, color=COLOURS[0], linewidth=4, alpha=0.5, zorder=1, label="middle half")
        ax.axhspan(25, 75, color="#EEEEEE", zorder=0, label="middle half, if spread evenly")
        ax.set_xticks(x, [f"{minutes:g}" for minutes in values.index])
        ax.set(xlabel="estimate [min]", ylim=(0, 100), title=trace)
        ax.grid(False, axis="x")
    axes[0, 0].set_ylabel("run time / estimate [%]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    return figure
