"""Fit the twins: read the real logs and write their tables, `data/models/twins/<name>.toml`.

`python -m simlib.models.fit_twins [NAME...]`, by default all. What a table holds is described in `simlib.models.twin`.
A log that is not on this machine keeps the table it has; two that were never at hand get theirs from what is public
and from the log that is nearest.
"""

import json
import sys
import textwrap

import numpy as np
import pandas as pd
import scipy

from .. import archive, paths
from ..loading import load
from ..workload import NO_RUN
from . import comparison, twin
from .twin import GRID, NONE

BUSY = [9, 49, 199, 999]
"""The classes of users in a month, by the number of their jobs: upper ends, but for the last."""

SIZE_CLASS = {"jobs": 200, "share": 1 / 8}
"""A class of sizes, a few powers of two, has so many jobs, and this share of the jobs or of the work."""

REQUEST_CLASSES = 6
POPULAR = 1 / 200
"""A requested time is popular if this share of its size class has it."""

STATUS_CLASSES = {True: [10, 100, 500, 990, 1020], False: [10, 60, 600, 3600]}
"""By whether a time was requested, upper ends of classes of R in per mille, or of the run time in seconds."""

CHOICES = (1, 2, 4, 8, 16, 32)


def fit(workload):
    """The table of a log's twin, as a dict."""
    jobs, sizes, classes = _classified(workload)
    hours = np.bincount(jobs.hour, minlength=7 * 24)
    table = {
        "start": int(workload.start.timestamp()),
        "first": int(jobs.submit.min()),
        "last": int(jobs.submit.max()),
        "longest": int(jobs.run.max()),
        "removed": int((workload.dropped == NO_RUN).sum()),
        "waits": curve(workload.log.wait[workload.log.wait >= 0]),
        "classes": classes,
        "week": np.maximum(hours, 1).reshape(7, 24).tolist(),  # no hour is out of the question
        "months": _months(jobs),
        "users": _users(jobs),
        "likeness": _likeness(jobs),
        "sizes": _counted(jobs.procs),
        "queues": _counted(jobs.queue[jobs.queue != NONE]),
        "apps": _apps(jobs[jobs.app != NONE]),
        "size_class": _size_classes(jobs, sizes, len(classes)),
        "status": _statuses(jobs),
    }
    table["sessions"] = _sessions(jobs, twin.Clock(table, workload.start.tz))
    _calibrate(table, workload.start.tz, jobs)
    return table


def _classified(workload):
    """The jobs with what the parts of a table need of them, and the upper ends of their classes."""
    jobs = comparison.described(workload)
    jobs["used"] = (1000 * jobs.used).where(jobs.requested != NONE, jobs.run)
    jobs["spell"] = jobs.groupby(["user", "month"]).ngroup()
    jobs["of_spell"] = jobs.groupby("spell").user.transform("size")
    sizes = _size_edges(jobs)
    known = jobs.requested[jobs.requested != NONE]
    classes = [] if len(known) == len(jobs) else [NONE]
    if len(known):
        shares = np.arange(1, REQUEST_CLASSES + 1) / REQUEST_CLASSES
        classes += np.unique(np.quantile(known, shares, method="inverted_cdf").astype(int)).tolist()
    jobs["size_class"] = np.searchsorted(sizes, jobs.procs)
    jobs["cell"] = jobs.size_class * len(classes) + np.searchsorted(classes, jobs.requested)
    return jobs, sizes, classes


def _size_edges(jobs):
    """The upper ends of the size classes."""
    work = jobs.run * jobs.procs / (jobs.run * jobs.procs).sum()
    last = int(2 ** np.ceil(np.log2(jobs.procs.max())))
    edges, low = [], 0
    for upper in (2**power for power in range(last.bit_length())):
        part = jobs.procs.between(low, upper, inclusive="right")
        enough = max(part.mean(), work[part].sum()) >= SIZE_CLASS["share"] and part.sum() >= SIZE_CLASS["jobs"]
        if enough or upper == last:
            edges.append(upper)
            low = upper
    return edges


