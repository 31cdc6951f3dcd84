"""What the paper leaves open: each switch by itself, other settings, better predictions, who pays, and other logs."""

from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product

import numpy as np
import pandas as pd

from ... import archive, estimates, walltime
from ...walltime import Adjustment, Scheme
from .. import log
from ..exhibit import LOGS, Part, repeats
from ..mualem2001.backfilling import RECORDED
from . import STAND_INS, Trace, pictures, real, scheduling, settings, traces
from .on_traces import OnTraces
from .scheduling import BASELINE, STRATEGIES

SWITCHES = ("queue", "backfill", "running")

OTHER_LOGS = "other logs"
"""The group of sources that the comparison of all logs has besides those of `trace`."""


class Beyond(OnTraces, name="tang2013/beyond", section="7", seconds=40):
    """Which switch, which predictor, who pays, and other logs?"""

    trace: tuple = STAND_INS
    percentile: float = 85
    shakes: int = repeats(6)
    seed: int = 1

    @cached_property
    def every(self):
        """The traces of the comparison of all logs, from `all_traces`."""
        return all_traces()

    @property
    def _names(self):
        return [one.name for one in self.found]

    def load(self):
        others = [one.workload for one in self.every if one.name not in self._names]
        return super().load() | {OTHER_LOGS: others}

    @cached_property
    def results(self):
        """Every simulation of `cases`, for all sections but that of other logs: they share many."""
        return self._runs(cases, self.found)

    @cached_property
    def averages(self):
        """The gains in these cases averaged over the months, from `scheduling.averages`."""
        return scheduling.averages(scheduling.gains(self.results))

    def _runs(self, cases, traces):
        cases = partial(cases, percentile=self.percentile)
        return scheduling.runs(traces, cases, measure=measures, shakes=self.shakes, seed=self.seed)

    def _of(self, cases, table):
        """The rows of a table with these cases, such as `switches`."""
        return table[table.index.isin(cases(self.found[0], self.percentile), level="case")]

    @property
    def predictions(self):
        """The averages of the better predictions."""
        return self._of(predictions, self.averages)

    @property
    def too_low(self):
        """The share of the predictions from the last two jobs that are below the run time, by log."""
        shares = {}
        for one in self.found:
            jobs = one.workload.jobs
            shares[one.name] = (estimates.LastTwo(one.ends)(jobs) < jobs.run).mean()
        return shares

    @cached_property
    def paying(self):
        """What the paper's strategies change for each kind of jobs, from `who_pays`."""
        return who_pays(self._of(strategies, self.results))

    @property
    def hours_before(self):
        """The share of the jobs of each kind, and their mean wait under the baseline in hours, a column an order."""
        first = self.paying.xs(self.paying.index.unique("case")[0], level="case")
        table = first.before.unstack("order", sort=False) / 3600
        table.insert(0, "share", first.share.xs("wfp", level="order"))
        return table

    @cached_property
    def reach(self):
        """How far the scheme reaches on every log, from `scheduling.reach`."""
        return scheduling.reach(self.every, self.percentile)

    @cached_property
    def logs(self):
        """The averages of the paper's strategies on every log."""
        others = [
            scheduling.averages(scheduling.gains(self._runs(strategies, [one])))
            for one in self.every
            if one.name not in self._names
        ]
        return pd.concat([self._of(strategies, self.averages), *others]).loc[[one.name for one in self.every]]

    def parts(self):
        found = {
            "switches": self._gains(self._of(switches, self.averages)),
            "settings": self._gains(self._of(variants, self.averages)),
            "predictions": self._gains(self.predictions),
            "who-pays": Part(self.paying, self._who_pays),
        }
        together = {one.name for one in self.every} & set(self._names)
        on = (LOGS, OTHER_LOGS) if together else (OTHER_LOGS,)
        return found | {"logs": Part(self.logs, self._logs, on), "reach": Part(self.reach, on=on)}

    def _gains(self, table):
        return Part(table, lambda: _dots(table, ("trace", "order"), "case", "metric", ("wait", "slowdown")))

    def _who_pays(self):
        chosen = self.paying.index.unique("case")
        table = by_panel(self.paying, ("trace", "order"), "kind", "case", chosen)
        return pictures.gains_by_row(table, "gain in mean wait [%]")

    def _logs(self):
        return _dots(self.logs, ("order", "case"), "trace", "metric", ("wait", "slowdown", "bounded_slowdown"))


