"""Which program, which months and which jobs stand behind the numbers of Table 1? `suspects` has the method.

There is one function for each question. Functions for the study's own findings, OWN-01 to OWN-06, OWN-10 and OWN-50 of
`data/findings.csv`, give three things: whether the finding holds, or None where that cannot be tested; the evidence in
words; and its numbers.
"""

from dataclasses import replace
from functools import partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy

from ... import plots
from ...analysis.replicate import replicate
from ...analysis.stats import Interval, band, means_of
from ...plots.style import COLOURS
from ..claims import OPEN, Measure
from ..mualem2001 import CLOSE_TO, MEASURES, METRICS, RESTORED_NAME, SP2
from ..verdicts import INSIDE, SCHEDULERS, deviation, judge
from ..verdicts import printed as printed_of
from .suspects import DECIMALS, FREEDOM, LEAST, by_place, log_likelihood, printed, verdicts

# When do months begin?


HOURS = np.arange(-36, 36.1, 0.5)
"""The hours from local midnight at which months may begin."""


def months(traces, policy, hours=HOURS, **how):
    """Tell how well the printed numbers of jobs a month fit if months begin so many hours after local midnight.

    Not of the Paragon without its lost jobs, which are missing in every month. `best_without` counts the months
    without each of which this hour is the likeliest.
    """
    return _fits(traces, pd.Index(hours, name="hours"), begun_at, policy, **how)


def begun_at(trace, hour):
    """The edges of a trace's months that begin so many hours after local midnight."""
    return replace(trace, months_begin=hour).month_edges[1]


def _fits(traces, candidates, edges_of, policy, **how):
    """Tell how well the printed numbers of jobs fit with each candidate's edges of months, by (trace, candidate)."""
    counted = {name: trace for name, trace in traces.items() if trace.trace != "Par" or trace.restored}
    logs = {name: trace.workloads for name, trace in counted.items()}
    edges = {
        trace.workload.name: (trace.month_edges[0], np.array([edges_of(trace, one) for one in candidates]))
        for trace in counted.values()
    }
    runs = replicate(logs, policy, measures=partial(jobs_by_edges, edges, candidates), as_it_is=False, **how)
    found = {name: _fit_of_edges(runs.loc[name].jobs, printed(trace).jobs) for name, trace in counted.items()}
    return pd.concat(found, names=["trace"])


def jobs_by_edges(edges, candidates, schedule):
    """Count the jobs that end in each month, by the candidate that says where months begin: measures a schedule."""
    months, of_log = edges[schedule.workload.name.removesuffix(RESTORED_NAME)]
    counts = np.diff(np.searchsorted(np.sort(schedule.column("end")), of_log), axis=1)
    index = pd.MultiIndex.from_product([range(len(candidates)), months], names=["candidate", "month"])
    levels = {name: candidates.get_level_values(name).repeat(len(months)) for name in candidates.names}
    table = pd.DataFrame({"jobs": counts.ravel()}, index).assign(**levels)
    return table.droplevel("candidate").set_index(list(levels), append=True).reorder_levels([*levels, "month"])


def _fit_of_edges(runs, jobs):
    """`_fits` of one trace: numbers of jobs by (run, candidate, month), and the printed ones by month."""
    of_candidates = [name for name in runs.index.names if name != "run"]
    by_candidate = runs.groupby(level=of_candidates, sort=False)
    mean, variance = (of.unstack("month", sort=False)[jobs.index] for of in (by_candidate.mean(), by_candidate.var()))
    # one job more or less is nothing: a job that a file has or lacks, a second's difference at midnight
    scale = np.sqrt(variance + 1)
    fits = scipy.stats.t.logpdf((jobs - mean) / scale, FREEDOM) - np.log(scale)
    whole = fits.sum(axis=1)
    without = fits.rsub(whole, axis=0).idxmax().value_counts().reindex(fits.index, fill_value=0)
    off = (mean - jobs).abs()
    found = {"log_likelihood": whole, "off": off.median(axis=1), "off_in_all": off.sum(axis=1), "best_without": without}
    return pd.DataFrame(found)


