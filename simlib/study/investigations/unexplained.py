"""What is left: the months of Table 1 that are off under the likely program, how far, and what is known of each."""

from functools import cached_property, partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

from ...analysis.replicate import replicate
from ...core.schedule import simulate
from ...plots.panels import legend
from ...plots.style import COLOURS
from ..exhibit import Part
from ..mualem2001 import CLOSE_TO, LABELS, METRICS, SCHEDULERS, TRACES, policies
from ..mualem2001.on_traces import OnTraces
from ..mualem2001.table1 import Table1, in_order
from ..parameters import SECONDS, SEED, parameter, repeats, some_of
from ..verdicts import LIKELY, OFF, RESTORED, published, reading
from . import programs
from .suspects import monthly

# Forks: small changes after which a month of Table 1 comes out otherwise, and others that change nothing.


PROGRAMS = {scheduler: policy for (scheduler, _), policy in policies([LIKELY]).items()}
LATEST_FIRST = programs.program(SCHEDULERS[1], {"compressed in order of": "start, ties latest first"})
"""The likely conservative program, but jobs of equal reserved start are moved in the other order."""

LEVELS = ["name", "variant", "run"]
FORK_COLUMNS = [f"{metric}{of}" for of in ("_printed", "") for metric in METRICS] + ["cause", "cause_printed"]

BRANCHING = (13055, 13054, 13046, 13069)
"""KTH's jobs of the afternoon of 6 March 1997 on which the month hangs."""

CONTROLS = 20
"""Other jobs of these days that are taken out in their places, one at a time."""

SECOND = 62011, 62012
"""Jobs of one user that came in one second, 6 October 1999."""

DAYS_BEFORE = 40
"""How long before that November other jobs of one second are swapped."""

FLURRY = 328
"""The user who submitted 412 jobs on two days of December 1999."""

LIGHT = 0.9225
"""What February 2000 executed at most: .920 is printed."""

TIE_RUNS = 40
"""How many shaken runs show the order of ties, at most."""

LONG = 29465, 30028
"""The largest two, of user 4: all 128 processors for two days."""

LARGEST = 20
"""So many of the Paragon's jobs of September 1996 that did not complete are put in, one at a time."""

DAY = 86400

AS_IT_IS, SHAKEN, OTHER_TIES = "the log as it is", "shaken", "shaken, of equal starts the latest first"
OTHER_JOB, OTHER_PAIR = "without one of {} other jobs", "with one of {} other pairs swapped"
DRAWN = "one draw of the restored log"
WITH_JOB, WITH_OTHERS = "with job {}, which did not complete", "with one of the other large jobs that did not"
LEAST, MOST = "shaken, user 328 waits least (a tenth)", "shaken, the other nine tenths"
LIGHTER, HEAVIER = f"shaken, February's load at most {LIGHT}", "shaken, February's load higher"


# Which can be shown


def known(traces):
    """Which forks can be shown on these traces: by name, what makes its variants for an exhibit."""
    found = {}
    for trace in traces:
        jobs = trace.workload.jobs
        if trace.trace == "KTH" and jobs.index.isin(BRANCHING).sum() == len(BRANCHING):
            found[_name("KTH", "1997-03", "conservative")] = partial(branches, trace)
        if trace.trace == "SDSC" and jobs.index.isin(SECOND).sum() == len(SECOND):
            found[_name("SDSC", "1999-11", "conservative")] = partial(swaps, trace)
        if trace.trace == "SDSC" and (jobs.user == FLURRY).any():
            found[_name("SDSC", "1999-12", "easy")] = partial(flurry, trace)
            found[_name("SDSC", "2000-03", "easy")] = partial(light_february, trace)
        if trace.trace == "Par" and trace.lost and "1996-09" in trace.month_edges[0]:
            found |= {_name("Par", "1996-09", s): partial(uncompleted, trace, scheduler=s) for s in SCHEDULERS}
    return found


def _name(trace, month, scheduler):
    return f"{trace} {month} {scheduler}"


