"""Tables as the papers' texts describe them, by exhibit and changed at will, and the claims that are made of them."""

import ast
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
from exhibits import code_cells, tang_trace
from helpers import random_jobs

import simlib_study as study
from simlib import Workload
from simlib.policies.adjusting import PERCENTILES
from simlib_study import mualem2001, tang2013, used_shares
from simlib_study.claims import criteria
from simlib_study.judging import AS_IT_IS, SCHEDULERS, TEXT
from simlib_study.mualem2001 import SP2, figures5_6
from simlib_study.mualem2001.load_curves import DIFFERENCE, POINT, Curves
from simlib_study.tang2013 import DOUBLE, KEY_NAMES, TRIPLE, accuracy, examples, figure11, figures14_17, scheduling

BOTH = ["response_s", "bounded_slowdown"]


def asked(notebook, *kept, **given):
    """What a notebook decides claims by: by claim its measure, and by name its functions; no simulation is run.

    `kept` are constants that its cells make besides, and `given` what functions take from other cells.
    """
    tagged, cells = code_cells(notebook)
    tree, always = ast.parse("\n".join([tagged, *cells])), (ast.Import, ast.ImportFrom, ast.AnnAssign, ast.FunctionDef)
    constants = [one for one in tree.body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) in kept]
    found = dict(given)
    exec(compile(ast.Module([one for one in tree.body if isinstance(one, always)], []), notebook, "exec"), found)
    exec(compile(ast.Module(constants, []), notebook, "exec"), found)
    found |= given
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("study.claim", "decided"):
            id, _, measure, *_ = call.args
            if isinstance(id, ast.Constant):
                found[id.value] = eval(ast.unparse(measure), found)
    return found


DESCRIBED = {}
"""By claim, a function that decides it by a table as the text describes it, or by a changed one."""


def described(measures, *ids):
    """Decide claims, those whose measures these are, by what a function makes: one table, or a dict by claim."""

    def register(make):
        for id in ids or [name for name in measures if name in criteria()]:
            DESCRIBED[id] = partial(claimed, id, measures, make)
        return make

    return register


def claimed(id, measures, make, **changed):
    made = make(**changed)
    return study.claim(id, {TEXT: made.get(id, made) if isinstance(made, dict) else made}, measures[id])


def drawn(numbers, names):
    """A table by run: the numbers as they are, and twenty times nearly so."""
    near = 1 + 1e-6 * np.append(0, np.random.default_rng(1).normal(size=20))
    table = pd.DataFrame({at: value * near for at, value in numbers.items()})
    return table.rename_axis(index="run", columns=names)


# Mu'alem & Feitelson


EXAMPLES = asked("mualem2001/figures1-3")


@described(EXAMPLES)
def figures1_3(kept=0, example=50, logs=0.1, second=1000, late=0, beyond=0, items=2, longer=0):
    """What is counted of the examples and of the logs."""
    again = "conservative, all made again"
    EXAMPLES["second"] = pd.DataFrame({again: {"guarantee": 40, "start": 40 + example}})
    return {
        "MF-01": pd.Series({"conservative": 0, "conservative, by start": kept}),
        "MF-02": pd.DataFrame({"late_share": {("CTC", again): logs}}).rename_axis(["log", "policy"]),
        "MF-03": pd.DataFrame({"EASY": [110, 110 + second]}, [100, 1100]),
        "MF-04": pd.Series({"EASY": late}),
        "MF-48": pd.DataFrame({"beyond": [beyond]}),
        "MF-53": {"proportional": items, "one a job": longer},
    }


@described(asked("mualem2001/table1", "both_metrics", "others"))
def table1(changed=None, runs=3):
    """How much more conservative has than EASY in twenty months of each log, in every run."""
    half = {("KTH", "bounded_slowdown"): wins(10), ("Par", "bounded_slowdown"): wins(10)}
    differences = half | {("CM5", "bounded_slowdown"): wins(0)} | (changed or {})
    rows = {
        (log, run, month): [differences.get((log, metric), wins(20))[month] for metric in ("wait_s", *BOTH)]
        for log, run, month in product(mualem2001.TRACES, range(runs + 1), range(20))
    }
    return named(pd.DataFrame.from_dict(rows, "index", columns=["wait_s", *BOTH]), ["log", "run", "month"])


def named(table, names):
    """The same with names for the levels of its rows."""
    return table.set_axis(pd.MultiIndex.from_tuples(table.index, names=names))


def wins(months):
    """EASY has less in so many of twenty months, and more in the others."""
    return [0.05] * months + [-0.05] * (20 - months)


FACTORS = [f"f{f}" for f in (2, 4, 11, 31, 101, 301)]


