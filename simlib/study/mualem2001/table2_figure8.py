"""Table 2 and Figure 8: how much of what users asked for was used (section 4.1).

These are counts over job lines, also over those left out of the simulations.
"""

from functools import cached_property

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy

from ...analysis.stats import Interval
from ...core.estimates import did_not_complete
from ...plots.style import COLOURS
from .. import results
from ..claims import PRINTED, Measure, decide
from ..exhibit import LOGS, Part
from ..parameters import WORDS, parameter, some_of, whole
from ..verdicts import OTHER_LOG, RESTORED, TEXT, cell, published
from . import SP2, TRACES
from .on_traces import OnTraces
from .shared_pictures import used_share

CLAIMS = ("MF-25", "MF-26", "MF-28", "MF-29", "MF-39", "MF-45")

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

OF_TOTAL, OF_PEAK = "total_jobs", "peak_100pct"
"""What Table 2's percentages are of: the killed jobs of the peak are of the peak, all others of all jobs."""


class Table2Figure8(
    OnTraces, name="mualem2001/table2-figure8", section="4.1", seconds=10, claims=dict.fromkeys(CLAIMS, LOGS)
):
    """How good are users' estimates?"""

    traces: tuple = parameter(SP2, some_of(TRACES))
    rules: tuple = parameter((TEXT, RESTORED), some_of((TEXT, RESTORED), first=(TEXT,)))
    popular_values: int = parameter(10, whole(1))
    log: str = parameter("", WORDS)

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
        low, high = ours.copy(), ours.add([each.lines_missing for each in self.found], axis=0)
        of_killed = ["killed_jobs", "peak_100pct_killed"]
        high[of_killed] += _counts(jobs.assign(killed=jobs.unknown))[of_killed]
        cut = jobs.unknown & (jobs.run == jobs.estimate)
        low["peak_100pct"] -= _counts(jobs.assign(used=jobs.used.where(cut))).peak_100pct
        table = pd.DataFrame({"ours": ours.stack(), "low": low.stack(), "high": high.stack()})
        return self.against(table, _printed())

    @cached_property
    def percentages(self):
        """Table 2's percentages by (trace, parameter), beside the printed ones."""
        counts = self.table.ours.unstack("parameter")
        per_cent = 100 * counts.div(counts[OF_TOTAL], axis=0)
        per_cent["peak_100pct_killed"] = 100 * counts.peak_100pct_killed / counts[OF_PEAK]
        table = pd.DataFrame({"ours": per_cent.drop(columns=OF_TOTAL).stack().dropna()})
        return self.against(table, _printed("mualem2001_table2_percent"))

    @property
    def beside(self):
        """Lay out Table 2 for reading, ours beside the printed numbers."""
        table = self.table
        number = table[["published", "ours", "low", "high"]].apply(results.written, form="{:,.0f}")
        off = results.written(table.deviation, "{:+.1%}").mask(table.ours == table.published, "exact")
        complete = number.low.mask(table.low < table.high, number.low + " to " + number.high)
        return pd.DataFrame({"paper": number.published, "ours": number.ours, "off": off, "complete log": complete})

    @property
    def cells(self):
        """The verdicts on the printed counts and percentages; what may explain a difference is noted."""
        of_draws = [draw.table for draw in self.draws], [draw.percentages for draw in self.draws]
        counts, per_cent = self._cells(self.table, of_draws[0]), self._cells(self.percentages, of_draws[1], " [%]", 1)
        return [*counts, *per_cent]

    def _cells(self, table, of_draws, unit="", decimals=None):
        """The verdicts on one kind of numbers, with those of the same table on each draw."""
        lost = [each.trace for each in self.found if each.lost]
        found = []
        for (trace, row), numbers in table[table.published.notna()].iterrows():
            of = {"trace": trace, "quantity": row + unit}
            readings = {TEXT: (numbers.ours, None)}
            if of_draws and trace in lost:
                drawn = Interval.of([draw.ours[trace, row] for draw in of_draws], 1)
                readings[RESTORED] = drawn.median, drawn
            found.append(cell(of, numbers.published, readings, decimals=decimals, **self._about(of, trace, row)))
        return found

    def _about(self, of, trace, row):
        """Why a number is not judged, and what may explain that it differs."""
        origin, notes = self.origin(**of), self._notes(trace, row)
        unjudged = origin["unjudged"]
        if row == UNSEEN:
            notes = [*notes, "not judged: the public log lacks the times of single nodes, see MF-27"]
            unjudged = {TEXT: OTHER_LOG, RESTORED: OTHER_LOG}
        return {"unjudged": unjudged, "note": "; ".join(filter(None, [*notes, origin["note"]]))}

    def _notes(self, trace, row):
        """What may explain that a count differs from the printed one."""
        counts = self.table.loc[trace, row]
        if counts.ours == counts.published or self.is_absent(trace):
            return []
        others = self.further.loc[trace].query("parameter == @row and ours == published")
        notes = [f"met by: {count}" for count in others.index]
        if counts.low < counts.high:
            within = "within" if counts.low <= counts.published <= counts.high else "beyond"
            notes.append(f"{within} what the complete log can have, {counts.low:,.0f} to {counts.high:,.0f} jobs")
        return notes

    @cached_property
    def further(self):
        """Counts that bear on the cells that differ, by (trace, count); those by the clock where all logs have one."""
        jobs, known = self.lines, self.lines.estimate.notna()
        short = (jobs.run < SHORT) & ~jobs.killed & known
        counted = {("lines with an estimate", "total_jobs"): known}
        if all(each.workload.start is not None for each in self.found):
            clock = pd.concat({each.trace: run_by_local_clock(each.workload) for each in self.found})
            local = in_peak(jobs.assign(used=100 * clock / jobs.estimate))
            counted["100 % peak with run times by the local clock", "peak_100pct"] = local
            counted["killed jobs of this peak", "peak_100pct_killed"] = local & jobs.killed
        counted["under 90 s, not known to be killed, with an estimate", "shorter_than_90s"] = short
        table = pd.DataFrame(counted).rename_axis(columns=["count", "parameter"]).groupby("trace", sort=False).sum()
        table = table.stack(["count", "parameter"], future_stack=True).to_frame("ours")
        return results.against(table, _printed())[["ours", "published"]].reset_index("parameter")

    @cached_property
    def histogram(self):
        """The histograms of Figure 8 by (trace, percent), a column each of `CLASSES`."""
        return histogram(self.lines, CLASSES)

    @cached_property
    def flat(self):
        """How flat they are, by trace, from `flatness`."""
        return flatness(self.lines)

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
        counts = published("mualem2001_table2").set_index("parameter").T
        killed = counts.peak_100pct_killed
        printed = {"MF-26": {"killed": Measure.exactly((killed / counts.peak_100pct).min())}}
        printed["MF-39"] = {"killed": Measure.exactly((killed / counts.total_jobs).max())}
        tenths = [f"{trace} {row.lowest:.2f} to {row.highest:.2f}" for trace, row in self.flat.iterrows()]
        flat = f"tenths of the range between the peaks hold of a flat histogram's share: {', '.join(tenths)}"
        popular = self.popular
        medians = (
            f"the middle half spans 25 points or more for {(popular.q75 - popular.q25 >= 25).sum()} of {len(popular)} "
            f"popular values; their medians lie between {popular.q50.min():.0f} and {popular.q50.max():.0f} per cent"
        )
        notes = {"MF-25": flat, "MF-29": medians, "MF-45": _of_printed_peak(self.lines)}
        return [decide(id, self.by_rule(id) | {PRINTED: printed.get(id)}, notes.get(id, "")) for id in CLAIMS]

    @cached_property
    def measured(self):
        """What was measured on the job lines, by claim and part: of several logs the one that has least, or most."""
        lines, flat, nice, popular = self.lines, self.flat, self.nice, self.popular
        sdsc = [each.workload.log.run for each in self.found if each.trace == "SDSC"]
        used_up = lines.killed & (lines.used >= 99)
        numbers = {
            "MF-25": {"flat": flat.ks.max(), "peak at 0": flat.zero.min(), "peak at 100": flat.hundred.min()},
            "MF-26": {"killed": lines.killed[in_peak(lines) & ~lines.unknown].groupby("trace").mean().min()},
            "MF-28": {"removed": (sdsc[0] < 0).mean()} if sdsc else {},
            "MF-29": {
                "rounded": nice.iloc[:, 1].min(),
                "longer ones rounded": nice.iloc[:, 2].min(),
                "equally inaccurate": (popular.q75 - popular.q25).min(),
            },
            "MF-39": {"killed": used_up.groupby("trace").mean().max()},
            "MF-45": _zero_peak(lines),
        }
        exactly = {id: {part: Measure.exactly(one) for part, one in parts.items()} for id, parts in numbers.items()}
        return {id: parts or None for id, parts in exactly.items()}

    def parts(self):
        return {
            "": Part(lambda: self.histogram, lambda: used_share(self.histogram, self.lines, SCATTER)),
            "popular": Part(lambda: self.popular, lambda: quartiles_by_value(self.popular)),
            "table2": Part(
                lambda: self.table,
                None if self.own else lambda: against_printed(self.table),
                cells=lambda: self.cells,
            ),
            "percentages": Part(lambda: self.percentages),
        }


