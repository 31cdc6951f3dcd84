"""What the paper leaves open: each switch by itself, other settings, better predictions, who pays, and other logs."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ..._util.arrays import Floats, Ints
from ...core import estimates
from ...engine.estimating import History
from ...plots.style import COLOURS
from ...policies import walltime
from ...policies.easy import EASY, Predictions
from ...policies.walltime import Adjustment, Scheme
from .. import results
from ..exhibit import LOGS, Part
from ..parameters import PERCENTILE, SEED, parameter, repeats
from ..results import AS_IT_IS
from . import TRACE, OnTraces, scheduling, settings, traces
from .scheduling import BASELINE, ORDERS, STRATEGIES, over_baseline, reach, scheme, spread

# Plan with predicted run times in place of adjusted estimates.


@dataclass(frozen=True, eq=False)
class Predicted(Adjustment):
    """Set where a scheduler uses predictions that were made beforehand, by whatever means.

    Two are equal only if they are the same object, for predictions are not compared.
    """

    scheme: Scheme = Scheme("user", window=None, percentile=100, least=1)
    predicted: pd.Series | None = field(default=None, repr=False)

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.predicted is None:
            raise ValueError("Predicted: found no predictions, expected predicted=, a Series by job, in seconds")

    def history(self, jobs: pd.DataFrame) -> tuple[History, Ints, Floats]:
        """Make the history that a simulation of `jobs` starts from; see `Adjustment.history`.

        Each job is a group of its own, whose past is one made-up job that used the predicted share of its estimate.
        """
        assert self.predicted is not None
        estimate = np.maximum(jobs.estimate, jobs.run)  # as `simulate` extends it
        alone = jobs.assign(user=np.arange(len(jobs)), estimate=estimate)
        day = 86400  # longer than a shake moves submit times
        made_up = alone.assign(run=self.predicted.loc[jobs.index], end=jobs.submit.min() - day)
        return Adjustment(self.scheme, past=made_up).history(alone)


SWITCHES = ("queue", "backfill", "running")

OTHER_LOGS = "other logs"
"""The group of sources that the comparison of all logs has besides those of `trace`."""


class Beyond(OnTraces, name="tang2013/beyond", section="7", seconds=90):
    """Which switch, which predictor, who pays, and other logs?"""

    trace: tuple = parameter(("CEA-Curie", "SDSC-SP2", "SDSC-DS"), TRACE)
    percentile: float = parameter(85, PERCENTILE)
    shakes: int = repeats(6)
    large_shakes: int = repeats(2)
    seed: int = parameter(1, SEED)

    @cached_property
    def every(self):
        """The traces of the comparison of all logs: all of `settings` that are on this machine."""
        return traces(settings())[0]

    @property
    def others(self):
        """Those of them that are not of `trace`."""
        own = [one.name for one in self.found]
        return [one for one in self.every if one.name not in own]

    def load(self):
        return super().load() | {OTHER_LOGS: [one.workload for one in self.others]}

    @cached_property
    def results(self):
        """Every simulation of the logs of `trace`: of `cases`, which all sections share."""
        return self._runs(self.found, cases)

    def _runs(self, traces, cases):
        cases = partial(cases, percentile=self.percentile)
        settings = {name: getattr(self, name) for name in ("shakes", "large_shakes", "seed")}
        return scheduling.runs(traces, cases, measures, **settings)

    @cached_property
    def averages(self):
        """The gains in these averaged over the months, from `averages`."""
        return averages(self.results)

    def of_cases(self, cases, table=None):
        """Take the rows of `averages`, or of another table, that have some cases, such as `switches`."""
        table = self.averages if table is None else table
        return table[table.index.isin(cases(self.found[0], self.percentile), level="case")]

    @cached_property
    def logs(self):
        """The averages of the paper's strategies on every log."""
        others = [averages(self._runs(self.others, strategies))] if self.others else []
        return pd.concat([self.of_cases(strategies), *others]).loc[[one.name for one in self.every]]

    @cached_property
    def reach(self):
        """How far the scheme reaches on every log, from `reach`."""
        return reach(self.every, self.percentile)

    @cached_property
    def paying(self):
        """What the paper's strategies change for each kind of jobs, from `who_pays`."""
        return who_pays(self.of_cases(strategies, self.results))

    @property
    def hours_before(self):
        """The share of the jobs of each kind, and their mean wait under the baseline in hours, a column an order."""
        first = self.paying.xs(self.paying.index.unique("case")[0], level="case")
        hours = first.before.unstack("order")[list(ORDERS)] / 3600
        return first[["share"]].xs(ORDERS[0], level="order").join(hours)

    @property
    def too_low(self):
        """The share of the predictions from the last two jobs that are below the run time, by log."""
        jobs = {one.name: (one.workload.jobs, estimates.LastTwo(one.ends)) for one in self.found}
        return {name: (predict(of) < of.run).mean() for name, (of, predict) in jobs.items()}

    def parts(self):
        kinds = {"switches": switches, "settings": relaxed, "predictions": predictions}
        found = {
            name: Part(partial(self.of_cases, cases), partial(self._gains, cases)) for name, cases in kinds.items()
        }
        found["who-pays"] = Part(lambda: self.paying, self._who_pays)
        on = (LOGS, OTHER_LOGS) if len(self.others) < len(self.every) else (OTHER_LOGS,)
        return found | {"logs": Part(lambda: self.logs, self._logs, on), "reach": Part(lambda: self.reach, on=on)}

    def _gains(self, cases):
        return by_row(self.of_cases(cases), ["trace", "order"], "case", "metric", ["wait", "slowdown"])

    def _logs(self):
        chosen = ["wait", "slowdown", "bounded_slowdown"]
        return by_row(self.logs, ["order", "case"], "trace", "metric", chosen)

    def _who_pays(self):
        chosen = list(self.paying.index.unique("case"))
        return by_row(self.paying, ["trace", "order"], "kind", "case", chosen, "gain in mean wait [%]")


