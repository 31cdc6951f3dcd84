"""Which reading of sections 4.1 and 4.2 meets best what is printed there, and where? (sections 4.2.2 to 4.2.5)

The text leaves open how many similar jobs there must be before an estimate is adjusted, which jobs are earlier ones,
how a percentile is taken, which jobs count, and whether the threshold on A applies in Figures 8 to 10. Every reading is
held against the claims on Figures 4 to 11, whose criteria can be compared on another log: most are relative to its own
users. The *score* of a reading is the share of them that its numbers meet: of each claim the share of its parts, of
each part the share of the logs.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from ..._util.compiled import compiled
from ...plots.style import COLOURS
from ...policies import walltime
from .. import claims, results
from ..exhibit import Part
from ..parameters import RESAMPLES, SEED, parameter, some, whole
from ..tang2013 import DOUBLE, TRACE, TRIPLE, OnTraces, accuracy, figure11
from ..tang2013.accuracy import ORIGINAL, similar, study

BEFORE, BY_THEN, DAYS_31, SUBMITTED = "ended before", "ended by then", "a month of 31 days", "submitted before"
INTERPOLATED, COBALT = "interpolated", "as in Cobalt"
ALL, COMPLETED = "all", "completed"

CHOICES = {"history": (BY_THEN, DAYS_31, SUBMITTED), "percentile": (COBALT,), "jobs": (COMPLETED,)}
"""What else than the study's own reading is tried, one at a time."""

THRESHOLD = 0.5
"""On A, in Figures 6, 7 and 11, and perhaps in Figures 8 to 10: their `floor`."""

FIGURES = {
    "Figures 4 and 5": ("TG-04", "TG-05", "TG-06", "TG-07", "TG-08", "TG-22", "TG-23", "TG-38"),
    "Figures 6 and 7": ("TG-09", "TG-24"),
    "Figure 8": ("TG-10",),
    "Figures 9 and 10": ("TG-11", "TG-25"),
    "Figure 11": ("TG-12", "TG-26", "TG-27"),
}
"""The claims that readings are held against, by what the paper makes them of."""

PLACE = ["least", "floor", "choice", "option"]
"""What tells readings apart: how many similar jobs, the threshold of Figures 8 to 10 (0 is none), a further choice."""

TEXT = "none", "as the study"
"""The choice and option of a reading that differs from the study's own in nothing else."""


@dataclass(frozen=True)
class Reading:
    """A reading of the text."""

    least: int
    history: str = BEFORE
    percentile: str = INTERPOLATED
    jobs: str = ALL

    def traces(self, traces):
        """Choose the jobs that count."""
        if self.jobs == ALL:
            return traces
        return [replace(trace, workload=trace.workload.select("status in (1, -1)")) for trace in traces]

    def parameters(self, jobs, ends, schemes):
        """Find adjustment parameters, as `walltime.parameters`."""
        ends = {BY_THEN: ends - 1, SUBMITTED: jobs.submit}.get(self.history, ends)
        month = "31 days" if self.history == DAYS_31 else "1 month"
        asked = [replace(scheme, window=scheme.window and month) for scheme in schemes]
        find = walltime.parameters if self.percentile == INTERPOLATED else without_interpolation
        found = find(jobs, ends, asked)
        return found[asked].set_axis(pd.Index(schemes), axis=1)


