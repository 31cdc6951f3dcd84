"""Which program, which months and which jobs stand behind the numbers of Table 1? `suspects` has the method."""

from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd
import scipy

from ...schedule import simulate
from ...stats import band
from ...sweeps import sweep
from .. import CLOSE, INSIDE, OFF, cell
from ..exhibit import Part, repeats
from . import CLOSE_TO, METRICS, SCHEDULERS, SP2, TRACES, detective_pictures, programs
from .on_traces import OnTraces
from .suspects import DECIMALS, FREEDOM, monthly, printed, search, selections, witnesses

HOURS = np.arange(-36, 36.1, 0.5)
"""The hours from local midnight at which months may begin."""


class Detective(OnTraces, name="mualem2001/detective", section="5", seconds=140, after="mualem2001/table3"):
    """Which program did they run?"""

    traces: tuple = TRACES
    shakes: int = repeats(20)
    text_shakes: int = repeats(100)
    likely_shakes: int = repeats(60)
    shake_s: int = 60
    seed: int = 0

    @property
    def found(self):
        """The traces at hand; only KTH's twin where all are twins, which prove nothing: one will do."""
        found = super().found
        if all(trace.workload.stand_in for trace in found):
            return [trace for trace in found if trace.trace == "KTH"] or found
        return found

    @property
    def sp2(self):
        """Those on which programs are searched."""
        return [trace for trace in self.found if trace.trace in SP2]

    @property
    def counted(self):
        """Those whose number of jobs a month is held against the printed one: Par's file lacks jobs in every month."""
        return [trace for trace in self.found if trace.trace != "Par"]

    @property
    def settings(self):
        """How runs are shaken, as `shaken.runs` takes it."""
        return {"runs": self.shakes, "seconds": self.shake_s, "seed": self.seed}

    @cached_property
    def text(self):
        """The text's program of each scheduler."""
        return {scheduler: programs.program(scheduler) for scheduler in SCHEDULERS}

    @cached_property
    def counts(self):
        """How well each beginning of the months fits, from `counts_by_offset`, by trace."""
        easy = self.text["easy"]
        return {trace.trace: counts_by_offset(trace, easy, HOURS, **self.settings) for trace in self.counted}

    @cached_property
    def searches(self):
        """The steps from the text's program to the likeliest, from `suspects.search`, by scheduler."""
        return {scheduler: search(self.sp2, scheduler, **self.settings) for scheduler in SCHEDULERS}

    @cached_property
    def ranked(self):
        """The rankings of all steps, by scheduler and the number of changes before."""
        found = {(name, len(choices)): one for name, steps in self.searches.items() for choices, one in steps}
        return pd.concat(found, names=["scheduler", "changes before", "detail", "reading"])

    @cached_property
    def likely(self):
        """The likeliest program of each scheduler."""
        return {scheduler: programs.program(scheduler, steps[-1][0]) for scheduler, steps in self.searches.items()}

    @cached_property
    def selections(self):
        """What other jobs, machines and estimates give under the likeliest EASY, from `suspects.selections`."""
        return selections(self.found, self.likely["easy"], **self.settings)

    @cached_property
    def testimony(self):
        """How well the programs meet Tables 3 and 4, from `suspects.witnesses`, on logs that lack no jobs."""
        whole = [trace for trace in self.sp2 if not trace.absent]
        both = {"text": self.text, "likeliest": self.likely}
        tried = {(name, which): both[which][name] for name in SCHEDULERS for which in both}
        by_start = {"compressed in order of": "start, ties by arrival"}
        tried["conservative", "by start, ties by arrival"] = programs.program("conservative", by_start)
        return witnesses(whole, tried, runs=self.shakes, shake_s=self.shake_s, seed=self.seed)

    @cached_property
    def runs(self):
        """The months of both programs, from `suspects.monthly`, by (program, scheduler, trace)."""
        both = ("text", self.text, self.text_shakes), ("likeliest", self.likely, self.likely_shakes)
        return {
            (name, scheduler, trace.trace): monthly(trace, policy, **self.settings | {"runs": count})
            for trace in self.found
            for name, suspect, count in both
            for scheduler, policy in suspect.items()
        }

    @cached_property
    def standing(self):
        """Where each printed number stands among them, from `standing`."""
        return standing(self.found, self.runs)

    @cached_property
    def conclusions(self):
        """What they change in the paper's conclusions, from `conclusions`."""
        return conclusions(self.found, self.runs)

    def parts(self):
        return {
            "": Part(self.standing, lambda: detective_pictures.standing(self.standing)),
            "months": Part(pd.concat(self.counts, names=["trace"]), lambda: detective_pictures.offsets(self.counts)),
            "easy": Part(self.ranked.loc[["easy"]], lambda: self._draw_suspects("easy")),
            "conservative": Part(self.ranked.loc[["conservative"]], lambda: self._draw_suspects("conservative")),
            "selections": Part(self.selections),
            "tables-3-4": Part(self.testimony),
            "conclusions": Part(self.conclusions),
        }

    def _draw_suspects(self, scheduler):
        steps = self.searches[scheduler]
        return detective_pictures.suspects(steps[0][1], steps[-1][1])


# Which months


