"""Table 3: what the quality of user estimates does to performance (section 4.2)."""

import numpy as np
import pandas as pd

from ... import estimates
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, claim, deviation, published
from . import METRICS, SCHEDULERS, TRACES, policies, simulations

FACTORS = (1, 2, 4, 11, 31, 101, 301)


def variations(workload, factors, seeds, shake_s):
    """The workload under estimates of each quality, several times over.

    Estimates drawn at random differ by seed. Original and exact ones (f = 1) do not; their spread is that of shaken
    submit times, and their value is that of the log as it is, which comes first, with seed None.

    Returns
    -------
    list of (column, seed, Workload)
        `column` as in the published table: "original", "f1", "f2", ...
    """
    made = []
    for column, jobs in (("original", workload), ("f1", workload.with_estimates("exact"))):
        made.append((column, None, jobs))
        made += [(column, seed, jobs.shake(shake_s, seed)) for seed in seeds]
    for f in factors:
        if f > 1:
            made += [(f"f{f}", seed, workload.with_estimates(estimates.Uniform(f, seed))) for seed in seeds]
    return made


def runs(traces, factors=FACTORS, seeds=range(10), shake_s=60, rules=None, executor=None):
    """Simulate every trace under every estimate, seed and scheduler.

    Parameters
    ----------
    traces : list of Trace
    factors, seeds : sequences of int
        The same seeds for every trace and factor, as in the paper.
    shake_s : int
        Seconds of shaking where estimates are not random.
    rules : dict
        From `mualem2001.policies`.
    executor : concurrent.futures.Executor, optional

    Returns
    -------
    DataFrame
        A row a simulation: trace, estimates, seed, scheduler (with its variants), response_s, bounded_slowdown.
    """
    rules = rules or policies()
    cases = {}
    for trace in traces:
        for column, seed, workload in variations(trace.workload, factors, seeds, shake_s):
            for scheduler, policy in rules.items():
                cases[trace.trace, column, seed, scheduler] = workload, policy
    return simulations(cases, ["trace", "estimates", "seed", "scheduler"], executor)


def summary(results):
    """Table 3: mean and standard deviation of each cell, beside the published number.

    Returns
    -------
    DataFrame
        By scheduler, metric, trace and estimates: `published`, `ours` (the log as it is where estimates are not
        random, else the mean over seeds), `sd` over seeds or shakes, `deviation`, and `variant`, `variant_sd`,
        `variant_deviation` under the other rule.
    """
    printed = (
        published("mualem2001_table3").set_index(["scheduler", "metric", "trace"]).rename_axis(columns="estimates")
    )
    rows = {}
    for (trace, column, scheduler), cell in results.groupby(["trace", "estimates", "scheduler"], sort=False):
        varied = cell[cell.seed.notna()]
        whole = cell[cell.seed.isna()]
        for metric in METRICS:
            value = (whole if len(whole) else varied)[metric].mean()
            rows[scheduler, metric, trace, column] = value, varied[metric].std()
    table = {}
    for scheduler in SCHEDULERS:
        for (name, metric, trace, column), (ours, sd) in rows.items():
            if name == scheduler:
                variant, variant_sd = rows[f"{scheduler}_variant", metric, trace, column]
                known = (scheduler, metric, trace) in printed.index and column in printed.columns
                number = printed.loc[(scheduler, metric, trace), column] if known else np.nan
                off, variant_off = deviation(ours, number), deviation(variant, number)
                table[scheduler, metric, trace, column] = number, ours, sd, off, variant, variant_sd, variant_off
    columns = ["published", "ours", "sd", "deviation", "variant", "variant_sd", "variant_deviation"]
    index = pd.MultiIndex.from_tuples(table, names=["scheduler", "metric", "trace", "estimates"])
    return pd.DataFrame(table.values(), index=index, columns=columns).sort_index(level=[0, 1], sort_remaining=False)


