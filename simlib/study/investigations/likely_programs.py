"""Which program, which months and which jobs stand behind the numbers of Table 1? `suspects` has the method."""

from dataclasses import replace
from functools import cached_property
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy

from ...analysis.stats import Interval, band
from ...core.schedule import simulate
from ...core.sweeps import sweep
from ...plots.panels import legend
from ...plots.style import COLOURS
from ..claims import Measure, finding
from ..exhibit import LOGS, Part
from ..mualem2001 import CLOSE_TO, METRICS, SCHEDULERS, SP2, TRACES
from ..mualem2001.on_traces import OnTraces
from ..parameters import SECONDS, SEED, parameter, repeats, some_of
from ..verdicts import CLOSE, INSIDE, OFF, RESTORED, deviation, judge
from . import programs
from .suspects import DECIMALS, FREEDOM, LEAST, monthly, printed, search, selections, witnesses

# What the detective found, held against the criteria of `data/findings.csv`: OWN-01 to OWN-06 and OWN-10.


ABSENT = "the logs of SDSC and CM-5 are not at hand"
IDS = ("OWN-01", "OWN-02", "OWN-03", "OWN-04", "OWN-05", "OWN-06", "OWN-10")


def _decided(id, parts, evidence, **numbers):
    return finding(id, all(parts), evidence, numbers)


def _inside(standing, program):
    """How many cells of the SP2 logs are inside their bands under a program, in all and by scheduler."""
    cells = standing.loc[program]
    inside = cells.verdict[cells.index.get_level_values("trace").isin(SP2)] == INSIDE
    by_scheduler = {scheduler: float(inside.loc[scheduler].mean()) for scheduler in SCHEDULERS}
    return (
        vars(Measure.share(inside.sum(), len(inside))) | {"inside": int(inside.sum()), "of": len(inside)} | by_scheduler
    )


def _stated(found):
    schedulers = ", ".join(f"{name} {found[name]:.0%}" for name in SCHEDULERS)
    return (
        f"{found['inside']} of {found['of']} cells inside, {found['value']:.0%} ({found['low']:.0%} to "
        f"{found['high']:.0%}); {schedulers}"
    )


def _text_misses(text):
    return _decided("OWN-01", [text["high"] < 0.95], f"by the text's rules {_stated(text)}", share=text["value"])


def _likeliest_meets(text, likeliest):
    parts = likeliest["low"] > text["high"], likeliest["low"] > 0.5
    return _decided("OWN-04", parts, f"by the likeliest programs {_stated(likeliest)}", share=likeliest["value"])


def _of_reading(steps, detail, readings):
    """How likely some readings of a detail are in the first line-up: more on each trace, more in all, resampled."""
    table = steps[0][1]
    rows = table.loc[[(detail, reading) for reading in readings]]
    traces = [name for name in table.columns if name not in ("all", "more", "inside", "resampled")]
    gains = rows[traces].max() - table.loc[("", ""), traces]
    return gains, float(rows.more.max()), float(rows.resampled.sum()), table.index[0] in list(rows.index)


def _likelier(found):
    gains, more, resampled, first = found
    return [(gains > 0).all(), more > LEAST, resampled >= 0.95, first]


def _text_of(found):
    gains, more, resampled, _ = found
    by_trace = ", ".join(f"{name} {gain:+.0f}" for name, gain in gains.items())
    return f"log likelihood {more:+.0f} ({by_trace}), the likeliest change in {resampled:.0%} of resampled months"


def _shared_extra(steps):
    found = _of_reading(steps, "extra processors", ["never used up"])
    return _decided("OWN-02", _likelier(found), _text_of(found), more=found[1])


def _by_start(steps, testimony):
    found = _of_reading(steps, "compressed in order of", ["start, ties by arrival", "start, ties latest first"])
    elsewhere = testimony.log_likelihood.loc["conservative"].groupby("suspect").sum()
    more = float(elsewhere.drop("text").min() - elsewhere["text"])
    text = f"{_text_of(found)}; Tables 3 and 4: {more:+.0f} at least"
    return _decided("OWN-03", [*_likelier(found), more > 0], text, more=found[1])


def _months(offsets):
    if not {"SDSC", "CM5"} <= set(offsets.index):
        return finding("OWN-05", None, ABSENT, {})
    rows = offsets.loc[["SDSC", "CM5"]]
    text = "; ".join(
        f"{name}: {row['begin [h]']:+g} h, likelier by {row['likelier by']:.0f}, the median month "
        f"{row['jobs off, then']:.0f} jobs off in place of {row['jobs off, midnight']:.0f}"
        for name, row in rows.iterrows()
    )
    parts = (rows["likelier by"] > LEAST).all(), (rows["begin [h]"].abs() > 6).all()
    return _decided("OWN-05", parts, text, **{name.lower(): begin for name, begin in offsets["begin [h]"].items()})