# Cases


def cases(trace, percentile=85):
    """Make all cases of this module, for one run of `scheduling.runs`: several of them are the same."""
    return {name: of for each in (switches, relaxed, predictions) for name, of in each(trace, percentile).items()}


def strategies(trace, percentile=85):
    """Make the cases of regular and selective adjustment by one percentile."""
    return scheduling.cases(trace, (percentile,))


def switches(trace, percentile=85):
    """Make cases of all combinations of the three switches; "queue + backfill" is selective."""
    found = {BASELINE: None}
    for chosen in sorted(product((False, True), repeat=3), key=sum)[1:]:
        name = " + ".join(name for name, on in zip(SWITCHES, chosen, strict=True) if on)
        found[name] = Adjustment(scheme(trace, percentile), *chosen)
    return found


def relaxed(trace, percentile=85):
    """Make cases of the scheme as it is in section 6.1, and with one or two of its settings relaxed."""
    found, settings = {BASELINE: None}, [(0.5, 10), (0.2, 10), (None, 10), (0.5, 2), (None, 2)]
    for (strategy, running), (threshold, least) in product(STRATEGIES.items(), settings):
        name = f"{strategy}, {f'A >= {threshold}' if threshold else 'any A'}, {least} jobs"
        found[name] = Adjustment(scheme(trace, percentile, threshold=threshold, least=least), running=running)
    return found


def predictions(trace, percentile=85):
    """Make cases of the paper's scheme, of the mean of the user's last two jobs, of the run times, and EASY++.

    The last two jobs are those that had ended by the log's own times when a job was submitted. Those of *corrected*
    predictions, and of EASY++, had ended in the simulation, and what proves too short is prolonged.
    """
    jobs = trace.workload.jobs
    made = {"last two jobs": estimates.LastTwo(trace.ends)(jobs), "perfect": estimates.Exact()(jobs)}
    found = {BASELINE: None}
    for strategy, running in STRATEGIES.items():
        found[f"{strategy} p{percentile:g}"] = Adjustment(scheme(trace, percentile), running=running)
        for name, predicted in made.items():
            found[f"{strategy} {name}"] = Predicted(running=running, predicted=predicted)
        found[f"{strategy} last two, corrected"] = Predictions(running=running)
    return found | {"EASY++": EASY.plus_plus()}


# Who pays

EVERY = "all jobs"
KINDS = {
    EVERY: lambda r, share: r >= 0,
    "R below 0.1": lambda r, share: r < 0.1,
    "R 0.1 to 0.9": lambda r, share: (r >= 0.1) & (r < 0.9),
    "R 0.9 and above": lambda r, share: r >= 0.9,
    "to 1/32 of the machine": lambda r, share: share <= 1 / 32,
    "1/32 to 1/8": lambda r, share: (share > 1 / 32) & (share <= 1 / 8),
    "above 1/8 of the machine": lambda r, share: share > 1 / 8,
}
"""Kinds of jobs: by R, from wild to exact requests, and by the share of the machine that they take."""