def runs(exhibit):
    """Make all runs of the forks that can be shown, and of the other order of ties in months that are off.

    Gives a DataFrame, by (name, variant, run), the name being trace, month and scheduler: what is printed of each
    metric, what comes out, and the `cause` that is thought to move it, where that is a number, and as printed
    where it is.
    """
    found = {name: make(exhibit) for name, make in known(exhibit.real).items()}
    for place in exhibit.off_months:
        if place[2] == "conservative":
            found[_name(*place)] = found.get(_name(*place), {}) | other_ties(exhibit, place)
    rows = [_rows(name, variant, made) for name, variants in found.items() for variant, made in variants.items()]
    empty = pd.DataFrame(columns=FORK_COLUMNS, index=pd.MultiIndex.from_tuples([], names=LEVELS), dtype=float)
    return pd.concat(rows) if rows else empty


def _rows(name, variant, made):
    """The runs of a variant with what is printed, in the layout of `runs`."""
    trace, month, scheduler = name.split()
    table = published("mualem2001_table1").set_index(["trace", "month"]).loc[(trace, month)]
    made = pd.DataFrame(made).reindex(columns=[*METRICS, "cause", "cause_printed"])
    made = made.assign(**{f"{metric}_printed": table[f"{scheduler}_{metric}"] for metric in METRICS})
    places = [(name, variant, run) for run in range(len(made))]
    return made[FORK_COLUMNS].set_axis(pd.MultiIndex.from_tuples(places, names=LEVELS)).astype(float)


def summed_up(found):
    """Sum up the runs of each variant.

    Gives a DataFrame, by (name, variant): of each metric what is printed, `ours`, the median of the first
    variant, and the median of this one; how many `runs` it has; `both`, the share of them that are close to print
    in both metrics; the `correlation` of cause and response time over all runs of the name that have a cause.
    """
    rows = {}
    for (name, variant), part in found.groupby(level=["name", "variant"], sort=False):
        of_name = found.loc[name]
        first = of_name.loc[of_name.index[0][0]]
        printed = {metric: part[f"{metric}_printed"].iloc[0] for metric in METRICS}
        row = {f"{metric}_printed": value for metric, value in printed.items()}
        row |= {f"{metric}_ours": first[metric].median() for metric in METRICS}
        row |= {metric: part[metric].median() for metric in METRICS}
        row |= {"runs": len(part), "both": near(part, printed).mean()}
        caused = of_name.dropna(subset="cause") if part.cause.notna().any() else of_name.iloc[:0]
        rows[name, variant] = row | {"correlation": caused.cause.corr(caused.response_s) if len(caused) else np.nan}
    columns = [f"{metric}{of}" for of in ("_printed", "_ours", "") for metric in METRICS]
    index = pd.MultiIndex.from_tuples(list(rows), names=LEVELS[:2])
    return pd.DataFrame(list(rows.values()), index, [*columns, "runs", "both", "correlation"])


def near(runs, printed):
    """Which runs come close to what is printed, in all metrics at once: a bool a run."""
    return np.all([(runs[m] - printed[m]).abs() <= close * printed[m] for m, close in CLOSE_TO.items()], axis=0)


# What is known, or was tried


def branches(trace, exhibit):
    """March 1997 at KTH, conservative: without one of four jobs of 6 March, and without one of others of two days."""
    jobs, policy = trace.workload.jobs, PROGRAMS["conservative"]
    one = partial(measured, trace, policy, "1997-03")
    begin = trace.workload.second("1997-03-05")
    around = jobs.index[(jobs.submit >= begin) & (jobs.submit < begin + 2 * DAY)].difference(BRANCHING)
    others = np.random.default_rng(exhibit.seed).choice(around, min(CONTROLS, len(around)), replace=False)
    alone = {f"without job {job}": [one(jobs.drop(job))] for job in BRANCHING}
    return {AS_IT_IS: [one(jobs)]} | alone | {OTHER_JOB.format(len(others)): [one(jobs.drop(job)) for job in others]}


def swaps(trace, _):
    """November 1999 at SDSC, conservative: two jobs of one second in the other order, and other such pairs."""
    jobs, policy = trace.workload.jobs, PROGRAMS["conservative"]
    one = partial(measured, trace, policy, "1999-11")
    months, edges = trace.month_edges
    month = months.index("1999-11")
    pairs = [pair for pair in of_one_second(jobs, edges[month] - DAYS_BEFORE * DAY, edges[month + 1]) if pair != SECOND]
    first = {AS_IT_IS: [one(jobs)], "jobs {} and {} swapped".format(*SECOND): [one(swapped(jobs, *SECOND))]}
    return first | {OTHER_PAIR.format(len(pairs)): [one(swapped(jobs, *pair)) for pair in pairs]}