def _undecided(conclusions):
    """EASY's lead on SDSC by bounded slowdown and on CM-5 by response time."""
    asked = {"sdsc": ("SDSC", "bounded_slowdown"), "cm5": ("CM5", "response_s")}
    if not {trace for trace, _ in asked.values()} <= set(conclusions.index.unique("trace")):
        return finding("OWN-06", None, ABSENT, {})
    parts, texts, numbers = [], [], {}
    for name, place in asked.items():
        text, paper = conclusions.loc[(*place, "text")], conclusions.loc[(*place, "as printed")]
        parts += [text.won_low <= text.months / 2 <= text.won_high, not text.won_low <= paper.won_low <= text.won_high]
        texts.append(
            f"{place[0]}: {text.won_low:.0f} to {text.won_high:.0f} of {text.months:.0f} ({paper.won_low:.0f})"
        )
        numbers |= {f"{name}_{key}": value for key, value in text[["won_low", "won_high", "months"]].items()}
        numbers[f"{name}_printed"] = paper.won_low
    return _decided("OWN-06", parts, f"months in which EASY is better, and as printed: {'; '.join(texts)}", **numbers)


def _again(before, after, testimony):
    """Whether the search ends at the same programs on restored logs, and Tables 3 and 4 of CTC speak for them too."""
    if not after:
        return finding("OWN-10", None, "no log here lost jobs that are known", {})
    chosen = {name: (steps[-1][0], after[name][-1][0]) for name, steps in before.items()}
    ctc = testimony.xs("CTC", level="trace").groupby(["scheduler", "suspect"]).log_likelihood.sum()
    more = {name: float(ctc[name, "likeliest"] - ctc[name, "text"]) for name in SCHEDULERS}
    parts = [*(one == other for one, other in chosen.values()), *(gain > LEAST for gain in more.values())]
    same = [name for name, (one, other) in chosen.items() if one == other]
    gains = ", ".join(f"{name} {gain:+.0f}" for name, gain in more.items())
    text = f"the same program of {' and '.join(same) or 'neither scheduler'}; Tables 3 and 4 of CTC, restored: {gains}"
    return _decided("OWN-10", parts, text, easy=more["easy"], conservative=more["conservative"])


# The pictures of the detective's notebook; each function draws a table, and computes nothing.


def offsets(counts):
    """How well the printed numbers of jobs fit, against the hour at which months begin: a panel a trace."""
    figure, axes = plt.subplots(1, len(counts), figsize=(0.6 + 2.9 * len(counts), 3.2), sharex=True, squeeze=False)
    for ax, (trace, table) in zip(axes[0], counts.items(), strict=True):
        best = table.log_likelihood.idxmax()
        ax.axvline(0, color="grey", linewidth=1)
        ax.plot(table.index, table.log_likelihood - table.log_likelihood.max(), color=COLOURS[0], linewidth=1.4)
        ax.plot(best, 0, "o", color=COLOURS[1])
        ax.annotate(
            f"{best:+g} h" if best else "midnight",
            (best, 0),
            xytext=(6, -3),
            textcoords="offset points",
            color=COLOURS[1],
        )
        ax.set_title(trace)
        ax.set_xlabel("months begin so many hours\nafter local midnight")
        ax.xaxis.set_major_locator(plt.MultipleLocator(12))
    axes[0, 0].set_ylabel("log likelihood, below the best")
    return figure


def suspects(first, last, lowest=-60):
    """How much more or less likely one change makes the text's program, and the likeliest one."""
    length = max(len(first), len(last)) - 1
    figure, axes = plt.subplots(1, 2, figsize=(15, 1.2 + 0.27 * length))
    for ax, table, title in zip(axes, (first, last), ("from the text's program", "from the likeliest"), strict=True):
        more = table.more[table.index != ("", "")].iloc[::-1]
        ax.barh(range(len(more)), more.clip(lower=lowest), color=np.where(more > 0, COLOURS[2], COLOURS[1]), height=0.7)
        for y, value in enumerate(more):
            ax.text(max(value, 0) + 1, y, f"{value:+.0f}", va="center", size=8)
        ax.axvline(0, color="black", linewidth=1)
        ax.set_yticks(range(len(more)), [f"{detail}: {reading}" for detail, reading in more.index], size=8.5)
        ax.set(title=f"one change {title}", xlabel="log likelihood more than without the change")
        ax.set_xlim(lowest, max(more.max() * 1.25, 12))
        ax.grid(False, axis="y")
    return figure


MARKS = {
    ("easy", "response_s"): {"color": COLOURS[0], "marker": "o"},
    ("easy", "bounded_slowdown"): {"color": COLOURS[0], "marker": "o", "fillstyle": "none"},
    ("conservative", "response_s"): {"color": COLOURS[1], "marker": "s"},
    ("conservative", "bounded_slowdown"): {"color": COLOURS[1], "marker": "s", "fillstyle": "none"},
}