def offsets(months, traces):
    """Sum `months` up: when months begin, beside the study's settings, by trace."""
    rows = {}
    for name, table in months.groupby(level="trace", sort=False):
        table = table.droplevel("trace")
        best, without = table.log_likelihood.idxmax(), table.index[table.best_without > 0]
        rows[name] = {
            "begin [h]": best,
            "settings [h]": traces[name].months_begin,
            "jobs off, midnight": table.off[0.0],
            "jobs off, then": table.off[best],
            "likelier by": table.log_likelihood[best] - table.log_likelihood[0.0],
            "begin, a month left out": " to ".join(
                dict.fromkeys(f"{hour:g}" for hour in (without.min(), without.max()))
            ),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def begin_elsewhere(offsets):
    """OWN-05: months of SDSC and CM-5 begin more than six hours from midnight."""
    if not {"SDSC", "CM5"} <= set(offsets.index):
        return None, ABSENT, {}
    rows = offsets.loc[["SDSC", "CM5"]]
    text = "; ".join(
        f"{name}: {row['begin [h]']:+g} h, likelier by {row['likelier by']:.0f}, the median month "
        f"{row['jobs off, then']:.0f} jobs off in place of {row['jobs off, midnight']:.0f}"
        for name, row in rows.iterrows()
    )
    holds = (rows["likelier by"] > LEAST).all() and (rows["begin [h]"].abs() > 6).all()
    return bool(holds), text, {name.lower(): begin for name, begin in offsets["begin [h]"].items()}


# Do all of them follow from one clock?

ZONES = range(-12, 15)
"""Hours before Greenwich of the clocks that are tried; Jerusalem's standard time is 2."""

TAKEN_FOR = {
    f"{times}{', a day later' if days else ''}": (times.split()[0], days)
    for times in ("epochs", "local times taken for UTC", "standard local times taken for UTC")
    for days in (0, 1)
}
"""What a program may take a log's times for, and by how many days later a month may begin."""


def clocks(traces, policy, zones=ZONES, **how):
    """Tell how well the printed numbers of jobs fit, as `months`, if the computer showed UTC and so many hours."""
    candidates = pd.MultiIndex.from_product([zones, TAKEN_FOR], names=["zone", "taken_for"])
    return _fits(traces, candidates, shown_by, policy, **how)


def shown_by(trace, clock):
    """The edges of a trace's months by a clock, a zone and what the log's times were taken for."""
    zone, (times, days) = clock[0], TAKEN_FOR[clock[1]]
    edges, midnights = (begun_at(trace, hours) for hours in (24 * days - zone, 0))
    # local midnight is so much later than midnight at Greenwich, or by a clock without a summer time
    ahead = [_ahead(trace.workload.time(int(second)), times) for second in midnights]
    return edges + np.where(np.arange(len(edges)) == 0, not trace.from_first_job, True) * np.array(ahead)


def _ahead(time, times):
    """By how many seconds the local clock is ahead of the one that the times are by."""
    local = time.utcoffset()
    standard = min(time.replace(month=month, day=15).utcoffset() for month in (1, 7))
    return int((local - {"epochs": 0 * local, "local": local, "standard": standard}[times]).total_seconds())


def one_clock(clocks, months):
    """Hold one clock for all logs against hours fitted to each: by zone; and what the choices cost."""
    best = clocks.loc[clocks.groupby(level=["trace", "zone"]).log_likelihood.idxmax()]
    by_zone = best.log_likelihood.droplevel("taken_for").unstack("trace")
    by_zone = by_zone.assign(**{"in all": by_zone.sum(axis=1), "jobs off": best.off_in_all.groupby("zone").sum()})
    fitted = months.loc[months.groupby(level="trace").log_likelihood.idxmax()]
    midnight = months.xs(0.0, level="hours")
    logs, ranked = len(fitted), by_zone.sort_values("in all", ascending=False)
    others = ranked.drop(JERUSALEM)
    of_one = len(by_zone) * len(TAKEN_FOR) ** logs
    rows = {
        "local midnight on every log": (1, midnight.log_likelihood.sum(), midnight.off_in_all.sum()),
        "UTC+2": (of_one, *by_zone.loc[JERUSALEM, ["in all", "jobs off"]]),
        f"the next best clock, UTC{others.index[0]:+d}": (of_one, *others.iloc[0][["in all", "jobs off"]]),
        "an hour fitted to each log": (
            len(months.index.unique("hours")) ** logs,
            fitted.log_likelihood.sum(),
            fitted.off_in_all.sum(),
        ),
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["choices", "log_likelihood", "jobs"], dtype=float)
    table.insert(2, "after the cost", table.log_likelihood - np.log(table.choices))
    return by_zone, table.rename_axis("explanation")


JERUSALEM = 2
"""The zone of the authors' computers, by the hypothesis."""


def jerusalem(clocks, months):
    """OWN-50: the authors' computers showed UTC+2."""
    if not {"CTC", "SDSC", "Par", "CM5"} <= set(clocks.index.unique("trace")):
        return None, "the logs of CTC, SDSC, the Paragon or CM-5 are missing", {}
    by_zone, table = one_clock(clocks, months)
    one, other, fitted = (table.iloc[number] for number in (1, 2, 3))
    over, net = one.log_likelihood - other.log_likelihood, one["after the cost"] - fitted["after the cost"]
    taken = clocks.xs(JERUSALEM, level="zone").groupby("trace").log_likelihood.idxmax().str[1]
    read_as = ", ".join(f"{times} ({name})" for name, times in taken.items())
    text = (
        f"UTC{by_zone['in all'].idxmax():+d} is the likeliest of {len(by_zone)} clocks; UTC+2 against "
        f"{table.index[2]}: {over:+.0f}; against an hour fitted to each log "
        f"{one.log_likelihood - fitted.log_likelihood:+.0f}, and with the cost of the choices {net:+.0f}; jobs in "
        f"other months than printed {one.jobs:.0f}, by fitted hours {fitted.jobs:.0f}, by local midnights "
        f"{table.iloc[0].jobs:.0f}; read as {read_as}"
    )
    numbers = {"over": over, "net": net, "jobs": one.jobs, "fitted": fitted.jobs, "midnight": table.iloc[0].jobs}
    numbers = {name: float(number) for name, number in numbers.items()}
    return bool(over > LEAST and net > 0), text, numbers


ABSENT = "the logs of SDSC or CM-5 are missing"

# Which program?

END = "search's end"
"""Names the programs that the search ends at, which differ from the likely ones of the study in further details."""


def draw_line_up(steps):
    """Draw how much more or less likely one change makes the program that a search began with, and its last one."""
    lowest = -60  # where bars are cut
    lines_up = {"from the text's program": steps[0][1], "from the search's end": steps[-1][1]}
    length = max(map(len, lines_up.values())) - 1
    figure, axes = plt.subplots(2, 1, figsize=(plots.WIDEST, 1.6 + 0.4 * length))
    for ax, (title, table) in zip(axes, lines_up.items(), strict=True):
        more = table.more[table.index != ("", "")].iloc[::-1]
        ax.barh(range(len(more)), more.clip(lower=lowest), color=np.where(more > 0, COLOURS[2], COLOURS[1]), height=0.7)
        for y, value in enumerate(more):
            ax.text(max(value, 0) + 1, y, f"{value:+.0f}", va="center", size=8)
        ax.axvline(0, color="black", linewidth=1)
        ax.set_yticks(range(len(more)), [f"{detail}: {reading}" for detail, reading in more.index], size=8)
        ax.set(title=f"one change {title}")
        ax.set_xlim(lowest, max(more.max() * 1.25, 12))
        ax.grid(False, axis="y")
    figure.supxlabel("log likelihood more than without the change", size=9)
    detail, reading = lines_up["from the text's program"].more.drop(("", ""), errors="ignore").idxmax()
    plots.title(figure, f"The change that helps the text's program most: {detail}, {reading}")
    return figure


def shared_extra(steps, testimony):
    """OWN-02: backfilled jobs shared the extra processors, of all changes of EASY the one that helps most.

    Where Tables 3 and 4, which had no say in the search, speak against it on a log, it cannot be decided.
    """
    gains, text, more = _of_reading(steps, "extra processors", ["never used up"])
    elsewhere = testimony.groupby(["scheduler", "suspect", "trace"], sort=False)[["log_likelihood", "inside", "cells"]]
    likely, of_text = (elsewhere.sum().loc["easy", name] for name in ("likely", "text"))
    speak = (likely - of_text).log_likelihood
    said = ", ".join(
        f"{name} {gain:+.1f} (inside {likely.inside[name]:.0f} of {likely.cells[name]:.0f}, by the text "
        f"{of_text.inside[name]:.0f})"
        for name, gain in speak.items()
    )
    numbers = {
        "more": more,
        "elsewhere": float(speak.sum()),
        "complete": float(speak.drop("CTC", errors="ignore").sum()),
    }
    holds = (OPEN if (speak < 0).any() else True) if all(gains) else False
    return holds, f"{text}; Tables 3 and 4, which had no say: {said}", numbers


def by_start(steps, testimony):
    """OWN-03: conservative backfilling compressed by start, either way; and Tables 3 and 4 say so too."""
    gains, text, more = _of_reading(steps, *BY_START)
    elsewhere = testimony.log_likelihood.loc["conservative"].groupby("suspect").sum()
    least = float(elsewhere.drop("text").min() - elsewhere["text"])
    return all(gains) and least > 0, f"{text}; Tables 3 and 4: {least:+.0f} at least", {"more": more}


BY_START = "compressed in order of", ["start, ties by arrival", "start, ties latest first"]


def _of_reading(steps, detail, readings):
    """Whether some readings of a detail stand out in the first line-up, all that must hold; in words; by how much."""
    table = steps[0][1]
    rows = table.loc[[(detail, reading) for reading in readings]]
    traces = [name for name in table.columns if name not in ("all", "more", "inside", "resampled")]
    gains = rows[traces].max() - table.loc[("", ""), traces]
    more, resampled = float(rows.more.max()), float(rows.resampled.sum())
    by_trace = ", ".join(f"{name} {gain:+.0f}" for name, gain in gains.items())
    text = f"log likelihood {more:+.0f} ({by_trace}), the likeliest change in {resampled:.0%} of resampled months"
    return [(gains > 0).all(), more > LEAST, resampled >= 0.95, table.index[0] in list(rows.index)], text, more


def same_again(before, after, testimony):
    """OWN-10: the search ends at the same programs on restored logs, and Tables 3 and 4 of CTC speak for them too."""
    if not after:
        return None, "no log here lost jobs that are known", {}
    same = [name for name, steps in before.items() if steps[-1][0] == after[name][-1][0]]
    ctc = testimony.xs("CTC", level="trace").groupby(["scheduler", "suspect"]).log_likelihood.sum()
    more = {name: float(ctc[name, END] - ctc[name, "text"]) for name in before}
    gains = ", ".join(f"{name} {gain:+.0f}" for name, gain in more.items())
    text = f"the same program of {' and '.join(same) or 'neither scheduler'}; Tables 3 and 4 of CTC, restored: {gains}"
    return len(same) == len(before) and min(more.values()) > LEAST, text, more


# Do Tables 3 and 4 agree?


AVERAGED = 10
"""How many measurements of random estimates are averaged in Table 3."""


def witnesses(traces, suspects, kinds, **how):
    """Tell how well each suspect meets Table 3, by its kinds of estimates, and Table 4 ("x2")."""
    found, logs = {}, {name: trace.workloads for name, trace in traces.items()}
    for (scheduler, name), policy in suspects.items() if logs else ():
        runs = replicate(logs, policy, estimates=kinds, measures=MEASURES, as_it_is=False, **how)
        for (trace, kind), of in runs.groupby(level=["log", "estimates"], sort=False):
            of_print = _printed_elsewhere(scheduler, trace, kind)
            averaged = 1 if kind in ("f1", "x2") else AVERAGED
            likelihood = log_likelihood(of if averaged == 1 else means_of(of, averaged), of_print)
            found[scheduler, name, trace, kind] = {
                "log_likelihood": likelihood,
                **verdicts(band(of, averaged), of_print),
            }
    columns = None if found else ["log_likelihood"]
    return by_place(found, ["scheduler", "suspect", "trace", "estimates"], columns)


def _printed_elsewhere(scheduler, trace, kind):
    """The numbers of Table 3, or of Table 4 for doubled estimates, by metric."""
    if kind == "x2":
        of = printed_of("mualem2001_table4").xs((trace, scheduler, "scaled"), level=["trace", "scheduler", "quantity"])
    else:
        of = printed_of("mualem2001_table3").xs((scheduler, trace, kind), level=["scheduler", "trace", "estimates"])
    return of[list(METRICS)].to_dict()


# What is still outside?


def standing(traces, runs):
    """Tell where each printed number stands among the runs of each program: 0 at the median, 1 at the band's end."""
    rows = {}
    for program, of_program in runs.items():
        for (trace, scheduler), of in of_program.items():
            for month, row in printed(traces[program][trace]).iterrows():
                for metric, place in band(of[month]).iterrows():
                    interval, value = Interval(*place), row[f"{scheduler}_{metric}"]
                    half = (
                        interval.high - interval.median if value > interval.median else interval.median - interval.low
                    )
                    verdict = judge(value, interval, CLOSE_TO[metric], DECIMALS[metric])
                    stands = {"verdict": verdict, "standing": (value - interval.median) / half}
                    rows[program, scheduler, trace, month, metric] = {"published": value} | vars(interval) | stands
    return by_place(rows, ["program", "scheduler", "trace", "month", "metric"])


def _inside(standing, program):
    """How many cells of the SP2 logs are inside their bands under a program; and this in words."""
    cells = standing.loc[program]
    inside = cells.verdict[cells.index.get_level_values("trace").isin(SP2)] == INSIDE
    found = Measure.share(inside.sum(), len(inside))
    schedulers = ", ".join(f"{name} {of.mean():.0%}" for name, of in inside.groupby("scheduler", sort=False))
    share = f"{found.value:.0%} ({found.low:.0%} to {found.high:.0%})"
    return found, f"{inside.sum()} of {len(inside)} cells inside, {share}; {schedulers}"


NO_SP2 = "the logs of CTC, KTH or SDSC are missing"


def text_misses(standing):
    """OWN-01: by the text's rules fewer of the SP2 logs' cells are inside than 95 %."""
    inside, words = _inside(standing, "text")
    if np.isnan(inside.value):
        return None, NO_SP2, {}
    return inside.high < 0.95, f"by the text's rules {words}", {"share": inside.value}


def likely_meets(standing):
    """OWN-04: by the likely programs more of them are inside, and more than half."""
    (text, _), (inside, words), (end, further) = (_inside(standing, program) for program in ("text", "likely", END))
    if np.isnan(inside.value):
        return None, NO_SP2, {}
    holds = inside.low > text.high and inside.low > 0.5
    said = f"by the likely programs {words}; by those that the search ends at {further}"
    return holds, said, {"share": inside.value, "end": end.value}


# What does it change?


def conclusions(traces, runs):
    """Count the months in which EASY is better, and by how much: as printed, and in 95 % of each program's runs."""
    rows = {}
    for name, metric in product(traces, METRICS):
        table = printed(traces[name])
        difference = deviation(table[f"conservative_{metric}"], table[f"easy_{metric}"])
        rows[name, metric, "as printed"] = _won(pd.DataFrame([difference]))
        for program, of in runs.items():
            easy, conservative = (of[name, s].xs(metric, axis=1, level="metric")[table.index] for s in SCHEDULERS)
            rows[name, metric, program] = _won(deviation(conservative, easy))
    return by_place(rows, ["trace", "metric", "program"])


def _won(differences):
    """What `conclusions` says of the differences, one row per run and one column per month."""
    won, by = (Interval.of(values) for values in ((differences > 0).sum(axis=1), differences.median(axis=1)))
    of_differences = {f"difference_{end}": getattr(by, end) for end in ("low", "median", "high")}
    return {"months": differences.shape[1], "won_low": won.low, "won_high": won.high} | of_differences


def undecided(conclusions):
    """OWN-06: by the text EASY does not lead on SDSC by bounded slowdown, nor on CM-5 by response time."""
    asked = {"sdsc": ("SDSC", "bounded_slowdown"), "cm5": ("CM5", "response_s")}
    if not {trace for trace, _ in asked.values()} <= set(conclusions.index.unique("trace")):
        return None, ABSENT, {}
    parts, texts, numbers = [], [], {}
    for name, place in asked.items():
        text, paper = conclusions.loc[(*place, "text")], conclusions.loc[(*place, "as printed")]
        parts += [text.won_low <= text.months / 2 <= text.won_high, not text.won_low <= paper.won_low <= text.won_high]
        texts.append(
            f"{place[0]}: {text.won_low:.0f} to {text.won_high:.0f} of {text.months:.0f} ({paper.won_low:.0f})"
        )
        numbers |= {f"{name}_{key}": value for key, value in text[["won_low", "won_high", "months"]].items()}
        numbers[f"{name}_printed"] = paper.won_low
    return all(parts), f"months in which EASY is better, and as printed: {'; '.join(texts)}", numbers