# The parts of a table


def curve(values):
    """A distribution's values at the probabilities `twin.GRID`, to two digits below 100, four from 1000 on."""
    return [_short(value) for value in np.quantile(values, GRID)]


def _short(value):
    if value < 1e-6:
        return 0
    short = float(f"{value:.{2 + (value >= 100) + (value >= 1000)}g}")
    return int(short) if short.is_integer() else short


def _counted(values):
    """How many jobs have each value, as two lists; empty where there is none."""
    counts = values.value_counts().sort_index()
    return {values.name: counts.index.tolist(), "jobs": counts.tolist()} if len(counts) else {}


def scores(values):
    """Normal scores: the normal numbers at the ranks of the values."""
    return pd.Series(scipy.stats.norm.ppf((scipy.stats.rankdata(values) - 0.5) / len(values)), values.index)


def explained(values, *groups):
    """The shares of the variance that groupings, from the coarsest to the finest, explain beyond those before."""
    left = [values.var()]
    for group in groups:
        within = values.groupby(group)
        left.append(((values - within.transform("mean")) ** 2).sum() / max(len(values) - within.ngroups, 1))
    return np.maximum(-np.diff(left) / left[0], 0).round(3).tolist()


def _months(jobs):
    by_month = jobs.groupby("month")
    work = (jobs.run * jobs.procs).groupby(jobs.month).sum() / 3600
    return {
        "name": list(by_month.groups),
        "jobs": by_month.size().tolist(),
        "work": work.round().astype(int).tolist(),
    }


def _users(jobs):
    cells = jobs.groupby(["user", "month"]).size()
    total, squares = cells.groupby("user").sum(), (cells**2).groupby("user").sum()
    total = total.sort_values(ascending=False, kind="stable")
    months = np.rint(total**2 / squares.loc[total.index]).astype(int)
    table = {"jobs": total.tolist(), "months": months.tolist(), "groups": [], "second": 0.0}
    known = jobs[jobs.group != NONE]
    if len(known):
        first = known.groupby("user").group.agg(lambda groups: groups.value_counts().index[0])
        unknown = len(total) - len(first)
        table["groups"] = first.value_counts().tolist() + [1] * unknown
        table["second"] = round(float((known.group != known.user.map(first)).mean()), 3)
    return table


def _likeness(jobs):
    request = jobs.groupby("size_class").requested.transform(scores)
    used = jobs.groupby("cell").used.transform(scores)
    pair = jobs.groupby(["user", "requested"]).ngroup()
    return {
        "size": explained(scores(jobs.procs), jobs.user)[0],
        "request": explained(request, jobs.user)[0] if request.any() else 0.0,
        "queue": explained(scores(jobs.queue), jobs.user)[0] if jobs.queue.nunique() > 1 else 0.0,
        "used": explained(used, jobs.user, pair, jobs.session),
    }


def _apps(jobs):
    requests = jobs.groupby(["user", "procs", "requested"]).ngroups
    return {"one_off": round(max(jobs.app.nunique() - requests, 0) / len(jobs), 3)} if len(jobs) else {}


def _sessions(jobs, clock):
    first = jobs.sort_values(["user", "submit"], kind="stable").drop_duplicates("session").reset_index()
    lag = first.index.to_series().groupby([first.user, first.procs, first.requested]).diff().dropna()
    return {
        "length": curve(jobs.groupby("session").size()),
        "shorten": 1.0,
        "returns": round(len(lag) / len(first), 3),
        "lag": curve(lag),
    } | _times(jobs, clock)