@described(asked("mualem2001/table3", random=FACTORS))
def table3(**changed):
    """The same numbers by quality of estimates for every combination."""
    values = {"original": 4.5, "f1": 5} | dict.fromkeys(FACTORS, 3) | changed
    names = ["metric", "log", "policy", "estimates"]
    columns = pd.MultiIndex.from_product([BOTH, SP2, SCHEDULERS, values], names=names)
    return pd.DataFrame([[values[of[-1]] for of in columns]] * 3, columns=columns).rename_axis(index="run")


@described(asked("mualem2001/table4"))
def table4(easy=-0.1, conservative=-0.2):
    """Bounded slowdown changes by so much, response time by a fifth of it."""
    changes = dict(zip(SCHEDULERS, (easy, conservative), strict=True))
    rows = {(log, who, run): [of / 5, of] for log, run in product(SP2, range(3)) for who, of in changes.items()}
    return named(pd.DataFrame.from_dict(rows, "index", columns=BOTH), ["log", "policy", "run"])


LOADS = (0.5, 0.75, 0.8, 0.9)
FIRST, SECOND = "Fsl, no repetition", "Fsl, Jann's arrivals"
AS_IN_FIGURE_7 = {"F": (0.01, -0.01), "Fs": (0.02, -0.1), "Fl": (0.03, -0.02), "Fsl": (0.09, -0.1)}
AS_IN_FIGURE_7 |= {"Jann": (0.2, -0.2), FIRST: (0.1, -0.11), SECOND: (0.1, -0.11)}


def differences(values, ceiling=(), runs=4, spread=0.001):
    """Differences of several runs: by model a value of response time and one of slowdown, at all loads or by load."""
    rng, wiggle = np.random.default_rng(1), spread * np.linspace(-1, 1, runs)
    wiggles = {label: rng.permutation(wiggle) for label in values}
    rows = {}
    for seed, (label, pair), load in product(range(runs), values.items(), LOADS):
        for metric, value in zip((*BOTH, "backfilled"), (*pair, pair[0]), strict=True):
            relative = (value[load] if isinstance(value, dict) else value) + wiggles[label][seed]
            found = {"relative": relative, "ceiling": (label, load) in ceiling}
            rows[1 + seed, label, load, "conservative", "EASY", metric] = found
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(DIFFERENCE)


FAMILY = asked("mualem2001/feitelson-family", "names", "steps", "of_f", "of_f['MF-41']", "of_fsl", answers=None)


@described(FAMILY["of_f"] | FAMILY["of_fsl"])
def family(accuracy=0.08, long=LOADS, ceiling=(), spread=0.001, **changed):
    """The differences of Figure 7 or others; the runs took 100 batches at so many loads, at this accuracy."""
    cases = product(range(1, 5), ("F", "Jann"), LOADS, SCHEDULERS, BOTH)
    index = pd.MultiIndex.from_tuples(cases, names=POINT)
    stopped = np.where(index.get_level_values("load").isin(long), "batches", "precision")
    points = pd.DataFrame({"accuracy": accuracy, "stopped": stopped}, index)
    return Curves(points, differences(AS_IN_FIGURE_7 | changed, ceiling, spread=spread))


@described(asked("mualem2001/figure4"))
def figure4(jann=(0.15, -0.08), **settings):
    return differences({"Jann": jann}, **settings)


FIGURE5 = asked("mualem2001/figure5", logs=SimpleNamespace(traces=["CTC", "SDSC"]))


@described(FIGURE5, "MF-16", "MF-51")
def figure5(sdsc=(0.05, 0.2, 0.1), other=-0.01, size_ratio=0.3):
    """What conservative has more than EASY, shaken a little: of backfilled jobs, response time and slowdown."""
    rows = {
        (log, run): [value + move for value in (*(sdsc if log == "SDSC" else [other] * 3), size_ratio)]
        for log in ("CTC", "SDSC", "CM5 exact")
        for run, move in enumerate((0, -0.005, 0.005))
    }
    return pd.DataFrame.from_dict(rows, "index", columns=["backfilled", *BOTH, "size_ratio"]).pipe(
        named, ["log", "run"]
    )


@described(FIGURE5, "MF-15", "MF-17")
def on_jann(backfilled=(0.6, 0.58), size=(0.6, 0.7)):
    """What both schedulers have on the Jann model, by run: as described at high load, the contrary at low."""
    rows = {}
    for load, run, (number, name) in product((0.5, 0.8), range(1, 4), enumerate(SCHEDULERS)):
        share, ratio = (of[number if load > 0.7 else 1 - number] + run / 100 for of in (backfilled, size))
        rows["Jann", load, name, run, "all"] = {"jobs": 100, "backfilled": share, "size_ratio": ratio}
    runs = pd.DataFrame.from_dict(rows, "index").rename_axis(["log", "load", "policy", "run", "group"])
    return figures5_6.compared(runs)