def _dots(averages, *panels):
    """A picture of the rows that `by_panel` chooses."""
    return pictures.gains_by_row(by_panel(averages, *panels), "gain [%], average over the months")


# Cases


def cases(trace, percentile=85):
    """All cases of this module, for one run of `scheduling.runs`: several of them are the same."""
    return {name: of for each in (switches, variants, predictions) for name, of in each(trace, percentile).items()}


def switches(trace, percentile=85):
    """All combinations of the three switches, as cases of `scheduling.runs`; "queue + backfill" is selective."""
    found = {BASELINE: None}
    for chosen in sorted(product((False, True), repeat=3), key=sum):
        names = [name for name, on in zip(SWITCHES, chosen, strict=True) if on]
        if names:
            found[" + ".join(names)] = Adjustment(scheduling.scheme(trace, percentile), *chosen)
    return found


def variants(trace, percentile=85):
    """Settings of the scheme that section 6.1 holds fixed, one or two of them changed, as cases of `scheduling.runs`.

    The first is the paper's.
    """
    options = {
        "A >= 0.5, 10 jobs": {},
        "A >= 0.2, 10 jobs": {"threshold": 0.2},
        "any A, 10 jobs": {"threshold": None},
        "A >= 0.5, 2 jobs": {"least": 2},
        "any A, 2 jobs": {"threshold": None, "least": 2},
    }
    found = {BASELINE: None}
    for (strategy, running), (name, changed) in product(STRATEGIES.items(), options.items()):
        found[f"{strategy}, {name}"] = Adjustment(scheduling.scheme(trace, percentile, **changed), running=running)
    return found


def predictions(trace, percentile=85):
    """The paper's scheme, the mean of the user's last two jobs, and the run times, as cases of `scheduling.runs`.

    The last two jobs are those that had ended by the log's own times when a job was submitted.
    """
    jobs = trace.workload.jobs
    made = {"last two jobs": estimates.LastTwo(trace.ends)(jobs), "perfect": estimates.Exact()(jobs)}
    found = {BASELINE: None}
    for strategy, running in STRATEGIES.items():
        found[scheduling.case(strategy, percentile)] = Adjustment(scheduling.scheme(trace, percentile), running=running)
        for name, predicted in made.items():
            found[f"{strategy} {name}"] = Predicted(running=running, predicted=predicted)
    return found


@dataclass(frozen=True, eq=False)
class Predicted(Adjustment):
    """Predictions that were made beforehand, in place of a scheme's.

    Each job is a group of its own, whose past is one made-up job that used the predicted share of its estimate. No two
    are equal, for what they predict is not compared.

    Parameters
    ----------
    predicted : Series
        By the index of the jobs, in seconds; where it is above the estimate, the estimate counts.
    """

    scheme: Scheme = Scheme("user", window=None, percentile=100, least=1)
    predicted: pd.Series | None = field(default=None, repr=False, compare=False)

    __eq__, __hash__ = object.__eq__, object.__hash__

    def history(self, jobs):
        estimate = np.maximum(jobs.estimate, jobs.run)  # as `simulate` extends it
        alone = jobs.assign(user=np.arange(len(jobs)), estimate=estimate)
        made_up = alone.assign(run=self.predicted.loc[jobs.index], end=jobs.submit.min() - 86400)  # a day: shakes
        return Adjustment(self.scheme, past=made_up).history(alone)


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
    """`scheduling.measures` and `waits`: a measure for `scheduling.runs`."""
    return scheduling.measures(schedule) | waits(schedule)


