"""Which program, which months and which jobs stand behind the numbers of Table 1? `suspects` has the method.

What is named OWN-01 or the like decides a finding of `data/findings.csv`: see `study.finding`.
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
    """Tell how well the printed numbers of jobs a month fit if months begin so many hours after local midnight."""
    return _fits(traces, pd.Index(hours, name="hours"), begun_at, policy, **how)


def begun_at(trace, hour):
    """The edges of a trace's months that begin so many hours after local midnight."""
    return replace(trace, months_begin=hour).month_edges[1]


def _fits(traces, candidates, edges_of, policy, **how):
    """Tell how well the printed numbers of jobs fit with each candidate's edges of months, by (trace, candidate)."""
    # not of the Paragon without its lost jobs, which are missing in every month
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
    return pd.DataFrame(counts, candidates, pd.Index(months, name="month")).stack().to_frame("jobs")


def _fit_of_edges(runs, jobs):
    """`_fits` of one trace: numbers of jobs by (run, candidate, month), and the printed ones by month."""
    by_candidate = runs.groupby(level=[name for name in runs.index.names if name != "run"], sort=False)
    mean, variance = (of.unstack("month", sort=False)[jobs.index] for of in (by_candidate.mean(), by_candidate.var()))
    # one job more or less is nothing: a job that a file has or lacks, a second's difference at midnight
    scale = np.sqrt(variance + 1)
    fits = scipy.stats.t.logpdf((jobs - mean) / scale, FREEDOM) - np.log(scale)
    whole, off = fits.sum(axis=1), (mean - jobs).abs()
    # in how many months, if each is left out, a candidate is the best
    without = fits.rsub(whole, axis=0).idxmax().value_counts().reindex(fits.index, fill_value=0)
    found = {"log_likelihood": whole, "off": off.median(axis=1), "off_in_all": off.sum(axis=1), "best_without": without}
    return pd.DataFrame(found)


def offsets(months, traces):
    """Sum `months` up by trace: the likeliest hour, also without any one month, beside midnight and the settings."""
    best = months.loc[months.groupby("trace", sort=False).log_likelihood.idxmax()].reset_index("hours")
    table = best.join(months.xs(0.0, level="hours").add_suffix(" at midnight"))
    table["likelier"] = table.log_likelihood - table["log_likelihood at midnight"]
    without = months[months.best_without > 0].reset_index("hours").groupby("trace").hours
    table["least without a month"], table["most without a month"] = without.min(), without.max()
    return table.assign(settings=[traces[name].months_begin for name in table.index])


def begin_elsewhere(offsets):
    """OWN-05: months of SDSC and CM-5 begin more than six hours from midnight."""
    if not {"SDSC", "CM5"} <= set(offsets.index):
        return None, ABSENT, {}
    rows = offsets.loc[["SDSC", "CM5"]]
    text = "; ".join(
        f"{row.Index}: {row.hours:+g} h, likelier by {row.likelier:.0f}, the median month {row.off:.0f} jobs off"
        for row in rows.itertuples()
    )
    holds = (rows.likelier > LEAST).all() and (rows.hours.abs() > 6).all()
    return bool(holds), text, offsets.hours.rename(str.lower).to_dict()


# Do all of them follow from one clock?

TAKEN_FOR = {
    f"{times}{', a day later' if days else ''}": (times.split()[0], days)
    for times in ("epochs", "local times taken for UTC", "standard local times taken for UTC")
    for days in (0, 1)
}
"""What a program may take a log's times for, and by how many days later a month may begin."""


def clocks(traces, policy, zones=range(-12, 15), **how):
    """Tell how well the printed numbers of jobs fit, as `months`, if the computer showed UTC and so many hours."""
    candidates = pd.MultiIndex.from_product([zones, TAKEN_FOR], names=["zone", "taken_for"])
    return _fits(traces, candidates, shown_by, policy, **how)


def shown_by(trace, clock):
    """The edges of a trace's months by a clock, a zone and what the log's times were taken for."""
    zone, (times, days) = clock[0], TAKEN_FOR[clock[1]]
    edges, midnights = (begun_at(trace, hours) for hours in (24 * days - zone, 0))
    local = [trace.workload.time(int(second)) for second in midnights]
    # local midnight is so much later than midnight at Greenwich, or by a clock without a summer time
    ahead = [{"epochs": at.utcoffset(), "local": pd.Timedelta(0), "standard": at.dst()}[times] for at in local]
    seconds = pd.to_timedelta(ahead).total_seconds().to_numpy(int)
    return edges + np.where(np.arange(len(edges)) == 0, not trace.from_first_job, True) * seconds