def _times(jobs, clock):
    """The fields of `sessions` from `busy` on."""
    busy = [upper for upper in BUSY if (jobs.of_spell > upper).any()]
    jobs = jobs.sort_values(["user", "submit"], kind="stable")
    jobs["busy"], jobs["work"] = np.searchsorted(busy, jobs.of_spell), jobs.run * jobs.procs
    jobs["at"] = clock.busy(jobs.submit) / np.diff(clock.busy(clock.edges))[pd.factorize(jobs.month, sort=True)[0]]
    several = jobs[jobs.of_spell > 1]
    spells = several.groupby("spell").agg({"busy": "first", "work": "sum", "at": np.ptp, "of_spell": "first"})
    mean = (spells["at"] / (spells.of_spell - 1)).loc[several.spell].to_numpy()
    gap = (several["at"].diff() / mean)[(several.spell == several.spell.shift()) & (mean > 0)]
    kind = 2 * jobs.busy + (jobs.session == jobs.session.shift())
    work = jobs.work.groupby(jobs.busy).sum().reindex(range(len(busy) + 1), fill_value=0)
    return {
        "busy": busy,
        "work": (work / work.sum()).round(4).tolist(),
        "span": _curves(spells["at"], spells.busy, range(len(busy) + 1)),
        "again": _curves(gap, kind, range(1, 2 * len(busy) + 2, 2)),
        "next": _curves(gap, kind, range(0, 2 * len(busy) + 2, 2)),
        "span_work": _correlation(spells["at"], spells.work, spells.busy),
        "after_work": _correlation(gap, jobs.work.shift(), kind),
        "choices": 1,
    }


def _curves(values, group, groups):
    by_group = values.groupby(group)
    return [curve(by_group.get_group(number)) for number in groups]


def _correlation(one, other, group):
    """The correlation of normal scores within groups."""
    both = [values[one.index].groupby(group[one.index]).transform(scores) for values in (one, other)]
    return round(float(both[0].corr(both[1])), 3)


def _size_classes(jobs, sizes, classes):
    found = []
    for number, upto in enumerate(sizes):
        part = jobs[jobs.size_class == number]
        counts = part.requested.value_counts().sort_index()
        popular = counts[(counts >= POPULAR * len(part)) | (counts.index == NONE)]
        others = part.requested[~part.requested.isin(popular.index)]
        cells = [part.used[part.cell == number * classes + one] for one in range(classes)]
        found.append(
            {
                "upto": upto,
                "popular": [[int(seconds), int(count)] for seconds, count in popular.items()],
                "rest": len(others),
                "others": curve(others) if len(others) else [0] * len(GRID),
                "used": [curve(cell) if len(cell) else [] for cell in cells],
            }
        )
    return found


def _statuses(jobs):
    jobs = jobs[jobs.status != NONE]
    found = []
    for requested, upto in STATUS_CLASSES.items():
        part = jobs[(jobs.requested != NONE) == requested]
        if len(part):
            counts = pd.crosstab(np.searchsorted(upto, part.used), part.status)
            counts = counts.reindex(range(len(upto) + 1), method="nearest")
            codes = [int(code) for code in counts.columns]
            found.append({"requested": requested, "upto": upto, "status": codes, "jobs": counts.to_numpy().tolist()})
    return found


# What only trying tells


def _calibrate(table, zone, jobs):
    """Set `shorten` and `choices` in `table` so that the twin repeats jobs, and is as uneven, as the log."""
    sessions = table["sessions"]
    low, high = 0.0, 1.0
    for _ in range(8):
        sessions["shorten"] = (low + high) / 2
        too_long = tried(table, zone, comparison.repeated) > comparison.repeated(jobs)
        low, high = (low, sessions["shorten"]) if too_long else (sessions["shorten"], high)
    sessions["shorten"] = round(high, 3)

    off = {}
    for sessions["choices"] in CHOICES:
        off[sessions["choices"]] = abs(tried(table, zone, comparison.unevenness) - comparison.unevenness(jobs))
    sessions["choices"] = min(off, key=off.get)