def counts_by_offset(trace, policy, hours, runs=40, seconds=60, seed=0):
    """How well the printed numbers of jobs a month fit if months begin so many hours after local midnight.

    Only counts are looked at, which hardly hang on the scheduler.

    Parameters
    ----------
    trace : Trace
    policy
        As for `simulate`.
    hours : sequence of float
    runs, seconds, seed : int
        Of the shaking.

    Returns
    -------
    DataFrame
        By hour: `log_likelihood`, and `off`, the median absolute deviation from the printed numbers in jobs.
    """
    ends = sweep(_ends, [(trace.workload, policy, seconds, seed + run) for run in range(runs)], label="shaken runs")
    jobs = printed(trace).jobs
    rows = []
    for hour in hours:
        months, edges = replace(trace, months_begin=hour).month_edges
        counts = pd.DataFrame([np.diff(np.searchsorted(end, edges)) for end in ends], columns=months)[jobs.index]
        # one job more or less is nothing: a job that a file has or lacks, a second's difference at midnight
        scale = np.sqrt(counts.var() + 1)
        fit = scipy.stats.t.logpdf((jobs - counts.mean()) / scale, FREEDOM) - np.log(scale)
        rows.append({"log_likelihood": fit.sum(), "off": (counts.mean() - jobs).abs().median()})
    return pd.DataFrame(rows, index=pd.Index(hours, name="hours"))


def offsets(traces, counts):
    """When months begin according to the printed numbers of jobs, beside the study's settings.

    Parameters
    ----------
    traces : list of Trace
    counts : dict
        From `counts_by_offset`, by trace.

    Returns
    -------
    DataFrame
        By trace: the likeliest hour after local midnight, the one of the `settings`, how many jobs the median month is
        off if they begin at midnight and then, and by how much more likely that is.
    """
    rows = {}
    for trace in traces:
        table = counts[trace.trace]
        best = table.log_likelihood.idxmax()
        rows[trace.trace] = {
            "begin [h]": best,
            "settings [h]": trace.months_begin,
            "jobs off, midnight": table.off[0.0],
            "jobs off, then": table.off[best],
            "likelier by": table.log_likelihood[best] - table.log_likelihood[0.0],
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _ends(workload, policy, seconds, seed):
    return np.sort(simulate(workload.shake(seconds, seed), policy).column("end"))


# What is left, and what it changes


def standing(traces, runs):
    """Where each printed number stands among the shaken runs of each program.

    Parameters
    ----------
    traces : list of Trace
    runs : dict
        From `monthly`, by (program, scheduler, trace).

    Returns
    -------
    DataFrame
        By (program, scheduler, trace, month, metric): `published`, `low`, `median`, `high` of the band, `verdict`,
        `standing` (0 at the median, -1 and 1 at the ends of the band).
    """
    months = {trace.trace: printed(trace) for trace in traces}
    rows = {}
    for (program, scheduler, trace), of in runs.items():
        for month, row in months[trace].iterrows():
            for metric, place in band(of[month]).iterrows():
                low, median, high = place
                value = row[f"{scheduler}_{metric}"]
                found = cell({}, value, median, place, CLOSE_TO[metric], DECIMALS[metric])
                rows[program, scheduler, trace, month, metric] = {
                    "published": value,
                    **place,
                    "verdict": found["verdict"],
                    "standing": (value - median) / (high - median if value > median else median - low),
                }
    names = ["program", "scheduler", "trace", "month", "metric"]
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(names)


def shares(standing):
    """Of the cells of each scheduler and trace, how many are inside, close and off, program beside program."""
    counts = (
        standing.groupby(["scheduler", "trace", "program"], sort=False).verdict.value_counts().unstack(fill_value=0)
    )
    return (
        counts.reindex([INSIDE, CLOSE, OFF], axis=1, fill_value=0)
        .unstack("program")
        .swaplevel(axis=1)
        .sort_index(axis=1, level=0, ascending=False, sort_remaining=False)
    )


def conclusions(traces, runs):
    """In how many months EASY is better, and by how much: as printed, and in 95 % of each program's shaken runs.

    Parameters
    ----------
    traces, runs
        As for `standing`.

    Returns
    -------
    DataFrame
        By (trace, metric, program): `months`, `won_low`, `won_high`; `difference_low`, `difference_median` and
        `difference_high`, the median over months of conservative / EASY - 1. As printed all three are one.
    """
    rows = {}
    for trace in traces:
        table = printed(trace)
        for metric in METRICS:
            difference = table[f"conservative_{metric}"] / table[f"easy_{metric}"] - 1
            rows[trace.trace, metric, "as printed"] = _won(pd.DataFrame([difference]))
            for program in dict.fromkeys(program for program, _, _ in runs):
                easy, conservative = (
                    runs[program, scheduler, trace.trace].xs(metric, axis=1, level="metric")[table.index]
                    for scheduler in ("easy", "conservative")
                )
                rows[trace.trace, metric, program] = _won(conservative / easy - 1)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["trace", "metric", "program"])


def conclusions_beside(conclusions):
    """`conclusions` for reading, program beside program: the months won, and the band of the median difference."""
    found = {}
    for (trace, metric, program), row in conclusions.iterrows():
        won = " to ".join(dict.fromkeys(f"{end:.0f}" for end in (row.won_low, row.won_high)))
        by = " to ".join(dict.fromkeys(f"{end:+.1%}" for end in (row.difference_low, row.difference_high)))
        found.setdefault((trace, metric), {("", "months"): f"{row.months:.0f}"})
        found[trace, metric] |= {("EASY better in", program): won, ("conservative above EASY by", program): by}
    table = pd.DataFrame.from_dict(found, orient="index").rename_axis(["trace", "metric"])
    return table[["", "EASY better in", "conservative above EASY by"]]


def _won(differences):
    """What `conclusions` says of the differences, a row a run and a column a month."""
    of = band(pd.DataFrame({"won": (differences > 0).sum(axis=1), "difference": differences.median(axis=1)}))
    won = {f"won_{end}": of.loc["won", end] for end in ("low", "high")}
    return {"months": differences.shape[1]} | won | of.loc["difference"].add_prefix("difference_").to_dict()