def one_clock(clocks, months):
    """Hold one clock for all logs against hours fitted to each: by zone; and what the choices cost."""
    best = clocks.loc[clocks.groupby(level=["trace", "zone"]).log_likelihood.idxmax()].droplevel("taken_for")
    by_zone = best.log_likelihood.unstack("trace")
    by_zone = by_zone.assign(**{"in all": by_zone.sum(axis=1), "jobs off": best.off_in_all.groupby("zone").sum()})
    fitted = months.loc[months.groupby(level="trace").log_likelihood.idxmax()]
    other = by_zone["in all"].drop(JERUSALEM).idxmax()
    hours, of_one = len(months.index.unique("hours")), len(by_zone) * len(TAKEN_FOR) ** len(fitted)
    rows = {
        "local midnight on every log": (1, *months.xs(0.0, level="hours")[["log_likelihood", "off_in_all"]].sum()),
        "UTC+2": (of_one, *by_zone.loc[JERUSALEM, ["in all", "jobs off"]]),
        f"the next best clock, UTC{other:+d}": (of_one, *by_zone.loc[other, ["in all", "jobs off"]]),
        "an hour fitted to each log": (hours ** len(fitted), *fitted[["log_likelihood", "off_in_all"]].sum()),
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
    midnight, one, other, fitted = (row for _, row in one_clock(clocks, months)[1].iterrows())
    over, net = one.log_likelihood - other.log_likelihood, one["after the cost"] - fitted["after the cost"]
    text = (
        f"UTC+2 is likelier than {other.name} by {over:.0f}, and than an hour fitted to each log by "
        f"{one.log_likelihood - fitted.log_likelihood:.0f}, or {net:.0f} with the cost of the choices; jobs in other "
        f"months than printed {one.jobs:.0f}, by fitted hours {fitted.jobs:.0f}, by local midnights {midnight.jobs:.0f}"
    )
    numbers = {"jobs": one.jobs, "fitted": fitted.jobs, "midnight": midnight.jobs}
    return bool(over > LEAST and net > 0), text, numbers


ABSENT = "the logs of SDSC or CM-5 are missing"

# Which program?

END = "search's end"
"""Names the programs that the search ends at, which differ from the likely ones of the study in further details."""


def draw_line_up(steps):
    """Draw how much more or less likely one change makes the program that a search began with, and its last one."""
    lines_up = {"from the text's program": steps[0][1].more, "from the search's end": steps[-1][1].more}
    lines_up = {name: more[more.index != ("", "")] for name, more in lines_up.items()}
    figure, axes = plt.subplots(2, 1, figsize=(plots.WIDEST, 1.6 + 0.4 * max(map(len, lines_up.values()))))
    for ax, (name, more) in zip(axes, lines_up.items(), strict=True):
        shown = more.clip(lower=-60)[::-1].set_axis([f"{detail}: {reading}" for detail, reading in more.index[::-1]])
        shown.plot.barh(ax=ax, color=np.where(shown > 0, COLOURS[2], COLOURS[1]), width=0.7, fontsize=8)
        ax.bar_label(ax.containers[0], [f"{value:+.0f}" for value in more[::-1]], size=8, padding=2)
        ax.set(title=f"one change {name}", ylabel="")
        ax.margins(x=0.2)
    figure.supxlabel("log likelihood more than without the change; bars end at -60", size=9)
    message = "The change that helps the text's program most: {}, {}"
    plots.title(figure, message.format(*lines_up["from the text's program"].idxmax()))
    return figure


def shared_extra(steps, testimony):
    """OWN-02: backfilled jobs shared the extra processors; open where Tables 3 and 4 of a log speak against it."""
    stands_out, text = _of_reading(steps, "extra processors", ["never used up"])
    elsewhere = testimony.log_likelihood.loc["easy"].groupby(["suspect", "trace"], sort=False).sum()
    speak = elsewhere["likely"] - elsewhere["text"]
    said = ", ".join(f"{name} {gain:+.1f}" for name, gain in speak.items())
    holds = (OPEN if (speak < 0).any() else True) if stands_out else False
    return holds, f"{text}; Tables 3 and 4, which had no say: {said}", {}


def by_start(steps, testimony):
    """OWN-03: conservative backfilling compressed by start, either way; and Tables 3 and 4 say so too."""
    either_way = ["start, ties by arrival", "start, ties latest first"]
    stands_out, text = _of_reading(steps, "compressed in order of", either_way)
    elsewhere = testimony.log_likelihood.loc["conservative"].groupby("suspect").sum()
    least = (elsewhere.drop("text") - elsewhere["text"]).min()
    return stands_out and least > 0, f"{text}; Tables 3 and 4: {least:+.0f} at least", {}


def _of_reading(steps, detail, readings):
    """Whether some readings of a detail stand out in the first line-up; and this in words."""
    table = steps[0][1]
    rows = table.loc[[(detail, reading) for reading in readings]]
    traces = table.columns.drop(["all", "more", "inside", "resampled"])
    gains, more, resampled = rows[traces].max() - table.loc[("", ""), traces], rows.more.max(), rows.resampled.sum()
    by_trace = ", ".join(f"{name} {gain:+.0f}" for name, gain in gains.items())
    text = f"log likelihood {more:+.0f} ({by_trace}), the likeliest change in {resampled:.0%} of resampled months"
    return (gains > 0).all() and more > LEAST and resampled >= 0.95 and table.index[0] in rows.index, text


def same_again(before, after, testimony):
    """OWN-10: the search ends at the same programs on restored logs, and Tables 3 and 4 of CTC speak for them too."""
    if not after:
        return None, "no log here lost jobs that are known", {}
    same = [name for name, steps in before.items() if steps[-1][0] == after[name][-1][0]]
    ctc = testimony.log_likelihood.xs("CTC", level="trace").groupby(["suspect", "scheduler"]).sum()
    more = ctc[END] - ctc["text"]
    gains = ", ".join(f"{name} {more[name]:+.0f}" for name in before)
    text = f"the same program of {' and '.join(same) or 'neither scheduler'}; Tables 3 and 4 of CTC, restored: {gains}"
    return len(same) == len(before) and more.min() > LEAST, text, {}


# Do Tables 3 and 4 agree?


def witnesses(traces, suspects, kinds, **how):
    """Tell how well suspects, by name policies by scheduler, meet Table 3, by its kinds of estimates, and Table 4."""
    found, logs = {}, {name: trace.workloads for name, trace in traces.items()}
    for scheduler, (name, policies) in product(SCHEDULERS, suspects.items()) if logs else ():
        runs = replicate(logs, policies[scheduler], estimates=kinds, measures=MEASURES, as_it_is=False, **how)
        for (trace, kind), of in runs.groupby(level=["log", "estimates"], sort=False):
            of_print = _printed_elsewhere(scheduler, trace, kind)
            averaged = 1 if kind in ("f1", "x2") else 10  # measurements of random estimates, in Table 3
            likelihood = log_likelihood(of if averaged == 1 else means_of(of, averaged), of_print)
            counts = verdicts(band(of, averaged), of_print)
            found[scheduler, name, trace, kind] = {"log_likelihood": likelihood, **counts}
    columns = ["log_likelihood", "inside", "close", "cells"]
    return by_place(found, ["scheduler", "suspect", "trace", "estimates"], columns)


def _printed_elsewhere(scheduler, trace, kind):
    """The numbers of Table 3, or of Table 4 for doubled estimates, by metric."""
    place = {"trace": trace, "scheduler": scheduler}
    place |= {"quantity": "scaled"} if kind == "x2" else {"estimates": kind}
    of = printed_of("mualem2001_table4" if kind == "x2" else "mualem2001_table3")
    return of.xs(tuple(place.values()), level=list(place))[list(METRICS)].to_dict()


# What is still outside?


def standing(traces, runs):
    """Tell where each printed number stands among the runs of each program: 0 at the median, 1 at the band's end."""
    rows = {}
    for program, of_program in runs.items():
        for (trace, scheduler), of in of_program.items():
            for month, row in printed(traces[program][trace]).iterrows():
                for metric, (low, median, high) in band(of[month]).iterrows():
                    value = row[f"{scheduler}_{metric}"]
                    half = high - median if value > median else median - low
                    verdict = judge(value, Interval(low, median, high), CLOSE_TO[metric], DECIMALS[metric])
                    stands = {"verdict": verdict, "standing": (value - median) / half}
                    interval = {"published": value, "low": low, "median": median, "high": high}
                    rows[program, scheduler, trace, month, metric] = interval | stands
    return by_place(rows, ["program", "scheduler", "trace", "month", "metric"])


def _inside(standing, program):
    """Which share of the SP2 logs' cells is inside their bands under a program; and this in words."""
    cells = standing.loc[program].verdict
    inside = cells[cells.index.isin(SP2, level="trace")] == INSIDE
    found = Measure.share(inside.sum(), len(inside))
    return found, f"{found.value:.0%} of {len(inside)} cells inside ({found.low:.0%} to {found.high:.0%})"


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
    counts = {"months": differences.shape[1], "won_low": won.low, "won_high": won.high}
    return counts | {f"difference_{end}": value for end, value in vars(by).items()}


def undecided(conclusions):
    """OWN-06: by the text EASY does not lead on SDSC by bounded slowdown, nor on CM-5 by response time."""
    asked = {"sdsc": ("SDSC", "bounded_slowdown"), "cm5": ("CM5", "response_s")}
    if not {trace for trace, _ in asked.values()} <= set(conclusions.index.unique("trace")):
        return None, ABSENT, {}
    parts, texts, numbers = [], [], {}
    for name, place in asked.items():
        text, paper = conclusions.loc[(*place, "text")], conclusions.loc[(*place, "as printed")].won_low
        parts += [text.won_low <= text.months / 2 <= text.won_high, not text.won_low <= paper <= text.won_high]
        texts.append(f"{place[0]}: {text.won_low:.0f} to {text.won_high:.0f} of {text.months:.0f} ({paper:.0f})")
        numbers |= text[["won_low", "won_high", "months"]].add_prefix(f"{name}_").to_dict()
        numbers[f"{name}_printed"] = paper
    return all(parts), f"months in which EASY is better, and as printed: {'; '.join(texts)}", numbers