def tried(table, zone, measure, seeds=3):
    """The mean of a measure over some twins."""
    return np.mean([measure(twin.generate(table, zone, np.random.default_rng(seed))) for seed in range(seeds)])


# Logs that were not at hand: what is public of them, and the shapes of the nearest log


def paragon_1995(table):
    """Make the table of SDSC-Par-96 one of SDSC-Par-95, with the jobs and loads by month of MF Table 1.

    That has the jobs that completed, 76,057. The further 815 lines of the log are left out.
    """
    about = archive.entry("SDSC-Par-95")
    printed = pd.read_csv(paths.DATA / "published" / "mualem2001_table1.csv")
    printed = printed[(printed.trace == "Par") & (printed.month < "1996")]
    work = printed.load * about["procs"] * _calendar(table, printed.month, about["timezone"])
    table["months"] |= {"jobs": printed.jobs.tolist(), "work": work.round().astype(int).tolist()}
    table["users"]["jobs"] = _scaled(table["users"]["jobs"], printed.jobs.sum())
    table["status"] = [{"requested": False, "upto": [], "status": [1], "jobs": [[1]]}]


def intrepid(table):
    """Make the table of SDSC-DS one of ANL-Intrepid, by its machine, months, number of jobs, and means (Tang Table 1).

    Sizes are those of SDSC-DS in units of 16 processors, up to the next power of two, times 512 nodes of 4 cores: half
    of the jobs have 512 nodes, as Dorier et al. (CALCioM, IPDPS 2014) found in the log. Requested times are scaled to
    the printed mean, and rounded up to 5 minutes, above an hour to 30. There is as much work as gives the printed mean
    run time.
    """
    about, lines = archive.entry("ANL-Intrepid"), archive.files("ANL-Intrepid")[0].lines
    means = pd.read_csv(paths.DATA / "published" / "tang2013_numbers.csv").set_index("quantity").value
    hours = _calendar(table, [f"2009-{month:02}" for month in range(1, 9)], about["timezone"])
    table["months"]["jobs"] = _scaled(hours, lines)
    table["users"] |= {"jobs": _scaled(table["users"]["jobs"], lines), "groups": [], "second": 0.0}
    table["removed"] = 0

    def larger(procs):
        units = 2 ** np.ceil(np.log2(np.maximum(procs, 16) / 16)).astype(int)
        return np.minimum(2048 * units, about["procs"])

    counts = pd.Series(table["sizes"]["jobs"]).groupby(larger(table["sizes"]["procs"])).sum()
    table["sizes"] = {"procs": counts.index.tolist(), "jobs": counts.tolist()}
    for part in table["size_class"]:
        part["upto"] = int(larger(part["upto"]))
    factor = _solved(lambda factor: _mean_request(_stretched(table, factor)), means["mean_requested"], 0.01, 100)
    table |= _stretched(table, factor)

    def mean_run(load):
        table["months"]["work"] = np.rint(load * about["procs"] * hours).astype(int).tolist()
        return tried(table, about["timezone"], lambda jobs: jobs.run.mean())

    _solved(mean_run, means["mean_run"], 0.1, 1.5)


FROM_NEAREST = {"SDSC-Par-95": ("SDSC-Par-96", paragon_1995), "ANL-Intrepid": ("SDSC-DS", intrepid)}


def _calendar(table, months, zone):
    """Give a table whole months, and return their hours."""
    edges = pd.period_range(min(months), pd.Period(max(months), "M") + 1, freq="M").to_timestamp().tz_localize(zone)
    hours = np.diff(edges) / pd.Timedelta(1, "h")
    table |= {"start": int(edges[0].timestamp()), "first": 0, "last": int(hours.sum() * 3600) - 1}
    table["months"] = {"name": list(months)}
    return hours