def flurry(trace, exhibit):
    """December 1999 at SDSC, EASY: shaken runs by how long user 328's jobs wait in all, in hours."""
    runs = exhibit.winter[["december_response_s", "december_bounded_slowdown", "wait_h"]].set_axis(
        [*METRICS, "cause"], axis=1
    )
    least = runs.cause <= runs.cause.quantile(0.1)
    return {AS_IT_IS: [measured(trace, PROGRAMS["easy"], "1999-12")], LEAST: runs[least], MOST: runs[~least]}


def light_february(trace, exhibit):
    """March 2000 at SDSC, EASY: shaken runs in which February executes as little as printed, and the others."""
    runs = exhibit.winter[["march_response_s", "march_bounded_slowdown", "february_load"]].set_axis(
        [*METRICS, "cause"], axis=1
    )
    table = published("mualem2001_table1").set_index(["trace", "month"])
    runs, light = runs.assign(cause_printed=table.load["SDSC", "2000-02"]), runs.cause <= LIGHT
    return {AS_IT_IS: [measured(trace, PROGRAMS["easy"], "2000-03")], LIGHTER: runs[light], HEAVIER: runs[~light]}


def uncompleted(trace, exhibit, scheduler):
    """September 1996 on the Paragon: one draw of the restored log, and with each large job that did not complete."""
    drawn, begin_end = trace.drawn(exhibit.seed), trace.month_edges[1][trace.month_edges[0].index("1996-09") :][:2]
    filed, jobs = trace.lost.log.jobs, drawn.workload.jobs
    others = filed[(filed.status != 1) & filed.submit.between(*begin_end)]
    others = others.loc[(others.run * others.procs).nlargest(LARGEST).index].assign(estimate=lambda of: of.run)
    one = partial(measured, drawn, PROGRAMS[scheduler], "1996-09")
    found = {DRAWN: [one()]}
    for job in others.index:
        name = WITH_JOB.format(job) if job in LONG else WITH_OTHERS
        found.setdefault(name, []).append(one(pd.concat([jobs, others.loc[[job]]])))
    return found


def other_ties(exhibit, place):
    """A conservative month that is off: jobs of equal reserved start compressed by arrival, or the latest first."""
    settings = exhibit.settings | {"shakes": min(TIE_RUNS, exhibit.shakes)}
    others = monthly(exhibit.trace_of(place), LATEST_FIRST, **settings)
    return {SHAKEN: exhibit.runs(place).iloc[: settings["shakes"]], OTHER_TIES: others[place[1]]}


# Their runs


def measured(trace, policy, month, jobs=None):
    """The means of a month with other jobs: a dict by metric."""
    workload = trace.workload if jobs is None else trace.workload.derive(jobs, "other jobs")
    means = trace.by_month(simulate(workload, policy)).loc[month]
    return {metric: means[quantity] for metric, quantity in METRICS.items()}


def of_one_second(jobs, begin, end):
    """Pairs of jobs that follow one another and came in one second, within a time: by their numbers."""
    submit, number = jobs.submit.to_numpy(), jobs.index
    places = np.flatnonzero((submit[1:] == submit[:-1]) & (submit[1:] >= begin) & (submit[1:] < end))
    return [(int(number[place]), int(number[place + 1])) for place in places]


def swapped(jobs, one, other):
    """The jobs with two of one second in the other order."""
    order = np.arange(len(jobs))
    places = jobs.index.get_indexer([one, other])
    order[places] = places[::-1]
    return jobs.iloc[order]


class _Winter:
    """Measures the winter of 1999 on SDSC, in a class, so that processes can be sent it."""

    def __init__(self, trace):
        months, edges = trace.month_edges
        self.trace, self.begin, self.end = trace, *edges[months.index("1999-12") :][:2]

    def __call__(self, schedule):
        months = self.trace.by_month(schedule)
        end, user = schedule.column("end"), schedule.column("user")
        of_flurry = (user == FLURRY) & (end >= self.begin) & (end < self.end)
        named = {"december": months.loc["1999-12"], "march": months.loc["2000-03"]}
        means = {f"{name}_{metric}": row[mean] for name, row in named.items() for metric, mean in METRICS.items()}
        wait = schedule.column("wait")[of_flurry].sum() / 3600
        return pd.Series(means | {"wait_h": wait, "february_load": months.utilization["2000-02"]})