def _printed(name="mualem2001_table2"):
    """Table 2 as printed, by (parameter, trace)."""
    return published(name).set_index("parameter").rename_axis(columns="trace").stack()


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
    """Work out how many per cent of a group's jobs used each per cent of their estimates, a column a kind of job."""
    group = jobs.index.names[0]
    known = jobs[jobs.used.notna()]
    percent = np.minimum(np.floor(known.used), top).astype(int).rename("percent")
    bins = known.groupby([group, percent, "kind"]).size().unstack("kind")
    places = pd.MultiIndex.from_product([jobs.index.unique(group), range(top + 1)], names=[group, "percent"])
    bins = bins.reindex(index=places, columns=pd.Index(kinds)).fillna(0)
    return 100 * bins.div(known.groupby(group).size(), axis=0, level=group)


def flatness(lines):
    """Work out how flat the histograms of used shares are, by group, for jobs of 90 s or more that completed.

    `jobs` used for 1 to 99 per cent; the `lowest` and `highest` tenth of that range, relative to a flat histogram;
    `ks`, the largest distance between the distribution and a flat one; and of all jobs the `zero` per cent bin
    and the highest bin of the `hundred` per cent peak, relative to the median bin between.
    """
    rows = {}
    for group, jobs in lines.groupby(lines.index.names[0], sort=False):
        used = jobs.used[(jobs.kind == CLASSES[0]) & jobs.used.between(1, 99, inclusive="left")]
        tenths = np.histogram(used, 10, (1, 99))[0] / max(len(used), 1) * 10
        bins = np.histogram(jobs.used, range(103))[0]
        between = max(np.median(bins[1:99]), 1)
        ks = scipy.stats.kstest((used - 1) / 98, "uniform").statistic
        peaks = {"zero": bins[0] / between, "hundred": bins[99:].max() / between}
        rows[group] = {"jobs": len(used), "lowest": tenths.min(), "highest": tenths.max(), "ks": ks} | peaks
    return pd.DataFrame(rows).T.rename_axis(lines.index.names[0])


# What the claims are about


def _zero_peak(lines):
    """Share out the jobs of the peak at zero of CTC and SDSC: killed ones, and of the others the short ones."""
    peak = lines[(lines.used < 1) & ~lines.unknown & lines.index.isin(["CTC", "SDSC"], level="trace")]
    if peak.index.unique("trace").size < 2:
        return {}
    killed, short = peak.killed.groupby("trace").mean(), (peak.run < SHORT)[~peak.killed].groupby("trace").mean()
    return {"killed": killed.min(), "short": short.min()}


def _of_printed_peak(lines):
    """Hold the killed jobs of the peak at zero against all that are printed: those that a file lacks may be alive."""
    killed = (lines.killed & (lines.used < 1)).groupby("trace", sort=False).sum()
    shares = (killed / _printed().loc["peak_0pct"]).reindex(["CTC", "SDSC"]).dropna()
    said = ", ".join(f"{trace} {share:.0%}" for trace, share in shares.items())
    return f"those known to be killed, of as many jobs as are printed: {said}" if said else ""


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
