"""Table 4: the users' estimates multiplied by two (section 4.5)."""

from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from ... import estimates
from ...stats import band
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, cell, claim, deviation, published
from ..exhibit import LOGS, Part, repeats
from . import CLOSE_TO, METRICS, SCHEDULERS, TRACES, means, pictures, policies, shaken
from .on_traces import OnTraces


class Table4(OnTraces, name="mualem2001/table4", section="4.5", seconds=45, claims={"MF-36": LOGS, "MF-37": LOGS}):
    """Does it help to double the users' estimates?"""

    traces: tuple = ("KTH", "CTC", "SDSC")
    factor: float = 2
    shakes: int = repeats(60)
    variant_shakes: int = repeats(40)
    shake_s: int = 60
    seed: int = 0
    easy_reuse_extra: bool = False
    conservative_compress: str = "arrival"

    @property
    def found(self):
        """The traces at hand in the order of `traces`, which is the printed table's."""
        return sorted(super().found, key=lambda trace: self.traces.index(trace.trace))

    @cached_property
    def results(self):
        """Every simulation, from `runs`."""
        return runs(self.found, self.factor, self.shakes, self.variant_shakes, self.shake_s, self.seed, self.rules)

    @cached_property
    def table(self):
        """Table 4, from `summary`."""
        return summary(self.results)

    @cached_property
    def cells(self):
        """The verdicts on its printed numbers."""
        return cells(self.table)

    def judge(self):
        return claims(self.table)

    def parts(self):
        labels = {"bounded_slowdown": "bounded slowdown", "response_s": "response time"}
        return {"": Part(self.table, lambda: pictures.differences(self.table, labels), cells=self.cells)}


def runs(traces, factor=2, shakes=60, variant_shakes=40, shake_s=60, seed=0, rules=None, executor=None):
    """Simulate every trace with its own estimates and with scaled ones, as it is and shaken.

    Both versions are shaken alike, so that their differences can be taken pair by pair.

    Parameters
    ----------
    traces : list of Trace
    factor : float
    shakes, variant_shakes, shake_s, seed : int
        How many shaken versions under the rules followed and under the variants, by up to how many seconds, and the
        first seed.
    rules : dict
        From `mualem2001.policies`.
    executor : concurrent.futures.Executor, optional

    Returns
    -------
    DataFrame
        A row a simulation: trace, scheduler, shake (-1: as it is), estimates ("original", "scaled"), response_s,
        bounded_slowdown.
    """
    rules = rules or policies()
    versions = {"original": None, "scaled": lambda seed: estimates.Scaled(factor)}
    found = {}
    for trace, (scheduler, policy), (name, model) in product(traces, rules.items(), versions.items()):
        count = variant_shakes if scheduler.endswith("_variant") else shakes
        varied = shaken.whole(trace, policy, count, shake_s, seed, estimates=model, executor=executor)
        as_it_is = means(trace.workload, policy, estimates=model and model(seed))
        for shake, row in enumerate([as_it_is, *varied], -1):
            found[trace.trace, scheduler, shake, name] = row
    index = pd.MultiIndex.from_tuples(found, names=["trace", "scheduler", "shake", "estimates"])
    return pd.DataFrame(found.values(), index).reset_index()


def summary(results):
    """Table 4: each mean with original and scaled estimates, and their difference.

    Returns
    -------
    DataFrame
        By metric, trace, scheduler and rule ("rule" or "variant"): `original` and `scaled` of the log as it is, each
        with `_published` and `_deviation`, and the 95 % band of the shaken runs in `_low`, `_median`, `_high`;
        `difference` of the log as it is and `difference_published`, relative;
        `difference_mean`, `difference_low`, `difference_high`: mean and 95 % band of the paired differences of the
        shaken runs.
    """
    printed = published("mualem2001_table4").set_index(["metric", "trace"])
    rows = {}
    for (trace, scheduler), part in results.groupby(["trace", "scheduler"], sort=False):
        plain, _, variant = scheduler.partition("_")
        for metric in METRICS:
            pairs = part.pivot(index="shake", columns="estimates", values=metric)
            pairs["difference"] = pairs.scaled / pairs.original - 1
            row = pairs.loc[-1].to_dict()
            for name, place in band(pairs.loc[0:]).iterrows():
                row |= place.add_prefix(f"{name}_").to_dict()
            for name, column in (("original", "original"), ("scaled", "x2")):
                key = f"{plain}_{column}"
                number = printed.loc[(metric, trace), key] if (metric, trace) in printed.index else np.nan
                row |= {f"{name}_published": number, f"{name}_deviation": deviation(row[name], number)}
            row["difference_published"] = deviation(row["scaled_published"], row["original_published"])
            row["difference_mean"] = pairs.difference.loc[0:].mean()
            rows[metric, trace, plain, variant or "rule"] = row
    index = pd.MultiIndex.from_tuples(rows, names=["metric", "trace", "scheduler", "rule"])
    order = [list(METRICS), list(dict.fromkeys(results.trace)), SCHEDULERS, ["rule", "variant"]]
    return pd.DataFrame(list(rows.values()), index=index).reindex(pd.MultiIndex.from_product(order, names=index.names))


