"""Which program, which months and which jobs stand behind the numbers of Table 1? `suspects` has the method."""

from dataclasses import replace
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
import scipy

from ...schedule import simulate
from ...stats import Interval, band
from ...sweeps import sweep
from ..exhibit import LOGS, Part
from ..judging import CLOSE, INSIDE, OFF, RESTORED, deviation, judge
from ..parameters import SECONDS, SEED, parameter, repeats, some_of
from . import CLOSE_TO, METRICS, SCHEDULERS, SP2, TRACES, detective_findings, detective_pictures, programs
from .on_traces import OnTraces
from .suspects import DECIMALS, FREEDOM, monthly, printed, search, selections, witnesses

HOURS = np.arange(-36, 36.1, 0.5)
"""The hours from local midnight at which months may begin."""

TEXT, LIKELIEST, WITH_LOST = "text", "likeliest", "likeliest, lost jobs back"
"""The programs that are compared in the end: by the paper's text, and those that the search arrives at; the latter also
on logs whose lost jobs are put back."""

FINDINGS = dict.fromkeys(detective_findings.IDS, LOGS)


class Detective(
    OnTraces, name="mualem2001/detective", section="5", seconds=160, after="mualem2001/table3", claims=FINDINGS
):
    """Which program did they run?"""

    puts_back = True

    traces: tuple = parameter(TRACES, some_of(TRACES, among=SP2))
    shakes: int = repeats(20)
    text_shakes: int = repeats(100)
    likely_shakes: int = repeats(40)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(0, SEED)

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
        """Those whose number of jobs a month is held against the printed one, lost jobs put back; not Par of 1995."""
        return [trace for trace in self.restored if trace.trace != "Par" or trace.restored]

    @property
    def restored(self):
        """All traces, those that lost jobs with these put back."""
        return [trace.under(RESTORED) for trace in self.found]

    @cached_property
    def months(self):
        """How well each beginning of the months fits, from `counts_by_offset`, by trace."""
        easy = programs.program("easy")
        return {trace.trace: counts_by_offset(trace, easy, HOURS, **self.settings) for trace in self.counted}

    @cached_property
    def offsets(self):
        """When months begin according to the printed numbers of jobs, beside the study's settings, by trace."""
        rows = {}
        for trace in self.counted:
            table = self.months[trace.trace]
            best = table.log_likelihood.idxmax()
            rows[trace.trace] = {
                "begin [h]": best,
                "settings [h]": trace.months_begin,
                "jobs off, midnight": table.off[0.0],
                "jobs off, then": table.off[best],
                "likelier by": table.log_likelihood[best] - table.log_likelihood[0.0],
                "begin, a month left out": _range(table.index[table.best_without > 0]),
            }
        return pd.DataFrame.from_dict(rows, orient="index")

    @cached_property
    def searches(self):
        """The steps from the text's program to the likeliest, from `suspects.search`, by scheduler."""
        return {scheduler: search(self.sp2, scheduler, **self.settings) for scheduler in SCHEDULERS}

    @cached_property
    def ranked(self):
        """The rankings of all steps, by scheduler and the number of changes before."""
        return ranked(self.searches)

    @cached_property
    def searches_again(self):
        """The same steps on logs whose lost jobs are put back; none where none lost any."""
        sp2 = [trace for trace in self.restored if trace.trace in SP2]
        lost = any(trace.restored for trace in sp2)
        return {name: search(sp2, name, **self.settings) for name in SCHEDULERS} if lost else {}

    @cached_property
    def programs(self):
        """The text's and the likeliest program, by (program, scheduler)."""
        text = {(TEXT, scheduler): programs.program(scheduler) for scheduler in SCHEDULERS}
        return text | {(LIKELIEST, name): programs.program(name, of[-1][0]) for name, of in self.searches.items()}

    @cached_property
    def selections(self):
        """What other jobs, machines and estimates give under the likeliest EASY, from `suspects.selections`."""
        return selections(self.found, self.programs[LIKELIEST, "easy"], **self.settings)

    @cached_property
    def testimony(self):
        """How well the programs meet Tables 3 and 4, from `suspects.witnesses`, on logs with all their jobs."""
        whole = [trace for trace in self.restored if trace.trace in SP2 and trace.complete()]
        tried = {(name, which): self.programs[which, name] for name in SCHEDULERS for which in (TEXT, LIKELIEST)}
        by_start = {"compressed in order of": "start, ties by arrival"}
        tried["conservative", "by start, ties by arrival"] = programs.program("conservative", by_start)
        return witnesses(whole, tried, **self.settings)

    @cached_property
    def runs(self):
        """The months of both programs, from `suspects.monthly`, by (program, scheduler, trace)."""
        cases = [
            (name, trace, self.programs[name, s], s)
            for name, trace, s in product((TEXT, LIKELIEST), self.found, SCHEDULERS)
        ]
        if self.restores:
            cases += [
                (WITH_LOST, trace, self.programs[LIKELIEST, s], s) for trace, s in product(self.restored, SCHEDULERS)
            ]
        counts = {TEXT: self.text_shakes}
        return {
            (name, scheduler, trace.trace): monthly(
                trace, policy, **self.settings | {"shakes": counts.get(name, self.likely_shakes)}
            )
            for name, trace, policy, scheduler in cases
        }

    @cached_property
    def standing(self):
        """Where each printed number stands among them, from `standing`."""
        return standing(self.traces_of, self.runs)

    @property
    def traces_of(self):
        """The traces that each program was run on, by program."""
        return dict.fromkeys((TEXT, LIKELIEST), self.found) | ({WITH_LOST: self.restored} if self.restores else {})

    @cached_property
    def conclusions(self):
        """What they change in the paper's conclusions, from `conclusions`."""
        return conclusions(self.traces_of, self.runs)

    def judge(self):
        return detective_findings.findings(self)

    def parts(self):
        return {
            "": Part(lambda: self.standing, lambda: detective_pictures.standing(self.standing)),
            "months": Part(
                lambda: pd.concat(self.months, names=["trace"]), lambda: detective_pictures.offsets(self.months)
            ),
            "easy": Part(lambda: self.ranked.loc[["easy"]], lambda: self._draw_suspects("easy")),
            "conservative": Part(
                lambda: self.ranked.loc[["conservative"]], lambda: self._draw_suspects("conservative")
            ),
            "selections": Part(lambda: self.selections),
            "again": Part(lambda: ranked(self.searches_again or self.searches)),
            "tables-3-4": Part(lambda: self.testimony),
            "conclusions": Part(lambda: self.conclusions),
        }

    def _draw_suspects(self, scheduler):
        steps = self.searches[scheduler]
        return detective_pictures.suspects(steps[0][1], steps[-1][1])