def beside(table, scheduler, metric):
    """One part of Table 3 as the paper lays it out, for reading: printed, ours +- standard deviation, off by."""
    number = "{:,.0f}" if metric == "response_s" else "{:,.2f}"
    part = table.loc[scheduler, metric]
    ours = [f"{number.format(row.ours)} \u00b1 {number.format(row.sd)}" for row in part.itertuples()]
    variant = [f"{number.format(row.variant)} \u00b1 {number.format(row.variant_sd)}" for row in part.itertuples()]
    text = pd.DataFrame(
        {
            "paper": part.published.map(lambda v: number.format(v) if pd.notna(v) else ""),
            "ours": ours,
            "off": part.deviation.map(lambda v: f"{v:+.1%}" if pd.notna(v) else ""),
            "variant": variant,
            "variant off": part.variant_deviation.map(lambda v: f"{v:+.1%}" if pd.notna(v) else ""),
        }
    )
    order = part.index.get_level_values("estimates").unique()
    return text.stack().unstack("estimates")[order].reindex(text.columns, level=1)


def deviations(table, jobs):
    """Median absolute deviation of the cells of each scheduler, metric and trace.

    Parameters
    ----------
    table : DataFrame
        From `summary`.
    jobs : dict
        The number of jobs simulated, by trace.

    Returns
    -------
    DataFrame
        `rule`, `variant`, and both `scaled` as if the jobs that the file lacks against Table 2 took no time at all.
    """
    total = published("mualem2001_table2").set_index("parameter").loc["total_jobs"]
    share = table.index.get_level_values("trace").map(lambda trace: jobs[trace] / total.get(trace, np.nan))
    off = pd.DataFrame(
        {
            "rule": table.deviation,
            "rule, scaled": deviation(table.ours * share, table.published),
            "variant": table.variant_deviation,
            "variant, scaled": deviation(table.variant * share, table.published),
        }
    )
    return off.abs().groupby(["scheduler", "metric", "trace"], sort=False).median()


def cells(table):
    """Every cell that has a published number, as a list of dicts for the exhibit's record."""
    return table[table.published.notna()].reset_index().to_dict("records")


def clearly_less(a, b, table):
    """Whether column `a` is below column `b`, row by row of (scheduler, metric, trace), by more than their spread.

    The difference must exceed twice the standard deviation of the difference of two single runs.
    """
    ours, sd = table.ours.unstack("estimates"), table.sd.unstack("estimates")
    return ours[b] - ours[a] > 2 * np.hypot(sd[a], sd[b])


def claims(table):
    """Decide claims MF-30 and MF-31 from the combinations of scheduler, metric and trace."""
    if not set(table.index.get_level_values("trace")) & set(TRACES):
        return [claim(id, UNTESTED, "no real log at hand") for id in ("MF-30", "MF-31")]
    columns = set(table.index.get_level_values("estimates"))
    some = [column for column in ("f2", "f4") if column in columns]
    random = [f"f{f}" for f in FACTORS[1:] if f"f{f}" in columns]
    better = pd.concat([clearly_less(column, "f1", table) for column in some], axis=1).any(axis=1)
    worse = pd.concat([clearly_less("f1", column, table) for column in some], axis=1).all(axis=1)
    bad = pd.concat([clearly_less(column, "original", table) for column in random], axis=1).mean(axis=1) > 0.5
    good = pd.concat([clearly_less("original", column, table) for column in random], axis=1).mean(axis=1) > 0.5
    return [
        _vote("MF-30", better, worse, "f = 2 or 4 is clearly better than f = 1", "f = 1 is clearly the best"),
        _vote("MF-31", bad, good, "original estimates are clearly worse than most random ones", "clearly better"),
    ]


def _vote(id, yes, no, what, opposite):
    """Reproduced where three quarters of the combinations say so clearly, not where fewer than a quarter do."""
    share = yes.mean()
    verdict = REPRODUCED if share >= 0.75 and not no.any() else PARTLY if share >= 0.25 else NOT
    names = ", ".join(" ".join(map(str, key)).replace("_s ", " ").replace("_", " ") for key in yes.index[~yes])
    text = f"{what} in {yes.sum()} of {len(yes)} combinations, {opposite} in {no.sum()}"
    return claim(id, verdict, text + (f"; not clearly so in {names}" if names else ""))