def measures(schedule):
    """Measure a schedule, by (kind, metric).

    Of EVERY job as `scheduling.measures`; of each of `KINDS` how many `jobs` there are, and `waited`, the sum of their
    waits in seconds.
    """
    found = {(EVERY, metric): value for metric, value in scheduling.measures(schedule).items()}
    wait = schedule.column("wait")
    for kind, (jobs, of) in of_kinds(schedule.workload).items():
        found |= {(kind, "jobs"): jobs, (kind, "waited"): int(wait[of].sum())}
    return found


@lru_cache(maxsize=8)  # all cases of a month are measured one after another, by several threads
def of_kinds(workload):
    """Find the jobs of each of `KINDS`: how many, and which, a bool a job."""
    jobs = workload.jobs
    r, share = walltime.used(jobs.run, jobs.estimate), jobs.procs.to_numpy() / workload.procs
    found = {kind: which(r, share) for kind, which in KINDS.items()}
    return {kind: (np.count_nonzero(of), of) for kind, of in found.items()}


def averages(found):
    """Average the gains in results of `scheduling.runs` with these `measures` over the months."""
    return scheduling.averages(scheduling.gains(found.xs(EVERY, level="kind")))


def who_pays(found):
    """Work out from results with these `measures` what each case changes for each kind of jobs, all months together.

    The table has by (trace, order, case, kind) the `share` of the jobs; `before`, their mean wait under the baseline in
    seconds, a mean over the shakes; and the `scheduling.spread` of what the case takes off it, as a share.
    """
    levels = ["trace", "order", "case", "kind"]
    sums = found.groupby([*levels, "replication", "metric"], sort=False).sum()
    jobs, waited = (sums.xs(metric, level="metric") for metric in ("jobs", "waited"))
    table = results.by(spread(over_baseline(waited / jobs)), *levels)
    before = spread((waited / jobs).xs(BASELINE, level="case")).ours
    counts = jobs.xs((AS_IT_IS, BASELINE), level=("replication", "case")).unstack("kind")
    share = counts.div(counts[EVERY], axis=0).stack()
    place = table.index.droplevel("case")
    table.insert(0, "share", share.reindex(place).to_numpy())
    table.insert(1, "before", before.reindex(place).to_numpy())
    return table


def by_row(table, panel, row, mark, chosen, label="gain [%], average over the months"):
    """Draw gains as dots with the middle 95 % of the shaken runs, rows below each other, two panels beside each other.

    Levels of the index of a table of `scheduling.spread` name the `panel` (several), the `row`, and the dot, its
    `mark`, of which some are `chosen`.
    """
    panels, rows = dict(list(table.groupby(level=panel, sort=False))), list(table.index.unique(row))
    lines = -(-len(panels) // 2)
    size = (10.2, 1.2 + lines * (0.5 + 0.32 * len(rows)))
    figure, axes = plt.subplots(lines, 2, figsize=size, sharex="row", sharey=True, squeeze=False)
    for ax, (names, of_panel) in zip(axes.flat, panels.items(), strict=True):
        offsets = np.linspace(-0.2, 0.2, len(chosen))
        for name, offset, colour, shape in zip(chosen, offsets, COLOURS, "os^Dv", strict=False):
            part = 100 * of_panel.xs(name, level=mark).droplevel(panel).reindex(rows)[["ours", "low", "high"]]
            y = np.arange(len(rows)) + offset
            ax.hlines(y, part.low, part.high, color=colour, linewidth=2, alpha=0.45)
            ax.plot(part.ours, y, shape, color=colour, markersize=5, label=name.replace("_", " "))
        ax.axvline(0, color="black", linewidth=1)
        ax.set_title(", ".join(name.upper() if name in ORDERS else name for name in names))
        ax.grid(False, axis="y")
    for ax in axes[-1]:
        ax.set_xlabel(label)
    axes[0, 0].set(yticks=range(len(rows)), yticklabels=rows, ylim=(len(rows) - 0.5, -0.5))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(chosen))
    return figure