def _scaled(numbers, total):
    """Whole numbers in the same proportions that add up to a total; each at least 1."""
    numbers = np.maximum(np.array(numbers, float), 0)
    numbers = 1 + numbers * (total - len(numbers)) / numbers.sum()
    return np.diff(np.rint(np.cumsum(numbers)), prepend=0).astype(int).tolist()


def _solved(function, target, low, high):
    """Where a rising function is the target, by bisection; it was called there last."""
    for _ in range(12):
        middle = np.sqrt(low * high)
        low, high = (low, middle) if function(middle) > target else (middle, high)
    return middle


def _stretched(table, factor):
    """The parts of a table that have requested times, with these times scaled and rounded up to nice values."""

    def stretched(seconds):
        nice = np.where(np.array(seconds) * factor <= 3600, 300, 1800)
        return (np.ceil(np.array(seconds) * factor / nice) * nice).astype(int)

    classes = []
    for part in table["size_class"]:
        seconds, jobs = np.array(part["popular"]).T
        popular = pd.Series(jobs).groupby(stretched(seconds)).sum()
        others = stretched(part["others"]).tolist()
        classes.append(part | {"popular": [[int(s), int(n)] for s, n in popular.items()], "others": others})
    longest = max(max(part["others"][-1], part["popular"][-1][0]) for part in classes)
    return {"size_class": classes, "classes": stretched(table["classes"]).tolist(), "longest": longest}


def _mean_request(table):
    return np.concatenate([twin.requested_times(part) for part in table["size_class"]]).mean()


# Writing


def made(name):
    """The table of a log's twin and what it was made from, from the log if it is here.

    Returns
    -------
    (dict, str) or None
        None where neither the log nor the one that is nearest is here.
    """
    if archive.find(name):
        workload = load(name)
        return fit(workload), f"fitted to {workload.source['file']}"
    nearest, remake = FROM_NEAREST.get(name, (None, None))
    if nearest is None or not archive.find(nearest):
        return None
    workload = load(nearest)
    table = fit(workload)
    remake(table)
    return (
        table,
        f"made from what is public of it, and from the shapes of {workload.source['file']} ({remake.__name__})",
    )


def toml(table):
    """A table as TOML text."""
    text = [_written(key, value) for key, value in table.items() if not _is_part(value)]
    for key, value in table.items():
        if _is_part(value):
            head, parts = (f"[[{key}]]", value) if isinstance(value, list) else (f"[{key}]", [value])
            for part in parts:
                text += ["", head, *(_written(name, entry) for name, entry in part.items())]
    return "\n".join(text) + "\n"


def _is_part(value):
    return isinstance(value, dict) or isinstance(value, list) and isinstance(value[0], dict)


def _written(key, value):
    """A line, wrapped; of a list of lists, a line each."""
    if isinstance(value, list) and value and isinstance(value[0], list) and max(map(len, value)) > 2:
        rows = [textwrap.fill(json.dumps(row), 118, initial_indent="  ", subsequent_indent="    ") for row in value]
        return f"{key} = [\n" + "".join(f"{row},\n" for row in rows) + "]"
    return textwrap.fill(f"{key} = {json.dumps(value)}", 120, subsequent_indent="    ", break_on_hyphens=False)


def main(names=()):
    """Write the tables of these logs, or of all; print what was written."""
    for name in names or [name for name, about in archive.catalogue()["logs"].items() if not about.get("synthetic")]:
        found = made(name)
        if found is None:
            print(f"{name}: the log is not on this machine; its table stays")
            continue
        table, origin = found
        comment = f"The twin of {name}: {origin}, by python -m simlib.models.fit_twins."
        comment += " The fields are described in simlib/models/twin.py."
        comment = textwrap.fill(comment, 120, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
        with paths.replacing(paths.DATA / "models" / "twins" / f"{name}.toml") as path:
            path.write_text(f"{comment}\n\n{toml(table)}", encoding="utf-8")
        print(f"{name}: {origin}")


if __name__ == "__main__":
    main(sys.argv[1:])