def beside(table, metric):
    """One metric of Table 4 as the paper lays it out, for reading: all text."""
    number = "{:,.0f}" if metric == "response_s" else "{:,.1f}"
    part = table.loc[metric]

    def text(column, form):
        return part[column].map(lambda value: form.format(value) if pd.notna(value) else "")

    band = text("difference_low", "{:+.1%}") + " to " + text("difference_high", "{:+.1%}")
    columns = {("difference", "paper"): text("difference_published", "{:+.1%}")}
    columns |= {("difference", "ours"): text("difference", "{:+.1%}"), ("difference", "shaken, 95 % band"): band}
    for name in ("original", "scaled"):
        columns[name, "paper"] = text(f"{name}_published", number)
        columns[name, "ours"] = text(name, number)
        columns[name, "off"] = text(f"{name}_deviation", "{:+.1%}")
    return pd.DataFrame(columns)[["original", "scaled", "difference"]]


def cells(table):
    """The verdict on every number of Table 4 that is printed, as `papers.cell` gives it."""
    found = []
    for (metric, trace, scheduler), part in table.groupby(level=["metric", "trace", "scheduler"], sort=False):
        for name in ("original", "scaled"):
            ours, variant = ({"ours": row[name], "band": _band(row, name)} for _, row in part.iterrows())
            number = part[f"{name}_published"].iloc[0]
            if pd.notna(number):
                of = {"metric": metric, "trace": trace, "scheduler": scheduler, "quantity": name}
                decimals = 0 if metric == "response_s" else 1
                found.append(cell(of, number, **ours, close=CLOSE_TO[metric], decimals=decimals, variant=variant))
    return found


def _band(row, name):
    return [row[f"{name}_{part}"] for part in ("low", "median", "high")]


def claims(table):
    """Decide claims MF-36 and MF-37.

    A difference is clear where the 95 % band of the shaken runs does not hold zero. Doubling in general improves
    performance where at least three quarters of the combinations of metric, trace and scheduler clearly improve.
    """
    if not set(table.index.get_level_values("trace")) & set(TRACES):
        return [claim(id, UNTESTED, "no real log at hand") for id in ("MF-36", "MF-37")]
    counted = {rule: _improved(part) for rule, part in table.groupby("rule", sort=False)}
    verdicts = [
        REPRODUCED if good >= 0.75 * of else PARTLY if good >= 0.5 * of else NOT for good, _, of in counted.values()
    ]
    printed = table.xs("rule", level="rule").difference_published.dropna()
    text = "; ".join(f"{r}: {g} of {n} clearly improve, {b} clearly get worse" for r, (g, b, n) in counted.items())
    text += f"; as printed: {(printed < 0).sum()} of {len(printed)} improve"
    first = claim("MF-36", verdicts[0] if len(set(verdicts)) == 1 else PARTLY, text)

    largest = {rule: _largest(part.difference_mean) for rule, part in table.groupby("rule", sort=False)}
    expected = {trace: ("bounded_slowdown", "conservative") for trace in table.index.get_level_values("trace")}
    holds = [found == expected for found in largest.values()]
    text = "; ".join(
        f"{rule}: largest gain " + ", ".join(f"{trace} {_words(key)}" for trace, key in found.items())
        for rule, found in largest.items()
    )
    second = claim("MF-37", REPRODUCED if all(holds) else PARTLY if any(holds) else NOT, text)
    return [first, second]


def _improved(part):
    """How many combinations clearly improve, clearly get worse, and there are."""
    return int((part.difference_high < 0).sum()), int((part.difference_low > 0).sum()), len(part)


def _largest(difference):
    """The metric and scheduler that gain most, by trace."""
    best = difference.groupby("trace", sort=False).idxmin()
    return {trace: (metric, scheduler) for trace, (metric, _, scheduler, _) in best.items()}


def _words(key):
    metric, scheduler = key
    return f"{scheduler} by {metric.removesuffix('_s').replace('_', ' ')}"