def waits(schedule):
    """How many jobs of each of `KINDS` there are, and the sum of their waits: a measure for `scheduling.runs`.

    Returns
    -------
    dict
        By ("jobs", kind), and by ("wait", kind) in seconds.
    """
    wait, run, estimate, procs = (schedule.column(name) for name in ("wait", "run", "estimate", "procs"))
    r, share = walltime.used(run, estimate), procs / schedule.workload.procs
    found = {}
    for name, which in KINDS.items():
        of = which(r, share)
        found |= {("jobs", name): np.count_nonzero(of), ("wait", name): int(of @ wait)}
    return found


def who_pays(results):
    """What each case changes for each kind of jobs, all months together.

    Parameters
    ----------
    results : DataFrame
        From `scheduling.runs` with the measure `waits`.

    Returns
    -------
    DataFrame
        By (trace, order, case, kind): `share` of the jobs; `before`, their mean wait under the baseline, in seconds, a
        mean over the shakes; `gain`, what the case takes off it, as a share, with `low`, `high` and `recorded` as in
        `scheduling.averages`.
    """
    columns = pd.MultiIndex.from_product([["jobs", "wait"], KINDS], names=[None, "kind"])
    sums = results[list(columns)].set_axis(columns, axis=1)
    sums = sums.groupby(["trace", "order", "seed", "case"], sort=False).sum()
    mean = (sums["wait"] / sums["jobs"]).unstack("case", sort=False).swaplevel(axis=1)
    base = mean[BASELINE]
    gains = {name: 1 - mean[name] / base for name in mean.columns.unique("case") if name != BASELINE}
    table = scheduling.spread(pd.concat(gains, axis=1, names=["case", "kind"]))
    jobs = sums["jobs"].xs((RECORDED, BASELINE), level=("seed", "case"))
    place = table.index.droplevel("case")
    table.insert(0, "share", jobs.div(jobs[EVERY], axis=0).stack().reindex(place).to_numpy())
    table.insert(1, "before", scheduling.spread(base).gain.reindex(place).to_numpy())
    return table


# Other logs

OTHERS = {"CTC-SP2": "queue", "KTH-SP2": "group", "LANL-CM5": "group"}
"""Further logs of the catalogue with users and estimates, and the column that is their project: CTC has no groups."""


def all_traces():
    """Every log of the catalogue with users and estimates that is on this machine; only its jobs with a requested time.

    Returns
    -------
    list of Trace
        Synthetic twins of the paper's stand-ins where there is no log at all.
    """
    here, _ = traces([setting["log"] for setting in settings()])
    others = [
        Trace(name, log(name).select("requested_time > 0"), project)
        for name, project in OTHERS.items()
        if archive.find(name)
    ]
    return (real(here) if others else here) + others


def strategies(trace, percentile=85):
    """Regular and selective adjustment by one percentile, as cases of `scheduling.runs`."""
    return scheduling.cases(trace, (percentile,))


def by_panel(table, panel, row, mark, chosen):
    """The rows of a table of gains with one of the `chosen` marks, by the labels of panel, row and mark.

    Parameters
    ----------
    table : DataFrame
        From `scheduling.averages` or `who_pays`.
    panel : sequence of str
        Levels of its index, which together name the panel.
    row, mark : str
        Levels of its index.
    chosen : sequence of str
        Values of the level `mark`.
    """
    part = table[table.index.get_level_values(mark).isin(chosen)]
    names = zip(*(part.index.get_level_values(level) for level in panel), strict=True)
    labels = [", ".join(name.upper() if name in scheduling.ORDERS else name for name in of) for of in names]
    rows, marks = (part.index.get_level_values(level).str.replace("_", " ") for level in (row, mark))
    return part.set_axis(pd.MultiIndex.from_arrays([labels, rows, marks], names=["panel", row, mark]))