class Detective(OnTraces, name="tang2013/detective", section="4.2.5", seconds=60):
    """Which reading of the text meets what is printed best?"""

    trace: tuple = parameter(("Curie standard", "SDSC-SP2", "SDSC-DS"), TRACE)
    least: tuple = parameter((1, 10), some(whole(1)))
    resamples: int = parameter(200, RESAMPLES)
    seed: int = parameter(1, SEED)

    @cached_property
    def results(self):
        """What was measured for each part of the claims: by replication; columns by `PLACE`, trace, claim and part."""
        found = {}
        for least in self.least:
            readings = {TEXT: Reading(least)}
            for choice, options in CHOICES.items():
                readings |= {(choice, option): Reading(least, **{choice: option}) for option in options}
            for name, reading in readings.items():
                for floor, log, claim, measures in self._measured(reading):
                    for part, measure in measures.items():
                        runs = measure.runs or [np.nan] * self.resamples
                        found[least, floor, *name, log, claim, part] = [measure.value, *runs]
        return pd.DataFrame(found).rename_axis(index="replication", columns=[*PLACE, "trace", "claim", "part"])

    def _measured(self, reading):
        """Measure the claims under a reading: tuples of floor, log, claim and Measure by part."""
        traces = reading.traces(self.found)
        same = {
            "least": reading.least,
            "resamples": self.resamples,
            "seed": self.seed,
            "parameters": reading.parameters,
        }
        thresholds = None, THRESHOLD
        schemes = study(traces, walltime.KEYS, thresholds=thresholds, **same)
        recent = study(traces, (TRIPLE, DOUBLE), ("1 month",), thresholds=thresholds, **same)
        schemes = pd.concat([schemes, recent.drop(columns=ORIGINAL[0], level="key")], axis=1)
        jobs = figure11.averages(traces, "1 month", THRESHOLD, **same)
        for log in (one.name for one in traces):
            found = {claim: measure(schemes[log]) for claim, measure in accuracy.SIMILARITY.items()}
            found |= {claim: measure(jobs[log]) for claim, measure in figure11.MEASURES.items()}
            for floor in thresholds:
                recency = {claim: measure(schemes[log], floor) for claim, measure in accuracy.RECENCY.items()}
                for claim, measures in (found | recency).items():
                    yield floor or 0.0, log, claim, measures

    @cached_property
    def by_claim(self):
        """The share of each claim that each reading meets: by replication; columns by `PLACE` and claim."""
        criteria = [claims.criteria()[claim][part] for *_, claim, part in self.results]
        above, below = (np.array([getattr(one, bound) for one in criteria]) for bound in ("above", "below"))
        inside = (self.results > above) & (self.results < below)
        met = inside.astype(float).where(self.results.notna()).T  # nan where there was nothing to measure
        for level in ("trace", "part"):
            met = met.groupby([name for name in met.index.names if name != level], sort=False).mean()
        return met.T

    @cached_property
    def scores(self):
        """The score of each reading: by replication; columns by `PLACE`."""
        return self.by_claim.T.groupby(PLACE, sort=False).mean().T

    @cached_property
    def ranking(self):
        """The scores with their spread, the best first; `behind` the best, with `behind_low` and `behind_high`."""
        table = results.summary(self.scores).sort_values("ours", ascending=False, kind="stable")
        behind = results.summary(self.scores.rsub(self.scores[table.index[0]], axis=0))[["ours", "low", "high"]]
        return table.join(behind.set_axis(["behind", "behind_low", "behind_high"], axis=1))

    @cached_property
    def comparisons(self):
        """What each choice alone changes in the score, by the reading it is made in; `clear` of zero or not."""
        found, scores = {}, self.scores
        for least, floor, choice, option in scores:
            base = least, floor, *TEXT
            if (choice, option) != TEXT:
                found[choice, option, least, floor] = scores[least, floor, choice, option] - scores[base]
            elif least != self.least[0]:
                found["least", similar(least), least, floor] = scores[base] - scores[self.least[0], floor, *TEXT]
        for least in self.least:
            found["floor", _floor(THRESHOLD), least, THRESHOLD] = (
                scores[least, THRESHOLD, *TEXT] - scores[least, 0.0, *TEXT]
            )
        names = ["choice", "option", "least", "floor"]
        return differences(pd.DataFrame(found).rename_axis(columns=names))

    @cached_property
    def where(self):
        """What it changes in the score that there must be more similar jobs, figure by figure, as `comparisons`."""
        names, found, (first, *others) = ["figures", "least", "floor"], {}, self.least
        if not others:
            return pd.DataFrame(index=pd.MultiIndex.from_arrays([[]] * len(names), names=names))
        for (name, ids), least, floor in product(FIGURES.items(), others, (0.0, THRESHOLD)):
            of, before = (self.by_claim[[(one, floor, *TEXT, id) for id in ids]].mean(axis=1) for one in (least, first))
            found[name, least, floor] = of - before
        return differences(pd.DataFrame(found).rename_axis(columns=names))

    @property
    def statements(self):
        """What was measured, number by number, beside what has to hold; all else as in the study."""
        ours = results.wide(self.results.loc[results.AS_IT_IS].xs(TEXT, level=("choice", "option")), ["least", "floor"])
        bounds = [claims.criteria()[claim][part].demand for _, claim, part in ours.index]
        names = [f"{similar(least)}, {_floor(floor)}" for least, floor in ours]
        table = ours.set_axis(names, axis=1).rename_axis(columns=None)
        table.insert(0, "has to be", bounds)
        return table

    def parts(self):
        return {
            "": Part(lambda: self.ranking, lambda: ranked(self.ranking)),
            "choices": Part(lambda: self.comparisons),
            "figures": Part(lambda: self.where, (lambda: by_figure(self.where)) if len(self.least) > 1 else None),
            "statements": Part(lambda: results.summary(self.results)),
        }


def differences(found):
    """Summarize differences by replication; `clear` where their 95 % lie on one side of zero."""
    table = results.summary(found.rename_axis("replication"))
    return table.assign(clear=(table.low > 0) | (table.high < 0))