def counts_by_offset(trace, policy, hours, shakes=40, shake_s=60, seed=0):
    """Tell how well the printed numbers of jobs a month fit if months begin so many hours after local midnight.

    Only counts are looked at, which hardly hang on the scheduler.

    Returns
    -------
    DataFrame
        By hour: `log_likelihood`; `off`, the median absolute deviation from the printed numbers in jobs;
        `best_without`, without how many of the months, each left out alone, this hour is the likeliest.
    """
    tasks = [(trace.workloads, policy, shake_s, seed + run) for run in range(shakes)]
    ends = sweep(_ends, tasks, label="shaken runs")
    jobs = printed(trace).jobs
    rows = []
    for hour in hours:
        months, edges = replace(trace, months_begin=hour).month_edges
        counts = pd.DataFrame([np.diff(np.searchsorted(end, edges)) for end in ends], columns=months)[jobs.index]
        # one job more or less is nothing: a job that a file has or lacks, a second's difference at midnight
        scale = np.sqrt(counts.var() + 1)
        fit = scipy.stats.t.logpdf((jobs - counts.mean()) / scale, FREEDOM) - np.log(scale)
        rows.append({"off": (counts.mean() - jobs).abs().median()} | fit.to_dict())
    table = pd.DataFrame(rows, index=pd.Index(hours, name="hours"))
    fits = table.drop(columns="off")
    whole = fits.sum(axis=1)
    without = fits.rsub(whole, axis=0).idxmax().value_counts().reindex(table.index, fill_value=0)
    return pd.DataFrame({"log_likelihood": whole, "off": table.off, "best_without": without})


def _range(hours):
    return " to ".join(dict.fromkeys(f"{hour:g}" for hour in (hours.min(), hours.max())))