def draw_standing(table, highest=4):
    """Where the printed numbers stand in the bands of two programs: a row a program, a column a trace."""
    programs, traces = (list(table.index.unique(level)) for level in ("program", "trace"))
    table = table.sort_index()
    months = {trace: list(table.xs(trace, level="trace").index.unique("month")) for trace in traces}
    size = (1.5 + 0.2 * sum(map(len, months.values())), 1.2 + 2.9 * len(programs))
    widths = [len(months[trace]) for trace in traces]
    figure, axes = plt.subplots(
        len(programs), len(traces), figsize=size, width_ratios=widths, sharey=True, sharex="col", squeeze=False
    )
    for row, program in enumerate(programs):
        for column, trace in enumerate(traces):
            ax = axes[row, column]
            ax.axhspan(-1, 1, color="#E8E8E8", zorder=0)
            for shift, ((scheduler, metric), style) in zip((-0.24, -0.08, 0.08, 0.24), MARKS.items(), strict=True):
                part = table.loc[program, scheduler, trace].xs(metric, level="metric").standing
                x = np.array([months[trace].index(month) for month in part.index]) + shift
                ax.plot(x, part.clip(-highest, highest), linestyle="", markersize=4.5, **style)
            ax.set_title(trace if row == 0 else "")
            step = 2 if len(months[trace]) > 12 else 1
            ax.set_xticks(range(0, len(months[trace]), step), months[trace][::step], rotation=90, size=8.5)
            ax.set_xlim(-0.7, len(months[trace]) - 0.3)
            ax.grid(False, axis="x")
        axes[row, 0].set_ylabel(program)
    axes[0, 0].set_ylim(-highest * 1.08, highest * 1.08)
    figure.supylabel("printed number's place in our band", size=10)
    names = {"response_s": "response time", "bounded_slowdown": "bounded slowdown"}
    entries = {
        f"{'EASY' if scheduler == 'easy' else scheduler}, {names[metric]}": style | {"linestyle": ""}
        for (scheduler, metric), style in MARKS.items()
    }
    legend(figure, entries | {"95 % of shaken runs": {"facecolor": "#E8E8E8"}})
    return figure


HOURS = np.arange(-36, 36.1, 0.5)
"""The hours from local midnight at which months may begin."""

TEXT, LIKELIEST, WITH_LOST = "text", "likeliest", "likeliest, lost jobs back"
"""The programs that are compared in the end: by the paper's text, and those that the search arrives at; the latter also
on logs whose lost jobs are put back."""

FINDINGS = dict.fromkeys(IDS, LOGS)


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
            best, without = table.log_likelihood.idxmax(), table.index[table.best_without > 0]
            ends = without.min(), without.max()
            rows[trace.trace] = {
                "begin [h]": best,
                "settings [h]": trace.months_begin,
                "jobs off, midnight": table.off[0.0],
                "jobs off, then": table.off[best],
                "likelier by": table.log_likelihood[best] - table.log_likelihood[0.0],
                "begin, a month left out": " to ".join(dict.fromkeys(f"{hour:g}" for hour in ends)),
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
        text, likeliest = (_inside(self.standing, program) for program in (TEXT, LIKELIEST))
        return [
            _text_misses(text),
            _shared_extra(self.searches["easy"]),
            _by_start(self.searches["conservative"], self.testimony),
            _likeliest_meets(text, likeliest),
            _months(self.offsets),
            _undecided(self.conclusions),
            _again(self.searches, self.searches_again, self.testimony),
        ]

    def parts(self):
        return {
            "": Part(lambda: self.standing, lambda: draw_standing(self.standing)),
            "months": Part(lambda: pd.concat(self.months, names=["trace"]), lambda: offsets(self.months)),
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
        return suspects(steps[0][1], steps[-1][1])


def counts_by_offset(trace, policy, hours, shakes=40, shake_s=60, seed=0):
    """Tell how well the printed numbers of jobs a month fit if months begin so many hours after local midnight.

    Only counts are looked at, which hardly hang on the scheduler.

    Gives a DataFrame, by hour: `log_likelihood`; `off`, the median absolute deviation from the printed numbers in
    jobs; `best_without`, without how many of the months, each left out alone, this hour is the likeliest.
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


def _ends(workload, policy, seconds, seed):
    workload = workload(seed) if callable(workload) else workload
    return np.sort(simulate(workload.shake(seconds, seed), policy).column("end"))


def ranked(searches):
    """Lay out the rankings of all steps of `suspects.search`, by (scheduler, changes before, detail, reading)."""
    found = {(name, len(choices)): one for name, steps in searches.items() for choices, one in steps}
    return pd.concat(found, names=["scheduler", "changes before", "detail", "reading"])


def standing(traces, runs):
    """Tell where each printed number stands among the shaken runs of each program.

    Gives a DataFrame, by (program, scheduler, trace, month, metric): `published`, `low`, `median`, `high` of the
    band, `verdict`, `standing` (0 at the median, -1 and 1 at the ends of the band).
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

    Gives a DataFrame, by (trace, metric, program): `months`, `won_low`, `won_high`; `difference_low`,
    `difference_median` and `difference_high`, the median over months of conservative / EASY - 1. As printed all
    three are one.
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