# The pictures of what is left; each function draws tables, and computes nothing.


GREY = "#888888"

PRINTED = {"marker": "D", "color": "black", "fillstyle": "none", "markersize": 8, "linestyle": ""}

FINE, COARSE = (0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2), (0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 4, 6)
"""Ticks of axes that are relative to print."""


def draw_spread(table, off):
    """Draw the runs of each off month around the printed number, which is 1: a row a month."""
    figure, axes = plt.subplots(1, len(METRICS), figsize=(11, 1.4 + 0.36 * len(off)), sharey=True)
    looks = dict(zip(table.index.unique("shake_s"), ((-0.16, COLOURS[0]), (0.16, COLOURS[1])), strict=False))
    for ax, metric in zip(axes, METRICS, strict=True):
        ax.axvspan(1 - CLOSE_TO[metric], 1 + CLOSE_TO[metric], color="#EEEEEE", zorder=0)
        ax.axvline(1, color="black", linewidth=1)
        for y, (place, row) in enumerate(off.iterrows()):
            is_off = OFF in (row[f"{metric}_verdict"], row[f"{metric}_verdict_in_table1"])
            for seconds, (shift, colour) in looks.items():
                part, at = table.loc[(*place, metric, seconds)], y + shift  # 95 % thin, half thick, the median a dot
                half, dot = {"linewidth": 4, "alpha": 0.6, "solid_capstyle": "butt"}, colour if is_off else "white"
                ax.plot([part.low, part.high], [at, at], color=colour, linewidth=1.2)
                ax.plot([part.quarter, part.three_quarters], [at, at], color=colour, **half)
                ax.plot(part["median"], at, "o", color=colour, markersize=5, markerfacecolor=dot)
        _ratio_axis(ax)
        ax.set_xlabel(f"{LABELS[metric].partition(' [')[0]}, printed = 1")
    axes[0].set_yticks(range(len(off)), [" ".join(place).replace("easy", "EASY") for place in off.index])
    axes[0].set_ylim(len(off) - 0.4, -0.6)
    entries = {f"shaken by ±{seconds:,} s": {"color": colour, "linewidth": 4} for seconds, (_, colour) in looks.items()}
    dot = {"color": GREY, "marker": "o", "linestyle": ""}
    entries |= {"median, off": dot, "median, not off": dot | {"fillstyle": "none"}}
    legend(figure, entries | {"close to print": {"facecolor": "#EEEEEE"}})
    return figure


def _ratio_axis(ax):
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(
        FixedLocator([ratio for ratio in (FINE if high < 4 * low else COARSE) if low <= ratio <= high])
    )
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", labelsize=9)
    ax.grid(False, axis="y")


def draw_forks(runs):
    """Draw the forks that can be shown: a panel each."""
    here = {name: draw for name, draw in PANELS.items() if name in runs.index.unique("name")}
    columns = min(2, len(here))
    rows = -(-len(here) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(5.6 * columns, 4.2 * rows), squeeze=False)
    for ax, (name, draw) in zip(axes.flat, here.items(), strict=False):
        draw(ax, runs.loc[name])
        ax.set_title(name.replace("easy", "EASY"))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    for ax in axes.flat[len(here) :]:
        ax.set_axis_off()
    return figure


def _changes(ax, runs):
    """What single changes do: the two means against one another."""
    variants = [variant for variant in runs.index.unique("variant") if not variant.startswith("shaken")]
    looks = [("s", "black"), *(("o", COLOURS[2]) for _ in variants[1:-1]), ("x", GREY)]
    places = {}
    for variant, (marker, colour) in zip(variants, looks, strict=True):
        part = runs.loc[variant]
        filled = {"markerfacecolor": "none"} if marker == "s" else {}
        ax.plot(part.bounded_slowdown, part.response_s, marker, color=colour, markersize=8, **filled)
        key = "with the change" if marker == "o" else variant
        places.setdefault(key, {"marker": marker, "color": colour, "linestyle": ""} | filled)
    first = runs.iloc[0]
    ax.plot(first.bounded_slowdown_printed, first.response_s_printed, **PRINTED)
    _labelled(ax, places | {"printed": PRINTED})
    ax.margins(0.15)
    ax.set(xlabel=LABELS["bounded_slowdown"], ylabel=LABELS["response_s"])
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _causes(cause):
    """What shaken runs owe to a cause: response times against it; both as printed where that is known."""

    def draw(ax, runs):
        shaken = runs.dropna(subset="cause")
        first = shaken.iloc[0]
        ax.plot(shaken.cause, shaken.response_s, "o", color=COLOURS[0], markersize=3, alpha=0.6)
        if first.cause_printed == first.cause_printed:
            ax.plot(first.cause_printed, first.response_s_printed, **PRINTED)
            printed = PRINTED
        else:
            printed = {"color": "black", "linewidth": 1.2, "linestyle": "--"}
            ax.axhline(first.response_s_printed, **printed)
        _labelled(ax, {"a shaken run": {"color": COLOURS[0], "marker": "o", "linestyle": ""}, "printed": printed})
        ax.set(xlabel=cause, ylabel=LABELS["response_s"])
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))

    return draw