def _ends(workload, policy, seconds, seed):
    workload = workload(seed) if callable(workload) else workload
    return np.sort(simulate(workload.shake(seconds, seed), policy).column("end"))


def ranked(searches):
    """Lay out the rankings of all steps of `suspects.search`, by (scheduler, changes before, detail, reading)."""
    found = {(name, len(choices)): one for name, steps in searches.items() for choices, one in steps}
    return pd.concat(found, names=["scheduler", "changes before", "detail", "reading"])


def standing(traces, runs):
    """Tell where each printed number stands among the shaken runs of each program.

    Parameters
    ----------
    traces : dict
        Lists of Trace by program.
    runs : dict
        From `suspects.monthly`, by (program, scheduler, trace).

    Returns
    -------
    DataFrame
        By (program, scheduler, trace, month, metric): `published`, `low`, `median`, `high` of the band, `verdict`,
        `standing` (0 at the median, -1 and 1 at the ends of the band).
    """
    months = {(program, trace.trace): printed(trace) for program, of in traces.items() for trace in of}
    rows = {}
    for (program, scheduler, trace), of in runs.items():
        for month, row in months[program, trace].iterrows():
            for metric, place in band(of[month]).iterrows():
                interval, value = Interval(*place), row[f"{scheduler}_{metric}"]
                half = interval.high - interval.median if value > interval.median else interval.median - interval.low
                verdict = judge(value, interval, CLOSE_TO[metric], DECIMALS[metric])
                stands = {"verdict": verdict, "standing": (value - interval.median) / half}
                rows[program, scheduler, trace, month, metric] = {"published": value} | vars(interval) | stands
    names = ["program", "scheduler", "trace", "month", "metric"]
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(names)


def shares(standing):
    """Count the cells of each scheduler and trace that are inside, close and off, program beside program."""
    by = standing.groupby(["scheduler", "trace", "program"], sort=False).verdict
    counts = by.value_counts().unstack(fill_value=0).reindex([INSIDE, CLOSE, OFF], axis=1, fill_value=0)
    beside = counts.unstack("program").swaplevel(axis=1)
    return beside.sort_index(axis=1, level=0, ascending=False, sort_remaining=False)


def conclusions(traces, runs):
    """Count in how many months EASY is better, and by how much: as printed, and in 95 % of each program's shaken runs.

    Returns
    -------
    DataFrame
        By (trace, metric, program): `months`, `won_low`, `won_high`; `difference_low`, `difference_median` and
        `difference_high`, the median over months of conservative / EASY - 1. As printed all three are one.
    """
    rows = {}
    for trace, metric in product(traces[TEXT], METRICS):
        table = printed(trace)
        difference = deviation(table[f"conservative_{metric}"], table[f"easy_{metric}"])
        rows[trace.trace, metric, "as printed"] = _won(pd.DataFrame([difference]))
        for program in traces:
            easy, conservative = (
                runs[program, scheduler, trace.trace].xs(metric, axis=1, level="metric")[table.index]
                for scheduler in SCHEDULERS
            )
            rows[trace.trace, metric, program] = _won(deviation(conservative, easy))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["trace", "metric", "program"])


def _won(differences):
    """What `conclusions` says of the differences, a row a run and a column a month."""
    won, by = (Interval.of(values) for values in ((differences > 0).sum(axis=1), differences.median(axis=1)))
    return {
        "months": differences.shape[1],
        "won_low": won.low,
        "won_high": won.high,
        "difference_low": by.low,
        "difference_median": by.median,
        "difference_high": by.high,
    }


def conclusions_beside(conclusions):
    """Lay out `conclusions` for reading, program beside program."""
    found = {}
    for (trace, metric, program), row in conclusions.iterrows():
        won = " to ".join(dict.fromkeys(f"{end:.0f}" for end in (row.won_low, row.won_high)))
        by = " to ".join(dict.fromkeys(f"{end:+.1%}" for end in (row.difference_low, row.difference_high)))
        found.setdefault((trace, metric), {("", "months"): f"{row.months:.0f}"})
        found[trace, metric] |= {("EASY better in", program): won, ("conservative above EASY by", program): by}
    table = pd.DataFrame.from_dict(found, orient="index").rename_axis(["trace", "metric"])
    return table[["", "EASY better in", "conservative above EASY by"]]
