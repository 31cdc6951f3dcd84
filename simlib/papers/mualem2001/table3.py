"""Table 3: what the quality of user estimates does to performance (section 4.2)."""

from functools import cached_property, partial
from itertools import product

import numpy as np
import pandas as pd

from ... import estimates
from ...stats import band, means_of
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, cell, claim, deviation, published
from ..exhibit import LOGS, Part, repeats
from . import CLOSE_TO, METRICS, SCHEDULERS, SP2, TRACES, means, pictures, policies, shaken
from .on_traces import OnTraces

FACTORS = (1, 2, 4, 11, 31, 101, 301)
SEEDS = 10
"""How many measurements MF made of random estimates (section 4.2); the table has their means."""

NOT_RANDOM = ("original", "f1")
"""The columns whose estimates are the users' and the run times."""

CASE = ["trace", "estimates", "seed", "scheduler"]


class Table3(OnTraces, name="mualem2001/table3", section="4.2", seconds=140, claims={"MF-30": LOGS, "MF-31": LOGS}):
    """Are good estimates really needed?"""

    traces: tuple = SP2
    factors: tuple = FACTORS
    shakes: int = repeats(100)
    variant_shakes: int = repeats(40)
    draws: int = repeats(20)
    shake_s: int = 60
    seed: int = 0
    easy_reuse_extra: bool = False
    conservative_compress: str = "arrival"

    @cached_property
    def results(self):
        counts = self.shakes, self.variant_shakes, self.draws
        return runs(self.found, qualities(self.factors), *counts, self.shake_s, self.seed, self.rules)

    @cached_property
    def table(self):
        return summary(self.results)

    @cached_property
    def cells(self):
        return cells(self.table)

    @property
    def deviations(self):
        return deviations(self.table, {trace.trace: len(trace.workload) for trace in self.found})

    def judge(self):
        return claims(self.table)

    def parts(self):
        labels = {"response_s": "mean response time [s]", "bounded_slowdown": "mean bounded slowdown"}
        return {"": Part(self.table, lambda: pictures.against_estimates(self.table, labels), cells=self.cells)}


def qualities(factors):
    """The estimates of each quality: as for `stats.shake`, by the columns of the published table."""
    random = {f"f{f}": partial(estimates.Uniform, f) for f in factors if f > 1}
    return {"original": None, "f1": lambda seed: "exact"} | random


def runs(traces, kinds=None, shakes=100, variant_shakes=40, draws=20, shake_s=60, seed=0, rules=None, executor=None):
    """Simulate every trace under every kind of estimates and scheduler, as it is and shaken.

    Parameters
    ----------
    traces : list of Trace
    kinds : dict, optional
        As from `qualities`, by default those of the table; all but `NOT_RANDOM` are drawn at random.
    shakes, variant_shakes, draws, shake_s, seed : int
        How many shaken versions under the rules followed, under the variants, and where estimates are random, which
        each version has drawn anew; by up to how many seconds; and the first seed, which also draws the estimates. The
        same seeds serve for every trace and kind, as in the paper. Where estimates are not random, the log is
        simulated as it is too, with seed None.
    rules : dict
        From `mualem2001.policies`.
    executor : concurrent.futures.Executor, optional

    Returns
    -------
    DataFrame
        A row a simulation: trace, estimates, seed, scheduler (with its variants), response_s, bounded_slowdown.
    """
    kinds, rules = kinds or qualities(FACTORS), rules or policies()
    found = {}
    for trace, (column, model), (scheduler, policy) in product(traces, kinds.items(), rules.items()):
        random = column not in NOT_RANDOM
        count = draws if random else variant_shakes if scheduler.endswith("_variant") else shakes
        varied = shaken.whole(trace, policy, count, shake_s, seed, estimates=model, executor=executor)
        if not random:
            found[trace.trace, column, None, scheduler] = means(trace.workload, policy, estimates=model and model(seed))
        found |= {(trace.trace, column, seed + run, scheduler): row for run, row in enumerate(varied)}
    return pd.DataFrame(found.values(), pd.MultiIndex.from_tuples(found, names=CASE)).reset_index()


def summary(results):
    """Table 3: each cell with its spread, beside the published number.

    Returns
    -------
    DataFrame
        By scheduler, metric, trace and estimates: `published`, `ours` (the log as it is where estimates are not
        random, else the mean over seeds), `sd` over the shaken runs, their 95 % band `low`, `median`, `high` (of means
        of ten where estimates are random, as in the paper), `deviation`, and `variant`, `variant_sd` and so on under
        the other rule.
    """
    printed = (
        published("mualem2001_table3").set_index(["scheduler", "metric", "trace"]).rename_axis(columns="estimates")
    )
    rows = {}
    for (trace, column, scheduler), part in results.groupby(["trace", "estimates", "scheduler"], sort=False):
        varied = part[part.seed.notna()]
        whole = part[part.seed.isna()]
        as_printed = band(varied[list(METRICS)] if len(whole) else means_of(varied[list(METRICS)], SEEDS))
        for metric in METRICS:
            value = (whole if len(whole) else varied)[metric].mean()
            spread = {"sd": varied[metric].std()} | as_printed.loc[metric].to_dict()
            rows[scheduler, metric, trace, column] = value, spread
    table = {}
    for scheduler in SCHEDULERS:
        for (name, metric, trace, column), (ours, spread) in rows.items():
            if name == scheduler:
                variant, variant_spread = rows[f"{scheduler}_variant", metric, trace, column]
                known = (scheduler, metric, trace) in printed.index and column in printed.columns
                number = printed.loc[(scheduler, metric, trace), column] if known else np.nan
                row = {"published": number, "ours": ours, "deviation": deviation(ours, number)} | spread
                row |= {"variant": variant, "variant_deviation": deviation(variant, number)}
                row |= {f"variant_{key}": value for key, value in variant_spread.items()}
                table[scheduler, metric, trace, column] = row
    index = pd.MultiIndex.from_tuples(table, names=["scheduler", "metric", "trace", "estimates"])
    return pd.DataFrame(list(table.values()), index=index).sort_index(level=[0, 1], sort_remaining=False)


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
    """The verdict on every number of Table 3 that is printed, as `papers.cell` gives it."""
    found = []
    for (scheduler, metric, trace, column), row in table[table.published.notna()].iterrows():
        of = {"scheduler": scheduler, "metric": metric, "trace": trace, "estimates": column}
        ours, variant = (
            {"ours": row[name], "band": [row[f"{prefix}{part}"] for part in ("low", "median", "high")]}
            for name, prefix in (("ours", ""), ("variant", "variant_"))
        )
        more = {"close": CLOSE_TO[metric], "decimals": decimals(metric, trace), "variant": variant}
        found.append(cell(of, row.published, **ours, **more))
    return found


def decimals(metric, trace):
    """How many decimals Table 3 prints."""
    return 0 if metric == "response_s" else 2 if trace == "CTC" else 1


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