def _labelled(ax, entries):
    ax.legend(handles=[plt.Line2D([], [], label=label, **style) for label, style in entries.items()], fontsize=8.5)


PANELS = {
    "KTH 1997-03 conservative": _changes,
    "SDSC 1999-11 conservative": _changes,
    "SDSC 1999-12 easy": _causes("user 328's jobs wait together [h]"),
    "SDSC 2000-03 easy": _causes("load of February 2000"),
}
"""What draws each fork; of others there is only the table."""


MONTH = ["trace", "month", "scheduler"]

OF_METRIC = ("printed", "median", "verdict", "verdict_in_table1", "rank", "wide_rank")

COLUMNS = [*(f"{metric}_{what}" for metric in METRICS for what in OF_METRIC), "both", "wide_both", "why"]

SHARES = {"low": 0.025, "quarter": 0.25, "median": 0.5, "three_quarters": 0.75, "high": 0.975}
"""What is told of a distribution."""

INCONCLUSIVE = "not looked at yet"
"""Of a month that nothing is written of."""


class Leftovers(OnTraces, name="mualem2001/what-is-left", section="5", seconds=65, after="mualem2001/lost-jobs"):
    """The printed means that no reading meets, month by month.

    Of logs that are not here nothing can be left, so nothing is told of their twins.
    """

    puts_back = True

    traces: tuple = parameter(TRACES, some_of(TRACES))
    shakes: int = repeats(100)
    wide_shakes: int = repeats(40)
    fork_shakes: int = repeats(500)
    shake_s: int = parameter(60, SECONDS)
    wide_s: int = parameter(3600, SECONDS)
    seed: int = parameter(0, SEED)

    @property
    def real(self):
        """The traces whose logs are here."""
        return [trace for trace in self.found if not trace.workload.stand_in]

    # Which months are off

    @cached_property
    def judged(self):
        """The printed means by (trace, month, scheduler, metric), from `judged`, in all runs and in Table 1's."""
        here, of_table1 = (self._judged(shakes) for shakes in (self.shakes, min(self.shakes, Table1.other_shakes)))
        return here.assign(verdict_in_table1=of_table1.verdict)

    def _judged(self, shakes):
        rules = LIKELY, RESTORED
        counts = {"shakes": shakes, "other_shakes": shakes}
        table = Table1(self.traces, rules, shake_s=self.shake_s, seed=self.seed, **counts)
        vars(table)["_found"] = self.real, []
        return judged(table.cells if self.real else [])

    @cached_property
    def _printed(self):
        """The rows of `judged` by metric, of each triple (trace, month, scheduler)."""
        return {place: part.droplevel(MONTH) for place, part in self.judged.groupby(level=MONTH, sort=False)}

    @property
    def off_months(self):
        """The triples (trace, month, scheduler) of which a metric is off, in all runs or in those that Table 1 has."""
        of_either = (self.judged[["verdict", "verdict_in_table1"]] == OFF).any(axis=1)
        return list(dict.fromkeys(place[:3] for place in self.judged.index[of_either]))

    def runs(self, place, wide=False):
        """The means of an off month in shaken runs: a row a run, a column a metric."""
        further = {"shakes": self.wide_shakes, "shake_s": self.wide_s} if wide else {}
        _, month, scheduler = place
        made = vars(self).setdefault("_runs", {})
        if (place, wide) not in made:
            runs = monthly(self.trace_of(place), PROGRAMS[scheduler], **self.settings | further)
            made[place, wide] = runs[month][list(METRICS)]
        return made[place, wide]

    def trace_of(self, place):
        """The trace that has an off month, with its lost jobs back."""
        name, month, _ = place
        found = next(each for each in self.real if each.trace == name and month in each.month_edges[0])
        return found.under(RESTORED)

    # How far off, and why

    @cached_property
    def off(self):
        """The off months, by (trace, month, scheduler).

        Of each metric what is `printed`, the `median` of our runs, the `verdict` and that of `table1`; `rank` and
        `wide_rank`, the share of runs below print, shaken as everywhere and further. `both` and `wide_both`: the share
        of runs that come close to print in both metrics. And `why`, or what was tried.
        """
        rows = [self._off(place) for place in self.off_months]
        return pd.DataFrame(rows, pd.MultiIndex.from_tuples(self.off_months, names=MONTH), COLUMNS)

    def _off(self, place):
        of, runs, wide = self._printed[place], self.runs(place), self.runs(place, wide=True)
        row = {"both": near(runs, of.published).mean(), "wide_both": near(wide, of.published).mean()}
        for metric, one in of.iterrows():
            told = one.published, one["median"], one.verdict, one.verdict_in_table1
            ranks = (runs[metric] < one.published).mean(), (wide[metric] < one.published).mean()
            row |= {f"{metric}_{what}": value for what, value in zip(OF_METRIC, (*told, *ranks), strict=True)}
        return row | {"why": reasons().get(place, INCONCLUSIVE)}

    @cached_property
    def spread(self):
        """How the runs of each off month lie around print, which is 1.

        By (trace, month, scheduler, metric, shake_s): the shares of `SHARES`.
        """
        found = {}
        for place in self.off_months:
            for wide, seconds in ((False, self.shake_s), (True, self.wide_s)):
                relative = self.runs(place, wide) / self._printed[place].published
                for metric in METRICS:
                    found[*place, metric, seconds] = relative[metric].quantile(list(SHARES.values())).to_numpy()
        index = pd.MultiIndex.from_tuples(list(found), names=[*MONTH, "metric", "shake_s"])
        return pd.DataFrame(np.array(list(found.values())).reshape(-1, len(SHARES)), index, list(SHARES))

    # What can be shown of them

    @cached_property
    def winter(self):
        """Shaken runs of SDSC under EASY: a row a run, December's and March's means, and what they may hang on."""
        trace = next(each for each in self.real if each.trace == "SDSC")
        settings = {"shakes": self.fork_shakes, "seconds": self.shake_s, "seed": self.seed}
        others = {"as_it_is": False, "keep": False}
        return replicate(trace.workload, PROGRAMS["easy"], measures=_Winter(trace), **settings, **others)

    @cached_property
    def fork_runs(self):
        """Every run behind `forks`, by (name, variant, run), from `runs`."""
        return runs(self)

    @cached_property
    def forks(self):
        """What single changes do to a month, by (name, variant), from `summed_up`."""
        return summed_up(self.fork_runs)

    # What it shows

    def parts(self):
        return {
            "": Part(lambda: self.off, (lambda: draw_spread(self.spread, self.off)) if self.real else None),
            "spread": Part(lambda: self.spread),
            "forks": Part(lambda: self.forks, (lambda: draw_forks(self.fork_runs)) if self.shows_forks else None),
            "fork-runs": Part(lambda: self.fork_runs),
        }

    @property
    def shows_forks(self):
        """Whether a log is here of which a fork is known."""
        return bool(known(self.real))


def judged(cells):
    """Take from Table 1's cells the printed means, by the first of our readings that is judged.

    Gives a DataFrame, by (trace, month, scheduler, metric): `published`, the `median` of our runs, `verdict`.
    """
    found = {}
    for cell in cells:
        of, ours = cell["of"], reading(cell, RESTORED, LIKELY)
        if of["metric"] in METRICS and ours:
            found[tuple(of[key] for key in (*MONTH, "metric"))] = cell["published"], ours["median"], ours["verdict"]
    index = pd.MultiIndex.from_tuples(list(found), names=[*MONTH, "metric"])
    return in_order(pd.DataFrame(list(found.values()), index, ["published", "median", "verdict"]))


def reasons():
    """The sentences of `data/published/mualem2001_leftovers.csv`, by (trace, month, scheduler)."""
    return published("mualem2001_leftovers").set_index(MONTH).why.to_dict()