def without_interpolation(jobs, ends, schemes):
    """Find adjustment parameters as `walltime.parameters`, each one of the earlier jobs' R values: see `Reading`."""
    r, submit = walltime.used(jobs.run, jobs.estimate), jobs.submit.to_numpy()
    end, found = ends.loc[jobs.index].to_numpy(), {}
    alike = [(scheme.columns, scheme.window_s, scheme.least) for scheme in schemes]
    for (columns, window, least), part in groupby(
        sorted(zip(alike, schemes, strict=True), key=lambda one: one[0]), key=lambda one: one[0]
    ):
        part = [scheme for _, scheme in part]
        shares = sorted({scheme.percentile / 100 for scheme in part})
        group = jobs.groupby(columns).ngroup().to_numpy(np.int64)
        by_submit, by_end = np.argsort(group, kind="stable"), np.lexsort((end, group))
        a = _earlier(group, by_submit, by_end, submit, end, r, float(window), least, np.array(shares))
        found |= {one: np.maximum(a[:, shares.index(one.percentile / 100)], one.threshold or 0) for one in part}
    return pd.DataFrame({scheme: found[scheme] for scheme in schemes}, index=jobs.index)


@compiled
def _earlier(group, by_submit, by_end, submit, end, r, window, least, shares):
    """Find A of each job, a column a share. The jobs are given in both orders, group by group."""
    a, values = np.full((group.size, shares.size), np.nan), np.empty(group.size)
    first, taken, forgotten, n = 0, 0, 0, 0
    for place in range(group.size):
        job = by_submit[place]
        if group[job] != group[by_submit[first]]:
            first, taken, forgotten, n = place, place, place, 0
        now = submit[job]
        while taken < group.size and group[by_end[taken]] == group[job] and end[by_end[taken]] < now:
            k = n
            while k > 0 and values[k - 1] > r[by_end[taken]]:
                values[k] = values[k - 1]
                k -= 1
            values[k] = r[by_end[taken]]
            n, taken = n + 1, taken + 1
        while forgotten < taken and end[by_end[forgotten]] < now - window:
            k = np.searchsorted(values[:n], r[by_end[forgotten]])
            values[k : n - 1] = values[k + 1 : n].copy()
            n, forgotten = n - 1, forgotten + 1
        if n >= max(least, 1):
            for column in range(shares.size):
                a[job, column] = values[min(int(shares[column] * n), n - 1)]
    return a


def compile_kernel():
    """Use the kernel once."""
    one = np.zeros(1, np.int64)
    _earlier(one, one, one, one, one, np.ones(1), 1.0, 1, np.ones(1))


def ranked(ranking):
    """Draw the score of each reading with its 95 % interval: a row a choice, a mark a `least` and floor."""
    order = [TEXT, *((choice, option) for choice, options in CHOICES.items() for option in options)]
    marks = list(product(sorted(ranking.index.unique("least")), sorted(ranking.index.unique("floor"))))
    figure, ax = plt.subplots(figsize=(9, 1.4 + 0.55 * len(order)))
    for (least, floor), offset in zip(marks, np.linspace(-0.27, 0.27, len(marks)), strict=True):
        part = ranking.xs((least, floor), level=("least", "floor")).reindex(pd.MultiIndex.from_tuples(order))
        _dots(ax, part, offset, COLOURS[least == marks[-1][0]], bool(floor), f"{similar(least)}, {_floor(floor)}")
    names = ["as the study reads it", *(f"{choice}: {option}" for choice, option in order[1:])]
    ax.set(yticks=range(len(order)), yticklabels=names, ylim=(len(order) - 0.5, -0.5))
    ax.set_xlabel("score: the share of the claims on Figures 4 to 11 that is met")
    return _finished(figure, ax)


def by_figure(where):
    """Draw what it changes in the score that there must be more similar jobs, a row a group of figures."""
    rows = list(where.index.unique("figures"))
    figure, ax = plt.subplots(figsize=(8, 1.4 + 0.45 * len(rows)))
    for (least, floor), part in where.groupby(level=["least", "floor"]):
        words = f"{similar(least)}; {_floor(floor)}"
        _dots(ax, part.droplevel(["least", "floor"]).loc[rows], 0.24 * bool(floor) - 0.12, "black", bool(floor), words)
    ax.axvline(0, color="grey", linewidth=1)
    ax.set(yticks=range(len(rows)), yticklabels=rows, ylim=(len(rows) - 0.5, -0.5))
    ax.set_xlabel("met less, or more, than with any similar job")
    return _finished(figure, ax, 1)


def _floor(floor):
    return f"{f'A at least {floor:g}' if floor else 'any A'} in Figures 8 to 10"


def _dots(ax, part, offset, colour, full, label):
    """Draw numbers with their intervals, a row each."""
    y = np.arange(len(part)) + offset
    ax.hlines(y, part.low, part.high, color=colour, linewidth=2, alpha=0.45)
    ax.plot(part.ours, y, "o", color=colour, fillstyle="full" if full else "none", label=label)


def _finished(figure, ax, columns=2):
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.grid(False, axis="y")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=columns)
    return figure