@described({"MF-18": lambda of: of})
def sp2_jobs(**changed):
    """What jobs of the SP2 logs have over those of the others, twice as long and half as large; as replications."""
    over = {"run mean": 2, "run median": 2, "size mean": 0.5, "size median": 0.5} | changed
    rows = {
        (log, run, *name.split()): value if log in SP2 else 1.0
        for log, run, (name, value) in product((*mualem2001.TRACES, "KTH model"), range(3), over.items())
    }
    found = pd.Series(rows).rename_axis(["workload", "run", "quantity", "statistic"])
    return figures5_6.sp2_against_others(found.drop("KTH model", level="workload"), found.loc[["KTH model"]])[
        "KTH model"
    ]


FIGURE7 = asked("mualem2001/figure7")


@described(FIGURE7)
def figure7(bursts=False):
    """Models with jobs that come at random, also at another pace, or in bursts."""
    steady, other = random_jobs(seed=1), random_jobs(seed=2).scale_arrivals(3)
    if bursts:
        other = steady.derive(steady.jobs.assign(submit=steady.jobs.submit // 20_000 * 20_000), "in bursts")
    FIGURE7["models"] = {"Fsl": lambda seed: steady, "Jann": lambda seed: other}
    return range(2)


TABLE2 = asked("mualem2001/table2-figure8")


@described(TABLE2)
def table2(change=lambda rows: rows):
    """Logs of (submit, run, request, status): flat, but for jobs that were killed and that failed; one is changed."""
    used = zip(np.linspace(0.015, 0.985, 10_000), np.resize([1800, 3600, 7200, 14_400], 10_000), strict=True)
    rows = [(0, max(round(share * asked), 90), asked, 1) for share, asked in used]
    rows += [(0, 10_020, 10_000, 0), (0, 5, 10_000, 0)] * 500  # killed at their limits, and at once
    rows += [(0, 80, 10_000, 1)] * 100 + [(0, 5, 14_400, -1)] * 2000 + [(0, -1, 200, 5)] * 1139  # of -1 none knows
    logs = {"CTC": lines(rows), "SDSC": lines(change(rows))}
    jobs = used_shares.lines_of(logs)
    killed = TABLE2["killed"](jobs)
    return dict.fromkeys(["MF-25", "MF-29", "MF-45"], jobs) | {"MF-26": killed, "MF-39": killed, "MF-28": logs}


def lines(rows):
    log = pd.DataFrame(rows, columns=["submit", "run", "requested_time", "status"]).assign(wait=0, procs=1)
    return Workload(log[["submit", "run", "procs"]], 10, log=log)


FIGURE9 = asked("mualem2001/figure9", workload=None)


@described(FIGURE9)
def figure9(jobs=(1000, 721, 192, 96), won=12, user=0.01, own=0.2, **changed):
    """Counts of jobs, and with historical estimates of two kinds and the users': who uses half, who outlives them."""
    names = ["mean + 1.5 standard deviations", "mean + 3 standard deviations", "users' estimates"]
    profile = {"over_50": (0.4, 0.35, 0.3), "underestimated": (0.2, 0.1, 0), "uneven": (0.3, 0.2, 0.3)} | changed
    profile = pd.DataFrame(profile, names)
    months = pd.Series([True] * won + [False] * (12 - won))
    FIGURE9["used_shares"] = SimpleNamespace(profile=lambda _: profile, months_won=lambda *_: months)
    of_jobs = {"MF-33": pd.Series(jobs, list(used_shares.COUNTS)), "MF-34": "jobs", "MF-35": "jobs"}
    return of_jobs | {"MF-40": pd.Series({"user": user, "history 1.5 sd": own})}


@described(asked("mualem2001/footnote2"))
def footnote2(at_limit=1):
    return pd.Series({"killed_at_daytime_limit": at_limit, "peak_100pct": 4})


ESTIMATES = asked("mualem2001/estimate-model")


@described(ESTIMATES, "MF-32")
def distances(model=0.09, uniform=0.5, estimates=0.05):
    """Distances of the model and of uniform estimates on a log, and on one that is nearer, in three draws."""
    rows = {}
    for log, ours, others, asked in (("CTC", model, uniform, estimates), ("KTH", 0.05, 0.5, 0.05)):
        for draw, shift in enumerate((-0.001, 0, 0.001), 1):
            rows[log, "model", draw] = {"tv": 0.1, "ks": ours + shift, "ks_estimate": asked + shift}
            rows[log, "f2", draw] = {"tv": 0.5, "ks": others + shift, "ks_estimate": 0.5}
    return pd.DataFrame(rows).T.rename_axis(["log", "estimates", "run"])


@described(ESTIMATES, "MF-46", "MF-47")
def of_requests(too_small=10, stretched=10):
    """A hundred jobs, so many of which run for their estimates, the short ones' stretched by this factor."""
    run = np.tile([60, 600], 50)
    estimate = run * np.where(run < 90, 2 * stretched, 2)
    estimate[:too_small] = run[:too_small]
    return {"CTC": pd.DataFrame({"run": run, "estimate": estimate})}


# Tang et al.


@described(asked("tang2013/table1-figures1-2"))
def figures1_2(shares=(28, 22, 25, 25), highest=0.59, killed=0.9, **changed):
    """Jobs that use little, less than half, most and nearly all of their requests, by quarter, and who is killed."""
    run = np.repeat([100, 300, 600, 900], np.multiply(shares, 30))
    jobs = {"submit": range(len(run)), "run": run, "estimate": 1000, "user": np.arange(len(run)) % 30, "group": 1}
    means = drawn({"Q1": 0.5, "Q2": highest, "Q3": 0.42}, ["quarter"])
    found = {"TG-01": accuracy.shares_used(tang_trace(pd.DataFrame(jobs)), 50, 1), "TG-42": killed}
    moments = {"near 1": 0.12, "mean": 0.5, "deviation": 0.33} | changed
    found |= {"TG-47": moments, "TG-48": moments}
    return found | {"TG-02": (means, pd.Series(100, means.columns))}


@described(asked("tang2013/table2"))
def scatter(distance=0.05, **changed):
    """By key, how R scatters; how far the average is from the median."""
    of_keys = dict(zip(["all", *KEY_NAMES], [0.3, 0.28, 0.25, 0.22, 0.2], strict=True)) | changed
    return {"TG-03": drawn(of_keys, ["key"]), "TG-21": {1: distance}}


@described(asked("tang2013/table3-figure12"))
def effects(**changed):
    """What adjusted estimates do in the schedules of Figure 12: who is let in, the window, and how late job 2 is."""
    found = {"users' estimates": ("5", 300, 0), "job 3 overestimated": ("3, 5", 300, 0)}
    found |= {"job 4 underestimated": ("4, 5", 300, 15), "job 4 badly underestimated": ("4, 5", 300, 60)}
    found |= {"job 1 overestimated": ("", 246, 0), "job 1 underestimated": ("", 228, 12)}
    found |= {"job 1 badly underestimated": ("", 156, 84)} | changed
    table = pd.DataFrame.from_dict(found, "index", columns=["backfilled", "window_min", "late_min"])
    return examples.table3(pd.concat({"regular": table, "selective": table}))


UNDER = np.array([0.02, 0.05, 0.09, 0.13, 0.165, 0.2, 0.3])
BAD = np.array([0.002, 0.006, 0.012, 0.017, 0.0215, 0.03, 0.05])
OVER = np.array([0.3, 0.5, 0.56, 0.58, 0.6, 0.58, 0.4])
LESS = {TRIPLE: 0, DOUBLE: 0.02, "user": 0.03, "project": 0.05}
"""By how much the accuracy by a key is less than by the triple key."""


@described(accuracy.SIMILARITY | accuracy.RECENCY | {"TG-37": accuracy.recommended})
def schemes(metric="", change=None, key=TRIPLE, window=(None, "1 month"), threshold=(0, 0.5)):
    """A table of `accuracy.study` on one trace; a metric of some schemes is changed, from the maximum to the median."""
    numbers = {(*accuracy.ORIGINAL, "accuracy"): 0.5}
    for (of, less), month, limit in product(LESS.items(), (None, "1 month"), (0, 0.5)):
        gain, cost = 0.01 if month else 0, 0.005 if limit else 0
        kept = (0.75 if limit else 1) * ((0.875 if of == TRIPLE else 0.93) if month else 1)
        shares = {"UE_share": UNDER * kept, "BE_share": BAD * kept}
        shares["OE_share"] = OVER + (0.05 if of == DOUBLE else 0) + (UNDER + BAD) * (1 - kept)
        shares["NA_share"] = 1 - sum(shares.values())
        shares["accuracy"] = np.array([0.58, 0.6, 0.62, 0.635, 0.65, 0.675, 0.665]) - less + gain - cost
        if (of, month in window, limit in threshold) == (key, True, True) and metric:
            shares[metric] = change(shares[metric])
        for name, values in shares.items():
            numbers |= {(*accuracy.place(of, p, limit, month), name): values[n] for n, p in enumerate(PERCENTILES)}
    return drawn(numbers, [*accuracy.DIMENSIONS, "metric"])


@described(figure11.MEASURES)
def figure11_lines(best=0.03, below=0.05, above=-0.05, double=0.5, gain=0.42):
    """What `figure11.averages` finds of a log.

    By how much the median of the 85th percentile is ahead of the others, the median scheme is above it below 0.4 of the
    jobs and above, how much of the distance from the users' line is left with the double key, and what the 85th gains.
    """
    numbers, q = {}, np.array(list(figure11.QUANTILES.values()))
    users = 0.2 + 0.6 * q
    medium = users * (1 + gain)
    median = medium + np.where(q < 0.4, below, above)
    of = {"original": users, "maximum": users + 0.02, "85th percentile": medium, "median": median}
    for key, left in ((TRIPLE, 1), (DOUBLE, double)):
        for name, values in of.items():
            for metric, value in zip(figure11.QUANTILES, users + left * (values - users), strict=True):
                numbers[key, name, metric] = value
            numbers[key, name, "gain"] = gain
        others = [numbers[key, name, "median"] for name in of if name != "85th percentile"]
        numbers[key, "85th percentile", "median"] = best + max(others)
    return drawn(numbers, ["key", "line", "metric"])


@described(asked("tang2013/figure13"))
def figure13(p95=0.11, p85=0.13, p70=0.15):
    """How accurate the users' estimates are in two months, and what the schemes gain."""
    values = {"original": 0.5, "p95": 0.5 + p95, "p85": 0.5 + p85, "p70": 0.5 + p70}
    return drawn({(month, case): value for month in "ab" for case, value in values.items()}, ["month", "case"])


def table_of_gains(of, months=("2009-01", "2009-02", "2009-03"), shakes=41):
    """What `scheduling.gains` gives: by (order, case, metric) a gain, of all months or by month, and its spread."""
    noise = np.concatenate([[0], np.linspace(-1, 1, shakes)])
    found = {
        ("made up", *place, month, run): of_month + spread * noise[run]
        for place, (gain, spread) in of.items()
        for month, of_month in zip(months, np.broadcast_to(gain, len(months)), strict=True)
        for run in range(AS_IT_IS, AS_IT_IS + 1 + shakes)
    }
    return pd.Series(found).rename_axis([*scheduling.AVERAGED, "month", "run"])


MONTHS = [str(month) for month in pd.period_range("2009-01", periods=24, freq="M")]


def as_printed(months=24):
    """Gains of the sizes that the paper prints, or of the kind that it describes, with their spreads."""
    sixth, even = np.arange(months) == 5, np.arange(months) % 2 == 0
    best, mixed = np.where(sixth, 0.4, 0.14), np.where(even, -0.01, 0.15)
    of_cases = {
        ("wfp", "regular p95"): (0.16, 0.12, 0.12),
        ("wfp", "regular p85"): (best, 0.17, 0.19),
        ("wfp", "regular p70"): (0.1, mixed, mixed),
        ("wfp", "selective p95"): (0.16, np.where(even, -0.05, 0.25), 0.1),
        ("wfp", "selective p85"): (0.22, 0.22, 0.28),
        ("wfp", "selective p70"): (0.2, 0.2, 0.2),
        ("fcfs", "regular p95"): (0.02, 0.02, 0.02),
        ("fcfs", "regular p85"): (-0.02, -0.02, -0.02),
        ("fcfs", "regular p70"): (-0.02, -0.08, -0.02),
        ("fcfs", "selective p95"): (0.1, 0.1, 0.1),
        ("fcfs", "selective p85"): (0.2, 0.2, 0.15),
        ("fcfs", "selective p70"): (0.2, 0.22, 0.15),
    }
    papers = figures14_17.PAPERS
    return {
        (*case, name): (of, 0.001) for case, each in of_cases.items() for name, of in zip(papers, each, strict=True)
    }


def of_gains(id, **changed):
    """Decide by gains as they are printed, but for some, such as "wfp regular p85 wait", of all months or by month."""
    found = as_printed()
    for name, gain in changed.items():
        order, strategy, p, metric = name.split()
        found[order, f"{strategy} {p}", metric] = gain, 0.001
    return figures14_17.claim(id, table_of_gains(found, MONTHS, shakes=9), tang2013.TraceLogs({}, {}))


DESCRIBED |= {id: partial(of_gains, id) for id in figures14_17.CLAIMS}
